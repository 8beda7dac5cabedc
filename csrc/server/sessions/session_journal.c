#include "session_journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mh_pool.h"
#include "base/mh_text.h"
#include "common/files.h"
#include "tables/tables_host.h"

/* The version before does not tell the sizes of environments. */
enum { VERSION = 4, BEFORE_SIZES = 3, ENTRY = 256 /* bytes of an entry's own, at least */ };

enum { UNFINISHED = 1 /* beside enum mh_status */ };

static int path_of(const char *folder, const struct session *session, char path[FILES_PATH])
{
    static const char digits[] = "0123456789abcdef";
    char name[2 * SESSION_TOKEN + sizeof SESSION_JOURNAL_ENDING];
    for (int i = 0; i < SESSION_TOKEN; i++) {
        name[2 * i] = digits[session->token[i] >> 4];
        name[2 * i + 1] = digits[session->token[i] & 15];
    }
    memcpy(name + 2 * SESSION_TOKEN, SESSION_JOURNAL_ENDING, sizeof SESSION_JOURNAL_ENDING);
    return files_path(folder, name, path);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static void write_hello(const struct session *session, struct wire_out *out)
{
    wire_array(out, 5);
    wire_text(out, "hello");
    wire_text(out, session->client);
    wire_int(out, session->window);
    wire_int(out, session->form);
    wire_int(out, session->texts);
}

static void write_answer(const struct session *session, uint64_t seq, struct wire_out *out)
{
    const struct wire_message *answer = session_answer(session, seq);
    wire_array(out, 5);
    wire_text(out, "answer");
    wire_uint(out, seq);
    wire_uint(out, session_request(session, seq));
    wire_bin(out, answer->bytes, answer->size);
    wire_int(out, session->holds);
}

static void write_session(struct session *session, struct wire_out *out)
{
    wire_array(out, 7);
    wire_text(out, "session");
    wire_int(out, VERSION);
    wire_bin(out, session->token, SESSION_TOKEN);
    wire_text(out, session->key);
    wire_uint(out, session->next);
    wire_int(out, session->envs.made);
    wire_int(out, session->holds);
    write_hello(session, out);
    envs_write(&session->envs, out);
    for (uint64_t back = SESSION_MAX_WINDOW; back > 0; back--) { /* in their order: each forgets what is older */
        if (session->next > back && session_answer(session, session->next - back)) {
            write_answer(session, session->next - back, out);
        }
    }
}

/* Begins the journal anew with the session as it is. */
static int start_journal(struct disk *disk, struct session *session)
{
    struct wire_out out;
    char path[FILES_PATH];
    if (path_of(disk->state, session, path) != 0) {
        return -1;
    }
    journal_entry(&out, NULL, ENTRY);
    write_session(session, &out);
    const int failed = journal_begin(&session->journal, disk, path, &out);
    session->journal.is_broken = failed != 0;
    session->spent_us = 0;
    return failed;
}

static int append_entry(struct disk *disk, struct session *session, struct wire_out *out)
{
    char path[FILES_PATH];
    if (path_of(disk->state, session, path) != 0) {
        wire_drop(out);
        return -1;
    }
    return journal_add(&session->journal, disk, path, out);
}

/* True if executing the journal's requests took so long that writing the rows is cheaper than executing them again. The
 * request just executed counts, so no costly one is ever executed again. Large environments with quick bots write 25 MB
 * of rows at most for a second of CPU time. */
static int is_costly(const struct session *session)
{
    enum { LEAST_US = 10000, BYTES_PER_US = 25 };
    return session->spent_us > LEAST_US + (int64_t)(session->journal.begun / BYTES_PER_US);
}

/* True if the journal should begin anew: it has grown to several times its first size, entries are missing, or its
 * requests are costly. All requests in it are executed again when a client comes back after a restart. */
static int is_long(const struct session *session)
{
    enum { LEAST = 1 << 16 };
    const struct journal *journal = &session->journal;
    return journal->is_broken || is_costly(session) ||
           journal->size + journal->late_size > LEAST + 2 * journal->begun;
}

int session_journal_hello(struct disk *disk, struct session *session)
{
    struct wire_out out;
    if (!disk->state) {
        return 0;
    }
    if (session->journal.begun == 0 || (is_long(session) && !session_is_torn(session))) {
        return start_journal(disk, session);
    }
    journal_entry(&out, NULL, ENTRY);
    write_hello(session, &out);
    return append_entry(disk, session, &out);
}

int session_journal_add(struct disk *disk, struct session *session, const unsigned char *bytes, size_t size)
{
    struct wire_out out;
    if (!disk->state) {
        return 0;
    }
    const uint64_t seq = session->next - 1;
    const struct wire_message *answer = session_answer(session, seq);
    if (is_long(session) || !answer) {
        return start_journal(disk, session);
    }
    journal_entry(&out, NULL, ENTRY + (bytes ? size : answer->size));
    if (bytes) {
        wire_array(&out, 2);
        wire_text(&out, "request");
        wire_bin(&out, bytes, size);
        envs_write_sizes(&session->envs, &out);
    } else {
        write_answer(session, seq, &out);
    }
    return append_entry(disk, session, &out);
}

int session_journal_mend(struct disk *disk, struct session *session)
{
    if (!disk->state || !journal_is_late(&session->journal, disk)) {
        return 0;
    }
    if (session->is_asleep) { /* what it has is in the file */
        char path[FILES_PATH];
        return path_of(disk->state, session, path) == 0 ? journal_mend(&session->journal, disk, path) : -1;
    }
    return session_is_torn(session) ? -1 : start_journal(disk, session);
}

void session_journal_remove(struct disk *disk, const struct session *session)
{
    char path[FILES_PATH];
    if (disk->state && path_of(disk->state, session, path) == 0) {
        disk_remove(disk, path);
    }
}

/* ---- Continuing ---------------------------------------------------------------------------------------------- */

struct replayer {
    const char *folder, *path;
    struct sessions *sessions;
    struct session *session; /* of the journal being read; NULL before its first entry */
    struct session *asleep;  /* that is to wake; NULL: the journal is only looked through */
    struct waking *waking;   /* the place in the journal */
    msgpack_zone *zone;      /* for those that are only looked through */
    int64_t version;         /* of the journal */
    int64_t until;           /* the end of the slice */
    const struct session_journal_replay *replay;
    const struct files_log *log;
    int64_t now_ms;
};

static int is_damaged(struct wire_error *error)
{
    return wire_refuse(error, "argument", "an entry was not written by this version of the server");
}

static int has_no_memory(struct wire_error *error)
{
    return wire_refuse(error, "memory", "no memory to read it");
}

static int read_session(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    int64_t made = 0;
    int64_t holds = 0;
    uint64_t next = 0;
    char key[SESSION_KEY] = "";
    char path[FILES_PATH];
    const msgpack_object *token = wire_arg(entry, 2);
    if (token->type != MSGPACK_OBJECT_BIN || token->via.bin.size != SESSION_TOKEN ||
        wire_read_int(wire_arg(entry, 1), "version", BEFORE_SIZES, VERSION, &self->version, error) != 0 ||
        wire_read_text(wire_arg(entry, 3), "key", key, sizeof key, error) != 0 ||
        wire_read_seed(wire_arg(entry, 4), "next", &next, error) != 0 || next == 0 ||
        wire_read_int(wire_arg(entry, 5), "made", 0, INT64_MAX, &made, error) != 0 ||
        wire_read_int(wire_arg(entry, 6), "holds", 0, 1, &holds, error) != 0) {
        return is_damaged(error);
    }
    self->session =
        self->asleep ? self->asleep
                     : sessions_add(self->sessions, (const unsigned char *)token->via.bin.ptr, key, self->now_ms);
    if (!self->session) {
        return has_no_memory(error);
    }
    self->session->next = next;
    self->session->envs.made = made;
    self->session->holds = (int)holds;
    if (path_of(self->folder, self->session, path) != 0 || strcmp(path, self->path) != 0) {
        return wire_refuse(error, "argument", "it is the journal of another session");
    }
    return 0;
}

static int read_hello(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    int64_t window = 1;
    int64_t form = TABLES_RAW;
    int64_t texts = 0;
    if (wire_read_text(wire_arg(entry, 1), "client", self->session->client, SESSION_CLIENT, error) != 0 ||
        wire_read_int(wire_arg(entry, 2), "window", 1, SESSION_MAX_WINDOW, &window, error) != 0 ||
        wire_read_int(wire_arg(entry, 3), "form", TABLES_RAW, TABLES_CHANGES, &form, error) != 0 ||
        wire_read_int(wire_arg(entry, 4), "texts", 0, 1, &texts, error) != 0) {
        return is_damaged(error);
    }
    self->session->form = (int)form;
    self->session->texts = (int)texts;
    session_set_window(self->session, (int)window);
    return 0;
}

static int read_env(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    const int status = envs_read(&self->session->envs, &self->waking->reading, entry, self->until, error);
    if (status == 0) {
        session_set_window(self->session, self->session->window);
    }
    return status < 0 ? -1 : 0;
}

static int look_at_sizes(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    struct session *session = self->session;
    if (envs_read_sizes(&session->envs, entry, error) != 0) {
        return -1;
    }
    session->holds |= session->envs.count > 0;
    session_set_window(session, session->window);
    return 0;
}

/* Reads the number of an answer, and sets whether the session held something after it. */
static int read_number(struct replayer *self, const struct wire_args *entry, uint64_t *seq,
                       struct wire_error *error)
{
    int64_t holds = self->session->holds;
    if (wire_read_seed(wire_arg(entry, 1), "seq", seq, error) != 0 ||
        wire_read_int(wire_arg(entry, 4), "holds", 0, 1, &holds, error) != 0) {
        return is_damaged(error);
    }
    self->session->holds = (int)holds;
    return 0;
}

/* Replies from before the journal began are older than the next one. */
static int read_answer(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    uint64_t seq = 0;
    uint64_t request = 0;
    const msgpack_object *bytes = wire_arg(entry, 3);
    if (read_number(self, entry, &seq, error) != 0) {
        return -1;
    }
    if (wire_read_seed(wire_arg(entry, 2), "request", &request, error) != 0 || bytes->type != MSGPACK_OBJECT_BIN ||
        bytes->via.bin.size == 0 || seq == 0 || seq > self->session->next) {
        return is_damaged(error);
    }
    struct wire_message *answer = wire_message_new(bytes->via.bin.size);
    if (!answer) {
        return has_no_memory(error);
    }
    memcpy(answer->bytes, bytes->via.bin.ptr, bytes->via.bin.size);
    answer->size = bytes->via.bin.size;
    session_remember(self->session, seq, request, answer);
    return 0;
}

static int read_request(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    const msgpack_object *bytes = wire_arg(entry, 1);
    if (bytes->type != MSGPACK_OBJECT_BIN) {
        return is_damaged(error);
    }
    return self->replay->request(self->replay->context, self->session, (const unsigned char *)bytes->via.bin.ptr,
                                 bytes->via.bin.size, self->until, &self->waking->request, error);
}

static int look_at_answer(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    uint64_t seq = 0;
    if (read_number(self, entry, &seq, error) != 0) {
        return -1;
    }
    self->session->next += seq == self->session->next;
    return 0;
}

static int look_at_request(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    (void)entry;
    (void)error;
    self->session->next++;
    return 0;
}

static int skip(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    (void)self;
    (void)entry;
    (void)error;
    return 0;
}

typedef int array_reader(struct replayer *self, const struct wire_args *entry, struct wire_error *error);

static int replay_array(struct replayer *self, const struct wire_args *entry, struct wire_error *error)
{
    static const struct {
        const char *name;
        array_reader *look, *wake;
    } kinds[] = {{"session", read_session, read_session},
                 {"hello", read_hello, read_hello},
                 {"env", skip, read_env},
                 {"sizes", look_at_sizes, skip},
                 {"answer", look_at_answer, read_answer},
                 {"request", look_at_request, read_request}};
    char name[16] = "";
    if (wire_read_text(wire_arg(entry, 0), "entry", name, sizeof name, error) != 0) {
        return is_damaged(error);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            array_reader *read = self->asleep ? kinds[i].wake : kinds[i].look;
            return (i == 0) == (self->session == NULL) ? read(self, entry, error) : is_damaged(error);
        }
    }
    return is_damaged(error);
}

