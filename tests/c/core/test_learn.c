/* Layers that learn: numbers of 16 bits, gradients by every way of adding, and what is refused. Python's tests compare
 * values and gradients with PyTorch's. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/mh_half.h"
#include "base/mh_rng.h"
#include "game/mh_gradient.h"
#include "mh.h"

/* ---- Numbers of 16 bits ---------------------------------------------------------------------------------- */

/* What the standard says that these bits are. */
static float defined(int half)
{
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    const float size = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? ldexpf((float)fraction, -24)
                                       : ldexpf((float)(fraction + 1024), exponent - 25);
    return half >> 15 ? -size : size;
}

static void check_halves(void (*read)(const uint16_t *from, int count, float *to))
{
    enum { COUNT = 1 << 16, MOST = 21 };
    uint16_t *halves = check_memory(COUNT * sizeof *halves);
    float *numbers = check_memory((COUNT + 1) * sizeof *numbers);
    for (int i = 0; i < COUNT; i++) {
        halves[i] = (uint16_t)i;
    }
    read(halves, COUNT, numbers);
    for (int i = 0; i < COUNT; i++) {
        const float exact = defined(i);
        CHECK(isnan(exact) ? isnan(numbers[i]) : memcmp(&numbers[i], &exact, sizeof exact) == 0);
    }
    for (int count = 0; count < MOST; count++) {
        numbers[count] = -1;
        read(halves + COUNT / 4, count, numbers);
        CHECK(numbers[count] == -1);
        CHECK(!count || numbers[count - 1] == defined(COUNT / 4 + count - 1));
    }
    free(numbers);
    free(halves);
}

static void test_halves(void)
{
    check_halves(mh_plain_halves);
    check_halves(mh_halves_read);
}

/* ---- Gradients ------------------------------------------------------------------------------------------- */

static void test_gradients_of_every_width(void)
{
    enum { MOST_OUTPUTS = 140, MOST_INPUTS = 200 };
    struct mh_rng rng = {12};
    for (int round = 0; round < 4 * MOST_OUTPUTS; round++) {
        const int outputs = 1 + round % MOST_OUTPUTS;
        const int inputs = 1 + (int)mh_rng_below(&rng, MOST_INPUTS);
        const size_t count = ((size_t)inputs + 1) * (size_t)outputs;
        float *gradients = check_memory(2 * (count + 1) * sizeof *gradients);
        float *in = check_memory((size_t)inputs * sizeof *in);
        float *slopes = check_memory((size_t)outputs * sizeof *slopes);
        for (int i = 0; i < inputs; i++) {
            in[i] = mh_rng_below(&rng, 3) ? 0 : (float)mh_rng_below(&rng, 1000) / 7 - 50;
        }
        for (int j = 0; j < outputs; j++) {
            slopes[j] = (float)mh_rng_below(&rng, 1000) / 9 - 40;
        }
        for (size_t i = 0; i < 2 * (count + 1); i++) {
            gradients[i] = (float)(i % (count + 1)) / 3;
        }
        uint64_t set[MOST_INPUTS / 64 + 1] = {0};
        const struct mh_layer layer = {.inputs = inputs, .outputs = outputs, .in = in, .set = set};
        mh_layer_find(&layer);
        mh_layer_gradients(&layer, slopes, gradients);
        mh_plain_gradients(&layer, slopes, 0, gradients + count + 1);
        CHECK(memcmp(gradients, gradients + count + 1, (count + 1) * sizeof *gradients) == 0);
        for (size_t i = 0; i < count; i++) {
            const float number = i / (size_t)outputs < (size_t)inputs ? in[i / (size_t)outputs] : 1;
            const float before = (float)i / 3;
            CHECK(gradients[i] == before + number * slopes[i % (size_t)outputs]);
        }
        CHECK(gradients[count] == (float)count / 3);
        free(slopes);
        free(in);
        free(gradients);
    }
}

/* ---- What is refused ------------------------------------------------------------------------------------- */

static void refuse(const struct mh_layers *layers, const struct mh_layers_rows *rows, const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    float gradients[16];
    const float slopes[2] = {1, 1};
    CHECK_EQUAL(mh_layers_values(layers, rows, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
    message[0] = 0;
    CHECK_EQUAL(mh_layers_gradients(layers, rows, slopes, gradients, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
}

static void test_layers_are_refused(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int32_t sizes[] = {2, 2, 1};
    const float weights[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint16_t features[] = {0x3C00, 0, 0, 0x3C00}; /* 1 0; 0 1 */
    const int64_t places[] = {1, 0};
    float values[2], inner[4], gradients[9];
    const float slopes[2] = {1, 0};
    const struct mh_layers layers = {2, sizes, weights};
    const struct mh_layers_rows rows = {2, NULL, 2, features, places, inner, values};
    CHECK_EQUAL(mh_layers_values(&layers, &rows, message), MH_OK);
    CHECK(values[0] == 8 * 7 + 10 * 8 + 9 && values[1] == 6 * 7 + 8 * 8 + 9);
    CHECK_EQUAL(mh_layers_gradients(&layers, &rows, slopes, gradients, message), MH_OK);
    const float exact[] = {0, 0, 7, 8, 7, 8, 8, 10, 1};
    CHECK(memcmp(gradients, exact, sizeof exact) == 0);

    refuse(NULL, &rows, "no weights");
    refuse(&(struct mh_layers){2, sizes, NULL}, &rows, "no weights");
    refuse(&(struct mh_layers){0, sizes, weights}, &rows, "too many layers");
    refuse(&(struct mh_layers){5, sizes, weights}, &rows, "too many layers");
    refuse(&(struct mh_layers){1, sizes, weights}, &rows, "not one output");
    const int32_t wide[] = {513, 1};
    refuse(&(struct mh_layers){1, wide, weights}, &rows, "too wide");
    refuse(&layers, NULL, "count is too small");
    struct mh_layers_rows bad = rows;
    bad.count = -1;
    refuse(&layers, &bad, "count is too small");
    bad = rows;
    bad.values = NULL;
    refuse(&layers, &bad, "array is NULL");
    bad = rows;
    bad.num_features = 1;
    refuse(&layers, &bad, "no such row");
    bad = rows;
    bad.inner = NULL;
    CHECK_EQUAL(mh_layers_values(&layers, &bad, message), MH_OK);
    CHECK_EQUAL(mh_layers_gradients(&layers, &bad, slopes, gradients, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_layers_gradients(&layers, &rows, NULL, gradients, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_layers_gradients(&layers, &rows, slopes, NULL, message), MH_ERROR_ARGUMENT);
}

int main(void)
{
    test_halves();
    test_gradients_of_every_width();
    test_layers_are_refused();
    return 0;
}
