/* What sequences score together (R5). */
#include "general_mhing.h"

int general_score(const uint8_t *kinds, int count, int32_t parts[PARTS])
{
    enum { SEVEN = 6 };
    int low = count > 0;
    int high = count > 0;
    memset(parts, 0, PARTS * sizeof *parts);
    for (int i = 0; i < count; i++) {
        const int first = kind_low(kinds[i] - 1);
        low &= first + SEQUENCE_CARDS - 1 <= SEVEN;
        high &= first >= SEVEN;
        for (int j = 0; j < i; j++) {
            const int apart = first - kind_low(kinds[j] - 1);
            parts[PART_SUIT] += kind_suit(kinds[i] - 1) == kind_suit(kinds[j] - 1);
            parts[PART_VALUES] += apart == 0;
            parts[PART_ORDER] += apart == SEQUENCE_CARDS || apart == -SEQUENCE_CARDS;
        }
    }
    parts[PART_HIGH_LOW] = low | high;
    return parts[PART_SUIT] + parts[PART_VALUES] + parts[PART_ORDER] + parts[PART_HIGH_LOW];
}

void general_part_text(int part, char *text)
{
    static const char *const names[PARTS] = {"same suit", "same values", "in order", "all high or all low"};
    strcpy(text, names[part]);
}

void general_ending_text(int ending, char *text)
{
    static const char *const names[ENDINGS] = {"not finished", "fourth sequence", "turn limit"};
    strcpy(text, names[ending]);
}
