/* A batch with all its arrays, for the tests of batches. */
#ifndef BATCH_CLIENT_H
#define BATCH_CLIENT_H

#include <string.h>

#include "check.h"
#include "mh_batch.h"

enum { ROWS = 37, SEATS = 4 };

struct client {
    struct mh_game *game;
    struct mh_sizes sizes;
    int rows;
    struct mh_batch *batch;
    int32_t *actions;
    uint8_t *observations;
    int8_t *masks;
    float *rewards;
    uint8_t *terminated;
    int64_t *seats;
    uint64_t *seeds;
    uint8_t *illegal;
    float *final_rewards;
    int64_t *info;
    uint8_t *round_ended;
    int64_t *results;
    int32_t *final_count;
    int64_t *final_rows;
    uint8_t *final_observations;
    int64_t *final_seats;
    uint64_t *final_seeds;
    int64_t *final_info;
    uint8_t *final_round_ended;
    int32_t *news;
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
    const size_t rows = (size_t)options->rows;
    CHECK_EQUAL(mh_game_new("mhing", game_options, message, &client.game), MH_OK);
    mh_game_sizes(client.game, &client.sizes);
    CHECK_EQUAL(mh_batch_new(client.game, options, message, &client.batch), MH_OK);
    const size_t seats = (size_t)client.sizes.seats;
    const size_t observation = (size_t)client.sizes.observation;
    const size_t info = (size_t)client.sizes.info * sizeof *client.info;
    client.actions = check_memory(rows * sizeof *client.actions);
    client.observations = check_memory(rows * observation);
    client.masks = check_memory(rows * (size_t)client.sizes.actions);
    client.rewards = check_memory(rows * sizeof *client.rewards);
    client.terminated = check_memory(rows);
    client.seats = check_memory(rows * sizeof *client.seats);
    client.seeds = check_memory(rows * sizeof *client.seeds);
    client.illegal = check_memory(rows);
    client.final_rewards = check_memory(rows * seats * sizeof *client.final_rewards);
    client.info = check_memory(rows * info);
    client.round_ended = check_memory(rows);
    client.results = check_memory(rows * info);
    client.final_count = check_memory(sizeof *client.final_count);
    client.final_rows = check_memory(rows * sizeof *client.final_rows);
    client.final_observations = check_memory(rows * (size_t)mh_batch_final_seats(client.batch) * observation);
    client.final_seats = check_memory(rows * sizeof *client.final_seats);
    client.final_seeds = check_memory(rows * sizeof *client.final_seeds);
    client.final_info = check_memory(rows * info);
    client.final_round_ended = check_memory(rows);
    client.news = check_memory(sizeof *client.news);
    const struct mh_buffers buffers = {.actions = client.actions,
                                       .observations = client.observations,
                                       .masks = client.masks,
                                       .rewards = client.rewards,
                                       .terminated = client.terminated,
                                       .seats = client.seats,
                                       .seeds = client.seeds,
                                       .illegal = client.illegal,
                                       .final_rewards = client.final_rewards,
                                       .info = client.info,
                                       .round_ended = client.round_ended,
                                       .results = client.results,
                                       .final_count = client.final_count,
                                       .final_rows = client.final_rows,
                                       .final_observations = client.final_observations,
                                       .final_seats = client.final_seats,
                                       .final_seeds = client.final_seeds,
                                       .final_info = client.final_info,
                                       .final_round_ended = client.final_round_ended,
                                       .news = client.news};
    CHECK_EQUAL(mh_batch_bind(client.batch, &buffers, message), MH_OK);
    return client;
}

static inline void close_client(struct client *client)
{
    mh_batch_free(&client->batch);
    mh_game_free(&client->game);
    free(client->actions);
    free(client->observations);
    free(client->masks);
    free(client->rewards);
    free(client->terminated);
    free(client->seats);
    free(client->seeds);
    free(client->illegal);
    free(client->final_rewards);
    free(client->info);
    free(client->round_ended);
    free(client->results);
    free(client->final_count);
    free(client->final_rows);
    free(client->final_observations);
    free(client->final_seats);
    free(client->final_seeds);
    free(client->final_info);
    free(client->final_round_ended);
    free(client->news);
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

/* What is there of the episode that a row is now in. */
static inline void check_same_view(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same(a->observations, row_a, b->observations, row_b, (size_t)a->sizes.observation);
    check_same(a->masks, row_a, b->masks, row_b, (size_t)a->sizes.actions);
    check_same(a->seats, row_a, b->seats, row_b, sizeof *a->seats);
    check_same(a->seeds, row_a, b->seeds, row_b, sizeof *a->seeds);
    check_same(a->info, row_a, b->info, row_b, (size_t)a->sizes.info * sizeof *a->info);
}

/* What the last step brought. */
static inline void check_same_report(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same(a->rewards, row_a, b->rewards, row_b, sizeof *a->rewards);
    check_same(a->terminated, row_a, b->terminated, row_b, 1);
    check_same(a->illegal, row_a, b->illegal, row_b, 1);
}

/* Whether a round has ended in it, in the episode that goes on or stays, and how. */
static inline void check_same_round(const struct client *a, int row_a, const struct client *b, int row_b)
{
    check_same(a->round_ended, row_a, b->round_ended, row_b, 1);
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

/* What was kept of an episode that ended in the last step. */
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
