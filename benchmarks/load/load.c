/* Puts a load on a running server and prints what became of it.
 *
 *     load run ADDRESS PORT SECONDS STEPPERS RATE TABLES PLAYERS THINK TWINS MACHINES
 *     load trouble ADDRESS PORT KIND COUNT
 *
 * `run` has STEPPERS clients with an environment each, which together make RATE steps a second, and TABLES tables with
 * PLAYERS players each, who answer after THINK milliseconds, more or less; built-in bots have the other seats. Every
 * TWINS-th stepper's game is played in this process as well. For balancers that look at addresses, clients seem to come
 * from MACHINES machines, those of one table from the same; 0: all from this one. It prints `begin` once all games have
 * begun, `middle` and `end`, and then a line for each figure: its name and the number. `trouble` is one of the kinds of
 * bad clients in trouble.c, COUNT of them, until it is killed. ../bench_load.py and ../bench_servers.py run these and
 * make tables of the figures. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

#include "load.h"

static const int64_t second = 1000000000;

/* ---- The loop ----------------------------------------------------------------------------------------------- */

static void drop_first(struct load *load)
{
    struct timer *timers = load->timers;
    const struct timer last = timers[--load->num_timers];
    int place = 0;
    for (int child = 1; child < load->num_timers; child = 2 * place + 1) {
        child += child + 1 < load->num_timers && timers[child + 1].due < timers[child].due;
        if (last.due <= timers[child].due) {
            break;
        }
        timers[place] = timers[child];
        place = child;
    }
    timers[place] = last;
}

static void act_in_time(struct load *load)
{
    while (load->num_timers > 0 && load->timers[0].due <= load->now) {
        const struct timer timer = load->timers[0];
        struct client *client = &load->clients[timer.client];
        drop_first(load);
        if (client->due == timer.due) {
            client_act(load, client);
            load->now = clock_now();
        }
    }
}

/* Waits for messages or the next timer, to the microsecond. */
static void turn(struct load *load)
{
    enum { EVENTS = 256 };
    struct epoll_event events[EVENTS];
    int64_t wait = second / 10;
    if (load->num_timers > 0 && load->timers[0].due - load->now < wait) {
        wait = load->timers[0].due - load->now;
    }
    if (wait > 0) {
        const struct timespec time = {0, wait};
        struct pollfd file = {.fd = load->epoll, .events = POLLIN};
        (void)ppoll(&file, 1, &time, NULL);
    }
    const int count = epoll_wait(load->epoll, events, EVENTS, 0);
    load->now = clock_now();
    for (int i = 0; i < count; i++) {
        client_read(load, &load->clients[events[i].data.u32]);
        load->now = clock_now();
    }
    act_in_time(load);
}

/* Few at a time, since all wait in one queue of the server's. */
static void connect_all(struct load *load)
{
    enum { AT_ONCE = 64 };
    int connected = 0;
    while (load->live < load->count) {
        while (connected < load->count && connected - load->live < AT_ONCE) {
            client_connect(load, &load->clients[connected++]);
        }
        turn(load);
    }
}

static void say(const char *what)
{
    (void)printf("%s\n", what);
    (void)fflush(stdout);
}

static void run(struct load *load, int64_t seconds, int steppers)
{
    connect_all(load);
    const int64_t begin = clock_now() + second / 5;
    load->begin = begin;
    load->end = begin + seconds * second;
    for (int i = 0; i < steppers; i++) {
        load->clients[i].wanted = begin + load->period * i / steppers;
        client_wait(load, &load->clients[i], load->clients[i].wanted);
    }
    say("begin");
    while (load->now < begin + seconds * second / 2) {
        turn(load);
    }
    say("middle");
    while (load->now < load->end) {
        turn(load);
    }
    say("end");
    const int64_t patience = load->now + 10 * second;
    int waiting = 1;
    while (waiting && load->now < patience) {
        turn(load);
        waiting = 0;
        for (int i = 0; i < steppers; i++) {
            waiting |= load->clients[i].request != NULL;
        }
    }
    for (int i = 0; i < load->count; i++) {
        load->counts.lost += load->clients[i].request != NULL && !load->clients[i].is_player;
    }
}

/* ---- Figures ------------------------------------------------------------------------------------------------ */

/* The time that so large a part of them did not exceed. */
static uint32_t part(const uint32_t *histogram, double share)
{
    uint64_t total = 0;
    for (int i = 0; i < SLOWEST_US; i++) {
        total += histogram[i];
    }
    const double limit = share * (double)total;
    uint64_t sum = 0;
    uint32_t at = 0;
    for (int i = 0; i < SLOWEST_US; i++) {
        sum += histogram[i];
        at = histogram[i] ? (uint32_t)i : at;
        if ((double)sum >= limit) {
            break;
        }
    }
    return at;
}

