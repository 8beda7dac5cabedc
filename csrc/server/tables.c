#include "tables.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "table_journal.h"
#include "table_messages.h"

/* Nobody else waits longer than for so many actions of bots, and no table for more of another one's. */
enum { TICK_STEPS = 256, TABLE_STEPS = 32 };

/* Where a session sits. */
struct place {
    unsigned char token[TABLES_TOKEN];
    struct table *table;
    int player;
};

struct tables {
    struct house house;
    int max_tables, max_seats_per_key;
    struct table **tables;
    int count, capacity;
    struct place *places; /* in the order of their tokens */
    int num_places, max_places;
    int first;   /* table that is served first in the next tick */
    int64_t due; /* of the next tick; -1: nothing to do */
};

/* ---- Who sits where ----------------------------------------------------------------------------------------- */

/* The place of a token, or where it belongs. */
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

static struct place *find_place(const struct tables *self, const unsigned char *token)
{
    const int at = search(self, token);
    return at < self->num_places && memcmp(self->places[at].token, token, TABLES_TOKEN) == 0 ? &self->places[at]
                                                                                             : NULL;
}

/* Makes room for one more item in a list; returns the list, or NULL. */
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

/* There must be room. */
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

/* ---- Tables come and go ------------------------------------------------------------------------------------- */

static struct table *find_table(const struct tables *self, const char *name, size_t length)
{
    for (int i = 0; i < self->count; i++) {
        if (strlen(self->tables[i]->name) == length && memcmp(self->tables[i]->name, name, length) == 0) {
            return self->tables[i];
        }
    }
    return NULL;
}

static int reserve_table(struct tables *self)
{
    struct table **tables = room(self->tables, sizeof *tables, self->count, &self->capacity);
    self->tables = tables ? tables : self->tables;
    return tables ? 0 : -1;
}

static void close_table(struct tables *self, struct table *table)
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
    journal_remove(table);
    table_free(table);
}

static void leave(struct tables *self, struct place *place)
{
    struct table *table = place->table;
    table_leave(table, place->player);
    remove_place(self, place);
    self->due = self->house.now;
    if (table_remote_players(table) > 0) {
        return;
    }
    if (table->phase == TABLE_PLAYING) {
        table_abandon(table);
    }
    close_table(self, table);
}

