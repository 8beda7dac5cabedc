#include "table_resume.h"

#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "player_items.h"
#include "table_journal.h"
#include "table_play.h"

enum { MAX_ITEMS = 1000 /* values of an entry */ };

/* ---- Reading a table ---------------------------------------------------------------------------------------- */

static int read_players(struct table *self, const msgpack_object *list, struct wire_error *error)
{
    if (!list || list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size != (uint32_t)table_seats(self)) {
        return wire_refuse(error, "argument", "players: not one for each seat");
    }
    for (int i = 0; i < table_seats(self); i++) {
        if (player_items_read(&list->via.array.ptr[i], &self->players[i], error) != 0) {
            return -1;
        }
        if (self->players[i].kind == PLAYER_BOT && !mh_bot_name(self->terms.game, self->players[i].bot)) {
            return wire_refuse(error, "argument", "players: no such bot");
        }
    }
    return 0;
}

static int read_secret(struct table *self, const msgpack_object *secret, struct wire_error *error)
{
    if (wire_read_text(secret, "secret", self->secret, sizeof self->secret, error) != 0) {
        return -1;
    }
    return self->terms.seeded || secret_is_one(self->secret)
               ? 0
               : wire_refuse(error, "argument", "secret: not %d hexadecimal digits", SECRET_TEXT - 1);
}

static struct table *read_table(struct tables_shared *shared, const msgpack_object *map, struct wire_error *error)
{
    struct terms terms;
    char name[TABLE_NAME] = "";
    if (wire_read_text(wire_key(map, "table"), "table", name, sizeof name, error) != 0 ||
        terms_read(&terms, NULL, map, GAMES_ANY_BOT, error) != 0) {
        return NULL;
    }
    struct table *self = table_new(shared, name, &terms);
    terms_free(&terms);
    if (!self) {
        (void)wire_refuse(error, "memory", "no memory for the table");
        return NULL;
    }
    if (wire_read_int(wire_key(map, "number"), "number", 0, terms.games - 1, &self->number, error) != 0 ||
        wire_read_int(wire_key(map, "spoken"), "spoken", 0, INT64_MAX, &self->spoken, error) != 0 ||
        read_secret(self, wire_key(map, "secret"), error) != 0 ||
        read_players(self, wire_key(map, "players"), error) != 0) {
        table_free(self);
        return NULL;
    }
    self->phase = table_free_seats(self) ? TABLE_WAITING : TABLE_PLAYING;
    return self;
}

/* ---- Following ---------------------------------------------------------------------------------------------- */

/* The contents of an entry. Impossible numbers are refused where they are used. */
struct entry {
    int64_t kind, played, player, value, time;
};

