#include "mh_words_generic.h"

#include <string.h>

/* ---- What numbers stand for --------------------------------------------------------------------------------- */

enum kind {
    PLAIN,
    SEATS, /* seats plus one, 0 for none */
    NAMED, /* labels plus one, 0 for none */
    COUNTS /* of each label */
};

/* How the numbers of a field are read. */
struct reading {
    enum kind kind;
    int is_number; /* its bytes are one number, the low one first */
    const struct mh_labels *labels;
};

static int is_letter(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

static int is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

/* The labels called `word` and "s". */
static const struct mh_labels *labels_of(const struct mh_spec *spec, const char *word, size_t length)
{
    for (int i = 0; i < spec->num_labels; i++) {
        const char *name = spec->labels[i].name;
        if (strlen(name) == length + 1 && memcmp(name, word, length) == 0 && name[length] == 's') {
            return &spec->labels[i];
        }
    }
    return NULL;
}

/* The word before the first "+1" of a meaning, as in "card+1"; its length is 0 where there is none. */
static size_t encoded_word(const char *meaning, const char **word)
{
    const char *end = strstr(meaning, "+1");
    *word = end;
    while (end && *word > meaning && is_letter((*word)[-1])) {
        (*word)--;
    }
    return end ? (size_t)(end - *word) : 0;
}

/* The word behind the first "by " of a meaning, as in "by card"; its length is 0 where there is none. */
static size_t counted_word(const char *meaning, const char **word)
{
    size_t length = 0;
    const char *at = strstr(meaning, "by ");
    while (at && at > meaning && at[-1] != ' ') {
        at = strstr(at + 1, "by ");
    }
    *word = at ? at + 3 : NULL;
    while (at && is_letter((*word)[length])) {
        length++;
    }
    return length;
}

static struct reading read_meaning(const struct mh_spec *spec, const char *meaning, int count)
{
    struct reading reading = {.kind = PLAIN, .is_number = strstr(meaning, "low byte first") != NULL};
    const char *word;
    size_t length = counted_word(meaning, &word);
    reading.labels = length ? labels_of(spec, word, length) : NULL;
    if (reading.labels && count > 1 && count <= reading.labels->count) {
        reading.kind = COUNTS;
        return reading;
    }
    length = encoded_word(meaning, &word);
    reading.labels = length ? labels_of(spec, word, length) : NULL;
    if (reading.labels) {
        reading.kind = NAMED;
    } else if (length && is_word(word, length, "seat")) {
        reading.kind = SEATS;
    }
    return reading;
}

/* ---- Lists ------------------------------------------------------------------------------------------------- */

static void say_name(struct mh_words *out, const char *name)
{
    for (; *name; name++) {
        mh_words_put(out, *name == '_' ? " " : (const char[]){*name, '\0'});
    }
}

static void say_label(struct mh_words *out, const struct mh_labels *labels, int64_t number)
{
    char text[MH_LABEL_SIZE];
    if (number < 0 || number >= labels->count) {
        mh_words_number(out, number);
        return;
    }
    labels->text((int)number, text);
    mh_words_put(out, text);
}

/* A number from 1, of which 0 is none: of a seat as `first` counts it, or of a label. */
static void say_one(struct mh_words *out, const struct reading *reading, int first, int number)
{
    if (reading->kind == PLAIN) {
        mh_words_number(out, number);
    } else if (!number) {
        mh_words_put(out, "-");
    } else if (reading->kind == SEATS) {
        mh_words_seat(out, (first + number - 1) % out->shown->seats);
    } else {
        say_label(out, reading->labels, number - 1);
    }
}

/* Labels that are counted: "Js, 2 x Qh". */
static void say_counts(struct mh_words *out, const struct mh_labels *labels, const uint8_t *counts, int count)
{
    const char *separator = "";
    for (int i = 0; i < count; i++) {
        if (!counts[i]) {
            continue;
        }
        mh_words_put(out, separator);
        if (counts[i] > 1) {
            mh_words_number(out, counts[i]);
            mh_words_put(out, " x ");
        }
        say_label(out, labels, i);
        separator = ", ";
    }
}

/* A line of a field, without the zeros after its last other number; none where it has no others. `first` is the seat from
 * which seats are counted. */
static void say_field(struct mh_words *out, const struct mh_spec *spec, const struct mh_field *field,
                      const uint8_t *bytes, int count, int first, const char *indent)
{
    const struct reading reading = read_meaning(spec, field->meaning, count);
    while (count && !bytes[count - 1]) {
        count--;
    }
    if (!count) {
        return;
    }
    mh_words_put(out, indent);
    say_name(out, field->name);
    mh_words_put(out, ": ");
    if (reading.is_number && count <= 8) {
        mh_words_number(out, mh_shown_number(bytes, count));
    } else if (reading.kind == COUNTS) {
        say_counts(out, reading.labels, bytes, count);
    } else {
        for (int i = 0; i < count; i++) {
            mh_words_put(out, i ? ", " : "");
            say_one(out, &reading, first, bytes[i]);
        }
    }
    mh_words_put(out, "\n");
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* Whose turn it is: the status says it. */
static int says_turn(const struct mh_field *field)
{
    return strcmp(field->name, "to_act") == 0 || strcmp(field->name, "on_turn") == 0;
}

/* Fields that are said with a seat or with the middle, and not as events or status. */
static int is_listed(const struct mh_field *field)
{
    return strncmp(field->name, "event_", 6) != 0 && !says_turn(field);
}

static const struct mh_field *turn_field(const struct mh_spec *spec)
{
    for (int i = 0; i < spec->num_fields; i++) {
        if (spec->fields[i].group == MH_GROUP_TABLE && says_turn(&spec->fields[i]) && spec->fields[i].count == 1) {
            return &spec->fields[i];
        }
    }
    return NULL;
}

/* Whether the observation has the same seat on turn as what is hidden, where it is an absolute seat plus one. */
static int is_turn_known(const struct mh_shown *shown, const struct mh_field *turn, int hidden)
{
    const int seen = turn ? shown->observation[turn->offset] : 0;
    return turn && (seen ? mh_shown_seat(shown, seen) + 1 : 0) == hidden;
}

static void say_block(const struct mh_game *game, struct mh_words *out, int seat)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_shown *shown = out->shown;
    const uint8_t *block = mh_shown_block(shown, seat);
    for (int i = 0; i < spec->num_fields; i++) {
        const struct mh_field *field = &spec->fields[i];
        const int is_tail = field->group == MH_GROUP_SEAT_TAIL;
        if (is_tail || field->group == MH_GROUP_SEAT) {
            say_field(out, spec, field, block + field->offset, is_tail ? game->layout.seat_tail : field->count,
                      shown->observer, "  ");
        }
    }
}

/* What the viewer alone knows. */
static void say_own(const struct mh_game *game, struct mh_words *out)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_shown *shown = out->shown;
    for (int i = 0; i < spec->num_fields; i++) {
        const struct mh_field *field = &spec->fields[i];
        const int is_hint = field->group == MH_GROUP_HINT && game->layout.hint_offset >= 0;
        if (is_hint || field->group == MH_GROUP_OWN) {
            const int offset = field->offset + (is_hint ? game->layout.hint_offset : 0);
            say_field(out, spec, field, shown->observation + offset, field->count, shown->observer, "  ");
        }
    }
}

