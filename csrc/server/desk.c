#include "desk.h"

#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "metrics.h"
#include "mh_pool.h"
#include "mh_text.h"
#include "server_inside.h"

struct desk {
    struct server *server;
    int64_t began_ns, looked;
    struct door *metrics;
    struct pollfd polls[DESK_POLLS];
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

/* ---- The loop ----------------------------------------------------------------------------------------------- */

int desk_new(const struct desk_options *options, struct server *server, char *message, struct desk **desk)
{
    char reason[MH_MESSAGE_SIZE] = "no memory";
    struct desk *self = calloc(1, sizeof *self);
    const struct door_service http = {self, http_is_whole, answer_http};
    if (!self || (options->metrics && door_open_port(options->metrics, &http, reason, &self->metrics) != 0)) {
        desk_free(&self);
        mh_message(message, "--metrics: %.200s", reason);
        return -1;
    }
    self->server = server;
    self->began_ns = mh_pool_now();
    *desk = self;
    return 0;
}

void desk_free(struct desk **desk)
{
    if (*desk) {
        door_close(&(*desk)->metrics);
        free(*desk);
        *desk = NULL;
    }
}

struct pollfd *desk_polls(struct desk *self, int64_t now_ms, int *count)
{
    *count = self->metrics ? DOOR_POLLS : 0;
    if (self->metrics) {
        door_polls(self->metrics, now_ms, self->polls);
    }
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
    if (self->metrics) {
        door_turn(self->metrics, polls, now_ms);
    }
}
