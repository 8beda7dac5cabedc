/* Replies of rows. The batch writes observations and masks, nearly all of a reply, where they are sent from. */
#include <string.h>

#include "env.h"

enum { MAX_COLUMNS = 14, COLUMN_HEAD = 32 /* bytes of a key and of a binary field's head, at most */ };

static size_t observations_size(const struct env *self)
{
    return self->rows * (size_t)self->sizes.observation;
}

static size_t masks_size(const struct env *self)
{
    return self->rows * (size_t)self->sizes.actions;
}

/* Bytes that one row may add to `news`. */
static size_t news_size(const struct env *self)
{
    const size_t numbers = (size_t)self->sizes.info * sizeof(int64_t);
    const size_t ends = self->final_seats * (size_t)self->sizes.observation +
                        (size_t)self->sizes.seats * sizeof(float) + sizeof(uint64_t) + 2 + numbers;
    return sizeof(int32_t) + sizeof(uint64_t) + 3 + 2 * numbers + (self->has_final ? ends : 0);
}

size_t env_reply_size(const struct env *self)
{
    const size_t row = sizeof(float) + 2 + news_size(self);
    return observations_size(self) + masks_size(self) + self->rows * row + (5 + MAX_COLUMNS) * COLUMN_HEAD;
}

/* ---- What stays as it was ----------------------------------------------------------------------------------- */

static void keep_row(const struct env *self, size_t row)
{
    const size_t observation = (size_t)self->sizes.observation;
    const size_t mask = (size_t)self->sizes.actions;
    memcpy(self->buffers.observations + row * observation, self->shown_observations + row * observation,
           observation);
    memcpy(self->buffers.masks + row * mask, self->shown_masks + row * mask, mask);
}

/* Rows that are over show what they showed until they are reset. */
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
    struct mh_buffers *buffers = &self->buffers;
    buffers->observations = wire_bin_space(&answer->out, observations_size(self));
    buffers->masks = (int8_t *)wire_bin_space(&answer->out, masks_size(self));
    if (self->options.autoreset == MH_AUTORESET_SAME_STEP) {
        memset(self->was_over, 0, self->rows);
    } else {
        memcpy(self->was_over, buffers->terminated, self->rows);
    }
    if (self->shown && change != ENV_STARTED) {
        keep_rows(self, change);
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_bind(self->batch, buffers, message);
    return status == MH_OK ? 0 : envs_refuse(error, status, message);
}

/* ---- What only some rows have to tell ----------------------------------------------------------------------- */

static int has_news(const struct env *self, enum env_change change, size_t row)
{
    const struct mh_buffers *buffers = &self->buffers;
    if (change != ENV_STEPPED) {
        return change == ENV_STARTED || self->chosen[row];
    }
    const int begun = self->was_over[row] && self->options.autoreset == MH_AUTORESET_NEXT_STEP;
    const int ended = buffers->terminated[row] && !self->was_over[row];
    return begun || ended || buffers->round_ended[row] || buffers->illegal[row];
}

static size_t find_news(const struct env *self, enum env_change change)
{
    size_t count = 0;
    if (change == ENV_STEPPED && *self->buffers.news == 0) {
        return 0;
    }
    for (size_t row = 0; row < self->rows; row++) {
        if (has_news(self, change, row)) {
            self->news_rows[count++] = (int32_t)row;
        }
    }
    return count;
}

/* One column: of an array with `width` numbers of `size` bytes a row, those of the rows with news. */
static void write_column(const struct env *self, struct wire_out *out, const char *key, const void *array,
                         size_t count, size_t width, size_t size)
{
    const size_t line = width * size;
    wire_text(out, key);
    unsigned char *to = wire_bin_space(out, count * line);
    for (size_t i = 0; to && i < count; i++) {
        memcpy(to + i * line, (const unsigned char *)array + (size_t)self->news_rows[i] * line, line);
    }
    if (to) {
        wire_order(to, count * line, size);
    }
}

