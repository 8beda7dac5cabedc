#include "mh_words_generic.h"

#include <string.h>

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
static void say_one(struct mh_words *out, const struct mh_reading *reading, int first, int number)
{
    if (reading->kind == MH_READ_PLAIN) {
        mh_words_number(out, number);
    } else if (!number) {
        mh_words_put(out, "-");
    } else if (reading->kind == MH_READ_SEATS) {
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

void mh_generic_value(const struct mh_shown_value *value, struct mh_words *out)
{
    say_name(out, value->field->name);
    mh_words_put(out, ": ");
    if (value->reading.is_number && value->count <= 8) {
        mh_words_number(out, mh_shown_number(value->bytes, value->count));
    } else if (value->reading.kind == MH_READ_COUNTS) {
        say_counts(out, value->reading.labels, value->bytes, value->count);
    } else {
        for (int i = 0; i < value->count; i++) {
            mh_words_put(out, i ? ", " : "");
            say_one(out, &value->reading, value->first_seat, value->bytes[i]);
        }
    }
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

static void say_values(const struct mh_shown *shown, int seat, struct mh_words *out)
{
    struct mh_shown_value value;
    for (int place = 0; mh_shown_next(shown, seat, &place, &value);) {
        mh_words_put(out, seat < 0 ? "" : "  ");
        mh_generic_value(&value, out);
        mh_words_put(out, "\n");
    }
}

static void say_seat(struct mh_words *out, int seat)
{
    mh_words_subject(out, seat);
    mh_words_put(out, ":\n");
    say_values(out->shown, seat, out);
}

/* ---- Numbers beside an observation ---------------------------------------------------------------------------- */

static int64_t rounds_over(const struct mh_shown *shown)
{
    const int64_t *rounds = mh_shown_role(shown, MH_ROLE_ROUNDS);
    return rounds ? *rounds : 0;
}

/* Numbers by seat, "chips: 3 for you; -3 for seat 1"; by the labels called like the field, "parts: 2 pure"; by the
 * label that one stands for, "ending: wash"; or as they are. */
static void say_numbers(struct mh_words *out, const struct mh_spec *spec, const struct mh_info_field *field,
                        const int64_t *numbers, int count)
{
    const size_t length = strlen(field->name);
    const struct mh_labels *named = mh_labels_of(spec, field->name, length);
    const struct mh_labels *counted = length ? mh_labels_of(spec, field->name, length - 1) : NULL;
    const char *separator = ": ";
    say_name(out, field->name);
    for (int i = 0; i < count; i++) {
        const int is_counted = !field->per_seat && counted && count <= counted->count;
        if (is_counted && !numbers[i]) {
            continue;
        }
        mh_words_put(out, separator);
        separator = "; "; /* labels may have commas */
        if (named) {
            say_label(out, named, numbers[i]);
        } else {
            mh_words_number(out, numbers[i]);
        }
        if (is_counted) {
            mh_words_put(out, " ");
            say_label(out, counted, i);
        } else if (field->per_seat) {
            mh_words_put(out, " for ");
            mh_words_seat(out, i);
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
    const int64_t *winner = mh_shown_role(out->shown, MH_ROLE_WINNER);
    if (winner && *winner >= 0) {
        mh_words_does(out, (int)*winner, "won", "won");
        mh_words_put(out, "the last round.\n");
    } else if (winner && rounds_over(out->shown) > 0) { /* a tie, or several share it */
        mh_words_put(out, "No seat won the last round alone.\n");
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
    const int64_t rounds = rounds_over(out->shown);
    mh_words_put(out, game->rules->spec->title);
    mh_words_put(out, rounds > 0 ? ", " : "");
    if (rounds > 0) {
        mh_words_count(out, rounds, "round");
        mh_words_put(out, " over");
    }
    mh_words_put(out, ".");
    mh_words_viewer(out);
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
    const int on_turn = mh_shown_on_turn(shown);
    const int to_act = shown->viewer->to_act;
    const int is_over = to_act == MH_OVER || to_act == MH_BETWEEN_ROUNDS;
    if (is_over) {
        mh_words_put(out, to_act == MH_OVER ? "The episode is over.\n" : "The round is over.\n");
    }
    if (on_turn >= 0) {
        say_turn(out, is_over ? "was" : "is", on_turn);
    } else if (mh_shown_turn_field(game->rules->spec) && !is_over) {
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
        say_seat(out, number);
        break;
    case MH_WORDS_PILES:
        say_values(out->shown, -1, out);
        break;
    case MH_WORDS_RESULT:
        say_result(game, out);
        break;
    default:
        say_status(game, out);
    }
}

/* The name of an event as a verb, of which the first word takes the ending: "you turn up", "seat 2 turns up". */
static void say_verb(struct mh_words *out, const char *name, int is_yours)
{
    const size_t length = strcspn(name, "_");
    const char last = name[length - 1];
    const char before = length > 1 ? name[length - 2] : 'a';
    const int has_hiss = strchr("sxz", last) || (last == 'h' && strchr("cs", before));
    const int has_y = !is_yours && last == 'y' && !strchr("aeiou", before);
    for (size_t i = 0; i < length - (size_t)has_y; i++) {
        mh_words_put(out, (const char[]){name[i], '\0'});
    }
    mh_words_put(out, is_yours ? "" : has_y ? "ies" : has_hiss ? "es" : "s");
    say_name(out, name + length);
}

void mh_generic_event(const struct mh_game *game, int seat, int kind, int detail, int extra, struct mh_words *out)
{
    char text[MH_TEXT_SIZE];
    mh_words_subject(out, seat);
    mh_words_put(out, " ");
    say_verb(out, game->rules->spec->events[kind].name, mh_words_is_you(out, seat));
    game->rules->event_text(kind, detail, extra, text);
    mh_words_put(out, text[0] ? " " : "");
    mh_words_put(out, text);
    mh_words_put(out, ".");
}
