/* Journals, from which tables resume after the process was killed. Each table has a file with its state at the
 * beginning of a deal, and all input since then. Everything else follows from that.
 *
 * An entry is a msgpack array after its length in four bytes, little-endian. The first entry is the table, [version,
 * {terms and more}]. All others are [kind, actions played before it, player, value, time]. */
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

/* Begins the journal anew with the table as it is. */
void journal_begin(struct table *self);
void journal_add(struct table *self, int kind, int player, int64_t value, int64_t time);
void journal_remove(const struct table *self);

/* The ending of journals' names. */
#define JOURNAL_ENDING ".table"

#endif
