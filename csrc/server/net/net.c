#include "net.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>
#ifdef MHING_SODIUM
#include <sodium/version.h>
#endif

#include "common/answer.h"
#include "peers.h"
#include "sessions/server_inside.h"

enum { ENDPOINT = 512, ROUTING_ID = 5, MOST_SUBSCRIPTIONS = 10000 };

/* Their numbers in peers.h, and bytes of a spectator's message, CURVE's handshake included. */
enum { ROUTER, WATCH, WATCH_MESSAGE = 1024 };

struct net {
    void *context, *router, *watch, *zap;
    struct peers *peers;
    char endpoint[ENDPOINT], watch_endpoint[ENDPOINT];
    struct net_options options;
    int subscriptions;                     /* of spectators */
    int router_file, watch_file, zap_file; /* descriptors: see net_wait */
    int router_used, watch_used, zap_used;
    int64_t seen, worked, given, still; /* see net_time */
    int64_t read;                       /* when all had been read that had come: see net_time */
};

int64_t net_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds that processors have worked for this process, its threads together. */
static int64_t work_done(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* A turn of the loop waits for at most a fraction of a second. If a turn took longer and the process did not work, the
 * process was stopped, got no processor, or waited for its disk. The clock leaves out such a time, and stands still
 * until ZeroMQ has read what waits in the sockets. It does not leave out the server's own work: otherwise a client that
 * keeps the server busy would stop everybody's clock. Turns that follow one another within LOOK_MS are looked at
 * together: the system takes as long to add up the work of all threads as for two other calls.
 *
 * Nobody is late because the server was busy when an answer came: time advances only to the moment up to which
 * everything has been read, and a message has the time of the one before. If there is always more to read, the clock
 * stays at most BEHIND_MS behind. */
int64_t net_time(struct net *self)
{
    enum { STILL_MS = 300, READ_MS = 100, BEHIND_MS = 50, LOOK_MS = 10 };
    const int64_t seen = net_now();
    if (seen - self->seen >= LOOK_MS) {
        const int64_t worked = work_done();
        const int64_t idle = seen - self->seen - (worked - self->worked);
        if (idle >= STILL_MS) {
            self->still = seen + READ_MS - self->given;
        }
        self->seen = seen;
        self->worked = worked;
    }
    const int64_t until = self->read > seen - BEHIND_MS ? self->read : seen - BEHIND_MS;
    if (until - self->still > self->given) {
        self->given = until - self->still;
    }
    return self->given;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

static int set(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

/* Peers that are silent while connecting are disconnected after 5 s. After 30 s TCP disconnects those whose machine has
 * gone, and those who take nothing of what waits for them. ZeroMQ's own heartbeats are off: libzmq aborts when one is
 * due for a peer that has left while its messages wait above the high-water mark (its issue 4767). */
static int set_common(void *socket, const struct net_options *options)
{
    return set(socket, ZMQ_LINGER, 1000) || set(socket, ZMQ_HANDSHAKE_IVL, 5000) ||
           set(socket, ZMQ_TCP_KEEPALIVE, 1) || set(socket, ZMQ_TCP_KEEPALIVE_IDLE, 15) ||
           set(socket, ZMQ_TCP_KEEPALIVE_INTVL, 5) || set(socket, ZMQ_TCP_KEEPALIVE_CNT, 3) ||
           set(socket, ZMQ_TCP_MAXRT, 30000) || set(socket, ZMQ_BACKLOG, 1024) ||
           set(socket, ZMQ_IPV6, strchr(options->endpoint, '[') != NULL);
}

static int set_curve(void *socket, const char *secret)
{
    static const char domain[] = "mhing";
    return set(socket, ZMQ_CURVE_SERVER, 1) || zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, KEY_SIZE - 1) ||
           zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, domain, sizeof domain - 1);
}

/* The high-water marks count complete messages of one peer, and are higher than its window. Large system buffers send
 * large replies in fewer parts. */
static int set_router(void *socket, const struct net_options *options)
{
    return set(socket, ZMQ_SNDBUF, 4 << 20) || set(socket, ZMQ_ROUTER_MANDATORY, 1) ||
           set(socket, ZMQ_SNDHWM, 128) || set(socket, ZMQ_RCVHWM, 64) ||
           zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &options->message, sizeof options->message);
}

