/* Letters painted upon pixels, by the strokes of font.c. */
#ifndef MH_GLYPHS_H
#define MH_GLYPHS_H

#include "pen.h"

/* A line of text, in pixels: `x` is where it begins, `y` its baseline, `size` the height of an em, and `stretch` how
 * much wider than usual its letters are. */
struct mh_line {
    const char *text;
    int length; /* bytes */
    double x, y, size, stretch;
    int is_bold;
};

void mh_glyphs_write(const struct mh_canvas *canvas, const struct mh_line *line, const struct mh_ink *ink);

#endif
