/* CURVE keys in files: the server's own, and those of who may connect. */
#ifndef KEYS_H
#define KEYS_H

enum { KEY_SIZE = 41 /* in Z85, closing zero included */ };

/* Makes a pair. */
int keys_make(char *public_key, char *secret_key, char *message);

/* The secret key in what --keygen has written; the file must be its owner's alone. */
int keys_read_secret(const char *path, char *secret_key, char *message);

struct keys {
    char (*sorted)[KEY_SIZE];
    int count;
};

/* Reads public keys: one a line, behind it a blank and any text; lines that are empty or begin with "# " are none. On
 * error `self` stays as it was. */
int keys_read(struct keys *self, const char *path, char *message);

int keys_has(const struct keys *self, const char *key);
void keys_free(struct keys *self);

#endif
