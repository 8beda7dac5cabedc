/* The most credits for melds and a pair (R6): a search over every way to arrange the cards, Mhing cards included.
 *
 * The search covers the lowest natural card left by one of three sequences, a triplet or the pair, taking natural
 * cards before Mhing cards (exchanging two equal cards changes nothing), until no natural card is left; then Mhing
 * cards make up the rest. Of arrangements with equal credits it keeps the first.
 *
 * What one more meld would earn beside those laid is kept for every kind, four bits each, and brought up to date by
 * a few additions when a meld is laid. So the last meld of an arrangement is only looked up. And the cards left are
 * always as many as the parts to come need: where the natural ones fit into the last part, Mhing cards fill it.
 *
 * A position is copied as soon as it has changed, and to load memory waits for stores of smaller pieces. So members are
 * whole words, and the cards left are computed from those of the position before, not from the copy.
 *
 * score.c finds the credits of the best arrangement once more, by name; the two must agree.
 */
#include "arrange.h"

#include "credits.h"
#include "hand.h"
#include "mhing_tables.h"

enum {
    HONOURS = SUITS,                   /* counted as a fourth suit, without sequences */
    TRIPLET_SLOT = SEQUENCES_PER_SUIT, /* slots, the kinds of one suit: sequences, then triplets by number */
    GAIN_BITS = 4,                     /* enough: beside three melds one more earns 9 at most, beside three alike */
    MOST_GAIN = 15
};

/* The lowest bits of the gains of slots. */
#define SEQUENCE_SLOTS 0x1111111u
#define TRIPLET_SLOTS 0x1111111110000000u
#define HONOUR_SLOTS 0x11111110000000u

/* A hand of which some melds, and perhaps the pair, are laid. */
struct laying {
    uint64_t gain[SUITS + 1];           /* of each suit: what one more meld earns, GAIN_BITS for each slot */
    uint64_t left[COPIES + MELD_CARDS]; /* places (hand.h) of which 1, 2, 3, 4 or more cards are left; then none */
    struct mhing_arrangement laid;      /* its credits without those that follow from the flags */
    int runs[SUITS];                    /* as credits.h counts them */
    int flags;                          /* of the parts laid and of the natural cards left */
    int melds;                          /* laid */
    int parts;                          /* melds and pair to come */
    int jokers;                         /* left */
    int dragons;                        /* triplets of them laid, as a set */
    int last_place;                     /* of the card that the last meld was laid for, */
    int last_slot;                      /* and which meld it was: see cover */
};

/* ---- Credits of one more meld ---------------------------------------------------------------------------- */

static inline int kind_of(int suit, int slot)
{
    return slot < TRIPLET_SLOT ? sequence_kind(suit, slot) : triplet_kind(suit * NUMBERS + slot - TRIPLET_SLOT);
}

static inline uint64_t one_gain(int slot)
{
    return (uint64_t)1 << GAIN_BITS * slot;
}

static inline int gain_at(uint64_t gain, int slot)
{
    return (int)(gain >> GAIN_BITS * slot) & MOST_GAIN;
}

/* Honour triplets; the last of three dragons turns what all three earned into one combination (R6.3). */
static inline uint64_t honour_gain(int dragons)
{
    enum { LAST = VALUE_THREE_DRAGONS - 3 * VALUE_HONOUR_TRIPLET, DRAGON_SLOT = TRIPLET_SLOT + DRAGONS - WINDS };
    const uint64_t each = 0x1111111 * VALUE_HONOUR_TRIPLET * one_gain(TRIPLET_SLOT);
    const int missing = ALL_DRAGONS ^ dragons;
    return each + (missing && !(missing & (missing - 1)) ? LAST * one_gain(DRAGON_SLOT + missing / 2) : 0);
}

/* The same numbers in another suit. */
static inline uint64_t double_gain(int slot)
{
    return one_gain(slot) * (slot < TRIPLET_SLOT ? VALUE_DOUBLE_SEQUENCE : VALUE_DOUBLE_TRIPLET);
}

