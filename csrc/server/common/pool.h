/* The messages that a session's replies are written into. A message is reused as soon as nobody else holds it. This
 * saves allocations of large replies, and a client that does not read runs into the limit: it counts what is on its way
 * to the client, and not what the session itself keeps. So a session of which nothing is on its way always gets a
 * message, whatever it keeps. */
#ifndef POOL_H
#define POOL_H

#include "wire.h"

struct pool {
    struct wire_message **messages;
    int count, space;
    size_t bytes; /* of all messages */
    size_t kept;  /* of those that the session remembers, as it says */
    size_t limit; /* for the others that are not free */
};

/* A message for `size` bytes, owned by the pool. NULL: the limit is exceeded, or there is no memory. */
struct wire_message *pool_take(struct pool *self, size_t size);

/* Frees messages that nobody holds. */
void pool_trim(struct pool *self);

void pool_free(struct pool *self);

#endif
