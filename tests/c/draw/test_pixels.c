/* Pictures as pixels: what shapes cover, what is clipped, any scale, and that nothing else is written. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/mh_pool.h"
#include "draw/pen.h"
#include "mh.h"

static struct mh_scene *new_scene(int w, int h)
{
    struct mh_scene *scene = check_memory(sizeof *scene);
    mh_scene_begin(scene, MH_WIDE);
    scene->w = w;
    scene->h = h;
    scene->background = MH_FELT;
    return scene;
}

static uint8_t *painted(const struct mh_scene *scene, int look, double scale)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int64_t bytes = mh_scene_pixels(NULL, scene, look, scale, NULL, 0, message);
    CHECK(bytes > 0);
    uint8_t *pixels = check_memory((size_t)bytes);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, look, scale, pixels, bytes, message), bytes);
    return pixels;
}

/* 0xRRGGBB of a pixel in a picture so many pixels wide. */
static uint32_t at(const uint8_t *pixels, int w, int x, int y)
{
    const uint8_t *pixel = pixels + (y * w + x) * 3;
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

/* True if a pixel is so much of one colour, in 255ths, and the rest of another, but for what rounding makes. */
static int is_mixed(uint32_t pixel, uint32_t under, uint32_t over, int part)
{
    for (int shift = 0; shift < 24; shift += 8) {
        const int from = (int)(under >> shift & 255);
        const int to = (int)(over >> shift & 255);
        if (abs((int)(pixel >> shift & 255) * 255 - (from * (255 - part) + to * part)) > 255 + 128) {
            return 0;
        }
    }
    return 1;
}

static const uint32_t FELT = 0x143f33;
static const uint32_t GOLD = 0xffc83d;
static const uint32_t BAR = 0x0f3128;

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static void test_rectangles(void)
{
    struct mh_scene *scene = new_scene(20, 12);
    mh_scene_outline(scene, (struct mh_box){2, 3, 6.5, 4.25}, MH_GOLD, 0, MH_NO_COLOR, 0);
    uint8_t *pixels = painted(scene, MH_LOOK_FELT, 1);
    CHECK(at(pixels, 20, 1, 4) == FELT && at(pixels, 20, 2, 3) == GOLD && at(pixels, 20, 7, 6) == GOLD);
    CHECK(is_mixed(at(pixels, 20, 8, 4), FELT, GOLD, 128) && at(pixels, 20, 9, 4) == FELT);
    CHECK(is_mixed(at(pixels, 20, 4, 7), FELT, GOLD, 64) && at(pixels, 20, 4, 8) == FELT &&
          at(pixels, 20, 4, 2) == FELT);
    free(pixels);
    scene->count = 0;
    mh_scene_outline(scene, (struct mh_box){4, 4, 8, 4}, MH_GOLD, 0, MH_BAR, 2);
    pixels = painted(scene, MH_LOOK_FELT, 1);
    for (int x = 3; x < 13; x++) { /* the outline is a pixel at each side of the edge */
        CHECK(at(pixels, 20, x, 4) == BAR && at(pixels, 20, x, 7) == BAR);
    }
    CHECK(at(pixels, 20, 4, 5) == BAR && at(pixels, 20, 5, 5) == GOLD && at(pixels, 20, 2, 5) == FELT);
    CHECK(at(pixels, 20, 11, 6) == BAR && at(pixels, 20, 12, 6) == BAR && at(pixels, 20, 13, 6) == FELT);
    free(pixels);
    scene->count = 0;
    mh_scene_outline(scene, (struct mh_box){0, 0, 20, 12}, MH_GOLD, 0, MH_NO_COLOR, 0);
    scene->shapes[0].opacity = 0.2;
    pixels = painted(scene, MH_LOOK_FELT, 1);
    CHECK(is_mixed(at(pixels, 20, 10, 6), FELT, GOLD, 51) && is_mixed(at(pixels, 20, 0, 0), FELT, GOLD, 51));
    free(pixels);
    free(scene);
}

/* Returns the area of a picture that gold covers, in pixels; it has no other colour. */
static double covered(const uint8_t *pixels, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += (pixels[3 * i] - (double)(FELT >> 16)) / ((GOLD >> 16) - (double)(FELT >> 16));
    }
    return sum;
}

