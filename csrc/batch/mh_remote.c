/* Rows on a server: its replies, read into the arrays of a batch as if the rows were stepped here.
 * csrc/server/envs/env_rows.c writes them, csrc/server/PROTOCOL.md describes them. They come from outside: a reply is
 * checked as a whole before any of it is used. */
#include <stdlib.h>
#include <string.h>

#include "base/mh_order.h"
#include "base/mh_rounds.h"
#include "base/mh_text.h"
#include "mh.h"

struct mh_remote {
    int rows;
    struct mh_buffers arrays;
    struct mh_buffer table[MH_NUM_BUFFERS];
    int32_t *changes;  /* [rows] the rows that a reply has changes of */
    int32_t *reported; /* [num_reported] rows whose arrays hold changes that the next step takes back, */
    int num_reported;
    uint8_t *is_reported; /* [rows] and which these are */
    int info;             /* public numbers of a row */
    int64_t *numbers;     /* [info] of a round that is read */
    struct mh_rounds *earlier;
};

/* ---- Values of a message (msgpack) ----------------------------------------------------------------------- */

/* The rest of a message, and bytes of it. */
struct input {
    const uint8_t *at, *end;
};

struct bytes {
    const uint8_t *at; /* NULL: there are none */
    size_t size;
};

/* The first bytes of values of a kind: with a number under `fixes`, added to the byte `fix`; or with the byte `first`
 * and a number in `width` bytes, or with one of the `wider - 1` bytes after it, each for twice as many. */
struct msgpack_form {
    unsigned fix, fixes, first, wider, width;
};

static const struct msgpack_form UINT = {0x00, 128, 0xCC, 4, 1}, BINARY = {0, 0, 0xC4, 3, 1},
                                 TEXT = {0xA0, 32, 0xD9, 3, 1}, ARRAY = {0x90, 16, 0xDC, 2, 2},
                                 MAP = {0x80, 16, 0xDE, 2, 2};
enum { NIL = 0xC0 };

static int has(const struct input *in, uint64_t size)
{
    return (uint64_t)(in->end - in->at) >= size;
}

/* Takes the beginning of a value: the number itself, or how many bytes or items follow. Returns whether it was one. */
static int take_number(struct input *in, const struct msgpack_form *form, uint64_t *number)
{
    if (!has(in, 1)) {
        return 0;
    }
    const unsigned head = *in->at;
    if (head - form->fix < form->fixes) {
        in->at++;
        *number = head - form->fix;
        return 1;
    }
    const uint64_t width = (uint64_t)form->width << (head - form->first) % 4;
    if (head - form->first >= form->wider || !has(in, 1 + width)) {
        return 0;
    }
    *number = 0;
    for (const uint8_t *end = ++in->at + width; in->at < end; in->at++) {
        *number = *number << 8 | *in->at;
    }
    return 1;
}

static int take_bytes(struct input *in, const struct msgpack_form *form, struct bytes *bytes)
{
    uint64_t size;
    if (!take_number(in, form, &size) || !has(in, size)) {
        return 0;
    }
    *bytes = (struct bytes){in->at, (size_t)size};
    in->at += size;
    return 1;
}

static int is_text(const struct bytes *bytes, const char *text)
{
    return bytes->size == strlen(text) && memcmp(bytes->at, text, bytes->size) == 0;
}

/* ---- A reply, checked -------------------------------------------------------------------------------------- */

/* A reply taken apart: the bytes of each array, and the rows whose changes it has. */
struct reply {
    struct bytes arrays[MH_NUM_BUFFERS];
    struct bytes rows;
    size_t num_changes;
    struct bytes earlier_rows, earlier_final, earlier_results;
};

/* Bytes of a row in a message: seats are single bytes there. */
static size_t sent_line(const struct mh_buffer *array)
{
    return array->is_seat ? 1 : mh_buffer_line(array);
}

static int is_change(const struct mh_buffer *array)
{
    return array->when == MH_WHEN_CHANGED || array->when == MH_WHEN_ILLEGAL || array->when == MH_WHEN_ROUND ||
           array->when == MH_WHEN_END || array->when == MH_WHEN_PACKED;
}

