/* The game around the rounds: points, chips, rewards, the end (R7, R8). */
#include <math.h>

#include "mhing.h"

int mhing_check_options(const int32_t *options, char *message)
{
    const int players = options[OPTION_num_players];
    if (players > CHIPS_SEATS && options[OPTION_scoring] == SCORING_CHIPS) {
        mh_message(message, "option scoring: chips are for up to %d players, num_players is %d", CHIPS_SEATS,
                   players);
    } else if (players > CHIPS_SEATS && options[OPTION_reward] == REWARD_CHIPS) {
        mh_message(message, "option reward: chips are for up to %d players, num_players is %d", CHIPS_SEATS,
                   players);
    } else if (options[OPTION_scoring] == SCORING_POINTS && options[OPTION_target] == 0 &&
               options[OPTION_rounds] <= 0) {
        mh_message(message, "option target: 0 (no target) needs a number of rounds, else the game never ends");
    } else {
        return mh_check_seat_option("dealer", options[OPTION_dealer], players, message);
    }
    return MH_ERROR_OPTION;
}

int mhing_surrogate(int32_t *options)
{
    if (options[OPTION_reward] != REWARD_WIN || !options[OPTION_episode]) {
        return 0;
    }
    options[OPTION_reward] = options[OPTION_scoring] == SCORING_CHIPS ? REWARD_CHIPS : REWARD_CREDITS;
    return 1;
}

/* R8.3, R8.7: the rounds after which a game ends in any case; 0: there is no such number. */
static int32_t agreed_rounds(const int32_t *options)
{
    enum { CHIPS_ROUNDS = 100 };
    if (options[OPTION_rounds] >= 0) {
        return options[OPTION_rounds];
    }
    return options[OPTION_scoring] == SCORING_CHIPS ? CHIPS_ROUNDS : 0;
}

void mhing_start_game(struct mhing_state *state)
{
    const int32_t *options = state->options;
    state->rounds_limit = agreed_rounds(options);
    for (int seat = 0; state->head.seats <= CHIPS_SEATS && seat < state->head.seats; seat++) {
        state->chips[seat] = options[OPTION_stake];
    }
    state->last.round = -1;
    state->last.winner = -1;
    state->last.payer = -1;
}

enum { SINGLE_CREDITS = 5, MOST_DOUBLINGS = 17 }; /* the first credits double one by one, then three by three */

int32_t mhing_points(int32_t credits)
{
    const int doublings = credits <= SINGLE_CREDITS ? credits : SINGLE_CREDITS + (credits - SINGLE_CREDITS) / 3;
    return credits <= 0 ? 0 : (int32_t)1 << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);
}

int mhing_least_credits(int32_t points)
{
    int doublings = points > 0;
    while (doublings <= MOST_DOUBLINGS && (int32_t)1 << doublings < points) {
        doublings++;
    }
    return doublings <= SINGLE_CREDITS   ? doublings
           : doublings <= MOST_DOUBLINGS ? SINGLE_CREDITS + 3 * (doublings - SINGLE_CREDITS)
                                         : MHING_MOST_CREDITS + 1;
}

/* Returns what a seat earns in `rounds` declarations (0: any number of them) of which each brings at most `most`.
 * With a target, its declarations before the last one have brought less than that, which is `before` in the unit of
 * the reward. */
static double most_earned(const int32_t *options, int32_t rounds, double most, int32_t before)
{
    const int has_target = options[OPTION_scoring] == SCORING_POINTS && options[OPTION_target] > 0;
    const double by_rounds = rounds ? rounds * most : INFINITY;
    const double by_target = has_target ? before + most : INFINITY;
    return by_rounds < by_target ? by_rounds : by_target;
}

/* The most actions of a round. Each turn begins with a card from the source or with a claim, and each claim lays a meld
 * of its seat, which has four at most; so do melds laid from the hand. In a turn one seat acts, and acts again after a
 * meld from the hand; then each other may be asked about the discard. A claim brings more actions than such a meld. */
static int64_t round_decisions(int players)
{
    const int turns = DECK - DEALT * players + MELDS * players;
    return (int64_t)turns * players;
}

void mhing_bounds(const int32_t *options, struct mh_bounds *bounds)
{
    const int players = options[OPTION_num_players];
    const int32_t rounds = options[OPTION_episode] ? agreed_rounds(options) : 1;
    const int32_t before = options[OPTION_target] - 1;
    *bounds = (struct mh_bounds){.lowest = 0, .sum = NAN, .decisions = rounds * round_decisions(players)};
    switch (options[OPTION_reward]) {
    case REWARD_CREDITS: /* a hand has twice as many points, at least */
        bounds->highest = most_earned(options, rounds, MHING_MOST_CREDITS, before / 2);
        break;
    case REWARD_POINTS:
        bounds->highest = most_earned(options, rounds, mhing_points(MHING_MOST_CREDITS), before);
        break;
    case REWARD_CHIPS:
        bounds->lowest = -options[OPTION_stake];
        bounds->highest = options[OPTION_stake] * (players - 1);
        bounds->sum = 0;
        break;
    default: /* REWARD_WIN: a round may be a wash, a game has its winners */
        bounds->highest = 1;
        bounds->sum = options[OPTION_episode] ? 1 : NAN;
    }
}

/* The points that win the game; 0: no target decides. */
static int32_t target_of(const struct mhing_state *state)
{
    const int decides = state->options[OPTION_episode] && state->options[OPTION_scoring] == SCORING_POINTS;
    return decides ? state->options[OPTION_target] : 0;
}

