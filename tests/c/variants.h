/* Games with some of their options, and a test for each. */
#ifndef VARIANTS_H
#define VARIANTS_H

#include "mh.h"

struct variant {
    const char *game, *options;
};

/* Tests every game with its default options, then the variants. */
static inline void variants_test(const struct variant *variants, size_t count, void (*test)(const struct variant *))
{
    for (int index = 0; index < mh_game_count(); index++) {
        const struct variant plain = {mh_game_id(index), ""};
        test(&plain);
    }
    for (size_t i = 0; i < count; i++) {
        test(&variants[i]);
    }
}

#endif
