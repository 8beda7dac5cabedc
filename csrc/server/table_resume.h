/* How a table goes on from its journal: by the same code that played it first. */
#ifndef TABLE_RESUME_H
#define TABLE_RESUME_H

#include "table.h"

/* The table of a journal, brought to where it was. NULL: the message says why not. */
struct table *table_resume(struct house *house, const char *path, char *message);

#endif
