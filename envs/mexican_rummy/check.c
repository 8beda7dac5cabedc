/* Refuses bytes that no play leads to (snapshots come from outside), so that the other functions are safe on what
 * remains: every index in range, every card in one place, melds that can lie on a table, as many cards in play as the
 * phase gives, a plan that its cards can be made into, and everything that can be derived equal to what is derived
 * again. */
#include "mexican_rummy.h"

/* ---- Ranges ----------------------------------------------------------------------------------------------- */

/* Takes cards out of those not found yet. Returns 0 when one of them was found before. */
static int find_cards(struct cards *left, struct cards cards)
{
    const int fresh = cards_are_none(cards_without(cards, *left));
    *left = cards_without(*left, cards);
    return fresh;
}

/* Whose turn it is, who is asked, and what the phase allows. */
static int check_ranges(const struct rummy_state *state, char *message)
{
    const int seats = state->head.seats;
    const int phase = state->phase;
    const int over = phase == PHASE_OVER;
    if (phase < PHASE_ASK || phase > PHASE_OVER || state->starter >= seats || state->on_turn >= seats ||
        state->turn < 1) {
        return mh_refuse(message, "phase or seats out of range");
    }
    const int seat = state->head.seat;
    if (over != (seat < 0) || seat >= seats || (!over && phase != PHASE_ASK && seat != state->on_turn) ||
        state->on_turn != (state->starter + state->turn - 1) % seats) {
        return mh_refuse(message, "the seat to act out of range");
    }
    if (state->next > CARDS || state->num_discards > PILE || state->taken > CARDS || state->drawn > CARDS ||
        state->chosen > TYPES || state->offered != (phase <= PHASE_START) ||
        (state->offered && !state->num_discards) || (phase == PHASE_ANSWER) != (state->asker != 0) ||
        (phase == PHASE_SWAP || phase == PHASE_PLACE) != (state->chosen != 0)) {
        return mh_refuse(message, "cards out of range");
    }
    for (int i = 0; i < MH_EVENT_LOG; i++) {
        if (state->events.seat[i] && state->events.kind[i] == EVENT_deal &&
            (state->events.detail[i] == 0) == state->options[OPTION_turned_up]) {
            return mh_refuse(message, "a deal that turns up another number of cards");
        }
    }
    struct cards left = {{ALL_TYPES, ALL_TYPES}};
    int fits = find_cards(&left, state->shuffled);
    for (int card = 0; card < CARDS; card++) {
        const int in_last = state->shuffle_of[card] == state->shuffles;
        fits &= state->shuffle_of[card] <= state->shuffles && in_last == cards_have(&state->shuffled, card);
    }
    return fits ? MH_OK : mh_refuse(message, "shuffles out of range");
}

/* True if a seat comes before another one when May I is asked around (R4.2). */
static int asks_before(const struct rummy_state *state, int seat, int other)
{
    return mh_head_between(&state->head, state->on_turn, seat) <
           mh_head_between(&state->head, state->on_turn, other);
}

static int check_asking(const struct rummy_state *state, char *message)
{
    const int before_draw = state->phase <= PHASE_START;
    const int first = state->turn == 1;
    const int discarder = (state->on_turn + state->head.seats - 1) % state->head.seats;
    if (before_draw && state->discarded_by[state->num_discards - 1] != (first ? 0 : discarder + 1)) {
        return mh_refuse(message, "the discard that may be had is not the last one");
    }
    const int asked = state->phase == PHASE_ANSWER ? state->asker - 1 : state->head.seat;
    if (state->phase <= PHASE_ANSWER &&
        (asked >= state->head.seats || asked == state->on_turn || (!first && asked == discarder))) {
        return mh_refuse(message, "a seat asks that may not");
    }
    for (int seat = 0; seat < MH_MAX_SEATS + 2; seat++) {
        const int asking = state->phase <= PHASE_ANSWER;
        if ((state->refused >> seat & 1) &&
            (!before_draw || seat >= state->head.seats || seat == state->on_turn || (!first && seat == discarder) ||
             (asking && !asks_before(state, seat, asked)))) {
            return mh_refuse(message, "a seat was refused that has not asked");
        }
    }
    return MH_OK;
}

