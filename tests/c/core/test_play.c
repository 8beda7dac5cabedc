/* Episodes played by bots, one for each seat: against a slow loop over the functions on states. */
#include "check.h"

#include <string.h>

#include "mh_game.h"
#include "variants.h"

enum { COUNT = 17, SEARCHED = 4, MOST = COUNT * MH_MAX_SEATS, TALLY = 1 + MH_MAX_TOTALS, NUMBERS = 256 };

struct results {
    double returns[MOST];
    int64_t rounds[COUNT];
    int64_t tally[MOST * TALLY];
};

static const struct variant variants[] = {
    {"mhing", "num_players=6 episode=game rounds=3 target=0"},
    {"mhing", "num_players=2 rules=jmhing reward=points"},
    {"general_mhing", "num_players=3 episode=game turn_limit=30 rounds=4 target=0"},
    {"mexican_rummy", "num_players=3 episode=game turn_limit=20"},
};

static int64_t number_of(const struct mh_info_field *field, const int64_t *numbers, int seat)
{
    return numbers[field->offset + (field->per_seat ? seat : 0)];
}

/* One round, added up from the public numbers. */
static void add_slowly(const struct mh_game *game, const void *state, int64_t *tally)
{
    const struct mh_spec *spec = game->rules->spec;
    int64_t numbers[NUMBERS];
    CHECK(game->sizes.info <= NUMBERS);
    CHECK_EQUAL(mh_state_info(game, state, numbers), MH_OK);
    int64_t winner = -1;
    for (int i = 0; i < spec->num_info; i++) {
        winner = spec->info[i].role == MH_ROLE_WINNER ? numbers[spec->info[i].offset] : winner;
    }
    for (int seat = 0; seat < game->sizes.seats; seat++) {
        int64_t *sums = tally + (size_t)seat * (size_t)game->sizes.tally;
        int totals = 0;
        sums[0] += winner == seat;
        for (int i = 0; i < spec->num_info; i++) {
            const struct mh_info_field *field = &spec->info[i];
            if (field->role == MH_ROLE_TOTAL) {
                totals++;
                sums[totals] += field->per_seat || winner == seat ? number_of(field, numbers, seat) : 0;
            }
        }
        CHECK_EQUAL(game->sizes.tally, 1 + totals);
    }
}

static void play_slowly(const struct mh_game *game, uint64_t seed, const int32_t *bots, int index,
                        struct results *results)
{
    const size_t seats = (size_t)game->sizes.seats;
    char message[MH_MESSAGE_SIZE];
    void *state = check_memory((size_t)game->sizes.state);
    uint64_t random = mh_rng_stream(seed, 'P').state;
    int32_t rounds = 0;
    CHECK_EQUAL(mh_state_reset(game, state, seed, message), MH_OK);
    while (mh_state_seat(state) >= 0) {
        int action = -1;
        CHECK_EQUAL(mh_state_bot_action(game, state, bots[mh_state_seat(state)], &random, &action), MH_OK);
        CHECK_EQUAL(mh_state_apply(game, state, action, message), MH_OK);
        if (mh_state_rounds(state) > rounds) {
            rounds = mh_state_rounds(state);
            add_slowly(game, state, results->tally + (size_t)index * seats * (size_t)game->sizes.tally);
        }
    }
    results->rounds[index] = rounds;
    CHECK_EQUAL(mh_state_returns(game, state, results->returns + (size_t)index * seats), MH_OK);
    free(state);
}

static void test_wrong_arguments(const struct mh_game *game, const uint64_t *seeds, int32_t *bots)
{
    char message[MH_MESSAGE_SIZE] = "";
    int64_t rounds[COUNT] = {-5};
    int64_t tally[MOST] = {0};
    const struct mh_outcomes out = {.rounds = rounds};
    const int last = COUNT * game->sizes.seats - 1;
    const int32_t before = bots[last];
    CHECK_EQUAL(mh_game_play(NULL, COUNT, seeds, bots, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_play(game, COUNT, NULL, bots, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_play(game, COUNT, seeds, NULL, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, 1, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_play(game, 0, seeds, bots, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "count: 0"));
    CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, 0, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "threads: 0"));
    bots[last] = game->num_bots;
    CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, 1, &out, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "bots: "));
    bots[last] = before;
    CHECK_EQUAL(rounds[0], -5);
    CHECK_EQUAL(mh_state_add_round(game, NULL, rounds, tally), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_add_round(game, seeds, NULL, tally), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_add_round(game, seeds, rounds, NULL), MH_ERROR_ARGUMENT);
}

