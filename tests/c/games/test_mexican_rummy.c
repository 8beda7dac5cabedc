/* Mexican Rummy: where cards fit onto long runs, which cards objectives lack, and all cards in one set and two runs. */
#include "check.h"
#include "mexican_rummy.h"

static int type_of(const char *name)
{
    for (int type = 0; type < TYPES; type++) {
        char text[MH_TEXT_SIZE];
        rummy_type_text(type, text);
        if (strncmp(text, name, 2) == 0) {
            return type;
        }
    }
    CHECK(0);
    return -1;
}

/* "7h 7h 2s" */
static struct cards cards_of(const char *names)
{
    struct cards cards = {{0, 0}};
    for (; *names; names += names[2] ? 3 : 2) {
        const int type = type_of(names);
        CHECK(cards_of_type(cards, type) < DECKS);
        cards_add(&cards, type + (cards_of_type(cards, type) ? TYPES : 0));
    }
    return cards;
}

/* ---- Spots ------------------------------------------------------------------------------------------------ */

/* A run of hearts from one place to another. */
static struct rummy_melds run_of_hearts(int from, int to)
{
    struct rummy_melds melds;
    memset(&melds, 0, sizeof melds);
    melds.kind[0] = KIND_RUN + 1;
    for (int place = from; place <= to; place++) {
        melds.cards[0][place] = (uint8_t)(place_type(1, place) + 1);
    }
    return melds;
}

static int has_spots(const struct rummy_melds *melds, const char *name, int onto, int low, int high)
{
    uint64_t spots[LEGAL_WORDS] = {0};
    const int type = type_of(name);
    rummy_add_spots(melds, 2, type, spots);
    const int any = onto || low || high;
    return any == (int)(rummy_fitting(melds) >> type & 1) && onto == mh_set_has(spots, ACTION_onto + 2 * MELDS) &&
           low == mh_set_has(spots, ACTION_low + 2 * MELDS) && high == mh_set_has(spots, ACTION_high + 2 * MELDS);
}

static void test_an_ace_fits_both_ends_of_a_run_from_2_to_king(void)
{
    const struct rummy_melds open = run_of_hearts(1, 12);
    const struct rummy_melds low = run_of_hearts(0, 12);
    const struct rummy_melds high = run_of_hearts(1, 13);
    const struct rummy_melds full = run_of_hearts(0, 13);
    CHECK(has_spots(&open, "Ah", 0, 1, 1));
    CHECK(has_spots(&open, "2s", 0, 1, 1));
    CHECK(has_spots(&low, "Ah", 0, 0, 1));
    CHECK(has_spots(&high, "Ah", 0, 1, 0));
    CHECK(has_spots(&high, "2c", 0, 1, 0));
    CHECK(has_spots(&full, "Ah", 0, 0, 0));
    CHECK(has_spots(&full, "2c", 0, 0, 0));
    CHECK_EQUAL(rummy_fitting(&full), 0);
    CHECK_EQUAL(rummy_place_at(&open, 0, type_of("Ah"), ACTION_low), LOW_ACE);
    CHECK_EQUAL(rummy_place_at(&open, 0, type_of("Ah"), ACTION_high), HIGH_ACE);
}

static void test_other_cards_fit_one_end_of_their_own_suit(void)
{
    const struct rummy_melds run = run_of_hearts(4, 8); /* 5 to 9 */
    CHECK(has_spots(&run, "4h", 1, 0, 0));
    CHECK(has_spots(&run, "Th", 1, 0, 0));
    CHECK(has_spots(&run, "4d", 0, 0, 0));
    CHECK(has_spots(&run, "9h", 0, 0, 0));
    CHECK(has_spots(&run, "2h", 0, 0, 0));
    CHECK_EQUAL(rummy_place_at(&run, 0, type_of("4h"), ACTION_onto), 3);
    CHECK_EQUAL(rummy_place_at(&run, 0, type_of("Th"), ACTION_onto), 9);
}

/* ---- Missing cards ---------------------------------------------------------------------------------------- */

static int lacking(const char *names, int objective)
{
    return rummy_hand_lacking(cards_of(names), rummy_objectives[objective - 1], 0, 99);
}

