/* The games that requests name. */
#ifndef GAMES_H
#define GAMES_H

#include "wire.h"

enum { GAMES_OPTIONS = 1024 /* bytes of an options text, closing zero included */ };

struct mh_game;

/* Opens the game of a request, for the caller to free. Without an `id` it is `standard`; `text` holds the options to
 * take where there are none, and afterwards those that were given. NULL with an error. */
struct mh_game *games_open(const char *standard, const msgpack_object *id, const msgpack_object *options,
                           char text[GAMES_OPTIONS], struct wire_error *error);

#endif
