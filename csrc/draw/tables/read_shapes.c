/* Reads what elements paint: their style and their shapes. */
#include <math.h>
#include <string.h>

#include "draw/palette.h"
#include "make_art.h"
#include "mh.h"

enum {
    NOT_GIVEN = -1 /* instead of a colour */
};

/* ---- Colours ----------------------------------------------------------------------------------------------- */

/* The number of a colour of cards by what it looks like, or of one that only art has. */
static int color_number(struct art *art, const struct source *source, uint32_t rgb)
{
    for (int i = 0; i < MH_NAMED_COLORS; i++) {
        if (mh_palette[i].is_card && mh_palette[i].felt == rgb) {
            return i + 1;
        }
    }
    for (int i = 0; i < art->num_colors; i++) {
        if (art->colors[i] == rgb) {
            return MH_NAMED_COLORS + i + 1;
        }
    }
    if (MH_NAMED_COLORS + art->num_colors == MAX_COLORS) {
        refuse(source, "there are more than %d colours, with those of the palette", MAX_COLORS);
    }
    art->colors[art->num_colors++] = rgb;
    return MH_NAMED_COLORS + art->num_colors;
}

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) % 16 : -1;
}

static int read_color(struct art *art, const struct source *source, const struct slice *value)
{
    uint32_t rgb = 0;
    if (is_slice(value, "none")) {
        return 0;
    }
    int is_color = value->length == 7 && value->text[0] == '#';
    for (int i = 1; is_color && i < 7; i++) {
        const int digit = digit_of(value->text[i]);
        is_color = digit >= 0;
        rgb = rgb << 4 | (uint32_t)(digit & 15);
    }
    if (!is_color) {
        refuse(source, "\"%.*s\" is no colour; colours are written #rrggbb, or none", value->length, value->text);
    }
    return color_number(art, source, rgb);
}

/* ---- Style ------------------------------------------------------------------------------------------------- */

/* A length, which may say that it is in pixels. */
static double read_length(const struct source *source, const struct slice *name, const struct slice *value)
{
    struct slice rest = *value;
    double length;
    if (!next_number(&rest, &length) || (rest.length && !is_slice(&rest, "px")) || length <= 0) {
        refuse(source, "%.*s: \"%.*s\" is no length above 0", name->length, name->text, value->length, value->text);
    }
    return length;
}

/* Returns which of some words, separated by spaces, a value is. */
static int read_word(const struct source *source, const struct slice *name, const struct slice *value,
                     const char *const *words)
{
    for (int i = 0; words[i]; i++) {
        if (is_slice(value, words[i])) {
            return i;
        }
    }
    refuse(source, "%.*s: \"%.*s\" cannot be drawn; %s can", name->length, name->text, value->length, value->text,
           words[0]);
}

/* True if an attribute has no effect with this value (NULL: with any value): editors write such attributes. */
static int is_plain(const struct source *source, const struct slice *name, const struct slice *value)
{
    static const struct {
        const char *name, *value;
    } plain[] = {
        {"opacity", "1"},         {"fill-opacity", "1"}, {"stroke-opacity", "1"},     {"stroke-dasharray", "none"},
        {"fill-rule", "nonzero"}, {"font-family", NULL}, {"stroke-miterlimit", NULL},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (is_slice(name, plain[i].name)) {
            if (plain[i].value && !is_slice(value, plain[i].value)) {
                refuse(source, "%.*s: \"%.*s\" cannot be drawn; %s can", name->length, name->text, value->length,
                       value->text, plain[i].value);
            }
            return 1;
        }
    }
    return 0;
}

/* Sets a property of style; 0: there is none of that name. */
static int set_property(struct art *art, const struct source *source, struct style *style, const struct slice *name,
                        const struct slice *value)
{
    static const char *const anchors[] = {"start", "middle", "end", NULL};
    static const char *const weights[] = {"normal", "bold", "400", "700", NULL};
    static const char *const rounds[] = {"round", NULL};
    if (is_slice(name, "fill")) {
        style->fill = read_color(art, source, value);
    } else if (is_slice(name, "stroke")) {
        style->stroke = read_color(art, source, value);
    } else if (is_slice(name, "stroke-width")) {
        style->width = read_length(source, name, value);
    } else if (is_slice(name, "font-size")) {
        style->size = read_length(source, name, value);
    } else if (is_slice(name, "text-anchor")) {
        style->anchor = read_word(source, name, value, anchors);
    } else if (is_slice(name, "font-weight")) {
        style->is_bold = read_word(source, name, value, weights) % 2;
    } else if (is_slice(name, "stroke-linecap")) {
        style->has_round_ends = read_word(source, name, value, rounds) == 0;
    } else if (is_slice(name, "stroke-linejoin")) {
        style->has_round_joints = read_word(source, name, value, rounds) == 0;
    } else {
        return is_plain(source, name, value);
    }
    return 1;
}

