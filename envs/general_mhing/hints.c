/* Hints: what the observer's own cards promise, now and after each of its actions (option hints). */
#include "general_mhing.h"

/* What a hand promises, of the cards that can still come to it. */
struct promise {
    int lacking;     /* cards for its nearest sequence; NO_SEQUENCE: none can be made */
    uint64_t useful; /* cards of which one would make a sequence */
};

static struct promise promise_of(uint64_t hand, uint64_t unseen)
{
    enum { NO_SEQUENCE = SEQUENCE_CARDS };
    struct promise promise = {NO_SEQUENCE, 0};
    for (int action = ACTION_sequence; action < ACTION_swap; action++) {
        const uint64_t lacking = sequence_cards(general_action_sequence(action)) & ~hand;
        const int count = mh_bits_count(lacking);
        if (!(lacking & ~unseen)) {
            promise.lacking = count < promise.lacking ? count : promise.lacking;
            promise.useful |= count == 1 ? lacking : 0;
        }
    }
    return promise;
}

/* What lies in front of a seat, and what it holds. */
struct position {
    uint64_t hand;
    uint8_t kinds[SEQUENCES];
};

static struct position position_after(const struct general_state *state, int action)
{
    const struct general_seat *block = &state->blocks[state->on_turn];
    struct position after = {.hand = state->hands[state->on_turn]};
    memcpy(after.kinds, block->sequence_kind, sizeof after.kinds);
    if (action == ACTION_take) {
        after.hand |= card_bit(state->offer - 1);
    } else if (action >= ACTION_discard && action < ACTION_end) {
        after.hand &= ~card_bit(action - ACTION_discard);
    } else if (action >= ACTION_swap && action < ACTION_discard) {
        const int card = general_swap_card(action);
        const int place = general_place_of_ace(block, card_suit(card));
        after.hand = (after.hand & ~card_bit(card)) | card_bit(card_suit(card) * RANKS);
        after.kinds[place] = (uint8_t)(sequence_with(general_sequence(block, place), card).kind + 1);
    } else if (action >= ACTION_sequence && action < ACTION_swap) {
        const struct sequence sequence = general_action_sequence(action);
        after.hand &= ~sequence_cards(sequence);
        after.kinds[general_num_sequences(block)] = (uint8_t)(sequence.kind + 1);
    }
    return after;
}

void general_write_hints(const struct general_state *state, int seat, struct general_hints *hints)
{
    enum { ILLEGAL = 255 };
    const uint64_t unseen = general_unseen(state, seat);
    memset(hints->lacking_after, ILLEGAL, sizeof hints->lacking_after);
    hints->lacking[0] = (uint8_t)promise_of(state->hands[seat], unseen).lacking;
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, 0); state->head.seat == seat && action >= 0;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        const struct position after = position_after(state, action);
        const struct promise promise = promise_of(after.hand, unseen);
        int32_t parts[PARTS];
        hints->lacking_after[action] = (uint8_t)promise.lacking;
        hints->useful_after[action] = (uint8_t)mh_bits_count(promise.useful);
        hints->tally_after[action] = (uint8_t)general_score(after.kinds, general_count_kinds(after.kinds), parts);
    }
}
