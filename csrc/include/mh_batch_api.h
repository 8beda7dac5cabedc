/* The public C interface of many games: batches, which step rows of a game in this process, and rows on a server. The
 * conventions are those of mh_api.h. */

/* ---- Batches --------------------------------------------------------------------------------------------- */

/* Rows of one game stepped together. Each row is an episode in which some seats are the caller's and the others
 * are played by built-in bots inside the step, so that a row always waits for one of the caller's seats; or for guests,
 * see mh_batch_waiting.
 *
 *   mh_batch_new -> mh_batch_bind -> mh_batch_reset -> mh_batch_step ... -> mh_batch_free
 */
struct mh_batch;

enum mh_illegal {
    MH_ILLEGAL_TERMINATE = 0, /* the row ends, its seat's reward is -1, `illegal` is 1 */
    MH_ILLEGAL_RAISE = 1,     /* the step is refused and no row is changed */
    MH_ILLEGAL_RANDOM = 2     /* a uniformly random legal action is played, `illegal` is 1 */
};

enum mh_autoreset {
    MH_AUTORESET_DISABLED = 0,  /* rows that are over stay as they are until they are reset */
    MH_AUTORESET_SAME_STEP = 1, /* a row that ends starts its next episode in the same step */
    MH_AUTORESET_NEXT_STEP = 2  /* the step after an end starts the next episode, whatever the action is */
};

/* The player of a seat, where the number of a bot would stand. Guests also belong to the caller, but play inside the
 * step: each has a separate number. */
enum {
    MH_CALLER = -1,
    MH_GUEST = -2, /* the first guest; the next ones count down */
    MH_LAST_GUEST = -32768
};

struct mh_batch_options {
    int32_t rows;
    int32_t seat;       /* the caller's own seat, or -1: drawn from the seed of each episode */
    int32_t players[6]; /* the lineup, clockwise from that seat: a bot, a guest or MH_CALLER; [0] is MH_CALLER */
    int32_t illegal;    /* enum mh_illegal */
    int32_t autoreset;  /* enum mh_autoreset */
    int32_t threads;    /* at least 1, including the caller's own; see mh_max_threads */
};

/* The caller's arrays, one entry or line per row. mh_buffers.h defines the struct and describes each array. */
struct mh_buffers;

/* A seat's number in an array. */
typedef int64_t mh_seat;

/* The times at which an array is written, and the rows in which it is. */
enum mh_when {
    MH_WHEN_NEVER = 0,   /* the step reads it */
    MH_WHEN_ALWAYS = 1,  /* by every step and reset, in all rows */
    MH_WHEN_CHANGED = 2, /* where an episode begins or a round ends; the other rows keep their values */
    MH_WHEN_ILLEGAL = 3, /* where the action was not legal; 0 in the other rows */
    MH_WHEN_ROUND = 4,   /* where a round ended in the step or an episode began; 0 in the other rows */
    MH_WHEN_END = 5,     /* where an episode ended in the step; 0 in the other rows */
    MH_WHEN_PACKED = 6,  /* the same, but without gaps: entry k is that of the k-th such row */
    MH_WHEN_SUMMARY = 7  /* by every step, for all rows together */
};

/* One of these arrays, for a game and a number of rows. */
struct mh_buffer {
    const char *name;
    const char *type; /* of an item, in C: "uint8_t", "float", "mh_seat" ... */
    const char *meaning;
    int32_t size;    /* bytes of an item */
    int32_t when;    /* enum mh_when */
    int32_t is_seat; /* its items are of type mh_seat */
    int32_t num_dims;
    int32_t dims[3]; /* the shape, C order */
};

/* Describes the array at place `index` of struct mh_buffers, which has mh_buffer_count() of them. `final_seats`
 * is mh_batch_final_seats of the batch. MH_ERROR_ARGUMENT when there is no such array. */
int mh_buffer_count(void);
int mh_buffer_at(int index, const struct mh_sizes *sizes, int rows, int final_seats, struct mh_buffer *buffer);

/* `options` is copied. The batch keeps a pointer to `game`, which must outlive it. */
int mh_batch_new(const struct mh_game *game, const struct mh_batch_options *options, char *message,
                 struct mh_batch **batch);
void mh_batch_free(struct mh_batch **batch);
int mh_batch_bind(struct mh_batch *batch, const struct mh_buffers *buffers, char *message);

