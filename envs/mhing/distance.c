/* Distance to complete (R5), exact over all shapes, by the tables that tables/make_tables.c explains. */
#include "distance.h"
#include "mhing_tables.h"

/* ---- Four melds and a pair ------------------------------------------------------------------------------ */

static inline int suit_class_of(const uint16_t *key)
{
    return suit_class[prefix_class[key[0]]][suffix_class[key[1]]];
}

static inline struct classes classes_of(const uint16_t key[7])
{
    return (struct classes){{(uint8_t)suit_class_of(key), (uint8_t)suit_class_of(key + 2),
                             (uint8_t)suit_class_of(key + 4), honour_class[key[6]]}};
}

static inline int melds_missing(const struct classes *c, int melds)
{
    return meld_distance[melds][pair_class[c->of[0]][c->of[1]]][pair_class[c->of[2]][c->of[HONOURS]]];
}

struct classes mhing_classes_of(const uint16_t key[7])
{
    return classes_of(key);
}

int mhing_melds_missing(const struct classes *classes, int melds)
{
    return melds_missing(classes, melds);
}

/* The same while one group changes: the cards missing are distance[pair[class of that group]], since the tables are
 * symmetric. */
struct others {
    const uint8_t *pair;
    const uint8_t *distance;
};

static inline struct others others_of(const struct classes *c, int group, int melds)
{
    const int partner = c->of[group ^ 1];
    const int pair = group < 2 ? pair_class[c->of[2]][c->of[3]] : pair_class[c->of[0]][c->of[1]];
    return (struct others){pair_class[partner], meld_distance[melds][pair]};
}

static inline int missing_with(const struct others *others, int class_of_group)
{
    return others->distance[others->pair[class_of_group]];
}

/* The class of a type's group once a card of it has gone. */
static inline int class_without(const struct mhing_hand *hand, int type)
{
    const uint16_t *key = hand->key + hand_key(type);
    const int less = *key - hand_key_step(type, hand->count[type] - 1);
    if (type >= SUIT_TYPES) {
        return honour_class[less];
    }
    return type_number(type) < 5 ? suit_class[prefix_class[less]][suffix_class[key[1]]]
                                 : suit_class[prefix_class[key[-1]]][suffix_class[less]];
}

static inline int type_group(int type)
{
    return type < SUIT_TYPES ? type_suit(type) : HONOURS;
}

/* ---- Other shapes --------------------------------------------------------------------------------------- */

/* Nothing connects: how many of the 14 cards are missing. */
static inline int nothing_connects_missing(uint64_t held)
{
    const int suits =
        (spread_class[hand_suit_bits(held, 0)] * SPREAD_CLASSES + spread_class[hand_suit_bits(held, 1)]) *
            SPREAD_CLASSES +
        spread_class[hand_suit_bits(held, 2)];
    return spread_distance[suits][mh_bits_count(hand_honour_bits(held))];
}

int mhing_nothing_connects_missing(uint64_t held)
{
    return nothing_connects_missing(held);
}

/* Seven pairs: two equal pairs are allowed, so four copies are two pairs. */
int mhing_seven_pairs_missing(const uint8_t count[TYPES])
{
    int pairs = 0;
    int singles = 0;
    for (int type = 0; type < TYPES; type++) {
        pairs += count[type] / 2;
        singles += count[type] % 2;
    }
    const int open = 7 - pairs;
    return open <= 0 ? 0 : 2 * open - (singles < open ? singles : open);
}

/* The fewest cards missing over the shapes of a hand with no melds on the table that are not melds and a pair. */
static inline int other_shapes_missing(const uint8_t *count, uint64_t held, int seven_pairs)
{
    const int spread = nothing_connects_missing(held);
    const int pairs = seven_pairs ? mhing_seven_pairs_missing(count) : spread;
    return pairs < spread ? pairs : spread;
}

/* ---- Distances ------------------------------------------------------------------------------------------ */

