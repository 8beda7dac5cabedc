/* The server's sockets, all read by one thread: ROUTER for requests, XPUB for spectators, and with CURVE a REP for
 * authentication. */
#ifndef NET_H
#define NET_H

#include <poll.h>

#include "base/mh_text.h"
#include "keys.h"
#include "server.h"

struct net_options {
    const char *endpoint;       /* ipc://PATH or tcp://ADDRESS:PORT, where PORT may be * */
    const char *secret;         /* CURVE secret key, or NULL */
    const struct keys *allowed; /* clients that may connect, with CURVE; consulted for every connection */
    int64_t message;            /* bytes of a request */
};

struct net;

/* Opens the sockets. -1 with a message. */
int net_new(const struct net_options *options, char *message, struct net **net);

/* Writes the libraries in use with their versions, as "libzmq 4.3.5, msgpack-c 7.0.2": those of the system, or those
 * that are built in, which then include libsodium. */
void net_libraries(struct mh_text *out);

/* Gives unsent messages one second to leave. */
void net_free(struct net **net);

/* The host through which a server sends messages. */
struct server_host net_host(struct net *self);

const char *net_endpoint(const struct net *self);
const char *net_watch_endpoint(const struct net *self);

/* With CURVE: closes the connections of keys that are not listed any more. */
void net_keep_listed(struct net *self);

/* Waits at most `timeout_ms` for messages, or for `others`, at most NET_OTHERS further descriptors. Returns whether it
 * has looked at those: it has not where it knows already that there is something to do. Then passes messages that are
 * there to the server. */
enum { NET_OTHERS = 32 };
int net_wait(struct net *self, int64_t timeout_ms, struct pollfd *others, int count);
void net_turn(struct net *self, struct server *server);

/* Milliseconds of a monotonic clock. */
int64_t net_now(void);

/* The server's time, in milliseconds. It goes as net_now does, but stands still while the process does, and a moment
 * longer: an answer that came meanwhile is read before its clock is judged. Nobody is late, and no session ends,
 * because the server was stopped. */
int64_t net_time(struct net *self);

#endif
