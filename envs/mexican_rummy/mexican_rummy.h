/* Mexican Rummy: the state of an episode, and the functions on it, in the order in which a round goes.
 *
 *   cards.h      cards, sets of cards, places of runs
 *   cards.c      texts of cards, melds and actions                               R1, R9
 *   solve.c      cards missing for an objective; all cards in one set, two runs  R2, R3, R6
 *   melds.c      melds on a table: what fits on them, what they are made of      R3, R4
 *   plan.c       laying down, a card at a time                                   R4, R5, R6
 *   legal.c      the legal actions of the seat to act                            R9
 *   round.c      deal, May I, draw, laying off, discards, shuffles               R2, R4, R7
 *   match.c      points, rewards, end of the game                                R8
 *   observe.c    what a seat sees, what nobody sees, public numbers
 *   bots.c       the greedy player
 *   expert.c     the expert player
 *   hints.c      what each action leads to, for observations that ask for it
 *   resample.c   the same state as far as a seat knows
 *   report.c     a state as JSON                                                 R10
 *   check.c      refuses states that no play leads to
 *   check_rounds.c    ... and rounds, points and earnings
 *   read.c       a state from its JSON
 *   check_shown.c     refuses what no seat sees of a table
 *   say_event.c  an event in a sentence
 *   words.c      what a seat sees, in sentences
 *   picture.c    the picture of it
 *   mexican_rummy.c   all of it as the runtime takes it
 *
 * There are two cards of each type, so a set of cards is two words, one for each deck. Actions speak of types only.
 *
 * Laying down the objective takes many small choices, which must not be seen before the last one is made: it is one
 * step of the rules. So they are made in a plan beside the table (struct rummy_plan), and put onto the table together
 * (rummy_commit). While a seat plans, everybody else sees a seat that has drawn and thinks.
 *
 * Rounds end: cards laid never come back but for one swap a turn, which is followed by laying down; every draw is
 * followed by a discard or by the last card; and the number of turns is limited (R7.4).
 *
 * Rule numbers (R4.3) refer to RULES.md.
 */
#ifndef MEXICAN_RUMMY_H
#define MEXICAN_RUMMY_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "cards.h"
#include "solve.h"

#define MH_ID mexican_rummy
#define MH_PREFIX rummy
#define MH_TITLE "Mexican Rummy"
#define MH_VERSION 0
#define MH_EXTRA place
#define MH_HAS_AFTERSTATES
#define MH_HAS_CHECK_OPTIONS
#define MH_HAS_DECK
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
#define MH_HAS_WORDS
#include "frame/mh_declare.inc"

enum rummy_phase {
    PHASE_WAIT,
    PHASE_ASK,
    PHASE_ANSWER,
    PHASE_START,  /* before the draw */
    PHASE_PLAY,   /* after it */
    PHASE_SWAP,   /* chooses the black 2 for state->chosen */
    PHASE_MELD,   /* plans: begins a meld */
    PHASE_FILL,   /* plans: fills it */
    PHASE_EXTEND, /* plans: lays all the rest, round 6 */
    PHASE_PLACE,  /* chooses a place for state->chosen, planning or not */
    PHASE_OVER,
    PHASES
};

enum rummy_swaps { SWAPS_ANY, SWAPS_NEEDED };

enum rummy_reward { REWARD_SCORE, REWARD_RANK, REWARD_WIN };

/* The ways in which a round ends (R7). */
enum rummy_ending { ENDING_NONE, ENDING_OUT, ENDING_NO_DISCARDO, ENDING_NO_CARD, ENDING_TURNS, ENDINGS };

/* ---- Objectives (R2) -------------------------------------------------------------------------------------- */

enum { OBJECTIVES = 6, MELDS = 3 };

static const struct rummy_objective rummy_objectives[OBJECTIVES] = {{2, 0}, {1, 1}, {0, 2}, {3, 0}, {2, 1}, {1, 2}};

/* R6: in the last round all cards are laid together, and nobody lays off. */
static inline int rummy_is_no_discardo(int objective)
{
    return objective == OBJECTIVES - 1;
}

/* ---- Melds (R3) ------------------------------------------------------------------------------------------- */

enum { KIND_SET = 1, KIND_RUN = KIND_SET + RANKS, KINDS = KIND_RUN + SUITS };

/* The melds in front of a seat, in the form in which observations hold them. */
struct rummy_melds {
    uint8_t kind[MELDS];          /* KIND_SET + rank or KIND_RUN + suit; 0: none */
    uint8_t cards[MELDS][PLACES]; /* type+1; of a run by place, of a set in the order laid */
};

