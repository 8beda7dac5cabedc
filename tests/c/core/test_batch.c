/* Batches: order of calls, who plays, rewards, illegal actions; a row is the game that its seed says. */
#include "batch_client.h"

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
    CHECK(strstr(message, "reset must come first"));
    CHECK_EQUAL(mh_batch_step(client.batch, message), MH_ERROR_ORDER);
    CHECK(strstr(message, "reset must come first"));
    CHECK_EQUAL(mh_batch_play(client.batch, 0), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_reset(client.batch, NULL, NULL, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_reset(client.batch, seeds, chosen, message), MH_ERROR_ORDER);
    CHECK(!mh_batch_state(client.batch, 0) && mh_batch_own_seat(client.batch, 0) == -1);
    CHECK(mh_batch_seed(client.batch, 0) == 0);
    CHECK_EQUAL(mh_batch_step(NULL, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "batch must not be NULL"));
    CHECK_EQUAL(mh_batch_reset(client.batch, seeds, NULL, message), MH_OK);
    CHECK(mh_batch_state(client.batch, 1) && !mh_batch_state(client.batch, 2));
    CHECK_EQUAL(mh_batch_play(NULL, 0), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_batch_play(client.batch, 0), MH_ERROR_ARGUMENT); /* it has two rows */
    mh_batch_free(&bare);
    CHECK(!bare);
    close_client(&client);
}

