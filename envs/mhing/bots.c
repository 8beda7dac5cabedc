/* The greedy player, and the hints that make its knowledge an observation.
 *
 * Greedy keeps the smallest distance, then the most useful cards (unseen cards that bring it nearer), then the most
 * credits; it claims what brings it nearer, with the fewest Mhing cards, and declares as soon as it can.
 */
#include "player.h"

/* ---- Claiming ---------------------------------------------------------------------------------------- */

/* The claim that comes nearest, if nearer than the hand is; among equals the fewest Mhing cards, then the most
 * useful cards left. */
static int best_claim(const struct mhing_state *state, const struct player *player, const uint64_t *legal)
{
    const int type = state->offer - 1;
    struct prospect best = {mhing_player_distance(player), 0, 0};
    int best_action = ACTION_pass;
    int best_jokers = 0;
    for (int action = mh_set_next(legal, LEGAL_WORDS, ACTION_sequence); action < ACTION_pass;
         action = mh_set_next(legal, LEGAL_WORDS, action + 1)) {
        const struct mhing_pattern pattern = mhing_pattern_of(action);
        const int jokers = mhing_pattern_jokers(pattern.kind, pattern.jokers);
        struct player next = mhing_after_meld(player, action, type);
        const struct prospect after = mhing_best_discard(&next);
        const int nearer = after.distance - best.distance;
        if (nearer < 0 || (best_action != ACTION_pass && nearer == 0 &&
                           (jokers < best_jokers || (jokers == best_jokers && after.useful > best.useful)))) {
            best = after;
            best_action = action;
            best_jokers = jokers;
        }
    }
    return best_action;
}

int mhing_choose(const struct mhing_state *state, int seat, const uint64_t *legal)
{
    if (mh_set_has(legal, ACTION_mhing)) {
        return ACTION_mhing;
    }
    struct player player = mhing_player_of(state, seat);
    if (state->phase == PHASE_CLAIM) {
        return best_claim(state, &player, legal);
    }
    return ACTION_discard + mhing_best_discard(&player).discard;
}

int mhing_greedy(const struct mhing_state *state, struct mh_rng *rng)
{
    (void)rng;
    return mhing_choose(state, state->head.seat, state->legal);
}

/* ---- Hints ----------------------------------------------------------------------------------------------- */

static void hint_actions(const struct mhing_state *state, const struct player *player, struct mhing_hints *hints)
{
    const int claimed = state->phase == PHASE_CLAIM ? state->offer - 1 : -1;
    for (int action = 0; action < ACTIONS; action++) {
        if (!mh_set_has(state->legal, action)) {
            hints->distance_after[action] = 255;
            continue;
        }
        struct player next = *player;
        if (action < ACTION_sequence) {
            hand_take(&next.hand, action);
        } else if (action == ACTION_mhing) {
            continue;
        } else if (action != ACTION_pass) {
            next = mhing_after_meld(player, action, claimed);
            hand_take(&next.hand, mhing_best_discard(&next).discard);
        }
        hints->distance_after[action] = (uint8_t)mhing_player_distance(&next);
        hints->useful_after[action] = (uint8_t)mhing_useful_cards(&next, hints->distance_after[action]);
    }
}

void mhing_write_hints(const struct mhing_state *state, int seat, struct mhing_hints *hints)
{
    const struct player player = mhing_player_of(state, seat);
    const int asked = state->head.seat == seat;
    hints->distance[0] = (uint8_t)mhing_player_distance(&player);
    if (asked && mh_set_has(state->legal, ACTION_mhing)) {
        struct mhing_cards cards = mhing_cards_of(state, seat);
        struct mhing_score score;
        if (state->phase == PHASE_CLAIM) {
            cards.count[state->offer - 1]++;
        }
        if (mhing_score_hand(&cards, player.seven_pairs, &score) == 1) {
            hints->credits_now[0] = (uint8_t)(score.credits + 1);
        }
    }
    if (asked) {
        hint_actions(state, &player, hints);
    } else {
        memset(hints->distance_after, 255, sizeof hints->distance_after);
    }
}
