/* The public C interface: games, and states of them. Many games stepped together are in mh_batch_api.h, pictures in
 * mh_draw_api.h.
 *
 * C and C++ programs include mh.h. These files have declarations only, because the Python binding is generated from
 * them without a preprocessor. mh_game_describe describes a game at run time as JSON: observation fields, actions,
 * options, events and more.
 *
 * Conventions
 *   - Functions that can fail return an enum mh_status: MH_OK is 0, errors are negative. A `message` is
 *     NULL or points to MH_MESSAGE_SIZE bytes. It receives one line that names the argument, what was wrong and what
 *     would be right. On error nothing else is written. No function prints, exits or aborts.
 *   - Functions that write text or JSON work like snprintf. They write at most `size` bytes, including the closing
 *     zero, to the caller's buffer, and return the length of the whole text without the zero.
 *   - States are plain data without pointers in caller-owned memory of mh_sizes.state bytes, aligned to 8 bytes.
 *     Copying the bytes clones the state; equal states have equal bytes.
 *   - A game handle may be shared by threads: what it is does not change after its creation. A state or a batch belongs
 *     to one thread at a time. A function with an argument `threads` splits its work into that many fixed parts, at
 *     most mh_max_threads. Its results do not depend on their number.
 */

enum {
    MH_API_VERSION = 1,
    MH_MESSAGE_SIZE = 256, /* bytes of an error message, closing zero included */
    MH_TEXT_SIZE = 32,     /* bytes of the longest action text, closing zero included */
    MH_MAX_SEATS = 6,
    MH_EVENT_TAIL = 32,     /* public events in an observation */
    MH_MAX_MADE_BOTS = 32,  /* bots with settings that a game handle holds */
    MH_BOT_NAME_SIZE = 128, /* bytes of the longest bot's name, closing zero included */
    MH_NAME_LENGTH = 16,    /* characters of a player's name as words show it, */
    MH_NAME_SIZE = 68       /* and its bytes, closing zero included */
};

enum mh_status {
    MH_OK = 0,
    MH_ERROR_ARGUMENT = -1, /* an argument is out of its range, NULL, or misaligned */
    MH_ERROR_GAME = -2,     /* no game of that id */
    MH_ERROR_OPTION = -3,   /* unknown option or preset, bad value, or values that exclude each other */
    MH_ERROR_ACTION = -4,   /* the action is not legal in this state */
    MH_ERROR_OVER = -5,     /* the episode is over: nothing can be applied */
    MH_ERROR_SNAPSHOT = -6, /* these bytes are no snapshot of this game, its options and this version */
    MH_ERROR_ORDER = -7,    /* called too early: bind buffers, then reset, then step */
    MH_ERROR_MEMORY = -8,   /* the system gave no memory */
    MH_ERROR_BETWEEN = -9   /* between two rounds, where nobody is to act; or not there, where none is dealt */
};

/* The results of mh_state_seat where nobody is to act. */
enum mh_nobody {
    MH_OVER = -1,          /* the episode is over */
    MH_BETWEEN_ROUNDS = -2 /* a round is over, and the next one has not been dealt */
};

/* The name of a status, for example "MH_ERROR_OPTION"; never NULL. */
const char *mh_status_name(int status);

/* The most threads that work is shared among, however many are asked for: the processors of this machine, or 4 where
 * it has fewer. */
int mh_max_threads(void);

/* Threads that do parts of calls, of which many follow one another, and sleep between them: to begin a thread takes as
 * long as to judge a hundred moves. Opaque; NULL stands for the caller's thread alone. They belong to one call at a
 * time. Not more than mh_max_threads are made, the caller's included; for one alone *pool is NULL. In a process forked
 * off the one that made them, the caller does all parts. */
struct mh_pool;

int mh_pool_new(int threads, char *message, struct mh_pool **pool);

/* Ends the threads and sets the pointer to NULL. */
void mh_pool_free(struct mh_pool **pool);

/* ---- Games ----------------------------------------------------------------------------------------------- */

/* A game with its options settled. Opaque; made by mh_game_new, released by mh_game_free. */
struct mh_game;

