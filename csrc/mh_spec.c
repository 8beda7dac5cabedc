/* What a state says in the words of its game's table. */
#include "mh_spec.h"

#include <string.h>

#include "mh_events.h"
#include "mh_head.h"
#include "mh_text.h"

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
    for (int i = events->used - MH_EVENT_TAIL; i < events->used; i++) {
        if (events->seat[i]) {
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
    }
    mh_json_close(out, ']');
}
