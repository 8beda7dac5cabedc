/* Tables from outside, for every registered game: sitting down, games as in process, the clock, substitutes, series. */
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

/* ---- The clock ------------------------------------------------------------------------------------------------ */

/* Players 1 and 2 sit down. */
static void two_at_a_table(struct room *room, const char *terms)
{
    *room = (struct room){.now = 1000};
    char json[256];
    (void)snprintf(json, sizeof json, "[{'table':'t','options':'num_players=2 episode=game','pause':0%s}]", terms);
    room_open(room);
    room_done(room, 1, "sit", json);
    room_done(room, 2, "sit", "[{'table':'t'}]");
}

/* The player whose question is open. */
static int asked(struct room *room, const msgpack_object **turn)
{
    for (int player = 1; player <= 2; player++) {
        const msgpack_object *message;
        while ((message = room_next(room, player)) != NULL) {
            if (object_is(object_item(message, 0), "turn")) {
                *turn = message;
                return player;
            }
        }
    }
    CHECK(!"a question is open");
    return 0;
}

static int64_t turn_of(const msgpack_object *turn)
{
    return object_int(object_item(turn, 1));
}

static void check_error(struct room *room, int player, int64_t turn, const char *code)
{
    const msgpack_object *error = room_await(room, player, "error");
    CHECK_EQUAL(turn_of(error), turn);
    CHECK(object_is(object_item(error, 2), code));
}

static void test_late_answers(void)
{
    struct room room;
    two_at_a_table(&room, ",'clock':500,'seed':4");
    const msgpack_object *turn = NULL;
    CHECK_EQUAL(room_settle(&room), 1500);
    const int first = asked(&room, &turn);
    char json[32];
    CHECK_EQUAL(object_int(object_item(turn, 2)), 500);
    CHECK_EQUAL(turn_of(turn), 1);
    room_refused(&room, first, "act", "[2,0]", "turn");
    room_refused(&room, 3 - first, "act", "[1,0]", "turn");
    room_refused(&room, first, "act", "[]", "turn");
    room_refused(&room, first, "act", "['1']", "turn");
    room.now = 1499;
    CHECK_EQUAL(room_settle(&room), 1500);
    room.now = 1500; /* from here it is too late, whether or not anybody has looked */
    (void)snprintf(json, sizeof json, "[1,%d]", room_choose(turn, &(struct mh_rng){1}));
    room_refused(&room, first, "act", json, "late");
    (void)room_settle(&room);
    room_refused(&room, first, "act", json, "late");
    const msgpack_object *next = NULL;
    const int second = asked(&room, &next);
    CHECK(second != first || turn_of(next) == 2);
    room_close(&room);
}

/* Three answers in a row are wrong; then a bot plays, until a message brings the player back. */
static void test_substitute(void)
{
    struct room room;
    two_at_a_table(&room, ",'clock':500,'seed':4");
    struct mh_rng random = {9};
    int missed = 0;
    int64_t last = 0;
    while (missed < 3) {
        const msgpack_object *turn = NULL;
        (void)room_settle(&room);
        const int player = asked(&room, &turn);
        if (player == 2) {
            room_act(&room, 2, turn_of(turn), room_choose(turn, &random));
        } else if (++missed == 2) {
            room.now += 500;
        } else {
            const int64_t number = turn_of(turn);
            char json[64];
            (void)snprintf(json, sizeof json, missed == 1 ? "[%d,-1]" : "[%d,'no such thing']", (int)number);
            room_done(&room, 1, "act", json);
            check_error(&room, 1, number, "illegal");
            last = number;
        }
    }
    const msgpack_object *away = room_await(&room, 1, "away");
    CHECK_EQUAL(turn_of(away), last);
    CHECK_EQUAL(int_at(object_item(away, 2), "missed"), 3);
    CHECK(object_is(object_key(object_item(away, 2), "bot"), "greedy"));
    for (int i = 0; i < 20; i++) { /* nobody asks player 1 any more */
        const msgpack_object *turn = NULL;
        (void)room_settle(&room);
        turn = room_await(&room, 2, "turn");
        room_act(&room, 2, turn_of(turn), room_choose(turn, &random));
        const msgpack_object *message;
        while ((message = room_next(&room, 1)) != NULL) {
            CHECK(!object_is(object_item(message, 0), "turn"));
        }
    }
    room_done(&room, 1, "back", "[]");
    CHECK_EQUAL(int_at(room_reply(&room), "seat"), 0);
    for (int i = 0; i < 50; i++) {
        const msgpack_object *turn = NULL;
        (void)room_settle(&room);
        const int player = asked(&room, &turn);
        if (player == 1) {
            CHECK_EQUAL(turn_of(turn), last + 1);
            room_close(&room);
            return;
        }
        room_act(&room, 2, turn_of(turn), room_choose(turn, &random));
    }
    CHECK(!"the player was asked again");
}

