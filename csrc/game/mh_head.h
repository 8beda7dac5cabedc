/* The beginning of every state, and what all games do with it: seats around the table, rounds, rewards. */
#ifndef MH_HEAD_H
#define MH_HEAD_H

#include <stdint.h>
#include <string.h>

#include "base/mh_rng.h"
#include "mh.h"

struct mh_head {
    struct mh_rng rng;            /* deals only: bots bring their own */
    double returns[MH_MAX_SEATS]; /* sums of `rewards` since the episode began */
    float rewards[MH_MAX_SEATS];  /* earned by the last action; the runtime clears them before each action */
    uint32_t decisions;           /* actions applied since the episode began */
    int32_t rounds;               /* finished since then; the public numbers (info) change with it only */
    int8_t seat;                  /* to act, or one of enum mh_nobody */
    uint8_t seats;
    uint8_t unused[6];
};

_Static_assert(sizeof(struct mh_head) == 8 + MH_MAX_SEATS * 12 + 16, "heads have no padding");

static inline const struct mh_head *mh_head(const void *state)
{
    return state;
}

/* ---- Seats, clockwise ------------------------------------------------------------------------------------- */

static inline int mh_head_next(const struct mh_head *head, int seat)
{
    return (seat + 1) & -(seat + 1 != head->seats); /* no branch: whose turn it is cannot be guessed */
}

/* Clockwise from `from` to `to`. */
static inline int mh_head_between(const struct mh_head *head, int from, int to)
{
    return to >= from ? to - from : to - from + head->seats;
}

/* A seat as observations show it: clockwise from the observer, plus one; 0 for none, where `seat` is negative. */
static inline uint8_t mh_head_relative(const struct mh_head *head, int observer, int seat)
{
    return (uint8_t)(seat < 0 ? 0 : mh_head_between(head, observer, seat) + 1);
}

/* ---- Rounds ----------------------------------------------------------------------------------------------- */

/* The round on the table, from 0: the one in play, or where nobody is to act the one played last. */
static inline int32_t mh_head_round(const struct mh_head *head)
{
    return head->rounds - (head->seat < 0);
}

/* Rounds left, the one on the table among them; 0 where no number of rounds is agreed (`rounds` is 0). */
static inline int32_t mh_head_rounds_left(const struct mh_head *head, int32_t rounds)
{
    const int32_t left = rounds - mh_head_round(head);
    return left < 0 ? 0 : left;
}

/* A number as an observation shows it: so many bytes, the low one first. */
static inline void mh_show_number(int32_t number, int bytes, uint8_t *out)
{
    for (int i = 0; i < bytes; i++) {
        out[i] = (uint8_t)((uint32_t)number >> 8 * i);
    }
}

/* ---- Rewards ---------------------------------------------------------------------------------------------- */

/* Begins an action: counts it, and clears the rewards of the previous one. */
static inline void mh_head_begin(struct mh_head *head)
{
    for (int i = 0; i < MH_MAX_SEATS; i++) {
        head->rewards[i] = 0;
    }
    head->decisions++;
}

/* Adds a reward to the last action's and to the episode's sum. */
static inline void mh_head_reward(struct mh_head *head, int seat, double amount)
{
    head->rewards[seat] += (float)amount;
    head->returns[seat] += amount;
}

/* Rewards one win, shared by the seats that stand equal at the top. */
static inline void mh_head_reward_top(struct mh_head *head, const int32_t *standing)
{
    int32_t top = standing[0];
    int winners = 0;
    for (int seat = 1; seat < head->seats; seat++) {
        top = standing[seat] > top ? standing[seat] : top;
    }
    for (int seat = 0; seat < head->seats; seat++) {
        winners += standing[seat] == top;
    }
    for (int seat = 0; seat < head->seats; seat++) {
        if (standing[seat] == top) {
            mh_head_reward(head, seat, 1.0 / winners);
        }
    }
}

/* Ends a round, and with the last one the episode: nobody is to act, and no action is legal. */
static inline void mh_head_end_round(struct mh_head *head, int is_last, uint64_t *legal, int words)
{
    head->seat = is_last ? MH_OVER : MH_BETWEEN_ROUNDS;
    memset(legal, 0, (size_t)words * sizeof *legal);
}

#endif
