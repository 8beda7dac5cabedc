/* A game's table as JSON: what mh_game_describe answers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "mh_game.h"

static void write_sizes(struct mh_text *out, const struct mh_sizes *sizes)
{
    mh_json_key(out, "sizes");
    mh_json_open(out, '{');
    mh_json_key_int(out, "seats", sizes->seats);
    mh_json_key_int(out, "actions", sizes->actions);
    mh_json_key_int(out, "state", sizes->state);
    mh_json_key_int(out, "snapshot", sizes->snapshot);
    mh_json_key_int(out, "observation", sizes->observation);
    mh_json_key_int(out, "omniscient", sizes->omniscient);
    mh_json_key_int(out, "info", sizes->info);
    mh_json_key_int(out, "deck", sizes->deck);
    mh_json_close(out, '}');
}

/* A number, or null where there is none. */
static void write_bound(struct mh_text *out, const char *key, double value)
{
    mh_json_key(out, key);
    if (isfinite(value)) {
        mh_json_number(out, value);
    } else {
        mh_json_null(out);
    }
}

static void write_bounds(struct mh_text *out, const struct mh_game *game)
{
    struct mh_bounds bounds;
    game->rules->bounds(game->options, &bounds);
    mh_json_key(out, "bounds");
    mh_json_open(out, '{');
    write_bound(out, "lowest", bounds.lowest);
    write_bound(out, "highest", bounds.highest);
    write_bound(out, "sum", bounds.sum);
    write_bound(out, "decisions", bounds.decisions ? (double)bounds.decisions : NAN);
    mh_json_close(out, '}');
}

static void write_options(struct mh_text *out, const struct mh_game *game)
{
    const struct mh_spec *spec = game->rules->spec;
    mh_json_key(out, "options");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_options; i++) {
        const struct mh_option *option = &spec->options[i];
        const int flag = strcmp(option->choices, "off|on") == 0;
        mh_json_open(out, '{');
        mh_json_key_string(out, "name", option->name);
        mh_json_key_string(out, "kind", flag ? "bool" : option->choices[0] ? "choice" : "int");
        if (!flag && option->choices[0]) {
            mh_json_key(out, "choices");
            mh_json_open(out, '[');
            for (int32_t value = option->low; value <= option->high; value++) {
                mh_json_option(out, option, value);
            }
            mh_json_close(out, ']');
        }
        mh_json_key(out, "default");
        mh_json_option(out, option, option->standard);
        mh_json_key_int(out, "low", option->low);
        mh_json_key_int(out, "high", option->high);
        mh_json_key(out, "value");
        mh_json_option(out, option, game->options[i]);
        mh_json_key_string(out, "meaning", option->meaning);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
}

static void write_presets(struct mh_text *out, const struct mh_spec *spec)
{
    mh_json_key(out, "presets");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_presets; i++) {
        mh_json_open(out, '{');
        mh_json_key_string(out, "name", spec->presets[i].name);
        mh_json_key_string(out, "settings", spec->presets[i].settings);
        mh_json_key_string(out, "meaning", spec->presets[i].meaning);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
}

static void write_actions(struct mh_text *out, const struct mh_spec *spec)
{
    int32_t first = 0;
    mh_json_key(out, "actions");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_action_ranges; i++) {
        mh_json_open(out, '{');
        mh_json_key_string(out, "name", spec->action_ranges[i].name);
        mh_json_key_int(out, "first", first);
        mh_json_key_int(out, "count", spec->action_ranges[i].count);
        mh_json_key_string(out, "meaning", spec->action_ranges[i].meaning);
        mh_json_close(out, '}');
        first += spec->action_ranges[i].count;
    }
    mh_json_close(out, ']');
}

static void write_events(struct mh_text *out, const struct mh_spec *spec)
{
    mh_json_key(out, "events");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_events; i++) {
        mh_json_open(out, '{');
        mh_json_key_string(out, "name", spec->events[i].name);
        mh_json_key_int(out, "id", i);
        mh_json_key_string(out, "meaning", spec->events[i].meaning);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
}

