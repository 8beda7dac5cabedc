#ifndef MAKE_TABLES_H
#define MAKE_TABLES_H

/* The parts of the program that writes mhing_tables.h at build time, each with its tables. */

#include <stdint.h>
#include <stdio.h>

#include "../kinds.h"

enum { HONOUR_TYPES = 7, MAX_CLASSES = 256 };

/* ---- Output: make_tables.c ------------------------------------------------------------------------------- */

extern FILE *out;

/* Ends the program with an error. */
void fail(const char *what);

/* An array of up to three dimensions: `row` is the length of the last one and `plane` that of the last two together
 * (equal to `count` where there are fewer dimensions). */
void write_array(const char *type, const char *name, const char *shape, const int *values, int count, int row,
                 int plane);

/* ---- Vectors and their classes: groups.c ----------------------------------------------------------------- */

/* The fewest cards missing from so many melds and pairs. */
struct vector {
    uint8_t missing[MELDS + 1][2];
};

struct classes {
    int count;
    struct vector vector[MAX_CLASSES];
};

/* The number of a vector among the classes, of which it may be a new one. */
int class_of(struct classes *classes, const struct vector *vector);

/* ---- The tables ------------------------------------------------------------------------------------------ */

/* Counts those of the bits 0-2 that are set. */
static inline int bits(int set)
{
    return (set & 1) + (set >> 1 & 1) + (set >> 2 & 1);
}

void write_suits(struct classes *classes);
void write_honours(struct classes *classes);
void write_pairs(const struct classes *classes);
void write_spread(void);
void write_spread_sets(void);
void write_flags(void);
void write_kinds(void);
void write_runs(void);
void write_meld_pairs(void);
void write_laid(void);
void write_claimed(void);

#endif
