#include "hello.h"

#include <string.h>

#include "common/entropy.h"
#include "common/limit.h"
#include "common/names.h"
#include "tables/lobby.h"

enum { PROTOCOL = 1 };

static int check_version(const msgpack_object *versions, struct wire_error *error)
{
    int64_t lowest = PROTOCOL;
    int64_t highest = PROTOCOL;
    if (versions && (versions->type != MSGPACK_OBJECT_ARRAY || versions->via.array.size != 2)) {
        return wire_refuse(error, "argument", "protocol: not an array of the lowest and the highest version");
    }
    if (versions && (wire_read_int(&versions->via.array.ptr[0], "protocol", 0, INT64_MAX, &lowest, error) != 0 ||
                     wire_read_int(&versions->via.array.ptr[1], "protocol", 0, INT64_MAX, &highest, error) != 0)) {
        return -1;
    }
    if (lowest > PROTOCOL || highest < PROTOCOL) {
        return wire_refuse(error, "version", "protocol: the server speaks version %d", PROTOCOL);
    }
    return 0;
}

static int read_hello(const msgpack_object *map, struct hello *hello, struct wire_error *error)
{
    static const char *const actions[] = {"ids", "texts"};
    const msgpack_object *token = wire_key(map, "token");
    if (!wire_is_nil(map) && map->type != MSGPACK_OBJECT_MAP) {
        return wire_refuse(error, "argument", "hello: its argument is a map");
    }
    if (check_version(wire_key(map, "protocol"), error) != 0 ||
        names_read(wire_key(map, "client"), "client", hello->client, sizeof hello->client, error) != 0 ||
        wire_read_int(wire_key(map, "attempt"), "attempt", 1, INT64_MAX, &hello->attempt, error) != 0 ||
        wire_read_int(wire_key(map, "window"), "window", 1, SESSION_MAX_WINDOW, &hello->window, error) != 0 ||
        wire_read_word(wire_key(map, "observations"), "observations", tables_forms, TABLES_FORMS, &hello->form,
                       error) != 0 ||
        wire_read_word(wire_key(map, "actions"), "actions", actions, 2, &hello->texts, error) != 0) {
        return -1;
    }
    size_t size = 0;
    hello->token = token ? wire_bytes(token, &size) : NULL;
    if (token && (!hello->token || size != SESSION_TOKEN)) {
        return wire_refuse(error, "argument", "token: not bin of %d bytes", SESSION_TOKEN);
    }
    return 0;
}

/* Refuses a new session whose replies, with the window that it wants, find no memory when the one that makes way for it
 * (NULL: none does) has ended. */
static int check_memory(const struct server *self, const char *key, const struct hello *hello,
                        const struct session *idle, struct wire_error *error)
{
    static const struct session fresh;
    const int window = hello->window ? (int)hello->window : 1;
    return server_check_bytes(self, key, idle, session_most_bytes(&fresh, window), error);
}

/* Ends sessions that hold nothing, the oldest first, until there is room for a new one; none is ended for one that
 * finds no memory. There are more sessions than are allowed where they are from journals: a server before had higher
 * limits, or a loss of power has brought back files. */
static int make_room(struct server *self, const char *key, const struct hello *hello, int64_t now_ms,
                     struct wire_error *error)
{
    struct session *idle;
    int all_taken;
    int64_t ends;
    do {
        all_taken = self->sessions.count >= self->options.max_sessions;
        int too_many = all_taken ? self->sessions.count - self->options.max_sessions
                                 : server_usage(self, key).sessions - self->options.sessions_per_key;
        if (too_many < 0) {
            return check_memory(self, key, hello, NULL, error);
        }
        idle = NULL;
        ends = 0;
        for (struct session *session = self->sessions.oldest; session && !idle; session = session->newer) {
            if (all_taken || strcmp(session->key, key) == 0) {
                idle = session->holds ? NULL : session;
                ends = too_many-- >= 0 ? session->heard + self->options.expire_ms - now_ms : ends;
            }
        }
        if (idle && check_memory(self, key, hello, idle, error) != 0) {
            return -1;
        }
        if (idle) {
            server_end(self, idle, now_ms);
        }
    } while (idle);
    const long long seconds = (ends / 1000) + 1;
    return limit_refuse(error, all_taken ? LIMIT_SESSIONS : LIMIT_SESSIONS_PER_KEY,
                        "all %d sessions%s are taken, and one ends in %lld second%s if nothing is heard of it",
                        all_taken ? self->options.max_sessions : self->options.sessions_per_key,
                        all_taken ? "" : " of one key", seconds, seconds == 1 ? "" : "s");
}

