/* Speed of the C core: decisions a second with observation, mask, random legal action and auto-reset, and the cost
 * of scoring and distance. CPU time of this process, median of the rounds; pin it to a core for steady numbers:
 *
 *     taskset -c 0 build/release/benchmarks/bench [seconds for each line, default 1]
 *
 * Tables have tabs between their cells, so that benchmarks/report.py can read them.
 *
 * The signature of a game is a hash of every observation, mask, reward and seat of a fixed run: a change that is meant
 * to be faster only must leave it as it is.
 *
 *     bench --signature GAME             the signature alone; a test compares it with tests/golden/signature.txt
 *     bench --rate GAME ROWS SECONDS [OPTIONS [BOT]]
 *                                        decisions a second of so many environments alone, one round, for programs;
 *                                        with these options of the game ("hints=on"), and the bot in all seats but
 *                                        the first
 *     bench --mask-rate GAME ROWS SECONDS [OPTIONS [BOT]]
 *                                        the same without observations
 *     bench --memory GAME [DECISIONS]    bytes of an environment, and whether a long run keeps them (default 10^9)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(_WIN32)
#include <windows.h>
#endif

#include "bench.h"

double seconds_a_line = 1;

double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

#if defined(_WIN32)

double wall_ns(void)
{
    LARGE_INTEGER ticks;
    LARGE_INTEGER ticks_a_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&ticks_a_second);
    return (double)ticks.QuadPart / (double)ticks_a_second.QuadPart * 1e9;
}

#else

/* From the second of the first call on, so that a double holds nanoseconds. */
double wall_ns(void)
{
    static time_t first;
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    first = first ? first : now.tv_sec;
    return (double)(now.tv_sec - first) * 1e9 + (double)now.tv_nsec;
}

#endif

static void fail(const char *message)
{
    fprintf(stderr, "bench: %s\n", message);
    exit(2);
}

static void *need(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        fail("no memory");
    }
    return memory;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

/* ---- Batches of random play ------------------------------------------------------------------------------ */

struct run {
    struct mh_game *game;
    struct mh_sizes sizes;
    struct mh_batch *batch;
    int rows;
    int32_t *actions;
    uint8_t *observations;
    int8_t *masks;
    float *rewards;
    int64_t *seats;
};

/* A kind of play: options, and the bot of all seats but the first; NULL: random choices are theirs as well. */
struct setting {
    const char *options, *bot;
};

static const struct setting plain = {"", NULL};

static int bot_index(const struct mh_game *game, const char *bot)
{
    char message[MH_MESSAGE_SIZE];
    const int index = mh_bot_index(game, bot, message);
    if (index < 0) {
        fail(message);
    }
    return index;
}

static struct run start(const char *id, struct setting setting, int rows, int observations, int masks)
{
    char message[MH_MESSAGE_SIZE];
    struct run run = {.rows = rows};
    if (mh_game_new(id, setting.options, message, &run.game) != MH_OK) {
        fail(message);
    }
    mh_game_sizes(run.game, &run.sizes);
    struct mh_batch_options options = {.rows = rows, .seat = 0, .autoreset = MH_AUTORESET_SAME_STEP, .threads = 1};
    for (int seat = 0; seat < run.sizes.seats; seat++) {
        options.players[seat] = seat && setting.bot ? bot_index(run.game, setting.bot) : MH_CALLER;
    }
    const size_t n = (size_t)rows;
    uint64_t *seeds = need(n * sizeof *seeds);
    run.actions = need(n * sizeof *run.actions);
    run.rewards = need(n * sizeof *run.rewards);
    run.seats = need(n * sizeof *run.seats);
    run.observations = observations ? need(n * (size_t)run.sizes.observation) : NULL;
    run.masks = masks ? need(n * (size_t)run.sizes.actions) : NULL;
    for (int row = 0; row < rows; row++) {
        seeds[row] = (uint64_t)row;
    }
    const struct mh_buffers buffers = {.actions = run.actions,
                                       .observations = run.observations,
                                       .masks = run.masks,
                                       .rewards = run.rewards,
                                       .seats = run.seats};
    if (mh_batch_new(run.game, &options, message, &run.batch) != MH_OK ||
        mh_batch_bind(run.batch, &buffers, message) != MH_OK ||
        mh_batch_reset(run.batch, seeds, NULL, message) != MH_OK) {
        fail(message);
    }
    free(seeds);
    return run;
}

