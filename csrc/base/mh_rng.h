/* The random generator: SplitMix64, eight bytes of state, the same numbers on every machine.
 *
 * Deals and bots each own one, so that what a bot draws never changes the cards.
 */
#ifndef MH_RNG_H
#define MH_RNG_H

#include <stdint.h>
#include <string.h>

struct mh_rng {
    uint64_t state;
};

static inline uint64_t mh_rng_next(struct mh_rng *self)
{
    uint64_t z = (self->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A number in 0 .. bound-1 without bias; bound > 0. Multiplication maps 32 random bits onto the range; the few
 * values that would make some results more likely are drawn again (Lemire 2019). */
static inline uint32_t mh_rng_below(struct mh_rng *self, uint32_t bound)
{
    uint64_t product = (mh_rng_next(self) >> 32) * bound;
    if ((uint32_t)product < bound) {
        const uint32_t threshold = (0u - bound) % bound;
        while ((uint32_t)product < threshold) {
            product = (mh_rng_next(self) >> 32) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}

/* Puts the items into a uniformly random order. */
static inline void mh_rng_shuffle(struct mh_rng *self, uint8_t *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)mh_rng_below(self, (uint32_t)i + 1);
        const uint8_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* The same, but the new order does not depend on the one that the items were in. */
static inline void mh_rng_reshuffle(struct mh_rng *self, uint8_t *items, int count)
{
    int counts[UINT8_MAX + 1] = {0};
    for (int i = 0; i < count; i++) {
        counts[items[i]]++;
    }
    uint8_t *next = items;
    for (int item = 0; item <= UINT8_MAX; item++) {
        memset(next, item, (size_t)counts[item]);
        next += counts[item];
    }
    mh_rng_shuffle(self, items, count);
}

/* An independent generator for one purpose: streams of one seed do not overlap in practice. */
static inline struct mh_rng mh_rng_stream(uint64_t seed, uint64_t purpose)
{
    struct mh_rng mixer = {seed ^ (purpose * 0xD1342543DE82EF95u)};
    struct mh_rng stream = {mh_rng_next(&mixer)};
    return stream;
}

/* The generator of an episode's deals. */
static inline struct mh_rng mh_rng_deals(uint64_t seed)
{
    return mh_rng_stream(seed, 'D');
}

/* The generator that the built-in bots of an episode share, in the order in which they play. */
static inline struct mh_rng mh_rng_bots(uint64_t seed)
{
    return mh_rng_stream(seed, 'B');
}

#endif
