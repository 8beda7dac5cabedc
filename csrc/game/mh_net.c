/* Nets: words that are checked once, then multiplied and added in a fixed order. */
#include "mh_net.h"

#include <math.h>
#include <string.h>

#include "base/mh_bits.h"
#include "base/mh_text.h"
#include "mh.h"
#include "mh_layer.h"

static const uint32_t magic = 0x544E484D; /* "MHNT" */

/* ---- Words ----------------------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u; /* FNV-1a */
    }
    return (hash ^ 0xFF) * 0x100000001B3u;
}

uint64_t mh_net_kind(const struct mh_spec *spec)
{
    uint64_t hash = hash_text(0xCBF29CE484222325u, spec->id);
    for (int i = 0; i < spec->num_features; i++) {
        hash = hash_text(hash, spec->features[i].name);
        hash = (hash ^ (uint64_t)spec->features[i].count) * 0x100000001B3u;
    }
    for (int i = 0; i < spec->num_options; i++) {
        hash = hash_text(hash, spec->options[i].name);
    }
    return hash;
}

void mh_net_sign(union mh_word *words)
{
    words[MH_NET_MAGIC].bits = magic;
    words[MH_NET_VERSION_AT].bits = MH_NET_VERSION;
}

uint32_t mh_net_checksum(const union mh_word *words, int64_t count)
{
    uint32_t sum = 0x811C9DC5u;
    for (int64_t i = 0; i < count; i++) {
        sum = (sum ^ (i == MH_NET_CHECKSUM ? 0 : words[i].bits)) * 0x01000193u;
        sum ^= sum >> 15; /* so that high bits also change all that follow */
    }
    return sum;
}

int64_t mh_net_words(int layers, const int32_t *sizes)
{
    int64_t words = MH_NET_HEADER;
    for (int i = 0; i < layers; i++) {
        words += (int64_t)(sizes[i] + 1) * sizes[i + 1];
    }
    return words;
}

/* ---- Checks ---------------------------------------------------------------------------------------------- */

static int32_t word_at(const union mh_word *words, int at)
{
    return (int32_t)words[at].bits;
}

/* True if the layers are such as fit together, and into the memory of an evaluation. */
static int has_layers(const union mh_word *words)
{
    const int layers = word_at(words, MH_NET_LAYERS_AT);
    if (layers < 1 || layers > MH_NET_LAYERS || word_at(words, MH_NET_SIZES + layers) != 1) {
        return 0;
    }
    for (int i = 0; i <= MH_NET_LAYERS; i++) {
        const int size = word_at(words, MH_NET_SIZES + i);
        if (i > layers ? size != 0 : size < 1 || size > MH_NET_WIDTH) {
            return 0;
        }
    }
    return 1;
}

static int has_ranges(const struct mh_spec *spec, const union mh_word *words)
{
    for (int i = 0; i < MH_NET_OPTIONS; i++) {
        const int32_t low = word_at(words, MH_NET_RANGES + 2 * i);
        const int32_t high = word_at(words, MH_NET_RANGES + 2 * i + 1);
        if (i >= spec->num_options ? low || high
                                   : low > high || low < spec->options[i].low || high > spec->options[i].high) {
            return 0;
        }
    }
    return 1;
}

static int has_numbers(const union mh_word *words, int64_t count)
{
    for (int64_t i = MH_NET_HEADER; i < count; i++) {
        if (!(fabsf(words[i].number) < 1e6f)) {
            return 0;
        }
    }
    return 1;
}

static int num_inputs(const struct mh_spec *spec)
{
    int count = 0;
    for (int i = 0; i < spec->num_features; i++) {
        count += spec->features[i].count;
    }
    return count;
}