/* A series does not run through while its only player is away: every game asks once more, and a miss is enough. */
static void test_away_alone(void)
{
    struct room room = {.now = 5};
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','bots':['greedy','greedy','greedy'],'clock':50,'games':3,'seed':4}]");
    for (int game = 0, missed = 0; game < 3; game++) {
        const msgpack_object *message;
        (void)room_settle(&room);
        CHECK_EQUAL(int_at(object_item(room_await(&room, 1, "start"), 2), "number"), game);
        for (int misses = game == 0 ? 3 : 1; misses > 0; misses--, missed++) {
            (void)room_settle(&room);
            (void)room_await(&room, 1, "turn");
            room.now += 50;
        }
        (void)room_settle(&room);
        message = room_await(&room, 1, "away");
        CHECK_EQUAL(int_at(object_item(message, 2), "missed"), missed);
        CHECK_EQUAL(int_at(object_item(room_await(&room, 1, "end"), 2), "number"), game);
    }
    room_close(&room);
}

/* A player who says hello again is asked the same question once more, in the form that this hello asks for. */
static void test_hello_again(void)
{
    struct room room;
    two_at_a_table(&room, ",'clock':500,'seed':4");
    const msgpack_object *turn = NULL;
    (void)room_settle(&room);
    const int player = asked(&room, &turn);
    const size_t size = room.letters[room.count - 1].message->size;
    room.now += 100;
    room_hello(&room, player);
    (void)room_settle(&room);
    const msgpack_object *again = room_await(&room, player, "turn");
    CHECK_EQUAL(turn_of(again), 1);
    CHECK_EQUAL(object_int(object_item(again, 2)), 400);
    CHECK_EQUAL(room.letters[room.count - 1].message->size, size);
    room.form = TABLES_FIELDS;
    room.texts = 1;
    room_hello(&room, player);
    (void)room_settle(&room);
    const msgpack_object *named = room_await(&room, player, "turn");
    const msgpack_object *hand = object_key(object_item(named, 3), "hand");
    const msgpack_object *discards = object_key(object_item(named, 3), "discard_count");
    CHECK_EQUAL(hand->via.array.size, 35);
    CHECK_EQUAL(discards->via.array.size, 2);
    CHECK_EQUAL(object_item(discards, 1)->via.array.size, 35);
    CHECK_EQUAL(object_key(object_item(named, 3), "source_left")->type, MSGPACK_OBJECT_POSITIVE_INTEGER);
    const msgpack_object *text = object_item(object_item(named, 4), 0);
    char json[64];
    (void)snprintf(json, sizeof json, "[1,'%.*s']", (int)text->via.str.size, text->via.str.ptr);
    room_done(&room, player, "act", json);
    (void)room_settle(&room);
    room_hello(&room, player);
    (void)asked(&room, &turn);
    room_close(&room);
}

/* ---- Coming and going ----------------------------------------------------------------------------------------- */

