/* The greedy player, and the hints that make its knowledge an observation.
 *
 * Greedy keeps the smallest distance, then the most useful cards (unseen cards that bring it nearer), then the most
 * credits; it claims what brings it nearer, with the fewest Mhing cards, and declares as soon as it can.
 */
#include "player.h"

/* ---- Claiming ---------------------------------------------------------------------------------------- */

/* The useful cards once a meld is laid and the best card discarded. */
static int useful_after(const struct mhing_player *player, int action, int claimed)
{
    struct mhing_player next;
    mhing_after_meld(player, action, claimed, &next);
    return mhing_prospect(&next).useful;
}

/* The claim that comes nearest, if nearer than the hand is; among equals the fewest Mhing cards, then the most
 * useful cards left. */
static int best_claim(const struct mhing_state *state, const struct mhing_player *player, const uint64_t *legal)
{
    enum { AS_NEAR = MELD_CARDS + 1 };
    const int type = state->offer - 1;
    int best = ACTION_pass;
    int least = AS_NEAR * mhing_player_distance(player);
    for (int action = mh_set_next(legal, LEGAL_WORDS, ACTION_sequence); action < ACTION_pass;
         action = mh_set_next(legal, LEGAL_WORDS, action + 1)) {
        const struct mhing_pattern pattern = mhing_pattern_of(action);
        const int distance = mhing_distance_with(player, action, type);
        const int value = AS_NEAR * distance + mhing_pattern_jokers(pattern.kind, pattern.jokers);
        if (value < least || (value == least && best != ACTION_pass &&
                              useful_after(player, action, type) > useful_after(player, best, type))) {
            best = action;
            least = value;
        }
    }
    return best;
}

int mhing_choose(const struct mhing_state *state, int seat, const uint64_t *legal)
{
    if (mh_set_has(legal, ACTION_mhing)) {
        return ACTION_mhing;
    }
    struct mhing_player player;
    mhing_player_of(state, seat, &player);
    if (state->phase == PHASE_CLAIM) {
        return best_claim(state, &player, legal);
    }
    return ACTION_discard + mhing_best_discard(&player);
}

int mhing_greedy(const struct mhing_state *state, struct mh_rng *rng)
{
    (void)rng;
    return mhing_choose(state, state->head.seat, state->legal);
}

/* ---- Hints ----------------------------------------------------------------------------------------------- */

static void hint_discards(const struct mhing_player *player, struct mhing_hints *hints)
{
    uint8_t after[JOKER + 1];
    uint64_t helps[JOKER + 1];
    const struct unseen_cards unseen = mhing_unseen_cards(player);
    const uint64_t held = hand_held_types(&player->hand);
    mhing_discards_help(&player->hand, player->melds, player->seven_pairs, held, after, helps);
    for (uint64_t types = held; types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        hints->distance_after[ACTION_discard + type] = after[type];
        hints->useful_after[ACTION_discard + type] = (uint8_t)mhing_count_unseen(&unseen, helps[type]);
    }
}

static void hint_actions(const struct mhing_state *state, const struct mhing_player *player,
                         struct mhing_hints *hints)
{
    const int claimed = state->phase == PHASE_CLAIM ? state->offer - 1 : -1;
    if (state->phase == PHASE_TURN) {
        hint_discards(player, hints);
    } else {
        hints->distance_after[ACTION_pass] = hints->distance[0];
        hints->useful_after[ACTION_pass] = (uint8_t)mhing_useful_cards(player, hints->distance[0]);
    }
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_sequence); action >= 0 && action < ACTION_pass;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        struct mhing_player next;
        mhing_after_meld(player, action, claimed, &next);
        const struct prospect after = mhing_prospect(&next);
        hints->distance_after[action] = (uint8_t)after.distance;
        hints->useful_after[action] = (uint8_t)after.useful;
    }
    if (mh_set_has(state->legal, ACTION_mhing)) {
        hints->distance_after[ACTION_mhing] = 0;
    }
}

void mhing_write_hints(const struct mhing_state *state, int seat, struct mhing_hints *hints)
{
    struct mhing_player player;
    mhing_player_of(state, seat, &player);
    const int asked = state->head.seat == seat;
    hints->distance[0] = (uint8_t)mhing_player_distance(&player);
    if (asked && mh_set_has(state->legal, ACTION_mhing)) {
        struct mhing_cards cards;
        mhing_cards_of(state, seat, &cards);
        struct mhing_score score;
        if (state->phase == PHASE_CLAIM) {
            cards.count[state->offer - 1]++;
        }
        if (mhing_score_hand(&cards, player.seven_pairs, &score) == 1) {
            hints->credits_now[0] = (uint8_t)(score.credits + 1);
        }
    }
    memset(hints->distance_after, 255, sizeof hints->distance_after);
    if (asked) {
        hint_actions(state, &player, hints);
    }
}
