/* Searches and bots with settings, through the public functions: numbers, names, results, refusals. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "play/mh_bots.h"
#include "play/mh_search.h"

enum { ACTIONS_MOST = MH_MAX_ACTIONS };

struct arrays {
    int64_t visits[ACTIONS_MOST];
    double values[ACTIONS_MOST], halves[ACTIONS_MOST], gains[ACTIONS_MOST], gain_halves[ACTIONS_MOST];
};

static struct mh_game *open_game(const char *id, const char *options)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game = NULL;
    CHECK_EQUAL(mh_game_new(id, options, message, &game), MH_OK);
    return game;
}

static void refuse(const struct mh_game *game, const char *name, const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK_EQUAL(mh_bot_index(game, name, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
}

static void test_names(void)
{
    struct mh_game *game = open_game("mhing", "");
    const int table = game->rules->spec->num_bots;
    const char *const name = "search:20,prior=greedy,cut=expert,others=random,actions=3,decisions=2,errors=1.25";
    CHECK_EQUAL(mh_bot_index(game, name, NULL), table);
    CHECK_EQUAL(mh_bot_index(game, "search:10ms,cut=none", NULL), table + 1);
    CHECK_EQUAL(mh_bot_index(game, name, NULL), table);
    CHECK(strcmp(mh_bot_name(game, table), name) == 0);
    CHECK(strcmp(mh_bot_name(game, 0), "random") == 0);
    CHECK(!mh_bot_name(game, table + 2) && !mh_bot_name(game, -1) && !mh_bot_name(NULL, 0));
    refuse(game, NULL, "must not be NULL");
    refuse(game, "nobody", "there is random, greedy");
    refuse(game, "search:", "is no budget");
    refuse(game, "search:5s", "is no budget");
    refuse(game, "search:5,x=1", "is no setting");
    refuse(game, "search:5,errors", "is no setting");
    refuse(game, "search:5,errors=1.x", "has a wrong value");
    refuse(game, "search:5,actions=100", "has a wrong value");
    refuse(game, "search:5,errors=1,cut=none,errors=1", "'errors' is given twice");
    refuse(game, "search:5,prior=nobody", "no bot 'nobody'");
    refuse(game, "search:5,others=search:6", "searches itself");
    refuse(game, "search:5,cut=nobody", "no bot 'nobody'");
    refuse(game, "search:5,cut=greedy", "does not judge");
    char long_name[2 * MH_BOT_NAME_SIZE] = "search:5,prior=";
    memset(long_name + strlen(long_name), 'x', MH_BOT_NAME_SIZE);
    refuse(game, long_name, "has more than");
    for (int i = mh_bots_count(game); i < table + MH_MAX_MADE_BOTS; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "search:%d", 100 + i);
        CHECK_EQUAL(mh_bot_index(game, text, NULL), i);
    }
    refuse(game, "search:7", "cannot hold more");
    mh_game_free(&game);
}

static struct mh_search settings_of(const char *text)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_search search;
    struct mh_search_names names;
    CHECK_EQUAL(mh_search_read(&search, text, &names, message), MH_OK);
    return search;
}

static void refuse_settings(const char *text)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_search search;
    struct mh_search_names names;
    CHECK_EQUAL(mh_search_read(&search, text, &names, message), MH_ERROR_ARGUMENT);
    CHECK(message[0]);
}

/* Both ends of every number are taken, and what is beyond them is refused. */
static void test_bounds_of_settings(void)
{
    static const char *const beyond[] = {"0",
                                         "10000001",
                                         "0ms",
                                         "600001ms",
                                         "0000000001",
                                         "ms",
                                         "5,actions=1",
                                         "5,actions=65",
                                         "5,decisions=0",
                                         "5,decisions=100",
                                         "5,decisions=4294967298",
                                         "5,errors=99.01",
                                         "5,errors=100",
                                         "5,errors=.5",
                                         "5,errors=1.",
                                         "5,errors=1:5",
                                         "5,behind=99.01",
                                         "5,behind=no",
                                         "5,behind=nones",
                                         "5,prior="};
    for (int i = 0; i < (int)(sizeof beyond / sizeof *beyond); i++) {
        refuse_settings(beyond[i]);
    }
    CHECK_EQUAL(settings_of("1").play_outs, 1);
    CHECK_EQUAL(settings_of("1").nanoseconds, 0);
    CHECK_EQUAL(settings_of("10000000").play_outs, 10000000);
    CHECK_EQUAL(settings_of("1ms").nanoseconds, 1000000);
    CHECK_EQUAL(settings_of("600000ms").nanoseconds, 600000000000);
    CHECK_EQUAL(settings_of("600000ms").play_outs, 0);
    CHECK_EQUAL(settings_of("000000089").play_outs, 89);
    CHECK_EQUAL(settings_of("5,actions=2").actions, 2);
    CHECK_EQUAL(settings_of("5,actions=64").actions, 64);
    CHECK_EQUAL(settings_of("5,decisions=1").decisions, 1);
    CHECK_EQUAL(settings_of("5,decisions=99").decisions, 99);
    CHECK(settings_of("5,errors=0").errors == 0);
    CHECK(settings_of("5,errors=99").errors == 99);
    CHECK(settings_of("5,errors=10.75").errors == 10.75);
    CHECK(settings_of("5").behind == 1);
    CHECK(settings_of("5,behind=none").behind > 99);
    CHECK(settings_of("5,behind=2.5,errors=3").behind == 2.5);
}

