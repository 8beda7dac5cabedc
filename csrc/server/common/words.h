/* Observations in sentences and as pictures, in memory that grows with them. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

#include "mh_game.h"

/* All zeros: empty. */
struct words {
    char *text; /* NULL: nothing was ever added */
    size_t length, space;
    int failed; /* there was no memory for what was added */
};

void words_free(struct words *self);

/* The text is empty again; its memory stays. */
void words_begin(struct words *self);

/* Adds a part of what an observation says, as mh_words does, or an event. */
void words_add(struct words *self, const struct mh_game *game, const uint8_t *observation,
               const struct mh_viewer *viewer, int part, int number);
void words_add_event(struct words *self, const struct mh_game *game, const struct mh_viewer *viewer,
                     const uint8_t event[4]);

/* Adds a picture as an SVG document in a look, enum mh_look; -1: as rows. */
void words_add_picture(struct words *self, const struct mh_game *game, const struct mh_scene *scene, int look);

/* Takes back what is behind so many bytes. */
void words_cut(struct words *self, size_t length);

/* The whole text; NULL: there was no memory for it. */
const char *words_text(const struct words *self);

#endif
