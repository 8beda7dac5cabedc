/* Requests: answered as PROTOCOL.md says, each executed once, and never for anybody else. */
#include "mh_game.h"
#include "server_client.h"

enum { ME = 1, OTHER = 2, THIRD = 3 };

static struct server_options small(void)
{
    struct server_options options = server_defaults();
    options.rows_per_key = 10;
    options.rows_in_flight = 16;
    return options;
}

static size_t from_hex(const char *hex, unsigned char *bytes)
{
    size_t size = 0;
    for (const char *at = hex; *at; at += *at == ' ') {
        char digits[3] = {at[0], at[1], '\0'};
        bytes[size++] = (unsigned char)strtoul(digits, NULL, 16);
        at += 2;
    }
    return size;
}

/* The table under Bytes in PROTOCOL.md: what is sent, and how the reply begins. */
static void test_bytes_of_the_page(void)
{
    FILE *page = fopen("csrc/server/PROTOCOL.md", "r");
    char line[1024];
    int found = 0;
    const struct server_options options = server_defaults();
    struct host host;
    CHECK(page);
    open_host(&host, &options);
    while (fgets(line, sizeof line, page)) {
        unsigned char request[64];
        unsigned char reply[64];
        char *hex = strstr(line, "]` | `");
        if (strncmp(line, "| `[", 4) != 0 || !hex) {
            continue;
        }
        hex += strlen("]` | `");
        char *answer = strstr(hex, "` | `");
        CHECK(answer);
        *answer = '\0';
        answer += strlen("` | `");
        *strchr(answer, '`') = '\0';
        const size_t size = from_hex(hex, request);
        const size_t begins = from_hex(answer, reply);
        send_bytes(&host, ME, "", request, size);
        CHECK_EQUAL(host.heard, 1);
        CHECK(host.messages[0]->size > begins && memcmp(host.messages[0]->bytes, reply, begins) == 0);
        found++;
    }
    CHECK_EQUAL(found, 4);
    fclose(page);
    close_host(&host);
}

static int64_t make(struct host *host, uint64_t connection, uint64_t seq, int rows, const char *opponents)
{
    struct wire_out out = begin_call("make", seq, 1);
    wire_map(&out, 2);
    wire_key_int(&out, "rows", rows);
    wire_key_text(&out, "opponents", opponents);
    send_out(host, connection, "", &out);
    const msgpack_object *results = check_ok(host, seq, 2);
    return results[0].via.i64;
}

static void reset(struct host *host, uint64_t connection, uint64_t seq, int64_t env, uint64_t seed)
{
    struct wire_out out = begin_call("reset", seq, 2);
    wire_int(&out, env);
    wire_uint(&out, seed);
    send_out(host, connection, "", &out);
}

static void call(struct host *host, uint64_t connection, uint64_t seq, const char *name)
{
    struct wire_out out = begin_call(name, seq, 0);
    send_out(host, connection, "", &out);
}

/* The last reply, kept. */
static struct wire_message *last(const struct host *host)
{
    CHECK_EQUAL(host->heard, 1);
    struct wire_out out;
    wire_begin(&out, host->messages[0]->size);
    wire_copy(&out, host->messages[0]);
    return wire_finish(&out);
}

static void check_same_message(const struct host *host, struct wire_message *expected)
{
    CHECK_EQUAL(host->heard, 1);
    CHECK_EQUAL(host->messages[0]->size, expected->size);
    CHECK(memcmp(host->messages[0]->bytes, expected->bytes, expected->size) == 0);
    wire_release(expected);
}

/* ---- Guests -------------------------------------------------------------------------------------------------- */

