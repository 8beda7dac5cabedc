/* Everything that games compute, in a few hashes for each game, which must be the same on every machine.
 *
 *     probe                  prints them, a line each: hash, game, what was hashed
 *     probe FILE             compares them with the lines of a file, and prints what differs; exits with 1 then
 *     probe FILE GAME        ... those of one game
 *     probe --few ...        only the lines that end with "few": default options, presets, an eighth of the mixes
 *
 * tests/golden/bytes.txt holds those of x86-64; tests/python/golden.py writes it. Each game is played with its
 * default options, each preset, and each option at other values alone; hints, what bots choose, what nets see, what
 * bots expect, and what check says of damaged states, with all options at values at random. All numbers are hashed as
 * numbers, least significant byte first, so that they are the same hash on every machine; saved states and rows are
 * hashed as the bytes they are. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "damage.h"
#include "mh_game.h"

enum {
    DECISIONS = 80,
    OFTEN = 10,
    PLAY_OUTS = 3,
    MIXES = 24,
    FEW_MIXES = 3,
    CHOICES = 200,
    JUDGE_EVERY = 3,
    SELDOM = 16,
    DAMAGES = 400,
    READINGS = 4,
    LOOKS = 1024,
    ROWS = 6,
    STEPS = 30,
    TEXT = 65536,
    PICTURE = 1 << 18,
    OPTIONS_TEXT = 256
};

enum kind {
    STATES,
    OBSERVATIONS,
    NUMBERS,
    TEXTS,
    WORLDS,
    PLAYED_OUT,
    DRAWS,
    SAVED_ROWS,
    HINTS,
    CHOSEN,
    CHECKED,
    JUDGED,
    SVG,
    PIXELS,
    KINDS
};

static const char *const kind_names[KINDS] = {"states",     "observations", "numbers", "texts", "resampled",
                                              "played_out", "draws",        "rows",    "hints", "chosen",
                                              "checked",    "judged",       "svg",     "pixels"};

struct probe {
    uint64_t hashes[KINDS];
    struct mh_game *game;
    struct mh_sizes sizes;
    void *state, *other;
    uint8_t *snapshot, *damaged;
    int32_t actions[LOOKS];
    double values[LOOKS];
    float *features; /* of LOOKS afterstates */
    uint8_t *bytes;  /* room for any of the arrays below */
    int64_t *info;
    char *text;
};

/* ---- Hashes ---------------------------------------------------------------------------------------------- */

/* Two, where there are threads. */
static int two_threads(void)
{
    return mh_max_threads() > 1 ? 2 : 1;
}

static void add_bytes(struct probe *self, enum kind kind, const void *bytes, size_t size)
{
    uint64_t hash = self->hashes[kind];
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u; /* FNV-1a */
    }
    self->hashes[kind] = hash;
}

static void add_number(struct probe *self, enum kind kind, uint64_t number)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
    add_bytes(self, kind, bytes, sizeof bytes);
}

static void add_double(struct probe *self, enum kind kind, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_number(self, kind, bits);
}

/* ---- One state ------------------------------------------------------------------------------------------- */

static void add_state(struct probe *self, enum kind kind, const void *state)
{
    CHECK_EQUAL(mh_state_save(self->game, state, self->bytes), MH_OK);
    add_bytes(self, kind, self->bytes, (size_t)self->sizes.snapshot);
}

/* The observations of all seats. */
static void observe(struct probe *self, enum kind kind)
{
    for (int seat = 0; seat < self->sizes.seats; seat++) {
        mh_state_observe(self->game, self->state, seat, self->bytes);
        add_bytes(self, kind, self->bytes, (size_t)self->sizes.observation);
    }
}

static void look(struct probe *self)
{
    observe(self, OBSERVATIONS);
    mh_state_watch(self->game, self->state, self->bytes);
    add_bytes(self, OBSERVATIONS, self->bytes, (size_t)self->sizes.observation);
    mh_state_mask(self->game, self->state, (int8_t *)self->bytes);
    add_bytes(self, OBSERVATIONS, self->bytes, (size_t)self->sizes.actions);
    mh_state_omniscient(self->game, self->state, self->bytes);
    add_bytes(self, OBSERVATIONS, self->bytes, (size_t)self->sizes.omniscient);
}

