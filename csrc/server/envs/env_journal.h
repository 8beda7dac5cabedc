/* An environment as an entry of a session's journal. */
#ifndef ENV_JOURNAL_H
#define ENV_JOURNAL_H

#include "env.h"

void env_write(const struct env *self, struct wire_out *out);

/* Makes the environment of such an entry. NULL with an error. */
struct env *env_read(const struct wire_args *entry, struct wire_error *error);

#endif
