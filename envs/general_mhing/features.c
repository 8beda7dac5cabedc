/* Afterstates, in the numbers that a net judges (MH_HAS_AFTERSTATES).
 *
 * Four things decide what a hand is worth: where the seats stand in the race, which sequences the hand is close to, how
 * many points those would add, and what the others can still do. So sequences are counted by how many cards they lack
 * and by the points that they would add to those in front of the seat; two of them also together, because the second
 * one is often dearer for the first. The expert's own judgement is one more number: a net need only learn where it
 * errs.
 *
 * All of it follows from what the seat knows once it has played, before anything is drawn. A move that leads to another
 * choice at once, a card taken or a swap before the discard, is worth its best continuation: each of them is shown.
 */
#include <math.h>
#include <stdlib.h>

#include "outlook.h"

enum { GAINS = 6, PAIR_GAINS = 8 };

/* The divisors of the numbers, which are then about 0 to 1. */
static const float MANY_CARDS = 8;
static const float MANY_KINDS = 16;
static const float MANY_POINTS = 5;
static const float MANY_TURNS = 40;

/* The part that no action of the seat on turn can change. */
struct around {
    struct outlook outlook;
    uint64_t next_discards;      /* cards of the pile that the next seat discarded */
    uint8_t next_tallies[KINDS]; /* what each kind would make of the next seat's tally */
    int32_t tallies[SEATS];      /* of the others, by how far they sit clockwise */
    int32_t sequences[SEATS];
    float reached[SEATS][TALLIES];    /* by other seat and tally: kinds with which it would have that many points */
    struct general_features features; /* those that are the same after all actions */
};

/* The place of a number of points added, from one lost on. */
static int gain_place(int before, int after, int places)
{
    const int gain = after - before + 1;
    return gain < 0 ? 0 : gain < places ? gain : places - 1;
}

/* ---- The other seats ------------------------------------------------------------------------------------- */

/* Sequences that another seat may still lay, as far as the seat on turn knows. */
static void count_kinds(const struct general_state *state, int seat, struct around *around, int other,
                        float kinds[GAINS])
{
    const struct position position = {.block = state->blocks[seat]};
    const uint64_t cards = around->outlook.live | (state->hands[seat] & state->shown);
    const int now = position_tally(&position);
    uint8_t tallies[KINDS];
    outlook_tallies(&position, tallies);
    for (int suit = 0; suit < SUITS; suit++) {
        const struct lacks lacks = lacks_of(0, suit_ranks(cards, suit));
        for (unsigned rest = lacks.by_count[SEQUENCE_CARDS]; rest; rest &= rest - 1) {
            const int tally = tallies[suit * LOWS + mh_bits_lowest(rest)];
            kinds[gain_place(now, tally, GAINS)] += 1 / MANY_KINDS;
            around->reached[other][tally] += 1 / MANY_KINDS;
        }
    }
}

static void look_around(const struct general_state *state, struct around *around)
{
    struct general_features *features = &around->features;
    const int next = mh_head_next(&state->head, state->on_turn);
    const int third = mh_head_next(&state->head, next);
    const struct position of_next = {.block = state->blocks[next]};
    memset(around->reached, 0, sizeof around->reached);
    memset(features, 0, sizeof *features);
    around->next_discards = 0;
    outlook_of(state, &around->outlook);
    outlook_tallies(&of_next, around->next_tallies);
    for (int i = 0; i < state->num_discards; i++) {
        around->next_discards |= state->discarded_by[i] == next + 1 ? card_bit(state->discards[i] - 1) : 0;
    }
    for (int i = 0, seat = state->on_turn; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        around->tallies[i] = state->blocks[seat].tally[0];
        around->sequences[i] = general_num_sequences(&state->blocks[seat]);
    }
    features->next_level[around->outlook.race.levels[1]] = 1;
    features->known_aces[0] = (float)mh_bits_count(state->hands[next] & state->shown);
    count_kinds(state, next, around, 0, features->next_kinds);
    if (third != state->on_turn) {
        features->third_level[around->outlook.race.levels[2]] = 1;
        features->known_aces[1] = (float)mh_bits_count(state->hands[third] & state->shown);
        count_kinds(state, third, around, 1, features->third_kinds);
    }
    const float turns_left = (float)(state->options[OPTION_turn_limit] - state->turn);
    features->turns_left[0] = turns_left < MANY_TURNS ? turns_left / MANY_TURNS : 1;
    features->unseen[0] = (float)mh_bits_count(around->outlook.live) / CARDS;
}

