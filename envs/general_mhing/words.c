/* A table in sentences, as one viewer sees it (C49): what general_check_shown has accepted. */
#include "general_mhing.h"

/* ---- Cards ------------------------------------------------------------------------------------------------ */

/* A card and what follows it, in one piece: there are up to 70 in a text. */
static void put_card(struct mh_words *out, int card, const char *after)
{
    char text[MH_TEXT_SIZE];
    assert(strlen(after) < sizeof text - 2);
    general_card_text(card, text);
    strcpy(text + 2, after);
    mh_words_put(out, text);
}

static void put_cards(struct mh_words *out, uint64_t cards)
{
    char text[3 * CARDS + MH_TEXT_SIZE] = "";
    char *at = text;
    for (; cards; cards &= cards - 1) {
        if (at > text) {
            *at++ = ' ';
        }
        general_card_text(mh_bits_lowest(cards), at);
        at += 2;
    }
    mh_words_put(out, text);
}

static void put_sequence(struct mh_words *out, struct sequence sequence)
{
    char text[MH_TEXT_SIZE];
    general_sequence_text(sequence, text);
    mh_words_put(out, text);
}

/* ---- Events ----------------------------------------------------------------------------------------------- */

static const char *const endings[ENDINGS] = {
    [ENDING_NONE] = "", [ENDING_SEQUENCES] = "with a fourth sequence", [ENDING_TURNS] = "at the turn limit"};

void general_say_event(int seat, int kind, int detail, int ace, struct mh_words *out)
{
    const int card = detail - 1;
    const struct sequence sequence = {detail - 1, ace};
    switch (kind) {
    case EVENT_deal:
        mh_words_does(out, seat, "have", "has");
        mh_words_put(out, "the first turn.");
        break;
    case EVENT_take:
        mh_words_does(out, seat, "take", "takes");
        put_card(out, card, ".");
        break;
    case EVENT_sequence:
        mh_words_does(out, seat, "lay", "lays");
        put_sequence(out, sequence);
        mh_words_put(out, ".");
        break;
    case EVENT_swap:
        mh_words_does(out, seat, "give", "gives");
        put_card(out, card, " for ");
        put_card(out, card_suit(card) * RANKS, ".");
        break;
    case EVENT_discard:
        mh_words_does(out, seat, "discard", "discards");
        put_card(out, card, ".");
        break;
    case EVENT_shuffle:
        mh_words_does(out, seat, "shuffle", "shuffles");
        mh_words_put(out, "the discards but the last into a new draw pile.");
        break;
    default:
        mh_words_does(out, seat, "end", "ends");
        mh_words_put(out, "the round ");
        mh_words_put(out, endings[detail]);
        mh_words_put(out, ".");
    }
}

/* ---- The round -------------------------------------------------------------------------------------------- */

static void say_heading(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    const struct mh_shown *table = shown->table;
    const int64_t round = mh_shown_number(view->round, sizeof view->round);
    const int64_t left = mh_shown_number(view->rounds_left, sizeof view->rounds_left);
    const int32_t turns = table->options[OPTION_turn_limit];
    mh_words_put(out, MH_TITLE ", round ");
    mh_words_number(out, round + 1);
    if (left) {
        mh_words_put(out, " of ");
        mh_words_number(out, round + left);
    }
    mh_words_put(out, ", turn ");
    mh_words_number(out, turns - mh_shown_number(view->turns_left, sizeof view->turns_left));
    mh_words_put(out, " of ");
    mh_words_number(out, turns);
    mh_words_put(out, ".");
    mh_words_viewer(out);
    mh_words_put(out, " ");
    mh_words_does(out, mh_shown_seat(table, view->starter[0]), "had", "had");
    mh_words_put(out, "the first turn.\n");
}

static void say_limits(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    const int64_t target = mh_shown_number(view->target, sizeof view->target);
    if (target) {
        mh_words_count(out, target, "point");
        mh_words_put(out, target == 1 ? " wins the game." : " win the game.");
    } else if (mh_shown_number(view->rounds_left, sizeof view->rounds_left)) {
        mh_words_put(out, "The most points win the game.");
    } else {
        mh_words_put(out, "The most points win this round, the only one.");
    }
    mh_words_put(out, shown->table->options[OPTION_offer] == OFFER_TOP
                          ? " The discard on top may be taken whoever discarded it.\n"
                          : "\n");
}

