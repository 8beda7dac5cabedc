/* Fuzzes words and pictures: what is said and drawn of an observation whatever its bytes are. It is refused with a
 * message, or said in UTF-8 without control characters; and the same again, whatever lies in the buffer and however
 * small that is.
 *
 * Input: bytes that pick the variant, the seed, the viewer, what is given beside the observation, how bytes are
 * changed, the part, its number and how many actions are played; then these actions, the n-th legal one for a byte, and
 * the changes. What is missing is 0. */
#include <stdlib.h>
#include <string.h>

#include "draw/generic.h"
#include "fuzz.h"
#include "fuzz_variants.h"
#include "words/mh_say.h"

enum { NAME = 80 };

struct fuzz {
    const uint8_t *data; /* what is left of the input */
    size_t size;
    struct mh_game *game;
    uint64_t *state;
    uint8_t *observation, *omniscient; /* each has a separate block, so that reads beyond it are seen */
    int64_t *info;
    int8_t *mask;
    char names[MH_MAX_SEATS][NAME];
    const char *named[MH_MAX_SEATS];
    struct mh_viewer viewer;
};

static int take(struct fuzz *self)
{
    if (!self->size) {
        return 0;
    }
    self->size--;
    return *self->data++;
}

static void *memory(size_t size)
{
    void *block = calloc(1, size ? size : 1);
    require(block != NULL);
    return block;
}

/* ---- An observation that play leads to ------------------------------------------------------------------------ */

static void play(struct fuzz *self, int count)
{
    for (int i = 0; i < count && mh_state_seat(self->state) != MH_OVER; i++) {
        if (mh_state_seat(self->state) == MH_BETWEEN_ROUNDS) {
            require(mh_state_next_round(self->game, self->state, NULL) == MH_OK);
            continue;
        }
        require(mh_state_mask(self->game, self->state, self->mask) == MH_OK);
        int action = -1;
        for (int left = take(self); left >= 0;) {
            action = action + 1 == self->game->sizes.actions ? 0 : action + 1;
            left -= self->mask[action];
        }
        require(mh_state_apply_only(self->game, self->state, action, NULL) == MH_OK);
    }
}

static void look(struct fuzz *self, int seat)
{
    const int to_act = mh_state_seat(self->state);
    self->viewer = (struct mh_viewer){.seat = seat, .to_act = to_act < 0 || to_act == seat ? to_act : MH_NOT_KNOWN};
    if (seat < 0) {
        require(mh_state_watch(self->game, self->state, self->observation) == MH_OK);
    } else {
        require(mh_state_observe(self->game, self->state, seat, self->observation) == MH_OK);
    }
    require(mh_state_omniscient(self->game, self->state, self->omniscient) == MH_OK);
    require(mh_state_info(self->game, self->state, self->info) == MH_OK);
    require(mh_state_mask(self->game, self->state, self->mask) == MH_OK);
}

/* ---- Changes -------------------------------------------------------------------------------------------------- */

/* The highest value of each byte, as its row says. */
static void find_highs(const struct mh_field *fields, int count, const struct mh_layout *layout, int seats,
                       int offset, int stride, uint8_t *highs)
{
    for (int i = 0; i < count; i++) {
        const int is_tail = fields[i].group == MH_GROUP_SEAT_TAIL;
        const int per_seat = is_tail || fields[i].group == MH_GROUP_SEAT;
        const int is_hint = fields[i].group == MH_GROUP_HINT;
        const int start = per_seat ? offset : is_hint ? layout->hint_offset : 0;
        for (int block = 0; start >= 0 && block < (per_seat ? seats : 1); block++) {
            memset(highs + start + fields[i].offset + block * stride, fields[i].high,
                   (size_t)(is_tail ? layout->seat_tail : fields[i].count));
        }
    }
}

enum { AS_IT_IS, FEW, ALL, ANY, WAYS };

/* Changes three bytes within their highest values, or all, or all to anything. */
static void change(struct fuzz *self, int way, const uint8_t *highs, uint8_t *bytes, int count)
{
    for (int i = 0; way == FEW && count && i < 3; i++) {
        const int low = take(self);
        const int place = (low | take(self) << 8) % count;
        bytes[place] = (uint8_t)(take(self) % (highs[place] + 1));
    }
    for (int i = 0; (way == ALL || way == ANY) && i < count; i++) {
        bytes[i] = (uint8_t)(way == ALL ? take(self) % (highs[i] + 1) : take(self));
    }
}

