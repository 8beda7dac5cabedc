#include "table_play.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table_journal.h"
#include "table_messages.h"

/* ---- Players ------------------------------------------------------------------------------------------------ */

void table_sit(struct table *self, int player, const struct tables_player *who, const char *name)
{
    struct player *it = &self->players[player];
    *it = (struct player){.kind = PLAYER_REMOTE, .session = who->session, .form = who->form, .texts = who->texts};
    memcpy(it->token, who->token, sizeof it->token);
    strncpy(it->key, who->key, sizeof it->key - 1);
    strncpy(it->name, name, sizeof it->name - 1);
    if (table_free_seats(self) == 0) {
        self->phase = TABLE_PLAYING;
    }
    table_journal_begin(self);
}

void table_leave(struct table *self, int player)
{
    struct player *it = &self->players[player];
    if (self->phase == TABLE_WAITING) {
        *it = (struct player){.kind = PLAYER_NONE};
        table_journal_begin(self);
        return;
    }
    if (self->phase == TABLE_PLAYING) {
        table_journal_add(self, JOURNAL_LEAVE, player, 0, 0);
    }
    it->kind = PLAYER_BOT;
    it->bot = self->terms.substitute;
    it->left = 1;
    self->is_behind = self->begun;
    if (self->asked == player) {
        self->asked = -1;
    }
}

void table_abandon(struct table *self)
{
    self->phase = TABLE_OVER;
    record_abandon(self);
    show_end(self);
}

void table_return(struct table *self, int player)
{
    table_journal_add(self, JOURNAL_RETURN, player, 0, 0);
    self->players[player].away = 0;
    self->players[player].missed = 0;
}

/* ---- Public events ------------------------------------------------------------------------------------------ */

/* Forgets the events that spectators and every remote player have seen. */
static void trim_events(struct table *self)
{
    size_t seen = self->num_shown;
    for (int i = 0; i < table_seats(self); i++) {
        const struct player *it = &self->players[i];
        if (it->kind == PLAYER_REMOTE && it->seen < seen) {
            seen = it->seen;
        }
    }
    if (seen == 0) {
        return;
    }
    self->num_events -= seen;
    memmove(self->events, self->events + seen, self->num_events * sizeof *self->events);
    for (int i = 0; i < table_seats(self); i++) {
        struct player *it = &self->players[i];
        it->seen -= it->seen < seen ? it->seen : seen;
    }
    self->num_shown -= seen;
}

static void keep_events(struct table *self, const uint8_t (*events)[4], size_t count)
{
    if (self->max_events - self->num_events <= count) {
        const size_t capacity = 2 * (self->max_events + MH_EVENT_TAIL);
        uint8_t (*larger)[4] = realloc(self->events, capacity * sizeof *larger);
        if (!larger) {
            return;
        }
        self->events = larger;
        self->max_events = capacity;
    }
    memcpy(self->events + self->num_events, events, count * sizeof *events);
    self->num_events += count;
}

/* Keeps the public events between `before` and the current state. */
static void collect_events(struct table *self)
{
    uint8_t events[MH_EVENT_TAIL][4];
    const int count = mh_state_events(self->terms.game, self->shared->before, self->state, &events[0][0]);
    self->num_public += count;
    keep_events(self, (const uint8_t (*)[4])events, (size_t)count);
}

/* Shows spectators what has happened. Returns whether anything has. */
static int spread_events(struct table *self)
{
    const size_t count = self->num_events - self->num_shown;
    if (count > 0) {
        show_events(self, (const uint8_t (*)[4])self->events + self->num_shown, count);
    }
    self->num_shown = self->num_events;
    return count > 0;
}

/* ---- Rounds and games --------------------------------------------------------------------------------------- */

static void deal_game(struct table *self)
{
    (void)mh_state_reset(self->terms.game, self->state, table_seed(self, self->number, 0), NULL);
}

/* Deals the next round, from a seed that tells nothing of those before where the terms give none. */
static void deal_next(struct table *self)
{
    if (!self->terms.seeded) {
        const uint64_t seed = table_seed(self, self->number, mh_state_rounds(self->state));
        (void)mh_state_set_seed(self->terms.game, self->state, seed, NULL);
    }
    (void)mh_state_next_round(self->terms.game, self->state, NULL);
}

static void apply(struct table *self, int action)
{
    memcpy(self->shared->before, self->state, (size_t)self->terms.game->sizes.state);
    mh_apply(self->terms.game->rules, self->state, action);
}

/* Adds what the round has brought each seat to the totals of the player who sits there. */
static void count_round(struct table *self)
{
    const int size = self->terms.game->sizes.tally;
    int64_t tally[MH_MAX_SEATS * (1 + MH_MAX_TOTALS)] = {0};
    (void)mh_state_add_round(self->terms.game, self->state, self->info, tally);
    for (int seat = 0; seat < table_seats(self); seat++) {
        const int64_t *brought = tally + (ptrdiff_t)seat * size;
        struct player *it = &self->players[table_player_at(self, seat)];
        struct totals *totals = &it->totals;
        totals->wins += brought[0];
        totals->rounds_of_bots += it->substituted_in_round > 0;
        it->substituted_in_round = 0;
        for (int i = 1; i < size; i++) {
            totals->sums[i - 1] += brought[i];
        }
    }
}

