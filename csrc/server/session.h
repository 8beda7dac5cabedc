/* Sessions: what a client has on the server, found by its token, by the connection it speaks through, and by number.
 * They outlive connections, and remember their last answers so that a request sent again is not executed again. */
#ifndef SESSION_H
#define SESSION_H

#include "envs.h"

enum {
    SESSION_TOKEN = 16,
    SESSION_KEY = 41,       /* bytes of a CURVE key in Z85, closing zero included */
    SESSION_CLIENT = 65,    /* of a client's name */
    SESSION_MAX_WINDOW = 32 /* requests on their way at once */
};

struct session {
    uint64_t id;
    unsigned char token[SESSION_TOKEN];
    char key[SESSION_KEY]; /* whose session it is; "" without CURVE */
    char client[SESSION_CLIENT];
    uint64_t connection; /* 0: none */
    int window, fields, texts;
    int64_t heard; /* when, in milliseconds */
    uint64_t next; /* seq of the next new request */
    int holds;     /* it has made environments or asked for a seat */
    int sits;      /* it may have a seat at a table: its messages are news there */
    int is_over;   /* it has said bye */
    struct envs envs;
    struct pool pool;
    struct {
        uint64_t seq;
        struct wire_message *answer; /* NULL: none */
    } answered[SESSION_MAX_WINDOW];  /* by seq */
    struct {
        size_t begun, size; /* bytes: with which it began, and now */
        int is_broken;      /* the last write has failed */
    } journal;

    struct session *newer, *older; /* by when they were heard */
    struct session *next_by_token, *next_by_connection;
};

struct sessions {
    struct session **slots; /* by the lower bits of their ids */
    struct session **by_token, **by_connection;
    struct session *newest, *oldest;
    uint64_t made;
    int space; /* slots and buckets: a power of two */
    int count, max;
};

int sessions_init(struct sessions *self, int max); /* -1: no memory */
void sessions_free(struct sessions *self);

/* A new one, or NULL: no memory, or as many as can be. */
struct session *sessions_add(struct sessions *self, const unsigned char *token, const char *key, int64_t now_ms);
void sessions_remove(struct sessions *self, struct session *session);

struct session *sessions_by_token(const struct sessions *self, const unsigned char *token);
struct session *sessions_by_connection(const struct sessions *self, uint64_t connection);
struct session *sessions_by_id(const struct sessions *self, uint64_t id);

/* The session speaks through that connection from now on. 0: none. */
void sessions_connect(struct sessions *self, struct session *session, uint64_t connection);

/* It has been heard of now. */
void sessions_touch(struct sessions *self, struct session *session, int64_t now_ms);

/* Remembers an answer, taking over the reference: to the request that is next, or to one before it. */
void session_remember(struct session *self, uint64_t seq, struct wire_message *answer);

/* The answer to an earlier request, or NULL when it is no longer remembered. */
struct wire_message *session_answer(const struct session *self, uint64_t seq);

/* Sets the window, and how much may be in flight in it. */
void session_set_window(struct session *self, int window);

#endif
