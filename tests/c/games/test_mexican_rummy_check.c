/* Mexican Rummy: for each refusal of the check a state that is as play leaves it but for what is refused. */
#include "check.h"
#include "mexican_rummy.h"

enum { PLAYERS = 3, FEW_TURNS = 5, TURNS = 200 };

/* ---- States of play --------------------------------------------------------------------------------------- */

static struct rummy_state begin(uint64_t seed, int objective, int episode, int turns)
{
    struct rummy_state state;
    memset(&state, 0, sizeof state);
    state.head.rng = mh_rng_stream(seed, 'T');
    state.head.seats = PLAYERS;
    state.options[OPTION_num_players] = PLAYERS;
    state.options[OPTION_objective] = objective;
    state.options[OPTION_rounds] = OBJECTIVES;
    state.options[OPTION_turn_limit] = turns;
    state.options[OPTION_turned_up] = 1;
    state.options[OPTION_dealer] = -1;
    state.options[OPTION_episode] = episode;
    mh_events_begin(&state.events);
    rummy_reset(&state, NULL);
    return state;
}

typedef int reached(const struct rummy_state *state);

/* Greedy play up to such a state, of as many deals as it takes. */
static struct rummy_state find(int objective, int episode, int turns, reached *is_wanted)
{
    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct mh_rng none = {0};
        struct rummy_state state = begin(seed, objective, episode, turns);
        while (state.phase != PHASE_OVER && !is_wanted(&state)) {
            mh_head_begin(&state.head);
            rummy_apply(&state, rummy_greedy(&state, &none));
            mexican_rummy_rules.next_round(&state);
        }
        if (is_wanted(&state)) {
            return state;
        }
    }
    CHECK(0);
    return begin(0, objective, episode, turns);
}

static int is_start(const struct rummy_state *state)
{
    return state->phase == PHASE_START;
}

static int is_later_start(const struct rummy_state *state)
{
    return state->phase == PHASE_START && state->turn > 3;
}

static int is_later_ask(const struct rummy_state *state)
{
    return state->phase == PHASE_ASK && state->turn > 1;
}

static int is_play(const struct rummy_state *state)
{
    return state->phase == PHASE_PLAY && state->drawn && !rummy_is_down(state, state->on_turn);
}

static int is_place(const struct rummy_state *state)
{
    return state->phase == PHASE_PLACE;
}

static int is_start_of_one_down(const struct rummy_state *state)
{
    return state->phase == PHASE_START && rummy_is_down(state, state->on_turn);
}

static int is_start_without_a_draw_pile(const struct rummy_state *state)
{
    return state->phase == PHASE_START && state->next == CARDS && state->num_discards > 1;
}

static int is_over(const struct rummy_state *state)
{
    return state->phase == PHASE_OVER;
}

static int is_second_round(const struct rummy_state *state)
{
    return state->head.rounds == 1;
}

/* ---- Damage ----------------------------------------------------------------------------------------------- */

static void undo_rounds(struct rummy_state *state)
{
    state->last.round++;
}

static void go_on_with_the_game(struct rummy_state *state)
{
    state->options[OPTION_episode] = 1;
}

static void end_without_an_ending(struct rummy_state *state)
{
    state->last.ending = ENDING_NONE;
}

static void score(struct rummy_state *state, int seat, int points)
{
    state->scores[seat] += points;
    state->head.returns[seat] -= points;
}

static void score_more_than_there_is(struct rummy_state *state)
{
    score(state, 0, 2000);
}

static void lose_more_than_there_is(struct rummy_state *state)
{
    const int seat = (state->last.winner + 1) % PLAYERS;
    state->last.points[seat] += 1000;
    memset(state->head.rewards, 0, sizeof state->head.rewards);
    score(state, seat, 1000);
}

static void score_between(struct rummy_state *state)
{
    score(state, 0, 3);
}

static void win_with_points(struct rummy_state *state)
{
    state->last.points[state->last.winner] = 5;
    memset(state->head.rewards, 0, sizeof state->head.rewards);
    score(state, state->last.winner, 5);
}

static void count_another_card(struct rummy_state *state)
{
    const int seat = (state->on_turn + 1) % PLAYERS;
    state->last.points[seat] += 5;
    state->head.rewards[seat] -= 5;
    score(state, seat, 5);
}

static void end_for_want_of_cards(struct rummy_state *state)
{
    state->last.ending = ENDING_NO_CARD;
}

static void earn_before(struct rummy_state *state)
{
    state->head.returns[0] = 123;
}

