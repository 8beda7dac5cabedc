/* Rows saved, loaded and copied: they continue as the original would have, and damaged bytes are refused. */
#include "batch_client.h"

enum { FEW = 5 };

static uint8_t *save(const struct client *client, int row)
{
    char message[MH_MESSAGE_SIZE];
    uint8_t *snapshot = check_memory((size_t)client->sizes.row);
    CHECK_EQUAL(mh_batch_save_row(client->batch, row, snapshot, message), MH_OK);
    return snapshot;
}

static int load(const struct client *client, int row, const uint8_t *snapshot, char *message)
{
    return mh_batch_load_row(client->batch, row, snapshot, (size_t)client->sizes.row, message);
}

static void take_turn(struct client *client)
{
    choose(client);
    step(client);
}

static void check_goes_on(struct client *a, int row_a, struct client *b, int row_b)
{
    check_same_view(a, row_a, b, row_b);
    for (int turn = 0; turn < 150; turn++) {
        take_turn(a);
        if (a != b) {
            take_turn(b);
        }
        CHECK_EQUAL(a->actions[row_a], b->actions[row_b]);
        check_same_view(a, row_a, b, row_b);
        check_same_report(a, row_a, b, row_b);
        if (a->terminated[row_a]) {
            check_same_finals(a, row_a, b, row_b);
        }
        CHECK(mh_batch_seed(a->batch, row_a) == mh_batch_seed(b->batch, row_b));
    }
}

/* From the first turn, from the middle and from an end; a batch of one row continues as the row of many did. */
static void test_goes_on(int seat, int others, int autoreset)
{
    const struct mh_batch_options many = options_of(FEW, seat, others, MH_ILLEGAL_TERMINATE, autoreset);
    const struct mh_batch_options one = options_of(1, seat, others, MH_ILLEGAL_TERMINATE, autoreset);
    struct client client = open_client(&many, "reward=points episode=game rounds=2");
    struct client single = open_client(&one, "reward=points episode=game rounds=2");
    char message[MH_MESSAGE_SIZE] = "";
    reset(&client, 20);
    reset(&single, 99);
    for (int turn = 0; turn < 40; turn++) {
        if (turn % 13 == 0) {
            const int from = turn % FEW;
            const int to = (from + 3) % FEW;
            uint8_t *snapshot = save(&client, from);
            CHECK_EQUAL(load(&single, 0, snapshot, message), MH_OK);
            CHECK(single.rewards[0] == 0 && !single.illegal[0]);
            CHECK_EQUAL(single.terminated[0], mh_state_seat(mh_batch_state(client.batch, from)) < 0);
            check_goes_on(&client, from, &single, 0);
            CHECK_EQUAL(load(&client, from, snapshot, message), MH_OK);
            uint8_t *again = save(&client, from);
            CHECK(memcmp(snapshot, again, (size_t)client.sizes.row) == 0);
            CHECK_EQUAL(mh_batch_copy_row(client.batch, from, to, message), MH_OK);
            check_goes_on(&client, from, &client, to);
            free(snapshot);
            free(again);
        }
        take_turn(&client);
    }
    close_client(&client);
    close_client(&single);
}

/* A row whose episode an illegal action has ended, of another seat than the own one, stays over when loaded. */
static void test_over(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_batch_options options = options_of(2, 2, MH_CALLER, MH_ILLEGAL_TERMINATE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "");
    options.autoreset = MH_AUTORESET_SAME_STEP;
    struct client same_step = open_client(&options, "");
    options.autoreset = MH_AUTORESET_NEXT_STEP;
    options.illegal = MH_ILLEGAL_RAISE;
    struct client raising = open_client(&options, "");
    reset(&client, 3);
    reset(&same_step, 3);
    reset(&raising, 3);
    choose(&client);
    client.actions[0] = an_illegal_action(&client, 0);
    const int loser = client.seats[0];
    step(&client);
    CHECK(loser != 2 && client.final_rewards[loser] == -1 && client.rewards[0] == 0);
    uint8_t *snapshot = save(&client, 0);
    CHECK_EQUAL(load(&client, 1, snapshot, message), MH_OK);
    CHECK(client.terminated[1] && client.masks[client.sizes.actions] == 1);
    check_same_view(&client, 0, &client, 1);
    take_turn(&client);
    CHECK(client.terminated[1] && client.rewards[1] == 0);
    CHECK_EQUAL(load(&same_step, 0, snapshot, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "is over"));
    CHECK_EQUAL(load(&raising, 0, snapshot, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "an illegal action"));
    free(snapshot);
    close_client(&client);
    close_client(&same_step);
    close_client(&raising);
}

