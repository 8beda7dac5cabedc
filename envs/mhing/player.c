/* A seat's own point of view: what is near, what is useful, what to give away. */
#include "player.h"

void mhing_player_of(const struct mhing_state *state, int seat, struct mhing_player *player)
{
    player->hand = state->hands[seat];
    mhing_cards_of(state, seat, &player->cards);
    player->melds = MELDS - player->cards.melds;
    player->seven_pairs = state->options[OPTION_seven_pairs];
    mhing_unseen(state, seat, player->unseen);
    player->known = NULL;
}

int mhing_player_distance(const struct mhing_player *player)
{
    return mhing_hand_distance(&player->hand, player->melds, player->seven_pairs);
}

struct unseen_cards mhing_unseen_cards(const struct mhing_player *player)
{
    enum { LAST = JOKER / 8 * 8 };
    struct unseen_cards cards = {{0, 0, 0}};
    uint64_t last = 0; /* the bytes after the last whole eight, one by one, as they were written a moment ago */
    for (int type = LAST; type <= JOKER; type++) {
        last |= (uint64_t)player->unseen[type] << 8 * (type - LAST);
    }
    for (int type = 0; type <= LAST; type += 8) {
        const uint64_t counts = type < LAST ? mh_bits_bytes(player->unseen + type) : last;
        for (int bit = 0; bit < 3; bit++) {
            cards.bits[bit] |= (uint64_t)mh_bits_gather(counts >> bit) << type;
        }
    }
    return cards;
}

int mhing_count_unseen(const struct unseen_cards *unseen, uint64_t types)
{
    return mh_bits_count(types & unseen->bits[0]) + 2 * mh_bits_count(types & unseen->bits[1]) +
           4 * mh_bits_count(types & unseen->bits[2]);
}

int mhing_useful_cards(const struct mhing_player *player, int now)
{
    const struct unseen_cards unseen = mhing_unseen_cards(player);
    return mhing_count_unseen(
        &unseen,
        now ? mhing_hand_helps(&player->hand, player->melds, player->seven_pairs, now - 1, player->known) : 0);
}

int mhing_player_credits(const struct mhing_player *player)
{
    struct mhing_cards cards = player->cards;
    memcpy(cards.count, player->hand.count, sizeof cards.count);
    return mhing_hand_credits(&cards, player->seven_pairs);
}

uint64_t mhing_discards_to(const struct mhing_hand *hand, const uint8_t after[JOKER + 1], int distance)
{
    uint64_t discards = 0;
    for (uint64_t types = hand_held_types(hand); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        discards |= (uint64_t)(after[type] == distance) << type;
    }
    return discards;
}

/* ---- Discarding ------------------------------------------------------------------------------------------ */

/* Credits of the hands that useful cards would complete, weighed by how many of each are unseen. */
static int expected_credits(struct mhing_player *player)
{
    int sum = 0;
    uint64_t waits = mhing_hand_waits(&player->hand, player->melds, player->seven_pairs, player->known);
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

/* The discards that leave most; returns their types. */
static uint64_t best_discards(const struct mhing_player *player, struct prospect *best)
{
    uint8_t after[JOKER + 1];
    uint64_t helps[JOKER + 1];
    uint64_t equals = 0;
    const struct unseen_cards unseen = mhing_unseen_cards(player);
    const int nearest = mhing_hand_after_discards(&player->hand, player->melds, player->seven_pairs, after);
    uint64_t types = mhing_discards_to(&player->hand, after, nearest);
    mhing_discards_help(&player->hand, player->melds, player->seven_pairs, types, after, helps);
    *best = (struct prospect){nearest, -1, 0};
    for (; types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        const int useful = mhing_count_unseen(&unseen, helps[type]);
        equals = useful > best->useful ? 0 : equals;
        if (useful >= best->useful) {
            best->useful = useful;
            best->discard = type;
            equals |= (uint64_t)1 << type;
        }
    }
    return equals;
}

struct prospect mhing_prospect(const struct mhing_player *player)
{
    struct prospect best;
    best_discards(player, &best);
    return best;
}

int mhing_best_discard(struct mhing_player *player)
{
    struct prospect best;
    uint64_t equals = best_discards(player, &best);
    int most_credits = -1;
    if (best.distance > 1 || !(equals & (equals - 1))) {
        return best.discard;
    }
    for (; equals; equals &= equals - 1) {
        const int type = mh_bits_lowest(equals);
        hand_take(&player->hand, type);
        const int credits = expected_credits(player);
        hand_add(&player->hand, type);
        if (credits >= most_credits) {
            most_credits = credits;
            best.discard = type;
        }
    }
    return best.discard;
}

/* ---- Claiming and laying down ---------------------------------------------------------------------------- */

int mhing_distance_with(const struct mhing_player *player, int action, int claimed)
{
    const struct mhing_pattern pattern = mhing_pattern_of(action);
    struct mhing_hand hand = player->hand;
    hand_take_meld(&hand, pattern.kind, pattern.jokers, claimed);
    const int distance = mhing_hand_distance(&hand, player->melds - 1, player->seven_pairs);
    return distance > 1 ? distance : 1; /* where a card lacks, another one is of no use */
}

void mhing_after_meld(const struct mhing_player *player, int action, int claimed, struct mhing_player *next)
{
    const struct mhing_pattern pattern = mhing_pattern_of(action);
    *next = *player;
    hand_take_meld(&next->hand, pattern.kind, pattern.jokers, claimed);
    next->melds--;
    next->cards.meld_kind[next->cards.melds++ & 3] = (uint8_t)pattern.kind;
}
