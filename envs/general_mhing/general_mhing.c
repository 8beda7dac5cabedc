/* General Mhing as the runtime sees it: the table as data, and the rules as functions. */
#include "general_mhing.h"

static const struct mh_labels labels[] = {
    {"cards", CARDS, general_card_text},
    {"parts", PARTS, general_part_text},
    {"endings", ENDINGS, general_ending_text},
};

static void layout(const int32_t *option, struct mh_sizes *sizes, struct mh_layout *out)
{
    const int players = option[OPTION_num_players];
    const int seen = (int)sizeof(struct general_view) + players * (int)sizeof(struct general_seat);
    out->seat_offset = sizeof(struct general_view);
    out->seat_stride = sizeof(struct general_seat);
    out->seat_tail = 0;
    out->hint_offset = option[OPTION_hints] ? seen : -1;
    out->hidden_seat_offset = sizeof(struct general_hidden);
    out->hidden_seat_stride = sizeof(struct general_hidden_seat);
    sizes->seats = players;
    sizes->actions = ACTIONS;
    sizes->state = sizeof(struct general_state);
    sizes->snapshot = mh_snapshot_size(sizes->state);
    sizes->observation = seen + (option[OPTION_hints] ? (int)sizeof(struct general_hints) : 0);
    sizes->omniscient = (int)sizeof(struct general_hidden) + players * (int)sizeof(struct general_hidden_seat);
    sizes->info = (int)(sizeof(struct general_info) / sizeof(int64_t));
    sizes->deck = CARDS;
}

static int check_deck(const uint8_t *deck, char *message)
{
    uint64_t seen = 0;
    for (int i = 0; i < CARDS; i++) {
        if (deck[i] >= CARDS || seen >> deck[i] & 1) {
            mh_message(message, "deck: card %d at place %d is out of range or there twice", deck[i], i);
            return MH_ERROR_ARGUMENT;
        }
        seen |= card_bit(deck[i]);
    }
    return MH_OK;
}

/* Draws, and discards the card just drawn; lays a sequence only when a card that was taken demands it. */
static int idle(const void *state)
{
    const struct general_state *general = state;
    const int drawn = ACTION_DISCARD + general->drawn[0] - 1;
    if (mh_set_has(general->legal, ACTION_END)) {
        return ACTION_END;
    }
    if (general->drawn[0] && mh_set_has(general->legal, drawn)) {
        return drawn;
    }
    return mh_set_next(general->legal, LEGAL_WORDS, 0);
}

static int act_greedy(const void *state, struct mh_rng *rng)
{
    (void)rng;
    return general_greedy(state);
}

#define MH_STATE struct general_state
#define MH_RESET general_reset
#define MH_APPLY general_apply
#define MH_OBSERVE general_observe
#define MH_INFO_NUMBERS general_info_numbers
#define MH_ACTIONS ACTIONS
#define MH_STATE_HOT offsetof(struct general_state, last)
#define MH_START_ROW start_row
#define MH_SHOW_ROW show_row
#define MH_STEP_ROWS step_rows
#include "mh_batch.inc"

#define MH_ID general_mhing
#define MH_TITLE "General Mhing"
#define MH_VERSION 0
#define MH_OF(name) general_##name
#include "mh_rules.inc"

_Static_assert((int)COUNT_sequence == SUITS * SUIT_SEQUENCES && (int)COUNT_swap == SUITS * (RANKS - 1) &&
                   (int)COUNT_discard == CARDS && (int)ACTIONS == 267,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct general_info *)0)->parts) / sizeof(int64_t) == (int)PARTS, "one part a name");
_Static_assert(sizeof(((struct general_view *)0)->discards) == PILE, "the whole discard pile is seen");
