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
    struct classes classes;      /* of the hand */
    const struct groups *groups; /* likewise; NULL: the useful cards of plans other than PLAN_ANY are not wanted */
    const struct unseen_cards *unseen;
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
    const int useful = mhing_count_unseen(search->unseen, helps);
    if (distance < search->plans->distance[plan] || useful > search->plans->useful[plan]) {
        search->plans->distance[plan] = (uint8_t)distance;
        search->plans->useful[plan] = (uint8_t)useful;
    }
}

/* True if a way with so many cards missing is worth finding its useful cards; if it is only far, or they are not
 * wanted, it is kept as it is. */
static int is_near(struct plan_search *search, enum mhing_plan plan, int missing)
{
    uint8_t *nearest = &search->plans->distance[plan];
    const int distance = distance_by(search, missing);
    const int is_counted = search->groups && distance < PLAN_FAR;
    if (!is_counted && distance < *nearest) {
        *nearest = (uint8_t)distance;
    }
    return is_counted && distance <= *nearest;
}

/* ---- Hands of some types only ---------------------------------------------------------------------------- */

/* Melds and a pair of two groups of the hand, or of one that is named twice. */
static inline void try_groups(struct plan_search *search, enum mhing_plan plan, int one, int other)
{
    static const struct group none = {.class = 0};
    const uint8_t *class = search->classes.of;
    const int second = other == one ? 0 : class[other]; /* no cards have the class 0 */
    const int missing = mhing_melds_missing(class[one], 0, second, 0, search->melds);
    if (is_near(search, plan, missing)) {
        const unsigned of = 1U << one | 1U << other;
        const struct group *groups[GROUPS];
        for (int group = 0; group < GROUPS; group++) {
            groups[group] = of >> group & 1 ? search->groups->of[group] : &none;
        }
        keep_nearest(search, plan, distance_by(search, missing),
                     mhing_groups_help(groups, search->melds, missing, of));
    }
}

static void try_suits(struct plan_search *search)
{
    const int honours = search->laid & (HAS_WIND | HAS_DRAGON);
    for (int suit = 0; suit < SUITS; suit++) {
        const int other = (suit + 1) % SUITS;
        const int third = (suit + 2) % SUITS;
        if (!(search->laid & (HAS_SUIT << other | HAS_SUIT << third))) {
            try_groups(search, PLAN_ONE_SUIT_WITH_HONOURS, suit, HONOURS);
            if (!honours) {
                try_groups(search, PLAN_ONE_SUIT, suit, suit);
            }
        }
        if (!honours && !(search->laid & HAS_SUIT << third)) {
            try_groups(search, PLAN_TWO_SUITS, suit, other);
        }
    }
}

/* Melds and a pair of the suit cards of some types: `key` has the keys of these. */
static void try_types(struct plan_search *search, enum mhing_plan plan, const uint16_t key[2 * SUITS],
                      uint64_t types)
{
    const int missing = mhing_melds_missing(mhing_suit_class(key), mhing_suit_class(key + 2),
                                            mhing_suit_class(key + 4), 0, search->melds);
    if (is_near(search, plan, missing)) {
        struct mhing_hand part = {.held = 0};
        memcpy(part.key, key, 2 * SUITS * sizeof *key);
        const uint64_t helps = mhing_melds_help(&part, search->melds, missing - 1, search->player->known);
        keep_nearest(search, plan, distance_by(search, missing), helps & (types | (uint64_t)1 << JOKER));
    }
}

/* All 5-9, or all 1-5. The first key of a suit has the numbers 1-5 as digits in base 5. */
static void try_high_and_low(struct plan_search *search)
{
    enum { FIVE_DIGIT = 625 };
    const uint64_t high = 0x1F0, low = 0x1F;
    const uint64_t suits = 1 | (uint64_t)1 << NUMBERS | (uint64_t)1 << 2 * NUMBERS;
    const uint16_t *all = search->hand->key;
    uint16_t key[2 * SUITS];
    if (!(search->laid & NOT_HIGH)) {
        for (int suit = 0; suit < SUITS; suit++) {
            key[2 * suit] = (uint16_t)(all[2 * suit] / FIVE_DIGIT * FIVE_DIGIT);
            key[2 * suit + 1] = all[2 * suit + 1];
        }
        try_types(search, PLAN_HIGH_OR_LOW, key, high * suits);
    }
    if (!(search->laid & NOT_LOW)) {
        for (int suit = 0; suit < SUITS; suit++) {
            key[2 * suit] = all[2 * suit];
            key[2 * suit + 1] = 0;
        }
        try_types(search, PLAN_HIGH_OR_LOW, key, low * suits);
    }
}

/* ---- Hands with certain melds ---------------------------------------------------------------------------- */

/* What the cards of a sequence that are there, a set of three, count in the two keys of their suit (hand.h): in the
 * lower half what they do in the first one. */