/* A field's place, with seats as first axis where it lies in the seats' blocks. */
static void write_field(struct mh_text *out, const struct mh_field *field, int seats, int seat_offset, int stride,
                        int tail, int hint_offset, int is_public)
{
    const int per_seat = field->group == MH_GROUP_SEAT || field->group == MH_GROUP_SEAT_TAIL;
    const int count = field->group == MH_GROUP_SEAT_TAIL ? tail : field->count;
    const int base = per_seat ? seat_offset : field->group == MH_GROUP_HINT ? hint_offset : 0;
    mh_json_open(out, '{');
    mh_json_key_string(out, "name", field->name);
    mh_json_key_int(out, "offset", base + field->offset);
    mh_json_key(out, "shape");
    mh_json_open(out, '[');
    if (per_seat) {
        mh_json_int(out, seats);
    }
    if (count > 1) {
        mh_json_int(out, count);
    }
    mh_json_close(out, ']');
    mh_json_key(out, "strides");
    mh_json_open(out, '[');
    if (per_seat) {
        mh_json_int(out, stride);
    }
    if (count > 1) {
        mh_json_int(out, 1);
    }
    mh_json_close(out, ']');
    mh_json_key_int(out, "high", field->high);
    mh_json_key(out, "public");
    mh_json_bool(out, is_public);
    mh_json_key(out, "per_seat");
    mh_json_bool(out, per_seat);
    mh_json_key_string(out, "meaning", field->meaning);
    mh_json_close(out, '}');
}

static void write_observations(struct mh_text *out, const struct mh_game *game)
{
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_layout *layout = &game->layout;
    mh_json_key(out, "observation");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_fields; i++) {
        if (spec->fields[i].group != MH_GROUP_HINT || layout->hint_offset >= 0) {
            write_field(out, &spec->fields[i], game->sizes.seats, layout->seat_offset, layout->seat_stride,
                        layout->seat_tail, layout->hint_offset, mh_field_is_public(&spec->fields[i]));
        }
    }
    mh_json_close(out, ']');
    mh_json_key(out, "omniscient");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_hidden; i++) {
        write_field(out, &spec->hidden[i], game->sizes.seats, layout->hidden_seat_offset,
                    layout->hidden_seat_stride, 0, 0, 0);
    }
    mh_json_close(out, ']');
}

static void write_info(struct mh_text *out, const struct mh_spec *spec, int seats)
{
    static const char *const roles[] = {
        [MH_ROLE_ROUNDS] = "rounds", [MH_ROLE_WINNER] = "winner", [MH_ROLE_TOTAL] = "total"};
    mh_json_key(out, "info");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_info; i++) {
        mh_json_open(out, '{');
        mh_json_key_string(out, "name", spec->info[i].name);
        mh_json_key_int(out, "offset", spec->info[i].offset);
        mh_json_key_int(out, "count", spec->info[i].per_seat ? seats : spec->info[i].count);
        mh_json_key(out, "per_seat");
        mh_json_bool(out, spec->info[i].per_seat);
        mh_json_key(out, "role");
        if (spec->info[i].role == MH_ROLE_NONE) {
            mh_json_null(out);
        } else {
            mh_json_string(out, roles[spec->info[i].role]);
        }
        mh_json_key_string(out, "meaning", spec->info[i].meaning);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
}

/* Features and their places among the numbers of an afterstate; no key where a game has none. */
static void write_features(struct mh_text *out, const struct mh_spec *spec)
{
    int32_t offset = 0;
    if (!spec->num_features) {
        return;
    }
    mh_json_key(out, "features");
    mh_json_open(out, '[');
    for (int i = 0; i < spec->num_features; i++) {
        mh_json_open(out, '{');
        mh_json_key_string(out, "name", spec->features[i].name);
        mh_json_key_int(out, "offset", offset);
        mh_json_key_int(out, "count", spec->features[i].count);
        mh_json_key_string(out, "meaning", spec->features[i].meaning);
        mh_json_close(out, '}');
        offset += spec->features[i].count;
    }
    mh_json_close(out, ']');
}

