/* Leduc poker, in the order in which a deal goes: texts, deal, bets, showdown; then what is seen of it. */
#include "leduc.h"

/* ---- Cards and texts ----------------------------------------------------------------------------------------- */

static int card_rank(int card)
{
    return card / SUITS;
}

/* Each number of a card or an action has a distinct text (C9, C21). */
void leduc_card_text(int card, char *text)
{
    text[0] = "JQK"[card_rank(card)];
    text[1] = "sh"[card % SUITS];
    text[2] = '\0';
}

void leduc_action_text(int action, char *text)
{
    static const char *const texts[] = {"fold", "call", "raise"};
    strcpy(text, texts[action]);
}

/* ---- The deal (R2) ------------------------------------------------------------------------------------------- */

/* Settles the legal actions of the seat to act (R3.2): it is asked only when it has some. */
static void settle_actions(struct leduc_state *state)
{
    const int seat = state->head.seat;
    memset(state->legal, 0, sizeof state->legal);
    if (seat < 0) {
        return;
    }
    mh_set_add(state->legal, ACTION_call);
    if (state->stakes[seat] < state->stakes[1 - seat]) {
        mh_set_add(state->legal, ACTION_fold);
    }
    if (state->raises < state->options[OPTION_max_raises]) {
        mh_set_add(state->legal, ACTION_raise);
    }
}

/* Deals (C16). All is zero but the head, the options and the events, which have begun. All chance comes from
 * head.rng, so that a seed gives the same deal everywhere. */
void leduc_reset(struct leduc_state *state, const uint8_t *deck)
{
    leduc_shuffle(state, deck, state->deck);
    memset(state->stakes, ANTE, sizeof state->stakes);
    state->winner = -1;
    settle_actions(state);
}

/* ---- Bets and showdown (R3, R4) ------------------------------------------------------------------------------ */

/* R4.3: the winner, -1 for nobody, earns what the loser has put in. */
static void end_deal(struct leduc_state *state, int winner)
{
    mh_head_end_round(&state->head, 1, state->legal, LEGAL_WORDS);
    state->head.rounds = 1;
    state->winner = (int8_t)winner;
    if (winner < 0) {
        mh_events_add(&state->events, 0, EVENT_tie, 0, 0);
        return;
    }
    const int chips = state->stakes[1 - winner];
    mh_head_reward(&state->head, winner, chips);
    mh_head_reward(&state->head, 1 - winner, -chips);
    mh_events_add(&state->events, winner, EVENT_win, 0, chips);
}

/* R4.2: a pair with the open card beats any other card; among others the higher rank wins. */
static int strength(const struct leduc_state *state, int seat)
{
    const int rank = card_rank(state->deck[seat]);
    return rank == card_rank(state->deck[PLACE_OPEN]) ? RANKS : rank;
}

static void show_down(struct leduc_state *state)
{
    const int ahead = strength(state, 0) - strength(state, 1);
    state->shown = 1;
    for (int seat = 0; seat < SEATS; seat++) {
        mh_events_add(&state->events, seat, EVENT_show, state->deck[seat] + 1, 0);
    }
    end_deal(state, ahead > 0 ? 0 : ahead < 0 ? 1 : -1);
}

static void turn_up(struct leduc_state *state)
{
    state->opened = 1;
    state->raises = 0;
    state->acted = 0;
    state->head.seat = 0;
    mh_events_add(&state->events, 0, EVENT_turn_up, state->deck[PLACE_OPEN] + 1, 0);
}

/* Plays a legal action (C17). It leaves head.seat and the legal actions settled, or the episode over (C18). */
void leduc_apply(struct leduc_state *state, int action)
{
    const int seat = state->head.seat;
    const int bet = action != ACTION_raise ? 0 : state->opened ? SECOND_BET : FIRST_BET;
    const int chips = action == ACTION_fold ? 0 : state->stakes[1 - seat] - state->stakes[seat] + bet;
    const int first = !state->acted;
    state->stakes[seat] = (uint8_t)(state->stakes[seat] + chips);
    state->raises += bet != 0;
    state->acted = 1;
    mh_events_add(&state->events, seat, action, 0, chips);
    if (action == ACTION_fold) {
        end_deal(state, 1 - seat);
    } else if (action == ACTION_raise || first) {
        state->head.seat = (int8_t)(1 - seat);
    } else if (!state->opened) {
        turn_up(state);
    } else {
        show_down(state);
    }
    settle_actions(state);
}

/* Gives the bounds of a deal (C47): each betting round puts in as much as it may, and its loser has put in all of it.
 * The most actions of one are a check, all raises, and the call of the last. */
