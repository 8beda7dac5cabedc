#include "door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mh_text.h"
#include "mh.h"

/* Leaving: what is still sent is read and forgotten, since the system would throw away an answer on its way to somebody
 * whose bytes nobody has read. */
enum phase { VISITOR_NONE, VISITOR_ASKS, VISITOR_READS, VISITOR_LEAVES };

struct visitor {
    enum phase phase;
    int file;
    int64_t due;
    size_t got, sent;
    struct page answer;
    char request[DOOR_REQUEST + 1];
};

struct door {
    int file;
    int64_t closed_until; /* the system had no descriptor for a visitor */
    struct door_service service;
    struct visitor visitors[DOOR_VISITORS];
    char path[sizeof((struct sockaddr_un *)NULL)->sun_path]; /* "": it is at a port */
};

/* ---- Opening ------------------------------------------------------------------------------------------------ */

static int set_flags(int file)
{
    return fcntl(file, F_SETFD, FD_CLOEXEC) != 0 || fcntl(file, F_SETFL, O_NONBLOCK) != 0 ? -1 : 0;
}

/* Takes over the socket, which is bound. */
static int door_begin(int file, const struct door_service *service, struct door **door)
{
    enum { BACKLOG = 16 };
    struct door *self = calloc(1, sizeof *self);
    if (!self || set_flags(file) != 0 || listen(file, BACKLOG) != 0) {
        free(self);
        return -1;
    }
    self->file = file;
    self->service = *service;
    *door = self;
    return 0;
}

int door_open_port(int port, const struct door_service *service, char *message, struct door **door)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1;
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(file, (const struct sockaddr *)&address, sizeof address) != 0 ||
        door_begin(file, service, door) != 0) {
        mh_message(message, "port %d of 127.0.0.1: %s", port, strerror(errno));
        if (file >= 0) {
            close(file);
        }
        return -1;
    }
    return 0;
}

/* The address of a path, if it is short enough. */
static int name_path(const char *path, struct sockaddr_un *address, char *message)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        mh_message(message, "%.150s: too long for a socket, which takes %zu bytes", path,
                   sizeof address->sun_path - 1);
        return -1;
    }
    memcpy(address->sun_path, path, strlen(path) + 1);
    return 0;
}

/* The folder decides who can put another socket in this one's place. */
static int check_folder(const char *path, char *message)
{
    char folder[sizeof((struct sockaddr_un *)NULL)->sun_path] = ".";
    const char *slash = strrchr(path, '/');
    struct stat status;
    if (slash) {
        const size_t length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    if (stat(folder, &status) != 0) {
        mh_message(message, "%.100s: %s", folder, strerror(errno));
        return -1;
    }
    if (status.st_mode & S_IWOTH) {
        mh_message(message, "%.100s: everybody may write there; choose a folder of yours", folder);
        return -1;
    }
    return 0;
}

/* Makes way: removes a socket that a killed server has left, and nothing else. */
static int clear_path(const char *path, char *message)
{
    char ignored[MH_MESSAGE_SIZE];
    struct stat status;
    if (lstat(path, &status) != 0) {
        return 0;
    }
    if (!S_ISSOCK(status.st_mode)) {
        mh_message(message, "%.100s: it exists and is no socket", path);
        return -1;
    }
    const int file = door_connect(path, ignored);
    if (file >= 0) {
        close(file);
        mh_message(message, "%.100s: a server answers there already", path);
        return -1;
    }
    (void)unlink(path);
    return 0;
}

int door_open_path(const char *path, const struct door_service *service, char *message, struct door **door)
{
    struct sockaddr_un address;
    if (name_path(path, &address, message) != 0 || check_folder(path, message) != 0 ||
        clear_path(path, message) != 0) {
        return -1;
    }
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0 || bind(file, (const struct sockaddr *)&address, sizeof address) != 0) {
        mh_message(message, "%.100s: %s", path, strerror(errno));
        if (file >= 0) {
            close(file);
        }
        return -1;
    }
    if (chmod(path, S_IRUSR | S_IWUSR) != 0 || door_begin(file, service, door) != 0) {
        mh_message(message, "%.100s: %s", path, strerror(errno));
        close(file);
        (void)unlink(path);
        return -1;
    }
    memcpy((*door)->path, path, strlen(path) + 1);
    return 0;
}

int door_connect(const char *path, char *message)
{
    struct sockaddr_un address;
    if (name_path(path, &address, message) != 0) {
        return -1;
    }
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof address) == 0) {
        return file;
    }
    mh_message(message, "%.100s: %s", path, strerror(errno));
    if (file >= 0) {
        close(file);
    }
    return -1;
}

/* ---- Visitors ----------------------------------------------------------------------------------------------- */

static void put_out(struct visitor *visitor)
{
    close(visitor->file);
    page_free(&visitor->answer);
    visitor->phase = VISITOR_NONE;
}

