#include "table_journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

/* An entry is the length of a msgpack array, four bytes with the lowest first, and that array. The first one is the
 * table, [VERSION, {terms and more}], all others [kind, actions played before it, player, value, time]. */
enum { VERSION = 1, LENGTH = 4, ENTRY_ITEMS = 5, PLAYER_ITEMS = 16, MAX_ITEMS = 1000 };

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int path_of(const struct table *self, char path[FILES_PATH])
{
    char name[TABLE_NAME + sizeof JOURNAL_ENDING];
    (void)snprintf(name, sizeof name, "%s%s", self->name, JOURNAL_ENDING);
    return files_path(self->house->state, name, path);
}

static int is_off(const struct table *self)
{
    return !self->house->state || self->house->muted;
}

/* The length's place is kept free at the beginning. */
static void begin_entry(struct wire_out *out, size_t expected)
{
    wire_begin(out, LENGTH + expected);
    if (!out->failed) {
        out->message->size = LENGTH;
    }
}

static void write_entry(struct table *self, struct wire_out *out,
                        int (*write)(const char *path, const void *bytes, size_t size))
{
    char path[FILES_PATH];
    struct wire_message *entry = wire_finish(out);
    int failed = !entry || path_of(self, path) != 0;
    if (!failed) {
        const size_t length = entry->size - LENGTH;
        for (int i = 0; i < LENGTH; i++) {
            entry->bytes[i] = (unsigned char)(length >> 8 * i);
        }
        failed = write(path, entry->bytes, entry->size) != 0;
    }
    self->house->figures.failures += failed;
    wire_release(entry);
}

static void write_player(const struct player *it, struct wire_out *out)
{
    wire_array(out, PLAYER_ITEMS);
    wire_int(out, it->kind);
    wire_int(out, it->bot);
    wire_bin(out, it->token, sizeof it->token);
    wire_text(out, it->key);
    wire_text(out, it->name);
    wire_bool(out, it->fields);
    wire_bool(out, it->texts);
    wire_bool(out, it->away);
    wire_int(out, it->missed);
    wire_int(out, it->turn);
    wire_int(out, it->totals.games);
    wire_int(out, it->totals.wins);
    wire_int(out, it->totals.points);
    wire_int(out, it->totals.credits);
    wire_int(out, it->totals.missed);
    wire_double(out, it->totals.returns);
}

void journal_begin(struct table *self)
{
    self->played = 0;
    if (is_off(self)) {
        return;
    }
    struct wire_out out;
    begin_entry(&out, 2048);
    wire_array(&out, 2);
    wire_int(&out, VERSION);
    wire_map(&out, TERMS_KEYS + 5);
    terms_write(&self->terms, &out);
    wire_key_text(&out, "table", self->name);
    wire_text(&out, "first_seed");
    wire_uint(&out, self->first_seed);
    wire_key_int(&out, "number", self->number);
    wire_key_int(&out, "spoken", self->spoken);
    wire_text(&out, "players");
    wire_array(&out, (size_t)table_seats(self));
    for (int i = 0; i < table_seats(self); i++) {
        write_player(&self->players[i], &out);
    }
    write_entry(self, &out, files_replace);
}

void journal_add(struct table *self, int kind, int player, int64_t value, int64_t time)
{
    if (is_off(self)) {
        return;
    }
    struct wire_out out;
    begin_entry(&out, 64);
    wire_array(&out, ENTRY_ITEMS);
    wire_int(&out, kind);
    wire_int(&out, self->played);
    wire_int(&out, player);
    wire_int(&out, value);
    wire_int(&out, time);
    write_entry(self, &out, files_append);
}

void journal_remove(const struct table *self)
{
    char path[FILES_PATH];
    if (!is_off(self) && path_of(self, path) == 0) {
        (void)remove(path);
    }
}

/* ---- Reading a table ---------------------------------------------------------------------------------------- */

