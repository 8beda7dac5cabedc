/* The picture of a game that brings none (C50), from its table: of each seat and of the table the fields that are cards
 * as cards, and all others in words. */
#ifndef MH_GENERIC_H
#define MH_GENERIC_H

#include "layout.h"
#include "playing.h"

/* Sprites: those of playing cards, and a card without a face, on which its label is written. */
enum { MH_GENERIC_BLANK = MH_PLAYING_SPRITES, MH_GENERIC_SPRITES };

void mh_generic_sprite_text(int sprite, char *text);
void mh_generic_picture(const struct mh_shown *shown, struct mh_scene *scene);

/* The cards that an action names, taken for cards of the hand. */
int mh_generic_move_cards(const struct mh_shown *shown, int action, struct mh_move_card *cards);

#endif
