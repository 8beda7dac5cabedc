/* The hopes of a seat: which cards would complete a sequence that scores how much, what that makes of the race,
 * and what a discard gives away. The expert judges its moves by it, and a net learns from it.
 *
 * race.h knows what each situation is worth in the unit of the reward.
 */
#ifndef GENERAL_OUTLOOK_H
#define GENERAL_OUTLOOK_H

#include "position.h"
#include "race.h"

/* The knowledge of the seat on turn. */
struct outlook {
    uint64_t live;      /* cards that may come to it */
    double each;        /* the chance that a draw is a certain one of them */
    double held[CARDS]; /* the chance that the next seat holds a card */
    uint8_t left;       /* card+1 that the next seat may take after a turn without a discard (option offer) */
    struct race race;
};

/* The sequences of a suit that can still come, by how many cards a hand lacks, where an ace of it stands for one of
 * them: sets of lowest ranks. */
struct lacks {
    unsigned by_count[SEQUENCE_CARDS + 1];
};

/* All lowest ranks at once: how many of three ranks are not held, and how many of them cannot come, in two bits
 * each. */
static inline struct lacks lacks_of(unsigned held, unsigned live)
{
    const unsigned lows = (1u << LOWS) - 1;
    const unsigned by_ace = lows & ~1u; /* an ace stands for a card of these */
    const unsigned ace_held = held & 1 ? by_ace : 0;
    const unsigned ace = (held | live) & 1 ? by_ace : 0;
    const unsigned a = ~held, b = a >> 1, c = a >> 2;
    const unsigned odd = a ^ b ^ c, many = (a & b) | (a & c) | (b & c);
    const unsigned d = a & ~live, e = d >> 1, f = d >> 2;
    const unsigned dead_odd = d ^ e ^ f, dead_many = (d & e) | (d & f) | (e & f);
    const unsigned possible = lows & ~dead_many & (~dead_odd | ace);
    const unsigned lacking[] = {~odd & ~many, odd & ~many, ~odd & many, odd & many};
    return (struct lacks){{possible & (lacking[0] | (lacking[1] & ace_held)),
                           possible & ((lacking[1] & ~ace_held) | (lacking[2] & ace_held)),
                           possible & ((lacking[2] & ~ace_held) | (lacking[3] & ace_held)),
                           possible & lacking[3] & ~ace_held}};
}

/* The ranks that a hand has not of a sequence. */
static inline unsigned missing_ranks(unsigned held, int low)
{
    return 7u << low & ~held;
}

/* The ranks each of which completes one of these sequences, which lack one card, and the highest tally that it brings:
 * best[rank]. */
static inline unsigned completing_ranks(unsigned held, unsigned live, unsigned lows, const uint8_t tallies[LOWS],
                                        uint8_t best[RANKS])
{
    unsigned completing = 0;
    memset(best, 0, RANKS);
    for (; lows; lows &= lows - 1) {
        const int low = mh_bits_lowest(lows);
        const unsigned missing = missing_ranks(held, low);
        const unsigned ace_held = low > 0 ? held & 1 : 0;
        const unsigned ace_live = low > 0 ? live & 1 : 0;
        unsigned rest = missing & ~live && !ace_held ? 1 : (missing & live) | ace_live;
        for (completing |= rest; rest; rest &= rest - 1) {
            uint8_t *tally = &best[mh_bits_lowest(rest)];
            *tally = tallies[low] > *tally ? tallies[low] : *tally;
        }
    }
    return completing;
}

/* Returns the aim of a round, an enum general_reward. A game is won by points, more of them than the others have. */
int outlook_aim(const struct general_state *state);
void outlook_of(const struct general_state *state, struct outlook *outlook);

/* The same once the card on offer is taken, which uncovers the one below. */
struct outlook outlook_after_taking(const struct general_state *state, const struct outlook *outlook);

/* The tally that each kind of sequence would lead to. */
void outlook_tallies(const struct position *position, uint8_t tallies[KINDS]);

/* The value of a hand when its turn ends without a discard. */
double outlook_waiting(const struct outlook *outlook, const struct position *position,
                       const uint8_t tallies[KINDS]);

/* Its value after each discard: writes by card, for those in the hand. */
void outlook_discards(const struct outlook *outlook, const struct position *position, const uint8_t tallies[KINDS],
                      double worth[CARDS]);

/* The value of a sequence once it lies, before the two draws. */
double outlook_laid(const struct outlook *outlook, const struct position *after, const uint8_t tallies[KINDS],
                    struct sequence sequence);

/* The value of a hand before its draw. */
double outlook_drawing(const struct outlook *outlook, const struct position *position,
                       const uint8_t tallies[KINDS]);

/* The chance that the next seat can lay a card. */
double outlook_take_chance(const struct outlook *outlook, int card);

#endif
