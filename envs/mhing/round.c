/* One round: deal, turns, claims, declaration (R2-R4). */
#include "hand.h"

/* ---- Turns ----------------------------------------------------------------------------------------------- */

static void lay_flower(struct mhing_state *state, int seat)
{
    mhing_seat_of(state, seat)->flowers[0]++;
    mh_events_add(&state->events, seat, EVENT_flower, 0, 0);
}

/* Cards drawn leave no trace in the deck: what was where is nobody's to know later. */
static int draw_card(struct mhing_state *state)
{
    const int type = state->deck[state->next];
    state->deck[state->next++] = 0;
    return type;
}

static void take_card(struct mhing_state *state, int seat, int type)
{
    hand_add(&state->hands[seat], type);
    mhing_seat_of(state, seat)->hand_size[0]++;
}

int mhing_is_complete(const struct mhing_state *state, int seat)
{
    return mhing_hand_distance(&state->hands[seat], mhing_melds_to_go(mhing_seat_view(state, seat)),
                               state->options[OPTION_seven_pairs]) == 0;
}

static void ask_on_turn(struct mhing_state *state, int seat)
{
    state->on_turn = (uint8_t)seat;
    state->phase = PHASE_TURN;
    state->head.seat = (int8_t)seat;
    mhing_turn_actions(state);
}

/* R3.1: draw; a flower is laid aside and replaced at once; an empty source makes the round a wash. */
static void begin_turn(struct mhing_state *state, int seat)
{
    struct mhing_hand *hand = &state->hands[seat];
    for (;;) {
        if (state->next == DECK) {
            mh_events_add(&state->events, seat, EVENT_wash, 0, 0);
            mhing_end_round(state, -1, -1, NULL);
            return;
        }
        const int type = draw_card(state);
        if (type == FLOWER) {
            lay_flower(state, seat);
            continue;
        }
        state->turn++;
        state->claimed_from = -1;
        state->drawn = (uint8_t)(type + 1);
        state->complete = hand->waits >> type & 1;
        hand->waits = 0;
        take_card(state, seat, type);
        ask_on_turn(state, seat);
        return;
    }
}

/* Cards from the hand that now lie open in a meld; the claimed one, if any, lies open already. */
static void show_meld(struct mhing_state *state, int kind, int jokers, int claimed)
{
    for (int place = 0; place < MELD_CARDS; place++) {
        state->seen[mhing_joker_at(kind, jokers, place) ? JOKER : kind_card(kind, place)]++;
    }
    if (claimed >= 0) {
        state->seen[claimed]--;
    }
}

static void lay_meld(struct mhing_state *state, int seat, int action, int claimed, int from)
{
    const struct mhing_pattern pattern = mhing_pattern_of(action);
    struct mhing_seat *block = mhing_seat_of(state, seat);
    const int meld = mhing_num_melds(block);
    hand_take_meld(&state->hands[seat], pattern.kind, pattern.jokers, claimed);
    show_meld(state, pattern.kind, pattern.jokers, claimed);
    block->meld_kind[meld] = (uint8_t)(pattern.kind + 1);
    block->meld_jokers[meld] = (uint8_t)pattern.jokers;
    block->meld_from[meld] = (uint8_t)from;
    block->hand_size[0] = (uint8_t)(block->hand_size[0] - (claimed >= 0 ? MELD_CARDS - 1 : MELD_CARDS));
    mh_events_add(&state->events, seat, claimed >= 0 ? EVENT_claim : EVENT_lay_down, pattern.kind + 1,
                  pattern.jokers);
    state->complete = (uint8_t)mhing_is_complete(state, seat);
}

/* R3.2, lay_down: the turn continues. */
static void lay_down(struct mhing_state *state, int action)
{
    lay_meld(state, state->on_turn, action, -1, 0);
    mhing_turn_actions(state);
}

/* ---- Declaring ------------------------------------------------------------------------------------------- */

