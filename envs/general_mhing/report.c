/* A state as JSON, from which an outsider can follow the game (R9). */
#include "general_mhing.h"

const char *const general_phases[PHASES] = {"wait", "start", "taken", "play", "end", "over"};

static void write_cards(struct mh_text *out, uint64_t cards)
{
    mh_json_open(out, '[');
    for (; cards; cards &= cards - 1) {
        mh_json_name(out, mh_bits_lowest(cards), general_card_text);
    }
    mh_json_close(out, ']');
}

static void write_turn(const struct general_state *state, struct mh_text *out)
{
    mh_json_key_int(out, "turn", state->turn);
    mh_json_key_int(out, "starter", state->starter);
    mh_json_key_string(out, "phase", general_phases[state->phase]);
    mh_json_key_int(out, "on_turn", state->on_turn);
    mh_json_key_name(out, "offer", state->offer, general_card_text);
    mh_json_key_seat(out, "offered_by", state->offer ? state->discarded_by[state->num_discards - 1] - 1 : -1);
    mh_json_key_name(out, "taken", state->taken, general_card_text);
    mh_json_key(out, "drawn");
    mh_json_open(out, '[');
    for (int i = 0; i < 2 && state->drawn[i]; i++) {
        mh_json_name(out, state->drawn[i] - 1, general_card_text);
    }
    mh_json_close(out, ']');
    mh_json_key(out, "given");
    write_cards(out, state->given);
}

static void write_piles(const struct general_state *state, struct mh_text *out)
{
    mh_json_key_names(out, "draw_pile", state->deck + state->next, CARDS - state->next, general_card_text);
    mh_json_key_discards(out, "discards", state->discards, state->discarded_by, state->num_discards,
                         general_card_text);
    mh_json_key_int(out, "shuffles", state->shuffles);
    mh_json_key_by_name(out, "shuffle_of", state->shuffle_of, CARDS, general_card_text);
}

static void write_hands(const struct general_state *state, struct mh_text *out)
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

/* A row of sequences, `kinds` and `aces` as in a seat's block. */
static void write_sequences(struct mh_text *out, const uint8_t *kinds, const uint8_t *aces)
{
    mh_json_open(out, '[');
    for (int i = 0; i < SEQUENCES && kinds[i]; i++) {
        const struct sequence sequence = {kinds[i] - 1, aces[i]};
        const int first = kind_suit(sequence.kind) * RANKS + kind_low(sequence.kind);
        char text[MH_TEXT_SIZE];
        general_sequence_text(sequence, text);
        mh_json_open(out, '{');
        mh_json_key_string(out, "text", text);
        mh_json_key(out, "cards");
        write_cards(out, (uint64_t)7 << first);
        mh_json_key(out, "ace");
        mh_json_seat(out, sequence.ace - 1);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
}

static void write_table(const struct general_state *state, struct mh_text *out)
{
    mh_json_key(out, "sequences");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        write_sequences(out, state->blocks[seat].sequence_kind, state->blocks[seat].sequence_ace);
    }
    mh_json_close(out, ']');
    mh_json_key(out, "tallies");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        mh_json_int(out, state->blocks[seat].tally[0]);
    }
    mh_json_close(out, ']');
}

void general_event_text(int kind, int detail, int extra, char *text)
{
    const struct sequence sequence = {detail - 1, extra};
    switch (kind) {
    case EVENT_take:
    case EVENT_swap:
    case EVENT_discard:
        general_card_text(detail - 1, text);
        break;
    case EVENT_sequence:
        general_sequence_text(sequence, text);
        break;
    case EVENT_over:
        general_ending_text(detail, text);
        break;
    default:
        text[0] = '\0';
    }
}

static void write_standing(const struct general_state *state, struct mh_text *out)
{
    mh_json_key_ints(out, "scores", state->scores, state->head.seats);
}

static void write_parts(struct mh_text *out, const int32_t parts[PARTS])
{
    mh_json_key(out, "parts");
    mh_json_open(out, '[');
    for (int part = 0; part < PARTS; part++) {
        if (parts[part]) {
            char name[MH_TEXT_SIZE];
            general_part_text(part, name);
            mh_json_open(out, '[');
            mh_json_string(out, name);
            mh_json_int(out, parts[part]);
            mh_json_close(out, ']');
        }
    }
    mh_json_close(out, ']');
}

static void write_result(const struct general_state *state, struct mh_text *out)
{
    const struct general_result *last = &state->last;
    int32_t parts[PARTS];
    char ending[MH_TEXT_SIZE];
    mh_json_key(out, "result");
    if (last->round < 0) {
        mh_json_null(out);
        return;
    }
    general_ending_text(last->ending, ending);
    mh_json_open(out, '{');
    mh_json_key_int(out, "round", last->round);
    mh_json_key_int(out, "winner", last->winner);
    mh_json_key_int(out, "points", last->winner < 0 ? 0 : general_last_tally(state, last->winner, parts));
    mh_json_key_string(out, "ending", ending);
    mh_json_key(out, "seats");
    mh_json_open(out, '[');
    for (int seat = 0; seat < state->head.seats; seat++) {
        mh_json_open(out, '{');
        mh_json_key_int(out, "tally", general_last_tally(state, seat, parts));
        write_parts(out, parts);
        mh_json_key(out, "sequences");
        write_sequences(out, last->sequence_kind[seat], last->sequence_ace[seat]);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
    mh_json_close(out, '}');
}

void general_json(const struct general_state *state, struct mh_text *out)
{
    write_turn(state, out);
    write_piles(state, out);
    write_hands(state, out);
    write_table(state, out);
    write_standing(state, out);
    write_result(state, out);
}
