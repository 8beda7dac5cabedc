/* Batches: memory, threads, buffers, order of calls. The loop itself is mh_batch.inc. */
#include "frame/mh_batch.h"

#include <stdlib.h>
#include <string.h>

static int check_options(const struct mh_game *game, const struct mh_batch_options *options, char *message)
{
    const int seats = game->sizes.seats;
    if (options->rows < 1) {
        mh_message(message, "rows: %d is not at least 1", (int)options->rows);
    } else if (options->seat < -1 || options->seat >= seats) {
        mh_message(message, "seat: %d is not in 0..%d, nor -1 for one drawn from the seed", (int)options->seat,
                   seats - 1);
    } else if (options->illegal < MH_ILLEGAL_TERMINATE || options->illegal > MH_ILLEGAL_RANDOM) {
        mh_message(message, "illegal: %d is no enum mh_illegal", (int)options->illegal);
    } else if (options->autoreset < MH_AUTORESET_DISABLED || options->autoreset > MH_AUTORESET_NEXT_STEP) {
        mh_message(message, "autoreset: %d is no enum mh_autoreset", (int)options->autoreset);
    } else if (options->threads < 1) {
        mh_message(message, "threads: %d is not at least 1", (int)options->threads);
    } else {
        return mh_batch_check_players(game, options->players, message);
    }
    return MH_ERROR_ARGUMENT;
}

static int count_final_seats(const struct mh_game *game, const struct mh_batch_options *options)
{
    for (int i = 1; i < game->sizes.seats; i++) {
        if (options->players[i] == MH_CALLER) {
            return game->sizes.seats;
        }
    }
    return 1;
}

/* Cuts rows and states out of one piece of memory. */
static int give_rows(struct mh_batch *self)
{
    const size_t rows = (size_t)self->options.rows;
    const size_t states = (rows + 1) * self->stride;
    self->memory = calloc(1, rows * sizeof *self->rows + states + MH_CACHE_LINE);
    self->ahead = calloc(rows, sizeof *self->ahead);
    self->reported = calloc(rows, sizeof *self->reported);
    if (!self->memory || !self->ahead || !self->reported) {
        return 0;
    }
    self->states = self->memory;
    self->states += (MH_CACHE_LINE - (uintptr_t)self->memory % MH_CACHE_LINE) % MH_CACHE_LINE;
    self->rows = (struct mh_row *)(void *)(self->states + states);
    return 1;
}