/* ---- Seats ------------------------------------------------------------------------------------------------ */

static int is_viewer(const struct general_shown *shown, int seat)
{
    return seat == shown->table->viewer->seat;
}

/* True if the viewer sees the cards in a seat's hand. */
static int is_open(const struct general_shown *shown, int seat)
{
    return is_viewer(shown, seat) || shown->hidden;
}

static uint64_t hand_of(const struct general_shown *shown, int seat)
{
    return general_shown_cards(is_viewer(shown, seat) ? shown->view->hand : shown->hidden_seats[seat].hands);
}

static void say_drawn(const struct general_shown *shown, int seat, struct mh_words *out)
{
    const uint8_t *drawn = shown->view->drawn;
    if (is_viewer(shown, seat) && drawn[0]) {
        mh_words_put(out, " ");
        mh_words_does(out, seat, "have just drawn", "has just drawn");
        put_card(out, drawn[0] - 1, drawn[1] ? " and " : ".");
        if (drawn[1]) {
            put_card(out, drawn[1] - 1, ".");
        }
    }
}

static void say_hand(const struct general_shown *shown, int seat, struct mh_words *out)
{
    const struct general_seat *block = general_shown_seat(shown, seat);
    const int64_t score = mh_shown_number(block->score, sizeof block->score);
    const uint64_t known = general_shown_aces(block);
    mh_words_does(out, seat, "have", "has");
    if (score) {
        mh_words_count(out, score, "point");
        mh_words_put(out, " and ");
    }
    mh_words_count(out, block->hand_size[0], "card");
    if (is_open(shown, seat) && block->hand_size[0]) {
        mh_words_put(out, ": ");
        put_cards(out, hand_of(shown, seat));
    }
    mh_words_put(out, ".");
    say_drawn(shown, seat, out);
    if (known) {
        mh_words_put(out, " All know ");
        put_cards(out, known);
        mh_words_put(out, ".");
    }
    mh_words_old_cards(out, block->old_cards[0]);
    mh_words_put(out, "\n");
}

static void say_sequences(const struct general_seat *block, struct mh_words *out)
{
    const int count = general_num_sequences(block);
    for (int i = 0; i < count; i++) {
        mh_words_put(out, i ? " " : "  Sequences: ");
        put_sequence(out, general_sequence(block, i));
    }
    if (block->tally[0]) {
        mh_words_put(out, ", worth ");
        mh_words_count(out, block->tally[0], "point");
    }
    mh_words_put(out, count ? ".\n" : "");
}

/* ---- Piles ------------------------------------------------------------------------------------------------ */

static void say_discards(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    for (int i = 0; i < PILE && view->discards[i]; i++) {
        mh_words_put(out, i ? "), " : "Discards, the newest last: ");
        put_card(out, view->discards[i] - 1, " (");
        mh_words_seat(out, mh_shown_seat(shown->table, view->discarded_by[i]));
    }
    mh_words_put(out, view->discards[0] ? ").\n" : "");
}

static void say_draw_pile(const uint8_t *cards, int left, struct mh_words *out)
{
    mh_words_put(out, "The draw pile, its top card first: ");
    for (int i = 0; i < left; i++) {
        put_card(out, cards[i] - 1, i < left - 1 ? " " : ".\n");
    }
}

static void say_piles(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    const uint64_t held = general_shown_cards(view->unseen) & ~general_shown_cards(view->drawable);
    say_discards(shown, out);
    mh_words_draw_pile(out, view->draw_pile_left[0], mh_shown_number(view->shuffles, sizeof view->shuffles));
    if (view->offer[0]) {
        mh_words_put(out, " ");
        put_card(out, view->offer[0] - 1, " is on offer.");
    }
    mh_words_put(out, "\n");
    if (shown->table->viewer->seat >= 0 && held) { /* unseen, and not shuffled into the draw pile */
        mh_words_put(out, "Not in the draw pile but in other hands: ");
        put_cards(out, held);
        mh_words_put(out, ".\n");
    }
    if (shown->hidden && view->draw_pile_left[0]) {
        say_draw_pile(shown->hidden->draw_pile, view->draw_pile_left[0], out);
    }
}

/* ---- The ending of the last round --------------------------------------------------------------------------- */