/* A search that stops as often as it can finds the same. */
static void test_pieces(const struct mh_game *game, const void *state, const char *settings, uint64_t random,
                        const struct mh_search_result *whole)
{
    static struct arrays found;
    void *memory = check_memory((size_t)game->sizes.piece);
    struct mh_search_result result = {.visits = found.visits,
                                      .values = found.values,
                                      .gains = found.gains,
                                      .pieces = {.memory = memory, .play_outs = 1}};
    int64_t visits = 0;
    int pieces = 1;
    while (mh_state_search(game, state, settings, random, 1 + pieces % 2, &result, NULL) > 0) {
        pieces++;
    }
    const int count = mh_set_count(mh_legal(game->rules, state), game->legal_words);
    for (int i = 0; i < count; i++) {
        visits += found.visits[i];
        CHECK_EQUAL(found.visits[i], whole->visits[i]);
        CHECK(found.visits[i] == 0 || (found.values[i] == whole->values[i] && found.gains[i] == whole->gains[i]));
    }
    CHECK(pieces * 2 * count > visits);
    CHECK_EQUAL(result.action, whole->action);
    CHECK_EQUAL(result.prior, whole->prior);
    CHECK(result.random == whole->random);
    result.pieces.play_outs = 0;
    CHECK_EQUAL(mh_state_search(game, state, settings, random, 1, &result, NULL), MH_ERROR_ARGUMENT);
    free(memory);
}

/* All that is found, with any of the arrays left out, for the decisions of a round. */
static void test_round(const char *id, const char *options, const char *settings, int threads)
{
    char message[MH_MESSAGE_SIZE] = "";
    char name[MH_BOT_NAME_SIZE];
    struct mh_game *game = open_game(id, options);
    void *state = check_memory((size_t)game->sizes.state);
    static struct arrays found;
    (void)snprintf(name, sizeof name, "search:%s", settings);
    const int bot = mh_bot_index(game, name, message);
    CHECK(bot >= 0);
    CHECK_EQUAL(mh_state_reset(game, state, 7, message), MH_OK);
    for (uint64_t random = 1; mh_state_seat(state) >= 0; random++) {
        struct mh_search_result result = {.visits = found.visits,
                                          .values = found.values,
                                          .halves = found.halves,
                                          .gains = found.gains,
                                          .gain_halves = found.gain_halves};
        struct mh_search_result bare = {.action = -1, .prior = -1};
        uint64_t generator = random;
        int action = -1;
        int64_t visits = 0;
        CHECK_EQUAL(mh_state_search(game, state, settings, random, threads, &result, message), MH_OK);
        const int count = mh_set_count(mh_legal(game->rules, state), game->legal_words);
        for (int i = 0; i < count; i++) {
            visits += found.visits[i];
            CHECK(found.visits[i] > 0 || isnan(found.values[i]));
        }
        CHECK_EQUAL(visits > 0, count > 1);
        if (!strstr(settings, "ms")) {
            CHECK_EQUAL(mh_state_search(game, state, settings, random, 1, &bare, message), MH_OK);
            CHECK_EQUAL(bare.action, result.action);
            CHECK_EQUAL(bare.prior, result.prior);
            CHECK_EQUAL(mh_state_bot_action(game, state, bot, &generator, &action), MH_OK);
            CHECK_EQUAL(action, result.action);
            CHECK(generator == result.random);
            test_pieces(game, state, settings, random, &result);
        }
        CHECK_EQUAL(mh_state_apply(game, state, result.action, message), MH_OK);
    }
    struct mh_search_result bare = {.action = -1, .prior = -1};
    CHECK_EQUAL(mh_state_search(game, state, settings, 1, 1, &bare, message), MH_ERROR_OVER);
    free(state);
    mh_game_free(&game);
}

