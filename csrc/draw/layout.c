#include "layout.h"

#include "words/mh_say.h"

static const struct mh_arrangement arrangements[MH_FORMS] = {
    [MH_WIDE] = {.w = 960,
                 .h = 720,
                 .gap = 8,
                 .header = 26,
                 .name = 16,
                 .text = 14,
                 .small = 12,
                 .line = 16,
                 .pile = 56,
                 .above = {{1}, {2}, {3}, {2, 2}, {3, 2}}},
    [MH_PORTRAIT] = {.w = 360,
                     .h = 640,
                     .gap = 4,
                     .header = 20,
                     .name = 13,
                     .text = 12,
                     .small = 11,
                     .line = 14,
                     .pile = 36,
                     .is_narrow = 1,
                     .above = {{1}, {2}, {1, 2}, {2, 2}, {1, 2, 2}}},
    [MH_SHARE] = {.w = 1200, .h = 630},
};

const struct mh_arrangement *mh_layout_sizes(const struct mh_scene *scene)
{
    return &arrangements[scene->form];
}

void mh_layout_begin(struct mh_scene *scene, const char *title)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    scene->w = sizes->w;
    scene->h = sizes->h;
    scene->background = MH_FELT;
    mh_scene_title(scene, title);
}

/* One of some panels side by side. */
static struct mh_box panel_in_row(struct mh_box row, int count, int number, double gap)
{
    const double w = (row.w - gap * (count - 1)) / count;
    return (struct mh_box){row.x + number * (w + gap), row.y, w, row.h};
}

/* Clockwise: up the left side from the lowest row, along the highest one, and down the right side. */
static void place_above(const int counts[3], int rows, const struct mh_box *row, double gap, struct mh_box *boxes)
{
    int placed = 0;
    for (int i = rows - 1; i > 0; i--) {
        boxes[placed++] = panel_in_row(row[i], counts[i], 0, gap);
    }
    for (int i = 0; i < counts[0]; i++) {
        boxes[placed++] = panel_in_row(row[0], counts[0], i, gap);
    }
    for (int i = 1; i < rows; i++) {
        boxes[placed++] = panel_in_row(row[i], counts[i], 1, gap);
    }
}

struct mh_box mh_layout_around(const struct mh_scene *scene, int seats, double below_h, double middle_h,
                               struct mh_box boxes[MH_MAX_SEATS])
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const double gap = sizes->gap;
    const double w = sizes->w - 2 * gap;
    const struct mh_box below = {gap, sizes->h - gap - below_h, w, below_h};
    const struct mh_box middle = {gap, below.y - gap - middle_h, w, middle_h};
    boxes[0] = below;
    if (seats == 1) {
        return middle;
    }
    const int *counts = sizes->above[seats - 2];
    const int rows = (counts[0] > 0) + (counts[1] > 0) + (counts[2] > 0);
    const double h = (middle.y - gap * (1 + rows)) / rows;
    struct mh_box row[3];
    for (int i = 0; i < rows; i++) {
        row[i] = (struct mh_box){gap, gap + i * (h + gap), w, h};
    }
    place_above(counts, rows, row, gap, boxes + 1);
    return middle;
}

/* ---- Panels ------------------------------------------------------------------------------------------------- */

/* The free part of a header, between the texts at both ends. */
struct header {
    struct mh_scene *scene;
    const struct mh_arrangement *sizes;
    double x, end;
    double space, baseline;
    int ink, pale;
};

void mh_layout_score(const struct mh_panel *panel, int has_unit, char *line)
{
    struct mh_text text;
    line[0] = '\0';
    mh_text_begin(&text, line, MH_LINE_SIZE);
    if (panel->has_score) {
        mh_text_number(&text, panel->score);
        if (has_unit) {
            mh_text_add(&text, " %s%s", panel->unit, panel->score == 1 ? "" : "s");
        }
    }
    if (panel->has_change) {
        mh_text_add(&text, "%s%+lld", panel->has_score ? "  " : "", (long long)panel->change);
    }
}

