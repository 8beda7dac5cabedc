/* The distances of groups of cards, suits or the honours, from melds and a pair.
 *
 * For the cards of one suit (or of the honours) let v[m][p] be the fewest cards missing from m melds and p pairs
 * built of them, m 0-4, p 0-1. Only some hundred different vectors occur, so a suit's cards are first mapped to
 * the class of their vector, classes of two suits to the class of the two together, and two of those to the
 * distance. A dynamic programme over the numbers 1-9 finds the vectors; its states after five numbers and the
 * effects of the last four are numbered too, so that the nine counts are looked up as 5 + 4 in a small table: see
 * suits.c.
 *
 *     class = suit_class[prefix_class[key of numbers 1-5]][suffix_class[key of numbers 6-9]]
 *     distance = distance[melds to go][pair_class[class][class]][pair_class[class][honour_class]] - jokers
 *
 * Targets with more than four copies of a card are allowed: Mhing cards can fill them.
 */
#include <string.h>

#include "make_tables.h"

enum { HONOUR_KEYS = 4096 };

int class_of(struct classes *classes, const struct vector *vector)
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

/* ---- Honours --------------------------------------------------------------------------------------------- */

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

void write_honours(struct classes *classes)
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

/* ---- Two groups, and three ------------------------------------------------------------------------------- */

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
void write_pairs(const struct classes *classes)
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
