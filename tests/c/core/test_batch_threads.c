/* Threads: whatever their number, every byte is the same. Worth running under -DMHING_SANITIZE=thread. */
#include "base/mh_pool.h"
#include "batch_client.h"

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { COUNTS = 6 };

static const int counts[COUNTS] = {1, 2, 3, 4, 1000, INT32_MAX};

static uint8_t *omniscient(const struct client *client)
{
    uint8_t *all = check_memory((size_t)client->rows * (size_t)client->sizes.omniscient);
    CHECK_EQUAL(mh_batch_omniscient(client->batch, all, NULL), MH_OK);
    return all;
}

static void check_all_same(const struct client *a, const struct client *b)
{
    uint8_t *all_a = omniscient(a);
    uint8_t *all_b = omniscient(b);
    check_same(all_a, 0, all_b, 0, (size_t)a->rows * (size_t)a->sizes.omniscient);
    free(all_a);
    free(all_b);
    CHECK_EQUAL(*a->final_count, *b->final_count);
    check_same(a->final_rows, 0, b->final_rows, 0, (size_t)*a->final_count * sizeof *a->final_rows);
    check_same(a->actions, 0, b->actions, 0, (size_t)a->rows * sizeof *a->actions);
    for (int row = 0; row < a->rows; row++) {
        check_same_row(a, row, b, row);
        check_same(mh_batch_state(a->batch, row), 0, mh_batch_state(b->batch, row), 0, (size_t)a->sizes.state);
    }
}

/* Weights that a formula gives: the same in every batch. */
static void fill_weights(float *weights, size_t count, int turn)
{
    for (size_t i = 0; i < count; i++) {
        weights[i] = (float)((i * 2654435761u + (size_t)turn * 97) % 64 + 1) / 16;
    }
}

/* By turns uniform choices and the two kinds of weights; now and then an illegal action. */
static void take_turn(struct client *client, const float *weights, int turn)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int kind = turn % 3 == 1 ? MH_LOGITS : MH_PROBABILITIES;
    CHECK_EQUAL(mh_batch_choose(client->batch, turn % 3 ? weights : NULL, kind, client->actions, message), MH_OK);
    if (turn % 5 == 4) {
        const int action = client->actions[ROWS - 1];
        client->actions[ROWS / 2] = an_illegal_action(client, ROWS / 2);
        client->actions[ROWS - 1] = -1;
        if (mh_batch_step(client->batch, message) == MH_OK) {
            return;
        }
        CHECK(strstr(message, "in row 18 is not legal for seat"));
        choose(client);
        client->actions[ROWS - 1] = action;
    }
    step(client);
}

static void test_steps(int seat, int others, int illegal, int autoreset)
{
    struct mh_batch_options options = options_of(ROWS, seat, others, illegal, autoreset);
    struct client clients[COUNTS];
    for (int i = 0; i < COUNTS; i++) {
        options.threads = counts[i];
        clients[i] = open_client(&options, "");
        reset(&clients[i], 5);
    }
    const size_t size = ROWS * (size_t)clients[0].sizes.actions;
    float *weights = check_memory(size * sizeof *weights);
    for (int turn = 0; turn < 60; turn++) {
        fill_weights(weights, size, turn);
        for (int i = 0; i < COUNTS; i++) {
            /* An episode that is over has no illegal action to be found. */
            if (autoreset != MH_AUTORESET_SAME_STEP && turn % 5 == 4) {
                const uint8_t *over = clients[i].terminated;
                CHECK_EQUAL(mh_batch_reset(clients[i].batch, NULL, over, NULL), MH_OK);
            }
            take_turn(&clients[i], weights, turn);
            check_all_same(&clients[0], &clients[i]);
        }
    }
    for (int i = 0; i < COUNTS; i++) {
        close_client(&clients[i]);
    }
    free(weights);
}

