/* The hopes of a seat: see outlook.h.
 *
 * The constants below and in turns.h were chosen by playing; benchmarks/RESULTS.md has what the bot earns with them.
 */
#include "outlook.h"

/* The discard on offer helps less than a draw: some turns have none, and nobody discards at random. */
static const double OFFER = 0.7;
/* The chance that each sequence that lacks two cards adds, in draws of one card. */
static const double LACKING_TWO = 0.12;
/* The chance to lay a sequence made of cards to come alone; more after a sequence, which brings two more cards, and
 * for each card that would free an ace. */
static const double TO_COME = 0.03;
static const double TWO_DRAWN = 0.15;
static const double FREED_ACE = 0.02;
/* Two cards in one hand that would let it take a third are rarer than by chance: it would have laid or used them. */
static const double PAIR_HELD = 0.6;

enum { NO_DISCARD = -1 };

/* ---- Hopes of a hand ------------------------------------------------------------------------------------- */

void outlook_tallies(const struct position *position, uint8_t tallies[KINDS])
{
    general_scores_with(position->block.sequence_kind, general_num_sequences(&position->block), tallies);
}

/* The rate at which cards come: the chance in a turn that a certain one does, and a weight for sequences that lack
 * two. */
struct supply {
    double each;
    double lacking_two;
};

/* The sequences that the cards of one suit may become: the tallies of sequences that lack two, then the highest tally
 * that each card of which one lacks brings at once. */
struct suit_hopes {
    int ready; /* as in struct hopes */
    int lacking_two, lacking_one;
    uint8_t tallies[LOWS + RANKS];
};

static void look_at_suit(unsigned held, unsigned live, const uint8_t tallies[LOWS], struct suit_hopes *suit)
{
    const struct lacks lacks = lacks_of(held, live);
    uint8_t best[RANKS];
    suit->ready = -1;
    suit->lacking_two = suit->lacking_one = 0;
    for (unsigned rest = lacks.by_count[0]; rest; rest &= rest - 1) {
        const int tally = tallies[mh_bits_lowest(rest)];
        suit->ready = tally > suit->ready ? tally : suit->ready;
    }
    for (int low = 0; low < LOWS; low++) { /* the next one overwrites what is not counted */
        suit->tallies[suit->lacking_two] = tallies[low];
        suit->lacking_two += lacks.by_count[2] >> low & 1;
    }
    const unsigned completing = completing_ranks(held, live, lacks.by_count[1], tallies, best);
    for (int rank = 0; rank < RANKS; rank++) {
        suit->tallies[suit->lacking_two + suit->lacking_one] = best[rank];
        suit->lacking_one += completing >> rank & 1;
    }
}

static void look_at_suits(const struct outlook *outlook, uint64_t hand, const uint8_t tallies[KINDS],
                          struct suit_hopes suits[SUITS])
{
    for (int suit = 0; suit < SUITS; suit++) {
        look_at_suit(suit_ranks(hand, suit), suit_ranks(outlook->live, suit), tallies + suit * LOWS, &suits[suit]);
    }
}

/* Adds what a suit brings to the hopes of so many hands, a chance to all of them: the sums of one hand wait for one
 * another. */
static void add_hopes(const struct suit_hopes *suit, struct supply supply, struct hopes *hopes, int count)
{
    for (int i = 0; i < count; i++) {
        hopes[i].ready = suit->ready > hopes[i].ready ? suit->ready : hopes[i].ready;
    }
    for (int k = 0; k < suit->lacking_two + suit->lacking_one; k++) {
        const double chance = k < suit->lacking_two ? supply.lacking_two : supply.each;
        for (int i = 0; i < count; i++) {
            hopes[i].chances[suit->tallies[k]] += chance;
        }
    }
}

static const struct hopes no_hopes = {{0}, -1};

