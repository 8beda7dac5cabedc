/* Refuses an observation that no seat has of a table, and numbers beside it that cannot be, as far as words and
 * pictures need it (C49): seats that sit there, sequences that can lie so, each card in one place. Observations come
 * from outside; the runtime has compared every field with its highest value, and every event with
 * general_event_fits. */
#include "general_mhing.h"

static int has_seat(const struct general_shown *shown)
{
    return shown->table->viewer->seat >= 0;
}

/* ---- Derived facts ---------------------------------------------------------------------------------------- */

uint64_t general_shown_cards(const uint8_t flags[CARDS])
{
    uint64_t cards = (uint64_t)mh_bits_gather(mh_bits_bytes(flags + CARDS - 8)) << (CARDS - 8);
    for (int card = 0; card < CARDS - 8; card += 8) {
        cards |= (uint64_t)mh_bits_gather(mh_bits_bytes(flags + card)) << card;
    }
    return cards;
}

uint64_t general_shown_aces(const struct general_seat *block)
{
    uint64_t aces = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        aces |= (uint64_t)block->aces_held[suit] << suit * RANKS;
    }
    return aces;
}

/* A spectator is shown no phase, but the end of a round is an event. */
int general_shown_is_over(const struct general_view *view)
{
    return view->event_seat[MH_EVENT_TAIL - 1] && view->event_kind[MH_EVENT_TAIL - 1] == EVENT_over;
}

int general_shown_has_result(const struct general_view *view)
{
    return general_shown_is_over(view) || mh_shown_number(view->round, sizeof view->round) > 0;
}

/* Swaps and shuffles do not change it. */
int general_shown_turn(const struct general_shown *shown)
{
    const struct general_view *view = shown->view;
    const int on_turn = mh_shown_seat(shown->table, view->on_turn[0]);
    int last = MH_EVENT_TAIL - 1;
    while (last > 0 && (view->event_kind[last] == EVENT_swap || view->event_kind[last] == EVENT_shuffle)) {
        last--;
    }
    if (view->event_seat[last] == view->on_turn[0] && view->event_kind[last] == EVENT_take) {
        return PHASE_TAKEN;
    }
    if (view->event_seat[last] == view->on_turn[0] && view->event_kind[last] == EVENT_sequence) {
        return PHASE_END;
    }
    return general_shown_seat(shown, on_turn)->hand_size[0] > DEALT ? PHASE_PLAY : PHASE_START;
}

int general_shown_phase(const struct general_shown *shown)
{
    if (general_shown_is_over(shown->view)) {
        return PHASE_OVER;
    }
    const int phase = has_seat(shown) ? shown->view->phase[0] : PHASE_WAIT;
    return phase == PHASE_WAIT && shown->hidden ? general_shown_turn(shown) : phase;
}

/* ---- Seats and turns ---------------------------------------------------------------------------------------- */

static int check_seats(const struct general_shown *shown, char *message)
{
    const struct general_view *view = shown->view;
    const struct mh_shown_field rows[] = {{"on_turn", view->on_turn[0], 1},
                                          {"starter", view->starter[0], 1},
                                          {"last_winner", view->last_winner[0], 0}};
    return mh_shown_check_seats(shown->table, rows, (int)(sizeof rows / sizeof *rows), message);
}

static int check_round(const struct general_shown *shown, char *message)
{
    const struct general_view *view = shown->view;
    const int turns = shown->table->options[OPTION_turn_limit];
    if (mh_shown_number(view->turns_left, sizeof view->turns_left) >= turns) {
        mh_message(message, "observation: turns_left is as much as all turns of the round, which are %d", turns);
        return MH_ERROR_ARGUMENT;
    }
    if ((view->last_winner[0] && !general_shown_has_result(view)) ||
        (view->last_points[0] && !view->last_winner[0])) {
        return mh_shown_refuse(message, "observation: last_winner or last_points without a round that is finished");
    }
    return MH_OK;
}

