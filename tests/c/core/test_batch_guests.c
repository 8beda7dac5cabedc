/* Guests: every byte is the same as if a bot had played inside the step; and calls that are taken back. */
#include "batch_client.h"

enum { TURNS = 120, KINDS = 2 };

static const char *const bots[KINDS] = {"greedy", "greedy"};

/* Two of the others are guests, two different ones; or the bots in whose way these play. */
static struct mh_batch_options options_with(const struct mh_game *game, int is_guest, int illegal, int autoreset)
{
    struct mh_batch_options options = options_of(ROWS, -1, mh_bot_index(game, "random", NULL), illegal, autoreset);
    for (int kind = 0; kind < KINDS; kind++) {
        options.players[1 + 2 * kind] = is_guest ? MH_GUEST - kind : mh_bot_index(game, bots[kind], NULL);
    }
    options.threads = is_guest ? 3 : 1;
    return options;
}

/* Has the bots answer for the guests once. Returns whether any row waited. */
static int answer_once(struct client *client, int32_t *actions)
{
    char message[MH_MESSAGE_SIZE] = "";
    int32_t rows[ROWS];
    int waiting = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        const int count = mh_batch_waiting(client->batch, MH_GUEST - kind, rows);
        for (int i = 0; i < count; i++) {
            uint64_t random = 1;
            const void *state = mh_batch_state(client->batch, rows[i]);
            CHECK_EQUAL(client->seats[rows[i]], mh_state_seat(state));
            CHECK_EQUAL(mh_state_bot_action(client->game, state, mh_bot_index(client->game, bots[kind], NULL),
                                            &random, &actions[rows[i]]),
                        MH_OK);
        }
        waiting += count;
    }
    if (waiting) {
        CHECK_EQUAL(mh_batch_answer(client->batch, actions, message), MH_OK);
    }
    return waiting;
}

static void answer(struct client *client)
{
    int32_t actions[ROWS];
    while (answer_once(client, actions)) {
    }
}

static void check_all_same(const struct client *a, const struct client *b)
{
    CHECK_EQUAL(*a->final_count, *b->final_count);
    for (int row = 0; row < ROWS; row++) {
        check_same_row(a, row, b, row);
        check_same(mh_batch_state(a->batch, row), 0, mh_batch_state(b->batch, row), 0, (size_t)a->sizes.state);
    }
}

/* The same choices in both; now and then an illegal one, or a step of some rows only. */
static void take_turn(struct client *guests, struct client *others, int turn)
{
    choose(others);
    choose(guests);
    check_same(guests->actions, 0, others->actions, 0, ROWS * sizeof *guests->actions);
    if (turn % 7 == 3) {
        guests->actions[turn % ROWS] = others->actions[turn % ROWS] = -1;
    }
    if (turn % 5 == 2) {
        uint8_t chosen[ROWS];
        for (int row = 0; row < ROWS; row++) {
            chosen[row] = (uint8_t)((row + turn) % 3 > 0);
        }
        CHECK_EQUAL(mh_batch_step_chosen(others->batch, chosen, NULL), MH_OK);
        CHECK_EQUAL(mh_batch_step_chosen(guests->batch, chosen, NULL), MH_OK);
        for (int row = 0; row < ROWS; row++) {
            CHECK(chosen[row] || (others->rewards[row] == 0 && !others->illegal[row] && !others->round_ended[row]));
        }
    } else {
        step(others);
        step(guests);
    }
    answer(guests);
    CHECK_EQUAL(*guests->changes, *others->changes);
}

static void test_same_as_bots(int illegal, int autoreset, const char *game_options)
{
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", game_options, NULL, &game), MH_OK);
    const struct mh_batch_options with_bots = options_with(game, 0, illegal, autoreset);
    const struct mh_batch_options with_guests = options_with(game, 1, illegal, autoreset);
    struct client others = open_client(&with_bots, game_options);
    struct client guests = open_client(&with_guests, game_options);
    int ends = 0;
    reset(&others, 5);
    reset(&guests, 5);
    answer(&guests);
    for (int turn = 0; turn < TURNS; turn++) {
        check_all_same(&guests, &others);
        take_turn(&guests, &others, turn);
        ends += *others.final_count;
        if (autoreset == MH_AUTORESET_DISABLED && *others.final_count) {
            uint8_t chosen[ROWS];
            memcpy(chosen, others.terminated, sizeof chosen);
            CHECK_EQUAL(mh_batch_reset(others.batch, NULL, chosen, NULL), MH_OK);
            CHECK_EQUAL(mh_batch_reset(guests.batch, NULL, chosen, NULL), MH_OK);
            answer(&guests);
        }
    }
    CHECK(ends > ROWS);
    close_client(&others);
    close_client(&guests);
    mh_game_free(&game);
}