static void test_play_outs(int observer)
{
    enum { COUNT = 23 };
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game;
    struct mh_sizes sizes;
    double expected[COUNT][SEATS];
    double returns[COUNT][SEATS];
    const int32_t bots[SEATS] = {1, 0, 1, 1};
    uint64_t seeds[COUNT];
    CHECK_EQUAL(mh_game_new("mhing", "reward=points", message, &game), MH_OK);
    mh_game_sizes(game, &sizes);
    const size_t size = (size_t)sizes.state;
    void *state = check_memory(size);
    void *copy = check_memory(size);
    mh_state_reset(game, state, 3, message);
    for (int i = 0; i < COUNT; i++) {
        seeds[i] = 1000 + (uint64_t)i;
        memcpy(copy, state, size);
        if (observer >= 0) {
            CHECK_EQUAL(mh_state_resample(game, copy, observer, seeds[i], copy), MH_OK);
        }
        CHECK_EQUAL(mh_state_play_out(game, copy, bots, seeds[i]), MH_OK);
        CHECK_EQUAL(mh_state_returns(game, copy, expected[i]), MH_OK);
    }
    for (int i = 0; i < COUNTS; i++) {
        memset(returns, 0xAB, sizeof returns);
        CHECK_EQUAL(
            mh_state_play_outs(game, state, observer, bots, COUNT, seeds, counts[i], (double *)returns, message),
            MH_OK);
        CHECK(memcmp(returns, expected, sizeof returns) == 0);
    }
    free(state);
    free(copy);
    mh_game_free(&game);
}

/* In a forked process there are no threads but the one that forked: it plays all rows, and the same. */
static void test_fork(void)
{
#if !defined(_WIN32)
    struct mh_batch_options options = options_of(ROWS, 0, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    struct client one = open_client(&options, "");
    options.threads = 4;
    struct client four = open_client(&options, "");
    reset(&one, 9);
    reset(&four, 9);
    choose(&one);
    step(&one);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        choose(&four);
        step(&four);
        check_all_same(&one, &four);
        close_client(&four);
        _exit(7);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    choose(&four);
    step(&four);
    check_all_same(&one, &four);
    close_client(&one);
    close_client(&four);
#endif
}

enum { THREADS = 4 };

/* The address of a variable of each part's thread. */
struct places {
    const int *of[THREADS];
};

static void note_thread(void *context, int part, int first, int last)
{
    static _Thread_local int on_this_thread;
    CHECK(first == part && last == part + 1);
    ((struct places *)context)->of[part] = &on_this_thread;
}

/* Parts are done by different threads, and by the same ones each time; the first by the caller. */
static void test_pool(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_pool *pool;
    CHECK_EQUAL(mh_pool_new(THREADS, message, &pool), MH_OK);
    CHECK_EQUAL(mh_pool_parts(pool), THREADS);
    struct places caller;
    note_thread(&caller, 0, 0, 1);
    struct places first;
    mh_pool_run(pool, THREADS, note_thread, &first);
    CHECK(first.of[0] == caller.of[0]);
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < i; k++) {
            CHECK(first.of[i] != first.of[k]);
        }
    }
    for (int turn = 0; turn < 1000; turn++) {
        struct places next = {{NULL}};
        mh_pool_run(pool, THREADS, note_thread, &next);
        for (int i = 0; i < THREADS; i++) {
            CHECK(next.of[i] == first.of[i]);
        }
    }
    mh_pool_free(&pool);
}

/* However many are asked for, what has a use is what there is; a split can be tried on all machines. */
static void test_limit(void)
{
    const int most = mh_max_threads();
    CHECK(most >= 4 && most <= INT16_MAX);
    CHECK_EQUAL(mh_pool_threads(INT32_MAX, INT32_MAX), most);
    CHECK_EQUAL(mh_pool_threads(1, INT32_MAX), 1);
    CHECK_EQUAL(mh_pool_threads(INT32_MAX, 1), 1);
}

int main(void)
{
    test_limit();
    test_pool();
    for (int autoreset = MH_AUTORESET_DISABLED; autoreset <= MH_AUTORESET_NEXT_STEP; autoreset++) {
        for (int illegal = MH_ILLEGAL_TERMINATE; illegal <= MH_ILLEGAL_RANDOM; illegal++) {
            test_steps(-1, 0, illegal, autoreset);
            test_steps(1, MH_CALLER, illegal, autoreset);
        }
    }
    test_play_outs(-1);
    test_play_outs(2);
    test_fork();
    return 0;
}
