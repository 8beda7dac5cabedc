/* Pictures as SVG and as rows: what is written, in what look, and into what room. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/mh_text.h"
#include "mh.h"

/* ---- Numbers ------------------------------------------------------------------------------------------------ */

/* As printf writes it, without zeros at its end, and never as less than nothing. */
static void print_number(double number, int decimals, char *text)
{
    char printed[64];
    snprintf(printed, sizeof printed, "%.*f", decimals, number);
    size_t length = strlen(printed);
    while (decimals && printed[length - 1] == '0') {
        length--;
    }
    length -= printed[length - 1] == '.';
    printed[length] = '\0';
    strcpy(text, strcmp(printed, "-0") == 0 ? "0" : printed);
}

static void check_number(double number, int decimals)
{
    char text[64];
    char wanted[64];
    struct mh_text out;
    mh_text_begin(&out, text, sizeof text);
    mh_text_fixed(&out, number, decimals);
    print_number(number, decimals, wanted);
    if (strcmp(text, wanted) != 0) {
        fprintf(stderr, "%.17g with %d decimals is written %s, not %s\n", number, decimals, text, wanted);
        exit(1);
    }
}

static void test_numbers(void)
{
    static const double least[] = {0,    -0.0,  1e-300, 5e-324,   0.04, 0.05, 0.049999999999999996,
                                   0.25, 0.125, 2.5,    999999.95};
    for (int decimals = 0; decimals <= 3; decimals++) {
        for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
            check_number(least[i], decimals);
            check_number(-least[i], decimals);
        }
        uint64_t random = 1;
        for (int i = 0; i < 20000; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            check_number(i / 80.0, decimals); /* many are halfway between two */
            check_number(ldexp((double)(random >> 11), (int)(random % 70) - 103), decimals);
            check_number(-ldexp((double)(random >> 44), -8), decimals);
        }
    }
}

/* ---- Documents ---------------------------------------------------------------------------------------------- */

enum { ROOM = 1 << 16 };

static struct mh_scene *new_scene(int w, int h, const char *title)
{
    struct mh_scene *scene = check_memory(sizeof *scene);
    mh_scene_begin(scene, MH_WIDE);
    scene->w = w;
    scene->h = h;
    scene->background = MH_FELT;
    mh_scene_title(scene, title);
    return scene;
}

static void check_document(const struct mh_game *game, const struct mh_scene *scene, int look, const char *wanted)
{
    char *text = check_memory(ROOM);
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(mh_scene_svg(game, scene, look, text, ROOM, message), strlen(wanted));
    if (strcmp(text, wanted) != 0) {
        fprintf(stderr, "%s\n---- is not\n%s\n", text, wanted);
        exit(1);
    }
    free(text);
}

static void check_rows(const struct mh_game *game, const struct mh_scene *scene, const char *wanted)
{
    char *text = check_memory(ROOM);
    const int64_t length = mh_scene_rows(game, scene, text, ROOM, NULL);
    if (strcmp(text, wanted) != 0) {
        fprintf(stderr, "%s\n---- is not\n%s\n", text, wanted);
        exit(1);
    }
    CHECK_EQUAL(length, strlen(wanted));
    free(text);
}

