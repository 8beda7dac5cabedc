#include "mh_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Syntax, checked once ------------------------------------------------------------------------------------ */

enum { MOST_DEPTH = 8, MOST_DIGITS = 32 };

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

/* Each of these returns where the value ends, or NULL where it is none. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        at += *at == '\\';
        if (at == end || (unsigned char)*at < ' ') {
            return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

static const char *skip_digits(const char *at, const char *end)
{
    const char *first = at;
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at > first ? at : NULL;
}

static const char *skip_number(const char *at, const char *end)
{
    const char *first = at;
    at = skip_digits(*at == '-' ? at + 1 : at, end);
    if (at && at < end && *at == '.') {
        at = skip_digits(at + 1, end);
    }
    if (at && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at = skip_digits(at < end && (*at == '+' || *at == '-') ? at + 1 : at, end);
    }
    return at && at - first < MOST_DIGITS ? at : NULL;
}

static const char *skip_word(const char *at, const char *end)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *letter = words[i];
        const char *next = at;
        while (*letter && next < end && *next == *letter) {
            letter++;
            next++;
        }
        if (!*letter) {
            return next;
        }
    }
    return NULL;
}

static const char *skip_value(const char *at, const char *end, int depth);

/* One item of a list, or of an object, whose items begin with their keys. */
static const char *skip_item(const char *at, const char *end, int is_object, int depth)
{
    if (is_object) {
        at = at < end && *at == '"' ? skip_string(at, end) : NULL;
        at = at ? skip_blanks(at, end) : NULL;
        if (!at || at == end || *at != ':') {
            return NULL;
        }
        at = skip_blanks(at + 1, end);
    }
    at = skip_value(at, end, depth);
    return at ? skip_blanks(at, end) : NULL;
}

static const char *skip_container(const char *at, const char *end, int depth)
{
    const int is_object = *at == '{';
    const char close = is_object ? '}' : ']';
    at = skip_blanks(at + 1, end);
    if (at < end && *at == close) {
        return at + 1;
    }
    while (at && at < end) {
        at = skip_item(at, end, is_object, depth);
        if (!at || at == end || *at == close) {
            return at && at < end ? at + 1 : NULL;
        }
        at = *at == ',' ? skip_blanks(at + 1, end) : NULL;
    }
    return NULL;
}

/* Deep nesting is refused, so that the stack has an end. */
static const char *skip_value(const char *at, const char *end, int depth)
{
    if (at == end || depth == MOST_DEPTH) {
        return NULL;
    }
    switch (*at) {
    case '{':
    case '[':
        return skip_container(at, end, depth + 1);
    case '"':
        return skip_string(at, end);
    case 'n':
    case 't':
    case 'f':
        return skip_word(at, end);
    default:
        return skip_number(at, end);
    }
}

struct mh_in mh_read_begin(struct mh_reader *self, const char *text, size_t size, char *message)
{
    self->end = text + size;
    self->message = message;
    self->failed = 0;
    struct mh_in all = {.reader = self, .at = skip_blanks(text, self->end), .path = "the state"};
    const char *last = all.at < self->end && *all.at == '{' ? skip_value(all.at, self->end, 0) : NULL;
    if (!last || skip_blanks(last, self->end) != self->end) {
        mh_in_refuse(&all, "these bytes are not one JSON object");
        all.at = NULL;
    }
    all.path[0] = '\0';
    return all;
}

void mh_in_refuse(const struct mh_in *self, const char *format, ...)
{
    if (!self->reader->failed) {
        char what[MH_MESSAGE_SIZE];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
        mh_message(self->reader->message, "%s: %s", self->path, what);
        self->reader->failed = 1;
    }
}

/* ---- Keys and items ------------------------------------------------------------------------------------------ */

/* The value that begins there, with its place in the text: of the whole, and then a key or a number. */
static struct mh_in value_at(const struct mh_in *whole, const char *at)
{
    struct mh_in value = *whole;
    value.at = !at || *at == 'n' || whole->reader->failed ? NULL : at;
    return value;
}