static void say_tally(int seat, int64_t tally, const int64_t *parts, struct mh_words *out)
{
    const char *separator = ": ";
    mh_words_put(out, " ");
    mh_words_does(out, seat, "had", "had");
    mh_words_count(out, tally, "point");
    for (int part = 0; parts && part < PARTS; part++) {
        if (parts[part]) {
            char name[MH_TEXT_SIZE];
            general_part_text(part, name);
            mh_words_put(out, separator);
            mh_words_number(out, parts[part]);
            mh_words_put(out, " ");
            mh_words_put(out, name);
            separator = ", ";
        }
    }
    mh_words_put(out, ".");
}

/* Says what each seat scored, by its sequences on the table. */
static void say_scored_now(const struct general_shown *shown, struct mh_words *out)
{
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const struct general_seat *block = general_shown_seat(shown, seat);
        int32_t scored[PARTS];
        int64_t parts[PARTS];
        const int tally = general_score(block->sequence_kind, general_num_sequences(block), scored);
        for (int part = 0; part < PARTS; part++) {
            parts[part] = scored[part];
        }
        if (tally) {
            say_tally(seat, tally, parts, out);
        }
    }
}

/* The same after the next deal, when only the numbers beside an observation say it; the parts are the winner's. */
static void say_scored_before(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_info *info = shown->info;
    for (int seat = 0; seat < shown->table->seats; seat++) {
        if (info->tallies[seat]) {
            say_tally(seat, info->tallies[seat], seat == info->winner[0] ? info->parts : NULL, out);
        }
    }
}

static void say_ending(int ending, struct mh_words *out)
{
    mh_words_put(out, " It ended ");
    mh_words_put(out, endings[ending]);
    mh_words_put(out, ".");
}

static void say_result(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    const int is_over = general_shown_is_over(view);
    const char *which = is_over ? "this round" : "the last round";
    if (!general_shown_has_result(view)) {
        return;
    }
    if (view->last_winner[0]) {
        mh_words_does(out, mh_shown_seat(shown->table, view->last_winner[0]), "won", "won");
        mh_words_put(out, which);
        if (view->last_points[0]) {
            mh_words_put(out, " and ");
            mh_words_count(out, view->last_points[0], "point");
        }
        mh_words_put(out, ".");
    } else {
        mh_words_put(out, "Nobody won ");
        mh_words_put(out, which);
        mh_words_put(out, ".");
    }
    if (is_over) {
        say_ending(view->event_detail[MH_EVENT_TAIL - 1], out);
        say_scored_now(shown, out);
    } else if (shown->info) {
        say_ending((int)shown->info->ending[0], out);
        say_scored_before(shown, out);
    }
    mh_words_put(out, "\n");
}

/* ---- The turn ----------------------------------------------------------------------------------------------- */

static int64_t score_of(const struct general_shown *shown, int seat)
{
    const struct general_seat *block = general_shown_seat(shown, seat);
    return mh_shown_number(block->score, sizeof block->score);
}

/* R6: a game ends with the target, or with its last round. */
static int is_last_round(const struct general_shown *shown)
{
    const struct general_view *view = shown->view;
    const int64_t target = mh_shown_number(view->target, sizeof view->target);
    int is_last = mh_shown_number(view->rounds_left, sizeof view->rounds_left) == 1;
    for (int seat = 0; target && seat < shown->table->seats; seat++) {
        is_last |= score_of(shown, seat) >= target;
    }
    return is_last;
}

/* R6.3: the highest score wins, and players tied at the top share the win. */
static void say_winners(const struct general_shown *shown, struct mh_words *out)
{
    int winners[SEATS] = {0};
    int count = 0;
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const int64_t more = count ? score_of(shown, seat) - score_of(shown, winners[0]) : 1;
        count = more > 0 ? 0 : count;
        if (more >= 0) {
            winners[count++] = seat;
        }
    }
    mh_words_winners(out, winners, count);
    mh_words_put(out, "with ");
    mh_words_count(out, score_of(shown, winners[0]), "point");
    mh_words_put(out, ".\n");
}

static void say_end(const struct general_shown *shown, struct mh_words *out)
{
    if (is_last_round(shown)) {
        mh_words_put(out, "The game is over. ");
        say_winners(shown, out);
    } else {
        mh_words_put(out, "The round is over.\n");
    }
}

/* R3.4: the cards of the hand that free an ace. */
static int can_swap(const struct general_seat *block, uint64_t hand)
{
    uint64_t wanted = 0;
    for (int i = 0; i < general_num_sequences(block); i++) {
        wanted |= general_wanted_by(general_sequence(block, i));
    }
    return (hand & wanted) != 0;
}

