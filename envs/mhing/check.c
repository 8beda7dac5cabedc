/* Refuses bytes that no play leads to (snapshots come from outside), so that the other functions are safe on what
 * remains: every index in range, every card counted once, turns in an order that the rules allow, and everything
 * that can be derived equal to what is derived again. */
#include "credits.h"
#include "hand.h"

/* ---- Ranges ---------------------------------------------------------------------------------------------- */

static int check_limits(const struct mhing_state *state, char *message)
{
    const int seats = state->head.seats;
    const struct mhing_result *last = &state->last;
    if (last->winner >= seats || last->winner < -1 || last->payer >= seats || last->payer < -1 ||
        last->round != state->head.rounds - 1 || (last->round < 0 && last->winner >= 0)) {
        return mh_refuse(message, "result out of range");
    }
    struct mhing_state fresh = {.head.seats = (uint8_t)seats};
    memcpy(fresh.options, state->options, sizeof fresh.options);
    mhing_start_game(&fresh);
    if (state->rounds_limit != fresh.rounds_limit) {
        return mh_refuse(message, "limits do not follow from the options");
    }
    for (int seat = 0; seat < SEATS; seat++) {
        if (state->scores[seat] < 0 || state->scores[seat] > MOST_SCORE) { /* R8.2 */
            return mh_refuse(message, "a score out of range");
        }
    }
    return MH_OK;
}

int mhing_jokers_fit(int kind, int jokers)
{
    return jokers <= (kind_is_sequence(kind) ? 7 : MELD_CARDS);
}

/* The cards of the hand declared last were in one deck. What it earned is derived. */
static int check_declared(const struct mhing_state *state, char *message)
{
    const struct mhing_result *last = &state->last;
    int left[JOKER + 1];
    for (int type = 0; type <= JOKER; type++) {
        left[type] = (type == JOKER ? JOKERS : COPIES) - last->revealed[type];
    }
    for (int i = 0; i < MELDS; i++) {
        if (last->melds > MELDS || last->meld_kind[i] >= KINDS ||
            !mhing_jokers_fit(last->meld_kind[i], last->meld_jokers[i]) ||
            (i >= last->melds && (last->meld_kind[i] || last->meld_jokers[i]))) {
            return mh_refuse(message, "a meld declared out of range");
        }
        for (int place = 0; place < MELD_CARDS && i < last->melds; place++) {
            const int kind = last->meld_kind[i];
            left[mhing_joker_at(kind, last->meld_jokers[i], place) ? JOKER : kind_card(kind, place)]--;
        }
    }
    for (int type = 0; type <= JOKER; type++) {
        if (left[type] < 0) {
            return mh_refuse(message, "cards declared more often than they are in the deck");
        }
    }
    return MH_OK;
}

int mhing_event_fits(int seats, int kind, int detail, int jokers)
{
    (void)seats;
    switch (kind) {
    case EVENT_discard:
        return detail >= 1 && detail <= JOKER + 1 && !jokers;
    case EVENT_claim:
    case EVENT_lay_down:
        return detail >= 1 && detail <= KINDS && mhing_jokers_fit(detail - 1, jokers);
    case EVENT_mhing:
        return detail <= 1 && !jokers;
    default:
        return !detail && !jokers;
    }
}

static int check_seats_in_round(const struct mhing_state *state, char *message)
{
    const int seats = state->head.seats;
    const int over = state->phase == PHASE_OVER;
    if (state->phase < PHASE_TURN || state->phase > PHASE_OVER || over != (state->head.seat < 0) ||
        state->dealer >= seats || state->on_turn >= seats || state->claimed_from < -1 ||
        state->claimed_from >= seats || state->drawn > JOKER + 1 || state->offer > JOKER + 1 ||
        state->complete > 1 || state->next > DECK || state->turn > DECK ||
        (state->phase == PHASE_TURN ? state->head.seat != state->on_turn : state->complete) ||
        (state->phase == PHASE_CLAIM && (state->head.seat == state->on_turn || state->drawn))) {
        return mh_refuse(message, "phase or seats out of range");
    }
    return MH_OK;
}

/* ---- Seats ----------------------------------------------------------------------------------------------- */

static int meld_is_valid(const struct mhing_state *state, const struct mhing_seat *block, int index)
{
    const int kind = block->meld_kind[index] - 1;
    const int jokers = block->meld_jokers[index];
    const int from = block->meld_from[index];
    if (kind < 0) {
        return jokers == 0 && from == 0;
    }
    return kind < KINDS && mhing_jokers_fit(kind, jokers) && from < state->head.seats &&
           (from > 0 || state->options[OPTION_lay_down]) && (index == 0 || block->meld_kind[index - 1]);
}

