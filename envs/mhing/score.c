/* The credits of a complete hand (R6), by name: as melds and a pair (arrange.c), or in one of the shapes without
 * melds. */
#include "arrange.h"
#include "credits.h"
#include "hand.h"
#include "mhing_tables.h"

/* ---- Shapes ---------------------------------------------------------------------------------------------- */

/* A shape that a hand fits, with what it earns before flowers. */
struct candidate {
    int credits; /* -1: the hand does not fit */
    int part[PARTS];
};

static void earn(struct candidate *candidate, enum credit_part part, int credits)
{
    if (part != PARTS && credits) {
        candidate->part[part] += credits;
        candidate->credits += credits;
    }
}

static int part_value(enum credit_part part)
{
    static const uint8_t values[PARTS + 1] = {
#define ROW(part, credits, name) credits,
        MHING_CREDITS(ROW)
#undef ROW
    };
    return values[part];
}

/* ---- Melds and a pair ------------------------------------------------------------------------------------ */

static void earn_pairwise(struct candidate *found, const struct mhing_arrangement *a)
{
    for (int i = 0; i < MELDS; i++) {
        for (int j = 0; j < i; j++) {
            const enum credit_part part = meld_pairs[mhing_arranged_kind(a, i)][mhing_arranged_kind(a, j)];
            earn(found, part, part_value(part));
        }
    }
}

/* The credits of an arrangement by name. */
static struct candidate explain(const struct mhing_arrangement *a)
{
    enum { DRAGON_TYPES = 3 };
    struct candidate found = {.credits = 0};
    int flags = card_flags(a->pair);
    int runs[SUITS] = {0};
    int honours = 0;
    int dragons = 0;
    for (int i = 0; i < MELDS; i++) {
        const int kind = mhing_arranged_kind(a, i);
        flags |= flags_of_kind[kind];
        honours += kind >= triplet_kind(WINDS);
        dragons |= dragon_of_kind(kind);
        if (kind_is_sequence(kind)) {
            runs[suit_of_kind[kind]] += run_of_slot[slot_of_kind[kind]];
        }
    }
    for (int suit = 0; suit < SUITS; suit++) {
        earn(&found, PART_ROYAL_RUN, royal_runs(runs[suit]) * VALUE_ROYAL_RUN);
        earn(&found, PART_BROKEN_ROYAL_RUN, broken_royal_runs(runs[suit]) * VALUE_BROKEN_ROYAL_RUN);
    }
    if (dragons == ALL_DRAGONS) {
        earn(&found, PART_THREE_DRAGONS, VALUE_THREE_DRAGONS);
        honours -= DRAGON_TYPES;
    }
    earn_pairwise(&found, a);
    earn(&found, PART_HONOUR_TRIPLET, honours * VALUE_HONOUR_TRIPLET);
    earn(&found, PART_SEQUENCES_ONLY, flags & HAS_TRIPLET ? 0 : VALUE_SEQUENCES_ONLY);
    earn(&found, PART_TRIPLETS_ONLY, flags & HAS_SEQUENCE ? 0 : VALUE_TRIPLETS_ONLY);
    earn(&found, suits_part(flags), part_value(suits_part(flags)));
    earn(&found, PART_HIGH_OR_LOW, is_high_or_low(flags) ? VALUE_HIGH_OR_LOW : 0);
    earn(&found, PART_ALL_FIVE, is_all_five(flags) ? VALUE_ALL_FIVE : 0);
    earn(&found, PART_PAIR_258, is_pair_258(a->pair) ? VALUE_PAIR_258 : 0);
    return found;
}

/* Adds a card to the list: a natural one as long as some are left. */
static void list_left(struct mhing_score *score, uint8_t left[TYPES], int type)
{
    const int joker = left[type] == 0;
    left[type] = (uint8_t)(left[type] - !joker);
    score->cards[score->num_cards] = (uint8_t)type;
    score->joker[score->num_cards++] = (uint8_t)joker;
}

/* Lists the concealed cards by the best arrangement: melds in ascending order, then the pair. */
static void list_melds(const struct mhing_cards *cards, const struct mhing_arrangement *best,
                       struct mhing_score *score)
{
    uint8_t left[TYPES];
    uint8_t kinds[MELDS];
    memcpy(left, cards->count, sizeof left);
    score->shape = MHING_SHAPE_MELDS;
    score->melds = (uint8_t)(MELDS - cards->melds);
    for (int i = 0; i < score->melds; i++) {
        const uint8_t kind = (uint8_t)mhing_arranged_kind(best, cards->melds + i);
        int place = i;
        for (; place > 0 && kinds[place - 1] > kind; place--) {
            kinds[place] = kinds[place - 1];
        }
        kinds[place] = kind;
    }
    for (int i = 0; i < score->melds; i++) {
        const int step = kind_is_sequence(kinds[i]);
        const int type = kind_type(kinds[i]);
        list_left(score, left, type);
        list_left(score, left, type + step);
        list_left(score, left, type + 2 * step);
    }
    list_left(score, left, best->pair);
    list_left(score, left, best->pair);
}

