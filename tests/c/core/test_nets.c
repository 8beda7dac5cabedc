/* Nets and what is left after moves, through the public functions; and the words of a net. */
#include "net_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS_MOST = 512 };

/* Takes the weights of a feature. */
static void drop_feature(const struct mh_game *game, struct plan *plan, const char *name)
{
    float *weights = plan->weights;
    for (int i = 0; i < game->rules->spec->num_features; i++) {
        const struct mh_feature *feature = &game->rules->spec->features[i];
        if (strcmp(feature->name, name) == 0) {
            memset(weights, 0, (size_t)feature->count * HIDDEN * sizeof *weights);
        }
        weights += (ptrdiff_t)feature->count * HIDDEN;
    }
}

/* A net's value in the plainest way. */
static float forward(const struct plan *plan, const float *features)
{
    const int inputs = plan->sizes[0];
    const float *second = plan->weights + (ptrdiff_t)(inputs + 1) * HIDDEN;
    float value = second[HIDDEN];
    for (int j = 0; j < HIDDEN; j++) {
        float sum = plan->weights[inputs * HIDDEN + j];
        for (int i = 0; i < inputs; i++) {
            sum += features[i] * plan->weights[i * HIDDEN + j];
        }
        value += (sum > 0 ? sum : 0) * second[j];
    }
    return value;
}

static void test_bytes(void)
{
    enum { COUNT = 20 };
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game("mhing", "");
    struct plan *plan = new_plan(game);
    const int inputs = game->sizes.features;
    const int64_t count = (int64_t)(inputs + 1) * HIDDEN + HIDDEN + 1;
    int64_t size = 0;
    uint8_t *bytes = save(game, plan, &size);
    CHECK_EQUAL(size, 4 * (MH_NET_HEADER + count));
    struct mh_net *net = NULL;
    CHECK_EQUAL(mh_net_load(game, bytes, size, message, &net), MH_OK);
    float *weights = check_memory((size_t)count * sizeof *weights);
    CHECK_EQUAL(mh_net_weights(net, 0, NULL), count);
    CHECK_EQUAL(mh_net_weights(net, count - 1, weights), count);
    CHECK(weights[0] == 0);
    CHECK_EQUAL(mh_net_weights(net, count, weights), count);
    CHECK(memcmp(weights, plan->weights, (size_t)count * sizeof *weights) == 0);
    CHECK_EQUAL(mh_net_weights(NULL, count, weights), 0);
    float *features = check_memory((size_t)inputs * COUNT * sizeof *features);
    float values[COUNT];
    for (int i = 0; i < inputs * COUNT; i++) {
        features[i] = i % 3 ? 0 : (float)(i % 17) / 8 - 1;
    }
    CHECK_EQUAL(mh_net_values(game, net, COUNT, features, values), MH_OK);
    for (int i = 0; i < COUNT; i++) {
        CHECK(values[i] == forward(plan, features + (ptrdiff_t)i * inputs));
    }
    CHECK_EQUAL(mh_net_values(game, net, 0, NULL, NULL), MH_OK);
    CHECK_EQUAL(mh_net_values(game, NULL, 1, features, values), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_net_values(NULL, net, 1, features, values), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_net_values(game, net, -1, features, values), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_net_values(game, net, 1, NULL, values), MH_ERROR_ARGUMENT);
    mh_net_free(&net);
    CHECK(!net);
    mh_net_free(&net);
    mh_net_free(NULL);
    free(features);
    free(weights);
    free(bytes);
    free(plan);
    mh_game_free(&game);
}