static void test_game(const struct variant *variant)
{
    static const int threads[] = {1, 2, 3, 50};
    static struct results expected;
    static struct results results;
    char message[MH_MESSAGE_SIZE] = "";
    uint64_t seeds[COUNT];
    int32_t bots[MOST];
    struct mh_game *game = NULL;
    CHECK_EQUAL(mh_game_new(variant->game, variant->options, message, &game), MH_OK);
    const int seats = game->sizes.seats;
    memset(&expected, 0, sizeof expected);
    for (int i = 0; i < COUNT * seats; i++) {
        bots[i] = i * i / 3 % game->num_bots;
    }
    for (int i = 0; i < COUNT; i++) {
        seeds[i] = UINT64_MAX - 3 + (uint64_t)i;
        play_slowly(game, seeds[i], bots + (ptrdiff_t)i * seats, i, &expected);
    }
    for (int i = 0; i < (int)(sizeof threads / sizeof *threads); i++) {
        memset(&results, 0xAB, sizeof results);
        const struct mh_outcomes out = {
            .returns = results.returns, .rounds = results.rounds, .tally = results.tally};
        CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, threads[i], &out, message), MH_OK);
        const size_t lines = (size_t)COUNT * (size_t)seats;
        CHECK(memcmp(results.returns, expected.returns, lines * sizeof *results.returns) == 0);
        CHECK(memcmp(results.rounds, expected.rounds, sizeof results.rounds) == 0);
        const size_t sums = lines * (size_t)game->sizes.tally;
        CHECK(memcmp(results.tally, expected.tally, sums * sizeof *results.tally) == 0);
        const struct mh_outcomes nothing = {.returns = NULL};
        CHECK_EQUAL(mh_game_play(game, COUNT, seeds, bots, threads[i], &nothing, message), MH_OK);
    }
    test_wrong_arguments(game, seeds, bots);
    mh_game_free(&game);
}

/* Plays the first episodes in so many play-outs a piece; returns the number of pieces. */
static int play_pieces(const struct mh_game *game, const uint64_t *seeds, const int32_t *bots, int threads,
                       int64_t play_outs, struct results *results)
{
    int32_t lengths[SEARCHED];
    char *memory = check_memory(SEARCHED * (size_t)game->sizes.piece);
    const struct mh_outcomes out = {.returns = results->returns,
                                    .rounds = results->rounds,
                                    .tally = results->tally,
                                    .lengths = lengths,
                                    .pieces = {.memory = play_outs ? memory : NULL, .play_outs = play_outs}};
    int pieces = 1;
    int left = mh_game_play(game, SEARCHED, seeds, bots, threads, &out, NULL);
    for (; left > 0; pieces++) {
        CHECK(left <= SEARCHED);
        left = mh_game_play(game, SEARCHED, seeds, bots, threads, &out, NULL);
    }
    CHECK_EQUAL(left, MH_OK);
    free(memory);
    return pieces;
}

/* Episodes of bots that search are the same however often they stop; those of others stop never. */
static void test_pieces(void)
{
    static struct results whole;
    static struct results found;
    struct mh_game *game = NULL;
    uint64_t seeds[SEARCHED];
    int32_t bots[SEARCHED * MH_MAX_SEATS];
    CHECK_EQUAL(mh_game_new("general_mhing", "episode=game rounds=2 turn_limit=20 target=0", NULL, &game), MH_OK);
    const int search = mh_bot_index(game, "search:5", NULL);
    for (int i = 0; i < SEARCHED; i++) {
        seeds[i] = (uint64_t)i;
    }
    for (int i = 0; i < SEARCHED * game->sizes.seats; i++) {
        bots[i] = i % 3 ? i % 2 : search;
    }
    memset(&whole, 0, sizeof whole);
    memset(&found, 0, sizeof found);
    CHECK_EQUAL(play_pieces(game, seeds, bots, 1, 0, &whole), 1);
    CHECK(play_pieces(game, seeds, bots, 1, 1, &found) > 100);
    CHECK(memcmp(&whole, &found, sizeof whole) == 0);
    CHECK(play_pieces(game, seeds, bots, 3, 50, &found) > 1);
    CHECK(memcmp(&whole, &found, sizeof whole) == 0);
    const struct mh_outcomes none = {.pieces = {.memory = bots, .play_outs = 0}};
    CHECK_EQUAL(mh_game_play(game, SEARCHED, seeds, bots, 1, &none, NULL), MH_ERROR_ARGUMENT);
    for (int i = 0; i < SEARCHED * game->sizes.seats; i++) {
        bots[i] = i % 2;
    }
    CHECK_EQUAL(play_pieces(game, seeds, bots, 2, 1, &found), 1);
    mh_game_free(&game);
}

int main(void)
{
    test_pieces();
    variants_test(variants, sizeof variants / sizeof *variants, test_game);
    return 0;
}
