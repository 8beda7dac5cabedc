#include "table_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table_words.h"

/* ---- Sending ------------------------------------------------------------------------------------------------ */

static void send_to_player(struct table *self, int player, struct wire_message *message)
{
    const struct player *it = &self->players[player];
    if (message && it->kind == PLAYER_REMOTE && !self->shared->replaying) {
        self->shared->host.tell(self->shared->host.context, it->session, message);
    }
}

static void tell_once(struct table *self, int player, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    send_to_player(self, player, message);
    wire_release(message);
}

static void begin_shown(struct table *self, struct wire_out *out, size_t expected, const char *name)
{
    wire_begin_named(out, expected, 3, name, (uint64_t)++self->spoken);
}

static void write_state(struct table *self, struct wire_out *out)
{
    char topic[TABLE_NAME + 1];
    struct wire_message *message = wire_finish(out);
    (void)snprintf(topic, sizeof topic, "%s:", self->name);
    if (message && !self->shared->replaying) {
        self->shared->host.publish(self->shared->host.context, topic, message);
    }
    wire_release(message);
}

/* ---- Parts of messages -------------------------------------------------------------------------------------- */

void write_table_keys(const struct table *self, struct wire_out *out)
{
    wire_key_text(out, "table", self->name);
    wire_key_int(out, "number", self->number);
    wire_key_int(out, "games", self->terms.games);
}

static size_t count_left(const struct table *self)
{
    size_t count = 0;
    for (int i = 0; i < table_seats(self); i++) {
        count += self->players[i].left != 0;
    }
    return count;
}

size_t count_game_keys(const struct table *self)
{
    return 4 + (size_t)table_has_hash(self) + (size_t)(count_left(self) > 0);
}

void write_game_keys(const struct table *self, struct wire_out *out)
{
    wire_key_text(out, "game", terms_spec(&self->terms)->id);
    wire_key_text(out, "options", self->terms.options);
    wire_text(out, "players");
    wire_array(out, (size_t)table_seats(self));
    for (int seat = 0; seat < table_seats(self); seat++) {
        wire_text(out, self->players[table_player_at(self, seat)].name);
    }
    wire_text(out, "seeded");
    wire_bool(out, self->terms.seeded);
    if (table_has_hash(self)) {
        char hash[SHA256_TEXT];
        secret_hash(self->secret, hash);
        wire_key_text(out, "hash", hash);
    }
    const size_t left = count_left(self);
    if (left > 0) {
        wire_text(out, "left");
        wire_array(out, left);
        for (int seat = 0; seat < table_seats(self); seat++) {
            if (self->players[table_player_at(self, seat)].left) {
                wire_int(out, seat);
            }
        }
    }
}

/* Public numbers by name. */
static void write_numbers(struct table *self, const void *state, struct wire_out *out)
{
    const struct mh_spec *spec = terms_spec(&self->terms);
    const int64_t *value = self->info;
    (void)mh_state_info(self->terms.game, state, self->info);
    wire_map(out, (size_t)spec->num_info);
    for (int i = 0; i < spec->num_info; i++) {
        const struct mh_info_field *row = &spec->info[i];
        const int count = row->per_seat ? table_seats(self) : row->count;
        wire_text(out, row->name);
        if (row->count > 1) {
            wire_array(out, (size_t)count);
        }
        for (int k = 0; k < count; k++) {
            wire_int(out, value[k]);
        }
        value += row->count;
    }
}

static void write_bytes(struct wire_out *out, const uint8_t *bytes, int count)
{
    if (count > 1) {
        wire_array(out, (size_t)count);
    }
    for (int i = 0; i < count; i++) {
        wire_int(out, bytes[i]);
    }
}

