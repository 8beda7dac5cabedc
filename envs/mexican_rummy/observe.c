/* The view of a seat, the fields hidden from all, and public numbers: the fields of mexican_rummy.def, by name. */
#include "mexican_rummy.h"

static void write_counts(struct cards cards, uint8_t counts[TYPES])
{
    mh_sums_write(cards.deck[0], cards.deck[1], TYPES, counts);
}

/* Card+1 as type+1; 0 stays 0. Bytes only, so that the compiler does sixteen at once. */
static void write_types(const uint8_t *restrict cards, int count, uint8_t *restrict types)
{
    for (int i = 0; i < count; i++) {
        types[i] = (uint8_t)(cards[i] - (cards[i] > TYPES ? TYPES : 0));
    }
}

static uint8_t type_or_none(int card)
{
    return (uint8_t)(card ? card_type(card - 1) + 1 : 0);
}

struct cards rummy_unseen(const struct rummy_state *state, int seat)
{
    const struct cards all = {{ALL_TYPES, ALL_TYPES}};
    const struct cards open = cards_union(state->laid, state->piled);
    return cards_without(all, cards_union(open, cards_union(state->hands[seat], state->shown)));
}

/* ---- One seat's observation ------------------------------------------------------------------------------- */

static void observe_turn(const struct rummy_state *state, int seat, struct rummy_view *restrict view)
{
    const int mine = state->on_turn == seat;
    const int over = state->phase == PHASE_OVER;
    view->phase[0] = over || state->head.seat == seat ? state->phase : PHASE_WAIT;
    view->on_turn[0] = mh_head_relative(&state->head, seat, state->on_turn);
    view->offer[0] = (uint8_t)(state->offered ? card_type(rummy_offer(state)) + 1 : 0);
    view->offered_by[0] = mh_head_relative(&state->head, seat,
                                           state->offered ? state->discarded_by[state->num_discards - 1] - 1 : -1);
    view->asker[0] = mh_head_relative(&state->head, seat, state->asker - 1);
    view->taken[0] = type_or_none(state->taken);
    view->drawn[0] = mine ? type_or_none(state->drawn) : 0;
    view->chosen[0] = mine ? state->chosen : 0;
    view->wanted[0] = mine ? state->plan.wanted : 0;
    view->to_fill[0] = mine ? state->plan.to_fill : 0;
}

static void observe_table(const struct rummy_state *state, int seat, struct rummy_view *restrict view)
{
    const int objective = rummy_objective(state);
    view->objective[0] = (uint8_t)(objective + 1);
    view->sets[0] = (uint8_t)rummy_objectives[objective].sets;
    view->runs[0] = (uint8_t)rummy_objectives[objective].runs;
    view->draw_pile_left[0] = (uint8_t)(CARDS - state->next);
    mh_show_number(state->shuffles, sizeof view->shuffles, view->shuffles);
    mh_show_number(rummy_turn_limit(state) - state->turn, sizeof view->turns_left, view->turns_left);
    view->starter[0] = mh_head_relative(&state->head, seat, state->starter);
    view->rounds_left[0] = (uint8_t)(mh_head_rounds_left(&state->head, rummy_rounds(state)) - 1);
}

/* Writes the objective that the observer is laying down: it lies on the table when it is complete. */
static void observe_plan(const struct rummy_state *state, int seat, struct rummy_view *restrict view)
{
    const struct rummy_plan *plan = &state->plan;
    const int planning = seat == state->on_turn && rummy_is_planning(state);
    write_counts(planning ? plan->rest : state->hands[seat], view->hand);
    memset(view->plan_kind, 0, sizeof view->plan_kind);
    memset(view->plan_cards, 0, sizeof view->plan_cards);
    memset(view->swap_from, 0, sizeof view->swap_from);
    view->swap_card[0] = 0;
    if (planning) {
        memcpy(view->plan_kind, plan->melds.kind, sizeof view->plan_kind);
        memcpy(view->plan_cards, plan->melds.cards, sizeof view->plan_cards);
    }
    if (planning && plan->given) {
        view->swap_card[0] = type_or_none(plan->given);
        view->swap_from[0] =
            (uint8_t)(1 + MELDS * mh_head_between(&state->head, seat, plan->from[0]) + plan->from[1]);
        view->swap_from[1] = (uint8_t)(plan->from[2] + 1);
    }
}

static void observe_seat(const struct rummy_state *state, int seat, struct rummy_seat *restrict block)
{
    const struct rummy_melds *melds = &state->melds[seat];
    const struct cards hand = state->hands[seat];
    memcpy(block->meld_kind, melds->kind, sizeof block->meld_kind);
    memcpy(block->meld_cards, melds->cards, sizeof block->meld_cards);
    block->hand_size[0] = (uint8_t)cards_count(hand);
    write_counts(cards_common(hand, state->shown), block->known);
    block->old_cards[0] = (uint8_t)cards_count(cards_without(hand, state->shuffled));
    block->refused[0] = state->refused >> seat & 1;
    mh_show_number(state->scores[seat], sizeof block->score, block->score);
}

/* The seats clockwise from the observer. */
static void observe_seats(const struct rummy_state *state, int observer, struct rummy_seat *restrict blocks)
{
    int seat = observer;
    for (int i = 0; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        observe_seat(state, seat, &blocks[i]);
    }
}

void rummy_observe(const struct rummy_state *state, int seat, struct rummy_view *restrict view,
                   struct rummy_seat *restrict seats)
{
    const struct cards unseen = rummy_unseen(state, seat);
    observe_plan(state, seat, view);
    write_counts(unseen, view->unseen);
    write_counts(cards_common(unseen, state->shuffled), view->drawable);
    write_types(state->discards, PILE, view->discards);
    mh_turn_seats(state->discarded_by, PILE, seat, state->head.seats, view->discarded_by);
    observe_turn(state, seat, view);
    observe_table(state, seat, view);
    mh_events_show(&state->events, seat, state->head.seats, view->event_seat, view->event_kind, view->event_detail,
                   view->event_place);
    observe_seats(state, seat, seats);
}

/* ---- Hidden fields and public numbers --------------------------------------------------------------------- */

void rummy_omniscient(const struct rummy_state *state, struct rummy_hidden *hidden, struct rummy_hidden_seat *seats)
{
    hidden->to_act[0] = mh_head_relative(&state->head, 0, state->head.seat);
    for (int i = 0; i < CARDS - state->next; i++) {
        hidden->draw_pile[i] = (uint8_t)(card_type(state->deck[state->next + i]) + 1);
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        write_counts(state->hands[seat], seats[seat].hands);
    }
}

void rummy_info(const struct rummy_state *state, struct rummy_info *info)
{
    info->round[0] = mh_head_round(&state->head);
    info->objective[0] = rummy_objective(state) + 1;
    info->starter[0] = state->starter;
    info->winner[0] = state->last.winner;
    info->ending[0] = state->last.ending;
    for (int seat = 0; seat < state->head.seats; seat++) {
        info->scores[seat] = state->scores[seat];
        info->points[seat] = state->last.points[seat];
    }
}
