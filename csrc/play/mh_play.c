/* Episodes that built-in bots play to the end: one, many from the same state, and many from their deals; searches. */
#include <math.h>
#include <string.h>

#include "base/mh_pool.h"
#include "mh_bots.h"
#include "mh_search.h"

/* ---- Results of rounds --------------------------------------------------------------------------------------- */

/* Each seat has its own number, or the only one is the winner's. */
int mh_state_add_round(const struct mh_game *game, const void *state, int64_t *numbers, int64_t *tally)
{
    if (mh_check_state(game, state, NULL) != MH_OK || !numbers || !tally) {
        return MH_ERROR_ARGUMENT;
    }
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_info_field *winner_at = mh_spec_role(spec, MH_ROLE_WINNER, 0);
    game->rules->info(state, numbers);
    const int64_t winner = winner_at ? numbers[winner_at->offset] : -1;
    for (int seat = 0; seat < game->sizes.seats; seat++) {
        int64_t *sums = tally + (size_t)seat * (size_t)game->sizes.tally;
        const struct mh_info_field *field;
        sums[0] += seat == winner;
        for (int i = 0; (field = mh_spec_role(spec, MH_ROLE_TOTAL, i)); i++) {
            const int64_t *brought = numbers + field->offset;
            sums[i + 1] += field->per_seat ? brought[seat] : seat == winner ? brought[0] : 0;
        }
    }
    return MH_OK;
}

/* ---- One episode --------------------------------------------------------------------------------------------- */

/* The notes taken of an episode while it is played. Any pointer may be NULL, but not `numbers` where there is a
 * tally. */
struct notes {
    int64_t *numbers; /* room for the public ones */
    int64_t *tally;   /* to which rounds are added: also one that ends with the deal, before anybody acts */
    int32_t *actions;
    int32_t room; /* for actions */
    int32_t length;
    int32_t rounds; /* that have been added to the tally */
};

/* The seat to act next, or -1 at the end. */
static int next_turn(const struct mh_game *game, void *state, struct notes *notes)
{
    const struct mh_head *head = mh_head(state);
    if (notes->tally && head->rounds != notes->rounds) {
        notes->rounds = head->rounds;
        (void)mh_state_add_round(game, state, notes->numbers, notes->tally);
    }
    game->rules->next_round(state);
    return head->seat;
}

static void play_action(const struct mh_game *game, void *state, int action, struct notes *notes)
{
    if (notes->actions && notes->length < notes->room) {
        notes->actions[notes->length] = action;
    }
    notes->length++;
    mh_apply(game->rules, state, action);
}

/* Plays to the end. */
static void play_noted(const struct mh_game *game, void *state, const int32_t *bots, uint64_t seed,
                       struct notes *notes)
{
    struct mh_rng rng = mh_rng_stream(seed, 'P');
    int seat = next_turn(game, state, notes);
    for (; seat >= 0; seat = next_turn(game, state, notes)) {
        play_action(game, state, mh_bot_choose(game, bots[seat], state, &rng), notes);
    }
}

enum phase { NEW, OPEN, SEARCHING, OVER };

/* Plays on until *play_outs, from which those of searches are taken away, is 0 or less, or to the end. */
static void play_on(const struct mh_game *game, struct mh_piece *it, const int32_t *bots, struct notes *notes,
                    int64_t *play_outs)
{
    for (;;) {
        const int seat = it->phase == SEARCHING ? mh_head(it->state)->seat : next_turn(game, it->state, notes);
        if (seat < 0) {
            it->phase = OVER;
            return;
        }
        const struct mh_bot *bot = &game->bots[bots[seat]];
        if (bot->act != mh_search_act) {
            play_action(game, it->state, bot->act(bot, it->state, &it->rng), notes);
            continue;
        }
        if (it->phase != SEARCHING) {
            mh_search_begin(bot->settings, it->state, &it->rng, &it->searching);
            it->phase = SEARCHING;
        }
        if (!mh_search_on(&it->searching, NULL, play_outs)) {
            return;
        }
        it->phase = OPEN;
        play_action(game, it->state, it->searching.found.tried[0].action, notes);
    }
}

