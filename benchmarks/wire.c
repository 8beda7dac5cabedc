/* The measure of a server: a bare echo, and clients that only send and receive.
 *
 *     wire echo ENDPOINT                                 answers until it is killed
 *     wire drive ENDPOINT FILE CLIENTS WINDOW            sends the messages of FILE from every client
 *     wire turns ENDPOINT FILE ENDPOINT FILE MESSAGES    sends two files in turns of so many messages, in lock-step
 *
 * A file holds numbers as u32 in the machine's order: how many messages, how many of them come before the clock starts,
 * and of every message its size and its bytes. The echo takes the size of its reply from the first four bytes. `drive`
 * stops when the first client is through, and prints seconds, replies of all clients, and of the slowest one. `turns`
 * prints a line for each pair of turns: the seconds of either. Turns are short, so that both meet the machine in the
 * same mood. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

enum { MAX_CLIENTS = 256, MAX_REPLY = 1 << 26 };

static int fail(const char *what)
{
    (void)fprintf(stderr, "wire: %s: %s\n", what, zmq_strerror(zmq_errno()));
    return 1;
}

/* ---- The echo ------------------------------------------------------------------------------------------------ */

/* Replies are of the bytes that ZeroMQ's own example of an echo would send: copied out of memory that is there. */
static int answer(void *socket, const unsigned char *memory)
{
    char identity[256];
    unsigned char request[1 << 16];
    uint32_t size = 0;
    const int named = zmq_recv(socket, identity, sizeof identity, 0);
    const int length = zmq_recv(socket, request, sizeof request, 0);
    if (named < 0 || length < (int)sizeof size) {
        return -1;
    }
    memcpy(&size, request, sizeof size);
    if (size > MAX_REPLY || zmq_send(socket, identity, (size_t)named, ZMQ_SNDMORE) < 0) {
        return -1;
    }
    return zmq_send(socket, memory, size, 0);
}

static int echo(void *context, const char *endpoint)
{
    static unsigned char memory[MAX_REPLY] = {0x90, 0xa2, 'o', 'k'};
    void *socket = zmq_socket(context, ZMQ_ROUTER);
    if (!socket || zmq_bind(socket, endpoint) != 0) {
        return fail(endpoint);
    }
    while (answer(socket, memory) >= 0) {
    }
    return fail("echo");
}

/* ---- Clients ------------------------------------------------------------------------------------------------- */

struct script {
    unsigned char *bytes;
    const unsigned char **messages;
    uint32_t count, before;
};

struct client {
    void *socket;
    uint32_t sent, answered;
};

static uint32_t number_at(const unsigned char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* The whole file, or NULL. */
static unsigned char *read_file(const char *path)
{
    unsigned char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size >= 8 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)size);
    }
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    (void)fclose(file);
    return bytes;
}

static int read_script(struct script *self, const char *path)
{
    self->bytes = read_file(path);
    if (!self->bytes) {
        return -1;
    }
    self->count = number_at(self->bytes);
    self->before = number_at(self->bytes + 4);
    self->messages = (const unsigned char **)calloc(self->count, sizeof *self->messages);
    const unsigned char *at = self->bytes + 8;
    for (uint32_t i = 0; self->messages && i < self->count; i++) {
        self->messages[i] = at;
        at += 4 + number_at(at);
    }
    return self->messages ? 0 : -1;
}

static int post(struct client *self, const struct script *script)
{
    const unsigned char *message = script->messages[self->sent++];
    return message && zmq_send(self->socket, message + 4, number_at(message), 0) >= 0 ? 0 : -1;
}

/* Takes a reply, which has to be a good one. Returns 1 when there is none yet and ZMQ_DONTWAIT is among `flags`. */
static int take(struct client *self, int flags)
{
    zmq_msg_t reply;
    int status = -1;
    (void)zmq_msg_init(&reply);
    if (zmq_msg_recv(&reply, self->socket, flags) >= 4) {
        status = memcmp((const char *)zmq_msg_data(&reply) + 1, "\xa2ok", 3) == 0 ? 0 : -1;
        self->answered++;
    } else if (flags & ZMQ_DONTWAIT && zmq_errno() == EAGAIN) {
        status = 1;
    }
    (void)zmq_msg_close(&reply);
    return status;
}

