/* The game around the rounds: points, rewards, the end (R8). */
#include <math.h>

#include "mexican_rummy.h"

int rummy_check_options(const int32_t *options, char *message)
{
    return mh_check_seat_option("dealer", options[OPTION_dealer], options[OPTION_num_players], message);
}

int rummy_surrogate(int32_t *options)
{
    if (options[OPTION_reward] == REWARD_SCORE || !options[OPTION_episode]) {
        return 0;
    }
    options[OPTION_reward] = REWARD_SCORE;
    return 1;
}

/* ---- Points (R8.1) ---------------------------------------------------------------------------------------- */

/* Cards of different types. An ace counts 15, a ten, jack, queen or king 10, a wild card 20, any other card 5. */
static int points_of(uint64_t types, int wild)
{
    const uint64_t tens = ALL_ACES << 9 | ALL_ACES << 10 | ALL_ACES << 11 | ALL_ACES << 12;
    const int more = 2 * mh_bits_count(types & ALL_ACES) + mh_bits_count(types & tens);
    const int wilds = wild ? mh_bits_count(types & BLACK_TWOS) : 0;
    return 5 * (mh_bits_count(types) + more + 3 * wilds);
}

int rummy_card_points(int type, int wild)
{
    return points_of(type_bit(type), wild);
}

int rummy_points(struct cards cards, int wild)
{
    return points_of(cards.deck[0], wild) + points_of(cards.deck[1], wild);
}

/* ---- Bounds of an episode ----------------------------------------------------------------------------------- */

int rummy_all_points(int wild)
{
    int points = 0;
    for (int type = 0; type < TYPES; type++) {
        points += DECKS * rummy_card_points(type, wild);
    }
    return points;
}

/* The most actions of a round. In a turn every other seat may ask and be answered; then come the draw and the discard.
 * Each card is laid once, with one action for the card and one for its place; again only a black 2 that was swapped,
 * which a seat does once, before it lays down, in two actions more. So a seat begins three melds at most. */
static int64_t round_decisions(const int32_t *options, int objective)
{
    const int players = options[OPTION_num_players];
    const int turns = rummy_turns(options, objective) * (2 * (players - 1) + 2);
    return turns + 2 * (CARDS + players) + 2 * players + MELDS * players;
}

void rummy_bounds(const int32_t *options, struct mh_bounds *bounds)
{
    const int players = options[OPTION_num_players];
    const int named = options[OPTION_objective];
    *bounds = (struct mh_bounds){.lowest = 0, .highest = 0, .sum = NAN, .decisions = 0};
    for (int first = named ? named - 1 : 0; first < (named ? named : OBJECTIVES); first++) {
        int points = 0;
        int64_t decisions = 0;
        for (int round = first; round < first + rummy_rounds_from(options, first); round++) {
            points += rummy_all_points(rummy_is_wild(round));
            decisions += round_decisions(options, round);
        }
        bounds->lowest = -points < bounds->lowest ? -points : bounds->lowest;
        bounds->decisions = decisions > bounds->decisions ? decisions : bounds->decisions;
    }
    if (options[OPTION_reward] == REWARD_RANK) {
        bounds->lowest = -(players - 1);
        bounds->highest = players - 1;
        bounds->sum = 0;
    } else if (options[OPTION_reward] == REWARD_WIN) {
        bounds->lowest = 0;
        bounds->highest = 1;
        bounds->sum = 1;
    }
}

void rummy_ending_text(int ending, char *text)
{
    static const char *const names[ENDINGS] = {"not finished", "last card laid", "No Discardo", "no card to draw",
                                               "turn limit"};
    strcpy(text, names[ending]);
}

int rummy_episode_is_over(const struct rummy_state *state)
{
    return state->head.rounds == rummy_rounds(state);
}

/* ---- Ends ------------------------------------------------------------------------------------------------- */

/* One win for the fewest points. */
static void reward_win(const struct rummy_state *state, struct mh_head *head)
{
    int32_t standing[SEATS];
    for (int seat = 0; seat < SEATS; seat++) {
        standing[seat] = -state->scores[seat];
    }
    mh_head_reward_top(head, standing);
}

/* The seats that stand behind less those ahead: with four players 3, 1, -1 and -3. */
static void reward_rank(const struct rummy_state *state, struct mh_head *head)
{
    for (int seat = 0; seat < state->head.seats; seat++) {
        int better = 0;
        for (int other = 0; other < state->head.seats; other++) {
            better += (state->scores[other] > state->scores[seat]) - (state->scores[other] < state->scores[seat]);
        }
        mh_head_reward(head, seat, better);
    }
}

void rummy_reward(const struct rummy_state *state, const int32_t points[SEATS], struct mh_head *head)
{
    const int over = rummy_episode_is_over(state);
    if (state->options[OPTION_reward] == REWARD_SCORE) {
        for (int seat = 0; seat < state->head.seats; seat++) {
            mh_head_reward(head, seat, -points[seat]);
        }
    } else if (over && state->options[OPTION_reward] == REWARD_WIN) {
        reward_win(state, head);
    } else if (over) {
        reward_rank(state, head);
    }
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
    }
    state->last.round = state->head.rounds++;
    rummy_reward(state, state->last.points, &state->head);
    state->shown = rummy_held(state); /* R8.1 */
    state->phase = PHASE_OVER;
    mh_head_end_round(&state->head, rummy_episode_is_over(state), state->legal, LEGAL_WORDS);
}