int mh_net_check(const struct mh_spec *spec, const union mh_word *words, int64_t count, char *message)
{
    const char *wrong = NULL;
    if (count < MH_NET_HEADER || words[MH_NET_MAGIC].bits != magic) {
        wrong = "these bytes are no net";
    } else if (words[MH_NET_VERSION_AT].bits != MH_NET_VERSION) {
        wrong = "it was written by another version";
    } else if (words[MH_NET_WORDS].bits != count || words[MH_NET_CHECKSUM].bits != mh_net_checksum(words, count)) {
        wrong = "the file is damaged";
    } else if (words[MH_NET_KIND].bits != (uint32_t)mh_net_kind(spec) ||
               words[MH_NET_KIND + 1].bits != (uint32_t)(mh_net_kind(spec) >> 32)) {
        wrong = "it is of another game, or of other features than this build has";
    } else if (!has_layers(words) || word_at(words, MH_NET_SIZES) != num_inputs(spec)) {
        wrong = "its layers do not fit";
    } else {
        int32_t sizes[MH_NET_LAYERS + 1];
        for (int i = 0; i <= MH_NET_LAYERS; i++) {
            sizes[i] = word_at(words, MH_NET_SIZES + i);
        }
        if (mh_net_words(word_at(words, MH_NET_LAYERS_AT), sizes) != count) {
            wrong = "its layers do not fit";
        } else if (!has_ranges(spec, words)) {
            wrong = "it is for values that the options cannot have";
        } else if (words[MH_NET_HEADER - 1].bits >> 24) {
            wrong = "its note has no end";
        } else if (!has_numbers(words, count)) {
            wrong = "a weight is too large, or no number";
        }
    }
    if (!wrong) {
        return MH_OK;
    }
    mh_message(message, "net: for %s it cannot be read: %s", spec->id, wrong);
    return MH_ERROR_ARGUMENT;
}

/* ---- Options --------------------------------------------------------------------------------------------- */

static int suits(const union mh_word *net, int option, int32_t value)
{
    return value >= word_at(net, MH_NET_RANGES + 2 * option) &&
           value <= word_at(net, MH_NET_RANGES + 2 * option + 1);
}

int mh_net_unsuited(const union mh_word *net, int num_options, const int32_t *options)
{
    for (int i = 0; i < num_options; i++) {
        if (!suits(net, i, options[i])) {
            return i;
        }
    }
    return -1;
}

int mh_net_misfits(const union mh_word *net, int num_options, const int32_t *options)
{
    int count = 0;
    for (int i = 0; i < num_options; i++) {
        count += !suits(net, i, options[i]);
    }
    return count;
}

void mh_net_say_unsuited(const union mh_word *net, const struct mh_spec *spec, const int32_t *options, int option,
                         const char *name, char *message)
{
    const struct mh_option *row = &spec->options[option];
    const int32_t low = word_at(net, MH_NET_RANGES + 2 * option);
    const int32_t high = word_at(net, MH_NET_RANGES + 2 * option + 1);
    char text[MH_MESSAGE_SIZE];
    struct mh_text out;
    mh_text_begin(&out, text, sizeof text);
    mh_text_add(&out, "trained for %s=", row->name);
    mh_spec_value(&out, row, low);
    if (high != low) {
        mh_text_add(&out, " to ");
        mh_spec_value(&out, row, high);
    }
    mh_text_add(&out, ", not for %s=", row->name);
    mh_spec_value(&out, row, options[option]);
    mh_message(message, "%.100s: %s", name, text);
}

/* ---- Evaluation ------------------------------------------------------------------------------------------ */

float mh_net_value(const union mh_word *net, const float *features)
{
    const int layers = word_at(net, MH_NET_LAYERS_AT);
    float numbers[2][MH_NET_WIDTH];
    uint64_t set[MH_NET_WIDTH / 64];
    struct mh_layer layer = {.weights = &net[MH_NET_HEADER].number, .in = features, .set = set};
    for (int i = 0; i < layers; i++) {
        layer.inputs = word_at(net, MH_NET_SIZES + i);
        layer.outputs = word_at(net, MH_NET_SIZES + i + 1);
        layer.is_last = i == layers - 1;
        layer.out = numbers[i % 2];
        mh_layer_sum(&layer);
        layer.weights = mh_layer_biases(&layer) + layer.outputs;
        layer.in = layer.out;
    }
    /* A net has a layer at least, and each writes all of its outputs: the analyzer cannot know. */
    return layer.in[0]; // NOLINT(clang-analyzer-core.*)
}