static int open_table(struct tables *self, const char *name, struct terms *terms, struct table **table,
                      struct wire_error *error)
{
    int open = 0;
    for (int i = 0; i < self->count; i++) {
        open += self->tables[i]->phase != TABLE_OVER;
    }
    if (open >= self->max_tables) {
        return wire_refuse(error, "limit", "there are %d tables already, as many as this server has", open);
    }
    const uint64_t seed = terms->seeded ? terms->seed : self->house.host.random(self->house.host.context);
    *table = reserve_table(self) == 0 ? table_new(&self->house, name, terms, seed) : NULL;
    if (!*table) {
        return wire_refuse(error, "memory", "no memory for a table");
    }
    self->tables[self->count++] = *table;
    return 0;
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

/* The client's name, cut where a character ends. */
static void name_by_client(const char *client, char name[TABLE_PLAYER])
{
    size_t length = strlen(client);
    while (length >= TABLE_PLAYER || (length > 0 && (client[length] & 0xC0) == 0x80)) {
        length--;
    }
    memcpy(name, client, length);
    name[length] = '\0';
    if (length == 0) {
        (void)snprintf(name, TABLE_PLAYER, "player");
    }
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

/* What somebody wants who sits down. */
struct wish {
    const msgpack_object *map;
    char table[TABLE_NAME]; /* "": any of these terms */
    char name[TABLE_PLAYER];
    int64_t seat; /* -1: any */
};

static int read_wish(struct wish *wish, int named, const struct tables_player *player, const struct wire_args *args,
                     struct wire_error *error)
{
    *wish = (struct wish){.map = wire_arg(args, 0), .seat = -1};
    name_by_client(player->client, wish->name);
    if (!wire_is_nil(wish->map) && wish->map->type != MSGPACK_OBJECT_MAP) {
        return wire_refuse(error, "argument", "the first argument is not a map");
    }
    if ((named && read_table_name(wish->map, wish->table, error) != 0) ||
        wire_read_text(wire_key(wish->map, "name"), "name", wish->name, sizeof wish->name, error) != 0) {
        return -1;
    }
    return wire_read_int(wire_key(wish->map, "seat"), "seat", 0, MH_MAX_SEATS - 1, &wish->seat, error);
}

/* Whether what is wished for is had already: a reply may have been lost. */
static int sits_there(const struct place *place, const struct wish *wish, struct wire_error *error)
{
    struct terms terms;
    if (place->table->phase == TABLE_OVER || (wish->table[0] && strcmp(wish->table, place->table->name) != 0) ||
        (wish->seat >= 0 && wish->seat != place->player) ||
        terms_read(&terms, wish->table[0] ? &place->table->terms : NULL, wish->map, error) != 0) {
        return 0;
    }
    const int same = !terms_difference(&terms, &place->table->terms);
    terms_free(&terms);
    return same;
}

/* The table of that name, or a new one. */
static int table_by_name(struct tables *self, const struct wish *wish, struct terms *terms, struct table **table,
                         struct wire_error *error)
{
    struct table *found = find_table(self, wish->table, strlen(wish->table));
    if (found && found->phase == TABLE_OVER) {
        close_table(self, found);
        found = NULL;
    }
    if (terms_read(terms, found ? &found->terms : NULL, wish->map, error) != 0) {
        return -1;
    }
    const char *difference = found ? terms_difference(terms, &found->terms) : NULL;
    if (difference) {
        return wire_refuse(error, "table", "%s: table %s has another one", difference, wish->table);
    }
    if (found && pick_seat(found, wish->seat) < 0) {
        return wire_refuse(error, "table", "%s is not free at table %s", wish->seat < 0 ? "a seat" : "that seat",
                           wish->table);
    }
    *table = found;
    return 0;
}

/* The first table of these terms that waits. */
static struct table *table_by_terms(const struct tables *self, const struct wish *wish, const struct terms *terms)
{
    for (int i = 0; i < self->count; i++) {
        struct table *table = self->tables[i];
        if (table->phase == TABLE_WAITING && !terms_difference(terms, &table->terms) &&
            pick_seat(table, wish->seat) >= 0) {
            return table;
        }
    }
    return NULL;
}

/* Opens a table for somebody, who chooses a seat before the bots do. */
static int open_for(struct tables *self, struct wish *wish, struct terms *terms, struct table **table,
                    struct wire_error *error)
{
    const int seats = terms->game->sizes.seats;
    if (wish->seat >= seats) {
        return wire_refuse(error, "table", "seat: %d is not in 0..%d", (int)wish->seat, seats - 1);
    }
    while (!wish->table[0] || find_table(self, wish->table, strlen(wish->table))) {
        (void)snprintf(wish->table, sizeof wish->table, "play-%08x",
                       (unsigned)(self->house.host.random(self->house.host.context) & 0xFFFFFFFFu));
    }
    if (open_table(self, wish->table, terms, table, error) != 0) {
        return -1;
    }
    table_sit_bots(*table, wish->seat < 0 ? 0 : (int)wish->seat);
    return 0;
}

/* `terms` is released when this returns, but for the game of a table that was opened. */
static int find_or_open(struct tables *self, struct wish *wish, struct table **table, struct wire_error *error)
{
    struct terms terms = {.game = NULL};
    int status;
    if (wish->table[0]) {
        status = table_by_name(self, wish, &terms, table, error);
    } else {
        status = terms_read(&terms, NULL, wish->map, error);
        *table = status == 0 ? table_by_terms(self, wish, &terms) : NULL;
    }
    if (status == 0 && !*table) {
        status = open_for(self, wish, &terms, table, error);
        if (status == 0) {
            return 0;
        }
    }
    terms_free(&terms);
    return status;
}

static void write_place(const struct place *place, struct wire_out *out)
{
    wire_map(out, 3);
    wire_key_text(out, "table", place->table->name);
    wire_key_int(out, "seat", place->player);
    wire_key_int(out, "waiting", table_free_seats(place->table));
}

static int sit(struct tables *self, const struct tables_player *player, int named, const struct wire_args *args,
               struct wire_out *out, struct wire_error *error)
{
    struct wish wish;
    struct table *table = NULL;
    if (read_wish(&wish, named, player, args, error) != 0) {
        return -1;
    }
    struct place *place = find_place(self, player->token);
    if (place && sits_there(place, &wish, error)) {
        write_place(place, out);
        return 0;
    }
    if (place && place->table->phase != TABLE_OVER) {
        return wire_refuse(error, "table", "you sit at table %s already: stand up first", place->table->name);
    }
    if (count_seats(self, player->key) >= self->max_seats_per_key) {
        return wire_refuse(error, "limit", "%d seats are taken already, as many as one key may have",
                           self->max_seats_per_key);
    }
    if (reserve_place(self) != 0) {
        return wire_refuse(error, "memory", "no memory for a seat");
    }
    if (find_or_open(self, &wish, &table, error) != 0) {
        return -1;
    }
    place = find_place(self, player->token);
    if (place) { /* at a table that is over */
        leave(self, place);
    }
    const int seat = pick_seat(table, wish.seat);
    table_sit(table, seat, player, wish.name);
    add_place(self, player->token, table, seat);
    self->due = self->house.now;
    write_place(find_place(self, player->token), out);
    return 0;
}

/* ---- Other requests ----------------------------------------------------------------------------------------- */

static struct place *own_place(const struct tables *self, const struct tables_player *player,
                               struct wire_error *error)
{
    struct place *place = find_place(self, player->token);
    if (!place) {
        (void)wire_refuse(error, "table", "you have no seat");
    }
    return place;
}

static void write_phase(const struct table *table, struct wire_out *out)
{
    static const char *const names[] = {"waiting", "playing", "over"};
    wire_key_text(out, "state", names[table->phase]);
}

static void list_tables(const struct tables *self, struct wire_out *out)
{
    wire_array(out, (size_t)self->count);
    for (int i = 0; i < self->count; i++) {
        const struct table *table = self->tables[i];
        wire_map(out, TABLE_KEYS + 5);
        write_table_keys(table, out);
        wire_key_text(out, "game", terms_spec(&table->terms)->id);
        wire_key_text(out, "options", table->terms.options);
        write_players(table, out);
        wire_key_int(out, "free", table_free_seats(table));
        write_phase(table, out);
    }
}

static int back(struct tables *self, const struct tables_player *player, struct wire_out *out,
                struct wire_error *error)
{
    const struct place *place = own_place(self, player, error);
    if (!place) {
        return -1;
    }
    place->table->players[place->player].remind = 1;
    self->due = self->house.now;
    wire_map(out, TABLE_KEYS + 3);
    write_table_keys(place->table, out);
    wire_key_text(out, "game", terms_spec(&place->table->terms)->id);
    wire_key_int(out, "seat", table_seat_of(place->table, place->player));
    write_phase(place->table, out);
    return 0;
}

int tables_request(struct tables *self, const struct tables_player *player, const char *name,
                   const struct wire_args *args, int64_t now_ms, struct wire_out *out, int *results,
                   struct wire_error *error)
{
    self->house.now = now_ms;
    *results = 1;
    if (strcmp(name, "sit") == 0 || strcmp(name, "play") == 0) {
        return sit(self, player, name[0] == 's', args, out, error);
    }
    if (strcmp(name, "tables") == 0) {
        list_tables(self, out);
        return 0;
    }
    if (strcmp(name, "back") == 0) {
        return back(self, player, out, error);
    }
    if (strcmp(name, "stand") == 0) {
        struct place *place = own_place(self, player, error);
        *results = 0;
        if (place) {
            leave(self, place);
        }
        return place ? 0 : -1;
    }
    return wire_refuse(error, "request", "no request of that name");
}

/* ---- Answers ------------------------------------------------------------------------------------------------ */

/* The action that was named, or -1 when it is not legal, with an error that says why. */
static int read_action(const struct table *table, const msgpack_object *value, struct wire_error *error)
{
    const struct mh_game *game = table->terms.game;
    char text[MH_TEXT_SIZE] = "";
    int64_t action = -1;
    if (value->type == MSGPACK_OBJECT_STR) {
        if (wire_read_text(value, "action", text, sizeof text, error) != 0) {
            return -1;
        }
        action = mh_action_id(game, text);
        if (action < 0) {
            return wire_refuse(error, "action", "action: there is no '%s'", text);
        }
    } else if (wire_is_nil(value) ||
               wire_read_int(value, "action", 0, game->sizes.actions - 1, &action, error) != 0) {
        return wire_refuse(error, "action", "action: neither an id in 0..%d nor a text",
                           (int)game->sizes.actions - 1);
    }
    if (!mh_set_has(mh_legal(game->rules, table->state), (int)action)) {
        game->rules->action_text((int)action, text);
        return wire_refuse(error, "action", "action: %d (%s) is not legal now", (int)action, text);
    }
    return (int)action;
}

int tables_act(struct tables *self, const struct tables_player *player, const struct wire_args *args,
               int64_t now_ms, struct wire_error *error)
{
    self->house.now = now_ms;
    int64_t turn = 0;
    const struct place *place = own_place(self, player, error);
    if (!place || wire_read_int(wire_arg(args, 0), "turn", 1, INT64_MAX, &turn, error) != 0) {
        return -1;
    }
    struct table *table = place->table;
    const struct player *it = &table->players[place->player];
    if (turn > it->turn || turn == 0) {
        return wire_refuse(error, "turn", "you have not been asked that yet");
    }
    if (table->asked != place->player || turn != it->turn || now_ms >= table->due) {
        return wire_refuse(error, "late", "that question is no longer open");
    }
    const int action = read_action(table, wire_arg(args, 1), error);
    if (action < 0) {
        tell_error(table, place->player, "action", error->text);
    }
    self->due = now_ms;
    table_answer(table, action < 0 ? BY_ILLEGAL : BY_PLAYER, action, now_ms - table->asked_at);
    return 0;
}

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

void tables_heard(struct tables *self, const struct tables_player *player, int64_t now_ms, int hello)
{
    const struct place *place = find_place(self, player->token);
    if (!place) {
        return;
    }
    struct player *it = &place->table->players[place->player];
    self->house.now = now_ms;
    it->session = player->session;
    if (hello) {
        it->fields = player->fields;
        it->texts = player->texts;
        it->remind = 1;
        self->due = now_ms;
    }
    if (it->away && place->table->phase == TABLE_PLAYING) {
        table_return(place->table, place->player);
        self->due = now_ms;
    }
}

void tables_gone(struct tables *self, const unsigned char *token, int64_t now_ms)
{
    struct place *place = find_place(self, token);
    self->house.now = now_ms;
    if (place) {
        leave(self, place);
    }
}

void tables_watch(struct tables *self, const char *topic, int64_t now_ms)
{
    const size_t length = strlen(topic);
    struct table *table = length > 0 && topic[length - 1] == ':' ? find_table(self, topic, length - 1) : NULL;
    self->house.now = now_ms;
    if (table && table->begun) {
        show_state(table);
    }
}

/* ---- Time --------------------------------------------------------------------------------------------------- */

static void remind(struct table *table)
{
    for (int i = 0; i < table_seats(table); i++) {
        if (table->players[i].remind && table->asked == i) {
            tell_turn(table, i);
        } else if (table->players[i].remind && table->phase == TABLE_OVER) {
            tell_end(table, i);
        }
        table->players[i].remind = 0;
    }
}

/* Serves one table and returns when it wants to be served again; -1: not before a message. */
static int64_t serve(struct table *table, int64_t now, int *steps)
{
    if (table->asked >= 0 && now >= table->due) {
        table_answer(table, BY_LATE, 0, table->terms.clock);
    }
    remind(table);
    for (int i = 0; i < TABLE_STEPS && *steps > 0 && table_step(table); i++) {
        --*steps;
    }
    record_flush(table);
    return table->phase == TABLE_WAITING ? -1 : table->phase == TABLE_OVER || table->asked >= 0 ? table->due : now;
}

int64_t tables_tick(struct tables *self, int64_t now_ms)
{
    if (self->due < 0 || now_ms < self->due) {
        return self->due;
    }
    self->house.now = now_ms;
    self->due = -1;
    int steps = TICK_STEPS;
    for (int i = 0; i < self->count; i++) {
        const int64_t due = serve(self->tables[(self->first + i) % self->count], now_ms, &steps);
        self->due = due >= 0 && (self->due < 0 || due < self->due) ? due : self->due;
    }
    for (int i = self->count - 1; i >= 0; i--) {
        if (self->tables[i]->phase == TABLE_OVER && now_ms >= self->tables[i]->due) {
            close_table(self, self->tables[i]);
        }
    }
    self->first = self->count ? (self->first + 1) % self->count : 0;
    return self->due;
}

void tables_figures(const struct tables *self, struct tables_figures *figures)
{
    *figures = self->house.figures;
    for (int i = 0; i < self->count; i++) {
        figures->waiting += self->tables[i]->phase == TABLE_WAITING;
        figures->playing += self->tables[i]->phase == TABLE_PLAYING;
    }
}

/* ---- The whole ---------------------------------------------------------------------------------------------- */

static int is_journal(const char *name)
{
    const size_t length = strlen(name);
    const size_t ending = sizeof JOURNAL_ENDING - 1;
    return length > ending && strcmp(name + length - ending, JOURNAL_ENDING) == 0;
}

static int follow_journals(struct tables *self, char *message)
{
    DIR *entries = opendir(self->house.state);
    const struct dirent *entry;
    int status = MH_OK;
    if (!entries) {
        mh_message(message, "state: %.200s is no folder that can be read", self->house.state);
        return MH_ERROR_ARGUMENT;
    }
    while (status == MH_OK && (entry = readdir(entries)) != NULL) {
        char path[FILES_PATH];
        if (!is_journal(entry->d_name) || files_path(self->house.state, entry->d_name, path) != 0) {
            continue;
        }
        struct table *table = reserve_table(self) == 0 ? journal_follow(&self->house, path, message) : NULL;
        if (table) {
            self->tables[self->count++] = table;
        } else {
            status = MH_ERROR_ARGUMENT;
        }
    }
    (void)closedir(entries);
    return status;
}

/* A session may have gone on from a table that is over to another one: that is where it sits. */
static int place_players(struct tables *self, int over)
{
    for (int i = 0; i < self->count; i++) {
        struct table *table = self->tables[i];
        for (int k = 0; (table->phase == TABLE_OVER) == over && k < table_seats(table); k++) {
            const struct player *it = &table->players[k];
            if (it->kind != PLAYER_REMOTE || find_place(self, it->token)) {
                continue;
            }
            if (reserve_place(self) != 0) {
                return MH_ERROR_MEMORY;
            }
            add_place(self, it->token, table, k);
        }
    }
    return MH_OK;
}

static char *copy_text(const char *text)
{
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    return copy ? memcpy(copy, text, strlen(text) + 1) : NULL;
}

int tables_new(const struct tables_options *options, const struct tables_host *host, char *message,
               struct tables **tables)
{
    struct tables *self = calloc(1, sizeof *self);
    if (!self) {
        mh_message(message, "tables: no memory");
        return MH_ERROR_MEMORY;
    }
    self->max_tables = options->max_tables;
    self->max_seats_per_key = options->max_seats_per_key;
    self->house = (struct house){.host = *host,
                                 .records = copy_text(options->records),
                                 .state = copy_text(options->state),
                                 .next_record = options->records ? record_next_number(options->records) : 0};
    int status = self->house.state ? follow_journals(self, message) : MH_OK;
    if (status == MH_OK) {
        status = place_players(self, 0) == MH_OK ? place_players(self, 1) : MH_ERROR_MEMORY;
    }
    if (status != MH_OK) {
        tables_free(&self);
        return status;
    }
    *tables = self;
    return MH_OK;
}

void tables_free(struct tables **tables)
{
    if (!tables || !*tables) {
        return;
    }
    struct tables *self = *tables;
    for (int i = 0; i < self->count; i++) {
        table_free(self->tables[i]);
    }
    free(self->tables);
    free(self->places);
    free(self->house.records);
    free(self->house.state);
    free(self);
    *tables = NULL;
}