static void test_shipped_nets(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game("mhing", "num_players=3");
    int count = 0;
    for (int64_t size; (size = mh_net_shipped(game, count, 0, NULL)) > 0; count++) {
        int32_t sizes[MH_NET_LAYERS + 1] = {0};
        struct mh_net *net = NULL;
        uint8_t *bytes = check_memory((size_t)size);
        CHECK_EQUAL(mh_net_shipped(game, count, size - 1, bytes), size);
        CHECK(!bytes[0]);
        CHECK_EQUAL(mh_net_shipped(game, count, size, bytes), size);
        CHECK_EQUAL(mh_net_load(game, bytes, size, message, &net), MH_OK);
        const int layers = mh_net_sizes(net, 0, NULL) - 1;
        CHECK_EQUAL(mh_net_sizes(net, layers, sizes), layers + 1);
        CHECK_EQUAL(sizes[0], 0);
        CHECK_EQUAL(mh_net_sizes(net, MH_NET_LAYERS + 1, sizes), layers + 1);
        CHECK_EQUAL(sizes[0], game->sizes.features);
        CHECK_EQUAL(sizes[layers], 1);
        CHECK_EQUAL(4 * mh_net_words(layers, sizes), size);
        mh_net_free(&net);
        free(bytes);
    }
    CHECK(count > 1);
    CHECK_EQUAL(mh_net_shipped(game, -1, 0, NULL), 0);
    CHECK_EQUAL(mh_net_shipped(NULL, 0, 0, NULL), 0);
    CHECK_EQUAL(mh_net_sizes(NULL, 0, NULL), 0);
    mh_game_free(&game);
}

