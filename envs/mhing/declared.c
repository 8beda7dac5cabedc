/* The hand that was declared, in groups, and which of them its credits are for. */
#include "credits.h"
#include "mhing_draw.h"

/* The melds and the pair of a declared hand, by the places of their groups; -1 where a group is neither. */
struct arranged {
    int kind[MH_MAX_GROUPS]; /* of a meld */
    int pair[MH_MAX_GROUPS]; /* the type of a pair */
    int count;
};

static struct mh_laid_group *add_meld(int kind, int jokers, struct mh_ending *ending, struct arranged *found)
{
    struct mh_laid_group *group = &ending->groups[ending->num_groups++];
    for (int place = 0; place < MELD_CARDS; place++) {
        group->cards[group->count++] = mhing_laid_card(kind_card(kind, place), mhing_joker_at(kind, jokers, place));
    }
    found->pair[found->count] = -1;
    found->kind[found->count++] = kind;
    return group;
}

static void add_laid(const struct mhing_shown *shown, int winner, struct mh_ending *ending, struct arranged *found)
{
    const struct mhing_seat *block = mhing_shown_seat(shown, winner);
    for (int i = 0; i < MELDS && block->meld_kind[i]; i++) {
        struct mh_laid_group *group = add_meld(block->meld_kind[i] - 1, block->meld_jokers[i], ending, found);
        group->has_from = block->meld_from[i] != 0;
        group->from = (winner + block->meld_from[i]) % shown->table->seats;
    }
}

static int kind_of(const uint8_t type[MELD_CARDS])
{
    int lowest = type[0];
    for (int i = 1; i < MELD_CARDS; i++) {
        lowest = type[i] < lowest ? type[i] : lowest;
    }
    return type[0] == type[1] ? triplet_kind(lowest) : sequence_kind(type_suit(lowest), type_number(lowest));
}

/* The concealed cards as the score has arranged them: melds, then the pair; or single cards; or pairs. */
static void add_concealed(const struct mhing_score *score, struct mh_ending *ending, struct arranged *found)
{
    for (int i = 0; i < score->num_cards;) {
        const int size = mhing_group_size(score, i);
        struct mh_laid_group *group = &ending->groups[ending->num_groups++];
        for (; group->count < size; group->count++) {
            const int place = i + group->count;
            group->cards[group->count] = mhing_laid_card(score->cards[place], score->joker[place]);
        }
        found->kind[found->count] = size == MELD_CARDS ? kind_of(score->cards + i) : -1;
        found->pair[found->count++] = size == 2 ? score->cards[i] : -1;
        i += size;
    }
}

/* The groups for which a part is paid at one time, as a bit set; what they are paid for goes to `paid`. */
struct paid {
    uint32_t sets[PARTS][MH_PART_SIZE / 2];
    int count[PARTS];
};

static void pay(struct paid *self, int part, uint32_t set)
{
    if (self->count[part] < MH_PART_SIZE / 2) {
        self->sets[part][self->count[part]++] = set;
    }
}

static int is_sequence_from(int kind, int suit, int lowest)
{
    return kind >= 0 && kind_is_sequence(kind) && kind == sequence_kind(suit, lowest);
}

/* Royal runs of a suit: 123, 456 and 789 together; broken ones lack the 456. */
static void pay_runs(const struct arranged *hand, int suit, struct paid *paid)
{
    enum { LOW = 0, MIDDLE = 3, HIGH = 6 };
    int has_middle = 0;
    for (int i = 0; i < hand->count; i++) {
        has_middle |= is_sequence_from(hand->kind[i], suit, MIDDLE);
    }
    for (int low = 0; low < hand->count; low++) {
        for (int high = 0; high < hand->count; high++) {
            if (!is_sequence_from(hand->kind[low], suit, LOW) || !is_sequence_from(hand->kind[high], suit, HIGH)) {
                continue;
            }
            if (!has_middle) {
                pay(paid, PART_BROKEN_ROYAL_RUN, 1u << low | 1u << high);
            }
            for (int middle = 0; middle < hand->count; middle++) {
                if (is_sequence_from(hand->kind[middle], suit, MIDDLE)) {
                    pay(paid, PART_ROYAL_RUN, 1u << low | 1u << middle | 1u << high);
                }
            }
        }
    }
}

/* Honour triplets, each alone; three dragons are paid for together (R6.3). */
static void pay_honours(const struct arranged *hand, struct paid *paid)
{
    uint32_t dragons = 0;
    int found = 0;
    for (int i = 0; i < hand->count; i++) {
        const int dragon = hand->kind[i] >= 0 ? dragon_of_kind(hand->kind[i]) : 0;
        found |= dragon;
        dragons |= dragon ? 1u << i : 0;
    }
    if (found == ALL_DRAGONS) {
        pay(paid, PART_THREE_DRAGONS, dragons);
    }
    for (int i = 0; i < hand->count; i++) {
        const int is_honour =
            hand->kind[i] >= 0 && !kind_is_sequence(hand->kind[i]) && kind_type(hand->kind[i]) >= SUIT_TYPES;
        if (is_honour && !(found == ALL_DRAGONS && dragons >> i & 1)) {
            pay(paid, PART_HONOUR_TRIPLET, 1u << i);
        }
    }
}

