/* The exponential function with the same result on every machine, which no C library promises: draws by logits follow
 * from it. Built with -ffp-contract=off, as a fused multiplication and addition rounds otherwise. */
#ifndef MH_EXP_H
#define MH_EXP_H

#include <stdint.h>
#include <string.h>

/* e to the power of x for x <= 0, -INFINITY included: the float nearest to it, or once in a hundred million times the
 * next one (tests/c/core/test_exp.c). */
static inline float mh_exp(float x)
{
    enum { LEAST = -104, BIAS = 1023 }; /* under LEAST the result is less than half the smallest float */
    static const double of_eighths[] = {
        0x1p+0,
        0x1.d5818dcfba487p-1,
        0x1.ae89f995ad3adp-1,
        0x1.8ace5422aa0dbp-1,
        0x1.6a09e667f3bcdp-1,
        0x1.4bfdad5362a27p-1,
        0x1.306fe0a31b715p-1,
        0x1.172b83c7d517bp-1, /* 2 to the power of -i/8 */
    };
    if (!(x >= LEAST)) {
        return 0;
    }
    /* x = -eighths * log(2) / 8 + rest, and |rest| <= log(2) / 16 */
    const int eighths = (int)(x * -0x1.71547652b82fep+3 + 0.5);
    const double rest = x + eighths * 0x1.62e42fefap-4 + eighths * 0x1.cf79abc9e3b3ap-43;
    const double square = rest * rest;
    const double higher = 1.0 / 24 + rest * (1.0 / 120) + square * (1.0 / 720);
    const double power = 1 + rest + square * (1.0 / 2 + rest * (1.0 / 6) + square * higher);
    const uint64_t scale_bits = (uint64_t)(BIAS - (eighths >> 3)) << 52;
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return (float)(power * of_eighths[eighths & 7] * scale);
}

#endif
