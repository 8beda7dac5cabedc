/* Batches: order of calls, who plays, rewards, illegal actions; a row is the game that its seed says. */
#include "check.h"

#include <string.h>

#include "mh_batch.h"

enum { ROWS = 37, SEATS = 4 };

struct client {
    struct mh_game *game;
    struct mh_sizes sizes;
    struct mh_batch *batch;
    int rows;
    int32_t *actions;
    uint8_t *observations;
    int8_t *masks;
    float *rewards;
    uint8_t *terminated;
    int8_t *seats;
    uint8_t *illegal;
    float *seat_rewards;
    int32_t *info;
};

static struct mh_batch_options options_of(int rows, int seat, int first_bot, int illegal, int autoreset)
{
    struct mh_batch_options options = {.rows = rows, .seat = seat, .illegal = illegal, .autoreset = autoreset};
    for (int i = 0; i < 6; i++) {
        options.players[i] = i == 0 ? MH_CALLER : first_bot;
    }
    return options;
}

static struct client open_client(const struct mh_batch_options *options, const char *game_options)
{
    char message[MH_MESSAGE_SIZE];
    struct client client = {.rows = options->rows};
    const size_t rows = (size_t)options->rows;
    CHECK_EQUAL(mh_game_new("mhing", game_options, message, &client.game), MH_OK);
    mh_game_sizes(client.game, &client.sizes);
    CHECK_EQUAL(mh_batch_new(client.game, options, message, &client.batch), MH_OK);
    client.actions = check_memory(rows * sizeof *client.actions);
    client.observations = check_memory(rows * (size_t)client.sizes.observation);
    client.masks = check_memory(rows * (size_t)client.sizes.actions);
    client.rewards = check_memory(rows * sizeof *client.rewards);
    client.terminated = check_memory(rows);
    client.seats = check_memory(rows);
    client.illegal = check_memory(rows);
    client.seat_rewards = check_memory(rows * (size_t)client.sizes.seats * sizeof(float));
    client.info = check_memory(rows * (size_t)client.sizes.info * sizeof(int32_t));
    const struct mh_buffers buffers = {client.actions, client.observations, client.masks,
                                       client.rewards, client.terminated,   client.seats,
                                       client.illegal, client.seat_rewards, client.info};
    CHECK_EQUAL(mh_batch_bind(client.batch, &buffers, message), MH_OK);
    return client;
}

static void close_client(struct client *client)
{
    mh_batch_free(&client->batch);
    mh_game_free(&client->game);
    free(client->actions);
    free(client->observations);
    free(client->masks);
    free(client->rewards);
    free(client->terminated);
    free(client->seats);
    free(client->illegal);
    free(client->seat_rewards);
    free(client->info);
}

static void reset(struct client *client, uint64_t first_seed)
{
    uint64_t seeds[ROWS];
    for (int row = 0; row < client->rows; row++) {
        seeds[row] = first_seed + (uint64_t)row;
    }
    CHECK_EQUAL(mh_batch_reset(client->batch, seeds, NULL, NULL), MH_OK);
}

static void test_order_of_calls(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options options = options_of(2, 0, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    const uint64_t seeds[2] = {1, 2};
    const uint8_t chosen[2] = {1, 0};
    struct mh_batch *bare = NULL;
    struct client client = open_client(&options, "");
    CHECK_EQUAL(mh_batch_new(client.game, &options, message, &bare), MH_OK);
    CHECK_EQUAL(mh_batch_reset(bare, seeds, NULL, message), MH_ERROR_ORDER);
    CHECK(strstr(message, "mh_batch_bind"));
    CHECK_EQUAL(mh_batch_step(bare, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_step(client.batch, message), MH_ERROR_ORDER);
    CHECK(strstr(message, "mh_batch_reset"));
    CHECK_EQUAL(mh_batch_reset(client.batch, NULL, NULL, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_reset(client.batch, seeds, chosen, message), MH_ERROR_ORDER);
    CHECK(!mh_batch_state(client.batch, 0) && mh_batch_own_seat(client.batch, 0) == -1);
    CHECK_EQUAL(mh_batch_reset(client.batch, seeds, NULL, message), MH_OK);
    CHECK(mh_batch_state(client.batch, 1) && !mh_batch_state(client.batch, 2));
    mh_batch_free(&bare);
    CHECK(!bare);
    close_client(&client);
}

static void test_options_that_do_not_fit(void)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game;
    struct mh_batch *batch = NULL;
    mh_game_new("mhing", "", message, &game);
    struct mh_batch_options options = options_of(0, 0, 1, 0, 0);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    options = options_of(1, 4, 1, 0, 0);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    options = options_of(1, 0, 2, 0, 0);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "players[1]"));
    options = options_of(1, 0, 1, 3, 0);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    options = options_of(1, 0, 1, 0, 2);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    options = options_of(1, 0, 1, 0, 0);
    options.players[0] = 0;
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    CHECK(!batch);
    mh_game_free(&game);
}

