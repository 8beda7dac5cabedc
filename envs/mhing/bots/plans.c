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
    struct classes classes; /* of the hand */
    struct groups groups;   /* likewise */
    const struct unseen_cards *unseen;
    int counts; /* the useful cards of all plans are wanted */
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
    const int is_counted = search->counts && distance < PLAN_FAR;
    if (!is_counted && distance < *nearest) {
        *nearest = (uint8_t)distance;
    }
    return is_counted && distance <= *nearest;
}

/* ---- Hands of some types only ---------------------------------------------------------------------------- */

/* Melds and a pair of some groups of the hand. */
static void try_groups(struct plan_search *search, enum mhing_plan plan, unsigned of)
{
    static const struct group none = {.class = 0};
    const int missing = mhing_melds_missing(&search->classes, of, search->melds);
    if (is_near(search, plan, missing)) {
        const struct group *groups[GROUPS];
        for (int group = 0; group < GROUPS; group++) {
            groups[group] = of >> group & 1 ? search->groups.of[group] : &none;
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
            try_groups(search, PLAN_ONE_SUIT_WITH_HONOURS, 1U << suit | 1U << HONOURS);
            if (!honours) {
                try_groups(search, PLAN_ONE_SUIT, 1U << suit);
            }
        }
        if (!honours && !(search->laid & HAS_SUIT << third)) {
            try_groups(search, PLAN_TWO_SUITS, 1U << suit | 1U << other);
        }
    }
}

/* Melds and a pair of some types: `part`, the hand without the cards of other types. */
static void try_types(struct plan_search *search, enum mhing_plan plan, const struct mhing_hand *part,
                      uint64_t types)
{
    const struct classes classes = mhing_classes_of(part->key);
    const int missing = mhing_melds_missing(&classes, ALL_GROUPS, search->melds);
    if (is_near(search, plan, missing)) {
        const uint64_t helps = mhing_melds_help(part, search->melds, missing - 1, search->player->known);
        keep_nearest(search, plan, distance_by(search, missing), helps & (types | (uint64_t)1 << JOKER));
    }
}

/* All 5-9, or all 1-5. The first key of a suit has the numbers 1-5 as digits in base 5. */
static void try_high_and_low(struct plan_search *search)
{
    enum { FIVE_DIGIT = 625 };
    const uint64_t high = 0x1F0, low = 0x1F;
    const uint64_t suits = 1 | (uint64_t)1 << NUMBERS | (uint64_t)1 << 2 * NUMBERS;
    struct mhing_hand part = {.held = 0};
    if (!(search->laid & NOT_HIGH)) {
        for (int suit = 0; suit < SUITS; suit++) {
            part.key[2 * suit] = (uint16_t)(search->hand->key[2 * suit] / FIVE_DIGIT * FIVE_DIGIT);
            part.key[2 * suit + 1] = search->hand->key[2 * suit + 1];
        }
        try_types(search, PLAN_HIGH_OR_LOW, &part, high * suits);
    }
    if (!(search->laid & NOT_LOW)) {
        for (int suit = 0; suit < SUITS; suit++) {
            part.key[2 * suit] = search->hand->key[2 * suit];
            part.key[2 * suit + 1] = 0;
        }
        try_types(search, PLAN_HIGH_OR_LOW, &part, low * suits);
    }
}

/* ---- Hands with certain melds ---------------------------------------------------------------------------- */

/* A hand with these sequences, of which those in the bit set `laid` lie on the table. Two may be of one kind, next to
 * each other. */