/* Bytes and counts that follow from a game and its options. */
struct mh_sizes {
    int32_t seats;       /* players at the table */
    int32_t actions;     /* ids 0 .. actions-1 */
    int32_t state;       /* bytes of a state */
    int32_t snapshot;    /* bytes that mh_state_save writes */
    int32_t row;         /* bytes that mh_batch_save_row writes */
    int32_t observation; /* bytes of one seat's observation */
    int32_t omniscient;  /* bytes of the all-seeing observation */
    int32_t info;        /* numbers that mh_state_info writes */
    int32_t deck;        /* cards in the deck, as mh_state_deal takes them */
    int32_t tally;       /* numbers of a seat in a tally, see mh_state_add_round */
    int32_t features;    /* of an afterstate, see mh_state_afterstates; 0: the game has none */
    int32_t piece;       /* bytes of work that is done in pieces, see struct mh_pieces */
};

/* Long work of bots that search, done in pieces: the call is repeated with the same arguments until it returns MH_OK,
 * and has the same result as in one piece. Before that it returns how much is left: 1 search, or some episodes. */
struct mh_pieces {
    void *memory; /* mh_sizes.piece bytes for each search or episode, zeroed first, as aligned as a state, and not
                        * moved; NULL: the work is done in one piece */
    int64_t play_outs; /* of a piece, in each thread; at least 1 */
};

/* The registered games, in the registry's order. mh_game_id returns NULL when there is no such index. */
int mh_game_count(void);
const char *mh_game_id(int index);

/* Makes a game from its id and options such as "rules=boxed num_players=4 seven_pairs=on": names and values
 * joined by '=', separated by spaces, each name once. `rules` selects a preset, which the other options change.
 * NULL or "" leaves every option at its default. The caller owns *game. */
int mh_game_new(const char *id, const char *options, char *message, struct mh_game **game);

/* Releases *game and sets it to NULL. Both `game` and *game may be NULL. */
void mh_game_free(struct mh_game **game);

int mh_game_sizes(const struct mh_game *game, struct mh_sizes *sizes);

/* Bounds of the results of an episode, whatever is played: proven, if not always reached. */
struct mh_bounds {
    double lowest;     /* what a seat earns; -INFINITY: it may lose without end */
    double highest;    /* INFINITY: it may earn without end */
    double sum;        /* what all seats earn together, where that is always the same; else NAN */
    int64_t decisions; /* actions that are played; 0: there is no end to them */
};

int mh_game_bounds(const struct mh_game *game, struct mh_bounds *bounds);

/* Describes the game and its options as one JSON object. */
size_t mh_game_describe(const struct mh_game *game, char *text, size_t size);

/* Writes the text of an action (at most MH_TEXT_SIZE bytes), or finds the id of a text. mh_action_id returns
 * MH_ERROR_ARGUMENT when no action has that text. */
int mh_action_text(const struct mh_game *game, int action, char *text);
int mh_action_id(const struct mh_game *game, const char *text);

/* Writes what a public event is about, such as the card discarded (at most MH_TEXT_SIZE bytes, "" where there is
 * nothing to say), from the kind and the two details that observations and mh_state_events have of it.
 * MH_ERROR_ARGUMENT: there can be no such event. */
int mh_game_event_text(const struct mh_game *game, int kind, int detail, int extra, char *text);

/* The number of a bot by its name, or MH_ERROR_ARGUMENT with a message that lists the names: one of the table of bots
 * in mh_game_describe, or one with settings, such as "search:200" or "search:10ms,prior=greedy", or one that plays by a
 * net that came with the game, such as "net:credits". A bot with settings is made when it is first named, belongs to
 * the game handle, and has a number from then on, beyond those of the table; a handle holds MH_MAX_MADE_BOTS of them.
 * Threads may name bots of a handle while others play with it. */
int mh_bot_index(const struct mh_game *game, const char *name, char *message);

/* The name of a bot, or NULL where there is none of that number. It lives as long as the handle. */
const char *mh_bot_name(const struct mh_game *game, int bot);

/* ---- States ---------------------------------------------------------------------------------------------- */

/* Starts an episode. The same seed gives the same cards on every machine. */
int mh_state_reset(const struct mh_game *game, void *state, uint64_t seed, char *message);

/* Starts an episode whose first round is dealt from `deck` (mh_sizes.deck card types in the order in which they
 * are dealt and drawn: those that mh_game_describe lists as `deck`); everything else comes from the seed. */
