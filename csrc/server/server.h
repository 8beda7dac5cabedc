/* The server without its sockets: it is given messages and the time, and says what to send to whom. */
#ifndef SERVER_H
#define SERVER_H

#include "wire.h"

struct server;

struct server_options {
    int max_sessions;
    int sessions_per_key, rows_per_key, seats_per_key; /* without CURVE all have the same key, "" */
    int rows_in_flight;                                /* of an environment, times the window */
    int max_tables;
    int64_t message;     /* bytes of a request, as the sockets enforce it */
    int64_t expire_ms;   /* how long a session lives without a message */
    const char *state;   /* folder from which sessions and tables go on, or NULL */
    const char *records; /* folder of the games' records, or NULL */
};

/* The version of this build. */
const char *server_version(void);

/* Standard values for all of them. */
struct server_options server_defaults(void);

/* How messages leave. Who keeps one takes a reference of its own; nobody is told when one is lost. */
struct server_host {
    void *context;
    void (*send)(void *context, uint64_t connection, struct wire_message *message);
    void (*publish)(void *context, const char *topic, struct wire_message *message);
};

/* `options` and `host` are copied; the texts must live as long as the server. -1 with a message. */
int server_new(const struct server_options *options, const struct server_host *host, int64_t now_ms, char *message,
               struct server **server);
void server_free(struct server **server);

/* Where spectators connect: said in hello. Must live as long as the server. */
void server_set_watch(struct server *self, const char *endpoint);

/* A message of a connection (any number but 0), whose CURVE key is `key` or "". */
void server_receive(struct server *self, uint64_t connection, const char *key, const unsigned char *bytes,
                    size_t size, int64_t now_ms);

/* Somebody has subscribed to a topic. */
void server_watched(struct server *self, const char *topic, int64_t now_ms);

/* What is to be done by the clock. To be called after every batch of messages and at the time it returned last; -1: not
 * before the next message. */
int64_t server_tick(struct server *self, int64_t now_ms);

struct server_figures {
    int sessions, environments, rows;
    int tables;                               /* that wait or play */
    int64_t requests, steps, resent, refused; /* since the start; `steps` counts rows */
    int64_t failures;                         /* to write journals and records */
};
void server_figures(const struct server *self, struct server_figures *figures);

#endif
