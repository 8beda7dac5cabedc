/* A client as PROTOCOL.md wants it: it says hello, sends requests ahead as its window allows, and sends again what has
 * no reply. What it is told is compared with what it must be told. */
#ifndef STORY_CLIENT_H
#define STORY_CLIENT_H

#include <string.h>

#include "server/server_client.h"
#include "story_world.h"

enum { SPEAKER_REQUESTS = 400 };

struct asked {
    struct wire_message *message;
    uint64_t expected; /* a hash of what the reply must say; 0: it is not told before */
    uint64_t reply;    /* a hash of the reply; 0: none was heard */
    int is_told;       /* the reply was heard */
    int64_t told_at;   /* when the server said so; -1: it has not, or power was lost soon after */
    int holds;         /* a client that was told its reply has something on the server */
};

struct speaker;
struct speaker_kind {
    int (*ask)(struct speaker *self, uint64_t seq); /* makes the next request; 0: there is none now */
    uint64_t (*check)(const struct asked *asked, const msgpack_object *items, uint32_t count);
    void (*answered)(struct speaker *self, uint64_t seq, const msgpack_object *items);
    void (*hear)(struct speaker *self, const msgpack_object *items, uint32_t count, int64_t said);
    void (*reset)(struct speaker *self); /* its session has ended, as it may */
};

struct speaker {
    struct client client;
    const struct speaker_kind *kind;
    unsigned char token[16];
    int has_token, is_greeted, says_bye;
    int64_t attempt; /* of the last hello; -1: it has no numbers */
    int window;
    uint64_t base, next; /* the first request without a reply; the next one to be sent here */
    uint64_t most;       /* the last one that was ever sent to this session */
    uint64_t must_next;  /* the server has executed all before it, and knows it */
    int must_exist;      /* the session does */
    struct asked asked[SPEAKER_REQUESTS];
    uint64_t count;
    int64_t touched_at; /* the server has heard of it then, at least */
    int64_t silent_at, send_at, think_at;
    int patience;
};

/* ---- Messages --------------------------------------------------------------------------------------------------- */

static int one_in(struct speaker *self, int number)
{
    return mh_rng_below(&self->client.random, (uint32_t)number) == 0;
}

static int pick(struct speaker *self, int bound)
{
    return (int)mh_rng_below(&self->client.random, (uint32_t)bound);
}

static void unpack(const struct packet *packet, msgpack_unpacked *unpacked)
{
    size_t used = 0;
    msgpack_unpacked_init(unpacked);
    CHECK_EQUAL(msgpack_unpack_next(unpacked, (const char *)packet->bytes, packet->size, &used),
                MSGPACK_UNPACK_SUCCESS);
    CHECK(unpacked->data.type == MSGPACK_OBJECT_ARRAY && unpacked->data.via.array.size >= 2);
}

static int is_code(const msgpack_object *items, const char *code)
{
    return is_text(&items[0], "error") && is_text(&items[2], code);
}

static void note_reply(const char *what, const struct speaker *self, uint64_t seq, const msgpack_object *items)
{
    char text[160] = "";
    if (is_text(&items[0], "error")) {
        (void)snprintf(text, sizeof text, "%.*s: %.*s", (int)items[2].via.str.size, items[2].via.str.ptr,
                       (int)items[3].via.str.size, items[3].via.str.ptr);
    }
    note(what, self->client.number, (int64_t)seq, text);
}

static void speaker_send(struct speaker *self, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    CHECK(message);
    socket_send(self->client.socket, message->bytes, message->size);
    wire_release(message);
}

static void say_hello(struct speaker *self)
{
    const int has_attempt = self->attempt >= 0;
    self->attempt += has_attempt;
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, 1 + (size_t)self->has_token + (size_t)has_attempt);
    wire_key_int(&out, "window", self->window);
    if (self->has_token) {
        wire_text(&out, "token");
        wire_bin(&out, self->token, sizeof self->token);
    }
    if (has_attempt) {
        wire_key_int(&out, "attempt", self->attempt);
    }
    note("hello", self->client.number, self->attempt, "");
    speaker_send(self, &out);
    self->is_greeted = 0;
    self->silent_at = platter.now_ms + self->patience;
}

/* A new connection, as after a silence. The old one may still send what it was given. */
static void connect_anew(struct speaker *self)
{
    if (self->client.socket) {
        socket_close(self->client.socket, self->attempt >= 0 && one_in(self, 2));
    }
    self->client.socket = socket_new(&self->client);
    say_hello(self);
}

