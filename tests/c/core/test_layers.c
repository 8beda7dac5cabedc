/* Layers of a net: every way of summing has the same bits. */
#include "check.h"

#include <string.h>

#include "base/mh_rng.h"
#include "game/mh_layer.h"

/* One output of a layer in the plainest way: the inputs in their order. */
static float one_sum(const struct mh_layer *layer, int output)
{
    float sum = layer->weights[layer->inputs * layer->outputs + output];
    for (int i = 0; i < layer->inputs; i++) {
        sum += layer->in[i] ? layer->in[i] * layer->weights[i * layer->outputs + output] : 0;
    }
    return layer->is_last || sum > 0 ? sum : 0;
}

/* Not a bit differs, whatever is added at once, and nothing is written beyond the end. */
static void check_layer(void (*sum)(const struct mh_layer *layer), const struct mh_layer *layer)
{
    const size_t size = (size_t)layer->outputs * sizeof(float);
    memset(layer->out, 77, size + 1);
    memset(layer->set, 77, (size_t)mh_layer_words(layer) * sizeof *layer->set);
    sum(layer);
    CHECK_EQUAL(((const char *)layer->out)[size], 77);
    for (int j = 0; j < layer->outputs; j++) {
        const float exact = one_sum(layer, j);
        CHECK(memcmp(&layer->out[j], &exact, sizeof exact) == 0);
    }
}

static void test_layers_of_every_width(void)
{
    enum { MOST_OUTPUTS = 140, MOST_INPUTS = 200 };
    struct mh_rng rng = {12};
    for (int round = 0; round < 4 * MOST_OUTPUTS; round++) {
        const int outputs = 1 + round % MOST_OUTPUTS;
        const int inputs = 1 + (int)mh_rng_below(&rng, MOST_INPUTS);
        const uint32_t density = 1 + mh_rng_below(&rng, 5);
        float *weights = check_memory((size_t)((inputs + 1) * outputs) * sizeof *weights);
        float *in = check_memory((size_t)inputs * sizeof *in);
        for (int i = 0; i < (inputs + 1) * outputs; i++) {
            weights[i] = (float)(mh_rng_next(&rng) >> 40) * 0x1p-24f - 0.5f;
        }
        for (int i = 0; i < inputs; i++) {
            in[i] = mh_rng_below(&rng, density) ? -0.0f : (float)mh_rng_below(&rng, 1000) / 7 - 50;
        }
        struct mh_layer layer = {.weights = weights, .inputs = inputs, .outputs = outputs, .in = in};
        layer.is_last = outputs % 2;
        layer.set = check_memory((size_t)mh_layer_words(&layer) * sizeof *layer.set);
        layer.out = check_memory((size_t)outputs * sizeof *layer.out + 1);
        check_layer(mh_plain_layer, &layer);
        if (mh_wide_has_avx()) {
            check_layer(mh_wide_layer, &layer);
        }
        free(layer.out);
        free(layer.set);
        free(in);
        free(weights);
    }
}

int main(void)
{
    test_layers_of_every_width();
    return 0;
}
