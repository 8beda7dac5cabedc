/* Reads art, SVG files that any editor of drawings shows as sheets of cards, into tables for the core. README.md here
 * says what a file may hold. */
#ifndef MAKE_ART_H
#define MAKE_ART_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Tags -------------------------------------------------------------------------------------------------- */

/* A part of a file's text. */
struct slice {
    const char *text;
    int length;
};

struct attribute {
    struct slice name, value;
};

enum { MAX_ATTRIBUTES = 48 };

/* A tag with its attributes. */
struct tag {
    enum tag_kind {
        TAG_OPEN,
        TAG_EMPTY, /* it has no content, nor a closing tag */
        TAG_CLOSE,
        TAG_END /* of the file */
    } kind;
    struct slice name;
    int count;
    struct attribute attributes[MAX_ATTRIBUTES];
};

/* A file that is being read, up to `at`. Messages name the line and the element. */
struct source {
    const char *path;
    const char *text;
    const char *at;
    struct slice element;
};

#if defined(__GNUC__)
#define REFUSES(text_at, values_at) __attribute__((noreturn, format(printf, text_at, values_at)))
#else
#define REFUSES(text_at, values_at) _Noreturn
#endif

/* Ends the program with "art.svg:12: <path>: ...". */
REFUSES(2, 3) void refuse(const struct source *source, const char *format, ...);

int is_slice(const struct slice *slice, const char *text);
int are_equal(const struct slice *one, const struct slice *other);

/* The next tag. Comments and white space before it are skipped, other text is refused. */
void next_tag(struct source *source, struct tag *tag);

/* Goes to the end of an element, whatever is in it. */
void skip_element(struct source *source, const struct tag *tag);

/* The value of an attribute; NULL: it has none of that name. */
const struct slice *attribute_of(const struct tag *tag, const char *name);

/* Reads a number, and what separates it from the next one. Whether there was one. */
int next_number(struct slice *text, double *number);

/* The number that an attribute is, and nothing else; `standard` where there is no such attribute. */
double number_of(const struct source *source, const struct tag *tag, const char *name, double standard);

/* ---- Shapes ------------------------------------------------------------------------------------------------ */

enum {
    MAX_SPRITES = 4096,
    MAX_SHAPES = 65536,
    MAX_NUMBERS = 1 << 20,
    MAX_COLORS = 255 /* with those of the palette */
};

/* See struct mh_art_shape and struct mh_sprite. */
struct shape {
    int kind, fill, stroke, flags, width, count, first;
};

struct sprite {
    struct slice name, card;
    const char *path;
    int w, h, count, first;
};

struct art {
    int num_sprites, num_shapes, num_numbers, num_colors;
    struct sprite sprites[MAX_SPRITES];
    struct shape shapes[MAX_SHAPES];
    int16_t numbers[MAX_NUMBERS];
    uint32_t colors[MAX_COLORS]; /* those that only art has */
};

/* The style of shapes where nothing else is said, and their origin. */
struct style {
    int fill, stroke;
    double width, size;
    int anchor, is_bold, has_round_ends, has_round_joints;
    double x, y;
};

/* The style of an element. Attributes that are none of style must be among `own`, which ends with NULL. */
struct style style_of(struct art *art, const struct source *source, const struct tag *tag,
                      const struct style *outer, const char *const *own);

/* Reads to the end of an element whose content is not used. */
void read_to_end(struct source *source, const struct tag *tag);

/* True if a tag is private data of another program, or invisible: it may have any content. */
int is_ignored(const struct tag *tag);

/* Adds what an element paints, and reads to its end. Returns 0 for elements that are no shapes. */
int read_shape(struct art *art, struct source *source, const struct tag *tag, const struct style *outer);

/* ---- Tables ------------------------------------------------------------------------------------------------ */

/* Bytes that have been written into a file of tables. */
struct written {
    FILE *file;
    int count;
};

/* Writes a sprite as an element that has its name as id, without a closing zero. */
void write_svg(struct written *out, const struct art *art, const struct sprite *sprite);

#endif
