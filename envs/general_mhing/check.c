/* Refuses bytes that no play leads to (snapshots come from outside), so that the other functions are safe on what
 * remains: every index in range, every card in one place, hands of the size that the phase gives them, and everything
 * that can be derived equal to what is derived again. */
#include "general_mhing.h"

/* ---- Ranges ---------------------------------------------------------------------------------------------- */

static int check_game(const struct general_state *state, char *message)
{
    enum { MOST = 9 }; /* points in a round */
    const int over = state->phase == PHASE_OVER;
    const int32_t rounds = state->head.rounds;
    int64_t points = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        if (state->scores[seat] < 0) {
            return mh_refuse(message, "scores out of range");
        }
        points += state->scores[seat];
    }
    if (rounds < over || rounds > state->options[OPTION_rounds] || points > (int64_t)MOST * rounds ||
        (!state->options[OPTION_episode] && rounds != over) || state->last.round != rounds - 1) {
        return mh_refuse(message, "rounds or scores out of range");
    }
    if (state->options[OPTION_episode] && over != general_game_is_over(state)) {
        return mh_refuse(message, "the scores do not fit the end of the game");
    }
    return MH_OK;
}

static int check_ranges(const struct general_state *state, char *message)
{
    const int seats = state->head.seats;
    const int over = state->phase == PHASE_OVER;
    if (state->phase < PHASE_START || state->phase > PHASE_OVER || state->starter >= seats ||
        state->on_turn >= seats || state->head.seat != (over ? -1 : state->on_turn) || state->turn < 1 ||
        state->turn > state->options[OPTION_turn_limit] ||
        state->on_turn != (state->starter + state->turn - 1) % seats) {
        return mh_refuse(message, "phase or seats out of range");
    }
    if (state->next > CARDS || state->num_discards > PILE || state->offer > CARDS || state->taken > CARDS ||
        state->drawn[0] > CARDS || state->drawn[1] > CARDS ||
        ((state->shown | state->given | state->shuffled | state->open) & ~ALL_CARDS)) {
        return mh_refuse(message, "cards out of range");
    }
    for (int card = 0; card < CARDS; card++) {
        const int in_last = state->shuffle_of[card] == state->shuffles;
        if (state->shuffle_of[card] > state->shuffles || in_last != (int)(state->shuffled >> card & 1)) {
            return mh_refuse(message, "shuffles out of range");
        }
    }
    return MH_OK;
}

/* ---- Sequences and results ------------------------------------------------------------------------------- */

/* How many sequences there are, or -1. */
static int count_sequences(const uint8_t *kinds, const uint8_t *aces)
{
    int count = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        const struct sequence sequence = {kinds[i] - 1, aces[i]};
        if (kinds[i] ? count != i || !sequence_is_valid(sequence) : aces[i]) {
            return -1;
        }
        count += kinds[i] != 0;
    }
    return count;
}

static int check_result(const struct general_state *state, char *message)
{
    const struct general_result *last = &state->last;
    const int seats = state->head.seats;
    int32_t tallies[SEATS] = {0};
    int32_t sequences[SEATS] = {0};
    int32_t parts[PARTS];
    for (int seat = 0; seat < SEATS; seat++) {
        const struct general_seat *block = &state->blocks[seat];
        sequences[seat] = count_sequences(last->sequence_kind[seat], last->sequence_ace[seat]);
        if (sequences[seat] < 0 || (sequences[seat] > 0 && seat >= seats)) {
            return mh_refuse(message, "a sequence of the last round out of range");
        }
        tallies[seat] = general_score(last->sequence_kind[seat], sequences[seat], parts);
        if (state->phase == PHASE_OVER &&
            (memcmp(block->sequence_kind, last->sequence_kind[seat], SEQUENCES) != 0 ||
             memcmp(block->sequence_ace, last->sequence_ace[seat], SEQUENCES) != 0)) {
            return mh_refuse(message, "the result is not that of the table");
        }
    }
    const int none = state->head.rounds == 0;
    const int winner = none ? -1 : general_winner(seats, tallies, sequences);
    if (last->winner != winner || last->ending >= ENDINGS || none != (last->ending == ENDING_NONE) ||
        (none && sequences[0] + sequences[1] + sequences[2] > 0)) {
        return mh_refuse(message, "the result does not follow from the sequences");
    }
    return MH_OK;
}

