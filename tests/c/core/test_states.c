/* The state functions from outside, for every registered game: what is refused, and what must always hold. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "mh_game.h"
#include "variants.h"

struct table {
    struct mh_game *game;
    struct mh_sizes sizes;
    void *state, *other, *loaded;
    uint8_t *snapshot, *observation, *observation2;
    int8_t *mask;
    struct mh_turn turn; /* of a third state, which plays the same */
};

static struct table open_table(const char *id, const char *options)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct table table = {.game = NULL};
    if (mh_game_new(id, options, message, &table.game) != MH_OK) {
        fprintf(stderr, "%s %s: %s\n", id, options, message);
        exit(1);
    }
    CHECK_EQUAL(mh_game_sizes(table.game, &table.sizes), MH_OK);
    table.state = check_memory((size_t)table.sizes.state);
    table.loaded = check_memory((size_t)table.sizes.state);
    table.other = check_memory((size_t)table.sizes.state);
    table.snapshot = check_memory((size_t)table.sizes.snapshot);
    table.observation = check_memory((size_t)table.sizes.observation);
    table.observation2 = check_memory((size_t)table.sizes.observation);
    table.mask = check_memory((size_t)table.sizes.actions);
    table.turn = (struct mh_turn){
        .game = table.game,
        .state = check_memory((size_t)table.sizes.state),
        .numbers = check_memory(MH_TURN_NUMBERS * sizeof(int32_t)),
        .rewards = check_memory((size_t)table.sizes.seats * sizeof(float)),
        .legal = check_memory((size_t)table.sizes.actions * sizeof(int64_t)),
        .mask = check_memory((size_t)table.sizes.actions),
        .observation = check_memory((size_t)table.sizes.observation),
    };
    return table;
}

static void close_table(struct table *table)
{
    free(table->state);
    free(table->other);
    free(table->loaded);
    free(table->snapshot);
    free(table->observation);
    free(table->observation2);
    free(table->mask);
    free(table->turn.state);
    free(table->turn.numbers);
    free(table->turn.rewards);
    free(table->turn.legal);
    free(table->turn.mask);
    free(table->turn.observation);
    mh_game_free(&table->game);
    CHECK(!table->game);
}

static int bot_action(const struct table *table, int bot, uint64_t *random)
{
    int action = -1;
    CHECK_EQUAL(mh_state_bot_action(table->game, table->state, bot, random, &action), MH_OK);
    return action;
}

/* ---- Checks of every state ------------------------------------------------------------------------------- */

static void check_mask(struct table *table)
{
    const int over = mh_state_seat(table->state) < 0;
    int legal = 0;
    CHECK_EQUAL(mh_state_mask(table->game, table->state, table->mask), MH_OK);
    for (int action = 0; action < table->sizes.actions; action++) {
        CHECK(table->mask[action] == 0 || table->mask[action] == 1);
        CHECK(!over || table->mask[action]);
        legal += table->mask[action];
    }
    CHECK(legal > 0);
}

/* A turn is what the other functions say of the state. */
static void check_turn(struct table *table)
{
    const struct mh_turn *turn = &table->turn;
    const size_t actions = (size_t)table->sizes.actions;
    const int seat = mh_state_seat(table->state);
    float rewards[MH_MAX_SEATS];
    CHECK(memcmp(turn->state, table->state, (size_t)table->sizes.state) == 0);
    CHECK_EQUAL(turn->numbers[MH_TURN_SEAT], seat);
    CHECK_EQUAL(turn->numbers[MH_TURN_ROUNDS], mh_state_rounds(table->state));
    CHECK_EQUAL(mh_state_rewards(table->game, table->state, rewards), MH_OK);
    CHECK(memcmp(turn->rewards, rewards, (size_t)table->sizes.seats * sizeof *rewards) == 0);
    CHECK_EQUAL(mh_state_mask(table->game, table->state, table->mask), MH_OK);
    CHECK(memcmp(turn->mask, table->mask, actions) == 0);
    int count = 0;
    for (int action = 0; action < table->sizes.actions && seat >= 0; action++) {
        if (table->mask[action]) {
            CHECK_EQUAL(turn->legal[count++], action);
        }
    }
    CHECK_EQUAL(turn->numbers[MH_TURN_LEGAL], count);
    if (seat >= 0) {
        CHECK_EQUAL(mh_state_observe(table->game, table->state, seat, table->observation), MH_OK);
        CHECK(memcmp(turn->observation, table->observation, (size_t)table->sizes.observation) == 0);
    }
}

