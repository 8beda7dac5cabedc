/* Limits of one session, of the sessions of one key, and of all sessions; and the pace at which a key may begin
 * things. */
#include <unistd.h>

#include "server_client.h"

enum { WINDOW = 32 };

static struct server_options few_sessions(void)
{
    struct server_options options = server_defaults();
    options.max_sessions = 8;
    options.sessions_per_key = 3;
    options.expire_ms = 5000;
    return options;
}

static void send_make(struct host *host, uint64_t connection, const char *key, uint64_t seq)
{
    struct wire_out out = begin_call("make", seq, 0);
    send_out(host, connection, key, &out);
}

static void make_for(struct host *host, uint64_t connection, const char *key)
{
    send_make(host, connection, key, 1);
    check_ok(host, 1, 2);
}

static void refuse_hello(struct host *host, uint64_t connection, const char *key, const char *words)
{
    struct wire_out out = begin_call("hello", 0, 0);
    send_out(host, connection, key, &out);
    check_error(host, 0, "limit", words);
}

/* A first hello with a window that its key has no memory for. */
static void refuse_window(struct host *host, uint64_t connection, const char *key)
{
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, 1);
    wire_key_int(&out, "window", WINDOW);
    send_out(host, connection, key, &out);
    check_error(host, 0, "limit", "--bytes-per-key");
}

/* An environment of so many rows, against "random". */
static void make_rows(struct host *host, uint64_t connection, uint64_t seq, int rows)
{
    struct wire_out out = begin_call("make", seq, 1);
    wire_map(&out, 2);
    wire_key_int(&out, "rows", rows);
    wire_key_text(&out, "opponents", "random");
    send_out(host, connection, "", &out);
}

/* A session leaves rows to others, and its replies fit into what its key has; a refusal changes nothing. */
static void test_one_session(void)
{
    enum { LEAST = 4 << 16 /* of a session with a window of 1 */ };
    struct server_options options = server_defaults();
    struct server_figures figures;
    unsigned char token[16];
    struct host host;
    options.rows_per_session = 6;
    options.bytes_per_key = 3 * LEAST;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    make_rows(&host, 1, 1, 4);
    check_ok(&host, 1, 2);
    make_rows(&host, 1, 2, 3);
    check_error(&host, 2, "limit", "only 2 are left (--rows-per-session); close an environment");
    hello_again(&host, 1, "", token, WINDOW);
    check_error(&host, 0, "limit", "--bytes-per-key");
    refuse_window(&host, 2, "");
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, 1);
    hello(&host, 2, "", token);
    make_rows(&host, 2, 1, 1);
    check_ok(&host, 1, 2);
    close_host(&host);

    options.rows_per_session = 4096;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    make_rows(&host, 1, 1, 2000);
    check_error(&host, 1, "limit", "--bytes-per-key");
    make_rows(&host, 1, 2, 3);
    CHECK_EQUAL(check_ok(&host, 2, 2)[0].via.u64, 1); /* its number was not used */
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.rows, 3);
    close_host(&host);
}

/* Memory is shared by all keys: a session that could need more than is left does not begin, and nothing of it stays. */
static void test_memory_of_all(void)
{
    enum { LEAST = 4 << 16 };
    struct server_options options = server_defaults();
    struct server_figures figures;
    unsigned char token[16];
    struct host host;
    options.max_bytes = 2 * LEAST + 1;
    options.bytes_per_key = 2 * LEAST;
    open_host(&host, &options);
    hello(&host, 1, "a", token);
    hello(&host, 2, "b", token);
    refuse_hello(&host, 3, "c",
                 "replies could need 262144 bytes, which is more than all others leave of 524289 (--bytes); use a "
                 "smaller window, or");
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, 2);
    close_host(&host);

    options.max_bytes = 4 * LEAST;
    open_host(&host, &options);
    hello(&host, 1, "a", token);
    hello(&host, 2, "a", token);
    refuse_hello(&host, 3, "a", "(--bytes-per-key)");
    hello(&host, 3, "b", token);
    close_host(&host);
}

