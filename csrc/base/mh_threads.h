/* Threads and what they wait with: one set of functions, by Windows and by POSIX. */
#ifndef MH_THREADS_H
#define MH_THREADS_H

#include <stdint.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#endif

/* 1 where threads exist: WebAssembly has them in some hosts only, for programs that were built for that. */
#if defined(__wasm__) && !defined(_REENTRANT)
enum { MH_HAS_THREADS = 0 };
#else
enum { MH_HAS_THREADS = 1 };
#endif

/* A running thread; it stays where it is until it is joined. */
struct mh_thread {
    void (*main)(void *argument);
    void *argument;
#if defined(_WIN32)
    HANDLE handle;
#else
    pthread_t handle;
#endif
};

struct mh_lock {
#if defined(_WIN32)
    SRWLOCK of;
#else
    pthread_mutex_t of;
#endif
};

struct mh_signal {
#if defined(_WIN32)
    CONDITION_VARIABLE of;
#else
    pthread_cond_t of;
#endif
};

#if defined(_WIN32)

static inline DWORD WINAPI mh_thread_run(void *thread)
{
    const struct mh_thread *self = thread;
    self->main(self->argument);
    return 0;
}

/* Starts a thread; returns 0 where the system gives none. */
static inline int mh_thread_begin(struct mh_thread *self, void (*main)(void *), void *argument)
{
    self->main = main;
    self->argument = argument;
    self->handle = CreateThread(NULL, 0, mh_thread_run, self, 0, NULL);
    return self->handle != NULL;
}

static inline void mh_thread_join(struct mh_thread *self)
{
    WaitForSingleObject(self->handle, INFINITE);
    CloseHandle(self->handle);
}

/* Lets another thread have the processor. */
static inline void mh_thread_yield(void)
{
    SwitchToThread();
}

static inline void mh_lock_open(struct mh_lock *self)
{
    InitializeSRWLock(&self->of);
}

static inline void mh_lock_close(struct mh_lock *self)
{
    (void)self;
}

static inline void mh_lock_take(struct mh_lock *self)
{
    AcquireSRWLockExclusive(&self->of);
}

static inline void mh_lock_leave(struct mh_lock *self)
{
    ReleaseSRWLockExclusive(&self->of);
}

static inline void mh_signal_open(struct mh_signal *self)
{
    InitializeConditionVariable(&self->of);
}

static inline void mh_signal_close(struct mh_signal *self)
{
    (void)self;
}

/* Sleeps until the signal is given, or for no reason; leaves the lock meanwhile. */
static inline void mh_signal_wait(struct mh_signal *self, struct mh_lock *lock)
{
    SleepConditionVariableSRW(&self->of, &lock->of, INFINITE, 0);
}

/* Wakes all that wait. */
static inline void mh_signal_give(struct mh_signal *self)
{
    WakeAllConditionVariable(&self->of);
}

/* The processors in use. */
static inline long mh_processors(void)
{
    return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

/* The number of this process. */
static inline int64_t mh_process(void)
{
    return (int64_t)GetCurrentProcessId();
}

/* Nanoseconds since some moment. */
static inline int64_t mh_now(void)
{
    LARGE_INTEGER ticks;
    LARGE_INTEGER second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&second);
    const int64_t rest = ticks.QuadPart % second.QuadPart;
    return ticks.QuadPart / second.QuadPart * 1000000000 + rest * 1000000000 / second.QuadPart;
}

#else

static inline void *mh_thread_run(void *thread)
{
    const struct mh_thread *self = thread;
    self->main(self->argument);
    return NULL;
}

static inline int mh_thread_begin(struct mh_thread *self, void (*main)(void *), void *argument)
{
    self->main = main;
    self->argument = argument;
    return pthread_create(&self->handle, NULL, mh_thread_run, self) == 0;
}

static inline void mh_thread_join(struct mh_thread *self)
{
    pthread_join(self->handle, NULL);
}

static inline void mh_thread_yield(void)
{
    sched_yield();
}

static inline void mh_lock_open(struct mh_lock *self)
{
    pthread_mutex_init(&self->of, NULL);
}

static inline void mh_lock_close(struct mh_lock *self)
{
    pthread_mutex_destroy(&self->of);
}

static inline void mh_lock_take(struct mh_lock *self)
{
    pthread_mutex_lock(&self->of);
}

static inline void mh_lock_leave(struct mh_lock *self)
{
    pthread_mutex_unlock(&self->of);
}

static inline void mh_signal_open(struct mh_signal *self)
{
    pthread_cond_init(&self->of, NULL);
}

static inline void mh_signal_close(struct mh_signal *self)
{
    pthread_cond_destroy(&self->of);
}

static inline void mh_signal_wait(struct mh_signal *self, struct mh_lock *lock)
{
    pthread_cond_wait(&self->of, &lock->of);
}

static inline void mh_signal_give(struct mh_signal *self)
{
    pthread_cond_broadcast(&self->of);
}

static inline long mh_processors(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static inline int64_t mh_process(void)
{
#if defined(__wasi__) /* which has one process, and no way to make another */
    return 0;
#else
    return getpid();
#endif
}

static inline int64_t mh_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif

#endif
