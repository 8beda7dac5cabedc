/* Legal actions for every row of a batch: random ones, uniform or by weights, and those of a bot. */
#include <math.h>

#include "base/mh_exp.h"
#include "frame/mh_batch.h"
#include "play/mh_bots.h"

struct choose_job {
    struct mh_batch *batch;
    const float *weights; /* [rows][actions], or NULL */
    int32_t kind;
    uint32_t draw;
    int32_t *actions;
};

static int is_weight(float weight, int32_t kind)
{
    return kind == MH_LOGITS ? weight < INFINITY : weight >= 0 && weight < INFINITY;
}

/* Looks at a row's legal actions from `action` on: the first whose weight cannot be, or -1. *most is the largest. */
static int find_no_weight(const struct choose_job *job, int row, float *most)
{
    const struct mh_game *game = job->batch->game;
    const uint64_t *legal = mh_legal(game->rules, mh_batch_row_state(job->batch, row));
    const float *weights = job->weights + (size_t)row * (size_t)game->sizes.actions;
    *most = -INFINITY;
    for (int action = mh_set_next(legal, game->legal_words, 0); action >= 0;
         action = mh_set_next(legal, game->legal_words, action + 1)) {
        if (!is_weight(weights[action], job->kind)) {
            return action;
        }
        *most = weights[action] > *most ? weights[action] : *most;
    }
    return -1;
}

static int has_weight(float most, int32_t kind)
{
    return most > (kind == MH_LOGITS ? -INFINITY : 0);
}

static void check_part(void *context, int part, int first, int last)
{
    const struct choose_job *job = context;
    const struct mh_batch *batch = job->batch;
    int row = first;
    for (; row < last; row++) {
        float most;
        if (!batch->rows[row].over && (find_no_weight(job, row, &most) >= 0 || !has_weight(most, job->kind))) {
            break;
        }
    }
    batch->parts[part].refused = row < last ? row : -1;
}

/* One pass over the legal actions: each takes the place of the one kept so far as often as its weight is of the sum
 * up to it. The largest logit is taken off first, so that no exponential overflows. */
static int pick_weighted(const struct choose_job *job, int row, const uint64_t *legal, struct mh_rng rng)
{
    const struct mh_game *game = job->batch->game;
    const float *weights = job->weights + (size_t)row * (size_t)game->sizes.actions;
    int picked = 0;
    double sum = 0;
    float most;
    find_no_weight(job, row, &most);
    for (int action = mh_set_next(legal, game->legal_words, 0); action >= 0;
         action = mh_set_next(legal, game->legal_words, action + 1)) {
        const float weight = job->kind == MH_LOGITS ? mh_exp(weights[action] - most) : weights[action];
        if (weight > 0) {
            const double fraction = (double)(mh_rng_next(&rng) >> 11) * 0x1p-53;
            sum += weight;
            picked = fraction * sum < weight ? action : picked;
        }
    }
    return picked;
}

static void choose_part(void *context, int part, int first, int last)
{
    const struct choose_job *job = context;
    const struct mh_batch *batch = job->batch;
    const struct mh_game *game = batch->game;
    (void)part;
    for (int row = first; row < last; row++) {
        const struct mh_row *here = &batch->rows[row];
        const void *state = mh_batch_row_state(batch, row);
        const uint64_t *legal = mh_legal(game->rules, state);
        if (here->over) {
            job->actions[row] = 0;
        } else if (job->weights) {
            job->actions[row] = pick_weighted(job, row, legal, mh_batch_draw_rng(here, state, job->draw));
        } else {
            job->actions[row] = mh_batch_pick(batch, here, state, legal, game->legal_words, job->draw);
        }
    }
}

/* Nothing may change before the weights of every row are known to be good. */
static int check_weights(struct choose_job *job, char *message)
{
    const struct mh_batch *batch = job->batch;
    mh_pool_run(batch->pool, batch->options.rows, check_part, job);
    const int row = mh_batch_refused(batch);
    if (row < 0) {
        return MH_OK;
    }
    float most;
    const int action = find_no_weight(job, row, &most);
    if (action < 0) {
        mh_message(message, "weights: row %d gives none of its legal actions any", row);
    } else {
        char text[MH_TEXT_SIZE];
        batch->game->rules->action_text(action, text);
        mh_message(message, "weights: %g for action %d (%s) in row %d is no %s",
                   (double)job->weights[(size_t)row * (size_t)batch->game->sizes.actions + (size_t)action], action,
                   text, row, job->kind == MH_LOGITS ? "logit" : "probability");
    }
    return MH_ERROR_ARGUMENT;
}

int mh_batch_choose(struct mh_batch *batch, const float *weights, int32_t kind, int32_t *actions, char *message)
{
    int status = mh_batch_check_started(batch, message);
    if (status != MH_OK) {
        return status;
    }
    if (!actions) {
        mh_message(message, "actions must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (kind != MH_LOGITS && kind != MH_PROBABILITIES) {
        mh_message(message, "kind: %d is no enum mh_weights", (int)kind);
        return MH_ERROR_ARGUMENT;
    }
    struct choose_job job = {batch, weights, kind, batch->draws, actions};
    if (weights) {
        status = check_weights(&job, message);
        if (status != MH_OK) {
            return status;
        }
    }
    if (!weights && batch->has_ahead && batch->draws == 0) {
        memcpy(actions, batch->ahead, (size_t)batch->options.rows * sizeof *actions);
    } else {
        mh_pool_run(batch->pool, batch->options.rows, choose_part, &job);
    }
    batch->uniform |= !weights;
    batch->draws++;
    return MH_OK;
}

/* ---- A bot's ----------------------------------------------------------------------------------------------- */

struct bot_job {
    const struct mh_batch *batch;
    int bot;
    uint64_t random;
    int32_t *actions;
};

static void bot_part(void *context, int part, int first, int last)
{
    const struct bot_job *job = context;
    const struct mh_batch *batch = job->batch;
    (void)part;
    for (int row = first; row < last; row++) {
        struct mh_rng rng = {job->random + (uint64_t)row};
        job->actions[row] =
            batch->rows[row].over ? 0 : mh_bot_choose(batch->game, job->bot, mh_batch_row_state(batch, row), &rng);
    }
}

int mh_batch_bot_actions(const struct mh_batch *batch, int bot, uint64_t random, int32_t *actions, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    if (status != MH_OK) {
        return status;
    }
    if (bot < 0 || bot >= mh_bots_count(batch->game)) {
        mh_message(message, "bot: the game has no bot with number %d", bot);
        return MH_ERROR_ARGUMENT;
    }
    if (!actions) {
        mh_message(message, "actions must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    struct bot_job job = {batch, bot, random, actions};
    mh_pool_run(batch->pool, batch->options.rows, bot_part, &job);
    return MH_OK;
}
