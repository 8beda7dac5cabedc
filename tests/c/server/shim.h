/* Stands between server and core and the system: makes any one call fail, and notes what is written and synced. The
 * linker sends calls here (--wrap), see CMakeLists.txt; calls inside other libraries are not seen. */
#ifndef SHIM_H
#define SHIM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* The linker chooses the names of what is wrapped. NOLINTBEGIN(bugprone-reserved-identifier) */

enum shim_call {
    SHIM_MALLOC,
    SHIM_CALLOC,
    SHIM_REALLOC,
    SHIM_OPEN,
    SHIM_READ,
    SHIM_WRITE,
    SHIM_SYNC,
    SHIM_RENAME,
    SHIM_UNLINK,
    SHIM_CLOSE,
    SHIM_TRUNCATE,
    SHIM_OPENDIR,
    SHIM_RANDOM,
    SHIM_THREAD,
    SHIM_CALLS
};

static const char *const shim_names[SHIM_CALLS] = {"malloc",   "calloc",  "realloc", "open",   "read",
                                                   "write",    "sync",    "rename",  "unlink", "close",
                                                   "truncate", "opendir", "random",  "thread"};

/* The calls that changed files, in order. */
enum shim_kind { SHIM_MADE, SHIM_PUT, SHIM_SIZED, SHIM_SYNCED, SHIM_MOVED, SHIM_GONE, SHIM_NAMES, SHIM_ALL };

struct shim_note {
    enum shim_kind kind;
    int file;  /* which one it was, by the order of their making */
    size_t at; /* where bytes were put; the new size */
    size_t size;
    unsigned char *bytes;
    char path[160], to[160];
};

static struct {
    int is_on;             /* calls are counted and may fail */
    long count, fail_at;   /* calls; the one that fails, from 1 (0: none) */
    long fail_for;         /* how many of them fail from there on */
    unsigned which;        /* bits of calls that are counted */
    enum shim_call failed; /* the last one that has failed */
    int failures;
    int is_noting;
    struct shim_note *notes;
    int num_notes, max_notes, num_files;
    struct {
        char path[160];
        int file;
    } names[256];
    int num_names;
    int files[1024]; /* by descriptor; -1: not noted */
    uint64_t random;
    pthread_mutex_t mutex;
} shim = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fail_for = 1};

static int shim_fails(enum shim_call call, int error)
{
    if (!shim.is_on || !(shim.which >> call & 1)) {
        return 0;
    }
    pthread_mutex_lock(&shim.mutex);
    const long at = ++shim.count;
    const int fails = shim.fail_at > 0 && at >= shim.fail_at && at < shim.fail_at + shim.fail_for;
    if (fails) {
        shim.failed = call;
        shim.failures++;
    }
    pthread_mutex_unlock(&shim.mutex);
    if (fails) {
        errno = error;
    }
    return fails;
}

/* ---- Memory and threads ----------------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return shim_fails(SHIM_MALLOC, ENOMEM) ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return shim_fails(SHIM_CALLOC, ENOMEM) ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    return shim_fails(SHIM_REALLOC, ENOMEM) ? NULL : __real_realloc(memory, size);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument)
{
    return shim_fails(SHIM_THREAD, EAGAIN) ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

/* The same bits in every run. */
int __wrap_entropy_fill(void *bytes, size_t size);
int __wrap_entropy_fill(void *bytes, size_t size)
{
    if (shim_fails(SHIM_RANDOM, EIO)) {
        return -1;
    }
    for (size_t i = 0; i < size; i++) {
        shim.random = shim.random * 6364136223846793005u + 1442695040888963407u;
        ((unsigned char *)bytes)[i] = (unsigned char)(shim.random >> 56);
    }
    return 0;
}

time_t __wrap_time(time_t *when);
time_t __wrap_time(time_t *when)
{
    const time_t now = 1700000000;
    if (when) {
        *when = now;
    }
    return now;
}

/* ---- Notes ------------------------------------------------------------------------------------------------------ */

static struct shim_note *shim_note(enum shim_kind kind, int file)
{
    if (shim.num_notes == shim.max_notes) {
        shim.max_notes = 2 * shim.max_notes + 256;
        shim.notes = __real_realloc(shim.notes, (size_t)shim.max_notes * sizeof *shim.notes);
        if (!shim.notes) {
            abort();
        }
    }
    shim.notes[shim.num_notes] = (struct shim_note){.kind = kind, .file = file};
    return &shim.notes[shim.num_notes++];
}

static int shim_find(const char *path)
{
    for (int i = 0; i < shim.num_names; i++) {
        if (strcmp(shim.names[i].path, path) == 0) {
            return i;
        }
    }
    return -1;
}

static void shim_unname(const char *path)
{
    const int at = shim_find(path);
    if (at >= 0) {
        shim.names[at] = shim.names[--shim.num_names];
    }
}

