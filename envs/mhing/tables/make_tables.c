/* Writes mhing_tables.h at build time: how far the cards of a suit are from melds and a pair.
 *
 * For the cards of one suit (or of the honours) let v[m][p] be the fewest cards missing from m melds and p pairs
 * built of them, m 0-4, p 0-1. Only some hundred different vectors occur, so a suit's cards are first mapped to
 * the class of their vector, classes of two suits to the class of the two together, and two of those to the
 * distance. A dynamic programme over the numbers 1-9 finds the vectors; its states after five numbers and the
 * effects of the last four are numbered too, so that the nine counts are looked up as 5 + 4 in a small table.
 *
 *     class = suit_class[prefix_class[key of numbers 1-5]][suffix_class[key of numbers 6-9]]
 *     distance = distance[melds to go][pair_class[class][class]][pair_class[class][honour_class]] - jokers
 *
 * Targets with more than four copies of a card are allowed: Mhing cards can fill them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../credits.h"
#include "../kinds.h"

enum {
    PREFIX = 5,
    SUFFIX = 4,
    PREFIX_KEYS = 3125,
    SUFFIX_KEYS = 625,
    HONOUR_TYPES = 7,
    HONOUR_KEYS = 4096,
    CARDS = 14,
    MAX_STATES = 20000,
    MAX_CLASSES = 256,
    NEVER = -1
};

static void fail(const char *what)
{
    fprintf(stderr, "make_tables: %s\n", what);
    exit(1);
}

/* ---- Vectors and their classes --------------------------------------------------------------------------- */

struct vector {
    uint8_t missing[MELDS + 1][2];
};

struct classes {
    int count;
    struct vector vector[MAX_CLASSES];
};

static int class_of(struct classes *classes, const struct vector *vector)
{
    for (int i = 0; i < classes->count; i++) {
        if (memcmp(&classes->vector[i], vector, sizeof *vector) == 0) {
            return i;
        }
    }
    if (classes->count == MAX_CLASSES) {
        fail("more classes than a byte can number");
    }
    classes->vector[classes->count] = *vector;
    return classes->count++;
}

static struct vector combine(const struct vector *a, const struct vector *b)
{
    struct vector best;
    memset(&best, 255, sizeof best);
    for (int m = 0; m <= MELDS; m++) {
        for (int p = 0; p < 2; p++) {
            for (int i = 0; i <= m; i++) {
                for (int q = 0; q <= p; q++) {
                    const int missing = a->missing[i][q] + b->missing[m - i][p - q];
                    if (missing < best.missing[m][p]) {
                        best.missing[m][p] = (uint8_t)missing;
                    }
                }
            }
        }
    }
    return best;
}

/* ---- Suits: a programme over the numbers ----------------------------------------------------------------- */

/* The most cards matched so far, by melds and pairs begun and by the sequences that still need the next number
 * (`one` begun at the last number, `two` at the one before). NEVER where that cannot be. */
struct progress {
    int8_t matched[MELDS + 1][2][MELDS + 1][MELDS + 1];
};

static struct progress *states;
static int num_states;

static int state_of(const struct progress *progress)
{
    for (int i = num_states - 1; i >= 0; i--) {
        if (memcmp(&states[i], progress, sizeof *progress) == 0) {
            return i;
        }
    }
    if (num_states == MAX_STATES) {
        fail("too many states");
    }
    states[num_states] = *progress;
    return num_states++;
}

static void raise_to(int8_t *value, int other)
{
    if (*value < other) {
        *value = (int8_t)other;
    }
}

/* Goes on from one entry at a number of which `count` cards are held. */
static void extend(struct progress *next, int matched, int m, int p, int one, int two, int count, int may_start)
{
    for (int start = 0; start <= (may_start ? MELDS - m : 0); start++) {
        for (int triplets = 0; triplets <= MELDS - m - start; triplets++) {
            for (int pair = 0; pair <= 1 - p; pair++) {
                const int wanted = one + two + start + 3 * triplets + 2 * pair;
                const int more = wanted < count ? wanted : count;
                raise_to(&next->matched[m + start + triplets][p + pair][start][one], matched + more);
            }
        }
    }
}

