#ifdef __linux__
#define _DEFAULT_SOURCE /* syscall */ // NOLINT(bugprone-reserved-identifier)
#endif
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>
#ifdef __linux__
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum {
    SELDOM_MS = 1000,      /* between two looks at most */
    LOOK_MS = 10,          /* between two looks: what arrives in that time comes on top of a limit */
    SLACK = 64 << 10,      /* bytes beside a message: frame headers, handshakes, what a decoder has read ahead */
    QUIET = 1 << 20,       /* bytes of incomplete messages that need no thought */
    JUDGE_MS = 100,        /* between two searches for silent connections */
    HELLO_MS = 10000,      /* in which a new connection says hello, or subscribes */
    GREET_MS = 1000,       /* the same while newcomers find no descriptor: a handshake over a slow network */
    TRIM_MS = 1000,        /* after the end of a connection its memory is given back, */
    TRIM_LAST_MS = 16000,  /* and again, each time after twice as long, for ZeroMQ may free it late, */
    TRIM_BYTES = 32 << 20, /* if there is at least so much more than there was once */
    MOST_REPORTS = 64
};

/* All connections together may hold this many messages of the largest size, and beside it this much memory may come
 * into use while they hold them: two bytes that are an empty frame take 64 in ZeroMQ. */
static const int64_t most_messages = 64;
static const int64_t most_overhead = (int64_t)64 << 20;

struct peer {
    int is_there, socket;
    int is_shut;
    int is_listed;       /* in `again` */
    int64_t heard, seen; /* complete messages, now and at the last look */
    uint64_t number;     /* of the connection; 0: not known yet, or it needs no greeting */
    int64_t since;       /* when it was greeted last, or else when it began */
    int64_t mark;        /* bytes that had been read when the last complete message was seen */
    int64_t taken;       /* bytes that had been read at the last look */
    char key[KEY_SIZE];  /* "": none, or not known yet */
};

struct watched {
    void *socket, *monitor; /* NULL: not watched */
    int64_t limit, queue;
    int64_t count, heard; /* connections; complete messages since the last look */
    int is_drained;       /* it was without a complete message after the last look */
};

struct peers {
    int bell, memory; /* descriptors, or -1: of what reports arriving bytes; of this process's size */
    struct watched sockets[PEERS_SOCKETS];
    unsigned monitors;  /* opened so far; numbers their names, as ZeroMQ frees the name of a closed one late */
    struct peer *peers; /* by descriptor */
    int *again;         /* descriptors to look at next time; as many as `peers` has room for */
    int capacity, num_again;
    int next;                    /* the descriptor whose turn it is, whether or not the bell has rung */
    int64_t looked;              /* when */
    int64_t judged;              /* when silent connections were looked for */
    int64_t held;                /* bytes of incomplete messages, of all */
    int64_t calm;                /* bytes of this process when little was held */
    int64_t trim_due, trim_wait; /* when memory is given back next, 0: not due; and how long after the last time */
    int64_t least;               /* bytes of this process when it had fewest */
};

/* True if a newcomer was turned away since silent connections were looked for: ZeroMQ's thread says so in accept4,
 * which knows of no object. */
static atomic_int turned_away;

/* ---- Calls of the system ------------------------------------------------------------------------------------ */

#ifdef __linux__

static int open_bell(int *bell)
{
    *bell = epoll_create1(EPOLL_CLOEXEC);
    return *bell < 0 ? -1 : 0;
}

/* Makes `bell` report when bytes arrive, unless they have been read before it is asked. `number`: what it reports. */
static int attach_to_bell(int bell, int file, int number)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = number};
    return epoll_ctl(bell, EPOLL_CTL_ADD, file, &event);
}

/* Takes up to `most` reports. Returns how many. */
static int take_reports(int bell, int most, int numbers[])
{
    struct epoll_event events[MOST_REPORTS];
    const int count = epoll_wait(bell, events, most, 0);
    for (int i = 0; i < count; i++) {
        numbers[i] = events[i].data.fd;
    }
    return count < 0 ? 0 : count;
}

