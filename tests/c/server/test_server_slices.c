/* Long requests are executed in slices, between which others are answered, with the same results. Here a slice is so
 * short that it is one row. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server_client.h"

enum { SLOW = 1, OTHER = 2, ROWS = 100, MOST_WAIT = 32 };

static unsigned char token[16];

static struct server_options in_slices(void)
{
    struct server_options options = server_defaults();
    options.slice_ns = 1;
    return options;
}

/* Lets the server work until it has said so much. Returns how often. */
static int work(struct host *host, int messages)
{
    int ticks = 0;
    while (host->heard < messages) {
        const int64_t due = server_tick(host->server, host->now_ms);
        CHECK(host->heard == messages || due == host->now_ms);
        CHECK(++ticks < 1000);
    }
    return ticks;
}

/* A session with an environment that was reset, by requests 1 and 2. */
static void begin_session(struct host *host, uint64_t connection, unsigned char *its_token)
{
    hello(host, connection, "", its_token);
    struct wire_out out = begin_call("make", 1, 1);
    wire_map(&out, 1);
    wire_key_int(&out, "rows", ROWS);
    send_out(host, connection, "", &out);
    work(host, 1);
    check_ok(host, 1, 2);
    out = begin_call("reset", 2, 2);
    wire_int(&out, 1);
    wire_int(&out, 7);
    send_out(host, connection, "", &out);
    CHECK(work(host, 1) >= ROWS - 2);
    check_ok(host, 2, 6);
}

static void begin(struct host *host, const struct server_options *options)
{
    open_host(host, options);
    begin_session(host, SLOW, token);
}

/* A request of the slow session, with the environment as its argument, and nils for actions. */
static void ask(struct host *host, const char *name, uint64_t seq)
{
    struct wire_out out = begin_call(name, seq, 1);
    wire_int(&out, 1);
    send_out(host, SLOW, "", &out);
}

static void step(struct host *host, uint64_t seq)
{
    static const unsigned char zeros[ROWS * sizeof(int32_t)];
    struct wire_out out = begin_call("step", seq, 2);
    wire_int(&out, 1);
    wire_bin(&out, zeros, sizeof zeros);
    send_out(host, SLOW, "", &out);
}

static void check_number(const struct host *host, int message, uint64_t seq)
{
    static const unsigned char ok[] = {0xa2, 'o', 'k'};
    CHECK(memcmp(host->messages[message]->bytes + 1, ok, sizeof ok) == 0);
    CHECK_EQUAL(host->messages[message]->bytes[1 + sizeof ok], seq);
}

/* Another client is answered while a step is played; what its session asks next is answered next, and what comes twice
 * once. */
static void test_others_are_answered(void)
{
    const struct server_options options = in_slices();
    unsigned char other[16];
    struct host host;
    begin(&host, &options);
    hello(&host, OTHER, "", other);
    step(&host, 3);
    CHECK_EQUAL(host.heard, 0);
    ask(&host, "ping", 4);
    CHECK_EQUAL(host.heard, 0);
    step(&host, 3);
    CHECK_EQUAL(host.heard, 0);
    struct wire_out out = begin_call("ping", 1, 0);
    send_out(&host, OTHER, "", &out);
    check_ok(&host, 1, 0);
    CHECK_EQUAL(host.connections[0], OTHER);
    forget(&host);
    CHECK(work(&host, 2) >= ROWS / 2);
    CHECK_EQUAL(host.connections[0], SLOW);
    CHECK_EQUAL(host.connections[1], SLOW);
    check_number(&host, 0, 3);
    check_number(&host, 1, 4);
    CHECK(server_tick(host.server, host.now_ms) > host.now_ms);
    CHECK_EQUAL(host.heard, 2);
    close_host(&host);
}

/* The session moves to another connection while a step is played: that one is answered. */
static void test_a_new_connection_is_answered(void)
{
    const struct server_options options = in_slices();
    struct host host;
    begin(&host, &options);
    step(&host, 3);
    hello_again(&host, OTHER, "", token, 0);
    check_ok(&host, 0, 1);
    forget(&host);
    (void)work(&host, 1);
    CHECK_EQUAL(host.connections[0], OTHER);
    check_number(&host, 0, 3);
    close_host(&host);
}

