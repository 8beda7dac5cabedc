/* Records of games, as RECORDS.md describes them: one file a game, lines of JSON. Lines are gathered, and written when
 * record_flush is called: before the next question at the latest. */
#ifndef RECORD_H
#define RECORD_H

#include "table.h"

/* Who decided on an action: the player, the clock, the rules in place of what was not legal, or a bot. */
enum record_by { BY_PLAYER, BY_LATE, BY_ILLEGAL, BY_BOT, BY_SUBSTITUTE };

/* The number above all in the folder. */
int64_t record_next_number(const char *folder);

/* Makes the file of the table's next record. Returns its number, or -1. */
int64_t record_create(struct house *house, const char *table);

/* The game that the table has dealt goes into the file of that number: an empty one, or, when a journal is followed, in
 * place of what was written before. `time`: seconds since 1970. */
void record_begin(struct table *table, int64_t number, int64_t time);
void record_action(struct table *table, int seat, int action, enum record_by by, int64_t ms);
void record_end(struct table *table);
void record_abandon(struct table *table);
void record_flush(struct table *table);

#endif
