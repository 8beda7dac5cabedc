#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mh_pool.h"
#include "base/mh_text.h"
#include "common/entropy.h"
#include "sessions/calls.h"
#include "sessions/hello.h"

/* ---- Services for tables and guests ---------------------------------------------------------------------------- */

static void send_to_session(void *context, uint64_t id, struct wire_message *message)
{
    struct server *self = context;
    const struct session *session = sessions_by_id(&self->sessions, id);
    if (session && session->connection && !session->is_asleep) { /* the reply to hello comes first */
        server_post(self, &(struct letter){.connection = session->connection, .message = message});
    }
}

/* At once: nothing on the disk is in it. */
static int reach_session(void *context, uint64_t id, struct wire_message *message)
{
    const struct server *self = context;
    const struct session *session = sessions_by_id(&self->sessions, id);
    return session && session->connection ? self->host.send(self->host.context, session->connection, message) : -1;
}

static void publish_for_table(void *context, const char *topic, struct wire_message *message)
{
    struct letter letter = {.message = message};
    (void)snprintf(letter.topic, sizeof letter.topic, "%s", topic);
    server_post(context, &letter);
}

static int random_bits(void *context, void *bytes, size_t size)
{
    (void)context;
    return entropy_fill(bytes, size);
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

static void greet(struct server *self, uint64_t connection, const char *key, const struct call *call,
                  int64_t now_ms)
{
    struct wire_error error;
    if (hello_take(self, connection, key, wire_arg(&call->args, 0), now_ms, &error) != 0) {
        server_refuse(self, connection, 0, &error);
    }
}

/* A client whose connection was lost says hello again, but not one whose session was taken over: two clients with one
 * token would take it from each other for ever. */
static void refuse_stranger(struct server *self, uint64_t connection, uint64_t seq)
{
    struct wire_error error;
    if (sessions_taken_over(&self->sessions, connection)) {
        (void)wire_refuse(&error, "session", "another connection has said hello for the session of this one");
    } else {
        (void)wire_refuse(&error, "hello", "say hello first");
    }
    server_refuse(self, connection, seq, &error);
}

/* Nothing is begun that could not be kept. */
static void refuse_unkept(struct server *self, uint64_t connection, uint64_t seq, int64_t now_ms)
{
    struct session *session = sessions_by_connection(&self->sessions, connection);
    if (session) {
        sessions_touch(&self->sessions, session, now_ms);
    }
    server_refuse_late(self, connection, seq);
}

static void obey(struct server *self, uint64_t connection, const char *key, const struct call *call, int64_t now_ms)
{
    if (self->disk.is_late) {
        refuse_unkept(self, connection, call->seq, now_ms);
        return;
    }
    if (call->kind && call->kind->flags & REQUEST_HELLO) {
        greet(self, connection, key, call, now_ms);
        return;
    }
    struct session *session = sessions_by_connection(&self->sessions, connection);
    const int is_numbered = !call->kind || !(call->kind->flags & REQUEST_UNNUMBERED);
    /* A request may wait behind the hello of a session that wakes; what has no number would be before its reply. */
    if (!session || strcmp(session->key, key) != 0 || (session->is_asleep && !is_numbered)) {
        refuse_stranger(self, connection, call->seq);
        return;
    }
    sessions_touch(&self->sessions, session, now_ms);
    session->guest.is_silent = 0;
    if (session->sits) {
        const struct tables_player player = server_player(session);
        session->sits = tables_heard(self->tables, &player, now_ms, 0);
    }
    if (is_numbered) {
        calls_take(self, session, call, now_ms);
    } else {
        calls_answer_question(self, session, call, now_ms);
    }
}

void server_receive(struct server *self, uint64_t connection, const char *key, const unsigned char *bytes,
                    size_t size, int64_t now_ms)
{
    struct call call;
    struct wire_error error;
    self->mark = (struct meter_mark){METER_KINDS - 1, mh_pool_now()};
    if (call_read(self, bytes, size, &call, &error) == 0) {
        self->mark.kind = requests_place(call.kind);
        obey(self, connection, key, &call, now_ms);
    } else {
        server_refuse(self, connection, 0, &error);
    }
}

int server_is_greeted(const struct server *self, uint64_t connection)
{
    return sessions_by_connection(&self->sessions, connection) || sessions_taken_over(&self->sessions, connection);
}

void server_watched(struct server *self, const char *topic, int subscriptions, int64_t now_ms)
{
    tables_watch(self->tables, topic, subscriptions, now_ms);
}

int server_keep(struct server *self, int (*is_listed)(void *context, const char *key), void *context,
                int64_t now_ms)
{
    int ended = 0;
    for (struct session *session = self->sessions.oldest; session;) {
        struct session *newer = session->newer;
        if (!is_listed(context, session->key)) {
            server_end(self, session, now_ms);
            ended++;
        }
        session = newer;
    }
    return ended;
}

/* ---- The clock ---------------------------------------------------------------------------------------------- */

static int64_t expire(struct server *self, int64_t now_ms)
{
    struct session *oldest = self->sessions.oldest;
    while (oldest && oldest->heard + self->options.expire_ms <= now_ms) {
        server_end(self, oldest, now_ms);
        oldest = self->sessions.oldest;
    }
    return oldest ? oldest->heard + self->options.expire_ms : -1;
}

/* Writes again what the disk has refused. */
static void mend(struct server *self, int64_t now_ms)
{
    enum { OFTEN_MS = 200 };
    int failed = disk_mend(&self->disk) != 0;
    for (struct session *session = self->sessions.newest; session; session = session->older) {
        failed |= session_journal_mend(&self->disk, session) != 0;
    }
    failed |= tables_mend(self->tables) != 0;
    failed |= disk_sync(&self->disk) != 0;
    self->mend_at = now_ms + OFTEN_MS;
    if (failed) {
        return;
    }
    self->disk.is_late = 0;
    self->disk.lost = 0;
    if (self->stuck_since >= 0) {
        tables_shift(self->tables, now_ms - self->stuck_since);
        self->stuck_since = -1;
    }
    if (self->is_late_reported) {
        files_say(&self->options.log, "state: all is written again");
        self->is_late_reported = 0;
    }
}

/* Tells the operator once, and the clients, that nothing can be kept. */
static void note_late(struct server *self, int64_t now_ms)
{
    struct wire_error error;
    if (!self->is_late_reported) {
        files_say(&self->options.log, "state: cannot write: %s", strerror(self->disk.error));
        self->is_late_reported = 1;
    }
    self->stuck_since = self->stuck_since < 0 ? now_ms : self->stuck_since;
    server_late(self, &error);
    outbox_refuse(&self->outbox, &self->host, &error);
}

/* Syncs what was written, if it is time. */
static void sync(struct server *self, int64_t now_ms)
{
    enum { SECOND_MS = 1000 };
    struct disk *disk = &self->disk;
    if (!disk_is_behind(disk)) {
        return;
    }
    if (disk->due < 0) {
        disk->due = now_ms + (disk->sync == DISK_SECOND && !disk->inherits ? SECOND_MS : 0);
    }
    if (now_ms >= disk->due) {
        (void)disk_sync(disk);
    }
}

int64_t server_tick(struct server *self, int64_t now_ms)
{
    int64_t due = -1;
    if (self->disk.is_late && now_ms >= self->mend_at) {
        mend(self, now_ms);
    }
    const int is_busy = calls_continue(self, now_ms);
    if (!self->disk.is_late) {
        due = expire(self, now_ms);
        due = tables_earlier(due, tables_tick(self->tables, now_ms));
        sync(self, now_ms);
        due = tables_earlier(due, self->disk.due);
    }
    if (self->disk.is_late) {
        note_late(self, now_ms);
        due = tables_earlier(due, self->mend_at > now_ms ? self->mend_at : now_ms);
    } else {
        outbox_send(&self->outbox, &self->host);
    }
    return is_busy ? now_ms : due;
}

/* ---- Draining ----------------------------------------------------------------------------------------------- */

void server_drain(struct server *self)
{
    self->is_draining = 1;
    tables_drain(self->tables);
}

int server_is_draining(const struct server *self)
{
    return self->is_draining;
}

/* A client that has made something and was heard of lately may come back to it, or make another one. Where all that a
 * session does is to wait for players, none will come. */
static int is_in_use(const struct server *self, const struct session *session)
{
    return session->holds && !tables_is_waiting(self->tables, session->token);
}

int server_is_drained(struct server *self, int64_t now_ms)
{
    enum { OFTEN_MS = 100 };
    struct tables_figures of_tables;
    if (!self->is_draining || now_ms < self->drain_look || self->disk.is_late || self->outbox.count > 0 ||
        self->sessions.first_busy) {
        return 0;
    }
    self->drain_look = now_ms + OFTEN_MS;
    tables_figures(self->tables, &of_tables);
    int in_use = of_tables.playing;
    for (const struct session *session = self->sessions.newest;
         session && !in_use && session->heard + self->options.drain_ms > now_ms; session = session->older) {
        in_use = is_in_use(self, session);
    }
    return !in_use;
}

/* ---- Figures ------------------------------------------------------------------------------------------------ */

void server_figures(const struct server *self, struct server_figures *figures)
{
    struct tables_figures of_tables;
    tables_figures(self->tables, &of_tables);
    *figures = (struct server_figures){.sessions = self->sessions.count,
                                       .tables = of_tables.waiting + of_tables.playing,
                                       .tables_waiting = of_tables.waiting,
                                       .tables_playing = of_tables.playing,
                                       .subscriptions = of_tables.subscriptions,
                                       .games = of_tables.games,
                                       .failures = self->disk.failures + of_tables.failures,
                                       .waiting_bytes = (int64_t)self->sessions.waiting,
                                       .journal_bytes = of_tables.journal_bytes,
                                       .syncs = self->disk.syncs,
                                       .sync_ns = self->disk.sync_ns,
                                       .is_late = self->disk.is_late,
                                       .is_draining = self->is_draining,
                                       .requests = self->requests,
                                       .steps = self->steps,
                                       .resent = self->resent,
                                       .refused = self->refused};
    for (const struct session *session = self->sessions.newest; session; session = session->older) {
        figures->rows += session->envs.rows;
        figures->environments += session->envs.count;
        figures->guests += guests_is_guest(session);
        figures->reply_bytes += (int64_t)session->pool.bytes;
        figures->journal_bytes += (int64_t)session->journal.size;
    }
}

/* ---- From its beginning to its end ------------------------------------------------------------------------- */

int server_new(const struct server_options *options, const struct server_host *host, int64_t now_ms, char *message,
               struct server **server)
{
    struct server *self = calloc(1, sizeof *self);
    msgpack_zone *zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE);
    if (!self || !zone || sessions_init(&self->sessions, options->max_sessions) != 0) {
        msgpack_zone_free(zone);
        free(self);
        mh_message(message, "no memory for a server");
        return -1;
    }
    self->zone = zone;
    self->options = *options;
    self->host = *host;
    self->watch = "";
    self->stuck_since = -1;
    self->outbox.meter = &self->meter;
    self->new_sessions = rate_of(LIMIT_SESSIONS_PER_MINUTE, options->sessions_per_minute);
    self->new_environments = rate_of(LIMIT_ENVIRONMENTS_PER_MINUTE, options->environments_per_minute);
    self->new_invitations = rate_of(LIMIT_INVITATIONS_PER_MINUTE, options->invitations_per_minute);
    self->guests = (struct guests){.sessions = &self->sessions, .host = {self, send_to_session, reach_session}};
    self->replay = (struct session_journal_replay){self, calls_replay};
    disk_init(&self->disk, options->sync, options->state, options->records);
    if (options->state && session_journals_read(options->state, &self->sessions, now_ms, &self->replay,
                                                &options->log, message) != 0) {
        server_free(&self);
        return -1;
    }
    const struct tables_options of_tables = {.bots = options->bots,
                                             .open_seeds = options->open_seeds,
                                             .records = options->records,
                                             .state = options->state,
                                             .slice_ns = options->slice_ns,
                                             .log = options->log,
                                             .disk = &self->disk,
                                             .max_tables = options->max_tables,
                                             .per_minute = options->tables_per_minute,
                                             .wait_ms = options->table_wait_ms,
                                             .max_seats_per_key = options->seats_per_key};
    const struct tables_host of_host = {self, send_to_session, publish_for_table, random_bits};
    if (tables_new(&of_tables, &of_host, now_ms, message, &self->tables) != MH_OK) {
        server_free(&self);
        return -1;
    }
    *server = self;
    return 0;
}

void server_free(struct server **server)
{
    struct server *self = *server;
    if (self) {
        tables_free(&self->tables);
        sessions_free(&self->sessions);
        outbox_free(&self->outbox);
        disk_close(&self->disk);
        msgpack_zone_free(self->zone);
        free(self);
        *server = NULL;
    }
}

void server_set_watch(struct server *self, const char *endpoint)
{
    self->watch = endpoint;
}
