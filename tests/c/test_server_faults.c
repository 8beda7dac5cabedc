/* Every call to the system fails once, in turn: memory, files, random bits, threads. No crash and no leak; what was
 * answered is still answered after a restart, and what is said is what is said without failures.
 *
 *   test_server_faults [all]      all: every call, which takes minutes, and not a sample of those that are many */
#include <limits.h>

#include "server_scene.h"
#include "table.h"

enum { SAMPLE = 12 /* calls of each kind */, LONG = 40 /* failures in a row, as when the disk is full */ };

static char root[64];
static char state[96];
static char records[96];
static long injected[SHIM_CALLS];

/* How long the player took may differ, because it was not asked at once. */
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
    CHECK_EQUAL(figures.tables, 1);
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
        const int is_disk = call == SHIM_WRITE || call == SHIM_SYNC || call == SHIM_OPEN;
        for (shim.fail_for = 1; shim.fail_for <= (is_disk && options->sync == DISK_ALWAYS ? LONG : 1);
             shim.fail_for += LONG - 1) {
            for (long at = 1; at <= count; at += step_through(count, is_all)) {
                shim.which = 1u << call;
                shim.fail_at = at;
                run(options, &scene, &wanted);
                injected[call] += shim.failures;
                const int may_lack = options->sync != DISK_ALWAYS && (call == SHIM_OPEN || call == SHIM_CLOSE);
                check_after(&scene, may_lack ? NULL : &expected); /* a game without a record is counted then */
                scene_forget(&scene);
            }
        }
        shim.fail_for = 1;
    }
    free(expected.bytes);
    scene_forget(&wanted);
}

/* ---- A full disk ------------------------------------------------------------------------------------------------ */

/* Plays until so many games are over. */
static void play_games(struct scene *scene, int64_t games)
{
    while (scene->games < games) {
        scene_play(scene, scene->turn + 1);
    }
}

/* Plays one of two games and a part of the other, most of it while nothing can be written. */
static void play_on_full_disk(struct scene *scene, const struct server_options *options, const char *rules,
                              int is_full)
{
    scene_empty(state);
    scene_empty(records);
    scene_begin(scene, options, NULL);
    shim.which = shim.fail_at = 0;
    scene_open(scene);
    scene_hello(scene, &scene->you);
    scene_sit(scene, rules);
    scene_play(scene, 5);
    shim.which = is_full ? 1u << SHIM_WRITE : 0;
    shim.count = shim.failures = 0;
    shim.fail_at = 1;
    shim.fail_for = LONG_MAX / 2;
    play_games(scene, 1);
    scene_play(scene, scene->turn + 5);
    scene_wait(scene); /* so it tries again, in vain */
    CHECK_EQUAL(shim.failures > 0, is_full);
}

/* Two games, with an end and a beginning while nothing can be written. Returns the records as a process that is killed
 * afterwards leaves them. */
static struct spoken play_two(const struct server_options *options, const char *rules, int is_full)
{
    static struct scene scene;
    play_on_full_disk(&scene, options, rules, is_full);
    shim.which = 0;
    play_games(&scene, 2);
    struct spoken found = read_records();
    CHECK(!memchr(found.bytes, 0, found.size)); /* no later line has overtaken those that wait */
    free(found.bytes);
    scene_wait(&scene);
    found = read_records();
    scene_close(&scene);
    scene_forget(&scene);
    shim.fail_for = 1;
    return found;
}

/* A server that ends while nothing can be written frees what waits, and the next one starts. */
static void end_on_full_disk(const struct server_options *options)
{
    static struct scene scene;
    play_on_full_disk(&scene, options, "num_players=2", 1);
    scene_close(&scene);
    shim.which = 0;
    shim.fail_for = 1;
    scene_open(&scene);
    scene_close(&scene);
    scene_forget(&scene);
}

/* Games whose ends were refused are whole, and so are those that are longer than the memory for their lines. */
static void keep_records_of_full_disk(const struct server_options *options)
{
    static const char *const rules[] = {"num_players=2", "num_players=2 episode=game rounds=24"};
    static const size_t least[] = {1000, 2 * RECORD_LINES};
    for (int i = 0; i < 2; i++) {
        const struct spoken expected = play_two(options, rules[i], 0);
        const struct spoken found = play_two(options, rules[i], 1);
        CHECK(expected.size > least[i]);
        CHECK(found.size == expected.size && memcmp(found.bytes, expected.bytes, found.size) == 0);
        free(expected.bytes);
        free(found.bytes);
    }
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
    options.sync = DISK_ALWAYS;
    fail_each(&options, is_all);
    options.sync = DISK_NEVER;
    fail_each(&options, is_all);
    keep_records_of_full_disk(&options);
    options.sync = DISK_SECOND;
    keep_records_of_full_disk(&options);
    end_on_full_disk(&options);
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
