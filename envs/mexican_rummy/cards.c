/* Texts of cards, melds and actions (R1, R9). */
#include "mexican_rummy.h"

static const char rank_letters[] = "A23456789TJQKA"; /* by place of a run as well */
static const char suit_letters[] = "shdc";

void rummy_type_text(int type, char *text)
{
    text[0] = rank_letters[type_rank(type)];
    text[1] = suit_letters[type_suit(type)];
    text[2] = '\0';
}

void rummy_run_text(int suit, int low, int count, char *text)
{
    memcpy(text, rank_letters + low, (size_t)count);
    text[count] = suit_letters[suit];
    text[count + 1] = '\0';
}

void rummy_meld_name(int meld, char *text)
{
    text[0] = (char)('0' + meld / MELDS);
    text[1] = '.';
    text[2] = (char)('1' + meld % MELDS);
    text[3] = '\0';
}

/* A word and a card, or a word and a meld. */
static void card_action(const char *word, int type, char *text)
{
    strcpy(text, word);
    rummy_type_text(type, text + strlen(text));
}

static void meld_action(const char *word, int meld, char *text)
{
    strcpy(text, word);
    rummy_meld_name(meld, text + strlen(text));
}

void rummy_action_text(int action, char *text)
{
    static const char *const plain[] = {"draw", "take", "may i", "pass", "grant", "refuse"};
    if (action < ACTION_set) {
        strcpy(text, plain[action]);
    } else if (action < ACTION_run) {
        const char set[] = {'s', 'e', 't', ' ', rank_letters[action - ACTION_set], '\0'};
        memcpy(text, set, sizeof set);
    } else if (action < ACTION_lay) {
        strcpy(text, "run ");
        rummy_run_text((action - ACTION_run) / LOWS, (action - ACTION_run) % LOWS, RUN_CARDS, text + strlen(text));
    } else if (action < ACTION_onto) {
        card_action("lay ", action - ACTION_lay, text);
    } else if (action < ACTION_low) {
        meld_action("onto ", action - ACTION_onto, text);
    } else if (action < ACTION_high) {
        meld_action("low ", action - ACTION_low, text);
    } else if (action < ACTION_swap) {
        meld_action("high ", action - ACTION_high, text);
    } else if (action < ACTION_discard) {
        card_action("swap ", action - ACTION_swap, text);
    } else {
        card_action("discard ", action - ACTION_discard, text);
    }
}
