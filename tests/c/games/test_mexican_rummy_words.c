/* Mexican Rummy: words of any bytes. They are refused with a message, or said; nothing is read beyond them. Blocks are
 * as long as what they hold, so that sanitizers see each read beyond. */
#include "check.h"

#include <string.h>

#include "mh_game.h"

enum { DECISIONS = 160, PARTS = MH_WORDS_MOVES + 1, NARROW_FIELD = 4, MAX_PLACES = 256 };

struct table {
    struct mh_game *game;
    void *state;
    uint8_t *observation, *changed, *highs;
    uint8_t *omniscient, *changed_omniscient, *omniscient_highs;
    int64_t *info, *changed_info;
    int narrow[MAX_PLACES]; /* bytes of an observation in fields of few, which most depends on */
    int num_narrow;
    uint64_t random;
};

/* The counts of texts said and refused. */
struct counts {
    int64_t said, refused;
};

/* ---- A table ---------------------------------------------------------------------------------------------- */

/* The highest value of each byte. */
static void find_highs(const struct mh_field *fields, int count, int hints, int offset, int stride, int seats,
                       uint8_t *highs)
{
    for (int i = 0; i < count; i++) {
        const int per_seat = fields[i].group == MH_GROUP_SEAT;
        const int is_hint = fields[i].group == MH_GROUP_HINT;
        const int start = per_seat ? offset : is_hint ? hints : 0;
        for (int seat = 0; start >= 0 && seat < (per_seat ? seats : 1); seat++) {
            memset(highs + start + seat * stride + fields[i].offset, fields[i].high, (size_t)fields[i].count);
        }
    }
}

static void find_narrow(struct table *table)
{
    const struct mh_spec *spec = table->game->rules->spec;
    for (int i = 0; i < spec->num_fields; i++) {
        const struct mh_field *field = &spec->fields[i];
        const int is_fixed = field->group == MH_GROUP_OWN || field->group == MH_GROUP_TABLE;
        for (int byte = 0; is_fixed && field->count <= NARROW_FIELD && byte < field->count; byte++) {
            CHECK(table->num_narrow < MAX_PLACES);
            table->narrow[table->num_narrow++] = field->offset + byte;
        }
    }
}

static struct table open_table(const char *options)
{
    struct table table = {.random = 1};
    CHECK_EQUAL(mh_game_new("mexican_rummy", options, NULL, &table.game), MH_OK);
    const struct mh_sizes *sizes = &table.game->sizes;
    const struct mh_layout *layout = &table.game->layout;
    const struct mh_spec *spec = table.game->rules->spec;
    table.state = check_memory((size_t)sizes->state);
    uint8_t **const seen[] = {&table.observation, &table.changed, &table.highs};
    uint8_t **const hidden[] = {&table.omniscient, &table.changed_omniscient, &table.omniscient_highs};
    for (int i = 0; i < 3; i++) {
        *seen[i] = check_memory((size_t)sizes->observation);
        *hidden[i] = check_memory((size_t)sizes->omniscient);
    }
    table.info = check_memory(sizeof *table.info * (size_t)sizes->info);
    table.changed_info = check_memory(sizeof *table.info * (size_t)sizes->info);
    find_highs(spec->fields, spec->num_fields, layout->hint_offset, layout->seat_offset, layout->seat_stride,
               sizes->seats, table.highs);
    find_narrow(&table);
    find_highs(spec->hidden, spec->num_hidden, -1, layout->hidden_seat_offset, layout->hidden_seat_stride,
               sizes->seats, table.omniscient_highs);
    return table;
}

static void close_table(struct table *table)
{
    void *const blocks[] = {table->state, table->observation,      table->changed,
                            table->highs, table->omniscient,       table->changed_omniscient,
                            table->info,  table->omniscient_highs, table->changed_info};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        free(blocks[i]);
    }
    mh_game_free(&table->game);
}

static uint32_t below(struct table *table, uint32_t bound)
{
    struct mh_rng rng = {table->random};
    const uint32_t number = (uint32_t)mh_rng_below(&rng, bound);
    table->random = rng.state;
    return number;
}

/* ---- Sentences -------------------------------------------------------------------------------------------- */

/* Lines of printable ASCII, which are as long as was said. */
static void check_text(const char *text, int64_t length)
{
    CHECK_EQUAL(strlen(text), length);
    for (int64_t i = 0; i < length; i++) {
        CHECK(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7F));
    }
    CHECK(!length || text[length - 1] == '\n');
}

static void say(const struct table *table, const uint8_t *observation, const struct mh_viewer *viewer, int part,
                struct counts *counts)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int number = part == MH_WORDS_EVENTS ? MH_EVENT_TAIL : 0;
    const int64_t bytes = table->game->sizes.observation;
    const int64_t length = mh_words(table->game, observation, bytes, viewer, part, number, NULL, 0, message);
    if (length < 0) {
        CHECK_EQUAL(length, MH_ERROR_ARGUMENT);
        CHECK(message[0]);
        counts->refused++;
        return;
    }
    char *text = check_memory((size_t)length + 1);
    CHECK_EQUAL(mh_words(table->game, observation, bytes, viewer, part, number, text, length + 1, message), length);
    check_text(text, length);
    free(text);
    counts->said++;
}

/* Changes three bytes within their highest values, one or two of narrow fields, all, or all to anything. What lies
 * beside an observation is counted apart. */
enum way { THREE, NARROW, ALL, ANY, WAYS, BESIDE = WAYS, COUNTS };

