/* Tables that outlive the process, and records of games: a series that is killed again and again is the same series. */
#include "tables_room.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/files.h"
#include "tables/lobby.h"

enum { CLOCK = 1000, PAUSE = 1, MAX_PAUSES = 500, THINKING = 10, TURNS = 4000, MANY = 4000 /* files */ };

/* ---- Folders ---------------------------------------------------------------------------------------------------- */

static void make_folder(char path[FILES_PATH])
{
    (void)snprintf(path, FILES_PATH, "%s/mhing-tables-XXXXXX", P_tmpdir);
    CHECK(mkdtemp(path));
}

/* Names of the files in a folder, in order. Returns how many there are. */
static int list_files(const char *folder, char names[][FILES_PATH], int most)
{
    struct dirent **entries;
    int count = 0;
    const int found = scandir(folder, &entries, NULL, alphasort);
    CHECK(found >= 0);
    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.') {
            CHECK(count < most && files_path(folder, entries[i]->d_name, names[count]) == 0);
            count++;
        }
        free(entries[i]);
    }
    free((void *)entries);
    return count;
}

static void remove_folder(const char *folder)
{
    static char names[MANY][FILES_PATH];
    const int count = list_files(folder, names, MANY);
    for (int i = 0; i < count; i++) {
        CHECK(remove(names[i]) == 0);
    }
    CHECK(rmdir(folder) == 0);
}

static char *read_text(const char *path)
{
    unsigned char *bytes;
    size_t size;
    CHECK(files_read(path, &bytes, &size) == 0);
    char *text = check_memory(size + 1);
    memcpy(text, bytes, size);
    free(bytes);
    return text;
}

/* ---- A series with all that can happen ------------------------------------------------------------------------ */

/* What two players were asked, by their numbers and those of the turns: the bytes of what they saw. */
struct series {
    struct room room;
    char sit[256]; /* the first player's terms */
    struct {
        unsigned char *bytes;
        size_t size;
    } seen[3][TURNS];
    int64_t last[3];
    int away[3];
    int answers, kill_every; /* 0: never */
    struct letter over;      /* the last `end` that player 1 got */
};

/* The parts of a turn that a player sees, `left` not among them. The same question may come twice. */
static void note_turn(struct series *self, int player, const msgpack_object *turn)
{
    msgpack_sbuffer buffer;
    msgpack_packer packer;
    const int64_t number = object_int(object_item(turn, 1));
    CHECK(number > 0 && number < TURNS);
    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    for (uint32_t i = 3; i < 6; i++) {
        msgpack_pack_object(&packer, *object_item(turn, i));
    }
    if (number == self->last[player]) {
        CHECK_EQUAL(self->seen[player][number].size, buffer.size);
        CHECK(memcmp(self->seen[player][number].bytes, buffer.data, buffer.size) == 0);
    } else {
        CHECK_EQUAL(number, self->last[player] + 1);
        self->last[player] = number;
        self->seen[player][number].bytes = check_memory(buffer.size);
        memcpy(self->seen[player][number].bytes, buffer.data, buffer.size);
        self->seen[player][number].size = buffer.size;
    }
    msgpack_sbuffer_destroy(&buffer);
}

/* Reads what was said. Returns the player whose question is open, 0 when the series is over. */
static int hear(struct series *self, const msgpack_object **turn)
{
    int asked = 0;
    for (int player = 1; player <= 2; player++) {
        const msgpack_object *message;
        while ((message = room_next(&self->room, player)) != NULL) {
            if (object_is(object_item(message, 0), "turn")) {
                note_turn(self, player, message);
                self->away[player] = 0;
                asked = player;
                *turn = message;
            } else if (object_is(object_item(message, 0), "away")) {
                self->away[player] = 1;
            } else if (object_is(object_item(message, 0), "end") && player == 1 &&
                       true_at(object_item(message, 2), "over")) {
                letter_drop(&self->over);
                self->over = letter_of(1, self->room.letters[self->room.read[1] - 1].message);
                asked = 0;
            }
        }
    }
    return asked;
}

