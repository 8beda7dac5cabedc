/* A state from its JSON, the way back of report.c. What follows from other keys is not read. */
#include "general_mhing.h"

static void sequence_name(int number, char *text)
{
    general_sequence_text(general_action_sequence(ACTION_sequence + number), text);
}

/* A row of sequences, `kinds` and `aces` as in a seat's block. */
static void read_sequences(const struct mh_in *in, uint8_t *kinds, uint8_t *aces)
{
    const int count = mh_in_count(in, SEQUENCES);
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(in, i);
        const struct mh_in text = mh_in_key(&item, "text");
        mh_in_require(&text);
        const struct sequence sequence =
            general_action_sequence(ACTION_sequence + mh_in_name(&text, sequence_name, COUNT_sequence, 0));
        kinds[i] = (uint8_t)(sequence.kind + 1);
        aces[i] = (uint8_t)sequence.ace;
    }
}

/* A card, plus one, that lies elsewhere as well; 0 for none. */
static uint8_t read_card(const struct mh_in *in, const char *key)
{
    const struct mh_in value = mh_in_key(in, key);
    return (uint8_t)(mh_in_name(&value, general_card_text, CARDS, -1) + 1);
}

/* Cards that lie elsewhere as well. */
static uint64_t read_cards(const struct mh_in *in, const char *key)
{
    const struct mh_in list = mh_in_key(in, key);
    const int count = mh_in_count(&list, CARDS);
    uint64_t cards = 0;
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&list, i);
        mh_in_require(&item);
        cards |= card_bit(mh_in_name(&item, general_card_text, CARDS, 0));
    }
    return cards;
}

/* Where no seat is named, the one on turn began the round; there is a choice before its draw only with an offer. */
static void read_turn(struct general_state *state, const struct mh_in *in)
{
    const int seats = state->head.seats;
    const struct mh_in phase = mh_in_key(in, "phase");
    const struct mh_in turn = mh_in_key(in, "turn");
    const struct mh_in starter = mh_in_key(in, "starter");
    const struct mh_in on_turn = mh_in_key(in, "on_turn");
    state->offer = read_card(in, "offer");
    state->phase = (uint8_t)mh_in_word(&phase, general_phases, PHASES, state->offer ? PHASE_START : PHASE_PLAY);
    state->turn = (uint16_t)mh_in_int(&turn, 1, state->options[OPTION_turn_limit], state->offer ? 2 : 1);
    const int seat = mh_in_int(&on_turn, 0, seats - 1, (state->turn - 1) % seats);
    state->starter = (uint8_t)mh_in_int(&starter, 0, seats - 1, (seat + seats - (state->turn - 1) % seats) % seats);
    state->on_turn = (uint8_t)((state->starter + state->turn - 1) % seats);
    state->head.seat = (int8_t)state->on_turn;
    state->taken = read_card(in, "taken");
    state->given = read_cards(in, "given");
}

/* Left out, the card drawn is the last one in the hand of the seat on turn. */
static void read_drawn(struct general_state *state, const struct mh_in *in, int last_card)
{
    const struct mh_in drawn = mh_in_key(in, "drawn");
    if (!mh_in_given(&drawn) && state->phase == PHASE_PLAY) {
        state->drawn[0] = (uint8_t)last_card;
    }
    for (int i = 0; i < mh_in_count(&drawn, 2); i++) {
        const struct mh_in item = mh_in_item(&drawn, i);
        state->drawn[i] = (uint8_t)(mh_in_name(&item, general_card_text, CARDS, -1) + 1);
    }
}

static void read_hands(struct general_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in hands = mh_in_key(in, "hands");
    const struct mh_in sequences = mh_in_key(in, "sequences");
    int last_card = 0;
    mh_in_require(&hands);
    mh_in_by_seat(&hands, state->head.seats);
    mh_in_by_seat(&sequences, state->head.seats);
    for (int seat = 0; seat < state->head.seats; seat++) {
        struct general_seat *block = &state->blocks[seat];
        const struct mh_in hand = mh_in_item(&hands, seat);
        const struct mh_in laid = mh_in_item(&sequences, seat);
        const int count = mh_in_count(&hand, DEALT + 1);
        mh_in_require(&hand);
        for (int i = 0; i < count; i++) {
            const struct mh_in item = mh_in_item(&hand, i);
            const int card = mh_in_card(&item, deck);
            mh_in_require(&item);
            state->hands[seat] |= card < 0 ? 0 : card_bit(card);
            last_card = seat == state->on_turn ? card + 1 : last_card;
        }
        read_sequences(&laid, block->sequence_kind, block->sequence_ace);
        for (int i = 0; i < general_num_sequences(block); i++) {
            const uint64_t cards = sequence_cards(general_sequence(block, i));
            state->open |= cards;
            for (uint64_t left = cards; left; left &= left - 1) {
                (void)mh_in_take(&laid, deck, mh_bits_lowest(left));
            }
        }
    }
    read_drawn(state, in, last_card);
}

