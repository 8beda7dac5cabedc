/* A table of Mexican Rummy in sentences (C49): what an observation says, and what was given beside it. */
#include "mexican_rummy.h"

/* ---- Cards ------------------------------------------------------------------------------------------------ */

/* The cards of one list are separated by spaces. */
static void put_next(struct mh_words *out, int *count, int type)
{
    if ((*count)++) {
        mh_words_put(out, " ");
    }
    rummy_put_type(out, type);
}

static void put_counts(struct mh_words *out, const uint8_t counts[TYPES])
{
    char text[3 * CARDS + MH_TEXT_SIZE] = "";
    char *at = text;
    for (int type = 0; type < TYPES; type++) {
        for (int i = 0; i < counts[type]; i++) {
            *at = ' ';
            at += at > text;
            rummy_type_text(type, at);
            at += 2;
        }
    }
    mh_words_put(out, text);
}

static int sum_of(const uint8_t counts[TYPES])
{
    int sum = 0;
    for (int type = 0; type < TYPES; type++) {
        sum += counts[type];
    }
    return sum;
}

/* "set 7ssh", "run 56*78h (2c)": in brackets the black 2s in the place of others, from the low end. */
static void put_meld(struct mh_words *out, int kind, const uint8_t cards[PLACES])
{
    char text[MH_TEXT_SIZE];
    int wilds = 0;
    rummy_meld_text(kind, cards, text);
    mh_words_put(out, kind_is_set(kind) ? "set " : "run ");
    mh_words_put(out, text);
    for (int place = 0; place < PLACES; place++) {
        if (rummy_is_wild_at(kind, cards, place)) {
            mh_words_put(out, wilds ? "" : " (");
            put_next(out, &wilds, cards[place] - 1);
        }
    }
    mh_words_put(out, wilds ? ")" : "");
}

static int is_own(const struct rummy_shown *shown, int seat)
{
    return seat == shown->table->viewer->seat;
}

/* ---- The round -------------------------------------------------------------------------------------------- */

static int seat_on_turn(const struct rummy_shown *shown)
{
    return mh_shown_seat(shown->table, shown->view->on_turn[0]);
}

/* A spectator is shown no phase; the end of a round is an event. */
static int is_over(const struct rummy_shown *shown)
{
    const struct rummy_view *view = shown->view;
    const int last = view->event_seat[MH_EVENT_TAIL - 1] ? view->event_kind[MH_EVENT_TAIL - 1] : -1;
    const int to_act = shown->table->viewer->to_act;
    return shown->table->viewer->seat >= 0 ? view->phase[0] == PHASE_OVER
                                           : last == EVENT_over || to_act == MH_OVER || to_act == MH_BETWEEN_ROUNDS;
}

static void put_objective(struct mh_words *out, int sets, int runs)
{
    if (sets) {
        mh_words_count(out, sets, "set");
    }
    mh_words_put(out, sets && runs ? " and " : "");
    if (runs) {
        mh_words_count(out, runs, "run");
    }
}

static void say_heading(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    const int turns = rummy_turns(shown->table->options, view->objective[0] - 1);
    mh_words_put(out, "Mexican Rummy, ");
    if (shown->info) {
        mh_words_put(out, "round ");
        mh_words_number(out, shown->info->round[0] + 1);
        mh_words_put(out, ", ");
    }
    mh_words_put(out, "turn ");
    mh_words_number(out, turns - mh_shown_number(view->turns_left, sizeof view->turns_left));
    mh_words_put(out, " of ");
    mh_words_number(out, turns);
    mh_words_put(out, ". The objective is ");
    put_objective(out, view->sets[0], view->runs[0]);
    mh_words_put(out, ".");
    mh_words_viewer(out);
    mh_words_put(out, " ");
    mh_words_does(out, mh_shown_seat(shown->table, view->starter[0]), "had", "had");
    mh_words_put(out, "the first turn.\n");
}

