#include "mh_check.h"

#include <math.h>
#include <string.h>

#include "base/mh_text.h"

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

int mh_check_unused(const void *state, const struct mh_member *members, int count, char *message)
{
    for (int i = 0; i < count; i++) {
        const uint8_t *bytes = (const uint8_t *)state + members[i].offset;
        const int size = strstr(members[i].name, "unused") ? members[i].width * members[i].count : 0;
        for (int k = 0; k < size; k++) {
            if (bytes[k]) {
                return mh_refuse(message, "bytes that are not used are not zero");
            }
        }
    }
    return MH_OK;
}

int mh_check_head(const struct mh_head *head, int32_t players, int lowest, char *message)
{
    if (head->seats != players) {
        return mh_refuse(message, "the number of seats is not that of the options");
    }
    if (head->seat < lowest || head->seat >= players) {
        return mh_refuse(message, "the seat to act out of range");
    }
    if (head->rounds < 0 || head->rounds == INT32_MAX) {
        return mh_refuse(message, "rounds out of range");
    }
    for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
        if (!(fabs(head->returns[seat]) <= 1e12) || !(fabsf(head->rewards[seat]) <= 1e12f)) {
            return mh_refuse(message, "rewards out of range");
        }
    }
    return MH_OK;
}

/* True if a sum of rewards can be. -0 cannot, as sums begin with 0. Fractions are rounded where they are added. */
static int sum_fits(double sum, double lowest, double highest)
{
    const double room = 1e-6 * (1 + fabs(sum));
    return sum >= lowest - room && sum <= highest + room && !(sum == 0 && signbit(sum));
}

/* True if the returns of a seat lie within the bounds, now and before the last action. */
static int rewards_fit(const struct mh_head *head, int seat, const struct mh_bounds *bounds)
{
    const double lowest = fmin(bounds->lowest, 0);
    const double highest = fmax(bounds->highest, 0);
    const double returns = head->returns[seat];
    const double reward = (double)head->rewards[seat];
    const int can_earn = seat < head->seats && head->decisions > 0;
    return sum_fits(returns, lowest, highest) && sum_fits(reward, -INFINITY, INFINITY) &&
           sum_fits(returns - reward, lowest, highest) && (can_earn || (returns == 0 && reward == 0));
}

int mh_check_bounds(const struct mh_head *head, const struct mh_bounds *bounds, char *message)
{
    double sum = 0;
    if (head->decisions > INT32_MAX || (bounds->decisions && head->decisions > bounds->decisions)) {
        return mh_refuse(message, "more decisions than an episode has");
    }
    if (head->rounds > (int64_t)head->decisions || (head->seat < 0 && !head->rounds)) {
        return mh_refuse(message, "rounds do not fit the decisions that end them");
    }
    for (int seat = 0; seat < MH_MAX_SEATS; seat++) {
        if (!rewards_fit(head, seat, bounds)) {
            return mh_refuse(message, "rewards beyond what an episode brings");
        }
        sum += head->returns[seat];
    }
    return head->seat != MH_OVER || isnan(bounds->sum) || sum_fits(sum, bounds->sum, bounds->sum)
               ? MH_OK
               : mh_refuse(message, "returns do not add up");
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
