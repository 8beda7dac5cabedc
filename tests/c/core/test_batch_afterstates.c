/* The afterstates of all rows of a batch are those of their states, whatever room and threads there are. */
#include "batch_client.h"

#include <math.h>

#include "base/mh_bits.h"
#include "mh_game.h"

enum { LOOKS = 4096, TURNS = 25, COUNTS = 3 };

/* Afterstates in arrays. */
struct looks {
    int32_t rows[LOOKS], actions[LOOKS];
    double values[LOOKS];
    float *features;
};

static struct looks *new_looks(const struct client *client)
{
    struct looks *looks = check_memory(sizeof *looks);
    looks->features = check_memory((size_t)client->sizes.features * LOOKS * sizeof *looks->features);
    return looks;
}

static void free_looks(struct looks *looks)
{
    free(looks->features);
    free(looks);
}

static int look(const struct client *client, int all, int capacity, struct looks *out)
{
    return mh_batch_afterstates(client->batch, all, NULL, capacity, out->rows, out->actions, out->features,
                                out->values, NULL);
}

/* One row after the other, by its state. */
static int look_slowly(const struct client *client, int all, struct looks *out)
{
    int count = 0;
    for (int row = 0; row < client->rows; row++) {
        const int found = mh_state_afterstates(
            client->game, mh_batch_state(client->batch, row), all, LOOKS - count, out->actions + count,
            out->features + (ptrdiff_t)count * client->sizes.features, out->values + count);
        CHECK(found > 0);
        for (int i = 0; i < found; i++) {
            out->rows[count++] = row;
        }
    }
    CHECK(count < LOOKS);
    return count;
}

static void check_same_looks(const struct client *client, int count, const struct looks *a, const struct looks *b)
{
    const size_t size = (size_t)client->sizes.features * sizeof *a->features;
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(a->rows[i], b->rows[i]);
        CHECK_EQUAL(a->actions[i], b->actions[i]);
        CHECK(a->values[i] == b->values[i] || (isnan(a->values[i]) && isnan(b->values[i])));
        check_same(a->features, i, b->features, i, size);
    }
}

