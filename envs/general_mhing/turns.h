/* The outcomes of turns in the race to the fourth sequence, which race.h explains. Here is what race.c has in common
 * with the program that solves the race during the build: see tables/make_tables.c. */
#ifndef GENERAL_TURNS_H
#define GENERAL_TURNS_H

#include "general_mhing.h"

enum {
    LEVELS = 1 + 2 + 4 + 7, /* of no sequence to three; three score five at most, nets know one level more */
    TALLIES = 10            /* from 0 to the most that four sequences score */
};

struct race {
    int seats;
    int reward; /* enum general_reward */
    int levels[SEATS];
    const double *worth; /* of each situation to the seat on turn */
};

/* For each tally the chance in a turn to lay a sequence and score that much then. */
struct hopes {
    double chances[TALLIES];
    int ready; /* tally of the best sequence in the hand; -1: none */
};

/* The situations in a race of two seats, and of three. */
enum { SITUATIONS_OF_2 = LEVELS * LEVELS * 2, SITUATIONS_OF_3 = LEVELS * LEVELS * LEVELS * 3 };

/* The number of a situation: where the seats stand, and who has the next turn. */
static inline int race_situation(int seats, const int at[SEATS], int next)
{
    const int two = at[0] * LEVELS + at[1];
    return (seats > 2 ? two * LEVELS + at[2] : two) * seats + next;
}

/* ---- Levels ---------------------------------------------------------------------------------------------- */

enum { TALLY_GAINS = 5, LAST = SEQUENCES - 1 };

/* In 100,000 rounds of greedy players: the chance to lay a sequence in a turn, and what one more sequence adds to the
 * tally, 0 to 4 points, in percent. */
static const double chance_to_lay[SEQUENCES] = {0.25, 0.27, 0.30, 0.27};
static const uint8_t first_level[SEQUENCES + 1] = {0, 1, 3, 7, LEVELS};
static const struct level {
    uint8_t sequences;
    uint8_t tally;
    uint8_t percent[TALLY_GAINS];
} levels[LEVELS] = {
    {0, 0, {5, 95}},
    {1, 0, {47, 45, 8}},
    {1, 1, {65, 31, 4}},
    {2, 0, {21, 49, 28, 2}},
    {2, 1, {38, 43, 14, 5}},
    {2, 2, {51, 12, 27, 10}},
    {2, 3, {48, 8, 44}},
    {3, 0, {0, 18, 71, 11}},
    {3, 1, {4, 36, 36, 22, 2}},
    {3, 2, {18, 26, 34, 18, 4}},
    {3, 3, {22, 23, 27, 18, 10}},
    {3, 4, {38, 13, 12, 21, 16}},
    {3, 5, {38, 17, 8, 29, 8}},
    {3, 6, {0}}, /* never reached */
};

/* The chance that a turn is the last one for other reasons; it makes haste worth something. */
static const double CUT_SHORT = 0.002;

static inline int race_level(int sequences, int tally)
{
    assert(sequences >= 0 && sequences < SEQUENCES);
    const int level = first_level[sequences] + tally;
    return level < first_level[sequences + 1] ? level : first_level[sequences + 1] - 1;
}

/* Adds the chance that any hand has to lay a sequence at a level, as a whole `chance`. */
static inline void race_hope_more(int level, double chance, struct hopes *hopes)
{
    for (int i = 0; i < TALLY_GAINS && levels[level].tally + i < TALLIES; i++) {
        hopes->chances[levels[level].tally + i] += chance * levels[level].percent[i] / 100;
    }
}

/* ---- The end of a round ---------------------------------------------------------------------------------- */

/* The reward of the seat on turn when that seat wins the round with so many points. */
static inline double race_payoff(const struct race *race, int winner, int points)
{
    switch (race->reward) {
    case REWARD_POINTS:
        return winner == 0 ? points : 0;
    case REWARD_WIN:
        return winner == 0;
    default:
        return winner == 0 ? points : -(double)points / (race->seats - 1);
    }
}

/* The seat on turn ends the round with this tally. */
static inline double payoff_of_end(const struct race *race, const int at[SEATS], int tally)
{
    int32_t tallies[SEATS] = {tally};
    int32_t sequences[SEATS] = {SEQUENCES};
    for (int seat = 1; seat < race->seats; seat++) {
        tallies[seat] = levels[at[seat]].tally;
        sequences[seat] = levels[at[seat]].sequences;
    }
    const int winner = general_winner(race->seats, tallies, sequences);
    return winner < 0 ? 0 : race_payoff(race, winner, tallies[winner]);
}

/* The highest tally but that of one seat. */
static inline int highest_other(const struct race *race, const int at[SEATS], int but)
{
    int highest = 0;
    assert(race->seats <= SEATS);
    for (int seat = 0; seat < race->seats; seat++) {
        const int tally = levels[at[seat]].tally;
        highest = seat != but && tally > highest ? tally : highest;
    }
    return highest;
}