static void test_shapes(void)
{
    struct mh_scene *scene = new_scene(60, 40, "<\"A\" & 'B'>");
    const struct mh_type small = {.size = 10, .color = MH_PALE};
    const struct mh_type bold = {.size = 12.25, .color = 15, .anchor = MH_MIDDLE, .is_bold = 1, .scale = 0.5};
    mh_scene_outline(scene, (struct mh_box){1, 2.25, 30.05, 4}, MH_PANEL, 0, MH_NO_COLOR, 7);
    mh_scene_outline(scene, (struct mh_box){-1, -0.04, 3, 4}, MH_NO_COLOR, 2.5, MH_GOLD, 1.5);
    mh_scene_outline(scene, (struct mh_box){0, 0, 3, 4}, MH_NO_COLOR, 0, MH_NO_COLOR, 0);
    scene->shapes[scene->count - 1].opacity = 0.255;
    mh_scene_outline(scene, (struct mh_box){5, 6, 0, 0}, MH_TRAY, 7, MH_BAR, 1);
    scene->shapes[scene->count - 1].kind = MH_CIRCLE;
    mh_scene_text(scene, 3, 20, small, "\xC3\xA9"); /* one character */
    mh_scene_text(scene, 3, 30, bold, "a<b&\"c\"\n'>");
    check_document(
        NULL, scene, MH_LOOK_FELT,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"40\" viewBox=\"0 0 60 40\" "
        "font-family=\"Arial, Helvetica, sans-serif\">\n"
        "<title>&lt;&quot;A&quot; &amp; &#x27;B&#x27;&gt;</title>\n"
        "<defs>\n"
        "</defs>\n"
        "<rect width=\"60\" height=\"40\" class=\"fill-felt\" fill=\"#143f33\"/>\n"
        "<rect x=\"1\" y=\"2.2\" width=\"30.1\" height=\"4\" class=\"fill-panel\" fill=\"#1e5a48\"/>\n"
        "<rect x=\"-1\" y=\"0\" width=\"3\" height=\"4\" rx=\"2.5\" class=\"stroke-gold\" fill=\"none\" "
        "stroke=\"#ffc83d\" stroke-width=\"1.5\"/>\n"
        "<rect x=\"0\" y=\"0\" width=\"3\" height=\"4\" fill=\"none\" opacity=\"0.26\"/>\n"
        "<circle cx=\"5\" cy=\"6\" r=\"7\" class=\"fill-tray stroke-bar\" fill=\"#1a4e3e\" stroke=\"#0f3128\" "
        "stroke-width=\"1\"/>\n"
        "<text x=\"3\" y=\"20\" font-size=\"10\" class=\"fill-pale\" fill=\"#b5cdc2\">\xC3\xA9</text>\n"
        "<text x=\"3\" y=\"30\" font-size=\"12.2\" class=\"fill-ink\" fill=\"#27303a\" text-anchor=\"middle\" "
        "font-weight=\"bold\" textLength=\"32.2\" lengthAdjust=\"spacingAndGlyphs\">"
        "a&lt;b&amp;&quot;c&quot;?&#x27;&gt;</text>\n"
        "</svg>\n");
    scene->shapes[3].opacity = 0.5;
    scene->shapes[5].opacity = 0.5;
    mh_scene_outline(scene, (struct mh_box){0, 0, 1, 1}, 24, 0, MH_NO_COLOR, 0);
    mh_scene_text(scene, 1, 1, (struct mh_type){.size = 3, .color = MH_PALE, .anchor = MH_END, .scale = 1}, "\\");
    check_rows(NULL, scene,
               "[[0,0,0,60,40,\"felt\"],\n"
               "[0,1,2.2,30.1,4,\"panel\"],\n"
               "[0,-1,0,3,4,null,2.5,\"gold\",1.5],\n"
               "[0,0,0,3,4,null,0,null,null,0.26],\n"
               "[1,5,6,7,\"tray\",\"bar\",1,0.5],\n"
               "[2,3,20,10,\"pale\",\"\xC3\xA9\",null],\n"
               "[2,3,30,12.2,\"ink\",\"a<b&\\\"c\\\"?'>\",32.2,\"middle\",\"bold\",0.5],\n"
               "[0,0,0,1,1,\"#4a3428\"],\n"
               "[2,1,1,3,\"pale\",\"\\\\\",null,\"end\"]]\n");
    free(scene);
}