static void say_hidden(const struct mh_game *game, struct mh_words *out, enum mh_group group, int seat)
{
    const struct mh_spec *spec = game->rules->spec;
    const uint8_t *hidden = out->shown->viewer->omniscient;
    const int start =
        group == MH_GROUP_SEAT ? game->layout.hidden_seat_offset + seat * game->layout.hidden_seat_stride : 0;
    for (int i = 0; hidden && i < spec->num_hidden; i++) {
        const struct mh_field *field = &spec->hidden[i];
        const int is_known = says_turn(field) && is_turn_known(out->shown, turn_field(spec), hidden[field->offset]);
        if (field->group == group && !is_known) {
            say_field(out, spec, field, hidden + start + field->offset, field->count, 0,
                      group == MH_GROUP_SEAT ? "  " : "");
        }
    }
}

static void say_seat(const struct mh_game *game, struct mh_words *out, int seat)
{
    mh_words_subject(out, seat);
    mh_words_put(out, ":\n");
    if (seat == out->shown->viewer->seat) {
        say_own(game, out);
    }
    say_block(game, out, seat);
    say_hidden(game, out, MH_GROUP_SEAT, seat);
}

static void say_piles(const struct mh_game *game, struct mh_words *out)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_field *turn = turn_field(spec);
    for (int i = 0; i < spec->num_fields; i++) {
        const struct mh_field *field = &spec->fields[i];
        if (field->group == MH_GROUP_TABLE && (is_listed(field) || (says_turn(field) && field != turn))) {
            say_field(out, spec, field, out->shown->observation + field->offset, field->count, out->shown->observer,
                      "");
        }
    }
    say_hidden(game, out, MH_GROUP_TABLE, 0);
}

