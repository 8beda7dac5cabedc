/* Messages: what the walk lets through msgpack-c reads, and nothing else gets that far; what is written reads back. */
#include <math.h>

#include "check.h"
#include "common/wire.h"

#include <string.h>

enum { MANY = 1000 };

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * bound >> 32);
}

/* The walk on a block of exactly that size. */
static int check(const void *bytes, size_t size, size_t items)
{
    unsigned char *copy = check_memory(size ? size : 1);
    memcpy(copy, bytes, size);
    const int result = wire_check(copy, size, items);
    free(copy);
    return result;
}

static void test_what_is_refused(void)
{
    static const struct {
        const char *why;
        size_t size;
        const char *bytes;
    } refused[] = {
        {"nothing", 0, ""},
        {"no array", 1, "\x01"},
        {"a map", 1, "\x80"},
        {"more than one value", 2, "\x90\x90"},
        {"an element missing", 2, "\x92\x01"},
        {"a text cut off", 4, "\x91\xa3xy"},
        {"bin cut off", 4, "\x91\xc4\x02x"},
        {"no length", 2, "\x91\xc6"},
        {"four thousand million elements", 5, "\xdd\xff\xff\xff\xff"},
        {"as many in a map", 6, "\x91\xdf\xff\xff\xff\xff"},
        {"bin of four thousand million bytes", 6, "\x91\xc6\xff\xff\xff\xff"},
        {"an extension", 4, "\x91\xd4\x01\x01"},
        {"an extension of any size", 5, "\x91\xc7\x01\x01\x01"},
        {"the byte that means nothing", 2, "\x91\xc1"},
        {"nested five deep", 5, "\x91\x91\x91\x91\x90"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (check(refused[i].bytes, refused[i].size, MANY)) {
            fprintf(stderr, "not refused: %s\n", refused[i].why);
            exit(1);
        }
    }
    CHECK(check("\x91\x91\x91\x90", 4, MANY));
    CHECK(check("\x94\xc0\xc2\xc3\xff", 5, 5) && !check("\x94\xc0\xc2\xc3\xff", 5, 4));
    CHECK_EQUAL(wire_measure((const unsigned char *)"\x91\x01\x90", 3, MANY), 2);
}

static void write_value(struct wire_out *out, int depth)
{
    static const char bytes[300] = "some bytes, of which any number is taken";
    const uint32_t count = random_below(20);
    switch (random_below(depth < WIRE_DEPTH - 1 ? 9 : 7)) {
    case 0:
        wire_nil(out);
        break;
    case 1:
        wire_bool(out, count > 9);
        break;
    case 2:
        wire_int(out, (int64_t)((uint64_t)random_below(UINT32_MAX) << random_below(33)) * (count > 9 ? 1 : -1));
        break;
    case 3:
        wire_uint(out, UINT64_MAX >> random_below(64));
        break;
    case 4:
        wire_double(out, (double)count / 3);
        break;
    case 5:
        wire_text(out, bytes + random_below(20));
        break;
    case 6:
        wire_bin(out, bytes, random_below(300));
        break;
    case 7:
        wire_array(out, count);
        for (uint32_t i = 0; i < count; i++) {
            write_value(out, depth + 1);
        }
        break;
    default:
        wire_map(out, count);
        for (uint32_t i = 0; i < count; i++) {
            wire_text(out, bytes + i);
            write_value(out, depth + 1);
        }
    }
}

static struct wire_message *write_message(void)
{
    struct wire_out out;
    const uint32_t count = random_below(6);
    wire_begin(&out, random_below(100));
    wire_array(&out, count);
    for (uint32_t i = 0; i < count; i++) {
        write_value(&out, 1);
    }
    struct wire_message *message = wire_finish(&out);
    CHECK(message);
    return message;
}

static void check_unpacks(msgpack_zone *zone, const unsigned char *bytes, size_t size)
{
    msgpack_object object;
    size_t used = 0;
    msgpack_zone_clear(zone);
    CHECK_EQUAL(msgpack_unpack((const char *)bytes, size, &used, zone, &object), MSGPACK_UNPACK_SUCCESS);
    CHECK_EQUAL(used, size);
    CHECK_EQUAL(object.type, MSGPACK_OBJECT_ARRAY);
}

static void test_random_messages(void)
{
    enum { ROUNDS = 3000, CHANGES = 10, ENOUGH = 1 << 20 };
    msgpack_zone zone;
    int accepted = 0;
    CHECK(msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE));
    for (int round = 0; round < ROUNDS; round++) {
        struct wire_message *message = write_message();
        CHECK(check(message->bytes, message->size, ENOUGH));
        check_unpacks(&zone, message->bytes, message->size);
        const size_t part = random_below((uint32_t)message->size);
        CHECK(!check(message->bytes, part, ENOUGH));
        for (int change = 0; change < CHANGES; change++) {
            message->bytes[random_below((uint32_t)message->size)] = (unsigned char)random_below(256);
            if (check(message->bytes, message->size, ENOUGH)) {
                check_unpacks(&zone, message->bytes, message->size);
                accepted++;
            }
        }
        wire_release(message);
    }
    CHECK(accepted > ROUNDS);
    msgpack_zone_destroy(&zone);
}

