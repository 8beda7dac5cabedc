/* A table in sentences, as one viewer sees it (C49): what mhing_check_shown has accepted. */
#include "credits.h"
#include "mhing.h"

/* ---- Cards ------------------------------------------------------------------------------------------------ */

static void put_card(struct mh_words *out, int type)
{
    char text[MH_TEXT_SIZE];
    mhing_card_text(type, text);
    mh_words_put(out, text);
}

static void put_meld(struct mh_words *out, int kind, int jokers)
{
    char text[MH_TEXT_SIZE];
    mhing_meld_text(kind, jokers, text);
    mh_words_put(out, text);
}

static void put_hand(struct mh_words *out, const uint8_t count[35])
{
    char text[HAND_TEXT];
    mhing_hand_text(count, text);
    mh_words_put(out, text);
}

/* ---- Events ----------------------------------------------------------------------------------------------- */

void mhing_say_event(int seat, int kind, int detail, int jokers, struct mh_words *out)
{
    switch (kind) {
    case EVENT_deal:
        mh_words_does(out, seat, "deal", "deals");
        mh_words_put(out, "the round.");
        return;
    case EVENT_flower:
        mh_words_does(out, seat, "lay", "lays");
        mh_words_put(out, "a flower aside.");
        return;
    case EVENT_mhing:
        mh_words_does(out, seat, "call", "calls");
        mh_words_put(out, detail ? "MHING on it." : "MHING from the hand.");
        return;
    case EVENT_wash:
        mh_words_does(out, seat, "find", "finds");
        mh_words_put(out, "the source empty.");
        return;
    case EVENT_discard:
        mh_words_does(out, seat, "discard", "discards");
        put_card(out, detail - 1);
        break;
    case EVENT_claim:
        mh_words_does(out, seat, "claim it for", "claims it for");
        put_meld(out, detail - 1, jokers);
        break;
    default:
        mh_words_does(out, seat, "lay down", "lays down");
        put_meld(out, detail - 1, jokers);
    }
    mh_words_put(out, ".");
}

/* ---- The round -------------------------------------------------------------------------------------------- */

int mhing_shown_is_over(const struct mhing_view *view)
{
    enum { NEWEST = MH_EVENT_TAIL - 1 };
    const int kind = view->event_kind[NEWEST];
    return view->phase[0] == PHASE_OVER ||
           (view->event_seat[NEWEST] && (kind == EVENT_mhing || kind == EVENT_wash));
}

int mhing_shown_turn(const struct mhing_shown *shown)
{
    const struct mhing_view *view = shown->view;
    int turns = mhing_shown_is_over(view) ? view->on_turn[0] == view->last_winner[0] : !view->offer[0];
    for (int seat = 0; seat < shown->table->seats; seat++) {
        turns += mhing_shown_seat(shown, seat)->num_discards[0];
    }
    return turns;
}

static void say_heading(const struct mhing_shown *shown, struct mh_words *out)
{
    const struct mhing_view *view = shown->view;
    const int64_t round = mh_shown_number(view->round, sizeof view->round);
    const int64_t left = mh_shown_number(view->rounds_left, sizeof view->rounds_left);
    mh_words_put(out, MH_TITLE ", round ");
    mh_words_number(out, round + 1);
    if (left) {
        mh_words_put(out, " of ");
        mh_words_number(out, round + left);
    }
    mh_words_put(out, ", turn ");
    mh_words_number(out, mhing_shown_turn(shown));
    mh_words_put(out, ".");
    mh_words_viewer(out);
    mh_words_put(out, " ");
    mh_words_does(out, mh_shown_seat(shown->table, view->dealer[0]), "are", "is");
    mh_words_put(out, "the dealer.\n");
}

