/* Nets from outside, and rounds that they learn from. */
#include <stdlib.h>
#include <string.h>

#include "base/mh_pool.h"
#include "mh_bots.h"

/* ---- Nets ------------------------------------------------------------------------------------------------ */

struct mh_net {
    const struct mh_spec *spec; /* of its game */
    struct mh_net_player player;
    int64_t count;
    union mh_word words[];
};

static int check_game(const struct mh_game *game, char *message)
{
    if (!game || !game->rules->afterstates) {
        mh_message(message, "net: %s has no features", game ? game->rules->spec->id : "NULL");
        return MH_ERROR_GAME;
    }
    return MH_OK;
}

/* The plan as words, the note as bytes in their order. */
static void write_words(const struct mh_game *game, const struct mh_net_plan *plan, union mh_word *words,
                        int64_t count)
{
    const struct mh_spec *spec = game->rules->spec;
    const uint64_t kind = mh_net_kind(spec);
    memset(words, 0, sizeof *words * MH_NET_HEADER);
    mh_net_sign(words);
    words[MH_NET_WORDS].bits = (uint32_t)count;
    words[MH_NET_KIND].bits = (uint32_t)kind;
    words[MH_NET_KIND + 1].bits = (uint32_t)(kind >> 32);
    words[MH_NET_LAYERS_AT].bits = (uint32_t)plan->layers;
    for (int i = 0; i <= plan->layers; i++) {
        words[MH_NET_SIZES + i].bits = (uint32_t)plan->sizes[i];
    }
    for (int i = 0; i < spec->num_options; i++) {
        words[MH_NET_RANGES + 2 * i].bits = (uint32_t)plan->low[i];
        words[MH_NET_RANGES + 2 * i + 1].bits = (uint32_t)plan->high[i];
    }
    for (size_t i = 0; i < strlen(plan->note); i++) {
        words[MH_NET_NOTE + i / 4].bits |= (uint32_t)(unsigned char)plan->note[i] << 8 * (i % 4);
    }
    for (int64_t i = MH_NET_HEADER; i < count; i++) {
        words[i].number = plan->weights[i - MH_NET_HEADER];
    }
    words[MH_NET_CHECKSUM].bits = mh_net_checksum(words, count);
}

int64_t mh_net_save(const struct mh_game *game, const struct mh_net_plan *plan, int64_t capacity, uint8_t *bytes,
                    char *message)
{
    const int status = check_game(game, message);
    if (status != MH_OK) {
        return status;
    }
    if (!plan || !plan->sizes || !plan->weights || !plan->low || !plan->high || !plan->note ||
        strlen(plan->note) >= 4 * MH_NET_NOTE_WORDS || plan->layers < 1 || plan->layers > MH_NET_LAYERS ||
        (capacity > 0 && !bytes)) {
        mh_message(message, "net: no weights or too long a note, or not from 1 to %d layers", (int)MH_NET_LAYERS);
        return MH_ERROR_ARGUMENT;
    }
    for (int i = 0; i <= plan->layers; i++) {
        if (plan->sizes[i] < 1 || plan->sizes[i] > MH_NET_WIDTH) {
            mh_message(message, "net: a layer of %d numbers; from 1 to %d are possible", (int)plan->sizes[i],
                       (int)MH_NET_WIDTH);
            return MH_ERROR_ARGUMENT;
        }
    }
    const int64_t count = mh_net_words(plan->layers, plan->sizes);
    const int64_t size = count * (int64_t)sizeof(union mh_word);
    if (size > capacity) {
        return size;
    }
    union mh_word *words = malloc((size_t)size);
    if (!words) {
        mh_message(message, "no memory for a net");
        return MH_ERROR_MEMORY;
    }
    write_words(game, plan, words, count);
    const int checked = mh_net_check(game->rules->spec, words, count, message);
    mh_order(words, (size_t)count, sizeof *words);
    if (checked == MH_OK) {
        memcpy(bytes, words, (size_t)size);
    }
    free(words);
    return checked == MH_OK ? size : checked;
}

