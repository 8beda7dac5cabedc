/* Small nets that judge afterstates (envs/CONTRACT.md, C43): read from bytes, checked, and evaluated with the same
 * result on every machine.
 *
 * A net is a row of 32-bit words, little-endian in files: a header, then for each layer the weights of its inputs, one
 * input after the other, and its biases. Layers but the last end with max(0, x); the last has one number, the value in
 * units of the reward. The header says which game, features and options the net was trained for: for each option the
 * lowest and highest value. Shipped nets are constants of the build, so that nothing is allocated or converted. */
#ifndef MH_NET_H
#define MH_NET_H

#include <stdint.h>

#include "mh_spec.h"

union mh_word {
    uint32_t bits;
    float number;
};

enum {
    MH_NET_VERSION = 1,
    MH_NET_LAYERS = 4,  /* at most */
    MH_NET_WIDTH = 512, /* of a layer, its inputs included, at most */
    MH_NET_OPTIONS = 16
};

/* The words of a header. */
enum mh_net_word {
    MH_NET_MAGIC,
    MH_NET_VERSION_AT,
    MH_NET_CHECKSUM, /* of all other words */
    MH_NET_WORDS,    /* of the file */
    MH_NET_KIND,     /* low and high word of mh_net_kind */
    MH_NET_LAYERS_AT = MH_NET_KIND + 2,
    MH_NET_SIZES, /* inputs, then outputs of each layer */
    MH_NET_RANGES = MH_NET_SIZES + MH_NET_LAYERS + 1,
    MH_NET_NOTE = MH_NET_RANGES + 2 * MH_NET_OPTIONS, /* what made it: text, closed by a zero */
    MH_NET_NOTE_WORDS = 64,
    MH_NET_HEADER = MH_NET_NOTE + MH_NET_NOTE_WORDS
};

/* A net that comes with a game, by the name of its file. */
struct mh_shipped_net {
    const char *name;
    const union mh_word *words;
};

/* Takes the afterstate of an action: `features`, or where what it brings is certain, NULL and its value. */
typedef void mh_afterstate_visitor(void *context, int action, const float *features, double value);

/* The features that are read: a set of them, and the numbers of the afterstates that they are read of, in the order in
 * which all are listed; NULL stands for all. Others may stay 0. */
struct mh_wanted {
    const uint64_t *features;
    const int *afterstates;
    int num_afterstates;
    int to_choose; /* an action is chosen and no value is kept: one that is alone may be listed with the value 0 */
};

static inline int mh_wants_afterstate(const struct mh_wanted *self, int number)
{
    if (!self->afterstates) {
        return 1;
    }
    int is_wanted = 0;
    for (int i = 0; i < self->num_afterstates; i++) {
        is_wanted |= self->afterstates[i] == number;
    }
    return is_wanted;
}

/* Lists the afterstates of the seat to act: g_afterstates. */
typedef void mh_afterstates(const void *state, int all, const struct mh_wanted *wanted,
                            mh_afterstate_visitor *visit, void *context);

/* How many afterstates a first net chooses for another one to judge, at most, and by how much of the reward the first
 * net may value them less than its best. Of the decisions of net:credits in Mhing, net:quick+credits takes 96.8 %
 * alike, in three fifths of the time: the dearest features, what the expert expects and the useful cards of all kinds
 * of hands, are found for few afterstates. With 3 and any difference it is 97.3 % in a quarter more time, with 2 and
 * 0.3 it is 92.5 % in a tenth less. */
enum { MH_NET_JUDGED = 3 };
#define MH_NET_MARGIN 0.3f

/* A net that plays, and the set of the features that it weighs: those with a weight other than 0. */
struct mh_net_player {
    const union mh_word *net;
    const union mh_word *first; /* chooses what the net judges; NULL: it judges all */
    uint64_t weighed[MH_NET_WIDTH / 64];
    uint64_t first_weighed[MH_NET_WIDTH / 64];
    uint64_t others[MH_NET_WIDTH / 64]; /* that only the net weighs */
};

/* Afterstates in arrays of the caller, as far as there is room: for each its row, if `rows` is not NULL, the action,
 * features[num_features], 0 where the value is certain, and that value, NaN where it is not. */
struct mh_afterstate_list {
    int count, capacity; /* that were seen; that there is room for */
    int num_features, row;
    const uint64_t *skipped; /* the set of features that are 0 nevertheless; NULL: none */
    int32_t *rows, *actions;
    float *features;
    double *values;
};

/* Adds one; `context` is a struct mh_afterstate_list. */
void mh_afterstate_list_add(void *context, int action, const float *features, double value);

/* A number that nets and games share if they fit: of the game's id, its features and its options. */
uint64_t mh_net_kind(const struct mh_spec *spec);

uint32_t mh_net_checksum(const union mh_word *words, int64_t count);

/* Writes the words that say what kind of file this is. */
void mh_net_sign(union mh_word *words);

/* Words of a net with these layers, header included. */
int64_t mh_net_words(int layers, const int32_t *sizes);

/* Refuses words that are not a net of this game, with a message. */
int mh_net_check(const struct mh_spec *spec, const union mh_word *words, int64_t count, char *message);

/* The first option of which the net was trained for other values, or -1. */
int mh_net_unsuited(const union mh_word *net, int num_options, const int32_t *options);

/* Counts the options that the net was not trained for. */
int mh_net_misfits(const union mh_word *net, int num_options, const int32_t *options);

/* Writes "net:quick: trained for reward=credits, not for reward=win" about that option, for the net of a bot with that
 * name. */
void mh_net_say_unsuited(const union mh_word *net, const struct mh_spec *spec, const int32_t *options, int option,
                         const char *name, char *message);

/* The value of an afterstate with these features. */
float mh_net_value(const union mh_word *net, const float *features);

/* Finds the features that a net weighs, and a first one, if it is not NULL. */
struct mh_net_player mh_net_player_of(const union mh_word *net, const union mh_word *first);

/* The action of the largest value among those worth considering; among equals the first one seen. */
int mh_net_choose(const struct mh_net_player *self, mh_afterstates *afterstates, const void *state);

/* Sets the values of actions, by action: of all legal ones, or of those worth considering. Others stay as they are. */
void mh_net_judge(const struct mh_net_player *self, mh_afterstates *afterstates, const void *state, int all,
                  double *values);

#endif
