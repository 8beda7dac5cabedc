/* States from JSON: what is written is read again, for every game; what cannot be is refused, and said. */
#include "check.h"

#include <string.h>

#include "mh_game.h"

enum { TEXT = 32768 };

struct table {
    struct mh_game *game;
    struct mh_sizes sizes;
    void *state, *read;
    char *json, *again;
};

static void check_text(const char *text, const char *expected)
{
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "'%s' is not '%s'\n", text, expected);
        exit(1);
    }
}

static struct table open_table(const char *id, const char *options)
{
    struct table table = {.game = NULL};
    CHECK_EQUAL(mh_game_new(id, options, NULL, &table.game), MH_OK);
    CHECK_EQUAL(mh_game_sizes(table.game, &table.sizes), MH_OK);
    table.state = check_memory((size_t)table.sizes.state);
    table.read = check_memory((size_t)table.sizes.state);
    table.json = check_memory(TEXT);
    table.again = check_memory(TEXT);
    return table;
}

static void close_table(struct table *table)
{
    free(table->state);
    free(table->read);
    free(table->json);
    free(table->again);
    mh_game_free(&table->game);
}

static void check_round_trip(struct table *table)
{
    char message[MH_MESSAGE_SIZE] = "";
    const size_t length = mh_state_json(table->game, table->state, table->json, TEXT);
    CHECK(length < TEXT);
    CHECK_EQUAL(mh_state_read(table->game, table->read, table->json, length, message), MH_OK);
    check_text(message, "");
    CHECK_EQUAL((int)mh_state_json(table->game, table->read, table->again, TEXT), (int)length);
    check_text(table->again, table->json);
}

/* Plays by two bots in turn, so that hands are laid and rounds end. */
static void test_round_trips(const char *id, const char *options)
{
    struct table table = open_table(id, options);
    for (uint64_t seed = 0; seed < 2; seed++) {
        uint64_t random = seed;
        CHECK_EQUAL(mh_state_reset(table.game, table.state, seed, NULL), MH_OK);
        check_round_trip(&table);
        for (int step = 0; mh_state_seat(table.state) >= 0; step++) {
            int action = -1;
            CHECK_EQUAL(mh_state_bot_action(table.game, table.state, step / 4 % 2, &random, &action), MH_OK);
            CHECK_EQUAL(mh_state_apply(table.game, table.state, action, NULL), MH_OK);
            if (step % 5 == 0 || mh_state_seat(table.state) < 0) {
                check_round_trip(&table);
            }
        }
    }
    close_table(&table);
}

struct bad {
    const char *json, *message;
};