int rummy_event_fits(int seats, int kind, int detail, int place)
{
    switch (kind) {
    case EVENT_deal:
        return detail <= TYPES && !place;
    case EVENT_ask:
    case EVENT_take:
    case EVENT_discard:
        return detail >= 1 && detail <= TYPES && !place;
    case EVENT_grant:
    case EVENT_refuse:
        return detail >= 1 && detail <= TYPES && place >= 1 && place < seats;
    case EVENT_swap:
    case EVENT_lay:
        return detail >= 1 && detail <= TYPES && place >= 1 && place <= MELDS * seats;
    case EVENT_set:
        return detail >= 1 && detail <= RANKS && place >= SET_CARDS && place <= DECKS * SUITS;
    case EVENT_run:
        return detail >= 1 && detail <= SUITS * PLACES && place >= RUN_CARDS &&
               (detail - 1) % PLACES + place <= PLACES;
    case EVENT_over:
        return detail > ENDING_NONE && detail < ENDINGS && !place;
    default:
        return kind == EVENT_shuffle && !detail && !place;
    }
}

/* ---- Melds ------------------------------------------------------------------------------------------------ */

int rummy_meld_is_valid(int kind, const uint8_t cards[PLACES], int low, int count)
{
    for (int place = 0; place < PLACES; place++) {
        const int type = cards[place] - 1;
        const int there = place >= low && place < low + count;
        if (there != (type >= 0) || type >= TYPES) {
            return 0;
        }
        if (there && (kind_is_set(kind) ? type_rank(type) != kind - KIND_SET
                                        : type != place_type(kind - KIND_RUN, place) && !is_black_two(type))) {
            return 0;
        }
    }
    return 1;
}

static int is_kind_of_objective(const struct rummy_state *state, int meld, int kind)
{
    const struct rummy_objective objective = rummy_objectives[rummy_objective(state)];
    return meld < objective.sets ? kind_is_set(kind) : meld < objective.sets + objective.runs && kind_is_run(kind);
}

/* Melds that are complete, `count` of them, each of at least the least size. */
static int melds_are_valid(const struct rummy_state *state, const struct rummy_melds *melds, int count)
{
    for (int meld = 0; meld < MELDS; meld++) {
        const int kind = melds->kind[meld];
        const unsigned filled = rummy_filled(melds->cards[meld]);
        if (meld >= count) {
            if (kind || filled) {
                return 0;
            }
            continue;
        }
        const int low = filled ? mh_bits_lowest(filled) : 0;
        const int size = mh_bits_count(filled);
        if (!is_kind_of_objective(state, meld, kind) || size < (kind_is_set(kind) ? SET_CARDS : RUN_CARDS) ||
            (kind_is_set(kind) && low) || !rummy_meld_is_valid(kind, melds->cards[meld], low, size)) {
            return 0;
        }
    }
    return 1;
}

/* Takes the cards of melds from the numbers of cards by type that must lie in them. */
static void count_melds(const struct rummy_melds *melds, int8_t counts[TYPES])
{
    for (int meld = 0; meld < MELDS; meld++) {
        for (int place = 0; place < PLACES; place++) {
            if (melds->cards[meld][place]) {
                counts[melds->cards[meld][place] - 1]--;
            }
        }
    }
}

static void begin_counts(struct cards cards, int8_t counts[TYPES])
{
    for (int type = 0; type < TYPES; type++) {
        counts[type] = (int8_t)cards_of_type(cards, type);
    }
}

static int counts_are_zero(const int8_t counts[TYPES])
{
    int sum = 0;
    for (int type = 0; type < TYPES; type++) {
        sum |= counts[type];
    }
    return sum == 0;
}

