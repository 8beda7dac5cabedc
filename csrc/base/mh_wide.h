/* Wide instructions of x86-64, where the processor has them, and the same in plain C.
 *
 * Masks and random choices by AVX-512, where a flag from each bit, and a bit by its number, are instructions. Flags and
 * choices are those of mh_bits.h. Batches use them: random play of Mhing and General Mhing is 6 % faster by them, that
 * of Mexican Rummy 2 %. AVX2 has neither, and brought 0 to 2 %. Blocks of bytes by AVX: 3 % of Mhing's. */
#ifndef MH_WIDE_H
#define MH_WIDE_H

#include <stddef.h>

#include "mh_bits.h"
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#endif

enum { MH_BLOCK_PART = 64 };

/* ---- In plain C ------------------------------------------------------------------------------------------ */

/* Copies `count` blocks of 64 to 192 bytes each, which lie one after the other: block `first` comes first, and those
 * before it come last. Each block is two or three copies of 64 bytes that overlap. Two copies of all from `first` on
 * and of all before it would have lengths that cannot be guessed. */
static inline void mh_plain_blocks_turn(const uint8_t *restrict from, size_t size, int count, int first,
                                        uint8_t *restrict to)
{
    assert(size >= MH_BLOCK_PART && size <= 3 * (size_t)MH_BLOCK_PART);
    for (int i = 0, block = first; i < count; i++, block = (block + 1) & -(block + 1 != count)) {
        const uint8_t *here = from + (size_t)block * size;
        memcpy(to, here, MH_BLOCK_PART);
        if (size > 2 * (size_t)MH_BLOCK_PART) {
            memcpy(to + MH_BLOCK_PART, here + MH_BLOCK_PART, MH_BLOCK_PART);
        }
        memcpy(to + size - MH_BLOCK_PART, here + size - MH_BLOCK_PART, MH_BLOCK_PART);
        to += size;
    }
}

#if defined(__GNUC__) && defined(__x86_64__)

/* ---- By AVX ---------------------------------------------------------------------------------------------- */

#define MH_AVX __attribute__((target("avx")))

static inline int mh_wide_has_avx(void)
{
    return __builtin_cpu_supports("avx") != 0;
}

MH_AVX static inline void mh_wide_copy_part(const uint8_t *restrict from, uint8_t *restrict to)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)from);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(from + MH_BLOCK_PART / 2));
    _mm256_storeu_si256((__m256i *)to, low);
    _mm256_storeu_si256((__m256i *)(to + MH_BLOCK_PART / 2), high);
}

MH_AVX static inline void mh_wide_blocks_turn(const uint8_t *restrict from, size_t size, int count, int first,
                                              uint8_t *restrict to)
{
    assert(size >= MH_BLOCK_PART && size <= 3 * (size_t)MH_BLOCK_PART);
    for (int i = 0, block = first; i < count; i++, block = (block + 1) & -(block + 1 != count)) {
        const uint8_t *here = from + (size_t)block * size;
        mh_wide_copy_part(here, to);
        if (size > 2 * (size_t)MH_BLOCK_PART) {
            mh_wide_copy_part(here + MH_BLOCK_PART, to + MH_BLOCK_PART);
        }
        mh_wide_copy_part(here + size - MH_BLOCK_PART, to + size - MH_BLOCK_PART);
        to += size;
    }
}

/* ---- By AVX-512, with vectors of 256 bits: those of 512 slow some processors down ------------------------- */

#define MH_AVX512 __attribute__((target("avx512bw,avx512vl,bmi2,popcnt")))

static inline int mh_wide_has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* Flags from the lowest 32 bits. */
MH_AVX512 static inline __m256i mh_wide_flags(uint64_t bits)
{
    return _mm256_maskz_mov_epi8((__mmask32)bits, _mm256_set1_epi8(1));
}

MH_AVX512 static inline void mh_wide_mask_write(const uint64_t *set, int actions, int8_t *mask)
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

/* A uniformly random member; the set must not be empty. Its word is found by branches: where sums alone find it, all
 * that follows waits for them, 3 % of random play. */
MH_AVX512 static inline int mh_wide_pick(const uint64_t *set, int words, struct mh_rng *rng)
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

#else

/* ---- On other processors --------------------------------------------------------------------------------- */

static inline int mh_wide_has_avx(void)
{
    return 0;
}

static inline void mh_wide_blocks_turn(const uint8_t *restrict from, size_t size, int count, int first,
                                       uint8_t *restrict to)
{
    mh_plain_blocks_turn(from, size, count, first, to);
}

static inline int mh_wide_has_avx512(void)
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

/* ---- The one of the two that this processor has ----------------------------------------------------------- */

/* See mh_plain_blocks_turn. */
static inline void mh_blocks_turn(const uint8_t *restrict from, size_t size, int count, int first,
                                  uint8_t *restrict to)
{
    if (mh_wide_has_avx()) {
        mh_wide_blocks_turn(from, size, count, first, to);
    } else {
        mh_plain_blocks_turn(from, size, count, first, to);
    }
}

#endif
