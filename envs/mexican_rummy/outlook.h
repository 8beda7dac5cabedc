/* The prospects of a seat before it is down: the chance that its hand meets the objective before the round ends. */
#ifndef RUMMY_OUTLOOK_H
#define RUMMY_OUTLOOK_H

#include "mexican_rummy.h"

/* Numbers found by playing rounds against greedy: mean own turns of a round at the deal, with four players; what turns
 * the odds as counted into those of play, and a factor of them for each card lacking beyond the first; the points left
 * at the end by a hand that did not get down, and of one that did: so many, and of those at hand so much. */
struct rummy_weights {
    double turns;
    double odds, farther;
    double missed, missed_share;
    double met, met_share;
};

enum { WILDS_MORE = 2 /* wilds to come that are counted */, RANK_CARDS = SUITS * DECKS, TWO_SETS = 2 * SET_CARDS };

/* Runs of one suit: the chance that the one that lacks fewest lacks at most so many cards, and how much of the chance
 * at `wilds` is due to runs that take the natural of a rank. */
struct suit_runs {
    double lacks_at_most[RUN_CARDS + 1];
    double takes[RANKS];
};

/* Runs of suits found before, at places that follow from the cards. The hands of a decision differ by a card or two, so
 * they have nearly all suits in common. */
enum { KNOWN_RUNS_BITS = 5, KNOWN_RUNS = 1 << KNOWN_RUNS_BITS };

struct known_runs {
    uint32_t cards[SUITS][KNOWN_RUNS]; /* of each as a number; 0: none are known there */
    struct suit_runs runs[SUITS][KNOWN_RUNS];
};

struct rummy_outlook {
    struct known_runs *known;
    struct rummy_objective objective;
    struct rummy_weights weights;
    int wild;
    double turns; /* own turns to be expected before the round ends */
    struct cards unseen;
    uint64_t fitting;                              /* types that fit onto a meld on the table */
    double comes[TYPES];                           /* chance that a card of the type does */
    double wilds[WILDS_MORE + 1];                  /* ... that so many wilds do; the last: or more */
    int of_rank[RANKS];                            /* unseen naturals */
    double points[RANKS];                          /* of a natural */
    double least_of[RANK_CARDS + 1][TWO_SETS + 1]; /* [n][k]: of n cards at least k come */
};

/* The prospects of a hand that is kept after a turn. */
struct rummy_prospects {
    struct cards hand;
    struct holding holding;
    struct suit_runs suits[SUITS];
    double of_rank[RANKS]; /* chance of a set */
    double runs, sets;     /* chance of those of the objective */
    double met;            /* ... of all, put right by what it was in play */
    double idle;           /* points of cards that no meld is likely to take */
    double cost;           /* points that the seat will be left with, to be expected */
    int lacking;           /* cards, if the chances depend on it or it was looked for */
    uint64_t useful;       /* unseen types that make them fewer, if they were looked for */
};

/* `known` is memory for the decision, which this clears. */
struct rummy_outlook rummy_outlook_of(const struct rummy_state *state, int seat, struct known_runs *known);

/* `like` is of another hand, of which this one has all cards but one at most; or NULL. What is the same is not counted
 * again. */
void rummy_look_at(const struct rummy_outlook *outlook, struct cards hand, const struct rummy_prospects *like,
                   struct rummy_prospects *prospects);
/* Looks for the cards that lack, if rummy_look_at did not need their number; `like` likewise. */
void rummy_find_lacking(const struct rummy_outlook *outlook, const struct rummy_prospects *like,
                        struct rummy_prospects *self);
/* Looks for the types that are useful, once the cards that lack are known. */
void rummy_find_useful(const struct rummy_outlook *outlook, struct rummy_prospects *self);

struct cards rummy_without_type(struct cards hand, int type);
struct cards rummy_with_type(struct cards hand, int type);

#endif
