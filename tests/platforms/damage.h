/* Random damage to saved states and to their JSON. */
#ifndef DAMAGE_H
#define DAMAGE_H

#include "mh_game.h"

/* Changes bytes of a snapshot: one or two by 1, so that sums may stay what they were; two places exchanged; or some as
 * they were in an earlier one. */
void damage_snapshot(uint8_t *damaged, const uint8_t *earlier, const struct mh_sizes *sizes, struct mh_rng *rng);

/* Leaves one member of a JSON object out. */
void damage_member(char *json, struct mh_rng *rng);

/* Changes a digit of a JSON object. */
void damage_digit(char *json, struct mh_rng *rng);

#endif