/* The deal has been played in all rotations, so spectators may now see its cards. Plays its moves again to show
 * them. */
static void show_deal(struct table *self)
{
    size_t move = 0;
    while (move < self->num_moves) {
        deal_game(self);
        while (move < self->num_moves && mh_state_seat(self->state) >= 0) {
            mh_apply(self->terms.game->rules, self->state, self->moves[move++]);
            if (mh_state_seat(self->state) < 0) {
                show_round(self);
            }
            if (mh_state_seat(self->state) == MH_BETWEEN_ROUNDS) {
                deal_next(self);
            }
        }
    }
    self->num_moves = 0;
}

static void keep_move(struct table *self, int action)
{
    if (self->num_moves == self->max_moves) {
        const size_t capacity = 2 * self->max_moves + 256;
        int32_t *larger = realloc(self->moves, capacity * sizeof *larger);
        if (!larger) {
            return;
        }
        self->moves = larger;
        self->max_moves = capacity;
    }
    self->moves[self->num_moves++] = action;
}

/* Shows spectators the table as it lies, deals the next round, and tells players the numbers from here on. */
static void end_round(struct table *self)
{
    count_round(self);
    if (!self->terms.duplicate) {
        show_round(self);
    }
    if (mh_state_seat(self->state) == MH_BETWEEN_ROUNDS) {
        memcpy(self->shared->before, self->state, (size_t)self->terms.game->sizes.state);
        deal_next(self);
        collect_events(self);
        (void)spread_events(self);
    }
    tell_round(self);
}

static void end_game(struct table *self)
{
    double returns[MH_MAX_SEATS];
    (void)mh_state_returns(self->terms.game, self->state, returns);
    record_end(self);
    for (int seat = 0; seat < table_seats(self); seat++) {
        struct player *it = &self->players[table_player_at(self, seat)];
        struct totals *totals = &it->totals;
        totals->returns += returns[seat];
        totals->games++;
        totals->games_of_bots += it->substituted > 0;
    }
    self->shared->figures.games += !self->shared->replaying;
    self->begun = 0;
    if (self->number + 1 == self->terms.games) {
        self->phase = TABLE_OVER;
        self->due = -1;
    }
    for (int i = 0; i < table_seats(self); i++) {
        tell_end(self, i);
    }
    if (table_turn(self) == table_seats(self) - 1) {
        show_deal(self);
    }
    show_end(self);
    self->number += self->phase != TABLE_OVER;
}

/* Ends an action that has led from `before` to the current state. */
static void finish_game(struct table *self, const struct move *move)
{
    const int seat = mh_state_seat(self->shared->before);
    struct player *it = &self->players[table_player_at(self, seat)];
    record_action(self, move->action, (enum record_by)move->by, move->ms);
    if (self->terms.duplicate) {
        keep_move(self, move->action);
    }
    it->seen = self->num_events;
    it->substituted += move->by == BY_SUBSTITUTE;
    it->substituted_in_round += move->by == BY_SUBSTITUTE;
    it->totals.actions_of_bots += move->by == BY_SUBSTITUTE;
    collect_events(self);
    if (!mh_state_is_settled(self->terms.game, self->state)) {
        return;
    }
    const int is_public = spread_events(self); /* of another action spectators must not notice anything */
    if (mh_state_seat(self->state) < 0) {
        end_round(self);
    }
    if (mh_state_seat(self->state) < 0) {
        show_state(self);
        end_game(self);
    } else if (is_public) {
        show_change(self);
    }
}

/* True if somebody may have been asked about what has led from `before` to the current state, so that all have to wait
 * as if somebody had. */
static int must_wait(const struct table *self)
{
    const struct mh_game *game = self->terms.game;
    if (self->shared->replaying || self->shared->now >= self->pause_until || !game->rules->is_settled ||
        !mh_state_is_settled(game, self->state)) {
        return 0;
    }
    uint8_t events[MH_EVENT_TAIL][4];
    return !mh_state_is_settled(game, self->shared->before) ||
           (mh_state_seat(self->state) != mh_state_seat(self->shared->before) &&
            mh_state_events(game, self->shared->before, self->state, &events[0][0]) > 0);
}

/* Plays what was decided, or holds it until the pause is over. */
static void play_turns(struct table *self)
{
    const struct mh_game *game = self->terms.game;
    const size_t size = (size_t)game->sizes.state;
    apply(self, self->move.action);
    self->move.is_held = must_wait(self);
    if (self->move.is_held) {
        memcpy(self->state, self->shared->before, size);
        return;
    }
    if (mh_state_is_settled(game, self->shared->before)) {
        memcpy(self->settled, self->shared->before, size);
    }
    finish_game(self, &self->move);
}

