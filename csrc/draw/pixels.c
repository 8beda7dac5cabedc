/* A picture as pixels. */
#include <math.h>

#include "base/mh_text.h"
#include "font.h"
#include "glyphs.h"
#include "paint.h"
#include "pen.h"

/* A scene or a sprite that is being painted from the corner of its canvas, and how many pixels a unit has. */
struct painter {
    struct mh_canvas canvas;
    double scale;
    int look;
};

/* A rectangle, or a circle around its middle, in units. */
struct frame {
    int is_circle;
    double x, y, w, h, radius, width;
};

static void paint_frame(const struct painter *self, const struct frame *shape, const struct mh_ink *fill,
                        const struct mh_ink *stroke)
{
    const double reach = shape->is_circle ? shape->radius : 0;
    double x = (shape->x - reach) * self->scale;
    double y = (shape->y - reach) * self->scale;
    const struct mh_canvas canvas = mh_pen_from(&self->canvas, &x, &y);
    const struct mh_frame frame = {
        .x = (float)x,
        .y = (float)y,
        .w = (float)(self->scale * (shape->is_circle ? 2 * reach : shape->w)),
        .h = (float)(self->scale * (shape->is_circle ? 2 * reach : shape->h)),
        .radius = (float)(self->scale * shape->radius),
        .fill = fill,
        .stroke = stroke,
        .width = (float)(self->scale * shape->width),
    };
    mh_pen_frame(&canvas, &frame);
}

/* ---- Sprites ------------------------------------------------------------------------------------------------ */

static const double UNIT = 0.1; /* a number of art */

static void paint_area(const struct painter *self, const struct mh_art_shape *shape, const int16_t *at)
{
    const struct mh_ink fill = mh_pen_ink(mh_palette_rgb(shape->fill, self->look), 1);
    const struct mh_ink stroke = mh_pen_ink(mh_palette_rgb(shape->stroke, self->look), 1);
    const int is_circle = shape->kind == MH_ART_CIRCLE;
    const struct frame frame = {
        .is_circle = is_circle,
        .x = UNIT * at[0],
        .y = UNIT * at[1],
        .w = is_circle ? 0 : UNIT * at[2],
        .h = is_circle ? 0 : UNIT * at[3],
        .radius = UNIT * at[is_circle ? 2 : 4],
        .width = UNIT * shape->width,
    };
    paint_frame(self, &frame, shape->fill ? &fill : NULL, shape->stroke ? &stroke : NULL);
}

static void paint_letters(const struct painter *self, const struct mh_art_shape *shape, const int16_t *at)
{
    char text[2 * MH_MAX_ART_POINTS + 1];
    const int length = shape->count - 4;
    const struct mh_ink ink = mh_pen_ink(mh_palette_rgb(shape->fill, self->look), 1);
    for (int i = 0; i < length; i++) {
        text[i] = (char)at[4 + i];
    }
    text[length] = '\0';
    const double usual = mh_font_width(text, UNIT * at[2]);
    const double width = at[3] ? UNIT * at[3] : usual;
    const double shift = shape->flags & MH_ART_MIDDLE ? 0.5 : shape->flags & MH_ART_END ? 1 : 0;
    const struct mh_line line = {
        .text = text,
        .length = length,
        .x = (UNIT * at[0] - shift * width) * self->scale,
        .y = UNIT * at[1] * self->scale,
        .size = UNIT * at[2] * self->scale,
        .stretch = width / usual,
        .is_bold = (shape->flags & MH_ART_BOLD) != 0,
    };
    mh_glyphs_write(&self->canvas, &line, &ink);
}

/* A line or a polygon. */
static void paint_points(const struct painter *self, const struct mh_art_shape *shape, const int16_t *at)
{
    struct mh_point points[2 * MH_MAX_ART_POINTS]; /* of a line two ends for each */
    const int is_line = shape->kind == MH_ART_LINE;
    const struct mh_ink ink = mh_pen_ink(mh_palette_rgb(is_line ? shape->stroke : shape->fill, self->look), 1);
    int count = 0;
    for (int i = 0; i < shape->count; i += 2) {
        const struct mh_point point = {(float)(UNIT * at[i] * self->scale),
                                       (float)(UNIT * at[i + 1] * self->scale)};
        points[count++] = point;
        if (is_line && i > 0 && i + 2 < shape->count) {
            points[count++] = point; /* where the next line begins */
        }
    }
    if (is_line) {
        mh_pen_strokes(&self->canvas, points, count / 2, (float)(UNIT * shape->width * self->scale), &ink);
    } else {
        mh_pen_polygon(&self->canvas, points, count, &ink);
    }
}

static void paint_sprite(const struct painter *self, const struct mh_sprite *sprite)
{
    for (int i = 0; i < sprite->count; i++) {
        const struct mh_art_shape *shape = &sprite->shapes[i];
        const int16_t *at = sprite->numbers + shape->first;
        if (shape->kind == MH_ART_TEXT) {
            paint_letters(self, shape, at);
        } else if (shape->kind == MH_ART_LINE || shape->kind == MH_ART_POLYGON) {
            paint_points(self, shape, at);
        } else {
            paint_area(self, shape, at);
        }
    }
}

