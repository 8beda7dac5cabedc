#include "server.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "games.h"
#include "mh_text.h"
#include "server_inside.h"
#include "session_journal.h"

const char *server_version(void)
{
    return MHING_VERSION;
}

struct server_options server_defaults(void)
{
    return (struct server_options){.max_sessions = 4096,
                                   .sessions_per_key = 4096,
                                   .rows_per_key = 32768,
                                   .rows_in_flight = 8192,
                                   .seats_per_key = 1024,
                                   .max_tables = 1024,
                                   .message = 2 << 20,
                                   .expire_ms = 3600 * 1000};
}

/* ---- What the tables ask of the server ---------------------------------------------------------------------- */

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

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

struct server_usage server_usage(const struct server *self, const char *key)
{
    struct server_usage usage = {0, 0};
    for (const struct session *session = self->sessions.newest; session; session = session->older) {
        if (strcmp(session->key, key) == 0) {
            usage.sessions++;
            usage.rows += session->envs.rows;
        }
    }
    return usage;
}

struct tables_player server_player(const struct session *session)
{
    return (struct tables_player){.session = session->id,
                                  .token = session->token,
                                  .key = session->key,
                                  .client = session->client,
                                  .fields = session->fields,
                                  .texts = session->texts};
}

void server_end(struct server *self, struct session *session, int64_t now_ms)
{
    tables_gone(self->tables, session->token, now_ms);
    session_journal_remove(self->options.state, session);
    sessions_remove(&self->sessions, session);
}

/* ---- Requests that ask what there is ------------------------------------------------------------------------ */

typedef int request(struct session *session, const struct wire_args *args, struct answer *answer,
                    struct wire_error *error);

/* The game of the first two arguments. */
static struct mh_game *open_game(const struct wire_args *args, struct wire_error *error)
{
    char options[GAMES_OPTIONS] = "";
    return games_open("", wire_arg(args, 0), wire_arg(args, 1), options, error);
}

static int describe(struct session *session, const struct wire_args *args, struct answer *answer,
                    struct wire_error *error)
{
    (void)session;
    struct mh_game *game = open_game(args, error);
    if (!game) {
        return -1;
    }
    const size_t size = mh_game_describe(game, NULL, 0) + 1;
    char *json = malloc(size);
    int results = json ? answer_begin(answer, 2 * size, error)
                       : wire_refuse(error, "memory", "describe: no memory for a description");
    if (results == 0) {
        (void)mh_game_describe(game, json, size);
        wire_json(&answer->out, json);
        results = 1;
    }
    free(json);
    mh_game_free(&game);
    return results;
}

static int write_action(const struct mh_game *game, const msgpack_object *action, struct wire_out *out,
                        struct wire_error *error)
{
    char text[MH_TEXT_SIZE] = "";
    struct mh_sizes sizes;
    mh_game_sizes(game, &sizes);
    if (action->type == MSGPACK_OBJECT_STR) {
        if (wire_read_text(action, "action", text, sizeof text, error) != 0) {
            return -1;
        }
        const int id = mh_action_id(game, text);
        if (id < 0) {
            return wire_refuse(error, "argument", "action: none reads '%s'", text);
        }
        wire_int(out, id);
        return 1;
    }
    int64_t id = -1;
    if (wire_is_nil(action) || wire_read_int(action, "action", 0, sizes.actions - 1, &id, error) != 0) {
        return wire_refuse(error, "argument", "action: neither an id from 0 to %d nor a text",
                           (int)sizes.actions - 1);
    }
    mh_action_text(game, (int)id, text);
    wire_text(out, text);
    return 1;
}

static int text_of(struct session *session, const struct wire_args *args, struct answer *answer,
                   struct wire_error *error)
{
    (void)session;
    struct mh_game *game = open_game(args, error);
    if (!game) {
        return -1;
    }
    int results = answer_begin(answer, MH_TEXT_SIZE, error);
    if (results == 0) {
        results = write_action(game, wire_arg(args, 2), &answer->out, error);
    }
    mh_game_free(&game);
    return results;
}

static int ping(struct session *session, const struct wire_args *args, struct answer *answer,
                struct wire_error *error)
{
    (void)args;
    (void)session;
    return answer_begin(answer, 0, error);
}

/* The session ends when its reply has been sent. */
static int bye(struct session *session, const struct wire_args *args, struct answer *answer,
               struct wire_error *error)
{
    (void)args;
    session->is_over = 1;
    return answer_begin(answer, 0, error);
}

static request *find_request(const char *name)
{
    static const struct {
        const char *name;
        request *run;
    } requests[] = {{"describe", describe}, {"text", text_of}, {"ping", ping}, {"bye", bye}};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(requests[i].name, name) == 0) {
            return requests[i].run;
        }
    }
    return NULL;
}

