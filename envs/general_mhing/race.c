/* The values of situations in the race to the fourth sequence: see race.h. */
#include "race.h"
#include "general_mhing_tables.h"

/* The part of a seat's chance to lay that needs no discard to take. */
static const double WITHOUT_TAKING = 0.7;

void race_begin(struct race *race, int seats, int reward)
{
    *race = (struct race){.seats = seats, .reward = reward};
    race->worth = seats > 2 ? worth_of_3[reward] : worth_of_2[reward];
}

double race_worth(const struct race *race, int sequences, int tally)
{
    return worth_of_laying(race, race->levels, sequences, tally);
}

double race_worth_with(const struct race *race, int level, const struct hopes *hopes, double take)
{
    const int at[SEATS] = {level, race->levels[1], race->levels[2]};
    struct others others[SEATS + 1];
    turns_of_others(race, at, others);
    const double worth = worth_of_turn(race, at, levels[level].sequences, hopes, &others[1]);
    const double drawn = chance_to_lay[levels[at[1]].sequences] * WITHOUT_TAKING;
    const double chance = take < 0 ? drawn : take + (1 - take) * drawn;
    const struct others now = turn_before(turn_of_other(race, at, 1, chance), others[2]);
    return now.gain + now.nothing * worth;
}

double race_draw(const struct race *race, int sequences, const struct hopes *hopes, double stay)
{
    struct turn turn = {0, 0};
    for (int tally = TALLIES - 1; tally >= 0; tally--) {
        const double chance = tally == hopes->ready ? 1 : hopes->chances[tally];
        const double then = chance > 0 ? race_worth(race, sequences + 1, tally) : 0;
        if (chance > 0 && then > stay) {
            add_chance(&turn, chance, then);
        }
    }
    return turn.gain + (1 - turn.chance) * stay;
}
