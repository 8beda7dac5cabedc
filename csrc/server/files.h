/* Small files that must be whole after the process is killed. All functions return 0, or -1 when the system refuses. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>

enum { FILES_PATH = 1024 /* bytes of the longest path, closing zero included */ };

/* Writes FOLDER/NAME. */
int files_path(const char *folder, const char *name, char path[FILES_PATH]);

/* Makes an empty file that only the owner can read. Returns 1 when there is one of that name already. */
int files_create(const char *path);

/* One write at the end of a file, which is made where it is missing. */
int files_append(const char *path, const void *bytes, size_t size);

/* Puts a new file in the place of an old one at once. */
int files_replace(const char *path, const void *bytes, size_t size);

/* Reads a whole file into memory that the caller frees. */
int files_read(const char *path, unsigned char **bytes, size_t *size);

/* Calls `follow` with every file of a folder of states whose name has more before that ending, until it returns another
 * enum mh_status than MH_OK, which is then returned. MH_ERROR_ARGUMENT with a message when the folder cannot be read. */
int files_each(const char *folder, const char *ending,
               int (*follow)(void *context, const char *path, char *message), void *context, char *message);

#endif
