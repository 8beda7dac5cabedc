/* Rounds to learn from, through the public functions. */
#include "net_plan.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 40, ROWS = 12 };

/* Rounds of a game, and what came of them. */
struct fit {
    uint64_t seeds[ROUNDS];
    int32_t bots[ROUNDS * MH_MAX_SEATS], watched[ROUNDS], used[ROUNDS];
    uint8_t explored[ROUNDS * ROWS];
    double earned[ROUNDS * ROWS], returns[ROUNDS * MH_MAX_SEATS];
    float features[ROUNDS * ROWS * MH_NET_WIDTH];
};

/* Plans them: a greedy table with seats that play by the net, if there is one. */
static struct mh_fit_plan plan_rounds(const struct mh_game *game, struct fit *fit, const struct mh_net *net)
{
    const int seats = game->sizes.seats;
    const int greedy = mh_bot_index(game, "greedy", NULL);
    CHECK(greedy >= 0);
    for (int i = 0; i < ROUNDS; i++) {
        fit->seeds[i] = 100 + (uint64_t)i;
        fit->watched[i] = i % seats;
        for (int seat = 0; seat < seats; seat++) {
            fit->bots[i * seats + seat] = net && (i + seat) % 3 ? MH_BY_NET : greedy;
        }
        if (i % 5 == 0) { /* a random player also plays moves that deserve no look */
            fit->bots[i * seats + fit->watched[i]] = 0;
        }
    }
    return (struct mh_fit_plan){ROUNDS, fit->seeds, fit->bots, fit->watched, net, 0.2F, ROWS, 1};
}

static void test_rounds(const char *id, int with_net)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game(id, "");
    struct plan *weights = new_plan(game);
    struct mh_net *net = with_net ? make_net(game, weights) : NULL;
    struct fit *first = check_memory(sizeof *first);
    struct fit *second = check_memory(sizeof *second);
    struct mh_fit_plan plan = plan_rounds(game, first, net);
    const struct mh_fit_rows rows = {first->features, first->earned, first->explored, first->used, first->returns};
    CHECK_EQUAL(mh_game_fit(game, &plan, &rows, message), MH_OK);
    plan = plan_rounds(game, second, net);
    const struct mh_fit_rows others = {second->features, second->earned, second->explored, second->used,
                                       second->returns};
    plan.threads = 3;
    CHECK_EQUAL(mh_game_fit(game, &plan, &others, message), MH_OK);
    CHECK(memcmp(first, second, sizeof *first) == 0);
    int used = 0;
    int earned = 0;
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(first->used[i] >= 0 && first->used[i] <= ROWS);
        used += first->used[i];
        for (int row = i * ROWS; row < i * ROWS + first->used[i]; row++) { /* nothing is earned before the end */
            const double all = first->returns[i * game->sizes.seats + first->watched[i]];
            CHECK(first->earned[row] == all);
            earned += all != 0;
        }
    }
    CHECK(used > ROUNDS && earned > 0);
    const struct mh_fit_rows bare = {NULL, NULL, NULL, second->used, NULL};
    plan.rows = 1;
    CHECK_EQUAL(mh_game_fit(game, &plan, &bare, message), MH_OK);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_EQUAL(second->used[i], first->used[i] > 0);
    }
    free(second);
    free(first);
    mh_net_free(&net);
    free(weights);
    mh_game_free(&game);
}

static void refuse_fit(const struct mh_game *game, const struct mh_fit_plan *plan, const struct mh_fit_rows *rows,
                       const char *words)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK_EQUAL(mh_game_fit(game, plan, rows, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, words));
}

static void test_refused_rounds(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = open_game("mhing", "");
    struct mh_game *other = open_game("general_mhing", "");
    struct plan *weights = new_plan(other);
    struct mh_net *net = make_net(other, weights);
    struct fit *fit = check_memory(sizeof *fit);
    struct mh_fit_rows rows = {NULL, NULL, NULL, fit->used, NULL};
    const struct mh_fit_plan good = plan_rounds(game, fit, NULL);
    struct mh_fit_plan plan = good;
    CHECK_EQUAL(mh_game_fit(NULL, &plan, &rows, message), MH_ERROR_GAME);
    refuse_fit(game, NULL, &rows, "is NULL");
    refuse_fit(game, &plan, NULL, "is NULL");
    rows.used = NULL;
    refuse_fit(game, &plan, &rows, "is NULL");
    rows.used = fit->used;
    plan.seeds = NULL;
    refuse_fit(game, &plan, &rows, "is NULL");
    plan = good;
    plan.count = 0;
    refuse_fit(game, &plan, &rows, "not at least 1");
    plan = good;
    plan.threads = 0;
    refuse_fit(game, &plan, &rows, "not at least 1");
    plan = good;
    plan.explore = 1.1F;
    refuse_fit(game, &plan, &rows, "explore");
    plan.explore = NAN;
    refuse_fit(game, &plan, &rows, "explore");
    plan = good;
    plan.net = net;
    refuse_fit(game, &plan, &rows, "of another game");
    plan = good;
    fit->watched[3] = game->sizes.seats;
    refuse_fit(game, &plan, &rows, "no such seat");
    fit->watched[3] = -1;
    refuse_fit(game, &plan, &rows, "no such seat");
    fit->watched[3] = 0;
    fit->bots[5] = mh_bots_count(game);
    refuse_fit(game, &plan, &rows, "no such bot");
    fit->bots[5] = -2;
    refuse_fit(game, &plan, &rows, "no such bot");
    fit->bots[5] = MH_BY_NET;
    refuse_fit(game, &plan, &rows, "or no net");
    free(fit);
    mh_net_free(&net);
    free(weights);
    mh_game_free(&other);
    mh_game_free(&game);
}

int main(void)
{
    test_rounds("mhing", 0);
    test_rounds("mhing", 1);
    test_refused_rounds();
    return 0;
}
