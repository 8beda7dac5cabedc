/* The environments of a session. */
#ifndef ENVS_H
#define ENVS_H

#include "env.h"

struct envs {
    struct env *first;
    int64_t made;      /* number of the last one */
    int count, rows;   /* of all together */
    size_t reply_size; /* of the largest reply that one of them gives */
    size_t kept_size;  /* of the last replies of all, which they keep */
};

/* Makes one from the map in the first argument, and answers with its number and sizes. Returns the number of results, or
 * -1 with an error. */
int envs_make(struct envs *self, const struct env_limits *limits, const struct wire_args *args,
              struct answer *answer, struct wire_error *error);

/* The one whose number is the first argument. NULL with an error. */
struct env *envs_find(const struct envs *self, const struct wire_args *args, struct wire_error *error);

void envs_close(struct envs *self, struct env *env);

/* Writes all of them as entries of a journal, and adds the one of such an entry. */
void envs_write(const struct envs *self, struct wire_out *out);
int envs_read(struct envs *self, const struct wire_args *entry, struct wire_error *error);

void envs_free(struct envs *self);

/* Rows of the largest one. */
int envs_most_rows(const struct envs *self);

#endif
