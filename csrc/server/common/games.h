/* The game that a request names. */
#ifndef GAMES_H
#define GAMES_H

#include "wire.h"

enum {
    GAMES_OPTIONS = 1024, /* bytes of an options text, closing zero included */
    GAMES_BOT = 65        /* bytes of a bot's name, likewise */
};

struct mh_game;

/* Opens the game of a request; the caller frees it. nil as `id` stands for `standard`, and nil as `options` for
 * those in `text`, which receives the options in use. NULL with an error. */
struct mh_game *games_open(const char *standard, const msgpack_object *id, const msgpack_object *options,
                           char text[GAMES_OPTIONS], struct wire_error *error);

/* The number of a bot that a request names as `argument`. Bots with settings take as long as those say, so they must be
 * among `allowed`, names with spaces between them; NULL: there are none, GAMES_ANY_BOT: all are. -1 with an error. */
#define GAMES_ANY_BOT "*"
int games_bot(const struct mh_game *game, const msgpack_object *name, const char *argument, const char *allowed,
              struct wire_error *error);

#endif
