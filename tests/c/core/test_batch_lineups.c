/* Lineups: each episode has one, drawn from its seed, and is the same as in a batch whose rows all have it. */
#include "batch_client.h"

enum { LINEUPS = 2, TURNS = 400, FIRST_SEED = 11 };

static const char *const bots[LINEUPS] = {"greedy", "random"};

static struct mh_batch_options options_with(const struct mh_game *game, int lineup, int autoreset)
{
    return options_of(ROWS, -1, mh_bot_index(game, bots[lineup], NULL), MH_ILLEGAL_TERMINATE, autoreset);
}

static int add(struct client *client, int player, char *message)
{
    const int32_t players[] = {MH_CALLER, player, player, player, 0, 0};
    return mh_batch_add_lineup(client->batch, players, message);
}

/* A batch with both lineups, and how likely they are. */
static struct client open_both(const struct mh_game *game, int autoreset, uint32_t first, uint32_t second)
{
    struct mh_batch_options options = options_with(game, 0, autoreset);
    options.threads = 3;
    struct client client = open_client(&options, "");
    const int32_t bot = mh_bot_index(client.game, bots[1], NULL);
    CHECK_EQUAL(add(&client, bot, NULL), 1);
    const uint32_t weights[] = {first, second};
    CHECK_EQUAL(mh_batch_weigh_lineups(client.batch, weights, LINEUPS, NULL), MH_OK);
    return client;
}

/* The seats' earnings are reported of every episode that ended, in the order of the rows. */
static void check_ended(const struct client *client, const int *lineups, int *ended)
{
    int32_t rows[ROWS];
    int32_t found[ROWS];
    double returns[ROWS * SEATS];
    const int count = mh_batch_ended(client->batch, rows, found, returns);
    CHECK_EQUAL(count, *client->final_count);
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(rows[i], client->final_rows[i]);
        CHECK_EQUAL(found[i], lineups[rows[i]]);
        for (int seat = 0; seat < SEATS; seat++) {
            const int64_t of = (client->final_seats[rows[i]] + seat) % SEATS;
            CHECK((float)returns[i * SEATS + seat] == client->final_rewards[rows[i] * SEATS + of]);
        }
        ended[found[i]]++;
    }
}

static void test_drawn(int autoreset)
{
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    struct client both = open_both(game, autoreset, 1, 2);
    struct client alone[LINEUPS];
    for (int i = 0; i < LINEUPS; i++) {
        const struct mh_batch_options options = options_with(game, i, autoreset);
        alone[i] = open_client(&options, "");
        reset(&alone[i], FIRST_SEED);
    }
    reset(&both, FIRST_SEED);
    int ended[LINEUPS] = {0};
    int is_first[ROWS];
    int lineups[ROWS];
    for (int row = 0; row < ROWS; row++) {
        is_first[row] = 1;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int row = 0; row < ROWS; row++) {
            lineups[row] = mh_batch_lineup(both.batch, row);
            if (is_first[row]) {
                check_same_view(&both, row, &alone[lineups[row]], row);
                check_same_report(&both, row, &alone[lineups[row]], row);
            }
        }
        choose(&both);
        step(&both);
        check_ended(&both, lineups, ended);
        for (int i = 0; i < LINEUPS; i++) {
            choose(&alone[i]);
            step(&alone[i]);
        }
        for (int row = 0; row < ROWS; row++) {
            is_first[row] &= !both.terminated[row];
        }
    }
    const int all = ended[0] + ended[1];
    CHECK(all > 200);
    CHECK(ended[1] > all / 2 && ended[1] < all * 5 / 6);
    close_client(&both);
    for (int i = 0; i < LINEUPS; i++) {
        close_client(&alone[i]);
    }
    mh_game_free(&game);
}

