/* One round: deal, turns, the draw pile and its shuffles (R2-R4). */
#include "general_mhing.h"

/* ---- Cards move ------------------------------------------------------------------------------------------ */

/* Cards of the hand that now lie open. */
static void open_from_hand(struct general_state *state, int seat, uint64_t cards)
{
    state->hands[seat] &= ~cards;
    state->shown &= ~cards;
    state->open |= cards;
}

/* R4.2: all discards but the last become a new draw pile. */
static void shuffle_discards(struct general_state *state)
{
    const int count = state->num_discards - 1;
    assert(count > 0);
    uint8_t *deck = state->deck + CARDS - count;
    state->shuffled = 0;
    state->shuffles++;
    for (int i = 0; i < count; i++) {
        deck[i] = (uint8_t)(state->discards[i] - 1);
        state->shuffled |= card_bit(deck[i]);
        state->shuffle_of[deck[i]] = state->shuffles;
    }
    state->open &= ~state->shuffled;
    state->next = (uint8_t)(CARDS - count);
    mh_rng_shuffle(&state->shuffler, deck, count);
    state->discards[0] = state->discards[count];
    state->discarded_by[0] = state->discarded_by[count];
    memset(state->discards + 1, 0, (size_t)count);
    memset(state->discarded_by + 1, 0, (size_t)count);
    state->num_discards = 1;
    mh_events_add(&state->events, state->on_turn, EVENT_shuffle, 0, 0);
}

/* Draws into the hand on turn; there is always a card (R4.3). Cards drawn leave no trace in the deck: what was where is
 * nobody's to know later. */
static void draw_card(struct general_state *state, int place)
{
    if (state->next == CARDS) {
        shuffle_discards(state);
    }
    const int card = state->deck[state->next];
    state->deck[state->next++] = 0;
    state->drawn[place] = (uint8_t)(card + 1);
    state->hands[state->on_turn] |= card_bit(card);
}

/* ---- Turns ----------------------------------------------------------------------------------------------- */

static void begin_turn(struct general_state *state, int seat);
static void lay_sequence(struct general_state *state, int action);
static void draw_for_turn(struct general_state *state);

/* Asks the seat on turn for its choice in a phase. Where it has none its only move is made at once (R3.7). */
static void enter_phase(struct general_state *state, enum general_phase phase)
{
    state->phase = (uint8_t)phase;
    state->head.seat = (int8_t)state->on_turn;
    if (general_has_choice(state)) {
        general_settle_actions(state);
    } else if (phase == PHASE_START) {
        draw_for_turn(state);
    } else if (phase == PHASE_TAKEN) {
        general_settle_actions(state);
        lay_sequence(state, mh_set_next(state->legal, LEGAL_WORDS, ACTION_sequence));
    } else {
        begin_turn(state, mh_head_next(&state->head, state->on_turn));
    }
}

static void begin_turn(struct general_state *state, int seat)
{
    if (state->turn == state->options[OPTION_turn_limit]) {
        general_end_round(state, ENDING_TURNS);
        return;
    }
    state->turn++;
    state->on_turn = (uint8_t)seat;
    if (state->options[OPTION_offer] == OFFER_TOP) { /* R3.1: what a sequence left there as well */
        state->offer = general_discard_below(state, 0);
    }
    state->taken = 0;
    state->drawn[0] = 0;
    state->drawn[1] = 0;
    state->given = 0;
    enter_phase(state, PHASE_START);
}

static void draw_for_turn(struct general_state *state)
{
    state->offer = 0;
    draw_card(state, 0);
    enter_phase(state, PHASE_PLAY);
}

/* R3.2: the card taken is laid at once. */
static void take(struct general_state *state)
{
    const uint64_t card = card_bit(state->offer - 1);
    state->num_discards--;
    state->discards[state->num_discards] = 0;
    state->discarded_by[state->num_discards] = 0;
    state->open &= ~card;
    state->shown |= card;
    state->taken = state->offer;
    state->offer = 0;
    state->hands[state->on_turn] |= card;
    mh_events_add(&state->events, state->on_turn, EVENT_take, state->taken, 0);
    enter_phase(state, PHASE_TAKEN);
}

static void discard_card(struct general_state *state, int card)
{
    const int seat = state->on_turn;
    open_from_hand(state, seat, card_bit(card));
    assert(state->num_discards < PILE);
    state->discards[state->num_discards] = (uint8_t)(card + 1);
    state->discarded_by[state->num_discards++] = (uint8_t)(seat + 1);
    state->offer = (uint8_t)(card + 1);
    mh_events_add(&state->events, seat, EVENT_discard, card + 1, 0);
    begin_turn(state, mh_head_next(&state->head, seat));
}

