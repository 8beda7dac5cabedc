/* A game as the runtime takes it: functions on states as plain memory, and a spec. envs/CONTRACT.md says what a game
 * must bring; mh_declare.inc and mh_rules.inc make a struct mh_rules of that. From the functions the runtime makes
 * masks, legal lists, refusals, random play, snapshots and batches once for all games.
 *
 * The core from the ground up. Each file uses only those before it, which tests/layers.py checks. Where there are a .h
 * and a .c, the .c stands for both.
 *
 *   base/                                  what all others stand on
 *     mh_rng.h mh_bits.h mh_two.h          generators; bits, and sets of actions; two words at once
 *     mh_wide.h                            masks, random choices and copies by wide instructions
 *     mh_order.h mh_exp.h                  numbers in bytes that leave a machine; exponentials alike on all
 *     mh_half.h                            numbers of 16 bits
 *     mh_text.c mh_read.c                  text and JSON in a caller's buffer; JSON from outside
 *     mh_threads.h                         threads by POSIX or Windows
 *     mh_pool.c mh_rounds.c                threads that share work; rounds that few steps tell of
 *
 *   game/                                  what games are made of
 *     mh_head.h mh_events.h                what every state begins with; its log of public events
 *     mh_words.c                           what a viewer sees, and how it is said
 *     mh_check.c                           what is checked alike in all games
 *     mh_spec.c                            what a game's table says, as data
 *     mh_layer.h mh_gradient.h             a layer of a net and its gradients, by wide instructions as well
 *     mh_net.c                             nets that judge afterstates
 *
 *   mh_game.h                              this page
 *
 *   frame/                                 what is compiled into each game, around its rules
 *     mh_batch.h                           the inside of a batch: what it knows of a row
 *     mh_table.inc mh_declare.inc          the table, and what games declare by it
 *     mh_batch.inc mh_rules.inc            the batch loop, and the game as struct mh_rules
 *
 *   play/                                  games and states from outside, and who plays them
 *     mh_search.c                          a bot that searches, with another bot to begin from
 *     mh_bots.c                            the bots of a game: those of its table, and those with settings
 *     mh_game.c mh_describe.c              games by id, their options; a game's table as JSON
 *     mh_state.c                           states from outside
 *     mh_play.c                            episodes that built-in bots play to the end; searches
 *     mh_replay.c                          episodes that were played, played once more
 *     mh_decisions.c mh_paired.c           what is made of that: data; what players differ by
 *     mh_fit.c mh_learn.c                  nets from outside, and rows to fit them to; layers that learn
 *
 *   words/                                 words of a table, for every game
 *     mh_shown_fields.c                    what is shown of a table, field by field
 *     mh_words_generic.c                   words of a game that brings none
 *     mh_say.c                             words of a table, from outside
 *
 *   batch/                                 many games at once, from outside
 *     mh_buffers.c                         the table of a batch's arrays
 *     mh_lineups.c                         who plays in which episode
 *     mh_batch.c mh_choose.c mh_rows.c     steps, choices at random, rows saved and loaded
 *     mh_remote.c                          rows on a server, for its clients: replies read into a batch's arrays
 *
 * A file of another folder is included by that folder's name and its own. The games, envs/, use what comes before
 * play/; the server, csrc/server/, uses all. */
#ifndef MH_GAME_H
#define MH_GAME_H

#include "base/mh_bits.h"
#include "base/mh_order.h"
#include "base/mh_rng.h"
#include "base/mh_text.h"
#include "game/mh_check.h"
#include "game/mh_events.h"
#include "game/mh_head.h"
#include "game/mh_net.h"
#include "game/mh_spec.h"
#include "game/mh_words.h"
#include "mh.h"

enum {
    MH_MAX_OPTIONS = 16,
    MH_MAX_STATE = 8192, /* bytes of a state */
    MH_MAX_SEEN = 8192,  /* bytes of an observation, of an omniscient one, and of the public numbers */
    MH_MAX_ACTIONS = 1024,
    MH_MAX_TABLE_BOTS = 16,
    MH_SNAPSHOT_HEADER = 48, /* bytes before a state in its snapshot */
    MH_ROW_HEADER = 72       /* bytes before that in the snapshot of a batch's row */
};

struct mh_bot;

/* The choice of a bot: a legal action for the seat to act. */
typedef int mh_bot_act(const struct mh_bot *self, const void *state, struct mh_rng *rng);

/* Writes what it expects of each legal action, in ascending order of ids; NaN where it does not judge one. Unless
 * `all` is set, also where another is at least as good. */
typedef void mh_bot_values(const struct mh_bot *self, const void *state, int all, double *values);

/* A bot as a game object has it. It does not change while the game object lives, and has no memory of what it played:
 * several threads may ask it at once. */
struct mh_bot {
    mh_bot_act *act;
    mh_bot_values *values; /* NULL: it does not judge */
    const char *name;
    const struct mh_game *game;
    const void *settings;     /* of a bot that searches; NULL for others */
    struct mh_net_player net; /* of a bot that plays by a net */
};

struct mh_batch;
struct mh_part;

/* All functions take states and seats that the runtime has checked, and never fail on them. */
struct mh_rules {
    const struct mh_spec *spec;
    int32_t legal_offset;  /* of the set of legal actions, within a state */
    int32_t events_offset; /* of its struct mh_events */
    int32_t num_members;
    const struct mh_member *members; /* of a state, all of them: what it is saved by */

    /* Refuses options that exclude each other, with a message. NULL: none do. */
    int (*check_options)(const int32_t *options, char *message);
    /* Where only the end of a game is rewarded, puts a reward in its place that every round pays, and returns 1. NULL:
     * the game has none. */
    int (*surrogate)(int32_t *options);
    int32_t surrogate_for_nets; /* whether nets also play by it */
    void (*layout)(const int32_t *options, struct mh_sizes *sizes, struct mh_layout *layout);
    void (*bounds)(const int32_t *options, struct mh_bounds *bounds);