/* ---- Numbers beside an observation ---------------------------------------------------------------------------- */

static const int64_t *role_number(const struct mh_game *game, const struct mh_shown *shown, enum mh_role role)
{
    const struct mh_info_field *field = mh_spec_role(game->rules->spec, role, 0);
    return field && shown->viewer->info ? &shown->viewer->info[field->offset] : NULL;
}

static int64_t rounds_over(const struct mh_game *game, const struct mh_shown *shown)
{
    const int64_t *rounds = role_number(game, shown, MH_ROLE_ROUNDS);
    return rounds ? *rounds : 0;
}

/* Numbers by seat, "chips: you 3; seat 1 -3"; by the labels called like the field, "parts: 2 pure"; by the label that one
 * stands for, "ending: wash"; or as they are. */
static void say_numbers(struct mh_words *out, const struct mh_spec *spec, const struct mh_info_field *field,
                        const int64_t *numbers, int count)
{
    const size_t length = strlen(field->name);
    const struct mh_labels *named = labels_of(spec, field->name, length);
    const struct mh_labels *counted = length ? labels_of(spec, field->name, length - 1) : NULL;
    const char *separator = ": ";
    say_name(out, field->name);
    for (int i = 0; i < count; i++) {
        const int is_counted = !field->per_seat && counted && count <= counted->count;
        if (is_counted && !numbers[i]) {
            continue;
        }
        mh_words_put(out, separator);
        separator = "; "; /* labels may have commas */
        if (field->per_seat) {
            mh_words_seat(out, i);
            mh_words_put(out, " ");
        }
        if (named) {
            say_label(out, named, numbers[i]);
        } else {
            mh_words_number(out, numbers[i]);
        }
        if (is_counted) {
            mh_words_put(out, " ");
            say_label(out, counted, i);
        }
    }
    mh_words_put(out, "\n");
}

static int are_zero(const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        if (numbers[i]) {
            return 0;
        }
    }
    return 1;
}

static void say_result(const struct mh_game *game, struct mh_words *out)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_viewer *viewer = out->shown->viewer;
    const int64_t *winner = role_number(game, out->shown, MH_ROLE_WINNER);
    if (winner && *winner >= 0) {
        mh_words_does(out, (int)*winner, "won", "won");
        mh_words_put(out, "the last round.\n");
    } else if (winner && rounds_over(game, out->shown) > 0) {
        mh_words_put(out, "Nobody won the last round.\n");
    }
    for (int i = 0; viewer->info && i < spec->num_info; i++) {
        const struct mh_info_field *field = &spec->info[i];
        const int count = field->per_seat ? out->shown->seats : field->count;
        const int is_said = field->role == MH_ROLE_ROUNDS || field->role == MH_ROLE_WINNER;
        if (!is_said && !are_zero(viewer->info + field->offset, count)) {
            say_numbers(out, spec, field, viewer->info + field->offset, count);
        }
    }
}

