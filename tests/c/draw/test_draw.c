/* Pictures: what is refused, scenes without room for more, lines of text, and rows of cards in their boxes. */
#include "check.h"

#include <string.h>

#include "draw/draw.h"
#include "draw/generic.h"
#include "mh_game.h"
#include "mhing_api.h"
#include "variants.h"
#include "words/mh_say.h"

struct table {
    struct mh_game *game;
    void *state;
    uint8_t *observation;
    int64_t *info;
    struct mh_viewer viewer;
};

static struct table sit_down(const char *id, const char *options, uint64_t seed)
{
    struct table self = {.viewer = {.seat = 0, .to_act = MH_NOT_KNOWN}};
    CHECK_EQUAL(mh_game_new(id, options, NULL, &self.game), MH_OK);
    self.state = check_memory((size_t)self.game->sizes.state);
    self.observation = check_memory((size_t)self.game->sizes.observation);
    self.info = check_memory(sizeof *self.info * (size_t)self.game->sizes.info);
    CHECK_EQUAL(mh_state_reset(self.game, self.state, seed, NULL), MH_OK);
    CHECK_EQUAL(mh_state_observe(self.game, self.state, 0, self.observation), MH_OK);
    CHECK_EQUAL(mh_state_info(self.game, self.state, self.info), MH_OK);
    return self;
}

static void leave(struct table *self)
{
    free(self->state);
    free(self->observation);
    free(self->info);
    mh_game_free(&self->game);
}

static int draw(const struct table *self, int form, struct mh_scene *scene, char *message)
{
    return mh_picture(self->game, self->observation, self->game->sizes.observation, &self->viewer, form, scene,
                      message);
}

/* ---- From outside ------------------------------------------------------------------------------------------- */

static void test_refusals(void)
{
    struct table table = sit_down("general_mhing", "", 1);
    struct mh_scene *scene = check_memory(sizeof *scene);
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(draw(&table, MH_SHARE, scene, message), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, "form: the episode is not over, or nobody knows how it ended") == 0);
    CHECK_EQUAL(draw(&table, MH_FORMS, scene, message), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, "form: 3, and it is MH_WIDE, MH_PORTRAIT or MH_SHARE") == 0);
    CHECK_EQUAL(draw(&table, -1, scene, message), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(draw(&table, MH_WIDE, NULL, message), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, "scene must not be NULL") == 0);
    CHECK_EQUAL(mh_picture(table.game, table.observation, 7, &table.viewer, MH_WIDE, scene, message),
                MH_ERROR_ARGUMENT);
    CHECK(strncmp(message, "observation: 7 bytes", 20) == 0);
    table.viewer.seat = 2;
    CHECK_EQUAL(draw(&table, MH_WIDE, scene, message), MH_ERROR_ARGUMENT);
    CHECK(strncmp(message, "viewer: seat is 2", 17) == 0);
    CHECK_EQUAL(scene->count, 0);
    free(scene);
    leave(&table);
}

static void test_sprites(const struct variant *variant)
{
    struct table table = sit_down(variant->game, variant->options, 1);
    const int sprites = mh_game_sprites(table.game);
    char names[512][MH_TEXT_SIZE];
    char none[MH_TEXT_SIZE];
    CHECK(sprites <= 512);
    for (int i = 0; i < sprites; i++) {
        CHECK_EQUAL(mh_game_sprite_text(table.game, i, names[i]), MH_OK);
        CHECK(strlen(names[i]) < MH_TEXT_SIZE && mh_sprite_named(names[i]));
        for (int other = 0; other < i; other++) {
            CHECK(strcmp(names[i], names[other]) != 0);
        }
    }
    CHECK(sprites == 0 || strcmp(names[MH_SPRITE_BACK], "card-back") == 0);
    CHECK_EQUAL(mh_game_sprite_text(table.game, sprites, none), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mh_game_sprite_text(table.game, -1, none), MH_ERROR_ARGUMENT);
    leave(&table);
}

