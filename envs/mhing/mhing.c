/* Mhing as the runtime sees it: the table as data, and the rules as functions. */
#include "mhing.h"

static const struct mh_labels labels[] = {
    {"cards", FLOWER + 1, mhing_card_text},
    {"parts", MHING_CREDIT_KINDS, mhing_part_text},
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

/* Passes, or discards the card just drawn. After a claim there is none, and it may have been laid down: then the lowest
 * one goes. */
static int idle(const void *state)
{
    const struct mhing_state *mhing = state;
    if (mh_set_has(mhing->legal, ACTION_PASS)) {
        return ACTION_PASS;
    }
    const int drawn = ACTION_DISCARD + mhing->drawn - 1;
    return mhing->drawn && mh_set_has(mhing->legal, drawn) ? drawn : mh_set_next(mhing->legal, LEGAL_WORDS, 0);
}

static int act_greedy(const void *state, struct mh_rng *rng)
{
    const struct mhing_state *mhing = state;
    (void)rng;
    return mhing_greedy(mhing, mhing->head.seat, mhing->legal);
}

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

#define MH_ID mhing
#define MH_TITLE "Mhing"
#define MH_VERSION 0
#define MH_OF(name) mhing_##name
#include "mh_rules.inc"

_Static_assert(COUNT_discard == JOKER + 1 && COUNT_sequence == SEQUENCES * 8 && COUNT_triplet == TYPES * 4 &&
                   (int)ACTIONS == 341,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct mhing_info *)0)->parts) / sizeof(int64_t) == MHING_CREDIT_KINDS, "one part a name");
