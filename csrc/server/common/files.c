#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mh_text.h"
#include "mh.h"

enum { OWNER_ONLY = 0600 };

int files_path(const char *folder, const char *name, char path[FILES_PATH])
{
    const int length = snprintf(path, FILES_PATH, "%s/%s", folder, name);
    return length >= 0 && length < FILES_PATH ? 0 : -1;
}

int files_create(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OWNER_ONLY);
    if (file < 0) {
        return errno == EEXIST ? 1 : -1;
    }
    return close(file);
}

/* Opens a regular file, and nothing else: a pipe, say, would make the server wait for its other end. Returns -1 with
 * errno set on failure. */
static int open_regular(const char *path, int flags, struct stat *status)
{
    const int file = open(path, flags | O_NONBLOCK | O_CLOEXEC, OWNER_ONLY);
    const int failed = file >= 0 && fstat(file, status) != 0;
    if (file < 0 || (!failed && S_ISREG(status->st_mode))) {
        return file;
    }
    const int error = failed ? errno : S_ISDIR(status->st_mode) ? EISDIR : ENOTSUP;
    (void)close(file);
    errno = error;
    return -1;
}

int files_open(const char *path, int anew)
{
    struct stat status;
    return open_regular(path, O_WRONLY | (anew ? O_CREAT | O_TRUNC : 0), &status);
}

int files_put(int file, size_t at, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    while (size > 0) {
        const ssize_t written = pwrite(file, next, size, (off_t)at);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        if (written > 0) {
            next += written;
            at += (size_t)written;
            size -= (size_t)written;
        }
    }
    return 0;
}

int files_sync(int file)
{
#ifdef F_FULLFSYNC
    return fcntl(file, F_FULLFSYNC); /* fsync leaves the data in the disk's own memory there */
#else
    return fdatasync(file);
#endif
}

int files_make(const char *path, const void *bytes, size_t size)
{
    const int file = files_open(path, 1);
    if (file < 0) {
        return -1;
    }
    const int failed = files_put(file, 0, bytes, size);
    return close(file) != 0 || failed ? -1 : 0;
}

int files_cut(const char *path, size_t size)
{
    return truncate(path, (off_t)size);
}

int files_aside(const char *path, char aside[FILES_PATH])
{
    struct stat status;
    int length = snprintf(aside, FILES_PATH, "%s" FILES_DAMAGED, path);
    for (int i = 2; length < FILES_PATH && lstat(aside, &status) == 0; i++) {
        length = snprintf(aside, FILES_PATH, "%s" FILES_DAMAGED "-%d", path, i);
    }
    return length < FILES_PATH ? 0 : -1;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* Reads so many bytes, or up to the file's end. Returns how many, or -1. */
static ssize_t read_all(int file, unsigned char *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const ssize_t got = read(file, bytes + used, size - used);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        used += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)used;
}

int files_read(const char *path, unsigned char **bytes, size_t *size)
{
    struct stat status;
    const int file = open_regular(path, O_RDONLY, &status);
    if (file < 0) {
        const int is_full = errno == ENOMEM || errno == EMFILE || errno == ENFILE;
        return is_full ? MH_ERROR_MEMORY : MH_ERROR_ARGUMENT;
    }
    unsigned char *made = malloc((size_t)status.st_size + 1);
    const ssize_t used = made ? read_all(file, made, (size_t)status.st_size) : 0;
    (void)close(file);
    if (!made || used < 0) {
        free(made);
        return used < 0 ? MH_ERROR_ARGUMENT : MH_ERROR_MEMORY;
    }
    *bytes = made;
    *size = (size_t)used;
    return MH_OK;
}

/* ---- Folders ------------------------------------------------------------------------------------------------ */

