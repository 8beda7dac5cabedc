/* Every call to the system fails once, in turn: memory, files, random bits, threads. No crash and no leak; what was
 * answered is still answered after a restart, and what is said is what is said without failures.
 *
 *   test_server_faults [all]      all: every call, which takes minutes, and not a sample of those to files that are
 * many */
#include <limits.h>

#include "server_scene.h"
#include "tables/table.h"

enum { SAMPLE = 12 /* calls of each kind */, LONG = 40 /* failures in a row, as when the disk is full */ };

static char root[64];
static char state[96];
static char records[96];
static long injected[SHIM_CALLS];

/* Drops the time that the player took, which may differ because it was not asked at once. */
static void drop_times(struct spoken *text)
{
    size_t to = 0;
    for (size_t from = 0; from < text->size;) {
        const int is_time = to >= 5 && memcmp(text->bytes + to - 5, "\"ms\":", 5) == 0;
        while (is_time && text->bytes[from] >= '0' && text->bytes[from] <= '9') {
            from++;
        }
        text->bytes[to++] = text->bytes[from++];
    }
    text->size = to;
}

/* All records, one after the other in the order of their numbers. */
static struct spoken read_records(void)
{
    struct spoken all = {check_memory(1 << 20), 0};
    for (int number = 0; number < 20; number++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/t-%d.jsonl", records, number);
        FILE *file = fopen(path, "rb");
        if (file) {
            all.size += fread(all.bytes + all.size, 1, (1 << 20) - all.size, file);
            (void)fclose(file);
        }
    }
    drop_times(&all);
    return all;
}

/* One run with one failure. Afterwards the folders hold what was said, and nothing else. */
static void run(const struct server_options *options, struct scene *scene, const struct scene *wanted)
{
    scene_empty(state);
    scene_empty(records);
    scene_begin(scene, options, wanted);
    shim.count = shim.failures = 0;
    scene_run(scene);
}

/* Starts once more, without failures, and compares. */
static void check_after(struct scene *scene, const struct spoken *expected)
{
    shim.which = 0;
    scene_open(scene);
    struct server_figures figures;
    server_figures(scene->host.server, &figures);
    CHECK_EQUAL(figures.tables, 0); /* its series is over, and says so to those who come back */
    CHECK(figures.sessions >= 2);
    scene_hello(scene, &scene->me);
    scene_repeat(scene);
    CHECK_EQUAL(scene->over, 1);
    scene_close(scene);
    const struct spoken found = read_records();
    if (expected && (found.size != expected->size || memcmp(found.bytes, expected->bytes, found.size) != 0)) {
        fprintf(stderr, "the records differ (call %ld: %s): %zu bytes, not %zu\n", shim.fail_at,
                shim_names[shim.failed], found.size, expected->size);
        exit(1);
    }
    free(found.bytes);
}

static int step_through(long count, int is_all)
{
    return is_all || count <= SAMPLE ? 1 : (int)(count / SAMPLE);
}

static void fail_each(const struct server_options *options, int is_all)
{
    static struct scene wanted;
    static struct scene scene;
    shim.fail_at = 0;
    shim.which = 0;
    run(options, &wanted, NULL);
    check_after(&wanted, NULL);
    const struct spoken expected = read_records();
    CHECK(wanted.over && wanted.turn > 10 && expected.size > 1000 && wanted.lines == 0);
    for (int call = 0; call < SHIM_CALLS; call++) {
        shim.which = 1u << call;
        shim.fail_at = 0;
        run(options, &scene, &wanted);
        const long count = shim.count;
        scene_forget(&scene);
        const int is_opened_often = options->sync == DISK_ALWAYS; /* so its failures are over before the restart */
        const int is_memory = call == SHIM_MALLOC || call == SHIM_CALLOC || call == SHIM_REALLOC;
        const int is_disk = call == SHIM_WRITE || call == SHIM_SYNC || (call == SHIM_OPEN && is_opened_often);
        for (shim.fail_for = 1; shim.fail_for <= (is_disk ? LONG : 1); shim.fail_for += LONG - 1) {
            for (long at = 1; at <= count; at += step_through(count, is_all || is_memory)) {
                shim.which = 1u << call;
                shim.fail_at = at;
                run(options, &scene, &wanted);
                injected[call] += shim.failures;
                check_after(&scene, &expected);
                scene_forget(&scene);
            }
        }
        shim.fail_for = 1;
    }
    free(expected.bytes);
    scene_forget(&wanted);
}

