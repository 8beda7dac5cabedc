/* The cards that may come to a hand, and its chance to meet the objective: in the time that the others leave, each
 * unseen card comes to the seat with the same chance, by itself. So each rank becomes a set, and each suit has a run
 * that lacks so many cards, with a chance that is counted exactly. */
#include "outlook.h"

static const struct rummy_weights weights_of[OBJECTIVES] = {
    {6.0, 6.5, 1.0, 10, 0.91, 10, 0.35}, {6.5, 7.4, 1.0, 10, 0.91, 10, 0.45}, {9.0, 4.5, 1.0, 21, 0.81, 5, 0.2},
    {5.7, 2.2, 1.0, 17, 0.85, 2, 0.2},   {5.0, 2.5, 0.7, 23, 0.73, 0, 0},     {7.7, 3.0, 0.4, 33, 0.54, 0, 0},
};

/* ---- Chances of cards ------------------------------------------------------------------------------------- */

/* Own turns to be expected before the round ends. Turns gone follow from the draw pile, as far as the observation shows
 * them. A seat that is down needs about one for each of its cards. */
static double turns_left(const struct rummy_state *state, int seat)
{
    const int players = state->head.seats;
    const double pace = 2.2 / (0.6 + 0.4 * players);
    const double gone = (double)rummy_gone(state) / players;
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
static struct rummy_weights weights_for(const struct rummy_state *state)
{
    struct rummy_weights weights = weights_of[rummy_objective(state)];
    if (state->options[OPTION_reward] == REWARD_WIN && rummy_rounds(state) == 1) {
        weights.missed += 150;
        weights.met_share *= 4;
    }
    return weights;
}

struct rummy_outlook rummy_outlook_of(const struct rummy_state *state, int seat, struct known_runs *known)
{
    const double a_turn = 1.2; /* cards to choose from in a turn: the draw, and now and then a discard */
    const int objective = rummy_objective(state);
    struct rummy_outlook outlook = {.known = known,
                                    .objective = rummy_objectives[objective],
                                    .weights = weights_for(state),
                                    .wild = rummy_is_wild_round(state),
                                    .turns = turns_left(state, seat),
                                    .unseen = rummy_unseen(state, seat),
                                    .fitting = state->fitting};
    memset(known->cards, 0, sizeof known->cards);
    const double chance = chance_within(outlook.turns * a_turn / (cards_count(outlook.unseen) + 1));
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
    for (int rank = 0; rank < RANKS; rank++) {
        outlook.points[rank] = rummy_card_points(rank, 0);
    }
    for (int k = 0; k <= WILDS_MORE; k++) {
        outlook.wilds[k] = wilds[k] - (k < WILDS_MORE ? wilds[k + 1] : 0);
    }
    return outlook;
}

/* ---- Runs ------------------------------------------------------------------------------------------------- */

/* Cards that four places in a row lack, by those that are there. */
static const uint8_t missing_of[1 << RUN_CARDS] = {4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0};

enum { THREES = 1 << (RUN_CARDS - 1) /* patterns of three places in a row */ };

/* The chance of each pattern of the first three places of a suit, however many cards a run may lack. */
static void go_to_third(const double has[PLACES], double chances[THREES])
{
    chances[0] = 1;
    for (int place = 0; place < RUN_CARDS - 1; place++) {
        for (int pattern = (1 << place) - 1; pattern >= 0; pattern--) {
            const double chance = chances[pattern];
            chances[2 * pattern] = chance * (1 - has[place]);
            chances[2 * pattern + 1] = chance * has[place];
        }
    }
}

/* Goes on to a place with the chance of each pattern of the last three, as long as no four in a row lack at most so
 * many cards. Returns the chance that four do there. Of three that lack too few for that, none are left after the first
 * four. */
static inline double go_to(const double has[PLACES], int place, int lacking, double chances[THREES])
{
    double after[THREES] = {0};
    double complete = 0;
    for (int three = 0; three < THREES; three++) {
        const int without = 2 * three, with = without + 1;
        if (place > RUN_CARDS - 1 && missing_of[three] <= lacking) {
            continue;
        }
        *(missing_of[without] <= lacking ? &complete : &after[without % THREES]) +=
            chances[three] * (1 - has[place]);
        *(missing_of[with] <= lacking ? &complete : &after[with % THREES]) += chances[three] * has[place];
    }
    memcpy(chances, after, sizeof after);
    return complete;
}

/* Goes up the places of a suit from the fourth on. Returns the chance that four in a row lack at most so many cards;
 * `first`, by lowest place, is that of the first four. */
static inline double go_up(const double has[PLACES], const double begun[THREES], int lacking, double first[LOWS])
{
    double chances[THREES];
    memcpy(chances, begun, sizeof chances);
    double sum = first[0] = go_to(has, RUN_CARDS - 1, lacking, chances);
    for (int place = RUN_CARDS; place < PLACES; place++) {
        first[place - (RUN_CARDS - 1)] = go_to(has, place, lacking, chances);
        sum += first[place - (RUN_CARDS - 1)];
    }
    return sum;
}

/* Each number has a separate loop, whose length the compiler knows. */
static double chance_of_run(const double has[PLACES], const double begun[THREES], int lacking, double first[LOWS])
{
    switch (lacking) {
    case 0:
        return go_up(has, begun, 0, first);
    case 1:
        return go_up(has, begun, 1, first);
    case 2:
        return go_up(has, begun, 2, first);
    default:
        return go_up(has, begun, RUN_CARDS - 1, first);
    }
}

/* `wilds` are those held that a run of this suit can use; more may come. */
static struct suit_runs runs_of(const struct rummy_outlook *outlook, struct holding hand, int suit, int wilds)
{
    struct suit_runs runs = {.lacks_at_most = {1, 1, 1, 1, 1}};
    double has[PLACES];
    double begun[THREES];
    for (int place = 0; place < PLACES; place++) {
        const int type = place_type(suit, place);
        has[place] = hand.any >> type & 1 ? 1 : outlook->comes[type];
    }
    go_to_third(has, begun);
    for (int lacking = 0; lacking <= hand.wilds + WILDS_MORE && lacking < RUN_CARDS; lacking++) {
        double first[LOWS];
        runs.lacks_at_most[lacking] = chance_of_run(has, begun, lacking, first);
        for (int place = 0; lacking == wilds && place < LOWS + RUN_CARDS - 1; place++) {
            for (int low = place < RUN_CARDS ? 0 : place - RUN_CARDS + 1; low <= place && low < LOWS; low++) {
                runs.takes[place % HIGH_ACE] += first[low];
            }
        }
    }
    return runs;
}

/* The chance that two suits have runs that lack at most so many cards together: goes through the suits with the chance
 * of the fewest that a run lacks, and the fewest of another; `none`: more than `wilds`. Each chance follows from those
 * after it, so they are changed where they stand. After the last suit only those that are summed are of use. */
static inline double go_through(const struct suit_runs suits[SUITS], int wilds)
{
    const int none = wilds + 1;
    double chances[RUN_CARDS + 2][RUN_CARDS + 2] = {{0}};
    double sum = 0;
    chances[none][none] = 1;
    for (int suit = 0; suit < SUITS; suit++) {
        const double *at_most = suits[suit].lacks_at_most;
        const double more = 1 - at_most[wilds];
        double exactly[RUN_CARDS + 1];
        for (int lacking = 0; lacking <= wilds; lacking++) {
            exactly[lacking] = at_most[lacking] - (lacking ? at_most[lacking - 1] : 0);
        }
        for (int one = 0; one <= wilds; one++) {
            for (int two = one; two <= (suit < SUITS - 1 ? wilds : wilds - one); two++) {
                double chance = chances[one][two] * more;
                for (int lacking = two; lacking <= wilds; lacking++) {
                    chance += chances[one][two] * exactly[lacking];
                }
                for (int then = two + 1; then <= none; then++) {
                    chance += chances[one][then] * exactly[two];
                }
                for (int then = two; one < two && then <= none; then++) {
                    chance += chances[two][then] * exactly[one];
                }
                chances[one][two] = chance;
            }
            chances[one][none] = chances[one][none] * more + chances[none][none] * exactly[one];
        }
        chances[none][none] *= more;
    }
    for (int one = 0; one <= wilds; one++) {
        for (int two = one; one + two <= wilds; two++) {
            sum += chances[one][two];
        }
    }
    return sum;
}

/* Each number has a separate loop, as with chance_of_run. */
static double chance_of_two_runs(const struct suit_runs suits[SUITS], int wilds)
{
    switch (wilds) {
    case 0:
        return go_through(suits, 0);
    case 1:
        return go_through(suits, 1);
    case 2:
        return go_through(suits, 2);
    case 3:
        return go_through(suits, 3);
    default:
        return go_through(suits, RUN_CARDS);
    }
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

/* The naturals that are left for sets: how many of each rank, less what runs are likely to take, and their points, but
 * for cards that could be laid off. */
struct for_sets {
    double count[RANKS];
    double points[RANKS];
};

static double at_most_one(double x)
{
    return x < 1 ? x : 1;
}

static struct for_sets left_for_sets(const struct rummy_outlook *outlook, struct holding hand,
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
                left.points[rank] += count * outlook->points[rank];
            }
        }
    }
    return left;
}