static int has_ending(const char *name, const char *ending)
{
    const size_t length = strlen(name);
    const size_t size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

void files_say(const struct files_log *log, const char *format, ...)
{
    char text[2 * FILES_PATH + MH_MESSAGE_SIZE];
    va_list values;
    if (log->say) {
        va_start(values, format);
        (void)vsnprintf(text, sizeof text, format, values);
        va_end(values);
        log->say(log->context, text);
    }
}

/* Names of files, each with its closing zero, one after the other. */
struct names {
    char *text;
    size_t size, space;
    int count;
};

static int add_name(struct names *self, const char *name)
{
    const size_t size = strlen(name) + 1;
    if (self->space - self->size < size) {
        const size_t space = 2 * (self->space + size) + 4096;
        char *larger = realloc(self->text, space);
        if (!larger) {
            return -1;
        }
        self->text = larger;
        self->space = space;
    }
    memcpy(self->text + self->size, name, size);
    self->size += size;
    self->count++;
    return 0;
}

/* All names with that ending. */
static int list_names(const char *folder, const char *ending, struct names *names, char *message)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    int failed = 0;
    if (!entries) {
        mh_message(message, "state: %.150s: %s", folder, strerror(errno));
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? MH_ERROR_ARGUMENT : MH_ERROR_MEMORY;
    }
    errno = 0;
    while (!failed && (entry = readdir(entries)) != NULL) {
        failed = has_ending(entry->d_name, ending) && add_name(names, entry->d_name) != 0;
    }
    if (failed || errno) {
        mh_message(message, "state: %.150s: %s", folder, errno ? strerror(errno) : "no memory for its names");
    }
    failed |= errno != 0;
    (void)closedir(entries);
    return failed ? MH_ERROR_MEMORY : MH_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in order, as a list that points into them. NULL: no memory. */
static const char **sort_names(const struct names *names)
{
    const char **list = (const char **)malloc(((size_t)names->count + 1) * sizeof *list);
    const char *name = names->text;
    for (int i = 0; list && i < names->count; i++, name += strlen(name) + 1) {
        list[i] = name;
    }
    if (list && names->count > 0) {
        qsort((void *)list, (size_t)names->count, sizeof *list, compare_names);
    }
    return list;
}

int files_remove_left(const char *folder, const char *ending, char *message)
{
    char left[64];
    char path[FILES_PATH];
    struct names names = {.text = NULL};
    (void)snprintf(left, sizeof left, "%s" FILES_LEFT, ending);
    const int status = list_names(folder, left, &names, message);
    const char *name = names.text;
    for (int i = 0; i < names.count; i++, name += strlen(name) + 1) {
        if (files_path(folder, name, path) == 0) {
            (void)unlink(path); /* if it stays, the next one of that name overwrites it */
        }
    }
    free(names.text);
    return status;
}

int files_set_aside(const struct files_log *log, const char *path, const char *found, char *message)
{
    char aside[FILES_PATH];
    if (files_aside(path, aside) != 0 || rename(path, aside) != 0) {
        mh_message(message, "state: %.80s: %.80s; and it cannot be renamed: %s", path, found, strerror(errno));
        return MH_ERROR_ARGUMENT;
    }
    files_say(log, "state: %s: %s; it is left out and kept as %s", path, found, aside);
    return MH_OK;
}

/* Visits one file, or sets it aside if it is damaged. */
static int visit_file(const struct files_visitor *visitor, const char *path, char *message)
{
    char found[MH_MESSAGE_SIZE] = "";
    const int status = visitor->visit(visitor->context, path, found);
    if (status == MH_OK) {
        return MH_OK;
    }
    if (status == MH_ERROR_MEMORY) {
        mh_message(message, "state: %.100s: %.140s", path, found);
        return status;
    }
    return files_set_aside(visitor->log, path, found, message);
}

static int visit_names(const char *folder, const struct files_visitor *visitor, const char **names, int count,
                       char *message)
{
    const struct files_log *log = visitor->log;
    int status = MH_OK;
    for (int i = 0; i < count && status == MH_OK; i++) {
        char path[FILES_PATH];
        if (files_path(folder, names[i], path) != 0) {
            mh_message(message, "state: the path of %.150s is too long", names[i]);
            status = MH_ERROR_ARGUMENT;
        } else {
            status = visit_file(visitor, path, message);
        }
        if (log->progress) {
            log->progress(log->context, i + 1, count);
        }
    }
    return status;
}

int files_visit(const char *folder, const struct files_visitor *visitor, char *message)
{
    struct names names = {.text = NULL};
    int status = files_remove_left(folder, visitor->ending, message);
    status = status == MH_OK ? list_names(folder, visitor->ending, &names, message) : status;
    if (status == MH_OK) {
        const char **list = sort_names(&names);
        if (list) {
            status = visit_names(folder, visitor, list, names.count, message);
        } else {
            mh_message(message, "state: no memory for the names of its files");
            status = MH_ERROR_MEMORY;
        }
        free((void *)list);
    }
    free(names.text);
    return status;
}
