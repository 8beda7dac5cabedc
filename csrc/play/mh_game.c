/* Games by id, their options by name, their actions by text. */
#include "mh_bots.h"
#include "mh_search.h"

#include <stdlib.h>
#include <string.h>

const char *mh_status_name(int status)
{
    static const char *const names[] = {
        "MH_OK",         "MH_ERROR_ARGUMENT", "MH_ERROR_GAME",  "MH_ERROR_OPTION", "MH_ERROR_ACTION",
        "MH_ERROR_OVER", "MH_ERROR_SNAPSHOT", "MH_ERROR_ORDER", "MH_ERROR_MEMORY", "MH_ERROR_BETWEEN"};
    const int index = -status;
    return index >= 0 && index < (int)(sizeof names / sizeof *names) ? names[index] : "unknown status";
}

int mh_game_count(void)
{
    return mh_registry_size;
}

const char *mh_game_id(int index)
{
    return index >= 0 && index < mh_registry_size ? mh_registry[index]->spec->id : NULL;
}

/* ---- Options --------------------------------------------------------------------------------------------- */

/* One `name=value` of an options text; not terminated by a zero. */
struct setting {
    const char *name, *value;
    int name_length, value_length;
};

static int same(const char *word, const char *text, int length)
{
    return strncmp(word, text, (size_t)length) == 0 && word[length] == '\0';
}

/* Reads the next setting. Returns 1, 0 at the end of the text, or MH_ERROR_OPTION. */
static int next_setting(const char **text, struct setting *setting, char *message)
{
    const char *begin = *text + strspn(*text, " ");
    const int length = (int)strcspn(begin, " ");
    *text = begin + length;
    if (length == 0) {
        return 0;
    }
    const char *equals = memchr(begin, '=', (size_t)length);
    if (!equals || equals == begin) {
        mh_message(message, "options: '%.*s' is not of the form name=value", length > 60 ? 60 : length, begin);
        return MH_ERROR_OPTION;
    }
    *setting = (struct setting){begin, equals + 1, (int)(equals - begin), (int)(begin + length - equals - 1)};
    return 1;
}

/* The place of `word` among choices such as "off|on", or -1. */
static int choice_index(const char *choices, const char *word, int length)
{
    for (int index = 0; *choices; index++) {
        const int here = (int)strcspn(choices, "|");
        if (here == length && strncmp(choices, word, (size_t)length) == 0) {
            return index;
        }
        choices += here + (choices[here] == '|');
    }
    return -1;
}

static int parse_value(const struct mh_option *option, const struct setting *setting, int32_t *value, char *message)
{
    const int length = setting->value_length > 40 ? 40 : setting->value_length;
    if (option->choices[0]) {
        const int index = choice_index(option->choices, setting->value, setting->value_length);
        if (index < 0) {
            mh_message(message, "option %s: '%.*s' is none of %s", option->name, length, setting->value,
                       option->choices);
            return MH_ERROR_OPTION;
        }
        *value = index;
        return MH_OK;
    }
    char digits[24] = "";
    if (setting->value_length < (int)sizeof digits) {
        memcpy(digits, setting->value, (size_t)setting->value_length);
    }
    char *end;
    const long long number = strtoll(digits, &end, 10);
    if (end == digits || *end || number < option->low || number > option->high) {
        mh_message(message, "option %s: '%.*s' is not a whole number from %d to %d", option->name, length,
                   setting->value, (int)option->low, (int)option->high);
        return MH_ERROR_OPTION;
    }
    *value = (int32_t)number;
    return MH_OK;
}

static int unknown_option(const struct mh_spec *spec, const struct setting *setting, char *message)
{
    char names[MH_MESSAGE_SIZE];
    struct mh_text list;
    mh_text_begin(&list, names, sizeof names);
    for (int i = 0; i < spec->num_options; i++) {
        mh_text_add(&list, " %s", spec->options[i].name);
    }
    mh_message(message, "option '%.*s' is unknown to %s; it has rules%s",
               setting->name_length > 40 ? 40 : setting->name_length, setting->name, spec->id, names);
    return MH_ERROR_OPTION;
}

/* Sets the options of a text, all but `rules`; an option given twice is refused. */
static int apply_settings(const struct mh_spec *spec, const char *text, int32_t *options, char *message)
{
    uint32_t given = 0;
    struct setting setting;
    int status;
    while ((status = next_setting(&text, &setting, message)) > 0) {
        int index = 0;
        while (index < spec->num_options && !same(spec->options[index].name, setting.name, setting.name_length)) {
            index++;
        }
        if (index == spec->num_options) {
            if (same("rules", setting.name, setting.name_length)) {
                continue;
            }
            return unknown_option(spec, &setting, message);
        }
        if (given >> index & 1) {
            mh_message(message, "option %s is given twice", spec->options[index].name);
            return MH_ERROR_OPTION;
        }
        given |= 1u << index;
        status = parse_value(&spec->options[index], &setting, &options[index], message);
        if (status != MH_OK) {
            return status;
        }
    }
    return status;
}