static int check_block(const struct mhing_state *state, int seat, char *message)
{
    const struct mhing_seat *block = mhing_seat_view(state, seat);
    const struct mhing_hand *hand = &state->hands[seat];
    uint8_t dead[JOKER + 1] = {0};
    int size = 0;
    for (int i = 0; i < MELDS; i++) {
        if (!meld_is_valid(state, block, i)) {
            return mh_refuse(message, "a meld out of range");
        }
    }
    for (int type = 0; type <= JOKER; type++) {
        if (hand->count[type] > (type == JOKER ? JOKERS : COPIES)) {
            return mh_refuse(message, "a hand out of range");
        }
        size += hand->count[type];
    }
    const int holds_draw = (state->phase == PHASE_TURN && seat == state->on_turn) ||
                           (state->phase == PHASE_OVER && seat == state->last.winner);
    if (hand->count[JOKER + 1] || size != block->hand_size[0] ||
        size != DEALT - MELD_CARDS * mhing_num_melds(block) + holds_draw) {
        return mh_refuse(message, "a hand of the wrong size");
    }
    const int capacity = mhing_discard_capacity(state->head.seats);
    if (block->num_discards[0] > capacity || block->flowers[0] > FLOWERS) {
        return mh_refuse(message, "discards or flowers out of range");
    }
    for (int i = 0; i < capacity; i++) {
        const int shown = mhing_discards_view(block)[i];
        if (i < block->num_discards[0] ? shown % TAKER == 0 || shown / TAKER >= state->head.seats : shown) {
            return mh_refuse(message, "a discard out of range");
        }
        if (shown && shown < TAKER) {
            dead[shown - 1]++;
        }
    }
    if (memcmp(dead, block->discard_count, sizeof dead) != 0) {
        return mh_refuse(message, "a seat's counts do not add up");
    }
    return MH_OK;
}

/* ---- The round as a whole -------------------------------------------------------------------------------- */

/* True if a card of the type lies in the meld. */
static int lies_in(const struct mhing_seat *block, int meld, int type)
{
    const int kind = block->meld_kind[meld] - 1;
    int found = 0;
    for (int place = 0; place < MELD_CARDS; place++) {
        found |= (mhing_joker_at(kind, block->meld_jokers[meld], place) ? JOKER : kind_card(kind, place)) == type;
    }
    return found;
}

/* True if a seat that has drawn such a card has it in its hand, or in a meld laid from there. */
static int holds(const struct mhing_state *state, int seat, int type)
{
    const struct mhing_seat *block = mhing_seat_view(state, seat);
    int held = state->hands[seat].count[type] > 0;
    for (int i = 0; i < mhing_num_melds(block); i++) {
        held |= !block->meld_from[i] && lies_in(block, i, type);
    }
    return held;
}

/* The turn in play follows from the discards before it, of which `last` has the last but one and the last: whose turn
 * it is, whether it began with a draw or a claim, and how many cards have been drawn for all of them together. */
static int check_turn(const struct mhing_state *state, const struct mhing_discard last[2], int expected, int dead,
                      int flowers, char *message)
{
    const int over = state->phase == PHASE_OVER;
    const int wash = over && state->last.winner < 0;
    const int claiming = state->phase == PHASE_CLAIM;
    const int before_discard =
        state->phase == PHASE_TURN || (over && !wash && state->on_turn == state->last.winner);
    const struct mhing_discard before = last[before_discard]; /* this turn */
    const int claimed = before.taker >= 0;
    const int drawn = DEALT * state->head.seats + flowers + dead + (claiming || wash ? 0 : 1);
    if (state->on_turn != expected || (!before_discard && !state->num_discards) || state->next != drawn ||
        (wash && state->next != DECK) || state->turn != state->num_discards + before_discard ||
        state->claimed_from != (claimed ? before.by : -1)) {
        return mh_refuse(message, "turns do not add up");
    }
    if (state->drawn ? !before_discard || claimed || !holds(state, state->on_turn, state->drawn - 1)
                     : before_discard && !claimed) {
        return mh_refuse(message, "the card drawn is not in the hand");
    }
    const struct mhing_seat *block = mhing_seat_view(state, state->on_turn);
    if (state->offer != (claiming ? mhing_discards_view(block)[block->num_discards[0] - 1] : 0)) {
        return mh_refuse(message, "the card on offer is not the last discard");
    }
    return MH_OK;
}

/* Moves *melds, how many melds of who took a discard are accounted for, past the next one that a claim has laid: with
 * this card. Those before it are laid from the hand, if the seat had a turn for it. Returns 0 where there is none. */