static void change(struct table *table, enum way way, const uint8_t *highs, int count, const uint8_t *from,
                   uint8_t *to)
{
    const int few = way == THREE ? 3 : 1 + (int)below(table, 2);
    const int is_few = way == THREE || way == NARROW;
    const int is_narrow = way == NARROW && highs == table->highs;
    memcpy(to, from, (size_t)count);
    for (int i = 0; i < (is_few ? few : count); i++) {
        const int place = is_narrow ? table->narrow[below(table, (uint32_t)table->num_narrow)]
                          : is_few  ? (int)below(table, (uint32_t)count)
                                    : i;
        to[place] = (uint8_t)below(table, way == ANY ? 256 : highs[place] + 1u);
    }
}

static void change_info(struct table *table, enum way way)
{
    const int count = table->game->sizes.info;
    memcpy(table->changed_info, table->info, sizeof *table->info * (size_t)count);
    for (int i = 0; i < (way < ALL ? 2 : count); i++) {
        const int place = way < ALL ? (int)below(table, (uint32_t)count) : i;
        const uint64_t any = (uint64_t)below(table, UINT32_MAX) << 32 | below(table, UINT32_MAX);
        table->changed_info[place] = way == ANY ? (int64_t)any : (int64_t)below(table, 12) - 2;
    }
}

static void check_changes(struct table *table, struct mh_viewer viewer, struct counts counts[COUNTS])
{
    const struct mh_sizes *sizes = &table->game->sizes;
    struct counts *beside = &counts[BESIDE];
    for (enum way way = THREE; way < WAYS; way++) {
        change(table, way, table->highs, sizes->observation, table->observation, table->changed);
        say(table, table->changed, &viewer, (int)below(table, PARTS), &counts[way]);
        say(table, table->changed, &viewer, MH_WORDS_ALL, &counts[way]);
        change(table, way, table->omniscient_highs, sizes->omniscient, table->omniscient,
               table->changed_omniscient);
        change_info(table, way);
        viewer.omniscient = table->changed_omniscient;
        say(table, table->observation, &viewer, MH_WORDS_ALL, beside);
        viewer.omniscient = NULL;
        viewer.info = table->changed_info;
        say(table, table->observation, &viewer, MH_WORDS_ALL, beside);
        viewer.info = table->info;
        viewer.omniscient = table->changed_omniscient;
        say(table, table->changed, &viewer, (int)below(table, PARTS), beside);
        viewer.omniscient = NULL;
    }
}

/* Every view that play shows a seat, or a spectator, is said in all parts. */
static void check_real(const struct table *table, struct mh_viewer viewer, struct counts *counts)
{
    for (int part = 0; part < PARTS; part++) {
        say(table, table->observation, &viewer, part, counts);
    }
    viewer.omniscient = table->omniscient;
    say(table, table->observation, &viewer, MH_WORDS_ALL, counts);
}

static void check_state(struct table *table, struct counts *real, struct counts changed[COUNTS])
{
    CHECK_EQUAL(mh_state_omniscient(table->game, table->state, table->omniscient), MH_OK);
    CHECK_EQUAL(mh_state_info(table->game, table->state, table->info), MH_OK);
    for (int seat = -1; seat < table->game->sizes.seats; seat++) {
        const struct mh_viewer viewer = {.seat = seat, .to_act = MH_NOT_KNOWN, .info = table->info};
        CHECK_EQUAL(seat < 0 ? mh_state_watch(table->game, table->state, table->observation)
                             : mh_state_observe(table->game, table->state, seat, table->observation),
                    MH_OK);
        check_real(table, viewer, real);
        check_changes(table, viewer, changed);
    }
}

static void check_episode(struct table *table, uint64_t seed, int bot, struct counts *real, struct counts *changed)
{
    CHECK_EQUAL(mh_state_reset(table->game, table->state, seed, NULL), MH_OK);
    for (int i = 0; i < DECISIONS && mh_state_seat(table->state) != MH_OVER; i++) {
        int action;
        check_state(table, real, changed);
        if (mh_state_seat(table->state) == MH_BETWEEN_ROUNDS) {
            CHECK_EQUAL(mh_state_next_round(table->game, table->state, NULL), MH_OK);
            continue;
        }
        CHECK_EQUAL(mh_state_bot_action(table->game, table->state, bot, &table->random, &action), MH_OK);
        CHECK_EQUAL(mh_state_apply_only(table->game, table->state, action, NULL), MH_OK);
    }
    check_state(table, real, changed);
}

int main(void)
{
    static const char *const variants[] = {
        "num_players=2 objective=1 turn_limit=20", "num_players=3 objective=2 episode=game turn_limit=30",
        "num_players=4 objective=3 hints=on",      "num_players=5 objective=5 turned_up=off",
        "num_players=6 objective=6 hints=on",
    };
    struct counts real = {0};
    struct counts changed[COUNTS] = {{0}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct table table = open_table(variants[i]);
        const int random = mh_bot_index(table.game, "random", NULL);
        const int greedy = mh_bot_index(table.game, "greedy", NULL);
        check_episode(&table, i, greedy, &real, changed);
        check_episode(&table, i, random, &real, changed);
        close_table(&table);
    }
    CHECK_EQUAL(real.refused, 0);
    CHECK(20 * changed[THREE].said > changed[THREE].said + changed[THREE].refused);
    CHECK(changed[THREE].refused > 0);
    CHECK_EQUAL(changed[ANY].said, 0);
    CHECK(changed[BESIDE].said > 0 && changed[BESIDE].refused > changed[BESIDE].said);
    return 0;
}
