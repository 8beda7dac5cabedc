/* General Mhing: the state of an episode, and the functions on it, in the order in which a round goes.
 *
 *   cards.h      cards, sets of cards and sequences
 *   cards.c      texts of cards, sequences and actions                           R1, R8
 *   score.c      what sequences score                                            R5
 *   legal.c      the legal actions of the seat to act                            R3, R4, R8
 *   round.c      deal, draw, take, sequences, swaps, discards, shuffles          R2-R4
 *   match.c      winner of a round, points, rewards, end of the game             R5, R6
 *   observe.c    what a seat sees, what nobody sees, public numbers
 *   bots.c       the greedy player
 *   position.h   what a seat holds and has laid, before and after an action
 *   turns.h      what turns bring in the race to the fourth sequence
 *   race.c       what situations are worth in it
 *   outlook.c    what a seat may hope for, and what a discard gives away
 *   expert.c     the expert player
 *   features.c   what is left after each action, for nets
 *   hints.c      what each action leads to, for observations that ask for it
 *   picture.c    the picture of a table
 *   resample.c   the same state as far as a seat knows
 *   report.c     a state as JSON                                                 R9
 *   check.c      refuses states that no play leads to
 *   read.c       a state from its JSON
 *   check_shown.c     refuses what no seat sees of a table
 *   words.c      what a seat sees, in sentences
 *   general_mhing.c   all of it as the runtime takes it
 *
 * The deck has one copy of each card, so a set of cards is a word with a bit for each, and every card has one place.
 * Two facts make the actions dense. A suit has one ace, so of its sequences on the table at most one holds an ace: a
 * swap is named by the card given, and the two cards that stay determine its result. And the ace of an A-2-3 is
 * itself, so a sequence from A has one form and any other has four: no ace, or the ace in one of three places.
 *
 * Rounds end: a turn has at most one sequence, every swap takes an ace off the table, every draw is followed by a
 * discard or the end of the turn, and the number of turns is limited (R4.4).
 *
 * Rule numbers (R4.3) refer to RULES.md.
 */
#ifndef GENERAL_MHING_H
#define GENERAL_MHING_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "cards.h"
#include "general_mhing_api.h"

#define MH_ID general_mhing
#define MH_PREFIX general
#define MH_TITLE "General Mhing"
#define MH_VERSION 0
#define MH_EXTRA ace
#define MH_HAS_AFTERSTATES
#define MH_HAS_CHECK_OPTIONS
#define MH_HAS_EVENT_DETAILS
#define MH_HAS_HIDDEN
#define MH_HAS_HINTS
#define MH_HAS_IDLE
#define MH_HAS_NETS
#define MH_HAS_PICTURE
#define MH_HAS_READ
#define MH_HAS_RESULT
#define MH_HAS_ROUNDS
#define MH_HAS_SECRET_QUESTIONS
#define MH_HAS_SURROGATE
#define MH_HAS_SURROGATE_FOR_NETS
#define MH_HAS_WORDS
#include "frame/mh_declare.inc"

enum general_phase { PHASE_WAIT, PHASE_START, PHASE_TAKEN, PHASE_PLAY, PHASE_END, PHASE_OVER, PHASES };
enum general_reward { REWARD_POINTS, REWARD_WIN, REWARD_MARGIN };
enum general_offer { OFFER_PREVIOUS, OFFER_TOP };
enum general_next_starter { NEXT_CLOCKWISE, NEXT_SAME };

/* The ways in which a round ends (R4). */
enum general_ending { ENDING_NONE, ENDING_SEQUENCES, ENDING_TURNS, ENDINGS };

/* ---- The state ------------------------------------------------------------------------------------------- */

enum {
    SEATS = 3,
    DEALT = 7,
    PILE = CARDS - 2 * DEALT /* the most cards in a pile: all that two hands leave */
};

/* The result of the round finished last. */
struct general_result {
    int32_t round; /* its number, from 0; -1: no round has been finished */
    int8_t winner; /* -1: nobody */
    uint8_t ending;
    uint8_t sequence_kind[SEATS][SEQUENCES]; /* what lay in front of each seat, as in its block */
    uint8_t sequence_ace[SEATS][SEQUENCES];
    uint8_t unused[2];
};

