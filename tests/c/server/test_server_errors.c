/* Errors that clients seldom see, each brought about: whether the next request has the next number is as PROTOCOL.md
 * says. */
#include "server_client.h"
#include "shim.h"

enum { ME = 1, CLOCK_MS = 1000 };

static char root[64];

/* The page's rows of a code: whether seq moves on. */
static int moves_on(const char *code)
{
    FILE *page = fopen("csrc/server/PROTOCOL.md", "r");
    char line[2048];
    char start[32];
    int rows = 0;
    int moving = 0;
    CHECK(page);
    (void)snprintf(start, sizeof start, "| `%s` | ", code);
    while (strncmp(line, "## Errors", strlen("## Errors")) != 0) {
        CHECK(fgets(line, sizeof line, page));
    }
    while (fgets(line, sizeof line, page) && strncmp(line, "## ", 3) != 0) {
        if (strncmp(line, start, strlen(start)) == 0) {
            const int is_moving = strstr(line, "| moves on |\n") != NULL;
            CHECK(is_moving || strstr(line, "| stays |\n"));
            rows++;
            moving += is_moving;
        }
    }
    (void)fclose(page);
    CHECK(rows > 0 && (moving == 0 || moving == rows));
    return moving > 0;
}

/* A client, the number of its next request, and what it has heard last. */
struct asker {
    struct host host;
    unsigned char token[16];
    uint64_t next;
};

static void open_asker(struct asker *self, const struct server_options *options)
{
    open_host(&self->host, options);
    hello(&self->host, ME, "", self->token);
    self->next = 1;
}

/* Calls to the system fail here only. */
static void deliver(struct asker *self, struct wire_out *out)
{
    struct host *host = &self->host;
    struct wire_message *message = wire_finish(out);
    CHECK(message);
    forget(host);
    shim.is_on = 1;
    server_receive(host->server, ME, "", message->bytes, message->size, host->now_ms);
    (void)server_tick(host->server, host->now_ms);
    shim.is_on = 0;
    wire_release(message);
}

static void ask(struct asker *self, const char *name)
{
    struct wire_out out = begin_call(name, self->next, 0);
    deliver(self, &out);
}

/* The last message of that name; NULL: none was heard. */
static const msgpack_object *find(struct host *host, const char *name)
{
    const msgpack_object *found = NULL;
    msgpack_zone_clear(&host->zone);
    for (int i = 0; i < host->heard; i++) {
        const struct wire_message *message = host->messages[i];
        msgpack_object *object = msgpack_zone_malloc(&host->zone, sizeof *object);
        size_t used = 0;
        CHECK_EQUAL(msgpack_unpack((const char *)message->bytes, message->size, &used, &host->zone, object),
                    MSGPACK_UNPACK_SUCCESS);
        found = is_text(&object->via.array.ptr[0], name) ? object->via.array.ptr : found;
    }
    return found;
}

/* The server waits for the next number, as a hello reports it. */
static void check_counted(struct asker *self)
{
    hello_again(&self->host, ME, "", self->token, 0);
    const msgpack_object *welcome = find(&self->host, "ok");
    CHECK(welcome);
    CHECK_EQUAL(wire_key(&welcome[2], "next")->via.u64, self->next);
}

/* After an error that number is what the page says, and a request with it is executed. */
static void check_next(struct asker *self, const char *code)
{
    self->next += (uint64_t)moves_on(code);
    check_counted(self);
    ask(self, "ping");
    const msgpack_object *reply = find(&self->host, "ok");
    CHECK(reply);
    CHECK_EQUAL(reply[1].via.u64, self->next);
    self->next++;
}

/* From here on these calls fail, until `which` is 0. */
static void begin_failing(enum shim_call call)
{
    shim.which = 1u << call;
    shim.count = 0;
    shim.fail_at = 1;
    shim.fail_for = 1000;
}

