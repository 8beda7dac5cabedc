/* The view of a seat, the fields hidden from all, and public numbers: the fields of general_mhing.def, by name. */
#include "general_mhing.h"

static void write_cards(uint64_t cards, uint8_t flags[CARDS])
{
    mh_mask_write(&cards, CARDS, (int8_t *)flags);
}

static void observe_table(const struct general_state *state, int seat, struct general_view *restrict view)
{
    const int mine = state->on_turn == seat;
    int32_t parts[PARTS];
    view->phase[0] = state->phase == PHASE_OVER || state->head.seat == seat ? state->phase : PHASE_WAIT;
    view->on_turn[0] = mh_head_relative(&state->head, seat, state->on_turn);
    view->offer[0] = state->offer;
    view->offered_by[0] =
        mh_head_relative(&state->head, seat, state->offer ? state->discarded_by[state->num_discards - 1] - 1 : -1);
    view->taken[0] = state->taken;
    view->drawn[0] = mine ? state->drawn[0] : 0;
    view->drawn[1] = mine ? state->drawn[1] : 0;
    view->draw_pile_left[0] = (uint8_t)(CARDS - state->next);
    mh_show_number(state->shuffles, sizeof view->shuffles, view->shuffles);
    mh_show_number(state->options[OPTION_turn_limit] - state->turn, sizeof view->turns_left, view->turns_left);
    view->starter[0] = mh_head_relative(&state->head, seat, state->starter);
    mh_show_number(mh_head_round(&state->head), sizeof view->round, view->round);
    mh_show_number(general_rounds_left(state), sizeof view->rounds_left, view->rounds_left);
    view->last_winner[0] = mh_head_relative(&state->head, seat, state->last.winner);
    view->last_points[0] = 0;
    if (state->last.winner >= 0) {
        view->last_points[0] = (uint8_t)general_last_tally(state, state->last.winner, parts);
    }
    mh_show_number(general_target(state), sizeof view->target, view->target);
}

static void observe_seats(const struct general_state *state, int observer, struct general_seat *restrict blocks)
{
    int seat = observer;
    for (int i = 0; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        const uint64_t known = state->hands[seat] & state->shown;
        blocks[i] = state->blocks[seat];
        blocks[i].hand_size[0] = (uint8_t)mh_bits_count(state->hands[seat]);
        blocks[i].old_cards[0] = (uint8_t)mh_bits_count(state->hands[seat] & ~state->shuffled);
        for (int suit = 0; suit < SUITS; suit++) {
            blocks[i].aces_held[suit] = (uint8_t)(suit_ranks(known, suit) & 1);
        }
    }
}

void general_observe(const struct general_state *state, int seat, struct general_view *restrict view,
                     struct general_seat *restrict seats)
{
    const uint64_t unseen = general_unseen(state, seat);
    write_cards(state->hands[seat], view->hand);
    write_cards(unseen, view->unseen);
    write_cards(unseen & state->shuffled, view->drawable);
    memcpy(view->discards, state->discards, sizeof view->discards);
    mh_turn_seats(state->discarded_by, PILE, seat, state->head.seats, view->discarded_by);
    observe_table(state, seat, view);
    mh_events_show(&state->events, seat, state->head.seats, view->event_seat, view->event_kind, view->event_detail,
                   view->event_ace);
    observe_seats(state, seat, seats);
}

void general_omniscient(const struct general_state *state, struct general_hidden *hidden,
                        struct general_hidden_seat *seats)
{
    hidden->to_act[0] = mh_head_relative(&state->head, 0, state->head.seat);
    for (int i = 0; i < CARDS - state->next; i++) {
        hidden->draw_pile[i] = (uint8_t)(state->deck[state->next + i] + 1);
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        write_cards(state->hands[seat], seats[seat].hands);
    }
}

void general_info(const struct general_state *state, struct general_info *info)
{
    info->round[0] = mh_head_round(&state->head);
    info->starter[0] = state->starter;
    info->winner[0] = state->last.winner;
    info->ending[0] = state->last.ending;
    for (int seat = 0; seat < state->head.seats; seat++) {
        int32_t parts[PARTS];
        info->scores[seat] = state->scores[seat];
        info->tallies[seat] = general_last_tally(state, seat, parts);
        if (seat == state->last.winner) {
            info->points[0] = info->tallies[seat];
            for (int part = 0; part < PARTS; part++) {
                info->parts[part] = parts[part];
            }
        }
    }
}
