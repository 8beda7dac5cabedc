#include "env_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/words.h"
#include "env_rows.h"
#include "frame/mh_batch.h"

enum { SMALL = 64 /* bytes for results of a few numbers */ };

/* ---- Arguments ---------------------------------------------------------------------------------------------- */

/* Bin for `rows` of `count` numbers of `width` bytes. */
static int read_bin(const msgpack_object *value, const char *name, size_t rows, size_t count, size_t width,
                    void *result, struct wire_error *error)
{
    const size_t size = rows * count * width;
    if (value->via.bin.size != size) {
        char each[64] = "";
        if (count > 1) {
            (void)snprintf(each, sizeof each, " of %zu numbers", count);
        }
        return wire_refuse(error, "argument", "%s: %u bytes given, %zu rows%s need %zu", name,
                           (unsigned)value->via.bin.size, rows, each, size);
    }
    memcpy(result, value->via.bin.ptr, size);
    wire_order(result, size, width);
    return 0;
}

static int check_count(const msgpack_object *value, const char *name, size_t count, struct wire_error *error)
{
    if (value->type != MSGPACK_OBJECT_ARRAY) {
        return wire_refuse(error, "argument", "%s: neither an array nor bin", name);
    }
    if (value->via.array.size != count) {
        return wire_refuse(error, "argument", "%s: %u given for %zu row%s", name, (unsigned)value->via.array.size,
                           count, count == 1 ? "" : "s");
    }
    return 0;
}

/* A small number that is no action's id passes: it is an illegal action, as in process. */
static int read_action(const struct env *env, const msgpack_object *value, int32_t *action,
                       struct wire_error *error)
{
    const int most = env->sizes.actions - 1;
    int64_t number = 0;
    if (wire_is_nil(value)) {
        return wire_refuse(error, "argument", "actions: nil is no action");
    }
    if (value->type == MSGPACK_OBJECT_STR) {
        return wire_refuse(error, "argument", "actions: a text, which only act takes; ids are from 0 to %d", most);
    }
    if (wire_read_int(value, "actions", INT32_MIN, INT32_MAX, &number, error) != 0) {
        return wire_refuse(error, "argument", "actions: no action has such an id; ids are from 0 to %d", most);
    }
    *action = (int32_t)number;
    return 0;
}

