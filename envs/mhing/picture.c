/* The picture of a table: which cards lie where, and what touching one plays. */
#include "mhing_draw.h"

/* Heights of the viewer's panel, of the middle, and of the middle with the winner's cards. */
static const struct {
    double below, middle, ended;
} heights[MH_FORMS] = {[MH_WIDE] = {246, 140, 150}, [MH_PORTRAIT] = {232, 96, 190}};

static const double MANY = 0.9; /* of these heights, where there are more than four seats */

static const double CARD = 64; /* widths at most */
static const double DISCARD = 44;
static const double IN_MELD = 0.8; /* sizes of cards, compared with those of an open hand */
static const double BACK = 0.7;
static const double HAND = 0.58;   /* the part of a panel's height for an open hand and its melds, */
static const double FAN = 0.5;     /* for a hand face down with melds, */
static const double BACKS = 0.36;  /* and without */
static const double FLAT = 2;      /* so many times as wide as high: discards lie beside the hand, not beneath */
static const double BESIDE = 0.55; /* the part of the width that the hand has then */
static const double WORDS = 0.56;  /* the part of the middle's width for words, and for the winner's cards */

/* ---- Cards ------------------------------------------------------------------------------------------------ */

/* Sprites: the back, each type, what Mhing cards stand for, two marks. */
enum { FACES = 1, STANDING_FOR = FACES + JOKER + 1, MARK_DEALER = STANDING_FOR + TYPES, MARK_FLOWER };

_Static_assert((int)SPRITES == (int)MARK_FLOWER + 1, "the flower's mark is the last sprite");

void mhing_sprite_text(int sprite, char *text)
{
    char card[MH_TEXT_SIZE];
    struct mh_text out;
    mh_text_begin(&out, text, MH_TEXT_SIZE);
    if (sprite == MH_SPRITE_BACK || sprite >= MARK_DEALER) {
        mh_text_put(&out, sprite == MH_SPRITE_BACK ? "card-back" : sprite == MARK_DEALER ? "dealer" : "flower");
        return;
    }
    const int stands_for = sprite >= STANDING_FOR;
    mhing_card_text(sprite - (stands_for ? STANDING_FOR : FACES), card);
    mh_text_add(&out, "mhing-%s%s", card, stands_for ? "-joker" : "");
}

static struct mh_card face(int type, int action)
{
    return (struct mh_card){(int16_t)(FACES + type), (int16_t)type, (int16_t)action};
}

struct mh_card mhing_laid_card(int type, int is_joker)
{
    return is_joker ? (struct mh_card){(int16_t)(STANDING_FOR + type), JOKER, -1} : face(type, -1);
}

int mhing_move_cards(const struct mhing_shown *shown, int action, struct mh_move_card *cards)
{
    (void)shown;
    if (action < ACTION_sequence) {
        cards[0] = mh_card_held(face(action, -1));
        return 1;
    }
    if (!mhing_is_pattern(action)) {
        return 0;
    }
    const struct mhing_pattern pattern = mhing_pattern_of(action);
    for (int place = 0; place < MELD_CARDS; place++) {
        const int is_joker = mhing_joker_at(pattern.kind, pattern.jokers, place);
        cards[place] = mh_card_held(mhing_laid_card(kind_card(pattern.kind, place), is_joker));
    }
    return MELD_CARDS;
}

static int may_play(const struct mhing_shown *shown, int action)
{
    const int8_t *mask = shown->table->viewer->mask;
    return mask && mask[action];
}

static int action_if_legal(const struct mhing_shown *shown, int action)
{
    return may_play(shown, action) ? action : -1;
}

/* The only claim that the viewer may make for a meld; -1: there are several, or none. */
static int only_claim(const struct mhing_shown *shown)
{
    int found = -1;
    if (shown->view->phase[0] != PHASE_CLAIM) {
        return -1;
    }
    for (int action = ACTION_sequence; action < ACTION_pass; action++) {
        if (may_play(shown, action)) {
            if (found >= 0) {
                return -1;
            }
            found = action;
        }
    }
    return found;
}

/* ---- Panels ----------------------------------------------------------------------------------------------- */

/* The seat to act, as far as the viewer knows it; else the one on turn. A seat that is asked sees it in the
 * observation. */