/* ---- Nothing connects ------------------------------------------------------------------------------------ */

/* Finds sets for the three suits with `total` cards together. */
static int spread_suits(const unsigned held[SUITS], int total, int sets[SUITS])
{
    for (int a = MELD_CARDS; a >= 1; a--) {
        for (int b = MELD_CARDS; b >= 1; b--) {
            const int size[SUITS] = {a, b, total - a - b};
            if (size[2] < 1 || size[2] > 3) {
                continue;
            }
            int fits = 1;
            for (int suit = 0; suit < SUITS && fits; suit++) {
                sets[suit] = spread_set[size[suit]][held[suit]];
                fits = sets[suit] != 0;
            }
            if (fits) {
                return 1;
            }
        }
    }
    return 0;
}

static void list_card(struct mhing_score *score, const struct mhing_cards *cards, int type)
{
    score->joker[score->num_cards] = cards->count[type] == 0;
    score->cards[score->num_cards++] = (uint8_t)type;
}

/* R5: 7 to 9 suit cards, one to three of each suit, and 7 to 5 honours; with all seven honours it is worth more. */
static struct candidate nothing_connects(const struct mhing_cards *cards, struct mhing_score *score)
{
    enum { HONOURS = 7, MOST_SUIT_CARDS = 9 };
    struct candidate found = {.credits = -1};
    if (hand_places(cards->count, 2)) {
        return found;
    }
    const uint64_t places = hand_places(cards->count, 1);
    const unsigned held[SUITS] = {hand_suit_bits(places, 0), hand_suit_bits(places, 1), hand_suit_bits(places, 2)};
    const int honours = mh_bits_count(hand_honour_bits(places));
    int sets[SUITS];
    for (int suit_cards = HONOURS; suit_cards <= MOST_SUIT_CARDS; suit_cards++) {
        const int room = DEALT + 1 - suit_cards;
        if (honours > room || !spread_suits(held, suit_cards, sets)) {
            continue;
        }
        found.credits = 0;
        earn(&found, suit_cards == HONOURS ? PART_NOTHING_CONNECTS_ALL_HONOURS : PART_NOTHING_CONNECTS,
             suit_cards == HONOURS ? VALUE_NOTHING_CONNECTS_ALL_HONOURS : VALUE_NOTHING_CONNECTS);
        score->shape = MHING_SHAPE_NOTHING_CONNECTS;
        score->melds = 0;
        score->num_cards = 0;
        for (int type = 0; type < SUIT_TYPES; type++) {
            if (sets[type_suit(type)] >> type_number(type) & 1) {
                list_card(score, cards, type);
            }
        }
        int jokers = room - honours;
        for (int type = WINDS; type < TYPES; type++) {
            if (cards->count[type] || jokers-- > 0) {
                list_card(score, cards, type);
            }
        }
        return found;
    }
    return found;
}

/* ---- Seven pairs (house rule) ---------------------------------------------------------------------------- */

/* Pairs made of Mhing cards alone take the type that earns most: a 5 of some suit, a wind or a dragon. */
static struct candidate seven_pairs(const struct mhing_cards *cards, struct mhing_score *score)
{
    static const uint8_t fillers[] = {4, 13, 22, WINDS, DRAGONS};
    enum { ALL = 7 };
    struct candidate best = {.credits = -1};
    int flags = HAS_SEQUENCE | HAS_TRIPLET;
    int pairs = 0;
    int jokers = cards->count[JOKER];
    for (int type = 0; type < TYPES; type++) {
        pairs += (cards->count[type] + 1) / 2;
        jokers -= cards->count[type] % 2;
        flags |= cards->count[type] ? card_flags(type) : 0;
    }
    if (jokers < 0 || pairs + jokers / 2 != ALL) {
        return best;
    }
    int filler = fillers[0];
    for (int i = 0; i < (int)sizeof fillers; i++) {
        const int with = flags | (pairs < ALL ? card_flags(fillers[i]) : 0);
        struct candidate found = {.credits = 0};
        earn(&found, PART_SEVEN_PAIRS, VALUE_SEVEN_PAIRS);
        earn(&found, suits_part(with), part_value(suits_part(with)));
        earn(&found, PART_HIGH_OR_LOW, is_high_or_low(with) ? VALUE_HIGH_OR_LOW : 0);
        if (found.credits > best.credits) {
            best = found;
            filler = fillers[i];
        }
    }
    score->shape = MHING_SHAPE_SEVEN_PAIRS;
    score->melds = 0;
    score->num_cards = 2 * ALL;
    int n = 0;
    for (int type = 0; type < TYPES; type++) {
        for (int i = 0; i < (cards->count[type] + 1) / 2 * 2; i++) {
            score->cards[n] = (uint8_t)type;
            score->joker[n++] = i >= cards->count[type];
        }
    }
    for (; n < 2 * ALL; n++) {
        score->cards[n] = (uint8_t)filler;
        score->joker[n] = 1;
    }
    return best;
}

