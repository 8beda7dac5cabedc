#include "outbox.h"

#include <stdlib.h>

#include "answer.h"

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

static void send_letter(const struct letter *letter, const struct server_host *host)
{
    if (letter->topic[0]) {
        host->publish(host->context, letter->topic, letter->message);
    } else {
        host->send(host->context, letter->connection, letter->message);
    }
}

void outbox_send(struct outbox *self, const struct server_host *host)
{
    for (int i = 0; i < self->count; i++) {
        send_letter(&self->letters[i], host);
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
        if (message) {
            host->send(host->context, letter->connection, message);
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
    *self = (struct outbox){.letters = NULL};
}
