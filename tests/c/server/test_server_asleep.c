/* Sessions sleep in their journals after a restart of the server, until their clients come back. */
#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/journal.h"
#include "server_client.h"

enum { ME = 1, YOU = 2, ROWS = 5, STEPS = 4 };

static char folder[FILES_PATH];

/* The path of the folder's only file. */
static void find_file(char path[FILES_PATH])
{
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] != '.') {
            CHECK_EQUAL(files_path(folder, entry->d_name, path), 0);
        }
    }
    closedir(entries);
}

/* Makes an environment, which is the first, and steps it. */
static void play_steps(struct host *host, unsigned char *token)
{
    hello(host, ME, "", token);
    struct wire_out out = begin_call("make", 1, 1);
    wire_map(&out, 2);
    wire_key_int(&out, "rows", ROWS);
    wire_key_text(&out, "opponents", "random");
    send_out(host, ME, "", &out);
    check_ok(host, 1, 2);
    out = begin_call("reset", 2, 2);
    wire_int(&out, 1);
    wire_int(&out, 7);
    send_out(host, ME, "", &out);
    for (uint64_t i = 0; i < STEPS; i++) {
        out = begin_call("step", 3 + i, 2);
        wire_int(&out, 1);
        wire_array(&out, ROWS);
        for (int row = 0; row < ROWS; row++) {
            wire_int(&out, 0);
        }
        send_out(host, ME, "", &out);
        CHECK_EQUAL(host->heard, 1);
    }
}

/* Starts the server again, and looks how many rows it counts and how many it has stepped. */
static void check_restart(struct host *host, const struct server_options *options, int64_t rows, int64_t steps)
{
    struct server_figures figures;
    close_host(host);
    open_host(host, options);
    server_figures(host->server, &figures);
    CHECK_EQUAL(figures.sessions, 1);
    CHECK_EQUAL(figures.environments, rows > 0);
    CHECK_EQUAL(figures.rows, rows);
    CHECK_EQUAL(figures.steps, steps);
}

/* The system opens no file. Returns what it allowed before. */
static struct rlimit forbid_files(void)
{
    struct rlimit limit;
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {0, limit.rlim_max};
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    return limit;
}

/* A client comes while the system opens no file: its session still sleeps, and counts. */
static void come_in_vain(struct host *host, const unsigned char *token)
{
    struct server_figures figures;
    (void)server_tick(host->server, host->now_ms); /* the first sync, which needs files as well */
    const struct rlimit limit = forbid_files();
    hello_again(host, ME, "", token, 0);
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    check_error(host, 0, "memory", "the session's journal");
    server_figures(host->server, &figures);
    CHECK_EQUAL(figures.rows, ROWS);
}

/* A client comes back: its session wakes with all that it had. */
static void check_wakes(struct host *host, const unsigned char *token)
{
    struct server_figures figures;
    hello_again(host, ME, "", token, 0);
    const msgpack_object *welcome = check_ok(host, 0, 1);
    CHECK_EQUAL(wire_key(welcome, "next")->via.u64, 3 + STEPS);
    server_figures(host->server, &figures);
    CHECK_EQUAL(figures.rows, ROWS);
    CHECK_EQUAL(figures.steps, ROWS * STEPS);
}

/* A start executes no request, however many bots there are. The limits count what is asleep, and it is there when its
 * client comes. */
static void test_sleeps(void)
{
    unsigned char token[16], other[16];
    char path[FILES_PATH];
    struct host host;
    struct server_options options = server_defaults();
    options.state = folder;
    options.rows_per_key = options.rows_per_session = ROWS;
    open_host(&host, &options);
    play_steps(&host, token);
    options.max_sessions = 1;
    check_restart(&host, &options, ROWS, 0);
    struct wire_out out = begin_call("hello", 0, 0);
    send_out(&host, YOU, "", &out);
    check_error(&host, 0, "limit", "--sessions"); /* it does not end one that holds an environment */
    options.max_sessions = 2;
    check_restart(&host, &options, ROWS, 0);
    hello(&host, YOU, "", other);
    out = begin_call("make", 1, 0);
    send_out(&host, YOU, "", &out);
    check_error(&host, 1, "limit", "only 0 are left");
    out = begin_call("bye", 2, 0);
    send_out(&host, YOU, "", &out);
    check_ok(&host, 2, 0);

    come_in_vain(&host, token);
    check_wakes(&host, token);

    out = begin_call("close", 3 + STEPS, 1);
    wire_int(&out, 1);
    send_out(&host, ME, "", &out);
    check_ok(&host, 3 + STEPS, 0);
    check_restart(&host, &options, 0, 0);
    close_host(&host);
    find_file(path);
    CHECK_EQUAL(unlink(path), 0);
}

