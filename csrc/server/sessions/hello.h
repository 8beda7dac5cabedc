/* The beginning of sessions, and their resumption. */
#ifndef HELLO_H
#define HELLO_H

#include "server_inside.h"

/* Answers hello with its argument `map`, or lets it wait until its session is awake. -1 with an error. */
int hello_take(struct server *self, uint64_t connection, const char *key, const msgpack_object *map, int64_t now_ms,
               struct wire_error *error);

/* Goes on to wake a session until that time, and answers the hello that waits for it. Does nothing while another one
 * wakes. */
void hello_continue(struct server *self, struct session *session, int64_t now_ms, int64_t until);

#endif