static void say_limits(const struct mhing_shown *shown, struct mh_words *out)
{
    const int32_t *options = shown->table->options;
    const int64_t target = mh_shown_number(shown->view->target, sizeof shown->view->target);
    if (target) {
        mh_words_count(out, target, "point");
        mh_words_put(out, target == 1 ? " wins the game." : " win the game.");
    } else {
        mh_words_put(out,
                     options[OPTION_scoring] == SCORING_CHIPS ? "The most chips win." : "The most points win.");
    }
    mh_words_put(out, options[OPTION_lay_down] ? " Melds may be laid from the hand." : "");
    mh_words_put(out, options[OPTION_seven_pairs] ? " Seven pairs are complete." : "");
    mh_words_put(out, "\n");
}

/* ---- Seats ------------------------------------------------------------------------------------------------ */

const uint8_t *mhing_shown_hand(const struct mhing_shown *shown, int seat)
{
    return shown->hidden                        ? shown->hidden_seats[seat].hands
           : seat == shown->table->viewer->seat ? shown->view->hand
                                                : NULL;
}

/* The hand, the card drawn last behind it, unless that was laid down. */
static void say_hand(const struct mhing_shown *shown, int seat, const uint8_t known[35], struct mh_words *out)
{
    const int type = seat == shown->table->viewer->seat ? shown->view->drawn[0] - 1 : -1;
    uint8_t rest[35];
    memcpy(rest, known, sizeof rest);
    if (type >= 0 && rest[type]) {
        rest[type]--;
        put_hand(out, rest);
        mh_words_put(out, ", ");
        put_card(out, type);
        mh_words_put(out, " just drawn");
    } else {
        put_hand(out, rest);
    }
}

/* Says how the seat stands; chips only where they decide, or have changed. */
static void say_standing(const struct mhing_shown *shown, const struct mhing_seat *block, struct mh_words *out)
{
    const int32_t *options = shown->table->options;
    const int64_t score = mh_shown_number(block->score, sizeof block->score);
    const int64_t chips = mh_shown_number(block->chips, sizeof block->chips);
    const int has_chips = shown->table->seats <= CHIPS_SEATS &&
                          (options[OPTION_scoring] == SCORING_CHIPS || chips != options[OPTION_stake]);
    if (score) {
        mh_words_count(out, score, "point");
        mh_words_put(out, has_chips || block->flowers[0] ? ", " : " and ");
    }
    if (has_chips) {
        mh_words_count(out, chips, "chip");
        mh_words_put(out, block->flowers[0] ? ", " : " and ");
    }
    if (block->flowers[0]) {
        mh_words_count(out, block->flowers[0], "flower");
        mh_words_put(out, " and ");
    }
    mh_words_count(out, block->hand_size[0], "card");
}

static void say_credits_missing(const struct mhing_seat *block, int seat, struct mh_words *out)
{
    const int credits = block->credits_missing[0];
    if (credits) {
        mh_words_put(out, " ");
        mh_words_does(out, seat, "need", "needs");
        if (credits > MHING_MOST_CREDITS) {
            mh_words_put(out, "more than one hand");
        } else {
            mh_words_count(out, credits, "credit");
        }
        mh_words_put(out, " to win.");
    }
}

static void say_melds(const struct mhing_shown *shown, const struct mhing_seat *block, int seat,
                      struct mh_words *out)
{
    const int seats = shown->table->seats;
    for (int i = 0; i < MELDS && block->meld_kind[i]; i++) {
        mh_words_put(out, i ? ", " : "  Melds: ");
        put_meld(out, block->meld_kind[i] - 1, block->meld_jokers[i]);
        mh_words_put(out, block->meld_from[i] ? " (from " : " (from the hand");
        if (block->meld_from[i]) {
            mh_words_seat(out, (seat + block->meld_from[i]) % seats);
        }
        mh_words_put(out, ")");
    }
    mh_words_put(out, block->meld_kind[0] ? ".\n" : "");
}

static void say_discards(const struct mhing_shown *shown, const struct mhing_seat *block, int seat,
                         struct mh_words *out)
{
    const uint8_t *discards = mhing_discards_view(block);
    const int made = block->num_discards[0];
    mh_words_put(out, made ? "  Discards:" : "");
    for (int i = 0; i < made; i++) {
        mh_words_put(out, " ");
        put_card(out, discards[i] % TAKER - 1);
        if (discards[i] > TAKER) {
            mh_words_put(out, " (taken by ");
            mh_words_seat(out, (seat + discards[i] / TAKER) % shown->table->seats);
            mh_words_put(out, ")");
        }
    }
    mh_words_put(out, made ? ".\n" : "");
}

