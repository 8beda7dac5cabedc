#include "generic.h"

#include "share.h"
#include "words/mh_words_generic.h"

/* Heights of the viewer's panel and of the middle. */
static const struct {
    double below, middle;
} heights[MH_FORMS] = {[MH_WIDE] = {236, 216}, [MH_PORTRAIT] = {190, 230}};

enum { MANY = 30 }; /* more cards than that are not drawn */

static const double WIDEST = 50; /* widths of cards */
static const double NARROWEST = 14;
static const double NAMES = 7; /* the width of the column of names, in heights of small text */
static const double BETWEEN = 4;
static const double SPACE = 10; /* between texts side by side */

void mh_generic_sprite_text(int sprite, char *text)
{
    struct mh_text out;
    if (sprite == MH_GENERIC_BLANK) {
        mh_text_begin(&out, text, MH_TEXT_SIZE);
        mh_text_put(&out, "card-blank");
    } else {
        mh_playing_sprite_text(sprite, text);
    }
}

/* ---- Cards -------------------------------------------------------------------------------------------------- */

static const struct mh_labels *cards_of(const struct mh_spec *spec)
{
    return mh_labels_of(spec, "card", strlen("card"));
}

/* True if all cards of a game are playing cards. */
static int are_playing(const struct mh_labels *cards)
{
    char label[MH_LABEL_SIZE];
    for (int card = 0; card < cards->count; card++) {
        cards->text(card, label);
        if (mh_playing_read(label) < 0) {
            return 0;
        }
    }
    return 1;
}

/* Cards of a field, in its order; -1 for an empty place between them. */
struct field_cards {
    int16_t card[MANY];
    int count;
};

/* Finds the cards that the picture has for a field; returns 0 where it has none. */
static int find_cards(const struct mh_spec *spec, const struct mh_shown_value *value, struct field_cards *found)
{
    const int is_counted = value->reading.kind == MH_READ_COUNTS;
    found->count = 0;
    if (!value->reading.labels || value->reading.labels != cards_of(spec)) {
        return 0;
    }
    for (int i = 0; i < value->count; i++) {
        for (int n = is_counted ? value->bytes[i] : 1; n > 0; n--) {
            const int card = is_counted ? i : value->bytes[i] - 1;
            if (found->count == MANY || card >= value->reading.labels->count) {
                return 0; /* too many, or the number says more than which card it is */
            }
            found->card[found->count++] = (int16_t)card;
        }
    }
    return 1;
}

static int begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Returns the zone of a field's cards, by the field's name (C50); of the table, where seat is -1. */
static int zone_of(const char *name, int seat)
{
    static const struct {
        const char *name;
        int zone;
    } zones[] = {{"hand", MH_HAND},   {"drawn", MH_DRAWN}, {"meld", MH_MELD}, {"discard", MH_DISCARDS},
                 {"offer", MH_OFFER}, {"pile", MH_PILE},   {"draw", MH_PILE}, {"deck", MH_PILE}};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        if (begins(name, zones[i].name)) {
            return zones[i].zone;
        }
    }
    return seat >= 0 ? MH_MELD : MH_PILE;
}

/* The card of a game that is written like this; -1: there is none. */
static int find_card(const struct mh_labels *cards, const char *text, size_t length)
{
    char label[MH_LABEL_SIZE];
    for (int card = 0; card < cards->count; card++) {
        cards->text(card, label);
        if (strlen(label) == length && memcmp(label, text, length) == 0) {
            return card;
        }
    }
    return -1;
}

int mh_generic_move_cards(const struct mh_shown *shown, int action, struct mh_move_card *cards)
{
    const struct mh_labels *labels = cards_of(shown->game->rules->spec);
    char text[MH_TEXT_SIZE], label[MH_LABEL_SIZE];
    int count = 0;
    shown->game->rules->action_text(action, text);
    for (const char *word = text; *word && count < MH_MOVE_CARDS;) {
        const size_t length = strcspn(word, " ");
        const int card = labels ? find_card(labels, word, length) : -1;
        if (card >= 0) {
            labels->text(card, label);
            const int face = are_playing(labels) ? mh_playing_face(mh_playing_read(label), 0) : -1;
            cards[count++] = (struct mh_move_card){(int16_t)face, (int16_t)card, 1};
        }
        word += length + strspn(word + length, " ");
    }
    return count;
}

