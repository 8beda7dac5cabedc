/* Messages of several connections to a server without sockets. An input is a row of messages: each has a byte that
 * tells the connection and how much time has gone by, two of its length (little-endian), and so many bytes. */
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { CONNECTIONS = 3, TOKEN = 16, SLOW_MS = 40 };

struct host {
    unsigned char token[TOKEN]; /* of the first session, which may be spoken of */
    int has_token;
};

/* Every message of the server can be read again, and has a kind that the protocol lists. */
static int hear(void *context, uint64_t connection, struct wire_message *message)
{
    struct host *host = context;
    static const char token[] = "\xa5token\xc4\x10";
    (void)connection;
    if (message->size < 4 || (message->bytes[0] & 0xf0) != 0x90) {
        abort();
    }
    for (size_t i = 0; !host->has_token && i + sizeof token + TOKEN <= message->size; i++) {
        if (memcmp(message->bytes + i, token, sizeof token - 1) == 0) {
            memcpy(host->token, message->bytes + i + sizeof token - 1, TOKEN);
            host->has_token = 1;
        }
    }
    return 0;
}

static void hear_topic(void *context, const char *topic, struct wire_message *message)
{
    (void)topic;
    (void)hear(context, 0, message);
}

/* Sixteen bytes of 0xEE stand for the token, which no input can know. */
static void put_token(const struct host *host, unsigned char *bytes, size_t size)
{
    unsigned char stand_in[TOKEN];
    memset(stand_in, 0xEE, sizeof stand_in);
    for (size_t i = 0; i + TOKEN <= size; i++) {
        if (memcmp(bytes + i, stand_in, TOKEN) == 0) {
            memcpy(bytes + i, host->token, TOKEN);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host host = {.has_token = 0};
    const struct server_host server_host = {&host, hear, hear_topic};
    struct server_options options = server_defaults();
    struct server *server = NULL;
    int64_t now_ms = 1;
    options.max_sessions = 4;
    options.rows_per_key = 64;
    options.rows_in_flight = 64;
    options.max_tables = 4;
    if (server_new(&options, &server_host, now_ms, NULL, &server) != 0) {
        abort();
    }
    for (size_t at = 0; at + 3 <= size;) {
        const uint64_t connection = 1 + data[at] % CONNECTIONS;
        const size_t told = data[at + 1] | (size_t)data[at + 2] << 8;
        const size_t length = told < size - at - 3 ? told : size - at - 3;
        unsigned char *bytes = malloc(length ? length : 1);
        if (!bytes) {
            abort();
        }
        now_ms += (data[at] >> 4) * SLOW_MS;
        memcpy(bytes, data + at + 3, length);
        put_token(&host, bytes, length);
        server_receive(server, connection, connection == CONNECTIONS ? "another key" : "", bytes, length, now_ms);
        if (data[at] & 8) {
            server_watched(server, "t:", 1, now_ms);
        }
        (void)server_tick(server, now_ms);
        free(bytes);
        at += 3 + length;
    }
    server_free(&server);
    return 0;
}
