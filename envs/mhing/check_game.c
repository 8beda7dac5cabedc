/* Refuses a game around the round that no rounds lead to: how it stands must be what the round finished last makes of a
 * game that could stand before it. */
#include <math.h>

#include "mhing.h"

/* ---- Sources of points (R7.1) ---------------------------------------------------------------------------- */

enum { DOUBLINGS = 17 };

/* Credits of a declaration that is worth 2 to the power of `doublings` points, from 1 on. */
static int least_credits(int doublings)
{
    return mhing_least_credits((int32_t)1 << doublings);
}

static int most_credits(int doublings)
{
    return doublings < 5 || doublings == DOUBLINGS ? least_credits(doublings) : least_credits(doublings) + 2;
}

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Counts the declarations beyond the fewest that bring `missing` credits more than these can, or -1. Two halves of a
 * hand's points have more credits than the hand; the halving that gains most comes first. Halves of 32 gain less than
 * those of 16, but are 16s: a 32 as four 8s gains 5 in three halvings. */
static int64_t halvings(int64_t count[DOUBLINGS + 1], int64_t missing)
{
    enum { EIGHT = 3, SIXTEEN, THIRTY_TWO };
    int64_t halved = 0;
    for (int i = DOUBLINGS; i >= EIGHT && missing > 0; i--) {
        const int from = i == THIRTY_TWO ? SIXTEEN : i == SIXTEEN ? THIRTY_TWO : i;
        const int halves = from == THIRTY_TWO ? 3 : 1;
        const int gain = from == THIRTY_TWO ? 5 : 2 * most_credits(from - 1) - most_credits(from);
        const int64_t times = smaller((halves * missing + gain - 1) / gain, halves * count[from]);
        missing -= gain * times / halves;
        halved += times;
        count[from == THIRTY_TWO ? EIGHT : from - 1] += times / halves * (halves + 1);
    }
    return missing > 0 ? -1 : halved;
}

/* The fewest declarations that bring a seat so many points, and so many credits unless these are negative; -1: none
 * do. */
static int64_t fewest_declarations(int64_t points, int64_t credits)
{
    int64_t count[DOUBLINGS + 1] = {0};
    int64_t declarations = 0;
    int64_t most = 0;
    if (points % 2 != 0 || (credits >= 0 && credits < mhing_fewest_credits(points))) {
        return -1;
    }
    for (int i = 1; i <= DOUBLINGS; i++) {
        count[i] = i < DOUBLINGS ? points >> i & 1 : points >> i;
        declarations += count[i];
        most += count[i] * most_credits(i);
    }
    const int64_t more = halvings(count, credits - most);
    return more < 0 ? -1 : declarations + more;
}

int64_t mhing_fewest_credits(int64_t points)
{
    int64_t credits = (points >> DOUBLINGS) * least_credits(DOUBLINGS);
    for (int i = 1; i < DOUBLINGS; i++) {
        credits += (points >> i & 1) * least_credits(i);
    }
    return credits;
}

/* ---- The round finished last ----------------------------------------------------------------------------- */

/* The game as it stood before that round was paid. Returns 0 where it cannot have stood like that. */
static int find_before(const struct mhing_state *state, struct mhing_state *before)
{
    const struct mhing_result *last = &state->last;
    const int32_t stake = state->head.seats <= CHIPS_SEATS ? state->options[OPTION_stake] : 0;
    int64_t sum = 0;
    *before = *state;
    before->head.rounds--;
    memset(before->head.returns, 0, sizeof before->head.returns);
    memset(before->head.rewards, 0, sizeof before->head.rewards);
    memset(before->last.payments, 0, sizeof before->last.payments);
    for (int seat = 0; seat < SEATS; seat++) {
        const int64_t chips = (int64_t)state->chips[seat] - last->payments[seat];
        const int64_t points = (int64_t)state->scores[seat] - (seat == last->winner ? last->score.points : 0);
        if (chips < 0 || chips > (int64_t)stake * state->head.seats || points < 0 ||
            (seat >= state->head.seats && (chips || points))) {
            return 0;
        }
        before->chips[seat] = (int32_t)chips;
        before->scores[seat] = (int32_t)points;
        sum += chips;
    }
    return sum == (int64_t)stake * state->head.seats;
}

int mhing_pay_again(const struct mhing_state *state, struct mhing_state *before, struct mhing_state *after)
{
    const int can_be = find_before(state, before);
    *after = *before;
    after->head.rounds++;
    if (can_be && after->head.rounds) {
        mhing_pay_round(after);
    }
    return can_be;
}

/* ---- The rounds before it -------------------------------------------------------------------------------- */

/* R8.4-R8.6: whether a seat can have its chips after declarations of `own` points by itself and `others` by others. */
static int chips_can_be(const struct mhing_state *before, int seat, int64_t own, int64_t others)
{
    const int64_t stake = before->options[OPTION_stake];
    const int64_t chips = before->chips[seat];
    return chips <= stake + own * before->head.seats && chips >= stake - 2 * others &&
           (stake % 2 || chips % 2 == 0);
}

