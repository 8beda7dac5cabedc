/* A batch with all its arrays, for the tests of batches. */
#ifndef BATCH_CLIENT_H
#define BATCH_CLIENT_H

#include <string.h>

#include "check.h"
#include "frame/mh_batch.h"

enum { ROWS = 37, SEATS = 4 };

struct client {
    struct mh_game *game;
    struct mh_sizes sizes;
    int rows;
    struct mh_batch *batch;
    union {
        struct mh_buffers buffers;
        struct {
            MH_BUFFERS(MH_BUFFER_MEMBER)
        };
    };
};

/* One thread; the own seat is the caller's, the others are all `others`: a bot or MH_CALLER. */
static inline struct mh_batch_options options_of(int rows, int seat, int others, int illegal, int autoreset)
{
    struct mh_batch_options options = {
        .rows = rows, .seat = seat, .illegal = illegal, .autoreset = autoreset, .threads = 1};
    for (int i = 0; i < 6; i++) {
        options.players[i] = i == 0 ? MH_CALLER : others;
    }
    return options;
}

static inline struct client open_client(const struct mh_batch_options *options, const char *game_options)
{
    char message[MH_MESSAGE_SIZE];
    struct client client = {.rows = options->rows};
    CHECK_EQUAL(mh_game_new("mhing", game_options, message, &client.game), MH_OK);
    mh_game_sizes(client.game, &client.sizes);
    CHECK_EQUAL(mh_batch_new(client.game, options, message, &client.batch), MH_OK);
    struct mh_buffers buffers; /* gcc 12 leaves out the last pointer where they are set in the union */
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        struct mh_buffer array;
        const int final_seats = mh_batch_final_seats(client.batch);
        CHECK_EQUAL(mh_buffer_at(i, &client.sizes, client.rows, final_seats, &array), MH_OK);
        mh_buffers_set(&buffers, i, check_memory(mh_buffer_bytes(&array)));
    }
    client.buffers = buffers;
    CHECK_EQUAL(mh_batch_bind(client.batch, &client.buffers, message), MH_OK);
    return client;
}

static inline void close_client(struct client *client)
{
    mh_batch_free(&client->batch);
    mh_game_free(&client->game);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        free(mh_buffers_get(&client->buffers, i));
    }
}

static inline void reset(struct client *client, uint64_t first_seed)
{
    uint64_t seeds[ROWS];
    CHECK(client->rows <= ROWS);
    for (int row = 0; row < client->rows; row++) {
        seeds[row] = first_seed + (uint64_t)row;
    }
    CHECK_EQUAL(mh_batch_reset(client->batch, seeds, NULL, NULL), MH_OK);
}

static inline void choose(struct client *client)
{
    CHECK_EQUAL(mh_batch_choose(client->batch, NULL, MH_LOGITS, client->actions, NULL), MH_OK);
}

static inline void step(struct client *client)
{
    char message[MH_MESSAGE_SIZE] = "";
    if (mh_batch_step(client->batch, message) != MH_OK) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
}

static inline int an_illegal_action(const struct client *client, int row)
{
    int action = 0;
    while (client->masks[row * client->sizes.actions + action]) {
        action++;
    }
    return action;
}

static inline void check_same(const void *a, int row_a, const void *b, int row_b, size_t size)
{
    CHECK(memcmp((const char *)a + (size_t)row_a * size, (const char *)b + (size_t)row_b * size, size) == 0);
}

/* Checks what the rows show of the episodes that they are now in. */
static inline void check_same_view(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same(a->observations, row_a, b->observations, row_b, (size_t)a->sizes.observation);
    check_same(a->masks, row_a, b->masks, row_b, (size_t)a->sizes.actions);
    check_same(a->seats, row_a, b->seats, row_b, sizeof *a->seats);
    check_same(a->seeds, row_a, b->seeds, row_b, sizeof *a->seeds);
    check_same(a->info, row_a, b->info, row_b, (size_t)a->sizes.info * sizeof *a->info);
}

/* Compares the results of the last step. */
static inline void check_same_report(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same(a->rewards, row_a, b->rewards, row_b, sizeof *a->rewards);
    check_same(a->terminated, row_a, b->terminated, row_b, 1);
    check_same(a->illegal, row_a, b->illegal, row_b, 1);
}

/* Checks whether a round has ended in the episodes that the rows are now in, and how. */
static inline void check_same_round(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same(a->round_ended, row_a, b->round_ended, row_b, 1);
    check_same(a->has_results, row_a, b->has_results, row_b, 1);
    check_same(a->results, row_a, b->results, row_b, (size_t)a->sizes.info * sizeof *a->results);
}

/* Where the last observations of a row are, if its episode ended in the last step, or -1. Rows come in order. */
static inline int final_place(const struct client *client, int row)
{
    int place = -1;
    for (int i = 0; i < *client->final_count; i++) {
        CHECK(client->final_rows[i] > (i > 0 ? client->final_rows[i - 1] : -1));
        CHECK(client->final_rows[i] < client->rows);
        place = client->final_rows[i] == row ? i : place;
    }
    return place;
}

/* Compares the data kept of an episode that ended in the last step. */
static inline void check_same_finals(const struct client *a, int row_a, const struct client *b, int row_b)
{
    const size_t seats = (size_t)mh_batch_final_seats(a->batch);
    const int place_a = final_place(a, row_a);
    const int place_b = final_place(b, row_b);
    CHECK((place_a < 0) == (place_b < 0));
    if (place_a >= 0) {
        check_same(a->final_observations, place_a, b->final_observations, place_b,
                   seats * (size_t)a->sizes.observation);
    }
    check_same(a->final_rewards, row_a, b->final_rewards, row_b, (size_t)a->sizes.seats * sizeof *a->final_rewards);
    check_same(a->final_seats, row_a, b->final_seats, row_b, sizeof *a->final_seats);
    check_same(a->final_seeds, row_a, b->final_seeds, row_b, sizeof *a->final_seeds);
    check_same(a->final_info, row_a, b->final_info, row_b, (size_t)a->sizes.info * sizeof *a->final_info);
    check_same(a->final_round_ended, row_a, b->final_round_ended, row_b, 1);
}

static inline void check_same_row(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same_view(a, row_a, b, row_b);
    check_same_report(a, row_a, b, row_b);
    check_same_round(a, row_a, b, row_b);
    check_same_finals(a, row_a, b, row_b);
}

#endif
