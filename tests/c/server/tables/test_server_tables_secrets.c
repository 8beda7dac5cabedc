/* The secrets that the cards to come follow from: nobody is told them before the end of a series, no deal follows
 * from another one, and no request tells a right guess from a wrong one. */
#include "tables_room.h"

#include "tables/lobby.h"

/* ---- Hashes
 * ------------------------------------------------------------------------------------------------------- */

static void check_hash(const char *text, size_t size, const char *expected)
{
    unsigned char hash[SHA256_SIZE];
    char digits[SHA256_TEXT];
    sha256(text, size, hash);
    sha256_text(hash, digits);
    CHECK(strcmp(digits, expected) == 0);
}

/* The examples of the standard; a million letters; and around the end of a block. */
static void test_hashes(void)
{
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char *letters = check_memory(1000000);
    memset(letters, 'a', 1000000);
    check_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_hash(two_blocks, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_hash(letters, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    check_hash(letters, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check_hash(letters, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    free(letters);
}

/* As `sha256sum` says. */
static void test_seeds_of_a_secret(void)
{
    char hash[SHA256_TEXT];
    const char *secret = "0000000000000000000000000000000000000000000000000000000000000000";
    secret_hash(secret, hash);
    CHECK(strcmp(hash, "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55") == 0);
    CHECK(secret_seed(secret, 12, 3) == 0xbb7d4536534b5da1u);
    CHECK(secret_is_one(secret) && !secret_is_one(secret + 1) && !secret_is_one(""));
}

/* ---- Nothing that a card follows from --------------------------------------------------------------------------- */

enum { MAX_NEEDLES = 400, MAX_JSON = 1 << 16 };

/* The bytes that must not be found in messages. */
struct needles {
    struct {
        unsigned char bytes[SECRET_TEXT];
        size_t size;
    } all[MAX_NEEDLES];
    int count;
};

static void add_needle(struct needles *self, const void *bytes, size_t size)
{
    for (int i = 0; i < self->count; i++) {
        if (self->all[i].size == size && memcmp(self->all[i].bytes, bytes, size) == 0) {
            return;
        }
    }
    CHECK(self->count < MAX_NEEDLES && size <= sizeof self->all[0].bytes);
    memcpy(self->all[self->count].bytes, bytes, size);
    self->all[self->count++].size = size;
}

/* A number as somebody could write it. */
static void add_number(struct needles *self, uint64_t number)
{
    char text[32];
    unsigned char bytes[2][8];
    for (int i = 0; i < 8; i++) {
        bytes[0][i] = (unsigned char)(number >> 8 * i);
        bytes[1][7 - i] = bytes[0][i];
    }
    add_needle(self, bytes[0], 8);
    add_needle(self, bytes[1], 8);
    add_needle(self, text, (size_t)snprintf(text, sizeof text, "%016llx", (unsigned long long)number));
    add_needle(self, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number));
}

/* The generators of a state: all that its JSON has as 16 hexadecimal digits. */
static void add_generators(struct needles *self, const struct table *table)
{
    static char json[MAX_JSON];
    const int before = self->count;
    CHECK(mh_state_json(table->terms.game, table->state, json, sizeof json) < sizeof json);
    for (const char *at = strchr(json, '"'); at; at = strchr(at + 1, '"')) {
        if (strspn(at + 1, "0123456789abcdef") == 16 && at[17] == '"') {
            add_number(self, strtoull(at + 1, NULL, 16));
        }
    }
    CHECK(before > 0 || self->count > 0);
}

/* Each deal has a seed that follows from the secret alone, as PROTOCOL.md says: the one on the table left the generator
 * where it leaves it again. */
static void check_deal(const struct table *table)
{
    const struct mh_game *game = table->terms.game;
    const int64_t turn = table->terms.duplicate ? table_seats(table) : 1;
    const int32_t round = mh_state_rounds(table->state);
    const uint64_t seed = secret_seed(table->secret, table->number / turn, round);
    uint64_t again[MH_MAX_STATE / 8];
    memcpy(again, table->state, (size_t)game->sizes.state);
    if (round == 0) {
        CHECK_EQUAL(mh_state_reset(game, again, seed, NULL), MH_OK);
    } else {
        CHECK_EQUAL(mh_state_set_seed(game, again, seed, NULL), MH_OK);
        ((struct mh_head *)again)->seat = MH_BETWEEN_ROUNDS;
        CHECK_EQUAL(mh_state_next_round(game, again, NULL), MH_OK);
    }
    CHECK(mh_head(table->state)->rng.state == mh_head(again)->rng.state);
}

static int has_needle(const struct wire_message *message, const void *bytes, size_t size)
{
    const unsigned char *end = message->bytes + message->size;
    const unsigned char *at = message->bytes;
    const int first = *(const unsigned char *)bytes;
    while ((size_t)(end - at) >= size && (at = memchr(at, first, (size_t)(end - at) - size + 1)) != NULL) {
        if (memcmp(at, bytes, size) == 0) {
            return 1;
        }
        at++;
    }
    return 0;
}

static void check_message(const struct needles *self, const struct wire_message *message)
{
    for (int i = 0; i < self->count; i++) {
        CHECK(!has_needle(message, self->all[i].bytes, self->all[i].size));
    }
}

/* Two players and a spectator ask for all that there is. Returns the last `end`. */
static const msgpack_object *play_series(struct room *room, struct needles *needles)
{
    struct mh_rng random = {2};
    const msgpack_object *end = NULL;
    while (!end) {
        (void)room_settle(room);
        const struct table *table = room->tables->tables[0];
        add_generators(needles, table);
        if (!table->terms.seeded && mh_state_seat(table->state) >= 0) {
            check_deal(table);
        }
        for (int player = 1; player <= 2; player++) {
            const msgpack_object *message;
            const msgpack_object *turn = NULL;
            while ((message = room_next(room, player)) != NULL) {
                turn = object_is(object_item(message, 0), "turn") ? message : turn;
                if (object_is(object_item(message, 0), "end") && true_at(object_item(message, 2), "over")) {
                    end = object_item(message, 2);
                }
            }
            if (turn && !end) {
                room_done(room, player, "back", "[]");
                check_message(needles, room->reply.message);
                room_done(room, player, "tables", "[]");
                check_message(needles, room->reply.message);
                room_act(room, player, object_int(object_item(turn, 1)), room_choose(turn, &random));
            }
        }
    }
    return end;
}

static void test_nothing_is_foretold(const char *id, int duplicate)
{
    static struct needles needles;
    struct room room = {.now = 3, .random = 9};
    char json[256];
    char hash[SHA256_TEXT];
    int rounds = 0;
    needles.count = 0;
    (void)snprintf(
        json, sizeof json, "[{'table':'t','game':'%s','options':'%s','games':2,'pause':0,'duplicate':%s}]", id,
        room_options(id, "num_players=2 episode=game rounds=3", "num_players=2"), duplicate ? "true" : "false");
    room_open(&room);
    tables_watch(room.tables, "t:", 1, room.now);
    room_done(&room, 1, "sit", json);
    room_done(&room, 2, "sit", "[{'table':'t'}]");
    const struct table *table = room.tables->tables[0];
    add_needle(&needles, table->secret, SECRET_TEXT - 1);
    (void)room_settle(&room); /* what bots draw can be seen, and leads back to what it began with */
    CHECK(table->bots.state != mh_rng_bots(table_seed(table, 0, 0)).state);
    CHECK(table->bots.state == mh_rng_bots(table_seed(table, 0, SECRET_BOTS)).state);
    for (int64_t game = 0; game < 2; game++) {
        for (int32_t round = 0; round < 4; round++) {
            add_number(&needles, table_seed(table, game, round));
        }
    }
    const msgpack_object *end = play_series(&room, &needles);
    secret_hash(table->secret, hash);
    for (int i = 0; i < room.count; i++) {
        const struct letter *letter = &room.letters[i];
        const msgpack_object *name = object_item(&letter->unpacked.data, 0);
        const msgpack_object *what = object_item(&letter->unpacked.data, 2);
        if (object_is(name, "end") && true_at(what, "over")) { /* to show that they are found where they are */
            CHECK(has_needle(letter->message, needles.all[0].bytes, needles.all[0].size));
            CHECK(has_needle(letter->message, needles.all[2].bytes, needles.all[2].size));
            continue;
        }
        check_message(&needles, letter->message);
        if (object_is(name, "start") || object_is(name, "state")) {
            CHECK(object_is(object_key(what, "hash"), hash));
        }
        rounds += letter->to == SPECTATOR && object_is(name, "round");
    }
    CHECK(rounds >= 2);
    CHECK(object_is(object_key(end, "secret"), table->secret));
    room_close(&room);
}

/* The game is played as it was: from a seed that was given all its rounds follow. */
static void test_given_seeds_stay(const char *id)
{
    struct room room = {.now = 3};
    struct needles *needles = check_memory(sizeof *needles);
    char json[256];
    (void)snprintf(json, sizeof json, "[{'table':'t','game':'%s','options':'%s','seed':7,'pause':0}]", id,
                   room_options(id, "num_players=2 episode=game rounds=3", "num_players=2"));
    room_open(&room);
    room_done(&room, 1, "sit", json);
    room_done(&room, 2, "sit", "[{'table':'t'}]");
    const struct table *table = room.tables->tables[0];
    void *state = check_memory((size_t)table->terms.game->sizes.state);
    (void)room_settle(&room);
    CHECK_EQUAL(mh_state_reset(table->terms.game, state, 7, NULL), MH_OK);
    CHECK(memcmp(state, table->state, (size_t)table->terms.game->sizes.state) == 0);
    CHECK(table->bots.state == mh_rng_bots(7).state);
    const msgpack_object *end = play_series(&room, needles);
    CHECK(object_key(end, "seeds")->via.array.ptr[0].via.u64 == 7 && !wire_key(end, "secret"));
    CHECK(!wire_key(object_item(room_await(&room, SPECTATOR, "state"), 2), "hash"));
    free(state);
    free(needles);
    room_close(&room);
}

/* ---- Tables that never tell -------------------------------------------------------------------------------------- */

static void test_never_told(const char *terms)
{
    static struct needles needles;
    struct room room = {.now = 3, .random = 9};
    char json[256];
    int rounds = 0;
    needles.count = 0;
    (void)snprintf(json, sizeof json, "[{'table':'t','options':'num_players=2','reveal':false,'pause':0%s}]",
                   terms);
    room_open(&room);
    tables_watch(room.tables, "t:", 1, room.now);
    room_done(&room, 1, "sit", json);
    room_refused(&room, 2, "sit", "[{'table':'t','reveal':true}]", "table");
    room_done(&room, 2, "sit", "[{'table':'t'}]");
    add_number(&needles, table_seed(room.tables->tables[0], 0, 0));
    const msgpack_object *end = play_series(&room, &needles);
    CHECK(!wire_key(end, "seeds") && !wire_key(end, "secret") && wire_key(end, "totals"));
    for (int i = 0; i < room.count; i++) {
        const msgpack_object *message = &room.letters[i].unpacked.data;
        const msgpack_object *what = object_item(message, 2);
        check_message(&needles, room.letters[i].message);
        CHECK(what->type != MSGPACK_OBJECT_MAP || !wire_key(what, "hash"));
        if (room.letters[i].to == SPECTATOR && object_is(object_item(message, 0), "round")) {
            CHECK_EQUAL(what->via.map.size, 1); /* only the numbers: hands that were not shown stay hidden */
            rounds++;
        }
    }
    CHECK_EQUAL(rounds, 1);
    room_close(&room);
}

/* ---- Guesses ----------------------------------------------------------------------------------------------------- */

/* The error, or "" where it was done. */
static const char *answer_to(struct room *room, int player, const char *name, const char *json, char text[300])
{
    const int done = room_request(room, player, name, json);
    (void)snprintf(text, 300, "%s %s", done ? "" : room->error.code, done ? "" : room->error.text);
    return text;
}

static void check_alike(struct room *room, int player, const char *name, const char *rest)
{
    char right[128];
    char wrong[128];
    char texts[2][300];
    (void)snprintf(right, sizeof right, "[{%s'seed':1234567890123}]", rest);
    (void)snprintf(wrong, sizeof wrong, "[{%s'seed':1234567890124}]", rest);
    CHECK(strcmp(answer_to(room, player, name, right, texts[0]), answer_to(room, player, name, wrong, texts[1])) ==
          0);
}

static void test_guesses(void)
{
    struct room room = {.now = 3};
    room_open(&room);
    room_done(&room, 1, "sit", "[{'table':'t','options':'num_players=2','seed':1234567890123}]");
    room_done(&room, 3, "play", "[{'options':'num_players=2','seed':1234567890123}]"); /* opens a separate table */
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 1);
    room_done(&room, 4, "play", "[{'options':'num_players=2'}]");
    CHECK_EQUAL(int_at(room_reply(&room), "waiting"), 1);
    check_alike(&room, 2, "sit", "'table':'t','seat':0,");
    room_done(&room, 2, "sit", "[{'table':'t','seed':1}]");
    check_alike(&room, 2, "sit", "'table':'t',"); /* seated already */
    check_alike(&room, 5, "sit", "'table':'t',"); /* full */
    room_refused(&room, 5, "sit", "[{'table':'t','games':2}]", "table");
    CHECK(strstr(room.error.text, "no seat is free"));
    room_close(&room);
}

/* Nobody is led to a table whose cards another player knows. */
static void test_seeds_at_tables_with_others(void)
{
    struct room room = {.now = 3, .keeps_seeds = 1};
    room_open(&room);
    room_refused(&room, 1, "sit", "[{'table':'t','bots':['greedy','greedy'],'seed':9223372036854775809}]", "limit");
    CHECK(strstr(room.error.text, "seed"));
    room_refused(&room, 1, "play", "[{'seed':7}]", "limit");
    room_done(&room, 1, "tables", "[]");
    CHECK_EQUAL(room_reply(&room)->via.array.size, 0);
    room_done(&room, 1, "sit", "[{'table':'t','bots':['greedy','greedy','greedy'],'seed':7}]");
    room_close(&room);
}

int main(void)
{
    test_hashes();
    test_seeds_of_a_secret();
    for (int i = 0; i < mh_game_count(); i++) {
        if (room_options(mh_game_id(i), "num_players=2", NULL)) {
            test_nothing_is_foretold(mh_game_id(i), 0);
            test_nothing_is_foretold(mh_game_id(i), 1);
            test_given_seeds_stay(mh_game_id(i));
        }
    }
    test_never_told("");
    test_never_told(",'seed':1234567890123");
    test_guesses();
    test_seeds_at_tables_with_others();
    return 0;
}
