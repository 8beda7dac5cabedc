/* Every call to the system fails once, in turn: memory, files, random bits, threads. No crash and no leak; what was
 * answered is still answered after a restart, and what is said is what is said without failures.
 *
 *   test_server_faults [all]      all: every call, which takes minutes, and not a sample of those that are many */
#include "server_scene.h"

enum { SAMPLE = 12 /* calls of each kind */, LONG = 40 /* failures in a row, as when the disk is full */ };

static char root[64];
static char state[96];
static char records[96];
static long injected[SHIM_CALLS];

static void empty(const char *folder)
{
    char path[512];
    DIR *entries = __real_opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        CHECK(entry->d_name[0] == '.' || __real_unlink(path) == 0);
    }
    closedir(entries);
}

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
    empty(state);
    empty(records);
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
    struct mh_sizes sizes;
    int status = mh_game_new("mhing", "num_players=3", message, &game);
    *sum = 0;
    if (status == MH_OK) {
        mh_game_sizes(game, &sizes);
        void *one = __real_calloc(1, (size_t)sizes.state);
        status = mh_state_reset(game, one, 3, message);
        status = status == MH_OK ? mh_state_play_outs(game, one, 0, 0, COUNT, seeds, 3, returns, message) : status;
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
    long sum = 0;
    for (int call = 0; call < SHIM_CALLS; call++) {
        printf("%s%s %ld", call ? ", " : "failures: ", shim_names[call], injected[call]);
        sum += injected[call];
    }
    printf("; %ld in all\n", sum);
    empty(state);
    empty(records);
    CHECK(rmdir(state) == 0 && rmdir(records) == 0 && rmdir(root) == 0);
    return 0;
}