static void say_limits(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    mh_words_put(out, "The fewest points win.");
    if (shown->table->options[OPTION_episode]) {
        mh_words_put(out, " Rounds left after this one: ");
        mh_words_number(out, view->rounds_left[0]);
        mh_words_put(out, ".");
    }
    mh_words_put(out, view->runs[0] ? " Black twos are wild in runs." : "");
    mh_words_put(out, rummy_is_no_discardo(view->objective[0] - 1)
                          ? " All cards of a hand are laid at once, without a discard."
                          : "");
    mh_words_put(out, " Who is granted a discard also draws a card.\n");
}

/* ---- Seats ------------------------------------------------------------------------------------------------ */

/* The cards of a hand, of the observer's those that it is not laying down; NULL: not all of them are known. */
static const uint8_t *hand_of(const struct rummy_shown *shown, int seat)
{
    const struct rummy_seat *block = rummy_shown_seat(shown, seat);
    const struct rummy_view *view = shown->view;
    if (is_own(shown, seat)) {
        return view->hand;
    }
    if (shown->hidden) {
        return shown->hidden_seats[seat].hands;
    }
    return sum_of(block->known) == block->hand_size[0] ? block->known : NULL;
}

static void say_known(const uint8_t *hand, const uint8_t known[TYPES], struct mh_words *out)
{
    if (!sum_of(known)) {
        return;
    }
    mh_words_put(out, " All know ");
    if (hand && memcmp(hand, known, TYPES) == 0) {
        mh_words_put(out, "them");
    } else {
        put_counts(out, known);
    }
    mh_words_put(out, ".");
}

static int64_t score_of(const struct rummy_shown *shown, int seat)
{
    const struct rummy_seat *block = rummy_shown_seat(shown, seat);
    return mh_shown_number(block->score, sizeof block->score);
}

static void say_drawn(int seat, int card, struct mh_words *out)
{
    if (card) {
        mh_words_put(out, " ");
        mh_words_does(out, seat, "have just drawn", "has just drawn");
        rummy_put_type(out, card - 1);
        mh_words_put(out, ".");
    }
}

static void say_hand(const struct rummy_shown *shown, int seat, struct mh_words *out)
{
    const struct rummy_seat *block = rummy_shown_seat(shown, seat);
    const int drawn = is_own(shown, seat) ? shown->view->drawn[0] : 0;
    const uint8_t *hand = hand_of(shown, seat);
    const int64_t score = score_of(shown, seat);
    mh_words_does(out, seat, "have", "has");
    if (score) {
        mh_words_count(out, score, "point");
        mh_words_put(out, " and ");
    }
    mh_words_count(out, block->hand_size[0], "card");
    if (hand && sum_of(hand)) {
        mh_words_put(out, ": ");
        put_counts(out, hand);
    }
    mh_words_put(out, ".");
    say_drawn(seat, drawn, out);
    say_known(hand, block->known, out);
    mh_words_old_cards(out, block->old_cards[0]);
    if (block->refused[0]) {
        mh_words_put(out, " ");
        mh_words_does(out, seat, "were", "was");
        mh_words_put(out, "refused the discard.");
    }
    mh_words_put(out, "\n");
}

/* `first` is the name of the first one, -1: they have none. */
static void put_melds(const uint8_t kinds[MELDS], const uint8_t *cards, int first, struct mh_words *out)
{
    for (int meld = 0; meld < MELDS && kinds[meld]; meld++) {
        mh_words_put(out, meld ? ", " : "");
        if (first >= 0) {
            rummy_put_meld_name(out, first + meld);
            mh_words_put(out, " ");
        }
        put_meld(out, kinds[meld], cards + meld * PLACES);
    }
}

