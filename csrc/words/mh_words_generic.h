/* Words of a game that brings none (C49): a line for each field and number, by its name and the labels of the table.
 * What a number stands for is read from its meaning (C4). */
#ifndef MH_WORDS_GENERIC_H
#define MH_WORDS_GENERIC_H

#include "mh_shown_fields.h"

/* Says a field: "hand: Js, 2 x Qh". */
void mh_generic_value(const struct mh_shown_value *value, struct mh_words *out);

/* Says a part of a table, but for its events and moves; or one event, without a line's end. */
void mh_generic_words(const struct mh_game *game, int part, int number, struct mh_words *out);
void mh_generic_event(const struct mh_game *game, int seat, int kind, int detail, int extra, struct mh_words *out);

#endif