static int can_lay(uint64_t hand)
{
    uint64_t sequences = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        sequences |= general_suit_sequences(suit_ranks(hand, suit));
    }
    return sequences != 0;
}

/* Adds what a seat may do to its choices, of which so many have been said. */
static int put_choice(struct mh_words *out, int count, const char *choice)
{
    mh_words_put(out, count ? ", or to " : "to ");
    mh_words_put(out, choice);
    return count + 1;
}

static void say_choices(const struct general_shown *shown, int seat, int phase, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    const uint64_t hand = hand_of(shown, seat);
    const int offer = view->offer[0];
    int count = 0;
    mh_words_does(out, seat, "are", "is");
    switch (phase) {
    case PHASE_START:
        count = put_choice(out, count, "draw");
        if (offer && general_sequences_with(hand, offer - 1)) {
            count = put_choice(out, count, "take ");
            put_card(out, offer - 1, "");
        }
        break;
    case PHASE_TAKEN:
        count = put_choice(out, count, "lay ");
        put_card(out, view->taken[0] - 1, "");
        break;
    case PHASE_PLAY:
        count = put_choice(out, count, "discard");
        if (can_lay(hand)) {
            count = put_choice(out, count, "lay a sequence");
        }
        break;
    default:
        count = put_choice(out, count, "end the turn");
    }
    if (phase != PHASE_TAKEN && can_swap(general_shown_seat(shown, seat), hand)) {
        put_choice(out, count, "swap");
    }
    mh_words_put(out, ".\n");
}

static void say_turn(const struct general_shown *shown, struct mh_words *out)
{
    const struct general_view *view = shown->view;
    const int on_turn = mh_shown_seat(shown->table, view->on_turn[0]);
    const int phase = general_shown_phase(shown);
    mh_words_does(out, on_turn, "are", "is");
    mh_words_put(out, "on turn");
    if (view->taken[0]) {
        mh_words_put(out, ", with ");
        put_card(out, view->taken[0] - 1, " taken");
    }
    if (phase == PHASE_WAIT) {
        mh_words_put(out, ".\n");
    } else {
        mh_words_put(out, ". ");
        say_choices(shown, on_turn, phase, out);
    }
}

/* Option hints: what the observer lacks, and what it will after each of its actions. */
static void say_hints(const struct general_hints *hints, struct mh_words *out)
{
    enum { ILLEGAL = 255 };
    int count = 0;
    mh_words_put(out, "Cards lacking for a sequence: ");
    mh_words_number(out, hints->lacking[0]);
    mh_words_put(out, ".");
    for (int action = 0; action < ACTIONS; action++) {
        char text[MH_TEXT_SIZE];
        if (hints->lacking_after[action] == ILLEGAL) {
            continue;
        }
        general_action_text(action, text);
        mh_words_put(out, count++ ? ", " : " Cards lacking, useful cards and points after a move: ");
        mh_words_put(out, text);
        mh_words_put(out, " ");
        mh_words_number(out, hints->lacking_after[action]);
        mh_words_put(out, "/");
        mh_words_number(out, hints->useful_after[action]);
        mh_words_put(out, "/");
        mh_words_number(out, hints->tally_after[action]);
    }
    mh_words_put(out, count ? ".\n" : "\n");
}

static void say_status(const struct general_shown *shown, struct mh_words *out)
{
    if (general_shown_is_over(shown->view)) {
        say_end(shown, out);
    } else {
        say_turn(shown, out);
    }
    if (shown->hints && shown->table->viewer->seat >= 0) {
        say_hints(shown->hints, out);
    }
}

void general_words(const struct general_shown *shown, int part, int number, struct mh_words *out)
{
    switch (part) {
    case MH_WORDS_HEADING:
        say_heading(shown, out);
        break;
    case MH_WORDS_LIMITS:
        say_limits(shown, out);
        break;
    case MH_WORDS_SEAT:
        say_hand(shown, number, out);
        say_sequences(general_shown_seat(shown, number), out);
        break;
    case MH_WORDS_PILES:
        say_piles(shown, out);
        break;
    case MH_WORDS_RESULT:
        say_result(shown, out);
        break;
    case MH_WORDS_STATUS:
        say_status(shown, out);
        break;
    default:
        break; /* the texts of moves say all */
    }
}
