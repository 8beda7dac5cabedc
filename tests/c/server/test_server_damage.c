/* Journals with damage: every flipped bit is noticed, what a kill or a loss of power leaves is told from damage, and
 * one bad file costs nothing but itself. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mh_rng.h"
#include "common/journal.h"
#include "server_client.h"

enum { ENTRIES = 5, BODY = 13, FILES = 16 };

static char folder[FILES_PATH];
static struct disk disk; /* of journals that a test writes itself */

static void make_folder(void)
{
    (void)snprintf(folder, sizeof folder, "%s/test_server_damage.XXXXXX", P_tmpdir);
    CHECK(mkdtemp(folder));
}

static const char *path_to(const char *name)
{
    static char path[FILES_PATH];
    CHECK_EQUAL(files_path(folder, name, path), 0);
    return path;
}

/* Names in the folder that end so. Returns how many there are; the last one is put into `name`. */
static int count_files(const char *ending, char *name)
{
    int count = 0;
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        const size_t length = strlen(entry->d_name);
        if (length > strlen(ending) && strcmp(entry->d_name + length - strlen(ending), ending) == 0) {
            count++;
            if (name) {
                strcpy(name, entry->d_name);
            }
        }
    }
    closedir(entries);
    return count;
}

static void empty_folder(void)
{
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            CHECK_EQUAL(unlink(path_to(entry->d_name)), 0);
        }
    }
    closedir(entries);
}

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

/* The text that was said, and its number of lines. */
struct said {
    int lines;
    char text[4096];
};

static void note(void *context, const char *text)
{
    struct said *said = context;
    said->lines++;
    (void)snprintf(said->text, sizeof said->text, "%s", text);
}

static void write_body(struct wire_out *out, int number)
{
    unsigned char body[BODY];
    memset(body, 'a' + number, sizeof body);
    journal_entry(out, NULL, BODY);
    wire_bin(out, body, sizeof body);
}

/* A journal of some entries, in memory. */
static unsigned char *make_journal(const char *name, size_t *size)
{
    struct journal journal = {.size = 0};
    struct wire_out out;
    unsigned char *bytes;
    char path[FILES_PATH];
    strcpy(path, path_to(name));
    for (int i = 0; i < ENTRIES; i++) {
        write_body(&out, i);
        CHECK_EQUAL((i == 0 ? journal_begin : journal_add)(&journal, &disk, path, &out), 0);
    }
    CHECK_EQUAL(files_read(path, &bytes, size), 0);
    CHECK_EQUAL(journal.size, *size);
    journal_forget(&journal);
    return bytes;
}

/* Reads bytes as a journal. Returns how many entries it has, which are those that were written first. */
static int read_journal(const unsigned char *bytes, size_t size, enum journal_finding *finding)
{
    struct said said = {.lines = 0};
    const struct files_log log = {&said, note, NULL};
    struct journal_file file;
    char message[MH_MESSAGE_SIZE];
    const unsigned char *body;
    size_t length;
    int count = 0;
    char path[FILES_PATH];
    strcpy(path, path_to("read"));
    CHECK_EQUAL(files_make(path, bytes, size), 0);
    const int status = journal_read(path, &log, &file, message);
    CHECK_EQUAL(status != MH_OK, file.finding == JOURNAL_DAMAGED);
    CHECK_EQUAL(said.lines, file.finding == JOURNAL_TORN || file.finding == JOURNAL_GARBLED);
    while (status == MH_OK && journal_next(&file, &body, &length)) {
        CHECK_EQUAL(length, BODY + 2);
        CHECK_EQUAL(body[2], 'a' + count);
        count++;
    }
    *finding = file.finding;
    journal_close(&file);
    return count;
}

static const size_t entry_size = JOURNAL_ENTRY + BODY + 2;

static void test_every_bit(void)
{
    size_t size;
    unsigned char *bytes = make_journal("a", &size);
    enum journal_finding finding;
    CHECK_EQUAL(size, JOURNAL_HEAD + ENTRIES * entry_size);
    CHECK_EQUAL(read_journal(bytes, size, &finding), ENTRIES);
    CHECK_EQUAL(finding, JOURNAL_WHOLE);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        const size_t last = size - entry_size;
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const int count = read_journal(bytes, size, &finding);
        CHECK_EQUAL(finding, bit / 8 < last ? JOURNAL_DAMAGED : JOURNAL_GARBLED);
        CHECK_EQUAL(count, bit / 8 < last ? 0 : ENTRIES - 1);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    printf("%zu bits flipped, all noticed\n", 8 * size);
    free(bytes);
}