static void count(struct probe *self)
{
    float rewards[MH_MAX_SEATS];
    double returns[MH_MAX_SEATS];
    mh_state_rewards(self->game, self->state, rewards);
    mh_state_returns(self->game, self->state, returns);
    mh_state_info(self->game, self->state, self->info);
    for (int seat = 0; seat < self->sizes.seats; seat++) {
        add_double(self, NUMBERS, (double)rewards[seat]);
        add_double(self, NUMBERS, returns[seat]);
    }
    for (int i = 0; i < self->sizes.info; i++) {
        add_number(self, NUMBERS, (uint64_t)self->info[i]);
    }
}

static void write(struct probe *self)
{
    const size_t json = mh_state_json(self->game, self->state, self->text, TEXT);
    add_bytes(self, TEXTS, self->text, json);
    const size_t text = mh_state_text(self->game, self->state, self->text, TEXT);
    add_bytes(self, TEXTS, self->text, text);
    CHECK(json < TEXT && text < TEXT);
}

/* The first seat's view, as a picture. */
static void draw(struct probe *self)
{
    const struct mh_viewer viewer = {.seat = 0, .to_act = MH_NOT_KNOWN};
    struct mh_scene *scene = check_memory(sizeof *scene);
    char *text = check_memory(PICTURE);
    mh_state_observe(self->game, self->state, 0, self->bytes);
    CHECK_EQUAL(mh_picture(self->game, self->bytes, self->sizes.observation, &viewer, MH_PORTRAIT, scene, NULL),
                MH_OK);
    const int64_t length = mh_scene_svg(self->game, scene, MH_LOOK_DARK, text, PICTURE, NULL);
    CHECK(length > 0 && length < PICTURE);
    add_bytes(self, SVG, text, (size_t)length);
    const int64_t rows = mh_scene_rows(self->game, scene, text, PICTURE, NULL);
    CHECK(rows > 0 && rows < PICTURE);
    add_bytes(self, SVG, text, (size_t)rows);
    const int64_t bytes = mh_scene_pixels(self->game, scene, MH_LOOK_LIGHT, 0.6, (uint8_t *)text, PICTURE, NULL);
    CHECK(bytes > 0 && bytes <= PICTURE);
    add_bytes(self, PIXELS, text, (size_t)bytes);
    free(scene);
    free(text);
}

static void imagine(struct probe *self, uint64_t seed)
{
    uint64_t seeds[PLAY_OUTS];
    double returns[PLAY_OUTS * MH_MAX_SEATS];
    const int32_t bots[MH_MAX_SEATS] = {0};
    char message[MH_MESSAGE_SIZE];
    const int seat = (int)(seed % (uint64_t)self->sizes.seats);
    CHECK_EQUAL(mh_state_resample(self->game, self->state, seat, seed, self->other), MH_OK);
    add_state(self, WORLDS, self->other);
    for (int i = 0; i < PLAY_OUTS; i++) {
        seeds[i] = seed + (uint64_t)i;
    }
    CHECK_EQUAL(
        mh_state_play_outs(self->game, self->state, 0, bots, PLAY_OUTS, seeds, two_threads(), returns, message),
        MH_OK);
    for (int i = 0; i < PLAY_OUTS * self->sizes.seats; i++) {
        add_double(self, PLAYED_OUT, returns[i]);
    }
}

static void play(struct probe *self, int bot, uint64_t seed)
{
    char message[MH_MESSAGE_SIZE];
    uint64_t random = seed;
    CHECK_EQUAL(mh_state_reset(self->game, self->state, seed, message), MH_OK);
    for (int step = 0; step < DECISIONS && mh_state_seat(self->state) >= 0; step++) {
        int action;
        uint8_t events[MH_EVENT_TAIL * 4];
        add_state(self, STATES, self->state);
        look(self);
        count(self);
        write(self);
        if (step % OFTEN == 0) {
            imagine(self, seed + (uint64_t)step);
            draw(self);
        }
        memcpy(self->other, self->state, (size_t)self->sizes.state);
        mh_state_bot_action(self->game, self->state, bot, &random, &action);
        CHECK_EQUAL(mh_state_apply(self->game, self->state, action, message), MH_OK);
        const int added = mh_state_events(self->game, self->other, self->state, events);
        add_bytes(self, NUMBERS, events, (size_t)added * 4);
    }
    mh_state_play_out(self->game, self->state, (const int32_t[MH_MAX_SEATS]){0}, seed);
    add_state(self, STATES, self->state);
    look(self);
    count(self);
    write(self);
}

