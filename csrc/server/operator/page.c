#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire.h"

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

void page_quote(struct page *self, const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    const unsigned char *end = byte + strlen(text);
    page_add(self, "\"");
    while (byte < end) {
        uint32_t code;
        const size_t size = wire_character(byte, (size_t)(end - byte), &code);
        if (size > 1) {
            page_add(self, "%.*s", (int)size, (const char *)byte);
        } else if (size == 0) {
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