/* Cut anywhere; and then zeros or garbage, as a loss of power may leave them. */
static void test_every_end(void)
{
    enum { MORE = 100 };
    size_t size;
    unsigned char *bytes = make_journal("a", &size);
    unsigned char *longer = check_memory(size + MORE);
    for (size_t end = 0; end < size; end++) {
        enum journal_finding finding;
        const int whole = end < JOURNAL_HEAD ? 0 : (int)((end - JOURNAL_HEAD) / entry_size);
        const int is_between = end >= JOURNAL_HEAD && (end - JOURNAL_HEAD) % entry_size == 0;
        CHECK_EQUAL(read_journal(bytes, end, &finding), whole);
        CHECK_EQUAL(finding, whole == 0 ? JOURNAL_DAMAGED : is_between ? JOURNAL_WHOLE : JOURNAL_TORN);
        memcpy(longer, bytes, end);
        memset(longer + end, 0, MORE);
        CHECK_EQUAL(read_journal(longer, end + MORE, &finding), whole);
        CHECK_EQUAL(finding, whole == 0 ? JOURNAL_DAMAGED : is_between ? JOURNAL_TORN : finding);
        CHECK(finding != JOURNAL_WHOLE);
        memset(longer + end, 0xA5, MORE);
        CHECK_EQUAL(read_journal(longer, end + MORE, &finding), whole);
        CHECK_EQUAL(finding, whole == 0 ? JOURNAL_DAMAGED : JOURNAL_GARBLED);
    }
    free(longer);
    free(bytes);
}

/* An entry passes in its own file and place only. */
static void test_entries_from_elsewhere(void)
{
    size_t size;
    size_t other_size;
    enum journal_finding finding;
    unsigned char *bytes = make_journal("a", &size);
    unsigned char *other = make_journal("b", &other_size);
    const size_t last = size - entry_size;
    CHECK_EQUAL(size, other_size);
    unsigned char *longer = check_memory(size + entry_size);
    memcpy(longer, bytes, size);
    memcpy(longer + size, bytes + last, entry_size); /* the last one once more */
    CHECK_EQUAL(read_journal(longer, size + entry_size, &finding), ENTRIES);
    CHECK_EQUAL(finding, JOURNAL_GARBLED);
    memcpy(longer + last, other + last, entry_size); /* of another file, in its place */
    CHECK_EQUAL(read_journal(longer, size, &finding), ENTRIES - 1);
    CHECK_EQUAL(finding, JOURNAL_GARBLED);
    memcpy(longer + last, bytes + last, entry_size);
    memset(longer + last - entry_size, 0, entry_size); /* a hole */
    CHECK_EQUAL(read_journal(longer, size, &finding), 0);
    CHECK_EQUAL(finding, JOURNAL_DAMAGED);
    free(longer);
    free(other);
    free(bytes);
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

enum { ME = 1, YOU = 2 };

/* A folder with two sessions and a table, and what its files were. */
struct scene {
    struct server_options options;
    struct said said;
    unsigned char mine[16], yours[16];
    struct {
        char name[64];
        unsigned char *bytes;
        size_t size;
    } files[FILES];
    int count;
};

static void play(struct host *host, struct scene *scene)
{
    hello(host, ME, "", scene->mine);
    struct wire_out out = begin_call("make", 1, 0);
    send_out(host, ME, "", &out);
    out = begin_call("reset", 2, 2);
    wire_int(&out, 1);
    wire_int(&out, 7);
    send_out(host, ME, "", &out);
    for (uint64_t seq = 3; seq < 6; seq++) {
        out = begin_call("sample", seq, 1);
        wire_int(&out, 1);
        send_out(host, ME, "", &out);
        check_ok(host, seq, 1);
    }
    hello(host, YOU, "", scene->yours);
    out = begin_call("sit", 1, 1);
    wire_map(&out, 3);
    wire_key_text(&out, "table", "t");
    wire_text(&out, "bots");
    wire_array(&out, 3);
    wire_text(&out, "random");
    wire_text(&out, "random");
    wire_text(&out, "random");
    wire_key_int(&out, "seed", 5);
    send_out(host, YOU, "", &out);
    for (int i = 0; i < 2; i++) { /* nobody answers */
        host->now_ms += 10000;
        forget(host);
        (void)server_tick(host->server, host->now_ms);
    }
}

static void keep_files(struct scene *scene)
{
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (entry->d_name[0] != '.') {
            CHECK(scene->count < FILES && strlen(entry->d_name) < sizeof scene->files[0].name);
            strcpy(scene->files[scene->count].name, entry->d_name);
            CHECK_EQUAL(files_read(path_to(entry->d_name), &scene->files[scene->count].bytes,
                                   &scene->files[scene->count].size),
                        0);
            scene->count++;
        }
    }
    closedir(entries);
}