/* Descriptors from this one on are for files: a quarter of all, but no more than files need. */
static int first_kept(void)
{
    enum { SHARE = 4, MOST_KEPT = 160 /* those of disk.h, and some */ };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT32_MAX) {
        return INT32_MAX;
    }
    const int all = (int)limit.rlim_cur;
    return all - (all / SHARE < MOST_KEPT ? all / SHARE : MOST_KEPT);
}

/* ZeroMQ calls this instead of the C library's. Without a free descriptor the server could write no file, libzmq would
 * abort the process where the socket is ipc (its ipc_listener.cpp expects ENFILE, not EMFILE), and try again without a
 * pause where it is tcp. So a connection that gets one of the last descriptors is closed, and its client tries again;
 * and when there is none at all, the error has the name that libzmq expects, and comes after a pause. */
__attribute__((visibility("default"))) int accept4(int file, struct sockaddr *address, socklen_t *size, int flags);

int accept4(int file, struct sockaddr *address, socklen_t *size, int flags)
{
    enum { PAUSE_MS = 10 };
    const int made = (int)syscall(SYS_accept4, file, address, size, flags);
    if (made < 0 && errno == EMFILE) {
        atomic_store_explicit(&turned_away, 1, memory_order_relaxed);
        (void)poll(NULL, 0, PAUSE_MS);
        errno = ENFILE;
    } else if (made >= first_kept()) {
        atomic_store_explicit(&turned_away, 1, memory_order_relaxed);
        (void)close(made);
        errno = ECONNABORTED;
        return -1;
    }
    return made;
}

/* Bytes that were read from a connection, at least; -1: nobody counts them. */
static int64_t bytes_read(int file)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    int waiting = 0;
    memset(&info, 0, sizeof info);
    if (getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received ||
        ioctl(file, FIONREAD, &waiting) != 0) {
        return -1;
    }
    return (int64_t)info.tcpi_bytes_received - waiting;
}

#else

/* Elsewhere nobody counts, and only the size of each frame is limited. */
static int open_bell(int *bell)
{
    *bell = -1;
    return 0;
}

static int attach_to_bell(int bell, int file, int number)
{
    (void)bell, (void)file, (void)number;
    return 0;
}

static int take_reports(int bell, int most, int numbers[])
{
    (void)bell, (void)most, (void)numbers;
    return 0;
}

static int64_t bytes_read(int file)
{
    (void)file;
    return -1;
}

#endif

/* Bytes of memory that this process uses; 0: unknown. */
static int64_t bytes_used(const struct peers *self)
{
    char text[64];
    long long pages = 0;
    const ssize_t size = pread(self->memory, text, sizeof text - 1, 0);
    if (size <= 0) {
        return 0;
    }
    text[size] = '\0';
    return sscanf(text, "%*s %lld", &pages) == 1 ? (int64_t)pages * sysconf(_SC_PAGESIZE) : 0;
}

static void plan_trim(struct peers *self, int64_t now_ms)
{
    const int is_sooner = self->trim_due && self->trim_due < now_ms + TRIM_MS;
    self->trim_due = is_sooner ? self->trim_due : now_ms + TRIM_MS;
    self->trim_wait = TRIM_MS;
}

/* Gives back to the system what the C library keeps. */
static void trim(struct peers *self, int64_t now_ms)
{
    int64_t used = bytes_used(self);
    if (used - self->least > TRIM_BYTES) {
#ifdef __GLIBC__
        (void)malloc_trim(0);
#endif
        used = bytes_used(self);
    }
    self->least = used < self->least ? used : self->least;
    self->trim_wait *= 2;
    self->trim_due = self->trim_wait <= TRIM_LAST_MS ? now_ms + self->trim_wait : 0;
}

/* ---- Connections come and go -------------------------------------------------------------------------------- */

static struct peer *find_peer(struct peers *self, int file)
{
    return file >= 0 && file < self->capacity && self->peers[file].is_there ? &self->peers[file] : NULL;
}

static int64_t held_by(const struct peer *peer)
{
    return peer->taken - peer->mark;
}

static void look_again(struct peers *self, int file)
{
    if (!self->peers[file].is_listed) {
        self->peers[file].is_listed = 1;
        self->again[self->num_again++] = file;
    }
}

