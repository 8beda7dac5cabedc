/* What is said of a table from outside: bytes that nobody has checked go through mh_say_check first. */
#ifndef MH_SAY_H
#define MH_SAY_H

#include "mh_game.h"

/* Refuses an observation with a field above its highest value, or events that cannot be; and the same of the numbers and the
 * hidden cards beside it. What fields mean together is the game's to check (C49). */
int mh_say_check(const struct mh_game *game, const struct mh_shown *shown, char *message);

#endif
