#include "playing.h"

#include "mh_game.h"
#include "share.h"

static const double LARGEST = 64;    /* width of a card */
static const double BACK = 0.7;      /* the size of a card face down, compared with open ones */
static const double BACK_STEP = 0.5; /* from one card face down to the next, in widths */
static const double HELD = 0.75;     /* from one card of a hand to the next: each can be touched */
static const double SHOWN = 0.5;     /* the part of a card that holds rank and suit: so far may others cover it */
static const double STEP = 1.04;     /* from one open card to the next, where there is room */
static const double HAND = 0.54;     /* the part of a panel's height for an open hand */
static const double ALONE = 0.8;     /* ... if nothing is laid */
static const double FAN = 0.4;       /* ... for one face down */

static const char ranks[] = "A23456789TJQK";
static const char suits[] = "shdc";

int mh_playing_read(const char *label)
{
    const char *rank = label[0] ? strchr(ranks, label[0]) : NULL;
    const char *suit = rank && label[1] ? strchr(suits, label[1]) : NULL;
    return suit && !label[2] ? (int)(suit - suits) * 13 + (int)(rank - ranks) : -1;
}

void mh_playing_sprite_text(int sprite, char *text)
{
    struct mh_text out;
    mh_text_begin(&out, text, MH_TEXT_SIZE);
    if (sprite == MH_SPRITE_BACK) {
        mh_text_put(&out, "card-back");
        return;
    }
    const int face = (sprite - 1) % MH_PLAYING_FACES;
    mh_text_add(&out, "playing-%c%c%s", ranks[face % 13], suits[face / 13],
                sprite > MH_PLAYING_FACES ? "-wild" : "");
}

void mh_playing_hold(struct mh_card *cards, int *count, struct mh_card card)
{
    if (*count < MH_MAX_HELD) {
        cards[(*count)++] = card;
    }
}

/* ---- Panels ------------------------------------------------------------------------------------------------- */

/* The cards of a hand; of one face down the backs, and the cards that everybody knows. */
static void lay_hand(struct mh_scene *scene, const struct mh_playing_seat *seat, struct mh_box box)
{
    static const struct mh_card back = {MH_SPRITE_BACK, -1, -1};
    struct mh_card backs[MH_MAX_HELD];
    struct mh_block blocks[2];
    int count = 0;
    int num_backs = 0;
    while (num_backs < seat->num_backs && num_backs < MH_MAX_HELD) {
        backs[num_backs++] = back;
    }
    struct mh_block hand = {.zone = MH_HAND,
                            .seat = seat->panel.seat,
                            .cards = seat->hand,
                            .count = seat->num_hand,
                            .space = 0.2,
                            .step = STEP,
                            .closest = seat->is_open ? HELD : SHOWN,
                            .size = seat->is_open ? 1 : BACK,
                            .may_break = seat->is_open};
    if (seat->num_hand) {
        blocks[count++] = hand;
    }
    if (seat->num_drawn) {
        hand.zone = MH_DRAWN;
        hand.cards = seat->drawn;
        hand.count = seat->num_drawn;
        hand.space = 0.4;
        blocks[count++] = hand;
    } else if (num_backs) {
        blocks[1] = blocks[0];
        blocks[0] = (struct mh_block){.zone = MH_HAND,
                                      .seat = seat->panel.seat,
                                      .cards = backs,
                                      .count = num_backs,
                                      .step = BACK_STEP,
                                      .closest = BACK_STEP / 2,
                                      .size = BACK};
        count++;
    }
    mh_rows_lay(scene, blocks, count, box, LARGEST);
}

static void lay_melds(struct mh_scene *scene, const struct mh_playing_seat *seat, struct mh_box box)
{
    struct mh_block blocks[MH_MAX_MELDS];
    for (int i = 0; i < seat->num_melds; i++) {
        blocks[i] = (struct mh_block){.zone = MH_MELD,
                                      .seat = seat->panel.seat,
                                      .cards = seat->melds[i].cards,
                                      .count = seat->melds[i].count,
                                      .space = 0.3,
                                      .step = 1,
                                      .closest = SHOWN,
                                      .size = 1};
    }
    mh_rows_lay(scene, blocks, seat->num_melds, box, LARGEST);
}

/* A player's panel: the hand at the outer edge, and what is laid towards the middle. */
static void add_player(struct mh_scene *scene, const struct mh_shown *shown, const struct mh_playing_seat *seat,
                       struct mh_box box)
{
    int is_below;
    const struct mh_box inner = mh_layout_panel(scene, shown, &seat->panel, box, &is_below);
    const double gap = mh_layout_sizes(scene)->gap;
    const double share = !seat->is_open ? FAN : seat->num_melds ? HAND : ALONE;
    const double h = share * (inner.h - gap);
    if (is_below) {
        const struct mh_box lower = {inner.x, mh_box_bottom(inner) - h, inner.w, h};
        lay_melds(scene, seat, (struct mh_box){inner.x, inner.y, inner.w, lower.y - gap - inner.y});
        lay_hand(scene, seat, lower);
    } else {
        const double end = inner.y + h;
        lay_hand(scene, seat, (struct mh_box){inner.x, inner.y, inner.w, h});
        lay_melds(scene, seat, (struct mh_box){inner.x, end + gap, inner.w, inner.h - gap - h});
    }
}

/* ---- The middle --------------------------------------------------------------------------------------------- */

