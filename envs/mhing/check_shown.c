/* Refuses observations, and what is given beside them, that cannot be said safely (C49): what they have too much of, or
 * name that is not there. The runtime has compared each field with the highest value of its row. */
#include "mhing.h"

static int refuse_shown(const char *what, char *message)
{
    mh_message(message, "observation: %s", what);
    return MH_ERROR_ARGUMENT;
}

static int refuse_beside(const char *what, char *message)
{
    mh_message(message, "viewer: %s", what);
    return MH_ERROR_ARGUMENT;
}

/* ---- Cards ------------------------------------------------------------------------------------------------ */

/* Counts these cards, or returns -1 where there are too many of a type, or more than a hand has. */
static int count_cards(const uint8_t count[35])
{
    int cards = 0;
    for (int type = 0; type <= JOKER; type++) {
        if (count[type] > (type == JOKER ? JOKERS : COPIES)) {
            return -1;
        }
        cards += count[type];
    }
    return cards > DEALT + 1 ? -1 : cards;
}

static int check_melds(const struct mhing_shown *shown, const struct mhing_seat *block, char *message)
{
    const int from_hand = shown->table->options[OPTION_lay_down];
    for (int i = 0; i < MELDS; i++) {
        const int kind = block->meld_kind[i] - 1;
        const int jokers = block->meld_jokers[i];
        const int from = block->meld_from[i];
        if (kind < 0) {
            if (jokers || from) {
                return refuse_shown("a meld that is none has jokers, or an origin", message);
            }
        } else if (!mhing_jokers_fit(kind, jokers) || from >= shown->table->seats || (!from && !from_hand) ||
                   (i && !block->meld_kind[i - 1])) {
            return refuse_shown("a meld that cannot lie there", message);
        }
    }
    return MH_OK;
}

static int check_discards(const struct mhing_shown *shown, const struct mhing_seat *block, char *message)
{
    const int room = mhing_discard_capacity(shown->table->seats);
    const uint8_t *discards = mhing_discards_view(block);
    if (block->num_discards[0] > room) {
        return refuse_shown("more discards than a seat can make", message);
    }
    for (int i = 0; i < room; i++) {
        const int fits = i < block->num_discards[0]
                             ? discards[i] % TAKER && discards[i] / TAKER < shown->table->seats
                             : !discards[i];
        if (!fits) {
            return refuse_shown("a discard that cannot lie there", message);
        }
    }
    return MH_OK;
}

/* ---- Seats ------------------------------------------------------------------------------------------------ */

static int check_seats(const struct mhing_shown *shown, char *message)
{
    const struct mhing_view *view = shown->view;
    const int seats = shown->table->seats;
    if (view->on_turn[0] < 1 || view->on_turn[0] > seats || view->dealer[0] < 1 || view->dealer[0] > seats ||
        view->claimed_from[0] > seats || view->last_winner[0] > seats) {
        return refuse_shown("a seat that nobody has", message);
    }
    for (int seat = 0; seat < seats; seat++) {
        const struct mhing_seat *block = mhing_shown_seat(shown, seat);
        int status = check_melds(shown, block, message);
        status = status ? status : check_discards(shown, block, message);
        if (status) {
            return status;
        }
    }
    return MH_OK;
}

/* The card on offer is the last one that the seat on turn has discarded. */
static int check_offer(const struct mhing_shown *shown, char *message)
{
    const struct mhing_view *view = shown->view;
    if (view->offered_by[0] != (view->offer[0] ? view->on_turn[0] : 0)) {
        return refuse_shown("the card on offer is not of the seat on turn", message);
    }
    if (view->phase[0] == PHASE_CLAIM && (!view->offer[0] || view->on_turn[0] == 1)) {
        return refuse_shown("a claim is asked for, and there is nothing to claim", message);
    }
    if (view->phase[0] == PHASE_TURN && (view->offer[0] || view->on_turn[0] != 1)) {
        return refuse_shown("who is asked is not on turn", message);
    }
    if (view->offer[0]) {
        const struct mhing_seat *block = mhing_shown_seat(shown, mhing_on_turn(shown));
        const int made = block->num_discards[0];
        if (!made || mhing_discards_view(block)[made - 1] != view->offer[0]) {
            return refuse_shown("the card on offer is not the last discard", message);
        }
    }
    return MH_OK;
}

static int check_own(const struct mhing_shown *shown, char *message)
{
    const struct mhing_view *view = shown->view;
    const int32_t *options = shown->table->options;
    const int viewer = shown->table->viewer->seat;
    if (count_cards(view->hand) != (viewer < 0 ? 0 : mhing_shown_seat(shown, viewer)->hand_size[0])) {
        return refuse_shown("the hand has other cards than its size says", message);
    }
    if (viewer < 0 && (view->phase[0] || view->drawn[0])) {
        return refuse_shown("a spectator is asked, or has drawn a card", message);
    }
    if (count_cards(view->revealed) < 0) {
        return refuse_shown("the hand laid open has cards that no hand has", message);
    }
    if (view->rules[0] != shown->table->seats || view->rules[1] != options[OPTION_lay_down] ||
        view->rules[2] != options[OPTION_seven_pairs] || view->rules[3] != options[OPTION_scoring]) {
        return refuse_shown("the rules are not those of the game's options", message);
    }
    return MH_OK;
}

/* ---- Beside the observation --------------------------------------------------------------------------------- */

static int check_info(const struct mhing_shown *shown, char *message)
{
    const struct mhing_info *info = shown->info;
    if (info && (info->payer[0] < -1 || info->payer[0] >= shown->table->seats)) {
        return refuse_beside("info has a payer that no seat is", message);
    }
    return MH_OK;
}

static int check_hidden(const struct mhing_shown *shown, char *message)
{
    const struct mhing_hidden *hidden = shown->hidden;
    const int left = shown->view->source_left[0];
    if (!hidden) {
        return MH_OK;
    }
    if (hidden->to_act[0] > shown->table->seats) {
        return refuse_beside("omniscient names a seat that nobody has", message);
    }
    for (int i = 0; i < (int)sizeof hidden->source; i++) {
        if (i < left ? !hidden->source[i] : hidden->source[i]) {
            return refuse_beside("omniscient has another number of cards in the source than are left", message);
        }
    }
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const struct mhing_hidden_seat *of_seat = &shown->hidden_seats[seat];
        if (count_cards(of_seat->hands) != mhing_shown_seat(shown, seat)->hand_size[0]) {
            return refuse_beside("omniscient has other cards in a hand than its size says", message);
        }
        if (mh_shown_number(of_seat->answers, sizeof of_seat->answers) > ACTIONS) {
            return refuse_beside("omniscient has an answer that is no action", message);
        }
    }
    return MH_OK;
}

int mhing_check_shown(const struct mhing_shown *shown, char *message)
{
    int status = check_seats(shown, message);
    status = status ? status : check_offer(shown, message);
    status = status ? status : check_own(shown, message);
    status = status ? status : check_info(shown, message);
    return status ? status : check_hidden(shown, message);
}
