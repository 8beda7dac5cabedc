#include "places.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mh_text.h"

/* ---- Folders ------------------------------------------------------------------------------------------------ */

/* Checks that a folder is writable, so that nobody learns only after the games that nothing was kept, and that not
 * everybody may write there: changing a state or a record changes what happened. */
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

int places_folders(struct setup *setup, char *message)
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

/* ---- The endpoint ------------------------------------------------------------------------------------------- */

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

int places_endpoint(struct setup *setup, char *message)
{
    return choose_endpoint(setup, message) == 0 ? check_endpoint(setup, message) : -1;
}
