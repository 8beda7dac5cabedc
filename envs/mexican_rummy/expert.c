/* The expert player.
 *
 * Before it is down it asks two things of a hand: how likely is it to meet the objective before the round ends, and how
 * many points will it hold if it does not? Most points of a round are those of hands that never got down. So an action
 * is worth the points to be expected after it:
 *
 *   1. The turns left follow from the turn and from the fewest cards that another seat holds who is down.
 *   2. In that time each unseen card comes to the seat with the same chance, by itself.
 *   3. So each rank becomes a set, and each suit has a run that lacks so many cards, with a chance that is counted
 *      exactly. A natural that runs are likely to take counts for a set as far as they are not.
 *   4. The chance of the objective is put right by what it was in play, and weighs the points of both endings. Who gets
 *      down is left with some of the cards that no meld is likely to take, neither of the objective nor on the table.
 *
 * A draw is judged by all cards that it may bring. Laying, and play once it is down, is that of greedy.
 */
#include "mexican_rummy.h"

/* What was found by playing rounds against greedy: mean own turns of a round at the deal, with four players; what turns
 * the odds as counted into those of play, and a factor of them for each card lacking beyond the first; the points left
 * at the end by a hand that did not get down, and of one that did: so many, and of those at hand so much. */
struct weights {
    double turns;
    double odds, farther;
    double missed, missed_share;
    double met, met_share;
};

static const struct weights weights_of[OBJECTIVES] = {
    {6.0, 6.5, 1.0, 10, 0.91, 10, 0.35}, {6.5, 7.4, 1.0, 10, 0.91, 10, 0.45}, {9.0, 4.5, 1.0, 21, 0.81, 5, 0.2},
    {5.7, 2.2, 1.0, 17, 0.85, 2, 0.2},   {5.0, 2.5, 0.7, 23, 0.73, 0, 0},     {7.7, 3.0, 0.4, 33, 0.54, 0, 0},
};

enum { WILDS_MORE = 2 /* wilds to come that are counted */, RANK_CARDS = SUITS * DECKS, TWO_SETS = 2 * SET_CARDS };

/* What a seat can reckon with. */
struct outlook {
    struct rummy_objective objective;
    struct weights weights;
    int wild;
    struct cards unseen;
    uint64_t fitting;                              /* types that fit onto a meld on the table */
    double comes[TYPES];                           /* chance that a card of the type does */
    double wilds[WILDS_MORE + 1];                  /* ... that so many wilds do; the last: or more */
    int of_rank[RANKS];                            /* unseen naturals */
    double least_of[RANK_CARDS + 1][TWO_SETS + 1]; /* [n][k]: of n cards at least k come */
};

/* ---- What may come ---------------------------------------------------------------------------------------- */

/* Own turns to be expected before the round ends. Turns gone follow from the draw pile, as far as the observation shows
 * them. A seat that is down needs about one for each of its cards. */
static double turns_left(const struct rummy_state *state, int seat)
{
    const int players = state->head.seats;
    const int pile = CARDS - DEALT * players - 1;
    const double pace = 2.2 / (0.6 + 0.4 * players);
    const double gone = (double)(pile * (1 + state->shuffles) - (CARDS - state->next)) / players;
    double left = pace * weights_of[rummy_objective(state)].turns - 0.6 * gone;
    for (int other = 0; other < players; other++) {
        const double until_out = pace * (0.6 + cards_count(state->hands[other]));
        if (other != seat && rummy_is_down(state, other) && until_out < left) {
            left = until_out;
        }
    }
    return left < 1.2 * pace ? 1.2 * pace : left;
}

/* 1 - exp(-x) for small x, the same on every machine. */
static double chance_within(double x)
{
    return x / (1 + x / 2 + x * x / 12);
}

/* Where a single round is played for the win, its points do not matter to those who do not get down. */
static struct weights weights_for(const struct rummy_state *state)
{
    struct weights weights = weights_of[rummy_objective(state)];
    if (state->options[OPTION_reward] == REWARD_WIN && rummy_rounds(state) == 1) {
        weights.missed += 150;
        weights.met_share *= 4;
    }
    return weights;
}

