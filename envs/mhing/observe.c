/* The view of a seat, the fields hidden from all, and public numbers: the fields of mhing.def, written by name. */
#include "base/mh_wide.h"
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

/* Only a seat that is asked sees that somebody is asked: a question would reveal who has something to claim with. */
static uint8_t phase_for(const struct mhing_state *state, int seat)
{
    return state->phase == PHASE_OVER || state->head.seat == seat ? state->phase : PHASE_WAIT;
}

static void observe_table(const struct mhing_state *state, int seat, struct mhing_view *restrict view)
{
    view->phase[0] = phase_for(state, seat);
    view->on_turn[0] = mh_head_relative(&state->head, seat, state->on_turn);
    view->offer[0] = state->offer;
    view->offered_by[0] = mh_head_relative(&state->head, seat, state->offer ? state->on_turn : -1);
    view->claimed_from[0] = mh_head_relative(&state->head, seat, state->claimed_from);
    view->drawn[0] = state->on_turn == seat ? state->drawn : 0;
    view->source_left[0] = (uint8_t)(DECK - state->next);
    view->dealer[0] = mh_head_relative(&state->head, seat, state->dealer);
    memcpy(view->round, state->shown_round, sizeof view->round);
    memcpy(view->rounds_left, state->shown_rounds_left, sizeof view->rounds_left);
    view->last_winner[0] = mh_head_relative(&state->head, seat, state->last.winner);
    view->last_credits[0] = (uint8_t)state->last.score.credits;
    memcpy(view->target, state->shown_target, sizeof view->target);
    view->rules[0] = state->head.seats;
    memcpy(view->rules + 1, state->shown_rules, sizeof state->shown_rules);
}

int mhing_seat_tail(int players)
{
    return mhing_discard_capacity(players);
}

/* The blocks of the seats are in observation form already: they are copied so that the observer comes first. */
static void observe_seats(const struct mhing_state *state, int seat, uint8_t *restrict blocks)
{
    const int seats = state->head.seats;
    mh_blocks_turn(state->blocks, (size_t)mhing_block_size(seats), seats, seat, blocks);
}

void mhing_observe(const struct mhing_state *state, int seat, struct mhing_view *restrict view,
                   struct mhing_seat *restrict seats)
{
    memcpy(view->hand, state->hands[seat].count, sizeof view->hand);
    mhing_unseen(state, seat, view->unseen);
    memcpy(view->revealed, state->last.revealed, sizeof view->revealed);
    observe_table(state, seat, view);
    mh_events_show(&state->events, seat, state->head.seats, view->event_seat, view->event_kind, view->event_detail,
                   view->event_jokers);
    observe_seats(state, seat, (uint8_t *)seats);
}

void mhing_omniscient(const struct mhing_state *state, struct mhing_hidden *hidden, struct mhing_hidden_seat *seats)
{
    hidden->to_act[0] = mh_head_relative(&state->head, 0, state->head.seat);
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

void mhing_info(const struct mhing_state *state, struct mhing_info *info)
{
    const struct mhing_result *last = &state->last;
    info->round[0] = mh_head_round(&state->head);
    info->dealer[0] = state->dealer;
    info->winner[0] = last->winner;
    info->payer[0] = last->payer;
    info->credits[0] = last->score.credits;
    info->points[0] = last->score.points;
    write_int64(state->scores, SEATS, info->scores);
    write_int64(state->chips, SEATS, info->chips);
    write_int64(last->payments, SEATS, info->payments);
    write_int64(last->score.part, MHING_CREDIT_KINDS, info->parts);
}

void mhing_cards_of(const struct mhing_state *state, int seat, struct mhing_cards *cards)
{
    const struct mhing_seat *block = mhing_seat_view(state, seat);
    cards->melds = (uint8_t)mhing_num_melds(block);
    cards->flowers = block->flowers[0];
    memcpy(cards->count, state->hands[seat].count, sizeof cards->count);
    for (int i = 0; i < MELDS; i++) {
        cards->meld_kind[i] = (uint8_t)(block->meld_kind[i] ? block->meld_kind[i] - 1 : 0);
    }
}
