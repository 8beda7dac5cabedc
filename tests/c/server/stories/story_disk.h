/* A disk, a clock and random bits in memory; story_calls.h has the system's calls over them. What is written is seen at
 * once and reaches the platter with a sync. A kill costs nothing; a loss of power leaves of what was not synced what
 * chance keeps: each write whole, in part, as zeros or not at all. */
#ifndef STORY_DISK_H
#define STORY_DISK_H

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/mh_rng.h"
#include "check.h"

enum {
    PLATTER_PATH = 96,
    PLATTER_NAMES = 1024,
    PLATTER_HANDLES = 512,
    PLATTER_FIRST = 10000 /* the lowest descriptor */
};

/* A write that is not synced: bytes put at a place, or without bytes a new size. */
struct platter_write {
    unsigned char *bytes;
    size_t at, size;
};

struct platter_image {
    unsigned char *bytes;
    size_t size, space;
};

struct platter_file {
    struct platter_image seen, kept; /* by the system; on the platter */
    struct platter_write *writes;
    int num_writes, max_writes;
};

struct platter_name {
    char path[PLATTER_PATH];
    int file;
};

struct platter_names {
    struct platter_name names[PLATTER_NAMES];
    int count;
};

/* A change of names that is not synced. */
struct platter_change {
    char path[PLATTER_PATH], to[PLATTER_PATH]; /* "" where there is none: a file was made, or is gone */
    int file;
};

static struct {
    struct mh_rng chance; /* of what breaks and what is kept */
    struct mh_rng bits;   /* that the server draws */
    int64_t now_ms;
    int64_t ns, step_ns; /* the fine clock, which moves by so much at each look */
    int64_t lag_ms;      /* how long the disk has kept the server since that was last asked */
    int64_t sync_ms;     /* how long a sync takes */
    int is_full, is_sick;
    int fails_in;   /* so many calls later one fails, once; 0: none */
    int crashes_in; /* so many changes later the process is dead; 0: it lives */
    int is_dead;    /* nothing that it does has any effect */
    int sync_failures;
    struct platter_file *files;
    int num_files, max_files;
    struct platter_names seen, kept;
    struct platter_change *changes;
    int num_changes, max_changes;
    int handles[PLATTER_HANDLES]; /* files; -1: free, -2: of a dead process */
} platter;

/* ---- Images ----------------------------------------------------------------------------------------------------- */

static void *grow(void *memory, size_t size)
{
    void *larger = realloc(memory, size);
    CHECK(larger);
    return larger;
}

static void image_size(struct platter_image *self, size_t size)
{
    if (size > self->space) {
        self->space = 2 * size + 256;
        self->bytes = grow(self->bytes, self->space);
    }
    if (size > self->size) {
        memset(self->bytes + self->size, 0, size - self->size);
    }
    self->size = size;
}

static void image_put(struct platter_image *self, size_t at, const void *bytes, size_t size)
{
    if (at + size > self->size) {
        image_size(self, at + size);
    }
    memcpy(self->bytes + at, bytes, size);
}