/* Follows the next array of an entry, or continues it. */
static int replay_next(struct replayer *self, struct wire_error *error)
{
    enum { MAX_VALUES = 1 << 14 };
    struct waking *waking = self->waking;
    msgpack_object array;
    size_t read = 0;
    const size_t length = wire_measure(waking->next, waking->left, MAX_VALUES);
    msgpack_zone_clear(waking->zone);
    if (length == 0) {
        return is_damaged(error);
    }
    const int status = msgpack_unpack((const char *)waking->next, length, &read, waking->zone, &array);
    if (status != MSGPACK_UNPACK_SUCCESS) {
        return status == MSGPACK_UNPACK_NOMEM_ERROR ? has_no_memory(error) : is_damaged(error);
    }
    const struct wire_args args = {array.via.array.ptr, array.via.array.size};
    if (replay_array(self, &args, error) != 0) {
        return -1;
    }
    if (!waking->request.is_unfinished && !waking->reading.env) {
        waking->next += length;
        waking->left -= length;
    }
    return 0;
}

static int is_late(const struct replayer *self)
{
    return self->until < INT64_MAX && mh_pool_now() >= self->until;
}

/* Reads a journal's entries until the end of the slice, at least a part of one. Returns an enum mh_status, or
 * UNFINISHED. */
