/* Hints: what the observer's own cards lack and count, now and after each of its actions (option hints). */
#include "mexican_rummy.h"

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
    const struct rummy_objective objective = rummy_objectives[rummy_objective(state)];
    const int wild = rummy_is_wild_round(state);
    const int points = rummy_points(hand, wild);
    memset(hints->lacking_after, ILLEGAL, sizeof hints->lacking_after);
    const int now = down ? 0 : rummy_hand_lacking(hand, objective, 0, ALL_LACK);
    hints->lacking[0] = (uint8_t)now;
    hints->points[0] = (uint8_t)(points / 5);
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, 0); state->head.seat == seat && action >= 0;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        const struct cards after = hand_after(state, seat, hand, action);
        const int lays = action >= ACTION_set && action < ACTION_discard;
        const struct cards more = cards_without(after, hand);
        const struct cards less = cards_without(hand, after);
        const int least = now - cards_count(more); /* a card makes a difference of one at most */
        const int limit = now + cards_count(less);
        hints->lacking_after[action] =
            down || lays ? 0 : (uint8_t)rummy_hand_lacking(after, objective, least, limit);
        hints->points_after[action] = (uint8_t)((points - rummy_points(less, wild) + rummy_points(more, wild)) / 5);
    }
}
