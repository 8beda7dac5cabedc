/* Tables resumed from journals, by the same code that played them first. */
#ifndef TABLE_RESUME_H
#define TABLE_RESUME_H

#include "table.h"

/* The table of a journal in its last state. NULL with a message. */
struct table *table_resume(struct house *house, const char *path, char *message);

#endif
