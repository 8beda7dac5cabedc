/* The expert player.
 *
 * Before it is down it asks two things of a hand: how likely is it to meet the objective before the round ends, and how
 * many points will it hold if it does not? Most points of a round are those of hands that never got down. So an action
 * is worth the points to be expected after it:
 *
 *   1. The turns left follow from the turn and from the fewest cards that another seat that is down holds.
 *   2. In that time each unseen card comes to the seat with the same chance, by itself.
 *   3. So each rank becomes a set, and each suit has a run that lacks so many cards, with a chance that is counted
 *      exactly. A natural that runs are likely to take counts for a set as far as they are not.
 *   4. The chance of the objective is corrected by its frequency in play, and weighs the points of both endings. A seat
 *      that gets down keeps some of the cards that no meld is likely to take, neither of the objective nor on the
 *      table.
 *
 * A draw is judged by all cards that it may bring. Laying, and play once it is down, is that of greedy.
 */
#include "outlook.h"

/* ---- Choices ---------------------------------------------------------------------------------------------- */

enum { FEW = 2 };

static void note(double *values, int action, double value)
{
    if (values) {
        values[action] = value;
    }
}

/* The discards that cost least, the best one first, and what is left after them. */
struct discards {
    int count;
    int type[FEW];
    struct rummy_prospects after[FEW];
};

/* With `values`, each discard's is noted there, by action. `now` is what is known of the hand, or of all but one
 * card. */
static struct discards best_discards(const struct rummy_outlook *outlook, struct cards hand,
                                     const struct rummy_prospects *now, double *values)
{
    struct discards best = {.count = 0};
    for (uint64_t types = cards_any(hand); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        struct rummy_prospects after;
        rummy_look_at(outlook, rummy_without_type(hand, type), now, &after);
        note(values, ACTION_discard + type, -after.cost);
        int at = best.count;
        for (; at > 0 && after.cost < best.after[at - 1].cost; at--) {
            if (at < FEW) {
                best.type[at] = best.type[at - 1];
                best.after[at] = best.after[at - 1];
            }
        }
        if (at < FEW) {
            best.type[at] = type;
            best.after[at] = after;
            best.count += best.count < FEW;
        }
    }
    return best;
}

/* Returns the least cost after a draw: that of keeping the card in the place of one of the few best discards, or
 * not. */
static double cost_after_draw(const struct rummy_outlook *outlook, const struct rummy_prospects *now,
                              const struct discards *best, int type)
{
    double least = now->cost;
    for (int i = 0; i < best->count; i++) {
        const struct rummy_prospects *after = &best->after[i];
        struct rummy_prospects kept;
        rummy_look_at(outlook, rummy_with_type(after->hand, type), after, &kept);
        least = kept.cost < least ? kept.cost : least;
    }
    return least;
}

/* The types that cost the same once drawn: those of a rank where all melds are sets, and wild cards. */
static uint64_t types_alike(const struct rummy_outlook *outlook, int type)
{
    return !outlook->objective.runs              ? rank_types(type_rank(type))
           : outlook->wild && is_black_two(type) ? BLACK_TWOS
                                                 : type_bit(type);
}

/* Returns the cost of a draw: the mean over all cards that may come. */
static double cost_of_draw(const struct rummy_outlook *outlook, const struct rummy_prospects *now)
{
    const struct discards best = best_discards(outlook, now->hand, now, NULL);
    const uint64_t unseen = cards_any(outlook->unseen);
    double after[TYPES];
    double sum = 0;
    for (uint64_t types = unseen; types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        const int first = mh_bits_lowest(types_alike(outlook, type) & unseen);
        after[type] = first < type ? after[first] : cost_after_draw(outlook, now, &best, type);
        sum += after[type] * cards_of_type(outlook->unseen, type);
    }
    const int count = cards_count(outlook->unseen);
    return count && sum < now->cost * count ? sum / count : now->cost;
}

/* True if taking the card on offer and giving away another is better than drawing, which `otherwise` leads to. */
static int takes(const struct rummy_state *state, const struct rummy_outlook *outlook, int otherwise,
                 double *values)
{
    const struct cards hand = state->hands[state->on_turn];
    const int offer = card_type(rummy_offer(state));
    struct rummy_prospects now;
    rummy_look_at(outlook, hand, NULL, &now);
    const double take = best_discards(outlook, rummy_with_type(hand, offer), &now, NULL).after[0].cost;
    const double draw = cost_of_draw(outlook, &now);
    note(values, ACTION_take, -take);
    note(values, otherwise, -draw);
    return take < draw;
}

/* Before it is down, and not about to be, it thinks for itself; else it plays as greedy does. */
static int thinks(const struct rummy_state *state)
{
    const int lay = mh_set_next(state->legal, LEGAL_WORDS, ACTION_set);
    const int lays = lay >= 0 && lay < ACTION_discard;
    return !lays && !rummy_is_down(state, state->head.seat) && state->phase != PHASE_ASK;
}

/* The action to play. `values`, by action, may be NULL; otherwise it gets all but that of granting a card. */
static int expert_choose(const struct rummy_state *state, double *values)
{
    struct known_runs known;
    const struct rummy_outlook outlook = rummy_outlook_of(state, state->head.seat, &known);
    switch (state->phase) {
    case PHASE_ANSWER:
        return takes(state, &outlook, ACTION_refuse, values) ? ACTION_take : ACTION_refuse;
    case PHASE_START:
        return takes(state, &outlook, ACTION_draw, values) ? ACTION_take : ACTION_draw;
    default: {
        const struct cards hand = state->hands[state->on_turn];
        struct rummy_prospects now;
        rummy_look_at(&outlook, hand, NULL, &now);
        return ACTION_discard + best_discards(&outlook, hand, &now, values).type[0];
    }
    }
}

int rummy_expert(const struct rummy_state *state, struct mh_rng *rng)
{
    return thinks(state) ? expert_choose(state, NULL) : rummy_greedy(state, rng);
}

/* It reckons in points, which are the reward where that is the score. */
void rummy_expert_values(const struct rummy_state *state, int all, double *values)
{
    (void)all;
    if (thinks(state) && state->options[OPTION_reward] == REWARD_SCORE) {
        (void)expert_choose(state, values);
    }
}