/* All seats the caller's: every row is the game that the state functions play from its seed with the same actions. */
static void test_rows_are_games(void)
{
    char message[MH_MESSAGE_SIZE];
    const struct mh_batch_options options =
        options_of(ROWS, -1, MH_CALLER, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "");
    const size_t size = (size_t)client.sizes.state;
    unsigned char *states = check_memory(ROWS * size);
    uint8_t *observation = check_memory((size_t)client.sizes.observation);
    int8_t *mask = check_memory((size_t)client.sizes.actions);
    reset(&client, 100);
    for (int row = 0; row < ROWS; row++) {
        CHECK_EQUAL(mh_state_reset(client.game, states + (size_t)row * size, 100 + (uint64_t)row, message), MH_OK);
    }
    for (int step = 0, over = 0; over < ROWS; step++) {
        CHECK_EQUAL(mh_batch_sample(client.batch, client.actions, message), MH_OK);
        for (int row = 0; row < ROWS; row++) {
            if (!client.terminated[row]) {
                CHECK_EQUAL(mh_state_apply(client.game, states + (size_t)row * size, client.actions[row], message),
                            MH_OK);
            }
        }
        CHECK_EQUAL(mh_batch_step(client.batch, message), MH_OK);
        over = 0;
        for (int row = 0; row < ROWS; row++) {
            const void *state = states + (size_t)row * size;
            const int seat =
                mh_state_seat(state) >= 0 ? mh_state_seat(state) : mh_batch_own_seat(client.batch, row);
            CHECK(memcmp(state, mh_batch_state(client.batch, row), size) == 0);
            CHECK_EQUAL(client.seats[row], seat);
            CHECK_EQUAL(client.terminated[row], mh_state_seat(state) < 0);
            mh_state_observe(client.game, state, seat, observation);
            mh_state_mask(client.game, state, mask);
            CHECK(memcmp(observation, client.observations + (size_t)row * (size_t)client.sizes.observation,
                         (size_t)client.sizes.observation) == 0);
            CHECK(memcmp(mask, client.masks + (size_t)row * (size_t)client.sizes.actions,
                         (size_t)client.sizes.actions) == 0);
            over += client.terminated[row];
        }
        CHECK(step < 1000);
    }
    free(states);
    free(observation);
    free(mask);
    close_client(&client);
}

/* The own seat's rewards are what its game returned, reported once, however many rows there are. */
static void test_rewards_and_row_counts(const char *game_options, int bot)
{
    const struct mh_batch_options many = options_of(ROWS, -1, bot, MH_ILLEGAL_TERMINATE, MH_AUTORESET_DISABLED);
    const struct mh_batch_options one = options_of(1, -1, bot, MH_ILLEGAL_TERMINATE, MH_AUTORESET_DISABLED);
    struct client batch = open_client(&many, game_options);
    struct client single = open_client(&one, game_options);
    double sums[ROWS] = {0};
    uint8_t over[ROWS] = {0};
    reset(&batch, 7);
    reset(&single, 7 + 5);
    for (int left = ROWS; left > 0;) {
        CHECK_EQUAL(mh_batch_sample(batch.batch, batch.actions, NULL), MH_OK);
        const int single_over = over[5];
        single.actions[0] = batch.actions[5];
        CHECK_EQUAL(mh_batch_step(batch.batch, NULL), MH_OK);
        if (!single_over) {
            CHECK_EQUAL(mh_batch_step(single.batch, NULL), MH_OK);
            CHECK(memcmp(single.observations, batch.observations + 5 * (size_t)batch.sizes.observation,
                         (size_t)batch.sizes.observation) == 0);
            CHECK(single.rewards[0] == batch.rewards[5] && single.terminated[0] == batch.terminated[5]);
        }
        for (int row = 0; row < ROWS; row++) {
            CHECK(!over[row] || batch.rewards[row] == 0);
            CHECK(over[row] || batch.seats[row] == mh_batch_own_seat(batch.batch, row));
            sums[row] += batch.rewards[row];
            if (batch.terminated[row] && !over[row]) {
                double returns[MH_MAX_SEATS];
                over[row] = 1;
                left--;
                mh_state_returns(batch.game, mh_batch_state(batch.batch, row), returns);
                CHECK(sums[row] == returns[mh_batch_own_seat(batch.batch, row)]);
            }
        }
    }
    close_client(&batch);
    close_client(&single);
}

