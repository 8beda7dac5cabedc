/* Distance to complete (R5), exact over all shapes, by the tables that tables/groups.c explains. */
#include "distance.h"
#include "base/mh_two.h"
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

int mhing_suit_class(const uint16_t key[2])
{
    return suit_class_of(key);
}

int mhing_melds_missing(int a, int b, int c, int d, int melds)
{
    return melds_missing(&(struct classes){{(uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d}}, melds);
}

/* The same while one group changes: the cards missing are distance[pair[class of that group]], since the tables are
 * symmetric. */
struct other_groups {
    const uint8_t *pair;
    const uint8_t *distance;
};

static inline struct other_groups others_of(const struct classes *c, int group, int melds)
{
    const int partner = c->of[group ^ 1];
    const int pair = group < 2 ? pair_class[c->of[2]][c->of[3]] : pair_class[c->of[0]][c->of[1]];
    return (struct other_groups){pair_class[partner], meld_distance[melds][pair]};
}

static inline int missing_with(const struct other_groups *others, int class_of_group)
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

static inline int spread_index(const int classes[SUITS])
{
    return (classes[0] * SPREAD_CLASSES + classes[1]) * SPREAD_CLASSES + classes[2];
}

/* Nothing connects: how many of the 14 cards are missing. */
static inline int nothing_connects_missing(uint64_t held)
{
    const int classes[SUITS] = {spread_class[hand_suit_bits(held, 0)], spread_class[hand_suit_bits(held, 1)],
                                spread_class[hand_suit_bits(held, 2)]};
    return spread_distance[spread_index(classes)][mh_bits_count(hand_honour_bits(held))];
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

/* The distance alone, for many hands: it puts no forms of a hand together. */
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

/* Returns how many cards the other shapes miss before a discard; more than any hand where melds lie on the table. */
static inline int other_shapes_before(const struct mhing_hand *hand, int melds, int seven_pairs)
{
    return melds == MELDS ? other_shapes_missing(hand->count, hand->held, seven_pairs) : MHING_NO_DISTANCE;
}

/* The fewest cards missing over all shapes after a discard, which brings no shape nearer: of melds and a pair `melds`
 * are missing then, of the other shapes at least `other`. */
static inline int least_missing(const struct mhing_hand *next, int melds, int other, int seven_pairs)
{
    const int found = other < melds ? other_shapes_missing(next->count, next->held, seven_pairs) : melds;
    return found < melds ? found : melds;
}

int mhing_hand_after_discards(const struct mhing_hand *hand, int melds, int seven_pairs, uint8_t after[JOKER + 1])
{
    const struct classes classes = classes_of(hand->key);
    const int other = other_shapes_before(hand, melds, seven_pairs);
    int smallest = MHING_NO_DISTANCE;
    struct other_groups others[GROUPS];
    for (int group = 0; group < GROUPS; group++) {
        others[group] = others_of(&classes, group, melds);
    }
    memset(after, MHING_NO_DISTANCE, JOKER + 1);
    for (uint64_t types = hand_held_types(hand); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        int missing = type == JOKER ? melds_missing(&classes, melds)
                                    : missing_with(&others[type_group(type)], class_without(hand, type));
        if (other < missing) {
            struct mhing_hand next = *hand;
            hand_take(&next, type);
            missing = least_missing(&next, missing, other, seven_pairs);
        }
        after[type] = (uint8_t)distance_of(missing, hand_jokers(hand) - (type == JOKER));
        smallest = after[type] < smallest ? after[type] : smallest;
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

/* A one in each lane: see tables/groups.c. */
static const uint64_t EACH_LANE =
    (uint64_t)1 | (uint64_t)1 << LANE | (uint64_t)1 << 2 * LANE | (uint64_t)1 << 3 * LANE | (uint64_t)1 << 4 * LANE;

/* What a group of the class misses, as a sum in which it stands at each type's bit. */
static inline mh_two missing_in_each(int class)
{
    const mh_two now = mh_two_load(part_missing[class]);
    return mh_two_subtract(mh_two_left(now, LANE), now);
}

/* Returns the cards missing with a change in a number, below those of all higher numbers. */
static inline mh_two add_number(mh_two missing, int class_with)
{
    return mh_two_add(mh_two_left(missing, 1), mh_two_load(part_missing[class_with]));
}

static inline struct group suit_group(const struct mhing_hand *hand, int suit)
{
    const uint16_t *key = hand->key + 2 * suit;
    const uint8_t *row = suit_class[prefix_class[key[0]]];
    const int suffix = suffix_class[key[1]];
    mh_two missing = mh_two_of(0);
    for (int number = NUMBERS - 1; number >= 5; number--) {
        missing = add_number(missing, row[suffix_with[key[1]][number - 5]]);
    }
    for (int number = 4; number >= 0; number--) {
        missing = add_number(missing, suit_class[prefix_with[key[0]][number]][suffix]);
    }
    return (struct group){.gains = mh_two_subtract(missing_in_each(row[suffix]), missing), .class = row[suffix]};
}

/* The group of the honours. The gain by one more depends on how many of it are held. */
static inline struct group honour_group(const struct mhing_hand *hand)
{
    const int class = honour_class[hand->key[6]];
    const uint64_t counts = hand_honour_counts(hand->count);
    uint64_t gains[2] = {0, 0};
    unsigned more = 0x7F;
    for (int count = 0; count < COPIES; count++) {
        const unsigned least = mh_bits_at_least(counts, (unsigned)count + 1);
        const int class_with = honour_class[hand->key[6] + hand_key_step(SUIT_TYPES, count)];
        for (int pairs = 0; pairs < 2; pairs++) { /* for the types held so often */
            gains[pairs] |= (part_missing[class][pairs] - part_missing[class_with][pairs]) * (more & ~least);
        }
        more = least;
    }
    return (struct group){.gains = mh_two_join(gains[0], gains[1]), .class = class};
}

static inline struct group group_of(const struct mhing_hand *hand, int group)
{
    return group == HONOURS ? honour_group(hand) : suit_group(hand, group);
}

/* The cards of a group as a number other than 0. */
static inline uint64_t group_cards(const struct mhing_hand *hand, int group)
{
    enum { KEYS = 625 }; /* 5^4: of the second key of a suit */
    const uint16_t *key = hand->key + 2 * group;
    return 1 + (group == HONOURS ? hand_honour_counts(hand->count) : (uint64_t)key[0] * KEYS + key[1]);
}

/* A group among the known ones, or, if these are NULL, in *own. */
static inline const struct group *look_up(const struct mhing_hand *hand, int group, struct known_groups *known,
                                          struct group *own)
{
    if (!known) {
        *own = group_of(hand, group);
        return own;
    }
    const uint64_t cards = group_cards(hand, group);
    const int place = (int)(cards * 0x9E3779B97F4A7C15u >> (64 - KNOWN_GROUPS_BITS));
    if (known->cards[group][place] != cards) {
        known->cards[group][place] = cards;
        known->groups[group][place] = group_of(hand, group);
    }
    return &known->groups[group][place];
}

static inline void find_groups(const struct mhing_hand *hand, struct known_groups *known, struct groups *groups)
{
    for (int group = 0; group < GROUPS; group++) {
        groups->of[group] = look_up(hand, group, known, &groups->own[group]);
    }
}

static inline int groups_missing(const struct group *const groups[GROUPS], int melds)
{
    const struct classes classes = {{(uint8_t)groups[0]->class, (uint8_t)groups[1]->class,
                                     (uint8_t)groups[2]->class, (uint8_t)groups[HONOURS]->class}};
    return melds_missing(&classes, melds);
}

/* The types of a group that help: those that gain where the group has a part in one of the best ways to make all melds
 * and the pair. `over` lifts what misses more than these into the highest bit of its lane. */
static inline uint64_t group_helps(const struct group *group, const uint64_t rest[2], uint64_t over)
{
    enum { HIGH = LANE - 1 };
    const mh_two missing = mh_two_add(mh_two_load(part_missing[group->class]), mh_two_load(rest));
    const mh_two high = mh_two_and(mh_two_add(missing, mh_two_of(over)), mh_two_of(EACH_LANE << HIGH));
    const mh_two more = mh_two_subtract(mh_two_left(high, 1), mh_two_right(high, HIGH));
    uint64_t helps = mh_two_either(mh_two_and_not(group->gains, more));
    helps |= helps >> 2 * LANE | helps >> 4 * LANE;
    return (helps | helps >> LANE) & ((1 << LANE) - 1);
}

/* Returns the types of which another card leaves one card less missing than `missing`, those of a bit set of groups and
 * jokers; none where more are missing now. */
static inline uint64_t groups_help(const struct group *const groups[GROUPS], int melds, int missing, unsigned of)
{
    const int first = pair_class[groups[0]->class][groups[1]->class];
    const int last = pair_class[groups[2]->class][groups[HONOURS]->class];
    assert(meld_distance[melds][first][last] >= missing);
    if (meld_distance[melds][first][last] > missing) {
        return 0;
    }
    const uint64_t over = (uint64_t)((1 << (LANE - 1)) - 1 - missing) * EACH_LANE;
    uint64_t types = (uint64_t)1 << JOKER;
    for (int group = 0; group < GROUPS; group++) {
        if (of >> group & 1) {
            const int partner = groups[group ^ 1]->class;
            const int rest = rest_class[group < 2 ? last : first][partner];
            types |= group_helps(groups[group], rest_missing[melds][rest], over) << group * NUMBERS;
        }
    }
    return types;
}

uint64_t mhing_melds_help(const struct mhing_hand *hand, int melds, int most, struct known_groups *known)
{
    struct groups groups;
    if (!known) { /* then it takes long to find groups */
        const struct classes classes = classes_of(hand->key);
        if (melds_missing(&classes, melds) > most + 1) {
            return 0;
        }
    }
    find_groups(hand, known, &groups);
    return groups_help(groups.of, melds, most + 1, ALL_GROUPS);
}

void mhing_find_groups(const struct mhing_hand *hand, struct known_groups *known, struct groups *groups)
{
    find_groups(hand, known, groups);
    for (int group = 0; group < GROUPS; group++) { /* other hands may replace the known ones */
        groups->own[group] = *groups->of[group];
        groups->of[group] = &groups->own[group];
    }
}

uint64_t mhing_groups_help(const struct group *const groups[GROUPS], int melds, int missing, unsigned of)
{
    return groups_help(groups, melds, missing, of);
}

/* A suit's numbers that help make it one of few classes. */
uint64_t mhing_nothing_connects_helps(const struct mhing_hand *hand, int most)
{
    if (nothing_connects_missing(hand->held) > most + 1) {
        return 0;
    }
    const unsigned honours = hand_honour_bits(hand->held);
    const int different = mh_bits_count(honours);
    uint64_t types = (uint64_t)1 << JOKER;
    int classes[SUITS];
    for (int suit = 0; suit < SUITS; suit++) {
        classes[suit] = spread_class[hand_suit_bits(hand->held, suit)];
    }
    for (int suit = 0; suit < SUITS; suit++) {
        static const int weight[SUITS] = {SPREAD_CLASSES * SPREAD_CLASSES, SPREAD_CLASSES, 1};
        const unsigned held = hand_suit_bits(hand->held, suit);
        const int others = spread_index(classes) - classes[suit] * weight[suit];
        for (int class = 0; class < SPREAD_CLASSES; class++) {
            if (spread_distance[others + class * weight[suit]][different] <= most) {
                types |= (uint64_t)spread_with[class][held] << suit * NUMBERS;
            }
        }
    }
    if (different < HONOUR_COUNTS - 1 && spread_distance[spread_index(classes)][different + 1] <= most) {
        types |= (uint64_t)(~honours & 0x7F) << SUIT_TYPES;
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

uint64_t mhing_hand_helps(const struct mhing_hand *hand, int melds, int seven_pairs, int distance,
                          struct known_groups *known)
{
    const int most = distance + hand_jokers(hand);
    const uint64_t types = mhing_melds_help(hand, melds, most, known);
    return melds == MELDS ? types | other_shapes_help(hand, seven_pairs, most) : types;
}

uint64_t mhing_hand_waits(const struct mhing_hand *hand, int melds, int seven_pairs, struct known_groups *known)
{
    const int jokers = hand_jokers(hand);
    const uint64_t types = missing_at_least(hand) <= jokers + 1 ? mhing_melds_help(hand, melds, jokers, known) : 0;
    return melds == MELDS ? types | other_shapes_help(hand, seven_pairs, jokers) : types;
}

/* A set of types in which two have changed places. */
static inline uint64_t exchange_types(uint64_t types, int one, int other)
{
    const uint64_t differ = (types >> one ^ types >> other) & 1;
    return types ^ (differ << one | differ << other);
}

/* No shape tells one honour from another: of those held equally often, one is looked at. */
void mhing_discards_help(const struct mhing_hand *hand, int melds, int seven_pairs, uint64_t discards,
                         uint8_t after[JOKER + 1], uint64_t helps[JOKER + 1])
{
    int alike[COPIES + 1] = {0}; /* the honour held so often that was looked at */
    const int other = other_shapes_before(hand, melds, seven_pairs);
    struct group groups[GROUPS];
    const struct group *const all[GROUPS] = {&groups[0], &groups[1], &groups[2], &groups[HONOURS]};
    for (int group = 0; group < GROUPS; group++) {
        groups[group] = group_of(hand, group);
    }
    for (; discards; discards &= discards - 1) {
        const int type = mh_bits_lowest(discards);
        const int changed = type_group(type);
        if (changed == HONOURS && type != JOKER) {
            const int seen = alike[hand->count[type]];
            if (seen) {
                after[type] = after[seen];
                helps[type] = exchange_types(helps[seen], seen, type);
                continue;
            }
            alike[hand->count[type]] = type;
        }
        const struct group before = groups[changed];
        struct mhing_hand next = *hand;
        hand_take(&next, type);
        if (type != JOKER) {
            groups[changed] = group_of(&next, changed);
        }
        const int missing = least_missing(&next, groups_missing(all, melds), other, seven_pairs);
        helps[type] = groups_help(all, melds, missing, ALL_GROUPS);
        if (melds == MELDS) {
            helps[type] |= other_shapes_help(&next, seven_pairs, missing - 1);
        }
        after[type] = (uint8_t)distance_of(missing, hand_jokers(&next));
        groups[changed] = before;
    }
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