static int start(struct client *self, void *context, const char *endpoint, const struct script *script)
{
    self->socket = zmq_socket(context, ZMQ_DEALER);
    if (!self->socket || zmq_connect(self->socket, endpoint) != 0) {
        return -1;
    }
    while (self->sent < script->before) {
        if (post(self, script) != 0 || take(self, 0) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Keeps `window` messages on their way. Returns 1 when the script is at its end, -1 on failure. */
static int advance(struct client *self, const struct script *script, uint32_t window)
{
    while (self->sent < script->count && self->sent - self->answered < window) {
        if (post(self, script) != 0) {
            return -1;
        }
    }
    return self->answered == script->count;
}

/* Takes all replies that are there, and sends as many messages. Returns what advance does. */
static int catch_up(struct client *self, const struct script *script, uint32_t window)
{
    int taken = take(self, ZMQ_DONTWAIT);
    while (taken == 0 && self->answered < script->count) {
        taken = take(self, ZMQ_DONTWAIT);
    }
    return taken < 0 ? -1 : advance(self, script, window);
}

/* One client waits in its socket; more than one are waited for together. */
static int run(struct client *clients, int count, const struct script *script, uint32_t window)
{
    zmq_pollitem_t items[MAX_CLIENTS];
    int status = 0;
    for (int i = 0; i < count && status == 0; i++) {
        items[i] = (zmq_pollitem_t){.socket = clients[i].socket, .events = ZMQ_POLLIN};
        status = advance(&clients[i], script, window);
    }
    while (status == 0) {
        if (count > 1 && zmq_poll(items, count, -1) < 0) {
            return -1;
        }
        if (count == 1) {
            status = take(clients, 0) != 0 ? -1 : advance(clients, script, window);
            continue;
        }
        for (int i = 0; i < count && status == 0; i++) {
            status = items[i].revents & ZMQ_POLLIN ? catch_up(&clients[i], script, window) : 0;
        }
    }
    return status;
}

static double now(void)
{
    struct timespec time;
    (void)timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int drive(void *context, const char *endpoint, const struct script *script, int count, uint32_t window)
{
    struct client clients[MAX_CLIENTS] = {0};
    for (int i = 0; i < count; i++) {
        if (start(&clients[i], context, endpoint, script) != 0) {
            return fail("a message before the start");
        }
    }
    const double begin = now();
    if (run(clients, count, script, window) < 0) {
        return fail("a message");
    }
    const double seconds = now() - begin;
    uint32_t slowest = script->count;
    uint64_t total = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t answered = clients[i].answered - script->before;
        slowest = answered < slowest ? answered : slowest;
        total += answered;
    }
    (void)printf("%.6f %llu %u\n", seconds, (unsigned long long)total, (unsigned)slowest);
    return 0;
}

/* Plays `messages` in lock-step and prints how long it took. */
static int play_turn(struct client *self, const struct script *script, uint32_t messages)
{
    const double begin = now();
    for (uint32_t i = 0; i < messages; i++) {
        if (post(self, script) != 0 || take(self, 0) != 0) {
            return -1;
        }
    }
    (void)printf("%.9f ", now() - begin);
    return 0;
}

/* Two clients, with an endpoint and a script each; as many turns as the shorter script is long. */
static int take_turns(void *context, char **endpoints, const struct script *scripts, uint32_t messages)
{
    struct client clients[2] = {0};
    for (int i = 0; i < 2; i++) {
        if (start(&clients[i], context, endpoints[2 * i], &scripts[i]) != 0) {
            return fail("a message before the start");
        }
    }
    while (clients[0].sent + messages <= scripts[0].count && clients[1].sent + messages <= scripts[1].count) {
        for (int i = 0; i < 2; i++) {
            if (play_turn(&clients[i], &scripts[i], messages) != 0) {
                return fail("a message");
            }
        }
        (void)printf("\n");
    }
    return 0;
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: wire echo ENDPOINT | wire drive ENDPOINT FILE CLIENTS WINDOW | "
                          "wire turns ENDPOINT FILE ENDPOINT FILE MESSAGES\n");
    return 2;
}

int main(int argc, char **argv)
{
    void *context = zmq_ctx_new();
    if (argc == 3 && strcmp(argv[1], "echo") == 0) {
        return echo(context, argv[2]);
    }
    static struct script scripts[2]; /* as long as the program runs */
    if (argc == 6 && strcmp(argv[1], "drive") == 0) {
        const long count = strtol(argv[4], NULL, 10);
        const long window = strtol(argv[5], NULL, 10);
        if (count < 1 || count > MAX_CLIENTS || window < 1 || read_script(scripts, argv[3]) != 0) {
            return usage();
        }
        return drive(context, argv[2], scripts, (int)count, (uint32_t)window);
    }
    if (argc == 7 && strcmp(argv[1], "turns") == 0) {
        const long messages = strtol(argv[6], NULL, 10);
        if (messages < 1 || read_script(&scripts[0], argv[3]) != 0 || read_script(&scripts[1], argv[5]) != 0) {
            return usage();
        }
        return take_turns(context, &argv[2], scripts, (uint32_t)messages);
    }
    return usage();
}
