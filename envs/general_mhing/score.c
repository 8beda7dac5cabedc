/* The score of sequences together (R5). */
#include "general_mhing.h"

int general_score(const uint8_t *kinds, int count, int32_t parts[PARTS])
{
    unsigned sides = count > 0 ? ~0u : 0;
    memset(parts, 0, PARTS * sizeof *parts);
    for (int i = 0; i < count; i++) {
        const int first = kind_low(kinds[i] - 1);
        sides &= low_sides(first);
        for (int j = 0; j < i; j++) {
            const int apart = first - kind_low(kinds[j] - 1);
            parts[PART_SUIT] += kind_suit(kinds[i] - 1) == kind_suit(kinds[j] - 1);
            parts[PART_VALUES] += apart == 0;
            parts[PART_ORDER] += apart == SEQUENCE_CARDS || apart == -SEQUENCE_CARDS;
        }
    }
    parts[PART_HIGH_LOW] = sides != 0;
    return parts[PART_SUIT] + parts[PART_VALUES] + parts[PART_ORDER] + parts[PART_HIGH_LOW];
}

int general_scores_with(const uint8_t *kinds, int count, uint8_t scores[KINDS])
{
    int32_t parts[PARTS];
    uint8_t by_suit[SUITS] = {0};
    uint8_t by_low[SEQUENCE_CARDS + LOWS + SEQUENCE_CARDS] = {0}; /* with room for three below and above */
    uint8_t *const lows = by_low + SEQUENCE_CARDS;
    unsigned sides = ~0u;
    for (int i = 0; i < count; i++) {
        const int first = kind_low(kinds[i] - 1);
        sides &= low_sides(first);
        by_suit[kind_suit(kinds[i] - 1)]++;
        lows[first]++;
        lows[first - SEQUENCE_CARDS]++;
        lows[first + SEQUENCE_CARDS]++;
    }
    const int now = general_score(kinds, count, parts);
    const int pairs = now - parts[PART_HIGH_LOW];
    for (int first = 0; first < LOWS; first++) {
        lows[first] = (uint8_t)(lows[first] + pairs + ((sides & low_sides(first)) != 0));
    }
    for (int suit = 0; suit < SUITS; suit++) {
        for (int first = 0; first < LOWS; first++) {
            scores[suit * LOWS + first] = (uint8_t)(by_suit[suit] + lows[first]);
        }
    }
    return now;
}

/* The sequence that so many letters write; where they write none, its kind is -1. */
static struct sequence written_sequence(const char *letters, size_t count)
{
    for (int form = 0; form < KINDS * (SEQUENCE_CARDS + 1); form++) {
        const struct sequence sequence = {form / (SEQUENCE_CARDS + 1), form % (SEQUENCE_CARDS + 1)};
        char text[MH_TEXT_SIZE] = "";
        if (sequence_is_valid(sequence)) {
            general_sequence_text(sequence, text);
        }
        if (strlen(text) == count && memcmp(text, letters, count) == 0) {
            return sequence;
        }
    }
    return (struct sequence){-1, 0};
}

int general_mhing_score_sequences(const char *sequences, struct general_mhing_score *score, char *message)
{
    uint8_t kinds[SEQUENCES];
    uint64_t used = 0;
    int count = 0;
    if (!sequences || !score) {
        mh_message(message, "sequences and score must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    for (const char *at = sequences + strspn(sequences, " "); *at; at += strspn(at, " ")) {
        const size_t letters = strcspn(at, " ");
        const struct sequence sequence = written_sequence(at, letters);
        if (!letters || sequence.kind < 0) {
            mh_message(message, "sequences: '%.*s' is none; write 789h, or 78*9h where the ace stands for the 8",
                       letters < 40 ? (int)letters : 40, at);
            return MH_ERROR_ARGUMENT;
        }
        if (count == SEQUENCES) {
            mh_message(message, "sequences: more than the %d that end a round", (int)SEQUENCES);
            return MH_ERROR_ARGUMENT;
        }
        if (used & sequence_cards(sequence)) {
            char card[MH_TEXT_SIZE];
            general_card_text(mh_bits_lowest(used & sequence_cards(sequence)), card);
            mh_message(message, "sequences: %s is in two of them, and the deck has it once", card);
            return MH_ERROR_ARGUMENT;
        }
        used |= sequence_cards(sequence);
        kinds[count++] = (uint8_t)(sequence.kind + 1);
        at += letters;
    }
    score->points = general_score(kinds, count, score->part);
    return MH_OK;
}

_Static_assert((int)PARTS == (int)GENERAL_MHING_POINT_KINDS && (int)SEQUENCES == (int)GENERAL_MHING_MAX_SEQUENCES,
               "general_mhing_api.h counts the sequences, and what they score for");

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
