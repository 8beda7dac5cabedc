/* Leduc poker, in the order in which a deal goes: texts, deal, bets, showdown; then what is seen of it. */
#include "leduc.h"

/* ---- Cards and texts ------------------------------------------------------------------------------------- */

static int card_rank(int card)
{
    return card / SUITS;
}

/* Everything that has a number has a text: unique, printable, at most MH_TEXT_SIZE bytes. */
static void card_text(int card, char *text)
{
    text[0] = "JQK"[card_rank(card)];
    text[1] = "sh"[card % SUITS];
    text[2] = '\0';
}

static void leduc_action_text(int action, char *text)
{
    static const char *const texts[] = {"fold", "call", "raise"};
    strcpy(text, texts[action]);
}

/* ---- The deal (R2) --------------------------------------------------------------------------------------- */

static int leduc_check_options(const int32_t *options, char *message) /* NOLINT: a message is written to */
{
    (void)options; /* none of them exclude each other */
    (void)message;
    return MH_OK;
}

/* Settles the legal actions of the seat to act (R3.2): it is asked only when it has some. */
static void settle_actions(struct leduc_state *state)
{
    const int seat = state->head.seat;
    state->legal[0] = 0;
    if (seat < 0) {
        return;
    }
    mh_set_add(state->legal, ACTION_CALL);
    if (state->stakes[seat] < state->stakes[1 - seat]) {
        mh_set_add(state->legal, ACTION_FOLD);
    }
    if (state->raises < state->options[OPTION_max_raises]) {
        mh_set_add(state->legal, ACTION_RAISE);
    }
}

/* The memory is zeroed. All chance comes from head.rng, so that a seed gives the same deal everywhere. */
static void leduc_reset(struct leduc_state *state, const int32_t *options, uint64_t seed, const uint8_t *deck)
{
    state->head.rng = mh_rng_stream(seed, 'D');
    state->head.seats = SEATS;
    memcpy(state->options, options, sizeof state->options);
    mh_events_begin(&state->events);
    for (int card = 0; card < CARDS; card++) {
        state->deck[card] = deck ? deck[card] : (uint8_t)card;
    }
    if (!deck) {
        mh_rng_shuffle(&state->head.rng, state->deck, CARDS);
    }
    memset(state->stakes, ANTE, sizeof state->stakes);
    state->winner = -1;
    settle_actions(state);
}

/* ---- Bets and showdown (R3, R4) -------------------------------------------------------------------------- */

/* R4.3: the winner, -1 for nobody, earns what the loser has put in. */
static void end_deal(struct leduc_state *state, int winner)
{
    state->head.seat = -1;
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
    mh_events_add(&state->events, 0, EVENT_open, state->deck[PLACE_OPEN] + 1, 0);
}

/* Plays a legal action. Rewards are cleared before; head.seat and the legal actions are settled at the end. */
static void leduc_apply(struct leduc_state *state, int action)
{
    const int seat = state->head.seat;
    const int bet = action != ACTION_RAISE ? 0 : state->opened ? 4 : 2;
    const int chips = action == ACTION_FOLD ? 0 : state->stakes[1 - seat] - state->stakes[seat] + bet;
    const int first = !state->acted;
    state->stakes[seat] = (uint8_t)(state->stakes[seat] + chips);
    state->raises += bet != 0;
    state->acted = 1;
    mh_events_add(&state->events, seat, action, 0, chips);
    if (action == ACTION_FOLD) {
        end_deal(state, 1 - seat);
    } else if (action == ACTION_RAISE || first) {
        state->head.seat = (int8_t)(1 - seat);
    } else if (!state->opened) {
        turn_up(state);
    } else {
        show_down(state);
    }
    settle_actions(state);
}

/* ---- What a seat sees ------------------------------------------------------------------------------------ */

/* The one place that decides who knows which card; observations and resampled states both ask it. */
static int knows(const struct leduc_state *state, int seat, int place)
{
    return place == seat || (place < SEATS && state->shown) || (place == PLACE_OPEN && state->opened);
}

static void leduc_observe(const struct leduc_state *state, int seat, uint8_t *observation)
{
    const int to_act = state->head.seat;
    struct leduc_view *view = (struct leduc_view *)observation;
    struct leduc_seat *blocks = (struct leduc_seat *)(observation + sizeof *view);
    memset(observation, 0, sizeof *view + SEATS * sizeof *blocks);
    view->hand[state->deck[seat]] = 1;
    view->open[state->deck[PLACE_OPEN]] = state->opened;
    view->to_act[0] = (uint8_t)(to_act < 0 ? 0 : 1 + (to_act != seat));
    view->betting_round[0] = (uint8_t)(1 + state->opened);
    view->raises[0] = state->raises;
    mh_events_show(&state->events, seat, SEATS, view->event_seat, view->event_kind, view->event_detail,
                   view->event_chips);
    for (int i = 0; i < SEATS; i++) {
        const int other = (seat + i) % SEATS;
        blocks[i].stake[0] = state->stakes[other];
        blocks[i].shown[state->deck[other]] = state->shown;
    }
}