static struct session *begin_session(struct server *self, const char *key, const struct hello *hello,
                                     int64_t now_ms, struct wire_error *error)
{
    unsigned char token[SESSION_TOKEN];
    if (self->is_draining) {
        (void)lobby_refuse_newcomer("no new session", error);
        return NULL;
    }
    if (rate_check(&self->new_sessions, key, now_ms, error) != 0 ||
        make_room(self, key, hello, now_ms, error) != 0) {
        return NULL;
    }
    if (entropy_fill(token, sizeof token) != 0) {
        (void)wire_refuse(error, "memory", "the system gives no random bits");
        return NULL;
    }
    struct session *session = sessions_add(&self->sessions, token, key, now_ms);
    if (!session) {
        (void)wire_refuse(error, "memory", "no memory for a session");
        return NULL;
    }
    rate_count(&self->new_sessions, key, now_ms);
    return session;
}

/* A client that was not answered in time connects anew. Its first hello may arrive after the second one, and must not
 * take the session to a connection that nobody reads. Where both have numbers these decide: after a restart of the
 * server ZeroMQ connects all sockets of a client again, in any order. Otherwise it is the order of the connections. */
static int is_older(const struct hello *hello, uint64_t connection, const struct session *session)
{
    if (hello->attempt && session->attempt && hello->attempt != session->attempt) {
        return hello->attempt < session->attempt;
    }
    return session->connection && (uint32_t)(connection - session->connection) > UINT32_MAX / 2;
}

/* The session of the token, or else of the connection: a hello that arrives twice begins one session only. */
static struct session *find_session(struct server *self, uint64_t connection, const char *key,
                                    const struct hello *hello, int64_t now_ms, struct wire_error *error)
{
    struct session *session = hello->token ? sessions_by_token(&self->sessions, hello->token)
                                           : sessions_by_connection(&self->sessions, connection);
    if (session && strcmp(session->key, key) == 0 && !is_older(hello, connection, session)) {
        return session;
    }
    if (hello->token) {
        (void)wire_refuse(error, "session", "token: %s",
                          session && strcmp(session->key, key) == 0
                              ? "a later hello has taken its session; connect anew to take it back"
                              : "no session of yours has it; the session may have expired");
        return NULL;
    }
    return begin_session(self, key, hello, now_ms, error);
}

/* Refuses a window that needs more than the limits allow. */
static int check_window(const struct server *self, const struct session *session, int window,
                        struct wire_error *error)
{
    const int64_t rows = envs_most_rows(&session->envs);
    return rows * window > self->options.rows_in_flight
               ? limit_refuse(error, LIMIT_ROWS_IN_FLIGHT,
                              "window: %d times %lld rows are more than %d rows in flight", window, (long long)rows,
                              self->options.rows_in_flight)
               : server_check_bytes(self, session->key, session, session_most_bytes(session, window), error);
}

static int settle_session(const struct server *self, struct session *session, const struct hello *hello,
                          struct wire_error *error)
{
    if (hello->window) {
        if (hello->window > session->window && check_window(self, session, (int)hello->window, error) != 0) {
            return -1;
        }
        session_set_window(session, (int)hello->window);
    }
    if (hello->client[0]) {
        memcpy(session->client, hello->client, sizeof session->client);
    }
    session->form = hello->form >= 0 ? hello->form : session->form;
    session->texts = hello->texts >= 0 ? hello->texts : session->texts;
    return 0;
}

static void write_welcome(const struct server *self, const struct session *session, struct wire_out *out)
{
    const struct server_options *options = &self->options;
    wire_map(out, 7);
    wire_key_int(out, "protocol", PROTOCOL);
    wire_key_text(out, "server", server_version());
    wire_text(out, "token");
    wire_bin(out, session->token, SESSION_TOKEN);
    wire_text(out, "next");
    wire_uint(out, session->next);
    wire_text(out, "games");
    wire_array(out, (size_t)mh_game_count());
    for (int i = 0; i < mh_game_count(); i++) {
        wire_text(out, mh_game_id(i));
    }
    wire_text(out, "limits");
    wire_map(out, 6);
    wire_key_int(out, "rows", options->rows_per_key);
    wire_key_int(out, "rows_per_session", options->rows_per_session);
    wire_key_int(out, "bytes", options->bytes_per_key);
    wire_key_int(out, "rows_in_flight", options->rows_in_flight);
    wire_key_int(out, "message", options->message);
    wire_key_int(out, "seats", options->seats_per_key);
    wire_key_text(out, "watch", self->watch);
}

