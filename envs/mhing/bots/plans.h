/* The distances of a hand from each kind of valuable hand. */
#ifndef MHING_PLANS_H
#define MHING_PLANS_H

#include "player.h"

enum mhing_plan {
    PLAN_ANY,
    PLAN_NOTHING_CONNECTS,
    PLAN_SEVEN_PAIRS,
    PLAN_ONE_SUIT,
    PLAN_ONE_SUIT_WITH_HONOURS,
    PLAN_TWO_SUITS,
    PLAN_HIGH_OR_LOW,
    PLAN_TRIPLETS,
    PLAN_ALL_FIVE,
    PLAN_IDENTICAL_DOUBLE_SEQUENCE,
    PLAN_DOUBLE_SEQUENCE,
    PLAN_ROYAL_RUN,
    PLANS
};

enum { PLAN_NEVER = 15 }; /* a distance that no hand has: what lies on the table rules the plan out */

/* Cards to exchange until the hand is complete by the plan, and unseen cards that bring it nearer; 0 of these from
 * PLAN_FAR on. */
enum { PLAN_FAR = 6 };

struct plans {
    uint8_t distance[PLANS];
    uint8_t useful[PLANS];
};

/* Judges the hand of a player before its draw, at its distance; `unseen`: the cards that it has not seen. Useful cards
 * of plans other than PLAN_ANY take half of the time: unless `counts` is set, they are 0. */
void mhing_look_at_plans(const struct mhing_player *player, int distance, const struct unseen_cards *unseen,
                         int counts, struct plans *plans);

#endif
