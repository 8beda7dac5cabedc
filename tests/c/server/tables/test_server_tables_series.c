/* The rules of a whole series: deals that cannot be foretold, bots that are counted, time to come back in. */
#include "tables_room.h"

#include <unistd.h>

#include "common/files.h"
#include "tables/table.h"

enum { CLOCK = 200 };

/* ---- Deals
 * -------------------------------------------------------------------------------------------------------- */

/* Lets the clocks of player 1, who plays alone and is silent, run out until the series is over. Returns its `end`. */
static const msgpack_object *run_out(struct room *room)
{
    const msgpack_object *end = NULL;
    while (!end) {
        const int64_t due = room_settle(room);
        const msgpack_object *message;
        while ((message = room_next(room, 1)) != NULL) {
            const int is_end = object_is(object_item(message, 0), "end");
            end = is_end && true_at(object_item(message, 2), "over") ? object_item(message, 2) : end;
        }
        CHECK(end || due > room->now);
        room->now = due;
    }
    return end;
}

static uint64_t seed_at(const msgpack_object *end, uint32_t game)
{
    const msgpack_object *seed = object_item(object_key(end, "seeds"), game);
    CHECK_EQUAL(seed->type, MSGPACK_OBJECT_POSITIVE_INTEGER);
    return seed->via.u64;
}

/* Each deal has its own random bits: all earlier seeds reveal nothing about the next. */
static void test_seeds(int seats, const char *terms, int games, int same)
{
    struct room room = {.now = 5, .random = 77};
    char json[256];
    (void)snprintf(json, sizeof json,
                   "[{'table':'t','options':'num_players=%d','bots':['random'%s],'clock':50,'games':%d%s}]", seats,
                   seats == 3 ? ",'random'" : "", games, terms);
    room_open(&room);
    room_done(&room, 1, "sit", json);
    const msgpack_object *end = run_out(&room);
    CHECK_EQUAL(object_key(end, "seeds")->via.array.size, games);
    const uint64_t first = seed_at(end, 0);
    for (uint32_t game = 1; game < (uint32_t)games; game++) {
        const uint64_t seed = seed_at(end, game);
        CHECK_EQUAL(seed == seed_at(end, game - 1), game % (uint32_t)same != 0);
        if (strstr(terms, "seed")) {
            CHECK_EQUAL(seed, first + game / (uint32_t)same);
        } else {
            CHECK(game < (uint32_t)same || seed - seed_at(end, game - (uint32_t)same) > 1u << 20);
        }
    }
    room_close(&room);
}

/* A table that cannot be dealt in secret is not opened. */
static void test_no_random_bits(void)
{
    struct room room = {.now = 5, .is_drained = 1};
    room_open(&room);
    room_refused(&room, 1, "sit", "[{'table':'t','bots':['random']}]", "memory");
    CHECK(strstr(room.error.text, "random bits"));
    room_refused(&room, 1, "play", "[{'seed':3}]", "memory"); /* its name */
    room_done(&room, 1, "tables", "[]");
    CHECK_EQUAL(room_reply(&room)->via.array.size, 0);
    room_done(&room, 1, "sit", "[{'table':'t','bots':['random','random','random'],'seed':3}]");
    room_close(&room);
}

/* ---- Substitutes
 * -------------------------------------------------------------------------------------------------- */

/* Actions of a seat in a record that a substitute played. */
static int64_t count_in_record(const char *folder, int number, int seat)
{
    char name[32];
    char path[FILES_PATH];
    char wanted[32];
    unsigned char *bytes;
    size_t size;
    int64_t count = 0;
    (void)snprintf(name, sizeof name, "t-%d.jsonl", number);
    (void)snprintf(wanted, sizeof wanted, "{\"seat\":%d,", seat);
    CHECK(files_path(folder, name, path) == 0 && files_read(path, &bytes, &size) == 0);
    CHECK(size > 0 && bytes[size - 1] == '\n');
    bytes[size - 1] = '\0';
    for (const char *line = (const char *)bytes; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *by = strstr(line, "\"by\":\"substitute\"");
        count += strncmp(line, wanted, strlen(wanted)) == 0 && by && by < line + strcspn(line, "\n");
    }
    const char *last = strstr((const char *)bytes, "\"substituted\":[");
    for (int i = 0; last && i <= seat; i++) {
        last = strpbrk(last, i ? "," : "[") + 1;
    }
    CHECK_EQUAL(last ? strtoll(last, NULL, 10) : -1, count);
    free(bytes);
    return count;
}