static inline uint32_t sequence_keys(int lowest, unsigned there)
{
    static const uint32_t one[NUMBERS] = {1, 5, 25, 125, 625, 1 << 16, 5 << 16, 25 << 16, 125 << 16};
    uint32_t keys = 0;
    for (int place = 0; place < MELD_CARDS; place++) {
        keys += one[lowest + place] * (there >> place & 1);
    }
    return keys;
}

/* A hand with sequences, by the places of their lowest cards, of which those in the bit set `laid` lie on the table.
 * Two may be the same, next to each other. */
static void try_melds(struct plan_search *search, enum mhing_plan plan, const int *places, int count, int laid)
{
    static const uint8_t lacking[1 << MELD_CARDS] = {3, 2, 2, 1, 2, 1, 1, 0};
    const struct mhing_hand *hand = search->hand;
    struct classes rest = search->classes;
    uint16_t key[7]; /* the hand's, without these cards */
    uint64_t helps = (uint64_t)1 << JOKER;
    int missing = 0;
    int melds = search->melds;
    memcpy(key, hand->key, sizeof key);
    for (int i = 0; i < count; i++) {
        const int suit = hand_place_suit(places[i]);
        const int number = hand_place_number(places[i]);
        const int is_second = i > 0 && places[i] == places[i - 1] && !(laid >> (i - 1) & 1);
        const unsigned there = (unsigned)((is_second ? hand->twice : hand->held) >> places[i]) & 7;
        if (!(laid >> i & 1)) {
            const uint32_t keys = sequence_keys(number, there);
            key[2 * suit] = (uint16_t)(key[2 * suit] - keys);
            key[2 * suit + 1] = (uint16_t)(key[2 * suit + 1] - (keys >> 16));
            rest.of[suit] = (uint8_t)mhing_suit_class(key + 2 * suit);
            helps |= (uint64_t)(~there & 7) << (suit * NUMBERS + number);
            missing += lacking[there];
            melds--;
        }
    }
    if (melds < 0) {
        return;
    }
    const uint8_t *of = rest.of;
    const int others = mhing_melds_missing(of[0], of[1], of[2], of[HONOURS], melds);
    if (is_near(search, plan, missing + others)) {
        struct mhing_hand left = *hand; /* of which only keys and honours are read */
        memcpy(left.key, key, sizeof key);
        helps |= others ? mhing_melds_help(&left, melds, others - 1, search->player->known) : 0;
        keep_nearest(search, plan, distance_by(search, missing + others), helps);
    }
}

/* The places (hand.h) of the lowest cards of all sequences; those of one suit are so far from those of the next. */
static const uint64_t STARTS = (uint64_t)0x7F << 2 | (uint64_t)0x7F << 13 | (uint64_t)0x7F << 24;
enum { NEXT_SUIT = 11, LAST_SUIT = 2 + 2 * NEXT_SUIT /* its first place */ };

/* Places of the lowest cards of sequences of which at least one, two or three cards are there. */
struct sequences {
    uint64_t of[MELD_CARDS + 1];
};

static struct sequences sequences_of(uint64_t places)
{
    const uint64_t second = places >> 1, third = places >> 2;
    return (struct sequences){{0, (places | second | third) & STARTS,
                               ((places & second) | (places & third) | (second & third)) & STARTS,
                               places & second & third & STARTS}};
}

/* Sequences that have four of six cards with those of another set. */
static uint64_t together(const struct sequences *a, const struct sequences *b)
{
    return (a->of[1] & b->of[3]) | (a->of[2] & b->of[2]) | (a->of[3] & b->of[1]);
}

/* The sequences of each suit at the places of the suit before it, those of the first at the places of the last. */
static struct sequences turn_suits(const struct sequences *all)
{
    struct sequences turned = {.of = {0}};
    for (int cards = 1; cards <= MELD_CARDS; cards++) {
        turned.of[cards] = (all->of[cards] >> NEXT_SUIT | all->of[cards] << 2 * NEXT_SUIT) & STARTS;
    }
    return turned;
}

static int has_place(uint64_t places, int place)
{
    return (int)(places >> place & 1);
}

/* The number of cards that are there of the three sequences of a royal run, by the place of its lowest card. */
static int cards_of_run(const struct sequences *held, int place)
{
    enum { THREE = 0x49 }; /* 123, 456 and 789, three bits for the cards of each */
    int cards = 0;
    for (int least = 1; least <= MELD_CARDS; least++) {
        cards += (int)(held->of[least] >> place) & THREE;
    }
    return (cards & 7) + (cards >> 3 & 7) + (cards >> 6);
}

