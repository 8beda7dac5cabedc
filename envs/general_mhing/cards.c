/* Texts of cards, sequences and actions (R1, R8). */
#include "general_mhing.h"

static const char rank_letters[] = "A23456789TJQK";
static const char suit_letters[] = "shdc";

void general_card_text(int card, char *text)
{
    text[0] = rank_letters[card_rank(card)];
    text[1] = suit_letters[card_suit(card)];
    text[2] = '\0';
}

/* The ranks that a sequence stands for, with a star where the ace stands for another one, then the suit. */
void general_sequence_text(struct sequence sequence, char *text)
{
    const int low = kind_low(sequence.kind);
    for (int place = 0; place < SEQUENCE_CARDS; place++) {
        *text++ = rank_letters[low + place];
        if (place == sequence.ace - 1 && low + place > 0) {
            *text++ = '*';
        }
    }
    *text++ = suit_letters[kind_suit(sequence.kind)];
    *text = '\0';
}

void general_action_text(int action, char *text)
{
    if (action < ACTION_sequence) {
        strcpy(text, action == ACTION_draw ? "draw" : "take");
    } else if (action < ACTION_swap) {
        strcpy(text, "sequence ");
        general_sequence_text(general_action_sequence(action), text + strlen(text));
    } else if (action < ACTION_discard) {
        strcpy(text, "swap ");
        general_card_text(general_swap_card(action), text + strlen(text));
    } else if (action < ACTION_end) {
        strcpy(text, "discard ");
        general_card_text(action - ACTION_discard, text + strlen(text));
    } else {
        strcpy(text, "end");
    }
}
