#include "games.h"

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
