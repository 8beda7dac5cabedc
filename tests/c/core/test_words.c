/* Words and pictures as C asks for them: refusals, names, rows, and the forms that a game has which brings none. */
#include <string.h>

#include "check.h"
#include "draw/generic.h"
#include "words/mh_say.h"
#include "words/mh_words_generic.h"

enum { TEXT = 32768 };

/* A table at some moment, as a spectator sees it. */
struct table {
    struct mh_game *game;
    struct mh_sizes sizes;
    uint64_t *state;
    uint8_t *observation;
    int64_t *info;
    struct mh_viewer viewer;
};

static const uint64_t seed = 7;

static struct table open_table(const char *id, const char *options)
{
    char message[MH_MESSAGE_SIZE];
    struct table self = {.viewer = {.seat = -1, .to_act = MH_NOT_KNOWN}};
    CHECK_EQUAL(mh_game_new(id, options, message, &self.game), MH_OK);
    CHECK_EQUAL(mh_game_sizes(self.game, &self.sizes), MH_OK);
    self.state = check_memory((size_t)self.sizes.state);
    self.observation = check_memory((size_t)self.sizes.observation);
    self.info = check_memory((size_t)self.sizes.info * sizeof *self.info);
    CHECK_EQUAL(mh_state_reset(self.game, self.state, seed, message), MH_OK);
    return self;
}

static void look(struct table *self)
{
    const int seat = mh_state_seat(self->state);
    CHECK_EQUAL(mh_state_watch(self->game, self->state, self->observation), MH_OK);
    CHECK_EQUAL(mh_state_info(self->game, self->state, self->info), MH_OK);
    self->viewer.info = self->info;
    self->viewer.seed = &seed;
    self->viewer.to_act = seat < 0 ? seat : MH_NOT_KNOWN;
}

static void close_table(struct table *self)
{
    free(self->state);
    free(self->observation);
    free(self->info);
    mh_game_free(&self->game);
}

static int64_t say(const struct table *self, int part, char *text, char *message)
{
    return mh_words(self->game, self->observation, self->sizes.observation, &self->viewer, part, 0, text, TEXT,
                    message);
}

static void check_refusals(void)
{
    struct table table = open_table("mhing", "");
    char message[MH_MESSAGE_SIZE];
    char *text = check_memory(TEXT);
    const char *const names[MH_MAX_SEATS] = {"ann", NULL, "bob", "cy"};
    int64_t starts[2];
    look(&table);
    CHECK(say(&table, MH_WORDS_ALL, text, message) > 0);
    CHECK_EQUAL(mh_words(NULL, table.observation, 1, &table.viewer, 0, 0, text, TEXT, message), MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "game and viewer must not be NULL") != NULL);
    CHECK_EQUAL(
        mh_words(table.game, table.observation, table.sizes.observation, &table.viewer, 0, 0, NULL, 9, message),
        MH_ERROR_ARGUMENT);
    CHECK(strstr(message, "text: NULL, or a negative size") != NULL);
    table.viewer.names = names;
    CHECK_EQUAL(say(&table, MH_WORDS_ALL, text, message), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, "names: there is none for seat 1") == 0);
    CHECK_EQUAL(mh_words_rows(table.game, NULL, 0, 0, text, TEXT, starts, message), MH_ERROR_ARGUMENT);
    CHECK(strncmp(message, "rows, their observations and starts", 35) == 0);
    CHECK_EQUAL(mh_words_rows(table.game, NULL, 99, 0, text, TEXT, starts, message), MH_ERROR_ARGUMENT);
    CHECK(strncmp(message, "part: 99", 8) == 0);
    free(text);
    close_table(&table);
}

