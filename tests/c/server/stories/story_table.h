/* A client that plays at a table. What it is asked is compared with the records of the games, and these with the core:
 * they are played again from their seeds, bots included. */
#ifndef STORY_TABLE_H
#define STORY_TABLE_H

#include <stdlib.h>

#include "mh_game.h"
#include "story_client.h"

enum {
    TABLE_TURNS = 1200,
    TABLE_WAIT_MS = 600 * 1000, /* for other players */
    TABLE_LEAVES = 15,          /* one in so many answers is the last of a player who has others beside it */
    LEAST_ACTION = -1           /* no action: an illegal answer */
};

/* A table and its terms, which its players share. */
struct plan {
    int number, players, games, bots;
    int64_t clock, pause;
    uint64_t seed;
    const char *options;
};

/* A question as it was heard. */
struct heard {
    uint64_t told; /* a hash; 0: it was not */
    int64_t said;
    int32_t answer;
    int is_answered;
};

struct table_client {
    struct speaker speaker;
    struct plan plan;
    char name[48];
    int generation; /* of its tables: after a loss of power it may sit down anew */
    int may_be_lost;
    int is_seated, seat, is_over;
    int64_t seated_at; /* never: not at this table */
    enum { ASK_NOTHING, ASK_SIT, ASK_BACK, ASK_STAND, ASK_BYE } wants, asks;
    int64_t turn, must_turn;
    struct heard heard[TABLE_TURNS];
    int64_t asked_turn, asked_at, left, asked_stuck; /* the question that the server has sent last */
    int acts;                                        /* answers to it that have arrived and were not refused */
};