/* "You give Ah for the 2s in 2.1, as the high ace." */
static void say_swap(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    const int name = view->swap_from[0] - 1;
    const int place = view->swap_from[1] - 1;
    const struct rummy_seat *block = rummy_shown_seat(shown, mh_shown_seat(shown->table, 1 + name / MELDS));
    mh_words_put(out, "  ");
    mh_words_does(out, shown->table->viewer->seat, "give", "gives");
    rummy_put_type(out, view->swap_card[0] - 1);
    mh_words_put(out, " for the ");
    rummy_put_type(out, block->meld_cards[name % MELDS * PLACES + place] - 1);
    mh_words_put(out, " in ");
    rummy_put_meld_name(out, name);
    if (place == LOW_ACE || place == HIGH_ACE) {
        mh_words_put(out, place == LOW_ACE ? ", as the low ace" : ", as the high ace");
    }
    mh_words_put(out, view->wanted[0] ? ", and must still lay it.\n" : ".\n");
}

/* Says what the observer is laying down. */
static void say_plan(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    if (view->swap_card[0]) {
        say_swap(shown, out);
    }
    if (view->plan_kind[0]) {
        mh_words_put(out, "  Laying down: ");
        put_melds(view->plan_kind, view->plan_cards, -1, out);
        if (view->to_fill[0]) {
            mh_words_put(out, " and ");
            mh_words_count(out, view->to_fill[0], "card");
            mh_words_put(out, " more");
        }
        mh_words_put(out, ".\n");
    }
}

static void say_seat(const struct rummy_shown *shown, int seat, struct mh_words *out)
{
    const struct rummy_seat *block = rummy_shown_seat(shown, seat);
    const int clockwise = (seat - shown->table->observer + shown->table->seats) % shown->table->seats;
    say_hand(shown, seat, out);
    if (is_own(shown, seat)) {
        say_plan(shown, out);
    }
    if (block->meld_kind[0]) {
        mh_words_put(out, "  Melds: ");
        put_melds(block->meld_kind, block->meld_cards, MELDS * clockwise, out);
        mh_words_put(out, ".\n");
    }
}

/* ---- Piles ------------------------------------------------------------------------------------------------ */

static void say_discards(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    if (!view->discards[0]) {
        return;
    }
    mh_words_put(out, "Discards, the newest last: ");
    for (int i = 0; i < PILE && view->discards[i]; i++) {
        char text[MH_TEXT_SIZE];
        rummy_type_text(view->discards[i] - 1, text);
        strcat(text, " (");
        mh_words_put(out, i ? "), " : "");
        mh_words_put(out, text);
        if (view->discarded_by[i]) {
            mh_words_seat(out, mh_shown_seat(shown->table, view->discarded_by[i]));
        } else {
            mh_words_put(out, "turned up");
        }
    }
    mh_words_put(out, ").\n");
}

/* After a shuffle: unseen cards that were not in it lie in hands. */
static void say_held(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    uint8_t held[TYPES];
    for (int type = 0; type < TYPES; type++) {
        held[type] = (uint8_t)(view->unseen[type] - view->drawable[type]);
    }
    if (shown->table->viewer->seat >= 0 && sum_of(held)) {
        mh_words_put(out, "Not in the draw pile but in other hands: ");
        put_counts(out, held);
        mh_words_put(out, ".\n");
    }
}

static void say_draw_pile(const uint8_t *cards, int left, struct mh_words *out)
{
    int count = 0;
    mh_words_put(out, "The draw pile, its top card first: ");
    for (int i = 0; i < left; i++) {
        put_next(out, &count, cards[i] - 1);
    }
    mh_words_put(out, ".\n");
}

static void say_piles(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    say_discards(shown, out);
    mh_words_draw_pile(out, view->draw_pile_left[0], mh_shown_number(view->shuffles, sizeof view->shuffles));
    if (view->offer[0]) {
        mh_words_put(out, " ");
        rummy_put_type(out, view->offer[0] - 1);
        mh_words_put(out, " is on offer.");
    }
    mh_words_put(out, "\n");
    say_held(shown, out);
    if (shown->hidden && view->draw_pile_left[0]) {
        say_draw_pile(shown->hidden->draw_pile, view->draw_pile_left[0], out);
    }
}

