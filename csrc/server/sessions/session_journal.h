/* Sessions that continue after the process was killed: each has a journal, with the session as it was at some time and
 * the requests answered since then, which are executed again, bots included.
 *
 * The server does not wait for that when it starts. It checks the journals, and makes sessions that sleep: the limits
 * count their environments, which are not there yet. A session wakes, and its requests are executed, when its client
 * says hello with its token. So a start takes as long as the bytes need, whatever the bots cost, and the client whose
 * bots are slow waits for them, while others are served between slices.
 *
 * A journal's entries are rows of msgpack arrays; the first one has the whole session:
 *   ["session", version, token, key, next, made, holds]           before "hello", each "env", "sizes", each "answer"
 *   ["hello", client, window, form, texts]                        what the last hello asked for
 *   ["env", number, terms, draws, rewards, terminated, rows...]   an environment; without rows: it was never reset
 *   ["sizes", count, rows, reply_size, kept_size]                 the numbers of struct envs, after what changes them
 *   ["answer", seq, request, bytes, holds]                        an answer that executing it would not find again
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

/* Executes a request again until that time, or continues it if it is unfinished: 0, or -1 with an error. */
struct session_journal_replay {
    void *context;
    int (*request)(void *context, struct session *session, const unsigned char *bytes, size_t size, int64_t until,
                   struct request *request, struct wire_error *error);
};

/* Makes the sessions of all journals in the folder, as files_visit does. They sleep; those of the version before have
 * woken, as their journals do not have sizes. */
int session_journals_read(const char *folder, struct sessions *sessions, int64_t now_ms,
                          const struct session_journal_replay *replay, const struct files_log *log, char *message);

/* Goes on to wake a session, until that time, of mh_pool_now. 0: it is awake; 1: it is not yet; -1 with an error: it
 * sleeps on, or its journal is set aside and it must end, which has the code `session`. Unless it is 1
 * session_end_waking is due. */
int session_journal_wake(struct disk *disk, struct session *session, const struct session_journal_replay *replay,
                         const struct files_log *log, int64_t until, struct wire_error *error);

#endif
