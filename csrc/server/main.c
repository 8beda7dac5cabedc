/* mhing-server: options, signals, and a line of figures now and then. PROTOCOL.md describes the service. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "mh_text.h"
#include "net.h"

static const char usage[] =
    "mhing-server [OPTION...], where --NAME VALUE may be written --NAME=VALUE\n"
    "  --bind ENDPOINT        ipc://PATH or tcp://ADDRESS:PORT, * for any port; spectators use the next port.\n"
    "                         Default: an ipc socket in $XDG_RUNTIME_DIR/mhing, or in a temporary folder\n"
    "  --curve-secret FILE    the output of --keygen; clients need its public key\n"
    "  --allow FILE           public keys of allowed clients, one per line; read again on SIGHUP\n"
    "  --state DIR            keeps sessions and tables there, and resumes them from there\n"
    "  --resume DIR           the same, but fails if nothing was kept there\n"
    "  --records DIR          writes a record of every game there; makes the folder if it is missing\n"
    "  --sync WHEN            when these folders reach the disk, should the power fail: always (before anybody is\n"
    "                         told), second (every second, the default) or never (when the system likes)\n"
    "  --expire SECONDS       ends a session after this time without a message (3600)\n"
    "  --sessions N           most sessions in all (4096)\n"
    "  --sessions-per-key N   most sessions of one CURVE key (4096)\n"
    "  --rows N               most rows in all environments of one key (32768)\n"
    "  --rows-in-flight N     most rows of an environment times its window (8192)\n"
    "  --message BYTES        largest request (2097152)\n"
    "  --tables N             most tables in all (1024)\n"
    "  --seats N              most seats of one key (1024)\n"
    "  --bots NAMES           bots with settings that clients may let play, such as \"search:50 search:5ms\" "
    "(none):\n"
    "                         while one thinks, nobody else is served\n"
    "  --figures SECONDS      how often a line of figures is printed, if they changed (60)\n"
    "  --keygen               prints a pair of CURVE keys and ends\n"
    "  --version, --help\n"
    "Example: mhing-server --bind tcp://127.0.0.1:7644 --state games\n";

struct setup {
    struct server_options server;
    const char *bind, *secret, *allow, *resume, *sync;
    char endpoint[256];
    char secret_key[KEY_SIZE];
    struct keys allowed;
    int64_t figures_ms;
};

/* One line, whatever was given. */
static int complain(const char *text)
{
    (void)fputs("mhing-server: ", stderr);
    for (; *text; text++) {
        (void)fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, stderr);
    }
    (void)fputc('\n', stderr);
    return 2;
}

/* What the server has to say about its files. */
static void say(void *context, const char *text)
{
    (void)context;
    (void)complain(text);
}

/* Reports once a second how far the server is with the files of --state. `context` is when it did so last. */
static void report_progress(void *context, int done, int all)
{
    enum { OFTEN_MS = 1000 };
    int64_t *last = context;
    const int64_t now = net_now();
    if (now >= *last + OFTEN_MS) {
        *last = now;
        (void)fprintf(stderr, "mhing-server: %d of %d files read\n", done, all);
    }
}

/* A key that was not written is better known than looked for later. */
static int finish_output(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : complain("standard output cannot be written to");
}

/* ---- Options ------------------------------------------------------------------------------------------------ */

struct option {
    const char *name;
    const char **text; /* one of these two */
    int *number;
    int64_t *large;
    int64_t most, unit;
};

static int read_number(const struct option *option, const char *value, char *message)
{
    char *end;
    errno = 0;
    const long long number = strtoll(value, &end, 10);
    if (errno || *value == '\0' || *end || number < 1 || number > option->most) {
        mh_message(message, "%s: '%.40s' is not a whole number from 1 to %" PRId64, option->name, value,
                   option->most);
        return -1;
    }
    if (option->number) {
        *option->number = (int)number;
    } else {
        *option->large = number * option->unit;
    }
    return 0;
}

static int read_option(const struct option *option, const char *value, char *message)
{
    if (!value || *value == '\0') {
        mh_message(message, "%s: its value is missing (see --help)", option->name);
        return -1;
    }
    if (!option->text) {
        return read_number(option, value, message);
    }
    *option->text = value;
    return 0;
}

