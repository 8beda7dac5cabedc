#include "desk.h"

#include <stdlib.h>
#include <string.h>

#include "admin.h"
#include "base/mh_pool.h"
#include "base/mh_text.h"
#include "http.h"
#include "metrics.h"
#include "sessions/server_inside.h"

enum { DOORS = 2 };

struct desk {
    struct server *server;
    int64_t began_ns, looked;
    struct door *doors[DOORS];
    int count;
    struct pollfd polls[DOORS * DOOR_POLLS];
};

/* ---- Pages -------------------------------------------------------------------------------------------------- */

static int write_health(const struct server *server, struct page *body)
{
    if (server->disk.is_late) {
        page_add(body, "cannot write: %s\n", strerror(server->disk.error));
        return 503;
    }
    if (server_is_draining(server)) {
        page_add(body, "draining\n");
        return 503;
    }
    page_add(body, "ok\n");
    return 200;
}

static int write_page(void *context, const char *path, struct page *body)
{
    enum { NS_PER_MS = 1000000 };
    const struct desk *desk = context;
    if (strcmp(path, "/healthz") == 0) {
        return write_health(desk->server, body);
    }
    if (strcmp(path, "/metrics") == 0) {
        metrics_write(desk->server, (mh_pool_now() - desk->began_ns) / NS_PER_MS, body);
        return 200;
    }
    page_add(body, "there are /metrics and /healthz\n");
    return 404;
}

static void answer_http(void *context, const char *request, enum door_ending ending, int64_t now_ms,
                        struct page *answer)
{
    (void)now_ms;
    http_answer(request, ending, write_page, context, answer);
}

/* ---- Commands ----------------------------------------------------------------------------------------------- */

static int has_line(const char *request)
{
    return strchr(request, '\n') != NULL;
}

static void answer_command(void *context, const char *request, enum door_ending ending, int64_t now_ms,
                           struct page *answer)
{
    struct desk *desk = context;
    if (ending == DOOR_TOO_LONG) {
        page_add(answer, "{\"error\": \"a command has at most %d bytes\"}\n", DOOR_REQUEST - 1);
        return;
    }
    admin_run(desk->server, request, now_ms, answer);
    if (answer->failed) {
        page_free(answer);
        page_add(answer, "{\"error\": \"no memory for the answer\"}\n");
    }
}

/* ---- The loop ----------------------------------------------------------------------------------------------- */

static int open_doors(struct desk *self, const struct desk_options *options, char *message)
{
    char reason[MH_MESSAGE_SIZE];
    const struct door_service http = {self, http_is_whole, answer_http};
    const struct door_service admin = {self, has_line, answer_command};
    if (options->metrics) {
        if (door_open_port(options->metrics, &http, reason, &self->doors[self->count]) != 0) {
            mh_message(message, "--metrics: %.200s", reason);
            return -1;
        }
        self->count++;
    }
    if (options->admin) {
        if (door_open_path(options->admin, &admin, reason, &self->doors[self->count]) != 0) {
            mh_message(message, "--admin: %.200s", reason);
            return -1;
        }
        self->count++;
    }
    return 0;
}

int desk_new(const struct desk_options *options, struct server *server, char *message, struct desk **desk)
{
    struct desk *self = calloc(1, sizeof *self);
    if (!self) {
        mh_message(message, "no memory for the operator's sockets");
        return -1;
    }
    if (open_doors(self, options, message) != 0) {
        desk_free(&self);
        return -1;
    }
    self->server = server;
    self->began_ns = mh_pool_now();
    *desk = self;
    return 0;
}

void desk_free(struct desk **desk)
{
    struct desk *self = *desk;
    for (int i = 0; self && i < self->count; i++) {
        door_close(&self->doors[i]);
    }
    free(self);
    *desk = NULL;
}

struct pollfd *desk_polls(struct desk *self, int64_t now_ms, int *count)
{
    for (int i = 0; i < self->count; i++) {
        door_polls(self->doors[i], now_ms, self->polls + i * DOOR_POLLS);
    }
    *count = self->count * DOOR_POLLS;
    return self->polls;
}

void desk_turn(struct desk *self, int is_polled, int64_t now_ms)
{
    enum { OFTEN_MS = 10 };
    int count = 0;
    if (!is_polled && now_ms < self->looked + OFTEN_MS) {
        return;
    }
    struct pollfd *polls = is_polled ? self->polls : desk_polls(self, now_ms, &count);
    if (count > 0) {
        (void)poll(polls, (nfds_t)count, 0);
    }
    self->looked = now_ms;
    for (int i = 0; i < self->count; i++) {
        door_turn(self->doors[i], polls + i * DOOR_POLLS, now_ms);
    }
}