static void test_rows_that_do_not_fit(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options second = options_of(2, 1, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_NEXT_STEP);
    const struct mh_batch_options third = options_of(2, 2, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_NEXT_STEP);
    const struct mh_batch_options all = options_of(2, 1, MH_CALLER, MH_ILLEGAL_RAISE, MH_AUTORESET_NEXT_STEP);
    struct client client = open_client(&second, "");
    struct client other_seat = open_client(&third, "");
    struct client self_play = open_client(&all, "");
    struct client other_game = open_client(&second, "rules=jmhing");
    uint8_t *unused = check_memory((size_t)client.sizes.row);
    CHECK_EQUAL(mh_batch_save_row(client.batch, 0, unused, message), MH_ERROR_ORDER);
    CHECK_EQUAL(load(&client, 0, unused, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_copy_row(client.batch, 0, 1, message), MH_ERROR_ORDER);
    reset(&client, 3);
    reset(&other_seat, 3);
    reset(&self_play, 3);
    reset(&other_game, 3);
    uint8_t *snapshot = save(&client, 0);
    CHECK_EQUAL(mh_batch_save_row(client.batch, 2, unused, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_batch_save_row(client.batch, 0, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(load(&client, -1, snapshot, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "row: -1 is not in 0..1"));
    CHECK_EQUAL(mh_batch_copy_row(client.batch, 0, 2, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "to: 2 is not in 0..1"));
    CHECK_EQUAL(mh_batch_copy_row(client.batch, 2, 0, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_batch_load_row(client.batch, 0, snapshot, (size_t)client.sizes.row - 1, message),
                MH_ERROR_SNAPSHOT);
    CHECK_EQUAL(load(&client, 0, NULL, message), MH_ERROR_SNAPSHOT);
    CHECK_EQUAL(load(&client, 0, unused, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "no snapshot of a row"));
    CHECK_EQUAL(load(&other_seat, 0, snapshot, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "its own seat is 1, in this batch it would be 2"));
    CHECK_EQUAL(load(&other_game, 0, snapshot, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "other options"));
    CHECK_EQUAL(load(&self_play, 0, snapshot, message), MH_OK);
    while (self_play.seats[0] == 1) {
        take_turn(&self_play);
    }
    free(snapshot);
    snapshot = save(&self_play, 0);
    CHECK_EQUAL(load(&client, 0, snapshot, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "is to act"));
    free(snapshot);
    free(unused);
    close_client(&client);
    close_client(&other_seat);
    close_client(&self_play);
    close_client(&other_game);
}

/* Every byte of the record is looked at, but for the bots' generator, which may hold anything, and rewards, any
 * number. */
static void test_damaged_rows(void)
{
    enum { RECORD = 72, GENERATOR = 32, REWARDS = 40, REWARDS_END = 64 };
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options options = options_of(2, -1, MH_CALLER, MH_ILLEGAL_RAISE, MH_AUTORESET_NEXT_STEP);
    struct client client = open_client(&options, "reward=points");
    struct mh_rng rng = {4};
    reset(&client, 12);
    for (int turn = 0; turn < 30; turn++) {
        take_turn(&client);
    }
    uint8_t *good = save(&client, 0);
    uint8_t *bad = check_memory((size_t)client.sizes.row);
    for (int round = 0; round < 3000; round++) {
        const int place = round < RECORD ? round : (int)mh_rng_below(&rng, (uint32_t)client.sizes.row);
        const int any_value = place >= GENERATOR && place < REWARDS_END;
        memcpy(bad, good, (size_t)client.sizes.row);
        bad[place] ^= (uint8_t)(1 + mh_rng_below(&rng, 255));
        if (load(&client, 0, bad, message) == MH_OK) {
            CHECK(place >= RECORD || any_value);
            for (int turn = 0; turn < 5; turn++) { /* what is accepted can be played */
                take_turn(&client);
            }
            CHECK_EQUAL(load(&client, 0, good, message), MH_OK);
        } else {
            uint8_t *still = save(&client, 0);
            CHECK(place < GENERATOR || place >= REWARDS);
            CHECK(memcmp(still, good, (size_t)client.sizes.row) == 0);
            free(still);
        }
    }
    const float impossible = 1.0F / 0.0F;
    memcpy(bad, good, (size_t)client.sizes.row);
    memcpy(bad + REWARDS, &impossible, sizeof impossible);
    mh_order(bad + REWARDS, 1, sizeof impossible);
    CHECK_EQUAL(load(&client, 0, bad, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "seat 0 cannot have earned inf"));
    free(good);
    free(bad);
    close_client(&client);
}

/* Rewards that a seat has not been told are kept, and told when it is to act. */
static void test_pending_rewards(void)
{
    enum { REWARDS = 40, EARNED = 1000 };
    const float earned = EARNED;
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options options = options_of(1, 0, MH_CALLER, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "reward=points");
    reset(&client, 12);
    const int seat = (client.seats[0] + 1) % SEATS;
    uint8_t *snapshot = save(&client, 0);
    memcpy(snapshot + REWARDS + (size_t)seat * sizeof earned, &earned, sizeof earned);
    mh_order(snapshot + REWARDS + (size_t)seat * sizeof earned, 1, sizeof earned);
    CHECK_EQUAL(load(&client, 0, snapshot, message), MH_OK);
    CHECK(client.rewards[0] == 0);
    do {
        take_turn(&client);
        CHECK(client.rewards[0] == (client.seats[0] == seat ? EARNED : 0));
    } while (client.seats[0] != seat);
    do {
        take_turn(&client);
        CHECK(client.rewards[0] == 0);
    } while (client.seats[0] != seat);
    free(snapshot);
    close_client(&client);
}

/* The rows hide what their states hide. */
static void test_omniscient(int autoreset)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options options = options_of(FEW, -1, 0, MH_ILLEGAL_TERMINATE, autoreset);
    struct client client = open_client(&options, "");
    const size_t size = (size_t)client.sizes.omniscient;
    uint8_t *all = check_memory(FEW * size);
    uint8_t *one = check_memory(size);
    CHECK_EQUAL(mh_batch_omniscient(client.batch, all, message), MH_ERROR_ORDER);
    reset(&client, 30);
    CHECK_EQUAL(mh_batch_omniscient(client.batch, NULL, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "omniscient must not be NULL"));
    for (int turn = 0; turn < 100; turn++) {
        CHECK_EQUAL(mh_batch_omniscient(client.batch, all, message), MH_OK);
        for (int row = 0; row < FEW; row++) {
            CHECK_EQUAL(mh_state_omniscient(client.game, mh_batch_state(client.batch, row), one), MH_OK);
            check_same(all, row, one, 0, size);
        }
        take_turn(&client);
    }
    free(all);
    free(one);
    close_client(&client);
}

/* Steps to other arrays leave those of the batch alone; what they show can be asked for at any time. */
static void test_other_arrays(int autoreset)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options options = options_of(FEW, -1, 0, MH_ILLEGAL_TERMINATE, autoreset);
    struct client plain = open_client(&options, "");
    struct client other = open_client(&options, "");
    const size_t seen = FEW * (size_t)plain.sizes.observation;
    const size_t legal = FEW * (size_t)plain.sizes.actions;
    const size_t info_size = FEW * (size_t)plain.sizes.info * sizeof(int64_t);
    uint8_t *observations = check_memory(seen);
    int8_t *masks = check_memory(legal);
    int64_t *results = check_memory(info_size);
    CHECK_EQUAL(mh_batch_step_to(other.batch, observations, masks, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_results(other.batch, results, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_observe(other.batch, observations, masks, message), MH_ERROR_ORDER);
    reset(&plain, 30);
    reset(&other, 30);
    CHECK_EQUAL(mh_batch_step_to(other.batch, observations, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_batch_observe(other.batch, NULL, masks, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "observations and masks must not be NULL"));
    CHECK_EQUAL(mh_batch_results(other.batch, NULL, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "results must not be NULL"));
    memset(other.observations, 7, seen);
    for (int turn = 0; turn < 300; turn++) {
        CHECK_EQUAL(mh_batch_choose(other.batch, NULL, MH_LOGITS, other.actions, message), MH_OK);
        memcpy(plain.actions, other.actions, FEW * sizeof *plain.actions);
        CHECK_EQUAL(mh_batch_step(plain.batch, message), MH_OK);
        CHECK_EQUAL(mh_batch_step_to(other.batch, observations, masks, message), MH_OK);
        for (int twice = 0; twice < 2; twice++) {
            CHECK(memcmp(observations, plain.observations, seen) == 0);
            CHECK(memcmp(masks, plain.masks, legal) == 0);
            CHECK_EQUAL(mh_batch_observe(other.batch, observations, masks, message), MH_OK);
        }
        CHECK_EQUAL(other.observations[seen - 1], 7);
        memset(results, 7, info_size);
        CHECK_EQUAL(mh_batch_results(other.batch, results, message), MH_OK);
        CHECK(memcmp(results, plain.results, info_size) == 0);
    }
    free(observations);
    free(masks);
    free(results);
    close_client(&plain);
    close_client(&other);
}

int main(void)
{
    for (int autoreset = MH_AUTORESET_SAME_STEP; autoreset <= MH_AUTORESET_NEXT_STEP; autoreset++) {
        test_other_arrays(autoreset);
    }
    for (int autoreset = MH_AUTORESET_DISABLED; autoreset <= MH_AUTORESET_NEXT_STEP; autoreset++) {
        test_omniscient(autoreset);
    }
    for (int autoreset = MH_AUTORESET_SAME_STEP; autoreset <= MH_AUTORESET_NEXT_STEP; autoreset++) {
        test_goes_on(-1, 1, autoreset);
        test_goes_on(0, 0, autoreset);
        test_goes_on(2, MH_CALLER, autoreset);
    }
    test_over();
    test_pending_rewards();
    test_rows_that_do_not_fit();
    test_damaged_rows();
    return 0;
}