int mh_state_play_out(const struct mh_game *game, void *state, const int32_t *bots, uint64_t seed)
{
    if (mh_check_state(game, state, NULL) != MH_OK || mh_bots_check(game, bots, NULL) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    play_noted(game, state, bots, seed, &(struct notes){0});
    return MH_OK;
}

/* ---- Many, by several threads -------------------------------------------------------------------------------- */

/* Episodes to be played. */
struct episodes {
    const struct mh_game *game;
    const uint64_t *seeds;
    const int32_t *bots;
    const void *state; /* the start of all of them, as `observer` may see it; NULL: each begins with its deal */
    int observer;
    struct mh_outcomes outcomes;
};

static void begin_episode(const struct episodes *all, int index, void *state)
{
    const struct mh_game *game = all->game;
    if (!all->state) {
        memset(state, 0, (size_t)game->sizes.state);
        game->rules->reset(state, game->options, all->seeds[index], NULL);
        return;
    }
    memcpy(state, all->state, (size_t)game->sizes.state);
    if (all->observer >= 0) {
        game->rules->resample(state, all->observer, all->seeds[index]);
    }
}

/* The piece of an episode, or NULL where it is played at once. */
static struct mh_piece *piece_of(const struct episodes *all, size_t index)
{
    char *memory = all->outcomes.pieces.memory;
    return memory ? (void *)(memory + index * (size_t)all->game->sizes.piece) : NULL;
}

/* Plays some of an episode, in its piece. */
static void play_some(const struct episodes *all, size_t index, struct mh_piece *piece, struct notes *notes,
                      int64_t *play_outs)
{
    if (piece->phase == NEW) {
        begin_episode(all, (int)index, piece->state);
        piece->rng = mh_rng_stream(all->seeds[index], 'P');
        piece->phase = OPEN;
    }
    notes->length = piece->length;
    notes->rounds = piece->rounds;
    play_on(all->game, piece, all->bots + index * (size_t)all->game->sizes.seats, notes, play_outs);
    piece->length = notes->length;
    piece->rounds = notes->rounds;
}

static void write_outcome(const struct mh_outcomes *out, size_t index, size_t seats, const struct mh_head *head,
                          int32_t length)
{
    if (out->lengths) {
        out->lengths[index] = length;
    }
    if (out->returns) {
        memcpy(out->returns + index * seats, head->returns, seats * sizeof *out->returns);
    }
    if (out->rounds) {
        out->rounds[index] = head->rounds;
    }
}

/* In memory for a state, then public numbers. */
static void play_part(void *context, void *memory, int first, int last)
{
    const struct episodes *all = context;
    const struct mh_outcomes *out = &all->outcomes;
    const struct mh_game *game = all->game;
    const size_t seats = (size_t)game->sizes.seats;
    const size_t tally = seats * (size_t)game->sizes.tally;
    int64_t play_outs = out->pieces.play_outs;
    for (int i = first; i < last; i++) {
        const size_t at = (size_t)i;
        struct mh_piece *piece = piece_of(all, at);
        void *state = piece ? piece->state : memory;
        struct notes notes = {.numbers = (int64_t *)memory + game->sizes.state / (int)sizeof(int64_t),
                              .tally = out->tally ? out->tally + at * tally : NULL,
                              .actions = out->actions ? out->actions + at * (size_t)out->room : NULL,
                              .room = out->room};
        if (notes.tally && (!piece || piece->phase == NEW)) {
            memset(notes.tally, 0, tally * sizeof *notes.tally);
        }
        if (!piece) {
            begin_episode(all, i, state);
            play_noted(game, state, all->state ? all->bots : all->bots + at * seats, all->seeds[i], &notes);
        } else if (piece->phase != OVER) {
            play_some(all, at, piece, &notes, &play_outs);
        } else {
            continue;
        }
        write_outcome(out, at, seats, mh_head(state), notes.length);
    }
}

static int check_count(const struct episodes *all, int count, int threads, char *message)
{
    if (count < 1) {
        mh_message(message, "count: %d is not at least 1", count);
    } else if (threads < 1) {
        mh_message(message, "threads: %d is not at least 1", threads);
    } else if (!all->seeds) {
        mh_message(message, "seeds must not be NULL");
    } else {
        return MH_OK;
    }
    return MH_ERROR_ARGUMENT;
}

static int check_pieces(const struct mh_pieces *pieces, char *message)
{
    if (pieces->memory && pieces->play_outs < 1) {
        mh_message(message, "play_outs: %lld is not at least 1", (long long)pieces->play_outs);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

static int play_all(struct episodes *all, int count, int threads, char *message)
{
    const struct mh_sizes *sizes = &all->game->sizes;
    const size_t size = (size_t)sizes->state + (size_t)sizes->info * sizeof(int64_t);
    int status = mh_pool_once(threads, count, size, play_part, all, message);
    for (int i = 0; status >= MH_OK && all->outcomes.pieces.memory && i < count; i++) {
        status += piece_of(all, (size_t)i)->phase != OVER;
    }
    return status;
}

int mh_state_play_outs(const struct mh_game *game, const void *state, int observer, const int32_t *bots, int count,
                       const uint64_t *seeds, int threads, double *returns, char *message)
{
    struct episodes all = {.game = game,
                           .seeds = seeds,
                           .bots = bots,
                           .state = state,
                           .observer = observer,
                           .outcomes = {.returns = returns}};
    int status = mh_check_state(game, state, message);
    if (status == MH_OK && (observer < -1 || observer >= game->sizes.seats)) {
        mh_message(message, "observer: %d is not in 0..%d, nor -1 for none", observer, (int)game->sizes.seats - 1);
        status = MH_ERROR_ARGUMENT;
    }
    if (status == MH_OK && !returns) {
        mh_message(message, "returns must not be NULL");
        status = MH_ERROR_ARGUMENT;
    }
    status = status == MH_OK ? mh_bots_check(game, bots, message) : status;
    status = status == MH_OK ? check_count(&all, count, threads, message) : status;
    return status == MH_OK ? play_all(&all, count, threads, message) : status;
}

int mh_game_play(const struct mh_game *game, int count, const uint64_t *seeds, const int32_t *bots, int threads,
                 const struct mh_outcomes *outcomes, char *message)
{
    if (!game || !bots || !outcomes || (outcomes->actions && outcomes->room < 0)) {
        mh_message(message, "game, bots and outcomes must not be NULL, and there must be room for actions");
        return MH_ERROR_ARGUMENT;
    }
    struct episodes all = {.game = game, .seeds = seeds, .bots = bots, .outcomes = *outcomes};
    int status = check_count(&all, count, threads, message);
    status = status == MH_OK ? check_pieces(&outcomes->pieces, message) : status;
    for (int i = 0; status == MH_OK && i < count; i++) {
        status = mh_bots_check(game, bots + (size_t)i * (size_t)game->sizes.seats, message);
    }
    return status == MH_OK ? play_all(&all, count, threads, message) : status;
}

/* ---- Searches ------------------------------------------------------------------------------------------------ */

static void write_number(double *numbers, int index, double value)
{
    if (numbers) {
        numbers[index] = value;
    }
}

static void write_tried(const struct mh_tried *it, int index, struct mh_search_result *result)
{
    if (result->visits) {
        result->visits[index] = it->visits;
    }
    write_number(result->values, index, it->value);
    write_number(result->halves, index, it->half);
    write_number(result->gains, index, it->gain);
    write_number(result->gain_halves, index, it->gain_half);
}

static void write_found(const struct mh_game *game, const void *state, const struct mh_found *found,
                        struct mh_search_result *result)
{
    static const struct mh_tried untried = {.value = NAN, .half = NAN, .gain = NAN, .gain_half = NAN};
    const uint64_t *legal = mh_legal(game->rules, state);
    int index = 0;
    for (int action = mh_set_next(legal, game->legal_words, 0); action >= 0;
         action = mh_set_next(legal, game->legal_words, action + 1), index++) {
        const struct mh_tried *it = &untried;
        for (int k = 0; k < found->count; k++) {
            it = found->tried[k].action == action ? &found->tried[k] : it;
        }
        write_tried(it, index, result);
    }
    result->action = found->tried[0].action;
    result->prior = found->prior;
}

/* Searches on; returns 1 if there is more to do. */
static int search_on(const struct mh_game *game, const void *state, int threads, struct mh_piece *it,
                     struct mh_search_result *result, char *message)
{
    struct mh_pool *pool = NULL;
    int64_t play_outs = result->pieces.memory ? result->pieces.play_outs : INT64_MAX;
    const int status = mh_pool_new(threads, message, &pool);
    if (status != MH_OK) {
        return status;
    }
    it->phase = mh_search_on(&it->searching, pool, &play_outs) ? NEW : SEARCHING;
    mh_pool_free(&pool);
    if (it->phase == NEW) {
        write_found(game, state, &it->searching.found, result);
    }
    return it->phase == SEARCHING;
}

int mh_state_search(const struct mh_game *game, const void *state, const char *settings, uint64_t random,
                    int threads, struct mh_search_result *result, char *message)
{
    struct mh_piece whole;
    int status = mh_check_state(game, state, message);
    if (status == MH_OK && (!settings || !result || threads < 1)) {
        mh_message(message, "settings and result must not be NULL, and threads (%d) at least 1", threads);
        status = MH_ERROR_ARGUMENT;
    }
    status = status == MH_OK ? check_pieces(&result->pieces, message) : status;
    status = status == MH_OK ? mh_check_turn(state, message) : status;
    if (status != MH_OK) {
        return status;
    }
    struct mh_piece *it = result->pieces.memory ? result->pieces.memory : &whole;
    if (it == &whole || it->phase == NEW) {
        struct mh_rng rng = {random};
        status = mh_bots_read_search(game, settings, &it->search, message);
        if (status != MH_OK) {
            return status;
        }
        mh_search_begin(&it->search, state, &rng, &it->searching);
        result->random = rng.state;
    }
    return search_on(game, state, threads, it, result, message);
}