/* Where the first sync after a start fails, all is written again: what sleeps as it stands in its file. */
static void test_first_sync_fails(void)
{
    char path[FILES_PATH];
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    options.state = folder;
    open_host(&host, &options);
    play_steps(&host, token);
    check_restart(&host, &options, ROWS, 0);
    const struct rlimit limit = forbid_files();
    host.now_ms += 2000;
    (void)server_tick(host.server, host.now_ms);
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    hello_again(&host, ME, "", token, 0);
    check_error(&host, 0, "storage", "cannot write its state");
    host.now_ms += 2000;
    forget(&host);
    (void)server_tick(host.server, host.now_ms);
    for (int again = 0; again < 2; again++) { /* after another start as well */
        check_wakes(&host, token);
        check_restart(&host, &options, ROWS, 0);
    }
    close_host(&host);
    find_file(path);
    CHECK_EQUAL(unlink(path), 0);
}

/* Makes of a session's journal what the version before wrote, which had no sizes. */
static void write_old_journal(const char *path)
{
    static const char first[] = "\x97\xa7session";
    static const char sizes[] = "\x95\xa5sizes";
    const struct files_log log = {NULL, NULL, NULL};
    struct journal journal = {.size = 0};
    struct journal_file file;
    struct disk disk;
    char message[MH_MESSAGE_SIZE];
    const unsigned char *body;
    size_t size;
    int dropped = 0;
    disk_init(&disk, DISK_NEVER, NULL, NULL);
    CHECK_EQUAL(journal_read(path, &log, &file, message), MH_OK);
    while (journal_next(&file, &body, &size)) {
        struct wire_out out;
        journal_entry(&out, NULL, size);
        for (size_t length; size > 0; body += length, size -= length) {
            length = wire_measure(body, size, 1 << 14);
            unsigned char *to = out.message->bytes + out.message->size;
            const int is_sizes = memcmp(body, sizes, sizeof sizes - 1) == 0;
            dropped += is_sizes;
            if (!is_sizes) {
                memcpy(to, body, length);
                out.message->size += length;
            }
            if (memcmp(body, first, sizeof first - 1) == 0) {
                to[sizeof first - 1] = 3;
            }
        }
        CHECK_EQUAL((journal.size == 0 ? journal_begin : journal_add)(&journal, &disk, path, &out), 0);
    }
    CHECK(dropped >= 2);
    journal_forget(&journal);
    journal_close(&file);
    disk_close(&disk);
}

/* Journals of the version before are executed at the start. */
static void test_old_journal(void)
{
    char path[FILES_PATH];
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    options.state = folder;
    open_host(&host, &options);
    play_steps(&host, token);
    close_host(&host);
    find_file(path);
    write_old_journal(path);
    open_host(&host, &options);
    check_restart(&host, &options, ROWS, ROWS * STEPS);
    hello_again(&host, ME, "", token, 0);
    check_ok(&host, 0, 1);
    close_host(&host);
    find_file(path);
    CHECK_EQUAL(unlink(path), 0);
}

/* A session does not wake from less than what was there at the start. */
static void test_changed_asleep(void)
{
    char path[FILES_PATH];
    struct stat status;
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    options.state = folder;
    open_host(&host, &options);
    play_steps(&host, token);
    check_restart(&host, &options, ROWS, 0);
    come_in_vain(&host, token);
    find_file(path);
    CHECK_EQUAL(stat(path, &status), 0);
    CHECK_EQUAL(files_cut(path, (size_t)status.st_size - 1), 0);
    for (int again = 0; again < 2; again++) {
        hello_again(&host, ME, "", token, 0);
        check_error(&host, 0, "session", again ? "no session of yours" : "damaged");
    }
    close_host(&host);
    strcat(path, FILES_DAMAGED);
    CHECK_EQUAL(unlink(path), 0);
}

int main(void)
{
    strcpy(folder, P_tmpdir "/test_server_asleep.XXXXXX");
    CHECK(mkdtemp(folder));
    test_sleeps();
    test_first_sync_fails();
    test_old_journal();
    test_changed_asleep();
    CHECK_EQUAL(rmdir(folder), 0);
    return 0;
}