static int remove_record(const char *folder, int number)
{
    char name[32];
    char path[FILES_PATH];
    (void)snprintf(name, sizeof name, "t-%d.jsonl", number);
    return files_path(folder, name, path) == 0 && remove(path) == 0;
}

/* The end of games, as a player hears it: how often a bot has played for it, and the last one. */
struct heard {
    int64_t told;
    const msgpack_object *end;
};

static void hear(struct heard *self, const msgpack_object *message)
{
    if (object_is(object_item(message, 0), "end")) {
        self->end = object_item(message, 2);
        self->told += int_at(self->end, "substituted");
    }
}

/* Answers all questions to player 2 until the series is over, and lets both players hear. */
static void play_on(struct room *room, struct heard heard[2])
{
    struct mh_rng random = {2};
    while (!heard[1].end || !true_at(heard[1].end, "over")) {
        const int64_t due = room_settle(room);
        const msgpack_object *message;
        int asked = 0;
        while ((message = room_next(room, 2)) != NULL) {
            hear(&heard[1], message);
            if (object_is(object_item(message, 0), "turn")) {
                asked = 1;
                room_act(room, 2, object_int(object_item(message, 1)), room_choose(message, &random));
            }
        }
        while ((message = room_next(room, 1)) != NULL) {
            hear(&heard[0], message);
        }
        room->now = asked || (heard[1].end && true_at(heard[1].end, "over")) ? room->now : due;
    }
}

/* Only the player at this place in the totals is told of its misses and of the bots that played for it. */
static void check_totals(const msgpack_object *end, uint32_t own, int64_t actions, int64_t games)
{
    const msgpack_object *totals = object_key(end, "totals");
    CHECK_EQUAL(object_item(totals, own)->via.map.size, 10);
    CHECK_EQUAL(object_item(totals, 1 - own)->via.map.size, 6);
    const msgpack_object *of = object_item(totals, own);
    CHECK_EQUAL(int_at(of, "substituted"), actions);
    CHECK_EQUAL(int_at(of, "substituted_rounds"), games); /* a game is one round here */
    CHECK_EQUAL(int_at(of, "substituted_games"), games);
}

/* Player 1 says nothing or leaves: what bots play for it can be read in `end` and in the records. */
static void test_substituted(int leaves)
{
    enum { GAMES = 3 };
    struct room room = {.now = 5};
    char folder[] = P_tmpdir "/mhing-series-XXXXXX";
    struct heard heard[2] = {{0}, {0}};
    int64_t counted[2] = {0, 0};
    int64_t games = 0;
    CHECK(mkdtemp(folder));
    room.options.records = folder;
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','options':'num_players=2','games':3,'clock':50,'pause':0}]");
    room_done(&room, 2, "sit", "[{'table':'t'}]");
    if (leaves) {
        (void)room_settle(&room);
        room_done(&room, 1, "stand", "[]");
    }
    play_on(&room, heard);
    for (int game = 0; game < GAMES; game++) {
        const int64_t count = count_in_record(folder, game, 0);
        counted[0] += count;
        games += count > 0;
        counted[1] += count_in_record(folder, game, 1);
        CHECK(remove_record(folder, game));
    }
    CHECK(counted[0] > 20 && counted[1] == 0 && games > 1);
    CHECK_EQUAL(heard[1].told, 0);
    check_totals(heard[1].end, 1, 0, 0);
    CHECK_EQUAL(int_at(object_item(object_key(heard[1].end, "totals"), 1), "missed"), 0);
    if (leaves) {
        CHECK(!heard[0].end);
    } else {
        CHECK_EQUAL(heard[0].told, counted[0]);
        check_totals(heard[0].end, 0, counted[0], games);
    }
    room_close(&room);
    CHECK(rmdir(folder) == 0);
}

/* ---- Time to come back in
 * ----------------------------------------------------------------------------------------- */

static void restart(struct room *self)
{
    tables_free(&self->tables);
    room_forget(self);
    room_open(self);
}

