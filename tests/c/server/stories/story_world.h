/* One server, its network and its clock, all simulated. A story is what happens there by one seed: it is the same
 * whenever it is told. Nothing waits: the clock jumps to the next moment at which something happens. */
#ifndef STORY_WORLD_H
#define STORY_WORLD_H

#include "server.h"
#include "story_calls.h"

enum {
    WORLD_SOCKETS = 512,
    WORLD_CLIENTS = 16,
    WORLD_EVENTS = 80,
    WORLD_OWNERS = 4096,
    WORLD_UNDONE = 8,
    NOBODY = -1
};

static const int64_t never = INT64_MAX;

/* The last event, for the report of a fault. */
struct event {
    int64_t at;
    const char *what;
    int client;
    int64_t number;
    char text[200];
};

struct packet {
    struct packet *next;
    int64_t at;   /* when it arrives */
    int64_t said; /* when the server said it */
    size_t size;
    unsigned char bytes[];
};

struct line {
    struct packet *first, *last;
};

/* A client's socket, as ZeroMQ makes it: it connects again by itself, and the server takes that for another one. */
struct socket {
    int client;      /* NOBODY: free */
    uint64_t number; /* of its connection, 0: it has none now */
    int64_t connects_at;
    int is_closed; /* the client has left it, and it lingers until all is sent */
    struct line up, down;
};

/* A client is told what it hears, what leaves for it and what arrives from it at that moment, and when its time has
 * come. */
struct client;
struct client_kind {
    void (*wake)(struct client *self);
    void (*hear)(struct client *self, const struct packet *packet);
    void (*sent)(struct client *self, const struct packet *packet, int is_stale);
    void (*arrived)(struct client *self, const struct packet *packet);
    void (*lost)(struct client *self, int64_t kept_until); /* by a loss of power or the like: what was told since */
    void (*restarted)(struct client *self);
    void (*finish)(struct client *self); /* checks what is left, and frees */
};

struct client {
    const struct client_kind *kind;
    const char *key; /* CURVE's */
    int number;
    struct mh_rng random;
    struct socket *socket;
    int64_t wake_at;
    int is_done;
};

/* The ways in which a server ends. */
enum end { END_STOP, END_KILL, END_POWER };

static struct world {
    uint64_t seed;
    int is_told; /* the story is printed */
    struct mh_rng random;
    uint64_t hash; /* of all messages */
    struct server *server;
    struct server_options options;
    struct client *clients[WORLD_CLIENTS];
    int num_clients;
    struct socket sockets[WORLD_SOCKETS];
    uint64_t made;            /* connections */
    int owners[WORLD_OWNERS]; /* whose the last ones are or were, by their lower bits */
    int64_t due;              /* of the server; never: it waits for messages */
    int64_t stopped_at, starts_at;
    struct {
        int64_t from, to;
    } undone[WORLD_UNDONE]; /* by the last losses, perhaps: what was said in between, and may still be under way */
    int num_undone;
    int64_t stuck_since, stuck_ms; /* while the disk refuses; -1: it does not */
    int64_t good_at;               /* the last time at which it did not */
    int is_settled;                /* this process has synced once */
    int is_reverted;               /* a sync has failed since */
    enum end end;                  /* how the process that lives now will die */
    int messages_to_crash;         /* so many messages from now it does; 0: none */
    int64_t crash_at;
    int64_t calm_at; /* from then on nothing fails any more */
    int calmed;
    int has_lost_sync; /* power was lost after a sync had failed: a reply to sit may be kept without the seat */
    int delay_ms, lose_one_in; /* of the network: the most; a connection breaks with one message in so many */
    int64_t disk_at;           /* when the disk's condition changes */
    struct event events[WORLD_EVENTS];
    int num_events;
    long messages, crashes, losses, refusals;
} world;

/* ---- Reports ---------------------------------------------------------------------------------------------------- */

static void event_print(const struct event *event)
{
    fprintf(stderr, "%8lld ms  client %2d  %-12s %6lld  %s\n", (long long)event->at, event->client, event->what,
            (long long)event->number, event->text);
}

static void note(const char *what, int client, int64_t number, const char *text)
{
    struct event *event = &world.events[world.num_events++ % WORLD_EVENTS];
    *event = (struct event){platter.now_ms, what, client, number, ""};
    (void)snprintf(event->text, sizeof event->text, "%s", text);
    if (world.is_told) {
        event_print(event);
    }
}

/* Ends the program. */
_Noreturn static void fault(int client, const char *what, int64_t number)
{
    for (int i = world.num_events < WORLD_EVENTS ? 0 : world.num_events - WORLD_EVENTS;
         i < world.num_events && !world.is_told; i++) {
        event_print(&world.events[i % WORLD_EVENTS]);
    }
    fprintf(stderr, "client %d: %s (%lld)\nthe whole story again: test_server_stories seed %llu\n", client, what,
            (long long)number, (unsigned long long)world.seed);
    exit(1);
}

