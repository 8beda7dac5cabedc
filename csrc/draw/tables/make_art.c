/* Writes art_tables.h at build time: the sprites of all SVG files of art, as shapes. It is written in C so that
 * building the core needs no Python. */
#include "make_art.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/palette.h"
#include "mh.h"

enum { MAX_DEPTH = 16 /* of elements in elements, and of <use> within what is used */ };

/* ---- Sprites ----------------------------------------------------------------------------------------------- */

static void read_content(struct art *art, struct source *source, const struct tag *tag, const struct style *style,
                         int depth);

/* The element of an id, and where it begins. */
static struct source find_id(const struct source *source, const struct slice *id, struct tag *found)
{
    struct source at = *source;
    struct source place = *source;
    int count = 0;
    at.at = at.text;
    for (const char *next; (next = strchr(at.at, '<')) != NULL;) {
        struct tag tag;
        at.at = next;
        next_tag(&at, &tag);
        const struct slice *own = attribute_of(&tag, "id");
        if (own && are_equal(own, id) && count++ == 0) {
            *found = tag;
            place = at;
        }
    }
    if (count != 1) {
        refuse(source, "href: %s element of this file has the id %.*s", count ? "more than one" : "no", id->length,
               id->text);
    }
    return place;
}

static void read_element(struct art *art, struct source *source, const struct tag *tag, const struct style *outer,
                         int depth);

static void read_use(struct art *art, struct source *source, const struct tag *tag, const struct style *outer,
                     int depth)
{
    static const char *const own[] = {"href", "x", "y", NULL};
    struct style style = style_of(art, source, tag, outer, own);
    const struct slice *href = attribute_of(tag, "href");
    href = href ? href : attribute_of(tag, "xlink:href");
    if (!href || href->length < 2 || href->text[0] != '#') {
        refuse(source, "it needs an href=\"#id\" of this file");
    }
    style.x += number_of(source, tag, "x", 0);
    style.y += number_of(source, tag, "y", 0);
    const struct slice id = {href->text + 1, href->length - 1};
    struct tag used;
    struct source place = find_id(source, &id, &used);
    read_element(art, &place, &used, &style, depth);
    read_to_end(source, tag);
}

static void read_element(struct art *art, struct source *source, const struct tag *tag, const struct style *outer,
                         int depth)
{
    static const char *const none[] = {NULL};
    if (depth == MAX_DEPTH) {
        refuse(source, "it stands %d elements deep, or uses itself", MAX_DEPTH);
    }
    if (attribute_of(tag, "data-size")) {
        refuse(source, "data-size: a sprite stands directly in <svg>, and is not used by others; name its parts");
    }
    if (is_ignored(tag)) {
        skip_element(source, tag);
    } else if (is_slice(&tag->name, "use")) {
        read_use(art, source, tag, outer, depth + 1);
    } else if (is_slice(&tag->name, "g")) {
        const struct style style = style_of(art, source, tag, outer, none);
        read_content(art, source, tag, &style, depth + 1);
    } else if (!read_shape(art, source, tag, outer)) {
        refuse(source,
               "art has no such element; it may have g, use, rect, circle, line, polyline, polygon, path, text");
    }
}

