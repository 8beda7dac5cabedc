/* Refuses an observation that no seat has of a table, and numbers beside it that cannot be, as far as words and
 * pictures need it (C49): seats that sit there, melds that can lie so, no more cards than two decks have. Observations
 * come from outside; the runtime has compared every field with its highest value, and every event with
 * rummy_event_fits. */
#include "mexican_rummy.h"

static int is_spectator(const struct rummy_shown *shown)
{
    return shown->table->viewer->seat < 0;
}

/* ---- Whose turn it is, and how far it has come -------------------------------------------------------------- */

static int check_seats(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    const struct mh_shown_field rows[] = {{"on_turn", view->on_turn[0], 1},
                                          {"starter", view->starter[0], 1},
                                          {"asker", view->asker[0], 0},
                                          {"offered_by", view->offered_by[0], 0}};
    return mh_shown_check_seats(shown->table, rows, (int)(sizeof rows / sizeof *rows), message);
}

static int check_round(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    const int32_t *options = shown->table->options;
    const int number = view->objective[0] - 1;
    if (number < 0 || view->sets[0] != rummy_objectives[number].sets ||
        view->runs[0] != rummy_objectives[number].runs) {
        return mh_shown_refuse(message, "observation: objective is none, or has other sets and runs");
    }
    if (mh_shown_number(view->turns_left, sizeof view->turns_left) >= rummy_turns(options, number)) {
        mh_message(message, "observation: turns_left is as much as all turns of the round, which are %d",
                   rummy_turns(options, number));
        return MH_ERROR_ARGUMENT;
    }
    if (view->rounds_left[0] >= rummy_rounds_from(options, number)) {
        mh_message(message, "observation: rounds_left is %d, and fewer than %d can be left", view->rounds_left[0],
                   (int)rummy_rounds_from(options, number));
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

/* The discard pile without gaps, the card turned up below all others, and the one on offer on top. */
static int check_discards(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    int count = 0;
    for (int i = 0; i < PILE; i++) {
        const int by = view->discarded_by[i];
        const int may_be_turned_up = i == 0 && shown->table->options[OPTION_turned_up];
        if (view->discards[i] ? i != count || by > shown->table->seats || (!by && !may_be_turned_up) : by) {
            mh_message(message, "observation: discards has a gap, or nobody discarded the card at place %d", i);
            return MH_ERROR_ARGUMENT;
        }
        count += view->discards[i] != 0;
    }
    const int top = count ? view->discards[count - 1] : 0;
    const int top_by = count ? view->discarded_by[count - 1] : 0;
    if (view->offer[0] ? view->offer[0] != top || view->offered_by[0] != top_by
                       : view->offered_by[0] || view->asker[0]) {
        return mh_shown_refuse(message, "observation: offer is not the last discard, or a seat asks for none");
    }
    return MH_OK;
}

/* ---- Melds ------------------------------------------------------------------------------------------------ */

/* Melds without gaps, of cards that can lie so. `unfilled` is the one that may have no card yet, -1: none. */
static int melds_are_valid(const uint8_t kinds[MELDS], const uint8_t *cards, int unfilled)
{
    for (int meld = 0; meld < MELDS; meld++, cards += PLACES) {
        const unsigned filled = rummy_filled(cards);
        const int low = filled ? mh_bits_lowest(filled) : 0;
        const int follows = meld == 0 || kinds[meld - 1];
        if (!kinds[meld] ? filled
                         : !follows || (!filled && meld != unfilled) || (kind_is_set(kinds[meld]) && low) ||
                               !rummy_meld_is_valid(kinds[meld], cards, low, mh_bits_count(filled))) {
            return 0;
        }
    }
    return 1;
}

static int check_melds(const struct rummy_shown *shown, char *message)
{
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const struct rummy_seat *block = rummy_shown_seat(shown, seat);
        if (!melds_are_valid(block->meld_kind, block->meld_cards, -1)) {
            mh_message(message, "observation: meld_cards of seat %d are none of its meld_kind", seat);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

/* ---- The observer's own knowledge ----------------------------------------------------------------------------- */

/* The black 2 that the observer swaps lies in the run in the place of the card that it gives. */
static int check_swap(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    const int name = view->swap_from[0] - 1;
    const int place = view->swap_from[1] - 1;
    if (!view->swap_card[0]) {
        return view->swap_from[0] || view->swap_from[1] || view->wanted[0]
                   ? mh_shown_refuse(message, "observation: a black 2 is swapped for no card")
                   : MH_OK;
    }
    if (name < 0 || name >= MELDS * shown->table->seats || place < 0 || place >= PLACES) {
        return mh_shown_refuse(message, "observation: swap_from names no meld");
    }
    const struct rummy_seat *block = rummy_shown_seat(shown, mh_shown_seat(shown->table, 1 + name / MELDS));
    const int kind = block->meld_kind[name % MELDS];
    const uint8_t *cards = block->meld_cards + name % MELDS * PLACES;
    if (!rummy_is_wild_at(kind, cards, place) || place_type(kind - KIND_RUN, place) != view->swap_card[0] - 1 ||
        (view->wanted[0] && view->wanted[0] != cards[place])) {
        return mh_shown_refuse(message, "observation: no black 2 stands for swap_card at swap_from");
    }
    return MH_OK;
}

static int check_phase(const struct rummy_view *view, char *message)
{
    const int phase = view->phase[0];
    const int before_draw = phase >= PHASE_ASK && phase <= PHASE_START;
    const int places = phase == PHASE_SWAP || phase == PHASE_PLACE;
    if ((before_draw && !view->offer[0]) || (phase == PHASE_ANSWER && !view->asker[0]) ||
        places != (view->chosen[0] != 0) || (phase == PHASE_FILL) != (view->to_fill[0] != 0)) {
        return mh_shown_refuse(message, "observation: offer, asker, chosen or to_fill do not fit the phase");
    }
    return MH_OK;
}

static int check_plan(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    int count = 0;
    for (int meld = 0; meld < MELDS; meld++) {
        count += view->plan_kind[meld] != 0;
    }
    if (!melds_are_valid(view->plan_kind, view->plan_cards, view->to_fill[0] ? count - 1 : -1) ||
        (view->to_fill[0] && !count)) {
        return mh_shown_refuse(message, "observation: plan_cards are none of plan_kind");
    }
    return check_swap(shown, message);
}

static int check_own(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    const int status = check_phase(view, message);
    if (status) {
        return status;
    }
    for (int type = 0; type < TYPES; type++) {
        if (view->drawable[type] > view->unseen[type]) {
            return mh_shown_refuse(message, "observation: drawable is more than unseen");
        }
    }
    return check_plan(shown, message);
}

/* ---- Two decks ------------------------------------------------------------------------------------------------ */

/* Adds cards+1, up to the first 0, to the numbers of each type and returns how many they are. */
static int count_cards(const uint8_t *cards, int count, uint8_t counts[TYPES + 1])
{
    int found = 0;
    while (found < count && cards[found]) {
        counts[cards[found++]]++;
    }
    return found;
}

/* Likewise cards that lie in melds, of which there is none behind the first one that is missing. */
static int count_melds(const uint8_t kinds[MELDS], const uint8_t *cards, uint8_t counts[TYPES + 1])
{
    int found = 0;
    for (int meld = 0; meld < MELDS && kinds[meld]; meld++, cards += PLACES) {
        const unsigned filled = rummy_filled(cards);
        found += count_cards(cards + (filled ? mh_bits_lowest(filled) : 0), mh_bits_count(filled), counts);
    }
    return found;
}

/* Likewise cards by type. */
static int add_counts(const uint8_t by_type[TYPES], uint8_t counts[TYPES + 1])
{
    int found = 0;
    for (int type = 0; type < TYPES; type++) {
        found += by_type[type];
    }
    for (int type = 0; found && type < TYPES; type++) {
        counts[1 + type] = (uint8_t)(counts[1 + type] + by_type[type]);
    }
    return found;
}

/* The hand of the observer with what it lays down. A black 2 that it swaps is counted in its run. */
static int count_own(const struct rummy_view *view, uint8_t counts[TYPES + 1])
{
    return add_counts(view->hand, counts) + count_melds(view->plan_kind, view->plan_cards, counts);
}

static int too_many(const uint8_t counts[TYPES + 1], int swapped)
{
    int found = 0;
    for (int type = 0; type < TYPES; type++) {
        found |= counts[1 + type] > DECKS + (1 + type == swapped);
    }
    return found;
}

/* The black 2 that the observer swaps, plus one; 0: none. It lies in the run still, and in the plan already. */
static int swapped_card(const struct rummy_shown *shown)
{
    const struct rummy_view *view = shown->view;
    if (is_spectator(shown) || !view->swap_card[0]) {
        return 0;
    }
    const int name = view->swap_from[0] - 1;
    const struct rummy_seat *block = rummy_shown_seat(shown, mh_shown_seat(shown->table, 1 + name / MELDS));
    return block->meld_cards[name % MELDS * PLACES + view->swap_from[1] - 1];
}

static int check_seat_counts(const struct rummy_seat *block, int known, int seat, char *message)
{
    if (known > block->hand_size[0] || block->old_cards[0] > block->hand_size[0]) {
        mh_message(message, "observation: seat %d has hand_size %d, and more cards known or older", seat,
                   block->hand_size[0]);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

static int check_cards(const struct rummy_shown *shown, char *message)
{
    const struct rummy_view *view = shown->view;
    uint8_t counts[TYPES + 1] = {0};
    int total = view->draw_pile_left[0] + count_cards(view->discards, PILE, counts);
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const struct rummy_seat *block = rummy_shown_seat(shown, seat);
        const int own = seat == shown->table->viewer->seat;
        uint8_t known_counts[TYPES + 1] = {0};
        const int known = add_counts(block->known, own ? known_counts : counts);
        const int status = check_seat_counts(block, known, seat, message);
        if (status) {
            return status;
        }
        if (own && count_own(view, counts) != block->hand_size[0]) {
            return mh_shown_refuse(message, "observation: hand and plan_cards are not as many as hand_size");
        }
        total += block->hand_size[0] + count_melds(block->meld_kind, block->meld_cards, counts);
    }
    return total > CARDS || too_many(counts, swapped_card(shown))
               ? mh_shown_refuse(message, "observation: there are more cards than two decks have")
               : MH_OK;
}

/* ---- Beside the observation ------------------------------------------------------------------------------- */

enum { MOST_POINTS = 20 * CARDS }; /* no card counts more than 20 (R8.1) */

static int check_info(const struct rummy_shown *shown, char *message)
{
    const struct rummy_info *info = shown->info;
    const int64_t winner = info->winner[0];
    const int64_t ending = info->ending[0];
    const int64_t over = info->rounds_over[0];
    if (info->round[0] < 0 || info->round[0] >= OBJECTIVES || over < 0 || over > OBJECTIVES) {
        return mh_shown_refuse(message, "info: round and rounds_over are from 0 to 6");
    }
    if (ending < ENDING_NONE || ending >= ENDINGS || (over > 0) != (ending > ENDING_NONE)) {
        return mh_shown_refuse(message,
                               "info: ending is none of the endings, or of a round that has not been played");
    }
    const int goes_out = ending == ENDING_OUT || ending == ENDING_NO_DISCARDO;
    if (goes_out ? winner < 0 || winner >= shown->table->seats : winner != -1) {
        return mh_shown_refuse(message, "info: winner is the seat that laid its last card, else -1");
    }
    for (int seat = 0; seat < shown->table->seats; seat++) {
        if (info->points[seat] < 0 || info->points[seat] > MOST_POINTS) {
            mh_message(message, "info: points of seat %d are %lld, and they are from 0 to %d", seat,
                       (long long)info->points[seat], (int)MOST_POINTS);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

static int check_hidden(const struct rummy_shown *shown, char *message)
{
    const struct rummy_hidden *hidden = shown->hidden;
    uint8_t counts[TYPES + 1] = {0};
    if (hidden->to_act[0] > shown->table->seats) {
        mh_message(message, "omniscient: to_act is %d, and seats are from 0 to %d", hidden->to_act[0],
                   shown->table->seats);
        return MH_ERROR_ARGUMENT;
    }
    if (hidden->to_act[0] && hidden->to_act[0] - 1 != mh_shown_seat(shown->table, shown->view->on_turn[0]) &&
        !shown->view->offer[0]) {
        return mh_shown_refuse(message, "omniscient: to_act is not on turn, and no discard is on offer");
    }
    const int left = count_cards(hidden->draw_pile, sizeof hidden->draw_pile, counts);
    for (int i = left; i < (int)sizeof hidden->draw_pile; i++) {
        if (hidden->draw_pile[i]) {
            return mh_shown_refuse(message, "omniscient: draw_pile has a gap");
        }
    }
    for (int seat = 0; seat < shown->table->seats; seat++) {
        if (add_counts(shown->hidden_seats[seat].hands, counts) != rummy_shown_seat(shown, seat)->hand_size[0]) {
            mh_message(message, "omniscient: hands has another number of cards than hand_size for seat %d", seat);
            return MH_ERROR_ARGUMENT;
        }
    }
    return left != shown->view->draw_pile_left[0] || too_many(counts, 0)
               ? mh_shown_refuse(message, "omniscient: cards are there too often, or not as many as draw_pile_left")
               : MH_OK;
}

int rummy_check_shown(const struct rummy_shown *shown, char *message)
{
    static int (*const checks[])(const struct rummy_shown *, char *) = {check_seats, check_round, check_discards,
                                                                        check_melds};
    int status = MH_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !status; i++) {
        status = checks[i](shown, message);
    }
    if (!status && !is_spectator(shown)) {
        status = check_own(shown, message);
    }
    if (!status) {
        status = check_cards(shown, message);
    }
    if (!status && shown->info) {
        status = check_info(shown, message);
    }
    if (!status && shown->hidden) {
        status = check_hidden(shown, message);
    }
    return status;
}
