#include "pen.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    WHOLE = 255, /* what a shape covers of a pixel, if it is all of it */
    TILE = 64    /* pixels of the sides of the squares in which strokes are painted */
};

/* ---- Pixels ------------------------------------------------------------------------------------------------- */

static int at_least(int number, int least)
{
    return number < least ? least : number;
}

static int at_most(int number, int most)
{
    return number > most ? most : number;
}

/* The last whole pixel that is not behind a place; of one that is farther away than any canvas reaches, one as far. */
static int floor_of(double place)
{
    static const double FAR = 1e9;
    const int whole = (int)(place < -FAR ? -FAR : place > FAR ? FAR : place);
    return whole - (place < whole);
}

static int ceil_of(double place)
{
    return -floor_of(-place);
}

/* One eighth-bit number weighted with another, by 0 to 255 of 255, rounded. */
static uint8_t mixed(int under, int over, int weight)
{
    const int sum = under * (WHOLE - weight) + over * weight + 128;
    return (uint8_t)((sum + (sum >> 8)) >> 8);
}

static uint8_t *pixel_at(const struct mh_canvas *canvas, int x, int y)
{
    return canvas->pixels + (ptrdiff_t)canvas->stride * (y - canvas->top) +
           (ptrdiff_t)canvas->channels * (x - canvas->left);
}

