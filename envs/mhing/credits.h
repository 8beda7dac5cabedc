/* The credits (R6), each value once: for the search, for the breakdown, and for the generated tables. */
#ifndef MHING_CREDITS_H
#define MHING_CREDITS_H

#include <stdint.h>

#include "kinds.h"

/* Each combination: enumerator, credits, name. */
#define MHING_CREDITS(ROW)                                                                                         \
    ROW(SEQUENCES_ONLY, 1, "sequences only")                                                                       \
    ROW(DOUBLE_SEQUENCE, 1, "double sequence")                                                                     \
    ROW(DOUBLE_TRIPLET, 1, "double triplet")                                                                       \
    ROW(HONOUR_TRIPLET, 1, "honour triplet")                                                                       \
    ROW(BROKEN_ROYAL_RUN, 1, "broken royal run")                                                                   \
    ROW(TWO_SUITS_ONLY, 1, "two suits only")                                                                       \
    ROW(PAIR_258, 1, "pair of 2s, 5s or 8s")                                                                       \
    ROW(FLOWER, 1, "flower")                                                                                       \
    ROW(TRIPLETS_ONLY, 3, "triplets only")                                                                         \
    ROW(IDENTICAL_DOUBLE_SEQUENCE, 3, "identical double sequence")                                                 \
    ROW(ROYAL_RUN, 3, "royal run")                                                                                 \
    ROW(ONE_SUIT_WITH_HONOURS, 3, "one suit with honours")                                                         \
    ROW(NOTHING_CONNECTS, 3, "nothing connects")                                                                   \
    ROW(HIGH_OR_LOW, 5, "all high / all low")                                                                      \
    ROW(ALL_FIVE, 5, "all five")                                                                                   \
    ROW(THREE_DRAGONS, 8, "three dragons")                                                                         \
    ROW(ONE_SUIT_ONLY, 8, "one suit only")                                                                         \
    ROW(NOTHING_CONNECTS_ALL_HONOURS, 8, "nothing connects with all honours")                                      \
    ROW(SEVEN_PAIRS, 5, "seven pairs")

enum credit_part {
#define ROW(part, credits, name) PART_##part,
    MHING_CREDITS(ROW)
#undef ROW
        PARTS
};

enum credit_value {
#define ROW(part, credits, name) VALUE_##part = credits,
    MHING_CREDITS(ROW)
#undef ROW
};

/* The flags that a meld, a pair or a card brings into a hand; the flags of a hand are those of its parts together. */
enum {
    HAS_SUIT = 1, /* << suit */
    HAS_WIND = 8,
    HAS_DRAGON = 16,
    NOT_HIGH = 32, /* a card under 5, or an honour */
    NOT_LOW = 64,  /* a card over 5, or an honour */
    HAS_SEQUENCE = 128,
    HAS_TRIPLET = 256,
    FLAG_SETS = 512
};

static inline int card_flags(int type)
{
    enum { FIVE = 4 };
    if (type >= SUIT_TYPES) {
        return (type < DRAGONS ? HAS_WIND : HAS_DRAGON) | NOT_HIGH | NOT_LOW;
    }
    return HAS_SUIT << type_suit(type) | (type_number(type) < FIVE ? NOT_HIGH : 0) |
           (type_number(type) > FIVE ? NOT_LOW : 0);
}

static inline int kind_flags(int kind)
{
    return card_flags(kind_card(kind, 0)) | card_flags(kind_card(kind, 2)) |
           (kind_is_sequence(kind) ? HAS_SEQUENCE : HAS_TRIPLET);
}

/* The credit for the suits in a hand, or PARTS when there is none. */
static inline enum credit_part suits_part(int flags)
{
    const int suits = (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
    const int honours = flags & (HAS_WIND | HAS_DRAGON);
    if (suits == 1) {
        return honours ? PART_ONE_SUIT_WITH_HONOURS : PART_ONE_SUIT_ONLY;
    }
    return suits == 2 && !honours ? PART_TWO_SUITS_ONLY : PARTS;
}

/* Every card 5-9, or every card 1-5: one combination, so a hand of fives alone has it once. */
static inline int is_high_or_low(int flags)
{
    return !(flags & NOT_HIGH) || !(flags & NOT_LOW);
}

static inline int is_all_five(int flags)
{
    const int all = 7 * HAS_SUIT | HAS_WIND | HAS_DRAGON;
    return (flags & all) == all;
}

static inline int is_pair_258(int type)
{
    return type < SUIT_TYPES && type_number(type) % 3 == 1;
}

enum { ALL_DRAGONS = 7 };

/* The dragon of a dragon triplet as a set of one; otherwise the empty set. */
static inline int dragon_of_kind(int kind)
{
    return kind >= triplet_kind(DRAGONS) ? 1 << (kind - triplet_kind(DRAGONS)) : 0;
}

/* `runs` counts melds for royal runs: three bits each for the number of 123, 456 and 789 of a suit. */
static inline int royal_runs(int runs)
{
    return (runs & 7) * (runs >> 3 & 7) * (runs >> 6);
}

/* Only where the suit has no 456. */
static inline int broken_royal_runs(int runs)
{
    return runs >> 3 & 7 ? 0 : (runs & 7) * (runs >> 6);
}

/* The credit for two melds together, or PARTS when there is none. */
static inline enum credit_part meld_pair_part(int kind, int other)
{
    const int type = kind_type(kind);
    const int type2 = kind_type(other);
    if (kind_is_sequence(kind) != kind_is_sequence(other) || type >= SUIT_TYPES || type2 >= SUIT_TYPES ||
        type_number(type) != type_number(type2)) {
        return PARTS;
    }
    if (kind_is_sequence(kind)) {
        return kind == other ? PART_IDENTICAL_DOUBLE_SEQUENCE : PART_DOUBLE_SEQUENCE;
    }
    return kind == other ? PARTS : PART_DOUBLE_TRIPLET; /* two identical triplets (by jokers) earn nothing */
}

#endif
