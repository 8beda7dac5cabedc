/* The server's side for tables: who sends requests, and how messages leave. */
#ifndef TABLES_HOST_H
#define TABLES_HOST_H

#include "common/wire.h"

enum { TABLES_TOKEN = 16, TABLES_KEY = 41 /* bytes of a key in Z85, closing zero included */ };

/* The services that tables need from the server. `tell` and `publish` queue a message, or drop it when nobody
 * listens. A function that keeps a message takes its own reference (wire_hold). */
struct tables_host {
    void *context;
    void (*tell)(void *context, uint64_t session, struct wire_message *message);
    void (*publish)(void *context, const char *topic, struct wire_message *message);
    int (*random)(void *context, void *bytes, size_t size); /* unpredictable bits; -1: there are none */
};

/* The form in which a player is sent its view. */
enum tables_form {
    TABLES_RAW,    /* the observation's bytes */
    TABLES_FIELDS, /* a map by name */
    TABLES_WORDS,  /* a text */
    TABLES_CHANGES /* a text of what has changed since the last one */
};
enum { TABLES_FORMS = TABLES_CHANGES + 1 };

/* Their names in hello, in their order. */
extern const char *const tables_forms[TABLES_FORMS];

/* The sender of a request. The token identifies it. The session is where messages go, and may be another one after a
 * restart of the server. */
struct tables_player {
    uint64_t session;
    const unsigned char *token; /* TABLES_TOKEN bytes */
    const char *key;            /* CURVE key, or "" */
    const char *client;
    int form;  /* enum tables_form, as hello asked for */
    int texts; /* hello asked for actions as texts */
};

/* Figures for the server's operator. */
struct tables_figures {
    int waiting, playing;
    int64_t games;    /* that have ended */
    int64_t failures; /* failed writes to records or journals */
    int64_t journal_bytes;
    int subscriptions; /* of spectators */
};

#endif
