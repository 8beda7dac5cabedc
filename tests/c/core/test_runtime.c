/* The runtime's small parts: generator, bit sets, text, bounds of what an episode brings. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/mh_bits.h"
#include "base/mh_pool.h"
#include "base/mh_rng.h"
#include "base/mh_text.h"
#include "base/mh_wide.h"
#include "game/mh_check.h"
#include "game/mh_head.h"
#include "game/mh_spec.h"

/* The first numbers of SplitMix64 with seed 1234567, as its author's program prints them. */
static void test_generator_is_splitmix64(void)
{
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u, 16408922859458223821u};
    struct mh_rng rng = {1234567};
    for (int i = 0; i < 5; i++) {
        CHECK(mh_rng_next(&rng) == expected[i]);
    }
}

static void test_bounded_numbers_are_even(void)
{
    enum { BOUND = 7, DRAWS = 70000 };
    int count[BOUND] = {0};
    struct mh_rng rng = {42};
    for (int i = 0; i < DRAWS; i++) {
        const uint32_t number = mh_rng_below(&rng, BOUND);
        CHECK(number < BOUND);
        count[number]++;
    }
    for (int i = 0; i < BOUND; i++) {
        CHECK(count[i] > DRAWS / BOUND - 500 && count[i] < DRAWS / BOUND + 500); /* 5 standard deviations */
    }
}

static void test_shuffle_permutes(void)
{
    uint8_t items[100];
    int first[100] = {0};
    struct mh_rng rng = {7};
    for (int round = 0; round < 2000; round++) {
        int seen[100] = {0};
        for (int i = 0; i < 100; i++) {
            items[i] = (uint8_t)i;
        }
        mh_rng_shuffle(&rng, items, 100);
        for (int i = 0; i < 100; i++) {
            CHECK(!seen[items[i]]++);
        }
        first[items[0]]++;
    }
    for (int i = 0; i < 100; i++) {
        CHECK(first[i] > 0 && first[i] < 50);
    }
}

static void test_streams_differ(void)
{
    struct mh_rng a = mh_rng_stream(1, 'A');
    struct mh_rng b = mh_rng_stream(1, 'B');
    struct mh_rng other = mh_rng_stream(2, 'A');
    const uint64_t first = mh_rng_next(&a);
    CHECK(first != mh_rng_next(&b));
    CHECK(first != mh_rng_next(&other));
}

static void test_sets(void)
{
    enum { ACTIONS = 341, WORDS = 6 };
    struct mh_rng rng = {99};
    for (int round = 0; round < 2000; round++) {
        uint64_t set[WORDS] = {0};
        int8_t plain[ACTIONS] = {0};
        int8_t mask[ACTIONS + 1];
        int count = 0;
        const int density = 1 + (int)mh_rng_below(&rng, 200);
        for (int id = 0; id < ACTIONS; id++) {
            if (mh_rng_below(&rng, (uint32_t)density) == 0) {
                mh_set_add(set, id);
                plain[id] = 1;
                count++;
            }
        }
        mask[ACTIONS] = 77;
        mh_mask_write(set, ACTIONS, mask);
        CHECK(memcmp(mask, plain, ACTIONS) == 0 && mask[ACTIONS] == 77);
        CHECK_EQUAL(mh_set_count(set, WORDS), count);
        for (int id = mh_set_next(set, WORDS, 0), last = -1; id >= 0; id = mh_set_next(set, WORDS, id + 1)) {
            CHECK(id > last && plain[id] && count-- > 0);
            last = id;
        }
        CHECK_EQUAL(count, 0);
        if (mh_set_count(set, WORDS)) {
            CHECK(plain[mh_set_pick(set, WORDS, &rng)]);
        }
    }
}

static void check_mask(void (*write)(const uint64_t *set, int actions, int8_t *mask), const uint64_t *set,
                       const int8_t *plain, int actions)
{
    enum { BEYOND = 64 };
    int8_t *exact = malloc((size_t)actions);
    write(set, actions, exact);
    CHECK(memcmp(exact, plain, (size_t)actions) == 0);
    free(exact);

    int8_t *longer = malloc((size_t)actions + BEYOND); /* sanitizers do not see every store */
    memset(longer, 77, (size_t)actions + BEYOND);
    write(set, actions, longer);
    CHECK(memcmp(longer, plain, (size_t)actions) == 0);
    for (int i = 0; i < BEYOND; i++) {
        CHECK_EQUAL(longer[actions + i], 77);
    }
    free(longer);
}

