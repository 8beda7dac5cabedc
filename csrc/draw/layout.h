/* The boxes of a table, and what is written in them. */
#ifndef MH_LAYOUT_H
#define MH_LAYOUT_H

#include "font.h"
#include "game/mh_words.h"
#include "scene.h"

enum { MH_MAX_TAGS = 4, MH_RESULT_SIZE = 4096 /* bytes of some whole lines */ };

/* The sizes that a layout is made from, in pixels. */
struct mh_arrangement {
    int w, h;
    int gap;               /* between panels, and around what is in them */
    int header;            /* of a panel */
    int name, text, small; /* sizes of text */
    int line;              /* from one line of small text to the next */
    int pile;              /* the width of a card on a pile */
    int is_narrow;         /* things lie beneath each other that else lie side by side */
    int above[MH_MAX_SEATS - 1]
             [3]; /* for 1, 2 ... other players, how many panels are in each row above the middle; in
                                       all rows but the highest they are in pairs, left and right */
};

const struct mh_arrangement *mh_layout_sizes(const struct mh_scene *scene);

/* An empty picture with a ground and a title. */
void mh_layout_begin(struct mh_scene *scene, const char *title);

/* Writes the boxes of the panels, clockwise from the one below; returns the one in the middle. */
struct mh_box mh_layout_around(const struct mh_scene *scene, int seats, double below_h, double middle_h,
                               struct mh_box boxes[MH_MAX_SEATS]);

/* ---- Panels ------------------------------------------------------------------------------------------------- */

/* A word, or a mark: a sprite of MH_MARK units. All zeros: none. */
struct mh_tag {
    const char *text;
    int mark;
};

/* The contents of the header of a player's panel. */
struct mh_panel {
    int seat;
    int is_active; /* on turn, as far as the viewer knows; after the end, a winner */
    int has_score;
    int64_t score;
    const char *unit; /* of the score, one: "point" */
    int has_change;
    int64_t change;                  /* of the score, in the round just ended */
    struct mh_tag tags[MH_MAX_TAGS]; /* beside the name, as far as there is room */
};

/* Draws a panel and its header, which is at the outer edge: below in the panel of who sits below. Returns the box for
 * all else; *is_below says where the header is. */
struct mh_box mh_layout_panel(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_panel *panel,
                              struct mh_box box, int *is_below);

/* Writes the score of a panel and its change, "8 points  +8"; in few words the number alone. At most MH_LINE_SIZE
 * bytes. */
void mh_layout_score(const struct mh_panel *panel, int has_unit, char *line);

/* ---- Words -------------------------------------------------------------------------------------------------- */

/* A column of text that is being written, from the top of a box. */
struct mh_column {
    struct mh_box box;
    double y;
    int is_full; /* something did not fit, and nothing follows it */
};

/* Writes a text, in as many lines as it needs and there is room for. */
void mh_layout_write(struct mh_scene *scene, struct mh_column *column, const char *text, int size, int color);

/* Write the name of a seat, MH_LINE_SIZE bytes at most: within a sentence, after the words before it, such as "from
 * you"; and alone, such as "You". */
void mh_layout_seat(const struct mh_shown *shown, const char *before, int seat, char *text);
void mh_layout_name(const struct mh_shown *shown, int seat, char *text);

/* A part of the words, enum mh_words_part, as a text of whole lines of MH_RESULT_SIZE bytes at most. */
void mh_layout_say(const struct mh_shown *shown, int part, int number, char *text);

/* Cuts off the first line of a text; returns what follows it, "" at the end. */
char *mh_layout_cut(char *text);

/* Writes the last public events that there is room for in the rest of a column, each in a line; none for a viewer who
 * has a log. */
void mh_layout_log(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_column *column);

/* ---- Piles -------------------------------------------------------------------------------------------------- */

/* Draws cards face down in a pile, and beneath how many they are; returns the place of both. */
struct mh_box mh_layout_pile(struct mh_scene *scene, int left, int action, double x, double y);

/* The mark beneath a discard that may be had. */
void mh_layout_offer(struct mh_scene *scene, struct mh_box place);

#endif
