#include "server_inside.h"

#include <string.h>

#include "session_journal.h"

struct server_usage server_usage(const struct server *self, const char *key)
{
    struct server_usage usage = {0, 0};
    for (const struct session *session = self->sessions.newest; session; session = session->older) {
        if (strcmp(session->key, key) == 0) {
            usage.sessions++;
            usage.rows += session->envs.rows;
        }
    }
    return usage;
}

struct tables_player server_player(const struct session *session)
{
    return (struct tables_player){.session = session->id,
                                  .token = session->token,
                                  .key = session->key,
                                  .client = session->client,
                                  .form = session->form,
                                  .texts = session->texts};
}

void server_end(struct server *self, struct session *session, int64_t now_ms)
{
    tables_gone(self->tables, session->token, now_ms);
    guests_gone(&self->guests, session);
    session_journal_remove(&self->disk, session);
    sessions_remove(&self->sessions, session);
}