struct general_state {
    struct mh_head head;
    uint64_t legal[LEGAL_WORDS]; /* actions of the seat to act */
    int32_t options[OPTIONS];
    int32_t scores[SEATS];
    uint8_t unused[3]; /* each column of the log is a cache line */
    struct mh_events events;

    /* The round in play: from here to `last` cleared by each deal. */
    struct mh_rng shuffler; /* its own, so that a round's shuffles do not change the next deal */
    uint64_t hands[SEATS];
    uint64_t wanted[SEATS];     /* cards that a seat can swap for an ace in its sequences */
    uint64_t open;              /* cards in sequences and in the discard pile */
    uint64_t shown;             /* cards in hands that everybody knows: aces swapped back, the card just taken */
    uint64_t given;             /* cards given in swaps since the last draw of this turn */
    uint64_t shuffled;          /* cards that formed the draw pile, or were dealt, at the last shuffle */
    uint16_t turn;              /* turns begun in this round */
    uint16_t shuffles;          /* since the deal */
    uint16_t shuffle_of[CARDS]; /* number of the last shuffle that a card was in, 0 for the deal */
    uint8_t starter;
    uint8_t on_turn;
    uint8_t phase;    /* enum general_phase, of the seat to act */
    uint8_t offer;    /* card+1 that may be taken */
    uint8_t taken;    /* card+1 taken in this turn */
    uint8_t drawn[2]; /* card+1 drawn last in this turn: one, or two after a sequence */
    uint8_t next;     /* place in `deck` of the next card to draw */
    uint8_t deck[CARDS];
    uint8_t num_discards;
    uint8_t discards[PILE];            /* card+1, oldest first */
    uint8_t discarded_by[PILE];        /* seat+1 */
    struct general_seat blocks[SEATS]; /* what follows from hands is 0 here, and written by observe.c */
    uint8_t unused_round[2];

    struct general_result last;
};

/* The card+1 that lies so many places below the top of the discard pile; 0: none. */
static inline uint8_t general_discard_below(const struct general_state *state, int places)
{
    return places < state->num_discards ? state->discards[state->num_discards - 1 - places] : 0;
}

/* Counts the filled places of a seat's sequences, by their kinds plus one. */
static inline int general_count_kinds(const uint8_t kinds[SEQUENCES])
{
    return (kinds[0] != 0) + (kinds[1] != 0) + (kinds[2] != 0) + (kinds[3] != 0);
}

static inline int general_num_sequences(const struct general_seat *block)
{
    return general_count_kinds(block->sequence_kind);
}

/* The sequence at a place that has one. */
static inline struct sequence general_sequence(const struct general_seat *block, int place)
{
    const struct sequence sequence = {block->sequence_kind[place] - 1, block->sequence_ace[place]};
    return sequence;
}

/* R3.4: the cards of which each frees the ace of a sequence. */
static inline uint64_t general_wanted_by(struct sequence sequence)
{
    return sequence.ace
               ? (uint64_t)ranks_between_or_beside(sequence_naturals(sequence)) << kind_suit(sequence.kind) * RANKS
               : 0;
}

/* The place of the sequence whose ace a card is given for: the only one of its suit with an ace. */
static inline int general_place_of_ace(const struct general_seat *block, int suit)
{
    int place = 0;
    while (!block->sequence_ace[place] || kind_suit(block->sequence_kind[place] - 1) != suit) {
        place++;
        assert(place < SEQUENCES);
    }
    return place;
}

/* ---- Actions --------------------------------------------------------------------------------------------- */

/* Sequences are numbered suit by suit; in a suit first those without a joker, then those with the ace lowest, in the
 * middle and highest, each by its lowest rank (from 2: with the ace for its own rank it is no joker). */
enum { PLAIN = LOWS, JOKERED = LOWS - 1, SUIT_SEQUENCES = PLAIN + SEQUENCE_CARDS * JOKERED };