int mh_net_load(const struct mh_game *game, const uint8_t *bytes, int64_t size, char *message, struct mh_net **net)
{
    int status = check_game(game, message);
    if (status != MH_OK || !bytes || size < 0 || !net) {
        return status != MH_OK ? status : MH_ERROR_ARGUMENT;
    }
    struct mh_net *made = malloc(sizeof *made + (size_t)size);
    if (!made) {
        mh_message(message, "no memory for a net");
        return MH_ERROR_MEMORY;
    }
    made->spec = game->rules->spec;
    made->count = size % 4 ? 0 : size / 4;
    memcpy(made->words, bytes, (size_t)size);
    mh_order(made->words, (size_t)made->count, sizeof *made->words);
    status = mh_net_check(made->spec, made->words, made->count, message);
    if (status == MH_OK) {
        made->player = mh_net_player_of(made->words, NULL);
        *net = made;
    } else {
        free(made);
    }
    return status;
}

void mh_net_free(struct mh_net **net)
{
    if (net) {
        free(*net);
        *net = NULL;
    }
}

int64_t mh_net_shipped(const struct mh_game *game, int number, int64_t capacity, uint8_t *bytes)
{
    const struct mh_shipped_net *net = game ? game->rules->nets : NULL;
    for (int i = 0; net && net->name && i < number; i++) {
        net++;
    }
    if (!net || !net->name || number < 0) {
        return 0;
    }
    const int64_t count = net->words[MH_NET_WORDS].bits;
    const int64_t size = count * (int64_t)sizeof(union mh_word);
    if (bytes && size <= capacity) {
        memcpy(bytes, net->words, (size_t)size);
        mh_order(bytes, (size_t)count, sizeof(union mh_word));
    }
    return size;
}

int mh_net_sizes(const struct mh_net *net, int capacity, int32_t *sizes)
{
    const int count = net ? (int)net->words[MH_NET_LAYERS_AT].bits + 1 : 0;
    for (int i = 0; sizes && count <= capacity && i < count; i++) {
        sizes[i] = (int32_t)net->words[MH_NET_SIZES + i].bits;
    }
    return count;
}

static int is_of(const struct mh_net *net, const struct mh_game *game)
{
    return game && net && net->spec == game->rules->spec;
}

int64_t mh_net_weights(const struct mh_net *net, int64_t capacity, float *weights)
{
    const int64_t count = net ? net->count - MH_NET_HEADER : 0;
    for (int64_t i = 0; weights && count <= capacity && i < count; i++) {
        weights[i] = net->words[MH_NET_HEADER + i].number;
    }
    return count;
}

int mh_net_bot(const struct mh_game *game, const struct mh_net *net, const char *name, char *message)
{
    if (!is_of(net, game) || !name || strncmp(name, "net:", 4) != 0) {
        mh_message(message, "net: not of this game, or the name of its bot does not begin with net:");
        return MH_ERROR_ARGUMENT;
    }
    return mh_bots_add_net(game, name, net->words, net->count, message);
}

int mh_net_values(const struct mh_game *game, const struct mh_net *net, int count, const float *features,
                  float *values)
{
    if (!is_of(net, game) || count < 0 || (count && (!features || !values))) {
        return MH_ERROR_ARGUMENT;
    }
    for (int i = 0; i < count; i++) {
        values[i] = mh_net_value(net->words, features + (size_t)i * (size_t)game->sizes.features);
    }
    return MH_OK;
}

/* ---- One round ------------------------------------------------------------------------------------------- */

/* The round that a thread plays. */
struct round {
    const struct mh_game *game;
    const struct mh_fit_plan *plan;
    const struct mh_fit_rows *out;
    int index;
};

/* Chooses one of the candidate afterstates: the one that follows a wanted action, the one that the net values most, or
 * one drawn at random. Without a net the first afterstate stands for its action. */