/* A meld of a seat, and for a run one of its places. */
struct rummy_spot {
    int seat; /* absolute */
    int meld;
    int place; /* where the card comes to lie; of a set the next free one */
};

static inline int kind_is_set(int kind)
{
    return kind >= KIND_SET && kind < KIND_RUN;
}

static inline int kind_is_run(int kind)
{
    return kind >= KIND_RUN && kind < KINDS;
}

/* ---- The state -------------------------------------------------------------------------------------------- */

enum {
    SEATS = MH_MAX_SEATS,
    DEALT = 10,
    PILE = CARDS - 2 * DEALT /* the most discards: all that two hands leave */
};

/* The objective being laid by the seat on turn, hidden from the others until it is complete. The table stays as it was:
 * the cards planned still are in the hand, and a black 2 to be swapped still in its run. */
struct rummy_plan {
    struct cards rest; /* own cards not yet in it */
    struct rummy_melds melds;
    uint8_t count;   /* melds begun */
    uint8_t to_fill; /* cards that the one begun last still needs */
    uint8_t first;   /* lowest place of the run begun last, until it is filled */
    uint8_t wanted;  /* type+1 of the black 2 that the objective must still take in */
    uint8_t given;   /* card+1 given in the swap; 0: none */
    uint8_t got;     /* card+1, the black 2 */
    uint8_t from[3]; /* seat, meld, place where it lies */
    uint8_t unused[2];
};

/* The result of the round finished last. */
struct rummy_result {
    int32_t round; /* its number in the episode, from 0; -1: no round has been finished */
    int8_t winner; /* -1: nobody */
    uint8_t ending;
    uint8_t unused[2];
    int32_t points[SEATS]; /* left in the hands */
};

struct rummy_state {
    struct mh_head head;
    uint64_t legal[LEGAL_WORDS]; /* actions of the seat to act */
    int32_t options[OPTIONS];
    int32_t scores[SEATS];
    uint8_t first_objective; /* of the episode, from 0 */
    uint8_t unused[14];      /* each column of the log is a cache line */
    struct mh_events events;

    /* The round in play: from here to `last` cleared by each deal. */
    struct mh_rng shuffler; /* its own, so that a round's shuffles do not change the next deal */
    struct cards hands[SEATS];
    struct cards laid;     /* cards in melds */
    struct cards piled;    /* cards in the discard pile */
    struct cards shown;    /* cards in hands that everybody knows: taken from the discard pile; in the end all */
    struct cards shuffled; /* cards that formed the draw pile, or were dealt, at the last shuffle */
    struct rummy_melds melds[SEATS];
    uint8_t starter;
    uint8_t on_turn;
    uint64_t fitting;           /* types that fit onto a meld on the table */
    uint16_t turn;              /* turns begun in this round */
    uint16_t shuffles;          /* since the deal */
    uint16_t shuffle_of[CARDS]; /* number of the last shuffle that a card was in, 0 for the deal */
    uint8_t phase;              /* enum rummy_phase, of the seat to act */
    uint8_t offered;            /* the last discard may be had */
    uint8_t asker;              /* seat+1 that waits for an answer */
    uint8_t refused;            /* seats that have asked for this discard in vain: a bit for each */
    uint8_t taken;              /* card+1 taken in this turn */
    uint8_t drawn;              /* card+1 drawn in this turn, until the seat lays a card */
    uint8_t chosen;             /* type+1 for which a place is chosen */
    uint8_t next;               /* place in `deck` of the next card to draw */
    uint8_t num_discards;
    uint8_t deck[CARDS];
    uint8_t discards[PILE];     /* card+1, oldest first */
    uint8_t discarded_by[PILE]; /* seat+1; 0: turned up */
    uint8_t unused_round[3];
    struct rummy_plan plan;

    struct rummy_result last;
};

static inline int rummy_objective(const struct rummy_state *state)
{
    return state->first_objective + mh_head_round(&state->head);
}

/* R1.3: black 2s are wild in rounds with runs. */
static inline int rummy_is_wild(int objective)
{
    return rummy_objectives[objective].runs > 0;
}

static inline int rummy_is_wild_round(const struct rummy_state *state)
{
    return rummy_is_wild(rummy_objective(state));
}

/* The rounds of an episode that begins with this objective. */
static inline int32_t rummy_rounds_from(const int32_t *options, int objective)
{
    const int32_t left = OBJECTIVES - objective;
    const int32_t rounds = options[OPTION_rounds] < left ? options[OPTION_rounds] : left;
    return options[OPTION_episode] ? rounds : 1;
}