/* Answers well, badly, or not at all, as the turn's number says. */
static void answer(struct series *self, int player, const msgpack_object *turn)
{
    const int64_t number = object_int(object_item(turn, 1));
    const int other = 3 - player;
    struct mh_rng random = {(uint64_t)(1000 * number + player)};
    self->room.now += THINKING;
    if (number % 20 >= 17) {
        self->room.now += CLOCK;
        (void)tables_tick(self->room.tables, self->room.now);
    } else if (number % 20 == 8) {
        room_act(&self->room, player, number, -5);
    } else {
        room_act(&self->room, player, number, room_choose(turn, &random));
    }
    if (self->away[other] && number % 5 == 0) {
        room_done(&self->room, other, "back", "[]");
        self->away[other] = 0;
    }
}

/* The process is gone, and comes again. */
static void kill_and_restart(struct series *self)
{
    const msgpack_object *turn;
    (void)hear(self, &turn);
    tables_free(&self->room.tables);
    room_forget(&self->room);
    room_open(&self->room);
    for (int player = 1; player <= 2; player++) {
        if (!self->away[player]) {
            room_hello(&self->room, player);
        }
    }
}

static void play_series(struct series *self)
{
    int somebody_away = 0;
    self->room.now = 10000000; /* the machine has been up for hours */
    room_open(&self->room);
    room_done(&self->room, 1, "sit", self->sit);
    room_done(&self->room, 2, "sit", "[{'table':'t'}]");
    while (!self->over.message) {
        const msgpack_object *turn = NULL;
        (void)room_settle(&self->room);
        int player = hear(self, &turn);
        for (int i = 0; i < MAX_PAUSES && !player && !self->over.message; i++) { /* bots, each with a pause */
            self->room.now += PAUSE;
            (void)room_settle(&self->room);
            player = hear(self, &turn);
        }
        if (!player && !self->over.message) { /* asked, or told the end, before they were back */
            room_hello(&self->room, 1);
            room_hello(&self->room, 2);
        } else if (player) {
            answer(self, player, turn);
            self->answers++;
            if (self->kill_every && self->answers % self->kill_every == 0) {
                kill_and_restart(self);
            }
        }
        somebody_away += self->away[1] || self->away[2];
    }
    (void)room_settle(&self->room); /* who was killed after the end plays the last game's bots once more */
    CHECK(somebody_away > 0);
}

static void close_series(struct series *self)
{
    for (int player = 1; player <= 2; player++) {
        for (int i = 0; i < TURNS; i++) {
            free(self->seen[player][i].bytes);
        }
    }
    letter_drop(&self->over);
    remove_folder(self->room.options.state);
    remove_folder(self->room.options.records);
    room_close(&self->room);
    free(self);
}

/* ---- Killed or not, the same ---------------------------------------------------------------------------------- */