static int64_t stuck_so_far(void)
{
    return world.stuck_ms + (world.stuck_since >= 0 ? platter.now_ms - world.stuck_since : 0);
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

/* It wants that, and does not know yet that it was done. */
static int is_asking(const struct table_client *self, int what)
{
    return (int)self->wants == what || ((int)self->asks == what && self->speaker.base < self->speaker.next);
}

static void write_terms(const struct table_client *self, struct wire_out *out)
{
    const struct plan *plan = &self->plan;
    wire_map(out, 7);
    wire_key_text(out, "table", self->name);
    wire_key_text(out, "options", plan->options);
    wire_text(out, "bots");
    wire_array(out, (size_t)plan->bots);
    for (int i = 0; i < plan->bots; i++) {
        wire_text(out, "greedy");
    }
    wire_key_int(out, "games", plan->games);
    wire_key_int(out, "clock", plan->clock);
    wire_key_int(out, "pause", plan->pause);
    wire_text(out, "seed");
    wire_uint(out, plan->seed);
}

static int table_ask(struct speaker *speaker, uint64_t seq)
{
    struct table_client *self = (struct table_client *)speaker;
    static const char *const names[] = {"", "sit", "back", "stand", "bye"};
    if (self->wants == ASK_NOTHING || seq >= SPEAKER_REQUESTS - 1) {
        return 0;
    }
    struct wire_out out = begin_call(names[self->wants], seq, self->wants == ASK_SIT);
    if (self->wants == ASK_SIT) {
        write_terms(self, &out);
    }
    speaker->asked[seq] =
        (struct asked){.message = wire_finish(&out), .told_at = -1, .holds = self->wants == ASK_SIT};
    speaker->says_bye = self->wants == ASK_BYE;
    self->asks = self->wants;
    self->wants = ASK_NOTHING;
    return 1;
}

static uint64_t table_check(const struct asked *asked, const msgpack_object *items, uint32_t count)
{
    (void)asked;
    (void)items;
    (void)count;
    return 0;
}

/* Sits down anew, at another table, and alone: others may wait for it in vain, and do the same after a time. */
static void sit_anew(struct table_client *self)
{
    const int number = self->speaker.client.number;
    (void)snprintf(self->name, sizeof self->name, "t%d", self->plan.number);
    if (self->generation > 0) {
        self->plan.bots += self->plan.players - 1;
        self->plan.players = 1;
        (void)snprintf(self->name, sizeof self->name, "t%d-%d-%d", self->plan.number, number, self->generation);
    }
    self->generation++;
    memset(self->heard, 0, sizeof self->heard);
    self->turn = self->must_turn = self->asked_turn = 0;
    self->is_over = 0;
    self->wants = ASK_SIT;
    self->seated_at = never;
}

/* Gives up a table whose other players have not come. */
static void stand_up(struct table_client *self)
{
    for (int i = 0; i < world.num_clients; i++) {
        const struct table_client *other = (const struct table_client *)world.clients[i];
        if (other != self && other->speaker.client.kind == self->speaker.client.kind && other->seated_at != never &&
            strcmp(other->name, self->name) == 0) {
            fault(self->speaker.client.number, "all have sat down, and nobody is asked", i);
        }
    }
    self->wants = ASK_STAND;
}

static void table_answered(struct speaker *speaker, uint64_t seq, const msgpack_object *items)
{
    struct table_client *self = (struct table_client *)speaker;
    if (speaker->says_bye && seq == speaker->count) {
        if (!self->is_over) {
            fault(speaker->client.number, "it leaves too early", (int64_t)seq);
        }
        speaker_done(speaker);
    } else if (self->asks == ASK_STAND && seq == speaker->count) {
        sit_anew(self);
    } else if (!is_text(&items[0], "ok") && seq == speaker->count) {
        if (!self->may_be_lost && !world.has_lost_sync) {
            fault(speaker->client.number, "its seat is gone", (int64_t)seq);
        }
        sit_anew(self);
    } else if (is_text(&items[0], "ok") && items[2].type == MSGPACK_OBJECT_MAP) {
        self->is_seated = 1;
        self->seated_at = earlier(self->seated_at, platter.now_ms);
        self->seat = (int)wire_key(&items[2], "seat")->via.u64;
    }
    speaker->think_at = platter.now_ms + 1000 + pick(speaker, 4000);
}

static void table_reset(struct speaker *speaker)
{
    struct table_client *self = (struct table_client *)speaker;
    self->may_be_lost |= self->is_seated; /* with the session went its seat */
    self->generation = self->is_seated ? self->generation : 0;
    for (uint64_t i = 1; i <= speaker->count; i++) {
        wire_release(speaker->asked[i].message);
    }
    speaker->count = 0;
    sit_anew(self);
}

/* ---- Questions --------------------------------------------------------------------------------------------------- */

static void hear_turn(struct table_client *self, const msgpack_object *items, int64_t said)
{
    struct speaker *speaker = &self->speaker;
    const int64_t turn = items[1].via.i64;
    const msgpack_object_bin *mask = &items[4].via.bin;
    note("turn", speaker->client.number, turn, "");
    if (turn < 1 || turn >= TABLE_TURNS || turn < self->must_turn) {
        fault(speaker->client.number, "a question from before one that was asked", turn);
    }
    struct heard *heard = &self->heard[turn];
    uint64_t told = fold(5, items[3].via.bin.ptr, items[3].via.bin.size);
    told = fold(told, mask->ptr, mask->size);
    if (heard->told != 0 && heard->told != told) {
        fault(speaker->client.number, "a question is asked again in another way", turn);
    }
    if (heard->told == 0) {
        struct mh_rng random = mh_rng_stream(self->plan.seed + (uint64_t)turn, (uint64_t)speaker->client.number);
        int32_t action = (int32_t)mh_rng_below(&random, mask->size);
        while (!mask->ptr[action]) {
            action = (action + 1) % (int32_t)mask->size;
        }
        *heard = (struct heard){told, said, mh_rng_below(&random, 40) ? action : LEAST_ACTION, 0};
    }
    self->turn = turn;
    if (is_undone(said)) {
        heard->told = 0;
    } else {
        self->must_turn = turn;
    }
    heard->is_answered = 0;
    const int is_slow = one_in(speaker, 12);
    speaker->think_at = platter.now_ms + (is_slow ? self->plan.clock / 2 + pick(speaker, (int)self->plan.clock)
                                                  : pick(speaker, 1 + (int)self->plan.clock / 4));
}

static void table_hear(struct speaker *speaker, const msgpack_object *items, uint32_t count, int64_t said)
{
    struct table_client *self = (struct table_client *)speaker;
    const int64_t turn = items[1].via.i64;
    (void)count;
    if (is_text(&items[0], "turn")) {
        hear_turn(self, items, said);
        return;
    }
    if (is_text(&items[0], "end") && wire_key(&items[2], "over")->via.boolean &&
        !is_asking(self, ASK_SIT)) { /* it may be that of the table before */
        note("over", speaker->client.number, 0, "");
        self->is_over = 1;
        self->wants = ASK_BYE;
    }
    if (is_code(items, "illegal") && self->heard[turn].answer != LEAST_ACTION && self->heard[turn].told) {
        fault(speaker->client.number, "a legal answer is refused", turn);
    }
    if (is_code(items, "turn") && !self->may_be_lost) {
        fault(speaker->client.number, "a question that was asked is not known", turn);
    }
    speaker->think_at = platter.now_ms + 500 + pick(speaker, 3000);
}

static void answer(struct table_client *self)
{
    struct heard *heard = &self->heard[self->turn];
    struct wire_out out = begin_call("act", (uint64_t)self->turn, 1);
    wire_int(&out, heard->answer == LEAST_ACTION ? 99999 : heard->answer);
    heard->is_answered = 1;
    note("act", self->speaker.client.number, self->turn, "");
    speaker_send(&self->speaker, &out);
    if (self->plan.players > 1 && self->wants == ASK_NOTHING && one_in(&self->speaker, TABLE_LEAVES)) {
        self->wants = ASK_STAND; /* it comes in the pause after the action, the last one of the series too */
        if (world.crash_at != never && one_in(&self->speaker, 2)) {
            world.messages_to_crash = 2 + pick(&self->speaker, 3);
        }
    }
}

static void table_wake(struct client *client)
{
    struct table_client *self = (struct table_client *)client;
    struct speaker *speaker = &self->speaker;
    if (platter.now_ms >= speaker->think_at) {
        speaker->think_at = platter.now_ms + 2000 + pick(speaker, 4000);
        if (speaker->is_greeted && self->turn > 0 && !self->heard[self->turn].is_answered &&
            !is_asking(self, ASK_STAND)) {
            answer(self);
        } else if (self->turn == 0 && platter.now_ms - TABLE_WAIT_MS > self->seated_at &&
                   speaker->base == speaker->next && self->wants == ASK_NOTHING) {
            stand_up(self);
        } else if (speaker->is_greeted && speaker->base == speaker->next && self->wants == ASK_NOTHING &&
                   !speaker->says_bye) {
            self->wants = ASK_BACK;
        }
        if (speaker->is_greeted) {
            pump(speaker);
        }
    }
    speaker_wake(client);
}

/* ---- The clock --------------------------------------------------------------------------------------------------- */

/* A question is closed without an answer: it was open as long as its clock, without the time in which the disk
 * refused. */
static void check_clock(const struct table_client *self)
{
    const int64_t open = platter.now_ms - self->asked_at - (stuck_so_far() - self->asked_stuck);
    if (self->asked_turn > 0 && self->acts == 0 && open < self->left) {
        fault(self->speaker.client.number, "a clock has run too fast, milliseconds", self->left - open);
    }
}

static void set_clock(struct table_client *self, int64_t turn, int64_t left)
{
    self->asked_turn = turn;
    self->asked_at = platter.now_ms;
    self->asked_stuck = stuck_so_far();
    self->left = left;
}

static void table_sent(struct client *client, const struct packet *packet, int is_stale)
{
    struct table_client *self = (struct table_client *)client;
    msgpack_unpacked unpacked;
    unpack(packet, &unpacked);
    const msgpack_object *items = unpacked.data.via.array.ptr;
    const int64_t turn = items[1].via.i64;
    if (is_text(&items[0], "turn")) {
        if (turn > self->asked_turn) {
            check_clock(self);
        }
        set_clock(self, turn, items[2].via.i64);
        self->acts = 0;
    } else if (turn == self->asked_turn && turn > (int64_t)self->speaker.count && /* or it is about a request */
               (is_code(items, "hello") || is_code(items, "session") || is_code(items, "storage"))) {
        self->acts -= self->acts > 0;
    } else if (is_code(items, "late") && turn == self->asked_turn && self->acts == 1 &&
               platter.now_ms < self->asked_at + self->left) {
        fault(client->number, "an answer in time is called late", turn);
    }
    msgpack_unpacked_destroy(&unpacked);
    speaker_sent(client, packet, is_stale);
}

static void table_arrived(struct client *client, const struct packet *packet)
{
    struct table_client *self = (struct table_client *)client;
    static const unsigned char act[] = {0xa3, 'a', 'c', 't'};
    if (memcmp(packet->bytes + 1, act, sizeof act) == 0) {
        msgpack_unpacked unpacked;
        unpack(packet, &unpacked);
        self->acts += unpacked.data.via.array.ptr[1].via.i64 == self->asked_turn;
        msgpack_unpacked_destroy(&unpacked);
    }
}

static void table_lost(struct client *client, int64_t kept_until)
{
    struct table_client *self = (struct table_client *)client;
    self->may_be_lost = 1;
    self->must_turn = self->asked_turn = 0;
    for (int64_t turn = 1; turn < TABLE_TURNS; turn++) {
        struct heard *heard = &self->heard[turn];
        if (heard->told != 0 && heard->said > kept_until) {
            heard->told = 0;
        }
        self->must_turn = heard->told != 0 ? turn : self->must_turn;
    }
    speaker_lost(client, kept_until);
}

/* An open question has the whole clock again. It may have been closed by what the last process did before it could
 * tell. */
static void table_restarted(struct client *client)
{
    struct table_client *self = (struct table_client *)client;
    self->acts |= world.stopped_at >= self->asked_at + self->left;
    set_clock(self, self->asked_turn, self->plan.clock);
    speaker_restarted(client);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* A game that is played again, with all that its record says. */
struct replay {
    struct mh_game *game;
    struct mh_sizes sizes;
    void *state;
    struct mh_rng bots;
    uint8_t *observation;
    int8_t *mask;
};

/* The text of a game's record, which the caller frees; of several that of the last one, as a loss of power may leave
 * the beginning of one. `count`: those that are whole. NULL: it has none. */
static char *find_record(const struct table_client *self, int game, int *count)
{
    char number[32];
    char prefix[64];
    char *text = NULL;
    long last = -1;
    *count = 0;
    (void)snprintf(number, sizeof number, "\"number\":%d,", game);
    (void)snprintf(prefix, sizeof prefix, "records/%s-", self->name);
    for (int i = 0; i < platter.seen.count; i++) {
        const struct platter_name *name = &platter.seen.names[i];
        const struct platter_image *image = &platter.files[name->file].seen;
        char *end = NULL;
        if (strncmp(name->path, prefix, strlen(prefix)) != 0 || image->size == 0) {
            continue;
        }
        const long place = strtol(name->path + strlen(prefix), &end, 10);
        if (strcmp(end, ".jsonl") != 0) { /* what a replaced file leaves behind */
            continue;
        }
        char *copy = check_memory(image->size + 1);
        memcpy(copy, image->bytes, image->size);
        const int is_it = strstr(copy, number) != NULL;
        *count += is_it && strstr(copy, "{\"returns\":");
        if (is_it && place > last) {
            free(text);
            last = place;
            text = strlen(copy) == image->size ? copy : NULL; /* zeros: power was lost */
        }
        if (text != copy) {
            free(copy);
        }
    }
    return text;
}

static int64_t number_at(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* Checks that the player has heard this question, and that the action is its answer. */
static void check_answer(const struct table_client *self, struct replay *replay, int64_t turn, int action,
                         const char *by)
{
    const struct heard *heard = &self->heard[turn];
    const int seat = mh_state_seat(replay->state);
    if (heard->told == 0) {
        return;
    }
    CHECK_EQUAL(mh_state_observe(replay->game, replay->state, seat, replay->observation), MH_OK);
    CHECK_EQUAL(mh_state_mask(replay->game, replay->state, replay->mask), MH_OK);
    uint64_t told = fold(5, replay->observation, (size_t)replay->sizes.observation);
    told = fold(told, replay->mask, (size_t)replay->sizes.actions);
    if (told != heard->told) {
        fault(self->speaker.client.number, "a question is not that of the record", turn);
    }
    const int is_answer = strcmp(by, "player") == 0;
    if ((is_answer && action != heard->answer) || (strcmp(by, "illegal") == 0 && heard->answer != LEAST_ACTION)) {
        fault(self->speaker.client.number, "the record has another answer", turn);
    }
}

/* The action of a seat that nobody answers for; -1: any action. */
static int wanted_action(struct replay *replay, const char *by)
{
    int action = -1;
    if (strcmp(by, "bot") == 0 || strcmp(by, "substitute") == 0) {
        const int bot =
            strcmp(by, "bot") == 0 ? mh_bot_index(replay->game, "greedy", NULL) : mh_default_bot(replay->game);
        (void)mh_state_bot_action(replay->game, replay->state, bot, &replay->bots.state, &action);
    } else if (strcmp(by, "player") != 0) {
        (void)mh_state_idle_action(replay->game, replay->state, &action);
    }
    return action;
}

/* Plays an action of the record. */
static void replay_line(const struct table_client *self, struct replay *replay, const char *line, int64_t *turn)
{
    char by[16] = "";
    const int seat = (int)number_at(line, "\"seat\":");
    const int action = (int)number_at(line, "\"action\":");
    const char *who = strstr(line, "\"by\":\"");
    CHECK(who && sscanf(who, "\"by\":\"%15[a-z]", by) == 1);
    if (seat != mh_state_seat(replay->state)) {
        fault(self->speaker.client.number, "the record has another seat's action", action);
    }
    const int is_asked = strcmp(by, "player") == 0 || strcmp(by, "late") == 0 || strcmp(by, "illegal") == 0;
    if (seat == self->seat && is_asked) {
        check_answer(self, replay, ++*turn, action, by);
    }
    const int wanted = wanted_action(replay, by);
    if (wanted >= 0 && wanted != action) {
        fault(self->speaker.client.number, "the record has another action than the core", action);
    }
    if (mh_state_apply(replay->game, replay->state, action, NULL) != MH_OK) {
        fault(self->speaker.client.number, "the record has an illegal action", action);
    }
}

/* Returns 0 where the record has no end. */
static int replay_game(const struct table_client *self, struct replay *replay, int game, char *text, int64_t *turn)
{
    int is_whole = 0;
    CHECK_EQUAL(mh_state_reset(replay->game, replay->state, self->plan.seed + (uint64_t)game, NULL), MH_OK);
    replay->bots = mh_rng_bots(self->plan.seed + (uint64_t)game);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, "\"by\":")) {
            replay_line(self, replay, line, turn);
        }
        is_whole |= strstr(line, "{\"returns\":") != NULL;
    }
    if (is_whole && mh_state_seat(replay->state) >= 0) {
        fault(self->speaker.client.number, "a record ends before its game", game);
    }
    return is_whole;
}