    /* Starts an episode in zeroed memory. `deck`, when not NULL, replaces the first shuffle. */
    void (*reset)(void *state, const int32_t *options, uint64_t seed, const uint8_t *deck);
    /* The game's cards in a fixed order: the numbers that decks are made of. */
    void (*fill_deck)(uint8_t *deck);
    /* Applies a legal action, adds to head.rewards, sets head.seat and the set of legal actions. */
    void (*apply)(void *state, int action);
    /* Deals the next round, if the state is between two of them. */
    void (*next_round)(void *state);

    void (*observe)(const void *state, int seat, uint8_t *observation);
    void (*omniscient)(const void *state, uint8_t *omniscient);
    void (*info)(const void *state, int64_t *info);
    void (*action_text)(int action, char *text);
    mh_event_text *event_text;
    mh_event_fits *event_fits;
    void (*json)(const void *state, int with_generators, struct mh_text *out);
    void (*read)(void *state, const int32_t *options,
                 const struct mh_in *in); /* in zeroed memory; NULL: it cannot */

    /* Refuses what cannot be seen of a table, so that the two functions below are safe on it. NULL: all that the
     * fields' highest values allow can be drawn. */
    int (*check_shown)(const struct mh_shown *shown, char *message);
    /* Says a part of a table, or an event of an absolute seat without a line's end. */
    void (*words)(const struct mh_shown *shown, int part, int number, struct mh_words *out);
    void (*say_event)(const struct mh_shown *shown, int seat, int kind, int detail, int extra,
                      struct mh_words *out);

    /* Draws a table into an empty scene; lists the cards that an action is about; names the sprites of both. NULL: the
     * game draws none. */
    void (*picture)(const struct mh_shown *shown, struct mh_scene *scene);
    int (*move_cards)(const struct mh_shown *shown, int action, struct mh_move_card *cards);
    int32_t num_sprites;
    void (*sprite_text)(int sprite, char *text);

    /* The options that a state was started with. */
    const int32_t *(*options)(const void *state);
    /* Changes the options of a state in play; only the reward and hints may differ. */
    void (*set_options)(void *state, const int32_t *options);
    /* Refuses bytes that no play can lead to, so that the functions above are safe on them. */
    int (*check)(const void *state, char *message);
    void (*resample)(void *state, int seat, uint64_t seed);

    /* Writes the afterstates of the seat to act. NULL: the game has none. */
    mh_afterstates *afterstates;

    /* The nets that come with the game, one without a name behind the last one. NULL: it has none. */
    const struct mh_shipped_net *nets;

    mh_bot_act *const *acts;      /* one for each bot of the table */
    mh_bot_values *const *values; /* likewise; NULL for a bot that does not judge */
    /* A legal action that does as little as the rules allow. */
    int (*idle)(const void *state);
    /* True if somebody is asked in every world with the same public events. NULL: always. */
    int (*is_settled)(const void *state);

    /* The batch loop, mh_batch.inc, compiled into the game: one indirect call a batch, not one a step. */
    void (*start_row)(struct mh_batch *batch, int row, const uint8_t *deck);
    void (*show_row)(struct mh_batch *batch, int row);
    void (*observe_row)(const struct mh_batch *batch, int row, uint8_t *observations, int8_t *masks);
    void (*step_rows)(struct mh_batch *batch, int first, int last, struct mh_part *part);
};

struct mh_game {
    const struct mh_rules *rules;
    struct mh_sizes sizes;
    struct mh_layout layout;
    int32_t legal_words; /* 64-bit words in a set of actions */
    int32_t num_bots;    /* of the table: all, or all but the last one where no net suits the options */
    uint64_t layout_hash;
    int32_t options[MH_MAX_OPTIONS];
    struct mh_game *surrogate; /* the same game, rewarded by rounds, where only its end is rewarded; else NULL */
    struct mh_bot *bots; /* those of the table, then those with settings that somebody has named: see mh_bots.h */
};

/* The bot that plays where none is named: the game's second one, if there is one. */
static inline int mh_default_bot(const struct mh_game *game)
{
    return game->rules->spec->num_bots > 1;
}

static inline const uint64_t *mh_legal(const struct mh_rules *rules, const void *state)
{
    return (const uint64_t *)((const char *)state + rules->legal_offset);
}

static inline const struct mh_events *mh_events_of(const struct mh_rules *rules, const void *state)
{
    return (const struct mh_events *)((const char *)state + rules->events_offset);
}

/* Applies an action that is known to be legal. One that ends a round deals nothing: rules->next_round does. */
static inline void mh_apply(const struct mh_rules *rules, void *state, int action)
{
    mh_head_begin(state);
    rules->apply(state, action);
}

/* The action that a bot of the game plays for the seat to act. */
static inline int mh_bot_choose(const struct mh_game *game, int bot, const void *state, struct mh_rng *rng)
{
    const struct mh_bot *self = &game->bots[bot];
    return self->act(self, state, rng);
}

/* Refuses a deck that does not have the game's cards, each as often as it has them. */
int mh_check_deck(const struct mh_game *game, const uint8_t *deck, int count, char *message);

/* Refuses a game or a state that is NULL, and a state that is not aligned. */
int mh_check_state(const struct mh_game *game, const void *state, char *message);

/* Refuses a state in which nobody is to act. */
int mh_check_turn(const void *state, char *message);

/* The registry: envs/registry.c, from envs/games.def. */
extern const struct mh_rules *const mh_registry[];
extern const int mh_registry_size;

#endif