/* Reports every subscription, because each new spectator is sent the state, and every end of one, for the count. */
static int set_watch(void *socket)
{
    const int64_t most = WATCH_MESSAGE;
    return set(socket, ZMQ_XPUB_VERBOSER, 1) || set(socket, ZMQ_SNDHWM, 100) || set(socket, ZMQ_RCVHWM, 64) ||
           zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);
}

static int bind_to(void *socket, const char *endpoint, char *bound, char *message)
{
    size_t size = ENDPOINT;
    if (zmq_bind(socket, endpoint) != 0 || zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &size) != 0) {
        mh_message(message, "cannot listen at %s: %s", endpoint, zmq_strerror(errno));
        return -1;
    }
    return 0;
}

/* The spectators' endpoint: the path with ".watch" added, or the next port. */
static void name_watch(const char *endpoint, char *watch)
{
    const char *port = strrchr(endpoint, ':') + 1;
    if (strncmp(endpoint, "ipc:", 4) == 0) {
        (void)snprintf(watch, ENDPOINT, "%s.watch", endpoint);
    } else if (strcmp(port, "*") == 0) {
        (void)snprintf(watch, ENDPOINT, "%s", endpoint);
    } else {
        (void)snprintf(watch, ENDPOINT, "%.*s%d", (int)(port - endpoint), endpoint, atoi(port) + 1);
    }
}

static int descriptor_of(void *socket)
{
    int file = -1;
    size_t size = sizeof file;
    (void)zmq_getsockopt(socket, ZMQ_FD, &file, &size);
    return file;
}

/* A socket with the options common to all, or NULL. */
static void *open_socket(const struct net *self, int type)
{
    const char *secret = self->options.secret;
    void *socket = zmq_socket(self->context, type);
    if (socket && (set_common(socket, &self->options) || (secret && set_curve(socket, secret)))) {
        zmq_close(socket);
        return NULL;
    }
    return socket;
}

static int open_watch(struct net *self, const char *endpoint, char *message)
{
    enum { AT_ONCE = 128 /* subscriptions of one spectator that are received before those of others */ };
    self->watch = open_socket(self, ZMQ_XPUB);
    if (!self->watch || set_watch(self->watch) ||
        peers_watch(self->peers, WATCH, self->context, self->watch, WATCH_MESSAGE, AT_ONCE) != 0) {
        mh_message(message, "cannot open a socket: %s", zmq_strerror(errno));
        return -1;
    }
    self->subscriptions = 0;
    self->watch_file = descriptor_of(self->watch);
    self->watch_used = 1;
    return bind_to(self->watch, endpoint, self->watch_endpoint, message);
}

static int open_sockets(struct net *self, char *message)
{
    char watch[ENDPOINT];
    self->context = zmq_ctx_new();
    self->zap = self->context ? zmq_socket(self->context, ZMQ_REP) : NULL;
    if (!self->zap || zmq_bind(self->zap, "inproc://zeromq.zap.01") != 0) {
        mh_message(message, "cannot open a socket: %s", zmq_strerror(errno));
        return -1;
    }
    self->peers = peers_new(net_now());
    self->router = open_socket(self, ZMQ_ROUTER);
    if (!self->peers || !self->router || set_router(self->router, &self->options) ||
        peers_watch(self->peers, ROUTER, self->context, self->router, self->options.message, 1) != 0) {
        mh_message(message, "cannot open a socket: %s", zmq_strerror(errno));
        return -1;
    }
    self->router_file = descriptor_of(self->router);
    self->zap_file = descriptor_of(self->zap);
    self->router_used = self->zap_used = 1;
    name_watch(self->options.endpoint, watch);
    return bind_to(self->router, self->options.endpoint, self->endpoint, message) == 0
               ? open_watch(self, watch, message)
               : -1;
}

int net_new(const struct net_options *options, char *message, struct net **net)
{
    struct net *self = calloc(1, sizeof *self);
    if (!self) {
        mh_message(message, "no memory for sockets");
        return -1;
    }
    self->options = *options;
    self->seen = self->given = self->read = net_now();
    self->worked = work_done();
    if (open_sockets(self, message) != 0) {
        net_free(&self);
        return -1;
    }
    *net = self;
    return 0;
}

static void close_socket(void *socket)
{
    if (socket) {
        zmq_close(socket);
    }
}

