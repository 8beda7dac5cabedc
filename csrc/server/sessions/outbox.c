#include "outbox.h"

#include <stdlib.h>

#include "base/mh_pool.h"
#include "common/answer.h"

void letter_send(const struct letter *self, const struct server_host *host, struct meter *meter)
{
    if (self->is_reply) {
        meter_answered(meter, &self->mark, mh_pool_now());
    }
    if (self->topic[0]) {
        host->publish(host->context, self->topic, self->message);
    } else {
        (void)host->send(host->context, self->connection, self->message);
    }
}

void outbox_add(struct outbox *self, const struct letter *letter)
{
    if (self->count == self->space) {
        const int space = 2 * self->space + 64;
        struct letter *larger = realloc(self->letters, (size_t)space * sizeof *larger);
        if (!larger) {
            return;
        }
        self->letters = larger;
        self->space = space;
    }
    self->letters[self->count] = *letter;
    self->letters[self->count++].message = wire_hold(letter->message);
}

void outbox_send(struct outbox *self, const struct server_host *host)
{
    for (int i = 0; i < self->count; i++) {
        letter_send(&self->letters[i], host, self->meter);
        wire_release(self->letters[i].message);
    }
    self->count = 0;
}

void outbox_refuse(struct outbox *self, const struct server_host *host, const struct wire_error *error)
{
    int kept = 0;
    for (int i = 0; i < self->count; i++) {
        const struct letter *letter = &self->letters[i];
        if (!letter->is_reply) {
            self->letters[kept++] = *letter;
            continue;
        }
        struct wire_message *message = answer_error(letter->seq, error);
        meter_refused(self->meter, error);
        meter_answered(self->meter, &letter->mark, mh_pool_now());
        if (message) {
            (void)host->send(host->context, letter->connection, message);
        }
        wire_release(message);
        wire_release(letter->message);
    }
    self->count = kept;
}

void outbox_free(struct outbox *self)
{
    for (int i = 0; i < self->count; i++) {
        wire_release(self->letters[i].message);
    }
    free(self->letters);
    *self = (struct outbox){.meter = self->meter};
}