static inline struct sequence general_action_sequence(int action)
{
    const int suit = (action - ACTION_sequence) / SUIT_SEQUENCES;
    const int form = (action - ACTION_sequence) % SUIT_SEQUENCES;
    struct sequence sequence = {suit * LOWS + form, form == 0};
    if (form >= PLAIN) {
        sequence.kind = suit * LOWS + 1 + (form - PLAIN) % JOKERED;
        sequence.ace = 1 + (form - PLAIN) / JOKERED;
    }
    return sequence;
}

/* The sequences of one suit that can be laid from cards of these ranks, numbered as in an action. */
static inline uint64_t general_suit_sequences(unsigned ranks)
{
    const unsigned naturals = ranks >> 1; /* bit 0: a two */
    const unsigned pairs = naturals & naturals >> 1;
    const unsigned gaps = naturals & naturals >> 2;
    const unsigned three = pairs & naturals >> 2;
    const uint64_t with_ace = (uint64_t)0 - (ranks & 1);
    const uint64_t jokered = (uint64_t)(pairs >> 1) << PLAIN | (uint64_t)gaps << (PLAIN + JOKERED) |
                             (uint64_t)(pairs & 0x3FF) << (PLAIN + 2 * JOKERED) | (pairs & 1);
    return (uint64_t)three << 1 | (jokered & with_ace);
}

/* Adds the actions that lay a sequence of the hand's cards. */
static inline void general_add_sequences(uint64_t hand, uint64_t *legal)
{
    for (int suit = 0; suit < SUITS; suit++) {
        mh_set_add_run(legal, ACTION_sequence + suit * SUIT_SEQUENCES,
                       general_suit_sequences(suit_ranks(hand, suit)));
    }
}

/* The sequences of a card's suit that the hand makes with it, numbered as in an action. */
static inline uint64_t general_sequences_with(uint64_t hand, int card)
{
    const int suit = card_suit(card);
    return general_suit_sequences(suit_ranks(hand | card_bit(card), suit)) &
           ~general_suit_sequences(suit_ranks(hand & ~card_bit(card), suit));
}

/* Adds the actions that lay one of them. */
static inline void general_add_sequences_with(uint64_t hand, int card, uint64_t *legal)
{
    mh_set_add_run(legal, ACTION_sequence + card_suit(card) * SUIT_SEQUENCES, general_sequences_with(hand, card));
}

static inline int general_swap_card(int action)
{
    const int index = action - ACTION_swap;
    return index / (RANKS - 1) * RANKS + 1 + index % (RANKS - 1);
}

/* ---- cards.c --------------------------------------------------------------------------------------------- */

void general_card_text(int card, char *text);
void general_sequence_text(struct sequence sequence, char *text); /* "78*9h" */

/* ---- score.c --------------------------------------------------------------------------------------------- */

enum general_part { PART_SUIT, PART_VALUES, PART_ORDER, PART_HIGH_LOW, PARTS };

/* Scores sequences together: `count` kinds, each plus one. Writes the points under each part, and returns their
 * sum. */
int general_score(const uint8_t *kinds, int count, int32_t parts[PARTS]);
/* Writes the sum with one more sequence of each kind; returns the sum without. */
int general_scores_with(const uint8_t *kinds, int count, uint8_t scores[KINDS]);
void general_part_text(int part, char *text);
void general_ending_text(int ending, char *text);

/* ---- legal.c --------------------------------------------------------------------------------------------- */

/* Settles the set of legal actions of the seat on turn for its phase. */
void general_settle_actions(struct general_state *state);
/* True if the seat on turn has anything to choose in its phase. */
int general_has_choice(const struct general_state *state);

/* ---- bots.c ---------------------------------------------------------------------------------------------- */

/* Returns the card that greedy would discard for a seat, among these cards of its hand. */
int general_greedy_discard(const struct general_state *state, int seat, uint64_t among);

/* ---- round.c --------------------------------------------------------------------------------------------- */

/* Updates what follows from the sequences of a seat: its tally, and the cards that it can swap for an ace. */
void general_update_sequences(struct general_state *state, int seat);

