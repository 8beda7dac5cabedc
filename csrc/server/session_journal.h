/* How sessions go on after the process was killed: a file for each, with the session as it was at some time and the
 * requests that it was answered since then, which are executed again.
 *
 * A file is a row of msgpack arrays:
 *   ["session", version, token, key, next, made, holds]   followed by "hello", all "env" and all "answer" of that time
 *   ["hello", client, window, fields, texts]              what the last hello asked for
 *   ["env", number, terms, draws, rewards, rows...]       an environment; without rows: it was never reset
 *   ["answer", seq, bytes]                                an answer that is not to be found again by executing it
 *   ["request", bytes]                                    one that is: as it came
 */
#ifndef SESSION_JOURNAL_H
#define SESSION_JOURNAL_H

#include "session.h"

#define SESSION_JOURNAL_ENDING ".session"

/* All of these return 0, or -1 when the system refuses. `folder` NULL: nothing is kept. */

/* Call it after hello, which begins a session or changes its settings. */
int session_journal_hello(const char *folder, struct session *session);

/* Call it after each reply. With `bytes`, the request, it will be executed again; with NULL the reply is kept. */
int session_journal_add(const char *folder, struct session *session, const unsigned char *bytes, size_t size);

void session_journal_remove(const char *folder, const struct session *session);

/* Executes a request again: 0, or -1 with a message. */
struct session_journal_replay {
    void *context;
    int (*request)(void *context, struct session *session, const unsigned char *bytes, size_t size, char *message);
};

/* Resumes the sessions of all journals in the folder. -1 with a message that names the journal. */
int session_journal_follow(const char *folder, struct sessions *sessions, int64_t now_ms,
                           const struct session_journal_replay *replay, char *message);

#endif