static void check_refusals(struct table *table)
{
    char message[MH_MESSAGE_SIZE];
    memcpy(table->other, table->state, (size_t)table->sizes.state);
    for (int action = -1; action <= table->sizes.actions; action++) {
        if (action < 0 || action == table->sizes.actions || !table->mask[action]) {
            CHECK_EQUAL(mh_state_apply(table->game, table->state, action, message), MH_ERROR_ACTION);
        }
    }
    CHECK(memcmp(table->other, table->state, (size_t)table->sizes.state) == 0);
}

static void check_loads(struct table *table, const void *state)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK_EQUAL(mh_state_save(table->game, state, table->snapshot), MH_OK);
    memset(table->loaded, 0xAB, (size_t)table->sizes.state);
    if (mh_state_load(table->game, table->loaded, table->snapshot, (size_t)table->sizes.snapshot, message) !=
        MH_OK) {
        char text[10000];
        mh_state_text(table->game, state, text, sizeof text);
        fprintf(stderr, "%s\n%s", message, text);
        exit(1);
    }
}

static void check_snapshot(struct table *table)
{
    check_loads(table, table->state);
    CHECK(memcmp(table->loaded, table->state, (size_t)table->sizes.state) == 0);
}

static void check_looks_alike(struct table *table, int seat)
{
    CHECK_EQUAL(mh_state_observe(table->game, table->state, seat, table->observation), MH_OK);
    CHECK_EQUAL(mh_state_observe(table->game, table->other, seat, table->observation2), MH_OK);
    CHECK(memcmp(table->observation, table->observation2, (size_t)table->sizes.observation) == 0);
}

/* A resampled state is one that play can lead to, and looks the same to the seat it was drawn for, or to all of
 * them. */
static void check_resample(struct table *table, uint64_t seed)
{
    for (int seat = 0; seat < table->sizes.seats; seat++) {
        CHECK_EQUAL(mh_state_resample(table->game, table->state, seat, seed, table->other), MH_OK);
        check_looks_alike(table, seat);
        check_loads(table, table->other);
    }
    CHECK_EQUAL(mh_state_resample(table->game, table->state, MH_ALL_SEATS, seed, table->other), MH_OK);
    CHECK_EQUAL(mh_state_seat(table->other), mh_state_seat(table->state));
    for (int seat = 0; seat < table->sizes.seats; seat++) {
        check_looks_alike(table, seat);
    }
    check_loads(table, table->other);
}

/* The events of an action are the newest of the log, and before them stands what was there before it. */
static void check_events(const struct table *table, const void *before)
{
    uint8_t events[MH_EVENT_TAIL][4];
    const struct mh_events *old = mh_events_of(table->game->rules, before);
    const struct mh_events *log = mh_events_of(table->game->rules, table->state);
    const int count = mh_state_events(table->game, before, table->state, &events[0][0]);
    CHECK(count >= 0 && count < MH_EVENT_TAIL);
    for (int i = 0; i < MH_EVENT_TAIL; i++) {
        const int at = log->used - 1 - i;
        const uint8_t here[4] = {log->seat[at], log->kind[at], log->detail[at], log->extra[at]};
        if (i < count) {
            char text[MH_TEXT_SIZE];
            CHECK(memcmp(here, events[count - 1 - i], sizeof here) == 0);
            CHECK_EQUAL(mh_game_event_text(table->game, here[1], here[2], here[3], text), MH_OK);
        } else {
            const int was = old->used - 1 - (i - count);
            const uint8_t kept[4] = {old->seat[was], old->kind[was], old->detail[was], old->extra[was]};
            CHECK(memcmp(here, kept, sizeof here) == 0);
        }
    }
}