/* ---- Answers ------------------------------------------------------------------------------------------------ */

static void attach(struct server *self, struct session *session, uint64_t connection, int64_t attempt,
                   int64_t now_ms)
{
    struct session *before = sessions_by_connection(&self->sessions, connection);
    if (before && before != session) {
        sessions_connect(&self->sessions, before, 0);
    }
    sessions_connect(&self->sessions, session, connection);
    session->attempt = attempt;
    sessions_touch(&self->sessions, session, now_ms);
}

/* Answers the hello of a session that is awake. -1 with an error. */
static int welcome(struct server *self, struct session *session, uint64_t connection, const struct hello *hello,
                   int64_t now_ms, struct wire_error *error)
{
    enum { WELCOME = 512 };
    struct answer answer = {.seq = 0}; /* without a pool: a client learns from hello that its replies pile up */
    if (settle_session(self, session, hello, error) != 0) {
        return -1;
    }
    attach(self, session, connection, hello->attempt, now_ms);
    const struct tables_player player = server_player(session);
    session->sits = tables_heard(self->tables, &player, now_ms, 1);
    (void)answer_begin(&answer, WELCOME, error);
    write_welcome(self, session, &answer.out);
    (void)session_journal_hello(&self->disk, session);
    struct wire_message *message = answer_end(&answer, 1);
    server_say(self, connection, 0, message);
    wire_release(message);
    guests_resume(&self->guests, session);
    return 0;
}

/* After a restart of the server what a session has is in its journal only. It has its connection meanwhile, and
 * requests wait behind the hello. */
static int wait_for(struct server *self, struct session *session, uint64_t connection, const struct hello *hello,
                    int64_t now_ms, struct wire_error *error)
{
    struct waking *waking = session_begin_waking(session);
    if (!waking) {
        return wire_refuse(error, "memory", "token: no memory to read its session's journal");
    }
    waking->hello = *hello;
    waking->mark = self->mark;
    attach(self, session, connection, hello->attempt, now_ms);
    sessions_wait(&self->sessions, session);
    return 0;
}

int hello_take(struct server *self, uint64_t connection, const char *key, const msgpack_object *map, int64_t now_ms,
               struct wire_error *error)
{
    struct hello hello = {.client = "", .form = -1, .texts = -1};
    if (read_hello(map, &hello, error) != 0) {
        return -1;
    }
    struct session *session = find_session(self, connection, key, &hello, now_ms, error);
    if (!session) {
        return -1;
    }
    if (session->is_asleep) {
        return wait_for(self, session, connection, &hello, now_ms, error);
    }
    return welcome(self, session, connection, &hello, now_ms, error);
}

/* The session that a hello has waited for is not to be had. One whose journal is damaged ends. Its connection may have
 * said hello for another session by now. */
static void refuse(struct server *self, struct session *session, int64_t now_ms, const struct wire_error *error)
{
    if (session->connection) {
        server_refuse(self, session->connection, 0, error);
    }
    sessions_connect(&self->sessions, session, 0);
    while (session->line.first) {
        request_line_drop(&session->line);
    }
    if (session->is_asleep && strcmp(error->code, "session") == 0) {
        server_end(self, session, now_ms);
    }
}

void hello_continue(struct server *self, struct session *session, int64_t now_ms, int64_t until)
{
    struct wire_error error;
    const struct session *first = sessions_by_id(&self->sessions, self->waking);
    if (first && first != session && first->waking) {
        return;
    }
    self->waking = session->id;
    const struct hello hello = session->waking->hello;
    self->mark = session->waking->mark;
    int status = session_journal_wake(&self->disk, session, &self->replay, &self->options.log, until, &error);
    if (status > 0) {
        return;
    }
    session_end_waking(session);
    if (status == 0 && self->disk.is_late) {
        server_late(self, &error);
        status = -1;
    }
    if (status != 0 ||
        (session->connection && welcome(self, session, session->connection, &hello, now_ms, &error) != 0)) {
        refuse(self, session, now_ms, &error);
    }
}