static void declare(struct mhing_state *state, int seat, int on_discard, int payer)
{
    struct mhing_cards cards;
    mhing_cards_of(state, seat, &cards);
    struct mhing_score score;
    const int complete = mhing_score_hand(&cards, state->options[OPTION_seven_pairs], &score);
    assert(complete == 1);
    (void)complete;
    state->complete = 0; /* of a turn, which is over */
    state->hands[seat].waits = 0;
    mh_events_add(&state->events, seat, EVENT_mhing, on_discard, 0);
    mhing_end_round(state, seat, payer, &score);
}

/* ---- Discards and claims (R4) ---------------------------------------------------------------------------- */

/* The discard on offer goes to a seat: it is marked where it lies, and is no longer a dead one. */
static void take_discard(struct mhing_state *state, int seat)
{
    struct mhing_seat *block = mhing_seat_of(state, state->on_turn);
    const int type = state->offer - 1;
    uint8_t *discard = &mhing_discards(block)[block->num_discards[0] - 1];
    *discard = (uint8_t)(*discard + TAKER * mh_head_between(&state->head, state->on_turn, seat));
    block->discard_count[type]--;
    state->offer = 0;
    memset(state->answers, 0, sizeof state->answers);
}

/* R4.5: the meld is laid at once and its player is on turn without drawing. */
static void claim_meld(struct mhing_state *state, int seat, int action)
{
    const int from = state->on_turn;
    const int type = state->offer - 1;
    take_discard(state, seat);
    state->hands[seat].waits = 0;
    state->turn++;
    state->claimed_from = (int8_t)from;
    lay_meld(state, seat, action, type, mh_head_between(&state->head, seat, from));
    ask_on_turn(state, seat);
}

static void claim_mhing(struct mhing_state *state, int seat)
{
    const int from = state->on_turn;
    const int type = state->offer - 1;
    take_discard(state, seat);
    take_card(state, seat, type);
    state->seen[type]--; /* back among the cards in hands */
    declare(state, seat, 1, from);
}

/* R4.4: MHING before triplet before sequence; among equals who sits first after the discarder. */
static int claim_rank(int action)
{
    return action == ACTION_mhing ? 3 : action >= ACTION_pass ? 0 : action >= ACTION_triplet ? 2 : 1;
}

/* Nobody claims the discard on offer. */
static void leave_discard(struct mhing_state *state)
{
    state->offer = 0;
    begin_turn(state, mh_head_next(&state->head, state->on_turn));
}

static void settle_claims(struct mhing_state *state)
{
    int winner = -1;
    int best = 0;
    for (int seat = mh_head_next(&state->head, state->on_turn); seat != state->on_turn;
         seat = mh_head_next(&state->head, seat)) {
        const int rank = state->answers[seat] ? claim_rank(state->answers[seat] - 1) : 0;
        if (rank > best) {
            best = rank;
            winner = seat;
        }
    }
    if (winner < 0) {
        memset(state->answers, 0, sizeof state->answers);
        leave_discard(state);
    } else if (state->answers[winner] - 1 == ACTION_mhing) {
        claim_mhing(state, winner);
    } else {
        claim_meld(state, winner, state->answers[winner] - 1);
    }
}

/* Asks the first seat from `seat` on that has something to claim with; 0 if there is none. */
static int ask_claims(struct mhing_state *state, int seat)
{
    for (; seat != state->on_turn; seat = mh_head_next(&state->head, seat)) {
        if (mhing_claim_actions(state, seat, state->legal)) {
            state->head.seat = (int8_t)seat;
            return 1;
        }
    }
    return 0;
}

static void discard_type(struct mhing_state *state, int type)
{
    const int seat = state->on_turn;
    struct mhing_hand *hand = &state->hands[seat];
    struct mhing_seat *block = mhing_seat_of(state, seat);
    hand_take(hand, type);
    assert(block->num_discards[0] < mhing_discard_capacity(state->head.seats));
    mhing_discards(block)[block->num_discards[0]++] = (uint8_t)(type + 1);
    block->discard_count[type]++;
    block->hand_size[0]--;
    state->seen[type]++;
    state->num_discards++;
    mh_events_add(&state->events, seat, EVENT_discard, type + 1, 0);
    hand->waits = mhing_hand_waits(hand, mhing_melds_to_go(block), state->options[OPTION_seven_pairs], NULL);
    state->complete = 0;
    state->drawn = 0;
    state->offer = (uint8_t)(type + 1);
    state->phase = PHASE_CLAIM;
    if (!ask_claims(state, mh_head_next(&state->head, seat))) {
        leave_discard(state);
    }
}

