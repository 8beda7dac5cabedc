/* The whole of the C tests' framework: a failed check says where and ends the program with 1. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                           \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

#define CHECK_EQUAL(left, right)                                                                                   \
    do {                                                                                                           \
        const long long left_ = (long long)(left);                                                                 \
        const long long right_ = (long long)(right);                                                               \
        if (left_ != right_) {                                                                                     \
            fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #left, left_, #right, right_);  \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

static inline void *check_memory(size_t size)
{
    void *memory = calloc(1, size);
    CHECK(memory);
    return memory;
}

#endif
