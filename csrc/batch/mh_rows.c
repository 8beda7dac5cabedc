/* Rows of a batch looked into, saved, loaded and copied. A saved row is a record of what the batch knows of it, then
 * its state's snapshot. */
#include <math.h>

#include "base/mh_bits.h"
#include "frame/mh_batch.h"

enum { RECORD_VERSION = 2 };

struct row_record {
    char magic[4];
    uint32_t version;
    struct mh_row row;
};

_Static_assert(sizeof(struct row_record) == 8 + 4 * 8 + MH_MAX_SEATS * 4 + 8, "records have no gaps");
_Static_assert(sizeof(struct row_record) == (size_t)MH_ROW_HEADER, "mh_sizes.row has room for it");

static const char magic[4] = {'M', 'H', 'R', 'W'};

static void order_record(struct row_record *record)
{
    struct mh_row *row = &record->row;
    mh_order(&record->version, 1, sizeof record->version);
    mh_order(&row->first_seed, 1, sizeof row->first_seed);
    mh_order(&row->seed, 1, sizeof row->seed);
    mh_order(&row->episode, 1, sizeof row->episode);
    mh_order(&row->rng.state, 1, sizeof row->rng.state);
    mh_order(row->pending, MH_MAX_SEATS, sizeof *row->pending);
    mh_order(&row->rounds, 1, sizeof row->rounds);
    mh_order(&row->lineup, 1, sizeof row->lineup);
}

static int check_row(const struct mh_batch *batch, const char *name, int row, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    return status == MH_OK ? mh_batch_check_row(batch, name, row, message) : status;
}

struct observe_job {
    const struct mh_batch *batch;
    uint8_t *observations;
    int8_t *masks;
};

static void observe_part(void *context, int part, int first, int last)
{
    const struct observe_job *job = context;
    (void)part;
    for (int index = first; index < last; index++) {
        job->batch->game->rules->observe_row(job->batch, index, job->observations, job->masks);
    }
}

int mh_batch_observe(const struct mh_batch *batch, uint8_t *observations, int8_t *masks, char *message)
{
    const int status = mh_batch_check_shown(batch, observations, masks, message);
    if (status == MH_OK) {
        struct observe_job job = {batch, observations, masks};
        mh_pool_run(batch->pool, batch->options.rows, observe_part, &job);
    }
    return status;
}

int mh_batch_results(const struct mh_batch *batch, int64_t *results, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    if (status != MH_OK) {
        return status;
    }
    if (!results || !batch->buffers.results) {
        mh_message(message, "results must not be NULL, here and in mh_buffers");
        return MH_ERROR_ARGUMENT;
    }
    const size_t info = (size_t)batch->game->sizes.info;
    memset(results, 0, (size_t)batch->options.rows * info * sizeof *results);
    for (size_t row = 0; row < (size_t)batch->options.rows; row++) {
        if (batch->reported[row] & MH_REPORTED_RESULTS) {
            memcpy(results + row * info, batch->buffers.results + row * info, info * sizeof *results);
        }
    }
    return MH_OK;
}

struct omniscient_job {
    const struct mh_batch *batch;
    uint8_t *omniscient;
};

static void omniscient_part(void *context, int part, int first, int last)
{
    const struct omniscient_job *job = context;
    const struct mh_game *game = job->batch->game;
    (void)part;
    for (int row = first; row < last; row++) {
        game->rules->omniscient(mh_batch_row_state(job->batch, row),
                                job->omniscient + (size_t)row * (size_t)game->sizes.omniscient);
    }
}