static void leduc_omniscient(const struct leduc_state *state, uint8_t *omniscient)
{
    struct leduc_hidden *hidden = (struct leduc_hidden *)omniscient;
    struct leduc_hidden_seat *seats = (struct leduc_hidden_seat *)(omniscient + sizeof *hidden);
    memset(omniscient, 0, sizeof *hidden + SEATS * sizeof *seats);
    hidden->to_act[0] = (uint8_t)(state->head.seat + 1);
    for (int place = PLACE_OPEN + state->opened, i = 0; place < CARDS; place++) {
        hidden->undealt[i++] = (uint8_t)(state->deck[place] + 1);
    }
    for (int seat = 0; seat < SEATS; seat++) {
        seats[seat].hands[state->deck[seat]] = 1;
    }
}

static void leduc_info_numbers(const struct leduc_state *state, int64_t *info)
{
    const struct leduc_info numbers = {.rounds_over = {state->head.rounds},
                                       .winner = {state->winner},
                                       .chips = {state->winner < 0 ? 0 : state->stakes[1 - state->winner]}};
    memcpy(info, &numbers, sizeof numbers);
}

/* ---- What may be behind it ------------------------------------------------------------------------------- */

/* The state as far as a seat knows it: the other cards change places, and the generator is a new one. The result
 * depends on nothing that is hidden from the seat: cards are taken up by number, not by place. */
static void leduc_resample(struct leduc_state *state, int seat, uint64_t seed)
{
    struct mh_rng rng = mh_rng_stream(seed, 'R');
    uint8_t hidden[CARDS];
    int count = 0;
    for (int card = 0; card < CARDS; card++) {
        for (int place = 0; place < CARDS; place++) {
            if (state->deck[place] == card && !knows(state, seat, place)) {
                hidden[count++] = (uint8_t)card;
            }
        }
    }
    mh_rng_shuffle(&rng, hidden, count);
    for (int place = 0; place < CARDS; place++) {
        if (!knows(state, seat, place)) {
            state->deck[place] = hidden[--count];
        }
    }
    state->head.rng = mh_rng_stream(seed, 'F');
}

static int check_deck(const uint8_t *deck, char *message)
{
    unsigned seen = 0;
    for (int i = 0; i < CARDS; i++) {
        if (deck[i] >= CARDS || seen >> deck[i] & 1) {
            mh_message(message, "deck: card %d at place %d is out of range or there twice", deck[i], i);
            return MH_ERROR_ARGUMENT;
        }
        seen |= 1u << deck[i];
    }
    return MH_OK;
}

/* Refuses bytes that no play leads to. A deal is so short that its events hold all of it: it is played again. Longer
 * games check ranges, that no card is missing, and that all that can be derived is as it would be derived. */
static int leduc_check(const struct leduc_state *state, char *message)
{
    struct leduc_state again;
    if (check_deck(state->deck, message) != MH_OK) {
        return MH_ERROR_SNAPSHOT;
    }
    memset(&again, 0, sizeof again);
    leduc_reset(&again, state->options, 0, state->deck);
    again.head.rng = state->head.rng; /* the deal has drawn from it, nothing else does */
    for (int i = MH_EVENT_TAIL; i < MH_EVENT_LOG && again.head.seat >= 0; i++) {
        const int action = state->events.kind[i];
        if (state->events.seat[i] && action < ACTIONS && mh_set_has(again.legal, action)) {
            mh_head_begin(&again.head);
            leduc_apply(&again, action);
        }
    }
    if (memcmp(&again, state, sizeof again) != 0) {
        mh_message(message, "snapshot: damaged, its events do not lead to it");
        return MH_ERROR_SNAPSHOT;
    }
    return MH_OK;
}

/* ---- Bots ------------------------------------------------------------------------------------------------ */

/* What is played for a seat that does not answer: it folds, or checks. Ids are in the order of what they risk. */
static int idle(const void *state)
{
    return mh_set_next(((const struct leduc_state *)state)->legal, 1, 0);
}

/* A bot may look at what its own seat knows, and at nothing else. */
static int act_greedy(const void *memory, struct mh_rng *rng)
{
    const struct leduc_state *state = memory;
    const int rank = card_rank(state->deck[state->head.seat]);
    const int pair = state->opened && rank == card_rank(state->deck[PLACE_OPEN]);
    (void)rng; /* it draws nothing by lot */
    if ((pair || rank == RANKS - 1) && mh_set_has(state->legal, ACTION_RAISE)) {
        return ACTION_RAISE;
    }
    if (!pair && rank == 0 && mh_set_has(state->legal, ACTION_FOLD)) {
        return ACTION_FOLD;
    }
    return ACTION_CALL;
}

/* ---- A state as JSON and as text ------------------------------------------------------------------------- */

static const char *phase(const struct leduc_state *state)
{
    return state->head.seat < 0 ? "over" : state->opened ? "second" : "first";
}

