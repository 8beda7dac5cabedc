#include "secret.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int secret_is_one(const char *text)
{
    return strlen(text) == SECRET_TEXT - 1 && strspn(text, "0123456789abcdef") == SECRET_TEXT - 1;
}

void secret_hash(const char *secret, char hash[SHA256_TEXT])
{
    unsigned char bytes[SHA256_SIZE];
    sha256(secret, strlen(secret), bytes);
    sha256_text(bytes, hash);
}

uint64_t secret_seed(const char *secret, int64_t deal, int32_t round)
{
    char text[SECRET_TEXT + 40];
    unsigned char bytes[SHA256_SIZE];
    uint64_t seed = 0;
    (void)snprintf(text, sizeof text, "%s %" PRId64 " %" PRId32, secret, deal, round);
    sha256(text, strlen(text), bytes);
    for (int i = 0; i < 8; i++) {
        seed = seed << 8 | bytes[i];
    }
    return seed;
}