/* ---- A full disk ------------------------------------------------------------------------------------------------ */

enum { SPAN = 4 /* writes that fail before there is room again */ };

/* Begins a series. `full_for`: writes that will fail whenever shim.count is 0. */
static void begin_series(struct scene *scene, const struct server_options *options, const char *rules,
                         long full_for)
{
    scene_empty(state);
    scene_empty(records);
    scene_begin(scene, options, NULL);
    shim.which = shim.fail_at = 0;
    scene_open(scene);
    scene_hello(scene, &scene->you);
    scene_sit(scene, rules);
    scene_play(scene, 1);
    shim.which = 1u << SHIM_WRITE;
    shim.fail_at = full_for > 0;
    shim.fail_for = full_for;
}

/* Plays until so many games are over; the disk is full at every question. Returns the last question of these games. */
static int64_t play_games(struct scene *scene, int64_t games)
{
    int64_t asked = 0;
    while (scene->games < games) {
        shim.count = 0;
        asked = scene->turn;
        scene_play(scene, asked + 1);
    }
    return asked;
}

/* Plays two games. Returns the records as a process that is killed afterwards leaves them, and the last question of the
 * first game. */
static struct spoken play_two(const struct server_options *options, const char *rules, long full_for, int64_t *last)
{
    static struct scene scene;
    begin_series(&scene, options, rules, full_for);
    shim.failures = 0;
    *last = play_games(&scene, 1);
    (void)play_games(&scene, 2);
    CHECK(full_for == 0 || shim.failures > *last); /* each answer was refused at first */
    const struct spoken found = read_records();
    CHECK(!memchr(found.bytes, 0, found.size)); /* no later line has overtaken those that wait */
    scene_close(&scene);
    scene_forget(&scene);
    shim.which = 0;
    shim.fail_for = 1;
    return found;
}

/* A server that ends with a game while nothing can be written frees what waits, and the next one starts. Nobody has
 * been told of what is lost: the last question is asked again. */
static void end_on_full_disk(const struct server_options *options, int64_t last)
{
    static struct scene scene;
    char code[16];
    begin_series(&scene, options, "num_players=2", 0);
    scene_play(&scene, last);
    shim.count = shim.failures = 0;
    shim.fail_at = 1;
    shim.fail_for = LONG_MAX / 2;
    scene_answer(&scene, code);
    scene_wait(&scene); /* it tries again, in vain */
    CHECK(shim.failures > 1);
    CHECK(strcmp(code, "") == 0 && scene.turn == last && scene.games == 0);
    scene_close(&scene);
    shim.which = 0;
    shim.fail_for = 1;
    scene_open(&scene);
    scene.turn = 0;
    scene_hello(&scene, &scene.you);
    CHECK_EQUAL(scene.turn, last);
    scene_close(&scene);
    scene_forget(&scene);
}

/* Games whose ends were refused are whole, and so are those that are longer than the memory for their lines. */
static void keep_records_of_full_disk(const struct server_options *options)
{
    static const char *const rules[] = {"num_players=2 episode=game rounds=24", "num_players=2"};
    static const size_t least[] = {2 * RECORD_LINES, 1000};
    int64_t last = 0;
    for (int i = 0; i < 2; i++) {
        const struct spoken expected = play_two(options, rules[i], 0, &last);
        const struct spoken found = play_two(options, rules[i], SPAN, &last);
        CHECK(expected.size > least[i]);
        CHECK(found.size == expected.size && memcmp(found.bytes, expected.bytes, found.size) == 0);
        free(expected.bytes);
        free(found.bytes);
    }
    end_on_full_disk(options, last);
}

