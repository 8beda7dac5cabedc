#include "mh_shown_fields.h"

#include <string.h>

/* ---- Meanings of numbers ------------------------------------------------------------------------------------ */

static int is_letter(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

static int is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

/* The labels called `word` and "s". */
const struct mh_labels *mh_labels_of(const struct mh_spec *spec, const char *word, size_t length)
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

static struct mh_reading read_meaning(const struct mh_spec *spec, const char *meaning, int count)
{
    struct mh_reading reading = {.kind = MH_READ_PLAIN, .is_number = strstr(meaning, "low byte first") != NULL};
    const char *word;
    size_t length = counted_word(meaning, &word);
    reading.labels = length ? mh_labels_of(spec, word, length) : NULL;
    if (reading.labels && count > 1 && count <= reading.labels->count) {
        reading.kind = MH_READ_COUNTS;
        return reading;
    }
    length = encoded_word(meaning, &word);
    reading.labels = length ? mh_labels_of(spec, word, length) : NULL;
    if (reading.labels) {
        reading.kind = MH_READ_NAMED;
    } else if (length && is_word(word, length, "seat")) {
        reading.kind = MH_READ_SEATS;
    }
    return reading;
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* Whose turn it is: the status says it. */
static int says_turn(const struct mh_field *field)
{
    return strcmp(field->name, "to_act") == 0 || strcmp(field->name, "on_turn") == 0;
}

const struct mh_field *mh_shown_turn_field(const struct mh_spec *spec)
{
    for (int i = 0; i < spec->num_fields; i++) {
        if (spec->fields[i].group == MH_GROUP_TABLE && says_turn(&spec->fields[i]) && spec->fields[i].count == 1) {
            return &spec->fields[i];
        }
    }
    return NULL;
}

/* True if the observation has the same seat on turn as what is hidden, where it is an absolute seat plus one. */
static int is_turn_known(const struct mh_shown *shown, int hidden)
{
    const struct mh_field *turn = mh_shown_turn_field(shown->game->rules->spec);
    const int seen = turn ? shown->observation[turn->offset] : 0;
    return turn && (seen ? mh_shown_seat(shown, seen) + 1 : 0) == hidden;
}

/* A field of the viewer's own, of a seat's block or of the table; 0: it is not shown there. */
static int show_seen(const struct mh_shown *shown, int seat, int is_own, const struct mh_field *field,
                     struct mh_shown_value *value)
{
    const struct mh_layout *layout = &shown->game->layout;
    const int is_tail = field->group == MH_GROUP_SEAT_TAIL;
    const int is_hint = field->group == MH_GROUP_HINT && layout->hint_offset >= 0;
    *value = (struct mh_shown_value){.field = field, .count = field->count, .first_seat = shown->observer};
    if (seat < 0) {
        const int is_turn = field == mh_shown_turn_field(shown->game->rules->spec);
        value->bytes = shown->observation + field->offset;
        return field->group == MH_GROUP_TABLE && !is_turn && strncmp(field->name, "event_", 6) != 0;
    }
    if (is_own) {
        value->bytes = shown->observation + field->offset + (is_hint ? layout->hint_offset : 0);
        return seat == shown->viewer->seat && (is_hint || field->group == MH_GROUP_OWN);
    }
    value->bytes = (const uint8_t *)mh_shown_block(shown, seat) + field->offset;
    value->count = is_tail ? layout->seat_tail : field->count;
    return is_tail || field->group == MH_GROUP_SEAT;
}

static int show_hidden(const struct mh_shown *shown, int seat, const struct mh_field *field,
                       struct mh_shown_value *value)
{
    const struct mh_layout *layout = &shown->game->layout;
    const uint8_t *hidden = shown->viewer->omniscient;
    if (!hidden || field->group != (seat < 0 ? MH_GROUP_TABLE : MH_GROUP_SEAT)) {
        return 0;
    }
    const int block = seat < 0 ? 0 : layout->hidden_seat_offset + seat * layout->hidden_seat_stride;
    *value =
        (struct mh_shown_value){.field = field, .bytes = hidden + block + field->offset, .count = field->count};
    return !(says_turn(field) && is_turn_known(shown, value->bytes[0]));
}

int mh_shown_next(const struct mh_shown *shown, int seat, int *place, struct mh_shown_value *value)
{
    const struct mh_spec *spec = shown->game->rules->spec;
    const int seen = spec->num_fields;
    while (*place < 2 * seen + spec->num_hidden) {
        const int number = (*place)++;
        const int is_there = number < 2 * seen
                                 ? show_seen(shown, seat, number < seen, &spec->fields[number % seen], value)
                                 : show_hidden(shown, seat, &spec->hidden[number - 2 * seen], value);
        if (!is_there || (seat < 0 && number < seen)) {
            continue;
        }
        value->reading = read_meaning(spec, value->field->meaning, value->count);
        while (value->count && !value->bytes[value->count - 1]) {
            value->count--;
        }
        if (value->count) {
            return 1;
        }
    }
    return 0;
}

int mh_shown_on_turn(const struct mh_shown *shown)
{
    const struct mh_field *field = mh_shown_turn_field(shown->game->rules->spec);
    const int seen = field ? shown->observation[field->offset] : 0;
    return seen ? mh_shown_seat(shown, seen) : -1;
}

const int64_t *mh_shown_role(const struct mh_shown *shown, enum mh_role role)
{
    const struct mh_info_field *field = mh_spec_role(shown->game->rules->spec, role, 0);
    return field && shown->viewer->info ? &shown->viewer->info[field->offset] : NULL;
}

int mh_shown_high(const struct mh_game *game, const struct mh_field *field)
{
    const int is_seat =
        says_turn(field) || read_meaning(game->rules->spec, field->meaning, field->count).kind == MH_READ_SEATS;
    return is_seat && field->high > game->sizes.seats ? game->sizes.seats : field->high;
}
