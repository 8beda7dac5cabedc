/* A table in play: players come and go, games are dealt and played, questions asked and answered. All that follows is
 * recorded, kept in the journal, and said to players and spectators. */
#ifndef TABLE_PLAY_H
#define TABLE_PLAY_H

#include "record.h"
#include "table.h"

/* Somebody takes a free seat. Where it was the last one the series begins. */
void table_sit(struct table *self, int player, const struct tables_player *who, const char *name);
/* Leaves a seat: free while the table waits, the substitute's later. */
void table_leave(struct table *self, int player);
/* Nobody is left for whom a game in play could go on. */
void table_abandon(struct table *self);
/* Comes back to a seat that the substitute plays. */
void table_return(struct table *self, int player);

/* The player who is asked has given a legal answer, or none (BY_LATE, BY_ILLEGAL): then the idle action is played. `ms`:
 * how long that took. */
void table_answer(struct table *self, enum record_by by, int action, int64_t ms);

/* Deals the game `number`, with its record in the file of that number (-1: none). */
void table_begin(struct table *self, int64_t record, int64_t time);

/* Goes on by one action, question, or deal. Returns 0 when there is nothing to do before an answer or a deadline. */
int table_step(struct table *self);

#endif