int mh_state_deal(const struct mh_game *game, void *state, uint64_t seed, const uint8_t *deck, int count,
                  char *message);

/* Sets the seed from which the next deals follow. The round on the table stays as it is: only the next deals draw from
 * that generator. A table at which nobody may compute a deal from earlier ones sets a new seed before each deal. */
int mh_state_set_seed(const struct mh_game *game, void *state, uint64_t seed, char *message);

/* The seat to act, or an enum mh_nobody. */
int mh_state_seat(const void *state);

/* True if all may be told where the game stands: 1 where somebody is asked, or the episode is over, in every world with
 * the same public events. 0 where a seat is asked because of its cards, say for a claim: others see the last settled
 * state until the next one. */
int mh_state_is_settled(const struct mh_game *game, const void *state);

/* Rounds finished since the episode began. The public numbers (mh_state_info) change when it does, and only then. */
int32_t mh_state_rounds(const void *state);

/* Applies one action of the seat to act, and where it ends a round that is not the episode's last deals the next one.
 * Refuses an illegal one and leaves the state unchanged. */
int mh_state_apply(const struct mh_game *game, void *state, int action, char *message);

/* As mh_state_apply, but deals nothing: after an action that ends a round the cards lie as they did, for all who want
 * to look at them, and the state is between rounds (MH_BETWEEN_ROUNDS) until mh_state_next_round deals. Both together
 * do what mh_state_apply does. mh_state_next_round returns MH_ERROR_BETWEEN where the state is not between rounds. */
int mh_state_apply_only(const struct mh_game *game, void *state, int action, char *message);
int mh_state_next_round(const struct mh_game *game, void *state, char *message);

/* Writes mh_sizes.actions flags: 1 for each action that the seat to act may choose; all 1 where nobody is
 * to act, so that a masked policy never divides by zero. */
int mh_state_mask(const struct mh_game *game, const void *state, int8_t *mask);

/* Write what each seat earned by the last action, and since the start of the episode (mh_sizes.seats numbers each), in
 * the unit of the option `reward`. */
int mh_state_rewards(const struct mh_game *game, const void *state, float *rewards);
int mh_state_returns(const struct mh_game *game, const void *state, double *returns);

/* Writes mh_sizes.observation bytes: all that `seat` may know and nothing else. */
int mh_state_observe(const struct mh_game *game, const void *state, int seat, uint8_t *observation);

enum { MH_TURN_SEAT, MH_TURN_ROUNDS, MH_TURN_LEGAL, MH_TURN_NUMBERS };

/* A state that is played move by move, and where it is to be written what is read before each. */
struct mh_turn {
    const struct mh_game *game;
    void *state;
    int32_t *numbers;     /* [MH_TURN_NUMBERS] mh_state_seat, mh_state_rounds, and how many actions may be chosen */
    int64_t *legal;       /* [mh_sizes.actions] first the ids of these, ascending */
    int8_t *mask;         /* [mh_sizes.actions] as mh_state_mask writes it */
    float *rewards;       /* [mh_sizes.seats] of the last action */
    uint8_t *observation; /* [mh_sizes.observation] of the seat to act; where nobody is, it stays as it was */
};

/* Write all that follows from the state: as it is, when it has become a copy of another one, and after an action, which
 * is applied as mh_state_apply and mh_state_apply_only do. The last two return 1 where the action has ended a round. */
int mh_state_look(const struct mh_turn *turn);
int mh_state_copy(const struct mh_turn *turn, const void *source);
int mh_state_act(const struct mh_turn *turn, int action, char *message);
int mh_state_act_only(const struct mh_turn *turn, int action, char *message);

/* The same as `shown` has it, a game whose options differ in `hints` at most: for seats at one table that were made for
 * different observations. */
int mh_state_observe_as(const struct mh_game *game, const void *state, const struct mh_game *shown, int seat,
                        uint8_t *observation);

/* Writes mh_sizes.observation bytes: what spectators may know. It is the observation of seat 0, with zeros in the
 * fields that mh_game_describe does not mark as public, so its seats are absolute. */
int mh_state_watch(const struct mh_game *game, const void *state, uint8_t *observation);

