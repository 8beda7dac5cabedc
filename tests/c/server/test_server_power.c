/* A loss of power after every operation on files: for each of them, the disks that it may leave are built, and a server
 * is started on them. With --sync always, the server knows all that it had told before. In every mode the server
 * starts.
 *
 *   test_server_power [all]      all: every operation, which takes minutes, and not a sample */
#include "base/mh_rng.h"
#include "server_scene.h"

enum { MOST_FILES = 512, PLAIN = 4, RANDOM = 3 /* disks of each kind after an operation */ };

static char state[96];
static char records[96];
static char root[64];

/* The messages to a client, with their times. */
struct told {
    uint64_t next; /* of my requests */
    int64_t turn, games;
    int at;            /* how many notes the shim had then */
    int count;         /* of replies */
    int over, me, you; /* whether they have a session */
    unsigned char mine[16], yours[16];
};

static struct told tolds[4096];
static int num_told;

static void note_told(void *context, struct scene *scene)
{
    (void)context;
    struct told told = {.at = num_told > 0 ? tolds[num_told - 1].at : 0,
                        .next = scene->me.seq,
                        .count = scene->count,
                        .turn = scene->turn,
                        .games = scene->games,
                        .over = scene->over,
                        .me = scene->me.has_token,
                        .you = scene->you.has_token};
    memcpy(told.mine, scene->me.token, 16);
    memcpy(told.yours, scene->you.token, 16);
    if (num_told > 0 && memcmp(&told, &tolds[num_told - 1], sizeof told) == 0) {
        return;
    }
    CHECK(num_told < 4096);
    told.at = scene->heard_at;
    tolds[num_told++] = told;
}

/* ---- Disks ------------------------------------------------------------------------------------------------------ */

/* A disk as it may be after `end` operations. Whether each operation that was not synced reached it, `keeps` says: 0
 * no, 1 yes, 2 a part of it, 3 only the file's length. */
struct disk_after {
    struct {
        unsigned char *bytes;
        size_t size;
    } files[MOST_FILES];
    struct {
        char path[160];
        int file;
    } names[256];
    int num_names;
};

static int is_in(const char *path, const char *folder)
{
    return strncmp(path, folder, strlen(folder)) == 0;
}

/* The number of the operation that made this one durable, or num_notes. */
static int synced_at(int at)
{
    const struct shim_note *note = &shim.notes[at];
    const int is_name = note->kind == SHIM_MADE || note->kind == SHIM_MOVED || note->kind == SHIM_GONE;
    for (int i = at + 1; i < shim.num_notes; i++) {
        const struct shim_note *later = &shim.notes[i];
        if ((later->kind == SHIM_SYNCED && !is_name && later->file == note->file) || later->kind == SHIM_ALL ||
            (later->kind == SHIM_NAMES && is_name && is_in(note->path, later->path))) {
            return i;
        }
    }
    return shim.num_notes;
}

static void put(struct disk_after *disk, const struct shim_note *note, int part)
{
    const size_t end = note->at + note->size;
    const size_t before = disk->files[note->file].size;
    if (end > before) {
        unsigned char *larger = __real_realloc(disk->files[note->file].bytes, end);
        CHECK(larger);
        memset(larger + before, 0, end - before); /* a hole where nothing was written */
        disk->files[note->file].bytes = larger;
        disk->files[note->file].size =
            part == 2 ? (note->at + note->size / 2 > before ? note->at + note->size / 2 : before) : end;
    }
    if (part != 3) {
        memcpy(disk->files[note->file].bytes + note->at, note->bytes, part == 2 ? note->size / 2 : note->size);
    }
}

static void unname(struct disk_after *disk, const char *path)
{
    for (int i = 0; i < disk->num_names; i++) {
        if (strcmp(disk->names[i].path, path) == 0) {
            disk->names[i] = disk->names[--disk->num_names];
        }
    }
}

static void name(struct disk_after *disk, const char *path, int file)
{
    unname(disk, path);
    CHECK(disk->num_names < 256);
    strcpy(disk->names[disk->num_names].path, path);
    disk->names[disk->num_names++].file = file;
}

static void apply(struct disk_after *disk, const struct shim_note *note, int keep)
{
    if (note->kind == SHIM_PUT) {
        put(disk, note, keep);
    } else if (note->kind == SHIM_SIZED) {
        disk->files[note->file].size =
            note->at < disk->files[note->file].size ? note->at : disk->files[note->file].size;
    } else if (note->kind == SHIM_MADE) {
        name(disk, note->path, note->file);
    } else if (note->kind == SHIM_MOVED) {
        unname(disk, note->path);
        name(disk, note->to, note->file);
    } else if (note->kind == SHIM_GONE) {
        unname(disk, note->path);
    }
}

