/* The legal actions (R3, R4, R10), as sets of ids, by tables instead of trying 304 patterns. */
#include "hand.h"
#include "mhing_tables.h"

/* Adds the melds that can be laid from a hand with so many Mhing cards. */
static void add_laid_melds(const struct mhing_hand *hand, int jokers, uint64_t sequences, uint64_t triplets,
                           uint64_t *legal)
{
    const int usable = jokers < MELD_CARDS ? jokers : MELD_CARDS;
    for (int suit = 0; suit < SUITS; suit++) {
        const unsigned held = hand_suit_bits(hand->held, suit);
        uint64_t placements = 0;
        for (int lowest = 0; lowest < SEQUENCES_PER_SUIT; lowest++) {
            placements |= (uint64_t)laid_sequences[held >> lowest & 7][usable] << 8 * lowest;
        }
        mh_set_add_run(legal, ACTION_sequence + suit * SEQUENCES_PER_SUIT * 8, placements & sequences);
    }
    for (int type = 0; type < TYPES; type++) {
        const uint64_t used = laid_triplets[hand->count[type]][usable];
        mh_set_add_run(legal, ACTION_triplet + type * 4, used & triplets);
    }
}

void mhing_turn_actions(struct mhing_state *state)
{
    const int seat = state->on_turn;
    const struct mhing_hand *hand = &state->hands[seat];
    uint64_t *legal = state->legal;
    memset(legal, 0, sizeof state->legal);
    legal[0] = hand_types(hand->held) | (uint64_t)(hand_jokers(hand) > 0) << JOKER;
    if (state->complete) {
        mh_set_add(legal, ACTION_mhing);
    }
    if (state->options[OPTION_lay_down] && mhing_melds_to_go(mhing_seat_view(state, seat)) > 0) {
        add_laid_melds(hand, hand_jokers(hand), ~(uint64_t)0, ~(uint64_t)0, legal);
    }
}

/* A claimed Mhing card is one of the jokers of a pattern with at least one; the hand gives the rest. */
static void add_joker_claims(const struct mhing_hand *hand, uint64_t *legal)
{
    const uint64_t with_jokers = 0xFEFEFEFEFEFEFEFEu;
    add_laid_melds(hand, hand_jokers(hand) + 1, with_jokers, with_jokers, legal);
}

/* The melds for which a natural card can be claimed: 4 bits for its triplet, 24 for the three sequences that hold it.
 * It fills its natural place, so at most two Mhing cards go with it. */
struct claims {
    unsigned triplets;
    uint32_t sequences;
};

static inline struct claims natural_claims(const struct mhing_hand *hand, int type)
{
    const int jokers = hand_jokers(hand) < 2 ? hand_jokers(hand) : 2;
    const int held = hand->count[type] < COPIES ? hand->count[type] + 1 : COPIES; /* with the claimed card */
    struct claims claims = {laid_triplets[held][jokers] & 7u, 0};
    if (type < SUIT_TYPES) {
        const unsigned window = (unsigned)(hand->held >> (hand_place(type) - 2));
        const unsigned near = (window & 3) | (window >> 1 & 12);
        claims.sequences = claimed_sequences[type_number(type)][near][jokers];
    }
    return claims;
}

/* A meld takes two cards of the hand. A hand of one has none; all others keep a card for the discard. */
int mhing_claim_actions(const struct mhing_state *state, int seat, uint64_t *legal)
{
    const struct mhing_hand *hand = &state->hands[seat];
    const int type = state->offer - 1;
    const int may_declare = (int)(hand->waits >> type & 1);
    if (type == JOKER) {
        memset(legal, 0, LEGAL_WORDS * sizeof *legal);
        add_joker_claims(hand, legal);
        if (!may_declare && mh_set_next(legal, LEGAL_WORDS, 0) < 0) {
            return 0;
        }
    } else {
        const struct claims claims = natural_claims(hand, type);
        if (!(claims.triplets | claims.sequences | (unsigned)may_declare)) {
            return 0;
        }
        memset(legal, 0, LEGAL_WORDS * sizeof *legal);
        mh_set_add_run(legal, ACTION_triplet + type * 4, claims.triplets);
        if (claims.sequences) {
            const int first = sequence_kind(type_suit(type), type_number(type) - 2);
            mh_set_add_run(legal, ACTION_sequence + first * 8, claims.sequences);
        }
    }
    if (may_declare) {
        mh_set_add(legal, ACTION_mhing);
    }
    mh_set_add(legal, ACTION_pass);
    return 1;
}

/* Passes, or discards the card just drawn. After a claim there is none, and it may have been laid down: then the lowest
 * one goes. */
int mhing_idle(const struct mhing_state *state)
{
    if (mh_set_has(state->legal, ACTION_pass)) {
        return ACTION_pass;
    }
    const int drawn = ACTION_discard + state->drawn - 1;
    return state->drawn && mh_set_has(state->legal, drawn) ? drawn : mh_set_next(state->legal, LEGAL_WORDS, 0);
}