/* ---- Events ---------------------------------------------------------------------------------------------- */

int general_event_fits(int seats, int kind, int detail, int ace)
{
    const struct sequence sequence = {detail - 1, ace};
    (void)seats;
    switch (kind) {
    case EVENT_sequence:
        return sequence_is_valid(sequence);
    case EVENT_take:
    case EVENT_swap:
    case EVENT_discard:
        return detail >= 1 && detail <= CARDS && !ace;
    case EVENT_over:
        return detail > ENDING_NONE && detail < ENDINGS && !ace;
    default:
        return !detail && !ace;
    }
}

/* ---- Cards ----------------------------------------------------------------------------------------------- */

/* Takes cards out of those not found yet. Returns 0 when one of them was found before. */
static int find_cards(uint64_t *left, uint64_t cards)
{
    const int fresh = (cards & ~*left) == 0;
    *left &= ~cards;
    return fresh;
}

static int find_sequences(const struct general_seat *block, uint64_t *left)
{
    int fresh = 1;
    for (int i = 0; i < general_num_sequences(block); i++) {
        fresh &= find_cards(left, sequence_cards(general_sequence(block, i)));
    }
    return fresh;
}

static int find_discards(const struct general_state *state, uint64_t *left)
{
    for (int i = 0; i < PILE; i++) {
        const int card = state->discards[i];
        const int by = state->discarded_by[i];
        if (i >= state->num_discards ? card || by
                                     : card < 1 || card > CARDS || by < 1 || by > state->head.seats ||
                                           !find_cards(left, card_bit(card - 1))) {
            return 0;
        }
    }
    return 1;
}

static int find_draw_pile(const struct general_state *state, uint64_t *left)
{
    for (int i = 0; i < CARDS; i++) {
        const int card = state->deck[i];
        if (i < state->next
                ? card
                : card >= CARDS || !(state->shuffled & card_bit(card)) || !find_cards(left, card_bit(card))) {
            return 0;
        }
    }
    return 1;
}

/* Every card is in one place, and `open` has those of sequences and discards. */
static int check_cards(const struct general_state *state, char *message)
{
    uint64_t left = ALL_CARDS;
    int fresh = find_discards(state, &left);
    for (int seat = 0; seat < SEATS; seat++) {
        const struct general_seat *block = &state->blocks[seat];
        const int count = count_sequences(block->sequence_kind, block->sequence_ace);
        const int fourth =
            state->phase == PHASE_OVER && state->last.ending == ENDING_SEQUENCES && seat == state->on_turn;
        if (count < 0 || (count > 0 && seat >= state->head.seats) || (count == SEQUENCES) != fourth) {
            return mh_refuse(message, "a sequence out of range");
        }
        fresh &= find_sequences(block, &left);
    }
    if (!fresh || state->open != (ALL_CARDS & ~left)) {
        return mh_refuse(message, "open cards do not add up");
    }
    fresh = find_draw_pile(state, &left);
    for (int seat = 0; seat < SEATS; seat++) {
        fresh &= find_cards(&left, state->hands[seat]);
    }
    return fresh && !left ? MH_OK : mh_refuse(message, "cards are missing or double");
}

int general_hand_fits(const struct general_state *state, int seat)
{
    const int size = mh_bits_count(state->hands[seat]);
    if (seat >= state->head.seats) {
        return size == 0;
    }
    if (seat != state->on_turn) {
        return size == DEALT;
    }
    switch (state->phase) {
    case PHASE_START:
    case PHASE_END:
        return size == DEALT;
    case PHASE_TAKEN:
    case PHASE_PLAY:
        return size == DEALT + 1;
    default:
        return size == (state->last.ending == ENDING_SEQUENCES ? DEALT + 1 - SEQUENCE_CARDS : DEALT);
    }
}

static uint64_t natural_cards(const struct general_seat *block)
{
    uint64_t cards = 0;
    for (int i = 0; i < general_num_sequences(block); i++) {
        cards |= sequence_cards(general_sequence(block, i)) & ~ALL_ACES;
    }
    return cards;
}

