/* Afterstates as a net judges them: the seat's hand, its chances, the table, the others, and what its
 * discard may bring them. Nothing follows from what the seat cannot know.
 *
 * Laying is a plan of many small actions, and greedy's order of them serves: cards on the table are gone, whatever the
 * order. So a net judges whether to ask, to grant and to take, and what to discard; a seat that lays is assumed to play
 * as greedy does up to the discard of the turn.
 */
#include "outlook.h"

enum { NEARLY = 2, MOST_LACKING = 7, MOST_LEFT = 6, LIKELY_RANKS = 5, LIKELY_SUITS = 2, NO_TYPE = -1 };

enum moment { HAS_DISCARDED, DRAWS, WAITS, HAS_ASKED };

/* A seat, and what it knows however it plays. */
struct rummy_observer {
    const struct rummy_state *state;
    int seat;
    struct rummy_outlook outlook;
    struct rummy_prospects most; /* of all cards that may stay in its hand */
};

/* The table once the seat has laid what it lays, whatever stays in its hand. */
struct laid_table {
    const struct rummy_state *state;
    struct cards next_discards;     /* cards of the pile that the next seat discarded */
    struct rummy_features features; /* those that follow from it */
};

/* The position that a move leaves. */
struct left {
    const struct laid_table *table;
    struct cards hand;
    int gone; /* type discarded, or NO_TYPE */
    enum moment moment;
};

/* ---- Hands that have not been laid ------------------------------------------------------------------------ */

static float share_of(struct cards cards, uint64_t types)
{
    const int all = cards_count(cards);
    return all ? (float)cards_of_types(cards, types) / (float)all : 0;
}

/* Puts a number into a list of the largest. */
static void put_largest(float number, float *largest, int count)
{
    for (int i = 0; number > largest[count - 1] && i < count; i++) {
        if (number > largest[i]) {
            const float moved = largest[i];
            largest[i] = number;
            number = moved;
        }
    }
}

static void write_ranks(const struct rummy_observer *player, struct cards hand, float ranks[3])
{
    uint64_t pairs = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        const int held = cards_of_types(hand, rank_types(rank));
        ranks[0] += held >= SET_CARDS ? 0.25F : 0;
        ranks[1] += held == SET_CARDS - 1 ? 0.2F : 0;
        pairs |= held == SET_CARDS - 1 ? rank_types(rank) : 0;
    }
    ranks[2] = share_of(player->outlook.unseen, pairs);
}

static void write_objective(const struct rummy_observer *player, struct cards hand, struct rummy_features *features)
{
    const struct rummy_outlook *outlook = &player->outlook;
    const int is_most = cards_are_none(cards_without(player->most.hand, hand));
    struct rummy_prospects prospects;
    if (is_most) {
        prospects = player->most;
    } else {
        rummy_look_at(outlook, hand, &player->most, &prospects);
        rummy_find_lacking(outlook, &player->most, &prospects);
    }
    features->lacking[prospects.lacking < MOST_LACKING ? prospects.lacking : MOST_LACKING] = 1;
    if (prospects.lacking <= NEARLY) {
        rummy_find_useful(outlook, &prospects);
        features->useful[0] = share_of(outlook->unseen, prospects.useful);
    }
    features->chances[0] = (float)prospects.runs;
    features->chances[1] = (float)prospects.sets;
    features->chances[2] = (float)prospects.met;
    for (int rank = 0; rank < RANKS; rank++) {
        put_largest((float)prospects.of_rank[rank], features->likely_sets, LIKELY_RANKS);
    }
    for (int suit = 0; outlook->objective.runs && suit < SUITS; suit++) {
        put_largest((float)prospects.suits[suit].lacks_at_most[0], features->likely_runs, LIKELY_SUITS);
        put_largest((float)prospects.suits[suit].lacks_at_most[1], features->likely_runs + LIKELY_SUITS,
                    LIKELY_SUITS);
    }
    write_ranks(player, hand, features->ranks);
    features->idle[0] = (float)(prospects.idle / 50);
    features->wilds[0] = (float)prospects.holding.wilds / 4;
}

/* ---- Any hand ---------------------------------------------------------------------------------------------- */

