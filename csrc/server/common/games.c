#include "games.h"

#include <string.h>

#include "limit.h"
#include "mh_game.h"

enum { ID_SIZE = 64 };

struct mh_game *games_open(const char *standard, const msgpack_object *id, const msgpack_object *options,
                           char text[GAMES_OPTIONS], struct wire_error *error)
{
    char given[ID_SIZE];
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game = NULL;
    if (wire_read_text(id, "game", given, sizeof given, error) != 0 ||
        wire_read_text(options, "options", text, GAMES_OPTIONS, error) != 0) {
        return NULL;
    }
    const int status = mh_game_new(wire_is_nil(id) ? standard : given, text, message, &game);
    if (status != MH_OK) {
        (void)wire_refuse_status(error, status, message);
    }
    return game;
}

static int is_among(const char *name, const char *allowed)
{
    const size_t length = strlen(name);
    while (*allowed) {
        const size_t here = strcspn(allowed, " ");
        if (here == length && strncmp(allowed, name, length) == 0) {
            return 1;
        }
        allowed += here + strspn(allowed + here, " ");
    }
    return 0;
}

int games_bot(const struct mh_game *game, const msgpack_object *name, const char *argument, const char *allowed,
              struct wire_error *error)
{
    char text[GAMES_BOT] = "";
    char message[MH_MESSAGE_SIZE];
    if (wire_read_text(name, argument, text, sizeof text, error) != 0) {
        return -1;
    }
    const int bot = mh_bot_index(game, text, message);
    if (bot < 0) {
        return wire_refuse(error, "argument", "%s: %.200s", argument, message);
    }
    const int is_made = bot >= game->num_bots;
    if (is_made && !allowed) {
        return limit_refuse(error, LIMIT_BOTS, "%s: %s: this server plays no bots with settings", argument, text);
    }
    if (is_made && strcmp(allowed, GAMES_ANY_BOT) != 0 && !is_among(text, allowed)) {
        return limit_refuse(error, LIMIT_BOTS,
                            "%s: %s is none of the bots with settings that this server plays: %.120s", argument,
                            text, allowed);
    }
    return bot;
}
