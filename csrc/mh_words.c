#include "mh_words.h"

#include <string.h>

#include "mh_game.h"

/* ---- Names ------------------------------------------------------------------------------------------------ */

static const char you[] = "you";

/* Bytes of the UTF-8 character at `text`; 0 where none begins there. */
static int character_size(const uint8_t *text)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t lowest;
    } kinds[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (int size = 1; size <= 4; size++) {
        if ((text[0] & kinds[size - 1].mask) != kinds[size - 1].lead) {
            continue;
        }
        uint32_t code = text[0] & (uint8_t)~kinds[size - 1].mask;
        for (int i = 1; i < size; i++) {
            if ((text[i] & 0xC0) != 0x80) {
                return 0;
            }
            code = code << 6 | (text[i] & 0x3F);
        }
        const int is_surrogate = code >= 0xD800 && code < 0xE000;
        return code < kinds[size - 1].lowest || code > 0x10FFFF || is_surrogate ? 0 : size;
    }
    return 0;
}

/* Writes a name of at most MH_NAME_LENGTH characters; controls and broken bytes become "?". */
static void cut_name(const char *name, char *out)
{
    const uint8_t *at = (const uint8_t *)name;
    char *end = out;
    char *shorter = out; /* where "..." would begin */
    for (int count = 0; *at; count++) {
        if (count == MH_NAME_LENGTH) {
            memcpy(shorter, "...", 4);
            return;
        }
        if (count == MH_NAME_LENGTH - 3) {
            shorter = end;
        }
        const int size = character_size(at);
        if (size == 0 || at[0] < ' ' || at[0] == 0x7F || (size == 2 && at[0] == 0xC2 && at[1] < 0xA0)) {
            *end++ = '?';
        } else {
            memcpy(end, at, (size_t)size);
            end += size;
        }
        at += size ? size : 1;
    }
    *end = '\0';
}

static void add_seat(char *name, int seat)
{
    const size_t length = strlen(name);
    name[length] = ' ';
    name[length + 1] = (char)('0' + seat);
    name[length + 2] = '\0';
}

/* Names by seat, all different: one that occurs twice gets the number of its seat. */
static void make_names(struct mh_shown *self)
{
    char cut[MH_MAX_SEATS][MH_NAME_SIZE];
    for (int seat = 0; seat < self->seats; seat++) {
        if (self->viewer->names) {
            cut_name(self->viewer->names[seat], cut[seat]);
        } else if (seat == self->viewer->seat) {
            memcpy(cut[seat], you, sizeof you);
        } else {
            memcpy(cut[seat], "seat", 5);
            add_seat(cut[seat], seat);
        }
    }
    for (int seat = 0; seat < self->seats; seat++) {
        memcpy(self->names[seat], cut[seat], MH_NAME_SIZE);
        for (int other = 0; other < self->seats; other++) {
            if (other != seat && strcmp(cut[other], cut[seat]) == 0) {
                add_seat(self->names[seat], seat);
                break;
            }
        }
    }
}

/* ---- Writers ----------------------------------------------------------------------------------------------- */

void mh_words_put(struct mh_words *self, const char *text)
{
    mh_text_put(&self->text, text);
}

void mh_words_number(struct mh_words *self, int64_t number)
{
    mh_text_number(&self->text, number);
}

void mh_words_count(struct mh_words *self, int64_t number, const char *noun)
{
    mh_words_number(self, number);
    mh_words_put(self, " ");
    mh_words_put(self, noun);
    if (number != 1) {
        mh_words_put(self, "s");
    }
}

static int is_you(const struct mh_words *self, int seat)
{
    return strcmp(self->shown->names[seat], you) == 0;
}

void mh_words_seat(struct mh_words *self, int seat)
{
    mh_words_put(self, self->shown->names[seat]);
}

void mh_words_subject(struct mh_words *self, int seat)
{
    if (is_you(self, seat)) {
        mh_words_put(self, "You");
    } else if (!self->shown->viewer->names) {
        mh_words_put(self, "S");
        mh_words_put(self, self->shown->names[seat] + 1);
    } else {
        mh_words_seat(self, seat);
    }
}

