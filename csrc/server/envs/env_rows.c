#include "env_rows.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_HEAD = 32 /* bytes of a key and of a binary field's head, at most */ };

/* True if an array is sent as a column of `changes`. */
static int is_column(const struct env *self, const struct mh_buffer *array)
{
    const int is_final = array->when == MH_WHEN_END || array->when == MH_WHEN_PACKED;
    return array->when == MH_WHEN_CHANGED || array->when == MH_WHEN_ILLEGAL || array->when == MH_WHEN_ROUND ||
           (is_final && self->has_final);
}

/* Bytes of a row in a message: seats are kept as i64 and sent as u8. */
static size_t sent_line(const struct mh_buffer *array)
{
    return array->is_seat ? 1 : mh_buffer_line(array);
}

size_t env_reply_size(const struct env *self)
{
    size_t row = sizeof *self->changed_rows;
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer *array = &self->arrays[i];
        row += array->when == MH_WHEN_ALWAYS || is_column(self, array) ? sent_line(array) : 0;
    }
    return self->rows * row + MH_NUM_BUFFERS * COLUMN_HEAD;
}

/* ---- Rows that do not change -------------------------------------------------------------------------------- */

static void keep_row(const struct env *self, size_t row)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        if (env_is_in_reply(&self->arrays[i])) {
            const size_t line = mh_buffer_line(&self->arrays[i]);
            memcpy((unsigned char *)mh_buffers_get(&self->buffers, i) + row * line,
                   (const unsigned char *)mh_buffers_get(&self->shown_buffers, i) + row * line, line);
        }
    }
}

/* A row that is over keeps its observation and mask until it is reset. */
static void keep_rows(const struct env *self, enum env_change change)
{
    const int stay = self->options.autoreset == MH_AUTORESET_DISABLED;
    for (size_t row = 0; row < self->rows; row++) {
        if (change == ENV_STEPPED ? stay && self->was_over[row] : !self->chosen[row]) {
            keep_row(self, row);
        }
    }
}

int env_begin_rows(struct env *self, enum env_change change, struct answer *answer, struct wire_error *error)
{
    if (answer_begin(answer, env_reply_size(self), error) != 0) {
        return -1;
    }
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        if (env_is_in_reply(&self->arrays[i])) {
            mh_buffers_set(&self->buffers, i, wire_bin_space(&answer->out, mh_buffer_bytes(&self->arrays[i])));
        }
    }
    if (self->options.autoreset == MH_AUTORESET_SAME_STEP) {
        memset(self->was_over, 0, self->rows);
    } else {
        memcpy(self->was_over, self->buffers.terminated, self->rows);
    }
    if (self->shown && change != ENV_STARTED) {
        keep_rows(self, change);
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_bind(self->batch, &self->buffers, message);
    return status == MH_OK ? 0 : wire_refuse_status(error, status, message);
}

/* ---- Changes, which only some rows have ------------------------------------------------------------------- */

static int has_change(const struct env *self, enum env_change change, size_t row)
{
    const struct mh_buffers *buffers = &self->buffers;
    if (change != ENV_STEPPED) {
        return change == ENV_STARTED || self->chosen[row];
    }
    const int begun = self->was_over[row] && self->options.autoreset == MH_AUTORESET_NEXT_STEP;
    const int ended = buffers->terminated[row] && !self->was_over[row];
    return begun || ended || buffers->round_ended[row] || buffers->illegal[row];
}

static size_t find_changes(const struct env *self, enum env_change change)
{
    size_t count = 0;
    if (change == ENV_STEPPED && *self->buffers.changes == 0) {
        return 0;
    }
    for (size_t row = 0; row < self->rows; row++) {
        if (has_change(self, change, row)) {
            self->changed_rows[count++] = (int32_t)row;
        }
    }
    return count;
}

/* Writes the entries of the rows with changes, from an array with one entry per row. */
static void write_lines(const struct env *self, struct wire_out *out, int index, size_t count)
{
    const struct mh_buffer *array = &self->arrays[index];
    const unsigned char *from = mh_buffers_get(&self->buffers, index);
    const size_t line = mh_buffer_line(array);
    unsigned char *to = wire_bin_space(out, count * line);
    for (size_t i = 0; to && i < count; i++) {
        memcpy(to + i * line, from + (size_t)self->changed_rows[i] * line, line);
    }
    if (to) {
        wire_order(to, count * line, (size_t)array->size);
    }
}

static void write_seats(const struct env *self, struct wire_out *out, int index, size_t count)
{
    const mh_seat *seats = mh_buffers_get(&self->buffers, index);
    unsigned char *to = wire_bin_space(out, count);
    for (size_t i = 0; to && i < count; i++) {
        to[i] = (unsigned char)seats[self->changed_rows[i]];
    }
}

