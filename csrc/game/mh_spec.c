/* Describes a state in the words of its game's table. */
#include "mh_spec.h"

#include <string.h>

#include "base/mh_read.h"
#include "base/mh_text.h"
#include "mh_events.h"
#include "mh_head.h"

void mh_spec_value(struct mh_text *out, const struct mh_option *option, int32_t value)
{
    if (!option->choices[0]) {
        mh_text_add(out, "%d", (int)value);
    } else {
        const char *choice = option->choices;
        for (int32_t i = 0; i < value; i++) {
            choice += strcspn(choice, "|") + 1;
        }
        mh_text_add(out, "%.*s", (int)strcspn(choice, "|"), choice);
    }
}

void mh_json_option(struct mh_text *out, const struct mh_option *option, int32_t value)
{
    if (!option->choices[0]) {
        mh_json_int(out, value);
    } else if (strcmp(option->choices, "off|on") == 0) {
        mh_json_bool(out, value);
    } else {
        char word[MH_TEXT_SIZE];
        struct mh_text text;
        mh_text_begin(&text, word, sizeof word);
        mh_spec_value(&text, option, value);
        mh_json_string(out, word);
    }
}

void mh_json_options(struct mh_text *out, const struct mh_spec *spec, const int32_t *options)
{
    mh_json_key(out, "options");
    mh_json_open(out, '{');
    for (int i = 0; i < spec->num_options; i++) {
        mh_json_key(out, spec->options[i].name);
        mh_json_option(out, &spec->options[i], options[i]);
    }
    mh_json_close(out, '}');
}

void mh_json_result(struct mh_text *out, const struct mh_spec *spec, const struct mh_head *head,
                    const int64_t *numbers)
{
    mh_json_key(out, "result");
    if (!head->rounds) {
        mh_json_null(out);
        return;
    }
    mh_json_open(out, '{');
    mh_json_key_int(out, "round", head->rounds - 1);
    for (int i = 0; i < spec->num_info; i++) {
        const struct mh_info_field *field = &spec->info[i];
        if (field->role == MH_ROLE_WINNER || field->role == MH_ROLE_TOTAL) {
            mh_json_key(out, field->name);
            if (field->per_seat) {
                mh_json_open(out, '[');
            }
            for (int seat = 0; seat < (field->per_seat ? head->seats : 1); seat++) {
                mh_json_int(out, numbers[field->offset + seat]);
            }
            if (field->per_seat) {
                mh_json_close(out, ']');
            }
        }
    }
    mh_json_close(out, '}');
}

void mh_json_events(struct mh_text *out, const struct mh_spec *spec, const struct mh_events *events,
                    mh_event_text *event_text, const char *extra)
{
    mh_json_key(out, "events");
    mh_json_open(out, '[');
    for (int i = mh_events_first(events); i < events->used; i++) {
        char text[MH_TEXT_SIZE];
        event_text(events->kind[i], events->detail[i], events->extra[i], text);
        mh_json_open(out, '{');
        mh_json_key_int(out, "seat", events->seat[i] - 1);
        mh_json_key_string(out, "event", spec->events[events->kind[i]].name);
        mh_json_key_string(out, "text", text);
        mh_json_key_int(out, "detail", events->detail[i]);
        mh_json_key_int(out, extra, events->extra[i]);
        mh_json_close(out, '}');
    }
    mh_json_close(out, ']');
}

void mh_json_head(struct mh_text *out, const struct mh_head *head)
{
    double rewards[MH_MAX_SEATS];
    for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
        rewards[seat] = head->rewards[seat];
    }
    mh_json_key_numbers(out, "returns", head->returns, head->seats);
    mh_json_key_numbers(out, "rewards", rewards, head->seats);
    mh_json_key_int(out, "decisions", head->decisions);
}

/* ---- Reading JSON --------------------------------------------------------------------------------------------- */