static struct series *new_series(const char *terms, int kill_every, char state[FILES_PATH],
                                 char records[FILES_PATH])
{
    struct series *self = check_memory(sizeof *self);
    (void)snprintf(self->sit, sizeof self->sit, "[{'table':'t','clock':%d,%s%s}]", CLOCK, terms,
                   strstr(terms, "'pause'") ? "" : ",'pause':0");
    self->kill_every = kill_every;
    make_folder(state);
    make_folder(records);
    self->room.options.state = state;
    self->room.options.records = records;
    return self;
}

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
    const int count = list_files(a, names[0], 64);
    CHECK_EQUAL(list_files(b, names[1], 64), count);
    for (int i = 0; i < count; i++) {
        CHECK(strcmp(strrchr(names[0][i], '/'), strrchr(names[1][i], '/')) == 0);
        char *texts[2];
        for (int k = 0; k < 2; k++) {
            texts[k] = read_text(names[k][i]);
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
    struct series *whole = new_series(terms, 0, folders[0], folders[1]);
    play_series(whole);
    for (int kill_every = 1; kill_every <= 9; kill_every += 4) {
        struct series *killed = new_series(terms, kill_every, folders[2], folders[3]);
        play_series(killed);
        check_same_series(whole, killed);
        CHECK_EQUAL(check_same_records(folders[1], folders[3]), games);
        close_series(killed);
    }
    close_series(whole);
}

/* ---- Records ------------------------------------------------------------------------------------------------------ */

/* Plays a record again. Returns how many actions it has, or -1 when it has no result. `all_rounds`: each round has a
 * separate seed. */
static int replay_record(const char *path, const char *id, const char *options, int all_rounds)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game = NULL;
    struct mh_sizes sizes;
    char *text = read_text(path);
    int actions = 0;
    int seeds = 1;
    int result = -1;
    CHECK_EQUAL(mh_game_new(id, options, message, &game), MH_OK);
    mh_game_sizes(game, &sizes);
    void *state = check_memory((size_t)sizes.state);
    const char *seed = strstr(text, "\"seed\":");
    CHECK(seed && strstr(text, "{\"format\":1,\"game\":\"") == text);
    CHECK_EQUAL(mh_state_reset(game, state, strtoull(seed + 7, NULL, 10), message), MH_OK);
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        int seat;
        int action;
        if (sscanf(line, "{\"seat\":%d,\"action\":%d", &seat, &action) == 2) {
            const char *dealt = strstr(line, ",\"seed\":");
            if (dealt && dealt < strchr(line, '\n')) {
                CHECK_EQUAL(mh_state_set_seed(game, state, strtoull(dealt + 8, NULL, 10), message), MH_OK);
                seeds++;
            }
            char word[MH_TEXT_SIZE];
            char expected[128];
            (void)mh_action_text(game, action, word);
            (void)snprintf(expected, sizeof expected, "{\"seat\":%d,\"action\":%d,\"text\":\"%s\",\"by\":\"", seat,
                           action, word);
            CHECK(strncmp(line, expected, strlen(expected)) == 0);
            CHECK_EQUAL(mh_state_seat(state), seat);
            CHECK_EQUAL(mh_state_apply(game, state, action, message), MH_OK);
            actions++;
        } else {
            double returns[MH_MAX_SEATS];
            char expected[256];
            struct mh_text json;
            (void)mh_state_returns(game, state, returns);
            mh_text_begin(&json, expected, sizeof expected);
            mh_json_open(&json, '{');
            mh_json_key_numbers(&json, "returns", returns, sizes.seats);
            CHECK(strncmp(line, expected, json.length) == 0);
            CHECK_EQUAL(mh_state_seat(state), -1);
            CHECK_EQUAL(seeds, all_rounds ? mh_state_rounds(state) : 1);
            result = actions;
        }
    }
    free(state);
    free(text);
    mh_game_free(&game);
    return result;
}

static void test_records(const char *id, const char *options, int seeded)
{
    char folders[2][FILES_PATH];
    char names[64][FILES_PATH];
    char terms[128];
    (void)snprintf(terms, sizeof terms, "'game':'%s','options':'%s','games':8%s", id, options,
                   seeded ? ",'seed':40" : "");
    struct series *series = new_series(terms, 0, folders[0], folders[1]);
    play_series(series);
    const int count = list_files(folders[1], names, 64);
    CHECK_EQUAL(count, 8);
    for (int i = 0; i < count; i++) {
        CHECK(replay_record(names[i], id, options, !seeded) > 1);
    }
    close_series(series);
}

