#include "server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "hello.h"
#include "mh_text.h"
#include "requests.h"
#include "session_journal.h"

/* ---- What tables need from the server ----------------------------------------------------------------------- */

static void tell(void *context, uint64_t id, struct wire_message *message)
{
    const struct server *self = context;
    const struct session *session = sessions_by_id(&self->sessions, id);
    if (session && session->connection) {
        self->host.send(self->host.context, session->connection, message);
    }
}

static void publish(void *context, const char *topic, struct wire_message *message)
{
    const struct server *self = context;
    self->host.publish(self->host.context, topic, message);
}

static uint64_t random_bits(void *context)
{
    uint64_t bits = 0;
    (void)context;
    (void)getentropy(&bits, sizeof bits); /* cannot fail for so few bytes */
    return bits;
}

/* ---- One request -------------------------------------------------------------------------------------------- */

struct call {
    const unsigned char *bytes; /* the whole message */
    size_t size;
    const char *name;
    const struct request_kind *kind; /* NULL: unknown */
    uint64_t seq;
    struct wire_args args;
};

static int execute(struct server *self, struct session *session, const struct call *call, struct request *request)
{
    request->server = self;
    request->session = session;
    request->args = call->args;
    request->answer = (struct answer){.seq = call->seq, .pool = &session->pool};
    return requests_run(call->kind, call->name, request);
}

static void say(const struct server *self, uint64_t connection, struct wire_message *message)
{
    if (message) {
        self->host.send(self->host.context, connection, message);
    }
}

static void send_error(struct server *self, uint64_t connection, uint64_t seq, const struct wire_error *error)
{
    struct wire_message *message = answer_error(seq, error);
    self->refused++;
    say(self, connection, message);
    wire_release(message);
}

/* Writes the journal: the request, if executing it again has the same result, or else the reply. */
static void keep(struct server *self, struct session *session, const struct call *call, int is_done)
{
    const int again = is_done && call->kind && call->kind->flags & REQUEST_AGAIN;
    if (session->is_over) {
        session_journal_remove(self->options.state, session);
        return;
    }
    self->failures +=
        session_journal_add(self->options.state, session, again ? call->bytes : NULL, call->size) != 0;
}

static void answer_next(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    struct request request = {.now_ms = now_ms};
    const int results = execute(self, session, call, &request);
    struct wire_message *message;
    self->requests++;
    if (results >= 0) {
        message = answer_end(&request.answer, results);
    } else {
        wire_drop(&request.answer.out);
        if (request.error.code == answer_slow) {
            send_error(self, session->connection, call->seq, &request.error);
            return;
        }
        self->refused++;
        message = answer_error(call->seq, &request.error);
    }
    session_remember(session, call->seq, message);
    keep(self, session, call, results >= 0);
    say(self, session->connection, message);
    if (session->is_over) {
        server_end(self, session, now_ms);
    }
}

/* Executes requests in the order of their numbers, each once. */
static void answer_by_number(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    struct wire_error error;
    if (call->seq == session->next) {
        answer_next(self, session, call, now_ms);
        return;
    }
    struct wire_message *answer = call->seq < session->next ? session_answer(session, call->seq) : NULL;
    if (answer) {
        self->resent++;
        say(self, session->connection, answer);
        return;
    }
    (void)wire_refuse(&error, "sequence", "seq: the next request is %llu%s", (unsigned long long)session->next,
                      call->seq < session->next ? ", and the reply to this one is no longer remembered" : "");
    send_error(self, session->connection, call->seq, &error);
}

/* Answers to a table's questions have the questions' numbers, and no reply when they are right. */
static void answer_question(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    struct request request = {.now_ms = now_ms};
    if (execute(self, session, call, &request) != 0) {
        send_error(self, session->connection, call->seq, &request.error);
    }
}

static void greet(struct server *self, uint64_t connection, const char *key, const struct call *call,
                  int64_t now_ms)
{
    struct wire_error error;
    struct answer answer = {.seq = 0};
    struct session *session =
        server_hello(self, connection, key, wire_arg(&call->args, 0), now_ms, &answer, &error);
    if (session) {
        self->failures += session_journal_hello(self->options.state, session) != 0;
        struct wire_message *message = answer_end(&answer, 1);
        say(self, connection, message);
        wire_release(message);
    } else {
        wire_drop(&answer.out);
        send_error(self, connection, 0, &error);
    }
}