static struct slice trimmed(const char *first, const char *end)
{
    while (first < end && strchr(" \t\r\n", *first)) {
        first++;
    }
    while (first < end && strchr(" \t\r\n", end[-1])) {
        end--;
    }
    return (struct slice){first, (int)(end - first)};
}

/* The declarations of a style="...". */
static void set_declarations(struct art *art, const struct source *source, struct style *style,
                             const struct slice *text)
{
    const char *const end = text->text + text->length;
    for (const char *at = text->text; at < end;) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        stop = stop ? stop : end;
        const struct slice all = trimmed(at, stop);
        const char *colon = memchr(all.text, ':', (size_t)all.length);
        at = stop + 1;
        if (all.length == 0 || all.text[0] == '-') { /* an editor's own */
            continue;
        }
        const struct slice name = trimmed(all.text, colon ? colon : all.text);
        const struct slice value = trimmed(colon ? colon + 1 : all.text, all.text + all.length);
        if (!colon || !set_property(art, source, style, &name, &value)) {
            refuse(source, "style: \"%.*s\" cannot be drawn", all.length, all.text);
        }
    }
}

static void move_origin(const struct source *source, struct style *style, const struct slice *transform)
{
    static const char prefix[] = "translate(";
    const int length = (int)sizeof prefix - 1;
    struct slice rest = *transform;
    double x, y = 0;
    int is_known = rest.length > length && memcmp(rest.text, prefix, (size_t)length) == 0;
    if (is_known) {
        rest = (struct slice){rest.text + length, rest.length - length};
        is_known = next_number(&rest, &x);
        next_number(&rest, &y);
    }
    if (!is_known || !is_slice(&rest, ")")) {
        refuse(source, "transform=\"%.*s\" cannot be drawn; translate(x y) can", transform->length,
               transform->text);
    }
    style->x += x;
    style->y += y;
}

static int is_own(const struct slice *name, const char *const *own)
{
    for (; *own; own++) {
        if (is_slice(name, *own)) {
            return 1;
        }
    }
    return is_slice(name, "id") || memchr(name->text, ':', (size_t)name->length) ||
           (name->length > 5 && memcmp(name->text, "data-", 5) == 0);
}