/* A descriptor may belong to a connection of the other socket already. */
static void remove_peer(struct peers *self, int socket, int file)
{
    struct peer *peer = find_peer(self, file);
    if (peer && peer->socket == socket) {
        self->held -= held_by(peer);
        self->sockets[socket].count--;
        peer->is_there = 0; /* stays in `again` if it is listed */
    }
}

static int reserve_peer(struct peers *self, int file)
{
    if (file < self->capacity) {
        return 0;
    }
    const int capacity = 2 * file + 64;
    struct peer *peers = realloc(self->peers, (size_t)capacity * sizeof *peers);
    self->peers = peers ? peers : self->peers;
    int *again = realloc(self->again, (size_t)capacity * sizeof *again);
    self->again = again ? again : self->again;
    if (!peers || !again) {
        return -1;
    }
    memset(peers + self->capacity, 0, (size_t)(capacity - self->capacity) * sizeof *peers);
    self->capacity = capacity;
    return 0;
}

/* Bytes may have been read already, so the next look is at all new connections. One for which there is no memory is
 * shut down: it could not be watched. */
static void add_peer(struct peers *self, int socket, int file)
{
    if (find_peer(self, file)) {
        remove_peer(self, self->peers[file].socket, file);
    }
    if (reserve_peer(self, file) != 0) {
        (void)shutdown(file, SHUT_RDWR);
        return;
    }
    const int is_listed = self->peers[file].is_listed;
    self->peers[file] =
        (struct peer){.is_there = 1, .socket = socket, .is_listed = is_listed, .since = self->looked};
    self->sockets[socket].count++;
    if (bytes_read(file) >= 0) {
        (void)attach_to_bell(self->bell, file, file);
        look_again(self, file);
    }
}

/* Events are a number of 16 bits and a value of 32, the descriptor; a frame with the address follows. */
static void take_events(struct peers *self, int socket, int64_t now_ms)
{
    unsigned char bytes[6];
    char address[256];
    void *monitor = self->sockets[socket].monitor;
    while (monitor && zmq_recv(monitor, bytes, sizeof bytes, ZMQ_DONTWAIT) == (int)sizeof bytes) {
        uint16_t event;
        int32_t file;
        memcpy(&event, bytes, sizeof event);
        memcpy(&file, bytes + sizeof event, sizeof file);
        (void)zmq_recv(monitor, address, sizeof address, ZMQ_DONTWAIT);
        if (event == ZMQ_EVENT_ACCEPTED && file >= 0) {
            add_peer(self, socket, file);
        } else if (event == ZMQ_EVENT_DISCONNECTED) {
            remove_peer(self, socket, file);
            plan_trim(self, now_ms);
        }
    }
}

/* The first message of a connection may overtake the event of its beginning. */
void peers_heard(struct peers *self, int socket, int file, uint64_t number, const char *key)
{
    struct peer *peer = find_peer(self, file);
    self->sockets[socket].heard++;
    if (!peer || strcmp(peer->key, key) != 0) {
        take_events(self, socket, self->looked);
        peer = find_peer(self, file);
        if (peer) {
            (void)snprintf(peer->key, sizeof peer->key, "%s", key);
        }
    }
    if (peer) {
        peer->heard++;
        peer->number = number;
    }
}

void peers_drained(struct peers *self, int socket)
{
    self->sockets[socket].is_drained = 1;
}

/* ---- Looking ------------------------------------------------------------------------------------------------ */

int64_t peers_pause(const struct peers *self, int64_t now_ms)
{
    const int64_t left = self->looked + LOOK_MS - now_ms;
    return left < 0 ? 0 : left;
}

int peers_descriptor(const struct peers *self)
{
    return self->bell;
}

int peers_is_busy(const struct peers *self, int64_t now_ms)
{
    return self->num_again > 0 || now_ms - self->looked >= SELDOM_MS ||
           (atomic_load_explicit(&turned_away, memory_order_relaxed) && now_ms - self->judged >= JUDGE_MS);
}

/* True if every complete message that was there at the last look has been received, or at least one of each
 * connection. Only then a connection without one has sent none. */