/* The gains of suit `of` once one more meld is laid. */
static inline uint64_t gain_with(const struct laying *p, int suit, int slot, int of)
{
    const uint64_t gain = p->gain[of];
    if (suit != of) {
        return suit == HONOURS || of == HONOURS ? gain : gain + double_gain(slot);
    }
    if (suit == HONOURS) {
        return honour_gain(p->dragons | dragon_of_kind(kind_of(suit, slot)));
    }
    if (slot >= TRIPLET_SLOT) {
        return gain; /* R6.4 */
    }
    const int runs = p->runs[suit];
    return gain + VALUE_IDENTICAL_DOUBLE_SEQUENCE * one_gain(slot) + run_gain[runs + run_of_slot[slot]] -
           run_gain[runs];
}

static inline struct mhing_arrangement with_meld(struct mhing_arrangement laid, int meld, int kind, int earned)
{
    laid.kinds |= (uint32_t)kind << 8 * meld;
    laid.credits += earned;
    return laid;
}

static inline void lay_meld(struct laying *p, int suit, int slot)
{
    const int kind = kind_of(suit, slot);
    const uint64_t own = gain_with(p, suit, slot, suit);
    p->laid = with_meld(p->laid, p->melds++, kind, gain_at(p->gain[suit], slot));
    p->parts--;
    p->flags |= flags_of_kind[kind];
    if (suit == HONOURS) {
        p->dragons |= dragon_of_kind(kind);
    } else {
        for (int other = 0; other < SUITS; other++) {
            p->gain[other] += double_gain(slot);
        }
        p->runs[suit] += run_of_slot[slot];
    }
    p->gain[suit] = own;
}

static inline struct mhing_arrangement with_pair(struct mhing_arrangement laid, int type)
{
    laid.pair = type;
    laid.credits += is_pair_258(type) ? VALUE_PAIR_258 : 0;
    return laid;
}

/* ---- The last parts -------------------------------------------------------------------------------------- */

static inline void keep_better(struct mhing_arrangement *best, struct mhing_arrangement found, int flags)
{
    found.credits += flag_credits[flags];
    if (found.credits > best->credits) {
        *best = found;
    }
}

/* The slots of a suit whose gain is over the limit, by the lowest bit of each. */
static inline uint64_t gains_over(uint64_t gain, int limit)
{
    const uint64_t low = 0x0F0F0F0F0F0F0F0Fu; /* every other gain, with room to carry */
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t rest = (uint64_t)(limit < MOST_GAIN ? MOST_GAIN - limit : 0) * ones;
    const uint64_t even = (gain & low) + rest;
    const uint64_t odd = (gain >> GAIN_BITS & low) + rest;
    return limit < 0 ? 0x1111111111111111u : (even >> GAIN_BITS & ones) | (odd & ones << GAIN_BITS);
}

/* All melds are laid, and unless there is a pair it is made of Mhing cards. A 5 of each suit, a wind and a dragon are
 * enough: another number earns no more than the 5, which is high, low and a pair that counts. */
static inline void end_with_jokers(struct mhing_arrangement *best, struct mhing_arrangement laid, int flags)
{
    static const uint8_t pairs[] = {4, 13, 22, WINDS, DRAGONS};
    if (laid.pair >= 0) {
        keep_better(best, laid, flags);
    } else if (laid.credits + flag_bound[1][flags] + VALUE_PAIR_258 > best->credits) {
        for (int i = 0; i < (int)sizeof pairs; i++) {
            keep_better(best, with_pair(laid, pairs[i]), flags | card_flags(pairs[i]));
        }
    }
}

/* The natural cards left, at these places, need the last part, a pair. */
static inline void end_with_pair(struct mhing_arrangement *best, struct mhing_arrangement laid, int flags,
                                 uint64_t left)
{
    if (!(left & (left - 1))) {
        keep_better(best, with_pair(laid, hand_place_type(mh_bits_lowest(left))), flags);
    }
}

