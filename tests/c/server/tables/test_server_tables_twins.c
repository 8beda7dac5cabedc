/* Twins: two tables with the same public events, at one of which seats are asked because of their cards, for claims
 * say, and do nothing. Spectators and all seats that are not asked get the same from both, in the same order, and with
 * a pause at the same times, as bytes and as words (R4.7 of Mhing; R3.7 of General Mhing; R9.4 of Mexican Rummy). */
#include "tables/lobby.h"
#include "tables_room.h"

enum { PAUSE = 500, THOUGHT = 30 /* milliseconds */, WORLDS = 40, ANSWERS = 40, FAR = 3 };

/* A room with one table, at which a player sits in every seat. */
struct side {
    struct room room;
    struct table *table;
};

static void side_open(struct side *self, const char *id, int seats, int seed, int pause, enum tables_form form)
{
    char json[256];
    (void)snprintf(json, sizeof json,
                   "[{'table':'t','game':'%s','options':'num_players=%d','seed':%d,'pause':%d,'clock':60000}]", id,
                   seats, seed, pause);
    self->room.now = 3;
    self->room.form = form;
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

/* Answers the open question and plays until the next one, or the end. */
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

static int has_same_events(const struct mh_events *a, const struct mh_events *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Answers to the questions that follow an action. */
struct answers {
    int count;
    unsigned asked; /* seats, as bits */
    struct {
        int seat, action, is_settled;
        struct mh_events events; /* before it */
        int place;               /* of a twin's answer: which one of the truth it is */
    } all[ANSWERS];
};

static void answer(const struct mh_game *game, void *state, struct answers *answers, int action, int place)
{
    const int seat = mh_state_seat(state);
    CHECK(answers->count < ANSWERS);
    answers->all[answers->count].seat = seat;
    answers->all[answers->count].action = action;
    answers->all[answers->count].is_settled = mh_state_is_settled(game, state);
    answers->all[answers->count].events = *mh_events_of(game->rules, state);
    answers->all[answers->count++].place = place;
    answers->asked |= 1u << seat;
    mh_apply(game->rules, state, action);
}

/* Plays an action and what follows until all is settled, and at least so many answers: all who are asked do nothing,
 * or anything. */
static void follow(const struct mh_game *game, void *state, int action, int least, struct mh_rng *random,
                   struct answers *answers)
{
    const int is_idle = mh_rng_below(random, 2) == 0;
    *answers = (struct answers){.count = 0};
    mh_apply(game->rules, state, action);
    while (!mh_state_is_settled(game, state) || (answers->count < least && mh_state_seat(state) >= 0)) {
        action = mh_set_pick(mh_legal(game->rules, state), game->legal_words, random);
        if (is_idle) {
            CHECK_EQUAL(mh_state_idle_action(game, state, &action), MH_OK);
        }
        answer(game, state, answers, action, answers->count);
    }
}

/* The same answers in another world, where some questions are not asked. */
static void follow_alike(const struct mh_game *game, void *state, int action, const struct answers *truth,
                         struct answers *answers)
{
    *answers = (struct answers){.count = 0};
    mh_apply(game->rules, state, action);
    for (int i = 0; i < truth->count; i++) {
        if (mh_state_seat(state) == truth->all[i].seat &&
            mh_set_has(mh_legal(game->rules, state), truth->all[i].action)) {
            answer(game, state, answers, truth->all[i].action, i);
        }
    }
}

static int has_place(const struct answers *self, int place)
{
    int found = 0;
    for (int i = 0; i < self->count; i++) {
        found |= self->all[i].place == place;
    }
    return found;
}

/* Compares what all may know: the events, who is on turn, and whether all is settled. */
static int is_alike(const struct mh_game *game, const void *a, const void *b)
{
    return has_same_events(mh_events_of(game->rules, a), mh_events_of(game->rules, b)) &&
           mh_state_seat(a) == mh_state_seat(b) && mh_state_is_settled(game, a) == mh_state_is_settled(game, b);
}

static int has_same_view(const struct mh_game *game, const void *a, const void *b, int seat)
{
    const size_t size = (size_t)game->sizes.observation;
    uint8_t *views = check_memory(2 * size);
    CHECK_EQUAL(mh_state_observe(game, a, seat, views), MH_OK);
    CHECK_EQUAL(mh_state_observe(game, b, seat, views + size), MH_OK);
    const int same = memcmp(views, views + size, size) == 0;
    free(views);
    return same;
}

/* Looks for a world that `seat` cannot tell from `truth`, in which the same answers bring the same but one question is
 * not asked, that at place `missing`. `goal`: what the action leads to in truth. */
static int find_twin(const struct mh_game *game, const void *truth, int seat, int action, const void *goal,
                     const struct answers *answers, int missing, void *twin, struct answers *fewer)
{
    const size_t size = (size_t)game->sizes.state;
    void *after = check_memory(size);
    int found = 0;
    for (uint64_t seed = 0; seed < WORLDS && !found; seed++) {
        CHECK_EQUAL(mh_state_resample(game, truth, seat, seed, twin), MH_OK);
        if (mh_set_has(mh_legal(game->rules, twin), action)) {
            memcpy(after, twin, size);
            follow_alike(game, after, action, answers, fewer);
            found = !has_place(fewer, missing) && is_alike(game, after, goal) &&
                    (seat != mh_state_seat(truth) || has_same_view(game, after, goal, seat));
        }
    }
    free(after);
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
        const int is_turn = to != SPECTATOR && object_is(object_item(&next[0]->unpacked.data, 0), "turn");
        CHECK((is_turn && a->room.form != TABLES_RAW) || next[0]->message->size == next[1]->message->size);
        if (!is_turn) {
            CHECK(memcmp(next[0]->message->bytes, next[1]->message->bytes, next[0]->message->size) == 0);
        }
    }
}

/* All requests that show a table, by a player there. */
static void check_same_looks(struct side *a, struct side *b, int number)
{
    char of_table[64];
    snprintf(of_table, sizeof of_table, "[{'table':'%s'}]", a->table->name);
    const char *const looks[][2] = {
        {"back", "[]"}, {"picture", "[{'as':'svg','form':'portrait'}]"}, {"picture", of_table}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        room_done(&a->room, number, looks[i][0], looks[i][1]);
        room_done(&b->room, number, looks[i][0], looks[i][1]);
        CHECK_EQUAL(a->room.reply.message->size, b->room.reply.message->size);
        CHECK(memcmp(a->room.reply.message->bytes, b->room.reply.message->bytes, a->room.reply.message->size) == 0);
    }
}

/* The action is played on both sides, at which a seat that is not asked looks again and again. */
static void check_twins(struct side *a, struct side *b, int seat, int action, const struct answers *answers,
                        const struct answers *fewer, int pause)
{
    const int64_t end = a->room.now + PAUSE;
    int answered = 0;
    while (room_next(&a->room, SPECTATOR) || room_next(&b->room, SPECTATOR) || room_next(&a->room, seat + 1) ||
           room_next(&b->room, seat + 1)) {
    }
    side_act(a, action);
    side_act(b, action);
    for (int i = 0; i < answers->count; i++) {
        if (pause) { /* without one the other side has moved on */
            check_same_looks(a, b, seat + 1);
            CHECK_EQUAL(a->table->terms.clock, a->table->due - a->room.now);
        }
        CHECK(a->table->asked == answers->all[i].seat && a->table->asked != seat);
        side_wait(a, a->room.now + THOUGHT);
        side_act(a, answers->all[i].action);
        side_wait(b, b->room.now + THOUGHT);
        if (answered < fewer->count && fewer->all[answered].place == i) {
            side_act(b, fewer->all[answered++].action);
        }
    }
    if (pause) {
        check_same_looks(a, b, seat + 1);
        CHECK(a->room.now < end && a->table->asked < 0 && b->table->asked < 0);
    }
    side_wait(a, end);
    side_wait(b, end);
    CHECK_EQUAL(a->table->asked, b->table->asked);
    CHECK(a->table->asked < 0 || a->table->due - a->room.now == a->table->terms.clock || !pause);
    check_same_letters(a, b, SPECTATOR, pause);
    check_same_letters(a, b, seat + 1, pause);
    if (a->table->asked != seat) {
        check_same_looks(a, b, seat + 1);
    }
}

/* A bot's action, or any. */
static int choose(const struct mh_game *game, const void *state, struct mh_rng *random)
{
    int action = mh_set_pick(mh_legal(game->rules, state), game->legal_words, random);
    if (mh_rng_below(random, 4)) {
        CHECK_EQUAL(mh_state_bot_action(game, state, mh_default_bot(game), &random->state, &action), MH_OK);
    }
    return action;
}

/* A secret question: to the seat that has acted or to another one, and how many others come before it. */
struct question {
    int is_own, place;
};

/* Plays on both sides until an action leads to such a question, and some seat cannot know whether it does. Returns
 * whether that was found. */
static int test_seed(const char *id, int seats, const struct question *question, int seed, int pause,
                     enum tables_form form)
{
    struct side sides[2] = {{.table = NULL}};
    struct side *a = &sides[0];
    struct side *b = &sides[1];
    struct mh_rng random = {(uint64_t)seed};
    side_open(a, id, seats, seed, pause, form);
    side_open(b, id, seats, seed, pause, form);
    const struct mh_game *game = a->table->terms.game;
    const size_t size = (size_t)game->sizes.state;
    void *goal = check_memory(size);
    int found = 0;
    while (!found && a->table->phase == TABLE_PLAYING) {
        struct answers answers = {.count = 0};
        struct answers fewer;
        const int action = choose(game, a->table->state, &random);
        const int actor = mh_state_seat(a->table->state);
        if (mh_state_is_settled(game, a->table->state)) {
            memcpy(goal, a->table->state, size);
            follow(game, goal, action, 0, &random, &answers);
        }
        const int is_wanted = answers.count > question->place && mh_state_seat(goal) >= 0 &&
                              (answers.all[question->place].seat == actor) == question->is_own;
        for (int seat = 0; seat < seats && is_wanted && !found; seat++) {
            found = !(answers.asked >> seat & 1) && find_twin(game, a->table->state, seat, action, goal, &answers,
                                                              question->place, b->table->state, &fewer);
            if (found) {
                check_twins(a, b, seat, action, &answers, &fewer, pause);
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
    free(goal);
    side_close(a);
    side_close(b);
    return found;
}

static void test_game(const char *id, int seats, int is_own, int place, int wanted)
{
    const struct question question = {is_own, place};
    for (int seed = 0; wanted > 0; seed++) {
        CHECK(seed < 400);
        const int found = test_seed(id, seats, &question, seed, PAUSE, TABLES_RAW);
        CHECK_EQUAL(test_seed(id, seats, &question, seed, 0, TABLES_RAW), found);
        CHECK_EQUAL(test_seed(id, seats, &question, seed, PAUSE, TABLES_CHANGES), found); /* `back` says all */
        wanted -= found;
    }
}

/* ---- Questions that are none of these ----------------------------------------------------------------------- */

static int asks(const struct mh_game *game, const void *state, int seat, const struct mh_events *events)
{
    return mh_state_seat(state) == seat && has_same_events(mh_events_of(game->rules, state), events);
}

/* True if a seat was asked in a twin when everybody had seen these events. */
static int was_asked(const struct answers *twin, int seat, const struct mh_events *events)
{
    int found = 0;
    for (int i = 0; i < twin->count; i++) {
        found |= twin->all[i].seat == seat && has_same_events(&twin->all[i].events, events);
    }
    return found;
}

/* A question to a seat in a settled state is asked in every world with the same public events, also in those that
 * differ in what followed. Returns how many questions are not asked in some world. */
static int check_settled(const struct mh_game *game, const void *truth, int action, struct mh_rng *random)
{
    const size_t size = (size_t)game->sizes.state;
    void *goal = check_memory(size);
    void *twin = check_memory(size);
    struct answers answers;
    struct answers others;
    int secret = 0;
    memcpy(goal, truth, size);
    follow(game, goal, action, FAR, random, &answers);
    for (int seat = 0; seat < game->sizes.seats; seat++) {
        CHECK_EQUAL(mh_state_resample(game, truth, seat, mh_rng_next(random), twin), MH_OK);
        if (answers.asked >> seat & 1 || !mh_set_has(mh_legal(game->rules, twin), action)) {
            continue;
        }
        follow_alike(game, twin, action, &answers, &others);
        for (int i = 0; i < answers.count && is_alike(game, twin, goal); i++) {
            const int asked = answers.all[i].seat;
            const struct mh_events *events = &answers.all[i].events;
            const int is_secret = !asks(game, truth, asked, events) && !was_asked(&others, asked, events) &&
                                  !asks(game, twin, asked, events);
            CHECK(!is_secret || !answers.all[i].is_settled);
            secret += is_secret;
        }
    }
    free(goal);
    free(twin);
    return secret;
}

static void test_settled(const char *id, int seats, int seeds)
{
    struct mh_game *game = NULL;
    struct mh_rng random = {3};
    char options[32];
    int secret = 0;
    (void)snprintf(options, sizeof options, "num_players=%d", seats);
    CHECK_EQUAL(mh_game_new(id, options, NULL, &game), MH_OK);
    void *state = check_memory((size_t)game->sizes.state);
    for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++) {
        CHECK_EQUAL(mh_state_reset(game, state, seed, NULL), MH_OK);
        while (mh_state_seat(state) >= 0) {
            const int action = choose(game, state, &random);
            secret += check_settled(game, state, action, &random);
            mh_apply(game->rules, state, action);
        }
    }
    free(state);
    mh_game_free(&game);
    CHECK(secret > 0);
}

int main(void)
{
    test_settled("mhing", 4, 20);
    test_settled("general_mhing", 3, 100);
    test_settled("mexican_rummy", 3, 60);
    test_game("mhing", 3, 0, 0, 10);
    test_game("mhing", 4, 0, 0, 10);
    test_game("mhing", 4, 0, 1, 5);
    test_game("mhing", 4, 0, 2, 2);
    test_game("general_mhing", 3, 0, 0, 10); /* before the draw */
    test_game("general_mhing", 3, 0, 1, 3);  /* which sequence the card that was taken makes, or another swap */
    test_game("general_mhing", 3, 1, 0, 3);  /* another swap after a sequence */
    test_game("mexican_rummy", 2, 1, 0, 2);  /* which one of two cards to discard */
    test_game("mexican_rummy", 3, 1, 0, 2);
    return 0;
}
