/* Fuzzes states of every game: a stream of actions, and snapshots. Nothing may crash, and what is accepted must be
 * playable, observable and writable.
 *
 * Input: byte 0 picks the variant, byte 1 the way; then a seed and actions (each byte the n-th legal action, or an
 * illegal one; after every third one a round that ends is left as it lies until the next byte), or positions and values
 * with which a snapshot and the JSON of a state are damaged.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "fuzz_variants.h"
#include "mh.h"

struct fuzz {
    struct mh_game *game;
    struct mh_sizes sizes;
    uint64_t *state;
    uint8_t *bytes; /* large enough for a snapshot or an observation */
    int8_t *mask;
    char *text;
};

enum { TEXT = 32768 };

static void look(struct fuzz *fuzz)
{
    for (int seat = 0; seat < fuzz->sizes.seats; seat++) {
        require(mh_state_observe(fuzz->game, fuzz->state, seat, fuzz->bytes) == MH_OK);
    }
    require(mh_state_json(fuzz->game, fuzz->state, fuzz->text, TEXT) < TEXT);
    require(mh_state_text(fuzz->game, fuzz->state, fuzz->text, TEXT) < TEXT);
    require(mh_state_mask(fuzz->game, fuzz->state, fuzz->mask) == MH_OK);
}

/* Plays the n-th legal action for each byte n; 255 tries an illegal one, 254 goes through a snapshot. */
static void play(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size && mh_state_seat(fuzz->state) != MH_OVER; i++) {
        int action = -1;
        int left = data[i];
        if (mh_state_seat(fuzz->state) == MH_BETWEEN_ROUNDS) {
            require(mh_state_apply(fuzz->game, fuzz->state, 0, NULL) == MH_ERROR_BETWEEN);
            require(mh_state_next_round(fuzz->game, fuzz->state, NULL) == MH_OK);
        }
        require(mh_state_mask(fuzz->game, fuzz->state, fuzz->mask) == MH_OK);
        if (data[i] == 255) {
            do {
                action++;
            } while (action < fuzz->sizes.actions && fuzz->mask[action]);
            require(mh_state_apply(fuzz->game, fuzz->state, action, NULL) == MH_ERROR_ACTION);
            continue;
        }
        if (data[i] == 254) {
            require(mh_state_save(fuzz->game, fuzz->state, fuzz->bytes) == MH_OK);
            require(mh_state_load(fuzz->game, fuzz->state, fuzz->bytes, (size_t)fuzz->sizes.snapshot, NULL) ==
                    MH_OK);
            continue;
        }
        for (;;) {
            action = action + 1 == fuzz->sizes.actions ? 0 : action + 1;
            if (fuzz->mask[action] && left-- == 0) {
                break;
            }
        }
        require((i % 3 ? mh_state_apply : mh_state_apply_only)(fuzz->game, fuzz->state, action, NULL) == MH_OK);
        if (i % 16 == 0 || mh_state_seat(fuzz->state) < 0) {
            look(fuzz);
        }
    }
    look(fuzz);
}

/* Three bytes each: where (two) and what to write into a snapshot; what is then accepted is played on. */
static void damage(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    static const uint8_t some_actions[] = {0, 1, 2, 3, 0, 0, 1, 7, 9, 0, 2, 4, 0, 1, 1, 1, 0, 5, 3, 2};
    const size_t snapshot = (size_t)fuzz->sizes.snapshot;
    require(mh_state_save(fuzz->game, fuzz->state, fuzz->bytes) == MH_OK);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        fuzz->bytes[(data[i] | (size_t)data[i + 1] << 8) % snapshot] = data[i + 2];
    }
    if (mh_state_load(fuzz->game, fuzz->state, fuzz->bytes, snapshot, NULL) == MH_OK) {
        require(mh_state_resample(fuzz->game, fuzz->state, 0, 1, fuzz->state) == MH_OK);
        play(fuzz, some_actions, sizeof some_actions);
        require(mh_state_play_out(fuzz->game, fuzz->state, (const int32_t[MH_MAX_SEATS]){0}, 1) == MH_OK);
    }
}

/* The same with the state's JSON; the state is as it was in the end. */
static void damage_json(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    const size_t length = mh_state_json(fuzz->game, fuzz->state, fuzz->text, TEXT);
    require(length < TEXT && mh_state_save(fuzz->game, fuzz->state, fuzz->bytes) == MH_OK);
    require(mh_state_read(fuzz->game, fuzz->state, fuzz->text, length, NULL) == MH_OK);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        fuzz->text[(data[i] | (size_t)data[i + 1] << 8) % length] = (char)data[i + 2];
    }
    if (mh_state_read(fuzz->game, fuzz->state, fuzz->text, length, NULL) == MH_OK) {
        require(mh_state_play_out(fuzz->game, fuzz->state, (const int32_t[MH_MAX_SEATS]){0}, 1) == MH_OK);
    }
    require(mh_state_load(fuzz->game, fuzz->state, fuzz->bytes, (size_t)fuzz->sizes.snapshot, NULL) == MH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz fuzz = {.game = NULL};
    if (size < 4 || size > 4096) {
        return 0;
    }
    const struct variant variant = pick_variant(data[0]);
    require(mh_game_new(variant.game, variant.options, NULL, &fuzz.game) == MH_OK);
    mh_game_sizes(fuzz.game, &fuzz.sizes);
    fuzz.state = calloc(1, (size_t)fuzz.sizes.state);
    fuzz.bytes = calloc(1, (size_t)fuzz.sizes.snapshot + (size_t)fuzz.sizes.observation);
    fuzz.mask = calloc(1, (size_t)fuzz.sizes.actions);
    fuzz.text = calloc(1, TEXT);
    require(fuzz.state && fuzz.bytes && fuzz.mask && fuzz.text);
    require(mh_state_reset(fuzz.game, fuzz.state, data[2], NULL) == MH_OK);
    if (data[1] % 2) {
        const size_t half = (size - 3) / 2;
        play(&fuzz, data + 3, half);
        damage_json(&fuzz, data + 3 + half, size - 3 - half);
        damage(&fuzz, data + 3 + half, size - 3 - half);
    } else {
        play(&fuzz, data + 3, size - 3);
    }
    free(fuzz.state);
    free(fuzz.bytes);
    free(fuzz.mask);
    free(fuzz.text);
    mh_game_free(&fuzz.game);
    return 0;
}