/* After a restart the clock of a question begins when its player is back, or when all had time for that. */
static void test_restart_leaves_time(void)
{
    struct room room = {.now = 5};
    char folder[] = P_tmpdir "/mhing-series-XXXXXX";
    CHECK(mkdtemp(folder));
    room.options.state = folder;
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','options':'num_players=2','bots':['random'],'clock':200}]");
    (void)room_settle(&room);
    const int64_t turn = object_int(object_item(room_await(&room, 1, "turn"), 1));
    room.now += 150;
    restart(&room);
    CHECK_EQUAL(room_settle(&room), room.now + TABLE_RETURN + CLOCK);
    room.now += TABLE_RETURN - 1; /* much more than the clock */
    (void)room_settle(&room);
    room_hello(&room, 1);
    CHECK_EQUAL(room_settle(&room), room.now + CLOCK);
    const msgpack_object *asked = room_await(&room, 1, "turn");
    CHECK_EQUAL(object_int(object_item(asked, 1)), turn);
    CHECK_EQUAL(object_int(object_item(asked, 2)), CLOCK);
    room.now += CLOCK - 1;
    (void)room_settle(&room);
    room_hello(&room, 1); /* says it again, which gives no more time */
    (void)room_settle(&room);
    CHECK_EQUAL(object_int(object_item(room_await(&room, 1, "turn"), 2)), 1);
    struct mh_rng random = {2};
    room_act(&room, 1, turn, room_choose(asked, &random));
    (void)room_settle(&room);
    CHECK_EQUAL(object_int(object_item(room_await(&room, 1, "turn"), 1)), turn + 1);
    restart(&room); /* and never comes back */
    const int64_t due = room_settle(&room);
    CHECK_EQUAL(due, room.now + TABLE_RETURN + CLOCK);
    room.now = due;
    CHECK_EQUAL(room_settle(&room), due + CLOCK); /* the next one waits no longer than other questions */
    room_done(&room, 1, "stand", "[]");
    room_close(&room);
    CHECK(rmdir(folder) == 0);
}

/* A bot plays the first few of many rounds for player 1, who is back then and plays itself. */
static void test_substituted_in_few_rounds(void)
{
    struct room room = {.now = 5};
    struct mh_rng random = {2};
    const msgpack_object *end = NULL;
    int is_back = 0;
    int rounds = 0;
    int before = 0; /* rounds until it was back */
    room_open(&room);
    room_done(&room, 1, "sit",
              "[{'table':'t','options':'num_players=2 episode=game','bots':['random'],'clock':50}]");
    while (!end) {
        const int64_t due = tables_tick(room.tables, room.now); /* a few actions */
        const msgpack_object *message;
        int asked = 0;
        while ((message = room_next(&room, 1)) != NULL) {
            if (object_is(object_item(message, 0), "turn") && is_back) {
                asked = 1;
                room_act(&room, 1, object_int(object_item(message, 1)), room_choose(message, &random));
            } else if (object_is(object_item(message, 0), "round")) {
                rounds++;
                is_back = 1;
                room_done(&room, 1, "back", "[]");
            } else if (object_is(object_item(message, 0), "end")) {
                end = object_item(message, 2);
            }
        }
        before = before || !is_back ? before : rounds;
        room.now = asked || end ? room.now : due;
    }
    const msgpack_object *of = object_item(object_key(end, "totals"), 0);
    CHECK(before > 0 && rounds > before + 1 && int_at(of, "substituted") > 0);
    CHECK(int_at(of, "substituted_rounds") - before <= 1); /* the one that it came back in */
    CHECK(int_at(of, "substituted_rounds") >= before);
    CHECK_EQUAL(int_at(of, "substituted_games"), 1);
    room_close(&room);
}

int main(void)
{
    test_seeds(3, "", 5, 1);
    test_seeds(3, ",'seed':9", 5, 1);
    test_seeds(2, ",'duplicate':true", 6, 2);
    test_seeds(2, ",'duplicate':true,'seed':9", 6, 2);
    test_no_random_bits();
    test_substituted(0);
    test_substituted(1);
    test_substituted_in_few_rounds();
    test_restart_leaves_time();
    return 0;
}