/* The table and the struct name the same arrays in the same places. */
static void test_table_of_buffers(void)
{
    const struct mh_sizes sizes = {.seats = 4, .actions = 9, .observation = 70, .info = 5};
    struct mh_buffers buffers = {.seats = NULL};
    struct mh_buffer array;
    int64_t seats[3];
    int found = 0;
    CHECK_EQUAL(mh_buffer_count(), MH_NUM_BUFFERS);
    for (int i = 0; i < mh_buffer_count(); i++) {
        CHECK_EQUAL(mh_buffer_at(i, &sizes, 3, 2, &array), MH_OK);
        CHECK(array.num_dims >= 1 && array.dims[0] == (array.num_dims == 1 && array.dims[0] == 1 ? 1 : 3));
        if (strcmp(array.name, "seats") == 0) {
            mh_buffers_set(&buffers, i, seats);
            CHECK(buffers.seats == seats && mh_buffers_get(&buffers, i) == seats);
            CHECK(array.is_seat && array.when == MH_WHEN_ALWAYS && mh_buffer_bytes(&array) == sizeof seats);
            found++;
        }
        if (strcmp(array.name, "final_observations") == 0) {
            CHECK(array.num_dims == 3 && array.dims[1] == 2 && array.dims[2] == 70 && !array.is_seat);
            CHECK(mh_buffer_line(&array) == 140 && array.when == MH_WHEN_PACKED);
            found++;
        }
    }
    CHECK_EQUAL(found, 2);
    CHECK_EQUAL(mh_buffer_at(-1, &sizes, 3, 2, &array), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_buffer_at(MH_NUM_BUFFERS, &sizes, 3, 2, &array), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_buffer_at(0, NULL, 3, 2, &array), MH_ERROR_ARGUMENT);
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
    options = options_of(1, 0, 99, 0, 0);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "players[1]"));
    options = options_of(1, 0, 1, 3, 0);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    options = options_of(1, 0, 1, 0, 3);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    options = options_of(1, 0, 1, 0, 0);
    options.threads = 0;
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "threads"));
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
        choose(&client);
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
    int brought[2] = {0};
    reset(&batch, 7);
    reset(&single, 7 + 5);
    for (int left = ROWS; left > 0;) {
        choose(&batch);
        const int single_over = over[5];
        CHECK_EQUAL(mh_batch_step(batch.batch, NULL), MH_OK);
        if (!single_over) {
            const int result = mh_batch_play(single.batch, batch.actions[5]);
            CHECK_EQUAL(result, single.rewards[0] != 0 || *single.changes != 0);
            CHECK_EQUAL(single.actions[0], batch.actions[5]);
            brought[result]++;
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
    CHECK(brought[0] && brought[1]);
    close_client(&batch);
    close_client(&single);
}

static void test_illegal_actions(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    for (int policy = MH_ILLEGAL_TERMINATE; policy <= MH_ILLEGAL_RANDOM; policy++) {
        const struct mh_batch_options options = options_of(2, 1, 1, policy, MH_AUTORESET_DISABLED);
        struct client client = open_client(&options, "");
        reset(&client, 50);
        choose(&client);
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
            CHECK(client.final_rewards[SEATS + 1] == -1 && after.decisions == before.decisions);
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

/* Seeds: given once, then each row takes the next of its sequence; autoreset takes the same seeds. */
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
        choose(&b);
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

static void check_nothing_final(const struct client *client, int row)
{
    CHECK_EQUAL(final_place(client, row), -1);
    for (int seat = 0; seat < SEATS; seat++) {
        CHECK(client->final_rewards[row * SEATS + seat] == 0);
    }
    CHECK(client->final_seats[row] == 0 && client->final_seeds[row] == 0 && client->final_round_ended[row] == 0);
    for (int i = 0; i < client->sizes.info; i++) {
        CHECK_EQUAL(client->final_info[row * client->sizes.info + i], 0);
    }
}

/* The public numbers are the state's; results are there when a round has ended or an episode has begun. */
static void check_numbers(const struct client *client, int row)
{
    int64_t *numbers = check_memory((size_t)client->sizes.info * sizeof *numbers);
    CHECK_EQUAL(mh_state_info(client->game, mh_batch_state(client->batch, row), numbers), MH_OK);
    for (int i = 0; i < client->sizes.info; i++) {
        const int place = row * client->sizes.info + i;
        CHECK_EQUAL(client->info[place], numbers[i]);
        CHECK_EQUAL(client->results[place], client->has_results[row] ? numbers[i] : 0);
    }
    free(numbers);
}

/* Plays until every row has ended twice or more; DISABLED shows the end, SAME_STEP the next start and keeps the end
 * for the final arrays. */
/* Rows whose first seeds follow one another, as they do in most batches, play no episode that another row plays. */
static void test_no_seed_comes_twice(void)
{
    enum { EPISODES = 20 };
    const struct mh_batch_options options = options_of(ROWS, -1, 0, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "");
    uint64_t seen[EPISODES * ROWS];
    int count = 0;
    reset(&client, 3);
    for (int episode = 0; episode < EPISODES; episode++) {
        for (int row = 0; row < ROWS; row++) {
            const uint64_t seed = mh_batch_seed(client.batch, row);
            for (int i = 0; i < count; i++) {
                CHECK(seen[i] != seed);
            }
            seen[count++] = seed;
        }
        CHECK_EQUAL(mh_batch_reset(client.batch, NULL, NULL, NULL), MH_OK);
    }
    close_client(&client);
}

static void test_finals(const char *game_options, const int32_t *players, int illegal)
{
    struct mh_batch_options options = options_of(ROWS, -1, MH_CALLER, illegal, MH_AUTORESET_DISABLED);
    memcpy(options.players, players, SEATS * sizeof *players);
    struct client ends = open_client(&options, game_options);
    options.autoreset = MH_AUTORESET_SAME_STEP;
    struct client starts = open_client(&options, game_options);
    const size_t size = (size_t)ends.sizes.observation;
    uint8_t *observation = check_memory(size);
    int episodes[ROWS] = {0};
    reset(&ends, 4000);
    reset(&starts, 4000);
    for (int left = ROWS, turn = 0; left > 0; turn++) {
        choose(&ends);
        if (illegal == MH_ILLEGAL_TERMINATE && turn % 20 == 19) {
            ends.actions[turn % ROWS] = an_illegal_action(&ends, turn % ROWS);
        }
        choose(&starts);
        memcpy(starts.actions, ends.actions, ROWS * sizeof *ends.actions);
        step(&ends);
        step(&starts);
        int changes = 0;
        int count = 0;
        for (int row = 0; row < ROWS; row++) {
            count += ends.terminated[row];
            changes += ends.terminated[row] || ends.round_ended[row] || ends.illegal[row];
        }
        CHECK(*ends.changes == changes && *starts.changes == changes);
        CHECK(*ends.final_count == count && *starts.final_count == count);
        for (int row = 0; row < ROWS; row++) {
            check_same_report(&ends, row, &starts, row);
            if (ends.terminated[row]) {
                const int seats = mh_batch_final_seats(ends.batch);
                const int own = mh_batch_own_seat(ends.batch, row);
                for (int i = 0; i < seats; i++) {
                    const void *state = mh_batch_state(ends.batch, row);
                    CHECK_EQUAL(mh_state_observe(ends.game, state, seats == 1 ? own : i, observation), MH_OK);
                    check_same(starts.final_observations, final_place(&starts, row) * seats + i, observation, 0,
                               size);
                }
                check_same(starts.final_info, row, ends.info, row, (size_t)ends.sizes.info * sizeof *ends.info);
                CHECK_EQUAL(ends.seats[row], own);
                CHECK_EQUAL(starts.final_seats[row], own);
                CHECK(starts.final_seeds[row] == ends.seeds[row]);
                CHECK_EQUAL(starts.final_round_ended[row], ends.round_ended[row]);
                CHECK(ends.final_rewards[row * SEATS + own] == ends.rewards[row]);
                left -= ++episodes[row] == 2;
            } else {
                check_same_round(&ends, row, &starts, row);
                check_nothing_final(&starts, row);
            }
            check_numbers(&ends, row);
            check_same_finals(&ends, row, &starts, row);
        }
        uint8_t ended[ROWS];
        memcpy(ended, ends.terminated, ROWS);
        CHECK_EQUAL(mh_batch_reset(ends.batch, NULL, ended, NULL), MH_OK);
        for (int row = 0; row < ROWS; row++) {
            check_same_view(&ends, row, &starts, row);
        }
    }
    free(observation);
    close_client(&ends);
    close_client(&starts);
}

/* NEXT_STEP equals DISABLED where rows that are over are reset instead of stepped. */
static void test_next_step(int others, int illegal)
{
    struct mh_batch_options options = options_of(ROWS, 2, others, illegal, MH_AUTORESET_DISABLED);
    struct client by_hand = open_client(&options, "");
    options.autoreset = MH_AUTORESET_NEXT_STEP;
    struct client by_itself = open_client(&options, "");
    int ended = 0;
    int begun = 0;
    reset(&by_hand, 600);
    reset(&by_itself, 600);
    for (int turn = 0; turn < 300; turn++) {
        uint8_t over[ROWS];
        memcpy(over, by_hand.terminated, ROWS);
        choose(&by_hand);
        choose(&by_itself);
        for (int row = 0; row < ROWS; row++) {
            CHECK_EQUAL(by_hand.actions[row], by_itself.actions[row]);
            CHECK(!over[row] || by_itself.masks[row * by_itself.sizes.actions] == 1);
            by_itself.actions[row] = over[row] ? -7 : by_itself.actions[row];
            begun += over[row];
        }
        step(&by_hand);
        CHECK_EQUAL(mh_batch_reset(by_hand.batch, NULL, over, NULL), MH_OK);
        step(&by_itself);
        for (int row = 0; row < ROWS; row++) {
            check_same_row(&by_hand, row, &by_itself, row);
            CHECK_EQUAL(by_itself.terminated[row], mh_state_seat(mh_batch_state(by_itself.batch, row)) < 0);
            CHECK(!over[row] || (by_itself.rewards[row] == 0 && !by_itself.terminated[row]));
            ended += by_itself.terminated[row];
        }
    }
    CHECK(ended > ROWS && begun > ROWS);
    close_client(&by_hand);
    close_client(&by_itself);
}

/* A seat's `rewards` when it is to act and its `final_rewards` at the end are all that it earned. */
static void test_seat_rewards(const char *game_options)
{
    const struct mh_batch_options options = options_of(ROWS, 1, MH_CALLER, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, game_options);
    double reported[ROWS][SEATS] = {{0}};
    uint8_t over[ROWS] = {0};
    int waiting = 0;
    reset(&client, 31);
    for (int left = ROWS; left > 0;) {
        choose(&client);
        step(&client);
        for (int row = 0; row < ROWS; row++) {
            const float *earned = client.final_rewards + (size_t)row * SEATS;
            const int seat = client.seats[row];
            if (!client.terminated[row]) {
                reported[row][seat] += client.rewards[row];
                waiting += client.rewards[row] != 0;
                CHECK(earned[seat] == 0);
                continue;
            }
            CHECK(earned[seat] == client.rewards[row]);
            for (int i = 0; i < SEATS; i++) {
                double returns[MH_MAX_SEATS];
                reported[row][i] += earned[i];
                mh_state_returns(client.game, mh_batch_state(client.batch, row), returns);
                CHECK(reported[row][i] == returns[i] && (!over[row] || earned[i] == 0));
            }
            left -= !over[row];
            over[row] = 1;
        }
    }
    CHECK(waiting > 0 || strstr(game_options, "episode=game") == NULL);
    close_client(&client);
}

/* Bytes of an array that a step writes; those of ends only have entries for episodes that ended. */
static size_t written(const struct client *client, int index, const struct mh_buffer *array)
{
    const int is_packed =
        array->when == MH_WHEN_PACKED || mh_buffers_get(&client->buffers, index) == client->final_rows;
    const size_t lines = array->when == MH_WHEN_NEVER ? 0 : is_packed ? (size_t)*client->final_count : 1;
    return lines * (is_packed ? mh_buffer_line(array) : mh_buffer_bytes(array));
}

static void check_twins(const struct client *a, const struct client *b)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        struct mh_buffer array;
        CHECK_EQUAL(mh_buffer_at(i, &a->sizes, a->rows, mh_batch_final_seats(a->batch), &array), MH_OK);
        CHECK(memcmp(mh_buffers_get(&a->buffers, i), mh_buffers_get(&b->buffers, i), written(a, i, &array)) == 0);
    }
    for (int row = 0; row < a->rows; row++) {
        CHECK(memcmp(mh_batch_state(a->batch, row), mh_batch_state(b->batch, row), a->batch->stride) == 0);
    }
    CHECK_EQUAL(mh_batch_earlier(a->batch, 0, NULL, NULL, NULL), mh_batch_earlier(b->batch, 0, NULL, NULL, NULL));
}

/* Steps and resets in slices are steps and resets, whatever the slices. */
static void test_slices(const char *game_options, int others, int autoreset, int slice)
{
    const struct mh_batch_options options = options_of(ROWS, -1, others, MH_ILLEGAL_TERMINATE, autoreset);
    struct client whole = open_client(&options, game_options);
    struct client sliced = open_client(&options, game_options);
    char message[MH_MESSAGE_SIZE];
    uint64_t seeds[ROWS];
    uint8_t chosen[ROWS];
    int ends = 0;
    CHECK_EQUAL(mh_batch_begin_step(sliced.batch, message), MH_ERROR_ORDER);
    for (int row = 0; row < ROWS; row++) {
        seeds[row] = 900 + (uint64_t)row;
        chosen[row] = (uint8_t)(row % 3 == 1);
    }
    for (int step = 0; step < 400; step++) {
        const int is_step = step % 100 != 0;
        const uint8_t *some = step == 0 ? NULL : chosen;
        if (is_step) {
            choose(&whole);
            choose(&sliced);
            CHECK_EQUAL(mh_batch_step(whole.batch, message), MH_OK);
            CHECK_EQUAL(mh_batch_begin_step(sliced.batch, message), MH_OK);
        } else {
            CHECK_EQUAL(mh_batch_reset(whole.batch, seeds, some, message), MH_OK);
            CHECK_EQUAL(mh_batch_begin_reset(sliced.batch, seeds, some, message), MH_OK);
        }
        for (int left = ROWS; left > 0;) {
            const int now = mh_batch_continue(sliced.batch, slice);
            CHECK_EQUAL(now, left > slice ? left - slice : 0);
            left = now;
        }
        check_twins(&whole, &sliced);
        ends += is_step ? *whole.final_count : 0;
    }
    CHECK(ends > ROWS);
    close_client(&whole);
    close_client(&sliced);
}

int main(void)
{
    static const int32_t alone[SEATS] = {MH_CALLER, 0, 1, 0};
    static const int32_t mixed[SEATS] = {MH_CALLER, 1, MH_CALLER, 0};
    static const int32_t all[SEATS] = {MH_CALLER, MH_CALLER, MH_CALLER, MH_CALLER};

    test_order_of_calls();
    test_table_of_buffers();
    test_options_that_do_not_fit();
    test_rows_are_games();
    test_rewards_and_row_counts("", 0);
    test_rewards_and_row_counts("", 1);
    test_rewards_and_row_counts("reward=chips episode=game scoring=chips rounds=6", 1);
    test_rewards_and_row_counts("num_players=3 reward=points episode=game target=30 rules=jmhing", 1);
    test_illegal_actions();
    test_seeds();
    test_no_seed_comes_twice();
    test_finals("", alone, MH_ILLEGAL_TERMINATE);
    test_finals("reward=points episode=game rounds=2", mixed, MH_ILLEGAL_RANDOM);
    test_finals("", all, MH_ILLEGAL_TERMINATE);
    test_next_step(0, MH_ILLEGAL_RAISE);
    test_next_step(MH_CALLER, MH_ILLEGAL_TERMINATE);
    test_seat_rewards("");
    test_seat_rewards("reward=points episode=game rounds=4");
    test_slices("", 1, MH_AUTORESET_SAME_STEP, 1);
    test_slices("", MH_CALLER, MH_AUTORESET_SAME_STEP, 5);
    test_slices("reward=points episode=game rounds=2", 0, MH_AUTORESET_NEXT_STEP, ROWS - 1);
    test_slices("num_players=3", 1, MH_AUTORESET_SAME_STEP, ROWS + 1);
    return 0;
}
