/* Random legal actions: uniform or by weights, as often as the weights say, and refused when they cannot be. */
#include "batch_client.h"

#include <math.h>

enum { DRAWS = 20000 };

static float *new_weights(const struct client *client, float weight)
{
    const size_t count = (size_t)client->rows * (size_t)client->sizes.actions;
    float *weights = check_memory(count * sizeof *weights);
    for (size_t i = 0; i < count; i++) {
        weights[i] = weight;
    }
    return weights;
}

static struct client open_rows(int rows)
{
    const struct mh_batch_options options = options_of(rows, 0, MH_CALLER, MH_ILLEGAL_RAISE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "");
    reset(&client, 77);
    return client;
}

/* Counts draws in row 1 of a batch whose legal actions there weigh 1, 2, 3, 1, 2, 3 ..., and compares: none may be
 * off by more than five standard deviations. */
static void test_frequencies(int kind)
{
    struct client client = open_rows(3);
    const int actions = client.sizes.actions;
    const int8_t *mask = client.masks + actions;
    float *weights = kind < 0 ? NULL : new_weights(&client, kind == MH_LOGITS ? 3 : 1);
    int *counts = check_memory((size_t)actions * sizeof *counts);
    double sum = 0;
    for (int action = 0; action < actions; action++) {
        const float share = kind < 0 ? 1 : (float)(1 + action % 3);
        sum += mask[action] ? share : 0;
        if (weights) {
            weights[actions + action] = kind == MH_LOGITS ? logf(share) + 80 : share * 100;
        }
    }
    for (int draw = 0; draw < DRAWS; draw++) {
        CHECK_EQUAL(mh_batch_choose(client.batch, weights, kind < 0 ? 0 : kind, client.actions, NULL), MH_OK);
        counts[client.actions[1]]++;
    }
    for (int action = 0; action < actions; action++) {
        const double share = mask[action] ? (kind < 0 ? 1 : 1 + action % 3) / sum : 0;
        const double off = counts[action] - DRAWS * share;
        CHECK(off * off <= 25 * DRAWS * share * (1 - share));
    }
    free(counts);
    free(weights);
    close_client(&client);
}

/* One legal action has all the weight, or nearly; what illegal ones weigh does not matter. */
static void test_the_only_one(int kind, float none, float some, float illegal)
{
    struct client client = open_rows(ROWS);
    const int actions = client.sizes.actions;
    for (int turn = 0; turn < 100; turn++) {
        float *weights = new_weights(&client, none);
        int wanted[ROWS];
        for (int row = 0; row < ROWS; row++) {
            const int8_t *mask = client.masks + row * actions;
            wanted[row] = 0;
            for (int action = 0; action < actions; action++) {
                if (!mask[action]) {
                    weights[row * actions + action] = illegal;
                } else if (!client.terminated[row] && (wanted[row] == 0 || (action + turn) % 3 == 0)) {
                    wanted[row] = action;
                }
            }
            weights[row * actions + wanted[row]] = client.terminated[row] ? NAN : some;
        }
        CHECK_EQUAL(mh_batch_choose(client.batch, weights, kind, client.actions, NULL), MH_OK);
        for (int row = 0; row < ROWS; row++) {
            CHECK_EQUAL(client.actions[row], wanted[row]);
        }
        step(&client);
        free(weights);
    }
    close_client(&client);
}

/* A batch that has drawn at every turn draws what one draws that does so now and then, and draws anew when asked again;
 * a row taken over from elsewhere has its own draws. */
static void test_draws(int autoreset)
{
    const struct mh_batch_options options = options_of(ROWS, 0, MH_CALLER, MH_ILLEGAL_RAISE, autoreset);
    struct client often = open_client(&options, "");
    struct client seldom = open_client(&options, "");
    const size_t size = ROWS * sizeof *often.actions;
    reset(&often, 77);
    reset(&seldom, 77);
    for (int turn = 0; turn < 400; turn++) {
        if (turn % 9 == 5) {
            CHECK_EQUAL(mh_batch_copy_row(often.batch, turn % ROWS, 3, NULL), MH_OK);
            CHECK_EQUAL(mh_batch_copy_row(seldom.batch, turn % ROWS, 3, NULL), MH_OK);
        }
        choose(&often);
        if (turn % 3 == 0) {
            choose(&seldom);
            check_same(often.actions, 0, seldom.actions, 0, size);
        }
        if (turn % 7 == 0) {
            memcpy(seldom.actions, often.actions, size);
            choose(&often);
            CHECK(often.terminated[0] || memcmp(often.actions, seldom.actions, size) != 0);
        }
        memcpy(seldom.actions, often.actions, size);
        step(&often);
        step(&seldom);
    }
    close_client(&often);
    close_client(&seldom);
}