/* With just room enough, shares are too small for some rows: everything is found all the same. */
static void test_all_rows(int threads, int all)
{
    struct mh_batch_options options = options_of(ROWS, -1, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    options.threads = threads;
    struct client client = open_client(&options, "");
    struct looks *fast = new_looks(&client);
    struct looks *slow = new_looks(&client);
    reset(&client, 7);
    for (int turn = 0; turn < TURNS; turn++) {
        const int count = look_slowly(&client, all, slow);
        CHECK_EQUAL(mh_batch_afterstates(client.batch, all, NULL, 0, NULL, NULL, NULL, NULL, NULL), count);
        CHECK_EQUAL(look(&client, all, count - 1, fast), count);
        const int rooms[COUNTS] = {LOOKS, count, count + count / 4};
        for (int i = 0; i < COUNTS; i++) {
            memset(fast->rows, -1, sizeof fast->rows);
            CHECK_EQUAL(look(&client, all, rooms[i], fast), count);
            check_same_looks(&client, count, fast, slow);
            CHECK(rooms[i] > count || fast->rows[count] == -1);
        }
        choose(&client);
        step(&client);
    }
    free_looks(fast);
    free_looks(slow);
    close_client(&client);
}

static const struct mh_rules *real;
static int asked_for; /* features */

/* Notes how many features the game is asked for. */
static void ask(const void *state, int all, const struct mh_wanted *wanted, mh_afterstate_visitor *visit,
                void *context)
{
    asked_for = mh_set_count(wanted->features, MH_NET_WIDTH / 64);
    real->afterstates(state, all, wanted, visit, context);
}

/* Features that are skipped, one in three here, are 0, and nothing else changes. The game is not asked for them. */
static void test_skipped(void)
{
    struct mh_batch_options options = options_of(ROWS, -1, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    struct client client = open_client(&options, "");
    struct looks *all = new_looks(&client);
    struct looks *some = new_looks(&client);
    const int width = client.sizes.features;
    uint8_t *skipped = check_memory((size_t)width);
    for (int i = 0; i < width; i++) {
        skipped[i] = i % 3 == 0;
    }
    reset(&client, 7);
    real = client.game->rules;
    struct mh_rules asking = *real;
    asking.afterstates = ask;
    for (int turn = 0; turn < TURNS; turn++) {
        const int count = look(&client, 0, LOOKS, all);
        for (int i = 0; i < count * width; i++) {
            all->features[i] = i % width % 3 == 0 ? 0 : all->features[i];
        }
        client.game->rules = &asking;
        CHECK_EQUAL(mh_batch_afterstates(client.batch, 0, skipped, LOOKS, some->rows, some->actions, some->features,
                                         some->values, NULL),
                    count);
        client.game->rules = real;
        CHECK_EQUAL(asked_for, width - (width + 2) / 3);
        check_same_looks(&client, count, some, all);
        choose(&client);
        step(&client);
    }
    free(skipped);
    free_looks(all);
    free_looks(some);
    close_client(&client);
}

/* Rows that are over show nothing, also where an illegal action has ended them. */
static void test_rows_over(void)
{
    const struct mh_batch_options options =
        options_of(2, -1, MH_CALLER, MH_ILLEGAL_TERMINATE, MH_AUTORESET_DISABLED);
    struct client client = open_client(&options, "");
    struct looks *looks = new_looks(&client);
    reset(&client, 1);
    choose(&client);
    client.actions[0] = an_illegal_action(&client, 0);
    step(&client);
    CHECK(client.terminated[0] && !client.terminated[1]);
    const int count = look(&client, 0, LOOKS, looks);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(looks->rows[i], 1);
    }
    for (int turn = 0; turn < 2000 && !client.terminated[1]; turn++) {
        choose(&client);
        step(&client);
    }
    CHECK(client.terminated[1]);
    CHECK_EQUAL(look(&client, 0, LOOKS, looks), 0);
    free_looks(looks);
    close_client(&client);
}

static void test_refused(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_batch_options options = options_of(2, -1, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    struct client client = open_client(&options, "");
    struct looks *looks = new_looks(&client);
    CHECK_EQUAL(look(&client, 0, LOOKS, looks), MH_ERROR_ORDER);
    reset(&client, 1);
    CHECK_EQUAL(mh_batch_afterstates(NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(look(&client, 0, -1, looks), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(
        mh_batch_afterstates(client.batch, 0, NULL, 9, looks->rows, NULL, looks->features, looks->values, message),
        MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "capacity: 9"));
    free_looks(looks);
    close_client(&client);
}

/* A game without features, where it is built in. */
static void test_without_features(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = NULL;
    struct mh_batch *batch = NULL;
    const struct mh_batch_options options = options_of(1, -1, 1, MH_ILLEGAL_RAISE, MH_AUTORESET_SAME_STEP);
    if (mh_game_new("leduc", "", message, &game) == MH_OK) {
        int32_t action = 0;
        const struct mh_buffers buffers = {.actions = &action};
        const uint64_t seed = 1;
        CHECK_EQUAL(mh_batch_new(game, &options, message, &batch), MH_OK);
        CHECK_EQUAL(mh_batch_bind(batch, &buffers, message), MH_OK);
        CHECK_EQUAL(mh_batch_reset(batch, &seed, NULL, message), MH_OK);
        CHECK_EQUAL(mh_batch_afterstates(batch, 0, NULL, 0, NULL, NULL, NULL, NULL, message), MH_ERROR_GAME);
        CHECK(strstr(message, "leduc has no features"));
    }
    mh_batch_free(&batch);
    mh_game_free(&game);
}

int main(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        test_all_rows(threads, 0);
        test_all_rows(threads, 1);
    }
    test_skipped();
    test_rows_over();
    test_refused();
    test_without_features();
    return 0;
}