/* Seats are kept as i64 and told as u8. */
static void write_seats(const struct env *self, struct wire_out *out, const char *key, const int64_t *seats,
                        size_t count)
{
    wire_text(out, key);
    unsigned char *to = wire_bin_space(out, count);
    for (size_t i = 0; to && i < count; i++) {
        to[i] = (unsigned char)seats[self->news_rows[i]];
    }
}

static void write_own(const struct env *self, struct wire_out *out, size_t count)
{
    wire_text(out, "own");
    unsigned char *to = wire_bin_space(out, count);
    for (size_t i = 0; to && i < count; i++) {
        to[i] = (unsigned char)mh_batch_own_seat(self->batch, self->news_rows[i]);
    }
}

/* The core has last observations of the rows that ended only, in the order of the rows, which is that of the news. */
static void write_final_observations(const struct env *self, struct wire_out *out, size_t count, int stepped)
{
    const struct mh_buffers *buffers = &self->buffers;
    const size_t line = self->final_seats * (size_t)self->sizes.observation;
    const int32_t ends = stepped ? *buffers->final_count : 0;
    int32_t end = 0;
    wire_text(out, "final_observations");
    unsigned char *to = wire_bin_space(out, count * line);
    for (size_t i = 0; to && i < count; i++) {
        if (end < ends && buffers->final_rows[end] == self->news_rows[i]) {
            memcpy(to + i * line, buffers->final_observations + (size_t)end++ * line, line);
        } else {
            memset(to + i * line, 0, line);
        }
    }
}

static void write_finals(const struct env *self, struct wire_out *out, size_t count, int stepped)
{
    const struct mh_buffers *buffers = &self->buffers;
    write_final_observations(self, out, count, stepped);
    write_column(self, out, "final_rewards", buffers->final_rewards, count, (size_t)self->sizes.seats,
                 sizeof(float));
    write_seats(self, out, "final_seats", buffers->final_seats, count);
    write_column(self, out, "final_seeds", buffers->final_seeds, count, 1, sizeof(uint64_t));
    write_column(self, out, "final_info", buffers->final_info, count, (size_t)self->sizes.info, sizeof(int64_t));
    write_column(self, out, "final_round_ended", buffers->final_round_ended, count, 1, 1);
}

static void write_news(const struct env *self, struct wire_out *out, enum env_change change)
{
    enum { COLUMNS = 7, FINAL_COLUMNS = 6 };
    const struct mh_buffers *buffers = &self->buffers;
    const size_t count = find_news(self, change);
    if (count == 0) {
        wire_nil(out);
        return;
    }
    wire_map(out, COLUMNS + (self->has_final ? FINAL_COLUMNS : 0));
    wire_text(out, "rows");
    wire_numbers(out, self->news_rows, count, sizeof *self->news_rows);
    write_column(self, out, "seeds", buffers->seeds, count, 1, sizeof(uint64_t));
    write_own(self, out, count);
    write_column(self, out, "illegal", buffers->illegal, count, 1, 1);
    write_column(self, out, "info", buffers->info, count, (size_t)self->sizes.info, sizeof(int64_t));
    write_column(self, out, "round_ended", buffers->round_ended, count, 1, 1);
    write_column(self, out, "results", buffers->results, count, (size_t)self->sizes.info, sizeof(int64_t));
    if (self->has_final) {
        write_finals(self, out, count, change == ENV_STEPPED);
    }
}

int env_end_rows(struct env *self, enum env_change change, struct answer *answer)
{
    const struct mh_buffers *buffers = &self->buffers;
    struct wire_out *out = &answer->out;
    wire_numbers(out, buffers->rewards, self->rows, sizeof *buffers->rewards);
    wire_bin(out, buffers->terminated, self->rows);
    unsigned char *seats = wire_bin_space(out, self->rows);
    for (size_t row = 0; seats && row < self->rows; row++) {
        seats[row] = (unsigned char)buffers->seats[row];
    }
    write_news(self, out, change);
    wire_release(self->shown);
    self->shown = wire_hold(out->message);
    self->shown_observations = buffers->observations;
    self->shown_masks = buffers->masks;
    return 6;
}