static void say_seat(const struct mhing_shown *shown, int seat, struct mh_words *out)
{
    const struct mhing_seat *block = mhing_shown_seat(shown, seat);
    const uint8_t *hand = mhing_shown_hand(shown, seat);
    mh_words_does(out, seat, "have", "has");
    say_standing(shown, block, out);
    if (hand && block->hand_size[0]) {
        mh_words_put(out, ": ");
        say_hand(shown, seat, hand, out);
    }
    mh_words_put(out, ".");
    say_credits_missing(block, seat, out);
    mh_words_put(out, "\n");
    say_melds(shown, block, seat, out);
    say_discards(shown, block, seat, out);
}

/* ---- The middle ------------------------------------------------------------------------------------------- */

static void say_piles(const struct mhing_shown *shown, struct mh_words *out)
{
    const struct mhing_view *view = shown->view;
    if (view->source_left[0]) {
        mh_words_count(out, view->source_left[0], "card");
        mh_words_put(out, view->source_left[0] == 1 ? " is" : " are");
        mh_words_put(out, " left in the source.");
    } else {
        mh_words_put(out, "The source is empty.");
    }
    if (view->offer[0]) {
        mh_words_put(out, " ");
        put_card(out, view->offer[0] - 1);
        mh_words_put(out, ", discarded by ");
        mh_words_seat(out, mhing_on_turn(shown));
        mh_words_put(out, ", is on offer.");
    }
    mh_words_put(out, "\n");
    if (shown->hidden && view->source_left[0]) {
        mh_words_put(out, "The next cards are");
        for (int i = 0; i < view->source_left[0]; i++) {
            mh_words_put(out, " ");
            put_card(out, shown->hidden->source[i] - 1);
        }
        mh_words_put(out, ".\n");
    }
}

/* ---- The result ------------------------------------------------------------------------------------------- */

int mhing_shown_winner(const struct mhing_shown *shown)
{
    const int winner = shown->view->last_winner[0];
    return winner ? mh_shown_seat(shown->table, winner) : -1;
}

int mhing_shown_declared(const struct mhing_shown *shown, int winner, struct mhing_score *score)
{
    const struct mhing_seat *block = mhing_shown_seat(shown, winner);
    struct mhing_cards cards = {.flowers = block->flowers[0], .melds = (uint8_t)mhing_num_melds(block)};
    memcpy(cards.count, shown->view->revealed, sizeof cards.count);
    for (int i = 0; i < cards.melds; i++) {
        cards.meld_kind[i] = (uint8_t)(block->meld_kind[i] - 1);
    }
    return mhing_shown_is_over(shown->view) &&
           mhing_score_hand(&cards, shown->table->options[OPTION_seven_pairs], score) == 1;
}

/* Whose discard made the MHING possible; -1: nobody's, or it is not known. */
static int payer_of(const struct mhing_shown *shown)
{
    const struct mhing_view *view = shown->view;
    if (!mhing_shown_is_over(view)) {
        return shown->info ? (int)shown->info->payer[0] : -1;
    }
    const int payer = view->on_turn[0] == view->last_winner[0] ? view->claimed_from[0] : view->on_turn[0];
    return payer ? mh_shown_seat(shown->table, payer) : -1;
}

static int64_t part_of(const struct mhing_shown *shown, const struct mhing_score *score, int part)
{
    return score ? score->part[part] : shown->info ? shown->info->parts[part] : 0;
}

