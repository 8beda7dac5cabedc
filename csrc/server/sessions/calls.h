/* Requests are executed once, in the order of their numbers, and long ones in slices.
 *
 * No request makes the others wait for long. What takes longer than a slice of time is left, with its reply half
 * written, until the next tick of the server, which first lets messages in. So is, whatever it asks for, what a session
 * asks that has just been costly: only cheap requests are executed on arrival, so that those of many costly sessions do
 * not add up before a ping is read. Sessions take turns, a slice each; the requests of one wait for each other, and a
 * second copy of one that waits is dropped.
 *
 * Nothing of a request is known outside before it is finished. Then its reply is remembered, its journal written, and
 * it is answered, to the connection that the session has by then: as if it had come at that moment. A server that is
 * killed before finds nothing of it in the journal, and the client sends it again. While rows are half played the
 * journal is not begun anew, because it would have to show them. A session that wakes takes turns with the others, but
 * one that is to wake after it lets its turns pass; what their journals have is executed by the same functions. Only
 * one row is never interrupted: bots with settings, which think for long, hold up all. */
#ifndef CALLS_H
#define CALLS_H

#include "requests.h"
#include "server_inside.h"

/* A message that was read: [name, seq, arguments...]. */
struct call {
    const unsigned char *bytes; /* the whole message */
    size_t size;
    char name[32];
    const struct request_kind *kind; /* NULL: unknown */
    uint64_t seq;
    struct wire_args args;
};

/* Reads a message, which must stay, into the server's zone. -1 with an error. */
int call_read(struct server *self, const unsigned char *bytes, size_t size, struct call *call,
              struct wire_error *error);

/* Executes a request now, or lets it wait, or answers it from memory. */
void calls_take(struct server *self, struct session *session, const struct call *call, int64_t now_ms);

/* Executes an answer to a table's question, which has no reply when it is right. */
void calls_answer_question(struct server *self, struct session *session, const struct call *call, int64_t now_ms);

/* Gives a slice to those that wait. Returns whether any are left. */
int calls_continue(struct server *self, int64_t now_ms);

/* Executes a request of a journal until that time, or continues it if it is unfinished. It succeeded before, so it must
 * succeed again: otherwise -1 with an error. */
int calls_replay(void *server, struct session *session, const unsigned char *bytes, size_t size, int64_t until,
                 struct request *request, struct wire_error *error);

#endif
