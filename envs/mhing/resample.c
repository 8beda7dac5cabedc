/* The state as far as one seat knows it: everything hidden from the seat is drawn anew.
 *
 * Hidden are the other hands, the order of the source, coming shuffles, and the claims given so far: the seats that
 * could claim with their new cards answer again, as greedy would. What the seat knows stays: its own hand and answer,
 * sizes of hands, all that lies open, and that somebody is being asked when it is not. Hands of others are taken to
 * have been played as greedy plays.
 */
#include "player.h"

/* Hands lie open to the seat: its own, and that of who declared last in a round that is over. */
static int is_known(const struct mhing_state *state, int seat, int observer)
{
    return seat == observer || (state->phase == PHASE_OVER && seat == state->last.winner);
}

/* The hidden cards but flowers, in the order of their types, so that nothing depends on where they lie in truth. */
static int gather_hidden(const struct mhing_state *state, int observer, int keep, uint8_t cards[DECK], int *flowers)
{
    int left[FLOWER + 1] = {0};
    int count = 0;
    for (int i = state->next; i < DECK; i++) {
        left[state->deck[i]]++;
    }
    for (int type = 0; type <= JOKER; type++) {
        for (int seat = 0; seat < state->head.seats; seat++) {
            if (!is_known(state, seat, observer) && seat != keep) {
                left[type] += state->hands[seat].count[type];
            }
        }
        memset(cards + count, type, (size_t)left[type]);
        count += left[type];
    }
    *flowers = left[FLOWER];
    return count;
}

/* Cards in a hand before its draw. */
static int waiting_size(const struct mhing_state *state, int seat)
{
    return DEALT - MELD_CARDS * mhing_num_melds(mhing_seat_view(state, seat));
}

static void deal_to(struct mhing_state *state, int seat, uint8_t *cards, int *count, int size)
{
    while (size-- > 0) {
        hand_add(&state->hands[seat], cards[--*count]);
    }
}

/* Plays the turns that a seat has had with its new cards, as greedy would: it draws one of `cards`, and puts another
 * one in its place. Hands that have been played are far nearer to completion than random cards: two cards away at the
 * sixth turn, instead of three and a half. A drawn Mhing card is put back: a seat that drew one has mostly declared. */
static void practise(struct mhing_state *state, int seat, uint8_t *cards, int count, struct mh_rng *rng)
{
    struct mhing_player player;
    mhing_player_of(state, seat, &player);
    for (int turn = mhing_seat_view(state, seat)->num_discards[0]; turn > 0 && count > 0; turn--) {
        uint8_t *card = &cards[mh_rng_below(rng, (uint32_t)count)];
        if (*card != JOKER) {
            hand_add(&player.hand, *card);
            player.unseen[*card]--;
            *card = (uint8_t)mhing_best_discard(&player);
            hand_take(&player.hand, *card);
            player.unseen[*card]++;
        }
    }
    state->hands[seat] = player.hand;
}

/* Deals the hidden cards again; the hand of `keep` (or -1) stays too. Flowers are never held in hands. */
static void deal_hidden(struct mhing_state *state, int observer, int keep, struct mh_rng *rng)
{
    uint8_t cards[DECK];
    int flowers = 0;
    int count = gather_hidden(state, observer, keep, cards, &flowers);
    mh_rng_shuffle(rng, cards, count);
    for (int seat = 0; seat < state->head.seats; seat++) {
        if (!is_known(state, seat, observer) && seat != keep) {
            memset(&state->hands[seat], 0, sizeof state->hands[seat]);
            deal_to(state, seat, cards, &count, waiting_size(state, seat));
        }
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        if (!is_known(state, seat, observer) && seat != keep) {
            practise(state, seat, cards, count, rng);
            deal_to(state, seat, cards, &count,
                    mhing_seat_view(state, seat)->hand_size[0] - waiting_size(state, seat));
        }
    }
    memset(cards + count, FLOWER, (size_t)flowers);
    count += flowers;
    assert(count == DECK - state->next);
    mh_rng_shuffle(rng, cards, count);
    memcpy(state->deck + state->next, cards, (size_t)count);
}

