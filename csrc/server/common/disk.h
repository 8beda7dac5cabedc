/* When written files reach the disk. A killed process loses nothing that it has written, so nothing is said that
 * follows from a write which the system has refused, until it is done: see `is_late`. A loss of power loses what was
 * not synced, in any order, and also the names of new files until their folder was synced. There are three ways:
 *
 *   always   Nothing leaves the server that follows from a write before the write is synced: messages of one batch wait
 *            for one sync of all files that the batch wrote to (group commit, as in databases).
 *   second   Files are synced once a second. A loss of power costs at most what happened since (as Redis does with
 *            appendfsync everysec).
 *   never    The system writes when it likes to, mostly within half a minute.
 *
 * A file in the place of another one is synced before it gets its name, with `second` too: otherwise a loss of power
 * could leave neither. Few files are synced one by one, many with one call for the whole file system, which for 64
 * files took a twentieth of the time.
 *
 * A file is open from its first write to the next sync, because the system reports a failed write only to those who
 * had the file open. The first sync of a process is one of all: a process that was killed leaves what it had not synced
 * to the system, which keeps it only as long as it has power. After a failed sync nothing is known about the files of
 * that round, so they are written anew. */
#ifndef DISK_H
#define DISK_H

#include <stdint.h>

#include "files.h"

enum disk_sync { DISK_SECOND, DISK_ALWAYS, DISK_NEVER };

enum {
    DISK_INHERITED = 1,    /* the round of what an earlier process has written */
    DISK_FILES = 128,      /* open at once; when there are more they are synced early */
    DISK_WAITING = 1 << 25 /* bytes that disk_defer holds at most */
};

struct disk_deferred;

struct disk {
    enum disk_sync sync;
    const char *state, *records; /* folders, or NULL */
    uint64_t round;              /* rises with every sync; beyond DISK_INHERITED */
    int files[DISK_FILES], count, most;
    int names;     /* names have changed since the last sync */
    int inherits;  /* an earlier process may have been killed before it synced what it had written */
    uint64_t lost; /* the first round whose sync has failed; 0: what was lost is written again */
    int is_late;   /* something must be written again, and nothing may happen before it is */
    struct disk_deferred *waiting, *last; /* refused writes, oldest first */
    size_t waiting_bytes;
    int64_t due;            /* of the next sync; -1: nothing waits for one */
    int64_t failures;       /* of writes and syncs */
    int64_t syncs, sync_ns; /* those that had something to do, and how long the last one took */
    int error;              /* errno of the last one */
};

/* The file's place among the open ones. All zeros: none. */
struct disk_ticket {
    uint64_t round;
    int place;
};

void disk_init(struct disk *self, enum disk_sync sync, const char *state, const char *records);

/* Tries once to write what waits, syncs, and frees. */
void disk_close(struct disk *self);

/* The next functions return -1 when the system refuses, count that in `failures` and set `is_late`. */

/* Writes into an existing file, from byte `at` on. */
int disk_write(struct disk *self, struct disk_ticket *ticket, const char *path, size_t at, const void *bytes,
               size_t size);

/* Takes a copy of what disk_write has refused, whose owner will not try again, for disk_mend. -1: there is no memory,
 * or DISK_WAITING bytes wait already; the bytes are lost, which `failures` counts. */
int disk_defer(struct disk *self, const char *path, size_t at, const void *bytes, size_t size);

/* Writes what waits, in order. -1: the disk still refuses. */
int disk_mend(struct disk *self);

/* Replaces a file in one step; `is_new`: no file that counts exists yet. */
int disk_replace(struct disk *self, struct disk_ticket *ticket, const char *path, const void *bytes, size_t size,
                 int is_new);

/* Creates an empty file that only the owner can read. Returns 1 when the name exists already. */
int disk_create(struct disk *self, const char *path);

/* Removes a file. A name that is back after a loss of power does no harm. */
void disk_remove(struct disk *self, const char *path);

/* True if something was written that is not synced, and a sync is due some time. */
int disk_is_behind(const struct disk *self);

/* Syncs all that was written. -1: see `lost`. */
int disk_sync(struct disk *self);

/* Notes that something could not be written, with errno. Returns -1. */
int disk_refuse(struct disk *self);

#endif
