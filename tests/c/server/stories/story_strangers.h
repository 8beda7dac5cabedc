/* A client that means no good: it begins session after session, guesses tokens, asks for as much as it can think of,
 * and sends garbage. It reads nothing, and checks nothing: others must not notice it. */
#ifndef STORY_STRANGERS_H
#define STORY_STRANGERS_H

#include "story_world.h"

enum { STRANGER_SOCKETS = 8 };

struct stranger {
    struct client client;
    struct socket *sockets[STRANGER_SOCKETS];
    int rest; /* what it will still do */
};

static uint64_t any(struct stranger *self)
{
    return mh_rng_next(&self->client.random);
}

static void send_hello(struct stranger *self, struct socket *socket)
{
    const int has_token = any(self) % 4 == 0;
    const int bits = 1 + (int)(any(self) % 62);
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, 2 + (size_t)has_token);
    wire_key_int(&out, "window", (int64_t)(any(self) % 40));
    wire_key_int(&out, "attempt", (int64_t)(any(self) >> bits));
    if (has_token) {
        const uint64_t token[2] = {any(self), 0};
        wire_text(&out, "token");
        wire_bin(&out, token, sizeof token);
    }
    struct wire_message *message = wire_finish(&out);
    socket_send(socket, message->bytes, message->size);
    wire_release(message);
}

static void send_greed(struct stranger *self, struct socket *socket)
{
    static const char *const names[] = {"make", "sit", "play", "describe", "tables", "step", "act", "wait", "back"};
    const char *name = names[any(self) % 9];
    struct wire_out out = begin_call(name, any(self) % 4, 1);
    if (any(self) % 4 == 0) {
        wire_uint(&out, any(self));
    } else {
        wire_map(&out, 3);
        wire_key_int(&out, "rows", (int64_t)(any(self) % 5000));
        wire_key_text(&out, "opponents", any(self) % 2 ? "search:1000000" : "greedy");
        wire_key_text(&out, "table", "greed");
    }
    struct wire_message *message = wire_finish(&out);
    socket_send(socket, message->bytes, message->size);
    wire_release(message);
}

static void send_garbage(struct stranger *self, struct socket *socket)
{
    unsigned char bytes[64];
    const size_t size = any(self) % sizeof bytes;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(any(self) >> 20);
    }
    if (size > 0 && any(self) % 2) {
        bytes[0] = 0x93;
    }
    socket_send(socket, bytes, size);
}

static void stranger_wake(struct client *client)
{
    struct stranger *self = (struct stranger *)client;
    struct socket **socket = &self->sockets[any(self) % STRANGER_SOCKETS];
    const int what = (int)(any(self) % 8);
    if (*socket && what == 0) {
        socket_close(*socket, any(self) % 2);
        *socket = NULL;
    }
    if (!*socket) {
        *socket = socket_new(client);
    }
    (what < 4 ? send_hello : what < 7 ? send_greed : send_garbage)(self, *socket);
    client->is_done = --self->rest <= 0;
    client->wake_at =
        client->is_done ? never : platter.now_ms + (int64_t)(any(self) % 4 ? any(self) % 20 : any(self) % 5000);
}

static void stranger_hear(struct client *self, const struct packet *packet)
{
    (void)self;
    (void)packet;
}

static void stranger_sent(struct client *self, const struct packet *packet, int is_stale)
{
    (void)is_stale;
    stranger_hear(self, packet);
}

static void stranger_lost(struct client *self, int64_t kept_until)
{
    (void)self;
    (void)kept_until;
}

static void stranger_restarted(struct client *self)
{
    (void)self;
}

static void stranger_finish(struct client *self)
{
    free(self);
}

static const struct client_kind stranger_kind = {stranger_wake, stranger_hear,      stranger_sent,  stranger_hear,
                                                 stranger_lost, stranger_restarted, stranger_finish};

static struct client *stranger_new(void)
{
    struct stranger *self = check_memory(sizeof *self);
    self->client.kind = &stranger_kind;
    return &self->client;
}

static void stranger_begin(struct client *client)
{
    struct stranger *self = (struct stranger *)client;
    self->rest = (int)(any(self) % 300);
    client->wake_at = platter.now_ms;
}

#endif
