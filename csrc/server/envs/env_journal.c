#include "env_journal.h"

#include "common/games.h"

#include <limits.h>
#include <string.h>

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

static int load_rows(struct env *env, const msgpack_object *rows, char *message)
{
    int status = MH_OK;
    for (size_t row = 0; row < env->rows && status == MH_OK; row++) {
        const int is_bin = rows[row].type == MSGPACK_OBJECT_BIN;
        status = mh_batch_load_row(env->batch, (int)row, is_bin ? (const uint8_t *)rows[row].via.bin.ptr : NULL,
                                   is_bin ? rows[row].via.bin.size : 0, message);
    }
    return status;
}

/* Loads rows, which start nothing. Their arrays are written as for a reply, because later replies may show them
 * again. */
static int show_rows(struct env *env, const msgpack_object *rows, struct wire_error *error)
{
    char message[MH_MESSAGE_SIZE];
    struct pool pool = {.limit = SIZE_MAX};
    struct answer answer = {.pool = &pool};
    int failed = env_begin_rows(env, ENV_STARTED, &answer, error);
    if (!failed) {
        env->batch->started = 1;
        const int status = load_rows(env, rows, message);
        failed = status == MH_OK ? 0 : wire_refuse_status(error, status, message);
    }
    if (!failed) {
        (void)env_end_rows(env, ENV_STARTED, &answer);
    }
    wire_drop(&answer.out);
    pool_free(&pool);
    return failed;
}

static int read_rows(struct env *env, const struct wire_args *entry, struct wire_error *error)
{
    const size_t size = env->rows * sizeof *env->buffers.rewards;
    const msgpack_object *rewards = wire_arg(entry, REWARDS);
    const msgpack_object *terminated = wire_arg(entry, TERMINATED);
    uint64_t draws = 0;
    if (entry->count != FIRST_ROW + env->rows || rewards->type != MSGPACK_OBJECT_BIN ||
        rewards->via.bin.size != size || terminated->type != MSGPACK_OBJECT_BIN ||
        terminated->via.bin.size != env->rows) {
        return wire_refuse(error, "snapshot", "an environment's rows are damaged");
    }
    if (wire_read_seed(wire_arg(entry, DRAWS), "draws", &draws, error) != 0 ||
        show_rows(env, entry->items + FIRST_ROW, error) != 0) {
        return -1;
    }
    memcpy(env->buffers.rewards, rewards->via.bin.ptr, size);
    wire_order(env->buffers.rewards, size, sizeof *env->buffers.rewards);
    memcpy(env->buffers.terminated, terminated->via.bin.ptr, env->rows);
    env->batch->draws = (uint32_t)draws;
    return 0;
}

struct env *env_read(const struct wire_args *entry, struct wire_error *error)
{
    const struct env_limits none = {.bots = GAMES_ANY_BOT, .rows = INT_MAX, .rows_in_flight = INT_MAX, .window = 1};
    int64_t number = 0;
    struct env *env = env_new(wire_arg(entry, TERMS), &none, error);
    if (!env) {
        return NULL;
    }
    if (wire_read_int(wire_arg(entry, NUMBER), "env", 1, INT64_MAX, &number, error) != 0 ||
        (entry->count > FIRST_ROW && read_rows(env, entry, error) != 0)) {
        env_free(env);
        return NULL;
    }
    env->number = number;
    return env;
}