void mhing_apply(struct mhing_state *state, int action)
{
    const int seat = state->head.seat;
    if (state->phase == PHASE_CLAIM) {
        state->answers[seat] = (uint16_t)(action + 1);
        if (!ask_claims(state, mh_head_next(&state->head, seat))) {
            settle_claims(state);
        }
    } else if (action < ACTION_sequence) {
        discard_type(state, action);
    } else if (action == ACTION_mhing) {
        declare(state, seat, 0, state->claimed_from);
    } else {
        lay_down(state, action);
    }
}

/* R4.7: who is asked about a discard stays secret. */
int mhing_is_settled(const struct mhing_state *state)
{
    return state->phase != PHASE_CLAIM;
}

/* ---- Dealing (R2) ---------------------------------------------------------------------------------------- */

void mhing_fill_deck(uint8_t *deck)
{
    int cards = 0;
    for (int type = 0; type <= FLOWER; type++) {
        const int copies = type == JOKER ? JOKERS : type == FLOWER ? FLOWERS : COPIES;
        for (int i = 0; i < copies; i++) {
            deck[cards++] = (uint8_t)type;
        }
    }
    assert(cards == DECK);
}

/* Flowers are replaced in passes: each player, clockwise from the dealer, replaces all of theirs, then again those
 * among the replacements, until none is left. */
static void replace_flowers(struct mhing_state *state, int flowers[SEATS])
{
    int left = 0;
    for (int seat = 0; seat < state->head.seats; seat++) {
        left += flowers[seat];
    }
    for (int seat = state->dealer; left > 0; seat = mh_head_next(&state->head, seat)) {
        const int laid = flowers[seat];
        flowers[seat] = 0;
        for (int i = 0; i < laid; i++) {
            lay_flower(state, seat);
        }
        for (int i = 0; i < laid; i++) {
            const int type = draw_card(state);
            if (type == FLOWER) {
                flowers[seat]++;
            } else {
                take_card(state, seat, type);
                left--;
            }
        }
    }
}

static void deal_round(struct mhing_state *state, int dealer, const uint8_t *deck)
{
    int flowers[SEATS] = {0};
    memset(&state->dealer, 0, offsetof(struct mhing_state, last) - offsetof(struct mhing_state, dealer));
    state->dealer = (uint8_t)dealer;
    mhing_shuffle(state, deck, state->deck);
    mh_events_add(&state->events, dealer, EVENT_deal, 0, 0);
    for (int i = 0, seat = dealer; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        for (int card = 0; card < DEALT; card++) {
            const int type = draw_card(state);
            if (type == FLOWER) {
                flowers[seat]++;
            } else {
                take_card(state, seat, type);
            }
        }
    }
    replace_flowers(state, flowers);
    for (int seat = 0; seat < state->head.seats; seat++) {
        struct mhing_hand *hand = &state->hands[seat];
        hand->waits = mhing_hand_waits(hand, MELDS, state->options[OPTION_seven_pairs], NULL);
    }
    mhing_show_standing(state);
    begin_turn(state, dealer);
}

void mhing_reset(struct mhing_state *state, const uint8_t *deck)
{
    const int drawn = (int)mh_rng_below(&state->head.rng, state->head.seats);
    const int dealer = state->options[OPTION_dealer];
    mhing_start_game(state);
    deal_round(state, dealer >= 0 ? dealer : drawn, deck);
}

void mhing_next_round(struct mhing_state *state)
{
    deal_round(state, mh_head_next(&state->head, state->dealer), NULL);
}
