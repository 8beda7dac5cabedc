/* A bot for tables in C. What it does, and how to compile it: README.md. */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { PATIENCE = 3000 /* milliseconds without a message, after which the connection counts as lost */ };

static void pack(msgpack_packer *out, const char *text)
{
    msgpack_pack_str_with_body(out, text, strlen(text));
}

static int is(msgpack_object value, const char *text)
{
    return value.via.str.size == strlen(text) && memcmp(value.via.str.ptr, text, strlen(text)) == 0;
}

static msgpack_object get(msgpack_object map, const char *key)
{
    const msgpack_object_kv *pair = map.via.map.ptr, *end = pair + map.via.map.size;
    while (pair < end && !is(pair->key, key)) {
        pair++;
    }
    return pair < end ? pair->val : (msgpack_object){.type = MSGPACK_OBJECT_NIL};
}

static int choose(msgpack_object_bin observation, msgpack_object_bin legal)
{
    int sum = 0, count = 0, action = -1;
    for (uint32_t i = 0; i < observation.size; i++) {
        sum += (unsigned char)observation.ptr[i];
    }
    for (uint32_t i = 0; i < legal.size; i++) {
        count += legal.ptr[i];
    }
    for (int left = count > 0 ? sum % count + 1 : 0; left > 0; left -= legal.ptr[action]) {
        action++;
    }
    return action;
}

static void *connect_to(void *context, const char *endpoint)
{
    const int linger = 0, patience = PATIENCE;
    void *server = zmq_socket(context, ZMQ_DEALER);
    zmq_setsockopt(server, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(server, ZMQ_RCVTIMEO, &patience, sizeof patience);
    return zmq_connect(server, endpoint) == 0 ? server : NULL;
}

static void hello(msgpack_packer *out, int attempt, const msgpack_object_bin *token)
{
    msgpack_pack_array(out, 3), pack(out, "hello"), msgpack_pack_int(out, 0), msgpack_pack_map(out, 3);
    pack(out, "client"), pack(out, "C"), pack(out, "attempt"), msgpack_pack_int(out, attempt);
    pack(out, "token"),
        token->size ? msgpack_pack_bin_with_body(out, token->ptr, token->size) : msgpack_pack_nil(out);
}

static void sit(msgpack_packer *out, char **argv)
{
    msgpack_pack_array(out, 3), pack(out, "sit"), msgpack_pack_int(out, 1), msgpack_pack_map(out, 6);
    pack(out, "table"), pack(out, argv[2]), pack(out, "game"), pack(out, argv[3]);
    pack(out, "seed"), msgpack_pack_uint64(out, strtoull(argv[4], NULL, 10));
    pack(out, "games"), msgpack_pack_int(out, 3), pack(out, "options"), pack(out, "num_players=2");
    pack(out, "bots"), msgpack_pack_array(out, 1), pack(out, "greedy");
}

static void bye(msgpack_packer *out)
{
    msgpack_pack_array(out, 2), pack(out, "bye"), msgpack_pack_int(out, 2);
}

static void print(msgpack_object players)
{
    for (uint32_t i = 0; i < players.via.array.size; i++) {
        msgpack_object player = players.via.array.ptr[i], name = get(player, "name");
        printf("%.*s: %d wins, returns %.1f\n", (int)name.via.str.size, name.via.str.ptr,
               (int)get(player, "wins").via.i64, get(player, "returns").via.f64);
    }
}

/* True if an error needs no more than a hello, which follows when nothing else is heard. */
static int is_passing(msgpack_object code)
{
    return is(code, "hello") || is(code, "storage") || is(code, "turn") || is(code, "late");
}

int main(int argc, char **argv)
{
    void *context = zmq_ctx_new(), *server = argc == 5 ? connect_to(context, argv[1]) : NULL;
    if (!server) {
        return fprintf(stderr, "usage: bot ENDPOINT TABLE GAME SEED\n"), 2;
    }
    msgpack_sbuffer bytes;
    msgpack_packer out;
    msgpack_unpacked in;
    msgpack_sbuffer_init(&bytes);
    msgpack_unpacked_init(&in);
    msgpack_packer_init(&out, &bytes, msgpack_sbuffer_write);
    char bytes_of_token[16];
    msgpack_object_bin token = {0, bytes_of_token};
    int attempt = 1, is_leaving = 0;
    hello(&out, attempt, &token);
    for (int over = 0; !over;) {
        if (bytes.size > 0) {
            zmq_send(server, bytes.data, bytes.size, 0);
            msgpack_sbuffer_clear(&bytes);
        }
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, server, 0) < 0) {
            zmq_close(server);
            server = connect_to(context, argv[1]);
            hello(&out, ++attempt, &token);
            continue;
        }
        msgpack_unpack_next(&in, zmq_msg_data(&frame), zmq_msg_size(&frame), NULL);
        const msgpack_object *message = in.data.via.array.ptr;
        if (is(message[0], "ok") && message[1].via.u64 == 0) {
            token.size = sizeof bytes_of_token;
            memcpy(bytes_of_token, get(message[2], "token").via.bin.ptr, token.size);
            is_leaving ? bye(&out) : sit(&out, argv);
        } else if (is(message[0], "turn")) {
            msgpack_pack_array(&out, 3), pack(&out, "act"), msgpack_pack_uint64(&out, message[1].via.u64);
            msgpack_pack_int(&out, choose(message[3].via.bin, message[4].via.bin));
        } else if (is(message[0], "end") && !is_leaving && get(message[2], "over").via.boolean) {
            print(get(message[2], "totals"));
            is_leaving = 1;
            bye(&out);
        } else if (is(message[0], "error") && is(message[2], "session") && is_leaving) {
            over = 1; /* the reply to bye was lost */
        } else if (is(message[0], "error") && !is_passing(message[2])) {
            return fprintf(stderr, "%.*s\n", (int)message[3].via.str.size, message[3].via.str.ptr), 1;
        }
        over |= is(message[0], "ok") && message[1].via.u64 == 2;
        zmq_msg_close(&frame);
    }
    msgpack_unpacked_destroy(&in);
    msgpack_sbuffer_destroy(&bytes);
    zmq_close(server);
    zmq_ctx_term(context);
    return 0;
}