/* The discards in order, in rows, as large as they fit; the one that may be had marked. */
static void add_discards(struct mh_scene *scene, const struct mh_playing *table, struct mh_box tray)
{
    const double widest = 1.2 * MH_CARD_W;
    mh_scene_rect(scene, tray, MH_TRAY, 6);
    const struct mh_box inner = mh_box_inset(tray, mh_layout_sizes(scene)->gap);
    const struct mh_grid grid = mh_rows_grid(table->num_discards, inner, widest);
    for (int i = 0; i < table->num_discards; i++) {
        const struct mh_box place = mh_rows_place(&grid, i);
        if (table->is_offered && i == table->num_discards - 1) {
            mh_layout_offer(scene, place);
        }
        mh_scene_card(scene, table->discards[i].card, place.x, place.y, place.w / MH_CARD_W, MH_DISCARDS,
                      table->discards[i].by);
    }
}

/* Keeps the first sentence about the end of the last round, which is enough while the next one is played. */
static void cut_sentence(char *text)
{
    char *end = strstr(text, ". ");
    if (end) {
        end[1] = '\0';
    }
}

/* Says in words what happens now, or how the game ended. */
static void write_middle(struct mh_scene *scene, const struct mh_playing *table, const struct mh_shown *shown,
                         struct mh_box box)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    struct mh_column column = {.box = box, .y = box.y};
    char status[MH_RESULT_SIZE];
    char result[MH_RESULT_SIZE];
    mh_layout_say(shown, MH_WORDS_STATUS, 0, status);
    mh_layout_say(shown, MH_WORDS_RESULT, 0, result);
    mh_layout_cut(status);
    mh_layout_cut(result);
    if (!table->is_over) {
        cut_sentence(result);
    }
    if (!table->is_over || !sizes->is_narrow) {
        mh_layout_write(scene, &column, table->heading, sizes->text, MH_PALE);
    }
    mh_layout_write(scene, &column, status, sizes->name, MH_ACCENT);
    mh_layout_write(scene, &column, result, sizes->small, MH_LETTERS);
    mh_layout_log(scene, shown, &column);
}

/* Draw pile and discards, and the words beside or beneath them. */
static void add_middle(struct mh_scene *scene, const struct mh_playing *table, const struct mh_shown *shown,
                       struct mh_box box)
{
    const struct mh_arrangement *sizes = mh_layout_sizes(scene);
    mh_scene_rect(scene, box, MH_BAR, 8);
    const struct mh_box inner = mh_box_inset(box, sizes->gap + 4);
    const struct mh_box pile = mh_layout_pile(scene, table->draw_pile_left, table->draw_action, inner.x, inner.y);
    const double space = 2 * sizes->gap;
    const double x = mh_box_right(pile) + space;
    const double right = mh_box_right(inner);
    const double bottom = mh_box_bottom(inner);
    struct mh_box tray = {x, inner.y, inner.w / 2, inner.h};
    struct mh_box words = {mh_box_right(tray) + space, inner.y, right - mh_box_right(tray) - space, inner.h};
    if (sizes->is_narrow) {
        const double top = mh_box_bottom(pile) + space;
        tray = (struct mh_box){x, inner.y, right - x, pile.h};
        words = (struct mh_box){inner.x, top, inner.w, bottom - top};
    }
    add_discards(scene, table, tray);
    write_middle(scene, table, shown, words);
}

/* ---- The ending --------------------------------------------------------------------------------------------- */

/* Draws the melds of the winner, and their score. */
static void share_table(const struct mh_playing *table, const struct mh_shown *shown, struct mh_scene *scene)
{
    struct mh_ending ending = {.is_game_over = table->is_game_over};
    mh_layout_say(shown, MH_WORDS_RESULT, 0, ending.result);
    mh_layout_cut(ending.result);
    for (int seat = 0; seat < shown->seats; seat++) {
        ending.panels[seat] = table->seats[seat].panel;
    }
    for (int i = 0; table->winner >= 0 && i < table->seats[table->winner].num_melds; i++) {
        const struct mh_meld *meld = &table->seats[table->winner].melds[i];
        struct mh_laid_group *group = &ending.groups[ending.num_groups++];
        for (int card = 0; card < meld->count && card < MH_MAX_GROUP; card++) {
            group->cards[group->count++] = meld->cards[card];
        }
    }
    for (int i = 0; i < table->num_parts && i < MH_MAX_PARTS; i++) {
        ending.parts[ending.num_parts++] = table->parts[i];
    }
    mh_share_draw(&ending, shown, scene);
}

/* ---- The picture -------------------------------------------------------------------------------------------- */

void mh_playing_draw(const struct mh_playing *table, const struct mh_shown *shown, struct mh_scene *scene)
{
    char line[MH_LINE_SIZE];
    struct mh_text title;
    if (scene->form == MH_SHARE) {
        share_table(table, shown, scene);
        return;
    }
    mh_text_begin(&title, line, sizeof line);
    mh_text_add(&title, "%s: %s", shown->game->rules->spec->title, table->heading);
    mh_layout_begin(scene, line);
    struct mh_box boxes[MH_MAX_SEATS];
    const struct mh_box middle = mh_layout_around(scene, shown->seats, table->below_h, table->middle_h, boxes);
    for (int i = 0; i < shown->seats; i++) { /* clockwise from the viewer */
        add_player(scene, shown, &table->seats[mh_shown_seat(shown, i + 1)], boxes[i]);
    }
    add_middle(scene, table, shown, middle);
}