/* ---- The own hand ---------------------------------------------------------------------------------------- */

enum { PLAN_CARDS = 3, PLANS = PLAN_CARDS * PAIR_GAINS };

/* A sequence that the hand is close to. */
struct near {
    uint8_t kind;
    uint8_t low;       /* of its kind */
    uint8_t lacking;   /* cards, where an ace stands for none of them */
    uint8_t alone;     /* ... where an ace in the hand may stand for one */
    uint8_t dead;      /* those of them that cannot come any more */
    uint8_t ace_held;  /* whether the ace of the suit is in the hand, to stand for one of them */
    uint8_t ace_comes; /* whether it is, or can come */
    uint8_t points;    /* what it adds to the tally, but for the point of all high or all low */
    uint8_t sides;     /* where all sequences with it can be, as low_sides */
};

/* The sequences that the cards of one suit make, by the points that each would add. */
struct suit_counts {
    uint8_t counts[SEQUENCE_CARDS + 1]
                  [GAINS]; /* by the cards that they lack: cards that complete them, where it is one */
    unsigned helping;      /* ranks of the hand that help to a sequence that lacks at most one */
    int num_near;
    unsigned near_by_lack[PLAN_CARDS]; /* those of `near` that lack at most 0, 1, 2 cards alone */
    struct near near[LOWS];
};

/* The sequences that a hand makes. A discard changes one suit, and the plans with a sequence of it. */
struct hand_counts {
    struct position position;
    const uint8_t *tallies; /* by kind */
    int tally;
    int pairs;             /* the tally, but for the point of all high or all low */
    unsigned sides;        /* where all sequences can be, as low_sides */
    uint8_t places[KINDS]; /* gain_place of each kind */
    uint64_t live;
    struct suit_counts suits[SUITS];
    uint16_t plans[PLANS]; /* of two sequences, by the cards that they lack and the points that they add */
    uint16_t plans_with[SUITS][PLANS]; /* those with a sequence of the suit */
};

static void add_near(const struct hand_counts *hand, struct suit_counts *counts, unsigned held, unsigned live,
                     int kind, int alone)
{
    const int low = kind_low(kind);
    const unsigned sides = hand->sides & low_sides(low);
    const unsigned missing = missing_ranks(held, low);
    for (int most = alone; most < PLAN_CARDS; most++) {
        counts->near_by_lack[most] |= 1u << counts->num_near;
    }
    counts->near[counts->num_near++] =
        (struct near){.kind = (uint8_t)kind,
                      .low = (uint8_t)low,
                      .lacking = (uint8_t)mh_bits_count(missing),
                      .alone = (uint8_t)alone,
                      .dead = (uint8_t)mh_bits_count(missing & ~live),
                      .ace_held = low > 0 && held & 1,
                      .ace_comes = low > 0 && (held | live) & 1,
                      .points = (uint8_t)(hand->tallies[kind] - hand->pairs - (sides != 0)),
                      .sides = (uint8_t)sides};
}

/* Counts sequences of a suit by the points that they would add. */
static void count_places(const uint8_t places[LOWS], unsigned lows, uint8_t counts[GAINS])
{
    for (; lows; lows &= lows - 1) {
        counts[places[mh_bits_lowest(lows)]]++;
    }
}

