/* The expert's knowledge besides its hand: how fast cards come, how fast others declare, what a hand pays. */
#include "expert.h"

/* ---- The other seats ------------------------------------------------------------------------------------- */

/* Rates at which the other seats declare, in thousandths a cycle, for 2-6 players and from the second cycle on, as a
 * useful card takes about one to come; cycles after the last are like it. Printed by benchmarks/mhing_hazards.py from
 * play of greedy against itself. */
enum { CYCLES = 11 };
static const uint16_t hazards[SEATS - 1][CYCLES] = {
    {2, 7, 20, 35, 58, 71, 89, 103, 115, 128, 151},         {9, 31, 69, 114, 164, 208, 248, 287, 326, 342, 377},
    {22, 70, 147, 240, 332, 404, 491, 531, 545, 622, 622},  {41, 130, 261, 395, 548, 634, 744, 827, 827, 827, 827},
    {76, 214, 413, 603, 795, 998, 998, 998, 998, 998, 998},
};

static double hazard_at(int players, double cycle)
{
    const uint16_t *row = hazards[players - 2];
    const int last = CYCLES - 1;
    const int before = (int)cycle;
    const double thousandths =
        before >= last ? row[last] : row[before] + (row[before + 1] - row[before]) * (cycle - before);
    return thousandths / 1000;
}

/* ---- Cards that come -------------------------------------------------------------------------------------- */

/* A card comes by another's discard, beside by an own draw, so often: for MHING; for a meld, since another may take it
 * first; a joker. And a useful card of any hand, since only some can be claimed. */
static const double given = 0.8;
static const double given_for_meld = 0.6;
static const double given_joker = 0.1;
static const double given_of_useful = 0.3;

static void set_rates(struct outlook *outlook, const struct mhing_player *player, int others)
{
    int unseen = 0;
    for (int type = 0; type <= JOKER; type++) {
        unseen += player->unseen[type];
    }
    for (int type = 0; type <= JOKER; type++) {
        const double draw = unseen ? (double)player->unseen[type] / unseen : 0;
        outlook->draw[type] = draw;
        outlook->claim[type] = type == JOKER ? draw : draw * (1 + others * given_for_meld);
        outlook->declare[type] = draw * (1 + others * (type == JOKER ? given_joker : given));
    }
}

void mhing_begin_outlook(const struct mhing_state *state, struct outlook *outlook)
{
    static const uint8_t useful[] = {0, 7, 17, 30, 42, 52, 60}; /* cards of a typical hand, by distance */
    enum { UNSEEN = 110, KNOWN = sizeof useful - 1 };
    static const double next = 1.25;    /* cycles from one useful card to the next, about */
    static const double patience = 0.9; /* others are not quite as fast where a seat takes cards from them */
    const int players = state->head.seats;
    const double now = (double)state->num_discards / players;
    for (int stage = 0; stage < STAGES; stage++) {
        const double end = patience * hazard_at(players, now + next * stage);
        const double share = stage == 1 ? given : given_of_useful;
        outlook->end[stage] = end > 0.01 ? end : 0.01;
        outlook->pace[stage] = (double)useful[stage < KNOWN ? stage : KNOWN] / UNSEEN * (1 + (players - 1) * share);
    }
    outlook->branch = 0;
    known_groups_clear(&outlook->known);
}

/* A discard can be claimed with a pair or two neighbours. */
double mhing_rate_of(const struct outlook *outlook, const struct mhing_hand *hand, int type)
{
    int claimable = type != JOKER && hand->count[type] > 1;
    if (type < SUIT_TYPES) {
        const unsigned near = (unsigned)(hand->held >> (hand_place(type) - 2)) & 31; /* the type itself is bit 2 */
        claimable |= (near & 3) == 3 || (near & 10) == 10 || (near & 24) == 24;
    }
    return claimable ? outlook->claim[type] : outlook->draw[type];
}

/* ---- Pay of a hand --------------------------------------------------------------------------------------- */

/* The chips that a declarer gets (R8.4-R8.6); payer: the seat that pays double, or -1. */
static double chips_paid(const struct mhing_state *state, int seat, int payer, int32_t points)
{
    double sum = 0;
    for (int other = 0; other < state->head.seats; other++) {
        if (other != seat) {
            const int32_t owed = other == payer ? 2 * points : points;
            sum += owed < state->chips[other] ? owed : state->chips[other];
        }
    }
    return sum;
}

int mhing_goal(const struct mhing_state *state)
{
    const int32_t *options = state->options;
    if (options[OPTION_reward] != REWARD_WIN || !options[OPTION_episode]) {
        return options[OPTION_reward];
    }
    return options[OPTION_scoring] == SCORING_CHIPS ? REWARD_CHIPS : REWARD_POINTS;
}

double mhing_earned(const struct mhing_state *state, int seat, int payer, int credits)
{
    const int goal = mhing_goal(state);
    if (goal == REWARD_CREDITS) {
        return credits;
    }
    const int32_t points = mhing_points(credits);
    switch (goal) {
    case REWARD_POINTS: {
        const int32_t target = state->options[OPTION_target] - state->scores[seat];
        const int is_race = state->options[OPTION_reward] == REWARD_WIN && state->options[OPTION_target];
        return is_race && points > target ? target : points;
    }
    case REWARD_CHIPS:
        return chips_paid(state, seat, payer, points);
    default:
        return 1;
    }
}

/* What a declaration brings on average with discards of the other seats, times these; `drawn`: with an own draw. */
static double earned_by_discards(const struct mhing_state *state, int seat, int credits, double drawn)
{
    const int players = state->head.seats;
    double sum = 0;
    if (mhing_goal(state) != REWARD_CHIPS) { /* no matter whose discard it is */
        return (players - 1) * drawn;
    }
    for (int other = 0; other < players; other++) {
        sum += other == seat ? 0 : mhing_earned(state, seat, other, credits);
    }
    return sum;
}

/* The worth of a hand in the future, no matter whose discard completes it. */
static void set_worths(struct outlook *outlook, const struct mhing_state *state, int seat)
{
    enum { TYPICAL = 16 }; /* points of a hand that another declares */
    const int players = state->head.seats;
    const double by_discard = (players - 1) * given / (1 + (players - 1) * given);
    outlook->lost = 0;
    for (int credits = 0; credits <= MOST_CREDITS; credits++) {
        const double drawn = mhing_earned(state, seat, -1, credits);
        outlook->worth[credits] =
            (1 - by_discard) * drawn + by_discard * earned_by_discards(state, seat, credits, drawn) / (players - 1);
    }
    if (mhing_goal(state) == REWARD_CHIPS) {
        const double owed = TYPICAL * (1 + by_discard / (players - 1));
        outlook->lost = -(owed < state->chips[seat] ? owed : state->chips[seat]);
    }
}

void mhing_look_ahead(const struct mhing_state *state, int seat, const struct mhing_player *player,
                      struct outlook *outlook)
{
    mhing_begin_outlook(state, outlook);
    set_rates(outlook, player, state->head.seats - 1);
    set_worths(outlook, state, seat);
    memset(outlook->tags, 0, sizeof outlook->tags);
}