static void write_score(struct header *self, const struct mh_panel *panel)
{
    char line[MH_LINE_SIZE];
    mh_layout_score(panel, !self->sizes->is_narrow, line);
    if (line[0]) {
        const struct mh_type type = {self->sizes->text, self->ink, MH_END, 1, 1};
        mh_scene_text(self->scene, self->end, self->baseline, type, line);
        self->end -= mh_font_width(line, type.size) + 2 * self->space;
    }
}

/* A name, "Seat 2" where none was given; returns whether it says that the viewer is meant. */
static int write_name(struct header *self, const struct mh_shown *shown, int seat)
{
    char name[MH_LINE_SIZE];
    char line[MH_LINE_SIZE];
    if (shown->viewer->names) {
        mh_layout_name(shown, seat, name);
    } else {
        struct mh_text text;
        mh_text_begin(&text, name, sizeof name);
        mh_text_add(&text, "Seat %d", seat);
    }
    const struct mh_type type = {self->sizes->text, self->ink, MH_START, 1, 1};
    mh_font_shorten(name, type.size, self->end - self->x, line);
    mh_scene_text(self->scene, self->x, self->baseline, type, line);
    self->x += mh_font_width(line, type.size) + self->space;
    return strcmp(name, "You") == 0;
}

static void write_tag(struct header *self, const char *tag)
{
    const struct mh_type type = {self->sizes->small, self->pale, MH_START, 0, 1};
    const double w = mh_font_width(tag, type.size);
    if (tag[0] && self->x + w <= self->end) {
        mh_scene_text(self->scene, self->x, self->baseline, type, tag);
        self->x += w + self->space;
    }
}

static void add_mark(struct header *self, int mark, struct mh_box box)
{
    enum { MARGIN = 2 };
    const double w = box.h - 2 * MARGIN;
    if (self->x + w <= self->end) {
        mh_scene_mark(self->scene, mark, self->x, box.y + MARGIN, w / MH_MARK);
        self->x += w + self->space;
    }
}

static void write_header(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_panel *panel,
                         struct mh_box box)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    struct header self = {.scene = scene,
                          .sizes = sizes,
                          .x = box.x + sizes->gap + 2,
                          .end = mh_box_right(box) - sizes->gap - 2,
                          .space = sizes->small / 2.0,
                          .baseline = box.y + box.h * 0.73,
                          .ink = panel->is_active ? MH_DARK : MH_LETTERS,
                          .pale = panel->is_active ? MH_DARK : MH_PALE};
    mh_scene_rect(scene, box, panel->is_active ? MH_GOLD : MH_BAR, 8);
    write_score(&self, panel);
    const int is_said = write_name(&self, shown, panel->seat);
    if (panel->seat == shown->viewer->seat && !is_said) {
        write_tag(&self, "you");
    }
    for (int i = 0; i < MH_MAX_TAGS; i++) {
        if (panel->tags[i].mark) {
            add_mark(&self, panel->tags[i].mark, box);
        } else if (panel->tags[i].text) {
            write_tag(&self, panel->tags[i].text);
        }
    }
}

struct mh_box mh_layout_panel(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_panel *panel,
                              struct mh_box box, int *is_below)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    *is_below = mh_box_bottom(box) == sizes->h - sizes->gap;
    mh_scene_outline(scene, box, MH_PANEL, 8, panel->is_active ? MH_GOLD : MH_NO_COLOR, 3);
    const double top = *is_below ? mh_box_bottom(box) - sizes->header : box.y;
    write_header(scene, shown, panel, (struct mh_box){box.x, top, box.w, sizes->header});
    const double y = box.y + sizes->gap + (*is_below ? 0 : sizes->header);
    return (struct mh_box){box.x + sizes->gap, y, box.w - 2 * sizes->gap, box.h - sizes->header - 2 * sizes->gap};
}

/* ---- Words -------------------------------------------------------------------------------------------------- */

