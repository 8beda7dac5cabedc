/* Concealed cards: adding and taking cards keeps all their forms up to date. */
#ifndef MHING_HAND_H
#define MHING_HAND_H

#include "mhing.h"

/* Places in a presence word: suits at 2, 13 and 24 with two empty bits around each, so that shifts by one and two
 * never reach another suit; honours, as if they were a fourth suit, from 35. */
static inline int hand_place(int type)
{
    return 2 + type_suit(type) * 11 + type_number(type);
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

/* What one more card of a type adds to the key that holds it. Suits: a digit in base 5, numbers 1-5 in the first
 * key of the suit and 6-9 in the second. Honours: the key counts types held once, twice, ... as octal digits. */
static inline int hand_key(int type)
{
    return type < SUIT_TYPES ? type_suit(type) * 2 + (type_number(type) >= 5) : 6;
}

static inline int hand_honour_weight(int count)
{
    static const uint16_t weight[COPIES + 1] = {0, 1, 8, 64, 512};
    return weight[count];
}

static inline int hand_key_step(int type, int count_before)
{
    static const uint16_t suit_step[NUMBERS] = {1, 5, 25, 125, 625, 1, 5, 25, 125};
    return type < SUIT_TYPES ? suit_step[type_number(type)]
                             : hand_honour_weight(count_before + 1) - hand_honour_weight(count_before);
}

static inline void hand_add(struct mhing_hand *hand, int type)
{
    const int before = hand->count[type]++;
    if (type != JOKER) {
        const uint64_t bit = (uint64_t)1 << hand_place(type);
        const int key = hand_key(type);
        hand->key[key] = (uint16_t)(hand->key[key] + hand_key_step(type, before));
        hand->held |= bit;
        hand->twice |= before ? bit : 0;
    }
}

static inline void hand_take(struct mhing_hand *hand, int type)
{
    assert(hand->count[type] > 0);
    const int after = --hand->count[type];
    if (type != JOKER) {
        const uint64_t bit = (uint64_t)1 << hand_place(type);
        const int key = hand_key(type);
        hand->key[key] = (uint16_t)(hand->key[key] - hand_key_step(type, after));
        hand->held &= after > 0 ? ~(uint64_t)0 : ~bit;
        hand->twice &= after > 1 ? ~(uint64_t)0 : ~bit;
    }
}

/* Types 0-33 held at least `least` times, at their places. */
static inline uint64_t hand_places(const uint8_t count[35], unsigned least)
{
    const uint64_t types =
        (uint64_t)mh_bits_at_least(count, least) | (uint64_t)mh_bits_at_least(count + 8, least) << 8 |
        (uint64_t)mh_bits_at_least(count + 16, least) << 16 | (uint64_t)mh_bits_at_least(count + 24, least) << 24 |
        (uint64_t)(count[32] >= least) << 32 | (uint64_t)(count[33] >= least) << 33;
    return (types & 0x1FF) << 2 | (types >> 9 & 0x1FF) << 13 | (types >> 18 & 0x1FF) << 24 |
           (types >> 27 & 0x7F) << 35;
}

/* The number of cards in counts from outside, or -1 when there are more of a type than the deck holds. */
static inline int hand_count_cards(const uint8_t count[35])
{
    int size = 0;
    int too_many = count[JOKER] > JOKERS;
    for (int type = 0; type < TYPES; type++) {
        size += count[type];
        too_many |= count[type] > COPIES;
    }
    return too_many ? -1 : size + count[JOKER];
}

/* A hand from its counts (index 34: Mhing cards), all other forms found at once; no waiting set. */
static inline struct mhing_hand hand_of_counts(const uint8_t count[35])
{
    struct mhing_hand hand = {.waits = 0};
    memcpy(hand.count, count, JOKER + 1);
    for (int suit = 0; suit < SUITS; suit++) {
        const uint8_t *c = count + suit * NUMBERS;
        hand.key[2 * suit] = (uint16_t)(c[0] + 5 * c[1] + 25 * c[2] + 125 * c[3] + 625 * c[4]);
        hand.key[2 * suit + 1] = (uint16_t)(c[5] + 5 * c[6] + 25 * c[7] + 125 * c[8]);
    }
    for (int type = SUIT_TYPES; type < TYPES; type++) {
        hand.key[6] = (uint16_t)(hand.key[6] + hand_honour_weight(count[type]));
    }
    hand.held = hand_places(hand.count, 1);
    hand.twice = hand_places(hand.count, 2);
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

static inline int hand_jokers(const struct mhing_hand *hand)
{
    return hand->count[JOKER];
}

#endif
