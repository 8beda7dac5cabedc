/* Hands: worked examples, and the fast forms against plain ones. */
#include "check.h"

#include <string.h>

#include "credits.h"
#include "distance.h"
#include "player.h"

static struct mhing_cards cards_of(const char *hand, const char *melds, int flowers)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mhing_cards cards;
    if (mhing_parse_hand(hand, melds, flowers, &cards, message) != MH_OK) {
        fprintf(stderr, "%s: %s\n", hand, message);
        exit(1);
    }
    return cards;
}

static int credits_of(const char *hand, const char *melds, int flowers, int seven_pairs)
{
    const struct mhing_cards cards = cards_of(hand, melds, flowers);
    struct mhing_score score;
    const int credits = mhing_score_hand(&cards, seven_pairs, &score) == 1 ? score.credits : -1;
    CHECK_EQUAL(mhing_hand_credits(&cards, seven_pairs), credits);
    return credits;
}

static int part_of(const char *hand, const char *melds, enum credit_part part)
{
    const struct mhing_cards cards = cards_of(hand, melds, 0);
    struct mhing_score score;
    CHECK(mhing_score_hand(&cards, 0, &score) == 1);
    return score.part[part];
}

static void test_worked_examples(void)
{
    CHECK_EQUAL(credits_of("567s567s678s789s99s", "", 0, 0), 17);
    CHECK_EQUAL(mhing_points(17), 512);
    CHECK_EQUAL(credits_of("345s345sJJJJJJ55s", "", 8, 0), 41);
    CHECK_EQUAL(mhing_points(41), 131072);
    CHECK_EQUAL(part_of("123s123s123p123pEE", "", PART_IDENTICAL_DOUBLE_SEQUENCE), 6);
    CHECK_EQUAL(part_of("123s123s123p123pEE", "", PART_DOUBLE_SEQUENCE), 4);
    CHECK_EQUAL(part_of("123s123s456s789sEE", "", PART_IDENTICAL_DOUBLE_SEQUENCE), 3);
    CHECK_EQUAL(part_of("123s123s456s789sEE", "", PART_ROYAL_RUN), 6);
    CHECK_EQUAL(part_of("123s123s123sEEEWW", "", PART_IDENTICAL_DOUBLE_SEQUENCE), 9);
    CHECK_EQUAL(part_of("123s789s789s111pWW", "", PART_BROKEN_ROYAL_RUN), 2);
    CHECK_EQUAL(part_of("11p", "RRR GGG PPP EEE", PART_THREE_DRAGONS), 8);
    CHECK_EQUAL(part_of("11p", "RRR GGG PPP EEE", PART_HONOUR_TRIPLET), 1);
    CHECK_EQUAL(part_of("JJJJJJ55s5p55m", "555p", PART_HIGH_OR_LOW), 5); /* fives alone are high and low: once */
}

static void test_shapes(void)
{
    CHECK_EQUAL(credits_of("147s147p1mESWNRGP", "", 0, 0), 8);
    CHECK_EQUAL(credits_of("147s147p14mESWNRG", "", 0, 0), 3);
    CHECK_EQUAL(credits_of("38s147p259mESWGPJ", "", 0, 0), 3);  /* two of a suit that no third fits to */
    CHECK_EQUAL(credits_of("37s37p37mESWNRGPJ", "", 0, 0), -1); /* no suit can take a third number */
    CHECK_EQUAL(credits_of("146s147p1mESWNRGP", "", 0, 0), -1); /* 4 and 6 connect */
    CHECK_EQUAL(credits_of("11223344556677s", "", 0, 0), 1 + 3 + 3 + 8);
    CHECK_EQUAL(credits_of("1133s2255p88mEERR", "", 0, 0), -1);
    CHECK_EQUAL(credits_of("1133s2255p88mEERR", "", 2, 1), 5 + 2);
}

