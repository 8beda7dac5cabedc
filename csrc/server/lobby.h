/* Which tables there are and who sits where. */
#ifndef LOBBY_H
#define LOBBY_H

#include "table.h"

/* Where a session sits. */
struct place {
    unsigned char token[TABLES_TOKEN];
    struct table *table;
    int player;
};

struct tables {
    struct house house;
    int max_tables, max_seats_per_key;
    struct table **tables;
    int count, capacity;
    struct place *places; /* in the order of their tokens */
    int num_places, max_places;
    int first;   /* table that is served first in the next tick */
    int64_t due; /* of the next tick; -1: nothing to do */
};

/* NULL: there is none. Alive until somebody sits down or leaves. */
struct place *lobby_place(const struct tables *self, const unsigned char *token);
struct table *lobby_table(const struct tables *self, const char *name, size_t length);

/* The requests sit (`named`) and play. */
int lobby_sit(struct tables *self, const struct tables_player *player, int named, const struct wire_args *args,
              struct wire_out *out, struct wire_error *error);

/* Leaves a place. A table that all have left is closed. */
void lobby_leave(struct tables *self, struct place *place);
void lobby_close(struct tables *self, struct table *table);

/* Takes over a table that has been played before. -1: no memory, and it is the caller's still. */
int lobby_add(struct tables *self, struct table *table);
/* Its players are found again, once all tables are there. */
int lobby_add_players(struct tables *self);

#endif
