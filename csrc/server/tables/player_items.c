#include "player_items.h"

#include <stddef.h>
#include <string.h>

enum item_type { ITEM_INT, ITEM_LONG, ITEM_BOOL, ITEM_BYTES, ITEM_TEXT, ITEM_DOUBLE };

/* A member of struct player; one of several numbers is as many items. */
struct item {
    const char *name;
    enum item_type type;
    size_t at;           /* in struct player */
    size_t size;         /* bytes there */
    int64_t least, most; /* of whole numbers */
};

#define ITEM(type, member, least, most)                                                                            \
    {#member, type, offsetof(struct player, member), sizeof((struct player *)0)->member, least, most}

_Static_assert(sizeof(enum player_kind) == sizeof(int), "a kind is read and written as an int");

/* In their order in the array. Another list needs another JOURNAL_VERSION. */
static const struct item items[] = {
    ITEM(ITEM_INT, kind, PLAYER_NONE, PLAYER_REMOTE),
    ITEM(ITEM_INT, bot, 0, (MH_MAX_SEATS * MH_MAX_SEATS)),
    ITEM(ITEM_BYTES, token, 0, 0),
    ITEM(ITEM_TEXT, key, 0, 0),
    ITEM(ITEM_TEXT, name, 0, 0),
    ITEM(ITEM_INT, form, TABLES_RAW, TABLES_CHANGES),
    ITEM(ITEM_BOOL, texts, 0, 1),
    ITEM(ITEM_BOOL, away, 0, 1),
    ITEM(ITEM_INT, missed, 0, TABLE_PATIENCE),
    ITEM(ITEM_LONG, turn, 0, INT64_MAX),
    ITEM(ITEM_LONG, totals.games, 0, INT64_MAX),
    ITEM(ITEM_LONG, totals.wins, 0, INT64_MAX),
    ITEM(ITEM_LONG, totals.missed, 0, INT64_MAX),
    ITEM(ITEM_DOUBLE, totals.returns, 0, 0),
    ITEM(ITEM_BOOL, left, 0, 1),
    ITEM(ITEM_LONG, totals.actions_of_bots, 0, INT64_MAX),
    ITEM(ITEM_LONG, totals.rounds_of_bots, 0, INT64_MAX),
    ITEM(ITEM_LONG, totals.games_of_bots, 0, INT64_MAX),
    ITEM(ITEM_LONG, totals.sums, INT64_MIN, INT64_MAX),
};

enum { ITEMS = sizeof items / sizeof *items };

static size_t numbers_of(const struct item *item)
{
    return item->type == ITEM_LONG ? item->size / sizeof(int64_t) : 1;
}

static size_t array_size(void)
{
    size_t size = 0;
    for (int i = 0; i < ITEMS; i++) {
        size += numbers_of(&items[i]);
    }
    return size;
}

static void write_item(const struct item *item, const void *member, struct wire_out *out)
{
    switch (item->type) {
    case ITEM_INT:
        wire_int(out, *(const int *)member);
        break;
    case ITEM_LONG:
        for (size_t i = 0; i < numbers_of(item); i++) {
            wire_int(out, ((const int64_t *)member)[i]);
        }
        break;
    case ITEM_BOOL:
        wire_bool(out, *(const int *)member);
        break;
    case ITEM_BYTES:
        wire_bin(out, member, item->size);
        break;
    case ITEM_TEXT:
        wire_text(out, member);
        break;
    case ITEM_DOUBLE:
        wire_double(out, *(const double *)member);
        break;
    }
}

void player_items_write(const struct player *self, struct wire_out *out)
{
    wire_array(out, array_size());
    for (int i = 0; i < ITEMS; i++) {
        write_item(&items[i], (const char *)self + items[i].at, out);
    }
}

static int refuse_array(struct wire_error *error)
{
    return wire_refuse(error, "argument", "players: not as this version writes them");
}

static int read_longs(const struct item *item, const msgpack_object *values, int64_t *numbers,
                      struct wire_error *error)
{
    for (size_t i = 0; i < numbers_of(item); i++) {
        if (wire_read_int(&values[i], item->name, item->least, item->most, &numbers[i], error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_item(const struct item *item, const msgpack_object *value, void *member, struct wire_error *error)
{
    int64_t number = item->least;
    switch (item->type) {
    case ITEM_INT:
        if (wire_read_int(value, item->name, item->least, item->most, &number, error) != 0) {
            return -1;
        }
        *(int *)member = (int)number;
        return 0;
    case ITEM_LONG:
        return read_longs(item, value, member, error);
    case ITEM_BOOL:
        return wire_read_bool(value, item->name, member, error);
    case ITEM_BYTES:
        if (value->type != MSGPACK_OBJECT_BIN || value->via.bin.size != item->size) {
            return refuse_array(error);
        }
        memcpy(member, value->via.bin.ptr, item->size);
        return 0;
    case ITEM_TEXT:
        return wire_read_text(value, item->name, member, item->size, error);
    case ITEM_DOUBLE:
        if (value->type != MSGPACK_OBJECT_FLOAT64) {
            return refuse_array(error);
        }
        *(double *)member = value->via.f64;
        return 0;
    }
    return refuse_array(error);
}

int player_items_read(const msgpack_object *array, struct player *self, struct wire_error *error)
{
    if (array->type != MSGPACK_OBJECT_ARRAY || array->via.array.size != array_size()) {
        return refuse_array(error);
    }
    const msgpack_object *value = array->via.array.ptr;
    for (int i = 0; i < ITEMS; i++) {
        if (read_item(&items[i], value, (char *)self + items[i].at, error) != 0) {
            return -1;
        }
        value += numbers_of(&items[i]);
    }
    return 0;
}