/* Starts new episodes in the rows whose `chosen` flag is set (NULL: all). `seeds` has one seed per row. With
 * NULL every row takes the next seed of its sequence. */
int mh_batch_reset(struct mh_batch *batch, const uint64_t *seeds, const uint8_t *chosen, char *message);

/* Starts a new episode in one row from a given deck; see mh_state_deal. */
int mh_batch_deal(struct mh_batch *batch, int row, uint64_t seed, const uint8_t *deck, int count, char *message);

/* Plays actions[row] in every row that is not over. */
int mh_batch_step(struct mh_batch *batch, char *message);

/* Plays `action` in a batch of one row, which has the arrays `rewards` and `changes`: writes it to actions[0], then
 * does as mh_batch_step. Returns 1 where the step brought a reward or something that `changes` counts, MH_OK where it
 * brought neither. Where it is refused, mh_batch_step says why. */
int mh_batch_play(struct mh_batch *batch, int action);

/* The same, but writes observations[rows][mh_sizes.observation] and masks[rows][mh_sizes.actions], and not the arrays
 * of these names in mh_buffers. Those of rows that were over are written only where the step starts an episode. */
int mh_batch_step_to(struct mh_batch *batch, uint8_t *observations, int8_t *masks, char *message);

/* Plays actions[row] in the rows whose `chosen` flag is set. The others stay as they are: their reward is 0. */
int mh_batch_step_chosen(struct mh_batch *batch, const uint8_t *chosen, char *message);

/* With guests among the players, rows may wait for them after a step, a reset or a deal. Then this call is not
 * complete: the other functions above and below that change or save rows are refused. In a row that waits, observation,
 * mask and seat are the guest's. It reports what it has to when the caller is asked again, exactly as if bots had
 * played.
 *
 * mh_batch_waiting writes the rows that wait for a guest to `rows`, room for all, and returns their number. */
int mh_batch_waiting(const struct mh_batch *batch, int guest, int32_t *rows);

/* Plays actions[row] in every row that waits for a guest; afterwards rows may wait again. Refuses illegal actions, and
 * changes nothing then. */
int mh_batch_answer(struct mh_batch *batch, const int32_t *actions, char *message);

/* Takes back the call that is not complete: every row is shown as it was before. */
void mh_batch_undo(struct mh_batch *batch);

/* A batch can have several lineups, of which each episode gets one; number 0 is mh_batch_options.players. This adds
 * one, `players` as there, that no episode gets before mh_batch_weigh_lineups says so. Returns its number, or an enum
 * mh_status with a message. mh_batch_final_seats stays what it was. */
int mh_batch_add_lineup(struct mh_batch *batch, const int32_t *players, char *message);

/* Sets how likely each lineup is in the episodes that begin from now on: in proportion to weights[count], which has one
 * for each. An episode's lineup follows from its seed and the weights alone; episodes in play keep theirs. */
int mh_batch_weigh_lineups(struct mh_batch *batch, const uint32_t *weights, int count, char *message);

/* The lineup of the episode that a row is playing; -1: no such row. */
int mh_batch_lineup(const struct mh_batch *batch, int row);

/* Once mh_batch_weigh_lineups has been called: the episodes that ended in the last step, except by an illegal action.
 * Writes rows[k], in rising order, lineups[k] and what each seat earned in all, returns[k][mh_sizes.seats], clockwise
 * from the caller's own seat. There must be room for all rows. Returns how many there are. */
int mh_batch_ended(const struct mh_batch *batch, int32_t *rows, int32_t *lineups, double *returns);

enum mh_weights {
    MH_LOGITS = 0,       /* any number but NaN and +infinity; -infinity: never */
    MH_PROBABILITIES = 1 /* 0 or more; they need not add up to 1 */
};

/* Draws a random legal action for every row (0 where it is over). The draw is uniform when `weights` is NULL. Otherwise
 * it follows weights[rows][mh_sizes.actions] of the kind enum mh_weights; those of illegal actions are ignored.
 * Refuses, and changes no row, when a legal action's weight is impossible or all legal actions of a row have none.
 * The result depends only on the seed of the row's episode, the decision, and the number of draws since the last
 * step. */
int mh_batch_choose(struct mh_batch *batch, const float *weights, int32_t kind, int32_t *actions, char *message);

/* The action that a bot would choose for the seat to act in every row; 0 where it is over. Row i gets what
 * mh_state_bot_action gives for its state and a generator of `random` + i, and does not change. */