/* Writes a field in its shape: a number, an array, or one of these for every seat. */
static void write_field(const struct table *self, const struct mh_field *field, struct wire_out *out)
{
    const struct mh_layout *layout = &self->terms.game->layout;
    const uint8_t *bytes = self->observation + field->offset;
    wire_text(out, field->name);
    if (field->group != MH_GROUP_SEAT && field->group != MH_GROUP_SEAT_TAIL) {
        write_bytes(out, bytes + (field->group == MH_GROUP_HINT ? layout->hint_offset : 0), field->count);
        return;
    }
    wire_array(out, (size_t)table_seats(self));
    for (int i = 0; i < table_seats(self); i++) {
        write_bytes(out, bytes + layout->seat_offset + i * layout->seat_stride,
                    field->group == MH_GROUP_SEAT_TAIL ? layout->seat_tail : field->count);
    }
}

static void write_fields(const struct table *self, struct wire_out *out)
{
    const struct mh_spec *spec = terms_spec(&self->terms);
    const int hints = self->terms.game->layout.hint_offset >= 0;
    size_t count = 0;
    for (int i = 0; i < spec->num_fields; i++) {
        count += hints || spec->fields[i].group != MH_GROUP_HINT;
    }
    wire_map(out, count);
    for (int i = 0; i < spec->num_fields; i++) {
        if (hints || spec->fields[i].group != MH_GROUP_HINT) {
            write_field(self, &spec->fields[i], out);
        }
    }
}

/* Writes what a player may know, in the form that it asked for. */
static void write_observation(struct table *self, int player, struct wire_out *out)
{
    const struct player *it = &self->players[player];
    if (player_reads_words(it)) {
        write_words(self, player, out);
        return;
    }
    (void)mh_state_observe(self->terms.game, table_known_state(self, player), table_seat_of(self, player),
                           self->observation);
    if (it->form == TABLES_FIELDS) {
        write_fields(self, out);
    } else {
        wire_bin(out, self->observation, (size_t)self->terms.game->sizes.observation);
    }
}

static void write_legal(const struct table *self, int texts, struct wire_out *out)
{
    const struct mh_game *game = self->terms.game;
    if (!texts) {
        unsigned char *mask = wire_bin_space(out, (size_t)game->sizes.actions);
        if (mask) {
            (void)mh_state_mask(game, self->state, (int8_t *)mask);
        }
        return;
    }
    const uint64_t *legal = mh_legal(game->rules, self->state);
    wire_array(out, (size_t)mh_set_count(legal, game->legal_words));
    for (int id = mh_set_next(legal, game->legal_words, 0); id >= 0;
         id = id + 1 < game->sizes.actions ? mh_set_next(legal, game->legal_words, id + 1) : -1) {
        char text[MH_TEXT_SIZE];
        game->rules->action_text(id, text);
        wire_text(out, text);
    }
}

static void write_events(const uint8_t (*events)[4], size_t count, int observer, int seats, struct wire_out *out)
{
    wire_array(out, count);
    for (size_t i = 0; i < count; i++) {
        uint8_t seat = events[i][0];
        mh_turn_seats(&events[i][0], 1, observer, seats, &seat);
        wire_array(out, 4);
        wire_int(out, seat);
        for (int k = 1; k < 4; k++) {
            wire_int(out, events[i][k]);
        }
    }
}

/* Events since the player was last asked: in sentences, or with seats counted from it. */
static void write_unseen(struct table *self, int player, struct wire_out *out)
{
    const struct player *it = &self->players[player];
    const uint8_t (*events)[4] = (const uint8_t (*)[4])self->events + it->seen;
    const size_t count = self->num_events - it->seen;
    if (player_reads_words(it)) {
        write_event_words(self, player, events, count, out);
    } else {
        write_events(events, count, table_seat_of(self, player), table_seats(self), out);
    }
}

void write_view_keys(struct table *self, int player, struct wire_out *out)
{
    wire_text(out, "observation");
    write_observation(self, player, out);
    wire_text(out, "numbers");
    write_numbers(self, self->state, out);
}

/* ---- To players --------------------------------------------------------------------------------------------- */

void tell_start(struct table *self, int player)
{
    struct wire_out out;
    wire_begin_named(&out, 1024, 3, "start", 0);
    wire_map(&out, TABLE_KEYS + count_game_keys(self) + 4);
    write_table_keys(self, &out);
    write_game_keys(self, &out);
    wire_key_int(&out, "seat", table_seat_of(self, player));
    wire_key_int(&out, "clock", self->terms.clock);
    wire_key_int(&out, "pause", self->terms.pause);
    wire_text(&out, "numbers");
    write_numbers(self, self->state, &out);
    tell_once(self, player, &out);
}

