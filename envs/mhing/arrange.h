/* Melds and a pair: the arrangement of a hand that earns most (R5.5). */
#ifndef MHING_ARRANGE_H
#define MHING_ARRANGE_H

#include "mhing.h"

struct mhing_arrangement {
    int credits;    /* before flowers */
    int pair;       /* type; -1: none yet */
    uint32_t kinds; /* of the melds, a byte each, those on the table first */
};

static inline int mhing_arranged_kind(const struct mhing_arrangement *self, int meld)
{
    return (int)(self->kinds >> 8 * meld) & 0xFF;
}

/* Finds four melds and a pair for a hand of so many cards that they can be made of it. Returns 1, or 0 when the hand
 * has none. Of arrangements with equal credits always the same one is found. */
int mhing_arrange(const struct mhing_cards *cards, struct mhing_arrangement *best);

#endif
