/* Small files that stay whole when the process is killed. Functions return 0, or -1 when the system refuses, unless
 * they say otherwise. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>

enum { FILES_PATH = 1024 /* bytes of the longest path, closing zero included */ };

/* Endings of names: a file that was not finished when the process was killed; one with damage, which is kept. */
#define FILES_LEFT ".new"
#define FILES_DAMAGED ".damaged"

/* Writes FOLDER/NAME. */
int files_path(const char *folder, const char *name, char path[FILES_PATH]);

/* Creates an empty file that only the owner can read. Returns 1 when the name exists already. */
int files_create(const char *path);

/* Opens a file for writing. `anew`: makes it if it is missing, and empties it; only the owner can read it then. Returns
 * its descriptor, or -1. */
int files_open(const char *path, int anew);

/* Writes to an open file, from byte `at` on. */
int files_put(int file, size_t at, const void *bytes, size_t size);

/* Waits until what was written is on the disk. */
int files_sync(int file);

/* Writes a whole file, and replaces what it had. */
int files_make(const char *path, const void *bytes, size_t size);

/* Cuts off what follows the first `size` bytes. */
int files_cut(const char *path, size_t size);

/* The first free name for a damaged file: NAME.damaged, NAME.damaged-2 and so on. -1: it is too long. */
int files_aside(const char *path, char aside[FILES_PATH]);

/* Reads a whole file into memory that the caller frees. MH_OK; MH_ERROR_MEMORY, also when too many files are open;
 * MH_ERROR_ARGUMENT when the system refuses for another reason. */
int files_read(const char *path, unsigned char **bytes, size_t *size);

/* The messages to the operator. NULL: none. */
struct files_log {
    void *context;
    void (*say)(void *context, const char *text); /* one line */
    void (*progress)(void *context, int done, int all);
};

void files_say(const struct files_log *log, const char *format, ...);

/* Removes the files of a folder that were not finished when the process was killed: NAME.new, where NAME has that
 * ending. MH_OK, or an error with a message when the folder cannot be read. */
int files_remove_left(const char *folder, const char *ending, char *message);

/* Visits all files of a folder whose name ends with `ending`, in the order of their names, and removes those that were
 * not finished when the process was killed. `visit` returns MH_OK; MH_ERROR_MEMORY when there is not enough memory to
 * continue; or another enum mh_status, when the file is damaged: then it is renamed, and the log says why. Returns
 * MH_OK, or with a message MH_ERROR_MEMORY or MH_ERROR_ARGUMENT, when the folder cannot be read or written. */
struct files_visitor {
    const char *ending;
    const struct files_log *log;
    void *context;
    int (*visit)(void *context, const char *path, char *message);
};
int files_visit(const char *folder, const struct files_visitor *visitor, char *message);

/* Renames a damaged file, and tells the log what was found in it. MH_OK, or MH_ERROR_ARGUMENT with a message when the
 * system refuses. */
int files_set_aside(const struct files_log *log, const char *path, const char *found, char *message);

#endif