static int compute_next(int state, int count, int may_start)
{
    struct progress next;
    memset(&next, NEVER, sizeof next);
    for (int m = 0; m <= MELDS; m++) {
        for (int p = 0; p < 2; p++) {
            for (int one = 0; one <= m; one++) {
                for (int two = 0; one + two <= m; two++) {
                    const int matched = states[state].matched[m][p][one][two];
                    if (matched != NEVER) {
                        extend(&next, matched, m, p, one, two, count, may_start);
                    }
                }
            }
        }
    }
    return state_of(&next);
}

/* Each step between states is computed once. */
static int advance(int state, int count, int number)
{
    static int known[MAX_STATES][COPIES + 1][2];
    const int may_start = number < SEQUENCES_PER_SUIT;
    int *next = &known[state][count][may_start];
    if (*next == 0) {
        *next = compute_next(state, count, may_start) + 1;
    }
    return *next - 1;
}

static struct vector suit_vector(int state)
{
    struct vector vector;
    for (int m = 0; m <= MELDS; m++) {
        for (int p = 0; p < 2; p++) {
            vector.missing[m][p] = (uint8_t)(3 * m + 2 * p - states[state].matched[m][p][0][0]);
        }
    }
    return vector;
}

static int start_state(void)
{
    struct progress start;
    memset(&start, NEVER, sizeof start);
    start.matched[0][0][0][0] = 0;
    return state_of(&start);
}

/* The state after some numbers, whose counts are the digits of `key` in base 5, the first number lowest. */
static int run(int state, int key, int digits, int number)
{
    for (int i = 0; i < digits; i++) {
        state = advance(state, key % 5, number + i);
        key /= 5;
    }
    return state;
}

/* ---- Output ---------------------------------------------------------------------------------------------- */

static FILE *out;

/* An array of up to three dimensions: `row` is the length of the last one and `plane` that of the last two together
 * (equal to `count` where there are fewer dimensions). */
static void write_array(const char *type, const char *name, const char *shape, const int *values, int count,
                        int row, int plane)
{
    fprintf(out, "static const %s %s%s = {", type, name, shape);
    for (int i = 0; i < count; i++) {
        const int in_row = i % row;
        fprintf(out, "%s", plane < count && i % plane == 0 ? "\n{" : "");
        fprintf(out, "%s", row < count && in_row == 0 ? "\n{" : "");
        fprintf(out, "%s%d", in_row % 24 ? "" : "\n", values[i]);
        fprintf(out, "%s", row < count && in_row == row - 1 ? "}" : "");
        fprintf(out, "%s,", plane < count && i % plane == plane - 1 ? "}" : "");
    }
    fprintf(out, "\n};\n\n");
}

/* Numbers equal columns of table[prefix states][SUFFIX_KEYS] alike, and drops the others. */
static int merge_suffixes(int *table, int rows, int *suffix_class)
{
    int first[SUFFIX_KEYS];
    int count = 0;
    for (int key = 0; key < SUFFIX_KEYS; key++) {
        int found = 0;
        for (; found < count; found++) {
            int row = 0;
            while (row < rows && table[row * SUFFIX_KEYS + key] == table[row * SUFFIX_KEYS + first[found]]) {
                row++;
            }
            if (row == rows) {
                break;
            }
        }
        if (found == count) {
            first[count++] = key;
        }
        suffix_class[key] = found;
    }
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < count; i++) {
            table[row * count + i] = table[row * SUFFIX_KEYS + first[i]];
        }
    }
    return count;
}

static void write_suits(struct classes *classes)
{
    static int prefix_class[PREFIX_KEYS], suffix_class[SUFFIX_KEYS];
    static int prefix_state[PREFIX_KEYS];
    static int table[PREFIX_KEYS * SUFFIX_KEYS];
    const int start = start_state();
    int rows = 0;
    for (int key = 0; key < PREFIX_KEYS; key++) {
        const int state = run(start, key, PREFIX, 0);
        int row = 0;
        while (row < rows && prefix_state[row] != state) {
            row++;
        }
        if (row == rows) {
            prefix_state[rows++] = state;
        }
        prefix_class[key] = row;
    }
    for (int row = 0; row < rows; row++) {
        for (int key = 0; key < SUFFIX_KEYS; key++) {
            const struct vector vector = suit_vector(run(prefix_state[row], key, SUFFIX, PREFIX));
            table[row * SUFFIX_KEYS + key] = class_of(classes, &vector);
        }
    }
    const int columns = merge_suffixes(table, rows, suffix_class);
    fprintf(out, "enum { SUFFIX_CLASSES = %d };\n\n", columns);
    write_array("uint16_t", "prefix_class", "[]", prefix_class, PREFIX_KEYS, PREFIX_KEYS, PREFIX_KEYS);
    write_array("uint16_t", "suffix_class", "[]", suffix_class, SUFFIX_KEYS, SUFFIX_KEYS, SUFFIX_KEYS);
    write_array("uint8_t", "suit_class", "[][SUFFIX_CLASSES]", table, rows * columns, columns, rows * columns);
}

