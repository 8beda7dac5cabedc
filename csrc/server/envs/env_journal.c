#include "env_journal.h"

#include <limits.h>
#include <string.h>

#include "base/mh_pool.h"
#include "common/games.h"
#include "env_rows.h"
#include "frame/mh_batch.h"

/* An entry has its name, then these. */
enum { NUMBER = 1, TERMS, DRAWS, REWARDS, TERMINATED, FIRST_ROW };

void env_write(const struct env *self, struct wire_out *out)
{
    const size_t rows = mh_batch_state(self->batch, 0) ? self->rows : 0;
    wire_array(out, FIRST_ROW + rows);
    wire_text(out, "env");
    wire_int(out, self->number);
    wire_copy(out, self->terms);
    wire_uint(out, self->batch->draws);
    wire_numbers(out, self->buffers.rewards, rows, sizeof *self->buffers.rewards);
    wire_bin(out, self->buffers.terminated, rows);
    for (size_t row = 0; row < rows; row++) {
        unsigned char *snapshot = wire_bin_space(out, (size_t)self->sizes.row);
        if (snapshot) {
            (void)mh_batch_save_row(self->batch, (int)row, snapshot, NULL);
        }
    }
}

/* Loads rows, which start nothing, until that time; some in any case. Returns an enum mh_status. */
static int load_rows(struct env_reading *self, const msgpack_object *rows, int64_t until, char *message)
{
    struct env *env = self->env;
    int status = MH_OK;
    do {
        const msgpack_object *row = &rows[self->loaded];
        const int is_bin = row->type == MSGPACK_OBJECT_BIN;
        status = mh_batch_load_row(env->batch, (int)self->loaded, is_bin ? (const uint8_t *)row->via.bin.ptr : NULL,
                                   is_bin ? row->via.bin.size : 0, message);
        self->loaded++;
    } while (status == MH_OK && self->loaded < env->rows && mh_pool_now() < until);
    return status;
}

static int check_rows(const struct env *env, const struct wire_args *entry, struct wire_error *error)
{
    const size_t size = env->rows * sizeof *env->buffers.rewards;
    const msgpack_object *rewards = wire_arg(entry, REWARDS);
    const msgpack_object *terminated = wire_arg(entry, TERMINATED);
    return entry->count != FIRST_ROW + env->rows || rewards->type != MSGPACK_OBJECT_BIN ||
                   rewards->via.bin.size != size || terminated->type != MSGPACK_OBJECT_BIN ||
                   terminated->via.bin.size != env->rows
               ? wire_refuse(error, "snapshot", "an environment's rows are damaged")
               : 0;
}

/* Numbers that loading does not set. */
static int end_rows(struct env_reading *self, const struct wire_args *entry, struct wire_error *error)
{
    struct env *env = self->env;
    const size_t size = env->rows * sizeof *env->buffers.rewards;
    uint64_t draws = 0;
    if (wire_read_seed(wire_arg(entry, DRAWS), "draws", &draws, error) != 0) {
        return -1;
    }
    (void)env_end_rows(env, ENV_STARTED, &self->answer);
    memcpy(env->buffers.rewards, wire_arg(entry, REWARDS)->via.bin.ptr, size);
    wire_order(env->buffers.rewards, size, sizeof *env->buffers.rewards);
    memcpy(env->buffers.terminated, wire_arg(entry, TERMINATED)->via.bin.ptr, env->rows);
    env->batch->draws = (uint32_t)draws;
    return 0;
}

/* The rows' arrays are written as for a reply, because later replies may show them again. */
static int read_rows(struct env_reading *self, const struct wire_args *entry, int64_t until,
                     struct wire_error *error)
{
    char message[MH_MESSAGE_SIZE];
    const int status = load_rows(self, entry->items + FIRST_ROW, until, message);
    if (status != MH_OK) {
        return wire_refuse_status(error, status, message);
    }
    return self->loaded < self->env->rows ? 1 : end_rows(self, entry, error);
}

static int begin_env(struct env_reading *self, const struct wire_args *entry, struct wire_error *error)
{
    const struct env_limits none = {.bots = GAMES_ANY_BOT, .rows = INT_MAX, .rows_in_flight = INT_MAX, .window = 1};
    self->env = env_new(wire_arg(entry, TERMS), &none, error);
    if (!self->env || wire_read_int(wire_arg(entry, NUMBER), "env", 1, INT64_MAX, &self->env->number, error) != 0) {
        return -1;
    }
    if (entry->count > FIRST_ROW) {
        self->pool.limit = SIZE_MAX;
        self->answer.pool = &self->pool;
        if (check_rows(self->env, entry, error) != 0 ||
            env_begin_rows(self->env, ENV_STARTED, &self->answer, error) != 0) {
            return -1;
        }
        self->env->batch->started = 1;
    }
    return 0;
}

void env_reading_free(struct env_reading *self)
{
    if (self->env) {
        env_free(self->env);
    }
    wire_drop(&self->answer.out);
    pool_free(&self->pool);
    *self = (struct env_reading){.env = NULL};
}

int env_read(struct env_reading *self, const struct wire_args *entry, int64_t until, struct env **env,
             struct wire_error *error)
{
    int status = self->env ? 0 : begin_env(self, entry, error);
    if (status == 0 && entry->count > FIRST_ROW) {
        status = read_rows(self, entry, until, error);
    }
    if (status == 0) {
        *env = self->env;
        self->env = NULL;
    }
    if (status <= 0) {
        env_reading_free(self);
    }
    return status;
}