/* ---- A batch --------------------------------------------------------------------------------------------- */

/* Logits from -10 to 10, or probabilities, some of which are 0. */
static void draw_weights(float *weights, int total, int32_t kind, struct mh_rng *rng)
{
    for (int i = 0; i < total; i++) {
        const uint32_t number = mh_rng_below(rng, 1 << 20);
        weights[i] = kind == MH_LOGITS ? ((float)number - 0x1p19f) * (10 * 0x1p-19f)
                                       : (number % 8 ? (float)number * 0x1p-20f : 0);
    }
    weights[0] = kind == MH_LOGITS ? -INFINITY : weights[0];
}

static void step(struct probe *self, struct mh_batch *batch, const float *weights, int32_t kind,
                 const struct mh_buffers *arrays)
{
    char message[MH_MESSAGE_SIZE] = "";
    if (mh_batch_choose(batch, weights, kind, arrays->actions, message) != MH_OK) { /* all legal ones have none */
        CHECK_EQUAL(mh_batch_choose(batch, NULL, kind, arrays->actions, message), MH_OK);
    }
    for (int row = 0; row < ROWS; row++) {
        add_number(self, DRAWS, (uint64_t)arrays->actions[row]);
    }
    CHECK_EQUAL(mh_batch_step(batch, message), MH_OK);
    for (int row = 0; row < ROWS; row++) {
        add_double(self, DRAWS, (double)arrays->rewards[row]);
        add_number(self, DRAWS, (uint64_t)arrays->seats[row]);
        add_number(self, DRAWS, arrays->seeds[row]);
    }
    add_bytes(self, DRAWS, arrays->masks, ROWS * (size_t)self->sizes.actions);
}

static void run_batch(struct probe *self, uint64_t seed)
{
    char message[MH_MESSAGE_SIZE];
    const struct mh_batch_options options = {.rows = ROWS,
                                             .seat = -1,
                                             .players = {MH_CALLER},
                                             .autoreset = MH_AUTORESET_SAME_STEP,
                                             .threads = two_threads()};
    const int total = ROWS * self->sizes.actions;
    float *weights = check_memory((size_t)total * sizeof *weights);
    int8_t *masks = check_memory((size_t)total);
    int32_t actions[ROWS];
    float rewards[ROWS];
    int64_t seats[ROWS];
    uint64_t seeds[ROWS];
    const struct mh_buffers arrays = {
        .actions = actions, .masks = masks, .rewards = rewards, .seats = seats, .seeds = seeds};
    struct mh_rng rng = {seed};
    struct mh_batch *batch = NULL;
    for (int row = 0; row < ROWS; row++) {
        seeds[row] = seed + (uint64_t)row;
    }
    CHECK_EQUAL(mh_batch_new(self->game, &options, message, &batch), MH_OK);
    CHECK_EQUAL(mh_batch_bind(batch, &arrays, message), MH_OK);
    CHECK_EQUAL(mh_batch_reset(batch, seeds, NULL, message), MH_OK);
    for (int i = 0; i < STEPS; i++) {
        const int32_t kind = i % 2 ? MH_LOGITS : MH_PROBABILITIES;
        draw_weights(weights, total, kind, &rng);
        step(self, batch, weights, kind, &arrays);
    }
    for (int row = 0; row < ROWS; row++) {
        CHECK_EQUAL(mh_batch_save_row(batch, row, self->bytes, message), MH_OK);
        add_bytes(self, SAVED_ROWS, self->bytes, (size_t)self->sizes.row);
    }
    mh_batch_free(&batch);
    free(weights);
    free(masks);
}

/* ---- Hints and choices ----------------------------------------------------------------------------------- */

