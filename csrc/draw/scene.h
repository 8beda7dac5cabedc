/* Shapes in a scene, each upon those before it. A scene without room for more says so, and stays as it is. */
#ifndef MH_SCENE_H
#define MH_SCENE_H

#include "mh.h"

static inline double mh_box_right(struct mh_box box)
{
    return box.x + box.w;
}

static inline double mh_box_bottom(struct mh_box box)
{
    return box.y + box.h;
}

/* The region within a margin. */
static inline struct mh_box mh_box_inset(struct mh_box box, double margin)
{
    return (struct mh_box){box.x + margin, box.y + margin, box.w - 2 * margin, box.h - 2 * margin};
}

/* Cards that a move is about: from the hand; or from the table, such as the discard on offer. */
static inline struct mh_move_card mh_card_held(struct mh_card card)
{
    return (struct mh_move_card){card.sprite, card.card, 1};
}

static inline struct mh_move_card mh_card_on_table(struct mh_card card)
{
    return (struct mh_move_card){card.sprite, card.card, 0};
}

/* The size of all cards, in card units. */
static const double MH_CARD_W = 40;
static const double MH_CARD_H = 56;
static const double MH_CARD_RATIO = 56.0 / 40;

/* The sprite of a card face down: the same in all games. */
enum { MH_SPRITE_BACK = 0 };

void mh_scene_rect(struct mh_scene *self, struct mh_box box, int fill, double radius);
/* A card that has left its place, such as a discard that was taken. */
void mh_scene_faded_card(struct mh_scene *self, struct mh_card card, double x, double y, double scale, int zone,
                         int seat);
/* A sprite that is no card and says nothing that is not said elsewhere, of MH_MARK x MH_MARK units. */
enum { MH_MARK = 20 };
void mh_scene_mark(struct mh_scene *self, int sprite, double x, double y, double scale);

#endif