static int check_melds(const struct rummy_state *state, char *message)
{
    const struct rummy_objective objective = rummy_objectives[rummy_objective(state)];
    const int last_round = rummy_is_no_discardo(rummy_objective(state));
    int8_t counts[TYPES];
    begin_counts(state->laid, counts);
    for (int seat = 0; seat < SEATS; seat++) {
        const int down = rummy_is_down(state, seat);
        const int may =
            seat < state->head.seats && (!last_round || (state->phase == PHASE_OVER && seat == state->last.winner));
        if ((down && !may) ||
            !melds_are_valid(state, &state->melds[seat], down ? objective.sets + objective.runs : 0)) {
            return mh_refuse(message, "a meld that cannot be");
        }
        count_melds(&state->melds[seat], counts);
    }
    return counts_are_zero(counts) ? MH_OK : mh_refuse(message, "the cards of melds do not add up");
}

/* ---- Cards ------------------------------------------------------------------------------------------------ */

static int find_card(struct cards *left, int card)
{
    struct cards one = {{0, 0}};
    if (card < 0 || card >= CARDS) {
        return 0;
    }
    cards_add(&one, card);
    return find_cards(left, one);
}

static int find_piles(const struct rummy_state *state, struct cards *left)
{
    struct cards piled = state->piled;
    for (int i = 0; i < PILE; i++) {
        const int card = state->discards[i];
        const int by = state->discarded_by[i];
        if (i >= state->num_discards ? card || by
                                     : !find_card(&piled, card - 1) || by > state->head.seats ||
                                           (!by && (i || !state->options[OPTION_turned_up]))) {
            return 0;
        }
    }
    for (int i = 0; i < CARDS; i++) {
        const int card = state->deck[i];
        if (i < state->next ? card != 0
                            : card >= CARDS || !cards_have(&state->shuffled, card) || !find_card(left, card)) {
            return 0;
        }
    }
    return cards_are_none(piled);
}

/* Every card is in one place. */
static int check_cards(const struct rummy_state *state, char *message)
{
    struct cards left = {{ALL_TYPES, ALL_TYPES}};
    int fresh = find_cards(&left, state->laid) & find_cards(&left, state->piled) & find_piles(state, &left);
    for (int seat = 0; seat < SEATS; seat++) {
        fresh &= find_cards(&left, state->hands[seat]);
    }
    if (!fresh || !cards_are_none(left)) {
        return mh_refuse(message, "cards are missing or double");
    }
    return cards_are_none(cards_without(state->shown, rummy_held(state)))
               ? MH_OK
               : mh_refuse(message, "cards are known that nobody holds");
}

/* Every seat was dealt ten cards, every grant brought two more, and a seat that has drawn has one more; laying only
 * moves them. */
static int check_hands(const struct rummy_state *state, char *message)
{
    const int over = state->phase == PHASE_OVER;
    const int drawn = state->phase >= PHASE_PLAY && !over;
    int in_play = cards_count(state->laid);
    for (int seat = 0; seat < SEATS; seat++) {
        const int size = cards_count(state->hands[seat]);
        const int own_turn = drawn && seat == state->on_turn;
        const int out = over && state->last.winner == seat;
        const int down = rummy_is_down(state, seat);
        in_play += size;
        if (seat >= state->head.seats ? size
            : out ? size || !down || seat != state->on_turn
                  : size < (down ? 1 : DEALT + own_turn) || (!down && !over && (size - DEALT - own_turn) % 2)) {
            return mh_refuse(message, "a hand of the wrong size");
        }
    }
    const int more = in_play - DEALT * state->head.seats - drawn;
    const int even = !over || state->last.ending == ENDING_TURNS;
    return more >= 0 && (!even || more % 2 == 0) ? MH_OK : mh_refuse(message, "too few or too many cards in play");
}

/* Every turn before this one has brought a discard. Those that lie in the pile, that this turn has taken and that were
 * shuffled, in each shuffle one at least, are as many at most. */