/* A session does not end as idle while a step of it is played. */
static void test_a_session_outlives_a_long_step(void)
{
    enum { EXPIRE_MS = 1000, TICK_MS = 300 };
    struct server_options options = in_slices();
    struct host host;
    options.expire_ms = EXPIRE_MS;
    begin(&host, &options);
    step(&host, 3);
    while (host.heard == 0) {
        host.now_ms += TICK_MS;
        CHECK(server_tick(host.server, host.now_ms) >= host.now_ms);
    }
    check_ok(&host, 3, 6);
    close_host(&host);
}

/* So many requests may wait; those after them are to be sent again. */
static void test_too_many_wait(void)
{
    const struct server_options options = in_slices();
    struct host host;
    begin(&host, &options);
    step(&host, 3);
    for (uint64_t seq = 4; seq < 3 + MOST_WAIT; seq++) {
        ask(&host, "ping", seq);
        CHECK_EQUAL(host.heard, 0);
    }
    ask(&host, "ping", 3 + MOST_WAIT);
    check_error(&host, 3 + MOST_WAIT, "slow", "too many requests wait");
    forget(&host);
    (void)work(&host, MOST_WAIT);
    ask(&host, "ping", 3 + MOST_WAIT);
    (void)work(&host, 1);
    check_ok(&host, 3 + MOST_WAIT, 0);
    close_host(&host);
}

/* A long request, which is not executed yet. */
static void push(struct host *host, uint64_t connection, uint64_t seq, size_t size)
{
    struct wire_out out = begin_call("ping", seq, 1);
    unsigned char *space = wire_bin_space(&out, size);
    CHECK(space);
    memset(space, 0, size);
    struct wire_message *message = wire_finish(&out);
    CHECK(message);
    forget(host);
    server_receive(host->server, connection, "", message->bytes, message->size, host->now_ms);
    wire_release(message);
}

/* Waiting requests take at most so much memory, in a session and in all. */
static void test_so_many_bytes_wait(void)
{
    enum { SIZE = 2000000, IN_ONE = (1 << 24) / SIZE, IN_ALL = (1 << 28) / SIZE, SESSIONS = IN_ALL / IN_ONE + 1 };
    const struct server_options options = in_slices();
    struct host host;
    int waiting = 0;
    open_host(&host, &options);
    for (uint64_t connection = 1; connection <= SESSIONS; connection++) {
        hello(&host, connection, "", token);
        push(&host, connection, 1, 0); /* after which the others wait */
        check_ok(&host, 1, 0);
    }
    for (uint64_t connection = 1; connection <= SESSIONS; connection++) {
        for (uint64_t seq = 2; seq <= 2 + IN_ONE; seq++) {
            push(&host, connection, seq, SIZE);
            waiting += host.heard == 0;
            CHECK(host.heard == 0 || waiting == IN_ALL + 1 || seq == 2 + IN_ONE);
        }
        check_error(&host, 2 + IN_ONE, "slow", "too many requests wait");
    }
    CHECK_EQUAL(waiting, IN_ALL + 1);
    close_host(&host);
}

static int is_nobody_listed(void *context, const char *key)
{
    (void)context;
    (void)key;
    return 0;
}

/* Sessions end, and the server ends, in the middle of a step; bye waits for it. */
static void test_ends(void)
{
    const struct server_options options = in_slices();
    struct server_figures figures;
    struct host host;
    begin(&host, &options);
    step(&host, 3);
    ask(&host, "step", 4);
    CHECK_EQUAL(server_keep(host.server, is_nobody_listed, NULL, host.now_ms), 1);
    CHECK(server_tick(host.server, host.now_ms) != host.now_ms);
    hello(&host, SLOW, "", token);
    for (uint64_t seq = 1; seq < 4; seq++) {
        ask(&host, "ping", seq);
        (void)work(&host, 1);
        check_ok(&host, seq, 0);
    }
    close_host(&host);

    begin(&host, &options);
    step(&host, 3);
    ask(&host, "bye", 4);
    ask(&host, "ping", 5);
    (void)work(&host, 2);
    check_number(&host, 1, 4);
    CHECK(server_tick(host.server, host.now_ms) != host.now_ms);
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, 0);
    close_host(&host);

    begin(&host, &options);
    step(&host, 3);
    close_host(&host);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The disk is full when a step begins. It is finished, and kept, before anything else; nobody is told before that, and
 * what waits behind it is refused. */