/* Counts the sequences of a suit by the cards that they lack. */
static void count_suit(const struct hand_counts *hand, int suit, struct suit_counts *counts)
{
    const unsigned held = suit_ranks(hand->position.hand, suit);
    const unsigned live = suit_ranks(hand->live, suit);
    const struct lacks lacks = lacks_of(held, live);
    const uint8_t *places = hand->places + suit * LOWS;
    uint8_t best[RANKS];
    memset(counts, 0, offsetof(struct suit_counts, near));
    for (int alone = 0; alone < PLAN_CARDS; alone++) {
        for (unsigned rest = lacks.by_count[alone]; rest; rest &= rest - 1) {
            const int low = mh_bits_lowest(rest);
            add_near(hand, counts, held, live, suit * LOWS + low, alone);
            counts->helping |= alone > 1 ? 0 : held & (7u << low | (missing_ranks(held, low) ? 1 : 0));
        }
    }
    count_places(places, lacks.by_count[0], counts->counts[0]);
    count_places(places, lacks.by_count[2], counts->counts[2]);
    count_places(places, lacks.by_count[3], counts->counts[3]);
    unsigned rest = completing_ranks(held, live, lacks.by_count[1], hand->tallies + suit * LOWS, best);
    for (; rest; rest &= rest - 1) {
        counts->counts[1][gain_place(hand->tally, best[mh_bits_lowest(rest)], GAINS)]++;
    }
}

/* Cards that two sequences of one suit lack together, no fewer than alone, or many if they cannot lie side by side.
 * There is one ace for both. */
static int lacking_together(const struct near *one, const struct near *other)
{
    enum { NEVER = 9 };
    const int both = one->lacking + other->lacking;
    if (abs(one->low - other->low) < SEQUENCE_CARDS ||
        one->dead + other->dead > (one->ace_comes && other->ace_comes)) {
        return NEVER;
    }
    return both - (one->ace_held && other->ace_held && both);
}

/* Where the points of a plan are counted: those of either sequence, and those of the two together (R5). */
static int plan_place(const struct hand_counts *hand, const struct near *one, const struct near *other,
                      int is_same_suit)
{
    const int apart = abs(one->low - other->low);
    const int together =
        is_same_suit + (apart == 0) + (apart == SEQUENCE_CARDS) + ((one->sides & other->sides) != 0);
    return gain_place(hand->tally, hand->pairs + one->points + other->points + together, PAIR_GAINS);
}

/* Adds the plans of two sequences, one of each suit. */
static void count_pairs(const struct hand_counts *hand, int suit, int other_suit, uint16_t plans[PLANS])
{
    const struct suit_counts *one = &hand->suits[suit];
    const struct suit_counts *other = &hand->suits[other_suit];
    const int is_room = general_num_sequences(&hand->position.block) + 2 <= SEQUENCES;
    for (int i = 0; is_room && i < one->num_near; i++) {
        const struct near *near = &one->near[i];
        unsigned rest = other->near_by_lack[PLAN_CARDS - 1 - near->alone];
        for (rest &= suit == other_suit ? ~0u << i << 1 : ~0u; rest; rest &= rest - 1) {
            const struct near *next = &other->near[mh_bits_lowest(rest)];
            const int lacking = suit == other_suit ? lacking_together(near, next) : near->alone + next->alone;
            if (lacking < PLAN_CARDS) {
                plans[lacking * PAIR_GAINS + plan_place(hand, near, next, suit == other_suit)]++;
            }
        }
    }
}

