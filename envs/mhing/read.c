/* A state from its JSON, the way back of report.c. What follows from other keys is not read. */
#include "credits.h"
#include "mhing.h"

static void pattern_text(int number, char *text)
{
    const struct mhing_pattern pattern = mhing_pattern_of(ACTION_sequence + number);
    mhing_meld_text(pattern.kind, pattern.jokers, text);
}

static struct mhing_pattern read_pattern(const struct mh_in *in)
{
    mh_in_require(in);
    return mhing_pattern_of(ACTION_sequence + mh_in_name(in, pattern_text, ACTION_pass - ACTION_sequence, 0));
}

/* ---- The table and the hands --------------------------------------------------------------------------------- */

/* Returns the card read last, plus one: of the seat on turn the one drawn, where nothing else says which. */
static int read_hand(const struct mh_in *in, struct mh_in_deck *deck, uint8_t *counts)
{
    const int count = mh_in_count(in, DEALT + 1);
    int card = -1;
    mh_in_require(in);
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(in, i);
        card = mh_in_card(&item, deck);
        mh_in_require(&item);
        if (card == FLOWER) {
            mh_in_refuse(&item, "a flower is laid aside and not held");
        } else if (card >= 0) {
            counts[card]++;
        }
    }
    return card + 1;
}

static void read_melds(struct mhing_state *state, const struct mh_in *in, struct mh_in_deck *deck, int seat)
{
    struct mhing_seat *block = mhing_seat_of(state, seat);
    const int count = mh_in_count(in, MELDS);
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(in, i);
        const struct mh_in text = mh_in_key(&item, "text");
        const struct mh_in from = mh_in_key(&item, "from");
        const struct mhing_pattern meld = read_pattern(&text);
        block->meld_kind[i] = (uint8_t)(meld.kind + 1);
        block->meld_jokers[i] = (uint8_t)meld.jokers;
        block->meld_from[i] =
            (uint8_t)mh_head_between(&state->head, seat, mh_in_int(&from, 0, state->head.seats - 1, seat));
        for (int place = 0; place < MELD_CARDS; place++) {
            (void)mh_in_take(&text, deck,
                             mhing_joker_at(meld.kind, meld.jokers, place) ? JOKER : kind_card(meld.kind, place));
        }
    }
}

static void read_seats(struct mhing_state *state, const struct mh_in *in, struct mh_in_deck *deck,
                       uint8_t last_cards[SEATS])
{
    const struct mh_in hands = mh_in_key(in, "hands");
    const struct mh_in melds = mh_in_key(in, "melds");
    const struct mh_in flowers = mh_in_key(in, "flowers");
    mh_in_require(&hands);
    mh_in_by_seat(&hands, state->head.seats);
    mh_in_by_seat(&melds, state->head.seats);
    mh_in_by_seat(&flowers, state->head.seats);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mh_in hand = mh_in_item(&hands, seat);
        const struct mh_in laid = mh_in_item(&melds, seat);
        const struct mh_in number = mh_in_item(&flowers, seat);
        struct mhing_seat *block = mhing_seat_of(state, seat);
        last_cards[seat] = (uint8_t)read_hand(&hand, deck, state->hands[seat].count);
        block->hand_size[0] = (uint8_t)mh_in_count(&hand, DEALT + 1);
        read_melds(state, &laid, deck, seat);
        block->flowers[0] = (uint8_t)mh_in_int(&number, 0, FLOWERS, 0);
        for (int i = 0; i < block->flowers[0]; i++) {
            (void)mh_in_take(&number, deck, FLOWER);
        }
    }
}

/* Discards as they were made, the last but one and the last. */
struct discards_made {
    struct mhing_discard last[2];
    int next; /* whose turn follows */
};

