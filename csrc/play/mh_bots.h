/* The bots of a game object: the rows of its table, and after them those with settings that somebody has named.
 *
 * Naming may happen in any thread, at any time: bots are added, and never moved, changed or taken away while the game
 * object lives. Playing with a number takes no lock, since a caller gets the number only after the bot was made. */
#ifndef MH_BOTS_H
#define MH_BOTS_H

#include "mh_game.h"

/* Gives a game object the bots of its table. Returns an enum mh_status. */
int mh_bots_new(struct mh_game *game);

/* Frees them, those with settings included. */
void mh_bots_free(struct mh_game *game);

/* Adds a bot that plays by a net; of two of the same name the first one stays. Returns its number, or an enum mh_status
 * with a message. */
int mh_bots_add_net(const struct mh_game *game, const char *name, const union mh_word *net, int64_t count,
                    char *message);

/* Counts the bots that exist by now. */
int mh_bots_count(const struct mh_game *game);

/* Refuses bots by seat that are NULL, or numbers of no bots. */
int mh_bots_check(const struct mh_game *game, const int32_t *bots, char *message);

/* Refuses a number of no bot, or of one that does not judge actions; the message names those that do. */
int mh_bots_check_judge(const struct mh_game *game, int bot, char *message);

/* The last bot of the table that judges actions, where it can be named, or -1. */
int mh_bots_best_judge(const struct mh_game *game);

/* Reads what follows "search:" in the name of a bot, with the bots that it names. */
struct mh_search;
int mh_bots_read_search(const struct mh_game *game, const char *settings, struct mh_search *search, char *message);

#endif