static int check_discards(const struct rummy_state *state, char *message)
{
    const int over = state->phase == PHASE_OVER;
    const int drawn = state->phase >= PHASE_PLAY && !over;
    const int last = over && state->last.ending != ENDING_NO_CARD; /* with the discard of this turn */
    const int made = state->options[OPTION_turned_up] + state->turn - 1 + last;
    const int shuffled = state->shuffles ? cards_count(state->shuffled) + state->shuffles - 1 : 0;
    return state->num_discards + (drawn && state->taken) + shuffled <= made
               ? MH_OK
               : mh_refuse(message, "more discards than turns");
}

static int check_turn(const struct rummy_state *state, char *message)
{
    const struct cards hand = state->hands[state->on_turn];
    const int over = state->phase == PHASE_OVER;
    const int drawn = state->phase >= PHASE_PLAY && !over;
    const int down = rummy_is_down(state, state->on_turn);
    const struct cards known = cards_union(cards_common(hand, state->shown), state->laid);
    if ((!drawn && (state->taken || state->drawn)) || (state->taken && state->drawn) ||
        (drawn && !down && !state->taken && !state->drawn) ||
        (state->taken && !cards_have(&known, state->taken - 1)) ||
        (state->drawn && (!cards_have(&hand, state->drawn - 1) || cards_have(&state->shown, state->drawn - 1) ||
                          !cards_have(&state->shuffled, state->drawn - 1)))) {
        return mh_refuse(message, "the card drawn is not in the hand");
    }
    return state->turn > rummy_turn_limit(state) ? mh_refuse(message, "turns out of range") : MH_OK;
}

/* ---- The plan --------------------------------------------------------------------------------------------- */

/* The hand as the plan's swap leaves it. Returns 0 when there can be no such swap. */
static int swap_is_valid(const struct rummy_state *state, struct cards *hand)
{
    const struct rummy_plan *plan = &state->plan;
    const int seat = plan->from[0];
    const int meld = plan->from[1];
    const int place = plan->from[2];
    if (!plan->given) {
        return !plan->got && !plan->wanted && !seat && !meld && !place;
    }
    if (seat >= state->head.seats || seat == state->on_turn || meld >= MELDS || place >= PLACES ||
        plan->given > CARDS || plan->got < 1 || plan->got > CARDS || !cards_have(hand, plan->given - 1) ||
        !cards_have(&state->laid, plan->got - 1)) {
        return 0;
    }
    if (!rummy_may_swap(state)) {
        return 0;
    }
    const struct rummy_melds *melds = &state->melds[seat];
    const int got = card_type(plan->got - 1);
    if (!rummy_is_wild_at(melds->kind[meld], melds->cards[meld], place) || melds->cards[meld][place] != got + 1 ||
        place_type(melds->kind[meld] - KIND_RUN, place) != card_type(plan->given - 1) ||
        (plan->wanted && plan->wanted != got + 1)) {
        return 0;
    }
    cards_remove(hand, plan->given - 1);
    cards_add(hand, plan->got - 1);
    return 1;
}

/* The melds planned: complete ones, and the one begun last as far as it is filled. */
static int planned_melds_are_valid(const struct rummy_state *state)
{
    const struct rummy_plan *plan = &state->plan;
    const int begun = plan->to_fill != 0;
    if (plan->count > MELDS || (begun && !plan->count) || plan->first >= LOWS || (!begun && plan->first)) {
        return 0;
    }
    struct rummy_melds complete = plan->melds;
    if (begun) {
        const int last = plan->count - 1;
        const int kind = complete.kind[last];
        const int size = kind_is_run(kind) ? RUN_CARDS : SET_CARDS;
        if (!is_kind_of_objective(state, last, kind) || plan->to_fill > size ||
            (kind_is_set(kind) && plan->first) ||
            !rummy_meld_is_valid(kind, complete.cards[last], plan->first, size - plan->to_fill)) {
            return 0;
        }
        complete.kind[last] = 0;
        memset(complete.cards[last], 0, sizeof complete.cards[last]);
    }
    return melds_are_valid(state, &complete, plan->count - begun);
}

