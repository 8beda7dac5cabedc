/* The environments of a session: batches of the core that are made, stepped and closed by its requests. */
#ifndef ENVS_H
#define ENVS_H

#include "answer.h"

struct env;

struct envs {
    struct env *first;
    int64_t made;      /* number of the last one */
    int count, rows;   /* of all together */
    int64_t steps;     /* of single rows, since the start */
    size_t reply_size; /* of the largest reply that one of them gives */
    size_t kept_size;  /* of the last replies of all, which they keep */
};

/* What a new environment may be. */
struct envs_limits {
    int rows;           /* that are left */
    int rows_in_flight; /* times `window` */
    int window;
};

/* Whether a request of that name is of this mode. */
int envs_has(const char *name);

/* Does one, whose arguments are as PROTOCOL.md has them. Returns the number of results written to `answer`, or -1 with
 * an error and nothing changed. */
int envs_request(struct envs *self, const struct envs_limits *limits, const char *name,
                 const struct wire_args *args, struct answer *answer, struct wire_error *error);

/* Writes all of them as entries of a journal, and adds the one of such an entry. */
void envs_write(const struct envs *self, struct wire_out *out);
int envs_read(struct envs *self, const struct wire_args *entry, struct wire_error *error);

void envs_free(struct envs *self);

/* Rows of the largest one. */
int envs_most_rows(const struct envs *self);

/* The error of a status of the core other than MH_OK. Returns -1. */
int envs_refuse(struct wire_error *error, int status, const char *message);

#endif
