/* Hints: what the observer's own cards promise, now and after each of its actions (option hints). */
#include "position.h"

enum { NO_SEQUENCE = SEQUENCE_CARDS };

/* The sequences that a hand can still make, with the cards that can come to it. */
struct promise {
    int lacking;     /* cards for its nearest sequence; NO_SEQUENCE: none can be made */
    uint64_t useful; /* cards of which one would make a sequence */
};

/* The sequences of one form, a bit for each: the one whose first card has that rank, an ace that stands for another
 * rank not counted. The words tell of each whether its cards are in a set. */
struct sequence_form {
    uint64_t first, second, third;
};

static struct sequence_form natural_form(uint64_t cards)
{
    return (struct sequence_form){cards, cards >> 1, cards >> 2};
}

/* Two cards so many ranks apart, and third the ace of their suit. */
static struct sequence_form ace_form(uint64_t cards, int apart)
{
    const uint64_t aces = cards & ALL_ACES;
    return (struct sequence_form){cards, cards >> apart, (aces << RANKS) - aces};
}

/* From one rank to another, of all suits. */
static uint64_t ranks_between(int from, int to)
{
    return ((2u << to) - (1u << from)) * ALL_ACES;
}

/* The aces of the suits that have anything in a set without kings: any card of a suit carries into the king's place. */
static uint64_t aces_of(uint64_t cards)
{
    return (cards + (ALL_ACES << (RANKS - 1)) - ALL_ACES) >> (RANKS - 1) & ALL_ACES;
}

/* The sequences of all forms that can still be made: whether any lacks no card, one, or two at most. */
struct nearest {
    uint64_t none, one, two;
};

/* The sequences of a form that lack one card, and that card, among those whose first card is in `from`. `held`
 * has the cards of the hand, `there` all cards that the seat can still have. */
static struct sequence_form lacking_one(struct sequence_form held, struct sequence_form there, uint64_t from,
                                        struct nearest *nearest)
{
    const uint64_t possible = from & there.first & there.second & there.third;
    const struct sequence_form one = {possible & ~held.first & held.second & held.third,
                                      possible & held.first & ~held.second & held.third,
                                      possible & held.first & held.second & ~held.third};
    nearest->none |= possible & held.first & held.second & held.third;
    nearest->one |= one.first | one.second | one.third;
    nearest->two |= possible & (held.first | held.second | held.third);
    return one;
}

static struct promise promise_of(uint64_t hand, uint64_t unseen)
{
    const uint64_t there = hand | unseen;
    struct nearest nearest = {0, 0, 0};
    struct sequence_form one =
        lacking_one(natural_form(hand), natural_form(there), ranks_between(0, LOWS - 1), &nearest);
    uint64_t useful = one.first | one.second << 1 | one.third << 2;
    uint64_t useful_aces = 0;
    for (int apart = 1; apart < SEQUENCE_CARDS; apart++) {
        const uint64_t from = ranks_between(1, RANKS - 1 - apart);
        one = lacking_one(ace_form(hand, apart), ace_form(there, apart), from, &nearest);
        useful |= one.first | one.second << apart;
        useful_aces |= one.third;
    }
    return (struct promise){.lacking = nearest.none  ? 0
                                       : nearest.one ? 1
                                       : nearest.two ? 2
                                                     : NO_SEQUENCE,
                            .useful = useful | aces_of(useful_aces)};
}

void general_write_hints(const struct general_state *state, int seat, struct general_hints *hints)
{
    enum { ILLEGAL = 255 };
    const uint64_t unseen = general_unseen(state, seat);
    const struct position before = position_of(state);
    const int tally = position_tally(&before);
    memset(hints->lacking_after, ILLEGAL, sizeof hints->lacking_after);
    hints->lacking[0] = (uint8_t)promise_of(state->hands[seat], unseen).lacking;
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, 0); state->head.seat == seat && action >= 0;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        struct position after;
        position_after(&before, action, state->offer, &after);
        const struct promise promise = promise_of(after.hand, unseen);
        hints->lacking_after[action] = (uint8_t)promise.lacking;
        hints->useful_after[action] = (uint8_t)mh_bits_count(promise.useful);
        const int changes_sequences = action >= ACTION_sequence && action < ACTION_discard;
        hints->tally_after[action] = (uint8_t)(changes_sequences ? position_tally(&after) : tally);
    }
}