static inline int distance_of(int missing, int jokers)
{
    return missing > jokers ? missing - jokers : 0;
}

/* Of the forms of a hand only what the distance takes: to find one in bulk, no hand is put together. */
static inline int distance_by(const uint8_t count[JOKER + 1], const uint16_t key[7], uint64_t held, int melds,
                              int seven_pairs)
{
    const struct classes classes = classes_of(key);
    int missing = melds_missing(&classes, melds);
    if (melds == MELDS) {
        const int other = other_shapes_missing(count, held, seven_pairs);
        missing = other < missing ? other : missing;
    }
    return distance_of(missing, count[JOKER]);
}

int mhing_hand_distance(const struct mhing_hand *hand, int melds, int seven_pairs)
{
    return distance_by(hand->count, hand->key, hand->held, melds, seven_pairs);
}

/* What the other shapes miss once a card of the type is discarded. */
static int other_shapes_after(const struct mhing_hand *hand, int type, int seven_pairs)
{
    if (seven_pairs) {
        struct mhing_hand next = *hand;
        hand_take(&next, type);
        return other_shapes_missing(next.count, next.held, 1);
    }
    const uint64_t single = type == JOKER || hand->count[type] > 1 ? 0 : (uint64_t)1 << hand_place(type);
    return nothing_connects_missing(hand->held & ~single);
}

int mhing_hand_after_discards(const struct mhing_hand *hand, int melds, int seven_pairs, uint8_t after[JOKER + 1])
{
    const struct classes classes = classes_of(hand->key);
    const int jokers = hand_jokers(hand);
    int smallest = MHING_NO_DISTANCE;
    struct others others[GROUPS];
    for (int group = 0; group < GROUPS; group++) {
        others[group] = others_of(&classes, group, melds);
    }
    memset(after, MHING_NO_DISTANCE, JOKER + 1);
    for (int type = 0; type <= JOKER; type++) {
        if (hand->count[type]) {
            int missing = type == JOKER ? melds_missing(&classes, melds)
                                        : missing_with(&others[type_group(type)], class_without(hand, type));
            if (melds == MELDS) {
                const int other = other_shapes_after(hand, type, seven_pairs);
                missing = other < missing ? other : missing;
            }
            after[type] = (uint8_t)distance_of(missing, jokers - (type == JOKER));
            smallest = after[type] < smallest ? after[type] : smallest;
        }
    }
    return smallest;
}

/* ---- Cards that help ------------------------------------------------------------------------------------ */

/* At least this many cards are missing from melds and a pair: a single card without a neighbour needs two more,
 * or one as the pair. Cheap, and enough to rule most hands out. */
static int missing_at_least(const struct mhing_hand *hand)
{
    const uint64_t suits = hand->held & HAND_SUIT_BITS;
    const uint64_t near = suits << 1 | suits >> 1 | suits << 2 | suits >> 2;
    return 2 * mh_bits_count(hand->held & ~hand->twice & ~near) - 1;
}

/* The numbers of a suit of which one more leaves at most `most` cards missing; a bit set. */
static inline unsigned suit_helps(const struct mhing_hand *hand, int suit, const struct others *others, int most)
{
    const uint16_t *key = hand->key + 2 * suit;
    const uint8_t *count = hand->count + suit * NUMBERS;
    const uint8_t *row = suit_class[prefix_class[key[0]]];
    const int suffix = suffix_class[key[1]];
    unsigned numbers = 0;
    for (int number = 0; number < 5; number++) {
        const int step = count[number] < COPIES ? hand_key_step(number, 0) : 0;
        numbers |= (unsigned)(missing_with(others, suit_class[prefix_class[key[0] + step]][suffix]) <= most)
                   << number;
    }
    for (int number = 5; number < NUMBERS; number++) {
        const int step = count[number] < COPIES ? hand_key_step(number, 0) : 0;
        numbers |= (unsigned)(missing_with(others, row[suffix_class[key[1] + step]]) <= most) << number;
    }
    return numbers;
}

