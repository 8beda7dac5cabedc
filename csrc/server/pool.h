/* The messages that a session's replies are written into, used again as soon as nobody holds them any more: memory of
 * large replies is then not given back and asked for all the time, and a client that does not read what it is sent
 * runs into the limit. */
#ifndef POOL_H
#define POOL_H

#include "wire.h"

struct pool {
    struct wire_message **messages;
    int count, space;
    size_t bytes, limit;
};

/* A message for `size` bytes, which the pool keeps. NULL: all are held by others and the limit does not allow more. */
struct wire_message *pool_take(struct pool *self, size_t size);

/* Gives back the memory of what nobody holds. */
void pool_trim(struct pool *self);

void pool_free(struct pool *self);

#endif
