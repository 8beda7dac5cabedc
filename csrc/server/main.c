/* mhing-server: signals, and a line of figures now and then. PROTOCOL.md describes the service. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/mh_text.h"
#include "net/net.h"
#include "operator/admin.h"
#include "places.h"

static int complain(enum log_form form, const char *text)
{
    log_event(form, stderr, "error", (const struct log_field[]){{"text", text, 0}, {NULL, NULL, 0}},
              "mhing-server: %s", text);
    return 2;
}

/* The form of reports about the server's files, and the time of the last one. */
struct reporter {
    enum log_form form;
    int64_t last;
};

static void print_line(void *context, const char *text)
{
    const struct reporter *self = context;
    (void)complain(self->form, text);
}

/* Reports once a second how far the server is with the files of --state. */
static void report_progress(void *context, int done, int all)
{
    enum { OFTEN_MS = 1000 };
    struct reporter *self = context;
    const int64_t now = net_now();
    if (now >= self->last + OFTEN_MS) {
        self->last = now;
        log_event(self->form, stderr, "reading",
                  (const struct log_field[]){{"done", NULL, done}, {"all", NULL, all}, {NULL, NULL, 0}},
                  "mhing-server: %d of %d files read", done, all);
    }
}

/* A key that was not written is better known than looked for later. */
static int finish_output(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : complain(LOG_TEXT, "standard output cannot be written to");
}

/* ---- Running ------------------------------------------------------------------------------------------------ */

/* Blocks signals until take_signal looks for them. */
static sigset_t hold_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit of size is a disk that is full */
    return signals;
}

/* The number of a pending signal, or 0. */
static int take_signal(const sigset_t *signals)
{
    sigset_t pending;
    int taken = 0;
    sigpending(&pending);
    if (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) || sigismember(&pending, SIGHUP) ||
        sigismember(&pending, SIGUSR1)) {
        sigwait(signals, &taken);
    }
    return taken;
}

static int is_listed(void *context, const char *key)
{
    return keys_has(context, key);
}

/* Ends what belongs to keys that are not listed. */
static void keep_listed(struct setup *setup, struct net *net, struct server *server)
{
    const int ended = server_keep(server, is_listed, &setup->allowed, net_time(net));
    net_keep_listed(net);
    if (ended) {
        log_event(setup->log, stdout, "ended",
                  (const struct log_field[]){{"sessions", NULL, ended}, {NULL, NULL, 0}},
                  "%d %s of keys that are not listed ended", ended, ended == 1 ? "session" : "sessions");
    }
}

static void reload(struct setup *setup, struct net *net, struct server *server)
{
    char message[MH_MESSAGE_SIZE];
    if (setup->allow && keys_read(&setup->allowed, setup->allow, message) != 0) {
        (void)complain(setup->log, message); /* the old list stays in use */
    } else if (setup->allow) {
        const int count = setup->allowed.count;
        log_event(setup->log, stdout, "keys", (const struct log_field[]){{"listed", NULL, count}, {NULL, NULL, 0}},
                  "%d %s may connect", count, count == 1 ? "key" : "keys");
        keep_listed(setup, net, server);
    }
}

static int same_figures(const struct server_figures *a, const struct server_figures *b)
{
    return a->sessions == b->sessions && a->environments == b->environments && a->rows == b->rows &&
           a->tables == b->tables && a->requests == b->requests && a->steps == b->steps && a->resent == b->resent &&
           a->refused == b->refused && a->failures == b->failures;
}

