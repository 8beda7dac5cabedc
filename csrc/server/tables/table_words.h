/* The view that players and spectators have of a table, in sentences (csrc/game/mh_words.h) and as pictures
 * (csrc/draw/draw.h). Each is made from an observation that its reader may have at that moment, and from the public
 * numbers beside it.
 *
 * Seats are called by their numbers, not by their players' names: what others are called would be read as part of the
 * text. */
#ifndef TABLE_WORDS_H
#define TABLE_WORDS_H

#include "table.h"

/* All that a player sees. */
void write_words(struct table *self, int player, struct wire_out *out);

/* The same after its last question: what has changed since then, and what the question is. */
void write_changes(struct table *self, int player, struct wire_out *out);

/* Writes how the last round ended. */
void write_result(struct table *self, int player, struct wire_out *out);

/* Writes all that spectators see. */
void write_public_words(struct table *self, struct wire_out *out);

/* Writes the view of a player, or of spectators (-1), as a picture: enum mh_form; SVG in an enum mh_look, or rows
 * (-1). */
void write_picture(struct table *self, int player, int form, int look, struct wire_out *out);

/* Public events as an array, a sentence each. */
void write_event_words(struct table *self, int player, const uint8_t (*events)[4], size_t count,
                       struct wire_out *out);

static inline int player_reads_words(const struct player *self)
{
    return self->form == TABLES_WORDS || self->form == TABLES_CHANGES;
}

#endif