static void refuse_save(const struct mh_game *game, const struct mh_net_plan *plan, const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    static uint8_t bytes[4 * (MH_NET_HEADER + WEIGHTS_MOST)];
    CHECK_EQUAL(mh_net_save(game, plan, sizeof bytes, bytes, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
    CHECK(!bytes[0]);
}

static void test_refused_saves(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    char note[4 * MH_NET_NOTE_WORDS + 1] = "";
    struct mh_game *game = open_game("mhing", "");
    struct plan *made = new_plan(game);
    struct mh_net_plan plan = made->plan;
    CHECK_EQUAL(mh_net_save(game, &plan, 1, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_net_save(NULL, &plan, 0, NULL, message), MH_ERROR_GAME);
    refuse_save(game, NULL, "no weights");
    memset(note, 'x', sizeof note - 1);
    plan.note = note;
    refuse_save(game, &plan, "too long a note");
    note[sizeof note - 2] = '\0';
    CHECK(mh_net_save(game, &plan, 0, NULL, message) > 0);
    plan = made->plan;
    plan.weights = NULL;
    refuse_save(game, &plan, "no weights");
    plan = made->plan;
    plan.layers = 0;
    refuse_save(game, &plan, "from 1 to 4 layers");
    plan.layers = MH_NET_LAYERS + 1;
    refuse_save(game, &plan, "from 1 to 4 layers");
    plan = made->plan;
    made->sizes[1] = 0;
    refuse_save(game, &plan, "a layer of 0 numbers");
    made->sizes[1] = MH_NET_WIDTH + 1;
    refuse_save(game, &plan, "a layer of 513 numbers");
    made->sizes[1] = HIDDEN;
    made->sizes[2] = 2;
    refuse_save(game, &plan, "its layers do not fit");
    made->sizes[2] = 1;
    made->weights[4] = 1e7f;
    refuse_save(game, &plan, "a weight is too large");
    free(made);
    mh_game_free(&game);
}

static void refuse_load(const struct mh_game *game, const uint8_t *bytes, int64_t size, const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_net *net = NULL;
    CHECK_EQUAL(mh_net_load(game, bytes, size, message, &net), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
    CHECK(!net);
}

static void test_refused_loads(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game("mhing", "");
    struct mh_game *other = open_game("general_mhing", "");
    struct mh_game *bare = NULL;
    struct plan *plan = new_plan(game);
    struct mh_net *net = NULL;
    int64_t size = 0;
    uint8_t *bytes = save(game, plan, &size);
    CHECK_EQUAL(mh_net_load(game, NULL, size, message, &net), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_net_load(game, bytes, -1, message, &net), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_net_load(game, bytes, size, message, NULL), MH_ERROR_ARGUMENT);
    refuse_load(game, bytes, 0, "no net");
    refuse_load(game, bytes, size - 1, "no net");
    refuse_load(game, bytes, 4 * MH_NET_HEADER - 4, "no net");
    refuse_load(game, bytes, size - 4, "damaged");
    refuse_load(other, bytes, size, "of another game");
    for (int64_t at = 0; at < size; at += at < 64 ? 1 : 29) {
        bytes[at] ^= 0x10;
        refuse_load(game, bytes, size, "cannot be read");
        bytes[at] ^= 0x10;
    }
    CHECK_EQUAL(mh_net_load(NULL, bytes, size, message, &net), MH_ERROR_GAME);
    if (mh_game_new("leduc", "", message, &bare) == MH_OK) { /* a game without features, where it is built in */
        CHECK_EQUAL(mh_net_load(bare, bytes, size, message, &net), MH_ERROR_GAME);
        CHECK(strstr(message, "leduc has no features"));
        void *state = check_memory((size_t)bare->sizes.state);
        CHECK_EQUAL(mh_state_reset(bare, state, 1, message), MH_OK);
        CHECK_EQUAL(mh_state_afterstates(bare, state, 0, 0, NULL, NULL, NULL), MH_ERROR_GAME);
        free(state);
    }
    free(bytes);
    free(plan);
    mh_game_free(&bare);
    mh_game_free(&other);
    mh_game_free(&game);
}

/* Sets a word and signs the words anew: they are refused for what they say. */
static void refuse_word(const struct mh_spec *spec, const union mh_word *words, int64_t count, int at,
                        uint32_t bits, const char *why)
{
    char message[MH_MESSAGE_SIZE] = "";
    union mh_word *changed = check_memory((size_t)count * sizeof *changed);
    memcpy(changed, words, (size_t)count * sizeof *changed);
    changed[at].bits = bits;
    changed[MH_NET_CHECKSUM].bits = mh_net_checksum(changed, count);
    CHECK_EQUAL(mh_net_check(spec, changed, count, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, why));
    free(changed);
}

static void test_words(void)
{
    static const char no_fit[] = "its layers do not fit";
    static const char no_values[] = "values that the options cannot have";
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game("mhing", "");
    const struct mh_spec *spec = game->rules->spec;
    struct plan *plan = new_plan(game);
    int64_t size = 0;
    uint8_t *bytes = save(game, plan, &size);
    const int64_t count = size / 4;
    union mh_word *words = check_memory((size_t)size);
    memcpy(words, bytes, (size_t)size);
    mh_order(words, (size_t)count, sizeof *words);
    CHECK_EQUAL(mh_net_check(spec, words, count, message), MH_OK);
    CHECK_EQUAL(mh_net_words(2, plan->sizes), count);
    refuse_word(spec, words, count, MH_NET_MAGIC, 1, "these bytes are no net");
    refuse_word(spec, words, count, MH_NET_VERSION_AT, MH_NET_VERSION + 1, "another version");
    refuse_word(spec, words, count, MH_NET_WORDS, (uint32_t)count + 1, "damaged");
    refuse_word(spec, words, count, MH_NET_KIND, words[MH_NET_KIND].bits ^ 1, "another game");
    refuse_word(spec, words, count, MH_NET_KIND + 1, words[MH_NET_KIND + 1].bits ^ 1, "another game");
    refuse_word(spec, words, count, MH_NET_LAYERS_AT, 0, no_fit);
    refuse_word(spec, words, count, MH_NET_LAYERS_AT, 1, no_fit);
    refuse_word(spec, words, count, MH_NET_LAYERS_AT, MH_NET_LAYERS + 1, no_fit);
    refuse_word(spec, words, count, MH_NET_SIZES, words[MH_NET_SIZES].bits + 1, no_fit);
    refuse_word(spec, words, count, MH_NET_SIZES + 1, HIDDEN + 1, no_fit);
    refuse_word(spec, words, count, MH_NET_SIZES + 1, 0, no_fit);
    refuse_word(spec, words, count, MH_NET_SIZES + 1, MH_NET_WIDTH + 1, no_fit);
    refuse_word(spec, words, count, MH_NET_SIZES + 2, 2, no_fit);
    refuse_word(spec, words, count, MH_NET_SIZES + MH_NET_LAYERS, 1, no_fit);
    refuse_word(spec, words, count, MH_NET_RANGES, (uint32_t)(spec->options[0].low - 1), no_values);
    refuse_word(spec, words, count, MH_NET_RANGES, (uint32_t)(spec->options[0].high + 1), no_values);
    refuse_word(spec, words, count, MH_NET_RANGES + 1, (uint32_t)(spec->options[0].high + 1), no_values);
    if (spec->num_options < MH_NET_OPTIONS) {
        refuse_word(spec, words, count, MH_NET_NOTE - 1, 1, no_values);
    }
    refuse_word(spec, words, count, MH_NET_HEADER - 1, UINT32_C(0x78000000), "its note has no end");
    refuse_word(spec, words, count, MH_NET_HEADER + 7, UINT32_C(0x7FC00000), "or no number");
    refuse_word(spec, words, count, (int)count - 1, UINT32_C(0xFF800000), "a weight is too large");
    free(words);
    free(bytes);
    free(plan);
    mh_game_free(&game);
}

struct looks {
    int32_t actions[LOOKS_MOST];
    double values[LOOKS_MOST];
    float *features;
};

static int is_legal(const struct mh_game *game, const void *state, int action)
{
    const uint64_t *legal = mh_legal(game->rules, state);
    return mh_set_next(legal, game->legal_words, action) == action;
}

/* Writes the afterstates of a state; returns how many there are. */
static int look(const struct mh_game *game, const void *state, int all, struct looks *looks)
{
    const int count = mh_state_afterstates(game, state, all, 0, NULL, NULL, NULL);
    CHECK(count > 0 && count <= LOOKS_MOST);
    looks->actions[0] = looks->actions[1] = -1;
    CHECK_EQUAL(mh_state_afterstates(game, state, all, 1, looks->actions, looks->features, looks->values), count);
    CHECK(looks->actions[0] >= 0 && looks->actions[1] == -1);
    CHECK_EQUAL(mh_state_afterstates(game, state, all, LOOKS_MOST, looks->actions, looks->features, looks->values),
                count);
    int8_t named[MH_MAX_ACTIONS] = {0};
    for (int i = 0; i < count; i++) {
        CHECK(is_legal(game, state, looks->actions[i]));
        named[looks->actions[i]] = 1;
        for (int j = 0; !isnan(looks->values[i]) && j < game->sizes.features; j++) {
            CHECK(looks->features[(ptrdiff_t)i * game->sizes.features + j] == 0);
        }
    }
    for (int action = 0; all && action < game->sizes.actions; action++) {
        CHECK_EQUAL(named[action], is_legal(game, state, action));
    }
    return count;
}

/* The bot plays what its net likes best, and says so. */
static void check_decision(const struct mh_game *game, const struct mh_net *net, const void *state, int bot,
                           struct looks *looks, int *action)
{
    char message[MH_MESSAGE_SIZE] = "";
    float worth[LOOKS_MOST];
    double values[MH_MAX_ACTIONS];
    uint64_t random = 1;
    look(game, state, 1, looks);
    const int count = look(game, state, 0, looks);
    CHECK_EQUAL(mh_net_values(game, net, count, looks->features, worth), MH_OK);
    int best = -1;
    for (int i = 0; i < count; i++) {
        looks->values[i] = isnan(looks->values[i]) ? worth[i] : looks->values[i];
        best = best < 0 || looks->values[i] > looks->values[best] ? i : best;
    }
    CHECK_EQUAL(mh_state_bot_action(game, state, bot, &random, action), MH_OK);
    CHECK_EQUAL(*action, looks->actions[best]);
    CHECK_EQUAL(mh_state_values(game, state, bot, values, message), MH_OK);
    const int num_legal = mh_set_count(mh_legal(game->rules, state), game->legal_words);
    double most = -INFINITY;
    for (int i = 0; i < num_legal; i++) {
        most = values[i] > most ? values[i] : most;
    }
    CHECK(most == looks->values[best]);
}

static void test_decisions(const char *id, const char *dropped)
{
    struct mh_game *game = open_game(id, "");
    struct plan *plan = new_plan(game);
    drop_feature(game, plan, dropped);
    struct mh_net *net = make_net(game, plan);
    void *state = check_memory((size_t)game->sizes.state);
    struct looks *looks = check_memory(sizeof *looks);
    looks->features = check_memory((size_t)game->sizes.features * LOOKS_MOST * sizeof(float));
    const int bot = mh_net_bot(game, net, "net:mine", NULL);
    CHECK(bot >= game->num_bots);
    CHECK_EQUAL(mh_net_bot(game, net, "net:mine", NULL), bot);
    CHECK_EQUAL(mh_bot_index(game, "net:mine", NULL), bot);
    for (uint64_t seed = 0; seed < 5; seed++) {
        CHECK_EQUAL(mh_state_reset(game, state, seed, NULL), MH_OK);
        while (mh_state_seat(state) >= 0) {
            int action = -1;
            check_decision(game, net, state, bot, looks, &action);
            CHECK_EQUAL(mh_state_apply(game, state, action, NULL), MH_OK);
        }
    }
    CHECK_EQUAL(mh_state_afterstates(game, state, 0, 0, NULL, NULL, NULL), MH_ERROR_OVER);
    CHECK_EQUAL(mh_state_reset(game, state, 1, NULL), MH_OK);
    CHECK_EQUAL(mh_state_afterstates(game, NULL, 0, 0, NULL, NULL, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_afterstates(NULL, state, 0, 0, NULL, NULL, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_afterstates(game, state, 0, -1, NULL, NULL, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_afterstates(game, state, 0, 1, NULL, looks->features, looks->values), MH_ERROR_ARGUMENT);
    const int32_t bots[MH_MAX_SEATS] = {bot, bot, bot, bot, bot, bot};
    mh_net_free(&net); /* the bot has its own */
    CHECK_EQUAL(mh_state_play_out(game, state, bots, 1), MH_OK);
    CHECK_EQUAL(mh_state_seat(state), -1);
    free(looks->features);
    free(looks);
    free(state);
    free(plan);
    mh_game_free(&game);
}

static void refuse_bot(const struct mh_game *game, const struct mh_net *net, const char *name, const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK_EQUAL(mh_net_bot(game, net, name, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
}

static void test_refused_bots(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    char long_name[2 * MH_BOT_NAME_SIZE] = "net:";
    struct mh_game *game = open_game("mhing", "");
    struct mh_game *other = open_game("general_mhing", "");
    struct mh_game *pair = open_game("mhing", "num_players=2");
    struct mh_game *win = open_game("mhing", "reward=win"); /* no net is shipped for it */
    struct plan *plan = new_plan(game);
    struct mh_net *net = make_net(game, plan);
    memset(long_name + 4, 'x', MH_BOT_NAME_SIZE);
    refuse_bot(game, NULL, "net:mine", "not of this game");
    refuse_bot(other, net, "net:mine", "not of this game");
    refuse_bot(game, net, NULL, "does not begin with net:");
    refuse_bot(game, net, "mine", "does not begin with net:");
    refuse_bot(game, net, long_name, "has more than");
    CHECK(mh_net_bot(pair, net, "net:mine", message) >= 0);
    mh_net_free(&net);
    for (int i = 0; i < game->rules->spec->num_options; i++) {
        if (game->options[i] != pair->options[i]) {
            plan->low[i] = pair->options[i] + 1;
            plan->high[i] = game->options[i];
        }
    }
    net = make_net(game, plan);
    CHECK(mh_net_bot(game, net, "net:mine", message) >= 0);
    refuse_bot(pair, net, "net:other", "trained for num_players=3 to 4, not");
    refuse_bot(pair, net, "net:other", "not for num_players=2");
    CHECK(mh_bot_index(pair, "net", message) >= 0);
    const int named = mh_bot_index(pair, "net:credits_2", message);
    CHECK(named >= pair->num_bots);
    CHECK_EQUAL(mh_bot_index(pair, "net:credits_2", message), named);
    CHECK(strcmp(mh_bot_name(pair, named), "net:credits_2") == 0);
    CHECK_EQUAL(mh_bot_index(pair, "net:credits", message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "trained for num_players=4, not for num_players=2"));
    CHECK_EQUAL(mh_bot_index(pair, "net:", message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "no net '' came with mhing; there is chips, credits, credits_2"));
    CHECK_EQUAL(mh_bot_index(win, "net", message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "trained for reward=") && strstr(message, "not for reward=win"));
    mh_net_free(&net);
    free(plan);
    mh_game_free(&win);
    mh_game_free(&pair);
    mh_game_free(&other);
    mh_game_free(&game);
}

int main(void)
{
    test_bytes();
    test_shipped_nets();
    test_refused_saves();
    test_refused_loads();
    test_words();
    test_decisions("mhing", "");
    test_decisions("mhing", "expert");
    test_decisions("mhing", "useful");
    test_decisions("mhing", "useful_for");
    test_decisions("general_mhing", "");
    test_decisions("mexican_rummy", "");
    test_refused_bots();
    return 0;
}