static void add_value(struct probe *self, double value)
{
    add_double(self, JUDGED, isnan(value) ? 0 : value); /* there is more than one NaN */
}

/* The features of every afterstate, and the values of every action by the bots that judge. */
static void judge(struct probe *self)
{
    char message[MH_MESSAGE_SIZE];
    int legal = 0;
    const int looks =
        mh_state_afterstates(self->game, self->state, 1, LOOKS, self->actions, self->features, self->values);
    for (int i = 0; i < looks && i < LOOKS; i++) {
        add_number(self, JUDGED, (uint64_t)self->actions[i]);
        add_value(self, self->values[i]);
        for (int j = 0; j < self->sizes.features; j++) {
            add_double(self, JUDGED, (double)self->features[i * self->sizes.features + j]);
        }
    }
    mh_state_mask(self->game, self->state, (int8_t *)self->bytes);
    for (int action = 0; action < self->sizes.actions; action++) {
        legal += self->bytes[action];
    }
    for (int bot = 0; bot < self->game->num_bots; bot++) {
        const int judges = mh_state_values(self->game, self->state, bot, self->values, message) == MH_OK;
        for (int i = 0; i < legal && judges; i++) {
            add_value(self, self->values[i]);
        }
    }
}

/* The choices of the table's bots, the slow ones' seldom; returns that of a fast one, at random. */
static int ask_bots(struct probe *self, int decision, struct mh_rng *rng)
{
    enum { FAST = 2 };
    const int fast = self->game->num_bots < FAST ? self->game->num_bots : FAST;
    const int player = (int)mh_rng_below(rng, (uint32_t)fast);
    int played = 0;
    for (int bot = 0; bot < self->game->num_bots; bot++) {
        uint64_t random = (uint64_t)decision;
        int action;
        if (bot < FAST || decision % SELDOM == 0) {
            mh_state_bot_action(self->game, self->state, bot, &random, &action);
            add_number(self, CHOSEN, (uint64_t)action);
            played = bot == player ? action : played;
        }
    }
    return played;
}

/* The action for a seat that does not answer. */
static void idle(struct probe *self)
{
    int action;
    CHECK_EQUAL(mh_state_idle_action(self->game, self->state, &action), MH_OK);
    add_number(self, CHOSEN, (uint64_t)action);
}

/* The state that was read into self->other, or why there is none. */
static void add_verdict(struct probe *self, int status, const char *message)
{
    if (status == MH_OK) {
        add_state(self, CHECKED, self->other);
    }
    add_bytes(self, CHECKED, message, strlen(message));
}

static void read_damaged(struct probe *self, struct mh_rng *rng)
{
    for (int i = 0; i < READINGS && self->game->rules->read; i++) {
        char message[MH_MESSAGE_SIZE] = "";
        mh_state_json(self->game, self->state, self->text, TEXT);
        (i % 2 ? damage_member : damage_digit)(self->text, rng);
        add_verdict(self, mh_state_read(self->game, self->other, self->text, strlen(self->text), message), message);
    }
}

/* The verdict of check on a damaged state, and play from it where it is taken. Keeps its snapshot. */
static void check_damaged(struct probe *self, struct mh_rng *rng)
{
    const size_t size = (size_t)self->sizes.snapshot;
    for (int i = 0; i < DAMAGES; i++) {
        char message[MH_MESSAGE_SIZE] = "";
        CHECK_EQUAL(mh_state_save(self->game, self->state, self->damaged), MH_OK);
        damage_snapshot(self->damaged, self->snapshot, &self->sizes, rng);
        add_verdict(self, mh_state_load(self->game, self->other, self->damaged, size, message), message);
    }
    CHECK_EQUAL(mh_state_save(self->game, self->state, self->snapshot), MH_OK);
}

static void choose(struct probe *self, struct mh_rng *rng)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_rng damages = *rng; /* its own, so that the play does not depend on them */
    for (int decision = 0; decision < CHOICES; decision++) {
        if (decision == 0 || mh_state_seat(self->state) < 0) {
            CHECK_EQUAL(mh_state_reset(self->game, self->state, mh_rng_next(rng), message), MH_OK);
        }
        observe(self, HINTS);
        if (decision % JUDGE_EVERY == 0) {
            judge(self);
        }
        idle(self);
        const int action = ask_bots(self, decision, rng);
        CHECK_EQUAL(mh_state_apply(self->game, self->state, action, message), MH_OK);
        if (decision % OFTEN == 0 || mh_state_seat(self->state) < 0) {
            check_damaged(self, &damages);
            read_damaged(self, &damages);
        }
    }
}

