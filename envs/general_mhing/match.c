/* Who wins a round, and the game around the rounds: points, rewards, the end (R5, R6). */
#include <math.h>

#include "general_mhing.h"

int general_check_options(const int32_t *options, char *message)
{
    return mh_check_seat_option("starter", options[OPTION_starter], options[OPTION_num_players], message);
}

/* Actions of a turn: one before the draw, one discard or sequence, and three for swaps and the end. A seat that goes on
 * has at most three sequences, the one of this turn included. Each swap takes an ace off them, which can come back with
 * that one only; and the end is asked for while one more swap is left. */
enum { TURN_DECISIONS = 5 };

void general_bounds(const int32_t *options, struct mh_bounds *bounds)
{
    enum { MOST_POINTS = 9 }; /* R5.4 */
    const int others = options[OPTION_num_players] - 1;
    const int rounds = options[OPTION_episode] ? options[OPTION_rounds] : 1;
    const int target = options[OPTION_target];
    int32_t won = rounds * MOST_POINTS;  /* by one seat: */
    int32_t lost = rounds * MOST_POINTS; /* by all but one; nobody had won the game before its last round */
    if (options[OPTION_episode] && target) {
        won = won < target - 1 + MOST_POINTS ? won : target - 1 + MOST_POINTS;
        lost = lost < others * (target - 1) + MOST_POINTS ? lost : others * (target - 1) + MOST_POINTS;
    }
    *bounds = (struct mh_bounds){.lowest = 0, .highest = won, .sum = NAN};
    bounds->decisions = (int64_t)rounds * options[OPTION_turn_limit] * TURN_DECISIONS;
    if (options[OPTION_reward] == REWARD_MARGIN) {
        bounds->lowest = -(double)lost / others;
        bounds->sum = 0;
    } else if (options[OPTION_reward] == REWARD_WIN) { /* nobody may win a round, a game has its winners */
        bounds->highest = 1;
        bounds->sum = options[OPTION_episode] ? 1 : NAN;
    }
}

int general_stand_in(int32_t *options)
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

int general_game_is_over(const struct general_state *state)
{
    if (state->head.rounds >= state->options[OPTION_rounds]) {
        return 1;
    }
    for (int seat = 0; state->options[OPTION_target] && seat < state->head.seats; seat++) {
        if (state->scores[seat] >= state->options[OPTION_target]) {
            return 1;
        }
    }
    return 0;
}

static void reward_round(struct general_state *state, int winner, int points)
{
    const int others = state->head.seats - 1;
    switch (state->options[OPTION_reward]) {
    case REWARD_POINTS:
        mh_head_reward(&state->head, winner, points);
        break;
    case REWARD_MARGIN:
        for (int seat = 0; seat < state->head.seats; seat++) {
            mh_head_reward(&state->head, seat, seat == winner ? points : -(double)points / others);
        }
        break;
    default: /* REWARD_WIN: when the episode is a game, its end pays */
        if (!state->options[OPTION_episode]) {
            mh_head_reward(&state->head, winner, 1);
        }
    }
}

static void finish_episode(struct general_state *state)
{
    state->phase = PHASE_OVER;
    mh_head_end(&state->head, state->legal, LEGAL_WORDS);
    general_show_scores(state);
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
        const int points = state->blocks[winner].tally[0];
        state->scores[winner] += points;
        reward_round(state, winner, points);
    }
    if (!state->options[OPTION_episode]) {
        finish_episode(state);
    } else if (general_game_is_over(state)) {
        if (state->options[OPTION_reward] == REWARD_WIN) {
            mh_head_reward_top(&state->head, state->scores);
        }
        finish_episode(state);
    } else {
        general_deal(state, mh_head_next(&state->head, state->starter), NULL);
    }
}