static void test_memory(void)
{
    const struct server_options options = server_defaults();
    struct asker me;
    open_asker(&me, &options);
    begin_failing(SHIM_CALLOC);
    ask(&me, "make");
    shim.which = 0;
    check_error(&me.host, 1, "memory", "no memory for an environment");
    check_next(&me, "memory");
    begin_failing(SHIM_RANDOM);
    ask(&me, "play");
    shim.which = 0;
    check_error(&me.host, me.next, "memory", "no random bits");
    check_next(&me, "memory");
    close_host(&me.host);
}

/* The disk takes writes again. */
static void heal(struct asker *self)
{
    enum { LATER_MS = 1000 };
    shim.which = 0;
    self->host.now_ms += LATER_MS;
    (void)server_tick(self->host.server, self->host.now_ms);
}

/* Says hello with the token, while one call for memory fails. Returns whether the session has woken. */
static int wakes(struct asker *self, long fail_at)
{
    struct wire_out out = begin_call("hello", 0, 1);
    wire_map(&out, 1);
    wire_text(&out, "token");
    wire_bin(&out, self->token, sizeof self->token);
    begin_failing(SHIM_MALLOC);
    shim.fail_at = fail_at;
    shim.fail_for = 1;
    deliver(self, &out);
    shim.which = 0;
    return find(&self->host, "ok") != NULL;
}

/* Where a session finds no memory to wake, at whatever place, it sleeps on and keeps its room: a newcomer does not get
 * it. */
static void test_memory_at_waking(void)
{
    enum { YOU = 2 };
    struct server_options options = server_defaults();
    struct asker me;
    int failures = 0;
    options.state = root;
    options.max_sessions = 1;
    open_asker(&me, &options);
    ask(&me, "ping");
    check_ok(&me.host, me.next++, 0);
    ask(&me, "make");
    check_ok(&me.host, me.next++, 2);
    close_host(&me.host);
    open_host(&me.host, &options);
    for (long at = 1; !wakes(&me, at); at++) {
        struct wire_out out = begin_call("hello", 0, 0);
        heal(&me);
        send_out(&me.host, YOU, "", &out);
        check_error(&me.host, 0, "limit", "--sessions");
        failures++;
    }
    CHECK(failures > 3);
    check_counted(&me);
    close_host(&me.host);
}

/* Request n is executed before the disk refuses what it leads to, and n + 1 is not begun. Both are refused, and sent
 * again both are answered, the first from memory: hello has counted it. */
static void test_storage(enum disk_sync sync)
{
    struct server_options options = server_defaults();
    struct asker me;
    options.state = root;
    options.sync = sync;
    open_asker(&me, &options);
    begin_failing(SHIM_WRITE);
    ask(&me, "make");
    check_error(&me.host, 1, "storage", "send this request again");
    me.next = 2;
    ask(&me, "ping");
    check_error(&me.host, 2, "storage", "send this request again");
    heal(&me);
    check_counted(&me);
    me.next = 1;
    ask(&me, "make");
    CHECK_EQUAL(check_ok(&me.host, 1, 2)[0].via.u64, 1);
    me.next = 2;
    check_next(&me, "storage");
    close_host(&me.host);
}