/* Refuses a reply that has not so many lines for an array. */
static int check_lines(const struct mh_remote *self, const struct reply *reply, int index, size_t lines,
                       char *message)
{
    const struct mh_buffer *array = &self->table[index];
    const struct bytes *bytes = &reply->arrays[index];
    if (!bytes->at) {
        mh_message(message, "reply: it has no %s", array->name);
    } else if (bytes->size != lines * sent_line(array)) {
        mh_message(message, "reply: %zu bytes of %s for %zu rows; expected %zu", bytes->size, array->name, lines,
                   lines * sent_line(array));
    } else {
        return 1;
    }
    return 0;
}

/* Takes the columns of the changes as they come. Those of arrays that this build does not have are left out. */
static int take_columns(const struct mh_remote *self, struct input *in, struct reply *reply)
{
    uint64_t count;
    if (!take_number(in, &MAP, &count)) {
        return 0;
    }
    for (; count; count--) {
        struct bytes name, bytes;
        if (!take_bytes(in, &TEXT, &name) || !take_bytes(in, &BINARY, &bytes)) {
            return 0;
        }
        if (is_text(&name, "rows")) {
            reply->rows = bytes;
        } else if (is_text(&name, "earlier_rows")) {
            reply->earlier_rows = bytes;
        } else if (is_text(&name, "earlier_final")) {
            reply->earlier_final = bytes;
        } else if (is_text(&name, "earlier_results")) {
            reply->earlier_results = bytes;
        }
        for (int i = 0; i < MH_NUM_BUFFERS; i++) {
            if (is_change(&self->table[i]) && is_text(&name, self->table[i].name)) {
                reply->arrays[i] = bytes;
            }
        }
    }
    return 1;
}

/* Finds the rows that the changes are of. */
static int find_rows(struct mh_remote *self, struct reply *reply, char *message)
{
    reply->num_changes = reply->rows.size / sizeof *self->changes;
    if (!reply->rows.at || reply->rows.size % sizeof *self->changes || reply->num_changes > (size_t)self->rows) {
        mh_message(message, "reply: %zu bytes of rows with changes, of %d rows", reply->rows.size, self->rows);
        return 0;
    }
    memcpy(self->changes, reply->rows.at, reply->rows.size);
    mh_order(self->changes, reply->num_changes, sizeof *self->changes);
    for (size_t i = 0; i < reply->num_changes; i++) {
        if (self->changes[i] < (i ? self->changes[i - 1] + 1 : 0) || self->changes[i] >= self->rows) {
            mh_message(message, "reply: changes of row %d, of %d rows in rising order", (int)self->changes[i],
                       self->rows);
            return 0;
        }
    }
    return 1;
}

static int32_t earlier_row(const struct reply *reply, size_t place)
{
    int32_t row;
    memcpy(&row, reply->earlier_rows.at + place * sizeof row, sizeof row);
    mh_order(&row, 1, sizeof row);
    return row;
}

/* Refuses rounds beside the columns that are of no row. */
static int check_earlier(const struct mh_remote *self, const struct reply *reply, char *message)
{
    const size_t count = reply->earlier_final.size;
    int is_right = reply->earlier_rows.size == count * sizeof(int32_t) &&
                   reply->earlier_results.size == count * (size_t)self->info * sizeof(int64_t);
    for (size_t i = 0; i < count && is_right; i++) {
        const int32_t row = earlier_row(reply, i);
        is_right = row >= 0 && row < self->rows;
    }
    if (!is_right) {
        mh_message(message, "reply: %zu earlier rounds, whose columns do not fit", count);
    }
    return is_right;
}

static int check_changes(struct mh_remote *self, struct reply *reply, char *message)
{
    if (!find_rows(self, reply, message) || !check_earlier(self, reply, message)) {
        return 0;
    }
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const int is_wanted = is_change(&self->table[i]) && mh_buffers_get(&self->arrays, i);
        if (is_wanted && !check_lines(self, reply, i, reply->num_changes, message)) {
            return 0;
        }
    }
    return 1;
}

