/* SHA-256, as FIPS 180-4 has it. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

enum {
    SHA256_SIZE = 32,
    SHA256_TEXT = 2 * SHA256_SIZE + 1 /* bytes as hexadecimal digits, closing zero included */
};

void sha256(const void *bytes, size_t size, unsigned char hash[SHA256_SIZE]);

/* Writes 32 bytes as 64 lowercase digits. */
void sha256_text(const unsigned char bytes[SHA256_SIZE], char text[SHA256_TEXT]);

#endif
