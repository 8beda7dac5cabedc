/* Card types and meld kinds: the numbers that everything else in this folder speaks in. */
#ifndef MHING_KINDS_H
#define MHING_KINDS_H

#include <stdint.h>

/* R1: types 0-26 are suit cards (suit * 9 + number - 1), 27-30 winds, 31-33 dragons. */
enum {
    SUITS = 3,
    NUMBERS = 9,
    SUIT_TYPES = 27,
    WINDS = 27,
    DRAGONS = 31,
    TYPES = 34,
    JOKER = 34,
    FLOWER = 35,
    DECK = 150,
    COPIES = 4,
    JOKERS = 6,
    FLOWERS = 8
};

/* Kinds of meld: sequences by suit and lowest number, then triplets by type. */
enum { SEQUENCES_PER_SUIT = 7, SEQUENCES = 21, KINDS = 55, MELDS = 4, MELD_CARDS = 3 };

static inline int type_suit(int type)
{
    return type / NUMBERS;
}

/* 0-8 within the suit. */
static inline int type_number(int type)
{
    return type % NUMBERS;
}

static inline int kind_is_sequence(int kind)
{
    return kind < SEQUENCES;
}

static inline int sequence_kind(int suit, int lowest)
{
    return suit * SEQUENCES_PER_SUIT + lowest;
}

static inline int triplet_kind(int type)
{
    return SEQUENCES + type;
}

/* The lowest card of a sequence, the card of a triplet. */
static inline int kind_type(int kind)
{
    return kind_is_sequence(kind) ? kind / SEQUENCES_PER_SUIT * NUMBERS + kind % SEQUENCES_PER_SUIT
                                  : kind - SEQUENCES;
}

/* The card at a place (0-2) of a meld. */
static inline int kind_card(int kind, int place)
{
    return kind_type(kind) + (kind_is_sequence(kind) ? place : 0);
}

#endif
