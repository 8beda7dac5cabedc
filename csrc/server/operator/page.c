#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes room for so many bytes and a closing zero. -1: there is none. */
static int page_room(struct page *self, size_t size)
{
    const size_t wanted = self->size + size + 1;
    if (self->failed || wanted > PAGE_MOST) {
        self->failed = 1;
        return -1;
    }
    if (wanted > self->space) {
        const size_t space = 2 * wanted + 512;
        char *larger = realloc(self->bytes, space);
        if (!larger) {
            self->failed = 1;
            return -1;
        }
        self->bytes = larger;
        self->space = space;
    }
    return 0;
}

void page_add(struct page *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || page_room(self, (size_t)size) != 0) {
        return;
    }
    va_start(arguments, format);
    self->size += (size_t)vsnprintf(self->bytes + self->size, self->space - self->size, format, arguments);
    va_end(arguments);
}

/* Bytes of the character of UTF-8 at the beginning, if it has several; 0: there is none. */
static size_t character(const unsigned char *text)
{
    const unsigned char first = text[0];
    const size_t size = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const int is_odd = (first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
                       (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F);
    for (size_t i = 1; i < size; i++) {
        if (text[i] < 0x80 || text[i] > 0xBF) { /* or its end */
            return 0;
        }
    }
    return is_odd ? 0 : size;
}

void page_quote(struct page *self, const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    page_add(self, "\"");
    while (*byte) {
        const size_t size = character(byte);
        if (size) {
            page_add(self, "%.*s", (int)size, (const char *)byte);
        } else if (*byte >= 0x80) {
            page_add(self, "\\ufffd");
        } else if (*byte == '"' || *byte == '\\') {
            page_add(self, "\\%c", *byte);
        } else if (*byte < ' ' || *byte == 127) {
            page_add(self, "\\u%04x", *byte);
        } else {
            page_add(self, "%c", *byte);
        }
        byte += size ? size : 1;
    }
    page_add(self, "\"");
}

void page_free(struct page *self)
{
    free(self->bytes);
    *self = (struct page){.bytes = NULL};
}