int mh_batch_omniscient(const struct mh_batch *batch, uint8_t *omniscient, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    if (status != MH_OK) {
        return status;
    }
    if (!omniscient) {
        mh_message(message, "omniscient must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    struct omniscient_job job = {batch, omniscient};
    mh_pool_run(batch->pool, batch->options.rows, omniscient_part, &job);
    return MH_OK;
}

/* ---- Afterstates ----------------------------------------------------------------------------------------- */

struct afterstates_job {
    const struct mh_batch *batch;
    struct mh_afterstate_list out; /* the arrays, all of them */
    struct mh_wanted wanted;
    int all;
};

/* The place in the arrays from which on rows from `first` on may write while several threads do so. */
static size_t first_place(const struct afterstates_job *job, int first)
{
    return (size_t)((int64_t)job->out.capacity * first / job->batch->options.rows);
}

/* Lists the afterstates of rows `first` up to `last` in places `from` up to `to` of the arrays. Returns how many. */
static int list_afterstates(const struct afterstates_job *job, int first, int last, size_t from, size_t to)
{
    const struct mh_batch *batch = job->batch;
    struct mh_afterstate_list some = job->out;
    some.capacity = (int)(to - from);
    if (some.capacity) {
        some.rows += from;
        some.actions += from;
        some.features += from * (size_t)some.num_features;
        some.values += from;
    }
    for (some.row = first; some.row < last; some.row++) {
        if (!batch->rows[some.row].over) {
            batch->game->rules->afterstates(mh_batch_row_state(batch, some.row), job->all, &job->wanted,
                                            mh_afterstate_list_add, &some);
        }
    }
    return some.count;
}

static void afterstates_part(void *context, int part, int first, int last)
{
    const struct afterstates_job *job = context;
    struct mh_part *found = &job->batch->parts[part];
    found->first = first;
    found->afterstates = list_afterstates(job, first, last, first_place(job, first), first_place(job, last));
}

/* Closes the gaps between the shares of the parts. Returns 0 where one of them was too small. */
static int close_gaps(const struct afterstates_job *job)
{
    const struct mh_afterstate_list *out = &job->out;
    const struct mh_batch *batch = job->batch;
    const int parts = mh_pool_parts(batch->pool);
    const size_t width = (size_t)out->num_features;
    size_t to = 0;
    for (int i = 0; i < parts; i++) {
        const size_t from = first_place(job, batch->parts[i].first);
        const size_t end = first_place(job, i + 1 < parts ? batch->parts[i + 1].first : batch->options.rows);
        const size_t count = (size_t)batch->parts[i].afterstates;
        if (count > end - from) {
            return 0;
        }
        if (count && to < from) {
            memmove(out->rows + to, out->rows + from, count * sizeof *out->rows);
            memmove(out->actions + to, out->actions + from, count * sizeof *out->actions);
            memmove(out->features + to * width, out->features + from * width,
                    count * width * sizeof *out->features);
            memmove(out->values + to, out->values + from, count * sizeof *out->values);
        }
        to += count;
    }
    return 1;
}

int mh_batch_afterstates(const struct mh_batch *batch, int all, const uint8_t *skipped, int capacity, int32_t *rows,
                         int32_t *actions, float *features, double *values, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    if (status != MH_OK) {
        return status;
    }
    if (!batch->game->rules->afterstates) {
        mh_message(message, "%s has no features", batch->game->rules->spec->id);
        return MH_ERROR_GAME;
    }
    if (capacity < 0 || (capacity && (!rows || !actions || !features || !values))) {
        mh_message(message, "capacity: %d; expected 0 or more, and arrays that are not NULL", capacity);
        return MH_ERROR_ARGUMENT;
    }
    uint64_t wanted[MH_NET_WIDTH / 64] = {0}, others[MH_NET_WIDTH / 64] = {0};
    for (int i = 0; skipped && i < batch->game->sizes.features; i++) {
        mh_set_add(skipped[i] ? others : wanted, i);
    }
    struct afterstates_job job = {
        .batch = batch,
        .all = all,
        .wanted = {.features = skipped ? wanted : NULL},
        .out = {.capacity = capacity,
                .num_features = batch->game->sizes.features,
                .skipped = skipped ? others : NULL,
                .rows = rows,
                .actions = actions,
                .features = features,
                .values = values},
    };
    const int count = batch->options.rows;
    mh_pool_run(batch->pool, count, afterstates_part, &job);
    int found = 0;
    for (int i = 0; i < mh_pool_parts(batch->pool); i++) {
        found += batch->parts[i].afterstates;
    }
    if (found <= capacity && !close_gaps(&job)) { /* there is room, but not where it was needed: rarely */
        list_afterstates(&job, 0, count, 0, (size_t)capacity);
    }
    return found;
}

/* ---- Saving ---------------------------------------------------------------------------------------------- */

int mh_batch_save_row(const struct mh_batch *batch, int row, uint8_t *snapshot, char *message)
{
    const int status = check_row(batch, "row", row, message);
    if (status != MH_OK) {
        return status;
    }
    if (!snapshot) {
        mh_message(message, "snapshot must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    struct row_record record = {.version = RECORD_VERSION, .row = batch->rows[row]};
    memcpy(record.magic, magic, sizeof magic);
    order_record(&record);
    memcpy(snapshot, &record, sizeof record);
    return mh_state_save(batch->game, mh_batch_row_state(batch, row), snapshot + sizeof record);
}

/* ---- Checks ---------------------------------------------------------------------------------------------- */

/* Seed and own seat follow from the first seed and the episode's number. */
static int check_episode(const struct mh_batch *batch, const struct mh_row *row, char *message)
{
    struct mh_row expected = {.first_seed = row->first_seed, .episode = row->episode - 1};
    mh_batch_next_episode(batch, &expected);
    if (row->episode == 0 || row->seed != expected.seed) {
        mh_message(message, "snapshot: its seed is not one of its sequence");
    } else if (row->lineup >= batch->num_lineups) {
        mh_message(message, "snapshot: its lineup is number %d, this batch has %d", row->lineup,
                   batch->num_lineups);
    } else if (row->own != expected.own) {
        mh_message(message, "snapshot: its own seat is %d, in this batch it would be %d", row->own, expected.own);
    } else {
        return MH_OK;
    }
    return MH_ERROR_SNAPSHOT;
}

static int check_pending(const struct mh_batch *batch, const struct mh_row *row, char *message)
{
    for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
        const int none = row->over || seat >= batch->game->sizes.seats;
        if (!isfinite(row->pending[seat]) || (none && row->pending[seat] != 0)) {
            mh_message(message, "snapshot: seat %d cannot have earned %g", seat, (double)row->pending[seat]);
            return MH_ERROR_SNAPSHOT;
        }
    }
    return MH_OK;
}

/* Whose turn it is; whether a row of this batch can be over, and by an illegal action. */
static int check_turn(const struct mh_batch *batch, const struct mh_row *row, const struct mh_head *head,
                      char *message)
{
    const int seat = head->seat;
    if (row->over > 1 || row->rounds != head->rounds || (seat < 0 && !row->over) || seat == MH_BETWEEN_ROUNDS) {
        mh_message(message, "snapshot: these bytes are damaged");
    } else if (row->over && batch->options.autoreset == MH_AUTORESET_SAME_STEP) {
        mh_message(message,
                   "snapshot: its episode is over, which no row of a batch with autoreset in the same step is");
    } else if (row->over && seat >= 0 && batch->options.illegal != MH_ILLEGAL_TERMINATE) {
        mh_message(message, "snapshot: an illegal action ended its episode, which this batch does not allow");
    } else if (seat >= 0 && mh_batch_player(batch, row, seat) != MH_CALLER) {
        mh_message(message, "snapshot: seat %d is to act, which the caller of this batch does not play", seat);
    } else {
        return MH_OK;
    }
    return MH_ERROR_SNAPSHOT;
}

static int check_record(const struct mh_batch *batch, const struct row_record *record, char *message)
{
    if (memcmp(record->magic, magic, sizeof magic) != 0) {
        mh_message(message, "snapshot: these bytes are no snapshot of a row");
    } else if (record->version != RECORD_VERSION) {
        mh_message(message, "snapshot: version %u of a row, this build reads version %d", (unsigned)record->version,
                   (int)RECORD_VERSION);
    } else {
        const int status = check_episode(batch, &record->row, message);
        return status == MH_OK ? check_pending(batch, &record->row, message) : status;
    }
    return MH_ERROR_SNAPSHOT;
}

/* ---- Loading and copying --------------------------------------------------------------------------------- */

int mh_batch_load_row(struct mh_batch *batch, int row, const uint8_t *snapshot, size_t size, char *message)
{
    int status = check_row(batch, "row", row, message);
    if (status != MH_OK) {
        return status;
    }
    const struct mh_game *game = batch->game;
    if (!snapshot || size != (size_t)game->sizes.row) {
        mh_message(message, "snapshot: %zu bytes given, a row of %s with these options needs %d",
                   snapshot ? size : 0, game->rules->spec->id, (int)game->sizes.row);
        return MH_ERROR_SNAPSHOT;
    }
    struct row_record record;
    memcpy(&record, snapshot, sizeof record);
    order_record(&record);
    status = check_record(batch, &record, message);
    void *state = mh_batch_row_state(batch, batch->options.rows);
    if (status == MH_OK) {
        status = mh_state_load(game, state, snapshot + sizeof record, size - sizeof record, message);
    }
    if (status == MH_OK) {
        status = check_turn(batch, &record.row, mh_head(state), message);
    }
    if (status == MH_OK) {
        batch->rows[row] = record.row;
        memcpy(mh_batch_row_state(batch, row), state, (size_t)game->sizes.state);
        game->rules->show_row(batch, row);
    }
    return status;
}

int mh_batch_copy_row(struct mh_batch *batch, int from, int to, char *message)
{
    int status = check_row(batch, "from", from, message);
    if (status == MH_OK) {
        status = check_row(batch, "to", to, message);
    }
    if (status == MH_OK) {
        batch->rows[to] = batch->rows[from];
        memmove(mh_batch_row_state(batch, to), mh_batch_row_state(batch, from), (size_t)batch->game->sizes.state);
        batch->game->rules->show_row(batch, to);
    }
    return status;
}
