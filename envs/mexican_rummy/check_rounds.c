/* Refuses what no rounds bring: their number, the points, how the last one ended, what has been earned, and fewer
 * actions than that takes, or more than an episode has. */
#include "mexican_rummy.h"

enum { LEAST_POINTS = 5 }; /* of a card; those of all others are multiples of it */

int rummy_check_rounds(const struct rummy_state *state, char *message)
{
    const int objective = state->options[OPTION_objective];
    const int over = state->phase == PHASE_OVER;
    const int32_t rounds = state->head.rounds;
    if (state->first_objective >= OBJECTIVES || (objective && state->first_objective != objective - 1) ||
        rounds < over || rounds > OBJECTIVES || state->last.round != rounds - 1) {
        return mh_refuse(message, "rounds out of range");
    }
    return rounds - over < rummy_rounds(state) && rummy_episode_is_over(state) == (state->head.seat == MH_OVER)
               ? MH_OK
               : mh_refuse(message, "the rounds do not fit the episode");
}

/* The points of the rounds before the last one. In each of them every seat but the winner was left with a card at
 * least, so with fewer points a seat must have won some of them. None of them was the sixth. */
static int earlier_points_fit(const struct rummy_state *state)
{
    const int rounds = state->head.rounds ? state->head.rounds - 1 : 0;
    int64_t most = 0;
    int64_t won = 0;
    for (int round = 0; round < rounds; round++) {
        most += rummy_all_points(rummy_is_wild(state->first_objective + round));
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        const int64_t points = (int64_t)state->scores[seat] - state->last.points[seat];
        if (points < 0 || points % LEAST_POINTS) {
            return 0;
        }
        most -= points;
        won += points < LEAST_POINTS * rounds ? rounds - points / LEAST_POINTS : 0;
    }
    return most >= 0 && won <= rounds;
}

/* A seat without cards has laid the objective; in the sixth round the others still hold all that they were dealt. */
static int last_points_fit(const struct rummy_state *state)
{
    const struct rummy_result *last = &state->last;
    const int objective = state->first_objective + last->round;
    const struct rummy_objective laid = rummy_objectives[objective];
    const int least = rummy_is_no_discardo(objective) ? DEALT * LEAST_POINTS : LEAST_POINTS;
    int64_t most = rummy_all_points(rummy_is_wild(objective));
    most -= last->winner < 0 ? 0 : LEAST_POINTS * (laid.sets * SET_CARDS + laid.runs * RUN_CARDS);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const int32_t points = last->points[seat];
        if (seat == last->winner ? points != 0 : points < least || points % LEAST_POINTS) {
            return 0;
        }
        most -= points;
    }
    return most >= 0;
}

static int check_result(const struct rummy_state *state, char *message)
{
    static const int32_t nothing[SEATS] = {0};
    const struct rummy_result *last = &state->last;
    const int none = state->head.rounds == 0;
    const int went_out = last->ending == ENDING_OUT || last->ending == ENDING_NO_DISCARDO;
    const int last_of_all = rummy_is_no_discardo(state->first_objective + last->round);
    if (last->ending >= ENDINGS || none != (last->ending == ENDING_NONE) || last->winner < -1 ||
        last->winner >= state->head.seats || went_out != (last->winner >= 0) ||
        (went_out && last_of_all != (last->ending == ENDING_NO_DISCARDO))) {
        return mh_refuse(message, "the result out of range");
    }
    const size_t beyond = sizeof nothing - state->head.seats * sizeof *nothing;
    if (memcmp(state->scores + state->head.seats, nothing, beyond) != 0 ||
        memcmp(last->points + state->head.seats, nothing, beyond) != 0 || !earlier_points_fit(state) ||
        !(none ? memcmp(last->points, nothing, sizeof nothing) == 0 : last_points_fit(state))) {
        return mh_refuse(message, "points out of range");
    }
    for (int seat = 0; seat < state->head.seats && state->phase == PHASE_OVER; seat++) {
        if (last->points[seat] != rummy_points(state->hands[seat], rummy_is_wild_round(state))) {
            return mh_refuse(message, "points that the hands do not have");
        }
    }
    return MH_OK;
}

/* Checks how the round on the table ended, where the episode is over (R7). */
static int check_ending(const struct rummy_state *state, char *message)
{
    const int ending = state->phase == PHASE_OVER ? state->last.ending : ENDING_NONE;
    const int discards = state->num_discards;
    const int empty = state->next == CARDS && discards < 2;
    const int discarded = discards && state->discarded_by[discards - 1] == state->on_turn + 1;
    return (ending == ENDING_NO_CARD && !empty) ||
                   (ending == ENDING_TURNS && (!discarded || state->turn != rummy_turn_limit(state)))
               ? mh_refuse(message, "the round has not ended so")
               : MH_OK;
}

