/* A view of a table by the rows of its game alone: each field with its bytes, and what these stand for, which is
 * read from the row's meaning (C4). Words and pictures of games that bring none are made of it. */
#ifndef MH_SHOWN_FIELDS_H
#define MH_SHOWN_FIELDS_H

#include "mh_game.h"

enum mh_reading_kind {
    MH_READ_PLAIN,
    MH_READ_SEATS, /* seats plus one, 0 for none */
    MH_READ_NAMED, /* labels plus one, 0 for none */
    MH_READ_COUNTS /* of each label */
};

/* The meaning of a field's numbers. */
struct mh_reading {
    enum mh_reading_kind kind;
    int is_number; /* its bytes are one number, the low one first */
    const struct mh_labels *labels;
};

/* A field, without the zeros after its last other number. */
struct mh_shown_value {
    const struct mh_field *field;
    const uint8_t *bytes;
    int count;
    int first_seat; /* from which seats are counted */
    struct mh_reading reading;
};

/* Finds the next field that is shown with a seat, or with no seat (-1), and has something to say; what is hidden comes
 * last. Begins with *place 0; returns 0 where there are no more. Events and whose turn it is are not among them. */
int mh_shown_next(const struct mh_shown *shown, int seat, int *place, struct mh_shown_value *value);

/* The field that says whose turn it is; NULL: none does. And the seat on turn; -1: nobody, or it is not shown. */
const struct mh_field *mh_shown_turn_field(const struct mh_spec *spec);
int mh_shown_on_turn(const struct mh_shown *shown);

/* The public number of a role; NULL: there is none, or it was not given. */
const int64_t *mh_shown_role(const struct mh_shown *shown, enum mh_role role);

/* The labels called `word` and "s", NULL: none. */
const struct mh_labels *mh_labels_of(const struct mh_spec *spec, const char *word, size_t length);

/* The largest value that a field can have: seats are no more than sit at the table. All else can be said as a
 * number. */
int mh_shown_high(const struct mh_game *game, const struct mh_field *field);

#endif