static void read_content(struct art *art, struct source *source, const struct tag *tag, const struct style *style,
                         int depth)
{
    struct tag inner = {.kind = TAG_EMPTY};
    while (tag->kind == TAG_OPEN) {
        next_tag(source, &inner);
        if (inner.kind == TAG_CLOSE && are_equal(&inner.name, &tag->name)) {
            return;
        }
        if (inner.kind == TAG_CLOSE || inner.kind == TAG_END) {
            source->element = tag->name;
            refuse(source, "it has no closing tag");
        }
        read_element(art, source, &inner, style, depth);
    }
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name that is an XML id, and that a game can write as it writes other texts. */
static void check_name(const struct art *art, const struct source *source, const struct slice *name)
{
    int is_name = name && name->length > 0 && name->length < MH_TEXT_SIZE && is_letter(name->text[0]);
    for (int i = 1; is_name && i < name->length; i++) {
        is_name = is_letter(name->text[i]) || strchr("0123456789-_", name->text[i]) != NULL;
    }
    if (!is_name) {
        refuse(source, "a sprite needs an id of letters, digits and -, shorter than %d", MH_TEXT_SIZE);
    }
    for (int i = 0; i < art->num_sprites; i++) {
        if (are_equal(&art->sprites[i].name, name)) {
            refuse(source, "the sprite %.*s is in %s already", name->length, name->text, art->sprites[i].path);
        }
    }
}

static void check_card(const struct source *source, const struct slice *card)
{
    for (int i = 0; i < card->length; i++) {
        if (card->text[i] < ' ' || card->text[i] > '~' || strchr("\\\"&<", card->text[i])) {
            refuse(source, "data-card: it may have printable ASCII without \\ \" & <");
        }
    }
}

static void read_size(const struct source *source, const struct slice *size, struct sprite *sprite)
{
    struct slice rest = *size;
    double w = 0;
    double h = 0;
    const int are_numbers = next_number(&rest, &w) && next_number(&rest, &h) && !rest.length;
    if (!are_numbers || w < 1 || h < 1 || w > 1024 || h > 1024 || w != (int)w || h != (int)h) {
        refuse(source, "data-size=\"%.*s\" is not a width and a height, whole units from 1 to 1024", size->length,
               size->text);
    }
    sprite->w = (int)w;
    sprite->h = (int)h;
}

/* A group of the sheet; where it stands there does not matter. */
static void read_sprite(struct art *art, struct source *source, const struct tag *tag, const struct style *outer)
{
    static const char *const none[] = {NULL};
    const struct slice *size = attribute_of(tag, "data-size");
    const struct slice *card = attribute_of(tag, "data-card");
    const struct slice *name = attribute_of(tag, "id");
    if (!is_slice(&tag->name, "g") || !size) {
        refuse(source, "in <svg> stand sprites, each a <g id=\"name\" data-size=\"width height\">, and <defs>");
    }
    if (art->num_sprites == MAX_SPRITES) {
        refuse(source, "there are more than %d sprites", MAX_SPRITES);
    }
    struct sprite sprite = {.card = card ? *card : (struct slice){"", 0}, .path = source->path};
    check_name(art, source, name);
    check_card(source, &sprite.card);
    read_size(source, size, &sprite);
    sprite.name = *name;
    sprite.first = art->num_shapes;
    struct style style = style_of(art, source, tag, outer, none);
    style.x = style.y = 0;
    read_content(art, source, tag, &style, 0);
    sprite.count = art->num_shapes - sprite.first;
    if (!sprite.count) {
        source->element = tag->name;
        refuse(source, "the sprite %.*s has no shapes", name->length, name->text);
    }
    art->sprites[art->num_sprites++] = sprite;
}

/* Adds the sprites of a file. */
static void read_sprites(struct art *art, struct source *source)
{
    static const char *const own[] = {"xmlns", "version", "width", "height", "viewBox", NULL};
    struct style style = {.fill = -1, .width = 1};
    struct tag root;
    struct tag tag;
    next_tag(source, &root);
    if (root.kind != TAG_OPEN || !is_slice(&root.name, "svg")) {
        refuse(source, "the file does not begin with <svg>");
    }
    style = style_of(art, source, &root, &style, own);
    for (next_tag(source, &tag); tag.kind != TAG_CLOSE; next_tag(source, &tag)) {
        if (tag.kind == TAG_END) {
            refuse(source, "the file ends before </svg>");
        }
        if (is_slice(&tag.name, "defs") || is_ignored(&tag)) {
            skip_element(source, &tag);
        } else {
            read_sprite(art, source, &tag, &style);
        }
    }
}

/* ---- Tables ------------------------------------------------------------------------------------------------ */

/* The elements of all sprites, one behind another; starts[i] is where one begins. */
static void write_elements(FILE *out, const struct art *art, int *starts)
{
    struct written written = {.file = out};
    fprintf(out, "static const char art_svg[] = {");
    for (int i = 0; i < art->num_sprites; i++) {
        starts[i] = written.count;
        write_svg(&written, art, &art->sprites[i]);
    }
    starts[art->num_sprites] = written.count;
    fprintf(out, "\n};\n\n");
}

static void write_sprites(FILE *out, const struct art *art)
{
    static int starts[MAX_SPRITES + 1];
    write_elements(out, art, starts);
    fprintf(out, "static const struct mh_sprite art_sprites[] = {\n");
    for (int i = 0; i < art->num_sprites; i++) {
        const struct sprite *sprite = &art->sprites[i];
        fprintf(out, "{\"%.*s\", \"%.*s\", art_svg + %d, %d, %d, %d, %d, art_shapes + %d, art_numbers},\n",
                sprite->name.length, sprite->name.text, sprite->card.length, sprite->card.text, starts[i],
                starts[i + 1] - starts[i], sprite->w, sprite->h, sprite->count, sprite->first);
    }
    fprintf(out, "};\n\n");
}

static int is_before(const struct slice *one, const struct slice *other)
{
    const int shorter = one->length < other->length ? one->length : other->length;
    const int order = memcmp(one->text, other->text, (size_t)shorter);
    return order ? order < 0 : one->length < other->length;
}

/* The numbers of the sprites in the order of their names. */
static void write_order(FILE *out, const struct art *art)
{
    static int order[MAX_SPRITES];
    for (int i = 0; i < art->num_sprites; i++) {
        int place = i;
        for (; place && is_before(&art->sprites[i].name, &art->sprites[order[place - 1]].name); place--) {
            order[place] = order[place - 1];
        }
        order[place] = i;
    }
    fprintf(out, "static const int16_t art_by_name[] = {");
    for (int i = 0; i < art->num_sprites; i++) {
        fprintf(out, "%s%d,", i % 24 ? "" : "\n", order[i]);
    }
    fprintf(out, "\n};\n\n");
}

static void write_tables(FILE *out, const struct art *art)
{
    fprintf(out, "/* Generated by csrc/draw/tables/make_art.c. */\n\nstatic const int16_t art_numbers[] = {");
    for (int i = 0; i < art->num_numbers; i++) {
        fprintf(out, "%s%d,", i % 24 ? "" : "\n", art->numbers[i]);
    }
    fprintf(out, "\n};\n\nstatic const struct mh_art_shape art_shapes[] = {\n");
    for (int i = 0; i < art->num_shapes; i++) {
        const struct shape *shape = &art->shapes[i];
        fprintf(out, "{%d,%d,%d,%d,%d,%d,%d},\n", shape->kind, shape->fill, shape->stroke, shape->flags,
                shape->width, shape->count, shape->first);
    }
    fprintf(out, "};\n\n");
    write_sprites(out, art);
    write_order(out, art);
    fprintf(out, "enum { ART_COLORS = %d };\n\n", art->num_colors);
    fprintf(out, "static const struct mh_palette_color art_colors[ART_COLORS + 1] = {\n");
    for (int i = 0; i < art->num_colors; i++) {
        const unsigned rgb = art->colors[i];
        fprintf(out, "{\"\", 0x%06x, 0x%06x, 0x%06x, 0x%06x, 1},\n", rgb, rgb, rgb, rgb);
    }
    fprintf(out, "};\n");
}

static void fail(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

/* The text of a file, with a zero behind it. It is kept, since sprites have their names in it. */
static const char *read_file(const char *path)
{
    enum { MAX_BYTES = 1 << 24 };
    FILE *file = fopen(path, "rb");
    char *text = malloc(MAX_BYTES);
    if (!file || !text) {
        fail(path, "cannot be read");
    }
    const size_t size = fread(text, 1, MAX_BYTES, file);
    if (ferror(file) || size == MAX_BYTES) {
        fail(path, "cannot be read, or has more than 16 MB");
    }
    fclose(file);
    text[size] = '\0';
    if (strlen(text) != size) {
        fail(path, "is no text");
    }
    return text;
}

int main(int argc, char **argv)
{
    static struct art art;
    if (argc < 3) {
        fail("usage", "make_art OUTPUT FILE...");
    }
    for (int i = 2; i < argc; i++) {
        const char *text = read_file(argv[i]);
        struct source source = {.path = argv[i], .text = text, .at = text};
        read_sprites(&art, &source);
    }
    FILE *out = fopen(argv[1], "wb");
    if (!out) {
        fail(argv[1], "cannot be written");
    }
    write_tables(out, &art);
    if (fclose(out) != 0) {
        fail(argv[1], "cannot be written");
    }
    return 0;
}
