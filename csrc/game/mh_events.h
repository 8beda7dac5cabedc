/* The log of public events that a state keeps: who did what, in columns of bytes as observations hold them. */
#ifndef MH_EVENTS_H
#define MH_EVENTS_H

#include <stdint.h>
#include <string.h>

#include "mh.h"

enum {
    MH_EVENT_LOG = 2 * MH_EVENT_TAIL /* the tail of observations slides through a log of this length */
};

/* A log begins with MH_EVENT_TAIL empty entries. From the 33rd event on it has none, and holds 33 to 64 events: so how
 * many it holds says where they are. With `used` just before a cache line each column is one. */
struct mh_events {
    uint8_t used;               /* entries, MH_EVENT_TAIL at least */
    uint8_t seat[MH_EVENT_LOG]; /* plus one; 0: no event */
    uint8_t kind[MH_EVENT_LOG]; /* by its number in the table */
    uint8_t detail[MH_EVENT_LOG];
    uint8_t extra[MH_EVENT_LOG]; /* what both are is the game's to say */
};

static inline void mh_events_begin(struct mh_events *self)
{
    self->used = MH_EVENT_TAIL;
}

static inline void mh_events_add(struct mh_events *self, int seat, int kind, int detail, int extra)
{
    if (self->used == MH_EVENT_LOG) { /* slide the newest ones to the front, one place left for this one */
        uint8_t *const columns[] = {self->seat, self->kind, self->detail, self->extra};
        for (int i = 0; i < 4; i++) {
            memcpy(columns[i], columns[i] + MH_EVENT_LOG - MH_EVENT_TAIL, MH_EVENT_TAIL);
            memset(columns[i] + MH_EVENT_TAIL, 0, MH_EVENT_LOG - MH_EVENT_TAIL);
        }
        self->used = MH_EVENT_TAIL;
    }
    const int i = self->used++;
    self->seat[i] = (uint8_t)(seat + 1);
    self->kind[i] = (uint8_t)kind;
    self->detail[i] = (uint8_t)detail;
    self->extra[i] = (uint8_t)extra;
}

/* A row of seats plus one as the observer counts them; 0 stays 0. Signed bytes only, so that the compiler does sixteen
 * at once. */
static inline void mh_turn_seats(const uint8_t *restrict from, int count, int observer, int seats,
                                 uint8_t *restrict to)
{
    const int8_t me = (int8_t)observer;
    const int8_t all = (int8_t)seats;
    for (int i = 0; i < count; i++) {
        const int8_t seat = (int8_t)from[i];
        const int8_t turned = (int8_t)(seat - me + (seat > me ? 0 : all));
        to[i] = (uint8_t)(seat ? turned : 0);
    }
}

/* Writes the tail as a seat sees it: MH_EVENT_TAIL entries a column, the newest last. */
static inline void mh_events_show(const struct mh_events *self, int observer, int seats, uint8_t *restrict seat,
                                  uint8_t *restrict kind, uint8_t *restrict detail, uint8_t *restrict extra)
{
    const int first = self->used - MH_EVENT_TAIL;
    mh_turn_seats(self->seat + first, MH_EVENT_TAIL, observer, seats, seat);
    memcpy(kind, self->kind + first, MH_EVENT_TAIL);
    memcpy(detail, self->detail + first, MH_EVENT_TAIL);
    memcpy(extra, self->extra + first, MH_EVENT_TAIL);
}

/* Returns the number of events added to a log since it was `before`, not more than MH_EVENT_TAIL - 1: one sliding step
 * takes as many places back as the tail is long. */
static inline int mh_events_since(const struct mh_events *before, const struct mh_events *self)
{
    return (self->used - before->used + MH_EVENT_LOG) % MH_EVENT_TAIL;
}

/* The entry of the oldest event that the log holds. */
static inline int mh_events_first(const struct mh_events *self)
{
    return self->seat[0] ? 0 : MH_EVENT_TAIL;
}

/* True if a log that comes from outside has its entries where they must be; what is in them is the game's to check. */
static inline int mh_events_fit(const struct mh_events *self, int seats)
{
    const int first = mh_events_first(self);
    if (self->used < MH_EVENT_TAIL + (first == 0) || self->used > MH_EVENT_LOG) {
        return 0;
    }
    for (int i = 0; i < MH_EVENT_LOG; i++) {
        const int event = self->seat[i] != 0;
        if (self->seat[i] > seats || event != (i >= first && i < self->used) ||
            (!event && (self->kind[i] | self->detail[i] | self->extra[i]))) {
            return 0;
        }
    }
    return 1;
}

#endif
