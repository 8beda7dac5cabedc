#include "request.h"

#include <stdlib.h>
#include <string.h>

struct request_waiting *request_line_add(struct request_line *self, uint64_t seq, const unsigned char *bytes,
                                         size_t size)
{
    enum { MOST = 32 /* the largest window */, MOST_BYTES = 1 << 24, MOST_OF_ALL = 1 << 28 };
    const int has_room = self->count < MOST && size <= MOST_BYTES - self->bytes && *self->all <= MOST_OF_ALL;
    struct request_waiting *waiting = has_room ? malloc(sizeof *waiting + size) : NULL;
    if (!waiting) {
        return NULL;
    }
    *waiting = (struct request_waiting){.seq = seq, .size = size};
    memcpy(waiting->bytes, bytes, size);
    *(self->last ? &self->last->next : &self->first) = waiting;
    self->last = waiting;
    self->count++;
    self->bytes += size;
    *self->all += size;
    return waiting;
}

int request_line_has(const struct request_line *self, uint64_t seq, const unsigned char *bytes, size_t size)
{
    const struct request_waiting *waiting = self->first;
    while (waiting && (waiting->seq != seq || waiting->size != size || memcmp(waiting->bytes, bytes, size) != 0)) {
        waiting = waiting->next;
    }
    return waiting != NULL;
}

void request_line_drop(struct request_line *self)
{
    struct request_waiting *waiting = self->first;
    self->first = waiting->next;
    self->last = self->first ? self->last : NULL;
    self->count--;
    self->bytes -= waiting->size;
    *self->all -= waiting->size;
    if (waiting->is_begun) {
        wire_drop(&waiting->request.answer.out);
    }
    free(waiting);
}