/* ---- Turns ----------------------------------------------------------------------------------------------- */

/* A seat's next turn: the chance that it lays a sequence, and that chance times what it is worth then. */
struct turn {
    double chance;
    double gain;
};

/* What another seat may lay in its turn, in percent of the turns in which it lays, and what that is worth. */
struct outcomes {
    int count;
    uint8_t percent[TALLY_GAINS];
    double worth[TALLY_GAINS];
};

static inline void add_outcome(struct outcomes *outcomes, uint8_t percent, double worth)
{
    outcomes->percent[outcomes->count] = percent;
    outcomes->worth[outcomes->count++] = worth;
}

/* It lays a fourth sequence only if it wins with it. */
static inline void outcomes_of_other(const struct race *race, const int at[SEATS], int seat,
                                     struct outcomes *outcomes)
{
    const struct level *level = &levels[at[seat]];
    const int next = seat + 1 == race->seats ? 0 : seat + 1;
    const int to_beat = highest_other(race, at, seat);
    int to[SEATS] = {at[0], at[1], at[2]};
    outcomes->count = 0;
    for (int i = 0; i < TALLY_GAINS && level->tally + i < TALLIES; i++) {
        const int tally = level->tally + i;
        if (level->sequences < LAST) {
            to[seat] = race_level(level->sequences + 1, tally);
            add_outcome(outcomes, level->percent[i], race->worth[race_situation(race->seats, to, next)]);
        } else if (tally > to_beat) {
            add_outcome(outcomes, level->percent[i], race_payoff(race, seat, tally));
        }
    }
}

/* A turn of another seat, which lays with this chance. */
static inline struct turn turn_of_other(const struct outcomes *outcomes, double chance)
{
    struct turn turn = {0, 0};
    for (int i = 0; i < outcomes->count; i++) {
        const double part = chance * outcomes->percent[i] / 100;
        turn.chance += part;
        turn.gain += part * outcomes->worth[i];
    }
    return turn;
}

/* The turns of the others, from a seat's to that of the last one before the seat on turn: what they bring, and the
 * chance that nobody lays anything. */
struct others {
    double nothing;
    double gain;
};

static inline struct others turn_before(struct turn turn, struct others others)
{
    const double nothing = (1 - turn.chance) * (1 - CUT_SHORT);
    others.gain = turn.gain + nothing * others.gain;
    others.nothing *= nothing;
    return others;
}

/* From each of the other seats on. */
static inline void turns_of_others(const struct race *race, const int at[SEATS], struct others others[SEATS + 1])
{
    assert(race->seats > 1 && race->seats <= SEATS);
    others[race->seats] = (struct others){1, 0};
    for (int seat = race->seats - 1; seat > 0; seat--) {
        struct outcomes outcomes;
        outcomes_of_other(race, at, seat, &outcomes);
        const double chance = chance_to_lay[levels[at[seat]].sequences];
        others[seat] = turn_before(turn_of_other(&outcomes, chance), others[seat + 1]);
    }
}

static inline double worth_of_laying(const struct race *race, const int at[SEATS], int sequences, int tally)
{
    if (sequences == SEQUENCES) {
        return payoff_of_end(race, at, tally);
    }
    const int after[SEATS] = {race_level(sequences, tally), at[1], at[2]};
    return race->worth[race_situation(race->seats, after, 1)];
}

/* The worth of a sequence more than so many, by the tally that it leads to. */
static inline void worths_of_laying(const struct race *race, const int at[SEATS], int sequences,
                                    double laying[TALLIES])
{
    for (int tally = 0; tally < TALLIES; tally++) {
        laying[tally] = worth_of_laying(race, at, sequences + 1, tally);
    }
}

/* Adds what comes with a chance, as far as something can still come. */
static inline void add_chance(struct turn *turn, double chance, double worth)
{
    const double left = 1 - turn->chance;
    const double part = chance < left ? chance : left;
    turn->chance += part;
    turn->gain += part * worth;
}

/* The worth of an own turn that comes again and again until somebody lays a sequence. */
static inline double turn_again(struct turn own, const struct others *others)
{
    const double nothing = (1 - own.chance) * (1 - CUT_SHORT);
    return (own.gain + nothing * others->gain) / (1 - nothing * others->nothing);
}

/* The worth of an own turn to come, at the best choice of what to accept: the dearest sequences first, and each
 * further one only if it is worth more than continuing without it. */
static inline double worth_of_turn(const double laying[TALLIES], const struct hopes *hopes,
                                   const struct others *others)
{
    struct turn own = {0, 0};
    double worth = turn_again(own, others);
    for (int tally = TALLIES - 1; tally >= 0; tally--) {
        const double chance = tally == hopes->ready ? 1 : hopes->chances[tally];
        if (chance > 0 && laying[tally] > others->gain + others->nothing * worth) {
            add_chance(&own, chance, laying[tally]);
            worth = turn_again(own, others);
        }
    }
    return worth;
}

#endif
