/* Records of games: they can be played again, and say how a game ended. */
#include "tables_journal.h"

/* Plays a record again. Returns how many actions it has, or -1 when it has no result. `all_rounds`: each round has a
 * separate seed. */
static int replay_record(const char *path, const char *id, const char *options, int all_rounds)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game = NULL;
    struct mh_sizes sizes;
    char *text = file_text(path);
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
    struct series *series = series_new(terms, 0, folders[0], folders[1]);
    series_play(series);
    const int count = folder_list(folders[1], names, 64);
    CHECK_EQUAL(count, 8);
    for (int i = 0; i < count; i++) {
        CHECK(replay_record(names[i], id, options, !seeded) > 1);
    }
    series_close(series);
}

/* All leave in the second game: its record says so, and the first one's stays as it is. */
static void test_record_of_a_game_that_nobody_ends(void)
{
    struct room room = {.now = 5};
    char folders[2][FILES_PATH];
    char names[8][FILES_PATH];
    const msgpack_object *turn;
    struct mh_rng random = {6};
    folder_make(folders[0]);
    folder_make(folders[1]);
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
    CHECK_EQUAL(folder_list(folders[1], names, 8), 0);
    CHECK_EQUAL(folder_list(folders[0], names, 8), 2);
    for (int i = 0; i < 2; i++) {
        char *text = file_text(names[i]);
        CHECK_EQUAL(strstr(text, "{\"abandoned\":true}\n") != NULL, i == 1);
        CHECK_EQUAL(strstr(text, "{\"returns\":") != NULL, i == 0);
        free(text);
    }
    room_close(&room);
    folder_remove(folders[0]);
    folder_remove(folders[1]);
}

/* Names are made fit for JSON, and nobody's file is written over. */
/* A killed process leaves NAME.new where it had begun to write a record again. */
static void test_records_that_were_not_finished(void)
{
    static const char *const left[] = {"t-5.jsonl" FILES_LEFT, "t-6.jsonl", "t-6.txt" FILES_LEFT,
                                       "t-7.jsonl" FILES_LEFT};
    struct room room = {.now = 5};
    char folder[FILES_PATH];
    char names[4][FILES_PATH];
    char path[FILES_PATH];
    folder_make(folder);
    for (int i = 0; i < 4; i++) {
        CHECK(files_path(folder, left[i], path) == 0 && files_create(path) == 0);
    }
    room.options.records = folder;
    room_open(&room);
    CHECK_EQUAL(folder_list(folder, names, 4), 2);
    CHECK(strstr(names[0], "t-6.jsonl") && strstr(names[1], "t-6.txt" FILES_LEFT));
    room_close(&room);
    folder_remove(folder);
}

static void test_record_of_strange_names(void)
{
    struct room room = {.now = 5};
    char folder[FILES_PATH];
    char names[8][FILES_PATH];
    char path[FILES_PATH];
    folder_make(folder);
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
    CHECK_EQUAL(folder_list(folder, names, 8), 2);
    CHECK(strstr(names[0], "/play-") && strstr(names[0], "-43.jsonl"));
    char *text = file_text(names[0]);
    CHECK(strstr(text, "\"players\":[\"say \\\"\\\\\\\"\",\"bob\",\"cy\",\"dee\"]"));
    free(text);
    room_close(&room);
    folder_remove(folder);
}

int main(void)
{
    for (int i = 0; i < mh_game_count(); i++) {
        if (room_options(mh_game_id(i), "num_players=2", NULL)) {
            const char *rounds = "num_players=2 episode=game rounds=2";
            test_records(mh_game_id(i), "num_players=2", 1);
            test_records(mh_game_id(i), room_options(mh_game_id(i), rounds, "num_players=2"), 0);
        }
    }
    test_record_of_a_game_that_nobody_ends();
    test_record_of_strange_names();
    test_records_that_were_not_finished();
    return 0;
}
