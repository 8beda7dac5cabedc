/* A server's tables without a server: players and spectators by number, requests as JSON, a clock that the test moves,
 * and all that was said kept in order. */
#ifndef TABLES_ROOM_H
#define TABLES_ROOM_H

#include <stdarg.h>
#include <string.h>

#include "check.h"
#include "mh_game.h"
#include "tables/tables.h"

enum { ROOM_PLAYERS = 8, SPECTATOR = 0, MAX_LETTERS = 100000 };

/* One message, as bytes and as an object. */
struct letter {
    int to;     /* a player's number, from 1; or SPECTATOR */
    int64_t at; /* when it was said */
    struct wire_message *message;
    msgpack_unpacked unpacked;
};

struct room {
    struct tables *tables;
    struct tables_options options;
    struct disk disk;
    int64_t now;
    uint64_t random;
    int is_drained;                    /* the system gives no random bits */
    int keeps_seeds;                   /* only who sits with bots alone may give a seed */
    int form, texts;                   /* what hello asked for, of all players */
    struct letter *letters;            /* MAX_LETTERS, which stay where they are */
    int count, read[ROOM_PLAYERS + 1]; /* how many of them a player has looked at */
    struct letter reply;               /* to the last request, its first result */
    struct wire_error error;
};

static inline msgpack_unpacked room_unpack(const unsigned char *bytes, size_t size)
{
    msgpack_unpacked unpacked;
    size_t offset = 0;
    msgpack_unpacked_init(&unpacked);
    CHECK_EQUAL(msgpack_unpack_next(&unpacked, (const char *)bytes, size, &offset), MSGPACK_UNPACK_SUCCESS);
    CHECK_EQUAL(offset, size);
    return unpacked;
}

static inline struct letter letter_of(int to, struct wire_message *message)
{
    return (struct letter){
        .to = to, .message = wire_hold(message), .unpacked = room_unpack(message->bytes, message->size)};
}

static inline void letter_drop(struct letter *self)
{
    wire_release(self->message);
    msgpack_unpacked_destroy(&self->unpacked);
    *self = (struct letter){0};
}

static inline void room_keep(struct room *self, int to, struct wire_message *message)
{
    CHECK(self->count < MAX_LETTERS);
    self->letters[self->count] = letter_of(to, message);
    self->letters[self->count++].at = self->now;
}

static inline void room_tell(void *context, uint64_t session, struct wire_message *message)
{
    if (session >= 100) { /* a session of the server as it runs now */
        room_keep(context, (int)(session % 100), message);
    }
}

static inline void room_publish(void *context, const char *topic, struct wire_message *message)
{
    CHECK(topic[strlen(topic) - 1] == ':');
    room_keep(context, SPECTATOR, message);
}

static inline int room_random(void *context, void *bytes, size_t size)
{
    struct room *self = context;
    struct mh_rng rng = {self->random};
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)bytes)[i] = (unsigned char)mh_rng_next(&rng);
    }
    self->random = rng.state;
    return self->is_drained ? -1 : 0;
}

static inline void room_open(struct room *self)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct tables_host host = {self, room_tell, room_publish, room_random};
    if (!self->letters) {
        self->letters = check_memory(MAX_LETTERS * sizeof *self->letters);
    }
    self->options.wait_ms = 600000;
    if (self->options.max_tables == 0) {
        self->options.max_tables = 100;
        self->options.max_seats_per_key = 100;
    }
    self->options.open_seeds = !self->keeps_seeds;
    disk_init(&self->disk, DISK_NEVER, self->options.state, self->options.records);
    self->options.disk = &self->disk;
    if (tables_new(&self->options, &host, self->now, message, &self->tables) != MH_OK) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
}

static inline void room_forget(struct room *self)
{
    for (int i = 0; i < self->count; i++) {
        letter_drop(&self->letters[i]);
    }
    self->count = 0;
    memset(self->read, 0, sizeof self->read);
}