static void check_records(const struct table_client *self)
{
    struct replay replay = {.game = NULL};
    int64_t turn = 0;
    int is_whole = 1;
    CHECK_EQUAL(mh_game_new("mhing", self->plan.options, NULL, &replay.game), MH_OK);
    mh_game_sizes(replay.game, &replay.sizes);
    replay.state = check_memory((size_t)replay.sizes.state);
    replay.observation = check_memory((size_t)replay.sizes.observation);
    replay.mask = check_memory((size_t)replay.sizes.actions);
    for (int game = 0; game < self->plan.games && is_whole; game++) {
        int count;
        char *text = find_record(self, game, &count);
        is_whole = text && replay_game(self, &replay, game, text, &turn);
        if (!self->may_be_lost && (!is_whole || count > 1)) {
            fault(self->speaker.client.number, "records of a game", count);
        }
        free(text);
    }
    free(replay.state);
    free(replay.observation);
    free(replay.mask);
    mh_game_free(&replay.game);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static void table_finish(struct client *client)
{
    struct table_client *self = (struct table_client *)client;
    if (self->is_over) {
        check_records(self);
    }
    speaker_free(&self->speaker);
}

static const struct speaker_kind table_kind = {table_ask, table_check, table_answered, table_hear, table_reset};
static const struct client_kind table_client_kind = {table_wake, speaker_hear,    table_sent,  table_arrived,
                                                     table_lost, table_restarted, table_finish};

static struct client *table_new(const struct plan *plan)
{
    struct table_client *self = check_memory(sizeof *self);
    self->speaker.client.kind = &table_client_kind;
    self->speaker.kind = &table_kind;
    self->plan = *plan;
    return &self->speaker.client;
}

static void table_begin(struct client *client)
{
    struct table_client *self = (struct table_client *)client;
    self->speaker.window = 1;
    sit_anew(self);
    speaker_begin(&self->speaker);
}

#endif
