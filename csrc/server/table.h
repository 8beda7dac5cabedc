/* One table: its players, its series of games, and the clock.
 *
 * A player keeps its place in `players` through the series; which seat that is turns from game to game in a series with
 * duplicate deals. */
#ifndef TABLE_H
#define TABLE_H

#include "tables_host.h"
#include "terms.h"

enum {
    TABLE_NAME = 33,      /* bytes of a table's name, closing zero included */
    TABLE_PLAYER = 65,    /* of a player's */
    TABLE_PATIENCE = 3,   /* answers in a row that may be missing or illegal */
    TABLE_LINGER = 600000 /* milliseconds for which a finished table still tells how it ended */
};

/* What all tables share. */
struct house {
    struct tables_host host;
    char *records, *state; /* folders, or NULL */
    int64_t next_record;   /* number of the next record's file */
    int64_t now;
    int muted; /* a journal is followed: nothing is told, and nothing new is written to journals */
    struct tables_figures figures;
};

enum player_kind {
    PLAYER_NONE, /* a free seat */
    PLAYER_BOT,  /* built in, from the beginning or for who has left */
    PLAYER_REMOTE
};

/* Sums over the series, of rounds where nothing else is said. */
struct totals {
    int64_t games, wins;
    int64_t sums[MH_MAX_TOTALS]; /* of the game's public numbers with MH_ROLE_TOTAL, in their order */
    int64_t missed;              /* answers */
    double returns;
};

struct player {
    enum player_kind kind;
    int bot;                           /* the number of a built-in one */
    unsigned char token[TABLES_TOKEN]; /* of a remote one, all that follows too */
    char key[TABLES_KEY];
    char name[TABLE_PLAYER]; /* of all */
    uint64_t session;        /* 0: not heard of since the server started */
    int fields, texts;
    int away;     /* the substitute plays */
    int missed;   /* answers in a row */
    int64_t turn; /* number of the last question */
    int remind;   /* to be told once more where things stand */
    size_t seen;  /* events of the game that it knows */
    struct totals totals;
};

enum phase { TABLE_WAITING, TABLE_PLAYING, TABLE_OVER };

/* Lines of the game's record that are not written yet, see record.h. */
struct record {
    int64_t number; /* of its file; -1: this game has none */
    char *lines;
    size_t used, capacity;
};

struct table {
    struct house *house;
    char name[TABLE_NAME];
    struct terms terms;
    enum phase phase;
    struct player players[MH_MAX_SEATS];
    uint64_t first_seed;
    int64_t number; /* of the game, from 0 */
    int begun;      /* it has been dealt */
    void *state, *before;
    struct mh_rng bots; /* one for all of them, as in a batch */
    int asked;          /* player that is to answer, or -1 */
    int64_t asked_at;
    int64_t due;             /* deadline of the question; of a table that is over, of the table, -1: not settled */
    struct table *next_busy; /* in the queue of tables that have something to do now */
    int is_busy;             /* it is in there */
    int64_t spoken;          /* messages to spectators */
    int64_t played;          /* actions since the journal was begun anew */
    uint8_t (*events)[4];    /* public ones of the game that somebody has not seen, seats absolute */
    size_t num_events, max_events;
    int32_t *moves; /* actions of the deal, all its games, where spectators see rounds after the last one */
    size_t num_moves, max_moves;
    struct record record;
    uint8_t *observation; /* scratch, as is what follows */
    int64_t *info;
};

/* Takes the game out of `terms`. NULL: no memory, and nothing is taken. */
struct table *table_new(struct house *house, const char *name, struct terms *terms, uint64_t first_seed);
void table_free(struct table *self);

static inline int table_seats(const struct table *self)
{
    return self->terms.game->sizes.seats;
}

/* Who sits where in the game in play. */
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
static inline uint64_t table_seed(const struct table *self, int64_t number)
{
    return self->first_seed + (uint64_t)(self->terms.duplicate ? number / table_seats(self) : number);
}

int table_free_seats(const struct table *self);
int table_remote_players(const struct table *self);

/* Built-in bots take the last seats but `kept`. */
void table_sit_bots(struct table *self, int kept);

#endif
