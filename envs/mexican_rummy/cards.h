/* Cards, sets of cards and the places of runs: the numbers that everything else in this folder speaks in. */
#ifndef RUMMY_CARDS_H
#define RUMMY_CARDS_H

#include <assert.h>
#include <stdint.h>

#include "base/mh_bits.h"

/* R1: a type is suit * 13 + rank, ranks from 0 for the ace to 12 for the king. There are two cards of each type, one
 * in each deck: a card is type + 52 * deck. */
enum { SUITS = 4, RANKS = 13, TYPES = 52, DECKS = 2, CARDS = DECKS * TYPES, DECK = CARDS };

/* The black 2s, which are wild in rounds with runs (R1.3). */
enum { TWO_OF_SPADES = 1, TWO_OF_CLUBS = 40, TWO = 1 };

/* R3: places of a run in its suit, from 0 for the ace below the 2 to 13 for the ace above the king. */
enum { PLACES = 14, LOW_ACE = 0, HIGH_ACE = 13, RUN_CARDS = 4, LOWS = PLACES - RUN_CARDS + 1 };

enum { SET_CARDS = 3 };

static const uint64_t ALL_TYPES = ((uint64_t)1 << TYPES) - 1;
static const uint64_t ALL_ACES =
    (uint64_t)1 | (uint64_t)1 << RANKS | (uint64_t)1 << 2 * RANKS | (uint64_t)1 << 3 * RANKS;
static const uint64_t BLACK_TWOS = (uint64_t)1 << TWO_OF_SPADES | (uint64_t)1 << TWO_OF_CLUBS;

/* A set of cards: for each deck a bit for each type. */
struct cards {
    uint64_t deck[DECKS];
};

static inline uint64_t type_bit(int type)
{
    return (uint64_t)1 << type;
}

static inline int type_suit(int type)
{
    return type / RANKS;
}

static inline int type_rank(int type)
{
    return type % RANKS;
}

static inline int card_type(int card)
{
    return card < TYPES ? card : card - TYPES;
}

static inline int is_black_two(int type)
{
    return type == TWO_OF_SPADES || type == TWO_OF_CLUBS;
}

static inline int cards_have(const struct cards *self, int card)
{
    return (int)(self->deck[card >= TYPES] >> card_type(card)) & 1;
}

/* A card as a set. Both words are computed: one chosen by its number would keep the set in memory, where the next use
 * of both waits for it to be written. */
static inline struct cards one_card(int card)
{
    const uint64_t bit = type_bit(card_type(card));
    return (struct cards){{card < TYPES ? bit : 0, card < TYPES ? 0 : bit}};
}

static inline void cards_add(struct cards *self, int card)
{
    const struct cards one = one_card(card);
    self->deck[0] |= one.deck[0];
    self->deck[1] |= one.deck[1];
}

static inline void cards_remove(struct cards *self, int card)
{
    const struct cards one = one_card(card);
    self->deck[0] &= ~one.deck[0];
    self->deck[1] &= ~one.deck[1];
}

static inline struct cards cards_union(struct cards a, struct cards b)
{
    const struct cards both = {{a.deck[0] | b.deck[0], a.deck[1] | b.deck[1]}};
    return both;
}

static inline struct cards cards_common(struct cards a, struct cards b)
{
    const struct cards both = {{a.deck[0] & b.deck[0], a.deck[1] & b.deck[1]}};
    return both;
}

static inline struct cards cards_without(struct cards a, struct cards b)
{
    const struct cards rest = {{a.deck[0] & ~b.deck[0], a.deck[1] & ~b.deck[1]}};
    return rest;
}

static inline int cards_are_none(struct cards self)
{
    return (self.deck[0] | self.deck[1]) == 0;
}

static inline int cards_count(struct cards self)
{
    return mh_bits_count(self.deck[0]) + mh_bits_count(self.deck[1]);
}

/* The types of which there is at least one card, and those of which there are both. */
static inline uint64_t cards_any(struct cards self)
{
    return self.deck[0] | self.deck[1];
}

static inline uint64_t cards_both(struct cards self)
{
    return self.deck[0] & self.deck[1];
}

static inline int cards_of_types(struct cards self, uint64_t types)
{
    return mh_bits_count(self.deck[0] & types) + mh_bits_count(self.deck[1] & types);
}

static inline int cards_of_type(struct cards self, int type)
{
    return (int)(self.deck[0] >> type & 1) + (int)(self.deck[1] >> type & 1);
}

static inline int cards_lowest(struct cards self)
{
    return self.deck[0] ? mh_bits_lowest(self.deck[0]) : TYPES + mh_bits_lowest(self.deck[1]);
}

/* The types of one rank. */
static inline uint64_t rank_types(int rank)
{
    return ALL_ACES << rank;
}

/* One suit of a set of types, bit 0 for the ace. */
static inline unsigned suit_ranks(uint64_t types, int suit)
{
    return (unsigned)(types >> suit * RANKS) & 0x1FFF;
}

/* The places that cards of these ranks can take: an ace has two. */
static inline unsigned ranks_to_places(unsigned ranks)
{
    return ranks | (ranks & 1) << HIGH_ACE;
}

/* The places so many up and down from those that a rank can take. */
static inline unsigned places_apart(int rank, int apart)
{
    const unsigned at = ranks_to_places(1u << rank);
    return (at << apart | at >> apart) & ((1u << PLACES) - 1);
}

static inline unsigned places_to_ranks(unsigned places)
{
    return (places | places >> HIGH_ACE) & 0x1FFF;
}

static inline int place_type(int suit, int place)
{
    return suit * RANKS + (place == HIGH_ACE ? 0 : place);
}

/* A place has one card of `count` in a row from `low`. */
static inline unsigned places_from(int low, int count)
{
    return ((1u << count) - 1) << low;
}

/* The places of a least run that have a card among these types. Such runs are numbered suit * 11 + lowest place. */
static inline unsigned places_held(uint64_t types, int run)
{
    return ranks_to_places(suit_ranks(types, run / LOWS)) & places_from(run % LOWS, RUN_CARDS);
}

#endif
