/* A request on its way to the function that executes it, and those that wait for their turn. */
#ifndef REQUEST_H
#define REQUEST_H

#include "answer.h"
#include "meter.h"

struct server;
struct session;
struct env;
struct request_kind;

struct request {
    struct server *server;
    struct session *session;
    struct env *env; /* named by the first argument, or NULL */
    struct wire_args args;
    int64_t now_ms;
    int64_t until;     /* of mh_pool_now: when to leave the rest for the next slice */
    int is_unfinished; /* there is a rest, for env_continue */
    int change;        /* enum env_change, of what is unfinished */
    int64_t steps;     /* rows that it has stepped */
    struct answer answer;
    struct wire_error error;
};

/* Returns the number of results written to `answer`, or -1 with an error and nothing changed. With `is_unfinished` the
 * number means nothing yet. */
typedef int request_handler(struct request *request);

/* A request that waits for its turn, or is being executed. */
struct request_waiting {
    struct request_waiting *next;
    const struct request_kind *kind; /* once it has begun */
    int is_begun;
    uint64_t seq;
    struct meter_mark mark;
    struct request request; /* once it has begun */
    size_t size;
    unsigned char bytes[]; /* as it came */
};

/* The waiting requests of a session, in order; only the first one may have begun. */
struct request_line {
    struct request_waiting *first, *last;
    int count;
    size_t bytes;
    size_t *all; /* bytes of all sessions' */
};

/* Adds a request, of which the bytes are copied. NULL: too many wait, or there is no memory. */
struct request_waiting *request_line_add(struct request_line *self, uint64_t seq, const unsigned char *bytes,
                                         size_t size);

/* True if the same request waits already. */
int request_line_has(const struct request_line *self, uint64_t seq, const unsigned char *bytes, size_t size);

/* Forgets the first request, and its reply if it has not been finished. */
void request_line_drop(struct request_line *self);

#endif
