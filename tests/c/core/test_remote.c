/* Replies about rows on a server, read into arrays: the arrays must be those of a batch that is stepped here, whatever
 * of a reply is damaged. Replies are written here from csrc/server/PROTOCOL.md, without the server's code. */
#include "batch_client.h"

enum { FEW = 5, STEPS = 2000, CAPACITY = 1 << 20 };

/* ---- Replies --------------------------------------------------------------------------------------------- */

struct writer {
    uint8_t *bytes;
    size_t size;
};

static void put(struct writer *out, unsigned byte)
{
    CHECK(out->size < CAPACITY);
    out->bytes[out->size++] = (uint8_t)byte;
}

static void put_binary_head(struct writer *out, size_t size)
{
    put(out, 0xC5);
    put(out, (unsigned)(size >> 8));
    put(out, (unsigned)size & 0xFF);
}

static void put_text(struct writer *out, const char *text)
{
    const unsigned size = (unsigned)strlen(text);
    if (size < 32) {
        put(out, 0xA0 | size);
    } else {
        put(out, 0xD9);
        put(out, size);
    }
    for (; *text; text++) {
        put(out, (unsigned char)*text);
    }
}

/* An item as messages have it: its lowest byte first, and of a seat nothing but that. */
static void put_item(struct writer *out, const struct mh_buffer *array, const void *item)
{
    uint64_t bits = 0;
    uint32_t word;
    switch (array->size) {
    case 1:
        bits = *(const uint8_t *)item;
        break;
    case 4:
        memcpy(&word, item, sizeof word);
        bits = word;
        break;
    default:
        memcpy(&bits, item, sizeof bits);
    }
    for (int i = 0; i < (array->is_seat ? 1 : array->size); i++) {
        put(out, (unsigned)(bits >> 8 * i) & 0xFF);
    }
}

static void put_line(struct writer *out, const struct mh_buffer *array, const void *lines, int line)
{
    const size_t size = mh_buffer_line(array);
    for (size_t i = 0; i < size; i += (size_t)array->size) {
        put_item(out, array, (const uint8_t *)lines + (size_t)line * size + i);
    }
}

static size_t sent(const struct mh_buffer *array)
{
    return array->is_seat ? 1 : mh_buffer_line(array);
}

static struct mh_buffer array_at(const struct client *client, int index)
{
    struct mh_buffer array;
    CHECK_EQUAL(mh_buffer_at(index, &client->sizes, client->rows, mh_batch_final_seats(client->batch), &array),
                MH_OK);
    return array;
}

/* A column: of the last observations those of the rows that ended, 0 in the others. */
static void put_column(struct writer *out, const struct client *client, int index, const int *rows, int count)
{
    const struct mh_buffer array = array_at(client, index);
    const void *lines = mh_buffers_get(&client->buffers, index);
    int end = 0;
    put_text(out, array.name);
    put_binary_head(out, (size_t)count * sent(&array));
    for (int i = 0; i < count; i++) {
        if (array.when != MH_WHEN_PACKED) {
            put_line(out, &array, lines, rows[i]);
        } else if (end < *client->final_count && client->final_rows[end] == rows[i]) {
            put_line(out, &array, lines, end++);
        } else {
            for (size_t left = sent(&array); left; left--) {
                put(out, 0);
            }
        }
    }
}

static int is_column(const struct mh_buffer *array)
{
    return array->when >= MH_WHEN_CHANGED && array->when <= MH_WHEN_PACKED;
}

/* Of a newer server there may be a column that this build does not know. */
static void put_changes(struct writer *out, const struct client *client, const int *rows, int count)
{
    unsigned columns = 2;
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer array = array_at(client, i);
        columns += (unsigned)is_column(&array);
    }
    put(out, 0x80 | columns);
    put_text(out, "a column that only a newer server knows of");
    put_binary_head(out, 1);
    put(out, 0);
    put_text(out, "rows");
    put_binary_head(out, 4 * (size_t)count);
    for (int i = 0; i < 4 * count; i++) {
        put(out, i % 4 ? 0 : (unsigned)rows[i / 4]);
    }
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer array = array_at(client, i);
        if (is_column(&array)) {
            put_column(out, client, i, rows, count);
        }
    }
}

