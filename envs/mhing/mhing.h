/* Boxed Mhing: the state of an episode, and the functions on it, in the order in which a round goes.
 *
 *   cards.c      texts of cards, melds, hands and actions
 *   hand.h       concealed cards, kept in the forms that the rules ask for
 *   distance.c   how far a hand is from complete, which cards complete it        R5
 *   arrange.c    the melds and the pair that earn most                           R5, R6
 *   score.c      what a complete hand earns, by name                             R6, R7
 *   round.c      deal, draw, discard, claims, declaration, wash                  R2-R4
 *   legal.c      the legal actions of the seat to act                            R3, R4, R10
 *   match.c      points, chips, rewards, end of the game                         R7, R8
 *   observe.c    what a seat sees, what nobody sees, public numbers
 *   player.c     a seat's own point of view, which the players share
 *   bots/        the players
 *     greedy.c     the greedy one; hints
 *     expert.h     the expert: the idea, and the race
 *     outlook.c    ... what it rests on besides the hand
 *     expert.c     ... values and decisions
 *     plans.c      how far a hand is from each kind of valuable one
 *     features.c   what is left after a move, as numbers for a net
 *   resample.c   the same state as far as a seat knows
 *   report.c     a state as JSON
 *   check.c      refuses states that no play leads to
 *   check_game.c ... by points, chips, rewards and rounds
 *   read.c       a state from its JSON
 *   words.c      a table in sentences, as one viewer sees it
 *   check_shown.c  ... refused where it cannot be said
 *   mhing_draw.h declared.c  a declared hand in groups, and what it is paid for
 *   picture.c    the picture of a table
 *   mhing.c      all of it as the runtime takes it
 *
 * Rule numbers (R4.3) refer to RULES.md.
 */
#ifndef MHING_H
#define MHING_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "kinds.h"
#include "mhing_api.h"

#define MH_ID mhing
#define MH_TITLE "Mhing"
#define MH_VERSION 0
#define MH_EXTRA jokers
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
#define MH_HAS_SURROGATE_FOR_NETS
#define MH_HAS_SEAT_TAIL
#define MH_HAS_WORDS
#include "frame/mh_declare.inc"

enum mhing_phase { PHASE_WAIT, PHASE_TURN, PHASE_CLAIM, PHASE_OVER, PHASES };
enum mhing_scoring { SCORING_POINTS, SCORING_CHIPS };
enum mhing_reward { REWARD_CREDITS, REWARD_POINTS, REWARD_CHIPS, REWARD_WIN };

/* ---- The state ------------------------------------------------------------------------------------------- */

enum {
    SEATS = MH_MAX_SEATS,
    DEALT = 13,
    MOST_SCORE = INT32_MAX - 1, /* R8.2: points are even */
    CHIPS_SEATS = 4,            /* R8: chips are for up to four players */
    TAKER = JOKER + 2,          /* added to a discard, card+1, for each seat clockwise to the one that claimed it */
    MAX_ALL_DISCARDS = 160,     /* by all: no more than cards left after dealing and claims together */
    BLOCKS = 576                /* bytes: the most that `seats` blocks take */
};

/* One seat's concealed cards, kept up to date in every form that the rules ask for (hand.h). The first two are changed
 * at once, and hands are copied sixteen bytes at a time: so they begin one of the sixteens. */
struct mhing_hand {
    uint64_t held;     /* types held at least once, at their places in a word (hand.h) */
    uint64_t twice;    /* types held at least twice */
    uint64_t waits;    /* bit set of the types that would complete the hand, bit 34 a Mhing card; 0 on turn */
    uint8_t count[36]; /* by type, as observations hold it; 34: Mhing cards; 35: unused */
    uint16_t key[7];   /* counts as numbers: two keys for each suit, one for the honours (distance.c) */
    uint8_t unused[6];
};

/* The result of the round finished last; the part that observations show comes first. */
struct mhing_result {
    uint8_t revealed[35]; /* the concealed cards declared */
    int8_t winner;        /* -1: a wash */
    int8_t payer;         /* whose discard made the MHING possible; -1: nobody */
    uint8_t melds;        /* the declarer's melds on the table, by kind */
    uint8_t meld_kind[MELDS];
    uint8_t meld_jokers[MELDS];
    uint8_t unused[2];
    struct mhing_score score;
    int32_t payments[SEATS];
    int32_t round; /* its number, from 0; -1: no round has been finished */
};

/* Large batches wait for memory more than for anything else: what nearly every step touches comes first, up to the
 * hands of four players (MH_STATE_HOT in mhing.c), and each column of the log is a cache line. */