static void test_the_disk_refuses(void)
{
    enum { LATER_MS = 1000 };
    char folder[] = P_tmpdir "/test_server_slices.XXXXXX";
    struct server_options options = in_slices();
    struct host host;
    CHECK(mkdtemp(folder));
    options.state = folder;
    begin(&host, &options);
    step(&host, 3);
    ask(&host, "ping", 4);
    limit_files(0);
    hello_again(&host, SLOW, "", token, 0); /* cannot be kept */
    check_error(&host, 0, "storage", "cannot write");
    forget(&host);
    limit_files(RLIM_INFINITY);
    host.now_ms += LATER_MS; /* it would write all anew, but for the rows that are half played */
    while (host.heard < 2) {
        (void)server_tick(host.server, host.now_ms);
    }
    host.now_ms += LATER_MS;
    (void)server_tick(host.server, host.now_ms);
    step(&host, 3);
    (void)work(&host, 1);
    check_ok(&host, 3, 6);
    close_host(&host);
    open_host(&host, &options);
    hello_again(&host, SLOW, "", token, 0);
    (void)work(&host, 1);
    const msgpack_object *welcome = check_ok(&host, 0, 1);
    CHECK_EQUAL(wire_key(welcome, "next")->via.u64, 4);
    ask(&host, "bye", 4);
    (void)work(&host, 1);
    check_ok(&host, 4, 0);
    close_host(&host);
    CHECK_EQUAL(rmdir(folder), 0);
}

/* A session of which the journal has a reset and a step, in a server that was started again. */
static void begin_asleep(struct host *host, struct server_options *options, char *folder)
{
    CHECK(mkdtemp(folder));
    options->state = folder;
    begin(host, options);
    step(host, 3);
    (void)work(host, 1);
    close_host(host);
    open_host(host, options);
}

static void end_asleep(struct host *host, uint64_t connection, uint64_t seq, const char *folder)
{
    struct wire_out out = begin_call("bye", seq, 0);
    send_out(host, connection, "", &out);
    (void)work(host, 1);
    check_ok(host, seq, 0);
    close_host(host);
    CHECK_EQUAL(rmdir(folder), 0);
}

/* A session that wakes is counted as before, and keeps its room. */
static void check_counts(struct host *host)
{
    struct server_figures figures;
    struct wire_out out = begin_call("hello", 0, 0);
    server_figures(host->server, &figures);
    CHECK_EQUAL(figures.rows, ROWS);
    CHECK_EQUAL(figures.environments, 1);
    send_out(host, OTHER, "", &out);
    check_error(host, 0, "limit", "--sessions");
}

/* Others are served while a session wakes, in slices of a row; what it asks meanwhile is answered then. */
static void test_wakes_in_slices(void)
{
    char folder[] = P_tmpdir "/test_server_slices.XXXXXX";
    struct server_options options = in_slices();
    struct host host;
    options.max_sessions = 1;
    begin_asleep(&host, &options, folder);
    hello_again(&host, SLOW, "", token, 0);
    for (int i = 0; i < ROWS / 2; i++) {
        CHECK_EQUAL(host.heard, 0);
        check_counts(&host);
        forget(&host);
    }
    ask(&host, "ping", 4);
    CHECK_EQUAL(host.heard, 0);
    ask(&host, "act", 1); /* it cannot wait, and nothing is played before the hello is answered */
    check_error(&host, 1, "hello", "say hello first");
    forget(&host);
    /* A journal begun anew, as it is where the step took long, has each row once; otherwise a reset and a step have. */
    CHECK(work(&host, 2) >= ROWS / 2 - 3);
    check_number(&host, 0, 0);
    check_number(&host, 1, 4);
    end_asleep(&host, SLOW, 5, folder);
}

/* A client that has lost its patience, and connects anew, is the one that is answered. */
static void test_another_hello_for_one_that_wakes(void)
{
    char folder[] = P_tmpdir "/test_server_slices.XXXXXX";
    struct server_options options = in_slices();
    struct host host;
    begin_asleep(&host, &options, folder);
    hello_again(&host, OTHER, "", token, 0);
    hello_again(&host, OTHER + 1, "", token, 4);
    CHECK_EQUAL(host.heard, 0);
    hello_again(&host, OTHER, "", token, 0);
    check_error(&host, 0, "session", "a later hello has taken its session");
    forget(&host);
    (void)work(&host, 1);
    check_number(&host, 0, 0);
    CHECK_EQUAL(host.connections[0], OTHER + 1);
    CHECK(server_tick(host.server, host.now_ms) > host.now_ms);
    CHECK_EQUAL(host.heard, 1);
    end_asleep(&host, OTHER + 1, 4, folder);
}