/* A card with its own face, or with its label upon a blank one. */
static void add_card(struct mh_scene *scene, const struct mh_labels *cards, int has_faces, int card,
                     struct mh_box place, int zone, int seat)
{
    char label[MH_LABEL_SIZE];
    const double scale = place.w / MH_CARD_W;
    cards->text(card, label);
    const int sprite = has_faces ? mh_playing_face(mh_playing_read(label), 0) : MH_GENERIC_BLANK;
    const struct mh_card shown = {(int16_t)sprite, (int16_t)card, -1};
    mh_scene_card(scene, shown, place.x, place.y, scale, zone, seat);
    if (sprite == MH_GENERIC_BLANK) {
        enum { SIZE = 20, MARGIN = 3, BASELINE = 22 };
        const double size = SIZE * scale;
        const double squeezed = mh_font_squeezed(label, size, place.w - 2 * MARGIN * scale);
        const struct mh_type type = {size, MH_DARK, MH_START, 1, squeezed};
        mh_scene_text(scene, place.x + MARGIN * scale, place.y + BASELINE * scale, type, label);
    }
}

static void add_name(struct mh_scene *scene, const char *name, struct mh_box box)
{
    char line[MH_LINE_SIZE];
    char words[MH_LINE_SIZE];
    struct mh_text text;
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    mh_text_begin(&text, words, sizeof words);
    for (; *name; name++) {
        mh_text_add(&text, "%c", *name == '_' ? ' ' : *name);
    }
    mh_font_shorten(words, sizes->small, box.w, line);
    mh_scene_text(scene, box.x, box.y + sizes->small, (struct mh_type){sizes->small, MH_PALE, MH_START, 0, 1},
                  line);
}

/* A row of cards behind their name; they lie closer where they are many. */
static void add_row(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_shown_value *value,
                    const struct field_cards *cards, int seat, struct mh_box box)
{
    const struct mh_labels *labels = cards_of(shown->game->rules->spec);
    const int has_faces = are_playing(labels);
    const int zone = zone_of(value->field->name, seat);
    const double left = NAMES * mh_layout_sizes(scene)->small;
    const double width = box.h / MH_CARD_RATIO;
    const double room = (box.w - left - width) / (cards->count > 1 ? cards->count - 1 : 1);
    const double step = room < width + 2 ? room : width + 2;
    add_name(scene, value->field->name, (struct mh_box){box.x, box.y, left - 6, box.h});
    for (int i = 0; i < cards->count; i++) {
        if (cards->card[i] >= 0) {
            const struct mh_box place = {box.x + left + i * step, box.y, width, box.h};
            add_card(scene, labels, has_faces, cards->card[i], place, zone, seat);
        }
    }
}

/* ---- Words -------------------------------------------------------------------------------------------------- */

/* Texts side by side, from line to line, in a box; without a scene they are only measured. */
struct flow {
    struct mh_scene *scene;
    struct mh_box box;
    double size, line;
    double x;
    int lines;
};

static void flow_line(struct flow *self, const char *text)
{
    const double y = self->box.y + self->line * (self->lines - 1) + self->size;
    if (self->scene && y <= mh_box_bottom(self->box)) {
        const struct mh_type type = {self->size, MH_LETTERS, MH_START, 0, 1};
        mh_scene_text(self->scene, self->box.x + self->x, y, type, text);
    }
}

static void flow_text(struct flow *self, const char *text)
{
    const double width = mh_font_width(text, self->size);
    if (self->x > 0 && self->x + width > self->box.w) {
        self->x = 0;
    }
    while (*text) {
        char line[MH_LINE_SIZE];
        text = mh_font_wrap(text, self->size, self->box.w - self->x, line);
        self->lines += self->x <= 0;
        flow_line(self, line);
        self->x = *text ? 0 : self->x + mh_font_width(line, self->size) + SPACE;
    }
}

/* The text about a seat, or about the table (-1), besides the rows of cards. */
static void flow_values(const struct mh_shown *shown, int seat, struct flow *flow)
{
    struct mh_shown_value value;
    struct field_cards cards;
    for (int place = 0; mh_shown_next(shown, seat, &place, &value);) {
        if (!find_cards(shown->game->rules->spec, &value, &cards)) {
            char text[MH_RESULT_SIZE];
            struct mh_words words = {.shown = shown};
            mh_text_begin(&words.text, text, sizeof text);
            mh_generic_value(&value, &words);
            flow_text(flow, text);
        }
    }
}

/* ---- Regions ------------------------------------------------------------------------------------------------ */

static int count_rows(const struct mh_shown *shown, int seat)
{
    struct mh_shown_value value;
    struct field_cards cards;
    int rows = 0;
    for (int place = 0; mh_shown_next(shown, seat, &place, &value);) {
        rows += find_cards(shown->game->rules->spec, &value, &cards);
    }
    return rows;
}

/* The height of cards in so many rows beside the words. */
static double height_of(struct mh_box box, int rows, double words)
{
    const double free = (box.h - words) / rows - BETWEEN;
    double width = (int)(free / MH_CARD_RATIO);
    width = width < WIDEST ? width : WIDEST;
    return (width > NARROWEST ? width : NARROWEST) * MH_CARD_RATIO;
}