/* Neither the set nor the mask is touched beyond its end; with wide instructions all is as without. */
static void test_masks_of_every_length(void)
{
    enum { MOST = 400 };
    struct mh_rng rng = {98};
    for (int round = 0; round < 20 * MOST; round++) {
        const int actions = 1 + round % MOST;
        const int words = (actions + 63) / 64;
        const uint32_t density = 1 + mh_rng_below(&rng, 100);
        uint64_t *set = calloc((size_t)words, sizeof *set);
        int8_t plain[MOST] = {0};
        for (int id = 0; id < actions; id++) {
            if (mh_rng_below(&rng, density) == 0) {
                mh_set_add(set, id);
                plain[id] = 1;
            }
        }
        check_mask(mh_mask_write, set, plain, actions);
        if (mh_wide_has_avx512()) {
            check_mask(mh_wide_mask_write, set, plain, actions);
            for (int draw = 0; draw < 5 && mh_set_count(set, words); draw++) {
                struct mh_rng other = rng;
                CHECK_EQUAL(mh_wide_pick(set, words, &other), mh_set_pick(set, words, &rng));
                CHECK_EQUAL(other.state, rng.state);
            }
        }
        free(set);
    }
}

static void check_blocks(void (*turn)(const uint8_t *restrict from, size_t size, int count, int first,
                                      uint8_t *restrict to),
                         const uint8_t *blocks, size_t size, int count, int first)
{
    const size_t all = size * (size_t)count;
    uint8_t *turned = malloc(all + 1);
    turned[all] = 77;
    turn(blocks, size, count, first, turned);
    for (size_t i = 0; i < all; i++) {
        CHECK_EQUAL(turned[i], blocks[(i + (size_t)first * size) % all]);
    }
    CHECK_EQUAL(turned[all], 77);
    free(turned);
}

static void test_blocks_around_a_table(void)
{
    struct mh_rng rng = {96};
    for (size_t size = 64; size <= 192; size++) {
        for (int count = 1; count <= 6; count++) {
            uint8_t *blocks = malloc(size * (size_t)count);
            for (size_t i = 0; i < size * (size_t)count; i++) {
                blocks[i] = (uint8_t)mh_rng_next(&rng);
            }
            for (int first = 0; first < count; first++) {
                check_blocks(mh_plain_blocks_turn, blocks, size, count, first);
                if (mh_wide_has_avx()) {
                    check_blocks(mh_wide_blocks_turn, blocks, size, count, first);
                }
                check_blocks(mh_blocks_turn, blocks, size, count, first);
            }
            free(blocks);
        }
    }
}

static void test_sums_of_two_words(void)
{
    enum { LEAST = 8, MOST = 64 };
    struct mh_rng rng = {97};
    for (int round = 0; round < 20 * MOST; round++) {
        const int count = LEAST + round % (MOST - LEAST + 1);
        const uint64_t one = mh_rng_next(&rng);
        const uint64_t other = mh_rng_next(&rng);
        uint8_t sums[MOST + 1];
        memset(sums, 77, sizeof sums);
        mh_sums_write(one, other, count, sums);
        for (int i = 0; i < count; i++) {
            CHECK_EQUAL(sums[i], (one >> i & 1) + (other >> i & 1));
        }
        CHECK_EQUAL(sums[count], 77);
    }
}

static void test_select_finds_each_bit(void)
{
    struct mh_rng rng = {17};
    for (int round = 0; round < 3000; round++) {
        const uint64_t x = mh_rng_next(&rng) & (round % 3 ? mh_rng_next(&rng) : ~(uint64_t)0) &
                           (round % 5 ? mh_rng_next(&rng) : ~(uint64_t)0);
        const uint64_t counts = mh_bits_counts(x);
        int index = 0;
        for (int place = 0; place < 64; place++) {
            if (x >> place & 1) {
                CHECK_EQUAL(mh_bits_select(x, counts, index), place);
                index++;
            }
        }
        CHECK_EQUAL(mh_bits_count(x), index);
    }
    CHECK_EQUAL(mh_bits_select(~(uint64_t)0, mh_bits_counts(~(uint64_t)0), 63), 63);
}