static void earn_now(struct rummy_state *state)
{
    state->head.rewards[0] = 9;
}

static void earn_otherwise(struct rummy_state *state)
{
    state->head.rewards[1] += 5;
}

static void decide_nothing(struct rummy_state *state)
{
    state->head.decisions = 0;
}

static void decide_much(struct rummy_state *state)
{
    state->head.decisions = 2000000000;
}

static void let_nobody_start(struct rummy_state *state)
{
    state->starter = (uint8_t)(state->starter + PLAYERS);
}

static void let_another_act(struct rummy_state *state)
{
    state->head.seat = (int8_t)((state->on_turn + 1) % PLAYERS);
}

static void let_one_wait(struct rummy_state *state)
{
    state->asker = (uint8_t)((state->on_turn + 1) % PLAYERS + 1);
}

static void deal_without_a_card(struct rummy_state *state)
{
    state->events.detail[state->events.used - 1] = 0;
}

static void shuffle_a_card(struct rummy_state *state)
{
    state->shuffle_of[5] = (uint16_t)(state->shuffles + 1);
}

static void discard_by_another(struct rummy_state *state)
{
    state->discarded_by[state->num_discards - 1] = (uint8_t)(state->on_turn + 1);
}

static void ask_who_discarded(struct rummy_state *state)
{
    state->head.seat = (int8_t)((state->on_turn + PLAYERS - 1) % PLAYERS);
}

static void refuse_oneself(struct rummy_state *state)
{
    state->refused = (uint8_t)(1 << state->on_turn);
    state->head.decisions += PLAYERS;
}

static void name_another_rank(struct rummy_state *state)
{
    uint8_t *kind = &state->melds[state->on_turn].kind[0];
    *kind = (uint8_t)(*kind == KIND_SET ? *kind + 1 : *kind - 1);
}

static void lay_another_suit(struct rummy_state *state)
{
    uint8_t *card = &state->melds[state->on_turn].cards[0][0];
    *card = (uint8_t)(*card <= RANKS ? *card + RANKS : *card - RANKS);
}

static void double_a_card(struct rummy_state *state)
{
    state->deck[CARDS - 1] = state->deck[CARDS - 2];
}

static void discard_by_a_stranger(struct rummy_state *state)
{
    state->discarded_by[0] = PLAYERS + 1;
}

static void know_the_draw_pile(struct rummy_state *state)
{
    cards_add(&state->shown, state->deck[CARDS - 1]);
}

static void hand_over_a_card(struct rummy_state *state)
{
    const int card = cards_lowest(state->hands[0]);
    cards_remove(&state->hands[0], card);
    cards_add(&state->hands[1], card);
}

static int take_top(struct rummy_state *state)
{
    const int card = state->deck[state->next];
    state->deck[state->next++] = 0;
    return card;
}

static void draw_in_secret(struct rummy_state *state)
{
    cards_add(&state->hands[state->on_turn], take_top(state));
}

static void draw_what_lies_in_the_pile(struct rummy_state *state)
{
    state->drawn = (uint8_t)(state->deck[CARDS - 1] + 1);
}

static void play_too_long(struct rummy_state *state)
{
    state->turn = (uint16_t)(state->turn + TURNS - TURNS % PLAYERS);
    state->head.decisions = 4 * TURNS;
}

static void play_a_round_less(struct rummy_state *state)
{
    state->turn = (uint16_t)(state->turn - PLAYERS);
}

static void want_a_black_two(struct rummy_state *state)
{
    state->plan.wanted = TWO_OF_SPADES + 1;
}

/* All cards of that type go to the discards' place of others. */
static void lay_what_is_not_held(struct rummy_state *state)
{
    struct cards *hand = &state->hands[state->on_turn];
    for (int card = state->chosen - 1; card < CARDS; card += TYPES) {
        if (cards_have(hand, card)) {
            CHECK(cards_have(&state->shuffled, card));
            cards_remove(hand, card);
            cards_remove(&state->shown, card);
            cards_add(hand, state->deck[CARDS - 1]);
            state->deck[CARDS - 1] = (uint8_t)card;
        }
    }
    state->drawn = 0;
}

static void swap_for_nothing(struct rummy_state *state)
{
    state->phase = PHASE_SWAP;
    state->chosen = (uint8_t)(card_type(cards_lowest(state->hands[state->on_turn])) + 1);
}

/* ---- All refusals ----------------------------------------------------------------------------------------- */

