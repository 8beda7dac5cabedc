/* The picture of a table: which cards lie where, and what touching one plays. */
#include "draw/draw.h"
#include "general_mhing.h"

_Static_assert((int)SPRITES == (int)MH_PLAYING_SPRITES, "the sprites of playing cards");

/* Heights of the viewer's panel and of the middle. */
static const struct {
    double below, middle;
} heights[MH_FORMS] = {[MH_WIDE] = {230, 216}, [MH_PORTRAIT] = {210, 186}};

void general_sprite_text(int sprite, char *text)
{
    mh_playing_sprite_text(sprite, text);
}

/* ---- Where the play is -------------------------------------------------------------------------------------- */

/* The card that the seat on turn has taken and must lay, plus one; 0: none. */
static int card_to_lay(const struct general_shown *shown)
{
    return general_shown_turn(shown) == PHASE_TAKEN ? shown->view->taken[0] : 0;
}

/* ---- Cards -------------------------------------------------------------------------------------------------- */

static int may_play(const struct general_shown *shown, int action)
{
    const int8_t *mask = shown->table->viewer->mask;
    return mask && mask[action];
}

static int action_if_legal(const struct general_shown *shown, int action)
{
    return may_play(shown, action) ? action : -1;
}

static struct mh_card face(int card, int action)
{
    return (struct mh_card){mh_playing_face(card, 0), (int16_t)card, (int16_t)action};
}

/* The only move of a card of the viewer's hand: its discard, or the swap for an ace; -1 where it has both, or none. */
static int move_of(const struct general_shown *shown, int card)
{
    const int discard = ACTION_discard + card;
    const int swap = ACTION_swap + card_suit(card) * (RANKS - 1) + card_rank(card) - 1;
    const int may_swap = card_rank(card) != 0 && may_play(shown, swap);
    if (may_play(shown, discard)) {
        return may_swap ? -1 : discard;
    }
    return may_swap ? swap : -1;
}

static struct mh_card laid(struct sequence sequence, int place)
{
    const int first = kind_suit(sequence.kind) * RANKS;
    const int rank = kind_low(sequence.kind) + place;
    const int is_wild = place == sequence.ace - 1 && rank != 0;
    return (struct mh_card){mh_playing_face(first + rank, is_wild), (int16_t)(is_wild ? first : first + rank), -1};
}

int general_move_cards(const struct general_shown *shown, int action, struct mh_move_card *cards)
{
    const int offer = shown->view->offer[0] - 1;
    if (action == ACTION_draw) {
        cards[0] = mh_playing_drawn();
        return 1;
    }
    if (action == ACTION_take) {
        cards[0] = mh_card_on_table(face(offer, -1));
        return offer >= 0;
    }
    if (action < ACTION_swap) {
        for (int place = 0; place < SEQUENCE_CARDS; place++) {
            cards[place] = mh_card_held(laid(general_action_sequence(action), place));
        }
        return SEQUENCE_CARDS;
    }
    cards[0] =
        mh_card_held(face(action < ACTION_discard ? general_swap_card(action) : action - ACTION_discard, -1));
    return action < ACTION_end;
}

/* ---- Seats -------------------------------------------------------------------------------------------------- */

/* The viewer's own hand: what was drawn in this turn, and is still held, apart and in the order of the draws. */
static void add_own_hand(const struct general_shown *shown, struct mh_playing_seat *seat)
{
    const struct general_view *view = shown->view;
    for (int card = 0; card < CARDS; card++) {
        if (view->hand[card] && view->drawn[0] != card + 1 && view->drawn[1] != card + 1) {
            mh_playing_hold(seat->hand, &seat->num_hand, face(card, move_of(shown, card)));
        }
    }
    for (size_t i = 0; i < sizeof view->drawn; i++) {
        const int card = view->drawn[i] - 1;
        if (card >= 0 && view->hand[card]) {
            mh_playing_hold(seat->drawn, &seat->num_drawn, face(card, move_of(shown, card)));
        }
    }
    seat->is_open = 1;
}

static void add_open_hand(const uint8_t cards[CARDS], struct mh_playing_seat *seat)
{
    for (int card = 0; card < CARDS; card++) {
        if (cards[card]) {
            mh_playing_hold(seat->hand, &seat->num_hand, face(card, -1));
        }
    }
    seat->is_open = 1;
}

/* A hand face down, but for what everybody knows of it: aces swapped back, and the card just taken. */
static void add_closed_hand(const struct general_shown *shown, int number, struct mh_playing_seat *seat)
{
    const struct general_seat *block = general_shown_seat(shown, number);
    const int is_on_turn = mh_shown_seat(shown->table, shown->view->on_turn[0]) == number;
    const int taken = is_on_turn ? card_to_lay(shown) : 0;
    uint64_t known = general_shown_aces(block) | (taken ? card_bit(taken - 1) : 0);
    for (; known; known &= known - 1) {
        mh_playing_hold(seat->hand, &seat->num_hand, face(mh_bits_lowest(known), -1));
    }
    seat->num_backs = block->hand_size[0] - seat->num_hand;
}

static void add_sequences(const struct general_seat *block, struct mh_playing_seat *seat)
{
    for (int i = 0; i < SEQUENCES; i++) {
        if (!block->sequence_kind[i]) {
            continue;
        }
        struct mh_meld *meld = &seat->melds[seat->num_melds++];
        for (int place = 0; place < SEQUENCE_CARDS; place++) {
            meld->cards[meld->count++] = laid(general_sequence(block, i), place);
        }
    }
}

/* ---- Scores ------------------------------------------------------------------------------------------------- */

