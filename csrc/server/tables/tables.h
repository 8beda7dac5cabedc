/* Tables at which sessions play against each other, the clock and built-in bots, as PROTOCOL.md describes under Tables
 * and Spectators. The server passes in messages and the time. Messages leave through struct tables_host.
 *
 * Only tables_act and tables_tick send messages to players, so a reply always comes before the consequences of its
 * request. All times are milliseconds of one monotonic clock. */
#ifndef TABLES_H
#define TABLES_H

#include "common/disk.h"
#include "tables_host.h"

struct tables_options {
    const char *bots;    /* with settings that may sit at tables, see games_bot */
    int open_seeds;      /* a player may give the seed of a table at which others sit as well */
    const char *records; /* folder for the games' records, NULL: none are written */
    const char *state;   /* folder for the tables' journals, NULL: tables end with the process */
    int64_t slice_ns;    /* how long tables_tick plays; 0: as long as it takes */
    struct files_log log;
    struct disk *disk; /* that of these folders; must live as long as the tables */
    int max_tables;
    int max_seats_per_key;
    int per_minute;  /* new tables of a key; 0: any number */
    int64_t wait_ms; /* how long a table may wait for players while others find no room */
};

struct tables;

/* The earlier of two times, of which -1 is none. */
static inline int64_t tables_earlier(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Copies `host` and `options`, but not the names of folders. Resumes the tables of the journals in `state`, as
 * files_visit does; their players have TABLE_RETURN milliseconds to come back in. Returns an enum mh_status. */
int tables_new(const struct tables_options *options, const struct tables_host *host, int64_t now_ms, char *message,
               struct tables **tables);

/* Games in progress stay in records and journals. NULL is allowed in both places. */
void tables_free(struct tables **tables);

/* The requests of these names. They write results to `out` and return their number, or -1 with an error and nothing
 * written. A restarted server does not execute them again, because each table has its own journal. */
typedef int tables_handler(struct tables *self, const struct tables_player *player, const struct wire_args *args,
                           int64_t now_ms, struct wire_out *out, struct wire_error *error);
tables_handler tables_sit, tables_play, tables_list, tables_stand, tables_back, tables_picture;

/* ["act", turn, action]; `args` has turn and action. Returns 0 without a reply, or -1 if it had no effect. Then
 * ["error", turn, code, text] must be sent, with a code that no request has. */
int tables_act(struct tables *self, const struct tables_player *player, const struct wire_args *args,
               int64_t now_ms, struct wire_error *error);

/* Call it with every message of a session that may have a seat: the session takes back a seat that a substitute
 * plays. With `hello` it has resumed, and its open question is sent again. Returns whether it has a seat. */
int tables_heard(struct tables *self, const struct tables_player *player, int64_t now_ms, int hello);

/* True if it has a seat at a table that waits or plays. */
int tables_is_seated(const struct tables *self, const unsigned char *token);

/* The session of that token has expired or said bye. */
void tables_gone(struct tables *self, const unsigned char *token, int64_t now_ms);

/* A spectator has subscribed to a topic, which is a table's name and a colon; "": one has gone. So many subscriptions
 * there are now. */
void tables_watch(struct tables *self, const char *topic, int subscriptions, int64_t now_ms);

/* Plays bots, keeps the clock and sends messages, for a bounded time so that requests do not wait long. Call it
 * after every batch of messages, and at the time that it returned last (-1: after the next message). */
int64_t tables_tick(struct tables *self, int64_t now_ms);

/* From now on nobody sits down. */
void tables_drain(struct tables *self);

/* Ends a table's series as if its last game were over. -1: no table that is not over has that name. */
int tables_end(struct tables *self, const char *name, int64_t now_ms);

/* True if the token's session sits at a table that waits for players. */
int tables_is_waiting(const struct tables *self, const unsigned char *token);

/* Writes what the disk has refused. -1: it still does. */
int tables_mend(struct tables *self);

/* The clocks stood still for so long; open questions are sent again. */
void tables_shift(struct tables *self, int64_t ms);

/* Figures for the server's operator. */

void tables_figures(const struct tables *self, struct tables_figures *figures);

#endif
