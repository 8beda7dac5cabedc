/* Replies of rows. The batch writes observations and masks, nearly all of a reply, where they are sent from. */
#ifndef ENV_ROWS_H
#define ENV_ROWS_H

#include "env.h"

/* Bytes of the largest reply of an environment. */
size_t env_reply_size(const struct env *self);

/* The effect of a request on the rows. */
enum env_change {
    ENV_STEPPED, /* steps all rows that are not over */
    ENV_STARTED, /* starts all rows */
    ENV_TOUCHED  /* changes the rows in `chosen` */
};

/* Begins a reply, before the batch writes to the rows. */
int env_begin_rows(struct env *self, enum env_change change, struct answer *answer, struct wire_error *error);

/* Ends it, when the batch has written. Returns the number of results. */
int env_end_rows(struct env *self, enum env_change change, struct answer *answer);

#endif