/* ---- Afterstates kept ------------------------------------------------------------------------------------ */

void mh_afterstate_list_add(void *context, int action, const float *features, double value)
{
    struct mh_afterstate_list *list = context;
    const size_t at = (size_t)list->count;
    const size_t size = sizeof *features * (size_t)list->num_features;
    if (list->count++ >= list->capacity) {
        return;
    }
    if (list->rows) {
        list->rows[at] = list->row;
    }
    list->actions[at] = action;
    list->values[at] = features ? NAN : value;
    float *to = list->features + at * (size_t)list->num_features;
    if (!features) {
        memset(to, 0, size);
        return;
    }
    memcpy(to, features, size);
    const int words = list->skipped ? MH_NET_WIDTH / 64 : 0;
    for (int i = mh_set_next(list->skipped, words, 0); i >= 0; i = mh_set_next(list->skipped, words, i + 1)) {
        to[i] = 0;
    }
}

/* ---- Weighing -------------------------------------------------------------------------------------------- */

struct net_choice {
    const union mh_word *net;
    double *values; /* by action, or NULL */
    double most;    /* that is believed: an action not worth considering is worth no more than one that is */
    double best;
    int action;
};

static void weigh(void *context, int action, const float *features, double value)
{
    struct net_choice *choice = context;
    double worth = features ? mh_net_value(choice->net, features) : value;
    worth = worth < choice->most ? worth : choice->most;
    if (choice->values && !(choice->values[action] >= worth)) {
        choice->values[action] = worth;
    }
    if (choice->action < 0 || worth > choice->best) {
        choice->best = worth;
        choice->action = action;
    }
}

static void find_weighed(const union mh_word *net, uint64_t *weighed)
{
    const int outputs = word_at(net, MH_NET_SIZES + 1);
    for (int i = 0; i < word_at(net, MH_NET_SIZES); i++) {
        const union mh_word *weights = net + MH_NET_HEADER + (ptrdiff_t)i * outputs;
        int j = 0;
        while (j < outputs && weights[j].number == 0) {
            j++;
        }
        weighed[i / 64] |= (uint64_t)(j < outputs) << i % 64;
    }
}

struct mh_net_player mh_net_player_of(const union mh_word *net, const union mh_word *first)
{
    struct mh_net_player self = {.net = net, .first = first};
    find_weighed(net, self.weighed);
    if (first) {
        find_weighed(first, self.first_weighed);
    }
    for (int i = 0; i < MH_NET_WIDTH / 64; i++) {
        self.others[i] = self.weighed[i] & ~self.first_weighed[i];
    }
    return self;
}

/* ---- Decisions in two stages ----------------------------------------------------------------------------- */

/* The afterstates that a first net values most, in falling order; among equals the first one seen. */
struct shortlist {
    const struct mh_net_player *player;
    struct net_choice *choice; /* of those listed, and of outcomes that are certain */
    int seen;                  /* afterstates so far, certain outcomes included */
    int certain;               /* outcomes */
    int count;
    int actions[MH_NET_JUDGED];
    int numbers[MH_NET_JUDGED];
    float worths[MH_NET_JUDGED];
    int places[MH_NET_JUDGED]; /* in `features` */
    float features[MH_NET_JUDGED][MH_NET_WIDTH];
};

