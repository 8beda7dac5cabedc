/* The picture of a table: which cards lie where, and what touching one plays. */
#include "draw/draw.h"
#include "mexican_rummy.h"

_Static_assert((int)SPRITES == (int)MH_PLAYING_SPRITES, "the sprites of playing cards");

/* Heights of the viewer's panel and of the middle. */
static const struct {
    double below, middle;
} heights[MH_FORMS] = {[MH_WIDE] = {222, 176}, [MH_PORTRAIT] = {210, 166}};

void rummy_sprite_text(int sprite, char *text)
{
    mh_playing_sprite_text(sprite, text);
}

/* ---- Where the play is -------------------------------------------------------------------------------------- */

static int is_over(const struct rummy_shown *shown)
{
    return shown->view->event_kind[MH_EVENT_TAIL - 1] == EVENT_over;
}

/* True if a whole game is over, and not a round alone. */
static int is_game_over(const struct rummy_shown *shown)
{
    return is_over(shown) && shown->table->options[OPTION_episode] &&
           shown->table->viewer->to_act != MH_BETWEEN_ROUNDS;
}

/* The seat that acts: the one that is asked, if the viewer knows it; else the seat on turn. */
static int acting_seat(const struct rummy_shown *shown)
{
    const struct mh_viewer *viewer = shown->table->viewer;
    if (viewer->to_act >= 0) {
        return viewer->to_act;
    }
    if (viewer->seat >= 0 && shown->view->phase[0] != PHASE_WAIT) {
        return viewer->seat;
    }
    return shown->view->on_turn[0] ? mh_shown_seat(shown->table, shown->view->on_turn[0]) : -1;
}

static int is_viewer(const struct rummy_shown *shown, int seat)
{
    return seat == shown->table->viewer->seat;
}

/* True if a seat is the viewer's, which lays down in steps that nobody else sees. */
static int is_planning(const struct rummy_shown *shown, int seat)
{
    return is_viewer(shown, seat) && (shown->view->plan_kind[0] || shown->view->swap_card[0]);
}

/* ---- Moves -------------------------------------------------------------------------------------------------- */

/* The only one of some actions that may be played; -1: there is none, or more than one. */
static int only_legal(const struct rummy_shown *shown, const int *actions, int count)
{
    const int8_t *mask = shown->table->viewer->mask;
    int found = -1;
    for (int i = 0; mask && i < count; i++) {
        if (mask[actions[i]] && found >= 0) {
            return -1;
        }
        found = mask[actions[i]] ? actions[i] : found;
    }
    return found;
}

static int move_of_card(const struct rummy_shown *shown, int type)
{
    const int actions[] = {ACTION_discard + type, ACTION_lay + type, ACTION_swap + type};
    return only_legal(shown, actions, 3);
}

/* Returns the move that chooses a meld, by its number from that of the observer's first one. */
static int move_of_meld(const struct rummy_shown *shown, int name)
{
    const int actions[] = {ACTION_onto + name, ACTION_low + name, ACTION_high + name};
    return only_legal(shown, actions, 3);
}

static int move_of_offer(const struct rummy_shown *shown)
{
    const int actions[] = {ACTION_take, ACTION_may_i};
    return only_legal(shown, actions, 2);
}

static int move_of_draw_pile(const struct rummy_shown *shown)
{
    const int draw = ACTION_draw;
    return only_legal(shown, &draw, 1);
}

/* ---- Cards -------------------------------------------------------------------------------------------------- */

static struct mh_card face(int type, int action)
{
    return (struct mh_card){mh_playing_face(type, 0), (int16_t)type, (int16_t)action};
}

