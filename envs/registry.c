/* The registry: an explicit list, so that its order is the same in every build. The build writes extra_games.def: the
 * games that MHING_EXTRA_GAMES adds to it, after all others, since the first game is the default one of commands and of
 * the server. */
#include "mh_game.h"

#define MH_GAME(name) extern const struct mh_rules name##_rules;
#include "games.def"

#include "extra_games.def"
#undef MH_GAME

const struct mh_rules *const mh_registry[] = {
#define MH_GAME(name) &name##_rules,
#include "games.def"

#include "extra_games.def"
#undef MH_GAME
};

const int mh_registry_size = (int)(sizeof mh_registry / sizeof *mh_registry);
