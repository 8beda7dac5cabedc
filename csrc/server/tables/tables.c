#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/mh_pool.h"
#include "common/files.h"
#include "lobby.h"
#include "table_journal.h"
#include "table_messages.h"
#include "table_play.h"
#include "table_resume.h"
#include "table_words.h"

/* At most this many actions of bots are played in a row: in all, and at one table, so that other tables do not wait
 * long. */
enum { TICK_STEPS = 64, TABLE_STEPS = 16 };

const char *const tables_forms[TABLES_FORMS] = {
    [TABLES_RAW] = "raw", [TABLES_FIELDS] = "fields", [TABLES_WORDS] = "words", [TABLES_CHANGES] = "changes"};

static struct place *own_place(const struct tables *self, const struct tables_player *player,
                               struct wire_error *error)
{
    struct place *place = lobby_place(self, player->token);
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

/* ---- Requests ----------------------------------------------------------------------------------------------- */

int tables_sit(struct tables *self, const struct tables_player *player, const struct wire_args *args,
               int64_t now_ms, struct wire_out *out, struct wire_error *error)
{
    self->shared.now = now_ms;
    return lobby_sit(self, player, 1, args, out, error) == 0 ? 1 : -1;
}

int tables_play(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                int64_t now_ms, struct wire_out *out, struct wire_error *error)
{
    self->shared.now = now_ms;
    return lobby_sit(self, player, 0, args, out, error) == 0 ? 1 : -1;
}

int tables_list(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                int64_t now_ms, struct wire_out *out, struct wire_error *error)
{
    (void)player;
    (void)args;
    (void)now_ms;
    (void)error;
    wire_array(out, (size_t)self->count);
    for (int i = 0; i < self->count; i++) {
        const struct table *table = self->tables[i];
        wire_map(out, TABLE_KEYS + count_game_keys(table) + 4);
        write_table_keys(table, out);
        write_game_keys(table, out);
        wire_key_int(out, "clock", table->terms.clock);
        wire_key_int(out, "pause", table->terms.pause);
        wire_key_int(out, "free", table_free_seats(table));
        write_phase(table, out);
    }
    return 1;
}

int tables_stand(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                 int64_t now_ms, struct wire_out *out, struct wire_error *error)
{
    struct place *place = own_place(self, player, error);
    (void)args;
    (void)out;
    self->shared.now = now_ms;
    if (!place) {
        return -1;
    }
    lobby_leave(self, place);
    return 0;
}

int tables_back(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                int64_t now_ms, struct wire_out *out, struct wire_error *error)
{
    const struct place *place = own_place(self, player, error);
    (void)args;
    self->shared.now = now_ms;
    if (!place) {
        return -1;
    }
    struct table *table = place->table;
    const int is_dealt = table->begun || table->phase == TABLE_OVER;
    table->players[place->player].remind = 1;
    lobby_wake(self, table);
    wire_map(out, TABLE_KEYS + count_game_keys(table) + 2 + (is_dealt ? VIEW_KEYS : 0));
    write_table_keys(table, out);
    write_game_keys(table, out);
    wire_key_int(out, "seat", table_seat_of(table, place->player));
    write_phase(table, out);
    if (is_dealt) {
        write_view_keys(table, place->player, out);
    }
    return 1;
}

/* Finds the table of that name, as spectators see it (`seen_by` is -1), or without a name the player's own. -1 with an
 * error. */
static int find_pictured(const struct tables *self, const struct tables_player *player, const msgpack_object *name,
                         struct table **table, int *viewer, struct wire_error *error)
{
    char text[TABLE_NAME] = "";
    if (wire_read_text(name, "table", text, sizeof text, error) != 0) {
        return -1;
    }
    if (text[0]) {
        *table = lobby_table(self, text, strlen(text));
        *viewer = -1;
    } else {
        const struct place *place = lobby_place(self, player->token);
        if (!place) {
            return wire_refuse(error, "table", "you have no seat: name a table, or sit down first");
        }
        *table = place->table;
        *viewer = place->player;
    }
    if (!*table) {
        return wire_refuse(error, "table", "there is no table %s", text);
    }
    if (!(*table)->begun && (*table)->phase != TABLE_OVER) {
        return wire_refuse(error, "table", "nothing is dealt at table %s now; ask again after its next start",
                           (*table)->name);
    }
    return 0;
}

int tables_picture(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                   int64_t now_ms, struct wire_out *out, struct wire_error *error)
{
    static const char *const forms[] = {"wide", "portrait"};
    static const char *const kinds[] = {"rows", "svg"};
    static const char *const looks[] = {"felt", "light", "dark"};
    const msgpack_object *wishes = wire_arg_map(args, 0, error);
    struct table *table = NULL;
    int viewer = -1;
    int form = MH_WIDE;
    int is_svg = 0;
    int look = MH_LOOK_FELT;
    int is_safe = 0;
    self->shared.now = now_ms;
    if (!wishes || wire_read_word(wire_key(wishes, "form"), "form", forms, 2, &form, error) != 0 ||
        wire_read_word(wire_key(wishes, "as"), "as", kinds, 2, &is_svg, error) != 0 ||
        wire_read_word(wire_key(wishes, "look"), "look", looks, 3, &look, error) != 0 ||
        wire_read_bool(wire_key(wishes, "safe_suits"), "safe_suits", &is_safe, error) != 0 ||
        find_pictured(self, player, wire_key(wishes, "table"), &table, &viewer, error) != 0) {
        return -1;
    }
    write_picture(table, viewer, form, is_svg ? look | (is_safe ? MH_LOOK_SAFE_SUITS : 0) : -1, out);
    return 1;
}

/* ---- Answers ------------------------------------------------------------------------------------------------ */

/* Reads the action. -1 with an error when it is not legal. */
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
            return wire_refuse(error, "action", "action: no action reads '%s'", text);
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
    self->shared.now = now_ms;
    int64_t turn = 0;
    const struct place *place = lobby_place(self, player->token);
    if (!place) {
        return wire_refuse(error, "turn", "you have no seat at a table");
    }
    if (wire_read_int(wire_arg(args, 0), "turn", 1, INT64_MAX, &turn, error) != 0) {
        error->code = "turn";
        return -1;
    }
    struct table *table = place->table;
    const struct player *it = &table->players[place->player];
    if (turn > it->turn || turn == 0) {
        return wire_refuse(error, "turn", "this question was not asked yet");
    }
    if (table->asked != place->player || turn != it->turn || now_ms >= table->due) {
        return wire_refuse(error, "late", "that question is no longer open");
    }
    const int action = read_action(table, wire_arg(args, 1), error);
    if (action < 0) {
        tell_error(table, place->player, "illegal", error->text);
    }
    lobby_wake(self, table);
    table_answer(table, action < 0 ? BY_ILLEGAL : BY_PLAYER, action, now_ms - table->asked_at);
    return 0;
}

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

