/* A session with environments and a series at a table, with a restart between, told by clients who say everything again
 * until it is done. What they are told is compared with a run in which nothing failed. */
#ifndef SERVER_SCENE_H
#define SERVER_SCENE_H

#include "server_client.h"
#include "shim.h"

enum { ME = 1, YOU = 2, GUEST = 3, MOST_REPLIES = 64, MOST_TURNS = 1000, TRIES = 60 };

/* Bytes that were said. */
struct spoken {
    unsigned char *bytes;
    size_t size;
};

struct client {
    uint64_t connection, seq;
    unsigned char token[16];
    int has_token;
};

struct scene {
    struct server_options options;
    struct host host;
    const struct scene *wanted; /* what should be said; NULL: this is the first run */
    struct client me, you;
    struct spoken replies[MOST_REPLIES]; /* to my requests, by their order */
    int count;
    struct spoken last;              /* my last request */
    struct spoken turns[MOST_TURNS]; /* what you saw */
    int64_t turn;                    /* your last one */
    int64_t games;                   /* that ended, as you were told */
    int over;
    unsigned char mask[1024];
    size_t actions;
    int lines;       /* of the log */
    char line[2048]; /* the last one */
    int heard_at;    /* how many notes the shim had when the last message was heard */
    int lenient;     /* more requests may have been executed than are remembered here */
    void (*told)(void *context, struct scene *scene); /* after messages were heard; may be NULL */
    void *context;
};

static inline void scene_note(void *context, const char *text)
{
    struct scene *scene = context;
    scene->lines++;
    (void)snprintf(scene->line, sizeof scene->line, "%s", text);
}

/* Keeps bytes, or compares them with those of the first run. */
static inline void scene_keep(struct spoken *kept, const struct spoken *wanted, const void *bytes, size_t size,
                              const char *what, long number)
{
    if (wanted && (!wanted->bytes || wanted->size != size || memcmp(wanted->bytes, bytes, size) != 0)) {
        fprintf(stderr, "%s %ld is not what was said without failures (call %ld: %s)\n", what, number, shim.fail_at,
                shim_names[shim.failed]);
        exit(1);
    }
    free(kept->bytes);
    *kept = (struct spoken){check_memory(size ? size : 1), size};
    memcpy(kept->bytes, bytes, size);
}

