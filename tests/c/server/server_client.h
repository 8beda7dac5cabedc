/* A server without sockets, and clients that speak to it, for its tests. */
#ifndef SERVER_CLIENT_H
#define SERVER_CLIENT_H

#include <string.h>

#include "check.h"
#include "server.h"

enum { MOST_HEARD = 64 };

/* A server, and what it has said last. */
struct host {
    struct server *server;
    int64_t now_ms;
    int heard;
    struct wire_message *messages[MOST_HEARD];
    uint64_t connections[MOST_HEARD];
    msgpack_zone zone;
};

static inline void forget(struct host *host)
{
    for (int i = 0; i < host->heard; i++) {
        wire_release(host->messages[i]);
    }
    host->heard = 0;
}

static inline int hear(void *context, uint64_t connection, struct wire_message *message)
{
    struct host *host = context;
    CHECK(host->heard < MOST_HEARD);
    host->connections[host->heard] = connection;
    host->messages[host->heard++] = wire_hold(message);
    return 0;
}

static inline void hear_nothing(void *context, const char *topic, struct wire_message *message)
{
    (void)context;
    (void)topic;
    (void)message;
}

static inline void open_host(struct host *host, const struct server_options *options)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct server_host server_host = {host, hear, hear_nothing};
    *host = (struct host){.now_ms = 1000};
    CHECK(msgpack_zone_init(&host->zone, MSGPACK_ZONE_CHUNK_SIZE));
    if (server_new(options, &server_host, host->now_ms, message, &host->server) != 0) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
}

static inline void close_host(struct host *host)
{
    forget(host);
    server_free(&host->server);
    msgpack_zone_destroy(&host->zone);
}

/* Sends bytes as they are, from a block of exactly their size so that the sanitizers see every read beyond it. */
static inline void send_bytes(struct host *host, uint64_t connection, const char *key, const void *bytes,
                              size_t size)
{
    unsigned char *copy = check_memory(size ? size : 1);
    memcpy(copy, bytes, size);
    forget(host);
    server_receive(host->server, connection, key, copy, size, host->now_ms);
    (void)server_tick(host->server, host->now_ms);
    free(copy);
}

static inline void send_out(struct host *host, uint64_t connection, const char *key, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    CHECK(message);
    send_bytes(host, connection, key, message->bytes, message->size);
    wire_release(message);
}

/* Begins a request: [name, seq, ...] with that many arguments, which the caller writes. */
static inline struct wire_out begin_call(const char *name, uint64_t seq, size_t arguments)
{
    struct wire_out out;
    wire_begin(&out, 256);
    wire_array(&out, 2 + arguments);
    wire_text(&out, name);
    wire_uint(&out, seq);
    return out;
}

/* The only message that has been heard, as items of its array. */
static inline struct wire_args heard(struct host *host)
{
    msgpack_object object;
    size_t used = 0;
    CHECK_EQUAL(host->heard, 1);
    const struct wire_message *message = host->messages[0];
    msgpack_zone_clear(&host->zone);
    CHECK_EQUAL(msgpack_unpack((const char *)message->bytes, message->size, &used, &host->zone, &object),
                MSGPACK_UNPACK_SUCCESS);
    CHECK_EQUAL(used, message->size);
    CHECK_EQUAL(object.type, MSGPACK_OBJECT_ARRAY);
    return (struct wire_args){object.via.array.ptr, object.via.array.size};
}

static inline int is_text(const msgpack_object *value, const char *text)
{
    return value->type == MSGPACK_OBJECT_STR && value->via.str.size == strlen(text) &&
           memcmp(value->via.str.ptr, text, strlen(text)) == 0;
}

/* ["ok", seq, ...] with that many results, which are returned. */
static inline const msgpack_object *check_ok(struct host *host, uint64_t seq, uint32_t results)
{
    const struct wire_args reply = heard(host);
    if (!is_text(wire_arg(&reply, 0), "ok")) {
        const msgpack_object *text = wire_arg(&reply, 3);
        fprintf(stderr, "%.*s\n", (int)text->via.str.size, text->via.str.ptr);
    }
    CHECK(is_text(wire_arg(&reply, 0), "ok"));
    CHECK_EQUAL(wire_arg(&reply, 1)->via.u64, seq);
    CHECK_EQUAL(reply.count, 2 + results);
    return reply.items + 2;
}

/* ["error", seq, code, text], the text holding some words. */
static inline void check_error(struct host *host, uint64_t seq, const char *code, const char *words)
{
    char text[MH_MESSAGE_SIZE] = "";
    struct wire_error error;
    const struct wire_args reply = heard(host);
    CHECK(is_text(wire_arg(&reply, 0), "error"));
    CHECK_EQUAL(wire_arg(&reply, 1)->via.u64, seq);
    CHECK_EQUAL(wire_read_text(wire_arg(&reply, 3), "text", text, sizeof text, &error), 0);
    if (!is_text(wire_arg(&reply, 2), code) || !strstr(text, words)) {
        fprintf(stderr, "expected %s with '%s', got: %s\n", code, words, text);
        exit(1);
    }
}

/* hello without arguments. Returns the token, 16 bytes. */
static inline void hello(struct host *host, uint64_t connection, const char *key, unsigned char *token)
{
    struct wire_out out = begin_call("hello", 0, 0);
    send_out(host, connection, key, &out);
    const msgpack_object *welcome = check_ok(host, 0, 1);
    const msgpack_object *given = wire_key(welcome, "token");
    CHECK(given && given->type == MSGPACK_OBJECT_BIN && given->via.bin.size == 16);
    memcpy(token, given->via.bin.ptr, 16);
}

/* hello with a token and, if it is not 0, a window. */
static inline void hello_again(struct host *host, uint64_t connection, const char *key, const unsigned char *token,
                               int window)
{
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, window ? 2 : 1);
    wire_text(&out, "token");
    wire_bin(&out, token, 16);
    if (window) {
        wire_key_int(&out, "window", window);
    }
    send_out(host, connection, key, &out);
}

static inline void send_step(struct host *host, uint64_t connection, uint64_t seq, int64_t env, int64_t action)
{
    struct wire_out out = begin_call("step", seq, 2);
    wire_int(&out, env);
    wire_int(&out, action);
    send_out(host, connection, "", &out);
}

#endif