/* ---- Sequences and swaps --------------------------------------------------------------------------------- */

void general_update_sequences(struct general_state *state, int seat)
{
    struct general_seat *block = &state->blocks[seat];
    const int count = general_num_sequences(block);
    int32_t parts[PARTS];
    state->wanted[seat] = 0;
    for (int i = 0; i < count; i++) {
        state->wanted[seat] |= general_wanted_by(general_sequence(block, i));
    }
    block->tally[0] = (uint8_t)general_score(block->sequence_kind, count, parts);
}

static void lay_sequence(struct general_state *state, int action)
{
    const struct sequence sequence = general_action_sequence(action);
    const int seat = state->on_turn;
    struct general_seat *block = &state->blocks[seat];
    const int place = general_num_sequences(block);
    open_from_hand(state, seat, sequence_cards(sequence));
    block->sequence_kind[place] = (uint8_t)(sequence.kind + 1);
    block->sequence_ace[place] = (uint8_t)sequence.ace;
    general_update_sequences(state, seat);
    mh_events_add(&state->events, seat, EVENT_sequence, sequence.kind + 1, sequence.ace);
    if (place == SEQUENCES - 1) {
        general_end_round(state, ENDING_SEQUENCES);
        return;
    }
    state->given = 0;
    draw_card(state, 0);
    draw_card(state, 1);
    enter_phase(state, PHASE_END);
}

/* R3.4: two cards stay, the third is given for the ace. */
static void swap(struct general_state *state, int card)
{
    const int seat = state->on_turn;
    struct general_seat *block = &state->blocks[seat];
    const int place = general_place_of_ace(block, card_suit(card));
    const uint64_t ace = card_bit(card_suit(card) * RANKS);
    block->sequence_kind[place] = (uint8_t)(sequence_with(general_sequence(block, place), card).kind + 1);
    block->sequence_ace[place] = 0;
    open_from_hand(state, seat, card_bit(card));
    state->open &= ~ace;
    state->shown |= ace;
    state->given |= state->drawn[0] ? card_bit(card) : 0;
    state->hands[seat] |= ace;
    general_update_sequences(state, seat);
    mh_events_add(&state->events, seat, EVENT_swap, card + 1, 0);
    enter_phase(state, state->phase);
}

void general_apply(struct general_state *state, int action)
{
    if (action >= ACTION_end) {
        begin_turn(state, mh_head_next(&state->head, state->on_turn));
    } else if (action >= ACTION_discard) {
        discard_card(state, action - ACTION_discard);
    } else if (action >= ACTION_swap) {
        swap(state, general_swap_card(action));
    } else if (action >= ACTION_sequence) {
        lay_sequence(state, action);
    } else if (action == ACTION_take) {
        take(state);
    } else {
        draw_for_turn(state);
    }
}

/* ---- Dealing (R2) ---------------------------------------------------------------------------------------- */

static void deal_round(struct general_state *state, int starter, const uint8_t *deck)
{
    memset(&state->shuffler, 0, offsetof(struct general_state, last) - offsetof(struct general_state, shuffler));
    state->shuffler.state = mh_rng_next(&state->head.rng);
    state->starter = (uint8_t)starter;
    state->shuffled = ALL_CARDS;
    general_shuffle(state, deck, state->deck);
    for (int i = 0, seat = starter; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        for (int card = 0; card < DEALT; card++) {
            state->hands[seat] |= card_bit(state->deck[state->next]);
            state->deck[state->next++] = 0;
        }
    }
    general_show_scores(state);
    mh_events_add(&state->events, starter, EVENT_deal, 0, 0);
    begin_turn(state, starter);
}

void general_reset(struct general_state *state, const uint8_t *deck)
{
    const int drawn = (int)mh_rng_below(&state->head.rng, state->head.seats);
    const int starter = state->options[OPTION_starter];
    state->last.round = -1;
    state->last.winner = -1;
    deal_round(state, starter >= 0 ? starter : drawn, deck);
}

void general_next_round(struct general_state *state)
{
    const int same = state->options[OPTION_next_starter] == NEXT_SAME;
    deal_round(state, same ? state->starter : mh_head_next(&state->head, state->starter), NULL);
}