/* Sends what the window allows. */
static void pump(struct speaker *self)
{
    while (self->is_greeted && self->next < self->base + (uint64_t)self->window) {
        if (self->next > self->count && !self->kind->ask(self, self->next)) {
            return;
        }
        self->count = self->next > self->count ? self->next : self->count;
        const struct asked *asked = &self->asked[self->next];
        socket_send(self->client.socket, asked->message->bytes, asked->message->size);
        self->most = self->next > self->most ? self->next : self->most;
        self->next++;
        self->silent_at = platter.now_ms + self->patience;
    }
}

static void set_wake(struct speaker *self)
{
    int64_t at = self->silent_at < self->send_at ? self->silent_at : self->send_at;
    at = self->think_at < at ? self->think_at : at;
    self->client.wake_at = self->client.is_done ? never : at;
}

/* ---- What it hears ----------------------------------------------------------------------------------------------- */

/* The server has not executed the requests from this one on. */
static void forget_replies(struct speaker *self, uint64_t next)
{
    for (uint64_t i = next; i <= self->count; i++) {
        struct asked *asked = &self->asked[i];
        asked->is_told = 0;
        asked->told_at = -1;
        asked->reply = asked->expected ? asked->reply : 0;
    }
}

static void begin_again(struct speaker *self)
{
    note("anew", self->client.number, 0, "");
    self->has_token = 0;
    self->attempt = self->attempt < 0 ? -1 : 0;
    self->base = self->next = self->must_next = 1;
    self->most = 0;
    self->must_exist = 0;
    forget_replies(self, 1);
    self->kind->reset(self);
}

static void speaker_done(struct speaker *self)
{
    note("done", self->client.number, (int64_t)self->base, "");
    socket_close(self->client.socket, 0);
    self->client.socket = NULL;
    self->client.is_done = 1;
}

/* The session is gone, or another connection has it. */
static void hear_no_session(struct speaker *self, int64_t said)
{
    if (self->says_bye) {
        speaker_done(self);
        return;
    }
    if (self->must_exist && said < self->touched_at + world.options.expire_ms) {
        fault(self->client.number, "its session is gone", (int64_t)self->base);
    }
    begin_again(self);
    connect_anew(self);
}

/* The server has said that it has executed all before `next`. */
static void confirm(struct speaker *self, uint64_t next, int64_t said)
{
    if (is_undone(said)) {
        return;
    }
    for (uint64_t i = 1; i < next; i++) {
        struct asked *asked = &self->asked[i];
        asked->told_at = asked->told_at < 0 ? said : asked->told_at;
        self->must_exist |= asked->holds;
    }
    self->must_next = next > self->must_next ? next : self->must_next;
}

static void hear_welcome(struct speaker *self, const msgpack_object *welcome, int64_t said)
{
    const msgpack_object *token = wire_key(welcome, "token");
    const uint64_t next = wire_key(welcome, "next")->via.u64;
    note("welcome", self->client.number, (int64_t)next, "");
    if (self->has_token && memcmp(self->token, token->via.bin.ptr, sizeof self->token) != 0) {
        fault(self->client.number, "it was given another session", (int64_t)next);
    }
    memcpy(self->token, token->via.bin.ptr, sizeof self->token);
    self->has_token = 1;
    if (next < self->must_next) {
        fault(self->client.number, "a confirmed request is forgotten", (int64_t)next);
    }
    if (next > self->most + 1) {
        fault(self->client.number, "more was executed than was asked for", (int64_t)next);
    }
    forget_replies(self, next);
    self->base = next < self->base ? next : self->base;
    self->next = self->base;
    self->is_greeted = 1;
    self->silent_at = never;
    confirm(self, next, said);
    pump(self);
}

static void hear_reply(struct speaker *self, uint64_t seq, const struct packet *packet, const msgpack_object *items,
                       uint32_t count)
{
    struct asked *asked = &self->asked[seq];
    const uint64_t reply = fold(7, packet->bytes, packet->size);
    const uint64_t found = self->kind->check(asked, items, count);
    note_reply("reply", self, seq, items);
    if (asked->expected != 0 && asked->expected != found) {
        fault(self->client.number, "a reply is not what the request leads to", (int64_t)seq);
    }
    if (asked->reply != 0 && asked->reply != reply) {
        fault(self->client.number, "a request has two replies", (int64_t)seq);
    }
    const int is_first = !asked->is_told;
    asked->reply = reply;
    asked->is_told = 1;
    confirm(self, seq + 1, packet->said);
    while (self->base <= self->count && self->asked[self->base].is_told) {
        self->base++;
    }
    self->next = self->next < self->base ? self->base : self->next;
    if (is_first) {
        self->kind->answered(self, seq, items);
    }
}

