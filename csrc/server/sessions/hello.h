/* The beginning of sessions, and their resumption. */
#ifndef HELLO_H
#define HELLO_H

#include "server_inside.h"

/* Answers hello with its argument `map`. Writes the reply to `answer`, which takes the session's pool. Returns the
 * session, or NULL with an error. */
struct session *server_hello(struct server *self, uint64_t connection, const char *key, const msgpack_object *map,
                             int64_t now_ms, struct answer *answer, struct wire_error *error);

#endif