/* Takes what follows the number of a reply about rows. */
static int take_reply(struct mh_remote *self, struct input *in, struct reply *reply, char *message)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        if (self->table[i].when == MH_WHEN_ALWAYS && (!take_bytes(in, &BINARY, &reply->arrays[i]) ||
                                                      !check_lines(self, reply, i, (size_t)self->rows, message))) {
            return 0;
        }
    }
    if (has(in, 1) && *in->at == NIL) {
        in->at++;
    } else if (!take_columns(self, in, reply) || !check_changes(self, reply, message)) {
        return 0;
    }
    return in->at == in->end;
}

/* ---- Its rows in the arrays ------------------------------------------------------------------------------ */

static void copy_lines(const struct mh_buffer *array, const uint8_t *from, size_t lines, void *to)
{
    if (array->is_seat) {
        for (size_t i = 0; i < lines; i++) {
            ((mh_seat *)to)[i] = from[i];
        }
    } else {
        const size_t size = lines * mh_buffer_line(array);
        memcpy(to, from, size);
        mh_order(to, size / (size_t)array->size, (size_t)array->size);
    }
}

/* The line of a row in an array. */
static void *line_of(const struct mh_remote *self, int index, int row)
{
    return (uint8_t *)mh_buffers_get(&self->arrays, index) + (size_t)row * mh_buffer_line(&self->table[index]);
}

/* True if an array holds changes of a step, one line for each row, until the next one. */
static int is_passing(const struct mh_remote *self, int index)
{
    const int32_t when = self->table[index].when;
    return mh_buffers_get(&self->arrays, index) &&
           (when == MH_WHEN_ILLEGAL || when == MH_WHEN_ROUND || when == MH_WHEN_END);
}

/* Takes the changes of the last step back. */
static void forget_changes(struct mh_remote *self)
{
    for (int index = 0; index < MH_NUM_BUFFERS; index++) {
        for (int i = 0; is_passing(self, index) && i < self->num_reported; i++) {
            memset(line_of(self, index, self->reported[i]), 0, mh_buffer_line(&self->table[index]));
        }
    }
    for (int i = 0; i < self->num_reported; i++) {
        self->is_reported[self->reported[i]] = 0;
    }
    self->num_reported = 0;
}

static void show_changes(struct mh_remote *self, const struct reply *reply)
{
    for (int index = 0; index < MH_NUM_BUFFERS; index++) {
        if (is_passing(self, index) ||
            (self->table[index].when == MH_WHEN_CHANGED && mh_buffers_get(&self->arrays, index))) {
            const size_t sent = sent_line(&self->table[index]);
            for (size_t i = 0; i < reply->num_changes; i++) {
                copy_lines(&self->table[index], reply->arrays[index].at + i * sent, 1,
                           line_of(self, index, self->changes[i]));
            }
        }
    }
    for (size_t i = 0; i < reply->num_changes; i++) {
        const int32_t row = self->changes[i];
        if (!self->is_reported[row]) {
            self->is_reported[row] = 1;
            self->reported[self->num_reported++] = row;
        }
    }
}

/* Shows which episodes have ended in a step, and what was seen then, without gaps. */
static void show_ends(const struct mh_remote *self, const struct reply *reply)
{
    const struct mh_buffers *arrays = &self->arrays;
    int32_t count = 0;
    for (size_t i = 0; i < reply->num_changes; i++) {
        if (!arrays->terminated[self->changes[i]]) {
            continue;
        }
        for (int index = 0; index < MH_NUM_BUFFERS; index++) {
            if (self->table[index].when == MH_WHEN_PACKED && mh_buffers_get(arrays, index)) {
                const size_t sent = sent_line(&self->table[index]);
                copy_lines(&self->table[index], reply->arrays[index].at + i * sent, 1, line_of(self, index, count));
            }
        }
        arrays->final_rows[count++] = self->changes[i];
    }
    *arrays->final_count = count;
}

static void show_earlier(const struct mh_remote *self, const struct reply *reply)
{
    const size_t line = (size_t)self->info * sizeof *self->numbers;
    mh_rounds_clear(self->earlier);
    for (size_t i = 0; i < reply->earlier_final.size; i++) {
        memcpy(self->numbers, reply->earlier_results.at + i * line, line);
        mh_order(self->numbers, (size_t)self->info, sizeof *self->numbers);
        (void)mh_rounds_add(self->earlier, earlier_row(reply, i), reply->earlier_final.at[i] != 0, self->numbers);
    }
}

