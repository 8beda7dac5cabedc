/* A player of a table in the table's journal: an array of items, written and read by one list of members. */
#ifndef PLAYER_ITEMS_H
#define PLAYER_ITEMS_H

#include "table.h"

void player_items_write(const struct player *self, struct wire_out *out);

/* Reads them into a player; members that are not in the list stay as they are. -1, with an error, if the array is not
 * one that player_items_write makes. */
int player_items_read(const msgpack_object *array, struct player *self, struct wire_error *error);

#endif
