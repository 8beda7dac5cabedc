/* Tables resumed from journals, by the same code that played them first. */
#ifndef TABLE_RESUME_H
#define TABLE_RESUME_H

#include "table.h"

/* The table of a journal in its last state. MH_OK, or with a message MH_ERROR_MEMORY, or another enum mh_status when
 * the journal is damaged or does not fit the games of this server. */
int table_resume(struct tables_shared *shared, const char *path, char *message, struct table **table);

#endif