static void write_hand(const struct left *left, int wild, struct rummy_features *features)
{
    const uint64_t fitting = left->table->state->fitting;
    const struct cards fit = {{left->hand.deck[0] & fitting, left->hand.deck[1] & fitting}};
    const int cards = cards_count(left->hand);
    features->cards[0] = (float)cards / 10;
    features->points[0] = (float)rummy_points(left->hand, wild) / 100;
    features->fits[0] = (float)cards_count(fit) / 5;
    features->fits[1] = (float)rummy_points(fit, wild) / 50;
    if (features->is_down[0] > 0 && cards > 0) {
        features->left[(cards < MOST_LEFT ? cards : MOST_LEFT) - 1] = 1;
    }
}

/* ---- The table -------------------------------------------------------------------------------------------- */

static void write_pile(const struct rummy_observer *player, const struct rummy_state *state,
                       struct rummy_features *features)
{
    features->turns[0] = (float)(player->outlook.turns / 10);
    features->turns[1] = (float)rummy_gone(state) / (float)state->head.seats / 10;
    features->pile[0] = (float)(CARDS - state->next) / 84;
    features->pile[1] = state->shuffles > 0;
    features->table[0] = share_of(player->outlook.unseen, state->fitting);
    for (int seat = 0; seat < state->head.seats; seat++) {
        for (int meld = 0; meld < MELDS && state->melds[seat].kind[meld]; meld++) {
            features->table[kind_is_set(state->melds[seat].kind[meld]) ? 1 : 2] += 1.0F / 6;
        }
    }
}

static void write_others(const struct rummy_observer *player, const struct rummy_state *state, int granted,
                         struct rummy_features *features)
{
    int fewest = CARDS;
    int down = 0;
    for (int i = 0; i < state->head.seats - 1; i++) {
        const int seat = (player->seat + 1 + i) % state->head.seats;
        const int cards = cards_count(state->hands[seat]) + (granted == seat ? 2 : 0);
        const int is_down = rummy_is_down(state, seat);
        features->other_down[i] = (float)is_down;
        features->other_cards[i] = (float)cards / 10;
        features->other_few[i] = is_down ? 1 / (float)cards : 0;
        features->other_known[i] = (float)cards_count(cards_common(state->hands[seat], state->shown)) / 5;
        fewest = is_down && cards < fewest ? cards : fewest;
        down += is_down;
    }
    features->others_down[0] = (float)down / (float)(state->head.seats - 1);
    if (down) {
        features->nearest[(fewest < MOST_LEFT ? fewest : MOST_LEFT) - 1] = 1;
    }
}

static struct cards discards_of(const struct rummy_state *state, int seat)
{
    struct cards discards = {{0, 0}};
    for (int i = 0; i < state->num_discards; i++) {
        if (state->discarded_by[i] == seat + 1) {
            cards_add(&discards, state->discards[i] - 1);
        }
    }
    return discards;
}

/* `granted`: the seat that gets two cards, or -1. */
static void look_at_table(const struct rummy_observer *player, const struct rummy_state *state, int granted,
                          struct laid_table *table)
{
    struct rummy_features *features = &table->features;
    table->state = state;
    table->next_discards = discards_of(state, mh_head_next(&state->head, player->seat));
    memset(features, 0, sizeof *features);
    features->objective[rummy_objective(player->state)] = 1;
    features->players[state->head.seats - 2] = 1;
    features->is_down[0] = (float)rummy_is_down(state, player->seat);
    write_pile(player, state, features);
    write_others(player, state, granted, features);
}

/* ---- The discard ------------------------------------------------------------------------------------------ */

/* The types of the suit so many ranks up and down, the ace at both ends; without the type itself. */
static uint64_t neighbours(int type, int ranks)
{
    unsigned near = 0;
    for (int apart = 1; apart <= ranks; apart++) {
        near |= places_apart(type_rank(type), apart);
    }
    return (uint64_t)places_to_ranks(near) << type_suit(type) * RANKS & ~type_bit(type);
}

