#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mh.h"
#include "mh_text.h"

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

static int write_all(int file, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

static int write_file(const char *path, int flags, const void *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, OWNER_ONLY);
    if (file < 0) {
        return -1;
    }
    const int failed = write_all(file, bytes, size);
    return close(file) != 0 || failed ? -1 : 0;
}

int files_append(const char *path, const void *bytes, size_t size)
{
    return write_file(path, O_APPEND, bytes, size);
}

int files_replace(const char *path, const void *bytes, size_t size)
{
    char aside[FILES_PATH + 4];
    (void)snprintf(aside, sizeof aside, "%s.new", path);
    return write_file(aside, O_TRUNC, bytes, size) == 0 && rename(aside, path) == 0 ? 0 : -1;
}

int files_read(const char *path, unsigned char **bytes, size_t *size)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0) {
            (void)close(file);
        }
        return -1;
    }
    unsigned char *made = malloc((size_t)status.st_size + 1);
    size_t used = 0;
    ssize_t got = 1;
    while (made && got > 0 && used < (size_t)status.st_size) {
        got = read(file, made + used, (size_t)status.st_size - used);
        used += got > 0 ? (size_t)got : 0;
    }
    (void)close(file);
    if (!made || used < (size_t)status.st_size) {
        free(made);
        return -1;
    }
    *bytes = made;
    *size = used;
    return 0;
}

static int has_ending(const char *name, const char *ending)
{
    const size_t length = strlen(name);
    const size_t size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

int files_each(const char *folder, const char *ending,
               int (*follow)(void *context, const char *path, char *message), void *context, char *message)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    int status = MH_OK;
    if (!entries) {
        mh_message(message, "state: %.200s is not a readable folder", folder);
        return MH_ERROR_ARGUMENT;
    }
    while (status == MH_OK && (entry = readdir(entries)) != NULL) {
        char path[FILES_PATH];
        if (!has_ending(entry->d_name, ending)) {
            continue;
        }
        if (files_path(folder, entry->d_name, path) != 0) {
            mh_message(message, "state: the path of %.200s is too long", entry->d_name);
            status = MH_ERROR_ARGUMENT;
        } else {
            status = follow(context, path, message);
        }
    }
    (void)closedir(entries);
    return status;
}