/* ---- Scoring --------------------------------------------------------------------------------------------- */

static int cards_are_valid(const struct mhing_cards *cards)
{
    if (cards->melds > MELDS || cards->flowers > FLOWERS) {
        return 0;
    }
    for (int i = 0; i < cards->melds; i++) {
        if (cards->meld_kind[i] >= KINDS) {
            return 0;
        }
    }
    return hand_count_cards(cards->count) == DEALT + 1 - MELD_CARDS * cards->melds;
}

/* Keeps a shape that earns more than what *score holds. */
static void keep_shape(struct mhing_score *score, const struct mhing_score *shape,
                       const struct candidate *candidate)
{
    if (candidate->credits > score->credits) {
        *score = *shape;
        score->credits = candidate->credits;
        memcpy(score->part, candidate->part, sizeof score->part);
    }
}

static void add_flowers(struct mhing_score *score, int flowers)
{
    score->part[PART_FLOWER] = flowers * VALUE_FLOWER;
    score->credits += flowers * VALUE_FLOWER;
    score->points = mhing_points(score->credits);
}

int mhing_score_hand(const struct mhing_cards *cards, int allow_seven_pairs, struct mhing_score *score)
{
    if (!cards || !score || !cards_are_valid(cards)) {
        return MH_ERROR_ARGUMENT;
    }
    struct mhing_score best = {.credits = -1};
    struct mhing_arrangement melds;
    if (mhing_arrange(cards, &melds)) {
        const struct candidate found = explain(&melds);
        assert(found.credits == melds.credits);
        best.credits = found.credits;
        memcpy(best.part, found.part, sizeof best.part);
        list_melds(cards, &melds, &best);
    }
    if (cards->melds == 0) {
        struct mhing_score shape = {.credits = 0};
        struct candidate found = nothing_connects(cards, &shape);
        keep_shape(&best, &shape, &found);
        if (allow_seven_pairs) {
            shape = (struct mhing_score){.credits = 0};
            found = seven_pairs(cards, &shape);
            keep_shape(&best, &shape, &found);
        }
    }
    if (best.credits < 0) {
        return 0;
    }
    add_flowers(&best, cards->flowers);
    *score = best;
    return 1;
}

int mhing_hand_credits(const struct mhing_cards *cards, int allow_seven_pairs)
{
    struct mhing_arrangement melds;
    struct mhing_score shape;
    int best = mhing_arrange(cards, &melds) ? melds.credits : -1;
    if (cards->melds == 0) {
        const int spread = nothing_connects(cards, &shape).credits;
        const int pairs = allow_seven_pairs ? seven_pairs(cards, &shape).credits : -1;
        best = spread > best ? spread : best;
        best = pairs > best ? pairs : best;
    }
    return best < 0 ? -1 : best + cards->flowers * VALUE_FLOWER;
}

int64_t mhing_score_hands(const struct mhing_cards *cards, int64_t count, int seven_pairs, int32_t *credits,
                          int32_t *points)
{
    for (int64_t i = 0; i < count; i++) {
        struct mhing_score score = {.credits = -1};
        if (mhing_score_hand(&cards[i], seven_pairs, &score) == MH_ERROR_ARGUMENT) {
            return i;
        }
        credits[i] = score.credits;
        points[i] = score.points;
    }
    return count;
}

const char *mhing_credit_name(int part)
{
    static const char *const names[PARTS] = {
#define ROW(part, credits, name) name,
        MHING_CREDITS(ROW)
#undef ROW
    };
    return part >= 0 && part < PARTS ? names[part] : NULL;
}

_Static_assert((int)PARTS == (int)MHING_CREDIT_KINDS, "mhing_api.h counts the kinds of credit");