static int check_phase(const struct general_shown *shown, char *message)
{
    const struct general_view *view = shown->view;
    const int is_over = general_shown_is_over(view);
    const int phase = view->phase[0];
    if (is_over && view->on_turn[0] != view->event_seat[MH_EVENT_TAIL - 1]) {
        return mh_shown_refuse(message, "observation: the round did not end in the turn of on_turn");
    }
    if (has_seat(shown) && is_over != (phase == PHASE_OVER)) {
        return mh_shown_refuse(message,
                               "observation: phase and the last event differ on whether the round is over");
    }
    if (has_seat(shown) && !is_over && phase != PHASE_WAIT && view->on_turn[0] != 1) {
        return mh_shown_refuse(message, "observation: phase asks the observer, and another seat is on_turn");
    }
    if (general_shown_phase(shown) == PHASE_TAKEN && !view->taken[0]) {
        return mh_shown_refuse(message, "observation: a card has been taken, and taken is none");
    }
    return MH_OK;
}

/* ---- Cards ------------------------------------------------------------------------------------------------ */

static int check_block(const struct general_shown *shown, int seat, char *message)
{
    const struct general_seat *block = general_shown_seat(shown, seat);
    const int count = general_count_sequences(block->sequence_kind, block->sequence_ace);
    const int64_t target = mh_shown_number(shown->view->target, sizeof shown->view->target);
    const int64_t lacks = target - mh_shown_number(block->score, sizeof block->score);
    int32_t parts[PARTS];
    if (count < 0 || general_score(block->sequence_kind, count, parts) != block->tally[0]) {
        mh_message(message, "observation: seat %d has sequences that are none, or that tally does not count", seat);
        return MH_ERROR_ARGUMENT;
    }
    if (mh_shown_number(block->missing, sizeof block->missing) != (lacks > 0 ? lacks : 0)) {
        mh_message(message, "observation: missing of seat %d is not target less score", seat);
        return MH_ERROR_ARGUMENT;
    }
    if (block->old_cards[0] > block->hand_size[0] ||
        mh_bits_count(general_shown_aces(block)) > block->hand_size[0]) {
        mh_message(message, "observation: seat %d has hand_size %d, and more cards known or older", seat,
                   block->hand_size[0]);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

/* The discard pile without gaps, and the card on offer on top of it. Takes its cards out of those not found yet. */
static int find_discards(const struct general_shown *shown, uint64_t *left, char *message)
{
    const struct general_view *view = shown->view;
    int count = 0;
    for (int i = 0; i < PILE; i++) {
        const int card = view->discards[i];
        const int by = view->discarded_by[i];
        if (card ? i != count || !by || by > shown->table->seats : by) {
            mh_message(message, "observation: discards has a gap, or nobody discarded the card at place %d", i);
            return MH_ERROR_ARGUMENT;
        }
        if (card && !general_find_cards(left, (uint64_t)1 << (card - 1))) {
            return mh_shown_refuse(message, "observation: a card lies in discards and elsewhere");
        }
        count += card != 0;
    }
    const int top = count ? view->discards[count - 1] : 0;
    const int top_by = count ? view->discarded_by[count - 1] : 0;
    if (view->offer[0] ? view->offer[0] != top || view->offered_by[0] != top_by : view->offered_by[0]) {
        return mh_shown_refuse(message, "observation: offer is not the last one of discards");
    }
    return MH_OK;
}

static int find_own(const struct general_shown *shown, uint64_t *left, char *message)
{
    const struct general_view *view = shown->view;
    const struct general_seat *block = general_shown_seat(shown, shown->table->observer);
    const uint64_t hand = general_shown_cards(view->hand);
    if (mh_bits_count(hand) != block->hand_size[0]) {
        return mh_shown_refuse(message, "observation: hand has another number of cards than hand_size");
    }
    if (!general_find_cards(left, hand)) {
        return mh_shown_refuse(message, "observation: a card is in the hand and lies open");
    }
    if (view->drawn[1] && !view->drawn[0]) {
        return mh_shown_refuse(message, "observation: drawn has a second card and no first one");
    }
    if (general_shown_cards(view->drawable) & ~general_shown_cards(view->unseen)) {
        return mh_shown_refuse(message, "observation: drawable has cards that unseen has not");
    }
    return MH_OK;
}

/* The hidden cards fill the hands and the draw pile. */
static int find_hidden(const struct general_shown *shown, uint64_t *left, char *message)
{
    const struct general_hidden *hidden = shown->hidden;
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const uint64_t hand = general_shown_cards(shown->hidden_seats[seat].hands);
        const int is_own = seat == shown->table->viewer->seat;
        if (mh_bits_count(hand) != general_shown_seat(shown, seat)->hand_size[0] ||
            (is_own ? hand != general_shown_cards(shown->view->hand) : !general_find_cards(left, hand))) {
            mh_message(message, "omniscient: hands of seat %d are not what the observation says", seat);
            return MH_ERROR_ARGUMENT;
        }
    }
    for (int i = 0; i < PILE; i++) {
        const int card = hidden->draw_pile[i];
        if ((card != 0) != (i < shown->view->draw_pile_left[0]) ||
            (card && !general_find_cards(left, (uint64_t)1 << (card - 1)))) {
            return mh_shown_refuse(
                message, "omniscient: draw_pile has a card that is elsewhere, or not draw_pile_left cards");
        }
    }
    return MH_OK;
}

/* All cards are somewhere, and each in one place. */
static int check_cards(const struct general_shown *shown, char *message)
{
    uint64_t left = ALL_CARDS;
    int hidden = shown->view->draw_pile_left[0];
    int status = find_discards(shown, &left, message);
    for (int seat = 0; seat < shown->table->seats && !status; seat++) {
        const struct general_seat *block = general_shown_seat(shown, seat);
        status = check_block(shown, seat, message);
        if (!status && !general_find_sequences(block->sequence_kind, block->sequence_ace, &left)) {
            status = mh_shown_refuse(message, "observation: a card lies in a sequence and elsewhere");
        }
        hidden += block->hand_size[0];
    }
    if (!status && hidden != mh_bits_count(left)) {
        status = mh_shown_refuse(
            message, "observation: draw_pile_left and hand_size are not all the cards that are not open");
    }
    if (!status && has_seat(shown)) {
        status = find_own(shown, &left, message);
    }
    return !status && shown->hidden ? find_hidden(shown, &left, message) : status;
}

/* ---- Beside the observation ------------------------------------------------------------------------------- */

static int check_info(const struct general_shown *shown, char *message)
{
    const struct general_view *view = shown->view;
    const struct general_info *info = shown->info;
    const int has_result = general_shown_has_result(view);
    const int winner = view->last_winner[0] ? mh_shown_seat(shown->table, view->last_winner[0]) : -1;
    if ((info->rounds_over[0] > 0) != has_result || info->winner[0] != winner ||
        info->points[0] != view->last_points[0]) {
        return mh_shown_refuse(message, "info: rounds_over, winner or points are not what the observation says");
    }
    if (info->ending[0] < ENDING_NONE || info->ending[0] >= ENDINGS ||
        (info->ending[0] > ENDING_NONE) != has_result) {
        return mh_shown_refuse(message,
                               "info: ending is none of the endings, or of a round that has not been played");
    }
    return MH_OK;
}

static int check_hidden(const struct general_shown *shown, char *message)
{
    const int on_turn = mh_shown_seat(shown->table, shown->view->on_turn[0]);
    const int to_act = general_shown_is_over(shown->view) ? 0 : on_turn + 1;
    return shown->hidden->to_act[0] == to_act
               ? MH_OK
               : mh_shown_refuse(message, "omniscient: to_act is not the seat on turn");
}

int general_check_shown(const struct general_shown *shown, char *message)
{
    int status = check_seats(shown, message);
    status = status ? status : check_round(shown, message);
    status = status ? status : check_phase(shown, message);
    status = status ? status : check_cards(shown, message);
    if (!status && shown->info) {
        status = check_info(shown, message);
    }
    if (!status && shown->hidden) {
        status = check_hidden(shown, message);
    }
    return status;
}