static void test_cards(void)
{
    struct mh_scene *scene = new_scene(8, 9, "");
    struct mh_game *game;
    const struct mh_card open = {1, 0, -1};
    const struct mh_card back = {0, -1, 5};
    CHECK_EQUAL(mh_game_new("general_mhing", "", NULL, &game), MH_OK);
    mh_scene_card(scene, back, 1, 2, 1, MH_HAND, 1);
    mh_scene_card(scene, open, 3, 4.5, 0.98765, MH_HAND, 0);
    mh_scene_card(scene, back, 5, 6, 0.5, MH_HAND, 1);
    mh_scene_card(scene, back, 9, 9, 1, MH_HAND, 0);
    mh_scene_card(scene, back, 5, 6, 1, MH_PILE, -1);
    mh_scene_card(scene, open, 7, 8, 1, MH_NOWHERE, -1);
    scene->shapes[scene->count - 1].opacity = 0.5;
    char *text = check_memory(ROOM);
    CHECK(mh_scene_svg(game, scene, MH_LOOK_FELT, text, ROOM, NULL) > 0);
    const char *back_begins = strstr(text, "<defs>\n<g id=\"card-back\">");
    const char *open_begins = strstr(text, "</g>\n<g id=\"playing-As\">");
    CHECK(back_begins && open_begins && back_begins < open_begins);
    const char *behind = strstr(text, "</g>\n</defs>\n");
    CHECK(behind);
    CHECK(strcmp(behind, "</g>\n</defs>\n"
                         "<rect width=\"8\" height=\"9\" class=\"fill-felt\" fill=\"#143f33\"/>\n"
                         "<use href=\"#card-back\" transform=\"translate(1 2)\" data-card=\"\" data-zone=\"hand\" "
                         "data-seat=\"1\" data-key=\"hand.1..0\"/>\n"
                         "<use href=\"#playing-As\" transform=\"translate(3 4.5) scale(0.988)\" data-card=\"As\" "
                         "data-zone=\"hand\" data-seat=\"0\" data-key=\"hand.0.As.0\"/>\n"
                         "<use href=\"#card-back\" transform=\"translate(5 6) scale(0.5)\" data-card=\"\" "
                         "data-zone=\"hand\" data-seat=\"1\" data-key=\"hand.1..1\"/>\n"
                         "<use href=\"#card-back\" transform=\"translate(9 9)\" data-card=\"\" data-zone=\"hand\" "
                         "data-seat=\"0\" data-key=\"hand.0..0\"/>\n"
                         "<use href=\"#card-back\" transform=\"translate(5 6)\" data-card=\"\" data-zone=\"pile\" "
                         "data-key=\"pile...0\"/>\n"
                         "<use href=\"#playing-As\" transform=\"translate(7 8)\" opacity=\"0.5\"/>\n"
                         "</svg>\n") == 0);
    mh_scene_card(scene, open, 1, 1, 1, MH_NOWHERE, -1);
    check_rows(game, scene,
               "[[0,0,0,8,9,\"felt\"],\n"
               "[3,1,2,1,\"card-back\",\"hand\",\"\",1,5],\n"
               "[3,3,4.5,0.988,\"playing-As\",\"hand\",\"As\",0],\n"
               "[3,5,6,0.5,\"card-back\",\"hand\",\"\",1,5],\n"
               "[3,9,9,1,\"card-back\",\"hand\",\"\",0,5],\n"
               "[3,5,6,1,\"card-back\",\"pile\",\"\",null,5],\n"
               "[3,7,8,1,\"playing-As\",\"\",\"As\",null,null,0.5],\n"
               "[3,1,1,1,\"playing-As\"]]\n");
    free(text);
    free(scene);
    mh_game_free(&game);
}

/* The sprites of mh_sprite_at, where there is no game. */
static void test_art(void)
{
    struct mh_scene *scene = new_scene(1, 1, "");
    char *text = check_memory(ROOM);
    for (int i = 0; i < mh_sprite_count(); i++) {
        char wanted[64];
        scene->count = 0;
        mh_scene_card(scene, (struct mh_card){(int16_t)i, -1, -1}, 0, 0, 1, MH_NOWHERE, -1);
        CHECK(mh_scene_svg(NULL, scene, MH_LOOK_FELT, text, ROOM, NULL) > 0);
        snprintf(wanted, sizeof wanted, "<use href=\"#%s\"", mh_sprite_at(i)->name);
        CHECK(strstr(text, wanted));
    }
    free(text);
    free(scene);
}

/* ---- Looks -------------------------------------------------------------------------------------------------- */

