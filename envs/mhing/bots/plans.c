/* Plans: the distance of a hand once the cards are set aside that a kind of hand has no use for, or those that it must
 * have. All by the tables of distance.c. */
#include "plans.h"

#include "credits.h"
#include "distance.h"

/* A hand, and its plans as far as they are known. */
struct plan_search {
    const struct mhing_player *player;
    const struct mhing_hand *hand;
    int melds;  /* to go */
    int jokers; /* in the hand */
    int laid;   /* flags of the melds on the table (credits.h), 0 for none */
    uint64_t thrice;
    struct unseen_cards unseen;
    struct plans *plans;
};

#define SUIT_TYPE_SET(suit) ((uint64_t)0x1FF << (suit) * NUMBERS)
#define HONOUR_TYPE_SET ((uint64_t)0x7F << WINDS)

/* ---- Nearest ways to a plan ------------------------------------------------------------------------------ */

static int distance_by(const struct plan_search *search, int missing)
{
    return missing > search->jokers ? missing - search->jokers : 0;
}

/* Keeps the nearest way to a plan, and among the nearest the one with the most useful cards. */
static void keep_nearest(struct plan_search *search, enum mhing_plan plan, int distance, uint64_t helps)
{
    const int useful = mhing_count_unseen(&search->unseen, helps);
    if (distance < search->plans->distance[plan] || useful > search->plans->useful[plan]) {
        search->plans->distance[plan] = (uint8_t)distance;
        search->plans->useful[plan] = (uint8_t)useful;
    }
}

/* True if a way with so many cards missing is worth finding its useful cards; if it is only far, it is kept as it is. */
static int is_near(struct plan_search *search, enum mhing_plan plan, int missing)
{
    uint8_t *nearest = &search->plans->distance[plan];
    const int distance = distance_by(search, missing);
    if (distance >= PLAN_FAR && distance < *nearest) {
        *nearest = (uint8_t)distance;
    }
    return distance < PLAN_FAR && distance <= *nearest;
}

/* ---- Hands of some types only ---------------------------------------------------------------------------- */

/* Melds and a pair of some types: `key`, those of the hand without the cards of other types. */
static void try_types(struct plan_search *search, enum mhing_plan plan, const uint16_t key[7], uint64_t types)
{
    const struct classes classes = mhing_classes_of(key);
    const int missing = mhing_melds_missing(&classes, search->melds);
    if (is_near(search, plan, missing)) {
        struct mhing_hand hand = *search->hand;
        memcpy(hand.key, key, sizeof hand.key);
        const uint64_t helps = mhing_melds_help(&hand, search->melds, missing - 1);
        keep_nearest(search, plan, distance_by(search, missing), helps & (types | (uint64_t)1 << JOKER));
    }
}

/* Melds and a pair of two suits at most, or of suits and honours. */
static void try_groups(struct plan_search *search, enum mhing_plan plan, int suit, int other, int honours)
{
    const uint16_t *own = search->hand->key;
    uint16_t key[7] = {0};
    memcpy(key + 2 * suit, own + 2 * suit, 2 * sizeof *key);
    memcpy(key + 2 * other, own + 2 * other, 2 * sizeof *key);
    key[6] = honours ? own[6] : 0;
    try_types(search, plan, key, SUIT_TYPE_SET(suit) | SUIT_TYPE_SET(other) | (honours ? HONOUR_TYPE_SET : 0));
}

static void try_suits(struct plan_search *search)
{
    const int honours = search->laid & (HAS_WIND | HAS_DRAGON);
    for (int suit = 0; suit < SUITS; suit++) {
        const int other = (suit + 1) % SUITS;
        const int third = (suit + 2) % SUITS;
        if (!(search->laid & (HAS_SUIT << other | HAS_SUIT << third))) {
            try_groups(search, PLAN_ONE_SUIT_WITH_HONOURS, suit, suit, 1);
            if (!honours) {
                try_groups(search, PLAN_ONE_SUIT, suit, suit, 0);
            }
        }
        if (!honours && !(search->laid & HAS_SUIT << third)) {
            try_groups(search, PLAN_TWO_SUITS, suit, other, 0);
        }
    }
}