/* The pause begins with the action that leaves a settled state. */
static void decide(struct table *self, int action, enum record_by by, int64_t ms)
{
    if (mh_state_is_settled(self->terms.game, self->state)) {
        self->pause_until = self->shared->now + self->terms.pause;
    }
    self->move = (struct move){.action = action, .by = by, .ms = ms};
    self->played++;
    play_turns(self);
}

/* ---- Continuing --------------------------------------------------------------------------------------------- */

/* If all players are away, asks each of them once more, so that a short loss of the connection does not cost a whole
 * series. */
static void ask_all_again(struct table *self)
{
    for (int i = 0; i < table_seats(self); i++) {
        if (self->players[i].kind == PLAYER_REMOTE && !self->players[i].away) {
            return;
        }
    }
    for (int i = 0; i < table_seats(self); i++) {
        if (self->players[i].kind == PLAYER_REMOTE) {
            self->players[i].away = 0;
            self->players[i].missed = TABLE_PATIENCE - 1;
        }
    }
}

void table_begin(struct table *self, int64_t record, int64_t time)
{
    table_journal_add(self, JOURNAL_BEGIN, 0, record, time);
    ask_all_again(self);
    deal_game(self);
    self->bots = mh_rng_bots(table_seed(self, self->number, SECRET_BOTS));
    self->begun = 1;
    self->num_events = self->num_shown = 0;
    memset(self->shared->before, 0,
           (size_t)self->terms.game->sizes.state); /* an empty state: the deal's own events count as well */
    collect_events(self);
    self->num_shown = self->num_events;
    record_begin(self, record, time);
    record_flush(self);
    for (int i = 0; i < table_seats(self); i++) {
        self->players[i].seen = 0;
        self->players[i].given = (struct given){0};
        self->players[i].substituted = self->players[i].substituted_in_round = 0;
        tell_start(self, i);
    }
    show_state(self);
}

/* Begins the journal anew with every deal to keep it short. With DISK_ALWAYS the records of the games that it forgets
 * must be on the disk before, because they cannot be written from it afterwards. Returns 0 when the disk refuses that,
 * or a file for this game's record. */
static int open_game(struct table *self)
{
    struct disk *disk = self->shared->disk;
    if (disk->sync == DISK_ALWAYS && self->shared->records && disk_sync(disk) != 0) {
        return 0;
    }
    if (table_turn(self) == 0) {
        table_journal_begin(self);
    }
    const int64_t record = self->journal.is_broken ? -1 : record_create(self->shared, self->name);
    if (record < 0 && disk->is_late) {
        return 0; /* in a game a journal without its beginning could not be mended */
    }
    table_begin(self, record, (int64_t)time(NULL));
    return 1;
}

/* A player needs time to notice that the server was restarted, which its clock may be too short for. */
static void start_clock(struct table *self)
{
    const int64_t now = self->shared->now;
    const int is_silent = self->players[self->asked].session == 0;
    self->asked_at = is_silent && now < self->shared->back_by ? self->shared->back_by : now;
    self->due = self->asked_at + self->terms.clock;
}

void table_hear(struct table *self, int player, uint64_t session)
{
    struct player *it = &self->players[player];
    const int was_silent = it->session == 0;
    it->session = session;
    if (was_silent && self->asked == player) {
        start_clock(self);
    }
}

static void ask_player(struct table *self, int player)
{
    trim_events(self);
    record_flush(self);
    self->asked = player;
    start_clock(self);
    self->players[player].turn++;
    tell_turn(self, player);
}

static void play_bot(struct table *self, int bot, enum record_by by)
{
    int action = 0;
    (void)mh_state_bot_action(self->terms.game, self->state, bot, &self->bots.state, &action);
    decide(self, action, by, 0);
}

int table_step(struct table *self)
{
    if (self->phase != TABLE_PLAYING || table_waits(self) || (!self->begun && self->shared->replaying) ||
        (self->shared->disk->is_late && !self->shared->replaying)) {
        return 0;
    }
    if (!self->begun) {
        return open_game(self);
    }
    if (self->move.is_held) {
        play_turns(self);
        return 1;
    }
    const int player = table_player_at(self, mh_state_seat(self->state));
    const struct player *it = &self->players[player];
    if (it->kind == PLAYER_BOT) {
        play_bot(self, it->bot, it->left ? BY_SUBSTITUTE : BY_BOT);
    } else if (it->away) {
        play_bot(self, self->terms.substitute, BY_SUBSTITUTE);
    } else {
        ask_player(self, player);
    }
    return 1;
}

static void count_miss(struct table *self, int player)
{
    struct player *it = &self->players[player];
    it->totals.missed++;
    it->missed++;
    if (it->missed == TABLE_PATIENCE) {
        it->away = 1;
        tell_away(self, player);
    }
}

void table_answer(struct table *self, enum record_by by, int action, int64_t ms)
{
    const int player = self->asked;
    self->asked = -1;
    if (by == BY_PLAYER) {
        self->players[player].missed = 0;
    } else {
        (void)mh_state_idle_action(self->terms.game, self->state, &action);
        count_miss(self, player);
    }
    table_journal_add(self, JOURNAL_ANSWER + (int)by, player, action, ms);
    decide(self, action, by, ms);
    record_flush(self);
}