/* A discard that was claimed lies in a meld or a hand, and is counted there. */
static void read_discard(struct mhing_state *state, const struct mh_in *in, struct mh_in_deck *deck,
                         struct discards_made *made)
{
    const struct mh_in name = mh_in_key(in, "card");
    const struct mh_in from = mh_in_key(in, "by");
    const struct mh_in taken_by = mh_in_key(in, "taken_by");
    const int seats = state->head.seats;
    const int by = mh_in_int(&from, 0, seats - 1, 0);
    const int taker = mh_in_int(&taken_by, 0, seats - 1, -1);
    const int way = taker < 0 ? 0 : mh_head_between(&state->head, by, taker);
    struct mhing_seat *block = mhing_seat_of(state, by);
    const int card = taker < 0 ? mh_in_card(&name, deck) : mh_in_name(&name, mhing_card_text, JOKER + 1, 0);
    mh_in_require(&name);
    mh_in_require(&from);
    if (by != made->next) {
        mh_in_refuse(&from, "%d; it was the turn of seat %d", by, made->next);
    } else if (taker == by) {
        mh_in_refuse(&taken_by, "%d, who has made it", taker);
    } else if (card == FLOWER) {
        mh_in_refuse(&name, "a flower is laid aside and not discarded");
    } else if (block->num_discards[0] == mhing_discard_capacity(seats)) {
        mh_in_refuse(in, "more discards of a seat than a round has");
    } else if (card >= 0) {
        mhing_discards(block)[block->num_discards[0]++] = (uint8_t)(card + 1 + TAKER * way);
        block->discard_count[card] = (uint8_t)(block->discard_count[card] + (taker < 0));
        made->last[0] = made->last[1];
        made->last[1] = (struct mhing_discard){card, by, taker};
        made->next = mhing_seat_after(state, made->last[1]);
    }
}

static void count_seen(struct mhing_state *state)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        for (int type = 0; type <= JOKER; type++) {
            state->seen[type] = (uint8_t)(state->seen[type] + block->discard_count[type]);
        }
        for (int i = 0; i < mhing_num_melds(block); i++) {
            for (int place = 0; place < MELD_CARDS; place++) {
                const int kind = block->meld_kind[i] - 1;
                state->seen[mhing_joker_at(kind, block->meld_jokers[i], place) ? JOKER : kind_card(kind, place)]++;
            }
        }
    }
}

static void read_source(struct mhing_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in source = mh_in_key(in, "source");
    state->next = (uint8_t)mh_in_pile(&source, deck, DECK, state->deck);
    mh_in_used_up(&source, deck);
}

/* ---- The turn ------------------------------------------------------------------------------------------------ */

static void read_claims(struct mhing_state *state, const struct mh_in *in)
{
    const struct mh_in claims = mh_in_key(in, "claims");
    const int count = mh_in_count(&claims, SEATS);
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&claims, i);
        const struct mh_in seat = mh_in_key(&item, "seat");
        const struct mh_in action = mh_in_key(&item, "action");
        mh_in_require(&seat);
        mh_in_require(&action);
        state->answers[mh_in_int(&seat, 0, state->head.seats - 1, 0)] =
            (uint16_t)(mh_in_name(&action, mhing_action_text, ACTIONS, 0) + 1);
    }
}

