/* The legal actions of the seat to act (R9), as sets of ids. */
#include "mexican_rummy.h"

/* The spots of black 2s that a card can be swapped for so that the objective can be laid (R5). */
static void add_swap_spots(const struct rummy_state *state, int type, uint64_t *spots)
{
    const struct rummy_plan empty = rummy_empty_plan(state);
    uint64_t wilds[LEGAL_WORDS] = {0};
    for (int clockwise = 1; clockwise < state->head.seats; clockwise++) {
        rummy_add_wild_spots(&state->melds[(state->on_turn + clockwise) % state->head.seats], clockwise, type,
                             wilds);
    }
    for (int action = mh_set_next(wilds, LEGAL_WORDS, 0); action >= 0;
         action = mh_set_next(wilds, LEGAL_WORDS, action + 1)) {
        struct rummy_plan plan = empty;
        struct rummy_spot spot = rummy_spot_of(state, action);
        spot.place = rummy_wild_place_at(type, action);
        rummy_plan_swap(state, &plan, type, spot);
        if (rummy_plan_fits(state, &plan)) {
            mh_set_add(spots, action);
        }
    }
}

/* The types for which a black 2 stands in a run of another seat. */
static uint64_t stood_for(const struct rummy_state *state)
{
    uint64_t types = 0;
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct rummy_melds *melds = &state->melds[seat];
        for (int meld = 0; meld < MELDS && melds->kind[meld]; meld++) {
            for (int place = 0; place < PLACES; place++) {
                if (rummy_is_wild_at(melds->kind[meld], melds->cards[meld], place)) {
                    types |= type_bit(place_type(melds->kind[meld] - KIND_RUN, place));
                }
            }
        }
    }
    return types;
}

static void add_swaps(const struct rummy_state *state, uint64_t *legal)
{
    for (uint64_t types = cards_any(state->hands[state->on_turn]) & stood_for(state); types; types &= types - 1) {
        uint64_t spots[LEGAL_WORDS] = {0};
        add_swap_spots(state, mh_bits_lowest(types), spots);
        if (mh_set_next(spots, LEGAL_WORDS, 0) >= 0) {
            mh_set_add(legal, ACTION_swap + mh_bits_lowest(types));
        }
    }
}

/* After the draw: discard, and lay down, or lay off once that is done. */
static void add_plays(const struct rummy_state *state, uint64_t *legal)
{
    const uint64_t held = cards_any(state->hands[state->on_turn]);
    mh_set_add_run(legal, ACTION_discard, held);
    if (rummy_is_down(state, state->on_turn)) {
        mh_set_add_run(legal, ACTION_lay, held & state->fitting);
        return;
    }
    const struct rummy_plan plan = rummy_empty_plan(state);
    if (rummy_plan_fits(state, &plan)) {
        rummy_add_begins(state, &plan, legal);
    }
    if (rummy_may_swap(state)) {
        add_swaps(state, legal);
    }
}

static void add_places(const struct rummy_state *state, uint64_t *legal)
{
    if (rummy_is_planning(state)) {
        rummy_add_extension_spots(state, &state->plan, state->chosen - 1, legal);
        return;
    }
    for (int clockwise = 0; clockwise < state->head.seats; clockwise++) {
        rummy_add_spots(&state->melds[(state->on_turn + clockwise) % state->head.seats], clockwise,
                        state->chosen - 1, legal);
    }
}

void rummy_settle_actions(struct rummy_state *state)
{
    uint64_t *legal = state->legal;
    memset(legal, 0, sizeof state->legal);
    switch (state->phase) {
    case PHASE_ASK:
        mh_set_add_run(legal, ACTION_may_i, 3); /* and pass */
        break;
    case PHASE_ANSWER:
        mh_set_add(legal, ACTION_take);
        mh_set_add_run(legal, ACTION_grant, 3); /* and refuse */
        break;
    case PHASE_START:
        mh_set_add_run(legal, ACTION_draw, 3); /* and take */
        break;
    case PHASE_PLAY:
        add_plays(state, legal);
        break;
    case PHASE_SWAP:
        add_swap_spots(state, state->chosen - 1, legal);
        break;
    case PHASE_MELD:
        rummy_add_begins(state, &state->plan, legal);
        break;
    case PHASE_FILL:
        rummy_add_fills(state, &state->plan, legal);
        break;
    case PHASE_EXTEND:
        rummy_add_extensions(state, &state->plan, legal);
        break;
    case PHASE_PLACE:
        add_places(state, legal);
        break;
    default: /* the episode is over */
        break;
    }
}

int rummy_only_action(const struct rummy_state *state)
{
    const int first = mh_set_next(state->legal, LEGAL_WORDS, 0);
    return mh_set_next(state->legal, LEGAL_WORDS, first + 1) < 0 ? first : -1;
}

/* R9.4: three cards are of two types at least, so a hand of three has a choice. May I is asked of everybody. */
int rummy_is_settled(const struct rummy_state *state)
{
    return state->phase <= PHASE_START || state->phase == PHASE_OVER ||
           cards_count(state->hands[state->on_turn]) > 2;
}

/* Does not ask, refuses a seat that asks, draws, and discards the card just drawn; a seat that is laying down continues
 * to do so. */
int rummy_idle(const struct rummy_state *state)
{
    const int drawn = ACTION_discard + (state->drawn ? card_type(state->drawn - 1) : 0);
    if (mh_set_has(state->legal, ACTION_pass)) {
        return ACTION_pass;
    }
    if (mh_set_has(state->legal, ACTION_refuse)) {
        return ACTION_refuse;
    }
    if (state->drawn && mh_set_has(state->legal, drawn)) {
        return drawn;
    }
    const int discard = mh_set_next(state->legal, LEGAL_WORDS, ACTION_discard);
    return discard >= 0 ? discard : mh_set_next(state->legal, LEGAL_WORDS, 0);
}
