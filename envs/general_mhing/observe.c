/* What a seat sees, what is hidden from all, and public numbers: the fields of general_mhing.def, by name. */
#include "general_mhing.h"

/* A seat as the observer counts it, plus one. */
static uint8_t relative(const struct general_state *state, int observer, int seat)
{
    return (uint8_t)(general_seats_between(state, observer, seat) + 1);
}

static uint8_t relative_or_none(const struct general_state *state, int observer, int seat)
{
    return seat < 0 ? 0 : relative(state, observer, seat);
}

static void write_cards(uint64_t cards, uint8_t flags[CARDS])
{
    mh_mask_write(&cards, CARDS, (int8_t *)flags);
}

static uint8_t at_most(int32_t number, int32_t limit)
{
    return (uint8_t)(number < limit ? number : limit);
}

static uint8_t rounds_left(const struct general_state *state)
{
    enum { NO_GAME = 255 };
    if (!state->options[OPTION_episode]) {
        return NO_GAME;
    }
    return at_most(state->options[OPTION_rounds] - general_round(state) - 1, NO_GAME - 1);
}

static void observe_table(const struct general_state *state, int seat, struct general_view *restrict view)
{
    const int mine = state->on_turn == seat;
    const int32_t round = general_round(state);
    int32_t parts[PARTS];
    view->phase[0] = state->phase == PHASE_OVER || state->head.seat == seat ? state->phase : PHASE_WAIT;
    view->on_turn[0] = relative(state, seat, state->on_turn);
    view->offer[0] = state->offer;
    view->offered_by[0] = 0;
    if (state->offer) {
        view->offered_by[0] = relative(state, seat, state->discarded_by[state->num_discards - 1] - 1);
    }
    view->taken[0] = state->taken;
    view->drawn[0] = mine ? state->drawn[0] : 0;
    view->drawn[1] = mine ? state->drawn[1] : 0;
    view->draw_pile_left[0] = (uint8_t)(CARDS - state->next);
    view->shuffles[0] = at_most(state->shuffles, 255);
    view->turns_left[0] = at_most(state->options[OPTION_turn_limit] - state->turn, 255);
    view->starter[0] = relative(state, seat, state->starter);
    view->round[0] = at_most(round, 255);
    view->rounds_left[0] = rounds_left(state);
    view->last_winner[0] = relative_or_none(state, seat, state->last.winner);
    view->last_points[0] = 0;
    if (state->last.winner >= 0) {
        view->last_points[0] = (uint8_t)general_last_tally(state, state->last.winner, parts);
    }
    view->target[0] = at_most(state->options[OPTION_target], 255);
}

static void observe_seats(const struct general_state *state, int observer, struct general_seat *restrict blocks)
{
    int seat = observer;
    for (int i = 0; i < state->head.seats; i++, seat = general_next_seat(state, seat)) {
        const uint64_t known = state->hands[seat] & state->shown;
        blocks[i] = state->blocks[seat];
        blocks[i].hand_size[0] = (uint8_t)mh_bits_count(state->hands[seat]);
        blocks[i].old_cards[0] = (uint8_t)mh_bits_count(state->hands[seat] & ~state->shuffled);
        for (int suit = 0; suit < SUITS; suit++) {
            blocks[i].aces_held[suit] = (uint8_t)(suit_ranks(known, suit) & 1);
        }
    }
}

void general_observe(const struct general_state *state, int seat, uint8_t *restrict observation)
{
    struct general_view *restrict view = (struct general_view *)observation;
    const uint64_t unseen = general_unseen(state, seat);
    write_cards(state->hands[seat], view->hand);
    write_cards(unseen, view->unseen);
    write_cards(unseen & state->shuffled, view->drawable);
    memcpy(view->discards, state->discards, sizeof view->discards);
    mh_turn_seats(state->discarded_by, PILE, seat, state->head.seats, view->discarded_by);
    observe_table(state, seat, view);
    mh_events_show(&state->events, seat, state->head.seats, view->event_seat, view->event_kind, view->event_detail,
                   view->event_ace);
    struct general_seat *blocks = (struct general_seat *)(observation + sizeof *view);
    observe_seats(state, seat, blocks);
    if (state->options[OPTION_hints]) {
        general_write_hints(state, seat, (struct general_hints *)(blocks + state->head.seats));
    }
}

void general_omniscient(const struct general_state *state, uint8_t *omniscient)
{
    struct general_hidden *hidden = (struct general_hidden *)omniscient;
    struct general_hidden_seat *seats = (struct general_hidden_seat *)(omniscient + sizeof *hidden);
    memset(hidden, 0, sizeof *hidden);
    hidden->to_act[0] = (uint8_t)(state->head.seat + 1);
    for (int i = 0; i < CARDS - state->next; i++) {
        hidden->draw_pile[i] = (uint8_t)(state->deck[state->next + i] + 1);
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        write_cards(state->hands[seat], seats[seat].hands);
    }
}

void general_info_numbers(const struct general_state *state, int64_t *info)
{
    struct general_info numbers = {.round = {general_round(state)},
                                   .starter = {state->starter},
                                   .rounds_over = {state->head.rounds},
                                   .winner = {state->last.winner},
                                   .ending = {state->last.ending}};
    for (int seat = 0; seat < state->head.seats; seat++) {
        int32_t parts[PARTS];
        numbers.scores[seat] = state->scores[seat];
        numbers.tallies[seat] = general_last_tally(state, seat, parts);
        if (seat == state->last.winner) {
            numbers.points[0] = numbers.tallies[seat];
            for (int part = 0; part < PARTS; part++) {
                numbers.parts[part] = parts[part];
            }
        }
    }
    memcpy(info, &numbers, sizeof numbers);
}