/* A guest reads all that its host tells it as text, so it is text. */
static void test_what_guests_are_told(void)
{
    static const char *const wrong[] = {"\xff", "\xc3", "\xed\xa0\x80", "ok \xe2\x82"};
    const struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    uint64_t seq = 2;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    hello(&host, OTHER, "", token);
    for (int i = 0; i < 2; i++) {
        struct wire_out out = begin_call(i ? "invite" : "wait", 1, 1);
        wire_map(&out, 1);
        wire_key_text(&out, "name", "g");
        send_out(&host, i ? ME : OTHER, "", &out);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wire_out out = begin_call("tell", seq, 3);
        wire_int(&out, 1);
        wire_text(&out, "round");
        wire_map(&out, 1);
        wire_key_text(&out, i % 2 ? "key" : wrong[i], i % 2 ? wrong[i] : "value");
        send_out(&host, ME, "", &out);
        check_error(&host, seq++, "argument", "not UTF-8"); /* nobody else has heard anything */
        out = begin_call("tell", seq, 6);
        wire_int(&out, 1);
        wire_text(&out, "turn");
        wire_int(&out, 1000);
        wire_bin(&out, "\xff", 1);
        wire_array(&out, 1);
        wire_text(&out, wrong[i]);
        wire_array(&out, 0);
        send_out(&host, ME, "", &out);
        check_error(&host, seq++, "argument", "not UTF-8");
    }
    struct wire_out out = begin_call("tell", seq, 3);
    wire_int(&out, 1);
    wire_text(&out, "round");
    wire_map(&out, 1);
    wire_key_text(&out, "g\xc3\xa9", "two\nlines, \xf0\x9f\x80\x84");
    send_out(&host, ME, "", &out);
    CHECK_EQUAL(host.heard, 2); /* the guest, and the reply */
    close_host(&host);
}

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

static void test_hello(void)
{
    const struct server_options options = small();
    unsigned char token[16];
    unsigned char again[16];
    struct host host;
    open_host(&host, &options);
    call(&host, ME, 1, "ping");
    check_error(&host, 1, "hello", "say hello first");
    hello(&host, ME, "", token);
    hello(&host, ME, "", again);
    CHECK(memcmp(token, again, sizeof token) == 0);
    hello(&host, OTHER, "", again);
    CHECK(memcmp(token, again, sizeof token) != 0);
    call(&host, ME, 1, "ping");
    check_ok(&host, 1, 0);

    hello_again(&host, THIRD, "", token, 4); /* the session moves */
    CHECK_EQUAL(wire_key(check_ok(&host, 0, 1), "next")->via.u64, 2);
    call(&host, THIRD, 2, "ping");
    check_ok(&host, 2, 0);
    call(&host, ME, 3, "ping");
    check_error(&host, 3, "session", "another connection");
    call(&host, ME, 1, "ping"); /* its reply is remembered, but for others */
    check_error(&host, 1, "session", "another connection");
    call(&host, 9, 1, "ping");
    check_error(&host, 1, "hello", "say hello first");
    hello_again(&host, ME, "", token, 4); /* was on its way for long */
    check_error(&host, 0, "session", "a later hello");
    call(&host, THIRD, 2, "ping");
    check_ok(&host, 2, 0);

    hello_again(&host, ME, "key of somebody else", token, 0);
    check_error(&host, 0, "session", "no session of yours");
    again[0] ^= 1;
    hello_again(&host, ME, "", again, 0);
    check_error(&host, 0, "session", "no session of yours");
    hello_again(&host, ME, "", token, 33);
    check_error(&host, 0, "argument", "window: 33 is not from 1 to 32");

    unsigned char as_text[] = "\x93\xa5hello\x00\x81\xa5token\xb0................";
    memcpy(as_text + sizeof as_text - 1 - sizeof token, token, sizeof token);
    send_bytes(&host, THIRD, "", as_text, sizeof as_text - 1);
    CHECK_EQUAL(wire_key(check_ok(&host, 0, 1), "next")->via.u64, 3);

    call(&host, THIRD, 3, "bye");
    check_ok(&host, 3, 0);
    call(&host, THIRD, 4, "ping");
    check_error(&host, 4, "hello", "say hello first");
    close_host(&host);
}