/* ZeroMQ does not remove the files of ipc sockets. */
static void remove_file(const char *endpoint)
{
    if (strncmp(endpoint, "ipc://", 6) == 0 && endpoint[6] != '@') {
        (void)unlink(endpoint + 6);
    }
}

void net_libraries(struct mh_text *out)
{
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    mh_text_add(out, "libzmq %d.%d.%d, msgpack-c %s", major, minor, patch, msgpack_version());
#ifdef MHING_SODIUM
    mh_text_add(out, ", libsodium %s", sodium_version_string());
#endif
}

void net_free(struct net **net)
{
    struct net *self = *net;
    if (self) {
        peers_free(&self->peers);
        close_socket(self->router);
        close_socket(self->watch);
        close_socket(self->zap);
        if (self->context) {
            zmq_ctx_term(self->context);
        }
        remove_file(self->endpoint);
        remove_file(self->watch_endpoint);
        free(self);
        *net = NULL;
    }
}

const char *net_endpoint(const struct net *self)
{
    return self->endpoint;
}

const char *net_watch_endpoint(const struct net *self)
{
    return self->watch_endpoint;
}

void net_keep_listed(struct net *self)
{
    peers_keep(self->peers, self->options.allowed);
}

/* ---- Sending ------------------------------------------------------------------------------------------------ */

static void let_go(void *bytes, void *message)
{
    (void)bytes;
    wire_release(message);
}

/* Large messages are sent without a copy. ZeroMQ releases them later. */
static int wrap(zmq_msg_t *frame, struct wire_message *message)
{
    enum { SMALL = 512 };
    if (message->size <= SMALL) {
        if (zmq_msg_init_size(frame, message->size) != 0) {
            return -1;
        }
        memcpy(zmq_msg_data(frame), message->bytes, message->size);
        return 0;
    }
    if (zmq_msg_init_data(frame, message->bytes, message->size, let_go, wire_hold(message)) != 0) {
        wire_release(message);
        return -1;
    }
    return 0;
}

