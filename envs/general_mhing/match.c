/* The winner of a round, and the game around the rounds: points, rewards, the end (R5, R6). */
#include <math.h>

#include "general_mhing.h"

int general_check_options(const int32_t *options, char *message)
{
    if (!options[OPTION_target] && !options[OPTION_rounds]) {
        mh_message(message, "option target: 0 (no target) needs a number of rounds, else the game never ends");
        return MH_ERROR_OPTION;
    }
    return mh_check_seat_option("starter", options[OPTION_starter], options[OPTION_num_players], message);
}

int general_most_points(const int32_t *options)
{
    static const int8_t most[] = {0, 1, 3, 5, 9}; /* that so many sequences of one deck score (R5.4) */
    const int seats = options[OPTION_num_players];
    const int turns = (options[OPTION_turn_limit] + seats - 1) / seats;
    return most[turns < SEQUENCES ? turns : SEQUENCES];
}

/* Points that some seats earn together in a game; before its last round each of them had less than the target. */
static int32_t most_won(const int32_t *options, int seats)
{
    const int most = general_most_points(options);
    const int32_t by_rounds = options[OPTION_rounds] * most;
    const int32_t by_target = seats * (options[OPTION_target] - 1) + most;
    if (!options[OPTION_episode]) {
        return most;
    }
    return !options[OPTION_target] || (options[OPTION_rounds] && by_rounds < by_target) ? by_rounds : by_target;
}

void general_bounds(const int32_t *options, struct mh_bounds *bounds)
{
    const int others = options[OPTION_num_players] - 1;
    const int rounds = options[OPTION_episode] ? options[OPTION_rounds] : 1;
    *bounds = (struct mh_bounds){.lowest = 0, .highest = most_won(options, 1), .sum = NAN};
    bounds->decisions = (int64_t)rounds * options[OPTION_turn_limit] * TURN_DECISIONS;
    if (options[OPTION_reward] == REWARD_MARGIN) {
        bounds->lowest = -(double)most_won(options, others) / others;
        bounds->sum = 0;
    } else if (options[OPTION_reward] == REWARD_WIN) { /* nobody may win a round, a game has its winners */
        bounds->highest = 1;
        bounds->sum = options[OPTION_episode] ? 1 : NAN;
    }
}

int general_surrogate(int32_t *options)
{
    if (options[OPTION_reward] != REWARD_WIN || !options[OPTION_episode]) {
        return 0;
    }
    options[OPTION_reward] = REWARD_MARGIN;
    return 1;
}

int32_t general_target(const struct general_state *state)
{
    return state->options[OPTION_episode] ? state->options[OPTION_target] : 0;
}

int32_t general_rounds_left(const struct general_state *state)
{
    return mh_head_rounds_left(&state->head, state->options[OPTION_episode] ? state->options[OPTION_rounds] : 0);
}

void general_show_scores(struct general_state *state)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        struct general_seat *block = &state->blocks[seat];
        const int32_t lacks = general_target(state) - state->scores[seat];
        mh_show_number(state->scores[seat], sizeof block->score, block->score);
        mh_show_number(lacks > 0 ? lacks : 0, sizeof block->missing, block->missing);
    }
}

int general_last_tally(const struct general_state *state, int seat, int32_t parts[PARTS])
{
    const uint8_t *kinds = state->last.sequence_kind[seat];
    return general_score(kinds, general_count_kinds(kinds), parts);
}

static int game_is_over(const struct general_state *state)
{
    const int32_t rounds = state->options[OPTION_rounds];
    if (rounds && state->head.rounds >= rounds) {
        return 1;
    }
    for (int seat = 0; state->options[OPTION_target] && seat < state->head.seats; seat++) {
        if (state->scores[seat] >= state->options[OPTION_target]) {
            return 1;
        }
    }
    return 0;
}

int general_episode_is_over(const struct general_state *state)
{
    return state->options[OPTION_episode] ? game_is_over(state) : state->head.rounds > 0;
}

static void reward_winner(const struct general_state *state, struct mh_head *head)
{
    const int winner = state->last.winner;
    int32_t parts[PARTS];
    const double points = general_last_tally(state, winner, parts);
    switch (state->options[OPTION_reward]) {
    case REWARD_POINTS:
        mh_head_reward(head, winner, points);
        break;
    case REWARD_MARGIN:
        for (int seat = 0; seat < head->seats; seat++) {
            mh_head_reward(head, seat, seat == winner ? points : -points / (head->seats - 1));
        }
        break;
    default: /* REWARD_WIN: when the episode is a game, its end pays */
        if (!state->options[OPTION_episode]) {
            mh_head_reward(head, winner, 1);
        }
    }
}

void general_reward_round(const struct general_state *state, struct mh_head *head)
{
    const int32_t *options = state->options;
    if (state->last.winner >= 0) {
        reward_winner(state, head);
    }
    if (options[OPTION_episode] && options[OPTION_reward] == REWARD_WIN && game_is_over(state)) {
        mh_head_reward_top(head, state->scores);
    }
}

/* Keeps what lay in front of the seats, and finds who wins with it. */
static int settle_round(struct general_state *state, enum general_ending ending)
{
    int32_t tallies[SEATS];
    int32_t sequences[SEATS];
    memset(&state->last, 0, sizeof state->last);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct general_seat *block = &state->blocks[seat];
        memcpy(state->last.sequence_kind[seat], block->sequence_kind, SEQUENCES);
        memcpy(state->last.sequence_ace[seat], block->sequence_ace, SEQUENCES);
        tallies[seat] = block->tally[0];
        sequences[seat] = general_num_sequences(block);
    }
    state->last.round = state->head.rounds++;
    state->last.ending = (uint8_t)ending;
    state->last.winner = (int8_t)general_winner(state->head.seats, tallies, sequences);
    return state->last.winner;
}

void general_end_round(struct general_state *state, enum general_ending ending)
{
    mh_events_add(&state->events, state->on_turn, EVENT_over, ending, 0);
    state->offer = 0;
    state->taken = 0;
    state->given = 0;
    memset(state->drawn, 0, sizeof state->drawn);
    const int winner = settle_round(state, ending);
    if (winner >= 0) {
        state->scores[winner] += state->blocks[winner].tally[0];
    }
    general_reward_round(state, &state->head);
    state->phase = PHASE_OVER;
    mh_head_end_round(&state->head, general_episode_is_over(state), state->legal, LEGAL_WORDS);
    general_show_scores(state);
}
