/* Hints: what the observer's own cards promise, now and after each of its actions (option hints). */
#include "position.h"

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

void general_write_hints(const struct general_state *state, int seat, struct general_hints *hints)
{
    enum { ILLEGAL = 255 };
    const uint64_t unseen = general_unseen(state, seat);
    const struct position before = position_of(state);
    memset(hints->lacking_after, ILLEGAL, sizeof hints->lacking_after);
    hints->lacking[0] = (uint8_t)promise_of(state->hands[seat], unseen).lacking;
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, 0); state->head.seat == seat && action >= 0;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        const struct position after = position_after(&before, action, state->offer);
        const struct promise promise = promise_of(after.hand, unseen);
        hints->lacking_after[action] = (uint8_t)promise.lacking;
        hints->useful_after[action] = (uint8_t)mh_bits_count(promise.useful);
        hints->tally_after[action] = (uint8_t)position_tally(&after);
    }
}