static void read_discards(struct general_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in discards = mh_in_key(in, "discards");
    const int count = mh_in_count(&discards, PILE);
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&discards, i);
        const struct mh_in name = mh_in_key(&item, "card");
        const struct mh_in by = mh_in_key(&item, "by");
        const int card = mh_in_card(&name, deck);
        mh_in_require(&name);
        mh_in_require(&by);
        state->discards[i] = (uint8_t)(card + 1);
        state->discarded_by[i] = (uint8_t)(mh_in_int(&by, 0, state->head.seats - 1, 0) + 1);
        state->open |= card < 0 ? 0 : card_bit(card);
    }
    state->num_discards = (uint8_t)count;
}

static void read_piles(struct general_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in pile = mh_in_key(in, "draw_pile");
    const struct mh_in shuffles = mh_in_key(in, "shuffles");
    const struct mh_in shuffle_of = mh_in_key(in, "shuffle_of");
    state->next = (uint8_t)mh_in_pile(&pile, deck, CARDS, state->deck);
    mh_in_used_up(&pile, deck);
    state->shuffles = (uint16_t)mh_in_int(&shuffles, 0, UINT16_MAX, 0);
    for (int card = 0; card < CARDS; card++) {
        char name[MH_TEXT_SIZE];
        general_card_text(card, name);
        const struct mh_in number = mh_in_key(&shuffle_of, name);
        state->shuffle_of[card] = (uint16_t)mh_in_int(&number, 0, state->shuffles, 0);
        state->shuffled |= state->shuffle_of[card] == state->shuffles ? card_bit(card) : 0;
    }
}

static void read_result(struct general_state *state, const struct mh_in *in)
{
    const struct mh_in result = mh_in_key(in, "result");
    const struct mh_in winner = mh_in_key(&result, "winner");
    const struct mh_in ending = mh_in_key(&result, "ending");
    const struct mh_in seats = mh_in_key(&result, "seats");
    if (state->head.rounds) {
        mh_in_require(&result);
        mh_in_require(&ending);
    }
    state->last.round = state->head.rounds - 1;
    state->last.winner = (int8_t)mh_in_int(&winner, -1, state->head.seats - 1, -1);
    state->last.ending = (uint8_t)mh_in_name(&ending, general_ending_text, ENDINGS, ENDING_NONE);
    mh_in_by_seat(&seats, state->head.seats);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mh_in item = mh_in_item(&seats, seat);
        const struct mh_in sequences = mh_in_key(&item, "sequences");
        read_sequences(&sequences, state->last.sequence_kind[seat], state->last.sequence_ace[seat]);
    }
}

/* Refuses with a place what the check would refuse without one. */
static void check_hands(const struct general_state *state, const struct mh_in *in)
{
    const struct mh_in hands = mh_in_key(in, "hands");
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mh_in hand = mh_in_item(&hands, seat);
        const int size = mh_bits_count(state->hands[seat]);
        if (!general_hand_fits(state, seat)) {
            mh_in_refuse(&hand, "%d cards; a seat holds %d, and on turn one more after it has taken or drawn one",
                         size, (int)DEALT);
        }
    }
}

void general_read(struct general_state *state, const struct mh_in *in)
{
    const struct mh_in scores = mh_in_key(in, "scores");
    const struct mh_in decisions = mh_in_key(in, "decisions");
    struct mh_in_deck deck = {general_card_text, CARDS, {0}};
    int32_t parts[PARTS];
    memset(deck.left, 1, CARDS);
    read_turn(state, in);
    read_hands(state, in, &deck);
    read_discards(state, in, &deck);
    read_piles(state, in, &deck);
    state->shown = read_cards(in, "shown");
    read_result(state, in);
    if (state->last.winner >= 0) { /* where no scores are given */
        state->scores[state->last.winner] = general_last_tally(state, state->last.winner, parts);
    }
    mh_in_numbers(&scores, state->head.seats, 0, state->scores);
    if (state->phase == PHASE_OVER) {
        mh_head_end_round(&state->head, general_episode_is_over(state), state->legal, LEGAL_WORDS);
    }
    if (!mh_in_given(&decisions)) {
        state->head.decisions = (uint32_t)general_least_decisions(state);
    }
    if (state->options[OPTION_offer] == OFFER_TOP && state->phase == PHASE_START && !state->offer) {
        state->offer = general_discard_below(state, 0);
    }
    check_hands(state, in);
    if (!in->reader->failed) {
        (void)general_settle(state, NULL); /* what is wrong with it, the runtime's check says */
    }
}
