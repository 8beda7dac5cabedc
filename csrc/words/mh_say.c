#include "mh_say.h"

#include <string.h>

#include "mh_game.h"
#include "mh_words_generic.h"

/* ---- Checks ----------------------------------------------------------------------------------------------- */

static int check_row(const char *what, const struct mh_field *field, int high, const uint8_t *bytes, int count,
                     char *message)
{
    for (int i = 0; i < count; i++) {
        if (bytes[i] > high) {
            mh_message(message, "%s: %s is %d, and at most %d can be", what, field->name, bytes[i], high);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

static int check_fields(const struct mh_game *game, const char *what, const struct mh_field *fields, int num_fields,
                        const uint8_t *bytes, int seat_offset, int seat_stride, char *message)
{
    const struct mh_layout *layout = &game->layout;
    for (int i = 0; i < num_fields; i++) {
        const struct mh_field *field = &fields[i];
        const int is_of_seats = field->group == MH_GROUP_SEAT || field->group == MH_GROUP_SEAT_TAIL;
        const int count = field->group == MH_GROUP_SEAT_TAIL ? layout->seat_tail : field->count;
        const int high = game->rules->words ? field->high : mh_shown_high(game, field);
        int offset = field->offset;
        if (field->group == MH_GROUP_HINT) {
            if (layout->hint_offset < 0) {
                continue;
            }
            offset += layout->hint_offset;
        } else if (is_of_seats) {
            offset += seat_offset;
        }
        for (int block = 0; block < (is_of_seats ? game->sizes.seats : 1); block++) {
            const int status = check_row(what, field, high, bytes + offset + block * seat_stride, count, message);
            if (status) {
                return status;
            }
        }
    }
    return MH_OK;
}

/* Checks the numbers beside an observation that all games have. */
static int check_info(const struct mh_game *game, const int64_t *info, char *message)
{
    const struct mh_info_field *rounds = mh_spec_role(game->rules->spec, MH_ROLE_ROUNDS, 0);
    const struct mh_info_field *winner = mh_spec_role(game->rules->spec, MH_ROLE_WINNER, 0);
    if (rounds && info[rounds->offset] < 0) {
        mh_message(message, "info: %s is %lld, and it is not negative", rounds->name,
                   (long long)info[rounds->offset]);
        return MH_ERROR_ARGUMENT;
    }
    if (winner && (info[winner->offset] < -1 || info[winner->offset] >= game->sizes.seats)) {
        mh_message(message, "info: %s is %lld, and it is a seat from 0 to %d, or -1", winner->name,
                   (long long)info[winner->offset], game->sizes.seats - 1);
        return MH_ERROR_ARGUMENT;
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
        const int status =
            check_event(game->rules, shown->seats, column[0][i], column[1][i], column[2][i], column[3][i], message);
        if (status) {
            return status;
        }
    }
    return MH_OK;
}

int mh_say_check(const struct mh_game *game, const struct mh_shown *shown, char *message)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_layout *layout = &game->layout;
    const struct mh_viewer *viewer = shown->viewer;
    int status = check_fields(game, "observation", spec->fields, spec->num_fields, shown->observation,
                              layout->seat_offset, layout->seat_stride, message);
    if (!status && viewer->omniscient) {
        status = check_fields(game, "omniscient", spec->hidden, spec->num_hidden, viewer->omniscient,
                              layout->hidden_seat_offset, layout->hidden_seat_stride, message);
    }
    if (!status && viewer->info) {
        status = check_info(game, viewer->info, message);
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

static int check_names(const char *const *names, int seats, char *message)
{
    for (int seat = 0; seat < seats; seat++) {
        if (!names[seat]) {
            mh_message(message, "names: there is none for seat %d", seat);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
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
    return viewer->names ? check_names(viewer->names, seats, message) : MH_OK;
}

/* Makes the checks of every call, and opens the text. */
static int begin_words(const struct mh_game *game, const struct mh_viewer *viewer, char *text, int64_t size,
                       char *message, struct mh_text *out)
{
    if (!game || !viewer) {
        return mh_shown_refuse(message, "game and viewer must not be NULL");
    }
    if (size < 0 || (size > 0 && !text)) {
        return mh_shown_refuse(message, "text: NULL, or a negative size");
    }
    const int status = check_viewer(game, viewer, message);
    if (!status) {
        mh_text_begin(out, text, (size_t)size);
    }
    return status;
}

static int check_bytes(const struct mh_game *game, const uint8_t *observation, int64_t bytes, char *message)
{
    if (!observation || bytes != game->sizes.observation) {
        mh_message(message, "observation: %lld bytes, and this game has %d", (long long)bytes,
                   game->sizes.observation);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

static struct mh_shown shown_by(const struct mh_game *game, const uint8_t *observation,
                                const struct mh_viewer *viewer)
{
    struct mh_shown shown = {.game = game,
                             .viewer = viewer,
                             .options = game->options,
                             .observation = observation,
                             .seats = game->sizes.seats,
                             .observer = viewer->seat < 0 ? 0 : viewer->seat,
                             .seat_offset = game->layout.seat_offset,
                             .seat_stride = game->layout.seat_stride};
    mh_shown_name(&shown);
    return shown;
}

int mh_say_begin(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                 const struct mh_viewer *viewer, struct mh_shown *shown, char *message)
{
    struct mh_text none;
    int status = begin_words(game, viewer, NULL, 0, message, &none);
    if (!status) {
        status = check_bytes(game, observation, bytes, message);
    }
    if (!status) {
        *shown = shown_by(game, observation, viewer);
        status = mh_say_check(game, shown, message);
    }
    return status;
}

static int check_number(const struct mh_game *game, int part, int number, char *message)
{
    const int highest = part == MH_WORDS_SEAT     ? game->sizes.seats - 1
                        : part == MH_WORDS_EVENTS ? (int)MH_EVENT_TAIL
                        : part == MH_WORDS_MOVE   ? game->sizes.actions - 1
                                                  : 0;
    if (number < 0 || number > highest) {
        mh_message(message, "number: %d, and this part takes 0 to %d", number, highest);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

int mh_names(const char *const *names, int seats, char *out, char *message)
{
    char shown[MH_MAX_SEATS][MH_NAME_SIZE];
    if (seats < 1 || seats > MH_MAX_SEATS) {
        mh_message(message, "names: %d of them, and a table has 1 to %d seats", seats, MH_MAX_SEATS);
        return MH_ERROR_ARGUMENT;
    }
    if (!names || !out) {
        return mh_shown_refuse(message, "names and out must not be NULL");
    }
    const int status = check_names(names, seats, message);
    if (!status) {
        mh_names_clean(names, seats, shown);
        memcpy(out, shown, sizeof *shown * (size_t)seats);
    }
    return status;
}

/* ---- Parts ------------------------------------------------------------------------------------------------ */

static void say_event(const struct mh_game *game, struct mh_words *out, int seat, int kind, int detail, int extra)
{
    if (game->rules->say_event) {
        game->rules->say_event(out->shown, seat, kind, detail, extra, out);
    } else {
        mh_generic_event(game, seat, kind, detail, extra, out);
    }
}

static void say_events(const struct mh_game *game, struct mh_words *out, int count)
{
    const uint8_t *column[4];
    if (!event_columns(game->rules->spec, out->shown->observation, column)) {
        return;
    }
    for (int i = (int)MH_EVENT_TAIL - count; i < (int)MH_EVENT_TAIL; i++) {
        if (column[0][i]) {
            say_event(game, out, mh_shown_seat(out->shown, column[0][i]), column[1][i], column[2][i], column[3][i]);
            mh_words_put(out, "\n");
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
    if (!mask || !memchr(mask, 1, (size_t)game->sizes.actions)) {
        return;
    }
    mh_words_put(out, "Moves: ");
    int action = 0;
    for (int i = 0; i < spec->num_action_ranges; i++) {
        const size_t length = strlen(spec->action_ranges[i].name);
        int said = 0;
        for (const int end = action + spec->action_ranges[i].count; action < end; action++) {
            char text[MH_TEXT_SIZE];
            if (mask[action] != 1) {
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

/* In the game's own words, or as its text is. */
static void say_move(const struct mh_game *game, struct mh_words *out, int action)
{
    const size_t before = out->text.length;
    char text[MH_TEXT_SIZE];
    if (game->rules->words) {
        game->rules->words(out->shown, MH_WORDS_MOVE, action, out);
    }
    if (out->text.length == before) {
        game->rules->action_text(action, text);
        mh_words_put(out, text);
    }
}

void mh_say_part(const struct mh_game *game, struct mh_words *out, int part, int number)
{
    if (part == MH_WORDS_EVENTS) {
        say_events(game, out, number);
    } else if (part == MH_WORDS_MOVES) {
        say_moves(game, out);
    } else if (part == MH_WORDS_MOVE) {
        say_move(game, out, number);
    } else if (game->rules->words) {
        game->rules->words(out->shown, part, number, out);
    } else {
        mh_generic_words(game, part, number, out);
    }
}

static void say_all(const struct mh_game *game, struct mh_words *out)
{
    for (int part = MH_WORDS_HEADING; part <= MH_WORDS_MOVES; part++) {
        if (part != MH_WORDS_SEAT) {
            mh_say_part(game, out, part, part == MH_WORDS_EVENTS ? MH_EVENT_TAIL : 0);
            continue;
        }
        for (int i = 0; i < out->shown->seats; i++) { /* clockwise from the viewer */
            mh_say_part(game, out, part, mh_shown_seat(out->shown, i + 1));
        }
    }
}

static int check_part(const struct mh_game *game, int part, int number, char *message)
{
    if (part < MH_WORDS_ALL || part > MH_WORDS_MOVE) {
        mh_message(message, "part: %d, and it is from 0 to %d", part, MH_WORDS_MOVE);
        return MH_ERROR_ARGUMENT;
    }
    return check_number(game, part, number, message);
}

/* Adds the words of an observation that has not been checked to a text. */
static int say_part(const struct mh_game *game, const uint8_t *observation, const struct mh_viewer *viewer,
                    int part, int number, struct mh_text *text, char *message)
{
    const struct mh_shown shown = shown_by(game, observation, viewer);
    const int status = mh_say_check(game, &shown, message);
    if (!status) {
        struct mh_words out = {.text = *text, .shown = &shown};
        if (part == MH_WORDS_ALL) {
            say_all(game, &out);
        } else {
            mh_say_part(game, &out, part, number);
        }
        *text = out.text;
    }
    return status;
}

int64_t mh_words(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                 const struct mh_viewer *viewer, int part, int number, char *text, int64_t size, char *message)
{
    struct mh_text out;
    int status = begin_words(game, viewer, text, size, message, &out);
    if (!status) {
        status = check_bytes(game, observation, bytes, message);
    }
    if (!status) {
        status = check_part(game, part, number, message);
    }
    if (!status) {
        status = say_part(game, observation, viewer, part, number, &out, message);
    }
    return status ? status : (int64_t)out.length;
}

int64_t mh_words_event(const struct mh_game *game, const struct mh_viewer *viewer, int seat, int kind, int detail,
                       int extra, char *text, int64_t size, char *message)
{
    struct mh_text to;
    int status = begin_words(game, viewer, text, size, message, &to);
    if (!status) {
        status = check_event(game->rules, game->sizes.seats, seat + 1, kind, detail, extra, message);
    }
    if (status) {
        return status;
    }
    const struct mh_shown shown = shown_by(game, NULL, viewer);
    struct mh_words out = {.text = to, .shown = &shown};
    say_event(game, &out, seat, kind, detail, extra);
    return (int64_t)out.text.length;
}

/* ---- Many at once, and states ------------------------------------------------------------------------------- */

static int refuse_row(int row, const char *why, char *message)
{
    mh_message(message, "row %d: %.200s", row, why);
    return MH_ERROR_ARGUMENT;
}

int64_t mh_words_rows(const struct mh_game *game, const struct mh_words_rows *rows, int part, int number,
                      char *text, int64_t size, int64_t *starts, char *message)
{
    const struct mh_viewer nobody = {.seat = -1, .to_act = MH_NOT_KNOWN};
    char why[MH_MESSAGE_SIZE];
    struct mh_text out = {0};
    int status = begin_words(game, &nobody, text, size, message, &out);
    if (!status) {
        status = check_part(game, part, number, message);
    }
    if (status) {
        return status;
    }
    if (!rows || !starts || rows->count < 0 || (rows->count && !rows->observations)) {
        return mh_shown_refuse(message,
                               "rows, their observations and starts must not be NULL, nor their count negative");
    }
    for (int row = 0; row < rows->count; row++) {
        const size_t at = (size_t)row;
        const struct mh_viewer viewer = {
            .seat = rows->seats ? rows->seats[row] : -1,
            .to_act = rows->to_act ? rows->to_act[row] : MH_NOT_KNOWN,
            .info = rows->info ? rows->info + at * (size_t)game->sizes.info : NULL,
            .mask = rows->masks ? rows->masks + at * (size_t)game->sizes.actions : NULL,
            .names = rows->names,
        };
        starts[row] = (int64_t)out.length;
        status = check_viewer(game, &viewer, why);
        if (!status) {
            status = say_part(game, rows->observations + at * (size_t)game->sizes.observation, &viewer, part,
                              number, &out, why);
        }
        if (status) {
            return refuse_row(row, why, message);
        }
    }
    starts[rows->count] = (int64_t)out.length;
    return (int64_t)out.length;
}

size_t mh_state_text(const struct mh_game *game, const void *state, char *text, size_t size)
{
    uint8_t observation[MH_MAX_SEEN];
    uint8_t omniscient[MH_MAX_SEEN];
    int64_t info[MH_MAX_SEEN / sizeof(int64_t)];
    if (mh_check_state(game, state, NULL) != MH_OK || game->sizes.observation > MH_MAX_SEEN) {
        return 0;
    }
    mh_state_watch(game, state, observation);
    mh_state_omniscient(game, state, omniscient);
    mh_state_info(game, state, info);
    const struct mh_viewer viewer = {
        .seat = -1, .to_act = mh_state_seat(state), .info = info, .omniscient = omniscient};
    const int64_t length = mh_words(game, observation, game->sizes.observation, &viewer, MH_WORDS_ALL, 0, text,
                                    text ? (int64_t)size : 0, NULL);
    return length < 0 ? 0 : (size_t)length;
}
