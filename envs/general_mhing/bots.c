/* The greedy player.
 *
 * It counts its sequences and what they score, and adds a prospect: every sequence that could still come about counts
 * the more the fewer cards it lacks (none: READY, one: ONE, two: TWO) and the more points it would bring. An ace in
 * the hand stands in for one lacking card, which is what makes swapping it back worth something. Of all moves it plays
 * the one that leaves most; a fourth sequence only when the round is then won.
 */
#include "general_mhing.h"

/* The weights of the bot, found by playing bots with other numbers against each other: laying a sequence is worth more
 * than anything that a hand promises. */
enum { POINT = 80, LAID = 400, READY = 20, ONE = 6, TWO = 1 };

/* A seat's own point of view: its hand, the cards that may come to it, and what each kind of sequence would bring. */
struct general_player {
    uint64_t hand;
    uint64_t live;
    uint8_t kinds[SEQUENCES];
    int count;
    int tally;
    uint8_t worth[KINDS];
};

static void weigh_kinds(struct general_player *player)
{
    player->tally = general_scores_with(player->kinds, player->count, player->worth);
    for (int kind = 0; kind < KINDS; kind++) {
        player->worth[kind] = (uint8_t)(1 + player->worth[kind] - player->tally);
    }
}

/* Filled where it stays: to copy it would wait for what was just written. */
static void player_of(const struct general_state *state, int seat, struct general_player *player)
{
    *player = (struct general_player){.hand = state->hands[seat], .live = general_unseen(state, seat)};
    memcpy(player->kinds, state->blocks[seat].sequence_kind, sizeof player->kinds);
    player->count = general_num_sequences(&state->blocks[seat]);
    weigh_kinds(player);
}

/* Counts those of three neighbouring ranks that are there: two bits for each case. */
static inline int count_of_three(unsigned ranks)
{
    return (int)(0xE994u >> 2 * (ranks & 7) & 3);
}

/* Returns what those sequences of one suit promise that these cards and cards to come can make, from one lowest rank
 * to another. */
static int promised(const struct general_player *player, uint64_t hand, int suit, int from, int to)
{
    static const uint8_t weights[] = {0, TWO, ONE, READY, READY}; /* by the cards held, the ace counted again */
    const unsigned held = suit_ranks(hand, suit);
    const unsigned there = held | suit_ranks(player->live, suit);
    int sum = 0;
    for (int low = from; low <= to; low++) {
        const int joker = low > 0 && held & 1;
        const int can_come = count_of_three(there >> low) + joker >= SEQUENCE_CARDS;
        sum += can_come * weights[count_of_three(held >> low) + joker] * player->worth[suit * LOWS + low];
    }
    return sum;
}

static int prospect(const struct general_player *player, uint64_t hand)
{
    int sum = 0;
    for (int suit = 0; suit < SUITS && player->count < SEQUENCES; suit++) {
        sum += promised(player, hand, suit, 0, LOWS - 1);
    }
    return sum;
}

static int value(const struct general_player *player, uint64_t hand)
{
    return POINT * player->tally + LAID * player->count + prospect(player, hand);
}

/* ---- Moves ----------------------------------------------------------------------------------------------- */

struct greedy_choice {
    int action;
    int value;
};

static void consider(struct greedy_choice *best, int action, int value)
{
    if (value > best->value) {
        best->action = action;
        best->value = value;
    }
}

/* True if a round that ends now with this tally is won, all others having fewer sequences. */
static int wins_with(const struct general_state *state, int tally)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        if (seat != state->on_turn && state->blocks[seat].tally[0] >= tally) {
            return 0;
        }
    }
    return 1;
}

