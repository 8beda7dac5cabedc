/* The exponential function with the same result on every machine, which no C library promises: draws by logits follow
 * from it. Built with -ffp-contract=off, as a fused multiplication and addition rounds otherwise. */
#ifndef MH_EXP_H
#define MH_EXP_H

#include <stdint.h>
#include <string.h>

#include "mh_wide.h"

/* 2 to the power of -i/8. */
static const double mh_exp_of_eighths[] = {
    0x1p+0,
    0x1.d5818dcfba487p-1,
    0x1.ae89f995ad3adp-1,
    0x1.8ace5422aa0dbp-1,
    0x1.6a09e667f3bcdp-1,
    0x1.4bfdad5362a27p-1,
    0x1.306fe0a31b715p-1,
    0x1.172b83c7d517bp-1,
};

/* 8 / log(2); log(2) / 8 in two parts, of which products with small whole numbers are exact. */
static const double mh_exp_eighths = 0x1.71547652b82fep+3;
static const double mh_exp_high = 0x1.62e42fefap-4;
static const double mh_exp_low = 0x1.cf79abc9e3b3ap-43;
enum {
    MH_EXP_LEAST = -104, /* under it the result is less than half the smallest float */
    MH_EXP_BIAS = 1023,
    MH_EXP_LANES = 4 /* how many mh_wide_exp_all computes at once */
};

/* e to the power of x for x <= 0, -INFINITY included: the float nearest to it, or once in a hundred million times the
 * next one (tests/c/core/test_exp.c). */
static inline float mh_exp(float x)
{
    if (!(x >= MH_EXP_LEAST)) {
        return 0;
    }
    /* x = -eighths * log(2) / 8 + rest, and |rest| <= log(2) / 16 */
    const int eighths = (int)(x * -mh_exp_eighths + 0.5);
    const double rest = x + eighths * mh_exp_high + eighths * mh_exp_low;
    const double square = rest * rest;
    const double higher = 1.0 / 24 + rest * (1.0 / 120) + square * (1.0 / 720);
    const double power = 1 + rest + square * (1.0 / 2 + rest * (1.0 / 6) + square * higher);
    const uint64_t scale_bits = (uint64_t)(MH_EXP_BIAS - (eighths >> 3)) << 52;
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return (float)(power * mh_exp_of_eighths[eighths & 7] * scale);
}

/* Replaces each number by the exponential of what it is less than `most`. There is room for MH_EXP_LANES - 1 more, with
 * anything in it. */
static inline void mh_exp_all(float *numbers, int count, float most)
{
    for (int i = 0; i < count; i++) {
        numbers[i] = mh_exp(numbers[i] - most);
    }
}

#if defined(__GNUC__) && defined(__x86_64__)

/* The same by AVX-512, with the operations of mh_exp in the same order. */
MH_AVX512 static inline void mh_wide_exp_all(float *numbers, int count, float most)
{
    const __m256d table[2] = {_mm256_loadu_pd(mh_exp_of_eighths), _mm256_loadu_pd(mh_exp_of_eighths + 4)};
    for (int i = 0; i < count; i += MH_EXP_LANES) {
        const __m128 single = _mm_loadu_ps(numbers + i) - _mm_set1_ps(most);
        const __mmask8 is_some = _mm_cmp_ps_mask(single, _mm_set1_ps(MH_EXP_LEAST), _CMP_GE_OQ);
        const __m256d x = _mm256_cvtps_pd(single);
        const __m128i eighths = _mm256_cvttpd_epi32(x * _mm256_set1_pd(-mh_exp_eighths) + _mm256_set1_pd(0.5));
        const __m256d whole = _mm256_cvtepi32_pd(eighths);
        const __m256d rest = x + whole * _mm256_set1_pd(mh_exp_high) + whole * _mm256_set1_pd(mh_exp_low);
        const __m256d square = rest * rest;
        const __m256d higher = 1.0 / 24 + rest * (1.0 / 120) + square * (1.0 / 720);
        const __m256d power = 1 + rest + square * (1.0 / 2 + rest * (1.0 / 6) + square * higher);
        const __m256i places = _mm256_cvtepi32_epi64(eighths);
        const __m256d part = _mm256_permutex2var_pd(table[0], places, table[1]);
        const __m256i exponent = _mm256_sub_epi64(_mm256_set1_epi64x(MH_EXP_BIAS), _mm256_srai_epi64(places, 3));
        const __m256d scale = _mm256_castsi256_pd(_mm256_slli_epi64(exponent, 52));
        _mm_storeu_ps(numbers + i, _mm_maskz_mov_ps(is_some, _mm256_cvtpd_ps(power * part * scale)));
    }
}

#else

static inline void mh_wide_exp_all(float *numbers, int count, float most)
{
    mh_exp_all(numbers, count, most);
}

#endif

#endif