/* Sets the options of the presets that a text names by rules=..., in their order. */
static int apply_presets(const struct mh_spec *spec, const char *text, int32_t *options, char *message)
{
    struct setting setting;
    int status;
    while ((status = next_setting(&text, &setting, message)) > 0) {
        if (!same("rules", setting.name, setting.name_length)) {
            continue;
        }
        int index = 0;
        while (index < spec->num_presets && !same(spec->presets[index].name, setting.value, setting.value_length)) {
            index++;
        }
        if (index == spec->num_presets) {
            char names[MH_MESSAGE_SIZE];
            struct mh_text list;
            mh_text_begin(&list, names, sizeof names);
            for (int i = 0; i < spec->num_presets; i++) {
                mh_text_add(&list, "%s%s", i ? ", " : "", spec->presets[i].name);
            }
            mh_message(message, "option rules: '%.*s' is no preset of %s; it has %s",
                       setting.value_length > 40 ? 40 : setting.value_length, setting.value, spec->id, names);
            return MH_ERROR_OPTION;
        }
        status = apply_settings(spec, spec->presets[index].settings, options, message);
        if (status != MH_OK) {
            return status;
        }
    }
    return status;
}

/* ---- Games ----------------------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u; /* FNV-1a */
    }
    return (hash ^ 0xFF) * 0x100000001B3u;
}

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    for (int shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ (uint64_t)((number >> shift) & 0xFF)) * 0x100000001B3u;
    }
    return hash;
}

static uint64_t hash_fields(uint64_t hash, const struct mh_field *fields, int count)
{
    hash = hash_number(hash, count);
    for (int i = 0; i < count; i++) {
        hash = hash_text(hash, fields[i].name);
        hash = hash_number(hash, fields[i].group);
        hash = hash_number(hash, fields[i].offset);
        hash = hash_number(hash, fields[i].count);
    }
    return hash;
}

/* A number that differs whenever states or observations of two builds must not be mixed; it does not depend on the
 * machine. */
static uint64_t layout_hash(const struct mh_game *game)
{
    const struct mh_spec *spec = game->rules->spec;
    uint64_t hash = hash_text(0xCBF29CE484222325u, spec->id);
    hash = hash_number(hash, spec->rules_version);
    hash = hash_number(hash, game->sizes.state);
    for (int i = 0; i < game->rules->num_members; i++) {
        hash = hash_number(hash, game->rules->members[i].offset);
        hash = hash_number(hash, game->rules->members[i].width);
    }
    hash = hash_number(hash, game->sizes.observation);
    for (int i = 0; i < spec->num_options; i++) {
        hash = hash_text(hash, spec->options[i].name);
    }
    for (int i = 0; i < spec->num_action_ranges; i++) {
        hash = hash_text(hash, spec->action_ranges[i].name);
        hash = hash_number(hash, spec->action_ranges[i].count);
    }
    hash = hash_fields(hash, spec->fields, spec->num_fields);
    return hash_fields(hash, spec->hidden, spec->num_hidden);
}

static const struct mh_rules *find_rules(const char *id, char *message)
{
    char names[MH_MESSAGE_SIZE];
    struct mh_text list;
    mh_text_begin(&list, names, sizeof names);
    for (int i = 0; i < mh_registry_size; i++) {
        if (strcmp(mh_registry[i]->spec->id, id) == 0) {
            return mh_registry[i];
        }
        mh_text_add(&list, "%s%s", i ? ", " : "", mh_registry[i]->spec->id);
    }
    mh_message(message, "no game '%.40s'; there is %s", id, names);
    return NULL;
}

static int read_options(const struct mh_rules *rules, const char *text, int32_t *options, char *message)
{
    for (int i = 0; i < rules->spec->num_options; i++) {
        options[i] = rules->spec->options[i].standard;
    }
    int status = apply_presets(rules->spec, text, options, message);
    if (status == MH_OK) {
        status = apply_settings(rules->spec, text, options, message);
    }
    if (status == MH_OK && rules->check_options) {
        status = rules->check_options(options, message);
    }
    return status;
}