void leduc_bounds(const int32_t *options, struct mh_bounds *bounds)
{
    const int raises = options[OPTION_max_raises];
    const int most = ANTE + raises * FIRST_BET + raises * SECOND_BET;
    *bounds = (struct mh_bounds){.lowest = -most, .highest = most, .sum = 0, .decisions = 2 * (raises + 2)};
}

/* ---- The view of a seat -------------------------------------------------------------------------------------- */

/* True if a seat knows the card in a place of the deck: its own, and what was turned up or shown. */
static int knows(const struct leduc_state *state, int seat, int place)
{
    return place == seat || (place < SEATS && state->shown) || (place == PLACE_OPEN && state->opened);
}

void leduc_observe(const struct leduc_state *state, int seat, struct leduc_view *view, struct leduc_seat *seats)
{
    memset(view, 0, sizeof *view);
    memset(seats, 0, SEATS * sizeof *seats);
    view->hand[state->deck[seat]] = 1;
    view->open[state->deck[PLACE_OPEN]] = state->opened;
    view->to_act[0] = mh_head_relative(&state->head, seat, state->head.seat);
    view->betting_round[0] = (uint8_t)(1 + state->opened);
    view->raises[0] = state->raises;
    mh_events_show(&state->events, seat, SEATS, view->event_seat, view->event_kind, view->event_detail,
                   view->event_chips);
    for (int i = 0; i < SEATS; i++) {
        const int other = (seat + i) % SEATS;
        seats[i].stake[0] = state->stakes[other];
        seats[i].shown[state->deck[other]] = state->shown;
    }
}

/* Writes what critics may also see, into zeroed memory (C35). */
void leduc_omniscient(const struct leduc_state *state, struct leduc_hidden *hidden, struct leduc_hidden_seat *seats)
{
    hidden->to_act[0] = mh_head_relative(&state->head, 0, state->head.seat);
    for (int i = 0; i < DECK - PLACE_OPEN; i++) {
        const int place = PLACE_OPEN + state->opened + i;
        hidden->undealt[i] = (uint8_t)(place < DECK ? state->deck[place] + 1 : 0);
    }
    for (int seat = 0; seat < SEATS; seat++) {
        seats[seat].hands[state->deck[seat]] = 1;
    }
}

void leduc_info(const struct leduc_state *state, struct leduc_info *info)
{
    info->winner[0] = state->winner;
    for (int seat = 0; seat < SEATS && state->winner >= 0; seat++) {
        const int chips = state->stakes[1 - state->winner]; /* what the loser has put in (R4.3) */
        info->chips[seat] = seat == state->winner ? chips : -chips;
    }
}

/* ---- Hidden cards dealt again -------------------------------------------------------------------------------- */

/* True if a place of the deck is hidden from an observer; all seats together know the cards in hands. */
static int is_hidden(const struct leduc_state *state, int observer, int place)
{
    return observer == MH_ALL_SEATS ? place >= PLACE_OPEN + state->opened : !knows(state, observer, place);
}

/* The state as far as a seat knows it: the other cards change places, and the generator is a new one (C29). The
 * result depends on nothing that is hidden from the seat: cards are taken up by number, not by place. */
void leduc_resample(struct leduc_state *state, int observer, uint64_t seed)
{
    struct mh_rng rng = mh_rng_stream(seed, 'R');
    uint8_t hidden[DECK];
    int count = 0;
    for (int card = 0; card < DECK; card++) {
        for (int place = 0; place < DECK; place++) {
            if (state->deck[place] == card && is_hidden(state, observer, place)) {
                hidden[count++] = (uint8_t)card;
            }
        }
    }
    mh_rng_shuffle(&rng, hidden, count);
    for (int place = 0; place < DECK; place++) {
        if (is_hidden(state, observer, place)) {
            state->deck[place] = hidden[--count];
        }
    }
    state->head.rng = mh_rng_stream(seed, 'F');
}

/* A deal is so short that its events hold all of it. */
static struct leduc_state play_again(const struct leduc_state *state)
{
    struct leduc_state again;
    memset(&again, 0, sizeof again);
    leduc_start(&again, state->options, 0, state->deck);
    again.head.rng = state->head.rng; /* the deal has drawn from it, nothing else does */
    for (int i = MH_EVENT_TAIL; i < MH_EVENT_LOG && again.head.seat >= 0; i++) {
        const int action = state->events.kind[i];
        if (state->events.seat[i] && action < ACTIONS && mh_set_has(again.legal, action)) {
            mh_head_begin(&again.head);
            leduc_apply(&again, action);
        }
    }
    return again;
}