static int replay_entries(struct replayer *self, char *message)
{
    struct waking *waking = self->waking;
    struct wire_error error = {.code = "argument"};
    int failed = 0;
    while (!failed && (waking->left > 0 || journal_next(&waking->file, &waking->next, &waking->left))) {
        failed = replay_next(self, &error);
        if (!failed && is_late(self)) {
            return UNFINISHED;
        }
    }
    if (!failed && self->session) {
        return MH_OK;
    }
    if (!failed) {
        (void)is_damaged(&error);
    }
    mh_message(message, "%s", error.text);
    /* Replies are not slow: there is no memory, and the file is not to blame. */
    return strcmp(error.code, "memory") == 0 || error.code == answer_slow ? MH_ERROR_MEMORY : MH_ERROR_ARGUMENT;
}

/* Opens the journal of the session that wakes. Returns an enum mh_status. */
static int open_journal(const struct replayer *self, char *message)
{
    struct waking *waking = self->waking;
    struct session *session = self->asleep;
    int status = journal_read(self->path, self->log, &waking->file, message);
    if (status == MH_OK &&
        (waking->file.salt != session->journal.salt || waking->file.whole != session->journal.size)) {
        mh_message(message, "it has changed since the server began");
        status = MH_ERROR_ARGUMENT;
    }
    waking->zone = status == MH_OK ? msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE) : NULL;
    if (status == MH_OK && !waking->zone) {
        mh_message(message, "no memory to read it");
        status = MH_ERROR_MEMORY;
    }
    session->spent_us = 0;
    return status;
}