static void begin_scene(struct scene *scene)
{
    struct host host;
    *scene = (struct scene){.options = server_defaults()};
    scene->options.state = folder;
    scene->options.log = (struct files_log){&scene->said, note, NULL};
    open_host(&host, &scene->options);
    play(&host, scene);
    close_host(&host);
    keep_files(scene);
    CHECK_EQUAL(scene->count, 3);
    CHECK_EQUAL(scene->said.lines, 0);
}

static void end_scene(const struct scene *scene)
{
    for (int i = 0; i < scene->count; i++) {
        free(scene->files[i].bytes);
    }
    empty_folder();
}

static void restore(const struct scene *scene)
{
    empty_folder();
    for (int i = 0; i < scene->count; i++) {
        CHECK_EQUAL(files_make(path_to(scene->files[i].name), scene->files[i].bytes, scene->files[i].size), 0);
    }
}

/* True if the reply to hello says that the session cannot wake: it has ended. */
static int has_ended(struct host *host)
{
    if (host->heard != 1) { /* a table is told as well */
        return 0;
    }
    const struct wire_args reply = heard(host);
    return is_text(wire_arg(&reply, 3), "token: its session's journal is damaged");
}

/* Starts a server, to which both clients come back. Returns how many sessions and tables it has restored, the table of
 * a session among them that ended when it was to wake: nobody else is at that table. */
static int start(struct scene *scene)
{
    struct host host;
    struct server_figures figures;
    scene->said = (struct said){.lines = 0};
    open_host(&host, &scene->options);
    (void)server_tick(host.server, host.now_ms);
    hello_again(&host, YOU, "", scene->yours, 0);
    const int closed = has_ended(&host);
    hello_again(&host, ME, "", scene->mine, 0);
    const struct wire_args reply = heard(&host);
    server_figures(host.server, &figures);
    if (is_text(wire_arg(&reply, 0), "error")) {
        check_error(&host, 0, "session", "token: ");
        CHECK(figures.sessions < 2);
    }
    close_host(&host);
    CHECK(!closed || figures.tables == 0);
    return figures.sessions + figures.tables + closed;
}

/* A file with a flipped bit is set aside as it is, or is copied and then used without its last entry. */
static void test_bits_in_files(void)
{
    struct scene scene;
    int starts = 0;
    begin_scene(&scene);
    CHECK_EQUAL(start(&scene), 3);
    CHECK_EQUAL(scene.said.lines, 0);
    for (int i = 0; i < scene.count; i++) {
        for (size_t bit = 0; bit < 8 * scene.files[i].size; bit += 83) {
            unsigned char *byte = scene.files[i].bytes + bit / 8;
            char name[FILES_PATH];
            unsigned char *bytes;
            size_t size;
            restore(&scene);
            *byte ^= (unsigned char)(1 << bit % 8);
            CHECK_EQUAL(files_make(path_to(scene.files[i].name), scene.files[i].bytes, scene.files[i].size), 0);
            const int found = start(&scene);
            CHECK(found == 3 || (found == 2 && strstr(scene.said.text, "it is left out and kept as")));
            CHECK_EQUAL(scene.said.lines, 1);
            CHECK(strstr(scene.said.text, scene.files[i].name));
            CHECK_EQUAL(count_files(FILES_DAMAGED, name), 1);
            CHECK_EQUAL(files_read(path_to(name), &bytes, &size), 0);
            CHECK(size == scene.files[i].size && memcmp(bytes, scene.files[i].bytes, size) == 0);
            free(bytes);
            CHECK_EQUAL(start(&scene), found);
            CHECK_EQUAL(scene.said.lines, 0); /* the second start finds nothing wrong */
            *byte ^= (unsigned char)(1 << bit % 8);
            starts++;
        }
    }
    printf("%d starts with a damaged file\n", starts);
    end_scene(&scene);
}

/* A file that was cut where the process may be killed is used without the last entry. */
static void test_torn_files(void)
{
    struct scene scene;
    begin_scene(&scene);
    for (int i = 0; i < scene.count; i++) {
        for (size_t cut = 1; cut < 30; cut += 7) {
            restore(&scene);
            CHECK_EQUAL(files_cut(path_to(scene.files[i].name), scene.files[i].size - cut), 0);
            CHECK_EQUAL(start(&scene), 3);
            CHECK_EQUAL(scene.said.lines, 1);
            CHECK(strstr(scene.said.text, "was not written to its end"));
            CHECK_EQUAL(count_files(FILES_DAMAGED, NULL), 0);
            CHECK_EQUAL(start(&scene), 3);
            CHECK_EQUAL(scene.said.lines, 0);
        }
    }
    end_scene(&scene);
}

