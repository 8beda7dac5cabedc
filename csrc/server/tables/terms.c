#include "terms.h"

#include <string.h>

#include "mh_game.h"

enum {
    CLOCK = 10000,
    CLOCK_LOW = 50,
    CLOCK_HIGH = 3600000,
    PAUSE = 200, /* where several players sit: most programs answer within it, PROTOCOL.md has the figures */
    PAUSE_HIGH = 60000,
    GAMES_HIGH = 10000
};

static int read_game(struct terms *self, const struct terms *defaults, const msgpack_object *map,
                     struct wire_error *error)
{
    const char *standard = defaults ? terms_spec(defaults)->id : mh_game_id(0);
    self->game = games_open(standard, wire_key(map, "game"), wire_key(map, "options"), self->options, error);
    return self->game ? 0 : -1;
}

/* The bot of that name in another game object; in another game there may be none, and any number will do, as the games
 * differ. */
static int same_bot(const struct mh_game *game, const struct terms *other, int bot)
{
    const int same = mh_bot_index(game, mh_bot_name(other->game, bot), NULL);
    return same < 0 ? 0 : same;
}

static void take_bots(struct terms *self, const struct terms *defaults)
{
    for (int i = 0; i < defaults->num_bots; i++) {
        self->bots[i] = same_bot(self->game, defaults, defaults->bots[i]);
    }
    self->substitute = same_bot(self->game, defaults, defaults->substitute);
}

/* Leaves at least one seat to the player. */
static int read_bots(struct terms *self, const msgpack_object *list, const char *bots, struct wire_error *error)
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
        self->bots[i] = games_bot(self->game, &list->via.array.ptr[i], "bots", bots, error);
        if (self->bots[i] < 0) {
            return -1;
        }
    }
    return 0;
}

static int read_substitute(struct terms *self, const msgpack_object *value, const char *bots,
                           struct wire_error *error)
{
    if (value) {
        self->substitute = games_bot(self->game, value, "substitute", bots, error);
        return self->substitute < 0 ? -1 : 0;
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
        wire_read_bool(wire_key(map, "reveal"), "reveal", &self->reveal, error) != 0 ||
        wire_read_int(wire_key(map, "clock"), "clock", CLOCK_LOW, CLOCK_HIGH, &self->clock, error) != 0 ||
        wire_read_int(wire_key(map, "pause"), "pause", 0, PAUSE_HIGH, &self->pause, error) != 0) {
        return -1;
    }
    self->seeded |= seed != NULL;
    const int seats = self->game->sizes.seats;
    if (self->pause < 0) {
        self->pause = seats - self->num_bots > 1 ? PAUSE : 0; /* built-in bots notice nothing */
    }
    if (self->duplicate && self->games % seats != 0) {
        return wire_refuse(error, "argument", "games: %d is not a multiple of %d, the seats that duplicate rotates",
                           (int)self->games, seats);
    }
    return 0;
}

int terms_read(struct terms *self, const struct terms *defaults, const msgpack_object *map, const char *bots,
               struct wire_error *error)
{
    struct terms made = {.games = 1, .reveal = 1, .clock = CLOCK, .pause = -1, .substitute = -1};
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
    if (defaults) {
        take_bots(&made, defaults);
    }
    if (read_bots(&made, wire_key(map, "bots"), bots, error) != 0 || read_series(&made, map, error) != 0 ||
        read_substitute(&made, wire_key(map, "substitute"), bots, error) != 0) {
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

static int is_same_bot(const struct terms *self, int bot, const struct terms *other, int its_bot)
{
    return strcmp(mh_bot_name(self->game, bot), mh_bot_name(other->game, its_bot)) == 0;
}

static int has_same_bots(const struct terms *self, const struct terms *other)
{
    int same = self->num_bots == other->num_bots;
    for (int i = 0; same && i < self->num_bots; i++) {
        same = is_same_bot(self, self->bots[i], other, other->bots[i]);
    }
    return same;
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
    if (!has_same_bots(self, other)) {
        return "bots";
    }
    if (self->games != other->games) {
        return "games";
    }
    if (self->duplicate != other->duplicate) {
        return "duplicate";
    }
    if (self->seeded != other->seeded) {
        return "seed";
    }
    if (self->reveal != other->reveal) {
        return "reveal";
    }
    if (self->clock != other->clock) {
        return "clock";
    }
    if (self->pause != other->pause) {
        return "pause";
    }
    return is_same_bot(self, self->substitute, other, other->substitute) ? NULL : "substitute";
}

void terms_write(const struct terms *self, struct wire_out *out)
{
    wire_key_text(out, "game", terms_spec(self)->id);
    wire_key_text(out, "options", self->options);
    wire_text(out, "bots");
    wire_array(out, (size_t)self->num_bots);
    for (int i = 0; i < self->num_bots; i++) {
        wire_text(out, mh_bot_name(self->game, self->bots[i]));
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
    wire_text(out, "reveal");
    wire_bool(out, self->reveal);
    wire_key_int(out, "clock", self->clock);
    wire_key_int(out, "pause", self->pause);
    wire_key_text(out, "substitute", mh_bot_name(self->game, self->substitute));
}
