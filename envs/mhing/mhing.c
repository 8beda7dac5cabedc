/* Mhing as the runtime sees it: the table as data, and the rules as functions. */
#include "mhing.h"

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))

/* ---- The table ------------------------------------------------------------------------------------------- */

static const struct mh_option options[] = {
#define MH_OPTION(name, choices, standard, low, high, meaning) {#name, choices, standard, low, high, meaning},
#include "mhing.def"
};

static const struct mh_preset presets[] = {
#define MH_PRESET(name, settings, meaning) {#name, settings, meaning},
#include "mhing.def"
};

static const struct mh_action_range action_ranges[] = {
#define MH_ACTION(name, count, meaning) {#name, count, meaning},
#include "mhing.def"
};

static const struct mh_event_kind events[] = {
#define MH_EVENT(name, meaning) {#name, meaning},
#include "mhing.def"
};

static const struct mh_field fields[] = {
#define MH_FIELD(name, count, high, meaning)                                                                       \
    {#name, MH_GROUP_TABLE, offsetof(struct mhing_view, name), count, high, meaning},
#define MH_SEAT_FIELD(name, count, high, meaning)                                                                  \
    {#name, MH_GROUP_SEAT, offsetof(struct mhing_seat, name), count, high, meaning},
#define MH_SEAT_TAIL(name, high, meaning) {#name, MH_GROUP_SEAT_TAIL, sizeof(struct mhing_seat), 0, high, meaning},
#define MH_HINT(name, count, high, meaning)                                                                        \
    {#name, MH_GROUP_HINT, offsetof(struct mhing_hints, name), count, high, meaning},
#include "mhing.def"
};

static const struct mh_field hidden[] = {
#define MH_HIDDEN(name, count, high, meaning)                                                                      \
    {#name, MH_GROUP_TABLE, offsetof(struct mhing_hidden, name), count, high, meaning},
#define MH_HIDDEN_SEAT(name, count, high, meaning)                                                                 \
    {#name, MH_GROUP_SEAT, offsetof(struct mhing_hidden_seat, name), count, high, meaning},
#include "mhing.def"
};

static const struct mh_info_field info[] = {
#define MH_INFO(name, count, meaning) {#name, count, 0, meaning},
#define MH_SEAT_INFO(name, meaning) {#name, MH_MAX_SEATS, 1, meaning},
#include "mhing.def"
};

static const struct mh_labels labels[] = {
    {"cards", FLOWER + 1, mhing_card_text},
    {"parts", MHING_CREDIT_KINDS, mhing_part_text},
};

static const struct mh_bot_row bot_rows[] = {
#define MH_BOT(name, meaning) {#name, meaning},
#include "mhing.def"
};

const struct mh_spec mhing_spec = {
    .id = "mhing",
    .title = "Mhing",
    .rules_version = 0,
    .num_options = COUNT(options),
    .num_presets = COUNT(presets),
    .num_action_ranges = COUNT(action_ranges),
    .num_events = COUNT(events),
    .num_fields = COUNT(fields),
    .num_hidden = COUNT(hidden),
    .num_info = COUNT(info),
    .num_labels = COUNT(labels),
    .num_bots = COUNT(bot_rows),
    .options = options,
    .presets = presets,
    .action_ranges = action_ranges,
    .events = events,
    .fields = fields,
    .hidden = hidden,
    .info = info,
    .labels = labels,
    .bots = bot_rows,
};

static void layout(const int32_t *option, struct mh_sizes *sizes, struct mh_layout *out)
{
    const int players = option[OPTION_num_players];
    const int blocks = players * mhing_block_size(players);
    const int seen = (int)sizeof(struct mhing_view) + blocks;
    out->seat_offset = sizeof(struct mhing_view);
    out->seat_stride = mhing_block_size(players);
    out->seat_tail = mhing_discard_capacity(players);
    out->hint_offset = option[OPTION_hints] ? seen : -1;
    out->hidden_seat_offset = sizeof(struct mhing_hidden);
    out->hidden_seat_stride = sizeof(struct mhing_hidden_seat);
    sizes->seats = players;
    sizes->actions = ACTIONS;
    sizes->state = sizeof(struct mhing_state);
    sizes->snapshot = mh_snapshot_size(sizes->state);
    sizes->observation = seen + (option[OPTION_hints] ? (int)sizeof(struct mhing_hints) : 0);
    sizes->omniscient = (int)sizeof(struct mhing_hidden) + players * (int)sizeof(struct mhing_hidden_seat);
    sizes->info = (int)(sizeof(struct mhing_info) / sizeof(int64_t));
    sizes->deck = DECK;
}

/* ---- The rules ------------------------------------------------------------------------------------------- */

#define MH_STATE struct mhing_state
#define MH_RESET mhing_reset
#define MH_APPLY mhing_apply
#define MH_OBSERVE mhing_observe
#define MH_INFO_NUMBERS mhing_info_numbers
#define MH_ACTIONS ACTIONS
#define MH_STATE_HOT offsetof(struct mhing_state, hands[4])
#define MH_START_ROW start_row
#define MH_SHOW_ROW show_row
#define MH_STEP_ROWS step_rows
#include "mh_batch.inc"

static void reset(void *state, const int32_t *option, uint64_t seed, const uint8_t *deck)
{
    mhing_reset(state, option, seed, deck);
}

static int check_deck(const uint8_t *deck, char *message)
{
    int left[FLOWER + 1];
    for (int type = 0; type <= FLOWER; type++) {
        left[type] = type == JOKER ? JOKERS : type == FLOWER ? FLOWERS : COPIES;
    }
    for (int i = 0; i < DECK; i++) {
        if (deck[i] > FLOWER || --left[deck[i]] < 0) {
            mh_message(message, "deck: card type %d at place %d is out of range or too many of it", deck[i], i);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

static void apply(void *state, int action)
{
    mhing_apply(state, action);
}

static void observe(const void *state, int seat, uint8_t *observation)
{
    mhing_observe(state, seat, observation);
}

static void omniscient(const void *state, uint8_t *out)
{
    mhing_omniscient(state, out);
}

static void info_numbers(const void *state, int64_t *out)
{
    mhing_info_numbers(state, out);
}

static void json(const void *state, struct mh_text *out)
{
    mhing_json(state, out);
}

static void text(const void *state, struct mh_text *out)
{
    mhing_text(state, out);
}

static const int32_t *state_options(const void *state)
{
    return ((const struct mhing_state *)state)->options;
}

static int check(const void *state, char *message)
{
    return mhing_check(state, message);
}

static void resample(void *state, int seat, uint64_t seed)
{
    mhing_resample(state, seat, seed);
}

static int act_random(const void *state, struct mh_rng *rng)
{
    return mh_set_pick(((const struct mhing_state *)state)->legal, LEGAL_WORDS, rng);
}

static int act_greedy(const void *state, struct mh_rng *rng)
{
    const struct mhing_state *mhing = state;
    (void)rng;
    return mhing_greedy(mhing, mhing->head.seat, mhing->legal);
}

static mh_bot_act *const bots[] = {
#define MH_BOT(name, meaning) act_##name,
#include "mhing.def"
};

const struct mh_rules mhing_rules = {
    .spec = &mhing_spec,
    .legal_offset = offsetof(struct mhing_state, legal),
    .check_options = mhing_check_options,
    .layout = layout,
    .reset = reset,
    .check_deck = check_deck,
    .apply = apply,
    .observe = observe,
    .omniscient = omniscient,
    .info = info_numbers,
    .action_text = mhing_action_text,
    .json = json,
    .text = text,
    .options = state_options,
    .check = check,
    .resample = resample,
    .bots = bots,
    .start_row = start_row,
    .show_row = show_row,
    .step_rows = step_rows,
};

_Static_assert((int)OPTIONS <= (int)MH_MAX_OPTIONS, "options fit into struct mh_game");
_Static_assert(COUNT_discard == JOKER + 1 && COUNT_sequence == SEQUENCES * 8 && COUNT_triplet == TYPES * 4 &&
                   (int)ACTIONS == 341,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct mhing_info *)0)->parts) / sizeof(int64_t) == MHING_CREDIT_KINDS, "one part a name");
_Static_assert(sizeof(struct mhing_state) % 8 == 0, "states in a row stay aligned");