static int read_actions(struct env *env, const msgpack_object *value, struct wire_error *error)
{
    if (value->type == MSGPACK_OBJECT_BIN) {
        return read_bin(value, "actions", env->rows, 1, sizeof *env->buffers.actions, env->buffers.actions, error);
    }
    if (value->type != MSGPACK_OBJECT_ARRAY && env->rows == 1) {
        return read_action(env, value, env->buffers.actions, error);
    }
    if (check_count(value, "actions", env->rows, error) != 0) {
        return -1;
    }
    for (size_t row = 0; row < env->rows; row++) {
        if (read_action(env, &value->via.array.ptr[row], &env->buffers.actions[row], error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_seeds(struct env *env, const msgpack_object *value, struct wire_error *error)
{
    if (value->type == MSGPACK_OBJECT_BIN) {
        return read_bin(value, "seeds", env->rows, 1, sizeof *env->seeds, env->seeds, error);
    }
    const int is_list = value->type == MSGPACK_OBJECT_ARRAY;
    uint64_t seed = 0;
    if (is_list ? check_count(value, "seeds", env->rows, error) != 0
                : wire_read_seed(value, "seeds", &seed, error) != 0) {
        return -1;
    }
    for (size_t row = 0; row < env->rows; row++) {
        env->seeds[row] = seed + row;
        if (is_list && wire_is_nil(&value->via.array.ptr[row])) {
            return wire_refuse(error, "argument", "seeds: nil is no seed");
        }
        if (is_list && wire_read_seed(&value->via.array.ptr[row], "seeds", &env->seeds[row], error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_chosen(struct env *env, const msgpack_object *value, struct wire_error *error)
{
    if (value->type == MSGPACK_OBJECT_BIN) {
        return read_bin(value, "chosen", env->rows, 1, 1, env->chosen, error);
    }
    if (check_count(value, "chosen", env->rows, error) != 0) {
        return -1;
    }
    for (size_t row = 0; row < env->rows; row++) {
        int chosen = 0;
        if (wire_read_bool(&value->via.array.ptr[row], "chosen", &chosen, error) != 0) {
            return -1;
        }
        env->chosen[row] = (uint8_t)chosen;
    }
    return 0;
}

static int read_row(const struct env *env, const msgpack_object *value, const char *name, int64_t *row,
                    struct wire_error *error)
{
    if (wire_is_nil(value)) {
        return wire_refuse(error, "argument", "%s: missing", name);
    }
    return wire_read_int(value, name, 0, (int64_t)env->rows - 1, row, error);
}

/* The bytes of an argument that must be bin. */
static int read_bytes(const msgpack_object *value, const char *name, const uint8_t **bytes, size_t *size,
                      struct wire_error *error)
{
    *bytes = wire_bytes(value, size);
    return *bytes ? 0 : wire_refuse(error, "argument", "%s: not bin", name);
}

static void choose_row(struct env *env, int64_t row)
{
    memset(env->chosen, 0, env->rows);
    env->chosen[row] = 1;
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

/* Ends a reply of rows with what the core returned. */
static int end_rows(struct request *request, enum env_change change, int status, const char *message)
{
    return status == MH_OK ? env_end_rows(request->env, change, &request->answer)
                           : wire_refuse_status(&request->error, status, message);
}

/* Plays rows of a call that has begun, until the time is over; some in any case. Returns how many are left. Between two
 * looks at the time it plays as many as are likely to take a small part of it. */
static int play_rows(struct env *env, int64_t until)
{
    enum { LOOKS = 8 };
    int64_t now = mh_pool_now();
    const int64_t short_ns = (until - now) / LOOKS;
    int left;
    do {
        const int64_t begun = now;
        left = mh_batch_continue(env->batch, env->block);
        now = mh_pool_now();
        if (now - begun < short_ns && (size_t)env->block < env->rows) {
            env->block *= 2;
        } else if (now - begun > 2 * short_ns && env->block > 1) {
            env->block /= 2;
        }
    } while (left > 0 && now < until);
    return left;
}

int env_continue(struct request *request)
{
    request->is_unfinished = play_rows(request->env, request->until) > 0;
    return request->is_unfinished ? 0 : env_end_rows(request->env, request->change, &request->answer);
}

/* The first slice of what has begun with that status. */
static int begin_rows(struct request *request, enum env_change change, int status, const char *message)
{
    request->change = (int)change;
    return status == MH_OK ? env_continue(request) : wire_refuse_status(&request->error, status, message);
}

int env_reset(struct request *request)
{
    struct env *env = request->env;
    const msgpack_object *seeds = wire_arg(&request->args, 1);
    const msgpack_object *chosen = wire_arg(&request->args, 2);
    const enum env_change change = wire_is_nil(chosen) ? ENV_STARTED : ENV_TOUCHED;
    if ((!wire_is_nil(seeds) && read_seeds(env, seeds, &request->error) != 0) ||
        (change == ENV_TOUCHED && read_chosen(env, chosen, &request->error) != 0) ||
        env_begin_rows(env, change, &request->answer, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_begin_reset(env->batch, wire_is_nil(seeds) ? NULL : env->seeds,
                                            change == ENV_TOUCHED ? env->chosen : NULL, message);
    return begin_rows(request, change, status, message);
}

int env_step(struct request *request)
{
    struct env *env = request->env;
    if (read_actions(env, wire_arg(&request->args, 1), &request->error) != 0 ||
        env_begin_rows(env, ENV_STEPPED, &request->answer, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_begin_step(env->batch, message);
    request->steps = (int64_t)env->rows;
    return begin_rows(request, ENV_STEPPED, status, message);
}

enum { MAX_DECK = 1024 };

/* Returns how many cards, or -1. */
static int read_deck(const struct env *env, const msgpack_object *deck, uint8_t cards[MAX_DECK],
                     struct wire_error *error)
{
    if (deck->type == MSGPACK_OBJECT_BIN && deck->via.bin.size > 0 && deck->via.bin.size <= MAX_DECK) {
        memcpy(cards, deck->via.bin.ptr, deck->via.bin.size);
        return (int)deck->via.bin.size;
    }
    if (deck->type != MSGPACK_OBJECT_ARRAY || deck->via.array.size > MAX_DECK) {
        return wire_refuse(error, "argument", "deck: neither an array nor bin of %d card types",
                           (int)env->sizes.deck);
    }
    for (uint32_t i = 0; i < deck->via.array.size; i++) {
        int64_t card = UINT8_MAX; /* nil is no card either */
        if (wire_read_int(&deck->via.array.ptr[i], "deck", 0, UINT8_MAX, &card, error) != 0) {
            return -1;
        }
        cards[i] = (uint8_t)card;
    }
    return (int)deck->via.array.size;
}

int env_deal(struct request *request)
{
    struct env *env = request->env;
    uint8_t cards[MAX_DECK];
    int64_t row = 0;
    uint64_t seed = 0;
    if (read_row(env, wire_arg(&request->args, 1), "row", &row, &request->error) != 0 ||
        wire_read_seed(wire_arg(&request->args, 2), "seed", &seed, &request->error) != 0) {
        return -1;
    }
    const int count = read_deck(env, wire_arg(&request->args, 3), cards, &request->error);
    if (count < 0) {
        return -1;
    }
    choose_row(env, row);
    if (env_begin_rows(env, ENV_TOUCHED, &request->answer, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_deal(env->batch, (int)row, seed, cards, count, message);
    return end_rows(request, ENV_TOUCHED, status, message);
}

int env_load(struct request *request)
{
    struct env *env = request->env;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    int64_t row = 0;
    if (read_row(env, wire_arg(&request->args, 1), "row", &row, &request->error) != 0 ||
        read_bytes(wire_arg(&request->args, 2), "snapshot", &bytes, &size, &request->error) != 0) {
        return -1;
    }
    choose_row(env, row);
    if (env_begin_rows(env, ENV_TOUCHED, &request->answer, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_load_row(env->batch, (int)row, bytes, size, message);
    return end_rows(request, ENV_TOUCHED, status, message);
}

int env_copy(struct request *request)
{
    struct env *env = request->env;
    int64_t from = 0;
    int64_t to = 0;
    if (read_row(env, wire_arg(&request->args, 1), "from", &from, &request->error) != 0 ||
        read_row(env, wire_arg(&request->args, 2), "to", &to, &request->error) != 0) {
        return -1;
    }
    choose_row(env, to);
    if (env_begin_rows(env, ENV_TOUCHED, &request->answer, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_copy_row(env->batch, (int)from, (int)to, message);
    return end_rows(request, ENV_TOUCHED, status, message);
}

/* ---- Inspection --------------------------------------------------------------------------------------------- */

/* Weights are copied, as those in a message may not be aligned for floats. */
static int read_weights(struct env *env, const msgpack_object *value, struct wire_error *error)
{
    const size_t count = env->rows * (size_t)env->sizes.actions;
    if (value->type != MSGPACK_OBJECT_BIN) {
        return wire_refuse(error, "argument", "weights: not bin of f32 (rows x actions)");
    }
    env->weights = env->weights ? env->weights : malloc(count * sizeof *env->weights);
    if (!env->weights) {
        return wire_refuse(error, "memory", "weights: no memory for %zu of them", count);
    }
    return read_bin(value, "weights", env->rows, (size_t)env->sizes.actions, sizeof *env->weights, env->weights,
                    error);
}

int env_sample(struct request *request)
{
    struct env *env = request->env;
    static const char *const kinds[] = {[MH_LOGITS] = "logits", [MH_PROBABILITIES] = "probabilities"};
    const msgpack_object *weights = wire_arg(&request->args, 1);
    int kind = MH_LOGITS;
    if (wire_read_word(wire_arg(&request->args, 2), "kind", kinds, 2, &kind, &request->error) != 0 ||
        (!wire_is_nil(weights) && read_weights(env, weights, &request->error) != 0) ||
        answer_begin(&request->answer, env->rows * sizeof *env->buffers.actions + SMALL, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_choose(env->batch, wire_is_nil(weights) ? NULL : env->weights, kind,
                                       env->buffers.actions, message);
    if (status != MH_OK) {
        return wire_refuse_status(&request->error, status, message);
    }
    wire_numbers(&request->answer.out, env->buffers.actions, env->rows, sizeof *env->buffers.actions);
    return 1;
}

int env_save(struct request *request)
{
    struct env *env = request->env;
    int64_t row = 0;
    if (read_row(env, wire_arg(&request->args, 1), "row", &row, &request->error) != 0 ||
        answer_begin(&request->answer, (size_t)env->sizes.row + SMALL, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    uint8_t *snapshot = wire_bin_space(&request->answer.out, (size_t)env->sizes.row);
    const int status = mh_batch_save_row(env->batch, (int)row, snapshot, message);
    return status == MH_OK ? 1 : wire_refuse_status(&request->error, status, message);
}

int env_state(struct request *request)
{
    struct env *env = request->env;
    int64_t row = 0;
    if (read_row(env, wire_arg(&request->args, 1), "row", &row, &request->error) != 0 ||
        answer_begin(&request->answer, (size_t)env->sizes.snapshot + SMALL, &request->error) != 0) {
        return -1;
    }
    const void *state = mh_batch_state(env->batch, (int)row);
    if (!state) {
        return wire_refuse(&request->error, "order", "reset must come first");
    }
    uint8_t *snapshot = wire_bin_space(&request->answer.out, (size_t)env->sizes.snapshot);
    const int status = mh_state_save(env->game, state, snapshot);
    return status == MH_OK ? 1 : wire_refuse_status(&request->error, status, mh_status_name(status));
}

/* Adds the words of what a row shows: to the seat to act, or to the own seat where the row is over. */
static int add_words(const struct env *env, int row, struct words *words)
{
    const void *state = mh_batch_state(env->batch, row);
    const int to_act = mh_state_seat(state);
    const int over = env->buffers.terminated[row]; /* also where somebody is to act: after an illegal action */
    const int seat = over ? mh_batch_own_seat(env->batch, row) : to_act;
    const size_t observation = (size_t)env->sizes.observation;
    const size_t info = (size_t)env->sizes.info * sizeof(int64_t);
    uint8_t *memory = malloc(info + observation + (size_t)env->sizes.actions);
    if (!memory) {
        return -1;
    }
    int64_t *numbers = (int64_t *)(void *)memory;
    int8_t *mask = (int8_t *)memory + info + observation;
    const struct mh_viewer viewer = {.seat = seat,
                                     .to_act = over && to_act >= 0 ? MH_NOT_KNOWN : to_act,
                                     .info = numbers,
                                     .mask = over ? NULL : mask};
    (void)mh_state_info(env->game, state, numbers);
    (void)mh_state_observe(env->game, state, seat, memory + info);
    (void)mh_state_mask(env->game, state, mask);
    words_add(words, env->game, memory + info, &viewer, MH_WORDS_ALL, 0);
    free(memory);
    return 0;
}

int env_words(struct request *request)
{
    struct env *env = request->env;
    struct words words = {0};
    int64_t row = 0;
    if (read_row(env, wire_arg(&request->args, 1), "row", &row, &request->error) != 0) {
        return -1;
    }
    if (!mh_batch_state(env->batch, (int)row)) {
        return wire_refuse(&request->error, "order", "reset must come first");
    }
    int results = -1;
    if (add_words(env, (int)row, &words) != 0 || !words_text(&words)) {
        (void)wire_refuse(&request->error, "memory", "words: no memory for a text");
    } else if (answer_begin(&request->answer, words.length + SMALL, &request->error) == 0) {
        wire_text(&request->answer.out, words_text(&words));
        results = 1;
    }
    words_free(&words);
    return results;
}

int env_omniscient(struct request *request)
{
    struct env *env = request->env;
    const size_t size = env->rows * (size_t)env->sizes.omniscient;
    if (answer_begin(&request->answer, size + SMALL, &request->error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_omniscient(env->batch, wire_bin_space(&request->answer.out, size), message);
    return status == MH_OK ? 1 : wire_refuse_status(&request->error, status, message);
}
