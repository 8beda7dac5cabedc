/* A game's table as data: the rows of envs/<game>/<game>.def, and the layout that options give them. */
#ifndef MH_SPEC_H
#define MH_SPEC_H

#include <stddef.h>
#include <stdint.h>

struct mh_option {
    const char *name;
    const char *choices; /* "off|on" and the like, by value; "" for a whole number */
    int32_t standard, low, high;
    const char *meaning;
};

struct mh_preset {
    const char *name;
    const char *settings; /* options in the form that mh_game_new takes */
    const char *meaning;
};

struct mh_action_range {
    const char *name;
    int32_t count;
    const char *meaning;
};

struct mh_event_kind {
    const char *name;
    const char *meaning;
};

/* The part of an observation that holds a field. */
enum mh_group {
    MH_GROUP_OWN,       /* in the fixed part at the beginning, and for the observer's eyes only */
    MH_GROUP_TABLE,     /* in the fixed part, and for everybody's */
    MH_GROUP_SEAT,      /* in the block of each seat */
    MH_GROUP_SEAT_TAIL, /* likewise, last in the block, as long as the layout says */
    MH_GROUP_HINT       /* in the part that exists only on request, at the end */
};

struct mh_field {
    const char *name;
    enum mh_group group;
    int32_t offset; /* within its group */
    int32_t count;
    uint8_t high; /* largest value */
    const char *meaning;
};

/* True if everybody may know a field of somebody's observation. */
static inline int mh_field_is_public(const struct mh_field *field)
{
    return field->group != MH_GROUP_OWN && field->group != MH_GROUP_HINT;
}

/* The role of a public number, for programs that know no game. */
enum mh_role {
    MH_ROLE_NONE,
    MH_ROLE_ROUNDS, /* rounds finished since the episode began */
    MH_ROLE_WINNER, /* seat that won the round finished last, or -1 */
    MH_ROLE_TOTAL   /* added up over rounds: what that round brought each seat, or the winner */
};

enum { MH_MAX_TOTALS = 4 /* numbers of a game with MH_ROLE_TOTAL */ };

struct mh_info_field {
    const char *name;
    int32_t offset; /* of its first number */
    int32_t count;  /* numbers in a row's place */
    int per_seat;   /* of which the first ones are used, one for each seat */
    enum mh_role role;
    const char *meaning;
};

/* Numbers of an afterstate. */
struct mh_feature {
    const char *name;
    int32_t count;
    const char *meaning;
};

enum { MH_LABEL_SIZE = 64 /* bytes of the longest label, closing zero included */ };

/* Names for numbers, such as card types. */
struct mh_labels {
    const char *name;
    int32_t count;
    void (*text)(int index, char *text); /* at most MH_LABEL_SIZE bytes */
};

/* Writes a card as it is spoken, in MH_LABEL_SIZE bytes: a playing card, "ten of spades" for "Ts"; others as they
 * are. */
void mh_spec_spoken(const char *card, char *text);

struct mh_bot_row {
    const char *name;
    const char *meaning;
};

struct mh_spec {
    const char *id;
    const char *title;
    int32_t rules_version; /* goes up whenever results change */
    int32_t num_options, num_presets, num_action_ranges, num_events, num_fields, num_hidden, num_info, num_features,
        num_labels, num_bots;
    const struct mh_option *options;
    const struct mh_preset *presets;
    const struct mh_action_range *action_ranges;
    const struct mh_event_kind *events;
    const struct mh_field *fields;
    const struct mh_field *hidden; /* of the omniscient observation: table and seat groups */
    const struct mh_info_field *info;
    const struct mh_feature *features;
    const struct mh_labels *labels;
    const struct mh_bot_row *bots;
};

/* The lengths of an observation's parts. */
struct mh_layout {
    int32_t seat_offset, seat_stride, seat_tail; /* blocks of the seats, and the length of their last field */
    int32_t hint_offset;                         /* -1: no hints */
    int32_t hidden_seat_offset, hidden_seat_stride;
};

/* The public numbers of a role by their index among them, or NULL behind the last one. */
static inline const struct mh_info_field *mh_spec_role(const struct mh_spec *spec, enum mh_role role, int index)
{
    for (int i = 0; i < spec->num_info; i++) {
        if (spec->info[i].role == role && index-- == 0) {
            return &spec->info[i];
        }
    }
    return NULL;
}

struct mh_events;
struct mh_head;
struct mh_in;
struct mh_rng;
struct mh_text;

/* Writes an option's value as it is set: a number or its word. */
void mh_spec_value(struct mh_text *out, const struct mh_option *option, int32_t value);

/* Writes an option's value as JSON: a number, true or false, or its word. */
void mh_json_option(struct mh_text *out, const struct mh_option *option, int32_t value);

/* The key `options` and what a state was started with, by name. */
void mh_json_options(struct mh_text *out, const struct mh_spec *spec, const int32_t *options);

/* The key `result` of a state with these public numbers: null, or the round finished last, its winner and its
 * totals. */
void mh_json_result(struct mh_text *out, const struct mh_spec *spec, const struct mh_head *head,
                    const int64_t *numbers);

/* Writes what an event is about, as its row in the table says: at most MH_TEXT_SIZE bytes, closing zero included. */
typedef void mh_event_text(int kind, int detail, int extra, char *text);

/* The key `events` and all that a log holds. `extra` is what the game calls the column of that name. */
void mh_json_events(struct mh_text *out, const struct mh_spec *spec, const struct mh_events *events,
                    mh_event_text *event_text, const char *extra);

/* The keys "returns", "rewards" and "decisions". */
void mh_json_head(struct mh_text *out, const struct mh_head *head);

/* A generator from JSON, which mh_json_key_bits wrote; without the key it is 0. */
void mh_read_generator(const struct mh_in *in, const char *key, struct mh_rng *rng);

/* Read the beginning of any game's state from JSON: `head` gets its rounds, and its seat as it is given, from
 * `lowest` on. With mh_read_rewards, what the functions above write is read. */
void mh_read_head(const struct mh_in *in, int lowest, struct mh_head *head);
void mh_read_events(const struct mh_in *in, const struct mh_spec *spec, const char *extra,
                    struct mh_events *events);
void mh_read_rewards(const struct mh_in *in, struct mh_head *head);

#endif
