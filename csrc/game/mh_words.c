#include "mh_words.h"

#include <string.h>

/* ---- Names ------------------------------------------------------------------------------------------------ */

static const char you[] = "you";

/* Bytes of the UTF-8 character at `text`, and its number; 0 where none begins there. */
static int read_character(const uint8_t *text, uint32_t *code)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t lowest;
    } kinds[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (int size = 1; size <= 4; size++) {
        if ((text[0] & kinds[size - 1].mask) != kinds[size - 1].lead) {
            continue;
        }
        *code = text[0] & (uint8_t)~kinds[size - 1].mask;
        for (int i = 1; i < size; i++) {
            if ((text[i] & 0xC0) != 0x80) {
                return 0;
            }
            *code = *code << 6 | (text[i] & 0x3F);
        }
        const int is_surrogate = *code >= 0xD800 && *code < 0xE000;
        return *code < kinds[size - 1].lowest || *code > 0x10FFFF || is_surrogate ? 0 : size;
    }
    return 0;
}

/* Characters that cannot be seen, or that change what stands beside them: controls, spaces and marks that join, reorder
 * or hide. */
static int is_unseen(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x200B, 0x200F},  {0x2028, 0x202F},
                  {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return 1;
        }
    }
    return 0;
}

/* Writes a name of at most `limit` characters; what cannot be seen, and broken bytes, become "?". */
static void cut_name(const char *name, int limit, char *out)
{
    const uint8_t *at = (const uint8_t *)name;
    char *end = out;
    char *shorter = out; /* where "..." would begin */
    for (int count = 0; *at; count++) {
        if (count == limit) {
            memcpy(shorter, "...", 4);
            return;
        }
        if (count == limit - 3) {
            shorter = end;
        }
        uint32_t code;
        const int size = read_character(at, &code);
        if (size == 0 || is_unseen(code)) {
            *end++ = '?';
        } else {
            memcpy(end, at, (size_t)size);
            end += size;
        }
        at += size ? size : 1;
    }
    memcpy(end, end == out ? "?" : "", end == out ? 2 : 1);
}

/* Puts the number of a seat behind a name. */
static void add_seat(char *name, int seat)
{
    const size_t length = strlen(name);
    name[length] = ' ';
    name[length + 1] = (char)('0' + seat);
    name[length + 2] = '\0';
}