static void step(struct run *run)
{
    char message[MH_MESSAGE_SIZE];
    if (mh_batch_choose(run->batch, NULL, MH_LOGITS, run->actions, message) != MH_OK ||
        mh_batch_step(run->batch, message) != MH_OK) {
        fail(message);
    }
}

static void stop(struct run *run)
{
    mh_batch_free(&run->batch);
    mh_game_free(&run->game);
    free(run->actions);
    free(run->observations);
    free(run->masks);
    free(run->rewards);
    free(run->seats);
}

/* Plays at least so many decisions; returns how many. */
static long long play(struct run *run, long long decisions)
{
    long long done = 0;
    while (done < decisions) {
        step(run);
        done += run->rows;
    }
    return done;
}

static double round_rate(struct run *run, double seconds)
{
    const double begin = cpu_seconds();
    double spent = 0;
    long long decisions = 0;
    while (spent < seconds) {
        decisions += play(run, 16384);
        spent = cpu_seconds() - begin;
    }
    return (double)decisions / spent;
}

static double random_rate(const char *id, struct setting setting, int rows, int observations, int masks)
{
    struct run run = start(id, setting, rows, observations, masks);
    double rates[ROUNDS];
    play(&run, 20LL * rows);
    for (int round = 0; round < ROUNDS; round++) {
        rates[round] = round_rate(&run, seconds_a_line / ROUNDS);
    }
    stop(&run);
    return median(rates);
}

/* Decisions a second that memory alone allows: of each environment three quarters of the state's cache lines, which is
 * what a step touches, are changed, and an observation and a mask are written; asked for ahead, and nothing is
 * played. */
static double memory_rate(const char *id, int rows)
{
    enum { LINE = 64, AHEAD = 3 };
    struct run run = start(id, plain, rows, 1, 1);
    const size_t stride = ((size_t)run.sizes.state + LINE - 1) / LINE * LINE;
    const size_t sizes[3] = {stride / LINE * 3 / 4 * LINE, (size_t)run.sizes.observation,
                             (size_t)run.sizes.actions};
    const size_t strides[3] = {stride, sizes[1], sizes[2]};
    unsigned char *states = need((size_t)rows * stride);
    unsigned char *const memory[3] = {states, run.observations, (unsigned char *)run.masks};
    double rates[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = cpu_seconds();
        double spent = 0;
        long long touched = 0;
        while (spent < seconds_a_line / ROUNDS) {
            for (int row = 0; row < rows; row++) {
                const size_t next = (size_t)(row + AHEAD < rows ? row + AHEAD : row);
                for (int part = 0; part < 3; part++) {
                    unsigned char *here = memory[part] + (size_t)row * strides[part];
                    for (size_t i = 0; i < sizes[part]; i += LINE) {
#if defined(__GNUC__)
                        __builtin_prefetch(memory[part] + next * strides[part] + i, 1);
#endif
                        here[i]++;
                    }
                    if (part > 0) {
                        memset(here, row & 1, sizes[part]);
                    }
                }
            }
            touched += rows;
            spent = cpu_seconds() - begin;
        }
        rates[round] = (double)touched / spent;
    }
    free(states);
    stop(&run);
    return median(rates);
}

static void print_rate(const char *id, struct setting setting, int rows, int observations, double seconds)
{
    struct run run = start(id, setting, rows, observations, 1);
    play(&run, 20LL * rows);
    printf("%.0f\n", round_rate(&run, seconds));
    stop(&run);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
    }
    return hash;
}

/* Least significant byte first, whatever the machine's order. */
static uint64_t hash_rewards(uint64_t hash, const float *rewards, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &rewards[i], sizeof bits);
        const unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                                        (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}

static uint64_t signature(const char *id)
{
    enum { ROWS = 16, STEPS = 2000 };
    struct run run = start(id, plain, ROWS, 1, 1);
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < STEPS; i++) {
        step(&run);
        hash = hash_bytes(hash, run.observations, (size_t)ROWS * (size_t)run.sizes.observation);
        hash = hash_bytes(hash, run.masks, (size_t)ROWS * (size_t)run.sizes.actions);
        hash = hash_rewards(hash, run.rewards, ROWS);
        for (int row = 0; row < ROWS; row++) {
            const unsigned char seat = (unsigned char)run.seats[row];
            hash = hash_bytes(hash, &seat, 1);
        }
    }
    stop(&run);
    return hash;
}