static int read_player(const msgpack_object *object, struct player *it, struct wire_error *error)
{
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size != PLAYER_ITEMS) {
        return wire_refuse(error, "argument", "players: not as this version writes them");
    }
    const msgpack_object *item = object->via.array.ptr;
    int64_t kind = 0;
    int64_t bot = 0;
    int64_t missed = 0;
    if (item[2].type != MSGPACK_OBJECT_BIN || item[2].via.bin.size != sizeof it->token ||
        item[15].type != MSGPACK_OBJECT_FLOAT64) {
        return wire_refuse(error, "argument", "players: not as this version writes them");
    }
    memcpy(it->token, item[2].via.bin.ptr, sizeof it->token);
    it->totals.returns = item[15].via.f64;
    struct totals *totals = &it->totals;
    if (wire_read_int(&item[0], "kind", PLAYER_NONE, PLAYER_REMOTE, &kind, error) != 0 ||
        wire_read_int(&item[1], "bot", 0, MH_MAX_SEATS * MH_MAX_SEATS, &bot, error) != 0 ||
        wire_read_text(&item[3], "key", it->key, sizeof it->key, error) != 0 ||
        wire_read_text(&item[4], "name", it->name, sizeof it->name, error) != 0 ||
        wire_read_bool(&item[5], "fields", &it->fields, error) != 0 ||
        wire_read_bool(&item[6], "texts", &it->texts, error) != 0 ||
        wire_read_bool(&item[7], "away", &it->away, error) != 0 ||
        wire_read_int(&item[8], "missed", 0, TABLE_PATIENCE, &missed, error) != 0 ||
        wire_read_int(&item[9], "turn", 0, INT64_MAX, &it->turn, error) != 0 ||
        wire_read_int(&item[10], "games", 0, INT64_MAX, &totals->games, error) != 0 ||
        wire_read_int(&item[11], "wins", 0, INT64_MAX, &totals->wins, error) != 0 ||
        wire_read_int(&item[12], "points", INT64_MIN, INT64_MAX, &totals->points, error) != 0 ||
        wire_read_int(&item[13], "credits", INT64_MIN, INT64_MAX, &totals->credits, error) != 0 ||
        wire_read_int(&item[14], "missed", 0, INT64_MAX, &totals->missed, error) != 0) {
        return -1;
    }
    it->kind = (enum player_kind)kind;
    it->bot = (int)bot;
    it->missed = (int)missed;
    return 0;
}

static int read_players(struct table *self, const msgpack_object *list, struct wire_error *error)
{
    if (!list || list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size != (uint32_t)table_seats(self)) {
        return wire_refuse(error, "argument", "players: not one for each seat");
    }
    for (int i = 0; i < table_seats(self); i++) {
        if (read_player(&list->via.array.ptr[i], &self->players[i], error) != 0) {
            return -1;
        }
        if (self->players[i].kind == PLAYER_BOT && self->players[i].bot >= terms_spec(&self->terms)->num_bots) {
            return wire_refuse(error, "argument", "players: no such bot");
        }
    }
    return 0;
}

static struct table *read_table(struct house *house, const msgpack_object *map, struct wire_error *error)
{
    struct terms terms;
    char name[TABLE_NAME] = "";
    uint64_t first_seed = 0;
    if (wire_read_text(wire_key(map, "table"), "table", name, sizeof name, error) != 0 ||
        wire_read_seed(wire_key(map, "first_seed"), "first_seed", &first_seed, error) != 0 ||
        terms_read(&terms, NULL, map, error) != 0) {
        return NULL;
    }
    struct table *self = table_new(house, name, &terms, first_seed);
    terms_free(&terms);
    if (!self) {
        (void)wire_refuse(error, "memory", "no memory for the table");
        return NULL;
    }
    if (wire_read_int(wire_key(map, "number"), "number", 0, terms.games - 1, &self->number, error) != 0 ||
        wire_read_int(wire_key(map, "spoken"), "spoken", 0, INT64_MAX, &self->spoken, error) != 0 ||
        read_players(self, wire_key(map, "players"), error) != 0) {
        table_free(self);
        return NULL;
    }
    self->phase = table_free_seats(self) ? TABLE_WAITING : TABLE_PLAYING;
    return self;
}

