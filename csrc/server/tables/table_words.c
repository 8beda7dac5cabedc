#include "table_words.h"

#include <stdlib.h>

/* The viewer of an observation of that state; -1: a spectator. Whose turn it is while a game is played is in the
 * observation, as far as it may be known. */
static struct mh_viewer view(struct table *self, const void *state, int seat)
{
    const int to_act = mh_state_seat(state);
    (void)mh_state_info(self->terms.game, state, self->info);
    return (struct mh_viewer){.seat = seat, .to_act = to_act < 0 ? to_act : MH_NOT_KNOWN, .info = self->info};
}

/* Looks at the table as a player, who alone sees that it is asked and what it may do. */
static struct mh_viewer viewer_of(struct table *self, int player)
{
    const struct mh_game *game = self->terms.game;
    const void *state = table_known_state(self, player);
    const int seat = table_seat_of(self, player);
    struct mh_viewer viewer = view(self, state, seat);
    (void)mh_state_observe(game, state, seat, self->observation);
    if (self->asked == player) {
        (void)mh_state_mask(game, state, self->mask);
        viewer.to_act = seat;
        viewer.mask = self->mask;
    }
    return viewer;
}

static void add_words(struct table *self, const struct mh_viewer *viewer, int part, int number)
{
    words_add(&self->shared->words, self->terms.game, self->observation, viewer, part, number);
}

/* Without memory for the text there is none for the message. */
static void write_text(const struct words *words, struct wire_out *out)
{
    const char *text = words_text(words);
    if (text) {
        wire_text(out, text);
    } else {
        out->failed = 1;
    }
}

static void write_part(struct table *self, const struct mh_viewer *viewer, int part, struct wire_out *out)
{
    words_begin(&self->shared->words);
    add_words(self, viewer, part, 0);
    write_text(&self->shared->words, out);
}

void write_words(struct table *self, int player, struct wire_out *out)
{
    const struct mh_viewer viewer = viewer_of(self, player);
    write_part(self, &viewer, MH_WORDS_ALL, out);
}

void write_result(struct table *self, int player, struct wire_out *out)
{
    const struct mh_viewer viewer = viewer_of(self, player);
    write_part(self, &viewer, MH_WORDS_RESULT, out);
}

/* Looks at the table as spectators do. */
static struct mh_viewer watch(struct table *self)
{
    const void *state = table_public(self);
    (void)mh_state_watch(self->terms.game, state, self->observation);
    return view(self, state, -1);
}

void write_public_words(struct table *self, struct wire_out *out)
{
    const struct mh_viewer viewer = watch(self);
    write_part(self, &viewer, MH_WORDS_ALL, out);
}

void write_picture(struct table *self, int player, int form, int look, struct wire_out *out)
{
    const struct mh_game *game = self->terms.game;
    struct tables_shared *shared = self->shared;
    const struct mh_viewer viewer = player < 0 ? watch(self) : viewer_of(self, player);
    shared->scene = shared->scene ? shared->scene : malloc(sizeof *shared->scene);
    if (!shared->scene) {
        out->failed = 1;
        return;
    }
    (void)mh_picture(game, self->observation, game->sizes.observation, &viewer, form, shared->scene, NULL);
    words_begin(&shared->words);
    words_add_picture(&shared->words, game, shared->scene, look);
    write_text(&shared->words, out);
}

void write_event_words(struct table *self, int player, const uint8_t (*events)[4], size_t count,
                       struct wire_out *out)
{
    const struct mh_viewer viewer = {.seat = table_seat_of(self, player), .to_act = MH_NOT_KNOWN};
    wire_array(out, count);
    for (size_t i = 0; i < count; i++) {
        words_begin(&self->shared->words);
        words_add_event(&self->shared->words, self->terms.game, &viewer, events[i]);
        write_text(&self->shared->words, out);
    }
}

/* ---- Changes ------------------------------------------------------------------------------------------------ */

/* FNV-1a, which is never 0 in practice: that stands for a part that was not said. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    }
    return hash;
}

/* Adds a part unless it is as it was. What the question is stands in every text. */
static void add_change(struct table *self, const struct mh_viewer *viewer, int part, int number, uint64_t *said)
{
    struct words *words = &self->shared->words;
    const size_t before = words->length;
    add_words(self, viewer, part, number);
    if (words->failed) {
        return;
    }
    const uint64_t hash = hash_text(words->text + before);
    if (hash == *said && part != MH_WORDS_STATUS && part != MH_WORDS_MOVES) {
        words_cut(words, before);
    }
    *said = hash;
}

/* Adds the public events that were not said, as many as an observation has. */
static void add_events(struct table *self, const struct mh_viewer *viewer, struct given *given)
{
    const int64_t count = self->num_public - given->events;
    add_words(self, viewer, MH_WORDS_EVENTS, count < (int)MH_EVENT_TAIL ? (int)count : (int)MH_EVENT_TAIL);
    given->events = self->num_public;
}

void write_changes(struct table *self, int player, struct wire_out *out)
{
    const int seats = table_seats(self);
    const struct mh_viewer viewer = viewer_of(self, player);
    struct given *given = &self->players[player].given;
    words_begin(&self->shared->words);
    for (int part = MH_WORDS_HEADING; part <= MH_WORDS_MOVES; part++) {
        if (part == MH_WORDS_EVENTS) {
            add_events(self, &viewer, given);
        } else if (part != MH_WORDS_SEAT) {
            add_change(self, &viewer, part, 0, &given->parts[part - 1]);
        }
        for (int i = 0; part == MH_WORDS_SEAT && i < seats; i++) { /* clockwise from the player */
            const int seat = (viewer.seat + i) % seats;
            add_change(self, &viewer, part, seat, &given->parts[MH_WORDS_MOVES + seat]);
        }
    }
    write_text(&self->shared->words, out);
}
