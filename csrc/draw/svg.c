/* A picture as an SVG document. */
#include "base/mh_text.h"
#include "game/mh_spec.h"
#include "paint.h"

/* A document that is being written. */
struct document {
    struct mh_text text;
    const struct mh_game *game;
    const struct mh_scene *scene;
    /* The sprites of the scene, each once, as they come: their numbers, and what they are. */
    int num_sprites;
    int numbers[MH_MAX_SHAPES];
    const struct mh_sprite *sprites[MH_MAX_SHAPES];
};

/* ---- Words and numbers -------------------------------------------------------------------------------------- */

/* Text with what SVG would read as something else escaped. It has no control characters: "?" stands for them. */
static void put_escaped(struct mh_text *out, const char *text, int length)
{
    int first = 0;
    for (int i = 0; i < length; i++) {
        const char c = text[i];
        const char *escaped = c == '&'    ? "&amp;"
                              : c == '<'  ? "&lt;"
                              : c == '>'  ? "&gt;"
                              : c == '"'  ? "&quot;"
                              : c == '\'' ? "&#x27;"
                                          : NULL;
        if (!escaped && (uint8_t)c < ' ') {
            escaped = "?";
        }
        if (escaped) {
            mh_text_bytes(out, text + first, (size_t)(i - first));
            mh_text_put(out, escaped);
            first = i + 1;
        }
    }
    mh_text_bytes(out, text + first, (size_t)(length - first));
}

static void put_whole(struct mh_text *out, int number)
{
    mh_text_fixed(out, number, 0);
}

/* Nobody sees less than a tenth of a pixel. */
static void put_attribute(struct mh_text *out, const char *begin, double number)
{
    mh_text_put(out, begin);
    mh_text_fixed(out, number, 1);
    mh_text_put(out, "\"");
}

static void put_hex(struct mh_text *out, uint32_t rgb)
{
    static const char digits[] = "0123456789abcdef";
    char text[7] = "#";
    for (int i = 0; i < 6; i++) {
        text[1 + i] = digits[rgb >> (20 - 4 * i) & 15];
    }
    mh_text_bytes(out, text, sizeof text);
}

static const char *name_of(int color)
{
    return color ? mh_palette_color_at(color)->name : "";
}

/* Fill and outline, after the names that the palette has for them. */
static void put_paint(struct mh_text *out, int fill, int stroke, double width)
{
    const char *of_fill = name_of(fill);
    const char *of_stroke = name_of(stroke);
    if (of_fill[0] || of_stroke[0]) {
        mh_text_put(out, " class=\"");
        mh_text_put(out, of_fill[0] ? "fill-" : "");
        mh_text_put(out, of_fill);
        mh_text_put(out, of_fill[0] && of_stroke[0] ? " " : "");
        mh_text_put(out, of_stroke[0] ? "stroke-" : "");
        mh_text_put(out, of_stroke);
        mh_text_put(out, "\"");
    }
    mh_text_put(out, " fill=\"");
    if (fill) {
        put_hex(out, mh_palette_rgb(fill, MH_LOOK_FELT));
    } else {
        mh_text_put(out, "none");
    }
    mh_text_put(out, "\"");
    if (stroke) {
        mh_text_put(out, " stroke=\"");
        put_hex(out, mh_palette_rgb(stroke, MH_LOOK_FELT));
        put_attribute(out, "\" stroke-width=\"", width);
    }
}

static void put_opacity(struct mh_text *out, double opacity)
{
    if (opacity != 1) {
        mh_text_put(out, " opacity=\"");
        mh_text_fixed(out, opacity, 2);
        mh_text_put(out, "\"");
    }
}

/* ---- Elements ----------------------------------------------------------------------------------------------- */

static void put_rect(struct mh_text *out, const struct mh_shape *shape)
{
    put_attribute(out, "<rect x=\"", shape->x);
    put_attribute(out, " y=\"", shape->y);
    put_attribute(out, " width=\"", shape->w);
    put_attribute(out, " height=\"", shape->h);
    if (shape->radius != 0) {
        put_attribute(out, " rx=\"", shape->radius);
    }
    put_paint(out, shape->fill, shape->stroke, shape->width);
    put_opacity(out, shape->opacity);
    mh_text_put(out, "/>\n");
}

