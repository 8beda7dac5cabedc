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

/* A row's legal actions and, later, their weights. */
struct weighted {
    int count;
    int32_t actions[MH_MAX_ACTIONS];
    float weights[MH_MAX_ACTIONS + MH_EXP_LANES - 1];
};

static int is_weight(float weight, int32_t kind)
{
    return kind == MH_LOGITS ? weight < INFINITY : weight >= 0 && weight < INFINITY;
}

static void ask_for(const void *memory)
{
#if defined(__GNUC__)
    __builtin_prefetch(memory);
#else
    (void)memory;
#endif
}

static const float *weights_of(const struct choose_job *job, int row)
{
    return job->weights + (size_t)row * (size_t)job->batch->game->sizes.actions;
}

/* Lists a row's legal actions, and asks for the memory of their weights ahead of its use. */
static void list_actions(const struct choose_job *job, int row, struct weighted *list)
{
    const struct mh_game *game = job->batch->game;
    const uint64_t *legal = mh_legal(game->rules, mh_batch_row_state(job->batch, row));
    int count = 0;
    for (int word = 0; word < game->legal_words; word++) {
        for (uint64_t bits = legal[word]; bits; bits &= bits - 1) {
            const int action = word * 64 + mh_bits_lowest(bits);
            ask_for(weights_of(job, row) + action);
            list->actions[count++] = action;
        }
    }
    list->count = count;
}

/* Reads the weights of the listed actions. Returns the largest one, or NAN where one of them cannot be or no action has
 * any. Here and below, a loop that branched on what it finds would be slower by a quarter. */
static float read_weights(const struct choose_job *job, int row, struct weighted *list)
{
    const float *weights = weights_of(job, row);
    float most = job->kind == MH_LOGITS ? -INFINITY : 0;
    const float none = most;
    int refused = 0;
    for (int i = 0; i < list->count; i++) {
        const float weight = weights[list->actions[i]];
        list->weights[i] = weight;
        most = weight > most ? weight : most;
        refused |= !is_weight(weight, job->kind);
    }
    return refused || most == none ? NAN : most;
}

/* One pass over the legal actions: each takes the place of the one kept so far as often as its weight is of the sum
 * up to it. The largest logit is taken off first, so that no exponential overflows. Returns -1 where the weights cannot
 * be. */
static int pick_weighted(const struct choose_job *job, int row, struct weighted *list)
{
    const struct mh_batch *batch = job->batch;
    struct mh_rng rng = mh_batch_draw_rng(&batch->rows[row], mh_batch_row_state(batch, row), job->draw);
    const float most = read_weights(job, row, list);
    if (isnan(most)) {
        return -1;
    }
    if (job->kind == MH_LOGITS && batch->has_avx512) {
        mh_wide_exp_all(list->weights, list->count, most);
    } else if (job->kind == MH_LOGITS) {
        mh_exp_all(list->weights, list->count, most);
    }
    int picked = 0;
    double sum = 0;
    for (int i = 0; i < list->count; i++) {
        const float weight = list->weights[i];
        if (weight > 0) {
            const double fraction = (double)(mh_rng_next(&rng) >> 11) * 0x1p-53;
            sum += weight;
            picked ^= (picked ^ list->actions[i]) & -(fraction * sum < weight);
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
        job->actions[row] = here->over ? 0
                                       : mh_batch_pick(batch, here, state, mh_legal(game->rules, state),
                                                       game->legal_words, job->draw);
    }
}

/* Rows and their weights lie outside the nearest caches. So a row's actions are listed some rows before it is drawn
 * for, and its state is asked for some rows before that. */
static void choose_weighted_part(void *context, int part, int first, int last)
{
    enum { LISTS = 4 };
    const struct choose_job *job = context;
    const struct mh_batch *batch = job->batch;
    struct weighted lists[LISTS];
    int refused = -1;
    for (int next = first; next < last + LISTS - 1 && refused < 0; next++) {
        const int row = next - (LISTS - 1);
        if (next + LISTS < last) {
            const void *later = mh_batch_row_state(batch, next + LISTS);
            const uint64_t *legal = mh_legal(batch->game->rules, later);
            ask_for(later);
            ask_for(legal);
            ask_for(legal + batch->game->legal_words - 1);
        }
        if (next < last) {
            list_actions(job, next, &lists[next % LISTS]);
        }
        if (row >= first) {
            job->actions[row] = batch->rows[row].over ? 0 : pick_weighted(job, row, &lists[row % LISTS]);
            refused = job->actions[row] < 0 ? row : -1;
        }
    }
    batch->parts[part].refused = refused;
}

/* The place of the first weight that cannot be, or -1. */
static int find_no_weight(const struct weighted *list, int32_t kind)
{
    for (int place = 0; place < list->count; place++) {
        if (!is_weight(list->weights[place], kind)) {
            return place;
        }
    }
    return -1;
}

/* Says why the weights of a row cannot be. */
static int refuse_weights(const struct choose_job *job, int row, char *message)
{
    struct weighted list;
    list_actions(job, row, &list);
    read_weights(job, row, &list);
    const int place = find_no_weight(&list, job->kind);
    const int are_logits = job->kind == MH_LOGITS;
    const char *name = are_logits ? "logits" : "probabilities";
    if (place < 0) {
        mh_message(message, "%s: all legal actions in row %d have %s", name, row, are_logits ? "-inf" : "0");
    } else {
        char text[MH_TEXT_SIZE];
        job->batch->game->rules->action_text(list.actions[place], text);
        mh_message(message, "%s: %g for action %d (%s) in row %d is no %s", name, (double)list.weights[place],
                   (int)list.actions[place], text, row, are_logits ? "logit" : "probability");
    }
    return MH_ERROR_ARGUMENT;
}

int mh_batch_choose(struct mh_batch *batch, const float *weights, int32_t kind, int32_t *actions, char *message)
{
    const int status = mh_batch_check_started(batch, message);
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
    /* Nothing of the caller's may change before the weights of every row are known to be good. */
    if (weights || !batch->has_ahead || batch->draws != 0) {
        struct choose_job job = {batch, weights, kind, batch->draws, batch->ahead};
        batch->has_ahead = 0;
        mh_pool_run(batch->pool, batch->options.rows, weights ? choose_weighted_part : choose_part, &job);
        const int row = weights ? mh_batch_refused(batch) : -1;
        if (row >= 0) {
            return refuse_weights(&job, row, message);
        }
    }
    memcpy(actions, batch->ahead, (size_t)batch->options.rows * sizeof *actions);
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
