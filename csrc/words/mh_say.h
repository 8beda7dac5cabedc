/* Sentences about a table from outside: bytes that nobody has checked go through mh_say_check first. */
#ifndef MH_SAY_H
#define MH_SAY_H

#include "mh_game.h"

/* Refuses an observation with a field above its highest value, or events that cannot be; and the same of the numbers
 * and the hidden cards beside it. What fields mean together is the game's to check (C49). */
int mh_say_check(const struct mh_game *game, const struct mh_shown *shown, char *message);

/* Makes of an observation and its viewer what words and pictures are made from. Refuses what cannot be, as above. */
int mh_say_begin(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                 const struct mh_viewer *viewer, struct mh_shown *shown, char *message);

/* Says a part of a table that was checked, enum mh_words_part. */
void mh_say_part(const struct mh_game *game, struct mh_words *out, int part, int number);

#endif