static void put_circle(struct mh_text *out, const struct mh_shape *shape)
{
    put_attribute(out, "<circle cx=\"", shape->x);
    put_attribute(out, " cy=\"", shape->y);
    put_attribute(out, " r=\"", shape->radius);
    put_paint(out, shape->fill, shape->stroke, shape->width);
    put_opacity(out, shape->opacity);
    mh_text_put(out, "/>\n");
}

/* Text as wide as the layout reckoned with, whatever font the viewer has. */
static void put_text(struct mh_text *out, const struct mh_shape *shape, const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    put_attribute(out, "<text x=\"", shape->x);
    put_attribute(out, " y=\"", shape->y);
    put_attribute(out, " font-size=\"", shape->h);
    put_paint(out, shape->fill, MH_NO_COLOR, 0);
    put_opacity(out, shape->opacity);
    mh_text_put(out, anchors[shape->anchor]);
    mh_text_put(out, shape->is_bold ? " font-weight=\"bold\"" : "");
    if (mh_paint_is_long(text, shape->length)) {
        put_attribute(out, " textLength=\"", shape->w);
        mh_text_put(out, " lengthAdjust=\"spacingAndGlyphs\"");
    }
    mh_text_put(out, ">");
    put_escaped(out, text, shape->length);
    mh_text_put(out, "</text>\n");
}

static int are_alike(const struct mh_shape *one, const struct mh_shape *other)
{
    return one->kind == MH_SPRITE && other->kind == MH_SPRITE && one->zone == other->zone &&
           one->seat == other->seat && one->card == other->card;
}

/* Writes which card it is and where it lies. */
static void put_identity(struct document *self, const struct mh_shape *shape)
{
    const char *zone = mh_paint_zone(shape->zone);
    struct mh_text *out = &self->text;
    char card[MH_LABEL_SIZE];
    int equals = 0;
    for (const struct mh_shape *other = self->scene->shapes; other < shape; other++) {
        equals += are_alike(other, shape);
    }
    mh_paint_card(self->game, shape->card, card);
    const int length = (int)strlen(card);
    mh_text_put(out, " data-card=\"");
    put_escaped(out, card, length);
    mh_text_put(out, "\" data-zone=\"");
    mh_text_put(out, zone);
    if (shape->seat >= 0) {
        mh_text_put(out, "\" data-seat=\"");
        put_whole(out, shape->seat);
    }
    mh_text_put(out, "\" data-key=\"");
    mh_text_put(out, zone);
    mh_text_put(out, ".");
    if (shape->seat >= 0) {
        put_whole(out, shape->seat);
    }
    mh_text_put(out, ".");
    put_escaped(out, card, length);
    mh_text_put(out, ".");
    put_whole(out, equals);
    mh_text_put(out, "\"");
}

static int place_of(const struct document *self, int number)
{
    int place = 0;
    while (place < self->num_sprites && self->numbers[place] != number) {
        place++;
    }
    return place;
}

static void put_sprite(struct document *self, const struct mh_shape *shape)
{
    struct mh_text *out = &self->text;
    mh_text_put(out, "<use href=\"#");
    mh_text_put(out, self->sprites[place_of(self, shape->sprite)]->name);
    mh_text_put(out, "\" transform=\"translate(");
    mh_text_fixed(out, shape->x, 1);
    mh_text_put(out, " ");
    mh_text_fixed(out, shape->y, 1);
    mh_text_put(out, ")");
    if (shape->scale != 1) {
        mh_text_put(out, " scale(");
        mh_text_fixed(out, shape->scale, 3);
        mh_text_put(out, ")");
    }
    mh_text_put(out, "\"");
    put_opacity(out, shape->opacity);
    if (shape->zone != MH_NOWHERE) {
        put_identity(self, shape);
    }
    mh_text_put(out, "/>\n");
}

/* ---- The document ------------------------------------------------------------------------------------------- */

