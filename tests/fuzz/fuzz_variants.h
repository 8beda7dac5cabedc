/* The games and options that fuzz targets of all games pick from. */
#ifndef FUZZ_VARIANTS_H
#define FUZZ_VARIANTS_H

#include "mh.h"

static const struct variant {
    const char *game, *options;
} variants[] = {
    {"mhing", ""},
    {"mhing", "num_players=2 rules=jmhing episode=game rounds=2"},
    {"mhing", "num_players=6 hints=on"},
    {"mhing", "num_players=3 seven_pairs=on scoring=chips episode=game rounds=3"},
    {"general_mhing", ""},
    {"general_mhing", "num_players=3 turn_limit=1000 hints=on"},
    {"general_mhing", "episode=game reward=win rounds=3 turn_limit=40"},
    {"general_mhing", "num_players=3 episode=game reward=margin target=3"},
    {"mexican_rummy", "num_players=3 objective=2 hints=on"},
    {"mexican_rummy", "num_players=2 objective=5 episode=game turn_limit=60"},
    {"mexican_rummy", "num_players=6 objective=0 reward=rank"},
    {"mexican_rummy", "objective=6 turn_limit=1000 reward=win"},
};

/* After these come all games as they are without options. */
static struct variant pick_variant(int number)
{
    const int count = (int)(sizeof variants / sizeof *variants);
    const int index = number % (count + mh_game_count());
    const struct variant plain = {mh_game_id(index - count), ""};
    return index < count ? variants[index] : plain;
}

#endif
