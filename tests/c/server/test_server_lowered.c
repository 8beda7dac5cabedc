/* A server that is started again with lower limits has all that there was, and refuses newcomers only. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "common/files.h"
#include "server_client.h"

enum { SESSIONS = 4, ROWS = 5, WINDOW = 3 };

static char folder[FILES_PATH];

/* Removes what a server has left in the folder. */
static void empty_folder(void)
{
    char path[FILES_PATH];
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] != '.') {
            CHECK_EQUAL(files_path(folder, entry->d_name, path), 0);
            CHECK_EQUAL(unlink(path), 0);
        }
    }
    closedir(entries);
}

static void make(struct host *host, uint64_t connection, uint64_t seq, int rows, const char *bot)
{
    struct wire_out out = begin_call("make", seq, 1);
    wire_map(&out, 2);
    wire_key_int(&out, "rows", rows);
    wire_key_text(&out, "opponents", bot);
    send_out(host, connection, "", &out);
}

/* A table that waits for another player, or with a seed one for a player and bots. */
static void sit(struct host *host, uint64_t connection, uint64_t seq, const char *table, int is_seeded)
{
    struct wire_out out = begin_call("sit", seq, 1);
    wire_map(&out, is_seeded ? 3 : 2);
    wire_key_text(&out, "table", table);
    wire_key_text(&out, "options", "num_players=2");
    if (is_seeded) {
        wire_key_int(&out, "seed", 7);
    }
    send_out(host, connection, "", &out);
}

/* Each session has an environment, of which one has a bot with settings, and a seat at a table. */
static void begin(struct host *host, const struct server_options *options, unsigned char tokens[SESSIONS][16])
{
    open_host(host, options);
    for (uint64_t i = 0; i < SESSIONS; i++) {
        const char table[] = {(char)('a' + i), '\0'};
        hello(host, 1 + i, "", tokens[i]);
        hello_again(host, 1 + i, "", tokens[i], WINDOW);
        make(host, 1 + i, 1, ROWS, i == 0 ? "search:1" : "random");
        check_ok(host, 1, 2);
        struct wire_out out = begin_call("reset", 2, 2);
        wire_int(&out, 1);
        wire_int(&out, 7);
        send_out(host, 1 + i, "", &out);
        sit(host, 1 + i, 3, table, i == 1);
        check_ok(host, 3, 1);
    }
    close_host(host);
}

/* All sessions come back, with the same window, and have their environments and seats. */
static void check_kept(struct host *host, unsigned char tokens[SESSIONS][16])
{
    struct server_figures figures;
    server_figures(host->server, &figures);
    CHECK_EQUAL(figures.sessions, SESSIONS);
    CHECK_EQUAL(figures.rows, ROWS * SESSIONS);
    CHECK_EQUAL(figures.tables, SESSIONS);
    for (uint64_t i = 0; i < SESSIONS; i++) {
        struct wire_out out = begin_call("sample", 4, 1);
        hello_again(host, 1 + i, "", tokens[i], WINDOW);
        CHECK_EQUAL(wire_key(check_ok(host, 0, 1), "next")->via.u64, 4);
        wire_int(&out, 1);
        send_out(host, 1 + i, "", &out);
        check_ok(host, 4, 1);
        out = begin_call("tables", 5, 0);
        send_out(host, 1 + i, "", &out);
        CHECK_EQUAL(check_ok(host, 5, 1)->via.array.size, SESSIONS);
    }
}

/* Requests of newcomers, and of sessions that have something and want more. */
static void begin_session(struct host *host)
{
    struct wire_out out = begin_call("hello", 0, 0);
    send_out(host, 9, "", &out);
}

static void make_first(struct host *host)
{
    begin_session(host);
    make(host, 9, 1, 1, "search:1");
}

static void make_another(struct host *host)
{
    make(host, 1, 6, 1, "random");
}

static void sit_first(struct host *host)
{
    begin_session(host);
    sit(host, 9, 1, "new", 1);
}

