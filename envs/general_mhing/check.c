/* Refuses bytes that no play leads to (snapshots come from outside), so that the other functions are safe on what
 * remains: every index in range, every card in one place, hands of the size that the phase gives them, and everything
 * that can be derived equal to what is derived again. */
#include "general_mhing.h"

/* ---- Ranges ---------------------------------------------------------------------------------------------- */

static int is_over(const struct general_state *state)
{
    return state->phase == PHASE_OVER;
}

/* Turns of the seat that sits so far clockwise from the starter, of so many of all seats. */
static int turns_of(const struct general_state *state, int from_starter, int turns)
{
    return (turns - from_starter + state->head.seats - 1) / state->head.seats;
}

/* Turns that four sequences of one seat need. */
static int turns_of_four(const struct general_state *state)
{
    return (SEQUENCES - 1) * state->head.seats + 1;
}

int64_t general_least_decisions(const struct general_state *state)
{
    const int phase = state->phase;
    const int limit = state->options[OPTION_turn_limit];
    const int shortest = limit < turns_of_four(state) ? limit : turns_of_four(state);
    const int64_t earlier = (int64_t)(state->head.rounds - is_over(state)) * shortest;
    const int asked = phase == PHASE_TAKEN || phase == PHASE_END || phase == PHASE_OVER; /* in this turn before */
    return earlier + state->turn - 1 + asked;
}

static int check_head(const struct general_state *state, char *message)
{
    const int32_t rounds = state->head.rounds;
    const int64_t limit = state->options[OPTION_turn_limit];
    if (state->options[OPTION_episode] ? rounds < is_over(state) : rounds != is_over(state)) {
        return mh_refuse(message, "the rounds do not fit the phase");
    }
    if (state->last.round != rounds - 1) {
        return mh_refuse(message, "the result is not that of the round before");
    }
    const int64_t turns = (rounds - is_over(state)) * limit + state->turn;
    if (state->head.decisions < general_least_decisions(state) || state->head.decisions > turns * TURN_DECISIONS) {
        return mh_refuse(message, "more or fewer decisions than the turns need");
    }
    return MH_OK;
}

/* Checks that the scores before the round finished last come from the rounds before, of which none ended the game. */
static int check_scores(const struct general_state *state, char *message)
{
    const int most = general_most_points(state->options);
    struct general_state before = *state;
    int32_t parts[PARTS];
    int64_t won = 0; /* rounds at least */
    if (state->last.winner >= 0) {
        before.scores[state->last.winner] -= general_last_tally(state, state->last.winner, parts);
    }
    for (int seat = 0; seat < SEATS; seat++) {
        if (before.scores[seat] < 0 || (state->scores[seat] && seat >= state->head.seats)) {
            return mh_refuse(message, "scores that the last round does not leave");
        }
        won += ((int64_t)before.scores[seat] + most - 1) / most;
    }
    before.head.rounds -= before.head.rounds > 0;
    if (won > before.head.rounds) {
        return mh_refuse(message, "more points than the rounds can bring");
    }
    if (general_episode_is_over(&before) || general_episode_is_over(state) != (state->head.seat == MH_OVER)) {
        return mh_refuse(message, "the rounds and scores do not fit the end of the game");
    }
    return MH_OK;
}