static inline int32_t rummy_rounds(const struct rummy_state *state)
{
    return rummy_rounds_from(state->options, state->first_objective);
}

/* The turns of a round with this objective (R7.4). */
static inline int rummy_turns(const int32_t *options, int objective)
{
    const int turns = options[OPTION_turn_limit] * (rummy_is_no_discardo(objective) ? 2 : 1);
    return turns < UINT16_MAX ? turns : UINT16_MAX;
}

static inline int rummy_turn_limit(const struct rummy_state *state)
{
    return rummy_turns(state->options, rummy_objective(state));
}

/* Cards gone from the draw pile since the deal, as if every shuffle made as many again as the deal has left. */
static inline int rummy_gone(const struct rummy_state *state)
{
    const int pile = CARDS - DEALT * state->head.seats - state->options[OPTION_turned_up];
    return pile * (1 + state->shuffles) - (CARDS - state->next);
}

static inline int rummy_is_down(const struct rummy_state *state, int seat)
{
    return state->melds[seat].kind[0] != 0;
}

static inline int rummy_is_planning(const struct rummy_state *state)
{
    return state->plan.count > 0 || state->plan.given;
}

/* The cards in all hands. */
static inline struct cards rummy_held(const struct rummy_state *state)
{
    struct cards held = {{0, 0}};
    for (int seat = 0; seat < SEATS; seat++) {
        held = cards_union(held, state->hands[seat]);
    }
    return held;
}

/* The discard that may be had. */
static inline int rummy_offer(const struct rummy_state *state)
{
    assert(state->offered);
    return state->discards[state->num_discards - 1] - 1;
}

/* R1.5: whether the second deck's card goes when a hand gives one of two equal cards. Two cards of one shuffle cannot
 * be told apart, so there it makes no difference. Cards of different shuffles can, and a fixed order would give the
 * hand away: a seat that gave the later one would be known not to hold the other. The draw is fixed between two
 * shuffles and can matter once in that time. It comes from the generator of the shuffles, which nobody knows and a
 * resample replaces. */
static inline int rummy_second_goes(const struct rummy_state *state, int type)
{
    if (state->shuffle_of[type] == state->shuffle_of[TYPES + type]) {
        return 0;
    }
    struct mh_rng rng = mh_rng_stream(state->shuffler.state, 'L' + 256u * state->shuffles);
    return (int)(mh_rng_next(&rng) >> type & 1);
}

/* The card that goes when a hand gives one of a type: one that everybody knows, else at random (R1.5). */
static inline int rummy_card_of(const struct rummy_state *state, struct cards held, int type)
{
    const struct cards known = cards_common(held, state->shown);
    const struct cards from = cards_of_type(known, type) ? known : held;
    assert(cards_of_type(from, type));
    const int second =
        cards_of_type(from, type) == DECKS ? rummy_second_goes(state, type) : !cards_have(&from, type);
    return type + TYPES * second;
}

/* ---- cards.c ---------------------------------------------------------------------------------------------- */

void rummy_type_text(int type, char *text);
void rummy_run_text(int suit, int low, int count, char *text); /* "5678h" */
void rummy_meld_name(int meld, char *text); /* "1.2": the second one of the next seat clockwise (R9.1) */

/* ---- melds.c ---------------------------------------------------------------------------------------------- */

/* The places of a run that have a card; of a set the first ones. */
unsigned rummy_filled(const uint8_t cards[PLACES]);
/* True if the card at a place is a black 2 in another's stead. */
int rummy_is_wild_at(int kind, const uint8_t cards[PLACES], int place);
/* The types that fit onto the melds of a seat. */
uint64_t rummy_fitting(const struct rummy_melds *melds);

/* A place is named by an action: onto a set or the one end of a run that a card fits; an ace or a black 2 may fit both
 * ends of a run, so there it is low or high. Adds those where a card fits onto the melds of a seat, which sits so
 * many seats clockwise from the one to act. */
void rummy_add_spots(const struct rummy_melds *melds, int clockwise, int type, uint64_t *spots);
/* The meld that such an action names, and the place there that the card takes. */
struct rummy_spot rummy_spot_of(const struct rummy_state *state, int action);
int rummy_place_at(const struct rummy_melds *melds, int meld, int type, int action);
/* Likewise black 2s that stand for a card in the runs of another seat. */
void rummy_add_wild_spots(const struct rummy_melds *melds, int clockwise, int type, uint64_t *spots);
int rummy_wild_place_at(int type, int action);
/* Returns the number by which an event of the seat on turn names a meld. */
int rummy_event_place(const struct rummy_state *state, struct rummy_spot spot);

