/* Layers that learn: values of many rows of features, and gradients of their weights; and which rows a policy takes.
 *
 * Rows are taken in blocks of a fixed size. The gradients of each are summed apart, then those of all blocks in their
 * order, so that the number of threads does not change what they come to. Nothing is done for inputs that are 0, five
 * in six. */
#include <stdlib.h>
#include <string.h>

#include "base/mh_half.h"
#include "base/mh_pool.h"
#include "game/mh_gradient.h"
#include "mh_game.h"

enum { BLOCK = 512, INNER = (MH_NET_LAYERS - 1) * MH_NET_WIDTH };

struct pass {
    const struct mh_layers *layers;
    const struct mh_layers_rows *rows;
    int num_inner;       /* outputs of all layers but the last */
    int64_t num_weights; /* biases included */
    size_t stride;       /* numbers from the gradients of a block to those of the next one */
    const float *turned; /* see `turn`; of each layer but the first, the last one first */
    const float *slopes; /* by row */
    float *sums;         /* [blocks][stride] */
};

/* A thread's memory. */
struct scratch {
    float features[MH_NET_WIDTH];
    float inner[INNER];
};

/* ---- Layers ---------------------------------------------------------------------------------------------- */

static struct mh_layer layer_at(const struct mh_layers *self, int number, uint64_t *set)
{
    return (struct mh_layer){.inputs = self->sizes[number],
                             .outputs = self->sizes[number + 1],
                             .is_last = number == self->count - 1,
                             .set = set};
}

/* Returns where the weights of the next layer begin. */
static int64_t weights_after(const struct mh_layers *self, int number)
{
    return (int64_t)(self->sizes[number] + 1) * self->sizes[number + 1];
}

static const uint16_t *features_at(const struct pass *self, int row)
{
    return self->rows->features + self->rows->places[row] * self->layers->sizes[0];
}

/* Reads the features of a row, and asks for the memory of a later one's: rows lie anywhere. */
static const float *read_features(const struct pass *self, int row, float *room)
{
    enum { AHEAD = 6, LINE = MH_CACHE_LINE / sizeof(uint16_t) };
    const int width = self->layers->sizes[0];
#if defined(__GNUC__)
    if (row + AHEAD < self->rows->count) {
        const uint16_t *later = features_at(self, row + AHEAD);
        for (int i = 0; i < width; i += LINE) {
            __builtin_prefetch(later + i);
        }
    }
#endif
    mh_halves_read(features_at(self, row), width, room);
    return room;
}

/* ---- Values ---------------------------------------------------------------------------------------------- */

static float value_of(const struct mh_layers *self, const float *features, float *inner)
{
    uint64_t set[MH_NET_WIDTH / 64];
    float value = 0;
    const float *weights = self->weights;
    for (int i = 0; i < self->count; i++) {
        struct mh_layer layer = layer_at(self, i, set);
        layer.weights = weights;
        layer.in = features;
        layer.out = layer.is_last ? &value : inner;
        mh_layer_sum(&layer);
        weights += weights_after(self, i);
        features = inner;
        inner += layer.outputs;
    }
    return value;
}

static void values_part(void *context, void *memory, int first, int last)
{
    const struct pass *self = context;
    struct scratch *scratch = memory;
    const struct mh_layers_rows *rows = self->rows;
    for (int row = first; row < last; row++) {
        float *inner = rows->inner ? rows->inner + (int64_t)row * self->num_inner : scratch->inner;
        rows->values[row] = value_of(self->layers, read_features(self, row, scratch->features), inner);
    }
}

/* ---- Gradients ------------------------------------------------------------------------------------------- */

/* Writes the weights of a layer the other way round, one output after the other, and a 0 for each input. */
static float *turn(const struct mh_layers *self, int number, const float *weights, float *turned)
{
    const int inputs = self->sizes[number];
    const int outputs = self->sizes[number + 1];
    for (int j = 0; j < outputs; j++) {
        for (int i = 0; i < inputs; i++) {
            *turned++ = weights[(int64_t)i * outputs + j];
        }
    }
    memset(turned, 0, (size_t)inputs * sizeof *turned);
    return turned + inputs;
}

/* Finds what the result gains by each input of a layer from what it gains by each output. An input is an output of the
 * layer before, where what is below 0 has been made 0. */
static void slopes_before(const struct mh_layer *layer, const float *turned, const float *slopes, float *before)
{
    uint64_t set[MH_NET_WIDTH / 64];
    const struct mh_layer back = {.weights = turned,
                                  .inputs = layer->outputs,
                                  .outputs = layer->inputs,
                                  .is_last = 1,
                                  .in = slopes,
                                  .set = set,
                                  .out = before};
    mh_layer_sum(&back);
    for (int i = 0; i < layer->inputs; i++) {
        before[i] = layer->in[i] > 0 ? before[i] : 0;
    }
}

/* Adds the gradients of a row, last layer first. */
static void add_row(const struct pass *self, const float *features, const float *inner, float slope, float *sums)
{
    const struct mh_layers *layers = self->layers;
    uint64_t set[MH_NET_WIDTH / 64] = {0};
    float slopes[2][MH_NET_WIDTH];
    slopes[0][0] = slope;
    inner += self->num_inner;
    sums += self->num_weights;
    const float *turned = self->turned;
    for (int i = layers->count - 1; i >= 0; i--) {
        struct mh_layer layer = layer_at(layers, i, set);
        const float *here = slopes[(layers->count - 1 - i) % 2];
        inner -= i ? layer.inputs : 0;
        sums -= weights_after(layers, i);
        layer.in = i ? inner : features;
        mh_layer_find(&layer);
        mh_layer_gradients(&layer, here, sums);
        if (i) {
            slopes_before(&layer, turned, here, slopes[(layers->count - i) % 2]);
            turned += (int64_t)(layer.outputs + 1) * layer.inputs;
        }
    }
}

