/* The terms of a table: the map in the requests sit and play. */
#ifndef TERMS_H
#define TERMS_H

#include "common/games.h"
#include "common/wire.h"
#include "mh_game.h"

struct terms {
    struct mh_game *game; /* owned */
    char options[GAMES_OPTIONS];
    int num_bots;
    int bots[MH_MAX_SEATS]; /* numbers of the built-in bots in `game`, in the order of their seats */
    int64_t games;
    int duplicate;
    int seeded; /* whether the seed was given */
    uint64_t seed;
    int reveal;    /* seeds are told at the end of the series */
    int64_t clock; /* milliseconds, as is the pause */
    int64_t pause; /* after an action that others may be asked about in secret */
    int substitute;
};

/* Reads terms from a map or nil. Missing keys are as in `defaults`, or as in PROTOCOL.md if that is NULL. `bots`: those
 * with settings that are allowed, see games_bot. */
int terms_read(struct terms *self, const struct terms *defaults, const msgpack_object *map, const char *bots,
               struct wire_error *error);
void terms_free(struct terms *self);

/* The name of a term in which two tables differ, or NULL. Seeds do not differ by their value: otherwise a client that
 * tries one would learn from the answer whether it is right. */
const char *terms_difference(const struct terms *self, const struct terms *other);

/* Writes TERMS_KEYS keys with their values, which terms_read reads again. */
enum { TERMS_KEYS = 10 };
void terms_write(const struct terms *self, struct wire_out *out);

static inline const struct mh_spec *terms_spec(const struct terms *self)
{
    return self->game->rules->spec;
}

#endif
