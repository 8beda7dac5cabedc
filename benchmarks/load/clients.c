#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "load.h"

static const int64_t second = 1000000000;

int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * second + now.tv_nsec;
}

/* ---- Time --------------------------------------------------------------------------------------------------- */

static void sift_up(struct load *load, int place)
{
    struct timer *timers = load->timers;
    while (place > 0 && timers[place].due < timers[(place - 1) / 2].due) {
        const struct timer timer = timers[place];
        timers[place] = timers[(place - 1) / 2];
        place = (place - 1) / 2;
        timers[place] = timer;
    }
}

/* Timers of before stay, and are passed over when they are due. */
void client_wait(struct load *load, struct client *client, int64_t due)
{
    client->due = due;
    if (load->num_timers == load->max_timers) {
        const int more = 2 * load->max_timers + 1024;
        struct timer *larger = realloc(load->timers, (size_t)more * sizeof *larger);
        if (!larger) {
            abort();
        }
        load->timers = larger;
        load->max_timers = more;
    }
    load->timers[load->num_timers] = (struct timer){due, client->number};
    sift_up(load, load->num_timers++);
}

uint32_t client_random(struct client *client, uint32_t below)
{
    client->random ^= client->random << 13;
    client->random ^= client->random >> 7;
    client->random ^= client->random << 17;
    return (uint32_t)(client->random >> 33) % below;
}

int client_choose(struct client *client, const unsigned char *flags, size_t count)
{
    uint32_t set = 0;
    for (size_t i = 0; i < count; i++) {
        set += flags[i] != 0;
    }
    if (set == 0) {
        return 0;
    }
    uint32_t nth = client_random(client, set);
    size_t i = 0;
    while (flags[i] == 0 || nth-- > 0) {
        i++;
    }
    return (int)i;
}

/* ---- Connections -------------------------------------------------------------------------------------------- */

static void cut(struct load *load, struct client *client)
{
    load->counts.cut++;
    line_close(&client->line);
    client->is_greeting = 0;
    client->gone = client->gone ? client->gone : load->now;
    client_wait(load, client, load->now + second / 4 + client_random(client, 100) * (second / 1000));
}

static void post(struct load *load, struct client *client, const struct wire_message *message)
{
    const int64_t patience = 5 * second;
    if (!message || line_send(&client->line, message->bytes, message->size) != 0) {
        cut(load, client);
    } else if (client->request || client->is_greeting) {
        client_wait(load, client, load->now + patience);
    }
}

void client_connect(struct load *load, struct client *client)
{
    struct wire_out out;
    wire_begin(&out, 64);
    wire_array(&out, 3);
    wire_text(&out, "hello");
    wire_uint(&out, 0);
    wire_map(&out, client->has_token ? 1 : 0);
    if (client->has_token) {
        wire_text(&out, "token");
        wire_bin(&out, client->token, TOKEN);
    }
    struct wire_message *hello = wire_finish(&out);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)client->number};
    struct sockaddr_in from = {.sin_family = AF_INET};
    if (load->machines > 0) {
        const int group = client->is_player ? client->number / load->players_per_table : client->number;
        from.sin_addr.s_addr = htonl(0x7f010001u + (uint32_t)(group % load->machines));
    }
    client->is_greeting = 1;
    if (line_open(&client->line, load->machines > 0 ? &from : NULL, &load->address) != 0 ||
        line_greet(&client->line) != 0 || epoll_ctl(load->epoll, EPOLL_CTL_ADD, client->line.file, &event) != 0) {
        cut(load, client);
    } else {
        post(load, client, hello);
    }
    wire_release(hello);
}

struct wire_out client_begin(struct client *client, const char *name, size_t arguments)
{
    struct wire_out out;
    wire_begin(&out, 256);
    wire_array(&out, 2 + arguments);
    wire_text(&out, name);
    wire_uint(&out, ++client->seq);
    return out;
}

void client_ask(struct load *load, struct client *client, struct wire_out *out)
{
    client->request = wire_finish(out);
    post(load, client, client->request);
}

