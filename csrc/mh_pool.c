/* Threads wait on a condition variable for the next piece of work, whose number tells it from the last one. */
#include "mh_pool.h"

#include <stdint.h>

#include "mh.h"

#if defined(_WIN32)

int mh_pool_new(int threads, struct mh_pool **pool)
{
    (void)threads;
    *pool = NULL;
    return MH_OK;
}

void mh_pool_free(struct mh_pool **pool)
{
    *pool = NULL;
}

int mh_pool_parts(const struct mh_pool *pool)
{
    (void)pool;
    return 1;
}

void mh_pool_share(struct mh_pool *pool, int count, mh_pool_work *work, void *context)
{
    (void)pool;
    work(context, 0, 0, count);
}

#else

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct worker {
    struct mh_pool *pool;
    pthread_t thread;
    int part;
};

struct mh_pool {
    pthread_mutex_t mutex;    /* guards all that changes */
    pthread_cond_t begun;     /* signalled when there is new work, or none will come */
    pthread_cond_t done;      /* signalled when `left` gets to 0 */
    mh_pool_work *work;       /* NULL: the threads are to end */
    void *context;            /* its argument */
    int64_t count;            /* of the things it is done on */
    uint64_t number;          /* of the work, counted */
    int left;                 /* workers that are not yet done with it */
    int workers;              /* beside the caller's thread */
    pid_t process;            /* that the threads belong to */
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

static void *worker_main(void *argument)
{
    const struct worker *self = argument;
    struct mh_pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->number == seen) {
            pthread_cond_wait(&pool->begun, &pool->mutex);
        }
        seen = pool->number;
        if (!pool->work) {
            break;
        }
        pthread_mutex_unlock(&pool->mutex);
        do_part(pool, self->part);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->left == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Wakes all workers for new work; NULL ends them. */
static void begin(struct mh_pool *pool, int count, mh_pool_work *work, void *context)
{
    pthread_mutex_lock(&pool->mutex);
    set_work(pool, count, work, context);
    pool->left = pool->workers;
    pool->number++;
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
}

int mh_pool_new(int threads, struct mh_pool **pool)
{
    *pool = NULL;
    if (threads == 1) {
        return MH_OK;
    }
    struct mh_pool *made = calloc(1, sizeof *made);
    struct worker *workers = calloc((size_t)threads - 1, sizeof *workers);
    if (!made || !workers) {
        free(made);
        free(workers);
        return MH_ERROR_MEMORY;
    }
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->begun, NULL);
    pthread_cond_init(&made->done, NULL);
    made->process = getpid();
    made->worker_of = workers;
    while (made->workers < threads - 1) {
        struct worker *worker = &workers[made->workers];
        worker->pool = made;
        worker->part = made->workers + 1;
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
            mh_pool_free(&made);
            return MH_ERROR_MEMORY;
        }
        made->workers++;
    }
    *pool = made;
    return MH_OK;
}

void mh_pool_free(struct mh_pool **pool)
{
    struct mh_pool *self = *pool;
    *pool = NULL;
    if (!self) {
        return;
    }
    if (self->process == getpid()) {
        begin(self, 0, NULL, NULL);
        for (int i = 0; i < self->workers; i++) {
            pthread_join(self->worker_of[i].thread, NULL);
        }
        pthread_mutex_destroy(&self->mutex);
        pthread_cond_destroy(&self->begun);
        pthread_cond_destroy(&self->done);
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
    if (pool->process != getpid()) {
        set_work(pool, count, work, context);
        for (int part = 0; part <= pool->workers; part++) {
            do_part(pool, part);
        }
        return;
    }
    begin(pool, count, work, context);
    do_part(pool, 0);
    pthread_mutex_lock(&pool->mutex);
    while (pool->left > 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

#endif