static void write_gone(const struct rummy_observer *player, const struct left *left,
                       struct rummy_features *features)
{
    const struct rummy_state *table = left->table->state;
    const int wild = player->outlook.wild;
    const uint64_t of_rank = rank_types(type_rank(left->gone));
    const int next = mh_head_next(&table->head, player->seat);
    const struct cards known = cards_common(table->hands[next], table->shown);
    features->gone[0] = 1;
    features->gone[1] = (float)rummy_card_points(left->gone, wild) / 20;
    features->gone[2] = (float)(table->fitting >> left->gone & 1);
    features->gone[3] = (float)(wild && is_black_two(left->gone));
    features->gone_unseen[0] = (float)cards_of_types(player->outlook.unseen, of_rank) / 8;
    features->gone_unseen[1] = (float)cards_of_types(player->outlook.unseen, neighbours(left->gone, 2)) / 8;
    features->gone_next[0] = (float)!rummy_is_down(table, next);
    features->gone_next[1] = (float)(cards_of_types(known, of_rank) > 0);
    features->gone_next[2] = (float)(cards_of_types(known, neighbours(left->gone, 3)) > 0);
    features->gone_next[3] = share_of(left->table->next_discards, of_rank | neighbours(left->gone, 1));
}

/* ---- Moves ------------------------------------------------------------------------------------------------ */

struct afterstate_reporter {
    const struct rummy_observer *player;
    const struct laid_table *table; /* as it is */
    mh_afterstate_visitor *visit;
    void *context;
};

/* The reward of the round for a seat that goes out. */
static double value_of_out(const struct rummy_state *state)
{
    switch (state->options[OPTION_reward]) {
    case REWARD_RANK:
        return state->head.seats - 1;
    case REWARD_WIN:
        return 1;
    default:
        return 0;
    }
}

static void report_afterstate(const struct afterstate_reporter *reporter, int action, const struct left *left)
{
    const struct rummy_observer *player = reporter->player;
    const struct rummy_state *state = player->state;
    struct rummy_features features;
    if (cards_are_none(left->hand)) {
        reporter->visit(reporter->context, action, NULL, value_of_out(state));
        return;
    }
    memcpy(&features, &left->table->features, sizeof features);
    features.moment[left->moment] = 1;
    const int until = left->moment == HAS_DISCARDED ? state->head.seats - 1
                                                    : mh_head_between(&state->head, state->on_turn, player->seat);
    features.until_turn[0] = (float)until / 6;
    if (features.is_down[0] == 0) {
        write_objective(player, left->hand, &features);
    }
    write_hand(left, player->outlook.wild, &features);
    if (left->gone != NO_TYPE) {
        write_gone(player, left, &features);
    }
    features.asked[0] = (float)(left->moment == HAS_ASKED && rummy_is_down(state, state->on_turn));
    reporter->visit(reporter->context, action, (const float *)&features, 0);
}

/* The move, and greedy's up to the discard of the turn. Turns are counted anew, so that no turn limit hides
 * the outcome. */
static void tell_laying(const struct afterstate_reporter *reporter, int action)
{
    const struct rummy_observer *player = reporter->player;
    struct rummy_state state = *player->state;
    struct laid_table table;
    state.turn = 0;
    rummy_apply(&state, action);
    struct left left = {&table, state.hands[player->seat], NO_TYPE, HAS_DISCARDED};
    struct mh_rng none = {0};
    while (state.head.seat == player->seat && state.phase >= PHASE_PLAY && left.gone == NO_TYPE &&
           state.head.rounds == player->state->head.rounds) {
        const int next = rummy_greedy(&state, &none);
        if (next >= ACTION_discard) {
            left.gone = next - ACTION_discard;
        } else {
            rummy_apply(&state, next);
        }
    }
    if (state.head.rounds != player->state->head.rounds) {
        left.hand = (struct cards){{0, 0}};
    } else if (left.gone == NO_TYPE) {
        left.gone = card_type(state.discards[state.num_discards - 1] - 1);
        left.hand = state.hands[player->seat];
    } else {
        left.hand = rummy_without_type(state.hands[player->seat], left.gone);
    }
    look_at_table(player, &state, -1, &table);
    report_afterstate(reporter, action, &left);
}

static void tell_discard(const struct afterstate_reporter *reporter, int action, int type, struct cards hand)
{
    const struct left left = {reporter->table, rummy_without_type(hand, type), type, HAS_DISCARDED};
    report_afterstate(reporter, action, &left);
}

