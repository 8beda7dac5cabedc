#include "envs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "mh_game.h"

enum { SMALL = 64 /* bytes of results that are numbers only, at least */ };

int envs_refuse(struct wire_error *error, int status, const char *message)
{
    static const char *const codes[] = {"argument", "game",     "option", "action",
                                        "over",     "snapshot", "order",  "memory"};
    return wire_refuse(error, codes[-status - 1], "%s", message);
}

static struct env *find(const struct envs *self, const struct wire_args *args, struct wire_error *error)
{
    int64_t number = 0;
    struct env *env = NULL;
    if (wire_read_int(wire_arg(args, 0), "env", 0, INT64_MAX, &number, error) == 0) {
        for (env = self->first; env && env->number != number; env = env->next) {
        }
        if (!env) {
            (void)wire_refuse(error, "env", "env: no environment %lld; make gives their numbers",
                              (long long)number);
        }
    }
    return env;
}

/* ---- Made and closed ---------------------------------------------------------------------------------------- */

static void measure(struct envs *self)
{
    self->reply_size = self->kept_size = 0;
    for (const struct env *env = self->first; env; env = env->next) {
        const size_t size = env_reply_size(env);
        self->reply_size = size > self->reply_size ? size : self->reply_size;
        self->kept_size += size;
    }
}

void envs_add(struct envs *self, struct env *env)
{
    struct env **end = &self->first;
    while (*end) {
        end = &(*end)->next;
    }
    *end = env;
    self->rows += (int)env->rows;
    self->count++;
    measure(self);
}

static int make(struct envs *self, const struct envs_limits *limits, const struct wire_args *args,
                struct answer *answer, struct wire_error *error)
{
    enum { RESULTS = 256 };
    const msgpack_object *terms = wire_arg(args, 0);
    if (!wire_is_nil(terms) && terms->type != MSGPACK_OBJECT_MAP) {
        return wire_refuse(error, "argument", "make: its argument is a map");
    }
    if (answer_begin(answer, RESULTS, error) != 0) {
        return -1;
    }
    struct env *env = env_new(terms, limits, error);
    if (!env) {
        return -1;
    }
    env->number = ++self->made;
    envs_add(self, env);
    char layout[2 * sizeof env->game->layout_hash + 1];
    (void)snprintf(layout, sizeof layout, "%016" PRIx64, env->game->layout_hash);
    struct wire_out *out = &answer->out;
    wire_int(out, env->number);
    wire_map(out, 9);
    wire_key_int(out, "observation", env->sizes.observation);
    wire_key_int(out, "actions", env->sizes.actions);
    wire_key_int(out, "info", env->sizes.info);
    wire_key_int(out, "seats", env->sizes.seats);
    wire_key_int(out, "final_seats", (int64_t)env->final_seats);
    wire_key_int(out, "omniscient", env->sizes.omniscient);
    wire_key_int(out, "row", env->sizes.row);
    wire_key_int(out, "state", env->sizes.snapshot);
    wire_key_text(out, "layout", layout);
    return 2;
}

static int close_env(struct envs *self, const struct wire_args *args, struct answer *answer,
                     struct wire_error *error)
{
    struct env *env = find(self, args, error);
    if (!env || answer_begin(answer, SMALL, error) != 0) {
        return -1;
    }
    struct env **link = &self->first;
    while (*link != env) {
        link = &(*link)->next;
    }
    *link = env->next;
    self->rows -= (int)env->rows;
    self->count--;
    env_free(env);
    measure(self);
    return 0;
}

int envs_most_rows(const struct envs *self)
{
    size_t most = 0;
    for (const struct env *env = self->first; env; env = env->next) {
        most = env->rows > most ? env->rows : most;
    }
    return (int)most;
}

void envs_free(struct envs *self)
{
    while (self->first) {
        struct env *env = self->first;
        self->first = env->next;
        env_free(env);
    }
    *self = (struct envs){.first = NULL};
}

/* ---- Arguments ---------------------------------------------------------------------------------------------- */

/* Bytes of bin for `count` numbers of `width` bytes. */
static int read_bin(const msgpack_object *value, const char *name, size_t count, size_t width, void *result,
                    struct wire_error *error)
{
    if (value->via.bin.size != count * width) {
        return wire_refuse(error, "argument", "%s: %u bytes given, %zu rows need %zu", name,
                           (unsigned)value->via.bin.size, count, count * width);
    }
    memcpy(result, value->via.bin.ptr, count * width);
    wire_order(result, count * width, width);
    return 0;
}

static int check_count(const msgpack_object *value, const char *name, size_t count, struct wire_error *error)
{
    if (value->type != MSGPACK_OBJECT_ARRAY) {
        return wire_refuse(error, "argument", "%s: neither an array nor bin", name);
    }
    if (value->via.array.size != count) {
        return wire_refuse(error, "argument", "%s: %u of them given, there are %zu rows", name,
                           (unsigned)value->via.array.size, count);
    }
    return 0;
}

