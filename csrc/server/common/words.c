#include "words.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1024 /* bytes that are there before a text is written, enough for any message of the core */ };

void words_free(struct words *self)
{
    free(self->text);
    *self = (struct words){0};
}

void words_begin(struct words *self)
{
    self->failed = 0;
    words_cut(self, 0);
}

void words_cut(struct words *self, size_t length)
{
    self->length = length;
    if (self->text) {
        self->text[length] = '\0';
    }
}

const char *words_text(const struct words *self)
{
    if (self->failed) {
        return NULL;
    }
    return self->text ? self->text : "";
}

static void reserve(struct words *self, size_t length)
{
    const size_t needed = self->length + length + 1;
    if (self->failed || needed <= self->space) {
        return;
    }
    char *larger = realloc(self->text, needed + ROOM);
    if (!larger) {
        self->failed = 1;
        return;
    }
    self->text = larger;
    self->space = needed + ROOM;
}

/* One text to be added: a part of an observation, or an event, or a picture. */
struct saying {
    const struct mh_game *game;
    const struct mh_viewer *viewer;
    const uint8_t *observation;
    const uint8_t *event; /* NULL: it is a part, or a picture */
    int part, number;
    const struct mh_scene *scene; /* NULL: it is no picture */
    int look;                     /* -1: rows */
};

static int64_t write_words(const struct saying *saying, char *text, size_t size, char *message)
{
    const uint8_t *event = saying->event;
    if (saying->scene) {
        return saying->look < 0
                   ? mh_scene_rows(saying->game, saying->scene, text, (int64_t)size, message)
                   : mh_scene_svg(saying->game, saying->scene, saying->look, text, (int64_t)size, message);
    }
    if (event) {
        return mh_words_event(saying->game, saying->viewer, event[0] - 1, event[1], event[2], event[3], text,
                              (int64_t)size, message);
    }
    return mh_words(saying->game, saying->observation, saying->game->sizes.observation, saying->viewer,
                    saying->part, saying->number, text, (int64_t)size, message);
}

/* Most texts fit at once. What the core refuses is said in their place: a game's own observations never are. */
static void add_words(struct words *self, const struct saying *saying)
{
    char message[MH_MESSAGE_SIZE];
    reserve(self, ROOM);
    if (self->failed) {
        return;
    }
    const size_t room = self->space - self->length;
    int64_t length = write_words(saying, self->text + self->length, room, message);
    if (length < 0) {
        length = (int64_t)strlen(message);
        memcpy(self->text + self->length, message, (size_t)length + 1);
    } else if ((size_t)length >= room) {
        reserve(self, (size_t)length);
        length = self->failed ? 0 : write_words(saying, self->text + self->length, (size_t)length + 1, message);
    }
    self->length += (size_t)length;
}

void words_add(struct words *self, const struct mh_game *game, const uint8_t *observation,
               const struct mh_viewer *viewer, int part, int number)
{
    const struct saying saying = {
        .game = game, .viewer = viewer, .observation = observation, .part = part, .number = number};
    add_words(self, &saying);
}

void words_add_event(struct words *self, const struct mh_game *game, const struct mh_viewer *viewer,
                     const uint8_t event[4])
{
    const struct saying saying = {.game = game, .viewer = viewer, .event = event};
    add_words(self, &saying);
}

void words_add_picture(struct words *self, const struct mh_game *game, const struct mh_scene *scene, int look)
{
    const struct saying saying = {.game = game, .scene = scene, .look = look};
    add_words(self, &saying);
}
