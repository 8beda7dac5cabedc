/* The expert: the greedy player's cards, judged by the race that they are for.
 *
 * race.h knows what each situation is worth in the unit of the reward. This file says what the seat's own hand may hope
 * for: which cards would complete a sequence that scores how much. So the expert waits for a dear sequence while the
 * others are far behind, takes what it gets when they are close, lays a fourth sequence only when no better one is worth
 * the wait, and under each reward plays for that reward. What it discards counts by the chance that the next seat can
 * lay it.
 *
 * The constants below and in race.c were chosen by playing; benchmarks/RESULTS.md has the figures.
 */
#include <float.h>

#include "position.h"
#include "race.h"

/* The discard on offer helps less than a draw: some turns have none, and nobody discards at random. */
static const double OFFER = 0.7;
/* What each sequence that lacks two cards adds to the chance to lay it, in draws of one card. */
static const double LACKING_TWO = 0.12;
/* The chance to lay a sequence made of cards to come alone; more after a sequence, which brings two more cards, and
 * for each card that would free an ace. */
static const double TO_COME = 0.03;
static const double TWO_DRAWN = 0.15;
static const double FREED_ACE = 0.02;
/* Two cards in one hand that would let it take a third are rarer than by chance: it would have laid or used them. */
static const double PAIR_HELD = 0.6;

/* What the seat on turn knows. */
struct view {
    uint64_t live;      /* cards that may come to it */
    double each;        /* the chance that a draw is a certain one of them */
    double held[CARDS]; /* the chance that the next seat holds a card */
    struct race race;
};

/* ---- What a hand may hope for ---------------------------------------------------------------------------- */

/* What each kind of sequence would make of the tally. */
static void tally_kinds(const struct position *position, uint8_t tallies[KINDS])
{
    struct position after = *position;
    const int place = general_num_sequences(&position->block);
    for (int kind = 0; kind < KINDS; kind++) {
        after.block.sequence_kind[place] = (uint8_t)(kind + 1);
        tallies[kind] = (uint8_t)position_tally(&after);
    }
}

/* How cards come: the chance in a turn that a certain one does, and a weight for sequences that lack two. */
struct supply {
    double each;
    double lacking_two;
};

static void add_suit(unsigned held, unsigned live, const uint8_t tallies[LOWS], struct supply supply,
                     struct hopes *hopes)
{
    int8_t best[RANKS]; /* the highest tally that a card brings at once */
    memset(best, -1, sizeof best);
    for (int low = 0; low < LOWS; low++) {
        const unsigned needed = 7u << low & ~held;
        const unsigned ace_held = low > 0 ? held & 1 : 0;
        const unsigned ace_live = low > 0 ? live & 1 : 0;
        const int dead = mh_bits_count(needed & ~live);
        const int lacking = mh_bits_count(needed) - (needed && ace_held);
        if (dead > (int)(ace_held | ace_live)) {
            continue;
        }
        if (lacking == 0 && tallies[low] > hopes->ready) {
            hopes->ready = tallies[low];
        } else if (lacking == 1) {
            for (unsigned rest = dead && !ace_held ? 1 : (needed & live) | ace_live; rest; rest &= rest - 1) {
                const int rank = mh_bits_lowest(rest);
                best[rank] = (int8_t)(tallies[low] > best[rank] ? tallies[low] : best[rank]);
            }
        } else if (lacking == 2) {
            hopes->chances[tallies[low]] += supply.lacking_two;
        }
    }
    for (int rank = 0; rank < RANKS; rank++) {
        if (best[rank] >= 0) {
            hopes->chances[best[rank]] += supply.each;
        }
    }
}

static struct hopes hopes_of(const struct view *view, uint64_t hand, const uint8_t tallies[KINDS],
                             struct supply supply)
{
    struct hopes hopes = {{0}, -1};
    for (int suit = 0; suit < SUITS; suit++) {
        add_suit(suit_ranks(hand, suit), suit_ranks(view->live, suit), tallies + suit * LOWS, supply, &hopes);
    }
    return hopes;
}

/* What a hand is worth when its turn ends. `to_come` is its chance to lay what needs no card of it; `take` as for
 * race_worth_with. */
