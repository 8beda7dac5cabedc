#include "wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mh_order.h"
#include "base/mh_text.h"
#include "mh.h"

/* ---- The walk over bytes that nobody has checked yet -------------------------------------------------------- */

struct walk {
    const unsigned char *at, *end;
    size_t items; /* still allowed */
};

/* The head of a value. */
struct head {
    size_t values; /* values inside it: elements, or keys and values */
    size_t bytes;  /* of contents after the head */
    int container;
};

static int take_number(struct walk *walk, int bytes, size_t *number)
{
    if (walk->end - walk->at < bytes) {
        return 0;
    }
    *number = 0;
    for (int i = 0; i < bytes; i++) {
        *number = *number << 8 | *walk->at++;
    }
    return 1;
}

static int read_head(struct walk *walk, struct head *head)
{
    size_t type;
    *head = (struct head){0, 0, 0};
    if (!take_number(walk, 1, &type)) {
        return 0;
    }
    if (type <= 0x7f || type >= 0xe0 || type == 0xc0 || type == 0xc2 || type == 0xc3) {
        return 1; /* a small number, nil or a boolean */
    }
    if (type <= 0x9f) {
        head->container = 1;
        head->values = type <= 0x8f ? 2 * (type & 15) : type & 15;
        return 1;
    }
    if (type <= 0xbf) {
        head->bytes = type & 31;
        return 1;
    }
    if (type >= 0xca && type <= 0xd3) {
        static const unsigned char widths[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
        head->bytes = widths[type - 0xca];
        return 1;
    }
    if (type >= 0xc4 && type <= 0xc6) {
        return take_number(walk, 1 << (type - 0xc4), &head->bytes);
    }
    if (type >= 0xd9 && type <= 0xdb) {
        return take_number(walk, 1 << (type - 0xd9), &head->bytes);
    }
    if (type >= 0xdc) {
        head->container = 1;
        if (!take_number(walk, type & 1 ? 4 : 2, &head->values)) {
            return 0;
        }
        head->values *= type >= 0xde ? 2 : 1;
        return 1;
    }
    return 0; /* extension types, and the one byte that msgpack never uses */
}

/* Every value takes at least one byte, so a count above the remaining bytes is refused at once. */
static int walk_value(struct walk *walk, int depth)
{
    struct head head;
    if (walk->items == 0 || !read_head(walk, &head)) {
        return 0;
    }
    walk->items--;
    const size_t left = (size_t)(walk->end - walk->at);
    if (head.bytes > left || head.values > left || head.values > walk->items ||
        (head.container && depth == WIRE_DEPTH)) {
        return 0;
    }
    walk->at += head.bytes;
    for (size_t i = 0; i < head.values; i++) {
        if (!walk_value(walk, depth + 1)) {
            return 0;
        }
    }
    return 1;
}

size_t wire_measure(const unsigned char *bytes, size_t size, size_t items)
{
    struct walk walk = {bytes, bytes + size, items};
    const int is_array = size > 0 && ((bytes[0] & 0xf0) == 0x90 || bytes[0] == 0xdc || bytes[0] == 0xdd);
    return is_array && walk_value(&walk, 0) ? (size_t)(walk.at - bytes) : 0;
}

int wire_check(const unsigned char *bytes, size_t size, size_t items)
{
    return size > 0 && wire_measure(bytes, size, items) == size;
}

/* ---- Arguments ---------------------------------------------------------------------------------------------- */

int wire_refuse(struct wire_error *error, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    error->limit = NULL;
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

int wire_refuse_status(struct wire_error *error, int status, const char *message)
{
    static const char *const codes[] = {[-MH_ERROR_ARGUMENT] = "argument", [-MH_ERROR_GAME] = "game",
                                        [-MH_ERROR_OPTION] = "option",     [-MH_ERROR_ACTION] = "action",
                                        [-MH_ERROR_SNAPSHOT] = "snapshot", [-MH_ERROR_ORDER] = "order",
                                        [-MH_ERROR_MEMORY] = "memory"};
    return wire_refuse(error, codes[-status], "%s", message);
}

const msgpack_object *wire_arg(const struct wire_args *args, uint32_t place)
{
    static const msgpack_object nil = {.type = MSGPACK_OBJECT_NIL};
    return place < args->count ? &args->items[place] : &nil;
}

int wire_is_nil(const msgpack_object *value)
{
    return !value || value->type == MSGPACK_OBJECT_NIL;
}

const msgpack_object *wire_arg_map(const struct wire_args *args, uint32_t place, struct wire_error *error)
{
    const msgpack_object *map = wire_arg(args, place);
    if (!wire_is_nil(map) && map->type != MSGPACK_OBJECT_MAP) {
        (void)wire_refuse(error, "argument", "argument %u is not a map", (unsigned)place + 1);
        return NULL;
    }
    return map;
}

const msgpack_object *wire_key(const msgpack_object *map, const char *key)
{
    const size_t size = strlen(key);
    for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size; i++) {
        const msgpack_object_kv *entry = &map->via.map.ptr[i];
        if (entry->key.type == MSGPACK_OBJECT_STR && entry->key.via.str.size == size &&
            memcmp(entry->key.via.str.ptr, key, size) == 0) {
            return wire_is_nil(&entry->val) ? NULL : &entry->val;
        }
    }
    return NULL;
}

int wire_read_int(const msgpack_object *value, const char *name, int64_t low, int64_t high, int64_t *result,
                  struct wire_error *error)
{
    if (wire_is_nil(value)) {
        return 0;
    }
    if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 <= (uint64_t)INT64_MAX) {
        *result = (int64_t)value->via.u64;
    } else if (value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        *result = value->via.i64;
    } else {
        return wire_refuse(error, "argument", "%s: not a whole number from %lld to %lld", name, (long long)low,
                           (long long)high);
    }
    if (*result < low || *result > high) {
        return wire_refuse(error, "argument", "%s: %lld is not from %lld to %lld", name, (long long)*result,
                           (long long)low, (long long)high);
    }
    return 0;
}