/* The best of the sequences that this hand can lay; a fourth one that loses the round is the last resort. */
static void consider_sequences(const struct general_state *state, const struct general_player *player,
                               uint64_t hand, const uint64_t legal[LEGAL_WORDS], struct greedy_choice *best)
{
    enum { WON = 1 << 20, LOST = -1 };
    for (int action = mh_set_next(legal, LEGAL_WORDS, ACTION_sequence); action >= 0 && action < ACTION_swap;
         action = mh_set_next(legal, LEGAL_WORDS, action + 1)) {
        const struct sequence sequence = general_action_sequence(action);
        struct general_player after = *player;
        after.kinds[after.count++] = (uint8_t)(sequence.kind + 1);
        weigh_kinds(&after);
        if (after.count < SEQUENCES) {
            consider(best, action, value(&after, hand & ~sequence_cards(sequence)));
        } else {
            consider(best, action, wins_with(state, after.tally) ? WON + after.tally : LOST);
        }
    }
}

/* A discard of these cards changes what holds its rank; an ace, which stands for any, all of its suit. */
static void consider_discards(const struct general_player *player, uint64_t among, int now,
                              struct greedy_choice *best)
{
    for (uint64_t rest = among; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        const int suit = card_suit(card);
        const int rank = card_rank(card);
        const int from = rank < SEQUENCE_CARDS ? 0 : rank - SEQUENCE_CARDS + 1;
        const int to = rank == 0 || rank >= LOWS ? LOWS - 1 : rank;
        consider(best, ACTION_discard + card,
                 now - promised(player, player->hand, suit, from, to) +
                     promised(player, player->hand & ~card_bit(card), suit, from, to));
    }
}

/* The best swap, if it leaves more than there is. */
static void consider_swaps(const struct general_state *state, const struct general_player *player,
                           struct greedy_choice *best)
{
    const struct general_seat *block = &state->blocks[state->on_turn];
    for (uint64_t rest = state->wanted[state->on_turn] & player->hand; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        const int suit = card_suit(card);
        const int place = general_place_of_ace(block, suit);
        struct general_player after = *player;
        after.kinds[place] = (uint8_t)(sequence_with(general_sequence(block, place), card).kind + 1);
        weigh_kinds(&after);
        consider(best, ACTION_swap + suit * (RANKS - 1) + card_rank(card) - 1,
                 value(&after, (player->hand & ~card_bit(card)) | card_bit(suit * RANKS)));
    }
}

/* True if taking the card on offer and laying it is better than drawing. */
static int would_take(const struct general_state *state, const struct general_player *player, int now)
{
    struct greedy_choice best = {-1, now};
    if (mh_set_has(state->legal, ACTION_take)) {
        uint64_t laid[LEGAL_WORDS] = {0};
        general_add_sequences_with(player->hand, state->offer - 1, laid);
        consider_sequences(state, player, player->hand | card_bit(state->offer - 1), laid, &best);
    }
    return best.action >= 0;
}

int general_greedy_discard(const struct general_state *state, int seat, uint64_t among)
{
    struct general_player player;
    player_of(state, seat, &player);
    struct greedy_choice best = {-1, INT32_MIN};
    consider_discards(&player, among, 0, &best);
    return best.action - ACTION_discard;
}

int general_greedy(const struct general_state *state, struct mh_rng *rng)
{
    (void)rng;
    struct general_player player;
    player_of(state, state->on_turn, &player);
    const int now = value(&player, player.hand);
    struct greedy_choice best = {-1, now};
    if (state->phase != PHASE_TAKEN) {
        consider_swaps(state, &player, &best);
    }
    if (best.action >= 0) {
        return best.action;
    }
    switch (state->phase) {
    case PHASE_START:
        return would_take(state, &player, now) ? ACTION_take : ACTION_draw;
    case PHASE_END:
        return ACTION_end;
    default: /* a sequence, or in its own time a discard */
        best.value = INT32_MIN;
        consider_sequences(state, &player, player.hand, state->legal, &best);
        if (state->phase == PHASE_PLAY) {
            consider_discards(&player, player.hand, now, &best);
        }
        return best.action;
    }
}