/* ---- Arguments ---------------------------------------------------------------------------------------------- */

static msgpack_object text_object(const char *text)
{
    return (msgpack_object){.type = MSGPACK_OBJECT_STR, .via.str = {(uint32_t)strlen(text), text}};
}

static void test_texts(void)
{
    static const char *const good[] = {"", "a b", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x80\x84"};
    static const char *const bad[] = {"\n",           "\x7f",     "\x80",         "\xc3",      "\xc0\x80",
                                      "\xed\xa0\x80", "\xc2\x85", "\xf5\x80\x80", "a\xe2\x82", "\xf4\x90\x80\x80"};
    struct wire_error error;
    char text[8];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const msgpack_object object = text_object(good[i]);
        CHECK_EQUAL(wire_read_text(&object, "name", text, sizeof text, &error), 0);
        CHECK(strcmp(text, good[i]) == 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const msgpack_object object = text_object(bad[i]);
        CHECK_EQUAL(wire_read_text(&object, "name", text, sizeof text, &error), -1);
        CHECK(strcmp(error.code, "argument") == 0 && strstr(error.text, "name: byte"));
    }
    const msgpack_object longer = text_object("12345678");
    CHECK_EQUAL(wire_read_text(&longer, "name", text, sizeof text, &error), -1);
    CHECK(strstr(error.text, "8 bytes long, at most 7"));
}

/* msgpack-c gives NULL as the pointer to an empty text or bin at the beginning of a message. */
static void test_nothing(void)
{
    static const char bytes[] = "\x92\xa0\xc4";
    msgpack_zone zone;
    msgpack_object message;
    struct wire_error error;
    struct wire_out out;
    char text[8] = "before";
    size_t size = 7;
    CHECK(msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE));
    CHECK_EQUAL(msgpack_unpack(bytes, sizeof bytes, NULL, &zone, &message), MSGPACK_UNPACK_SUCCESS);
    const msgpack_object *items = message.via.array.ptr;
    CHECK_EQUAL(wire_read_text(&items[0], "name", text, sizeof text, &error), 0);
    CHECK(strcmp(text, "") == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(wire_bytes(&items[i], &size));
        CHECK_EQUAL(size, 0);
    }
    wire_begin(&out, 0);
    wire_object(&out, &message);
    struct wire_message *written = wire_finish(&out);
    CHECK(written && written->size == sizeof bytes && memcmp(written->bytes, bytes, sizeof bytes) == 0);
    wire_release(written);
    msgpack_zone_destroy(&zone);
}