int wire_read_seed(const msgpack_object *value, const char *name, uint64_t *result, struct wire_error *error)
{
    if (wire_is_nil(value)) {
        return 0;
    }
    if (value->type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
        return wire_refuse(error, "argument", "%s: not a whole number from 0 to 2**64 - 1", name);
    }
    *result = value->via.u64;
    return 0;
}

int wire_read_bool(const msgpack_object *value, const char *name, int *result, struct wire_error *error)
{
    if (wire_is_nil(value)) {
        return 0;
    }
    if (value->type != MSGPACK_OBJECT_BOOLEAN) {
        return wire_refuse(error, "argument", "%s: neither true nor false", name);
    }
    *result = value->via.boolean;
    return 0;
}

size_t wire_character(const unsigned char *at, size_t left, uint32_t *read)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (size == 0 || size > left || at[0] > 0xf4) {
        return 0;
    }
    uint32_t code = size == 1 ? at[0] : at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (at[i] & 0x3f);
    }
    const int is_surrogate = code >= 0xd800 && code < 0xe000;
    *read = code;
    return code < least[size] || code > 0x10ffff || is_surrogate ? 0 : size;
}

static int is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

int wire_read_text(const msgpack_object *value, const char *name, char *text, size_t size, struct wire_error *error)
{
    if (wire_is_nil(value)) {
        return 0;
    }
    if (value->type != MSGPACK_OBJECT_STR) {
        return wire_refuse(error, "argument", "%s: not a text", name);
    }
    const size_t length = value->via.str.size;
    if (length >= size) {
        return wire_refuse(error, "argument", "%s: %zu bytes long, at most %zu are allowed", name, length,
                           size - 1);
    }
    const unsigned char *bytes = (const unsigned char *)value->via.str.ptr;
    for (size_t i = 0, size = 0; i < length; i += size) {
        uint32_t code = 0;
        size = wire_character(bytes + i, length - i, &code);
        if (size == 0 || is_control(code)) {
            return wire_refuse(error, "argument", "%s: byte %zu does not begin a printable UTF-8 character", name,
                               i);
        }
    }
    if (length) {
        memcpy(text, value->via.str.ptr, length);
    }
    text[length] = '\0';
    return 0;
}

static int is_text(const msgpack_object_str *text)
{
    const unsigned char *bytes = (const unsigned char *)text->ptr;
    uint32_t code = 0;
    size_t size = 1;
    for (size_t i = 0; size > 0 && i < text->size; i += size) {
        size = wire_character(bytes + i, text->size - i, &code);
    }
    return size > 0;
}