/* What an event is about, beside its kind. */
static void event_text(int kind, int detail, int chips, char *text)
{
    (void)kind;
    text[0] = '\0';
    if (detail) {
        card_text(detail - 1, text);
    } else if (chips) {
        snprintf(text, MH_TEXT_SIZE, "%d", chips);
    }
}

static void write_result(const struct leduc_state *state, struct mh_text *out)
{
    mh_json_key(out, "result");
    if (!state->head.rounds) {
        mh_json_null(out);
        return;
    }
    mh_json_open(out, '{');
    mh_json_key_int(out, "round", 0);
    mh_json_key_int(out, "winner", state->winner);
    mh_json_key_int(out, "chips", state->winner < 0 ? 0 : state->stakes[1 - state->winner]);
    mh_json_close(out, '}');
}

static void leduc_json(const struct leduc_state *state, struct mh_text *out)
{
    extern const struct mh_spec leduc_spec;
    const int32_t stakes[SEATS] = {state->stakes[0], state->stakes[1]};
    const int next = PLACE_OPEN + state->opened;
    mh_json_open(out, '{');
    mh_json_key_string(out, "game", leduc_spec.id);
    mh_json_options(out, &leduc_spec, state->options);
    mh_json_key_string(out, "phase", phase(state));
    mh_json_key_int(out, "seat", state->head.seat);
    mh_json_key(out, "hands");
    mh_json_open(out, '[');
    for (int seat = 0; seat < SEATS; seat++) {
        mh_json_open(out, '[');
        mh_json_name(out, state->deck[seat], card_text);
        mh_json_close(out, ']');
    }
    mh_json_close(out, ']');
    mh_json_key_name(out, "open", state->opened ? state->deck[PLACE_OPEN] + 1 : 0, card_text);
    mh_json_key_names(out, "undealt", state->deck + next, CARDS - next, card_text);
    mh_json_key_ints(out, "stakes", stakes, SEATS);
    mh_json_key(out, "shown");
    mh_json_bool(out, state->shown);
    mh_json_events(out, &leduc_spec, &state->events, event_text, "chips");
    mh_json_key_numbers(out, "returns", state->head.returns, SEATS);
    write_result(state, out);
    mh_json_close(out, '}');
}

static void leduc_text(const struct leduc_state *state, struct mh_text *out)
{
    char card[MH_TEXT_SIZE] = "none";
    if (state->opened) {
        card_text(state->deck[PLACE_OPEN], card);
    }
    mh_text_add(out, "Leduc poker, phase %s, open card %s\n", phase(state), card);
    for (int seat = 0; seat < SEATS; seat++) {
        card_text(state->deck[seat], card);
        mh_text_add(out, "%c seat %d | %s | %d chips in\n", seat == state->head.seat ? '>' : ' ', seat, card,
                    state->stakes[seat]);
    }
    if (state->head.seat < 0) {
        mh_text_add(out, "winner %d\n", state->winner);
    }
}

/* ---- The game as the runtime takes it -------------------------------------------------------------------- */

static const struct mh_labels labels[] = {{"cards", CARDS, card_text}};

static void layout(const int32_t *option, struct mh_sizes *sizes, struct mh_layout *out)
{
    (void)option;
    out->seat_offset = sizeof(struct leduc_view);
    out->seat_stride = sizeof(struct leduc_seat);
    out->seat_tail = 0;
    out->hint_offset = -1;
    out->hidden_seat_offset = sizeof(struct leduc_hidden);
    out->hidden_seat_stride = sizeof(struct leduc_hidden_seat);
    sizes->seats = SEATS;
    sizes->actions = ACTIONS;
    sizes->state = sizeof(struct leduc_state);
    sizes->snapshot = mh_snapshot_size(sizes->state);
    sizes->observation = (int)sizeof(struct leduc_view) + SEATS * (int)sizeof(struct leduc_seat);
    sizes->omniscient = (int)sizeof(struct leduc_hidden) + SEATS * (int)sizeof(struct leduc_hidden_seat);
    sizes->info = (int)(sizeof(struct leduc_info) / sizeof(int64_t));
    sizes->deck = CARDS;
}

#define MH_STATE struct leduc_state
#define MH_RESET leduc_reset
#define MH_APPLY leduc_apply
#define MH_OBSERVE leduc_observe
#define MH_INFO_NUMBERS leduc_info_numbers
#define MH_ACTIONS ACTIONS
#define MH_STATE_HOT sizeof(struct leduc_state)
#define MH_START_ROW start_row
#define MH_SHOW_ROW show_row
#define MH_STEP_ROWS step_rows
#include "mh_batch.inc"

#define MH_ID leduc
#define MH_TITLE "Leduc poker"
#define MH_VERSION 0
#define MH_OF(name) leduc_##name
#include "mh_rules.inc"

_Static_assert((int)EVENT_fold == ACTION_FOLD && (int)EVENT_call == ACTION_CALL && (int)EVENT_raise == ACTION_RAISE,
               "an action is its own event");
