/* The connections of the sockets: whose they are, and how much each has sent of a message that is not complete.
 *
 * ZeroMQ passes on a message when its last frame has come, and limits only the size of each frame. A peer that never
 * sends a last frame would fill the memory. So bytes are counted from outside: the kernel knows how many a TCP
 * connection has received and how many still wait to be read. What ZeroMQ has read since the last complete message
 * belongs to one that is not complete. A connection over its limit is shut down, and ZeroMQ frees what it sent.
 * Connections over ipc have no such count; they are the user's own. Nor has any outside Linux.
 *
 * On Linux connections leave some descriptors to files: see accept4 in peers.c.
 *
 * A connection on which nobody says hello, and a spectator that subscribes to nothing, is shut down after ten
 * seconds; after one while newcomers find no descriptor. ZeroMQ itself disconnects only those that do
 * not even finish its handshake. */
#ifndef PEERS_H
#define PEERS_H

#include <stdint.h>

#include "keys.h"

enum { PEERS_SOCKETS = 2 };

struct peers;

/* NULL: the system has no descriptors or no memory left. */
struct peers *peers_new(int64_t now_ms);
void peers_free(struct peers **peers);

/* Watches the connections of a ZeroMQ socket that is not bound yet. `socket`: its number below PEERS_SOCKETS.
 * `limit`: bytes of a message. `queue`: how many complete messages of one connection may be received before the
 * first of another. -1: ZeroMQ reports no events. */
int peers_watch(struct peers *self, int socket, void *context, void *watched, int64_t limit, int queue);

/* Forgets a socket's connections, before it is closed. */
void peers_leave(struct peers *self, int socket);

/* A complete message has come from a connection with that descriptor. `number`: the connection's, which is_greeted
 * knows; 0: it needs no greeting beyond this message. `key`: whose it is, or "". */
void peers_heard(struct peers *self, int socket, int file, uint64_t number, const char *key);

/* The socket was found without a complete message. */
void peers_drained(struct peers *self, int socket);

/* Milliseconds until the next look makes sense; then the descriptor (-1: none) is worth waiting for. While
 * `is_busy`, looks are needed even if nothing more is sent, since ZeroMQ reports late which peers have left. */
int64_t peers_pause(const struct peers *self, int64_t now_ms);
int peers_descriptor(const struct peers *self);
int peers_is_busy(const struct peers *self, int64_t now_ms);

/* Says which connections have been greeted. */
struct peers_host {
    const void *context;
    int (*is_greeted)(const void *context, uint64_t number);
};

/* Looks at connections that have sent something and shuts down those over their limits, and those that are silent. Does
 * nothing while complete messages may wait in ZeroMQ. Gives freed memory back to the system. */
void peers_look(struct peers *self, const struct peers_host *host, int64_t now_ms);

/* Shuts down a connection. */
void peers_shut(struct peers *self, int file);

/* Shuts down the connections of keys that are not listed, and of peers that have not said anything yet: with a listed
 * key they connect again by themselves. */
void peers_keep(struct peers *self, const struct keys *allowed);

#endif