/* A sprite through which something shows: as a whole, so it is painted beside the picture first, tile by tile. */
static void lay_sprite(const struct painter *self, const struct mh_sprite *sprite, double opacity)
{
    enum { TILE = 64, CHANNELS = 4 };
    const struct mh_canvas *all = &self->canvas;
    for (int top = all->top; top < all->bottom; top += TILE) {
        for (int left = all->left; left < all->right; left += TILE) {
            uint8_t pixels[TILE * TILE * CHANNELS] = {0};
            const struct mh_canvas part = mh_pen_part(all, left, top, left + TILE, top + TILE);
            struct painter aside = *self;
            aside.canvas = part;
            aside.canvas.pixels = pixels;
            aside.canvas.stride = TILE * CHANNELS;
            aside.canvas.channels = CHANNELS;
            paint_sprite(&aside, sprite);
            mh_pen_lay(&part, &aside.canvas, opacity);
        }
    }
}

/* Puts a sprite on whole pixels; nothing of it leaves its own size. */
static void place_sprite(const struct painter *self, const struct mh_sprite *sprite, const struct mh_shape *shape)
{
    const double scale = shape->scale * self->scale;
    double x = rint(shape->x * self->scale);
    double y = rint(shape->y * self->scale);
    struct painter within = {.scale = scale, .look = self->look};
    within.canvas = mh_pen_from(&self->canvas, &x, &y);
    within.canvas = mh_pen_around(&within.canvas, 0, 0, ceil(sprite->w * scale), ceil(sprite->h * scale));
    if (shape->opacity < 1) {
        lay_sprite(&within, sprite, shape->opacity);
    } else {
        paint_sprite(&within, sprite);
    }
}

/* ---- Scenes ------------------------------------------------------------------------------------------------- */

static void paint_rect(const struct painter *self, const struct mh_shape *shape)
{
    const struct mh_ink fill = mh_pen_ink(mh_palette_rgb(shape->fill, self->look), shape->opacity);
    const struct mh_ink stroke = mh_pen_ink(mh_palette_rgb(shape->stroke, self->look), shape->opacity);
    const struct frame frame = {
        shape->kind == MH_CIRCLE, shape->x, shape->y, shape->w, shape->h, shape->radius, shape->width};
    paint_frame(self, &frame, shape->fill ? &fill : NULL, shape->stroke ? &stroke : NULL);
}

static void paint_text(const struct painter *self, const struct mh_shape *shape, const char *text)
{
    const double shift = shape->anchor == MH_MIDDLE ? 0.5 : shape->anchor == MH_END ? 1 : 0;
    const struct mh_ink ink = mh_pen_ink(mh_palette_rgb(shape->fill, self->look), shape->opacity);
    const struct mh_line line = {
        .text = text,
        .length = shape->length,
        .x = (shape->x - shift * shape->w) * self->scale,
        .y = shape->y * self->scale,
        .size = shape->h * self->scale,
        .stretch = shape->scale,
        .is_bold = shape->is_bold != 0,
    };
    mh_glyphs_write(&self->canvas, &line, &ink);
}

static void paint_scene(const struct painter *self, const struct mh_game *game, const struct mh_scene *scene)
{
    const struct mh_ink ground = mh_pen_ink(mh_palette_rgb(scene->background, self->look), 1);
    mh_pen_cover(&self->canvas, &ground);
    for (int i = 0; i < scene->count; i++) {
        const struct mh_shape *shape = &scene->shapes[i];
        if (shape->kind == MH_SPRITE) {
            place_sprite(self, mh_paint_sprite(game, shape->sprite), shape);
        } else if (shape->kind == MH_TEXT) {
            paint_text(self, shape, scene->texts + shape->text);
        } else {
            paint_rect(self, shape);
        }
    }
}

int64_t mh_scene_pixels(const struct mh_game *game, const struct mh_scene *scene, int look, double scale,
                        uint8_t *rgb, int64_t size, char *message)
{
    enum { CHANNELS = 3 };
    const int status = mh_paint_check(game, scene, look, message);
    if (status) {
        return status;
    }
    const double w = rint(scene->w * scale);
    const double h = rint(scene->h * scale);
    if (!(w >= 1 && h >= 1 && w <= MH_MAX_PIXELS && h <= MH_MAX_PIXELS)) {
        mh_message(message, "scale: %g makes sides of %g x %g pixels, and they are from 1 to %d", scale, w, h,
                   MH_MAX_PIXELS);
        return MH_ERROR_ARGUMENT;
    }
    const int64_t bytes = (int64_t)w * (int64_t)h * CHANNELS;
    if (rgb && bytes <= size) {
        const struct painter painter = {
            .canvas = {rgb, (int)w * CHANNELS, CHANNELS, 0, 0, (int)w, (int)h}, .scale = scale, .look = look};
        paint_scene(&painter, game, scene);
    }
    return bytes;
}