/* Replies pile up unread: the next request is not executed. */
static void test_slow(void)
{
    enum { MOST = 4000 };
    static struct wire_message *held[MOST];
    const struct server_options options = server_defaults();
    struct asker me;
    int count = 0;
    open_asker(&me, &options);
    ask(&me, "tables");
    while (is_text(&heard(&me.host).items[0], "ok")) {
        CHECK(count < MOST);
        held[count++] = wire_hold(me.host.messages[0]);
        me.next++;
        ask(&me, "tables");
    }
    check_error(&me.host, me.next, "slow", "replies pile up unread");
    while (count > 0) {
        wire_release(held[--count]);
    }
    check_next(&me, "slow");
    close_host(&me.host);
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

/* Waits for a question. Returns it. */
static const msgpack_object *await_turn(struct host *host)
{
    const msgpack_object *turn = find(host, "turn");
    for (int i = 0; !turn && i < 10000; i++) {
        host->now_ms++;
        (void)server_tick(host->server, host->now_ms);
        turn = find(host, "turn");
    }
    CHECK(turn);
    return turn;
}

/* At a table whose other seats bots have. */
static void sit(struct asker *self)
{
    struct wire_out out = begin_call("sit", self->next++, 1);
    wire_map(&out, 4);
    wire_key_text(&out, "table", "t");
    wire_key_int(&out, "clock", CLOCK_MS);
    wire_key_int(&out, "seed", 5);
    wire_text(&out, "bots");
    wire_array(&out, 3);
    for (int i = 0; i < 3; i++) {
        wire_text(&out, "greedy");
    }
    send_out(&self->host, ME, "", &out);
}

static void check_answer(struct asker *self, uint64_t turn, int64_t action, const char *code)
{
    struct wire_out out = begin_call("act", turn, 1);
    wire_int(&out, action);
    send_out(&self->host, ME, "", &out);
    const msgpack_object *error = find(&self->host, "error");
    CHECK(error && is_text(&error[2], code));
    CHECK_EQUAL(error[1].via.u64, turn);
    check_next(self, code);
}

/* An action that is not legal, then an answer to that question, then one that was never asked. */
static void test_answers(void)
{
    const struct server_options options = server_defaults();
    struct asker me;
    open_asker(&me, &options);
    sit(&me);
    const msgpack_object *turn = await_turn(&me.host);
    const uint64_t number = turn[1].via.u64;
    int64_t action = 0;
    while (turn[4].via.bin.ptr[action]) {
        action++;
    }
    check_answer(&me, number, action, "illegal");
    check_answer(&me, number, action, "late");
    check_answer(&me, number + 100, action, "turn");
    close_host(&me.host);
}

/* The clock has run out. */
static void test_late(void)
{
    const struct server_options options = server_defaults();
    struct asker me;
    open_asker(&me, &options);
    sit(&me);
    const uint64_t number = await_turn(&me.host)[1].via.u64;
    me.host.now_ms += CLOCK_MS;
    check_answer(&me, number, 0, "late");
    close_host(&me.host);
}

static void empty_root(void)
{
    char path[512];
    DIR *entries = __real_opendir(root);
    CHECK(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        (void)snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        CHECK(entry->d_name[0] == '.' || __real_unlink(path) == 0);
    }
    closedir(entries);
}

/* The name of a removed file may come back until its folder is synced. */
static void test_names_are_synced_again(void)
{
    struct disk disk;
    char path[FILES_PATH];
    CHECK_EQUAL(files_path(root, "name", path), 0);
    disk_init(&disk, DISK_ALWAYS, root, NULL);
    CHECK_EQUAL(disk_create(&disk, path), 0);
    CHECK_EQUAL(disk_sync(&disk), 0);
    disk_remove(&disk, path);
    begin_failing(SHIM_SYNC);
    shim.is_on = 1;
    CHECK_EQUAL(disk_sync(&disk), -1);
    shim.which = 0;
    shim.is_noting = 1;
    CHECK_EQUAL(disk_sync(&disk), 0);
    shim.is_on = shim.is_noting = 0;
    CHECK_EQUAL(shim.num_notes, 1);
    CHECK_EQUAL(shim.notes[0].kind, SHIM_NAMES);
    shim_forget();
    disk_close(&disk);
}

int main(void)
{
    (void)snprintf(root, sizeof root, P_tmpdir "/test_server_errors.XXXXXX");
    CHECK(mkdtemp(root));
    test_memory();
    test_memory_at_waking();
    empty_root();
    static const enum disk_sync ways[] = {DISK_ALWAYS, DISK_SECOND, DISK_NEVER};
    for (int i = 0; i < 3; i++) {
        test_storage(ways[i]);
        empty_root();
    }
    test_slow();
    test_answers();
    test_late();
    test_names_are_synced_again();
    CHECK_EQUAL(rmdir(root), 0);
    return 0;
}
