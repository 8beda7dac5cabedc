/* Tables that outlive the process: a series that is killed again and again is the same series. */
#include "tables_journal.h"

#include <signal.h>
#include <sys/resource.h>

#include "tables/lobby.h"

/* ---- Killed or not, the same ---------------------------------------------------------------------------------- */

static void check_same_series(const struct series *a, const struct series *b)
{
    for (int player = 1; player <= 2; player++) {
        CHECK_EQUAL(a->last[player], b->last[player]);
        for (int64_t turn = 1; turn <= a->last[player]; turn++) {
            CHECK_EQUAL(a->seen[player][turn].size, b->seen[player][turn].size);
            CHECK(memcmp(a->seen[player][turn].bytes, b->seen[player][turn].bytes, a->seen[player][turn].size) ==
                  0);
        }
    }
    CHECK_EQUAL(a->over.message->size, b->over.message->size);
    CHECK(memcmp(a->over.message->bytes, b->over.message->bytes, a->over.message->size) == 0);
}

/* All but the time of the day is the same. */
static int check_same_records(const char *a, const char *b)
{
    char names[2][64][FILES_PATH];
    const int count = folder_list(a, names[0], 64);
    CHECK_EQUAL(folder_list(b, names[1], 64), count);
    for (int i = 0; i < count; i++) {
        CHECK(strcmp(strrchr(names[0][i], '/'), strrchr(names[1][i], '/')) == 0);
        char *texts[2];
        for (int k = 0; k < 2; k++) {
            texts[k] = file_text(names[k][i]);
            char *time = strstr(texts[k], "\"time\":\"");
            CHECK(time && time[28] == '"');
            memset(time + 8, '?', 20);
        }
        CHECK(strcmp(texts[0], texts[1]) == 0);
        free(texts[0]);
        free(texts[1]);
    }
    return count;
}

static void test_killed_series(const char *terms, int games)
{
    char folders[4][FILES_PATH];
    struct series *whole = series_new(terms, 0, folders[0], folders[1]);
    series_play(whole);
    for (int kill_every = 1; kill_every <= 9; kill_every += 4) {
        struct series *killed = series_new(terms, kill_every, folders[2], folders[3]);
        series_play(killed);
        check_same_series(whole, killed);
        CHECK_EQUAL(check_same_records(folders[1], folders[3]), games);
        series_close(killed);
    }
    series_close(whole);
}

/* ---- A full disk ---------------------------------------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Gives the disk room again, and checks that the server recovers. */
static void mend(struct room *room)
{
    limit_files(RLIM_INFINITY);
    CHECK(room->disk.is_late);
    CHECK_EQUAL(disk_mend(&room->disk), 0);
    CHECK_EQUAL(tables_mend(room->tables), 0);
    room->disk.is_late = 0;
}

/* As room_settle, and as the server does: tables stand still while the disk refuses. */
static void settle(struct room *room)
{
    int64_t due = room->now;
    while (!room->disk.is_late && due >= 0 && due <= room->now) {
        due = tables_tick(room->tables, room->now);
    }
}

/* A player that takes the first legal action, until it has answered so often, or the game is over; then it leaves. The
 * disk is full at the answer of number `full`, and when it leaves at once afterwards. Returns the number of answers. */
static int play_alone(const char *folder, int most, int full)
{
    struct room room = {.now = 5, .options.records = folder};
    int answers = 0;
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','options':'num_players=2','bots':['greedy'],'seed':5}]");
    settle(&room);
    const msgpack_object *message = room_next(&room, 1);
    for (; message && answers < most; message = room_next(&room, 1)) {
        if (!object_is(object_item(message, 0), "turn")) {
            continue;
        }
        const int64_t turn = object_int(object_item(message, 1));
        const msgpack_object *mask = object_item(message, 4);
        const char *legal = memchr(mask->via.bin.ptr, 1, mask->via.bin.size);
        CHECK(legal);
        limit_files(++answers == full ? 0 : RLIM_INFINITY);
        room_act(&room, 1, turn, (int)(legal - mask->via.bin.ptr));
        settle(&room);
        if (room.disk.is_late && answers < most) {
            mend(&room);
            settle(&room);
        }
    }
    room_done(&room, 1, "stand", "[]");
    if (room.disk.is_late) {
        mend(&room);
    }
    room_close(&room);
    return answers;
}

/* Records are whole where the disk was full for the last lines of a game, and nobody comes back to write them: it has
 * ended, or all have left it. */
