#include "envs.h"

#include <inttypes.h>
#include <stdio.h>

#include "env_rows.h"
#include "mh_game.h"

struct env *envs_find(const struct envs *self, const struct wire_args *args, struct wire_error *error)
{
    int64_t number = 0;
    struct env *env = NULL;
    if (wire_is_nil(wire_arg(args, 0))) {
        (void)wire_refuse(error, "argument", "env: missing; make replies with its number");
        return NULL;
    }
    if (wire_read_int(wire_arg(args, 0), "env", 0, INT64_MAX, &number, error) == 0) {
        for (env = self->first; env && env->number != number; env = env->next) {
        }
        if (!env) {
            (void)wire_refuse(error, "env", "env: there is no environment %lld; make replies with their numbers",
                              (long long)number);
        }
    }
    return env;
}

/* ---- Making and closing ------------------------------------------------------------------------------------- */

static void measure(struct envs *self)
{
    self->reply_size = self->kept_size = 0;
    self->is_resized = 1;
    for (const struct env *env = self->first; env; env = env->next) {
        const size_t size = env_reply_size(env);
        self->reply_size = size > self->reply_size ? size : self->reply_size;
        self->kept_size += size;
    }
}

static void add_env(struct envs *self, struct env *env)
{
    struct env **end = &self->first;
    while (*end) {
        end = &(*end)->next;
    }
    *end = env;
    self->rows += (int)env->rows;
    self->count++;
    measure(self);
}

int envs_make(struct envs *self, const struct env_limits *limits, const struct wire_args *args,
              struct answer *answer, struct wire_error *error)
{
    enum { RESULTS = 256 };
    const msgpack_object *terms = wire_arg(args, 0);
    if (!wire_is_nil(terms) && terms->type != MSGPACK_OBJECT_MAP) {
        return wire_refuse(error, "argument", "make: its argument is a map");
    }
    if (answer_begin(answer, RESULTS, error) != 0) {
        return -1;
    }
    struct env *env = env_new(terms, limits, error);
    if (!env) {
        return -1;
    }
    env->number = ++self->made;
    add_env(self, env);
    char layout[2 * sizeof env->game->layout_hash + 1];
    (void)snprintf(layout, sizeof layout, "%016" PRIx64, env->game->layout_hash);
    struct wire_out *out = &answer->out;
    wire_int(out, env->number);
    wire_map(out, 9);
    wire_key_int(out, "observation", env->sizes.observation);
    wire_key_int(out, "actions", env->sizes.actions);
    wire_key_int(out, "info", env->sizes.info);
    wire_key_int(out, "seats", env->sizes.seats);
    wire_key_int(out, "final_seats", (int64_t)env->final_seats);
    wire_key_int(out, "omniscient", env->sizes.omniscient);
    wire_key_int(out, "row", env->sizes.row);
    wire_key_int(out, "state", env->sizes.snapshot);
    wire_key_text(out, "layout", layout);
    return 2;
}

void envs_close(struct envs *self, struct env *env)
{
    struct env **link = &self->first;
    while (*link != env) {
        link = &(*link)->next;
    }
    *link = env->next;
    self->rows -= (int)env->rows;
    self->count--;
    env_free(env);
    measure(self);
}

void envs_unmake(struct envs *self)
{
    struct env *newest = self->first;
    while (newest->next) {
        newest = newest->next;
    }
    self->made--;
    envs_close(self, newest);
}

int envs_most_rows(const struct envs *self)
{
    size_t most = 0;
    for (const struct env *env = self->first; env; env = env->next) {
        most = env->rows > most ? env->rows : most;
    }
    return (int)most;
}

void envs_free(struct envs *self)
{
    while (self->first) {
        struct env *env = self->first;
        self->first = env->next;
        env_free(env);
    }
    *self = (struct envs){.first = NULL};
}

/* ---- In a journal ------------------------------------------------------------------------------------------- */

void envs_write(struct envs *self, struct wire_out *out)
{
    for (const struct env *env = self->first; env; env = env->next) {
        env_write(env, out);
    }
    self->is_resized = 1;
    envs_write_sizes(self, out);
}

void envs_write_sizes(struct envs *self, struct wire_out *out)
{
    if (self->is_resized) {
        wire_array(out, 5);
        wire_text(out, "sizes");
        wire_int(out, self->count);
        wire_int(out, self->rows);
        wire_uint(out, self->reply_size);
        wire_uint(out, self->kept_size);
        self->is_resized = 0;
    }
}

int envs_read_sizes(struct envs *self, const struct wire_args *entry, struct wire_error *error)
{
    enum { MOST_ROWS = 1 << 24 };
    const int64_t most_bytes = (int64_t)1 << 40;
    int64_t count = 0;
    int64_t rows = 0;
    int64_t reply_size = 0;
    int64_t kept_size = 0;
    if (wire_read_int(wire_arg(entry, 1), "count", 0, MOST_ROWS, &count, error) != 0 ||
        wire_read_int(wire_arg(entry, 2), "rows", 0, MOST_ROWS, &rows, error) != 0 ||
        wire_read_int(wire_arg(entry, 3), "reply_size", 0, most_bytes, &reply_size, error) != 0 ||
        wire_read_int(wire_arg(entry, 4), "kept_size", 0, most_bytes, &kept_size, error) != 0) {
        return -1;
    }
    *self = (struct envs){
        .count = (int)count, .rows = (int)rows, .reply_size = (size_t)reply_size, .kept_size = (size_t)kept_size};
    return 0;
}

int envs_read(struct envs *self, struct env_reading *reading, const struct wire_args *entry, int64_t until,
              struct wire_error *error)
{
    struct env *env;
    const int status = env_read(reading, entry, until, &env, error);
    if (status == 0) {
        add_env(self, env);
    }
    return status;
}