/* The reply to request `number` about the rows as they are, with changes of these. */
static void write_reply(struct writer *out, const struct client *client, int number, const int *rows, int count)
{
    out->size = 0;
    put(out, 0x98);
    put_text(out, "ok");
    put(out, 0xCD);
    put(out, (unsigned)number >> 8);
    put(out, (unsigned)number & 0xFF);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer array = array_at(client, i);
        if (array.when == MH_WHEN_ALWAYS) {
            put_binary_head(out, (size_t)client->rows * sent(&array));
            for (int row = 0; row < client->rows; row++) {
                put_line(out, &array, mh_buffers_get(&client->buffers, i), row);
            }
        }
    }
    if (count) {
        put_changes(out, client, rows, count);
    } else {
        put(out, 0xC0);
    }
}

/* ---- Both sides ------------------------------------------------------------------------------------------- */

struct pair {
    struct client here;
    struct mh_buffers there; /* the arrays that replies are read into */
    struct mh_remote *remote;
    struct writer reply;
    uint8_t was_over[ROWS];
};

static struct pair open_pair(int rows, int autoreset)
{
    const struct mh_batch_options options = options_of(rows, -1, MH_CALLER, MH_ILLEGAL_TERMINATE, autoreset);
    struct pair pair = {.here = open_client(&options, ""), .reply.bytes = check_memory(CAPACITY)};
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer array = array_at(&pair.here, i);
        mh_buffers_set(&pair.there, i, check_memory(mh_buffer_bytes(&array)));
    }
    CHECK_EQUAL(
        mh_remote_new(pair.here.game, rows, mh_batch_final_seats(pair.here.batch), &pair.there, NULL, &pair.remote),
        MH_OK);
    return pair;
}

static void close_pair(struct pair *pair)
{
    mh_remote_free(&pair->remote);
    CHECK(!pair->remote);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        free(mh_buffers_get(&pair->there, i));
    }
    free(pair->reply.bytes);
    close_client(&pair->here);
}

/* Rows of which a step has more to report than of all. */
static int find_changes(const struct pair *pair, int begun, int rows[ROWS])
{
    const struct client *here = &pair->here;
    int count = 0;
    for (int row = 0; row < here->rows; row++) {
        if (here->illegal[row] || here->round_ended[row] || (pair->was_over[row] && begun) ||
            (here->terminated[row] && !pair->was_over[row])) {
            rows[count++] = row;
        }
    }
    return count;
}

static int read_as(struct pair *pair, int number, int is_step, char *message)
{
    return mh_remote_read(pair->remote, pair->reply.bytes, pair->reply.size, (uint64_t)number, is_step, message);
}

/* All arrays but the actions; of the last observations those of the step. */
static void check_arrays(const struct pair *pair)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer array = array_at(&pair->here, i);
        size_t bytes = array.when == MH_WHEN_NEVER ? 0 : mh_buffer_bytes(&array);
        if (array.when == MH_WHEN_PACKED || strcmp(array.name, "final_rows") == 0) {
            bytes = (size_t)*pair->here.final_count * mh_buffer_line(&array);
        }
        if (memcmp(mh_buffers_get(&pair->here.buffers, i), mh_buffers_get(&pair->there, i), bytes) != 0) {
            fprintf(stderr, "%s differs\n", array.name);
            exit(1);
        }
    }
}

static void begin(struct pair *pair)
{
    int rows[ROWS];
    for (int row = 0; row < pair->here.rows; row++) {
        rows[row] = row;
    }
    reset(&pair->here, 5);
    write_reply(&pair->reply, &pair->here, 300, rows, pair->here.rows);
    CHECK_EQUAL(read_as(pair, 300, 0, NULL), 1);
    *pair->there.changes = *pair->here.changes; /* which resets do not count */
    check_arrays(pair);
}

