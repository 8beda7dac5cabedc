#include "session_journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "mh_text.h"

enum { VERSION = 1, ENTRY = 256 /* bytes of an entry's own, at least */ };

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
    wire_int(out, session->fields);
    wire_int(out, session->texts);
}

static void write_answer(uint64_t seq, const struct wire_message *answer, struct wire_out *out)
{
    wire_array(out, 3);
    wire_text(out, "answer");
    wire_uint(out, seq);
    wire_bin(out, answer->bytes, answer->size);
}

static void write_session(const struct session *session, struct wire_out *out)
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
    for (int i = 0; i < SESSION_MAX_WINDOW; i++) {
        if (session->answered[i].answer) {
            write_answer(session->answered[i].seq, session->answered[i].answer, out);
        }
    }
}

/* Writes the collected entries, at the end of the journal or in its place. */
static int put(const char *folder, struct session *session, struct wire_out *out,
               int (*write)(const char *path, const void *bytes, size_t size))
{
    char path[FILES_PATH];
    struct wire_message *message = wire_finish(out);
    const int failed =
        !message || path_of(folder, session, path) != 0 || write(path, message->bytes, message->size);
    session->journal.size += message ? message->size : 0;
    session->journal.is_broken = failed;
    wire_release(message);
    return failed ? -1 : 0;
}

/* Begins the journal anew with the session as it is. */
static int begin(const char *folder, struct session *session)
{
    struct wire_out out;
    if (!folder) {
        return 0;
    }
    wire_begin(&out, ENTRY);
    write_session(session, &out);
    session->journal.size = 0;
    const int failed = put(folder, session, &out, files_replace);
    session->journal.begun = session->journal.size;
    return failed;
}

/* Whether to begin the journal anew: it has grown to several times its first size, or could not be written. */
static int is_long(const struct session *session)
{
    enum { LEAST = 1 << 20 };
    return session->journal.is_broken || session->journal.size > LEAST + 4 * session->journal.begun;
}

int session_journal_hello(const char *folder, struct session *session)
{
    struct wire_out out;
    if (!folder) {
        return 0;
    }
    if (session->journal.begun == 0 || is_long(session)) {
        return begin(folder, session);
    }
    wire_begin(&out, ENTRY);
    write_hello(session, &out);
    return put(folder, session, &out, files_append);
}

int session_journal_add(const char *folder, struct session *session, const unsigned char *bytes, size_t size)
{
    struct wire_out out;
    if (!folder) {
        return 0;
    }
    const uint64_t seq = session->next - 1;
    const struct wire_message *answer = session_answer(session, seq);
    if (is_long(session) || !answer) {
        return begin(folder, session);
    }
    wire_begin(&out, ENTRY + (bytes ? size : answer->size));
    if (bytes) {
        wire_array(&out, 2);
        wire_text(&out, "request");
        wire_bin(&out, bytes, size);
    } else {
        write_answer(seq, answer, &out);
    }
    return put(folder, session, &out, files_append);
}

void session_journal_remove(const char *folder, const struct session *session)
{
    char path[FILES_PATH];
    if (folder && path_of(folder, session, path) == 0) {
        (void)unlink(path);
    }
}

/* ---- Going on ----------------------------------------------------------------------------------------------- */

struct follower {
    const char *folder;
    struct sessions *sessions;
    struct session *session; /* of the journal being read; NULL before its first entry */
    const struct session_journal_replay *replay;
    int64_t now_ms;
    char message[MH_MESSAGE_SIZE]; /* why it cannot be resumed */
};

static int is_damaged(struct follower *self)
{
    mh_message(self->message, "an entry was not written by this version of the server");
    return -1;
}

static int read_session(struct follower *self, const struct wire_args *entry)
{
    struct wire_error error;
    int64_t version = 0;
    int64_t made = 0;
    int64_t holds = 0;
    uint64_t next = 0;
    char key[SESSION_KEY] = "";
    const msgpack_object *token = wire_arg(entry, 2);
    if (self->session || token->type != MSGPACK_OBJECT_BIN || token->via.bin.size != SESSION_TOKEN ||
        wire_read_int(wire_arg(entry, 1), "version", VERSION, VERSION, &version, &error) != 0 ||
        wire_read_text(wire_arg(entry, 3), "key", key, sizeof key, &error) != 0 ||
        wire_read_seed(wire_arg(entry, 4), "next", &next, &error) != 0 || next == 0 ||
        wire_read_int(wire_arg(entry, 5), "made", 0, INT64_MAX, &made, &error) != 0 ||
        wire_read_int(wire_arg(entry, 6), "holds", 0, 1, &holds, &error) != 0) {
        return is_damaged(self);
    }
    self->session = sessions_add(self->sessions, (const unsigned char *)token->via.bin.ptr, key, self->now_ms);
    if (!self->session) {
        mh_message(self->message, "there is no room for more sessions");
        return -1;
    }
    self->session->next = next;
    self->session->envs.made = made;
    self->session->holds = (int)holds;
    return 0;
}

