/* Sprites as SVG elements, written into the tables as bytes: programs copy them, and write none anew. */
#include <stdarg.h>
#include <string.h>

#include "draw/palette.h"
#include "make_art.h"
#include "mh.h"

/* Bytes as numbers, since a string in C may not be as long as a sprite. */
static void write_text(struct written *out, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (int i = 0; i < length; i++) {
        fprintf(out->file, "%s%d,", out->count++ % 32 ? "" : "\n", text[i]);
    }
}

/* Tenths as a number that is as short as it can be. */
static void put_tenths(struct written *out, int tenths)
{
    const int size = tenths < 0 ? -tenths : tenths;
    write_text(out, "%s%d", tenths < 0 ? "-" : "", size / 10);
    if (size % 10) {
        write_text(out, ".%d", size % 10);
    }
}

static void put_attribute(struct written *out, const char *name, int tenths)
{
    write_text(out, " %s=\"", name);
    put_tenths(out, tenths);
    write_text(out, "\"");
}

/* The name that the palette has for a colour; "" where it has none. */
static const char *name_of(int color)
{
    return color && color <= MH_NAMED_COLORS ? mh_palette[color - 1].name : "";
}

static void put_color(struct written *out, const struct art *art, const char *name, int color)
{
    if (color) {
        const unsigned rgb =
            color <= MH_NAMED_COLORS ? mh_palette[color - 1].felt : art->colors[color - MH_NAMED_COLORS - 1];
        write_text(out, " %s=\"#%06x\"", name, rgb);
    } else {
        write_text(out, " %s=\"none\"", name);
    }
}

/* Fill and outline, after the names that the palette has for them. */
static void put_paint(struct written *out, const struct art *art, const struct shape *shape)
{
    const char *fill = name_of(shape->fill);
    const char *stroke = name_of(shape->stroke);
    if (fill[0] || stroke[0]) {
        write_text(out, " class=\"%s%s%s%s%s\"", fill[0] ? "fill-" : "", fill, fill[0] && stroke[0] ? " " : "",
                   stroke[0] ? "stroke-" : "", stroke);
    }
    put_color(out, art, "fill", shape->fill);
    if (shape->stroke) {
        put_color(out, art, "stroke", shape->stroke);
        put_attribute(out, "stroke-width", shape->width);
    }
}

static void put_text(struct written *out, const struct art *art, const struct shape *shape, const int16_t *at)
{
    write_text(out, "<text");
    put_attribute(out, "x", at[0]);
    put_attribute(out, "y", at[1]);
    put_attribute(out, "font-size", at[2]);
    put_paint(out, art, shape);
    if (shape->flags & (MH_ART_MIDDLE | MH_ART_END)) {
        write_text(out, " text-anchor=\"%s\"", shape->flags & MH_ART_MIDDLE ? "middle" : "end");
    }
    if (shape->flags & MH_ART_BOLD) {
        write_text(out, " font-weight=\"bold\"");
    }
    if (at[3]) {
        put_attribute(out, "textLength", at[3]);
        write_text(out, " lengthAdjust=\"spacingAndGlyphs\"");
    }
    write_text(out, ">");
    for (int i = 4; i < shape->count; i++) {
        write_text(out, "%c", at[i]); /* none that SVG would have to escape */
    }
    write_text(out, "</text>");
}

static void put_points(struct written *out, const struct art *art, const struct shape *shape, const int16_t *at)
{
    const int is_line = shape->kind == MH_ART_LINE;
    write_text(out, "<%s points=\"", is_line ? "polyline" : "polygon");
    for (int i = 0; i < shape->count; i += 2) {
        write_text(out, i ? " " : "");
        put_tenths(out, at[i]);
        write_text(out, ",");
        put_tenths(out, at[i + 1]);
    }
    write_text(out, "\"");
    put_paint(out, art, shape);
    write_text(out, is_line ? " stroke-linecap=\"round\" stroke-linejoin=\"round\"/>" : "/>");
}

static void put_shape(struct written *out, const struct art *art, const struct shape *shape)
{
    static const char *const of_rect[] = {"x", "y", "width", "height", "rx"};
    static const char *const of_circle[] = {"cx", "cy", "r"};
    const int16_t *at = art->numbers + shape->first;
    if (shape->kind == MH_ART_TEXT) {
        put_text(out, art, shape, at);
        return;
    }
    if (shape->kind == MH_ART_LINE || shape->kind == MH_ART_POLYGON) {
        put_points(out, art, shape, at);
        return;
    }
    const int is_rect = shape->kind == MH_ART_RECT;
    write_text(out, is_rect ? "<rect" : "<circle");
    for (int i = 0; i < shape->count; i++) {
        if (i < 4 || at[i]) { /* corners are seldom written if they are not round */
            put_attribute(out, is_rect ? of_rect[i] : of_circle[i], at[i]);
        }
    }
    put_paint(out, art, shape);
    write_text(out, "/>");
}

void write_svg(struct written *out, const struct art *art, const struct sprite *sprite)
{
    write_text(out, "<g id=\"%.*s\">", sprite->name.length, sprite->name.text);
    for (int i = 0; i < sprite->count; i++) {
        put_shape(out, art, &art->shapes[sprite->first + i]);
    }
    write_text(out, "</g>");
}
