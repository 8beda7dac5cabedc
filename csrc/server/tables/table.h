/* One table: its players, its series of games, and the clock.
 *
 * A player keeps its index in `players` through the series. With duplicate deals its seat changes from game to game. */
#ifndef TABLE_H
#define TABLE_H

#include "common/journal.h"
#include "common/secret.h"
#include "common/words.h"
#include "tables_host.h"
#include "terms.h"

enum {
    TABLE_NAME = 33,       /* bytes of a table's name, including the closing zero */
    TABLE_PLAYER = 65,     /* of a player's name */
    TABLE_PATIENCE = 3,    /* missing or illegal answers in a row until a bot takes over */
    TABLE_SHOW = 100,      /* milliseconds between two states for spectators of a fast table */
    TABLE_AHEAD = 1600,    /* milliseconds of which they may have the states at once */
    TABLE_LINGER = 600000, /* milliseconds for which a finished table still reports how it ended */
    TABLE_RETURN = 10000   /* milliseconds after a restart of the server, for players to come back in */
};

/* The data that all tables share. */
struct tables_shared {
    struct tables_host host;
    const char *bots;            /* with settings that may sit down, see games_bot */
    int open_seeds;              /* a player may give the seed of a table at which others sit as well */
    const char *records, *state; /* folders, or NULL */
    struct files_log log;
    struct disk *disk;
    struct wire_message *entry; /* memory for an input in a journal, which then never lacks it */
    int64_t next_record;        /* number of the next record's file */
    int64_t now;
    int64_t back_by;   /* until then, questions to players who are silent since the server started wait for them */
    int subscriptions; /* of spectators, of all tables */
    int replaying;     /* a journal is being followed: nothing is sent, and nothing is written to journals */
    struct tables_figures figures;
    uint64_t before[MH_MAX_STATE / 8]; /* the state before the action or deal that a table plays now */
    struct words words;                /* scratch memory */
    struct mh_scene *scene;            /* the same, for pictures; NULL before the first one */
};

enum player_kind {
    PLAYER_NONE, /* a free seat */
    PLAYER_BOT,  /* a built-in bot, from the beginning or for a player who left */
    PLAYER_REMOTE
};

/* Sums over the series, of rounds where nothing else is said. */
struct totals {
    int64_t games, wins;
    int64_t sums[MH_MAX_TOTALS]; /* of the game's public numbers with MH_ROLE_TOTAL, in their order */
    int64_t missed;              /* answers */
    int64_t actions_of_bots, rounds_of_bots, games_of_bots; /* with at least one such action, by a substitute */
    double returns;
};

enum { TABLE_PARTS = MH_WORDS_MOVES + MH_MAX_SEATS /* of a text, each seat for itself */ };

/* A record of what a player that asked for changes only was told in this game. All zeros: nothing, or it may be
 * lost. */
struct given {
    int64_t events;              /* public events of the table that were said */
    uint64_t parts[TABLE_PARTS]; /* hashes of what was said of each part; those of seats are the last ones */
};

struct player {
    enum player_kind kind;
    int bot;                           /* the number of a built-in bot */
    int left;                          /* it is the substitute of a player who stood up */
    unsigned char token[TABLES_TOKEN]; /* of a remote player, as all that follows */
    char key[TABLES_KEY];
    char name[TABLE_PLAYER]; /* of all kinds */
    uint64_t session;        /* 0: silent since the server started */
    int form;                /* enum tables_form */
    int texts;
    struct given given;
    int away;                                  /* the substitute plays */
    int missed;                                /* missing or illegal answers in a row */
    int64_t turn;                              /* number of the last question */
    int remind;                                /* the open question or the end must be sent again */
    size_t seen;                               /* number of the game's events that it knows */
    int64_t substituted, substituted_in_round; /* actions of a substitute in this game, and in this round */
    struct totals totals;
};

/* An action that was decided and is played when the pause is over. */
struct move {
    int is_held;
    int action;
    int by; /* enum record_by */
    int64_t ms;
};

enum { RECORD_LINES = 32768 /* bytes of a record's lines, until they are written */ };

