/* The race to the fourth sequence, as chances.
 *
 * A seat stands at a level: how many sequences lie in front of it, and what they score. In each of its turns it lays
 * one more with some chance, which brings it to a higher level; the fourth one ends the round if it wins. From that,
 * race_solve finds what each situation is worth to the seat on turn, in the unit of the reward. Cards play no part in
 * it but for that seat, whose hand says what it may hope for.
 *
 * Seats are counted from the seat on turn, clockwise.
 */
#ifndef GENERAL_RACE_H
#define GENERAL_RACE_H

#include "general_mhing.h"

enum {
    LEVELS = 1 + 2 + 4 + 7, /* of no sequence to three; three can score more than six, but hardly ever do */
    TALLIES = 10            /* from 0 to the most that four sequences score */
};

struct race {
    int seats;
    int reward; /* enum general_reward */
    int levels[SEATS];
    double worth[LEVELS][LEVELS][LEVELS][SEATS]; /* by the levels of the seats, and by who has the next turn */
};

/* For each tally the chance in a turn to lay a sequence and score that much then. */
struct hopes {
    double chances[TALLIES];
    int ready; /* tally of the best sequence in the hand; -1: none */
};

int race_level(int sequences, int tally);

/* Adds the chance that any hand has to lay a sequence at a level, as a whole `chance`. */
void race_hope_more(int level, double chance, struct hopes *hopes);

/* Fills in `worth` for all levels that can still be reached, the seat on turn having as many sequences as it has. */
void race_solve(struct race *race);

/* What the seat on turn earns when that seat wins the round with so many points. */
double race_payoff(const struct race *race, int winner, int points);

/* What it is worth to have so many sequences with this tally when the turn ends. A fourth one ends the round. */
double race_worth(const struct race *race, int sequences, int tally);

/* The same with these hopes for the turns to come, in place of those of any hand. `take` is the chance that the next
 * seat lays the discard; negative: there is none. */
double race_worth_with(const struct race *race, int level, const struct hopes *hopes, double take);

/* What a draw is worth with these hopes, where `stay` is what it is worth to lay nothing. */
double race_draw(const struct race *race, int sequences, const struct hopes *hopes, double stay);

#endif