static void obey(struct server *self, uint64_t connection, const char *key, const struct call *call, int64_t now_ms)
{
    struct wire_error error;
    if (call->kind && call->kind->flags & REQUEST_HELLO) {
        greet(self, connection, key, call, now_ms);
        return;
    }
    struct session *session = sessions_by_connection(&self->sessions, connection);
    if (!session || strcmp(session->key, key) != 0) {
        (void)wire_refuse(&error, "hello", "say hello first");
        send_error(self, connection, call->seq, &error);
        return;
    }
    sessions_touch(&self->sessions, session, now_ms);
    if (session->sits) {
        const struct tables_player player = server_player(session);
        session->sits = tables_heard(self->tables, &player, now_ms, 0);
    }
    if (call->kind && call->kind->flags & REQUEST_UNNUMBERED) {
        answer_question(self, session, call, now_ms);
    } else {
        answer_by_number(self, session, call, now_ms);
    }
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

/* Reads [name, seq, arguments...]; -1: the message is malformed. Copies the name to `name`. */
static int read_call(struct server *self, const unsigned char *bytes, size_t size, char *name, size_t name_size,
                     struct call *call)
{
    enum { MAX_VALUES = 2 * 4096 + 64 /* for the actions of the largest environment, or a deck */ };
    msgpack_object message;
    size_t used = 0;
    struct wire_error error;
    if (!wire_check(bytes, size, MAX_VALUES) ||
        msgpack_unpack((const char *)bytes, size, &used, self->zone, &message) != MSGPACK_UNPACK_SUCCESS) {
        return -1;
    }
    const msgpack_object *items = message.via.array.ptr;
    if (message.via.array.size < 2 || items[0].type != MSGPACK_OBJECT_STR ||
        wire_read_text(&items[0], "name", name, name_size, &error) != 0 ||
        items[1].type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
        return -1;
    }
    *call = (struct call){.bytes = bytes,
                          .size = size,
                          .name = name,
                          .kind = requests_find(name),
                          .seq = items[1].via.u64,
                          .args = {items + 2, message.via.array.size - 2}};
    return 0;
}

void server_receive(struct server *self, uint64_t connection, const char *key, const unsigned char *bytes,
                    size_t size, int64_t now_ms)
{
    char name[32];
    struct call call;
    msgpack_zone_clear(self->zone);
    if (read_call(self, bytes, size, name, sizeof name, &call) == 0) {
        obey(self, connection, key, &call, now_ms);
    } else {
        struct wire_error error;
        (void)wire_refuse(&error, "message",
                          "not one msgpack array [name, seq, arguments...], without extension types and nested no "
                          "deeper than %d",
                          WIRE_DEPTH);
        send_error(self, connection, 0, &error);
    }
}

void server_watched(struct server *self, const char *topic, int64_t now_ms)
{
    tables_watch(self->tables, topic, now_ms);
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

int64_t server_tick(struct server *self, int64_t now_ms)
{
    const int64_t expiry = expire(self, now_ms);
    const int64_t turn = tables_tick(self->tables, now_ms);
    return turn < 0 || (expiry >= 0 && expiry < turn) ? expiry : turn;
}

void server_figures(const struct server *self, struct server_figures *figures)
{
    struct tables_figures of_tables;
    tables_figures(self->tables, &of_tables);
    *figures = (struct server_figures){.sessions = self->sessions.count,
                                       .tables = of_tables.waiting + of_tables.playing,
                                       .failures = self->failures + of_tables.failures,
                                       .requests = self->requests,
                                       .steps = self->steps,
                                       .resent = self->resent,
                                       .refused = self->refused};
    for (const struct session *session = self->sessions.newest; session; session = session->older) {
        figures->rows += session->envs.rows;
        figures->environments += session->envs.count;
    }
}

/* ---- From its beginning to its end ------------------------------------------------------------------------- */

/* Executes a request of a journal. It succeeded before, so it must succeed again. */
static int follow(void *context, struct session *session, const unsigned char *bytes, size_t size, char *message)
{
    struct server *self = context;
    struct request request = {.now_ms = 0};
    struct call call;
    char name[32];
    msgpack_zone_clear(self->zone);
    if (read_call(self, bytes, size, name, sizeof name, &call) != 0 || call.seq != session->next || !call.kind ||
        !(call.kind->flags & REQUEST_AGAIN)) {
        mh_message(message, "a request is damaged");
        return -1;
    }
    const int results = execute(self, session, &call, &request);
    if (results < 0) {
        wire_drop(&request.answer.out);
        mh_message(message, "request %llu: %.200s", (unsigned long long)call.seq, request.error.text);
        return -1;
    }
    session_remember(session, call.seq, answer_end(&request.answer, results));
    return 0;
}

/* Goes on with the sessions whose journals are in the folder of states. */
static int follow_journals(struct server *self, int64_t now_ms, char *message)
{
    const struct session_journal_replay replay = {self, follow};
    self->is_following = 1;
    const int failed = session_journal_follow(self->options.state, &self->sessions, now_ms, &replay, message);
    self->is_following = 0;
    return failed;
}

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
    if (options->state && follow_journals(self, now_ms, message) != 0) {
        server_free(&self);
        return -1;
    }
    const struct tables_options of_tables = {.records = options->records,
                                             .state = options->state,
                                             .max_tables = options->max_tables,
                                             .max_seats_per_key = options->seats_per_key};
    const struct tables_host of_host = {self, tell, publish, random_bits};
    if (tables_new(&of_tables, &of_host, message, &self->tables) != MH_OK) {
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
        msgpack_zone_free(self->zone);
        free(self);
        *server = NULL;
    }
}

void server_set_watch(struct server *self, const char *endpoint)
{
    self->watch = endpoint;
}