void mh_words_does(struct mh_words *self, int seat, const char *yours, const char *others)
{
    mh_words_subject(self, seat);
    mh_words_put(self, " ");
    mh_words_put(self, is_you(self, seat) ? yours : others);
    mh_words_put(self, " ");
}

void mh_words_of(struct mh_words *self, const char *what, int seat)
{
    mh_words_put(self, what);
    mh_words_put(self, " of ");
    mh_words_put(self, is_you(self, seat) ? "yours" : self->shown->names[seat]);
}

void mh_words_viewer(struct mh_words *self)
{
    const struct mh_viewer *viewer = self->shown->viewer;
    if (viewer->seat < 0 || (viewer->names && is_you(self, viewer->seat))) {
        return;
    }
    mh_words_put(self, "You are ");
    if (viewer->names) {
        mh_words_seat(self, viewer->seat);
    } else {
        mh_words_put(self, "seat ");
        mh_words_number(self, viewer->seat);
    }
    mh_words_put(self, ". ");
}

/* ---- Checks ----------------------------------------------------------------------------------------------- */

static int refuse_field(const char *what, const struct mh_field *field, int value, char *message)
{
    mh_message(message, "%s: %s is %d, and at most %d can be", what, field->name, value, field->high);
    return MH_ERROR_ARGUMENT;
}

static int check_row(const char *what, const struct mh_field *field, const uint8_t *bytes, int count, char *message)
{
    for (int i = 0; i < count; i++) {
        if (bytes[i] > field->high) {
            return refuse_field(what, field, bytes[i], message);
        }
    }
    return MH_OK;
}

static int check_fields(const char *what, const struct mh_field *fields, int num_fields, const uint8_t *bytes,
                        const struct mh_layout *layout, int seat_offset, int seat_stride, int seats, char *message)
{
    for (int i = 0; i < num_fields; i++) {
        const struct mh_field *field = &fields[i];
        const int is_of_seats = field->group == MH_GROUP_SEAT || field->group == MH_GROUP_SEAT_TAIL;
        const int count = field->group == MH_GROUP_SEAT_TAIL ? layout->seat_tail : field->count;
        int offset = field->offset;
        if (field->group == MH_GROUP_HINT) {
            if (layout->hint_offset < 0) {
                continue;
            }
            offset += layout->hint_offset;
        } else if (is_of_seats) {
            offset += seat_offset;
        }
        for (int block = 0; block < (is_of_seats ? seats : 1); block++) {
            const int status = check_row(what, field, bytes + offset + block * seat_stride, count, message);
            if (status) {
                return status;
            }
        }
    }
    return MH_OK;
}

/* The column of events that a field is, from 0: seat, kind, detail and extra, as they stand in the table. */
static int event_columns(const struct mh_spec *spec, const uint8_t *observation, const uint8_t *columns[4])
{
    int found = 0;
    for (int i = 0; i < spec->num_fields && found < 4; i++) {
        if (strncmp(spec->fields[i].name, "event_", 6) == 0) {
            columns[found++] = observation + spec->fields[i].offset;
        }
    }
    return found == 4;
}