/* Does whole blocks. */
static void gradients_part(void *context, void *memory, int first, int last)
{
    const struct pass *self = context;
    struct scratch *scratch = memory;
    const int count = self->rows->count;
    for (int block = first; block < last; block++) {
        const int end = (block + 1) * BLOCK < count ? (block + 1) * BLOCK : count;
        float *sums = self->sums + (size_t)block * self->stride;
        memset(sums, 0, (size_t)self->num_weights * sizeof *sums);
        for (int row = block * BLOCK; row < end; row++) {
            if (self->slopes[row] != 0) {
                const float *features = read_features(self, row, scratch->features);
                add_row(self, features, self->rows->inner + (int64_t)row * self->num_inner, self->slopes[row],
                        sums);
            }
        }
    }
}

/* ---- Policies -------------------------------------------------------------------------------------------- */

int64_t mh_afterstates_best(const struct mh_afterstate_values *self, int64_t *positions, int64_t *best,
                            int64_t *likely)
{
    const float *values = self->values;
    int64_t actions = 0, place = 0;
    for (int position = 0; position < self->count; position++) {
        const int64_t first = place;
        if (self->counts[position] < 1) {
            return MH_ERROR_ARGUMENT;
        }
        likely[position] = first;
        for (; place < first + self->counts[position]; place++) {
            if (place == first || self->actions[place] != self->actions[place - 1]) {
                positions[actions] = position;
                best[actions++] = place;
            } else if (values[place] > values[best[actions - 1]]) {
                best[actions - 1] = place;
            }
            if (values[place] > values[likely[position]]) {
                likely[position] = place;
            }
        }
    }
    return actions;
}

/* ---- From outside ---------------------------------------------------------------------------------------- */

static const char *find_wrong(const struct mh_layers *layers, const struct mh_layers_rows *rows)
{
    if (!layers || !layers->sizes || !layers->weights || layers->count < 1 || layers->count > MH_NET_LAYERS) {
        return "no weights, or too many layers";
    }
    for (int i = 0; i <= layers->count; i++) {
        if (layers->sizes[i] < 1 || layers->sizes[i] > (i < layers->count ? MH_NET_WIDTH : 1)) {
            return "a layer is too wide, or the last one has not one output";
        }
    }
    if (!rows || rows->count < 0 || (rows->count && (!rows->features || !rows->places || !rows->values))) {
        return "count is too small, or an array is NULL";
    }
    for (int i = 0; i < rows->count; i++) {
        if (rows->places[i] < 0 || rows->places[i] >= rows->num_features) {
            return "places: there is no such row of features";
        }
    }
    return NULL;
}

static int begin(const struct mh_layers *layers, const struct mh_layers_rows *rows, char *message,
                 struct pass *pass)
{
    const char *wrong = find_wrong(layers, rows);
    if (wrong) {
        mh_message(message, "layers: %s", wrong);
        return MH_ERROR_ARGUMENT;
    }
    *pass = (struct pass){.layers = layers, .rows = rows};
    for (int i = 0; i < layers->count; i++) {
        pass->num_inner += i ? layers->sizes[i] : 0;
        pass->num_weights += weights_after(layers, i);
    }
    return MH_OK;
}

int mh_layers_values(const struct mh_layers *layers, const struct mh_layers_rows *rows, char *message)
{
    struct pass pass;
    const int status = begin(layers, rows, message, &pass);
    return status != MH_OK || !rows->count
               ? status
               : mh_pool_apart(rows->pool, rows->count, sizeof(struct scratch), values_part, &pass, message);
}

int mh_layers_gradients(const struct mh_layers *layers, const struct mh_layers_rows *rows, const float *slopes,
                        float *gradients, char *message)
{
    struct pass pass;
    int status = begin(layers, rows, message, &pass);
    if (status == MH_OK && (!gradients || (rows->count && (!slopes || (pass.num_inner && !rows->inner))))) {
        mh_message(message, "layers: slopes, inner or gradients is NULL");
        status = MH_ERROR_ARGUMENT;
    }
    if (status != MH_OK) {
        return status;
    }
    const int blocks = rows->count / BLOCK + (rows->count % BLOCK != 0);
    const size_t size = (size_t)pass.num_weights * sizeof *gradients;
    const size_t stride = mh_pool_stride(size);
    char *memory = malloc(((size_t)blocks + 1) * stride + MH_CACHE_LINE);
    if (!memory) {
        mh_message(message, "layers: no memory for gradients");
        return MH_ERROR_MEMORY;
    }
    const float *weights = layers->weights + pass.num_weights;
    /* Wide instructions take twice as long where what they write lies in two cache lines. */
    float *turned = (float *)(memory + (MH_CACHE_LINE - (uintptr_t)memory % MH_CACHE_LINE) % MH_CACHE_LINE);
    pass.turned = turned;
    pass.slopes = slopes;
    pass.stride = stride / sizeof *gradients;
    pass.sums = turned + pass.stride;
    for (int i = layers->count - 1; i > 0; i--) {
        weights -= weights_after(layers, i);
        turned = turn(layers, i, weights, turned);
    }
    memset(gradients, 0, size);
    if (blocks) {
        status = mh_pool_apart(rows->pool, blocks, sizeof(struct scratch), gradients_part, &pass, message);
    }
    for (int block = 0; block < blocks && status == MH_OK; block++) {
        for (int64_t i = 0; i < pass.num_weights; i++) {
            gradients[i] += pass.sums[(size_t)block * pass.stride + (size_t)i];
        }
    }
    free(memory);
    return status;
}