/* An array of labels; `is_spoken`: those of cards, as playing cards are spoken. */
static void write_texts(struct mh_text *out, const char *name, const struct mh_labels *labels, int is_spoken)
{
    mh_json_key(out, name);
    mh_json_open(out, '[');
    for (int index = 0; index < labels->count; index++) {
        char text[MH_LABEL_SIZE];
        char spoken[MH_LABEL_SIZE];
        labels->text(index, text);
        if (is_spoken) {
            mh_spec_spoken(text, spoken);
        }
        mh_json_string(out, is_spoken ? spoken : text);
    }
    mh_json_close(out, ']');
}

static void write_labels(struct mh_text *out, const struct mh_spec *spec)
{
    const struct mh_labels *cards = NULL;
    int has_spoken = 0;
    mh_json_key(out, "labels");
    mh_json_open(out, '{');
    for (int i = 0; i < spec->num_labels; i++) {
        const struct mh_labels *labels = &spec->labels[i];
        write_texts(out, labels->name, labels, 0);
        cards = strcmp(labels->name, "cards") == 0 ? labels : cards;
        has_spoken |= strcmp(labels->name, "spoken") == 0;
    }
    if (cards && !has_spoken) {
        write_texts(out, "spoken", cards, 1);
    }
    mh_json_close(out, '}');
}

/* The cards of the deck by their numbers, as mh_state_deal takes them. */
static void write_deck(struct mh_text *out, const struct mh_game *game)
{
    uint8_t deck[UINT8_MAX + 1];
    game->rules->fill_deck(deck);
    mh_json_key(out, "deck");
    mh_json_open(out, '[');
    for (int i = 0; i < game->sizes.deck; i++) {
        mh_json_int(out, deck[i]);
    }
    mh_json_close(out, ']');
}

size_t mh_game_describe(const struct mh_game *game, char *text, size_t size)
{
    struct mh_text out;
    mh_text_begin(&out, text, text ? size : 0);
    if (!game) {
        return 0;
    }
    const struct mh_spec *spec = game->rules->spec;
    char layout[24];
    struct mh_text hex;
    mh_text_begin(&hex, layout, sizeof layout);
    mh_text_add(&hex, "%016" PRIx64, game->layout_hash);
    mh_json_open(&out, '{');
    mh_json_key_string(&out, "id", spec->id);
    mh_json_key_string(&out, "title", spec->title);
    mh_json_key_int(&out, "rules_version", spec->rules_version);
    mh_json_key_string(&out, "layout", layout);
    write_sizes(&out, &game->sizes);
    write_bounds(&out, game);
    write_options(&out, game);
    write_presets(&out, spec);
    write_actions(&out, spec);
    write_events(&out, spec);
    write_observations(&out, game);
    write_info(&out, spec, game->sizes.seats);
    write_features(&out, spec);
    write_labels(&out, spec);
    write_deck(&out, game);
    mh_json_key(&out, "bots");
    mh_json_open(&out, '[');
    for (int i = 0; i < game->num_bots; i++) {
        mh_json_open(&out, '{');
        mh_json_key_string(&out, "name", spec->bots[i].name);
        mh_json_key_string(&out, "meaning", spec->bots[i].meaning);
        mh_json_key(&out, "values");
        mh_json_bool(&out, game->bots[i].values != NULL);
        mh_json_close(&out, '}');
    }
    mh_json_close(&out, ']');
    mh_json_key_string(&out, "default_bot", spec->bots[mh_default_bot(game)].name);
    mh_json_close(&out, '}');
    return out.length;
}