struct mhing_state {
    struct mh_head head;
    uint64_t legal[LEGAL_WORDS]; /* actions of the seat to act */
    int32_t options[OPTIONS];
    int32_t scores[SEATS];
    int32_t chips[SEATS];   /* 0 with more than CHIPS_SEATS players */
    int32_t rounds_limit;   /* 0: none */
    uint8_t shown_round[4]; /* as observations hold it, like the next three: to write them each time takes longer */
    uint8_t shown_rounds_left[4];
    uint8_t shown_target[4];
    uint8_t shown_rules[3]; /* and with these, each column of the log is a cache line */
    struct mh_events events;

    /* The round in play: from here to `last` cleared by each deal. */
    uint8_t dealer;
    uint8_t on_turn;     /* during claims: the discarder */
    uint8_t phase;       /* enum mhing_phase, of the seat to act */
    uint8_t offer;       /* card+1 on offer */
    uint8_t drawn;       /* card+1 drawn in this turn */
    uint8_t complete;    /* the seat on turn holds a complete hand */
    int8_t claimed_from; /* whose discard was claimed in this turn; -1: nobody's */
    uint8_t turn;        /* turns begun in this round */
    uint8_t next;        /* place in `deck` of the next card to draw */
    uint8_t num_discards;
    uint16_t answers[SEATS]; /* claims given to the discard on offer: action + 1; 0: not asked or not yet */
    uint8_t seen[35];        /* cards by type that lie open: dead discards and melds */
    uint8_t deck[DECK];
    uint8_t blocks[BLOCKS]; /* struct mhing_seat and discards in order, one after the other: mhing_seat_of */
    uint8_t unused_round[1];
    struct mhing_hand hands[SEATS];

    struct mhing_result last;
};

/* ---- Seats ----------------------------------------------------------------------------------------------- */

/* Room for one seat's discards in order. Every discard moves the turn on by one seat, or by up to players-1 when it
 * is claimed, which each seat can do four times; so a seat has at most
 * (150 - 13 players) / players + 4 (players - 1) + 1 turns. */
static inline int mhing_discard_capacity(int players)
{
    static const uint8_t capacity[SEATS + 1] = {0, 0, 67, 46, 37, 34, 33};
    return capacity[players];
}

static inline int mhing_block_size(int players)
{
    return (int)sizeof(struct mhing_seat) + mhing_discard_capacity(players);
}

static inline struct mhing_seat *mhing_seat_of(struct mhing_state *state, int seat)
{
    return (struct mhing_seat *)(state->blocks + seat * mhing_block_size(state->head.seats));
}

static inline const struct mhing_seat *mhing_seat_view(const struct mhing_state *state, int seat)
{
    return (const struct mhing_seat *)(state->blocks + seat * mhing_block_size(state->head.seats));
}

static inline uint8_t *mhing_discards(struct mhing_seat *block)
{
    return (uint8_t *)(block + 1);
}

static inline const uint8_t *mhing_discards_view(const struct mhing_seat *block)
{
    return (const uint8_t *)(block + 1);
}

/* A discard as it lies before the seat that made it. */
struct mhing_discard {
    int type;
    int by;
    int taker; /* -1: nobody has claimed it */
};

/* The discard of a seat at a place in its row, which is filled. */
static inline struct mhing_discard mhing_discard_at(const struct mhing_state *state, int by, int place)
{
    const int shown = mhing_discards_view(mhing_seat_view(state, by))[place];
    const int way = shown / TAKER;
    return (struct mhing_discard){shown % TAKER - 1, by, way ? (by + way) % state->head.seats : -1};
}

/* Whose turn follows, which also says in which order the discards of all seats were made: the dealer's comes first. */
static inline int mhing_seat_after(const struct mhing_state *state, struct mhing_discard discard)
{
    return discard.taker < 0 ? mh_head_next(&state->head, discard.by) : discard.taker;
}

static inline int mhing_num_melds(const struct mhing_seat *block)
{
    return (block->meld_kind[0] != 0) + (block->meld_kind[1] != 0) + (block->meld_kind[2] != 0) +
           (block->meld_kind[3] != 0);
}

static inline int mhing_melds_to_go(const struct mhing_seat *block)
{
    return MELDS - mhing_num_melds(block);
}

/* The seat on turn, as a viewer sees the table. */
static inline int mhing_on_turn(const struct mhing_shown *shown)
{
    return mh_shown_seat(shown->table, shown->view->on_turn[0]);
}

/* ---- Actions that lay a meld ----------------------------------------------------------------------------- */

struct mhing_pattern {
    int kind;
    int jokers; /* sequence: bit set of places; triplet: how many */
};

static inline int mhing_is_pattern(int action)
{
    return action >= ACTION_sequence && action < ACTION_pass;
}

