/* Art, as the build reads it from SVG files, and the palette: for all who paint. */
#include <string.h>

#include "mh.h"
#include "mh_text.h"
#include "palette.h"

#include "art_tables.h" /* generated, of what is declared above */

enum { SPRITES = sizeof art_sprites / sizeof *art_sprites };

int mh_palette_size(void)
{
    return MH_NAMED_COLORS + ART_COLORS;
}

const struct mh_palette_color *mh_palette_color_at(int color)
{
    if (color < 1 || color > MH_NAMED_COLORS + ART_COLORS) {
        return NULL;
    }
    return color > MH_NAMED_COLORS ? &art_colors[color - MH_NAMED_COLORS - 1] : &mh_palette[color - 1];
}

int mh_sprite_count(void)
{
    return SPRITES;
}

const struct mh_sprite *mh_sprite_at(int index)
{
    return index >= 0 && index < SPRITES ? &art_sprites[index] : NULL;
}

const struct mh_sprite *mh_sprite_named(const char *name)
{
    for (int i = 0; name && i < SPRITES; i++) {
        if (strcmp(art_sprites[i].name, name) == 0) {
            return &art_sprites[i];
        }
    }
    return NULL;
}

/* ---- SVG --------------------------------------------------------------------------------------------------- */

/* Tenths as a number that is as short as it can be. */
static void put_tenths(struct mh_text *out, int tenths)
{
    const int size = tenths < 0 ? -tenths : tenths;
    mh_text_add(out, "%s%d", tenths < 0 ? "-" : "", size / 10);
    if (size % 10) {
        mh_text_add(out, ".%d", size % 10);
    }
}

static void put_attribute(struct mh_text *out, const char *name, int tenths)
{
    mh_text_add(out, " %s=\"", name);
    put_tenths(out, tenths);
    mh_text_put(out, "\"");
}

static void put_color(struct mh_text *out, const char *name, int color)
{
    if (color) {
        mh_text_add(out, " %s=\"#%06x\"", name, (unsigned)mh_palette_color_at(color)->felt);
    } else {
        mh_text_add(out, " %s=\"none\"", name);
    }
}

static int has_name(int color)
{
    return color && mh_palette_color_at(color)->name[0];
}

/* Fill and outline, after the names that the palette has for them. */
static void put_paint(struct mh_text *out, const struct mh_art_shape *shape)
{
    const int is_filled = has_name(shape->fill);
    const int is_outlined = has_name(shape->stroke);
    if (is_filled || is_outlined) {
        mh_text_add(out, " class=\"%s%s%s%s%s\"", is_filled ? "fill-" : "",
                    is_filled ? mh_palette_color_at(shape->fill)->name : "", is_filled && is_outlined ? " " : "",
                    is_outlined ? "stroke-" : "", is_outlined ? mh_palette_color_at(shape->stroke)->name : "");
    }
    put_color(out, "fill", shape->fill);
    if (shape->stroke) {
        put_color(out, "stroke", shape->stroke);
        put_attribute(out, "stroke-width", shape->width);
    }
}

static void put_text(struct mh_text *out, const struct mh_art_shape *shape, const int16_t *at)
{
    mh_text_put(out, "<text");
    put_attribute(out, "x", at[0]);
    put_attribute(out, "y", at[1]);
    put_attribute(out, "font-size", at[2]);
    put_paint(out, shape);
    if (shape->flags & (MH_ART_MIDDLE | MH_ART_END)) {
        mh_text_add(out, " text-anchor=\"%s\"", shape->flags & MH_ART_MIDDLE ? "middle" : "end");
    }
    if (shape->flags & MH_ART_BOLD) {
        mh_text_put(out, " font-weight=\"bold\"");
    }
    if (at[3]) {
        put_attribute(out, "textLength", at[3]);
        mh_text_put(out, " lengthAdjust=\"spacingAndGlyphs\"");
    }
    mh_text_put(out, ">");
    for (int i = 4; i < shape->count; i++) {
        mh_text_add(out, "%c", at[i]); /* none that SVG would have to escape */
    }
    mh_text_put(out, "</text>");
}

static void put_points(struct mh_text *out, const struct mh_art_shape *shape, const int16_t *at)
{
    const int is_line = shape->kind == MH_ART_LINE;
    mh_text_add(out, "<%s points=\"", is_line ? "polyline" : "polygon");
    for (int i = 0; i < shape->count; i += 2) {
        mh_text_put(out, i ? " " : "");
        put_tenths(out, at[i]);
        mh_text_put(out, ",");
        put_tenths(out, at[i + 1]);
    }
    mh_text_put(out, "\"");
    put_paint(out, shape);
    mh_text_put(out, is_line ? " stroke-linecap=\"round\" stroke-linejoin=\"round\"/>" : "/>");
}

static void put_shape(struct mh_text *out, const struct mh_art_shape *shape, const int16_t *at)
{
    static const char *const of_rect[] = {"x", "y", "width", "height", "rx"};
    static const char *const of_circle[] = {"cx", "cy", "r"};
    if (shape->kind == MH_ART_TEXT) {
        put_text(out, shape, at);
        return;
    }
    if (shape->kind == MH_ART_LINE || shape->kind == MH_ART_POLYGON) {
        put_points(out, shape, at);
        return;
    }
    const int is_rect = shape->kind == MH_ART_RECT;
    mh_text_put(out, is_rect ? "<rect" : "<circle");
    for (int i = 0; i < shape->count; i++) {
        if (i < 4 || at[i]) { /* corners are seldom written if they are not round */
            put_attribute(out, is_rect ? of_rect[i] : of_circle[i], at[i]);
        }
    }
    put_paint(out, shape);
    mh_text_put(out, "/>");
}

size_t mh_sprite_svg(int index, char *text, size_t size)
{
    const struct mh_sprite *sprite = mh_sprite_at(index);
    struct mh_text out;
    mh_text_begin(&out, text, text ? size : 0);
    if (!sprite) {
        return 0;
    }
    mh_text_add(&out, "<g id=\"%s\">", sprite->name);
    for (int i = 0; i < sprite->count; i++) {
        put_shape(&out, &sprite->shapes[i], sprite->numbers + sprite->shapes[i].first);
    }
    mh_text_put(&out, "</g>");
    return out.length;
}