/* ---- All options ----------------------------------------------------------------------------------------- */

/* Makes the game, and room for what it shows; returns 0, with a message, for options that exclude each other. */
static int open_game(struct probe *self, const char *id, const char *options, char *message)
{
    if (mh_game_new(id, options, message, &self->game) != MH_OK) {
        return 0;
    }
    mh_game_sizes(self->game, &self->sizes);
    const struct mh_sizes *sizes = &self->sizes;
    const size_t most =
        (size_t)sizes->row + (size_t)sizes->observation + (size_t)sizes->omniscient + (size_t)sizes->actions;
    self->state = check_memory((size_t)sizes->state);
    self->other = check_memory((size_t)sizes->state);
    self->features = check_memory(LOOKS * (size_t)sizes->features * sizeof *self->features + 1);
    self->snapshot = check_memory((size_t)sizes->snapshot);
    self->damaged = check_memory((size_t)sizes->snapshot);
    self->bytes = check_memory(most);
    self->info = check_memory((size_t)sizes->info * sizeof *self->info);
    self->text = check_memory(TEXT);
    return 1;
}

static void close_game(struct probe *self)
{
    free(self->state);
    free(self->other);
    free(self->features);
    free(self->snapshot);
    free(self->damaged);
    free(self->bytes);
    free(self->info);
    free(self->text);
    mh_game_free(&self->game);
}

/* Options that exclude others are refused in the same words everywhere. */
static void run_options(struct probe *self, const char *id, const char *options)
{
    char message[MH_MESSAGE_SIZE] = "";
    if (!open_game(self, id, options, message)) {
        add_bytes(self, TEXTS, message, strlen(message));
        return;
    }
    const size_t described = mh_game_describe(self->game, NULL, 0);
    char *description = check_memory(described + 1);
    mh_game_describe(self->game, description, described + 1);
    add_bytes(self, TEXTS, description, described);
    for (int bot = 0; bot < self->game->num_bots; bot++) {
        play(self, bot, 1 + (uint64_t)bot);
    }
    run_batch(self, 7);
    free(description);
    close_game(self);
}

/* Every choice, or both ends of a range of numbers. */
static void run_option(struct probe *self, const struct mh_spec *spec, const struct mh_option *option)
{
    char text[OPTIONS_TEXT];
    if (!option->choices[0]) {
        (void)snprintf(text, sizeof text, "%s=%d", option->name, (int)option->low);
        run_options(self, spec->id, text);
        (void)snprintf(text, sizeof text, "%s=%d", option->name, (int)option->high);
        run_options(self, spec->id, text);
    }
    for (const char *choice = option->choices; *choice;) {
        const int length = (int)strcspn(choice, "|");
        (void)snprintf(text, sizeof text, "%s=%.*s", option->name, length, choice);
        run_options(self, spec->id, text);
        choice += length + (choice[length] == '|');
    }
}

/* A value at random, or as often the default one; hints where there are some, and each number of players as often. */
static int32_t value_in_mix(const struct mh_option *option, uint64_t seed, struct mh_rng *rng)
{
    const uint32_t values = (uint32_t)(option->high - option->low) + 1;
    const int32_t other = option->low + (int32_t)mh_rng_below(rng, values);
    const int32_t value = mh_rng_below(rng, 2) ? other : option->standard;
    const int is_players = strcmp(option->name, "num_players") == 0;
    return strcmp(option->name, "hints") == 0 ? 1 : is_players ? option->low + (int32_t)(seed % values) : value;
}