/* Touching a card plays a legal move, and every discard can be touched. */
static void test_actions(void)
{
    struct table table = sit_down("general_mhing", "", 3);
    struct mh_scene *scene = check_memory(sizeof *scene);
    int8_t *mask = check_memory((size_t)table.game->sizes.actions);
    int touched = 0;
    CHECK_EQUAL(mh_state_mask(table.game, table.state, mask), MH_OK);
    table.viewer.seat = mh_state_seat(table.state);
    table.viewer.mask = mask;
    CHECK_EQUAL(mh_state_observe(table.game, table.state, table.viewer.seat, table.observation), MH_OK);
    CHECK_EQUAL(draw(&table, MH_WIDE, scene, NULL), MH_OK);
    for (int i = 0; i < scene->count; i++) {
        const struct mh_shape *shape = &scene->shapes[i];
        char text[MH_TEXT_SIZE];
        if (shape->action >= 0) {
            CHECK(mask[shape->action]);
            mh_action_text(table.game, shape->action, text);
            CHECK(strncmp(text, "discard ", 8) == 0 || strncmp(text, "swap ", 5) == 0 || shape->zone == MH_PILE ||
                  shape->zone == MH_DISCARDS);
            touched++;
        }
    }
    CHECK(touched >= 7);
    free(mask);
    free(scene);
    leave(&table);
}

/* For a viewer who has a log, the deal's event is left out, and nothing else. */
static void test_log(void)
{
    struct table table = sit_down("general_mhing", "", 3);
    struct mh_scene *scene = check_memory(sizeof *scene);
    CHECK_EQUAL(draw(&table, MH_WIDE, scene, NULL), MH_OK);
    const int whole = scene->count;
    table.viewer.has_log = 1;
    CHECK_EQUAL(draw(&table, MH_WIDE, scene, NULL), MH_OK);
    CHECK_EQUAL(scene->count, whole - 1);
    free(scene);
    leave(&table);
}

/* ---- Scenes ------------------------------------------------------------------------------------------------- */

static void test_full_scene(void)
{
    struct mh_scene *scene = check_memory(sizeof *scene); /* of this size exactly, for the sanitizer */
    const struct mh_type type = {.size = 10, .color = MH_LETTERS};
    char text[4096];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    mh_scene_begin(scene, MH_WIDE);
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(scene->is_full, 0);
        mh_scene_text(scene, 0, 0, type, text);
    }
    CHECK_EQUAL(scene->is_full, 1); /* four texts of 4095 bytes are there, and there is room for 4 bytes more */
    CHECK_EQUAL(scene->count, 4);
    mh_scene_text(scene, 0, 0, type, "1234");
    CHECK_EQUAL(scene->used, MH_MAX_TEXTS);
    mh_scene_text(scene, 0, 0, type, "5");
    CHECK_EQUAL(scene->used, MH_MAX_TEXTS);
    CHECK_EQUAL(scene->count, 5);
    mh_scene_begin(scene, MH_WIDE);
    for (int i = 0; i < MH_MAX_SHAPES; i++) {
        mh_scene_rect(scene, (struct mh_box){i, 0, 1, 1}, MH_FELT, 0);
    }
    CHECK(scene->count == MH_MAX_SHAPES && !scene->is_full);
    mh_scene_rect(scene, (struct mh_box){-1, 0, 1, 1}, MH_FELT, 0);
    CHECK(scene->count == MH_MAX_SHAPES && scene->is_full);
    CHECK(scene->shapes[MH_MAX_SHAPES - 1].x == MH_MAX_SHAPES - 1);
    free(scene);
}

/* ---- Texts -------------------------------------------------------------------------------------------------- */