static void count_hand(const struct around *around, const struct position *position, const uint8_t tallies[KINDS],
                       struct hand_counts *hand)
{
    hand->position = *position;
    hand->tallies = tallies;
    int32_t parts[PARTS];
    hand->tally = general_score(position->block.sequence_kind, general_num_sequences(&position->block), parts);
    hand->pairs = hand->tally - parts[PART_HIGH_LOW];
    hand->sides = ~0u;
    for (int i = 0; i < general_num_sequences(&position->block); i++) {
        hand->sides &= low_sides(kind_low(general_sequence(&position->block, i).kind));
    }
    hand->live = around->outlook.live;
    for (int kind = 0; kind < KINDS; kind++) {
        hand->places[kind] = (uint8_t)gain_place(hand->tally, tallies[kind], GAINS);
    }
    memset(hand->plans, 0, sizeof hand->plans);
    memset(hand->plans_with, 0, sizeof hand->plans_with);
    for (int suit = 0; suit < SUITS; suit++) {
        count_suit(hand, suit, &hand->suits[suit]);
        for (int other = 0; other <= suit; other++) {
            uint16_t pairs[PLANS] = {0};
            count_pairs(hand, suit, other, pairs);
            for (int i = 0; i < PLANS; i++) {
                hand->plans[i] += pairs[i];
                hand->plans_with[suit][i] += pairs[i];
                hand->plans_with[other][i] += suit == other ? 0 : pairs[i];
            }
        }
    }
}

/* The hand once a card of it is gone; only that suit is counted anew. `all` is the hand with it. */
static void count_discard(const struct hand_counts *all, int card, struct hand_counts *hand)
{
    const int suit = card_suit(card);
    hand->position.hand = all->position.hand & ~card_bit(card);
    count_suit(hand, suit, &hand->suits[suit]);
    for (int i = 0; i < PLANS; i++) {
        hand->plans[i] = all->plans[i] - all->plans_with[suit][i];
    }
    for (int other = 0; other < SUITS; other++) {
        count_pairs(hand, suit, other, hand->plans);
    }
}

static void write_hand(const struct hand_counts *hand, struct general_features *features)
{
    uint8_t sums[SEQUENCE_CARDS + 1][GAINS] = {{0}};
    uint64_t helping = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        const struct suit_counts *counts = &hand->suits[suit];
        helping |= (uint64_t)counts->helping << suit * RANKS;
        for (int lacking = 0; lacking <= SEQUENCE_CARDS; lacking++) {
            for (int i = 0; i < GAINS; i++) {
                sums[lacking][i] += counts->counts[lacking][i];
            }
        }
    }
    for (int i = 0; i < GAINS; i++) {
        features->ready[i] = sums[0][i] ? 1 : 0;
        features->lacks_one[i] = (float)sums[1][i] / MANY_CARDS;
        features->lacks_two[i] = (float)sums[2][i] / MANY_KINDS;
        features->lacks_three[i] = (float)sums[3][i] / MANY_KINDS;
    }
    for (int i = 0; i < PLANS; i++) {
        features->plans[i] = (float)hand->plans[i] / MANY_KINDS;
    }
    features->loose[0] = (float)mh_bits_count(hand->position.hand & ~helping) / MANY_CARDS;
    features->aces[0] = (float)mh_bits_count(hand->position.hand & ALL_ACES);
}

static void write_block(const struct around *around, const struct hand_counts *hand,
                        struct general_features *features)
{
    const struct position *position = &hand->position;
    const int count = general_num_sequences(&position->block);
    features->level[race_level(count, hand->tally)] = 1;
    for (int i = 0; i < count; i++) {
        const struct sequence sequence = general_sequence(&position->block, i);
        if (sequence.ace) {
            const uint64_t wanted = (uint64_t)ranks_between_or_beside(sequence_naturals(sequence))
                                    << kind_suit(sequence.kind) * RANKS;
            features->freeing[0] += (float)mh_bits_count(wanted & position->hand);
            features->freeing[1] += (float)mh_bits_count(wanted & around->outlook.live);
        }
    }
    for (int other = 0; other < SEATS - 1; other++) {
        for (int points = hand->tally + 1; points < TALLIES; points++) {
            features->passing[other] += around->reached[other][points];
        }
    }
}

/* ---- The discard ----------------------------------------------------------------------------------------- */

