/* Tables at which sessions play against each other, the clock and built-in bots: what PROTOCOL.md tells under Tables and
 * Spectators. The server brings messages and the time; what is said in return goes through struct tables_host.
 *
 * Nothing is said to anybody but in tables_act and tables_tick, so that a reply always comes before what follows from
 * its request. All times are milliseconds of one clock that never goes back. */
#ifndef TABLES_H
#define TABLES_H

#include "tables_host.h"

struct tables_options {
    const char *records; /* folder for the games' records, NULL: none are written */
    const char *state;   /* folder for the tables' journals, NULL: tables end with the process */
    int max_tables;
    int max_seats_per_key;
};

struct tables;

/* `host` is copied, `options` and its folders too. Goes on from journals found in `state`; one that cannot be gone on
 * from is refused with its name. Returns an enum mh_status. */
int tables_new(const struct tables_options *options, const struct tables_host *host, char *message,
               struct tables **tables);

/* Games in progress stay in records and journals. NULL is allowed in both places. */
void tables_free(struct tables **tables);

/* The requests of these names. They return the number of results, all written to `out`, or -1 with an error and nothing
 * written. They are not executed again when the server goes on after a restart: the tables' own journals have them. */
typedef int tables_handler(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                           int64_t now_ms, struct wire_out *out, struct wire_error *error);
tables_handler tables_sit, tables_play, tables_list, tables_stand, tables_back;

/* ["act", turn, action], of which `args` has turn and action. Returns 0, and no reply is due; or -1 when nothing has
 * come of it: the answer is then ["error", turn, code, text], whose code no request has. */
int tables_act(struct tables *self, const struct tables_player *player, const struct wire_args *args,
               int64_t now_ms, struct wire_error *error);

/* Any message of a session, before it is dealt with, brings it back to a seat that a substitute plays; `hello`: it has
 * gone on with its token, and is asked once more what it has not answered. Returns whether it has a seat. */
int tables_heard(struct tables *self, const struct tables_player *player, int64_t now_ms, int hello);

/* The session of that token has expired or said bye. */
void tables_gone(struct tables *self, const unsigned char *token, int64_t now_ms);

/* A spectator has subscribed to a topic, which is a table's name and a colon. */
void tables_watch(struct tables *self, const char *topic, int64_t now_ms);

/* Plays bots, keeps the clock, says what is to be said: a bounded amount of it, so that nobody else waits long. To be
 * called after every batch of messages, and at the time that it returned last; -1: not before the next message. */
int64_t tables_tick(struct tables *self, int64_t now_ms);

/* How much there is, for people who look after the server. */

void tables_figures(const struct tables *self, struct tables_figures *figures);

#endif
