#include "glyphs.h"

#include <math.h>
#include <string.h>

#include "font.h"

enum {
    STEPS = 16,                      /* of the grid, an em */
    BASELINE = 12,                   /* its row */
    PHASES = 4,                      /* a letter stands at one of so many places within a pixel */
    MAX_GIVEN = 16,                  /* points of a stroke as it is written, */
    TIMES = 3,                       /* whose corners are cut so often, */
    MAX_POINTS = MAX_GIVEN << TIMES, /* which doubles them each time */
    MAX_LINES = 256                  /* of a letter */
};

static const double BEFORE = 1.7; /* steps from where the pen begins to x = 0 */

/* The pen's thickness in ems, plain and bold. */
static const double thickness[] = {0.095, 0.15};

/* ---- Strokes ------------------------------------------------------------------------------------------------ */

struct stroke {
    int count;
    struct mh_point points[MAX_POINTS + 1]; /* the first one once more, if it is closed */
};

/* A digit of base 36. */
static float digit(char c)
{
    return (float)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static struct mh_point between(struct mh_point a, struct mh_point b, float part)
{
    return (struct mh_point){a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
}

/* Cuts every corner at a quarter of its sides (Chaikin's curve); the ends stay where they are, if there are any. */
static void cut_corners(struct stroke *stroke, int is_closed)
{
    struct mh_point cut[MAX_POINTS];
    const int count = stroke->count;
    const struct mh_point *points = stroke->points;
    for (int i = 0; i < count; i++) {
        const struct mh_point next = points[i + 1 < count ? i + 1 : 0];
        const int at = is_closed ? 2 * i : 2 * i + 1;
        if (is_closed || i + 1 < count) {
            cut[at] = between(points[i], next, 0.25F);
            cut[at + 1] = between(points[i], next, 0.75F);
        }
    }
    if (!is_closed) {
        cut[0] = points[0];
        cut[2 * count - 1] = points[count - 1];
    }
    stroke->count = 2 * count;
    memcpy(stroke->points, cut, sizeof *cut * (size_t)stroke->count);
}

/* Reads a stroke in steps of the grid; returns what comes behind it. */
static const char *read_stroke(const char *text, struct stroke *stroke)
{
    const char kind = *text;
    text += kind == '~' || kind == '@';
    for (stroke->count = 0; *text && *text != ' ' && stroke->count < MAX_GIVEN; text += 2) {
        stroke->points[stroke->count++] = (struct mh_point){digit(text[0]), digit(text[1])};
    }
    for (int i = 0; i < TIMES && (kind == '~' || kind == '@'); i++) {
        cut_corners(stroke, kind == '@');
    }
    if (kind == '@' && stroke->count) {
        stroke->points[stroke->count++] = stroke->points[0];
    }
    return text + (*text == ' ');
}

/* The lines of a character, in steps of the grid; returns how many there are. */
static int lines_of(uint32_t code, struct mh_point *ends)
{
    int count = 0;
    for (const char *text = mh_font_strokes(code); *text;) {
        struct stroke stroke;
        text = read_stroke(text, &stroke);
        const int lines = stroke.count > 1 ? stroke.count - 1 : stroke.count; /* a dot is one */
        for (int i = 0; i < lines && count < MAX_LINES; i++, count++) {
            ends[2 * count] = stroke.points[i];
            ends[2 * count + 1] = stroke.points[i + 1 < stroke.count ? i + 1 : i];
        }
    }
    return count;
}

/* ---- Lines of text ------------------------------------------------------------------------------------------ */

void mh_glyphs_write(const struct mh_canvas *canvas, const struct mh_line *line, const struct mh_ink *ink)
{
    const double step = line->size / STEPS;
    const double wide = step * line->stretch;
    const double top = -BASELINE * step - 0.5;
    const char *end = line->text + line->length;
    double start = line->x;
    double baseline = rint(line->y);
    const struct mh_canvas from_start = mh_pen_from(canvas, &start, &baseline);
    double pen = start;
    for (const char *text = line->text; text < end;) {
        struct mh_point ends[2 * MAX_LINES];
        const uint32_t code = mh_font_read(text, end, &text);
        const int count = lines_of(code, ends);
        double x = floor(pen * PHASES) / PHASES;
        const struct mh_canvas from_letter = mh_pen_from(&from_start, &x, &baseline);
        const double left = x + BEFORE * wide;
        for (int i = 0; i < 2 * count; i++) {
            ends[i] = (struct mh_point){(float)(left + ends[i].x * wide), (float)(top + ends[i].y * step)};
        }
        mh_pen_strokes(&from_letter, ends, count, (float)(thickness[line->is_bold] * line->size), ink);
        pen += mh_font_advance(code) * line->size * line->stretch;
    }
}
