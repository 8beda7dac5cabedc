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
        mh_message(
            message,
            "bot search: '%.*s' is no budget, which comes first; it is a number of play-outs from 1 to %d, as in "
            "search:200, or a time from 1 to %d ms, as in search:10ms",
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

/* Where there is none, no action is given up. */
static int read_behind(const char *value, int length, double *behind)
{
    if (length == 4 && strncmp(value, "none", 4) == 0) {
        *behind = HUGE_VAL;
        return 1;
    }
    return read_errors(value, length, behind);
}

/* True if a setting of so many letters, up to its '=', has that name. */
static int is_called(const char *text, int letters, const char *name)
{
    return strlen(name) == (size_t)letters && strncmp(text, name, (size_t)letters) == 0;
}

/* Returns 1, 0 for a value that is not allowed, or -1 for what is no setting. */
static int read_setting(struct mh_search *self, struct mh_search_names *names, const char *text, int length)
{
    const int letters = (int)strcspn(text, "=");
    const char *value = text + letters + 1;
    const int rest = length - letters - 1;
    if (rest < 1) {
        return -1;
    }
    return is_called(text, letters, "prior")       ? read_name(value, rest, names->prior)
           : is_called(text, letters, "cut")       ? read_name(value, rest, names->cut)
           : is_called(text, letters, "others")    ? read_name(value, rest, names->others)
           : is_called(text, letters, "actions")   ? read_number(value, rest, 2, MH_SEARCH_ACTIONS, &self->actions)
           : is_called(text, letters, "decisions") ? read_number(value, rest, 1, MOST_DECISIONS, &self->decisions)
           : is_called(text, letters, "errors")    ? read_errors(value, rest, &self->errors)
           : is_called(text, letters, "behind")    ? read_behind(value, rest, &self->behind)
                                                   : -1;
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
    *self = (struct mh_search){.actions = 4, .decisions = 2, .errors = 1, .behind = 1};
    *names = (struct mh_search_names){"", "", ""};
    int length = (int)strcspn(text, ",");
    if (read_budget(self, text, length, message) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    const char *const first = text + length + 1;
    while (text[length]) {
        text += length + 1;
        length = (int)strcspn(text, ",");
        const int is_read = read_setting(self, names, text, length);
        if (is_read < 1) {
            mh_message(
                message,
                "bot search: '%.*s' %s; there are prior, cut and others=BOT, actions=2..%d, decisions=1..%d, "
                "errors=0..%d, behind=0..%d or none",
                length > 40 ? 40 : length, text, is_read ? "is no setting" : "has a wrong value",
                (int)MH_SEARCH_ACTIONS, (int)MOST_DECISIONS, (int)MOST_ERRORS, (int)MOST_ERRORS);
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

enum {
    LEAST = 2,    /* worlds of an action */
    STRETCHES = 4 /* of each part of the budget: more of them save little, and give up good actions more often */
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

/* What the judge expects of the best action for the seat to act, or NaN where it judges none. */
static double best_value(const struct mh_play_out *self, const void *state)
{
    double values[MH_MAX_ACTIONS];
    const struct mh_game *game = self->game;
    const struct mh_bot *judge = &game->bots[self->judge];
    judge->values(judge, state, 0, values);
    return largest(values, mh_set_count(mh_legal(game->rules, state), game->legal_words));
}

/* A round has ended that paid somebody. */
static int is_paid(const struct mh_head *before, const struct mh_head *now)
{
    return now->rounds != before->rounds && memcmp(now->returns, before->returns, sizeof now->returns) != 0;
}

double mh_play_out_value(const struct mh_play_out *self, void *state, struct mh_rng rng)
{
    const struct mh_game *game = self->game;
    const struct mh_head *head = mh_head(state);
    int left = self->choices;
    while (!self->begin || !is_paid(self->begin, head)) {
        game->rules->next_round(state);
        if (head->seat < 0) {
            break;
        }
        if (head->seat == self->seat && self->judge != MH_NO_BOT && mh_is_choice(game, state) && --left <= 0) {
            const double value = best_value(self, state);
            if (!isnan(value)) {
                return head->returns[self->seat] + value;
            }
        }
        mh_apply(game->rules, state, mh_bot_choose(game, self->bots[head->seat], state, &rng));
    }
    return head->returns[self->seat];
}

/* Tries all actions in some worlds. Each has a number, which alone decides what is in it. */
static void try_worlds(void *context, int part, int first, int last)
{
    struct mh_searching *self = context;
    const struct mh_search *search = self->search;
    const struct mh_rules *rules = search->game->rules;
    const size_t size = (size_t)search->game->sizes.state;
    int32_t bots[MH_MAX_SEATS];
    const struct mh_play_out play_out = {.game = search->game,
                                         .seat = self->seat,
                                         .bots = bots,
                                         .judge = search->cut,
                                         .choices = search->decisions,
                                         .begin = mh_head(self->state)};
    uint64_t world[MH_MAX_STATE / 8];
    uint64_t state[MH_MAX_STATE / 8];
    (void)part;
    for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
        bots[seat] = seat == self->seat ? search->prior : search->others;
    }
    for (int i = first; i < last; i++) {
        struct mh_rng rng = mh_rng_stream(self->seed + (uint64_t)(self->first_world + i), 'W');
        memcpy(world, self->state, size);
        rules->resample(world, self->seat, mh_rng_next(&rng));
        const double before = mh_head(world)->returns[self->seat];
        for (int k = 0; k < self->left; k++) {
            memcpy(state, world, size);
            mh_apply(rules, state, self->found.tried[k].action);
            self->returns[i * self->left + k] = mh_play_out_value(&play_out, state, rng) - before;
        }
    }
}

/* ---- Actions to try ------------------------------------------------------------------------------------------- */

/* The prior's action, then others: where it judges, the best ones, in falling order of its values. */
static void choose_tried(struct mh_searching *self, struct mh_rng *rng)
{
    const struct mh_game *game = self->search->game;
    const struct mh_bot *prior = &game->bots[self->search->prior];
    struct mh_found *found = &self->found;
    const uint64_t *legal = mh_legal(game->rules, self->state);
    double values[MH_MAX_ACTIONS];
    double value_of[MH_SEARCH_ACTIONS];
    const int chosen = prior->act(prior, self->state, rng);
    const int judges = prior->values != NULL;
    int index = 0;
    if (judges) {
        prior->values(prior, self->state, 1, values);
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
            if (place < self->search->actions) {
                found->tried[place] = found->tried[place - 1];
                value_of[place] = value_of[place - 1];
            }
        }
        if (place < self->search->actions) {
            found->tried[place] = (struct mh_tried){.action = action};
            value_of[place] = value;
            found->count += found->count < self->search->actions;
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

/* Gives up the actions that are too far behind the prior's, and those that have equalled it in every world. */
static void give_up(struct mh_searching *self)
{
    enum { ENOUGH = 4 /* worlds to know an error by */ };
    const double behind = self->search->behind;
    struct mh_tried *tried = self->found.tried;
    const int may_judge = self->first_world >= ENOUGH && behind < HUGE_VAL;
    for (int k = may_judge ? self->left - 1 : 0; k > 0; k--) {
        const struct mh_tried it = tried[k];
        if (mean_gain(&it) <= -behind * error_of(it.gain_sum, it.gain_squares, it.visits)) {
            self->left--;
            memmove(&tried[k], &tried[k + 1], sizeof it * (size_t)(self->left - k));
            tried[self->left] = it;
        }
    }
}

/* ---- The search ------------------------------------------------------------------------------------------------- */

/* Begins a stretch: a share of the worlds of its part or, where there is so much time, any number. */
static void begin_stretch(struct mh_searching *self)
{
    const int before = self->stretch % STRETCHES;
    const int64_t first = self->part_worlds * before / STRETCHES;
    const int64_t end = self->part_worlds * (before + 1) / STRETCHES;
    self->worlds = self->search->play_outs ? end - first : INT64_MAX;
}

/* Begins a part of the budget, with so many worlds of the actions that are left that, however small the budget, a
 * difference has an error. */
static void begin_part(struct mh_searching *self)
{
    const int64_t worlds = self->search->play_outs / self->parts / self->left;
    self->part_worlds = worlds > LEAST ? worlds : LEAST;
    begin_stretch(self);
}

/* True if the worlds of this stretch have been played, or its time is over. */
static int is_spent(const struct mh_searching *self)
{
    const struct mh_search *search = self->search;
    return self->worlds <= 0 ||
           (!search->play_outs && self->first_world >= LEAST &&
            mh_pool_now() >= self->begin + search->nanoseconds * (self->stretch + 1) / (self->parts * STRETCHES));
}

/* Ends a stretch and begins the next one; where only the prior's action is left, all are over. */
static void end_stretch(struct mh_searching *self)
{
    self->stretch++;
    give_up(self);
    if (self->left == 1) {
        self->stretch = self->parts * STRETCHES;
    } else if (self->stretch % STRETCHES) {
        begin_stretch(self);
    } else {
        self->left = halve(self->found.tried, self->left);
        begin_part(self);
    }
}

/* Plays some worlds with the actions that are left: one or, if there are more play-outs to make, several. */
static void play_worlds(struct mh_searching *self, struct mh_pool *pool, int64_t *play_outs)
{
    const int threads = pool ? mh_pool_parts(pool) : 1;
    const int most = self->search->play_outs || threads > MH_SEARCH_WORLDS ? MH_SEARCH_WORLDS : threads;
    int64_t worlds = *play_outs / self->left;
    worlds = worlds < self->worlds ? worlds : self->worlds;
    worlds = worlds < most ? worlds : most;
    const int now = worlds > 1 ? (int)worlds : 1;
    mh_pool_run(pool, now, try_worlds, self);
    for (int i = 0; i < now; i++) {
        count_world(self->found.tried, self->left, self->returns + i * self->left);
    }
    self->first_world += now;
    self->worlds -= now;
    *play_outs -= (int64_t)now * self->left;
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

void mh_search_begin(const struct mh_search *self, const void *state, struct mh_rng *rng,
                     struct mh_searching *searching)
{
    const struct mh_game *game = self->game;
    const uint64_t *legal = mh_legal(game->rules, state);
    const int only = mh_set_next(legal, game->legal_words, 0);
    struct mh_found *found = &searching->found;
    searching->search = self;
    searching->begin = self->play_outs ? 0 : mh_pool_now();
    searching->first_world = 0;
    searching->stretch = searching->parts = 0;
    if (mh_set_next(legal, game->legal_words, only + 1) < 0) {
        found->count = 1;
        found->prior = only;
        found->tried[0] = (struct mh_tried){.action = only};
        return;
    }
    memcpy(searching->state, state, (size_t)game->sizes.state);
    game->rules->set_options(searching->state, game->options);
    searching->seat = mh_head(searching->state)->seat;
    searching->seed = mh_rng_next(rng);
    choose_tried(searching, rng);
    while (found->count - 1 > 1 << searching->parts) {
        searching->parts++;
    }
    searching->parts += searching->parts == 0;
    searching->left = found->count;
    begin_part(searching);
}

int mh_search_on(struct mh_searching *self, struct mh_pool *pool, int64_t *play_outs)
{
    while (self->stretch < self->parts * STRETCHES) {
        if (is_spent(self)) {
            end_stretch(self);
        } else if (*play_outs > 0) {
            play_worlds(self, pool, play_outs);
        } else {
            return 0;
        }
    }
    if (self->parts) {
        prefer(self->found.tried, self->search->errors);
    }
    conclude(self->found.tried, self->found.count);
    return 1;
}

int mh_search_act(const struct mh_bot *self, const void *state, struct mh_rng *rng)
{
    struct mh_searching searching;
    int64_t play_outs = INT64_MAX;
    mh_search_begin(self->settings, state, rng, &searching);
    (void)mh_search_on(&searching, NULL, &play_outs);
    return searching.found.tried[0].action;
}
