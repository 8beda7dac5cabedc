/* The arrays of a batch, in one table. struct mh_buffers and mh_buffer_at are made from it. The arrays in Python, the
 * server's memory and the columns of its replies follow from mh_buffer_at. A new array needs a line here, and code in
 * mh_batch.inc that writes it.
 *
 * The columns are: type of an item, name, when it is written (enum mh_when without its prefix), meaning, and shape. In
 * the shape, ROWS is mh_batch_options.rows, FINAL_SEATS is mh_batch_final_seats, and the others are members of
 * mh_sizes. The server sends arrays in the order of this table.
 *
 * A row is observed by the seat to act, at the end by the caller's own seat; `seats` says which it is. Its reward is
 * what that seat earned and was not reported before. What it earned before its first decision comes with the step after
 * that decision, so a reset reports 0, and so does a step that finds its row over. `final_rewards` has the same for
 * every seat: at the end of an episode each seat's last reward.
 *
 * When an episode ends in a step, `rewards`, `terminated`, `illegal` and the `final_` arrays are those of the ended
 * episode. All others, `seats` among them, belong to the next one under MH_AUTORESET_SAME_STEP.
 *
 * Bots can end several rounds of a row in one step. `results` has the numbers after the last one of the present
 * episode, `final_info` those after the last one of an episode that another has followed. mh_batch_earlier gives the
 * rounds before these; it takes their numbers from `info`, which must not be NULL.
 *
 * The last observations are many bytes of few rows. They come without gaps, in memory that every step uses again:
 * `final_count` episodes have ended, `final_rows[k]` is the row of one of them, in rising order, and
 * `final_observations[k]` is what its seats saw. Entries from `final_count` on are left over from earlier steps. */
#ifndef MH_BUFFERS_H
#define MH_BUFFERS_H

/* clang-format off */
#define MH_BUFFERS(X)                                                                                             \
    X(int32_t, actions, NEVER, "ids that mh_batch_step plays; any in a row that is over", ROWS)                   \
                                                                                                                  \
    X(uint8_t, observations, ALWAYS, "what the seat to act knows", ROWS, OBSERVATION)                             \
    X(int8_t, masks, ALWAYS, "1 for each legal action; all 1 when the row is over", ROWS, ACTIONS)                \
    X(float, rewards, ALWAYS, "what that seat earned since its last decision", ROWS)                              \
    X(uint8_t, terminated, ALWAYS, "1 when the episode ended in this step; stays 1 while the row is over", ROWS)  \
    X(mh_seat, seats, ALWAYS, "the seat to act, or the own seat when the row is over", ROWS)                      \
                                                                                                                  \
    X(uint64_t, seeds, CHANGED, "the seed of the episode", ROWS)                                                  \
    X(uint8_t, own, CHANGED, "the caller's own seat in it", ROWS)                                                 \
    X(uint8_t, illegal, ILLEGAL, "1 when this step's action was not legal", ROWS)                                 \
    X(int64_t, info, CHANGED, "the public numbers, which change when a round ends", ROWS, INFO)                   \
    X(uint8_t, round_ended, ROUND, "1 when a round ended in this step", ROWS)                                     \
    X(uint8_t, has_results, ROUND, "1 when one did, or an episode began", ROWS)                                   \
    X(int64_t, results, ROUND, "the public numbers then", ROWS, INFO)                                             \
                                                                                                                  \
    X(uint8_t, final_observations, PACKED, "what the own seat saw at the end, or all seats", ROWS, FINAL_SEATS,   \
      OBSERVATION)                                                                                                \
    X(float, final_rewards, END, "each seat's last reward, by absolute seat", ROWS, SEATS)                        \
    X(mh_seat, final_seats, END, "the caller's own seat", ROWS)                                                   \
    X(uint64_t, final_seeds, END, "the seed of the episode that ended", ROWS)                                     \
    X(int64_t, final_info, END, "its public numbers at the end", ROWS, INFO)                                      \
    X(uint8_t, final_round_ended, END, "1 when its end ended a round too, 0 after an illegal action", ROWS)       \
    X(int64_t, final_rows, SUMMARY, "the row of each episode that ended", ROWS)                                   \
    X(int32_t, final_count, SUMMARY, "how many ended in this step", ONE)                                          \
                                                                                                                  \
    X(int32_t, changes, SUMMARY, "rows that were over, ended an episode or a round, or acted illegally", ONE)
/* clang-format on */

#define MH_BUFFER_MEMBER(type, name, when, meaning, ...) type *name;

/* The caller's arrays, alive until mh_batch_free. Any but `actions` may be NULL and is then not written. The struct is
 * nothing but these pointers, so an array of MH_NUM_BUFFERS pointers is one as well. */
struct mh_buffers {
    MH_BUFFERS(MH_BUFFER_MEMBER)
};

enum { MH_NUM_BUFFERS = sizeof(struct mh_buffers) / sizeof(void *) };

/* The array at a place of the struct. */
static inline void *mh_buffers_get(const struct mh_buffers *self, int index)
{
    void *array;
    memcpy((void *)&array, (const char *)self + (size_t)index * sizeof array, sizeof array);
    return array;
}
static inline void mh_buffers_set(struct mh_buffers *self, int index, void *array)
{
    memcpy((char *)self + (size_t)index * sizeof array, (const void *)&array, sizeof array);
}

/* Bytes of one entry of an array, which most have for each row, and of all. */
static inline size_t mh_buffer_line(const struct mh_buffer *self)
{
    size_t size = (size_t)self->size;
    for (int i = 1; i < self->num_dims; i++) {
        size *= (size_t)self->dims[i];
    }
    return size;
}
static inline size_t mh_buffer_bytes(const struct mh_buffer *self)
{
    return (size_t)self->dims[0] * mh_buffer_line(self);
}

#endif
