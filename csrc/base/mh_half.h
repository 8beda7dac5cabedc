/* Numbers of 16 bits, IEEE 754 binary16, as other libraries keep many of them. */
#ifndef MH_HALF_H
#define MH_HALF_H

#include <string.h>

#include "mh_wide.h"

/* The number of these bits, exact. */
static inline float mh_half_number(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 31;
    const uint32_t fraction = half & 1023;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    if (exponent == 31) {
        bits = sign | 0x7F800000 | fraction << 13;
    } else if (exponent == 0) { /* fraction times 2 to the power of -24 */
        const float size = (float)fraction * 0x1p-24f;
        memcpy(&bits, &size, sizeof bits);
        bits |= sign;
    }
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline void mh_plain_halves(const uint16_t *from, int count, float *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = mh_half_number(from[i]);
    }
}

/* Before its version 18 clang cannot ask a processor for these instructions. */
#if defined(__GNUC__) && defined(__x86_64__) && (!defined(__clang__) || __clang_major__ >= 18)

#define MH_F16C __attribute__((target("avx,f16c")))

static inline int mh_wide_has_halves(void)
{
    return mh_wide_has_avx() && __builtin_cpu_supports("f16c");
}

MH_F16C static inline void mh_wide_halves(const uint16_t *from, int count, float *to)
{
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
    }
    mh_plain_halves(from + i, count - i, to + i);
}

#undef MH_F16C

#else

static inline int mh_wide_has_halves(void)
{
    return 0;
}

static inline void mh_wide_halves(const uint16_t *from, int count, float *to)
{
    mh_plain_halves(from, count, to);
}

#endif

/* Reads `count` numbers. */
static inline void mh_halves_read(const uint16_t *from, int count, float *to)
{
    if (mh_wide_has_halves()) {
        mh_wide_halves(from, count, to);
    } else {
        mh_plain_halves(from, count, to);
    }
}

#endif
