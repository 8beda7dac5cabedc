/* Episodes compared with baselines and with other draws, against a slow loop over the functions on states. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "mh_game.h"
#include "variants.h"

enum { COUNT = 4, ROOM = 2000, PLAY_OUTS = 3, WORLDS = 2 };

static const struct variant variants[] = {
    {"mhing", "num_players=3"},
    {"general_mhing", "num_players=3 episode=game turn_limit=30 rounds=2 target=0"},
    {"mexican_rummy", "num_players=3 turn_limit=20"},
};

/* Episodes, who would have played them otherwise, and what comes of that. */
struct sheet {
    uint64_t seeds[COUNT];
    int64_t starts[COUNT + 1];
    int32_t actions[COUNT * ROOM];
    int32_t bots[COUNT * MH_MAX_SEATS];
    uint8_t compared[COUNT * MH_MAX_SEATS];
    double gains[COUNT * MH_MAX_SEATS], luck[COUNT * MH_MAX_SEATS], totals[COUNT * MH_MAX_SEATS];
    int32_t decisions[COUNT], differing[COUNT], played[COUNT];
};

static struct mh_episodes episodes_of(const struct sheet *sheet)
{
    return (struct mh_episodes){COUNT, sheet->seeds, sheet->starts, sheet->actions};
}

static struct mh_paired paired_of(struct sheet *sheet)
{
    return (struct mh_paired){.gains = sheet->gains,
                              .luck = sheet->luck,
                              .totals = sheet->totals,
                              .decisions = sheet->decisions,
                              .differing = sheet->differing,
                              .played = sheet->played};
}

/* The seats' earnings after an action in a world, where bots play on. */
static void earn(const struct mh_game *game, const void *world, int action, const int32_t *bots, uint64_t seed,
                 double *returns)
{
    void *after = check_memory((size_t)game->sizes.state);
    memcpy(after, world, (size_t)game->sizes.state);
    CHECK_EQUAL(mh_state_apply(game, after, action, NULL), MH_OK);
    CHECK_EQUAL(mh_state_play_out(game, after, bots, seed), MH_OK);
    CHECK_EQUAL(mh_state_returns(game, after, returns), MH_OK);
    free(after);
}

/* Writes the values of the last bot that judges; returns whether there is one. */
static int judge_slowly(const struct mh_game *game, const void *state, double *values)
{
    int bot = mh_bot_index(game, "expert", NULL) + 1; /* behind it the net, if there is one */
    while (bot >= 0 && mh_state_values(game, state, bot, values, NULL) != MH_OK) {
        bot--;
    }
    return bot >= 0;
}

/* What a seat has earned and expects when it has to choose next. */
static double expect_slowly(const struct mh_game *game, void *state, int seat, const int32_t *bots, uint64_t seed)
{
    uint64_t random = mh_rng_stream(seed, 'L').state;
    double returns[MH_MAX_SEATS];
    double best = -HUGE_VAL;
    while (mh_state_seat(state) >= 0) {
        int32_t action = 0;
        double values[MH_MAX_ACTIONS];
        int8_t mask[MH_MAX_ACTIONS];
        int legal = 0;
        const int now = mh_state_seat(state);
        CHECK_EQUAL(mh_state_mask(game, state, mask), MH_OK);
        for (int i = 0; i < game->sizes.actions; i++) {
            legal += mask[i];
        }
        if (now == seat && legal > 1 && judge_slowly(game, state, values)) {
            for (int i = 0; i < legal; i++) {
                best = values[i] > best ? values[i] : best;
            }
        }
        if (best > -HUGE_VAL) {
            break;
        }
        CHECK_EQUAL(mh_state_bot_action(game, state, bots[now], &random, &action), MH_OK);
        CHECK_EQUAL(mh_state_apply(game, state, action, NULL), MH_OK);
    }
    CHECK_EQUAL(mh_state_returns(game, state, returns), MH_OK);
    return returns[seat] + (best > -HUGE_VAL ? best : 0);
}

