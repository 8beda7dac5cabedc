/* The most credits for a complete hand (R6): a search over every way to arrange its cards, Mhing cards included.
 *
 * The search covers the lowest natural card left by a pair, a triplet or one of three sequences, taking natural
 * cards before Mhing cards (exchanging two equal cards changes nothing), until no natural card is left; then Mhing
 * cards make up the rest. A bound on what is still attainable cuts off most of it. What an arrangement earns is
 * found twice: by sums and tables on the way (`credits_of`), and by name at the end (`explain`); they must agree.
 */
#include "hand.h"

#include "credits.h"
#include "mhing_tables.h"

/* ---- What an arrangement earns --------------------------------------------------------------------------- */

/* Royal runs, or broken ones where the suit has no 456 (R6). Returns their credits. */
static int run_credits(unsigned runs, int *royal, int *broken)
{
    for (; runs; runs >>= 9) {
        const int low = (int)(runs & 7);
        const int middle = (int)(runs >> 3 & 7);
        const int high = (int)(runs >> 6 & 7);
        *royal += low * middle * high;
        *broken += middle ? 0 : low * high;
    }
    return *royal * VALUE_ROYAL_RUN + *broken * VALUE_BROKEN_ROYAL_RUN;
}

/* An arrangement of melds and pair, complete or in the making. */
struct arrangement {
    uint32_t runs;  /* as run_of_kind says */
    uint16_t flags; /* of all parts */
    uint8_t melds;
    uint8_t kind[MELDS];
    int8_t pair;      /* type; -1: none yet */
    uint8_t pairwise; /* credits that melds earn two by two */
    uint8_t equal;    /* the most sequences alike */
    uint8_t honours;  /* honour triplets */
    uint8_t dragons;  /* bit set of dragon triplets */
};

static int all_dragons(const struct arrangement *a)
{
    return a->dragons == 7;
}

static int honour_credits(const struct arrangement *a)
{
    enum { DRAGON_TYPES = 3 };
    return all_dragons(a) ? VALUE_THREE_DRAGONS + (a->honours - DRAGON_TYPES) * VALUE_HONOUR_TRIPLET
                          : a->honours * VALUE_HONOUR_TRIPLET;
}

static int credits_of(const struct arrangement *a)
{
    int royal = 0;
    int broken = 0;
    return flag_credits[a->flags] + a->pairwise + run_credits(a->runs, &royal, &broken) + honour_credits(a) +
           (is_pair_258(a->pair) ? VALUE_PAIR_258 : 0);
}

static void add_meld(struct arrangement *a, int kind)
{
    uint8_t equal = 1;
    for (int i = 0; i < a->melds; i++) {
        a->pairwise = (uint8_t)(a->pairwise + meld_pair_credits[a->kind[i]][kind]);
        equal = (uint8_t)(equal + (a->kind[i] == kind));
    }
    a->kind[a->melds++] = (uint8_t)kind;
    a->flags |= flags_of_kind[kind];
    a->runs += run_of_kind[kind];
    if (kind_is_sequence(kind)) {
        a->equal = equal > a->equal ? equal : a->equal;
    } else if (kind >= triplet_kind(WINDS)) {
        a->honours++;
        a->dragons |= (uint8_t)(kind >= triplet_kind(DRAGONS) ? 1 << (kind - triplet_kind(DRAGONS)) : 0);
    }
}

static void add_pair(struct arrangement *a, int type)
{
    a->pair = (int8_t)type;
    a->flags |= (uint16_t)card_flags(type);
}

/* Whether `a` can still become better than the best found: no way to complete it earns more than the sum below. With
 * `rest` melds to come, the i-th of them earns at most 3 with each of the `equal` + i alike, and 1 with each other
 * meld; the last one may also close runs beside an equal meld, which earns at most 6. */
