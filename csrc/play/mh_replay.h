/* Episodes that were played, played once more by their actions. */
#ifndef MH_REPLAY_H
#define MH_REPLAY_H

#include "mh_game.h"

/* Looks at the state before action number `at` among those of all episodes, or at the end of an episode, where `at` is
 * the number behind its last action. No other thread uses `memory`. */
typedef void mh_replay_look(const void *context, const void *state, void *memory, int episode, size_t at);

struct mh_replay {
    const struct mh_game *game;
    const struct mh_episodes *episodes;
    const void *context;
    mh_replay_look *before; /* each action */
    mh_replay_look *end;
    size_t room;     /* bytes of `memory` */
    int32_t *played; /* [count] how many of the actions were legal */
};

/* Refuses what are no episodes, and an action that is not legal. `threads` is at least 1. */
int mh_replay_run(const struct mh_replay *self, int threads, char *message);

#endif
