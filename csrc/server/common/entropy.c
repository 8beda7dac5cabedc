#include "entropy.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef __linux__
/* The call that other systems have: all or nothing, at most 256 bytes. */
static ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    size = size < 256 ? size : 256;
    return getentropy(bytes, size) == 0 ? (ssize_t)size : -1;
}
#endif

/* A signal may cut a long answer short, and an interrupted call gives nothing. */
int entropy_fill(void *bytes, size_t size)
{
    unsigned char *rest = bytes;
    while (size > 0) {
        const ssize_t given = getrandom(rest, size, 0);
        if (given < 0 && errno != EINTR) {
            return -1;
        }
        rest += given > 0 ? given : 0;
        size -= given > 0 ? (size_t)given : 0;
    }
    return 0;
}