/* Nobody is asked for anything, for this reason. */
static void check_nobody_acts(const struct table *table, void *state, int status)
{
    int action = 0;
    CHECK_EQUAL(mh_state_apply(table->game, state, 0, NULL), status);
    CHECK_EQUAL(mh_state_idle_action(table->game, state, &action), status);
}

/* Does what mh_state_apply does, in its two parts. */
static void apply_in_parts(struct table *table, void *state, int action)
{
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(mh_state_apply_only(table->game, state, action, NULL), MH_OK);
    if (mh_state_seat(state) == MH_BETWEEN_ROUNDS) {
        check_loads(table, state);
        check_nobody_acts(table, state, MH_ERROR_BETWEEN);
        CHECK_EQUAL(mh_state_next_round(table->game, state, message), MH_OK);
    }
    CHECK_EQUAL(mh_state_next_round(table->game, state, message), MH_ERROR_BETWEEN);
    CHECK(strstr(message, mh_state_seat(state) < 0 ? "the episode is over" : "is not over"));
}

static void play(struct table *table, uint64_t seed, int bot)
{
    char message[MH_MESSAGE_SIZE];
    double sums[MH_MAX_SEATS] = {0};
    double returns[MH_MAX_SEATS];
    uint64_t random = seed;
    CHECK_EQUAL(mh_state_reset(table->game, table->state, seed, message), MH_OK);
    CHECK_EQUAL(mh_state_copy(&table->turn, table->state), MH_OK);
    for (int step = 0; mh_state_seat(table->state) >= 0; step++) {
        float rewards[MH_MAX_SEATS];
        check_mask(table);
        check_turn(table);
        CHECK_EQUAL(mh_state_act(&table->turn, -1, message), MH_ERROR_ACTION);
        if (step % 7 == 0) {
            check_refusals(table);
            check_snapshot(table);
            check_resample(table, seed * 1000 + (uint64_t)step);
        }
        memcpy(table->other, table->state, (size_t)table->sizes.state);
        const int action = bot_action(table, bot, &random);
        const int32_t rounds = mh_state_rounds(table->state);
        CHECK_EQUAL(mh_state_apply(table->game, table->state, action, message), MH_OK);
        CHECK_EQUAL(mh_state_act(&table->turn, action, NULL), mh_state_rounds(table->state) != rounds);
        check_events(table, table->other);
        apply_in_parts(table, table->other, action);
        CHECK(memcmp(table->other, table->state, (size_t)table->sizes.state) == 0);
        CHECK_EQUAL(mh_state_rewards(table->game, table->state, rewards), MH_OK);
        for (int seat = 0; seat < table->sizes.seats; seat++) {
            sums[seat] += rewards[seat];
        }
    }
    check_mask(table);
    check_turn(table);
    check_snapshot(table);
    check_nobody_acts(table, table->state, MH_ERROR_OVER);
    CHECK_EQUAL(mh_state_returns(table->game, table->state, returns), MH_OK);
    for (int seat = 0; seat < table->sizes.seats; seat++) {
        CHECK(sums[seat] == returns[seat]);
    }
}

/* ---- Arguments ------------------------------------------------------------------------------------------- */

