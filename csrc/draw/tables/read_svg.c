/* Tags and attributes of an SVG file: as much of XML as editors of drawings write. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make_art.h"

void refuse(const struct source *source, const char *format, ...)
{
    const char *place = source->element.length ? source->element.text : source->at;
    int line = 1;
    for (const char *at = source->text; at < place; at++) {
        line += *at == '\n';
    }
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", source->path, line);
    if (source->element.length) {
        fprintf(stderr, "<%.*s>: ", source->element.length, source->element.text);
    }
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

int are_equal(const struct slice *one, const struct slice *other)
{
    return one->length == other->length && memcmp(one->text, other->text, (size_t)one->length) == 0;
}

int is_slice(const struct slice *slice, const char *text)
{
    const struct slice other = {text, (int)strlen(text)};
    return are_equal(slice, &other);
}

static int is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == ':' || c == '.';
}

static void skip_space(struct source *source)
{
    while (is_space(*source->at)) {
        source->at++;
    }
}

static void skip_past(struct source *source, const char *end)
{
    const char *found = strstr(source->at, end);
    if (!found) {
        refuse(source, "there is no %s to what begins here", end);
    }
    source->at = found + strlen(end);
}

static struct slice name_at(struct source *source)
{
    const char *first = source->at;
    while (is_name(*source->at)) {
        source->at++;
    }
    return (struct slice){first, (int)(source->at - first)};
}

static struct attribute attribute_at(struct source *source)
{
    struct attribute attribute = {.name = name_at(source)};
    skip_space(source);
    if (attribute.name.length == 0 || *source->at != '=') {
        refuse(source, "here is no name=\"value\", nor the end of the tag");
    }
    source->at++;
    skip_space(source);
    const char quote = *source->at;
    const char *end = quote == '"' || quote == '\'' ? strchr(source->at + 1, quote) : NULL;
    if (!end) {
        refuse(source, "%.*s: its value is not in quotes", attribute.name.length, attribute.name.text);
    }
    attribute.value = (struct slice){source->at + 1, (int)(end - source->at - 1)};
    source->at = end + 1;
    return attribute;
}

static void read_attributes(struct source *source, struct tag *tag)
{
    for (skip_space(source); *source->at != '>' && *source->at != '/'; skip_space(source)) {
        const struct attribute read = attribute_at(source);
        if (tag->count == MAX_ATTRIBUTES) {
            refuse(source, "it has more than %d attributes", MAX_ATTRIBUTES);
        }
        for (int i = 0; i < tag->count; i++) {
            if (are_equal(&tag->attributes[i].name, &read.name)) {
                refuse(source, "it has %.*s twice", read.name.length, read.name.text);
            }
        }
        tag->attributes[tag->count++] = read;
    }
    if (*source->at == '/' && tag->kind == TAG_OPEN) {
        tag->kind = TAG_EMPTY;
        source->at++;
    }
    if (*source->at != '>') {
        refuse(source, "here is no name=\"value\", nor the end of the tag");
    }
    source->at++;
}

static void skip_remarks(struct source *source)
{
    for (;;) {
        skip_space(source);
        if (strncmp(source->at, "<!--", 4) == 0) {
            skip_past(source, "-->");
        } else if (strncmp(source->at, "<?", 2) == 0) {
            skip_past(source, "?>");
        } else if (strncmp(source->at, "<!DOCTYPE", 9) == 0) {
            skip_past(source, ">");
        } else {
            return;
        }
    }
}

void next_tag(struct source *source, struct tag *tag)
{
    skip_remarks(source);
    *tag = (struct tag){.kind = TAG_END};
    if (*source->at == '\0') {
        return;
    }
    if (*source->at != '<') {
        refuse(source, "there is text behind it that belongs to no <text>");
    }
    source->at++;
    const int closes = *source->at == '/';
    source->at += closes;
    tag->kind = closes ? TAG_CLOSE : TAG_OPEN;
    tag->name = source->element = name_at(source);
    if (tag->name.length == 0) {
        refuse(source, "a < begins no tag");
    }
    read_attributes(source, tag);
}

void skip_element(struct source *source, const struct tag *tag)
{
    int depth = tag->kind == TAG_OPEN;
    while (depth) {
        struct tag inner;
        const char *next = strchr(source->at, '<');
        if (!next) {
            source->element = tag->name;
            refuse(source, "it has no closing tag");
        }
        source->at = next;
        next_tag(source, &inner);
        depth += inner.kind == TAG_OPEN;
        depth -= inner.kind == TAG_CLOSE;
    }
}

const struct slice *attribute_of(const struct tag *tag, const char *name)
{
    for (int i = 0; i < tag->count; i++) {
        if (is_slice(&tag->attributes[i].name, name)) {
            return &tag->attributes[i].value;
        }
    }
    return NULL;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_separators(struct slice *text)
{
    while (text->length && (is_space(*text->text) || *text->text == ',')) {
        text->text++;
        text->length--;
    }
}

/* Words such as "nan" and numbers such as 0x10 are for strtod alone. */
static int begins_number(const struct slice *text)
{
    int at = text->length && (text->text[0] == '-' || text->text[0] == '+');
    at += at < text->length && text->text[at] == '.';
    return at < text->length && is_digit(text->text[at]) &&
           !(at + 1 < text->length && (text->text[at + 1] == 'x' || text->text[at + 1] == 'X'));
}

int next_number(struct slice *text, double *number)
{
    skip_separators(text);
    if (!begins_number(text)) {
        return 0;
    }
    char *stop;
    *number = strtod(text->text, &stop); /* a quote or a bracket stands behind all slices */
    text->length -= (int)(stop - text->text);
    text->text = stop;
    skip_separators(text);
    return 1;
}

double number_of(const struct source *source, const struct tag *tag, const char *name, double standard)
{
    const struct slice *value = attribute_of(tag, name);
    if (!value) {
        return standard;
    }
    struct slice rest = *value;
    double number;
    if (!next_number(&rest, &number) || rest.length) {
        refuse(source, "%s=\"%.*s\" is no number", name, value->length, value->text);
    }
    return number;
}
