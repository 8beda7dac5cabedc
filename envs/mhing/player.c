/* A seat's own point of view: what is near, what is useful, what to give away. */
#include "player.h"

struct player mhing_player_of(const struct mhing_state *state, int seat)
{
    struct player player;
    player.hand = state->hands[seat];
    player.cards = mhing_cards_of(state, seat);
    player.melds = MELDS - player.cards.melds;
    player.seven_pairs = state->options[OPTION_seven_pairs];
    mhing_unseen(state, seat, player.unseen);
    return player;
}

int mhing_player_distance(const struct player *player)
{
    return mhing_hand_distance(&player->hand, player->melds, player->seven_pairs);
}

int mhing_useful_cards(const struct player *player, int now)
{
    int useful = 0;
    uint64_t types = now ? mhing_hand_helps(&player->hand, player->melds, player->seven_pairs, now - 1) : 0;
    for (; types; types &= types - 1) {
        useful += player->unseen[mh_bits_lowest(types)];
    }
    return useful;
}

int mhing_player_credits(const struct player *player)
{
    struct mhing_cards cards = player->cards;
    memcpy(cards.count, player->hand.count, sizeof cards.count);
    return mhing_hand_credits(&cards, player->seven_pairs);
}

/* ---- Discarding ------------------------------------------------------------------------------------------ */

/* Credits of the hands that useful cards would complete, weighed by how many of each are unseen. */
static int expected_credits(struct player *player)
{
    int sum = 0;
    uint64_t waits = mhing_hand_waits(&player->hand, player->melds, player->seven_pairs);
    for (; waits; waits &= waits - 1) {
        const int type = mh_bits_lowest(waits);
        if (player->unseen[type]) {
            hand_add(&player->hand, type);
            sum += mhing_player_credits(player) * player->unseen[type];
            hand_take(&player->hand, type);
        }
    }
    return sum;
}

struct prospect mhing_best_discard(struct player *player)
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
            useful[type] = mhing_useful_cards(player, best.distance);
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

struct player mhing_after_meld(const struct player *player, int action, int claimed)
{
    const struct mhing_pattern pattern = mhing_pattern_of(action);
    struct player next = *player;
    hand_take_meld(&next.hand, pattern.kind, pattern.jokers, claimed);
    next.melds--;
    next.cards.meld_kind[next.cards.melds++ & 3] = (uint8_t)pattern.kind;
    return next;
}
