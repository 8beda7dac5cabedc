/* Episodes as data: what bots played, and every decision of it, against a slow loop over the functions on states. */
#include "check.h"

#include <string.h>

#include "mh_game.h"
#include "variants.h"

enum { COUNT = 7, ROOM = 2000, MOST = COUNT * ROOM };

static const struct variant variants[] = {
    {"mhing", "num_players=6 reward=points"},
    {"general_mhing", "num_players=3 episode=game turn_limit=30 rounds=4 target=0"},
    {"mexican_rummy", "num_players=3 episode=game turn_limit=20"},
};

/* Arrays for all of them. */
struct columns {
    uint8_t *observations, *final_observations;
    int8_t *masks, *seats;
    double *rewards, *returns, *totals, *values;
    int64_t *numbers, *info;
    int32_t *played;
};

static void *filled(size_t size)
{
    void *memory = check_memory(size);
    memset(memory, 0xAB, size);
    return memory;
}

static struct columns make_columns(const struct mh_sizes *sizes)
{
    const size_t seats = (size_t)sizes->seats;
    return (struct columns){
        .observations = filled((size_t)MOST * (size_t)sizes->observation),
        .final_observations = filled(COUNT * seats * (size_t)sizes->observation),
        .masks = filled((size_t)MOST * (size_t)sizes->actions),
        .seats = filled(MOST),
        .rewards = filled(MOST * sizeof(double)),
        .returns = filled(MOST * sizeof(double)),
        .totals = filled(COUNT * seats * sizeof(double)),
        .values = filled((size_t)MOST * (size_t)sizes->actions * sizeof(double)),
        .info = filled((size_t)MOST * (size_t)sizes->info * sizeof(int64_t)),
        .numbers = filled(COUNT * (size_t)sizes->info * sizeof(int64_t)),
        .played = filled(COUNT * sizeof(int32_t)),
    };
}

static void free_columns(struct columns *columns)
{
    free(columns->observations);
    free(columns->final_observations);
    free(columns->masks);
    free(columns->seats);
    free(columns->rewards);
    free(columns->returns);
    free(columns->totals);
    free(columns->values);
    free(columns->info);
    free(columns->numbers);
    free(columns->played);
}

static struct mh_decisions all_of(const struct columns *columns, int judge)
{
    return (struct mh_decisions){.observations = columns->observations,
                                 .masks = columns->masks,
                                 .seats = columns->seats,
                                 .rewards = columns->rewards,
                                 .returns = columns->returns,
                                 .info = columns->info,
                                 .values = judge < 0 ? NULL : columns->values,
                                 .judge = judge,
                                 .final_observations = columns->final_observations,
                                 .totals = columns->totals,
                                 .numbers = columns->numbers,
                                 .played = columns->played};
}

/* A bot that judges, below 0: the game has none. */
static int judge_of(const struct mh_game *game)
{
    return mh_bot_index(game, "expert", NULL);
}

/* Adds what an action has earned to all decisions of its seat, and to the last one as its reward. */
static void earn_slowly(const struct mh_game *game, const void *state, int first, int last, struct columns *columns)
{
    float rewards[MH_MAX_SEATS];
    CHECK_EQUAL(mh_state_rewards(game, state, rewards), MH_OK);
    for (int seat = 0; seat < game->sizes.seats; seat++) {
        int is_latest = 1;
        for (int at = last; at >= first; at--) {
            if (columns->seats[at] == seat) {
                columns->returns[at] += (double)rewards[seat];
                columns->rewards[at] += is_latest ? (double)rewards[seat] : 0;
                is_latest = 0;
            }
        }
    }
}

