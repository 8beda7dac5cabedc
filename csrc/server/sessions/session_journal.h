/* How sessions continue after the process was killed: each has a journal, with the session as it was at some time and
 * the requests answered since then, which are executed again.
 *
 * Its entries are rows of msgpack arrays; the first one has the whole session:
 *   ["session", version, token, key, next, made, holds]           followed by "hello", and each "env" and "answer"
 *   ["hello", client, window, form, texts]                        what the last hello asked for
 *   ["env", number, terms, draws, rewards, terminated, rows...]   an environment; without rows: it was never reset
 *   ["answer", seq, bytes]                                        an answer that is not to be found again by executing it
 *   ["request", bytes]                                            one that is: as it came
 */
#ifndef SESSION_JOURNAL_H
#define SESSION_JOURNAL_H

#include "common/journal.h"
#include "session.h"

#define SESSION_JOURNAL_ENDING ".session"

/* All of these return 0, or -1 when the system refuses. `disk->state` NULL: nothing is kept. */

/* Call it after hello, which begins a session or changes its settings. */
int session_journal_hello(struct disk *disk, struct session *session);

/* Call it after each reply. With `bytes`, the request, it will be executed again; with NULL the reply is kept. */
int session_journal_add(struct disk *disk, struct session *session, const unsigned char *bytes, size_t size);

/* Writes what could not be written before; not while the session is torn. */
int session_journal_mend(struct disk *disk, struct session *session);

void session_journal_remove(struct disk *disk, const struct session *session);

/* Executes a request again: 0, or -1 with an error. */
struct session_journal_replay {
    void *context;
    int (*request)(void *context, struct session *session, const unsigned char *bytes, size_t size,
                   struct wire_error *error);
};

/* Resumes the sessions of all journals in the folder, as files_visit does. */
int session_journals_replay(const char *folder, struct sessions *sessions, int64_t now_ms,
                            const struct session_journal_replay *replay, const struct files_log *log,
                            char *message);

#endif
