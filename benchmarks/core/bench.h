/* Parts of the program bench: how it measures, and the speed of Mhing's scoring. */
#ifndef BENCH_H
#define BENCH_H

#include "mh.h"
#include "mhing_api.h"

enum { ROUNDS = 5, SCORED = 2000 };

/* Seconds for each line of a table. */
extern double seconds_a_line;

/* Processor time of this process. */
double cpu_seconds(void);

/* Wall-clock time from some moment on. */
double wall_ns(void);

double median(double values[ROUNDS]);

struct hands {
    int count;
    struct mhing_cards cards[SCORED];
};

/* Prints the cost of scoring these hands, which it overwrites then, and random ones, and of distances. */
void print_hands(struct hands *hands);

#endif