static double luck_slowly(const struct mh_game *game, const void *state, int action, const int32_t *bots,
                          uint64_t stream)
{
    struct mh_rng rng = {stream};
    void *world = check_memory((size_t)game->sizes.state);
    double luck = 0;
    for (int i = 0; i <= WORLDS; i++) {
        const uint64_t seed = mh_rng_next(&rng);
        memcpy(world, state, (size_t)game->sizes.state);
        if (i) {
            CHECK_EQUAL(mh_state_resample(game, state, MH_ALL_SEATS, seed, world), MH_OK);
        }
        CHECK_EQUAL(mh_state_apply(game, world, action, NULL), MH_OK);
        const double value = expect_slowly(game, world, mh_state_seat(state), bots, seed);
        luck += i ? -value / WORLDS : value;
    }
    free(world);
    return luck;
}

/* Compares action number `number` of an episode, before it is played. */
static void compare_slowly(const struct mh_game *game, const void *state, int episode, int64_t number,
                           struct sheet *sheet)
{
    int8_t mask[MH_MAX_ACTIONS];
    const int seats = game->sizes.seats;
    const int32_t *bots = sheet->bots + (ptrdiff_t)episode * seats;
    const int action = sheet->actions[sheet->starts[episode] + number];
    uint64_t random = mh_rng_stream(sheet->seeds[episode], 'C' + 256u * (uint64_t)number).state;
    int32_t other = 0;
    int legal = 0;
    CHECK_EQUAL(mh_state_mask(game, state, mask), MH_OK);
    for (int i = 0; i < game->sizes.actions; i++) {
        legal += mask[i];
    }
    const int at = episode * seats + mh_state_seat(state);
    if (sheet->compared[at] & MH_COMPARED_LUCK && legal > 1) {
        sheet->luck[at] += luck_slowly(game, state, action, bots,
                                       mh_rng_stream(sheet->seeds[episode], 'L' + 256u * (uint64_t)number).state);
    }
    if (!(sheet->compared[at] & MH_COMPARED_GAINS) || legal == 1) {
        return;
    }
    CHECK_EQUAL(mh_state_bot_action(game, state, bots[mh_state_seat(state)], &random, &other), MH_OK);
    sheet->decisions[episode]++;
    sheet->differing[episode] += other != action;
    struct mh_rng rng = {random};
    double sums[MH_MAX_SEATS] = {0};
    void *world = check_memory((size_t)game->sizes.state);
    for (int i = 0; i < PLAY_OUTS && other != action; i++) {
        double returns[2][MH_MAX_SEATS];
        const uint64_t seed = mh_rng_next(&rng);
        CHECK_EQUAL(mh_state_resample(game, state, MH_ALL_SEATS, seed, world), MH_OK);
        earn(game, world, action, bots, seed, returns[0]);
        earn(game, world, other, bots, seed, returns[1]);
        for (int seat = 0; seat < seats; seat++) {
            sums[seat] += returns[0][seat];
            sums[seat] += -returns[1][seat];
        }
    }
    for (int seat = 0; seat < seats; seat++) {
        sheet->gains[episode * seats + seat] += sums[seat] / PLAY_OUTS;
    }
    free(world);
}

static void play_slowly(const struct mh_game *game, int episode, struct sheet *sheet)
{
    void *state = check_memory((size_t)game->sizes.state);
    uint64_t random = sheet->seeds[episode];
    int64_t at = sheet->starts[episode];
    CHECK_EQUAL(mh_state_reset(game, state, sheet->seeds[episode], NULL), MH_OK);
    for (; mh_state_seat(state) >= 0; at++) {
        CHECK(at < (int64_t)COUNT * ROOM);
        CHECK_EQUAL(mh_state_bot_action(game, state, mh_state_seat(state) % 2, &random, &sheet->actions[at]),
                    MH_OK);
        compare_slowly(game, state, episode, at - sheet->starts[episode], sheet);
        CHECK_EQUAL(mh_state_apply(game, state, sheet->actions[at], NULL), MH_OK);
    }
    sheet->starts[episode + 1] = at;
    CHECK_EQUAL(mh_state_returns(game, state, sheet->totals + (ptrdiff_t)episode * game->sizes.seats), MH_OK);
    free(state);
}