/* True if the right one of two equal cards was planned where one of them stays in the hand: the black 2 swapped (R5.3),
 * else the one that everybody knows (R1.5). */
static int right_cards_stay(const struct rummy_state *state, struct cards hand)
{
    const struct rummy_plan *plan = &state->plan;
    if (plan->given && !plan->wanted != !cards_have(&plan->rest, plan->got - 1)) {
        return 0;
    }
    struct cards planned = cards_without(cards_without(hand, plan->rest), state->shown);
    if (plan->given) {
        cards_remove(&planned, plan->got - 1);
    }
    const struct cards known = cards_common(plan->rest, state->shown);
    return !(known.deck[0] & planned.deck[1]) && !(known.deck[1] & planned.deck[0]);
}

static int plan_is_valid(const struct rummy_state *state)
{
    const struct rummy_plan *plan = &state->plan;
    struct cards hand = state->hands[state->on_turn];
    int8_t counts[TYPES];
    if (rummy_is_down(state, state->on_turn) || !swap_is_valid(state, &hand) || !planned_melds_are_valid(state) ||
        !cards_are_none(cards_without(plan->rest, hand)) || !right_cards_stay(state, hand)) {
        return 0;
    }
    begin_counts(cards_without(hand, plan->rest), counts);
    count_melds(&plan->melds, counts);
    return counts_are_zero(counts);
}

static int check_plan(const struct rummy_state *state, char *message)
{
    static const struct rummy_plan none = {.count = 0};
    const int planning = rummy_is_planning(state);
    const int place = state->phase == PHASE_PLACE;
    if (planning ? state->phase < PHASE_MELD || state->phase > PHASE_PLACE || !plan_is_valid(state) ||
                       state->phase != (place ? PHASE_PLACE : rummy_plan_phase(state, &state->plan)) ||
                       (place && rummy_plan_phase(state, &state->plan) != PHASE_EXTEND)
                 : memcmp(&state->plan, &none, sizeof none) != 0 ||
                       (state->phase >= PHASE_MELD && state->phase <= PHASE_EXTEND) ||
                       (place && !rummy_is_down(state, state->on_turn)) ||
                       (state->phase == PHASE_SWAP && !rummy_may_swap(state))) {
        return mh_refuse(message, "a plan that cannot be");
    }
    const struct cards from = planning ? state->plan.rest : state->hands[state->on_turn];
    return state->chosen && !cards_of_type(from, state->chosen - 1)
               ? mh_refuse(message, "a card chosen that is not held")
               : MH_OK;
}

/* ---- All of it -------------------------------------------------------------------------------------------- */

/* Finds the values that the state keeps only for speed, and the hands that lie open in the end. */
static int find_derived(struct rummy_state *state, char *message)
{
    if (state->phase == PHASE_OVER) {
        state->shown = rummy_held(state);
    }
    state->fitting = 0;
    for (int seat = 0; seat < state->head.seats; seat++) {
        state->fitting |= rummy_fitting(&state->melds[seat]);
    }
    rummy_settle_actions(state);
    return state->phase != PHASE_OVER &&
                   (rummy_only_action(state) >= 0 || mh_set_next(state->legal, LEGAL_WORDS, 0) < 0)
               ? mh_refuse(message, "a seat is asked that has no choice")
               : MH_OK;
}

int rummy_settle(struct rummy_state *state, char *message)
{
    static int (*const checks[])(const struct rummy_state *, char *) = {
        rummy_check_rounds, check_ranges, check_cards, check_melds, check_hands,
        check_discards,     check_asking, check_turn,  check_plan,  rummy_check_results};
    for (int i = 0; i < (int)(sizeof checks / sizeof *checks); i++) {
        const int status = checks[i](state, message);
        if (status != MH_OK) {
            return status;
        }
    }
    return find_derived(state, message);
}

int rummy_check(const struct rummy_state *state, char *message)
{
    struct rummy_state again = *state;
    const int status = rummy_settle(&again, message);
    return mh_check_settled(status, &again, state, sizeof again, message);
}
