/* Information-set search: play-outs in worlds that fit what a seat knows.
 *
 * Flat Monte Carlo picks noise: the largest of many noisy means. So
 *
 *   1. All actions are tried in the same worlds, dealt by the game's resample, and with the same draws of the bots, so
 *      that only their difference is noisy.
 *   2. A prior, some other bot, says what to play where the search does not know better. Its action is tried in every
 *      world, and left only where another one is better by more than `errors` standard errors of the paired difference.
 *   3. Actions that fall behind are given up: after each of a few equal parts of the budget the worse half of them
 *      (sequential halving), and after each quarter of a part those that are worse than the prior's by `behind`
 *      standard errors. If none but the prior's is left, the search is over. Where the prior judges actions, only its
 *      best ones are tried at all.
 *   4. A play-out is cut when the seat that searches has decided once more and has to decide again: what a bot that
 *      judges expects there is less noisy than what comes of the rest of the round. Where there is no such bot, or it
 *      does not judge that decision, the play-out lasts to the end of the round, and beyond rounds that pay nobody.
 *   5. Where only the end of a game is rewarded, the surrogate of the game (C46) is searched: what its rounds pay.
 *
 * Nothing but what the seat knows enters: every world is resampled before anything in it is looked at. With a budget of
 * play-outs the result follows from the generator. */
#ifndef MH_SEARCH_H
#define MH_SEARCH_H

#include "base/mh_pool.h"
#include "mh_game.h"

enum {
    MH_NO_BOT = -1,
    MH_SEARCH_ACTIONS = 64, /* that are compared at most */
    MH_SEARCH_WORLDS = 16   /* that threads share at once */
};

struct mh_search {
    const struct mh_game *game; /* whose bots these are: that of the states, or its surrogate */
    int64_t play_outs;          /* for a decision at most; 0: as many as there is time for */
    int64_t nanoseconds;        /* for a decision, if play_outs is 0 */
    int prior;                  /* numbers of bots: who plays where nothing is known to be better, */
    int cut;                    /* who judges the ends of play-outs (MH_NO_BOT: nobody), */
    int others;                 /* who plays the other seats in play-outs */
    int actions;                /* that are compared, the prior's among them */
    int decisions;              /* own ones until a play-out is cut */
    double errors;              /* standard errors by which another action must be better than the prior's */
    double behind;              /* ... and by which one that is worse is given up early, or HUGE_VAL */
};

/* Names of bots in a text of settings; "" where there is none. */
struct mh_search_names {
    char prior[MH_BOT_NAME_SIZE], cut[MH_BOT_NAME_SIZE], others[MH_BOT_NAME_SIZE];
};

/* Reads "200" or "10ms", and behind it settings such as ",prior=greedy,errors=1.5". Sets all but the game and its
 * bots. */
int mh_search_read(struct mh_search *self, const char *text, struct mh_search_names *names, char *message);

/* The findings about one action. Half widths are those of 95 % confidence intervals. */
struct mh_tried {
    int action;
    int64_t visits;
    double value, half;     /* what the seat will earn from here on, as play-outs count it */
    double gain, gain_half; /* how much more than by the prior's action, in the same worlds */
    double sum, squares, gain_sum, gain_squares;
};

/* Actions in the order in which they were given up, last first: the first one is to be played. */
struct mh_found {
    int count;
    int prior; /* the prior's action */
    struct mh_tried tried[MH_SEARCH_ACTIONS];
};

/* A search in progress, which can stop after any world, and continue with the same result. It keeps its address. */
struct mh_searching {
    const struct mh_search *search;
    uint64_t seed;       /* of the worlds */
    int64_t begin;       /* in nanoseconds, where there is so much time for it */
    int64_t first_world; /* the number of the next one */
    int64_t part_worlds; /* in this part of the budget */
    int64_t worlds;      /* left in this stretch of the part */
    int seat;            /* that searches */
    int parts;           /* of the budget; 0: the decision is forced */
    int stretch;         /* the one that is spent now, through all parts */
    int left;            /* actions that have not been given up: the first ones found */
    struct mh_found found;
    uint64_t state[MH_MAX_STATE / 8];                     /* by the reward that is searched for */
    double returns[MH_SEARCH_WORLDS * MH_SEARCH_ACTIONS]; /* of the worlds that are played now: [world][action] */
};

/* Begins to search for the seat to act. A forced decision costs nothing: its only action is found, with no visits. */
void mh_search_begin(const struct mh_search *self, const void *state, struct mh_rng *rng,
                     struct mh_searching *searching);

/* Searches on until *play_outs, from which those that are made are taken away, is 0 or less. Returns 1 at the end, when
 * all has been found, or 0. `pool` shares the play-outs; the result depends neither on it nor on where a search
 * stops. */
int mh_search_on(struct mh_searching *self, struct mh_pool *pool, int64_t *play_outs);

/* A search, or an episode of bots that search, which is done in pieces. It keeps its address between them. */
struct mh_piece {
    struct mh_searching searching;
    struct mh_search search; /* the settings, where no bot has them */
    struct mh_rng rng;       /* of an episode's bots */
    int32_t phase;           /* 0: not begun */
    int32_t rounds, length;  /* of an episode so far */
    uint64_t state[];        /* of an episode */
};

/* How to play on, and up to where: to the end of the episode or, given the state before, of a round that pays somebody;
 * but no farther than to a choice of a seat where a judge says what it may expect. */
struct mh_play_out {
    const struct mh_game *game;
    int seat;
    const int32_t *bots;         /* by seat */
    int judge;                   /* a bot that judges actions, or MH_NO_BOT */
    int choices;                 /* of the seat, up to the first one that is judged */
    const struct mh_head *begin; /* NULL: the end is that of the episode */
};

/* Plays on, and returns what the seat has earned and expects there. */
double mh_play_out_value(const struct mh_play_out *self, void *state, struct mh_rng rng);

/* True if the seat to act has more than one legal action. */
static inline int mh_is_choice(const struct mh_game *game, const void *state)
{
    return mh_set_count(mh_legal(game->rules, state), game->legal_words) > 1;
}

/* The bot with such settings, a struct mh_search. */
int mh_search_act(const struct mh_bot *self, const void *state, struct mh_rng *rng);

#endif
