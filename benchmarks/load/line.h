/* A client's end of a ZeroMQ connection over TCP, spoken directly (ZMTP 3.0 with the mechanism NULL, RFC 23). It takes
 * one descriptor and no thread, so that thousands fit into one process beside the server that they measure, and a bad
 * client can be bad at every byte. */
#ifndef LINE_H
#define LINE_H

#include <stddef.h>

struct sockaddr_in;

struct line {
    int file;                 /* -1: closed */
    int is_greeted, is_ready; /* of the handshake: the peer's greeting and its READY have come */
    unsigned char *in;        /* bytes received, of which those before `at` were taken */
    size_t at, have, space;
    unsigned char
        *out; /* to be sent later: messages before the handshake's end, and what the system did not take */
    size_t left, room;
};

enum { LINE_GREETING = 64 };

/* Connects, without a word; `from` NULL: from any address of this machine. -1: no connection. line_close also frees the
 * memory of one that is closed already. */
int line_open(struct line *self, const struct sockaddr_in *from, const struct sockaddr_in *address);
void line_close(struct line *self);

/* The greeting and the command READY. Messages may follow at once; they are kept until the peer is ready. */
int line_greet(struct line *self);
/* The first `size` of these bytes, at most LINE_GREETING; the peer waits for the others. */
int line_greet_half(struct line *self, size_t size);

/* Sends one message. 1: the peer does not read, nothing was sent. -1: the connection is gone. */
int line_send(struct line *self, const void *message, size_t size);
/* Sends bytes as they are. The same results. */
int line_send_raw(struct line *self, const void *bytes, size_t size);

/* Reads what there is. -1: the connection is gone. */
int line_receive(struct line *self);
/* The next message; answers heartbeats. 0: none. It is valid until line_receive. */
int line_next(struct line *self, const unsigned char **message, size_t *size);

#endif