static int check_ranges(const struct general_state *state, char *message)
{
    const int seats = state->head.seats;
    if (state->phase < PHASE_START || state->phase > PHASE_OVER || state->starter >= seats ||
        state->on_turn >= seats || (is_over(state) ? state->head.seat >= 0 : state->head.seat != state->on_turn) ||
        state->turn < 1 || state->turn > state->options[OPTION_turn_limit] ||
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

int general_count_sequences(const uint8_t *kinds, const uint8_t *aces)
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

int general_find_cards(uint64_t *left, uint64_t cards)
{
    const int fresh = (cards & ~*left) == 0;
    *left &= ~cards;
    return fresh;
}

int general_find_sequences(const uint8_t *kinds, const uint8_t *aces, uint64_t *left)
{
    int fresh = 1;
    for (int i = 0; i < general_count_kinds(kinds); i++) {
        const struct sequence sequence = {kinds[i] - 1, aces[i]};
        fresh &= general_find_cards(left, sequence_cards(sequence));
    }
    return fresh;
}

/* The seat that began the round finished last. */
static int starter_of_last(const struct general_state *state)
{
    const int seats = state->head.seats;
    const int same = is_over(state) || state->options[OPTION_next_starter] == NEXT_SAME;
    return same ? state->starter : (state->starter + seats - 1) % seats;
}

/* Checks the sequences in front of each seat when a round was over; writes their scores and numbers. */
static int check_last_sequences(const struct general_state *state, int32_t tallies[SEATS], int32_t counts[SEATS],
                                char *message)
{
    const struct general_result *last = &state->last;
    const int starter = starter_of_last(state);
    uint64_t left = ALL_CARDS;
    int fresh = 1;
    int fours = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        const int there = seat < state->head.seats && last->ending != ENDING_NONE;
        const int turns =
            there ? turns_of(state, mh_head_between(&state->head, starter, seat), state->options[OPTION_turn_limit])
                  : 0;
        int32_t parts[PARTS];
        counts[seat] = general_count_sequences(last->sequence_kind[seat], last->sequence_ace[seat]);
        if (counts[seat] < 0 || counts[seat] > turns) {
            return mh_refuse(message, "a sequence of the last round out of range");
        }
        tallies[seat] = general_score(last->sequence_kind[seat], counts[seat], parts);
        fresh &= general_find_sequences(last->sequence_kind[seat], last->sequence_ace[seat], &left);
        fours += counts[seat] == SEQUENCES;
    }
    if (!fresh) {
        return mh_refuse(message, "a card is in two sequences of the last round");
    }
    if (last->ending >= ENDINGS || fours != (last->ending == ENDING_SEQUENCES)) {
        return mh_refuse(message, "the sequences of the last round do not fit its ending");
    }
    return MH_OK;
}

static int check_result(const struct general_state *state, char *message)
{
    const struct general_result *last = &state->last;
    const int none = state->head.rounds == 0;
    int32_t tallies[SEATS];
    int32_t counts[SEATS];
    const int status = check_last_sequences(state, tallies, counts, message);
    if (status != MH_OK) {
        return status;
    }
    for (int seat = 0; is_over(state) && seat < SEATS; seat++) {
        const struct general_seat *block = &state->blocks[seat];
        if (memcmp(block->sequence_kind, last->sequence_kind[seat], SEQUENCES) != 0 ||
            memcmp(block->sequence_ace, last->sequence_ace[seat], SEQUENCES) != 0) {
            return mh_refuse(message, "the result is not that of the table");
        }
    }
    if (none != (last->ending == ENDING_NONE) ||
        last->winner != (none ? -1 : general_winner(state->head.seats, tallies, counts))) {
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

static int find_discards(const struct general_state *state, uint64_t *left)
{
    for (int i = 0; i < PILE; i++) {
        const int card = state->discards[i];
        const int by = state->discarded_by[i];
        if (i >= state->num_discards ? card || by
                                     : card < 1 || card > CARDS || by < 1 || by > state->head.seats ||
                                           !general_find_cards(left, card_bit(card - 1))) {
            return 0;
        }
    }
    return 1;
}

static int find_draw_pile(const struct general_state *state, uint64_t *left)
{
    for (int i = 0; i < CARDS; i++) {
        const int card = state->deck[i];
        if (i < state->next ? card
                            : card >= CARDS || !(state->shuffled & card_bit(card)) ||
                                  !general_find_cards(left, card_bit(card))) {
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
        const int count = general_count_sequences(block->sequence_kind, block->sequence_ace);
        const int fourth =
            state->phase == PHASE_OVER && state->last.ending == ENDING_SEQUENCES && seat == state->on_turn;
        if (count < 0 || (count > 0 && seat >= state->head.seats) || (count == SEQUENCES) != fourth) {
            return mh_refuse(message, "a sequence out of range");
        }
        fresh &= general_find_sequences(block->sequence_kind, block->sequence_ace, &left);
    }
    if (!fresh || state->open != (ALL_CARDS & ~left)) {
        return mh_refuse(message, "open cards do not add up");
    }
    fresh = find_draw_pile(state, &left);
    for (int seat = 0; seat < SEATS; seat++) {
        fresh &= general_find_cards(&left, state->hands[seat]);
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

/* R3.1: the discard of the seat before, or with the option `offer` whatever lies on top of the pile. */
static int check_offer(const struct general_state *state, char *message)
{
    const int last = state->num_discards - 1;
    const uint8_t top = state->phase == PHASE_START ? general_discard_below(state, 0) : 0;
    if (state->options[OPTION_offer] == OFFER_TOP) {
        return state->offer == top ? MH_OK : mh_refuse(message, "the card on offer is not the top of the pile");
    }
    if (state->offer && (state->offer != top || state->turn < 2 ||
                         mh_head_next(&state->head, state->discarded_by[last] - 1) != state->on_turn)) {
        return mh_refuse(message, "the card on offer is not that of the seat before");
    }
    return MH_OK;
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

/* Finds the values that the state keeps only for speed. */
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

/* Rewards come with the action that ends a round: once the next one is dealt, its first decision is yet to be made. */
static void find_rewards(struct general_state *state)
{
    const int32_t *scores = state->scores;
    const int fresh = state->turn == 1 && state->phase == PHASE_PLAY && state->head.rounds > 0;
    const int32_t all = scores[0] + scores[1] + scores[2];
    struct mh_head paid = {.seats = state->head.seats};
    if (is_over(state) || fresh) {
        general_reward_round(state, &paid);
    }
    memcpy(state->head.rewards, paid.rewards, sizeof paid.rewards);
    memcpy(state->head.returns, paid.returns, sizeof paid.returns);
    for (int seat = 0; state->options[OPTION_reward] != REWARD_WIN && seat < state->head.seats; seat++) {
        const double others = (double)(all - scores[seat]) / (state->head.seats - 1);
        state->head.returns[seat] = scores[seat] - (state->options[OPTION_reward] == REWARD_MARGIN ? others : 0);
    }
}

int general_settle(struct general_state *state, char *message)
{
    int status = check_ranges(state, message);
    status = status == MH_OK ? check_head(state, message) : status;
    status = status == MH_OK ? check_cards(state, message) : status;
    for (int seat = 0; status == MH_OK && seat < SEATS; seat++) {
        status = general_hand_fits(state, seat) ? MH_OK : mh_refuse(message, "a hand of the wrong size");
    }
    status = status == MH_OK ? check_result(state, message) : status;
    status = status == MH_OK ? check_scores(state, message) : status;
    status = status == MH_OK ? check_offer(state, message) : status;
    status = status == MH_OK ? check_turn(state, message) : status;
    status = status == MH_OK ? find_derived(state, message) : status;
    if (status == MH_OK) {
        find_rewards(state);
    }
    return status;
}

int general_check(const struct general_state *state, char *message)
{
    struct general_state again = *state;
    const int status = general_settle(&again, message);
    if (status == MH_OK && (memcmp(again.head.returns, state->head.returns, sizeof again.head.returns) != 0 ||
                            memcmp(again.head.rewards, state->head.rewards, sizeof again.head.rewards) != 0)) {
        return mh_refuse(message, "returns or rewards are not what the rounds have paid");
    }
    return mh_check_settled(status, &again, state, sizeof again, message);
}
