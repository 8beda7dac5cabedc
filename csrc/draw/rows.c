#include "rows.h"

#include "font.h"

static const double SMALL = 0.6;   /* of the largest width: from here on cards rather lie closer */
static const double NARROWEST = 8; /* width of a card */
static const double BETWEEN = 3;   /* pixels between rows */
static const double NOTE = 10;     /* the size of a note, and below, what its line takes */
static const double NOTE_LINE = 13;
static const double EXACTNESS = 0.5; /* of the width of a card */
static const double CLOSELY = 0.05;  /* of how close cards lie */
static const double SLACK = 0.01;    /* by which a row may be too wide: sums are rounded */

/* Blocks that are being laid, and where the next card goes. */
struct row_walk {
    const struct mh_block *blocks;
    int count;
    double room;      /* of a row */
    double width;     /* of a card */
    double closeness; /* 0: cards lie as far apart as they may, 1: as close */
    int block, number;
    int row;
    double x;   /* of the card, left edge */
    double end; /* right edge of the one before */
};

/* Places the first card of a block, or the next one. */
static void place_card(struct row_walk *self)
{
    const struct mh_block *block = &self->blocks[self->block];
    const double card = self->width * block->size;
    const double step = card * (block->step + (block->closest - block->step) * self->closeness);
    const double whole = block->may_break ? card : card + step * (block->count - 1);
    if (self->number == 0) {
        self->x = self->end != 0 ? self->end + self->width * block->space : 0;
    } else {
        self->x += step;
    }
    if (self->x + whole > self->room && self->x != 0 && (self->number == 0 || block->may_break)) {
        self->row++;
        self->x = 0;
    }
    self->end = self->x + card;
}

/* Goes to the next card; 0: there is none. Begins with block 0 and number -1. */
static int next_card(struct row_walk *self)
{
    self->number++;
    while (self->block < self->count && self->number == self->blocks[self->block].count) {
        self->block++;
        self->number = 0;
    }
    if (self->block == self->count) {
        return 0;
    }
    place_card(self);
    return 1;
}

/* The question whether a number, such as the width of cards, is not too large for the box. */
struct question {
    const struct mh_block *blocks;
    int count;
    struct mh_box box;
    double head;  /* above each row */
    double width; /* while it is asked how far apart cards may lie */
    double fixed; /* the closeness, while it is asked how wide they may be */
    int is_of_apart;
};

static struct row_walk begin_walk(const struct question *self, double number)
{
    return (struct row_walk){.blocks = self->blocks,
                             .count = self->count,
                             .room = self->box.w,
                             .width = self->is_of_apart ? self->width : number,
                             .closeness = self->is_of_apart ? 1 - number : self->fixed,
                             .number = -1};
}

static int fits(const struct question *self, double number)
{
    struct row_walk walk = begin_walk(self, number);
    int rows = 0;
    while (next_card(&walk)) {
        rows = walk.row + 1;
        if (walk.end > self->box.w + SLACK) {
            return 0;
        }
    }
    return rows * (walk.width * MH_CARD_RATIO + self->head + BETWEEN) - BETWEEN <= self->box.h + SLACK;
}

/* The largest number that fits, `low` if none does. */
static double most(const struct question *self, double low, double high, double exactness)
{
    if (fits(self, high)) {
        return high;
    }
    while (high - low > exactness) {
        const double middle = (low + high) / 2;
        if (fits(self, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_card(struct mh_scene *scene, const struct question *question, const struct row_walk *walk)
{
    const struct mh_block *block = &question->blocks[walk->block];
    const double card = walk->width * block->size;
    const double line = walk->width * MH_CARD_RATIO + question->head;
    const double bottom = question->box.y + (walk->row + 1) * line + walk->row * BETWEEN;
    const double x = question->box.x + walk->x;
    const double top = bottom - card * MH_CARD_RATIO;
    if (block->note && walk->number == 0) {
        const double scale = mh_font_squeezed(block->note, NOTE, card * block->count);
        mh_scene_text(scene, x, top - BETWEEN, (struct mh_type){NOTE, MH_PALE, MH_START, 0, scale}, block->note);
    }
    mh_scene_card(scene, block->cards[walk->number], x, top, card / MH_CARD_W, block->zone, block->seat);
}

void mh_rows_lay(struct mh_scene *scene, const struct mh_block *blocks, int count, struct mh_box box,
                 double largest)
{
    struct question question = {.blocks = blocks, .count = count, .box = box};
    for (int i = 0; i < count; i++) {
        question.head = blocks[i].note ? NOTE_LINE : question.head;
    }
    const double apart = most(&question, NARROWEST, largest, EXACTNESS);
    question.fixed = 1;
    const double close = most(&question, NARROWEST, SMALL * largest, EXACTNESS);
    question.width =
        (int)(apart > close ? apart : close); /* of few sizes there are few pictures, and small films */
    question.is_of_apart = 1;
    const double distance = most(&question, 0, 1, CLOSELY);
    if (!fits(&question, distance)) {
        return;
    }
    struct row_walk walk = begin_walk(&question, distance);
    while (next_card(&walk)) {
        add_card(scene, &question, &walk);
    }
}

/* ---- Single cards ------------------------------------------------------------------------------------------- */

static const double APART = 2; /* pixels between columns */

static int columns_of(struct mh_box box, double width)
{
    return (int)((box.w + APART) / (width + APART));
}

static int grid_fits(int count, struct mh_box box, double width)
{
    const int columns = columns_of(box, width);
    const int rows = columns > 0 ? (count + columns - 1) / columns : 0;
    return columns > 0 && rows * (width * MH_CARD_RATIO + BETWEEN) - BETWEEN <= box.h;
}

struct mh_grid mh_rows_grid(int count, struct mh_box box, double largest)
{
    double low = NARROWEST;
    double high = largest;
    if (grid_fits(count, box, high)) {
        low = high;
    }
    while (high - low > EXACTNESS) {
        const double middle = (low + high) / 2;
        if (grid_fits(count, box, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (struct mh_grid){box, low, columns_of(box, low)};
}

struct mh_box mh_rows_place(const struct mh_grid *self, int number)
{
    const int row = number / self->columns;
    const int column = number % self->columns;
    const double h = self->width * MH_CARD_RATIO;
    return (struct mh_box){self->box.x + column * (self->width + APART), self->box.y + row * (h + BETWEEN),
                           self->width, h};
}
