/* Key files: the server's own and the list of clients, in the order that byte 0 says. The rest is the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "mh.h"
#include "net/keys.h"

static char path[64];

static void remove_file(void)
{
    (void)unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
    if (!*path) {
        const char *parent = getenv("TMPDIR");
        snprintf(path, sizeof path, "%.40s/mhing-fuzz-XXXXXX", parent ? parent : "/tmp");
        const int made = mkstemp(path);
        require(made >= 0 && close(made) == 0);
        atexit(remove_file);
    }
    FILE *file = fopen(path, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void require_words(int status, const char *message)
{
    require(status == 0 || (*message && !strchr(message, '\n') && strlen(message) < MH_MESSAGE_SIZE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keys keys = {0};
    char key[KEY_SIZE] = "";
    char message[MH_MESSAGE_SIZE] = "";
    if (size < 1) {
        return 0;
    }
    write_file(data + 1, size - 1);
    if (data[0] & 1) {
        require_words(keys_read_secret(path, key, message), message);
        require(strlen(key) < KEY_SIZE);
    } else {
        require_words(keys_read(&keys, path, message), message);
        for (int i = 0; i < keys.count; i++) {
            require(strlen(keys.sorted[i]) == KEY_SIZE - 1 && keys_has(&keys, keys.sorted[i]));
        }
        keys_free(&keys);
    }
    return 0;
}