/* The chance that the next seat has two of the ranks that make a sequence of a kind with a card, an ace for one. */
static double chance_of_kind(const double held[RANKS], unsigned lacking, int ace_counts)
{
    const int one = mh_bits_lowest(lacking);
    const int other = mh_bits_lowest(lacking & (lacking - 1));
    const double ace = ace_counts ? held[0] : 0;
    return held[one] * held[other] + ace * (held[one] + held[other]);
}

static void count_gift(const struct around *around, int card, struct general_features *features)
{
    const int suit = card_suit(card);
    const int rank = card_rank(card);
    assert(rank >= 0);
    const double *held = around->outlook.held + suit * RANKS;
    for (int low = rank > 2 ? rank - 2 : 0; rank && low < LOWS && low <= rank; low++) {
        const unsigned lacking = 7u << low & ~(1u << rank);
        const int place = gain_place(around->tallies[1], around->next_tallies[suit * LOWS + low], GAINS);
        features->gift[place] += (float)chance_of_kind(held, lacking, low > 0);
    }
    const unsigned beside = (unsigned)(0x1Fu << rank >> 2) & 0x1FFE;
    features->beside[0] = (float)mh_bits_count(suit_ranks(around->next_discards, suit) & beside) / 2;
    features->gift_chance[0] = (float)outlook_take_chance(&around->outlook, card);
}

/* The discard that a turn without one leaves to the next seat. */
static void count_left(const struct around *around, struct general_features *features)
{
    if (around->outlook.left) {
        count_gift(around, around->outlook.left - 1, features);
    }
}

/* ---- Moves ----------------------------------------------------------------------------------------------- */

struct showing {
    const struct general_state *state;
    const struct around *around;
    mh_afterstate_visitor *visit;
    void *context;
};

/* The features of a hand, and of how many cards come next. */
static void write_features(const struct around *around, const struct hand_counts *hand, int draws,
                           struct general_features *features)
{
    memcpy(features, &around->features, sizeof *features);
    features->draws[draws] = 1;
    write_hand(hand, features);
    write_block(around, hand, features);
}

static void report_afterstate(const struct showing *showing, int action, const struct general_features *features)
{
    showing->visit(showing->context, action, (const float *)features, NAN);
}

static double earned_by_ending(const struct around *around, int tally)
{
    int32_t tallies[SEATS] = {tally, around->tallies[1], around->tallies[2]};
    int32_t sequences[SEATS] = {SEQUENCES, around->sequences[1], around->sequences[2]};
    const int winner = general_winner(around->outlook.race.seats, tallies, sequences);
    return winner < 0 ? 0 : race_payoff(&around->outlook.race, winner, tallies[winner]);
}

/* `as` is the action that begins with this one: itself, or what leads to it. */
static void show_sequence(const struct showing *showing, const struct position *before, int sequence, int as)
{
    const struct around *around = showing->around;
    struct position after;
    position_after(before, sequence, 0, &after);
    uint8_t tallies[KINDS];
    if (general_num_sequences(&after.block) == SEQUENCES) {
        showing->visit(showing->context, as, NULL, earned_by_ending(around, position_tally(&after)));
        return;
    }
    outlook_tallies(&after, tallies);
    struct hand_counts hand;
    count_hand(around, &after, tallies, &hand);
    struct general_features features;
    write_features(around, &hand, 2, &features);
    count_left(around, &features);
    features.expert[0] =
        (float)outlook_laid(&around->outlook, &after, tallies, general_action_sequence(sequence)) / MANY_POINTS;
    report_afterstate(showing, as, &features);
}

static void show_sequences(const struct showing *showing, const struct position *position, int card, int as)
{
    uint64_t laid[LEGAL_WORDS];
    position_sequences(position, card, laid);
    for (int action = mh_set_next(laid, LEGAL_WORDS, ACTION_sequence); action >= 0;
         action = mh_set_next(laid, LEGAL_WORDS, action + 1)) {
        show_sequence(showing, position, action, as < 0 ? action : as);
    }
}

