/* A request on its way to the function that executes it. */
#ifndef REQUEST_H
#define REQUEST_H

#include "answer.h"

struct server;
struct session;
struct env;

struct request {
    struct server *server;
    struct session *session;
    struct env *env; /* named by the first argument, or NULL */
    struct wire_args args;
    int64_t now_ms;
    int64_t steps; /* rows that it has stepped */
    struct answer answer;
    struct wire_error error;
};

/* Returns the number of results written to `answer`, or -1 with an error and nothing changed. */
typedef int request_handler(struct request *request);

#endif
