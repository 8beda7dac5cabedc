/* The game that a request names. */
#ifndef GAMES_H
#define GAMES_H

#include "wire.h"

enum { GAMES_OPTIONS = 1024 /* bytes of an options text, closing zero included */ };

struct mh_game;

/* Opens the game of a request; the caller frees it. nil as `id` stands for `standard`, and nil as `options` for
 * those in `text`, which receives the options in use. NULL with an error. */
struct mh_game *games_open(const char *standard, const msgpack_object *id, const msgpack_object *options,
                           char text[GAMES_OPTIONS], struct wire_error *error);

#endif