static void test_points_table(void)
{
    static const int32_t rows[][3] = {
        {1, 1, 2},      {2, 2, 4},       {3, 3, 8},       {4, 4, 16},      {5, 7, 32},      {8, 10, 64},
        {11, 13, 128},  {14, 16, 256},   {17, 19, 512},   {20, 22, 1024},  {23, 25, 2048},  {26, 28, 4096},
        {29, 31, 8192}, {32, 34, 16384}, {35, 37, 32768}, {38, 40, 65536}, {41, 60, 131072}};
    CHECK_EQUAL(mhing_points(0), 0);
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        for (int32_t credits = rows[i][0]; credits <= rows[i][1]; credits++) {
            CHECK_EQUAL(mhing_points(credits), rows[i][2]);
        }
        CHECK_EQUAL(mhing_least_credits(rows[i][2]), rows[i][0]);
        CHECK_EQUAL(mhing_least_credits(rows[i][2] / 2 + 1), rows[i][0]);
    }
    CHECK_EQUAL(mhing_least_credits(0), 0);
    CHECK_EQUAL(mhing_least_credits(131073), 42); /* no hand is worth that */
    CHECK_EQUAL(mhing_least_credits(INT32_MAX), 42);
}

/* ---- Fast forms against plain ones ----------------------------------------------------------------------- */

static struct mhing_hand random_hand(struct mh_rng *rng, int size)
{
    uint8_t deck[DECK];
    struct mhing_hand hand = {.waits = 0};
    int cards = 0;
    const int few = mh_rng_below(rng, 2) ? TYPES : 12; /* half of the hands from few types, so that they connect */
    for (int type = 0; type < few; type++) {
        for (int i = 0; i < COPIES; i++) {
            deck[cards++] = (uint8_t)type;
        }
    }
    for (int i = 0; i < JOKERS; i++) {
        deck[cards++] = JOKER;
    }
    mh_rng_shuffle(rng, deck, cards);
    for (int i = 0; i < size; i++) {
        hand_add(&hand, deck[i]);
    }
    return hand;
}

static void test_hands_from_counts(void)
{
    struct mh_rng rng = {15};
    for (int round = 0; round < 3000; round++) {
        const struct mhing_hand hand = random_hand(&rng, 1 + (int)mh_rng_below(&rng, 14));
        const struct mhing_hand again = hand_of_counts(hand.count);
        CHECK(memcmp(&hand, &again, sizeof hand) == 0);
    }
}

static void test_counts_from_outside(void)
{
    uint8_t count[JOKER + 1];
    for (int type = 0; type <= JOKER; type++) {
        const int most = type == JOKER ? JOKERS : COPIES;
        memset(count, 0, sizeof count);
        for (int copies = 0; copies < 256; copies++) {
            count[type] = (uint8_t)copies;
            CHECK_EQUAL(hand_count_cards(count), copies <= most ? copies : -1);
        }
        memset(count, COPIES, sizeof count);
        CHECK_EQUAL(hand_count_cards(count), (JOKER + 1) * COPIES);
        count[type] = (uint8_t)(most + 1);
        CHECK_EQUAL(hand_count_cards(count), -1);
    }
}

static void test_hands_in_bulk(void)
{
    enum { HANDS = 200 };
    static struct mhing_cards cards[HANDS];
    int8_t distances[HANDS];
    int32_t credits[HANDS];
    int32_t points[HANDS];
    struct mh_rng rng = {16};
    for (int i = 0; i < HANDS; i++) {
        const struct mhing_hand hand = random_hand(&rng, 14);
        memcpy(cards[i].count, hand.count, sizeof cards[i].count);
    }
    cards[7] = cards_of("567s567s678s789s99s", "", 0);
    CHECK_EQUAL(mhing_distances(cards, HANDS, 0, distances), HANDS);
    CHECK_EQUAL(mhing_score_hands(cards, HANDS, 0, credits, points), HANDS);
    CHECK(credits[7] == 17 && points[7] == 512 && distances[7] == 0);
    for (int i = 0; i < HANDS; i++) {
        CHECK_EQUAL(distances[i], mhing_distance(&cards[i], 0));
        CHECK_EQUAL(credits[i] >= 0, distances[i] == 0);
    }
    cards[9].count[0] = 9;
    CHECK_EQUAL(mhing_distances(cards, HANDS, 0, distances), 9);
    CHECK_EQUAL(mhing_score_hands(cards, HANDS, 0, credits, points), 9);
}

