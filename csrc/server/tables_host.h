/* What tables are given by the server: who sends requests, and how messages leave. */
#ifndef TABLES_HOST_H
#define TABLES_HOST_H

#include "wire.h"

enum { TABLES_TOKEN = 16, TABLES_KEY = 41 /* bytes of a key in Z85, closing zero included */ };

/* What the tables ask of the server. Both messages are queued and dropped where nobody listens; who keeps one takes a
 * reference of its own (wire_hold). */
struct tables_host {
    void *context;
    void (*tell)(void *context, uint64_t session, struct wire_message *message);
    void (*publish)(void *context, const char *topic, struct wire_message *message);
    uint64_t (*random)(void *context); /* bits that nobody can guess: seeds of deals are made of them */
};

/* Who sends a request. The token is who it is; the session is where answers go, and may be another one after a restart
 * of the server. */
struct tables_player {
    uint64_t session;
    const unsigned char *token; /* TABLES_TOKEN bytes */
    const char *key;            /* CURVE key, or "" */
    const char *client;
    int fields, texts; /* whether hello asked for observations by name, for actions as texts */
};

/* How much there is, for people who look after the server. */
struct tables_figures {
    int waiting, playing;
    int64_t games;    /* that have ended */
    int64_t failures; /* to write to records or journals */
};

#endif
