/* Texts of cards, melds, hands and actions (R1, R10), and hands from texts. */
#include "credits.h"
#include "mhing.h"

static const char suit_letters[] = "spm";
static const char honour_letters[] = "ESWNRGP";

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* Cards of one suit, or honours: digits, each with a star when it is a Mhing card, then the suit's letter. */
static void write_cards(char *text, const uint8_t *types, const uint8_t *jokers, int count)
{
    for (int i = 0; i < count; i++) {
        *text++ = types[i] < SUIT_TYPES ? (char)('1' + type_number(types[i])) : honour_letters[types[i] - WINDS];
        if (jokers[i]) {
            *text++ = '*';
        }
    }
    if (types[0] < SUIT_TYPES) {
        *text++ = suit_letters[type_suit(types[0])];
    }
    *text = '\0';
}

void mhing_card_text(int type, char *text)
{
    const uint8_t card = (uint8_t)type;
    const uint8_t natural = 0;
    if (type >= JOKER) {
        strcpy(text, type == JOKER ? "J" : "F");
    } else {
        write_cards(text, &card, &natural, 1);
    }
}

void mhing_card_spoken(int type, char *text)
{
    static const char *const numbers[] = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
    static const char *const suits[] = {"bamboo", "circles", "characters"};
    static const char *const others[] = {"east wind",    "south wind",   "west wind",  "north wind", "red dragon",
                                         "green dragon", "white dragon", "Mhing card", "flower"};
    struct mh_text out;
    mh_text_begin(&out, text, MH_LABEL_SIZE);
    if (type < SUIT_TYPES) {
        mh_text_add(&out, "%s of %s", numbers[type_number(type)], suits[type_suit(type)]);
    } else {
        mh_text_add(&out, "%s", others[type - SUIT_TYPES]);
    }
}

void mhing_meld_text(int kind, int jokers, char *text)
{
    uint8_t types[MELD_CARDS];
    uint8_t flags[MELD_CARDS];
    for (int place = 0; place < MELD_CARDS; place++) {
        types[place] = (uint8_t)kind_card(kind, place);
        flags[place] = (uint8_t)mhing_joker_at(kind, jokers, place);
    }
    write_cards(text, types, flags, MELD_CARDS);
}

static char *write_copies(char *text, char letter, int copies)
{
    memset(text, letter, (size_t)copies);
    return text + copies;
}

void mhing_hand_text(const uint8_t count[35], char *text)
{
    char *end = text;
    for (int suit = 0; suit < SUITS; suit++) {
        const char *first = end;
        for (int number = 0; number < NUMBERS; number++) {
            end = write_copies(end, (char)('1' + number), count[suit * NUMBERS + number]);
        }
        if (end > first) {
            *end++ = suit_letters[suit];
            *end++ = ' ';
        }
    }
    for (int type = WINDS; type <= JOKER; type++) {
        if (count[type]) {
            end = write_copies(end, type < JOKER ? honour_letters[type - WINDS] : 'J', count[type]);
            *end++ = ' ';
        }
    }
    end -= end > text; /* the last space */
    *end = '\0';
}

void mhing_action_text(int action, char *text)
{
    if (action < ACTION_sequence) {
        strcpy(text, "discard ");
        mhing_card_text(action, text + strlen(text));
    } else if (mhing_is_pattern(action)) {
        const struct mhing_pattern pattern = mhing_pattern_of(action);
        strcpy(text, kind_is_sequence(pattern.kind) ? "sequence " : "triplet ");
        mhing_meld_text(pattern.kind, pattern.jokers, text + strlen(text));
    } else {
        strcpy(text, action == ACTION_pass ? "pass" : "mhing");
    }
}

void mhing_part_text(int part, char *text)
{
    struct mh_text out;
    mh_text_begin(&out, text, MH_LABEL_SIZE);
    mh_text_add(&out, "%s", mhing_credit_name(part));
}

int mhing_arrangement(const struct mhing_score *score, char text[][MH_TEXT_SIZE])
{
    int count = 0;
    for (int i = 0; i < score->num_cards;) {
        const int size = mhing_group_size(score, i);
        write_cards(text[count++], score->cards + i, score->joker + i, size);
        i += size;
    }
    return count;
}