static void hello_attempt(struct host *host, uint64_t connection, const unsigned char *token, int attempt)
{
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, attempt ? 2 : 1);
    wire_text(&out, "token");
    wire_bin(&out, token, 16);
    if (attempt) {
        wire_key_int(&out, "attempt", attempt);
    }
    send_out(host, connection, "", &out);
}

/* Of two hellos with numbers the higher one wins, whatever the order in which they and their connections arrive. */
static void test_attempts(void)
{
    const struct server_options options = small();
    unsigned char token[16];
    struct host host;
    open_host(&host, &options);
    hello(&host, 5, "", token);
    hello_attempt(&host, 8, token, 1);
    check_ok(&host, 0, 1);
    hello_attempt(&host, 6, token, 3); /* it has connected before the last one */
    check_ok(&host, 0, 1);
    hello_attempt(&host, 9, token, 2); /* was on its way for long */
    check_error(&host, 0, "session", "a later hello");
    call(&host, 6, 1, "ping");
    check_ok(&host, 1, 0);
    call(&host, 9, 2, "ping");
    check_error(&host, 2, "hello", "say hello first");
    hello_attempt(&host, 6, token, 3); /* the same once more */
    check_ok(&host, 0, 1);
    hello_attempt(&host, 4, token, 3);
    check_error(&host, 0, "session", "a later hello");
    hello_attempt(&host, 4, token, 0); /* without a number the connections decide, as ever */
    check_error(&host, 0, "session", "a later hello");
    hello_attempt(&host, 10, token, 0);
    check_ok(&host, 0, 1);
    hello_attempt(&host, 11, token, 1); /* a program that begins to count anew */
    check_ok(&host, 0, 1);
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, 1);
    wire_key_int(&out, "attempt", -1);
    send_out(&host, 11, "", &out);
    check_error(&host, 0, "argument", "attempt");
    close_host(&host);
}

static void test_versions(void)
{
    const struct server_options options = small();
    struct host host;
    open_host(&host, &options);
    for (int lowest = 0; lowest < 4; lowest++) {
        struct wire_out out = begin_call("hello", 0, 1);
        wire_map(&out, 1);
        wire_text(&out, "protocol");
        wire_array(&out, 2);
        wire_int(&out, lowest);
        wire_int(&out, lowest + 1);
        send_out(&host, ME, "", &out);
        if (lowest <= 1) {
            check_ok(&host, 0, 1);
        } else {
            check_error(&host, 0, "version", "speaks version 1");
        }
    }
    close_host(&host);
}

/* ---- Once ----------------------------------------------------------------------------------------------------- */

static void test_once(void)
{
    const struct server_options options = small();
    unsigned char token[16];
    struct host host;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    const int64_t env = make(&host, ME, 1, 1, "random");
    reset(&host, ME, 2, env, 7);
    check_ok(&host, 2, 6);
    struct wire_message *reply = last(&host);
    reset(&host, ME, 2, env, 7);
    check_same_message(&host, reply);
    reset(&host, ME, 2, env, 8);
    check_error(&host, 2, "sequence", "the next request is 3, and the request with this number was another one");
    send_step(&host, ME, 4, env, 0);
    check_error(&host, 4, "sequence", "the next request is 3");
    send_step(&host, ME, 3, 9, 0);
    check_error(&host, 3, "env", "no environment 9");
    send_step(&host, ME, 3, 9, 0);
    check_error(&host, 3, "env", "no environment 9");
    reset(&host, ME, 2, env, 7);
    check_error(&host, 2, "sequence", "no longer remembered");
    hello_again(&host, OTHER, "", token, 3);
    for (uint64_t seq = 4; seq < 10; seq++) {
        call(&host, OTHER, seq, "ping");
        check_ok(&host, seq, 0);
    }
    for (uint64_t seq = 7; seq < 10; seq++) {
        call(&host, OTHER, seq, "ping");
        check_ok(&host, seq, 0);
    }
    call(&host, OTHER, 6, "ping");
    check_error(&host, 6, "sequence", "no longer remembered");
    call(&host, OTHER, 0, "ping");
    check_error(&host, 0, "sequence", "the next request is 10");
    close_host(&host);
}