static void change_info(struct fuzz *self, int way)
{
    for (int i = 0; way == FEW && i < 3; i++) {
        const int place = take(self) % self->game->sizes.info;
        self->info[place] = (int8_t)take(self);
    }
    for (int i = 0; (way == ALL || way == ANY) && i < self->game->sizes.info; i++) {
        const int64_t number = (int8_t)take(self);
        self->info[i] = way == ANY ? (int64_t)((uint64_t)number << take(self) % 64) : number;
    }
}

static void change_all(struct fuzz *self, int way)
{
    const struct mh_game *game = self->game;
    const struct mh_spec *spec = game->rules->spec;
    const struct mh_layout *layout = &game->layout;
    uint8_t *highs = memory((size_t)game->sizes.observation);
    find_highs(spec->fields, spec->num_fields, layout, game->sizes.seats, layout->seat_offset, layout->seat_stride,
               highs);
    change(self, way % WAYS, highs, self->observation, game->sizes.observation);
    free(highs);
    highs = memory((size_t)game->sizes.omniscient);
    find_highs(spec->hidden, spec->num_hidden, layout, game->sizes.seats, layout->hidden_seat_offset,
               layout->hidden_seat_stride, highs);
    change(self, way / WAYS % WAYS, highs, self->omniscient, game->sizes.omniscient);
    free(highs);
    change_info(self, way / WAYS / WAYS % WAYS);
    for (int i = 0; way / WAYS / WAYS / WAYS == ANY && i < game->sizes.actions; i++) {
        self->mask[i] = (int8_t)take(self);
    }
}

/* Facts that are given beside the observation, by bits. */
static void give(struct fuzz *self, int given)
{
    if (given & 1) {
        self->viewer.info = self->info;
    }
    if (given & 2) {
        self->viewer.omniscient = self->omniscient;
    }
    if (given & 4) {
        self->viewer.mask = self->mask;
    }
    if (given & 8) {
        self->viewer.names = self->named;
        for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
            self->named[seat] = self->names[seat];
            for (int i = take(self) % NAME; i > 0; i--) {
                self->names[seat][i - 1] = (char)take(self);
            }
        }
    }
    if (given & 16) {
        self->viewer.to_act = take(self) % (MH_MAX_SEATS - MH_NOT_KNOWN + 2) + MH_NOT_KNOWN - 1;
    }
    if (given & 32) {
        self->viewer.seat = take(self) % (MH_MAX_SEATS + 2) - 1;
    }
}

/* ---- What must be so -------------------------------------------------------------------------------------------- */

/* True if a text is printable: UTF-8 without controls but for line ends. */
static int is_printable(const char *text, size_t length)
{
    const uint8_t *at = (const uint8_t *)text;
    const uint8_t *end = at + length;
    while (at < end) {
        static const uint32_t lowest[] = {0, 0x80, 0x800, 0x10000};
        const int more = at[0] < 0x80 ? 0 : at[0] >> 5 == 6 ? 1 : at[0] >> 4 == 14 ? 2 : at[0] >> 3 == 30 ? 3 : -1;
        if (more < 0 || end - at <= more) {
            return 0;
        }
        uint32_t code = more ? at[0] & (0x3Fu >> more) : at[0];
        for (int i = 1; i <= more; i++) {
            if (at[i] >> 6 != 2) {
                return 0;
            }
            code = code << 6 | (at[i] & 0x3Fu);
        }
        const int is_control = (code < 0x20 && code != '\n') || (code >= 0x7F && code < 0xA0);
        if (code < lowest[more] || code > 0x10FFFF || code >> 11 == 27 || is_control) {
            return 0;
        }
        at += more + 1;
    }
    return 1;
}

static int is_message(const char *message)
{
    const size_t length = strlen(message);
    return length > 0 && length < MH_MESSAGE_SIZE && !strchr(message, '\n') && is_printable(message, length);
}

typedef int64_t say(struct fuzz *self, int part, int number, char *text, int64_t size, char *message);

static int64_t say_words(struct fuzz *self, int part, int number, char *text, int64_t size, char *message)
{
    return mh_words(self->game, self->observation, self->game->sizes.observation, &self->viewer, part, number, text,
                    size, message);
}

static int64_t say_rows(struct fuzz *self, int part, int number, char *text, int64_t size, char *message)
{
    const int32_t seat = self->viewer.seat;
    const int32_t to_act = self->viewer.to_act;
    const struct mh_words_rows rows = {.count = 1,
                                       .observations = self->observation,
                                       .seats = &seat,
                                       .to_act = &to_act,
                                       .info = self->viewer.info,
                                       .masks = self->viewer.mask,
                                       .names = self->viewer.names};
    int64_t starts[2];
    const int64_t length = mh_words_rows(self->game, &rows, part, number, text, size, starts, message);
    require(length < 0 || (starts[0] == 0 && starts[1] == length));
    return length;
}

