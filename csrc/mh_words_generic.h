/* Words of a game that brings none (C49): a line for each field and number, by its name and the labels of the table. What
 * a number stands for is read from its meaning (C4). */
#ifndef MH_WORDS_GENERIC_H
#define MH_WORDS_GENERIC_H

#include "mh_game.h"

/* The largest value that a field can have: seats are no more than sit at the table. All else can be said as a number. */
int mh_generic_high(const struct mh_game *game, const struct mh_field *field);

/* Says a part of a table, but for its events and moves; or one event, without a line's end. */
void mh_generic_words(const struct mh_game *game, int part, int number, struct mh_words *out);
void mh_generic_event(const struct mh_game *game, int seat, int kind, int detail, int extra, struct mh_words *out);

#endif