/* ---- Environments ------------------------------------------------------------------------------------------- */

/* A row over the wire is the row of a batch: from the reset to the end of an episode. */
static void test_same_as_batch(const char *id)
{
    const struct server_options options = small();
    unsigned char token[16];
    char message[MH_MESSAGE_SIZE] = "";
    struct host host;
    struct mh_game *game;
    struct mh_sizes sizes;
    struct mh_batch *batch;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    struct wire_out out = begin_call("make", 1, 1);
    wire_map(&out, 3);
    wire_key_text(&out, "game", id);
    wire_key_text(&out, "opponents", "random");
    wire_key_int(&out, "seat", 1);
    send_out(&host, ME, "", &out);
    check_ok(&host, 1, 2);
    reset(&host, ME, 2, 1, 11);

    CHECK_EQUAL(mh_game_new(id, "", message, &game), MH_OK);
    mh_game_sizes(game, &sizes);
    struct mh_batch_options batch_options = {.rows = 1, .seat = 1, .threads = 1, .players = {MH_CALLER}};
    for (int i = 1; i < sizes.seats; i++) {
        batch_options.players[i] = mh_bot_index(game, "random", message);
    }
    CHECK_EQUAL(mh_batch_new(game, &batch_options, message, &batch), MH_OK);
    uint8_t *observation = check_memory((size_t)sizes.observation);
    int8_t *mask = check_memory((size_t)sizes.actions);
    int64_t seat;
    float reward;
    uint8_t terminated = 0;
    int32_t action = 0;
    const uint64_t seed = 11;
    const struct mh_buffers buffers = {&action, observation, mask, &reward, &terminated, .seats = &seat};
    CHECK_EQUAL(mh_batch_bind(batch, &buffers, message), MH_OK);
    CHECK_EQUAL(mh_batch_reset(batch, &seed, NULL, message), MH_OK);
    enum { RESET = 2 };
    uint64_t seq = RESET;
    while (!terminated) {
        const msgpack_object *rows = check_ok(&host, seq, 6);
        CHECK_EQUAL(rows[0].via.bin.size, sizes.observation);
        CHECK(memcmp(rows[0].via.bin.ptr, observation, (size_t)sizes.observation) == 0);
        CHECK(memcmp(rows[1].via.bin.ptr, mask, (size_t)sizes.actions) == 0);
        CHECK(memcmp(rows[2].via.bin.ptr, &reward, sizeof reward) == 0);
        CHECK_EQUAL(rows[4].via.bin.ptr[0], seat);
        CHECK(rows[5].type == (seq == RESET ? MSGPACK_OBJECT_MAP : MSGPACK_OBJECT_NIL));
        CHECK_EQUAL(mh_batch_choose(batch, NULL, MH_LOGITS, &action, message), MH_OK);
        struct wire_out sample = begin_call("sample", ++seq, 1);
        wire_int(&sample, 1);
        send_out(&host, ME, "", &sample);
        CHECK(memcmp(check_ok(&host, seq, 1)->via.bin.ptr, &action, sizeof action) == 0);
        CHECK_EQUAL(mh_batch_step(batch, message), MH_OK);
        send_step(&host, ME, ++seq, 1, action);
    }
    const msgpack_object *rows = check_ok(&host, seq, 6);
    CHECK_EQUAL(rows[3].via.bin.ptr[0], 1);
    CHECK(memcmp(rows[2].via.bin.ptr, &reward, sizeof reward) == 0);
    CHECK_EQUAL(rows[5].type, MSGPACK_OBJECT_MAP);
    send_step(&host, ME, ++seq, 1, 0); /* the row is over: it stays as it is, and has no changes */
    rows = check_ok(&host, seq, 6);
    CHECK(memcmp(rows[0].via.bin.ptr, observation, (size_t)sizes.observation) == 0);
    CHECK_EQUAL(rows[1].via.bin.ptr[0], 1);
    CHECK_EQUAL(rows[5].type, MSGPACK_OBJECT_NIL);
    free(observation);
    free(mask);
    mh_batch_free(&batch);
    mh_game_free(&game);
    close_host(&host);
}