int mh_batch_new(const struct mh_game *game, const struct mh_batch_options *options, char *message,
                 struct mh_batch **batch)
{
    if (!game || !options || !batch) {
        mh_message(message, "game, options and batch must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    int status = check_options(game, options, message);
    if (status != MH_OK) {
        return status;
    }
    const int threads = mh_pool_threads(options->threads, options->rows);
    struct mh_batch *made = calloc(1, sizeof *made);
    if (made) {
        made->game = game;
        made->options = *options;
        made->has_avx512 = mh_wide_has_avx512();
        made->stride = mh_pool_stride((size_t)game->sizes.state);
        made->parts = calloc((size_t)threads, sizeof *made->parts);
        made->final_seats = count_final_seats(game, options);
        made->earlier = mh_rounds_new(game->sizes.info);
    }
    if (!made || !made->parts || !made->earlier || !give_rows(made) ||
        mh_batch_add_lineup(made, options->players, NULL) == MH_ERROR_MEMORY) {
        mh_batch_free(&made);
        mh_message(message, "rows: no memory for %d of them", (int)options->rows);
        return MH_ERROR_MEMORY;
    }
    status = mh_pool_new(threads, message, &made->pool);
    if (status != MH_OK) {
        mh_batch_free(&made);
        return status;
    }
    *batch = made;
    return MH_OK;
}

void mh_batch_free(struct mh_batch **batch)
{
    if (batch && *batch) {
        mh_pool_free(&(*batch)->pool);
        mh_rounds_free(&(*batch)->earlier);
        free((*batch)->parts);
        free((*batch)->ahead);
        free((*batch)->reported);
        free((*batch)->kept_by);
        free((*batch)->kept_row);
        free((*batch)->kept_states);
        free((*batch)->lineups);
        free((*batch)->ends);
        free((*batch)->memory);
        free(*batch);
        *batch = NULL;
    }
}

int mh_batch_bind(struct mh_batch *batch, const struct mh_buffers *buffers, char *message)
{
    if (!batch || !buffers || !buffers->actions) {
        mh_message(message, "batch, buffers and buffers.actions must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    batch->buffers = *buffers;
    return MH_OK;
}

static void set_seed(struct mh_row *row, uint64_t seed)
{
    row->first_seed = seed;
    row->episode = 0;
}

static int check_bound(const struct mh_batch *batch, char *message)
{
    if (!batch) {
        mh_message(message, "batch must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (!batch->buffers.actions) {
        mh_message(message, "mh_batch_bind must come first");
        return MH_ERROR_ORDER;
    }
    if (batch->waiting) {
        mh_message(message, "%d rows wait for guests: mh_batch_answer or mh_batch_undo must come first",
                   batch->waiting);
        return MH_ERROR_ORDER;
    }
    return MH_OK;
}

/* Begins a call after which rows may wait for guests; what was before it is kept. */
static void begin_call(struct mh_batch *batch, int is_step)
{
    batch->calls++;
    batch->is_step = is_step;
    batch->played = 0;
    batch->kept_draws = batch->draws;
    batch->kept_started = batch->started;
}

static void start_row(struct mh_batch *batch, int row, const uint8_t *deck)
{
    batch->game->rules->start_row(batch, row, deck);
    batch->waiting += (batch->reported[row] & MH_STEP_WAITS) != 0;
}

int mh_batch_check_started(const struct mh_batch *batch, char *message)
{
    if (batch && !batch->started) { /* also without buffers, for which reset asks */
        mh_message(message, "reset must come first");
        return MH_ERROR_ORDER;
    }
    return check_bound(batch, message);
}

int mh_batch_check_shown(const struct mh_batch *batch, const uint8_t *observations, const int8_t *masks,
                         char *message)
{
    const int status = mh_batch_check_started(batch, message);
    if (status == MH_OK && (!observations || !masks)) {
        mh_message(message, "observations and masks must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    return status;
}

int mh_batch_check_row(const struct mh_batch *batch, const char *name, int row, char *message)
{
    if (row < 0 || row >= batch->options.rows) {
        mh_message(message, "%s: %d is not in 0..%d", name, row, (int)batch->options.rows - 1);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

int mh_batch_begin_reset(struct mh_batch *batch, const uint64_t *seeds, const uint8_t *chosen, char *message)
{
    const int status = check_bound(batch, message);
    if (status != MH_OK) {
        return status;
    }
    if (!batch->started && (!seeds || chosen)) {
        mh_message(message, "the first reset must give seeds to all rows");
        return MH_ERROR_ORDER;
    }
    begin_call(batch, 0);
    batch->started = 1;
    batch->draws = chosen ? batch->draws : 0;
    batch->seeds = seeds;
    batch->chosen = chosen;
    return MH_OK;
}

static void reset_rows(struct mh_batch *batch, int first, int last)
{
    for (int row = first; row < last; row++) {
        if (!batch->chosen || batch->chosen[row]) {
            mh_batch_keep_row(batch, row);
            if (batch->seeds) {
                set_seed(&batch->rows[row], batch->seeds[row]);
            }
            start_row(batch, row, NULL);
        }
    }
    if (last == batch->options.rows) {
        batch->seeds = NULL;
        batch->chosen = NULL;
    }
}

int mh_batch_reset(struct mh_batch *batch, const uint64_t *seeds, const uint8_t *chosen, char *message)
{
    const int status = mh_batch_begin_reset(batch, seeds, chosen, message);
    if (status == MH_OK) {
        reset_rows(batch, 0, batch->options.rows);
    }
    return status;
}

int mh_batch_deal(struct mh_batch *batch, int row, uint64_t seed, const uint8_t *deck, int count, char *message)
{
    int status = mh_batch_check_started(batch, message);
    if (status == MH_OK) {
        status = mh_batch_check_row(batch, "row", row, message);
    }
    if (status == MH_OK) {
        status = mh_check_deck(batch->game, deck, count, message);
    }
    if (status == MH_OK) {
        begin_call(batch, 0);
        mh_batch_keep_row(batch, row);
        set_seed(&batch->rows[row], seed);
        start_row(batch, row, deck);
    }
    return status;
}

/* True if the call at hand plays an action in the row. */
static int is_played(const struct mh_batch *batch, int row)
{
    return batch->answers ? batch->reported[row] & MH_STEP_WAITS
                          : !batch->rows[row].over && (!batch->chosen || batch->chosen[row]);
}

static int action_in(const struct mh_batch *batch, int row)
{
    return (batch->answers ? batch->answers : batch->buffers.actions)[row];
}

static int may_play(const struct mh_batch *batch, int row)
{
    const int action = action_in(batch, row);
    return !is_played(batch, row) ||
           (action >= 0 && action < batch->game->sizes.actions &&
            mh_set_has(mh_legal(batch->game->rules, mh_batch_row_state(batch, row)), action));
}

static void check_part(void *context, int part, int first, int last)
{
    const struct mh_batch *batch = context;
    int row = first;
    while (row < last && may_play(batch, row)) {
        row++;
    }
    batch->parts[part].refused = row < last ? row : -1;
}

int mh_batch_refused(const struct mh_batch *batch)
{
    const int parts = mh_pool_parts(batch->pool);
    for (int part = 0; part < parts; part++) {
        if (batch->parts[part].refused >= 0) {
            return batch->parts[part].refused;
        }
    }
    return -1;
}

/* Checks all actions first, for guests and under MH_ILLEGAL_RAISE: nothing may change unless every action is legal. */
static int check_actions(struct mh_batch *batch, char *message)
{
    mh_pool_run(batch->pool, batch->options.rows, check_part, batch);
    const int row = mh_batch_refused(batch);
    if (row < 0) {
        return MH_OK;
    }
    const struct mh_game *game = batch->game;
    const int action = action_in(batch, row);
    if (action < 0 || action >= game->sizes.actions) {
        mh_message(message, "action: %d in row %d is not in 0..%d", action, row, (int)game->sizes.actions - 1);
    } else {
        char text[MH_TEXT_SIZE];
        game->rules->action_text(action, text);
        mh_message(message, "action: %d (%s) in row %d is not legal for seat %d now", action, text, row,
                   mh_head(mh_batch_row_state(batch, row))->seat);
    }
    return MH_ERROR_ACTION;
}

static void step_part(void *context, int part, int first, int last)
{
    struct mh_batch *batch = context;
    batch->game->rules->step_rows(batch, first, last, &batch->parts[part]);
}

/* Moves the last observations of a part's episodes to where those of the parts before it stop. */
static void close_gap(const struct mh_batch *batch, const struct mh_part *part, int32_t place)
{
    const struct mh_buffers *out = &batch->buffers;
    const size_t size = (size_t)batch->final_seats * (size_t)batch->game->sizes.observation;
    const size_t from = (size_t)part->first;
    const size_t to = (size_t)place;
    const size_t ends = (size_t)part->ends;
    if (out->final_rows) {
        memmove(out->final_rows + to, out->final_rows + from, ends * sizeof *out->final_rows);
    }
    if (out->final_observations) {
        memmove(out->final_observations + to * size, out->final_observations + from * size, ends * size);
    }
}

/* Closes the gaps between the parts; returns how many episodes have ended. */
static int32_t pack_parts(const struct mh_batch *batch)
{
    const int parts = mh_pool_parts(batch->pool);
    int32_t ends = 0;
    for (int i = 0; i < parts; i++) {
        const struct mh_part *part = &batch->parts[i];
        if (part->ends > 0 && ends < part->first) {
            close_gap(batch, part, ends);
        }
        ends += part->ends;
    }
    return ends;
}

/* The same where guests play, whose answers end episodes in any order: each has been written at the row's own place. */
static int32_t pack_rows(const struct mh_batch *batch)
{
    int32_t ends = 0;
    for (int row = 0; row < batch->options.rows; row++) {
        if (batch->reported[row] & MH_REPORTED_END) {
            const struct mh_part single = {.first = row, .ends = 1};
            close_gap(batch, &single, ends);
            ends++;
        }
    }
    return ends;
}

/* Puts together what the parts have found; `changes` rows had some already. Only steps report it. */
static void gather(struct mh_batch *batch, int32_t changes)
{
    const int parts = mh_pool_parts(batch->pool);
    batch->waiting = 0;
    for (int i = 0; i < parts; i++) {
        changes += batch->parts[i].changes;
        batch->waiting += batch->parts[i].waiting;
    }
    if (batch->buffers.changes && batch->is_step) {
        *batch->buffers.changes = changes;
    }
    if (batch->is_step && !batch->waiting) {
        const int32_t ends = batch->has_guests ? pack_rows(batch) : pack_parts(batch);
        if (batch->buffers.final_count) {
            *batch->buffers.final_count = ends;
        }
    }
}

static int begin_step(struct mh_batch *batch, char *message)
{
    if (batch->options.illegal == MH_ILLEGAL_RAISE) {
        const int status = check_actions(batch, message);
        if (status != MH_OK) {
            return status;
        }
    }
    begin_call(batch, 1);
    batch->has_ahead = batch->uniform && !batch->chosen; /* rows that are left out make none */
    batch->uniform = 0;
    batch->draws = 0;
    return MH_OK;
}

static int step(struct mh_batch *batch, char *message)
{
    const int status = begin_step(batch, message);
    if (status == MH_OK) {
        mh_pool_run(batch->pool, batch->options.rows, step_part, batch);
        gather(batch, 0);
    }
    return status;
}

int mh_batch_step(struct mh_batch *batch, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    return status == MH_OK ? step(batch, message) : status;
}

int mh_batch_play(struct mh_batch *batch, int action)
{
    const int status = mh_batch_check_started(batch, NULL);
    if (status != MH_OK) {
        return status;
    }
    const struct mh_buffers *out = &batch->buffers;
    if (batch->options.rows != 1 || !out->rewards || !out->changes) {
        return MH_ERROR_ARGUMENT;
    }
    *out->actions = action;
    const int failed = step(batch, NULL);
    return failed ? failed : *out->rewards != 0 || *out->changes != 0;
}

int mh_batch_step_to(struct mh_batch *batch, uint8_t *observations, int8_t *masks, char *message)
{
    int status = mh_batch_check_shown(batch, observations, masks, message);
    if (status == MH_OK) {
        uint8_t *own_observations = batch->buffers.observations;
        int8_t *own_masks = batch->buffers.masks;
        batch->buffers.observations = observations;
        batch->buffers.masks = masks;
        status = step(batch, message);
        batch->buffers.observations = own_observations;
        batch->buffers.masks = own_masks;
    }
    return status;
}

int mh_batch_step_chosen(struct mh_batch *batch, const uint8_t *chosen, char *message)
{
    int status = mh_batch_check_started(batch, message);
    if (status == MH_OK) {
        batch->chosen = chosen;
        status = step(batch, message);
        batch->chosen = NULL;
    }
    return status;
}

/* ---- Steps in slices -------------------------------------------------------------------------------------- */

int mh_batch_begin_step(struct mh_batch *batch, char *message)
{
    const int status = mh_batch_check_started(batch, message);
    return status == MH_OK ? begin_step(batch, message) : status;
}

/* Steps rows, as if each slice were a part, and adds what they have found to that of the rows before. */
static void step_slice(struct mh_batch *batch, int first, int last)
{
    struct mh_part *all = batch->parts;
    struct mh_part slice;
    batch->game->rules->step_rows(batch, first, last, &slice);
    *all = first == 0 ? (struct mh_part){.refused = -1} : *all;
    if (slice.ends > 0 && all->ends < first && !batch->has_guests) {
        close_gap(batch, &slice, all->ends);
    }
    all->changes += slice.changes;
    all->ends += slice.ends;
    all->waiting += slice.waiting;
    if (last == batch->options.rows) {
        gather(batch, 0);
    }
}

int mh_batch_continue(struct mh_batch *batch, int rows)
{
    const int first = batch->played;
    const int left = batch->options.rows - first;
    const int last = first + (rows < left ? rows : left);
    if (batch->is_step) {
        step_slice(batch, first, last);
    } else {
        reset_rows(batch, first, last);
    }
    batch->played = last;
    return batch->options.rows - last;
}

/* ---- Guests ---------------------------------------------------------------------------------------------- */

int mh_batch_waiting(const struct mh_batch *batch, int guest, int32_t *rows)
{
    int count = 0;
    for (int row = 0; batch && batch->waiting && row < batch->options.rows; row++) {
        if (batch->reported[row] & MH_STEP_WAITS) {
            const int seat = mh_head(mh_batch_row_state(batch, row))->seat;
            if (mh_batch_player(batch, &batch->rows[row], seat) == guest) {
                rows[count++] = row;
            }
        }
    }
    return count;
}

int mh_batch_answer(struct mh_batch *batch, const int32_t *actions, char *message)
{
    if (!batch || !actions || !batch->waiting) {
        mh_message(message, "batch and actions must not be NULL, and a row must wait for a guest");
        return MH_ERROR_ARGUMENT;
    }
    batch->answers = actions;
    const int status = check_actions(batch, message);
    if (status == MH_OK) {
        mh_pool_run(batch->pool, batch->options.rows, step_part, batch);
        gather(batch, batch->buffers.changes ? *batch->buffers.changes : 0);
    }
    batch->answers = NULL;
    return status;
}

void mh_batch_undo(struct mh_batch *batch)
{
    if (!batch || !batch->waiting) {
        return;
    }
    batch->waiting = 0;
    batch->draws = batch->kept_draws;
    batch->started = batch->kept_started;
    for (int row = 0; row < batch->options.rows && batch->started; row++) {
        if (batch->kept_by[row] == batch->calls) {
            batch->rows[row] = batch->kept_row[row];
            memcpy(mh_batch_row_state(batch, row), mh_batch_kept_state(batch, row), batch->stride);
            batch->game->rules->show_row(batch, row);
        }
    }
}

int mh_batch_earlier(const struct mh_batch *batch, int capacity, int32_t *rows, uint8_t *finals, int64_t *numbers)
{
    return batch ? mh_rounds_list(batch->earlier, capacity, rows, finals, numbers) : MH_ERROR_ARGUMENT;
}

int mh_batch_final_seats(const struct mh_batch *batch)
{
    return batch ? batch->final_seats : 0;
}

const void *mh_batch_state(const struct mh_batch *batch, int row)
{
    return batch && batch->started && row >= 0 && row < batch->options.rows ? mh_batch_row_state(batch, row) : NULL;
}

int mh_batch_own_seat(const struct mh_batch *batch, int row)
{
    return mh_batch_state(batch, row) ? batch->rows[row].own : -1;
}

uint64_t mh_batch_seed(const struct mh_batch *batch, int row)
{
    return mh_batch_state(batch, row) ? batch->rows[row].seed : 0;
}

int mh_batch_lineup(const struct mh_batch *batch, int row)
{
    return mh_batch_state(batch, row) ? batch->rows[row].lineup : -1;
}