/* ---- The ending of the last round ----------------------------------------------------------------------------- */

static void say_result(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_info *info = shown->info;
    if (!info || !info->rounds_over[0]) {
        return;
    }
    mh_words_put(out, is_over(shown) ? "This round: " : "Last round: ");
    if (info->winner[0] >= 0) {
        mh_words_seat(out, (int)info->winner[0]);
        mh_words_put(out, info->ending[0] == ENDING_OUT ? " had no card left." : " laid all cards at once.");
    } else {
        mh_words_put(out, info->ending[0] == ENDING_TURNS ? "the turn limit was reached."
                                                          : "there was no card to draw.");
    }
    mh_words_put(out, " Points: ");
    for (int seat = 0; seat < shown->table->seats; seat++) {
        mh_words_put(out, seat ? ", " : "");
        mh_words_seat(out, seat);
        mh_words_put(out, " +");
        mh_words_number(out, info->points[seat]);
    }
    mh_words_put(out, ".\n");
}

/* ---- Who is to do what ---------------------------------------------------------------------------------------- */

/* R8.3: the lowest total wins, and tied players share the win. */
static void say_winners(const struct rummy_shown *shown, struct mh_words *out)
{
    int winners[SEATS] = {0};
    int count = 0;
    for (int i = 0; i < shown->table->seats; i++) {
        const int seat = mh_shown_seat(shown->table, i + 1);
        const int64_t less = count ? score_of(shown, seat) - score_of(shown, winners[0]) : -1;
        count = less < 0 ? 0 : count;
        if (less <= 0) {
            winners[count++] = seat;
        }
    }
    mh_words_winners(out, winners, count);
    mh_words_put(out, "with ");
    mh_words_count(out, score_of(shown, winners[0]), "point");
    mh_words_put(out, ".\n");
}

static void say_end(const struct rummy_shown *shown, struct mh_words *out)
{
    const int last = shown->view->rounds_left[0] == 0;
    mh_words_does(out, seat_on_turn(shown), "had", "had");
    mh_words_put(out, last && shown->table->options[OPTION_episode] ? "the last turn. The game is over."
                                                                    : "the last turn. The round is over.");
    if (last) {
        mh_words_put(out, " ");
        say_winners(shown, out);
    } else {
        mh_words_put(out, "\n");
    }
}

/* The question to a seat in this phase, after "You are to ". */
static void say_question(const struct rummy_shown *shown, int seat, int phase, struct mh_words *out)
{
    static const char *const questions[PHASES] = {
        [PHASE_START] = "draw or to take ",  [PHASE_ANSWER] = "grant it, to refuse it or to take ",
        [PHASE_PLAY] = "lay or to discard",  [PHASE_SWAP] = "choose a black 2 for ",
        [PHASE_MELD] = "begin a meld",       [PHASE_FILL] = "fill the last meld",
        [PHASE_EXTEND] = "lay all the rest", [PHASE_PLACE] = "choose where to lay ",
    };
    mh_words_put(out, " ");
    if (phase == PHASE_ASK) {
        mh_words_does(out, seat, "may", "may");
        mh_words_put(out, "ask for ");
    } else {
        mh_words_does(out, seat, "are", "is");
        mh_words_put(out, "to ");
        mh_words_put(out, questions[phase]);
    }
    if (phase <= PHASE_START) {
        rummy_put_type(out, shown->view->offer[0] - 1);
    } else if (phase == PHASE_SWAP || phase == PHASE_PLACE) {
        rummy_put_type(out, shown->view->chosen[0] - 1);
    }
    mh_words_put(out, ".");
}

/* A viewer that sees all cards knows which seat is asked; the question follows from the table. */
static void say_hidden_question(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    const int seat = shown->hidden->to_act[0] - 1;
    if (seat >= 0) {
        say_question(shown, seat,
                     seat != seat_on_turn(shown) ? PHASE_ASK
                     : view->asker[0]            ? PHASE_ANSWER
                     : view->offer[0]            ? PHASE_START
                                                 : PHASE_PLAY,
                     out);
    }
}