/* `way`: 0 nothing that was not synced is kept, 1 all, 2 names only, 3 bytes only, from 4 on as chance has it. */
static void write_disk(int end, int way, const int *synced, struct mh_rng *random)
{
    static struct disk_after disk;
    CHECK(shim.num_files < MOST_FILES);
    for (int i = 0; i < end; i++) {
        const struct shim_note *note = &shim.notes[i];
        const int is_name = note->kind == SHIM_MADE || note->kind == SHIM_MOVED || note->kind == SHIM_GONE;
        int keep = synced[i] < end || way == 1 || (way == 2 && is_name) || (way == 3 && !is_name);
        if (!keep && way >= PLAIN) {
            keep = (int)mh_rng_below(random, note->kind == SHIM_PUT ? 4 : 2);
        }
        if (keep) {
            apply(&disk, note, synced[i] < end ? 1 : keep);
        }
    }
    scene_empty(state);
    scene_empty(records);
    for (int i = 0; i < disk.num_names; i++) {
        const int file = disk.names[i].file;
        CHECK_EQUAL(files_make(disk.names[i].path, disk.files[file].bytes, disk.files[file].size), 0);
    }
    for (int i = 0; i < shim.num_files; i++) {
        free(disk.files[i].bytes);
    }
    memset(&disk, 0, sizeof disk);
}

/* ---- After the loss --------------------------------------------------------------------------------------------- */

static int has_record(int number)
{
    char path[512];
    unsigned char *bytes;
    size_t size;
    (void)snprintf(path, sizeof path, "%s/t-%d.jsonl", records, number);
    if (files_read(path, &bytes, &size) != MH_OK) {
        return 0;
    }
    bytes[size ? size - 1 : 0] = '\0';
    const char *last = strstr((char *)bytes, "{\"returns\":");
    free(bytes);
    return size > 1 && last != NULL;
}

/* Checks that the server knows what it had told: sessions, the last reply, the question or the end of the series,
 * records. */
static void check_told(struct scene *scene, const struct told *told)
{
    if (told->me) {
        memcpy(scene->me.token, told->mine, 16);
        scene->me.has_token = 1;
        scene->me.seq = told->next;
        scene_hello(scene, &scene->me);
    }
    if (told->you) {
        memcpy(scene->you.token, told->yours, 16);
        scene->you.has_token = 1;
        scene->you.seq = 1;
        scene_hello(scene, &scene->you);
        for (int i = 0; i < 4 && told->turn > 0 && scene->turn == 0 && !scene->over; i++) {
            scene_wait(scene);
        }
        CHECK(scene->over >= told->over);
        CHECK(scene->over || scene->turn >= told->turn);
    }
    for (int game = 0; game < told->games; game++) {
        CHECK(has_record(game));
    }
}

static void start(const struct server_options *options, const struct scene *wanted, const struct told *told)
{
    static struct scene scene;
    scene_begin(&scene, options, wanted);
    scene.lenient = 1;
    scene_open(&scene);
    if (told) {
        check_told(&scene, told);
    }
    scene_close(&scene);
    scene_forget(&scene);
    scene_begin(&scene, options, wanted); /* and once more: nothing is wrong any longer */
    scene_open(&scene);
    CHECK_EQUAL(scene.lines, 0);
    scene_close(&scene);
    scene_forget(&scene);
}

static void lose_power(struct server_options *options, int is_all, int *points, int *disks)
{
    static struct scene wanted;
    struct mh_rng random = {9};
    int told = -1;
    scene_empty(state);
    scene_empty(records);
    num_told = 0;
    scene_begin(&wanted, options, NULL);
    wanted.told = note_told;
    shim.is_noting = 1;
    scene_run(&wanted);
    shim.is_noting = 0;
    CHECK(wanted.over && num_told > 50);
    int *synced = __real_malloc((size_t)shim.num_notes * sizeof *synced);
    for (int i = 0; i < shim.num_notes; i++) {
        synced[i] = synced_at(i);
    }
    const int step = is_all ? 1 : 1 + shim.num_notes / 60;
    for (int end = 0; end <= shim.num_notes; end++) {
        while (told + 1 < num_told && tolds[told + 1].at <= end) {
            told++;
        }
        const int is_renamed = end > 0 && shim.notes[end - 1].kind == SHIM_MOVED;
        if (end % step != 0 && !is_renamed) {
            continue;
        }
        for (int way = 0; way < PLAIN + RANDOM; way++) {
            shim.fail_at = end;
            shim.failed = (enum shim_call)way;
            write_disk(end, way, synced, &random);
            start(options, &wanted, options->sync == DISK_ALWAYS && told >= 0 ? &tolds[told] : NULL);
            ++*disks;
        }
        ++*points;
    }
    free(synced);
    shim_forget();
    scene_forget(&wanted);
}

int main(int count, char **arguments)
{
    const int is_all = count > 1 && strcmp(arguments[1], "all") == 0;
    struct server_options options = server_defaults();
    int points = 0;
    int disks = 0;
    (void)snprintf(root, sizeof root, P_tmpdir "/test_server_power.XXXXXX");
    CHECK(mkdtemp(root));
    (void)snprintf(state, sizeof state, "%s/state", root);
    (void)snprintf(records, sizeof records, "%s/records", root);
    CHECK(mkdir(state, 0700) == 0 && mkdir(records, 0700) == 0);
    options.state = state;
    options.records = records;
    static const enum disk_sync ways[] = {DISK_ALWAYS, DISK_SECOND, DISK_NEVER};
    for (int i = 0; i < 3; i++) {
        options.sync = ways[i];
        lose_power(&options, is_all, &points, &disks);
    }
    printf("%d points of a loss of power, %d disks\n", points, disks);
    scene_empty(state);
    scene_empty(records);
    CHECK(rmdir(state) == 0 && rmdir(records) == 0 && rmdir(root) == 0);
    return 0;
}
