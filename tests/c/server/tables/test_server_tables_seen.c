/* The view that players and spectators have of a table: everything public, once and in order; and nothing that they
 * may not know, whatever is asked of others. */
#include "tables_room.h"

#include "tables/table_messages.h"
#include "tables/table_play.h"

/* ---- Nothing hidden ------------------------------------------------------------------------------------------- */

/* The last message that was said, to anybody. */
struct ear {
    struct wire_message *last;
};

static void keep_last(struct ear *ear, struct wire_message *message)
{
    wire_release(ear->last);
    ear->last = wire_hold(message);
}

static void keep_told(void *context, uint64_t session, struct wire_message *message)
{
    (void)session;
    keep_last(context, message);
}

static void keep_shown(void *context, const char *topic, struct wire_message *message)
{
    (void)topic;
    keep_last(context, message);
}

static void check_same(const struct wire_message *a, const struct wire_message *b)
{
    CHECK_EQUAL(a->size, b->size);
    CHECK(memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* The last message, which the caller takes over. */
static struct wire_message *take(struct ear *ear)
{
    struct wire_message *message = ear->last;
    CHECK(message);
    ear->last = NULL;
    return message;
}

/* Spectators and the seat to act see the same when everything that they cannot know is drawn anew. */
static void check_hidden(struct table *table, struct ear *ear, void *truth, uint64_t seed)
{
    const struct mh_game *game = table->terms.game;
    const size_t size = (size_t)game->sizes.state;
    const int to_act = mh_state_seat(table->state);
    memcpy(truth, table->state, size);
    for (int seat = 0; seat < game->sizes.seats; seat++) {
        table->spoken = 0;
        show_state(table);
        struct wire_message *shown = take(ear);
        tell_turn(table, to_act);
        struct wire_message *turn = take(ear);
        CHECK_EQUAL(mh_state_resample(game, truth, seat, seed, table->state), MH_OK);
        table->spoken = 0;
        show_state(table);
        check_same(shown, ear->last);
        if (seat == to_act) {
            tell_turn(table, seat);
            check_same(turn, ear->last);
        }
        wire_release(shown);
        wire_release(turn);
        memcpy(table->state, truth, size);
    }
}

/* "hints=on" where the game has them. */
static const char *with_hints(const char *id)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game = NULL;
    const int status = mh_game_new(id, "hints=on", message, &game);
    mh_game_free(&game);
    return status == MH_OK ? "hints=on" : "";
}

static void test_nothing_hidden(const char *id, int form)
{
    struct ear ear = {NULL};
    struct disk disk;
    struct tables_shared shared = {.host = {&ear, keep_told, keep_shown, NULL}, .disk = &disk};
    struct wire_error error;
    struct terms terms;
    char json[128];
    disk_init(&disk, DISK_NEVER, NULL, NULL);
    (void)snprintf(json, sizeof json, "{'game':'%s','options':'%s','seed':6,'pause':0}", id, with_hints(id));
    struct letter wanted = room_json(json);
    CHECK_EQUAL(terms_read(&terms, NULL, &wanted.unpacked.data, NULL, &error), 0);
    struct table *table = table_new(&shared, "t", &terms);
    CHECK(table);
    for (int i = 0; i < table_seats(table); i++) {
        const struct tables_player who = {
            1 + (uint64_t)i, (const unsigned char *)"0123456789abcdef", "", "", form, form != TABLES_RAW};
        table_sit(table, i, &who, "somebody");
    }
    void *truth = check_memory((size_t)table->terms.game->sizes.state);
    struct mh_rng random = {4};
    (void)table_step(table);
    for (uint64_t step = 0; table->begun; step++) {
        (void)table_step(table);
        CHECK(table->asked >= 0);
        check_hidden(table, &ear, truth, step);
        const uint64_t *legal = mh_legal(table->terms.game->rules, table->state);
        table_answer(table, BY_PLAYER, mh_set_pick(legal, table->terms.game->legal_words, &random), 0);
    }
    free(truth);
    wire_release(ear.last);
    letter_drop(&wanted);
    table_free(table);
    words_free(&shared.words);
}

/* ---- Everything public ------------------------------------------------------------------------------------------ */

enum { MAX_EVENTS = 4096 };

/* Public events of a game as somebody was told them, with absolute seats. */
struct log {
    unsigned char events[MAX_EVENTS][4];
    int count;
};

static void log_events(struct log *self, const msgpack_object *events, int observer, int seats)
{
    for (uint32_t i = 0; i < events->via.array.size; i++) {
        const msgpack_object *event = object_item(events, i);
        const int seat = (int)object_int(object_item(event, 0));
        CHECK(self->count < MAX_EVENTS && seat <= seats && event->via.array.size == 4);
        self->events[self->count][0] = (unsigned char)(seat ? (seat - 1 + observer) % seats + 1 : 0);
        for (uint32_t k = 1; k < 4; k++) {
            self->events[self->count][k] = (unsigned char)object_int(object_item(event, k));
        }
        self->count++;
    }
}

/* All that follows the first ones, which were dealt before anybody could watch. */
static void check_logs(const struct log *told, const struct log *shown)
{
    const int more = told->count - shown->count;
    CHECK(more >= 0 && more < 16);
    CHECK(memcmp(told->events + more, shown->events, (size_t)shown->count * sizeof *shown->events) == 0);
}

/* The messages to two players and a spectator of a series, game by game. */
struct audience {
    struct room room;
    int seats;
    int seat[3];                      /* of the players in the game in play */
    struct log told[3], shown, ended; /* the last one: of the spectator, the game before */
    int64_t turns[3], spoken;
    int games, rounds_told, rounds_shown, rounds_since_end; /* of the spectator: since the end of a game */
    int changes, begun;                                     /* states since a game began, and whether it has */
    double returns[3];
    int over;
};

static void hear_end(struct audience *self, int player, const msgpack_object *end)
{
    CHECK_EQUAL(int_at(end, "seat"), self->seat[player]);
    log_events(&self->told[player], object_key(end, "events"), self->seat[player], self->seats);
    check_logs(&self->told[player], &self->ended);
    self->returns[player] += object_item(object_key(end, "returns"), (uint32_t)self->seat[player])->via.f64;
    self->over = true_at(end, "over");
    CHECK_EQUAL(wire_key(end, "seeds") != NULL, self->over); /* seeds tell all cards */
    if (self->over) {
        const msgpack_object *totals = object_item(object_key(end, "totals"), (uint32_t)player - 1);
        CHECK(object_key(totals, "returns")->via.f64 == self->returns[player]);
        CHECK_EQUAL(int_at(totals, "games"), int_at(end, "games"));
    }
}

/* Returns the turn that is open, or NULL. */
static const msgpack_object *hear_player(struct audience *self, int player)
{
    const msgpack_object *message;
    const msgpack_object *turn = NULL;
    while ((message = room_next(&self->room, player)) != NULL) {
        const msgpack_object *name = object_item(message, 0);
        if (object_is(name, "start")) {
            self->seat[player] = (int)int_at(object_item(message, 2), "seat");
            self->told[player].count = 0;
        } else if (object_is(name, "turn")) {
            CHECK_EQUAL(object_int(object_item(message, 1)), ++self->turns[player]);
            log_events(&self->told[player], object_item(message, 5), self->seat[player], self->seats);
            turn = message;
        } else if (object_is(name, "round")) {
            self->rounds_told += player == 1;
        } else {
            CHECK(object_is(name, "end"));
            hear_end(self, player, object_item(message, 2));
        }
    }
    return turn;
}

static void hear_spectator(struct audience *self, int duplicate)
{
    const msgpack_object *message;
    while ((message = room_next(&self->room, SPECTATOR)) != NULL) {
        const msgpack_object *name = object_item(message, 0);
        const msgpack_object *what = object_item(message, 2);
        CHECK_EQUAL(object_int(object_item(message, 1)), ++self->spoken);
        if (object_is(name, "state")) {
            CHECK_EQUAL(int_at(what, "number"), self->games);
            if (!self->begun) {
                self->shown.count = 0;
            }
            self->changes += self->begun;
            self->begun = 1;
        } else if (object_is(name, "events")) {
            CHECK(what->via.array.size > 0);
            CHECK_EQUAL(self->rounds_since_end, 0);
            log_events(&self->shown, what, 0, self->seats);
        } else if (object_is(name, "round")) {
            CHECK(!duplicate || self->games % self->seats == self->seats - 1);
            CHECK_EQUAL(object_key(what, "state")->type, MSGPACK_OBJECT_MAP);
            CHECK_EQUAL(object_key(what, "numbers")->type, MSGPACK_OBJECT_MAP);
            self->rounds_shown++;
            self->rounds_since_end += duplicate;
        } else {
            CHECK(object_is(name, "end"));
            CHECK(!duplicate || self->games % self->seats < self->seats - 1 ||
                  self->rounds_since_end == self->seats);
            self->rounds_since_end = 0;
            self->ended = self->shown;
            self->begun = 0;
            self->games++;
        }
    }
}

static void test_everything_public(const char *id, int duplicate)
{
    struct audience *self = check_memory(sizeof *self);
    struct mh_rng random = {2};
    char json[256];
    self->seats = 2;
    self->room.now = 3;
    const char *options = room_options(id, "num_players=2 episode=game rounds=3", "num_players=2");
    (void)snprintf(json, sizeof json,
                   "[{'table':'t','game':'%s','options':'%s','games':4,'seed':9,'pause':0,'duplicate':%s}]", id,
                   duplicate ? "num_players=2" : options, duplicate ? "true" : "false");
    room_open(&self->room);
    tables_watch(self->room.tables, "t:", 1, self->room.now);
    room_done(&self->room, 1, "sit", json);
    room_done(&self->room, 2, "sit", "[{'table':'t'}]");
    while (!self->over) {
        (void)room_settle(&self->room);
        hear_spectator(self, duplicate);
        const msgpack_object *turns[3] = {NULL, hear_player(self, 1), NULL};
        turns[2] = hear_player(self, 2);
        CHECK(self->over || (turns[1] == NULL) != (turns[2] == NULL)); /* one at a time */
        for (int player = 1; player <= 2; player++) {
            if (turns[player]) {
                room_act(&self->room, player, self->turns[player], room_choose(turns[player], &random));
            }
        }
    }
    CHECK_EQUAL(self->games, 4);
    CHECK(self->changes > 4);
    CHECK(self->rounds_told >= 4);
    CHECK_EQUAL(self->rounds_shown, self->rounds_told);
    room_close(&self->room);
    free(self);
}

/* A subscriber in the middle of a game gets all that is public; other topics are nobody's. */
static void test_watching(void)
{
    struct room room = {.now = 3};
    room_open(&room);
    tables_watch(room.tables, "t:", 1, room.now);
    room_done(&room, 1, "sit", "[{'table':'t','options':'num_players=2','bots':['random']}]");
    (void)room_settle(&room);
    (void)room_await(&room, SPECTATOR, "state");
    while (room_next(&room, SPECTATOR)) {
    }
    tables_watch(room.tables, "t", 1, room.now);
    tables_watch(room.tables, "", 1, room.now);
    tables_watch(room.tables, "tt:", 1, room.now);
    tables_watch(room.tables, ":", 1, room.now);
    room_quiet(&room, SPECTATOR);
    room.now += TABLE_SHOW;
    tables_watch(room.tables, "t:", 1, room.now);
    (void)room_settle(&room);
    const msgpack_object *state = object_item(room_await(&room, SPECTATOR, "state"), 2);
    CHECK(object_is(object_key(state, "table"), "t"));
    CHECK(object_is(object_item(object_key(state, "players"), 1), "random"));
    room_close(&room);
}

/* Spectators who subscribe again and again do not make the server send the state to everybody each time. */
static void test_watching_often(void)
{
    enum { AT_ONCE = TABLE_AHEAD / TABLE_SHOW + 1, PAUSES = 3 };
    struct room room = {.now = 3};
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','options':'num_players=2','bots':['random']}]");
    (void)room_settle(&room);
    int64_t number = object_int(object_item(room_await(&room, SPECTATOR, "state"), 1));
    while (room_next(&room, SPECTATOR)) {
        number++;
    }
    for (int i = 0; i < AT_ONCE + PAUSES * TABLE_SHOW; i++) {
        room.now += i > AT_ONCE;
        tables_watch(room.tables, "t:", 1, room.now);
        (void)room_settle(&room);
    }
    for (int i = 1; i <= AT_ONCE + PAUSES - 1; i++) {
        CHECK_EQUAL(object_int(object_item(room_await(&room, SPECTATOR, "state"), 1)), number + i);
    }
    room_quiet(&room, SPECTATOR);
    room.now++; /* who asked last is answered without asking again */
    (void)room_settle(&room);
    CHECK_EQUAL(object_int(object_item(room_await(&room, SPECTATOR, "state"), 1)), number + AT_ONCE + PAUSES);
    room_quiet(&room, SPECTATOR);
    room_close(&room);
}

/* Returns what a spectator hears of a series, in which a player answers so many milliseconds after each question. */
struct pace {
    struct room room;
    int games, changes; /* states but the first and the last of a game */
    int missing;        /* states that did not follow what had happened */
    int idle,
        happened; /* states after nothing, which would say that somebody was asked; events since the last one */
    int64_t last, pause; /* the last change, and the longest time from one to the next */
};

static void hear_pace(struct pace *self, const msgpack_object *message, const msgpack_object *next)
{
    const msgpack_object *name = object_item(message, 0);
    const int is_last = next && object_is(object_item(next, 0), "end");
    if (object_is(name, "events")) {
        self->happened++;
        self->missing += !next || object_is(object_item(next, 0), "events");
    } else if (object_is(name, "end")) {
        self->games++;
        self->happened = 1; /* the next deal */
    } else if (object_is(name, "state") && !is_last) {
        self->changes++;
        self->idle += self->happened == 0;
        self->happened = 0;
        self->pause = self->pause > self->room.now - self->last ? self->pause : self->room.now - self->last;
        self->last = self->room.now;
    }
}

static void play_at_pace(struct pace *self, const char *id, int games, int subscriptions, int64_t ms)
{
    char json[256];
    struct mh_rng random = {7};
    const msgpack_object *turn;
    self->room.now = self->last = 3;
    room_open(&self->room);
    tables_watch(self->room.tables, "t:", subscriptions, self->room.now);
    (void)snprintf(
        json, sizeof json,
        "[{'table':'t','game':'%s','options':'num_players=3','bots':['random','random'],'games':%d,'seed':5}]", id,
        games);
    room_done(&self->room, 1, "sit", json);
    for (int64_t number = 1;; number++) {
        (void)room_settle(&self->room);
        const msgpack_object *message = room_next(&self->room, SPECTATOR);
        while (message) {
            const msgpack_object *next = room_next(&self->room, SPECTATOR);
            hear_pace(self, message, next);
            message = next;
        }
        do {
            turn = room_next(&self->room, 1);
        } while (turn && !object_is(object_item(turn, 0), "turn"));
        if (!turn) {
            break;
        }
        self->room.now += ms;
        room_act(&self->room, 1, number, room_choose(turn, &random));
    }
    self->changes -= self->games; /* their first states */
    CHECK_EQUAL(self->games, games);
    room_close(&self->room);
}

/* Every state is shown while a table is slow; while it is fast the newest one, again and again, however short its games
 * are; and none between the first and the last of a game where nobody looks on. */
static void test_pace(void)
{
    struct pace slow = {.happened = 1};
    struct pace passing = {.happened = 1};
    struct pace fast = {.happened = 1};
    struct pace unseen = {.happened = 1};
    play_at_pace(&slow, "mhing", 60, 1, TABLE_AHEAD);
    CHECK_EQUAL(slow.missing, 0);
    CHECK_EQUAL(slow.idle, 0);
    play_at_pace(&passing, "mexican_rummy", 2, 1, TABLE_AHEAD);
    CHECK_EQUAL(passing.missing, 0);
    CHECK_EQUAL(passing.idle, 0); /* who does not ask leaves no trace */
    play_at_pace(&fast, "mhing", 60, 1, 1);
    CHECK(fast.missing > 0);
    CHECK((fast.room.now - 3) / fast.games < TABLE_SHOW);
    CHECK(fast.pause <= 2 * TABLE_SHOW);
    CHECK(fast.changes <= (fast.room.now - 3 + TABLE_AHEAD) / TABLE_SHOW + 1);
    CHECK(fast.changes >= (fast.room.now - 3) / TABLE_SHOW);
    play_at_pace(&unseen, "mhing", 60, 0, TABLE_AHEAD);
    CHECK_EQUAL(unseen.changes, 0);
}

/* When a fast table stands still, the state at which it does is shown without being asked for. */
static void test_standing_still(void)
{
    struct room room = {.now = 3};
    struct mh_rng random = {7};
    const msgpack_object *next;
    const msgpack_object *last = NULL;
    room_open(&room);
    tables_watch(room.tables, "t:", 1, room.now);
    room_done(&room, 1, "sit", "[{'table':'t','bots':['random','random','random'],'seed':5}]");
    for (int64_t number = 1; number <= 6; number++) {
        (void)room_settle(&room);
        room_act(&room, 1, number, room_choose(room_await(&room, 1, "turn"), &random));
    }
    const int64_t due = room_settle(&room);
    CHECK(due > room.now && due <= room.now + TABLE_SHOW);
    while ((next = room_next(&room, SPECTATOR)) != NULL) {
        last = next;
    }
    CHECK(object_is(object_item(last, 0), "events"));
    room.now = due;
    (void)room_settle(&room);
    (void)room_await(&room, SPECTATOR, "state");
    room_quiet(&room, SPECTATOR);
    room_close(&room);
}

int main(void)
{
    for (int i = 0; i < mh_game_count(); i++) {
        for (int form = TABLES_RAW; form < TABLES_FORMS; form++) {
            test_nothing_hidden(mh_game_id(i), form);
        }
        if (room_options(mh_game_id(i), "num_players=2", NULL)) {
            test_everything_public(mh_game_id(i), 0);
            test_everything_public(mh_game_id(i), 1);
        }
    }
    test_watching();
    test_watching_often();
    test_pace();
    test_standing_still();
    return 0;
}
