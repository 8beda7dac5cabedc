/* The public C interface of pictures: art and letters, sprites for other painters, tables as scenes, and scenes as SVG
 * and as pixels. The conventions are those of mh_api.h. */

/* ---- Art --------------------------------------------------------------------------------------------------- */

/* A colour of tables and cards, by what it is for: 0xRRGGBB in each palette. Colours of tables differ by palette. Those
 * of cards are the same in all of them, but `safe` takes the place of a suit's colour for people who confuse suits. */
struct mh_palette_color {
    const char *name; /* such as "felt"; "" where only art has it */
    uint32_t felt, light, dark, safe;
    int32_t is_card; /* 1: cards have it, 0: tables */
};

/* The colours that have numbers from 1 on, those of tables first. mh_palette_color_at returns NULL when there is none
 * of that number; 0 stands for no colour. */
int mh_palette_size(void);
const struct mh_palette_color *mh_palette_color_at(int color);

/* The colours of a picture: a palette, and perhaps the safe colours of suits. */
enum mh_look {
    MH_LOOK_FELT = 0,
    MH_LOOK_LIGHT = 1,
    MH_LOOK_DARK = 2,
    MH_LOOK_SAFE_SUITS = 4 /* to be added to a palette */
};

/* A colour in a look, 0xRRGGBB; 0 where there is none of that number. */
uint32_t mh_palette_rgb(int color, int look);

/* ---- Letters ----------------------------------------------------------------------------------------------- */

/* The width in pixels of a text in UTF-8, of an em so high: every painter makes it as wide. */
double mh_font_width(const char *text, double size);

/* The pen strokes of a printable ASCII character, separated by spaces; those of "?" for all others.
 *
 * A stroke is a row of points, two digits of base 36 each, x and y, on a grid of 16 steps an em, where capitals reach
 * from 0 to 12, which is the baseline, small letters begin at 4, and tails end at 16. The pen begins 1.7 steps before x
 * = 0. "~" makes a stroke a smooth curve along its points, "@" a closed one: each corner is cut at a quarter of its
 * sides, three times. A stroke of one point is a dot. */
const char *mh_font_strokes(uint32_t code);

/* ---- Sprites ----------------------------------------------------------------------------------------------- */

/* The kind of a sprite's shape, and its numbers: tenths of a unit, from the sprite's top left corner. */
enum mh_art_kind {
    MH_ART_RECT = 0,   /* x, y, width, height, radius of its corners */
    MH_ART_CIRCLE = 1, /* x and y of its centre, radius */
    MH_ART_TEXT = 2,   /* x, y of the baseline, height of an em, width or 0: as usual; then its characters */
    MH_ART_LINE = 3,   /* x, y of each point; its ends and joints are round */
    MH_ART_POLYGON = 4 /* x, y of each corner */
};

enum { MH_MAX_ART_POINTS = 256 /* of one line or polygon */ };

enum mh_art_flags {
    MH_ART_MIDDLE = 1, /* the middle of a text is at x, */
    MH_ART_END = 2,    /* or its end */
    MH_ART_BOLD = 4
};

struct mh_art_shape {
    uint8_t kind;   /* enum mh_art_kind */
    uint8_t fill;   /* a number of mh_palette_color_at, as is the next */
    uint8_t stroke; /* of the outline, which is centred on the edge */
    uint8_t flags;  /* of a text, enum mh_art_flags */
    int16_t width;  /* of the outline, in tenths of a unit */
    int16_t count;  /* of its numbers, */
    int32_t first;  /* and where they begin in mh_sprite.numbers */
};

/* A small picture that stands in many places of larger ones: a card, or a mark. The art of this library comes from SVG
 * files. A name is a valid XML id, and no two sprites have the same. */
struct mh_sprite {
    const char *name; /* such as "playing-5s" */
    const char *card; /* the card that it shows, as games write it; "" where that is open, or it shows none */
    /* The sprite as an SVG element that has its name as id, to be placed by <use>. Colours that have a name are classes
     * beside it, such as "fill-paper stroke-edge". It has no closing zero. */
    const char *svg;
    int32_t svg_length;
    int32_t w, h;  /* units */
    int32_t count; /* shapes, from the back to the front */
    const struct mh_art_shape *shapes;
    const int16_t *numbers;
};

/* mh_sprite_at returns NULL when there is no such index, mh_sprite_named when no sprite has that name. */
int mh_sprite_count(void);
const struct mh_sprite *mh_sprite_at(int index);
const struct mh_sprite *mh_sprite_named(const char *name);

/* ---- Pictures ---------------------------------------------------------------------------------------------- */

enum mh_form {
    MH_WIDE = 0,     /* 960 x 720 pixels */
    MH_PORTRAIT = 1, /* 360 x 640, for narrow windows */
    MH_SHARE = 2,    /* 1200 x 630: how an episode ended, of what anybody may know */
    MH_FORMS = 3
};

