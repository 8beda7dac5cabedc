/* The operator's desk: /metrics and /healthz over HTTP at a port of 127.0.0.1, commands at a socket of the file
 * system. */
#ifndef DESK_H
#define DESK_H

#include "door.h"
#include "server.h"

struct desk_options {
    int metrics;       /* the port; 0: none */
    const char *admin; /* the path, or NULL */
};

struct desk;

/* `options` and the server must live as long as the desk. -1 with a message. */
int desk_new(const struct desk_options *options, struct server *server, char *message, struct desk **desk);
void desk_free(struct desk **desk);

/* The `count` descriptors to wait for. */
struct pollfd *desk_polls(struct desk *self, int64_t now_ms, int *count);

/* Serves the connections that are ready. `is_polled`: whether poll() has waited for these descriptors; if not, because
 * the server is busy, the desk polls them itself now and then. */
void desk_turn(struct desk *self, int is_polled, int64_t now_ms);

#endif
