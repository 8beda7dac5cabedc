#include "lobby.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/limit.h"
#include "common/names.h"
#include "table_journal.h"
#include "table_play.h"

/* ---- Who sits where ----------------------------------------------------------------------------------------- */

/* The index of a token's place, or the index where it belongs. */
static int search(const struct tables *self, const unsigned char *token)
{
    int low = 0;
    int high = self->num_places;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (memcmp(self->places[middle].token, token, TABLES_TOKEN) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct place *lobby_place(const struct tables *self, const unsigned char *token)
{
    const int at = search(self, token);
    return at < self->num_places && memcmp(self->places[at].token, token, TABLES_TOKEN) == 0 ? &self->places[at]
                                                                                             : NULL;
}

/* Makes room for another item in a list; returns the list, or NULL. */
static void *room(void *items, size_t size, int count, int *capacity)
{
    if (count < *capacity) {
        return items;
    }
    const int larger = 2 * *capacity + 16;
    void *moved = realloc(items, size * (size_t)larger);
    if (moved) {
        *capacity = larger;
    }
    return moved;
}

static int reserve_place(struct tables *self)
{
    struct place *places = room(self->places, sizeof *places, self->num_places, &self->max_places);
    self->places = places ? places : self->places;
    return places ? 0 : -1;
}

/* The list must have room. */
static void add_place(struct tables *self, const unsigned char *token, struct table *table, int player)
{
    const int at = search(self, token);
    struct place *place = &self->places[at];
    memmove(place + 1, place, sizeof *place * (size_t)(self->num_places - at));
    *place = (struct place){.table = table, .player = player};
    memcpy(place->token, token, sizeof place->token);
    self->num_places++;
}

static void remove_place(struct tables *self, struct place *place)
{
    memmove(place, place + 1, sizeof *place * (size_t)(self->places + self->num_places - place - 1));
    self->num_places--;
}

static int count_seats(const struct tables *self, const char *key)
{
    int count = 0;
    for (int i = 0; i < self->num_places; i++) {
        const struct place *place = &self->places[i];
        count += place->table->phase != TABLE_OVER && strcmp(place->table->players[place->player].key, key) == 0;
    }
    return count;
}

/* ---- Tables with something to do ---------------------------------------------------------------------------- */

void lobby_wake(struct tables *self, struct table *table)
{
    if (table->is_busy) {
        return;
    }
    table->is_busy = 1;
    table->next_busy = NULL;
    if (self->last_busy) {
        self->last_busy->next_busy = table;
    } else {
        self->first_busy = table;
    }
    self->last_busy = table;
}

struct table *lobby_next(struct tables *self)
{
    struct table *table = self->first_busy;
    if (table) {
        self->first_busy = table->next_busy;
        self->last_busy = self->first_busy ? self->last_busy : NULL;
        table->is_busy = 0;
    }
    return table;
}

/* Takes a table out of the queue, by turning the queue round once. */
static void put_to_rest(struct tables *self, const struct table *table)
{
    const struct table *last = self->last_busy;
    struct table *each = table->is_busy ? lobby_next(self) : NULL;
    while (each) {
        if (each != table) {
            lobby_wake(self, each);
        }
        each = each == last ? NULL : lobby_next(self);
    }
}

/* ---- Tables come and go ------------------------------------------------------------------------------------- */

struct table *lobby_table(const struct tables *self, const char *name, size_t length)
{
    for (int i = 0; i < self->count; i++) {
        if (strlen(self->tables[i]->name) == length && memcmp(self->tables[i]->name, name, length) == 0) {
            return self->tables[i];
        }
    }
    return NULL;
}

int lobby_add(struct tables *self, struct table *table)
{
    struct table **tables =
        (struct table **)room((void *)self->tables, sizeof *tables, self->count, &self->capacity);
    if (!tables) {
        return -1;
    }
    self->tables = tables;
    self->tables[self->count++] = table;
    table->opened = self->shared.now;
    lobby_wake(self, table);
    return 0;
}

void lobby_close(struct tables *self, struct table *table)
{
    for (int i = self->num_places - 1; i >= 0; i--) {
        if (self->places[i].table == table) {
            remove_place(self, &self->places[i]);
        }
    }
    for (int i = 0; i < self->count; i++) {
        if (self->tables[i] == table) {
            self->tables[i] = self->tables[--self->count];
        }
    }
    put_to_rest(self, table);
    table_journal_remove(table);
    table_free(table);
}

void lobby_end(struct tables *self, struct table *table)
{
    table_abandon(table);
    table_journal_remove(table);
    journal_forget(&table->journal);
    table->due = -1; /* it stays for a while, for those who ask how it ended */
    table->asked = -1;
    table->move.is_held = 0;
    for (int i = 0; i < table_seats(table); i++) {
        table->players[i].remind = 1;
    }
    lobby_wake(self, table);
}

void lobby_leave(struct tables *self, struct place *place)
{
    struct table *table = place->table;
    table_leave(table, place->player);
    remove_place(self, place);
    if (table_remote_players(table) > 0) {
        lobby_wake(self, table);
        return;
    }
    if (table->phase == TABLE_PLAYING) {
        table_abandon(table);
    }
    lobby_close(self, table);
}

static int draw_bytes(const struct tables_shared *shared, void *bytes, size_t size, struct wire_error *error)
{
    return shared->host.random(shared->host.context, bytes, size) == 0
               ? 0
               : wire_refuse(error, "memory", "the system gives no random bits");
}

static int draw_secret(struct table *table, struct wire_error *error)
{
    unsigned char bits[SECRET_BITS];
    if (table->terms.seeded) {
        return 0;
    }
    if (draw_bytes(table->shared, bits, sizeof bits, error) != 0) {
        return -1;
    }
    sha256_text(bits, table->secret);
    return 0;
}

/* A player who gave or can guess the seed knows all cards, so nobody else should be seated there unasked. */
static int check_seed(const struct tables *self, const struct terms *terms, struct wire_error *error)
{
    return !terms->seeded || self->shared.open_seeds || terms->game->sizes.seats - terms->num_bots == 1
               ? 0
               : limit_refuse(error, LIMIT_OPEN_SEEDS, "seed: who gives it knows the cards of others");
}

/* Counts the open tables; `oldest` is the one that has waited for players for longest, or NULL. */
static int count_open(const struct tables *self, struct table **oldest)
{
    int open = 0;
    *oldest = NULL;
    for (int i = 0; i < self->count; i++) {
        struct table *table = self->tables[i];
        open += table->phase != TABLE_OVER;
        *oldest =
            table->phase == TABLE_WAITING && (!*oldest || table->opened < (*oldest)->opened) ? table : *oldest;
    }
    return open;
}

/* Makes room for another table: those that have waited for players for long enough end, the oldest first. */
static int make_room(struct tables *self, struct wire_error *error)
{
    enum { SECOND_MS = 1000 };
    struct table *oldest;
    for (int open; (open = count_open(self, &oldest)) >= self->max_tables; lobby_end(self, oldest)) {
        if (!oldest) {
            return limit_refuse(error, LIMIT_TABLES, "%d tables are open already, and all are played at", open);
        }
        const int64_t left = oldest->opened + self->wait_ms - self->shared.now;
        if (left > 0) {
            const long long seconds = (left + SECOND_MS - 1) / SECOND_MS;
            return limit_refuse(error, LIMIT_TABLES,
                                "%d tables are open already, and the one that has waited for players for longest "
                                "makes way in %lld second%s",
                                open, seconds, seconds == 1 ? "" : "s");
        }
    }
    return 0;
}

static struct table *open_table(struct tables *self, const char *name, const char *key, struct terms *terms,
                                struct wire_error *error)
{
    if (check_seed(self, terms, error) != 0 || rate_check(&self->rate, key, self->shared.now, error) != 0 ||
        make_room(self, error) != 0) {
        return NULL;
    }
    struct table *table = table_new(&self->shared, name, terms);
    if (table && draw_secret(table, error) != 0) {
        table_free(table);
        return NULL;
    }
    if (table && lobby_add(self, table) != 0) {
        table_free(table);
        table = NULL;
    }
    if (!table) {
        (void)wire_refuse(error, "memory", "no memory for a table");
        return NULL;
    }
    rate_count(&self->rate, key, self->shared.now);
    return table;
}

/* ---- Sitting down ------------------------------------------------------------------------------------------- */

static int read_table_name(const msgpack_object *map, char name[TABLE_NAME], struct wire_error *error)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    if (wire_read_text(wire_key(map, "table"), "table", name, TABLE_NAME, error) != 0) {
        return -1;
    }
    if (!name[0] || strspn(name, letters) != strlen(name)) {
        return wire_refuse(error, "argument", "table: '%s' is not 1 to %d of A-Z a-z 0-9 _ -", name,
                           TABLE_NAME - 1);
    }
    return 0;
}

static int has_player(const void *context, const char *name)
{
    const struct table *table = context;
    int found = 0;
    for (int i = 0; i < table_seats(table); i++) {
        found |= table->players[i].kind != PLAYER_NONE && strcmp(table->players[i].name, name) == 0;
    }
    return found;
}

static int pick_seat(const struct table *table, int64_t wanted)
{
    for (int i = 0; i < table_seats(table); i++) {
        if (table->players[i].kind == PLAYER_NONE && (wanted < 0 || wanted == i)) {
            return i;
        }
    }
    return -1;
}

/* The wishes of a player who sits down. */
struct wish {
    const msgpack_object *map;
    const char *key;        /* the player's */
    char table[TABLE_NAME]; /* "": any table with these terms */
    char name[TABLE_PLAYER];
    int64_t seat; /* -1: any */
};

static int read_wish(struct wish *wish, int named, const struct tables_player *player, const struct wire_args *args,
                     struct wire_error *error)
{
    *wish = (struct wish){.map = wire_arg_map(args, 0, error), .key = player->key};
    (void)snprintf(wish->name, sizeof wish->name, "%s", player->client[0] ? player->client : "player");
    if (!wish->map) {
        return -1;
    }
    if (named && read_table_name(wish->map, wish->table, error) != 0) {
        return -1;
    }
    return names_read(wire_key(wish->map, "name"), "name", wish->name, sizeof wish->name, error);
}

/* Reads the terms that the player wishes, and then the seat, as they say how many there are. */
static int read_terms(const struct tables *self, struct wish *wish, const struct terms *defaults,
                      struct terms *terms, struct wire_error *error)
{
    if (terms_read(terms, defaults, wish->map, self->shared.bots, error) != 0) {
        return -1;
    }
    wish->seat = -1;
    return wire_read_int(wire_key(wish->map, "seat"), "seat", 0, terms->game->sizes.seats - 1, &wish->seat, error);
}

/* True if the player has this seat already, for example because a reply was lost. */
static int sits_there(const struct tables *self, const struct place *place, struct wish *wish,
                      struct wire_error *error)
{
    struct terms terms = {.game = NULL};
    if (place->table->phase == TABLE_OVER || (wish->table[0] && strcmp(wish->table, place->table->name) != 0)) {
        return 0;
    }
    const int same = read_terms(self, wish, wish->table[0] ? &place->table->terms : NULL, &terms, error) == 0 &&
                     (wish->seat < 0 || wish->seat == place->player) &&
                     !terms_difference(&terms, &place->table->terms);
    terms_free(&terms);
    return same;
}

/* The table of that name, or a new one. */
static int table_by_name(struct tables *self, struct wish *wish, struct terms *terms, struct table **table,
                         struct wire_error *error)
{
    struct table *of_that_name = lobby_table(self, wish->table, strlen(wish->table));
    const int is_over = of_that_name && of_that_name->phase == TABLE_OVER;
    struct table *found = is_over ? NULL : of_that_name;
    if (read_terms(self, wish, found ? &found->terms : NULL, terms, error) != 0) {
        return -1;
    }
    if (found && pick_seat(found, wish->seat) < 0) {
        return wire_refuse(error, "table", "%s at table %s",
                           wish->seat < 0 ? "no seat is free" : "that seat is taken", wish->table);
    }
    const char *difference = found ? terms_difference(terms, &found->terms) : NULL;
    if (difference) {
        return wire_refuse(error, "table", "%s: table %s has a different one", difference, wish->table);
    }
    if (is_over) {
        lobby_close(self, of_that_name);
    }
    *table = found;
    return 0;
}

/* The first waiting table with these terms. Nobody is led to a table whose seed somebody else has given. */
static struct table *table_by_terms(const struct tables *self, const struct wish *wish, const struct terms *terms)
{
    for (int i = 0; !terms->seeded && i < self->count; i++) {
        struct table *table = self->tables[i];
        if (table->phase == TABLE_WAITING && !terms_difference(terms, &table->terms) &&
            pick_seat(table, wish->seat) >= 0) {
            return table;
        }
    }
    return NULL;
}

/* Opens a table. The player chooses a seat before the bots. */
static struct table *open_for(struct tables *self, struct wish *wish, struct terms *terms, struct wire_error *error)
{
    while (!wish->table[0] || lobby_table(self, wish->table, strlen(wish->table))) {
        uint32_t bits;
        if (draw_bytes(&self->shared, &bits, sizeof bits, error) != 0) {
            return NULL;
        }
        (void)snprintf(wish->table, sizeof wish->table, "play-%08" PRIx32, bits);
    }
    struct table *table = open_table(self, wish->table, wish->key, terms, error);
    if (table) {
        table_sit_bots(table, wish->seat < 0 ? 0 : (int)wish->seat);
    }
    return table;
}

/* NULL with an error. */
static struct table *find_or_open(struct tables *self, struct wish *wish, struct wire_error *error)
{
    struct terms terms = {.game = NULL};
    struct table *table = NULL;
    int status;
    if (wish->table[0]) {
        status = table_by_name(self, wish, &terms, &table, error);
    } else {
        status = read_terms(self, wish, NULL, &terms, error);
        table = status == 0 ? table_by_terms(self, wish, &terms) : NULL;
    }
    if (status == 0 && !table) {
        table = open_for(self, wish, &terms, error);
    }
    terms_free(&terms);
    return table;
}

static void write_place(const struct place *place, struct wire_out *out)
{
    wire_map(out, 3);
    wire_key_text(out, "table", place->table->name);
    wire_key_int(out, "seat", place->player);
    wire_key_int(out, "waiting", table_free_seats(place->table));
}

int lobby_refuse_newcomer(const char *wish, struct wire_error *error)
{
    return limit_refuse(error, LIMIT_DRAINING, "%s: the server lets its games come to their end and then stops",
                        wish);
}

int lobby_sit(struct tables *self, const struct tables_player *player, int named, const struct wire_args *args,
              struct wire_out *out, struct wire_error *error)
{
    struct wish wish;
    if (read_wish(&wish, named, player, args, error) != 0) {
        return -1;
    }
    struct place *place = lobby_place(self, player->token);
    if (place && sits_there(self, place, &wish, error)) {
        write_place(place, out);
        return 0;
    }
    if (place && place->table->phase != TABLE_OVER) {
        return wire_refuse(error, "table", "you sit at table %s already: stand up first", place->table->name);
    }
    if (self->is_draining) {
        return lobby_refuse_newcomer("no seat", error);
    }
    if (count_seats(self, player->key) >= self->max_seats_per_key) {
        return limit_refuse(error, LIMIT_SEATS, "%d seats are taken already, the most that one key may have",
                            self->max_seats_per_key);
    }
    if (reserve_place(self) != 0) {
        return wire_refuse(error, "memory", "no memory for a seat");
    }
    struct table *table = find_or_open(self, &wish, error);
    if (!table) {
        return -1;
    }
    place = lobby_place(self, player->token);
    if (place) { /* of a table that is over */
        lobby_leave(self, place);
    }
    const int seat = pick_seat(table, wish.seat);
    names_tell_apart(wish.name, sizeof wish.name, &(struct names_taken){table, has_player});
    table_sit(table, seat, player, wish.name);
    add_place(self, player->token, table, seat);
    lobby_wake(self, table);
    write_place(lobby_place(self, player->token), out);
    return 0;
}

/* ---- Continuing ------------------------------------------------------------------------------------------ */

static int add_players(struct tables *self, int over)
{
    for (int i = 0; i < self->count; i++) {
        struct table *table = self->tables[i];
        for (int k = 0; (table->phase == TABLE_OVER) == over && k < table_seats(table); k++) {
            const struct player *it = &table->players[k];
            if (it->kind != PLAYER_REMOTE || lobby_place(self, it->token)) {
                continue;
            }
            if (reserve_place(self) != 0) {
                return -1;
            }
            add_place(self, it->token, table, k);
        }
    }
    return 0;
}

/* A session that moved from a finished table to another one sits at the other one. */
int lobby_add_players(struct tables *self)
{
    return add_players(self, 0) == 0 ? add_players(self, 1) : -1;
}