/* ---- Following ---------------------------------------------------------------------------------------------- */

/* What an entry says; numbers that make no sense are refused where they are used. */
struct entry {
    int64_t kind, played, player, value, time;
};

static int read_entry(const msgpack_object *object, struct entry *entry)
{
    struct wire_error error;
    int64_t *const numbers[ENTRY_ITEMS] = {&entry->kind, &entry->played, &entry->player, &entry->value,
                                           &entry->time};
    if (object->via.array.size != ENTRY_ITEMS) {
        return -1;
    }
    for (int i = 0; i < ENTRY_ITEMS; i++) {
        *numbers[i] = 0;
        if (wire_read_int(&object->via.array.ptr[i], "entry", INT64_MIN, INT64_MAX, numbers[i], &error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int follow_answer(struct table *self, const struct entry *entry)
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

static int follow_entry(struct table *self, const struct entry *entry)
{
    while (self->played < entry->played && table_step(self)) {
    }
    if (self->played != entry->played || self->phase != TABLE_PLAYING || entry->player < 0 ||
        entry->player >= table_seats(self) || entry->kind < JOURNAL_BEGIN) {
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
        return follow_answer(self, entry);
    }
    if (self->players[entry->player].kind != PLAYER_REMOTE) {
        return -1;
    }
    (entry->kind == JOURNAL_LEAVE ? table_leave : table_return)(self, (int)entry->player);
    return 0;
}

/* The next entry's object, alive until `unpacked` is destroyed. Returns 0 at the end: what was not written whole when
 * the process was killed is none. */
static int next_entry(const unsigned char *bytes, size_t size, size_t *used, msgpack_unpacked *unpacked)
{
    size_t length = 0;
    if (size - *used < LENGTH) {
        return 0;
    }
    for (int i = 0; i < LENGTH; i++) {
        length |= (size_t)bytes[*used + (size_t)i] << 8 * i;
    }
    const unsigned char *entry = bytes + *used + LENGTH;
    size_t offset = 0;
    if (length > size - *used - LENGTH || !wire_check(entry, length, MAX_ITEMS) ||
        msgpack_unpack_next(unpacked, (const char *)entry, length, &offset) != MSGPACK_UNPACK_SUCCESS) {
        return 0;
    }
    *used += LENGTH + length;
    return 1;
}

static struct table *follow(struct house *house, const unsigned char *bytes, size_t size, size_t *used,
                            struct wire_error *error)
{
    struct table *self = NULL;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    int64_t version = 0;
    if (next_entry(bytes, size, used, &unpacked) && unpacked.data.via.array.size == 2 &&
        wire_read_int(unpacked.data.via.array.ptr, "version", VERSION, VERSION, &version, error) == 0) {
        self = read_table(house, &unpacked.data.via.array.ptr[1], error);
    }
    for (int count = 1; self && next_entry(bytes, size, used, &unpacked); count++) {
        struct entry entry;
        if (read_entry(&unpacked.data, &entry) != 0 || follow_entry(self, &entry) != 0) {
            (void)wire_refuse(error, "argument", "entry %d does not fit the game; was it another version's?",
                              count);
            table_free(self);
            self = NULL;
        }
    }
    msgpack_unpacked_destroy(&unpacked);
    return self;
}

struct table *journal_follow(struct house *house, const char *path, char *message)
{
    struct wire_error error = {"argument", "it is no journal of a table"};
    unsigned char *bytes;
    size_t size;
    size_t used = 0;
    if (files_read(path, &bytes, &size) != 0) {
        mh_message(message, "state: %.200s cannot be read", path);
        return NULL;
    }
    house->muted = 1;
    struct table *self = follow(house, bytes, size, &used, &error);
    house->muted = 0;
    if (self) {
        record_flush(self);
        if (used < size && files_replace(path, bytes, used) != 0) {
            house->figures.failures++;
        }
    } else {
        mh_message(message, "state: %.100s: %.130s", path, error.text);
    }
    free(bytes);
    return self;
}