/* The highest sequence that holds a number. */
static inline int highest_sequence(int number)
{
    return number < SEQUENCES_PER_SUIT ? number : SEQUENCES_PER_SUIT - 1;
}

/* The natural cards left, at three neighbouring places of a suit with these gains, need the last part, a meld; those at
 * `twice` are left more than once. */
static inline void end_with_meld(struct mhing_arrangement *best, struct mhing_arrangement laid, int flags,
                                 uint64_t gain, uint64_t left, uint64_t twice)
{
    const int place = mh_bits_lowest(left);
    const int suit = hand_place_suit(place);
    const int number = hand_place_number(place);
    const uint64_t span = left >> place; /* bit 0: the lowest number; under 4: two neighbours; else three */
    if (suit != HONOURS && !twice) {
        const int lowest = number - (span == 1 ? 2 : span < 4);
        for (int slot = highest_sequence(number); slot >= 0 && slot >= lowest; slot--) {
            const int kind = sequence_kind(suit, slot);
            keep_better(best, with_meld(laid, MELDS - 1, kind, gain_at(gain, slot)), flags | flags_of_kind[kind]);
        }
    }
    if (span == 1) {
        const int kind = triplet_kind(suit * NUMBERS + number);
        const int earned = gain_at(gain, TRIPLET_SLOT + number);
        keep_better(best, with_meld(laid, MELDS - 1, kind, earned), flags | HAS_TRIPLET);
    }
}

static void fill_with_jokers(struct mhing_arrangement *best, const struct laying *p, int first_kind);

/* The rest of the hand are Mhing cards: one of the melds, then the rest, if they may earn more; `most` is the most that
 * all earn without this meld and the flags. */
static inline void fill_with_meld(struct mhing_arrangement *best, const struct laying *p, int suit, int slot,
                                  int most)
{
    const int kind = kind_of(suit, slot);
    const int gain = gain_at(p->gain[suit], slot);
    const int flags = p->flags | flags_of_kind[kind];
    if (most + gain + flag_bound[p->parts - 1][flags] <= best->credits) {
        return;
    }
    if (p->melds == MELDS - 1) {
        end_with_jokers(best, with_meld(p->laid, MELDS - 1, kind, gain), flags);
    } else {
        struct laying next = *p;
        lay_meld(&next, suit, slot);
        fill_with_jokers(best, &next, kind);
    }
}

/* The rest of the hand are Mhing cards: melds in ascending order, and a pair unless it is laid. */
static void fill_with_jokers(struct mhing_arrangement *best, const struct laying *p, int first_kind)
{
    static const uint64_t slots[2][SUITS + 1] = {{SEQUENCE_SLOTS, SEQUENCE_SLOTS, SEQUENCE_SLOTS},
                                                 {TRIPLET_SLOTS, TRIPLET_SLOTS, TRIPLET_SLOTS, HONOUR_SLOTS}};
    const int rest = MELDS - 1 - p->melds; /* melds behind the next */
    const int most = p->laid.credits + rest * MOST_GAIN + (p->laid.pair < 0 ? VALUE_PAIR_258 : 0);
    if (p->melds == MELDS) {
        end_with_jokers(best, p->laid, p->flags);
        return;
    }
    for (int form = 0; form < 2; form++) { /* sequences, then triplets: the order of the kinds */
        for (int suit = 0; suit <= SUITS; suit++) {
            const int limit = best->credits - most - flag_bound[p->parts][p->flags];
            uint64_t over = gains_over(p->gain[suit], limit) & slots[form][suit];
            for (; over; over &= over - 1) {
                const int slot = mh_bits_lowest(over) / GAIN_BITS;
                if (kind_of(suit, slot) >= first_kind) {
                    fill_with_meld(best, p, suit, slot, most);
                }
            }
        }
    }
}

/* ---- The search ------------------------------------------------------------------------------------------ */

/* A meld or the pair, laid to cover a natural card: `depth` natural cards at each place of `mask`, as far as there
 * are any, and Mhing cards. */
