#include "calls.h"

#include <time.h>

#include "base/mh_pool.h"
#include "envs/env_requests.h"
#include "hello.h"

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* The first two items of a message: its name, which is copied, and its number. */
static int read_start(const msgpack_object_array *message, struct call *call, struct wire_error *error)
{
    const msgpack_object *items = message->ptr;
    if (message->size < 2) {
        return wire_refuse(error, "message", "%s: missing from [name, seq, arguments...]",
                           message->size ? "seq" : "name");
    }
    if (wire_is_nil(&items[0]) || wire_read_text(&items[0], "name", call->name, sizeof call->name, error) != 0) {
        return wire_refuse(error, "message", "name: not a text of at most %zu bytes", sizeof call->name - 1);
    }
    if (items[1].type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
        return wire_refuse(error, "message", "seq: not a whole number from 0");
    }
    call->seq = items[1].via.u64;
    return 0;
}

int call_read(struct server *self, const unsigned char *bytes, size_t size, struct call *call,
              struct wire_error *error)
{
    enum { MAX_VALUES = 2 * 4096 + 64 /* for the actions of the largest environment, or a deck */ };
    msgpack_object message;
    size_t used = 0;
    *call = (struct call){.bytes = bytes, .size = size};
    msgpack_zone_clear(self->zone);
    if (!wire_check(bytes, size, MAX_VALUES) ||
        msgpack_unpack((const char *)bytes, size, &used, self->zone, &message) != MSGPACK_UNPACK_SUCCESS) {
        return wire_refuse(error, "message",
                           "not one msgpack array [name, seq, arguments...], without extension types and nested no "
                           "deeper than %d",
                           WIRE_DEPTH);
    }
    if (read_start(&message.via.array, call, error) != 0) {
        return -1;
    }
    call->kind = requests_find(call->name);
    call->args = (struct wire_args){message.via.array.ptr + 2, message.via.array.size - 2};
    return 0;
}

/* ---- Executing ---------------------------------------------------------------------------------------------- */

static struct request call_begin(struct server *self, struct session *session, const struct call *call,
                                 int64_t now_ms)
{
    return (struct request){.server = self,
                            .session = session,
                            .args = call->args,
                            .now_ms = now_ms,
                            .answer = {.seq = call->seq, .pool = &session->pool}};
}

/* Executes a request, or continues one, until that time. Returns what a request_handler returns. */
static int execute(struct request *request, const struct request_kind *kind, const char *name, int64_t until)
{
    enum { SECOND_US = 1000000 };
    struct server *self = request->server;
    struct session *session = request->session;
    const int is_kept = self->disk.state && kind && kind->flags & REQUEST_AGAIN;
    const clock_t used = is_kept ? clock() : 0;
    const int64_t begun = mh_pool_now();
    request->until = until;
    const int results = request->is_unfinished ? env_continue(request) : requests_run(kind, name, request);
    const int64_t took = mh_pool_now() - begun;
    session->cost_ns = took > session->cost_ns / 2 ? took : session->cost_ns / 2;
    if (is_kept) {
        session->spent_us += (int64_t)(clock() - used) * SECOND_US / CLOCKS_PER_SEC;
    }
    self->steps += results >= 0 && !request->is_unfinished ? request->steps : 0;
    return results;
}

/* Writes the journal: the request, if executing it again has the same result, or else the reply. */
static void call_journal(struct server *self, struct session *session, const struct call *call, int is_done)
{
    const int again = is_done && call->kind && call->kind->flags & REQUEST_AGAIN;
    if (session->is_over) {
        session_journal_remove(&self->disk, session);
        return;
    }
    if (self->disk.sync == DISK_ALWAYS && call->kind && call->kind->flags & REQUEST_SEAT) {
        (void)disk_sync(&self->disk); /* a loss of power must not keep the reply without the seat */
    }
    (void)session_journal_add(&self->disk, session, again ? call->bytes : NULL, call->size);
}

/* Handles the consequences of a request that was executed. */
static void call_finish(struct request *request, const struct call *call, int results)
{
    struct server *self = request->server;
    struct session *session = request->session;
    struct wire_message *message;
    self->requests++;
    if (results >= 0) {
        message = answer_end(&request->answer, results);
    } else {
        wire_drop(&request->answer.out);
        if (request->error.code == answer_slow) {
            server_refuse(self, session->connection, call->seq, &request->error);
            return;
        }
        server_count_refused(self, &request->error);
        message = answer_error(call->seq, &request->error);
    }
    session_remember(session, call->seq, session_fingerprint(call->bytes, call->size), message);
    call_journal(self, session, call, results >= 0);
    server_say(self, session->connection, call->seq, message);
    if (session->is_over) {
        server_end(self, session, request->now_ms);
    }
}

/* Executes the next request, which may wait in the line already, and stays there when it is not finished. */
static void answer_next(struct server *self, struct session *session, const struct call *call, int64_t now_ms,
                        struct request_waiting *waiting, int64_t until)
{
    struct request request = call_begin(self, session, call, now_ms);
    int results = execute(&request, call->kind, call->name, until);
    if (request.is_unfinished) {
        waiting = waiting ? waiting : request_line_add(&session->line, call->seq, call->bytes, call->size);
        if (waiting) {
            request.args = (struct wire_args){NULL, 0};
            waiting->mark = self->mark;
            waiting->request = request;
            waiting->kind = call->kind;
            waiting->is_begun = 1;
            return;
        }
        results = execute(&request, call->kind, call->name, INT64_MAX);
    }
    call_finish(&request, call, results);
}