/* All 5-9, or all 1-5. The first key of a suit has the numbers 1-5 as digits in base 5. */
static void try_high_and_low(struct plan_search *search)
{
    enum { FIVE_DIGIT = 625 };
    const uint64_t high = 0x1F0, low = 0x1F;
    const uint64_t suits = 1 | (uint64_t)1 << NUMBERS | (uint64_t)1 << 2 * NUMBERS;
    uint16_t key[7] = {0};
    if (!(search->laid & NOT_HIGH)) {
        for (int suit = 0; suit < SUITS; suit++) {
            key[2 * suit] = (uint16_t)(search->hand->key[2 * suit] / FIVE_DIGIT * FIVE_DIGIT);
            key[2 * suit + 1] = search->hand->key[2 * suit + 1];
        }
        try_types(search, PLAN_HIGH_OR_LOW, key, high * suits);
    }
    if (!(search->laid & NOT_LOW)) {
        for (int suit = 0; suit < SUITS; suit++) {
            key[2 * suit] = search->hand->key[2 * suit];
            key[2 * suit + 1] = 0;
        }
        try_types(search, PLAN_HIGH_OR_LOW, key, low * suits);
    }
}

/* ---- Hands with certain melds ---------------------------------------------------------------------------- */

/* A hand with these melds, of which those in the bit set `laid` lie on the table. */
static void try_melds(struct plan_search *search, enum mhing_plan plan, const int *kinds, int count, int laid)
{
    struct mhing_hand rest = *search->hand;
    uint64_t helps = (uint64_t)1 << JOKER;
    int missing = 0;
    int melds = search->melds;
    for (int i = 0; i < count; i++) {
        for (int place = 0; !(laid >> i & 1) && place < MELD_CARDS; place++) {
            const int type = kind_card(kinds[i], place);
            if (rest.count[type]) {
                hand_take(&rest, type);
            } else {
                helps |= (uint64_t)1 << type;
                missing++;
            }
        }
        melds -= !(laid >> i & 1);
    }
    if (melds < 0) {
        return;
    }
    const struct classes classes = mhing_classes_of(rest.key);
    const int others = mhing_melds_missing(&classes, melds);
    if (is_near(search, plan, missing + others)) {
        helps |= others ? mhing_melds_help(&rest, melds, others - 1) : 0;
        keep_nearest(search, plan, distance_by(search, missing + others), helps);
    }
}

/* Cards of a sequence that are held, or 3 where it lies on the table. */
static int held_of(const struct plan_search *search, int kind)
{
    for (int i = 0; i < search->player->cards.melds; i++) {
        if (search->player->cards.meld_kind[i] == kind) {
            return MELD_CARDS;
        }
    }
    const unsigned held = (unsigned)(search->hand->held >> hand_place(kind_type(kind))) & 7;
    return (int)((held & 1) + (held >> 1 & 1) + (held >> 2));
}

static int times_laid(const struct plan_search *search, int kind)
{
    int times = 0;
    for (int i = 0; i < search->player->cards.melds; i++) {
        times += search->player->cards.meld_kind[i] == kind;
    }
    return times;
}

