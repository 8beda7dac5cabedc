#include <stdlib.h>
#include <string.h>

#include "load.h"

enum { REWARD = 4 };

static void *memory(size_t size)
{
    void *block = calloc(1, size);
    if (!block) {
        abort();
    }
    return block;
}

void stepper_twin(struct load *load, struct client *client)
{
    const int bot = mh_bot_index(load->game, "random", NULL);
    struct mh_batch_options options = {
        .rows = 1, .seat = -1, .players = {MH_CALLER}, .autoreset = MH_AUTORESET_NEXT_STEP, .threads = 1};
    for (int i = 1; i < load->sizes.seats; i++) {
        options.players[i] = bot;
    }
    client->arrays = (struct mh_buffers){.actions = memory(sizeof(int32_t)),
                                         .observations = memory((size_t)load->sizes.observation),
                                         .masks = memory((size_t)load->sizes.actions),
                                         .rewards = memory(sizeof(float)),
                                         .terminated = memory(1),
                                         .seats = memory(sizeof(mh_seat))};
    if (mh_batch_new(load->game, &options, NULL, &client->twin) != MH_OK ||
        mh_batch_bind(client->twin, &client->arrays, NULL) != MH_OK) {
        abort();
    }
}

void stepper_free_twin(struct client *client)
{
    mh_batch_free(&client->twin);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        free(mh_buffers_get(&client->arrays, i));
    }
}

/* Steppers make and reset in turn: `env` 1 of their session. */
void stepper_start(struct load *load, struct client *client)
{
    client->episode++;
    struct wire_out out = client_begin(client, "make", 1);
    wire_map(&out, 2);
    wire_key_text(&out, "opponents", "random");
    wire_key_text(&out, "autoreset", "next_step");
    client_ask(load, client, &out);
}

static uint64_t seed_of(const struct client *client)
{
    return client->episode << 32 | (uint64_t)client->number;
}

static void reset(struct load *load, struct client *client)
{
    struct wire_out out = client_begin(client, "reset", 2);
    wire_uint(&out, 1);
    wire_uint(&out, seed_of(client));
    client_ask(load, client, &out);
}

static int is_same(const struct wire_args *reply, uint32_t place, const void *expected, size_t size)
{
    const msgpack_object *value = wire_arg(reply, place);
    return value->type == MSGPACK_OBJECT_BIN && value->via.bin.size == size &&
           memcmp(value->via.bin.ptr, expected, size) == 0;
}

/* Plays the same in this process and compares all that the server has sent. */
static void compare(struct load *load, struct client *client, const struct wire_args *reply, int is_reset)
{
    const struct mh_buffers *arrays = &client->arrays;
    const uint64_t seed = seed_of(client);
    unsigned char reward[REWARD];
    *arrays->actions = client->action;
    if ((is_reset ? mh_batch_reset(client->twin, &seed, NULL, NULL) : mh_batch_step(client->twin, NULL)) != MH_OK) {
        abort();
    }
    memcpy(reward, arrays->rewards, REWARD);
    wire_order(reward, REWARD, REWARD);
    const unsigned char seat = (unsigned char)*arrays->seats;
    load->counts.compared++;
    if (!is_same(reply, 2, arrays->observations, (size_t)load->sizes.observation) ||
        !is_same(reply, 3, arrays->masks, (size_t)load->sizes.actions) || !is_same(reply, 4, reward, REWARD) ||
        !is_same(reply, 5, arrays->terminated, 1) || !is_same(reply, 6, &seat, 1)) {
        load->counts.different++;
        client_complain(load, client, "not the game of this process", NULL);
    }
}

/* Steps are at fixed times. One that is late by more than a whole period is left out: the server is too slow. */
static void stepped(struct load *load, struct client *client)
{
    const int64_t us = (load->now - client->wanted) / 1000;
    if (client->wanted >= load->begin && client->wanted < load->end) {
        load->steps_us[us < SLOWEST_US ? us : SLOWEST_US - 1]++;
        load->counts.steps++;
    }
    client->wanted += load->period;
    client->wanted = client->wanted < load->now - load->period ? load->now : client->wanted;
}

void stepper_reply(struct load *load, struct client *client, const struct wire_args *reply)
{
    const msgpack_object *masks = wire_arg(reply, 3);
    if (reply->count < 8) { /* of make */
        reset(load, client);
        return;
    }
    const int is_reset = client->seq == 2;
    if (client->twin) {
        compare(load, client, reply, is_reset);
    }
    client->action = client_choose(client, (const unsigned char *)masks->via.bin.ptr, masks->via.bin.size);
    if (!is_reset) {
        stepped(load, client);
    } else if (load->begin) { /* a new session in the midst of it all */
        client->wanted = load->now;
    }
    client_live(load, client);
    if (load->begin && client->wanted < load->end) {
        client_wait(load, client, client->wanted);
    }
}

void stepper_step(struct load *load, struct client *client)
{
    if (load->begin == 0 || client->wanted >= load->end) {
        client->due = -1;
        return;
    }
    const int64_t late_us = (load->now - client->wanted) / 1000;
    load->late_us[late_us < SLOWEST_US ? late_us : SLOWEST_US - 1]++;
    struct wire_out out = client_begin(client, "step", 2);
    wire_uint(&out, 1);
    wire_int(&out, client->action);
    client_ask(load, client, &out);
}