static double worth_of(const struct view *view, const struct position *position, const uint8_t tallies[KINDS],
                       double to_come, double take)
{
    const struct supply supply = {(1 + OFFER) * view->each, LACKING_TWO * view->each};
    const int level = race_level(general_num_sequences(&position->block), position_tally(position));
    struct hopes hopes = hopes_of(view, position->hand, tallies, supply);
    race_hope_more(level, to_come, &hopes);
    return race_worth_with(&view->race, level, &hopes, take);
}

/* ---- What a discard gives away --------------------------------------------------------------------------- */

/* Whether three ranks of a suit make a sequence; 0 is the ace, which stands for any rank. */
static int make_sequence(int low, int middle, int high)
{
    return low == 0 ? high - middle <= 2 : middle == low + 1 && high == low + 2;
}

/* The chance that the next seat can lay a card. */
static double chance_of_taking(const struct view *view, int card)
{
    const double *held = view->held + card_suit(card) * RANKS;
    const int rank = card_rank(card);
    double not_taken = 1;
    for (int one = 0; one < RANKS; one++) {
        for (int other = one + 1; other < RANKS; other++) {
            const int low = rank < one ? rank : one;
            const int high = rank > other ? rank : other;
            if (one != rank && other != rank && make_sequence(low, rank + one + other - low - high, high)) {
                const double both = held[one] * held[other];
                not_taken *= 1 - (held[one] < 1 && held[other] < 1 ? both * PAIR_HELD : both);
            }
        }
    }
    return 1 - not_taken;
}

/* ---- Moves ----------------------------------------------------------------------------------------------- */

struct choice {
    int action;
    double value;
    double *values; /* NULL, or room by action for what each is worth */
};

static void consider(struct choice *best, int action, double value)
{
    if (best->values) {
        best->values[action] = value;
    }
    if (value > best->value) {
        best->action = action;
        best->value = value;
    }
}

static double worth_of_waiting(const struct view *view, const struct position *position)
{
    enum { NO_DISCARD = -1 };
    uint8_t tallies[KINDS];
    tally_kinds(position, tallies);
    return worth_of(view, position, tallies, TO_COME, NO_DISCARD);
}

static double worth_of_sequence(const struct view *view, const struct position *before, int action)
{
    enum { NO_DISCARD = -1 };
    const struct sequence sequence = general_action_sequence(action);
    const struct position after = position_after(before, action, 0);
    uint8_t tallies[KINDS];
    if (general_num_sequences(&after.block) == SEQUENCES) {
        return race_worth(&view->race, SEQUENCES, position_tally(&after));
    }
    tally_kinds(&after, tallies);
    double to_come = TO_COME + TWO_DRAWN;
    if (sequence.ace) {
        const int suit = kind_suit(sequence.kind);
        const unsigned wanted = ranks_between_or_beside(sequence_naturals(sequence));
        to_come += FREED_ACE * mh_bits_count(wanted & suit_ranks(view->live | after.hand, suit));
    }
    return worth_of(view, &after, tallies, to_come, NO_DISCARD);
}

/* The sequences that can be laid, or those of them with a certain card. */
static void consider_sequences(const struct view *view, const struct position *position, uint64_t with,
                               struct choice *best)
{
    for (int action = ACTION_sequence; action < ACTION_swap; action++) {
        const uint64_t cards = sequence_cards(general_action_sequence(action));
        if (!(cards & ~position->hand) && (cards & with) == with) {
            consider(best, action, worth_of_sequence(view, position, action));
        }
    }
}

static void consider_discards(const struct view *view, const struct position *position, struct choice *best)
{
    uint8_t tallies[KINDS];
    tally_kinds(position, tallies);
    for (uint64_t rest = position->hand; rest; rest &= rest - 1) {
        const int card = mh_bits_lowest(rest);
        const struct position after = position_after(position, ACTION_discard + card, 0);
        consider(best, ACTION_discard + card,
                 worth_of(view, &after, tallies, TO_COME, chance_of_taking(view, card)));
    }
}

/* What a position is worth after a draw, to one that swaps nothing more. */
static double worth_of_play(const struct view *view, const struct position *position)
{
    struct choice best = {-1, -DBL_MAX, NULL};
    consider_sequences(view, position, 0, &best);
    consider_discards(view, position, &best);
    return best.value;
}