void mh_read_generator(const struct mh_in *in, const char *key, struct mh_rng *rng)
{
    const struct mh_in bits = mh_in_key(in, key);
    rng->state = mh_in_bits(&bits, 0);
}

void mh_read_head(const struct mh_in *in, int lowest, struct mh_head *head)
{
    static const char over[] = "\"over\"";
    const struct mh_in round = mh_in_key(in, "round");
    const struct mh_in seat = mh_in_key(in, "seat");
    const struct mh_in phase = mh_in_key(in, "phase");
    const struct mh_in decisions = mh_in_key(in, "decisions");
    const int named = mh_in_int(&seat, lowest, head->seats - 1, 0);
    const int ends = mh_in_given(&seat) ? named < 0 : mh_in_given(&phase) && memcmp(phase.at, over, 6) == 0;
    head->rounds = mh_in_int(&round, 0, INT32_MAX - 2, 0) + ends;
    head->decisions = (uint32_t)mh_in_int(&decisions, 0, INT32_MAX, 0);
    head->seat = (int8_t)named;
}

static void event_name(const struct mh_spec *spec, const struct mh_in *in, uint8_t *kind)
{
    const char *names[UINT8_MAX];
    for (int i = 0; i < spec->num_events; i++) {
        names[i] = spec->events[i].name;
    }
    mh_in_require(in);
    *kind = (uint8_t)mh_in_word(in, names, spec->num_events, 0);
}

void mh_read_events(const struct mh_in *in, const struct mh_spec *spec, const char *extra, struct mh_events *events)
{
    const struct mh_in list = mh_in_key(in, "events");
    const int count = mh_in_count(&list, MH_EVENT_LOG);
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&list, i);
        const struct mh_in seat = mh_in_key(&item, "seat");
        const struct mh_in event = mh_in_key(&item, "event");
        const struct mh_in detail = mh_in_key(&item, "detail");
        const struct mh_in more = mh_in_key(&item, extra);
        uint8_t kind;
        mh_in_require(&seat);
        event_name(spec, &event, &kind);
        mh_events_add(events, mh_in_int(&seat, 0, MH_MAX_SEATS - 1, 0), kind, mh_in_int(&detail, 0, UINT8_MAX, 0),
                      mh_in_int(&more, 0, UINT8_MAX, 0));
    }
}

void mh_read_rewards(const struct mh_in *in, struct mh_head *head)
{
    const struct mh_in returns = mh_in_key(in, "returns");
    const struct mh_in rewards = mh_in_key(in, "rewards");
    mh_in_by_seat(&returns, head->seats);
    mh_in_by_seat(&rewards, head->seats);
    for (int seat = 0; seat < head->seats; seat++) {
        const struct mh_in sum = mh_in_item(&returns, seat);
        const struct mh_in reward = mh_in_item(&rewards, seat);
        /* Added to 0, -0 becomes 0: equal states have equal bytes. */
        head->returns[seat] = 0 + mh_in_number(&sum, head->returns[seat]);
        head->rewards[seat] = 0 + (float)mh_in_number(&reward, head->rewards[seat]);
    }
}

void mh_spec_spoken(const char *card, char *text)
{
    static const char rank_letters[] = "23456789TJQKA";
    static const char suit_letters[] = "shdc";
    static const char *const ranks[] = {"two",  "three", "four", "five",  "six",  "seven", "eight",
                                        "nine", "ten",   "jack", "queen", "king", "ace"};
    static const char *const suits[] = {"spades", "hearts", "diamonds", "clubs"};
    struct mh_text out;
    mh_text_begin(&out, text, MH_LABEL_SIZE);
    const char *rank = *card ? strchr(rank_letters, card[0]) : NULL;
    const char *suit = rank && card[1] ? strchr(suit_letters, card[1]) : NULL;
    if (suit && !card[2]) {
        mh_text_add(&out, "%s of %s", ranks[rank - rank_letters], suits[suit - suit_letters]);
    } else {
        mh_text_add(&out, "%s", card);
    }
}
