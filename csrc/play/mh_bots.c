#include "mh_bots.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mh_search.h"

/* A bot with settings in one piece of memory. */
struct made_bot {
    char name[MH_BOT_NAME_SIZE];
    struct mh_search search;
    union mh_word net[]; /* used instead of `search` by a bot that plays by a net */
};

/* mh_game.bots points to `list`. */
struct bots {
    struct mh_bot list[MH_MAX_TABLE_BOTS + MH_MAX_MADE_BOTS];
    struct made_bot *made[MH_MAX_MADE_BOTS];
    atomic_int count;   /* raised when a bot is complete */
    atomic_flag adding; /* held for some instructions, by the one thread that adds */
};

static struct bots *bots_of(const struct mh_game *game)
{
    return (struct bots *)(void *)game->bots;
}

/* ---- Nets ---------------------------------------------------------------------------------------------------- */

static int act_by_net(const struct mh_bot *self, const void *state, struct mh_rng *rng)
{
    (void)rng;
    return mh_net_choose(&self->net, self->game->rules->afterstates, state);
}

static void judge_by_net(const struct mh_bot *self, const void *state, int all, double *values)
{
    const struct mh_game *game = self->game;
    double by_action[MH_MAX_ACTIONS];
    for (int action = 0; action < game->sizes.actions; action++) {
        by_action[action] = NAN;
    }
    mh_net_judge(&self->net, game->rules->afterstates, state, all, by_action);
    const uint64_t *legal = mh_legal(game->rules, state);
    for (int action = mh_set_next(legal, game->legal_words, 0); action >= 0;
         action = mh_set_next(legal, game->legal_words, action + 1)) {
        *values++ = by_action[action];
    }
}

/* Plays by the payments of rounds, for which the net was trained: `game` of the bot is the surrogate. */
static int act_by_surrogate(const struct mh_bot *self, const void *state, struct mh_rng *rng)
{
    uint64_t paid[MH_MAX_STATE / 8];
    memcpy(paid, state, (size_t)self->game->sizes.state);
    self->game->rules->set_options(paid, self->game->options);
    return act_by_net(self, paid, rng);
}

static int unsuited(const struct mh_game *game, const union mh_word *net)
{
    return mh_net_unsuited(net, game->rules->spec->num_options, game->options);
}

/* The game that nets which were not trained for this one may play in its stead; itself, if there is none. */
static const struct mh_game *game_for_nets(const struct mh_game *game)
{
    return game->surrogate && game->rules->surrogate_for_nets ? game->surrogate : game;
}

/* A net plays the game that it was trained for, or else its surrogate: then it does not judge, since what it expects is
 * not the reward. `first` may be NULL. */
static struct mh_bot bot_of_net(const struct mh_game *game, const char *name, const union mh_word *net,
                                const union mh_word *first)
{
    const struct mh_net_player player = mh_net_player_of(net, first);
    if (unsuited(game, net) < 0) {
        return (struct mh_bot){
            .act = act_by_net, .values = judge_by_net, .name = name, .game = game, .net = player};
    }
    return (struct mh_bot){.act = act_by_surrogate, .name = name, .game = game->surrogate, .net = player};
}

/* The first net of the game that was trained for its options, or NULL. */
static const union mh_word *net_for(const struct mh_game *game)
{
    const struct mh_shipped_net *net = game->rules->nets;
    while (net && net->name && unsuited(game, net->words) >= 0) {
        net++;
    }
    return net ? net->words : NULL;
}

static const union mh_word *shipped_net(const struct mh_game *game)
{
    const union mh_word *net = net_for(game);
    return net ? net : net_for(game_for_nets(game));
}

/* ---- All bots ------------------------------------------------------------------------------------------------ */