static void consider_swaps(const struct view *view, const struct general_state *state, struct choice *best)
{
    const struct position before = position_of(state);
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_swap); action >= 0 && action < ACTION_discard;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        const struct position after = position_after(&before, action, 0);
        consider(best, action,
                 state->phase == PHASE_PLAY ? worth_of_play(view, &after) : worth_of_waiting(view, &after));
    }
}

static double worth_of_drawing(const struct view *view, const struct position *position)
{
    const struct supply one_draw = {view->each, 0};
    uint8_t tallies[KINDS];
    tally_kinds(position, tallies);
    const struct hopes hopes = hopes_of(view, position->hand, tallies, one_draw);
    return race_draw(&view->race, general_num_sequences(&position->block), &hopes,
                     worth_of_waiting(view, position));
}

/* The sequence that is best laid with the card on offer decides whether to take it. */
static double worth_of_taking(const struct view *view, const struct general_state *state,
                              const struct position *position)
{
    const struct position taken = position_after(position, ACTION_take, state->offer);
    struct choice best = {-1, -DBL_MAX, NULL};
    consider_sequences(view, &taken, card_bit(state->offer - 1), &best);
    return best.value;
}

/* Before the draw a swap is worth what the turn is without it, and what it adds to a hand that waits. */
static void consider_start(const struct view *view, const struct general_state *state, struct choice *best)
{
    const struct position before = position_of(state);
    consider(best, ACTION_draw, worth_of_drawing(view, &before));
    if (mh_set_has(state->legal, ACTION_take)) {
        consider(best, ACTION_take, worth_of_taking(view, state, &before));
    }
    const double turn = best->value;
    const double waiting = worth_of_waiting(view, &before);
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_swap); action >= 0 && action < ACTION_discard;
         action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        const struct position after = position_after(&before, action, 0);
        consider(best, action, turn + (worth_of_waiting(view, &after) - waiting));
    }
}

/* ---- The decision ---------------------------------------------------------------------------------------- */

/* What a round is played for. A game is won by points, more of them than the others have. */
static int aim(const struct general_state *state)
{
    const int reward = state->options[OPTION_reward];
    return reward == REWARD_WIN && state->options[OPTION_episode] ? REWARD_MARGIN : reward;
}

static void view_of(const struct general_state *state, struct view *view)
{
    int seat = state->on_turn;
    view->live = general_unseen(state, seat);
    view->each = 1.0 / mh_bits_count(view->live);
    view->race.seats = state->head.seats;
    view->race.reward = aim(state);
    for (int i = 0; i < SEATS; i++) {
        view->race.levels[i] = 0;
    }
    for (int i = 0; i < state->head.seats; i++, seat = mh_head_next(&state->head, seat)) {
        const struct general_seat *block = &state->blocks[seat];
        view->race.levels[i] = race_level(general_num_sequences(block), block->tally[0]);
    }
    race_solve(&view->race);
    const int next = mh_head_next(&state->head, state->on_turn);
    const uint64_t known = state->hands[next] & state->shown;
    const int hidden = mh_bits_count(state->hands[next]) - mh_bits_count(known);
    for (int card = 0; card < CARDS; card++) {
        view->held[card] = known >> card & 1 ? 1 : view->live >> card & 1 ? hidden * view->each : 0;
    }
}

/* The action to play. `values`, by action, may be NULL; otherwise it gets those of all legal ones. */
static int choose(const struct general_state *state, double *values)
{
    struct view view;
    view_of(state, &view);
    const struct position position = position_of(state);
    struct choice best = {-1, -DBL_MAX, values};
    switch (state->phase) {
    case PHASE_START:
        consider_start(&view, state, &best);
        break;
    case PHASE_TAKEN:
        consider_sequences(&view, &position, card_bit(state->taken - 1), &best);
        break;
    case PHASE_END:
        consider(&best, ACTION_end, worth_of_waiting(&view, &position));
        consider_swaps(&view, state, &best);
        break;
    default:
        consider_sequences(&view, &position, 0, &best);
        consider_discards(&view, &position, &best);
        consider_swaps(&view, state, &best);
        break;
    }
    return best.action;
}

int general_expert(const struct general_state *state, struct mh_rng *rng)
{
    (void)rng;
    return choose(state, NULL);
}

/* A game that is won at its end is played for the margin, which is not what it pays. */
void general_expert_values(const struct general_state *state, double *values)
{
    if (aim(state) == state->options[OPTION_reward]) {
        (void)choose(state, values);
    }
}
