/* A server that is killed and started again, over and over, says what one says that runs on. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server_client.h"

enum { ME = 1, ROWS = 5 };

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * bound >> 32);
}

/* One server that keeps journals and one that does not, told the same. */
struct twins {
    struct server_options options;
    struct host kept, other;
    unsigned char kept_token[16], other_token[16];
    int restarts, torn; /* and those of them between two slices of a request */
    int interrupted;    /* between two slices of waking */
};

static void make_folder(char *folder)
{
    strcpy(folder, P_tmpdir "/test_server_journal.XXXXXX");
    CHECK(mkdtemp(folder));
}

/* Returns the number of files that were there. */
static int empty_folder(const char *folder)
{
    char path[512];
    int count = 0;
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += unlink(path) == 0;
    }
    closedir(entries);
    return count;
}

/* Appends half an entry, as a process does that is killed while it writes. */
static void append_torn_entry(const char *folder)
{
    static const char torn[] = "half an entry";
    char path[512];
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (strstr(entry->d_name, ".session")) {
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            FILE *file = fopen(path, "ab");
            CHECK(file && fwrite(torn, 1, sizeof torn - 1, file) == sizeof torn - 1);
            fclose(file);
        }
    }
    closedir(entries);
}

static void restart(struct twins *twins)
{
    close_host(&twins->kept);
    if (twins->restarts++ % 2) {
        append_torn_entry(twins->options.state);
    }
    open_host(&twins->kept, &twins->options);
    if (twins->restarts % 3 == 0) { /* killed while the session sleeps */
        close_host(&twins->kept);
        open_host(&twins->kept, &twins->options);
    }
    hello_again(&twins->kept, ME, "", twins->kept_token, 0);
    int is_interrupted = 0;
    while (twins->kept.heard == 0) { /* it wakes in slices, between which the server may be killed as well */
        if (!is_interrupted && random_below(100) == 0) {
            close_host(&twins->kept);
            open_host(&twins->kept, &twins->options);
            hello_again(&twins->kept, ME, "", twins->kept_token, 0);
            twins->interrupted += ++is_interrupted;
        } else {
            (void)server_tick(twins->kept.server, twins->kept.now_ms);
        }
    }
    check_ok(&twins->kept, 0, 1);
}

