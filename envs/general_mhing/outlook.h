/* What a seat may hope for: which cards would complete a sequence that scores how much, what that makes of the race,
 * and what a discard gives away. The expert judges its moves by it, and a net learns from it.
 *
 * race.h knows what each situation is worth in the unit of the reward.
 */
#ifndef GENERAL_OUTLOOK_H
#define GENERAL_OUTLOOK_H

#include "position.h"
#include "race.h"

/* What the seat on turn knows. */
struct outlook {
    uint64_t live;      /* cards that may come to it */
    double each;        /* the chance that a draw is a certain one of them */
    double held[CARDS]; /* the chance that the next seat holds a card */
    struct race race;
};

/* How a hand stands to a sequence of a kind, in ranks of its suit. */
struct lack {
    unsigned cards;  /* that the hand has not */
    int count;       /* how many it lacks; an ace in the hand stands for one of them */
    unsigned useful; /* where it lacks one: each card that completes it */
    int possible;    /* whether they can still come */
};

static inline struct lack lack_of(unsigned held, unsigned live, int low)
{
    struct lack lack = {7u << low & ~held, 0, 0, 0};
    const unsigned ace_held = low > 0 ? held & 1 : 0;
    const unsigned ace_live = low > 0 ? live & 1 : 0;
    const int dead = mh_bits_count(lack.cards & ~live);
    lack.count = mh_bits_count(lack.cards) - (lack.cards && ace_held);
    lack.useful = dead && !ace_held ? 1 : (lack.cards & live) | ace_live;
    lack.possible = dead <= (int)(ace_held | ace_live);
    return lack;
}

/* What a round is played for, an enum general_reward. A game is won by points, more of them than the others have. */
int outlook_aim(const struct general_state *state);
void outlook_of(const struct general_state *state, struct outlook *outlook);

/* What each kind of sequence would make of the tally. */
void outlook_tallies(const struct position *position, uint8_t tallies[KINDS]);

/* What a hand is worth when its turn ends without a discard. */
double outlook_waiting(const struct outlook *outlook, const struct position *position,
                       const uint8_t tallies[KINDS]);

/* What it is worth after each discard: writes by card, for those in the hand. */
void outlook_discards(const struct outlook *outlook, const struct position *position, const uint8_t tallies[KINDS],
                      double worth[CARDS]);

/* What a sequence is worth once it lies, before the two draws. */
double outlook_laid(const struct outlook *outlook, const struct position *after, const uint8_t tallies[KINDS],
                    struct sequence sequence);

/* What a hand is worth before its draw. */
double outlook_drawing(const struct outlook *outlook, const struct position *position,
                       const uint8_t tallies[KINDS]);

/* The chance that the next seat can lay a card. */
double outlook_take_chance(const struct outlook *outlook, int card);

#endif
