/* How much one session, the sessions of one key, and all sessions may have. */
#include "server_client.h"

static struct server_options few_sessions(void)
{
    struct server_options options = server_defaults();
    options.max_sessions = 8;
    options.sessions_per_key = 3;
    options.expire_ms = 5000;
    return options;
}

static void make_for(struct host *host, uint64_t connection, const char *key)
{
    struct wire_out out = begin_call("make", 1, 0);
    send_out(host, connection, key, &out);
    check_ok(host, 1, 2);
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
    enum { WINDOW = 32, LEAST = 4 << 16 /* of a session with a window of 1 */ };
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
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, 1);
    wire_key_int(&out, "window", WINDOW);
    send_out(&host, 2, "", &out);
    check_error(&host, 0, "limit", "--bytes-per-key");
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
    struct wire_out out = begin_call("hello", 0, 0);
    send_out(&host, 60, "", &out);
    check_error(&host, 0, "limit",
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

/* Where all sessions are taken, one that holds nothing makes way for anybody; and the time that a newcomer is told is that
 * of the session that ends first, of all or of its key. */
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
            struct wire_out out = begin_call("hello", 0, 0);
            send_out(&host, 60, "b", &out);
            check_error(&host, 0, "limit", "all 3 sessions of one key are taken, and one ends in 6 seconds");
        }
    }
    hello(&host, 60, "d", token); /* in the room of the last one */
    make_for(&host, 60, "d");
    struct wire_out out = begin_call("hello", 0, 0);
    send_out(&host, 61, "e", &out);
    check_error(&host, 0, "limit",
                "all 8 sessions are taken, and one ends in 4 seconds if nothing is heard of it (--sessions); come");
    close_host(&host);
}

int main(void)
{
    test_one_session();
    test_sessions_of_one_key();
    test_all_sessions();
    return 0;
}