struct style style_of(struct art *art, const struct source *source, const struct tag *tag,
                      const struct style *outer, const char *const *own)
{
    struct style style = *outer;
    for (int i = 0; i < tag->count; i++) {
        const struct slice *name = &tag->attributes[i].name;
        const struct slice *value = &tag->attributes[i].value;
        if (is_slice(name, "style")) {
            continue;
        }
        if (is_slice(name, "transform")) {
            move_origin(source, &style, value);
        } else if (!is_own(name, own) && !set_property(art, source, &style, name, value)) {
            refuse(source, "%.*s: it may have no such attribute", name->length, name->text);
        }
    }
    const struct slice *declarations = attribute_of(tag, "style"); /* it takes precedence */
    if (declarations) {
        set_declarations(art, source, &style, declarations);
    }
    return style;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------ */

/* Numbers of a shape that is being read, in units. */
struct numbers {
    double at[2 * MH_MAX_ART_POINTS];
    int count;
};

static void push(const struct source *source, struct numbers *numbers, double number)
{
    if (numbers->count == 2 * MH_MAX_ART_POINTS) {
        refuse(source, "it has more than %d points", MH_MAX_ART_POINTS);
    }
    numbers->at[numbers->count++] = number;
}

static void push_point(const struct source *source, struct numbers *numbers, const struct style *style, double x,
                       double y)
{
    push(source, numbers, style->x + x);
    push(source, numbers, style->y + y);
}

static int to_tenths(const struct source *source, double number)
{
    const double tenths = floor(10 * number + 0.5 + 1e-9);
    if (!(tenths >= -32768 && tenths <= 32767)) {
        refuse(source, "%g is too far away: numbers are from -3276.8 to 3276.7", number);
    }
    return (int)tenths;
}

/* Returns the place of these numbers in the table; shapes that look alike share them. */
static int place_of(struct art *art, const struct source *source, const int16_t *numbers, int count)
{
    const size_t bytes = (size_t)count * sizeof *numbers;
    for (int i = 0; i + count <= art->num_numbers; i++) {
        if (memcmp(art->numbers + i, numbers, bytes) == 0) {
            return i;
        }
    }
    if (art->num_numbers + count > MAX_NUMBERS) {
        refuse(source, "there are more than %d numbers in all files", MAX_NUMBERS);
    }
    memcpy(art->numbers + art->num_numbers, numbers, bytes);
    art->num_numbers += count;
    return art->num_numbers - count;
}

static void add_shape(struct art *art, const struct source *source, struct shape shape,
                      const struct numbers *numbers)
{
    int16_t tenths[2 * MH_MAX_ART_POINTS];
    for (int i = 0; i < numbers->count; i++) {
        /* The characters of a text are no lengths. */
        const int is_character = shape.kind == MH_ART_TEXT && i >= 4;
        tenths[i] = (int16_t)(is_character ? (int)numbers->at[i] : to_tenths(source, numbers->at[i]));
    }
    if (art->num_shapes == MAX_SHAPES) {
        refuse(source, "there are more than %d shapes in all files", MAX_SHAPES);
    }
    shape.count = numbers->count;
    shape.first = place_of(art, source, tenths, numbers->count);
    art->shapes[art->num_shapes++] = shape;
}

static int width_of(const struct source *source, const struct style *style)
{
    return style->stroke ? to_tenths(source, style->width) : 0;
}

static void check_paint(const struct source *source, const struct style *style)
{
    if (style->fill == NOT_GIVEN) {
        refuse(source, "it has no fill, which would be black: give it a colour or none");
    }
    if (!style->fill && !style->stroke) {
        refuse(source, "it paints nothing: give it a fill or a stroke");
    }
}

static void check_round(const struct source *source, const struct style *style)
{
    if (!style->has_round_ends || !style->has_round_joints) {
        refuse(source, "lines are drawn with round ends and joints: it needs stroke-linecap=\"round\" "
                       "stroke-linejoin=\"round\", or what is around it");
    }
}

/* An area between points, a line through them, or both. */
static void add_outline(struct art *art, const struct source *source, const struct style *style,
                        struct numbers *points, int is_closed)
{
    check_paint(source, style);
    if (points->count < 4 + 2 * (style->fill != 0)) {
        refuse(source, "it has too few points: a line has two, an area has three");
    }
    if (style->fill) {
        const struct shape area = {.kind = MH_ART_POLYGON, .fill = style->fill};
        add_shape(art, source, area, points);
    }
    if (style->stroke) {
        check_round(source, style);
        if (is_closed) {
            push(source, points, points->at[0]);
            push(source, points, points->at[1]);
        }
        const struct shape line = {.kind = MH_ART_LINE, .stroke = style->stroke, .width = width_of(source, style)};
        add_shape(art, source, line, points);
    }
}

static void add_framed(struct art *art, const struct source *source, const struct style *style, int kind,
                       const struct numbers *numbers)
{
    check_paint(source, style);
    const struct shape shape = {
        .kind = kind, .fill = style->fill, .stroke = style->stroke, .width = width_of(source, style)};
    add_shape(art, source, shape, numbers);
}

static double size_of(const struct source *source, const struct tag *tag, const char *name)
{
    const double size = number_of(source, tag, name, 0);
    if (size <= 0) {
        refuse(source, "it needs a %s above 0", name);
    }
    return size;
}

static void read_rect(struct art *art, const struct source *source, const struct tag *tag,
                      const struct style *style)
{
    const double radius = number_of(source, tag, "rx", 0);
    struct numbers numbers = {.count = 0};
    if (radius < 0 || number_of(source, tag, "ry", radius) != radius) {
        refuse(source, "rx and ry are the same radius of its corners, and not below 0");
    }
    push_point(source, &numbers, style, number_of(source, tag, "x", 0), number_of(source, tag, "y", 0));
    push(source, &numbers, size_of(source, tag, "width"));
    push(source, &numbers, size_of(source, tag, "height"));
    push(source, &numbers, radius);
    add_framed(art, source, style, MH_ART_RECT, &numbers);
}

static void read_circle(struct art *art, const struct source *source, const struct tag *tag,
                        const struct style *style)
{
    struct numbers numbers = {.count = 0};
    push_point(source, &numbers, style, number_of(source, tag, "cx", 0), number_of(source, tag, "cy", 0));
    push(source, &numbers, size_of(source, tag, "r"));
    add_framed(art, source, style, MH_ART_CIRCLE, &numbers);
}

static void read_line(struct art *art, const struct source *source, const struct tag *tag,
                      const struct style *style)
{
    struct style pen = *style;
    struct numbers points = {.count = 0};
    pen.fill = 0;
    push_point(source, &points, style, number_of(source, tag, "x1", 0), number_of(source, tag, "y1", 0));
    push_point(source, &points, style, number_of(source, tag, "x2", 0), number_of(source, tag, "y2", 0));
    add_outline(art, source, &pen, &points, 0);
}

static void read_points(struct art *art, const struct source *source, const struct tag *tag,
                        const struct style *style)
{
    const struct slice *value = attribute_of(tag, "points");
    struct slice rest = value ? *value : (struct slice){"", 0};
    struct numbers points = {.count = 0};
    double x, y;
    while (next_number(&rest, &x)) {
        if (!next_number(&rest, &y)) {
            refuse(source, "points: the last one has no y");
        }
        push_point(source, &points, style, x, y);
    }
    if (rest.length) {
        refuse(source, "points: \"%.*s\" is no number", rest.length, rest.text);
    }
    add_outline(art, source, style, &points, is_slice(&tag->name, "polygon"));
}

static void read_text(struct art *art, struct source *source, const struct tag *tag, const struct style *style)
{
    static const int flags[] = {0, MH_ART_MIDDLE, MH_ART_END};
    struct numbers numbers = {.count = 0};
    check_paint(source, style);
    if (style->stroke || style->size <= 0) {
        refuse(source, "it needs a font-size, and can have no stroke");
    }
    push_point(source, &numbers, style, number_of(source, tag, "x", 0), number_of(source, tag, "y", 0));
    push(source, &numbers, style->size);
    push(source, &numbers, attribute_of(tag, "textLength") ? size_of(source, tag, "textLength") : 0);
    for (; tag->kind == TAG_OPEN && *source->at && *source->at != '<'; source->at++) {
        if (*source->at < ' ' || *source->at > '~' || strchr("&>", *source->at)) {
            refuse(source, "its text may have printable ASCII without < > &, on one line");
        }
        push(source, &numbers, *source->at);
    }
    if (numbers.count == 4) {
        refuse(source, "it has no text");
    }
    const struct shape shape = {.kind = MH_ART_TEXT,
                                .fill = style->fill,
                                .flags = flags[style->anchor] | (style->is_bold ? MH_ART_BOLD : 0)};
    add_shape(art, source, shape, &numbers);
}

/* ---- Paths ------------------------------------------------------------------------------------------------- */

/* A path of straight lines. It may have several lines, but one area only: no painter here knows holes. */
struct path {
    struct slice rest;
    struct numbers points;
    double x, y; /* from where the next line goes */
    int count;   /* outlines that are finished */
};

static void end_outline(struct art *art, const struct source *source, const struct style *style, struct path *path,
                        int is_closed)
{
    if (path->points.count) {
        if (++path->count > 1 && style->fill) {
            refuse(source, "d: a filled path has one outline only, since holes cannot be drawn");
        }
        add_outline(art, source, style, &path->points, is_closed);
        path->points.count = 0;
    }
}

static double path_number(const struct source *source, struct path *path)
{
    double number;
    if (!next_number(&path->rest, &number)) {
        refuse(source, "d: a number is missing before \"%.*s\"", path->rest.length, path->rest.text);
    }
    return number;
}

/* Reads where one line ends, and goes there. */
static void read_line_to(const struct source *source, const struct style *style, struct path *path, char command)
{
    const int is_relative = command >= 'a';
    const char kind = (char)(is_relative ? command - 'a' + 'A' : command);
    if (kind != 'V') {
        path->x = path_number(source, path) + (is_relative ? path->x : 0);
    }
    if (kind != 'H') {
        path->y = path_number(source, path) + (is_relative ? path->y : 0);
    }
    push_point(source, &path->points, style, path->x, path->y);
}

static void read_path(struct art *art, const struct source *source, const struct tag *tag,
                      const struct style *style)
{
    const struct slice *value = attribute_of(tag, "d");
    struct path path = {.rest = value ? *value : (struct slice){"", 0}};
    double first_x = 0, first_y = 0;
    char command = '\0';
    while (path.rest.length) {
        const char c = *path.rest.text;
        double number;
        struct slice ahead = path.rest;
        if (next_number(&ahead, &number) && command && !strchr("zZ", command)) {
            command = (char)(command == 'M' ? 'L' : command == 'm' ? 'l' : command); /* the same once more */
        } else if (strchr("MmLlHhVvZz", c)) {
            command = c;
            path.rest = (struct slice){path.rest.text + 1, path.rest.length - 1};
        } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            path.rest = (struct slice){path.rest.text + 1, path.rest.length - 1};
            continue;
        } else {
            refuse(source,
                   "d: \"%c\" is none of M L H V Z: make curves straight lines, by whatever your editor calls "
                   "flattening",
                   c);
        }
        if (strchr("zZ", command)) {
            end_outline(art, source, style, &path, 1);
            path.x = first_x;
            path.y = first_y;
            continue;
        }
        if (strchr("mM", command)) {
            end_outline(art, source, style, &path, 0);
        } else if (!path.points.count) {
            push_point(source, &path.points, style, path.x, path.y);
        }
        read_line_to(source, style, &path, command);
        if (strchr("mM", command)) {
            first_x = path.x;
            first_y = path.y;
        }
    }
    end_outline(art, source, style, &path, 0);
    if (!path.count) {
        refuse(source, "d: it has no lines");
    }
}