static inline void room_close(struct room *self)
{
    tables_free(&self->tables);
    CHECK(!self->tables);
    room_forget(self);
    free(self->letters);
    letter_drop(&self->reply);
}

/* Player `number` of the room. Its token follows from the number, its session only nearly. */
static inline struct tables_player room_player(const struct room *self, int number)
{
    static unsigned char tokens[ROOM_PLAYERS + 1][TABLES_TOKEN];
    static const char *const names[] = {"", "ann", "bob", "cy", "dee", "eve", "fay", "gil", "han"};
    memset(tokens[number], 40 + 7 * number % 11, TABLES_TOKEN);
    return (struct tables_player){100 + (uint64_t)number, tokens[number], "",
                                  names[number],          self->form,     self->texts};
}

/* A message from JSON that is written with ' instead of ". */
static inline struct letter room_json(const char *text)
{
    char json[1024];
    struct wire_out out;
    CHECK(strlen(text) < sizeof json);
    for (size_t i = 0; i <= strlen(text); i++) {
        json[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    wire_begin(&out, sizeof json);
    wire_json(&out, json);
    struct wire_message *message = wire_finish(&out);
    const struct letter letter = letter_of(0, message);
    wire_release(message);
    return letter;
}

static inline tables_handler *room_handler(const char *name)
{
    static const struct {
        const char *name;
        tables_handler *run;
    } handlers[] = {{"sit", tables_sit},     {"play", tables_play}, {"tables", tables_list},
                    {"stand", tables_stand}, {"back", tables_back}, {"picture", tables_picture}};
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        if (strcmp(handlers[i].name, name) == 0) {
            return handlers[i].run;
        }
    }
    fprintf(stderr, "tables have no request %s\n", name);
    exit(1);
}

/* Sends [name, arguments...], the arguments as a JSON array. Returns whether it was done; the first result is then in
 * `reply`, the error else in `error`. */
static inline int room_request(struct room *self, int number, const char *name, const char *json)
{
    struct letter sent = room_json(json);
    struct wire_out out;
    const struct tables_player player = room_player(self, number);
    const struct wire_args args = {sent.unpacked.data.via.array.ptr, sent.unpacked.data.via.array.size};
    const int said = self->count;
    int results;
    (void)tables_heard(self->tables, &player, self->now, 0);
    if (strcmp(name, "act") == 0) {
        results = tables_act(self->tables, &player, &args, self->now, &self->error);
    } else {
        wire_begin(&out, 16);
        results = room_handler(name)(self->tables, &player, &args, self->now, &out, &self->error);
        for (int i = said; i < self->count; i++) {
            CHECK_EQUAL(self->letters[i].to, SPECTATOR); /* a reply comes before what follows from it */
        }
        struct wire_message *reply = wire_finish(&out);
        CHECK(results >= 0 || reply->size == 0);
        letter_drop(&self->reply);
        if (results > 0) {
            self->reply = letter_of(number, reply);
        }
        wire_release(reply);
    }
    letter_drop(&sent);
    return results >= 0;
}

/* The request must be refused with that code. */
static inline void room_refused(struct room *self, int number, const char *name, const char *json, const char *code)
{
    if (room_request(self, number, name, json) || strcmp(self->error.code, code) != 0) {
        fprintf(stderr, "%s %s: not refused with %s\n", name, json, code);
        exit(1);
    }
}

static inline void room_done(struct room *self, int number, const char *name, const char *json)
{
    if (!room_request(self, number, name, json)) {
        fprintf(stderr, "%s %s: %s: %s\n", name, json, self->error.code, self->error.text);
        exit(1);
    }
}

static inline void room_hello(struct room *self, int number)
{
    const struct tables_player player = room_player(self, number);
    tables_heard(self->tables, &player, self->now, 1);
}

/* Ticks until there is nothing to do now. Returns when there is. */
static inline int64_t room_settle(struct room *self)
{
    int64_t due;
    do {
        due = tables_tick(self->tables, self->now);
    } while (due >= 0 && due <= self->now);
    return due;
}

/* ---- Messages received -------------------------------------------------------------------------------------- */

static inline int object_is(const msgpack_object *object, const char *text)
{
    return object->type == MSGPACK_OBJECT_STR && object->via.str.size == strlen(text) &&
           memcmp(object->via.str.ptr, text, strlen(text)) == 0;
}

static inline const msgpack_object *object_item(const msgpack_object *array, uint32_t place)
{
    CHECK(array->type == MSGPACK_OBJECT_ARRAY && place < array->via.array.size);
    return &array->via.array.ptr[place];
}

static inline const msgpack_object *object_key(const msgpack_object *map, const char *key)
{
    CHECK_EQUAL(map->type, MSGPACK_OBJECT_MAP);
    const msgpack_object *value = wire_key(map, key);
    if (!value) {
        fprintf(stderr, "no key %s\n", key);
        exit(1);
    }
    return value;
}

static inline int64_t object_int(const msgpack_object *object)
{
    CHECK(object->type == MSGPACK_OBJECT_POSITIVE_INTEGER || object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER);
    return object->via.i64;
}

static inline int64_t int_at(const msgpack_object *map, const char *key)
{
    return object_int(object_key(map, key));
}

static inline int true_at(const msgpack_object *map, const char *key)
{
    CHECK_EQUAL(object_key(map, key)->type, MSGPACK_OBJECT_BOOLEAN);
    return object_key(map, key)->via.boolean;
}

static inline const msgpack_object *room_reply(const struct room *self)
{
    return &self->reply.unpacked.data;
}

/* The next message to somebody, or NULL. Alive until room_forget. */
static inline const msgpack_object *room_next(struct room *self, int to)
{
    while (self->read[to] < self->count) {
        const struct letter *letter = &self->letters[self->read[to]++];
        if (letter->to == to) {
            return &letter->unpacked.data;
        }
    }
    return NULL;
}

/* The next message to somebody of that name; others are passed over. */
static inline const msgpack_object *room_await(struct room *self, int to, const char *name)
{
    const msgpack_object *message;
    do {
        message = room_next(self, to);
        if (!message) {
            fprintf(stderr, "nobody has said %s to %d\n", name, to);
            exit(1);
        }
    } while (!object_is(object_item(message, 0), name));
    return message;
}

/* Nothing has been said to somebody that was not looked at. */
static inline void room_quiet(struct room *self, int to)
{
    const msgpack_object *message = room_next(self, to);
    if (message) {
        msgpack_object_print(stderr, *message);
        CHECK(!message);
    }
}

/* Answers a turn. */
static inline void room_act(struct room *self, int number, int64_t turn, int action)
{
    char json[64];
    (void)snprintf(json, sizeof json, "[%lld,%d]", (long long)turn, action);
    room_done(self, number, "act", json);
}

/* A legal action of a turn's mask, as `random` falls. */
static inline int room_choose(const msgpack_object *turn, struct mh_rng *random)
{
    const msgpack_object *mask = object_item(turn, 4);
    uint32_t legal = 0;
    for (uint32_t i = 0; i < mask->via.bin.size; i++) {
        legal += mask->via.bin.ptr[i] != 0;
    }
    uint32_t left = mh_rng_below(random, legal);
    int action = 0;
    while (!mask->via.bin.ptr[action] || left-- > 0) {
        action++;
    }
    return action;
}

/* The options `wanted` where the game takes them; `otherwise` where it has not all of them. */
static inline const char *room_options(const char *id, const char *wanted, const char *otherwise)
{
    struct mh_game *game = NULL;
    const int takes = mh_game_new(id, wanted, NULL, &game) == MH_OK;
    mh_game_free(&game);
    return takes ? wanted : otherwise;
}

#endif
