/* The legal actions of the seat on turn (R3, R4, R8), as sets of ids. */
#include "general_mhing.h"

static uint64_t swaps_of(const struct general_state *state)
{
    return state->hands[state->on_turn] & state->wanted[state->on_turn];
}

static void add_swaps(const struct general_state *state, uint64_t *legal)
{
    const uint64_t swaps = swaps_of(state);
    for (int suit = 0; swaps && suit < SUITS; suit++) {
        mh_set_add_run(legal, ACTION_swap + suit * (RANKS - 1), suit_ranks(swaps, suit) >> 1);
    }
}

static int can_take(const struct general_state *state)
{
    return state->offer && general_sequences_with(state->hands[state->on_turn], state->offer - 1) != 0;
}

void general_settle_actions(struct general_state *state)
{
    const uint64_t hand = state->hands[state->on_turn];
    uint64_t *legal = state->legal;
    memset(legal, 0, sizeof state->legal);
    if (state->phase == PHASE_PLAY) {
        general_add_sequences(hand, legal);
        add_swaps(state, legal);
        mh_set_add_run(legal, ACTION_discard, hand);
    } else if (state->phase == PHASE_START) {
        mh_set_add(legal, ACTION_draw);
        if (can_take(state)) {
            mh_set_add(legal, ACTION_take);
        }
        add_swaps(state, legal);
    } else if (state->phase == PHASE_TAKEN) {
        general_add_sequences_with(hand, state->taken - 1, legal);
    } else {
        mh_set_add(legal, ACTION_end);
        add_swaps(state, legal);
    }
}

int general_has_choice(const struct general_state *state)
{
    switch (state->phase) {
    case PHASE_START:
        return swaps_of(state) != 0 || can_take(state);
    case PHASE_TAKEN: {
        const uint64_t sequences = general_sequences_with(state->hands[state->on_turn], state->taken - 1);
        return (sequences & (sequences - 1)) != 0;
    }
    case PHASE_END:
        return swaps_of(state) != 0;
    default:
        return 1;
    }
}

/* R3.7: only after the draw everybody is asked. */
int general_is_settled(const struct general_state *state)
{
    return state->phase == PHASE_PLAY || state->phase == PHASE_OVER;
}

/* Draws, and discards the card just drawn; lays a sequence only when a card that was taken demands it. */
int general_idle(const struct general_state *state)
{
    const int drawn = ACTION_discard + state->drawn[0] - 1;
    if (mh_set_has(state->legal, ACTION_end)) {
        return ACTION_end;
    }
    if (state->drawn[0] && mh_set_has(state->legal, drawn)) {
        return drawn;
    }
    return mh_set_next(state->legal, LEGAL_WORDS, 0);
}