const char *mh_svg_fonts(void)
{
    return "Arial, Helvetica, sans-serif";
}

static void put_head(struct document *self)
{
    struct mh_text *out = &self->text;
    const struct mh_scene *scene = self->scene;
    mh_text_put(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    put_whole(out, scene->w);
    mh_text_put(out, "\" height=\"");
    put_whole(out, scene->h);
    mh_text_put(out, "\" viewBox=\"0 0 ");
    put_whole(out, scene->w);
    mh_text_put(out, " ");
    put_whole(out, scene->h);
    mh_text_put(out, "\" font-family=\"");
    mh_text_put(out, mh_svg_fonts());
    mh_text_put(out, "\">\n<title>");
    put_escaped(out, scene->texts + scene->title, scene->title_length);
    mh_text_put(out, "</title>\n");
}

/* The colours that a look changes, by their classes. */
static void put_style(struct mh_text *out, int look)
{
    static const char *const kinds[] = {"fill", "stroke"};
    if (look == MH_LOOK_FELT) {
        return;
    }
    mh_text_put(out, "<style>");
    for (int color = 1; color <= mh_palette_size(); color++) {
        const uint32_t rgb = mh_palette_rgb(color, look);
        for (int kind = 0; kind < 2 && rgb != mh_palette_rgb(color, MH_LOOK_FELT); kind++) {
            mh_text_put(out, ".");
            mh_text_put(out, kinds[kind]);
            mh_text_put(out, "-");
            mh_text_put(out, name_of(color));
            mh_text_put(out, "{");
            mh_text_put(out, kinds[kind]);
            mh_text_put(out, ":");
            put_hex(out, rgb);
            mh_text_put(out, "}");
        }
    }
    mh_text_put(out, "</style>\n");
}

/* Writes the sprites that the scene uses. */
static void put_sprites(struct document *self)
{
    mh_text_put(&self->text, "<defs>\n");
    for (int i = 0; i < self->scene->count; i++) {
        const struct mh_shape *shape = &self->scene->shapes[i];
        if (shape->kind == MH_SPRITE && place_of(self, shape->sprite) == self->num_sprites) {
            const struct mh_sprite *sprite = mh_paint_sprite(self->game, shape->sprite);
            self->numbers[self->num_sprites] = shape->sprite;
            self->sprites[self->num_sprites++] = sprite;
            mh_text_bytes(&self->text, sprite->svg, (size_t)sprite->svg_length);
            mh_text_put(&self->text, "\n");
        }
    }
    mh_text_put(&self->text, "</defs>\n");
}

static void put_elements(struct document *self)
{
    const struct mh_scene *scene = self->scene;
    struct mh_text *out = &self->text;
    mh_text_put(out, "<rect width=\"");
    put_whole(out, scene->w);
    mh_text_put(out, "\" height=\"");
    put_whole(out, scene->h);
    mh_text_put(out, "\"");
    put_paint(out, scene->background, MH_NO_COLOR, 0);
    mh_text_put(out, "/>\n");
    for (int i = 0; i < scene->count; i++) {
        const struct mh_shape *shape = &scene->shapes[i];
        if (shape->kind == MH_SPRITE) {
            put_sprite(self, shape);
        } else if (shape->kind == MH_TEXT) {
            put_text(out, shape, scene->texts + shape->text);
        } else if (shape->kind == MH_CIRCLE) {
            put_circle(out, shape);
        } else {
            put_rect(out, shape);
        }
    }
}

int64_t mh_scene_svg(const struct mh_game *game, const struct mh_scene *scene, int look, char *text, int64_t size,
                     char *message)
{
    struct document document;
    const int status = mh_paint_check(game, scene, look, message);
    if (status) {
        return status;
    }
    document.game = game;
    document.scene = scene;
    document.num_sprites = 0;
    mh_text_begin(&document.text, text, text && size > 0 ? (size_t)size : 0);
    put_head(&document);
    put_style(&document.text, look);
    put_sprites(&document);
    put_elements(&document);
    mh_text_put(&document.text, "</svg>\n");
    return (int64_t)document.text.length;
}