int wire_is_readable(const msgpack_object *value)
{
    int is_readable = value->type != MSGPACK_OBJECT_STR || is_text(&value->via.str);
    for (uint32_t i = 0; value->type == MSGPACK_OBJECT_ARRAY && is_readable && i < value->via.array.size; i++) {
        is_readable = wire_is_readable(&value->via.array.ptr[i]);
    }
    for (uint32_t i = 0; value->type == MSGPACK_OBJECT_MAP && is_readable && i < value->via.map.size; i++) {
        const msgpack_object_kv *entry = &value->via.map.ptr[i];
        is_readable = wire_is_readable(&entry->key) && wire_is_readable(&entry->val);
    }
    return is_readable;
}

int wire_read_word(const msgpack_object *value, const char *name, const char *const *words, int count, int *result,
                   struct wire_error *error)
{
    enum { LONGEST = 64 };
    char text[LONGEST];
    char choices[MH_MESSAGE_SIZE];
    struct mh_text list;
    if (wire_is_nil(value)) {
        return 0;
    }
    if (wire_read_text(value, name, text, sizeof text, error) != 0) {
        return -1;
    }
    mh_text_begin(&list, choices, sizeof choices);
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *result = i;
            return 0;
        }
        mh_text_add(&list, "%s%s", i ? ", " : "", words[i]);
    }
    return wire_refuse(error, "argument", "%s: '%s' is none of %s", name, text, choices);
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

struct wire_message *wire_message_new(size_t capacity)
{
    struct wire_message *message = malloc(sizeof *message + capacity);
    if (message) {
        atomic_init(&message->references, 1);
        message->size = 0;
        message->capacity = capacity;
    }
    return message;
}

struct wire_message *wire_hold(struct wire_message *message)
{
    atomic_fetch_add_explicit(&message->references, 1, memory_order_relaxed);
    return message;
}

void wire_release(struct wire_message *message)
{
    if (message && atomic_fetch_sub_explicit(&message->references, 1, memory_order_acq_rel) == 1) {
        free(message);
    }
}

int wire_is_free(struct wire_message *message)
{
    return atomic_load_explicit(&message->references, memory_order_acquire) == 1;
}

const unsigned char *wire_bytes(const msgpack_object *value, size_t *size)
{
    const int is_text = value->type == MSGPACK_OBJECT_STR;
    if (!is_text && value->type != MSGPACK_OBJECT_BIN) {
        return NULL;
    }
    const char *bytes = is_text ? value->via.str.ptr : value->via.bin.ptr;
    *size = is_text ? value->via.str.size : value->via.bin.size;
    return (const unsigned char *)(*size ? bytes : ""); /* the pointer to nothing may be NULL */
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

void wire_begin(struct wire_out *self, size_t expected)
{
    self->message = wire_message_new(expected);
    self->failed = !self->message;
}

void wire_begin_named(struct wire_out *self, size_t expected, size_t items, const char *name, uint64_t number)
{
    wire_begin(self, expected);
    wire_array(self, items);
    wire_text(self, name);
    wire_uint(self, number);
}

void wire_begin_in(struct wire_out *self, struct wire_message *message)
{
    message->size = 0;
    self->message = wire_hold(message);
    self->failed = 0;
}

struct wire_message *wire_finish(struct wire_out *self)
{
    struct wire_message *message = self->message;
    if (self->failed) {
        wire_release(message);
        message = NULL;
    }
    self->message = NULL;
    return message;
}

void wire_drop(struct wire_out *self)
{
    wire_release(self->message);
    self->message = NULL;
}

/* Moves the bytes to a larger message. Other owners keep the old one. */
static void grow(struct wire_out *self, size_t size)
{
    struct wire_message *old = self->message;
    struct wire_message *larger = wire_message_new(2 * (old->size + size));
    if (!larger) {
        self->failed = 1;
        return;
    }
    memcpy(larger->bytes, old->bytes, old->size);
    larger->size = old->size;
    self->message = larger;
    wire_release(old);
}

static unsigned char *space(struct wire_out *self, size_t size)
{
    if (!self->failed && self->message->capacity - self->message->size < size) {
        grow(self, size);
    }
    if (self->failed) {
        return NULL;
    }
    unsigned char *bytes = self->message->bytes + self->message->size;
    self->message->size += size;
    return bytes;
}

static int append(void *out, const char *bytes, size_t size)
{
    unsigned char *to = space(out, size);
    if (!to) {
        return -1;
    }
    if (size) {
        memcpy(to, bytes, size);
    }
    return 0;
}

static msgpack_packer packer_of(struct wire_out *self)
{
    const msgpack_packer packer = {self, append};
    return packer;
}

void wire_array(struct wire_out *self, size_t count)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_array(&packer, count);
}