struct part {
    int suit;
    int slot;
    int depth;
    int jokers;
    uint64_t mask;
};

static inline struct part sequence_part(const struct laying *p, int suit, int slot, int lowest_place)
{
    static const uint8_t jokers[8] = {3, 2, 2, 1, 2, 1, 1, 0}; /* by the numbers held */
    return (struct part){.suit = suit,
                         .slot = slot,
                         .depth = 1,
                         .jokers = jokers[p->left[0] >> lowest_place & 7],
                         .mask = (uint64_t)7 << lowest_place};
}

static inline struct part triplet_part(const struct laying *p, int suit, int number, int place)
{
    return (struct part){.suit = suit,
                         .slot = TRIPLET_SLOT + number,
                         .depth = MELD_CARDS,
                         .jokers = 2 - (int)(p->left[1] >> place & 1) - (int)(p->left[2] >> place & 1),
                         .mask = (uint64_t)1 << place};
}

static inline struct part pair_part(const struct laying *p, int place)
{
    return (struct part){.depth = 2, .jokers = 1 - (int)(p->left[1] >> place & 1), .mask = (uint64_t)1 << place};
}

/* Places with more than `more` natural cards left once the part is laid. */
static inline uint64_t left_without(const struct laying *p, const struct part *part, int more)
{
    return p->left[more] ^ ((p->left[more] ^ p->left[more + part->depth]) & part->mask);
}

/* True if natural cards at these places may fit into so many parts: each covers three neighbours at most. */
static inline int may_fit(uint64_t places, int parts)
{
    for (int i = 0; i < parts; i++) {
        const uint64_t lowest = places & (~places + 1);
        places &= ~(lowest * 7);
    }
    return places == 0;
}

/* Natural cards are left for the last meld and the pair: whether these may make more than the best arrangement has.
 * Only a part made of Mhing cards alone brings a suit, winds or dragons that the hand has no natural card of. */
static inline int may_earn_more(const struct mhing_arrangement *best, const struct laying *p)
{
    const int free = p->jokers >= 2 && may_fit(p->left[0], 1);
    const int limit = best->credits - p->laid.credits - flag_bound[free][p->flags] - VALUE_PAIR_258;
    uint64_t over = 0;
    for (int suit = 0; suit <= SUITS; suit++) {
        over |= gains_over(p->gain[suit], limit);
    }
    return over != 0;
}

static void cover(struct mhing_arrangement *best, const struct laying *p);

/* `next`: p with the part laid but for its cards. */
static inline void arrange_rest(struct mhing_arrangement *best, const struct laying *p, struct laying *next,
                                const struct part *part)
{
    for (int more = 0; more < COPIES; more++) {
        next->left[more] = left_without(p, part, more);
    }
    next->jokers -= part->jokers;
    if (!next->left[0]) {
        fill_with_jokers(best, next, 0);
    } else if (next->parts > 2 || next->laid.pair >= 0 || may_earn_more(best, next)) {
        cover(best, next);
    }
}

/* `slot`: what cover takes for the slot of this meld. */
static inline void cover_with_meld(struct mhing_arrangement *best, const struct laying *p, const struct part *part,
                                   int place, int slot)
{
    const uint64_t left = left_without(p, part, 0);
    if (part->jokers > p->jokers || !may_fit(left, p->parts - 1)) {
        return;
    }
    if (p->parts == 2 && left) {
        const int kind = kind_of(part->suit, part->slot);
        const int flags = p->flags | flags_of_kind[kind];
        const struct mhing_arrangement laid =
            with_meld(p->laid, p->melds, kind, gain_at(p->gain[part->suit], part->slot));
        if (laid.pair < 0) {
            end_with_pair(best, laid, flags, left);
        } else {
            const int suit = hand_place_suit(mh_bits_lowest(left));
            const uint64_t gain = gain_with(p, part->suit, part->slot, suit);
            end_with_meld(best, laid, flags, gain, left, left_without(p, part, 1));
        }
    } else {
        struct laying next = *p;
        lay_meld(&next, part->suit, part->slot);
        next.last_place = place;
        next.last_slot = slot;
        arrange_rest(best, p, &next, part);
    }
}