static int read_arguments(int count, char **arguments, struct setup *setup, char *message)
{
    struct server_options *server = &setup->server;
    const int64_t many = 1 << 20;
    const struct option options[] = {
        {.name = "--bind", .text = &setup->bind},
        {.name = "--curve-secret", .text = &setup->secret},
        {.name = "--allow", .text = &setup->allow},
        {.name = "--bots", .text = &server->bots},
        {.name = "--state", .text = &server->state},
        {.name = "--resume", .text = &setup->resume},
        {.name = "--records", .text = &server->records},
        {.name = "--sync", .text = &setup->sync},
        {.name = "--expire", .large = &server->expire_ms, .most = many * 1000, .unit = 1000},
        {.name = "--figures", .large = &setup->figures_ms, .most = many, .unit = 1000},
        {.name = "--sessions", .number = &server->max_sessions, .most = many},
        {.name = "--sessions-per-key", .number = &server->sessions_per_key, .most = many},
        {.name = "--rows", .number = &server->rows_per_key, .most = many},
        {.name = "--rows-in-flight", .number = &server->rows_in_flight, .most = many},
        {.name = "--message", .large = &server->message, .most = many << 10, .unit = 1},
        {.name = "--tables", .number = &server->max_tables, .most = many},
        {.name = "--seats", .number = &server->seats_per_key, .most = many},
    };
    const size_t known = sizeof options / sizeof *options;
    for (int i = 1; i < count; i++) {
        const size_t length = strcspn(arguments[i], "=");
        size_t k = 0;
        while (k < known && (strncmp(options[k].name, arguments[i], length) != 0 || options[k].name[length])) {
            k++;
        }
        if (k == known) {
            mh_message(message, "no option '%.40s'%s (see --help)", arguments[i],
                       strncmp(arguments[i], "--", 2) == 0 ? "" : ": options begin with --");
            return -1;
        }
        const char *value = NULL;
        if (arguments[i][length] == '=') {
            value = arguments[i] + length + 1;
        } else if (i + 1 < count) {
            value = arguments[++i];
        }
        if (read_option(&options[k], value, message) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- Where to listen, and who may come ---------------------------------------------------------------------- */

/* Makes a folder of the user's own. Refuses one that belongs to somebody else. */
static int make_own_folder(const char *path, char *message)
{
    struct stat status;
    if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST) {
        mh_message(message, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        status.st_mode & (S_IRWXG | S_IRWXO)) {
        mh_message(message, "%s: not a folder of yours with mode 0700", path);
        return -1;
    }
    return 0;
}

/* Checks that a folder is writable, so that nobody learns only after the games that nothing was kept, and that not
 * everybody may write there: whoever changes a state or a record changes what happened. */
static int use_folder(const char *option, const char *path, int make, char *message)
{
    struct stat status;
    const int made = !make || mkdir(path, S_IRWXU) == 0 || errno == EEXIST;
    const int found = made && stat(path, &status) == 0;
    if (found && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
    } else if (found && status.st_mode & S_IWOTH) {
        mh_message(message, "%s: %.150s: everybody may write there; chmod o-w keeps it yours", option, path);
        return -1;
    } else if (found && access(path, R_OK | W_OK | X_OK) == 0) {
        return 0;
    }
    mh_message(message, "%s: %.150s: %s", option, path, strerror(errno));
    return -1;
}

/* Two servers would corrupt each other's state. The lock lasts as long as the process. */
static int lock_folder(const char *path, char *message)
{
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    mh_message(message, "--state: %.150s: %s", path,
               errno == EWOULDBLOCK ? "another server keeps its state there" : strerror(errno));
    if (file >= 0) {
        close(file);
    }
    return -1;
}

static int choose_sync(struct setup *setup, char *message)
{
    static const char *const words[] = {[DISK_SECOND] = "second", [DISK_ALWAYS] = "always", [DISK_NEVER] = "never"};
    for (size_t i = 0; setup->sync && i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], setup->sync) == 0) {
            setup->server.sync = (enum disk_sync)i;
            return 0;
        }
    }
    if (setup->sync) {
        mh_message(message, "--sync: '%.40s' is neither always nor second nor never", setup->sync);
    }
    return setup->sync ? -1 : 0;
}

static int use_folders(struct setup *setup, char *message)
{
    const struct server_options *server = &setup->server;
    if (setup->resume && server->state) {
        mh_message(message, "--state and --resume: give only one of them");
        return -1;
    }
    if ((server->state && use_folder("--state", server->state, 1, message) != 0) ||
        (setup->resume && use_folder("--resume", setup->resume, 0, message) != 0) ||
        (server->records && use_folder("--records", server->records, 1, message) != 0)) {
        return -1;
    }
    setup->server.state = setup->resume ? setup->resume : server->state;
    if (choose_sync(setup, message) != 0) {
        return -1;
    }
    return server->state ? lock_folder(server->state, message) : 0;
}