static void test_refusals(const struct mh_game *game, struct sheet *sheet)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_episodes episodes = episodes_of(sheet);
    const struct mh_paired_plan plan = {sheet->bots, sheet->compared, 1, 1};
    const struct mh_paired out = paired_of(sheet);
    struct sheet *before = check_memory(sizeof *before);
    memcpy(before, sheet, sizeof *before);
    for (int missing = 0; missing < 7; missing++) {
        struct mh_paired less = out;
        struct mh_paired_plan less_plan = plan;
        void *const rest[] = {(void *)&less.gains,        (void *)&less.luck,      (void *)&less.totals,
                              (void *)&less.decisions,    (void *)&less.differing, (void *)&less.played,
                              (void *)&less_plan.compared};
        memset(rest[missing], 0, sizeof(void *));
        CHECK_EQUAL(mh_game_paired(game, &episodes, &less_plan, 1, &less, message), MH_ERROR_ARGUMENT);
    }
    struct mh_paired_plan wrong = {NULL, sheet->compared, 1, 1};
    CHECK_EQUAL(mh_game_paired(game, &episodes, &wrong, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "bots"));
    wrong = (struct mh_paired_plan){sheet->bots, sheet->compared, 0, 1};
    CHECK_EQUAL(mh_game_paired(game, &episodes, &wrong, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "play_outs: 0"));
    wrong = (struct mh_paired_plan){sheet->bots, sheet->compared, 1, -1};
    CHECK_EQUAL(mh_game_paired(game, &episodes, &wrong, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "worlds: -1"));
    CHECK_EQUAL(mh_game_paired(game, &(struct mh_episodes){0}, &plan, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_paired(game, &episodes, &plan, 0, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_paired(NULL, &episodes, &plan, 1, &out, message), MH_ERROR_ARGUMENT);
    sheet->bots[0] = 99;
    CHECK_EQUAL(mh_game_paired(game, &episodes, &plan, 1, &out, message), MH_ERROR_ARGUMENT);
    sheet->bots[0] = 0;
    CHECK_EQUAL(mh_game_paired(game, &(struct mh_episodes){COUNT, sheet->seeds, sheet->starts + 1, sheet->actions},
                               &plan, 1, &out, message),
                MH_ERROR_ARGUMENT);
    CHECK(memcmp(sheet->gains, before->gains, sizeof *sheet - offsetof(struct sheet, gains)) == 0);
    free(before);
    sheet->actions[0] = -1;
    CHECK_EQUAL(mh_game_paired(game, &episodes, &plan, 1, &out, message), MH_ERROR_ACTION);
    CHECK_EQUAL(sheet->played[0], 0);
}

static void test_game(const struct variant *variant)
{
    struct mh_game *game = NULL;
    CHECK_EQUAL(mh_game_new(variant->game, variant->options, NULL, &game), MH_OK);
    const size_t seats = (size_t)game->sizes.seats;
    struct sheet *expected = check_memory(sizeof *expected);
    struct sheet *found = check_memory(sizeof *found);
    memset(expected, 0, sizeof *expected);
    for (size_t i = 0; i < COUNT * seats; i++) {
        expected->bots[i] = (i + 1) % 2;       /* who has played, or the other bot */
        expected->compared[i] = i * 5 / 3 % 4; /* nothing, gains, luck, or both */
    }
    int32_t differing = 0;
    for (int i = 0; i < COUNT; i++) {
        expected->seeds[i] = (uint64_t)i - 2;
        play_slowly(game, i, expected);
        differing += expected->differing[i];
    }
    CHECK(differing > 0);
    for (int threads = 1; threads <= 3; threads++) {
        memcpy(found, expected, sizeof *found);
        memset(found->gains, 0xAB, sizeof *found - offsetof(struct sheet, gains));
        const struct mh_episodes episodes = episodes_of(found);
        const struct mh_paired_plan plan = {found->bots, found->compared, PLAY_OUTS, WORLDS};
        const struct mh_paired out = paired_of(found);
        CHECK_EQUAL(mh_game_paired(game, &episodes, &plan, threads, &out, NULL), MH_OK);
        CHECK(memcmp(found->gains, expected->gains, COUNT * seats * sizeof *found->gains) == 0);
        CHECK(memcmp(found->luck, expected->luck, COUNT * seats * sizeof *found->luck) == 0);
        CHECK(memcmp(found->totals, expected->totals, COUNT * seats * sizeof *found->totals) == 0);
        CHECK(memcmp(found->decisions, expected->decisions, sizeof found->decisions) == 0);
        CHECK(memcmp(found->differing, expected->differing, sizeof found->differing) == 0);
    }
    test_refusals(game, found);
    free(expected);
    free(found);
    mh_game_free(&game);
}

int main(void)
{
    variants_test(variants, sizeof variants / sizeof *variants, test_game);
    return 0;
}
