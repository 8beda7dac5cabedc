/* The inside of the server: sessions, tables, and what follows from both. */
#ifndef SERVER_INSIDE_H
#define SERVER_INSIDE_H

#include "server_options.h"
#include "session.h"
#include "tables.h"

struct server {
    struct server_options options;
    struct server_host host;
    const char *watch;
    struct sessions sessions;
    struct tables *tables;
    int is_following;   /* it executes requests of journals, which were within the limits once */
    msgpack_zone *zone; /* of the request that is being read */
    int64_t requests, steps, resent, refused, failures;
};

/* What the sessions of a key have. */
struct server_usage {
    int sessions, rows;
};
struct server_usage server_usage(const struct server *self, const char *key);

/* The session as the tables know it. */
struct tables_player server_player(const struct session *session);

/* Ends a session. */
void server_end(struct server *self, struct session *session, int64_t now_ms);

#endif