/* Writes the public events of the one action or deal that led from the state `before` to `after`, in order: for each
 * the seat plus one, its kind, and two details, which the table of events explains. events[MH_EVENT_TAIL][4] is large
 * enough. Returns their number. */
int mh_state_events(const struct mh_game *game, const void *before, const void *after, uint8_t *events);

/* Writes mh_sizes.omniscient bytes: what is hidden from the seats. */
int mh_state_omniscient(const struct mh_game *game, const void *state, uint8_t *omniscient);

/* Writes mh_sizes.info public numbers (scores, the last round's result): the table's info fields. */
int mh_state_info(const struct mh_game *game, const void *state, int64_t *info);

/* Writes a snapshot: a header (magic, version, game, layout) and the state. Numbers are little-endian in it: equal
 * states give the same bytes on every machine, and load there. */
int mh_state_save(const struct mh_game *game, const void *state, uint8_t *snapshot);

/* Restores a snapshot. Refuses bytes that do not fit, or a state that no play of this game can reach. */
int mh_state_load(const struct mh_game *game, void *state, const uint8_t *snapshot, size_t size, char *message);

/* Writes everything about a state, including hidden cards, as one JSON object. */
size_t mh_state_json(const struct mh_game *game, const void *state, char *text, size_t size);

/* The same JSON without its generators, from which the cards to come follow: for those who may see all cards that lie
 * on the table now, but not the next deal. */
size_t mh_state_position(const struct mh_game *game, const void *state, char *text, size_t size);

/* The way back from both, for states made by hand as well: RULES.md says which keys may be left out. Keys that
 * follow from others are not looked at. Refuses what no play leads to, and leaves `state` as it was then. */
int mh_state_read(const struct mh_game *game, void *state, const char *json, size_t size, char *message);

/* An observer who knows what all seats together know: every hand. Only the order of hidden piles and coming shuffles
 * are hidden from it. */
enum { MH_ALL_SEATS = -2 };

/* Writes to `out` a copy in which all that `seat`, or MH_ALL_SEATS, cannot know is drawn anew from `seed`, consistent
 * with all that it knows. `out` may be `state` itself. */
int mh_state_resample(const struct mh_game *game, const void *state, int seat, uint64_t seed, void *out);

/* Writes the afterstates of the seat to act, before anything new is drawn or shown: of moves worth considering, or
 * with `all` each legal one. Writes for each the action, features[mh_sizes.features] for a net to judge, and NaN;
 * where what the action brings is certain, zeros and what the seat will earn by it. An action is listed once for each
 * way in which the seat itself may continue, such as a discard after a claim. Writes at most `capacity` of them and
 * returns how many there are. MH_ERROR_GAME: the game has no features; MH_ERROR_OVER: nobody is to act. */
int mh_state_afterstates(const struct mh_game *game, const void *state, int all, int capacity, int32_t *actions,
                         float *features, double *values);

/* The action that a bot would choose for the seat to act. *random is the bot's own generator, advanced as used. */
int mh_state_bot_action(const struct mh_game *game, const void *state, int bot, uint64_t *random, int *action);

/* Writes what a bot expects of each legal action, in ascending order of ids: what the seat to act will earn from here
 * to the end of the round, in the unit of the option `reward`; NaN for an action that it does not judge. `values` has
 * room for mh_sizes.actions numbers. MH_ERROR_ARGUMENT for a bot that judges none, which mh_game_describe tells. */
int mh_state_values(const struct mh_game *game, const void *state, int bot, double *values, char *message);

/* The findings of a search about the legal actions, in ascending order of ids; each array has room for
 * mh_sizes.actions numbers, and may be NULL. Actions that were not tried have no visits, and NaN. Half widths are of
 * intervals that hold the truth in 95 of 100 cases. Where only the end of a game is rewarded, values are in what its
 * rounds pay towards it. */
struct mh_search_result {
    int64_t *visits; /* play-outs that began with the action */
    double *values;  /* what the seat will earn from here to the end of the round, their mean */
    double *halves;  /* half width of its interval */
    double *gains;   /* by how much that is more than with the action of the prior bot, in the same worlds */
    double *gain_halves;
    int32_t action;  /* the one to play */
    int32_t prior;   /* what the prior bot would play */
    uint64_t random; /* the generator after the search, set by its first piece */
    struct mh_pieces pieces;
};

