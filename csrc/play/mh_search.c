#include "mh_search.h"

#include <math.h>
#include <string.h>

/* ---- Settings ---------------------------------------------------------------------------------------------- */

enum { MOST_PLAY_OUTS = 10000000, MOST_MS = 600000, MOST_DECISIONS = 99, MOST_ERRORS = 99 };

static int digits_of(const char *text, int length)
{
    int count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

/* A whole number of at most nine digits, or -1. */
static int64_t whole(const char *text, int length)
{
    int64_t number = 0;
    if (length < 1 || length > 9 || digits_of(text, length) != length) {
        return -1;
    }
    for (int i = 0; i < length; i++) {
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

/* Digits, and perhaps a point with further ones; -1 for anything else. */
static double decimal(const char *text, int length)
{
    const int before = digits_of(text, length);
    const int after = before < length && text[before] == '.' ? length - before - 1 : 0;
    double number = (double)whole(text, before);
    double unit = 1;
    if (number < 0 || (before < length && (after < 1 || digits_of(text + before + 1, after) != after))) {
        return -1;
    }
    for (int i = 0; i < after; i++) {
        unit /= 10;
        number += unit * (text[before + 1 + i] - '0');
    }
    return number;
}

static int read_budget(struct mh_search *self, const char *text, int length, char *message)
{
    const int is_time = length > 2 && strncmp(text + length - 2, "ms", 2) == 0;
    const int64_t number = whole(text, is_time ? length - 2 : length);
    if (number < 1 || number > (is_time ? MOST_MS : MOST_PLAY_OUTS)) {
        mh_message(message,
                   "bot search: '%.*s' is no budget; it is a number of play-outs up to %d, as in search:200, or a "
                   "time up to %d ms, as in search:10ms",
                   length > 30 ? 30 : length, text, (int)MOST_PLAY_OUTS, (int)MOST_MS);
        return MH_ERROR_ARGUMENT;
    }
    self->play_outs = is_time ? 0 : number;
    self->nanoseconds = is_time ? number * 1000000 : 0;
    return MH_OK;
}

static int read_name(const char *value, int length, char *name)
{
    if (length < 1 || length >= MH_BOT_NAME_SIZE) {
        return 0;
    }
    memcpy(name, value, (size_t)length);
    name[length] = '\0';
    return 1;
}

static int read_number(const char *value, int length, int low, int high, int *number)
{
    const int64_t given = whole(value, length);
    *number = (int)given;
    return given >= low && given <= high;
}

static int read_errors(const char *value, int length, double *errors)
{
    *errors = decimal(value, length);
    return *errors >= 0 && *errors <= MOST_ERRORS;
}

/* True if a setting of so many letters, up to its '=', has that name. */
static int is_called(const char *text, int letters, const char *name)
{
    return strlen(name) == (size_t)letters && strncmp(text, name, (size_t)letters) == 0;
}

/* Returns 0 for what is no setting, or has no value that is allowed. */
static int read_setting(struct mh_search *self, struct mh_search_names *names, const char *text, int length)
{
    const int letters = (int)strcspn(text, "=");
    const char *value = text + letters + 1;
    const int rest = length - letters - 1;
    if (rest < 1) {
        return 0;
    }
    return is_called(text, letters, "prior")       ? read_name(value, rest, names->prior)
           : is_called(text, letters, "cut")       ? read_name(value, rest, names->cut)
           : is_called(text, letters, "others")    ? read_name(value, rest, names->others)
           : is_called(text, letters, "actions")   ? read_number(value, rest, 2, MH_SEARCH_ACTIONS, &self->actions)
           : is_called(text, letters, "decisions") ? read_number(value, rest, 1, MOST_DECISIONS, &self->decisions)
           : is_called(text, letters, "errors")    ? read_errors(value, rest, &self->errors)
                                                   : 0;
}

/* True if a setting, up to its '=', stands among those from `first` on. */
static int is_again(const char *first, const char *text)
{
    while (first < text && strncmp(first, text, strcspn(text, "=") + 1) != 0) {
        first += strcspn(first, ",") + 1;
    }
    return first < text;
}

int mh_search_read(struct mh_search *self, const char *text, struct mh_search_names *names, char *message)
{
    *self = (struct mh_search){.actions = 4, .decisions = 2, .errors = 1};
    *names = (struct mh_search_names){"", "", ""};
    int length = (int)strcspn(text, ",");
    if (read_budget(self, text, length, message) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    const char *const first = text + length + 1;
    while (text[length]) {
        text += length + 1;
        length = (int)strcspn(text, ",");
        if (!read_setting(self, names, text, length)) {
            mh_message(message,
                       "bot search: '%.*s' is no setting; there are prior, cut and others=BOT, actions=2..%d, "
                       "decisions=1..%d, errors=0..%d",
                       length > 40 ? 40 : length, text, (int)MH_SEARCH_ACTIONS, (int)MOST_DECISIONS,
                       (int)MOST_ERRORS);
            return MH_ERROR_ARGUMENT;
        }
        if (is_again(first, text)) {
            mh_message(message, "bot search: '%.*s' is given twice; give it once", (int)strcspn(text, "="), text);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

/* ---- One play-out ------------------------------------------------------------------------------------------- */

enum { AT_ONCE = 16 /* worlds that are shared among threads */, LEAST = 2 /* worlds of an action */ };

/* The data of a search that all its threads share. */
struct task {
    const struct mh_search *search;
    const void *state; /* of the search's game */
    int seat;
    uint64_t seed;
    int64_t first_world; /* of those that are played now */
    int count;           /* actions that are tried */
    const struct mh_tried *tried;
    double returns[AT_ONCE * MH_SEARCH_ACTIONS]; /* of these worlds: [world][action] */
};

/* The largest value, or NaN where nothing is judged. */
static double largest(const double *values, int count)
{
    double best = NAN;
    for (int i = 0; i < count; i++) {
        best = values[i] > best || isnan(best) ? values[i] : best;
    }
    return best;
}

/* The expectation of the seat to act, or NaN. */
static double judged(const struct mh_game *game, int bot, const void *state)
{
    double values[MH_MAX_ACTIONS];
    const struct mh_bot *judge = &game->bots[bot];
    judge->values(judge, state, 0, values);
    return largest(values, mh_set_count(mh_legal(game->rules, state), game->legal_words));
}

/* A round has ended that paid somebody. */
static int is_paid(const struct mh_head *before, const struct mh_head *now)
{
    return now->rounds != before->rounds && memcmp(now->returns, before->returns, sizeof now->returns) != 0;
}

/* Plays to the end; returns what the seat has earned and expects there. */
static double play_out(const struct task *task, void *state, struct mh_rng rng)
{
    const struct mh_search *search = task->search;
    const struct mh_game *game = search->game;
    const struct mh_head *head = mh_head(state);
    int left = search->decisions;
    while (!is_paid(mh_head(task->state), head)) {
        game->rules->next_round(state);
        if (head->seat < 0) {
            break;
        }
        const int is_own = head->seat == task->seat;
        const uint64_t *legal = mh_legal(game->rules, state);
        const int is_choice = is_own && mh_set_count(legal, game->legal_words) > 1;
        if (is_choice && search->cut != MH_NO_BOT && --left <= 0) {
            const double value = judged(game, search->cut, state);
            if (!isnan(value)) {
                return head->returns[task->seat] + value;
            }
        }
        const int bot = is_own ? search->prior : search->others;
        mh_apply(game->rules, state, mh_bot_choose(game, bot, state, &rng));
    }
    return head->returns[task->seat];
}

/* Tries all actions in some worlds. Each has a number, which alone decides what is in it. */
static void try_worlds(void *context, int part, int first, int last)
{
    struct task *task = context;
    const struct mh_rules *rules = task->search->game->rules;
    const size_t size = (size_t)task->search->game->sizes.state;
    uint64_t world[MH_MAX_STATE / 8];
    uint64_t state[MH_MAX_STATE / 8];
    (void)part;
    for (int i = first; i < last; i++) {
        struct mh_rng lots = mh_rng_stream(task->seed + (uint64_t)(task->first_world + i), 'W');
        memcpy(world, task->state, size);
        rules->resample(world, task->seat, mh_rng_next(&lots));
        const double before = mh_head(world)->returns[task->seat];
        for (int k = 0; k < task->count; k++) {
            memcpy(state, world, size);
            mh_apply(rules, state, task->tried[k].action);
            task->returns[i * task->count + k] = play_out(task, state, lots) - before;
        }
    }
}

/* ---- Actions to try ------------------------------------------------------------------------------------------- */

/* The prior's action, then others: where it judges, the best ones, in falling order of its values. */
static void choose_tried(const struct task *task, struct mh_rng *rng, struct mh_found *found)
{
    const struct mh_game *game = task->search->game;
    const struct mh_bot *prior = &game->bots[task->search->prior];
    const uint64_t *legal = mh_legal(game->rules, task->state);
    double values[MH_MAX_ACTIONS];
    double value_of[MH_SEARCH_ACTIONS];
    const int chosen = prior->act(prior, task->state, rng);
    const int judges = prior->values != NULL;
    int index = 0;
    if (judges) {
        prior->values(prior, task->state, 1, values);
    }
    found->count = 1;
    found->prior = chosen;
    found->tried[0] = (struct mh_tried){.action = chosen};
    for (int action = mh_set_next(legal, game->legal_words, 0); action >= 0;
         action = mh_set_next(legal, game->legal_words, action + 1), index++) {
        if (action == chosen) {
            continue;
        }
        const double value = judges && !isnan(values[index]) ? values[index] : -HUGE_VAL;
        int place = found->count;
        for (; place > 1 && value > value_of[place - 1]; place--) {
            if (place < task->search->actions) {
                found->tried[place] = found->tried[place - 1];
                value_of[place] = value_of[place - 1];
            }
        }
        if (place < task->search->actions) {
            found->tried[place] = (struct mh_tried){.action = action};
            value_of[place] = value;
            found->count += found->count < task->search->actions;
        }
    }
}

/* ---- Counting --------------------------------------------------------------------------------------------------- */

static void count_world(struct mh_tried *tried, int count, const double *returns)
{
    for (int k = 0; k < count; k++) {
        const double gain = returns[k] - returns[0];
        tried[k].visits++;
        tried[k].sum += returns[k];
        tried[k].squares += returns[k] * returns[k];
        tried[k].gain_sum += gain;
        tried[k].gain_squares += gain * gain;
    }
}

/* The standard error of a mean; infinite for fewer than two. */
static double error_of(double sum, double squares, int64_t count)
{
    if (count < 2) {
        return HUGE_VAL;
    }
    const double n = (double)count;
    const double spread = squares - sum * sum / n;
    return sqrt(spread > 0 ? spread / (n - 1) / n : 0);
}

static void conclude(struct mh_tried *tried, int count)
{
    static const double wide = 1.96; /* standard errors of an interval of 95 % */
    for (int k = 0; k < count; k++) {
        struct mh_tried *it = &tried[k];
        const double n = (double)it->visits;
        it->value = it->visits ? it->sum / n : NAN;
        it->gain = it->visits ? it->gain_sum / n : NAN;
        it->half = wide * error_of(it->sum, it->squares, it->visits);
        it->gain_half = wide * error_of(it->gain_sum, it->gain_squares, it->visits);
    }
}

static double mean_gain(const struct mh_tried *it)
{
    return it->gain_sum / (double)it->visits;
}

/* Orders all but the prior's action by what they have gained, and returns how many stay in the search: half of them. */
static int halve(struct mh_tried *tried, int count)
{
    for (int i = 2; i < count; i++) {
        const struct mh_tried it = tried[i];
        int place = i;
        for (; place > 1 && mean_gain(&it) > mean_gain(&tried[place - 1]); place--) {
            tried[place] = tried[place - 1];
        }
        tried[place] = it;
    }
    return 1 + count / 2;
}

/* ---- The search --------------------------------------------------------------------------------------------------- */

/* Plays worlds with those that are left until so many play-outs have been made, or it is so late; however small the
 * budget, so many that a difference has an error. */
static void spend(struct task *task, struct mh_pool *pool, struct mh_tried *tried, int count, int64_t play_outs,
                  int64_t until)
{
    const int parts = pool ? mh_pool_parts(pool) : 1;
    int64_t worlds = task->search->play_outs ? play_outs / count : INT64_MAX;
    task->tried = tried;
    task->count = count;
    worlds = worlds > LEAST ? worlds : LEAST;
    while (worlds > 0 && (task->search->play_outs || task->first_world < LEAST || mh_pool_now() < until)) {
        const int most = task->search->play_outs ? AT_ONCE : parts < AT_ONCE ? parts : AT_ONCE;
        const int now = worlds < most ? (int)worlds : most;
        mh_pool_run(pool, now, try_worlds, task);
        for (int i = 0; i < now; i++) {
            count_world(tried, count, task->returns + i * count);
        }
        task->first_world += now;
        worlds -= now;
    }
}

/* Puts the best action that stayed in the search first, if it is better than the prior's action beyond doubt. */
static void prefer(struct mh_tried *tried, double errors)
{
    const double error = error_of(tried[1].gain_sum, tried[1].gain_squares, tried[1].visits);
    if (mean_gain(&tried[1]) > errors * error) {
        const struct mh_tried best = tried[1];
        tried[1] = tried[0];
        tried[0] = best;
    }
}

void mh_search_run(const struct mh_search *self, const void *state, struct mh_rng *rng, struct mh_pool *pool,
                   struct mh_found *found)
{
    const struct mh_game *game = self->game;
    const uint64_t *legal = mh_legal(game->rules, state);
    const int only = mh_set_next(legal, game->legal_words, 0);
    const int64_t begin = self->play_outs ? 0 : mh_pool_now();
    if (mh_set_next(legal, game->legal_words, only + 1) < 0) {
        found->count = 1;
        found->prior = only;
        found->tried[0] = (struct mh_tried){.action = only};
        conclude(found->tried, 1);
        return;
    }
    uint64_t own[MH_MAX_STATE / 8]; /* the state, by the reward that is searched for */
    memcpy(own, state, (size_t)game->sizes.state);
    game->rules->set_options(own, game->options);
    struct task task = {.search = self, .state = own, .seat = mh_head(own)->seat, .seed = mh_rng_next(rng)};
    choose_tried(&task, rng, found);
    int rounds = 0;
    while (found->count - 1 > 1 << rounds) {
        rounds++;
    }
    rounds += rounds == 0;
    int left = found->count;
    for (int round = 0; round < rounds; round++) {
        spend(&task, pool, found->tried, left, self->play_outs / rounds,
              begin + self->nanoseconds * (round + 1) / rounds);
        left = halve(found->tried, left);
    }
    prefer(found->tried, self->errors);
    conclude(found->tried, found->count);
}

int mh_search_act(const struct mh_bot *self, const void *state, struct mh_rng *rng)
{
    struct mh_found found;
    mh_search_run(self->settings, state, rng, NULL, &found);
    return found.tried[0].action;
}