static void update_waits(struct mhing_state *state)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        const int melds = mhing_melds_to_go(block);
        struct mhing_hand *hand = &state->hands[seat];
        const int waiting = block->hand_size[0] == DEALT - MELD_CARDS * (MELDS - melds);
        hand->waits = waiting ? mhing_hand_waits(hand, melds, state->options[OPTION_seven_pairs], NULL) : 0;
    }
}

/* A card of the hand, each copy as likely as the next. */
static int random_card(const struct mhing_hand *hand, int size, struct mh_rng *rng)
{
    int skip = (int)mh_rng_below(rng, (uint32_t)size);
    int type = 0;
    while (skip >= hand->count[type]) {
        skip -= hand->count[type++];
    }
    return type;
}

static void resample_turn(struct mhing_state *state, int observer, struct mh_rng *rng)
{
    const int seat = state->on_turn;
    deal_hidden(state, observer, -1, rng);
    update_waits(state);
    if (seat != observer) {
        const struct mhing_hand *hand = &state->hands[seat];
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        if (state->drawn) {
            state->drawn = (uint8_t)(random_card(hand, block->hand_size[0], rng) + 1);
        }
        state->complete = (uint8_t)mhing_is_complete(state, seat);
    }
    mhing_turn_actions(state);
}

/* Settles who is asked now, with the new cards, and the answers given before. Returns 0 when nobody can be: the
 * observer knows that it is being asked, that it has answered (so a later seat is asked), that its own question is
 * still to come (so an earlier one is), or that it has nothing to claim with. */
static int resample_questions(struct mhing_state *state, int observer, int observer_asked, uint16_t own_answer)
{
    uint64_t legal[LEGAL_WORDS];
    int asked = observer_asked ? observer : -1;
    int behind = 0; /* the observer's place in the order has been passed */
    const int observer_can = observer != state->on_turn && mhing_claim_actions(state, observer, legal);
    memset(state->answers, 0, sizeof state->answers);
    for (int seat = mh_head_next(&state->head, state->on_turn); seat != state->on_turn;
         seat = mh_head_next(&state->head, seat)) {
        if (seat == observer) {
            behind = 1;
            state->answers[seat] = own_answer;
            if (observer_asked || (observer_can && !own_answer)) {
                break;
            }
        } else if (mhing_claim_actions(state, seat, legal)) {
            if (!observer_asked && (behind || !own_answer)) {
                asked = seat;
                break;
            }
            state->answers[seat] = (uint16_t)(mhing_choose(state, seat, legal) + 1);
        }
    }
    if (asked < 0) {
        return 0;
    }
    state->head.seat = (int8_t)asked;
    (void)mhing_claim_actions(state, asked, state->legal);
    return 1;
}

static void resample_claims(struct mhing_state *state, int observer, struct mh_rng *rng)
{
    enum { TRIES = 100 };
    const struct mhing_state truth = *state;
    const int asked = truth.head.seat;
    const uint16_t own_answer = truth.answers[observer];
    for (int i = 0; i <= TRIES; i++) {
        *state = truth;
        /* Where new cards leave nobody to ask time and again, the last try keeps the hand that is asked in truth. */
        deal_hidden(state, observer, i == TRIES ? asked : -1, rng);
        update_waits(state);
        if (resample_questions(state, observer, asked == observer, own_answer)) {
            return;
        }
    }
    assert(0 && "the hand that is asked can claim");
}

void mhing_resample(struct mhing_state *state, int observer, uint64_t seed)
{
    struct mh_rng rng = mh_rng_stream(seed, 'R');
    state->head.rng = mh_rng_stream(seed, 'F');
    if (observer == MH_ALL_SEATS) {
        mh_rng_reshuffle(&rng, state->deck + state->next, DECK - state->next);
    } else if (state->phase == PHASE_CLAIM) {
        resample_claims(state, observer, &rng);
    } else if (state->phase == PHASE_TURN) {
        resample_turn(state, observer, &rng);
    } else {
        deal_hidden(state, observer, -1, &rng);
        update_waits(state);
    }
}
