/* The server's sockets, all read by one thread: ROUTER for requests, XPUB for spectators, and, with CURVE, the REP that
 * says who may connect. */
#ifndef NET_H
#define NET_H

#include "keys.h"
#include "server.h"

struct net_options {
    const char *endpoint;       /* ipc://PATH or tcp://ADDRESS:PORT, where PORT may be * */
    const char *secret;         /* CURVE secret key, or NULL */
    const struct keys *allowed; /* who may connect, with CURVE; read anew whenever they are asked for */
    int64_t message;            /* bytes of a request */
};

struct net;

/* Opens the sockets. -1 with a message. */
int net_new(const struct net_options *options, char *message, struct net **net);

/* What is still to be sent has a second to leave. */
void net_free(struct net **net);

/* How a server says something through it. */
struct server_host net_host(struct net *self);

const char *net_endpoint(const struct net *self);
const char *net_watch_endpoint(const struct net *self);

/* Waits for messages for `timeout_ms` at most, and gives to the server what has come. */
void net_turn(struct net *self, struct server *server, int64_t timeout_ms);

/* Milliseconds of a clock that never goes back. */
int64_t net_now(void);

#endif