/* Honours have no sequences: only how many types are held once, twice, three and four times matters. */
static struct vector honour_vector(const int held[5])
{
    struct vector all = {{{0, 2}, {3, 5}, {6, 8}, {9, 11}, {12, 14}}}; /* nothing held */
    for (int count = 1; count <= COPIES; count++) {
        struct vector one;
        for (int m = 0; m <= MELDS; m++) {
            for (int p = 0; p < 2; p++) {
                const int wanted = 3 * m + 2 * p;
                one.missing[m][p] = (uint8_t)(wanted - (wanted < count ? wanted : count));
            }
        }
        for (int i = 0; i < held[count]; i++) {
            all = combine(&all, &one);
        }
    }
    return all;
}

static void write_honours(struct classes *classes)
{
    static int honour_class[HONOUR_KEYS];
    for (int key = 0; key < HONOUR_KEYS; key++) {
        const int held[5] = {0, key & 7, key >> 3 & 7, key >> 6 & 7, key >> 9 & 7};
        if (held[1] + held[2] + held[3] + held[4] <= HONOUR_TYPES) {
            const struct vector vector = honour_vector(held);
            honour_class[key] = class_of(classes, &vector);
        }
    }
    write_array("uint8_t", "honour_class", "[]", honour_class, HONOUR_KEYS, HONOUR_KEYS, HONOUR_KEYS);
}

/* Lanes of the words below: one for each number of melds; in a lane a bit for each number of a suit, or room for a sum
 * of missing cards. */
enum { LANE = NUMBERS, OUT_OF_REACH = 100 };

static void write_lanes(const uint8_t missing[MELDS + 1])
{
    uint64_t word = 0;
    for (int m = 0; m <= MELDS; m++) {
        word |= (uint64_t)missing[m] << LANE * m;
    }
    fprintf(out, "%lluu,", (unsigned long long)word);
}

/* part_missing[class][p]: what a group of the class misses of each number of melds and p pairs. */
static void write_parts(const struct classes *classes)
{
    fprintf(out, "static const uint64_t part_missing[][2] = {\n");
    for (int class = 0; class < classes->count; class++) {
        fprintf(out, "{");
        for (int p = 0; p < 2; p++) {
            uint8_t missing[MELDS + 1];
            for (int m = 0; m <= MELDS; m++) {
                missing[m] = classes->vector[class].missing[m][p];
            }
            write_lanes(missing);
        }
        fprintf(out, "},\n");
    }
    fprintf(out, "};\n\n");
}

/* rest_missing[melds][class][p]: what three groups miss of the rest of so many melds and a pair, when the fourth group
 * is made each number of melds and p pairs. */
static void write_rests(const struct classes *rests)
{
    fprintf(out, "static const uint64_t rest_missing[][%d][2] = {\n", rests->count);
    for (int melds = 0; melds <= MELDS; melds++) {
        fprintf(out, "{");
        for (int class = 0; class < rests->count; class++) {
            fprintf(out, "{");
            for (int p = 0; p < 2; p++) {
                uint8_t missing[MELDS + 1];
                for (int m = 0; m <= MELDS; m++) {
                    missing[m] = m > melds ? OUT_OF_REACH : rests->vector[class].missing[melds - m][1 - p];
                }
                write_lanes(missing);
            }
            fprintf(out, "},\n");
        }
        fprintf(out, "},\n");
    }
    fprintf(out, "};\n\n");
}