struct afterstate_choice {
    const union mh_word *net;
    size_t num_features;
    struct mh_rng *rng; /* NULL: none is drawn */
    int wanted;         /* an action, or -1 */
    int last;           /* the action seen last, or -1 */
    int actions;        /* seen so far */
    int action;         /* found, or -1 */
    int certain;        /* what it brings is known, and so not learned */
    double best;
    float features[MH_NET_WIDTH];
};

/* True if a way of another action than the one before takes the place of what was found: each with the same chance. */
static int is_drawn(struct afterstate_choice *chosen)
{
    return mh_rng_below(chosen->rng, (uint32_t)chosen->actions) == 0;
}

static void consider_afterstate(void *context, int action, const float *features, double value)
{
    struct afterstate_choice *chosen = context;
    const int is_next = action != chosen->last;
    chosen->actions += is_next;
    chosen->last = action;
    if (chosen->wanted >= 0 && action != chosen->wanted) {
        return;
    }
    const int is_to_draw = chosen->rng && is_next;
    if (is_to_draw ? !is_drawn(chosen) : chosen->rng && action != chosen->action) {
        return;
    }
    const double worth = !features ? value : chosen->net ? mh_net_value(chosen->net, features) : 0;
    if (is_to_draw || chosen->action < 0 || (chosen->net && worth > chosen->best)) {
        chosen->action = action;
        chosen->certain = !features;
        chosen->best = worth;
        if (features) {
            memcpy(chosen->features, features, sizeof *features * chosen->num_features);
        }
    }
}

/* Keeps what the watched seat leaves. `earned` has what it had earned before, for now. */
static void keep_row(struct round *self, const void *state, const struct afterstate_choice *chosen)
{
    const size_t round = (size_t)self->index;
    int32_t *used = &self->out->used[round];
    if (chosen->certain || *used == self->plan->rows) {
        return;
    }
    const size_t row = round * (size_t)self->plan->rows + (size_t)*used;
    if (self->out->features) {
        memcpy(self->out->features + row * chosen->num_features, chosen->features,
               chosen->num_features * sizeof *chosen->features);
    }
    if (self->out->earned) {
        self->out->earned[row] = mh_head(state)->returns[self->plan->watched[round]];
    }
    if (self->out->explored) {
        self->out->explored[row] = 0;
    }
    ++*used;
}

/* Notes that the move after the last row is not the player's own. */
static void note_explored(struct round *self)
{
    const size_t round = (size_t)self->index;
    const int32_t used = self->out->used[round];
    if (self->out->explored && used > 0) {
        self->out->explored[round * (size_t)self->plan->rows + (size_t)used - 1] = 1;
    }
}

static int bot_to_act(const struct round *self, const void *state)
{
    return self->plan->bots[(size_t)self->index * (size_t)self->game->sizes.seats + (size_t)mh_head(state)->seat];
}

static int choose_by_bot(const struct round *self, const void *state, struct mh_rng *rng)
{
    const struct mh_rules *rules = self->game->rules;
    const int bot = bot_to_act(self, state);
    return bot == MH_BY_NET ? mh_net_choose(&self->plan->net->player, rules->afterstates, state)
                            : mh_bot_choose(self->game, bot, state, rng);
}

static int explores(const struct round *self, struct mh_rng *rng)
{
    enum { ONE = 1 << 24 };
    return (float)mh_rng_below(rng, ONE) < self->plan->explore * ONE;
}