/* Searches for the seat to act, as the bot "search:SETTINGS" does; csrc/play/mh_search.h says how. It looks at nothing
 * that the seat does not know. `random` is its generator; with a budget of play-outs the result follows from it.
 * `threads` is at least 1. Bots that the settings name, such as prior=greedy, are named by mh_bot_index. */
int mh_state_search(const struct mh_game *game, const void *state, const char *settings, uint64_t random,
                    int threads, struct mh_search_result *result, char *message);

/* The action to play for a seat that does not answer: a legal one that does as little as the rules allow, such as to
 * pass, or to discard the card just drawn. */
int mh_state_idle_action(const struct mh_game *game, const void *state, int *action);

/* Adds to tally[mh_sizes.seats][mh_sizes.tally] what the round finished last has brought each seat: 1 for a win, then
 * the totals that mh_game_describe lists with the role `total`, in its order. To be called whenever mh_state_rounds has
 * gone up. `numbers` is room for mh_sizes.info numbers. */
int mh_state_add_round(const struct mh_game *game, const void *state, int64_t *numbers, int64_t *tally);

/* ---- Words ------------------------------------------------------------------------------------------------- */

/* The viewer of a table, and what it knows besides an observation. Words are made from these and from nothing else. */
struct mh_viewer {
    int32_t seat;              /* whose observation it is; -1: a spectator's, see mh_state_watch */
    int32_t to_act;            /* the seat to act or an enum mh_nobody, where the observation does not say it */
    const int64_t *info;       /* [mh_sizes.info] public numbers; NULL: not known */
    const uint8_t *omniscient; /* [mh_sizes.omniscient] hidden cards, if it may see all; NULL */
    const int8_t *mask;        /* [mh_sizes.actions] 1: the viewer may play it; NULL: it is not asked */
    const char *const *names;  /* [mh_sizes.seats] in UTF-8; NULL: the viewer is "you", others "seat 2" */
    const uint64_t *seed;      /* of the episode, for a picture to be shared that shall name it; NULL */
    int32_t has_log;           /* 1: the caller shows the events, so a picture leaves the last ones out */
};

enum { MH_NOT_KNOWN = -3 /* mh_viewer.to_act: no more than the observation says */ };

/* Writes players' names as words show them, by seat, MH_NAME_SIZE bytes each: UTF-8 in which controls, characters that
 * cannot be seen and broken bytes are "?", of at most MH_NAME_LENGTH characters, the last ones "..." where there were
 * more. No two are alike: a name that occurs twice is followed by the number of its seat. Names from here stay as they
 * are when they come here again. "you" is the reader. */
int mh_names(const char *const *names, int seats, char *out, char *message);

/* Parts of what is said of a table, each of whole lines. */
enum mh_words_part {
    MH_WORDS_ALL = 0,     /* the parts below in their order, with all events */
    MH_WORDS_HEADING = 1, /* the game, its round, who deals or begins */
    MH_WORDS_LIMITS = 2,  /* what is played for, and what ends the game */
    MH_WORDS_SEAT = 3,    /* `number`: a seat, its cards, what it has laid, how it stands */
    MH_WORDS_PILES = 4,   /* what lies in the middle */
    MH_WORDS_EVENTS = 5,  /* `number`: so many public events, the last ones, a line each */
    MH_WORDS_RESULT = 6,  /* how the round finished last has ended, and what it brought */
    MH_WORDS_STATUS = 7,  /* who is to do what */
    MH_WORDS_MOVES = 8,   /* what the viewer may play */
    MH_WORDS_MOVE = 9     /* `number`: an action, without a line's end; no part of the whole */
};

/* Writes what an observation says, in sentences, as snprintf does: returns the length of the whole text, or an enum
 * mh_status with a message. Refuses bytes that cannot be an observation of the game. `number` is 0 for parts without
 * one. */
int64_t mh_words(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                 const struct mh_viewer *viewer, int part, int number, char *text, int64_t size, char *message);

/* Likewise one public event in a sentence, without a line's end: an absolute seat, its kind and two details, see
 * mh_state_events. */
int64_t mh_words_event(const struct mh_game *game, const struct mh_viewer *viewer, int seat, int kind, int detail,
                       int extra, char *text, int64_t size, char *message);