/* ---- plan.c ----------------------------------------------------------------------------------------------- */

struct rummy_plan rummy_empty_plan(const struct rummy_state *state);
/* The plan after one action, which the plan must allow. */
void rummy_plan_swap(const struct rummy_state *state, struct rummy_plan *plan, int type, struct rummy_spot spot);
void rummy_plan_meld(struct rummy_plan *plan, int action);
void rummy_plan_fill(const struct rummy_state *state, struct rummy_plan *plan, int type);
void rummy_plan_extend(const struct rummy_state *state, struct rummy_plan *plan, int type, struct rummy_spot spot);
/* True if the seat on turn may give a card for a black 2 that completes its objective (R5). */
int rummy_may_swap(const struct rummy_state *state);
/* True if the rest of the objective can be laid when the meld begun last is complete. */
int rummy_plan_fits(const struct rummy_state *state, const struct rummy_plan *plan);
/* Adds the actions that lead on to the whole objective. */
void rummy_add_begins(const struct rummy_state *state, const struct rummy_plan *plan, uint64_t *legal);
void rummy_add_fills(const struct rummy_state *state, const struct rummy_plan *plan, uint64_t *legal);
void rummy_add_extensions(const struct rummy_state *state, const struct rummy_plan *plan, uint64_t *legal);
void rummy_add_extension_spots(const struct rummy_state *state, const struct rummy_plan *plan, int type,
                               uint64_t *spots);
/* The phase that a plan waits for; PHASE_PLAY: it is complete. */
enum rummy_phase rummy_plan_phase(const struct rummy_state *state, const struct rummy_plan *plan);

/* ---- legal.c ---------------------------------------------------------------------------------------------- */

/* Settles the set of legal actions of the seat to act for its phase. */
void rummy_settle_actions(struct rummy_state *state);
/* The only legal action, or -1 where there are several. */
int rummy_only_action(const struct rummy_state *state);

/* ---- match.c ---------------------------------------------------------------------------------------------- */

void rummy_end_round(struct rummy_state *state, enum rummy_ending ending);
/* True if all rounds of the episode are finished. */
int rummy_episode_is_over(const struct rummy_state *state);
int rummy_card_points(int type, int wild);
int rummy_points(struct cards cards, int wild);
/* The points of all cards: more than those of any hands. */
int rummy_all_points(int wild);
/* Adds what the rounds that brought these points have earned: those of the last one, or of all so far (R8.4). */
void rummy_reward(const struct rummy_state *state, const int32_t points[SEATS], struct mh_head *head);
void rummy_ending_text(int ending, char *text);

/* ---- report.c --------------------------------------------------------------------------------------------- */

extern const char *const rummy_phases[PHASES];
void rummy_card_text(int card, char *text); /* with the mark of its deck (R1.4) */
/* "7ssh": rank and suits of a set; "56*7*8h": what a run stands for, with a star after every black 2 in another's
 * stead. A meld that has been begun and has no card yet is only its rank or its suit. */
/* The meld onto which an action lays a card, numbered from the first one of the seat that acts; -1: onto none. */
int rummy_action_meld(int action);
void rummy_meld_text(int kind, const uint8_t cards[PLACES], char *text);

/* ---- check.c ---------------------------------------------------------------------------------------------- */

/* True if cards can lie so in a meld of this kind, beginning at a place: without gaps, each where it may be. */
int rummy_meld_is_valid(int kind, const uint8_t cards[PLACES], int low, int count);

/* Refuses what no play leads to, and settles what follows from the rest. */
int rummy_settle(struct rummy_state *state, char *message);

/* ---- check_rounds.c --------------------------------------------------------------------------------------- */

/* The fewest actions of an episode that has come so far. */
uint32_t rummy_least_decisions(const struct rummy_state *state);
int rummy_check_rounds(const struct rummy_state *state, char *message);
int rummy_check_results(const struct rummy_state *state, char *message);

/* ---- observe.c -------------------------------------------------------------------------------------------- */

/* The cards whose place a seat does not know. */
struct cards rummy_unseen(const struct rummy_state *state, int seat);

/* ---- say_event.c ------------------------------------------------------------------------------------------ */

void rummy_put_type(struct mh_words *out, int type);
void rummy_put_meld_name(struct mh_words *out, int meld); /* counted from the observer */

/* ---- picture.c -------------------------------------------------------------------------------------------- */

enum { SPRITES = 1 + 2 * TYPES }; /* the back; faces; and what black 2s stand for */

#endif