void client_tell(struct load *load, struct client *client, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    post(load, client, message);
    wire_release(message);
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

/* The first complaints are printed: what went wrong most often comes first. */
void client_complain(struct load *load, const struct client *client, const char *what, const struct wire_args *args)
{
    enum { MOST = 20 };
    if (load->complaints++ < MOST) {
        (void)fprintf(stderr, "%s %d: %s", client->is_player ? "player" : "stepper", client->number, what);
        for (uint32_t i = 0; args && i < args->count; i++) {
            const msgpack_object *item = wire_arg(args, i);
            if (item->type == MSGPACK_OBJECT_STR) {
                (void)fprintf(stderr, " %.*s", (int)item->via.str.size, item->via.str.ptr);
            } else if (item->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
                (void)fprintf(stderr, " %llu", (unsigned long long)item->via.u64);
            }
        }
        (void)fputc('\n', stderr);
    }
}

void client_live(struct load *load, struct client *client)
{
    load->live += !client->is_live;
    client->is_live = 1;
}

static void start(struct load *load, struct client *client)
{
    client->seq = 0;
    wire_release(client->request);
    client->request = NULL;
    if (client->is_player) {
        player_start(load, client);
    } else {
        stepper_start(load, client);
    }
}

/* Continues the session: requests without a reply are sent again. */
static void greeted(struct load *load, struct client *client, const struct wire_args *reply)
{
    const msgpack_object *token = wire_key(wire_arg(reply, 2), "token");
    const int was_cut = client->gone != 0;
    client->is_greeting = 0;
    if (was_cut) {
        const int64_t ms = (load->now - client->gone) / (second / 1000);
        load->outages_ms[ms < SLOWEST_US ? ms : SLOWEST_US - 1]++;
        client->gone = 0;
    }
    if (!client->has_token) {
        memcpy(client->token, token->via.bin.ptr, TOKEN);
        client->has_token = 1;
        start(load, client);
        return;
    }
    load->counts.resumed++;
    client->due = -1;
    if (client->request) {
        post(load, client, client->request);
    } else if (!client->is_player) {
        client_wait(load, client, load->now);
    } /* a player's open question comes again */
}

static void refused(struct load *load, struct client *client, const struct wire_args *error)
{
    const msgpack_object *code = wire_arg(error, 2);
    if (client->is_greeting && code->via.str.size == 7 && memcmp(code->via.str.ptr, "session", 7) == 0) {
        load->counts.anew++;
        client->has_token = 0;
        client->is_greeting = 0;
        line_close(&client->line);
        client_connect(load, client);
        return;
    }
    if (client->is_player && !client->request) {
        load->counts.missed++;
    } else {
        load->counts.refused++;
    }
    client_complain(load, client, "error:", error);
}

static void hear(struct load *load, struct client *client, const struct wire_args *message)
{
    char name[16] = "";
    int64_t seq = -1;
    struct wire_error error;
    if (wire_read_text(wire_arg(message, 0), "name", name, sizeof name, &error) != 0 ||
        wire_read_int(wire_arg(message, 1), "seq", 0, INT64_MAX, &seq, &error) != 0) {
        load->counts.unasked++;
        client_complain(load, client, "no message of the protocol", message);
    } else if (strcmp(name, "error") == 0) {
        refused(load, client, message);
    } else if (strcmp(name, "ok") != 0) {
        player_hear(load, client, name, message);
    } else if (seq == 0 && client->is_greeting) {
        greeted(load, client, message);
    } else if (client->request && (uint64_t)seq == client->seq && !client->is_greeting) {
        wire_release(client->request);
        client->request = NULL;
        client->due = -1;
        if (client->is_player) {
            client_live(load, client);
        } else {
            stepper_reply(load, client, message);
        }
    } else {
        load->counts.unasked++;
        client_complain(load, client, "a reply that was not asked for:", message);
    }
}

void client_read(struct load *load, struct client *client)
{
    const unsigned char *bytes;
    size_t size;
    const int file = client->line.file;
    const int is_gone = file < 0 || line_receive(&client->line) != 0;
    while (client->line.file == file && file >= 0 && line_next(&client->line, &bytes, &size)) {
        msgpack_object object;
        size_t used = 0;
        msgpack_zone_clear(&load->zone);
        if (msgpack_unpack((const char *)bytes, size, &used, &load->zone, &object) == MSGPACK_UNPACK_SUCCESS &&
            object.type == MSGPACK_OBJECT_ARRAY) {
            const struct wire_args message = {object.via.array.ptr, object.via.array.size};
            hear(load, client, &message);
        } else {
            load->counts.unasked++;
            client_complain(load, client, "no msgpack array", NULL);
        }
    }
    if (is_gone && client->line.file == file && file >= 0) {
        cut(load, client);
    }
}

void client_act(struct load *load, struct client *client)
{
    if (client->line.file < 0) {
        client_connect(load, client);
    } else if (client->request || client->is_greeting) {
        load->counts.silent++;
        client_complain(load, client, "no reply for five seconds", NULL);
        cut(load, client);
    } else if (client->is_player) {
        player_answer(load, client);
    } else {
        stepper_step(load, client);
    }
}