/* ---- match.c --------------------------------------------------------------------------------------------- */

/* Actions of a turn: one before the draw, one discard or sequence, and three for swaps and the end. A seat whose turn
 * continues has at most three sequences, the one of this turn included. Each swap takes an ace off them, which can come
 * back with that one only; and the end is asked for while one more swap is left. */
enum { TURN_DECISIONS = 5 };

/* The most points of a round: a seat lays a sequence only in its own turn. */
int general_most_points(const int32_t *options);
void general_end_round(struct general_state *state, enum general_ending ending);
/* Adds to a head what the round finished last pays. */
void general_reward_round(const struct general_state *state, struct mh_head *head);

/* The seat that wins with these tallies and numbers of sequences (R5.5); -1: nobody. */
static inline int general_winner(int seats, const int32_t *tallies, const int32_t *sequences)
{
    int winner = 0;
    int equals = 1;
    for (int seat = 1; seat < seats; seat++) {
        const int more = tallies[seat] - tallies[winner];
        const int fewer = sequences[winner] - sequences[seat];
        if (more > 0 || (more == 0 && fewer > 0)) {
            winner = seat;
            equals = 1;
        } else {
            equals += more == 0 && fewer == 0;
        }
    }
    return equals == 1 ? winner : -1;
}

/* The score of a seat in the round finished last; writes the parts. */
int general_last_tally(const struct general_state *state, int seat, int32_t parts[PARTS]);
/* True if the episode is over, by the rounds finished and the points (R6). */
int general_episode_is_over(const struct general_state *state);
/* The points that win the game; 0: no target decides. */
int32_t general_target(const struct general_state *state);
/* As mh_head_rounds_left says. */
int32_t general_rounds_left(const struct general_state *state);
/* Writes points, and what is missing to the target, into the blocks of the seats. */
void general_show_scores(struct general_state *state);

/* ---- check.c --------------------------------------------------------------------------------------------- */

/* Refuses what no play leads to, and settles what follows from the rest. */
int general_settle(struct general_state *state, char *message);
/* The fewest decisions with which the rounds and turns of a state can be played. */
int64_t general_least_decisions(const struct general_state *state);
/* True if a seat holds as many cards as the phase gives it. */
int general_hand_fits(const struct general_state *state, int seat);
/* Counts these sequences, or returns -1 where they are none. */
int general_count_sequences(const uint8_t *kinds, const uint8_t *aces);
/* Takes cards, or those of sequences that were counted, out of those not found yet. Returns 0 when one of them was
 * found before. */
int general_find_cards(uint64_t *left, uint64_t cards);
int general_find_sequences(const uint8_t *kinds, const uint8_t *aces, uint64_t *left);

/* ---- report.c -------------------------------------------------------------------------------------------- */

extern const char *const general_phases[PHASES];

/* ---- check_shown.c --------------------------------------------------------------------------------------- */

/* Derive facts from an observation: a set of cards from its flags, the aces that all know to be in a hand, whether the
 * round is over, and whether one has been finished. */
uint64_t general_shown_cards(const uint8_t flags[CARDS]);
uint64_t general_shown_aces(const struct general_seat *block);
int general_shown_is_over(const struct general_view *view);
int general_shown_has_result(const struct general_view *view);
/* Returns the phase of a turn that is not over, as all know it once they know that somebody is asked. */
int general_shown_turn(const struct general_shown *shown);
/* Returns what the seat on turn is asked, if the viewer may know it; otherwise PHASE_WAIT. */
int general_shown_phase(const struct general_shown *shown);

/* ---- picture.c ------------------------------------------------------------------------------------------- */

enum { SPRITES = 1 + 2 * CARDS }; /* the back; faces; and what aces stand for */

/* ---- observe.c ------------------------------------------------------------------------------------------- */

/* The cards whose place a seat does not know. */
static inline uint64_t general_unseen(const struct general_state *state, int seat)
{
    return ALL_CARDS & ~(state->open | state->hands[seat] | state->shown);
}

#endif