/* Chooses the action of the watched seat, and keeps its afterstate. */
static int choose_watched(struct round *self, const void *state, struct mh_rng *rng)
{
    const struct mh_rules *rules = self->game->rules;
    const struct mh_net_player *player = self->plan->net ? &self->plan->net->player : NULL;
    const struct mh_wanted wanted = {.features = player ? player->weighed : NULL};
    const int is_explored = explores(self, rng);
    struct afterstate_choice chosen = {.net = player ? player->net : NULL,
                                       .num_features = (size_t)self->game->sizes.features,
                                       .rng = is_explored ? rng : NULL,
                                       .wanted = -1,
                                       .last = -1,
                                       .action = -1};
    if (!is_explored && bot_to_act(self, state) != MH_BY_NET) {
        chosen.wanted = choose_by_bot(self, state, rng);
    }
    rules->afterstates(state, 0, &wanted, consider_afterstate, &chosen);
    if (chosen.action < 0) {
        rules->afterstates(state, 1, &wanted, consider_afterstate, &chosen);
    }
    if (is_explored && chosen.actions > 1) {
        note_explored(self);
    }
    keep_row(self, state, &chosen);
    return chosen.action;
}

static void act(struct round *self, void *state, struct mh_rng *rng)
{
    const int is_watched = mh_head(state)->seat == self->plan->watched[self->index];
    mh_apply(self->game->rules, state,
             is_watched ? choose_watched(self, state, rng) : choose_by_bot(self, state, rng));
}

static void play_round(struct round *self, void *state)
{
    const struct mh_game *game = self->game;
    const size_t at = (size_t)self->index;
    const size_t seats = (size_t)game->sizes.seats;
    struct mh_rng rng = mh_rng_stream(self->plan->seeds[at], 'P');
    self->out->used[at] = 0;
    memset(state, 0, (size_t)game->sizes.state);
    game->rules->reset(state, game->options, self->plan->seeds[at], NULL);
    while (mh_head(state)->seat >= 0) {
        act(self, state, &rng);
    }
    const double *returns = mh_head(state)->returns;
    for (int row = 0; self->out->earned && row < self->out->used[at]; row++) {
        double *earned = &self->out->earned[at * (size_t)self->plan->rows + (size_t)row];
        *earned = returns[self->plan->watched[at]] - *earned;
    }
    if (self->out->returns) {
        memcpy(self->out->returns + at * seats, returns, seats * sizeof *returns);
    }
}

/* ---- Many, by several threads ---------------------------------------------------------------------------- */

static void play_part(void *context, void *state, int first, int last)
{
    struct round round = *(const struct round *)context;
    for (round.index = first; round.index < last; round.index++) {
        play_round(&round, state);
    }
}

static int check_plan(const struct mh_game *game, const struct mh_fit_plan *plan, const struct mh_fit_rows *rows,
                      char *message)
{
    const char *wrong = NULL;
    if (!plan || !rows || !rows->used || !plan->seeds || !plan->bots || !plan->watched) {
        wrong = "plan, rows or one of their arrays is NULL";
    } else if (plan->count < 1 || plan->rows < 1 || plan->threads < 1) {
        wrong = "count, rows or threads is not at least 1";
    } else if (plan->net && !is_of(plan->net, game)) {
        wrong = "the net is of another game";
    } else if (!(plan->explore >= 0 && plan->explore <= 1)) {
        wrong = "explore is not from 0 to 1";
    }
    for (int i = 0; !wrong && i < plan->count; i++) {
        if (plan->watched[i] < 0 || plan->watched[i] >= game->sizes.seats) {
            wrong = "watched: there is no such seat";
        }
        for (int seat = 0; !wrong && seat < game->sizes.seats; seat++) {
            const int bot = plan->bots[i * game->sizes.seats + seat];
            if (bot != MH_BY_NET ? bot < 0 || bot >= mh_bots_count(game) : !plan->net) {
                wrong = "bots: there is no such bot, or no net";
            }
        }
    }
    if (wrong) {
        mh_message(message, "%s", wrong);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

int mh_game_fit(const struct mh_game *game, const struct mh_fit_plan *plan, const struct mh_fit_rows *rows,
                char *message)
{
    int status = check_game(game, message);
    status = status == MH_OK ? check_plan(game, plan, rows, message) : status;
    if (status != MH_OK) {
        return status;
    }
    struct round any = {.game = game, .plan = plan, .out = rows};
    return mh_pool_once(plan->threads, plan->count, (size_t)game->sizes.state, play_part, &any, message);
}
