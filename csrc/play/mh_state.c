/* States from outside: every argument is looked at before the game sees it. */
#include <math.h>
#include <string.h>

#include "base/mh_read.h"
#include "mh_bots.h"

/* ---- Snapshots: header, then the state's bytes, with the same bytes on every machine ------------------------ */

enum { SNAPSHOT_VERSION = 2 };

struct snapshot_header {
    char magic[4];
    uint32_t version;
    char game[24];
    uint64_t layout_hash;
    uint64_t size; /* of the state */
};

static const char magic[4] = {'M', 'H', 'S', 'N'};

_Static_assert(sizeof(struct snapshot_header) == (size_t)MH_SNAPSHOT_HEADER, "mh_sizes.snapshot has room for it");

static struct snapshot_header make_header(const struct mh_game *game)
{
    struct snapshot_header header = {.version = SNAPSHOT_VERSION};
    memcpy(header.magic, magic, sizeof magic);
    strncpy(header.game, game->rules->spec->id, sizeof header.game - 1);
    header.layout_hash = game->layout_hash;
    header.size = (uint64_t)game->sizes.state;
    return header;
}

static void order_header(struct snapshot_header *header)
{
    mh_order(&header->version, 1, sizeof header->version);
    mh_order(&header->layout_hash, 1, sizeof header->layout_hash);
    mh_order(&header->size, 1, sizeof header->size);
}

/* ---- Checks ---------------------------------------------------------------------------------------------- */

