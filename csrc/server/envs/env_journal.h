/* An environment as an entry of a session's journal. */
#ifndef ENV_JOURNAL_H
#define ENV_JOURNAL_H

#include "env.h"

void env_write(const struct env *self, struct wire_out *out);

/* An environment of which rows are still to be loaded. All zeros: none. It must stay where it is. */
struct env_reading {
    struct env *env;
    size_t loaded; /* rows */
    struct pool pool;
    struct answer answer; /* with the rows' arrays */
};

/* Makes the environment of such an entry until that time, of mh_pool_now, or continues it. 0: it is there, and the
 * caller's; 1: rows are left, and the same entry is due again; -1 with an error. */
int env_read(struct env_reading *self, const struct wire_args *entry, int64_t until, struct env **env,
             struct wire_error *error);

void env_reading_free(struct env_reading *self);

#endif
