/* One environment: a batch of the core, what it was made with, and the memory of its arrays. */
#ifndef ENV_H
#define ENV_H

#include "common/answer.h"
#include "common/limit.h"

struct env {
    struct env *next;
    int64_t number;
    struct wire_message *terms; /* the map it was made with, as received */
    struct mh_game *game;
    struct mh_sizes sizes;
    struct mh_batch_options options;
    struct mh_batch *batch;
    size_t rows, final_seats;
    int has_final; /* `changes` has the columns of ends */

    struct mh_buffer arrays[MH_NUM_BUFFERS]; /* what `buffers` points to */
    struct mh_buffers buffers;
    struct wire_message *shown; /* the last reply, for rows that the next one does not write */
    struct mh_buffers shown_buffers;
    int32_t *changed_rows;
    uint64_t *seeds;
    uint8_t *chosen, *was_over;
    float *weights; /* allocated on first use */
    int block;      /* rows that are played between two looks at the time */
    void *memory;   /* holds all arrays */
};

/* Limits for a new environment. */
struct env_limits {
    const char *bots; /* with settings, see games_bot */
    int rows;         /* still available */
    enum limit_place of_rows;
    int rows_in_flight; /* times `window` */
    int window;
};

/* Makes an environment from the map `terms`. NULL with an error. */
struct env *env_new(const msgpack_object *terms, const struct env_limits *limits, struct wire_error *error);
void env_free(struct env *self);

/* True if an array lies in the reply being written. The large ones do, so the batch writes them in place. */
static inline int env_is_in_reply(const struct mh_buffer *array)
{
    return array->when == MH_WHEN_ALWAYS && array->num_dims > 1;
}

#endif
