#include "terms.h"

#include <string.h>

#include "mh_game.h"

enum { CLOCK_LOW = 50, CLOCK_HIGH = 3600000, GAMES_HIGH = 10000 };

static int read_bot(const struct mh_game *game, const msgpack_object *value, const char *name, int *bot,
                    struct wire_error *error)
{
    char text[MH_TEXT_SIZE] = "";
    char message[MH_MESSAGE_SIZE];
    if (wire_read_text(value, name, text, sizeof text, error) != 0) {
        return -1;
    }
    *bot = mh_bot_index(game, text, message);
    return *bot < 0 ? wire_refuse(error, "argument", "%s: %.200s", name, message) : 0;
}

static int read_game(struct terms *self, const struct terms *defaults, const msgpack_object *map,
                     struct wire_error *error)
{
    const char *standard = defaults ? terms_spec(defaults)->id : mh_game_id(0);
    self->game = games_open(standard, wire_key(map, "game"), wire_key(map, "options"), self->options, error);
    return self->game ? 0 : -1;
}

/* Leaves at least one seat to the player. */
static int read_bots(struct terms *self, const msgpack_object *list, struct wire_error *error)
{
    if (!list) {
        return 0;
    }
    const int seats = self->game->sizes.seats;
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size >= (uint32_t)seats) {
        return wire_refuse(error, "argument", "bots: not an array of at most %d bots' names", seats - 1);
    }
    self->num_bots = (int)list->via.array.size;
    for (int i = 0; i < self->num_bots; i++) {
        if (read_bot(self->game, &list->via.array.ptr[i], "bots", &self->bots[i], error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_substitute(struct terms *self, const msgpack_object *value, struct wire_error *error)
{
    if (value) {
        return read_bot(self->game, value, "substitute", &self->substitute, error);
    }
    if (self->substitute < 0) {
        self->substitute = mh_default_bot(self->game);
    }
    return 0;
}

static int read_series(struct terms *self, const msgpack_object *map, struct wire_error *error)
{
    const msgpack_object *seed = wire_key(map, "seed");
    if (wire_read_int(wire_key(map, "games"), "games", 1, GAMES_HIGH, &self->games, error) != 0 ||
        wire_read_bool(wire_key(map, "duplicate"), "duplicate", &self->duplicate, error) != 0 ||
        wire_read_seed(seed, "seed", &self->seed, error) != 0 ||
        wire_read_int(wire_key(map, "clock"), "clock", CLOCK_LOW, CLOCK_HIGH, &self->clock, error) != 0) {
        return -1;
    }
    self->seeded |= seed != NULL;
    const int seats = self->game->sizes.seats;
    if (self->duplicate && self->games % seats != 0) {
        return wire_refuse(error, "argument", "games: %d is not a multiple of %d, the seats that duplicate rotates",
                           (int)self->games, seats);
    }
    return 0;
}

int terms_read(struct terms *self, const struct terms *defaults, const msgpack_object *map,
               struct wire_error *error)
{
    struct terms made = {.games = 1, .clock = 10000, .substitute = -1};
    if (defaults) {
        made = *defaults;
        made.game = NULL;
    }
    if (!wire_is_nil(map) && map->type != MSGPACK_OBJECT_MAP) {
        return wire_refuse(error, "argument", "terms: not a map");
    }
    if (read_game(&made, defaults, map, error) != 0) {
        return -1;
    }
    if (read_bots(&made, wire_key(map, "bots"), error) != 0 || read_series(&made, map, error) != 0 ||
        read_substitute(&made, wire_key(map, "substitute"), error) != 0) {
        terms_free(&made);
        return -1;
    }
    *self = made;
    return 0;
}

void terms_free(struct terms *self)
{
    mh_game_free(&self->game);
}

const char *terms_difference(const struct terms *self, const struct terms *other)
{
    const struct mh_spec *spec = terms_spec(self);
    if (spec != terms_spec(other)) {
        return "game";
    }
    if (memcmp(self->game->options, other->game->options, sizeof(int32_t) * (size_t)spec->num_options) != 0) {
        return "options";
    }
    if (self->num_bots != other->num_bots ||
        memcmp(self->bots, other->bots, sizeof(int) * (size_t)self->num_bots) != 0) {
        return "bots";
    }
    if (self->games != other->games) {
        return "games";
    }
    if (self->duplicate != other->duplicate) {
        return "duplicate";
    }
    if (self->seeded != other->seeded || self->seed != other->seed) {
        return "seed";
    }
    if (self->clock != other->clock) {
        return "clock";
    }
    return self->substitute != other->substitute ? "substitute" : NULL;
}

void terms_write(const struct terms *self, struct wire_out *out)
{
    const struct mh_spec *spec = terms_spec(self);
    wire_key_text(out, "game", spec->id);
    wire_key_text(out, "options", self->options);
    wire_text(out, "bots");
    wire_array(out, (size_t)self->num_bots);
    for (int i = 0; i < self->num_bots; i++) {
        wire_text(out, spec->bots[self->bots[i]].name);
    }
    wire_key_int(out, "games", self->games);
    wire_text(out, "duplicate");
    wire_bool(out, self->duplicate);
    wire_text(out, "seed");
    if (self->seeded) {
        wire_uint(out, self->seed);
    } else {
        wire_nil(out);
    }
    wire_key_int(out, "clock", self->clock);
    wire_key_text(out, "substitute", spec->bots[self->substitute].name);
}
