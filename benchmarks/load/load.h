/* Clients of mhing-server in thousands, in one thread: steppers, each with an environment, and players at tables.
 *
 * Steppers step at fixed times, whether or not replies are slow, and a step takes from its time to its reply. So a
 * server that stops for a second is seen in all the steps of that second. Players answer after a while of thinking.
 * Every client checks what it is sent: each request has exactly one reply, questions come one after the other, and
 * some steppers play the same games in this process and compare bytes. Who loses its connection comes back with its
 * token. */
#ifndef LOAD_H
#define LOAD_H

#include <netinet/in.h>

#include "common/wire.h"
#include "line.h"
#include "mh.h"

enum { TOKEN = 16, SLOWEST_US = 1 << 22 };

struct counts {
    int64_t steps, answers, games;      /* that went well */
    int64_t lost, unasked, refused;     /* requests without a reply, replies without a request, errors */
    int64_t missed;                     /* answers and questions at tables */
    int64_t compared, different;        /* steps played in this process as well */
    int64_t cut, resumed, anew, silent; /* connections, sessions that went on and that did not, and timeouts */
};

struct client {
    int number, is_player, is_live; /* live: its game has begun */
    struct line line;
    unsigned char token[TOKEN];
    int has_token, is_greeting;
    uint64_t seq;                 /* of the last numbered request */
    struct wire_message *request; /* has no reply yet; NULL: none */
    int64_t due;                  /* when it does something next, nanoseconds; -1: never */
    int64_t wanted;               /* when the step on its way was due */
    int64_t gone;                 /* since when it has had no connection; 0: it has one */
    uint64_t random;
    uint64_t episode; /* environments and tables before this one */
    int action;
    struct mh_batch *twin; /* the stepper's game in this process, or NULL */
    struct mh_buffers arrays;
    uint64_t turn; /* of the last question */
    int is_asked;
};

struct load {
    struct sockaddr_in address;
    int epoll;
    struct client *clients;
    int count, live;
    int players_per_table;
    int machines; /* from which clients seem to come: addresses from 127.1.0.1 on; 0: all from 127.0.0.1 */
    int64_t now, begin, end; /* nanoseconds; begin 0: not all clients are live yet */
    int64_t period, think;   /* of a stepper, of an answer */
    struct timer {
        int64_t due;
        int client;
    } *timers; /* a heap */
    int num_timers, max_timers;
    /* Numbers by how long they took, up to SLOWEST_US: steps from their time to the reply, from there to the time at
     * which this process sent them, and lines that were cut to the next hello. */
    uint32_t *steps_us, *late_us, *outages_ms;
    struct counts counts;
    int complaints;
    struct mh_game *game;
    struct mh_sizes sizes;
    msgpack_zone zone;
};

/* clients.c: connections, requests and replies, time */
int64_t clock_now(void); /* nanoseconds */
void client_wait(struct load *load, struct client *client, int64_t due);
/* Begins the next request with that many arguments, which the caller writes; sends it. */
struct wire_out client_begin(struct client *client, const char *name, size_t arguments);
void client_ask(struct load *load, struct client *client, struct wire_out *out);
/* Sends what has no reply. */
void client_tell(struct load *load, struct client *client, struct wire_out *out);
void client_complain(struct load *load, const struct client *client, const char *what,
                     const struct wire_args *args);
void client_connect(struct load *load, struct client *client);
void client_read(struct load *load, struct client *client);
void client_act(struct load *load, struct client *client); /* it is due */
uint32_t client_random(struct client *client, uint32_t below);
/* A random flag that is set. */
int client_choose(struct client *client, const unsigned char *flags, size_t count);
void client_live(struct load *load, struct client *client);

/* steppers.c: make an environment, step it */
void stepper_twin(struct load *load, struct client *client); /* plays in this process as well */
void stepper_free_twin(struct client *client);
void stepper_start(struct load *load, struct client *client);
void stepper_reply(struct load *load, struct client *client, const struct wire_args *reply);
void stepper_step(struct load *load, struct client *client);

/* players.c: sit down, answer */
void player_start(struct load *load, struct client *client);
void player_hear(struct load *load, struct client *client, const char *name, const struct wire_args *message);
void player_answer(struct load *load, struct client *client);

/* trouble.c: bad clients, until the process is ended. 2: no such trouble. */
int trouble(const char *kind, const struct sockaddr_in *address, int count);

#endif
