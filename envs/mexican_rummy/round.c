/* One round: deal, May I, draws, laying, discards, the draw pile and its shuffles (R2, R4, R7). */
#include "mexican_rummy.h"

static void begin_turn(struct rummy_state *state, int seat);
static void draw_for_turn(struct rummy_state *state);
static void play_after_draw(struct rummy_state *state, int action);

/* ---- Cards move ------------------------------------------------------------------------------------------- */

/* R7.2: all discards but the last become a new draw pile. */
static void shuffle_discards(struct rummy_state *state)
{
    const int count = state->num_discards - 1;
    uint8_t *deck = state->deck + CARDS - count;
    memset(&state->shuffled, 0, sizeof state->shuffled);
    state->shuffles++;
    for (int i = 0; i < count; i++) {
        deck[i] = (uint8_t)(state->discards[i] - 1);
        cards_add(&state->shuffled, deck[i]);
        state->shuffle_of[deck[i]] = state->shuffles;
    }
    state->piled = cards_without(state->piled, state->shuffled);
    state->next = (uint8_t)(CARDS - count);
    mh_rng_shuffle(&state->shuffler, deck, count);
    state->discards[0] = state->discards[count];
    state->discarded_by[0] = state->discarded_by[count];
    memset(state->discards + 1, 0, (size_t)count);
    memset(state->discarded_by + 1, 0, (size_t)count);
    state->num_discards = 1;
    mh_events_add(&state->events, state->on_turn, EVENT_shuffle, 0, 0);
}

/* Draws into a hand; -1: there is no card. Cards drawn leave no trace in the deck: what was where is nobody's to know
 * later. */
static int draw_card(struct rummy_state *state, int seat)
{
    if (state->next == CARDS) {
        if (state->num_discards < 2) {
            return -1;
        }
        shuffle_discards(state);
    }
    const int card = state->deck[state->next];
    state->deck[state->next++] = 0;
    cards_add(&state->hands[seat], card);
    return card;
}

/* The top discard goes to a hand, as everybody sees. */
static int take_discard(struct rummy_state *state, int seat)
{
    const int card = state->discards[--state->num_discards] - 1;
    state->discards[state->num_discards] = 0;
    state->discarded_by[state->num_discards] = 0;
    state->offered = 0;
    cards_remove(&state->piled, card);
    cards_add(&state->shown, card);
    cards_add(&state->hands[seat], card);
    return card;
}

/* ---- Before the draw: May I (R4.2) ------------------------------------------------------------------------ */

static void ask_seat(struct rummy_state *state, int seat, enum rummy_phase phase)
{
    state->phase = (uint8_t)phase;
    state->head.seat = (int8_t)seat;
    rummy_settle_actions(state);
}

/* Asks the seats after this one in turn; after the last of them the seat on turn draws. */
static void ask_next(struct rummy_state *state, int seat)
{
    const int discarder = state->discarded_by[state->num_discards - 1] - 1;
    do {
        seat = mh_head_next(&state->head, seat);
    } while (seat == discarder && seat != state->on_turn);
    ask_seat(state, seat, seat == state->on_turn ? PHASE_START : PHASE_ASK);
}

static void begin_turn(struct rummy_state *state, int seat)
{
    state->taken = 0;
    state->drawn = 0;
    state->refused = 0;
    if (state->turn == rummy_turn_limit(state)) {
        rummy_end_round(state, ENDING_TURNS);
        return;
    }
    state->turn++;
    state->on_turn = (uint8_t)seat;
    if (state->num_discards == 0) { /* R2.4: no card was turned up */
        draw_for_turn(state);
        return;
    }
    state->offered = 1;
    ask_next(state, seat);
}

/* ---- The draw (R4.1) -------------------------------------------------------------------------------------- */

/* Continues the turn after the seat has drawn or laid something. If the seat has only one move, it is made at once
 * (R9.4). */
static void enter_phase(struct rummy_state *state, enum rummy_phase phase)
{
    ask_seat(state, state->on_turn, phase);
    const int only = rummy_only_action(state);
    if (only >= 0) {
        play_after_draw(state, only);
    }
}

static void draw_for_turn(struct rummy_state *state)
{
    const int card = draw_card(state, state->on_turn);
    state->offered = 0;
    state->refused = 0;
    if (card < 0) {
        rummy_end_round(state, ENDING_NO_CARD);
        return;
    }
    state->drawn = (uint8_t)(card + 1);
    enter_phase(state, PHASE_PLAY);
}

static void take(struct rummy_state *state)
{
    const int card = take_discard(state, state->on_turn);
    state->taken = (uint8_t)(card + 1);
    state->asker = 0;
    state->refused = 0;
    mh_events_add(&state->events, state->on_turn, EVENT_take, card_type(card) + 1, 0);
    enter_phase(state, PHASE_PLAY);
}