static void show_reply(struct mh_remote *self, const struct reply *reply, int is_step)
{
    if (is_step) {
        forget_changes(self);
    }
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        if (self->table[i].when == MH_WHEN_ALWAYS) {
            copy_lines(&self->table[i], reply->arrays[i].at, (size_t)self->rows, mh_buffers_get(&self->arrays, i));
        }
    }
    show_changes(self, reply);
    show_earlier(self, reply);
    if (is_step) {
        show_ends(self, reply);
    }
    *self->arrays.changes = (int32_t)reply->num_changes;
}

int mh_remote_read(struct mh_remote *self, const void *bytes, size_t size, uint64_t number, int is_step,
                   char *message)
{
    struct input in = {bytes, (const uint8_t *)bytes + size};
    struct reply reply = {.num_changes = 0};
    struct bytes kind;
    uint64_t items, answered;
    if (!take_number(&in, &ARRAY, &items) || !take_bytes(&in, &TEXT, &kind) || !is_text(&kind, "ok") ||
        !take_number(&in, &UINT, &answered) || answered != number) {
        return 0;
    }
    mh_message(message, "reply: it is no reply about rows as PROTOCOL.md describes it");
    if (!take_reply(self, &in, &reply, message)) {
        return MH_ERROR_ARGUMENT;
    }
    show_reply(self, &reply, is_step);
    return 1;
}

/* ---- Life ------------------------------------------------------------------------------------------------ */

/* Refuses to begin without the arrays that every reply is for; those of changes may be left out. */
static int check_arrays(const struct mh_remote *self, char *message)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const int32_t when = self->table[i].when;
        if ((when == MH_WHEN_ALWAYS || when == MH_WHEN_SUMMARY) && !mh_buffers_get(&self->arrays, i)) {
            mh_message(message, "arrays: %s must not be NULL", self->table[i].name);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

int mh_remote_new(const struct mh_game *game, int rows, int final_seats, const struct mh_buffers *arrays,
                  char *message, struct mh_remote **remote)
{
    struct mh_sizes sizes;
    if (!remote || !game || !arrays || rows < 1) {
        mh_message(message, "rows: %d; expected 1 or more, and arguments that are not NULL", rows);
        return MH_ERROR_ARGUMENT;
    }
    mh_game_sizes(game, &sizes);
    struct mh_remote *self = calloc(1, sizeof *self);
    *remote = self;
    if (self) {
        self->rows = rows;
        self->arrays = *arrays;
        self->changes = calloc((size_t)rows, sizeof *self->changes);
        self->reported = calloc((size_t)rows, sizeof *self->reported);
        self->is_reported = calloc((size_t)rows, sizeof *self->is_reported);
        self->info = sizes.info;
        self->numbers = calloc((size_t)sizes.info, sizeof *self->numbers);
        self->earlier = mh_rounds_new(sizes.info);
    }
    if (!self || !self->changes || !self->reported || !self->is_reported || !self->numbers || !self->earlier) {
        mh_remote_free(remote);
        mh_message(message, "no memory for %d rows", rows);
        return MH_ERROR_MEMORY;
    }
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        mh_buffer_at(i, &sizes, rows, final_seats, &self->table[i]);
    }
    const int status = check_arrays(self, message);
    if (status != MH_OK) {
        mh_remote_free(remote);
    }
    return status;
}

void mh_remote_free(struct mh_remote **remote)
{
    if (remote && *remote) {
        free((*remote)->changes);
        free((*remote)->reported);
        free((*remote)->is_reported);
        free((*remote)->numbers);
        mh_rounds_free(&(*remote)->earlier);
        free(*remote);
        *remote = NULL;
    }
}

int mh_remote_earlier(const struct mh_remote *self, int capacity, int32_t *rows, uint8_t *finals, int64_t *numbers)
{
    return self ? mh_rounds_list(self->earlier, capacity, rows, finals, numbers) : MH_ERROR_ARGUMENT;
}
