/* What is left after a move, as a net judges it: the seat's hand, its chances, the table, the others, and what its
 * discard may bring them. Nothing follows from what the seat cannot know.
 *
 * Laying is a plan of many small actions, and greedy's order of them serves: cards that lie there are gone, whatever the
 * order. So a net judges whether to ask, to grant, to take, what to discard; who lays is taken to go on as greedy does up
 * to the discard of the turn.
 */
#include "outlook.h"

enum { NEARLY = 2, MOST_LACKING = 7, MOST_LEFT = 6, LIKELY_RANKS = 5, LIKELY_SUITS = 2, NO_TYPE = -1 };

enum moment { HAS_DISCARDED, DRAWS, WAITS, HAS_ASKED };

/* A seat, and what it knows however it plays. */
struct player {
    const struct rummy_state *state;
    int seat;
    struct rummy_outlook outlook;
    struct rummy_prospects most; /* of all cards that may stay in its hand */
};

/* What a move leaves. */
struct left {
    const struct rummy_state *table; /* with what the seat has laid */
    struct cards hand;
    int gone; /* type discarded, or NO_TYPE */
    enum moment moment;
    int granted; /* seat that gets two cards, or -1 */
};

/* ---- Hands that have not been laid ------------------------------------------------------------------------ */

static int count_of_types(struct cards cards, uint64_t types)
{
    return mh_bits_count(cards.deck[0] & types) + mh_bits_count(cards.deck[1] & types);
}

static float share_of(struct cards cards, uint64_t types)
{
    const int all = cards_count(cards);
    return all ? (float)count_of_types(cards, types) / (float)all : 0;
}

/* Puts a number into a list of the largest. */
static void put_largest(float number, float *largest, int count)
{
    for (int i = 0; i < count; i++) {
        if (number > largest[i]) {
            const float moved = largest[i];
            largest[i] = number;
            number = moved;
        }
    }
}

static void write_ranks(const struct player *player, struct cards hand, float ranks[3])
{
    uint64_t pairs = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        const int held = count_of_types(hand, rank_types(rank));
        ranks[0] += held >= SET_CARDS ? 0.25F : 0;
        ranks[1] += held == SET_CARDS - 1 ? 0.2F : 0;
        pairs |= held == SET_CARDS - 1 ? rank_types(rank) : 0;
    }
    ranks[2] = share_of(player->outlook.unseen, pairs);
}

