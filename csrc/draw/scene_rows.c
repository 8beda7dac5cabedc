/* A picture as rows of JSON, for pages that draw it themselves. */
#include "base/mh_text.h"
#include "game/mh_spec.h"
#include "paint.h"

/* ---- Values ------------------------------------------------------------------------------------------------- */

static void put_number(struct mh_text *out, double number, int decimals)
{
    mh_text_put(out, ",");
    mh_text_fixed(out, number, decimals);
}

/* JSON's own characters are escaped. Text has no control characters: "?" stands for them. */
static void put_string(struct mh_text *out, const char *text, int length)
{
    mh_text_put(out, ",\"");
    int first = 0;
    for (int i = 0; i < length; i++) {
        const char c = text[i];
        if (c == '"' || c == '\\' || (uint8_t)c < ' ') {
            mh_text_bytes(out, text + first, (size_t)(i - first));
            mh_text_put(out, c == '"' ? "\\\"" : c == '\\' ? "\\\\" : "?");
            first = i + 1;
        }
    }
    mh_text_bytes(out, text + first, (size_t)(length - first));
    mh_text_put(out, "\"");
}

static void put_name(struct mh_text *out, const char *name)
{
    put_string(out, name, (int)strlen(name));
}

static void put_null(struct mh_text *out)
{
    mh_text_put(out, ",null");
}

/* Colours that only single cards have are without a name. */
static void put_color(struct mh_text *out, int color)
{
    const char *name = color ? mh_palette_color_at(color)->name : "";
    if (!color) {
        put_null(out);
    } else if (name[0]) {
        put_name(out, name);
    } else {
        mh_text_add(out, ",\"#%06x\"", (unsigned)mh_palette_rgb(color, MH_LOOK_FELT));
    }
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

/* An outline and an opacity, as far as they are there: what is behind the last one is left out. */
static void put_paint(struct mh_text *out, const struct mh_shape *shape)
{
    const int is_clear = shape->opacity != 1;
    if (shape->stroke) {
        put_color(out, shape->stroke);
        put_number(out, shape->width, 1);
    } else if (is_clear) {
        put_null(out);
        put_null(out);
    }
    if (is_clear) {
        put_number(out, shape->opacity, 2);
    }
}

static void put_rect(struct mh_text *out, const struct mh_shape *shape)
{
    put_number(out, shape->x, 1);
    put_number(out, shape->y, 1);
    put_number(out, shape->w, 1);
    put_number(out, shape->h, 1);
    put_color(out, shape->fill);
    if (shape->radius != 0 || shape->stroke || shape->opacity != 1) {
        put_number(out, shape->radius, 1);
    }
    put_paint(out, shape);
}

static void put_circle(struct mh_text *out, const struct mh_shape *shape)
{
    put_number(out, shape->x, 1);
    put_number(out, shape->y, 1);
    put_number(out, shape->radius, 1);
    put_color(out, shape->fill);
    put_paint(out, shape);
}

static void put_text(struct mh_text *out, const struct mh_shape *shape, const char *text)
{
    static const char *const anchors[] = {"null", "\"middle\"", "\"end\""};
    const int is_clear = shape->opacity != 1;
    put_number(out, shape->x, 1);
    put_number(out, shape->y, 1);
    put_number(out, shape->h, 1);
    put_color(out, shape->fill);
    put_string(out, text, shape->length);
    if (mh_paint_is_long(text, shape->length)) {
        put_number(out, shape->w, 1);
    } else {
        put_null(out);
    }
    if (shape->anchor || shape->is_bold || is_clear) {
        mh_text_put(out, ",");
        mh_text_put(out, anchors[shape->anchor]);
    }
    if (shape->is_bold || is_clear) {
        mh_text_put(out, shape->is_bold ? ",\"bold\"" : ",null");
    }
    if (is_clear) {
        put_number(out, shape->opacity, 2);
    }
}

/* A seat, or an action; -1: there is none. */
static void put_optional(struct mh_text *out, int number)
{
    if (number < 0) {
        put_null(out);
    } else {
        put_number(out, number, 0);
    }
}

static void put_sprite(struct mh_text *out, const struct mh_game *game, const struct mh_shape *shape)
{
    const int is_clear = shape->opacity != 1;
    char card[MH_LABEL_SIZE];
    put_number(out, shape->x, 1);
    put_number(out, shape->y, 1);
    put_number(out, shape->scale, 3);
    put_name(out, mh_paint_sprite(game, shape->sprite)->name);
    if (shape->zone == MH_NOWHERE && !is_clear) {
        return;
    }
    mh_paint_card(game, shape->card, card);
    put_name(out, mh_paint_zone(shape->zone));
    put_name(out, card);
    put_optional(out, shape->seat);
    if (shape->action >= 0 || is_clear) {
        put_optional(out, shape->action);
    }
    if (is_clear) {
        put_number(out, shape->opacity, 2);
    }
}

int64_t mh_scene_rows(const struct mh_game *game, const struct mh_scene *scene, char *text, int64_t size,
                      char *message)
{
    static const char kinds[] = "0123"; /* enum mh_shape_kind */
    struct mh_text out;
    const int status = mh_paint_check(game, scene, MH_LOOK_FELT, message);
    if (status) {
        return status;
    }
    mh_text_begin(&out, text, text && size > 0 ? (size_t)size : 0);
    mh_text_put(&out, "[[0,0,0");
    put_number(&out, scene->w, 0);
    put_number(&out, scene->h, 0);
    put_color(&out, scene->background);
    for (int i = 0; i < scene->count; i++) {
        const struct mh_shape *shape = &scene->shapes[i];
        mh_text_put(&out, "],\n[");
        mh_text_bytes(&out, &kinds[shape->kind], 1);
        if (shape->kind == MH_SPRITE) {
            put_sprite(&out, game, shape);
        } else if (shape->kind == MH_TEXT) {
            put_text(&out, shape, scene->texts + shape->text);
        } else if (shape->kind == MH_CIRCLE) {
            put_circle(&out, shape);
        } else {
            put_rect(&out, shape);
        }
    }
    mh_text_put(&out, "]]\n");
    return (int64_t)out.length;
}
