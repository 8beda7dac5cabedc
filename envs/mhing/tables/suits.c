/* The vectors of suits (groups.c), by a programme over the numbers. */
#include <string.h>

#include "make_tables.h"

enum { PREFIX = 5, SUFFIX = 4, PREFIX_KEYS = 3125, SUFFIX_KEYS = 625, MAX_STATES = 20000, NEVER = -1 };

/* The most cards matched so far, by melds and pairs begun and by the sequences that still need the next number
 * (`one` begun at the last number, `two` at the one before). NEVER where that cannot be. */
struct progress {
    int8_t matched[MELDS + 1][2][MELDS + 1][MELDS + 1];
};

static struct progress states[MAX_STATES];
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

/* Extends one entry by a number of which `count` cards are held. */
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

/* The class with one more of each number; the same where four are held. */
static void write_with(const char *name, const char *shape, const int *class, int keys, int digits)
{
    static int with[PREFIX_KEYS * PREFIX];
    for (int key = 0; key < keys; key++) {
        int step = 1;
        for (int digit = 0; digit < digits; digit++) {
            with[key * digits + digit] = class[key / step % 5 < COPIES ? key + step : key];
            step *= 5;
        }
    }
    write_array("uint16_t", name, shape, with, keys * digits, digits, keys * digits);
}

void write_suits(struct classes *classes)
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
    write_with("prefix_with", "[][5]", prefix_class, PREFIX_KEYS, PREFIX);
    write_with("suffix_with", "[][4]", suffix_class, SUFFIX_KEYS, SUFFIX);
    write_array("uint8_t", "suit_class", "[][SUFFIX_CLASSES]", table, rows * columns, columns, rows * columns);
}