enum phase { TABLE_WAITING, TABLE_PLAYING, TABLE_OVER };

/* Lines of the game's record that are not written yet, see record.h. */
struct record {
    int64_t number; /* of its file; -1: this game has none */
    char *lines;    /* RECORD_LINES bytes, if records are kept */
    size_t used;
    size_t written; /* bytes in the file */
    struct disk_ticket ticket;
};

struct table {
    struct tables_shared *shared;
    char name[TABLE_NAME];
    char secret[SECRET_TEXT]; /* "" where the terms give the seeds */
    struct terms terms;
    enum phase phase;
    int begun;      /* it has been dealt */
    int64_t opened; /* when; after a restart of the server, that time */
    struct player players[MH_MAX_SEATS];
    int64_t number; /* of the game, from 0 */
    void *state;
    void *settled;      /* while the state is not settled, the last one that was (C48 in envs/CONTRACT.md) */
    struct mh_rng bots; /* one generator for all bots, as in a batch */
    int asked;          /* player who must answer, or -1 */
    int64_t asked_at;
    int64_t due; /* deadline of the question, or when a finished table closes (-1: not set) */
    struct move move;
    int64_t pause_until;     /* before, no action leads to a settled state that may have been asked about */
    struct table *next_busy; /* in the queue of tables with something to do */
    int is_busy;             /* it is in that queue */
    int64_t spoken;          /* messages to spectators */
    int64_t shown;           /* the time up to which they have had their states, see TABLE_AHEAD */
    int is_behind;           /* they are to be sent the newest state */
    int64_t played;          /* actions since the journal was begun anew, one that is held too */
    uint8_t (*events)[4];    /* public events that somebody has not seen, with absolute seats */
    size_t num_events, max_events;
    size_t num_shown;   /* of these, to spectators */
    int64_t num_public; /* public events so far, of all games */
    int32_t *moves;     /* with duplicate: actions of all games of the deal, for spectators after its last game */
    size_t num_moves, max_moves;
    struct record record;
    struct journal journal;
    uint8_t *observation; /* scratch memory, as are `info` and `mask` */
    int64_t *info;
    int8_t *mask;
};

/* Takes ownership of the game in `terms`. Where these give no seed, the caller sets the secret. NULL: no memory, and
 * nothing is taken. */
struct table *table_new(struct tables_shared *shared, const char *name, struct terms *terms);
void table_free(struct table *self);

static inline int table_seats(const struct table *self)
{
    return self->terms.game->sizes.seats;
}

/* Players and their seats in the current game. */
static inline int table_turn(const struct table *self)
{
    return self->terms.duplicate ? (int)(self->number % table_seats(self)) : 0;
}
static inline int table_seat_of(const struct table *self, int player)
{
    return (player + table_turn(self)) % table_seats(self);
}
static inline int table_player_at(const struct table *self, int seat)
{
    return (seat + table_seats(self) - table_turn(self)) % table_seats(self);
}

/* The seed of a game's round, both from 0. A seed that was given is that of the whole game, as in an environment. */
uint64_t table_seed(const struct table *self, int64_t number, int32_t round);

/* True if players can check the seeds at the end by what they were told at the start. */
static inline int table_has_hash(const struct table *self)
{
    return !self->terms.seeded && self->terms.reveal;
}

/* The state that all may be told: the present one, or the last one that was settled. */
static inline const void *table_public(const struct table *self)
{
    return mh_state_is_settled(self->terms.game, self->state) ? self->state : self->settled;
}

/* The state that a player may know. Only a player that is asked sees that there is a question. */
static inline const void *table_known_state(const struct table *self, int player)
{
    return self->asked == player ? self->state : table_public(self);
}

/* True if nothing is to be done before an answer or the end of a pause. */
static inline int table_waits(const struct table *self)
{
    return self->asked >= 0 || (self->move.is_held && self->shared->now < self->pause_until);
}

int table_free_seats(const struct table *self);
int table_remote_players(const struct table *self);

/* Gives the last seats except `kept` to built-in bots. */
void table_sit_bots(struct table *self, int kept);

#endif