/* Nobody wants to read the same all night. */
static void print_figures(enum log_form form, const struct server *server, struct server_figures *printed)
{
    struct server_figures now;
    struct rusage used;
    char when[LOG_TIME];
    server_figures(server, &now);
    if (same_figures(&now, printed)) {
        return;
    }
    *printed = now;
    getrusage(RUSAGE_SELF, &used);
    const int64_t cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
    const int64_t mebibytes = used.ru_maxrss / 1024;
    const struct log_field fields[] = {{"sessions", NULL, now.sessions},
                                       {"environments", NULL, now.environments},
                                       {"rows", NULL, now.rows},
                                       {"tables", NULL, now.tables},
                                       {"requests", NULL, now.requests},
                                       {"steps", NULL, now.steps},
                                       {"sent_again", NULL, now.resent},
                                       {"refused", NULL, now.refused},
                                       {"not_written", NULL, now.failures},
                                       {"cpu_seconds", NULL, cpu},
                                       {"most_mebibytes", NULL, mebibytes},
                                       {NULL, NULL, 0}};
    log_time(when);
    log_event(form, stdout, "figures", fields,
              "%s sessions %" PRId64 ", environments %" PRId64 ", rows %" PRId64 ", tables %" PRId64
              "; since the start: requests %" PRId64 ", steps %" PRId64 ", sent again %" PRId64 ", refused %" PRId64
              ", not written %" PRId64 "; CPU %" PRId64 " s, at most %" PRId64 " MiB",
              when, now.sessions, now.environments, now.rows, now.tables, now.requests, now.steps, now.resent,
              now.refused, now.failures, cpu, mebibytes);
}

/* Says that newcomers are kept out, if they are. */
static int tell_draining(enum log_form form, const struct server *server)
{
    if (!server_is_draining(server)) {
        return 0;
    }
    log_event(form, stdout, "draining", (const struct log_field[]){{NULL, NULL, 0}}, "draining");
    return 1;
}

static void serve(struct setup *setup, struct net *net, struct server *server, struct desk *desk,
                  const sigset_t *signals)
{
    enum { SIGNALS_MS = 200 /* longest delay of a signal while no message comes */ };
    int64_t figures_due = net_time(net) + setup->figures_ms;
    struct server_figures printed = {0};
    int is_reported = 0;
    int is_over = 0;
    while (!is_over) {
        const int64_t now = net_time(net);
        const int64_t due = server_tick(server, now);
        const int64_t wait = due < 0 ? SIGNALS_MS : due - now;
        int others = 0;
        struct pollfd *polls = desk_polls(desk, now, &others);
        const int is_polled = net_wait(net, wait < 0 ? 0 : wait < SIGNALS_MS ? wait : SIGNALS_MS, polls, others);
        const int signal = take_signal(signals);
        if (signal == SIGHUP) {
            reload(setup, net, server); /* before the next message: it may be of a key that is gone */
        }
        if (signal == SIGUSR1) {
            server_drain(server);
        }
        net_turn(net, server);
        desk_turn(desk, is_polled, now);
        is_reported = is_reported || tell_draining(setup->log, server);
        is_over = signal == SIGTERM || signal == SIGINT || server_is_drained(server, now);
        if (now >= figures_due) {
            print_figures(setup->log, server, &printed);
            figures_due = now + setup->figures_ms;
        }
    }
}

/* --resume promises that something was kept. */
static int check_resumed(const struct setup *setup, const struct server *server, char *message)
{
    struct server_figures figures;
    server_figures(server, &figures);
    if (setup->resume && figures.sessions == 0 && figures.tables == 0) {
        mh_message(message, "--resume: no sessions and no tables are kept in %.150s", setup->resume);
        return -1;
    }
    return 0;
}

static int run(struct setup *setup, char *message)
{
    const sigset_t signals = hold_signals();
    const struct net_options options = {setup->bind, setup->secret ? setup->secret_key : NULL, &setup->allowed,
                                        setup->server.message};
    struct net *net = NULL;
    struct server *server = NULL;
    struct desk *desk = NULL;
    if (net_new(&options, message, &net) != 0) {
        return -1;
    }
    const struct server_host host = net_host(net);
    struct reporter reporter = {setup->log, net_now()};
    setup->server.log = (struct files_log){&reporter, print_line, report_progress};
    if (server_new(&setup->server, &host, net_time(net), message, &server) != 0) {
        net_free(&net);
        return -1;
    }
    if (check_resumed(setup, server, message) != 0 || desk_new(&setup->desk, server, message, &desk) != 0) {
        server_free(&server);
        net_free(&net);
        return -1;
    }
    server_set_watch(server, net_watch_endpoint(net));
    log_event(setup->log, stdout, "ready",
              (const struct log_field[]){{"endpoint", net_endpoint(net), 0}, {NULL, NULL, 0}}, "ready %s",
              net_endpoint(net));
    if (setup->allow) {
        keep_listed(setup, net, server); /* lists change while no server runs as well */
    }
    serve(setup, net, server, desk, &signals);
    desk_free(&desk);
    server_free(&server);
    net_free(&net);
    return 0;
}