/* `part`: 1 the whole write, 2 a part of it, 3 only its length. */
static void image_apply(struct platter_image *self, const struct platter_write *write, int part)
{
    if (!write->bytes) {
        image_size(self, write->at);
    } else if (part == 3) {
        image_size(self, write->at + write->size > self->size ? write->at + write->size : self->size);
    } else {
        image_put(self, write->at, write->bytes, part == 2 ? write->size / 2 : write->size);
    }
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static int names_find(const struct platter_names *self, const char *path)
{
    for (int i = 0; i < self->count; i++) {
        if (strcmp(self->names[i].path, path) == 0) {
            return i;
        }
    }
    return -1;
}

static void names_remove(struct platter_names *self, const char *path)
{
    const int at = names_find(self, path);
    if (at >= 0) {
        self->names[at] = self->names[--self->count];
    }
}

static void names_add(struct platter_names *self, const char *path, int file)
{
    names_remove(self, path);
    CHECK(self->count < PLATTER_NAMES && strlen(path) < PLATTER_PATH);
    strcpy(self->names[self->count].path, path);
    self->names[self->count++].file = file;
}

static void names_apply(struct platter_names *self, const struct platter_change *change)
{
    if (change->path[0]) {
        names_remove(self, change->path);
    }
    if (change->to[0]) {
        names_add(self, change->to, change->file);
    }
}

/* Renames a file; "" for a file that is made or removed. */
static void platter_rename(const char *path, const char *to, int file)
{
    if (platter.num_changes == platter.max_changes) {
        platter.max_changes = 2 * platter.max_changes + 64;
        platter.changes = grow(platter.changes, (size_t)platter.max_changes * sizeof *platter.changes);
    }
    struct platter_change *change = &platter.changes[platter.num_changes++];
    *change = (struct platter_change){.file = file};
    CHECK(strlen(path) < PLATTER_PATH && strlen(to) < PLATTER_PATH);
    strcpy(change->path, path);
    strcpy(change->to, to);
    names_apply(&platter.seen, change);
}

/* ---- From a story's beginning to its end ------------------------------------------------------------------------- */

static void forget_writes(struct platter_file *file)
{
    for (int i = 0; i < file->num_writes; i++) {
        free(file->writes[i].bytes);
    }
    file->num_writes = 0;
}

static void platter_free(void)
{
    for (int i = 0; i < platter.num_files; i++) {
        struct platter_file *file = &platter.files[i];
        forget_writes(file);
        free(file->writes);
        free(file->seen.bytes);
        free(file->kept.bytes);
    }
    free(platter.files);
    free(platter.changes);
}

static void platter_new(uint64_t seed)
{
    memset(&platter, 0, sizeof platter);
    platter.chance = mh_rng_stream(seed, 'd');
    platter.bits = mh_rng_stream(seed, 'e');
    memset(platter.handles, -1, sizeof platter.handles);
}

static int chance(int one_in)
{
    return mh_rng_below(&platter.chance, (uint32_t)one_in) == 0;
}

/* All that was written is on the platter. */
static void file_keep(struct platter_file *file)
{
    for (int i = 0; i < file->num_writes; i++) {
        image_apply(&file->kept, &file->writes[i], 1);
    }
    forget_writes(file);
}

/* The process is gone, and its files are closed. */
static void platter_kill(void)
{
    memset(platter.handles, -1, sizeof platter.handles);
    platter.is_dead = platter.crashes_in = 0;
}

/* All that is seen reaches the platter. */
static void platter_settle(void)
{
    for (int i = 0; i < platter.num_files; i++) {
        struct platter_file *file = &platter.files[i];
        forget_writes(file);
        file->kept.size = 0;
        if (file->seen.size > 0) {
            image_put(&file->kept, 0, file->seen.bytes, file->seen.size);
        }
    }
    platter.num_changes = 0;
    platter.kept = platter.seen;
}

static void lose_writes(struct platter_file *file)
{
    for (int i = 0; i < file->num_writes; i++) {
        const int part = (int)mh_rng_below(&platter.chance, 4);
        if (part > 0) {
            image_apply(&file->kept, &file->writes[i], part);
        }
    }
    forget_writes(file);
    file->seen.size = 0;
    if (file->kept.size > 0) {
        image_put(&file->seen, 0, file->kept.bytes, file->kept.size);
    }
}

static void platter_lose_power(void)
{
    platter_kill();
    for (int i = 0; i < platter.num_files; i++) {
        lose_writes(&platter.files[i]);
    }
    for (int i = 0; i < platter.num_changes; i++) {
        if (chance(2)) {
            names_apply(&platter.kept, &platter.changes[i]);
        }
    }
    platter.num_changes = 0;
    platter.seen = platter.kept;
}

/* ---- What breaks ------------------------------------------------------------------------------------------------- */

/* Before a change: whether the process is dead. */
static int dies(void)
{
    platter.is_dead |= platter.crashes_in == 1;
    platter.crashes_in -= platter.crashes_in > 0;
    return platter.is_dead;
}

/* True if this call fails. */
static int breaks(int error)
{
    if (platter.is_dead || platter.fails_in == 0) {
        return 0;
    }
    platter.fails_in--;
    errno = platter.fails_in == 0 ? error : errno;
    return platter.fails_in == 0;
}

static int platter_handle(int file)
{
    for (int i = 0; i < PLATTER_HANDLES; i++) {
        if (platter.handles[i] == -1) {
            platter.handles[i] = file;
            return PLATTER_FIRST + i;
        }
    }
    abort();
}

static int *handle_of(int descriptor)
{
    CHECK(descriptor >= PLATTER_FIRST && descriptor < PLATTER_FIRST + PLATTER_HANDLES);
    int *handle = &platter.handles[descriptor - PLATTER_FIRST];
    CHECK(*handle != -1);
    return handle;
}

static struct platter_file *file_of(int descriptor)
{
    const int file = *handle_of(descriptor);
    return file >= 0 && file < platter.num_files ? &platter.files[file] : NULL;
}

static int platter_make(const char *path)
{
    if (platter.num_files == platter.max_files) {
        platter.max_files = 2 * platter.max_files + 64;
        platter.files = grow(platter.files, (size_t)platter.max_files * sizeof *platter.files);
    }
    platter.files[platter.num_files] = (struct platter_file){.num_writes = 0};
    platter_rename("", path, platter.num_files);
    return platter.num_files++;
}

static void note_write(struct platter_file *file, size_t at, const void *bytes, size_t size)
{
    if (file->num_writes == file->max_writes) {
        file->max_writes = 2 * file->max_writes + 16;
        file->writes = grow(file->writes, (size_t)file->max_writes * sizeof *file->writes);
    }
    struct platter_write *write = &file->writes[file->num_writes++];
    *write = (struct platter_write){bytes ? malloc(size) : NULL, at, size};
    if (bytes) {
        CHECK(write->bytes);
        memcpy(write->bytes, bytes, size);
    }
    image_apply(&file->seen, write, 1);
}

#endif