static void test_lines(void)
{
    char line[MH_LINE_SIZE];
    const double size = 16;
    CHECK(mh_font_width("", size) == 0);
    CHECK(mh_font_width("i1", size) == 3.4 + 9.4);
    CHECK(mh_font_width("\xE4\xB8\xAD", size) == 16);                   /* a wide character */
    CHECK(mh_font_width("\xC3\xA9", size) == mh_font_width("?", size)); /* a character without a shape */
    mh_font_shorten("abcdef", size, mh_font_width("abcdef", size), line);
    CHECK(strcmp(line, "abcdef") == 0);
    mh_font_shorten("abcdef", size, mh_font_width("abc..", size), line);
    CHECK(strcmp(line, "abc..") == 0);
    mh_font_shorten("abcdef", size, mh_font_width("abcd", size), line);
    CHECK(strcmp(line, "abc..") == 0); /* the dots need room as well */
    mh_font_shorten("\xE4\xB8\xAD\xE4\xB8\xAD", size, 30, line);
    CHECK(strcmp(line, "\xE4\xB8\xAD..") == 0); /* not within a character */
    mh_font_shorten("abcdef", size, 1, line);
    CHECK(strcmp(line, "..") == 0);
    const char *rest = mh_font_wrap("  one two three", size, mh_font_width("one two", size), line);
    CHECK(strcmp(line, "one two") == 0 && strcmp(rest, "three") == 0);
    rest = mh_font_wrap(rest, size, mh_font_width("thr..", size), line);
    CHECK(strcmp(line, "thr..") == 0 && *rest == '\0');
    char longer[3 * MH_LINE_SIZE];
    memset(longer, '.', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    mh_font_shorten(longer, size, 1e9, line);
    CHECK_EQUAL(strlen(line), MH_LINE_SIZE - 3 + 1);
    longer[MH_LINE_SIZE / 2] = ' ';
    rest = mh_font_wrap(longer, size, 1e9, line);
    CHECK_EQUAL(strlen(line), MH_LINE_SIZE / 2);
    CHECK(rest == longer + MH_LINE_SIZE / 2 + 1);
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

/* Cards of some blocks, in a box of any size, lie in it from left to right. */
static void test_rows(void)
{
    enum { MOST = 40 };
    struct mh_scene *scene = check_memory(sizeof *scene);
    struct mh_card cards[MOST];
    memset(cards, 0, sizeof cards);
    for (int count = 1; count <= MOST; count++) {
        const struct mh_box box = {10, 20, 150 + count * 11, 60 + count * 7 % 100};
        const struct mh_block blocks[] = {
            {.zone = MH_HAND,
             .seat = 1,
             .cards = cards,
             .count = count,
             .step = 1.04,
             .closest = 0.5,
             .size = 1,
             .may_break = count % 2,
             .note = count % 3 ? NULL : "note"},
            {.zone = MH_DRAWN,
             .seat = 1,
             .cards = cards,
             .count = 2,
             .space = 0.4,
             .step = 1,
             .closest = 0.5,
             .size = 0.7},
        };
        mh_scene_begin(scene, MH_WIDE);
        mh_rows_lay(scene, blocks, 2, box, 64);
        int laid = 0;
        for (int i = 0; i < scene->count; i++) {
            const struct mh_shape *shape = &scene->shapes[i];
            CHECK(shape->kind != MH_TEXT || shape->y - 0.75 * shape->h >= box.y); /* a note, by its capitals */
            if (shape->kind == MH_SPRITE) {
                laid++;
                CHECK(shape->x >= box.x - 0.01 && shape->y >= box.y - 0.01 && shape->w <= 64);
                CHECK(shape->x + shape->w <= mh_box_right(box) + 0.02);
                CHECK(shape->y + shape->h <= mh_box_bottom(box) + 0.02);
            }
        }
        CHECK_EQUAL(laid, count + 2);
        const struct mh_grid grid = mh_rows_grid(count, box, 48);
        for (int i = 0; i < count; i++) {
            const struct mh_box place = mh_rows_place(&grid, i);
            CHECK(mh_box_right(place) <= mh_box_right(box) && mh_box_bottom(place) <= mh_box_bottom(box) + 0.01);
        }
    }
    free(scene);
}

/* ---- The end ------------------------------------------------------------------------------------------------ */

/* Groups of cards are in one row where that makes them little smaller, and never lie on each other. */
static void test_groups(void)
{
    static const struct {
        double height;
        int rows;
    } cases[] = {{60, 1}, {150, 1}, {290, 2}, {400, 3}};
    struct mh_scene *scene = check_memory(sizeof *scene);
    struct mh_ending ending = {.num_groups = 5};
    for (int group = 0; group < ending.num_groups; group++) {
        ending.groups[group].count = group < 4 ? 3 : 2;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mh_box box = {0, 0, 700, cases[i].height};
        int rows = 0;
        mh_scene_begin(scene, MH_WIDE);
        CHECK(mh_ending_lay(scene, &ending, NULL, box, 90, 12) <= box.h);
        CHECK_EQUAL(scene->count, 14);
        for (int card = 0; card < scene->count; card++) {
            const struct mh_shape *shape = &scene->shapes[card];
            const struct mh_shape *before = &scene->shapes[card - (card > 0)];
            rows += card == 0 || shape->y > before->y;
            CHECK(card == 0 || shape->y >= before->y + before->h || shape->x >= before->x + before->w - 0.01);
            CHECK(shape->x + shape->w <= box.w + 0.01 && shape->y + shape->h <= box.h);
        }
        CHECK_EQUAL(rows, cases[i].rows);
    }
    ending.groups[0].count = 8; /* wider than the room at any size */
    mh_scene_begin(scene, MH_WIDE);
    CHECK(mh_ending_lay(scene, &ending, NULL, (struct mh_box){0, 10, 7, 100}, 90, 12) <= 10);
    CHECK_EQUAL(scene->count, 0);
    free(scene);
}

/* A hand alone: its cards in their arrangement, melds first; nothing is drawn of what is none. */
static void test_hand(void)
{
    struct mh_scene *scene = check_memory(sizeof *scene);
    struct mhing_cards cards;
    char message[MH_MESSAGE_SIZE];
    int count = 0;
    CHECK_EQUAL(mhing_parse_hand("4599sJ", "EEE 777p 123m", 2, &cards, message), MH_OK);
    CHECK_EQUAL(mhing_draw_hand(&cards, 0, scene), 1);
    for (int i = 0; i < scene->count; i++) {
        count += scene->shapes[i].kind == MH_SPRITE;
    }
    CHECK_EQUAL(count, 14);
    CHECK_EQUAL(scene->is_full, 0);
    CHECK(strncmp(scene->texts + scene->title, "Mhing: ", 7) == 0);
    CHECK_EQUAL(mhing_draw_hand(NULL, 0, scene), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mhing_draw_hand(&cards, 0, NULL), MH_ERROR_ARGUMENT);
    CHECK_EQUAL(mhing_parse_hand("4589sE", "EEE 777p 123m", 2, &cards, message), MH_OK);
    CHECK_EQUAL(mhing_draw_hand(&cards, 0, scene), 0);
    free(scene);
}

/* ---- Cards of moves ----------------------------------------------------------------------------------------- */

static int cards_of(const struct table *self, int action, struct mh_move_card *cards, char *message)
{
    return mh_move_cards(self->game, self->observation, self->game->sizes.observation, &self->viewer, action, cards,
                         message);
}

/* Every action has a few of the game's cards and sprites; those of a game without pictures are named in its texts. */
static void test_moves(const struct variant *variant)
{
    struct table table = sit_down(variant->game, variant->options, 1);
    struct mh_move_card cards[MH_MOVE_CARDS];
    char message[MH_MESSAGE_SIZE];
    for (int action = 0; action < table.game->sizes.actions; action++) {
        const int count = cards_of(&table, action, cards, message);
        CHECK(count >= 0 && count <= MH_MOVE_CARDS);
        for (int i = 0; i < count; i++) {
            CHECK(cards[i].sprite >= -1 && cards[i].sprite < mh_game_sprites(table.game));
            CHECK(cards[i].card >= -1 && (cards[i].is_held == 0 || cards[i].card >= 0));
        }
    }
    CHECK_EQUAL(cards_of(&table, table.game->sizes.actions, cards, message), MH_ERROR_ARGUMENT);
    CHECK(strncmp(message, "action: ", 8) == 0 && strstr(message, ", and it is from 0 to "));
    CHECK_EQUAL(cards_of(&table, 0, NULL, message), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, "cards must not be NULL") == 0);
    table.viewer.seat = -2;
    CHECK_EQUAL(cards_of(&table, 0, cards, message), MH_ERROR_ARGUMENT);
    leave(&table);
}

/* Words of a text that are no cards are passed over. */
static void test_generic_moves(void)
{
    struct table table = sit_down("general_mhing", "", 1);
    struct mh_shown shown;
    struct mh_move_card cards[MH_MOVE_CARDS];
    CHECK_EQUAL(
        mh_say_begin(table.game, table.observation, table.game->sizes.observation, &table.viewer, &shown, NULL),
        MH_OK);
    CHECK_EQUAL(mh_generic_move_cards(&shown, mh_action_id(table.game, "discard Ts"), cards), 1);
    CHECK_EQUAL(cards[0].card, 9);
    CHECK_EQUAL(cards[0].sprite, mh_playing_face(9, 0));
    CHECK_EQUAL(cards[0].is_held, 1);
    CHECK_EQUAL(mh_generic_move_cards(&shown, mh_action_id(table.game, "draw"), cards), 0);
    leave(&table);
    table = sit_down("mhing", "", 1);
    CHECK_EQUAL(
        mh_say_begin(table.game, table.observation, table.game->sizes.observation, &table.viewer, &shown, NULL),
        MH_OK);
    CHECK_EQUAL(mh_generic_move_cards(&shown, 0, cards), 1);
    CHECK_EQUAL(cards[0].sprite, -1); /* tiles are no playing cards */
    leave(&table);
}

int main(void)
{
    test_refusals();
    variants_test(NULL, 0, test_moves);
    test_generic_moves();
    test_groups();
    test_hand();
    variants_test(NULL, 0, test_sprites);
    test_actions();
    test_log();
    test_full_scene();
    test_lines();
    test_rows();
    return 0;
}