static int find_claimed(const struct mhing_state *state, struct mhing_discard discard, int had_turn, int *melds)
{
    const struct mhing_seat *block = mhing_seat_view(state, discard.taker);
    int meld = *melds;
    while (had_turn && meld < MELDS && block->meld_kind[meld] && !block->meld_from[meld]) {
        meld++;
    }
    *melds = meld + 1;
    return meld < MELDS && block->meld_from[meld] == mh_head_between(&state->head, discard.taker, discard.by) &&
           lies_in(block, meld, discard.type);
}

/* Turns follow one another as R3 and R4 say: after a claim who claimed, else the next seat. This also keeps every
 * seat's discards within their room (mhing_discard_capacity). */
static int check_turns(const struct mhing_state *state, char *message)
{
    int made[SEATS] = {0};
    int claims[SEATS] = {0};
    struct mhing_discard last[2] = {{.taker = -1}, {.taker = -1}};
    int expected = state->dealer;
    int dead = 0;
    int flowers = 0;
    if (state->num_discards > MAX_ALL_DISCARDS) {
        return mh_refuse(message, "discards out of range");
    }
    for (int i = 0; i < state->num_discards; i++) {
        const int by = expected;
        if (made[by] >= mhing_seat_view(state, by)->num_discards[0]) {
            return mh_refuse(message, "discards in an impossible order");
        }
        const struct mhing_discard discard = mhing_discard_at(state, by, made[by]++);
        const int taker = discard.taker;
        const int taken = taker >= 0;
        const int is_last = i == state->num_discards - 1;
        if (is_last && taken && state->phase == PHASE_CLAIM) {
            return mh_refuse(message, "a discard is both on offer and claimed");
        }
        /* by a claim of MHING, or by a wash */
        const int ends_round = is_last && state->phase == PHASE_OVER && state->on_turn == by;
        if (ends_round && (taker != state->last.winner || (taken && !state->hands[taker].count[discard.type]))) {
            return mh_refuse(message, "the last discard did not go to who declared");
        }
        if (taken && !ends_round && !find_claimed(state, discard, made[taker], &claims[taker])) {
            return mh_refuse(message, "a claim without its meld");
        }
        dead += !taken;
        last[0] = last[1];
        last[1] = discard;
        expected = is_last && (state->phase == PHASE_CLAIM || ends_round) ? by : mhing_seat_after(state, discard);
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        flowers += block->flowers[0];
        for (int meld = claims[seat]; meld < MELDS; meld++) {
            if (block->meld_from[meld]) {
                return mh_refuse(message, "a meld without its claim");
            }
            if (block->meld_kind[meld] && !made[seat] && seat != state->on_turn) {
                return mh_refuse(message, "a meld laid without a turn");
            }
        }
        if (made[seat] != block->num_discards[0]) {
            return mh_refuse(message, "discards do not add up");
        }
    }
    return check_turn(state, last, expected, dead, flowers, message);
}

/* All 150 cards are somewhere, once; `seen` counts those that lie open. */
static int check_cards(const struct mhing_state *state, char *message)
{
    int left[FLOWER + 1];
    uint8_t seen[JOKER + 1] = {0};
    for (int type = 0; type <= FLOWER; type++) {
        left[type] = type == FLOWER ? FLOWERS : type == JOKER ? JOKERS : COPIES;
    }
    for (int i = 0; i < DECK; i++) {
        if (state->deck[i] > FLOWER || (i < state->next && state->deck[i])) {
            return mh_refuse(message, "the source out of range");
        }
        if (i >= state->next) {
            left[state->deck[i]]--;
        }
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        left[FLOWER] -= block->flowers[0];
        for (int i = 0; i < mhing_num_melds(block); i++) {
            for (int place = 0; place < MELD_CARDS; place++) {
                const int kind = block->meld_kind[i] - 1;
                seen[mhing_joker_at(kind, block->meld_jokers[i], place) ? JOKER : kind_card(kind, place)]++;
            }
        }
        for (int type = 0; type <= JOKER; type++) {
            seen[type] = (uint8_t)(seen[type] + block->discard_count[type]);
            left[type] -= state->hands[seat].count[type];
        }
    }
    for (int type = 0; type <= FLOWER; type++) {
        if (left[type] != (type == FLOWER ? 0 : seen[type])) {
            return mh_refuse(message, "cards are missing or double");
        }
    }
    return memcmp(seen, state->seen, sizeof seen) == 0 ? MH_OK : mh_refuse(message, "open cards do not add up");
}

