/* Records of games, as RECORDS.md describes them: one file per game, lines of JSON. Lines are collected until
 * record_flush writes them, before the next question at the latest. */
#ifndef RECORD_H
#define RECORD_H

#include "table.h"

/* The one who decided on an action: the player, the clock, the server after an illegal answer, or a bot. */
enum record_by { BY_PLAYER, BY_LATE, BY_ILLEGAL, BY_BOT, BY_SUBSTITUTE };

/* One more than the highest number in the folder, from which files are removed that a killed process has not
 * finished. */
int64_t record_next_number(const char *folder);

/* Creates the file of the table's next record. Returns its number, or -1. */
int64_t record_create(struct tables_shared *shared, const char *table);

/* Begins the record of the game just dealt, in the file of that number. Overwrites an earlier record when the table
 * resumes from a journal. `time`: seconds since 1970. */
void record_begin(struct table *table, int64_t number, int64_t time);
/* The action that led from the table's state before to that now. */
void record_action(struct table *table, int action, enum record_by by, int64_t ms);
void record_end(struct table *table);
void record_abandon(struct table *table);
void record_flush(struct table *table);

/* Writes what the disk has refused. -1: it still does. */
int record_mend(struct table *table);

#endif
