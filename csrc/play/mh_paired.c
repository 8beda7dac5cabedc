/* Episodes that were played, compared with what baselines would have played in them, and with other draws.
 *
 * Gains: what each other decision was worth, by pairs of play-outs from the state in which it was taken. For any
 * baselines, the sum of these is an unbiased estimate of what the seats gained by playing as they did and not as their
 * baselines: the performance-difference lemma (Kakade and Langford: Approximately optimal approximate reinforcement
 * learning, 2002).
 *
 *   1. Let the compared seats play as they do up to decision t, and as their baselines from then on; call what all
 *      seats earn R(t). R(0) is the baselines' game, and R(end) the one that was played. So what they differ by is the
 *      sum of R(t + 1) - R(t), in expectation.
 *   2. The two play alike up to decision t, and as the baselines after it. So they differ by what two actions bring in
 *      one state: nothing where the actions are the same, or the seat is not compared.
 *   3. The state is the true one, but for what no seat knows, which is drawn anew. Piles were shuffled, and generators
 *      drawn, without regard to how anybody plays: given all that has been played and all hands, every order is as
 *      likely as the true one. Both actions get the same draws, so that only their difference is noisy.
 *
 * Bots that draw at random do so from generators that the episode knows nothing of: 1 and 2 hold for them as well.
 *
 * Luck: what the draws after a choice brought its seat, beyond the mean of other draws, which a judge of positions
 * says: the chance terms of AIVAT (Burch and others, 2018). Each term is
 *
 *   v(true order) - the mean of v(order drawn anew)
 *
 * where v plays on from the same state by the same action. The action was chosen without regard to the order, and by 3
 * all of these orders are alike. So the term is 0 in expectation for any function v, and so is the sum of them over a
 * game, in which any player may have any other seat. A better judge makes rewards less luck less noisy, never wrong. */
#include <string.h>

#include "mh_bots.h"
#include "mh_replay.h"
#include "mh_search.h"

/* The data that the threads share. */
struct comparison {
    const struct mh_game *game;
    const struct mh_episodes *episodes;
    const struct mh_paired_plan *plan;
    const struct mh_paired *out;
    int judge; /* of luck, or MH_NO_BOT */
};

/* Adds to gains[] what the first action brings more than the second one, in the mean of the play-outs. `world` is
 * memory for two states. */
static void add_gains(const struct comparison *self, const void *state, void *world, struct mh_rng *rng,
                      const int *actions, const int32_t *bots, double *gains)
{
    const struct mh_game *game = self->game;
    const size_t size = (size_t)game->sizes.state;
    const int seats = game->sizes.seats;
    void *played = (char *)world + size;
    double sums[MH_MAX_SEATS] = {0};
    for (int i = 0; i < self->plan->play_outs; i++) {
        const uint64_t seed = mh_rng_next(rng);
        memcpy(world, state, size);
        game->rules->resample(world, MH_ALL_SEATS, seed);
        for (int k = 0; k < 2; k++) {
            memcpy(played, world, size);
            mh_apply(game->rules, played, actions[k]);
            (void)mh_state_play_out(game, played, bots, seed);
            for (int seat = 0; seat < seats; seat++) {
                const double earned = mh_head(played)->returns[seat];
                sums[seat] += k ? -earned : earned;
            }
        }
    }
    for (int seat = 0; seat < seats; seat++) {
        gains[seat] += sums[seat] / self->plan->play_outs;
    }
}

/* Returns how lucky the draws after an action were. `world` is memory for a state. */
static double luck_of(const struct comparison *self, const void *state, void *world, struct mh_rng *rng, int action,
                      const int32_t *bots)
{
    const struct mh_rules *rules = self->game->rules;
    const struct mh_play_out play_out = {
        .game = self->game, .seat = mh_head(state)->seat, .bots = bots, .judge = self->judge, .choices = 1};
    double luck = 0;
    for (int i = 0; i <= self->plan->worlds; i++) {
        const uint64_t seed = mh_rng_next(rng);
        memcpy(world, state, (size_t)self->game->sizes.state);
        if (i > 0) {
            rules->resample(world, MH_ALL_SEATS, seed);
        }
        mh_apply(rules, world, action);
        const double value = mh_play_out_value(&play_out, world, mh_rng_stream(seed, 'L'));
        luck += i > 0 ? -value / self->plan->worlds : value;
    }
    return luck;
}

