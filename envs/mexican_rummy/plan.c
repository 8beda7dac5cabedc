/* Laying down, a card at a time: sets first, then runs, each of the least size; in the last round, when all melds are
 * begun, also the cards that make them longer (R4, R5, R6).
 *
 * An action is legal when the whole objective can be laid after it, so no path ends before that. Melds of the least
 * size are enough in the other rounds: whatever makes them longer can be laid onto them in the same turn.
 */
#include "mexican_rummy.h"

static struct rummy_objective objective_of(const struct rummy_state *state)
{
    return rummy_objectives[rummy_objective(state)];
}

static int is_last_meld(const struct rummy_state *state, const struct rummy_plan *plan)
{
    return plan->count == objective_of(state).sets + objective_of(state).runs;
}

struct rummy_plan rummy_empty_plan(const struct rummy_state *state)
{
    struct rummy_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.rest = state->hands[state->on_turn];
    return plan;
}

/* If both black 2s of the type lie on the table, either is as good: both lie there again when the plan is complete. */
void rummy_plan_swap(const struct rummy_state *state, struct rummy_plan *plan, int type, struct rummy_spot spot)
{
    const int two = state->melds[spot.seat].cards[spot.meld][spot.place] - 1;
    const int card = rummy_card_of(state, plan->rest, type);
    const int got = state->laid.deck[0] >> two & 1 ? two : TYPES + two;
    cards_remove(&plan->rest, card);
    cards_add(&plan->rest, got);
    plan->given = (uint8_t)(card + 1);
    plan->got = (uint8_t)(got + 1);
    plan->wanted = (uint8_t)(two + 1);
    plan->from[0] = (uint8_t)spot.seat;
    plan->from[1] = (uint8_t)spot.meld;
    plan->from[2] = (uint8_t)spot.place;
}

void rummy_plan_meld(struct rummy_plan *plan, int action)
{
    const int run = action >= ACTION_run;
    const int place = run ? action - ACTION_run : 0;
    plan->melds.kind[plan->count++] = (uint8_t)(run ? KIND_RUN + place / LOWS : KIND_SET + action - ACTION_set);
    plan->first = (uint8_t)(place % LOWS);
    plan->to_fill = run ? RUN_CARDS : SET_CARDS;
}

/* The place of the next card in the meld begun last. */
static int next_place(const struct rummy_plan *plan)
{
    return kind_is_run(plan->melds.kind[plan->count - 1]) ? plan->first + RUN_CARDS - plan->to_fill
                                                          : SET_CARDS - plan->to_fill;
}

static void plan_card(const struct rummy_state *state, struct rummy_plan *plan, int type, int meld, int place)
{
    const int swapped = plan->wanted == type + 1; /* R5.3: the black 2 swapped is laid, an equal one may stay */
    cards_remove(&plan->rest, swapped ? plan->got - 1 : rummy_card_of(state, plan->rest, type));
    plan->melds.cards[meld][place] = (uint8_t)(type + 1);
    plan->wanted = swapped ? 0 : plan->wanted;
}

void rummy_plan_fill(const struct rummy_state *state, struct rummy_plan *plan, int type)
{
    plan_card(state, plan, type, plan->count - 1, next_place(plan));
    if (!--plan->to_fill) {
        plan->first = 0;
    }
}

void rummy_plan_extend(const struct rummy_state *state, struct rummy_plan *plan, int type, struct rummy_spot spot)
{
    plan_card(state, plan, type, spot.meld, spot.place);
}

/* ---- Completing the objective ----------------------------------------------------------------------------- */

/* The runs of the last round as far as they are settled; a run begun will have all its four places. */
static int covers(const struct rummy_state *state, const struct rummy_plan *plan, const struct holding *rest)
{
    const int sets = objective_of(state).sets;
    struct run_begun runs[2] = {{-1, 0, 0}, {-1, 0, 0}};
    for (int meld = sets; meld < plan->count; meld++) {
        struct run_begun *run = &runs[meld - sets];
        run->suit = plan->melds.kind[meld] - KIND_RUN;
        run->filled = rummy_filled(plan->melds.cards[meld]);
        run->window = run->filled;
        if (meld == plan->count - 1 && plan->to_fill) {
            run->window = places_from(plan->first, RUN_CARDS);
        }
    }
    return rummy_covers(rest, plan->count ? plan->melds.kind[0] - KIND_SET : -1, runs);
}

int rummy_plan_fits(const struct rummy_state *state, const struct rummy_plan *plan)
{
    const struct rummy_objective objective = objective_of(state);
    const struct holding rest = holding_of(plan->rest, objective.runs > 0);
    const int sets = plan->count < objective.sets ? plan->count : objective.sets;
    const struct rummy_objective left = {objective.sets - sets, objective.runs - (plan->count - sets)};
    return rummy_is_no_discardo(rummy_objective(state)) ? covers(state, plan, &rest)
                                                        : rummy_lacking(&rest, left, 0, 1) == 0;
}