/* A card that the pair leaves cannot be covered: melds that do were tried before the pair. */
static inline void cover_with_pair(struct mhing_arrangement *best, const struct laying *p, int place)
{
    const struct part part = pair_part(p, place);
    const uint64_t left = left_without(p, &part, 0);
    if (part.jokers > p->jokers || left & part.mask || !may_fit(left, p->parts - 1)) {
        return;
    }
    const struct mhing_arrangement laid = with_pair(p->laid, hand_place_type(place));
    if (p->parts == 2 && left) {
        const uint64_t gain = p->gain[hand_place_suit(mh_bits_lowest(left))];
        end_with_meld(best, laid, p->flags, gain, left, left_without(p, &part, 1));
    } else {
        struct laying next = *p;
        next.laid = laid;
        next.parts--;
        arrange_rest(best, p, &next, &part);
    }
}

/* Covers the lowest natural card left in every way: by its sequences from the highest to the lowest, by a triplet (for
 * the order one slot below them), by the pair. Two melds for two cards of a type are tried in that order only: where a
 * meld was laid for the same type just before, those before it are not tried again. */
static void cover(struct mhing_arrangement *best, const struct laying *p)
{
    const int place = mh_bits_lowest(p->left[0]);
    const int suit = hand_place_suit(place);
    const int number = hand_place_number(place);
    const int below = p->jokers < 2 ? p->jokers : 2; /* under the card a sequence has Mhing cards only */
    const int lowest = number > below ? number - below : 0;
    int first = suit == HONOURS ? lowest - 1 : highest_sequence(number);
    first = place == p->last_place && p->last_slot < first ? p->last_slot : first;
    if (p->melds < MELDS) {
        for (int slot = first; slot >= lowest; slot--) {
            const struct part part = sequence_part(p, suit, slot, place - number + slot);
            cover_with_meld(best, p, &part, place, slot);
        }
        const struct part part = triplet_part(p, suit, number, place);
        cover_with_meld(best, p, &part, place, lowest - 1);
    }
    if (p->laid.pair < 0) {
        cover_with_pair(best, p, place);
    }
}

/* card_flags of all natural cards together. */
static uint16_t flags_of_places(uint64_t places)
{
    int flags = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        const unsigned numbers = hand_suit_bits(places, suit);
        flags |= (numbers ? HAS_SUIT << suit : 0) | (numbers & 0xF ? NOT_HIGH : 0) | (numbers >> 5 ? NOT_LOW : 0);
    }
    const unsigned honours = hand_honour_bits(places);
    flags |= (honours & 0xF ? HAS_WIND : 0) | (honours >> 4 ? HAS_DRAGON : 0);
    return (uint16_t)(flags | (honours ? NOT_HIGH | NOT_LOW : 0));
}

int mhing_arrange(const struct mhing_cards *cards, struct mhing_arrangement *best)
{
    struct laying start = {.gain = {[HONOURS] = honour_gain(0)},
                           .laid = {.pair = -1},
                           .parts = MELDS + 1,
                           .jokers = cards->count[JOKER],
                           .last_place = -1};
    for (int more = 0; more < COPIES && (more == 0 || start.left[more - 1]); more++) {
        start.left[more] = hand_places(cards->count, (unsigned)more + 1);
    }
    start.flags = flags_of_places(start.left[0]);
    for (int i = 0; i < cards->melds; i++) {
        lay_meld(&start, suit_of_kind[cards->meld_kind[i]], slot_of_kind[cards->meld_kind[i]]);
    }
    best->credits = -1;
    if (start.left[0]) {
        cover(best, &start);
    } else {
        fill_with_jokers(best, &start, 0);
    }
    return best->credits >= 0;
}