void door_close(struct door **door)
{
    struct door *self = *door;
    if (!self) {
        return;
    }
    for (int i = 0; i < DOOR_VISITORS; i++) {
        if (self->visitors[i].phase != VISITOR_NONE) {
            put_out(&self->visitors[i]);
        }
    }
    close(self->file);
    if (self->path[0]) {
        (void)unlink(self->path);
    }
    free(self);
    *door = NULL;
}

static struct visitor *free_place(struct door *self)
{
    struct visitor *place = NULL;
    for (int i = 0; i < DOOR_VISITORS && !place; i++) {
        place = self->visitors[i].phase == VISITOR_NONE ? &self->visitors[i] : NULL;
    }
    return place;
}

static void let_in(struct door *self, int64_t now_ms)
{
    enum {
        PAUSE_MS = 100 /* while there is no descriptor: the queue would wake the server at once, again and again */
    };
    struct visitor *place = free_place(self);
    const int file = place ? accept(self->file, NULL, NULL) : -1;
    if (place && file < 0 && errno != EAGAIN && errno != EINTR) {
        self->closed_until = now_ms + PAUSE_MS;
    }
    if (file < 0) {
        return;
    }
    if (set_flags(file) != 0) {
        close(file);
        return;
    }
    place->phase = VISITOR_ASKS;
    place->file = file;
    place->due = now_ms + DOOR_MS;
    place->got = place->sent = 0;
}

/* Writes what the system takes; afterwards the visitor need only go. */
static void hand_over(struct visitor *visitor)
{
    const size_t left = visitor->answer.size - visitor->sent;
    const ssize_t sent = left ? send(visitor->file, visitor->answer.bytes + visitor->sent, left, 0) : 0;
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            put_out(visitor);
        }
        return;
    }
    visitor->sent += (size_t)sent;
    if (visitor->sent == visitor->answer.size) {
        page_free(&visitor->answer);
        visitor->phase = VISITOR_LEAVES;
        (void)shutdown(visitor->file, SHUT_WR);
    }
}

static void listen_to(struct door *self, struct visitor *visitor, int64_t now_ms)
{
    const ssize_t got = recv(visitor->file, visitor->request + visitor->got, DOOR_REQUEST - visitor->got, 0);
    if (got < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            put_out(visitor);
        }
        return;
    }
    for (ssize_t i = 0; i < got; i++) { /* a zero would end the text early */
        char *byte = &visitor->request[visitor->got++];
        *byte = (char)(*byte ? *byte : '?');
    }
    visitor->request[visitor->got] = '\0';
    const int is_whole = self->service.is_whole(visitor->request);
    if (is_whole || got == 0 || visitor->got == DOOR_REQUEST) {
        self->service.answer(self->service.context, visitor->request,
                             is_whole   ? DOOR_WHOLE
                             : got == 0 ? DOOR_CLOSED
                                        : DOOR_TOO_LONG,
                             now_ms, &visitor->answer);
        visitor->phase = VISITOR_READS;
        hand_over(visitor);
    }
}

static void see_off(struct visitor *visitor)
{
    char ignored[DOOR_REQUEST];
    const ssize_t got = recv(visitor->file, ignored, sizeof ignored, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        put_out(visitor);
    }
}

static void attend(struct door *self, struct visitor *visitor, int64_t now_ms)
{
    if (visitor->phase == VISITOR_ASKS) {
        listen_to(self, visitor, now_ms);
    } else if (visitor->phase == VISITOR_READS) {
        hand_over(visitor);
    } else {
        see_off(visitor);
    }
}

/* ---- The loop ----------------------------------------------------------------------------------------------- */

void door_polls(const struct door *self, int64_t now_ms, struct pollfd *polls)
{
    int free_places = 0;
    for (int i = 0; i < DOOR_VISITORS; i++) {
        const struct visitor *visitor = &self->visitors[i];
        const int is_there = visitor->phase != VISITOR_NONE;
        free_places += !is_there;
        polls[i + 1] = (struct pollfd){.fd = is_there ? visitor->file : -1,
                                       .events = visitor->phase == VISITOR_READS ? POLLOUT : POLLIN};
    }
    polls[0] =
        (struct pollfd){.fd = free_places && now_ms >= self->closed_until ? self->file : -1, .events = POLLIN};
}

void door_turn(struct door *self, const struct pollfd *polls, int64_t now_ms)
{
    for (int i = 0; i < DOOR_VISITORS; i++) {
        struct visitor *visitor = &self->visitors[i];
        if (visitor->phase != VISITOR_NONE && polls[i + 1].revents) {
            attend(self, visitor, now_ms);
        }
        if (visitor->phase != VISITOR_NONE && now_ms >= visitor->due) {
            put_out(visitor);
        }
    }
    if (polls[0].revents) {
        let_in(self, now_ms);
    }
}
