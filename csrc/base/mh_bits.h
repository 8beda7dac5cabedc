/* Bit tricks in portable C, and sets of action ids held as bits. */
#ifndef MH_BITS_H
#define MH_BITS_H

#include <assert.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "mh_rng.h"

/* The place of the lowest set bit; x != 0. */
static inline int mh_bits_lowest(uint64_t x)
{
    assert(x != 0);
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    int place = 0;
    while (!(x >> place & 1)) {
        place++;
    }
    return place;
#endif
}

/* Bytes that count: the low byte of `x` counts bits 0-7, the next one bits 0-15, and so on; the highest counts all. */
static inline uint64_t mh_bits_counts(uint64_t x)
{
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return x * 0x0101010101010101u;
}

/* The number of set bits. */
static inline int mh_bits_count(uint64_t x)
{
#if defined(__POPCNT__) /* an instruction; elsewhere it may be a call */
    return __builtin_popcountll(x);
#else
    return (int)(mh_bits_counts(x) >> 56);
#endif
}

/* Counts those of eight ascending bytes, all under 128, that are at most `limit`. */
static inline int mh_bits_bytes_up_to(uint64_t bytes, int limit)
{
    const uint64_t high = 0x8080808080808080u;
    const uint64_t at_most = ((((uint64_t)limit * 0x0101010101010101u) | high) - bytes) & high;
    return (int)(((at_most >> 7) * 0x0101010101010101u) >> 56);
}

/* Eight flags from eight bits: bit i moves to byte i, then becomes 0 or 1. */
static inline uint64_t mh_bits_spread(unsigned bits)
{
    const uint64_t alone = bits * (uint64_t)0x0101010101010101u & 0x8040201008040201u;
    return (alone + 0x7F7F7F7F7F7F7F7Fu) >> 7 & 0x0101010101010101u;
}

/* The lowest bit of each of eight bytes: bit i from byte i. */
static inline unsigned mh_bits_gather(uint64_t bytes)
{
    return (unsigned)((bytes & 0x0101010101010101u) * 0x0102040810204080u >> 56);
}

/* Eight bytes as one word, the first one lowest. */
static inline uint64_t mh_bits_bytes(const uint8_t bytes[8])
{
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Eight bits from eight bytes under 128: bit i says whether byte i is at least `least` (1-128). */
static inline unsigned mh_bits_at_least(uint64_t bytes, unsigned least)
{
    return mh_bits_gather((bytes + (128 - least) * 0x0101010101010101u) >> 7);
}

/* Not 0 if any of eight bytes is above `most` (0-127). */
static inline uint64_t mh_bits_above(uint64_t bytes, unsigned most)
{
    return (bytes | (bytes + (127 - most) * 0x0101010101010101u)) & 0x8080808080808080u;
}

/* The sum of eight bytes; it must be under 256. */
static inline int mh_bits_sum(uint64_t bytes)
{
    return (int)(bytes * 0x0101010101010101u >> 56);
}

/* The place of the set bit number `index` (from 0, lowest first), without a branch to guess wrong; `counts` are
 * those of `x`. */
static inline int mh_bits_select(uint64_t x, uint64_t counts, int index)
{
    const int byte = mh_bits_bytes_up_to(counts, index);
    const int before = (int)(counts << 8 >> 8 * byte & 0xFF);
    const uint64_t within = mh_bits_spread((unsigned)(x >> 8 * byte) & 0xFF) * 0x0101010101010101u;
    return 8 * byte + mh_bits_bytes_up_to(within, index - before);
}

/* Sets of action ids: bit `id % 64` of word `id / 64`. */
static inline int mh_set_has(const uint64_t *set, int id)
{
    return (int)(set[id >> 6] >> (id & 63)) & 1;
}

static inline void mh_set_add(uint64_t *set, int id)
{
    set[id >> 6] |= (uint64_t)1 << (id & 63);
}

/* Adds a run of ids: bit i of `bits` stands for first + i. Bits that leave a word flow into the next one. */
static inline void mh_set_add_run(uint64_t *set, int first, uint64_t bits)
{
    const int shift = first & 63;
    set[first >> 6] |= bits << shift;
    if (shift && bits >> (64 - shift)) {
        set[(first >> 6) + 1] |= bits >> (64 - shift);
    }
}

/* Eight members as bits, from the id `first` on. */
static inline unsigned mh_set_byte(const uint64_t *set, int first)
{
    const int shift = first & 63;
    const uint64_t low = set[first >> 6] >> shift;
    return (shift > 56 ? low | set[(first >> 6) + 1] << (64 - shift) : low) & 0xFF;
}

/* The smallest member that is `id` or above, or -1. */
static inline int mh_set_next(const uint64_t *set, int words, int id)
{
    for (int word = id >> 6; word < words; word++) {
        const uint64_t bits = word == id >> 6 ? set[word] >> (id & 63) << (id & 63) : set[word];
        if (bits) {
            return word * 64 + mh_bits_lowest(bits);
        }
    }
    return -1;
}

static inline int mh_set_count(const uint64_t *set, int words)
{
    int count = 0;
    for (int i = 0; i < words; i++) {
        if (set[i]) {
            count += mh_bits_count(set[i]);
        }
    }
    return count;
}

/* Writes the members, ascending; returns how many there are. */
static inline int mh_set_list(const uint64_t *set, int words, int64_t *ids)
{
    int count = 0;
    for (int i = 0; i < words; i++) {
        for (uint64_t bits = set[i]; bits; bits &= bits - 1) {
            ids[count++] = i * 64 + mh_bits_lowest(bits);
        }
    }
    return count;
}

/* A uniformly random member; the set must not be empty. */
static inline int mh_set_pick(const uint64_t *set, int words, struct mh_rng *rng)
{
    int index = (int)mh_rng_below(rng, (uint32_t)mh_set_count(set, words));
    for (int word = 0;; word++) {
        assert(word < words);
        if (set[word]) {
            const uint64_t counts = mh_bits_counts(set[word]);
            const int here = (int)(counts >> 56);
            if (index < here) {
                return word * 64 + mh_bits_select(set[word], counts, index);
            }
            index -= here;
        }
    }
}

/* Stores the first `count` of eight bytes, the low one first on every machine. */
static inline void mh_bytes_write(uint64_t bytes, int count, void *to)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    memcpy(to, &bytes, (size_t)count);
}

