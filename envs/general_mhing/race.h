/* The race to the fourth sequence, as chances.
 *
 * A seat stands at a level: how many sequences lie in front of it, and what they score. In each of its turns it lays
 * one more with some chance, which brings it to a higher level; the fourth one ends the round if it wins. From that
 * follows what each situation is worth to the seat on turn, in the unit of the reward. There are so few of them that
 * all are solved during the build. Cards play no part in it but for the seat on turn, whose hand says what it may hope
 * for.
 *
 * Seats are counted from the seat on turn, clockwise.
 */
#ifndef GENERAL_RACE_H
#define GENERAL_RACE_H

#include "turns.h"

/* A race of so many seats for a reward, in which nobody has laid anything. */
void race_begin(struct race *race, int seats, int reward);

/* The value of so many sequences with this tally when the turn ends. A fourth one ends the round. */
double race_worth(const struct race *race, int sequences, int tally);

/* All of a race that does not depend on the hand of the seat on turn, which stands at a level. */
struct standing {
    int level, next_level;
    struct outcomes next; /* of the next seat's turn */
    struct others others; /* from that seat on */
    struct others after_next;
    double laying[TALLIES];
};

void race_stand(const struct race *race, int level, struct standing *standing);

/* The value when the turn ends, with these hopes for the turns to come. `take` is the chance that the next seat lays
 * the discard; negative: there is none. */
double race_worth_with(const struct standing *standing, const struct hopes *hopes, double take);

/* The value of a draw with these hopes, where `stay` is the value of laying nothing. */
double race_draw(const struct standing *standing, const struct hopes *hopes, double stay);

#endif