/* Observations of which words are wanted at once, an entry or line for each. Pointers may be NULL, but for
 * observations; names are the same for all. */
struct mh_words_rows {
    int32_t count;
    const uint8_t *observations; /* [count][mh_sizes.observation] */
    const int32_t *seats;        /* [count] as mh_viewer.seat; NULL: all are spectators' */
    const int32_t *to_act;       /* [count] */
    const int64_t *info;         /* [count][mh_sizes.info] */
    const int8_t *masks;         /* [count][mh_sizes.actions] */
    const char *const *names;    /* [mh_sizes.seats] */
};

/* Writes the same part of each, one behind the other, with a closing zero behind the last one: row k is text[starts[k]]
 * up to text[starts[k + 1]]. starts[count + 1] is written even where `text` is too small. Returns the length of all, or
 * an enum mh_status with a message that names the row. */
int64_t mh_words_rows(const struct mh_game *game, const struct mh_words_rows *rows, int part, int number,
                      char *text, int64_t size, int64_t *starts, char *message);

/* The words of a state for somebody who sees all cards: a spectator to whom mh_state_info and mh_state_omniscient are
 * given.
 */
size_t mh_state_text(const struct mh_game *game, const void *state, char *text, size_t size);

/* ---- Episodes played by bots ----------------------------------------------------------------------------- */

/* Plays the state to the end of the episode, each seat by the built-in bot whose number is bots[seat]. */
int mh_state_play_out(const struct mh_game *game, void *state, const int32_t *bots, uint64_t seed);

/* Plays `count` copies of the state to the end of the episode and writes what each seat earned since its start:
 * returns[count][mh_sizes.seats]. Copy k is first resampled with seeds[k] for `observer` (-1: not resampled), then
 * played by mh_state_play_out with the same bots and that seed. `threads` is at least 1. */
int mh_state_play_outs(const struct mh_game *game, const void *state, int observer, const int32_t *bots, int count,
                       const uint64_t *seeds, int threads, double *returns, char *message);

/* The results of episodes, one entry or line for each. Any pointer may be NULL. */
struct mh_outcomes {
    double *returns;  /* [count][mh_sizes.seats] what each seat earned */
    int64_t *rounds;  /* [count] rounds played */
    int64_t *tally;   /* [count][mh_sizes.seats][mh_sizes.tally] wins and totals, added up over these rounds */
    int32_t *actions; /* [count][room] what was played; of longer episodes the first `room` actions */
    int32_t *lengths; /* [count] how many actions there were */
    int32_t room;     /* of an episode in `actions` */
    struct mh_pieces pieces;
};

/* Plays `count` episodes: episode k starts as mh_state_reset with seeds[k], and mh_state_play_out plays it with the
 * bots[k][mh_sizes.seats] and the same seed. `threads` is at least 1. */
int mh_game_play(const struct mh_game *game, int count, const uint64_t *seeds, const int32_t *bots, int threads,
                 const struct mh_outcomes *outcomes, char *message);

/* ---- Episodes that were played, as data -------------------------------------------------------------------- */

/* Episodes by their actions: episode k starts as mh_state_reset with seeds[k], and its actions are those from
 * actions[starts[k]] up to actions[starts[k + 1]]. starts[0] is 0. */
struct mh_episodes {
    int32_t count;
    const uint64_t *seeds;
    const int64_t *starts;  /* [count + 1] */
    const int32_t *actions; /* [starts[count]] */
};

/* The decisions of episodes, an entry or a line for each action, and how the episodes ended. Observations, masks,
 * public numbers and values of decisions, and final observations, may be NULL. */
struct mh_decisions {
    uint8_t *observations; /* [actions][mh_sizes.observation] what the seat to act could know */
    int8_t *masks;         /* [actions][mh_sizes.actions] 1 for each action that it could choose */
    int8_t *seats;         /* [actions] who acted */
    double *rewards;       /* [actions] what that seat earned from here to its next decision, or to the end */
    double *returns;       /* [actions] what it earned from here to the end */
    int64_t *info;         /* [actions][mh_sizes.info] the public numbers by then */
    double *values;        /* [actions][mh_sizes.actions] what `judge` expects, as mh_state_values writes it */
    uint8_t *final_observations; /* [count][mh_sizes.seats][mh_sizes.observation] what each seat knew at the end */
    double *totals;              /* [count][mh_sizes.seats] what each seat earned in the episode */
    int64_t *numbers;            /* [count][mh_sizes.info] the public numbers at the end */
    int32_t *played;             /* [count] how many of the actions were legal */
    int32_t judge;               /* the number of the bot whose values these are */
};