static void test_round_shapes(void)
{
    static const double pi = 3.14159265;
    struct mh_scene *scene = new_scene(40, 40);
    mh_scene_outline(scene, (struct mh_box){20.3, 19.6, 0, 0}, MH_GOLD, 12, MH_NO_COLOR, 0);
    scene->shapes[0].kind = MH_CIRCLE;
    uint8_t *pixels = painted(scene, MH_LOOK_FELT, 1);
    CHECK(fabs(covered(pixels, 1600) - pi * 144) < 2);
    CHECK(at(pixels, 40, 20, 19) == GOLD && at(pixels, 40, 11, 11) != GOLD && at(pixels, 40, 7, 19) == FELT);
    free(pixels);
    scene->shapes[0].fill = MH_NO_COLOR;
    scene->shapes[0].stroke = MH_GOLD;
    scene->shapes[0].width = 3;
    pixels = painted(scene, MH_LOOK_FELT, 1);
    CHECK(fabs(covered(pixels, 1600) - pi * (13.5 * 13.5 - 10.5 * 10.5)) < 2);
    CHECK(at(pixels, 40, 20, 19) == FELT);
    free(pixels);
    scene->count = 0;
    mh_scene_outline(scene, (struct mh_box){4, 5, 30, 20}, MH_GOLD, 6, MH_NO_COLOR, 0);
    pixels = painted(scene, MH_LOOK_FELT, 1);
    CHECK(fabs(covered(pixels, 1600) - (600 - (4 - pi) * 36)) < 2);
    CHECK(at(pixels, 40, 4, 5) == FELT && at(pixels, 40, 33, 24) == FELT && at(pixels, 40, 10, 5) == GOLD);
    free(pixels);
    free(scene);
}

/* Straight upon pixels: polygons and strokes are in sprites alone. */
static void test_polygons_and_strokes(void)
{
    enum { SIDE = 200 };
    static uint8_t pixels[SIDE * SIDE * 3];
    const struct mh_canvas canvas = {pixels, SIDE * 3, 3, 0, 0, SIDE, SIDE};
    const struct mh_ink felt = mh_pen_ink(FELT, 1);
    const struct mh_ink gold = mh_pen_ink(GOLD, 1);
    static const struct mh_point triangle[] = {{10, 20}, {190, 20}, {100, 180}};
    static const struct mh_point star[] = {{100, 10}, {150, 180}, {20, 70}, {180, 70}, {50, 180}};
    mh_pen_cover(&canvas, &felt);
    mh_pen_polygon(&canvas, triangle, 3, &gold);
    CHECK(fabs(covered(pixels, SIDE * SIDE) - 180 * 80) < 20);
    CHECK(at(pixels, SIDE, 100, 20) == GOLD && at(pixels, SIDE, 100, 19) == FELT &&
          at(pixels, SIDE, 100, 170) == GOLD);
    CHECK(at(pixels, SIDE, 30, 170) == FELT && at(pixels, SIDE, 188, 20) == GOLD);
    mh_pen_cover(&canvas, &felt);
    mh_pen_polygon(&canvas, star, 5, &gold);
    CHECK(at(pixels, SIDE, 100, 100) == FELT && at(pixels, SIDE, 100, 40) == GOLD); /* its middle is outside */
    static const struct mh_point square[] = {{2.25F, 3}, {70.5F, 3}, {70.5F, 4.75F}, {2.25F, 4.75F}};
    mh_pen_cover(&canvas, &felt);
    mh_pen_polygon(&canvas, square, 4, &gold);
    CHECK(is_mixed(at(pixels, SIDE, 2, 3), FELT, GOLD, 191) && is_mixed(at(pixels, SIDE, 70, 3), FELT, GOLD, 127));
    CHECK(is_mixed(at(pixels, SIDE, 40, 4), FELT, GOLD, 191) && is_mixed(at(pixels, SIDE, 70, 4), FELT, GOLD, 95));
    CHECK(at(pixels, SIDE, 1, 3) == FELT && at(pixels, SIDE, 71, 3) == FELT && at(pixels, SIDE, 69, 3) == GOLD);
    static const struct mh_point thin[] = {{20, 100}, {180, 100}};
    mh_pen_cover(&canvas, &felt);
    mh_pen_strokes(&canvas, thin, 1, 2.5F, &gold);
    CHECK(at(pixels, SIDE, 99, 99) == GOLD && is_mixed(at(pixels, SIDE, 99, 98), FELT, GOLD, 64));
    CHECK(at(pixels, SIDE, 99, 100) == GOLD && is_mixed(at(pixels, SIDE, 99, 101), FELT, GOLD, 64));
    CHECK(at(pixels, SIDE, 99, 97) == FELT && at(pixels, SIDE, 99, 102) == FELT);
    static const struct mh_point cross[] = {{20, 100}, {180, 100}, {100, 20}, {100, 180}, {40, 40}, {40, 40}};
    mh_pen_cover(&canvas, &felt);
    mh_pen_strokes(&canvas, cross, 3, 8, &gold);
    const double lines = 2 * (160 * 8 + 3.14159265 * 16) - 64;
    CHECK(fabs(covered(pixels, SIDE * SIDE) - lines - 3.14159265 * 16) < 8);
    CHECK(at(pixels, SIDE, 100, 100) == GOLD && at(pixels, SIDE, 40, 40) == GOLD &&
          at(pixels, SIDE, 60, 60) == FELT);
    CHECK(at(pixels, SIDE, 63, 96) == GOLD && at(pixels, SIDE, 64, 96) == GOLD && at(pixels, SIDE, 64, 95) == FELT);
}