static uint64_t fold(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x100000001B3u;
    }
    return hash ^ hash >> 32;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- The network ------------------------------------------------------------------------------------------------- */

static int below(int bound)
{
    return (int)mh_rng_below(&world.random, (uint32_t)bound);
}

static int64_t delay(void)
{
    const int most = below(4) ? world.delay_ms / 8 : world.delay_ms;
    return platter.now_ms + below(most + 1);
}

static void line_put(struct line *self, struct packet *packet)
{
    packet->at = delay();
    if (self->last && self->last->at > packet->at) {
        packet->at = self->last->at;
    }
    *(self->last ? &self->last->next : &self->first) = packet;
    self->last = packet;
}

static struct packet *packet_new(const unsigned char *bytes, size_t size)
{
    struct packet *self = check_memory(sizeof *self + size);
    self->size = size;
    self->said = platter.now_ms;
    memcpy(self->bytes, bytes, size);
    return self;
}

static struct packet *line_take(struct line *self)
{
    struct packet *packet = self->first;
    self->first = packet->next;
    self->last = self->first ? self->last : NULL;
    return packet;
}

static void line_drop(struct line *self, int all)
{
    while (self->first && (all || below(2))) {
        free(line_take(self));
    }
}

/* What has reached the other side is there. */
static void line_cut(struct line *self)
{
    struct packet **link = &self->first;
    self->last = NULL;
    for (int kept = below(4); *link && kept > 0; kept--) {
        self->last = *link;
        link = &(*link)->next;
    }
    struct line rest = {*link, NULL};
    *link = NULL;
    line_drop(&rest, 1);
}

static int64_t line_at(const struct line *self)
{
    return self->first ? self->first->at : never;
}

static struct socket *socket_new(struct client *client)
{
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        struct socket *self = &world.sockets[i];
        if (self->client == NOBODY) {
            *self = (struct socket){.client = client->number, .connects_at = delay()};
            return self;
        }
    }
    fault(client->number, "too many sockets", WORLD_SOCKETS);
}

static void socket_free(struct socket *self)
{
    line_drop(&self->up, 1);
    line_drop(&self->down, 1);
    self->client = NOBODY;
}

/* The connection breaks: what is on its way is lost, and ZeroMQ sends the rest when it has another one. */
static void socket_break(struct socket *self)
{
    line_drop(&self->up, 0);
    line_cut(&self->down);
    self->number = 0;
    self->connects_at = delay() + 1;
    if (self->is_closed && !self->up.first) {
        socket_free(self);
    }
}

/* The client leaves it. */
static void socket_close(struct socket *self, int lingers)
{
    line_drop(&self->down, 1);
    self->is_closed = 1;
    if (!lingers || !self->up.first) {
        socket_free(self);
    }
}

static void socket_send(struct socket *self, const unsigned char *bytes, size_t size)
{
    line_put(&self->up, packet_new(bytes, size));
}

static int send_down(void *context, uint64_t connection, struct wire_message *message)
{
    (void)context;
    if (platter.is_dead || connection == 0) {
        return -1;
    }
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        struct socket *socket = &world.sockets[i];
        if (socket->client != NOBODY && socket->number == connection) {
            struct client *client = world.clients[socket->client];
            struct packet *packet = packet_new(message->bytes, message->size);
            world.hash = fold(world.hash, packet->bytes, packet->size);
            client->kind->sent(client, packet, client->socket != socket);
            if (socket->is_closed) {
                free(packet);
            } else {
                line_put(&socket->down, packet);
            }
            return 0;
        }
    }
    struct client *owner = world.clients[world.owners[connection % WORLD_OWNERS]];
    struct packet *packet = packet_new(message->bytes, message->size);
    owner->kind->sent(owner, packet, 1);
    free(packet);
    return -1;
}

static void publish(void *context, const char *topic, struct wire_message *message)
{
    (void)context;
    (void)topic;
    (void)message;
}

/* ---- The server's life ------------------------------------------------------------------------------------------- */

static void world_log(void *context, const char *text)
{
    (void)context;
    note("log", NOBODY, 0, text);
    if (strstr(text, "does not fit the game")) { /* a loss of power may cut a journal, and what is left is sound */
        fault(NOBODY, "a whole entry of a table is taken for damage", world.crashes);
    }
}

/* The disk as the operator keeps it after a failure: it works, mostly. */
static void server_start(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct server_host host = {NULL, send_down, publish};
    const int is_calm = platter.now_ms >= world.calm_at;
    world.starts_at = never;
    if (server_new(&world.options, &host, platter.now_ms, message, &world.server) != 0) {
        note("no start", NOBODY, 0, message);
        if (is_calm) {
            fault(NOBODY, "the server does not start", 0);
        }
        platter_kill();
        world.starts_at = platter.now_ms + 100;
        return;
    }
    note("start", NOBODY, 0, "");
    world.made = below(3) ? 0 : UINT32_MAX - (uint64_t)below(20); /* the lower 32 bits begin again */
    world.due = platter.now_ms;
    world.stuck_since = -1;
    world.is_settled = 0;
    world.good_at = world.stopped_at;
    for (int i = 0; i < world.num_clients; i++) {
        world.clients[i]->kind->restarted(world.clients[i]);
    }
}