static void test_refusals(const char *id, const struct bad *bad, int count)
{
    struct table table = open_table(id, "");
    CHECK_EQUAL(mh_state_reset(table.game, table.read, 1, NULL), MH_OK);
    memcpy(table.state, table.read, (size_t)table.sizes.state);
    for (int i = 0; i < count; i++) {
        char message[MH_MESSAGE_SIZE] = "";
        CHECK(mh_state_read(table.game, table.read, bad[i].json, strlen(bad[i].json), message) < 0);
        check_text(message, bad[i].message);
        CHECK(memcmp(table.state, table.read, (size_t)table.sizes.state) == 0);
    }
    CHECK_EQUAL(mh_state_read(table.game, table.read, NULL, 0, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_state_read(table.game, NULL, "{}", 2, NULL), MH_ERROR_ARGUMENT);
    close_table(&table);
}

#define HANDS "\"hands\":[[\"Ks\"],[\"Qh\"]]"

/* The smallest game, so that a state fits on a line. */
static const struct bad of_leduc[] = {
    {"", "the state: these bytes are not one JSON object"},
    {"[]", "the state: these bytes are not one JSON object"},
    {"{", "the state: these bytes are not one JSON object"},
    {"{}}", "the state: these bytes are not one JSON object"},
    {"{\"a\"1}", "the state: these bytes are not one JSON object"},
    {"{\"a\":1,}", "the state: these bytes are not one JSON object"},
    {"{\"a\":1 2}", "the state: these bytes are not one JSON object"},
    {"{\"a\":[1,]}", "the state: these bytes are not one JSON object"},
    {"{\"a\":[1", "the state: these bytes are not one JSON object"},
    {"{\"a\":nul}", "the state: these bytes are not one JSON object"},
    {"{\"a\":-}", "the state: these bytes are not one JSON object"},
    {"{\"a\":1.}", "the state: these bytes are not one JSON object"},
    {"{\"a\":1e}", "the state: these bytes are not one JSON object"},
    {"{\"a\":1e+}", "the state: these bytes are not one JSON object"},
    {"{\"a\":\"\\", "the state: these bytes are not one JSON object"},
    {"{\"a\":\"\n\"}", "the state: these bytes are not one JSON object"},
    {"{\"a\":\"b", "the state: these bytes are not one JSON object"},
    {"{\"a\":[[[[[[[[[]]]]]]]]]}", "the state: these bytes are not one JSON object"},
    {"{\"a\":1234567890123456789012345678901234567890}", "the state: these bytes are not one JSON object"},
    {"{}", "hands: is needed, and was left out"},
    {"{\"hands\":null}", "hands: is needed, and was left out"},
    {"{\"hands\":7}", "hands: a list is expected"},
    {"{\"hands\":[[\"Ks\"],[]]}", "hands[1][0]: is needed, and was left out"},
    {"{\"hands\":[[\"Ks\"],[\"Qh\"],[]]}", "hands: 3 items; there is one for each of 2 seats"},
    {"{\"hands\":[[],[],[],[],[],[],[]]}", "hands: more than 6 items"},
    {"{\"hands\":[[7],[\"Qh\"]]}", "hands[0][0]: 7 is no text"},
    {"{\"hands\":[[\"\\u004bs\"],[\"Qh\"]]}", "hands[0][0]: '\\u004bs' is none of the game's, such as 'Js'"},
    {"{\"hands\":[[\"Ks\"],[\"Ks\"]]}", "hands[1][0]: Ks occurs more often than in the deck"},
    {"{" HANDS ",\"undealt\":[\"Js\"]}", "undealt: Jh is missing: it is nowhere"},
    {"{" HANDS ",\"round\":0.5}", "round: 0.5 is not a whole number from 0 to 2147483645"},
    {"{" HANDS ",\"seat\":2}", "seat: 2 is not a whole number from -1 to 1"},
    {"{" HANDS ",\"seat\":\"2\"}", "seat: \"2\" is no number"},
    {"{" HANDS ",\"random\":\"12\"}", "random: '12' is not 16 hexadecimal digits"},
    {"{" HANDS ",\"random\":12}", "random: 12 is no text"},
    {"{" HANDS ",\"rewards\":[\"a\",0]}", "rewards[0]: \"a\" is no number"},
    {"{" HANDS ",\"returns\":[1e999,0]}", "no play leads to this state: rewards out of range"},
    {"{" HANDS ",\"events\":[7]}", "events[0]: an object with the key \"seat\" is expected"},
    {"{" HANDS ",\"events\":[{\"event\":\"call\"}]}", "events[0].seat: is needed, and was left out"},
    {"{" HANDS ",\"events\":[{\"seat\":0,\"event\":\"go\"}]}",
     "events[0].event: 'go' is none of: fold, call, raise, turn_up, show, win, tie"},
};

static void test_blanks_and_escapes(void)
{
    static const char json[] =
        " {\"note\\\"\" : [true, false, -1.5e+3, {\"a\" : {}, \"b\": []}],\n \"seat\" : null,"
        "\"hands\" : [ [\"Ks\"] , [\"Qh\"] ] } ";
    struct table table = open_table("leduc", "");
    CHECK_EQUAL(mh_state_read(table.game, table.read, json, sizeof json - 1, NULL), MH_OK);
    CHECK_EQUAL(mh_state_seat(table.read), 0);
    close_table(&table);
}

int main(void)
{
    struct mh_game *leduc = NULL;
    for (int i = 0; i < mh_game_count(); i++) {
        test_round_trips(mh_game_id(i), "");
    }
    test_round_trips("mhing", "num_players=6 episode=game rounds=3");
    test_round_trips("mhing", "num_players=2 episode=game scoring=chips rounds=3 seven_pairs=on");
    test_round_trips("general_mhing", "num_players=3 episode=game rounds=3");
    test_round_trips("mexican_rummy", "num_players=3 episode=game objective=1");
    if (mh_game_new("leduc", "", NULL, &leduc) == MH_OK) { /* where it is built in */
        mh_game_free(&leduc);
        test_refusals("leduc", of_leduc, (int)(sizeof of_leduc / sizeof *of_leduc));
        test_blanks_and_escapes();
    }
    return 0;
}
