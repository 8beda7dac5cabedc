/* The common parts of pictures of games with playing cards: hands and melds, the piles, the play. */
#ifndef MH_PLAYING_H
#define MH_PLAYING_H

#include "ending.h"
#include "rows.h"

enum {
    MH_MAX_HELD = 104,  /* cards of a hand that are drawn */
    MH_MAX_MELDS = 4,   /* of a seat */
    MH_MAX_MELDED = 14, /* cards of a meld */
    MH_MAX_DISCARDS = 104,
    MH_PLAYING_FACES = 52 /* suit * 13 + rank, suits s h d c, ranks from the ace */
};

/* Sprites of these games: the back, the faces, and the faces that another card stands for. */
enum { MH_PLAYING_SPRITES = 1 + 2 * MH_PLAYING_FACES };

static inline int16_t mh_playing_face(int face, int is_wild)
{
    return (int16_t)(1 + face + (is_wild ? MH_PLAYING_FACES : 0));
}

void mh_playing_sprite_text(int sprite, char *text);

/* The back of the draw pile's top card, to which a move leads. */
static inline struct mh_move_card mh_playing_drawn(void)
{
    return (struct mh_move_card){MH_SPRITE_BACK, -1, 0};
}

/* The face of a card that is written like "Ts"; -1: it is no playing card. */
int mh_playing_read(const char *label);

struct mh_meld {
    struct mh_card cards[MH_MAX_MELDED];
    int count;
};

/* One player's side of the table. */
struct mh_playing_seat {
    struct mh_panel panel;
    int is_open;                      /* else all cards but those below lie face down */
    struct mh_card hand[MH_MAX_HELD]; /* without cards just drawn; of one face down those that everybody knows */
    struct mh_card drawn[MH_MAX_HELD];
    int num_hand, num_drawn;
    int num_backs; /* of a hand face down */
    struct mh_meld melds[MH_MAX_MELDS];
    int num_melds;
};

struct mh_discard {
    struct mh_card card;
    int by; /* absolute; -1: it was turned up */
};

/* All that is drawn of a table. */
struct mh_playing {
    double below_h, middle_h; /* heights of the panel below and of the middle */
    char heading[MH_TEXT_SIZE * 2];
    int is_over; /* the round is, and is scored */
    struct mh_playing_seat seats[MH_MAX_SEATS];
    int draw_pile_left;
    int draw_action;
    struct mh_discard discards[MH_MAX_DISCARDS];
    int num_discards;
    int is_offered; /* the last one may be had */
    int winner;     /* of a round that is over; -1: nobody */
    int is_game_over;
    const struct mh_ending_part *parts; /* what the winner is paid for */
    int num_parts;
};

/* Adds a card to a hand, if there is room. */
void mh_playing_hold(struct mh_card *cards, int *count, struct mh_card card);

/* Draws the table; sentences come from the game's words (C49). */
void mh_playing_draw(const struct mh_playing *table, const struct mh_shown *shown, struct mh_scene *scene);

#endif