/* ---- All kinds of shapes at once ---------------------------------------------------------------------------- */

/* Shapes around and across a square of 40 pixels whose corner is at (by, by). */
static struct mh_scene *crowd(int side, int by, int sprite)
{
    struct mh_scene *scene = new_scene(side, side);
    for (int i = 0; i < 25; i++) {
        const double x = by - 30 + 20 * (i % 5) + 0.25 * (i % 3);
        const int row = i / 5;
        const double y = by - 25 + 20 * row + 0.5 * (i % 2);
        const struct mh_type type = {
            .size = 9 + i % 4, .color = MH_LETTERS, .anchor = i % 3, .is_bold = i % 2, .scale = 0.8};
        mh_scene_outline(scene, (struct mh_box){x, y, 17, 11.5}, MH_TRAY, i % 5, MH_GOLD, 1.5);
        mh_scene_outline(scene, (struct mh_box){x + 9, y, 0, 0}, MH_BAR, 4, MH_NO_COLOR, 0);
        scene->shapes[scene->count - 1].kind = MH_CIRCLE;
        scene->shapes[scene->count - 1].opacity = 0.6;
        mh_scene_text(scene, x, y + 8, type, "Q%g \xE4\xB8\xAD");
        mh_scene_card(scene, (struct mh_card){(int16_t)((sprite + i) % mh_sprite_count()), -1, -1}, x, y, 0.7,
                      MH_NOWHERE, -1);
        scene->shapes[scene->count - 1].opacity = i % 2 ? 1 : 0.55;
    }
    return scene;
}

static void test_what_is_beyond_the_edges(void)
{
    enum { SMALL = 40, LARGE = 160 };
    for (int sprite = 0; sprite < mh_sprite_count(); sprite += 25) {
        for (int by = 50; by < 120; by += 14) { /* tiles lie elsewhere; halves are rounded to even places */
            struct mh_scene *scene = crowd(SMALL, 0, sprite);
            struct mh_scene *whole = crowd(LARGE, by, sprite);
            uint8_t *pixels = painted(scene, MH_LOOK_FELT, 1);
            uint8_t *around = painted(whole, MH_LOOK_FELT, 1);
            for (int y = 0; y < SMALL && by + y < LARGE; y++) {
                const int columns = by + SMALL > LARGE ? LARGE - by : SMALL;
                CHECK(memcmp(pixels + y * SMALL * 3, around + ((by + y) * LARGE + by) * 3, (size_t)columns * 3) ==
                      0);
            }
            free(pixels);
            free(around);
            free(scene);
            free(whole);
        }
    }
}

/* Letters that are larger than the tiles in which they are painted. */
static void test_large_letters(void)
{
    const struct mh_type type = {.size = 300, .color = MH_GOLD, .is_bold = 1};
    struct mh_scene *scene = new_scene(400, 400);
    struct mh_scene *moved = new_scene(400, 400);
    mh_scene_text(scene, 20, 300, type, "W");
    mh_scene_text(moved, 57, 281, type, "W");
    uint8_t *pixels = painted(scene, MH_LOOK_FELT, 1);
    uint8_t *others = painted(moved, MH_LOOK_FELT, 1);
    CHECK(covered(pixels, 160000) > 20000);
    for (int y = 19; y < 400; y++) {
        CHECK(memcmp(pixels + y * 1200, others + ((y - 19) * 400 + 37) * 3, 3 * 363) == 0);
    }
    free(pixels);
    free(others);
    free(scene);
    free(moved);
}

