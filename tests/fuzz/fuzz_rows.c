/* Fuzzes rows of batches: steps with any action, and damaged snapshots of rows. What a batch accepts it must be able to
 * play on, and to save as it got it.
 *
 * Input: byte 0 picks the game, byte 1 the batch's options, byte 2 the seed, byte 3 how many steps of two actions
 * follow. The rest, three bytes each, are places and values with which a row's snapshot is damaged. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mh.h"

enum { ROWS = 2, PLAYED_ON = 8 };

struct fuzz {
    struct mh_game *game;
    struct mh_sizes sizes;
    struct mh_batch *batch;
    int32_t actions[ROWS];
    uint8_t *saved, *again;
};

static void open_batch(struct fuzz *fuzz, const uint8_t *data)
{
    struct mh_batch_options options = {.rows = ROWS, .threads = 1};
    struct mh_buffers buffers = {.actions = fuzz->actions};
    const uint64_t seeds[ROWS] = {data[2], data[2] + 1u};
    const char *id = mh_game_id(data[0] % mh_game_count());
    require((data[0] & 64 && mh_game_new(id, "episode=game", NULL, &fuzz->game) == MH_OK) ||
            mh_game_new(id, "", NULL, &fuzz->game) == MH_OK);
    require(mh_game_sizes(fuzz->game, &fuzz->sizes) == MH_OK);
    options.illegal = data[1] & 1 ? MH_ILLEGAL_RANDOM : MH_ILLEGAL_TERMINATE;
    options.autoreset = (data[1] >> 1) % 3;
    options.seat = data[1] & 8 ? -1 : 0;
    options.players[0] = MH_CALLER;
    for (int i = 1; i < fuzz->sizes.seats; i++) {
        options.players[i] = data[1] >> i & 8 ? MH_CALLER : 0;
    }
    require(mh_batch_new(fuzz->game, &options, NULL, &fuzz->batch) == MH_OK);
    require(mh_batch_bind(fuzz->batch, &buffers, NULL) == MH_OK);
    require(mh_batch_reset(fuzz->batch, seeds, NULL, NULL) == MH_OK);
    fuzz->saved = calloc(1, (size_t)fuzz->sizes.row);
    fuzz->again = calloc(1, (size_t)fuzz->sizes.row);
    require(fuzz->saved && fuzz->again);
}

static void damage(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    char message[MH_MESSAGE_SIZE] = "";
    require(mh_batch_save_row(fuzz->batch, 0, fuzz->saved, NULL) == MH_OK);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        fuzz->saved[(data[i] | (size_t)data[i + 1] << 8) % (size_t)fuzz->sizes.row] = data[i + 2];
    }
    if (mh_batch_load_row(fuzz->batch, 1, fuzz->saved, (size_t)fuzz->sizes.row, message) != MH_OK) {
        require(*message && !strchr(message, '\n'));
        return;
    }
    require(mh_batch_save_row(fuzz->batch, 1, fuzz->again, NULL) == MH_OK);
    require(memcmp(fuzz->saved, fuzz->again, (size_t)fuzz->sizes.row) == 0);
    for (int i = 0; i < PLAYED_ON; i++) {
        require(mh_batch_choose(fuzz->batch, NULL, MH_LOGITS, fuzz->actions, NULL) == MH_OK);
        require(mh_batch_step(fuzz->batch, NULL) == MH_OK);
    }
    require(mh_batch_copy_row(fuzz->batch, 1, 0, NULL) == MH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz fuzz = {.game = NULL};
    if (size < 4 || size > 1024) {
        return 0;
    }
    open_batch(&fuzz, data);
    size_t at = 4;
    for (int steps = data[3]; steps > 0 && at + ROWS <= size; steps--, at += ROWS) {
        require(mh_batch_choose(fuzz.batch, NULL, MH_LOGITS, fuzz.actions, NULL) == MH_OK);
        for (int row = 0; row < ROWS; row++) {
            if (data[at + (size_t)row]) { /* 0: the action drawn */
                fuzz.actions[row] = data[at + (size_t)row] * 2 - 8;
            }
        }
        require(mh_batch_step(fuzz.batch, NULL) == MH_OK);
    }
    damage(&fuzz, data + at, size - at);
    free(fuzz.saved);
    free(fuzz.again);
    mh_batch_free(&fuzz.batch);
    mh_game_free(&fuzz.game);
    return 0;
}
