/* The options that a server is started with. */
#ifndef SERVER_OPTIONS_H
#define SERVER_OPTIONS_H

#include "common/disk.h"
#include "common/wire.h"

struct server_options {
    int max_sessions;
    int sessions_per_key, rows_per_key, seats_per_key; /* without CURVE all have the same key, "" */
    int sessions_per_minute, environments_per_minute, invitations_per_minute; /* new ones of a key; 0: any number */
    int tables_per_minute;
    int rows_per_session;
    int rows_in_flight;               /* of an environment, times the window */
    int64_t max_bytes, bytes_per_key; /* of replies that are remembered or on their way */
    int max_tables;
    int64_t table_wait_ms; /* how long a table may wait for players while others find no room */
    int64_t message;       /* bytes of a request, enforced by the sockets */
    int64_t slice_ns;      /* a request that takes longer is interrupted for those of others; 0: none is */
    int64_t expire_ms;     /* how long a session lives without a message */
    int64_t drain_ms;      /* how long a session counts as in use after a message, when the server is drained */
    int open_seeds;        /* a player may give the seed of a table at which others sit as well */
    const char *bots;      /* with settings that may be played, with spaces between their names, or NULL */
    const char *state;     /* folder for sessions and tables to resume from, or NULL */
    const char *records;   /* folder of the games' records, or NULL */
    enum disk_sync sync;   /* when these files reach the disk */
    struct files_log log;
};

/* The version of this build. */
const char *server_version(void);

/* Default values. */
struct server_options server_defaults(void);

/* The functions that send messages. One that keeps a message takes its own reference. Lost messages are not reported,
 * but `send` returns -1 where there is no such connection any more. */
struct server_host {
    void *context;
    int (*send)(void *context, uint64_t connection, struct wire_message *message);
    void (*publish)(void *context, const char *topic, struct wire_message *message);
};

#endif