static void test_helping_cards_by_definition(void)
{
    struct mh_rng rng = {11};
    for (int round = 0; round < 3000; round++) {
        const int melds = (int)mh_rng_below(&rng, MELDS + 1);
        const int seven_pairs = (int)mh_rng_below(&rng, 2);
        struct mhing_hand hand = random_hand(&rng, 3 * melds + 1);
        const int now = mhing_hand_distance(&hand, melds, seven_pairs);
        const int goal = now - 1;
        const uint64_t helps = mhing_hand_helps(&hand, melds, seven_pairs, goal, NULL);
        const uint64_t waits = mhing_hand_waits(&hand, melds, seven_pairs, NULL);
        CHECK(now >= 1);
        for (int type = 0; type <= JOKER; type++) {
            if (hand.count[type] == (type == JOKER ? JOKERS : COPIES)) {
                continue;
            }
            hand_add(&hand, type);
            const int after = mhing_hand_distance(&hand, melds, seven_pairs);
            hand_take(&hand, type);
            CHECK_EQUAL(helps >> type & 1, after <= goal);
            CHECK_EQUAL(waits >> type & 1, after == 0);
        }
    }
}

static void test_discards_by_definition(void)
{
    struct mh_rng rng = {14};
    for (int round = 0; round < 3000; round++) {
        const int melds = (int)mh_rng_below(&rng, MELDS + 1);
        const int seven_pairs = (int)mh_rng_below(&rng, 2);
        struct mhing_hand hand = random_hand(&rng, 3 * melds + 2);
        uint8_t after[JOKER + 1];
        const int smallest = mhing_hand_after_discards(&hand, melds, seven_pairs, after);
        int seen = MHING_NO_DISTANCE;
        for (int type = 0; type <= JOKER; type++) {
            int expected = MHING_NO_DISTANCE;
            if (hand.count[type]) {
                hand_take(&hand, type);
                expected = mhing_hand_distance(&hand, melds, seven_pairs);
                hand_add(&hand, type);
            }
            CHECK_EQUAL(after[type], expected);
            seen = expected < seen ? expected : seen;
        }
        CHECK_EQUAL(smallest, seen);
    }
}

static void test_what_helps_after_discards(void)
{
    struct mh_rng rng = {17};
    struct known_groups known;
    known_groups_clear(&known);
    for (int round = 0; round < 3000; round++) {
        const int melds = (int)mh_rng_below(&rng, MELDS + 1);
        const int seven_pairs = (int)mh_rng_below(&rng, 2);
        struct mhing_hand hand = random_hand(&rng, 3 * melds + 2);
        uint8_t expected[JOKER + 1];
        uint8_t after[JOKER + 1];
        uint64_t helps[JOKER + 1];
        const uint64_t held = hand_held_types(&hand);
        const int nearest = mhing_hand_after_discards(&hand, melds, seven_pairs, expected);
        const uint64_t discards = round % 2 ? held : mhing_discards_to(&hand, expected, nearest);
        mhing_discards_help(&hand, melds, seven_pairs, discards, after, helps);
        for (int type = 0; type <= JOKER; type++) {
            CHECK_EQUAL(discards >> type & 1, hand.count[type] && (round % 2 || expected[type] == nearest));
            if (discards >> type & 1) {
                CHECK_EQUAL(after[type], expected[type]);
                hand_take(&hand, type);
                CHECK(helps[type] == mhing_hand_helps(&hand, melds, seven_pairs, after[type] - 1, NULL));
                CHECK(helps[type] == mhing_hand_helps(&hand, melds, seven_pairs, after[type] - 1, &known));
                hand_add(&hand, type);
            }
        }
    }
}

/* A claim or a meld from the hand is possible when its cards are there: tried for every pattern. */
static int can_lay(const struct mhing_hand *hand, int kind, int jokers, int claimed)
{
    int left[JOKER + 1];
    int rest = claimed;
    for (int type = 0; type <= JOKER; type++) {
        left[type] = hand->count[type];
    }
    for (int place = 0; place < MELD_CARDS; place++) {
        const int type = mhing_joker_at(kind, jokers, place) ? JOKER : kind_card(kind, place);
        if (type == rest) {
            rest = -1;
        } else if (--left[type] < 0) {
            return 0;
        }
    }
    return rest == -1;
}

