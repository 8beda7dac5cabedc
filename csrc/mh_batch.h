/* The inside of a batch, for mh_batch.c and for the loop that each game compiles from mh_batch.inc. */
#ifndef MH_BATCH_H
#define MH_BATCH_H

#include <stddef.h>

#include "mh_game.h"

/* What the batch knows of a row beside its state. */
struct mh_row {
    uint64_t first_seed;         /* of the row's sequence of episodes */
    uint64_t seed;               /* of the episode being played */
    uint64_t episode;            /* its number in the sequence */
    struct mh_rng rng;           /* the bots' */
    struct mh_rng sampler;       /* for mh_batch_sample and MH_ILLEGAL_RANDOM */
    float pending[MH_MAX_SEATS]; /* earned by each seat and not yet reported to it as its reward */
    float earned[MH_MAX_SEATS];  /* earned by each seat and not yet reported in seat_rewards */
    int8_t own;                  /* the caller's own seat */
    uint8_t over;                /* waits for a reset */
};

struct mh_batch {
    const struct mh_game *game;
    struct mh_batch_options options;
    struct mh_buffers buffers;
    struct mh_row *rows;
    unsigned char *states; /* `stride` bytes a row, aligned to a cache line */
    size_t stride;
    void *memory; /* what `states` was cut from */
    int started;  /* reset once: every row has an episode */
};

static inline void *mh_batch_row_state(const struct mh_batch *batch, int row)
{
    return batch->states + (size_t)row * batch->stride;
}

/* Who plays a seat: MH_CALLER or a bot's number. */
static inline int mh_batch_player(const struct mh_batch *batch, const struct mh_row *row, int seat)
{
    const int seats = batch->game->sizes.seats;
    const int place = seat - row->own;
    return batch->options.players[place < 0 ? place + seats : place];
}

/* Settles seed, own seat and bots of a row's next episode. */
void mh_batch_next_episode(struct mh_batch *batch, struct mh_row *row);

#endif
