#include "keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

#include "base/mh_text.h"

enum { LINE = 512 };

/* One key in 85 begins with '-', which commands would read as an option. Such a pair is thrown away. */
int keys_make(char *public_key, char *secret_key, char *message)
{
    do {
        if (zmq_curve_keypair(public_key, secret_key) != 0) {
            mh_message(message, "this libzmq was built without CURVE");
            return -1;
        }
    } while (public_key[0] == '-' || secret_key[0] == '-');
    return 0;
}

static FILE *open_file(const char *path, char *message)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        mh_message(message, "%s: %s", path, strerror(errno));
    }
    return file;
}

/* A compiler may leave out memset before the end of a function. */
void keys_wipe(void *secret, size_t size)
{
    volatile unsigned char *bytes = secret;
    while (size > 0) {
        bytes[--size] = 0;
    }
}

/* Reads a line's first word as a key. 0: it is no key, and `key` becomes "". */
static int take_key(const char *line, char *key)
{
    unsigned char bytes[32];
    const size_t length = strcspn(line, " \t\r\n");
    key[0] = '\0';
    if (length != KEY_SIZE - 1) {
        return 0;
    }
    memcpy(key, line, length);
    key[length] = '\0';
    const int is_key = zmq_z85_decode(bytes, key) != NULL;
    keys_wipe(bytes, sizeof bytes);
    if (!is_key) {
        key[0] = '\0';
    }
    return is_key;
}

/* Reads the lines "public KEY" and "secret KEY"; keys that are not there are "". Nothing of them stays in a buffer. */
static void take_pair(FILE *file, char *public_key, char *secret_key)
{
    static const char names[2][8] = {"public ", "secret "};
    char *const keys[2] = {public_key, secret_key};
    char line[LINE];
    (void)setvbuf(file, NULL, _IONBF, 0);
    public_key[0] = secret_key[0] = '\0';
    while (fgets(line, sizeof line, file)) {
        for (int i = 0; i < 2; i++) {
            if (strncmp(line, names[i], strlen(names[i])) == 0 && !keys[i][0]) {
                (void)take_key(line + strlen(names[i]), keys[i]);
            }
        }
    }
    keys_wipe(line, sizeof line);
}

int keys_read_secret(const char *path, char *secret_key, char *message)
{
    struct stat status;
    char public_key[KEY_SIZE];
    char right[KEY_SIZE];
    FILE *file = open_file(path, message);
    if (!file) {
        return -1;
    }
    if (fstat(fileno(file), &status) == 0 && status.st_mode & (S_IRWXG | S_IRWXO)) {
        mh_message(message, "%s: others may read it; chmod 600 keeps it secret", path);
        fclose(file);
        return -1;
    }
    take_pair(file, public_key, secret_key);
    fclose(file);
    if (!secret_key[0]) {
        mh_message(message, "%s: no line \"secret KEY\", as mhing-server --keygen writes it", path);
        return -1;
    }
    if (zmq_curve_public(right, secret_key) != 0 || (public_key[0] && strcmp(public_key, right) != 0)) {
        mh_message(message, "%s: its public key does not belong to its secret key", path);
        return -1;
    }
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == '\0' || strncmp(line, "# ", 2) == 0;
}

static int add_key(struct keys *self, const char *key)
{
    char (*larger)[KEY_SIZE] = realloc(self->sorted, ((size_t)self->count + 1) * sizeof *larger);
    if (!larger) {
        return -1;
    }
    self->sorted = larger;
    memcpy(self->sorted[self->count++], key, KEY_SIZE);
    return 0;
}

int keys_read(struct keys *self, const char *path, char *message)
{
    struct keys read = {NULL, 0};
    char line[LINE];
    char key[KEY_SIZE];
    FILE *file = open_file(path, message);
    int failed = !file;
    for (int number = 1; !failed && fgets(line, sizeof line, file); number++) {
        if (is_blank(line)) {
            continue;
        }
        failed = !take_key(line, key);
        if (failed) {
            mh_message(message, "%s: line %d does not begin with a public key of 40 characters", path, number);
        } else if (add_key(&read, key) != 0) {
            failed = 1;
            mh_message(message, "%s: no memory for its keys", path);
        }
    }
    if (file) {
        fclose(file);
    }
    if (failed) {
        keys_free(&read);
        return -1;
    }
    if (read.count) {
        qsort(read.sorted, (size_t)read.count, sizeof *read.sorted, compare_keys);
    }
    keys_free(self);
    *self = read;
    return 0;
}

int keys_has(const struct keys *self, const char *key)
{
    return self->count &&
           bsearch(key, self->sorted, (size_t)self->count, sizeof *self->sorted, compare_keys) != NULL;
}

void keys_free(struct keys *self)
{
    free(self->sorted);
    *self = (struct keys){NULL, 0};
}