static void test_what_lacks_for_an_objective(void)
{
    CHECK_EQUAL(lacking("", 1), 6);
    CHECK_EQUAL(lacking("", 6), 11);
    CHECK_EQUAL(lacking("7s 7h 7d Ks Kh", 1), 1);
    CHECK_EQUAL(lacking("7s 7s 7h 7h 7d 7d", 1), 0); /* two sets of one rank */
    CHECK_EQUAL(lacking("7s 7s 7h 7h 7d 7d 7c 7c", 4), 3);
    CHECK_EQUAL(lacking("2s 2s 2c 2c 2h 2d", 1), 0); /* natural there */
    CHECK_EQUAL(lacking("2s 2s 2c 2c 2h 2h 2d 2d", 4), 3);
    CHECK_EQUAL(lacking("5h 6h 7h 8h 9h Th Jh Qh", 3), 0);
    CHECK_EQUAL(lacking("5h 6h 7h 8h 9h Th Jh", 3), 1);
    CHECK_EQUAL(lacking("5h 5h 6h 6h 7h 7h 8h 8h", 3), 0);
    CHECK_EQUAL(lacking("Kh Ah 2h 3h 9s 9h 9d", 2), 1); /* an ace in the middle is no run */
    CHECK_EQUAL(lacking("Ah 2h 3h 4h Jh Qh Kh", 3), 1); /* one ace is at one end only */
    CHECK_EQUAL(lacking("Ah Ah 2h 3h 4h Jh Qh Kh", 3), 0);
    CHECK_EQUAL(lacking("2s 2s 2c 2c", 3), 4);
    CHECK_EQUAL(lacking("2s 2s 2c 2c 9h 9d 9c", 2), 0);
    CHECK_EQUAL(lacking("2s 2c 2h 5h 6h 7h", 2), 1);             /* a wild for the run leaves two 2s */
    CHECK_EQUAL(lacking("9s 9h 9d Jd Jd Jc Tc Qc Kc 2c", 5), 0); /* J is the wild's place in the run */
}

/* Hands of many sizes, half of them from few ranks, so that they are near: each type is tried, as far as there is
 * another card of it. */
static void test_cards_that_make_fewer_lack(void)
{
    struct mh_rng rng = mh_rng_stream(20, 'T');
    for (int i = 0; i < 6 * 4000; i++) {
        const struct rummy_objective wanted = rummy_objectives[i % 6];
        const int size = 3 + (int)mh_rng_below(&rng, 11);
        const uint32_t ranks = i % 12 < 6 ? RANKS : 5;
        struct cards hand = {{0, 0}};
        for (int n = 0; n < size; n++) {
            const int rank = (int)(mh_rng_below(&rng, 4) ? mh_rng_below(&rng, ranks) : (uint32_t)TWO);
            cards_add(&hand,
                      (int)mh_rng_below(&rng, SUITS) * RANKS + rank + TYPES * (int)mh_rng_below(&rng, DECKS));
        }
        const struct holding holding = holding_of(hand, wanted.runs > 0);
        const int now = rummy_lacking(&holding, wanted, 0, 99);
        const uint64_t helping = rummy_helping(&holding, wanted, now);
        for (int type = 0; type < TYPES; type++) {
            if (cards_of_type(hand, type) < DECKS) {
                struct cards with = hand;
                cards_add(&with, cards_have(&hand, type) ? TYPES + type : type);
                const int after = rummy_hand_lacking(with, wanted, 0, 99);
                CHECK_EQUAL(helping >> type & 1, after < now);
            }
        }
    }
}

/* ---- All cards -------------------------------------------------------------------------------------------- */

static int covers(const char *names)
{
    const struct run_begun none[2] = {{-1, 0, 0}, {-1, 0, 0}};
    const struct holding holding = holding_of(cards_of(names), 1);
    return rummy_covers(&holding, -1, none);
}

static void test_all_cards_in_one_set_and_two_runs(void)
{
    CHECK(covers("4s 4h 4d 2h 3h 4h 5h 9s Ts Js Qs"));
    CHECK(covers("4s 4h 4d 2h 3h 4h 5h 9s Ts Js Qs Ks 4c"));
    CHECK(!covers("4s 4h 4d 2h 3h 4h 5h 9s Ts Js Qs 7c"));
    CHECK(!covers("4s 4h 4d 3h 4h 5h 9s Ts Js Qs Ks")); /* eleven cards, a run of three */
    CHECK(covers("4s 4h 4d 3h 4h 5h 9s Ts Js Qs 2c"));
    CHECK(covers("4s 4h 4d 3h 4h 5h 9s Ts Js Qs Ks 2c 2c"));
    CHECK(covers("2s 2s 2c 5h 6h 7h 8h 5h 6h 7h 8h")); /* black 2s as a set */
    CHECK(!covers("2s 2s 2c 5h 6h 7h 8h 5h 6h 7h 9d"));
    CHECK(covers("Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh 9s 9d 9c 4d 5d 6d 7d"));
    CHECK(!covers("Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh 9s 9d 9c 4d 5d 6d 7d"));
    /* Both longest runs and the other nines. Two wilds can stand for nines that then go to the set, a third cannot. */
    CHECK(covers("Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ad Ad 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd "
                 "9s 9s 9c 9c 9h 9d"));
    CHECK(covers("Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ad Ad 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd "
                 "9s 9s 9c 9c 9h 9d 2s 2s"));
    CHECK(!covers("Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ad Ad 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd "
                  "9s 9s 9c 9c 9h 9d 2s 2s 2c"));
}

int main(void)
{
    test_an_ace_fits_both_ends_of_a_run_from_2_to_king();
    test_other_cards_fit_one_end_of_their_own_suit();
    test_what_lacks_for_an_objective();
    test_cards_that_make_fewer_lack();
    test_all_cards_in_one_set_and_two_runs();
    return 0;
}