/* Finds the result of the round finished last, as far as it follows: a hand that lies on the table, and what a hand
 * earned. */
static int find_result(struct mhing_state *state, char *message)
{
    struct mhing_result *last = &state->last;
    const int winner = last->winner;
    struct mhing_cards cards;
    if (state->phase == PHASE_OVER && winner >= 0) {
        mhing_reveal_hand(state);
        last->payer = (int8_t)(state->on_turn == winner ? state->claimed_from : state->on_turn);
        last->score.part[PART_FLOWER] = mhing_seat_view(state, winner)->flowers[0];
    }
    if (!mhing_declared_hand(state, &cards)) {
        *last = (struct mhing_result){.winner = -1, .payer = -1, .round = last->round};
        return MH_OK;
    }
    if (mhing_score_hand(&cards, state->options[OPTION_seven_pairs], &last->score) != 1) {
        return mh_refuse(message, "the hand declared is not complete");
    }
    return last->payer == winner ? mh_refuse(message, "who declared pays for it") : MH_OK;
}

/* Equal states have equal bytes: what belongs to no seat and no discard is zero. */
static void clear_rest(struct mhing_state *state)
{
    const int seats = state->head.seats;
    const size_t blocks = (size_t)seats * (size_t)mhing_block_size(seats);
    const size_t hands = (size_t)SEATS - (size_t)seats;
    memset(state->hands + seats, 0, hands * sizeof *state->hands);
    memset(state->blocks + blocks, 0, sizeof state->blocks - blocks);
}

/* Finds the values that the state keeps only for speed. */
static int find_derived(struct mhing_state *state, char *message)
{
    const int seven_pairs = state->options[OPTION_seven_pairs];
    mhing_show_standing(state);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const int melds = mhing_melds_to_go(mhing_seat_view(state, seat));
        const int waiting = state->phase != PHASE_TURN || seat != state->on_turn;
        struct mhing_hand hand = hand_of_counts(state->hands[seat].count);
        if (waiting && !(state->phase == PHASE_OVER && seat == state->last.winner)) {
            hand.waits = mhing_hand_waits(&hand, melds, seven_pairs, NULL);
        }
        state->hands[seat] = hand;
        if (state->phase == PHASE_TURN && seat == state->on_turn) {
            state->complete = (uint8_t)mhing_is_complete(state, seat);
        }
    }
    clear_rest(state);
    memset(state->legal, 0, sizeof state->legal);
    if (state->phase == PHASE_TURN) {
        mhing_turn_actions(state);
    } else if (state->phase == PHASE_CLAIM && !mhing_claim_actions(state, state->head.seat, state->legal)) {
        return mh_refuse(message, "a seat is asked that has nothing to claim with");
    }
    return MH_OK;
}

/* Answers were given by the seats asked before, which are all that could claim, each a legal one of theirs. */
static int check_answers(const struct mhing_state *state, char *message)
{
    const int asked = mh_head_between(&state->head, state->on_turn, state->head.seat);
    for (int seat = 0; seat < SEATS; seat++) {
        uint64_t legal[LEGAL_WORDS];
        const int answer = state->answers[seat] - 1;
        const int before = state->phase == PHASE_CLAIM && seat < state->head.seats && seat != state->on_turn &&
                           mh_head_between(&state->head, state->on_turn, seat) < asked;
        const int could = before && mhing_claim_actions(state, seat, legal);
        if (answer < 0 && could) {
            return mh_refuse(message, "a seat passed over that could claim");
        }
        if (answer >= 0 && (!could || answer >= ACTIONS || !mh_set_has(legal, answer))) {
            return mh_refuse(message, "an answer that could not be given");
        }
    }
    return MH_OK;
}

int mhing_settle(struct mhing_state *state, char *message)
{
    int status = check_limits(state, message);
    status = status == MH_OK ? check_declared(state, message) : status;
    status = status == MH_OK ? check_seats_in_round(state, message) : status;
    for (int seat = 0; status == MH_OK && seat < state->head.seats; seat++) {
        status = check_block(state, seat, message);
    }
    status = status == MH_OK ? check_turns(state, message) : status;
    status = status == MH_OK ? check_cards(state, message) : status;
    status = status == MH_OK ? find_result(state, message) : status;
    status = status == MH_OK ? find_derived(state, message) : status;
    return status == MH_OK ? check_answers(state, message) : status;
}

int mhing_check(const struct mhing_state *state, char *message)
{
    struct mhing_state again = *state;
    int status = mhing_settle(&again, message);
    status = mh_check_settled(status, &again, state, sizeof again, message);
    return status == MH_OK ? mhing_check_game(state, message) : status;
}
