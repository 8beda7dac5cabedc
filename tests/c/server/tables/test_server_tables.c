/* Tables from outside: games as in process, for every registered game; sitting down, and names. */
#include "tables_room.h"

#include "frame/mh_batch.h"

/* The longest name, of which the last letter but one has two bytes, and how much of it stays before a number. */
#define STEM "123456789.123456789.123456789.123456789.123456789.123456789.1"
#define LONG_NAME                                                                                                  \
    STEM "\xc3\xa9"                                                                                                \
         "x"

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
        (void)snprintf(bots + strlen(bots), sizeof bots - strlen(bots), "%s'%s'", i > 1 ? "," : "", bot);
    }
    (void)snprintf(json, sizeof json, "[{'table':'t','game':'%s','options':'%s','seat':%d,'seed':7,'bots':[%s]}]",
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
            const char *game = room_options(mh_game_id(i), "episode=game rounds=3", "");
            test_game_as_in_process(mh_game_id(i), game, seat, "random");
        }
    }
}

/* ---- Sitting down -------------------------------------------------------------------------------------------- */

static const char *const pair = "[{'table':'pair','options':'num_players=2'}]";

static void test_refusals(void)
{
    static const char *const wrong[][3] = {
        {"sit", "[]", "argument"},
        {"sit", "[7]", "argument"},
        {"sit", "[{'table':''}]", "argument"},
        {"sit", "[{'table':'a:b'}]", "argument"},
        {"sit", "[{'table':'123456789012345678901234567890123'}]", "argument"},
        {"sit", "[{'table':'x','game':'chess'}]", "game"},
        {"sit", "[{'table':'x','options':'num_players=9'}]", "option"},
        {"sit", "[{'table':'x','seat':4}]", "argument"},
        {"sit", "[{'table':'x','seat':-1}]", "argument"},
        {"sit", "[{'table':'x','bots':['greedy','greedy','greedy','greedy']}]", "argument"},
        {"sit", "[{'table':'x','bots':['deep thought']}]", "argument"},
        {"sit", "[{'table':'x','bots':[3]}]", "argument"},
        {"sit", "[{'table':'x','substitute':'nobody'}]", "argument"},
        {"sit", "[{'table':'x','clock':49}]", "argument"},
        {"sit", "[{'table':'x','clock':3600001}]", "argument"},
        {"sit", "[{'table':'x','games':0}]", "argument"},
        {"sit", "[{'table':'x','games':10001}]", "argument"},
        {"sit", "[{'table':'x','games':6,'duplicate':true}]", "argument"},
        {"sit", "[{'table':'x','seed':-1}]", "argument"},
        {"sit", "[{'table':'pair','options':'num_players=3'}]", "table"},
        {"sit", "[{'table':'pair','clock':500}]", "table"},
        {"sit", "[{'table':'pair','seed':1}]", "table"},
        {"sit", "[{'table':'pair','game':'general_mhing'}]", "table"},
        {"sit", "[{'table':'pair','bots':['greedy']}]", "table"},
        {"sit", "[{'table':'pair','seat':0}]", "table"},
        {"play", "[{'games':1.5}]", "argument"},
        {"stand", "[]", "table"},
        {"back", "[]", "table"},
        {"picture", "[]", "table"},
        {"picture", "[{'table':'pair'}]", "table"},
        {"picture", "[{'table':'none'}]", "table"},
        {"picture", "[{'table':5}]", "argument"},
        {"picture", "[{'form':'share'}]", "argument"},
        {"picture", "[{'as':'png'}]", "argument"},
        {"picture", "[{'look':'felt-safe'}]", "argument"},
        {"picture", "[{'safe_suits':1}]", "argument"},
        {"act", "[1,0]", "turn"},
    };
    struct room room = {.now = 5};
    room_open(&room);
    room_done(&room, 1, "sit", pair);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        room_refused(&room, 2, wrong[i][0], wrong[i][1], wrong[i][2]);
    }
    room_refused(&room, 1, "sit", "[{'table':'other'}]", "table");
    room_done(&room, 2, "tables", "[]");
    CHECK_EQUAL(room_reply(&room)->via.array.size, 1); /* no refusal has opened one */
    CHECK_EQUAL(int_at(object_item(room_reply(&room), 0), "free"), 1);
    CHECK_EQUAL(int_at(object_item(room_reply(&room), 0), "clock"), 10000);
    room_done(&room, 1, "sit", pair); /* as if the reply had been lost */
    CHECK_EQUAL(int_at(room_reply(&room), "seat"), 0);
    room_done(&room, 2, "sit", "[{'table':'pair','clock':10000,'name':'b'}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 0);
    room_refused(&room, 3, "sit", pair, "table");
    CHECK_EQUAL(room.count, 0);
    room_close(&room);
}

static void test_limits(void)
{
    struct room room = {.now = 5, .options = {.max_tables = 2, .max_seats_per_key = 3}};
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'a'}]");
    room_done(&room, 2, "sit", "[{'table':'b'}]");
    room_refused(&room, 3, "sit", "[{'table':'c'}]", "limit");
    room_done(&room, 3, "sit", "[{'table':'b'}]");
    room_refused(&room, 4, "sit", "[{'table':'b'}]", "limit");
    room_done(&room, 1, "stand", "[]");
    room_done(&room, 4, "sit", "[{'table':'c'}]"); /* table a is gone, for it was empty */
    room_done(&room, 4, "tables", "[]");
    CHECK_EQUAL(room_reply(&room)->via.array.size, 2);
    room_close(&room);
}

