/* The parts that distances are made of, for hands of a certain kind (bots/plans.c). */
#ifndef MHING_DISTANCE_H
#define MHING_DISTANCE_H

#include "hand.h"

/* A hand seen from the tables: the classes of its four groups, the three suits and the honours. */
enum { HONOURS = SUITS, GROUPS };

struct classes {
    uint8_t of[GROUPS];
};

struct classes mhing_classes_of(const uint16_t key[7]);

/* Cards missing from so many melds and a pair; from a hand in which nothing connects; from seven pairs. Jokers are not
 * counted as held. */
int mhing_melds_missing(const struct classes *classes, int melds);
int mhing_nothing_connects_missing(uint64_t held);
int mhing_seven_pairs_missing(const uint8_t count[TYPES]);

/* Returns the types of which another card leaves at most `most` cards missing from each of these; none where more
 * than one more is missing. Of a hand for melds only its keys and the counts of its honours are read. */
uint64_t mhing_melds_help(const struct mhing_hand *hand, int melds, int most);
uint64_t mhing_nothing_connects_helps(const struct mhing_hand *hand, int most);
uint64_t mhing_seven_pairs_help(const struct mhing_hand *hand, int most);

#endif
