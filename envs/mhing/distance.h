/* The parts that distances are made of, for hands of a certain kind (bots/plans.c). */
#ifndef MHING_DISTANCE_H
#define MHING_DISTANCE_H

#include "base/mh_two.h"
#include "hand.h"

/* A hand seen from the tables: the classes of its four groups, the three suits and the honours. */
enum { HONOURS = SUITS, GROUPS, ALL_GROUPS = (1 << GROUPS) - 1 };

struct classes {
    uint8_t of[GROUPS];
};

/* One of the three suits or the honours, and what one more card of a type gains: a word for no pair and one for a pair,
 * in it a lane for each number of melds, in a lane a bit for each type, set where a card less is missing from so many
 * melds and pairs. */
struct group {
    mh_two gains;
    int class; /* 0: that of no cards */
};

/* Groups found before, at places that follow from their cards. The hands of a decision differ by a few cards, so they
 * have nearly all groups in common. */
enum { KNOWN_GROUPS_BITS = 5, KNOWN_GROUPS = 1 << KNOWN_GROUPS_BITS };

struct known_groups {
    uint64_t cards[GROUPS][KNOWN_GROUPS]; /* of each as a number; 0: none is known there */
    struct group groups[GROUPS][KNOWN_GROUPS];
};

static inline void known_groups_clear(struct known_groups *known)
{
    memset(known->cards, 0, sizeof known->cards);
}

/* The groups of a hand: `own` ones or known ones. */
struct groups {
    struct group own[GROUPS];
    const struct group *of[GROUPS];
};

/* Finds the groups of a hand, all its own; `known` may be NULL, as in all that takes it. */
void mhing_find_groups(const struct mhing_hand *hand, struct known_groups *known, struct groups *groups);

/* Returns the types, of a bit set of the groups and jokers, of which another card leaves one card less than `missing`
 * missing from so many melds and a pair; none where more are missing now. */
uint64_t mhing_groups_help(const struct group *const groups[GROUPS], int melds, int missing, unsigned of);

struct classes mhing_classes_of(const uint16_t key[7]);
int mhing_suit_class(const uint16_t key[2]);

/* Cards missing from so many melds and a pair, made of four groups of these classes in any order, 0 for one without
 * cards; from a hand in which nothing connects; from seven pairs. Jokers are not counted as held. */
int mhing_melds_missing(int a, int b, int c, int d, int melds);
int mhing_nothing_connects_missing(uint64_t held);
int mhing_seven_pairs_missing(const uint8_t count[TYPES]);

/* Returns the types of which another card leaves at most `most` cards missing from each of these; none where more
 * than one more is missing. Of a hand for melds only its keys and the counts of its honours are read. */
uint64_t mhing_melds_help(const struct mhing_hand *hand, int melds, int most, struct known_groups *known);
uint64_t mhing_nothing_connects_helps(const struct mhing_hand *hand, int most);
uint64_t mhing_seven_pairs_help(const struct mhing_hand *hand, int most);

#endif