static struct outlook outlook_of(const struct rummy_state *state, int seat)
{
    const double a_turn = 1.2; /* cards to choose from in a turn: the draw, and now and then a discard */
    const int objective = rummy_objective(state);
    struct outlook outlook = {.objective = rummy_objectives[objective],
                              .weights = weights_for(state),
                              .wild = rummy_is_wild_round(state),
                              .unseen = rummy_unseen(state, seat),
                              .fitting = state->fitting};
    const double chance = chance_within(turns_left(state, seat) * a_turn / (cards_count(outlook.unseen) + 1));
    for (int n = 0; n <= RANK_CARDS; n++) {
        outlook.least_of[n][0] = 1;
        for (int k = 1; n > 0 && k <= TWO_SETS; k++) {
            outlook.least_of[n][k] =
                outlook.least_of[n - 1][k] * (1 - chance) + outlook.least_of[n - 1][k - 1] * chance;
        }
    }
    const struct holding naturals = holding_of(outlook.unseen, outlook.wild);
    for (int type = 0; type < TYPES; type++) {
        const int count = (int)(naturals.any >> type & 1) + (int)(naturals.both >> type & 1);
        outlook.comes[type] = outlook.least_of[count][1];
        outlook.of_rank[type_rank(type)] += count;
    }
    const double *wilds = outlook.least_of[naturals.wilds];
    for (int k = 0; k <= WILDS_MORE; k++) {
        outlook.wilds[k] = wilds[k] - (k < WILDS_MORE ? wilds[k + 1] : 0);
    }
    return outlook;
}

/* ---- Runs ------------------------------------------------------------------------------------------------- */

/* Runs of one suit: the chance that the one that lacks fewest lacks at most so many cards, and how much of the chance
 * at `wilds` is due to runs that take the natural of a rank. */
struct suit_runs {
    double lacks_at_most[RUN_CARDS + 1];
    double takes[RANKS];
};

/* Goes up the places of a suit with the chance of each pattern of the last three of them, as long as no four in a row
 * lack at most so many cards. Returns the chance that four do; `first`, by lowest place, is that of the first four. */
static double chance_of_run(const double has[PLACES], int lacking, double first[LOWS])
{
    enum { PATTERNS = 1 << (RUN_CARDS - 1) };
    double chances[PATTERNS] = {1};
    double sum = 0;
    for (int place = 0; place < PLACES; place++) {
        double after[PATTERNS] = {0};
        double complete = 0;
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            for (int there = 0; there < 2; there++) {
                const double chance = chances[pattern] * (there ? has[place] : 1 - has[place]);
                const unsigned four = (unsigned)(pattern << 1 | there);
                if (place >= RUN_CARDS - 1 && mh_bits_count(four) + lacking >= RUN_CARDS) {
                    complete += chance;
                } else {
                    after[four % PATTERNS] += chance;
                }
            }
        }
        memcpy(chances, after, sizeof chances);
        sum += complete;
        if (place >= RUN_CARDS - 1) {
            first[place - (RUN_CARDS - 1)] = complete;
        }
    }
    return sum;
}

/* `wilds` are those held that a run of this suit can use; more may come. */
static struct suit_runs runs_of(const struct outlook *outlook, struct holding hand, int suit, int wilds)
{
    struct suit_runs runs = {.lacks_at_most = {1, 1, 1, 1, 1}};
    double has[PLACES];
    for (int place = 0; place < PLACES; place++) {
        const int type = place_type(suit, place);
        has[place] = hand.any >> type & 1 ? 1 : outlook->comes[type];
    }
    for (int lacking = 0; lacking <= hand.wilds + WILDS_MORE && lacking < RUN_CARDS; lacking++) {
        double first[LOWS];
        runs.lacks_at_most[lacking] = chance_of_run(has, lacking, first);
        for (int place = 0; lacking == wilds && place < LOWS + RUN_CARDS - 1; place++) {
            for (int low = place < RUN_CARDS ? 0 : place - RUN_CARDS + 1; low <= place && low < LOWS; low++) {
                runs.takes[place % HIGH_ACE] += first[low];
            }
        }
    }
    return runs;
}