/* Executes requests in the order of their numbers, each once. */
static void answer_by_number(struct server *self, struct session *session, const struct call *call, int64_t now_ms,
                             struct request_waiting *waiting, int64_t until)
{
    struct wire_error error;
    if (call->seq == session->next) {
        answer_next(self, session, call, now_ms, waiting, until);
        return;
    }
    struct wire_message *answer = call->seq < session->next ? session_answer(session, call->seq) : NULL;
    const char *reason = "";
    if (answer && session_request(session, call->seq) == session_fingerprint(call->bytes, call->size)) {
        self->resent++;
        server_say(self, session->connection, call->seq, answer);
        return;
    }
    if (answer) {
        reason = ", and the request with this number was another one";
    } else if (call->seq < session->next) {
        reason = ", and the reply to this one is no longer remembered";
    }
    (void)wire_refuse(&error, "sequence", "seq: the next request is %llu%s", (unsigned long long)session->next,
                      reason);
    server_refuse(self, session->connection, call->seq, &error);
}

void calls_answer_question(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    struct request request = call_begin(self, session, call, now_ms);
    if (execute(&request, call->kind, call->name, INT64_MAX) != 0) {
        server_refuse(self, session->connection, call->seq, &request.error);
    } else {
        meter_answered(&self->meter, &self->mark, mh_pool_now());
    }
}

/* ---- Turns of sessions -------------------------------------------------------------------------------------- */

static int64_t end_of_slice(const struct server *self)
{
    return self->options.slice_ns > 0 ? mh_pool_now() + self->options.slice_ns : INT64_MAX;
}

/* Lets a session that wakes, or with requests that wait, take its turn. */
static void join(struct server *self, uint64_t id)
{
    struct session *session = sessions_by_id(&self->sessions, id);
    if (session && (session->waking || session->line.first)) {
        sessions_wait(&self->sessions, session);
    }
}

/* True if a session's requests have taken so long that the next one waits for its turn. */
static int is_costly(const struct server *self, const struct session *session)
{
    enum { SHARE = 8 };
    return self->options.slice_ns > 0 && session->cost_ns > self->options.slice_ns / SHARE;
}

/* Lets a request wait for its turn. */
static void line_up(struct server *self, struct session *session, const struct call *call)
{
    struct request_waiting *waiting = request_line_add(&session->line, call->seq, call->bytes, call->size);
    if (waiting) {
        waiting->mark = self->mark;
    } else {
        struct wire_error error;
        (void)wire_refuse(&error, answer_slow, "too many requests wait; read replies, then send this one again");
        server_refuse(self, session->connection, call->seq, &error);
    }
}

void calls_take(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    const uint64_t id = session->id;
    if (!session->line.first && !session->is_asleep && !is_costly(self, session)) {
        answer_by_number(self, session, call, now_ms, NULL, end_of_slice(self));
    } else if (request_line_has(&session->line, call->seq, call->bytes, call->size)) {
        self->resent++;
    } else {
        line_up(self, session, call);
    }
    join(self, id);
}

/* Continues the first request of a session. */
static void call_continue(struct server *self, struct session *session, int64_t now_ms, int64_t until)
{
    struct request_waiting *waiting = session->line.first;
    struct call call = {.bytes = waiting->bytes, .size = waiting->size, .kind = waiting->kind, .seq = waiting->seq};
    struct wire_error error;
    self->mark = waiting->mark;
    if (waiting->is_begun) {
        const int results = execute(&waiting->request, waiting->kind, "", until);
        waiting->is_begun = waiting->request.is_unfinished;
        if (!waiting->is_begun) {
            call_finish(&waiting->request, &call, results);
        }
    } else if (self->disk.is_late) {
        server_refuse_late(self, session->connection, waiting->seq);
    } else if (call_read(self, waiting->bytes, waiting->size, &call, &error) == 0) {
        answer_by_number(self, session, &call, now_ms, waiting, until);
    }
}

/* Gives a session its turn. */
static void take_turn(struct server *self, struct session *session, int64_t now_ms, int64_t until)
{
    const uint64_t id = session->id;
    sessions_touch(&self->sessions, session, now_ms); /* it is not idle while it waits for its turn */
    if (session->waking) {
        hello_continue(self, session, now_ms, until);
    } else {
        call_continue(self, session, now_ms, until);
        session = sessions_by_id(&self->sessions, id);
        if (session && !session_is_torn(session)) {
            request_line_drop(&session->line);
        }
    }
    join(self, id);
}

int calls_continue(struct server *self, int64_t now_ms)
{
    const int64_t until = end_of_slice(self);
    struct session *session;
    do {
        session = sessions_next(&self->sessions);
        if (session) {
            take_turn(self, session, now_ms, until);
        }
    } while (session && mh_pool_now() < until);
    return self->sessions.first_busy != NULL;
}

/* ---- From a journal ----------------------------------------------------------------------------------------- */

int calls_replay(void *server, struct session *session, const unsigned char *bytes, size_t size, int64_t until,
                 struct request *request, struct wire_error *error)
{
    struct server *self = server;
    struct call call;
    if (call_read(self, bytes, size, &call, error) != 0 || call.seq != session->next || !call.kind ||
        !(call.kind->flags & REQUEST_AGAIN)) {
        return wire_refuse(error, "argument", "a request in it cannot be executed again");
    }
    if (!request->is_unfinished) {
        *request = call_begin(self, session, &call, 0);
    }
    self->is_replaying = 1;
    const int results = execute(request, call.kind, call.name, until);
    self->is_replaying = 0;
    if (results < 0) {
        wire_drop(&request->answer.out);
        return wire_refuse(error, request->error.code, "request %llu: %.200s", (unsigned long long)call.seq,
                           request->error.text);
    }
    if (!request->is_unfinished) {
        session_remember(session, call.seq, session_fingerprint(bytes, size),
                         answer_end(&request->answer, results));
    }
    return 0;
}