int tables_heard(struct tables *self, const struct tables_player *player, int64_t now_ms, int hello)
{
    const struct place *place = lobby_place(self, player->token);
    if (!place) {
        return 0;
    }
    struct player *it = &place->table->players[place->player];
    self->shared.now = now_ms;
    table_hear(place->table, place->player, player->session);
    if (hello) {
        it->form = player->form;
        it->texts = player->texts;
        it->remind = 1;
        lobby_wake(self, place->table);
    }
    if (it->away && place->table->phase == TABLE_PLAYING) {
        table_return(place->table, place->player);
    }
    return 1;
}

int tables_is_seated(const struct tables *self, const unsigned char *token)
{
    const struct place *place = lobby_place(self, token);
    return place && place->table->phase != TABLE_OVER;
}

int tables_is_waiting(const struct tables *self, const unsigned char *token)
{
    const struct place *place = lobby_place(self, token);
    return place && place->table->phase == TABLE_WAITING;
}

int tables_end(struct tables *self, const char *name, int64_t now_ms)
{
    struct table *table = lobby_table(self, name, strlen(name));
    self->shared.now = now_ms;
    if (!table || table->phase == TABLE_OVER) {
        return -1;
    }
    lobby_end(self, table);
    return 0;
}

void tables_drain(struct tables *self)
{
    self->is_draining = 1;
}