/* The chance that two suits have runs that lack at most so many cards together: goes through the suits with the chance of
 * the fewest that a run lacks, and the fewest of another; NONE: more than `wilds`. */
static double chance_of_two_runs(const struct suit_runs suits[SUITS], int wilds)
{
    enum { NONE = RUN_CARDS + 1 };
    double chances[NONE + 1][NONE + 1] = {{0}};
    chances[NONE][NONE] = 1;
    for (int suit = 0; suit < SUITS; suit++) {
        const double *at_most = suits[suit].lacks_at_most;
        double after[NONE + 1][NONE + 1] = {{0}};
        for (int one = 0; one <= NONE; one++) {
            for (int two = one; two <= NONE; two++) {
                const double chance = chances[one][two];
                after[one][two] += chance * (1 - at_most[wilds]);
                for (int lacking = 0; lacking <= wilds && chance > 0; lacking++) {
                    const int least = lacking < one ? lacking : one;
                    const int next = lacking < one ? one : lacking < two ? lacking : two;
                    after[least][next] += chance * (at_most[lacking] - (lacking ? at_most[lacking - 1] : 0));
                }
            }
        }
        memcpy(chances, after, sizeof chances);
    }
    double sum = 0;
    for (int one = 0; one <= wilds; one++) {
        for (int two = one; one + two <= wilds; two++) {
            sum += chances[one][two];
        }
    }
    return sum;
}

static double chance_of_runs(const struct suit_runs suits[SUITS], int runs, int wilds)
{
    const int most = wilds < RUN_CARDS ? wilds : RUN_CARDS;
    if (runs == 2) {
        return chance_of_two_runs(suits, most);
    }
    double none = 1;
    for (int suit = 0; suit < SUITS; suit++) {
        none *= 1 - suits[suit].lacks_at_most[most];
    }
    return 1 - none;
}

/* ---- Sets ------------------------------------------------------------------------------------------------- */

/* The naturals that are left for sets: how many of each rank, less what runs are likely to take, and their points, but for
 * cards that could be laid off. */
struct for_sets {
    double count[RANKS];
    double points[RANKS];
};

static double at_most_one(double x)
{
    return x < 1 ? x : 1;
}

static struct for_sets left_for_sets(const struct outlook *outlook, struct holding hand,
                                     const struct suit_runs suits[SUITS], int wilds)
{
    struct for_sets left = {{0}, {0}};
    double sum = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        sum += suits[suit].lacks_at_most[wilds];
    }
    for (int suit = 0; suit < SUITS; suit++) {
        const double chance = suits[suit].lacks_at_most[wilds];
        const double used = sum > 0 ? at_most_one(outlook->objective.runs * chance / sum) : 0;
        for (unsigned ranks = suit_ranks(hand.any, suit); ranks; ranks &= ranks - 1) {
            const int rank = mh_bits_lowest(ranks);
            const int type = suit * RANKS + rank;
            const double taken = chance > 0 ? at_most_one(used / chance * suits[suit].takes[rank]) : 0;
            const double count = 1 + (int)(hand.both >> type & 1) - taken;
            left.count[rank] += count;
            if (!(outlook->fitting >> type & 1)) {
                left.points[rank] += count * rummy_card_points(type, outlook->wild);
            }
        }
    }
    return left;
}

/* The chance that so many cards of a rank, and those to come, are at least `wanted`; between whole numbers in a line. */
static double chance_to_have(const struct outlook *outlook, int rank, double held, int wanted)
{
    const int whole = (int)held;
    const double *least = outlook->least_of[outlook->of_rank[rank]];
    if (whole >= wanted) {
        return 1;
    }
    return least[wanted - whole] * (1 - (held - whole)) + least[wanted - whole - 1] * (held - whole);
}