/* Every client needs a descriptor or two. */
static void allow_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* No crash writes keys and cards to a disk: a core file of one byte is not written, and a limit of 1, unlike 0, holds
 * for programs that collect cores as well. Nothing that this process might start gets more rights than it has. */
static void give_up_rights(void)
{
    const struct rlimit none = {1, 1};
    (void)setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
}

static int keygen(void)
{
    char public_key[KEY_SIZE];
    char secret_key[KEY_SIZE];
    char message[MH_MESSAGE_SIZE];
    if (keys_make(public_key, secret_key, message) != 0) {
        return complain(LOG_TEXT, message);
    }
    (void)printf("public %s\nsecret %s\n", public_key, secret_key);
    return finish_output();
}

/* --ask PATH COMMAND... */
static int ask_server(int count, char **arguments)
{
    enum { PATH = 2, COMMAND = 3 };
    char message[MH_MESSAGE_SIZE];
    if (count <= COMMAND) {
        return complain(LOG_TEXT, "--ask: give the path of a server's --admin, and a command (see --help)");
    }
    const int status = admin_ask(arguments[PATH], count - COMMAND, arguments + COMMAND, message);
    const int failed = finish_output();
    return status < 0 ? complain(LOG_TEXT, message) : failed ? failed : status;
}

/* Options that replace serving, whatever other options are given. */
static int has_argument(int count, char **arguments, const char *name)
{
    int found = 0;
    for (int i = 1; i < count; i++) {
        found |= strcmp(arguments[i], name) == 0;
    }
    return found;
}

/* Lets the system have large requests back as soon as they are executed. glibc raises this threshold to the largest
 * block that was ever freed, and then such blocks leave holes: after 1.6 GB of requests 500 MiB stayed. */
static void give_memory_back(void)
{
#ifdef __GLIBC__
    enum { LARGE = 512 << 10 };
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

/* Opens the closed ones of the standard streams, so that no file or socket gets a stream's number and its output. */
static void open_standard_streams(void)
{
    int file;
    do {
        file = open("/dev/null", O_RDWR);
    } while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0) {
        close(file);
    }
}

int main(int count, char **arguments)
{
    char message[MH_MESSAGE_SIZE];
    struct setup setup = setup_defaults();
    if (count > 1 && strcmp(arguments[1], "--ask") == 0) {
        (void)signal(SIGPIPE, SIG_IGN);
        return ask_server(count, arguments);
    }
    if (has_argument(count, arguments, "--help")) {
        (void)fputs(setup_usage, stdout);
        return finish_output();
    }
    if (has_argument(count, arguments, "--version")) {
        struct mh_text libraries;
        char versions[128];
        mh_text_begin(&libraries, versions, sizeof versions);
        net_libraries(&libraries);
        (void)printf("mhing-server %s (%s)\n", server_version(), versions);
        return finish_output();
    }
    if (has_argument(count, arguments, "--keygen")) {
        return keygen();
    }
    give_up_rights();
    give_memory_back();
    open_standard_streams();
    (void)umask(S_IRWXG | S_IRWXO); /* sockets, states and records are the user's alone */
    allow_many_files();
    const int failed = setup_read(&setup, count, arguments, message) != 0 ||
                       places_endpoint(&setup, message) != 0 || places_folders(&setup, message) != 0 ||
                       run(&setup, message) != 0;
    setup_free(&setup);
    return failed ? complain(setup.log, message) : 0;
}