struct mh_in mh_in_key(const struct mh_in *self, const char *key)
{
    const char *end = self->reader->end;
    const char *found = NULL;
    const size_t length = strlen(key);
    if (self->at && *self->at != '{') {
        mh_in_refuse(self, "an object with the key \"%s\" is expected", key);
    } else if (self->at) {
        for (const char *at = skip_blanks(self->at + 1, end); *at == '"' && !found;) {
            const char *name = at + 1;
            const char *after = skip_string(at, end);
            at = skip_blanks(skip_blanks(after, end) + 1, end);
            found = (size_t)(after - 1 - name) == length && memcmp(name, key, length) == 0 ? at : NULL;
            at = skip_blanks(skip_value(at, end, 0), end);
            at = skip_blanks(at + (*at == ','), end);
        }
    }
    struct mh_in value = value_at(self, found);
    const size_t used = strlen(self->path);
    (void)snprintf(value.path + used, sizeof value.path - used, "%s%s", used ? "." : "", key);
    return value;
}

/* The item of that number, or the end of the list. */
static const char *find_item(const struct mh_in *self, int index, int *count)
{
    const char *end = self->reader->end;
    const char *at = skip_blanks(self->at + 1, end);
    for (*count = 0; *at != ']' && *count < index; (*count)++) {
        at = skip_blanks(skip_value(at, end, 0), end);
        at = skip_blanks(at + (*at == ','), end);
    }
    return *at == ']' ? NULL : at;
}

int mh_in_count(const struct mh_in *self, int most)
{
    int count = 0;
    if (!self->at || self->reader->failed) {
        return 0;
    }
    if (*self->at != '[') {
        mh_in_refuse(self, "a list is expected");
        return 0;
    }
    if (find_item(self, most, &count)) {
        mh_in_refuse(self, "more than %d items", most);
        return 0;
    }
    return count;
}

struct mh_in mh_in_item(const struct mh_in *self, int index)
{
    int count = 0;
    struct mh_in value = value_at(self, self->at && *self->at == '[' ? find_item(self, index, &count) : NULL);
    const size_t used = strlen(self->path);
    (void)snprintf(value.path + used, sizeof value.path - used, "[%d]", index);
    return value;
}

void mh_in_by_seat(const struct mh_in *self, int seats)
{
    const int count = mh_in_count(self, MH_MAX_SEATS);
    if (self->at && count != seats) {
        mh_in_refuse(self, "%d items; there is one for each of %d seats", count, seats);
    }
}

void mh_in_require(const struct mh_in *self)
{
    if (!self->at) {
        mh_in_refuse(self, "is needed, and was left out");
    }
}

/* ---- Values -------------------------------------------------------------------------------------------------- */

/* Copies the value as it was given, for a message. */
static void quote(const struct mh_in *self, char text[MH_TEXT_SIZE])
{
    const char *last = skip_value(self->at, self->reader->end, 0);
    (void)snprintf(text, MH_TEXT_SIZE, "%.*s", (int)(last - self->at), self->at);
}

/* Numbers end before another character: the text is an object, and so never ends with one. */
double mh_in_number(const struct mh_in *self, double otherwise)
{
    char given[MH_TEXT_SIZE];
    if (!self->at || self->reader->failed) {
        return otherwise;
    }
    if (*self->at != '-' && (*self->at < '0' || *self->at > '9')) {
        quote(self, given);
        mh_in_refuse(self, "%s is no number", given);
        return otherwise;
    }
    return strtod(self->at, NULL);
}

int mh_in_int(const struct mh_in *self, int low, int high, int otherwise)
{
    char given[MH_TEXT_SIZE];
    const double number = mh_in_number(self, otherwise);
    if (!self->at || self->reader->failed) {
        return otherwise;
    }
    if (number < low || number > high || number != (double)(int)number) {
        quote(self, given);
        mh_in_refuse(self, "%s is not a whole number from %d to %d", given, low, high);
        return otherwise;
    }
    return (int)number;
}