/* The error of whatever number. */
static void check_limit(struct host *host, const char *words)
{
    const struct wire_args reply = heard(host);
    check_error(host, wire_arg(&reply, 1)->via.u64, "limit", words);
}

static void check_lowered(const struct server_options *before, const struct server_options *after,
                          void (*ask)(struct host *host), const char *words)
{
    unsigned char tokens[SESSIONS][16];
    struct host host;
    begin(&host, before, tokens);
    open_host(&host, after);
    check_kept(&host, tokens);
    ask(&host);
    check_limit(&host, words);
    close_host(&host);
    empty_folder();
}

static void test_each_limit(const struct server_options *before)
{
    struct server_options after = *before;
    after.max_sessions = 2;
    check_lowered(before, &after, begin_session, "all 2 sessions are taken, and one ends in 3601 seconds");
    after = *before;
    after.sessions_per_key = 2;
    check_lowered(before, &after, begin_session, "all 2 sessions of one key are taken");
    after = *before;
    after.rows_per_key = 2;
    check_lowered(before, &after, make_first, "rows: 1, but only 0 are left (--rows)");
    after = *before;
    after.rows_per_session = 2;
    check_lowered(before, &after, make_another, "rows: 1, but only 0 are left (--rows-per-session)");
    after = *before;
    after.rows_in_flight = WINDOW - 1;
    check_lowered(before, &after, make_another, "--rows-in-flight");
    after = *before;
    after.bytes_per_key = 1;
    check_lowered(before, &after, begin_session, "--bytes-per-key");
    check_lowered(before, &after, make_another, "--bytes-per-key");
    after = *before;
    after.max_bytes = 1;
    check_lowered(before, &after, begin_session, "(--bytes)");
    after = *before;
    after.bots = NULL;
    check_lowered(before, &after, make_first, "--bots");
    after = *before;
    after.max_tables = 2;
    check_lowered(before, &after, sit_first,
                  "4 tables are open already, and the one that has waited for players for longest makes way in");
    after = *before;
    after.seats_per_key = 2;
    check_lowered(before, &after, sit_first, "--seats");
    after = *before;
    after.open_seeds = 0;
    check_lowered(before, &after, sit_first, "--open-seeds");
}

/* Newcomers wait until so many sessions have ended that the new limit has room: one that holds nothing makes way at
 * once. */
static void test_room_again(const struct server_options *before)
{
    unsigned char tokens[SESSIONS][16];
    unsigned char idle[16];
    struct server_figures figures;
    struct server_options options = *before;
    struct host host;
    begin(&host, before, tokens);
    open_host(&host, &options);
    hello(&host, 9, "", idle);
    close_host(&host);

    options.max_sessions = 2;
    options.expire_ms = 10000;
    open_host(&host, &options);
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, SESSIONS + 1);
    for (int i = 0; i < SESSIONS; i++) {
        host.now_ms += 1000;
        hello_again(&host, 1 + (uint64_t)i, "", tokens[i], 0);
        check_ok(&host, 0, 1);
    }
    begin_session(&host);
    check_limit(&host, "all 2 sessions are taken, and one ends in 10 seconds"); /* the third */
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, SESSIONS);
    host.now_ms += options.expire_ms - 1000; /* of the third one */
    (void)server_tick(host.server, host.now_ms);
    hello(&host, 10, "", idle);
    server_figures(host.server, &figures);
    CHECK_EQUAL(figures.sessions, 2);
    close_host(&host);
    empty_folder();
}

int main(void)
{
    struct server_options options = server_defaults();
    strcpy(folder, P_tmpdir "/test_server_lowered.XXXXXX");
    CHECK(mkdtemp(folder));
    options.state = folder;
    options.bots = "search:1";
    options.open_seeds = 1;
    test_each_limit(&options);
    test_room_again(&options);
    CHECK_EQUAL(rmdir(folder), 0);
    return 0;
}
