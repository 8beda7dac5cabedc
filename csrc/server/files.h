/* Small files that stay whole when the process is killed. All functions return 0, or -1 when the system refuses. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>

enum { FILES_PATH = 1024 /* bytes of the longest path, closing zero included */ };

/* Writes FOLDER/NAME. */
int files_path(const char *folder, const char *name, char path[FILES_PATH]);

/* Creates an empty file that only the owner can read. Returns 1 when the name exists already. */
int files_create(const char *path);

/* Appends in one write. Creates the file if it is missing. */
int files_append(const char *path, const void *bytes, size_t size);

/* Replaces a file in one step. */
int files_replace(const char *path, const void *bytes, size_t size);

/* Reads a whole file into memory that the caller frees. */
int files_read(const char *path, unsigned char **bytes, size_t *size);

/* Calls `follow` for every file in a folder of states whose name ends with `ending` and is longer. Stops at the
 * first enum mh_status other than MH_OK and returns it. MH_ERROR_ARGUMENT with a message when the folder cannot be
 * read. */
int files_each(const char *folder, const char *ending,
               int (*follow)(void *context, const char *path, char *message), void *context, char *message);

#endif
