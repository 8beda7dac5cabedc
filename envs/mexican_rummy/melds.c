/* Melds on the table: what lies in them, what fits on them, and how their places are named (R3, R4, R9). */
#include "mexican_rummy.h"

unsigned rummy_filled(const uint8_t cards[PLACES])
{
    unsigned filled = 0;
    for (int place = 0; place < PLACES; place++) {
        filled |= (unsigned)(cards[place] != 0) << place;
    }
    return filled;
}

int rummy_is_wild_at(int kind, const uint8_t cards[PLACES], int place)
{
    return kind_is_run(kind) && cards[place] && cards[place] - 1 != place_type(kind - KIND_RUN, place);
}

/* The next place at an end of a run, -1: it has none. */
static int place_below(const uint8_t cards[PLACES])
{
    return mh_bits_lowest(rummy_filled(cards)) - 1;
}

static int place_above(const uint8_t cards[PLACES])
{
    const int above = place_below(cards) + 1 + mh_bits_count(rummy_filled(cards));
    return above < PLACES ? above : -1;
}

uint64_t rummy_fitting(const struct rummy_melds *melds)
{
    uint64_t fitting = 0;
    for (int meld = 0; meld < MELDS && melds->kind[meld]; meld++) {
        const int kind = melds->kind[meld];
        if (kind_is_set(kind)) {
            fitting |= rank_types(kind - KIND_SET);
            continue;
        }
        const int ends[] = {place_below(melds->cards[meld]), place_above(melds->cards[meld])};
        for (int i = 0; i < 2; i++) {
            fitting |= ends[i] < 0 ? 0 : type_bit(place_type(kind - KIND_RUN, ends[i])) | BLACK_TWOS;
        }
    }
    return fitting;
}

/* ---- Where a card goes ------------------------------------------------------------------------------------ */

static int fits_both_ends(int type)
{
    return type_rank(type) == 0 || is_black_two(type);
}

static int fits_at(int kind, int type, int place)
{
    return place >= 0 && (place_type(kind - KIND_RUN, place) == type || is_black_two(type));
}

void rummy_add_spots(const struct rummy_melds *melds, int clockwise, int type, uint64_t *spots)
{
    for (int meld = 0; meld < MELDS && melds->kind[meld]; meld++) {
        const int kind = melds->kind[meld];
        const uint8_t *cards = melds->cards[meld];
        const int name = clockwise * MELDS + meld;
        if (kind_is_set(kind)) {
            if (type_rank(type) == kind - KIND_SET) {
                mh_set_add(spots, ACTION_onto + name);
            }
            continue;
        }
        if (fits_at(kind, type, place_below(cards))) {
            mh_set_add(spots, (fits_both_ends(type) ? ACTION_low : ACTION_onto) + name);
        }
        if (fits_at(kind, type, place_above(cards))) {
            mh_set_add(spots, (fits_both_ends(type) ? ACTION_high : ACTION_onto) + name);
        }
    }
}

int rummy_action_meld(int action)
{
    return action < ACTION_onto || action >= ACTION_swap ? -1 : (action - ACTION_onto) % (MH_MAX_SEATS * MELDS);
}

struct rummy_spot rummy_spot_of(const struct rummy_state *state, int action)
{
    const int meld = rummy_action_meld(action);
    const int seat = state->on_turn + meld / MELDS;
    const struct rummy_spot spot = {seat % state->head.seats, meld % MELDS, 0};
    return spot;
}

int rummy_place_at(const struct rummy_melds *melds, int meld, int type, int action)
{
    const int kind = melds->kind[meld];
    const uint8_t *cards = melds->cards[meld];
    if (kind_is_set(kind)) {
        return mh_bits_count(rummy_filled(cards));
    }
    const int low = action < ACTION_low ? fits_at(kind, type, place_below(cards)) : action < ACTION_high;
    return low ? place_below(cards) : place_above(cards);
}

void rummy_add_wild_spots(const struct rummy_melds *melds, int clockwise, int type, uint64_t *spots)
{
    const unsigned places = ranks_to_places(1u << type_rank(type));
    for (int meld = 0; meld < MELDS && melds->kind[meld]; meld++) {
        const int name = clockwise * MELDS + meld;
        for (unsigned rest = places; rest && melds->kind[meld] == KIND_RUN + type_suit(type); rest &= rest - 1) {
            const int place = mh_bits_lowest(rest);
            if (rummy_is_wild_at(melds->kind[meld], melds->cards[meld], place)) {
                const int ace = place == HIGH_ACE ? ACTION_high : ACTION_low;
                mh_set_add(spots, (type_rank(type) == 0 ? ace : ACTION_onto) + name);
            }
        }
    }
}

int rummy_wild_place_at(int type, int action)
{
    return action >= ACTION_high ? HIGH_ACE : type_rank(type);
}

int rummy_event_place(const struct rummy_state *state, struct rummy_spot spot)
{
    return 1 + MELDS * mh_head_between(&state->head, state->on_turn, spot.seat) + spot.meld;
}