static void test_looks(void)
{
    struct mh_scene *scene = new_scene(8, 9, "");
    char text[8192];
    CHECK(mh_scene_svg(NULL, scene, MH_LOOK_FELT, text, sizeof text, NULL) > 0);
    CHECK(!strstr(text, "<style>"));
    CHECK(mh_scene_svg(NULL, scene, MH_LOOK_DARK, text, sizeof text, NULL) > 0);
    CHECK(strstr(text, "</title>\n<style>.fill-felt{fill:#0c1210}.stroke-felt{stroke:#0c1210}.fill-panel{"));
    CHECK(strstr(text, "}</style>\n<defs>\n") && !strstr(text, "fill-dark{") && !strstr(text, "fill-red{"));
    CHECK(strstr(text, "<rect width=\"8\" height=\"9\" class=\"fill-felt\" fill=\"#143f33\"/>"));
    CHECK(mh_scene_svg(NULL, scene, MH_LOOK_FELT | MH_LOOK_SAFE_SUITS, text, sizeof text, NULL) > 0);
    CHECK(strstr(text, "<style>.fill-green{fill:#006b54}") && strstr(text, ".stroke-red{stroke:#b04400}</style>"));
    CHECK(!strstr(text, "fill-felt{"));
    CHECK(mh_scene_svg(NULL, scene, MH_LOOK_LIGHT | MH_LOOK_SAFE_SUITS, text, sizeof text, NULL) > 0);
    CHECK(strstr(text, ".fill-felt{fill:#d5e5da}") && strstr(text, ".fill-blue{fill:#1f5fe6}"));
    free(scene);
}

static void test_colors(void)
{
    CHECK_EQUAL(mh_palette_rgb(MH_FELT, MH_LOOK_FELT), 0x143f33);
    CHECK_EQUAL(mh_palette_rgb(MH_FELT, MH_LOOK_LIGHT), 0xd5e5da);
    CHECK_EQUAL(mh_palette_rgb(MH_FELT, MH_LOOK_DARK | MH_LOOK_SAFE_SUITS), 0x0c1210);
    CHECK_EQUAL(mh_palette_rgb(19, MH_LOOK_DARK), 0xb4232a);
    CHECK_EQUAL(mh_palette_rgb(19, MH_LOOK_DARK | MH_LOOK_SAFE_SUITS), 0xb04400);
    CHECK_EQUAL(mh_palette_rgb(0, MH_LOOK_FELT), 0);
    CHECK_EQUAL(mh_palette_rgb(mh_palette_size() + 1, MH_LOOK_FELT), 0);
}

/* ---- Room and refusals -------------------------------------------------------------------------------------- */

static int64_t write_rows(const struct mh_scene *scene, char *text, int64_t size)
{
    return mh_scene_rows(NULL, scene, text, size, NULL);
}

static int64_t write_svg(const struct mh_scene *scene, char *text, int64_t size)
{
    return mh_scene_svg(NULL, scene, MH_LOOK_FELT, text, size, NULL);
}

static void check_room(int64_t (*write)(const struct mh_scene *scene, char *text, int64_t size))
{
    struct mh_scene *scene = new_scene(8, 9, "A title");
    mh_scene_text(scene, 1, 2, (struct mh_type){.size = 3, .color = MH_PALE}, "& more");
    char whole[1024];
    const int64_t length = write(scene, whole, sizeof whole);
    CHECK(length > 0 && length == (int64_t)strlen(whole));
    CHECK_EQUAL(write(scene, NULL, 100), length);
    for (int64_t size = -1; size <= length + 1; size++) {
        const size_t room = size > 0 ? (size_t)size : 0;
        char *text = check_memory(room + 1);
        memset(text, 'x', room + 1);
        CHECK_EQUAL(write(scene, text, size), length);
        CHECK_EQUAL(text[room], 'x');
        if (room) {
            const size_t written = room > (size_t)length ? (size_t)length : room - 1;
            CHECK(memcmp(text, whole, written) == 0 && text[written] == '\0');
        }
        free(text);
    }
    free(scene);
}

static void check_refused(const struct mh_scene *scene, int look, const char *wanted)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK_EQUAL(mh_scene_svg(NULL, scene, look, NULL, 0, message), MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, wanted) == 0);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, look, 1, NULL, 0, NULL), MH_ERROR_ARGUMENT);
    CHECK(look != MH_LOOK_FELT || mh_scene_rows(NULL, scene, NULL, 0, message) == MH_ERROR_ARGUMENT);
    CHECK(strcmp(message, wanted) == 0);
}