static int64_t say_event(struct fuzz *self, int part, int number, char *text, int64_t size, char *message)
{
    const uint8_t *from = self->observation; /* four bytes that a viewer may have been sent */
    return mh_words_event(self->game, &self->viewer, part % 8 - 1, number, from[0], from[1], text, size, message);
}

/* Says it into no buffer, a poisoned one and one that is too small. */
static void check(struct fuzz *self, say *words, int part, int number)
{
    char message[MH_MESSAGE_SIZE];
    memset(message, 'x', sizeof message);
    const int64_t length = words(self, part, number, NULL, 0, message);
    if (length < 0) {
        require(length == MH_ERROR_ARGUMENT && is_message(message));
        require(words(self, part, number, NULL, 0, NULL) == length);
        return;
    }
    char *text = memory((size_t)length + 1);
    memset(text, 0xFF, (size_t)length + 1);
    require(words(self, part, number, text, length + 1, message) == length);
    require(strlen(text) == (size_t)length && is_printable(text, (size_t)length));
    require(words == say_event || part == MH_WORDS_MOVE || !length || text[length - 1] == '\n');
    const size_t half = (size_t)length / 2 + 1;
    char *less = memory(half);
    memset(less, 0x01, half);
    require(words(self, part, number, less, (int64_t)half, message) == length);
    require(less[half - 1] == '\0' && memcmp(less, text, half - 1) == 0);
    free(text);
    free(less);
}

static int is_finite(const struct mh_shape *shape)
{
    const double numbers[] = {shape->x,      shape->y,     shape->w,     shape->h,
                              shape->radius, shape->width, shape->scale, shape->opacity};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!(numbers[i] >= -1000 && numbers[i] <= 10000)) {
            return 0;
        }
    }
    return 1;
}

static int is_shape(const struct fuzz *self, int sprites, const struct mh_scene *scene,
                    const struct mh_shape *shape)
{
    const struct mh_game *game = self->game;
    const int is_sprite = shape->kind == MH_SPRITE;
    const int is_text = shape->kind == MH_TEXT;
    return shape->kind <= MH_SPRITE && shape->fill <= MH_DARK && shape->stroke <= MH_DARK &&
           shape->anchor <= MH_END && shape->zone <= MH_RESULT && shape->seat >= -1 &&
           shape->seat < game->sizes.seats && (is_sprite ? shape->sprite >= 0 : shape->sprite == -1) &&
           shape->sprite < sprites && shape->card >= -1 && shape->action >= -1 &&
           shape->action < game->sizes.actions && (shape->action < 0 || self->mask[shape->action]) &&
           is_text == (shape->length > 0) && shape->text >= 0 && shape->text + shape->length <= scene->used &&
           is_finite(shape);
}

/* Draws the game's picture, or the one that it would have if it brought none. */
static int draw(const struct fuzz *self, int form, int is_generic, struct mh_scene *scene, char *message)
{
    struct mh_shown shown;
    if (!is_generic) {
        return mh_picture(self->game, self->observation, self->game->sizes.observation, &self->viewer, form, scene,
                          message);
    }
    const int status =
        mh_say_begin(self->game, self->observation, self->game->sizes.observation, &self->viewer, &shown, message);
    if (status == MH_OK) {
        mh_scene_begin(scene, form);
        mh_generic_picture(&shown, scene);
    }
    return status;
}

/* Writes a picture into memory of just the size that it needs. */
static void check_written(const struct fuzz *self, const struct mh_scene *scene, int way)
{
    static const int looks[] = {MH_LOOK_FELT, MH_LOOK_LIGHT, MH_LOOK_DARK | MH_LOOK_SAFE_SUITS};
    const int look = looks[way % 3];
    const double scale = (1 + way % 7) / 16.0;
    char message[MH_MESSAGE_SIZE];
    const int64_t length = mh_scene_svg(self->game, scene, look, NULL, 0, message);
    const int64_t bytes = mh_scene_pixels(self->game, scene, look, scale, NULL, 0, message);
    require(length > 0 && bytes > 0);
    char *text = memory((size_t)length + 1);
    uint8_t *pixels = memory((size_t)bytes);
    require(mh_scene_svg(self->game, scene, look, text, length + 1, message) == length);
    require(strlen(text) == (size_t)length && strcmp(text + length - 7, "</svg>\n") == 0);
    require(mh_scene_pixels(self->game, scene, look, scale, pixels, bytes, message) == bytes);
    free(text);
    free(pixels);
    const int64_t rows = mh_scene_rows(self->game, scene, NULL, 0, message);
    require(rows > 0);
    text = memory((size_t)rows + 1);
    require(mh_scene_rows(self->game, scene, text, rows + 1, message) == rows);
    require(strlen(text) == (size_t)rows && strcmp(text + rows - 3, "]]\n") == 0);
    free(text);
}

