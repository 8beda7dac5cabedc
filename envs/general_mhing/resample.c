/* The state as far as one seat knows it: everything hidden from the seat is drawn anew.
 *
 * Hidden are the other hands, the order of the draw pile and coming shuffles. What the seat knows stays: its own hand,
 * all that lies open, aces seen going back to a hand, and how many cards of each shuffle a hand or the draw pile
 * holds. That follows from who drew when: a card shuffled into the draw pile can only lie in it, or in the hand of
 * somebody who has drawn since. So cards change places with cards of the same shuffle. Hands of others are taken to
 * have been played as greedy plays, but for one in eight, so that every card can be in every place.
 */
#include "general_mhing.h"

/* The members of a set that were last shuffled together with its lowest one. */
static uint64_t same_shuffle(const struct general_state *state, uint64_t cards)
{
    const int shuffle = state->shuffle_of[mh_bits_lowest(cards)];
    uint64_t members = 0;
    for (uint64_t rest = cards; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        members |= state->shuffle_of[card] == shuffle ? card_bit(card) : 0;
    }
    return members;
}

/* Deals the hidden cards again, all but those in the hand of `keep` (-1: of nobody). */
static void deal_hidden(struct general_state *state, int observer, int keep, struct mh_rng *rng)
{
    uint64_t hidden = general_unseen(state, observer) & ~(keep < 0 ? 0 : state->hands[keep]);
    while (hidden) {
        const uint64_t members = same_shuffle(state, hidden);
        uint8_t cards[CARDS] = {0};
        int count = 0;
        for (uint64_t rest = members; rest; rest &= rest - 1) {
            cards[count++] = (uint8_t)mh_bits_lowest(rest);
        }
        mh_rng_shuffle(rng, cards, count);
        for (int seat = 0; seat < state->head.seats; seat++) {
            const int held = mh_bits_count(state->hands[seat] & members);
            state->hands[seat] &= ~members;
            for (int i = 0; i < held; i++) {
                state->hands[seat] |= card_bit(cards[--count]);
            }
        }
        if (count) { /* the rest is the draw pile */
            assert(count == CARDS - state->next);
            memcpy(state->deck + state->next, cards, (size_t)count);
        }
        hidden &= ~members;
    }
}

/* Plays the turns in which a seat has discarded, as greedy would: it draws from the pile, and puts another card in that
 * place. A card that makes a sequence is left, since who drew it has mostly laid it. */
static void practise(struct general_state *state, int seat, struct mh_rng *rng)
{
    const uint32_t pile = CARDS - (uint32_t)state->next;
    for (int i = 0; pile && i < state->num_discards; i++) {
        uint8_t *card = &state->deck[state->next + mh_rng_below(rng, pile)];
        if (state->discarded_by[i] == seat + 1 && !general_sequences_with(state->hands[seat], *card)) {
            state->hands[seat] |= card_bit(*card);
            *card =
                (uint8_t)general_greedy_discard(state, seat, state->hands[seat] & state->shuffled & ~state->shown);
            state->hands[seat] &= ~card_bit(*card);
        }
    }
}

/* The cards drawn last were any of those that the hand held after the draw, of the shuffle that they came from. */
static void redraw(struct general_state *state, struct mh_rng *rng)
{
    uint64_t candidates = (state->hands[state->on_turn] & ~state->shown) | state->given;
    for (int i = 0; i < 2 && state->drawn[i]; i++) {
        const int shuffle = state->shuffle_of[state->drawn[i] - 1];
        uint8_t cards[CARDS] = {0};
        int count = 0;
        for (uint64_t rest = candidates; rest; rest &= rest - 1) {
            const int card = mh_bits_lowest(rest);
            cards[count] = (uint8_t)card;
            count += state->shuffle_of[card] == shuffle;
        }
        const int card = cards[mh_rng_below(rng, (uint32_t)count)];
        state->drawn[i] = (uint8_t)(card + 1);
        candidates &= ~card_bit(card);
    }
}

/* Hands that one seat cannot know, and with them the draw pile. */
static void resample_hands(struct general_state *state, int observer, struct mh_rng *rng)
{
    enum { TRIES = 1000, AS_DEALT = 8 };
    const int asked = state->head.seat;
    const struct general_state truth = *state;
    for (int i = 0; i <= TRIES; i++) {
        /* A seat is only asked when it has a choice. Where new cards leave it none time and again, the last try keeps
         * the hand that it has in truth. */
        memcpy(state->hands, truth.hands, sizeof state->hands);
        const int keep = i == TRIES && asked != observer ? asked : -1;
        deal_hidden(state, observer, keep, rng);
        for (int seat = 0; seat < state->head.seats; seat++) {
            if (seat != observer && seat != keep && mh_rng_below(rng, AS_DEALT)) {
                practise(state, seat, rng);
            }
        }
        if (asked < 0 || asked == observer || general_has_choice(state)) {
            break;
        }
    }
    if (asked >= 0 && asked != observer) {
        redraw(state, rng);
        general_settle_actions(state);
    }
}

void general_resample(struct general_state *state, int observer, uint64_t seed)
{
    struct mh_rng rng = mh_rng_stream(seed, 'R');
    if (observer == MH_ALL_SEATS) {
        mh_rng_reshuffle(&rng, state->deck + state->next, CARDS - state->next);
    } else {
        resample_hands(state, observer, &rng);
    }
    state->head.rng = mh_rng_stream(seed, 'F');
    state->shuffler = mh_rng_stream(seed, 'S');
}
