/* Cards in rows: as large as a box has room for them. */
#ifndef MH_ROWS_OF_CARDS_H
#define MH_ROWS_OF_CARDS_H

#include "scene.h"

/* Cards of one zone side by side, in widths of a card. */
struct mh_block {
    const struct mh_card *cards;
    const char *note; /* above it; NULL: none */
    int count;
    int zone;
    int seat;
    int may_break;  /* into rows */
    double space;   /* before it in a row */
    double step;    /* from one card to the next, where there is room */
    double closest; /* the step at least */
    double size;    /* of its cards, compared with those of other blocks */
};

/* Lays blocks in rows from the top of a box, bottoms of cards in line. Cards are as large as there is room, `largest`
 * wide at most. Rather than become small they lie closer to each other, as far as that is possible. */
void mh_rows_lay(struct mh_scene *scene, const struct mh_block *blocks, int count, struct mh_box box,
                 double largest);

/* Places for so many single cards in rows, as large as they fit into a box. */
struct mh_grid {
    struct mh_box box;
    double width;
    int columns;
};

struct mh_grid mh_rows_grid(int count, struct mh_box box, double largest);
struct mh_box mh_rows_place(const struct mh_grid *self, int number);

#endif
