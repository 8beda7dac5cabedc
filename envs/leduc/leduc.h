/* Leduc poker: the state of a deal, and what the table leduc.def makes of itself in C.
 *
 * The template of all games: python envs/new_game.py copies it.
 * Read RULES.md first (numbers like R2.1 refer to it), then leduc.def, this page and leduc.c. envs/CONTRACT.md
 * says what the runtime demands of each part (numbers like C12).
 */
#ifndef LEDUC_H
#define LEDUC_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MH_ID leduc
#define MH_TITLE "Leduc poker"
#define MH_VERSION 0
#define MH_HAS_EVENT_DETAILS /* events say which card, and how many chips: */
#define MH_EXTRA chips
#define MH_HAS_HIDDEN /* critics may see what is hidden */
#define MH_HAS_READ   /* states can be made from JSON */
#include "frame/mh_declare.inc"

/* ---- The state ----------------------------------------------------------------------------------------------- */

enum { SEATS = 2, RANKS = 3, SUITS = 2, DECK = RANKS * SUITS, ANTE = 1, FIRST_BET = 2, SECOND_BET = 4 };

/* Places in the deck: first the card of each seat, then the open card; the rest is never turned up (R2.2). */
enum { PLACE_OPEN = SEATS };

/* Plain data without pointers, copied, compared and saved as bytes (C11, C12). So it has no gaps: `unused` fills
 * what would be one. Rows MH_MEMBER of the table name what is the game's own. */
struct leduc_state {
    struct mh_head head;
    uint64_t legal[LEGAL_WORDS]; /* actions of the seat to act */
    int32_t options[OPTIONS];
    struct mh_events events;
    uint8_t deck[DECK];    /* in dealing order, settled by the deal: the rest of the game has no chance in it */
    uint8_t stakes[SEATS]; /* chips put in */
    uint8_t opened;        /* the open card lies open: the second betting round */
    uint8_t raises;        /* bets and raises in this betting round */
    uint8_t acted;         /* this betting round has had an action */
    uint8_t shown;         /* the seats have shown their cards */
    int8_t winner;         /* -1: nobody */
    uint8_t unused[2];
};

void leduc_card_text(int card, char *text);

#endif
