/* Everything is done exactly once, in simulated time: network, disk, clock and clients are in this process, and all of
 * a story follows from its seed. Messages are late, lost, come twice and overtake those of other connections; the disk
 * is full, slow or sick; the server is killed in the middle of its work, loses its power, and starts again. Whatever
 * happens, clients hear what the core in process says, and nothing that was confirmed is lost beyond what PROTOCOL.md
 * says of --sync.
 *
 *   test_server_stories [COUNT [FIRST]]     so many stories, with seeds from FIRST (1)
 *   test_server_stories seed SEED           one story, told */
#include <time.h>

#include "story_guests.h"
#include "story_rows.h"
#include "story_strangers.h"
#include "story_table.h"

enum { FEW = 120 /* stories without arguments */, END_MS = 3600 * 1000 };

/* ---- The plan of a story ----------------------------------------------------------------------------------------- */

static void add_client(struct client *client, const char *key, void (*begin)(struct client *client))
{
    client->number = world.num_clients;
    client->key = key;
    client->random = mh_rng_stream(world.seed, 1000 + (uint64_t)client->number);
    client->wake_at = never;
    CHECK(world.num_clients < WORLD_CLIENTS);
    world.clients[world.num_clients++] = client;
    begin(client);
}

static void add_table(int number, int is_safe)
{
    static const int64_t clocks[] = {1000, 5000, 10000, 60000};
    const int players = is_safe && below(3) == 0 ? 2 : 1;
    const int seats = players + 1 + below(2);
    const int games = 1 + below(2);
    const int64_t clock = clocks[below(4)];
    const struct plan plan = {.number = number,
                              .players = players,
                              .games = games,
                              .bots = seats - players,
                              .clock = clock,
                              .pause = players == 1 ? 0
                                       : below(2)   ? 200
                                                    : 2000,
                              .seed = mh_rng_next(&world.random) >> 1,
                              .options = seats == 2   ? "num_players=2"
                                         : seats == 3 ? "num_players=3"
                                                      : ""};
    for (int i = 0; i < players; i++) {
        add_client(table_new(&plan), "", table_begin);
    }
}

/* With CURVE, the one with a key and the other with another one. */
static void add_guest(void)
{
    struct party *host = party_new(NULL);
    add_client(&host->speaker.client, "host", party_begin);
    add_client(&party_new(host)->speaker.client, "guest", party_begin);
}

static void plan_server(void)
{
    static const enum disk_sync syncs[] = {DISK_ALWAYS, DISK_ALWAYS, DISK_SECOND, DISK_NEVER};
    world.options = server_defaults();
    world.options.state = "state";
    world.options.records = "records";
    world.options.open_seeds = 1;
    world.options.sync = syncs[below(4)];
    world.options.max_sessions = 24;
    world.options.sessions_per_key = 16;
    world.options.rows_per_session = 16;
    world.options.expire_ms = below(3) ? 3600 * 1000 : 120 * 1000;
    world.options.slice_ns = below(2) ? 1000000 : 0;
    world.options.log = (struct files_log){NULL, world_log, NULL};
    platter.step_ns = below(3) ? 1000 : 400000;
    platter.sync_ms = below(3) ? 0 : below(30);
}