/* A player that sits down and asks at once may be answered before the deal. */
static void test_back_before_the_deal(void)
{
    struct room room = {.now = 5};
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','bots':['greedy','greedy','greedy']}]");
    for (int is_dealt = 0; is_dealt < 2; is_dealt++) {
        room_done(&room, 1, "back", "[]");
        CHECK(object_is(object_key(room_reply(&room), "state"), "playing"));
        CHECK_EQUAL(wire_key(room_reply(&room), "observation") != NULL, is_dealt);
        CHECK_EQUAL(wire_key(room_reply(&room), "numbers") != NULL, is_dealt);
        (void)room_settle(&room);
    }
    room_close(&room);
}

static void test_leaving(void)
{
    struct room room;
    two_at_a_table(&room, ",'games':3,'seed':4");
    const msgpack_object *turn = NULL;
    (void)room_settle(&room);
    (void)asked(&room, &turn);
    room_done(&room, 1, "stand", "[]");
    room_refused(&room, 1, "act", "[1,0]", "turn");
    (void)room_settle(&room);
    const struct tables_player other = room_player(&room, 2);
    room_forget(&room);
    room_hello(&room, 2);
    (void)room_settle(&room);
    (void)room_await(&room, 2, "turn"); /* the game continues without player 1 */
    tables_gone(room.tables, other.token, room.now);
    const msgpack_object *end = object_item(room_await(&room, SPECTATOR, "end"), 2);
    CHECK(true_at(end, "over"));
    room.now = room_settle(&room); /* the deadline of a question that nobody has any more */
    CHECK_EQUAL(room_settle(&room), -1);
    room_done(&room, 1, "tables", "[]");
    CHECK_EQUAL(room_reply(&room)->via.array.size, 0);
    room_close(&room);
}

/* Bots that play for two who are away leave time for others. */
static void test_nobody_waits_for_bots(void)
{
    struct room room;
    two_at_a_table(&room, ",'clock':50,'games':10,'substitute':'random'");
    int ticks = 0;
    for (int64_t due = room.now; due != -1; ticks++) {
        const int before = room.count;
        room.now = due;
        due = tables_tick(room.tables, room.now);
        CHECK(room.count - before < 2000);
        if (room.count > before && object_is(object_item(&room.letters[room.count - 1].unpacked.data, 0), "end")) {
            const msgpack_object *end = object_item(&room.letters[room.count - 1].unpacked.data, 2);
            if (true_at(end, "over")) {
                CHECK_EQUAL(due, room.now + 600000); /* it lingers */
            }
        }
    }
    CHECK(ticks > 30);
    room_close(&room);
}

/* Time that jumps forward, as after a long stop that nobody noticed, costs one answer and not those that come after. */
static void test_a_jump_of_the_clock(void)
{
    enum { HOUR = 3600 * 1000, CLOCK = 1000 };
    struct room room = {.now = 5};
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','seed':2,'clock':1000,'bots':['greedy','greedy','greedy']}]");
    (void)room_settle(&room);
    CHECK_EQUAL(object_int(object_item(room_await(&room, 1, "turn"), 1)), 1);
    room.now += HOUR;
    CHECK_EQUAL(room_settle(&room), room.now + CLOCK);
    const msgpack_object *asked = room_await(&room, 1, "turn");
    CHECK_EQUAL(object_int(object_item(asked, 1)), 2);
    CHECK_EQUAL(object_int(object_item(asked, 2)), CLOCK);
    room_quiet(&room, 1);
    struct mh_rng random = {3};
    room_act(&room, 1, 2, room_choose(asked, &random));
    (void)room_settle(&room);
    CHECK_EQUAL(object_int(object_item(room_await(&room, 1, "turn"), 1)), 3);
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
    test_late_answers();
    test_substitute();
    test_away_alone();
    test_hello_again();
    test_back_before_the_deal();
    test_leaving();
    test_nobody_waits_for_bots();
    test_a_jump_of_the_clock();
    test_names();
    return 0;
}
