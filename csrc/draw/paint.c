#include "paint.h"

#include "base/mh_text.h"
#include "mh_game.h"
#include "words/mh_shown_fields.h"

static const double FARTHEST = 1e6; /* pixels */

/* The labels of a game's cards; NULL: it has none. */
static const struct mh_labels *cards_of(const struct mh_game *game)
{
    return game ? mh_labels_of(game->rules->spec, "card", strlen("card")) : NULL;
}

static int is_near(double number)
{
    return number >= -FARTHEST && number <= FARTHEST; /* NaN is not */
}

static int is_color(int color)
{
    return color >= 0 && color <= mh_palette_size();
}

static int is_within(int start, int length, int used)
{
    return start >= 0 && length >= 0 && start <= used && length <= used - start;
}

/* Bounds of the indices of a shape. */
struct bounds {
    int sprites, cards, used;
};

static const char *fault_of(const struct mh_shape *shape, const struct bounds *bounds)
{
    const double numbers[] = {shape->x,      shape->y,     shape->w,     shape->h,
                              shape->radius, shape->width, shape->scale, shape->opacity};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!is_near(numbers[i])) {
            return "a number is not finite, or too far away";
        }
    }
    if (shape->kind > MH_SPRITE || shape->anchor > MH_END || shape->zone > MH_RESULT) {
        return "its kind, anchor or zone is none";
    }
    if (!is_color(shape->fill) || !is_color(shape->stroke)) {
        return "a colour is none of the palette";
    }
    if (shape->kind == MH_TEXT && !is_within(shape->text, shape->length, bounds->used)) {
        return "its text is not within the texts";
    }
    if (shape->kind == MH_SPRITE && (shape->sprite < 0 || shape->sprite >= bounds->sprites)) {
        return "its sprite is none";
    }
    if (shape->card < -1 || shape->card >= bounds->cards) {
        return "its card is none of the game's";
    }
    if (shape->w < 0 || shape->h < 0 || shape->radius < 0 || shape->width < 0 || shape->scale < 0) {
        return "a size is less than 0";
    }
    return shape->opacity < 0 || shape->opacity > 1 ? "its opacity is not from 0 to 1" : NULL;
}

int mh_paint_check(const struct mh_game *game, const struct mh_scene *scene, int look, char *message)
{
    if (!scene) {
        mh_message(message, "scene must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (look < 0 || (look & ~MH_LOOK_SAFE_SUITS) > MH_LOOK_DARK) {
        mh_message(message, "look: %d, and it is a palette of enum mh_look, perhaps with MH_LOOK_SAFE_SUITS", look);
        return MH_ERROR_ARGUMENT;
    }
    if (scene->w < 1 || scene->h < 1 || scene->w > MH_MAX_PIXELS || scene->h > MH_MAX_PIXELS) {
        mh_message(message, "scene: it has %d x %d pixels, and sides are from 1 to %d", scene->w, scene->h,
                   MH_MAX_PIXELS);
        return MH_ERROR_ARGUMENT;
    }
    if (scene->count < 0 || scene->count > MH_MAX_SHAPES || scene->used < 0 || scene->used > MH_MAX_TEXTS ||
        !is_within(scene->title, scene->title_length, scene->used) || !is_color(scene->background)) {
        mh_message(message, "scene: its shapes, texts, title or background are out of range");
        return MH_ERROR_ARGUMENT;
    }
    const struct mh_labels *cards = cards_of(game);
    const int sprites = game ? mh_game_sprites(game) : mh_sprite_count();
    const struct bounds bounds = {sprites, cards ? cards->count : 0, scene->used};
    for (int i = 0; i < scene->count; i++) {
        const char *fault = fault_of(&scene->shapes[i], &bounds);
        if (fault) {
            mh_message(message, "scene: shape %d: %s", i, fault);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

const struct mh_sprite *mh_paint_sprite(const struct mh_game *game, int sprite)
{
    char name[MH_TEXT_SIZE];
    if (!game) {
        return mh_sprite_at(sprite);
    }
    return mh_game_sprite_text(game, sprite, name) == MH_OK ? mh_sprite_named(name) : NULL;
}

int mh_paint_is_long(const char *text, int length)
{
    int characters = 0;
    for (int i = 0; i < length && characters < 2; i++) {
        characters += ((uint8_t)text[i] & 0xC0) != 0x80; /* where one begins in UTF-8 */
    }
    return characters > 1;
}

const char *mh_paint_zone(int zone)
{
    static const char *const zones[] = {"", "hand", "drawn", "meld", "discards", "offer", "pile", "result"};
    return zones[zone];
}

void mh_paint_card(const struct mh_game *game, int card, char *text)
{
    text[0] = '\0';
    if (card >= 0) {
        cards_of(game)->text(card, text);
    }
}
