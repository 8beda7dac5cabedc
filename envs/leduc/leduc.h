/* Leduc poker: the state of a deal, and what the table leduc.def makes of itself in C.
 *
 * The template of all games: python envs/new_game.py copies it.
 * Read RULES.md first (numbers like R2.1 refer to it), then leduc.def, this page and leduc.c.
 *
 * A state is plain data without pointers: it is copied with memcpy, compared with memcmp and saved as it is. So it has
 * no gaps; `unused` fills what would be one.
 */
#ifndef LEDUC_H
#define LEDUC_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mh_events.h"
#include "mh_game.h"

/* ---- From the table leduc.def ---------------------------------------------------------------------------- */

#define MH_TABLE "leduc.def"

enum leduc_option {
#define MH_OPTION(name, choices, standard, low, high, meaning) OPTION_##name,
#include "mh_table.inc"
    OPTIONS
};

enum leduc_event {
#define MH_EVENT(name, meaning) EVENT_##name,
#include "mh_table.inc"
    EVENTS
};

enum leduc_action { ACTION_FOLD, ACTION_CALL, ACTION_RAISE, ACTIONS };

struct leduc_view {
#define MH_OWN(name, count, high, meaning) uint8_t name[count];
#define MH_FIELD(name, count, high, meaning) uint8_t name[count];
#include "mh_table.inc"
};

struct leduc_seat {
#define MH_SEAT_FIELD(name, count, high, meaning) uint8_t name[count];
#include "mh_table.inc"
};

struct leduc_hidden {
#define MH_HIDDEN(name, count, high, meaning) uint8_t name[count];
#include "mh_table.inc"
};

struct leduc_hidden_seat {
#define MH_HIDDEN_SEAT(name, count, high, meaning) uint8_t name[count];
#include "mh_table.inc"
};

struct leduc_info {
#define MH_INFO(name, count, meaning) int64_t name[count];
#define MH_SEAT_INFO(name, meaning) int64_t name[MH_MAX_SEATS];
#include "mh_table.inc"
};

struct leduc_hints {
    uint8_t none;
};

/* ---- The state ------------------------------------------------------------------------------------------- */

enum { SEATS = 2, RANKS = 3, SUITS = 2, CARDS = RANKS * SUITS, ANTE = 1 };

/* Places in the deck: first the card of each seat, then the open card; the rest is never turned up (R2.2). */
enum { PLACE_OPEN = SEATS };

struct leduc_state {
    struct mh_head head;
    uint64_t legal[1]; /* actions of the seat to act */
    int32_t options[OPTIONS];
    struct mh_events events;
    uint8_t deck[CARDS];   /* in dealing order, settled by the deal: the rest of the game has no chance in it */
    uint8_t stakes[SEATS]; /* chips put in */
    uint8_t opened;        /* the open card lies open: the second betting round */
    uint8_t raises;        /* bets and raises in this betting round */
    uint8_t acted;         /* this betting round has had an action */
    uint8_t shown;         /* the seats have shown their cards */
    int8_t winner;         /* -1: nobody */
    uint8_t unused[2];
};

#endif