/* pair_class: of two groups together; rest_class: of the two and a third one. */
static void write_pairs(const struct classes *classes)
{
    static struct classes sums;
    static int pair_class[MAX_CLASSES * MAX_CLASSES];
    static int rest_class[MAX_CLASSES * MAX_CLASSES];
    static int distance[(MELDS + 1) * MAX_CLASSES * MAX_CLASSES];
    const int singles = classes->count;
    for (int i = 0; i < singles * singles; i++) {
        const struct vector both = combine(&classes->vector[i / singles], &classes->vector[i % singles]);
        pair_class[i] = class_of(&sums, &both);
    }
    const int pairs = sums.count;
    for (int i = 0; i < pairs * singles; i++) {
        const struct vector three = combine(&sums.vector[i / singles], &classes->vector[i % singles]);
        rest_class[i] = class_of(&sums, &three);
    }
    int n = 0;
    for (int melds = 0; melds <= MELDS; melds++) {
        for (int i = 0; i < pairs * pairs; i++) {
            distance[n++] = combine(&sums.vector[i / pairs], &sums.vector[i % pairs]).missing[melds][1];
        }
    }
    fprintf(out, "enum { CLASSES = %d, PAIR_CLASSES = %d, LANE = %d };\n\n", singles, pairs, (int)LANE);
    write_array("uint8_t", "pair_class", "[CLASSES][CLASSES]", pair_class, singles * singles, singles,
                singles * singles);
    write_array("uint8_t", "rest_class", "[PAIR_CLASSES][CLASSES]", rest_class, pairs * singles, singles,
                pairs * singles);
    write_array("uint8_t", "meld_distance", "[][PAIR_CLASSES][PAIR_CLASSES]", distance, n, pairs, pairs * pairs);
    write_parts(classes);
    write_rests(&sums);
}

static int bits(int set)
{
    return (set & 1) + (set >> 1 & 1) + (set >> 2 & 1);
}

/* ---- Nothing connects ------------------------------------------------------------------------------------ */

/* For the numbers held of a suit: the most of them kept in a set of `size` numbers that are 3 apart or more. */
static int kept(int held, int size)
{
    int best = 0;
    for (int set = 0; set < 512; set++) {
        int count = 0;
        int apart = 1;
        int last = -3;
        int common = 0;
        for (int number = 0; number < NUMBERS; number++) {
            if (set >> number & 1) {
                apart &= number - last >= 3;
                last = number;
                count++;
                common += held >> number & 1;
            }
        }
        if (count == size && apart && common > best) {
            best = common;
        }
    }
    return best;
}

/* spread_set[size][held]: the first set of so many numbers 3 apart or more that holds all of `held`, or 0. */
static void write_spread_sets(void)
{
    static int sets[4 * 512];
    for (int set = 1; set < 512; set++) {
        const int size = bits(set) + bits(set >> 3) + bits(set >> 6);
        if (size <= 3 && kept(set, size) == size) {
            for (int held = 0; held < 512; held++) {
                int *first = &sets[size * 512 + held];
                *first = *first == 0 && (held & set) == held ? set : *first;
            }
        }
    }
    write_array("uint16_t", "spread_set", "[][512]", sets, 4 * 512, 512, 4 * 512);
}

enum { SPREAD_CLASSES = 16, HONOUR_COUNTS = HONOUR_TYPES + 1 };

/* The fewest cards missing when of each suit kept[suit][size] cards stay in a set of that size, beside `honours`
 * different honours: 7 to 9 suit cards, one to three of each suit, and honours for the rest. */
static int spread_missing(int *const kept_of[SUITS], int honours)
{
    int best = 0;
    for (int sizes = 0; sizes < 27; sizes++) {
        const int size[SUITS] = {sizes % 3 + 1, sizes / 3 % 3 + 1, sizes / 9 + 1};
        const int room = CARDS - size[0] - size[1] - size[2];
        if (room <= HONOUR_TYPES) {
            const int cards =
                kept_of[0][size[0]] + kept_of[1][size[1]] + kept_of[2][size[2]] + (honours < room ? honours : room);
            best = cards > best ? cards : best;
        }
    }
    return CARDS - best;
}

/* spread_class: what the numbers held of a suit are good for when nothing connects; spread_with[class]: the numbers of
 * which one more makes them that class; spread_distance: the cards missing, by the classes of the suits and the number
 * of different honours. */