/* Takes the discard on offer, and gives another card away. */
static void tell_take(const struct afterstate_reporter *reporter)
{
    const struct rummy_observer *player = reporter->player;
    const struct rummy_state *state = player->state;
    const int offer = card_type(rummy_offer(state));
    const struct cards hand = rummy_with_type(state->hands[player->seat], offer);
    if (rummy_is_down(state, player->seat) || player->most.lacking == 0) {
        tell_laying(reporter, ACTION_take);
        return;
    }
    for (uint64_t types = cards_any(hand) & ~type_bit(offer); types; types &= types - 1) {
        tell_discard(reporter, ACTION_take, mh_bits_lowest(types), hand);
    }
}

static void tell_still(const struct afterstate_reporter *reporter, int action, enum moment moment)
{
    const struct left left = {reporter->table, reporter->player->state->hands[reporter->player->seat], NO_TYPE,
                              moment};
    report_afterstate(reporter, action, &left);
}

static void tell_grant(const struct afterstate_reporter *reporter)
{
    const struct rummy_state *state = reporter->player->state;
    struct laid_table table;
    look_at_table(reporter->player, state, state->asker - 1, &table);
    const struct left left = {&table, state->hands[reporter->player->seat], NO_TYPE, DRAWS};
    report_afterstate(reporter, ACTION_grant, &left);
}

/* The action that is worth considering where no other one is, else -1: only a seat that still lacks cards may want a
 * discard out of turn, and one that can lay something does. */
static int only_action(const struct rummy_state *state)
{
    struct mh_rng none = {0};
    if (state->phase == PHASE_ASK) {
        const int is_idle = rummy_is_down(state, state->head.seat) || rummy_is_no_discardo(rummy_objective(state));
        return is_idle ? ACTION_pass : -1;
    }
    const int lays =
        state->phase >= PHASE_PLAY && mh_set_next(state->legal, LEGAL_WORDS, ACTION_set) < ACTION_discard;
    return lays ? rummy_greedy(state, &none) : -1;
}

/* `only`: see only_action; -1 as well where all actions are listed. */
static void tell_asks(const struct afterstate_reporter *reporter, int only)
{
    const struct rummy_state *state = reporter->player->state;
    const int seat = reporter->player->seat;
    const struct left asked = {reporter->table, rummy_with_type(state->hands[seat], card_type(rummy_offer(state))),
                               NO_TYPE, HAS_ASKED};
    if (only < 0) {
        report_afterstate(reporter, ACTION_may_i, &asked);
    }
    tell_still(reporter, ACTION_pass, WAITS);
}

/* After the draw. */
static void tell_plays(const struct afterstate_reporter *reporter, int only)
{
    const struct rummy_state *state = reporter->player->state;
    if (only >= 0) {
        tell_laying(reporter, only);
        return;
    }
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_set); action >= 0;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        if (action < ACTION_discard) {
            tell_laying(reporter, action);
        } else {
            tell_discard(reporter, action, action - ACTION_discard, state->hands[reporter->player->seat]);
        }
    }
}

void rummy_afterstates(const struct rummy_state *state, int all, const struct mh_wanted *wanted,
                       mh_afterstate_visitor *visit, void *context)
{
    const int seat = state->head.seat;
    const int only = all ? -1 : only_action(state);
    if (only >= 0 && wanted->to_choose) {
        visit(context, only, NULL, 0);
        return;
    }
    struct known_runs known;
    struct rummy_observer player = {.state = state, .seat = seat, .outlook = rummy_outlook_of(state, seat, &known)};
    struct cards most = state->hands[seat];
    if (state->phase < PHASE_PLAY) {
        most = rummy_with_type(most, card_type(rummy_offer(state)));
    }
    if (!rummy_is_down(state, seat)) {
        rummy_look_at(&player.outlook, most, NULL, &player.most);
        rummy_find_lacking(&player.outlook, NULL, &player.most);
        if (player.most.lacking <= NEARLY) {
            rummy_find_useful(&player.outlook, &player.most);
        }
    }
    struct laid_table table;
    look_at_table(&player, state, -1, &table);
    const struct afterstate_reporter reporter = {&player, &table, visit, context};
    switch (state->phase) {
    case PHASE_ASK:
        tell_asks(&reporter, only);
        break;
    case PHASE_ANSWER:
        tell_take(&reporter);
        tell_grant(&reporter);
        tell_still(&reporter, ACTION_refuse, DRAWS);
        break;
    case PHASE_START:
        tell_still(&reporter, ACTION_draw, DRAWS);
        tell_take(&reporter);
        break;
    default:
        tell_plays(&reporter, only);
    }
}
