/* mh_exp against the exponential function of the C library in double precision. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/mh_exp.h"
#include "base/mh_wide.h"

static int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Every 977th float from -0 down to where the result is 0. Of all these floats some ten are rounded to the neighbour of
 * the nearest float, so here hardly one may be. */
static void test_results_are_the_nearest(void)
{
    const uint32_t minus_zero = 0x80000000;
    const uint32_t minus_105 = 0xC2D20000;
    long values = 0;
    long other = 0;
    for (uint32_t bits = minus_zero; bits <= minus_105; bits += 977) {
        float x;
        memcpy(&x, &bits, sizeof x);
        const int32_t apart = bits_of(mh_exp(x)) - bits_of((float)exp((double)x));
        CHECK(apart >= -1 && apart <= 1);
        values++;
        other += apart != 0;
    }
    printf("%ld of %ld results are not the nearest float\n", other, values);
    CHECK(other <= 1);
}

static void test_ends(void)
{
    CHECK(mh_exp(0.0f) == 1 && mh_exp(-0.0f) == 1);
    CHECK(mh_exp(-INFINITY) == 0 && mh_exp(-1e30f) == 0 && mh_exp(-104.0f) == 0);
    CHECK(mh_exp(-103.9f) > 0);
    CHECK(mh_exp(-0x1p-149f) == 1);
}

/* Many at once are those of each, whatever their number; what lies behind them may be anything. */
static void test_all_at_once(void)
{
    enum { MOST = 9 };
    for (int count = 0; count <= MOST; count++) {
        for (int step = 0; step < 32 * 120; step++) {
            const float less = (float)step / 32;
            float plain[MOST + MH_EXP_LANES];
            float wide[MOST + MH_EXP_LANES];
            for (int i = 0; i < MOST + MH_EXP_LANES; i++) {
                plain[i] = wide[i] = i < count ? 5 - less * (float)(i + 1) / MOST : NAN;
            }
            plain[0] = wide[0] = count > 1 ? -INFINITY : plain[0];
            mh_exp_all(plain, count, 5);
            if (mh_wide_has_avx512()) {
                mh_wide_exp_all(wide, count, 5);
            } else {
                mh_exp_all(wide, count, 5);
            }
            for (int i = 0; i < count; i++) {
                const float x = i == 0 && count > 1 ? -INFINITY : 5 - less * (float)(i + 1) / MOST - 5;
                CHECK_EQUAL(bits_of(plain[i]), bits_of(mh_exp(x)));
                CHECK_EQUAL(bits_of(wide[i]), bits_of(plain[i]));
            }
        }
    }
}

int main(void)
{
    test_all_at_once();
    test_results_are_the_nearest();
    test_ends();
    return 0;
}