/* Sends two frames. Drops what cannot be sent at once: the peer does not read, or is gone, and -1 is returned. */
static int send_frames(void *socket, const void *first, size_t size, struct wire_message *message)
{
    zmq_msg_t frame;
    if (zmq_send(socket, first, size, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
        return zmq_errno() == EHOSTUNREACH ? -1 : 0;
    }
    if (wrap(&frame, message) == 0 && zmq_msg_send(&frame, socket, ZMQ_DONTWAIT) < 0) {
        zmq_msg_close(&frame);
    }
    return 0;
}

/* ZeroMQ's routing ids are a zero and a count of connections in four bytes. An extra bit keeps their numbers from being
 * 0, or that of a connection with an identity. */
enum { NAMED = 1 };

static uint64_t connection_of(const unsigned char *id)
{
    return (uint64_t)1 << 32 | (uint64_t)id[1] << 24 | (uint64_t)id[2] << 16 | (uint64_t)id[3] << 8 | id[4];
}

static int send_to(void *context, uint64_t connection, struct wire_message *message)
{
    struct net *self = context;
    const unsigned char id[ROUTING_ID] = {0, (unsigned char)(connection >> 24), (unsigned char)(connection >> 16),
                                          (unsigned char)(connection >> 8), (unsigned char)connection};
    self->router_used = 1;
    return send_frames(self->router, id, sizeof id, message);
}

static void publish(void *context, const char *topic, struct wire_message *message)
{
    struct net *self = context;
    self->watch_used = 1;
    (void)send_frames(self->watch, topic, strlen(topic), message);
}

struct server_host net_host(struct net *self)
{
    return (struct server_host){self, send_to, publish};
}

/* ---- Receiving ---------------------------------------------------------------------------------------------- */

static void refuse_message(const struct net *self, struct server *server, zmq_msg_t *id, const char *text)
{
    struct wire_error error;
    (void)wire_refuse(&error, "message", "%s", text);
    server_count_refused(server, &error);
    struct wire_message *message = answer_error(0, &error);
    if (message) {
        (void)send_frames(self->router, zmq_msg_data(id), zmq_msg_size(id), message);
        wire_release(message);
    }
}

/* Discards surplus frames. */
static void skip_rest(void *socket, zmq_msg_t *frame)
{
    while (zmq_msg_more(frame) && zmq_msg_recv(frame, socket, ZMQ_DONTWAIT) >= 0) {
    }
}

/* Whose message it is: with CURVE the peer's key, otherwise "". NULL: a key that is no longer listed, whose connection
 * ends. */
static const char *owner(const struct net *self, int socket, uint64_t connection, zmq_msg_t *message)
{
    const int file = zmq_msg_get(message, ZMQ_SRCFD);
    const char *key = self->options.secret ? zmq_msg_gets(message, "User-Id") : "";
    const int is_listed = !self->options.secret || (key && keys_has(self->options.allowed, key));
    peers_heard(self->peers, socket, file, connection, key ? key : "");
    if (!is_listed) {
        peers_shut(self->peers, file);
    }
    return is_listed ? key : NULL;
}

static void receive(const struct net *self, struct server *server, zmq_msg_t *id, zmq_msg_t *body, int64_t now_ms)
{
    const unsigned char *bytes = zmq_msg_data(id);
    const int is_named = zmq_msg_size(id) != ROUTING_ID || bytes[0] != 0;
    const uint64_t connection = is_named ? NAMED : connection_of(bytes);
    const char *key = owner(self, ROUTER, connection, body);
    if (!key) {
        skip_rest(self->router, body);
        return;
    }
    if (is_named) {
        refuse_message(self, server, id, "the socket has an identity: set none");
    } else if (zmq_msg_more(body)) {
        refuse_message(self, server, id, "a message is one frame; use a DEALER socket, which adds none");
    } else {
        server_receive(server, connection, key, zmq_msg_data(body), zmq_msg_size(body), now_ms);
    }
    skip_rest(self->router, body);
}

/* Returns whether there was a message. */
static int turn_router(const struct net *self, struct server *server, int64_t now_ms)
{
    zmq_msg_t id;
    zmq_msg_t body;
    zmq_msg_init(&id);
    zmq_msg_init(&body);
    const int there = zmq_msg_recv(&id, self->router, ZMQ_DONTWAIT) >= 0;
    if (there && zmq_msg_more(&id) && zmq_msg_recv(&body, self->router, ZMQ_DONTWAIT) >= 0) {
        receive(self, server, &id, &body, now_ms);
    }
    zmq_msg_close(&id);
    zmq_msg_close(&body);
    return there;
}

/* Subscriptions take memory that ZeroMQ does not limit. If there are far too many, all spectators are disconnected.
 * Honest ones reconnect by themselves and receive the state. */
static void drop_spectators(struct net *self)
{
    char endpoint[ENDPOINT];
    memcpy(endpoint, self->watch_endpoint, sizeof endpoint);
    (void)zmq_unbind(self->watch, endpoint);
    peers_leave(self->peers, WATCH);
    close_socket(self->watch);
    if (open_watch(self, endpoint, NULL) != 0) {
        self->subscriptions = INT_MAX; /* the address is not free yet: the next turn tries again */
    }
}

/* A subscription is a 1 and the topic, its end a 0. */
static void subscribe(struct net *self, struct server *server, zmq_msg_t *message, int64_t now_ms)
{
    char topic[64] = "";
    const char *bytes = zmq_msg_data(message);
    const size_t size = zmq_msg_size(message);
    if (size > 0) {
        self->subscriptions += bytes[0] == 1 ? 1 : -1;
    }
    if (owner(self, WATCH, 0, message) && size > 1 && size <= sizeof topic && bytes[0] == 1) {
        memcpy(topic, bytes + 1, size - 1);
    }
    server_watched(server, topic, self->subscriptions, now_ms);
}

/* Returns whether there was a message. */
static int turn_watch(struct net *self, struct server *server, int64_t now_ms)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    const int there = zmq_msg_recv(&message, self->watch, ZMQ_DONTWAIT) >= 0;
    if (there) {
        subscribe(self, server, &message, now_ms);
    }
    zmq_msg_close(&message);
    if (self->subscriptions > MOST_SUBSCRIPTIONS) {
        drop_spectators(self);
    }
    return there;
}

