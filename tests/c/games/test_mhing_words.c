/* Words of Mhing from bytes that come from outside: said or refused, and read within their bounds, as sanitizers see.
 * Nothing that play leads to is refused. */
#include <string.h>

#include "check.h"
#include "mh_game.h"

enum { GREEDY = 1, TEXT = 1 << 14, THREE = 3, MORE = 8 };

/* The damage to the data behind the words. */
enum damage { NONE, THREE_BYTES, WITHIN_ROWS, ANY_BYTES, DAMAGES };

/* Bytes of one field: as many from there on, and so for each seat. */
struct span {
    int first, count, seats, stride, high;
};

enum { MOST_FIELDS = 64 };

struct spans {
    int count;
    struct span span[MOST_FIELDS];
};

struct table {
    const struct mh_game *game;
    struct mh_sizes sizes;
    uint64_t random;
    uint64_t *state;
    uint8_t *observation, *omniscient; /* each a separate block: reads beyond it are seen */
    int64_t *info;
    int8_t *mask;
    char *text;
    struct spans fields, hidden;
};

static uint32_t draw(struct table *self, uint32_t below)
{
    CHECK(below > 0);
    self->random = self->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->random >> 33) % below;
}

/* ---- The bytes of each field -------------------------------------------------------------------------------- */

static struct spans spans_of(const struct mh_field *fields, int count, const struct mh_game *game, int offset,
                             int stride)
{
    struct spans spans = {0};
    for (int i = 0; i < count; i++) {
        const int is_tail = fields[i].group == MH_GROUP_SEAT_TAIL;
        const int by_seat = is_tail || fields[i].group == MH_GROUP_SEAT;
        if (fields[i].group != MH_GROUP_HINT) {
            spans.span[spans.count++] = (struct span){
                .first = fields[i].offset + (by_seat ? offset : 0),
                .count = is_tail ? game->layout.seat_tail : fields[i].count,
                .seats = by_seat ? game->sizes.seats : 1,
                .stride = stride,
                .high = fields[i].high,
            };
        }
    }
    return spans;
}

static void open_table(struct table *self, const char *options, uint64_t seed)
{
    struct mh_game *game;
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(mh_game_new("mhing", options, message, &game), MH_OK);
    *self = (struct table){.game = game, .random = seed};
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_layout *layout = &game->layout;
    CHECK_EQUAL(mh_game_sizes(game, &self->sizes), MH_OK);
    self->state = check_memory((size_t)self->sizes.state);
    self->observation = check_memory((size_t)self->sizes.observation);
    self->omniscient = check_memory((size_t)self->sizes.omniscient);
    self->info = check_memory((size_t)self->sizes.info * sizeof *self->info);
    self->mask = check_memory((size_t)self->sizes.actions);
    self->text = check_memory(TEXT);
    self->fields = spans_of(spec->fields, spec->num_fields, game, layout->seat_offset, layout->seat_stride);
    self->hidden =
        spans_of(spec->hidden, spec->num_hidden, game, layout->hidden_seat_offset, layout->hidden_seat_stride);
    CHECK_EQUAL(mh_state_reset(game, self->state, seed, message), MH_OK);
}

static void close_table(struct table *self)
{
    struct mh_game *game = (struct mh_game *)self->game;
    free(self->state);
    free(self->observation);
    free(self->omniscient);
    free(self->info);
    free(self->mask);
    free(self->text);
    mh_game_free(&game);
}

/* ---- Damage ------------------------------------------------------------------------------------------------- */

static void damage_field(struct table *self, const struct span *span, int is_whole, uint8_t *bytes)
{
    const int seat = (int)draw(self, (uint32_t)span->seats);
    const int at = (int)draw(self, (uint32_t)span->count);
    for (int i = 0; i < span->seats * span->count; i++) {
        if (is_whole || i == seat * span->count + at) {
            bytes[span->first + i / span->count * span->stride + i % span->count] =
                (uint8_t)draw(self, (uint32_t)span->high + 1);
        }
    }
}

/* Fields are hit alike, be they long or short. */
static void damage_bytes(struct table *self, enum damage damage, const struct spans *spans, int count,
                         uint8_t *bytes)
{
    const int fields = damage == THREE_BYTES ? THREE : damage == WITHIN_ROWS ? spans->count : 0;
    for (int i = 0; i < fields; i++) {
        const int field = damage == THREE_BYTES ? (int)draw(self, (uint32_t)spans->count) : i;
        damage_field(self, &spans->span[field], damage == WITHIN_ROWS, bytes);
    }
    for (int i = 0; damage == ANY_BYTES && i < count; i++) {
        bytes[i] = (uint8_t)draw(self, 256);
    }
}

static void damage_numbers(struct table *self, enum damage damage)
{
    const int changes = damage == NONE ? 0 : damage == THREE_BYTES ? THREE : self->sizes.info;
    for (int i = 0; i < changes; i++) {
        const int at = damage == THREE_BYTES ? (int)draw(self, (uint32_t)self->sizes.info) : i;
        const int64_t small = (int64_t)draw(self, 12) - 3;
        self->info[at] = damage == ANY_BYTES ? (int64_t)((uint64_t)draw(self, 1u << 31) << 33) + small : small;
    }
}