static int choose_endpoint(struct setup *setup, char *message)
{
    char folder[192];
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    static const char localhost[] = "tcp://localhost:"; /* ZeroMQ binds numeric addresses only */
    if (setup->bind && strncmp(setup->bind, localhost, sizeof localhost - 1) == 0) {
        (void)snprintf(setup->endpoint, sizeof setup->endpoint, "tcp://127.0.0.1:%s",
                       setup->bind + sizeof localhost - 1);
        setup->bind = setup->endpoint;
    }
    if (setup->bind) {
        return 0;
    }
    if (runtime && *runtime) {
        (void)snprintf(folder, sizeof folder, "%s/mhing", runtime);
    } else {
        (void)snprintf(folder, sizeof folder, P_tmpdir "/mhing-%lu", (unsigned long)geteuid());
    }
    (void)snprintf(setup->endpoint, sizeof setup->endpoint, "ipc://%s/server", folder);
    setup->bind = setup->endpoint;
    return make_own_folder(folder, message);
}

static int check_socket(const char *path, char *message)
{
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISSOCK(status.st_mode)) {
        mh_message(message, "--bind: %.150s exists and is not a socket", path);
        return -1;
    }
    return 0;
}

/* Tries to connect to the socket of that address. */
static int is_answered(const struct sockaddr_un *address, socklen_t size)
{
    const int tried = socket(AF_UNIX, SOCK_STREAM, 0);
    const int answered = tried >= 0 && connect(tried, (const struct sockaddr *)address, size) == 0;
    if (tried >= 0) {
        close(tried);
    }
    return answered;
}

/* ZeroMQ removes the file at the path of an ipc socket even while another process listens there. A name that begins
 * with '@' has no file, and so no mode: everybody on this machine may connect to it. */
static int check_ipc(const struct setup *setup, const char *path, char *message)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int is_abstract = path[0] == '@';
    if (is_abstract && !setup->secret) {
        mh_message(message,
                   "--bind: everybody may connect to ipc://%.80s, so --curve-secret and --allow must be given",
                   path);
        return -1;
    }
    if (path[0] == '*' || strlen(path) + sizeof ".watch" > sizeof address.sun_path) {
        mh_message(message,
                   path[0] == '*' ? "--bind: ipc:// takes no *, name a path"
                                  : "--bind: the path is too long, at most %zu bytes are allowed",
                   sizeof address.sun_path - sizeof ".watch");
        return -1;
    }
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s.watch", path);
    if (!is_abstract && (check_socket(path, message) != 0 || check_socket(address.sun_path, message) != 0)) {
        return -1;
    }
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const size_t size = offsetof(struct sockaddr_un, sun_path) + strlen(path);
    if (is_abstract) {
        address.sun_path[0] = '\0';
    }
    if (is_answered(&address, (socklen_t)(is_abstract ? size : sizeof address))) {
        mh_message(message, "--bind: another program listens at ipc://%s", path);
        return -1;
    }
    return 0;
}