static int64_t score_of(const struct general_shown *shown, int seat)
{
    const struct general_seat *block = general_shown_seat(shown, seat);
    return shown->info ? shown->info->scores[seat] : mh_shown_number(block->score, sizeof block->score);
}

static int round_winner(const struct general_shown *shown)
{
    const int last = shown->view->last_winner[0];
    return last ? mh_shown_seat(shown->table, last) : -1;
}

/* True if a whole game is over, and not a round alone. */
static int is_game_over(const struct general_shown *shown)
{
    return general_shown_is_over(shown->view) && shown->table->options[OPTION_episode] &&
           shown->table->viewer->to_act != MH_BETWEEN_ROUNDS;
}

/* True if a seat has won what is over: those with most points share a game. */
static int has_won(const struct general_shown *shown, int seat)
{
    if (!is_game_over(shown)) {
        return round_winner(shown) == seat;
    }
    int is_best = 1;
    for (int other = 0; other < shown->table->seats; other++) {
        is_best &= score_of(shown, other) <= score_of(shown, seat);
    }
    return is_best;
}

static void add_panel(const struct general_shown *shown, int seat, char *tally, struct mh_panel *panel)
{
    const struct general_view *view = shown->view;
    const struct general_seat *block = general_shown_seat(shown, seat);
    const int on_turn = mh_shown_seat(shown->table, view->on_turn[0]) == seat;
    *panel = (struct mh_panel){.seat = seat,
                               .is_active = general_shown_is_over(view) ? has_won(shown, seat) : on_turn,
                               .has_score = 1,
                               .score = score_of(shown, seat),
                               .unit = "point",
                               .has_change = general_shown_is_over(view) && round_winner(shown) == seat,
                               .change = view->last_points[0]};
    if (mh_shown_seat(shown->table, view->starter[0]) == seat) {
        panel->tags[0].text = "began";
    }
    if (general_num_sequences(block)) {
        struct mh_text text;
        mh_text_begin(&text, tally, MH_TEXT_SIZE);
        mh_text_add(&text, "sequences score %d", block->tally[0]);
        panel->tags[1].text = tally;
    }
}

static void add_seat(const struct general_shown *shown, int number, char *tally, struct mh_playing_seat *seat)
{
    const struct general_seat *block = general_shown_seat(shown, number);
    const int is_own = number == shown->table->viewer->seat;
    add_panel(shown, number, tally, &seat->panel);
    if (is_own) {
        add_own_hand(shown, seat);
    } else if (shown->hidden) {
        add_open_hand(shown->hidden_seats[number].hands, seat);
    } else {
        add_closed_hand(shown, number, seat);
    }
    add_sequences(block, seat);
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

static void add_piles(const struct general_shown *shown, struct mh_playing *table)
{
    const struct general_view *view = shown->view;
    table->draw_pile_left = view->draw_pile_left[0];
    table->draw_action = action_if_legal(shown, ACTION_draw);
    table->is_offered = view->offer[0] != 0;
    for (int i = 0; i < PILE && view->discards[i]; i++) {
        const int by = view->discarded_by[i] ? mh_shown_seat(shown->table, view->discarded_by[i]) : -1;
        table->discards[table->num_discards++] = (struct mh_discard){face(view->discards[i] - 1, -1), by};
    }
    if (table->is_offered && table->num_discards) {
        table->discards[table->num_discards - 1].card.action = (int16_t)action_if_legal(shown, ACTION_take);
    }
}

static void write_heading(const struct general_shown *shown, struct mh_playing *table)
{
    const struct general_view *view = shown->view;
    const int64_t left = mh_shown_number(view->turns_left, sizeof view->turns_left);
    struct mh_text heading;
    mh_text_begin(&heading, table->heading, sizeof table->heading);
    mh_text_add(&heading, "Round %lld, turn %lld", (long long)mh_shown_number(view->round, sizeof view->round) + 1,
                (long long)shown->table->options[OPTION_turn_limit] - left);
}

/* Finds the parts of the score of the winner's sequences. Returns how many there are. */
static int find_parts(const struct general_shown *shown, int winner, char names[PARTS][MH_TEXT_SIZE],
                      struct mh_ending_part parts[PARTS])
{
    const struct general_seat *block = general_shown_seat(shown, winner);
    int32_t scored[PARTS];
    int count = 0;
    general_score(block->sequence_kind, general_num_sequences(block), scored);
    for (int part = 0; part < PARTS; part++) {
        if (scored[part]) {
            general_part_text(part, names[count]);
            parts[count] = (struct mh_ending_part){.number = scored[part], .name = names[count]};
            count++;
        }
    }
    return count;
}

void general_picture(const struct general_shown *shown, struct mh_scene *scene)
{
    struct mh_playing table = {.below_h = heights[scene->form].below,
                               .middle_h = heights[scene->form].middle,
                               .is_over = general_shown_is_over(shown->view),
                               .winner = general_shown_is_over(shown->view) ? round_winner(shown) : -1,
                               .is_game_over = is_game_over(shown)};
    struct mh_ending_part parts[PARTS];
    char names[PARTS][MH_TEXT_SIZE];
    table.parts = parts;
    table.num_parts = table.winner < 0 ? 0 : find_parts(shown, table.winner, names, parts);
    char tallies[SEATS][MH_TEXT_SIZE];
    write_heading(shown, &table);
    add_piles(shown, &table);
    for (int seat = 0; seat < shown->table->seats; seat++) {
        add_seat(shown, seat, tallies[seat], &table.seats[seat]);
    }
    mh_playing_draw(&table, shown->table, scene);
}