static void test_full_at_the_end(void)
{
    enum { LEAVES = 3, NEVER = 1000 };
    char folders[2][FILES_PATH];
    (void)signal(SIGXFSZ, SIG_IGN);
    folder_make(folders[0]);
    const int answers = play_alone(folders[0], NEVER, 0);
    CHECK(answers > LEAVES && answers < NEVER);
    for (int full = 1; full <= answers; full++) {
        folder_make(folders[1]);
        CHECK_EQUAL(play_alone(folders[1], NEVER, full), answers);
        CHECK_EQUAL(check_same_records(folders[0], folders[1]), 1);
        folder_remove(folders[1]);
    }
    folder_remove(folders[0]);
    for (int i = 0; i < 2; i++) {
        folder_make(folders[i]);
        CHECK_EQUAL(play_alone(folders[i], LEAVES, i * LEAVES), LEAVES);
    }
    CHECK_EQUAL(check_same_records(folders[0], folders[1]), 1);
    folder_remove(folders[0]);
    folder_remove(folders[1]);
}

/* ---- Tables that wait ----------------------------------------------------------------------------------------- */

static const char *const some = "[{'table':'t','options':'num_players=3 episode=game','bots':['greedy'],'seed':3}]";

/* A closed table leaves no journal; a waiting one exists again after a restart. */
static void test_waiting_tables(void)
{
    char folder[FILES_PATH];
    char names[8][FILES_PATH];
    struct room room = {.now = 5};
    folder_make(folder);
    room.options.state = folder;
    room_open(&room);
    room_done(&room, 1, "sit", some);
    CHECK_EQUAL(folder_list(folder, names, 8), 1);
    tables_free(&room.tables);
    room_open(&room);
    room_done(&room, 1, "back", "[]");
    CHECK_EQUAL(int_at(room_reply(&room), "seat"), 0);
    room_refused(&room, 2, "sit", "[{'table':'t','games':4}]", "table");
    room_done(&room, 1, "stand", "[]");
    CHECK_EQUAL(folder_list(folder, names, 8), 0);
    room_close(&room);
    folder_remove(folder);
}

/* The pause is that which the table began with, given or not. */
static void test_pause_is_kept(const char *terms, int64_t pause)
{
    char folder[FILES_PATH];
    struct room room = {.now = 5};
    folder_make(folder);
    room.options.state = folder;
    room_open(&room);
    room_done(&room, 1, "sit", terms);
    tables_free(&room.tables);
    room_open(&room);
    room_done(&room, 1, "tables", "[]");
    CHECK_EQUAL(int_at(object_item(room_reply(&room), 0), "pause"), pause);
    room_done(&room, 1, "stand", "[]");
    room_close(&room);
    folder_remove(folder);
}

/* ---- In a pause ----------------------------------------------------------------------------------------------- */

/* Plays the first action, which the pause must hold. Returns the player that has acted, or 0 where somebody is
 * asked. */
static int act_into_pause(struct room *room, struct letter before[3])
{
    (void)room_settle(room);
    const struct table *table = lobby_table(room->tables, "t", 1);
    const int player = table->asked + 1;
    for (int i = 1; i <= 2; i++) {
        room_done(room, i, "back", "[]");
        before[i] = letter_of(i, room->reply.message);
    }
    (void)room_settle(room);
    room_act(room, player, 1, mh_set_next(mh_legal(table->terms.game->rules, table->state), 1, 0));
    (void)room_settle(room);
    while (room_next(room, 1) || room_next(room, 2)) {
    }
    return table->move.is_held ? player : 0;
}

/* Players come back while an action is held: they see nothing of it, and it is played once, also when the server was
 * started anew meanwhile. `next`: what the other one is asked then. */
