/* Boxed Mhing without a game around it: what a hand is worth, and how far it is from complete.
 *
 * Card types: 0-8 bamboo 1-9, 9-17 circles, 18-26 characters, 27-30 winds E S W N, 31-33 dragons red green white,
 * 34 Mhing card (joker), 35 flower. Melds on the table are given by what they stand for, as kinds: 0-20 sequences
 * (suit * 7 + lowest number - 1), 21-54 triplets (21 + card type).
 *
 * Texts: digits before their suit letter (123s bamboo, 123p circles, 123m characters), E S W N winds, R G P red
 * green white dragon, J Mhing card. Declarations only: see mh_api.h for the conventions.
 */

enum {
    MHING_TYPES = 34, /* card types that a hand can be built of */
    MHING_MAX_MELDS = 4,
    MHING_CREDIT_KINDS = 19
};

struct mh_scene; /* of mh_draw_api.h */

enum mhing_shape { MHING_SHAPE_MELDS = 0, MHING_SHAPE_NOTHING_CONNECTS = 1, MHING_SHAPE_SEVEN_PAIRS = 2 };

/* A hand: concealed cards by type (index 34 counts Mhing cards), melds on the table by kind, flowers laid aside. */
struct mhing_cards {
    uint8_t count[35];
    uint8_t melds;
    uint8_t meld_kind[4];
    uint8_t flowers;
};

/* A complete hand arranged for the most credits. `cards` lists the concealed cards in the order of the
 * arrangement (concealed melds, then the pair; or the 14 cards), each as the type it stands for, and `joker`
 * flags those that are Mhing cards. */
struct mhing_score {
    int32_t credits;
    int32_t points;
    int32_t part[19]; /* credits earned under each name of mhing_credit_name */
    uint8_t shape;    /* enum mhing_shape */
    uint8_t melds;    /* concealed melds in `cards`, three cards each */
    uint8_t num_cards;
    uint8_t cards[14];
    uint8_t joker[14];
    uint8_t unused;
};

/* The name of a kind of credit, for example "double sequence"; NULL when there is no such index. */
const char *mhing_credit_name(int part);

/* Points for a number of credits: 0, 2, 4, 8, 16, 32, ... 131072 at 41 and above. */
int32_t mhing_points(int32_t credits);

/* Fills `cards` from texts: concealed cards such as "567s99pJ", and melds separated by spaces such as "EEE 456s",
 * laid ones with stars too ("45*6s" stands for 456s). Refuses more copies than the deck holds, more than four
 * melds, and a number of cards that no hand can have. */
int mhing_parse_hand(const char *hand, const char *melds, int flowers, struct mhing_cards *cards, char *message);

/* Scores a complete hand. Returns 1 and fills *score, 0 when the hand is not complete, or MH_ERROR_ARGUMENT when
 * the number of cards is not that of a hand after its draw. */
int mhing_score_hand(const struct mhing_cards *cards, int seven_pairs, struct mhing_score *score);

/* Writes the concealed cards of a scored hand in their arrangement, separated by spaces: melds, then the pair
 * ("6*78s EEE 99*s"), or single cards that do not connect, or pairs; a star marks a Mhing card. Like snprintf. */
size_t mhing_score_text(const struct mhing_score *score, char *text, size_t size);

/* Draws a complete hand, as mh_picture does with a table: its groups, and which of them the credits are for. Returns
 * what mhing_score_hand does. */
int mhing_draw_hand(const struct mhing_cards *cards, int seven_pairs, struct mh_scene *scene);

/* The number of cards that must be exchanged before the hand is complete (0: it is), over all shapes, Mhing cards
 * counted as any card. It looks at the hand alone: neither at copies seen elsewhere nor at the limit of four
 * copies, since a Mhing card can stand for a fifth. Before or after the draw: 13 or 14 cards less three a meld. */
int mhing_distance(const struct mhing_cards *cards, int seven_pairs);

/* The same for many hands: writes the distance, or the credits (-1: not complete) and points, of each. Returns
 * `count`, or the index of the first hand that is none; those before it have been written. */
int64_t mhing_distances(const struct mhing_cards *cards, int64_t count, int seven_pairs, int8_t *distances);
int64_t mhing_score_hands(const struct mhing_cards *cards, int64_t count, int seven_pairs, int32_t *credits,
                          int32_t *points);

/* The hand declared in the round finished last in a state of this game, as it was scored. Returns 1, or 0 when
 * nobody declared. */
int mhing_declared_hand(const void *state, struct mhing_cards *cards);
