/* Twins: two tables with the same public events, at one of which seats are asked because of their cards, for claims say,
 * and do nothing. Spectators and all seats that are not asked get the same from both, in the same order, and with a pause
 * at the same times (R4.7 of Mhing; R3.7 of General Mhing; R9.4 of Mexican Rummy). */
#include "lobby.h"
#include "tables_room.h"

enum { PAUSE = 500, THOUGHT = 30 /* milliseconds */, WORLDS = 40 };

/* A room with one table, at which a player sits in every seat. */
struct side {
    struct room room;
    struct table *table;
};

static void side_open(struct side *self, const char *id, int seats, int seed, int pause)
{
    char json[256];
    (void)snprintf(json, sizeof json,
                   "[{'table':'t','game':'%s','options':'num_players=%d','seed':%d,'pause':%d,'clock':60000}]", id,
                   seats, seed, pause);
    self->room.now = 3;
    room_open(&self->room);
    tables_watch(self->room.tables, "t:", 1, self->room.now);
    for (int number = 1; number <= seats; number++) {
        room_done(&self->room, number, "sit", json);
    }
    self->table = lobby_table(self->room.tables, "t", 1);
    (void)room_settle(&self->room);
}

static void side_close(struct side *self)
{
    room_close(&self->room);
    *self = (struct side){.table = NULL};
}

/* Answers the open question and goes on until the next one, or the end. */
static void side_act(struct side *self, int action)
{
    const int player = self->table->asked;
    room_act(&self->room, player + 1, self->table->players[player].turn, action);
    (void)room_settle(&self->room);
}

/* Moves the clock on, and does what is due. */
static void side_wait(struct side *self, int64_t until)
{
    int64_t due = room_settle(&self->room);
    while (due >= 0 && due <= until) {
        self->room.now = due;
        due = room_settle(&self->room);
    }
    self->room.now = until;
}

/* What follows an action where all who are asked in secret do nothing: the seats asked, as bits, and the state. */
static unsigned follow(const struct mh_game *game, void *state, int action)
{
    unsigned asked = 0;
    mh_apply(game->rules, state, action);
    while (!mh_state_is_settled(game, state)) {
        asked |= 1u << mh_state_seat(state);
        CHECK_EQUAL(mh_state_idle_action(game, state, &action), MH_OK);
        mh_apply(game->rules, state, action);
    }
    return asked;
}

static int has_same_events(const struct mh_game *game, const void *a, const void *b)
{
    return memcmp(mh_events_of(game->rules, a), mh_events_of(game->rules, b), sizeof(struct mh_events)) == 0;
}

/* Looks for a world that `seat` cannot tell from `truth`, in which the action asks nobody and brings the same events. */
static int find_twin(const struct mh_game *game, const void *truth, int seat, int action, void *twin, void *after)
{
    const size_t size = (size_t)game->sizes.state;
    void *goal = check_memory(size);
    memcpy(goal, truth, size);
    (void)follow(game, goal, action);
    int found = 0;
    for (uint64_t seed = 0; seed < WORLDS && !found; seed++) {
        CHECK_EQUAL(mh_state_resample(game, truth, seat, seed, twin), MH_OK);
        if (mh_set_has(mh_legal(game->rules, twin), action)) {
            memcpy(after, twin, size);
            found = follow(game, after, action) == 0 && has_same_events(game, after, goal) &&
                    mh_state_seat(after) == mh_state_seat(goal);
        }
    }
    free(goal);
    return found;
}

/* Both sides say the same to somebody; `timed`: at the same times. A question to the seat on turn shows its cards. */
static void check_same_letters(struct side *a, struct side *b, int to, int timed)
{
    struct side *const sides[2] = {a, b};
    for (;;) {
        const struct letter *next[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            struct room *room = &sides[i]->room;
            while (room->read[to] < room->count && !next[i]) {
                const struct letter *letter = &room->letters[room->read[to]++];
                next[i] = letter->to == to ? letter : NULL;
            }
        }
        CHECK_EQUAL(next[0] == NULL, next[1] == NULL);
        if (!next[0]) {
            return;
        }
        CHECK(!timed || next[0]->at == next[1]->at);
        CHECK_EQUAL(next[0]->message->size, next[1]->message->size);
        if (to == SPECTATOR || !object_is(object_item(&next[0]->unpacked.data, 0), "turn")) {
            CHECK(memcmp(next[0]->message->bytes, next[1]->message->bytes, next[0]->message->size) == 0);
        }
    }
}