/* `play` matches players by terms, whether or not the terms are given. */
static void test_matching(void)
{
    struct room room = {.now = 5};
    room_open(&room);
    room_done(&room, 1, "play", "[{'options':'num_players=2'}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 1);
    room_done(&room, 2, "play", "[{'options':'num_players=2','clock':500}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 1);
    room_done(&room, 3, "play", "[{'options':'rules=boxed num_players=2','games':1}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 0);
    CHECK_EQUAL(int_at(room_reply(&room), "seat"), 1);
    room_done(&room, 4, "play", "[]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 3);
    (void)room_settle(&room);
    const msgpack_object *start = object_item(room_await(&room, 3, "start"), 2);
    CHECK(object_is(object_item(object_key(start, "players"), 0), "ann"));
    CHECK(object_is(object_item(object_key(start, "players"), 1), "cy"));
    room_quiet(&room, 2);
    room_quiet(&room, 4);
    room_close(&room);
}

static int64_t pause_of(struct room *room, const char *terms)
{
    room_done(room, 1, "sit", terms);
    room_done(room, 1, "tables", "[]");
    const int64_t pause = int_at(object_item(room_reply(room), 0), "pause");
    room_done(room, 1, "stand", "[]");
    return pause;
}

/* Where several players sit a table pauses, unless they have said otherwise. */
static void test_pause_by_default(void)
{
    enum { DEFAULT = 200 };
    struct room room = {.now = 5};
    room_open(&room);
    CHECK_EQUAL(pause_of(&room, "[{'table':'t'}]"), DEFAULT);
    CHECK_EQUAL(pause_of(&room, "[{'table':'t','bots':['greedy','greedy']}]"), DEFAULT);
    CHECK_EQUAL(pause_of(&room, "[{'table':'t','bots':['greedy','greedy','greedy']}]"), 0);
    CHECK_EQUAL(pause_of(&room, "[{'table':'t','pause':0}]"), 0);
    CHECK_EQUAL(pause_of(&room, "[{'table':'t','bots':['greedy','greedy','greedy'],'pause':7}]"), 7);
    room_done(&room, 1, "play", "[{'options':'num_players=2'}]");
    room_done(&room, 2, "play", "[{'options':'num_players=2','pause':0}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 1);
    room_done(&room, 3, "play", "[{'options':'num_players=2','pause':200}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 0);
    room_done(&room, 4, "sit", "[{'table':'mine','options':'num_players=2','pause':0}]");
    room_refused(&room, 5, "sit", "[{'table':'mine','pause':200}]", "table");
    room_done(&room, 5, "sit", "[{'table':'mine'}]"); /* options that are left out match the table's */
    (void)room_settle(&room);
    CHECK_EQUAL(int_at(object_item(room_await(&room, 3, "start"), 2), "pause"), DEFAULT);
    CHECK_EQUAL(int_at(object_item(room_await(&room, 5, "start"), 2), "pause"), 0);
    room_close(&room);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* True if the seats of the first table have these names. */
static void check_names(struct room *room, const char *const *names, uint32_t count)
{
    room_done(room, 1, "tables", "[]");
    const msgpack_object *players = object_key(object_item(room_reply(room), 0), "players");
    CHECK_EQUAL(players->via.array.size, count);
    for (uint32_t i = 0; i < count; i++) {
        const msgpack_object *name = object_item(players, i);
        if (!object_is(name, names[i])) {
            fprintf(stderr, "%.*s sits there, not %s\n", (int)name->via.str.size, name->via.str.ptr, names[i]);
            exit(1);
        }
    }
}

/* Players are told apart by what they are called. */
static void test_names(void)
{
    static const char *const seated[] = {"bob", "bob 2", "", "greedy"};
    static const char *const later[] = {"bob", "bob 2", "greedy 2", "greedy"};
    static const char *const ends[] = {LONG_NAME, STEM " 2"};
    static const char *const wrong[] = {"\xe2\x80\xae"
                                        "bob",
                                        "b\xe2\x81\xa6"
                                        "ob",
                                        "bob\xe2\x80\x8b",
                                        "\xd8\x9c"
                                        "bob",
                                        "bob\xe2\x80\xa8",
                                        "\xef\xbb\xbf"};
    struct room room = {.now = 5};
    char json[256];
    room_open(&room);
    room_done(&room, 2, "sit", "[{'table':'n','bots':['greedy'],'name':''}]");
    room_done(&room, 3, "sit", "[{'table':'n','name':'bob'}]");
    check_names(&room, seated, 4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(json, sizeof json, "[{'table':'n','name':'%s'}]", wrong[i]);
        room_refused(&room, 4, "sit", json, "argument");
    }
    room_done(&room, 4, "sit", "[{'table':'n','name':'greedy'}]");
    check_names(&room, later, 4);
    room_close(&room);
    room = (struct room){.now = 5};
    room_open(&room);
    room_done(&room, 2, "sit", "[{'table':'n','options':'num_players=3','name':'" LONG_NAME "'}]");
    room_done(&room, 3, "sit", "[{'table':'n','name':'" LONG_NAME "'}]");
    room_done(&room, 1, "tables", "[]");
    const msgpack_object *players = object_key(object_item(room_reply(&room), 0), "players");
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(object_is(object_item(players, i), ends[i]));
    }
    room_close(&room);
    room = (struct room){.now = 5};
    room_open(&room);
    room_done(&room, 2, "sit", "[{'table':'n','name':' \xe3\x80\x80'}]"); /* spaces alone are no name */
    check_names(&room, (const char *const[]){"bob", "", "", ""}, 4);
    room_close(&room);
}

int main(void)
{
    test_games_as_in_process();
    test_refusals();
    test_limits();
    test_matching();
    test_pause_by_default();
    test_names();
    return 0;
}
