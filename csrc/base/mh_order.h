/* Bytes that leave a machine: numbers are little-endian in them, whatever the machine's own order is. A struct that is
 * saved has the same layout everywhere, so the table of its members is all that is needed to turn it. */
#ifndef MH_ORDER_H
#define MH_ORDER_H

#include <stddef.h>
#include <stdint.h>

static inline int mh_is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one;
}

/* Turns `count` numbers of `width` bytes from the machine's order into little-endian, or back, in place. They need not
 * be aligned. */
static inline void mh_order(void *numbers, size_t count, size_t width)
{
    uint8_t *number = numbers;
    for (size_t i = 0; i < count && !mh_is_little_endian(); i++, number += width) {
        for (size_t low = 0; low < width / 2; low++) {
            const uint8_t byte = number[low];
            number[low] = number[width - 1 - low];
            number[width - 1 - low] = byte;
        }
    }
}

/* A member of a struct: so many numbers of one width. */
struct mh_member {
    const char *name;
    uint16_t offset, width, count;
};

/* The same for all members of a struct. */
static inline void mh_order_members(void *memory, const struct mh_member *members, int count)
{
    for (int i = 0; i < count && !mh_is_little_endian(); i++) {
        mh_order((uint8_t *)memory + members[i].offset, members[i].count, members[i].width);
    }
}

/* The bytes of a number, or of each in an array; 1 for all else. */
/* clang-format off */
#define MH_WIDTH(value)                                                                                            \
    _Generic((value),                                                                                              \
        int16_t: 2, uint16_t: 2, int16_t *: 2, uint16_t *: 2,                                                      \
        int32_t: 4, uint32_t: 4, float: 4, int32_t *: 4, uint32_t *: 4, float *: 4,                                \
        int64_t: 8, uint64_t: 8, double: 8, int64_t *: 8, uint64_t *: 8, double *: 8,                              \
        default: 1)
/* clang-format on */

#define MH_MEMBER_OF(type, name) (((type *)0)->name)

/* The struct mh_member of a number, an array of numbers, or a struct of bytes. */
#define MH_MEMBER_ROW(type, name)                                                                                  \
    {#name, offsetof(type, name), MH_WIDTH(MH_MEMBER_OF(type, name)),                                              \
     sizeof(MH_MEMBER_OF(type, name)) / MH_WIDTH(MH_MEMBER_OF(type, name))}

/* True if it is one of these: nothing wider than a byte is taken for bytes. Where the compiler cannot tell, it is. */
#if defined(__GNUC__)
#define MH_MEMBER_HAS_WIDTH(type, name)                                                                            \
    (MH_WIDTH(MH_MEMBER_OF(type, name)) > 1 || _Alignof(__typeof__(MH_MEMBER_OF(type, name))) == 1)
#else
#define MH_MEMBER_HAS_WIDTH(type, name) 1
#endif

#endif
