/* Hints: what the observer's own cards lack and count, now and after each of its actions (option hints). */
#include "mexican_rummy.h"

enum { ALL_LACK = 12 /* more than any objective has cards */ };

static uint8_t lacking(const struct rummy_state *state, struct cards hand)
{
    const struct rummy_objective objective = rummy_objectives[rummy_objective(state)];
    return (uint8_t)rummy_lacking(holding_of(hand, objective.runs > 0), objective.sets, objective.runs, ALL_LACK);
}

static uint8_t fives(int points)
{
    return (uint8_t)(points / 5 < 255 ? points / 5 : 255);
}

/* The hand after an action and before any draw. */
static struct cards hand_after(const struct rummy_state *state, int seat, struct cards hand, int action)
{
    if (action == ACTION_take || action == ACTION_may_i) {
        cards_add(&hand, rummy_offer(state));
    } else if (action >= ACTION_discard) {
        cards_remove(&hand, rummy_card_of(state, hand, action - ACTION_discard));
    } else if (action >= ACTION_swap) { /* the black 2 is laid at once */
        cards_remove(&hand, rummy_card_of(state, hand, action - ACTION_swap));
    } else if (action >= ACTION_lay && action < ACTION_onto) {
        cards_remove(&hand, rummy_card_of(state, hand, action - ACTION_lay));
    } else if (action >= ACTION_onto && seat == state->on_turn) {
        cards_remove(&hand, rummy_card_of(state, hand, state->chosen - 1));
    }
    return hand;
}

void rummy_write_hints(const struct rummy_state *state, int seat, struct rummy_hints *hints)
{
    enum { ILLEGAL = 255 };
    const int planning = seat == state->on_turn && rummy_is_planning(state);
    const int down = planning || rummy_is_down(state, seat);
    const struct cards hand = planning ? state->plan.rest : state->hands[seat];
    const int wild = rummy_is_wild_round(state);
    const int points = rummy_points(hand, wild);
    memset(hints->lacking_after, ILLEGAL, sizeof hints->lacking_after);
    hints->lacking[0] = down ? 0 : lacking(state, hand);
    hints->points[0] = fives(points);
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, 0); state->head.seat == seat && action >= 0;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        const struct cards after = hand_after(state, seat, hand, action);
        const int lays = action >= ACTION_set && action < ACTION_discard;
        hints->lacking_after[action] = down || lays ? 0 : lacking(state, after);
        hints->points_after[action] = fives(points - rummy_points(cards_without(hand, after), wild) +
                                            rummy_points(cards_without(after, hand), wild));
    }
}
