/* The state as far as one seat knows it: everything hidden from the seat is drawn anew.
 *
 * Hidden are the other hands up to the end of the episode (R8.1), the order of the draw pile, coming shuffles, and what
 * a seat on turn is planning. What the seat knows stays: its own hand, all that lies open, cards that were taken
 * openly, and how many cards of each shuffle a hand or the draw pile holds. That follows from who drew when: a card
 * shuffled into the draw pile can only lie in it, or in the hand of somebody who has drawn since. So cards change
 * places with cards of the same shuffle (R1.4).
 */
#include "mexican_rummy.h"

/* The members of a set that were last shuffled together with its lowest one. */
static struct cards same_shuffle(const struct rummy_state *state, struct cards cards)
{
    const int shuffle = state->shuffle_of[cards_lowest(cards)];
    struct cards members = {{0, 0}};
    for (struct cards rest = cards; !cards_are_none(rest); cards_remove(&rest, cards_lowest(rest))) {
        if (state->shuffle_of[cards_lowest(rest)] == shuffle) {
            cards_add(&members, cards_lowest(rest));
        }
    }
    return members;
}

static int list_cards(struct cards cards, uint8_t list[CARDS])
{
    int count = 0;
    for (; !cards_are_none(cards); cards_remove(&cards, cards_lowest(cards))) {
        list[count++] = (uint8_t)cards_lowest(cards);
    }
    return count;
}

/* Deals the hidden cards again, all but those in the hand of `keep` (-1: of nobody). */
static void deal_hidden(struct rummy_state *state, int observer, int keep, struct mh_rng *rng)
{
    const struct cards none = {{0, 0}};
    struct cards hidden = cards_without(rummy_unseen(state, observer), keep < 0 ? none : state->hands[keep]);
    while (!cards_are_none(hidden)) {
        const struct cards members = same_shuffle(state, hidden);
        uint8_t cards[CARDS] = {0};
        int count = list_cards(members, cards);
        mh_rng_shuffle(rng, cards, count);
        for (int seat = 0; seat < state->head.seats; seat++) {
            const int held = cards_count(cards_common(state->hands[seat], members));
            state->hands[seat] = cards_without(state->hands[seat], members);
            for (int i = 0; i < held; i++) {
                cards_add(&state->hands[seat], cards[--count]);
            }
        }
        if (count) { /* the rest is the draw pile */
            assert(count == CARDS - state->next);
            memcpy(state->deck + state->next, cards, (size_t)count);
        }
        hidden = cards_without(hidden, members);
    }
}

/* The card drawn was any of those that the hand now holds of the last shuffle. */
static void redraw(struct rummy_state *state, struct mh_rng *rng)
{
    const struct cards held = cards_without(state->hands[state->on_turn], state->shown);
    uint8_t cards[CARDS] = {0};
    const int count = list_cards(cards_common(held, state->shuffled), cards);
    state->drawn = (uint8_t)(cards[mh_rng_below(rng, (uint32_t)count)] + 1);
}

/* Hands that one seat cannot know, and with them the draw pile. */
static void resample_hands(struct rummy_state *state, int observer, struct mh_rng *rng)
{
    enum { TRIES = 20000 };
    const int asked = state->head.seat;
    const int thinks = asked >= 0 && asked != observer && state->phase >= PHASE_PLAY;
    if (thinks) { /* nobody else knows what it has chosen so far */
        memset(&state->plan, 0, sizeof state->plan);
        state->chosen = 0;
        state->phase = PHASE_PLAY;
    }
    const struct rummy_state truth = *state;
    for (int i = 0; i <= TRIES; i++) {
        /* A seat is only asked when it has a choice, so new cards that leave it none are dealt again. Three cards or
         * more always leave a choice, and a single one does if it fits onto a meld, as at least one hidden card in 84
         * does. So the last try, which keeps the hand that the seat has in truth, only makes the loop end. */
        memcpy(state->hands, truth.hands, sizeof state->hands);
        deal_hidden(state, observer, i == TRIES && thinks ? asked : -1, rng);
        rummy_settle_actions(state);
        if (!thinks || rummy_only_action(state) < 0) {
            break;
        }
    }
    if (thinks && state->drawn) {
        redraw(state, rng);
    }
}

void rummy_resample(struct rummy_state *state, int observer, uint64_t seed)
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