static inline struct mhing_pattern mhing_pattern_of(int action)
{
    struct mhing_pattern pattern;
    if (action < ACTION_triplet) {
        pattern.kind = (action - ACTION_sequence) >> 3;
        pattern.jokers = (action - ACTION_sequence) & 7;
    } else {
        pattern.kind = SEQUENCES + ((action - ACTION_triplet) >> 2);
        pattern.jokers = (action - ACTION_triplet) & 3;
    }
    return pattern;
}

static inline int mhing_pattern_action(int kind, int jokers)
{
    return kind_is_sequence(kind) ? ACTION_sequence + kind * 8 + jokers
                                  : ACTION_triplet + (kind - SEQUENCES) * 4 + jokers;
}

/* True if a Mhing card fills a place (0-2): those of a triplet lie at its end. */
static inline int mhing_joker_at(int kind, int jokers, int place)
{
    return kind_is_sequence(kind) ? jokers >> place & 1 : place >= MELD_CARDS - jokers;
}

/* Counts the Mhing cards in a meld. */
static inline int mhing_pattern_jokers(int kind, int jokers)
{
    return kind_is_sequence(kind) ? (jokers & 1) + (jokers >> 1 & 1) + (jokers >> 2 & 1) : jokers;
}

/* ---- cards.c --------------------------------------------------------------------------------------------- */

void mhing_card_text(int type, char *text);
/* The spoken name of a card: "five of circles". */
void mhing_card_spoken(int type, char *text);
void mhing_meld_text(int kind, int jokers, char *text); /* "45*6s" */
void mhing_part_text(int part, char *text);
/* Cards of a hand by suit: "1123s 55p EE J". A hand has up to DEALT + 1 of them. */
enum { HAND_TEXT = 48 };
void mhing_hand_text(const uint8_t count[35], char *text);
/* The concealed cards of a scored hand as texts in order: melds, then the pair; or single cards; or pairs. */
int mhing_arrangement(const struct mhing_score *score, char text[][MH_TEXT_SIZE]);
/* Counts the cards of the group that begins at a place of them. */
static inline int mhing_group_size(const struct mhing_score *score, int place)
{
    const int is_meld = place < score->melds * MELD_CARDS;
    return score->shape == MHING_SHAPE_NOTHING_CONNECTS ? 1 : is_meld ? MELD_CARDS : 2;
}

/* ---- round.c --------------------------------------------------------------------------------------------- */

/* True if a seat that has drawn or claimed holds a complete hand. */
int mhing_is_complete(const struct mhing_state *state, int seat);

/* ---- legal.c --------------------------------------------------------------------------------------------- */

/* Settles the set of legal actions of the seat on turn. */
void mhing_turn_actions(struct mhing_state *state);
/* Settles the set of what `seat` may answer to the discard on offer. Returns 0, the set unsettled, when it has nothing
 * to claim with. */
int mhing_claim_actions(const struct mhing_state *state, int seat, uint64_t *legal);

/* ---- match.c --------------------------------------------------------------------------------------------- */

/* Settles what follows from the options: limits, chips, no result yet. */
void mhing_start_game(struct mhing_state *state);
/* True if the episode is over, by the rounds finished, the points and the chips (R8). */
int mhing_episode_is_over(const struct mhing_state *state);
/* Ends the round: who declared (-1: a wash), whose discard made it possible (-1: nobody's). */
void mhing_end_round(struct mhing_state *state, int winner, int payer, const struct mhing_score *score);
/* Two parts of that. What the round finished last, of which `last` has the winner, the payer and the score, brings in
 * points, chips and rewards; and the winner's cards, as `last` has them. */
void mhing_pay_round(struct mhing_state *state);
void mhing_reveal_hand(struct mhing_state *state);
/* The least credits that are worth so many points; MHING_MOST_CREDITS + 1: no hand is. */
enum { MHING_MOST_CREDITS = 41 }; /* R7.3 */
int mhing_least_credits(int32_t points);
/* Writes how the game stands, as observations hold it: rounds and target, and into the blocks of the seats points, what
 * is missing to the target, and chips. */
void mhing_show_standing(struct mhing_state *state);

/* ---- distance.c ------------------------------------------------------------------------------------------ */

/* Distance of concealed cards of which `melds` melds and a pair must be made (nothing connects and seven pairs are
 * looked at when all four are to be made). */
int mhing_hand_distance(const struct mhing_hand *hand, int melds, int seven_pairs);
/* The distance once a card of each type is discarded, MHING_NO_DISTANCE for types not held. Returns the smallest. */
enum { MHING_NO_DISTANCE = 99 };
int mhing_hand_after_discards(const struct mhing_hand *hand, int melds, int seven_pairs, uint8_t after[JOKER + 1]);