/* Where all sessions are taken, none ends for one that finds no memory; one does whose memory is enough. */
static void test_memory_where_all_are_taken(void)
{
    enum { LEAST = 4 << 16 };
    struct server_options options = server_defaults();
    unsigned char first[16];
    unsigned char token[16];
    struct host host;
    options.max_sessions = 2;
    options.max_bytes = 2 * LEAST;
    options.bytes_per_key = LEAST;
    open_host(&host, &options);
    hello(&host, 1, "a", first);
    hello(&host, 2, "b", token);
    refuse_hello(&host, 3, "b", "(--bytes-per-key)");
    refuse_window(&host, 3, "c");
    hello_again(&host, 1, "a", first, 0);
    check_ok(&host, 0, 1);
    hello(&host, 3, "c", token);
    hello_again(&host, 1, "a", first, 0);
    check_ok(&host, 0, 1);
    close_host(&host);
}

/* A window for which the rows are too many is refused as one of the limits. */
static void test_window(void)
{
    struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    options.rows_in_flight = 6;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    make_rows(&host, 1, 1, 3);
    hello_again(&host, 1, "", token, 3);
    check_error(&host, 0, "limit",
                "window: 3 times 3 rows are more than 6 rows in flight (--rows-in-flight); use fewer rows or");
    close_host(&host);
}

/* Sessions that hold nothing make room; others stay until they expire. */
static void test_sessions_of_one_key(void)
{
    const struct server_options options = few_sessions();
    unsigned char first[16];
    unsigned char token[16];
    struct host host;
    open_host(&host, &options);
    hello(&host, 1, "", first);
    for (uint64_t connection = 2; connection < 50; connection++) {
        hello(&host, connection, "", token);
    }
    struct server_figures figures;
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, options.sessions_per_key);
    hello_again(&host, 60, "", first, 0);
    check_error(&host, 0, "session", "");
    for (uint64_t connection = 47; connection < 50; connection++) {
        make_for(&host, connection, "");
    }
    refuse_hello(&host, 60, "",
                 "all 3 sessions of one key are taken, and one ends in 6 seconds if nothing is heard of it "
                 "(--sessions-per-key); come");
    hello(&host, 61, "another key", token);
    host.now_ms += options.expire_ms;
    (void)server_tick(host.server, host.now_ms);
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, 0);
    hello(&host, 60, "", token);
    close_host(&host);
}

/* Where all sessions are taken, one that holds nothing makes way for anybody; and the time that a newcomer is told is
 * that of the session that ends first, of all or of its key. */
static void test_all_sessions(void)
{
    static const char *const keys[] = {"a", "b", "c"};
    const struct server_options options = few_sessions();
    unsigned char token[16];
    struct host host;
    open_host(&host, &options);
    for (uint64_t connection = 1; connection <= (uint64_t)options.max_sessions; connection++) {
        const char *key = keys[(connection - 1) / 3];
        host.now_ms += connection == 4 ? 2000 : 0;
        hello(&host, connection, key, token);
        if (connection < (uint64_t)options.max_sessions) {
            make_for(&host, connection, key);
        }
        if (connection == 6) {
            refuse_hello(&host, 60, "b", "all 3 sessions of one key are taken, and one ends in 6 seconds");
        }
    }
    hello(&host, 60, "d", token); /* in the room of the last one */
    make_for(&host, 60, "d");
    refuse_hello(
        &host, 61, "e",
        "all 8 sessions are taken, and one ends in 4 seconds if nothing is heard of it (--sessions); come");
    close_host(&host);
}

/* ---- In a minute -------------------------------------------------------------------------------------------- */

/* As many at once as in a minute, then one after the other; those of another key, sessions that are resumed, and a
 * first hello that is refused do not count. */
