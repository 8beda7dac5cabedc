/* All tables, and who sits where. */
#ifndef LOBBY_H
#define LOBBY_H

#include "common/rate.h"
#include "table.h"

/* The seat of a session. */
struct place {
    unsigned char token[TABLES_TOKEN];
    struct table *table;
    int player;
};

struct tables {
    struct tables_shared shared;
    int max_tables, max_seats_per_key;
    int64_t slice_ns, wait_ms;
    struct rate rate; /* of new tables */
    struct table **tables;
    int count, capacity;
    struct place *places; /* sorted by token */
    int num_places, max_places;
    struct table *first_busy, *last_busy; /* a queue of tables with something to do now */
    int is_draining;                      /* no series begins any more */
    int64_t due;                          /* the earliest deadline, or earlier; -1: no deadline */
};

/* NULL if there is none. Valid until somebody sits down or leaves. */
struct place *lobby_place(const struct tables *self, const unsigned char *token);
struct table *lobby_table(const struct tables *self, const char *name, size_t length);

/* The requests sit (`named`) and play. */
int lobby_sit(struct tables *self, const struct tables_player *player, int named, const struct wire_args *args,
              struct wire_out *out, struct wire_error *error);

/* The error of newcomers to a server that is drained: `wish` is what they cannot have. */
int lobby_refuse_newcomer(const char *wish, struct wire_error *error);

/* Leaves a place. Closes a table that all players have left. */
void lobby_leave(struct tables *self, struct place *place);
void lobby_close(struct tables *self, struct table *table);

/* Ends a table's series as if its last game were over. Its players hear of it in the next tick. */
void lobby_end(struct tables *self, struct table *table);

/* Puts a table at the end of the queue unless it is in it; takes the first table, or NULL. */
void lobby_wake(struct tables *self, struct table *table);
struct table *lobby_next(struct tables *self);

/* Takes ownership of a table from a journal. -1: no memory, and the caller keeps it. */
int lobby_add(struct tables *self, struct table *table);
/* Gives players of such tables their places, once all tables are there. */
int lobby_add_players(struct tables *self);

#endif
