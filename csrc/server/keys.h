/* CURVE keys in files: the server's own, and the public keys of allowed clients. */
#ifndef KEYS_H
#define KEYS_H

enum { KEY_SIZE = 41 /* in Z85, closing zero included */ };

/* Makes a pair. */
int keys_make(char *public_key, char *secret_key, char *message);

/* Reads the secret key from the output of --keygen. Refuses a file that others may read. */
int keys_read_secret(const char *path, char *secret_key, char *message);

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
