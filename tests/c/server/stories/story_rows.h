/* A client that plays in environments. The same is played with batches of the core in this process, which know nothing
 * of servers: a reply is right if it has their arrays. */
#ifndef STORY_ROWS_H
#define STORY_ROWS_H

#include "mh.h"
#include "story_client.h"

enum { ROWS_ENVS = 2, ROWS_MOST = 3 };

/* An environment in this process. */
struct model {
    struct mh_game *game;
    struct mh_batch *batch;
    struct mh_sizes sizes;
    struct mh_buffers arrays;
    int rows, is_begun;
};

struct rows_client {
    struct speaker speaker;
    struct model models[ROWS_ENVS];
    int made;
    uint64_t last; /* the seq of bye */
};

/* ---- The model --------------------------------------------------------------------------------------------------- */

static void model_free(struct model *self)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        free(mh_buffers_get(&self->arrays, i));
    }
    mh_batch_free(&self->batch);
    mh_game_free(&self->game);
    memset(self, 0, sizeof *self);
}

static void model_new(struct model *self, const char *options, const char *bot, int rows, int illegal,
                      int autoreset)
{
    struct mh_batch_options wanted = {
        .rows = rows, .seat = -1, .players = {MH_CALLER}, .illegal = illegal, .autoreset = autoreset, .threads = 1};
    struct mh_buffer buffer;
    *self = (struct model){.rows = rows};
    CHECK_EQUAL(mh_game_new("mhing", options, NULL, &self->game), MH_OK);
    mh_game_sizes(self->game, &self->sizes);
    for (int i = 1; i < self->sizes.seats; i++) {
        wanted.players[i] = mh_bot_index(self->game, bot, NULL);
    }
    CHECK_EQUAL(mh_batch_new(self->game, &wanted, NULL, &self->batch), MH_OK);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        (void)mh_buffer_at(i, &self->sizes, rows, mh_batch_final_seats(self->batch), &buffer);
        mh_buffers_set(&self->arrays, i, check_memory(mh_buffer_bytes(&buffer)));
    }
    CHECK_EQUAL(mh_batch_bind(self->batch, &self->arrays, NULL), MH_OK);
}

/* A hash of what a reply of rows says, without what has changed. */
static uint64_t model_told(const struct model *self)
{
    const size_t rows = (size_t)self->rows;
    unsigned char seats[ROWS_MOST];
    for (size_t i = 0; i < rows; i++) {
        seats[i] = (unsigned char)self->arrays.seats[i];
    }
    uint64_t told = fold(1, self->arrays.observations, rows * (size_t)self->sizes.observation);
    told = fold(told, self->arrays.masks, rows * (size_t)self->sizes.actions);
    told = fold(told, self->arrays.rewards, rows * sizeof(float));
    told = fold(told, self->arrays.terminated, rows);
    return fold(told, seats, rows);
}

/* ---- Replies ----------------------------------------------------------------------------------------------------- */

/* Of an error only the code is told before. */
static uint64_t told_error(const char *code)
{
    return fold(2, code, strlen(code));
}

static uint64_t told_number(uint64_t number)
{
    return fold(3, &number, sizeof number);
}

