/* Public events of Mexican Rummy in sentences (C49). */
#include "mexican_rummy.h"

void rummy_put_type(struct mh_words *out, int type)
{
    char text[MH_TEXT_SIZE];
    rummy_type_text(type, text);
    mh_words_put(out, text);
}

static void say_over(int seat, int ending, struct mh_words *out)
{
    switch (ending) {
    case ENDING_OUT:
        mh_words_does(out, seat, "have", "has");
        mh_words_put(out, "no card left: the round is over.");
        break;
    case ENDING_NO_DISCARDO:
        mh_words_does(out, seat, "lay", "lays");
        mh_words_put(out, "all cards at once: the round is over.");
        break;
    default:
        mh_words_of(out, "The round ends in a turn", seat);
        mh_words_put(out, ending == ENDING_TURNS ? ": the turn limit is reached." : ": there is no card to draw.");
    }
}

void rummy_put_meld_name(struct mh_words *out, int meld)
{
    char text[MH_TEXT_SIZE];
    rummy_meld_name(meld, text);
    mh_words_put(out, text);
}

/* An event counts the seats of melds from the one that acts, and `place` from 1. */
static void put_meld_of(struct mh_words *out, int seat, int place)
{
    const int from_observer = seat - out->shown->observer + out->shown->seats + (place - 1) / MELDS;
    rummy_put_meld_name(out, from_observer % out->shown->seats * MELDS + (place - 1) % MELDS);
}

static void say_laying(int seat, int kind, int detail, int place, struct mh_words *out)
{
    char text[MH_TEXT_SIZE];
    mh_words_does(out, seat, "lay", "lays");
    if (kind == EVENT_set) {
        rummy_event_text(kind, detail, place, text);
        mh_words_put(out, "a set: ");
        mh_words_count(out, place, "card");
        mh_words_put(out, " of rank ");
        mh_words_put(out, text);
    } else if (kind == EVENT_run) {
        rummy_event_text(kind, detail, place, text);
        mh_words_put(out, "a run: ");
        mh_words_put(out, text);
    } else {
        rummy_put_type(out, detail - 1);
        mh_words_put(out, " onto ");
        put_meld_of(out, seat, place);
    }
    mh_words_put(out, ".");
}

static void say_answer(int seat, int kind, int detail, int place, struct mh_words *out)
{
    const int grants = kind == EVENT_grant;
    mh_words_does(out, seat, grants ? "grant" : "refuse", grants ? "grants" : "refuses");
    rummy_put_type(out, detail - 1);
    mh_words_put(out, " to ");
    mh_words_seat(out, (seat + place) % out->shown->seats);
    mh_words_put(out, ".");
}

static void say_deal(int seat, int detail, struct mh_words *out)
{
    mh_words_does(out, seat, "have", "has");
    mh_words_put(out, "the first turn");
    if (detail) {
        mh_words_put(out, ": ");
        rummy_put_type(out, detail - 1);
        mh_words_put(out, " is turned up");
    }
    mh_words_put(out, ".");
}

/* A verb with a card. */
static void say_card(int seat, const char *yours, const char *others, int detail, struct mh_words *out)
{
    mh_words_does(out, seat, yours, others);
    rummy_put_type(out, detail - 1);
    mh_words_put(out, ".");
}

void rummy_say_event(int seat, int kind, int detail, int place, struct mh_words *out)
{
    switch (kind) {
    case EVENT_deal:
        say_deal(seat, detail, out);
        break;
    case EVENT_ask:
        say_card(seat, "ask for", "asks for", detail, out);
        break;
    case EVENT_take:
        say_card(seat, "take", "takes", detail, out);
        break;
    case EVENT_discard:
        say_card(seat, "discard", "discards", detail, out);
        break;
    case EVENT_grant:
    case EVENT_refuse:
        say_answer(seat, kind, detail, place, out);
        break;
    case EVENT_swap:
        mh_words_does(out, seat, "give", "gives");
        rummy_put_type(out, detail - 1);
        mh_words_put(out, " for a black 2 in ");
        put_meld_of(out, seat, place);
        mh_words_put(out, ".");
        break;
    case EVENT_shuffle:
        mh_words_does(out, seat, "shuffle", "shuffles");
        mh_words_put(out, "the discards but the last into a new draw pile.");
        break;
    case EVENT_over:
        say_over(seat, detail, out);
        break;
    default:
        say_laying(seat, kind, detail, place, out);
    }
}
