/* Texts and decks that people write: a game's options, an action, a bot's name, a deck. A refusal is one line.
 *
 * Input: byte 0 picks the game, byte 1 a seed. Then the options, up to a line's end; an action or a bot, up to the
 * next; then exchanges of cards in the game's own deck, two bytes each, the last byte alone left over: it replaces a
 * card. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mh.h"

enum { LINE = 256, MAX_DECK = 256 };

static void require_words(const char *message)
{
    require(*message && !strchr(message, '\n') && strlen(message) < MH_MESSAGE_SIZE);
}

/* The text up to the next line's end; returns the bytes it takes. */
static size_t take_line(const uint8_t *data, size_t size, char line[LINE])
{
    size_t length = 0;
    while (length < size && data[length] != '\n') {
        length++;
    }
    const size_t kept = length < LINE - 1 ? length : LINE - 1;
    memcpy(line, data, kept);
    line[kept] = '\0';
    return length < size ? length + 1 : length;
}

/* The cards that mh_game_describe lists. */
static int read_deck(const struct mh_game *game, uint8_t *deck)
{
    const size_t length = mh_game_describe(game, NULL, 0);
    char *text = malloc(length + 1);
    int count = 0;
    require(text && mh_game_describe(game, text, length + 1) == length);
    const char *at = strstr(text, "\"deck\":[");
    require(at != NULL);
    for (at = strchr(at, '['); *at != ']'; count++) {
        char *end;
        require(count < MAX_DECK);
        deck[count] = (uint8_t)strtol(at + 1, &end, 10);
        require(end > at + 1);
        at = end;
    }
    free(text);
    return count;
}

static void deal(const struct mh_game *game, uint64_t seed, const uint8_t *data, size_t size)
{
    struct mh_sizes sizes;
    uint8_t deck[MAX_DECK];
    char message[MH_MESSAGE_SIZE] = "";
    require(mh_game_sizes(game, &sizes) == MH_OK);
    uint64_t *state = calloc(1, (size_t)sizes.state);
    const int count = read_deck(game, deck);
    require(state && count == sizes.deck);
    for (; size >= 2; data += 2, size -= 2) {
        const uint8_t card = deck[data[0] % count];
        deck[data[0] % count] = deck[data[1] % count];
        deck[data[1] % count] = card;
    }
    if (size == 1) {
        deck[data[0] % count] = data[0];
    }
    const int status = mh_state_deal(game, state, seed, deck, count, message);
    require(status == MH_OK || size == 1);
    if (status == MH_OK) {
        require(mh_state_play_out(game, state, (const int32_t[MH_MAX_SEATS]){0}, seed) == MH_OK);
    } else {
        require_words(message);
    }
    free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[LINE];
    char text[MH_TEXT_SIZE];
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = NULL;
    if (size < 2) {
        return 0;
    }
    size_t at = 2 + take_line(data + 2, size - 2, line);
    if (mh_game_new(mh_game_id(data[0] % mh_game_count()), line, message, &game) != MH_OK) {
        require(!game);
        require_words(message);
        return 0;
    }
    at += take_line(data + at, size - at, line);
    const int action = mh_action_id(game, line);
    require(action < 0 || (mh_action_text(game, action, text) == MH_OK && strcmp(text, line) == 0));
    if (mh_bot_index(game, line, message) < 0) {
        require_words(message);
    }
    deal(game, data[1], data + at, size - at);
    mh_game_free(&game);
    return 0;
}
