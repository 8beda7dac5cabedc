/* Mexican Rummy as the runtime sees it. */
#include "mexican_rummy.h"

#define MH_STATE_HOT offsetof(struct rummy_state, plan)
#include "frame/mh_rules.inc"

_Static_assert((int)COUNT_set == RANKS && (int)COUNT_run == SUITS * LOWS && (int)COUNT_lay == TYPES &&
                   (int)COUNT_onto == SEATS * MELDS && (int)COUNT_low == SEATS * MELDS &&
                   (int)COUNT_high == SEATS * MELDS && (int)ACTIONS == 273,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct rummy_view *)0)->discards) == PILE, "the whole discard pile is seen");
_Static_assert(sizeof(((struct rummy_seat *)0)->meld_cards) == sizeof(((struct rummy_melds *)0)->cards),
               "melds are copied into observations");