/* ---- Sentences ---------------------------------------------------------------------------------------------- */

static void check_text(const char *text, int64_t length)
{
    CHECK_EQUAL(strlen(text), length);
    CHECK(length == 0 || text[length - 1] == '\n');
    for (int64_t i = 0; i < length; i++) {
        CHECK((text[i] >= ' ' && text[i] <= '~') || text[i] == '\n');
    }
}

/* All of it, or a refusal with its reason. */
static int say(struct table *self, const struct mh_viewer *viewer)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int64_t length = mh_words(self->game, self->observation, self->sizes.observation, viewer, MH_WORDS_ALL, 0,
                                    self->text, TEXT, message);
    if (length < 0) {
        CHECK_EQUAL(length, MH_ERROR_ARGUMENT);
        CHECK(message[0] != '\0');
        return 0;
    }
    CHECK(length > 0 && length < TEXT);
    check_text(self->text, length);
    return 1;
}

static int try_seat(struct table *self, int seat, enum damage damage, int what)
{
    const struct mh_viewer viewer = {
        .seat = seat,
        .to_act = (int)draw(self, (uint32_t)self->sizes.seats + 3) - 3,
        .info = what % 2 ? self->info : NULL,
        .omniscient = what / 2 % 2 ? self->omniscient : NULL,
        .mask = what / 4 % 2 ? self->mask : NULL,
    };
    if (seat < 0) {
        CHECK_EQUAL(mh_state_watch(self->game, self->state, self->observation), MH_OK);
    } else {
        CHECK_EQUAL(mh_state_observe(self->game, self->state, seat, self->observation), MH_OK);
    }
    CHECK_EQUAL(mh_state_omniscient(self->game, self->state, self->omniscient), MH_OK);
    CHECK_EQUAL(mh_state_info(self->game, self->state, self->info), MH_OK);
    const int which = (int)draw(self, 4);
    if (which == 0 && viewer.info) {
        damage_numbers(self, damage);
    } else if (which == 1 && viewer.omniscient) {
        damage_bytes(self, damage, &self->hidden, self->sizes.omniscient, self->omniscient);
    } else {
        damage_bytes(self, damage, &self->fields, self->sizes.observation, self->observation);
    }
    const int is_said = say(self, &viewer); /* NOLINT(clang-analyzer-unix.Malloc) close_table frees all of it */
    CHECK(is_said || damage != NONE);
    return is_said;
}

static void play_on(struct table *self)
{
    char message[MH_MESSAGE_SIZE];
    int action;
    if (mh_state_seat(self->state) == MH_BETWEEN_ROUNDS) {
        CHECK_EQUAL(mh_state_next_round(self->game, self->state, message), MH_OK);
        return;
    }
    CHECK_EQUAL(mh_state_bot_action(self->game, self->state, draw(self, 5) ? GREEDY : 0, &self->random, &action),
                MH_OK);
    CHECK_EQUAL(mh_state_apply_only(self->game, self->state, action, message), MH_OK);
}

static void try_variant(const char *options, int seed, int tried[DAMAGES], int said[DAMAGES])
{
    struct table table;
    open_table(&table, options, (uint64_t)seed);
    for (int moves = 0; moves < 400; moves++) {
        const int over = mh_state_seat(table.state) == MH_OVER;
        const int seat = (int)draw(&table, (uint32_t)table.sizes.seats + 1) - 1;
        for (int i = 0; i < DAMAGES + MORE; i++) {
            const enum damage damage = i < DAMAGES ? (enum damage)i : THREE_BYTES;
            CHECK_EQUAL(mh_state_mask(table.game, table.state, table.mask), MH_OK);
            said[damage] += try_seat(&table, seat, damage, (int)draw(&table, 8));
            tried[damage]++;
        }
        if (over) {
            break;
        }
        play_on(&table);
    }
    close_table(&table);
}

int main(void)
{
    static const char *const variants[] = {
        "",
        "num_players=2 rules=jmhing episode=game rounds=3",
        "num_players=3 seven_pairs=on scoring=chips episode=game rounds=3",
        "num_players=5 episode=game target=8",
        "num_players=6 lay_down=on",
        "num_players=4 lay_down=on reward=chips hints=on",
    };
    int tried[DAMAGES] = {0};
    int said[DAMAGES] = {0};
    for (int i = 0; i < (int)(sizeof variants / sizeof *variants); i++) {
        for (int seed = 0; seed < 40; seed++) {
            try_variant(variants[i], seed, tried, said);
        }
    }
    printf("said: %d of %d from play, %d of %d with three bytes changed, %d of %d within rows, %d of %d of any "
           "bytes\n",
           said[NONE], tried[NONE], said[THREE_BYTES], tried[THREE_BYTES], said[WITHIN_ROWS], tried[WITHIN_ROWS],
           said[ANY_BYTES], tried[ANY_BYTES]);
    CHECK(tried[NONE] > 10000);
    CHECK(said[THREE_BYTES] > tried[THREE_BYTES] / 6);
    return 0;
}
