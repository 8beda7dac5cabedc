/* The system's calls that the server makes, over the disk and the clock of story_disk.h: the linker sends them here
 * (--wrap), see CMakeLists.txt. */
#ifndef STORY_CALLS_H
#define STORY_CALLS_H

#include "story_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The linker chooses the names of what is wrapped. NOLINTBEGIN(bugprone-reserved-identifier) */

enum { FOLDER = 1 << 20 /* handles of folders: this, and more for that of records */ };

static int is_of_records(const char *path)
{
    return strncmp(path, "records", 7) == 0;
}

/* Absolute paths are no server's: the compiler's counts of lines are written there (tests/coverage.py). */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    if (path[0] == '/') {
        va_list more;
        va_start(more, flags);
        const int mode = flags & O_CREAT ? va_arg(more, int) : 0;
        va_end(more);
        return __real_open(path, flags, mode);
    }
    if (flags & O_DIRECTORY) {
        return breaks(EMFILE) ? -1 : platter_handle(FOLDER + is_of_records(path));
    }
    const int at = names_find(&platter.seen, path);
    const int is_new = at < 0 && flags & O_CREAT;
    if (at < 0 && !is_new) {
        errno = ENOENT;
        return -1;
    }
    if (at >= 0 && flags & O_EXCL) {
        errno = EEXIST;
        return -1;
    }
    const int is_change = is_new || flags & O_TRUNC;
    if (is_change && dies()) {
        return platter_handle(-2);
    }
    if (breaks(EIO)) {
        return -1;
    }
    if (is_new && platter.is_full && chance(2)) {
        errno = ENOSPC;
        return -1;
    }
    const int file = is_new ? platter_make(path) : platter.seen.names[at].file;
    if (!is_new && flags & O_TRUNC) {
        note_write(&platter.files[file], 0, NULL, 0);
    }
    return platter_handle(file);
}

int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    *handle_of(descriptor) = -1;
    return breaks(EIO) ? -1 : 0;
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t size);
static size_t read_at; /* of the only file that is being read */
ssize_t __wrap_read(int descriptor, void *bytes, size_t size)
{
    const struct platter_file *file = file_of(descriptor);
    if (breaks(EIO)) {
        return -1;
    }
    const size_t left = file->seen.size - read_at;
    const size_t got = left < size ? left : size;
    memcpy(bytes, file->seen.bytes + read_at, got);
    read_at += got;
    return (ssize_t)got;
}

/* When the disk is full a part may be written. */
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    struct platter_file *file = file_of(descriptor);
    if (dies() || !file) {
        return (ssize_t)size;
    }
    const int is_refused = platter.is_full && (size_t)at + size > file->seen.size;
    const int is_broken = breaks(EIO);
    if (is_refused || is_broken) {
        const size_t part = is_refused ? mh_rng_below(&platter.chance, (uint32_t)size) : 0;
        if (part > 0) {
            note_write(file, (size_t)at, bytes, part);
        }
        errno = is_refused ? ENOSPC : EIO;
        return -1;
    }
    note_write(file, (size_t)at, bytes, size);
    return (ssize_t)size;
}

int __wrap_truncate(const char *path, off_t size);
int __wrap_truncate(const char *path, off_t size)
{
    if (dies()) {
        return 0;
    }
    if (breaks(EIO)) {
        return -1;
    }
    note_write(&platter.files[platter.seen.names[names_find(&platter.seen, path)].file], (size_t)size, NULL, 0);
    return 0;
}

/* After a sync that fails the system believes that nothing is left to write: what it shows may never reach the
 * platter. */
static int sync_fails(struct platter_file *file)
{
    if (!platter.is_sick && !breaks(EIO)) {
        return 0;
    }
    platter.sync_failures++;
    for (int i = 0; file && i < file->num_writes; i++) {
        if (chance(2)) {
            image_apply(&file->kept, &file->writes[i], 1);
        }
    }
    if (file) {
        forget_writes(file);
    }
    errno = EIO;
    return 1;
}

int __wrap_fdatasync(int descriptor);
int __wrap_fdatasync(int descriptor)
{
    struct platter_file *file = file_of(descriptor);
    platter.lag_ms += platter.sync_ms;
    if (dies() || !file) {
        return 0;
    }
    if (sync_fails(file)) {
        return -1;
    }
    file_keep(file);
    return 0;
}