static int seat_to_act(const struct mhing_shown *shown)
{
    const int phase = shown->view->phase[0];
    const int to_act = shown->hidden ? shown->hidden->to_act[0] - 1 : shown->table->viewer->to_act;
    if (phase == PHASE_TURN || phase == PHASE_CLAIM) {
        return shown->table->viewer->seat;
    }
    return to_act >= 0 ? to_act : mhing_on_turn(shown);
}

/* True if a seat has won what is over: those who stand highest share a game. */
static int has_won(const struct mhing_shown *shown, int seat)
{
    return mhing_shown_game_is_over(shown) ? mhing_shown_stands_highest(shown, seat)
                                           : mhing_shown_winner(shown) == seat;
}

/* Returns what the round just ended has added to the standing of a seat; 0 where it is not known. */
static int64_t change_of(const struct mhing_shown *shown, int seat)
{
    if (!mhing_shown_is_over(shown->view)) {
        return 0;
    }
    if (shown->table->options[OPTION_scoring] == SCORING_CHIPS) {
        return shown->info ? shown->info->payments[seat] : 0;
    }
    return mhing_shown_winner(shown) == seat ? mhing_points(shown->view->last_credits[0]) : 0;
}

static struct mh_panel panel_of(const struct mhing_shown *shown, int seat, char flowers[MH_TEXT_SIZE])
{
    const int has_chips = shown->table->options[OPTION_scoring] == SCORING_CHIPS;
    const int64_t change = change_of(shown, seat);
    const int num_flowers = mhing_shown_seat(shown, seat)->flowers[0];
    struct mh_panel panel = {.seat = seat,
                             .is_active = mhing_shown_is_over(shown->view) ? has_won(shown, seat)
                                                                           : seat_to_act(shown) == seat,
                             .has_score = 1,
                             .score = mhing_shown_standing(shown, seat),
                             .unit = has_chips ? "chip" : "point",
                             .has_change = change != 0,
                             .change = change};
    if (mh_shown_seat(shown->table, shown->view->dealer[0]) == seat) {
        panel.tags[0].mark = MARK_DEALER;
    }
    if (num_flowers) {
        struct mh_text text;
        mh_text_begin(&text, flowers, MH_TEXT_SIZE);
        mh_text_add(&text, "%d", num_flowers);
        panel.tags[1].mark = MARK_FLOWER;
        panel.tags[2].text = flowers;
    }
    return panel;
}

/* ---- Hands and melds -------------------------------------------------------------------------------------- */

/* Cards that are being laid in blocks: a hand, the card just drawn, and four melds at most. */
struct held {
    struct mh_card hand[DEALT + 1], drawn, melds[MELDS][MELD_CARDS];
    char notes[MELDS][MH_LINE_SIZE];
    struct mh_block blocks[2 + MELDS];
    int count;
};

static void hold_closed(struct held *self, int size, int seat)
{
    static const struct mh_card back = {MH_SPRITE_BACK, -1, -1};
    for (int i = 0; i < size; i++) {
        self->hand[i] = back;
    }
    if (size) {
        self->blocks[self->count++] = (struct mh_block){.zone = MH_HAND,
                                                        .seat = seat,
                                                        .cards = self->hand,
                                                        .count = size,
                                                        .step = 0.5,
                                                        .closest = 0.2,
                                                        .size = BACK};
    }
}

static int discard_of(const struct mhing_shown *shown, int seat, int type)
{
    return seat == shown->table->viewer->seat ? action_if_legal(shown, ACTION_discard + type) : -1;
}

/* The cards of an open hand by type; the one that was just drawn stands apart. */
static void hold_open(struct held *self, const struct mhing_shown *shown, const uint8_t count[35], int seat)
{
    const int is_own_turn = seat == shown->table->viewer->seat && shown->view->phase[0] == PHASE_TURN;
    const int drawn = is_own_turn ? shown->view->drawn[0] - 1 : -1;
    const int has_drawn = drawn >= 0 && count[drawn];
    int cards = 0;
    for (int type = 0; type <= JOKER; type++) {
        for (int i = has_drawn && type == drawn; i < count[type]; i++) {
            self->hand[cards++] = face(type, discard_of(shown, seat, type));
        }
    }
    self->blocks[self->count++] = (struct mh_block){.zone = MH_HAND,
                                                    .seat = seat,
                                                    .cards = self->hand,
                                                    .count = cards,
                                                    .step = 1.04,
                                                    .closest = 1,
                                                    .size = 1,
                                                    .may_break = 1};
    if (has_drawn) {
        self->drawn = face(drawn, discard_of(shown, seat, drawn));
        self->blocks[self->count++] = (struct mh_block){.zone = MH_DRAWN,
                                                        .seat = seat,
                                                        .cards = &self->drawn,
                                                        .count = 1,
                                                        .space = 0.4,
                                                        .step = 1.04,
                                                        .closest = 1,
                                                        .size = 1};
    }
}

