/* The distance of cards from an objective (R2, R3); 0: they meet it. Exact; melds already laid are not looked at. */
#ifndef RUMMY_SOLVE_H
#define RUMMY_SOLVE_H

#include "cards.h"

struct rummy_objective {
    int sets, runs;
};

/* Cards as the search takes them: naturals by type, at least one and both, and beside them the black 2s that are
 * wild. In rounds without runs black 2s are naturals. */
struct holding {
    uint64_t any, both;
    int wilds;
};

static inline struct holding holding_of(struct cards cards, int wild)
{
    const uint64_t any = cards_any(cards);
    const uint64_t both = cards_both(cards);
    const struct holding all = {any, both, 0};
    const struct holding apart = {any & ~BLACK_TWOS, both & ~BLACK_TWOS,
                                  mh_bits_count(any & BLACK_TWOS) + mh_bits_count(both & BLACK_TWOS)};
    return wild ? apart : all;
}

enum { ALL_LACK = 12 /* more than any objective has cards */ };

/* The fewest cards that must come to the holding so that it has the sets and runs wanted, each of the least size; 0:
 * they can be laid. `limit` when they are no fewer than that. They are known to be no fewer than `least`, so that the
 * search ends once so few are found: a hand with a card more lacks as many or one less, a hand with a card less as many
 * or one more. */
int rummy_lacking(const struct holding *holding, struct rummy_objective wanted, int least, int limit);

/* The same of a hand of which nothing is laid. */
static inline int rummy_hand_lacking(struct cards hand, struct rummy_objective objective, int least, int limit)
{
    const struct holding holding = holding_of(hand, objective.runs > 0);
    return rummy_lacking(&holding, objective, least, limit);
}

/* The types of which one card more makes fewer lack than `lacking`, which is what rummy_lacking found. */
uint64_t rummy_helping(const struct holding *holding, struct rummy_objective wanted, int lacking);

/* A run of which some places are settled. */
struct run_begun {
    int suit;        /* -1: not begun */
    unsigned window; /* places that it has or will have in any case */
    unsigned filled; /* of these places, those with a card already */
};

/* R6: whether all the cards fit into one set and two runs, beside what these have already. `set_rank` is -1 while
 * the set is not begun. */
int rummy_covers(const struct holding *rest, int set_rank, const struct run_begun runs[2]);

#endif
