/* General Mhing: the most that one deck scores, and what can be laid and swapped, against trying everything. */
#include "check.h"
#include "general_mhing.h"
#include "outlook.h"

static struct sequence form(int index)
{
    return general_action_sequence(ACTION_sequence + index);
}

static int score_of(const char *const texts[], int count)
{
    uint8_t kinds[SEQUENCES] = {0};
    int32_t parts[PARTS];
    for (int i = 0; i < count; i++) {
        for (int index = 0; index < COUNT_sequence; index++) {
            char text[MH_TEXT_SIZE];
            general_sequence_text(form(index), text);
            if (strcmp(text, texts[i]) == 0) {
                kinds[i] = (uint8_t)(form(index).kind + 1);
            }
        }
        CHECK(kinds[i]);
    }
    return general_score(kinds, count, parts);
}

static void test_worked_examples(void)
{
    static const char *const five[] = {"789h", "TJQh", "789s"};
    static const char *const eight[] = {"789h", "TJQh", "789s", "789c"};
    static const char *const nine[] = {"234h", "567h", "89Th", "JQKh"};
    static const char *const with_aces[] = {"7*89h", "TJQ*s"};
    static const char *const low[] = {"A23h"};
    static const char *const neither[] = {"678h"};
    CHECK_EQUAL(score_of(five, 3), 5);
    CHECK_EQUAL(score_of(eight, 4), 8);
    CHECK_EQUAL(score_of(nine, 4), 9);
    CHECK_EQUAL(score_of(with_aces, 2), 2);
    CHECK_EQUAL(score_of(low, 1), 1);
    CHECK_EQUAL(score_of(neither, 1), 0);
    CHECK_EQUAL(score_of(neither, 0), 0);
}

/* All sets of at most four forms that use no card twice. Returns the highest score; counts the sets of four. */
static int best_of_sets(int first, uint64_t used, uint8_t kinds[SEQUENCES], int count, long *sets)
{
    int32_t parts[PARTS];
    int best = general_score(kinds, count, parts);
    *sets += count == SEQUENCES;
    for (int index = first; count < SEQUENCES && index < COUNT_sequence; index++) {
        const uint64_t cards = sequence_cards(form(index));
        if (!(cards & used)) {
            kinds[count] = (uint8_t)(form(index).kind + 1);
            const int score = best_of_sets(index + 1, used | cards, kinds, count + 1, sets);
            best = score > best ? score : best;
        }
    }
    return best;
}

static void test_nine_is_the_most(void)
{
    uint8_t kinds[SEQUENCES] = {0};
    long sets = 0;
    CHECK_EQUAL(best_of_sets(0, 0, kinds, 0, &sets), 9);
    CHECK(sets > 1000000);
}

/* Tests the score of one more sequence, next to all sets of up to three kinds, some of which no deck has. */
static void test_one_more(uint8_t kinds[SEQUENCES], int count)
{
    int32_t parts[PARTS];
    uint8_t scores[KINDS];
    CHECK_EQUAL(general_scores_with(kinds, count, scores), general_score(kinds, count, parts));
    for (int kind = 0; count < SEQUENCES && kind < KINDS; kind++) {
        kinds[count] = (uint8_t)(kind + 1);
        CHECK_EQUAL(scores[kind], general_score(kinds, count + 1, parts));
        if (count == 0 || kinds[count] >= kinds[count - 1]) {
            test_one_more(kinds, count + 1);
        }
    }
}

static void test_forms(void)
{
    for (int index = 0; index < COUNT_sequence; index++) {
        CHECK(sequence_is_valid(form(index)));
        CHECK_EQUAL(mh_bits_count(sequence_cards(form(index))), SEQUENCE_CARDS);
        for (int other = 0; other < index; other++) {
            CHECK(form(index).kind != form(other).kind || form(index).ace != form(other).ace);
        }
    }
}

static uint64_t some_cards(struct mh_rng *rng, int count)
{
    uint8_t deck[CARDS];
    uint64_t cards = 0;
    for (int card = 0; card < CARDS; card++) {
        deck[card] = (uint8_t)card;
    }
    mh_rng_shuffle(rng, deck, CARDS);
    for (int i = 0; i < count; i++) {
        cards |= card_bit(deck[i]);
    }
    return cards;
}