/* All leave in the second game: its record says so, and the first one's stays as it is. */
static void test_record_of_a_game_that_nobody_ends(void)
{
    struct room room = {.now = 5};
    char folders[2][FILES_PATH];
    char names[8][FILES_PATH];
    const msgpack_object *turn;
    struct mh_rng random = {6};
    make_folder(folders[0]);
    make_folder(folders[1]);
    room.options = (struct tables_options){
        .records = folders[0], .state = folders[1], .max_tables = 10, .max_seats_per_key = 10};
    room_open(&room);
    room_done(&room, 1, "play", "[{'options':'num_players=2','games':3,'bots':['greedy']}]");
    for (int games = 0; games < 2;) {
        (void)room_settle(&room);
        const msgpack_object *message = room_next(&room, 1);
        games += message && object_is(object_item(message, 0), "start");
        turn = message && object_is(object_item(message, 0), "turn") ? message : NULL;
        if (turn) {
            room_act(&room, 1, object_int(object_item(turn, 1)), room_choose(turn, &random));
        }
    }
    room_done(&room, 1, "stand", "[]");
    CHECK_EQUAL(list_files(folders[1], names, 8), 0);
    CHECK_EQUAL(list_files(folders[0], names, 8), 2);
    for (int i = 0; i < 2; i++) {
        char *text = read_text(names[i]);
        CHECK_EQUAL(strstr(text, "{\"abandoned\":true}\n") != NULL, i == 1);
        CHECK_EQUAL(strstr(text, "{\"returns\":") != NULL, i == 0);
        free(text);
    }
    room_close(&room);
    remove_folder(folders[0]);
    remove_folder(folders[1]);
}

/* Names are made fit for JSON, and nobody's file is written over. */
static void test_record_of_strange_names(void)
{
    struct room room = {.now = 5};
    char folder[FILES_PATH];
    char names[8][FILES_PATH];
    char path[FILES_PATH];
    make_folder(folder);
    CHECK(files_path(folder, "x-41.jsonl", path) == 0 && files_create(path) == 0);
    CHECK(files_path(folder, "t-42.jsonl", path) == 0 && files_create(path) == 0);
    room.options.records = folder;
    room_open(&room);
    CHECK(remove(path) == 0); /* numbers only go up */
    const struct tables_player player = {101, (const unsigned char *)"0123456789abcdef", "", "say \"\\\"", 0, 0};
    const struct wire_args none = {NULL, 0};
    struct wire_out out;
    struct wire_error error;
    wire_begin(&out, 100);
    CHECK_EQUAL(tables_play(room.tables, &player, &none, room.now, &out, &error), 1);
    wire_drop(&out);
    for (int i = 2; i <= 4; i++) {
        room_done(&room, i, "play", "[]");
    }
    (void)room_settle(&room);
    CHECK_EQUAL(list_files(folder, names, 8), 2);
    CHECK(strstr(names[0], "/play-") && strstr(names[0], "-43.jsonl"));
    char *text = read_text(names[0]);
    CHECK(strstr(text, "\"players\":[\"say \\\"\\\\\\\"\",\"bob\",\"cy\",\"dee\"]"));
    free(text);
    room_close(&room);
    remove_folder(folder);
}

/* ---- A full disk ---------------------------------------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* What the server does when the disk has room again. */
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

/* A player that takes the first legal action, until it has answered so often, or the game is over; then it leaves. The disk
 * is full at the answer of number `full`, and when it leaves at once afterwards. Returns the number of answers. */
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

/* Records are whole where the disk was full for the last lines of a game, and nobody comes back to write them: it has ended,
 * or all have left it. */
