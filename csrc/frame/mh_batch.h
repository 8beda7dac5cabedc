/* The inside of a batch, for mh_batch.c, mh_choose.c, mh_lineups.c, mh_rows.c and the loop that games compile from
 * mh_batch.inc. */
#ifndef MH_BATCH_H
#define MH_BATCH_H

#include <stddef.h>
#include <string.h>

#include "base/mh_pool.h"
#include "base/mh_rounds.h"
#include "base/mh_wide.h"
#include "mh_game.h"

/* The kinds of reports of a row's last step, or so far of the step that waits for a guest in it. */
enum {
    MH_REPORTED_RESULTS = 1, /* an episode has begun or a round has ended */
    MH_REPORTED_END = 2,
    MH_STEP_ILLEGAL = 4,     /* the caller's action was not legal */
    MH_STEP_FRESH = 8,       /* the caller has not been asked yet in the episode being played */
    MH_STEP_WAITS = 16,      /* a guest is to act */
    MH_REPORTED_EARLIER = 32 /* rounds have ended before another one did */
};

/* The data of a row besides its state. */
struct mh_row {
    uint64_t first_seed;         /* of the row's sequence of episodes */
    uint64_t seed;               /* of the episode being played */
    uint64_t episode;            /* its number in the sequence */
    struct mh_rng rng;           /* the bots' */
    float pending[MH_MAX_SEATS]; /* earned by each seat and not yet reported to it as its reward */
    int32_t rounds;              /* of the episode whose end has been reported */
    int8_t own;                  /* the caller's own seat */
    uint8_t over;                /* waits for a reset */
    uint16_t lineup;             /* of the episode */
};

/* The players of an episode, see mh_batch_add_lineup. */
struct mh_lineup {
    int32_t players[MH_MAX_SEATS];
    uint32_t weight;
};

/* The end of an episode, see mh_batch_ended. */
struct mh_end {
    double returns[MH_MAX_SEATS]; /* clockwise from the own seat */
    int32_t lineup;               /* -1: by an illegal action, or before lineups were weighed */
    int32_t unused;
};

/* The results of a part of the rows, which one thread plays. */
struct mh_part {
    int32_t refused;     /* in a check: the first row that fails it, or -1 */
    int32_t first;       /* in a step: its first row, */
    int32_t changes;     /* rows with changes (see mh_buffers), */
    int32_t ends;        /* and episodes that ended, the entries from `first` on of arrays that get no gaps */
    int32_t waiting;     /* rows that wait for a guest after it */
    int32_t afterstates; /* in mh_batch_afterstates: how many its rows have */
};

struct mh_batch {
    const struct mh_game *game;
    struct mh_batch_options options;
    struct mh_buffers buffers;
    struct mh_row *rows;   /* each a cache line, like the states */
    unsigned char *states; /* `stride` bytes a row, aligned to cache lines, and once more for what is not checked */
    size_t stride;
    void *memory;              /* what `rows` and `states` were cut from */
    int started;               /* reset once: every row has an episode */
    int final_seats;           /* see mh_batch_final_seats */
    struct mh_pool *pool;      /* plays the rows in fixed parts */
    struct mh_part *parts;     /* what each has found last */
    uint8_t *reported;         /* [rows] bits MH_REPORTED_RESULTS ... MH_REPORTED_EARLIER */
    struct mh_rounds *earlier; /* of the rows as they were told last */
    int has_avx512;            /* the processor has it, as mh_wide.h takes it */
    int has_guests;
    uint32_t weights; /* of all lineups together */
    int num_lineups;
    struct mh_lineup *lineups; /* [num_lineups] */
    struct mh_end *ends;       /* [rows], once lineups have been weighed */
    int waiting;               /* rows that wait for one: the last call is not complete */
    int is_step;               /* it is a step */
    int played;                /* rows that it has played so far: see mh_batch_continue */
    const uint64_t *seeds;     /* during a reset: its seeds */
    const uint8_t *chosen;     /* during mh_batch_step_chosen and a reset: its rows */
    const int32_t *answers;    /* during mh_batch_answer: the guests' actions */
    uint64_t calls;            /* that began steps or episodes; what was before the last is kept, with guests: */
    struct mh_row *kept_row;   /* [rows], */
    unsigned char *kept_states;
    uint64_t *kept_by;   /* [rows] by which of these calls, */
    uint32_t kept_draws; /* `draws` */
    int kept_started;    /* and `started` */
    uint32_t draws;      /* calls of mh_batch_choose since the last step: the number of the next draw */
    int uniform;         /* one of them was a uniform one */
    int32_t *ahead;      /* [rows] draw 0, where the step before was asked to make it: see mh_batch_draw_rng */
    int has_ahead;       /* it was, and no other draw has used the memory since */
};

static inline void *mh_batch_row_state(const struct mh_batch *batch, int row)
{
    return batch->states + (size_t)row * batch->stride;
}