static int check_event(const struct mh_rules *rules, int seats, int seat, int kind, int detail, int extra,
                       char *message)
{
    const int exists = seat >= 1 && seat <= seats && kind >= 0 && kind < rules->spec->num_events;
    const int is_byte = detail >= 0 && detail <= UINT8_MAX && extra >= 0 && extra <= UINT8_MAX;
    if (!exists || !is_byte || !rules->event_fits(seats, kind, detail, extra)) {
        mh_message(message, "event: seat %d, kind %d, details %d and %d: there is no such event", seat - 1, kind,
                   detail, extra);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

static int check_events(const struct mh_game *game, const struct mh_shown *shown, char *message)
{
    const uint8_t *column[4];
    if (!event_columns(game->rules->spec, shown->observation, column)) {
        return MH_OK;
    }
    for (int i = 0; i < MH_EVENT_TAIL; i++) {
        const int follows = i > 0 && column[0][i - 1];
        if (!column[0][i] && !follows && !column[1][i] && !column[2][i] && !column[3][i]) {
            continue;
        }
        const int status = check_event(game->rules, shown->seats, column[0][i], column[1][i], column[2][i],
                                       column[3][i], message);
        if (status) {
            return status;
        }
    }
    return MH_OK;
}

int mh_words_check(const struct mh_game *game, const struct mh_shown *shown, char *message)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_layout *layout = &game->layout;
    int status = check_fields("observation", spec->fields, spec->num_fields, shown->observation, layout,
                              layout->seat_offset, layout->seat_stride, shown->seats, message);
    if (!status && shown->viewer->omniscient) {
        status = check_fields("omniscient", spec->hidden, spec->num_hidden, shown->viewer->omniscient, layout,
                              layout->hidden_seat_offset, layout->hidden_seat_stride, shown->seats, message);
    }
    if (!status) {
        status = check_events(game, shown, message);
    }
    if (!status && game->rules->check_shown) {
        status = game->rules->check_shown(shown, message);
    }
    return status;
}

/* ---- From outside ----------------------------------------------------------------------------------------- */

static int refuse(char *message, const char *what)
{
    mh_message(message, "%s", what);
    return MH_ERROR_ARGUMENT;
}

static int check_viewer(const struct mh_game *game, const struct mh_viewer *viewer, char *message)
{
    const int seats = game->sizes.seats;
    if (viewer->seat < -1 || viewer->seat >= seats) {
        mh_message(message, "viewer: seat is %d, and it is from 0 to %d, or -1 for a spectator", viewer->seat,
                   seats - 1);
        return MH_ERROR_ARGUMENT;
    }
    if (viewer->to_act < MH_NOT_KNOWN || viewer->to_act >= seats) {
        mh_message(message, "viewer: to_act is %d, and it is a seat from 0 to %d, or why nobody is to act",
                   viewer->to_act, seats - 1);
        return MH_ERROR_ARGUMENT;
    }
    for (int seat = 0; viewer->names && seat < seats; seat++) {
        if (!viewer->names[seat]) {
            mh_message(message, "viewer: names has none for seat %d", seat);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

static int begin(const struct mh_game *game, const uint8_t *observation, const struct mh_viewer *viewer,
                 char *message, struct mh_shown *shown)
{
    if (!game || !viewer) {
        return refuse(message, "game and viewer must not be NULL");
    }
    const int status = check_viewer(game, viewer, message);
    if (status) {
        return status;
    }
    *shown = (struct mh_shown){.viewer = viewer,
                               .options = game->options,
                               .observation = observation,
                               .seats = game->sizes.seats,
                               .observer = viewer->seat < 0 ? 0 : viewer->seat,
                               .seat_offset = game->layout.seat_offset,
                               .seat_stride = game->layout.seat_stride};
    make_names(shown);
    return MH_OK;
}

static int check_text(const char *text, int64_t size, char *message)
{
    return size < 0 || (size > 0 && !text) ? refuse(message, "text: NULL, or a negative size") : MH_OK;
}

static int check_number(const struct mh_game *game, int part, int number, char *message)
{
    const int highest = part == MH_WORDS_SEAT     ? game->sizes.seats - 1
                        : part == MH_WORDS_EVENTS ? (int)MH_EVENT_TAIL
                                                  : 0;
    if (number < 0 || number > highest) {
        mh_message(message, "number: %d, and this part takes 0 to %d", number, highest);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

/* ---- Parts ------------------------------------------------------------------------------------------------ */

static void say_event(const struct mh_game *game, struct mh_words *out, int seat, int kind, int detail, int extra)
{
    game->rules->say_event(out->shown, seat, kind, detail, extra, out);
    mh_words_put(out, "\n");
}

static void say_events(const struct mh_game *game, struct mh_words *out, int count)
{
    const uint8_t *column[4];
    if (!event_columns(game->rules->spec, out->shown->observation, column)) {
        return;
    }
    for (int i = (int)MH_EVENT_TAIL - count; i < (int)MH_EVENT_TAIL; i++) {
        if (column[0][i]) {
            say_event(game, out, mh_shown_seat(out->shown, column[0][i]), column[1][i], column[2][i],
                      column[3][i]);
        }
    }
}

static int begins_with(const char *text, const char *name, size_t length)
{
    return strncmp(text, name, length) == 0 && text[length] == ' ';
}

/* Moves by range of actions: "discard 1s, 2s; pass", what a range is called once. */
static void say_moves(const struct mh_game *game, struct mh_words *out)
{
    const struct mh_spec *spec = game->rules->spec;
    const int8_t *mask = out->shown->viewer->mask;
    const char *separator = "";
    if (!mask) {
        return;
    }
    mh_words_put(out, "Moves: ");
    int action = 0;
    for (int i = 0; i < spec->num_action_ranges; i++) {
        const size_t length = strlen(spec->action_ranges[i].name);
        int said = 0;
        for (const int end = action + spec->action_ranges[i].count; action < end; action++) {
            char text[MH_TEXT_SIZE];
            if (!mask[action]) {
                continue;
            }
            game->rules->action_text(action, text);
            const int shortened = said && begins_with(text, spec->action_ranges[i].name, length);
            mh_words_put(out, said ? ", " : separator);
            mh_words_put(out, shortened ? text + length + 1 : text);
            said = 1;
            separator = "; ";
        }
    }
    mh_words_put(out, ".\n");
}

static void say_part(const struct mh_game *game, struct mh_words *out, int part, int number)
{
    if (part == MH_WORDS_EVENTS) {
        say_events(game, out, number);
    } else if (part == MH_WORDS_MOVES) {
        say_moves(game, out);
    } else {
        game->rules->words(out->shown, part, number, out);
    }
}

static void say_all(const struct mh_game *game, struct mh_words *out)
{
    for (int part = MH_WORDS_HEADING; part <= MH_WORDS_MOVES; part++) {
        if (part != MH_WORDS_SEAT) {
            say_part(game, out, part, part == MH_WORDS_EVENTS ? MH_EVENT_TAIL : 0);
            continue;
        }
        for (int i = 0; i < out->shown->seats; i++) { /* clockwise from the viewer */
            say_part(game, out, part, mh_shown_seat(out->shown, i + 1));
        }
    }
}

int64_t mh_words(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                 const struct mh_viewer *viewer, int part, int number, char *text, int64_t size, char *message)
{
    struct mh_shown shown;
    int status = begin(game, observation, viewer, message, &shown);
    if (!status) {
        status = check_text(text, size, message);
    }
    if (!status && (!observation || bytes != game->sizes.observation)) {
        mh_message(message, "observation: %lld bytes, and this game has %d", (long long)bytes,
                   game->sizes.observation);
        status = MH_ERROR_ARGUMENT;
    }
    if (!status && (part < MH_WORDS_ALL || part > MH_WORDS_MOVES)) {
        mh_message(message, "part: %d, and it is from 0 to %d", part, MH_WORDS_MOVES);
        status = MH_ERROR_ARGUMENT;
    }
    if (!status) {
        status = check_number(game, part, number, message);
    }
    if (!status) {
        status = mh_words_check(game, &shown, message);
    }
    if (status) {
        return status;
    }
    struct mh_words out = {.shown = &shown};
    mh_text_begin(&out.text, text, (size_t)size);
    if (part == MH_WORDS_ALL) {
        say_all(game, &out);
    } else {
        say_part(game, &out, part, number);
    }
    return (int64_t)out.text.length;
}

int64_t mh_words_event(const struct mh_game *game, const struct mh_viewer *viewer, int seat, int kind, int detail,
                       int extra, char *text, int64_t size, char *message)
{
    struct mh_shown shown;
    int status = begin(game, NULL, viewer, message, &shown);
    if (!status) {
        status = check_text(text, size, message);
    }
    if (!status) {
        status = check_event(game->rules, shown.seats, seat + 1, kind, detail, extra, message);
    }
    if (status) {
        return status;
    }
    struct mh_words out = {.shown = &shown};
    mh_text_begin(&out.text, text, (size_t)size);
    say_event(game, &out, seat, kind, detail, extra);
    return (int64_t)out.text.length;
}
