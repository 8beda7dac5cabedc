/* Concealed cards: adding and taking cards keeps all their forms up to date. */
#ifndef MHING_HAND_H
#define MHING_HAND_H

#include "mhing.h"

/* Places in a presence word: suits at 2, 13 and 24 with two empty bits around each, so that shifts by one and two never
 * reach another suit; honours, as if they were a fourth suit, from 35. A table, like those of the keys: whether a card
 * is an honour cannot be guessed. */
static inline int hand_place(int type)
{
    static const uint8_t place[TYPES] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 13, 14, 15, 16, 17, 18, 19, 20,
                                         21, 24, 25, 26, 27, 28, 29, 30, 31, 32, 35, 36, 37, 38, 39, 40, 41};
    assert(type >= 0 && type < TYPES);
    return place[type];
}

static inline int hand_place_suit(int place)
{
    return (int)((unsigned)(place - 2) / 11);
}

static inline int hand_place_number(int place)
{
    const int number = place - 2 - hand_place_suit(place) * 11;
    assert(place >= 2 && number < NUMBERS);
    return number;
}

static inline int hand_place_type(int place)
{
    return hand_place_suit(place) * NUMBERS + hand_place_number(place);
}

#define HAND_SUIT_BITS (((uint64_t)0x1FF << 2) | ((uint64_t)0x1FF << 13) | ((uint64_t)0x1FF << 24))

static inline unsigned hand_suit_bits(uint64_t places, int suit)
{
    return (unsigned)(places >> (2 + suit * 11)) & 0x1FF;
}

static inline unsigned hand_honour_bits(uint64_t places)
{
    return (unsigned)(places >> 35) & 0x7F;
}

/* A presence word as a set of types 0-33. */
static inline uint64_t hand_types(uint64_t places)
{
    return (uint64_t)hand_suit_bits(places, 0) | (uint64_t)hand_suit_bits(places, 1) << 9 |
           (uint64_t)hand_suit_bits(places, 2) << 18 | (uint64_t)hand_honour_bits(places) << 27;
}

/* The key that holds a type. Suits: digits in base 5, numbers 1-5 in the first key of the suit and 6-9 in the second.
 * Honours: the key counts types held once, twice, ... as octal digits. */
static inline int hand_key(int type)
{
    static const uint8_t key[TYPES] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3,
                                       3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6};
    assert(type >= 0 && type < TYPES);
    return key[type];
}

static inline int hand_honour_weight(int count)
{
    static const uint16_t weight[COPIES + 1] = {0, 1, 8, 64, 512};
    return weight[count];
}

/* Returns what one more card of a type adds to its key; of an honour, from the weight of its count to the next one. */
static inline int hand_key_step(int type, int count_before)
{
    static const uint16_t first[TYPES] = {1,   5, 25, 125, 625, 1,   5, 25, 125, 1,   5, 25, 125, 625, 1, 5, 25,
                                          125, 1, 5,  25,  125, 625, 1, 5,  25,  125, 1, 1,  1,   1,   1, 1, 1};
    static const uint16_t times[2][COPIES] = {{1, 1, 1, 1}, {1, 8 - 1, 64 - 8, 512 - 64}};
    assert(type >= 0 && type < TYPES && count_before >= 0 && count_before < COPIES);
    return first[type] * times[type >= SUIT_TYPES][count_before];
}

static inline void hand_add(struct mhing_hand *hand, int type)
{
    const int before = hand->count[type]++;
    if (type != JOKER) {
        const int place = hand_place(type);
        const int key = hand_key(type);
        hand->key[key] = (uint16_t)(hand->key[key] + hand_key_step(type, before));
        hand->held |= (uint64_t)1 << place;
        hand->twice |= (uint64_t)(before > 0) << place;
    }
}

static inline void hand_take(struct mhing_hand *hand, int type)
{
    assert(hand->count[type] > 0);
    const int after = --hand->count[type];
    if (type != JOKER) {
        const int place = hand_place(type);
        const int key = hand_key(type);
        hand->key[key] = (uint16_t)(hand->key[key] - hand_key_step(type, after));
        hand->held &= ~((uint64_t)(after < 1) << place); /* without branches, which nobody could guess */
        hand->twice &= ~((uint64_t)(after < 2) << place);
    }
}