/* Options at values at random. Returns 0 where they exclude each other. */
static int run_mix(struct probe *self, const struct mh_spec *spec, uint64_t seed)
{
    char message[MH_MESSAGE_SIZE];
    char options[OPTIONS_TEXT];
    struct mh_text text;
    struct mh_rng rng = {seed};
    mh_text_begin(&text, options, sizeof options);
    for (int i = 0; i < spec->num_options; i++) {
        const struct mh_option *option = &spec->options[i];
        mh_text_add(&text, " %s=", option->name);
        mh_spec_value(&text, option, value_in_mix(option, seed, &rng));
    }
    const int is_allowed = open_game(self, spec->id, options, message);
    if (is_allowed) {
        choose(self, &rng);
        close_game(self);
    }
    return is_allowed;
}

/* Mixes that are allowed, from a seed on. Returns the seed after them. */
static uint64_t run_mixes(struct probe *self, const struct mh_spec *spec, int count, uint64_t seed)
{
    for (int mixes = 0; mixes < count; seed++) {
        mixes += run_mix(self, spec, seed);
    }
    return seed;
}

static void run_few(struct probe *self, const struct mh_spec *spec, uint64_t *seed)
{
    run_options(self, spec->id, "");
    for (int i = 0; i < spec->num_presets; i++) {
        char text[OPTIONS_TEXT];
        (void)snprintf(text, sizeof text, "rules=%s", spec->presets[i].name);
        run_options(self, spec->id, text);
    }
    *seed = run_mixes(self, spec, FEW_MIXES, 0);
}

/* What comes after the few. */
static void run_others(struct probe *self, const struct mh_spec *spec, uint64_t seed)
{
    for (int i = 0; i < spec->num_options; i++) {
        run_option(self, spec, &spec->options[i]);
    }
    (void)run_mixes(self, spec, MIXES - FEW_MIXES, seed);
}

/* ---- The program ----------------------------------------------------------------------------------------- */

/* Compares the hashes with the lines of a file, or prints them if there is none; `end` is that of their lines. Returns
 * how many differ; a game without any line there is a new one, and left out. */
static int compare(const char *golden, const struct mh_spec *spec, const struct probe *probe, const char *end)
{
    char line[OPTIONS_TEXT];
    int differ = 0;
    (void)snprintf(line, sizeof line, " %s ", spec->id);
    if (golden && !strstr(golden, line)) {
        printf("%s: the file has no lines; python tests/python/golden.py %s\n", spec->id, spec->id);
        return 0;
    }
    for (int kind = 0; kind < KINDS; kind++) {
        (void)snprintf(line, sizeof line, "%016llx %s %s%s\n", (unsigned long long)probe->hashes[kind], spec->id,
                       kind_names[kind], end);
        if (!golden) {
            printf("%s", line);
        } else if (!strstr(golden, line)) {
            printf("differs: %s", line);
            differ++;
        }
    }
    return differ;
}

static char *read_golden(const char *path)
{
    enum { SIZE = 1 << 16 };
    char *golden = check_memory(SIZE);
    FILE *file = fopen(path, "rb");
    if (!file || fread(golden, 1, SIZE - 1, file) == 0) {
        fprintf(stderr, "probe: %s cannot be read\n", path);
        exit(2);
    }
    (void)fclose(file);
    return golden;
}

static int run_game(const char *golden, const struct mh_spec *spec, int few)
{
    struct probe self = {.hashes = {0}};
    uint64_t seed;
    for (int kind = 0; kind < KINDS; kind++) {
        self.hashes[kind] = 0xCBF29CE484222325u;
    }
    run_few(&self, spec, &seed);
    int differ = compare(golden, spec, &self, " few");
    if (!few) {
        run_others(&self, spec, seed);
        differ += compare(golden, spec, &self, "");
    }
    return differ;
}

int main(int argc, char **argv)
{
    const int few = argc > 1 && strcmp(argv[1], "--few") == 0;
    const char *const path = argc > 1 + few ? argv[1 + few] : NULL;
    const char *const game = argc > 2 + few ? argv[2 + few] : NULL;
    char *golden = path ? read_golden(path) : NULL;
    int differ = 0;
    for (int i = 0; i < mh_registry_size; i++) {
        const struct mh_spec *spec = mh_registry[i]->spec;
        if (!game || strcmp(game, spec->id) == 0) {
            differ += run_game(golden, spec, few);
        }
    }
    free(golden);
    return differ > 0;
}
