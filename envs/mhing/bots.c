/* The greedy player, and the hints that make its knowledge an observation.
 *
 * Greedy keeps the smallest distance, then the most useful cards (unseen cards that bring it nearer), then the most
 * credits; it claims what brings it nearer, with the fewest Mhing cards, and declares as soon as it can.
 */
#include "hand.h"

/* A seat's own point of view: its hand, and the cards it has not seen. */
struct player {
    struct mhing_hand hand;
    uint8_t unseen[35];
    int melds; /* to go */
    int seven_pairs;
    struct mhing_cards cards; /* melds and flowers of the seat; `count` is filled when a hand is scored */
};

static struct player player_of(const struct mhing_state *state, int seat)
{
    struct player player;
    player.hand = state->hands[seat];
    player.cards = mhing_cards_of(state, seat);
    player.melds = MELDS - player.cards.melds;
    player.seven_pairs = state->options[OPTION_seven_pairs];
    mhing_unseen(state, seat, player.unseen);
    return player;
}

static int distance(const struct player *player)
{
    return mhing_hand_distance(&player->hand, player->melds, player->seven_pairs);
}

/* Unseen cards that would bring the hand nearer than `now`. */
static int useful_cards(const struct player *player, int now)
{
    int useful = 0;
    uint64_t types = now ? mhing_hand_helps(&player->hand, player->melds, player->seven_pairs, now - 1) : 0;
    for (; types; types &= types - 1) {
        useful += player->unseen[mh_bits_lowest(types)];
    }
    return useful;
}

/* ---- Discarding ------------------------------------------------------------------------------------------ */

/* Credits of the hands that useful cards would complete, weighed by how many of each are unseen. */
static int expected_credits(const struct player *player)
{
    struct mhing_cards cards = player->cards;
    int sum = 0;
    uint64_t waits = mhing_hand_waits(&player->hand, player->melds, player->seven_pairs);
    memcpy(cards.count, player->hand.count, sizeof cards.count);
    for (; waits; waits &= waits - 1) {
        struct mhing_score score;
        const int type = mh_bits_lowest(waits);
        if (player->unseen[type]) {
            cards.count[type]++;
            if (mhing_score_hand(&cards, player->seven_pairs, &score) == 1) {
                sum += score.credits * player->unseen[type];
            }
            cards.count[type]--;
        }
    }
    return sum;
}

/* What a hand is after its best discard. */
struct prospect {
    int distance;
    int useful;
    int discard; /* the type */
};

/* Among equals the highest type, since honours and high cards connect least; one card from complete, the type that
 * leaves the most credits to be expected. */
static struct prospect best_discard(struct player *player)
{
    uint8_t after[JOKER + 1];
    int useful[JOKER + 1];
    int most_credits = -1;
    const int smallest = mhing_hand_after_discards(&player->hand, player->melds, player->seven_pairs, after);
    struct prospect best = {smallest, -1, 0};
    int equals = 0;
    for (int type = 0; type <= JOKER; type++) {
        if (after[type] == best.distance) {
            hand_take(&player->hand, type);
            useful[type] = useful_cards(player, best.distance);
            hand_add(&player->hand, type);
            equals = useful[type] > best.useful ? 1 : equals + (useful[type] == best.useful);
            if (useful[type] >= best.useful) {
                best.useful = useful[type];
                best.discard = type;
            }
        }
    }
    for (int type = 0; best.distance == 1 && equals > 1 && type <= JOKER; type++) {
        if (after[type] == best.distance && useful[type] == best.useful) {
            hand_take(&player->hand, type);
            const int credits = expected_credits(player);
            hand_add(&player->hand, type);
            if (credits >= most_credits) {
                most_credits = credits;
                best.discard = type;
            }
        }
    }
    return best;
}

/* ---- Claiming and laying down ---------------------------------------------------------------------------- */

static struct player after_meld(const struct player *player, int action, int claimed)
{
    const struct mhing_pattern pattern = mhing_pattern_of(action);
    struct player next = *player;
    hand_take_meld(&next.hand, pattern.kind, pattern.jokers, claimed);
    next.melds--;
    next.cards.meld_kind[next.cards.melds++ & 3] = (uint8_t)pattern.kind;
    return next;
}

/* The claim that comes nearest, if nearer than the hand is; among equals the fewest Mhing cards, then the most
 * useful cards left. */
static int best_claim(const struct mhing_state *state, const struct player *player, const uint64_t *legal)
{
    const int type = state->offer - 1;
    struct prospect best = {distance(player), 0, 0};
    int best_action = ACTION_pass;
    int best_jokers = 0;
    for (int action = mh_set_next(legal, LEGAL_WORDS, ACTION_sequence); action < ACTION_pass;
         action = mh_set_next(legal, LEGAL_WORDS, action + 1)) {
        const struct mhing_pattern pattern = mhing_pattern_of(action);
        const int jokers = mhing_pattern_jokers(pattern.kind, pattern.jokers);
        struct player next = after_meld(player, action, type);
        const struct prospect after = best_discard(&next);
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
    struct player player = player_of(state, seat);
    if (state->phase == PHASE_CLAIM) {
        return best_claim(state, &player, legal);
    }
    return ACTION_discard + best_discard(&player).discard;
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
            next = after_meld(player, action, claimed);
            hand_take(&next.hand, best_discard(&next).discard);
        }
        hints->distance_after[action] = (uint8_t)distance(&next);
        hints->useful_after[action] = (uint8_t)useful_cards(&next, hints->distance_after[action]);
    }
}

void mhing_write_hints(const struct mhing_state *state, int seat, struct mhing_hints *hints)
{
    const struct player player = player_of(state, seat);
    const int asked = state->head.seat == seat;
    hints->distance[0] = (uint8_t)distance(&player);
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