/* Refuses bytes that no play leads to (C30): the deal is played again.
 * Longer games check ranges, that no card is missing, and that what is derived is as it would be derived again. */
int leduc_check(const struct leduc_state *state, char *message)
{
    uint8_t cards[DECK];
    leduc_fill_deck(cards);
    if (mh_check_cards(state->deck, cards, DECK, message) != MH_OK) {
        return MH_ERROR_SNAPSHOT;
    }
    const struct leduc_state again = play_again(state);
    if (memcmp(&again, state, sizeof again) != 0) {
        return mh_refuse(message, "its events do not lead to it");
    }
    return MH_OK;
}

/* ---- Bots ---------------------------------------------------------------------------------------------------- */

/* A bot may look at what its own seat knows, and at nothing else (C22). */
int leduc_greedy(const struct leduc_state *state, struct mh_rng *rng)
{
    const int rank = card_rank(state->deck[state->head.seat]);
    const int pair = state->opened && rank == card_rank(state->deck[PLACE_OPEN]);
    (void)rng; /* it draws nothing at random */
    if ((pair || rank == RANKS - 1) && mh_set_has(state->legal, ACTION_raise)) {
        return ACTION_raise;
    }
    if (!pair && rank == 0 && mh_set_has(state->legal, ACTION_fold)) {
        return ACTION_fold;
    }
    return ACTION_call;
}

/* ---- Events and states as text ------------------------------------------------------------------------------ */

/* True if an event can have these details: the card, and the chips. */
int leduc_event_fits(int seats, int kind, int card, int chips)
{
    (void)seats;
    return card <= DECK && chips <= UINT8_MAX && (!card || kind == EVENT_turn_up || kind == EVENT_show);
}

/* The subject of an event, besides its kind. */
void leduc_event_text(int kind, int detail, int chips, char *text)
{
    (void)kind;
    text[0] = '\0';
    if (detail) {
        leduc_card_text(detail - 1, text);
    } else if (chips) {
        snprintf(text, MH_TEXT_SIZE, "%d", chips);
    }
}

/* All of the state, for programs that know the rules (C28); the runtime adds what every game has. People read words
 * made of the rows of the table, as long as there is no MH_HAS_WORDS (C49). */
void leduc_json(const struct leduc_state *state, struct mh_text *out)
{
    const int32_t stakes[SEATS] = {state->stakes[0], state->stakes[1]};
    const int next = PLACE_OPEN + state->opened;
    mh_json_key_string(out, "phase", state->head.seat < 0 ? "over" : state->opened ? "second" : "first");
    mh_json_key(out, "hands");
    mh_json_open(out, '[');
    for (int seat = 0; seat < SEATS; seat++) {
        mh_json_open(out, '[');
        mh_json_name(out, state->deck[seat], leduc_card_text);
        mh_json_close(out, ']');
    }
    mh_json_close(out, ']');
    mh_json_key_name(out, "open", state->opened ? state->deck[PLACE_OPEN] + 1 : 0, leduc_card_text);
    mh_json_key_names(out, "undealt", state->deck + next, DECK - next, leduc_card_text);
    mh_json_key_ints(out, "stakes", stakes, SEATS);
}

/* The way back (C45): the cards, and what has been done with them. */
void leduc_read(struct leduc_state *state, const struct mh_in *in)
{
    struct mh_in_deck deck = {leduc_card_text, DECK, {1, 1, 1, 1, 1, 1}};
    const struct mh_in hands = mh_in_key(in, "hands");
    const struct mh_in open = mh_in_key(in, "open");
    const struct mh_in undealt = mh_in_key(in, "undealt");
    int count = 0;
    mh_in_require(&hands);
    mh_in_by_seat(&hands, SEATS);
    for (; count < SEATS; count++) {
        const struct mh_in hand = mh_in_item(&hands, count);
        const struct mh_in card = mh_in_item(&hand, 0);
        mh_in_count(&hand, 1);
        mh_in_require(&card);
        state->deck[count] = (uint8_t)mh_in_card(&card, &deck);
    }
    if (mh_in_given(&open)) {
        state->deck[count++] = (uint8_t)mh_in_card(&open, &deck);
    }
    (void)mh_in_pile(&undealt, &deck, DECK - count, state->deck + count);
    mh_in_used_up(&undealt, &deck);
    if (!in->reader->failed) {
        *state = play_again(state);
    }
}

/* ---- The game as the runtime takes it ------------------------------------------------------------------------ */

#include "frame/mh_rules.inc"

_Static_assert((int)EVENT_fold == ACTION_fold && (int)EVENT_call == ACTION_call && (int)EVENT_raise == ACTION_raise,
               "an action is its own event");