int mh_bots_new(struct mh_game *game)
{
    const struct mh_rules *rules = game->rules;
    struct bots *self = calloc(1, sizeof *self);
    if (!self) {
        return MH_ERROR_MEMORY;
    }
    game->num_bots = 0;
    for (int i = 0; i < rules->spec->num_bots; i++) {
        const char *name = rules->spec->bots[i].name;
        const union mh_word *net = rules->acts[i] ? NULL : shipped_net(game);
        if (rules->acts[i]) {
            self->list[i] =
                (struct mh_bot){.act = rules->acts[i], .values = rules->values[i], .name = name, .game = game};
        } else if (net) {
            self->list[i] = bot_of_net(game, name, net, NULL);
        }
        game->num_bots += rules->acts[i] || net;
    }
    atomic_init(&self->count, game->num_bots);
    atomic_flag_clear(&self->adding);
    game->bots = self->list;
    return MH_OK;
}

void mh_bots_free(struct mh_game *game)
{
    struct bots *self = bots_of(game);
    for (int i = 0; i < MH_MAX_MADE_BOTS; i++) {
        free(self->made[i]);
    }
    free(self);
}

int mh_bots_count(const struct mh_game *game)
{
    return atomic_load_explicit(&bots_of(game)->count, memory_order_acquire);
}

