/* The distance of a hand from one in which nothing connects. */
#include <string.h>

#include "make_tables.h"

enum { CARDS = 14 };

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
void write_spread_sets(void)
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
void write_spread(void)
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