static void plan_story(uint64_t seed, int is_told)
{
    memset(&world, 0, sizeof world);
    platter_new(seed);
    world.seed = seed;
    world.is_told = is_told;
    world.random = mh_rng_stream(seed, 'w');
    world.hash = seed;
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        world.sockets[i].client = NOBODY;
    }
    platter.now_ms = 1000;
    plan_server();
    world.delay_ms = below(4) ? below(200) : below(5000);
    world.lose_one_in = below(3) ? 10 + below(200) : 0;
    world.calm_at = platter.now_ms + 2000 + below(60000);
    world.due = world.disk_at = never;
    world.stuck_since = -1;
    const int has_crashes = below(5) > 0;
    const int is_safe = world.options.sync == DISK_ALWAYS;
    world.crash_at = has_crashes ? platter.now_ms + below(8000) : never;
    world.disk_at = below(3) ? never : platter.now_ms + below(10000);
    for (int i = below(4); i > 0; i--) {
        add_client(rows_new(), "", rows_begin);
    }
    for (int i = world.num_clients ? below(3) : 1 + below(2); i > 0; i--) {
        add_table(i, is_safe);
    }
    for (int i = below(3); i > 0; i--) {
        add_client(stranger_new(), "strangers", stranger_begin);
    }
    if (below(4) == 0) {
        add_guest();
    }
    static const char *const modes[] = {[DISK_SECOND] = "second", [DISK_ALWAYS] = "always", [DISK_NEVER] = "never"};
    note("sync", NOBODY, world.delay_ms, modes[world.options.sync]);
    server_start();
}

/* ---- What happens besides ---------------------------------------------------------------------------------------- */

/* The process comes to its end now, after some calls to the disk, or after some messages. */
static void plan_crash(void)
{
    world.end = (enum end)below(3);
    switch (below(3)) {
    case 0:
        server_stop(world.end);
        break;
    case 1:
        platter.crashes_in = 1 + below(60);
        break;
    default:
        world.messages_to_crash = 1 + below(30);
    }
    world.crash_at = platter.now_ms + 100 + below(20000);
}

/* The disk falls ill, or is well again. */
static void change_disk(void)
{
    const int is_ill = platter.is_full || platter.is_sick;
    platter.is_full = platter.is_sick = 0;
    if (!is_ill) {
        switch (below(3)) {
        case 0:
            platter.is_full = 1;
            break;
        case 1:
            platter.is_sick = 1;
            break;
        default:
            platter.fails_in = 1 + below(30);
        }
    }
    note(is_ill ? "disk well" : "disk ill", NOBODY,
         platter.is_full   ? 1
         : platter.is_sick ? 2
                           : platter.fails_in,
         "");
    world.disk_at = platter.now_ms + 1 + below(is_ill ? 20000 : 4000);
}

/* From here on nothing fails: all must come to their end. */
static void calm_down(void)
{
    note("calm", NOBODY, 0, "");
    platter.is_full = platter.is_sick = platter.fails_in = platter.crashes_in = 0;
    world.messages_to_crash = world.lose_one_in = 0;
    world.crash_at = world.disk_at = never;
    world.delay_ms = world.delay_ms < 50 ? world.delay_ms : 50;
}

static void happen(void)
{
    const int64_t now = platter.now_ms;
    if (now >= world.calm_at && world.calmed == 0) {
        world.calmed = 1;
        calm_down();
    }
    if (world.server && now >= world.crash_at) {
        plan_crash();
    }
    if (now >= world.disk_at) {
        change_disk();
    }
    if (!world.server && now >= world.starts_at) {
        server_start();
        (void)server_is_up();
    }
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

/* Lets the server take what has come, in any order of connections. */
static int deliver_up(void)
{
    int taken = 0;
    const int first = below(WORLD_SOCKETS);
    for (int i = 0; i < WORLD_SOCKETS && world.server; i++) {
        struct socket *socket = &world.sockets[(first + i) % WORLD_SOCKETS];
        if (socket->client == NOBODY) {
            continue;
        }
        if (socket->number == 0 && platter.now_ms >= socket->connects_at) {
            socket->number = ++world.made;
            world.owners[socket->number % WORLD_OWNERS] = socket->client;
        }
        for (int most = 1 + below(8); most > 0 && world.server && socket->client != NOBODY && socket->number != 0 &&
                                      line_at(&socket->up) <= platter.now_ms;
             most--) {
            server_take(socket);
            taken++;
        }
    }
    return taken;
}

static void deliver_down(void)
{
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        struct socket *socket = &world.sockets[i];
        while (socket->client != NOBODY && line_at(&socket->down) <= platter.now_ms) {
            struct packet *packet = line_take(&socket->down);
            struct client *client = world.clients[socket->client];
            client->kind->hear(client, packet);
            free(packet);
        }
    }
}

