/* Sessions: what a client has on the server. They are found by token, by connection and by id. They outlive
 * connections, and remember their last replies so that a request is never executed twice. */
#ifndef SESSION_H
#define SESSION_H

#include "common/journal.h"
#include "common/request.h"
#include "envs/envs.h"

enum {
    SESSION_TOKEN = 16,
    SESSION_KEY = 41,       /* bytes of a CURVE key in Z85, closing zero included */
    SESSION_CLIENT = 65,    /* of a client's name */
    SESSION_GUEST = 33,     /* of the name by which a guest is invited, and of a game's */
    SESSION_MAX_WINDOW = 32 /* unanswered requests at once */
};

/* The data of a session as a guest, see guests.h. */
struct guest {
    uint64_t number; /* 0: it is none */
    char name[SESSION_GUEST];
    char game[SESSION_GUEST];      /* "": any */
    uint64_t host;                 /* the session that has invited it; 0: it waits */
    int is_silent;                 /* it owed an answer, or could not be reached, and has not been heard since */
    uint64_t turn;                 /* number of the last question */
    struct wire_message *question; /* that is open; NULL: none is */
    struct wire_message *said;     /* its answer to the last one, until the next; NULL: none */
};

/* The arguments of hello. */
struct hello {
    char client[SESSION_CLIENT];
    const unsigned char *token;
    int64_t attempt; /* 0: not given */
    int64_t window;  /* 0: not given */
    int form, texts; /* -1: not given */
};

/* A journal that is read into a session, in slices, and the hello that waits for it. */
struct waking {
    struct journal_file file;
    const unsigned char *next; /* of an entry: what is not read yet */
    size_t left;
    msgpack_zone *zone; /* of the part being read */
    struct env_reading reading;
    struct request request; /* of the journal, being executed */
    struct envs envs;       /* so far, */
    int holds;              /* and this; between slices the session has the numbers with which it fell asleep */
    int is_begun;
    struct hello hello;
    struct meter_mark mark; /* of the hello */
};

struct session {
    uint64_t id;
    unsigned char token[SESSION_TOKEN];
    char key[SESSION_KEY]; /* the owner's; "" without CURVE */
    char client[SESSION_CLIENT];
    uint64_t connection; /* 0: none */
    int64_t attempt;     /* the number of its last hello; 0: none was given */
    int window;
    int form;              /* enum tables_form, of observations at tables */
    int texts;             /* actions at tables are sent as texts */
    int64_t heard;         /* time of the last message, in milliseconds */
    uint64_t next;         /* seq of the next new request */
    int holds;             /* it has made environments or asked for a seat */
    int sits;              /* it may have a seat at a table, which hears of its messages */
    int hosts;             /* it has invited guests */
    int is_over;           /* it has said bye */
    int is_asleep;         /* its environments and replies are in its journal only */
    struct waking *waking; /* NULL: it sleeps on, or is awake */
    struct guest guest;
    struct envs envs;
    struct pool pool;
    struct {
        uint64_t seq;
        uint64_t request;            /* its fingerprint */
        struct wire_message *answer; /* NULL: none */
    } answered[SESSION_MAX_WINDOW];  /* by seq */
    struct journal journal;
    int64_t spent_us; /* CPU time of the requests that its journal would have executed again */
    int64_t cost_ns;  /* of the last requests; it falls by half with each cheap one */
    struct request_line line;
    struct session *next_busy;
    int is_busy; /* it is in the list of those that wait for a slice */

    struct session *newer, *older; /* ordered by `heard` */
    struct session *next_by_id, *next_by_token, *next_by_connection;
};

struct sessions {
    struct session **by_id, **by_token, **by_connection; /* by lower bits, those of a bucket linked */
    uint64_t *taken_over; /* connections whose session has moved to another one, by their lower bits; 0: none */
    struct session *newest, *oldest;
    struct session *first_busy, *last_busy; /* those that wake, or whose requests wait */
    size_t waiting;                         /* bytes of their requests */
    uint64_t made;
    int space; /* buckets: a power of two */
    int count;
};

/* Makes lists that are quick for the usual number of sessions. -1: no memory. */
int sessions_init(struct sessions *self, int usual);
void sessions_free(struct sessions *self);

/* A new session. NULL: no memory. */
struct session *sessions_add(struct sessions *self, const unsigned char *token, const char *key, int64_t now_ms);
void sessions_remove(struct sessions *self, struct session *session);

struct session *sessions_by_token(const struct sessions *self, const unsigned char *token);
struct session *sessions_by_connection(const struct sessions *self, uint64_t connection);
struct session *sessions_by_id(const struct sessions *self, uint64_t id);

/* Moves the session to that connection. 0: none. */
void sessions_connect(struct sessions *self, struct session *session, uint64_t connection);

/* True if the session of that connection has moved to another one. So many connections later this may be forgotten. */
int sessions_taken_over(const struct sessions *self, uint64_t connection);

/* Notes that the session has sent a message. */
void sessions_touch(struct sessions *self, struct session *session, int64_t now_ms);

/* Puts a session behind those that wait for a slice, if it is not there; takes the first of these, NULL: there is
 * none. */
void sessions_wait(struct sessions *self, struct session *session);
struct session *sessions_next(struct sessions *self);

/* Lets a sleeping session wake, unless it does already. NULL: no memory. */
struct waking *session_begin_waking(struct session *self);

/* Frees what only a waking session needs. It is awake, or sleeps on. */
void session_end_waking(struct session *self);

/* True if a request has changed some rows of an environment so far, and not others. */
static inline int session_is_torn(const struct session *self)
{
    return self->line.first && self->line.first->is_begun;
}

/* Tells a request from others by its bytes. */
uint64_t session_fingerprint(const unsigned char *bytes, size_t size);

/* Remembers the reply to the next request, or to an earlier one. Takes over the reference. */
void session_remember(struct session *self, uint64_t seq, uint64_t request, struct wire_message *answer);

/* The reply to an earlier request, or NULL when it is no longer remembered. */
struct wire_message *session_answer(const struct session *self, uint64_t seq);

/* The fingerprint of a request whose reply is remembered. */
uint64_t session_request(const struct session *self, uint64_t seq);

/* The most bytes that a session holds of replies with such a window: those that it remembers, and those on their
 * way. */
size_t session_most_bytes(const struct session *self, int window);

/* Sets the window, and with it the limit of the pool. To be called again when environments come or go. */
void session_set_window(struct session *self, int window);

#endif
