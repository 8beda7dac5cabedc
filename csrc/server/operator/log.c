#include "log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <time.h>

#include "page.h"

void log_time(char text[LOG_TIME])
{
    const time_t now = time(NULL);
    struct tm parts;
    (void)strftime(text, LOG_TIME, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

static void write_json(FILE *stream, const char *event, const struct log_field *fields)
{
    struct page page = {.bytes = NULL};
    char when[LOG_TIME];
    log_time(when);
    page_add(&page, "{\"time\": \"%s\", \"event\": \"%s\"", when, event);
    for (; fields->name; fields++) {
        page_add(&page, ", \"%s\": ", fields->name);
        if (fields->text) {
            page_quote(&page, fields->text);
        } else {
            page_add(&page, "%" PRId64, fields->number);
        }
    }
    page_add(&page, "}");
    (void)fputs(page.failed ? "{\"event\": \"error\", \"text\": \"no memory for a line\"}" : page.bytes, stream);
    page_free(&page);
}

/* Writes one line, no matter what the text contains. */
static void write_text(FILE *stream, const char *format, va_list arguments)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, arguments);
    for (const char *byte = text; *byte; byte++) {
        (void)fputc((unsigned char)*byte < ' ' || *byte == 127 ? '?' : *byte, stream);
    }
}

void log_event(enum log_form form, FILE *stream, const char *event, const struct log_field *fields,
               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (form == LOG_JSON) {
        write_json(stream, event, fields);
    } else {
        write_text(stream, format, arguments);
    }
    va_end(arguments);
    (void)fputc('\n', stream);
    (void)fflush(stream);
}