int rummy_may_swap(const struct rummy_state *state)
{
    if (!rummy_is_wild_round(state) || rummy_is_down(state, state->on_turn)) {
        return 0;
    }
    const struct rummy_plan empty = rummy_empty_plan(state);
    return state->options[OPTION_swaps] == SWAPS_ANY || !rummy_plan_fits(state, &empty);
}

/* The types that the meld begun last can take next. The cards of a set come in ascending order. A black 2 that was
 * swapped can always take the place of another card in a run (R5.3), so it is only the last card of all that must be
 * it. */
static uint64_t candidates(const struct rummy_state *state, const struct rummy_plan *plan)
{
    const int kind = plan->melds.kind[plan->count - 1];
    const uint64_t held = cards_any(plan->rest);
    const int place = next_place(plan);
    if (kind_is_run(kind)) {
        const uint64_t fitting = type_bit(place_type(kind - KIND_RUN, place)) | BLACK_TWOS;
        return held & (plan->wanted && plan->to_fill == 1 && is_last_meld(state, plan) ? type_bit(plan->wanted - 1)
                                                                                       : fitting);
    }
    const int last = place > 0 ? plan->melds.cards[plan->count - 1][place - 1] - 1 : 0;
    return held & rank_types(kind - KIND_SET) & ~(type_bit(last) - 1);
}

/* True if the meld begun last can be filled so that the rest of the objective fits. */
static int can_fill(const struct rummy_state *state, const struct rummy_plan *plan)
{
    if (plan->to_fill == 0) {
        return rummy_plan_fits(state, plan);
    }
    for (uint64_t types = candidates(state, plan); types; types &= types - 1) {
        struct rummy_plan after = *plan;
        rummy_plan_fill(state, &after, mh_bits_lowest(types));
        if (can_fill(state, &after)) {
            return 1;
        }
    }
    return 0;
}

/* True if there are as many cards as the meld needs. It rules out most without a plan. */
static int has_cards_for(struct cards rest, int action)
{
    if (action < ACTION_run) {
        return cards_of_types(rest, rank_types(action - ACTION_set)) >= SET_CARDS;
    }
    const int held = mh_bits_count(places_held(cards_any(rest), action - ACTION_run));
    return held + cards_of_types(rest, BLACK_TWOS) >= RUN_CARDS;
}

static int can_begin(const struct rummy_state *state, const struct rummy_plan *plan, int action)
{
    struct rummy_plan after = *plan;
    rummy_plan_meld(&after, action);
    return can_fill(state, &after);
}

void rummy_add_begins(const struct rummy_state *state, const struct rummy_plan *plan, uint64_t *legal)
{
    const int set = plan->count < objective_of(state).sets;
    for (int action = set ? ACTION_set : ACTION_run; action < (set ? ACTION_run : ACTION_lay); action++) {
        if (has_cards_for(plan->rest, action) && can_begin(state, plan, action)) {
            mh_set_add(legal, action);
        }
    }
}

void rummy_add_fills(const struct rummy_state *state, const struct rummy_plan *plan, uint64_t *legal)
{
    for (uint64_t types = candidates(state, plan); types; types &= types - 1) {
        struct rummy_plan after = *plan;
        rummy_plan_fill(state, &after, mh_bits_lowest(types));
        if (can_fill(state, &after)) {
            mh_set_add(legal, ACTION_lay + mh_bits_lowest(types));
        }
    }
}

/* ---- Longer melds (R6) ------------------------------------------------------------------------------------ */

void rummy_add_extension_spots(const struct rummy_state *state, const struct rummy_plan *plan, int type,
                               uint64_t *spots)
{
    uint64_t fitting[LEGAL_WORDS] = {0};
    rummy_add_spots(&plan->melds, 0, type, fitting);
    for (int action = mh_set_next(fitting, LEGAL_WORDS, 0); action >= 0;
         action = mh_set_next(fitting, LEGAL_WORDS, action + 1)) {
        struct rummy_plan after = *plan;
        struct rummy_spot spot = rummy_spot_of(state, action);
        spot.place = rummy_place_at(&plan->melds, spot.meld, type, action);
        rummy_plan_extend(state, &after, type, spot);
        if (rummy_plan_fits(state, &after)) {
            mh_set_add(spots, action);
        }
    }
}

void rummy_add_extensions(const struct rummy_state *state, const struct rummy_plan *plan, uint64_t *legal)
{
    for (uint64_t types = cards_any(plan->rest); types; types &= types - 1) {
        uint64_t spots[LEGAL_WORDS] = {0};
        rummy_add_extension_spots(state, plan, mh_bits_lowest(types), spots);
        if (mh_set_next(spots, LEGAL_WORDS, 0) >= 0) {
            mh_set_add(legal, ACTION_lay + mh_bits_lowest(types));
        }
    }
}

enum rummy_phase rummy_plan_phase(const struct rummy_state *state, const struct rummy_plan *plan)
{
    if (plan->to_fill) {
        return PHASE_FILL;
    }
    if (!is_last_meld(state, plan)) {
        return PHASE_MELD;
    }
    return rummy_is_no_discardo(rummy_objective(state)) && !cards_are_none(plan->rest) ? PHASE_EXTEND : PHASE_PLAY;
}