/* The game with these options, which owns its surrogate; NULL: there is no memory. */
static struct mh_game *make_game(const struct mh_rules *rules, const int32_t *options, struct mh_game *surrogate)
{
    struct mh_game *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->rules = rules;
    self->surrogate = surrogate;
    memcpy(self->options, options, sizeof self->options);
    rules->layout(options, &self->sizes, &self->layout);
    self->sizes.snapshot = (int32_t)MH_SNAPSHOT_HEADER + self->sizes.state;
    self->sizes.row = (int32_t)MH_ROW_HEADER + self->sizes.snapshot;
    self->sizes.piece = (int32_t)sizeof(struct mh_piece) + (self->sizes.state + 7) / 8 * 8;
    self->sizes.tally = 1;
    while (mh_spec_role(rules->spec, MH_ROLE_TOTAL, self->sizes.tally - 1)) {
        self->sizes.tally++;
    }
    self->legal_words = (self->sizes.actions + 63) / 64;
    self->layout_hash = layout_hash(self);
    if (mh_bots_new(self) != MH_OK) {
        free(self);
        return NULL;
    }
    return self;
}

/* The game, and its surrogate before it, whose nets it may play by. */
static struct mh_game *make_both(const struct mh_rules *rules, const int32_t *options)
{
    int32_t paid[MH_MAX_OPTIONS];
    memcpy(paid, options, sizeof paid);
    if (!rules->surrogate || !rules->surrogate(paid)) {
        return make_game(rules, options, NULL);
    }
    struct mh_game *surrogate = make_game(rules, paid, NULL);
    struct mh_game *made = surrogate ? make_game(rules, options, surrogate) : NULL;
    if (!made) {
        mh_game_free(&surrogate);
    }
    return made;
}

int mh_game_new(const char *id, const char *options, char *message, struct mh_game **game)
{
    if (!id || !game) {
        mh_message(message, "id and game must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    const struct mh_rules *rules = find_rules(id, message);
    if (!rules) {
        return MH_ERROR_GAME;
    }
    int32_t values[MH_MAX_OPTIONS] = {0};
    const int status = read_options(rules, options ? options : "", values, message);
    if (status != MH_OK) {
        return status;
    }
    struct mh_game *made = make_both(rules, values);
    if (!made) {
        mh_message(message, "no memory for a game");
        return MH_ERROR_MEMORY;
    }
    *game = made;
    return MH_OK;
}

void mh_game_free(struct mh_game **game)
{
    if (game && *game) {
        mh_game_free(&(*game)->surrogate);
        mh_bots_free(*game);
        free(*game);
        *game = NULL;
    }
}

int mh_game_sizes(const struct mh_game *game, struct mh_sizes *sizes)
{
    if (!game || !sizes) {
        return MH_ERROR_ARGUMENT;
    }
    *sizes = game->sizes;
    return MH_OK;
}

int mh_game_bounds(const struct mh_game *game, struct mh_bounds *bounds)
{
    if (!game || !bounds) {
        return MH_ERROR_ARGUMENT;
    }
    game->rules->bounds(game->options, bounds);
    return MH_OK;
}

int mh_check_deck(const struct mh_game *game, const uint8_t *deck, int count, char *message)
{
    if (!deck || count != game->sizes.deck) {
        mh_message(message, "deck: %d cards given, %s has %d", deck ? count : 0, game->rules->spec->id,
                   (int)game->sizes.deck);
        return MH_ERROR_ARGUMENT;
    }
    uint8_t cards[UINT8_MAX + 1];
    game->rules->fill_deck(cards);
    return mh_check_cards(deck, cards, count, message);
}

int mh_action_text(const struct mh_game *game, int action, char *text)
{
    if (!game || !text || action < 0 || action >= game->sizes.actions) {
        return MH_ERROR_ARGUMENT;
    }
    game->rules->action_text(action, text);
    return MH_OK;
}

int mh_game_event_text(const struct mh_game *game, int kind, int detail, int extra, char *text)
{
    if (!game || !text || kind < 0 || kind >= game->rules->spec->num_events || detail < 0 || detail > UINT8_MAX ||
        extra < 0 || extra > UINT8_MAX || !game->rules->event_fits(game->sizes.seats, kind, detail, extra)) {
        return MH_ERROR_ARGUMENT;
    }
    game->rules->event_text(kind, detail, extra, text);
    return MH_OK;
}

int mh_action_id(const struct mh_game *game, const char *text)
{
    if (!game || !text) {
        return MH_ERROR_ARGUMENT;
    }
    for (int action = 0; action < game->sizes.actions; action++) {
        char here[MH_TEXT_SIZE];
        game->rules->action_text(action, here);
        if (strcmp(here, text) == 0) {
            return action;
        }
    }
    return MH_ERROR_ARGUMENT;
}
