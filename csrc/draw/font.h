/* The widths of texts, without a font: every painter makes them as wide as the layout reckoned with. */
#ifndef MH_FONT_H
#define MH_FONT_H

#include "mh.h"

enum { MH_LINE_SIZE = 512 /* bytes of a line of text that is cut or broken, closing zero included */ };

/* The character in UTF-8 at `text`, of a text that goes up to `end`, and where the next one begins. */
uint32_t mh_font_read(const char *text, const char *end, const char **next);

/* Returns how far a character moves the pen, in ems. */
double mh_font_advance(uint32_t code);

/* Returns the factor by which letters must be narrower for a text to have at most that width: 1 if it has. */
double mh_font_squeezed(const char *text, double size, double width);

/* Writes so much of a text as has that width, with two dots if it is not all; at most MH_LINE_SIZE bytes. */
void mh_font_shorten(const char *text, double size, double width, char *line);

/* Writes a first line of that width, broken between words; longer words are cut. Returns the rest of the text. */
const char *mh_font_wrap(const char *text, double size, double width, char *line);

#endif
