#include "mh_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mh.h"

void mh_text_begin(struct mh_text *self, char *text, size_t size)
{
    *self = (struct mh_text){.text = text, .size = size};
    if (size) {
        text[0] = '\0';
    }
}

void mh_text_add(struct mh_text *self, const char *format, ...)
{
    const size_t used = self->length < self->size ? self->length : self->size;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(self->size ? self->text + used : NULL, self->size - used, format, arguments);
    va_end(arguments);
    if (length > 0) {
        self->length += (size_t)length;
    }
}

void mh_text_bytes(struct mh_text *self, const char *text, size_t length)
{
    if (self->length + 1 < self->size) {
        const size_t room = self->size - 1 - self->length;
        const size_t written = length < room ? length : room;
        memcpy(self->text + self->length, text, written);
        self->text[self->length + written] = '\0';
    }
    self->length += length;
}

/* Words are short: to copy them byte by byte takes half the time of asking for their length before. */
void mh_text_put(struct mh_text *self, const char *text)
{
    if (self->length + 1 < self->size) {
        char *to = self->text + self->length;
        const char *const end = self->text + self->size - 1;
        while (*text && to < end) {
            *to++ = *text++;
        }
        *to = '\0';
        self->length = (size_t)(to - self->text);
    }
    if (*text) { /* there was no room for this */
        self->length += strlen(text);
    }
}

void mh_text_number(struct mh_text *self, int64_t number)
{
    char text[32]; /* filled from its end */
    char *first = text + sizeof text;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    int digits = 0;
    do {
        if (digits && digits % 3 == 0) {
            *--first = ',';
        }
        *--first = (char)('0' + rest % 10);
        rest /= 10;
        digits++;
    } while (rest);
    if (number < 0) {
        *--first = '-';
    }
    mh_text_bytes(self, first, (size_t)(text + sizeof text - first));
}

/* A number times a power of ten, as a whole number: halves to even, as printf rounds. It is computed of the bits, so
 * that no machine rounds on the way. */
static uint64_t scaled(double number, uint64_t power)
{
    int exponent;
    const uint64_t digits = (uint64_t)ldexp(frexp(number, &exponent), 53) * power; /* less than 2^63 */
    const int shift = 53 - exponent; /* more than 30, as the number is less than 10^6 */
    if (shift > 63) {
        return 0;
    }
    const uint64_t half = (uint64_t)1 << (shift - 1);
    const uint64_t rest = digits & (2 * half - 1);
    const uint64_t whole = digits >> shift;
    return whole + (rest > half || (rest == half && whole % 2));
}