int mh_batch_bot_actions(const struct mh_batch *batch, int bot, uint64_t random, int32_t *actions, char *message);

/* The rounds of which the arrays do not tell, since another one ended after them in the same step or reset of the row:
 * row after row, in the order in which they ended. finals[capacity] is 1 where the round was of an episode that another
 * one has followed since, as `final_info` is; numbers[capacity][mh_sizes.info] are the public numbers after it. Returns
 * how many there are, usually none; nothing is written where there is no room for all. A round is missing only where
 * the machine had no memory for it. */
int mh_batch_earlier(const struct mh_batch *batch, int capacity, int32_t *rows, uint8_t *finals, int64_t *numbers);

/* The number of seats in an entry of mh_buffers.final_observations: 1, the caller's own seat, if the caller plays no
 * other one; otherwise all seats, in absolute order. */
int mh_batch_final_seats(const struct mh_batch *batch);

/* Writes mh_sizes.row bytes: a row's state and all that its later steps depend on, such as its seeds and unreported
 * rewards. */
int mh_batch_save_row(const struct mh_batch *batch, int row, uint8_t *snapshot, char *message);

/* Continues a row from a snapshot, or from another row of the batch. The row's arrays show it as after a reset. Refuses
 * snapshots that do not fit the game and the batch's options, or that no play can reach. */
int mh_batch_load_row(struct mh_batch *batch, int row, const uint8_t *snapshot, size_t size, char *message);
int mh_batch_copy_row(struct mh_batch *batch, int from, int to, char *message);

/* The state of a row, for reading and copying with the functions above. NULL: no such row. */
const void *mh_batch_state(const struct mh_batch *batch, int row);

/* Writes the observations and masks of all rows as they are now, in whichever arrays the last steps wrote them. */
int mh_batch_observe(const struct mh_batch *batch, uint8_t *observations, int8_t *masks, char *message);

/* Writes the numbers of the array `results`, which are 0 in most rows: cheaper than to copy it.
 * results[rows][mh_sizes.info]. */
int mh_batch_results(const struct mh_batch *batch, int64_t *results, char *message);

/* Writes what is hidden from the seats in every row: omniscient[rows][mh_sizes.omniscient]. */
int mh_batch_omniscient(const struct mh_batch *batch, uint8_t *omniscient, char *message);

/* Writes the afterstates of the seat to act in every row that is not over, row after row; mh_state_afterstates says
 * what is written. rows[capacity] has the row of each. Features that skipped[mh_sizes.features] has a 1 for are 0, and
 * most of them take no time; NULL: none. Returns how many there are, or an enum mh_status; where there is no room for
 * all, what the arrays hold is of no use. */
int mh_batch_afterstates(const struct mh_batch *batch, int all, const uint8_t *skipped, int capacity, int32_t *rows,
                         int32_t *actions, float *features, double *values, char *message);

/* The caller's own seat (mh_batch_options.seat, as drawn) in the episode that a row is playing, and its seed; -1 and
 * 0: no such row. */
int mh_batch_own_seat(const struct mh_batch *batch, int row);
uint64_t mh_batch_seed(const struct mh_batch *batch, int row);

/* ---- Rows on a server ------------------------------------------------------------------------------------- */

/* A client's copy of rows that mhing-server steps: replies are read into the same arrays as a batch has. It is used in
 * one thread at a time.
 *
 * `arrays` is copied; the arrays must outlive the result. Those of rows with changes (MH_WHEN_CHANGED to
 * MH_WHEN_PACKED) may be NULL and are then not written. `final_seats` is the number that the server gave. */
struct mh_remote;

int mh_remote_new(const struct mh_game *game, int rows, int final_seats, const struct mh_buffers *arrays,
                  char *message, struct mh_remote **remote);
void mh_remote_free(struct mh_remote **remote);

/* Reads a message of the server. If it is the reply of rows to request `number`, the arrays show it, as a step does if
 * `is_step` is not 0 or else as after a reset, and the result is 1. It is 0 for any other message, such as an error,
 * and MH_ERROR_ARGUMENT for a reply that does not fit; then nothing has changed. */
int mh_remote_read(struct mh_remote *self, const void *bytes, size_t size, uint64_t number, int is_step,
                   char *message);

/* As mh_batch_earlier: the rounds that the reply has told of beside the arrays. */
int mh_remote_earlier(const struct mh_remote *self, int capacity, int32_t *rows, uint8_t *finals, int64_t *numbers);
