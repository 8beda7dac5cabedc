/* Refuses bytes that no play leads to (snapshots come from outside), so that the other functions are safe on what
 * remains: every index in range, every card counted once, turns in an order that the rules allow, and everything
 * that can be derived equal to what is derived again. */
#include "hand.h"

/* ---- Ranges ---------------------------------------------------------------------------------------------- */

static int check_game(const struct mhing_state *state, char *message)
{
    const int seats = state->head.seats;
    int32_t chips = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        const int64_t paid = state->last.payments[seat];
        if (state->scores[seat] < 0 || state->chips[seat] < 0 || state->chips[seat] > START_CHIPS * CHIPS_SEATS ||
            paid < -START_CHIPS * CHIPS_SEATS || paid > START_CHIPS * CHIPS_SEATS) {
            return mh_refuse(message, "scores or chips out of range");
        }
        chips += state->chips[seat];
    }
    if (chips != (seats <= CHIPS_SEATS ? START_CHIPS * seats : 0)) {
        return mh_refuse(message, "chips do not add up");
    }
    if (state->last.winner >= seats || state->last.winner < -1 || state->last.payer >= seats ||
        state->last.payer < -1) {
        return mh_refuse(message, "result out of range");
    }
    struct mhing_state fresh = {.head.seats = (uint8_t)seats};
    memcpy(fresh.options, state->options, sizeof fresh.options);
    mhing_start_game(&fresh);
    if (state->rounds_limit != fresh.rounds_limit) {
        return mh_refuse(message, "limits do not follow from the options");
    }
    return MH_OK;
}

static int jokers_are_valid(int kind, int jokers)
{
    return jokers <= (kind_is_sequence(kind) ? 7 : MELD_CARDS);
}

