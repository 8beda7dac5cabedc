/* Checks that all games share: of bytes and values that come from outside. */
#ifndef MH_CHECK_H
#define MH_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/mh_order.h"
#include "mh_events.h"
#include "mh_head.h"

/* Refuses a state: returns MH_ERROR_SNAPSHOT, with a message that says what is wrong with it. */
int mh_refuse(char *message, const char *what);

/* Ends the check of a state: `again` is a copy of it that the game has settled, which came out as `status`. Refuses a
 * state that was another before, since what follows from the rest was wrong in it. */
int mh_check_settled(int status, const void *again, const void *state, size_t size, char *message);

/* Refuses a state with anything in a member whose name says that it is unused (C12). */
int mh_check_unused(const void *state, const struct mh_member *members, int count, char *message);

/* Refuses a head that has not `players` seats, or a seat to act (from `lowest` on), rounds or rewards out of range. */
int mh_check_head(const struct mh_head *head, int32_t players, int lowest, char *message);

/* Refuses a head that no play within the bounds leads to: rewards or decisions beyond them, anything earned before the
 * first decision or by an empty seat, more rounds than decisions. */
int mh_check_bounds(const struct mh_head *head, const struct mh_bounds *bounds, char *message);

/* True if an event of that kind, which exists, can have these details, with so many seats at the table. */
typedef int mh_event_fits(int seats, int kind, int detail, int extra);

/* Refuses a log that does not have its entries where they must be, or of kinds and details that cannot be. */
int mh_check_events(const struct mh_events *events, int seats, int kinds, mh_event_fits *fits, char *message);

/* Refuses cards that are not a permutation of the game's `count` cards. */
int mh_check_cards(const uint8_t *cards, const uint8_t *game, int count, char *message);

/* Refuses the value of an option that names a seat where no such player is; -1 means none. */
int mh_check_seat_option(const char *name, int32_t seat, int32_t players, char *message);

#endif