void tell_turn(struct table *self, int player)
{
    const struct player *it = &self->players[player];
    const struct mh_sizes *sizes = &self->terms.game->sizes;
    const int64_t left = self->due - self->shared->now;
    struct wire_out out;
    wire_begin_named(&out, (size_t)(sizes->observation + sizes->actions) + 512, 6, "turn", (uint64_t)it->turn);
    wire_int(&out, left > 0 ? left : 0);
    if (it->form == TABLES_CHANGES) {
        write_changes(self, player, &out);
    } else {
        write_observation(self, player, &out);
    }
    write_legal(self, it->texts, &out);
    write_unseen(self, player, &out);
    tell_once(self, player, &out);
}

void tell_away(struct table *self, int player)
{
    struct wire_out out;
    wire_begin_named(&out, 64, 3, "away", (uint64_t)self->players[player].turn);
    wire_map(&out, 2);
    wire_key_int(&out, "missed", self->players[player].totals.missed);
    wire_key_text(&out, "bot", mh_bot_name(self->terms.game, self->terms.substitute));
    tell_once(self, player, &out);
}

void tell_error(struct table *self, int player, const char *code, const char *text)
{
    struct wire_out out;
    wire_begin_named(&out, MH_MESSAGE_SIZE, 4, "error", (uint64_t)self->players[player].turn);
    wire_text(&out, code);
    wire_text(&out, text);
    tell_once(self, player, &out);
}

/* The same to all who do not read words, and so have no sentences about it. */
void tell_round(struct table *self)
{
    struct wire_out out;
    wire_begin_named(&out, 1024, 3, "round", 0);
    write_numbers(self, self->state, &out);
    struct wire_message *message = wire_finish(&out);
    for (int i = 0; i < table_seats(self); i++) {
        if (!player_reads_words(&self->players[i])) {
            send_to_player(self, i, message);
            continue;
        }
        wire_begin_named(&out, 2048, 4, "round", 0);
        write_numbers(self, self->state, &out);
        write_result(self, i, &out);
        tell_once(self, i, &out);
    }
    wire_release(message);
}

/* ---- The end of a game, to all ------------------------------------------------------------------------------ */

/* The number of unanswered questions follows from questions of a player that nobody else may know of, so only that
 * player hears it; -1: a spectator. */
static void write_totals(const struct table *self, int player, struct wire_out *out)
{
    const struct mh_spec *spec = terms_spec(&self->terms);
    int num_sums = 0;
    while (mh_spec_role(spec, MH_ROLE_TOTAL, num_sums)) {
        num_sums++;
    }
    const size_t keys = 4 + (size_t)num_sums;
    wire_text(out, "totals");
    wire_array(out, (size_t)table_seats(self));
    for (int i = 0; i < table_seats(self); i++) {
        const struct totals *totals = &self->players[i].totals;
        wire_map(out, i == player ? keys + 4 : keys);
        wire_key_text(out, "name", self->players[i].name);
        wire_key_int(out, "games", totals->games);
        wire_key_int(out, "wins", totals->wins);
        for (int k = 0; k < num_sums; k++) {
            wire_key_int(out, mh_spec_role(spec, MH_ROLE_TOTAL, k)->name, totals->sums[k]);
        }
        wire_text(out, "returns");
        wire_double(out, totals->returns);
        if (i != player) {
            continue;
        }
        wire_key_int(out, "missed", totals->missed);
        wire_key_int(out, "substituted", totals->actions_of_bots);
        wire_key_int(out, "substituted_rounds", totals->rounds_of_bots);
        wire_key_int(out, "substituted_games", totals->games_of_bots);
    }
}

static void write_seeds(const struct table *self, struct wire_out *out)
{
    wire_text(out, "seeds");
    wire_array(out, (size_t)self->terms.games);
    for (int64_t number = 0; number < self->terms.games; number++) {
        wire_uint(out, table_seed(self, number, 0));
    }
    if (table_has_hash(self)) {
        wire_key_text(out, "secret", self->secret);
    }
}