/* Messages before that time are certain to be kept; INT64_MAX: all messages. */
static int64_t kept_until(enum end end)
{
    enum { SECOND_MS = 1000, SLACK_MS = 100 };
    if (world.options.sync == DISK_ALWAYS || (end != END_POWER && !world.is_reverted)) {
        return never;
    }
    if (world.options.sync == DISK_NEVER) {
        return -1;
    }
    const int64_t good = world.is_settled ? platter.now_ms : world.stopped_at;
    return (world.stuck_since >= 0 ? world.good_at : good) - SECOND_MS - SLACK_MS - 20 * platter.sync_ms;
}

static int is_undone(int64_t said)
{
    int found = 0;
    for (int i = 0; i < WORLD_UNDONE; i++) {
        found |= said > world.undone[i].from && said <= world.undone[i].to;
    }
    return found;
}

static void server_stop(enum end end)
{
    static const char *const names[] = {"stop", "kill", "power loss"};
    note(names[end], NOBODY, 0, platter.is_dead ? "in a call" : "");
    world.is_reverted |= platter.sync_failures > 0;
    const int64_t kept = kept_until(end);
    const int was_reverted = world.is_reverted;
    platter.is_dead |= end != END_STOP;
    server_free(&world.server);
    if (end == END_POWER) {
        platter_lose_power();
    } else {
        platter_kill();
        if (world.is_reverted) {
            /* The next process cannot know what a sync failed to keep, and trusts what it reads. */
            platter_settle();
        }
    }
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        if (world.sockets[i].client != NOBODY) {
            socket_break(&world.sockets[i]);
        }
    }
    for (int i = 0; i < world.num_clients && kept != never; i++) {
        world.clients[i]->kind->lost(world.clients[i], kept);
    }
    world.crashes++;
    world.losses += end == END_POWER;
    world.has_lost_sync |= end == END_POWER && was_reverted;
    world.stuck_ms += world.stuck_since >= 0 ? platter.now_ms - world.stuck_since : 0;
    world.stuck_since = -1;
    world.is_reverted = 0;
    world.messages_to_crash = 0;
    world.due = never;
    world.stopped_at = platter.now_ms;
    if (kept != never) {
        const int place = world.num_undone++ % WORLD_UNDONE;
        world.undone[place].from = kept;
        world.undone[place].to = platter.now_ms;
    }
    world.starts_at = platter.now_ms + 1 + below(below(4) ? 200 : 20000);
}

/* Notices a process that has died in a call. */
static int server_is_up(void)
{
    if (world.server && platter.is_dead) {
        server_stop(world.end == END_STOP ? END_KILL : world.end);
    }
    return world.server != NULL;
}

static void note_stuck(void)
{
    struct server_figures figures;
    server_figures(world.server, &figures);
    if (figures.is_late && world.stuck_since < 0) {
        note("stuck", NOBODY, 0, "");
        world.stuck_since = platter.now_ms;
        world.refusals++;
    } else if (!figures.is_late && world.stuck_since >= 0) {
        note("mended", NOBODY, 0, "");
        world.stuck_ms += platter.now_ms - world.stuck_since;
        world.stuck_since = -1;
    }
    world.is_settled |= figures.syncs > 0;
    if (!figures.is_late && world.is_settled) {
        world.good_at = platter.now_ms;
        world.is_reverted = 0;
    }
    world.is_reverted |= platter.sync_failures > 0 && figures.is_late;
    platter.sync_failures = 0;
}

static void server_work(void)
{
    const int64_t due = server_tick(world.server, platter.now_ms);
    world.due = due < 0 ? never : due;
    if (server_is_up()) {
        note_stuck();
    }
    platter.now_ms += platter.lag_ms;
    platter.lag_ms = 0;
}

/* A message that has arrived, from a copy of exactly its size so that the sanitizers see every read beyond it. */
static void server_take(struct socket *socket)
{
    struct packet *packet = line_take(&socket->up);
    struct client *client = world.clients[socket->client];
    unsigned char *bytes = check_memory(packet->size ? packet->size : 1);
    memcpy(bytes, packet->bytes, packet->size);
    world.hash = fold(world.hash, packet->bytes, packet->size);
    world.hash = fold(world.hash, &platter.now_ms, sizeof platter.now_ms);
    world.messages++;
    client->kind->arrived(client, packet);
    server_receive(world.server, socket->number, client->key, bytes, packet->size, platter.now_ms);
    platter.is_dead |= world.messages_to_crash == 1;
    world.messages_to_crash -= world.messages_to_crash > 0;
    free(bytes);
    free(packet);
    if (server_is_up()) {
        if (world.lose_one_in && platter.now_ms < world.calm_at && below(world.lose_one_in) == 0) {
            socket_break(socket);
        } else if (socket->is_closed && !socket->up.first) {
            socket_free(socket);
        }
    }
}

#endif
