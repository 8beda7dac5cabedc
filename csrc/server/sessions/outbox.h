/* Messages that wait until what they report is written, or on the disk, see disk.h. */
#ifndef OUTBOX_H
#define OUTBOX_H

#include "common/meter.h"
#include "server_options.h"

/* A message to a connection, or to spectators. */
struct letter {
    uint64_t connection;
    uint64_t seq; /* of the request that a reply answers */
    int is_reply;
    struct meter_mark mark; /* of that request */
    char topic[64];         /* of spectators; "": a connection's */
    struct wire_message *message;
};

/* Sends it now, which the meter is told of. */
void letter_send(const struct letter *self, const struct server_host *host, struct meter *meter);

struct outbox {
    struct letter *letters;
    int count, space;
    struct meter *meter; /* of replies */
};

/* Adds a letter, which keeps its own reference to the message. Drops it when there is no memory: a reply is asked for
 * again, and a question is repeated after a hello. */
void outbox_add(struct outbox *self, const struct letter *letter);

/* Sends all letters, in order. */
void outbox_send(struct outbox *self, const struct server_host *host);

/* Sends `error` instead of all replies. Other letters keep waiting. */
void outbox_refuse(struct outbox *self, const struct server_host *host, const struct wire_error *error);

void outbox_free(struct outbox *self);

#endif