int mh_bots_check(const struct mh_game *game, const int32_t *bots, char *message)
{
    const int known = mh_bots_count(game);
    if (!bots) {
        mh_message(message, "bots must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    for (int seat = 0; seat < game->sizes.seats; seat++) {
        if (bots[seat] < 0 || bots[seat] >= known) {
            mh_message(message, "bots: %d of seat %d is not in 0..%d", (int)bots[seat], seat, known - 1);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

int mh_bots_check_judge(const struct mh_game *game, int bot, char *message)
{
    const int count = mh_bots_count(game);
    if (bot < 0 || bot >= count) {
        mh_message(message, "bot: %d is not in 0..%d", bot, count - 1);
        return MH_ERROR_ARGUMENT;
    }
    if (game->bots[bot].values) {
        return MH_OK;
    }
    const struct mh_spec *spec = game->rules->spec;
    char names[MH_MESSAGE_SIZE];
    struct mh_text list;
    mh_text_begin(&list, names, sizeof names);
    for (int i = 0; i < game->num_bots; i++) {
        if (game->bots[i].values) {
            mh_text_add(&list, "%s%s", list.length ? ", " : "", spec->bots[i].name);
        }
    }
    mh_message(message, "bot: %.40s of %s does not judge actions; those that do: %s", game->bots[bot].name,
               spec->id, list.length ? names : "none");
    return MH_ERROR_ARGUMENT;
}

const char *mh_bot_name(const struct mh_game *game, int bot)
{
    return game && bot >= 0 && bot < mh_bots_count(game) ? game->bots[bot].name : NULL;
}

static int find_bot(const struct mh_game *game, const char *name)
{
    const int count = mh_bots_count(game);
    for (int i = 0; i < count; i++) {
        if (strcmp(game->bots[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- Bots with settings -------------------------------------------------------------------------------------- */

static const char search_kind[] = "search:";
static const char net_kind[] = "net:";

static int is_search(const struct mh_game *game, int bot)
{
    return game->bots[bot].act == mh_search_act;
}

/* The bot that a setting names. */
static int named(const struct mh_game *game, const char *setting, const char *name, char *message)
{
    char reason[MH_MESSAGE_SIZE];
    const int bot = mh_bot_index(game, name, reason);
    if (bot < 0) {
        mh_message(message, "bot search: %s: %s", setting, reason);
    } else if (is_search(game, bot)) {
        mh_message(message, "bot search: %s: %.60s searches itself", setting, name);
        return MH_ERROR_ARGUMENT;
    }
    return bot;
}

int mh_bots_best_judge(const struct mh_game *game)
{
    int bot = game->num_bots - 1;
    while (bot >= 0 && (!game->bots[bot].values || mh_bot_index(game, game->bots[bot].name, NULL) != bot)) {
        bot--;
    }
    return bot >= 0 ? bot : MH_NO_BOT;
}

int mh_bots_read_search(const struct mh_game *game, const char *settings, struct mh_search *search, char *message)
{
    struct mh_search_names names;
    game = game->surrogate ? game->surrogate : game;
    if (mh_search_read(search, settings, &names, message) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    search->game = game;
    const int plain = mh_default_bot(game);
    const int judge = mh_bots_best_judge(game);
    search->prior = names.prior[0] ? named(game, "prior", names.prior, message) : judge >= 0 ? judge : plain;
    search->others = names.others[0] ? named(game, "others", names.others, message) : plain;
    if (search->prior < 0 || search->others < 0) {
        return MH_ERROR_ARGUMENT;
    }
    search->cut = game->bots[search->prior].values ? search->prior : judge;
    if (strcmp(names.cut, "none") == 0) {
        search->cut = MH_NO_BOT;
    } else if (names.cut[0]) {
        search->cut = named(game, "cut", names.cut, message);
        if (search->cut < 0) {
            return MH_ERROR_ARGUMENT;
        }
        if (!game->bots[search->cut].values) {
            mh_message(message, "bot search: cut: %.60s does not judge actions", names.cut);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

static int misfits(const struct mh_game *game, const union mh_word *net)
{
    return mh_net_misfits(net, game->rules->spec->num_options, game->options);
}

static int refuse_net(const struct mh_game *game, const char *name, const union mh_word *net, char *message)
{
    mh_net_say_unsuited(net, game->rules->spec, game->options, unsuited(game, net), name, message);
    return MH_ERROR_ARGUMENT;
}

/* The net of the game that suits the fewest options ill. */
static const union mh_word *nearest_net(const struct mh_game *game)
{
    const union mh_word *net = game->rules->nets->words;
    for (const struct mh_shipped_net *other = game->rules->nets; other->name; other++) {
        net = misfits(game, other->words) < misfits(game, net) ? other->words : net;
    }
    return net;
}

static int refuse_unknown(const struct mh_game *game, const char *name, char *message)
{
    const struct mh_spec *spec = game->rules->spec;
    if (game->num_bots < spec->num_bots && strcmp(name, spec->bots[game->num_bots].name) == 0) {
        return refuse_net(game_for_nets(game), name, nearest_net(game_for_nets(game)), message);
    }
    char names[MH_MESSAGE_SIZE];
    struct mh_text list;
    mh_text_begin(&list, names, sizeof names);
    for (int i = 0; i < game->num_bots; i++) {
        mh_text_add(&list, "%s%s", i ? ", " : "", spec->bots[i].name);
    }
    mh_message(message, "no bot '%.40s' for %s; there is %s, search:BUDGET%s", name, spec->id, names,
               game->rules->nets ? ", net:NAME, net:FILE" : "");
    return MH_ERROR_ARGUMENT;
}

/* Adds a bot, which takes `made`, unless another thread has added one of its name. */
static int add_bot(const struct mh_game *game, struct mh_bot bot, struct made_bot *made, char *message)
{
    struct bots *self = bots_of(game);
    while (atomic_flag_test_and_set_explicit(&self->adding, memory_order_acquire)) {
    }
    int number = find_bot(game, made->name);
    const int count = mh_bots_count(game);
    const int place = count - game->num_bots;
    if (number < 0 && place < MH_MAX_MADE_BOTS) {
        number = count;
        self->made[place] = made;
        self->list[number] = bot;
        atomic_store_explicit(&self->count, count + 1, memory_order_release);
        made = NULL;
    }
    atomic_flag_clear_explicit(&self->adding, memory_order_release);
    if (number < 0) {
        mh_message(message, "bot %.60s: this game object has %d bots with settings, and cannot hold more",
                   made->name, (int)MH_MAX_MADE_BOTS);
    }
    free(made);
    return number < 0 ? MH_ERROR_ARGUMENT : number;
}

/* Memory for a bot and so many words. */
static struct made_bot *new_made(const char *name, size_t words, char *message)
{
    if (strlen(name) >= MH_BOT_NAME_SIZE) {
        mh_message(message, "bot '%.40s...': its name has more than %d bytes", name, MH_BOT_NAME_SIZE - 1);
        return NULL;
    }
    struct made_bot *made = malloc(sizeof *made + words * sizeof *made->net);
    if (made) {
        memcpy(made->name, name, strlen(name) + 1);
    } else {
        mh_message(message, "no memory for a bot");
    }
    return made;
}

static int make_search(const struct mh_game *game, const char *name, char *message)
{
    struct made_bot *made = new_made(name, 0, message);
    if (!made || mh_bots_read_search(game, name + sizeof search_kind - 1, &made->search, message) != MH_OK) {
        free(made);
        return MH_ERROR_ARGUMENT;
    }
    const struct mh_bot bot = {.act = mh_search_act, .name = made->name, .game = game, .settings = &made->search};
    return add_bot(game, bot, made, message);
}

static int check_net(const struct mh_game *game, const char *name, const union mh_word *net, char *message)
{
    const int is_suited = unsuited(game, net) < 0 || unsuited(game_for_nets(game), net) < 0;
    return is_suited ? MH_OK : refuse_net(game_for_nets(game), name, net, message);
}

int mh_bots_add_net(const struct mh_game *game, const char *name, const union mh_word *net, int64_t count,
                    char *message)
{
    const int known = find_bot(game, name);
    if (check_net(game, name, net, message) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    if (known >= 0) {
        return known;
    }
    struct made_bot *made = new_made(name, (size_t)count, message);
    if (!made) {
        return MH_ERROR_ARGUMENT;
    }
    memcpy(made->net, net, (size_t)count * sizeof *net);
    return add_bot(game, bot_of_net(game, made->name, made->net, NULL), made, message);
}

/* The net that came with the game by its name, of so many bytes; NULL, with a message, if there is none or it does not
 * suit. */
static const union mh_word *named_net(const struct mh_game *game, const char *name, size_t length, char *message)
{
    char names[MH_MESSAGE_SIZE];
    struct mh_text list;
    mh_text_begin(&list, names, sizeof names);
    for (const struct mh_shipped_net *net = game->rules->nets; net && net->name; net++) {
        if (strlen(net->name) == length && memcmp(net->name, name, length) == 0) {
            mh_text_begin(&list, names, sizeof names);
            mh_text_add(&list, "%s%s", net_kind, net->name);
            return check_net(game, names, net->words, message) == MH_OK ? net->words : NULL;
        }
        mh_text_add(&list, "%s%s", list.length ? ", " : "", net->name);
    }
    mh_message(message, "no net '%.*s' came with %s; there is %s", length > 40 ? 40 : (int)length, name,
               game->rules->spec->id, list.length ? names : "none");
    return NULL;
}

/* The bot of a net that came with the game, or of two: NAME, or FIRST+NAME. */
static int make_net(const struct mh_game *game, const char *name, char *message)
{
    const char *wanted = name + sizeof net_kind - 1;
    const size_t length = strcspn(wanted, "+");
    const int joins = wanted[length] != '\0';
    if (joins && (length == 0 || !wanted[length + 1] || strchr(wanted + length + 1, '+'))) {
        mh_message(message, "%.100s: two nets are joined as net:FIRST+NAME", name);
        return MH_ERROR_ARGUMENT;
    }
    const union mh_word *first = NULL;
    const union mh_word *net = named_net(game, wanted, length, message);
    if (net && joins) {
        first = net;
        wanted += length + 1;
        net = named_net(game, wanted, strlen(wanted), message);
    }
    if (net && net == first) {
        mh_message(message, "%.100s: a net is joined to itself", name);
        return MH_ERROR_ARGUMENT;
    }
    struct made_bot *made = net ? new_made(name, 0, message) : NULL;
    return made ? add_bot(game, bot_of_net(game, made->name, net, first), made, message) : MH_ERROR_ARGUMENT;
}

int mh_bot_index(const struct mh_game *game, const char *name, char *message)
{
    if (!game || !name) {
        mh_message(message, "game and name must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    const int bot = find_bot(game, name);
    if (bot >= 0) {
        return bot;
    }
    if (strncmp(name, search_kind, sizeof search_kind - 1) == 0) {
        return make_search(game, name, message);
    }
    return strncmp(name, net_kind, sizeof net_kind - 1) == 0 ? make_net(game, name, message)
                                                             : refuse_unknown(game, name, message);
}
