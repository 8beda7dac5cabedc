#include "mh_check.h"

#include <string.h>

#include "mh_text.h"

int mh_refuse(char *message, const char *what)
{
    mh_message(message, "%s", what);
    return MH_ERROR_SNAPSHOT;
}

int mh_check_settled(int status, const void *again, const void *state, size_t size, char *message)
{
    return status == MH_OK && memcmp(again, state, size) != 0 ? mh_refuse(message, "derived values do not fit")
                                                              : status;
}

int mh_check_head(const struct mh_head *head, int32_t players, char *message)
{
    if (head->seats != players) {
        return mh_refuse(message, "the number of seats is not that of the options");
    }
    if (head->seat < -1 || head->seat >= players) {
        return mh_refuse(message, "the seat to act out of range");
    }
    if (head->rounds < 0 || head->rounds == INT32_MAX) {
        return mh_refuse(message, "rounds out of range");
    }
    for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
        const double returns = head->returns[seat];
        const float rewards = head->rewards[seat];
        if (!(returns >= -1e12 && returns <= 1e12) || !(rewards >= -1e12f && rewards <= 1e12f)) {
            return mh_refuse(message, "rewards out of range");
        }
    }
    return MH_OK;
}

int mh_check_events(const struct mh_events *events, int seats, int kinds, mh_event_fits *fits, char *message)
{
    if (!mh_events_fit(events, seats)) {
        return mh_refuse(message, "events out of range");
    }
    for (int i = 0; i < MH_EVENT_LOG; i++) {
        if (events->seat[i] &&
            (events->kind[i] >= kinds || !fits(seats, events->kind[i], events->detail[i], events->extra[i]))) {
            return mh_refuse(message, "events out of range");
        }
    }
    return MH_OK;
}

int mh_check_cards(const uint8_t *cards, const uint8_t *game, int count, char *message)
{
    int left[256] = {0};
    for (int i = 0; i < count; i++) {
        left[game[i]]++;
    }
    for (int i = 0; i < count; i++) {
        if (--left[cards[i]] < 0) {
            mh_message(message, "deck: card %d at place %d is none of the game's, or there too often", cards[i], i);
            return MH_ERROR_ARGUMENT;
        }
    }
    return MH_OK;
}

int mh_check_seat_option(const char *name, int32_t seat, int32_t players, char *message)
{
    if (seat >= players) {
        mh_message(message, "option %s: seat %d does not exist with num_players=%d", name, (int)seat, (int)players);
        return MH_ERROR_OPTION;
    }
    return MH_OK;
}
