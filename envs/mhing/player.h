/* A seat's own point of view, which the greedy and the expert player judge by. */
#ifndef MHING_PLAYER_H
#define MHING_PLAYER_H

#include "hand.h"

/* The hand of a seat, and the cards it has not seen. */
struct mhing_player {
    struct mhing_hand hand;
    uint8_t unseen[35];
    int melds; /* to go */
    int seven_pairs;
    struct mhing_cards cards;   /* melds and flowers of the seat; `count` stands for nothing */
    struct known_groups *known; /* groups of the hands of a decision (distance.h), or NULL */
};

/* A hand after its best discard. */
struct prospect {
    int distance;
    int useful;
    int discard; /* the type */
};

void mhing_player_of(const struct mhing_state *state, int seat, struct mhing_player *player);

int mhing_player_distance(const struct mhing_player *player);

/* Unseen cards, to be counted by sets of types: bit i of the number unseen of each type. */
struct unseen_cards {
    uint64_t bits[3];
};

struct unseen_cards mhing_unseen_cards(const struct mhing_player *player);
int mhing_count_unseen(const struct unseen_cards *unseen, uint64_t types);

/* Unseen cards that would bring the hand nearer than `now`. */
int mhing_useful_cards(const struct mhing_player *player, int now);

/* The types of the hand after whose discard it is at that distance, by what mhing_hand_after_discards has found. */
uint64_t mhing_discards_to(const struct mhing_hand *hand, const uint8_t after[JOKER + 1], int distance);

/* Credits of its complete hand; 0 for one that is not. */
int mhing_player_credits(const struct mhing_player *player);

/* The discard that leaves the smallest distance, then the most useful cards. Among equals the highest type, since
 * honours and high cards connect least. */
struct prospect mhing_prospect(const struct mhing_player *player);

/* Greedy's discard: the same, but one card from complete, among equals the type that leaves the most credits to be
 * expected. */
int mhing_best_discard(struct mhing_player *player);

/* The distance once a meld is laid and the best card discarded; `claimed` as below. */
int mhing_distance_with(const struct mhing_player *player, int action, int claimed);

/* *next: the player once a meld is laid; `claimed` (a type, or -1) comes from the discards. */
void mhing_after_meld(const struct mhing_player *player, int action, int claimed, struct mhing_player *next);

#endif