static int check_score(const struct mhing_state *state, char *message)
{
    const struct mhing_result *last = &state->last;
    const struct mhing_score *score = &last->score;
    int credits = 0;
    for (int part = 0; part < MHING_CREDIT_KINDS; part++) {
        if (score->part[part] < 0 || score->part[part] > 64) {
            return mh_refuse(message, "credits out of range");
        }
        credits += score->part[part];
    }
    if (credits != score->credits || credits > 64 || score->points != mhing_points(credits)) {
        return mh_refuse(message, "credits do not add up");
    }
    if (score->shape > MHING_SHAPE_SEVEN_PAIRS || score->num_cards > DEALT + 1 || last->melds > MELDS ||
        score->melds > MELDS - last->melds ||
        (last->winner >= 0 && score->num_cards != DEALT + 1 - MELD_CARDS * last->melds) ||
        score->melds * MELD_CARDS > score->num_cards || last->round != state->head.rounds - 1) {
        return mh_refuse(message, "arrangement out of range");
    }
    for (int i = 0; i < DEALT + 1; i++) {
        if (score->cards[i] >= TYPES || score->joker[i] > 1) {
            return mh_refuse(message, "arrangement out of range");
        }
    }
    for (int i = 0; i < MELDS; i++) {
        if (last->meld_kind[i] >= KINDS || !jokers_are_valid(last->meld_kind[i], last->meld_jokers[i])) {
            return mh_refuse(message, "arrangement out of range");
        }
    }
    for (int type = 0; type <= JOKER; type++) {
        if (last->revealed[type] > JOKERS) {
            return mh_refuse(message, "revealed cards out of range");
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
        return detail >= 1 && detail <= KINDS && jokers_are_valid(detail - 1, jokers);
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
        (state->phase == PHASE_TURN && state->head.seat != state->on_turn) ||
        (state->phase == PHASE_CLAIM && (state->head.seat == state->on_turn || state->drawn || state->complete))) {
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
    return kind < KINDS && jokers_are_valid(kind, jokers) && from < state->head.seats &&
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
        const int card = mhing_discards_view(block)[i] & ~TAKEN;
        const int taken = mhing_discards_view(block)[i] & TAKEN;
        if (i < block->num_discards[0] ? card < 1 || card > JOKER + 1 : card || taken) {
            return mh_refuse(message, "a discard out of range");
        }
        if (card && !taken) {
            dead[card - 1]++;
        }
    }
    if (memcmp(dead, block->discard_count, sizeof dead) != 0) {
        return mh_refuse(message, "a seat's counts do not add up");
    }
    return MH_OK;
}

/* ---- The round as a whole -------------------------------------------------------------------------------- */

static int holds(const struct mhing_state *state, int seat, int type)
{
    const struct mhing_seat *block = mhing_seat_view(state, seat);
    int held = state->hands[seat].count[type] > 0;
    for (int i = 0; i < mhing_num_melds(block); i++) {
        const int kind = block->meld_kind[i] - 1;
        for (int place = 0; place < MELD_CARDS && !block->meld_from[i]; place++) {
            held |= (mhing_joker_at(kind, block->meld_jokers[i], place) ? JOKER : kind_card(kind, place)) == type;
        }
    }
    return held;
}

/* The turn in play follows from the discards before it: whose it is, whether it began with a draw or a claim, and
 * how many cards have been drawn for all of them together. */
static int check_turn(const struct mhing_state *state, int expected, int dead, int flowers, char *message)
{
    const int over = state->phase == PHASE_OVER;
    const int wash = over && state->last.winner < 0;
    const int claiming = state->phase == PHASE_CLAIM;
    const int before_discard =
        state->phase == PHASE_TURN || (over && !wash && state->on_turn == state->last.winner);
    const int before = state->num_discards - (before_discard ? 1 : 2); /* the discard before this turn */
    const int claimed = before >= 0 && state->discard_seats[before] >> 4;
    const int drawn = DEALT * state->head.seats + flowers + dead + (claiming || wash ? 0 : 1);
    if ((!over && state->on_turn != expected) || (!before_discard && !state->num_discards) ||
        state->next != drawn || (wash && state->next != DECK) ||
        state->turn != state->num_discards + before_discard ||
        state->claimed_from != (claimed ? state->discard_seats[before] & 15 : -1)) {
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

/* Turns follow one another as R3 and R4 say: after a claim who claimed, else the next seat. This also keeps every
 * seat's discards within their room (mhing_discard_capacity). */
static int check_turns(const struct mhing_state *state, char *message)
{
    int made[SEATS] = {0};
    int claims[SEATS] = {0};
    int expected = state->dealer;
    int dead = 0;
    int flowers = 0;
    if (state->num_discards > MAX_ALL_DISCARDS) {
        return mh_refuse(message, "discards out of range");
    }
    for (int i = 0; i < state->num_discards; i++) {
        const int by = state->discard_seats[i] & 15;
        const int taker = (state->discard_seats[i] >> 4) - 1;
        if (by != expected || taker >= state->head.seats || taker == by ||
            made[by] >= mhing_seat_view(state, by)->num_discards[0]) {
            return mh_refuse(message, "discards in an impossible order");
        }
        const int taken = (mhing_discards_view(mhing_seat_view(state, by))[made[by]++] & TAKEN) != 0;
        const int last = i == state->num_discards - 1;
        if (taken != (taker >= 0) || (last && taken && state->phase == PHASE_CLAIM)) {
            return mh_refuse(message, "a discard is both dead and claimed");
        }
        const int for_mhing = last && state->phase == PHASE_OVER && state->on_turn == by;
        if (taken && !for_mhing) {
            const struct mhing_seat *block = mhing_seat_view(state, taker);
            int meld = claims[taker];
            while (meld < MELDS && block->meld_kind[meld] && !block->meld_from[meld]) {
                meld++;
            }
            if (meld >= MELDS || block->meld_from[meld] != mh_head_between(&state->head, taker, by)) {
                return mh_refuse(message, "a claim without its meld");
            }
            claims[taker] = meld + 1;
        }
        dead += !taken;
        expected = taken ? taker : mh_head_next(&state->head, by);
        if (last && state->phase == PHASE_CLAIM) {
            expected = by;
        }
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        flowers += block->flowers[0];
        for (int meld = claims[seat]; meld < MELDS; meld++) {
            if (block->meld_from[meld]) {
                return mh_refuse(message, "a meld without its claim");
            }
        }
        if (made[seat] != block->num_discards[0]) {
            return mh_refuse(message, "discards do not add up");
        }
    }
    return check_turn(state, expected, dead, flowers, message);
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

/* What the state keeps only to be fast. */
static int find_derived(struct mhing_state *state, char *message)
{
    const int seven_pairs = state->options[OPTION_seven_pairs];
    mhing_show_standing(state);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const int melds = mhing_melds_to_go(mhing_seat_view(state, seat));
        const int waiting = state->phase != PHASE_TURN || seat != state->on_turn;
        struct mhing_hand hand = hand_of_counts(state->hands[seat].count);
        if (waiting && !(state->phase == PHASE_OVER && seat == state->last.winner)) {
            hand.waits = mhing_hand_waits(&hand, melds, seven_pairs);
        }
        state->hands[seat] = hand;
        if (state->phase == PHASE_TURN && seat == state->on_turn) {
            state->complete = (uint8_t)mhing_is_complete(state, seat);
        }
    }
    memset(state->legal, 0, sizeof state->legal);
    if (state->phase == PHASE_TURN) {
        mhing_turn_actions(state);
    } else if (state->phase == PHASE_CLAIM && !mhing_claim_actions(state, state->head.seat, state->legal)) {
        return mh_refuse(message, "a seat is asked that has nothing to claim with");
    }
    return MH_OK;
}

/* Answers were given by seats asked before, each a legal one of theirs. */
static int check_answers(const struct mhing_state *state, char *message)
{
    const int claiming = state->phase == PHASE_CLAIM;
    for (int seat = 0; seat < SEATS; seat++) {
        uint64_t legal[LEGAL_WORDS];
        const int answer = state->answers[seat] - 1;
        if (answer < 0) {
            continue;
        }
        if (!claiming || seat >= state->head.seats || seat == state->on_turn || answer >= ACTIONS ||
            mh_head_between(&state->head, state->on_turn, seat) >=
                mh_head_between(&state->head, state->on_turn, state->head.seat) ||
            !mhing_claim_actions(state, seat, legal) || !mh_set_has(legal, answer)) {
            return mh_refuse(message, "an answer that could not be given");
        }
    }
    return MH_OK;
}

int mhing_settle(struct mhing_state *state, char *message)
{
    int status = check_game(state, message);
    status = status == MH_OK ? check_score(state, message) : status;
    status = status == MH_OK ? check_seats_in_round(state, message) : status;
    for (int seat = 0; status == MH_OK && seat < state->head.seats; seat++) {
        status = check_block(state, seat, message);
    }
    status = status == MH_OK ? check_turns(state, message) : status;
    status = status == MH_OK ? check_cards(state, message) : status;
    status = status == MH_OK ? find_derived(state, message) : status;
    return status == MH_OK ? check_answers(state, message) : status;
}

int mhing_check(const struct mhing_state *state, char *message)
{
    struct mhing_state again = *state;
    const int status = mhing_settle(&again, message);
    return mh_check_settled(status, &again, state, sizeof again, message);
}
