/* The secret of a table whose seeds nobody gave: 256 random bits, from which the seeds of all its deals follow.
 *
 * The core's generator is fast and no cipher: all deals of an episode follow from 64 bits, and a player who has seen
 * enough cards may find these. So each round has a separate seed, computed with SHA-256: knowing some seeds reveals
 * nothing about another. All rounds share one secret instead of fresh bits for each, since a table restored from its
 * journal plays the same deals, a duplicate series repeats them in each rotation, and their hash was promised to the
 * players. */
#ifndef SECRET_H
#define SECRET_H

#include <stdint.h>

#include "sha256.h"

enum {
    SECRET_BITS = SHA256_SIZE, /* bytes that are drawn */
    SECRET_TEXT = SHA256_TEXT,
    SECRET_BOTS = -1 /* instead of a round: for the built-in bots, as everybody sees what they draw */
};

/* True if it is written as secrets are: 64 lowercase hexadecimal digits. */
int secret_is_one(const char *text);

/* The hash that players are told before the first deal: the SHA-256 of the secret's text, also as digits. */
void secret_hash(const char *secret, char hash[SHA256_TEXT]);

/* The seed of a round of a deal, both from 0: the first 16 digits of the SHA-256 of "SECRET DEAL ROUND". */
uint64_t secret_seed(const char *secret, int64_t deal, int32_t round);

#endif
