/* The expert: the greedy player's cards, judged by the race that they are for (outlook.h).
 *
 * It waits for a valuable sequence while the others are far behind, takes what it gets when they are close, lays a
 * fourth sequence only when no better one is worth the wait, and under each reward plays for that reward. What it
 * discards counts by the chance that the next seat can lay it.
 */
#include <float.h>

#include "outlook.h"

struct expert_choice {
    int action;
    double value;
    double *values; /* NULL, or room by action for what each is worth */
};

static void consider(struct expert_choice *best, int action, double value)
{
    if (best->values) {
        best->values[action] = value;
    }
    if (value > best->value) {
        best->action = action;
        best->value = value;
    }
}

static double worth_of_waiting(const struct outlook *outlook, const struct position *position)
{
    uint8_t tallies[KINDS];
    outlook_tallies(position, tallies);
    return outlook_waiting(outlook, position, tallies);
}

static double worth_of_sequence(const struct outlook *outlook, const struct position *before, int action)
{
    struct position after;
    position_after(before, action, 0, &after);
    uint8_t tallies[KINDS];
    if (general_num_sequences(&after.block) == SEQUENCES) {
        return race_worth(&outlook->race, SEQUENCES, position_tally(&after));
    }
    outlook_tallies(&after, tallies);
    return outlook_laid(outlook, &after, tallies, general_action_sequence(action));
}

/* The sequences that can be laid with a card, or any. */
static void consider_sequences(const struct outlook *outlook, const struct position *position, int card,
                               struct expert_choice *best)
{
    uint64_t laid[LEGAL_WORDS];
    position_sequences(position, card, laid);
    for (int action = mh_set_next(laid, LEGAL_WORDS, ACTION_sequence); action >= 0;
         action = mh_set_next(laid, LEGAL_WORDS, action + 1)) {
        consider(best, action, worth_of_sequence(outlook, position, action));
    }
}

static void consider_discards(const struct outlook *outlook, const struct position *position,
                              struct expert_choice *best)
{
    uint8_t tallies[KINDS];
    double worth[CARDS];
    outlook_tallies(position, tallies);
    outlook_discards(outlook, position, tallies, worth);
    for (uint64_t rest = position->hand; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        consider(best, ACTION_discard + card, worth[card]);
    }
}

/* The value of a position after a draw, for a seat that swaps nothing more. */
static double worth_of_play(const struct outlook *outlook, const struct position *position)
{
    struct expert_choice best = {-1, -DBL_MAX, NULL};
    consider_sequences(outlook, position, ANY_CARD, &best);
    consider_discards(outlook, position, &best);
    return best.value;
}

static void consider_swaps(const struct outlook *outlook, const struct general_state *state,
                           struct expert_choice *best)
{
    const struct position before = position_of(state);
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_swap);
         action >= ACTION_swap && action < ACTION_discard;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        struct position after;
        position_after(&before, action, 0, &after);
        consider(best, action,
                 state->phase == PHASE_PLAY ? worth_of_play(outlook, &after) : worth_of_waiting(outlook, &after));
    }
}

static double worth_of_drawing(const struct outlook *outlook, const struct position *position)
{
    uint8_t tallies[KINDS];
    outlook_tallies(position, tallies);
    return outlook_drawing(outlook, position, tallies);
}

/* The sequence that is best laid with the card on offer decides whether to take it. */
static double worth_of_taking(const struct outlook *outlook, const struct general_state *state,
                              const struct position *position)
{
    const struct outlook uncovered = outlook_after_taking(state, outlook);
    struct position taken;
    position_after(position, ACTION_take, state->offer, &taken);
    struct expert_choice best = {-1, -DBL_MAX, NULL};
    consider_sequences(&uncovered, &taken, state->offer - 1, &best);
    return best.value;
}

/* Before the draw a swap is worth what the turn is without it, and what it adds to a hand that waits. */
static void consider_start(const struct outlook *outlook, const struct general_state *state,
                           struct expert_choice *best)
{
    const struct position before = position_of(state);
    consider(best, ACTION_draw, worth_of_drawing(outlook, &before));
    if (mh_set_has(state->legal, ACTION_take)) {
        consider(best, ACTION_take, worth_of_taking(outlook, state, &before));
    }
    const double turn = best->value;
    const double waiting = worth_of_waiting(outlook, &before);
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_swap);
         action >= ACTION_swap && action < ACTION_discard;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        struct position after;
        position_after(&before, action, 0, &after);
        consider(best, action, turn + (worth_of_waiting(outlook, &after) - waiting));
    }
}

/* ---- The decision ---------------------------------------------------------------------------------------- */

/* The action to play. `values`, by action, may be NULL; otherwise it gets those of all legal ones. */
static int expert_choose(const struct general_state *state, double *values)
{
    struct outlook outlook;
    outlook_of(state, &outlook);
    const struct position position = position_of(state);
    struct expert_choice best = {-1, -DBL_MAX, values};
    switch (state->phase) {
    case PHASE_START:
        consider_start(&outlook, state, &best);
        break;
    case PHASE_TAKEN:
        consider_sequences(&outlook, &position, state->taken - 1, &best);
        break;
    case PHASE_END:
        consider(&best, ACTION_end, worth_of_waiting(&outlook, &position));
        consider_swaps(&outlook, state, &best);
        break;
    default:
        consider_sequences(&outlook, &position, ANY_CARD, &best);
        consider_discards(&outlook, &position, &best);
        consider_swaps(&outlook, state, &best);
        break;
    }
    return best.action;
}

int general_expert(const struct general_state *state, struct mh_rng *rng)
{
    (void)rng;
    return expert_choose(state, NULL);
}

/* A game that is won at its end is played for the margin, which is not what it pays. */
void general_expert_values(const struct general_state *state, int all, double *values)
{
    (void)all;
    if (outlook_aim(state) == state->options[OPTION_reward]) {
        (void)expert_choose(state, values);
    }
}