int rummy_move_cards(const struct rummy_shown *shown, int action, struct mh_move_card *cards)
{
    const int is_of_offer = action == ACTION_take || action == ACTION_may_i || action == ACTION_grant;
    const int offer = shown->view->offer[0] - 1;
    if (action == ACTION_draw) {
        cards[0] = mh_playing_drawn();
        return 1;
    }
    if (is_of_offer && offer >= 0) {
        cards[0] = mh_card_on_table(face(offer, -1));
        return 1;
    }
    if (action >= ACTION_run && action < ACTION_lay) {
        const int suit = (action - ACTION_run) / LOWS, low = (action - ACTION_run) % LOWS;
        for (int i = 0; i < RUN_CARDS; i++) {
            cards[i] = mh_card_held(face(place_type(suit, low + i), -1));
        }
        return RUN_CARDS;
    }
    const int first = action >= ACTION_discard ? (int)ACTION_discard
                      : action >= ACTION_swap  ? (int)ACTION_swap
                                               : (int)ACTION_lay;
    const int is_of_card = action >= ACTION_swap || (action >= ACTION_lay && action < ACTION_onto);
    if (is_of_card) {
        cards[0] = mh_card_held(face(action - first, -1));
    }
    return is_of_card;
}

/* A hand in which all cards are seen; `drawn` is the type plus one that lies apart if it is held, 0 for none. */
static void add_open_hand(const struct rummy_shown *shown, const uint8_t counts[TYPES], int is_own, int drawn,
                          struct mh_playing_seat *seat)
{
    const int is_held = drawn && counts[drawn - 1];
    for (int type = 0; type < TYPES; type++) {
        for (int i = is_held && type == drawn - 1; i < counts[type]; i++) {
            mh_playing_hold(seat->hand, &seat->num_hand, face(type, is_own ? move_of_card(shown, type) : -1));
        }
    }
    if (is_held) {
        mh_playing_hold(seat->drawn, &seat->num_drawn, face(drawn - 1, move_of_card(shown, drawn - 1)));
    }
    seat->is_open = 1;
}

static void add_hand(const struct rummy_shown *shown, int number, struct mh_playing_seat *seat)
{
    const struct rummy_seat *block = rummy_shown_seat(shown, number);
    if (is_viewer(shown, number)) {
        add_open_hand(shown, shown->view->hand, 1, shown->view->drawn[0], seat);
    } else if (shown->hidden) {
        add_open_hand(shown, shown->hidden_seats[number].hands, 0, 0, seat);
    } else {
        add_open_hand(shown, block->known, 0, 0, seat); /* R8.1: at the end of a round all cards are known */
        seat->is_open = is_over(shown);
        seat->num_backs = block->hand_size[0] - seat->num_hand;
    }
}

/* The card at a place of a meld, type plus one: who plans a swap sees it as if it were done. */
static int card_at(const struct rummy_shown *shown, const uint8_t *cards, int name, int place)
{
    const struct rummy_view *view = shown->view;
    const int is_swapped = view->swap_card[0] && name == view->swap_from[0] - 1 && place == view->swap_from[1] - 1;
    return is_swapped ? view->swap_card[0] : cards[place];
}

/* Melds of a seat, numbered from `name` on, or with -1 those that the viewer is laying down. */
static void add_melds(const struct rummy_shown *shown, const uint8_t kinds[MELDS], const uint8_t *cards, int name,
                      struct mh_playing_seat *seat)
{
    for (int i = 0; i < MELDS; i++) {
        struct mh_meld *meld = &seat->melds[seat->num_melds];
        const int action = name < 0 ? -1 : move_of_meld(shown, name + i);
        const int suit = kinds[i] - KIND_RUN;
        for (int place = 0; kinds[i] && place < PLACES; place++) {
            const int type = card_at(shown, cards + i * PLACES, name < 0 ? -1 : name + i, place) - 1;
            const int shows = kind_is_run(kinds[i]) ? place_type(suit, place) : type;
            if (type >= 0) {
                meld->cards[meld->count++] =
                    (struct mh_card){mh_playing_face(shows, shows != type), (int16_t)type, (int16_t)action};
            }
        }
        seat->num_melds += meld->count > 0;
    }
}

/* ---- Seats -------------------------------------------------------------------------------------------------- */

static int64_t score_of(const struct rummy_shown *shown, int seat)
{
    const struct rummy_seat *block = rummy_shown_seat(shown, seat);
    return shown->info ? shown->info->scores[seat] : mh_shown_number(block->score, sizeof block->score);
}

