/* The game around the rounds: points, rewards, the end (R8). */
#include "mexican_rummy.h"

int rummy_check_options(const int32_t *options, char *message)
{
    return mh_check_seat_option("dealer", options[OPTION_dealer], options[OPTION_num_players], message);
}

int rummy_stand_in(int32_t *options)
{
    if (options[OPTION_reward] == REWARD_SCORE || !options[OPTION_episode]) {
        return 0;
    }
    options[OPTION_reward] = REWARD_SCORE;
    return 1;
}

/* ---- Points (R8.1) ---------------------------------------------------------------------------------------- */

int rummy_card_points(int type, int wild)
{
    enum { NINE = 8 };
    if (wild && is_black_two(type)) {
        return 20;
    }
    if (type_rank(type) == 0) {
        return 15;
    }
    return type_rank(type) <= NINE ? 5 : 10;
}

int rummy_points(struct cards cards, int wild)
{
    int points = 0;
    for (struct cards rest = cards; !cards_are_none(rest); cards_remove(&rest, cards_lowest(rest))) {
        points += rummy_card_points(card_type(cards_lowest(rest)), wild);
    }
    return points;
}

void rummy_ending_text(int ending, char *text)
{
    static const char *const names[ENDINGS] = {"not finished", "last card laid", "No Discardo", "no card to draw",
                                               "turn limit"};
    strcpy(text, names[ending]);
}

/* ---- Ends ------------------------------------------------------------------------------------------------- */

/* One win for the fewest points. */
static void reward_win(struct rummy_state *state)
{
    int32_t standing[SEATS];
    for (int seat = 0; seat < SEATS; seat++) {
        standing[seat] = -state->scores[seat];
    }
    mh_head_reward_top(&state->head, standing);
}

/* The seats that stand behind less those ahead: with four players 3, 1, -1 and -3. */
static void reward_rank(struct rummy_state *state)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        int better = 0;
        for (int other = 0; other < state->head.seats; other++) {
            better += (state->scores[other] > state->scores[seat]) - (state->scores[other] < state->scores[seat]);
        }
        mh_head_reward(&state->head, seat, better);
    }
}

static void finish_episode(struct rummy_state *state)
{
    if (state->options[OPTION_reward] == REWARD_WIN) {
        reward_win(state);
    } else if (state->options[OPTION_reward] == REWARD_RANK) {
        reward_rank(state);
    }
    state->phase = PHASE_OVER;
    mh_head_end(&state->head, state->legal, LEGAL_WORDS);
}

void rummy_end_round(struct rummy_state *state, enum rummy_ending ending)
{
    const int wild = rummy_is_wild_round(state);
    mh_events_add(&state->events, state->on_turn, EVENT_over, ending, 0);
    state->offered = 0;
    state->taken = 0;
    state->drawn = 0;
    memset(&state->last, 0, sizeof state->last);
    state->last.winner = (int8_t)(ending == ENDING_OUT || ending == ENDING_NO_DISCARDO ? state->on_turn : -1);
    state->last.ending = (uint8_t)ending;
    for (int seat = 0; seat < state->head.seats; seat++) {
        const int points = rummy_points(state->hands[seat], wild);
        state->last.points[seat] = points;
        state->scores[seat] += points;
        if (state->options[OPTION_reward] == REWARD_SCORE) {
            mh_head_reward(&state->head, seat, -points);
        }
    }
    state->last.round = state->head.rounds++;
    if (state->head.rounds == rummy_rounds(state)) {
        finish_episode(state);
    } else {
        rummy_deal(state, mh_head_next(&state->head, state->starter), NULL);
    }
}
