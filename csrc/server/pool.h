/* The messages that a session's replies are written into. A message is reused as soon as nobody else holds it. This
 * saves allocations of large replies, and a client that does not read runs into the limit. */
#ifndef POOL_H
#define POOL_H

#include "wire.h"

struct pool {
    struct wire_message **messages;
    int count, space;
    size_t bytes, limit;
};

/* A message for `size` bytes, owned by the pool. NULL: others hold all messages, and the limit allows no more. */
struct wire_message *pool_take(struct pool *self, size_t size);

/* Frees messages that nobody holds. */
void pool_trim(struct pool *self);

void pool_free(struct pool *self);

#endif
