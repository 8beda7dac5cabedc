/* Names of people and programs. Others see names and tell players apart by them, so a name shows what it is. */
#ifndef NAMES_H
#define NAMES_H

#include "wire.h"

/* Reads a name as wire_read_text does, and refuses characters that show nothing or change how those around them are
 * shown. Nil and a name of spaces alone leave `name` unchanged. */
int names_read(const msgpack_object *value, const char *key, char *name, size_t size, struct wire_error *error);

/* Makes `name`, a text of UTF-8, shorter than `size` bytes, at the end of a character. */
void names_cut(char *name, size_t size);

/* Adds a number to `name`, with room for `size` bytes, if it is one of those that are taken: "ann", "ann 2", "ann
 * 3". */
struct names_taken {
    const void *context;
    int (*has)(const void *context, const char *name);
};
void names_tell_apart(char *name, size_t size, const struct names_taken *taken);

#endif