static void keep_names(int folder)
{
    int left = 0;
    for (int i = 0; i < platter.num_changes; i++) {
        const struct platter_change *change = &platter.changes[i];
        if (folder < 0 || is_of_records(change->path[0] ? change->path : change->to) == folder) {
            names_apply(&platter.kept, change);
        } else {
            platter.changes[left++] = *change;
        }
    }
    platter.num_changes = left;
}

int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor)
{
    const int folder = *handle_of(descriptor) - FOLDER;
    platter.lag_ms += platter.sync_ms;
    if (dies()) {
        return 0;
    }
    if (sync_fails(NULL)) {
        return -1;
    }
    keep_names(folder);
    return 0;
}

int __wrap_syncfs(int descriptor);
int __wrap_syncfs(int descriptor)
{
    (void)descriptor;
    platter.lag_ms += platter.sync_ms;
    if (dies()) {
        return 0;
    }
    const int fails = sync_fails(NULL);
    for (int i = 0; i < platter.num_files; i++) {
        if (fails && chance(2)) {
            forget_writes(&platter.files[i]);
        } else {
            file_keep(&platter.files[i]);
        }
    }
    if (!fails) {
        keep_names(-1);
    }
    return fails ? -1 : 0;
}

int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    if (dies()) {
        return 0;
    }
    if (breaks(EIO)) {
        return -1;
    }
    platter_rename(from, to, platter.seen.names[names_find(&platter.seen, from)].file);
    return 0;
}

int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
    if (dies()) {
        return 0;
    }
    if (names_find(&platter.seen, path) < 0) {
        errno = ENOENT;
        return -1;
    }
    if (breaks(EIO)) {
        return -1;
    }
    platter_rename(path, "", -1);
    return 0;
}

int __wrap_fstat(int descriptor, struct stat *status);
int __wrap_fstat(int descriptor, struct stat *status)
{
    const struct platter_file *file = file_of(descriptor);
    *status = (struct stat){.st_mode = S_IFREG};
    status->st_size = file ? (off_t)file->seen.size : 0;
    read_at = 0;
    return 0;
}

int __wrap_lstat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status)
{
    *status = (struct stat){.st_mode = S_IFREG};
    errno = ENOENT;
    return names_find(&platter.seen, path) >= 0 ? 0 : -1;
}

/* One folder is listed at a time. */
static struct {
    struct dirent entry;
    size_t length;
    char folder[PLATTER_PATH];
    int at;
} listing;

DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    if (breaks(EMFILE)) {
        return NULL;
    }
    listing.at = 0;
    strcpy(listing.folder, path);
    listing.length = strlen(path);
    return (DIR *)&listing;
}

struct dirent *__wrap_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder)
{
    (void)folder;
    while (listing.at < platter.seen.count) {
        const char *path = platter.seen.names[listing.at++].path;
        if (strncmp(path, listing.folder, listing.length) == 0 && path[listing.length] == '/') {
            strcpy(listing.entry.d_name, path + listing.length + 1);
            return &listing.entry;
        }
    }
    return NULL;
}

int __wrap_closedir(DIR *folder);
int __wrap_closedir(DIR *folder)
{
    (void)folder;
    return 0;
}

/* Alike on all machines. */
int __wrap_getrlimit(int resource, struct rlimit *limit);
int __wrap_getrlimit(int resource, struct rlimit *limit)
{
    (void)resource;
    *limit = (struct rlimit){1024, 1024};
    return 0;
}

int __wrap_entropy_fill(void *bytes, size_t size);
int __wrap_entropy_fill(void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)bytes)[i] = (unsigned char)(mh_rng_next(&platter.bits) >> 56);
    }
    return 0;
}

time_t __wrap_time(time_t *when);
time_t __wrap_time(time_t *when)
{
    const time_t now = (time_t)(1700000000 + platter.now_ms / 1000);
    if (when) {
        *when = now;
    }
    return now;
}

int64_t __wrap_mh_pool_now(void);
int64_t __wrap_mh_pool_now(void)
{
    platter.ns += platter.step_ns;
    return (platter.now_ms + platter.lag_ms) * 1000000 + platter.ns;
}

clock_t __real_clock(void);
clock_t __wrap_clock(void);
clock_t __wrap_clock(void)
{
    return (clock_t)(__wrap_mh_pool_now() / (1000000000 / CLOCKS_PER_SEC));
}

/* NOLINTEND(bugprone-reserved-identifier) */

#endif
