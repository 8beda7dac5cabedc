#include "names.h"

#include <stdio.h>
#include <string.h>

struct range {
    uint32_t first, last;
};

/* Unicode's characters that show nothing and are not spaces, and those that set the direction of what follows. Joiners
 * and variation selectors are not among them: scripts and emoji need them. */
static const struct range hidden[] = {{0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},   {0x115F, 0x1160},
                                      {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200B}, {0x200E, 0x200F},
                                      {0x2028, 0x202E}, {0x2060, 0x206F}, {0x2800, 0x2800}, {0x3164, 0x3164},
                                      {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};

/* Spaces, and what shows nothing by itself. */
static const struct range blank[] = {{0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                                     {0x2000, 0x200A}, {0x200C, 0x200D}, {0x202F, 0x202F},
                                     {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFE00, 0xFE0F}};

static int is_in(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return 1;
        }
    }
    return 0;
}

static int is_within_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The character at `at`, of text that is known to be UTF-8. Moves `at` behind it. */
static uint32_t next_character(const char **at)
{
    const unsigned char first = (unsigned char)*(*at)++;
    uint32_t code = first < 0x80 ? first : first < 0xE0 ? first & 0x1Fu : first < 0xF0 ? first & 0xFu : first & 7u;
    while (is_within_character(**at)) {
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3Fu);
    }
    return code;
}

int names_read(const msgpack_object *value, const char *key, char *name, size_t size, struct wire_error *error)
{
    enum { MOST = 256 };
    char text[MOST] = "";
    int shows = 0;
    if (wire_read_text(value, key, text, size < MOST ? size : MOST, error) != 0) {
        return -1;
    }
    for (const char *at = text; *at;) {
        const char *from = at;
        const uint32_t code = next_character(&at);
        if (is_in(code, hidden, sizeof hidden / sizeof *hidden)) {
            return wire_refuse(error, "argument",
                               "%s: U+%04X at byte %zu, which shows nothing or turns the text around it", key,
                               (unsigned)code, (size_t)(from - text));
        }
        shows |= !is_in(code, blank, sizeof blank / sizeof *blank);
    }
    if (shows) {
        memcpy(name, text, strlen(text) + 1);
    }
    return 0;
}

void names_cut(char *name, size_t size)
{
    size_t length = strlen(name);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && is_within_character(name[length])) {
            length--;
        }
        name[length] = '\0';
    }
}

void names_tell_apart(char *name, size_t size, const struct names_taken *taken)
{
    enum { MOST = 256 };
    char stem[MOST];
    char number[16];
    (void)snprintf(stem, sizeof stem, "%s", name);
    for (unsigned i = 2; taken->has(taken->context, name); i++) {
        const int length = snprintf(number, sizeof number, " %u", i);
        names_cut(stem, size - (size_t)length);
        (void)snprintf(name, size, "%s%s", stem, number);
    }
}
