/* A door for programs of the operator: a listening socket for short conversations. A visitor sends one request and gets
 * one answer, then the connection ends, as with HAProxy's socket of commands: so nothing is kept about visitors.
 *
 * It is served between the turns of the players' sockets, by the same thread, and never waits. At most DOOR_VISITORS
 * are inside and the others wait in the system's queue; a visitor that has not asked and read within DOOR_MS is
 * disconnected. A request has at most DOOR_REQUEST bytes. An answer is written at once, so it describes one moment,
 * however slowly it is read. */
#ifndef DOOR_H
#define DOOR_H

#include <poll.h>
#include <stdint.h>

#include "page.h"

enum {
    DOOR_VISITORS = 8,
    DOOR_POLLS = DOOR_VISITORS + 1, /* descriptors to wait for */
    DOOR_REQUEST = 2048,
    DOOR_MS = 3000
};

/* The end of a request: as it should be, with the end of its connection, or because it is too long. */
enum door_ending { DOOR_WHOLE, DOOR_CLOSED, DOOR_TOO_LONG };

struct door_service {
    void *context;
    int (*is_whole)(const char *request);
    void (*answer)(void *context, const char *request, enum door_ending ending, int64_t now_ms,
                   struct page *answer);
};

struct door;

/* Opens one at a port of 127.0.0.1, or at a path for a socket that only the user can use. -1 with a message. */
int door_open_port(int port, const struct door_service *service, char *message, struct door **door);
int door_open_path(const char *path, const struct door_service *service, char *message, struct door **door);
void door_close(struct door **door);

/* The DOOR_POLLS descriptors to wait for, some of which may be -1. */
void door_polls(const struct door *self, int64_t now_ms, struct pollfd *polls);

/* Serves the visitors in `polls`, as door_polls has filled it since the last call. */
void door_turn(struct door *self, const struct pollfd *polls, int64_t now_ms);

/* Connects to a door at a path. Returns a descriptor, or -1 with a message. */
int door_connect(const char *path, char *message);

#endif
