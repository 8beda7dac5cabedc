/* Masks and random choices by AVX-512, where the processor has it: a flag from each bit, and a bit by its number, are
 * instructions there. Flags and choices are those of mh_bits.h. Batches use them: random play of Mhing and General Mhing
 * is 6 % faster by them, that of Mexican Rummy 2 %. AVX2 has neither, and brought 0 to 2 %. */
#ifndef MH_WIDE_H
#define MH_WIDE_H

#include "mh_bits.h"
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#define MH_WIDE __attribute__((target("avx512bw,avx512vl,bmi2,popcnt")))

/* Whether this processor can run the functions below. */
static inline int mh_wide_is_here(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* Flags from the lowest 32 bits. Vectors of 512 bits slow some processors down. */
MH_WIDE static inline __m256i mh_wide_flags(uint64_t bits)
{
    return _mm256_maskz_mov_epi8((__mmask32)bits, _mm256_set1_epi8(1));
}

MH_WIDE static inline void mh_wide_mask_write(const uint64_t *set, int actions, int8_t *mask)
{
    int action = 0;
    for (; action + 64 <= actions; action += 64) {
        _mm256_storeu_si256((__m256i *)(mask + action), mh_wide_flags(set[action >> 6]));
        _mm256_storeu_si256((__m256i *)(mask + action + 32), mh_wide_flags(set[action >> 6] >> 32));
    }
    for (; action < actions; action += 32) {
        const int left = actions - action;
        const __mmask32 written = left < 32 ? ((__mmask32)1 << left) - 1 : (__mmask32)-1;
        _mm256_mask_storeu_epi8(mask + action, written, mh_wide_flags(set[action >> 6] >> (action & 32)));
    }
}

/* A uniformly random member; the set must not be empty. Its word is found by branches: where sums alone find it, all that
 * follows waits for them, 3 % of random play. */
MH_WIDE static inline int mh_wide_pick(const uint64_t *set, int words, struct mh_rng *rng)
{
    int count = 0;
    for (int i = 0; i < words; i++) {
        count += __builtin_popcountll(set[i]);
    }
    int index = (int)mh_rng_below(rng, (uint32_t)count);
    for (int word = 0;; word++) {
        assert(word < words);
        const int here = __builtin_popcountll(set[word]);
        if (index < here) {
            return word * 64 + mh_bits_lowest(_pdep_u64((uint64_t)1 << index, set[word]));
        }
        index -= here;
    }
}

#undef MH_WIDE

#else

static inline int mh_wide_is_here(void)
{
    return 0;
}

static inline void mh_wide_mask_write(const uint64_t *set, int actions, int8_t *mask)
{
    mh_mask_write(set, actions, mask);
}

static inline int mh_wide_pick(const uint64_t *set, int words, struct mh_rng *rng)
{
    return mh_set_pick(set, words, rng);
}

#endif

#endif
