/* Counts of a server at work, for its operator: how long requests took, by kind, and errors, by code and by limit.
 * Counting takes no memory, and a request costs two looks at the clock: when it was read, and when its reply left.
 */
#ifndef METER_H
#define METER_H

#include "limit.h"

enum {
    METER_KINDS =
        32, /* of requests, by their place in the table of requests.c; the last one: all that have none there */
    METER_BOUNDS = 12, /* of a histogram's buckets; one more bucket has what took longer */
    METER_CODES = 22   /* of errors; the last one: "other" */
};

/* Upper bounds, in nanoseconds, rising. */
extern const int64_t meter_bounds[METER_BOUNDS];
extern const char *const meter_codes[METER_CODES];

struct meter_times {
    int64_t counts[METER_BOUNDS + 1]; /* each alone, not with those below it */
    int64_t sum_ns;
};

struct meter {
    struct meter_times times[METER_KINDS];
    int64_t errors[METER_CODES];
    int64_t limits[LIMITS]; /* those errors that are limits, by their place */
};

/* A request on its way: its kind, and when it was read, of mh_pool_now. */
struct meter_mark {
    int kind;
    int64_t begun_ns;
};

/* A request has its reply now. */
void meter_answered(struct meter *self, const struct meter_mark *mark, int64_t now_ns);

/* A reply is that error. */
void meter_refused(struct meter *self, const struct wire_error *error);

#endif