struct refusal {
    const char *message;
    int objective, episode, turns;
    reached *is_wanted;
    void (*spoil)(struct rummy_state *state);
};

static const struct refusal refusals[] = {
    {"rounds out of range", 1, 0, TURNS, is_start, undo_rounds},
    {"the rounds do not fit the episode", 1, 0, TURNS, is_over, go_on_with_the_game},
    {"the result out of range", 1, 1, TURNS, is_second_round, end_without_an_ending},
    {"points out of range", 1, 0, TURNS, is_start, score_more_than_there_is},
    {"points out of range", 1, 1, TURNS, is_second_round, lose_more_than_there_is},
    {"points out of range", 1, 1, TURNS, is_second_round, win_with_points},
    {"points out of range", 1, 1, TURNS, is_second_round, score_between},
    {"points that the hands do not have", 1, 0, TURNS, is_over, count_another_card},
    {"the round has not ended so", 1, 0, FEW_TURNS, is_over, end_for_want_of_cards},
    {"returns that the rounds have not brought", 1, 0, TURNS, is_start, earn_before},
    {"rewards that the last action has not brought", 1, 0, TURNS, is_start, earn_now},
    {"rewards that the last action has not brought", 1, 0, TURNS, is_over, earn_otherwise},
    {"rewards that the last action has not brought", 1, 1, TURNS, is_second_round, earn_otherwise},
    {"too few or too many decisions", 1, 0, TURNS, is_start, decide_nothing},
    {"too few or too many decisions", 1, 1, TURNS, is_second_round, decide_nothing},
    {"too few or too many decisions", 1, 0, TURNS, is_start, decide_much},
    {"phase or seats out of range", 1, 0, TURNS, is_start, let_nobody_start},
    {"the seat to act out of range", 1, 0, TURNS, is_start, let_another_act},
    {"cards out of range", 1, 0, TURNS, is_start, let_one_wait},
    {"a deal that turns up another number of cards", 1, 1, TURNS, is_second_round, deal_without_a_card},
    {"shuffles out of range", 1, 0, TURNS, is_start, shuffle_a_card},
    {"the discard that may be had is not the last one", 1, 0, TURNS, is_start, discard_by_another},
    {"a seat asks that may not", 1, 0, TURNS, is_later_ask, ask_who_discarded},
    {"a seat was refused that has not asked", 1, 0, TURNS, is_later_start, refuse_oneself},
    {"a meld that cannot be", 1, 0, TURNS, is_start_of_one_down, name_another_rank},
    {"the cards of melds do not add up", 1, 0, TURNS, is_start_of_one_down, lay_another_suit},
    {"cards are missing or double", 1, 0, TURNS, is_start, double_a_card},
    {"cards are missing or double", 1, 0, TURNS, is_start_without_a_draw_pile, discard_by_a_stranger},
    {"cards are known that nobody holds", 1, 0, TURNS, is_start, know_the_draw_pile},
    {"a hand of the wrong size", 1, 0, TURNS, is_start, hand_over_a_card},
    {"too few or too many cards in play", 1, 0, TURNS, is_start_of_one_down, draw_in_secret},
    {"the card drawn is not in the hand", 1, 0, TURNS, is_play, draw_what_lies_in_the_pile},
    {"turns out of range", 1, 0, TURNS, is_later_start, play_too_long},
    {"more discards than turns", 1, 0, TURNS, is_later_start, play_a_round_less},
    {"a plan that cannot be", 1, 0, TURNS, is_play, want_a_black_two},
    {"a card chosen that is not held", 2, 0, TURNS, is_place, lay_what_is_not_held},
    {"a seat is asked that has no choice", 2, 0, TURNS, is_play, swap_for_nothing},
};

/* Each refusal has its message when a spoiled state is settled: all that follows from the rest is derived again. */
static void test_each_refusal_has_its_state(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        char message[MH_MESSAGE_SIZE] = "";
        struct rummy_state state = find(refusal->objective, refusal->episode, refusal->turns, refusal->is_wanted);
        CHECK_EQUAL(rummy_check(&state, message), MH_OK);
        refusal->spoil(&state);
        CHECK_EQUAL(rummy_settle(&state, message), MH_ERROR_SNAPSHOT);
        if (strcmp(message, refusal->message) != 0) {
            fprintf(stderr, "not \"%s\" but \"%s\"\n", refusal->message, message);
        }
        CHECK(strcmp(message, refusal->message) == 0);
    }
}

int main(void)
{
    test_each_refusal_has_its_state();
    return 0;
}