/* The counts of the honours as bytes, without that of the Mhing cards behind them. */
static inline uint64_t hand_honour_counts(const uint8_t count[35])
{
    return mh_bits_bytes(count + WINDS) & (uint64_t)-1 >> 8;
}

/* Types 0-33 held at least `least` times, at their places. */
static inline uint64_t hand_places(const uint8_t count[35], unsigned least)
{
    uint64_t places = (uint64_t)mh_bits_at_least(hand_honour_counts(count), least) << 35;
    for (int suit = 0; suit < SUITS; suit++) {
        const uint8_t *c = count + suit * NUMBERS;
        const uint64_t others = mh_bits_at_least(mh_bits_bytes(c + 1), least);
        places |= (others << 1 | (c[0] >= least)) << (2 + 11 * suit);
    }
    return places;
}

/* The number of cards in counts from outside, or -1 when there are more of a type than the deck holds. */
static inline int hand_count_cards(const uint8_t count[35])
{
    const uint64_t honours = hand_honour_counts(count);
    const uint64_t ones = (uint64_t)count[0] | (uint64_t)count[9] << 8 | (uint64_t)count[18] << 16;
    uint64_t sums = honours + ones;
    uint64_t too_many = mh_bits_above(honours, COPIES) | mh_bits_above(ones, COPIES);
    for (int suit = 0; suit < SUITS; suit++) {
        const uint64_t others = mh_bits_bytes(count + suit * NUMBERS + 1);
        sums += others;
        too_many |= mh_bits_above(others, COPIES);
    }
    return too_many || count[JOKER] > JOKERS ? -1 : mh_bits_sum(sums) + count[JOKER];
}

/* Eight counts as digits in base 5, lowest first: four make the number in the lower half, four that in the upper. */
static inline uint64_t hand_digits(uint64_t counts)
{
    const uint64_t pairs = counts * (5 + (1 << 8)) >> 8 & 0x00FF00FF00FF00FFu;
    return pairs * (25 + (1 << 16)) >> 16 & 0x0000FFFF0000FFFFu;
}

/* All keys of a hand (hand_key). */
static inline void hand_find_keys(const uint8_t count[35], uint16_t key[7])
{
    for (int suit = 0; suit < SUITS; suit++) {
        const uint8_t *c = count + suit * NUMBERS;
        const uint64_t others = hand_digits(mh_bits_bytes(c + 1));
        key[2 * suit] = (uint16_t)(c[0] + 5 * others);
        key[2 * suit + 1] = (uint16_t)(others >> 32);
    }
    int honours = 0;
    for (int type = SUIT_TYPES; type < TYPES; type++) {
        honours += hand_honour_weight(count[type]);
    }
    key[6] = (uint16_t)honours;
}

/* A hand from its counts (index 34: Mhing cards), all other forms found at once; no waiting set. */
static inline struct mhing_hand hand_of_counts(const uint8_t count[35])
{
    struct mhing_hand hand = {.waits = 0};
    memcpy(hand.count, count, JOKER + 1);
    hand_find_keys(count, hand.key);
    hand.held = hand_places(count, 1);
    hand.twice = hand_places(count, 2);
    return hand;
}

/* Takes the cards that a meld needs from the hand; `claimed` (a type, or -1) comes from the discards. */
static inline void hand_take_meld(struct mhing_hand *hand, int kind, int jokers, int claimed)
{
    int rest = claimed;
    for (int place = 0; place < MELD_CARDS; place++) {
        const int type = mhing_joker_at(kind, jokers, place) ? JOKER : kind_card(kind, place);
        if (type == rest) {
            rest = -1;
        } else {
            hand_take(hand, type);
        }
    }
    assert(rest == -1);
}

/* The types held, a bit set; bit 34 for Mhing cards. */
static inline uint64_t hand_held_types(const struct mhing_hand *hand)
{
    return hand_types(hand->held) | (uint64_t)(hand->count[JOKER] > 0) << JOKER;
}

static inline int hand_jokers(const struct mhing_hand *hand)
{
    return hand->count[JOKER];
}

#endif
