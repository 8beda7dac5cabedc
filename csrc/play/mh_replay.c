#include "mh_replay.h"

#include <string.h>

#include "base/mh_pool.h"

static int is_legal(const struct mh_game *game, const void *state, int action)
{
    return mh_head(state)->seat >= 0 && action >= 0 && action < game->sizes.actions &&
           mh_set_has(mh_legal(game->rules, state), action);
}

/* In memory for a state, then that of who looks. */
static void replay_part(void *context, void *memory, int first, int last)
{
    const struct mh_replay *self = context;
    const struct mh_rules *rules = self->game->rules;
    const struct mh_episodes *episodes = self->episodes;
    const size_t size = (size_t)self->game->sizes.state;
    void *state = memory;
    void *room = (char *)memory + size;
    for (int i = first; i < last; i++) {
        const size_t begin = (size_t)episodes->starts[i];
        const size_t end = (size_t)episodes->starts[i + 1];
        size_t at = begin;
        memset(state, 0, size);
        rules->reset(state, self->game->options, episodes->seeds[i], NULL);
        for (; at < end && is_legal(self->game, state, episodes->actions[at]); at++) {
            self->before(self->context, state, room, i, at);
            mh_apply(rules, state, episodes->actions[at]);
            rules->next_round(state);
        }
        self->end(self->context, state, room, i, at);
        self->played[i] = (int32_t)(at - begin);
    }
}

static int check_episodes(const struct mh_episodes *episodes, int threads, char *message)
{
    if (!episodes->seeds || !episodes->starts || !episodes->actions) {
        mh_message(message, "seeds, starts and actions must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (episodes->count < 1 || threads < 1) {
        mh_message(message, "count (%d) and threads (%d) must be at least 1", (int)episodes->count, threads);
        return MH_ERROR_ARGUMENT;
    }
    for (int i = 0; i < episodes->count; i++) {
        const int64_t length = episodes->starts[i + 1] - episodes->starts[i];
        if (episodes->starts[0] != 0 || length < 0 || length > INT32_MAX) {
            mh_message(message, "starts: they do not rise from 0 on at episode %d", i);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

int mh_replay_run(const struct mh_replay *self, int threads, char *message)
{
    const struct mh_episodes *episodes = self->episodes;
    int status = check_episodes(episodes, threads, message);
    if (status != MH_OK) {
        return status;
    }
    struct mh_replay replay = *self; /* the pool's work takes what it may change */
    status = mh_pool_once(threads, episodes->count, (size_t)self->game->sizes.state + self->room, replay_part,
                          &replay, message);
    for (int i = 0; status == MH_OK && i < episodes->count; i++) {
        if (self->played[i] < episodes->starts[i + 1] - episodes->starts[i]) {
            mh_message(message, "actions: %d of episode %d is not legal there",
                       (int)episodes->actions[episodes->starts[i] + self->played[i]], i);
            status = MH_ERROR_ACTION;
        }
    }
    return status;
}
