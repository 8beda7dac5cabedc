/* A table in play: players come and go, games are dealt and played, questions are asked and answered. Every change
 * is recorded, written to the journal, and sent to players and spectators. */
#ifndef TABLE_PLAY_H
#define TABLE_PLAY_H

#include "record.h"
#include "table.h"

/* Seats a player. The series begins with the last free seat. */
void table_sit(struct table *self, int player, const struct tables_player *who, const char *name);
/* Takes a player from a seat. It becomes free while the table waits; later the substitute plays it. */
void table_leave(struct table *self, int player);
/* Ends a game in play that all players have left. */
void table_abandon(struct table *self);
/* Notes that the player's session has come. After a restart of the server the clock of its open question begins now. */
void table_hear(struct table *self, int player, uint64_t session);
/* Lets a player take back the seat that the substitute plays. */
void table_return(struct table *self, int player);

/* Plays the asked player's legal answer, or the idle action without one (BY_LATE, BY_ILLEGAL). `ms`: how long it
 * took. */
void table_answer(struct table *self, enum record_by by, int action, int64_t ms);

/* Deals the next game. `record`: number of its record's file, or -1. */
void table_begin(struct table *self, int64_t record, int64_t time);

/* Performs one action, question or deal. Returns 0 when nothing can be done before an answer or a deadline. */
int table_step(struct table *self);

#endif