static int can_beat(const struct arrangement *a, int best)
{
    if (best < 0) {
        return 1;
    }
    const int rest = MELDS - a->melds;
    const int dragons_left = 3 - (a->dragons & 1) - (a->dragons >> 1 & 1) - (a->dragons >> 2 & 1);
    int royal = 0;
    int broken = 0;
    int gain = rest * (2 * a->equal + a->melds) + 3 * rest * (rest - 1) / 2;
    gain = rest == 1 && gain < 6 ? 6 : gain;
    gain += rest > 0 && dragons_left <= rest ? VALUE_THREE_DRAGONS : 0;
    return flag_bound[a->flags] + a->pairwise + run_credits(a->runs, &royal, &broken) + honour_credits(a) +
               (a->pair < 0 || is_pair_258(a->pair) ? VALUE_PAIR_258 : 0) + gain >
           best;
}

/* ---- The search ------------------------------------------------------------------------------------------ */

struct search {
    uint8_t count[TYPES + 1]; /* natural cards left, and one behind them to stop at */
    int jokers;               /* left */
    int best;                 /* credits of best_arrangement before flowers; -1: none found */
    struct arrangement best_arrangement;
};

static void keep_best(struct search *search, const struct arrangement *a)
{
    const int credits = credits_of(a);
    if (credits > search->best) {
        search->best = credits;
        search->best_arrangement = *a;
    }
}

/* The rest of the hand are Mhing cards. Melds in ascending order; of the pairs a 5 of each suit, a wind and a dragon
 * are enough: another number earns no more than the 5, which is high, low and a pair that counts. */
static void fill_with_jokers(struct search *search, const struct arrangement *a, int first_kind)
{
    static const uint8_t pairs[] = {4, 13, 22, WINDS, DRAGONS};
    if (!can_beat(a, search->best)) {
        return;
    }
    if (a->melds < MELDS) {
        for (int kind = first_kind; kind < KINDS; kind++) {
            struct arrangement next = *a;
            add_meld(&next, kind);
            fill_with_jokers(search, &next, kind);
        }
    } else if (a->pair < 0) {
        for (int i = 0; i < (int)sizeof pairs; i++) {
            struct arrangement next = *a;
            add_pair(&next, pairs[i]);
            keep_best(search, &next);
        }
    } else {
        keep_best(search, a);
    }
}

static void cover(struct search *search, const struct arrangement *a, int first);

/* Lays a triplet or a pair of natural cards of the type, Mhing cards making up the rest. */
static void cover_with_equals(struct search *search, const struct arrangement *a, int type, int wanted)
{
    const int natural = search->count[type] < wanted ? search->count[type] : wanted;
    if (wanted - natural > search->jokers) {
        return;
    }
    struct arrangement next = *a;
    if (wanted == MELD_CARDS) {
        add_meld(&next, triplet_kind(type));
    } else {
        add_pair(&next, type);
    }
    search->count[type] = (uint8_t)(search->count[type] - natural);
    search->jokers -= wanted - natural;
    cover(search, &next, type);
    search->jokers += wanted - natural;
    search->count[type] = (uint8_t)(search->count[type] + natural);
}

/* Lays a sequence, Mhing cards in the places of which no natural card is left. */
static void cover_with_sequence(struct search *search, const struct arrangement *a, int lowest)
{
    uint8_t *count = search->count + lowest;
    const uint8_t natural[MELD_CARDS] = {count[0] > 0, count[1] > 0, count[2] > 0};
    const int jokers = MELD_CARDS - natural[0] - natural[1] - natural[2];
    if (jokers > search->jokers) {
        return;
    }
    struct arrangement next = *a;
    add_meld(&next, sequence_kind(type_suit(lowest), type_number(lowest)));
    for (int place = 0; place < MELD_CARDS; place++) {
        count[place] = (uint8_t)(count[place] - natural[place]);
    }
    search->jokers -= jokers;
    cover(search, &next, lowest);
    search->jokers += jokers;
    for (int place = 0; place < MELD_CARDS; place++) {
        count[place] = (uint8_t)(count[place] + natural[place]);
    }
}