/* The chance of as many sets as the objective has. A rank can make two. Adds to `idle` the points of cards that these
 * sets are not likely to take. */
static double chance_of_sets(const struct outlook *outlook, const struct for_sets *left, double *idle)
{
    enum { MOST = 3 };
    const int sets = outlook->objective.sets;
    double chances[MOST] = {1}; /* of so many sets, fewer than `sets` */
    double one[RANKS];
    double sum = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        one[rank] = chance_to_have(outlook, rank, left->count[rank], SET_CARDS);
        const double two = chance_to_have(outlook, rank, left->count[rank], TWO_SETS);
        sum += one[rank];
        for (int k = sets - 1; k >= 0; k--) {
            chances[k] = chances[k] * (1 - one[rank]) + (k > 0 ? chances[k - 1] * (one[rank] - two) : 0) +
                         (k > 1 ? chances[k - 2] * two : 0);
        }
    }
    double fewer = 0;
    for (int k = 0; k < sets; k++) {
        fewer += chances[k];
    }
    for (int rank = 0; rank < RANKS; rank++) {
        *idle += left->points[rank] * (1 - (sum > 0 ? at_most_one(sets * one[rank] / sum) : 0));
    }
    return 1 - fewer;
}

/* ---- Hands ------------------------------------------------------------------------------------------------ */

static struct cards without_type(struct cards hand, int type)
{
    cards_remove(&hand, cards_have(&hand, type) ? type : TYPES + type);
    return hand;
}

static struct cards with_type(struct cards hand, int type)
{
    cards_add(&hand, cards_have(&hand, type) ? TYPES + type : type);
    return hand;
}

static int lacking(const struct outlook *outlook, struct cards hand, int limit)
{
    return rummy_lacking(holding_of(hand, outlook->wild), outlook->objective.sets, outlook->objective.runs, limit);
}

/* The chance that one of the cards comes that are all that lacks. */
static double chance_of_last_card(const struct outlook *outlook, struct cards hand)
{
    double none = 1;
    for (uint64_t types = cards_any(outlook->unseen); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        if (lacking(outlook, with_type(hand, type), 1) == 0) {
            const int wild = outlook->wild && is_black_two(type);
            none *= 1 - (wild ? outlook->least_of[cards_of_type(outlook->unseen, type)][1] : outlook->comes[type]);
        }
    }
    return 1 - none;
}

/* The points that the seat will be left with, to be expected, if it keeps this hand after its turn. */
static double cost_of(const struct outlook *outlook, struct cards hand)
{
    enum { ALL_LACK = 12 };
    const struct weights *weights = &outlook->weights;
    const struct holding holding = holding_of(hand, outlook->wild);
    const int runs = outlook->objective.runs;
    const int each = runs == 2 ? holding.wilds / 2 : holding.wilds;
    const int wilds = each < RUN_CARDS ? each : RUN_CARDS - 1;
    struct suit_runs suits[SUITS] = {{{0}, {0}}};
    double chance = 1;
    if (runs) {
        chance = 0;
        for (int suit = 0; suit < SUITS; suit++) {
            suits[suit] = runs_of(outlook, holding, suit, wilds);
        }
        for (int more = 0; more <= WILDS_MORE; more++) {
            chance += outlook->wilds[more] * chance_of_runs(suits, runs, holding.wilds + more);
        }
    }
    double idle = 0;
    const struct for_sets left = left_for_sets(outlook, holding, suits, wilds);
    chance *= chance_of_sets(outlook, &left, &idle);
    double odds = weights->odds;
    if (runs && outlook->objective.sets) { /* a card can be wanted by both, so that the count is too high */
        const int far = lacking(outlook, hand, ALL_LACK);
        chance = far == 0 ? 1 : far == 1 ? chance_of_last_card(outlook, hand) : chance;
        for (int i = 1; i < far; i++) {
            odds *= weights->farther;
        }
    }
    const double met = odds * chance / (odds * chance + 1 - chance);
    return (1 - met) * (weights->missed + weights->missed_share * rummy_points(hand, outlook->wild)) +
           met * (weights->met + weights->met_share * idle);
}

