/* Episodes that were played, as data: every decision with what its seat knew, might do, and earned. */
#include <string.h>

#include "base/mh_pool.h"
#include "mh_game.h"

/* The data that the threads share. */
struct replay {
    const struct mh_game *game;
    const struct mh_episodes *episodes;
    const struct mh_decisions *out;
};

/* Notes the decision that the seat to act has before it. Rewards have what it had earned by then, for now. */
static void note_decision(const struct replay *self, const void *state, size_t at)
{
    const struct mh_game *game = self->game;
    const struct mh_decisions *out = self->out;
    const int seat = mh_head(state)->seat;
    if (out->observations) {
        game->rules->observe(state, seat, out->observations + at * (size_t)game->sizes.observation);
    }
    if (out->masks) {
        mh_mask_write(mh_legal(game->rules, state), game->sizes.actions,
                      out->masks + at * (size_t)game->sizes.actions);
    }
    out->seats[at] = (int8_t)seat;
    out->rewards[at] = mh_head(state)->returns[seat];
}

static void note_end(const struct replay *self, const void *state, size_t episode)
{
    const struct mh_game *game = self->game;
    const struct mh_decisions *out = self->out;
    const size_t seats = (size_t)game->sizes.seats;
    const size_t size = (size_t)game->sizes.observation;
    for (size_t seat = 0; out->final_observations && seat < seats; seat++) {
        game->rules->observe(state, (int)seat, out->final_observations + (episode * seats + seat) * size);
    }
    memcpy(out->totals + episode * seats, mh_head(state)->returns, seats * sizeof *out->totals);
    game->rules->info(state, out->numbers + episode * (size_t)game->sizes.info);
}

/* From what seats had earned before each decision, what they earned after it. */
static void settle(const struct replay *self, size_t episode, size_t first, size_t last)
{
    const struct mh_decisions *out = self->out;
    const double *totals = out->totals + episode * (size_t)self->game->sizes.seats;
    double next[MH_MAX_SEATS];
    memcpy(next, totals, sizeof *next * (size_t)self->game->sizes.seats);
    for (size_t at = last; at-- > first;) {
        const int seat = out->seats[at];
        const double before = out->rewards[at];
        out->returns[at] = totals[seat] - before;
        out->rewards[at] = next[seat] - before;
        next[seat] = before;
    }
}

/* In memory for a state. */
static void replay_part(void *context, void *memory, int first, int last)
{
    const struct replay *self = context;
    const struct mh_rules *rules = self->game->rules;
    const struct mh_episodes *episodes = self->episodes;
    void *state = memory;
    for (int i = first; i < last; i++) {
        const size_t begin = (size_t)episodes->starts[i];
        const size_t end = (size_t)episodes->starts[i + 1];
        size_t at = begin;
        memset(state, 0, (size_t)self->game->sizes.state);
        rules->reset(state, self->game->options, episodes->seeds[i], NULL);
        for (; at < end; at++) {
            const int action = episodes->actions[at];
            if (mh_head(state)->seat < 0 || action < 0 || action >= self->game->sizes.actions ||
                !mh_set_has(mh_legal(rules, state), action)) {
                break;
            }
            note_decision(self, state, at);
            mh_apply(rules, state, action);
            rules->next_round(state);
        }
        note_end(self, state, (size_t)i);
        settle(self, (size_t)i, begin, at);
        self->out->played[i] = (int32_t)(at - begin);
    }
}

static int check(const struct mh_game *game, const struct mh_episodes *episodes, int threads,
                 const struct mh_decisions *out, char *message)
{
    if (!game || !episodes || !out || !episodes->seeds || !episodes->starts || !episodes->actions || !out->seats ||
        !out->rewards || !out->returns || !out->totals || !out->numbers || !out->played) {
        mh_message(message, "only observations and masks may be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (episodes->count < 1 || threads < 1) {
        mh_message(message, "count (%d) and threads (%d) must be at least 1", (int)episodes->count, threads);
        return MH_ERROR_ARGUMENT;
    }
    for (int i = 0; i < episodes->count; i++) {
        const int64_t length = episodes->starts[i + 1] - episodes->starts[i];
        if (episodes->starts[0] != 0 || length < 0 || length > INT32_MAX) {
            mh_message(message, "starts: they do not rise from 0 on at episode %d", i);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

int mh_game_decisions(const struct mh_game *game, const struct mh_episodes *episodes, int threads,
                      const struct mh_decisions *decisions, char *message)
{
    int status = check(game, episodes, threads, decisions, message);
    if (status != MH_OK) {
        return status;
    }
    struct replay all = {.game = game, .episodes = episodes, .out = decisions};
    status = mh_pool_once(threads, episodes->count, (size_t)game->sizes.state, replay_part, &all, message);
    for (int i = 0; status == MH_OK && i < episodes->count; i++) {
        if (decisions->played[i] < episodes->starts[i + 1] - episodes->starts[i]) {
            mh_message(message, "actions: %d of episode %d is not legal there",
                       (int)episodes->actions[episodes->starts[i] + decisions->played[i]], i);
            status = MH_ERROR_ACTION;
        }
    }
    return status;
}