/* A shape with one thing wrong, and what is said of it. */
static void check_fault(const struct mh_shape *shape, const char *wanted)
{
    struct mh_scene *scene = new_scene(8, 9, "");
    char message[MH_MESSAGE_SIZE];
    snprintf(message, sizeof message, "scene: shape 1: %s", wanted);
    mh_scene_outline(scene, (struct mh_box){0, 0, 1, 1}, MH_FELT, 0, 0, 0);
    scene->shapes[scene->count++] = *shape;
    check_refused(scene, MH_LOOK_FELT, message);
    free(scene);
}

static void test_faults(void)
{
    static const struct mh_shape sound = {.sprite = -1, .card = -1, .seat = -1, .scale = 1, .opacity = 1};
    struct mh_shape shape = sound;
    shape.x = NAN;
    check_fault(&shape, "a number is not finite, or too far away");
    shape.x = 0;
    shape.w = 1.1e6;
    check_fault(&shape, "a number is not finite, or too far away");
    shape = sound;
    shape.kind = MH_SPRITE + 1;
    check_fault(&shape, "its kind, anchor or zone is none");
    shape = sound;
    shape.anchor = MH_END + 1;
    check_fault(&shape, "its kind, anchor or zone is none");
    shape = sound;
    shape.zone = MH_RESULT + 1;
    check_fault(&shape, "its kind, anchor or zone is none");
    shape = sound;
    shape.stroke = (uint8_t)(mh_palette_size() + 1);
    check_fault(&shape, "a colour is none of the palette");
    shape = sound;
    shape.kind = MH_TEXT;
    shape.length = 1;
    check_fault(&shape, "its text is not within the texts");
    shape.length = -1;
    check_fault(&shape, "its text is not within the texts");
    shape.length = 0;
    shape.text = 1;
    check_fault(&shape, "its text is not within the texts");
    shape = sound;
    shape.kind = MH_SPRITE;
    check_fault(&shape, "its sprite is none");
    shape.sprite = (int16_t)mh_sprite_count();
    check_fault(&shape, "its sprite is none");
    shape = sound;
    shape.card = 0;
    check_fault(&shape, "its card is none of the game's");
    shape = sound;
    shape.radius = -1;
    check_fault(&shape, "a size is less than 0");
    shape = sound;
    shape.opacity = 1.01;
    check_fault(&shape, "its opacity is not from 0 to 1");
}

static void test_refusals(void)
{
    struct mh_scene *scene = new_scene(8, 9, "");
    static const char no_look[] = "look: %d, and it is a palette of enum mh_look, perhaps with MH_LOOK_SAFE_SUITS";
    static const int looks[] = {-1, 3, 7, 8};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        char message[MH_MESSAGE_SIZE];
        snprintf(message, sizeof message, no_look, looks[i]);
        check_refused(scene, looks[i], message);
    }
    check_refused(NULL, MH_LOOK_FELT, "scene must not be NULL");
    scene->w = 0;
    check_refused(scene, MH_LOOK_FELT, "scene: it has 0 x 9 pixels, and sides are from 1 to 16384");
    scene->w = MH_MAX_PIXELS + 1;
    check_refused(scene, MH_LOOK_FELT, "scene: it has 16385 x 9 pixels, and sides are from 1 to 16384");
    scene->w = 8;
    static const char range[] = "scene: its shapes, texts, title or background are out of range";
    scene->count = MH_MAX_SHAPES + 1;
    check_refused(scene, MH_LOOK_FELT, range);
    scene->count = 0;
    scene->used = MH_MAX_TEXTS + 1;
    check_refused(scene, MH_LOOK_FELT, range);
    scene->used = 0;
    scene->title_length = 1;
    check_refused(scene, MH_LOOK_FELT, range);
    scene->title_length = 0;
    scene->background = mh_palette_size() + 1;
    check_refused(scene, MH_LOOK_FELT, range);
    free(scene);
}

int main(void)
{
    test_numbers();
    test_shapes();
    test_cards();
    test_art();
    test_looks();
    test_colors();
    check_room(write_svg);
    check_room(write_rows);
    test_faults();
    test_refusals();
    return 0;
}