static struct hopes hopes_of(const struct suit_hopes suits[SUITS], struct supply supply)
{
    struct hopes hopes = no_hopes;
    for (int suit = 0; suit < SUITS; suit++) {
        add_hopes(&suits[suit], supply, &hopes, 1);
    }
    return hopes;
}

/* The supply of a hand when its turn ends. */
static struct supply supply_of_turns(const struct outlook *outlook)
{
    return (struct supply){(1 + OFFER) * outlook->each, LACKING_TWO * outlook->each};
}

/* Returns the worth of a hand when its turn ends; `to_come` is its chance to lay what needs no card of it. */
static double worth_of(const struct outlook *outlook, const struct standing *standing,
                       const struct suit_hopes suits[SUITS], double to_come, double take)
{
    struct hopes hopes = hopes_of(suits, supply_of_turns(outlook));
    race_hope_more(standing->level, to_come, &hopes);
    return race_worth_with(standing, &hopes, take);
}

static double chance_to_take_left(const struct outlook *outlook)
{
    return outlook->left ? outlook_take_chance(outlook, outlook->left - 1) : NO_DISCARD;
}

static void stand(const struct outlook *outlook, const struct position *position, struct standing *standing)
{
    const int level = race_level(general_num_sequences(&position->block), position_tally(position));
    race_stand(&outlook->race, level, standing);
}

double outlook_waiting(const struct outlook *outlook, const struct position *position, const uint8_t tallies[KINDS])
{
    struct suit_hopes suits[SUITS];
    struct standing standing;
    stand(outlook, position, &standing);
    look_at_suits(outlook, position->hand, tallies, suits);
    return worth_of(outlook, &standing, suits, TO_COME, chance_to_take_left(outlook));
}

/* A discard changes what one suit brings. */
void outlook_discards(const struct outlook *outlook, const struct position *position, const uint8_t tallies[KINDS],
                      double worth[CARDS])
{
    const struct supply supply = supply_of_turns(outlook);
    struct suit_hopes suits[SUITS];
    struct standing standing;
    struct hopes all = no_hopes;
    struct hopes after[CARDS]; /* of each discard, in the order of the cards */
    int count = 0;
    stand(outlook, position, &standing);
    look_at_suits(outlook, position->hand, tallies, suits);
    for (int suit = 0; suit < SUITS; suit++) {
        const unsigned held = suit_ranks(position->hand, suit);
        add_hopes(&suits[suit], supply, after, count);
        for (unsigned rest = held; rest; rest &= rest - 1) {
            struct suit_hopes without;
            look_at_suit(held & ~(rest & (~rest + 1)), suit_ranks(outlook->live, suit), tallies + suit * LOWS,
                         &without);
            after[count] = all;
            add_hopes(&without, supply, &after[count++], 1);
        }
        add_hopes(&suits[suit], supply, &all, 1);
    }
    count = 0;
    for (uint64_t rest = position->hand; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        race_hope_more(standing.level, TO_COME, &after[count]);
        worth[card] = race_worth_with(&standing, &after[count++], outlook_take_chance(outlook, card));
    }
}

double outlook_laid(const struct outlook *outlook, const struct position *after, const uint8_t tallies[KINDS],
                    struct sequence sequence)
{
    double to_come = TO_COME + TWO_DRAWN;
    if (sequence.ace) {
        const int suit = kind_suit(sequence.kind);
        const unsigned wanted = ranks_between_or_beside(sequence_naturals(sequence));
        to_come += FREED_ACE * mh_bits_count(wanted & suit_ranks(outlook->live | after->hand, suit));
    }
    struct suit_hopes suits[SUITS];
    struct standing standing;
    stand(outlook, after, &standing);
    look_at_suits(outlook, after->hand, tallies, suits);
    return worth_of(outlook, &standing, suits, to_come, chance_to_take_left(outlook));
}

