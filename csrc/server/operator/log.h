/* The server's output: lines for people, or with --log json one object of JSON for each, with the same figures as
 * fields, for programs that collect them. */
#ifndef LOG_H
#define LOG_H

#include <stdint.h>
#include <stdio.h>

enum log_form { LOG_TEXT, LOG_JSON };

/* A field is a text, or where that is NULL a number. The last one of a list has no name. */
struct log_field {
    const char *name, *text;
    int64_t number;
};

/* Prints a line and sends it off: as text what `format` says, as JSON {"time", "event", fields...}. */
void log_event(enum log_form form, FILE *stream, const char *event, const struct log_field *fields,
               const char *format, ...);

/* The time, as 2026-01-31T23:59:59Z. */
enum { LOG_TIME = 32 };
void log_time(char text[LOG_TIME]);

#endif