/* True if a seat has won what is over: those with the fewest points share a game. */
static int has_won(const struct rummy_shown *shown, int seat)
{
    if (!is_game_over(shown)) {
        return shown->info && shown->info->winner[0] == seat;
    }
    int is_best = 1;
    for (int other = 0; other < shown->table->seats; other++) {
        is_best &= score_of(shown, other) >= score_of(shown, seat);
    }
    return is_best;
}

static void add_panel(const struct rummy_shown *shown, int seat, struct mh_panel *panel)
{
    const struct rummy_view *view = shown->view;
    *panel = (struct mh_panel){.seat = seat,
                               .is_active = is_over(shown) ? has_won(shown, seat) : acting_seat(shown) == seat,
                               .has_score = 1,
                               .score = score_of(shown, seat),
                               .unit = "point",
                               .has_change = is_over(shown) && shown->info,
                               .change = shown->info ? shown->info->points[seat] : 0};
    if (view->starter[0] && mh_shown_seat(shown->table, view->starter[0]) == seat) {
        panel->tags[0].text = "began";
    }
    if (is_planning(shown, seat)) {
        panel->tags[1].text = "laying down";
    }
}

static void add_seat(const struct rummy_shown *shown, int clockwise, struct mh_playing_seat *seat)
{
    const int number = mh_shown_seat(shown->table, clockwise + 1);
    const struct rummy_seat *block = rummy_shown_seat(shown, number);
    add_panel(shown, number, &seat->panel);
    add_hand(shown, number, seat);
    if (is_planning(shown, number)) {
        add_melds(shown, shown->view->plan_kind, shown->view->plan_cards, -1, seat);
    } else {
        add_melds(shown, block->meld_kind, block->meld_cards, MELDS * clockwise, seat);
    }
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

static void add_piles(const struct rummy_shown *shown, struct mh_playing *table)
{
    const struct rummy_view *view = shown->view;
    table->draw_pile_left = view->draw_pile_left[0];
    table->draw_action = move_of_draw_pile(shown);
    table->is_offered = view->offer[0] != 0;
    for (int i = 0; i < PILE && view->discards[i]; i++) {
        const int by = view->discarded_by[i] ? mh_shown_seat(shown->table, view->discarded_by[i]) : -1;
        table->discards[table->num_discards++] = (struct mh_discard){face(view->discards[i] - 1, -1), by};
    }
    if (table->is_offered && table->num_discards) {
        table->discards[table->num_discards - 1].card.action = (int16_t)move_of_offer(shown);
    }
}

static void put_count(struct mh_text *out, int count, const char *noun)
{
    if (count) {
        mh_text_add(out, "%d %s%s", count, noun, count == 1 ? "" : "s");
    }
}

/* "1 set and 2 runs, No Discardo, turn 12". */
static void write_heading(const struct rummy_shown *shown, struct mh_playing *table)
{
    const struct rummy_view *view = shown->view;
    const int objective = view->objective[0] ? view->objective[0] - 1 : 0;
    const int64_t left = mh_shown_number(view->turns_left, sizeof view->turns_left);
    struct mh_text heading;
    mh_text_begin(&heading, table->heading, sizeof table->heading);
    put_count(&heading, view->sets[0], "set");
    mh_text_put(&heading, view->sets[0] && view->runs[0] ? " and " : "");
    put_count(&heading, view->runs[0], "run");
    mh_text_put(&heading, rummy_is_no_discardo(objective) ? ", No Discardo" : "");
    mh_text_add(&heading, ", turn %lld", (long long)rummy_turns(shown->table->options, objective) - left);
}

void rummy_picture(const struct rummy_shown *shown, struct mh_scene *scene)
{
    struct mh_playing table = {.below_h = heights[scene->form].below,
                               .middle_h = heights[scene->form].middle,
                               .is_over = is_over(shown),
                               .winner = is_over(shown) && shown->info ? (int)shown->info->winner[0] : -1,
                               .is_game_over = is_game_over(shown)};
    write_heading(shown, &table);
    add_piles(shown, &table);
    for (int i = 0; i < shown->table->seats; i++) {
        add_seat(shown, i, &table.seats[mh_shown_seat(shown->table, i + 1)]);
    }
    mh_playing_draw(&table, shown->table, scene);
}