/* Plays an episode; its decisions go to the places from `first` on. Returns where they end. */
static int play_slowly(const struct mh_game *game, int index, uint64_t seed, const int32_t *bots, int first,
                       int32_t *actions, struct columns *columns)
{
    const size_t size = (size_t)game->sizes.observation;
    const size_t seats = (size_t)game->sizes.seats;
    void *state = check_memory((size_t)game->sizes.state);
    uint64_t random = mh_rng_stream(seed, 'P').state;
    int at = first;
    CHECK_EQUAL(mh_state_reset(game, state, seed, NULL), MH_OK);
    for (int seat; (seat = mh_state_seat(state)) >= 0; at++) {
        CHECK(at < MOST);
        CHECK_EQUAL(mh_state_observe(game, state, seat, columns->observations + (size_t)at * size), MH_OK);
        CHECK_EQUAL(mh_state_mask(game, state, columns->masks + (size_t)at * (size_t)game->sizes.actions), MH_OK);
        CHECK_EQUAL(mh_state_info(game, state, columns->info + (size_t)at * (size_t)game->sizes.info), MH_OK);
        double *values = columns->values + (size_t)at * (size_t)game->sizes.actions;
        CHECK_EQUAL(mh_state_values(game, state, judge_of(game), values, NULL),
                    judge_of(game) < 0 ? MH_ERROR_ARGUMENT : MH_OK);
        CHECK_EQUAL(mh_state_bot_action(game, state, bots[seat], &random, &actions[at]), MH_OK);
        CHECK_EQUAL(mh_state_apply(game, state, actions[at], NULL), MH_OK);
        columns->seats[at] = (int8_t)seat;
        columns->rewards[at] = columns->returns[at] = 0;
        earn_slowly(game, state, first, at, columns);
    }
    for (size_t seat = 0; seat < seats; seat++) {
        uint8_t *seen = columns->final_observations + ((size_t)index * seats + seat) * size;
        CHECK_EQUAL(mh_state_observe(game, state, (int)seat, seen), MH_OK);
    }
    CHECK_EQUAL(mh_state_returns(game, state, columns->totals + (size_t)index * seats), MH_OK);
    CHECK_EQUAL(mh_state_info(game, state, columns->numbers + (size_t)index * (size_t)game->sizes.info), MH_OK);
    free(state);
    return at;
}

static void check_same(const struct mh_sizes *sizes, size_t all, const struct columns *found,
                       const struct columns *expected)
{
    const size_t seats = (size_t)sizes->seats;
    const size_t observation = (size_t)sizes->observation;
    CHECK(memcmp(found->observations, expected->observations, all * observation) == 0);
    CHECK(memcmp(found->final_observations, expected->final_observations, COUNT * seats * observation) == 0);
    CHECK(memcmp(found->masks, expected->masks, all * (size_t)sizes->actions) == 0);
    CHECK(memcmp(found->seats, expected->seats, all) == 0);
    CHECK(memcmp(found->info, expected->info, all * (size_t)sizes->info * sizeof(int64_t)) == 0);
    CHECK(memcmp(found->values, expected->values, all * (size_t)sizes->actions * sizeof(double)) == 0);
    CHECK(memcmp(found->totals, expected->totals, COUNT * seats * sizeof(double)) == 0);
    CHECK(memcmp(found->numbers, expected->numbers, COUNT * (size_t)sizes->info * sizeof(int64_t)) == 0);
    for (size_t at = 0; at < all; at++) {
        CHECK(found->rewards[at] == expected->rewards[at]);
        CHECK(found->returns[at] == expected->returns[at]);
    }
}