/* A step of random actions, some of which are not legal. Returns how many rows have changes. */
static int play(struct pair *pair, int number, int autoreset)
{
    struct client *here = &pair->here;
    int rows[ROWS];
    choose(here);
    if (number % 173 == 0) {
        here->actions[number % here->rows] = here->sizes.actions - 1;
    }
    memcpy(pair->was_over, here->terminated, (size_t)here->rows);
    if (autoreset == MH_AUTORESET_SAME_STEP) {
        memset(pair->was_over, 0, sizeof pair->was_over);
    }
    step(here);
    const int count = find_changes(pair, autoreset == MH_AUTORESET_NEXT_STEP, rows);
    write_reply(&pair->reply, here, number, rows, count);
    return count;
}

static void test_arrays(int autoreset)
{
    struct pair pair = open_pair(FEW, autoreset);
    begin(&pair);
    int ends = 0, rounds = 0, illegal = 0;
    for (int number = 301; number < 301 + STEPS; number++) {
        const int count = play(&pair, number, autoreset);
        CHECK_EQUAL(read_as(&pair, number, 1, NULL), 1);
        CHECK_EQUAL(*pair.there.changes, count);
        *pair.there.changes = *pair.here.changes; /* which counts rows that stay over as well */
        check_arrays(&pair);
        ends += *pair.there.final_count;
        for (int row = 0; row < FEW; row++) {
            rounds += pair.there.round_ended[row];
            illegal += pair.there.illegal[row];
        }
        if (autoreset == MH_AUTORESET_DISABLED && *pair.there.final_count) {
            begin(&pair);
        }
    }
    CHECK(ends > 3 && illegal > 3 && (rounds > 0 || autoreset == MH_AUTORESET_SAME_STEP));
    close_pair(&pair);
}

/* ---- Messages that are refused ---------------------------------------------------------------------------- */

/* The arrays one after the other, to see whether any has changed. */
static uint64_t hash_arrays(const struct pair *pair)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer array = array_at(&pair->here, i);
        const uint8_t *bytes = mh_buffers_get(&pair->there, i);
        for (size_t at = 0; at < mh_buffer_bytes(&array); at++) {
            hash = (hash ^ bytes[at]) * 0x100000001B3u;
        }
    }
    return hash;
}

static struct pair play_to_changes(void)
{
    struct pair pair = open_pair(1, MH_AUTORESET_NEXT_STEP);
    begin(&pair);
    int number = 301;
    while (!play(&pair, number++, MH_AUTORESET_NEXT_STEP)) {
    }
    return pair;
}

static void test_every_beginning(void)
{
    struct pair pair = play_to_changes();
    const uint64_t before = hash_arrays(&pair);
    const size_t size = pair.reply.size;
    const int number = pair.reply.bytes[5] << 8 | pair.reply.bytes[6];
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *part = check_memory(cut + 1); /* so that a sanitizer sees what is read behind it */
        memcpy(part, pair.reply.bytes, cut);
        const int status = mh_remote_read(pair.remote, part, cut, (uint64_t)number, 1, NULL);
        CHECK_EQUAL(status, cut < 7 ? 0 : MH_ERROR_ARGUMENT);
        free(part);
    }
    put(&pair.reply, 0xC0);
    CHECK_EQUAL(read_as(&pair, number, 1, NULL), MH_ERROR_ARGUMENT);
    CHECK(hash_arrays(&pair) == before);
    pair.reply.size = size;
    CHECK_EQUAL(read_as(&pair, number, 1, NULL), 1);
    CHECK(hash_arrays(&pair) != before);
    close_pair(&pair);
}

/* A changed byte is refused, and nothing else changes, or it is one of the numbers. */
static void test_every_byte(void)
{
    struct pair pair = play_to_changes();
    const int number = pair.reply.bytes[5] << 8 | pair.reply.bytes[6];
    int refused = 0;
    for (size_t at = 0; at < pair.reply.size; at++) {
        const uint8_t byte = pair.reply.bytes[at];
        for (unsigned value = 0; value < 256; value += 51) {
            char message[MH_MESSAGE_SIZE] = "";
            const uint64_t before = hash_arrays(&pair);
            pair.reply.bytes[at] = (uint8_t)value;
            const int status = read_as(&pair, number, 1, message);
            CHECK(status == 1 || hash_arrays(&pair) == before);
            CHECK(status >= 0 || (strncmp(message, "reply: ", 7) == 0 && !strchr(message, '\n')));
            refused += status < 0;
        }
        pair.reply.bytes[at] = byte;
    }
    CHECK(refused > 100);
    close_pair(&pair);
}

