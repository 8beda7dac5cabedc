/* The environments of a session. Its numbers stand for themselves while the environments are in a journal only. */
#ifndef ENVS_H
#define ENVS_H

#include "env_journal.h"

struct envs {
    struct env *first;
    int64_t made;      /* number of the newest */
    int count, rows;   /* of all environments */
    size_t reply_size; /* bytes of the largest reply */
    size_t kept_size;  /* bytes of the last replies, which environments keep */
    int is_resized;    /* these numbers are not in the journal yet */
};

/* Makes an environment from the map in the first argument and replies with its number and sizes. Returns the number
 * of results, or -1 with an error. */
int envs_make(struct envs *self, const struct env_limits *limits, const struct wire_args *args,
              struct answer *answer, struct wire_error *error);

/* Takes back what envs_make has just made, and the number. */
void envs_unmake(struct envs *self);

/* The environment whose number is the first argument. NULL with an error. */
struct env *envs_find(const struct envs *self, const struct wire_args *args, struct wire_error *error);

void envs_close(struct envs *self, struct env *env);

/* Writes all environments as items of a journal, and their numbers. */
void envs_write(struct envs *self, struct wire_out *out);

/* Writes their numbers, if the journal has others. */
void envs_write_sizes(struct envs *self, struct wire_out *out);

/* Adds the environment of such an item, as env_read; reads the numbers of one. */
int envs_read(struct envs *self, struct env_reading *reading, const struct wire_args *entry, int64_t until,
              struct wire_error *error);
int envs_read_sizes(struct envs *self, const struct wire_args *entry, struct wire_error *error);

void envs_free(struct envs *self);

/* Rows of the largest environment. */
int envs_most_rows(const struct envs *self);

#endif
