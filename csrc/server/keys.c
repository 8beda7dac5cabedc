#include "keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

#include "mh_text.h"

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

/* Reads a line's first word as a key. 0: it is no key. */
static int take_key(const char *line, char *key)
{
    unsigned char bytes[32];
    const size_t length = strcspn(line, " \t\r\n");
    if (length != KEY_SIZE - 1) {
        return 0;
    }
    memcpy(key, line, length);
    key[length] = '\0';
    return zmq_z85_decode(bytes, key) != NULL;
}

int keys_read_secret(const char *path, char *secret_key, char *message)
{
    static const char name[] = "secret ";
    struct stat status;
    char line[LINE];
    FILE *file = open_file(path, message);
    int found = 0;
    if (!file) {
        return -1;
    }
    if (fstat(fileno(file), &status) == 0 && status.st_mode & (S_IRWXG | S_IRWXO)) {
        mh_message(message, "%s: others may read it; chmod 600 keeps it secret", path);
        fclose(file);
        return -1;
    }
    while (!found && fgets(line, sizeof line, file)) {
        found = strncmp(line, name, sizeof name - 1) == 0 && take_key(line + sizeof name - 1, secret_key);
    }
    fclose(file);
    if (!found) {
        mh_message(message, "%s: no line \"secret KEY\", as mhing-server --keygen writes it", path);
        return -1;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == '\0' || strncmp(line, "# ", 2) == 0;
}

static int add(struct keys *self, const char *key)
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
        } else if (add(&read, key) != 0) {
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
        qsort(read.sorted, (size_t)read.count, sizeof *read.sorted, compare);
    }
    keys_free(self);
    *self = read;
    return 0;
}

int keys_has(const struct keys *self, const char *key)
{
    return self->count && bsearch(key, self->sorted, (size_t)self->count, sizeof *self->sorted, compare) != NULL;
}

void keys_free(struct keys *self)
{
    free(self->sorted);
    *self = (struct keys){NULL, 0};
}