/* An error that is no reply, or about hello. */
static void hear_refusal(struct speaker *self, uint64_t seq, const msgpack_object *items, int64_t said)
{
    char code[16];
    (void)snprintf(code, sizeof code, "%.*s", (int)items[2].via.str.size, items[2].via.str.ptr);
    note_reply("refused", self, seq, items);
    if (strcmp(code, "session") == 0) {
        hear_no_session(self, said);
    } else if (strcmp(code, "hello") == 0 && self->is_greeted) {
        say_hello(self);
    } else if (strcmp(code, "sequence") == 0 && seq <= self->base) {
        fault(self->client.number, "its request is refused by its number", (int64_t)seq);
    } else if (strcmp(code, "hello") != 0) {
        self->send_at = platter.now_ms + 50 + pick(self, 400);
    }
}

static int is_refusal(const msgpack_object *items)
{
    return is_code(items, "session") || is_code(items, "hello") || is_code(items, "storage") ||
           is_code(items, "slow") || is_code(items, "sequence");
}

static int is_unasked(const msgpack_object *items)
{
    return !(is_text(&items[0], "ok") || is_text(&items[0], "error")) || is_code(items, "late") ||
           is_code(items, "illegal") || is_code(items, "turn");
}

static void speaker_hear(struct client *client, const struct packet *packet)
{
    struct speaker *self = (struct speaker *)client;
    msgpack_unpacked unpacked;
    unpack(packet, &unpacked);
    const msgpack_object *items = unpacked.data.via.array.ptr;
    const uint32_t count = unpacked.data.via.array.size;
    const uint64_t seq = items[1].via.u64;
    if (is_unasked(items)) {
        self->kind->hear(self, items, count, packet->said);
    } else if (is_refusal(items) || (seq == 0 && !is_text(&items[0], "ok"))) {
        hear_refusal(self, seq, items, packet->said);
    } else if (seq == 0) {
        hear_welcome(self, &items[2], packet->said);
    } else if (seq <= self->count) {
        hear_reply(self, seq, packet, items, count);
    } else {
        fault(client->number, "a reply to nothing", (int64_t)seq);
    }
    msgpack_unpacked_destroy(&unpacked);
    if (!client->is_done) {
        pump(self);
        self->silent_at = self->is_greeted && self->next == self->base ? never : self->silent_at;
    }
    set_wake(self);
}

/* Notes when the server has heard of the session. */
static void speaker_sent(struct client *client, const struct packet *packet, int is_stale)
{
    struct speaker *self = (struct speaker *)client;
    static const unsigned char ok[] = {0xa2, 'o', 'k'};
    if (!is_stale && memcmp(packet->bytes + 1, ok, sizeof ok) == 0) {
        self->touched_at = platter.now_ms;
    }
}

static void speaker_arrived(struct client *client, const struct packet *packet)
{
    (void)client;
    (void)packet;
}

/* A message after that time may be undone. */
static void speaker_lost(struct client *client, int64_t kept_until)
{
    struct speaker *self = (struct speaker *)client;
    self->must_next = 1;
    self->must_exist = 0;
    for (uint64_t i = 1; i <= self->count; i++) {
        struct asked *asked = &self->asked[i];
        asked->told_at = asked->told_at <= kept_until ? asked->told_at : -1;
        if (asked->told_at >= 0) {
            self->must_next = i + 1;
            self->must_exist |= asked->holds;
        }
    }
}

static void speaker_restarted(struct client *client)
{
    struct speaker *self = (struct speaker *)client;
    self->touched_at = platter.now_ms;
}

static void speaker_wake(struct client *client)
{
    struct speaker *self = (struct speaker *)client;
    const int64_t now = platter.now_ms;
    if (now >= self->send_at) {
        self->send_at = never;
        self->next = self->base;
        if (self->is_greeted) {
            pump(self);
        } else {
            say_hello(self);
        }
    } else if (now >= self->silent_at) {
        connect_anew(self);
    }
    set_wake(self);
}

static void speaker_begin(struct speaker *self)
{
    self->base = self->next = self->must_next = 1;
    self->attempt = one_in(self, 4) ? -1 : 0;
    self->patience = 100 + pick(self, 3000);
    self->send_at = self->think_at = never;
    self->silent_at = platter.now_ms + pick(self, 1000);
    set_wake(self);
}

static void speaker_free(struct speaker *self)
{
    for (uint64_t i = 1; i <= self->count; i++) {
        wire_release(self->asked[i].message);
    }
    free(self);
}

#endif