/* A sprite shines through as a whole: its ground does not come through what is painted on it. */
static void test_opacity(void)
{
    struct mh_scene *scene = new_scene(40, 56);
    mh_scene_card(scene, (struct mh_card){0, -1, -1}, 0, 0, 1, MH_NOWHERE, -1);
    while (strcmp(mh_sprite_at(scene->shapes[0].sprite)->name, "card-back") != 0) {
        scene->shapes[0].sprite++;
    }
    uint8_t *opaque = painted(scene, MH_LOOK_FELT, 1);
    scene->shapes[0].opacity = 0.5;
    uint8_t *pale = painted(scene, MH_LOOK_FELT, 1);
    for (int i = 0; i < 40 * 56; i++) {
        CHECK(is_mixed(at(pale, 1, 0, i), FELT, at(opaque, 1, 0, i), 128));
    }
    scene->shapes[0].opacity = 0;
    uint8_t *none = painted(scene, MH_LOOK_FELT, 1);
    CHECK(at(none, 40, 20, 28) == FELT && at(opaque, 40, 20, 28) != FELT);
    free(opaque);
    free(pale);
    free(none);
    free(scene);
}

static void test_texts_without_room(void)
{
    struct mh_scene *scene = new_scene(30, 30);
    uint8_t *empty = painted(scene, MH_LOOK_FELT, 1);
    const struct mh_type far = {.size = 12, .color = MH_GOLD};
    mh_scene_text(scene, -500, 10, far, "beyond the left edge");
    mh_scene_text(scene, 31, 10, far, "beyond the right edge");
    mh_scene_text(scene, 0, -20, far, "above");
    mh_scene_text(scene, 0, 60, far, "below");
    mh_scene_text(scene, 1e6, -1e6, far, "far away");
    mh_scene_text(scene, 10, 10, far, "   ");
    uint8_t *pixels = painted(scene, MH_LOOK_FELT, 1);
    CHECK(memcmp(pixels, empty, 2700) == 0);
    free(pixels);
    const struct mh_type narrow = {.size = 12, .color = MH_GOLD, .scale = 1e-6};
    mh_scene_text(scene, 10, 20, narrow, "all in one column");
    pixels = painted(scene, MH_LOOK_FELT, 1);
    for (int i = 0; i < 900; i++) {
        CHECK(at(pixels, 1, 0, i) == FELT || (i % 30 >= 8 && i % 30 <= 11));
    }
    CHECK(memcmp(pixels, empty, 2700) != 0);
    free(pixels);
    free(empty);
    free(scene);
}

/* ---- Scales and looks --------------------------------------------------------------------------------------- */

/* A picture three times as large, made smaller again, looks as it does at once. */
static void test_scales(void)
{
    enum { SIDE = 60 };
    struct mh_scene *scene = crowd(SIDE, 10, 40);
    for (int i = 0; i < scene->count; i++) { /* sprites and baselines move to whole pixels otherwise */
        scene->shapes[i].x = floor(scene->shapes[i].x);
        scene->shapes[i].y = floor(scene->shapes[i].y);
    }
    uint8_t *pixels = painted(scene, MH_LOOK_FELT, 1);
    uint8_t *large = painted(scene, MH_LOOK_FELT, 3);
    double difference = 0;
    for (int i = 0; i < SIDE * SIDE * 3; i++) {
        const int x = i / 3 % SIDE;
        const int y = i / 3 / SIDE;
        double sum = 0;
        for (int part = 0; part < 9; part++) {
            const int row = 3 * y + part / 3;
            sum += large[(row * 3 * SIDE + 3 * x + part % 3) * 3 + i % 3];
        }
        difference += fabs(sum / 9 - pixels[i]);
    }
    CHECK(difference / (SIDE * SIDE * 3) < 6); /* letters move to quarters */
    free(pixels);
    free(large);
    free(scene);
}

static void test_sizes(void)
{
    struct mh_scene *scene = new_scene(25, 7);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 0.5, NULL, 0, NULL), 12 * 4 * 3); /* halves to even: 12.5, 3.5 */
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 3, NULL, 0, NULL), 75 * 21 * 3);
    static const double scales[] = {0, -1, 0.01, 1e9, 1e300, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        char message[MH_MESSAGE_SIZE] = "";
        CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, scales[i], NULL, 0, message), MH_ERROR_ARGUMENT);
        CHECK(strncmp(message, "scale: ", 7) == 0 && strstr(message, "from 1 to 16384"));
    }
    free(scene);
}

