/* Fuzzes replies about rows on a server: what is refused says why, and what is read fits the arrays.
 *
 * Input: byte 0 picks the game; bits of byte 1 are one row less than there are, whether all seats see the end, and
 * whether it was a step. The rest is the message, which answers request 1. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mh.h"

/* Each array ends where its memory does. */
static void make_arrays(const struct mh_sizes *sizes, int rows, int final_seats, struct mh_buffers *arrays)
{
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        struct mh_buffer array;
        require(mh_buffer_at(i, sizes, rows, final_seats, &array) == MH_OK);
        mh_buffers_set(arrays, i, calloc(1, mh_buffer_bytes(&array)));
        require(mh_buffers_get(arrays, i) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct mh_game *game = NULL;
    struct mh_remote *remote = NULL;
    struct mh_sizes sizes;
    struct mh_buffers arrays;
    char message[MH_MESSAGE_SIZE] = "";
    const int rows = 1 + (data[1] & 1);
    require(mh_game_new(mh_game_id(data[0] % mh_game_count()), "", NULL, &game) == MH_OK);
    require(mh_game_sizes(game, &sizes) == MH_OK);
    const int final_seats = data[1] & 2 ? sizes.seats : 1;
    make_arrays(&sizes, rows, final_seats, &arrays);
    require(mh_remote_new(game, rows, final_seats, &arrays, NULL, &remote) == MH_OK);
    for (int i = 0; i < 2; i++) {
        const int status = mh_remote_read(remote, data + 2, size - 2, 1, data[1] >> 2 & 1, message);
        require(status == 0 || status == 1 || (status == MH_ERROR_ARGUMENT && *message && !strchr(message, '\n')));
        require(*arrays.changes >= 0 && *arrays.changes <= rows && *arrays.final_count <= *arrays.changes);
    }
    mh_remote_free(&remote);
    mh_game_free(&game);
    for (int i = 0; i < MH_NUM_BUFFERS; i++) {
        free(mh_buffers_get(&arrays, i));
    }
    return 0;
}