static void test_picks_are_uniform(void)
{
    enum { DRAWS = 30000 };
    uint64_t set[3] = {(uint64_t)1 << 63, 0, 5};
    int count[3] = {0};
    struct mh_rng rng = {3};
    for (int i = 0; i < DRAWS; i++) {
        const int id = mh_set_pick(set, 3, &rng);
        CHECK(id == 63 || id == 128 || id == 130);
        count[id == 63 ? 0 : id == 128 ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++) {
        CHECK(count[i] > DRAWS / 3 - 400 && count[i] < DRAWS / 3 + 400);
    }
}

static void test_runs_flow_over_words(void)
{
    for (int first = 0; first < 100; first++) {
        uint64_t run[4] = {0};
        uint64_t single[4] = {0};
        const uint64_t bits = 0xB00000000000005Du;
        mh_set_add_run(run, first, bits);
        for (int i = 0; i < 64; i++) {
            if (bits >> i & 1) {
                mh_set_add(single, first + i);
            }
        }
        CHECK(memcmp(run, single, sizeof run) == 0);
    }
}

static void test_text_is_cut_and_counted(void)
{
    char small[8] = "#######";
    struct mh_text text;
    mh_text_begin(&text, small, 6);
    mh_json_open(&text, '[');
    mh_json_int(&text, -12);
    mh_json_string(&text, "long");
    mh_json_close(&text, ']');
    CHECK_EQUAL(text.length, strlen("[-12,\"long\"]"));
    CHECK(strcmp(small, "[-12,") == 0 && small[6] == '#');
    mh_text_begin(&text, NULL, 0);
    mh_text_add(&text, "%d", 12345);
    CHECK_EQUAL(text.length, 5);
}

/* C47: what an episode of at most 9 actions brings two seats, each at most 4, 2 in all. */
static void test_text_takes_numbers(void)
{
    static const struct {
        int64_t number;
        const char *text;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {999, "999"},
                 {1000, "1,000"},
                 {-1, "-1"},
                 {-12345, "-12,345"},
                 {123456, "123,456"},
                 {INT64_MAX, "9,223,372,036,854,775,807"},
                 {INT64_MIN, "-9,223,372,036,854,775,808"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        struct mh_text out;
        mh_text_begin(&out, text, sizeof text);
        mh_text_put(&out, "a ");
        mh_text_number(&out, cases[i].number);
        CHECK(strncmp(text, "a ", 2) == 0 && strcmp(text + 2, cases[i].text) == 0);
        for (size_t size = 0; size <= out.length; size++) { /* cut short, and counted all the same */
            char cut[64] = "unchanged";
            struct mh_text shorter;
            mh_text_begin(&shorter, size ? cut : NULL, size);
            mh_text_put(&shorter, "a ");
            mh_text_number(&shorter, cases[i].number);
            CHECK_EQUAL(shorter.length, out.length);
            CHECK(size == 0 || (strlen(cut) == size - 1 && strncmp(cut, text, size - 1) == 0));
        }
    }
}

/* A caller that asks for the maximum of threads gets them, or the most that there can be on machines without
 * threads. */
static void test_all_threads_that_may_be(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_pool *pool;
    CHECK_EQUAL(mh_pool_new(4, message, &pool), MH_OK); /* more than there may be are not made */
    CHECK_EQUAL(mh_pool_parts(pool), mh_max_threads() < 4 ? mh_max_threads() : 4);
    mh_pool_free(&pool);
    CHECK(!pool);
    mh_pool_free(&pool);
    mh_pool_free(NULL);
    CHECK_EQUAL(mh_pool_new(1, message, &pool), MH_OK);
    CHECK(!pool);
    CHECK_EQUAL(mh_pool_new(0, message, &pool), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "threads: 0"));
    CHECK_EQUAL(mh_pool_new(1, message, NULL), MH_ERROR_ARGUMENT);
}

static void test_bounds(void)
{
    static const struct mh_bounds bounds = {.lowest = -2, .highest = 4, .sum = 2, .decisions = 9};
    static const struct mh_head over = {
        .returns = {3, -1}, .rewards = {1, 0}, .decisions = 9, .rounds = 1, .seat = -1, .seats = 2};
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(mh_check_bounds(&over, &bounds, message), MH_OK);
    struct mh_head other[] = {over, over, over, over, over, over, over, over, over, over};
    other[0].decisions = 10;
    other[1].rounds = 0; /* over without a round */
    other[2].rounds = 10;
    other[3].returns[0] = 5;
    other[4].returns[1] = -3;
    other[5].rewards[0] = 6; /* -3 before the last action */
    other[6].returns[0] = 2;
    other[6].returns[1] = -0.0;
    other[7].returns[1] = -2;
    other[7].returns[2] = 1; /* nobody sits there */
    other[8].returns[1] = 0; /* 3 in all */
    other[9].decisions = 0;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        CHECK(mh_check_bounds(&other[i], &bounds, message) != MH_OK);
    }
}

/* Playing cards as they are spoken; others as they are. */
static void test_spoken_cards(void)
{
    static const char *const cards[][2] = {{"Ts", "ten of spades"},
                                           {"Ah", "ace of hearts"},
                                           {"2d", "two of diamonds"},
                                           {"Kc", "king of clubs"},
                                           {"1s", "1s"},
                                           {"T", "T"},
                                           {"Tx", "Tx"},
                                           {"Tss", "Tss"},
                                           {"", ""}};
    char text[MH_LABEL_SIZE];
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        mh_spec_spoken(cards[i][0], text);
        CHECK(strcmp(text, cards[i][1]) == 0);
    }
}

int main(void)
{
    test_spoken_cards();
    test_bounds();
    test_generator_is_splitmix64();
    test_bounded_numbers_are_even();
    test_shuffle_permutes();
    test_streams_differ();
    test_sets();
    test_masks_of_every_length();
    test_blocks_around_a_table();
    test_sums_of_two_words();
    test_select_finds_each_bit();
    test_picks_are_uniform();
    test_runs_flow_over_words();
    test_text_is_cut_and_counted();
    test_text_takes_numbers();
    test_all_threads_that_may_be();
    return 0;
}
