/* The answer to one request of a session, written into a message of its pool. */
#ifndef ANSWER_H
#define ANSWER_H

#include "pool.h"

struct answer {
    uint64_t seq;
    struct pool *pool; /* NULL: the answer allocates its memory, and is refused only if the system has none */
    struct wire_out out;
};

/* The code of an error that is not a reply: the request was not executed and may be sent again. */
extern const char answer_slow[];

/* Begins ["ok", seq, ...] for results of about `size` bytes. Refused when the client does not read its replies. */
int answer_begin(struct answer *self, size_t size, struct wire_error *error);

/* Ends it, now that the number of results is known (at most 13). NULL: no memory. */
struct wire_message *answer_end(struct answer *self, int results);

/* ["error", seq, code, text]. NULL: no memory. */
struct wire_message *answer_error(uint64_t seq, const struct wire_error *error);

#endif