void mh_layout_write(struct mh_scene *scene, struct mh_column *column, const char *text, int size, int color)
{
    enum { LEADING = 4 };
    const struct mh_type type = {size, color, MH_START, color == MH_ACCENT, 1};
    while (*text && !column->is_full) {
        char line[MH_LINE_SIZE];
        text = mh_font_wrap(text, size, column->box.w, line);
        column->is_full = column->y + size > mh_box_bottom(column->box);
        if (!column->is_full) {
            column->y += size + LEADING;
            mh_scene_text(scene, column->box.x, column->y - LEADING, type, line);
        }
    }
}

void mh_layout_seat(const struct mh_shown *shown, const char *before, int seat, char *text)
{
    struct mh_words words = {.shown = shown};
    mh_text_begin(&words.text, text, MH_LINE_SIZE);
    mh_words_put(&words, before);
    mh_words_seat(&words, seat);
}

void mh_layout_name(const struct mh_shown *shown, int seat, char *text)
{
    struct mh_words words = {.shown = shown};
    mh_text_begin(&words.text, text, MH_LINE_SIZE);
    mh_words_subject(&words, seat);
}

void mh_layout_say(const struct mh_shown *shown, int part, int number, char *text)
{
    struct mh_words words = {.shown = shown};
    mh_text_begin(&words.text, text, MH_RESULT_SIZE);
    text[0] = '\0';
    mh_say_part(shown->game, &words, part, number);
}

char *mh_layout_cut(char *text)
{
    char *end = text + strcspn(text, "\n");
    if (*end) {
        *end++ = '\0';
    }
    return end;
}

void mh_layout_log(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_column *column)
{
    enum { ABOVE = 4, BELOW = 4 };
    if (shown->viewer->has_log) {
        return;
    }
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const double top = column->y + ABOVE;
    const double h = mh_box_bottom(column->box) - top;
    const int room = h < 0 ? 0 : (int)(h / sizes->line);
    char events[MH_RESULT_SIZE];
    mh_layout_say(shown, MH_WORDS_EVENTS, room < MH_EVENT_TAIL ? room : MH_EVENT_TAIL, events);
    int number = 1;
    for (char *event = events; *event; number++) {
        char *next = mh_layout_cut(event);
        char line[MH_LINE_SIZE];
        mh_font_shorten(event, sizes->small, column->box.w, line);
        const struct mh_type type = {sizes->small, *next ? MH_PALE : MH_LETTERS, MH_START, 0, 1};
        mh_scene_text(scene, column->box.x, top + sizes->line * number - BELOW, type, line);
        event = next;
    }
}

/* ---- Piles -------------------------------------------------------------------------------------------------- */

struct mh_box mh_layout_pile(struct mh_scene *scene, int left, int action, double x, double y)
{
    enum { STEP = 3, CARDS_SHOWN = 3, BENEATH = 8 };
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const double scale = sizes->pile / MH_CARD_W;
    const double w = MH_CARD_W * scale;
    const double h = MH_CARD_H * scale;
    mh_scene_outline(scene, (struct mh_box){x + STEP, y + STEP, w, h}, MH_NO_COLOR, 6, MH_PALE, 1);
    const struct mh_card back = {MH_SPRITE_BACK, -1, (int16_t)action};
    for (int i = 0; i < left && i < CARDS_SHOWN; i++) {
        mh_scene_card(scene, back, x + STEP * i, y + STEP * i, scale, MH_PILE, -1);
    }
    char text[MH_TEXT_SIZE];
    struct mh_text line;
    mh_text_begin(&line, text, sizeof text);
    mh_text_add(&line, "%d left", left);
    const struct mh_type type = {sizes->small, MH_LETTERS, MH_MIDDLE, 0, 1};
    mh_scene_text(scene, x + w / 2 + STEP, y + h + BENEATH + sizes->small, type, text);
    return (struct mh_box){x, y, w + 2 * STEP, h + BENEATH + STEP + sizes->small};
}

void mh_layout_offer(struct mh_scene *scene, struct mh_box place)
{
    const double widest = 3;
    const double margin = place.w / 12 < widest ? place.w / 12 : widest;
    mh_scene_rect(scene, mh_box_inset(place, -margin), MH_GOLD, 6);
}
