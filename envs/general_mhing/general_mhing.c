/* General Mhing as the runtime sees it. */
#include "general_mhing.h"

#define MH_STATE_HOT offsetof(struct general_state, last)
#include "frame/mh_rules.inc"

_Static_assert((int)COUNT_sequence == SUITS * SUIT_SEQUENCES && (int)COUNT_swap == SUITS * (RANKS - 1) &&
                   (int)COUNT_discard == CARDS && (int)ACTIONS == 267,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct general_info *)0)->parts) / sizeof(int64_t) == (int)PARTS, "one part a name");
_Static_assert(sizeof(((struct general_view *)0)->discards) == PILE, "the whole discard pile is seen");
