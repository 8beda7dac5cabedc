#include <stdio.h>
#include <string.h>

#include "load.h"

/* Sits down at the next table of those who sit together. */
void player_start(struct load *load, struct client *client)
{
    char table[32];
    struct wire_out out = client_begin(client, "sit", 1);
    (void)snprintf(table, sizeof table, "t%d-%llu", client->number / load->players_per_table,
                   (unsigned long long)++client->episode);
    client->turn = 0;
    client->is_asked = 0;
    wire_map(&out, 3);
    wire_key_text(&out, "table", table);
    wire_key_int(&out, "pause", 0); /* the server's speed is measured */
    wire_text(&out, "bots");
    wire_array(&out, (size_t)(load->sizes.seats - load->players_per_table));
    for (int i = load->players_per_table; i < load->sizes.seats; i++) {
        wire_text(&out, "greedy");
    }
    client_ask(load, client, &out);
}

static void asked(struct load *load, struct client *client, const struct wire_args *message)
{
    const uint64_t turn = wire_arg(message, 1)->via.u64;
    const msgpack_object *legal = wire_arg(message, 4);
    const int is_again = turn == client->turn && client->is_asked;
    if ((turn != client->turn + 1 && !is_again) || legal->type != MSGPACK_OBJECT_BIN) {
        load->counts.missed++;
        client_complain(load, client, "a question was left out before", message);
    }
    client->turn = turn;
    client->is_asked = 1;
    client->action = client_choose(client, (const unsigned char *)legal->via.bin.ptr, legal->via.bin.size);
    const int64_t half = load->think / 2;
    client_wait(load, client, load->now + half + half * client_random(client, 2000) / 1000);
}

/* An answer has no reply, so the question stays until the next one comes: the line may be cut. */
void player_answer(struct load *load, struct client *client)
{
    client->due = -1;
    if (client->turn == 0) {
        return;
    }
    struct wire_out out;
    wire_begin(&out, 64);
    wire_array(&out, 3);
    wire_text(&out, "act");
    wire_uint(&out, client->turn);
    wire_int(&out, client->action);
    load->counts.answers += load->begin && load->now < load->end;
    client_tell(load, client, &out);
}

/* Only the client's own totals count its misses. */
static int64_t missed_by_client(const struct wire_args *message)
{
    const msgpack_object *totals = wire_key(wire_arg(message, 2), "totals");
    for (uint32_t i = 0; totals && totals->type == MSGPACK_OBJECT_ARRAY && i < totals->via.array.size; i++) {
        const msgpack_object *missed = wire_key(&totals->via.array.ptr[i], "missed");
        if (missed) {
            return (int64_t)missed->via.u64;
        }
    }
    return 1;
}

void player_hear(struct load *load, struct client *client, const char *name, const struct wire_args *message)
{
    if (strcmp(name, "turn") == 0) {
        asked(load, client, message);
    } else if (strcmp(name, "away") == 0) {
        load->counts.missed++;
        client_complain(load, client, "away:", message);
    } else if (strcmp(name, "end") == 0 && !client->request) {
        const int64_t missed = missed_by_client(message);
        load->counts.games++;
        load->counts.missed += missed;
        if (missed) {
            client_complain(load, client, "the totals count answers as missed", message);
        }
        player_start(load, client);
    }
}
