/* Rounds that end in the same step as a later one of their row, told in order and each once: a row is followed by
 * hand. */
#include <string.h>

#include "batch_client.h"
#include "play/mh_bots.h"

enum { MOST = 64, FOLLOWED = 12 };

/* Rounds of a row as they ended, or as the batch told them. */
struct reported {
    int count;
    int finals[MOST];
    int64_t numbers[MOST][FOLLOWED];
};

static void tell(struct reported *reported, int is_final, const int64_t *numbers)
{
    CHECK(reported->count < MOST);
    reported->finals[reported->count] = is_final;
    memcpy(reported->numbers[reported->count++], numbers, sizeof reported->numbers[0]);
}

/* ---- By hand ---------------------------------------------------------------------------------------------- */

struct hand {
    struct mh_row row;
    uint64_t state[MH_MAX_STATE / sizeof(uint64_t)];
};

static void apply(const struct client *client, struct hand *hand, int action, struct reported *reported)
{
    const int32_t rounds = mh_state_rounds(hand->state);
    CHECK_EQUAL(mh_state_apply(client->game, hand->state, action, NULL), MH_OK);
    if (mh_state_rounds(hand->state) != rounds) {
        int64_t *numbers = check_memory((size_t)client->sizes.info * sizeof *numbers);
        CHECK_EQUAL(mh_state_rounds(hand->state), rounds + 1);
        CHECK_EQUAL(mh_state_info(client->game, hand->state, numbers), MH_OK);
        tell(reported, 0, numbers);
        free(numbers);
    }
}

static void let_bots_play(const struct client *client, struct hand *hand, struct reported *reported)
{
    int seat = mh_state_seat(hand->state);
    while (seat >= 0 && mh_batch_player(client->batch, &hand->row, seat) >= 0) {
        apply(client, hand,
              mh_bot_choose(client->game, mh_batch_player(client->batch, &hand->row, seat), hand->state,
                            &hand->row.rng),
              reported);
        seat = mh_state_seat(hand->state);
    }
}

/* The row's episode from its deal to the caller's first decision. */
static void begin(const struct client *client, int row, struct hand *hand, struct reported *reported)
{
    hand->row = client->batch->rows[row];
    hand->row.rng = mh_rng_bots(hand->row.seed);
    CHECK_EQUAL(mh_state_reset(client->game, hand->state, hand->row.seed, NULL), MH_OK);
    let_bots_play(client, hand, reported);
}

/* ---- By the batch ------------------------------------------------------------------------------------------ */

static void take_reported(const struct client *client, int row, struct reported *reported)
{
    enum { ROOM = 256 };
    static int32_t rows[ROOM];
    static uint8_t finals[ROOM];
    static int64_t numbers[ROOM * 64];
    const int info = client->sizes.info;
    const int count = mh_batch_earlier(client->batch, ROOM, rows, finals, numbers);
    CHECK(count >= 0 && count <= ROOM && info <= 64);
    CHECK_EQUAL(mh_batch_earlier(client->batch, 0, NULL, NULL, NULL), count);
    for (int i = 0; i < count; i++) {
        CHECK(rows[i] >= (i ? rows[i - 1] : 0) && rows[i] < client->rows);
        if (rows[i] == row && finals[i]) {
            tell(reported, 0, numbers + (size_t)i * (size_t)info);
        }
    }
    if (client->final_round_ended[row] && client->batch->options.autoreset == MH_AUTORESET_SAME_STEP) {
        tell(reported, 0, client->final_info + (size_t)row * (size_t)info);
    }
    for (int i = 0; i < count; i++) {
        if (rows[i] == row && !finals[i]) {
            tell(reported, 0, numbers + (size_t)i * (size_t)info);
        }
    }
    if (client->round_ended[row]) {
        tell(reported, 0, client->results + (size_t)row * (size_t)info);
    }
}

static void check_reported(const struct reported *expected, const struct reported *reported)
{
    CHECK_EQUAL(reported->count, expected->count);
    for (int i = 0; i < reported->count; i++) {
        CHECK(memcmp(reported->numbers[i], expected->numbers[i], sizeof reported->numbers[i]) == 0);
    }
}

/* ---- Comparison -------------------------------------------------------------------------------------------- */

static void follow(struct client *client, int row, struct hand *hand, int was_over, struct reported *expected)
{
    const int autoreset = client->batch->options.autoreset;
    if (was_over) {
        if (autoreset == MH_AUTORESET_NEXT_STEP) {
            begin(client, row, hand, expected);
        }
        return;
    }
    apply(client, hand, client->actions[row], expected);
    let_bots_play(client, hand, expected);
    if (client->terminated[row] && autoreset == MH_AUTORESET_SAME_STEP) {
        begin(client, row, hand, expected);
    }
}

static void test_rounds(const char *game_options, int autoreset, int threads)
{
    struct mh_batch_options options = options_of(ROWS, -1, 1, MH_ILLEGAL_RAISE, autoreset);
    static struct hand hands[ROWS];
    uint8_t over[ROWS];
    int several = 0;
    options.threads = threads;
    struct client client = open_client(&options, game_options);
    reset(&client, 70);
    for (int row = 0; row < ROWS; row++) {
        struct reported expected = {0}, reported = {0};
        begin(&client, row, &hands[row], &expected);
        take_reported(&client, row, &reported);
        check_reported(&expected, &reported);
        CHECK(client.has_results[row]);
    }
    for (int turn = 0; turn < 20000 && several < 12; turn++) {
        memcpy(over, client.terminated, ROWS);
        if (autoreset == MH_AUTORESET_SAME_STEP) {
            memset(over, 0, ROWS);
        }
        choose(&client);
        step(&client);
        for (int row = 0; row < ROWS; row++) {
            struct reported expected = {0}, reported = {0};
            follow(&client, row, &hands[row], over[row], &expected);
            take_reported(&client, row, &reported);
            check_reported(&expected, &reported);
            several += reported.count > 1 + (client.terminated[row] && autoreset == MH_AUTORESET_SAME_STEP);
        }
        if (autoreset == MH_AUTORESET_DISABLED) {
            memcpy(over, client.terminated, ROWS);
            CHECK_EQUAL(mh_batch_reset(client.batch, NULL, over, NULL), MH_OK);
            for (int row = 0; row < ROWS; row++) {
                struct reported expected = {0};
                if (over[row]) {
                    begin(&client, row, &hands[row], &expected);
                }
            }
        }
    }
    CHECK(several >= 12);
    close_client(&client);
}

int main(void)
{
    const char *many = "num_players=6 episode=game";
    test_rounds(many, MH_AUTORESET_DISABLED, 1);
    test_rounds(many, MH_AUTORESET_NEXT_STEP, 2);
    test_rounds(many, MH_AUTORESET_SAME_STEP, 3);
    CHECK_EQUAL(mh_batch_earlier(NULL, 0, NULL, NULL, NULL), MH_ERROR_ARGUMENT);
    return 0;
}