void mh_text_fixed(struct mh_text *self, double number, int decimals)
{
    static const uint64_t powers[] = {1, 10, 100, 1000};
    char text[32]; /* filled from its end */
    char *first = text + sizeof text;
    uint64_t rest = scaled(number < 0 ? -number : number, powers[decimals]);
    const int is_negative = number < 0 && rest;
    int places = decimals;
    for (; places && rest % 10 == 0; places--) {
        rest /= 10;
    }
    for (int place = 0; place <= places || rest; place++) {
        if (place && place == places) {
            *--first = '.';
        }
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (is_negative) {
        *--first = '-';
    }
    mh_text_bytes(self, first, (size_t)(text + sizeof text - first));
}

static void item(struct mh_text *self)
{
    if (self->comma) {
        mh_text_add(self, ",");
    }
    self->comma = 1;
}

void mh_json_open(struct mh_text *self, char bracket)
{
    item(self);
    mh_text_add(self, "%c", bracket);
    self->comma = 0;
}

void mh_json_close(struct mh_text *self, char bracket)
{
    mh_text_add(self, "%c", bracket);
    self->comma = 1;
}

void mh_json_key(struct mh_text *self, const char *key)
{
    item(self);
    mh_text_add(self, "\"%s\":", key);
    self->comma = 0;
}

void mh_json_int(struct mh_text *self, int64_t value)
{
    item(self);
    mh_text_add(self, "%" PRId64, value);
}

void mh_json_number(struct mh_text *self, double value)
{
    item(self);
    mh_text_add(self, "%.17g", value);
}

void mh_json_bool(struct mh_text *self, int value)
{
    item(self);
    mh_text_add(self, value ? "true" : "false");
}

void mh_json_string(struct mh_text *self, const char *value)
{
    item(self);
    mh_text_add(self, "\"%s\"", value);
}

void mh_json_null(struct mh_text *self)
{
    item(self);
    mh_text_add(self, "null");
}

void mh_json_name(struct mh_text *self, int number, mh_name_text *name_text)
{
    char text[MH_TEXT_SIZE];
    name_text(number, text);
    mh_json_string(self, text);
}

void mh_json_seat(struct mh_text *self, int seat)
{
    if (seat < 0) {
        mh_json_null(self);
    } else {
        mh_json_int(self, seat);
    }
}

void mh_json_key_int(struct mh_text *self, const char *key, int64_t value)
{
    mh_json_key(self, key);
    mh_json_int(self, value);
}

void mh_json_key_string(struct mh_text *self, const char *key, const char *value)
{
    mh_json_key(self, key);
    mh_json_string(self, value);
}

void mh_json_key_seat(struct mh_text *self, const char *key, int seat)
{
    mh_json_key(self, key);
    mh_json_seat(self, seat);
}

void mh_json_key_bits(struct mh_text *self, const char *key, uint64_t bits)
{
    mh_json_key(self, key);
    item(self);
    mh_text_add(self, "\"%016" PRIx64 "\"", bits);
}

void mh_json_key_ints(struct mh_text *self, const char *key, const int32_t *values, int count)
{
    mh_json_key(self, key);
    mh_json_open(self, '[');
    for (int i = 0; i < count; i++) {
        mh_json_int(self, values[i]);
    }
    mh_json_close(self, ']');
}

void mh_json_key_numbers(struct mh_text *self, const char *key, const double *values, int count)
{
    mh_json_key(self, key);
    mh_json_open(self, '[');
    for (int i = 0; i < count; i++) {
        mh_json_number(self, values[i]);
    }
    mh_json_close(self, ']');
}

void mh_json_key_name(struct mh_text *self, const char *key, int number, mh_name_text *name_text)
{
    mh_json_key(self, key);
    if (number) {
        mh_json_name(self, number - 1, name_text);
    } else {
        mh_json_null(self);
    }
}

void mh_json_key_names(struct mh_text *self, const char *key, const uint8_t *numbers, int count,
                       mh_name_text *name_text)
{
    mh_json_key(self, key);
    mh_json_open(self, '[');
    for (int i = 0; i < count; i++) {
        mh_json_name(self, numbers[i], name_text);
    }
    mh_json_close(self, ']');
}

void mh_json_key_discards(struct mh_text *self, const char *key, const uint8_t *cards, const uint8_t *by, int count,
                          mh_name_text *name_text)
{
    mh_json_key(self, key);
    mh_json_open(self, '[');
    for (int i = 0; i < count; i++) {
        mh_json_open(self, '{');
        mh_json_key_name(self, "card", cards[i], name_text);
        mh_json_key_seat(self, "by", by[i] - 1);
        mh_json_close(self, '}');
    }
    mh_json_close(self, ']');
}

void mh_json_key_by_name(struct mh_text *self, const char *key, const uint16_t *values, int count,
                         mh_name_text *name_text)
{
    mh_json_key(self, key);
    mh_json_open(self, '{');
    for (int i = 0; i < count; i++) {
        char text[MH_TEXT_SIZE];
        name_text(i, text);
        mh_json_key_int(self, text, values[i]);
    }
    mh_json_close(self, '}');
}

void mh_message(char *message, const char *format, ...)
{
    if (message) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(message, MH_MESSAGE_SIZE, format, arguments);
        va_end(arguments);
        for (char *at = message; *at; at++) {
            if ((unsigned char)*at < ' ' || *at == 127) {
                *at = '?'; /* quoted from the caller's text: a message is one line */
            }
        }
    }
}
