/* A fixed number of threads that do the parts of a piece of work together, then sleep until the next one: struct
 * mh_pool, see mh_api.h; NULL is a pool of one thread, the caller's. */
#ifndef MH_POOL_H
#define MH_POOL_H

#include <stddef.h>

#include "mh.h"

enum { MH_CACHE_LINE = 64 };

/* The distance of things of this size that different threads change: no two share a cache line. */
static inline size_t mh_pool_stride(size_t size)
{
    return (size + MH_CACHE_LINE - 1) / MH_CACHE_LINE * MH_CACHE_LINE;
}

/* Nanoseconds since some moment. */
int64_t mh_pool_now(void);

/* Does part number `part` of some work: the things from `first` up to `last`, which is the next part's first. The
 * parts are done at the same time, part 0 on the caller's thread. */
typedef void mh_pool_work(void *context, int part, int first, int last);

/* Returns how many of the `threads` asked for, at least 1, share work on `count` things. */
static inline int mh_pool_threads(int threads, int count)
{
    const int most = mh_max_threads();
    const int wanted = threads < count ? threads : count;
    return wanted < most ? wanted : most;
}

/* The number of parts that work is split into. */
int mh_pool_parts(const struct mh_pool *pool);

/* Has the work done on `count` things, split evenly, and returns after the last part. Nothing is allocated. */
void mh_pool_share(struct mh_pool *pool, int count, mh_pool_work *work, void *context);

/* The same for any pool, without a detour when the caller is alone. */
static inline void mh_pool_run(struct mh_pool *pool, int count, mh_pool_work *work, void *context)
{
    if (pool) {
        mh_pool_share(pool, count, work, context);
    } else {
        work(context, 0, 0, count);
    }
}

/* Does things like mh_pool_work, in `memory` that no other part uses. */
typedef void mh_pool_play(void *context, void *memory, int first, int last);

/* Has work done on `count` things, each part with `size` bytes of memory. Returns an enum mh_status. */
int mh_pool_apart(struct mh_pool *pool, int count, size_t size, mh_pool_play *work, void *context, char *message);

/* The same once, by as many of the `threads` asked for as share it. */
int mh_pool_once(int threads, int count, size_t size, mh_pool_play *work, void *context, char *message);

#endif