/* Without syncs a file is closed at once. Some systems say only then that there is no room. */
static void refuse_at_close(const struct server_options *options)
{
    static struct scene scene;
    struct server_figures figures;
    char code[16];
    scene_empty(state);
    scene_empty(records);
    scene_begin(&scene, options, NULL);
    shim.which = 0;
    scene_open(&scene);
    struct wire_out out = begin_call("hello", 0, 0);
    struct wire_message *message = wire_finish(&out);
    shim.which = 1u << SHIM_CLOSE;
    shim.count = 0;
    shim.fail_at = 1;
    shim.fail_for = LONG_MAX / 2;
    scene_send(&scene, &scene.me, message);
    scene_hear(&scene, &scene.me, 0, code, NULL);
    CHECK(strcmp(code, "storage") == 0);
    scene_send(&scene, &scene.you, message);
    scene_hear(&scene, &scene.you, 0, code, NULL);
    CHECK(strcmp(code, "storage") == 0);
    server_figures(scene.host.server, &figures);
    CHECK_EQUAL(figures.sessions, 1); /* the second one has not even begun */
    shim.which = 0;
    shim.fail_for = 1;
    scene_close(&scene);
    wire_release(message);
    scene_forget(&scene);
}

/* ---- The core in process ---------------------------------------------------------------------------------------- */

/* Plays with everything that asks for memory or threads. Returns an enum mh_status, and what the rewards came to. */
static int play_core(double *sum)
{
    enum { ROWS = 6, COUNT = 8 };
    struct mh_game *game = NULL;
    struct mh_batch *batch = NULL;
    char message[MH_MESSAGE_SIZE] = "";
    double returns[COUNT * MH_MAX_SEATS];
    uint64_t seeds[COUNT] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int32_t bots[MH_MAX_SEATS] = {0};
    struct mh_sizes sizes;
    int status = mh_game_new("mhing", "num_players=3", message, &game);
    *sum = 0;
    if (status == MH_OK) {
        mh_game_sizes(game, &sizes);
        void *one = __real_calloc(1, (size_t)sizes.state);
        status = mh_state_reset(game, one, 3, message);
        status =
            status == MH_OK ? mh_state_play_outs(game, one, 0, bots, COUNT, seeds, 3, returns, message) : status;
        for (int i = 0; status == MH_OK && i < COUNT * sizes.seats; i++) {
            *sum += (i + 1) * returns[i];
        }
        free(one);
    }
    const struct mh_batch_options options = {.rows = ROWS, .seat = -1, .players = {MH_CALLER}, .threads = 3};
    status = status == MH_OK ? mh_batch_new(game, &options, message, &batch) : status;
    CHECK(status == MH_OK || message[0]);
    mh_batch_free(&batch);
    mh_game_free(&game);
    return status;
}

static void fail_each_in_core(void)
{
    double wanted;
    double sum;
    shim.fail_at = 0;
    shim.which = 1u << SHIM_MALLOC | 1u << SHIM_CALLOC | 1u << SHIM_REALLOC | 1u << SHIM_THREAD;
    shim.count = 0;
    shim.is_on = 1;
    CHECK_EQUAL(play_core(&wanted), MH_OK);
    const long count = shim.count;
    CHECK(count > 5);
    for (long at = 1; at <= count; at++) {
        shim.count = 0;
        shim.fail_at = at;
        const int status = play_core(&sum);
        CHECK(status == MH_ERROR_MEMORY || (status == MH_OK && sum == wanted));
        injected[shim.failed]++;
    }
    shim.is_on = 0;
}

int main(int count, char **arguments)
{
    const int is_all = count > 1 && strcmp(arguments[1], "all") == 0;
    struct server_options options = server_defaults();
    (void)snprintf(root, sizeof root, P_tmpdir "/test_server_faults.XXXXXX");
    CHECK(mkdtemp(root));
    (void)snprintf(state, sizeof state, "%s/state", root);
    (void)snprintf(records, sizeof records, "%s/records", root);
    CHECK(mkdir(state, 0700) == 0 && mkdir(records, 0700) == 0);
    fail_each_in_core();
    options.state = state;
    options.records = records;
    static const enum disk_sync ways[] = {DISK_ALWAYS, DISK_SECOND, DISK_NEVER};
    for (int i = 0; i < 3; i++) {
        options.sync = ways[i];
        fail_each(&options, is_all);
        keep_records_of_full_disk(&options);
    }
    refuse_at_close(&options);
    long sum = 0;
    for (int call = 0; call < SHIM_CALLS; call++) {
        printf("%s%s %ld", call ? ", " : "failures: ", shim_names[call], injected[call]);
        sum += injected[call];
    }
    printf("; %ld in all\n", sum);
    scene_empty(state);
    scene_empty(records);
    CHECK(rmdir(state) == 0 && rmdir(records) == 0 && rmdir(root) == 0);
    return 0;
}
