#include "ending.h"

#include "font.h"

static const double ONE_ROW = 0.6; /* how much smaller cards may be where they are in one row then */
static const double BENEATH = 4;   /* pixels below a row of groups */

/* ---- Groups ------------------------------------------------------------------------------------------------- */

/* Single cards lie side by side. */
static double space_after(const struct mh_laid_group *group, int width)
{
    return group->count == 1 ? 2 : width / 4.0;
}

/* Counts the rows that hold the groups, none wider than the room; 0 where a single group is wider. */
static int count_rows(const struct mh_ending *ending, double room, int width)
{
    int rows = 1;
    double x = 0;
    for (int i = 0; i < ending->num_groups; i++) {
        const double w = width * ending->groups[i].count;
        if (w > room) {
            return 0;
        }
        if (x > 0 && x + w > room) {
            rows++;
            x = 0;
        }
        x += w + space_after(&ending->groups[i], width);
    }
    return rows;
}

/* The widest cards that fit; less wide ones, but not much less, where all groups are in one row then. */
static int width_of_cards(const struct mh_ending *ending, struct mh_box box, int widest, double caption)
{
    int largest = 1;
    int in_one_row = 0;
    for (int width = 1; width <= widest; width++) {
        const int rows = count_rows(ending, box.w, width);
        if (rows && rows * (caption + width * MH_CARD_RATIO + BENEATH) <= box.h) {
            largest = width;
            in_one_row = rows == 1 ? width : in_one_row;
        }
    }
    return in_one_row >= ONE_ROW * largest ? in_one_row : largest;
}

/* The letter at the left, the origin beside it, in narrower letters where there is little room. */
static void add_caption(struct mh_scene *scene, const struct mh_laid_group *group, const struct mh_shown *shown,
                        struct mh_box box)
{
    const double size = box.h;
    const double baseline = box.y + 0.8 * size;
    double x = box.x + 1;
    if (group->letter) {
        const char letter[] = {group->letter, '\0'};
        mh_scene_text(scene, x, baseline, (struct mh_type){size, MH_ACCENT, MH_START, 1, 1}, letter);
        x += mh_font_width(letter, size) + size / 3;
    }
    if (group->has_from) {
        char text[MH_LINE_SIZE];
        mh_layout_seat(shown, "from ", group->from, text);
        const double scale = mh_font_squeezed(text, size, mh_box_right(box) - x);
        mh_scene_text(scene, x, baseline, (struct mh_type){size, MH_PALE, MH_START, 0, scale}, text);
    }
}

double mh_ending_lay(struct mh_scene *scene, const struct mh_ending *ending, const struct mh_shown *shown,
                     struct mh_box box, int widest, int size)
{
    double caption = 0;
    for (int i = 0; i < ending->num_groups; i++) {
        caption = ending->groups[i].letter || ending->groups[i].has_from ? size + BENEATH : caption;
    }
    const int width = width_of_cards(ending, box, widest, caption);
    const double row = caption + width * MH_CARD_RATIO + BENEATH;
    double x = 0; /* from the left edge of the box */
    double y = box.y;
    if (!ending->num_groups || !count_rows(ending, box.w, width)) {
        return y;
    }
    for (int i = 0; i < ending->num_groups; i++) {
        const struct mh_laid_group *group = &ending->groups[i];
        const double w = width * group->count;
        if (x > 0 && x + w > box.w) {
            x = 0;
            y += row;
        }
        add_caption(scene, group, shown, (struct mh_box){box.x + x, y, w, size});
        for (int card = 0; card < group->count; card++) {
            mh_scene_card(scene, group->cards[card], box.x + x + card * width, y + caption, width / MH_CARD_W,
                          MH_RESULT, -1);
        }
        x += w + space_after(group, width);
    }
    return y + row;
}

/* ---- Parts -------------------------------------------------------------------------------------------------- */

static int line_of(int size)
{
    return (13 * size + 9) / 10; /* 1.3 times, rounded up */
}

static int rows_in(struct mh_box box, int size)
{
    const int rows = (int)(box.h / line_of(size));
    return rows > 1 ? rows : 1;
}

/* The width of a column of parts, from one to before another. */
static double column_width(const struct mh_ending *ending, int from, int to, int size)
{
    double widest = 0;
    for (int i = from; i < to && i < ending->num_parts; i++) {
        const struct mh_ending_part *part = &ending->parts[i];
        char text[MH_LINE_SIZE];
        struct mh_text line;
        mh_text_begin(&line, text, sizeof text);
        mh_text_add(&line, "%s%s%s", part->name, part->letters[0] ? " " : "", part->letters);
        const double width = mh_font_width(text, size);
        widest = width > widest ? width : widest;
    }
    return 3.4 * size + widest;
}

static double width_of_parts(const struct mh_ending *ending, struct mh_box box, int size)
{
    const int rows = rows_in(box, size);
    double width = 0;
    for (int from = 0; from < ending->num_parts; from += rows) {
        width += column_width(ending, from, from + rows, size);
    }
    return width;
}

static void write_part(struct mh_scene *scene, const struct mh_ending_part *part, double x, double baseline,
                       int size)
{
    char number[MH_TEXT_SIZE];
    struct mh_text text;
    mh_text_begin(&text, number, sizeof number);
    mh_text_add(&text, "%lld", (long long)part->number);
    const double name = x + 1.7 * size;
    const double letters = name + mh_font_width(part->name, size) + 0.6 * size;
    const struct mh_type accent = {size, MH_ACCENT, MH_START, 0, 1};
    mh_scene_text(scene, name - 0.4 * size, baseline, (struct mh_type){size, MH_ACCENT, MH_END, 1, 1}, number);
    mh_scene_text(scene, name, baseline, (struct mh_type){size, MH_LETTERS, MH_START, 0, 1}, part->name);
    mh_scene_text(scene, letters, baseline, accent, part->letters);
}

void mh_ending_write(struct mh_scene *scene, const struct mh_ending *ending, struct mh_box box, int size)
{
    while (size > 1 && width_of_parts(ending, box, size) > box.w) {
        size--;
    }
    const int rows = rows_in(box, size);
    double x = box.x;
    for (int from = 0; from < ending->num_parts; from += rows) {
        for (int i = from; i < from + rows && i < ending->num_parts; i++) {
            write_part(scene, &ending->parts[i], x, box.y + size + (i - from) * line_of(size), size);
        }
        x += column_width(ending, from, from + rows, size);
    }
}