int mh_check_state(const struct mh_game *game, const void *state, char *message)
{
    if (!game || !state) {
        mh_message(message, "game and state must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if ((uintptr_t)state % 8) {
        mh_message(message, "state: its address must be a multiple of 8");
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

int mh_check_turn(const void *state, char *message)
{
    switch (mh_head(state)->seat) {
    case MH_OVER:
        mh_message(message, "the episode is over: nobody is to act");
        return MH_ERROR_OVER;
    case MH_BETWEEN_ROUNDS:
        mh_message(message, "the state is between rounds: nobody is to act before the next one is dealt");
        return MH_ERROR_BETWEEN;
    default:
        return MH_OK;
    }
}

static int check_seat(const struct mh_game *game, int seat)
{
    return seat >= 0 && seat < game->sizes.seats ? MH_OK : MH_ERROR_ARGUMENT;
}

/* ---- Life of a state ------------------------------------------------------------------------------------- */

int mh_state_reset(const struct mh_game *game, void *state, uint64_t seed, char *message)
{
    const int status = mh_check_state(game, state, message);
    if (status == MH_OK) {
        memset(state, 0, (size_t)game->sizes.state);
        game->rules->reset(state, game->options, seed, NULL);
    }
    return status;
}

int mh_state_deal(const struct mh_game *game, void *state, uint64_t seed, const uint8_t *deck, int count,
                  char *message)
{
    int status = mh_check_state(game, state, message);
    if (status == MH_OK) {
        status = mh_check_deck(game, deck, count, message);
    }
    if (status == MH_OK) {
        memset(state, 0, (size_t)game->sizes.state);
        game->rules->reset(state, game->options, seed, deck);
    }
    return status;
}

int mh_state_set_seed(const struct mh_game *game, void *state, uint64_t seed, char *message)
{
    const int status = mh_check_state(game, state, message);
    if (status == MH_OK) {
        ((struct mh_head *)state)->rng = mh_rng_deals(seed);
    }
    return status;
}

int mh_state_seat(const void *state)
{
    return state ? mh_head(state)->seat : -1;
}

int32_t mh_state_rounds(const void *state)
{
    return state ? mh_head(state)->rounds : 0;
}

int mh_state_apply_only(const struct mh_game *game, void *state, int action, char *message)
{
    int status = mh_check_state(game, state, message);
    status = status == MH_OK ? mh_check_turn(state, message) : status;
    if (status != MH_OK) {
        return status;
    }
    if (action < 0 || action >= game->sizes.actions) {
        mh_message(message, "action: %d is not in 0..%d", action, (int)game->sizes.actions - 1);
        return MH_ERROR_ACTION;
    }
    if (!mh_set_has(mh_legal(game->rules, state), action)) {
        char text[MH_TEXT_SIZE];
        game->rules->action_text(action, text);
        mh_message(message, "action: %d (%s) is not legal for seat %d now", action, text, mh_head(state)->seat);
        return MH_ERROR_ACTION;
    }
    mh_apply(game->rules, state, action);
    return MH_OK;
}

int mh_state_apply(const struct mh_game *game, void *state, int action, char *message)
{
    const int status = mh_state_apply_only(game, state, action, message);
    if (status == MH_OK) {
        game->rules->next_round(state);
    }
    return status;
}

int mh_state_next_round(const struct mh_game *game, void *state, char *message)
{
    const int status = mh_check_state(game, state, message);
    if (status == MH_OK && mh_head(state)->seat != MH_BETWEEN_ROUNDS) {
        mh_message(message, "no round to deal: %s",
                   mh_head(state)->seat < 0 ? "the episode is over" : "the one on the table is not over");
        return MH_ERROR_BETWEEN;
    }
    if (status == MH_OK) {
        game->rules->next_round(state);
    }
    return status;
}

/* ---- Views ----------------------------------------------------------------------------------------------- */

int mh_state_mask(const struct mh_game *game, const void *state, int8_t *mask)
{
    const int status = mh_check_state(game, state, NULL);
    if (status != MH_OK || !mask) {
        return MH_ERROR_ARGUMENT;
    }
    if (mh_head(state)->seat < 0) {
        memset(mask, 1, (size_t)game->sizes.actions);
    } else {
        mh_mask_write(mh_legal(game->rules, state), game->sizes.actions, mask);
    }
    return MH_OK;
}

int mh_state_rewards(const struct mh_game *game, const void *state, float *rewards)
{
    const int status = mh_check_state(game, state, NULL);
    if (status == MH_OK) {
        memcpy(rewards, mh_head(state)->rewards, sizeof(float) * (size_t)game->sizes.seats);
    }
    return status;
}

int mh_state_returns(const struct mh_game *game, const void *state, double *returns)
{
    const int status = mh_check_state(game, state, NULL);
    if (status == MH_OK) {
        memcpy(returns, mh_head(state)->returns, sizeof(double) * (size_t)game->sizes.seats);
    }
    return status;
}

int mh_state_is_settled(const struct mh_game *game, const void *state)
{
    if (mh_check_state(game, state, NULL) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    return !game->rules->is_settled || game->rules->is_settled(state);
}

int mh_state_observe(const struct mh_game *game, const void *state, int seat, uint8_t *observation)
{
    if (mh_check_state(game, state, NULL) != MH_OK || check_seat(game, seat) != MH_OK || !observation) {
        return MH_ERROR_ARGUMENT;
    }
    game->rules->observe(state, seat, observation);
    return MH_OK;
}

int mh_state_look(const struct mh_turn *turn)
{
    if (mh_check_state(turn->game, turn->state, NULL) != MH_OK) {
        return MH_ERROR_ARGUMENT;
    }
    const int seat = mh_state_seat(turn->state);
    const int actions = turn->game->sizes.actions;
    turn->numbers[MH_TURN_SEAT] = seat;
    turn->numbers[MH_TURN_ROUNDS] = mh_state_rounds(turn->state);
    mh_state_rewards(turn->game, turn->state, turn->rewards);
    turn->numbers[MH_TURN_LEGAL] = 0;
    if (seat < 0) {
        memset(turn->mask, 1, (size_t)actions);
    } else {
        const uint64_t *legal = mh_legal(turn->game->rules, turn->state);
        turn->numbers[MH_TURN_LEGAL] = mh_set_list(legal, (actions + 63) / 64, turn->legal);
        mh_mask_write(legal, actions, turn->mask);
        turn->game->rules->observe(turn->state, seat, turn->observation);
    }
    return MH_OK;
}

int mh_state_copy(const struct mh_turn *turn, const void *source)
{
    const int status = mh_check_state(turn->game, source, NULL);
    if (status == MH_OK) {
        memmove(turn->state, source, (size_t)turn->game->sizes.state);
    }
    return status == MH_OK ? mh_state_look(turn) : status;
}

typedef int apply_function(const struct mh_game *game, void *state, int action, char *message);

static int apply_turn(const struct mh_turn *turn, int action, apply_function *apply, char *message)
{
    const int32_t rounds = mh_state_rounds(turn->state);
    const int status = apply(turn->game, turn->state, action, message);
    if (status != MH_OK) {
        return status;
    }
    mh_state_look(turn);
    return turn->numbers[MH_TURN_ROUNDS] != rounds;
}

int mh_state_act(const struct mh_turn *turn, int action, char *message)
{
    return apply_turn(turn, action, mh_state_apply, message);
}

int mh_state_act_only(const struct mh_turn *turn, int action, char *message)
{
    return apply_turn(turn, action, mh_state_apply_only, message);
}

/* True if games differ in the option `hints` at most. */
static int differ_in_hints(const struct mh_game *game, const struct mh_game *other)
{
    if (!other || other->rules != game->rules) {
        return 0;
    }
    for (int i = 0; i < game->rules->spec->num_options; i++) {
        if (game->options[i] != other->options[i] && strcmp(game->rules->spec->options[i].name, "hints") != 0) {
            return 0;
        }
    }
    return 1;
}

int mh_state_observe_as(const struct mh_game *game, const void *state, const struct mh_game *shown, int seat,
                        uint8_t *observation)
{
    uint64_t copy[MH_MAX_STATE / sizeof(uint64_t)];
    if (mh_check_state(game, state, NULL) != MH_OK || !differ_in_hints(game, shown)) {
        return MH_ERROR_ARGUMENT;
    }
    memcpy(copy, state, (size_t)game->sizes.state);
    shown->rules->set_options(copy, shown->options);
    return mh_state_observe(shown, copy, seat, observation);
}

static void clear_field(const struct mh_game *game, const struct mh_field *field, uint8_t *observation)
{
    const int hint = field->group == MH_GROUP_HINT;
    if (!hint || game->layout.hint_offset >= 0) {
        memset(observation + (hint ? game->layout.hint_offset : 0) + field->offset, 0, (size_t)field->count);
    }
}

int mh_state_watch(const struct mh_game *game, const void *state, uint8_t *observation)
{
    const int status = mh_state_observe(game, state, 0, observation);
    if (status == MH_OK) {
        const struct mh_spec *spec = game->rules->spec;
        for (int i = 0; i < spec->num_fields; i++) {
            if (!mh_field_is_public(&spec->fields[i])) {
                clear_field(game, &spec->fields[i], observation);
            }
        }
    }
    return status;
}

int mh_state_events(const struct mh_game *game, const void *before, const void *after, uint8_t *events)
{
    if (mh_check_state(game, before, NULL) != MH_OK || mh_check_state(game, after, NULL) != MH_OK || !events) {
        return MH_ERROR_ARGUMENT;
    }
    const struct mh_events *log = mh_events_of(game->rules, after);
    const int count = mh_events_since(mh_events_of(game->rules, before), log);
    for (int i = 0; i < count; i++) {
        const int at = log->used - count + i;
        const uint8_t event[4] = {log->seat[at], log->kind[at], log->detail[at], log->extra[at]};
        memcpy(events + (size_t)i * sizeof event, event, sizeof event);
    }
    return count;
}

int mh_state_omniscient(const struct mh_game *game, const void *state, uint8_t *omniscient)
{
    const int status = mh_check_state(game, state, NULL);
    if (status == MH_OK) {
        game->rules->omniscient(state, omniscient);
    }
    return status;
}

int mh_state_info(const struct mh_game *game, const void *state, int64_t *info)
{
    const int status = mh_check_state(game, state, NULL);
    if (status == MH_OK) {
        game->rules->info(state, info);
    }
    return status;
}

static size_t write_json(const struct mh_game *game, const void *state, int with_generators, char *text,
                         size_t size)
{
    struct mh_text out;
    mh_text_begin(&out, text, text ? size : 0);
    if (mh_check_state(game, state, NULL) == MH_OK) {
        game->rules->json(state, with_generators, &out);
    }
    return out.length;
}

size_t mh_state_json(const struct mh_game *game, const void *state, char *text, size_t size)
{
    return write_json(game, state, 1, text, size);
}

size_t mh_state_position(const struct mh_game *game, const void *state, char *text, size_t size)
{
    return write_json(game, state, 0, text, size);
}

/* ---- Saving and loading ---------------------------------------------------------------------------------- */

int mh_state_save(const struct mh_game *game, const void *state, uint8_t *snapshot)
{
    const int status = mh_check_state(game, state, NULL);
    if (status == MH_OK) {
        struct snapshot_header header = make_header(game);
        order_header(&header);
        memcpy(snapshot, &header, sizeof header);
        memcpy(snapshot + sizeof header, state, (size_t)game->sizes.state);
        mh_order_members(snapshot + sizeof header, game->rules->members, game->rules->num_members);
    }
    return status;
}

static int check_header(const struct mh_game *game, const struct snapshot_header *header, char *message)
{
    const struct snapshot_header expected = make_header(game);
    if (memcmp(header->magic, expected.magic, sizeof magic) != 0) {
        mh_message(message, "snapshot: these bytes are no snapshot");
    } else if (header->version != expected.version) {
        mh_message(message, "snapshot: version %u, this build reads version %u", (unsigned)header->version,
                   (unsigned)expected.version);
    } else if (memcmp(header->game, expected.game, sizeof expected.game) != 0) {
        mh_message(message, "snapshot: it is of another game than %s", expected.game);
    } else if (header->layout_hash != expected.layout_hash || header->size != expected.size) {
        mh_message(message, "snapshot: its layout differs (other options such as num_players, or another build)");
    } else {
        return MH_OK;
    }
    return MH_ERROR_SNAPSHOT;
}

/* Checked in a copy, so that `state` stays as it was if that is refused. */
static int take_checked(const struct mh_game *game, void *state, const uint64_t *copy, const char *otherwise,
                        char *message)
{
    char why[MH_MESSAGE_SIZE];
    if (game->rules->check(copy, why) != MH_OK) {
        mh_message(message, "%s: %.200s", otherwise, why);
        return MH_ERROR_SNAPSHOT;
    }
    memcpy(state, copy, (size_t)game->sizes.state);
    return MH_OK;
}

int mh_state_load(const struct mh_game *game, void *state, const uint8_t *snapshot, size_t size, char *message)
{
    int status = mh_check_state(game, state, message);
    if (status != MH_OK) {
        return status;
    }
    if (!snapshot || size != (size_t)game->sizes.snapshot) {
        mh_message(message, "snapshot: %zu bytes given, %s with these options needs %d", snapshot ? size : 0,
                   game->rules->spec->id, (int)game->sizes.snapshot);
        return MH_ERROR_SNAPSHOT;
    }
    struct snapshot_header header;
    memcpy(&header, snapshot, sizeof header);
    order_header(&header);
    status = check_header(game, &header, message);
    if (status != MH_OK) {
        return status;
    }
    uint64_t copy[MH_MAX_STATE / sizeof(uint64_t)];
    memcpy(copy, snapshot + sizeof header, (size_t)game->sizes.state);
    mh_order_members(copy, game->rules->members, game->rules->num_members);
    if (memcmp(game->rules->options(copy), game->options,
               sizeof *game->options * (size_t)game->rules->spec->num_options) != 0) {
        mh_message(message, "snapshot: it was taken with other options than this game's");
        return MH_ERROR_SNAPSHOT;
    }
    return take_checked(game, state, copy, "snapshot: damaged", message);
}

int mh_state_read(const struct mh_game *game, void *state, const char *json, size_t size, char *message)
{
    struct mh_reader reader;
    uint64_t copy[MH_MAX_STATE / sizeof(uint64_t)] = {0};
    const int status = mh_check_state(game, state, message);
    if (status != MH_OK) {
        return status;
    }
    if (!json) {
        mh_message(message, "json must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (!game->rules->read) {
        mh_message(message, "%s has no states from JSON", game->rules->spec->id);
        return MH_ERROR_GAME;
    }
    const struct mh_in all = mh_read_begin(&reader, json, size, message);
    if (!reader.failed) {
        game->rules->read(copy, game->options, &all);
    }
    return reader.failed ? MH_ERROR_ARGUMENT
                         : take_checked(game, state, copy, "no play leads to this state", message);
}

/* ---- Search and bots ------------------------------------------------------------------------------------- */

int mh_state_resample(const struct mh_game *game, const void *state, int seat, uint64_t seed, void *out)
{
    if (mh_check_state(game, state, NULL) != MH_OK || mh_check_state(game, out, NULL) != MH_OK ||
        (seat != MH_ALL_SEATS && check_seat(game, seat) != MH_OK)) {
        return MH_ERROR_ARGUMENT;
    }
    memmove(out, state, (size_t)game->sizes.state);
    game->rules->resample(out, seat, seed);
    return MH_OK;
}

int mh_state_afterstates(const struct mh_game *game, const void *state, int all, int capacity, int32_t *actions,
                         float *features, double *values)
{
    if (mh_check_state(game, state, NULL) != MH_OK || capacity < 0 ||
        (capacity && (!actions || !features || !values))) {
        return MH_ERROR_ARGUMENT;
    }
    if (!game->rules->afterstates) {
        return MH_ERROR_GAME;
    }
    const int status = mh_check_turn(state, NULL);
    if (status != MH_OK) {
        return status;
    }
    struct mh_afterstate_list found = {.capacity = capacity,
                                       .num_features = game->sizes.features,
                                       .actions = actions,
                                       .features = features,
                                       .values = values};
    game->rules->afterstates(state, all, &(struct mh_wanted){.features = NULL}, mh_afterstate_list_add, &found);
    return found.count;
}

int mh_state_bot_action(const struct mh_game *game, const void *state, int bot, uint64_t *random, int *action)
{
    if (mh_check_state(game, state, NULL) != MH_OK || bot < 0 || bot >= mh_bots_count(game) || !random || !action) {
        return MH_ERROR_ARGUMENT;
    }
    const int status = mh_check_turn(state, NULL);
    if (status != MH_OK) {
        return status;
    }
    struct mh_rng rng = {*random};
    *action = mh_bot_choose(game, bot, state, &rng);
    *random = rng.state;
    return MH_OK;
}

int mh_state_values(const struct mh_game *game, const void *state, int bot, double *values, char *message)
{
    int status = mh_check_state(game, state, message);
    if (status != MH_OK) {
        return status;
    }
    if (!values) {
        mh_message(message, "values is NULL");
        return MH_ERROR_ARGUMENT;
    }
    status = mh_bots_check_judge(game, bot, message);
    if (status == MH_OK) {
        status = mh_check_turn(state, message);
    }
    if (status == MH_OK) {
        game->bots[bot].values(&game->bots[bot], state, 1, values);
    }
    return status;
}

int mh_state_idle_action(const struct mh_game *game, const void *state, int *action)
{
    if (mh_check_state(game, state, NULL) != MH_OK || !action) {
        return MH_ERROR_ARGUMENT;
    }
    const int status = mh_check_turn(state, NULL);
    if (status != MH_OK) {
        return status;
    }
    *action = game->rules->idle(state);
    return MH_OK;
}