/* Rows that a request does not name show what they showed. */
static void test_some_rows(void)
{
    enum { ROWS = 4 };
    const struct server_options options = small();
    unsigned char token[16];
    unsigned char before[ROWS][1024];
    struct host host;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    make(&host, ME, 1, ROWS, "random");
    reset(&host, ME, 2, 1, 5);
    const msgpack_object *rows = check_ok(&host, 2, 6);
    const size_t line = rows[0].via.bin.size / ROWS;
    CHECK(line <= sizeof *before);
    for (int row = 0; row < ROWS; row++) {
        memcpy(before[row], rows[0].via.bin.ptr + (size_t)row * line, line);
    }
    struct wire_out out = begin_call("copy", 3, 3);
    wire_int(&out, 1);
    wire_int(&out, 0);
    wire_int(&out, 2);
    send_out(&host, ME, "", &out);
    rows = check_ok(&host, 3, 6);
    CHECK(memcmp(before[0], before[2], line) != 0);
    for (int row = 0; row < ROWS; row++) {
        CHECK(memcmp(rows[0].via.bin.ptr + (size_t)row * line, before[row == 2 ? 0 : row], line) == 0);
    }
    const msgpack_object *changes = wire_key(&rows[5], "rows");
    CHECK(changes && changes->via.bin.size == 4 && changes->via.bin.ptr[0] == 2);
    close_host(&host);
}

static void test_refusals(void)
{
    const struct server_options options = small();
    unsigned char token[16];
    struct host host;
    struct wire_out out;
    open_host(&host, &options);
    send_bytes(&host, ME, "", "\x93", 1);
    check_error(&host, 0, "message", "not one msgpack array");
    send_bytes(&host, ME, "", "\x92\xa4ping", 6);
    check_error(&host, 0, "message", "not one msgpack array");
    static const struct {
        const char *bytes, *words;
    } starts[] = {
        {"\x90", "name: missing"},
        {"\x91\xa4ping", "seq: missing"},
        {"\x92\xc4\x04ping\x01", "name: not a text"},
        {"\x92\xc0\x01", "name: not a text"},
        {"\x92\xa4ping\xff", "seq: not a whole number from 0"},
        {"\x92\xa4ping\xa1"
         "2",
         "seq: not a whole number from 0"},
        {"\x92\xa4ping\xc0", "seq: not a whole number from 0"},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        send_bytes(&host, ME, "", starts[i].bytes, strlen(starts[i].bytes));
        check_error(&host, 0, "message", starts[i].words);
    }
    hello(&host, ME, "", token);
    call(&host, ME, 1, "dance");
    check_error(&host, 1, "request", "no request is called 'dance'; there are hello, describe, ");
    out = begin_call("make", 2, 1);
    wire_map(&out, 1);
    wire_key_int(&out, "rows", 11);
    send_out(&host, ME, "", &out);
    check_error(&host, 2, "limit", "only 10 are left");
    out = begin_call("make", 3, 1);
    wire_map(&out, 1);
    wire_key_text(&out, "game", "chess");
    send_out(&host, ME, "", &out);
    check_error(&host, 3, "game", "chess");
    out = begin_call("make", 4, 1);
    wire_map(&out, 1);
    wire_key_text(&out, "options", "num_players=9");
    send_out(&host, ME, "", &out);
    check_error(&host, 4, "option", "num_players");
    out = begin_call("make", 5, 1);
    wire_map(&out, 1);
    wire_key_text(&out, "opponents", "nobody");
    send_out(&host, ME, "", &out);
    check_error(&host, 5, "argument", "no bot 'nobody'");
    make(&host, ME, 6, 8, "greedy");
    send_step(&host, ME, 7, 1, 0);
    check_error(&host, 7, "argument", "actions: neither an array nor bin");
    hello_again(&host, ME, "", token, 4);
    check_error(&host, 0, "limit", "8 rows are more than 16");
    out = begin_call("step", 8, 2);
    wire_int(&out, 1);
    wire_bin(&out, "12345678901234567890123456789012", 32);
    send_out(&host, ME, "", &out);
    check_error(&host, 8, "order", "reset must come first");
    out = begin_call("text", 9, 3);
    wire_text(&out, "mhing");
    wire_nil(&out);
    wire_text(&out, "no such action");
    send_out(&host, ME, "", &out);
    check_error(&host, 9, "argument", "no action reads 'no such action'");
    close_host(&host);
}