static int read_entry(const msgpack_object *object, struct entry *entry)
{
    struct wire_error error;
    int64_t *const numbers[JOURNAL_ITEMS] = {&entry->kind, &entry->played, &entry->player, &entry->value,
                                             &entry->time};
    if (object->via.array.size != JOURNAL_ITEMS) {
        return -1;
    }
    for (int i = 0; i < JOURNAL_ITEMS; i++) {
        *numbers[i] = 0;
        if (wire_read_int(&object->via.array.ptr[i], "entry", INT64_MIN, INT64_MAX, numbers[i], &error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int replay_answer(struct table *self, const struct entry *entry)
{
    const int64_t by = entry->kind - JOURNAL_ANSWER;
    if (self->asked < 0) {
        (void)table_step(self);
    }
    if (by > BY_ILLEGAL || self->asked < 0 || self->asked != entry->player || entry->value < 0 ||
        entry->value >= self->terms.game->sizes.actions ||
        !mh_set_has(mh_legal(self->terms.game->rules, self->state), (int)entry->value)) {
        return -1;
    }
    table_answer(self, (enum record_by)by, (int)entry->value, entry->time);
    return 0;
}

static int replay_entry(struct table *self, const struct entry *entry)
{
    while (self->played < entry->played && table_step(self)) {
    }
    /* In a pause after the last action a player may still leave or return; here there are no pauses. */
    const int may_be_over = entry->kind == JOURNAL_LEAVE || entry->kind == JOURNAL_RETURN;
    if (self->played != entry->played || self->phase == TABLE_WAITING ||
        (self->phase == TABLE_OVER && !may_be_over) || entry->player < 0 || entry->player >= table_seats(self) ||
        entry->kind < JOURNAL_BEGIN) {
        return -1;
    }
    if (entry->kind == JOURNAL_BEGIN) {
        if (self->begun) {
            return -1;
        }
        table_begin(self, entry->value, entry->time);
        return 0;
    }
    if (entry->kind >= JOURNAL_ANSWER) {
        return replay_answer(self, entry);
    }
    if (self->players[entry->player].kind != PLAYER_REMOTE) {
        return -1;
    }
    (entry->kind == JOURNAL_LEAVE ? table_leave : table_return)(self, (int)entry->player);
    return 0;
}

/* Unpacks an entry; its object is valid until `unpacked` is destroyed. */
static int unpack(const unsigned char *entry, size_t size, msgpack_unpacked *unpacked, struct wire_error *error)
{
    size_t used = 0;
    if (!wire_check(entry, size, MAX_ITEMS)) {
        return wire_refuse(error, "argument", "an entry was not written by this version of the server");
    }
    const int status = msgpack_unpack_next(unpacked, (const char *)entry, size, &used);
    return status == MSGPACK_UNPACK_SUCCESS ? 0 : wire_refuse(error, "memory", "no memory for an entry");
}

static int is_table(const msgpack_object *object)
{
    return object->via.array.size == JOURNAL_TABLE;
}

/* Moves on to the last table in the file, if there is one. Only the first byte of an entry need be looked at. */
static void find_table(struct journal_file *file)
{
    const unsigned char table = 0x90 | JOURNAL_TABLE;
    const unsigned char *entry;
    size_t size;
    size_t last = file->at;
    for (size_t at = file->at; journal_next(file, &entry, &size); at = file->at) {
        last = size > 0 && entry[0] == table ? at : last;
    }
    file->at = last;
}

static struct table *begin_table(struct tables_shared *shared, const char *path, const msgpack_object *object,
                                 struct wire_error *error)
{
    int64_t version = 0;
    const char *name = strrchr(path, '/') + 1;
    if (!is_table(object)) {
        (void)wire_refuse(error, "argument", "it is no journal of a table");
        return NULL;
    }
    if (wire_read_int(object->via.array.ptr, "version", JOURNAL_VERSION, JOURNAL_VERSION, &version, error) != 0) {
        return NULL;
    }
    struct table *self = read_table(shared, &object->via.array.ptr[1], error);
    if (self && (strncmp(self->name, name, strlen(self->name)) != 0 ||
                 strcmp(name + strlen(self->name), JOURNAL_ENDING) != 0)) {
        (void)wire_refuse(error, "argument", "it is the journal of table %s", self->name);
        table_free(self);
        self = NULL;
    }
    return self;
}

static struct table *replay(struct tables_shared *shared, const char *path, struct journal_file *file,
                            struct wire_error *error)
{
    struct table *self = NULL;
    const unsigned char *bytes;
    size_t size;
    int failed = 0;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    find_table(file);
    while (!failed && journal_next(file, &bytes, &size)) {
        struct entry entry;
        failed = unpack(bytes, size, &unpacked, error) != 0;
        if (!failed && !self) {
            self = begin_table(shared, path, &unpacked.data, error);
            failed = !self;
        } else if (!failed && (read_entry(&unpacked.data, &entry) != 0 || replay_entry(self, &entry) != 0)) {
            failed =
                wire_refuse(error, "argument",
                            "the entry before byte %zu does not fit the game; another version may have written "
                            "it",
                            file->at);
        }
    }
    msgpack_unpacked_destroy(&unpacked);
    /* The players were told what bots have played since the last entry, perhaps the end: first this is played again. */
    while (!failed && self && table_step(self)) {
    }
    if (failed && self) {
        table_free(self);
        self = NULL;
    }
    return self;
}

/* Continues a journal that was read. */
static int resume_table(struct tables_shared *shared, const char *path, struct journal_file *file, char *message,
                        struct table **table)
{
    struct wire_error error = {.code = "argument", .text = "it is no journal of a table"};
    shared->replaying = 1;
    struct table *self = replay(shared, path, file, &error);
    shared->replaying = 0;
    if (self && journal_continue(&self->journal, path, file) != 0) {
        (void)wire_refuse(&error, "memory", "%s, and it cannot be mended", file->found);
        table_free(self);
        self = NULL;
    }
    if (!self) {
        mh_message(message, "%s", error.text);
        return strcmp(error.code, "memory") == 0 ? MH_ERROR_MEMORY : MH_ERROR_ARGUMENT;
    }
    record_flush(self);
    *table = self;
    return MH_OK;
}

int table_resume(struct tables_shared *shared, const char *path, char *message, struct table **table)
{
    struct journal_file file;
    int status = journal_read(path, &shared->log, &file, message);
    if (status == MH_OK) {
        status = resume_table(shared, path, &file, message, table);
    }
    journal_close(&file);
    return status;
}