/* The colours of a table, by what they are for: numbers of mh_palette_color_at. */
enum mh_color {
    MH_NO_COLOR = 0,
    MH_FELT = 1,
    MH_PANEL = 2,
    MH_TRAY = 3,
    MH_BAR = 4,
    MH_LETTERS = 5,
    MH_PALE = 6,   /* of what matters less */
    MH_ACCENT = 7, /* of what matters most */
    MH_GOLD = 8,   /* of what is on turn or may be had */
    MH_DARK = 9    /* of letters on gold */
};

/* Where a card lies. */
enum mh_zone {
    MH_NOWHERE = 0, /* it belongs to no zone, as a sample does */
    MH_HAND = 1,
    MH_DRAWN = 2, /* in the hand, just drawn */
    MH_MELD = 3,
    MH_DISCARDS = 4,
    MH_OFFER = 5,
    MH_PILE = 6,
    MH_RESULT = 7
};

enum mh_shape_kind {
    MH_RECT = 0,   /* w x h, with round corners of `radius` */
    MH_CIRCLE = 1, /* x and y are its centre */
    MH_TEXT = 2,   /* a line; y is its baseline, h the height of an em, w its length as it is painted */
    MH_SPRITE = 3  /* a card or another picture that comes many times, of w x h pixels */
};

enum mh_anchor { MH_START = 0, MH_MIDDLE = 1, MH_END = 2 }; /* what of a text is at x */

/* One shape of a picture, in pixels from the top left corner. What a kind does not use is 0, but for the numbers below
 * that may be -1. No bytes lie between the fields, so that equal shapes are equal bytes. */
struct mh_shape {
    uint8_t kind;   /* enum mh_shape_kind */
    uint8_t fill;   /* a number of mh_palette_color_at, such as an enum mh_color; as is the next */
    uint8_t stroke; /* of the outline, which is centred on the edge, as in SVG */
    uint8_t anchor; /* enum mh_anchor */
    uint8_t is_bold;
    uint8_t zone;   /* enum mh_zone */
    int16_t seat;   /* whose card it is; -1: nobody's */
    int16_t sprite; /* a number of mh_game_sprite_text, not of mh_sprite_at; -1 */
    int16_t card; /* the card that it shows, a number of the labels `cards`; -1: it lies face down, or it is none */
    int32_t action; /* what touching it plays; -1: nothing */
    int32_t text;   /* where it begins in `texts` of the scene */
    int32_t length; /* bytes of the text */
    double x, y, w, h;
    double radius;
    double width; /* of the outline */
    double
        scale; /* of a sprite, compared with its own size; of a text, how much wider than usual its letters are */
    double opacity; /* 1: nothing shows through */
};

enum {
    MH_MAX_SHAPES = 2048,
    MH_MAX_TEXTS = 16384 /* bytes of all texts of a picture */
};

/* A picture of w x h pixels: shapes from the back to the front, upon a ground of one colour. */
struct mh_scene {
    int32_t form; /* enum mh_form */
    int32_t w, h;
    int32_t background; /* enum mh_color */
    int32_t title;      /* where the title begins in `texts`, and its bytes */
    int32_t title_length;
    int32_t count;   /* shapes */
    int32_t used;    /* bytes of `texts` */
    int32_t is_full; /* 1: shapes or texts are missing, since there was no room for them */
    int32_t unused;
    struct mh_shape shapes[MH_MAX_SHAPES];
    char texts[MH_MAX_TEXTS]; /* UTF-8, one after another, without closing zeros */
};

/* Draws what an observation shows, of bytes and a viewer as in mh_words, into the caller's memory. */
int mh_picture(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
               const struct mh_viewer *viewer, int form, struct mh_scene *scene, char *message);

/* A card that a move is about. */
struct mh_move_card {
    int16_t sprite;  /* what it looks like, as in mh_shape: a joker like what it stands for; -1: it has no face */
    int16_t card;    /* as in mh_shape; -1: it lies face down */
    int32_t is_held; /* 1: it comes from the hand, as far as the action says it */
};

enum { MH_MOVE_CARDS = 16 };

/* Writes the cards that an action of the viewer is about, in the order of its text, into cards[MH_MOVE_CARDS]; of an
 * observation as in mh_words. Returns how many, or an enum mh_status with a message. */
int mh_move_cards(const struct mh_game *game, const uint8_t *observation, int64_t bytes,
                  const struct mh_viewer *viewer, int action, struct mh_move_card *cards, char *message);

/* The number of sprites in the pictures of the game: 0, if it draws none. */
int mh_game_sprites(const struct mh_game *game);

/* Writes the name of such a sprite, "playing-5s", by which mh_sprite_named finds it: at most MH_TEXT_SIZE bytes. */
int mh_game_sprite_text(const struct mh_game *game, int sprite, char *text);

