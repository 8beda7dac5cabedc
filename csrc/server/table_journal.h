/* How a table goes on after the process was killed: a file for each table, with the table as it was when a deal began
 * and what came from outside since then. All else follows from that, by the same code that played it first. */
#ifndef TABLE_JOURNAL_H
#define TABLE_JOURNAL_H

#include "table.h"

enum journal_kind {
    JOURNAL_BEGIN,  /* a game was dealt: number of its record, time */
    JOURNAL_LEAVE,  /* player */
    JOURNAL_RETURN, /* player */
    JOURNAL_ANSWER  /* player, action, milliseconds; plus an enum record_by */
};

/* The table as it is begins its journal anew. */
void journal_begin(struct table *self);
void journal_add(struct table *self, int kind, int player, int64_t value, int64_t time);
void journal_remove(const struct table *self);

/* The table of a journal, brought to where it was. NULL: the message says why not. */
struct table *journal_follow(struct house *house, const char *path, char *message);

/* Journals are the files of a folder with this ending. */
#define JOURNAL_ENDING ".table"

#endif