/* Whose turn it is, and how it began, follows from the discards. */
static void read_turn(struct mhing_state *state, const struct mh_in *in, const struct discards_made *made,
                      const uint8_t last_cards[SEATS])
{
    const int seats = state->head.seats;
    const struct mh_in on_turn = mh_in_key(in, "on_turn");
    const struct mh_in turn = mh_in_key(in, "turn");
    const struct mh_in drawn = mh_in_key(in, "drawn");
    const struct mh_in asked = mh_in_key(in, "seat");
    const int over = state->phase == PHASE_OVER;
    const int claiming = state->phase == PHASE_CLAIM;
    const int discarder = made->last[1].by;
    state->on_turn = (uint8_t)(over       ? mh_in_int(&on_turn, 0, seats - 1, made->next)
                               : claiming ? discarder
                                          : made->next);
    const int holds = state->phase == PHASE_TURN || (over && state->last.winner == state->on_turn);
    const struct mhing_discard before = made->last[holds]; /* this turn */
    const int claimed = before.taker >= 0;
    state->claimed_from = (int8_t)(claimed ? before.by : -1);
    state->turn = (uint8_t)mh_in_int(&turn, 1, DECK, state->num_discards + holds);
    state->drawn = (uint8_t)(mh_in_name(&drawn, mhing_card_text, JOKER + 1,
                                        holds && !claimed ? last_cards[state->on_turn] - 1 : -1) +
                             1);
    if (claiming) {
        mh_in_require(&asked);
        state->offer = (uint8_t)(made->last[1].type + 1);
    }
    state->head.seat = (int8_t)(claiming ? mh_in_int(&asked, 0, seats - 1, state->on_turn) : state->on_turn);
    read_claims(state, in);
}

/* Refuses with a place what the check would refuse without one. */
static void check_hands(const struct mhing_state *state, const struct mh_in *in)
{
    const struct mh_in hands = mh_in_key(in, "hands");
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mh_in hand = mh_in_item(&hands, seat);
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        const int draws = (state->phase == PHASE_TURN && seat == state->on_turn) ||
                          (state->phase == PHASE_OVER && seat == state->last.winner);
        const int right = DEALT - MELD_CARDS * mhing_num_melds(block) + draws;
        if (block->hand_size[0] != right) {
            mh_in_refuse(&hand, "%d cards; with %d melds laid, this seat holds %d now", block->hand_size[0],
                         mhing_num_melds(block), right);
        }
    }
}

/* ---- The game ------------------------------------------------------------------------------------------------ */

/* The credits follow from the hand that was declared. */
static void read_declared(struct mhing_state *state, const struct mh_in *in)
{
    struct mhing_result *last = &state->last;
    const struct mh_in hand = mh_in_key(in, "hand");
    const struct mh_in melds = mh_in_key(in, "melds");
    const struct mh_in flowers = mh_in_key(in, "flowers");
    struct mhing_cards cards = {.flowers = (uint8_t)mh_in_int(&flowers, 0, FLOWERS, 0)};
    struct mh_in_deck deck = {mhing_card_text, JOKER + 1, {0}};
    memset(deck.left, COPIES, TYPES);
    deck.left[JOKER] = JOKERS;
    (void)read_hand(&hand, &deck, cards.count);
    cards.melds = (uint8_t)mh_in_count(&melds, MELDS);
    for (int i = 0; i < cards.melds; i++) {
        const struct mh_in text = mh_in_item(&melds, i);
        const struct mhing_pattern meld = read_pattern(&text);
        cards.meld_kind[i] = (uint8_t)meld.kind;
        last->meld_jokers[i] = (uint8_t)meld.jokers;
    }
    if (!in->reader->failed && mhing_score_hand(&cards, state->options[OPTION_seven_pairs], &last->score) != 1) {
        mh_in_refuse(&hand, "with these melds it is no complete hand");
    }
    memcpy(last->revealed, cards.count, sizeof last->revealed);
    memcpy(last->meld_kind, cards.meld_kind, sizeof last->meld_kind);
    last->melds = cards.melds;
}

/* Reads the result. Members that are left out get the values of a game whose rounds before the last one were washes. */
static void read_result(struct mhing_state *state, const struct mh_in *in)
{
    const struct mh_in result = mh_in_key(in, "result");
    const struct mh_in winner = mh_in_key(&result, "winner");
    const struct mh_in payer = mh_in_key(&result, "payer");
    if (!state->head.rounds) {
        return;
    }
    mh_in_require(&result);
    mh_in_require(&winner);
    state->last.round = state->head.rounds - 1;
    state->last.winner = (int8_t)mh_in_int(&winner, -1, state->head.seats - 1, -1);
    state->last.payer = (int8_t)mh_in_int(&payer, -1, state->head.seats - 1, -1);
    if (state->last.winner >= 0) {
        read_declared(state, &result);
    }
    mhing_pay_round(state);
    if (state->head.seats <= CHIPS_SEATS) {
        const struct mh_in payments = mh_in_key(&result, "payments");
        mh_in_numbers(&payments, state->head.seats, -INT32_MAX, state->last.payments);
    }
}