/* Covers the natural cards left, none of which is of a type below `first`. */
static void cover(struct search *search, const struct arrangement *a, int first)
{
    int type = first;
    if (!can_beat(a, search->best)) {
        return;
    }
    while (!search->count[type]) {
        type++;
    }
    if (type == TYPES) {
        fill_with_jokers(search, a, 0);
        return;
    }
    if (a->melds < MELDS) {
        const int number = type < SUIT_TYPES ? type_number(type) : NUMBERS + MELD_CARDS;
        for (int lowest = number; lowest >= 0 && lowest > number - MELD_CARDS; lowest--) {
            if (lowest < SEQUENCES_PER_SUIT) {
                cover_with_sequence(search, a, type - number + lowest);
            }
        }
        cover_with_equals(search, a, type, MELD_CARDS);
    }
    if (a->pair < 0) {
        cover_with_equals(search, a, type, 2);
    }
}

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

/* The credits of a finished arrangement by name. */
static struct candidate explain(const struct arrangement *a)
{
    struct candidate found = {.credits = 0};
    int royal = 0;
    int broken = 0;
    for (int i = 0; i < MELDS; i++) {
        for (int j = 0; j < i; j++) {
            if (meld_pair_credits[a->kind[i]][a->kind[j]]) {
                const enum credit_part part = meld_pair_part(a->kind[i], a->kind[j]);
                earn(&found, part, part_value(part));
            }
        }
    }
    (void)run_credits(a->runs, &royal, &broken);
    earn(&found, PART_ROYAL_RUN, royal * VALUE_ROYAL_RUN);
    earn(&found, PART_BROKEN_ROYAL_RUN, broken * VALUE_BROKEN_ROYAL_RUN);
    earn(&found, PART_THREE_DRAGONS, all_dragons(a) ? VALUE_THREE_DRAGONS : 0);
    earn(&found, PART_HONOUR_TRIPLET, (a->honours - (all_dragons(a) ? 3 : 0)) * VALUE_HONOUR_TRIPLET);
    earn(&found, PART_SEQUENCES_ONLY, a->flags & HAS_TRIPLET ? 0 : VALUE_SEQUENCES_ONLY);
    earn(&found, PART_TRIPLETS_ONLY, a->flags & HAS_SEQUENCE ? 0 : VALUE_TRIPLETS_ONLY);
    earn(&found, suits_part(a->flags), part_value(suits_part(a->flags)));
    earn(&found, PART_HIGH_OR_LOW, is_high_or_low(a->flags) ? VALUE_HIGH_OR_LOW : 0);
    earn(&found, PART_ALL_FIVE, is_all_five(a->flags) ? VALUE_ALL_FIVE : 0);
    earn(&found, PART_PAIR_258, is_pair_258(a->pair) ? VALUE_PAIR_258 : 0);
    return found;
}

static struct search search_melds(const struct mhing_cards *cards)
{
    struct search search = {.jokers = cards->count[JOKER], .best = -1};
    struct arrangement start = {.pair = -1};
    memcpy(search.count, cards->count, TYPES);
    search.count[TYPES] = 1;
    for (int i = 0; i < cards->melds; i++) {
        add_meld(&start, cards->meld_kind[i]);
    }
    cover(&search, &start, 0);
    return search;
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
static void list_melds(const struct mhing_cards *cards, const struct arrangement *best, struct mhing_score *score)
{
    uint8_t left[TYPES];
    uint8_t kinds[MELDS];
    memcpy(left, cards->count, sizeof left);
    score->shape = MHING_SHAPE_MELDS;
    score->melds = (uint8_t)(MELDS - cards->melds);
    for (int i = 0; i < score->melds; i++) {
        const uint8_t kind = best->kind[cards->melds + i];
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
    unsigned held[SUITS] = {0};
    int honours = 0;
    int sets[SUITS];
    for (int type = 0; type < TYPES; type++) {
        if (cards->count[type] > 1) {
            return found;
        }
        if (type < SUIT_TYPES) {
            held[type_suit(type)] |= (unsigned)cards->count[type] << type_number(type);
        } else {
            honours += cards->count[type];
        }
    }
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
    const struct search search = search_melds(cards);
    if (search.best >= 0) {
        const struct candidate found = explain(&search.best_arrangement);
        assert(found.credits == search.best);
        best.credits = found.credits;
        memcpy(best.part, found.part, sizeof best.part);
        list_melds(cards, &search.best_arrangement, &best);
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