/* ---- Elements ---------------------------------------------------------------------------------------------- */

int is_ignored(const struct tag *tag)
{
    return is_slice(&tag->name, "metadata") || is_slice(&tag->name, "title") || is_slice(&tag->name, "desc") ||
           memchr(tag->name.text, ':', (size_t)tag->name.length);
}

void read_to_end(struct source *source, const struct tag *tag)
{
    struct tag inner = {.kind = TAG_EMPTY};
    while (tag->kind == TAG_OPEN && inner.kind != TAG_CLOSE) {
        next_tag(source, &inner);
        if (inner.kind == TAG_CLOSE ? !are_equal(&inner.name, &tag->name) : !is_ignored(&inner)) {
            refuse(source, "it stands in or behind a <%.*s> that does not end before it", tag->name.length,
                   tag->name.text);
        }
        if (inner.kind != TAG_CLOSE) {
            skip_element(source, &inner);
        }
    }
}

int read_shape(struct art *art, struct source *source, const struct tag *tag, const struct style *outer)
{
    static const char *const rect[] = {"x", "y", "width", "height", "rx", "ry", NULL};
    static const char *const circle[] = {"cx", "cy", "r", NULL};
    static const char *const line[] = {"x1", "y1", "x2", "y2", NULL};
    static const char *const points[] = {"points", NULL};
    static const char *const path[] = {"d", NULL};
    static const char *const text[] = {"x", "y", "textLength", "lengthAdjust", NULL};
    static const struct {
        const char *name;
        const char *const *own;
        void (*read)(struct art *, const struct source *, const struct tag *, const struct style *);
    } kinds[] = {
        {"rect", rect, read_rect},         {"circle", circle, read_circle},  {"line", line, read_line},
        {"polyline", points, read_points}, {"polygon", points, read_points}, {"path", path, read_path},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (is_slice(&tag->name, kinds[i].name)) {
            const struct style style = style_of(art, source, tag, outer, kinds[i].own);
            kinds[i].read(art, source, tag, &style);
            read_to_end(source, tag);
            return 1;
        }
    }
    if (is_slice(&tag->name, "text")) {
        const struct style style = style_of(art, source, tag, outer, text);
        read_text(art, source, tag, &style);
        read_to_end(source, tag);
        return 1;
    }
    return 0;
}