void mh_in_numbers(const struct mh_in *self, int seats, int low, int32_t *numbers)
{
    mh_in_by_seat(self, seats);
    for (int i = 0; i < seats; i++) {
        const struct mh_in item = mh_in_item(self, i);
        numbers[i] = mh_in_int(&item, low, INT32_MAX, numbers[i]);
    }
}

/* A string without its quotes. Those that hold what no name has, or are too long for one, are cut off. */
static int read_string(const struct mh_in *self, char text[MH_TEXT_SIZE])
{
    if (!self->at || self->reader->failed) {
        return 0;
    }
    if (*self->at != '"') {
        quote(self, text);
        mh_in_refuse(self, "%s is no text", text);
        return 0;
    }
    const char *last = skip_string(self->at, self->reader->end) - 1;
    (void)snprintf(text, MH_TEXT_SIZE, "%.*s", (int)(last - self->at - 1), self->at + 1);
    return 1;
}

uint64_t mh_in_bits(const struct mh_in *self, uint64_t otherwise)
{
    char text[MH_TEXT_SIZE];
    char *end;
    if (!read_string(self, text)) {
        return otherwise;
    }
    const unsigned long long bits = strtoull(text, &end, 16);
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) {
        mh_in_refuse(self, "'%s' is not 16 hexadecimal digits", text);
        return otherwise;
    }
    return bits;
}

int mh_in_word(const struct mh_in *self, const char *const *words, int count, int otherwise)
{
    char text[MH_TEXT_SIZE];
    char known[MH_MESSAGE_SIZE];
    struct mh_text list;
    if (!read_string(self, text)) {
        return otherwise;
    }
    mh_text_begin(&list, known, sizeof known);
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
        mh_text_add(&list, "%s%s", i ? ", " : "", words[i]);
    }
    mh_in_refuse(self, "'%s' is none of: %s", text, known);
    return otherwise;
}

int mh_in_name(const struct mh_in *self, mh_name_text *name_text, int count, int otherwise)
{
    char text[MH_TEXT_SIZE];
    char name[MH_TEXT_SIZE];
    if (!read_string(self, text)) {
        return otherwise;
    }
    for (int i = 0; i < count; i++) {
        name_text(i, name);
        if (strcmp(name, text) == 0) {
            return i;
        }
    }
    name_text(0, name);
    mh_in_refuse(self, "'%s' is none of the game's, such as '%s'", text, name);
    return otherwise;
}

/* ---- Cards --------------------------------------------------------------------------------------------------- */

int mh_in_take(const struct mh_in *self, struct mh_in_deck *deck, int card)
{
    if (!deck->left[card]) {
        char name[MH_TEXT_SIZE];
        deck->name_text(card, name);
        mh_in_refuse(self, "%s occurs more often than in the deck", name);
        return 0;
    }
    deck->left[card]--;
    return 1;
}

int mh_in_card(const struct mh_in *self, struct mh_in_deck *deck)
{
    const int card = mh_in_name(self, deck->name_text, deck->count, -1);
    return card >= 0 && mh_in_take(self, deck, card) ? card : -1;
}

int mh_in_pile(const struct mh_in *self, struct mh_in_deck *deck, int size, uint8_t *cards)
{
    int place = size - (mh_in_given(self) ? mh_in_count(self, size) : 0);
    for (int i = 0; place + i < size; i++) {
        const struct mh_in item = mh_in_item(self, i);
        const int card = mh_in_card(&item, deck);
        mh_in_require(&item);
        cards[place + i] = (uint8_t)(card < 0 ? 0 : card);
    }
    for (int card = deck->count - 1; card >= 0 && !mh_in_given(self); card--) {
        for (; deck->left[card] && place > 0; deck->left[card]--) {
            cards[--place] = (uint8_t)card;
        }
    }
    return place;
}

void mh_in_used_up(const struct mh_in *self, const struct mh_in_deck *deck)
{
    for (int card = 0; card < deck->count; card++) {
        if (deck->left[card]) {
            char name[MH_TEXT_SIZE];
            deck->name_text(card, name);
            mh_in_refuse(self, "%s is missing: it is nowhere", name);
        }
    }
}
