/* What a seat sees, what is hidden from all, and public numbers: the fields of mhing.def, written by name. */
#include "hand.h"

void mhing_unseen(const struct mhing_state *state, int seat, uint8_t unseen[35])
{
    const uint8_t *own = state->hands[seat].count;
    for (int type = 0; type < TYPES; type++) {
        unseen[type] = (uint8_t)(COPIES - state->seen[type] - own[type]);
    }
    unseen[JOKER] = (uint8_t)(JOKERS - state->seen[JOKER] - own[JOKER]);
    if (state->phase == PHASE_OVER && state->last.winner >= 0 && state->last.winner != seat) {
        for (int type = 0; type <= JOKER; type++) {
            unseen[type] = (uint8_t)(unseen[type] - state->last.revealed[type]);
        }
    }
}

/* A seat as the observer counts it, plus one. */
static uint8_t relative(const struct mhing_state *state, int observer, int seat)
{
    return (uint8_t)(mhing_seats_between(state, observer, seat) + 1);
}

static uint8_t relative_or_none(const struct mhing_state *state, int observer, int seat)
{
    return seat < 0 ? 0 : relative(state, observer, seat);
}

/* Only a seat that is asked sees that somebody is asked: a question would tell who has something to claim with. */
static uint8_t phase_for(const struct mhing_state *state, int seat)
{
    return state->phase == PHASE_OVER || state->head.seat == seat ? state->phase : PHASE_WAIT;
}

static uint8_t rounds_left(const struct mhing_state *state)
{
    enum { NO_LIMIT = 255 };
    if (!state->options[OPTION_episode] || !state->rounds_limit) {
        return NO_LIMIT;
    }
    const int32_t left = state->rounds_limit - mhing_round(state) - 1;
    return (uint8_t)(left < 0 ? 0 : left < NO_LIMIT - 1 ? left : NO_LIMIT - 1);
}

static void observe_table(const struct mhing_state *state, int seat, struct mhing_view *restrict view)
{
    const int offer = state->offer != 0;
    view->phase[0] = phase_for(state, seat);
    view->on_turn[0] = relative(state, seat, state->on_turn);
    view->offer[0] = state->offer;
    view->offered_by[0] = offer ? relative(state, seat, state->on_turn) : 0;
    view->claimed_from[0] = relative_or_none(state, seat, state->claimed_from);
    view->drawn[0] = state->on_turn == seat ? state->drawn : 0;
    view->source_left[0] = (uint8_t)(DECK - state->next);
    view->dealer[0] = relative(state, seat, state->dealer);
    view->round[0] = (uint8_t)(mhing_round(state) < 255 ? mhing_round(state) : 255);
    view->rounds_left[0] = rounds_left(state);
    view->last_winner[0] = relative_or_none(state, seat, state->last.winner);
    view->last_credits[0] = (uint8_t)state->last.score.credits;
    view->target_step[0] = state->target_step;
    view->rules[0] = state->head.seats;
    view->rules[1] = (uint8_t)state->options[OPTION_lay_down];
    view->rules[2] = (uint8_t)state->options[OPTION_seven_pairs];
    view->rules[3] = (uint8_t)state->options[OPTION_scoring];
}

static void observe_events(const struct mhing_state *state, int seat, struct mhing_view *restrict view)
{
    const int first = state->num_events - EVENT_TAIL;
    const uint8_t me = (uint8_t)seat;
    const uint8_t seats = state->head.seats;
    const uint8_t *restrict from = state->events.seat + first;
    for (int i = 0; i < EVENT_TAIL; i++) { /* bytes only, so that the compiler does sixteen at once */
        const uint8_t turned = (uint8_t)(from[i] - me + (from[i] <= me ? seats : 0));
        view->event_seat[i] = from[i] ? turned : 0;
    }
    memcpy(view->event_kind, state->events.kind + first, EVENT_TAIL);
    memcpy(view->event_detail, state->events.detail + first, EVENT_TAIL);
    memcpy(view->event_jokers, state->events.jokers + first, EVENT_TAIL);
}

/* The blocks of the seats are in observation form already: two copies turn the table so that the observer is first. */
static void observe_seats(const struct mhing_state *state, int seat, uint8_t *restrict blocks)
{
    const size_t block = (size_t)mhing_block_size(state->head.seats);
    const size_t before = (size_t)seat * block;
    const size_t after = (size_t)state->head.seats * block - before;
    memcpy(blocks, state->blocks + before, after);
    memcpy(blocks + after, state->blocks, before);
}

void mhing_observe(const struct mhing_state *state, int seat, uint8_t *restrict observation)
{
    struct mhing_view *restrict view = (struct mhing_view *)observation;
    memcpy(view->hand, state->hands[seat].count, sizeof view->hand);
    mhing_unseen(state, seat, view->unseen);
    memcpy(view->revealed, state->last.revealed, sizeof view->revealed);
    observe_table(state, seat, view);
    observe_events(state, seat, view);
    observe_seats(state, seat, observation + sizeof *view);
    if (state->options[OPTION_hints]) {
        const size_t blocks = (size_t)state->head.seats * (size_t)mhing_block_size(state->head.seats);
        mhing_write_hints(state, seat, (struct mhing_hints *)(observation + sizeof *view + blocks));
    }
}

void mhing_omniscient(const struct mhing_state *state, uint8_t *omniscient)
{
    struct mhing_hidden *hidden = (struct mhing_hidden *)omniscient;
    struct mhing_hidden_seat *seats = (struct mhing_hidden_seat *)(omniscient + sizeof *hidden);
    memset(hidden, 0, sizeof *hidden);
    hidden->to_act[0] = (uint8_t)(state->head.seat + 1);
    for (int i = 0; i < DECK - state->next; i++) {
        hidden->source[i] = (uint8_t)(state->deck[state->next + i] + 1);
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        memcpy(seats[seat].hands, state->hands[seat].count, sizeof seats[seat].hands);
        seats[seat].answers[0] = (uint8_t)(state->answers[seat] & 0xFF);
        seats[seat].answers[1] = (uint8_t)(state->answers[seat] >> 8);
    }
}

static void write_int64(const int32_t *from, int count, int64_t *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

void mhing_info_numbers(const struct mhing_state *state, int64_t *info)
{
    const struct mhing_result *last = &state->last;
    struct mhing_info numbers = {.round = {mhing_round(state)},
                                 .dealer = {state->dealer},
                                 .rounds_over = {state->head.rounds},
                                 .winner = {last->winner},
                                 .payer = {last->payer},
                                 .credits = {last->score.credits},
                                 .points = {last->score.points}};
    write_int64(state->scores, SEATS, numbers.scores);
    write_int64(state->chips, SEATS, numbers.chips);
    write_int64(last->payments, SEATS, numbers.payments);
    write_int64(last->score.part, MHING_CREDIT_KINDS, numbers.parts);
    memcpy(info, &numbers, sizeof numbers);
}

struct mhing_cards mhing_cards_of(const struct mhing_state *state, int seat)
{
    const struct mhing_seat *block = mhing_seat_view(state, seat);
    struct mhing_cards cards = {.melds = (uint8_t)mhing_num_melds(block), .flowers = block->flowers[0]};
    memcpy(cards.count, state->hands[seat].count, sizeof cards.count);
    for (int i = 0; i < MELDS; i++) {
        cards.meld_kind[i] = (uint8_t)(block->meld_kind[i] ? block->meld_kind[i] - 1 : 0);
    }
    return cards;
}