/* Episodes in play keep their players; a policy may join later, and what it is asked in can be taken back. */
static void test_changed(void)
{
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    struct client client = open_both(game, MH_AUTORESET_SAME_STEP, 0, 7);
    reset(&client, FIRST_SEED);
    CHECK_EQUAL(add(&client, MH_GUEST, NULL), LINEUPS);
    const uint32_t weights[] = {0, 0, 1};
    CHECK_EQUAL(mh_batch_weigh_lineups(client.batch, weights, LINEUPS + 1, NULL), MH_OK);
    uint8_t before[4096];
    uint8_t after[4096];
    CHECK((size_t)client.sizes.row <= sizeof before);
    int asked = 0;
    for (int turn = 0; turn < TURNS / 4; turn++) {
        CHECK_EQUAL(mh_batch_save_row(client.batch, 0, before, NULL), MH_OK);
        choose(&client);
        step(&client);
        int32_t rows[ROWS];
        int32_t actions[ROWS];
        if (mh_batch_waiting(client.batch, MH_GUEST, rows)) {
            char message[MH_MESSAGE_SIZE] = "";
            CHECK_EQUAL(add(&client, 0, message), MH_ERROR_ORDER);
            CHECK(strstr(message, "wait for guests"));
            mh_batch_undo(client.batch);
            CHECK_EQUAL(mh_batch_save_row(client.batch, 0, after, NULL), MH_OK);
            check_same(before, 0, after, 0, (size_t)client.sizes.row);
            choose(&client);
            step(&client);
        }
        for (int count; (count = mh_batch_waiting(client.batch, MH_GUEST, rows)) > 0;) {
            for (int i = 0; i < count; i++) {
                uint64_t random = 1;
                CHECK_EQUAL(mh_batch_lineup(client.batch, rows[i]), LINEUPS);
                CHECK_EQUAL(mh_state_bot_action(client.game, mh_batch_state(client.batch, rows[i]), 0, &random,
                                                &actions[rows[i]]),
                            MH_OK);
            }
            CHECK_EQUAL(mh_batch_answer(client.batch, actions, NULL), MH_OK);
            asked++;
        }
        for (int row = 0; turn == 0 && row < ROWS; row++) {
            CHECK_EQUAL(mh_batch_lineup(client.batch, row), client.terminated[row] ? LINEUPS : 1);
        }
    }
    CHECK(asked > TURNS / 4);
    close_client(&client);
    mh_game_free(&game);
}

static void test_saved(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    struct client one = open_both(game, MH_AUTORESET_SAME_STEP, 0, 1);
    struct client other = open_both(game, MH_AUTORESET_SAME_STEP, 1, 0);
    const struct mh_batch_options options = options_with(game, 0, MH_AUTORESET_SAME_STEP);
    struct client alone = open_client(&options, "");
    uint8_t snapshot[4096];
    CHECK((size_t)one.sizes.row <= sizeof snapshot);
    reset(&one, FIRST_SEED);
    reset(&other, 1);
    reset(&alone, 1);
    CHECK_EQUAL(mh_batch_save_row(one.batch, 2, snapshot, NULL), MH_OK);
    CHECK_EQUAL(mh_batch_load_row(other.batch, 5, snapshot, (size_t)one.sizes.row, NULL), MH_OK);
    CHECK_EQUAL(mh_batch_lineup(other.batch, 5), 1);
    check_same_view(&other, 5, &one, 2);
    CHECK_EQUAL(mh_batch_load_row(alone.batch, 5, snapshot, (size_t)one.sizes.row, message), MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "its lineup is number 1, this batch has 1"));
    close_client(&one);
    close_client(&other);
    close_client(&alone);
    mh_game_free(&game);
}

/* A batch with a single lineup reports earnings in steps after the lineups have been weighed. */
static void test_single(void)
{
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    const struct mh_batch_options options = options_with(game, 0, MH_AUTORESET_SAME_STEP);
    struct client client = open_client(&options, "");
    const uint32_t weights[] = {1};
    const int lineups[ROWS] = {0};
    int ended[LINEUPS] = {0};
    reset(&client, FIRST_SEED);
    do {
        choose(&client);
        step(&client);
    } while (!*client.final_count);
    CHECK_EQUAL(mh_batch_weigh_lineups(client.batch, weights, 1, NULL), MH_OK);
    CHECK_EQUAL(mh_batch_ended(client.batch, NULL, NULL, NULL), 0);
    for (int turn = 0; turn < TURNS; turn++) {
        choose(&client);
        step(&client);
        check_ended(&client, lineups, ended);
    }
    CHECK(ended[0] > 200);
    close_client(&client);
    mh_game_free(&game);
}

static void test_refused(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game;
    CHECK_EQUAL(mh_game_new("mhing", "", NULL, &game), MH_OK);
    struct client client = open_both(game, MH_AUTORESET_SAME_STEP, 1, 1);
    int32_t rows[ROWS];
    CHECK_EQUAL(mh_batch_lineup(client.batch, 0), -1);
    reset(&client, 1);
    CHECK_EQUAL(mh_batch_lineup(client.batch, ROWS), -1);
    CHECK_EQUAL(mh_batch_ended(client.batch, rows, rows, NULL), 0);
    CHECK_EQUAL(mh_batch_add_lineup(client.batch, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(add(&client, 99, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "players[1]: 99 is neither"));
    const uint32_t weights[] = {0, 0, 5};
    CHECK_EQUAL(mh_batch_weigh_lineups(client.batch, weights, LINEUPS + 1, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "weights: 3 given, there are 2 lineups"));
    CHECK_EQUAL(mh_batch_weigh_lineups(client.batch, weights, LINEUPS, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "weights: together they are not from 1 to 4294967295"));
    close_client(&client);
    mh_game_free(&game);
}

int main(void)
{
    test_drawn(MH_AUTORESET_SAME_STEP);
    test_drawn(MH_AUTORESET_NEXT_STEP);
    test_changed();
    test_saved();
    test_single();
    test_refused();
    return 0;
}