static int test_back_in_a_pause(int seed, int restarts, struct letter *next)
{
    char folder[FILES_PATH];
    char terms[128];
    struct letter before[3] = {{0}};
    struct room room = {.now = 5};
    folder_make(folder);
    room.options.state = folder;
    (void)snprintf(terms, sizeof terms, "[{'table':'t','options':'num_players=2','seed':%d,'pause':500}]", seed);
    room_open(&room);
    room_done(&room, 1, "sit", terms);
    room_done(&room, 2, "sit", "[{'table':'t'}]");
    const int player = act_into_pause(&room, before);
    for (int i = 1; i <= 2 && player; i++) {
        room_hello(&room, i);
        room_done(&room, i, "back", "[]");
        CHECK_EQUAL(room.reply.message->size, before[i].message->size);
        CHECK(memcmp(room.reply.message->bytes, before[i].message->bytes, before[i].message->size) == 0);
        (void)room_settle(&room);
        room_quiet(&room, 1);
        room_quiet(&room, 2);
    }
    if (restarts) {
        tables_free(&room.tables);
        room_forget(&room);
        room_open(&room);
        room_hello(&room, 1);
        room_hello(&room, 2);
        (void)room_settle(&room); /* a restart ends the pause, and the question's clock begins with the hello */
    }
    if (player) {
        room.now += 500;
        (void)room_settle(&room);
        const struct table *table = lobby_table(room.tables, "t", 1);
        CHECK_EQUAL(mh_head(table->state)->decisions, 1);
        (void)room_await(&room, 3 - player, "turn");
        *next = letter_of(3 - player, room.letters[room.read[3 - player] - 1].message);
        room_quiet(&room, player);
        room_quiet(&room, 3 - player);
    }
    for (int i = 1; i <= 2; i++) {
        letter_drop(&before[i]);
        room_done(&room, i, "stand", "[]");
    }
    room_close(&room);
    folder_remove(folder);
    return player;
}

static void test_pauses(void)
{
    int held = 0;
    for (int seed = 0; seed < 8; seed++) {
        struct letter calm = {0};
        struct letter killed = {0};
        held += test_back_in_a_pause(seed, 0, &calm) != 0;
        if (test_back_in_a_pause(seed, 1, &killed)) {
            CHECK_EQUAL(calm.message->size, killed.message->size);
            CHECK(memcmp(calm.message->bytes, killed.message->bytes, calm.message->size) == 0);
            letter_drop(&calm);
            letter_drop(&killed);
        }
    }
    CHECK(held > 0);
}

/* ---- After the end ---------------------------------------------------------------------------------------------- */

/* Two players play beside a bot until both are told the end. */
static void play_to_the_end(struct room *room, struct mh_rng *random)
{
    for (int told = 0; told < 2;) {
        int heard = 0;
        (void)room_settle(room);
        for (int player = 1; player <= 2; player++) {
            const msgpack_object *message;
            for (; (message = room_next(room, player)) != NULL; heard = 1) {
                if (object_is(object_item(message, 0), "turn")) {
                    room_act(room, player, object_int(object_item(message, 1)), room_choose(message, random));
                }
                told += object_is(object_item(message, 0), "end");
            }
        }
        room->now += heard ? 0 : 500;
    }
}

/* The result of a series that was told stays, where bots have played its last actions as well, and its players leave as
 * soon as the server is there again. Returns whether the last action is a bot's. */
static int test_told_end(int seed)
{
    char folders[2][FILES_PATH];
    char names[2][FILES_PATH];
    char terms[128];
    struct room room = {.now = 5, .options = {.state = folders[0], .records = folders[1]}};
    struct mh_rng random = {(uint64_t)seed};
    folder_make(folders[0]);
    folder_make(folders[1]);
    (void)snprintf(terms, sizeof terms,
                   "[{'table':'t','options':'num_players=3','bots':['greedy'],'seed':%d,'pause':500}]", seed);
    room_open(&room);
    room_done(&room, 1, "sit", terms);
    room_done(&room, 2, "sit", "[{'table':'t'}]");
    play_to_the_end(&room, &random);
    tables_free(&room.tables);
    room_forget(&room);
    room_open(&room);
    for (int player = 1; player <= 2; player++) {
        tables_gone(room.tables, room_player(&room, player).token, room.now);
    }
    CHECK_EQUAL(folder_list(folders[1], names, 2), 1);
    char *text = file_text(names[0]);
    CHECK(strstr(text, "{\"returns\":") && !strstr(text, "abandoned"));
    int is_bot = 0;
    for (const char *by = text; (by = strstr(by, "\"by\":\"")) != NULL; by++) {
        is_bot = strncmp(by, "\"by\":\"bot", 9) == 0;
    }
    free(text);
    room_close(&room);
    folder_remove(folders[0]);
    folder_remove(folders[1]);
    return is_bot;
}

static void test_told_ends(void)
{
    int bots = 0;
    for (int seed = 0; seed < 12; seed++) {
        bots += test_told_end(seed);
    }
    CHECK(bots > 0);
}