static uint64_t card_or_none(int card)
{
    return card ? card_bit(card - 1) : 0;
}

/* The turn in play: what was taken, drawn and given in it, as its phase allows. */
static int check_turn(const struct general_state *state, char *message)
{
    static const uint8_t draws[] = {
        [PHASE_START] = 0, [PHASE_TAKEN] = 0, [PHASE_PLAY] = 1, [PHASE_END] = 2, [PHASE_OVER] = 0};
    const struct general_seat *block = &state->blocks[state->on_turn];
    const uint64_t hand = state->hands[state->on_turn];
    const uint64_t first = card_or_none(state->drawn[0]);
    const uint64_t second = card_or_none(state->drawn[1]);
    const uint64_t taken = card_or_none(state->taken);
    const int count = draws[state->phase];
    const int last = state->num_discards - 1;
    if (state->offer &&
        (state->phase != PHASE_START || last < 0 || state->discards[last] != state->offer ||
         mh_head_next(&state->head, state->discarded_by[last] - 1) != state->on_turn || state->turn < 2)) {
        return mh_refuse(message, "the card on offer is not the last discard");
    }
    if ((first != 0) != (count > 0) || (second != 0) != (count > 1) || (first & second) ||
        ((first | second) & (state->shown | ~(hand | state->given))) ||
        (state->given & ~(count ? natural_cards(block) : 0)) ||
        (count && state->shuffle_of[state->drawn[count - 1] - 1] != state->shuffles)) {
        return mh_refuse(message, "the cards drawn are not in the hand");
    }
    const uint64_t laid = natural_cards(block) | (state->open & ALL_ACES) | state->shown;
    if (state->phase == PHASE_TAKEN ? !(taken & hand & state->shown)
                                    : taken && (state->phase != PHASE_END || !(taken & laid))) {
        return mh_refuse(message, "the card taken is not laid");
    }
    if (state->shown & ~(ALL_ACES | (state->phase == PHASE_TAKEN ? taken : 0))) {
        return mh_refuse(message, "cards are known that cannot be");
    }
    if (state->phase == PHASE_OVER && state->last.ending == ENDING_TURNS &&
        state->turn != state->options[OPTION_turn_limit]) {
        return mh_refuse(message, "the turns do not fit the end of the round");
    }
    if (state->phase == PHASE_END && general_num_sequences(block) == 0) {
        return mh_refuse(message, "no sequence has been laid");
    }
    return MH_OK;
}

/* What the state keeps only to be fast. */
static int find_derived(struct general_state *state, char *message)
{
    uint64_t held = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        struct general_seat *block = &state->blocks[seat];
        struct general_seat derived = {.score = {0}};
        memcpy(derived.sequence_kind, block->sequence_kind, SEQUENCES);
        memcpy(derived.sequence_ace, block->sequence_ace, SEQUENCES);
        *block = derived;
        general_update_sequences(state, seat);
        held |= state->hands[seat];
    }
    general_show_scores(state);
    memset(state->legal, 0, sizeof state->legal);
    if (state->phase != PHASE_OVER) {
        if (!general_has_choice(state)) {
            return mh_refuse(message, "a seat is asked that has no choice");
        }
        general_settle_actions(state);
    }
    return state->shown & ~held ? mh_refuse(message, "cards are known that nobody holds") : MH_OK;
}

int general_settle(struct general_state *state, char *message)
{
    int status = check_ranges(state, message);
    status = status == MH_OK ? check_game(state, message) : status;
    status = status == MH_OK ? check_cards(state, message) : status;
    for (int seat = 0; status == MH_OK && seat < SEATS; seat++) {
        status = general_hand_fits(state, seat) ? MH_OK : mh_refuse(message, "a hand of the wrong size");
    }
    status = status == MH_OK ? check_result(state, message) : status;
    status = status == MH_OK ? check_turn(state, message) : status;
    return status == MH_OK ? find_derived(state, message) : status;
}

int general_check(const struct general_state *state, char *message)
{
    struct general_state again = *state;
    const int status = general_settle(&again, message);
    return mh_check_settled(status, &again, state, sizeof again, message);
}