/* The next moment at which anything happens. */
static int64_t next_moment(void)
{
    int64_t at = earlier(world.server ? earlier(world.due, world.crash_at) : world.starts_at, world.disk_at);
    at = world.calmed ? at : earlier(at, world.calm_at);
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        const struct socket *socket = &world.sockets[i];
        if (socket->client != NOBODY) {
            at = earlier(at, line_at(&socket->down));
            if (world.server && socket->up.first) {
                const int64_t ready = socket->number ? 0 : socket->connects_at;
                const int64_t arrives = line_at(&socket->up);
                at = earlier(at, arrives > ready ? arrives : ready);
            }
        }
    }
    for (int i = 0; i < world.num_clients; i++) {
        at = earlier(at, world.clients[i]->wake_at);
    }
    return at;
}

static int is_told_out(void)
{
    for (int i = 0; i < world.num_clients; i++) {
        if (!world.clients[i]->is_done) {
            return 0;
        }
    }
    return 1;
}

static void live(void)
{
    while (!is_told_out()) {
        happen();
        const int taken = deliver_up();
        if (world.server && (taken || platter.now_ms >= world.due)) {
            server_work();
        }
        deliver_down();
        for (int i = 0; i < world.num_clients; i++) {
            if (platter.now_ms >= world.clients[i]->wake_at) {
                world.clients[i]->kind->wake(world.clients[i]);
            }
        }
        const int64_t next = next_moment();
        platter.now_ms = next > platter.now_ms && next != never ? next : platter.now_ms;
        for (int i = 0; i < world.num_clients && platter.now_ms > world.calm_at + END_MS; i++) {
            if (!world.clients[i]->is_done) {
                fault(i, "it is stuck", platter.now_ms);
            }
        }
    }
}

/* Returns a hash of all that was said. */
static uint64_t tell(uint64_t seed, int is_told)
{
    plan_story(seed, is_told);
    live();
    calm_down();
    if (!server_is_up()) {
        server_start();
    }
    const int64_t end = platter.now_ms + 5000;
    while (world.due <= end) { /* what bots play after the last answer, with pauses */
        platter.now_ms = world.due > platter.now_ms ? world.due : platter.now_ms;
        server_work();
    }
    server_free(&world.server);
    for (int i = 0; i < WORLD_SOCKETS; i++) {
        socket_free(&world.sockets[i]);
    }
    for (int i = 0; i < world.num_clients; i++) {
        world.clients[i]->kind->finish(world.clients[i]);
    }
    platter_free();
    return world.hash;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "seed") == 0) {
        const uint64_t hash = tell(strtoull(arguments[2], NULL, 10), 1);
        printf("%016llx\n", (unsigned long long)hash);
        return 0;
    }
    const uint64_t stories = count > 1 ? strtoull(arguments[1], NULL, 10) : FEW;
    const uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    long sums[4] = {0};
    int64_t lived = 0;
    const clock_t begun = __real_clock();
    for (uint64_t seed = first; seed < first + stories; seed++) {
        const uint64_t hash = tell(seed, 0);
        lived += platter.now_ms / 1000;
        sums[0] += world.messages;
        sums[1] += world.crashes;
        sums[2] += world.losses;
        sums[3] += world.refusals;
        if (seed % 16 == 0 && tell(seed, 0) != hash) {
            fprintf(stderr, "story %llu is another one when it is told again\n", (unsigned long long)seed);
            return 1;
        }
    }
    const double seconds = (double)(__real_clock() - begun) / CLOCKS_PER_SEC;
    printf("%llu stories, %.1f a second: %ld messages in %lld s of the clock, %ld ends of the server (%ld without "
           "power), %ld times the disk refused\n",
           (unsigned long long)stories, (double)stories / (seconds > 0 ? seconds : 1), sums[0], (long long)lived,
           sums[1], sums[2], sums[3]);
    return 0;
}