static int is_of_tables(const char *name)
{
    static const char *const names[] = {"sit", "play", "tables", "stand", "back"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- One request -------------------------------------------------------------------------------------------- */

struct call {
    const unsigned char *bytes; /* the whole message */
    size_t size;
    const char *name;
    uint64_t seq;
    struct wire_args args;
};

static int ask_envs(struct server *self, struct session *session, const struct call *call, struct answer *answer,
                    struct wire_error *error)
{
    const int is_make = strcmp(call->name, "make") == 0;
    struct envs_limits limits = {.rows = INT_MAX, .rows_in_flight = INT_MAX, .window = session->window};
    if (is_make && !self->is_following) {
        limits.rows = self->options.rows_per_key - server_usage(self, session->key).rows;
        limits.rows_in_flight = self->options.rows_in_flight;
    }
    const int64_t before = session->envs.steps;
    const int results = envs_request(&session->envs, &limits, call->name, &call->args, answer, error);
    self->steps += session->envs.steps - before;
    if (is_make || strcmp(call->name, "close") == 0) {
        session->holds |= is_make;
        session_set_window(session, session->window);
    }
    return results;
}

static int ask_tables(struct server *self, struct session *session, const struct call *call, int64_t now_ms,
                      struct answer *answer, struct wire_error *error)
{
    enum { RESULTS = 1024 };
    int results = 0;
    if (answer_begin(answer, RESULTS, error) != 0) {
        return -1;
    }
    const struct tables_player player = server_player(session);
    session->holds = 1;
    return tables_request(self->tables, &player, call->name, &call->args, now_ms, &answer->out, &results, error) ==
                   0
               ? results
               : -1;
}

static int execute(struct server *self, struct session *session, const struct call *call, int64_t now_ms,
                   struct answer *answer, struct wire_error *error)
{
    request *const own = find_request(call->name);
    if (envs_has(call->name)) {
        return ask_envs(self, session, call, answer, error);
    }
    if (own) {
        return own(session, &call->args, answer, error);
    }
    if (is_of_tables(call->name)) {
        return ask_tables(self, session, call, now_ms, answer, error);
    }
    return wire_refuse(error, "request", "no request is called '%s'", call->name);
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

/* What an environment was told, and what there is to know, follows from the request. */
static void keep(struct server *self, struct session *session, const struct call *call, int is_done)
{
    const int again = is_done && !is_of_tables(call->name);
    if (session->is_over) {
        session_journal_remove(self->options.state, session);
        return;
    }
    self->failures +=
        session_journal_add(self->options.state, session, again ? call->bytes : NULL, call->size) != 0;
}

static void answer_next(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    struct wire_error error;
    struct answer answer = {.seq = call->seq, .pool = &session->pool};
    const int results = execute(self, session, call, now_ms, &answer, &error);
    struct wire_message *message;
    self->requests++;
    if (results >= 0) {
        message = answer_end(&answer, results);
    } else {
        wire_drop(&answer.out);
        if (error.code == answer_slow) {
            send_error(self, session->connection, call->seq, &error);
            return;
        }
        self->refused++;
        message = answer_error(call->seq, &error);
    }
    session_remember(session, call->seq, message);
    keep(self, session, call, results >= 0);
    say(self, session->connection, message);
    if (session->is_over) {
        server_end(self, session, now_ms);
    }
}

/* Requests are executed in the order of their numbers, each once. */
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

/* Answers to the tables' questions have their own numbers, and no reply when they are right. */
static void act(struct server *self, struct session *session, const struct call *call, int64_t now_ms)
{
    struct wire_error error;
    const struct wire_args args = {call->args.items - 1, call->args.count + 1};
    const struct tables_player player = server_player(session);
    if (tables_act(self->tables, &player, &args, now_ms, &error) != 0) {
        send_error(self, session->connection, call->seq, &error);
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
    if (strcmp(call->name, "hello") == 0) {
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
    const struct tables_player player = server_player(session);
    tables_heard(self->tables, &player, now_ms, 0);
    if (strcmp(call->name, "act") == 0) {
        act(self, session, call, now_ms);
    } else {
        answer_by_number(self, session, call, now_ms);
    }
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

/* Reads [name, seq, arguments...]; -1: it is none. The name is copied to `name`, of `size` bytes. */
static int read_call(struct server *self, const unsigned char *bytes, size_t size, char *name, size_t name_size,
                     struct call *call)
{
    enum { MAX_VALUES = 2 * 4096 + 64 /* actions of the largest environment, and more than the largest deck */ };
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
    *call = (struct call){bytes, size, name, items[1].via.u64, {items + 2, message.via.array.size - 2}};
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

/* Executes a request of a journal: it succeeded once, and does so again. */
static int follow(void *context, struct session *session, const unsigned char *bytes, size_t size, char *message)
{
    struct server *self = context;
    struct wire_error error;
    struct call call;
    char name[32];
    msgpack_zone_clear(self->zone);
    if (read_call(self, bytes, size, name, sizeof name, &call) != 0 || call.seq != session->next ||
        is_of_tables(name)) {
        mh_message(message, "a request is damaged");
        return -1;
    }
    struct answer answer = {.seq = call.seq, .pool = &session->pool};
    const int results = execute(self, session, &call, 0, &answer, &error);
    if (results < 0) {
        wire_drop(&answer.out);
        mh_message(message, "request %llu: %.200s", (unsigned long long)call.seq, error.text);
        return -1;
    }
    session_remember(session, call.seq, answer_end(&answer, results));
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