static int read_hello(struct follower *self, const struct wire_args *entry)
{
    struct wire_error error;
    int64_t window = 1;
    int64_t fields = 0;
    int64_t texts = 0;
    if (wire_read_text(wire_arg(entry, 1), "client", self->session->client, SESSION_CLIENT, &error) != 0 ||
        wire_read_int(wire_arg(entry, 2), "window", 1, SESSION_MAX_WINDOW, &window, &error) != 0 ||
        wire_read_int(wire_arg(entry, 3), "fields", 0, 1, &fields, &error) != 0 ||
        wire_read_int(wire_arg(entry, 4), "texts", 0, 1, &texts, &error) != 0) {
        return is_damaged(self);
    }
    self->session->fields = (int)fields;
    self->session->texts = (int)texts;
    session_set_window(self->session, (int)window);
    return 0;
}

static int read_env(struct follower *self, const struct wire_args *entry)
{
    struct wire_error error;
    if (envs_read(&self->session->envs, entry, &error) != 0) {
        mh_message(self->message, "%s", error.text);
        return -1;
    }
    session_set_window(self->session, self->session->window);
    return 0;
}

/* Replies from before the journal began are older than the next one. */
static int read_answer(struct follower *self, const struct wire_args *entry)
{
    struct wire_error error;
    uint64_t seq = 0;
    const msgpack_object *bytes = wire_arg(entry, 2);
    if (wire_read_seed(wire_arg(entry, 1), "seq", &seq, &error) != 0 || bytes->type != MSGPACK_OBJECT_BIN ||
        seq == 0 || seq > self->session->next) {
        return is_damaged(self);
    }
    struct wire_message *answer = wire_message_new(bytes->via.bin.size);
    if (!answer) {
        mh_message(self->message, "no memory for its answers");
        return -1;
    }
    memcpy(answer->bytes, bytes->via.bin.ptr, bytes->via.bin.size);
    answer->size = bytes->via.bin.size;
    session_remember(self->session, seq, answer);
    return 0;
}

static int read_request(struct follower *self, const struct wire_args *entry)
{
    const msgpack_object *bytes = wire_arg(entry, 1);
    if (bytes->type != MSGPACK_OBJECT_BIN) {
        return is_damaged(self);
    }
    return self->replay->request(self->replay->context, self->session, (const unsigned char *)bytes->via.bin.ptr,
                                 bytes->via.bin.size, self->message);
}

static int follow_entry(struct follower *self, const struct wire_args *entry)
{
    static const struct {
        const char *name;
        int (*read)(struct follower *self, const struct wire_args *entry);
    } kinds[] = {{"session", read_session},
                 {"hello", read_hello},
                 {"env", read_env},
                 {"answer", read_answer},
                 {"request", read_request}};
    struct wire_error error;
    char name[16] = "";
    if (wire_read_text(wire_arg(entry, 0), "entry", name, sizeof name, &error) != 0) {
        return is_damaged(self);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return (i == 0) == (self->session == NULL) ? kinds[i].read(self, entry) : is_damaged(self);
        }
    }
    return is_damaged(self);
}

/* Reads all complete entries; the last one may be cut, if the process was killed while writing it. `used`: their
 * size. */
static int follow_entries(struct follower *self, const unsigned char *bytes, size_t size, size_t *used)
{
    enum { MAX_VALUES = 1 << 14 };
    msgpack_zone *zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE);
    int failed = 0;
    *used = 0;
    if (!zone) {
        mh_message(self->message, "no memory to read it");
        return -1;
    }
    while (!failed) {
        msgpack_object entry;
        size_t read = 0;
        const size_t length = wire_measure(bytes + *used, size - *used, MAX_VALUES);
        if (length == 0) {
            break;
        }
        msgpack_zone_clear(zone);
        if (msgpack_unpack((const char *)bytes + *used, length, &read, zone, &entry) < 0) {
            failed = is_damaged(self);
            break;
        }
        const struct wire_args args = {entry.via.array.ptr, entry.via.array.size};
        failed = follow_entry(self, &args);
        *used += length;
    }
    msgpack_zone_free(zone);
    return failed;
}

/* An incomplete last entry disappears, because the journal begins anew. */
static int follow_file(struct follower *self, const char *path)
{
    unsigned char *bytes;
    size_t size;
    size_t used;
    if (files_read(path, &bytes, &size) != 0) {
        mh_message(self->message, "it cannot be read");
        return -1;
    }
    self->session = NULL;
    int failed = follow_entries(self, bytes, size, &used);
    free(bytes);
    if (!failed && !self->session) {
        failed = is_damaged(self);
    }
    if (!failed && begin(self->folder, self->session) != 0) {
        mh_message(self->message, "it cannot be written");
        failed = -1;
    }
    return failed;
}

static int follow_journal(void *context, const char *path, char *message)
{
    struct follower *self = context;
    if (follow_file(self, path) != 0) {
        mh_message(message, "state: %.100s: %.140s", path, self->message);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

int session_journal_follow(const char *folder, struct sessions *sessions, int64_t now_ms,
                           const struct session_journal_replay *replay, char *message)
{
    struct follower follower = {.folder = folder, .sessions = sessions, .replay = replay, .now_ms = now_ms};
    return files_each(folder, SESSION_JOURNAL_ENDING, follow_journal, &follower, message) == MH_OK ? 0 : -1;
}