static void test_values(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game("mhing", "");
    void *state = check_memory((size_t)game->sizes.state);
    double values[ACTIONS_MOST];
    const int expert = mh_bot_index(game, "expert", message);
    CHECK_EQUAL(mh_state_reset(game, state, 7, message), MH_OK);
    CHECK_EQUAL(mh_state_values(game, state, expert, values, message), MH_OK);
    CHECK(values[0] > 0);
    CHECK_EQUAL(mh_state_values(game, state, 0, values, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "random of mhing does not judge"));
    CHECK_EQUAL(mh_state_values(game, state, 99, values, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_values(game, NULL, expert, values, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_search(game, state, NULL, 1, 1, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_search(game, NULL, "5", 1, 1, NULL, message), MH_ERROR_ARGUMENT);
    struct mh_search_result bare = {.action = -1, .prior = -1};
    CHECK_EQUAL(mh_state_search(game, state, "x", 1, 1, &bare, message), MH_ERROR_ARGUMENT);
    const int32_t bots[MH_MAX_SEATS] = {0};
    CHECK_EQUAL(mh_state_play_out(game, state, bots, 1), MH_OK);
    CHECK_EQUAL(mh_state_values(game, state, expert, values, message), MH_ERROR_OVER);
    free(state);
    mh_game_free(&game);
}

/* The games settle forced decisions themselves; a search is not to spend anything on one that is left. */
static void test_forced(void)
{
    struct mh_game *game = open_game("mhing", "");
    uint64_t *state = check_memory((size_t)game->sizes.state);
    const struct mh_search search = {
        .game = game, .play_outs = 100, .prior = 1, .cut = MH_NO_BOT, .others = 1, .actions = 8};
    struct mh_rng rng = {1};
    static struct mh_searching searching;
    CHECK_EQUAL(mh_state_reset(game, state, 7, NULL), MH_OK);
    uint64_t *legal = (uint64_t *)(void *)((char *)state + game->rules->legal_offset);
    const int only = mh_set_next(legal, game->legal_words, 0);
    memset(legal, 0, (size_t)game->legal_words * sizeof *legal);
    mh_set_add(legal, only);
    int64_t play_outs = 0;
    mh_search_begin(&search, state, &rng, &searching);
    CHECK_EQUAL(mh_search_on(&searching, NULL, &play_outs), 1);
    const struct mh_found *found = &searching.found;
    CHECK_EQUAL(found->count, 1);
    CHECK_EQUAL(found->tried[0].action, only);
    CHECK_EQUAL(found->prior, only);
    CHECK_EQUAL(found->tried[0].visits, 0);
    free(state);
    mh_game_free(&game);
}

int main(void)
{
    test_names();
    test_bounds_of_settings();
    test_values();
    test_forced();
    for (int index = 0; index < mh_game_count(); index++) {
        test_round(mh_game_id(index), "", "12", 1);
    }
    test_round("mhing", "", "40,prior=greedy,errors=0.5,decisions=2", 2);
    test_round("mhing", "num_players=2", "1ms", 1);
    test_round("general_mhing", "reward=win episode=game target=3 rounds=2", "8", 1);
    test_round("mhing", "reward=win episode=game rounds=1", "8,prior=greedy,cut=none", 1);
    test_round("mexican_rummy", "reward=rank episode=game rounds=1", "8", 1);
    return 0;
}
