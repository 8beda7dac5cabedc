/* The table of all requests. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "common/request.h"

enum request_flags {
    REQUEST_ENV = 1,        /* its first argument names an environment */
    REQUEST_AGAIN = 2,      /* the journal keeps the request and executes it again; of others it keeps the reply */
    REQUEST_HELLO = 4,      /* needs no session; begins or resumes one */
    REQUEST_UNNUMBERED = 8, /* has a question's number, and no reply on success */
    REQUEST_SEAT = 16       /* changes a table, which has another journal */
};

struct request_kind {
    const char *name;
    request_handler *run;
    int flags;
};

/* NULL: no request has that name. */
const struct request_kind *requests_find(const char *name);

/* Its place in the table, and the name of the kind at that place: for METER_KINDS - 1, and places without one, NULL. */
int requests_place(const struct request_kind *kind);
const char *requests_name(int place);

/* Executes a request, or refuses one of no kind (NULL). As a request_handler returns. */
int requests_run(const struct request_kind *kind, const char *name, struct request *request);

#endif
