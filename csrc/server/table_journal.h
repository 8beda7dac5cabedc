/* Journals, from which tables go on after the process was killed: a file for each table, with the table as it was when a
 * deal began and what came from outside since then. All else follows from that.
 *
 * An entry is the length of a msgpack array, four bytes with the lowest first, and that array. The first one is the
 * table, [version, {terms and more}], all others [kind, actions played before it, player, value, time]. */
#ifndef TABLE_JOURNAL_H
#define TABLE_JOURNAL_H

#include "table.h"

enum {
    JOURNAL_VERSION = 2,
    JOURNAL_LENGTH = 4,
    JOURNAL_ITEMS = 5,
    JOURNAL_PLAYER = 14 + MH_MAX_TOTALS /* items of a player */
};

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

/* Journals are the files of a folder with this ending. */
#define JOURNAL_ENDING ".table"

#endif
