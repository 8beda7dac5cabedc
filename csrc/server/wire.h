/* Messages as PROTOCOL.md has them: checked before they are read, and written into memory that is shared by all who may
 * have to send them again. */
#ifndef WIRE_H
#define WIRE_H

#include <msgpack.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "mh.h"

/* ---- Reading --------------------------------------------------------------------------------------------- */

enum { WIRE_DEPTH = 4 };

/* Bytes of the msgpack array that `bytes` begin with: checked as by wire_check, 0 when it is not all there. */
size_t wire_measure(const unsigned char *bytes, size_t size, size_t items);

/* Whether bytes are exactly one msgpack array, with every count backed by bytes that are there, at most `items` values
 * in all, no deeper than WIRE_DEPTH, and without extension types. Nothing is allocated: only then is it safe to let
 * msgpack-c build objects of it. */
int wire_check(const unsigned char *bytes, size_t size, size_t items);

/* An error as a reply has it. */
struct wire_error {
    const char *code;
    char text[MH_MESSAGE_SIZE];
};

/* Sets an error and returns -1, to be returned in turn. */
int wire_refuse(struct wire_error *error, const char *code, const char *format, ...);

/* The same for what a function of the core returned, an enum mh_status other than MH_OK, and its message. */
int wire_refuse_status(struct wire_error *error, int status, const char *message);

/* Arguments of a request, by place; those left out are nil. */
struct wire_args {
    const msgpack_object *items;
    uint32_t count;
};

const msgpack_object *wire_arg(const struct wire_args *args, uint32_t place);

int wire_is_nil(const msgpack_object *value); /* or NULL */

/* The value of a key, or NULL when the map has none or nil there. */
const msgpack_object *wire_key(const msgpack_object *map, const char *key);

/* Values by kind. `value` NULL or nil leaves the result as it is, which is how defaults are given. What is of another
 * kind or out of range is refused with code `argument` under that name. Texts are copied, and refused when longer than
 * `size` - 1 bytes, when not UTF-8, or with control characters. A word is read as its place among the `count` that it
 * can be. */
int wire_read_int(const msgpack_object *value, const char *name, int64_t low, int64_t high, int64_t *result,
                  struct wire_error *error);
int wire_read_seed(const msgpack_object *value, const char *name, uint64_t *result, struct wire_error *error);
int wire_read_bool(const msgpack_object *value, const char *name, int *result, struct wire_error *error);
int wire_read_text(const msgpack_object *value, const char *name, char *text, size_t size,
                   struct wire_error *error);
int wire_read_word(const msgpack_object *value, const char *name, const char *const *words, int count, int *result,
                   struct wire_error *error);

/* The bytes of bin, or of a text, as some languages cannot write bin; NULL: it is neither. */
const unsigned char *wire_bytes(const msgpack_object *value, size_t *size);

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* One message in one allocation. */
struct wire_message {
    _Atomic int references; /* ZeroMQ lets go of messages in a thread of its own */
    size_t size, capacity;
    unsigned char bytes[];
};

struct wire_message *wire_message_new(size_t capacity);       /* NULL: no memory */
struct wire_message *wire_hold(struct wire_message *message); /* one more reference; returns `message` */
void wire_release(struct wire_message *message);              /* NULL is allowed */
int wire_is_free(struct wire_message *message);               /* nobody but the caller holds it */

/* A message being written. It grows; where memory fails all further writing is dropped and wire_finish gives NULL. */
struct wire_out {
    struct wire_message *message;
    int failed;
};

void wire_begin(struct wire_out *self, size_t expected); /* bytes: with the true size nothing is ever moved */
void wire_begin_in(struct wire_out *self, struct wire_message *message); /* anew in one that is free */
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
void wire_copy(struct wire_out *self, const struct wire_message *written); /* what another message holds */
unsigned char *wire_bin_space(struct wire_out *self, size_t size); /* to be filled by the caller; NULL: no memory */

/* Numbers of `width` bytes each, which are little-endian in messages: an array as bin, and, in place, from memory's
 * order to that of messages or back. */
void wire_numbers(struct wire_out *self, const void *numbers, size_t count, size_t width);
void wire_order(void *numbers, size_t size, size_t width);

/* A key with its value. */
void wire_key_int(struct wire_out *self, const char *key, int64_t value);
void wire_key_text(struct wire_out *self, const char *key, const char *value);

/* The core's own JSON as msgpack: mh_game_describe and mh_state_json write nothing else than this reads. */
void wire_json(struct wire_out *self, const char *json);

#endif
