/* Nets of one hidden layer with made-up weights, for the tests of nets. */
#ifndef NET_PLAN_H
#define NET_PLAN_H

#include "check.h"
#include "game/mh_net.h"
#include "play/mh_bots.h"

enum { HIDDEN = 5, WEIGHTS_MOST = MH_NET_WIDTH * 16 };

/* A plan and what it points to. */
struct plan {
    struct mh_net_plan plan;
    int32_t sizes[MH_NET_LAYERS + 2];
    int32_t low[MH_NET_OPTIONS], high[MH_NET_OPTIONS];
    float weights[WEIGHTS_MOST];
};

static inline struct mh_game *open_game(const char *id, const char *options)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_game *game = NULL;
    CHECK_EQUAL(mh_game_new(id, options, message, &game), MH_OK);
    return game;
}

/* One hidden layer, some weights, and all options. */
static inline struct plan *new_plan(const struct mh_game *game)
{
    struct plan *plan = check_memory(sizeof *plan);
    struct mh_rng rng = {3};
    const struct mh_spec *spec = game->rules->spec;
    CHECK((game->sizes.features + 2) * HIDDEN + 1 <= WEIGHTS_MOST);
    plan->sizes[0] = game->sizes.features;
    plan->sizes[1] = HIDDEN;
    plan->sizes[2] = 1;
    for (int i = 0; i < spec->num_options; i++) {
        plan->low[i] = spec->options[i].low;
        plan->high[i] = spec->options[i].high;
    }
    for (int i = 0; i < WEIGHTS_MOST; i++) {
        plan->weights[i] = (float)(mh_rng_next(&rng) >> 40) * 0x1p-24f - 0.5f;
    }
    plan->plan = (struct mh_net_plan){2, plan->sizes, plan->weights, plan->low, plan->high, "made by a test"};
    return plan;
}

static inline uint8_t *save(const struct mh_game *game, const struct plan *plan, int64_t *size)
{
    char message[MH_MESSAGE_SIZE] = "";
    *size = mh_net_save(game, &plan->plan, 0, NULL, message);
    CHECK(*size > 0);
    uint8_t *bytes = check_memory((size_t)*size);
    CHECK_EQUAL(mh_net_save(game, &plan->plan, *size - 1, bytes, message), *size);
    CHECK(!bytes[0]);
    CHECK_EQUAL(mh_net_save(game, &plan->plan, *size, bytes, message), *size);
    return bytes;
}

static inline struct mh_net *make_net(const struct mh_game *game, const struct plan *plan)
{
    char message[MH_MESSAGE_SIZE] = "";
    int64_t size = 0;
    struct mh_net *net = NULL;
    uint8_t *bytes = save(game, plan, &size);
    CHECK_EQUAL(mh_net_load(game, bytes, size, message, &net), MH_OK);
    free(bytes);
    return net;
}

#endif