/* The nearest that a hand comes by any discard follows from how far it is. */
static void test_melds_from_the_hand(void)
{
    struct mh_rng rng = {18};
    int tried = 0;
    for (int round = 0; round < 3000; round++) {
        const int melds = 1 + (int)mh_rng_below(&rng, MELDS);
        const struct mhing_player player = {.hand = random_hand(&rng, 3 * melds + 2), .melds = melds};
        for (int action = ACTION_sequence; action < ACTION_pass; action++) {
            const struct mhing_pattern pattern = mhing_pattern_of(action);
            if (can_lay(&player.hand, pattern.kind, pattern.jokers, -1)) {
                uint8_t after[JOKER + 1];
                struct mhing_player next;
                mhing_after_meld(&player, action, -1, &next);
                CHECK_EQUAL(mhing_distance_with(&player, action, -1),
                            mhing_hand_after_discards(&next.hand, next.melds, 0, after));
                tried++;
            }
        }
    }
    CHECK(tried > 1000);
}

static void test_unseen_cards_are_counted(void)
{
    struct mh_rng rng = {19};
    for (int round = 0; round < 1000; round++) {
        struct mhing_player player = {.melds = 0};
        const uint64_t types = mh_rng_next(&rng) >> (63 - JOKER);
        int expected = 0;
        for (int type = 0; type <= JOKER; type++) {
            player.unseen[type] = (uint8_t)mh_rng_below(&rng, type == JOKER ? JOKERS + 1 : COPIES + 1);
            expected += types >> type & 1 ? player.unseen[type] : 0;
        }
        const struct unseen_cards unseen = mhing_unseen_cards(&player);
        CHECK_EQUAL(mhing_count_unseen(&unseen, types), expected);
    }
}

static void test_distance_zero_is_a_score(void)
{
    struct mh_rng rng = {12};
    int complete = 0;
    for (int round = 0; round < 20000; round++) {
        const int melds = 1 + (int)mh_rng_below(&rng, MELDS);
        const struct mhing_hand hand = random_hand(&rng, 3 * melds + 2);
        struct mhing_cards cards = {.melds = (uint8_t)(MELDS - melds)};
        struct mhing_score score;
        memcpy(cards.count, hand.count, sizeof cards.count);
        const int scored = mhing_score_hand(&cards, 0, &score);
        CHECK_EQUAL(scored, mhing_hand_distance(&hand, melds, 0) == 0);
        complete += scored;
    }
    CHECK(complete > 300);
}

static void test_claims_by_trying_all_patterns(void)
{
    struct mh_rng rng = {13};
    struct mh_game *game;
    char message[MH_MESSAGE_SIZE];
    struct mhing_state *state = check_memory(sizeof *state);
    CHECK_EQUAL(mh_game_new("mhing", "rules=jmhing", message, &game), MH_OK);
    CHECK_EQUAL(mh_state_reset(game, state, 5, message), MH_OK);
    for (int round = 0; round < 4000; round++) {
        uint64_t legal[LEGAL_WORDS];
        const int melds = 1 + (int)mh_rng_below(&rng, MELDS);
        struct mhing_hand *hand = &state->hands[1];
        const int offer = (int)mh_rng_below(&rng, JOKER + 1);
        *hand = random_hand(&rng, 3 * melds + 1);
        hand->waits = mh_rng_next(&rng);
        if (hand->count[offer] == (offer == JOKER ? JOKERS : COPIES)) {
            continue;
        }
        mhing_seat_of(state, 1)->hand_size[0] = (uint8_t)(3 * melds + 1);
        state->offer = (uint8_t)(offer + 1);
        const int any = mhing_claim_actions(state, 1, legal);
        if (!any) { /* the set is left as it was */
            memset(legal, 0, sizeof legal);
        }
        int expected_any = (int)(hand->waits >> offer & 1);
        CHECK_EQUAL(mh_set_has(legal, ACTION_mhing), expected_any);
        for (int action = ACTION_sequence; action < ACTION_pass; action++) {
            const struct mhing_pattern pattern = mhing_pattern_of(action);
            const int expected = can_lay(hand, pattern.kind, pattern.jokers, offer);
            CHECK_EQUAL(mh_set_has(legal, action), expected);
            expected_any |= expected;
        }
        CHECK_EQUAL(any, expected_any);
        CHECK_EQUAL(mh_set_has(legal, ACTION_pass), expected_any);
    }
    for (int round = 0; round < 4000; round++) {
        struct mhing_hand *hand = &state->hands[0];
        *hand = random_hand(&rng, 14);
        state->on_turn = 0;
        state->complete = (uint8_t)mh_rng_below(&rng, 2);
        mhing_turn_actions(state);
        CHECK_EQUAL(mh_set_has(state->legal, ACTION_mhing), state->complete);
        CHECK(!mh_set_has(state->legal, ACTION_pass));
        for (int action = 0; action < ACTION_pass; action++) {
            const struct mhing_pattern pattern = mhing_pattern_of(action);
            CHECK_EQUAL(mh_set_has(state->legal, action), action < ACTION_sequence
                                                              ? hand->count[action] > 0
                                                              : can_lay(hand, pattern.kind, pattern.jokers, -1));
        }
    }
    free(state);
    mh_game_free(&game);
}