static void test_new_sessions(void)
{
    struct server_options options = server_defaults();
    unsigned char first[16];
    unsigned char token[16];
    struct host host;
    options.sessions_per_minute = 3;
    options.bytes_per_key = 4 << 20; /* less than the largest window needs */
    open_host(&host, &options);
    hello(&host, 1, "a", first);
    for (int i = 0; i < 4; i++) {
        refuse_window(&host, 2, "a");
    }
    hello(&host, 2, "a", token);
    hello_again(&host, 3, "a", first, 0);
    check_ok(&host, 0, 1);
    hello(&host, 4, "a", token);
    refuse_hello(&host, 5, "a",
                 "too many new sessions: one key may have 3 a minute, and yours the next in 20 seconds "
                 "(--sessions-per-minute); come again then, or resume one");
    hello(&host, 6, "b", token);
    hello_again(&host, 7, "a", first, 0);
    check_ok(&host, 0, 1);
    host.now_ms += 19999;
    refuse_hello(&host, 5, "a", "the next in 1 second ");
    host.now_ms++;
    hello(&host, 5, "a", token);
    refuse_hello(&host, 8, "a", "the next in 20 seconds");
    host.now_ms += 60000;
    for (uint64_t connection = 10; connection < 13; connection++) {
        hello(&host, connection, "a", token);
    }
    refuse_hello(&host, 13, "a", "the next in 20 seconds");
    close_host(&host);
}

/* With more keys than the server counts, none is forgotten but those whose time has nearly come. */
static void test_many_keys(void)
{
    enum { KEYS = 600 };
    struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    options.sessions_per_minute = 2;
    open_host(&host, &options);
    hello(&host, 1, "a", token);
    hello(&host, 2, "a", token);
    for (int i = 0; i < KEYS; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key %d", i);
        hello(&host, (uint64_t)i + 10, key, token);
    }
    refuse_hello(&host, 3, "a", "the next in 30 seconds");
    close_host(&host);
}

/* A refused environment does not count. */
static void test_new_environments(void)
{
    struct server_options options = server_defaults();
    struct server_figures figures;
    unsigned char token[16];
    struct host host;
    options.environments_per_minute = 2;
    options.rows_per_session = 4;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    make_for(&host, 1, "");
    make_rows(&host, 1, 2, 4);
    check_error(&host, 2, "limit", "only 3 are left");
    send_make(&host, 1, "", 3);
    check_ok(&host, 3, 2);
    send_make(&host, 1, "", 4);
    check_error(&host, 4, "limit",
                "too many new environments: one key may have 2 a minute, and yours the next in 30 seconds "
                "(--environments-per-minute); come again then, or reset one");
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.environments, 2);
    host.now_ms += 30000;
    send_make(&host, 1, "", 5);
    CHECK_EQUAL(check_ok(&host, 5, 2)[0].via.u64, 3);
    close_host(&host);
}

/* Requests that a journal executes again do not count and are not refused. */
static void test_resumed_environments(void)
{
    struct server_options options = server_defaults();
    struct server_figures figures;
    char folder[] = P_tmpdir "/test_server_limits.XXXXXX";
    unsigned char token[16];
    unsigned char other[16];
    struct host host;
    CHECK(mkdtemp(folder));
    options.state = folder;
    options.environments_per_minute = 1;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    make_for(&host, 1, "");
    host.now_ms += 60000;
    send_make(&host, 1, "", 2);
    check_ok(&host, 2, 2);
    close_host(&host);
    open_host(&host, &options);
    hello(&host, 2, "", other);
    make_for(&host, 2, "");
    hello_again(&host, 1, "", token, 0);
    check_ok(&host, 0, 1);
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.environments, 3);
    host.now_ms += 60000;
    send_make(&host, 1, "", 3);
    check_ok(&host, 3, 2);
    for (uint64_t connection = 1; connection <= 2; connection++) { /* and their journals go */
        struct wire_out out = begin_call("bye", connection == 1 ? 4 : 2, 0);
        send_out(&host, connection, "", &out);
        CHECK_EQUAL(host.heard, 1);
    }
    close_host(&host);
    CHECK_EQUAL(rmdir(folder), 0);
}

/* sit at a table of that name with so many bots, 0 to 3. */
static void send_sit(struct host *host, uint64_t connection, const char *key, uint64_t seq, const char *table,
                     int bots)
{
    struct wire_out out = begin_call("sit", seq, 1);
    wire_map(&out, 2);
    wire_key_text(&out, "table", table);
    wire_text(&out, "bots");
    wire_array(&out, (size_t)bots);
    for (int i = 0; i < bots; i++) {
        wire_text(&out, "random");
    }
    send_out(host, connection, key, &out);
}

