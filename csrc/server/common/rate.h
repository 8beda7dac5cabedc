/* The pace at which one key may begin something new: all that it may in a minute at once, and then at that pace.
 *
 * This is the leaky bucket of nginx's limit_req with one number for its rate and its burst. As there, a key whose
 * bucket is empty needs no entry, so keys that ask rarely cost nothing. nginx and HAProxy refuse who finds their
 * table full; here the entry that is empty first makes way, which forgives one key what was nearly forgiven. Keys are
 * those of --allow, so nobody can fill the table with names. Addresses are not counted: without keys the server listens
 * on its own machine only, where a client may choose any address of 127.0.0.0/8. */
#ifndef RATE_H
#define RATE_H

#include "limit.h"

enum { RATE_KEY = 41 /* bytes of a CURVE key in Z85, closing zero included */, RATE_ENTRIES = 256 };

struct rate {
    enum limit_place place;
    int per_minute; /* 0: as often as it likes */
    struct {
        char key[RATE_KEY];
        int64_t empty_us; /* when the bucket is empty */
    } entries[RATE_ENTRIES];
};

struct rate rate_of(enum limit_place place, int per_minute);

/* Refuses a key that has begun too many, and says when it may begin the next one. */
int rate_check(const struct rate *self, const char *key, int64_t now_ms, struct wire_error *error);

/* The key has begun one. */
void rate_count(struct rate *self, const char *key, int64_t now_ms);

#endif
