/* The secret of a table whose seeds nobody gave: 256 random bits, from which the seeds of all its deals follow.
 *
 * The core's generator is fast and no cipher: all deals of an episode follow from 64 bits, and whoever has seen enough
 * cards may find them. So each round has a seed of its own, by SHA-256: who knows some seeds learns nothing about
 * another. One secret, and not fresh bits for each round, since a table goes on from its journal with the same deals,
 * repeats them in each rotation of a duplicate series, and has promised them to its players by a hash. */
#ifndef SECRET_H
#define SECRET_H

#include <stdint.h>

#include "sha256.h"

enum {
    SECRET_BITS = SHA256_SIZE, /* bytes that are drawn */
    SECRET_TEXT = SHA256_TEXT,
    SECRET_BOTS = -1 /* in place of a round: for the built-in bots, as everybody sees what they draw */
};

/* Whether it is written as secrets are: 64 lowercase hexadecimal digits. */
int secret_is_one(const char *text);

/* What players are told before the first deal: the SHA-256 of the secret's text, as digits as well. */
void secret_hash(const char *secret, char hash[SHA256_TEXT]);

/* The seed of a round of a deal, both from 0: the first 16 digits of the SHA-256 of "SECRET DEAL ROUND". */
uint64_t secret_seed(const char *secret, int64_t deal, int32_t round);

#endif
