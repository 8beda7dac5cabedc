/* A state as JSON, from which an outsider can follow the game. */
#include "credits.h"
#include "mhing.h"

const char *const mhing_phases[PHASES] = {"wait", "turn", "claim", "over"};

static void write_claims(const struct mhing_state *state, struct mh_text *out)
{
    uint64_t legal[LEGAL_WORDS];
    const int claiming = state->phase == PHASE_CLAIM;
    const int first = mh_head_next(&state->head, state->on_turn);
    mh_json_key(out, "claims");
    mh_json_open(out, '[');
    for (int seat = first; claiming && seat != state->on_turn; seat = mh_head_next(&state->head, seat)) {
        if (state->answers[seat]) {
            char text[MH_TEXT_SIZE];
            mhing_action_text(state->answers[seat] - 1, text);
            mh_json_open(out, '{');
            mh_json_key_int(out, "seat", seat);
            mh_json_key_string(out, "action", text);
            mh_json_close(out, '}');
        }
    }
    mh_json_close(out, ']');
    mh_json_key(out, "to_ask");
    mh_json_open(out, '[');
    for (int seat = claiming ? mh_head_next(&state->head, state->head.seat) : state->on_turn;
         seat != state->on_turn; seat = mh_head_next(&state->head, seat)) {
        if (mhing_claim_actions(state, seat, legal)) {
            mh_json_int(out, seat);
        }
    }
    mh_json_close(out, ']');
}

static void write_source(const struct mhing_state *state, struct mh_text *out)
{
    mh_json_key_names(out, "source", state->deck + state->next, DECK - state->next, mhing_card_text);
}

static void write_cards(struct mh_text *out, const uint8_t *count)
{
    mh_json_open(out, '[');
    for (int type = 0; type <= JOKER; type++) {
        for (int i = 0; i < count[type]; i++) {
            mh_json_name(out, type, mhing_card_text);
        }
    }
    mh_json_close(out, ']');
}

static void write_hands(const struct mhing_state *state, struct mh_text *out)
{
    mh_json_key(out, "hands");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        write_cards(out, state->hands[seat].count);
    }
    mh_json_close(out, ']');
}

static void write_meld(const struct mhing_state *state, struct mh_text *out, int seat, int index)
{
    const struct mhing_seat *block = mhing_seat_view(state, seat);
    const int kind = block->meld_kind[index] - 1;
    const int jokers = block->meld_jokers[index];
    const int from = block->meld_from[index];
    char text[MH_TEXT_SIZE];
    mhing_meld_text(kind, jokers, text);
    mh_json_open(out, '{');
    mh_json_key_string(out, "kind", kind_is_sequence(kind) ? "sequence" : "triplet");
    mh_json_key_string(out, "text", text);
    mh_json_key(out, "cards");
    mh_json_open(out, '[');
    for (int place = 0; place < MELD_CARDS; place++) {
        mh_json_name(out, kind_card(kind, place), mhing_card_text);
    }
    mh_json_close(out, ']');
    mh_json_key(out, "jokers");
    mh_json_open(out, '[');
    for (int place = 0; place < MELD_CARDS; place++) {
        if (mhing_joker_at(kind, jokers, place)) {
            mh_json_int(out, place);
        }
    }
    mh_json_close(out, ']');
    mh_json_key_seat(out, "from", from ? (seat + from) % state->head.seats : -1);
    mh_json_close(out, '}');
}

static void write_table(const struct mhing_state *state, struct mh_text *out)
{
    mh_json_key(out, "melds");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        mh_json_open(out, '[');
        for (int i = 0; i < mhing_num_melds(mhing_seat_view(state, seat)); i++) {
            write_meld(state, out, seat, i);
        }
        mh_json_close(out, ']');
    }
    mh_json_close(out, ']');
    mh_json_key(out, "flowers");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        mh_json_int(out, mhing_seat_view(state, seat)->flowers[0]);
    }
    mh_json_close(out, ']');
}

static void write_discards(const struct mhing_state *state, struct mh_text *out)
{
    int made[SEATS] = {0};
    int by = state->dealer;
    mh_json_key(out, "discards");
    mh_json_open(out, '[');
    for (int i = 0; i < state->num_discards; i++) {
        const struct mhing_discard discard = mhing_discard_at(state, by, made[by]++);
        mh_json_open(out, '{');
        mh_json_key_name(out, "card", discard.type + 1, mhing_card_text);
        mh_json_key_int(out, "by", by);
        mh_json_key_seat(out, "taken_by", discard.taker);
        mh_json_close(out, '}');
        by = mhing_seat_after(state, discard);
    }
    mh_json_close(out, ']');
}