static void test_wrong_arguments(struct table *table)
{
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_game *game = table->game;
    CHECK_EQUAL(mh_state_reset(NULL, table->state, 0, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_reset(game, NULL, 0, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_reset(game, (char *)table->state + 1, 0, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "multiple of 8"));
    CHECK_EQUAL(mh_state_observe(game, table->state, -1, table->observation), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_observe(game, table->state, table->sizes.seats, table->observation), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_observe_as(game, table->state, game, 0, table->observation), MH_OK);
    CHECK_EQUAL(mh_state_observe_as(game, table->state, NULL, 0, table->observation), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_observe_as(game, table->state, game, -1, table->observation), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_deal(game, table->state, 0, table->snapshot, table->sizes.deck - 1, message),
                MH_ERROR_ARGUMENT);
    memset(table->snapshot, 200, (size_t)table->sizes.deck);
    CHECK_EQUAL(mh_state_deal(game, table->state, 0, table->snapshot, table->sizes.deck, message),
                MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_resample(game, table->state, 9, 0, table->other), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_resample(game, table->state, -1, 0, table->other), MH_ERROR_ARGUMENT);
    const int32_t strangers[MH_MAX_SEATS] = {0, 99};
    CHECK_EQUAL(mh_state_play_out(game, table->state, strangers, 0), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_play_out(game, table->state, NULL, 0), MH_ERROR_ARGUMENT);
    CHECK(mh_bot_index(game, "nobody", message) < 0 && strstr(message, "random"));
    CHECK(mh_action_id(game, "nonsense") < 0);
    CHECK(mh_action_text(game, table->sizes.actions, message) < 0);
    CHECK(mh_game_event_text(game, 0, 255, 255, message) < 0);
    CHECK(mh_game_event_text(game, 255, 0, 0, message) < 0);
    CHECK(mh_game_event_text(game, -1, 0, 0, message) < 0);
    CHECK(mh_game_event_text(game, 0, 0, 0, NULL) < 0);
    CHECK_EQUAL(mh_state_seat(NULL), -1);
    CHECK_EQUAL(mh_state_rounds(NULL), 0);
}

/* One wrong argument at a time. */
static void test_play_outs_that_do_not_fit(struct table *table)
{
    enum { RETURN = 123 };
    char message[MH_MESSAGE_SIZE] = "";
    const struct mh_game *game = table->game;
    const void *state = table->state;
    const int32_t bots[MH_MAX_SEATS] = {0};
    const int32_t strangers[MH_MAX_SEATS] = {0, 99};
    const uint64_t seed = 1;
    double returns[MH_MAX_SEATS] = {RETURN};
    mh_state_reset(game, table->state, 3, message);
    CHECK_EQUAL(mh_state_play_outs(game, NULL, 0, bots, 1, &seed, 1, returns, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_play_outs(game, state, -2, bots, 1, &seed, 1, returns, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "observer: -2"));
    CHECK_EQUAL(mh_state_play_outs(game, state, table->sizes.seats, bots, 1, &seed, 1, returns, message),
                MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_play_outs(game, state, 0, strangers, 1, &seed, 1, returns, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "bots: 99 of seat 1"));
    CHECK_EQUAL(mh_state_play_outs(game, state, 0, bots, 0, &seed, 1, returns, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "count: 0"));
    CHECK_EQUAL(mh_state_play_outs(game, state, 0, bots, 1, &seed, 0, returns, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "threads: 0"));
    CHECK_EQUAL(mh_state_play_outs(game, state, 0, bots, 1, NULL, 1, returns, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_play_outs(game, state, 0, bots, 1, &seed, 1, NULL, message), MH_ERROR_ARGUMENT);
    CHECK(returns[0] == RETURN);
}

/* A number that stands in two rows would keep another one out of all, and be turned twice. */
static void test_members(const struct table *table)
{
    const struct mh_rules *rules = table->game->rules;
    uint8_t *rows_of = check_memory((size_t)table->sizes.state);
    for (int i = 0; i < rules->num_members; i++) {
        const struct mh_member *member = &rules->members[i];
        CHECK_EQUAL(member->offset % member->width, 0);
        for (int byte = 0; byte < member->width * member->count; byte++) {
            rows_of[member->offset + byte]++;
        }
    }
    for (int byte = 0; byte < table->sizes.state; byte++) {
        CHECK_EQUAL(rows_of[byte], 1);
    }
    free(rows_of);
}

static void test_snapshots_of_other_versions(struct table *table)
{
    enum { VERSION_AT = 4 };
    char message[MH_MESSAGE_SIZE] = "";
    mh_state_reset(table->game, table->state, 3, message);
    mh_state_save(table->game, table->state, table->snapshot);
    const uint8_t version[4] = {2, 0, 0, 0};
    CHECK(memcmp(table->snapshot + VERSION_AT, version, sizeof version) == 0);
    table->snapshot[VERSION_AT] = 1;
    CHECK_EQUAL(mh_state_load(table->game, table->state, table->snapshot, (size_t)table->sizes.snapshot, message),
                MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "version 1, this build reads version 2"));
}

static void test_snapshots_that_do_not_fit(struct table *table)
{
    char message[MH_MESSAGE_SIZE] = "";
    const size_t size = (size_t)table->sizes.snapshot;
    struct mh_rng rng = {8};
    mh_state_reset(table->game, table->state, 3, message);
    memcpy(table->other, table->state, (size_t)table->sizes.state);
    mh_state_save(table->game, table->state, table->snapshot);
    CHECK_EQUAL(mh_state_load(table->game, table->state, table->snapshot, size - 1, message), MH_ERROR_SNAPSHOT);
    CHECK_EQUAL(mh_state_load(table->game, table->state, NULL, 0, message), MH_ERROR_SNAPSHOT);
    for (int round = 0; round < 3000; round++) {
        const size_t place = mh_rng_below(&rng, (uint32_t)size);
        const uint8_t before = table->snapshot[place];
        uint64_t random = (uint64_t)round;
        table->snapshot[place] ^= (uint8_t)(1 + mh_rng_below(&rng, 255));
        if (mh_state_load(table->game, table->state, table->snapshot, size, message) == MH_OK) {
            for (int i = 0; i < 50 && mh_state_seat(table->state) >= 0; i++) { /* what is accepted can be played */
                mh_state_apply(table->game, table->state, bot_action(table, 0, &random), message);
            }
        } else {
            CHECK(memcmp(table->state, table->other, (size_t)table->sizes.state) == 0);
        }
        memcpy(table->state, table->other, (size_t)table->sizes.state);
        table->snapshot[place] = before;
    }
}

static void test_games_that_do_not_exist(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = NULL;
    CHECK_EQUAL(mh_game_new("chess", "", message, &game), MH_ERROR_GAME);
    CHECK(!game && strstr(message, "chess") && strstr(message, mh_game_id(0)));
    CHECK(mh_game_id(-1) == NULL && mh_game_id(mh_game_count()) == NULL);
    CHECK(strcmp(mh_status_name(MH_ERROR_OPTION), "MH_ERROR_OPTION") == 0);
    CHECK(mh_status_name(5) && mh_status_name(-1000));
    mh_game_free(NULL);
}

static void test_options_that_do_not_fit(void)
{
    static const char *const texts[][2] = {
        {"num_players", "is not of the form name=value"},
        {"num_players=9", "option num_players: '9' is not a whole number from 2 to 6"},
        {"num_players=4x", "'4x'"},
        {"num_players=99999999999999999999999999999", "option num_players"},
        {"num_players=3 num_players=4", "given twice"},
        {"lay_down=maybe", "option lay_down: 'maybe' is none of off|on"},
        {"colour=red", "option 'colour' is unknown to mhing; it has rules num_players"},
        {"rules=chess", "option rules: 'chess' is no preset of mhing; it has boxed, jmhing"},
        {"num_players=5 scoring=chips", "up to 4 players"},
        {"num_players=6 reward=chips", "up to 4 players"},
        {"dealer=4", "option dealer"},
        {"target=0", "option target"},
        {"=3", "is not of the form name=value"},
    };
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
        char message[MH_MESSAGE_SIZE] = "";
        struct mh_game *game = NULL;
        CHECK_EQUAL(mh_game_new("mhing", texts[i][0], message, &game), MH_ERROR_OPTION);
        if (game || !strstr(message, texts[i][1])) {
            fprintf(stderr, "%s: %s\n", texts[i][0], message);
            exit(1);
        }
    }
}

static void test_other_options_make_other_snapshots(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct table four = open_table("mhing", "");
    struct table same = open_table("mhing", "rules=jmhing");
    mh_state_reset(four.game, four.state, 1, message);
    mh_state_save(four.game, four.state, four.snapshot);
    CHECK_EQUAL(mh_state_load(same.game, same.state, four.snapshot, (size_t)four.sizes.snapshot, message),
                MH_ERROR_SNAPSHOT);
    CHECK(strstr(message, "other options"));
    close_table(&four);
    close_table(&same);
}

/* Games with options, beside every game as it is without any. */
static const struct variant variants[] = {
    {"mhing", "num_players=2 rules=jmhing"},
    {"mhing", "num_players=6 seven_pairs=on hints=on"},
    {"mhing", "num_players=3 scoring=chips reward=chips episode=game rounds=5"},
    {"mhing", "num_players=5 rules=jmhing episode=game target=8 reward=points"},
    {"mhing", "reward=win episode=game rounds=4 target=0"},
    {"general_mhing", "num_players=3 episode=game reward=margin hints=on"},
    {"general_mhing", "num_players=3 episode=game turn_limit=1000 rounds=2 target=0 reward=win"},
    {"general_mhing", "rules=twenty episode=game turn_limit=30 rounds=9"},
    {"mexican_rummy", "num_players=2 objective=5 hints=on"},
    {"mexican_rummy", "num_players=6 episode=game turn_limit=40 reward=rank"},
    {"mexican_rummy", "num_players=3 objective=6 reward=win"},
    {"mexican_rummy", "num_players=5 objective=0 turn_limit=1000"},
};

/* C47: what comes of whole episodes, played at random or by the default bot. */
static void test_bounds(const struct table *table)
{
    enum { EPISODES = 6 };
    const int seats = table->sizes.seats;
    int32_t bots[MH_MAX_SEATS] = {0};
    double returns[MH_MAX_SEATS];
    struct mh_bounds bounds;
    CHECK_EQUAL(mh_game_bounds(table->game, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_bounds(NULL, &bounds), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_bounds(table->game, &bounds), MH_OK);
    CHECK(bounds.lowest < bounds.highest && bounds.decisions >= 0);
    for (uint64_t seed = 0; seed < EPISODES; seed++) {
        double sum = 0;
        for (int seat = 0; seat < seats; seat++) {
            bots[seat] = (int32_t)(seed % 2) * mh_default_bot(table->game);
        }
        CHECK_EQUAL(mh_state_reset(table->game, table->state, seed, NULL), MH_OK);
        CHECK_EQUAL(mh_state_play_out(table->game, table->state, bots, seed), MH_OK);
        CHECK_EQUAL(mh_state_returns(table->game, table->state, returns), MH_OK);
        for (int seat = 0; seat < seats; seat++) {
            CHECK(returns[seat] >= bounds.lowest && returns[seat] <= bounds.highest);
            sum += returns[seat];
        }
        CHECK(isnan(bounds.sum) || fabs(sum - bounds.sum) < 1e-9);
        CHECK(!bounds.decisions || mh_head(table->state)->decisions <= bounds.decisions);
    }
}

static void test_game(const struct variant *variant)
{
    struct table table = open_table(variant->game, variant->options);
    test_bounds(&table);
    for (uint64_t seed = 0; seed < 12; seed++) {
        play(&table, seed, (int)(seed % 2));
    }
    test_wrong_arguments(&table);
    test_play_outs_that_do_not_fit(&table);
    test_members(&table);
    test_snapshots_of_other_versions(&table);
    test_snapshots_that_do_not_fit(&table);
    close_table(&table);
}

int main(void)
{
    test_games_that_do_not_exist();
    test_options_that_do_not_fit();
    test_other_options_make_other_snapshots();
    variants_test(variants, sizeof variants / sizeof *variants, test_game);
    return 0;
}
