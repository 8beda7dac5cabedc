/* Mexican Rummy as the runtime sees it: the table as data, and the rules as functions. */
#include "mexican_rummy.h"

static const struct mh_labels labels[] = {
    {"cards", TYPES, rummy_type_text},
    {"endings", ENDINGS, rummy_ending_text},
};

static void layout(const int32_t *option, struct mh_sizes *sizes, struct mh_layout *out)
{
    const int players = option[OPTION_num_players];
    const int seen = (int)sizeof(struct rummy_view) + players * (int)sizeof(struct rummy_seat);
    out->seat_offset = sizeof(struct rummy_view);
    out->seat_stride = sizeof(struct rummy_seat);
    out->seat_tail = 0;
    out->hint_offset = option[OPTION_hints] ? seen : -1;
    out->hidden_seat_offset = sizeof(struct rummy_hidden);
    out->hidden_seat_stride = sizeof(struct rummy_hidden_seat);
    sizes->seats = players;
    sizes->actions = ACTIONS;
    sizes->state = sizeof(struct rummy_state);
    sizes->snapshot = mh_snapshot_size(sizes->state);
    sizes->observation = seen + (option[OPTION_hints] ? (int)sizeof(struct rummy_hints) : 0);
    sizes->omniscient = (int)sizeof(struct rummy_hidden) + players * (int)sizeof(struct rummy_hidden_seat);
    sizes->info = (int)(sizeof(struct rummy_info) / sizeof(int64_t));
    sizes->deck = CARDS;
}

static int check_deck(const uint8_t *deck, char *message)
{
    struct cards seen = {{0, 0}};
    for (int i = 0; i < CARDS; i++) {
        if (deck[i] >= TYPES || cards_of_type(seen, deck[i]) == DECKS) {
            mh_message(message, "deck: card %d at place %d is out of range or there three times", deck[i], i);
            return MH_ERROR_ARGUMENT;
        }
        cards_add(&seen, deck[i] + (cards_of_type(seen, deck[i]) ? TYPES : 0));
    }
    return MH_OK;
}

/* Does not ask, refuses who asks, draws, and discards the card just drawn; who is laying down goes on with it. */
static int idle(const void *state)
{
    const struct rummy_state *rummy = state;
    const int drawn = ACTION_DISCARD + (rummy->drawn ? card_type(rummy->drawn - 1) : 0);
    if (mh_set_has(rummy->legal, ACTION_PASS)) {
        return ACTION_PASS;
    }
    if (mh_set_has(rummy->legal, ACTION_REFUSE)) {
        return ACTION_REFUSE;
    }
    if (rummy->drawn && mh_set_has(rummy->legal, drawn)) {
        return drawn;
    }
    const int discard = mh_set_next(rummy->legal, LEGAL_WORDS, ACTION_DISCARD);
    return discard >= 0 ? discard : mh_set_next(rummy->legal, LEGAL_WORDS, 0);
}

static int act_greedy(const void *state, struct mh_rng *rng)
{
    (void)rng;
    return rummy_greedy(state);
}

#define MH_STATE struct rummy_state
#define MH_RESET rummy_reset
#define MH_APPLY rummy_apply
#define MH_OBSERVE rummy_observe
#define MH_INFO_NUMBERS rummy_info_numbers
#define MH_ACTIONS ACTIONS
#define MH_STATE_HOT offsetof(struct rummy_state, plan)
#define MH_START_ROW start_row
#define MH_SHOW_ROW show_row
#define MH_STEP_ROWS step_rows
#include "mh_batch.inc"

#define MH_ID mexican_rummy
#define MH_TITLE "Mexican Rummy"
#define MH_VERSION 0
#define MH_OF(name) rummy_##name
#include "mh_rules.inc"

_Static_assert((int)COUNT_set == RANKS && (int)COUNT_run == SUITS * LOWS && (int)COUNT_lay == TYPES &&
                   (int)COUNT_onto == SEATS * MELDS && (int)COUNT_low == SEATS * MELDS &&
                   (int)COUNT_high == SEATS * MELDS && (int)ACTIONS == 273,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct rummy_view *)0)->discards) == PILE, "the whole discard pile is seen");
_Static_assert(sizeof(((struct rummy_seat *)0)->meld_cards) == sizeof(((struct rummy_melds *)0)->cards),
               "melds are copied into observations");
