/* Episodes that were played, as data: every decision with what its seat knew, might do, and earned. */
#include <string.h>

#include "mh_bots.h"
#include "mh_replay.h"

/* The data that the threads share. */
struct replay {
    const struct mh_game *game;
    const struct mh_episodes *episodes;
    const struct mh_decisions *out;
};

/* Notes the decision that the seat to act has before it. Rewards have what it had earned by then, for now. */
static void note_decision(const void *context, const void *state, void *memory, int episode, size_t at)
{
    const struct replay *self = context;
    const struct mh_game *game = self->game;
    const struct mh_decisions *out = self->out;
    const int seat = mh_head(state)->seat;
    (void)memory;
    (void)episode;
    if (out->observations) {
        game->rules->observe(state, seat, out->observations + at * (size_t)game->sizes.observation);
    }
    if (out->masks) {
        mh_mask_write(mh_legal(game->rules, state), game->sizes.actions,
                      out->masks + at * (size_t)game->sizes.actions);
    }
    if (out->info) {
        game->rules->info(state, out->info + at * (size_t)game->sizes.info);
    }
    if (out->values) {
        const struct mh_bot *judge = &game->bots[out->judge];
        judge->values(judge, state, 1, out->values + at * (size_t)game->sizes.actions);
    }
    out->seats[at] = (int8_t)seat;
    out->rewards[at] = mh_head(state)->returns[seat];
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

static void note_end(const void *context, const void *state, void *memory, int episode, size_t at)
{
    const struct replay *self = context;
    const struct mh_game *game = self->game;
    const struct mh_decisions *out = self->out;
    const size_t seats = (size_t)game->sizes.seats;
    const size_t size = (size_t)game->sizes.observation;
    const size_t first = (size_t)episode * seats;
    (void)memory;
    for (size_t seat = 0; out->final_observations && seat < seats; seat++) {
        game->rules->observe(state, (int)seat, out->final_observations + (first + seat) * size);
    }
    memcpy(out->totals + first, mh_head(state)->returns, seats * sizeof *out->totals);
    game->rules->info(state, out->numbers + (size_t)episode * (size_t)game->sizes.info);
    settle(self, (size_t)episode, (size_t)self->episodes->starts[episode], at);
}

int mh_game_decisions(const struct mh_game *game, const struct mh_episodes *episodes, int threads,
                      const struct mh_decisions *decisions, char *message)
{
    if (!game || !episodes || !decisions || !decisions->seats || !decisions->rewards || !decisions->returns ||
        !decisions->totals || !decisions->numbers || !decisions->played) {
        mh_message(message, "only observations, masks, info and values may be NULL");
        return MH_ERROR_ARGUMENT;
    }
    const int status = decisions->values ? mh_bots_check_judge(game, decisions->judge, message) : MH_OK;
    if (status != MH_OK) {
        return status;
    }
    const struct replay all = {.game = game, .episodes = episodes, .out = decisions};
    const struct mh_replay replay = {.game = game,
                                     .episodes = episodes,
                                     .context = &all,
                                     .before = note_decision,
                                     .end = note_end,
                                     .played = decisions->played};
    return mh_replay_run(&replay, threads, message);
}