/* Writes the keys that everybody gets; `more` keys follow for a player, who is -1 for a spectator. */
static void write_end(const struct table *self, int player, size_t more, struct wire_out *out)
{
    const int over = self->phase == TABLE_OVER;
    const int tells = over && self->terms.reveal;
    double returns[MH_MAX_SEATS];
    (void)mh_state_returns(self->terms.game, self->state, returns);
    wire_map(out, TABLE_KEYS + 2 + (size_t)(over + tells + (over && table_has_hash(self))) + more);
    write_table_keys(self, out);
    wire_text(out, "over");
    wire_bool(out, over);
    wire_text(out, "returns");
    wire_array(out, (size_t)table_seats(self));
    for (int seat = 0; seat < table_seats(self); seat++) {
        wire_double(out, returns[seat]);
    }
    if (over) {
        write_totals(self, player, out);
    }
    if (tells) {
        write_seeds(self, out);
    }
}

void tell_end(struct table *self, int player)
{
    struct wire_out out;
    wire_begin_named(&out, 1024, 3, "end", 0);
    write_end(self, player, 3, &out);
    wire_key_int(&out, "seat", table_seat_of(self, player));
    wire_key_int(&out, "substituted", self->players[player].substituted);
    wire_text(&out, "events");
    write_unseen(self, player, &out);
    tell_once(self, player, &out);
}

/* ---- To spectators ------------------------------------------------------------------------------------------ */

void show_state(struct table *self)
{
    const struct mh_game *game = self->terms.game;
    const void *state = table_public(self);
    struct wire_out out;
    self->is_behind = 0;
    begin_shown(self, &out, (size_t)game->sizes.observation + 2048, "state");
    wire_map(&out, TABLE_KEYS + count_game_keys(self) + 4);
    write_table_keys(self, &out);
    write_game_keys(self, &out);
    wire_key_int(&out, "round", mh_head(state)->rounds);
    wire_text(&out, "observation");
    (void)mh_state_watch(game, state, self->observation);
    wire_bin(&out, self->observation, (size_t)game->sizes.observation);
    wire_text(&out, "words");
    write_public_words(self, &out);
    wire_text(&out, "numbers");
    write_numbers(self, state, &out);
    write_state(self, &out);
}

/* A fast table costs little time, and a slow line is not filled: after TABLE_AHEAD / TABLE_SHOW states at once there is
 * one in TABLE_SHOW milliseconds, the newest. */
void show_change(struct table *self)
{
    const int64_t now = self->shared->now;
    if (self->shared->replaying || self->shared->subscriptions == 0) {
        return;
    }
    if (self->shown < now) {
        self->shown = now;
    }
    if (self->shown > now + TABLE_AHEAD) {
        self->is_behind = 1;
        return;
    }
    self->shown += TABLE_SHOW;
    show_state(self);
}

void show_events(struct table *self, const uint8_t (*events)[4], size_t count)
{
    struct wire_out out;
    begin_shown(self, &out, 32 + 8 * count, "events");
    write_events(events, count, 0, table_seats(self), &out);
    write_state(self, &out);
}

void show_round(struct table *self)
{
    const struct mh_game *game = self->terms.game;
    const size_t size = mh_state_position(game, self->state, NULL, 0) + 1;
    char *json = malloc(size);
    if (!json) {
        return;
    }
    (void)mh_state_position(game, self->state, json, size);
    struct wire_out out;
    begin_shown(self, &out, 2 * size + 1024, "round");
    wire_map(&out, self->terms.reveal ? 2 : 1);
    if (self->terms.reveal) {
        wire_text(&out, "state");
        wire_json(&out, json);
    }
    wire_text(&out, "numbers");
    write_numbers(self, self->state, &out);
    write_state(self, &out);
    free(json);
}

void show_end(struct table *self)
{
    struct wire_out out;
    begin_shown(self, &out, 1024, "end");
    write_end(self, -1, 0, &out);
    write_state(self, &out);
}
