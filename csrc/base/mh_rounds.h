/* Rounds that ended in a row before another one of it did, in the same call: most calls have none. */
#ifndef MH_ROUNDS_H
#define MH_ROUNDS_H

#include <stdint.h>

/* Ended rounds; those of a row in the order of their ends. Several threads may add to it at once, on different rows. */
struct mh_rounds;

/* An empty list of rounds with so many public numbers. NULL: no memory. */
struct mh_rounds *mh_rounds_new(int info);
void mh_rounds_free(struct mh_rounds **rounds);

/* Adds a round; `is_final`: of an episode that another one has followed since. Returns 0 where there is no memory for
 * it. */
int mh_rounds_add(struct mh_rounds *self, int row, int is_final, const int64_t *numbers);

/* Another episode follows the one that the row's rounds are of. */
void mh_rounds_finish(struct mh_rounds *self, int row);

/* Forgets the row's rounds; unless `all` is set, only those of the episode that it is in. */
void mh_rounds_drop(struct mh_rounds *self, int row, int all);

/* Forgets all rounds. */
void mh_rounds_clear(struct mh_rounds *self);

/* Writes them row after row, where there is room for all. Returns how many there are, or
 * MH_ERROR_ARGUMENT where an array is missing. */
int mh_rounds_list(const struct mh_rounds *self, int capacity, int32_t *rows, uint8_t *finals, int64_t *numbers);

#endif
