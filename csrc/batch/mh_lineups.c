/* Lineups: who plays with the caller's own seat, episode by episode. */
#include "frame/mh_batch.h"

#include <stdlib.h>
#include <string.h>

#include "play/mh_bots.h"

int mh_batch_check_players(const struct mh_game *game, const int32_t *players, char *message)
{
    const int bots = mh_bots_count(game);
    if (players[0] != MH_CALLER) {
        mh_message(message, "players[0]: it is the caller's own seat, so it must be MH_CALLER");
        return MH_ERROR_ARGUMENT;
    }
    for (int i = 1; i < game->sizes.seats; i++) {
        if (players[i] < MH_LAST_GUEST || players[i] >= bots) {
            mh_message(message, "players[%d]: %d is neither MH_CALLER, nor a guest's number, nor a bot's in 0..%d",
                       i, (int)players[i], bots - 1);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

static int check_lineup(const struct mh_batch *batch, const int32_t *players, char *message)
{
    if (!batch || !players) {
        mh_message(message, "batch and players must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (batch->waiting) {
        mh_message(message, "%d rows wait for guests: mh_batch_answer or mh_batch_undo must come first",
                   batch->waiting);
        return MH_ERROR_ORDER;
    }
    if (batch->num_lineups > UINT16_MAX) {
        mh_message(message, "players: a batch has at most %d lineups", UINT16_MAX + 1);
        return MH_ERROR_ARGUMENT;
    }
    return mh_batch_check_players(batch->game, players, message);
}

/* Makes room for rows to be kept as they were, see mh_batch_keep_row. Returns 0 without memory. */
static int keep_rows(struct mh_batch *batch)
{
    const size_t rows = (size_t)batch->options.rows;
    batch->kept_by = calloc(rows, sizeof *batch->kept_by);
    batch->kept_row = calloc(rows, sizeof *batch->kept_row);
    batch->kept_states = calloc(rows, batch->stride);
    if (batch->kept_by && batch->kept_row && batch->kept_states) {
        return 1;
    }
    free(batch->kept_by);
    free(batch->kept_row);
    free(batch->kept_states);
    batch->kept_by = NULL;
    batch->kept_row = NULL;
    batch->kept_states = NULL;
    return 0;
}

/* Makes room for another lineup and for the data of a batch with guests. */
static int make_room(struct mh_batch *batch, int has_guests)
{
    const size_t count = (size_t)batch->num_lineups + 1;
    struct mh_lineup *lineups = realloc(batch->lineups, count * sizeof *lineups);
    if (lineups) {
        batch->lineups = lineups;
    }
    if (has_guests && !batch->has_guests) {
        batch->has_guests = keep_rows(batch);
    }
    return lineups && (!has_guests || batch->has_guests);
}

/* Makes room for how episodes end. Returns 0 without memory. */
static int keep_ends(struct mh_batch *batch)
{
    if (!batch->ends) {
        batch->ends = calloc((size_t)batch->options.rows, sizeof *batch->ends);
        for (int row = 0; batch->ends && row < batch->options.rows; row++) {
            batch->ends[row].lineup = -1; /* nothing is known of what the last step has ended */
        }
    }
    return batch->ends != NULL;
}

int mh_batch_add_lineup(struct mh_batch *batch, const int32_t *players, char *message)
{
    const int status = check_lineup(batch, players, message);
    if (status != MH_OK) {
        return status;
    }
    const size_t seats = (size_t)batch->game->sizes.seats;
    int has_guests = 0;
    for (size_t i = 1; i < seats; i++) {
        has_guests |= players[i] <= MH_GUEST;
    }
    if (!make_room(batch, has_guests)) {
        mh_message(message, "players: no memory for another lineup");
        return MH_ERROR_MEMORY;
    }
    struct mh_lineup *lineup = &batch->lineups[batch->num_lineups];
    *lineup = (struct mh_lineup){.weight = batch->num_lineups == 0};
    memcpy(lineup->players, players, seats * sizeof *players);
    batch->weights += lineup->weight;
    return batch->num_lineups++;
}

int mh_batch_weigh_lineups(struct mh_batch *batch, const uint32_t *weights, int count, char *message)
{
    if (!batch || !weights || count != batch->num_lineups) {
        mh_message(message, "weights: %d given, there are %d lineups", count, batch ? batch->num_lineups : 0);
        return MH_ERROR_ARGUMENT;
    }
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += weights[i];
    }
    if (sum == 0 || sum > UINT32_MAX) {
        mh_message(message, "weights: together they are not from 1 to %u", UINT32_MAX);
        return MH_ERROR_ARGUMENT;
    }
    if (!keep_ends(batch)) {
        mh_message(message, "weights: no memory for how episodes end");
        return MH_ERROR_MEMORY;
    }
    batch->weights = (uint32_t)sum;
    for (int i = 0; i < count; i++) {
        batch->lineups[i].weight = weights[i];
    }
    return MH_OK;
}

int mh_batch_ended(const struct mh_batch *batch, int32_t *rows, int32_t *lineups, double *returns)
{
    const size_t seats = (size_t)batch->game->sizes.seats;
    size_t count = 0;
    for (int row = 0; batch->ends && row < batch->options.rows; row++) {
        const struct mh_end *end = &batch->ends[row];
        if (batch->reported[row] & MH_REPORTED_END && end->lineup >= 0) {
            rows[count] = row;
            lineups[count] = end->lineup;
            memcpy(returns + count * seats, end->returns, seats * sizeof *returns);
            count++;
        }
    }
    return (int)count;
}