/* Where there is room, a meld says whose discard it claimed. */
static void hold_melds(struct held *self, const struct mhing_shown *shown, int seat, int has_notes)
{
    const struct mhing_seat *block = mhing_shown_seat(shown, seat);
    for (int i = 0; i < MELDS && block->meld_kind[i]; i++) {
        const int kind = block->meld_kind[i] - 1;
        for (int place = 0; place < MELD_CARDS; place++) {
            self->melds[i][place] =
                mhing_laid_card(kind_card(kind, place), mhing_joker_at(kind, block->meld_jokers[i], place));
        }
        const int is_noted = has_notes && block->meld_from[i];
        if (is_noted) {
            mh_layout_seat(shown->table, "from ", (seat + block->meld_from[i]) % shown->table->seats,
                           self->notes[i]);
        }
        self->blocks[self->count++] = (struct mh_block){.zone = MH_MELD,
                                                        .seat = seat,
                                                        .cards = self->melds[i],
                                                        .count = MELD_CARDS,
                                                        .note = is_noted ? self->notes[i] : NULL,
                                                        .space = 0.25,
                                                        .step = 1,
                                                        .closest = 1,
                                                        .size = IN_MELD};
    }
}

static void lay_hand(const struct mhing_shown *shown, int seat, struct mh_box box, struct mh_scene *scene)
{
    const uint8_t *open = mhing_shown_hand(shown, seat);
    struct held held = {.count = 0};
    if (open) {
        hold_open(&held, shown, open, seat);
    } else {
        hold_closed(&held, mhing_shown_seat(shown, seat)->hand_size[0], seat);
    }
    hold_melds(&held, shown, seat, !mh_layout_sizes(scene)->is_narrow);
    mh_rows_lay(scene, held.blocks, held.count, box, CARD);
}

/* ---- Discards --------------------------------------------------------------------------------------------- */

/* On the lower edge of a discard who has taken it, in letters as narrow as they must be. */
static void add_taker(const struct mhing_shown *shown, int taker, struct mh_box place, struct mh_scene *scene)
{
    static const double share = 0.28;  /* of the card's height */
    static const double letters = 0.8; /* of the band's */
    char name[MH_LINE_SIZE];
    const struct mh_box band = {place.x, mh_box_bottom(place) - share * place.h, place.w, share * place.h};
    mh_layout_seat(shown->table, "", taker, name);
    const double size = letters * band.h;
    const double scale = mh_font_squeezed(name, size, band.w - 2);
    const struct mh_type type = {size, MH_LETTERS, MH_MIDDLE, 1, scale};
    mh_scene_rect(scene, band, MH_BAR, 2);
    mh_scene_text(scene, band.x + band.w / 2, band.y + letters * band.h, type, name);
}

/* The discards in order, in rows, as large as they fit; claimed ones faded, with the taker. */
static void add_discards(const struct mhing_shown *shown, int seat, struct mh_box tray, struct mh_scene *scene)
{
    const struct mhing_seat *block = mhing_shown_seat(shown, seat);
    const uint8_t *discards = mhing_discards_view(block);
    const int made = block->num_discards[0];
    const int is_offering = shown->view->offer[0] && mhing_on_turn(shown) == seat;
    mh_scene_rect(scene, tray, MH_TRAY, 6);
    const struct mh_grid grid = mh_rows_grid(made, mh_box_inset(tray, 3), DISCARD);
    for (int i = 0; i < made; i++) {
        const struct mh_box place = mh_rows_place(&grid, i);
        const struct mh_card card = face(discards[i] % TAKER - 1, -1);
        const double scale = place.w / MH_CARD_W;
        if (is_offering && i == made - 1) {
            mh_layout_offer(scene, place);
        }
        if (discards[i] > TAKER) {
            mh_scene_faded_card(scene, card, place.x, place.y, scale, MH_DISCARDS, seat);
            add_taker(shown, (seat + discards[i] / TAKER) % shown->table->seats, place, scene);
        } else {
            mh_scene_card(scene, card, place.x, place.y, scale, MH_DISCARDS, seat);
        }
    }
}