void tables_gone(struct tables *self, const unsigned char *token, int64_t now_ms)
{
    struct place *place = lobby_place(self, token);
    self->shared.now = now_ms;
    if (place) {
        lobby_leave(self, place);
    }
}

void tables_watch(struct tables *self, const char *topic, int subscriptions, int64_t now_ms)
{
    const size_t length = strlen(topic);
    struct table *table = length > 0 && topic[length - 1] == ':' ? lobby_table(self, topic, length - 1) : NULL;
    self->shared.now = now_ms;
    self->shared.subscriptions = subscriptions;
    if (table && table->begun) {
        table->is_behind = 1;
        lobby_wake(self, table);
    }
}

/* ---- Time --------------------------------------------------------------------------------------------------- */

/* Sends open questions again. Their players may have missed something, so what they are told next is whole. */
static void remind(struct table *table)
{
    for (int i = 0; i < table_seats(table); i++) {
        if (table->players[i].remind) {
            table->players[i].given = (struct given){0};
        }
        if (table->players[i].remind && table->asked == i) {
            tell_turn(table, i);
        } else if (table->players[i].remind && table->phase == TABLE_OVER) {
            tell_end(table, i);
        }
        table->players[i].remind = 0;
    }
}

/* Wakes tables when a deadline may have passed. */
static void wake_late(struct tables *self, int64_t now)
{
    self->due = -1;
    for (int i = self->count - 1; i >= 0; i--) {
        struct table *table = self->tables[i];
        if (table->phase == TABLE_OVER && table->due >= 0 && now >= table->due) {
            lobby_close(self, table);
        } else {
            lobby_wake(self, table);
        }
    }
}

/* Shows spectators the newest state if they have not had it. Returns when they may, or -1. */
static int64_t catch_up(struct table *table)
{
    if (table->is_behind) {
        show_change(table);
    }
    return table->is_behind ? table->shown - TABLE_AHEAD : -1;
}

/* Plays at a table, `steps` in all and until that time, and sends its messages. Returns its next deadline, or -1. */
static int64_t serve_table(struct table *table, int64_t now, int64_t until, int *steps)
{
    if (table->asked >= 0 && now >= table->due) {
        table_answer(table, BY_LATE, 0, table->terms.clock);
    }
    remind(table);
    for (int i = 0; i < TABLE_STEPS && *steps > 0 && table_step(table); i++) {
        *steps = mh_pool_now() < until ? *steps - 1 : 0;
    }
    const int64_t show_due = catch_up(table);
    record_flush(table);
    if (table->phase == TABLE_OVER && table->due < 0) {
        table->due = now + TABLE_LINGER;
    }
    const int64_t due = table->move.is_held                               ? table->pause_until
                        : table->phase == TABLE_OVER || table->asked >= 0 ? table->due
                                                                          : -1;
    return tables_earlier(due, show_due);
}

int64_t tables_tick(struct tables *self, int64_t now_ms)
{
    self->shared.now = now_ms;
    if (self->due >= 0 && now_ms >= self->due) {
        wake_late(self, now_ms);
    }
    const struct table *last = self->last_busy;
    const int64_t until = self->slice_ns > 0 ? mh_pool_now() + self->slice_ns : INT64_MAX;
    int steps = TICK_STEPS;
    for (struct table *table = NULL; table != last && steps > 0;) {
        table = lobby_next(self);
        const int64_t due = serve_table(table, now_ms, until, &steps);
        self->due = tables_earlier(self->due, due);
        if (table->phase == TABLE_PLAYING && !table_waits(table)) {
            lobby_wake(self, table);
        }
    }
    return self->first_busy ? now_ms : self->due;
}