double outlook_drawing(const struct outlook *outlook, const struct position *position, const uint8_t tallies[KINDS])
{
    const struct supply one_draw = {outlook->each, 0};
    struct suit_hopes suits[SUITS];
    struct standing standing;
    stand(outlook, position, &standing);
    look_at_suits(outlook, position->hand, tallies, suits);
    const struct hopes hopes = hopes_of(suits, one_draw);
    return race_draw(&standing, &hopes, worth_of(outlook, &standing, suits, TO_COME, NO_DISCARD));
}

/* ---- Costs of a discard ---------------------------------------------------------------------------------- */

static double chance_of_both(const double held[RANKS], int one, int other)
{
    const double both = held[one] * held[other];
    return held[one] < 1 && held[other] < 1 ? both * PAIR_HELD : both;
}

/* The chance that the next seat lacks one of each two cards that make a sequence with an ace: naturals at most two
 * ranks apart. */
static double chance_to_leave_ace(const double held[RANKS])
{
    enum { FAR = SEQUENCE_CARDS - 1 };
    double not_taken = 1;
    for (int one = 1; one < RANKS; one++) {
        for (int other = one + 1; other <= one + FAR && other < RANKS; other++) {
            not_taken *= 1 - chance_of_both(held, one, other);
        }
    }
    return not_taken;
}

/* The same for a natural: an ace and a natural at most two ranks away, or two naturals. */
static double chance_to_leave_natural(const double held[RANKS], int rank)
{
    enum { FAR = SEQUENCE_CARDS - 1 };
    double not_taken = 1;
    for (int other = rank > FAR ? rank - FAR : 1; other <= rank + FAR && other < RANKS; other++) {
        not_taken *= other == rank ? 1 : 1 - chance_of_both(held, 0, other);
    }
    for (int low = rank > FAR ? rank - FAR : 1; low <= rank && low + FAR < RANKS; low++) {
        const int one = low == rank ? low + 1 : low;
        const int other = low + FAR == rank ? rank - 1 : low + FAR;
        not_taken *= 1 - chance_of_both(held, one, other);
    }
    return not_taken;
}

double outlook_take_chance(const struct outlook *outlook, int card)
{
    const double *held = outlook->held + card_suit(card) * RANKS;
    const int rank = card_rank(card);
    return 1 - (rank ? chance_to_leave_natural(held, rank) : chance_to_leave_ace(held));
}

/* ---- Knowledge of a seat --------------------------------------------------------------------------------- */

int outlook_aim(const struct general_state *state)
{
    const int reward = state->options[OPTION_reward];
    return reward == REWARD_WIN && state->options[OPTION_episode] ? REWARD_MARGIN : reward;
}

static uint8_t left_below(const struct general_state *state, int places)
{
    return state->options[OPTION_offer] == OFFER_TOP ? general_discard_below(state, places) : 0;
}

struct outlook outlook_after_taking(const struct general_state *state, const struct outlook *outlook)
{
    struct outlook taken = *outlook;
    taken.left = left_below(state, 1);
    return taken;
}

void outlook_of(const struct general_state *state, struct outlook *outlook)
{
    int seat = state->on_turn;
    outlook->live = general_unseen(state, seat);
    outlook->each = 1.0 / mh_bits_count(outlook->live);
    outlook->left = left_below(state, 0);
    race_begin(&outlook->race, state->head.seats, outlook_aim(state));
    for (int i = 0; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        const struct general_seat *block = &state->blocks[seat];
        outlook->race.levels[i] = race_level(general_num_sequences(block), block->tally[0]);
    }
    const int next = mh_head_next(&state->head, state->on_turn);
    const uint64_t known = state->hands[next] & state->shown;
    const int hidden = mh_bits_count(state->hands[next]) - mh_bits_count(known);
    const double chances[] = {0, hidden * outlook->each, 1,
                              1}; /* looked up: which cards are live cannot be guessed */
    for (int card = 0; card < CARDS; card++) {
        outlook->held[card] = chances[(known >> card & 1) << 1 | (outlook->live >> card & 1)];
    }
}
