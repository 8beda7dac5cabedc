#include "env.h"

#include <stdlib.h>
#include <string.h>

#include "common/games.h"
#include "mh_game.h"

enum { MAX_ROWS = 4096 };

static int read_player(const struct mh_game *game, const msgpack_object *value, const char *bots, int32_t *player,
                       struct wire_error *error)
{
    static const char self[] = "self"; /* as a bot's name would be written */
    if (value->via.str.size == sizeof self - 1 && memcmp(value->via.str.ptr, self, sizeof self - 1) == 0) {
        *player = MH_CALLER;
        return 0;
    }
    *player = games_bot(game, value, "opponents: 'self', or", bots, error);
    return *player >= 0 ? 0 : -1;
}

static int read_players(const struct mh_game *game, int seats, const msgpack_object *value, const char *bots,
                        int32_t *players, struct wire_error *error)
{
    const int is_list = value && value->type == MSGPACK_OBJECT_ARRAY;
    if (is_list && value->via.array.size != (uint32_t)seats - 1) {
        return wire_refuse(error, "argument", "opponents: %u given for %d other seat%s",
                           (unsigned)value->via.array.size, seats - 1, seats == 2 ? "" : "s");
    }
    players[0] = MH_CALLER;
    for (int i = 1; i < seats; i++) {
        const msgpack_object *player = is_list ? &value->via.array.ptr[i - 1] : value;
        if (!player) {
            players[i] = mh_default_bot(game);
            continue;
        }
        if (player->type != MSGPACK_OBJECT_STR) {
            return wire_refuse(error, "argument",
                               "opponents: neither a bot's name nor an array with one for each other seat");
        }
        if (read_player(game, player, bots, &players[i], error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int open_game(struct env *self, const msgpack_object *terms, struct wire_error *error)
{
    char options[GAMES_OPTIONS] = "";
    self->game = games_open(mh_game_id(0), wire_key(terms, "game"), wire_key(terms, "options"), options, error);
    if (!self->game) {
        return -1;
    }
    mh_game_sizes(self->game, &self->sizes);
    return 0;
}

static int read_options(struct env *self, const msgpack_object *terms, const struct env_limits *limits,
                        struct wire_error *error)
{
    static const char *const illegal[] = {"terminate", "raise", "random"};
    static const char *const autoreset[] = {"disabled", "same_step", "next_step"};
    struct mh_batch_options *options = &self->options;
    int64_t rows = 1;
    int64_t seat = -1;
    *options = (struct mh_batch_options){.threads = 1};
    if (wire_read_int(wire_key(terms, "rows"), "rows", 1, MAX_ROWS, &rows, error) != 0 ||
        wire_read_int(wire_key(terms, "seat"), "seat", 0, self->sizes.seats - 1, &seat, error) != 0 ||
        read_players(self->game, self->sizes.seats, wire_key(terms, "opponents"), limits->bots, options->players,
                     error) != 0 ||
        wire_read_word(wire_key(terms, "illegal"), "illegal", illegal, 3, &options->illegal, error) != 0 ||
        wire_read_word(wire_key(terms, "autoreset"), "autoreset", autoreset, 3, &options->autoreset, error) != 0 ||
        wire_read_bool(wire_key(terms, "final"), "final", &self->has_final, error) != 0) {
        return -1;
    }
    if (rows > limits->rows) {
        return limit_refuse(error, limits->of_rows, "rows: %lld, but only %d are left", (long long)rows,
                            limits->rows);
    }
    if (rows * limits->window > limits->rows_in_flight) {
        return limit_refuse(error, LIMIT_ROWS_IN_FLIGHT,
                            "rows: %lld times the window of %d are more than %d rows in flight", (long long)rows,
                            limits->window, limits->rows_in_flight);
    }
    options->rows = (int32_t)rows;
    options->seat = (int32_t)seat;
    self->rows = (size_t)rows;
    self->block = 1;
    return 0;
}

static int make_batch(struct env *self, struct wire_error *error)
{
    char message[MH_MESSAGE_SIZE];
    const int status = mh_batch_new(self->game, &self->options, message, &self->batch);
    if (status != MH_OK) {
        return wire_refuse_status(error, status, message);
    }
    self->final_seats = (size_t)mh_batch_final_seats(self->batch);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        (void)mh_buffer_at(i, &self->sizes, (int)self->rows, (int)self->final_seats, &self->arrays[i]);
    }
    return 0;
}

/* The next array of the memory. NULL without memory, which is a call that only adds up sizes. */
static void *carve(unsigned char *memory, size_t *used, size_t size)
{
    void *array = memory ? memory + *used : NULL;
    *used += (size + 7) / 8 * 8;
    return array;
}

/* True if an array is not wanted and stays NULL. */
static int is_unwanted(const struct env *self, const struct mh_buffer *array)
{
    return !self->has_final && (array->when == MH_WHEN_END || array->when == MH_WHEN_PACKED);
}

/* Cuts the memory into arrays. Returns the bytes they need. */
static size_t cut(struct env *self, unsigned char *memory)
{
    const size_t rows = self->rows;
    size_t used = 0;
    self->changed_rows = carve(memory, &used, rows * sizeof *self->changed_rows);
    self->seeds = carve(memory, &used, rows * sizeof *self->seeds);
    self->chosen = carve(memory, &used, rows);
    self->was_over = carve(memory, &used, rows);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        const struct mh_buffer *array = &self->arrays[i];
        if (!env_is_in_reply(array) && !is_unwanted(self, array)) {
            mh_buffers_set(&self->buffers, i, carve(memory, &used, mh_buffer_bytes(array)));
        }
    }
    return used;
}

static int make_memory(struct env *self, const msgpack_object *terms, struct wire_error *error)
{
    enum { TERMS = 256, MOST = 4096 };
    struct wire_out out;
    wire_begin(&out, TERMS);
    wire_object(&out, terms);
    self->terms = wire_finish(&out);
    self->memory = calloc(1, cut(self, NULL));
    if (!self->terms || !self->memory) {
        return wire_refuse(error, "memory", "rows: no memory for %zu of them", self->rows);
    }
    if (self->terms->size > MOST) {
        return wire_refuse(error, "argument", "make: its map is %zu bytes long, at most %d are allowed",
                           self->terms->size, MOST);
    }
    (void)cut(self, self->memory);
    return 0;
}

struct env *env_new(const msgpack_object *terms, const struct env_limits *limits, struct wire_error *error)
{
    struct env *self = calloc(1, sizeof *self);
    if (!self) {
        (void)wire_refuse(error, "memory", "no memory for an environment");
        return NULL;
    }
    if (open_game(self, terms, error) != 0 || read_options(self, terms, limits, error) != 0 ||
        make_batch(self, error) != 0 || make_memory(self, terms, error) != 0) {
        env_free(self);
        return NULL;
    }
    return self;
}

void env_free(struct env *self)
{
    wire_release(self->terms);
    wire_release(self->shown);
    mh_batch_free(&self->batch);
    mh_game_free(&self->game);
    free(self->weights);
    free(self->memory);
    free(self);
}
