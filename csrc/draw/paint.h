/* The questions of all writers to a scene: whether it can be written, and what its sprites and cards are. */
#ifndef MH_PAINT_H
#define MH_PAINT_H

#include "scene.h"

/* Refuses a scene of this game that cannot be written in a look. In others all numbers are of something that exists,
 * coordinates are within a million pixels, and texts lie within `texts`. */
int mh_paint_check(const struct mh_game *game, const struct mh_scene *scene, int look, char *message);

/* The sprite of a number of mh_game_sprite_text; without a game, of mh_sprite_at. */
const struct mh_sprite *mh_paint_sprite(const struct mh_game *game, int sprite);

/* True if a text has several characters, whose distances can be set. */
int mh_paint_is_long(const char *text, int length);

/* The name of an enum mh_zone; "" for MH_NOWHERE. */
const char *mh_paint_zone(int zone);

/* Writes what a card is called, at most MH_LABEL_SIZE bytes; "" for -1. */
void mh_paint_card(const struct mh_game *game, int card, char *text);

#endif
