/* Random bits from the system: for tokens, the seeds of deals, and names of tables. The server has no other source. */
#ifndef ENTROPY_H
#define ENTROPY_H

#include <stddef.h>

/* Fills `bytes`. -1 when the system gives none, with errno; then nothing may be done that needed them. */
int entropy_fill(void *bytes, size_t size);

#endif