/* The column `rows` of a reply: its binary head, then the rows. */
static uint8_t *find_rows(const struct pair *pair)
{
    static const char key[] = "\xA4rows";
    uint8_t *at = pair->reply.bytes;
    while (memcmp(at, key, strlen(key)) != 0) {
        at++;
    }
    return at + strlen(key);
}

static void check_refused(struct pair *pair, const char *why)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK_EQUAL(read_as(pair, 301, 1, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, why));
}

static void test_rows_of_the_changes(void)
{
    enum { HEAD = 3, MORE = 4 * FEW };
    static const int wrong[][2] = {{0, 0}, {1, 0}, {0, FEW}, {FEW, FEW + 1}};
    const int rows[2] = {0, 1};
    struct pair pair = open_pair(FEW, MH_AUTORESET_NEXT_STEP);
    begin(&pair);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_reply(&pair.reply, &pair.here, 301, rows, 2);
        find_rows(&pair)[HEAD] = (uint8_t)wrong[i][0];
        find_rows(&pair)[HEAD + 4] = (uint8_t)wrong[i][1];
        check_refused(&pair, "changes of row");
    }
    write_reply(&pair.reply, &pair.here, 301, rows, 2);
    uint8_t *column = find_rows(&pair);
    const size_t before = (size_t)(column + HEAD - pair.reply.bytes);
    column[2] += MORE;
    memmove(column + HEAD + MORE, column + HEAD, pair.reply.size - before);
    pair.reply.size += MORE;
    check_refused(&pair, "bytes of rows with changes");
    close_pair(&pair);
}

static void test_other_messages(void)
{
    struct pair pair = open_pair(FEW, MH_AUTORESET_NEXT_STEP);
    begin(&pair);
    CHECK_EQUAL(read_as(&pair, 299, 1, NULL), 0);
    memcpy(pair.reply.bytes + 2, "no", 2);
    CHECK_EQUAL(read_as(&pair, 300, 1, NULL), 0);
    close_pair(&pair);
}

static void test_arrays_left_out(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct pair pair = open_pair(FEW, MH_AUTORESET_SAME_STEP);
    struct mh_remote *other = NULL;
    struct mh_buffers some = pair.there;
    const int final_seats = mh_batch_final_seats(pair.here.batch);
    const int rows[1] = {2};
    some.final_observations = NULL;
    some.results = NULL;
    some.seeds = NULL;
    mh_remote_free(&pair.remote);
    CHECK_EQUAL(mh_remote_new(pair.here.game, FEW, final_seats, &some, message, &pair.remote), MH_OK);
    reset(&pair.here, 5);
    write_reply(&pair.reply, &pair.here, 300, rows, 1);
    CHECK_EQUAL(read_as(&pair, 300, 1, NULL), 1);
    CHECK(pair.there.seats[2] == pair.here.seats[2] && pair.there.own[2] == pair.here.own[2]);
    CHECK(pair.here.seeds[2] == 7 && pair.there.seeds[2] == 0);
    some.masks = NULL;
    CHECK_EQUAL(mh_remote_new(pair.here.game, FEW, final_seats, &some, message, &other), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, "arrays: masks must not be NULL") == 0 && !other);
    CHECK_EQUAL(mh_remote_new(pair.here.game, 0, final_seats, &pair.there, message, &other), MH_ERROR_ARGUMENT);
    CHECK(strncmp(message, "rows: 0;", 8) == 0);
    close_pair(&pair);
}

int main(void)
{
    test_arrays(MH_AUTORESET_SAME_STEP);
    test_arrays(MH_AUTORESET_NEXT_STEP);
    test_arrays(MH_AUTORESET_DISABLED);
    test_every_beginning();
    test_every_byte();
    test_rows_of_the_changes();
    test_other_messages();
    test_arrays_left_out();
    return 0;
}