/* ---- Pictures by others ------------------------------------------------------------------------------------ */

/* A region of a picture. Layouts divide it; nothing paints it. */
struct mh_box {
    double x, y, w, h;
};

/* The look of a text: the height of an em, its colour and the rest. */
struct mh_type {
    double size;
    int color;
    int anchor; /* enum mh_anchor */
    int is_bold;
    double scale; /* 0: letters as wide as usual */
};

/* A card to be placed: what it looks like, which one it is, and what touching it plays. */
struct mh_card {
    int16_t sprite; /* a number of mh_game_sprite_text */
    int16_t card;   /* -1: it lies face down */
    int16_t action; /* -1: nothing */
};

/* Begins a picture without shapes. Its size and background are 0, for the caller to set. */
void mh_scene_begin(struct mh_scene *self, int form);
void mh_scene_title(struct mh_scene *self, const char *text);

/* Each adds a shape upon those before it. A scene without room for more says so, and stays as it is. */
void mh_scene_outline(struct mh_scene *self, struct mh_box box, int fill, double radius, int stroke, double width);
void mh_scene_text(struct mh_scene *self, double x, double y, struct mh_type type, const char *text);
void mh_scene_card(struct mh_scene *self, struct mh_card card, double x, double y, double scale, int zone,
                   int seat);

/* ---- Pictures as SVG and as pixels ------------------------------------------------------------------------- */

/* The families of letters that an SVG document names, for pages that show its elements. */
const char *mh_svg_fonts(void);

/* Writes a picture as an SVG document that stands alone: no scripts, no links, generic fonts only. An element a line;
 * the sprites that it uses are in <defs>.
 *
 * `game` is the one of the picture: its sprites, and the cards of its labels. NULL: the picture is of none, shows no
 * cards, and its sprites are numbers of mh_sprite_at. `look` is an enum mh_look. A colour of the palette is named by a
 * class beside it, such as class="fill-felt", so that a page can give it another; looks other than the felt one do so
 * by a style sheet in the document. A card says what it is and where it lies:
 *
 *   data-card              the card as the game writes it, "" where it lies face down
 *   data-zone, data-seat   where it lies, and whose it is if it is somebody's
 *   data-key               all of that, and its number among equal ones there
 *
 * No two cards of a picture have the same key. From one picture to the next a card with the same key has stayed where
 * it was, though it may have been moved up. A key that is gone and a new one of the same card are a card that was
 * played, drawn or taken. Cards face down are numbered from the left, whichever of them is gone: so the keys say no
 * more than the picture.
 *
 * Returns the length of the document without its closing zero, like snprintf: no more than `size` bytes are written,
 * and a `text` of NULL asks for the length. MH_ERROR_ARGUMENT, with a message, where the picture or the look is
 * none. */
int64_t mh_scene_svg(const struct mh_game *game, const struct mh_scene *scene, int look, char *text, int64_t size,
                     char *message);

/* Writes a picture as rows of JSON, for a page that draws it: an array for each shape, a line each, the ground first.
 * Colours are names of the palette, or "#rrggbb" where one has none, and null where nothing is painted.
 *
 *   [0, x, y, w, h, fill, radius, stroke, width, opacity]          a rectangle (MH_RECT)
 *   [1, x, y, radius, fill, stroke, width, opacity]                a circle
 *   [2, x, y, size, fill, text, w, anchor, weight, opacity]        a text; w: null where it has one character;
 *                                                                  anchor: null, "middle", "end"; weight: null, "bold"
 *   [3, x, y, scale, sprite, zone, card, seat, action, opacity]    a sprite, by its name; seat, action: null for none
 *
 * A row ends behind its last value that is not the usual one: a radius of 0, an opacity of 1, null; a sprite without a
 * zone ends behind its name. The page makes keys of cards as mh_scene_svg does. Arguments and result are those of
 * mh_scene_svg. */
int64_t mh_scene_rows(const struct mh_game *game, const struct mh_scene *scene, char *text, int64_t size,
                      char *message);

/* Paints a picture `scale` times as large as it is, sides rounded to whole pixels: rows from the top, red, green and
 * blue of each pixel from the left, of 8 bits each. Arguments are those of mh_scene_svg. Letters come from
 * mh_font_strokes.
 *
 * Returns the bytes of the whole. Nothing is painted where `size` is less, so that an `rgb` of NULL and a size of 0 ask
 * for it. No memory is allocated. MH_ERROR_ARGUMENT, with a message, as above; or the scale is not above 0, or so that
 * a side has no pixels, or more than MH_MAX_PIXELS. */
enum { MH_MAX_PIXELS = 16384 };
int64_t mh_scene_pixels(const struct mh_game *game, const struct mh_scene *scene, int look, double scale,
                        uint8_t *rgb, int64_t size, char *message);