static inline void scene_forget(struct scene *self)
{
    for (int i = 0; i < MOST_REPLIES; i++) {
        free(self->replies[i].bytes);
    }
    for (int i = 0; i < MOST_TURNS; i++) {
        free(self->turns[i].bytes);
    }
    free(self->last.bytes);
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

/* Notes a message from a table. */
static inline void scene_hear_table(struct scene *self, const msgpack_object *message)
{
    const msgpack_object *items = message->via.array.ptr;
    if (is_text(&items[0], "turn")) {
        const int64_t turn = items[1].via.i64;
        msgpack_sbuffer buffer;
        msgpack_packer packer;
        CHECK(turn > 0 && turn < MOST_TURNS && turn >= self->turn);
        msgpack_sbuffer_init(&buffer);
        msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
        msgpack_pack_object(&packer, items[3]);
        msgpack_pack_object(&packer, items[4]);
        self->turn = turn;
        self->actions = items[4].via.bin.size;
        CHECK(self->actions <= sizeof self->mask);
        memcpy(self->mask, items[4].via.bin.ptr, self->actions);
        scene_keep(&self->turns[turn], self->wanted ? &self->wanted->turns[turn] : NULL, buffer.data, buffer.size,
                   "turn", (long)turn);
        msgpack_sbuffer_destroy(&buffer);
    } else if (is_text(&items[0], "end")) {
        const msgpack_object *number = wire_key(&items[2], "number");
        self->games = number->via.i64 + 1;
        self->over |= wire_key(&items[2], "over")->via.boolean;
    }
}

/* Reads all that was heard. The reply to a client's request, "ok" or the code of an error, is put into `code` (room for
 * 16 bytes), "" when there was none; its bytes into `reply`. */
static inline void scene_hear(struct scene *self, const struct client *client, uint64_t seq, char *code,
                              struct spoken *reply)
{
    code[0] = '\0';
    for (int i = 0; i < self->host.heard; i++) {
        const struct wire_message *message = self->host.messages[i];
        msgpack_unpacked unpacked;
        size_t used = 0;
        msgpack_unpacked_init(&unpacked);
        CHECK_EQUAL(msgpack_unpack_next(&unpacked, (const char *)message->bytes, message->size, &used),
                    MSGPACK_UNPACK_SUCCESS);
        const msgpack_object *items = unpacked.data.via.array.ptr;
        const int is_reply = is_text(&items[0], "ok") || is_text(&items[0], "error");
        if (!is_reply && self->host.connections[i] == self->you.connection) {
            scene_hear_table(self, &unpacked.data);
        } else if (is_reply && client && self->host.connections[i] == client->connection &&
                   items[1].via.u64 == seq) {
            const msgpack_object *word = &items[is_text(&items[0], "error") ? 2 : 0];
            (void)snprintf(code, 16, "%.*s", (int)word->via.str.size, word->via.str.ptr);
            if (reply) {
                free(reply->bytes);
                *reply = (struct spoken){check_memory(message->size), message->size};
                memcpy(reply->bytes, message->bytes, message->size);
            }
        }
        msgpack_unpacked_destroy(&unpacked);
    }
    forget(&self->host);
    if (self->told) {
        self->told(self->context, self);
    }
}

/* Sends a message (NULL: none) and lets the server do what there is to do now. */
static inline void scene_send(struct scene *self, const struct client *client, const struct wire_message *message)
{
    shim.is_on = 1;
    if (message) {
        server_receive(self->host.server, client->connection, "", message->bytes, message->size, self->host.now_ms);
    }
    for (int i = 0; i < 50; i++) {
        const int64_t due = server_tick(self->host.server, self->host.now_ms);
        if (due < 0 || due > self->host.now_ms) {
            break;
        }
    }
    shim.is_on = 0;
}

static inline void scene_wait(struct scene *self)
{
    char code[16];
    self->host.now_ms += 250;
    scene_send(self, NULL, NULL);
    scene_hear(self, NULL, 0, code, NULL);
}

/* Says hello, for the session of before if there is one. */
static inline void scene_hello(struct scene *self, struct client *client)
{
    char code[16] = "";
    struct spoken reply = {NULL, 0};
    for (int i = 0; i < TRIES && strcmp(code, "ok") != 0; i++) {
        struct wire_out out = begin_call("hello", 0, 1);
        wire_map(&out, client->has_token ? 1 : 0);
        if (client->has_token) {
            wire_text(&out, "token");
            wire_bin(&out, client->token, sizeof client->token);
        }
        struct wire_message *message = wire_finish(&out);
        scene_send(self, client, message);
        scene_hear(self, client, 0, code, &reply);
        wire_release(message);
        if (strcmp(code, "ok") != 0) {
            if (strcmp(code, "session") == 0) {
                fprintf(stderr, "a session is gone (%s; call %ld: %s)\n", self->line, shim.fail_at,
                        shim_names[shim.failed]);
                exit(1);
            }
            scene_wait(self);
        }
    }
    CHECK(strcmp(code, "ok") == 0);
    msgpack_unpacked unpacked;
    size_t used = 0;
    msgpack_unpacked_init(&unpacked);
    CHECK_EQUAL(msgpack_unpack_next(&unpacked, (const char *)reply.bytes, reply.size, &used),
                MSGPACK_UNPACK_SUCCESS);
    const msgpack_object *welcome = &unpacked.data.via.array.ptr[2];
    memcpy(client->token, wire_key(welcome, "token")->via.bin.ptr, sizeof client->token);
    client->has_token = 1;
    if (client->seq == 0) {
        client->seq = 1;
    }
    CHECK(wire_key(welcome, "next")->via.u64 >= client->seq); /* nothing that was answered is forgotten */
    CHECK(self->lenient || wire_key(welcome, "next")->via.u64 <= client->seq + 1);
    msgpack_unpacked_destroy(&unpacked);
    free(reply.bytes);
}

/* Sends the arguments of a request until it is done, and returns the reply, which the caller frees. */
static inline struct spoken scene_ask(struct scene *self, struct client *client, const char *name,
                                      const struct wire_message *arguments, size_t count)
{
    char code[16] = "";
    struct spoken reply = {NULL, 0};
    for (int i = 0; i < TRIES; i++) {
        struct wire_out out = begin_call(name, client->seq, count);
        if (count > 0) {
            wire_copy(&out, arguments);
        }
        struct wire_message *message = wire_finish(&out);
        scene_send(self, client, message);
        scene_hear(self, client, client->seq, code, &reply);
        if (client == &self->me) {
            scene_keep(&self->last, NULL, message->bytes, message->size, "", 0);
        }
        wire_release(message);
        const int is_gone = strcmp(name, "bye") == 0 && strcmp(code, "hello") == 0; /* its reply was lost */
        if (strcmp(code, "ok") == 0 || is_gone) {
            client->seq++;
            if (self->told) {
                self->told(self->context, self);
            }
            return reply;
        }
        if (strcmp(code, "memory") == 0) {
            client->seq++; /* the error was the reply */
        } else if (strcmp(code, "") != 0 && strcmp(code, "storage") != 0 && strcmp(code, "slow") != 0) {
            fprintf(stderr, "%s: %s %.*s (call %ld: %s)\n", name, code, (int)reply.size, (const char *)reply.bytes,
                    shim.fail_at, shim_names[shim.failed]);
            exit(1);
        }
        scene_wait(self);
    }
    fprintf(stderr, "%s (%s; %s) is never done (call %ld: %s)\n", name, code, self->line, shim.fail_at,
            shim_names[shim.failed]);
    exit(1);
}

/* ---- Requests made ---------------------------------------------------------------------------------------------- */

/* A request of mine; its arguments as JSON with ' for ". The reply's results are compared. */
static inline void scene_do(struct scene *self, const char *name, const char *json, size_t count)
{
    char text[512];
    struct wire_message *arguments = NULL;
    for (size_t i = 0; i <= strlen(json); i++) {
        text[i] = (char)(json[i] == '\'' ? '"' : json[i]);
    }
    if (count > 0) {
        struct wire_out out;
        wire_begin(&out, 256);
        wire_json(&out, text);
        struct wire_message *array = wire_finish(&out);
        const size_t array_head = array->bytes[0] == 0xdd ? 5 : 1;
        array->size -= array_head; /* the items alone */
        memmove(array->bytes, array->bytes + array_head, array->size);
        arguments = array;
    }
    enum { HEAD = 5 }; /* array, "ok" and seq */
    struct spoken reply = scene_ask(self, &self->me, name, arguments, count);
    CHECK(self->count < MOST_REPLIES && self->me.seq < 127);
    scene_keep(&self->replies[self->count], self->wanted ? &self->wanted->replies[self->count] : NULL,
               reply.bytes + HEAD, reply.size - HEAD, name, self->count);
    self->count++;
    free(reply.bytes);
    wire_release(arguments);
}

static inline void scene_steps(struct scene *self, int steps)
{
    for (int i = 0; i < steps; i++) {
        char json[64];
        scene_do(self, "sample", "[1]", 1);
        const struct spoken *drawn = &self->replies[self->count - 1]; /* bin of two numbers */
        (void)snprintf(json, sizeof json, "[1,[%d,%d]]", drawn->bytes[2] | drawn->bytes[3] << 8,
                       drawn->bytes[6] | drawn->bytes[7] << 8);
        scene_do(self, "step", json, 2);
    }
}

/* At a table "t" for two games; `rules` are its options. */
static inline void scene_sit(struct scene *self, const char *rules)
{
    char terms[256];
    struct wire_out out;
    (void)snprintf(terms, sizeof terms,
                   "{\"table\":\"t\",\"options\":\"%s\",\"bots\":[\"greedy\"],\"games\":2,\"seed\":5}", rules);
    wire_begin(&out, sizeof terms);
    wire_json(&out, terms);
    struct wire_message *arguments = wire_finish(&out);
    const struct spoken reply = scene_ask(self, &self->you, "sit", arguments, 1);
    free(reply.bytes);
    wire_release(arguments);
}

/* Answers the last question with the lowest legal action. `code` is that of an error, "" where none came. */
static inline void scene_answer(struct scene *self, char *code)
{
    size_t action = 0;
    while (!self->mask[action]) {
        action++;
    }
    const int64_t asked = self->turn;
    struct wire_out out = begin_call("act", (uint64_t)asked, 1);
    wire_int(&out, (int64_t)action);
    struct wire_message *message = wire_finish(&out);
    scene_send(self, &self->you, message);
    scene_hear(self, &self->you, (uint64_t)asked, code, NULL);
    wire_release(message);
    CHECK(strcmp(code, "") == 0 || strcmp(code, "storage") == 0 || strcmp(code, "late") == 0);
}

/* Answers questions, up to a number of the turn, or until the series is over. */
static inline void scene_play(struct scene *self, int64_t turns)
{
    int64_t answered = -1;
    int quiet = 0;
    while (!self->over && self->turn < turns) {
        char code[16] = "";
        if (self->turn > 0 && self->turn != answered) {
            const int64_t asked = self->turn;
            scene_answer(self, code);
            answered = strcmp(code, "storage") == 0 ? -1 : asked;
            quiet = 0;
        }
        const int is_asked = !self->over && self->turn != answered && self->turn != 0;
        const int is_patient = !self->over && self->turn == answered && quiet++ < 3;
        if (is_patient || ((self->over || is_asked) && strcmp(code, "storage") == 0)) {
            scene_wait(self);
        } else if (!self->over && !is_asked) {
            CHECK(quiet++ < TRIES);
            const struct spoken reply = scene_ask(self, &self->you, "back", NULL, 0);
            free(reply.bytes);
            answered = -1; /* it is asked again if it is open */
        }
    }
}

/* Something long, so that the session's journal begins anew. */
static inline void scene_fill(struct scene *self)
{
    enum { LONG_SIZE = 30000 };
    for (int i = 0; i < 3; i++) {
        struct wire_out out;
        wire_begin(&out, LONG_SIZE);
        (void)memset(wire_bin_space(&out, LONG_SIZE), i, LONG_SIZE);
        struct wire_message *arguments = wire_finish(&out);
        free(scene_ask(self, &self->me, "ping", arguments, 1).bytes);
        wire_release(arguments);
    }
}

static inline int scene_hear_message(void *context, uint64_t connection, struct wire_message *message)
{
    struct scene *self = context;
    (void)hear(&self->host, connection, message);
    self->heard_at = shim.num_notes;
    return 0;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static inline void scene_open(struct scene *self)
{
    char message[MH_MESSAGE_SIZE];
    const struct server_host host = {self, scene_hear_message, hear_nothing};
    int failed = 1;
    for (long i = 0; i < 2 + shim.fail_for && failed; i++) { /* each attempt meets a failure, or two */
        message[0] = '\0';
        shim.is_on = 1;
        failed = server_new(&self->options, &host, self->host.now_ms, message, &self->host.server);
        shim.is_on = 0;
        CHECK(!failed || message[0]); /* it says why */
    }
    if (failed) {
        fprintf(stderr, "%s (call %ld: %s)\n", message, shim.fail_at, shim_names[shim.failed]);
        exit(1);
    }
}

static inline void scene_close(struct scene *self)
{
    forget(&self->host);
    shim.is_on = 1;
    server_free(&self->host.server);
    shim.is_on = 0;
}

static inline void scene_restart(struct scene *self)
{
    scene_close(self);
    scene_open(self);
    scene_hello(self, &self->me);
    scene_hello(self, &self->you);
}

/* A request that was answered before the restart has the same answer after it. */
static inline void scene_repeat(struct scene *self)
{
    char code[16] = "";
    struct spoken reply = {NULL, 0};
    enum { HEAD = 5 };
    for (int i = 0; i < TRIES && strcmp(code, "ok") != 0; i++) {
        struct wire_message *message = wire_message_new(self->last.size);
        memcpy(message->bytes, self->last.bytes, self->last.size);
        message->size = self->last.size;
        scene_send(self, &self->me, message);
        scene_hear(self, &self->me, self->me.seq - 1, code, &reply);
        wire_release(message);
        if (strcmp(code, "ok") != 0) {
            scene_wait(self);
        }
    }
    CHECK(reply.bytes && strcmp(code, "ok") == 0);
    scene_keep(&self->replies[self->count - 1], &self->replies[self->count - 1], reply.bytes + HEAD,
               reply.size - HEAD, "the repeated reply", self->count - 1);
    free(reply.bytes);
}

/* Removes the files of a folder. */
static inline void scene_empty(const char *folder)
{
    char path[512];
    DIR *entries = __real_opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        CHECK(entry->d_name[0] == '.' || __real_unlink(path) == 0);
    }
    closedir(entries);
}

static inline void scene_begin(struct scene *self, const struct server_options *options, const struct scene *wanted)
{
    *self = (struct scene){.options = *options, .wanted = wanted, .host = {.now_ms = 1000}};
    self->me.connection = ME;
    self->you.connection = YOU;
    self->options.log = (struct files_log){self, scene_note, NULL};
    shim.random = 5;
}

static inline void scene_run(struct scene *self)
{
    scene_open(self);
    scene_hello(self, &self->me);
    scene_do(self, "describe", "['mhing','num_players=2']", 2);
    scene_do(self, "text", "['mhing','',3]", 3);
    scene_do(self, "make", "[{'rows':2,'opponents':'greedy','autoreset':'same_step','final':true}]", 1);
    scene_do(self, "reset", "[1,7]", 2);
    scene_steps(self, 3);
    scene_hello(self, &self->you);
    scene_sit(self, "num_players=2");
    struct client guest = {.connection = GUEST};
    scene_hello(self, &guest);
    free(scene_ask(self, &guest, "bye", NULL, 0).bytes);
    scene_play(self, 5);
    scene_fill(self);
    scene_do(self, "text", "['mhing','',4]", 3);
    scene_do(self, "save", "[1,0]", 2);
    scene_do(self, "copy", "[1,0,1]", 3);
    scene_do(self, "make", "[{'rows':1}]", 1);
    scene_restart(self);
    scene_repeat(self);
    scene_do(self, "close", "[2]", 1);
    scene_steps(self, 2);
    scene_do(self, "tables", "", 0);
    scene_play(self, MOST_TURNS);
    scene_restart(self);
    scene_repeat(self);
    scene_do(self, "state", "[1,1]", 2);
    scene_do(self, "omniscient", "[1]", 1);
    scene_close(self);
}

#endif