static int an_illegal_action(const struct client *client, int row)
{
    int action = 0;
    while (client->masks[row * client->sizes.actions + action]) {
        action++;
    }
    return action;
}

static void test_illegal_actions(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    for (int policy = MH_ILLEGAL_TERMINATE; policy <= MH_ILLEGAL_RANDOM; policy++) {
        const struct mh_batch_options options = options_of(2, 1, 1, policy, MH_AUTORESET_DISABLED);
        struct client client = open_client(&options, "");
        reset(&client, 50);
        CHECK_EQUAL(mh_batch_sample(client.batch, client.actions, message), MH_OK);
        client.actions[1] = an_illegal_action(&client, 1);
        struct mh_head before = *mh_head(mh_batch_state(client.batch, 1));
        struct mh_head before_legal = *mh_head(mh_batch_state(client.batch, 0));
        const int status = mh_batch_step(client.batch, message);
        const struct mh_head after = *mh_head(mh_batch_state(client.batch, 1));
        const struct mh_head after_legal = *mh_head(mh_batch_state(client.batch, 0));
        if (policy == MH_ILLEGAL_RAISE) {
            CHECK_EQUAL(status, MH_ERROR_ACTION);
            CHECK(strstr(message, "row 1"));
            CHECK(after.decisions == before.decisions && after_legal.decisions == before_legal.decisions);
            client.actions[1] = 999999;
            CHECK_EQUAL(mh_batch_step(client.batch, message), MH_ERROR_ACTION);
        } else if (policy == MH_ILLEGAL_TERMINATE) {
            CHECK_EQUAL(status, MH_OK);
            CHECK(client.terminated[1] && client.illegal[1] && client.rewards[1] == -1);
            CHECK(client.seat_rewards[SEATS + 1] == -1 && after.decisions == before.decisions);
            CHECK(!client.illegal[0] && after_legal.decisions > before_legal.decisions);
            for (int action = 0; action < client.sizes.actions; action++) {
                CHECK(client.masks[client.sizes.actions + action] == 1);
            }
            CHECK_EQUAL(mh_batch_step(client.batch, message), MH_OK); /* a row that is over stays so, and earns 0 */
            CHECK(client.terminated[1] && client.rewards[1] == 0);
        } else {
            CHECK_EQUAL(status, MH_OK);
            CHECK(client.illegal[1] && after.decisions > before.decisions && client.rewards[1] >= 0);
        }
        close_client(&client);
    }
}

/* Seeds: given once, then each row goes on with its own sequence; autoreset walks the same one. */
static void test_seeds(void)
{
    const struct mh_batch_options by_hand = options_of(3, -1, 0, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    const struct mh_batch_options by_itself = options_of(3, -1, 0, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    struct client a = open_client(&by_hand, "");
    struct client b = open_client(&by_itself, "");
    uint64_t seen[3][20];
    uint64_t first[3];
    reset(&a, 900);
    for (int episode = 0; episode < 20; episode++) {
        for (int row = 0; row < 3; row++) {
            seen[row][episode] = mh_batch_seed(a.batch, row);
            CHECK(episode > 0 || seen[row][0] == 900 + (uint64_t)row);
            for (int before = 0; before < episode; before++) {
                CHECK(seen[row][before] != seen[row][episode]);
            }
        }
        CHECK_EQUAL(mh_batch_reset(a.batch, NULL, NULL, NULL), MH_OK);
    }
    reset(&b, 900);
    for (int row = 0; row < 3; row++) {
        first[row] = mh_batch_seed(b.batch, row);
        CHECK(first[row] == seen[row][0]);
    }
    int episodes[3] = {0};
    for (int step = 0; step < 500; step++) {
        mh_batch_sample(b.batch, b.actions, NULL);
        CHECK_EQUAL(mh_batch_step(b.batch, NULL), MH_OK);
        for (int row = 0; row < 3; row++) {
            CHECK(mh_state_seat(mh_batch_state(b.batch, row)) >= 0);
            if (b.terminated[row] && ++episodes[row] < 20) {
                CHECK(mh_batch_seed(b.batch, row) == seen[row][episodes[row]]);
            }
        }
    }
    CHECK(episodes[0] > 1 && episodes[1] > 1 && episodes[2] > 1);
    close_client(&a);
    close_client(&b);
}

int main(void)
{
    test_order_of_calls();
    test_options_that_do_not_fit();
    test_rows_are_games();
    test_rewards_and_row_counts("", 0);
    test_rewards_and_row_counts("", 1);
    test_rewards_and_row_counts("reward=chips episode=game scoring=chips rounds=6", 1);
    test_rewards_and_row_counts("num_players=3 reward=points episode=game target=30 rules=jmhing", 1);
    test_illegal_actions();
    test_seeds();
    return 0;
}
