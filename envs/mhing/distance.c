/* Distance to complete (R5), exact over all shapes, by the tables that tables/make_tables.c explains. */
#include "hand.h"
#include "mhing_tables.h"

/* A hand seen from the tables: the classes of its three suits and of its honours. */
struct classes {
    uint8_t suit[SUITS];
    uint8_t honours;
};

static inline int suit_class_of(const uint16_t *key)
{
    return suit_class[prefix_class[key[0]]][suffix_class[key[1]]];
}

static inline struct classes classes_of(const struct mhing_hand *hand)
{
    return (struct classes){{(uint8_t)suit_class_of(hand->key), (uint8_t)suit_class_of(hand->key + 2),
                             (uint8_t)suit_class_of(hand->key + 4)},
                            honour_class[hand->key[6]]};
}

static inline int melds_missing(const struct classes *c, int melds)
{
    return meld_distance[melds][pair_class[c->suit[0]][c->suit[1]]][pair_class[c->suit[2]][c->honours]];
}

/* Nothing connects: how many of the 14 cards are missing. */
static inline int nothing_connects_missing(uint64_t held)
{
    const int suits =
        (spread_class[hand_suit_bits(held, 0)] * SPREAD_CLASSES + spread_class[hand_suit_bits(held, 1)]) *
            SPREAD_CLASSES +
        spread_class[hand_suit_bits(held, 2)];
    return spread_distance[suits][mh_bits_count(hand_honour_bits(held))];
}

/* Seven pairs: two equal pairs are allowed, so four copies are two pairs. */
static int seven_pairs_missing(const struct mhing_hand *hand)
{
    int pairs = 0;
    int singles = 0;
    for (int type = 0; type < TYPES; type++) {
        pairs += hand->count[type] / 2;
        singles += hand->count[type] % 2;
    }
    const int open = 7 - pairs;
    return open <= 0 ? 0 : 2 * open - (singles < open ? singles : open);
}

int mhing_hand_distance(const struct mhing_hand *hand, int melds, int seven_pairs)
{
    const struct classes classes = classes_of(hand);
    int missing = melds_missing(&classes, melds);
    if (melds == MELDS) {
        const int spread = nothing_connects_missing(hand->held);
        const int pairs = seven_pairs ? seven_pairs_missing(hand) : spread;
        missing = spread < missing ? spread : missing;
        missing = pairs < missing ? pairs : missing;
    }
    const int distance = missing - hand_jokers(hand);
    return distance > 0 ? distance : 0;
}

/* At least this many cards are missing from melds and a pair: a single card without a neighbour needs two more,
 * or one as the pair. Cheap, and enough to rule most hands out. */
static int missing_at_least(const struct mhing_hand *hand)
{
    const uint64_t suits = hand->held & HAND_SUIT_BITS;
    const uint64_t near = suits << 1 | suits >> 1 | suits << 2 | suits >> 2;
    return 2 * mh_bits_count(hand->held & ~hand->twice & ~near) - 1;
}

/* The cards of one suit of which one more leaves at most `most` cards missing from the melds and the pair. */
static uint64_t suit_helps(const struct mhing_hand *hand, struct classes classes, int suit, int melds, int most)
{
    const uint8_t before = classes.suit[suit];
    uint64_t types = 0;
    for (int number = 0; number < NUMBERS; number++) {
        const int type = suit * NUMBERS + number;
        uint16_t key[2] = {hand->key[2 * suit], hand->key[2 * suit + 1]};
        if (hand->count[type] == COPIES) {
            continue;
        }
        key[number >= 5] = (uint16_t)(key[number >= 5] + hand_key_step(type, 0));
        classes.suit[suit] = (uint8_t)suit_class_of(key);
        if (classes.suit[suit] != before && melds_missing(&classes, melds) <= most) {
            types |= (uint64_t)1 << type;
        }
    }
    return types;
}

static uint64_t melds_help(const struct mhing_hand *hand, int melds, int most)
{
    struct classes classes = classes_of(hand);
    if (melds_missing(&classes, melds) > most + 1) {
        return 0;
    }
    uint64_t types = (uint64_t)1 << JOKER;
    for (int suit = 0; suit < SUITS; suit++) {
        types |= suit_helps(hand, classes, suit, melds, most);
    }
    for (int type = SUIT_TYPES; type < TYPES; type++) {
        const int count = hand->count[type];
        if (count < COPIES) {
            classes.honours = honour_class[hand->key[6] + hand_key_step(type, count)];
            types |= (uint64_t)(melds_missing(&classes, melds) <= most) << type;
        }
    }
    return types;
}

static uint64_t nothing_connects_helps(const struct mhing_hand *hand, int most)
{
    if (nothing_connects_missing(hand->held) > most + 1) {
        return 0;
    }
    uint64_t types = (uint64_t)1 << JOKER;
    for (int type = 0; type < TYPES; type++) {
        const uint64_t bit = (uint64_t)1 << hand_place(type);
        if (!(hand->held & bit)) {
            types |= (uint64_t)(nothing_connects_missing(hand->held | bit) <= most) << type;
        }
    }
    return types;
}

static uint64_t seven_pairs_help(const struct mhing_hand *hand, int most)
{
    struct mhing_hand next = *hand;
    if (seven_pairs_missing(hand) > most + 1) {
        return 0;
    }
    uint64_t types = (uint64_t)1 << JOKER;
    for (int type = 0; type < TYPES; type++) {
        if (hand->count[type] < COPIES) {
            next.count[type]++;
            types |= (uint64_t)(seven_pairs_missing(&next) <= most) << type;
            next.count[type]--;
        }
    }
    return types;
}

/* The shapes of a hand with no melds on the table that are not melds and a pair. */
static uint64_t other_shapes_help(const struct mhing_hand *hand, int seven_pairs, int most)
{
    return nothing_connects_helps(hand, most) | (seven_pairs ? seven_pairs_help(hand, most) : 0);
}

uint64_t mhing_hand_helps(const struct mhing_hand *hand, int melds, int seven_pairs, int distance)
{
    const int most = distance + hand_jokers(hand);
    const uint64_t types = melds_help(hand, melds, most);
    return melds == MELDS ? types | other_shapes_help(hand, seven_pairs, most) : types;
}

uint64_t mhing_hand_waits(const struct mhing_hand *hand, int melds, int seven_pairs)
{
    const int jokers = hand_jokers(hand);
    const uint64_t types = missing_at_least(hand) <= jokers + 1 ? melds_help(hand, melds, jokers) : 0;
    return melds == MELDS ? types | other_shapes_help(hand, seven_pairs, jokers) : types;
}

int mhing_distance(const struct mhing_cards *cards, int seven_pairs)
{
    struct mhing_hand hand = {.waits = 0};
    int size = 0;
    if (!cards || cards->melds > MELDS) {
        return MH_ERROR_ARGUMENT;
    }
    for (int type = 0; type <= JOKER; type++) {
        if (cards->count[type] > (type == JOKER ? JOKERS : COPIES)) {
            return MH_ERROR_ARGUMENT;
        }
        for (int i = 0; i < cards->count[type]; i++) {
            hand_add(&hand, type);
            size++;
        }
    }
    const int full = DEALT + 1 - MELD_CARDS * cards->melds;
    if (size != full && size != full - 1) {
        return MH_ERROR_ARGUMENT;
    }
    return mhing_hand_distance(&hand, MELDS - cards->melds, seven_pairs);
}
