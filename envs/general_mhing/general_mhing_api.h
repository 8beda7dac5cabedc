/* General Mhing without a game around it: what sequences score together (R5).
 *
 * Texts, as in R1.4: three of the ranks A 2-9 T J Q K before their suit s h d c, with a star after the rank that an ace
 * stands for: 789h, 78*9h, A23c. Declarations only: see mh_api.h for the conventions.
 */

enum { GENERAL_MHING_MAX_SEQUENCES = 4, GENERAL_MHING_POINT_KINDS = 4 };

/* The score of sequences: `part` has the points under each of the game's labels "parts". */
struct general_mhing_score {
    int32_t points;
    int32_t part[4];
};

/* Scores at most four sequences, separated by spaces, of one deck: no card is in two of them. */
int general_mhing_score_sequences(const char *sequences, struct general_mhing_score *score, char *message);
