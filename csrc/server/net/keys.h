/* CURVE keys in files: the server's own, and the public keys of allowed clients. */
#ifndef KEYS_H
#define KEYS_H

#include <stddef.h>

enum { KEY_SIZE = 41 /* in Z85, closing zero included */ };

/* Makes a pair. */
int keys_make(char *public_key, char *secret_key, char *message);

/* Reads the secret key from the output of --keygen. Refuses a file that others may read, and one whose public key is
 * another's. */
int keys_read_secret(const char *path, char *secret_key, char *message);

/* Overwrites a secret that is no longer needed. */
void keys_wipe(void *secret, size_t size);

struct keys {
    char (*sorted)[KEY_SIZE];
    int count;
};

/* Reads public keys, one per line, optionally followed by a blank and any text. Skips empty lines and lines that
 * begin with "# ". Leaves `self` unchanged on error. */
int keys_read(struct keys *self, const char *path, char *message);

int keys_has(const struct keys *self, const char *key);
void keys_free(struct keys *self);

#endif