/* Writes a journal again, with one byte of one entry's body changed, under good checks. */
static void write_changed(const char *path, struct mh_rng *random)
{
    struct journal journal = {.size = 0};
    struct journal_file file;
    const struct files_log log = {NULL, NULL, NULL};
    char message[MH_MESSAGE_SIZE];
    const unsigned char *body;
    size_t size;
    int count = 0;
    CHECK_EQUAL(journal_read(path, &log, &file, message), MH_OK);
    while (journal_next(&file, &body, &size)) {
        count++;
    }
    const int changed = (int)mh_rng_below(random, (uint32_t)count);
    file.at = JOURNAL_HEAD;
    for (int i = 0; journal_next(&file, &body, &size); i++) {
        struct wire_out out;
        journal_entry(&out, NULL, size);
        for (size_t k = 0; k < size; k++) {
            out.message->bytes[JOURNAL_ROOM + k] = body[k];
        }
        out.message->size += size;
        if (i == changed) {
            out.message->bytes[JOURNAL_ROOM + mh_rng_below(random, (uint32_t)size)] ^=
                (unsigned char)(1 + mh_rng_below(random, 255));
        }
        CHECK_EQUAL((i == 0 ? journal_begin : journal_add)(&journal, &disk, path, &out), 0);
    }
    journal_forget(&journal);
    journal_close(&file);
}

/* Entries that pass the checks, but which no server of this version writes: the file is set aside by name, or makes
 * sense. */
static void test_strange_entries(void)
{
    struct scene scene;
    struct mh_rng random = {5};
    int aside = 0;
    begin_scene(&scene);
    for (int i = 0; i < 600; i++) {
        restore(&scene);
        write_changed(path_to(scene.files[i % scene.count].name), &random);
        const int found = start(&scene);
        CHECK(found == 3 || (found == 2 && scene.said.lines == 1 && count_files(FILES_DAMAGED, NULL) == 1));
        aside += found == 2;
    }
    CHECK(aside > 80);
    end_scene(&scene);
}

static void put_file(const char *name, const char *bytes)
{
    CHECK_EQUAL(files_make(path_to(name), bytes, strlen(bytes)), 0);
}

/* Files that no server has written, or a server of long ago. */
static void test_strange_files(void)
{
    struct scene scene;
    struct stat status;
    begin_scene(&scene);
    put_file("empty.session", "");
    put_file("empty.table", "");
    put_file("old.session", "\x97\xa7session\x01");
    put_file("t.table.new", "half");
    put_file("x.session.new", "");
    put_file("unknown", "");
    for (int again = 1; again <= 3; again++) {
        put_file("empty.table", "");
        CHECK_EQUAL(start(&scene), 3);
        CHECK_EQUAL(scene.said.lines, again == 1 ? 3 : 1);
    }
    CHECK(stat(path_to("empty.session.damaged"), &status) == 0 &&
          stat(path_to("old.session.damaged"), &status) == 0);
    CHECK(stat(path_to("empty.table.damaged"), &status) == 0 &&
          stat(path_to("empty.table.damaged-2"), &status) == 0);
    CHECK(stat(path_to("empty.table.damaged-3"), &status) == 0 && stat(path_to("unknown"), &status) == 0);
    CHECK_EQUAL(count_files(FILES_LEFT, NULL), 0);

    restore(&scene); /* a whole file under another name is not what its name says */
    for (int i = 0; i < scene.count; i++) {
        const char *ending = strrchr(scene.files[i].name, '.');
        char name[FILES_PATH] = "ffffffffffffffffffffffffffffffff";
        strcat(name, ending);
        CHECK_EQUAL(files_make(path_to(name), scene.files[i].bytes, scene.files[i].size), 0);
        CHECK_EQUAL(start(&scene), 3);
        CHECK(scene.said.lines == 1 && strstr(scene.said.text, "it is the journal of"));
    }
    end_scene(&scene);
}

int main(void)
{
    make_folder();
    disk_init(&disk, DISK_NEVER, folder, NULL);
    test_every_bit();
    test_every_end();
    test_entries_from_elsewhere();
    empty_folder();
    test_bits_in_files();
    test_torn_files();
    test_strange_entries();
    test_strange_files();
    CHECK_EQUAL(rmdir(folder), 0);
    return 0;
}
