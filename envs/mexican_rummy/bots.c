/* The greedy player.
 *
 * Before it has laid down it counts the cards that lack for the objective: it takes what makes them fewer and discards
 * what does not make them more, among that the card with the fewest friends in the hand, the dearest first. It lays
 * down when it can, and lays off all that it can.
 */
#include "mexican_rummy.h"

/* A seat's own point of view. */
struct rummy_player {
    struct rummy_objective objective;
    int wild;
    struct cards hand;
    int lacking;
};

/* Filled where it stays: to copy it would wait for what was just written. */
static void player_of(const struct rummy_state *state, int seat, struct rummy_player *player)
{
    player->objective = rummy_objectives[rummy_objective(state)];
    player->wild = rummy_is_wild_round(state);
    player->hand = state->hands[seat];
    player->lacking =
        rummy_is_down(state, seat) ? 0 : rummy_hand_lacking(player->hand, player->objective, 0, ALL_LACK);
}

/* True if a card would be of use at once: for the objective, or onto a meld. */
static int wants(const struct rummy_state *state, const struct rummy_player *player, int seat, int card)
{
    if (rummy_is_down(state, seat)) {
        return (int)(state->fitting >> card_type(card) & 1);
    }
    struct cards with = player->hand;
    cards_add(&with, card);
    return rummy_hand_lacking(with, player->objective, player->lacking - 1, player->lacking) < player->lacking;
}

/* ---- Discards --------------------------------------------------------------------------------------------- */

/* Returns how much the other cards of the hand speak for keeping this one, as far as the objective has use for it, in
 * points that it costs; found by playing bots with other numbers against each other. */
static int friends(const struct rummy_player *player, int type)
{
    enum { PAIR = 6, NEAR = 4, FAR = 2 };
    const int rank = type_rank(type);
    int sum = 0;
    if (player->objective.sets) {
        sum += PAIR * cards_of_types(player->hand, rank_types(rank));
    }
    if (player->objective.runs) {
        const unsigned places = ranks_to_places(suit_ranks(cards_any(player->hand), type_suit(type)));
        sum += NEAR * mh_bits_count(places & (places_apart(rank, 1) | places_apart(rank, 2)));
        sum += FAR * mh_bits_count(places & places_apart(rank, 3));
    }
    return sum;
}

static int best_discard(const struct rummy_state *state, const struct rummy_player *player)
{
    enum { NEEDED = 1000 };
    const int down = rummy_is_down(state, state->on_turn);
    int best = -1;
    int least = INT32_MAX;
    for (uint64_t types = cards_any(player->hand); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        int value = -rummy_card_points(type, player->wild);
        if (!down) {
            struct cards left = player->hand;
            cards_remove(&left, rummy_card_of(state, left, type));
            value += friends(player, type);
            value += NEEDED * (rummy_hand_lacking(left, player->objective, player->lacking, player->lacking + 1) >
                               player->lacking);
        }
        if (value < least) {
            least = value;
            best = ACTION_discard + type;
        }
    }
    return best;
}

/* ---- Laying ----------------------------------------------------------------------------------------------- */

/* The laying action that keeps black 2s, which fit anywhere later; -1: there is none. */
static int best_lay(const struct rummy_state *state, struct cards hand)
{
    int best = -1;
    int most = -1;
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_set); action >= 0 && action < ACTION_discard;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        enum { SWAPS_LAST = 0, TWOS = 1, OTHERS = 2, RUNS = 4 };
        const int two = action >= ACTION_lay && action < ACTION_onto && is_black_two(action - ACTION_lay);
        int value = two ? TWOS : OTHERS;
        if (action >= ACTION_run && action < ACTION_lay) {
            value = RUNS + mh_bits_count(places_held(cards_any(hand) & ~BLACK_TWOS, action - ACTION_run));
        } else if (action >= ACTION_swap) {
            value = SWAPS_LAST;
        }
        if (value > most) {
            most = value;
            best = action;
        }
    }
    return best;
}

/* ---- May I ------------------------------------------------------------------------------------------------ */

/* Two cards more are worth it where one of them is needed; in the last round all must go down at once. */
static int asks(const struct rummy_state *state, const struct rummy_player *player)
{
    const int seat = state->head.seat;
    return !rummy_is_down(state, seat) && !rummy_is_no_discardo(rummy_objective(state)) &&
           wants(state, player, seat, rummy_offer(state));
}

int rummy_greedy(const struct rummy_state *state, struct mh_rng *rng)
{
    (void)rng;
    struct rummy_player player;
    player_of(state, state->head.seat, &player);
    switch (state->phase) {
    case PHASE_ASK:
        return asks(state, &player) ? ACTION_may_i : ACTION_pass;
    case PHASE_ANSWER:
        if (wants(state, &player, state->on_turn, rummy_offer(state))) {
            return ACTION_take;
        }
        /* A seat that is down profits from two more cards in another hand. */
        return rummy_is_down(state, state->on_turn) ? ACTION_grant : ACTION_refuse;
    case PHASE_START:
        return wants(state, &player, state->on_turn, rummy_offer(state)) ? ACTION_take : ACTION_draw;
    default: {
        const int lay = best_lay(state, rummy_is_planning(state) ? state->plan.rest : player.hand);
        return lay >= 0 ? lay : best_discard(state, &player);
    }
    }
}
