#include "meter.h"

#include <string.h>

enum { US = 1000, MS = 1000 * US };

/* The shortest requests take some ten microseconds. A slice is a millisecond long, so what takes more has waited for
 * others, or for its own next slice. */
const int64_t meter_bounds[METER_BOUNDS] = {25 * US,   50 * US, 100 * US, 250 * US, 500 * US, 1 * MS,
                                            2500 * US, 5 * MS,  10 * MS,  50 * MS,  250 * MS, 1000 * MS};

const char *const meter_codes[METER_CODES] = {"message",  "version", "hello",   "session", "sequence", "request",
                                              "argument", "game",    "option",  "action",  "snapshot", "order",
                                              "memory",   "env",     "limit",   "storage", "slow",     "table",
                                              "turn",     "late",    "illegal", "other"};

void meter_answered(struct meter *self, const struct meter_mark *mark, int64_t now_ns)
{
    struct meter_times *times = &self->times[mark->kind];
    const int64_t took = now_ns - mark->begun_ns;
    int bucket = 0;
    while (bucket < METER_BOUNDS && took > meter_bounds[bucket]) {
        bucket++;
    }
    times->counts[bucket]++;
    times->sum_ns += took;
}

void meter_refused(struct meter *self, const struct wire_error *error)
{
    int place = 0;
    while (place < METER_CODES - 1 && strcmp(meter_codes[place], error->code) != 0) {
        place++;
    }
    self->errors[place]++;
    if (error->limit) {
        self->limits[error->limit - limit_kinds]++;
    }
}