/* Episodes that end before the caller is asked are skipped, no matter who plays. */
static void test_starts(void)
{
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    const int greedy = mh_bot_index(game, "greedy", NULL);
    const struct mh_batch_options with_bots =
        options_of(ROWS, -1, greedy, MH_ILLEGAL_TERMINATE, MH_AUTORESET_SAME_STEP);
    const struct mh_batch_options with_guests =
        options_of(ROWS, -1, MH_GUEST, MH_ILLEGAL_TERMINATE, MH_AUTORESET_SAME_STEP);
    struct client others = open_client(&with_bots, "");
    struct client guests = open_client(&with_guests, "");
    int skipped = 0;
    for (int i = 0; i < 40; i++) {
        reset(&others, (uint64_t)i * ROWS);
        reset(&guests, (uint64_t)i * ROWS);
        answer(&guests);
        check_all_same(&guests, &others);
        for (int row = 0; row < ROWS; row++) {
            skipped += others.seeds[row] != (uint64_t)i * ROWS + (uint64_t)row;
        }
    }
    CHECK(skipped > 0);
    close_client(&others);
    close_client(&guests);
    mh_game_free(&game);
}

static void check_refused(const struct client *client)
{
    char message[MH_MESSAGE_SIZE] = "";
    uint8_t chosen[ROWS] = {1};
    CHECK_EQUAL(mh_batch_step(client->batch, message), MH_ERROR_ORDER);
    CHECK(strstr(message, "rows wait for guests"));
    CHECK_EQUAL(mh_batch_step_chosen(client->batch, chosen, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_reset(client->batch, NULL, NULL, message), MH_ERROR_ORDER);
    CHECK_EQUAL(mh_batch_copy_row(client->batch, 0, 1, message), MH_ERROR_ORDER);
}

/* After an illegal answer, and after a good one: all rows are as they were before the call. */
static void test_undo(int illegal, int autoreset)
{
    char message[MH_MESSAGE_SIZE] = "";
    int32_t actions[ROWS];
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    const struct mh_batch_options options = options_with(game, 1, illegal, autoreset);
    struct client client = open_client(&options, "");
    struct client twin = open_client(&options, "");
    reset(&client, 9);
    CHECK(answer_once(&client, actions));
    mh_batch_undo(client.batch);
    CHECK_EQUAL(mh_batch_step(client.batch, message), MH_ERROR_ORDER);
    CHECK(strstr(message, "reset must come first"));
    CHECK_EQUAL(mh_batch_answer(client.batch, actions, message), MH_ERROR_ARGUMENT);
    reset(&client, 9);
    reset(&twin, 9);
    answer(&client);
    answer(&twin);
    for (int turn = 0; turn < TURNS / 4; turn++) {
        choose(&client);
        choose(&twin);
        step(&client);
        check_refused(&client);
        for (int row = 0; row < ROWS; row++) {
            actions[row] = -1;
        }
        CHECK_EQUAL(mh_batch_answer(client.batch, actions, message), MH_ERROR_ACTION);
        CHECK(strstr(message, "is not in 0..340"));
        if (turn % 2) {
            answer_once(&client, actions);
        }
        mh_batch_undo(client.batch);
        mh_batch_undo(client.batch); /* which then has nothing left to do */
        for (int row = 0; row < ROWS; row++) {
            check_same_view(&client, row, &twin, row);
            CHECK(client.rewards[row] == 0);
        }
        memcpy(client.actions, twin.actions, ROWS * sizeof *client.actions);
        step(&client);
        step(&twin);
        answer(&client);
        answer(&twin);
        check_all_same(&client, &twin);
    }
    close_client(&client);
    close_client(&twin);
    mh_game_free(&game);
}

static void test_numbers(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game;
    struct mh_batch *batch = NULL;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    struct mh_batch_options options = options_of(2, 0, MH_LAST_GUEST, MH_ILLEGAL_TERMINATE, MH_AUTORESET_DISABLED);
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_OK);
    CHECK_EQUAL(mh_batch_final_seats(batch), 1);
    mh_batch_free(&batch);
    options.players[3] = MH_LAST_GUEST - 1;
    CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "players[3]: -32769 is neither MH_CALLER, nor a guest's number, nor a bot's"));
    mh_game_free(&game);
}

int main(void)
{
    for (int autoreset = MH_AUTORESET_DISABLED; autoreset <= MH_AUTORESET_NEXT_STEP; autoreset++) {
        test_same_as_bots(MH_ILLEGAL_TERMINATE, autoreset, "");
        test_same_as_bots(MH_ILLEGAL_RANDOM, autoreset, "reward=chips scoring=chips episode=game rounds=2");
    }
    test_undo(MH_ILLEGAL_TERMINATE, MH_AUTORESET_SAME_STEP);
    test_undo(MH_ILLEGAL_RAISE, MH_AUTORESET_NEXT_STEP);
    test_starts();
    test_numbers();
    return 0;
}
