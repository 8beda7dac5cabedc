/* Two words of 64 bits, computed with at once where the machine's usual instructions do that. gcc 12 does not find it
 * by itself in loops over two words. */
#ifndef MH_TWO_H
#define MH_TWO_H

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON))

typedef uint64_t mh_two __attribute__((vector_size(16)));

static inline mh_two mh_two_load(const uint64_t from[2])
{
    mh_two two;
    memcpy(&two, from, sizeof two);
    return two;
}

/* Two words in registers; stored apart and loaded at once, they would have to reach the cache first. */
static inline mh_two mh_two_join(uint64_t one, uint64_t other)
{
    return (mh_two){one, other};
}

static inline mh_two mh_two_of(uint64_t both)
{
    return (mh_two){both, both};
}

static inline mh_two mh_two_add(mh_two a, mh_two b)
{
    return a + b;
}

static inline mh_two mh_two_subtract(mh_two a, mh_two b)
{
    return a - b;
}

static inline mh_two mh_two_and(mh_two a, mh_two b)
{
    return a & b;
}

static inline mh_two mh_two_and_not(mh_two a, mh_two b)
{
    return a & ~b;
}

static inline mh_two mh_two_left(mh_two a, int bits)
{
    return a << bits;
}

static inline mh_two mh_two_right(mh_two a, int bits)
{
    return a >> bits;
}

static inline uint64_t mh_two_either(mh_two a)
{
    return a[0] | a[1];
}

#else

typedef struct mh_two {
    uint64_t word[2];
} mh_two;

static inline mh_two mh_two_load(const uint64_t from[2])
{
    return (mh_two){{from[0], from[1]}};
}

static inline mh_two mh_two_join(uint64_t one, uint64_t other)
{
    return (mh_two){{one, other}};
}

static inline mh_two mh_two_of(uint64_t both)
{
    return (mh_two){{both, both}};
}

static inline mh_two mh_two_add(mh_two a, mh_two b)
{
    return (mh_two){{a.word[0] + b.word[0], a.word[1] + b.word[1]}};
}

static inline mh_two mh_two_subtract(mh_two a, mh_two b)
{
    return (mh_two){{a.word[0] - b.word[0], a.word[1] - b.word[1]}};
}

static inline mh_two mh_two_and(mh_two a, mh_two b)
{
    return (mh_two){{a.word[0] & b.word[0], a.word[1] & b.word[1]}};
}

static inline mh_two mh_two_and_not(mh_two a, mh_two b)
{
    return (mh_two){{a.word[0] & ~b.word[0], a.word[1] & ~b.word[1]}};
}

static inline mh_two mh_two_left(mh_two a, int bits)
{
    return (mh_two){{a.word[0] << bits, a.word[1] << bits}};
}

static inline mh_two mh_two_right(mh_two a, int bits)
{
    return (mh_two){{a.word[0] >> bits, a.word[1] >> bits}};
}

static inline uint64_t mh_two_either(mh_two a)
{
    return a.word[0] | a.word[1];
}

#endif

#endif