/* Plays the episodes once more and writes all that. Refuses an action that is not legal; `played` then says where. The
 * end is where the actions end, whether or not the episode is over. Refuses a judge that has no values, where they are
 * wanted. `threads` is at least 1. */
int mh_game_decisions(const struct mh_game *game, const struct mh_episodes *episodes, int threads,
                      const struct mh_decisions *decisions, char *message);

/* What is estimated of a seat: bits. */
enum mh_compared { MH_COMPARED_GAINS = 1, MH_COMPARED_LUCK = 2 };

/* A comparison of episodes with what baselines would have played in them, and with other draws.
 *
 * Gains: each other decision of a compared seat is judged by pairs of play-outs from its state, in which all seats play
 * by `bots`, and what no seat knows is drawn anew. Their sum is an unbiased estimate of what the compared seats bring
 * all seats, beyond what their bots would.
 *
 * Luck: after each choice of a seat, what it may expect when it has to choose again is compared with the same after
 * other draws, `bots` playing the seats between. Who judges that is the last bot of the table that does; without one
 * the play lasts to the end. The mean of luck is 0, however anybody plays. csrc/play/mh_paired.c has the proofs. */
struct mh_paired_plan {
    const int32_t *bots;     /* [count][mh_sizes.seats] the baselines; of other seats, who really plays */
    const uint8_t *compared; /* [count][mh_sizes.seats] enum mh_compared */
    int32_t play_outs;       /* pairs for each other decision */
    int32_t worlds; /* with other draws, for each choice whose luck is estimated; 0: no luck is estimated */
};

struct mh_paired {
    double *gains;      /* [count][mh_sizes.seats] the estimate */
    double *luck;       /* [count][mh_sizes.seats] of the seats where it is wanted, else 0 */
    double *totals;     /* [count][mh_sizes.seats] what each seat earned in the episode */
    int32_t *decisions; /* [count] of seats whose gains are estimated, forced ones left out */
    int32_t *differing; /* [count] those that the baseline takes otherwise */
    int32_t *played;    /* [count] how many of the actions were legal */
};

/* Compares the episodes. Results do not depend on `threads`, which is at least 1. Refuses an action that is not legal;
 * `played` then says where. */
int mh_game_paired(const struct mh_game *game, const struct mh_episodes *episodes,
                   const struct mh_paired_plan *plan, int threads, const struct mh_paired *paired, char *message);

/* ---- Nets ------------------------------------------------------------------------------------------------ */

/* A small net that judges afterstates (mh_state_afterstates), for one game. */
struct mh_net;

/* Layers of numbers, and what they were trained for. `sizes` has the number of inputs, mh_sizes.features, and then of
 * outputs of each layer, the last of which is 1. `weights` has for each layer those of its inputs, one input after the
 * other, and then the biases; layers but the last end with max(0, x). low[] and high[] are the options' values, in the
 * order of mh_game_describe, from and to which it may play. `note` says what made it, in at most 255 characters. */
struct mh_net_plan {
    int32_t layers;
    const int32_t *sizes;
    const float *weights;
    const int32_t *low, *high;
    const char *note;
};

/* Writes the bytes of such a net: the same on every machine. Returns how many there are; `bytes` may be NULL where
 * capacity is 0, and nothing is written where it is too small. Or an enum mh_status, with a message. */
int64_t mh_net_save(const struct mh_game *game, const struct mh_net_plan *plan, int64_t capacity, uint8_t *bytes,
                    char *message);

/* Makes a net of such bytes; refuses what is none of this game. It may play with other options than the game's. */
int mh_net_load(const struct mh_game *game, const uint8_t *bytes, int64_t size, char *message, struct mh_net **net);
void mh_net_free(struct mh_net **net);

/* Writes the bytes of a net that came with the game, for whatever options, by its number from 0 on, if there is room
 * for all. Returns how many there are; 0 after the last net. */