/* ---- Sentences ---------------------------------------------------------------------------------------------- */

static void say_heading(const struct mh_game *game, struct mh_words *out)
{
    const int64_t rounds = rounds_over(game, out->shown);
    const int seat = out->shown->viewer->seat;
    mh_words_put(out, game->rules->spec->title);
    mh_words_put(out, ".");
    if (seat >= 0) {
        mh_words_put(out, " You are seat ");
        mh_words_number(out, seat);
        mh_words_put(out, ".");
    }
    if (rounds > 0) {
        mh_words_put(out, " ");
        mh_words_count(out, rounds, "round");
        mh_words_put(out, rounds == 1 ? " is over." : " are over.");
    }
    mh_words_put(out, "\n");
}

static void say_limits(const struct mh_game *game, struct mh_words *out)
{
    const struct mh_spec *spec = game->rules->spec;
    mh_words_put(out, "Options: ");
    for (int i = 0; i < spec->num_options; i++) {
        mh_words_put(out, i ? ", " : "");
        say_name(out, spec->options[i].name);
        mh_words_put(out, " ");
        mh_spec_value(&out->text, &spec->options[i], out->shown->options[i]);
    }
    mh_words_put(out, ".\n");
}

static void say_turn(struct mh_words *out, const char *verb, int seat)
{
    mh_words_put(out, "It ");
    mh_words_put(out, verb);
    if (seat == out->shown->viewer->seat) {
        mh_words_put(out, " your turn.\n");
        return;
    }
    mh_words_put(out, " the turn of ");
    mh_words_seat(out, seat);
    mh_words_put(out, ".\n");
}

/* Some games leave the seat that was on turn in its field when a round is over. */
static void say_status(const struct mh_game *game, struct mh_words *out)
{
    const struct mh_shown *shown = out->shown;
    const struct mh_field *field = turn_field(game->rules->spec);
    const int seen = field ? shown->observation[field->offset] : 0;
    const int to_act = shown->viewer->to_act;
    const int is_over = to_act == MH_OVER || to_act == MH_BETWEEN_ROUNDS;
    if (is_over) {
        mh_words_put(out, to_act == MH_OVER ? "The episode is over.\n" : "The round is over.\n");
    }
    if (seen) {
        say_turn(out, is_over ? "was" : "is", mh_shown_seat(shown, seen));
    } else if (field && !is_over) {
        mh_words_put(out, "Nobody is to act.\n");
    } else if (to_act >= 0) {
        say_turn(out, "is", to_act);
    }
}

void mh_generic_words(const struct mh_game *game, int part, int number, struct mh_words *out)
{
    switch (part) {
    case MH_WORDS_HEADING:
        say_heading(game, out);
        break;
    case MH_WORDS_LIMITS:
        say_limits(game, out);
        break;
    case MH_WORDS_SEAT:
        say_seat(game, out, number);
        break;
    case MH_WORDS_PILES:
        say_piles(game, out);
        break;
    case MH_WORDS_RESULT:
        say_result(game, out);
        break;
    default:
        say_status(game, out);
    }
}

void mh_generic_event(const struct mh_game *game, int seat, int kind, int detail, int extra, struct mh_words *out)
{
    char text[MH_TEXT_SIZE];
    mh_words_subject(out, seat);
    mh_words_put(out, ": ");
    say_name(out, game->rules->spec->events[kind].name);
    game->rules->event_text(kind, detail, extra, text);
    mh_words_put(out, text[0] ? " " : "");
    mh_words_put(out, text);
}

/* ---- The check ---------------------------------------------------------------------------------------------- */

int mh_generic_high(const struct mh_game *game, const struct mh_field *field)
{
    const int is_seat =
        says_turn(field) || read_meaning(game->rules->spec, field->meaning, field->count).kind == SEATS;
    return is_seat && field->high > game->sizes.seats ? game->sizes.seats : field->high;
}