static void test_words(void)
{
    static const char *const words[] = {"ids", "texts"};
    const msgpack_object texts = text_object("texts");
    const msgpack_object start = text_object("text");
    const msgpack_object number = {.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = 1};
    struct wire_error error;
    int place = 7;
    CHECK_EQUAL(wire_read_word(NULL, "w", words, 2, &place, &error), 0);
    CHECK_EQUAL(place, 7);
    CHECK_EQUAL(wire_read_word(&texts, "w", words, 2, &place, &error), 0);
    CHECK_EQUAL(place, 1);
    CHECK_EQUAL(wire_read_word(&start, "w", words, 2, &place, &error), -1);
    CHECK(strcmp(error.text, "w: 'text' is none of ids, texts") == 0);
    CHECK_EQUAL(wire_read_word(&number, "w", words, 2, &place, &error), -1);
    CHECK_EQUAL(place, 1);
}

static void test_numbers(void)
{
    const msgpack_object five = {.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = 5};
    const msgpack_object huge = {.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = UINT64_MAX};
    const msgpack_object less = {.type = MSGPACK_OBJECT_NEGATIVE_INTEGER, .via.i64 = -5};
    const msgpack_object nil = {.type = MSGPACK_OBJECT_NIL};
    struct wire_error error;
    int64_t number = 7;
    uint64_t seed = 8;
    int flag = 1;
    CHECK_EQUAL(wire_read_int(&nil, "n", 1, 9, &number, &error), 0);
    CHECK_EQUAL(wire_read_int(NULL, "n", 1, 9, &number, &error), 0);
    CHECK_EQUAL(number, 7);
    CHECK_EQUAL(wire_read_int(&five, "n", 1, 9, &number, &error), 0);
    CHECK_EQUAL(number, 5);
    CHECK_EQUAL(wire_read_int(&less, "n", -9, 9, &number, &error), 0);
    CHECK_EQUAL(number, -5);
    CHECK_EQUAL(wire_read_int(&less, "n", 1, 9, &number, &error), -1);
    CHECK(strstr(error.text, "n: -5 is not from 1 to 9"));
    CHECK_EQUAL(wire_read_int(&huge, "n", 1, INT64_MAX, &number, &error), -1);
    CHECK_EQUAL(wire_read_seed(&huge, "s", &seed, &error), 0);
    CHECK(seed == UINT64_MAX);
    CHECK_EQUAL(wire_read_seed(&less, "s", &seed, &error), -1);
    CHECK_EQUAL(wire_read_bool(&five, "b", &flag, &error), -1);
}

static void test_json(void)
{
    static const char json[] = "{\"a\":[1,-2,2.5,1e3,\"x\",true,false,null],\"b\":{},\"c\":[[]]}";
    struct wire_out out;
    msgpack_zone zone;
    msgpack_object object;
    size_t used = 0;
    wire_begin(&out, 0);
    wire_json(&out, json);
    struct wire_message *message = wire_finish(&out);
    CHECK(message && msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE));
    CHECK_EQUAL(msgpack_unpack((const char *)message->bytes, message->size, &used, &zone, &object),
                MSGPACK_UNPACK_SUCCESS);
    CHECK_EQUAL(used, message->size);
    const msgpack_object *list = wire_key(&object, "a");
    CHECK(list && list->type == MSGPACK_OBJECT_ARRAY && list->via.array.size == 8);
    const msgpack_object *items = list->via.array.ptr;
    CHECK(items[0].via.u64 == 1 && items[1].via.i64 == -2);
    CHECK(fabs(items[2].via.f64 - 2.5) < 1e-9 && fabs(items[3].via.f64 - 1000) < 1e-9);
    CHECK(items[4].via.str.size == 1 && items[5].via.boolean && !items[6].via.boolean);
    CHECK_EQUAL(items[7].type, MSGPACK_OBJECT_NIL);
    CHECK_EQUAL(wire_key(&object, "b")->via.map.size, 0);
    CHECK_EQUAL(wire_key(&object, "c")->via.array.ptr[0].via.array.size, 0);
    wire_release(message);
    msgpack_zone_destroy(&zone);
}

int main(void)
{
    test_what_is_refused();
    test_random_messages();
    test_texts();
    test_nothing();
    test_words();
    test_numbers();
    test_json();
    return 0;
}
