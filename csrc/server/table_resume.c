#include "table_resume.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "table_journal.h"
#include "table_play.h"

enum { MAX_ITEMS = 1000 /* values of an entry */ };

/* ---- Reading a table ---------------------------------------------------------------------------------------- */

static int read_player(const msgpack_object *object, struct player *it, struct wire_error *error)
{
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size != JOURNAL_PLAYER) {
        return wire_refuse(error, "argument", "players: not as this version writes them");
    }
    const msgpack_object *item = object->via.array.ptr;
    int64_t kind = 0;
    int64_t bot = 0;
    int64_t missed = 0;
    if (item[2].type != MSGPACK_OBJECT_BIN || item[2].via.bin.size != sizeof it->token ||
        item[13].type != MSGPACK_OBJECT_FLOAT64) {
        return wire_refuse(error, "argument", "players: not as this version writes them");
    }
    memcpy(it->token, item[2].via.bin.ptr, sizeof it->token);
    it->totals.returns = item[13].via.f64;
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
        wire_read_int(&item[12], "missed", 0, INT64_MAX, &totals->missed, error) != 0) {
        return -1;
    }
    for (int i = 0; i < MH_MAX_TOTALS; i++) {
        if (wire_read_int(&item[14 + i], "totals", INT64_MIN, INT64_MAX, &totals->sums[i], error) != 0) {
            return -1;
        }
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

/* Reads the next entry; its object is valid until `unpacked` is destroyed. Returns 0 at the end, which is also where
 * an entry is incomplete because the process was killed. */
static int next_entry(const unsigned char *bytes, size_t size, size_t *used, msgpack_unpacked *unpacked)
{
    size_t length = 0;
    if (size - *used < JOURNAL_LENGTH) {
        return 0;
    }
    for (int i = 0; i < JOURNAL_LENGTH; i++) {
        length |= (size_t)bytes[*used + (size_t)i] << 8 * i;
    }
    const unsigned char *entry = bytes + *used + JOURNAL_LENGTH;
    size_t offset = 0;
    if (length > size - *used - JOURNAL_LENGTH || !wire_check(entry, length, MAX_ITEMS) ||
        msgpack_unpack_next(unpacked, (const char *)entry, length, &offset) != MSGPACK_UNPACK_SUCCESS) {
        return 0;
    }
    *used += JOURNAL_LENGTH + length;
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
        wire_read_int(unpacked.data.via.array.ptr, "version", JOURNAL_VERSION, JOURNAL_VERSION, &version, error) ==
            0) {
        self = read_table(house, &unpacked.data.via.array.ptr[1], error);
    }
    for (int count = 1; self && next_entry(bytes, size, used, &unpacked); count++) {
        struct entry entry;
        if (read_entry(&unpacked.data, &entry) != 0 || follow_entry(self, &entry) != 0) {
            (void)wire_refuse(error, "argument",
                              "entry %d does not fit the game; another version may have written it", count);
            table_free(self);
            self = NULL;
        }
    }
    msgpack_unpacked_destroy(&unpacked);
    return self;
}

struct table *table_resume(struct house *house, const char *path, char *message)
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
