/* Cards, sets of cards and sequences: the numbers that everything else in this folder speaks in. */
#ifndef GENERAL_CARDS_H
#define GENERAL_CARDS_H

#include <assert.h>
#include <stdint.h>

#include "base/mh_bits.h"

/* R1: a card is suit * 13 + rank, ranks from 0 for the ace to 12 for the king. */
enum { SUITS = 4, RANKS = 13, CARDS = 52, DECK = CARDS };

/* Kinds of sequences, by what they stand for: suit * 11 + rank of the lowest card. */
enum { LOWS = 11, KINDS = SUITS * LOWS, SEQUENCES = 4, SEQUENCE_CARDS = 3 };

static const uint64_t ALL_CARDS = ((uint64_t)1 << CARDS) - 1;
static const uint64_t ALL_ACES =
    (uint64_t)1 | (uint64_t)1 << RANKS | (uint64_t)1 << 2 * RANKS | (uint64_t)1 << 3 * RANKS;

/* Three cards on the table. `ace` is the place of the ace from 1 for the lowest card, 0: there is none. */
struct sequence {
    int kind;
    int ace;
};

static inline int card_suit(int card)
{
    return card / RANKS;
}

static inline int card_rank(int card)
{
    return card % RANKS;
}

static inline int kind_suit(int kind)
{
    return kind / LOWS;
}

static inline int kind_low(int kind)
{
    return kind % LOWS;
}

/* R5: a sequence from this rank can be one of all low ones, up to the seven, or of all high ones, as a bit for each. */
static inline unsigned low_sides(int low)
{
    enum { SEVEN = 6 };
    return (unsigned)(low + SEQUENCE_CARDS - 1 <= SEVEN) | (unsigned)(low >= SEVEN) << 1;
}

static inline uint64_t card_bit(int card)
{
    return (uint64_t)1 << card;
}

/* The ranks of a set's cards of one suit, bit 0 for the ace. */
static inline unsigned suit_ranks(uint64_t cards, int suit)
{
    return (unsigned)(cards >> suit * RANKS) & 0x1FFF;
}

static inline int sequence_is_valid(struct sequence sequence)
{
    return sequence.kind >= 0 && sequence.kind < KINDS && sequence.ace >= 0 && sequence.ace <= SEQUENCE_CARDS &&
           (kind_low(sequence.kind) != 0 || sequence.ace == 1);
}

/* The natural cards of a sequence without its ace, as ranks. */
static inline unsigned sequence_naturals(struct sequence sequence)
{
    assert(sequence.kind >= 0);
    const unsigned ranks = 7u << kind_low(sequence.kind);
    return sequence.ace ? ranks & ~(1u << (kind_low(sequence.kind) + sequence.ace - 1)) : ranks;
}

/* The cards that a sequence is made of. */
static inline uint64_t sequence_cards(struct sequence sequence)
{
    return (uint64_t)(sequence_naturals(sequence) | (sequence.ace != 0)) << kind_suit(sequence.kind) * RANKS;
}

/* R3.4: the ranks that make a sequence of two natural cards: the one between them, or those beside them. */
static inline unsigned ranks_between_or_beside(unsigned two)
{
    const unsigned beside = (two << 1 | two >> 1) & ~two & 0x1FFE;
    return two & two >> 1 ? beside : two << 1 & two >> 1;
}

/* The sequence that results when a card is given for its ace. */
static inline struct sequence sequence_with(struct sequence sequence, int card)
{
    const unsigned ranks = sequence_naturals(sequence) | 1u << card_rank(card);
    const struct sequence swapped = {card_suit(card) * LOWS + mh_bits_lowest(ranks), 0};
    return swapped;
}

#endif