/* Draws it twice, into memory with something else in it. */
static void check_picture(struct fuzz *self, int form, int is_generic, int way)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_scene *scene = memory(sizeof *scene);
    struct mh_scene *other = memory(sizeof *other);
    memset(scene, 0xFF, sizeof *scene);
    memset(message, 'x', sizeof message);
    const int sprites = is_generic ? (int)MH_GENERIC_SPRITES : mh_game_sprites(self->game);
    const int status = draw(self, form, is_generic, scene, message);
    if (status != MH_OK) {
        require(status == MH_ERROR_ARGUMENT && is_message(message));
    } else {
        draw(self, form, is_generic, other, NULL);
        require(scene->count > 0 && scene->count <= MH_MAX_SHAPES && scene->used <= MH_MAX_TEXTS);
        require(memcmp(scene, other, offsetof(struct mh_scene, shapes)) == 0);
        require(memcmp(scene->shapes, other->shapes, sizeof *scene->shapes * (size_t)scene->count) == 0);
        require(memcmp(scene->texts, other->texts, (size_t)scene->used) == 0);
        require(is_printable(scene->texts, (size_t)scene->used));
        for (int i = 0; i < scene->count; i++) {
            require(is_shape(self, sprites, scene, &scene->shapes[i]));
        }
        if (!is_generic) { /* the other one has sprites that this game has not */
            check_written(self, scene, way);
        }
    }
    free(scene);
    free(other);
}

/* The cards of a move, of any action. */
static void check_move(struct fuzz *self, int action)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_move_card cards[MH_MOVE_CARDS];
    memset(message, 'x', sizeof message);
    const int count = mh_move_cards(self->game, self->observation, self->game->sizes.observation, &self->viewer,
                                    action, cards, message);
    require(count >= 0 ? count <= MH_MOVE_CARDS : count == MH_ERROR_ARGUMENT && is_message(message));
    for (int i = 0; i < count; i++) {
        require(cards[i].sprite >= -1 && cards[i].sprite < mh_game_sprites(self->game) && cards[i].card >= -1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz fuzz = {.data = data, .size = size};
    const struct variant variant = pick_variant(take(&fuzz));
    require(mh_game_new(variant.game, variant.options, NULL, &fuzz.game) == MH_OK);
    const struct mh_sizes *sizes = &fuzz.game->sizes;
    fuzz.state = memory((size_t)sizes->state);
    fuzz.observation = memory((size_t)sizes->observation);
    fuzz.omniscient = memory((size_t)sizes->omniscient);
    fuzz.info = memory(sizeof *fuzz.info * (size_t)sizes->info);
    fuzz.mask = memory((size_t)sizes->actions);
    require(mh_state_reset(fuzz.game, fuzz.state, (uint64_t)take(&fuzz), NULL) == MH_OK);
    const int seat = take(&fuzz) % (sizes->seats + 1) - 1;
    const int given = take(&fuzz);
    const int way = take(&fuzz);
    const int part = take(&fuzz);
    const int number = take(&fuzz);
    play(&fuzz, take(&fuzz));
    look(&fuzz, seat);
    give(&fuzz, given & 15);
    check(&fuzz, say_words, part % (MH_WORDS_MOVES + 1), part % (MH_WORDS_MOVES + 1) == MH_WORDS_SEAT ? 1 : 0);
    require(say_words(&fuzz, MH_WORDS_ALL, 0, NULL, 0, NULL) > 0); /* what play leads to is said */
    give(&fuzz, given & 48);
    change_all(&fuzz, way);
    check(&fuzz, say_words, MH_WORDS_ALL, 0);
    check(&fuzz, say_words, part % (MH_WORDS_MOVE + 3) - 1, number - 1);
    check(&fuzz, say_rows, MH_WORDS_ALL, 0);
    check(&fuzz, say_event, part, number);
    check_picture(&fuzz, part % MH_FORMS, 0, number & 255);
    check_picture(&fuzz, part % MH_FORMS, 1, 0);
    check_move(&fuzz, number * 4 + part % 4 - 1);
    free(fuzz.state);
    free(fuzz.observation);
    free(fuzz.omniscient);
    free(fuzz.info);
    free(fuzz.mask);
    mh_game_free(&fuzz.game);
    return 0;
}