/* Only where a good part of the cards is there: the rest is too far, and there are many. */
static void try_sequences(struct plan_search *search)
{
    enum { ENOUGH_OF_SIX = 4, ENOUGH_OF_NINE = 6 };
    int held[SEQUENCES];
    int laid[SEQUENCES];
    for (int kind = 0; kind < SEQUENCES; kind++) {
        laid[kind] = times_laid(search, kind);
        held[kind] = held_of(search, kind);
        const unsigned twice = (unsigned)(search->hand->twice >> hand_place(kind_type(kind))) & 7;
        const int doubled = (int)((twice & 1) + (twice >> 1 & 1) + (twice >> 2));
        const int there = laid[kind] == 0 ? held[kind] + doubled
                          : laid[kind] == 1
                              ? MELD_CARDS + mh_bits_count(search->hand->held >> hand_place(kind_type(kind)) & 7)
                              : 2 * MELD_CARDS;
        if (there >= ENOUGH_OF_SIX) {
            const int kinds[] = {kind, kind};
            try_melds(search, PLAN_IDENTICAL_DOUBLE_SEQUENCE, kinds, 2, (1 << laid[kind]) - 1);
        }
    }
    for (int number = 0; number < SEQUENCES_PER_SUIT; number++) {
        for (int suit = 0; suit < SUITS; suit++) {
            const int kinds[] = {sequence_kind(suit, number), sequence_kind((suit + 1) % SUITS, number)};
            if (held[kinds[0]] + held[kinds[1]] >= ENOUGH_OF_SIX) {
                try_melds(search, PLAN_DOUBLE_SEQUENCE, kinds, 2, (laid[kinds[0]] > 0) | (laid[kinds[1]] > 0) << 1);
            }
        }
    }
    for (int suit = 0; suit < SUITS; suit++) {
        const int kinds[] = {sequence_kind(suit, 0), sequence_kind(suit, 3), sequence_kind(suit, 6)};
        if (held[kinds[0]] + held[kinds[1]] + held[kinds[2]] >= ENOUGH_OF_NINE) {
            try_melds(search, PLAN_ROYAL_RUN, kinds, 3,
                      (laid[kinds[0]] > 0) | (laid[kinds[1]] > 0) << 1 | (laid[kinds[2]] > 0) << 2);
        }
    }
}

/* ---- Triplets only --------------------------------------------------------------------------------------- */

/* Cards missing from so many triplets and a pair, by the types held three times or more, twice and once. */
static int triplets_missing(int melds, int thrice, int twice, int once)
{
    int missing = 0;
    for (; melds > 0; melds--) {
        missing += thrice > 0 ? 0 : twice > 0 ? 1 : once > 0 ? 2 : 3;
        *(thrice > 0 ? &thrice : twice > 0 ? &twice : &once) -= 1;
    }
    return missing + (thrice + twice > 0 ? 0 : once > 0 ? 1 : 2);
}

static void try_triplets(struct plan_search *search)
{
    if (search->laid & HAS_SEQUENCE) {
        return;
    }
    const uint64_t thrice = search->thrice;
    const uint64_t twice = search->hand->twice & ~thrice;
    const uint64_t once = search->hand->held & ~search->hand->twice;
    const int a = mh_bits_count(thrice), b = mh_bits_count(twice), c = mh_bits_count(once);
    const int missing = triplets_missing(search->melds, a, b, c);
    if (is_near(search, PLAN_TRIPLETS, missing)) {
        uint64_t helps = (uint64_t)1 << JOKER;
        const uint64_t all = ((uint64_t)1 << TYPES) - 1;
        helps |= triplets_missing(search->melds, a + 1, b - 1, c) < missing ? hand_types(twice) : 0;
        helps |= triplets_missing(search->melds, a, b + 1, c - 1) < missing ? hand_types(once) : 0;
        helps |= triplets_missing(search->melds, a, b, c + 1) < missing ? all & ~hand_types(search->hand->held) : 0;
        keep_nearest(search, PLAN_TRIPLETS, distance_by(search, missing), helps);
    }
}

/* ---- All five: a meld or the pair of each suit, of winds and of dragons ----------------------------------- */

enum { FIVE_GROUPS = 5 };

/* Of one of the five: its types, and the cards that are there of a meld and of a pair. */
struct fifth {
    uint64_t types;
    int meld, pair;
};

static struct fifth fifth_of(const struct plan_search *search, int group)
{
    static const uint64_t types[FIVE_GROUPS] = {SUIT_TYPE_SET(0), SUIT_TYPE_SET(1), SUIT_TYPE_SET(2),
                                                (uint64_t)0xF << WINDS, (uint64_t)7 << DRAGONS};
    const uint64_t held = hand_types(search->hand->held) & types[group];
    const int twice = (hand_types(search->hand->twice) & types[group]) != 0;
    const int thrice = (hand_types(search->thrice) & types[group]) != 0;
    const uint64_t next = group < SUITS ? held & held >> 1 : 0;
    const uint64_t near = group < SUITS ? next | (held & held >> 2) : 0;
    const int meld = thrice || (next & held >> 2) ? 3 : twice || near ? 2 : held != 0;
    return (struct fifth){types[group], meld, twice ? 2 : held != 0};
}