/* ---- Rewards and decisions -------------------------------------------------------------------------------- */

/* True if nobody has chosen anything in this round. Where no card was turned up the first turn begins after its
 * draw. */
static int has_just_begun(const struct rummy_state *state)
{
    const int first =
        state->options[OPTION_turned_up]
            ? state->phase == PHASE_ASK && state->head.seat == mh_head_next(&state->head, state->on_turn)
            : state->phase == PHASE_PLAY && !rummy_is_down(state, state->on_turn);
    return state->turn == 1 && first;
}

static int check_rewards(const struct rummy_state *state, char *message)
{
    static const float nothing[MH_MAX_SEATS] = {0};
    const struct mh_head *head = &state->head;
    const int ended = head->rounds > 0 && (state->phase == PHASE_OVER || has_just_begun(state));
    struct mh_head all = {.seats = head->seats};
    struct mh_head last = {.seats = head->seats};
    rummy_reward(state, state->scores, &all);
    rummy_reward(state, state->last.points, &last);
    if (memcmp(head->returns, all.returns, sizeof all.returns) != 0) {
        return mh_refuse(message, "returns that the rounds have not brought");
    }
    return memcmp(head->rewards, nothing, sizeof nothing) != 0 &&
                   (!ended || memcmp(head->rewards, last.rewards, sizeof last.rewards) != 0)
               ? mh_refuse(message, "rewards that the last action has not brought")
               : MH_OK;
}

/* The fewest actions before the cards of a turn are played. A grant saves the others' passes; where no card was turned
 * up the first draw is the only move. */
static uint32_t least_of_draw(const struct rummy_state *state, int first)
{
    const int asks = first ? state->options[OPTION_turned_up] : state->head.seats > 2;
    return first && !asks ? 0 : asks ? 2 : 1;
}

/* The fewest moves of whole turns. After the first turn a hand can be down and so small that it can only discard
 * (R9.4). */
static uint32_t least_of_turns(const struct rummy_state *state, int turns)
{
    return turns > 0 ? least_of_draw(state, 1) + 1 + (uint32_t)(turns - 1) * least_of_draw(state, 0) : 0;
}

/* The fewest moves of the turn so far: each seat that was asked has passed, or has asked and was refused. */
static uint32_t least_of_this_turn(const struct rummy_state *state)
{
    const struct mh_head *head = &state->head;
    const int first = state->turn == 1;
    const uint32_t refused = (uint32_t)mh_bits_count(state->refused);
    switch (state->phase) {
    case PHASE_ASK:
        return refused + (uint32_t)mh_head_between(head, state->on_turn, head->seat) - 1;
    case PHASE_ANSWER:
        return refused + (uint32_t)mh_head_between(head, state->on_turn, state->asker - 1);
    case PHASE_START:
        return refused + head->seats - 2u + (uint32_t)first;
    default:
        return least_of_draw(state, first);
    }
}

uint32_t rummy_least_decisions(const struct rummy_state *state)
{
    const int over = state->phase == PHASE_OVER;
    const int before = state->head.rounds - over;
    uint32_t least = least_of_turns(state, state->turn - 1) + least_of_this_turn(state);
    if (before) {
        const int limit = rummy_turns(state->options, state->first_objective + before - 1);
        least += (uint32_t)(before - 1) * least_of_turns(state, 1);
        least += least_of_turns(state, !over && state->last.ending == ENDING_TURNS ? limit : 1);
    }
    return least;
}

static int check_decisions(const struct rummy_state *state, char *message)
{
    struct mh_bounds bounds;
    rummy_bounds(state->options, &bounds);
    return state->head.decisions < rummy_least_decisions(state) || state->head.decisions > bounds.decisions
               ? mh_refuse(message, "too few or too many decisions")
               : MH_OK;
}

int rummy_check_results(const struct rummy_state *state, char *message)
{
    static int (*const checks[])(const struct rummy_state *, char *) = {check_result, check_ending, check_rewards,
                                                                        check_decisions};
    int status = MH_OK;
    for (int i = 0; i < (int)(sizeof checks / sizeof *checks) && status == MH_OK; i++) {
        status = checks[i](state, message);
    }
    return status;
}
