/* Gradients of a layer's weights. Each adds its rows in their order, so that wide instructions do not change what they
 * come to. */
#ifndef MH_GRADIENT_H
#define MH_GRADIENT_H

#include "mh_layer.h"

/* ---- In plain C ------------------------------------------------------------------------------------------ */

/* Adds to the gradients of the outputs from `first` on. `slopes` says what the result gains by each output; gradients[]
 * are in the order of the layer's weights. The set of inputs other than 0 has been found. */
static inline void mh_plain_gradients(const struct mh_layer *self, const float *slopes, int first,
                                      float *restrict gradients)
{
    for (int word = 0; word < mh_layer_words(self); word++) {
        for (uint64_t left = self->set[word]; left; left &= left - 1) {
            const int i = word * 64 + mh_bits_lowest(left);
            float *row = gradients + (int64_t)i * self->outputs;
            for (int j = first; j < self->outputs; j++) {
                row[j] += self->in[i] * slopes[j];
            }
        }
    }
    float *biases = gradients + (int64_t)self->inputs * self->outputs;
    for (int j = first; j < self->outputs; j++) {
        /* The sums of a layer write all slopes: the analyzer cannot know. */
        biases[j] += slopes[j]; // NOLINT(clang-analyzer-core.*)
    }
}

#if defined(__GNUC__) && defined(__x86_64__)

/* ---- By AVX ---------------------------------------------------------------------------------------------- */

MH_AVX static inline void mh_wide_add(float *to, __m256 numbers)
{
    _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), numbers));
}

/* Adds for `eights` times eight outputs, whose slopes stay in registers: 8 times, 4 times, or once. */
MH_AVX static inline void mh_wide_gradient(const struct mh_layer *self, const float *slopes, int first, int eights,
                                           float *gradients)
{
    enum { MOST = 8 };
    const int words = mh_layer_words(self);
    const int64_t outputs = self->outputs;
    const uint64_t *set = self->set;
    const float *in = self->in;
    __m256 some[MOST];
    for (int j = 0; j < eights; j++) {
        some[j] = _mm256_loadu_ps(slopes + first + MH_EIGHT * j);
    }
    for (int word = 0; word < words; word++) {
        for (uint64_t left = set[word]; left; left &= left - 1) {
            const int i = word * 64 + mh_bits_lowest(left);
            float *row = gradients + i * outputs + first;
            const __m256 number = _mm256_set1_ps(in[i]);
            for (int j = 0; j < eights; j++) {
                mh_wide_add(row + MH_EIGHT * j, _mm256_mul_ps(number, some[j]));
            }
        }
    }
    float *biases = gradients + self->inputs * outputs + first;
    for (int j = 0; j < eights; j++) {
        mh_wide_add(biases + MH_EIGHT * j, some[j]);
    }
}

MH_AVX static inline void mh_wide_gradients(const struct mh_layer *self, const float *slopes, float *gradients)
{
    int j = 0;
    for (; j + 8 * MH_EIGHT <= self->outputs; j += 8 * MH_EIGHT) {
        mh_wide_gradient(self, slopes, j, 8, gradients);
    }
    for (; j + 4 * MH_EIGHT <= self->outputs; j += 4 * MH_EIGHT) {
        mh_wide_gradient(self, slopes, j, 4, gradients);
    }
    for (; j + MH_EIGHT <= self->outputs; j += MH_EIGHT) {
        mh_wide_gradient(self, slopes, j, 1, gradients);
    }
    if (j < self->outputs) {
        mh_plain_gradients(self, slopes, j, gradients);
    }
}

#else

static inline void mh_wide_gradients(const struct mh_layer *self, const float *slopes, float *gradients)
{
    mh_plain_gradients(self, slopes, 0, gradients);
}

#endif

static inline void mh_layer_gradients(const struct mh_layer *self, const float *slopes, float *gradients)
{
    if (mh_wide_has_avx()) {
        mh_wide_gradients(self, slopes, gradients);
    } else {
        mh_plain_gradients(self, slopes, 0, gradients);
    }
}

#endif