static void test_full_at_the_end(void)
{
    enum { LEAVES = 3, NEVER = 1000 };
    char folders[2][FILES_PATH];
    (void)signal(SIGXFSZ, SIG_IGN);
    make_folder(folders[0]);
    const int answers = play_alone(folders[0], NEVER, 0);
    CHECK(answers > LEAVES && answers < NEVER);
    for (int full = 1; full <= answers; full++) {
        make_folder(folders[1]);
        CHECK_EQUAL(play_alone(folders[1], NEVER, full), answers);
        CHECK_EQUAL(check_same_records(folders[0], folders[1]), 1);
        remove_folder(folders[1]);
    }
    remove_folder(folders[0]);
    for (int i = 0; i < 2; i++) {
        make_folder(folders[i]);
        CHECK_EQUAL(play_alone(folders[i], LEAVES, i * LEAVES), LEAVES);
    }
    CHECK_EQUAL(check_same_records(folders[0], folders[1]), 1);
    remove_folder(folders[0]);
    remove_folder(folders[1]);
}

/* ---- Tables that wait ----------------------------------------------------------------------------------------- */

static const char *const some = "[{'table':'t','options':'num_players=3 episode=game','bots':['greedy'],'seed':3}]";

/* A closed table leaves no journal; a waiting one exists again after a restart. */
static void test_waiting_tables(void)
{
    char folder[FILES_PATH];
    char names[8][FILES_PATH];
    struct room room = {.now = 5};
    make_folder(folder);
    room.options.state = folder;
    room_open(&room);
    room_done(&room, 1, "sit", some);
    CHECK_EQUAL(list_files(folder, names, 8), 1);
    tables_free(&room.tables);
    room_open(&room);
    room_done(&room, 1, "back", "[]");
    CHECK_EQUAL(int_at(room_reply(&room), "seat"), 0);
    room_refused(&room, 2, "sit", "[{'table':'t','games':4}]", "table");
    room_done(&room, 1, "stand", "[]");
    CHECK_EQUAL(list_files(folder, names, 8), 0);
    room_close(&room);
    remove_folder(folder);
}

/* The pause is that which the table began with, given or not. */
static void test_pause_is_kept(const char *terms, int64_t pause)
{
    char folder[FILES_PATH];
    struct room room = {.now = 5};
    make_folder(folder);
    room.options.state = folder;
    room_open(&room);
    room_done(&room, 1, "sit", terms);
    tables_free(&room.tables);
    room_open(&room);
    room_done(&room, 1, "tables", "[]");
    CHECK_EQUAL(int_at(object_item(room_reply(&room), 0), "pause"), pause);
    room_done(&room, 1, "stand", "[]");
    room_close(&room);
    remove_folder(folder);
}

/* ---- In a pause ----------------------------------------------------------------------------------------------- */

/* Plays the first action, which the pause must hold. Returns the player that has acted, or 0 where somebody is asked. */
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
    make_folder(folder);
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
    remove_folder(folder);
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

/* ---- Anything goes ------------------------------------------------------------------------------------------------ */

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

/* Whatever players do, and whenever the process is killed, a restarted server can continue. */
static void test_anything(void)
{
    struct room room = {.now = 5};
    char folders[2][FILES_PATH];
    char names[8][FILES_PATH];
    struct mh_rng random = {12};
    struct tables_figures figures = {0};
    make_folder(folders[0]);
    make_folder(folders[1]);
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
    CHECK_EQUAL(list_files(folders[0], names, 8), 0);
    room_close(&room);
    remove_folder(folders[0]);
    remove_folder(folders[1]);
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
    for (int i = 0; i < mh_game_count(); i++) {
        if (room_options(mh_game_id(i), "num_players=2", NULL)) {
            const char *rounds = "num_players=2 episode=game rounds=2";
            test_records(mh_game_id(i), "num_players=2", 1);
            test_records(mh_game_id(i), room_options(mh_game_id(i), rounds, "num_players=2"), 0);
        }
    }
    test_record_of_a_game_that_nobody_ends();
    test_record_of_strange_names();
    test_full_at_the_end();
    test_waiting_tables();
    test_pause_is_kept("[{'table':'t'}]", 200);
    test_pause_is_kept("[{'table':'t','pause':0}]", 0);
    test_pause_is_kept("[{'table':'t','bots':['greedy','greedy','greedy']}]", 0);
    test_pauses();
    return 0;
}