/* The types that bring a group on, about: any where it is empty, else those at or near what it holds. */
static uint64_t fifth_helps(const struct plan_search *search, const struct fifth *group, int is_pair)
{
    const uint64_t held = hand_types(search->hand->held) & group->types;
    if (!held || is_pair) {
        return is_pair && group->pair == 2 ? 0 : held ? held : group->types;
    }
    if (group->meld == 3) {
        return 0;
    }
    if (group->types & HONOUR_TYPE_SET) {
        return group->meld == 2 ? held & hand_types(search->hand->twice) : held;
    }
    const uint64_t twice = held & hand_types(search->hand->twice);
    const uint64_t next = held & held >> 1;  /* the lower of two neighbours */
    const uint64_t apart = held & held >> 2; /* the lower of two with a gap */
    const uint64_t near = group->meld == 2 ? twice | next >> 1 | next << 2 | apart << 1
                                           : held | held << 1 | held >> 1 | held << 2 | held >> 2;
    return near & group->types;
}

static void try_all_five(struct plan_search *search)
{
    struct fifth groups[FIVE_GROUPS];
    static const int flag[FIVE_GROUPS] = {HAS_SUIT, HAS_SUIT << 1, HAS_SUIT << 2, HAS_WIND, HAS_DRAGON};
    int missing = 0, open = 0, pair = -1;
    for (int i = 0; i < FIVE_GROUPS; i++) {
        groups[i] = fifth_of(search, i);
        if (!(search->laid & flag[i])) {
            open++;
            missing += MELD_CARDS - groups[i].meld;
            if (pair < 0 || groups[i].pair - groups[i].meld > groups[pair].pair - groups[pair].meld) {
                pair = i;
            }
        }
    }
    if (open != search->melds + 1) {
        return;
    }
    missing += groups[pair].meld - groups[pair].pair - 1;
    if (is_near(search, PLAN_ALL_FIVE, missing)) {
        uint64_t helps = (uint64_t)1 << JOKER;
        for (int i = 0; i < FIVE_GROUPS; i++) {
            helps |= search->laid & flag[i] ? 0 : fifth_helps(search, &groups[i], i == pair);
        }
        keep_nearest(search, PLAN_ALL_FIVE, distance_by(search, missing), helps);
    }
}

/* ---- All plans ------------------------------------------------------------------------------------------- */

static void try_other_shapes(struct plan_search *search)
{
    if (search->melds < MELDS) {
        return;
    }
    const int missing = mhing_nothing_connects_missing(search->hand->held);
    if (is_near(search, PLAN_NOTHING_CONNECTS, missing)) {
        keep_nearest(search, PLAN_NOTHING_CONNECTS, distance_by(search, missing),
                     mhing_nothing_connects_helps(search->hand, missing - 1));
    }
    const int pairs = search->player->seven_pairs ? mhing_seven_pairs_missing(search->hand->count) : DEALT + 1;
    if (search->player->seven_pairs && is_near(search, PLAN_SEVEN_PAIRS, pairs)) {
        keep_nearest(search, PLAN_SEVEN_PAIRS, distance_by(search, pairs),
                     mhing_seven_pairs_help(search->hand, pairs - 1));
    }
}

void mhing_look_at_plans(const struct mhing_player *player, struct plans *plans)
{
    struct plan_search search = {.player = player,
                                 .hand = &player->hand,
                                 .melds = player->melds,
                                 .jokers = hand_jokers(&player->hand),
                                 .thrice = hand_places(player->hand.count, 3),
                                 .unseen = mhing_unseen_cards(player),
                                 .plans = plans};
    for (int i = 0; i < player->cards.melds; i++) {
        search.laid |= kind_flags(player->cards.meld_kind[i]);
    }
    memset(plans->distance, PLAN_NEVER, sizeof plans->distance);
    memset(plans->useful, 0, sizeof plans->useful);
    const int any = mhing_player_distance(player);
    plans->distance[PLAN_ANY] = (uint8_t)any;
    plans->useful[PLAN_ANY] = (uint8_t)mhing_useful_cards(player, any);
    try_other_shapes(&search);
    try_suits(&search);
    try_high_and_low(&search);
    try_triplets(&search);
    try_all_five(&search);
    try_sequences(&search);
}
