/* The credits of melds and of the flags of a hand, and the melds that can be claimed or laid. */
#include "../credits.h"
#include "make_tables.h"

/* ---- Credits that follow from the flags of a hand -------------------------------------------------------- */

static const int values[PARTS] = {
#define ROW(part, credits, name) credits,
    MHING_CREDITS(ROW)
#undef ROW
};

static int flags_credits(int flags)
{
    const enum credit_part suits = suits_part(flags);
    return (suits == PARTS ? 0 : values[suits]) + (is_high_or_low(flags) ? VALUE_HIGH_OR_LOW : 0) +
           (is_all_five(flags) ? VALUE_ALL_FIVE : 0) + (flags & HAS_TRIPLET ? 0 : VALUE_SEQUENCES_ONLY) +
           (flags & HAS_SEQUENCE ? 0 : VALUE_TRIPLETS_ONLY);
}

/* flag_bound[parts][flags]: the most that can still come of it when parts are added, so many of which hold cards of a
 * new suit, winds or dragons; no other flag earns anything. */
void write_flags(void)
{
    enum { PARTS_MOST = MELDS + 1 };
    static const uint8_t cards[] = {4, 13, 22, WINDS, DRAGONS}; /* fives are both high and low */
    static int credits[FLAG_SETS], bound[(PARTS_MOST + 1) * FLAG_SETS];
    for (int flags = 0; flags < FLAG_SETS; flags++) {
        credits[flags] = flags_credits(flags);
        bound[flags] = credits[flags];
    }
    for (int i = FLAG_SETS; i < (PARTS_MOST + 1) * FLAG_SETS; i++) {
        const int *const before = bound + (i / FLAG_SETS - 1) * FLAG_SETS;
        bound[i] = before[i % FLAG_SETS];
        for (int card = 0; card < (int)sizeof cards; card++) {
            const int with = before[i % FLAG_SETS | card_flags(cards[card])];
            bound[i] = with > bound[i] ? with : bound[i];
        }
    }
    write_array("uint8_t", "flag_credits", "[]", credits, FLAG_SETS, FLAG_SETS, FLAG_SETS);
    write_array("uint8_t", "flag_bound", "[][512]", bound, (PARTS_MOST + 1) * FLAG_SETS, FLAG_SETS,
                (PARTS_MOST + 1) * FLAG_SETS);
}

/* ---- Kinds of melds ------------------------------------------------------------------------------------- */

/* Writes what each kind of meld brings into a hand: its flags; its suit, honours as a fourth one; and its slot, which
 * numbers the kinds of a suit: sequences, then triplets. */
void write_kinds(void)
{
    int flags[KINDS];
    int suits[KINDS];
    int slots[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        const int type = kind_type(kind);
        flags[kind] = kind_flags(kind);
        suits[kind] = type_suit(type);
        slots[kind] = type_number(type) + (kind_is_sequence(kind) ? 0 : SEQUENCES_PER_SUIT);
    }
    write_array("uint16_t", "flags_of_kind", "[]", flags, KINDS, KINDS, KINDS);
    write_array("uint8_t", "suit_of_kind", "[]", suits, KINDS, KINDS, KINDS);
    write_array("uint8_t", "slot_of_kind", "[]", slots, KINDS, KINDS, KINDS);
}

static int run_credits(int runs)
{
    return royal_runs(runs) * VALUE_ROYAL_RUN + broken_royal_runs(runs) * VALUE_BROKEN_ROYAL_RUN;
}

/* run_of_slot: what a meld adds to the number of 123, 456 and 789 in its suit (credits.h); run_gain: what another one
 * of each earns beside so many, four bits for each slot. */
void write_runs(void)
{
    enum { SLOTS = SEQUENCES_PER_SUIT + NUMBERS, RUNS = 512, SLOT_BITS = 4 };
    static int gain[RUNS];
    int runs[SLOTS] = {0};
    for (int slot = 0; slot < SEQUENCES_PER_SUIT; slot += MELD_CARDS) {
        runs[slot] = 1 << slot;
    }
    for (int before = 0; before < RUNS; before++) {
        const int melds = (before & 7) + (before >> 3 & 7) + (before >> 6);
        for (int slot = 0; slot < SEQUENCES_PER_SUIT && melds <= MELDS; slot += MELD_CARDS) {
            gain[before] |= (run_credits(before + runs[slot]) - run_credits(before)) << SLOT_BITS * slot;
        }
    }
    write_array("uint8_t", "run_of_slot", "[]", runs, SLOTS, SLOTS, SLOTS);
    write_array("uint32_t", "run_gain", "[]", gain, RUNS, RUNS, RUNS);
}

/* meld_pairs: meld_pair_part of any two kinds. */
void write_meld_pairs(void)
{
    static int parts[KINDS * KINDS];
    for (int pair = 0; pair < KINDS * KINDS; pair++) {
        parts[pair] = meld_pair_part(pair / KINDS, pair % KINDS);
    }
    write_array("uint8_t", "meld_pairs", "[][KINDS]", parts, KINDS * KINDS, KINDS, KINDS * KINDS);
}

/* ---- Which melds a card can be claimed for, and which can be laid ---------------------------------------- */

/* laid_sequences[held][jokers]: of the 8 placements of Mhing cards in a sequence whose numbers are held as the bits
 * of `held` say, those that can be laid; laid_triplets[count][jokers]: likewise 0-3 Mhing cards. */
void write_laid(void)
{
    int sequences[8 * 4];
    int triplets[5 * 4];
    for (int jokers = 0; jokers < 4; jokers++) {
        for (int held = 0; held < 8; held++) {
            int set = 0;
            for (int places = 0; places < 8; places++) {
                set |= (((held | places) == 7 && bits(places) <= jokers) ? 1 : 0) << places;
            }
            sequences[held * 4 + jokers] = set;
        }
        for (int count = 0; count <= COPIES; count++) {
            int set = 0;
            for (int used = 0; used <= MELD_CARDS; used++) {
                set |= ((used <= jokers && count >= MELD_CARDS - used) ? 1 : 0) << used;
            }
            triplets[count * 4 + jokers] = set;
        }
    }
    write_array("uint8_t", "laid_sequences", "[8][4]", sequences, 8 * 4, 4, 8 * 4);
    write_array("uint8_t", "laid_triplets", "[5][4]", triplets, 5 * 4, 4, 5 * 4);
}

/* claimed_sequences[number][near][jokers]: for a claimed suit card, where `near` says which of the numbers two
 * and one below, one and two above are held, 24 bits: 8 placements each for the sequences that begin two below,
 * one below, and at the card. The claimed card itself fills its natural place. */
void write_claimed(void)
{
    static int claimed[NUMBERS * 16 * 3];
    for (int number = 0; number < NUMBERS; number++) {
        for (int near = 0; near < 16; near++) {
            const int held = (near & 3) | 4 | (near & 12) << 1; /* bit i: number - 2 + i */
            for (int jokers = 0; jokers < 3; jokers++) {
                int set = 0;
                for (int i = 0; i < MELD_CARDS; i++) {
                    const int lowest = number - 2 + i;
                    for (int places = 0; lowest >= 0 && lowest < SEQUENCES_PER_SUIT && places < 8; places++) {
                        if (!(places >> (2 - i) & 1) && ((held >> i | places) & 7) == 7 && bits(places) <= jokers) {
                            set |= 1 << (8 * i + places);
                        }
                    }
                }
                claimed[(number * 16 + near) * 3 + jokers] = set;
            }
        }
    }
    write_array("uint32_t", "claimed_sequences", "[][16][3]", claimed, NUMBERS * 16 * 3, 3, 16 * 3);
}