/* A deck of any length, as bin or as an array, is refused before it is copied. */
static void test_decks(void)
{
    enum { MOST = 1024 };
    static const unsigned char deck[4 * MOST];
    const struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    make(&host, ME, 1, 1, "random");
    reset(&host, ME, 2, 1, 7);
    uint64_t seq = 3;
    for (size_t size = MOST; size <= sizeof deck; size += size == MOST ? 1 : size - 2) {
        for (int is_bin = 0; is_bin < 2; is_bin++) {
            struct wire_out out = begin_call("deal", seq, 4);
            wire_int(&out, 1);
            wire_int(&out, 0);
            wire_int(&out, 5);
            if (is_bin) {
                wire_bin(&out, deck, size);
            } else {
                wire_array(&out, size);
            }
            for (size_t i = 0; i < size && !is_bin; i++) {
                wire_int(&out, deck[i]);
            }
            send_out(&host, ME, "", &out);
            check_error(&host, seq++, "argument",
                        size > MOST ? "deck: neither an array nor bin of 150 card types" : "deck");
        }
    }
    send_step(&host, ME, seq, 1, 0);
    check_ok(&host, seq, 6);
    close_host(&host);
}

/* A client that does not read its replies is told so, and its request is not executed. Hello, ping and bye always
 * are. */
static void test_slow(int is_over)
{
    enum { MOST = 4000 };
    static struct wire_message *held[MOST];
    const struct server_options options = small();
    unsigned char token[16];
    struct host host;
    int count = 0;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    make(&host, ME, 1, 8, "random");
    reset(&host, ME, 2, 1, 5);
    uint64_t seq = 3;
    for (;; seq++) {
        CHECK(count < MOST);
        held[count++] = wire_hold(host.messages[0]);
        reset(&host, ME, seq, 1, seq);
        const struct wire_args reply = heard(&host);
        if (!is_text(wire_arg(&reply, 0), "ok")) {
            break;
        }
    }
    check_error(&host, seq, "slow", "replies pile up unread");
    CHECK(count > 2);
    hello_again(&host, ME, "", token, 0);
    check_ok(&host, 0, 1);
    call(&host, ME, seq, "ping");
    check_ok(&host, seq, 0);
    seq++;
    reset(&host, ME, seq, 1, seq);
    check_error(&host, seq, "slow", "replies pile up unread");
    if (is_over) {
        call(&host, ME, seq, "bye");
        check_ok(&host, seq, 0);
    }
    while (count > 0) {
        wire_release(held[--count]);
    }
    reset(&host, ME, seq, 1, seq);
    if (is_over) {
        check_error(&host, seq, "hello", "say hello first");
    } else {
        check_ok(&host, seq, 6);
    }
    close_host(&host);
}

int main(void)
{
    test_bytes_of_the_page();
    test_hello();
    test_attempts();
    test_versions();
    test_once();
    for (int i = 0; i < mh_game_count(); i++) {
        test_same_as_batch(mh_game_id(i));
    }
    test_some_rows();
    test_refusals();
    test_decks();
    test_what_guests_are_told();
    test_slow(0);
    test_slow(1);
    return 0;
}
