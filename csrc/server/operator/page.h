/* A text that grows as it is written, for the operator's programs. */
#ifndef PAGE_H
#define PAGE_H

#include <stddef.h>

enum { PAGE_MOST = 1 << 24 /* bytes */ };

/* All zeros: an empty page. */
struct page {
    char *bytes;
    size_t size, space;
    int failed; /* there was no memory, or it would have more than PAGE_MOST bytes: what follows is left out */
};

void page_add(struct page *self, const char *format, ...);

/* A text in quotes, as JSON has it: what is not UTF-8 is replaced. */
void page_quote(struct page *self, const char *text);

void page_free(struct page *self);

#endif