size_t mhing_score_text(const struct mhing_score *score, char *text, size_t size)
{
    char words[DEALT + 1][MH_TEXT_SIZE];
    struct mh_text out;
    mh_text_begin(&out, text, text ? size : 0);
    const int count = score ? mhing_arrangement(score, words) : 0;
    for (int i = 0; i < count; i++) {
        mh_text_add(&out, i ? " %s" : "%s", words[i]);
    }
    return out.length;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* Cards read from a text, in its order. */
struct cards_read {
    int count;
    uint8_t type[DECK];
};

static int letter_index(const char *letters, char letter)
{
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? (int)(found - letters) : -1;
}

/* Settles the suit of the digits waiting since `first`, which hold bare numbers so far. */
static void set_suit(struct cards_read *read, int first, int suit)
{
    for (int i = first; i < read->count; i++) {
        read->type[i] = (uint8_t)(read->type[i] + suit * NUMBERS);
    }
}

/* Reads `length` characters; stars are skipped where `stars` allows them. */
static int read_cards(const char *what, const char *text, int length, int stars, struct cards_read *read,
                      char *message)
{
    int waiting = 0; /* place of the first digit without a suit */
    read->count = 0;
    for (int i = 0; i < length; i++) {
        const char letter = text[i];
        const int suit = letter_index(suit_letters, letter);
        const int honour = letter_index(honour_letters, letter);
        if (read->count == DECK) {
            mh_message(message, "%s: more than %d cards", what, DECK);
            return MH_ERROR_ARGUMENT;
        }
        if (letter >= '1' && letter <= '9') {
            read->type[read->count++] = (uint8_t)(letter - '1');
        } else if (suit >= 0 && waiting < read->count) {
            set_suit(read, waiting, suit);
            waiting = read->count;
        } else if ((honour >= 0 || letter == 'J') && waiting == read->count) {
            read->type[read->count++] = (uint8_t)(letter == 'J' ? JOKER : WINDS + honour);
            waiting = read->count;
        } else if (!(letter == ' ' && waiting == read->count) && !(letter == '*' && stars && read->count > 0)) {
            const int shown = letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
            mh_message(message,
                       waiting < read->count ? "%s: a suit letter s, p or m must follow the digits, not '%c'"
                                             : "%s: '%c' is no card; write 123s 123p 123m ESWN RGP J",
                       what, shown ? letter : '?');
            return MH_ERROR_ARGUMENT;
        }
    }
    if (waiting < read->count) {
        mh_message(message, "%s: a suit letter s, p or m is missing after the last digit", what);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

static int meld_kind_of(const struct cards_read *read)
{
    const uint8_t *type = read->type;
    if (read->count != MELD_CARDS || type[0] >= JOKER) {
        return -1;
    }
    if (type[0] == type[1] && type[1] == type[2]) {
        return triplet_kind(type[0]);
    }
    const int ascending = type[1] == type[0] + 1 && type[2] == type[0] + 2;
    return ascending && type[0] < SUIT_TYPES && type_number(type[0]) < SEQUENCES_PER_SUIT
               ? sequence_kind(type_suit(type[0]), type_number(type[0]))
               : -1;
}

static int read_melds(const char *melds, struct mhing_cards *cards, char *message)
{
    const char *text = melds;
    for (;;) {
        text += strspn(text, " ");
        const int length = (int)strcspn(text, " ");
        struct cards_read read;
        if (length == 0) {
            return MH_OK;
        }
        if (cards->melds == MELDS) {
            mh_message(message, "melds: a hand has at most %d", MELDS);
            return MH_ERROR_ARGUMENT;
        }
        const int status = read_cards("melds", text, length, 1, &read, message);
        if (status != MH_OK) {
            return status;
        }
        const int kind = meld_kind_of(&read);
        if (kind < 0) {
            mh_message(message, "melds: '%.*s' is neither a sequence such as 456s nor a triplet such as EEE",
                       length > 20 ? 20 : length, text);
            return MH_ERROR_ARGUMENT;
        }
        cards->meld_kind[cards->melds++] = (uint8_t)kind;
        text += length;
    }
}

/* The deck holds four copies of a card; more can only be Mhing cards standing for it in melds on the table. */
static int check_copies(const struct mhing_cards *cards, char *message)
{
    int extra = 0;
    for (int type = 0; type < TYPES; type++) {
        int copies = cards->count[type];
        for (int i = 0; i < cards->melds; i++) {
            for (int place = 0; place < MELD_CARDS; place++) {
                copies += kind_card(cards->meld_kind[i], place) == type;
            }
        }
        if (cards->count[type] > COPIES) {
            char text[MH_TEXT_SIZE];
            mhing_card_text(type, text);
            mh_message(message, "hand: %d times %s, the deck has %d", cards->count[type], text, COPIES);
            return MH_ERROR_ARGUMENT;
        }
        extra += copies > COPIES ? copies - COPIES : 0;
    }
    if (cards->count[JOKER] + extra > JOKERS) {
        mh_message(message, "hand: it needs %d Mhing cards (J), the deck has %d", cards->count[JOKER] + extra,
                   JOKERS);
        return MH_ERROR_ARGUMENT;
    }
    return MH_OK;
}

int mhing_parse_hand(const char *hand, const char *melds, int flowers, struct mhing_cards *cards, char *message)
{
    struct mhing_cards parsed = {.melds = 0};
    struct cards_read read;
    if (!hand || !cards) {
        mh_message(message, "hand must not be NULL");
        return MH_ERROR_ARGUMENT;
    }
    if (flowers < 0 || flowers > FLOWERS) {
        mh_message(message, "flowers: %d is not in 0..%d", flowers, FLOWERS);
        return MH_ERROR_ARGUMENT;
    }
    const size_t length = strlen(hand);
    int status = read_cards("hand", hand, length < 1000 ? (int)length : 1000, 0, &read, message);
    if (status == MH_OK && melds) {
        status = read_melds(melds, &parsed, message);
    }
    if (status != MH_OK) {
        return status;
    }
    const int full = DEALT + 1 - MELD_CARDS * parsed.melds;
    if (read.count != full && read.count != full - 1) {
        mh_message(message, "hand: %d cards with %d melds laid; it must be %d, or %d before the draw", read.count,
                   parsed.melds, full, full - 1);
        return MH_ERROR_ARGUMENT;
    }
    for (int i = 0; i < read.count; i++) {
        parsed.count[read.type[i]]++;
    }
    parsed.flowers = (uint8_t)flowers;
    status = check_copies(&parsed, message);
    if (status == MH_OK) {
        *cards = parsed;
    }
    return status;
}