static int is_other_listed(void *context, const char *key)
{
    int *sessions = context;
    (void)key;
    return (*sessions)++ > 0;
}

/* One session wakes at a time, so that one journal is in memory: the next begins when the first is awake, or has
 * ended. */
static void test_wake_one_after_another(void)
{
    char folder[] = P_tmpdir "/test_server_slices.XXXXXX";
    struct server_options options = in_slices();
    unsigned char other[16];
    struct host host;
    CHECK(mkdtemp(folder));
    options.state = folder;
    begin(&host, &options);
    begin_session(&host, OTHER, other);
    for (int ends = 0; ends < 2; ends++) {
        int looked_at = 0;
        close_host(&host);
        open_host(&host, &options);
        hello_again(&host, SLOW, "", token, 0);
        hello_again(&host, OTHER, "", other, 0);
        if (ends) {
            hello_again(&host, OTHER, "", other, 0); /* which has been heard last */
            CHECK_EQUAL(server_keep(host.server, is_other_listed, &looked_at, host.now_ms), 1);
        } else {
            (void)work(&host, 1);
            CHECK_EQUAL(host.connections[0], SLOW);
            check_number(&host, 0, 0);
            forget(&host);
        }
        CHECK(work(&host, 1) >= ROWS / 2);
        CHECK_EQUAL(host.connections[0], OTHER);
        check_number(&host, 0, 0);
    }
    end_asleep(&host, OTHER, 3, folder);
}

/* A session cannot wake, and its connection has said hello for another one meanwhile: nobody is told. */
static void test_a_connection_without_patience(void)
{
    char folder[] = P_tmpdir "/test_server_slices.XXXXXX";
    struct server_options options = in_slices();
    unsigned char other[16];
    struct rlimit files;
    struct host host;
    CHECK(mkdtemp(folder));
    options.state = folder;
    begin(&host, &options);
    begin_session(&host, OTHER, other);
    close_host(&host);
    open_host(&host, &options);
    hello_again(&host, SLOW, "", other, 0);
    hello_again(&host, OTHER, "", token, 0); /* waits until the other one is awake, */
    hello_again(&host, OTHER, "", other, 0); /* which takes its connection */
    (void)work(&host, 1);
    CHECK_EQUAL(host.connections[0], OTHER);
    check_number(&host, 0, 0);
    forget(&host);
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &files), 0);
    const struct rlimit none = {0, files.rlim_max};
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (server_tick(host.server, host.now_ms) == host.now_ms) {
        CHECK_EQUAL(host.heard, 0);
    }
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &files), 0);
    CHECK_EQUAL(host.heard, 0);
    hello_again(&host, OTHER + 1, "", token, 0);
    (void)work(&host, 1);
    check_ok(&host, 0, 1);
    struct wire_out out = begin_call("bye", 3, 0);
    send_out(&host, OTHER + 1, "", &out);
    (void)work(&host, 1);
    check_ok(&host, 3, 0);
    end_asleep(&host, OTHER, 3, folder);
}

/* The server ends while a session wakes, and the session does. */
static void test_ends_that_wakes(void)
{
    char folder[] = P_tmpdir "/test_server_slices.XXXXXX";
    struct server_options options = in_slices();
    struct host host;
    begin_asleep(&host, &options, folder);
    for (int again = 0; again < 2; again++) {
        hello_again(&host, SLOW, "", token, 0);
        for (int i = 0; i < ROWS / 2; i++) {
            CHECK_EQUAL(server_tick(host.server, host.now_ms), host.now_ms);
        }
        CHECK_EQUAL(host.heard, 0);
        if (again) {
            CHECK_EQUAL(server_keep(host.server, is_nobody_listed, NULL, host.now_ms), 1);
            CHECK(server_tick(host.server, host.now_ms) != host.now_ms);
        }
        close_host(&host);
        open_host(&host, &options);
    }
    hello_again(&host, SLOW, "", token, 0);
    check_error(&host, 0, "session", "no session of yours");
    close_host(&host);
    CHECK_EQUAL(rmdir(folder), 0);
}

int main(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    test_others_are_answered();
    test_a_new_connection_is_answered();
    test_a_session_outlives_a_long_step();
    test_too_many_wait();
    test_so_many_bytes_wait();
    test_ends();
    test_the_disk_refuses();
    test_wakes_in_slices();
    test_another_hello_for_one_that_wakes();
    test_wake_one_after_another();
    test_a_connection_without_patience();
    test_ends_that_wakes();
    return 0;
}