/* Gives the session what has been read so far, or takes it back. */
static void exchange(struct session *session, struct waking *waking)
{
    const struct envs envs = session->envs;
    const int holds = session->holds;
    session->envs = waking->envs;
    session->holds = waking->holds;
    waking->envs = envs;
    waking->holds = holds;
}

/* Executes what the journal has of a session that sleeps. Returns an enum mh_status, or UNFINISHED; the session still
 * sleeps if it is not MH_OK. */
static int wake(struct replayer *self, char *message)
{
    struct session *session = self->asleep;
    struct waking *waking = session->waking;
    self->waking = waking;
    int status = waking->file.bytes ? MH_OK : open_journal(self, message);
    if (status == MH_OK) {
        self->session = waking->is_begun ? session : NULL;
        exchange(session, waking);
        status = replay_entries(self, message);
        waking->is_begun = self->session != NULL;
        session->is_asleep = status != MH_OK;
        if (session->is_asleep) {
            exchange(session, waking);
        }
    }
    return status;
}

/* Wakes a session at once. Returns an enum mh_status. */
static int wake_now(struct replayer *self, struct session *session, char *message)
{
    if (!session_begin_waking(session)) {
        mh_message(message, "no memory to read it");
        return MH_ERROR_MEMORY;
    }
    self->asleep = session;
    const int status = wake(self, message);
    self->asleep = NULL;
    session_end_waking(session);
    return status;
}

