/* Text and JSON written into a caller's buffer of fixed size, counting what the whole would need. */
#ifndef MH_TEXT_H
#define MH_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct mh_text {
    char *text;    /* the caller's; NULL when size is 0 */
    size_t size;   /* bytes in `text`, closing zero included */
    size_t length; /* bytes that the text needs so far, without the closing zero */
    int comma;     /* the next JSON item follows another one */
};

#if defined(__MINGW32__)
#include <stdio.h> /* says whether formats are those of C11 or of Microsoft */
#define MH_PRINTF(text_at, values_at) __attribute__((format(__MINGW_PRINTF_FORMAT, text_at, values_at)))
#elif defined(__GNUC__)
#define MH_PRINTF(text_at, values_at) __attribute__((format(printf, text_at, values_at)))
#else
#define MH_PRINTF(text_at, values_at)
#endif

void mh_text_begin(struct mh_text *self, char *text, size_t size);
void mh_text_add(struct mh_text *self, const char *format, ...) MH_PRINTF(2, 3);

/* The same for a text as it is, and for a number with commas between thousands: "2,048". */
void mh_text_put(struct mh_text *self, const char *text);
void mh_text_bytes(struct mh_text *self, const char *text, size_t length);
void mh_text_number(struct mh_text *self, int64_t number);

/* A number of less than 10^6 with at most so many decimals, 0 to 3, rounded as printf does, and as short as it can be:
 * "12.5", "0". Alike on all machines and in every locale. */
void mh_text_fixed(struct mh_text *self, double number, int decimals);

/* JSON: containers are opened and closed with their own bracket, commas come by themselves. A key is followed by
 * one value. Strings are written as they are: only ASCII without quotes and backslashes is ever passed. */
void mh_json_open(struct mh_text *self, char bracket);
void mh_json_close(struct mh_text *self, char bracket);
void mh_json_key(struct mh_text *self, const char *key);
void mh_json_int(struct mh_text *self, int64_t value);
void mh_json_number(struct mh_text *self, double value);
void mh_json_bool(struct mh_text *self, int value);
void mh_json_string(struct mh_text *self, const char *value);
void mh_json_null(struct mh_text *self);

/* Writes what a number is called: at most MH_TEXT_SIZE bytes, closing zero included. */
typedef void mh_name_text(int number, char *text);

void mh_json_name(struct mh_text *self, int number, mh_name_text *name_text);

/* A seat, or null when it is negative. */
void mh_json_seat(struct mh_text *self, int seat);

/* A key with its value. */
void mh_json_key_int(struct mh_text *self, const char *key, int64_t value);
void mh_json_key_string(struct mh_text *self, const char *key, const char *value);
void mh_json_key_seat(struct mh_text *self, const char *key, int seat);
void mh_json_key_bits(struct mh_text *self, const char *key, uint64_t bits); /* as 16 hexadecimal digits */
void mh_json_key_ints(struct mh_text *self, const char *key, const int32_t *values, int count);
void mh_json_key_numbers(struct mh_text *self, const char *key, const double *values, int count);

/* A key with the name of the number before `number`, or null for 0: how a state says which card, or none. */
void mh_json_key_name(struct mh_text *self, const char *key, int number, mh_name_text *name_text);

/* A key with the names of a row of numbers. */
void mh_json_key_names(struct mh_text *self, const char *key, const uint8_t *numbers, int count,
                       mh_name_text *name_text);

/* A key with a pile of discards: for each the name of the number before the one in `cards`, and the seat before the
 * one in `by`, null for 0. */
void mh_json_key_discards(struct mh_text *self, const char *key, const uint8_t *cards, const uint8_t *by, int count,
                          mh_name_text *name_text);

/* A key with an object: the values of the numbers from 0 on, by their names. */
void mh_json_key_by_name(struct mh_text *self, const char *key, const uint16_t *values, int count,
                         mh_name_text *name_text);

/* Writes one line into an error message of MH_MESSAGE_SIZE bytes; NULL is allowed. */
void mh_message(char *message, const char *format, ...) MH_PRINTF(2, 3);

#endif