/* The same for an array with entries only for rows that ended. Both are in the order of the rows. */
static void write_packed(const struct env *self, struct wire_out *out, int index, size_t count, int stepped)
{
    const struct mh_buffers *buffers = &self->buffers;
    const unsigned char *from = mh_buffers_get(buffers, index);
    const size_t line = mh_buffer_line(&self->arrays[index]);
    const int32_t ends = stepped ? *buffers->final_count : 0;
    int32_t end = 0;
    unsigned char *to = wire_bin_space(out, count * line);
    for (size_t i = 0; to && i < count; i++) {
        if (end < ends && buffers->final_rows[end] == self->changed_rows[i]) {
            memcpy(to + i * line, from + (size_t)end++ * line, line);
        } else {
            memset(to + i * line, 0, line);
        }
    }
    if (to) {
        wire_order(to, count * line, (size_t)self->arrays[index].size);
    }
}

static void write_columns(const struct env *self, struct wire_out *out, size_t count, int stepped)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer *array = &self->arrays[i];
        if (!is_column(self, array)) {
            continue;
        }
        wire_text(out, array->name);
        if (array->is_seat) {
            write_seats(self, out, i, count);
        } else if (array->when == MH_WHEN_PACKED) {
            write_packed(self, out, i, count, stepped);
        } else {
            write_lines(self, out, i, count);
        }
    }
}

/* The rounds of which the columns do not tell; few replies have any. */
struct earlier {
    size_t count;
    int32_t *rows;
    uint8_t *finals;
    int64_t *numbers;
};

static struct earlier find_earlier(const struct env *self)
{
    const size_t info = (size_t)self->sizes.info;
    const int count = mh_batch_earlier(self->batch, 0, NULL, NULL, NULL);
    struct earlier found = {0};
    int64_t *memory =
        count > 0 ? malloc((size_t)count * (info * sizeof *found.numbers + sizeof *found.rows + 1)) : NULL;
    if (memory) {
        found.count = (size_t)count;
        found.numbers = memory;
        found.rows = (int32_t *)(void *)(memory + found.count * info);
        found.finals = (uint8_t *)(void *)(found.rows + found.count);
        (void)mh_batch_earlier(self->batch, count, found.rows, found.finals, found.numbers);
    }
    return found;
}

static void write_earlier(const struct env *self, struct wire_out *out, const struct earlier *earlier)
{
    wire_text(out, "earlier_rows");
    wire_numbers(out, earlier->rows, earlier->count, sizeof *earlier->rows);
    wire_text(out, "earlier_final");
    wire_bin(out, earlier->finals, earlier->count);
    wire_text(out, "earlier_results");
    wire_numbers(out, earlier->numbers, earlier->count * (size_t)self->sizes.info, sizeof *earlier->numbers);
}

static void write_changes(const struct env *self, struct wire_out *out, enum env_change change)
{
    enum { EARLIER_COLUMNS = 3 };
    const size_t count = find_changes(self, change);
    size_t columns = 0;
    if (count == 0) {
        wire_nil(out);
        return;
    }
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        columns += (size_t)is_column(self, &self->arrays[i]);
    }
    const struct earlier earlier = find_earlier(self);
    wire_map(out, 1 + columns + (earlier.count ? EARLIER_COLUMNS : 0));
    wire_text(out, "rows");
    wire_numbers(out, self->changed_rows, count, sizeof *self->changed_rows);
    write_columns(self, out, count, change == ENV_STEPPED);
    if (earlier.count) {
        write_earlier(self, out, &earlier);
    }
    free(earlier.numbers);
}

/* ---- Reports of all rows ------------------------------------------------------------------------------------ */

static void write_all(const struct env *self, struct wire_out *out, int index)
{
    const struct mh_buffer *array = &self->arrays[index];
    const void *from = mh_buffers_get(&self->buffers, index);
    if (!array->is_seat) {
        wire_numbers(out, from, self->rows, (size_t)array->size);
        return;
    }
    unsigned char *to = wire_bin_space(out, self->rows);
    for (size_t row = 0; to && row < self->rows; row++) {
        to[row] = (unsigned char)((const mh_seat *)from)[row];
    }
}

int env_end_rows(struct env *self, enum env_change change, struct answer *answer)
{
    struct wire_out *out = &answer->out;
    int results = 1;
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        if (self->arrays[i].when == MH_WHEN_ALWAYS) {
            results++;
            if (!env_is_in_reply(&self->arrays[i])) {
                write_all(self, out, i);
            }
        }
    }
    write_changes(self, out, change);
    wire_release(self->shown);
    self->shown = wire_hold(out->message);
    self->shown_buffers = self->buffers;
    return results;
}