/* The chance that so many cards of a rank, and those to come, are at least `wanted`; between whole numbers in a
 * line. */
static double chance_to_have(const struct rummy_outlook *outlook, int rank, double held, int wanted)
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
static double chance_of_sets(const struct rummy_outlook *outlook, const struct for_sets *left, double one[RANKS],
                             double *idle)
{
    const int sets = outlook->objective.sets;
    double none = 1, single = 0, couple = 0; /* the chances of 0, 1 and 2 sets */
    double sum = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        one[rank] = chance_to_have(outlook, rank, left->count[rank], SET_CARDS);
        const double two = chance_to_have(outlook, rank, left->count[rank], TWO_SETS);
        sum += one[rank];
        couple = couple * (1 - one[rank]) + single * (one[rank] - two) + none * two;
        single = single * (1 - one[rank]) + none * (one[rank] - two);
        none = none * (1 - one[rank]);
    }
    const double fewer = sets > 2 ? none + single + couple : sets > 1 ? none + single : sets > 0 ? none : 0;
    for (int rank = 0; rank < RANKS; rank++) {
        *idle += left->points[rank] * (1 - (sum > 0 ? at_most_one(sets * one[rank] / sum) : 0));
    }
    return 1 - fewer;
}

/* ---- Hands ------------------------------------------------------------------------------------------------ */