/* A player's panel: hand and melds at the outer edge, the discards towards the middle. */
static void add_player(const struct mhing_shown *shown, int seat, struct mh_box box, struct mh_scene *scene)
{
    char flowers[MH_TEXT_SIZE];
    int is_below;
    const struct mh_panel panel = panel_of(shown, seat, flowers);
    const struct mh_box inner = mh_layout_panel(scene, shown->table, &panel, box, &is_below);
    const double gap = mh_layout_sizes(scene)->gap;
    const int has_melds = mhing_shown_seat(shown, seat)->meld_kind[0] != 0;
    const double h = (mhing_shown_hand(shown, seat) ? HAND : has_melds ? FAN : BACKS) * (inner.h - gap);
    struct mh_box hand = {inner.x, inner.y, inner.w, h};
    struct mh_box tray = {inner.x, inner.y, inner.w, inner.h - h - gap};
    if (is_below) {
        hand.y = mh_box_bottom(inner) - h;
    } else if (inner.w > FLAT * inner.h) {
        hand = (struct mh_box){inner.x, inner.y, (inner.w - gap) * BESIDE, inner.h};
        const double x = mh_box_right(hand) + gap;
        tray = (struct mh_box){x, inner.y, mh_box_right(inner) - x, inner.h};
    } else {
        tray.y = mh_box_bottom(hand) + gap;
    }
    lay_hand(shown, seat, hand, scene);
    add_discards(shown, seat, tray, scene);
}

/* ---- The play --------------------------------------------------------------------------------------------- */

/* The discard on offer, and beneath whose it is. */
static void add_offer(const struct mhing_shown *shown, struct mh_box box, struct mh_scene *scene)
{
    enum { MARGIN = 3, BENEATH = 5 };
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const int seat = mhing_on_turn(shown);
    const struct mh_box place = {box.x, box.y, sizes->pile, sizes->pile * MH_CARD_RATIO};
    char name[MH_LINE_SIZE];
    char line[MH_LINE_SIZE];
    mh_layout_name(shown->table, seat, name);
    mh_font_shorten(name, sizes->small, box.w + sizes->gap, line);
    mh_scene_rect(scene, mh_box_inset(place, -MARGIN), MH_GOLD, 9);
    mh_scene_card(scene, face(shown->view->offer[0] - 1, only_claim(shown)), place.x, place.y, place.w / MH_CARD_W,
                  MH_OFFER, seat);
    const struct mh_type type = {sizes->small, MH_LETTERS, MH_MIDDLE, 0, 1};
    mh_scene_text(scene, place.x + place.w / 2, mh_box_bottom(place) + BENEATH + sizes->small, type, line);
}

static void write_heading(const struct mhing_shown *shown, const char *title, char text[MH_LINE_SIZE])
{
    const struct mhing_view *view = shown->view;
    struct mh_text out;
    mh_text_begin(&out, text, MH_LINE_SIZE);
    mh_text_add(&out, "%sRound %lld, turn %d", title,
                (long long)mh_shown_number(view->round, sizeof view->round) + 1, mhing_shown_turn(shown));
}

/* The first lines of status and result: what follows them is drawn, and so are the credits of a hand on the table. */
static void say_state(const struct mhing_shown *shown, char status[MH_RESULT_SIZE], char result[MH_RESULT_SIZE])
{
    struct mh_words words = {.shown = shown->table};
    mh_layout_say(shown->table, MH_WORDS_STATUS, 0, status);
    mh_layout_cut(status);
    mh_text_begin(&words.text, result, MH_RESULT_SIZE);
    mhing_say_headline(shown, NULL, 0, &words);
    mh_layout_cut(result);
}

