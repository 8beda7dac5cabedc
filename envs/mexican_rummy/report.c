/* A state as JSON, from which an outsider can follow the game (R10). */
#include "mexican_rummy.h"

const char *const rummy_phases[PHASES] = {"wait", "ask",  "answer", "start", "play", "swap",
                                          "meld", "fill", "extend", "place", "over"};

/* ---- Cards and melds as text ------------------------------------------------------------------------------ */

/* A card of the second deck has a mark after it (R1.4). */
void rummy_card_text(int card, char *text)
{
    rummy_type_text(card_type(card), text);
    text[2] = card < TYPES ? '\0' : '\'';
    text[3] = '\0';
}

static int lowest_place(const uint8_t cards[PLACES])
{
    const unsigned filled = rummy_filled(cards);
    return filled ? mh_bits_lowest(filled) : 0;
}

void rummy_meld_text(int kind, const uint8_t cards[PLACES], char *text)
{
    if (kind_is_set(kind)) {
        rummy_type_text(kind - KIND_SET, text++);
        for (int i = 0; i < PLACES && cards[i]; i++) {
            char card[MH_TEXT_SIZE];
            rummy_type_text(cards[i] - 1, card);
            *text++ = card[1];
        }
        *text = '\0';
        return;
    }
    char names[MH_TEXT_SIZE];
    const int count = mh_bits_count(rummy_filled(cards));
    const int low = lowest_place(cards);
    rummy_run_text(kind - KIND_RUN, low, count, names);
    for (int i = 0; i < count; i++) {
        *text++ = names[i];
        if (rummy_is_wild_at(kind, cards, low + i)) {
            *text++ = '*';
        }
    }
    *text++ = names[count];
    *text = '\0';
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

/* In the order of types, the first deck's before the second's. */
static void write_cards(struct mh_text *out, struct cards cards)
{
    mh_json_open(out, '[');
    for (int type = 0; type < TYPES; type++) {
        for (int card = type; card < CARDS; card += TYPES) {
            if (cards_have(&cards, card)) {
                mh_json_name(out, card, rummy_card_text);
            }
        }
    }
    mh_json_close(out, ']');
}

static void write_turn(const struct rummy_state *state, struct mh_text *out)
{
    const int offer = state->offered ? state->discards[state->num_discards - 1] : 0;
    mh_json_key_int(out, "objective", rummy_objective(state) + 1);
    mh_json_key_int(out, "turn", state->turn);
    mh_json_key_int(out, "starter", state->starter);
    mh_json_key_string(out, "phase", rummy_phases[state->phase]);
    mh_json_key_int(out, "on_turn", state->on_turn);
    mh_json_key_name(out, "offer", offer, rummy_card_text);
    mh_json_key_seat(out, "offered_by", offer ? state->discarded_by[state->num_discards - 1] - 1 : -1);
    mh_json_key_seat(out, "asker", state->asker - 1);
    mh_json_key(out, "refused");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        if (state->refused >> seat & 1) {
            mh_json_int(out, seat);
        }
    }
    mh_json_close(out, ']');
    mh_json_key_name(out, "taken", state->taken, rummy_card_text);
    mh_json_key_name(out, "drawn", state->drawn, rummy_card_text);
    mh_json_key_name(out, "chosen", state->chosen, rummy_card_text);
}

static void write_piles(const struct rummy_state *state, struct mh_text *out)
{
    mh_json_key_names(out, "draw_pile", state->deck + state->next, CARDS - state->next, rummy_card_text);
    mh_json_key_discards(out, "discards", state->discards, state->discarded_by, state->num_discards,
                         rummy_card_text);
    mh_json_key_int(out, "shuffles", state->shuffles);
    mh_json_key_by_name(out, "shuffle_of", state->shuffle_of, CARDS, rummy_card_text);
}

static void write_hands(const struct rummy_state *state, struct mh_text *out)
{
    mh_json_key(out, "hands");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        write_cards(out, state->hands[seat]);
    }
    mh_json_close(out, ']');
    mh_json_key(out, "shown");
    write_cards(out, state->shown);
}