static int occurs_twice(char (*names)[MH_NAME_SIZE], int seats, int seat)
{
    for (int other = 0; other < seats; other++) {
        if (other != seat && strcmp(names[other], names[seat]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Writes the names with the numbers of those seats that `numbered` has; returns the seats of which the names occur
 * twice. */
static unsigned write_names(const char *const *names, int seats, unsigned numbered, char (*out)[MH_NAME_SIZE])
{
    unsigned twice = 0;
    for (int seat = 0; seat < seats; seat++) {
        if (numbered >> seat & 1) {
            cut_name(names[seat], MH_NAME_LENGTH - 2, out[seat]);
            add_seat(out[seat], seat);
        } else {
            cut_name(names[seat], MH_NAME_LENGTH, out[seat]);
        }
    }
    for (int seat = 0; seat < seats; seat++) {
        twice |= (unsigned)occurs_twice(out, seats, seat) << seat;
    }
    return twice;
}

/* Names that occur twice are numbered, and all are where one then reads like another. Numbered ones also keep to their
 * length: names that were cleaned stay as they are when that is done again. */
void mh_names_clean(const char *const *names, int seats, char (*out)[MH_NAME_SIZE])
{
    const unsigned twice = write_names(names, seats, 0, out);
    if (twice && write_names(names, seats, twice, out)) {
        write_names(names, seats, ~0u, out);
    }
}

void mh_shown_name(struct mh_shown *self)
{
    if (self->viewer->names) {
        mh_names_clean(self->viewer->names, self->seats, self->names);
        return;
    }
    for (int seat = 0; seat < self->seats; seat++) {
        if (seat == self->viewer->seat) {
            memcpy(self->names[seat], you, sizeof you);
        } else {
            memcpy(self->names[seat], "seat", 5);
            add_seat(self->names[seat], seat);
        }
    }
}

/* ---- Checks ----------------------------------------------------------------------------------------------- */

int mh_shown_refuse(char *message, const char *what)
{
    mh_message(message, "%s", what);
    return MH_ERROR_ARGUMENT;
}

int mh_shown_check_seats(const struct mh_shown *self, const struct mh_shown_field *fields, int count, char *message)
{
    for (int i = 0; i < count; i++) {
        if (fields[i].value < fields[i].lowest || fields[i].value > self->seats) {
            mh_message(message, "observation: %s is %d, and seats are from %d to %d", fields[i].name,
                       fields[i].value, fields[i].lowest, self->seats);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

/* ---- Writers ----------------------------------------------------------------------------------------------- */

void mh_words_put(struct mh_words *self, const char *text)
{
    mh_text_put(&self->text, text);
}

void mh_words_number(struct mh_words *self, int64_t number)
{
    mh_text_number(&self->text, number);
}

void mh_words_count(struct mh_words *self, int64_t number, const char *noun)
{
    mh_words_number(self, number);
    mh_words_put(self, " ");
    mh_words_put(self, noun);
    if (number != 1) {
        mh_words_put(self, "s");
    }
}

int mh_words_is_you(const struct mh_words *self, int seat)
{
    const char *name = self->shown->names[seat];
    return name[0] == you[0] && strcmp(name, you) == 0;
}

void mh_words_seat(struct mh_words *self, int seat)
{
    mh_words_put(self, self->shown->names[seat]);
}

void mh_words_subject(struct mh_words *self, int seat)
{
    if (mh_words_is_you(self, seat)) {
        mh_words_put(self, "You");
    } else if (!self->shown->viewer->names) {
        mh_words_put(self, "S");
        mh_words_put(self, self->shown->names[seat] + 1);
    } else {
        mh_words_seat(self, seat);
    }
}

void mh_words_does(struct mh_words *self, int seat, const char *yours, const char *others)
{
    mh_words_subject(self, seat);
    mh_words_put(self, " ");
    mh_words_put(self, mh_words_is_you(self, seat) ? yours : others);
    mh_words_put(self, " ");
}

void mh_words_of(struct mh_words *self, const char *what, int seat)
{
    mh_words_put(self, what);
    mh_words_put(self, " of ");
    mh_words_put(self, mh_words_is_you(self, seat) ? "yours" : self->shown->names[seat]);
}

void mh_words_winners(struct mh_words *self, const int *seats, int count)
{
    if (count == 1) {
        mh_words_does(self, seats[0], "win it", "wins it");
        return;
    }
    mh_words_subject(self, seats[0]);
    for (int i = 1; i < count; i++) {
        mh_words_put(self, i < count - 1 ? ", " : " and ");
        mh_words_seat(self, seats[i]);
    }
    mh_words_put(self, " share the win ");
}

void mh_words_old_cards(struct mh_words *self, int64_t cards)
{
    if (cards) {
        mh_words_put(self, " ");
        mh_words_count(self, cards, "card");
        mh_words_put(self, cards == 1 ? " was" : " were");
        mh_words_put(self, " not in the last shuffle.");
    }
}

void mh_words_draw_pile(struct mh_words *self, int64_t cards, int64_t shuffles)
{
    mh_words_put(self, "The draw pile has ");
    mh_words_count(self, cards, "card");
    if (shuffles) {
        mh_words_put(self, ", after ");
        mh_words_count(self, shuffles, "shuffle");
        mh_words_put(self, " of the discards");
    }
    mh_words_put(self, ".");
}

void mh_words_viewer(struct mh_words *self)
{
    const struct mh_viewer *viewer = self->shown->viewer;
    if (viewer->seat < 0 || (viewer->names && mh_words_is_you(self, viewer->seat))) {
        return;
    }
    mh_words_put(self, " You are ");
    if (viewer->names) {
        mh_words_seat(self, viewer->seat);
    } else {
        mh_words_put(self, "seat ");
        mh_words_number(self, viewer->seat);
    }
    mh_words_put(self, ".");
}