void mhing_show_standing(struct mhing_state *state)
{
    const int32_t target = target_of(state);
    const int32_t left =
        mh_head_rounds_left(&state->head, state->options[OPTION_episode] ? state->rounds_limit : 0);
    mh_show_number(mh_head_round(&state->head), sizeof state->shown_round, state->shown_round);
    mh_show_number(left, sizeof state->shown_rounds_left, state->shown_rounds_left);
    mh_show_number(target, sizeof state->shown_target, state->shown_target);
    state->shown_rules[0] = (uint8_t)state->options[OPTION_lay_down];
    state->shown_rules[1] = (uint8_t)state->options[OPTION_seven_pairs];
    state->shown_rules[2] = (uint8_t)state->options[OPTION_scoring];
    for (int seat = 0; seat < state->head.seats; seat++) {
        struct mhing_seat *block = mhing_seat_of(state, seat);
        const int32_t missing = target > state->scores[seat] ? target - state->scores[seat] : 0;
        mh_show_number(state->scores[seat], sizeof block->score, block->score);
        mh_show_number(missing, sizeof block->missing, block->missing);
        mh_show_number(state->chips[seat], sizeof block->chips, block->chips);
        block->credits_missing[0] = (uint8_t)mhing_least_credits(missing);
    }
}

/* R8: everyone pays the declarer the hand's points, double who made it possible, as far as the chips go. */
static void pay_chips(struct mhing_state *state, int winner, int payer, int32_t points)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        if (seat != winner) {
            const int32_t owed = seat == payer ? 2 * points : points;
            const int32_t paid = owed < state->chips[seat] ? owed : state->chips[seat];
            state->last.payments[seat] = -paid;
            state->last.payments[winner] += paid;
        }
    }
    for (int seat = 0; seat < state->head.seats; seat++) {
        state->chips[seat] += state->last.payments[seat];
    }
}

static void add_points(struct mhing_state *state, int seat, int32_t points)
{
    const int32_t room = MOST_SCORE - state->scores[seat];
    state->scores[seat] += points < room ? points : room;
}

/* The numbers that decide the game, by seat. */
static const int32_t *standings(const struct mhing_state *state)
{
    return state->options[OPTION_scoring] == SCORING_CHIPS ? state->chips : state->scores;
}

static int game_is_over(const struct mhing_state *state)
{
    const int32_t *options = state->options;
    const int chips = options[OPTION_scoring] == SCORING_CHIPS;
    const int32_t goal = chips ? options[OPTION_stake] * state->head.seats : options[OPTION_target];
    if (state->rounds_limit && state->head.rounds >= state->rounds_limit) {
        return 1;
    }
    for (int seat = 0; goal && seat < state->head.seats; seat++) {
        if (standings(state)[seat] >= goal) {
            return 1;
        }
    }
    return 0;
}

int mhing_episode_is_over(const struct mhing_state *state)
{
    return state->options[OPTION_episode] ? game_is_over(state) : state->head.rounds > 0;
}

static void reward_declaration(struct mhing_state *state)
{
    const int winner = state->last.winner;
    switch (state->options[OPTION_reward]) {
    case REWARD_CREDITS:
        mh_head_reward(&state->head, winner, state->last.score.credits);
        break;
    case REWARD_POINTS:
        mh_head_reward(&state->head, winner, state->last.score.points);
        break;
    case REWARD_CHIPS:
        for (int seat = 0; seat < state->head.seats; seat++) {
            mh_head_reward(&state->head, seat, state->last.payments[seat]);
        }
        break;
    default: /* REWARD_WIN: when the episode is a game, its end pays */
        if (!state->options[OPTION_episode]) {
            mh_head_reward(&state->head, winner, 1);
        }
    }
}

void mhing_pay_round(struct mhing_state *state)
{
    const struct mhing_result *last = &state->last;
    if (last->winner >= 0) {
        add_points(state, last->winner, last->score.points);
        if (state->head.seats <= CHIPS_SEATS) {
            pay_chips(state, last->winner, last->payer, last->score.points);
        }
        reward_declaration(state);
    }
    if (state->options[OPTION_reward] == REWARD_WIN && state->options[OPTION_episode] && game_is_over(state)) {
        mh_head_reward_top(&state->head, standings(state));
    }
}

void mhing_reveal_hand(struct mhing_state *state)
{
    struct mhing_result *last = &state->last;
    struct mhing_cards cards;
    mhing_cards_of(state, last->winner, &cards);
    memcpy(last->revealed, cards.count, sizeof last->revealed);
    last->melds = cards.melds;
    memcpy(last->meld_kind, cards.meld_kind, sizeof last->meld_kind);
    memcpy(last->meld_jokers, mhing_seat_view(state, last->winner)->meld_jokers, sizeof last->meld_jokers);
}

void mhing_end_round(struct mhing_state *state, int winner, int payer, const struct mhing_score *score)
{
    memset(&state->last, 0, sizeof state->last);
    state->last.round = state->head.rounds++;
    state->last.winner = (int8_t)winner;
    state->last.payer = (int8_t)payer;
    if (winner >= 0) {
        state->last.score = *score;
        mhing_reveal_hand(state);
    }
    mhing_pay_round(state);
    state->phase = PHASE_OVER;
    mh_head_end_round(&state->head, mhing_episode_is_over(state), state->legal, LEGAL_WORDS);
    mhing_show_standing(state);
}
