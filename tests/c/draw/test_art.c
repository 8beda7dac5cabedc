/* Sprites and the palette, as a program in C has them. */
#include "check.h"

#include <string.h>

#include "mh.h"

static void test_the_palette_has_names_and_then_colours_of_art(void)
{
    int named = 0;
    int cards = 0;
    for (int color = 1; color <= mh_palette_size(); color++) {
        const struct mh_palette_color *found = mh_palette_color_at(color);
        CHECK(found && found->felt <= 0xFFFFFF && found->safe <= 0xFFFFFF);
        if (found->name[0]) {
            CHECK_EQUAL(color, ++named); /* the others stand behind */
        }
        CHECK(found->is_card >= cards); /* tables come first */
        cards = found->is_card;
        if (cards) {
            CHECK(found->felt == found->light && found->felt == found->dark);
        } else {
            CHECK(found->felt == found->safe);
        }
    }
    CHECK(named >= 22 && named < mh_palette_size());
    CHECK(strcmp(mh_palette_color_at(1)->name, "felt") == 0);
    CHECK(!mh_palette_color_at(0) && !mh_palette_color_at(-1) && !mh_palette_color_at(mh_palette_size() + 1));
}

static void check_color(int color)
{
    CHECK(color <= mh_palette_size() && (color == 0 || mh_palette_color_at(color)->is_card));
}

static void check_shape(const struct mh_sprite *sprite, const struct mh_art_shape *shape)
{
    static const int counts[] = {[MH_ART_RECT] = 5, [MH_ART_CIRCLE] = 3};
    const int16_t *at = sprite->numbers + shape->first;
    check_color(shape->fill);
    check_color(shape->stroke);
    CHECK(shape->fill || shape->stroke);
    CHECK((shape->width > 0) == (shape->stroke > 0));
    CHECK(shape->kind == MH_ART_TEXT || shape->flags == 0);
    if (shape->kind == MH_ART_RECT || shape->kind == MH_ART_CIRCLE) {
        CHECK_EQUAL(shape->count, counts[shape->kind]);
    } else if (shape->kind == MH_ART_TEXT) {
        CHECK(shape->count > 4 && at[2] > 0 && !shape->stroke);
        for (int i = 4; i < shape->count; i++) {
            CHECK(at[i] >= ' ' && at[i] <= '~' && !strchr("<>&", at[i]));
        }
    } else {
        CHECK(shape->kind == MH_ART_LINE || shape->kind == MH_ART_POLYGON);
        CHECK(shape->count % 2 == 0 && shape->count >= (shape->kind == MH_ART_LINE ? 4 : 6));
        CHECK((shape->kind == MH_ART_LINE) == !shape->fill);
    }
}

static void test_sprites_have_names_of_their_own_and_shapes_within_them(void)
{
    for (int i = 0; i < mh_sprite_count(); i++) {
        const struct mh_sprite *sprite = mh_sprite_at(i);
        CHECK(sprite && sprite->w > 0 && sprite->h > 0 && sprite->count > 0);
        CHECK(strlen(sprite->name) < MH_TEXT_SIZE);
        CHECK(mh_sprite_named(sprite->name) == sprite);
        for (int k = 0; k < sprite->count; k++) {
            check_shape(sprite, &sprite->shapes[k]);
        }
        for (int k = 0; k < sprite->shapes[0].count; k++) {
            CHECK(sprite->numbers[sprite->shapes[0].first + k] <=
                  10 * (sprite->w > sprite->h ? sprite->w : sprite->h));
        }
    }
    CHECK(!mh_sprite_at(-1) && !mh_sprite_at(mh_sprite_count()));
    CHECK(!mh_sprite_named("no card") && !mh_sprite_named("") && !mh_sprite_named(NULL));
}

/* Every kind of shape is in one of these. */
static const char *const written[][2] = {
    {"card-blank", "<g id=\"card-blank\"><rect x=\"0.5\" y=\"0.5\" width=\"39\" height=\"55\" rx=\"5\" "
                   "class=\"fill-paper stroke-edge\" fill=\"#fcf8ec\" stroke=\"#8d8468\" stroke-width=\"1\"/></g>"},
    {"dealer",
     "<g id=\"dealer\"><circle cx=\"10\" cy=\"10\" r=\"9\" class=\"fill-paper stroke-ink\" fill=\"#fcf8ec\" "
     "stroke=\"#27303a\" stroke-width=\"1.5\"/><text x=\"10\" y=\"14.5\" font-size=\"12\" class=\"fill-ink\" "
     "fill=\"#27303a\" text-anchor=\"middle\" font-weight=\"bold\">D</text></g>"},
};

static int is_text(const struct mh_sprite *sprite, const char *text)
{
    return (size_t)sprite->svg_length == strlen(text) && memcmp(sprite->svg, text, strlen(text)) == 0;
}

static void check_has(const char *name, const char *part)
{
    const struct mh_sprite *sprite = mh_sprite_named(name);
    int found = 0;
    for (int32_t i = 0; i + (int32_t)strlen(part) <= sprite->svg_length; i++) {
        found += memcmp(sprite->svg + i, part, strlen(part)) == 0;
    }
    CHECK(found);
}

static void test_sprites_are_written_as_svg(void)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        CHECK(is_text(mh_sprite_named(written[i][0]), written[i][1]));
    }
    check_has("card-back",
              "<polyline points=\"10,8 15,13 10,18 5,13 10,8\" class=\"stroke-rose\" fill=\"none\" "
              "stroke=\"#d9a5a0\" stroke-width=\"1\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>");
    check_has("playing-Ts-wild", " textLength=\"16.4\" lengthAdjust=\"spacingAndGlyphs\">10</text>");
    check_has("playing-Ks", "<polygon points=\"25.3,17.1 28.7,17.1 ");
    check_has("mhing-F", "<circle cx=\"34\" cy=\"26\" r=\"3\" fill=\"#e0559a\"/>");
}

int main(void)
{
    test_the_palette_has_names_and_then_colours_of_art();
    test_sprites_have_names_of_their_own_and_shapes_within_them();
    test_sprites_are_written_as_svg();
    return 0;
}