/* Refused: nothing is written, and the next draw is what it would have been. */
static void check_refused(const float *weights, int kind, struct client *client, const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct client twin = open_rows(ROWS);
    for (int row = 0; row < ROWS; row++) {
        client->actions[row] = -5;
    }
    CHECK_EQUAL(mh_batch_choose(client->batch, weights, kind, client->actions, message), MH_ERROR_ARGUMENT);
    if (!strstr(message, words)) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    for (int row = 0; row < ROWS; row++) {
        CHECK_EQUAL(client->actions[row], -5);
    }
    reset(client, 77);
    CHECK_EQUAL(mh_batch_choose(client->batch, weights, kind, client->actions, message), MH_ERROR_ARGUMENT);
    choose(client);
    choose(&twin);
    check_same(client->actions, 0, twin.actions, 0, ROWS * sizeof *twin.actions);
    close_client(&twin);
}

/* A refused draw does not change the one that the step before has made ahead. */
static void test_refused_after_a_step(void)
{
    char message[MH_MESSAGE_SIZE];
    struct client client = open_rows(ROWS);
    struct client twin = open_rows(ROWS);
    const int actions = client.sizes.actions;
    float *weights = new_weights(&client, 0);
    for (int action = 0; action < actions; action++) {
        weights[(ROWS - 1) * actions + action] = -INFINITY;
    }
    choose(&client);
    choose(&twin);
    step(&client);
    step(&twin);
    CHECK_EQUAL(mh_batch_choose(client.batch, weights, MH_LOGITS, client.actions, message), MH_ERROR_ARGUMENT);
    choose(&client);
    choose(&twin);
    check_same(client.actions, 0, twin.actions, 0, ROWS * sizeof *twin.actions);
    free(weights);
    close_client(&client);
    close_client(&twin);
}

/* A row that ends in a step after which nothing was drawn ahead, and stays over in one after which it was. */
static void test_over(void)
{
    struct mh_batch_options options = options_of(2, 0, MH_CALLER, MH_ILLEGAL_TERMINATE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "");
    reset(&client, 77);
    float *weights = new_weights(&client, 1);
    for (int turn = 0; turn < 40; turn++) {
        choose(&client);
        step(&client);
        CHECK_EQUAL(mh_batch_choose(client.batch, weights, MH_LOGITS, client.actions, NULL), MH_OK);
        client.actions[1] = client.terminated[1] ? 0 : an_illegal_action(&client, 1);
        step(&client);
        choose(&client);
        step(&client);
        choose(&client);
        CHECK_EQUAL(client.actions[1], 0);
        CHECK_EQUAL(mh_batch_copy_row(client.batch, 0, 1, NULL), MH_OK);
        if (client.terminated[0]) {
            reset(&client, (uint64_t)turn);
        }
    }
    free(weights);
    close_client(&client);
}

static void test_refusals(void)
{
    static const struct {
        float weight;
        int kind;
        const char *words;
    } bad[] = {
        {NAN, MH_LOGITS, "in row 30 is no logit"},
        {INFINITY, MH_LOGITS, "in row 30 is no logit"},
        {NAN, MH_PROBABILITIES, "is no probability"},
        {INFINITY, MH_PROBABILITIES, "is no probability"},
        {-0.5F, MH_PROBABILITIES, "probabilities: -0.5 for action"},
    };
    struct client client = open_rows(ROWS);
    const int actions = client.sizes.actions;
    float *weights = new_weights(&client, 1);
    int last = actions - 1;
    while (!client.masks[30 * actions + last]) {
        last--;
    }
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        weights[30 * actions + last] = bad[i].weight;
        weights[31 * actions + last] = NAN;
        check_refused(weights, bad[i].kind, &client, bad[i].words);
    }
    for (int kind = MH_LOGITS; kind <= MH_PROBABILITIES; kind++) {
        for (int action = 0; action < actions; action++) {
            weights[30 * actions + action] = kind == MH_LOGITS ? -INFINITY : 0;
        }
        check_refused(weights, kind, &client,
                      kind == MH_LOGITS ? "logits: all legal actions in row 30 have -inf"
                                        : "probabilities: all legal actions in row 30 have 0");
    }
    check_refused(weights, 2, &client, "kind: 2");
    CHECK_EQUAL(mh_batch_choose(client.batch, NULL, MH_LOGITS, NULL, NULL), MH_ERROR_ARGUMENT);
    free(weights);
    close_client(&client);
}

int main(void)
{
    test_refused_after_a_step();
    test_over();
    for (int autoreset = MH_AUTORESET_DISABLED; autoreset <= MH_AUTORESET_NEXT_STEP; autoreset++) {
        test_draws(autoreset);
    }
    test_frequencies(-1);
    test_frequencies(MH_LOGITS);
    test_frequencies(MH_PROBABILITIES);
    test_the_only_one(MH_PROBABILITIES, 0, 1e-30F, NAN);
    test_the_only_one(MH_PROBABILITIES, 0, 3e38F, 3e38F);
    test_the_only_one(MH_LOGITS, -INFINITY, -3e38F, INFINITY);
    test_the_only_one(MH_LOGITS, -3e38F, 3e38F, NAN);
    test_refusals();
    return 0;
}
