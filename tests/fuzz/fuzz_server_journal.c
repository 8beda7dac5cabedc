/* Journals that a server finds when it starts. Whatever is in them, it starts, says what it sets aside, and serves.
 *
 * Input: byte 0 says what the file is, bit 0 a table's or a session's; then its name without the ending, up to a line's
 * end. Bit 1 of byte 0: what follows is the file's content. Else the rest are bodies of entries, each with two bytes of
 * its length (little-endian) before it, which get the checks that no change of bytes would hit upon. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/journal.h"
#include "fuzz.h"
#include "server.h"
#include "sessions/session_journal.h"
#include "tables/table_journal.h"

enum { TABLE = 1, RAW = 2, MOMENTS = 6, MOMENT_MS = 3000 };

static char folder[64];

static void clear_folder(void)
{
    DIR *files = opendir(folder);
    char path[FILES_PATH];
    require(files != NULL);
    for (const struct dirent *file; (file = readdir(files));) {
        if (file->d_name[0] != '.') {
            require(files_path(folder, file->d_name, path) == 0 && unlink(path) == 0);
        }
    }
    closedir(files);
}

static void remove_folder(void)
{
    clear_folder();
    (void)rmdir(folder);
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/mhing-fuzz-XXXXXX", parent ? parent : "/tmp");
    require(mkdtemp(folder) != NULL);
    atexit(remove_folder);
}

static void write_entries(const char *path, const uint8_t *data, size_t size)
{
    struct journal journal = {0};
    struct disk disk;
    disk_init(&disk, DISK_NEVER, folder, NULL);
    for (size_t at = 0; at + 2 <= size;) {
        const size_t told = data[at] | (size_t)data[at + 1] << 8;
        const size_t length = told < size - at - 2 ? told : size - at - 2;
        struct wire_out out;
        journal_entry(&out, NULL, length);
        require(!out.failed && out.message->capacity >= JOURNAL_ROOM + length);
        memcpy(out.message->bytes + JOURNAL_ROOM, data + at + 2, length);
        out.message->size += length;
        if (journal.size == 0) {
            require(journal_begin(&journal, &disk, path, &out) == 0);
        } else {
            require(journal_add(&journal, &disk, path, &out) == 0);
        }
        at += 2 + length;
    }
    journal_forget(&journal);
    disk_close(&disk);
}

static int hear(void *context, uint64_t connection, struct wire_message *message)
{
    (void)context;
    (void)connection;
    require(message->size >= 4 && (message->bytes[0] & 0xf0) == 0x90);
    return 0;
}

static void hear_topic(void *context, const char *topic, struct wire_message *message)
{
    require(strlen(topic) > 1);
    (void)hear(context, 0, message);
}

/* The operator is told one line. */
static void say(void *context, const char *text)
{
    (void)context;
    require(*text && !strchr(text, '\n'));
}

/* The path of the input's file; returns how many bytes of the input it takes. */
static size_t take_path(const uint8_t *data, size_t size, char path[FILES_PATH])
{
    enum { LONGEST = 64 };
    char name[LONGEST + 16] = "a";
    size_t length = 0;
    while (1 + length < size && data[1 + length] != '\n') {
        if (length < LONGEST) {
            const int fits = (data[1 + length] >= '0' && data[1 + length] <= '9') ||
                             (data[1 + length] >= 'a' && data[1 + length] <= 'z') || data[1 + length] == '-';
            name[length] = fits ? (char)data[1 + length] : '0';
            name[length + 1] = '\0';
        }
        length++;
    }
    strcat(name, data[0] & TABLE ? JOURNAL_ENDING : SESSION_JOURNAL_ENDING);
    require(files_path(folder, name, path) == 0);
    return size - 1 > length ? length + 2 : size;
}

/* The client of a session's journal comes, so that it is executed: hello with the token that the file's name says. */
static void greet(struct server *server, const char *path)
{
    enum { TOKEN = 16 };
    unsigned char hello[] = "\x93\xa5hello\x00\x81\xa5token\xc4\x10................";
    const char *digits = strrchr(path, '/') + 1;
    for (int i = 0; i < TOKEN; i++) {
        unsigned byte = 0;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1) { // NOLINT(cert-err34-c)
            return;
        }
        hello[sizeof hello - 1 - TOKEN + i] = (unsigned char)byte;
    }
    server_receive(server, 1, "", hello, sizeof hello - 1, 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct server_host host = {NULL, hear, hear_topic};
    struct server_options options = server_defaults();
    static const unsigned char list[] = "\x92\xa6tables\x01";
    struct server *server = NULL;
    char path[FILES_PATH];
    char message[MH_MESSAGE_SIZE] = "";
    if (size < 2) {
        return 0;
    }
    if (!*folder) {
        make_folder();
    }
    const size_t at = take_path(data, size, path);
    if (data[0] & RAW) {
        FILE *file = fopen(path, "wb");
        require(file && fwrite(data + at, 1, size - at, file) == size - at && fclose(file) == 0);
    } else {
        write_entries(path, data + at, size - at);
    }
    options.state = folder;
    options.sync = DISK_NEVER;
    options.max_sessions = 4;
    options.rows_per_key = 64;
    options.rows_in_flight = 64;
    options.log = (struct files_log){NULL, say, NULL};
    require(server_new(&options, &host, 1000, message, &server) == 0);
    greet(server, path);
    for (int moment = 1; moment <= MOMENTS; moment++) {
        server_receive(server, 1, "", list, sizeof list - 1, 1000 + moment * MOMENT_MS);
        (void)server_tick(server, 1000 + moment * MOMENT_MS);
    }
    server_free(&server);
    clear_folder();
    return 0;
}