/* "3 credits (1 for honour triplet + 2 for flower), 8 points". */
static void say_worth(const struct mhing_shown *shown, const struct mhing_score *score, int with_credits,
                      struct mh_words *out)
{
    const int credits = shown->view->last_credits[0];
    int said = 0;
    mh_words_count(out, credits, "credit");
    for (int part = 0; part < MHING_CREDIT_KINDS; part++) {
        const int64_t number = with_credits ? part_of(shown, score, part) : 0;
        if (number) {
            mh_words_put(out, said++ ? " + " : " (");
            mh_words_number(out, number);
            mh_words_put(out, " for ");
            mh_words_put(out, mhing_credit_name(part));
        }
    }
    mh_words_put(out, said ? "), " : ", ");
    mh_words_count(out, mhing_points(credits), "point");
    mh_words_put(out, ".\n");
}

static void say_declared(const struct mhing_shown *shown, const struct mhing_score *score, struct mh_words *out)
{
    mh_words_put(out, "  Laid open: ");
    if (score) {
        char text[DEALT + 1][MH_TEXT_SIZE];
        const int groups = mhing_arrangement(score, text);
        for (int i = 0; i < groups; i++) {
            mh_words_put(out, i ? " " : "");
            mh_words_put(out, text[i]);
        }
    } else {
        put_hand(out, shown->view->revealed);
    }
    mh_words_put(out, ".\n");
}

static void say_payments(const struct mhing_shown *shown, struct mh_words *out)
{
    const int32_t *options = shown->table->options;
    const int matter = options[OPTION_scoring] == SCORING_CHIPS || options[OPTION_reward] == REWARD_CHIPS;
    int said = 0;
    for (int seat = 0; shown->info && matter && seat < shown->table->seats; seat++) {
        const int64_t payment = shown->info->payments[seat];
        if (payment) {
            mh_words_put(out, said++ ? ", " : "  Chips: ");
            mh_words_seat(out, seat);
            mh_words_put(out, payment > 0 ? " +" : " ");
            mh_words_number(out, payment);
        }
    }
    mh_words_put(out, said ? ".\n" : "");
}

void mhing_say_headline(const struct mhing_shown *shown, const struct mhing_score *score, int with_credits,
                        struct mh_words *out)
{
    const struct mhing_view *view = shown->view;
    const int over = mhing_shown_is_over(view);
    const int winner = mhing_shown_winner(shown);
    if (!over && !mh_shown_number(view->round, sizeof view->round)) {
        return;
    }
    if (winner < 0) {
        mh_words_put(out, over ? "Nobody has won this round.\n" : "Nobody won the last round.\n");
        return;
    }
    const int payer = payer_of(shown);
    mh_words_does(out, winner, over ? "have" : "won", over ? "has" : "won");
    mh_words_put(out, over ? "won this round" : "the last round");
    if (payer >= 0) {
        mh_words_of(out, " on a discard", payer);
    }
    mh_words_put(out, ": ");
    say_worth(shown, score, with_credits, out);
}

static void say_result(const struct mhing_shown *shown, struct mh_words *out)
{
    const int winner = mhing_shown_winner(shown);
    struct mhing_score score;
    const int is_scored = winner >= 0 && mhing_shown_declared(shown, winner, &score);
    mhing_say_headline(shown, is_scored ? &score : NULL, 1, out);
    if (winner >= 0) {
        say_declared(shown, is_scored ? &score : NULL, out);
        say_payments(shown, out);
    }
}

/* ---- The turn --------------------------------------------------------------------------------------------- */

int64_t mhing_shown_standing(const struct mhing_shown *shown, int seat)
{
    const struct mhing_seat *block = mhing_shown_seat(shown, seat);
    const int has_chips = shown->table->options[OPTION_scoring] == SCORING_CHIPS;
    return mh_shown_number(has_chips ? block->chips : block->score, sizeof block->score);
}

int mhing_shown_game_is_over(const struct mhing_shown *shown)
{
    return shown->table->viewer->to_act == MH_OVER && shown->table->options[OPTION_episode];
}

int mhing_shown_stands_highest(const struct mhing_shown *shown, int seat)
{
    int is_highest = 1;
    for (int other = 0; other < shown->table->seats; other++) {
        is_highest &= mhing_shown_standing(shown, other) <= mhing_shown_standing(shown, seat);
    }
    return is_highest;
}

