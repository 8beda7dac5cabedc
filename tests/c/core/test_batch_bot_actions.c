/* A bot that is asked for every row of a batch gives what it gives for their states, and changes nothing. */
#include "batch_client.h"

#include <stdlib.h>

enum { TURNS = 12, RANDOM = 99 };

/* `stays_over`: a row whose episode has ended is not dealt again in the same step. */
static void check_actions(const struct client *client, const char *name, int stays_over)
{
    char message[MH_MESSAGE_SIZE] = "";
    int32_t actions[ROWS];
    const int bot = mh_bot_index(client->game, name, message);
    CHECK(bot >= 0);
    memset(actions, -1, sizeof actions);
    CHECK_EQUAL(mh_batch_bot_actions(client->batch, bot, RANDOM, actions, message), MH_OK);
    for (int row = 0; row < client->rows; row++) {
        const void *state = mh_batch_state(client->batch, row);
        uint64_t random = RANDOM + (uint64_t)row;
        int action = 0;
        if (!stays_over || !client->terminated[row]) {
            CHECK_EQUAL(mh_state_bot_action(client->game, state, bot, &random, &action), MH_OK);
        }
        CHECK_EQUAL(actions[row], action);
    }
}

/* Asks in every position of a game; the game is the one of a batch in which nobody was asked. */
static void test_all_rows(int threads, int autoreset)
{
    static const char *const names[] = {"random", "greedy", "net"};
    struct mh_batch_options options = options_of(ROWS, -1, 1, MH_ILLEGAL_TERMINATE, autoreset);
    options.threads = threads;
    struct client asked = open_client(&options, "");
    struct client plain = open_client(&options, "");
    reset(&asked, 7);
    reset(&plain, 7);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
            check_actions(&asked, names[i], autoreset == MH_AUTORESET_DISABLED);
        }
        choose(&asked);
        choose(&plain);
        if (turn == TURNS / 2) { /* a row that is over, with cards in the hand of the seat to act */
            asked.actions[3] = plain.actions[3] = an_illegal_action(&asked, 3);
        }
        CHECK_EQUAL(memcmp(asked.actions, plain.actions, ROWS * sizeof *asked.actions), 0);
        step(&asked);
        step(&plain);
        for (int row = 0; row < ROWS; row++) {
            CHECK_EQUAL(memcmp(mh_batch_state(asked.batch, row), mh_batch_state(plain.batch, row),
                               (size_t)asked.sizes.state),
                        0);
        }
    }
    close_client(&asked);
    close_client(&plain);
}

static void test_refused(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    int32_t actions[2] = {-1, -1};
    const struct mh_batch_options options = options_of(2, -1, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    struct client client = open_client(&options, "");
    CHECK_EQUAL(mh_batch_bot_actions(client.batch, 0, 0, actions, message), MH_ERROR_ORDER);
    reset(&client, 1);
    CHECK_EQUAL(mh_batch_bot_actions(NULL, 0, 0, actions, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_batch_bot_actions(client.batch, 0, 0, NULL, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "actions must not be NULL"));
    CHECK_EQUAL(mh_batch_bot_actions(client.batch, -1, 0, actions, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "no bot with number -1"));
    CHECK_EQUAL(mh_batch_bot_actions(client.batch, 1000, 0, actions, message), MH_ERROR_ARGUMENT);
    CHECK(actions[0] == -1 && actions[1] == -1);
    close_client(&client);
}

int main(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        test_all_rows(threads, MH_AUTORESET_DISABLED);
        test_all_rows(threads, MH_AUTORESET_SAME_STEP);
    }
    test_refused();
    return 0;
}
