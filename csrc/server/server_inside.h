/* What server.c and hello.c share. */
#ifndef SERVER_INSIDE_H
#define SERVER_INSIDE_H

#include "server.h"
#include "session.h"
#include "tables.h"

struct server {
    struct server_options options;
    struct server_host host;
    const char *watch;
    struct sessions sessions;
    struct tables *tables;
    int is_following;   /* it executes what journals hold, which was allowed once */
    msgpack_zone *zone; /* of the request that is being read */
    int64_t requests, steps, resent, refused, failures;
};

/* What a key has. */
struct server_usage {
    int sessions, rows;
};
struct server_usage server_usage(const struct server *self, const char *key);

struct tables_player server_player(const struct session *session);

/* Ends a session. */
void server_end(struct server *self, struct session *session, int64_t now_ms);

/* Answers hello, whose argument is `map`: the reply is written to `answer`, whose pool is then the session's. Returns
 * the session, or NULL with an error. */
struct session *server_hello(struct server *self, uint64_t connection, const char *key, const msgpack_object *map,
                             int64_t now_ms, struct answer *answer, struct wire_error *error);

#endif