static void write_meld(struct mh_text *out, int kind, const uint8_t cards[PLACES], int low)
{
    char text[MH_TEXT_SIZE];
    rummy_meld_text(kind, cards, text);
    mh_json_open(out, '{');
    mh_json_key_string(out, "kind", kind_is_set(kind) ? "set" : "run");
    mh_json_key_string(out, "text", text);
    mh_json_key(out, "cards");
    mh_json_open(out, '[');
    for (int place = 0; place < PLACES; place++) {
        if (cards[place]) {
            mh_json_name(out, cards[place] - 1, rummy_type_text);
        }
    }
    mh_json_close(out, ']');
    if (kind_is_set(kind)) {
        mh_json_key_int(out, "rank", kind - KIND_SET);
    } else {
        mh_json_key_int(out, "suit", kind - KIND_RUN);
        mh_json_key_int(out, "low", low);
    }
    mh_json_close(out, '}');
}

static void write_table(const struct rummy_state *state, struct mh_text *out)
{
    mh_json_key(out, "melds");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct rummy_melds *melds = &state->melds[seat];
        mh_json_open(out, '[');
        for (int i = 0; i < MELDS && melds->kind[i]; i++) {
            write_meld(out, melds->kind[i], melds->cards[i], lowest_place(melds->cards[i]));
        }
        mh_json_close(out, ']');
    }
    mh_json_close(out, ']');
}

static void write_swap(const struct rummy_plan *plan, struct mh_text *out)
{
    mh_json_key(out, "swap");
    if (!plan->given) {
        mh_json_null(out);
        return;
    }
    mh_json_open(out, '{');
    mh_json_key_name(out, "given", plan->given, rummy_card_text);
    mh_json_key_name(out, "got", plan->got, rummy_card_text);
    mh_json_key_int(out, "seat", plan->from[0]);
    mh_json_key_int(out, "meld", plan->from[1]);
    mh_json_key_int(out, "place", plan->from[2]);
    mh_json_close(out, '}');
}

static void write_plan(const struct rummy_state *state, struct mh_text *out)
{
    const struct rummy_plan *plan = &state->plan;
    mh_json_key(out, "plan");
    if (!rummy_is_planning(state)) {
        mh_json_null(out);
        return;
    }
    mh_json_open(out, '{');
    mh_json_key(out, "rest");
    write_cards(out, plan->rest);
    mh_json_key(out, "melds");
    mh_json_open(out, '[');
    for (int i = 0; i < plan->count; i++) {
        const int last = i == plan->count - 1 && plan->to_fill;
        write_meld(out, plan->melds.kind[i], plan->melds.cards[i],
                   last ? plan->first : lowest_place(plan->melds.cards[i]));
    }
    mh_json_close(out, ']');
    mh_json_key_int(out, "to_fill", plan->to_fill);
    mh_json_key_name(out, "wanted", plan->wanted, rummy_card_text);
    write_swap(plan, out);
    mh_json_close(out, '}');
}

void rummy_event_text(int kind, int detail, int extra, char *text)
{
    text[0] = '\0';
    switch (kind) {
    case EVENT_shuffle:
        break;
    case EVENT_deal:
        if (detail) {
            rummy_type_text(detail - 1, text);
        }
        break;
    case EVENT_set:
        rummy_type_text(detail - 1, text);
        text[1] = '\0';
        break;
    case EVENT_run:
        rummy_run_text((detail - 1) / PLACES, (detail - 1) % PLACES, extra, text);
        break;
    case EVENT_over:
        rummy_ending_text(detail, text);
        break;
    default:
        rummy_type_text(detail - 1, text);
    }
}

static void write_result(const struct rummy_state *state, struct mh_text *out)
{
    const struct rummy_result *last = &state->last;
    char ending[MH_TEXT_SIZE];
    mh_json_key(out, "result");
    if (last->round < 0) {
        mh_json_null(out);
        return;
    }
    rummy_ending_text(last->ending, ending);
    mh_json_open(out, '{');
    mh_json_key_int(out, "round", last->round);
    mh_json_key_int(out, "winner", last->winner);
    mh_json_key_string(out, "ending", ending);
    mh_json_key_ints(out, "points", last->points, state->head.seats);
    mh_json_close(out, '}');
}

void rummy_json(const struct rummy_state *state, struct mh_text *out)
{
    write_turn(state, out);
    write_piles(state, out);
    write_hands(state, out);
    write_table(state, out);
    write_plan(state, out);
    mh_json_key_ints(out, "scores", state->scores, state->head.seats);
    write_result(state, out);
}