static int check_earlier(const struct mhing_state *state, const struct mhing_state *before,
                         const struct mhing_state *after, char *message)
{
    int64_t declarations = 0;
    int64_t all = 0;
    for (int seat = 0; seat < state->head.seats; seat++) {
        all += before->scores[seat];
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        const int64_t points = before->scores[seat]; /* at least: a score may have stopped */
        const double credits = state->head.returns[seat] - after->head.returns[seat];
        const int by_credits = state->options[OPTION_reward] == REWARD_CREDITS && state->scores[seat] < MOST_SCORE;
        if (by_credits && (credits < 0 || credits != (double)(int64_t)credits)) {
            return mh_refuse(message, "returns are no sums of credits");
        }
        const int64_t fewest = fewest_declarations(points, by_credits ? (int64_t)credits : -1);
        if (fewest < 0) {
            return mh_refuse(message, "no hands bring these points and credits");
        }
        declarations += fewest;
        if (state->head.seats <= CHIPS_SEATS && !chips_can_be(before, seat, points, all - points)) {
            return mh_refuse(message, "no payments lead to these chips");
        }
    }
    if (declarations > (before->head.rounds > 0 ? before->head.rounds : 0)) {
        return mh_refuse(message, "more declarations than rounds finished");
    }
    return MH_OK;
}

/* ---- Rewards and decisions ------------------------------------------------------------------------------- */

/* Checks the sum of a seat's rewards; of credits only as far as its points show them. */
static int returns_fit(const struct mhing_state *state, const struct mhing_state *after, int seat)
{
    const double returns = state->head.returns[seat];
    switch (state->options[OPTION_reward]) {
    case REWARD_CREDITS:
        return returns >= after->head.returns[seat];
    case REWARD_POINTS:
        return state->scores[seat] == MOST_SCORE ? returns >= MOST_SCORE : returns == state->scores[seat];
    case REWARD_CHIPS:
        return returns == state->chips[seat] - state->options[OPTION_stake];
    default:
        return returns == after->head.returns[seat];
    }
}

int mhing_was_just_paid(const struct mhing_state *state)
{
    return state->phase == PHASE_OVER ||
           (!state->num_discards && !mhing_num_melds(mhing_seat_view(state, state->on_turn)));
}

static int check_rewards(const struct mhing_state *state, const struct mhing_state *after, char *message)
{
    static const float nothing[SEATS] = {0};
    for (int seat = 0; seat < SEATS; seat++) {
        const double returns = state->head.returns[seat];
        if ((returns == 0 && signbit(returns)) ||
            (seat < state->head.seats ? !returns_fit(state, after, seat) : returns != 0)) {
            return mh_refuse(message, "returns do not follow from the rounds finished");
        }
    }
    return memcmp(state->head.rewards, mhing_was_just_paid(state) ? after->head.rewards : nothing,
                  sizeof nothing) == 0
               ? MH_OK
               : mh_refuse(message, "rewards are not those of the last action");
}

int64_t mhing_fewest_decisions(const struct mhing_state *state)
{
    const struct mhing_result *last = &state->last;
    const int over = state->phase == PHASE_OVER;
    int64_t decisions = state->num_discards + (over && last->winner >= 0 && last->winner == state->on_turn);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mhing_seat *block = mhing_seat_view(state, seat);
        for (int i = 0; i < block->num_discards[0]; i++) {
            decisions += mhing_discard_at(state, seat, i).taker >= 0;
        }
        for (int i = 0; i < mhing_num_melds(block); i++) {
            decisions += !block->meld_from[i];
        }
    }
    if (over || !state->head.rounds) {
        return decisions + state->head.rounds - over;
    }
    const int of_last = last->winner < 0
                            ? DECK - FLOWERS - DEALT * state->head.seats /* a discard for each card drawn */
                            : last->melds + 1 + (last->payer >= 0);
    return decisions + state->head.rounds - 1 + of_last;
}

int mhing_check_game(const struct mhing_state *state, char *message)
{
    struct mhing_state before;
    struct mhing_state after;
    if (!mhing_pay_again(state, &before, &after)) {
        return mh_refuse(message, "scores or chips that the last round cannot have left");
    }
    if (memcmp(after.scores, state->scores, sizeof after.scores) != 0 ||
        memcmp(after.chips, state->chips, sizeof after.chips) != 0 ||
        memcmp(after.last.payments, state->last.payments, sizeof after.last.payments) != 0) {
        return mh_refuse(message, "payments are not those of the hand declared");
    }
    if (state->head.rounds && mhing_episode_is_over(&before)) {
        return mh_refuse(message, "the game was over before its last round");
    }
    if (mhing_episode_is_over(state) != (state->head.seat == MH_OVER)) {
        return mh_refuse(message, "by points, chips and rounds the episode ends elsewhere");
    }
    const int first = state->options[OPTION_dealer];
    if (first >= 0 &&
        state->dealer != (first + mh_head_round(&state->head) % state->head.seats) % state->head.seats) {
        return mh_refuse(message, "the deal has not passed round from the first dealer");
    }
    if (state->head.decisions < mhing_fewest_decisions(state)) {
        return mh_refuse(message, "fewer decisions than the rounds took");
    }
    const int status = check_earlier(state, &before, &after, message);
    return status == MH_OK ? check_rewards(state, &after, message) : status;
}
