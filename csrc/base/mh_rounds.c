#include "mh_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "mh.h"
#include "mh_threads.h"

struct mh_rounds {
    struct mh_lock lock;
    int info;
    int count, capacity;
    int32_t *rows;
    uint8_t *finals;
    int64_t *numbers;
};

struct mh_rounds *mh_rounds_new(int info)
{
    struct mh_rounds *self = calloc(1, sizeof *self);
    if (self) {
        self->info = info;
        mh_lock_open(&self->lock);
    }
    return self;
}

void mh_rounds_free(struct mh_rounds **rounds)
{
    struct mh_rounds *self = *rounds;
    if (self) {
        mh_lock_close(&self->lock);
        free(self->rows);
        free(self->finals);
        free(self->numbers);
        free(self);
        *rounds = NULL;
    }
}

static int grow_one(void **array, size_t capacity, size_t size)
{
    void *larger = realloc(*array, capacity * size);
    *array = larger ? larger : *array;
    return larger != NULL;
}

static int grow_rounds(struct mh_rounds *self)
{
    enum { FIRST = 8 };
    const int capacity = self->capacity ? 2 * self->capacity : FIRST;
    const size_t places = (size_t)capacity;
    void *rows = self->rows;
    void *finals = self->finals;
    void *numbers = self->numbers;
    const int done = grow_one(&rows, places, sizeof *self->rows) && grow_one(&finals, places, 1) &&
                     grow_one(&numbers, places, (size_t)self->info * sizeof *self->numbers);
    self->rows = rows;
    self->finals = finals;
    self->numbers = numbers;
    self->capacity = done ? capacity : self->capacity;
    return done;
}

static int64_t *numbers_at(const struct mh_rounds *self, int place)
{
    return self->numbers + (size_t)place * (size_t)self->info;
}

static void put_row(struct mh_rounds *self, int place, int row, int is_final, const int64_t *numbers)
{
    self->rows[place] = row;
    self->finals[place] = (uint8_t)is_final;
    memmove(numbers_at(self, place), numbers, (size_t)self->info * sizeof *numbers);
}

int mh_rounds_add(struct mh_rounds *self, int row, int is_final, const int64_t *numbers)
{
    mh_lock_take(&self->lock);
    const int has_room = self->count < self->capacity || grow_rounds(self);
    if (has_room) {
        put_row(self, self->count++, row, is_final, numbers);
    }
    mh_lock_leave(&self->lock);
    return has_room;
}

void mh_rounds_finish(struct mh_rounds *self, int row)
{
    mh_lock_take(&self->lock);
    for (int i = 0; i < self->count; i++) {
        self->finals[i] |= self->rows[i] == row;
    }
    mh_lock_leave(&self->lock);
}

void mh_rounds_drop(struct mh_rounds *self, int row, int all)
{
    int kept = 0;
    mh_lock_take(&self->lock);
    for (int i = 0; i < self->count; i++) {
        if (self->rows[i] != row || (self->finals[i] && !all)) {
            put_row(self, kept++, self->rows[i], self->finals[i], numbers_at(self, i));
        }
    }
    self->count = kept;
    mh_lock_leave(&self->lock);
}

void mh_rounds_clear(struct mh_rounds *self)
{
    self->count = 0;
}

/* The place of the first round after `place` in the order of rows, or -1; at the start `place` is -1. */
static int next_place(const struct mh_rounds *self, int place)
{
    int next = -1;
    for (int i = 0; i < self->count; i++) {
        const int is_later =
            place < 0 || self->rows[i] > self->rows[place] || (self->rows[i] == self->rows[place] && i > place);
        if (is_later && (next < 0 || self->rows[i] < self->rows[next])) {
            next = i;
        }
    }
    return next;
}

int mh_rounds_list(const struct mh_rounds *self, int capacity, int32_t *rows, uint8_t *finals, int64_t *numbers)
{
    if (capacity < 0 || (capacity && (!rows || !finals || !numbers))) {
        return MH_ERROR_ARGUMENT;
    }
    if (capacity < self->count) {
        return self->count;
    }
    int written = 0;
    for (int place = next_place(self, -1); place >= 0; place = next_place(self, place)) {
        rows[written] = self->rows[place];
        finals[written] = self->finals[place];
        memcpy(numbers + (size_t)written * (size_t)self->info, numbers_at(self, place),
               (size_t)self->info * sizeof *numbers);
        written++;
    }
    return written;
}