struct mh_ink mh_pen_ink(uint32_t rgb, double opacity)
{
    return (struct mh_ink){{(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb, WHOLE},
                           (int)(opacity * WHOLE + 0.5)};
}

struct mh_canvas mh_pen_part(const struct mh_canvas *canvas, int left, int top, int right, int bottom)
{
    struct mh_canvas part = *canvas;
    part.left = at_most(at_least(left, canvas->left), canvas->right);
    part.top = at_most(at_least(top, canvas->top), canvas->bottom);
    part.right = at_least(at_most(right, canvas->right), part.left);
    part.bottom = at_least(at_most(bottom, canvas->bottom), part.top);
    part.pixels = pixel_at(canvas, part.left, part.top);
    return part;
}

struct mh_canvas mh_pen_around(const struct mh_canvas *canvas, double left, double top, double right, double bottom)
{
    return mh_pen_part(canvas, floor_of(left), floor_of(top), ceil_of(right), ceil_of(bottom));
}

struct mh_canvas mh_pen_from(const struct mh_canvas *canvas, double *x, double *y)
{
    struct mh_canvas moved = *canvas;
    const int left = floor_of(*x);
    const int top = floor_of(*y);
    moved.left -= left;
    moved.right -= left;
    moved.top -= top;
    moved.bottom -= top;
    *x -= left;
    *y -= top;
    return moved;
}

static void blend(const struct mh_canvas *canvas, uint8_t *pixel, const struct mh_ink *ink, int cover)
{
    const int weight = ink->opacity == WHOLE ? cover : mixed(0, ink->opacity, cover);
    for (int c = 0; c < canvas->channels; c++) {
        pixel[c] = mixed(pixel[c], ink->color[c], weight);
    }
}

/* Paints pixels of a row, all covered alike. */
static void blend_row(const struct mh_canvas *canvas, int y, int left, int right, const struct mh_ink *ink,
                      int cover)
{
    if (left >= right || cover == 0) {
        return;
    }
    uint8_t *row = pixel_at(canvas, left, y);
    const size_t bytes = (size_t)canvas->channels * (size_t)(right - left);
    if (cover != WHOLE || ink->opacity != WHOLE) {
        for (size_t at = 0; at < bytes; at += (size_t)canvas->channels) {
            blend(canvas, row + at, ink, cover);
        }
        return;
    }
    memcpy(row, ink->color, (size_t)canvas->channels);
    for (size_t done = (size_t)canvas->channels; done < bytes; done *= 2) {
        memcpy(row + done, row, done < bytes - done ? done : bytes - done);
    }
}

void mh_pen_cover(const struct mh_canvas *canvas, const struct mh_ink *ink)
{
    for (int y = canvas->top; y < canvas->bottom; y++) {
        blend_row(canvas, y, canvas->left, canvas->right, ink, WHOLE);
    }
}

void mh_pen_lay(const struct mh_canvas *canvas, const struct mh_canvas *layer, double opacity)
{
    const int weight = (int)(opacity * WHOLE + 0.5);
    for (int y = canvas->top; y < canvas->bottom; y++) {
        for (int x = canvas->left; x < canvas->right; x++) {
            const uint8_t *over = pixel_at(layer, x, y);
            uint8_t *under = pixel_at(canvas, x, y);
            const int cover = mixed(0, over[3], weight);
            for (int c = 0; c < canvas->channels; c++) {
                const int sum = mixed(under[c], 0, cover) + mixed(0, over[c], weight);
                under[c] = (uint8_t)at_most(sum, WHOLE);
            }
        }
    }
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Returns the share of a pixel on the inner side of an edge that is so far outwards of its middle. */
static int cover_of(float edge)
{
    const float part = 0.5F - edge;
    return part <= 0 ? 0 : part >= 1 ? WHOLE : (int)(part * WHOLE + 0.5F);
}

static float distance(float x, float y)
{
    return sqrtf(x * x + y * y);
}

/* Returns how far a place is outside a rectangle with round corners, given how far it is beside and below the one
 * inside them. */
static float edge_of(float beside, float below, float radius)
{
    if (beside > 0 && below > 0) {
        return distance(beside, below) - radius;
    }
    return (beside > below ? beside : below) - radius;
}

/* The pixels of a row from one to before another, all as far from the edge as they are. */
static void paint_ends(const struct mh_canvas *canvas, const struct mh_frame *frame, int y, int left, int right,
                       float below)
{
    const float middle = frame->x + frame->w / 2;
    const float half = frame->w / 2 - frame->radius;
    uint8_t *pixel = pixel_at(canvas, left, y);
    for (int x = left; x < right; x++, pixel += canvas->channels) {
        const float edge = edge_of(fabsf((float)x + 0.5F - middle) - half, below, frame->radius);
        if (frame->fill) {
            blend(canvas, pixel, frame->fill, cover_of(edge));
        }
        if (frame->stroke) {
            blend(canvas, pixel, frame->stroke, cover_of(fabsf(edge) - frame->width / 2));
        }
    }
}

void mh_pen_frame(const struct mh_canvas *canvas, const struct mh_frame *frame)
{
    const float half = frame->stroke ? frame->width / 2 : 0;
    const float margin = half + 0.5F;
    const float inset = (frame->radius > half ? frame->radius : half) + 2; /* from where on only rows differ */
    const float middle = frame->y + frame->h / 2;
    const struct mh_canvas part = mh_pen_around(canvas, frame->x - margin, frame->y - margin,
                                                frame->x + frame->w + margin, frame->y + frame->h + margin);
    const int left = at_most(at_least(ceil_of(frame->x + inset), part.left), part.right);
    const int right = at_least(at_most(floor_of(frame->x + frame->w - inset), part.right), left);
    for (int y = part.top; y < part.bottom; y++) {
        const float below = fabsf((float)y + 0.5F - middle) - (frame->h / 2 - frame->radius);
        const float edge = below - frame->radius;
        paint_ends(&part, frame, y, part.left, left, below);
        if (frame->fill) {
            blend_row(&part, y, left, right, frame->fill, cover_of(edge));
        }
        if (frame->stroke) {
            blend_row(&part, y, left, right, frame->stroke, cover_of(fabsf(edge) - half));
        }
        paint_ends(&part, frame, y, right, part.right, below);
    }
}

/* ---- Polygons ----------------------------------------------------------------------------------------------- */

enum {
    PROBES = 4, /* a pixel is probed at so many places of so many rows */
    WORDS = TILE * PROBES / 64
};

/* The probes of some pixels in a row of them, a bit each: whether they are inside. */
struct probes {
    uint64_t bits[PROBES][WORDS];
};

/* Turns over the first bits. */
static void flip(uint64_t *bits, int count)
{
    for (; count >= 64; count -= 64) {
        *bits++ ^= ~(uint64_t)0;
    }
    if (count > 0) {
        *bits ^= ((uint64_t)1 << count) - 1;
    }
}

/* Probes up to TILE pixels of a row from `left` on: each side turns over all probes to the left of it. */
static void probe(struct probes *probes, const struct mh_point *corners, int count, int left, int y)
{
    memset(probes, 0, sizeof *probes);
    for (int i = 0; i < count; i++) {
        const struct mh_point a = corners[i];
        const struct mh_point b = corners[i + 1 < count ? i + 1 : 0];
        for (int row = 0; row < PROBES; row++) {
            const float at = (float)y + ((float)row + 0.5F) / PROBES;
            if ((a.y > at) != (b.y > at)) {
                const float x = a.x + (at - a.y) * (b.x - a.x) / (b.y - a.y);
                const int before = ceil_of((x - (float)left) * PROBES - 0.5F);
                flip(probes->bits[row], at_most(at_least(before, 0), TILE * PROBES));
            }
        }
    }
}

/* Counts the probes of a pixel that are inside. */
static int inside_of(const struct probes *probes, int pixel)
{
    static const uint8_t ones[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const int bit = pixel * PROBES;
    int count = 0;
    for (int row = 0; row < PROBES; row++) {
        count += ones[probes->bits[row][bit / 64] >> bit % 64 & 15];
    }
    return count;
}

/* The pixels that points and a margin around them touch. */
static struct mh_canvas part_around(const struct mh_canvas *canvas, const struct mh_point *points, int count,
                                    float margin)
{
    struct mh_point least = points[0];
    struct mh_point most = points[0];
    for (int i = 1; i < count; i++) {
        least.x = points[i].x < least.x ? points[i].x : least.x;
        least.y = points[i].y < least.y ? points[i].y : least.y;
        most.x = points[i].x > most.x ? points[i].x : most.x;
        most.y = points[i].y > most.y ? points[i].y : most.y;
    }
    return mh_pen_around(canvas, least.x - margin, least.y - margin, most.x + margin, most.y + margin);
}

void mh_pen_polygon(const struct mh_canvas *canvas, const struct mh_point *corners, int count,
                    const struct mh_ink *ink)
{
    const struct mh_canvas part = part_around(canvas, corners, count, 0);
    for (int y = part.top; y < part.bottom; y++) {
        for (int left = part.left; left < part.right; left += TILE) {
            struct probes probes;
            const int width = at_most(part.right - left, TILE);
            probe(&probes, corners, count, left, y);
            uint8_t *pixel = pixel_at(&part, left, y);
            for (int x = 0; x < width; x++, pixel += part.channels) {
                const int inside = inside_of(&probes, x);
                if (inside) {
                    blend(&part, pixel, ink, inside * WHOLE / (PROBES * PROBES));
                }
            }
        }
    }
}

/* ---- Strokes ------------------------------------------------------------------------------------------------ */

/* The distances of pixels in a part of a canvas from strokes. */
struct nearness {
    struct mh_canvas part;
    float squares[TILE * TILE]; /* of the distances; rows as wide as the part */
};

/* The square of how far a place is from a line, given where it is from the line's beginning. */
static inline float square_from(float x, float y, struct mh_point along, float per_length)
{
    float part = (x * along.x + y * along.y) * per_length;
    part = part < 0 ? 0 : part;
    part = part > 1 ? 1 : part;
    const float beside = x - part * along.x;
    const float below = y - part * along.y;
    return beside * beside + below * below;
}

static void add_line(struct nearness *near, const struct mh_point *ends, float reach)
{
    static const float NOTHING = 1e-6F; /* a length by which can be divided */
    const struct mh_point from = ends[0];
    const struct mh_point along = {ends[1].x - from.x, ends[1].y - from.y};
    const float length = along.x * along.x + along.y * along.y;
    const float per_length = 1 / (length > NOTHING ? length : NOTHING);
    const struct mh_canvas *all = &near->part;
    const struct mh_canvas part = part_around(all, ends, 2, reach);
    const int columns = part.right - part.left;
    const float x = (float)part.left + 0.5F - from.x;
    for (int row = part.top; row < part.bottom; row++) {
        float *squares = near->squares + (row - all->top) * (all->right - all->left) + part.left - all->left;
        const float y = (float)row + 0.5F - from.y;
        for (int i = 0; i < columns; i++) {
            const float square = square_from(x + (float)i, y, along, per_length);
            squares[i] = square < squares[i] ? square : squares[i];
        }
    }
}

/* Strokes in a part that is no larger than a tile. */
static void paint_tile(const struct mh_canvas *part, const struct mh_point *ends, int count, float width,
                       const struct mh_ink *ink)
{
    struct nearness near;
    const float reach = width / 2 + 0.5F;
    const int columns = part->right - part->left;
    const int pixels = columns * (part->bottom - part->top);
    near.part = *part;
    for (int i = 0; i < pixels; i++) {
        near.squares[i] = reach * reach;
    }
    for (int i = 0; i < count; i++) {
        add_line(&near, ends + 2 * i, reach);
    }
    const float *square = near.squares;
    for (int y = part->top; y < part->bottom; y++) {
        uint8_t *pixel = pixel_at(part, part->left, y);
        for (int x = 0; x < columns; x++, square++, pixel += part->channels) {
            if (*square < reach * reach) {
                blend(part, pixel, ink, cover_of(sqrtf(*square) - width / 2));
            }
        }
    }
}

void mh_pen_strokes(const struct mh_canvas *canvas, const struct mh_point *ends, int count, float width,
                    const struct mh_ink *ink)
{
    if (count == 0) {
        return;
    }
    const struct mh_canvas all = part_around(canvas, ends, 2 * count, width / 2 + 0.5F);
    for (int top = all.top; top < all.bottom; top += TILE) {
        for (int left = all.left; left < all.right; left += TILE) {
            const struct mh_canvas part = mh_pen_part(&all, left, top, left + TILE, top + TILE);
            paint_tile(&part, ends, count, width, ink);
        }
    }
}