static void test_refusals(const struct mh_game *game, struct mh_episodes episodes, int64_t *starts,
                          int32_t *actions, const struct columns *columns)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_decisions out = all_of(columns, judge_of(game));
    for (int missing = 0; missing < 6; missing++) {
        struct mh_decisions less = out;
        void *const rest[] = {(void *)&less.seats,  (void *)&less.rewards, (void *)&less.returns,
                              (void *)&less.totals, (void *)&less.numbers, (void *)&less.played};
        memset(rest[missing], 0, sizeof(void *));
        CHECK_EQUAL(mh_game_decisions(game, &episodes, 1, &less, message), MH_ERROR_ARGUMENT);
    }
    for (int missing = 0; missing < 3; missing++) {
        struct mh_episodes less = episodes;
        void *const rest[] = {(void *)&less.seeds, (void *)&less.starts, (void *)&less.actions};
        memset(rest[missing], 0, sizeof(void *));
        CHECK_EQUAL(mh_game_decisions(game, &less, 1, &out, message), MH_ERROR_ARGUMENT);
    }
    CHECK_EQUAL(mh_game_decisions(NULL, &episodes, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_decisions(game, NULL, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_decisions(game, &episodes, 1, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_decisions(game, &episodes, 0, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "threads (0)"));

    /* A judge that is no bot, and one that does not judge. */
    static const int judges[] = {-1, 1000, 0};
    for (int i = 0; i < 3; i++) {
        struct mh_decisions judged = all_of(columns, judges[i]);
        judged.values = columns->values;
        CHECK_EQUAL(mh_game_decisions(game, &episodes, 1, &judged, message), MH_ERROR_ARGUMENT);
        CHECK(strstr(message, "bot: "));
    }

    /* An illegal action, and one after the end. */
    const int at = (int)starts[COUNT - 1] + 1;
    const int32_t before = actions[at];
    static const int32_t wrong[] = {-1, INT32_MAX};
    for (int i = 0; i < 2; i++) {
        actions[at] = wrong[i];
        CHECK_EQUAL(mh_game_decisions(game, &episodes, 2, &out, message), MH_ERROR_ACTION);
        CHECK(strstr(message, "episode 6"));
        CHECK_EQUAL(columns->played[COUNT - 1], 1);
        CHECK_EQUAL(columns->played[0], starts[1]);
    }
    actions[at] = before;
    starts[COUNT]++;
    actions[starts[COUNT] - 1] = 0;
    CHECK_EQUAL(mh_game_decisions(game, &episodes, 2, &out, message), MH_ERROR_ACTION);
    starts[COUNT] = starts[COUNT - 1] - 1;
    CHECK_EQUAL(mh_game_decisions(game, &episodes, 2, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "starts"));
}

/* mh_game_play notes the play, as far as there is room. */
static void check_played(const struct mh_game *game, const uint64_t *seeds, const int32_t *bots,
                         const int64_t *starts, const int32_t *actions)
{
    for (int room = 0; room <= 2 * ROOM; room = room ? room * 8 : 3) {
        int32_t *noted = filled((size_t)COUNT * (size_t)(room + 1) * sizeof *noted);
        int32_t lengths[COUNT];
        const struct mh_outcomes out = {.actions = noted, .lengths = lengths, .room = room};
        CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, 2, &out, NULL), MH_OK);
        for (int i = 0; i < COUNT; i++) {
            const int length = (int)(starts[i + 1] - starts[i]);
            const int kept = length < room ? length : room;
            CHECK_EQUAL(lengths[i], length);
            CHECK(memcmp(noted + (ptrdiff_t)i * room, actions + starts[i], (size_t)kept * sizeof *noted) == 0);
        }
        free(noted);
    }
    int32_t action = 0;
    const struct mh_outcomes wrong = {.actions = &action, .room = -1};
    CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, 2, &wrong, NULL), MH_ERROR_ARGUMENT);
}

static void test_game(const struct variant *variant)
{
    struct mh_game *game = NULL;
    CHECK_EQUAL(mh_game_new(variant->game, variant->options, NULL, &game), MH_OK);
    struct columns expected = make_columns(&game->sizes);
    struct columns found = make_columns(&game->sizes);
    int32_t *actions = check_memory((MOST + 1) * sizeof *actions);
    int32_t bots[COUNT * MH_MAX_SEATS];
    int64_t starts[COUNT + 1] = {0};
    uint64_t seeds[COUNT];
    for (int i = 0; i < COUNT * game->sizes.seats; i++) {
        bots[i] = i % 2;
    }
    for (int i = 0; i < COUNT; i++) {
        seeds[i] = (uint64_t)i - 3;
        starts[i + 1] = play_slowly(game, i, seeds[i], bots + (ptrdiff_t)i * game->sizes.seats, (int)starts[i],
                                    actions, &expected);
    }
    const struct mh_episodes episodes = {COUNT, seeds, starts, actions};
    struct mh_decisions out = all_of(&found, judge_of(game));
    for (int threads = 1; threads <= 3; threads++) {
        CHECK_EQUAL(mh_game_decisions(game, &episodes, threads, &out, NULL), MH_OK);
        check_same(&game->sizes, (size_t)starts[COUNT], &found, &expected);
    }
    out.observations = out.final_observations = NULL;
    out.masks = NULL;
    out.info = NULL;
    out.values = NULL;
    out.judge = -1;
    CHECK_EQUAL(mh_game_decisions(game, &episodes, 1, &out, NULL), MH_OK);
    check_played(game, seeds, bots, starts, actions);
    test_refusals(game, episodes, starts, actions, &found);
    free(actions);
    free_columns(&expected);
    free_columns(&found);
    mh_game_free(&game);
}

int main(void)
{
    variants_test(variants, sizeof variants / sizeof *variants, test_game);
    return 0;
}