/* Cards in rows, as large as there is room beside the words, then the words. */
static void add_values(struct mh_scene *scene, const struct mh_shown *shown, int seat, struct mh_box box)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    struct flow flow = {.box = box, .size = sizes->small, .line = sizes->line};
    const int rows = count_rows(shown, seat);
    double y = box.y;
    flow_values(shown, seat, &flow);
    if (rows) {
        const double h = height_of(box, rows, flow.line * flow.lines);
        struct mh_shown_value value;
        struct field_cards cards;
        for (int place = 0; mh_shown_next(shown, seat, &place, &value);) {
            if (find_cards(shown->game->rules->spec, &value, &cards) && y + h <= mh_box_bottom(box)) {
                add_row(scene, shown, &value, &cards, seat, (struct mh_box){box.x, y, box.w, h});
                y += h + BETWEEN;
            }
        }
    }
    flow = (struct flow){.scene = scene,
                         .box = {box.x, y, box.w, mh_box_bottom(box) - y},
                         .size = sizes->small,
                         .line = sizes->line};
    flow_values(shown, seat, &flow);
}

/* True if a panel stands out: that of the seat on turn, or of the winner when the game is over. */
static int is_active(const struct mh_shown *shown, int seat)
{
    const int to_act = shown->viewer->to_act;
    if (to_act == MH_OVER || to_act == MH_BETWEEN_ROUNDS) {
        const int64_t *winner = mh_shown_role(shown, MH_ROLE_WINNER);
        return winner && *winner == seat;
    }
    return (to_act >= 0 ? to_act : mh_shown_on_turn(shown)) == seat;
}

static void add_words(struct mh_scene *scene, const struct mh_shown *shown, struct mh_box box)
{
    static const int parts[] = {MH_WORDS_HEADING, MH_WORDS_STATUS, MH_WORDS_RESULT};
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const struct {
        int size, color;
    } looks[] = {{sizes->text, MH_PALE}, {sizes->name, MH_ACCENT}, {sizes->small, MH_LETTERS}};
    struct mh_column column = {.box = box, .y = box.y};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[MH_RESULT_SIZE];
        mh_layout_say(shown, parts[i], 0, text);
        for (char *line = text; *line;) {
            char *next = mh_layout_cut(line);
            mh_layout_write(scene, &column, line, looks[i].size, looks[i].color);
            line = next;
        }
    }
    mh_layout_log(scene, shown, &column);
}

static void share_scene(const struct mh_shown *shown, struct mh_scene *scene)
{
    struct mh_ending ending = {.num_groups = 0};
    mh_layout_say(shown, MH_WORDS_RESULT, 0, ending.result);
    for (char *end = strchr(ending.result, '\n'); end; end = strchr(end, '\n')) {
        *end = ' ';
    }
    for (int seat = 0; seat < shown->seats; seat++) {
        ending.panels[seat] = (struct mh_panel){.seat = seat, .is_active = is_active(shown, seat)};
    }
    mh_share_draw(&ending, shown, scene);
}

void mh_generic_picture(const struct mh_shown *shown, struct mh_scene *scene)
{
    static const double cards = 0.6; /* the part of the middle that is not for words */
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const double gap = sizes->gap;
    struct mh_box boxes[MH_MAX_SEATS];
    if (scene->form == MH_SHARE) {
        share_scene(shown, scene);
        return;
    }
    mh_layout_begin(scene, shown->game->rules->spec->title);
    const struct mh_box middle =
        mh_layout_around(scene, shown->seats, heights[scene->form].below, heights[scene->form].middle, boxes);
    for (int i = 0; i < shown->seats; i++) { /* clockwise from the viewer */
        const int seat = mh_shown_seat(shown, i + 1);
        const struct mh_panel panel = {.seat = seat, .is_active = is_active(shown, seat)};
        int is_below;
        const struct mh_box inner = mh_layout_panel(scene, shown, &panel, boxes[i], &is_below);
        add_values(scene, shown, seat, inner);
    }
    mh_scene_rect(scene, middle, MH_BAR, 8);
    const struct mh_box inner = mh_box_inset(middle, gap + 4);
    struct mh_box upper = {inner.x, inner.y, inner.w * cards - gap, inner.h};
    struct mh_box words = {mh_box_right(upper) + 2 * gap, inner.y, inner.w * (1 - cards) - gap, inner.h};
    if (sizes->is_narrow) {
        upper = (struct mh_box){inner.x, inner.y, inner.w, inner.h * cards - gap};
        words = (struct mh_box){inner.x, mh_box_bottom(upper) + gap, inner.w, inner.h * (1 - cards)};
    }
    add_values(scene, shown, -1, upper);
    add_words(scene, shown, words);
}