static void test_sequences_of_a_hand(void)
{
    struct mh_rng rng = {5};
    for (int round = 0; round < 20000; round++) {
        struct general_state state = {.phase = PHASE_PLAY};
        state.hands[0] = some_cards(&rng, 8 + round % 20);
        general_settle_actions(&state);
        for (int index = 0; index < COUNT_sequence; index++) {
            const int held = (sequence_cards(form(index)) & ~state.hands[0]) == 0;
            CHECK_EQUAL(mh_set_has(state.legal, ACTION_sequence + index), held);
        }
        for (int card = 0; card < CARDS; card++) {
            CHECK_EQUAL(mh_set_has(state.legal, ACTION_discard + card), (int)(state.hands[0] >> card & 1));
        }
    }
}

static void test_sequences_with_the_card_taken(void)
{
    struct mh_rng rng = {6};
    for (int round = 0; round < 20000; round++) {
        struct general_state state = {.phase = PHASE_TAKEN};
        state.hands[0] = some_cards(&rng, 8 + round % 20);
        state.taken = (uint8_t)(mh_bits_lowest(state.hands[0]) + 1);
        general_settle_actions(&state);
        for (int index = 0; index < COUNT_sequence; index++) {
            const uint64_t cards = sequence_cards(form(index));
            const int legal = (cards & ~state.hands[0]) == 0 && (cards & card_bit(state.taken - 1));
            CHECK_EQUAL(mh_set_has(state.legal, ACTION_sequence + index), legal);
        }
    }
}

/* Of every sequence with an ace: a card can be given exactly when some sequence is made of it and the two that stay. */
static void test_swaps(void)
{
    for (int index = 0; index < COUNT_sequence; index++) {
        struct general_state state = {.phase = PHASE_END};
        const struct sequence before = form(index);
        state.blocks[0].sequence_kind[0] = (uint8_t)(before.kind + 1);
        state.blocks[0].sequence_ace[0] = (uint8_t)before.ace;
        general_update_sequences(&state, 0);
        const uint64_t stay = sequence_cards(before) & ~ALL_ACES;
        for (int card = 0; card < CARDS; card++) {
            int possible = 0;
            for (int other = 0; before.ace && other < COUNT_sequence; other++) {
                possible |= sequence_cards(form(other)) == (stay | card_bit(card)) && !(stay >> card & 1);
            }
            possible = possible && card_rank(card) != 0;
            CHECK_EQUAL((int)(state.wanted[0] >> card & 1), possible);
        }
    }
}

/* True if so many cards, an ace for one of them, are at hand: counted rank by rank. */
static int lacking_slowly(unsigned ranks, int low, int *ace_is_used)
{
    int lacking = 0;
    for (int rank = low; rank < low + SEQUENCE_CARDS; rank++) {
        lacking += !(ranks >> rank & 1);
    }
    *ace_is_used = lacking > 0 && low > 0 && ranks & 1;
    return lacking - *ace_is_used;
}

/* Compares the cards that a sequence lacks, whether it can come, and which cards complete it, with trying each card. */
static void test_what_sequences_lack(void)
{
    struct mh_rng rng = {7};
    for (int round = 0; round < 20000; round++) {
        const unsigned held = mh_rng_below(&rng, 1 << RANKS) & mh_rng_below(&rng, 1 << RANKS);
        const unsigned live = mh_rng_below(&rng, 1 << RANKS) & ~held;
        const struct lacks lacks = lacks_of(held, live);
        uint8_t tallies[LOWS];
        uint8_t best[RANKS];
        for (int low = 0; low < LOWS; low++) {
            int ace_is_used;
            const int can_come = lacking_slowly(held | live, low, &ace_is_used) == 0;
            const int lacking = lacking_slowly(held, low, &ace_is_used);
            for (int count = 0; count <= SEQUENCE_CARDS; count++) {
                CHECK_EQUAL(lacks.by_count[count] >> low & 1, can_come && count == lacking);
            }
            tallies[low] = (uint8_t)mh_rng_below(&rng, TALLIES);
        }
        const unsigned completing = completing_ranks(held, live, lacks.by_count[1], tallies, best);
        for (int rank = 0; rank < RANKS; rank++) {
            int most = -1;
            for (int low = 0; low < LOWS && live >> rank & 1; low++) {
                int ace_is_used;
                if (lacking_slowly(held, low, &ace_is_used) == 1 &&
                    lacking_slowly(held | 1u << rank, low, &ace_is_used) == 0 && tallies[low] > most) {
                    most = tallies[low];
                }
            }
            CHECK_EQUAL(completing >> rank & 1, most >= 0);
            CHECK(most < 0 || best[rank] == most);
        }
    }
}

int main(void)
{
    test_worked_examples();
    test_forms();
    test_nine_is_the_most();
    test_one_more((uint8_t[SEQUENCES]){0}, 0);
    test_sequences_of_a_hand();
    test_sequences_with_the_card_taken();
    test_swaps();
    test_what_sequences_lack();
    return 0;
}