/* Source, discard on offer, whose turn it is, and the last events. */
static void add_play(const struct mhing_shown *shown, struct mh_box box, struct mh_scene *scene)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const double gap = sizes->gap;
    char heading[MH_LINE_SIZE];
    char status[MH_RESULT_SIZE];
    char result[MH_RESULT_SIZE];
    const struct mh_box pile = mh_layout_pile(scene, shown->view->source_left[0], -1, box.x, box.y);
    const struct mh_box offer = {mh_box_right(pile) + 2 * gap, pile.y + 3, pile.w, pile.h};
    if (shown->view->offer[0]) {
        add_offer(shown, offer, scene);
    }
    const double x = mh_box_right(offer) + 2 * gap;
    struct mh_column words = {.box = {x, box.y, mh_box_right(box) - x, box.h}, .y = box.y};
    struct mh_column log = words;
    if (!sizes->is_narrow) {
        words.box.w *= WORDS;
        log.box.x = mh_box_right(words.box) + gap;
        log.box.w = mh_box_right(box) - log.box.x;
    }
    write_heading(shown, "", heading);
    say_state(shown, status, result);
    mh_layout_write(scene, &words, heading, sizes->text, MH_PALE);
    mh_layout_write(scene, &words, status, sizes->name, MH_ACCENT);
    mh_layout_write(scene, &words, result, sizes->small, MH_LETTERS);
    log.y = sizes->is_narrow ? words.y : log.y;
    mh_layout_log(scene, shown->table, &log);
}

/* ---- The end -------------------------------------------------------------------------------------------------- */

/* The winner's cards as arranged, and the credits by name; side by side where it is wide. */
static void add_result(const struct mhing_shown *shown, struct mh_box box, struct mh_scene *scene)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    const int is_game = mhing_shown_game_is_over(shown);
    char status[MH_RESULT_SIZE];
    char result[MH_RESULT_SIZE];
    struct mh_ending ending;
    mhing_ending(shown, &ending);
    say_state(shown, status, result);
    struct mh_column words = {.box = box, .y = box.y};
    words.box.w *= sizes->is_narrow ? 1 : WORDS;
    mh_layout_write(scene, &words, status, is_game ? sizes->text : sizes->small, is_game ? MH_ACCENT : MH_PALE);
    mh_layout_write(scene, &words, result, is_game ? sizes->small : sizes->text, is_game ? MH_LETTERS : MH_ACCENT);
    const double bottom = mh_box_bottom(box);
    struct mh_box cards = {box.x, words.y + 2, words.box.w, bottom - words.y - 2};
    struct mh_box parts = {mh_box_right(words.box) + sizes->gap, box.y, 0, box.h};
    if (sizes->is_narrow) {
        const int lines = (ending.num_parts + 1) / 2;
        cards.h -= sizes->line * lines;
        parts.x = box.x;
        parts.y = mh_ending_lay(scene, &ending, shown->table, cards, sizes->pile, sizes->small);
        parts.h = bottom - parts.y;
    } else {
        mh_ending_lay(scene, &ending, shown->table, cards, sizes->pile, sizes->small);
    }
    parts.w = mh_box_right(box) - parts.x;
    mh_ending_write(scene, &ending, parts, sizes->small);
}

static void share(const struct mhing_shown *shown, struct mh_scene *scene)
{
    char flowers[SEATS][MH_TEXT_SIZE];
    char status[MH_RESULT_SIZE];
    struct mh_ending ending;
    mhing_ending(shown, &ending);
    ending.is_game_over = mhing_shown_game_is_over(shown);
    say_state(shown, status, ending.result);
    for (int seat = 0; seat < shown->table->seats; seat++) {
        ending.panels[seat] = panel_of(shown, seat, flowers[seat]);
    }
    mh_share_draw(&ending, shown->table, scene);
}

/* ---- All of it -------------------------------------------------------------------------------------------- */

void mhing_picture(const struct mhing_shown *shown, struct mh_scene *scene)
{
    const int seats = shown->table->seats;
    const int is_over = mhing_shown_is_over(shown->view);
    if (scene->form == MH_SHARE) {
        share(shown, scene);
        return;
    }
    const double part = seats > 4 ? MANY : 1;
    const double middle_h = is_over ? heights[scene->form].ended : heights[scene->form].middle;
    char title[MH_LINE_SIZE];
    write_heading(shown, MH_TITLE ": ", title);
    mh_layout_begin(scene, title);
    struct mh_box boxes[MH_MAX_SEATS];
    const struct mh_box middle =
        mh_layout_around(scene, seats, part * heights[scene->form].below, part * middle_h, boxes);
    for (int i = 0; i < seats; i++) { /* clockwise from the viewer */
        add_player(shown, mh_shown_seat(shown->table, i + 1), boxes[i], scene);
    }
    mh_scene_rect(scene, middle, MH_BAR, 8);
    const struct mh_box inner = mh_box_inset(middle, mh_layout_sizes(scene)->gap + 2);
    if (is_over) {
        add_result(shown, inner, scene);
    } else {
        add_play(shown, inner, scene);
    }
}