static void write_spread(void)
{
    static int class[512], with[SPREAD_CLASSES * 512], vectors[SPREAD_CLASSES][4];
    static int distance[SPREAD_CLASSES * SPREAD_CLASSES * SPREAD_CLASSES * HONOUR_COUNTS];
    int classes = 0;
    int n = 0;
    for (int held = 0; held < 512; held++) {
        const int vector[4] = {0, kept(held, 1), kept(held, 2), kept(held, 3)};
        int found = 0;
        while (found < classes && memcmp(vectors[found], vector, sizeof vector) != 0) {
            found++;
        }
        if (found == SPREAD_CLASSES) {
            fail("more spread classes than expected");
        }
        memcpy(vectors[found], vector, sizeof vector);
        classes += found == classes;
        class[held] = found;
    }
    for (int held = 0; held < 512; held++) {
        for (int number = 0; number < NUMBERS; number++) {
            with[class[held | 1 << number] * 512 + held] |= (held >> number & 1 ? 0 : 1) << number;
        }
    }
    for (int i = 0; i < classes * classes * classes * HONOUR_COUNTS; i++) {
        const int suits = i / HONOUR_COUNTS;
        int *const kept_of[SUITS] = {vectors[suits / classes / classes], vectors[suits / classes % classes],
                                     vectors[suits % classes]};
        distance[n++] = spread_missing(kept_of, i % HONOUR_COUNTS);
    }
    fprintf(out, "enum { SPREAD_CLASSES = %d, HONOUR_COUNTS = %d };\n\n", classes, HONOUR_COUNTS);
    write_array("uint8_t", "spread_class", "[]", class, 512, 512, 512);
    write_array("uint16_t", "spread_with", "[][512]", with, classes * 512, 512, classes * 512);
    write_array("uint8_t", "spread_distance", "[SPREAD_CLASSES * SPREAD_CLASSES * SPREAD_CLASSES][HONOUR_COUNTS]",
                distance, n, HONOUR_COUNTS, n);
}

/* ---- Credits that follow from the flags of a hand -------------------------------------------------------- */

static const int values[PARTS] = {
#define ROW(part, credits, name) credits,
    MHING_CREDITS(ROW)
#undef ROW
};

static int flags_credits(int flags)
{
    const enum credit_part suits = suits_part(flags);
    return (suits == PARTS ? 0 : values[suits]) + (is_high_or_low(flags) ? VALUE_HIGH_OR_LOW : 0) +
           (is_all_five(flags) ? VALUE_ALL_FIVE : 0) + (flags & HAS_TRIPLET ? 0 : VALUE_SEQUENCES_ONLY) +
           (flags & HAS_SEQUENCE ? 0 : VALUE_TRIPLETS_ONLY);
}

/* flag_bound: the most that can still come of it when more melds, a pair, or both are added. */
static void write_flags(void)
{
    static int credits[FLAG_SETS], bound[FLAG_SETS];
    for (int flags = FLAG_SETS - 1; flags >= 0; flags--) {
        credits[flags] = flags_credits(flags);
        bound[flags] = credits[flags];
        for (int bit = 1; bit < FLAG_SETS; bit *= 2) {
            if (!(flags & bit) && bound[flags | bit] > bound[flags]) {
                bound[flags] = bound[flags | bit];
            }
        }
    }
    write_array("uint8_t", "flag_credits", "[]", credits, FLAG_SETS, FLAG_SETS, FLAG_SETS);
    write_array("uint8_t", "flag_bound", "[]", bound, FLAG_SETS, FLAG_SETS, FLAG_SETS);
}

/* ---- Which melds a card can be claimed for, and which can be laid ---------------------------------------- */

/* laid_sequences[held][jokers]: of the 8 placements of Mhing cards in a sequence whose numbers are held as the bits
 * of `held` say, those that can be laid; laid_triplets[count][jokers]: likewise 0-3 Mhing cards. */
static void write_laid(void)
{
    int sequences[8 * 4];
    int triplets[5 * 4];
    for (int jokers = 0; jokers < 4; jokers++) {
        for (int held = 0; held < 8; held++) {
            int set = 0;
            for (int places = 0; places < 8; places++) {
                set |= (((held | places) == 7 && bits(places) <= jokers) ? 1 : 0) << places;
            }
            sequences[held * 4 + jokers] = set;
        }
        for (int count = 0; count <= COPIES; count++) {
            int set = 0;
            for (int used = 0; used <= MELD_CARDS; used++) {
                set |= ((used <= jokers && count >= MELD_CARDS - used) ? 1 : 0) << used;
            }
            triplets[count * 4 + jokers] = set;
        }
    }
    write_array("uint8_t", "laid_sequences", "[8][4]", sequences, 8 * 4, 4, 8 * 4);
    write_array("uint8_t", "laid_triplets", "[5][4]", triplets, 5 * 4, 4, 5 * 4);
}

/* claimed_sequences[number][near][jokers]: for a claimed suit card, where `near` says which of the numbers two
 * and one below, one and two above are held, 24 bits: 8 placements each for the sequences that begin two below,
 * one below, and at the card. The claimed card itself fills its natural place. */
