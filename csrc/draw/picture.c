/* Pictures from outside. */
#include "draw.h"
#include "mh_say.h"

int mh_picture(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
               const struct mh_viewer *viewer, int form, struct mh_scene *scene, char *message)
{
    struct mh_shown shown;
    if (!scene) {
        mh_message(message, "scene must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (form < 0 || form >= MH_FORMS) {
        mh_message(message, "form: %d, and it is MH_WIDE or MH_PORTRAIT", form);
        return MH_ERROR_ARGUMENT;
    }
    const int status = mh_say_begin(game, observation, bytes, viewer, &shown, message);
    if (status) {
        return status;
    }
    if (!game->rules->picture) {
        mh_message(message, "game: %s draws no picture in C", game->rules->spec->id);
        return MH_ERROR_ARGUMENT;
    }
    mh_scene_begin(scene, form);
    game->rules->picture(&shown, scene);
    return MH_OK;
}

int mh_game_sprites(const struct mh_game *game)
{
    return game ? game->rules->num_sprites : 0;
}

int mh_game_sprite_text(const struct mh_game *game, int sprite, char *text)
{
    if (!game || !text || sprite < 0 || sprite >= game->rules->num_sprites) {
        return MH_ERROR_ARGUMENT;
    }
    game->rules->sprite_text(sprite, text);
    return MH_OK;
}