static void try_melds(struct plan_search *search, enum mhing_plan plan, const int *kinds, int count, int laid)
{
    const struct mhing_hand *hand = search->hand;
    struct mhing_hand rest = *hand; /* only its keys go without these cards: no more is read of suits */
    uint64_t helps = (uint64_t)1 << JOKER;
    int missing = 0;
    int melds = search->melds;
    for (int i = 0; i < count; i++) {
        const int taken = i > 0 && kinds[i] == kinds[i - 1] && !(laid >> (i - 1) & 1); /* of each card before */
        for (int place = 0; !(laid >> i & 1) && place < MELD_CARDS; place++) {
            const int type = kind_card(kinds[i], place);
            if (hand->count[type] > taken) {
                uint16_t *key = &rest.key[hand_key(type)];
                *key = (uint16_t)(*key - hand_key_step(type, taken));
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
    const int others = mhing_melds_missing(&classes, ALL_GROUPS, melds);
    if (is_near(search, plan, missing + others)) {
        helps |= others ? mhing_melds_help(&rest, melds, others - 1, search->player->known) : 0;
        keep_nearest(search, plan, distance_by(search, missing + others), helps);
    }
}

/* The places (hand.h) of the lowest cards of all sequences; those of one suit are so far from those of the next. */
static const uint64_t STARTS = (uint64_t)0x7F << 2 | (uint64_t)0x7F << 13 | (uint64_t)0x7F << 24;
enum { NEXT_SUIT = 11 };

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

static int has_sequence(uint64_t places, int kind)
{
    return (int)(places >> hand_place(kind_type(kind)) & 1);
}

/* The number of cards that are there of the three sequences of a royal run. */
static int cards_of_run(const struct sequences *held, int suit)
{
    enum { THREE = 0x49 }; /* 123, 456 and 789, three bits for the cards of each */
    int cards = 0;
    for (int least = 1; least <= MELD_CARDS; least++) {
        cards += (int)(held->of[least] >> hand_place(suit * NUMBERS)) & THREE;
    }
    return (cards & 7) + (cards >> 3 & 7) + (cards >> 6);
}

/* The kind of the sequence at the lowest of some places. */
static int kind_at(uint64_t places)
{
    const int place = mh_bits_lowest(places);
    return sequence_kind(hand_place_suit(place), hand_place_number(place));
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
        const int kind = kind_at(same);
        const int kinds[] = {kind, kind};
        try_melds(search, PLAN_IDENTICAL_DOUBLE_SEQUENCE, kinds, 2,
                  has_sequence(laid, kind) | has_sequence(laid_twice, kind) << 1);
    }
    for (uint64_t both = together(&held, &next); both; both &= both - 1) {
        const int kind = kind_at(both);
        const int kinds[] = {kind, (kind + SEQUENCES_PER_SUIT) % SEQUENCES};
        try_melds(search, PLAN_DOUBLE_SEQUENCE, kinds, 2,
                  has_sequence(laid, kinds[0]) | has_sequence(laid, kinds[1]) << 1);
    }
    for (int suit = 0; suit < SUITS; suit++) {
        if (cards_of_run(&held, suit) >= ENOUGH_OF_NINE) {
            const int kinds[] = {sequence_kind(suit, 0), sequence_kind(suit, 3), sequence_kind(suit, 6)};
            try_melds(search, PLAN_ROYAL_RUN, kinds, 3,
                      has_sequence(laid, kinds[0]) | has_sequence(laid, kinds[1]) << 1 |
                          has_sequence(laid, kinds[2]) << 2);
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

/* Any hand, at its distance: the shapes that are nearest. */
static void find_nearest(struct plan_search *search, int distance)
{
    const struct mhing_player *player = search->player;
    const int missing = distance + search->jokers;
    uint64_t helps = 0;
    if (distance) {
        helps = mhing_groups_help(search->groups.of, search->melds, missing, ALL_GROUPS);
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
    struct plan_search search = {.player = player,
                                 .hand = &player->hand,
                                 .melds = player->melds,
                                 .jokers = hand_jokers(&player->hand),
                                 .thrice = hand_places(player->hand.count, 3),
                                 .classes = mhing_classes_of(player->hand.key),
                                 .unseen = unseen,
                                 .counts = counts,
                                 .plans = plans};
    mhing_find_groups(&player->hand, player->known, &search.groups);
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