int64_t mh_net_shipped(const struct mh_game *game, int number, int64_t capacity, uint8_t *bytes);

/* Writes the number of inputs and those of outputs of each layer, if there is room for all. Returns how many there
 * are. */
int mh_net_sizes(const struct mh_net *net, int capacity, int32_t *sizes);

/* Writes the weights of a net, in the order of mh_net_plan, if there is room for all. Returns how many there are. */
int64_t mh_net_weights(const struct mh_net *net, int64_t capacity, float *weights);

/* Gives the game object a bot that plays by the net, of a name that begins with "net:"; it has one bot of a name, the
 * first. Returns its number, as mh_bot_index does from then on, or an enum mh_status with a message: the net was
 * trained for other options, or there is no room for more bots with settings. */
int mh_net_bot(const struct mh_game *game, const struct mh_net *net, const char *name, char *message);

/* Writes values[count]: what each of features[count][mh_sizes.features] is worth to a net of this game. */
int mh_net_values(const struct mh_game *game, const struct mh_net *net, int count, const float *features,
                  float *values);

/* Layers that learn, of whatever sizes a net may have; their numbers are as in mh_net_plan. */
struct mh_layers {
    int32_t count;
    const int32_t *sizes;
    const float *weights;
};

/* Rows of features that they judge: row i is features[places[i]], of `num_features` rows of as many numbers as the
 * layers have inputs, IEEE 754 binary16. values[count] is what each is worth; inner[count] are the outputs of all
 * layers but the last, which gradients follow from. */
struct mh_layers_rows {
    int32_t count;
    struct mh_pool *pool; /* that shares the rows */
    int64_t num_features;
    const uint16_t *features;
    const int64_t *places;
    float *inner; /* NULL: not kept */
    float *values;
};

/* Writes values and `inner`. */
int mh_layers_values(const struct mh_layers *layers, const struct mh_layers_rows *rows, char *message);

/* Writes gradients[], by weight, of the sum of slopes[i] * values[i] after mh_layers_values. They do not depend on the
 * number of threads. */
int mh_layers_gradients(const struct mh_layers *layers, const struct mh_layers_rows *rows, const float *slopes,
                        float *gradients, char *message);

/* Afterstates of `count` positions, one position after the other: counts[count] has how many each has. Of a position
 * those that follow one action lie next to each other. actions[] and values[] are theirs. */
struct mh_afterstate_values {
    int32_t count;
    const int64_t *counts;
    const int64_t *actions;
    const float *values;
};

/* Finds the places of the afterstates of the largest values, the first one among equals: likely[count] in each
 * position, and best[] for each action, position after position, with the position of each in positions[]. Both have
 * room for as many as there are afterstates. Returns how many actions there are, or MH_ERROR_ARGUMENT: a position has
 * no afterstate. */
int64_t mh_afterstates_best(const struct mh_afterstate_values *self, int64_t *positions, int64_t *best,
                            int64_t *likely);

/* Rounds to learn from: in each, one seat is watched, whose afterstates are its rows. Now and then it explores: it
 * draws among the candidate moves, so that worse ones are known as worse. */
struct mh_fit_plan {
    int32_t count;
    const uint64_t *seeds;    /* [count] of the deals and the bots */
    const int32_t *bots;      /* [count][mh_sizes.seats] who plays; MH_BY_NET: the net */
    const int32_t *watched;   /* [count] the seat */
    const struct mh_net *net; /* NULL: only bots play */
    float explore;            /* the share of the decisions at which it explores, 0 to 1 */
    int32_t rows;             /* of a round, at most; later ones are left out */
    int32_t threads;
};

enum { MH_BY_NET = -1 };

/* The results of the rounds. features[count][rows][mh_sizes.features], earned[count][rows]: what the seat earned from
 * that decision to the end of the round; explored[count][rows]: 1 where it explored at its next decision;
 * used[count]: rows of a round; returns[count][mh_sizes.seats] of the round, by seat. Any but `used` may be NULL. */
struct mh_fit_rows {
    float *features;
    double *earned;
    uint8_t *explored;
    int32_t *used;
    double *returns;
};

/* Plays them. Their results do not depend on the number of threads. */
int mh_game_fit(const struct mh_game *game, const struct mh_fit_plan *plan, const struct mh_fit_rows *rows,
                char *message);