static void answer(struct rummy_state *state, int action)
{
    const int asker = state->asker - 1;
    const int way = mh_head_between(&state->head, state->on_turn, asker);
    const int detail = card_type(rummy_offer(state)) + 1;
    state->asker = 0;
    if (action == ACTION_refuse) {
        state->refused |= (uint8_t)(1 << asker);
        mh_events_add(&state->events, state->on_turn, EVENT_refuse, detail, way);
        ask_next(state, asker);
        return;
    }
    mh_events_add(&state->events, state->on_turn, EVENT_grant, detail, way);
    take_discard(state, asker);
    if (draw_card(state, asker) < 0) { /* R4.2: the penalty cannot be had */
        state->refused = 0;
        rummy_end_round(state, ENDING_NO_CARD);
    } else {
        draw_for_turn(state);
    }
}

static void play_before_draw(struct rummy_state *state, int action)
{
    switch (action) {
    case ACTION_draw:
        draw_for_turn(state);
        break;
    case ACTION_take:
        take(state);
        break;
    case ACTION_may_i:
        state->asker = (uint8_t)(state->head.seat + 1);
        mh_events_add(&state->events, state->head.seat, EVENT_ask, card_type(rummy_offer(state)) + 1, 0);
        ask_seat(state, state->on_turn, PHASE_ANSWER);
        break;
    case ACTION_pass:
        ask_next(state, state->head.seat);
        break;
    default:
        answer(state, action);
    }
}

/* ---- Laying (R4.3-R6) ------------------------------------------------------------------------------------- */

static void update_fitting(struct rummy_state *state)
{
    state->fitting = 0;
    for (int seat = 0; seat < state->head.seats; seat++) {
        state->fitting |= rummy_fitting(&state->melds[seat]);
    }
}

static void tell_melds(struct rummy_state *state, const struct rummy_melds *melds)
{
    for (int meld = 0; meld < MELDS && melds->kind[meld]; meld++) {
        const int kind = melds->kind[meld];
        const unsigned filled = rummy_filled(melds->cards[meld]);
        if (kind_is_set(kind)) {
            mh_events_add(&state->events, state->on_turn, EVENT_set, 1 + kind - KIND_SET, mh_bits_count(filled));
        } else {
            mh_events_add(&state->events, state->on_turn, EVENT_run,
                          1 + (kind - KIND_RUN) * PLACES + mh_bits_lowest(filled), mh_bits_count(filled));
        }
    }
}

/* The plan is complete: the swap and all melds of the objective happen at once. */
static void commit(struct rummy_state *state)
{
    const int seat = state->on_turn;
    const struct rummy_plan *plan = &state->plan;
    struct cards *hand = &state->hands[seat];
    if (plan->given) {
        const struct rummy_spot spot = {plan->from[0], plan->from[1], plan->from[2]};
        const int type = card_type(plan->given - 1);
        state->melds[spot.seat].cards[spot.meld][spot.place] = (uint8_t)(type + 1);
        mh_events_add(&state->events, seat, EVENT_swap, type + 1, rummy_event_place(state, spot));
    }
    state->laid = cards_union(state->laid, cards_without(*hand, plan->rest));
    *hand = plan->rest;
    state->shown = cards_without(state->shown, state->laid);
    state->melds[seat] = plan->melds;
    tell_melds(state, &plan->melds);
    memset(&state->plan, 0, sizeof state->plan);
    state->drawn = 0;
    update_fitting(state);
    if (cards_are_none(*hand)) {
        rummy_end_round(state, rummy_is_no_discardo(rummy_objective(state)) ? ENDING_NO_DISCARDO : ENDING_OUT);
    } else {
        enter_phase(state, PHASE_PLAY);
    }
}

static void go_on_planning(struct rummy_state *state)
{
    const enum rummy_phase phase = rummy_plan_phase(state, &state->plan);
    if (phase == PHASE_PLAY) {
        commit(state);
    } else {
        enter_phase(state, phase);
    }
}

/* Cards leave the hand to lie open. */
static int give_card(struct rummy_state *state, int type, struct cards *to)
{
    struct cards *hand = &state->hands[state->on_turn];
    const int card = rummy_card_of(state, *hand, type);
    cards_remove(hand, card);
    cards_remove(&state->shown, card);
    cards_add(to, card);
    state->drawn = 0;
    return card;
}

static void lay_off(struct rummy_state *state, int type, int action)
{
    struct rummy_spot spot = rummy_spot_of(state, action);
    struct rummy_melds *melds = &state->melds[spot.seat];
    spot.place = rummy_place_at(melds, spot.meld, type, action);
    give_card(state, type, &state->laid);
    melds->cards[spot.meld][spot.place] = (uint8_t)(type + 1);
    update_fitting(state);
    mh_events_add(&state->events, state->on_turn, EVENT_lay, type + 1, rummy_event_place(state, spot));
    if (cards_are_none(state->hands[state->on_turn])) {
        rummy_end_round(state, ENDING_OUT);
    } else {
        enter_phase(state, PHASE_PLAY);
    }
}