void wire_map(struct wire_out *self, size_t count)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_map(&packer, count);
}

void wire_nil(struct wire_out *self)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_nil(&packer);
}

void wire_bool(struct wire_out *self, int value)
{
    msgpack_packer packer = packer_of(self);
    (void)(value ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer));
}

void wire_int(struct wire_out *self, int64_t value)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_int64(&packer, value);
}

void wire_uint(struct wire_out *self, uint64_t value)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_uint64(&packer, value);
}

void wire_double(struct wire_out *self, double value)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_double(&packer, value);
}

static void write_text(struct wire_out *self, const char *text, size_t size)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_str(&packer, size);
    (void)msgpack_pack_str_body(&packer, text, size);
}

void wire_text(struct wire_out *self, const char *text)
{
    write_text(self, text, strlen(text));
}

unsigned char *wire_bin_space(struct wire_out *self, size_t size)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_bin(&packer, size);
    return space(self, size);
}

void wire_bin(struct wire_out *self, const void *bytes, size_t size)
{
    unsigned char *to = wire_bin_space(self, size);
    if (to && size) {
        memcpy(to, bytes, size);
    }
}

void wire_object(struct wire_out *self, const msgpack_object *value)
{
    msgpack_packer packer = packer_of(self);
    (void)msgpack_pack_object(&packer, *value);
}

void wire_copy(struct wire_out *self, const struct wire_message *written)
{
    (void)append(self, (const char *)written->bytes, written->size);
}

void wire_order(void *numbers, size_t size, size_t width)
{
    mh_order(numbers, size / width, width);
}

void wire_numbers(struct wire_out *self, const void *numbers, size_t count, size_t width)
{
    unsigned char *to = wire_bin_space(self, count * width);
    if (to) {
        memcpy(to, numbers, count * width);
        wire_order(to, count * width, width);
    }
}

void wire_key_int(struct wire_out *self, const char *key, int64_t value)
{
    wire_text(self, key);
    wire_int(self, value);
}

void wire_key_text(struct wire_out *self, const char *key, const char *value)
{
    wire_text(self, key);
    wire_text(self, value);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static const char *copy_string(struct wire_out *self, const char *json)
{
    const char *end = strchr(json + 1, '"');
    write_text(self, json + 1, (size_t)(end - json - 1));
    return end + 1;
}

static const char *copy_number(struct wire_out *self, const char *json)
{
    const size_t length = strspn(json, "+-0123456789.eE");
    char *end;
    if (memchr(json, '.', length) || memchr(json, 'e', length)) {
        wire_double(self, strtod(json, &end));
    } else {
        wire_int(self, strtoll(json, &end, 10));
    }
    return json + length;
}

static const char *copy_value(struct wire_out *self, const char *json);

/* The count is known only at the end and is filled in then. */
static const char *copy_container(struct wire_out *self, const char *json)
{
    const int is_map = *json == '{';
    const size_t place = self->failed ? 0 : self->message->size;
    uint32_t count = 0;
    (void)space(self, 5);
    json++;
    while (*json != ']' && *json != '}') {
        if (is_map) {
            json = copy_string(self, json) + 1;
        }
        json = copy_value(self, json);
        json += *json == ',';
        count++;
    }
    if (!self->failed) {
        unsigned char *head = self->message->bytes + place;
        head[0] = is_map ? 0xdf : 0xdd;
        for (int i = 0; i < 4; i++) {
            head[1 + i] = (unsigned char)(count >> (24 - 8 * i));
        }
    }
    return json + 1;
}

static const char *copy_value(struct wire_out *self, const char *json)
{
    switch (*json) {
    case '{':
    case '[':
        return copy_container(self, json);
    case '"':
        return copy_string(self, json);
    case 't':
        wire_bool(self, 1);
        return json + 4;
    case 'f':
        wire_bool(self, 0);
        return json + 5;
    case 'n':
        wire_nil(self);
        return json + 4;
    default:
        return copy_number(self, json);
    }
}

void wire_json(struct wire_out *self, const char *json)
{
    (void)copy_value(self, json);
}
