/* The expert player: optimal stopping against the chance that others declare first.
 *
 * A hand before its draw is in a race. Time is counted in cycles, in which each seat has one turn. Each useful type t
 * comes at a rate l_t, and the others end the round at a rate m. If the cards of a set S are taken when they come, and
 * t is worth v_t then, the hand is worth
 *
 *     V(S) = (m lost + sum over S of l_t v_t) / (m + sum over S of l_t)
 *
 * where `lost` is what the seat earns when somebody else declares. The best S has the types with v_t > V.
 *
 * One card from complete, v_t is what the completed hand pays. Two or three cards away it is the same V after the best
 * discard, one card nearer. Farther away only the chance to get there counts. The expert discards for the largest V,
 * claims where that raises V, and declares where the hand pays at least V: so it passes up cheap hands early on.
 *
 * All this is known to the seat (R10.5). Doubles are added, multiplied and divided in a fixed order, so that all
 * machines decide alike.
 */
#ifndef MHING_EXPERT_H
#define MHING_EXPERT_H

#include "distance.h"
#include "player.h"

/* ---- The race -------------------------------------------------------------------------------------------- */

/* Cards that may come, each at a rate and then worth so much. */
struct race {
    int cards;
    double rate[JOKER + 1];
    double worth[JOKER + 1]; /* in falling order */
};

static inline void race_add(struct race *race, double rate, double worth)
{
    int place = race->cards++;
    for (; place > 0 && race->worth[place - 1] < worth; place--) {
        race->rate[place] = race->rate[place - 1];
        race->worth[place] = race->worth[place - 1];
    }
    race->rate[place] = rate;
    race->worth[place] = worth;
}

/* Returns the value of the race where all are taken that are worth more, and the others end it at the rate `end`. */
static inline double race_value(const struct race *race, double end, double lost)
{
    double sum = end * lost;
    double rates = end;
    for (int i = 0; i < race->cards && race->worth[i] * rates > sum; i++) {
        sum += race->rate[i] * race->worth[i];
        rates += race->rate[i];
    }
    return sum / rates;
}

/* ---- outlook.c ------------------------------------------------------------------------------------------- */

enum { FARTHEST = 14, STAGES = FARTHEST + 1, MOST_CREDITS = 41, MEMOS = 2048 };

/* A value found before: of a hand at a stage, or the credits of a complete one. */
struct memo {
    uint64_t honours; /* counts of the honours and the jokers */
    uint16_t suits[6];
    double value;
};

/* The basis of a decision besides the hand. A stage is how many useful cards have come since the decision. */
struct outlook {
    double draw[JOKER + 1];    /* rate at which a type comes by own draws */
    double claim[JOKER + 1];   /* ... by own draws and by claims for a meld */
    double declare[JOKER + 1]; /* ... by own draws and by claims of MHING */
    double end[STAGES];        /* rate at which others declare, by stage */
    double pace[STAGES];       /* typical rate of all useful cards together, by distance */
    double worth[MOST_CREDITS + 1];
    double lost;
    struct known_groups known;
    int branch;           /* hands with different melds on the table do not share memos */
    uint16_t tags[MEMOS]; /* branch and stage of each memo, 0 for none; apart, since each decision clears them */
    struct memo memos[MEMOS];
};

/* Begins an outlook: how fast others declare at each stage, and how fast hands come nearer. */
void mhing_begin_outlook(const struct mhing_state *state, struct outlook *outlook);

/* The same, and all else that a decision of the seat rests on, from what it knows. */
void mhing_look_ahead(const struct mhing_state *state, int seat, const struct mhing_player *player,
                      struct outlook *outlook);

/* Returns the aim of play (enum mhing_reward): that of the option, but a whole game is won by points or chips. */
int mhing_goal(const struct mhing_state *state);

/* The reward of a seat for a declaration; payer: whose discard made it possible, or -1. */
double mhing_earned(const struct mhing_state *state, int seat, int payer, int credits);

/* The rate at which a type comes that brings the hand nearer. */
double mhing_rate_of(const struct outlook *outlook, const struct mhing_hand *hand, int type);

/* ---- expert.c -------------------------------------------------------------------------------------------- */

/* Returns what the seat may expect of its hand before its draw, at its distance, after so many stages. */
double mhing_expect(struct outlook *outlook, struct mhing_player *player, int distance, int stage);

#endif
