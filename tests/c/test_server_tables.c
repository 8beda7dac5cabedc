/* Tables from outside, for every registered game: sitting down, games as in process, the clock, substitutes, series. */
#include "tables_room.h"

#include "mh_batch.h"

/* ---- The same game as in process ---------------------------------------------------------------------------- */

/* One row of a batch, whose own seat is the player's. */
struct row {
    struct mh_game *game;
    struct mh_sizes sizes;
    struct mh_batch *batch;
    int32_t action;
    uint8_t *observation;
    int8_t *mask;
    uint8_t terminated;
    float *final_rewards;
};

static struct row open_row(const char *id, const char *options, int seat, const char *bot)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct row row = {.game = NULL};
    CHECK_EQUAL(mh_game_new(id, options, message, &row.game), MH_OK);
    CHECK_EQUAL(mh_game_sizes(row.game, &row.sizes), MH_OK);
    struct mh_batch_options made = {.rows = 1, .seat = seat, .illegal = MH_ILLEGAL_RAISE, .threads = 1};
    for (int i = 0; i < MH_MAX_SEATS; i++) {
        made.players[i] = i ? mh_bot_index(row.game, bot, message) : MH_CALLER;
    }
    CHECK_EQUAL(mh_batch_new(row.game, &made, message, &row.batch), MH_OK);
    row.observation = check_memory((size_t)row.sizes.observation);
    row.mask = check_memory((size_t)row.sizes.actions);
    row.final_rewards = check_memory(MH_MAX_SEATS * sizeof(float));
    return row;
}

static void bind_row(struct row *row, uint64_t seed)
{
    const struct mh_buffers buffers = {.actions = &row->action,
                                       .observations = row->observation,
                                       .masks = row->mask,
                                       .terminated = &row->terminated,
                                       .final_rewards = row->final_rewards};
    CHECK_EQUAL(mh_batch_bind(row->batch, &buffers, NULL), MH_OK);
    CHECK_EQUAL(mh_batch_reset(row->batch, &seed, NULL, NULL), MH_OK);
}

static void close_row(struct row *row)
{
    mh_batch_free(&row->batch);
    mh_game_free(&row->game);
    free(row->observation);
    free(row->mask);
    free(row->final_rewards);
}

static void check_turn(const msgpack_object *turn, int64_t number, const struct row *row)
{
    const msgpack_object *observation = object_item(turn, 3);
    const msgpack_object *mask = object_item(turn, 4);
    CHECK_EQUAL(object_int(object_item(turn, 1)), number);
    CHECK_EQUAL(observation->via.bin.size, row->sizes.observation);
    CHECK_EQUAL(mask->via.bin.size, row->sizes.actions);
    CHECK(memcmp(observation->via.bin.ptr, row->observation, (size_t)row->sizes.observation) == 0);
    CHECK(memcmp(mask->via.bin.ptr, row->mask, (size_t)row->sizes.actions) == 0);
}

/* Plays one seeded game against bots, at a table and in a batch, with the same actions. */
static void test_game_as_in_process(const char *id, const char *options, int seat, const char *bot)
{
    struct room room = {.now = 5};
    struct row row = open_row(id, options, seat, bot);
    struct mh_rng random = {3};
    char json[512];
    char bots[128] = "";
    bind_row(&row, 7);
    for (int i = 1; i < row.sizes.seats; i++) {
        (void)snprintf(bots + strlen(bots), sizeof bots - strlen(bots), "%s\"%s\"", i > 1 ? "," : "", bot);
    }
    (void)snprintf(json, sizeof json,
                   "[{\"table\":\"t\",\"game\":\"%s\",\"options\":\"%s\",\"seat\":%d,\"seed\":7,\"bots\":[%s]}]",
                   id, options, seat, bots);
    room_open(&room);
    room_done(&room, 1, "sit", json);
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 0);
    CHECK_EQUAL(int_at(room_reply(&room), "seat"), seat);
    (void)room_settle(&room);
    CHECK_EQUAL(int_at(object_item(room_await(&room, 1, "start"), 2), "seat"), seat);
    for (int64_t turn = 1; !row.terminated; turn++) {
        const msgpack_object *asked = room_await(&room, 1, "turn");
        check_turn(asked, turn, &row);
        row.action = room_choose(asked, &random);
        room_act(&room, 1, turn, row.action);
        (void)room_settle(&room);
        CHECK_EQUAL(mh_batch_step(row.batch, NULL), MH_OK);
    }
    const msgpack_object *end = object_item(room_await(&room, 1, "end"), 2);
    CHECK(true_at(end, "over"));
    double returns[MH_MAX_SEATS];
    (void)mh_state_returns(row.game, mh_batch_state(row.batch, 0), returns);
    for (int i = 0; i < row.sizes.seats; i++) {
        CHECK(object_item(object_key(end, "returns"), (uint32_t)i)->via.f64 == returns[i]);
    }
    room_close(&room);
    close_row(&row);
}

static void test_games_as_in_process(void)
{
    for (int i = 0; i < mh_game_count(); i++) {
        for (int seat = 0; seat < 2; seat++) {
            test_game_as_in_process(mh_game_id(i), "", seat, "greedy");
            test_game_as_in_process(mh_game_id(i), "", seat, "random");
            test_game_as_in_process(mh_game_id(i), "episode=game rounds=3", seat, "random");
        }
    }
}

int main(void)
{
    test_games_as_in_process();
    return 0;
}