static int is_loopback(const char *endpoint)
{
    static const char *const hosts[] = {"tcp://127.", "tcp://[::1]:"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        if (strncmp(endpoint, hosts[i], strlen(hosts[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ZeroMQ would wrap numbers that are too large. The next port is for spectators. */
static int is_port(const char *text)
{
    char *end;
    const long port = strtol(text, &end, 10);
    return strcmp(text, "*") == 0 || (*text >= '1' && *text <= '9' && *end == '\0' && port < UINT16_MAX);
}

static int check_endpoint(const struct setup *setup, char *message)
{
    if (strncmp(setup->bind, "ipc://", 6) == 0) {
        return check_ipc(setup, setup->bind + 6, message);
    }
    const char *port = strrchr(setup->bind, ':');
    if (strncmp(setup->bind, "tcp://", 6) != 0 || port < setup->bind + 6 || !is_port(port + 1)) {
        mh_message(message,
                   "--bind: '%.80s' is neither ipc://PATH nor tcp://ADDRESS:PORT with a port from 1 to 65534",
                   setup->bind);
        return -1;
    }
    if (!is_loopback(setup->bind) && !setup->secret) {
        mh_message(message, "--bind: %.80s is not loopback, so --curve-secret and --allow must be given",
                   setup->bind);
        return -1;
    }
    return 0;
}

static int read_keys(struct setup *setup, char *message)
{
    if (!setup->secret != !setup->allow) {
        mh_message(message, "--curve-secret and --allow must be given both or not at all");
        return -1;
    }
    return setup->secret && (keys_read_secret(setup->secret, setup->secret_key, message) != 0 ||
                             keys_read(&setup->allowed, setup->allow, message) != 0)
               ? -1
               : 0;
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
    if (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) || sigismember(&pending, SIGHUP)) {
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
        (void)printf("%d %s of keys that are not listed ended\n", ended, ended == 1 ? "session" : "sessions");
    }
}

static void reload(struct setup *setup, struct net *net, struct server *server)
{
    char message[MH_MESSAGE_SIZE];
    if (setup->allow && keys_read(&setup->allowed, setup->allow, message) != 0) {
        (void)complain(message); /* the old list stays in use */
    } else if (setup->allow) {
        const int count = setup->allowed.count;
        (void)printf("%d %s may connect\n", count, count == 1 ? "key" : "keys");
        keep_listed(setup, net, server);
        (void)fflush(stdout);
    }
}

static int same_figures(const struct server_figures *a, const struct server_figures *b)
{
    return a->sessions == b->sessions && a->environments == b->environments && a->rows == b->rows &&
           a->tables == b->tables && a->requests == b->requests && a->steps == b->steps && a->resent == b->resent &&
           a->refused == b->refused && a->failures == b->failures;
}

/* Nobody wants to read the same all night. */
static void print_figures(const struct server *server, struct server_figures *printed)
{
    struct server_figures figures;
    struct rusage used;
    char when[32];
    const time_t now = time(NULL);
    struct tm parts;
    server_figures(server, &figures);
    if (same_figures(&figures, printed)) {
        return;
    }
    *printed = figures;
    getrusage(RUSAGE_SELF, &used);
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    (void)printf("%s sessions %d, environments %d, rows %d, tables %d; since the start: requests %" PRId64
                 ", steps %" PRId64 ", sent again %" PRId64 ", refused %" PRId64 ", not written %" PRId64
                 "; CPU %ld s, at most %ld MiB\n",
                 when, figures.sessions, figures.environments, figures.rows, figures.tables, figures.requests,
                 figures.steps, figures.resent, figures.refused, figures.failures,
                 (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec), used.ru_maxrss / 1024);
    (void)fflush(stdout);
}

static void serve(struct setup *setup, struct net *net, struct server *server, const sigset_t *signals)
{
    enum { SIGNALS_MS = 200 /* longest delay of a signal */ };
    int64_t signals_due = net_time(net);
    int64_t figures_due = signals_due + setup->figures_ms;
    struct server_figures printed = {0};
    int signal = 0;
    while (signal != SIGTERM && signal != SIGINT) {
        const int64_t now = net_time(net);
        const int64_t due = server_tick(server, now);
        const int64_t wait = due < 0 ? SIGNALS_MS : due - now;
        net_turn(net, server, wait < 0 ? 0 : wait < SIGNALS_MS ? wait : SIGNALS_MS);
        if (now >= signals_due) {
            signal = take_signal(signals);
            signals_due = now + SIGNALS_MS;
        }
        if (signal == SIGHUP) {
            reload(setup, net, server);
            signal = 0;
        }
        if (now >= figures_due) {
            print_figures(server, &printed);
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
    if (net_new(&options, message, &net) != 0) {
        return -1;
    }
    const struct server_host host = net_host(net);
    int64_t reported = net_now();
    setup->server.log = (struct files_log){&reported, say, report_progress};
    if (server_new(&setup->server, &host, net_time(net), message, &server) != 0) {
        net_free(&net);
        return -1;
    }
    if (check_resumed(setup, server, message) != 0) {
        server_free(&server);
        net_free(&net);
        return -1;
    }
    server_set_watch(server, net_watch_endpoint(net));
    (void)printf("ready %s\n", net_endpoint(net));
    if (setup->allow) {
        keep_listed(setup, net, server); /* lists change while no server runs, too */
    }
    (void)fflush(stdout);
    serve(setup, net, server, &signals);
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
 * for programs that collect cores, too. Nothing that this process might start gets more rights than it has. */
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
        return complain(message);
    }
    (void)printf("public %s\nsecret %s\n", public_key, secret_key);
    return finish_output();
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

/* What is printed must not reach a file or a socket that happens to get the number of a closed stream. */
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
    struct setup setup = {.server = server_defaults(), .figures_ms = (int64_t)60 * 1000};
    int failed = 0;
    if (has_argument(count, arguments, "--help")) {
        (void)fputs(usage, stdout);
        return finish_output();
    }
    if (has_argument(count, arguments, "--version")) {
        (void)printf("mhing-server %s\n", server_version());
        return finish_output();
    }
    if (has_argument(count, arguments, "--keygen")) {
        return keygen();
    }
    give_up_rights();
    open_standard_streams();
    (void)umask(S_IRWXG | S_IRWXO); /* sockets, states and records are the user's alone */
    allow_many_files();
    if (read_arguments(count, arguments, &setup, message) != 0 || read_keys(&setup, message) != 0 ||
        choose_endpoint(&setup, message) != 0 || check_endpoint(&setup, message) != 0 ||
        use_folders(&setup, message) != 0 || run(&setup, message) != 0) {
        failed = 1;
    }
    keys_wipe(setup.secret_key, sizeof setup.secret_key);
    keys_free(&setup.allowed);
    return failed ? complain(message) : 0;
}
