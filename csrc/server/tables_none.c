/* Until the tables are there: nobody can sit down. */
#include <stddef.h>

#include "tables.h"

int tables_new(const struct tables_options *options, const struct tables_host *host, char *message,
               struct tables **tables)
{
    (void)options;
    (void)host;
    (void)message;
    *tables = NULL;
    return MH_OK;
}

void tables_free(struct tables **tables)
{
    (void)tables;
}

int tables_request(struct tables *self, const struct tables_player *player, const char *name,
                   const struct wire_args *args, int64_t now_ms, struct wire_out *out, int *results,
                   struct wire_error *error)
{
    (void)self;
    (void)player;
    (void)args;
    (void)now_ms;
    (void)out;
    (void)results;
    return wire_refuse(error, "request", "no request is called '%s'", name);
}

int tables_act(struct tables *self, const struct tables_player *player, const struct wire_args *args,
               int64_t now_ms, struct wire_error *error)
{
    (void)self;
    (void)player;
    (void)args;
    (void)now_ms;
    return wire_refuse(error, "turn", "no question is open");
}

void tables_heard(struct tables *self, const struct tables_player *player, int64_t now_ms, int hello)
{
    (void)self;
    (void)player;
    (void)now_ms;
    (void)hello;
}

void tables_gone(struct tables *self, const unsigned char *token, int64_t now_ms)
{
    (void)self;
    (void)token;
    (void)now_ms;
}

void tables_watch(struct tables *self, const char *topic, int64_t now_ms)
{
    (void)self;
    (void)topic;
    (void)now_ms;
}

int64_t tables_tick(struct tables *self, int64_t now_ms)
{
    (void)self;
    (void)now_ms;
    return -1;
}