/* Only where a good part of the cards is there: the rest is too far, and there are many. */
static void try_sequences(struct plan_search *search)
{
    enum { ENOUGH_OF_NINE = 6 };
    struct sequences held = sequences_of(search->hand->held);
    struct sequences twice = sequences_of(search->hand->twice);
    uint64_t laid = 0, laid_twice = 0;
    for (int i = 0; i < search->player->cards.melds; i++) {
        const int kind = search->player->cards.meld_kind[i];
        if (kind_is_sequence(kind)) {
            const uint64_t place = (uint64_t)1 << hand_place(kind_type(kind));
            laid_twice |= laid & place;
            laid |= place;
        }
    }
    for (int cards = 1; cards <= MELD_CARDS; cards++) { /* what lies is there, before what is held */
        twice.of[cards] = (twice.of[cards] & ~laid) | (held.of[cards] & laid) | laid_twice;
        held.of[cards] |= laid;
    }
    const struct sequences next = turn_suits(&held);
    for (uint64_t same = together(&held, &twice); same; same &= same - 1) {
        const int place = mh_bits_lowest(same);
        const int places[] = {place, place};
        try_melds(search, PLAN_IDENTICAL_DOUBLE_SEQUENCE, places, 2,
                  has_place(laid, place) | has_place(laid_twice, place) << 1);
    }
    for (uint64_t both = together(&held, &next); both; both &= both - 1) {
        const int place = mh_bits_lowest(both);
        const int places[] = {place, place < LAST_SUIT ? place + NEXT_SUIT : place - 2 * NEXT_SUIT};
        try_melds(search, PLAN_DOUBLE_SEQUENCE, places, 2,
                  has_place(laid, places[0]) | has_place(laid, places[1]) << 1);
    }
    for (int suit = 0; suit < SUITS; suit++) {
        const int place = hand_place(suit * NUMBERS);
        if (cards_of_run(&held, place) >= ENOUGH_OF_NINE) {
            const int places[] = {place, place + 3, place + 6};
            try_melds(search, PLAN_ROYAL_RUN, places, 3,
                      has_place(laid, places[0]) | has_place(laid, places[1]) << 1 |
                          has_place(laid, places[2]) << 2);
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

/* One of the five: its types, and the cards that are there of a meld and of a pair. */
struct fifth {
    uint64_t types;
    int meld, pair;
};

/* Finds the five. Of a meld two cards are there where two are alike or near each other. */
static void find_fifths(const struct plan_search *search, struct fifth groups[FIVE_GROUPS])
{
    static const uint64_t types[FIVE_GROUPS] = {SUIT_TYPE_SET(0), SUIT_TYPE_SET(1), SUIT_TYPE_SET(2),
                                                (uint64_t)0xF << WINDS, (uint64_t)7 << DRAGONS};
    static const uint64_t places[FIVE_GROUPS] = {(uint64_t)0x1FF << 2, (uint64_t)0x1FF << 13, (uint64_t)0x1FF << 24,
                                                 (uint64_t)0xF << 35, (uint64_t)7 << 39};
    const uint64_t held = search->hand->held, twice = search->hand->twice;
    const uint64_t suits = held & HAND_SUIT_BITS;
    const uint64_t next = suits & suits >> 1;
    const uint64_t two = twice | next | (suits & suits >> 2);
    const uint64_t three = search->thrice | (next & suits >> 2);
    for (int i = 0; i < FIVE_GROUPS; i++) {
        const int has_one = (held & places[i]) != 0;
        groups[i].types = types[i];
        groups[i].meld = has_one + ((two & places[i]) != 0) + ((three & places[i]) != 0);
        groups[i].pair = has_one + ((twice & places[i]) != 0);
    }
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
    find_fifths(search, groups);
    for (int i = 0; i < FIVE_GROUPS; i++) {
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

/* Any hand, at its distance: the shapes that are nearest. */
static void find_nearest(struct plan_search *search, int distance)
{
    const struct mhing_player *player = search->player;
    const int missing = distance + search->jokers;
    uint64_t helps = 0;
    if (distance) {
        helps = mhing_melds_help(search->hand, search->melds, missing - 1, player->known);
    }
    if (distance && search->melds == MELDS) {
        helps |= mhing_nothing_connects_helps(search->hand, missing - 1);
        helps |= player->seven_pairs ? mhing_seven_pairs_help(search->hand, missing - 1) : 0;
    }
    search->plans->distance[PLAN_ANY] = (uint8_t)distance;
    search->plans->useful[PLAN_ANY] = (uint8_t)mhing_count_unseen(search->unseen, helps);
}

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

void mhing_look_at_plans(const struct mhing_player *player, int distance, const struct unseen_cards *unseen,
                         int counts, struct plans *plans)
{
    struct groups groups;
    struct plan_search search = {.player = player,
                                 .hand = &player->hand,
                                 .melds = player->melds,
                                 .jokers = hand_jokers(&player->hand),
                                 .thrice = hand_places(player->hand.count, 3),
                                 .classes = mhing_classes_of(player->hand.key),
                                 .groups = counts ? &groups : NULL,
                                 .unseen = unseen,
                                 .plans = plans};
    if (counts) {
        mhing_find_groups(&player->hand, player->known, &groups);
    }
    for (int i = 0; i < player->cards.melds; i++) {
        search.laid |= kind_flags(player->cards.meld_kind[i]);
    }
    memset(plans->distance, PLAN_NEVER, sizeof plans->distance);
    memset(plans->useful, 0, sizeof plans->useful);
    find_nearest(&search, distance);
    try_other_shapes(&search);
    try_suits(&search);
    try_high_and_low(&search);
    try_triplets(&search);
    try_all_five(&search);
    try_sequences(&search);
}
