/* Guests and hosts, as PROTOCOL.md describes under Guests: clients that wait to play, and clients that deal, ask them
 * and keep the clock. The server passes messages between the two. It knows neither the cards nor the rules of their
 * games, so a guest can learn nothing from it, whatever its host deals.
 *
 * A session's data as a guest is in the session and ends with it. It also ends with the server: then a waiting guest
 * has to ask again. */
#ifndef GUESTS_H
#define GUESTS_H

#include "session.h"

/* The functions that send messages: `tell` queues or drops one; `reach` sends it at once, or returns -1 if nobody
 * reads. */
struct guests_host {
    void *context;
    void (*tell)(void *context, uint64_t session, struct wire_message *message);
    int (*reach)(void *context, uint64_t session, struct wire_message *message);
};

struct guests {
    struct sessions *sessions;
    struct guests_host host;
    uint64_t made; /* numbers of guests so far */
};

/* The requests of these names, of a session. They write results to `out` and return their number, or -1 with an error
 * and nothing changed. */
typedef int guests_handler(struct guests *self, struct session *session, const struct wire_args *args,
                           struct wire_out *out, struct wire_error *error);
guests_handler guests_wait, guests_invite, guests_tell, guests_dismiss;

static inline int guests_is_guest(const struct session *session)
{
    return session->guest.number != 0;
}

/* ["act", turn, action] of a guest; as tables_act. */
int guests_act(struct guests *self, struct session *session, const struct wire_args *args,
               struct wire_error *error);

/* The session waits no more, and its host is told. */
void guests_leave(struct guests *self, struct session *session);

/* The session has said hello: it is sent again what may have been lost, as a guest and as a host. */
void guests_resume(struct guests *self, const struct session *session);

/* The session ends: as guests_leave, and its guests wait for others. */
void guests_gone(struct guests *self, struct session *session);

#endif