static void pay_hand(const struct arranged *hand, struct paid *paid)
{
    for (int i = 0; i < hand->count; i++) {
        for (int other = i + 1; other < hand->count; other++) {
            const enum credit_part part = hand->kind[i] >= 0 && hand->kind[other] >= 0
                                              ? meld_pair_part(hand->kind[i], hand->kind[other])
                                              : PARTS;
            if (part != PARTS) {
                pay(paid, part, 1u << i | 1u << other);
            }
        }
        if (hand->pair[i] >= 0) {
            pay(paid, PART_PAIR_258, 1u << i);
        }
    }
    for (int suit = 0; suit < SUITS; suit++) {
        pay_runs(hand, suit, paid);
    }
    pay_honours(hand, paid);
}

/* Letters for the groups that some credit is for. */
static void name_groups(const struct mhing_score *score, const struct paid *paid, struct mh_ending *ending)
{
    uint32_t named = 0;
    char letter = 'A';
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; score->part[part] && i < paid->count[part]; i++) {
            named |= paid->sets[part][i];
        }
    }
    for (int i = 0; i < ending->num_groups; i++) {
        ending->groups[i].letter = (char)(named >> i & 1 ? letter++ : 0);
    }
}

static void add_parts(const struct mhing_score *score, const struct paid *paid, struct mh_ending *ending)
{
    for (int part = 0; part < PARTS; part++) {
        if (!score->part[part]) {
            continue;
        }
        struct mh_ending_part *added = &ending->parts[ending->num_parts++];
        struct mh_text letters;
        added->number = score->part[part];
        added->name = mhing_credit_name(part);
        mh_text_begin(&letters, added->letters, sizeof added->letters);
        for (int i = 0; i < paid->count[part]; i++) {
            mh_text_put(&letters, i ? " " : "");
            for (int place = 0; place < ending->num_groups; place++) {
                if (paid->sets[part][i] >> place & 1) {
                    mh_text_add(&letters, "%c", ending->groups[place].letter);
                }
            }
        }
    }
}

/* Adds the concealed cards to the melds that lie there, and names the groups and what they are paid for. */
static void arrange(const struct mhing_score *score, struct mh_ending *ending, struct arranged *hand)
{
    struct paid paid = {.count = {0}};
    add_concealed(score, ending, hand);
    pay_hand(hand, &paid);
    name_groups(score, &paid, ending);
    add_parts(score, &paid, ending);
}

void mhing_ending(const struct mhing_shown *shown, struct mh_ending *ending)
{
    const int winner = mhing_shown_winner(shown);
    struct mhing_score score;
    struct arranged hand = {.count = 0};
    *ending = (struct mh_ending){.num_groups = 0};
    if (winner < 0 || !mhing_shown_declared(shown, winner, &score)) {
        return;
    }
    add_laid(shown, winner, ending, &hand);
    arrange(&score, ending, &hand);
}

/* ---- A hand alone ------------------------------------------------------------------------------------------- */

enum {
    CARD = 44 /* the width of cards */,
    GAP = 8,
    NAME = 16,
    SMALL = 12,
    LINE = 16,
    COLUMNS = 2 /* of credits */
};

int mhing_draw_hand(const struct mhing_cards *cards, int seven_pairs, struct mh_scene *scene)
{
    struct mhing_score score;
    const int is_complete = scene ? mhing_score_hand(cards, seven_pairs, &score) : MH_ERROR_ARGUMENT;
    if (is_complete != 1) {
        return is_complete;
    }
    struct arranged hand = {.count = 0};
    struct mh_ending ending = {.num_groups = 0};
    char worth[MH_LINE_SIZE], title[MH_LINE_SIZE];
    struct mh_words words = {.shown = NULL};
    for (int i = 0; i < cards->melds; i++) {
        add_meld(cards->meld_kind[i], 0, &ending, &hand);
    }
    arrange(&score, &ending, &hand);
    mh_text_begin(&words.text, worth, sizeof worth);
    mh_words_count(&words, score.credits, "credit");
    mh_words_put(&words, ", ");
    mh_words_count(&words, score.points, "point");
    mh_text_begin(&words.text, title, sizeof title);
    mh_words_put(&words, MH_TITLE ": ");
    mh_words_put(&words, worth);

    const double row = CARD * MH_CARD_RATIO + LINE + 8;
    const int lines = (ending.num_parts + COLUMNS - 1) / COLUMNS;
    const double credits = LINE * lines;
    mh_scene_begin(scene, MH_WIDE);
    mh_scene_title(scene, title);
    scene->w = (DEALT + 1) * CARD + 9 * GAP;
    scene->h = (int)(NAME + row + credits + 5 * GAP + 0.5);
    scene->background = MH_FELT;
    struct mh_box box = {2 * GAP, GAP, scene->w - 3 * GAP, NAME};
    mh_scene_text(scene, box.x, mh_box_bottom(box), (struct mh_type){NAME, MH_ACCENT, MH_START, 1, 1}, worth);
    box.y = mh_box_bottom(box) + GAP;
    box.h = row;
    box.y = mh_ending_lay(scene, &ending, NULL, box, CARD, SMALL);
    box.h = credits;
    mh_ending_write(scene, &ending, box, SMALL);
    return 1;
}
