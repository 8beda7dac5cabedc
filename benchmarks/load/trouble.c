/* Bad clients, one kind a process. All but `silent` and `half` shake hands first. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

struct bad {
    struct sockaddr_in address;
    struct line line;
    uint64_t seq, heard; /* messages of this connection */
    uint64_t random;
};

static void say(struct bad *bad, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    if (line_send(&bad->line, message->bytes, message->size) < 0) {
        line_close(&bad->line);
    }
    wire_release(message);
}

static struct wire_out begin(struct bad *bad, const char *name, size_t arguments)
{
    struct wire_out out;
    wire_begin(&out, 128);
    wire_array(&out, 2 + arguments);
    wire_text(&out, name);
    wire_uint(&out, bad->seq++);
    return out;
}

static void open_bad(struct bad *bad)
{
    bad->seq = bad->heard = 0;
    if (bad->line.file < 0) {
        (void)line_open(&bad->line, NULL, &bad->address);
    }
}

static void greet(struct bad *bad, int window)
{
    if (bad->line.file < 0) {
        open_bad(bad);
        (void)line_greet(&bad->line);
        struct wire_out out = begin(bad, "hello", 1);
        wire_map(&out, 1);
        wire_key_int(&out, "window", window);
        say(bad, &out);
    }
}

/* Takes replies and forgets them. */
static void read_all(struct bad *bad)
{
    const unsigned char *message;
    size_t size;
    if (bad->line.file >= 0 && line_receive(&bad->line) != 0) {
        line_close(&bad->line);
    }
    while (bad->line.file >= 0 && line_next(&bad->line, &message, &size)) {
        bad->heard++;
    }
}

/* True if more may be sent: the system has taken all. */
static int has_room(const struct bad *bad)
{
    struct pollfd file = {.fd = bad->line.file, .events = POLLOUT};
    return bad->line.file >= 0 && poll(&file, 1, 0) == 1 && file.revents == POLLOUT;
}

static void pause_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

/* Never a word, and a word that is cut off. A connection that the server closes is made anew. */
static void silent(struct bad *bad)
{
    if (bad->line.file < 0) {
        open_bad(bad);
    }
    read_all(bad);
}

static void half(struct bad *bad)
{
    if (bad->line.file < 0) {
        open_bad(bad);
        (void)line_greet_half(&bad->line, LINE_GREETING - 20);
    }
    read_all(bad);
}

/* Environments in which the bad one plays against these bots. */
static void make(struct bad *bad, int rows, const char *opponents)
{
    struct wire_out out = begin(bad, "make", 1);
    wire_map(&out, 3);
    wire_key_int(&out, "rows", rows);
    wire_key_text(&out, "opponents", opponents);
    wire_key_text(&out, "autoreset", "next_step");
    say(bad, &out);
    out = begin(bad, "reset", 2);
    wire_uint(&out, 1);
    wire_uint(&out, 1);
    say(bad, &out);
}

/* Steps 64 rows, 32 times ahead, and never reads. */
static void slow(struct bad *bad)
{
    if (bad->line.file < 0) {
        greet(bad, 32);
        make(bad, 64, "random");
    }
    for (int i = 0; i < 8 && has_room(bad); i++) {
        static const unsigned char actions[4 * 64];
        struct wire_out out = begin(bad, "step", 2);
        wire_uint(&out, 1);
        wire_bin(&out, actions, sizeof actions);
        say(bad, &out);
    }
}

/* As many requests as the connection takes. */
static void flood_with(struct bad *bad, const char *name)
{
    greet(bad, 32);
    for (int i = 0; i < 64 && has_room(bad); i++) {
        struct wire_out out = begin(bad, name, 1);
        wire_text(&out, "mhing");
        say(bad, &out);
    }
    read_all(bad);
}

static void flood(struct bad *bad)
{
    flood_with(bad, "ping");
}

static void describe(struct bad *bad)
{
    flood_with(bad, "describe");
}

/* Frames of random bytes. */
static void garbage(struct bad *bad)
{
    unsigned char bytes[200];
    greet(bad, 1);
    for (int i = 0; i < 64 && has_room(bad); i++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            bad->random = bad->random * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (unsigned char)(bad->random >> 56);
        }
        if (line_send(&bad->line, bytes, sizeof bytes) < 0) {
            line_close(&bad->line);
        }
    }
    read_all(bad);
}

/* A connection and a session, again and again. */
static void storm(struct bad *bad)
{
    line_close(&bad->line);
    greet(bad, 1);
}

/* A session with the largest environment and a table, again and again: all rows and sessions that there are, and then
 * one refusal after the other. */
static void hoard(struct bad *bad)
{
    char table[24];
    line_close(&bad->line);
    greet(bad, 1);
    (void)snprintf(table, sizeof table, "hoard-%llu", (unsigned long long)++bad->random);
    struct wire_out out = begin(bad, "make", 1);
    wire_map(&out, 1);
    wire_key_int(&out, "rows", 4096);
    say(bad, &out);
    out = begin(bad, "sit", 1);
    wire_map(&out, 1);
    wire_key_text(&out, "table", table);
    say(bad, &out);
    while (bad->line.file >= 0 && bad->heard < 3) {
        struct pollfd file = {.fd = bad->line.file, .events = POLLIN};
        (void)poll(&file, 1, 1000);
        read_all(bad);
    }
}

/* The largest environment against bots that think. */
static void heavy(struct bad *bad)
{
    enum { ROWS = 4096, AHEAD = 2 };
    if (bad->line.file < 0) {
        greet(bad, AHEAD);
        make(bad, ROWS, "greedy");
    }
    if (has_room(bad) && bad->seq < bad->heard + AHEAD) {
        static const unsigned char actions[4 * ROWS];
        struct wire_out out = begin(bad, "step", 2);
        wire_uint(&out, 1);
        wire_bin(&out, actions, sizeof actions);
        say(bad, &out);
    }
    read_all(bad);
}

int trouble(const char *kind, const struct sockaddr_in *address, int count)
{
    static const struct {
        const char *name;
        void (*act)(struct bad *bad);
        int pause_ms; /* between two rounds of all */
    } kinds[] = {{"silent", silent, 50}, {"half", half, 50},        {"slow", slow, 10},
                 {"flood", flood, 0},    {"describe", describe, 0}, {"garbage", garbage, 0},
                 {"storm", storm, 0},    {"hoard", hoard, 0},       {"heavy", heavy, 1}};
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].name, kind) != 0) {
        k++;
    }
    struct bad *all = count > 0 ? calloc((size_t)count, sizeof *all) : NULL;
    if (k == sizeof kinds / sizeof *kinds || !all) {
        (void)fprintf(stderr, "load: no trouble '%s'\n", kind);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        all[i] = (struct bad){.address = *address, .line.file = -1, .random = (uint64_t)i};
    }
    for (;;) {
        for (int i = 0; i < count; i++) {
            kinds[k].act(&all[i]);
        }
        pause_ms(kinds[k].pause_ms);
    }
}
