/* The table of all requests. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "request.h"

enum request_flags {
    REQUEST_ENV = 1,        /* its first argument names an environment */
    REQUEST_AGAIN = 2,      /* executed again from the session's journal, where others leave their replies */
    REQUEST_HELLO = 4,      /* needs no session; begins one or goes on with one */
    REQUEST_UNNUMBERED = 8, /* answers a table's question: its number is the question's, and success has no reply */
};

struct request_kind {
    const char *name;
    request_handler *run;
    int flags;
};

/* NULL: no request has that name. */
const struct request_kind *requests_find(const char *name);

/* Executes a request, or refuses one of no kind (NULL). As a request_handler returns. */
int requests_run(const struct request_kind *kind, const char *name, struct request *request);

#endif