static void check_same(const struct twins *twins)
{
    CHECK_EQUAL(twins->kept.heard, 1);
    CHECK_EQUAL(twins->other.heard, 1);
    const struct wire_message *a = twins->kept.messages[0];
    const struct wire_message *b = twins->other.messages[0];
    CHECK_EQUAL(a->size, b->size);
    CHECK(memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Sends a message to the server that keeps journals, and lets it work until it has answered: it may be killed, or
 * greeted anew, between two slices. */
static void ask_kept(struct twins *twins, const struct wire_message *message)
{
    struct host *kept = &twins->kept;
    send_bytes(kept, ME, "", message->bytes, message->size);
    while (kept->heard == 0) {
        const uint32_t fate = random_below(40);
        if (fate == 0) {
            restart(twins);
            twins->torn++;
        } else if (fate == 1) {
            hello_again(kept, ME, "", twins->kept_token, 0);
            CHECK(kept->heard >= 1); /* perhaps the answer as well */
        }
        if (fate <= 1) {
            send_bytes(kept, ME, "", message->bytes, message->size);
        } else {
            (void)server_tick(kept->server, kept->now_ms);
        }
    }
}

/* The same to both; often the first one is killed before it is asked again, and says the same. */
static void tell(struct twins *twins, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    CHECK(message);
    send_bytes(&twins->other, ME, "", message->bytes, message->size);
    ask_kept(twins, message);
    check_same(twins);
    if (random_below(8) == 0) {
        restart(twins);
        ask_kept(twins, message);
        check_same(twins);
    }
    wire_release(message);
}

static void make(struct twins *twins, uint64_t seq, const char *autoreset, const char *opponents)
{
    struct wire_out out = begin_call("make", seq, 1);
    wire_map(&out, 5);
    wire_key_int(&out, "rows", ROWS);
    wire_key_text(&out, "options", "episode=game rounds=2");
    wire_key_text(&out, "opponents", opponents);
    wire_key_text(&out, "autoreset", autoreset);
    wire_text(&out, "final");
    wire_bool(&out, 1);
    tell(twins, &out);
}

static void reset(struct twins *twins, uint64_t seq, int64_t env, int some)
{
    struct wire_out out = begin_call("reset", seq, 3);
    wire_int(&out, env);
    if (some) {
        wire_nil(&out);
        wire_array(&out, ROWS);
        for (int row = 0; row < ROWS; row++) {
            wire_bool(&out, (int)random_below(2));
        }
    } else {
        wire_uint(&out, random_below(1000));
        wire_nil(&out);
    }
    tell(twins, &out);
}

/* Draws actions, sometimes with weights, of which a few make a journal long; puts the last ones into `actions`. */
static void sample(struct twins *twins, uint64_t seq, int64_t env, size_t actions_of_game, int32_t *actions)
{
    const int with_weights = random_below(3) == 0;
    struct wire_out out = begin_call("sample", seq, with_weights ? 2 : 1);
    wire_int(&out, env);
    if (with_weights) {
        const size_t size = ROWS * actions_of_game * sizeof(float);
        unsigned char *weights = wire_bin_space(&out, size);
        for (size_t i = 0; i < size; i += sizeof(float)) {
            const float weight = (float)random_below(100) / 10;
            memcpy(weights + i, &weight, sizeof weight);
        }
    }
    tell(twins, &out);
    const struct wire_args reply = heard(&twins->other);
    memcpy(actions, wire_arg(&reply, 2)->via.bin.ptr, ROWS * sizeof *actions);
}

static void step(struct twins *twins, uint64_t seq, int64_t env, const int32_t *actions)
{
    struct wire_out out = begin_call("step", seq, 2);
    wire_int(&out, env);
    wire_bin(&out, actions, ROWS * sizeof *actions);
    tell(twins, &out);
}

static void copy(struct twins *twins, uint64_t seq, int64_t env)
{
    struct wire_out out = begin_call("copy", seq, 3);
    wire_int(&out, env);
    wire_int(&out, random_below(ROWS));
    wire_int(&out, random_below(ROWS));
    tell(twins, &out);
}

static void ask(struct twins *twins, uint64_t seq, const char *name, int64_t env)
{
    struct wire_out out = begin_call(name, seq, 1);
    wire_int(&out, env);
    tell(twins, &out);
}

static void play(struct twins *twins, const char *autoreset, const char *opponents)
{
    enum { ROUNDS = 700, ACTIONS = 341 };
    int32_t actions[ROWS];
    uint64_t seq = 1;
    make(twins, seq++, autoreset, opponents);
    make(twins, seq++, "disabled", "greedy");
    ask(twins, seq++, "close", 1);
    make(twins, seq++, autoreset, opponents);
    reset(twins, seq++, 3, 0);
    for (int round = 0; round < ROUNDS; round++) {
        sample(twins, seq++, 3, ACTIONS, actions);
        switch (random_below(12)) {
        case 0:
            reset(twins, seq++, 3, 1);
            break;
        case 1:
            copy(twins, seq++, 3);
            break;
        case 2:
            ask(twins, seq++, "omniscient", 3);
            break;
        case 3:
            ask(twins, seq++, "step", 1); /* refused: it was closed */
            break;
        case 4:
            ask(twins, seq++, "tables", 3);
            break;
        default:
            if (random_below(20) == 0) {
                actions[random_below(ROWS)] = 0; /* seldom legal */
            }
            step(twins, seq++, 3, actions);
        }
    }
}

static void test_goes_on(const char *autoreset, const char *opponents, int64_t slice_ns)
{
    char folder[64];
    make_folder(folder);
    struct twins twins = {.options = server_defaults()};
    open_host(&twins.other, &twins.options);
    twins.options.state = folder;
    twins.options.slice_ns = slice_ns;
    open_host(&twins.kept, &twins.options);
    hello(&twins.kept, ME, "", twins.kept_token);
    hello(&twins.other, ME, "", twins.other_token);
    play(&twins, autoreset, opponents);
    CHECK(twins.restarts > 50);
    CHECK(slice_ns ? twins.torn > 5 : twins.torn == 0);
    CHECK(slice_ns ? twins.interrupted > 5 : twins.interrupted == 0);
    struct server_figures figures;
    server_figures(twins.kept.server, &figures);
    CHECK_EQUAL(figures.failures, 0);
    close_host(&twins.other);
    close_host(&twins.kept);
    CHECK_EQUAL(empty_folder(folder), 1);
    rmdir(folder);
}

/* Sessions that have ended leave nothing. */
static void test_ends(void)
{
    char folder[64];
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    make_folder(folder);
    options.state = folder;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    struct wire_out out = begin_call("bye", 1, 0);
    send_out(&host, ME, "", &out);
    check_ok(&host, 1, 0);
    close_host(&host);
    CHECK_EQUAL(empty_folder(folder), 0);
    rmdir(folder);
}

/* The largest environment closes while the window holds replies of it. Small ones have room beside them, and after a
 * restart as well. */
static void test_large_one_closes(void)
{
    enum { WINDOW = 2, LARGE = 4096, RESETS = 3 };
    char folder[64];
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    make_folder(folder);
    options.state = folder;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    hello_again(&host, ME, "", token, WINDOW);
    check_ok(&host, 0, 1);
    struct wire_out out = begin_call("make", 1, 1);
    wire_map(&out, 2);
    wire_key_int(&out, "rows", LARGE);
    wire_key_text(&out, "opponents", "random");
    send_out(&host, ME, "", &out);
    check_ok(&host, 1, 2);
    for (uint64_t seq = 2; seq < 2 + RESETS; seq++) {
        out = begin_call("reset", seq, 2);
        wire_int(&out, 1);
        wire_uint(&out, seq);
        send_out(&host, ME, "", &out);
        check_ok(&host, seq, 6);
    }
    out = begin_call("close", 2 + RESETS, 1);
    wire_int(&out, 1);
    send_out(&host, ME, "", &out);
    check_ok(&host, 2 + RESETS, 0);
    out = begin_call("tables", 3 + RESETS, 0);
    send_out(&host, ME, "", &out);
    check_ok(&host, 3 + RESETS, 1);
    close_host(&host);
    open_host(&host, &options);
    hello_again(&host, ME, "", token, 0);
    check_ok(&host, 0, 1);
    out = begin_call("describe", 4 + RESETS, 1);
    wire_text(&out, "mhing");
    send_out(&host, ME, "", &out);
    check_ok(&host, 4 + RESETS, 1);
    close_host(&host);
    CHECK_EQUAL(empty_folder(folder), 1);
    rmdir(folder);
}

/* Sends pings with these numbers, each of which is answered; the last two are long. */
static void ping_each(struct host *host, uint64_t first, uint64_t last)
{
    enum { LONG = 1 << 16 };
    static unsigned char padding[LONG];
    for (uint64_t seq = first; seq <= last; seq++) {
        struct wire_out out = begin_call("ping", seq, 1);
        wire_bin(&out, padding, seq > last - 2 ? LONG : 1);
        send_out(host, ME, "", &out);
        check_ok(host, seq, 0);
    }
}

/* All replies of the largest window are remembered after a restart with a journal that was begun anew. */
static void test_large_window(void)
{
    enum { WINDOW = 24, REQUESTS = 46 };
    char folder[64];
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    make_folder(folder);
    options.state = folder;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    hello_again(&host, ME, "", token, WINDOW);
    ping_each(&host, 1, REQUESTS);
    close_host(&host);
    open_host(&host, &options);
    hello_again(&host, ME, "", token, 0);
    ping_each(&host, REQUESTS - WINDOW + 1, REQUESTS);
    close_host(&host);
    CHECK_EQUAL(empty_folder(folder), 1);
    rmdir(folder);
}

/* Newcomers take the room of a session only if it has asked nothing of tables, after a restart as well. */
static void test_who_makes_room(void)
{
    char folder[64];
    unsigned char token[16];
    struct host host;
    struct server_options options = server_defaults();
    make_folder(folder);
    options.state = folder;
    options.max_sessions = 1;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    struct wire_out out = begin_call("sit", 1, 1);
    wire_map(&out, 1);
    wire_key_text(&out, "table", "t");
    send_out(&host, ME, "", &out);
    check_ok(&host, 1, 1);
    close_host(&host);
    open_host(&host, &options);
    out = begin_call("hello", 0, 0);
    send_out(&host, ME + 1, "", &out);
    check_error(&host, 0, "limit", "--sessions");
    hello_again(&host, ME, "", token, 0);
    check_ok(&host, 0, 1);
    close_host(&host);
    CHECK_EQUAL(empty_folder(folder), 2);
    rmdir(folder);
}

/* The number of times that a word stands in the files of a folder. */
static int count_words(const char *folder, const char *word)
{
    char path[512];
    int count = 0;
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        const size_t length = strlen(word);
        size_t matched = 0;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        for (int byte; file && (byte = fgetc(file)) != EOF;) {
            matched = byte == word[matched] ? matched + 1 : byte == word[0];
            if (matched == length) {
                count++;
                matched = 0;
            }
        }
        if (file) {
            CHECK_EQUAL(fclose(file), 0);
        }
    }
    closedir(entries);
    return count;
}

/* Choices of slow bots are not worked out again when the server starts: the journal has the rows that they led to, and
 * not the requests. */
static void test_costly(void)
{
    enum { MANY = 256, RESETS = 12 };
    char folder[64];
    unsigned char token[16];
    struct host host;
    make_folder(folder);
    struct server_options options = server_defaults();
    options.state = folder;
    open_host(&host, &options);
    hello(&host, ME, "", token);
    struct wire_out out = begin_call("make", 1, 1);
    wire_map(&out, 3);
    wire_key_int(&out, "rows", MANY);
    wire_key_text(&out, "options", "num_players=6");
    wire_key_text(&out, "opponents", "net");
    send_out(&host, ME, "", &out);
    check_ok(&host, 1, 2);
    for (uint64_t i = 0; i < RESETS; i++) {
        out = begin_call("reset", 2 + i, 2);
        wire_int(&out, 1);
        wire_uint(&out, i);
        send_out(&host, ME, "", &out);
        CHECK_EQUAL(host.heard, 1);
    }
    close_host(&host);
    CHECK(count_words(folder, "request") < RESETS);
    open_host(&host, &options);
    close_host(&host);
    CHECK_EQUAL(empty_folder(folder), 1);
    CHECK_EQUAL(rmdir(folder), 0);
}

static void count_lines(void *context, const char *text)
{
    int *lines = context;
    *lines += strstr(text, "it cannot be read") != NULL;
}

/* A journal that is no file is set aside, and nobody waits for somebody to write into it. */
static void test_what_is_no_file(void)
{
    static const char *const names[] = {"00112233445566778899aabbccddeeff.session", "pipe.table",
                                        "left.session.new"};
    enum { NAMES = sizeof names / sizeof *names, PATIENCE = 60 };
    char folder[64];
    char path[512];
    struct stat status;
    struct host host;
    struct server_options options = server_defaults();
    int lines = 0;
    make_folder(folder);
    options.state = folder;
    options.log = (struct files_log){&lines, count_lines, NULL};
    for (int i = 0; i < NAMES; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK_EQUAL(mkfifo(path, 0600), 0);
    }
    (void)alarm(PATIENCE);
    open_host(&host, &options);
    (void)alarm(0);
    close_host(&host);
    CHECK_EQUAL(lines, 2);
    for (int i = 0; i < NAMES; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(lstat(path, &status) != 0);
    }
    CHECK_EQUAL(empty_folder(folder), 2); /* *.damaged */
    rmdir(folder);
}

int main(void)
{
    random_state = 1;
    test_large_one_closes();
    test_large_window();
    test_who_makes_room();
    test_costly();
    test_what_is_no_file();
    test_goes_on("disabled", "random", 0);
    test_goes_on("next_step", "greedy", 0);
    test_goes_on("same_step", "self", 0);
    test_goes_on("disabled", "greedy", 1);
    test_goes_on("same_step", "random", 1);
    test_ends();
    return 0;
}
