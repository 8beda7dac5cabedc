#include "rate.h"

#include <stdio.h>
#include <string.h>

enum { SECOND_US = 1000000, MINUTE_US = 60 * SECOND_US };

struct rate rate_of(enum limit_place place, int per_minute)
{
    return (struct rate){.place = place, .per_minute = per_minute};
}

/* The entry of a key, or else the one that is empty first. */
static int find(const struct rate *self, const char *key)
{
    int first = 0;
    for (int i = 0; i < RATE_ENTRIES; i++) {
        if (strcmp(self->entries[i].key, key) == 0) {
            return i;
        }
        first = self->entries[i].empty_us < self->entries[first].empty_us ? i : first;
    }
    return first;
}

/* The time until the key's bucket is empty. */
static int64_t filled_us(const struct rate *self, const char *key, int64_t now_ms)
{
    const int i = find(self, key);
    const int64_t left = self->entries[i].empty_us - now_ms * 1000;
    return strcmp(self->entries[i].key, key) == 0 && left > 0 ? left : 0;
}

int rate_check(const struct rate *self, const char *key, int64_t now_ms, struct wire_error *error)
{
    if (self->per_minute == 0) {
        return 0;
    }
    const int64_t over = filled_us(self, key, now_ms) + MINUTE_US / self->per_minute - MINUTE_US;
    const long long seconds = (over + SECOND_US - 1) / SECOND_US;
    const char *name = limit_kinds[self->place].name;
    if (over <= 0) {
        return 0;
    }
    return limit_refuse(error, self->place,
                        "too many new %.*s: one key may have %d a minute, and yours the next in %lld second%s",
                        (int)strcspn(name, "-"), name, self->per_minute, seconds, seconds == 1 ? "" : "s");
}

void rate_count(struct rate *self, const char *key, int64_t now_ms)
{
    if (self->per_minute > 0) {
        const int64_t filled = filled_us(self, key, now_ms);
        const int i = find(self, key);
        (void)snprintf(self->entries[i].key, RATE_KEY, "%s", key);
        self->entries[i].empty_us = now_ms * 1000 + filled + MINUTE_US / self->per_minute;
    }
}
