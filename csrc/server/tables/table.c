#include "table.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life of a table ---------------------------------------------------------------------------------------- */

struct table *table_new(struct tables_shared *shared, const char *name, struct terms *terms)
{
    const struct mh_sizes *sizes = &terms->game->sizes;
    struct table *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->shared = shared;
    self->asked = -1;
    self->record.number = -1;
    strncpy(self->name, name, sizeof self->name - 1);
    self->state = calloc(1, (size_t)sizes->state);
    self->settled = calloc(1, (size_t)sizes->state);
    self->observation = calloc(1, (size_t)sizes->observation);
    self->info = calloc((size_t)sizes->info, sizeof *self->info);
    self->mask = calloc(1, (size_t)sizes->actions);
    self->terms = *terms;
    terms->game = NULL;
    self->record.lines = shared->records ? malloc(RECORD_LINES) : NULL;
    if ((shared->records && !self->record.lines) || !self->state || !self->settled || !self->observation ||
        !self->info || !self->mask) {
        terms->game = self->terms.game;
        self->terms.game = NULL;
        table_free(self);
        return NULL;
    }
    return self;
}

void table_free(struct table *self)
{
    terms_free(&self->terms);
    free(self->state);
    free(self->settled);
    free(self->observation);
    free(self->info);
    free(self->mask);
    free(self->events);
    free(self->moves);
    free(self->record.lines);
    journal_forget(&self->journal);
    free(self);
}

uint64_t table_seed(const struct table *self, int64_t number, int32_t round)
{
    const int64_t deal = self->terms.duplicate ? number / table_seats(self) : number;
    return self->terms.seeded ? self->terms.seed + (uint64_t)deal : secret_seed(self->secret, deal, round);
}

/* ---- Players ------------------------------------------------------------------------------------------------ */

static int count_players(const struct table *self, enum player_kind kind)
{
    int count = 0;
    for (int i = 0; i < table_seats(self); i++) {
        count += self->players[i].kind == kind;
    }
    return count;
}

int table_free_seats(const struct table *self)
{
    return count_players(self, PLAYER_NONE);
}

int table_remote_players(const struct table *self)
{
    return count_players(self, PLAYER_REMOTE);
}

void table_sit_bots(struct table *self, int kept)
{
    int seat = table_seats(self) - 1;
    for (int i = self->terms.num_bots - 1; i >= 0; i--, seat--) {
        seat -= seat == kept;
        self->players[seat] = (struct player){.kind = PLAYER_BOT, .bot = self->terms.bots[i]};
        strncpy(self->players[seat].name, mh_bot_name(self->terms.game, self->terms.bots[i]),
                sizeof self->players[seat].name - 1);
    }
}
