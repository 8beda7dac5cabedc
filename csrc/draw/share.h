/* The end of an episode, as a picture that anybody may see (MH_SHARE): the winner's cards, what they are paid for,
 * all names and scores, and the options that are not the default ones. */
#ifndef MH_SHARE_H
#define MH_SHARE_H

#include "ending.h"
#include "layout.h"

/* Draws it into an empty scene. */
void mh_share_draw(const struct mh_ending *ending, const struct mh_shown *shown, struct mh_scene *scene);

#endif
