/* A piece of work has a number that the one before did not have. A thread that waits for it, or for its end, looks for
 * a while before going to sleep: waking a thread takes some 50 us, a step of a thousand rows hardly longer. */
#include "mh_pool.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "mh_text.h"
#include "mh_threads.h"

enum {
    LOOKING_NS = 100000, /* before going to sleep: a step and what its caller does until the next one */
    ALWAYS_ALLOWED = 4   /* threads, however few processors there are: every machine can try a split */
};

struct worker {
    struct mh_pool *pool;
    struct mh_thread thread;
    int part;
};

struct mh_pool {
    struct mh_lock lock;      /* for sleeping only */
    struct mh_signal begun;   /* given when there is new work, or none will come */
    struct mh_signal done;    /* given when `left` gets to 0 */
    mh_pool_work *work;       /* NULL: the threads are to end */
    void *context;            /* its argument */
    int64_t count;            /* of the things it is done on */
    atomic_uint number;       /* of the work, counted; raised when the three above are set */
    atomic_int left;          /* workers that are not yet done with it */
    int workers;              /* beside the caller's thread */
    int64_t process;          /* that the threads belong to */
    struct worker *worker_of; /* [workers] worker i does part i + 1 */
};

static void set_work(struct mh_pool *pool, int count, mh_pool_work *work, void *context)
{
    pool->count = count;
    pool->work = work;
    pool->context = context;
}

/* The work itself stays as it is while a part of it is not done. */
static void do_part(const struct mh_pool *pool, int part)
{
    const int64_t parts = pool->workers + 1;
    pool->work(pool->context, part, (int)(pool->count * part / parts), (int)(pool->count * (part + 1) / parts));
}

int64_t mh_pool_now(void)
{
    return mh_now();
}

static int has_new_work(struct mh_pool *pool, unsigned seen)
{
    return atomic_load_explicit(&pool->number, memory_order_acquire) != seen;
}

static int is_done(struct mh_pool *pool, unsigned unused)
{
    (void)unused;
    return atomic_load_explicit(&pool->left, memory_order_acquire) == 0;
}

