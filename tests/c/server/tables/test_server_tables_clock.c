/* Players at tables who are late, away, gone or back: clocks, substitutes, and the same question once more. */
#include "tables_room.h"

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

int main(void)
{
    test_late_answers();
    test_substitute();
    test_away_alone();
    test_hello_again();
    test_back_before_the_deal();
    test_leaving();
    test_nobody_waits_for_bots();
    test_a_jump_of_the_clock();
    return 0;
}
