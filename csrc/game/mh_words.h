/* Words for people and language models: what a viewer sees of a table, said in sentences. Games bring them (C49), and
 * use the writers of this page: what a seat is called, and what it does, is said here alone. */
#ifndef MH_WORDS_H
#define MH_WORDS_H

#include "base/mh_text.h"
#include "mh.h"

struct mh_game;

/* A table as words and pictures are made from it: an observation that has been checked, and what was given beside
 * it. */
struct mh_shown {
    const struct mh_game *game;
    const struct mh_viewer *viewer;
    const int32_t *options;
    const uint8_t *observation;
    int32_t seats;
    int32_t observer;    /* the seat from which the observation counts: the viewer's, or 0 for a spectator */
    int32_t seat_offset; /* of the blocks of the seats in the observation, */
    int32_t seat_stride; /* and the length of one */
    char names[MH_MAX_SEATS][MH_NAME_SIZE];
};

/* Names as they are shown, by seat: see mh_names. */
void mh_names_clean(const char *const *names, int seats, char (*out)[MH_NAME_SIZE]);

/* Names the seats, all differently: with the names that the viewer gave, cleaned and cut, or by their numbers. */
void mh_shown_name(struct mh_shown *self);

/* Refuses what is shown with a message; returns MH_ERROR_ARGUMENT. */
int mh_shown_refuse(char *message, const char *what);

/* A field of an observation that is a seat plus one, or where `lowest` is 0 may be none. */
struct mh_shown_field {
    const char *name;
    int value, lowest;
};

/* Refuses an observation in which one of these is no seat of the table. */
int mh_shown_check_seats(const struct mh_shown *self, const struct mh_shown_field *fields, int count,
                         char *message);

/* An absolute seat from one that an observation has: clockwise from the observer, plus one. */
static inline int mh_shown_seat(const struct mh_shown *self, int relative)
{
    return (self->observer + relative - 1) % self->seats;
}

/* The block of an absolute seat. */
static inline const void *mh_shown_block(const struct mh_shown *self, int seat)
{
    const int place = (seat - self->observer + self->seats) % self->seats;
    return self->observation + self->seat_offset + place * self->seat_stride;
}

/* A number of several bytes in an observation, the low one first. */
static inline int64_t mh_shown_number(const uint8_t *bytes, int count)
{
    int64_t number = 0;
    for (int i = count - 1; i >= 0; i--) {
        number = number << 8 | bytes[i];
    }
    return number;
}

/* The sentences about a table, in `text`, and the viewer to whom they speak. */
struct mh_words {
    struct mh_text text;
    const struct mh_shown *shown;
};

void mh_words_put(struct mh_words *self, const char *text);
void mh_words_number(struct mh_words *self, int64_t number);

/* "1 card", "2,048 cards". */
void mh_words_count(struct mh_words *self, int64_t number, const char *noun);

/* True of the seat to whom the sentences speak. */
int mh_words_is_you(const struct mh_words *self, int seat);

/* The name of a seat within a sentence: "you", "seat 2", or a name. At its beginning: "You", "Seat 2". */
void mh_words_seat(struct mh_words *self, int seat);
void mh_words_subject(struct mh_words *self, int seat);

/* A seat at the beginning of a sentence and its verb, given for "you" and for others: "You discard ", "Seat 2 discards
 * ". */
void mh_words_does(struct mh_words *self, int seat, const char *you, const char *others);

/* "a discard of yours", "a discard of seat 2". */
void mh_words_of(struct mh_words *self, const char *what, int seat);

/* "You win it ", "Seat 2 wins it "; of several: "Seat 0, seat 2 and you share the win ". */
void mh_words_winners(struct mh_words *self, const int *seats, int count);

/* Sentences of games whose discards become a new draw pile: " 3 cards were not in the last shuffle.", kept by a hand
 * since, unless there are none; and "The draw pile has 12 cards, after 1 shuffle of the discards." */
void mh_words_old_cards(struct mh_words *self, int64_t cards);
void mh_words_draw_pile(struct mh_words *self, int64_t cards, int64_t shuffles);

/* Names the reader's seat, " You are seat 2.", unless nobody reads or its name is "you". */
void mh_words_viewer(struct mh_words *self);

#endif
