#include "server_inside.h"

#include <string.h>

#include "base/mh_pool.h"

struct server_usage server_usage(const struct server *self, const char *key)
{
    struct server_usage usage = {0, 0, 0, 0};
    for (const struct session *session = self->sessions.newest; session; session = session->older) {
        const size_t bytes = session_most_bytes(session, session->window);
        usage.all_bytes += bytes;
        if (strcmp(session->key, key) == 0) {
            usage.sessions++;
            usage.rows += session->envs.rows;
            usage.bytes += bytes;
        }
    }
    return usage;
}

int server_check_bytes(const struct server *self, const char *key, const struct session *before, size_t wanted,
                       struct wire_error *error)
{
    const struct server_usage usage = server_usage(self, key);
    const size_t freed = before ? session_most_bytes(before, before->window) : 0;
    const size_t of_key = usage.bytes - (before && strcmp(before->key, key) == 0 ? freed : 0);
    const size_t of_all = usage.all_bytes - freed;
    const int is_key = (int64_t)(of_key + wanted) > self->options.bytes_per_key;
    if (!is_key && (int64_t)(of_all + wanted) <= self->options.max_bytes) {
        return 0;
    }
    /* A refusal does not tell what others have. */
    return is_key
               ? limit_refuse(error, LIMIT_BYTES_PER_KEY,
                              "replies could need %zu bytes, and those of your key's other sessions %zu, of %lld",
                              wanted, of_key, (long long)self->options.bytes_per_key)
               : limit_refuse(error, LIMIT_BYTES,
                              "replies could need %zu bytes, which is more than all others leave of %lld", wanted,
                              (long long)self->options.max_bytes);
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

/* ---- Outgoing messages -------------------------------------------------------------------------------------- */

void server_post(struct server *self, const struct letter *letter)
{
    const int is_strict = self->disk.sync == DISK_ALWAYS && (self->disk.state || self->disk.records);
    if (is_strict || self->disk.is_late || self->outbox.count > 0) {
        outbox_add(&self->outbox, letter);
    } else {
        letter_send(letter, &self->host, &self->meter);
    }
}

void server_say(struct server *self, uint64_t connection, uint64_t seq, struct wire_message *message)
{
    if (message) {
        server_post(
            self, &(struct letter){
                      .connection = connection, .seq = seq, .is_reply = 1, .mark = self->mark, .message = message});
    }
}

void server_count_refused(struct server *self, const struct wire_error *error)
{
    self->refused++;
    meter_refused(&self->meter, error);
}

void server_refuse(struct server *self, uint64_t connection, uint64_t seq, const struct wire_error *error)
{
    struct wire_message *message = answer_error(seq, error);
    server_count_refused(self, error);
    server_say(self, connection, seq, message);
    wire_release(message);
}

void server_late(const struct server *self, struct wire_error *error)
{
    (void)wire_refuse(error, "storage", "the server cannot write its state (%s); send this request again later",
                      strerror(self->disk.error));
}

void server_refuse_late(struct server *self, uint64_t connection, uint64_t seq)
{
    struct wire_error error;
    server_late(self, &error);
    struct wire_message *message = answer_error(seq, &error);
    if (message) {
        server_count_refused(self, &error);
        meter_answered(&self->meter, &self->mark, mh_pool_now());
        (void)self->host.send(self->host.context, connection, message);
    }
    wire_release(message);
}