/* One question of ZAP (RFC 27): version, request, domain, address, identity, mechanism, the peer's key. */
static int turn_zap(const struct net *self)
{
    enum { REQUEST = 1, CREDENTIALS = 6, FRAMES = 7 };
    char frames[FRAMES][256];
    int sizes[FRAMES] = {0};
    char key[KEY_SIZE] = "";
    int count = 0;
    int more = 1;
    size_t size = sizeof more;
    while (more && count < FRAMES) {
        sizes[count] = zmq_recv(self->zap, frames[count], sizeof frames[count], ZMQ_DONTWAIT);
        if (sizes[count] < 0) {
            return 0;
        }
        count++;
        zmq_getsockopt(self->zap, ZMQ_RCVMORE, &more, &size);
    }
    if (count == FRAMES && sizes[CREDENTIALS] == 32) {
        zmq_z85_encode(key, (const unsigned char *)frames[CREDENTIALS], 32);
    }
    const int is_listed = keys_has(self->options.allowed, key);
    const size_t request = (size_t)sizes[REQUEST] < sizeof frames[0] ? (size_t)sizes[REQUEST] : sizeof frames[0];
    zmq_send(self->zap, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(self->zap, frames[REQUEST], request, ZMQ_SNDMORE);
    zmq_send(self->zap, is_listed ? "200" : "400", 3, ZMQ_SNDMORE);
    zmq_send(self->zap, is_listed ? "OK" : "key not listed", is_listed ? 2 : 14, ZMQ_SNDMORE);
    zmq_send(self->zap, key, is_listed ? strlen(key) : 0, ZMQ_SNDMORE);
    zmq_send(self->zap, "", 0, 0);
    return 1;
}

/* Waits until a message may have arrived. A socket's descriptor reports a change only once, so waiting is safe only
 * after the socket was found empty and has not been used since. A look at the peers needs sockets that were found
 * empty as well. */
int net_wait(struct net *self, int64_t timeout_ms, struct pollfd *others, int count)
{
    enum { OWN = 4 };
    if (self->router_used || self->watch_used || self->zap_used) {
        return 0;
    }
    const int64_t now = net_now();
    const int64_t pause = peers_pause(self->peers, now);
    const int is_busy = peers_is_busy(self->peers, now);
    const int64_t most = pause > 0 ? pause : is_busy ? 0 : timeout_ms;
    struct pollfd waits[OWN + NET_OTHERS] = {
        {.fd = self->router_file, .events = POLLIN},
        {.fd = self->watch_file, .events = POLLIN},
        {.fd = self->zap_file, .events = POLLIN},
        {.fd = pause > 0 ? -1 : peers_descriptor(self->peers), .events = POLLIN}};
    memcpy(waits + OWN, others, (size_t)count * sizeof *others);
    (void)poll(waits, (nfds_t)OWN + (nfds_t)count, (int)(most < timeout_ms ? most : timeout_ms));
    memcpy(others, waits + OWN, (size_t)count * sizeof *others);
    self->read = net_now();
    const int look = waits[3].revents != 0 || (pause == 0 && is_busy);
    self->router_used |= waits[0].revents != 0 || look;
    self->watch_used |= waits[1].revents != 0 || look;
    self->zap_used |= waits[2].revents != 0;
    return 1;
}

static int is_greeted(const void *server, uint64_t connection)
{
    return server_is_greeted(server, connection);
}

/* A message of a large environment can take many milliseconds. So a turn ends when the clock has moved on: tables play
 * between turns, and no message is served with the time of another. */
void net_turn(struct net *self, struct server *server)
{
    enum { MOST = 256 };
    const int64_t began = net_now();
    const int64_t now_ms = net_time(self);
    for (int64_t now = began; self->router_used && now == began; now = net_now()) {
        self->router_used = turn_router(self, server, now_ms);
        if (!self->router_used) {
            peers_drained(self->peers, ROUTER);
            self->read = now;
        }
    }
    for (int left = MOST; left > 0 && self->watch_used; left--) {
        self->watch_used = turn_watch(self, server, now_ms);
        if (!self->watch_used) {
            peers_drained(self->peers, WATCH);
        }
    }
    for (int left = MOST; left > 0 && self->zap_used; left--) {
        self->zap_used = turn_zap(self);
    }
    if (peers_pause(self->peers, began) == 0) {
        const struct peers_host host = {server, is_greeted};
        peers_look(self->peers, &host, began);
    }
    self->watch_used |= self->subscriptions > MOST_SUBSCRIPTIONS;
}