/* The types of which one more leaves at most `most` cards missing from the melds and the pair. A type of which the
 * hand holds all copies changes nothing, so it is none of them: more are missing now. */
uint64_t mhing_melds_help(const struct mhing_hand *hand, int melds, int most)
{
    const struct classes classes = classes_of(hand->key);
    const int missing = melds_missing(&classes, melds);
    if (missing != most + 1) {
        assert(missing > most);
        return 0;
    }
    uint64_t types = (uint64_t)1 << JOKER;
    for (int suit = 0; suit < SUITS; suit++) {
        const struct others others = others_of(&classes, suit, melds);
        types |= (uint64_t)suit_helps(hand, suit, &others, most) << suit * NUMBERS;
    }
    const struct others others = others_of(&classes, HONOURS, melds);
    for (int type = SUIT_TYPES; type < TYPES; type++) {
        const int count = hand->count[type];
        const int step = count < COPIES ? hand_key_step(type, count) : 0;
        types |= (uint64_t)(missing_with(&others, honour_class[hand->key[6] + step]) <= most) << type;
    }
    return types;
}

uint64_t mhing_nothing_connects_helps(const struct mhing_hand *hand, int most)
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

uint64_t mhing_seven_pairs_help(const struct mhing_hand *hand, int most)
{
    struct mhing_hand next = *hand;
    if (mhing_seven_pairs_missing(hand->count) > most + 1) {
        return 0;
    }
    uint64_t types = (uint64_t)1 << JOKER;
    for (int type = 0; type < TYPES; type++) {
        if (hand->count[type] < COPIES) {
            next.count[type]++;
            types |= (uint64_t)(mhing_seven_pairs_missing(next.count) <= most) << type;
            next.count[type]--;
        }
    }
    return types;
}

/* The shapes of a hand with no melds on the table that are not melds and a pair. */
static uint64_t other_shapes_help(const struct mhing_hand *hand, int seven_pairs, int most)
{
    return mhing_nothing_connects_helps(hand, most) | (seven_pairs ? mhing_seven_pairs_help(hand, most) : 0);
}

uint64_t mhing_hand_helps(const struct mhing_hand *hand, int melds, int seven_pairs, int distance)
{
    const int most = distance + hand_jokers(hand);
    const uint64_t types = mhing_melds_help(hand, melds, most);
    return melds == MELDS ? types | other_shapes_help(hand, seven_pairs, most) : types;
}

uint64_t mhing_hand_waits(const struct mhing_hand *hand, int melds, int seven_pairs)
{
    const int jokers = hand_jokers(hand);
    const uint64_t types = missing_at_least(hand) <= jokers + 1 ? mhing_melds_help(hand, melds, jokers) : 0;
    return melds == MELDS ? types | other_shapes_help(hand, seven_pairs, jokers) : types;
}

/* ---- Hands from outside --------------------------------------------------------------------------------- */

int mhing_distance(const struct mhing_cards *cards, int seven_pairs)
{
    if (!cards || cards->melds > MELDS) {
        return MH_ERROR_ARGUMENT;
    }
    const int full = DEALT + 1 - MELD_CARDS * cards->melds;
    const int size = hand_count_cards(cards->count);
    if (size != full && size != full - 1) {
        return MH_ERROR_ARGUMENT;
    }
    uint16_t key[7];
    hand_find_keys(cards->count, key);
    return distance_by(cards->count, key, hand_places(cards->count, 1), MELDS - cards->melds, seven_pairs);
}

int64_t mhing_distances(const struct mhing_cards *cards, int64_t count, int seven_pairs, int8_t *distances)
{
    for (int64_t i = 0; i < count; i++) {
        const int distance = mhing_distance(&cards[i], seven_pairs);
        if (distance < 0) {
            return i;
        }
        distances[i] = (int8_t)distance;
    }
    return count;
}