static void shim_name(const char *path, int file)
{
    shim_unname(path);
    if (shim.num_names == 256) {
        abort();
    }
    (void)snprintf(shim.names[shim.num_names].path, sizeof shim.names[0].path, "%s", path);
    shim.names[shim.num_names++].file = file;
}

static inline void shim_forget(void)
{
    for (int i = 0; i < shim.num_notes; i++) {
        free(shim.notes[i].bytes);
    }
    free(shim.notes);
    shim.notes = NULL;
    shim.num_notes = shim.max_notes = shim.num_files = shim.num_names = 0;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    struct stat status;
    va_list values;
    va_start(values, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(values, mode_t) : 0;
    va_end(values);
    if (shim_fails(SHIM_OPEN, flags & O_CREAT ? ENOSPC : EMFILE)) {
        return -1;
    }
    const int is_new = flags & O_CREAT && lstat(path, &status) != 0;
    const int file = __real_open(path, flags, mode);
    if (shim.is_noting && file >= 0 && file < 1024) {
        shim.files[file] = -1;
        if (is_new) {
            (void)snprintf(shim_note(SHIM_MADE, shim.num_files)->path, 160, "%s", path);
            shim_name(path, shim.num_files++);
        }
        const int name = shim_find(path);
        shim.files[file] = name >= 0 ? shim.names[name].file : -1;
        if (!is_new && flags & O_TRUNC) {
            shim_note(SHIM_SIZED, shim.files[file]);
        }
    }
    return file;
}

int __real_close(int file);
int __wrap_close(int file);
int __wrap_close(int file)
{
    const int fails = shim_fails(SHIM_CLOSE, EIO); /* it is closed all the same, as on Linux */
    return __real_close(file) != 0 || fails ? -1 : 0;
}

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size)
{
    return shim_fails(SHIM_READ, EIO) ? -1 : __real_read(file, bytes, size);
}

/* When the disk is full a part may be written. */
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at)
{
    const int fails = shim_fails(SHIM_WRITE, ENOSPC);
    const ssize_t written = __real_pwrite(file, bytes, fails ? size / 2 : size, at);
    if (shim.is_noting && written > 0 && file < 1024 && shim.files[file] >= 0) {
        struct shim_note *note = shim_note(SHIM_PUT, shim.files[file]);
        note->at = (size_t)at;
        note->size = (size_t)written;
        note->bytes = __real_malloc(note->size);
        memcpy(note->bytes, bytes, note->size);
    }
    if (fails) {
        errno = ENOSPC;
    }
    return fails ? -1 : written;
}

int __real_truncate(const char *path, off_t size);
int __wrap_truncate(const char *path, off_t size);
int __wrap_truncate(const char *path, off_t size)
{
    if (shim_fails(SHIM_TRUNCATE, EIO)) {
        return -1;
    }
    const int name = shim.is_noting ? shim_find(path) : -1;
    if (name >= 0) {
        shim_note(SHIM_SIZED, shim.names[name].file)->at = (size_t)size;
    }
    return __real_truncate(path, size);
}

/* Nothing is synced really: it would take long, and the notes say what would be lost. */
int __wrap_fdatasync(int file);
int __wrap_fdatasync(int file)
{
    if (shim_fails(SHIM_SYNC, EIO)) {
        return -1;
    }
    if (shim.is_noting && file < 1024 && shim.files[file] >= 0) {
        shim_note(SHIM_SYNCED, shim.files[file]);
    }
    return 0;
}

static int shim_sync_folder(int file, enum shim_kind kind)
{
    char link[64];
    char path[160];
    if (shim_fails(SHIM_SYNC, EIO)) {
        return -1;
    }
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (shim.is_noting && length > 0) {
        path[length] = '\0';
        memcpy(shim_note(kind, -1)->path, path, (size_t)length + 1);
    }
    return 0;
}

int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    return shim_sync_folder(file, SHIM_NAMES);
}

int __wrap_syncfs(int file);
int __wrap_syncfs(int file)
{
    return shim_sync_folder(file, SHIM_ALL);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    if (shim_fails(SHIM_RENAME, EIO)) {
        return -1;
    }
    const int name = shim.is_noting ? shim_find(from) : -1;
    if (name >= 0) {
        const int file = shim.names[name].file;
        struct shim_note *note = shim_note(SHIM_MOVED, file);
        (void)snprintf(note->path, sizeof note->path, "%s", from);
        (void)snprintf(note->to, sizeof note->to, "%s", to);
        shim_unname(from);
        shim_name(to, file);
    }
    return __real_rename(from, to);
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
    if (shim_fails(SHIM_UNLINK, EIO)) {
        return -1;
    }
    if (shim.is_noting && shim_find(path) >= 0) {
        (void)snprintf(shim_note(SHIM_GONE, -1)->path, 160, "%s", path);
        shim_unname(path);
    }
    return __real_unlink(path);
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    return shim_fails(SHIM_OPENDIR, EMFILE) ? NULL : __real_opendir(path);
}

/* NOLINTEND(bugprone-reserved-identifier) */

#endif