static int is_conclusive(const struct peers *self)
{
    for (int i = 0; i < PEERS_SOCKETS; i++) {
        const struct watched *it = &self->sockets[i];
        if (it->monitor && !it->is_drained && it->heard < it->queue * it->count) {
            return 0;
        }
    }
    return 1;
}

void peers_shut(struct peers *self, int file)
{
    const struct linger none = {.l_onoff = 1, .l_linger = 0}; /* the peer learns of it at once */
    struct peer *peer = find_peer(self, file);
    if (peer && !peer->is_shut) {
        peer->is_shut = 1;
        (void)setsockopt(file, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        (void)shutdown(file, SHUT_RDWR);
    }
}

/* Bytes read until the last look that belong to no message complete at this one are too many above the limit. Those
 * read until this look are judged at the next one. */
static void read_peer(struct peers *self, int file)
{
    struct peer *peer = find_peer(self, file);
    const int64_t read = peer ? bytes_read(file) : -1;
    if (read < 0) {
        return;
    }
    const int64_t limit = self->sockets[peer->socket].limit + SLACK;
    self->held -= held_by(peer);
    if (peer->heard != peer->seen) {
        peer->seen = peer->heard;
        peer->mark = read;
    } else if (held_by(peer) > limit) {
        peers_shut(self, file);
    }
    peer->taken = read;
    self->held += held_by(peer);
    if (held_by(peer) > limit && !peer->is_shut) {
        look_again(self, file);
    }
}

static void shut_largest(struct peers *self)
{
    int largest = -1;
    for (int file = 0; file < self->capacity; file++) {
        const struct peer *peer = find_peer(self, file);
        if (peer && (largest < 0 || held_by(peer) > held_by(&self->peers[largest]))) {
            largest = file;
        }
    }
    if (largest >= 0) {
        struct peer *peer = &self->peers[largest];
        peers_shut(self, largest);
        self->held -= held_by(peer);
        peer->mark = peer->taken;
    }
}

/* All connections together. Those that hold most are shut down, until half of what is held remains. */
static void look_at_all(struct peers *self)
{
    const int64_t used = bytes_used(self);
    if (self->held <= QUIET) {
        self->calm = used;
        return;
    }
    if (self->held > most_messages * self->sockets[0].limit || used - self->calm > most_overhead + 2 * self->held) {
        for (const int64_t enough = self->held / 2; self->held > enough;) {
            shut_largest(self);
        }
    }
}

/* Lists connections that have sent something. Returns whether there is anything to look at. */
static int find_busy(struct peers *self, int64_t now_ms)
{
    int numbers[MOST_REPORTS];
    int found = peers_is_busy(self, now_ms) || self->bell < 0;
    int count = MOST_REPORTS;
    while (count == MOST_REPORTS) {
        count = take_reports(self->bell, MOST_REPORTS, numbers);
        found += count;
        for (int i = 0; i < count; i++) {
            if (find_peer(self, numbers[i])) {
                look_again(self, numbers[i]);
            }
        }
    }
    return found > 0;
}

/* Lists connections in turn, each at least once in SELDOM_MS: the bell may have been silent about what they sent. */
static void list_in_turn(struct peers *self, int64_t elapsed_ms)
{
    const int64_t share = elapsed_ms < SELDOM_MS ? self->capacity * elapsed_ms / SELDOM_MS + 1 : self->capacity;
    for (int64_t i = 0; i < share && i < self->capacity; i++) {
        self->next = (self->next + 1) % self->capacity;
        if (find_peer(self, self->next)) {
            look_again(self, self->next);
        }
    }
}

static int is_greeted(const struct peer *peer, const struct peers_host *host)
{
    return peer->heard > 0 && (peer->number == 0 || host->is_greeted(host->context, peer->number));
}

/* Shuts down who has been silent for too long. While newcomers are turned away that is soon. Honest ones lose nothing:
 * they connect again by themselves. */
static void judge_silent(struct peers *self, const struct peers_host *host, int64_t now_ms)
{
    const int64_t most = atomic_exchange_explicit(&turned_away, 0, memory_order_relaxed) ? GREET_MS : HELLO_MS;
    self->judged = now_ms;
    for (int file = 0; file < self->capacity; file++) {
        struct peer *peer = find_peer(self, file);
        if (peer && is_greeted(peer, host)) {
            peer->since = now_ms;
        } else if (peer && now_ms - peer->since >= most) {
            peers_shut(self, file);
        }
    }
}

void peers_look(struct peers *self, const struct peers_host *host, int64_t now_ms)
{
    if (self->trim_due && now_ms >= self->trim_due) {
        trim(self, now_ms);
    }
    if (!is_conclusive(self) || !find_busy(self, now_ms)) {
        return;
    }
    list_in_turn(self, now_ms - self->looked);
    self->looked = now_ms;
    for (int i = 0; i < PEERS_SOCKETS; i++) {
        take_events(self, i, now_ms);
    }
    const int count = self->num_again;
    self->num_again = 0;
    for (int i = 0; i < count; i++) {
        const int file = self->again[i];
        self->peers[file].is_listed = 0;
        read_peer(self, file);
    }
    look_at_all(self);
    if (now_ms - self->judged >= JUDGE_MS) {
        judge_silent(self, host, now_ms);
    }
    for (int i = 0; i < PEERS_SOCKETS; i++) {
        self->sockets[i].is_drained = 0;
        self->sockets[i].heard = 0;
    }
}

void peers_keep(struct peers *self, const struct keys *allowed)
{
    for (int i = 0; i < PEERS_SOCKETS; i++) {
        take_events(self, i, self->looked);
    }
    for (int file = 0; file < self->capacity; file++) {
        if (find_peer(self, file) && !keys_has(allowed, self->peers[file].key)) {
            peers_shut(self, file);
        }
    }
}

/* ---- From the beginning to the end -------------------------------------------------------------------------- */

struct peers *peers_new(int64_t now_ms)
{
    struct peers *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->looked = now_ms;
    self->memory = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    self->calm = self->least = bytes_used(self);
    if (open_bell(&self->bell) != 0) {
        peers_free(&self);
    }
    return self;
}

void peers_free(struct peers **peers)
{
    struct peers *self = *peers;
    if (self) {
        for (int i = 0; i < PEERS_SOCKETS; i++) {
            peers_leave(self, i);
        }
        if (self->bell >= 0) {
            close(self->bell);
        }
        if (self->memory >= 0) {
            close(self->memory);
        }
        free(self->peers);
        free(self->again);
        free(self);
        *peers = NULL;
    }
}

/* Lifts the monitor's limit on waiting events: at a limit ZeroMQ's I/O thread would block until an event is taken. */
static void *open_monitor(void *context, void *watched, const char *endpoint)
{
    const int unlimited = 0;
    const int events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
    void *monitor = zmq_socket(context, ZMQ_PAIR);
    if (monitor && (zmq_setsockopt(monitor, ZMQ_RCVHWM, &unlimited, sizeof unlimited) != 0 ||
                    zmq_socket_monitor(watched, endpoint, events) != 0 || zmq_connect(monitor, endpoint) != 0)) {
        zmq_close(monitor);
        return NULL;
    }
    return monitor;
}

int peers_watch(struct peers *self, int socket, void *context, void *watched, int64_t limit, int queue)
{
    char endpoint[48];
    int file = -1;
    size_t size = sizeof file;
    (void)snprintf(endpoint, sizeof endpoint, "inproc://peers-%u", self->monitors++);
    void *monitor = open_monitor(context, watched, endpoint);
    if (!monitor || zmq_getsockopt(monitor, ZMQ_FD, &file, &size) != 0 ||
        attach_to_bell(self->bell, file, -1) != 0) {
        if (monitor) {
            zmq_close(monitor);
        }
        return -1;
    }
    self->sockets[socket] = (struct watched){.socket = watched, .monitor = monitor, .limit = limit, .queue = queue};
    take_events(self, socket, self->looked); /* a socket that was found empty reports the next event */
    return 0;
}

void peers_leave(struct peers *self, int socket)
{
    struct watched *it = &self->sockets[socket];
    if (!it->monitor) {
        return;
    }
    for (int file = 0; file < self->capacity; file++) {
        remove_peer(self, socket, file);
    }
    (void)zmq_socket_monitor(it->socket, NULL, 0);
    zmq_close(it->monitor);
    *it = (struct watched){.monitor = NULL};
}
