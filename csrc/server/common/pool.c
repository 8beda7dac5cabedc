#include "pool.h"

#include <stdlib.h>

/* Small replies do not occupy messages that large ones will need again. */
static int has_room_for(const struct wire_message *message, size_t size)
{
    enum { WASTE = 4096 };
    return message->capacity >= size && message->capacity <= 4 * size + WASTE;
}

static int make_space(struct pool *self)
{
    if (self->count < self->space) {
        return 1;
    }
    const int space = self->space ? 2 * self->space : 4;
    struct wire_message **messages =
        (struct wire_message **)realloc((void *)self->messages, (size_t)space * sizeof *messages);
    if (!messages) {
        return 0;
    }
    self->messages = messages;
    self->space = space;
    return 1;
}

static struct wire_message *add_message(struct pool *self, size_t size)
{
    const size_t most = self->kept + self->limit;
    if (self->bytes + size > most) {
        pool_trim(self);
    }
    if (self->bytes > most || !make_space(self)) {
        return NULL;
    }
    struct wire_message *message = wire_message_new(size);
    if (message) {
        self->messages[self->count++] = message;
        self->bytes += size;
    }
    return message;
}

/* Reuses the first messages, so that the caches see as little memory as possible. */
struct wire_message *pool_take(struct pool *self, size_t size)
{
    enum { LEAST = 512 };
    const size_t rounded = size < LEAST ? LEAST : size;
    for (int i = 0; i < self->count; i++) {
        struct wire_message *message = self->messages[i];
        if (has_room_for(message, rounded) && wire_is_free(message)) {
            return message;
        }
    }
    return add_message(self, rounded);
}

void pool_trim(struct pool *self)
{
    int kept = 0;
    for (int i = 0; i < self->count; i++) {
        struct wire_message *message = self->messages[i];
        if (wire_is_free(message)) {
            self->bytes -= message->capacity;
            wire_release(message);
        } else {
            self->messages[kept++] = message;
        }
    }
    self->count = kept;
}

void pool_free(struct pool *self)
{
    for (int i = 0; i < self->count; i++) {
        wire_release(self->messages[i]);
    }
    free((void *)self->messages);
    *self = (struct pool){.messages = NULL};
}