static void show_discards(const struct showing *showing, const struct position *position, int as)
{
    const struct around *around = showing->around;
    uint8_t tallies[KINDS];
    double worth[CARDS];
    outlook_tallies(position, tallies);
    outlook_discards(&around->outlook, position, tallies, worth);
    struct hand_counts all;
    count_hand(around, position, tallies, &all);
    struct hand_counts hand = all;
    for (uint64_t rest = position->hand; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        const int action = ACTION_discard + card;
        count_discard(&all, card, &hand);
        struct general_features features;
        write_features(around, &hand, 0, &features);
        count_gift(around, card, &features);
        features.expert[0] = (float)worth[card] / MANY_POINTS;
        report_afterstate(showing, as < 0 ? action : as, &features);
        hand.suits[card_suit(card)] = all.suits[card_suit(card)];
    }
}

/* A hand that waits for the turns of the others, or for its own draw. */
static void show_hand(const struct showing *showing, const struct position *position, int draws, int action)
{
    const struct outlook *outlook = &showing->around->outlook;
    uint8_t tallies[KINDS];
    outlook_tallies(position, tallies);
    struct hand_counts hand;
    count_hand(showing->around, position, tallies, &hand);
    struct general_features features;
    write_features(showing->around, &hand, draws, &features);
    if (!draws) {
        count_left(showing->around, &features);
    }
    features.expert[0] =
        (float)(draws ? outlook_drawing(outlook, position, tallies) : outlook_waiting(outlook, position, tallies)) /
        MANY_POINTS;
    report_afterstate(showing, action, &features);
}

/* The sequences that can be laid with the card on offer. */
static void show_taking(const struct showing *showing, const struct position *position, int as)
{
    const int offer = showing->state->offer;
    if (offer) {
        struct around uncovered = *showing->around;
        uncovered.outlook = outlook_after_taking(showing->state, &uncovered.outlook);
        const struct showing then = {showing->state, &uncovered, showing->visit, showing->context};
        struct position taken;
        position_after(position, ACTION_take, offer, &taken);
        show_sequences(&then, &taken, offer - 1, as);
    }
}

static void show_swap(const struct showing *showing, const struct position *before, int action)
{
    const int phase = showing->state->phase;
    assert(action >= ACTION_swap);
    struct position after;
    position_after(before, action, 0, &after);
    if (phase == PHASE_PLAY) {
        show_sequences(showing, &after, ANY_CARD, action);
        show_discards(showing, &after, action);
    } else {
        show_hand(showing, &after, phase == PHASE_START, action);
        show_taking(showing, &after, action);
    }
}

void general_afterstates(const struct general_state *state, int all, const struct mh_wanted *wanted,
                         mh_afterstate_visitor *visit, void *context)
{
    (void)all; /* every action is worth considering */
    (void)wanted;
    enum { ITSELF = -1 };
    struct around around;
    look_around(state, &around);
    const struct showing showing = {state, &around, visit, context};
    const struct position position = position_of(state);
    if (mh_set_has(state->legal, ACTION_draw)) {
        show_hand(&showing, &position, 1, ACTION_draw);
    }
    if (mh_set_has(state->legal, ACTION_take)) {
        show_taking(&showing, &position, ACTION_take);
    }
    if (state->phase == PHASE_PLAY) {
        show_sequences(&showing, &position, ANY_CARD, ITSELF);
        show_discards(&showing, &position, ITSELF);
    } else if (state->phase == PHASE_TAKEN) {
        show_sequences(&showing, &position, state->taken - 1, ITSELF);
    }
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_swap); action >= 0 && action < ACTION_discard;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        show_swap(&showing, &position, action);
    }
    if (mh_set_has(state->legal, ACTION_end)) {
        show_hand(&showing, &position, 0, ACTION_end);
    }
}