static void check_same_back(struct side *a, struct side *b, int number)
{
    room_done(&a->room, number, "back", "[]");
    room_done(&b->room, number, "back", "[]");
    CHECK_EQUAL(a->room.reply.message->size, b->room.reply.message->size);
    CHECK(memcmp(a->room.reply.message->bytes, b->room.reply.message->bytes, a->room.reply.message->size) == 0);
}

/* The action is played on both sides, at which a seat that is not asked looks again and again. */
static void check_twins(struct side *a, struct side *b, int seat, int action, int pause)
{
    const int64_t end = a->room.now + PAUSE;
    while (room_next(&a->room, SPECTATOR) || room_next(&b->room, SPECTATOR) || room_next(&a->room, seat + 1) ||
           room_next(&b->room, seat + 1)) {
    }
    side_act(a, action);
    side_act(b, action);
    while (!mh_state_is_settled(a->table->terms.game, a->table->state) && !a->table->move.is_held) {
        if (pause) { /* without one the other side has gone on */
            check_same_back(a, b, seat + 1);
            CHECK_EQUAL(a->table->terms.clock, a->table->due - a->room.now);
        }
        int idle = 0;
        CHECK(a->table->asked >= 0 && a->table->asked != seat);
        (void)mh_state_idle_action(a->table->terms.game, a->table->state, &idle);
        side_wait(a, a->room.now + THOUGHT);
        side_act(a, idle);
        side_wait(b, b->room.now + THOUGHT);
    }
    if (pause) {
        check_same_back(a, b, seat + 1);
        CHECK(a->room.now < end && a->table->asked < 0 && b->table->asked < 0);
    }
    side_wait(a, end);
    side_wait(b, end);
    CHECK_EQUAL(a->table->asked, b->table->asked);
    CHECK(a->table->asked < 0 || a->table->due - a->room.now == a->table->terms.clock || !pause);
    check_same_letters(a, b, SPECTATOR, pause);
    check_same_letters(a, b, seat + 1, pause);
    if (a->table->asked != seat) {
        check_same_back(a, b, seat + 1);
    }
}

/* Plays on both sides until an action asks somebody in secret, and somebody else cannot know that. Returns whether that
 * was found. */
static int test_seed(const char *id, int seats, int seed, int pause)
{
    struct side sides[2] = {{.table = NULL}};
    struct side *a = &sides[0];
    struct side *b = &sides[1];
    struct mh_rng random = {(uint64_t)seed};
    side_open(a, id, seats, seed, pause);
    side_open(b, id, seats, seed, pause);
    const struct mh_game *game = a->table->terms.game;
    const size_t size = (size_t)game->sizes.state;
    void *after = check_memory(size);
    int found = 0;
    while (!found && a->table->phase == TABLE_PLAYING) {
        const int action = mh_set_pick(mh_legal(game->rules, a->table->state), game->legal_words, &random);
        memcpy(after, a->table->state, size);
        const unsigned asked = follow(game, after, action) | 1u << mh_state_seat(a->table->state);
        const int is_secret = mh_state_is_settled(game, a->table->state) && (asked & (asked - 1)) != 0;
        for (int seat = 0; seat < seats && is_secret && !found; seat++) {
            found = !(asked >> seat & 1) && find_twin(game, a->table->state, seat, action, b->table->state, after);
            if (found) {
                check_twins(a, b, seat, action, pause);
            }
        }
        if (!found) {
            memcpy(b->table->state, a->table->state, size);
            side_act(a, action);
            side_act(b, action);
            side_wait(a, a->room.now + PAUSE);
            side_wait(b, b->room.now + PAUSE);
        }
    }
    free(after);
    side_close(a);
    side_close(b);
    return found;
}

static void test_game(const char *id, int seats, int seeds)
{
    int found = 0;
    for (int seed = 0; seed < seeds; seed++) {
        found += test_seed(id, seats, seed, 0);
        found += test_seed(id, seats, seed, PAUSE);
    }
    CHECK(found >= seeds);
}

int main(void)
{
    test_game("mhing", 3, 20);
    test_game("mhing", 4, 20);
    test_game("general_mhing", 3, 20);
    return 0;
}