static inline void mh_flags_write(unsigned bits, int8_t *flags)
{
    mh_bytes_write(mh_bits_spread(bits), 8, flags);
}

#if defined(__SSE2__)

/* Flags from bits, sixteen in each of four. Every byte is doubled three times, and of its copies each shows one bit. */
static inline void mh_bits_flags(uint64_t bits, __m128i flags[4])
{
    const __m128i alone = _mm_set1_epi64x((long long)0x8040201008040201u);
    const __m128i word = _mm_set_epi64x(0, (long long)bits);
    const __m128i twice = _mm_unpacklo_epi8(word, word);
    const __m128i low = _mm_unpacklo_epi16(twice, twice);
    const __m128i high = _mm_unpackhi_epi16(twice, twice);
    flags[0] = _mm_unpacklo_epi32(low, low);
    flags[1] = _mm_unpackhi_epi32(low, low);
    flags[2] = _mm_unpacklo_epi32(high, high);
    flags[3] = _mm_unpackhi_epi32(high, high);
    for (int i = 0; i < 4; i++) {
        flags[i] = _mm_min_epu8(_mm_and_si128(flags[i], alone), _mm_set1_epi8(1));
    }
}

static inline void mh_flags_write_word(uint64_t bits, int8_t *flags)
{
    __m128i sixteen[4];
    mh_bits_flags(bits, sixteen);
    for (int i = 0; i < 4; i++) {
        _mm_storeu_si128((__m128i *)(flags + 16 * i), sixteen[i]);
    }
}

/* For the lowest 8 to 64 bits of two words: how many of the two have each. */
static inline void mh_sums_write(uint64_t one, uint64_t other, int count, uint8_t *sums)
{
    __m128i first[4];
    __m128i second[4];
    mh_bits_flags(one, first);
    mh_bits_flags(other, second);
    for (int i = 0; i < 4; i++) {
        first[i] = _mm_add_epi8(first[i], second[i]);
    }
    for (int i = 0; i < count / 16; i++) {
        _mm_storeu_si128((__m128i *)(sums + 16 * i), first[i]);
    }
    memcpy(sums + count / 16 * 16, &first[count / 16 & 3], (size_t)count % 16);
}

#else

static inline void mh_flags_write_word(uint64_t bits, int8_t *flags)
{
    for (int i = 0; i < 64; i += 8) {
        mh_flags_write(bits >> i & 0xFF, flags + i);
    }
}

/* Seven flags from the lowest seven bits: products of seven bits do not overlap, so one multiplication moves them. */
static inline uint64_t mh_bits_spread_seven(uint64_t bits)
{
    return (bits & 0x7F) * 0x0002040810204081u & 0x0101010101010101u;
}

/* For the lowest 8 to 64 bits of two words: how many of the two have each. Seven at a time: the eighth byte is written
 * over by the next ones, which at the end begin among those before. */
static inline void mh_sums_write(uint64_t one, uint64_t other, int count, uint8_t *sums)
{
    const int last = count - 8;
    for (int i = 0; i < last; i += 7) {
        mh_bytes_write(mh_bits_spread_seven(one >> i) + mh_bits_spread_seven(other >> i), 8, sums + i);
    }
    const uint64_t first = mh_bits_spread((unsigned)(one >> last) & 0xFF);
    const uint64_t second = mh_bits_spread((unsigned)(other >> last) & 0xFF);
    mh_bytes_write(first + second, 8, sums + last);
}

#endif

/* Writes a set of actions as flags; most words are empty. */
static inline void mh_mask_write(const uint64_t *set, int actions, int8_t *mask)
{
    int action = 0;
    for (; action + 64 <= actions; action += 64) {
        const uint64_t word = set[action >> 6];
        if (word == 0) {
            memset(mask + action, 0, 64);
        } else {
            mh_flags_write_word(word, mask + action);
        }
    }
    for (; action < actions && actions >= 8; action += 8) {
        const int first = action + 8 <= actions ? action : actions - 8; /* the last eight: some of them once more */
        mh_flags_write(mh_set_byte(set, first), mask + first);
    }
    for (; action < actions; action++) {
        mask[action] = (int8_t)mh_set_has(set, action);
    }
}

#endif