/* With hints: what the observer lacks, and what it will after each action. */
static void say_hints(const struct rummy_hints *hints, struct mh_words *out)
{
    enum { ILLEGAL = 255 };
    int count = 0;
    mh_words_put(out, "Lacking: ");
    mh_words_count(out, hints->lacking[0], "card");
    mh_words_put(out, ". In the hand: ");
    mh_words_count(out, 5 * hints->points[0], "point");
    mh_words_put(out, ".");
    for (int action = 0; action < ACTIONS; action++) {
        char text[MH_TEXT_SIZE];
        if (hints->lacking_after[action] == ILLEGAL) {
            continue;
        }
        rummy_action_text(action, text);
        mh_words_put(out, count++ ? ", " : " Cards lacking/points after a move: ");
        mh_words_put(out, text);
        mh_words_put(out, " ");
        mh_words_number(out, hints->lacking_after[action]);
        mh_words_put(out, "/");
        mh_words_number(out, 5 * hints->points_after[action]);
    }
    mh_words_put(out, count ? ".\n" : "\n");
}

static void say_turn(const struct rummy_shown *shown, struct mh_words *out)
{
    const struct rummy_view *view = shown->view;
    mh_words_does(out, seat_on_turn(shown), "are", "is");
    mh_words_put(out, "on turn");
    if (view->taken[0]) {
        mh_words_put(out, ", with ");
        rummy_put_type(out, view->taken[0] - 1);
        mh_words_put(out, " taken");
    } else {
        mh_words_put(out, view->offer[0] ? ", before the draw" : ", after the draw");
    }
    mh_words_put(out, ".");
    if (view->asker[0]) {
        mh_words_put(out, " ");
        mh_words_does(out, mh_shown_seat(shown->table, view->asker[0]), "have asked for", "has asked for");
        rummy_put_type(out, view->offer[0] - 1);
        mh_words_put(out, ".");
    }
}

static void say_status(const struct rummy_shown *shown, struct mh_words *out)
{
    const int viewer = shown->table->viewer->seat;
    const int phase = viewer < 0 ? PHASE_WAIT : shown->view->phase[0];
    if (is_over(shown)) {
        say_end(shown, out);
    } else {
        say_turn(shown, out);
        if (phase != PHASE_WAIT) {
            say_question(shown, viewer, phase, out);
        } else if (shown->hidden) {
            say_hidden_question(shown, out);
        }
        mh_words_put(out, "\n");
    }
    if (shown->hints && viewer >= 0) {
        say_hints(shown->hints, out);
    }
}

/* A move onto a meld of the table, and what lies there: "onto 1.2, run 567h of seat 3". */
static void say_move(const struct rummy_shown *shown, int action, struct mh_words *out)
{
    const int meld = rummy_action_meld(action);
    if (meld < 0 || meld / MELDS >= shown->table->seats) {
        return;
    }
    const int seat = (shown->table->observer + meld / MELDS) % shown->table->seats;
    const struct rummy_seat *block = rummy_shown_seat(shown, seat);
    char text[MH_TEXT_SIZE];
    if (block->meld_kind[meld % MELDS]) {
        rummy_action_text(action, text);
        mh_words_put(out, text);
        mh_words_put(out, ", ");
        put_meld(out, block->meld_kind[meld % MELDS], block->meld_cards + meld % MELDS * PLACES);
        mh_words_of(out, "", seat);
    }
}

void rummy_words(const struct rummy_shown *shown, int part, int number, struct mh_words *out)
{
    switch (part) {
    case MH_WORDS_HEADING:
        say_heading(shown, out);
        break;
    case MH_WORDS_LIMITS:
        say_limits(shown, out);
        break;
    case MH_WORDS_SEAT:
        say_seat(shown, number, out);
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
        say_move(shown, number, out);
    }
}