/* Makes the session of a journal, which sleeps. */
static int read_journal(void *context, const char *path, char *message)
{
    struct replayer *self = context;
    struct waking looked = {.zone = self->zone};
    int status = journal_read(path, self->log, &looked.file, message);
    self->path = path;
    self->session = NULL;
    self->waking = &looked;
    if (status == MH_OK) {
        status = replay_entries(self, message);
    }
    if (status == MH_OK && journal_continue(&self->session->journal, path, &looked.file) != 0) {
        mh_message(message, "%s, and it cannot be mended", looked.file.found);
        status = MH_ERROR_MEMORY;
    }
    journal_close(&looked.file);
    struct session *session = self->session;
    if (status == MH_OK) {
        session->is_asleep = 1;
        status = self->version == BEFORE_SIZES ? wake_now(self, session, message) : MH_OK;
    }
    if (status != MH_OK && session) {
        sessions_remove(self->sessions, session);
    }
    return status;
}

int session_journals_read(const char *folder, struct sessions *sessions, int64_t now_ms,
                          const struct session_journal_replay *replay, const struct files_log *log, char *message)
{
    struct replayer replayer = {.folder = folder,
                                .sessions = sessions,
                                .replay = replay,
                                .log = log,
                                .zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE),
                                .until = INT64_MAX,
                                .now_ms = now_ms};
    const struct files_visitor visitor = {SESSION_JOURNAL_ENDING, log, &replayer, read_journal};
    if (!replayer.zone) {
        mh_message(message, "state: no memory to read its files");
        return -1;
    }
    const int status = files_visit(folder, &visitor, message);
    msgpack_zone_free(replayer.zone);
    return status == MH_OK ? 0 : -1;
}

int session_journal_wake(struct disk *disk, struct session *session, const struct session_journal_replay *replay,
                         const struct files_log *log, int64_t until, struct wire_error *error)
{
    char path[FILES_PATH];
    char found[MH_MESSAGE_SIZE] = "";
    char message[MH_MESSAGE_SIZE];
    struct replayer replayer = {
        .folder = disk->state, .path = path, .asleep = session, .until = until, .replay = replay, .log = log};
    const int status = path_of(disk->state, session, path) == 0 ? wake(&replayer, found) : MH_ERROR_MEMORY;
    if (status == MH_ERROR_MEMORY) {
        return wire_refuse(error, "memory", "token: the session's journal: %s", found);
    }
    if (status == MH_OK || status == UNFINISHED) {
        return status == UNFINISHED;
    }
    return files_set_aside(log, path, found, message) == MH_OK
               ? wire_refuse(error, "session", "token: its session's journal is damaged")
               : wire_refuse(error, "storage", "token: the session's journal: %s", message);
}