static uint64_t rows_check(const struct asked *asked, const msgpack_object *items, uint32_t count)
{
    enum { ARRAYS = 5, ALL = 8 };
    (void)asked;
    if (is_text(&items[0], "error")) {
        return fold(2, items[2].via.str.ptr, items[2].via.str.size);
    }
    if (count < 3) {
        return told_number(0);
    }
    if (items[2].type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
        return told_number(items[2].via.u64);
    }
    uint64_t told = 1;
    for (uint32_t i = 2; i < (count == ALL ? 2 + ARRAYS : 3); i++) {
        CHECK(items[i].type == MSGPACK_OBJECT_BIN || items[i].type == MSGPACK_OBJECT_STR);
        told = fold(told, items[i].via.bin.ptr, items[i].via.bin.size);
    }
    return told;
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

static void keep_asked(struct speaker *self, uint64_t seq, struct wire_out *out, uint64_t expected, int holds)
{
    self->asked[seq] =
        (struct asked){.message = wire_finish(out), .expected = expected, .told_at = -1, .holds = holds};
    CHECK(self->asked[seq].message);
}

static void ask_make(struct rows_client *self, uint64_t seq)
{
    static const char *const options[] = {"num_players=2", "num_players=3", "num_players=2 episode=game"};
    static const char *const bots[] = {"random", "greedy"};
    static const char *const illegal[] = {"terminate", "raise", "random"};
    static const char *const autoreset[] = {"disabled", "same_step", "next_step"};
    struct speaker *speaker = &self->speaker;
    const int game = pick(speaker, 3);
    const int bot = !one_in(speaker, 4);
    const int mercy = one_in(speaker, 2) ? 0 : 2;
    const int reset = pick(speaker, 3);
    const int rows = 1 + pick(speaker, ROWS_MOST);
    struct wire_out out = begin_call("make", seq, 1);
    wire_map(&out, 5);
    wire_key_text(&out, "options", options[game]);
    wire_key_text(&out, "opponents", bots[!bot]);
    wire_key_text(&out, "illegal", illegal[mercy]);
    wire_key_text(&out, "autoreset", autoreset[reset]);
    wire_key_int(&out, "rows", rows);
    model_new(&self->models[self->made++], options[game], bots[!bot], rows, mercy, reset);
    keep_asked(speaker, seq, &out, told_number((uint64_t)self->made), 1);
}

static void ask_step(struct rows_client *self, struct model *model, uint64_t seq, int env)
{
    int32_t *actions = model->arrays.actions;
    for (int row = 0; row < model->rows; row++) {
        const int8_t *mask = model->arrays.masks + row * model->sizes.actions;
        int action = pick(&self->speaker, model->sizes.actions);
        while (!mask[action] && !one_in(&self->speaker, 2000)) {
            action = (action + 1) % model->sizes.actions;
        }
        actions[row] = action;
    }
    struct wire_out out = begin_call("step", seq, 2);
    wire_int(&out, env);
    wire_numbers(&out, actions, (size_t)model->rows, sizeof *actions);
    CHECK_EQUAL(mh_batch_step(model->batch, NULL), MH_OK);
    keep_asked(&self->speaker, seq, &out, model_told(model), 0);
}

static void ask_reset(struct rows_client *self, struct model *model, uint64_t seq, int env)
{
    uint64_t seeds[ROWS_MOST];
    const int is_next = model->is_begun && one_in(&self->speaker, 2);
    const uint64_t seed = mh_rng_next(&self->speaker.client.random) >> 2;
    for (int i = 0; i < model->rows; i++) {
        seeds[i] = seed + (uint64_t)i;
    }
    struct wire_out out = begin_call("reset", seq, is_next ? 1 : 2);
    wire_int(&out, env);
    if (!is_next) {
        wire_uint(&out, seed);
    }
    CHECK_EQUAL(mh_batch_reset(model->batch, is_next ? NULL : seeds, NULL, NULL), MH_OK);
    model->is_begun = 1;
    keep_asked(&self->speaker, seq, &out, model_told(model), 0);
}

static void ask_sample(struct rows_client *self, struct model *model, uint64_t seq, int env)
{
    int32_t drawn[ROWS_MOST];
    struct wire_out out = begin_call("sample", seq, 1);
    wire_int(&out, env);
    CHECK_EQUAL(mh_batch_choose(model->batch, NULL, 0, drawn, NULL), MH_OK);
    keep_asked(&self->speaker, seq, &out, fold(1, drawn, (size_t)model->rows * sizeof *drawn), 0);
}

static void ask_row(struct rows_client *self, struct model *model, uint64_t seq, int env)
{
    const int row = pick(&self->speaker, model->rows);
    const int to = pick(&self->speaker, model->rows);
    const int is_copy = one_in(&self->speaker, 2);
    struct wire_out out = begin_call(is_copy ? "copy" : "save", seq, is_copy ? 3 : 2);
    wire_int(&out, env);
    wire_int(&out, row);
    if (is_copy) {
        wire_int(&out, to);
        CHECK_EQUAL(mh_batch_copy_row(model->batch, row, to, NULL), MH_OK);
        keep_asked(&self->speaker, seq, &out, model_told(model), 0);
    } else {
        uint8_t *bytes = check_memory((size_t)model->sizes.row);
        CHECK_EQUAL(mh_batch_save_row(model->batch, row, bytes, NULL), MH_OK);
        keep_asked(&self->speaker, seq, &out, fold(1, bytes, (size_t)model->sizes.row), 0);
        free(bytes);
    }
}

/* A request that changes nothing. */
static void ask_aside(struct rows_client *self, uint64_t seq)
{
    static const char *const names[] = {"ping", "dance", "step"};
    static const char *const errors[] = {NULL, "request", "env"};
    const int which = pick(&self->speaker, 3);
    struct wire_out out = begin_call(names[which], seq, 1);
    wire_int(&out, 77);
    keep_asked(&self->speaker, seq, &out, errors[which] ? told_error(errors[which]) : told_number(0), 0);
}

static int rows_ask(struct speaker *speaker, uint64_t seq)
{
    struct rows_client *self = (struct rows_client *)speaker;
    if (seq > self->last) {
        return 0;
    }
    if (seq == self->last) {
        struct wire_out out = begin_call("bye", seq, 0);
        keep_asked(speaker, seq, &out, told_number(0), 0);
        speaker->says_bye = 1;
        return 1;
    }
    if (seq == 1 || (self->made < ROWS_ENVS && one_in(speaker, 20))) {
        ask_make(self, seq);
        return 1;
    }
    const int env = pick(speaker, self->made);
    struct model *model = &self->models[env];
    const int what = pick(speaker, 20);
    if (!model->is_begun || what == 0) {
        ask_reset(self, model, seq, env + 1);
    } else if (what < 3) {
        ask_sample(self, model, seq, env + 1);
    } else if (what < 5) {
        ask_row(self, model, seq, env + 1);
    } else if (what < 7) {
        ask_aside(self, seq);
    } else {
        ask_step(self, model, seq, env + 1);
    }
    return 1;
}

static void rows_answered(struct speaker *speaker, uint64_t seq, const msgpack_object *items)
{
    (void)items;
    if (seq == ((struct rows_client *)speaker)->last) {
        speaker_done(speaker);
    }
}

static void rows_hear(struct speaker *self, const msgpack_object *items, uint32_t count, int64_t said)
{
    (void)items;
    (void)count;
    (void)said;
    fault(self->client.number, "it hears what it has not asked for", 0);
}

/* Nothing: the same requests are sent again, and lead to the same. */
static void rows_reset(struct speaker *self)
{
    self->says_bye = self->count >= ((struct rows_client *)self)->last;
}

static void rows_finish(struct client *client)
{
    struct rows_client *self = (struct rows_client *)client;
    for (int i = 0; i < self->made; i++) {
        model_free(&self->models[i]);
    }
    speaker_free(&self->speaker);
}

static const struct speaker_kind rows_kind = {rows_ask, rows_check, rows_answered, rows_hear, rows_reset};
static const struct client_kind rows_client_kind = {speaker_wake, speaker_hear,      speaker_sent, speaker_arrived,
                                                    speaker_lost, speaker_restarted, rows_finish};

static struct client *rows_new(void)
{
    struct rows_client *self = check_memory(sizeof *self);
    self->speaker.client.kind = &rows_client_kind;
    self->speaker.kind = &rows_kind;
    return &self->speaker.client;
}

static void rows_begin(struct client *client)
{
    struct rows_client *self = (struct rows_client *)client;
    self->last = 10 + (uint64_t)pick(&self->speaker, 60);
    self->speaker.window = one_in(&self->speaker, 3) ? 1 : 1 + pick(&self->speaker, 32);
    speaker_begin(&self->speaker);
}

#endif
