/* Journals, from which tables resume after the process was killed. Each table has one, with its state at the beginning
 * of a deal, and all input since then. Everything else follows from that.
 *
 * An entry is one msgpack array: the table, [version, {terms and more}], or an input [kind, actions played since the
 * table was written, player, value, time]. The last table counts, with what follows it: a deal adds one instead of
 * beginning the file anew, which would cost the disk more, until the file is long. */
#ifndef TABLE_JOURNAL_H
#define TABLE_JOURNAL_H

#include "table.h"

enum {
    JOURNAL_VERSION = 6,
    JOURNAL_TABLE = 2, /* items of the table */
    JOURNAL_ITEMS = 5
};

enum journal_kind {
    JOURNAL_BEGIN,  /* a game was dealt: number of its record, time */
    JOURNAL_LEAVE,  /* player */
    JOURNAL_RETURN, /* player */
    JOURNAL_ANSWER  /* player, action, milliseconds; plus an enum record_by */
};

/* Writes the table as it is, with which the journal then continues. */
void table_journal_begin(struct table *self);
void table_journal_add(struct table *self, int kind, int player, int64_t value, int64_t time);

/* Writes what could not be written before. -1 when the system refuses, or when it can be written only at the beginning
 * of the next deal. */
int table_journal_mend(struct table *self);

void table_journal_remove(const struct table *self);

/* The ending of journals' names. */
#define JOURNAL_ENDING ".table"

#endif