static void print_figures(const struct load *load)
{
    const struct counts *counts = &load->counts;
    const struct {
        const char *name;
        int64_t number;
    } figures[] = {
        {"steps", counts->steps},
        {"answers", counts->answers},
        {"games", counts->games},
        {"lost", counts->lost},
        {"unasked", counts->unasked},
        {"refused", counts->refused},
        {"missed", counts->missed},
        {"compared", counts->compared},
        {"different", counts->different},
        {"cut", counts->cut},
        {"resumed", counts->resumed},
        {"anew", counts->anew},
        {"silent", counts->silent},
        {"p50_us", part(load->steps_us, 0.5)},
        {"p99_us", part(load->steps_us, 0.99)},
        {"p999_us", part(load->steps_us, 0.999)},
        {"max_us", part(load->steps_us, 1)},
        {"late_p99_us", part(load->late_us, 0.99)},
        {"late_max_us", part(load->late_us, 1)},
        {"outage_p50_ms", part(load->outages_ms, 0.5)},
        {"outage_max_ms", part(load->outages_ms, 1)},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        (void)printf("%s %lld\n", figures[i].name, (long long)figures[i].number);
    }
}

/* ---- From beginning to end ---------------------------------------------------------------------------------- */

static int usage(void)
{
    (void)fprintf(stderr,
                  "usage: load run ADDRESS PORT SECONDS STEPPERS RATE TABLES PLAYERS THINK TWINS MACHINES | "
                  "load trouble ADDRESS PORT KIND COUNT\n");
    return 2;
}

static void *memory(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block) {
        (void)fprintf(stderr, "load: no memory\n");
        exit(1);
    }
    return block;
}

static void prepare(struct load *load, int steppers, int twins)
{
    load->epoll = epoll_create1(0);
    load->clients = memory((size_t)load->count, sizeof *load->clients);
    load->steps_us = memory(SLOWEST_US, sizeof *load->steps_us);
    load->late_us = memory(SLOWEST_US, sizeof *load->late_us);
    load->outages_ms = memory(SLOWEST_US, sizeof *load->outages_ms);
    load->now = clock_now();
    if (load->epoll < 0 || mh_game_new("mhing", "", NULL, &load->game) != MH_OK ||
        mh_game_sizes(load->game, &load->sizes) != MH_OK ||
        !msgpack_zone_init(&load->zone, MSGPACK_ZONE_CHUNK_SIZE)) {
        (void)fprintf(stderr, "load: no memory\n");
        exit(1);
    }
    for (int i = 0; i < load->count; i++) {
        struct client *client = &load->clients[i];
        *client = (struct client){.number = i, .is_player = i >= steppers, .line.file = -1, .due = -1};
        client->random = 0x9E6C63D0876A9A47u * (uint64_t)(i + 1);
        if (i < steppers && twins > 0 && i % twins == 0) {
            stepper_twin(load, client);
        }
    }
}

static void finish(struct load *load)
{
    for (int i = 0; i < load->count; i++) {
        struct client *client = &load->clients[i];
        line_close(&client->line);
        wire_release(client->request);
        stepper_free_twin(client);
    }
    free(load->clients);
    free(load->timers);
    free(load->steps_us);
    free(load->late_us);
    free(load->outages_ms);
    msgpack_zone_destroy(&load->zone);
    mh_game_free(&load->game);
}

int main(int argc, char **argv)
{
    struct load load = {.address = {.sin_family = AF_INET}};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    long numbers[8] = {0};
    for (int i = 0; i < 8 && i + 4 < argc; i++) {
        numbers[i] = strtol(argv[i + 4], NULL, 10);
    }
    if (argc < 4 || inet_pton(AF_INET, argv[2], &load.address.sin_addr) != 1) {
        return usage();
    }
    load.address.sin_port = htons((uint16_t)strtol(argv[3], NULL, 10));
    if (argc == 6 && strcmp(argv[1], "trouble") == 0) {
        return trouble(argv[4], &load.address, (int)numbers[1]);
    }
    const long seconds = numbers[0];
    const long steppers = numbers[1];
    const long rate = numbers[2];
    const long tables = numbers[3];
    if (argc != 12 || strcmp(argv[1], "run") != 0 || seconds < 1 || steppers < 1 || rate < 1 || tables < 0 ||
        numbers[4] < 1 || numbers[4] > 4) {
        return usage();
    }
    load.players_per_table = (int)numbers[4];
    load.count = (int)(steppers + tables * numbers[4]);
    load.period = second * steppers / rate;
    load.machines = (int)numbers[7];
    load.think = numbers[5] * (second / 1000);
    prepare(&load, (int)steppers, (int)numbers[6]);
    run(&load, seconds, (int)steppers);
    print_figures(&load);
    finish(&load);
    return 0;
}
