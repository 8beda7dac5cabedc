/* A fixed number of threads that do the parts of one piece of work together, then sleep until the next one. */
#ifndef MH_POOL_H
#define MH_POOL_H

#include <stdint.h>

/* Opaque; NULL is a pool of one thread, the caller's. */
struct mh_pool;

/* Does part number `part` of `parts`. The parts run at the same time, the first on the caller's thread. */
typedef void mh_pool_work(void *context, int part, int parts);

/* Makes a pool of so many threads, at least 1, the caller's included; where the system has no POSIX threads that
 * is always one. Returns an enum mh_status. */
int mh_pool_new(int threads, struct mh_pool **pool);
void mh_pool_free(struct mh_pool **pool);

/* The number of parts that work is split into. */
int mh_pool_parts(const struct mh_pool *pool);

/* Has all parts done and returns after the last. Nothing is allocated. In a process forked off the one that made
 * the pool, where its threads do not exist, the caller does them all. */
void mh_pool_share(struct mh_pool *pool, mh_pool_work *work, void *context);

/* The same for any pool, without a detour when the caller is alone. */
static inline void mh_pool_run(struct mh_pool *pool, mh_pool_work *work, void *context)
{
    if (pool) {
        mh_pool_share(pool, work, context);
    } else {
        work(context, 0, 1);
    }
}

/* The fixed split of `count` things: a part has those from its first one up to the next part's. */
static inline int mh_pool_first(int count, int part, int parts)
{
    return (int)((int64_t)count * part / parts);
}

#endif