static void say_winners(const struct mhing_shown *shown, struct mh_words *out)
{
    int winners[MH_MAX_SEATS] = {0}, count = 0;
    for (int seat = 0; seat < shown->table->seats; seat++) {
        if (mhing_shown_stands_highest(shown, seat)) {
            winners[count++] = seat;
        }
    }
    mh_words_put(out, " ");
    mh_words_winners(out, winners, count);
    mh_words_put(out, "with ");
    mh_words_count(out, mhing_shown_standing(shown, winners[0]),
                   shown->table->options[OPTION_scoring] == SCORING_CHIPS ? "chip" : "point");
    mh_words_put(out, ".");
}

static void say_end(const struct mhing_shown *shown, struct mh_words *out)
{
    const int is_game = mhing_shown_game_is_over(shown);
    mh_words_put(out, is_game ? "The game is over." : "The round is over.");
    if (is_game) {
        say_winners(shown, out);
    }
    mh_words_put(out, " ");
    mh_words_does(out, mhing_on_turn(shown), "had", "had");
    mh_words_put(out, "the last turn.");
}

static void say_turn(const struct mhing_shown *shown, struct mh_words *out)
{
    const struct mh_shown *table = shown->table;
    const int seat = mhing_on_turn(shown);
    const int is_you = strcmp(table->names[seat], "you") == 0;
    mh_words_put(out, "It is ");
    mh_words_put(out, is_you ? "your" : table->names[seat]);
    mh_words_put(out, is_you ? " turn." : "'s turn.");
}

/* Says who is asked. Of claims, only the seat that is asked learns that somebody is. */
static void say_asked(const struct mhing_shown *shown, struct mh_words *out)
{
    if (shown->view->phase[0] == PHASE_CLAIM) {
        mh_words_does(out, shown->table->viewer->seat, "may", "may");
        mh_words_put(out, "claim ");
        put_card(out, shown->view->offer[0] - 1);
        mh_words_put(out, ".");
    } else if (!shown->view->offer[0]) {
        say_turn(shown, out);
    }
}

/* Puts a space where the line that began at a place has a sentence. */
static void next_sentence(struct mh_words *out, size_t begin)
{
    mh_words_put(out, out->text.length > begin ? " " : "");
}

/* Says what was answered to the offer, and who is asked next, where all is open. */
static void say_secrets(const struct mhing_shown *shown, size_t begin, struct mh_words *out)
{
    const int asked = shown->hidden->to_act[0] - 1;
    for (int seat = 0; seat < shown->table->seats; seat++) {
        const uint8_t *answer = shown->hidden_seats[seat].answers;
        const int action = (int)mh_shown_number(answer, sizeof shown->hidden_seats[seat].answers) - 1;
        char text[MH_TEXT_SIZE];
        if (action >= 0) {
            mhing_action_text(action, text);
            next_sentence(out, begin);
            mh_words_does(out, seat, "have answered", "has answered");
            mh_words_put(out, text);
            mh_words_put(out, ".");
        }
    }
    if (asked >= 0) {
        next_sentence(out, begin);
        mh_words_does(out, asked, "are", "is");
        mh_words_put(out, "to act.");
    }
}

static void say_status(const struct mhing_shown *shown, struct mh_words *out)
{
    const struct mhing_view *view = shown->view;
    const size_t begin = out->text.length;
    if (mhing_shown_is_over(view)) {
        say_end(shown, out);
    } else {
        say_asked(shown, out);
    }
    if (shown->hidden) {
        say_secrets(shown, begin, out);
    }
    if (view->claimed_from[0]) {
        next_sentence(out, begin);
        mh_words_does(out, mhing_on_turn(shown), "began", "began");
        mh_words_of(out, "this turn with a discard", mh_shown_seat(shown->table, view->claimed_from[0]));
        mh_words_put(out, ".");
    }
    mh_words_put(out, out->text.length > begin ? "\n" : "");
}

/* ---- All of it -------------------------------------------------------------------------------------------- */

void mhing_words(const struct mhing_shown *shown, int part, int number, struct mh_words *out)
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
        break; /* the texts of moves say all */
    }
}
