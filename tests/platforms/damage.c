#include "damage.h"

#include <string.h>

#include "check.h"

enum { LONGEST = 16, MEMBERS = 64 };

/* A place in the part of a snapshot that is the state. */
static int place(const struct mh_sizes *sizes, struct mh_rng *rng)
{
    return MH_SNAPSHOT_HEADER + (int)mh_rng_below(rng, (uint32_t)sizes->state);
}

void damage_snapshot(uint8_t *damaged, const uint8_t *earlier, const struct mh_sizes *sizes, struct mh_rng *rng)
{
    uint8_t *one = damaged + place(sizes, rng);
    uint8_t *two = damaged + place(sizes, rng);
    const uint8_t was = *one;
    switch (mh_rng_below(rng, 5)) {
    case 0:
        *one = (uint8_t)(was + 1 - 2 * (int)mh_rng_below(rng, 2));
        break;
    case 1:
        *one = (uint8_t)mh_rng_below(rng, 256);
        break;
    case 2:
        *one = (uint8_t)(was + 1);
        *two = (uint8_t)(*two - 1);
        break;
    case 3:
        *one = *two;
        *two = was;
        break;
    default: {
        const int most = sizes->snapshot - (int)(one - damaged);
        const int length = 1 + (int)mh_rng_below(rng, LONGEST);
        memcpy(one, earlier + (one - damaged), (size_t)(length < most ? length : most));
    }
    }
}

void damage_member(char *json, struct mh_rng *rng)
{
    char *begins[MEMBERS + 1];
    int members = 0;
    int depth = 0;
    for (int i = 0; i <= MEMBERS; i++) {
        begins[i] = json;
    }
    for (char *at = json; *at; at++) {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if ((depth == 1 && (*at == '{' || *at == ',')) || (depth == 0 && *at == '}')) {
            CHECK(members <= MEMBERS);
            begins[members++] = at;
        }
    }
    const int which = (int)mh_rng_below(rng, (uint32_t)members - 1);
    char *const from =
        begins[which] + (which == 0); /* with the comma before it, the first one with that behind it */
    char *const to = begins[which + 1] + (which == 0 && members > 2);
    memmove(from, to, strlen(to) + 1);
}

void damage_digit(char *json, struct mh_rng *rng)
{
    char *const from = json + mh_rng_below(rng, (uint32_t)strlen(json));
    char *const digit = from + strcspn(from, "0123456789");
    if (*digit) {
        *digit = (char)('0' + (int)mh_rng_below(rng, 10));
    }
}
