/* The limits that requests are refused for, with the code `limit`: what they are called, and what makes room. */
#ifndef LIMIT_H
#define LIMIT_H

#include "wire.h"

enum limit_place {
    LIMIT_SESSIONS,
    LIMIT_SESSIONS_PER_KEY,
    LIMIT_SESSIONS_PER_MINUTE,
    LIMIT_ROWS,
    LIMIT_ROWS_PER_SESSION,
    LIMIT_BYTES,
    LIMIT_BYTES_PER_KEY,
    LIMIT_ROWS_IN_FLIGHT,
    LIMIT_ENVIRONMENTS_PER_MINUTE,
    LIMIT_TABLES,
    LIMIT_TABLES_PER_MINUTE,
    LIMIT_SEATS,
    LIMIT_INVITATIONS_PER_MINUTE,
    LIMIT_BOTS,
    LIMIT_OPEN_SEEDS,
    LIMIT_TOLD,
    LIMIT_DRAINING,
    LIMITS /* so many there are */
};

struct limit {
    const char *name;
    int is_option;      /* of the server, --name */
    const char *advice; /* to the client */
};

extern const struct limit limit_kinds[LIMITS];

/* Sets the error `limit`: these words, which are cut if they are long, then the option and the advice. Returns -1. */
int limit_refuse(struct wire_error *error, enum limit_place place, const char *format, ...);

#endif
