/* The inside of the server: sessions, tables, and what follows from both. */
#ifndef SERVER_INSIDE_H
#define SERVER_INSIDE_H

#include "common/rate.h"
#include "guests.h"
#include "outbox.h"
#include "session_journal.h"
#include "tables/tables.h"

struct server {
    struct server_options options;
    struct server_host host;
    const char *watch;
    struct sessions sessions;
    struct tables *tables;
    struct guests guests;
    struct session_journal_replay replay;
    uint64_t waking;    /* the session that wakes, one at a time: its whole journal is in memory */
    int is_replaying;   /* it executes requests of journals, which were within the limits once */
    msgpack_zone *zone; /* of the request that is being read */
    struct rate new_sessions, new_environments, new_invitations; /* of each key */
    struct disk disk;
    struct outbox outbox;
    int64_t mend_at;      /* when to try again to write what the disk has refused */
    int64_t stuck_since;  /* -1: not stuck */
    int is_draining;      /* see server_drain */
    int64_t drain_look;   /* when to look next whether it is over */
    int is_late_reported; /* the log knows that the disk refuses */
    int64_t requests, steps, resent, refused;
    struct meter meter;
    struct meter_mark mark; /* of the request that is being executed */
};

/* The memory and rows of the sessions of a key. */
struct server_usage {
    int sessions, rows;
    size_t bytes, all_bytes; /* of replies, at most, of this key and of all: see session_most_bytes */
};
struct server_usage server_usage(const struct server *self, const char *key);

/* Refuses a session of that key whose replies could need so many bytes, if that is more memory than there is for its
 * key, or for all, without what `before` has: the session itself, or one that makes way for it; NULL: none does. */
int server_check_bytes(const struct server *self, const char *key, const struct session *before, size_t wanted,
                       struct wire_error *error);

/* Sends a message: with DISK_ALWAYS only after the next sync, and never before something that the disk has refused is
 * written, or before another message that waits. */
void server_post(struct server *self, const struct letter *letter);

/* Sends the reply to a request, or ["error", seq, code, text] at its place. NULL, no memory: it is asked for again. */
void server_say(struct server *self, uint64_t connection, uint64_t seq, struct wire_message *message);
void server_refuse(struct server *self, uint64_t connection, uint64_t seq, const struct wire_error *error);

/* A reply is that error. */
void server_count_refused(struct server *self, const struct wire_error *error);

/* The error of requests that are not begun, because what they lead to could not be kept; the same, sent at once. */
void server_late(const struct server *self, struct wire_error *error);
void server_refuse_late(struct server *self, uint64_t connection, uint64_t seq);

/* The session as the tables know it. */
struct tables_player server_player(const struct session *session);

/* Ends a session. */
void server_end(struct server *self, struct session *session, int64_t now_ms);

#endif