static void test_looks(void)
{
    struct mh_scene *scene = new_scene(40, 56);
    uint8_t *dark = painted(scene, MH_LOOK_DARK, 1);
    CHECK_EQUAL(at(dark, 40, 5, 5), 0x0c1210);
    uint8_t *light = painted(scene, MH_LOOK_LIGHT | MH_LOOK_SAFE_SUITS, 1);
    CHECK_EQUAL(at(light, 40, 5, 5), 0xd5e5da);
    for (int sprite = 0; sprite < mh_sprite_count(); sprite++) { /* red is another if suits are safe, ink is not */
        const int is_red = strcmp(mh_sprite_at(sprite)->name, "playing-2h") == 0;
        if (is_red || strcmp(mh_sprite_at(sprite)->name, "playing-2s") == 0) {
            scene->count = 0;
            mh_scene_card(scene, (struct mh_card){(int16_t)sprite, -1, -1}, 0, 0, 1, MH_NOWHERE, -1);
            uint8_t *usual = painted(scene, MH_LOOK_FELT, 1);
            uint8_t *safe = painted(scene, MH_LOOK_FELT | MH_LOOK_SAFE_SUITS, 1);
            CHECK_EQUAL(memcmp(usual, safe, 40 * 56 * 3) != 0, is_red);
            free(usual);
            free(safe);
        }
    }
    free(dark);
    free(light);
    free(scene);
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static void test_room(void)
{
    enum { BYTES = 40 * 40 * 3, BEHIND = 64 };
    struct mh_scene *scene = crowd(40, 0, 3);
    uint8_t pixels[BYTES + BEHIND];
    memset(pixels, 0xA5, sizeof pixels);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, pixels, BYTES - 1, NULL), BYTES);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, pixels, 0, NULL), BYTES);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, pixels, -1, NULL), BYTES);
    for (size_t i = 0; i < sizeof pixels; i++) {
        CHECK_EQUAL(pixels[i], 0xA5);
    }
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, NULL, BYTES, NULL), BYTES);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, pixels, BYTES, NULL), BYTES);
    for (size_t i = BYTES; i < sizeof pixels; i++) {
        CHECK_EQUAL(pixels[i], 0xA5);
    }
    free(scene);
}

/* Leaves something on the stack where the next call works. */
static int poison(int with)
{
    volatile uint8_t stack[1 << 17];
    int sum = 0;
    for (size_t i = 0; i < sizeof stack; i++) {
        stack[i] = (uint8_t)with;
        sum += stack[i];
    }
    return sum;
}

static void test_nothing_is_left_of_before(void)
{
    enum { BYTES = 120 * 120 * 3 };
    struct mh_scene *scene = crowd(120, 20, 60);
    uint8_t *first = check_memory(BYTES);
    uint8_t *second = check_memory(BYTES);
    memset(second, 0xFF, BYTES);
    CHECK(poison(0x00) == 0);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, first, BYTES, NULL), BYTES);
    CHECK(poison(0xFF) > 0);
    CHECK_EQUAL(mh_scene_pixels(NULL, scene, 0, 1, second, BYTES, NULL), BYTES);
    CHECK(memcmp(first, second, BYTES) == 0);
    free(first);
    free(second);
    free(scene);
}

enum { JOBS = 2, SIDE = 120 };

struct jobs {
    struct mh_scene *scenes[JOBS];
    uint8_t *pixels[JOBS];
};

static void paint_often(void *context, int part, int first, int last)
{
    const struct jobs *jobs = context;
    (void)part;
    for (int job = first; job < last; job++) {
        for (int i = 20; i >= 0; i--) { /* the last one on felt */
            mh_scene_pixels(NULL, jobs->scenes[job], i % 3, 1, jobs->pixels[job], SIDE * SIDE * 3, NULL);
        }
    }
}

static void test_threads(void)
{
    struct jobs jobs;
    struct mh_pool *pool;
    for (int i = 0; i < JOBS; i++) {
        jobs.scenes[i] = crowd(SIDE, 20, 30 * i);
        jobs.pixels[i] = check_memory(SIDE * SIDE * 3);
    }
    CHECK_EQUAL(mh_pool_new(JOBS, NULL, &pool), MH_OK);
    mh_pool_run(pool, JOBS, paint_often, &jobs);
    mh_pool_free(&pool);
    for (int i = 0; i < JOBS; i++) {
        uint8_t *alone = painted(jobs.scenes[i], 0, 1);
        CHECK(memcmp(alone, jobs.pixels[i], SIDE * SIDE * 3) == 0);
        free(alone);
        free(jobs.pixels[i]);
        free(jobs.scenes[i]);
    }
}

int main(void)
{
    test_rectangles();
    test_round_shapes();
    test_polygons_and_strokes();
    test_what_is_beyond_the_edges();
    test_large_letters();
    test_opacity();
    test_texts_without_room();
    test_scales();
    test_sizes();
    test_looks();
    test_room();
    test_nothing_is_left_of_before();
    test_threads();
    return 0;
}