static void list_afterstate(void *context, int action, const float *features, double value)
{
    struct shortlist *self = context;
    const int number = self->seen++;
    (void)value;
    if (!features) {
        self->certain++;
        return;
    }
    const float worth = mh_net_value(self->player->first, features);
    const int last = MH_NET_JUDGED - 1;
    if (self->count > last && !(worth > self->worths[last])) {
        return;
    }
    const int place = self->count > last ? self->places[last] : self->count++;
    int rank = self->count - 1;
    for (; rank > 0 && worth > self->worths[rank - 1]; rank--) {
        self->actions[rank] = self->actions[rank - 1];
        self->numbers[rank] = self->numbers[rank - 1];
        self->worths[rank] = self->worths[rank - 1];
        self->places[rank] = self->places[rank - 1];
    }
    self->actions[rank] = action;
    self->numbers[rank] = number;
    self->worths[rank] = worth;
    self->places[rank] = place;
    memcpy(self->features[place], features, sizeof *features * (size_t)word_at(self->player->net, MH_NET_SIZES));
}

/* Weighs an afterstate of the list; of `features` those are read that the first net does not weigh. */
static void weigh_listed(void *context, int action, const float *features, double value)
{
    const int words = MH_NET_WIDTH / 64;
    struct shortlist *self = context;
    const int number = self->seen++;
    int rank = 0;
    while (features && rank < self->count && self->numbers[rank] != number) {
        rank++;
    }
    if (!features) {
        weigh(self->choice, action, NULL, value);
    } else if (rank < self->count) {
        float *all = self->features[self->places[rank]];
        const uint64_t *others = self->player->others;
        for (int i = mh_set_next(others, words, 0); i >= 0; i = mh_set_next(others, words, i + 1)) {
            all[i] = features[i];
        }
        weigh(self->choice, action, all, 0);
    }
}

/* Weighs the afterstates that the first net lists. If nobody asks for a value, one alone needs no judgement. */
static void weigh_list(const struct mh_net_player *self, mh_afterstates *afterstates, const void *state,
                       struct net_choice *choice)
{
    struct shortlist list; /* not cleared: it is large */
    list.player = self;
    list.choice = choice;
    list.seen = list.certain = list.count = 0;
    struct mh_wanted wanted = {.features = self->first_weighed, .to_choose = !choice->values};
    afterstates(state, 0, &wanted, list_afterstate, &list);
    while (list.count > 1 && list.worths[list.count - 1] < list.worths[0] - MH_NET_MARGIN) {
        list.count--;
    }
    if (list.count == 1 && !list.certain && !choice->values) {
        choice->action = list.actions[0];
        return;
    }
    list.seen = 0;
    wanted.features = self->others;
    wanted.afterstates = list.numbers;
    wanted.num_afterstates = list.count;
    afterstates(state, 0, &wanted, weigh_listed, &list);
}

/* ---- Decisions ------------------------------------------------------------------------------------------- */

static void consider(const struct mh_net_player *self, mh_afterstates *afterstates, const void *state,
                     struct net_choice *choice)
{
    if (self->first) {
        weigh_list(self, afterstates, state, choice);
    } else {
        const struct mh_wanted wanted = {.features = self->weighed, .to_choose = !choice->values};
        afterstates(state, 0, &wanted, weigh, choice);
    }
}

int mh_net_choose(const struct mh_net_player *self, mh_afterstates *afterstates, const void *state)
{
    struct net_choice choice = {.net = self->net, .most = INFINITY, .action = -1};
    consider(self, afterstates, state, &choice);
    return choice.action;
}

void mh_net_judge(const struct mh_net_player *self, mh_afterstates *afterstates, const void *state, int all,
                  double *values)
{
    struct net_choice choice = {.net = self->net, .values = values, .most = INFINITY, .action = -1};
    consider(self, afterstates, state, &choice);
    if (all) {
        choice.most = choice.best;
        afterstates(state, 1, &(struct mh_wanted){.features = self->weighed}, weigh, &choice);
    }
}
