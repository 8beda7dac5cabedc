/* Pictures from outside. */
#include "draw.h"
#include "generic.h"
#include "words/mh_say.h"

int mh_picture(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
               const struct mh_viewer *viewer, int form, struct mh_scene *scene, char *message)
{
    struct mh_shown shown;
    if (!scene) {
        mh_message(message, "scene must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (form < 0 || form >= MH_FORMS) {
        mh_message(message, "form: %d, and it is MH_WIDE, MH_PORTRAIT or MH_SHARE", form);
        return MH_ERROR_ARGUMENT;
    }
    const int status = mh_say_begin(game, observation, bytes, viewer, &shown, message);
    if (status) {
        return status;
    }
    if (form == MH_SHARE && viewer->to_act != MH_OVER) {
        mh_message(message, "form: the episode is not over, or nobody knows how it ended");
        return MH_ERROR_ARGUMENT;
    }
    mh_scene_begin(scene, form);
    if (game->rules->picture) {
        game->rules->picture(&shown, scene);
    } else {
        mh_generic_picture(&shown, scene);
    }
    return MH_OK;
}

int mh_move_cards(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                  const struct mh_viewer *viewer, int action, struct mh_move_card *cards, char *message)
{
    struct mh_shown shown;
    if (!cards) {
        mh_message(message, "cards must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    const int status = mh_say_begin(game, observation, bytes, viewer, &shown, message);
    if (status) {
        return status;
    }
    if (action < 0 || action >= game->sizes.actions) {
        mh_message(message, "action: %d, and it is from 0 to %d", action, game->sizes.actions - 1);
        return MH_ERROR_ARGUMENT;
    }
    return game->rules->move_cards ? game->rules->move_cards(&shown, action, cards)
                                   : mh_generic_move_cards(&shown, action, cards);
}

int mh_game_sprites(const struct mh_game *game)
{
    if (!game) {
        return 0;
    }
    return game->rules->picture ? game->rules->num_sprites : MH_GENERIC_SPRITES;
}

int mh_game_sprite_text(const struct mh_game *game, int sprite, char *text)
{
    if (!game || !text || sprite < 0 || sprite >= mh_game_sprites(game)) {
        return MH_ERROR_ARGUMENT;
    }
    if (game->rules->picture) {
        game->rules->sprite_text(sprite, text);
    } else {
        mh_generic_sprite_text(sprite, text);
    }
    return MH_OK;
}