/* A card and then a place for it: the action names the place. */
static void play_chosen(struct rummy_state *state, int action)
{
    const int type = state->chosen - 1;
    state->chosen = 0;
    if (state->phase == PHASE_SWAP) {
        struct rummy_spot spot = rummy_spot_of(state, action);
        spot.place = rummy_wild_place_at(type, action);
        state->plan = rummy_empty_plan(state);
        rummy_plan_swap(state, &state->plan, type, spot);
        go_on_planning(state);
    } else if (rummy_is_planning(state)) {
        struct rummy_spot spot = rummy_spot_of(state, action);
        spot.place = rummy_place_at(&state->plan.melds, spot.meld, type, action);
        rummy_plan_extend(state, &state->plan, type, spot);
        go_on_planning(state);
    } else {
        lay_off(state, type, action);
    }
}

static void discard_type(struct rummy_state *state, int type)
{
    const int seat = state->on_turn;
    const int card = give_card(state, type, &state->piled);
    assert(state->num_discards < PILE);
    state->discards[state->num_discards] = (uint8_t)(card + 1);
    state->discarded_by[state->num_discards++] = (uint8_t)(seat + 1);
    mh_events_add(&state->events, seat, EVENT_discard, type + 1, 0);
    if (cards_are_none(state->hands[seat])) {
        rummy_end_round(state, ENDING_OUT);
    } else {
        begin_turn(state, mh_head_next(&state->head, seat));
    }
}

static void play_after_draw(struct rummy_state *state, int action)
{
    if (action >= ACTION_discard) {
        discard_type(state, action - ACTION_discard);
    } else if (action >= ACTION_swap) {
        state->chosen = (uint8_t)(action - ACTION_swap + 1);
        enter_phase(state, PHASE_SWAP);
    } else if (action >= ACTION_onto) {
        play_chosen(state, action);
    } else if (action >= ACTION_lay) {
        const int type = action - ACTION_lay;
        if (state->phase == PHASE_FILL) {
            rummy_plan_fill(state, &state->plan, type);
            go_on_planning(state);
        } else {
            state->chosen = (uint8_t)(type + 1);
            enter_phase(state, PHASE_PLACE);
        }
    } else {
        if (!rummy_is_planning(state)) {
            state->plan = rummy_empty_plan(state);
        }
        rummy_plan_meld(&state->plan, action);
        go_on_planning(state);
    }
}

void rummy_apply(struct rummy_state *state, int action)
{
    if (action < ACTION_set) {
        play_before_draw(state, action);
    } else {
        play_after_draw(state, action);
    }
}

/* ---- Dealing (R2) ----------------------------------------------------------------------------------------- */

/* Gives a deck of types their cards: of each type the first one is of the first deck. */
static void number_deck(const uint8_t *types, uint8_t *deck)
{
    uint64_t seen = 0;
    for (int i = 0; i < CARDS; i++) {
        deck[i] = (uint8_t)(types[i] + (seen >> types[i] & 1 ? TYPES : 0));
        seen |= type_bit(types[i]);
    }
}

void rummy_fill_deck(uint8_t *deck)
{
    for (int card = 0; card < CARDS; card++) {
        deck[card] = (uint8_t)card_type(card);
    }
}

/* Begins the discard pile. Returns type+1 of the card. */
static int turn_up(struct rummy_state *state)
{
    const int card = state->deck[state->next];
    state->deck[state->next++] = 0;
    cards_add(&state->piled, card);
    state->discards[0] = (uint8_t)(card + 1);
    state->num_discards = 1;
    return card_type(card) + 1;
}

static void deal_round(struct rummy_state *state, int starter, const uint8_t *deck)
{
    memset(&state->shuffler, 0, offsetof(struct rummy_state, last) - offsetof(struct rummy_state, shuffler));
    state->shuffler.state = mh_rng_next(&state->head.rng);
    state->starter = (uint8_t)starter;
    state->on_turn = (uint8_t)starter;
    state->shuffled.deck[0] = ALL_TYPES;
    state->shuffled.deck[1] = ALL_TYPES;
    if (deck) {
        number_deck(deck, state->deck);
    } else {
        for (int card = 0; card < CARDS; card++) {
            state->deck[card] = (uint8_t)card;
        }
        mh_rng_shuffle(&state->head.rng, state->deck, CARDS);
    }
    for (int i = 0, seat = starter; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        for (int card = 0; card < DEALT; card++) {
            draw_card(state, seat);
        }
    }
    mh_events_add(&state->events, starter, EVENT_deal, state->options[OPTION_turned_up] ? turn_up(state) : 0, 0);
    begin_turn(state, starter);
}

void rummy_reset(struct rummy_state *state, const uint8_t *deck)
{
    const int drawn = (int)mh_rng_below(&state->head.rng, state->head.seats);
    const int objective = (int)mh_rng_below(&state->head.rng, OBJECTIVES);
    const int32_t *options = state->options;
    state->first_objective = (uint8_t)(options[OPTION_objective] ? options[OPTION_objective] - 1 : objective);
    state->last.round = -1;
    state->last.winner = -1;
    deal_round(state, mh_head_next(&state->head, options[OPTION_dealer] >= 0 ? options[OPTION_dealer] : drawn),
               deck);
}

void rummy_next_round(struct rummy_state *state)
{
    deal_round(state, mh_head_next(&state->head, state->starter), NULL);
}