/* Returns the place that keeps a row's state, in a batch with guests. */
static inline void *mh_batch_kept_state(const struct mh_batch *batch, int row)
{
    return batch->kept_states + (size_t)row * batch->stride;
}

/* Keeps a row as it is before the step or the start of an episode that a guest may be asked in. */
static inline void mh_batch_keep_row(const struct mh_batch *batch, int row)
{
    if (batch->has_guests) {
        batch->kept_by[row] = batch->calls;
        batch->kept_row[row] = batch->rows[row];
        memcpy(mh_batch_kept_state(batch, row), mh_batch_row_state(batch, row), batch->stride);
    }
}

/* Returns the player of a seat: MH_CALLER, a guest's number or a bot's. */
static inline int mh_batch_player(const struct mh_batch *batch, const struct mh_row *row, int seat)
{
    const int seats = batch->game->sizes.seats;
    const int place = seat - row->own;
    return batch->lineups[row->lineup].players[place < 0 ? place + seats : place];
}

/* The randomness of one draw in a row. It follows from the episode's seed, the decision and the draw's number alone, so
 * that a step can make the first draw of the next decision while the row is at hand: to visit all rows once more for a
 * cheap choice would cost a fifth of the step. */
enum { MH_DRAW_FORCED = -1 /* the number of the draw that takes the place of an illegal action */ };

static inline struct mh_rng mh_batch_draw_rng(const struct mh_row *row, const void *state, uint32_t draw)
{
    const uint64_t decision = mh_head(state)->decisions;
    return mh_rng_stream(row->seed + (decision << 32 | draw) * 0x9E6C63D0876A9A47u, 'A');
}

/* A uniformly random legal action of the seat to act. */
static inline int mh_batch_pick(const struct mh_batch *batch, const struct mh_row *row, const void *state,
                                const uint64_t *legal, int words, uint32_t draw)
{
    struct mh_rng rng = mh_batch_draw_rng(row, state, draw);
    return batch->has_avx512 ? mh_wide_pick(legal, words, &rng) : mh_set_pick(legal, words, &rng);
}

/* Returns the lineup that an episode of this seed gets. */
static inline uint16_t mh_batch_draw_lineup(const struct mh_batch *batch, uint64_t seed)
{
    enum { STREAM_LINEUP = 'O' };
    int lineup = 0;
    if (batch->num_lineups > 1) {
        struct mh_rng rng = mh_rng_stream(seed, STREAM_LINEUP);
        uint32_t drawn = mh_rng_below(&rng, batch->weights);
        while (drawn >= batch->lineups[lineup].weight) {
            drawn -= batch->lineups[lineup].weight;
            lineup++;
        }
    }
    return (uint16_t)lineup;
}

/* Settles seed, own seat, lineup and bots of a row's next episode. Episode 0 of a sequence has the seed that was given;
 * the others follow from it. The number of the episode is added to mixed bits, not to that seed: first seeds often
 * follow one another, and their sequences must not overlap. */
static inline void mh_batch_next_episode(const struct mh_batch *batch, struct mh_row *row)
{
    enum { STREAM_SEAT = 'S', STREAM_NEXT = 'N' };
    const struct mh_rng sequence = mh_rng_stream(row->first_seed, STREAM_NEXT);
    struct mh_rng episode = mh_rng_stream(sequence.state + row->episode, STREAM_NEXT);
    row->seed = row->episode ? mh_rng_next(&episode) : row->first_seed;
    row->episode++;
    row->rng = mh_rng_bots(row->seed);
    struct mh_rng rng = mh_rng_stream(row->seed, STREAM_SEAT);
    row->own = (int8_t)(batch->options.seat >= 0 ? batch->options.seat
                                                 : (int)mh_rng_below(&rng, (uint32_t)batch->game->sizes.seats));
    row->lineup = mh_batch_draw_lineup(batch, row->seed);
}

/* Checks a lineup's players. */
int mh_batch_check_players(const struct mh_game *game, const int32_t *players, char *message);

/* mh_batch_step and mh_batch_reset in slices, for batches of one thread: one call begins, and others play so many rows
 * each. Until these return 0, the rows that are left, nothing else may be done with the batch but to free it; and
 * arguments and buffers must stay. All is as after one call then. */
int mh_batch_begin_step(struct mh_batch *batch, char *message);
int mh_batch_begin_reset(struct mh_batch *batch, const uint64_t *seeds, const uint8_t *chosen, char *message);
int mh_batch_continue(struct mh_batch *batch, int rows);

/* Refuses calls before mh_batch_reset or while guests are asked, and rows that do not exist, with a message. */
int mh_batch_check_started(const struct mh_batch *batch, char *message);
/* The same, and that a caller gave memory for both. */
int mh_batch_check_shown(const struct mh_batch *batch, const uint8_t *observations, const int8_t *masks,
                         char *message);
int mh_batch_check_row(const struct mh_batch *batch, const char *name, int row, char *message);

/* The first row that the parts of a check have refused, or -1. */
int mh_batch_refused(const struct mh_batch *batch);

#endif