static void test_bad_hands_are_refused(void)
{
    static const struct {
        const char *hand, *melds, *message;
    } rows[] = {
        {"123", "", "hand: a suit letter s, p or m is missing after the last digit"},
        {"123x", "", "hand: a suit letter s, p or m must follow the digits, not 'x'"},
        {"Q", "", "hand: 'Q' is no card; write 123s 123p 123m ESWN RGP J"},
        {"123s", "", "hand: 3 cards with 0 melds laid; it must be 14, or 13 before the draw"},
        {"11111s234p567pEE", "", "hand: 5 times 1s, the deck has 4"},
        {"JJJJJJJ123s456s", "", "hand: it needs 7 Mhing cards (J), the deck has 6"},
        {"55s", "555s 555s 555s 555s", "hand: it needs 10 Mhing cards (J), the deck has 6"},
        {"55s", "135s", "melds: '135s' is neither a sequence such as 456s nor a triplet such as EEE"},
        {"55s", "EEEEEEEEEEEEEEEEEEEEEEEE",
         "melds: 'EEEEEEEEEEEEEEEEEEEE' is neither a sequence such as 456s nor a triplet such as EEE"},
        {"55s", "123s 123s 123s 123s 123s", "melds: a hand has at most 4"},
        {"123*s", "", "hand: a suit letter s, p or m must follow the digits, not '*'"},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        char message[MH_MESSAGE_SIZE] = "";
        struct mhing_cards cards;
        const int status = mhing_parse_hand(rows[i].hand, rows[i].melds, 0, &cards, message);
        if (status != MH_ERROR_ARGUMENT || strcmp(message, rows[i].message) != 0) {
            fprintf(stderr, "%s %s: '%s'\n", rows[i].hand, rows[i].melds, message);
            exit(1);
        }
    }
    struct mhing_cards cards = cards_of("567s567s678s789s99s", "", 0);
    struct mhing_score score;
    cards.count[0]++;
    CHECK_EQUAL(mhing_score_hand(&cards, 0, &score), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mhing_distance(&cards, 0), MH_ERROR_ARGUMENT);
    cards.melds = 200;
    CHECK_EQUAL(mhing_score_hand(&cards, 0, &score), MH_ERROR_ARGUMENT);
}

static void test_action_texts(void)
{
    static const struct {
        int action;
        const char *text;
    } rows[] = {{4, "discard 5s"},
                {JOKER, "discard J"},
                {33, "discard P"},
                {ACTION_sequence + 3 * 8 + 2, "sequence 45*6s"},
                {ACTION_triplet + 33 * 4 + 1, "triplet PPP*"},
                {ACTION_triplet + 13 * 4 + 3, "triplet 5*5*5*p"},
                {ACTION_pass, "pass"},
                {ACTION_mhing, "mhing"}};
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        char text[MH_TEXT_SIZE];
        mhing_action_text(rows[i].action, text);
        CHECK(strcmp(text, rows[i].text) == 0);
    }
}

int main(void)
{
    test_worked_examples();
    test_shapes();
    test_points_table();
    test_hands_from_counts();
    test_counts_from_outside();
    test_hands_in_bulk();
    test_helping_cards_by_definition();
    test_discards_by_definition();
    test_what_helps_after_discards();
    test_melds_from_the_hand();
    test_unseen_cards_are_counted();
    test_distance_zero_is_a_score();
    test_claims_by_trying_all_patterns();
    test_bad_hands_are_refused();
    test_action_texts();
    return 0;
}