/* ---- Random play
 * -------------------------------------------------------------------------------------------------- */

static void do_anything(struct room *room, struct mh_rng *random)
{
    static const char *const wishes[] = {
        "[{'table':'a','options':'num_players=2','games':2,'duplicate':true,'clock':50,'pause':0}]",
        "[{'table':'a'}]",
        "[{'table':'b','options':'num_players=3','bots':['random'],'games':3,'clock':60,'pause':20}]",
        "[{'table':'b','seat':1}]",
        "[{'table':'c','game':'general_mhing','options':'num_players=2 episode=game rounds=3'}]",
        "[{'options':'num_players=2','bots':['greedy'],'games':5}]",
    };
    const int player = 1 + (int)mh_rng_below(random, ROOM_PLAYERS - 2);
    const uint32_t what = mh_rng_below(random, 100);
    const char *wish = wishes[mh_rng_below(random, sizeof wishes / sizeof *wishes)];
    char json[64];
    if (what < 8) {
        (void)room_request(room, player, what < 5 ? "sit" : "play", wish);
    } else if (what < 10) {
        (void)room_request(room, player, "stand", "[]");
    } else if (what < 15) {
        (void)room_request(room, player, "back", "[]");
    } else if (what < 16) {
        tables_gone(room->tables, room_player(room, player).token, room->now);
    } else if (what < 18) {
        room_hello(room, player);
    } else if (what < 20) {
        tables_free(&room->tables);
        room_open(room);
    } else if (what < 40) {
        room->now += mh_rng_below(random, 30);
    } else {
        (void)snprintf(json, sizeof json, "[%d,%d]", 1 + (int)mh_rng_below(random, 40),
                       (int)mh_rng_below(random, 341));
        const msgpack_object *message;
        while ((message = room_next(room, player)) != NULL) {
            if (object_is(object_item(message, 0), "turn")) {
                (void)snprintf(json, sizeof json, "[%d,%d]", (int)object_int(object_item(message, 1)),
                               room_choose(message, random));
            }
        }
        (void)room_request(room, player, "act", json);
    }
    (void)tables_tick(room->tables, room->now);
}

/* A restarted server can continue, no matter what players did and when the process was killed. */
static void test_anything(void)
{
    struct room room = {.now = 5};
    char folders[2][FILES_PATH];
    char names[8][FILES_PATH];
    struct mh_rng random = {12};
    struct tables_figures figures = {0};
    folder_make(folders[0]);
    folder_make(folders[1]);
    room.options.state = folders[0];
    room.options.records = folders[1];
    room_open(&room);
    int64_t games = 0;
    for (int i = 0; i < 40000; i++) {
        const int64_t before = figures.games;
        do_anything(&room, &random);
        tables_figures(room.tables, &figures);
        games += figures.games > before; /* after a restart they are counted anew */
        CHECK_EQUAL(figures.failures, 0);
        if (room.count > MAX_LETTERS / 2) {
            room_forget(&room);
        }
    }
    CHECK(games > 50);
    for (int player = 1; player <= ROOM_PLAYERS; player++) {
        tables_gone(room.tables, room_player(&room, player).token, room.now);
    }
    room.now += 1000000;
    (void)room_settle(&room);
    CHECK_EQUAL(folder_list(folders[0], names, 8), 0);
    room_close(&room);
    folder_remove(folders[0]);
    folder_remove(folders[1]);
}

int main(void)
{
    test_anything();
    test_killed_series("'options':'num_players=2','games':4,'duplicate':true,'seed':11", 4);
    test_killed_series("'options':'num_players=2 episode=game rounds=2','games':4,'duplicate':true", 4);
    test_killed_series("'options':'num_players=3','bots':['random'],'games':3", 3);
    test_killed_series("'options':'num_players=3','bots':['random'],'games':3,'pause':1", 3);
    test_killed_series("'game':'general_mhing','options':'episode=game'", 1);
    test_killed_series("'game':'general_mhing','options':'num_players=2','games':3,'pause':1", 3);
    test_killed_series("'game':'mexican_rummy','options':'num_players=2'", 1);
    test_full_at_the_end();
    test_waiting_tables();
    test_pause_is_kept("[{'table':'t'}]", 200);
    test_pause_is_kept("[{'table':'t','pause':0}]", 0);
    test_pause_is_kept("[{'table':'t','bots':['greedy','greedy','greedy']}]", 0);
    test_pauses();
    test_told_ends();
    return 0;
}