/* Returns the types of which another card brings a hand before its draw to a distance, or nearer: a bit set, bit 34 a
 * Mhing card. Types of which it holds all copies are left out. mhing_hand_waits is the same for a distance of 0,
 * sooner found. `known` (distance.h) saves time where many hands of a decision are looked at, and may be NULL. */
struct known_groups;
uint64_t mhing_hand_helps(const struct mhing_hand *hand, int melds, int seven_pairs, int distance,
                          struct known_groups *known);
uint64_t mhing_hand_waits(const struct mhing_hand *hand, int melds, int seven_pairs, struct known_groups *known);

/* The distance once a card of each of these types, which are held, is discarded, and the types that bring the hand
 * nearer then. */
void mhing_discards_help(const struct mhing_hand *hand, int melds, int seven_pairs, uint64_t discards,
                         uint8_t after[JOKER + 1], uint64_t helps[JOKER + 1]);

/* ---- score.c --------------------------------------------------------------------------------------------- */

/* The credits of a hand that is known to have the right number of cards, without their names; -1: not complete. */
int mhing_hand_credits(const struct mhing_cards *cards, int allow_seven_pairs);

/* ---- observe.c ------------------------------------------------------------------------------------------- */

void mhing_unseen(const struct mhing_state *state, int seat, uint8_t unseen[35]);

/* ---- bots/greedy.c --------------------------------------------------------------------------------------- */

/* The choice of the greedy player as a seat with these legal actions. */
int mhing_choose(const struct mhing_state *state, int seat, const uint64_t *legal);

/* ---- report.c -------------------------------------------------------------------------------------------- */

extern const char *const mhing_phases[PHASES];

/* ---- check.c --------------------------------------------------------------------------------------------- */

/* True if a meld of this kind can have its jokers like that. */
int mhing_jokers_fit(int kind, int jokers);
/* Refuses what no play leads to, and settles what follows from the rest. */
int mhing_settle(struct mhing_state *state, char *message);

/* ---- check_game.c ---------------------------------------------------------------------------------------- */

/* Refuses what the rounds finished cannot have come to. All else of the state is checked. */
int mhing_check_game(const struct mhing_state *state, char *message);
/* The game before the round finished last was paid, and after it is paid again; before the first round both are as it
 * began. Returns 0, *after unsettled, where the game cannot have stood like that. */
int mhing_pay_again(const struct mhing_state *state, struct mhing_state *before, struct mhing_state *after);
/* True if the last action ended a round: the one on the table, or the one before it. */
int mhing_was_just_paid(const struct mhing_state *state);
/* The fewest actions that lead to what lies open of the round on the table: in the world of a seat (mhing_resample)
 * others may have answered. And the fewest credits that bring so many points. */
int64_t mhing_fewest_decisions(const struct mhing_state *state);
int64_t mhing_fewest_credits(int64_t points);

/* ---- words.c --------------------------------------------------------------------------------------------- */

/* True if the round is over. Players see it from the phase; spectators have none, and see the event that ended it. */
int mhing_shown_is_over(const struct mhing_view *view);
/* Turns begun: each but the last has ended with a discard, and so has the last one unless its seat still holds the
 * card, as a seat does that declares from the hand. */
int mhing_shown_turn(const struct mhing_shown *shown);
/* A hand that the viewer sees, by type; NULL: it lies face down. */
const uint8_t *mhing_shown_hand(const struct mhing_shown *shown, int seat);
/* The number of a seat that decides the game: points or chips. */
int64_t mhing_shown_standing(const struct mhing_shown *shown, int seat);

/* True if a whole game is over, and not a round alone; those who stand highest share it. */
int mhing_shown_game_is_over(const struct mhing_shown *shown);
int mhing_shown_stands_highest(const struct mhing_shown *shown, int seat);
/* Returns the winner of the round finished last; -1: nobody. */
int mhing_shown_winner(const struct mhing_shown *shown);
/* The hand declared in this round, as the rules count it: its melds lie on the table, the rest was laid open. Returns 0
 * where it does not lie there any more, or is none. */
int mhing_shown_declared(const struct mhing_shown *shown, int winner, struct mhing_score *score);
/* Says in a line how the round finished last ended; with_credits: what they are for, by `score` or the public
 * numbers. */
void mhing_say_headline(const struct mhing_shown *shown, const struct mhing_score *score, int with_credits,
                        struct mh_words *out);

/* ---- picture.c ------------------------------------------------------------------------------------------- */

enum { SPRITES = 1 + JOKER + 1 + TYPES + 2 }; /* the back; card types; what Mhing cards stand for; two marks */

/* ---- The rest -------------------------------------------------------------------------------------------- */

/* A seat's hand for scoring. */
void mhing_cards_of(const struct mhing_state *state, int seat, struct mhing_cards *cards);

#endif