/* ---- Choices ---------------------------------------------------------------------------------------------- */

enum { FEW = 2 };

static void note(double *values, int action, double value)
{
    if (values) {
        values[action] = value;
    }
}

/* The discards that cost least, the best one first, and what they cost. */
struct discards {
    int count;
    int type[FEW];
    double cost[FEW];
};

/* With `values`, each discard's is noted there, by action. */
static struct discards best_discards(const struct outlook *outlook, struct cards hand, double *values)
{
    struct discards best = {0, {0}, {0}};
    for (uint64_t types = cards_any(hand); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        const double cost = cost_of(outlook, without_type(hand, type));
        note(values, ACTION_discard + type, -cost);
        int at = best.count;
        for (; at > 0 && cost < best.cost[at - 1]; at--) {
            if (at < FEW) {
                best.type[at] = best.type[at - 1];
                best.cost[at] = best.cost[at - 1];
            }
        }
        if (at < FEW) {
            best.type[at] = type;
            best.cost[at] = cost;
            best.count += best.count < FEW;
        }
    }
    return best;
}

/* What a draw costs: the mean over all cards that may come, with the least of keeping it in the place of one of the few
 * best discards, or not. */
static double cost_of_draw(const struct outlook *outlook, struct cards hand)
{
    const struct discards best = best_discards(outlook, hand, NULL);
    const double without = cost_of(outlook, hand);
    double sum = 0;
    for (uint64_t types = cards_any(outlook->unseen); types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        double least = without;
        for (int i = 0; i < best.count; i++) {
            const double cost = cost_of(outlook, with_type(without_type(hand, best.type[i]), type));
            least = cost < least ? cost : least;
        }
        sum += least * cards_of_type(outlook->unseen, type);
    }
    const int count = cards_count(outlook->unseen);
    return count && sum < without * count ? sum / count : without;
}

/* Whether to take the card on offer, and give away another, in place of a draw, which `otherwise` leads to. */
static int takes(const struct rummy_state *state, const struct outlook *outlook, int otherwise, double *values)
{
    const struct cards hand = state->hands[state->on_turn];
    const int offer = card_type(rummy_offer(state));
    const struct discards best = best_discards(outlook, with_type(hand, offer), NULL);
    const double draw = cost_of_draw(outlook, hand);
    note(values, ACTION_take, -best.cost[0]);
    note(values, otherwise, -draw);
    return best.cost[0] < draw;
}

/* Before it is down, and not about to be, it thinks for itself; else it plays as greedy does. */
static int thinks(const struct rummy_state *state)
{
    const int lay = mh_set_next(state->legal, LEGAL_WORDS, ACTION_set);
    const int lays = lay >= 0 && lay < ACTION_discard;
    return !lays && !rummy_is_down(state, state->head.seat) && state->phase != PHASE_ASK;
}

/* The action to play. `values`, by action, may be NULL; otherwise it gets all but that of granting a card. */
static int choose(const struct rummy_state *state, double *values)
{
    const struct outlook outlook = outlook_of(state, state->head.seat);
    switch (state->phase) {
    case PHASE_ANSWER:
        return takes(state, &outlook, ACTION_refuse, values) ? ACTION_take : ACTION_refuse;
    case PHASE_START:
        return takes(state, &outlook, ACTION_draw, values) ? ACTION_take : ACTION_draw;
    default:
        return ACTION_discard + best_discards(&outlook, state->hands[state->on_turn], values).type[0];
    }
}

int rummy_expert(const struct rummy_state *state, struct mh_rng *rng)
{
    return thinks(state) ? choose(state, NULL) : rummy_greedy(state, rng);
}

/* It reckons in points, which are the reward where that is the score. */
void rummy_expert_values(const struct rummy_state *state, double *values)
{
    if (thinks(state) && state->options[OPTION_reward] == REWARD_SCORE) {
        (void)choose(state, values);
    }
}
