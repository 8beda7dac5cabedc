/* JSON from outside, read by key: the way back from what mh_text.h writes. What is wrong is said once, with its
 * place. */
#ifndef MH_READ_H
#define MH_READ_H

#include <stddef.h>
#include <stdint.h>

#include "mh.h"
#include "mh_text.h"

struct mh_reader {
    const char *end; /* of the text */
    char *message;   /* the caller's, or NULL */
    int failed;      /* something was wrong: from then on everything reads as left out */
};

enum { MH_PATH_SIZE = 64 };

/* A value: a key's or a list's item. */
struct mh_in {
    struct mh_reader *reader;
    const char *at;          /* where it begins; NULL: it was left out, or is null */
    char path[MH_PATH_SIZE]; /* "hands[2][0]" */
};

/* Begins to read a text, which must be one JSON object; else the reader has failed. */
struct mh_in mh_read_begin(struct mh_reader *self, const char *text, size_t size, char *message);

/* Says what is wrong with a value, unless something was wrong before. The path comes first. */
void mh_in_refuse(const struct mh_in *self, const char *format, ...) MH_PRINTF(2, 3);

/* The value of a key of an object, or an item of a list, of which mh_in_count says how many there are; none of one that
 * was left out. The count is refused if it is above `most`. */
struct mh_in mh_in_key(const struct mh_in *self, const char *key);
int mh_in_count(const struct mh_in *self, int most);
struct mh_in mh_in_item(const struct mh_in *self, int index);

/* Refuses a list, unless it was left out, that has not an item for each of so many seats. */
void mh_in_by_seat(const struct mh_in *self, int seats);

static inline int mh_in_given(const struct mh_in *self)
{
    return self->at != NULL;
}

/* Refuses a value that was left out. */
void mh_in_require(const struct mh_in *self);

/* A whole number from `low` to `high`; `otherwise` where it was left out, or is refused. */
int mh_in_int(const struct mh_in *self, int low, int high, int otherwise);
double mh_in_number(const struct mh_in *self, double otherwise);

/* Whole numbers from `low` on, one for each of so many seats; what was left out stays as it is. */
void mh_in_numbers(const struct mh_in *self, int seats, int low, int32_t *numbers);

/* A generator, as 16 hexadecimal digits. */
uint64_t mh_in_bits(const struct mh_in *self, uint64_t otherwise);

/* A text as its place in a row of words, or the number from 0 to count - 1 that has it for its name; `otherwise` as
 * above. */
int mh_in_word(const struct mh_in *self, const char *const *words, int count, int otherwise);
int mh_in_name(const struct mh_in *self, mh_name_text *name_text, int count, int otherwise);

/* Cards, each of which is as often in the deck as `left` still says. */
struct mh_in_deck {
    mh_name_text *name_text;
    int count; /* of kinds */
    uint8_t left[256];
};

/* A card's text as its number, taken from the deck. -1: it was left out, or refused, as where it is not left. */
int mh_in_card(const struct mh_in *self, struct mh_in_deck *deck);

/* Takes a card from the deck; refuses one that is not left. Returns whether it was. */
int mh_in_take(const struct mh_in *self, struct mh_in_deck *deck, int card);

/* Writes the cards of a list to the end of `size` ones, and returns the place of the first; where the list was left
 * out, all cards that are left, in the order of their numbers. */
int mh_in_pile(const struct mh_in *self, struct mh_in_deck *deck, int size, uint8_t *cards);

/* Refuses cards that are left: `self` is where they could be. */
void mh_in_used_up(const struct mh_in *self, const struct mh_in_deck *deck);

#endif