static int read_action(const msgpack_object *value, int32_t *action, struct wire_error *error)
{
    int64_t number = 0;
    if (wire_is_nil(value)) {
        return wire_refuse(error, "argument", "actions: nil is no action");
    }
    if (wire_read_int(value, "actions", INT32_MIN, INT32_MAX, &number, error) != 0) {
        return -1;
    }
    *action = (int32_t)number;
    return 0;
}

static int read_actions(struct env *env, const msgpack_object *value, struct wire_error *error)
{
    if (value->type == MSGPACK_OBJECT_BIN) {
        return read_bin(value, "actions", env->rows, sizeof *env->buffers.actions, env->buffers.actions, error);
    }
    if (value->type != MSGPACK_OBJECT_ARRAY && env->rows == 1) {
        return read_action(value, env->buffers.actions, error);
    }
    if (check_count(value, "actions", env->rows, error) != 0) {
        return -1;
    }
    for (size_t row = 0; row < env->rows; row++) {
        if (read_action(&value->via.array.ptr[row], &env->buffers.actions[row], error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_seeds(struct env *env, const msgpack_object *value, struct wire_error *error)
{
    if (value->type == MSGPACK_OBJECT_BIN) {
        return read_bin(value, "seeds", env->rows, sizeof *env->seeds, env->seeds, error);
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
        return read_bin(value, "chosen", env->rows, 1, env->chosen, error);
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
        return wire_refuse(error, "argument", "%s: it is missing", name);
    }
    return wire_read_int(value, name, 0, (int64_t)env->rows - 1, row, error);
}

/* The bytes of an argument that must be bin. */
static int read_bytes(const msgpack_object *value, const char *name, const uint8_t **bytes, size_t *size,
                      struct wire_error *error)
{
    *bytes = wire_bytes(value, size);
    return *bytes ? 0 : wire_refuse(error, "argument", "%s: it must be bin", name);
}

static void choose_row(struct env *env, int64_t row)
{
    memset(env->chosen, 0, env->rows);
    env->chosen[row] = 1;
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static int reset_rows(struct env *env, const struct wire_args *args, struct answer *answer,
                      struct wire_error *error)
{
    const msgpack_object *seeds = wire_arg(args, 1);
    const msgpack_object *chosen = wire_arg(args, 2);
    const enum env_change change = wire_is_nil(chosen) ? ENV_STARTED : ENV_TOUCHED;
    if ((!wire_is_nil(seeds) && read_seeds(env, seeds, error) != 0) ||
        (change == ENV_TOUCHED && read_chosen(env, chosen, error) != 0) ||
        env_begin_rows(env, change, answer, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_reset(env->batch, wire_is_nil(seeds) ? NULL : env->seeds,
                                      change == ENV_TOUCHED ? env->chosen : NULL, message);
    if (status != MH_OK) {
        return envs_refuse(error, status, message);
    }
    return env_end_rows(env, change, answer);
}

static int step(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    if (read_actions(env, wire_arg(args, 1), error) != 0 || env_begin_rows(env, ENV_STEPPED, answer, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_step(env->batch, message);
    if (status != MH_OK) {
        return envs_refuse(error, status, message);
    }
    return env_end_rows(env, ENV_STEPPED, answer);
}

enum { MAX_DECK = 1024 };

/* Returns how many cards, or -1. */
static int read_deck(const struct env *env, const msgpack_object *deck, uint8_t cards[MAX_DECK],
                     struct wire_error *error)
{
    if (deck->type == MSGPACK_OBJECT_BIN && deck->via.bin.size <= MAX_DECK) {
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

static int deal(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    uint8_t cards[MAX_DECK];
    int64_t row = 0;
    uint64_t seed = 0;
    if (read_row(env, wire_arg(args, 1), "row", &row, error) != 0 ||
        wire_read_seed(wire_arg(args, 2), "seed", &seed, error) != 0) {
        return -1;
    }
    const int count = read_deck(env, wire_arg(args, 3), cards, error);
    if (count < 0) {
        return -1;
    }
    choose_row(env, row);
    if (env_begin_rows(env, ENV_TOUCHED, answer, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_deal(env->batch, (int)row, seed, cards, count, message);
    return status == MH_OK ? env_end_rows(env, ENV_TOUCHED, answer) : envs_refuse(error, status, message);
}

static int load(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    int64_t row = 0;
    if (read_row(env, wire_arg(args, 1), "row", &row, error) != 0 ||
        read_bytes(wire_arg(args, 2), "snapshot", &bytes, &size, error) != 0) {
        return -1;
    }
    choose_row(env, row);
    if (env_begin_rows(env, ENV_TOUCHED, answer, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_load_row(env->batch, (int)row, bytes, size, message);
    return status == MH_OK ? env_end_rows(env, ENV_TOUCHED, answer) : envs_refuse(error, status, message);
}

static int copy(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    int64_t from = 0;
    int64_t to = 0;
    if (read_row(env, wire_arg(args, 1), "from", &from, error) != 0 ||
        read_row(env, wire_arg(args, 2), "to", &to, error) != 0) {
        return -1;
    }
    choose_row(env, to);
    if (env_begin_rows(env, ENV_TOUCHED, answer, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_copy_row(env->batch, (int)from, (int)to, message);
    return status == MH_OK ? env_end_rows(env, ENV_TOUCHED, answer) : envs_refuse(error, status, message);
}

/* ---- Looked into -------------------------------------------------------------------------------------------- */

/* Weights are copied: those in a message need not lie where floats may. */
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
    return read_bin(value, "weights", count, sizeof *env->weights, env->weights, error);
}

static int sample(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    static const char *const kinds[] = {[MH_LOGITS] = "logits", [MH_PROBABILITIES] = "probabilities"};
    const msgpack_object *weights = wire_arg(args, 1);
    int kind = MH_LOGITS;
    if (wire_read_word(wire_arg(args, 2), "kind", kinds, 2, &kind, error) != 0 ||
        (!wire_is_nil(weights) && read_weights(env, weights, error) != 0) ||
        answer_begin(answer, env->rows * sizeof *env->buffers.actions + SMALL, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_choose(env->batch, wire_is_nil(weights) ? NULL : env->weights, kind,
                                       env->buffers.actions, message);
    if (status != MH_OK) {
        return envs_refuse(error, status, message);
    }
    wire_numbers(&answer->out, env->buffers.actions, env->rows, sizeof *env->buffers.actions);
    return 1;
}

static int save(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    int64_t row = 0;
    if (read_row(env, wire_arg(args, 1), "row", &row, error) != 0 ||
        answer_begin(answer, (size_t)env->sizes.row + SMALL, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    uint8_t *snapshot = wire_bin_space(&answer->out, (size_t)env->sizes.row);
    const int status = mh_batch_save_row(env->batch, (int)row, snapshot, message);
    return status == MH_OK ? 1 : envs_refuse(error, status, message);
}

static int save_state(struct env *env, const struct wire_args *args, struct answer *answer,
                      struct wire_error *error)
{
    int64_t row = 0;
    if (read_row(env, wire_arg(args, 1), "row", &row, error) != 0 ||
        answer_begin(answer, (size_t)env->sizes.snapshot + SMALL, error) != 0) {
        return -1;
    }
    const void *state = mh_batch_state(env->batch, (int)row);
    if (!state) {
        return wire_refuse(error, "order", "reset must come first");
    }
    uint8_t *snapshot = wire_bin_space(&answer->out, (size_t)env->sizes.snapshot);
    const int status = mh_state_save(env->game, state, snapshot);
    return status == MH_OK ? 1 : envs_refuse(error, status, mh_status_name(status));
}

static int look(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    (void)args;
    const size_t size = env->rows * (size_t)env->sizes.omniscient;
    if (answer_begin(answer, size + SMALL, error) != 0) {
        return -1;
    }
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_omniscient(env->batch, wire_bin_space(&answer->out, size), message);
    return status == MH_OK ? 1 : envs_refuse(error, status, message);
}

/* ---- All of them -------------------------------------------------------------------------------------------- */

typedef int request(struct env *env, const struct wire_args *args, struct answer *answer, struct wire_error *error);

static request *find_request(const char *name)
{
    static const struct {
        const char *name;
        request *run;
    } requests[] = {{"step", step}, {"sample", sample}, {"reset", reset_rows}, {"deal", deal},      {"save", save},
                    {"load", load}, {"copy", copy},     {"state", save_state}, {"omniscient", look}};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(requests[i].name, name) == 0) {
            return requests[i].run;
        }
    }
    return NULL;
}

int envs_has(const char *name)
{
    return find_request(name) || strcmp(name, "make") == 0 || strcmp(name, "close") == 0;
}

int envs_request(struct envs *self, const struct envs_limits *limits, const char *name,
                 const struct wire_args *args, struct answer *answer, struct wire_error *error)
{
    if (strcmp(name, "make") == 0) {
        return make(self, limits, args, answer, error);
    }
    if (strcmp(name, "close") == 0) {
        return close_env(self, args, answer, error);
    }
    struct env *env = find(self, args, error);
    request *const run = find_request(name);
    const int results = env ? run(env, args, answer, error) : -1;
    self->steps += results >= 0 && run == step ? (int64_t)env->rows : 0;
    return results;
}