/* A seat at a table that is open already does not count. */
static void test_new_tables(void)
{
    struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    options.tables_per_minute = 1;
    open_host(&host, &options);
    hello(&host, 1, "a", token);
    hello(&host, 2, "a", token);
    send_sit(&host, 1, "a", 1, "t", 0);
    check_ok(&host, 1, 1);
    send_sit(&host, 2, "a", 1, "u", 0);
    check_error(&host, 1, "limit",
                "too many new tables: one key may have 1 a minute, and yours the next in 60 seconds "
                "(--tables-per-minute); come again then, or take a seat at one that waits");
    send_sit(&host, 2, "a", 2, "t", 0);
    check_ok(&host, 2, 1);
    close_host(&host);
}

static void test_invitations(void)
{
    struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    options.invitations_per_minute = 1;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    for (uint64_t seq = 1; seq <= 2; seq++) {
        struct wire_out out = begin_call("invite", seq, 1);
        wire_map(&out, 2);
        wire_key_text(&out, "name", "guest");
        wire_key_text(&out, "game", "mhing");
        send_out(&host, 1, "", &out);
        check_error(&host, seq, seq == 1 ? "table" : "limit",
                    seq == 1 ? "no guest" : "yours the next in 60 seconds");
    }
    close_host(&host);
}

/* ---- Tables that wait --------------------------------------------------------------------------------------- */

/* Where all tables are taken, the one that has waited for longest makes way, but none that is played at. */
static void test_waiting_tables(void)
{
    struct server_options options = server_defaults();
    unsigned char token[16];
    struct host host;
    options.max_tables = 3;
    options.table_wait_ms = 5000;
    open_host(&host, &options);
    for (uint64_t connection = 1; connection <= 5; connection++) {
        hello(&host, connection, "", token);
    }
    send_sit(&host, 1, "", 1, "played", 3);
    send_sit(&host, 2, "", 1, "old", 0);
    check_ok(&host, 1, 1);
    host.now_ms += 1000;
    send_sit(&host, 3, "", 1, "young", 0);
    check_ok(&host, 1, 1);
    send_sit(&host, 4, "", 1, "new", 0);
    check_error(&host, 1, "limit",
                "3 tables are open already, and the one that has waited for players for longest makes way in 4 "
                "seconds (--tables); come");
    host.now_ms += 4000;
    send_sit(&host, 4, "", 2, "new", 0);
    CHECK_EQUAL(host.heard, 2);
    CHECK_EQUAL(host.connections[0], 4);
    CHECK_EQUAL(host.connections[1], 2);
    wire_release(host.messages[0]);
    host.messages[0] = host.messages[1];
    host.heard = 1;
    const struct wire_args end = heard(&host);
    CHECK(is_text(wire_arg(&end, 0), "end"));
    CHECK(wire_key(wire_arg(&end, 2), "over")->via.boolean);
    send_sit(&host, 2, "", 2, "old", 0);
    check_error(&host, 2, "limit", "makes way in 1 second ");
    send_sit(&host, 2, "", 3, "young", 0);
    check_ok(&host, 3, 1);
    close_host(&host);

    options.max_tables = 1;
    open_host(&host, &options);
    hello(&host, 1, "", token);
    hello(&host, 2, "", token);
    send_sit(&host, 1, "", 1, "played", 3);
    host.now_ms += options.table_wait_ms;
    send_sit(&host, 2, "", 1, "new", 0);
    CHECK_EQUAL(host.connections[0], 2);
    check_error(&host, 1, "limit", "1 tables are open already, and all are played at (--tables); come");
    close_host(&host);
}

int main(void)
{
    test_one_session();
    test_memory_of_all();
    test_memory_where_all_are_taken();
    test_window();
    test_sessions_of_one_key();
    test_all_sessions();
    test_new_sessions();
    test_many_keys();
    test_new_environments();
    test_resumed_environments();
    test_new_tables();
    test_invitations();
    test_waiting_tables();
    return 0;
}