/* ---- Memory ---------------------------------------------------------------------------------------------- */

/* Resident kibibytes of this process, from Linux; -1 on other systems. */
static long resident(void)
{
    char line[128];
    long kibibytes = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && kibibytes < 0 && fgets(line, sizeof line, status)) {
        if (strncmp(line, "VmRSS:", 6) == 0) {
            kibibytes = strtol(line + 6, NULL, 10);
        }
    }
    if (status) {
        fclose(status);
    }
    return kibibytes;
}

/* The bytes of an environment, and the resident size along a run of so many decisions. */
static void print_memory(const char *id, long long decisions)
{
    enum { ROWS = 1024, MANY = 65536 };
    const long before = resident();
    struct run many = start(id, plain, MANY, 1, 1);
    const double added = (double)(resident() - before) * 1024 / MANY;
    printf("memory of a %d-player environment\n%-46s\tbytes\n", (int)many.sizes.seats, "what");
    printf("%-46s\t%5d\n%-46s\t%5.0f\n", "state", (int)many.sizes.state,
           "with observation, mask and the batch's own", added);
    stop(&many);

    struct run run = start(id, plain, ROWS, 1, 1);
    long long done = 0;
    printf("\nresident size of %d of them, random legal play\n%13s\t%9s\n", ROWS, "decisions", "KiB");
    for (int part = 0; part <= 10; part++) {
        done += play(&run, decisions / 10 * part - done);
        printf("%13lld\t%9ld\n", done, resident());
        fflush(stdout);
    }
    stop(&run);
}

/* ---- Greedy play ----------------------------------------------------------------------------------------- */

/* Plays a bot in all seats for a while, with observation and mask of every decision; keeps the hands declared in Mhing,
 * where `declared` is not NULL. Returns 0 where the game has no such bot. */
static double bot_rate(const char *id, const char *name, struct hands *declared)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game;
    struct mh_sizes sizes;
    if (mh_game_new(id, "", message, &game) != MH_OK) {
        fail(message);
    }
    mh_game_sizes(game, &sizes);
    void *state = need((size_t)sizes.state);
    uint8_t *observation = need((size_t)sizes.observation);
    int8_t *mask = need((size_t)sizes.actions);
    const int bot = mh_bot_index(game, name, message);
    uint64_t random = 1;
    uint64_t seed = 0;
    long long decisions = 0;
    double spent = 0;
    const double begin = cpu_seconds();
    while (bot >= 0 && spent < seconds_a_line) {
        mh_state_reset(game, state, seed++, message);
        for (int seat = mh_state_seat(state); seat >= 0; seat = mh_state_seat(state)) {
            int action = 0;
            mh_state_observe(game, state, seat, observation);
            mh_state_mask(game, state, mask);
            mh_state_bot_action(game, state, bot, &random, &action);
            mh_state_apply(game, state, action, message);
            decisions++;
        }
        if (declared) {
            declared->count += mhing_declared_hand(state, &declared->cards[declared->count]) == 1;
            declared->count -= declared->count == SCORED;
        }
        spent = cpu_seconds() - begin;
    }
    free(state);
    free(observation);
    free(mask);
    mh_game_free(&game);
    return bot < 0 ? 0 : (double)decisions / spent;
}

/* ---- The program ----------------------------------------------------------------------------------------- */

static int seats_of(const char *id)
{
    struct run run = start(id, plain, 1, 0, 0);
    const int seats = run.sizes.seats;
    stop(&run);
    return seats;
}

/* A line of speeds: random legal play, what memory alone allows, or a bot in every seat. */
enum kind { PLAY, MEMORY, BOTS };

struct line {
    const char *name;
    enum kind kind;
    int rows, observations, masks;
    struct setting setting;
};

/* Million decisions a second; 0 if the game has no such option or bot. Where a bot has the other seats, the steps of
 * the first one are counted. */
static double speed(const struct line *line, const char *id, struct hands *declared)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game;
    if (line->kind == BOTS) {
        return bot_rate(id, line->setting.bot, declared) / 1e6;
    }
    if (line->kind == MEMORY) {
        return memory_rate(id, line->rows) / 1e6;
    }
    if (mh_game_new(id, line->setting.options, message, &game) != MH_OK) { /* not every game has hints */
        return 0;
    }
    mh_game_free(&game);
    return random_rate(id, line->setting, line->rows, line->observations, line->masks) / 1e6;
}

