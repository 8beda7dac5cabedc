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

void race_stand(const struct race *race, int level, struct standing *standing)
{
    const int at[SEATS] = {level, race->levels[1], race->levels[2]};
    struct others others[SEATS + 1];
    turns_of_others(race, at, others);
    standing->level = level;
    standing->next_level = at[1];
    standing->others = others[1];
    standing->after_next = others[2];
    outcomes_of_other(race, at, 1, &standing->next);
    worths_of_laying(race, at, levels[level].sequences, standing->laying);
}

double race_worth_with(const struct standing *standing, const struct hopes *hopes, double take)
{
    const double worth = worth_of_turn(standing->laying, hopes, &standing->others);
    const double drawn = chance_to_lay[levels[standing->next_level].sequences] * WITHOUT_TAKING;
    const double chance = take < 0 ? drawn : take + (1 - take) * drawn;
    const struct others now = turn_before(turn_of_other(&standing->next, chance), standing->after_next);
    return now.gain + now.nothing * worth;
}

double race_draw(const struct standing *standing, const struct hopes *hopes, double stay)
{
    struct turn turn = {0, 0};
    for (int tally = TALLIES - 1; tally >= 0; tally--) {
        const double chance = tally == hopes->ready ? 1 : hopes->chances[tally];
        if (chance > 0 && standing->laying[tally] > stay) {
            add_chance(&turn, chance, standing->laying[tally]);
        }
    }
    return turn.gain + (1 - turn.chance) * stay;
}
