/* The end of a round: the winner's cards in groups, and what they are paid for. */
#ifndef MH_ENDING_H
#define MH_ENDING_H

#include "layout.h"

enum {
    MH_MAX_GROUPS = 16,
    MH_MAX_GROUP = 14, /* cards of one */
    MH_MAX_PARTS = 24,
    MH_PART_SIZE = 64 /* bytes of the letters of a part, closing zero included */
};

/* Cards that lie together. */
struct mh_laid_group {
    struct mh_card cards[MH_MAX_GROUP];
    int count;
    char letter;  /* by which parts name it; 0: none does */
    int has_from; /* a card of it was another seat's discard, */
    int from;     /* of this seat */
};

/* A combination that the winner is paid for. */
struct mh_ending_part {
    int64_t number;
    const char *name;
    char
        letters[MH_PART_SIZE]; /* of the groups that it is paid for, together for each time: "AB CD"; "": for all */
};

struct mh_ending {
    struct mh_laid_group groups[MH_MAX_GROUPS];
    struct mh_ending_part parts[MH_MAX_PARTS];
    int num_groups, num_parts;
    struct mh_panel panels[MH_MAX_SEATS]; /* how each seat stands */
    char result[MH_RESULT_SIZE];          /* a line, "" where it is not known */
    int is_game_over;                     /* a whole game, not a round alone */
};

/* Lays the groups in rows, cards as large as fit and at most so wide; returns where they end. Letter and origin of a
 * group stand above it, `size` high. */
double mh_ending_lay(struct mh_scene *scene, const struct mh_ending *ending, const struct mh_shown *shown,
                     struct mh_box box, int widest, int size);

/* Writes the parts in columns as high as the box, `size` high or as high as fits. */
void mh_ending_write(struct mh_scene *scene, const struct mh_ending *ending, struct mh_box box, int size);

#endif