/* Keeps the hands that greedy bots have declared in Mhing. */
static void print_speeds(struct hands *hands)
{
    static const char every_greedy[] = "every seat greedy, observation and mask";
    static const struct line lines[] = {
        {"1 environment, observation and mask", PLAY, 1, 1, 1, {"", NULL}},
        {"64 environments, observation and mask", PLAY, 64, 1, 1, {"", NULL}},
        {"1024 environments, observation and mask", PLAY, 1024, 1, 1, {"", NULL}},
        {"65536 environments, observation and mask", PLAY, 65536, 1, 1, {"", NULL}},
        {"65536 environments, memory alone", MEMORY, 65536, 1, 1, {"", NULL}},
        {"64 environments, observation only", PLAY, 64, 1, 0, {"", NULL}},
        {"64 environments, mask only", PLAY, 64, 0, 1, {"", NULL}},
        {"64 environments, neither", PLAY, 64, 0, 0, {"", NULL}},
        {"1024 environments, with hints", PLAY, 1024, 1, 1, {"hints=on", NULL}},
        {"1024 environments, others greedy", PLAY, 1024, 1, 1, {"", "greedy"}},
        {"1024 environments, others greedy, hints", PLAY, 1024, 1, 1, {"hints=on", "greedy"}},
        {every_greedy, BOTS, 1, 1, 1, {"", "greedy"}},
        {"every seat expert, observation and mask", BOTS, 1, 1, 1, {"", "expert"}},
        {"every seat net, observation and mask", BOTS, 1, 1, 1, {"", "net"}},
    };
    printf("\nrandom legal play, auto-reset, one core; games with their numbers of players\n%-40s",
           "million decisions a second");
    for (int i = 0; i < mh_game_count(); i++) {
        char label[64];
        snprintf(label, sizeof label, "%s, %d", mh_game_id(i), seats_of(mh_game_id(i)));
        printf("\t%16s", label);
    }
    printf("\n");
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++) {
        printf("%-40s", lines[i].name);
        for (int j = 0; j < mh_game_count(); j++) {
            const char *id = mh_game_id(j);
            const int keeps = strcmp(lines[i].name, every_greedy) == 0 && strcmp(id, "mhing") == 0;
            const double found = speed(&lines[i], id, keeps ? hands : NULL);
            if (found > 0) {
                printf("\t%16.*f", lines[i].kind == BOTS ? 3 : 2, found);
            } else {
                printf("\t");
            }
        }
        printf("\n");
        fflush(stdout);
    }
}

static void print_all(void)
{
    static struct hands hands;
    for (int i = 0; i < mh_game_count(); i++) {
        printf("signature %016llx %s\n", (unsigned long long)signature(mh_game_id(i)), mh_game_id(i));
    }
    print_speeds(&hands);
    print_hands(&hands);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const char *id = argc > 2 ? argv[2] : "";
    const double first = argc > 3 ? atof(argv[3]) : 0;
    const double second = argc > 4 ? atof(argv[4]) : 0;
    const int observed = strcmp(mode, "--rate") == 0;
    if (argc == 3 && strcmp(mode, "--signature") == 0) {
        printf("%016llx\n", (unsigned long long)signature(id));
    } else if (argc >= 5 && argc <= 7 && (observed || strcmp(mode, "--mask-rate") == 0) && first >= 1 &&
               first <= 1e6 && second > 0) {
        const struct setting setting = {argc > 5 ? argv[5] : "", argc > 6 ? argv[6] : NULL};
        print_rate(id, setting, (int)first, observed, second);
    } else if ((argc == 3 || (argc == 4 && first >= 1)) && strcmp(mode, "--memory") == 0) {
        print_memory(id, argc == 4 ? (long long)first : 1000000000);
    } else if (argc == 1 || (argc == 2 && atof(mode) > 0)) {
        seconds_a_line = argc == 2 ? atof(mode) : seconds_a_line;
        print_all();
    } else {
        fprintf(stderr,
                "bench: usage: bench [SECONDS for each line | --signature GAME | --rate GAME ROWS SECONDS "
                "[OPTIONS [BOT]] | --mask-rate GAME ROWS SECONDS [OPTIONS [BOT]] | --memory GAME [DECISIONS]]\n");
        return 2;
    }
    return 0;
}