void mhing_event_text(int kind, int detail, int extra, char *text)
{
    switch (kind) {
    case EVENT_discard:
        mhing_card_text(detail - 1, text);
        break;
    case EVENT_claim:
    case EVENT_lay_down:
        mhing_meld_text(detail - 1, extra, text);
        break;
    case EVENT_mhing:
        strcpy(text, detail ? "on the discard" : "from the hand");
        break;
    default:
        text[0] = '\0';
    }
}

int mhing_declared_hand(const void *state, struct mhing_cards *cards)
{
    const struct mhing_result *last = &((const struct mhing_state *)state)->last;
    if (last->winner < 0) {
        return 0;
    }
    *cards = (struct mhing_cards){.melds = last->melds, .flowers = (uint8_t)last->score.part[PART_FLOWER]};
    memcpy(cards->count, last->revealed, sizeof cards->count);
    memcpy(cards->meld_kind, last->meld_kind, sizeof cards->meld_kind);
    return 1;
}

static void write_declared_melds(const struct mhing_result *last, struct mh_text *out)
{
    for (int i = 0; last->winner >= 0 && i < last->melds; i++) {
        char text[MH_TEXT_SIZE];
        mhing_meld_text(last->meld_kind[i], last->meld_jokers[i], text);
        mh_json_string(out, text);
    }
}

/* The hand as it was declared. */
static void write_declared(const struct mhing_result *last, struct mh_text *out)
{
    mh_json_key(out, "hand");
    write_cards(out, last->revealed);
    mh_json_key(out, "melds");
    mh_json_open(out, '[');
    write_declared_melds(last, out);
    mh_json_close(out, ']');
    mh_json_key_int(out, "flowers", last->score.part[PART_FLOWER]);
}

static void write_score(const struct mhing_state *state, struct mh_text *out)
{
    const struct mhing_result *last = &state->last;
    static const char *const shapes[] = {"melds", "nothing connects", "seven pairs"};
    char text[DEALT + 1][MH_TEXT_SIZE];
    mh_json_key(out, "parts");
    mh_json_open(out, '[');
    for (int part = 0; part < MHING_CREDIT_KINDS; part++) {
        if (last->score.part[part]) {
            mh_json_open(out, '[');
            mh_json_string(out, mhing_credit_name(part));
            mh_json_int(out, last->score.part[part]);
            mh_json_close(out, ']');
        }
    }
    mh_json_close(out, ']');
    mh_json_key(out, "shape");
    if (last->winner < 0) {
        mh_json_null(out);
    } else {
        mh_json_string(out, shapes[last->score.shape]);
    }
    mh_json_key(out, "arrangement");
    mh_json_open(out, '[');
    write_declared_melds(last, out);
    const int count = last->winner >= 0 ? mhing_arrangement(&last->score, text) : 0;
    for (int i = 0; i < count; i++) {
        mh_json_string(out, text[i]);
    }
    mh_json_close(out, ']');
}

static void write_result(const struct mhing_state *state, struct mh_text *out)
{
    const struct mhing_result *last = &state->last;
    mh_json_key(out, "result");
    if (last->round < 0) {
        mh_json_null(out);
        return;
    }
    mh_json_open(out, '{');
    mh_json_key_int(out, "round", last->round);
    mh_json_key_int(out, "winner", last->winner);
    mh_json_key_int(out, "payer", last->payer);
    mh_json_key_int(out, "credits", last->score.credits);
    mh_json_key_int(out, "points", last->score.points);
    write_declared(last, out);
    write_score(state, out);
    if (state->head.seats <= CHIPS_SEATS) {
        mh_json_key_ints(out, "payments", last->payments, state->head.seats);
    } else {
        mh_json_key(out, "payments");
        mh_json_null(out);
    }
    mh_json_close(out, '}');
}

static void write_standing(const struct mhing_state *state, struct mh_text *out)
{
    mh_json_key_ints(out, "scores", state->scores, state->head.seats);
    if (state->head.seats <= CHIPS_SEATS) {
        mh_json_key_ints(out, "chips", state->chips, state->head.seats);
    } else {
        mh_json_key(out, "chips");
        mh_json_null(out);
    }
}

void mhing_json(const struct mhing_state *state, struct mh_text *out)
{
    mh_json_key_int(out, "turn", state->turn);
    mh_json_key_int(out, "dealer", state->dealer);
    mh_json_key_string(out, "phase", mhing_phases[state->phase]);
    mh_json_key_int(out, "on_turn", state->on_turn);
    mh_json_key_name(out, "drawn", state->drawn, mhing_card_text);
    mh_json_key_name(out, "offer", state->offer, mhing_card_text);
    mh_json_key_seat(out, "offered_by", state->offer ? state->on_turn : -1);
    mh_json_key_seat(out, "claimed_from", state->claimed_from);
    write_claims(state, out);
    write_source(state, out);
    write_hands(state, out);
    write_table(state, out);
    write_discards(state, out);
    write_standing(state, out);
    write_result(state, out);
}