/* Returns and decisions where they are not given: the fewest that the rest allows, and rewards only of the last
 * action. */
static void settle_head(struct mhing_state *state, const struct mh_in *in)
{
    struct mh_head *head = &state->head;
    const struct mh_in decisions = mh_in_key(in, "decisions");
    struct mhing_state before;
    struct mhing_state after;
    if (!mhing_pay_again(state, &before, &after)) {
        return;
    }
    for (int seat = 0; seat < head->seats; seat++) {
        const int32_t change = state->chips[seat] - state->options[OPTION_stake];
        const double last = after.head.returns[seat];
        const double returns[] = {
            [REWARD_CREDITS] = last + (double)mhing_fewest_credits(before.scores[seat]),
            [REWARD_POINTS] = state->scores[seat],
            [REWARD_CHIPS] = change,
            [REWARD_WIN] = last,
        };
        head->returns[seat] = returns[state->options[OPTION_reward]];
        head->rewards[seat] = mhing_was_just_paid(state) ? after.head.rewards[seat] : 0;
    }
    if (!mh_in_given(&decisions)) {
        head->decisions = (uint32_t)mhing_fewest_decisions(state);
    }
}

void mhing_read(struct mhing_state *state, const struct mh_in *in)
{
    const struct mh_in phase = mh_in_key(in, "phase");
    const struct mh_in dealer = mh_in_key(in, "dealer");
    const struct mh_in discards = mh_in_key(in, "discards");
    const struct mh_in scores = mh_in_key(in, "scores");
    const struct mh_in chips = mh_in_key(in, "chips");
    struct mh_in_deck deck = {mhing_card_text, FLOWER + 1, {0}};
    uint8_t fresh[DECK];
    uint8_t last_cards[SEATS] = {0};
    mhing_fill_deck(fresh);
    for (int i = 0; i < DECK; i++) {
        deck.left[fresh[i]]++;
    }
    mhing_start_game(state);
    state->phase = (uint8_t)mh_in_word(&phase, mhing_phases, PHASES, PHASE_TURN);
    const int first = state->options[OPTION_dealer] < 0 ? 0 : state->options[OPTION_dealer];
    const int dealt = state->options[OPTION_dealer] < 0 ? 0 : mh_head_round(&state->head) % state->head.seats;
    state->dealer = (uint8_t)mh_in_int(&dealer, 0, state->head.seats - 1, (first + dealt) % state->head.seats);
    read_seats(state, in, &deck, last_cards);
    state->num_discards = (uint8_t)mh_in_count(&discards, MAX_ALL_DISCARDS);
    struct discards_made made = {.last = {{-1, 0, -1}, {-1, 0, -1}}, .next = state->dealer};
    for (int i = 0; i < state->num_discards; i++) {
        const struct mh_in item = mh_in_item(&discards, i);
        read_discard(state, &item, &deck, &made);
    }
    count_seen(state);
    read_source(state, in, &deck);
    read_result(state, in);
    read_turn(state, in, &made, last_cards);
    mh_in_numbers(&scores, state->head.seats, 0, state->scores);
    if (state->head.seats <= CHIPS_SEATS) {
        mh_in_numbers(&chips, state->head.seats, 0, state->chips);
    }
    if (state->phase == PHASE_OVER) {
        mh_head_end_round(&state->head, mhing_episode_is_over(state), state->legal, LEGAL_WORDS);
    }
    check_hands(state, in);
    settle_head(state, in);
    if (!in->reader->failed) {
        (void)mhing_settle(state, NULL); /* what is wrong with it, the runtime's check says */
    }
}
