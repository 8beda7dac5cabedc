/* Mhing as the runtime sees it. */
#include "mhing.h"

#define MH_STATE_HOT offsetof(struct mhing_state, hands[4])
#include "frame/mh_rules.inc"

_Static_assert(COUNT_discard == JOKER + 1 && COUNT_sequence == SEQUENCES * 8 && COUNT_triplet == TYPES * 4 &&
                   (int)ACTIONS == 341,
               "action ids are those that the rules promise");
_Static_assert(sizeof(((struct mhing_info *)0)->parts) / sizeof(int64_t) == MHING_CREDIT_KINDS, "one part a name");