int tables_mend(struct tables *self)
{
    int failed = 0;
    for (int i = 0; i < self->count; i++) {
        failed |= record_mend(self->tables[i]) != 0;
        failed |= table_journal_mend(self->tables[i]) != 0;
        lobby_wake(self, self->tables[i]);
    }
    return failed ? -1 : 0;
}

void tables_shift(struct tables *self, int64_t ms)
{
    self->due += self->due >= 0 ? ms : 0;
    for (int i = 0; i < self->count; i++) {
        struct table *table = self->tables[i];
        table->due += table->due >= 0 ? ms : 0;
        table->asked_at += ms;
        table->opened += ms;
        table->pause_until += ms;
        for (int k = 0; k < table_seats(table); k++) {
            table->players[k].remind = 1; /* an answer may have been refused meanwhile */
        }
        lobby_wake(self, table);
    }
}

void tables_figures(const struct tables *self, struct tables_figures *figures)
{
    *figures = self->shared.figures;
    figures->subscriptions = self->shared.subscriptions;
    for (int i = 0; i < self->count; i++) {
        figures->waiting += self->tables[i]->phase == TABLE_WAITING;
        figures->playing += self->tables[i]->phase == TABLE_PLAYING;
        figures->journal_bytes += (int64_t)self->tables[i]->journal.size;
    }
}

/* ---- All tables --------------------------------------------------------------------------------------------- */

static int replay_journal(void *context, const char *path, char *message)
{
    struct tables *self = context;
    struct table *table;
    const int status = table_resume(&self->shared, path, message, &table);
    if (status == MH_OK && lobby_add(self, table) != 0) {
        table_free(table);
        mh_message(message, "no memory for one more table");
        return MH_ERROR_MEMORY;
    }
    return status;
}

int tables_new(const struct tables_options *options, const struct tables_host *host, int64_t now_ms, char *message,
               struct tables **tables)
{
    struct tables *self = calloc(1, sizeof *self);
    if (!self) {
        mh_message(message, "tables: no memory");
        return MH_ERROR_MEMORY;
    }
    self->due = -1;
    self->max_tables = options->max_tables;
    self->max_seats_per_key = options->max_seats_per_key;
    self->slice_ns = options->slice_ns;
    self->wait_ms = options->wait_ms;
    self->rate = rate_of(LIMIT_TABLES_PER_MINUTE, options->per_minute);
    self->shared =
        (struct tables_shared){.host = *host,
                               .now = now_ms,
                               .bots = options->bots,
                               .open_seeds = options->open_seeds,
                               .back_by = now_ms + TABLE_RETURN,
                               .records = options->records,
                               .state = options->state,
                               .log = options->log,
                               .disk = options->disk,
                               .entry = wire_message_new(256),
                               .next_record = options->records ? record_next_number(options->records) : 0};
    int status = self->shared.entry ? MH_OK : MH_ERROR_MEMORY;
    if (status != MH_OK) {
        mh_message(message, "tables: no memory");
    } else if (self->shared.state) {
        const struct files_visitor visitor = {JOURNAL_ENDING, &self->shared.log, self, replay_journal};
        status = files_visit(self->shared.state, &visitor, message);
    }
    if (status == MH_OK && lobby_add_players(self) != 0) {
        mh_message(message, "tables: no memory for their players");
        status = MH_ERROR_MEMORY;
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
    free((void *)self->tables);
    free(self->places);
    words_free(&self->shared.words);
    free(self->shared.scene);
    wire_release(self->shared.entry);
    free(self);
    *tables = NULL;
}
