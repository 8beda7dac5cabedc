#ifdef __linux__
#define _GNU_SOURCE /* syncfs */ // NOLINT(bugprone-reserved-identifier)
#endif
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mh_pool.h"

/* Returns the most files to keep open: where the system allows few descriptors, an eighth of them. */
static int most_files(void)
{
    enum { SHARE = 8 };
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)SHARE * DISK_FILES
               ? (int)limit.rlim_cur / SHARE + 1
               : DISK_FILES;
}

void disk_init(struct disk *self, enum disk_sync sync, const char *state, const char *records)
{
    *self = (struct disk){.sync = sync,
                          .state = state,
                          .records = records,
                          .most = most_files(),
                          .round = DISK_INHERITED + 1,
                          .inherits = sync != DISK_NEVER && (state || records),
                          .due = -1};
}

static void close_files(struct disk *self)
{
    for (int i = 0; i < self->count; i++) {
        (void)close(self->files[i]);
    }
    self->count = 0;
}

int disk_refuse(struct disk *self)
{
    self->failures++;
    self->error = errno;
    self->is_late = 1;
    return -1;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* Keeps a written file open until the next sync. Where none comes it is closed: some systems, such as NFS, say only
 * then that there is no room. */
static int enlist(struct disk *self, struct disk_ticket *ticket, int file)
{
    if (self->sync == DISK_NEVER) {
        return close(file);
    }
    *ticket = (struct disk_ticket){self->round, self->count};
    self->files[self->count++] = file;
    return 0;
}

/* The file of a ticket, or one that is opened now. -1: the system refuses. */
static int open_file(struct disk *self, struct disk_ticket *ticket, const char *path)
{
    if (ticket->round == self->round) {
        return self->files[ticket->place];
    }
    if (self->count == self->most && disk_sync(self) != 0) {
        return -1;
    }
    return files_open(path, 0);
}

int disk_write(struct disk *self, struct disk_ticket *ticket, const char *path, size_t at, const void *bytes,
               size_t size)
{
    const int file = open_file(self, ticket, path);
    if (file < 0) {
        return disk_refuse(self);
    }
    int failed = files_put(file, at, bytes, size) != 0 ? disk_refuse(self) : 0;
    if (ticket->round != self->round && enlist(self, ticket, file) != 0) {
        failed = disk_refuse(self);
    }
    return failed;
}

/* ---- Writes that wait --------------------------------------------------------------------------------------- */

struct disk_deferred {
    struct disk_deferred *next;
    size_t at, size;
    char path[FILES_PATH];
    unsigned char bytes[];
};

int disk_defer(struct disk *self, const char *path, size_t at, const void *bytes, size_t size)
{
    const size_t whole = sizeof(struct disk_deferred) + size;
    struct disk_deferred *write = whole <= DISK_WAITING - self->waiting_bytes ? malloc(whole) : NULL;
    if (!write) {
        self->failures++;
        return -1;
    }
    *write = (struct disk_deferred){.at = at, .size = size};
    memcpy(write->path, path, strlen(path) + 1);
    memcpy(write->bytes, bytes, size);
    if (self->last) {
        self->last->next = write;
    } else {
        self->waiting = write;
    }
    self->last = write;
    self->waiting_bytes += whole;
    return 0;
}

static void drop_first(struct disk *self)
{
    struct disk_deferred *write = self->waiting;
    self->waiting = write->next;
    self->last = self->waiting ? self->last : NULL;
    self->waiting_bytes -= sizeof *write + write->size;
    free(write);
}

int disk_mend(struct disk *self)
{
    while (self->waiting) {
        const struct disk_deferred *write = self->waiting;
        struct disk_ticket ticket = {0, 0};
        if (disk_write(self, &ticket, write->path, write->at, write->bytes, write->size) != 0) {
            return -1;
        }
        drop_first(self);
    }
    return 0;
}

/* ---- Whole files -------------------------------------------------------------------------------------------- */

int disk_replace(struct disk *self, struct disk_ticket *ticket, const char *path, const void *bytes, size_t size,
                 int is_new)
{
    char aside[FILES_PATH + sizeof FILES_LEFT];
    if (self->count == self->most && disk_sync(self) != 0) {
        return disk_refuse(self);
    }
    (void)snprintf(aside, sizeof aside, "%s" FILES_LEFT, path);
    const int file = files_open(aside, 1);
    if (file < 0) {
        return disk_refuse(self);
    }
    if (files_put(file, 0, bytes, size) != 0 || (self->sync != DISK_NEVER && !is_new && files_sync(file) != 0) ||
        rename(aside, path) != 0) {
        (void)close(file);
        (void)unlink(aside);
        return disk_refuse(self);
    }
    self->names = 1;
    return enlist(self, ticket, file) != 0 ? disk_refuse(self) : 0;
}

int disk_create(struct disk *self, const char *path)
{
    const int status = files_create(path);
    self->names |= status == 0;
    return status < 0 ? disk_refuse(self) : status;
}

void disk_remove(struct disk *self, const char *path)
{
    self->names |= unlink(path) == 0;
}

/* ---- Syncing ------------------------------------------------------------------------------------------------ */

static int sync_folder(const char *path, int (*sync)(int file))
{
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    const int failed = sync(file);
    (void)close(file);
    return failed;
}

static int sync_folders(const struct disk *self, int (*sync)(int file))
{
    const int failed = self->state && sync_folder(self->state, sync) != 0;
    return (self->records && sync_folder(self->records, sync) != 0) || failed ? -1 : 0;
}

static int sync_each(const struct disk *self)
{
    int failed = 0;
    for (int i = 0; i < self->count; i++) {
        failed |= files_sync(self->files[i]) != 0;
    }
    if (self->names) {
        failed |= sync_folders(self, fsync) != 0;
    }
    return failed ? -1 : 0;
}

static int sync_all(const struct disk *self)
{
#ifdef __linux__
    enum { FEW = 4 };
    if (self->count > FEW || self->inherits) {
        return sync_folders(self, syncfs);
    }
#else
    if (self->inherits) {
        sync(); /* reports no failure, and may return early */
    }
#endif
    return sync_each(self);
}

int disk_is_behind(const struct disk *self)
{
    return self->sync != DISK_NEVER && (self->count > 0 || self->names || self->inherits);
}

int disk_sync(struct disk *self)
{
    const int is_needed = disk_is_behind(self);
    const int64_t began = is_needed ? mh_pool_now() : 0;
    const int failed = is_needed ? sync_all(self) : 0;
    if (is_needed) {
        self->syncs++;
        self->sync_ns = mh_pool_now() - began;
    }
    if (failed) {
        const uint64_t first = self->inherits ? DISK_INHERITED : self->round;
        self->lost = self->lost ? self->lost : first;
        (void)disk_refuse(self);
    }
    close_files(self);
    self->round++;
    self->names = failed != 0; /* one that was removed may come back, until the folder is synced */
    self->inherits = 0;
    self->due = -1;
    return failed;
}

void disk_close(struct disk *self)
{
    (void)disk_mend(self);
    while (self->waiting) {
        drop_first(self);
    }
    if (disk_is_behind(self)) {
        (void)disk_sync(self);
    }
}
