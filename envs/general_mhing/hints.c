/* Hints: what the observer's own cards promise, now and after each of its actions (option hints). */
#include "position.h"

enum { NO_SEQUENCE = SEQUENCE_CARDS };

/* What a hand promises, of the cards that can still come to it. */
struct promise {
    int lacking;     /* cards for its nearest sequence; NO_SEQUENCE: none can be made */
    uint64_t useful; /* cards of which one would make a sequence */
};

/* The sequences of one form, a bit for each: the one whose first card has that rank, an ace that stands for another rank
 * not counted. The words tell of each whether its cards are in a set. */
struct form {
    uint64_t first, second, third;
};

static struct form natural_form(uint64_t cards)
{
    return (struct form){cards, cards >> 1, cards >> 2};
}

/* Two cards so many ranks apart, and third the ace of their suit. */
static struct form ace_form(uint64_t cards, int apart)
{
    const uint64_t aces = cards & ALL_ACES;
    return (struct form){cards, cards >> apart, (aces << RANKS) - aces};
}

/* From one rank to another, of all suits. */
static uint64_t ranks_between(int from, int to)
{
    return ((2u << to) - (1u << from)) * ALL_ACES;
}

/* The aces of the suits that have anything in a set. */
static uint64_t aces_of(uint64_t cards)
{
    uint64_t aces = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        aces |= (uint64_t)(suit_ranks(cards, suit) != 0) << suit * RANKS;
    }
    return aces;
}

/* Which sequences of a form lack one card, and which: among those from some first cards on, by what is held and what
 * is there at all. Lowers `lacking` to what the nearest one lacks. */
static struct form lacking_one(struct form held, struct form there, uint64_t from, int *lacking)
{
    const uint64_t possible = from & there.first & there.second & there.third;
    const struct form one = {possible & ~held.first & held.second & held.third,
                             possible & held.first & ~held.second & held.third,
                             possible & held.first & held.second & ~held.third};
    const int nearest = possible & held.first & held.second & held.third     ? 0
                        : one.first | one.second | one.third                 ? 1
                        : possible & (held.first | held.second | held.third) ? 2
                                                                             : NO_SEQUENCE;
    *lacking = nearest < *lacking ? nearest : *lacking;
    return one;
}

static struct promise promise_of(uint64_t hand, uint64_t unseen)
{
    const uint64_t there = hand | unseen;
    struct promise promise = {NO_SEQUENCE, 0};
    struct form one =
        lacking_one(natural_form(hand), natural_form(there), ranks_between(0, LOWS - 1), &promise.lacking);
    promise.useful = one.first | one.second << 1 | one.third << 2;
    for (int apart = 1; apart < SEQUENCE_CARDS; apart++) {
        const uint64_t from = ranks_between(1, RANKS - 1 - apart);
        one = lacking_one(ace_form(hand, apart), ace_form(there, apart), from, &promise.lacking);
        promise.useful |= one.first | one.second << apart | aces_of(one.third);
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