/* Leaves the core's resources to its other hardware thread for a moment. */
static inline void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` does nothing on most of these processors */
#endif
}

/* Waits until `is_so` returns 1; the thread that makes it true gives the signal under the lock. Meanwhile other threads
 * may use the core. */
static void wait_until(struct mh_pool *pool, int (*is_so)(struct mh_pool *, unsigned), unsigned argument,
                       struct mh_signal *signal)
{
    const int64_t begin = mh_now();
    while (mh_now() - begin < LOOKING_NS) {
        for (int i = 0; i < 20; i++) {
            if (is_so(pool, argument)) {
                return;
            }
            pause_core();
        }
        mh_thread_yield();
    }
    mh_lock_take(&pool->lock);
    while (!is_so(pool, argument)) {
        mh_signal_wait(signal, &pool->lock);
    }
    mh_lock_leave(&pool->lock);
}

static void worker_main(void *argument)
{
    const struct worker *self = argument;
    struct mh_pool *pool = self->pool;
    for (unsigned seen = 0;; seen++) {
        wait_until(pool, has_new_work, seen, &pool->begun);
        if (!pool->work) {
            return;
        }
        do_part(pool, self->part);
        if (atomic_fetch_sub_explicit(&pool->left, 1, memory_order_acq_rel) == 1) {
            mh_lock_take(&pool->lock);
            mh_signal_give(&pool->done);
            mh_lock_leave(&pool->lock);
        }
    }
}

/* Gives all workers new work; NULL ends them. */
static void pool_begin(struct mh_pool *pool, int count, mh_pool_work *work, void *context)
{
    set_work(pool, count, work, context);
    atomic_store_explicit(&pool->left, pool->workers, memory_order_relaxed);
    mh_lock_take(&pool->lock);
    atomic_fetch_add_explicit(&pool->number, 1, memory_order_release);
    mh_signal_give(&pool->begun);
    mh_lock_leave(&pool->lock);
}

int mh_max_threads(void)
{
    const long processors = mh_processors();
    if (!MH_HAS_THREADS) {
        return 1;
    }
    return processors < ALWAYS_ALLOWED ? ALWAYS_ALLOWED : processors < INT16_MAX ? (int)processors : INT16_MAX;
}

static int refuse_threads(int threads, char *message)
{
    mh_message(message, "threads: the system does not give %d of them", threads);
    return MH_ERROR_MEMORY;
}

int mh_pool_new(int threads, char *message, struct mh_pool **pool)
{
    if (threads < 1 || !pool) {
        mh_message(message, "threads: %d; at least 1 is needed", threads);
        return MH_ERROR_ARGUMENT;
    }
    *pool = NULL;
    threads = mh_pool_threads(threads, threads);
    if (threads == 1) {
        return MH_OK;
    }
    struct mh_pool *made = calloc(1, sizeof *made);
    struct worker *workers = calloc((size_t)threads - 1, sizeof *workers);
    if (!made || !workers) {
        free(made);
        free(workers);
        return refuse_threads(threads, message);
    }
    mh_lock_open(&made->lock);
    mh_signal_open(&made->begun);
    mh_signal_open(&made->done);
    made->process = mh_process();
    made->worker_of = workers;
    while (made->workers < threads - 1) {
        struct worker *worker = &workers[made->workers];
        worker->pool = made;
        worker->part = made->workers + 1;
        if (!mh_thread_begin(&worker->thread, worker_main, worker)) {
            mh_pool_free(&made);
            return refuse_threads(threads, message);
        }
        made->workers++;
    }
    *pool = made;
    return MH_OK;
}

void mh_pool_free(struct mh_pool **pool)
{
    struct mh_pool *self = pool ? *pool : NULL;
    if (!self) {
        return;
    }
    *pool = NULL;
    if (self->process == mh_process()) {
        pool_begin(self, 0, NULL, NULL);
        for (int i = 0; i < self->workers; i++) {
            mh_thread_join(&self->worker_of[i].thread);
        }
        mh_lock_close(&self->lock);
        mh_signal_close(&self->begun);
        mh_signal_close(&self->done);
    }
    free(self->worker_of);
    free(self);
}

int mh_pool_parts(const struct mh_pool *pool)
{
    return pool ? pool->workers + 1 : 1;
}

void mh_pool_share(struct mh_pool *pool, int count, mh_pool_work *work, void *context)
{
    if (pool->process != mh_process()) {
        set_work(pool, count, work, context);
        for (int part = 0; part <= pool->workers; part++) {
            do_part(pool, part);
        }
        return;
    }
    pool_begin(pool, count, work, context);
    do_part(pool, 0);
    wait_until(pool, is_done, 0, &pool->done);
}

struct play {
    mh_pool_play *work;
    void *context; /* its argument */
    unsigned char *memory;
    size_t stride; /* from one part's to the next one's */
};

static void play_part(void *context, int part, int first, int last)
{
    const struct play *self = context;
    self->work(self->context, self->memory + (size_t)part * self->stride, first, last);
}

int mh_pool_apart(struct mh_pool *pool, int count, size_t size, mh_pool_play *work, void *context, char *message)
{
    const int parts = mh_pool_parts(pool);
    struct play play = {work, context, NULL, mh_pool_stride(size)};
    play.memory = malloc((size_t)parts * play.stride);
    if (!play.memory) {
        mh_message(message, "threads: no memory for %d of them", parts);
        return MH_ERROR_MEMORY;
    }
    mh_pool_run(pool, count, play_part, &play);
    free(play.memory);
    return MH_OK;
}

int mh_pool_once(int threads, int count, size_t size, mh_pool_play *work, void *context, char *message)
{
    struct mh_pool *pool = NULL;
    int status = mh_pool_new(mh_pool_threads(threads, count), message, &pool);
    if (status == MH_OK) {
        status = mh_pool_apart(pool, count, size, work, context, message);
        mh_pool_free(&pool);
    }
    return status;
}