/* Names stay as they are when they come again, and no two are alike. */
static void check_names(void)
{
    const char *const given[] = {"a", "b", "a", "a 0", "x\x1b"};
    const char *again[5];
    char names[5][MH_NAME_SIZE];
    char cleaned[5][MH_NAME_SIZE];
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(mh_names(given, 5, names[0], message), MH_OK);
    for (int seat = 0; seat < 5; seat++) {
        again[seat] = names[seat];
        for (int other = 0; other < seat; other++) {
            CHECK(strcmp(names[seat], names[other]) != 0);
        }
    }
    CHECK(strncmp(names[4], "x?", 2) == 0);
    CHECK_EQUAL(mh_names(again, 5, cleaned[0], message), MH_OK);
    for (int seat = 0; seat < 5; seat++) {
        CHECK(strcmp(names[seat], cleaned[seat]) == 0);
    }
    CHECK_EQUAL(mh_names(given, 0, names[0], message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_names(given, 5, NULL, message), MH_ERROR_ARGUMENT);
}

/* The words and the picture that a game would have if it brought none, and those that it has. */
static void draw(const struct table *self, struct mh_scene *scene)
{
    char message[MH_MESSAGE_SIZE];
    struct mh_shown shown;
    for (int form = 0; form < MH_FORMS; form++) {
        const int status =
            mh_picture(self->game, self->observation, self->sizes.observation, &self->viewer, form, scene, message);
        CHECK(status == MH_OK || (form == MH_SHARE && self->viewer.to_act != MH_OVER));
        CHECK(status != MH_OK || (scene->count > 0 && !scene->is_full));
        if (status == MH_OK && form == MH_SHARE) {
            scene->texts[scene->used] = '\0';
            CHECK(strstr(scene->texts, "seed 7") != NULL);
        }
        if (status == MH_OK) {
            CHECK_EQUAL(mh_say_begin(self->game, self->observation, self->sizes.observation, &self->viewer, &shown,
                                     message),
                        MH_OK);
            mh_scene_begin(scene, form);
            mh_generic_picture(&shown, scene);
            CHECK(scene->count > 0);
        }
    }
}

static void check_game(const char *id, const char *options)
{
    struct table table = open_table(id, options);
    struct mh_scene *scene = check_memory(sizeof *scene);
    char *text = check_memory(TEXT);
    char name[MH_TEXT_SIZE];
    uint64_t random = 3;
    while (mh_state_seat(table.state) >= 0) {
        int action;
        look(&table);
        draw(&table, scene);
        CHECK_EQUAL(mh_state_bot_action(table.game, table.state, 0, &random, &action), MH_OK);
        CHECK_EQUAL(mh_state_apply(table.game, table.state, action, NULL), MH_OK);
    }
    look(&table);
    draw(&table, scene);
    for (int part = 0; part <= MH_WORDS_MOVES; part++) {
        CHECK(say(&table, part, text, NULL) >= 0);
    }
    for (int part = MH_WORDS_HEADING; part < MH_WORDS_EVENTS; part++) {
        struct mh_shown shown;
        struct mh_words words = {.shown = &shown};
        CHECK_EQUAL(
            mh_say_begin(table.game, table.observation, table.sizes.observation, &table.viewer, &shown, NULL),
            MH_OK);
        mh_text_begin(&words.text, text, TEXT);
        mh_generic_words(table.game, part, 0, &words);
        CHECK(words.text.length > 0 || part == MH_WORDS_SEAT || part == MH_WORDS_PILES);
    }
    for (int sprite = 0; sprite < MH_GENERIC_SPRITES; sprite++) {
        mh_generic_sprite_text(sprite, name);
        CHECK(mh_sprite_named(name) != NULL);
    }
    CHECK_EQUAL(mh_game_sprite_text(table.game, mh_game_sprites(table.game), name), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_sprites(NULL), 0);
    free(text);
    free(scene);
    close_table(&table);
}

int main(void)
{
    check_refusals();
    check_names();
    for (int i = 0; i < mh_game_count(); i++) {
        check_game(mh_game_id(i), "");
    }
    check_game("mhing", "num_players=3 episode=game rounds=2");
    check_game("mexican_rummy", "num_players=6 episode=game turn_limit=20");
    return 0;
}