static void write_objective(const struct player *player, struct cards hand, struct rummy_features *features)
{
    const struct rummy_outlook *outlook = &player->outlook;
    const int is_most = cards_are_none(cards_without(player->most.hand, hand));
    struct rummy_prospects prospects;
    if (is_most) {
        prospects = player->most;
    } else {
        rummy_look_at(outlook, hand, &player->most, &prospects);
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

/* ---- The table -------------------------------------------------------------------------------------------- */

static void write_hand(const struct left *left, int wild, struct rummy_features *features)
{
    const uint64_t fitting = left->table->fitting;
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

static void write_table(const struct player *player, const struct left *left, struct rummy_features *features)
{
    const struct rummy_state *table = left->table;
    const int pile = CARDS - DEALT * table->head.seats - 1;
    const int gone = pile * (1 + table->shuffles) - (CARDS - table->next);
    features->turns[0] = (float)(player->outlook.turns / 10);
    features->turns[1] = (float)gone / (float)table->head.seats / 10;
    features->pile[0] = (float)(CARDS - table->next) / 84;
    features->pile[1] = table->shuffles > 0;
    features->table[0] = share_of(player->outlook.unseen, table->fitting);
    for (int seat = 0; seat < table->head.seats; seat++) {
        for (int meld = 0; meld < MELDS && table->melds[seat].kind[meld]; meld++) {
            features->table[kind_is_set(table->melds[seat].kind[meld]) ? 1 : 2] += 1.0F / 6;
        }
    }
}

static void write_others(const struct player *player, const struct left *left, struct rummy_features *features)
{
    const struct rummy_state *table = left->table;
    int fewest = CARDS;
    int down = 0;
    for (int i = 0; i < table->head.seats - 1; i++) {
        const int seat = (player->seat + 1 + i) % table->head.seats;
        const int cards = cards_count(table->hands[seat]) + (left->granted == seat ? 2 : 0);
        const int is_down = rummy_is_down(table, seat);
        features->other_down[i] = (float)is_down;
        features->other_cards[i] = (float)cards / 10;
        features->other_few[i] = is_down ? 1 / (float)cards : 0;
        features->other_known[i] = (float)cards_count(cards_common(table->hands[seat], table->shown)) / 5;
        fewest = is_down && cards < fewest ? cards : fewest;
        down += is_down;
    }
    features->others_down[0] = (float)down / (float)(table->head.seats - 1);
    if (down) {
        features->nearest[(fewest < MOST_LEFT ? fewest : MOST_LEFT) - 1] = 1;
    }
}

/* ---- The discard ------------------------------------------------------------------------------------------ */

/* The types of the suit so many ranks up and down, the ace at both ends; without the type itself. */
static uint64_t neighbours(int type, int ranks)
{
    uint64_t types = 0;
    for (int place = 0; place < PLACES; place++) {
        for (unsigned at = ranks_to_places(1u << type_rank(type)); at; at &= at - 1) {
            const int apart = place - mh_bits_lowest(at);
            if (apart && apart <= ranks && apart >= -ranks) {
                types |= type_bit(place_type(type_suit(type), place));
            }
        }
    }
    return types & ~type_bit(type);
}

static float share_discarded(const struct rummy_state *table, int seat, uint64_t types)
{
    int all = 0;
    int of_types = 0;
    for (int i = 0; i < table->num_discards; i++) {
        if (table->discarded_by[i] == seat + 1) {
            all++;
            of_types += (int)(types >> card_type(table->discards[i] - 1) & 1);
        }
    }
    return all ? (float)of_types / (float)all : 0;
}

static void write_gone(const struct player *player, const struct left *left, struct rummy_features *features)
{
    const struct rummy_state *table = left->table;
    const int wild = player->outlook.wild;
    const uint64_t of_rank = rank_types(type_rank(left->gone));
    const int next = mh_head_next(&table->head, player->seat);
    const struct cards known = cards_common(table->hands[next], table->shown);
    features->gone[0] = 1;
    features->gone[1] = (float)rummy_card_points(left->gone, wild) / 20;
    features->gone[2] = (float)(table->fitting >> left->gone & 1);
    features->gone[3] = (float)(wild && is_black_two(left->gone));
    features->gone_unseen[0] = (float)count_of_types(player->outlook.unseen, of_rank) / 8;
    features->gone_unseen[1] = (float)count_of_types(player->outlook.unseen, neighbours(left->gone, 2)) / 8;
    features->gone_next[0] = (float)!rummy_is_down(table, next);
    features->gone_next[1] = (float)(count_of_types(known, of_rank) > 0);
    features->gone_next[2] = (float)(count_of_types(known, neighbours(left->gone, 3)) > 0);
    features->gone_next[3] = share_discarded(table, next, of_rank | neighbours(left->gone, 1));
}

/* ---- Moves ------------------------------------------------------------------------------------------------ */

struct look {
    const struct player *player;
    mh_afterstate_seen *seen;
    void *context;
};

/* What the round brings who goes out. */
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

static void tell(const struct look *look, int action, const struct left *left)
{
    const struct player *player = look->player;
    const struct rummy_state *state = player->state;
    struct rummy_features features;
    if (cards_are_none(left->hand)) {
        look->seen(look->context, action, NULL, value_of_out(state));
        return;
    }
    memset(&features, 0, sizeof features);
    features.objective[rummy_objective(state)] = 1;
    features.players[state->head.seats - 2] = 1;
    features.moment[left->moment] = 1;
    const int until = left->moment == HAS_DISCARDED ? state->head.seats - 1
                                                    : mh_head_between(&state->head, state->on_turn, player->seat);
    features.until_turn[0] = (float)until / 6;
    features.is_down[0] = (float)rummy_is_down(left->table, player->seat);
    if (!rummy_is_down(left->table, player->seat)) {
        write_objective(player, left->hand, &features);
    }
    write_hand(left, player->outlook.wild, &features);
    write_table(player, left, &features);
    write_others(player, left, &features);
    if (left->gone != NO_TYPE) {
        write_gone(player, left, &features);
    }
    features.asked[0] = (float)(left->moment == HAS_ASKED && rummy_is_down(state, state->on_turn));
    look->seen(look->context, action, (const float *)&features, 0);
}

/* The move, and greedy's up to the discard of the turn. What a turn limit would end goes on, so that it can be seen. */
static void tell_laying(const struct look *look, int action)
{
    const struct player *player = look->player;
    struct rummy_state table = *player->state;
    table.options[OPTION_turn_limit] = INT16_MAX;
    rummy_apply(&table, action);
    struct left left = {&table, table.hands[player->seat], NO_TYPE, HAS_DISCARDED, -1};
    struct mh_rng none = {0};
    while (table.head.seat == player->seat && table.phase >= PHASE_PLAY && left.gone == NO_TYPE &&
           table.head.rounds == player->state->head.rounds) {
        const int next = rummy_greedy(&table, &none);
        if (next >= ACTION_discard) {
            left.gone = next - ACTION_discard;
        } else {
            rummy_apply(&table, next);
        }
    }
    if (table.head.rounds != player->state->head.rounds) {
        left.hand = (struct cards){{0, 0}};
    } else if (left.gone == NO_TYPE) {
        left.gone = card_type(table.discards[table.num_discards - 1] - 1);
        left.hand = table.hands[player->seat];
    } else {
        left.hand = rummy_without_type(table.hands[player->seat], left.gone);
    }
    tell(look, action, &left);
}

static void tell_discard(const struct look *look, int action, int type, struct cards hand)
{
    const struct left left = {look->player->state, rummy_without_type(hand, type), type, HAS_DISCARDED, -1};
    tell(look, action, &left);
}

/* Takes the discard on offer, and gives another card away. */
static void tell_take(const struct look *look)
{
    const struct player *player = look->player;
    const struct rummy_state *state = player->state;
    const int offer = card_type(rummy_offer(state));
    const struct cards hand = rummy_with_type(state->hands[player->seat], offer);
    if (rummy_is_down(state, player->seat) || player->most.lacking == 0) {
        tell_laying(look, ACTION_take);
        return;
    }
    for (uint64_t types = cards_any(hand) & ~type_bit(offer); types; types &= types - 1) {
        tell_discard(look, ACTION_take, mh_bits_lowest(types), hand);
    }
}

static void tell_still(const struct look *look, int action, enum moment moment, int granted)
{
    const struct rummy_state *state = look->player->state;
    const struct left left = {state, state->hands[look->player->seat], NO_TYPE, moment, granted};
    tell(look, action, &left);
}

static void tell_asks(const struct look *look, int all)
{
    const struct rummy_state *state = look->player->state;
    const int seat = look->player->seat;
    const struct left asked = {state, rummy_with_type(state->hands[seat], card_type(rummy_offer(state))), NO_TYPE,
                               HAS_ASKED, -1};
    if (all || (!rummy_is_down(state, seat) && !rummy_is_no_discardo(rummy_objective(state)))) {
        tell(look, ACTION_may_i, &asked);
    }
    tell_still(look, ACTION_pass, WAITS, -1);
}

/* After the draw; who can lay something does. */
static void tell_plays(const struct look *look, int all)
{
    const struct rummy_state *state = look->player->state;
    struct mh_rng none = {0};
    const int lay = mh_set_next(state->legal, LEGAL_WORDS, ACTION_set);
    if (!all && lay < ACTION_discard) {
        tell_laying(look, rummy_greedy(state, &none));
        return;
    }
    for (int action = lay; action >= 0; action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        if (action < ACTION_discard) {
            tell_laying(look, action);
        } else {
            tell_discard(look, action, action - ACTION_discard, state->hands[look->player->seat]);
        }
    }
}

void rummy_afterstates(const struct rummy_state *state, int all, mh_afterstate_seen *seen, void *context)
{
    const int seat = state->head.seat;
    struct player player = {.state = state, .seat = seat, .outlook = rummy_outlook_of(state, seat)};
    struct cards most = state->hands[seat];
    if (state->phase < PHASE_PLAY) {
        most = rummy_with_type(most, card_type(rummy_offer(state)));
    }
    if (!rummy_is_down(state, seat)) {
        rummy_look_at(&player.outlook, most, NULL, &player.most);
        if (player.most.lacking <= NEARLY) {
            rummy_find_useful(&player.outlook, &player.most);
        }
    }
    const struct look look = {&player, seen, context};
    switch (state->phase) {
    case PHASE_ASK:
        tell_asks(&look, all);
        break;
    case PHASE_ANSWER:
        tell_take(&look);
        tell_still(&look, ACTION_grant, DRAWS, state->asker - 1);
        tell_still(&look, ACTION_refuse, DRAWS, -1);
        break;
    case PHASE_START:
        tell_still(&look, ACTION_draw, DRAWS, -1);
        tell_take(&look);
        break;
    default:
        tell_plays(&look, all);
    }
}
