#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MORE = 1, LONG = 2, COMMAND = 4, HEAD = 9 };

int line_open(struct line *self, const struct sockaddr_in *from, const struct sockaddr_in *address)
{
    const int on = 1;
    *self = (struct line){.file = socket(AF_INET, SOCK_STREAM, 0)};
    if (self->file < 0 || (from && bind(self->file, (const struct sockaddr *)from, sizeof *from) != 0) ||
        connect(self->file, (const struct sockaddr *)address, sizeof *address) != 0 ||
        setsockopt(self->file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        fcntl(self->file, F_SETFL, O_NONBLOCK) != 0) {
        line_close(self);
        return -1;
    }
    return 0;
}

void line_close(struct line *self)
{
    if (self->file >= 0) {
        close(self->file);
    }
    free(self->in);
    free(self->out);
    *self = (struct line){.file = -1};
}

/* ---- Sending ------------------------------------------------------------------------------------------------ */

/* Sends what the system takes; -1: the connection is gone. */
static int push(const struct line *self, const unsigned char *bytes, size_t size, size_t *sent)
{
    *sent = 0;
    while (*sent < size) {
        const ssize_t taken = send(self->file, bytes + *sent, size - *sent, MSG_NOSIGNAL);
        if (taken < 0) {
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        }
        *sent += (size_t)taken;
    }
    return 0;
}

/* Sends what was kept. 1: not all of it. */
static int flush(struct line *self)
{
    size_t sent;
    if (self->left > 0) {
        if (push(self, self->out, self->left, &sent) != 0) {
            return -1;
        }
        self->left -= sent;
        memmove(self->out, self->out + sent, self->left);
    }
    return self->left > 0;
}

/* Keeps what is to be sent later. */
static int keep(struct line *self, const unsigned char *bytes, size_t size)
{
    if (self->left + size > self->room) {
        const size_t room = 2 * (self->left + size);
        unsigned char *larger = realloc(self->out, room);
        if (!larger) {
            return -1;
        }
        self->out = larger;
        self->room = room;
    }
    memcpy(self->out + self->left, bytes, size);
    self->left += size;
    return 0;
}

int line_send_raw(struct line *self, const void *bytes, size_t size)
{
    size_t sent;
    const int status = flush(self);
    if (status != 0) {
        return status;
    }
    if (push(self, bytes, size, &sent) != 0) {
        return -1;
    }
    return sent < size ? keep(self, (const unsigned char *)bytes + sent, size - sent) : 0;
}

static size_t write_head(unsigned char *head, int flags, size_t size)
{
    if (size < 256) {
        head[0] = (unsigned char)flags;
        head[1] = (unsigned char)size;
        return 2;
    }
    head[0] = (unsigned char)(flags | LONG);
    for (int i = 0; i < 8; i++) {
        head[1 + i] = (unsigned char)(size >> (8 * (7 - i)));
    }
    return HEAD;
}

int line_send(struct line *self, const void *message, size_t size)
{
    unsigned char small[1024];
    unsigned char *frame = size + HEAD <= sizeof small ? small : malloc(size + HEAD);
    if (!frame) {
        return -1;
    }
    const size_t head = write_head(frame, 0, size);
    memcpy(frame + head, message, size);
    const int status = self->is_ready ? line_send_raw(self, frame, head + size) : keep(self, frame, head + size);
    if (frame != small) {
        free(frame);
    }
    return status;
}

/* Signature, version 3.0, mechanism, zeros; then the command READY. */
static const unsigned char greeting[] = "\xff\0\0\0\0\0\0\0\0\x7f"
                                        "\x03\0"
                                        "NULL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                        "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
                                        "DEALER";

int line_greet(struct line *self)
{
    return line_send_raw(self, greeting, sizeof greeting - 1);
}

int line_greet_half(struct line *self, size_t size)
{
    return line_send_raw(self, greeting, size < LINE_GREETING ? size : LINE_GREETING);
}

/* ---- Receiving ---------------------------------------------------------------------------------------------- */

static int make_space(struct line *self)
{
    enum { LEAST = 4096 };
    if (self->at > 0) {
        memmove(self->in, self->in + self->at, self->have - self->at);
        self->have -= self->at;
        self->at = 0;
    }
    if (self->space - self->have >= LEAST) {
        return 0;
    }
    const size_t space = 2 * self->space + LEAST;
    unsigned char *larger = realloc(self->in, space);
    if (!larger) {
        return -1;
    }
    self->in = larger;
    self->space = space;
    return 0;
}

int line_receive(struct line *self)
{
    for (;;) {
        if ((self->space == 0 || self->at > 0 || self->have == self->space) && make_space(self) != 0) {
            return -1;
        }
        const size_t space = self->space - self->have;
        const ssize_t taken = recv(self->file, self->in + self->have, space, 0);
        if (taken < 0) {
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        }
        if (taken == 0) {
            return -1;
        }
        self->have += (size_t)taken;
        if ((size_t)taken < space) {
            return 0;
        }
    }
}

/* The size of the frame at `at`, and where its body begins; 0: it is not whole yet. */
static size_t read_head(const struct line *self, size_t *body)
{
    const unsigned char *head = self->in + self->at;
    const size_t have = self->have - self->at;
    if (have < 2 || (head[0] & LONG && have < HEAD)) {
        return 0;
    }
    size_t size = head[1];
    *body = 2;
    if (head[0] & LONG) {
        size = 0;
        for (int i = 1; i < HEAD; i++) {
            size = size << 8 | head[i];
        }
        *body = HEAD;
    }
    return have >= *body + size ? *body + size : 0;
}

/* READY ends the handshake; the peer takes no message before it has sent this. PING is a heartbeat: two bytes of time,
 * and a context that PONG returns. */
static void answer_command(struct line *self, const unsigned char *command, size_t size)
{
    unsigned char pong[32] = {COMMAND, 0, 4, 'P', 'O', 'N', 'G'};
    if (size >= 6 && memcmp(command, "\5READY", 6) == 0) {
        self->is_ready = 1;
        (void)flush(self);
    } else if (size >= 7 && size <= 7 + 16 && memcmp(command, "\4PING", 5) == 0) {
        pong[1] = (unsigned char)(5 + size - 7);
        memcpy(pong + 7, command + 7, size - 7);
        (void)line_send_raw(self, pong, 2 + (size_t)pong[1]);
    }
}

int line_next(struct line *self, const unsigned char **message, size_t *size)
{
    if (!self->is_greeted) {
        if (self->have - self->at < LINE_GREETING) {
            return 0;
        }
        self->at += LINE_GREETING;
        self->is_greeted = 1;
    }
    size_t body;
    for (size_t whole = read_head(self, &body); whole > 0; whole = read_head(self, &body)) {
        const unsigned char *frame = self->in + self->at;
        self->at += whole;
        *message = frame + body;
        *size = whole - body;
        if (!(frame[0] & COMMAND)) {
            return 1;
        }
        answer_command(self, *message, *size);
    }
    return 0;
}
