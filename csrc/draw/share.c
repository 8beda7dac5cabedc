#include "share.h"

#include "mh_game.h"

enum {
    MARGIN = 40,
    TOP = 84, /* heights of the bars */
    BOTTOM = 92,
    CARD = 112,      /* width at most */
    PARTS_LINE = 32, /* height of a line of parts, */
    PARTS_LINES = 4, /* and how many are in a column */
    TITLE = 36,      /* sizes of text */
    HEADLINE = 32,
    TEXT = 20,
    ORIGIN = 18,
    PART = 24
};

/* "seed 7, num_players 3, lay_down on" */
static void write_facts(const struct mh_shown *shown, char text[MH_RESULT_SIZE])
{
    const struct mh_spec *spec = shown->game->rules->spec;
    struct mh_text out;
    text[0] = '\0';
    mh_text_begin(&out, text, MH_RESULT_SIZE);
    if (shown->viewer->seed) {
        mh_text_add(&out, "seed %llu", (unsigned long long)*shown->viewer->seed);
    }
    for (int i = 0; i < spec->num_options; i++) {
        if (shown->options[i] != spec->options[i].standard) {
            mh_text_add(&out, "%s%s ", out.length ? ", " : "", spec->options[i].name);
            mh_spec_value(&out, &spec->options[i], shown->options[i]);
        }
    }
}

static void add_title(struct mh_scene *scene, const struct mh_shown *shown)
{
    const char *title = shown->game->rules->spec->title;
    char facts[MH_RESULT_SIZE];
    write_facts(shown, facts);
    mh_scene_rect(scene, (struct mh_box){0, 0, scene->w, TOP}, MH_BAR, 0);
    mh_scene_text(scene, MARGIN, 55, (struct mh_type){TITLE, MH_ACCENT, MH_START, 1, 1}, title);
    const double room = scene->w - 2 * MARGIN - mh_font_width(title, TITLE) - MARGIN;
    const double scale = mh_font_squeezed(facts, TEXT, room);
    mh_scene_text(scene, scene->w - MARGIN, 53, (struct mh_type){TEXT, MH_PALE, MH_END, 0, scale}, facts);
}

/* A sentence in as many lines as it needs; returns where it ends. */
static double add_sentence(struct mh_scene *scene, const char *text, struct mh_type type, double y)
{
    while (*text) {
        char line[MH_LINE_SIZE];
        text = mh_font_wrap(text, type.size, scene->w - 2 * MARGIN, line);
        y += 1.3 * type.size;
        mh_scene_text(scene, MARGIN, y - 0.2 * type.size, type, line);
    }
    return y;
}

/* A player's name and score; a winner's in gold. */
static void add_standing(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_panel *panel,
                         struct mh_box box)
{
    char name[MH_LINE_SIZE];
    char score[MH_LINE_SIZE];
    const int ink = panel->is_active ? MH_DARK : MH_LETTERS;
    mh_layout_name(shown, panel->seat, name);
    mh_layout_score(panel, 1, score);
    const double room = box.w - 32;
    const struct mh_type large = {24, ink, MH_START, 1, mh_font_squeezed(name, 24, room)};
    const struct mh_type small = {20, ink, MH_START, 0, mh_font_squeezed(score, 20, room)};
    mh_scene_rect(scene, box, panel->is_active ? MH_GOLD : MH_PANEL, 8);
    mh_scene_text(scene, box.x + 16, box.y + 36, large, name);
    mh_scene_text(scene, box.x + 16, box.y + 66, small, score);
}

static void add_standings(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_ending *ending)
{
    enum { BETWEEN = 12, BENEATH = 8 };
    const double w = (scene->w - 2 * MARGIN + BETWEEN) / (double)shown->seats - BETWEEN;
    for (int seat = 0; seat < shown->seats; seat++) {
        const double x = MARGIN + seat * (w + BETWEEN);
        add_standing(scene, shown, &ending->panels[seat],
                     (struct mh_box){x, scene->h - BOTTOM - BENEATH, w, BOTTOM - BENEATH});
    }
}

/* The sentences that say how it ended, the first one large; of a game first who has won it. */
static double add_sentences(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_ending *ending)
{
    char status[MH_RESULT_SIZE];
    char line[MH_LINE_SIZE];
    struct mh_text title;
    const struct mh_type large = {HEADLINE, MH_LETTERS, MH_START, 1, 1};
    mh_layout_say(shown, MH_WORDS_STATUS, 0, status);
    mh_layout_cut(status);
    const char *headline = ending->is_game_over ? status : ending->result;
    mh_text_begin(&title, line, sizeof line);
    mh_text_add(&title, "%s: %s", shown->game->rules->spec->title, headline);
    mh_scene_title(scene, line);
    const double y = add_sentence(scene, headline, large, TOP + 18);
    return ending->is_game_over
               ? add_sentence(scene, ending->result, (struct mh_type){TEXT, MH_PALE, MH_START, 0, 1}, y)
               : y;
}

void mh_share_draw(const struct mh_ending *ending, const struct mh_shown *shown, struct mh_scene *scene)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    scene->w = sizes->w;
    scene->h = sizes->h;
    scene->background = MH_FELT;
    add_title(scene, shown);
    double y = add_sentences(scene, shown, ending);
    const double bottom = scene->h - BOTTOM - 16;
    const int lines = ending->num_parts < PARTS_LINES ? ending->num_parts : PARTS_LINES;
    const double width = scene->w - 2 * MARGIN;
    const struct mh_box cards = {MARGIN, y + 20, width, bottom - PARTS_LINE * lines - y - 32};
    y = mh_ending_lay(scene, ending, shown, cards, CARD, ORIGIN);
    mh_ending_write(scene, ending, (struct mh_box){MARGIN, y + 8, width, bottom - y - 8}, PART);
    add_standings(scene, shown, ending);
}