/* Nothing has been gained at the first action of an episode, or at its end where there is none. */
static void begin(const struct comparison *self, int episode, size_t at)
{
    const size_t seats = (size_t)self->game->sizes.seats;
    if (at == (size_t)self->episodes->starts[episode]) {
        memset(self->out->gains + (size_t)episode * seats, 0, seats * sizeof *self->out->gains);
        memset(self->out->luck + (size_t)episode * seats, 0, seats * sizeof *self->out->luck);
        self->out->decisions[episode] = 0;
        self->out->differing[episode] = 0;
    }
}

/* Compares a decision. A forced one needs no baseline, and the draws after it count as those of the choice before. */
static void compare(const void *context, const void *state, void *memory, int episode, size_t at)
{
    const struct comparison *self = context;
    const struct mh_game *game = self->game;
    const size_t first = (size_t)episode * (size_t)game->sizes.seats;
    const size_t seat = first + (size_t)mh_head(state)->seat;
    const int action = self->episodes->actions[at];
    const uint64_t number = at - (size_t)self->episodes->starts[episode];
    const int32_t *bots = self->plan->bots + first;
    begin(self, episode, at);
    if (!self->plan->compared[seat] || !mh_is_choice(game, state)) {
        return;
    }
    if (self->plan->worlds > 0 && (self->plan->compared[seat] & MH_COMPARED_LUCK)) {
        struct mh_rng draws = mh_rng_stream(self->episodes->seeds[episode], 'L' + 256u * number);
        self->out->luck[seat] += luck_of(self, state, memory, &draws, action, bots);
    }
    if (!(self->plan->compared[seat] & MH_COMPARED_GAINS)) {
        return;
    }
    struct mh_rng rng = mh_rng_stream(self->episodes->seeds[episode], 'C' + 256u * number);
    const int other = mh_bot_choose(game, self->plan->bots[seat], state, &rng);
    self->out->decisions[episode]++;
    if (other != action) {
        self->out->differing[episode]++;
        add_gains(self, state, memory, &rng, (const int[]){action, other}, bots, self->out->gains + first);
    }
}

static void note_end(const void *context, const void *state, void *memory, int episode, size_t at)
{
    const struct comparison *self = context;
    const size_t seats = (size_t)self->game->sizes.seats;
    (void)memory;
    begin(self, episode, at);
    memcpy(self->out->totals + (size_t)episode * seats, mh_head(state)->returns, seats * sizeof(double));
}

static int check_plan(const struct mh_game *game, const struct mh_episodes *episodes,
                      const struct mh_paired_plan *plan, const struct mh_paired *out, char *message)
{
    if (!game || !episodes || !plan || !out || !plan->compared || !out->gains || !out->luck || !out->totals ||
        !out->decisions || !out->differing || !out->played) {
        mh_message(message, "game, episodes, plan, out and their arrays must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (plan->play_outs < 1) {
        mh_message(message, "play_outs: %d is not at least 1", (int)plan->play_outs);
        return MH_ERROR_ARGUMENT;
    }
    if (plan->worlds < 0) {
        mh_message(message, "worlds: %d is not at least 0", (int)plan->worlds);
        return MH_ERROR_ARGUMENT;
    }
    int status = MH_OK;
    for (int i = 0; status == MH_OK && i < episodes->count; i++) {
        status =
            mh_bots_check(game, plan->bots ? plan->bots + (size_t)i * (size_t)game->sizes.seats : NULL, message);
    }
    return status;
}

int mh_game_paired(const struct mh_game *game, const struct mh_episodes *episodes,
                   const struct mh_paired_plan *plan, int threads, const struct mh_paired *paired, char *message)
{
    const int status = check_plan(game, episodes, plan, paired, message);
    if (status != MH_OK) {
        return status;
    }
    const struct comparison all = {
        .game = game, .episodes = episodes, .plan = plan, .out = paired, .judge = mh_bots_best_judge(game)};
    const struct mh_replay replay = {.game = game,
                                     .episodes = episodes,
                                     .context = &all,
                                     .before = compare,
                                     .end = note_end,
                                     .room = 2 * (size_t)game->sizes.state,
                                     .played = paired->played};
    return mh_replay_run(&replay, threads, message);
}