static void write_claimed(void)
{
    static int claimed[NUMBERS * 16 * 3];
    for (int number = 0; number < NUMBERS; number++) {
        for (int near = 0; near < 16; near++) {
            const int held = (near & 3) | 4 | (near & 12) << 1; /* bit i: number - 2 + i */
            for (int jokers = 0; jokers < 3; jokers++) {
                int set = 0;
                for (int i = 0; i < MELD_CARDS; i++) {
                    const int lowest = number - 2 + i;
                    for (int places = 0; lowest >= 0 && lowest < SEQUENCES_PER_SUIT && places < 8; places++) {
                        if (!(places >> (2 - i) & 1) && ((held >> i | places) & 7) == 7 && bits(places) <= jokers) {
                            set |= 1 << (8 * i + places);
                        }
                    }
                }
                claimed[(number * 16 + near) * 3 + jokers] = set;
            }
        }
    }
    write_array("uint32_t", "claimed_sequences", "[][16][3]", claimed, NUMBERS * 16 * 3, 3, 16 * 3);
}

/* What each kind of meld brings into a hand: its flags; its suit, honours as a fourth one; and its slot, which numbers
 * the kinds of a suit: sequences, then triplets. */
static void write_kinds(void)
{
    int flags[KINDS];
    int suits[KINDS];
    int slots[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        const int type = kind_type(kind);
        flags[kind] = kind_flags(kind);
        suits[kind] = type_suit(type);
        slots[kind] = type_number(type) + (kind_is_sequence(kind) ? 0 : SEQUENCES_PER_SUIT);
    }
    write_array("uint16_t", "flags_of_kind", "[]", flags, KINDS, KINDS, KINDS);
    write_array("uint8_t", "suit_of_kind", "[]", suits, KINDS, KINDS, KINDS);
    write_array("uint8_t", "slot_of_kind", "[]", slots, KINDS, KINDS, KINDS);
}

static int run_credits(int runs)
{
    return royal_runs(runs) * VALUE_ROYAL_RUN + broken_royal_runs(runs) * VALUE_BROKEN_ROYAL_RUN;
}

/* run_of_slot: what a meld adds to the number of 123, 456 and 789 in its suit (credits.h); run_gain: what one more of
 * each earns beside so many, four bits for each slot. */
static void write_runs(void)
{
    enum { SLOTS = SEQUENCES_PER_SUIT + NUMBERS, RUNS = 512, SLOT_BITS = 4 };
    static int gain[RUNS];
    int runs[SLOTS] = {0};
    for (int slot = 0; slot < SEQUENCES_PER_SUIT; slot += MELD_CARDS) {
        runs[slot] = 1 << slot;
    }
    for (int before = 0; before < RUNS; before++) {
        const int melds = (before & 7) + (before >> 3 & 7) + (before >> 6);
        for (int slot = 0; slot < SEQUENCES_PER_SUIT && melds <= MELDS; slot += MELD_CARDS) {
            gain[before] |= (run_credits(before + runs[slot]) - run_credits(before)) << SLOT_BITS * slot;
        }
    }
    write_array("uint8_t", "run_of_slot", "[]", runs, SLOTS, SLOTS, SLOTS);
    write_array("uint32_t", "run_gain", "[]", gain, RUNS, RUNS, RUNS);
}

/* meld_pairs: meld_pair_part of any two kinds. */
static void write_meld_pairs(void)
{
    static int parts[KINDS * KINDS];
    for (int pair = 0; pair < KINDS * KINDS; pair++) {
        parts[pair] = meld_pair_part(pair / KINDS, pair % KINDS);
    }
    write_array("uint8_t", "meld_pairs", "[][KINDS]", parts, KINDS * KINDS, KINDS, KINDS * KINDS);
}

int main(int argc, char **argv)
{
    static struct classes classes;
    states = calloc(MAX_STATES, sizeof *states);
    out = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!states || !out) {
        fail("usage: make_tables OUTPUT");
    }
    fprintf(out, "/* Generated by envs/mhing/tables/make_tables.c. */\n\n");
    write_suits(&classes);
    write_honours(&classes);
    write_pairs(&classes);
    write_spread();
    write_spread_sets();
    write_flags();
    write_kinds();
    write_runs();
    write_meld_pairs();
    write_laid();
    write_claimed();
    if (fclose(out) != 0) {
        fail("cannot write the output");
    }
    return 0;
}
