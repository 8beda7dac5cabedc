/* Messages as PROTOCOL.md describes them: checked before they are read, and written into shared memory, because
 * several owners may send them. */
#ifndef WIRE_H
#define WIRE_H

#include <msgpack.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "mh.h"

/* ---- Reading --------------------------------------------------------------------------------------------- */

enum { WIRE_DEPTH = 4 };

/* The size of the msgpack array at the beginning of `bytes`, checked as by wire_check. 0: it is incomplete. */
size_t wire_measure(const unsigned char *bytes, size_t size, size_t items);

/* True if bytes are exactly one msgpack array of at most `items` values in all, no deeper than WIRE_DEPTH, without
 * extension types, and with all bytes that its counts promise. Only then is it safe to let msgpack-c allocate
 * objects for it. */
int wire_check(const unsigned char *bytes, size_t size, size_t items);

/* The error of a reply. */
struct wire_error {
    const char *code;
    const struct limit *limit; /* that was hit, or NULL: see limit.h */
    char text[MH_MESSAGE_SIZE];
};

/* Sets an error. Returns -1, so that callers can return the call. */
int wire_refuse(struct wire_error *error, const char *code, const char *format, ...);

/* The same for an enum mh_status of a batch or a game, which are never MH_ERROR_OVER or _BETWEEN, with its message. */
int wire_refuse_status(struct wire_error *error, int status, const char *message);

/* Arguments of a request by place. Missing ones are nil. */
struct wire_args {
    const msgpack_object *items;
    uint32_t count;
};

const msgpack_object *wire_arg(const struct wire_args *args, uint32_t place);

int wire_is_nil(const msgpack_object *value); /* or NULL */

/* The map at that place, or nil where there is none. NULL with an error for anything else. */
const msgpack_object *wire_arg_map(const struct wire_args *args, uint32_t place, struct wire_error *error);

/* The value of a key, or NULL when the map has none or nil there. */
const msgpack_object *wire_key(const msgpack_object *map, const char *key);

/* Read values by kind. NULL or nil leaves the result unchanged, so callers set defaults before. Values of another
 * kind or out of range are refused with code `argument` and `name` in the text. Texts are copied; they are refused
 * if longer than `size` - 1 bytes, not UTF-8, or with control characters. A word is read as its index in `words`. */
int wire_read_int(const msgpack_object *value, const char *name, int64_t low, int64_t high, int64_t *result,
                  struct wire_error *error);
int wire_read_seed(const msgpack_object *value, const char *name, uint64_t *result, struct wire_error *error);
int wire_read_bool(const msgpack_object *value, const char *name, int *result, struct wire_error *error);
int wire_read_text(const msgpack_object *value, const char *name, char *text, size_t size,
                   struct wire_error *error);
int wire_read_word(const msgpack_object *value, const char *name, const char *const *words, int count, int *result,
                   struct wire_error *error);

/* Size of the character of UTF-8 at `at`, of `left` bytes, at least one; *read is its number. 0: it is not
 * well-formed. */
size_t wire_character(const unsigned char *at, size_t left, uint32_t *read);

/* True if all texts in it are UTF-8. Readers in many languages fail where one is not. */
int wire_is_readable(const msgpack_object *value);

/* The bytes of bin or of a text, which languages without bin send. NULL: neither. */
const unsigned char *wire_bytes(const msgpack_object *value, size_t *size);

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* One message in one allocation. */
struct wire_message {
    _Atomic int references; /* ZeroMQ releases messages in its own thread */
    size_t size, capacity;
    unsigned char bytes[];
};

struct wire_message *wire_message_new(size_t capacity);       /* NULL: no memory */
struct wire_message *wire_hold(struct wire_message *message); /* adds a reference; returns `message` */
void wire_release(struct wire_message *message);              /* NULL is allowed */
int wire_is_free(struct wire_message *message);               /* no other reference is left */

/* A message being written. It grows as needed. After a failed allocation all writing is dropped and wire_finish
 * returns NULL. */
struct wire_out {
    struct wire_message *message;
    int failed;
};

void wire_begin(struct wire_out *self, size_t expected); /* in bytes: with the true size nothing is moved */
/* Begins [name, number, ...], an array of so many items. */
void wire_begin_named(struct wire_out *self, size_t expected, size_t items, const char *name, uint64_t number);
void wire_begin_in(struct wire_out *self, struct wire_message *message); /* reuses a free message */
struct wire_message *wire_finish(struct wire_out *self);
void wire_drop(struct wire_out *self);

void wire_array(struct wire_out *self, size_t count);
void wire_map(struct wire_out *self, size_t count);
void wire_nil(struct wire_out *self);
void wire_bool(struct wire_out *self, int value);
void wire_int(struct wire_out *self, int64_t value);
void wire_uint(struct wire_out *self, uint64_t value);
void wire_double(struct wire_out *self, double value);
void wire_text(struct wire_out *self, const char *text);
void wire_bin(struct wire_out *self, const void *bytes, size_t size);
void wire_object(struct wire_out *self, const msgpack_object *value);      /* as it was read */
void wire_copy(struct wire_out *self, const struct wire_message *written); /* the contents of another message */
unsigned char *wire_bin_space(struct wire_out *self, size_t size); /* filled by the caller; NULL: no memory */

/* Numbers of `width` bytes, which are little-endian in messages: writes an array as bin; converts numbers in place,
 * from the machine's order or back. */
void wire_numbers(struct wire_out *self, const void *numbers, size_t count, size_t width);
void wire_order(void *numbers, size_t size, size_t width);

/* A key with its value. */
void wire_key_int(struct wire_out *self, const char *key, int64_t value);
void wire_key_text(struct wire_out *self, const char *key, const char *value);

/* Writes the core's JSON as msgpack. It reads just what mh_game_describe and mh_state_json write. */
void wire_json(struct wire_out *self, const char *json);

#endif
