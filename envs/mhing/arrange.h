/* Melds and a pair: the arrangement of a hand that earns most (R5.5). */
#ifndef MHING_ARRANGE_H
#define MHING_ARRANGE_H

#include "mhing.h"

struct mhing_arrangement {
    int credits;         /* before flowers */
    uint8_t kind[MELDS]; /* those on the table first */
    int8_t pair;         /* type; -1: none yet */
};

/* Finds four melds and a pair for a hand of so many cards that they can be made of it. Returns 1, or 0 when the hand
 * has none. Of arrangements with equal credits always the same one is found. */
int mhing_arrange(const struct mhing_cards *cards, struct mhing_arrangement *best);

#endif