struct cards rummy_without_type(struct cards hand, int type)
{
    cards_remove(&hand, cards_have(&hand, type) ? type : TYPES + type);
    return hand;
}

struct cards rummy_with_type(struct cards hand, int type)
{
    cards_add(&hand, cards_have(&hand, type) ? TYPES + type : type);
    return hand;
}

/* A card can be wanted by a run and by a set, so that the chances of both make too much of it. */
static int wants_both(const struct rummy_outlook *outlook)
{
    return outlook->objective.runs && outlook->objective.sets;
}

/* Each card that came makes at most one lack less, each that went at most one more. */
static void find_lacking(const struct rummy_outlook *outlook, const struct rummy_prospects *like,
                         struct rummy_prospects *self)
{
    const int least = like ? like->lacking - cards_count(cards_without(self->hand, like->hand)) : 0;
    const int limit = like ? like->lacking + cards_count(cards_without(like->hand, self->hand)) : ALL_LACK;
    self->lacking = rummy_lacking(&self->holding, outlook->objective, least, limit);
}

void rummy_find_lacking(const struct rummy_outlook *outlook, const struct rummy_prospects *like,
                        struct rummy_prospects *self)
{
    if (!wants_both(outlook)) {
        find_lacking(outlook, like, self);
    }
}

void rummy_find_useful(const struct rummy_outlook *outlook, struct rummy_prospects *self)
{
    self->useful = cards_any(outlook->unseen) & rummy_helping(&self->holding, outlook->objective, self->lacking);
}

/* The chance that one of the cards comes that are all that lacks. */
static double chance_of_last_card(const struct rummy_outlook *outlook, uint64_t last)
{
    double none = 1;
    for (; last; last &= last - 1) {
        const int type = mh_bits_lowest(last);
        const int wild = outlook->wild && is_black_two(type);
        none *= 1 - (wild ? outlook->least_of[cards_of_type(outlook->unseen, type)][1] : outlook->comes[type]);
    }
    return 1 - none;
}

/* Looks the suits up among the known ones. */
static void count_suits(const struct rummy_outlook *outlook, struct rummy_prospects *self, int wilds)
{
    struct known_runs *known = outlook->known;
    for (int suit = 0; suit < SUITS; suit++) {
        const uint32_t cards = 1 + ((uint32_t)self->holding.wilds << RANKS | suit_ranks(self->holding.any, suit));
        const int place = (int)(cards * 0x9E3779B1u >> (32 - KNOWN_RUNS_BITS));
        if (known->cards[suit][place] != cards) {
            known->cards[suit][place] = cards;
            known->runs[suit][place] = runs_of(outlook, self->holding, suit, wilds);
        }
        self->suits[suit] = known->runs[suit][place];
    }
}

void rummy_look_at(const struct rummy_outlook *outlook, struct cards hand, const struct rummy_prospects *like,
                   struct rummy_prospects *prospects)
{
    const struct rummy_weights *weights = &outlook->weights;
    const int runs = outlook->objective.runs;
    *prospects = (struct rummy_prospects){.hand = hand, .holding = holding_of(hand, outlook->wild), .runs = 1};
    if (wants_both(outlook)) {
        find_lacking(outlook, like, prospects);
    }
    const int each = runs == 2 ? prospects->holding.wilds / 2 : prospects->holding.wilds;
    const int wilds = each < RUN_CARDS ? each : RUN_CARDS - 1;
    if (runs) {
        prospects->runs = 0;
        count_suits(outlook, prospects, wilds);
        for (int more = 0; more <= WILDS_MORE; more++) {
            prospects->runs +=
                outlook->wilds[more] * chance_of_runs(prospects->suits, runs, prospects->holding.wilds + more);
        }
    }
    const struct for_sets left = left_for_sets(outlook, prospects->holding, prospects->suits, wilds);
    prospects->sets = chance_of_sets(outlook, &left, prospects->of_rank, &prospects->idle);
    double chance = prospects->runs * prospects->sets;
    double odds = weights->odds;
    if (wants_both(outlook)) {
        if (prospects->lacking == 1) {
            rummy_find_useful(outlook, prospects);
        }
        chance = prospects->lacking == 0   ? 1
                 : prospects->lacking == 1 ? chance_of_last_card(outlook, prospects->useful)
                                           : chance;
        for (int i = 1; i < prospects->lacking; i++) {
            odds *= weights->farther;
        }
    }
    prospects->met = odds * chance / (odds * chance + 1 - chance);
    prospects->cost =
        (1 - prospects->met) * (weights->missed + weights->missed_share * rummy_points(hand, outlook->wild)) +
        prospects->met * (weights->met + weights->met_share * prospects->idle);
}
