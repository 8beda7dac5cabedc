/* The server without its sockets: it is given messages and the time, and says what to send to whom.
 *
 * The files of this folder, and of its folders, in reading order. Each uses only those above it, which tests/layers.py
 * checks. A file of another folder is included by that folder's name and its own.
 *
 *   common/             what all others stand on
 *     wire              messages: checked, read and written
 *     limit             what requests are refused for when there is no room
 *     rate              how often one key may begin something new
 *     names             what people and programs are called
 *     pool              the memory that replies are written into
 *     meter             what is counted: times of requests, errors
 *     answer            the reply to one request
 *     request           a request on its way to the function that executes it
 *     files             files that are whole after a kill
 *     entropy           random bits from the system
 *     sha256            a hash
 *     secret            what the seeds of a table's deals follow from
 *     disk              when written files reach the disk
 *     journal           logs of checked entries
 *     games             the game that a request names
 *     words             observations in sentences
 *
 *   envs/               environments
 *     env               an environment: a batch of the core and its memory
 *     env_rows          replies of rows
 *     env_requests      step, reset and all else that is done with an environment
 *     env_journal       an environment in a journal
 *     envs              the environments of a session
 *
 *   tables/             tables, their games and records
 *     tables_host       what tables are given by the server
 *     terms             what is agreed on at a table
 *     table             a table and its players
 *     record            records of games
 *     table_words       what they see, in sentences
 *     table_messages    what players and spectators are sent
 *     player_items      a player as the items of a journal
 *     table_journal     what a table writes for the time after a kill
 *     table_play        games are dealt and played, questions asked and answered
 *     table_resume      a table continues from its journal
 *     lobby             all tables: who sits where, who may sit down
 *     tables            requests, answers, time
 *
 *   sessions/           clients, and what they ask for
 *     session           what a client has on the server
 *     session_journal   what a session writes for the time after a kill
 *     guests            clients that play for other clients, and messages between the two
 *     server_options    what the server is started with
 *     outbox            messages that wait until the disk has what they report
 *     server_inside     sessions and tables together
 *     hello             how sessions begin and are resumed
 *     requests          the table of all requests
 *     calls             requests are executed once and in order, and long ones in slices
 *
 *   server              messages come in, and time passes
 *
 *   operator/           what the operator's programs ask
 *     page              a text for them
 *     log               what the server prints
 *     metrics           the server's figures for Prometheus
 *     door              sockets for them
 *     http              a page over HTTP
 *     admin             commands
 *     desk              all of that at once
 *
 *   net/                what has to do with ZeroMQ
 *     keys              CURVE keys in files
 *     peers             connections: whose they are, and what they may send
 *     net               sockets
 *
 *   setup               the command line: options, keys
 *   places              the endpoint and the folders, checked
 *   main                signals, a line of figures now and then
 *
 * Times are milliseconds of a clock that never goes back; a server given an earlier one would wait until the old one
 * has come again. When it jumps forward, open questions are late and idle sessions end, each once. net_time makes such
 * a clock from the system's monotonic one, whatever the date does. */
#ifndef SERVER_H
#define SERVER_H

#include "sessions/server_options.h"

struct server;

/* Copies `options` and `host`; the texts must live as long as the server. Restores what `options.state` keeps, but
 * environments only when their clients come back; sets damaged files aside, and reports them to the log. Returns -1
 * with a message on failure. */
int server_new(const struct server_options *options, const struct server_host *host, int64_t now_ms, char *message,
               struct server **server);
void server_free(struct server **server);

/* The spectators' endpoint, for hello. Must live as long as the server. */
void server_set_watch(struct server *self, const char *endpoint);

/* A message of a connection, whose CURVE key is `key` or "". Connections have any number but 0; the lower 32 bits rise
 * from each to the next, and begin again at 0. */
void server_receive(struct server *self, uint64_t connection, const char *key, const unsigned char *bytes,
                    size_t size, int64_t now_ms);

/* True if somebody has said hello on that connection; the session may have moved to another one since. Where a session
 * has ended nobody has. */
int server_is_greeted(const struct server *self, uint64_t connection);

/* A spectator has subscribed to a topic; "": one has gone. So many subscriptions there are now. */
void server_watched(struct server *self, const char *topic, int subscriptions, int64_t now_ms);

/* Ends the sessions whose keys are not listed, as bye would. Returns how many. */
int server_keep(struct server *self, int (*is_listed)(void *context, const char *key), void *context,
                int64_t now_ms);

/* Lets time pass: clocks, bots, the end of idle sessions. Call it after every batch of messages, and at the time
 * that it returned last (-1: after the next message). With DISK_ALWAYS messages leave here, all of a batch after one
 * sync. When the disk refuses, with whatever sync, requests get the error `storage` and clocks stand still until it has
 * room again. */
int64_t server_tick(struct server *self, int64_t now_ms);

/* Lets the server come to its end: no session or series of games begins any more, and existing ones continue. */
void server_drain(struct server *self);
int server_is_draining(const struct server *self);

/* True if it has come to it: no series is under way, and no session that has made environments, asked for a seat or
 * dealt with guests, unless it sits at a table that waits for players, has been heard of for `options.drain_ms`. */
int server_is_drained(struct server *self, int64_t now_ms);

struct server_figures {
    int64_t sessions, environments, rows, guests;
    int64_t tables, tables_waiting, tables_playing; /* `tables`: both together */
    int64_t subscriptions;                          /* of spectators */
    int64_t requests, steps, resent, refused;       /* since the start; `steps` counts rows */
    int64_t games;                                  /* at tables that have ended since the start */
    int64_t failures;                               /* to write journals and records */
    int64_t reply_bytes, waiting_bytes, journal_bytes;
    int64_t syncs, sync_ns; /* of the disk, and how long the last one took */
    int64_t is_late;        /* the disk refuses */
    int64_t is_draining;
};
void server_figures(const struct server *self, struct server_figures *figures);

#endif
