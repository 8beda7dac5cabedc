/* Declarations that the drawing files share. */
#ifndef MHING_DRAW_H
#define MHING_DRAW_H

#include "draw/draw.h"
#include "mhing.h"

/* A card of a meld or of a declared hand, perhaps a Mhing card that stands for it. */
struct mh_card mhing_laid_card(int type, int is_joker);

/* The hand that was declared in this round, as the rules count it; empty where none was. */
void mhing_ending(const struct mhing_shown *shown, struct mh_ending *ending);

#endif
