/* Words of General Mhing from bytes that come from outside: said or refused, and read within their bounds, as
 * sanitizers see. Nothing that play leads to is refused. */
#include <string.h>

#include "check.h"
#include "general_mhing.h"

enum { TEXT = 16384 };

/* A viewer's arrays, each in a separate block of memory, and the highest value of each byte. */
struct seen {
    struct mh_game *game;
    struct mh_sizes sizes;
    struct general_state *state;
    uint8_t *observation, *omniscient, *high, *hidden_high;
    int64_t *info;
    char *text;
};

enum target { OBSERVATION, INFO, OMNISCIENT, TARGETS };

/* The numbers of texts tried from data damaged in so many ways, and of texts said. */
struct counts {
    int64_t real, tried[TARGETS], said[TARGETS];
};

static void set_highs(const struct mh_field *fields, int count, int seats, int seat_offset, int stride,
                      int hint_offset, uint8_t *high)
{
    for (int i = 0; i < count; i++) {
        const struct mh_field *field = &fields[i];
        const int is_of_seats = field->group == MH_GROUP_SEAT;
        const int first = is_of_seats ? seat_offset : field->group == MH_GROUP_HINT ? hint_offset : 0;
        for (int block = 0; first >= 0 && block < (is_of_seats ? seats : 1); block++) {
            memset(high + first + block * stride + field->offset, field->high, (size_t)field->count);
        }
    }
}

static struct seen open_game(const char *options)
{
    char message[MH_MESSAGE_SIZE];
    struct seen self = {.text = check_memory(TEXT)};
    CHECK_EQUAL(mh_game_new("general_mhing", options, message, &self.game), MH_OK);
    CHECK_EQUAL(mh_game_sizes(self.game, &self.sizes), MH_OK);
    const struct mh_spec *spec = self.game->rules->spec;
    const struct mh_layout *layout = &self.game->layout;
    self.state = check_memory((size_t)self.sizes.state);
    self.observation = check_memory((size_t)self.sizes.observation);
    self.high = check_memory((size_t)self.sizes.observation);
    self.omniscient = check_memory((size_t)self.sizes.omniscient);
    self.hidden_high = check_memory((size_t)self.sizes.omniscient);
    self.info = check_memory((size_t)self.sizes.info * sizeof *self.info);
    set_highs(spec->fields, spec->num_fields, self.sizes.seats, layout->seat_offset, layout->seat_stride,
              layout->hint_offset, self.high);
    set_highs(spec->hidden, spec->num_hidden, self.sizes.seats, layout->hidden_seat_offset,
              layout->hidden_seat_stride, -1, self.hidden_high);
    return self;
}

static void close_game(struct seen *self)
{
    free(self->state);
    free(self->observation);
    free(self->high);
    free(self->omniscient);
    free(self->hidden_high);
    free(self->info);
    free(self->text);
    mh_game_free(&self->game);
}

/* ---- Texts ------------------------------------------------------------------------------------------------ */

/* True if the words are said; those refused have a message. */
static int is_said(struct seen *self, int seat, int with_info, int with_hidden, char *message)
{
    const struct mh_viewer viewer = {.seat = seat,
                                     .to_act = MH_NOT_KNOWN,
                                     .info = with_info ? self->info : NULL,
                                     .omniscient = with_hidden ? self->omniscient : NULL};
    message[0] = '\0';
    const int64_t length = mh_words(self->game, self->observation, self->sizes.observation, &viewer, MH_WORDS_ALL,
                                    0, self->text, TEXT, message);
    if (length < 0) {
        CHECK_EQUAL(length, MH_ERROR_ARGUMENT);
        CHECK(message[0]);
        return 0;
    }
    CHECK(length > 0 && length < TEXT);
    CHECK_EQUAL(strlen(self->text), length);
    for (const char *at = self->text; *at; at++) {
        CHECK(*at == '\n' || (*at >= ' ' && *at <= '~'));
    }
    return 1;
}

static void look(struct seen *self, int seat)
{
    CHECK_EQUAL(seat < 0 ? mh_state_watch(self->game, self->state, self->observation)
                         : mh_state_observe(self->game, self->state, seat, self->observation),
                MH_OK);
    CHECK_EQUAL(mh_state_info(self->game, self->state, self->info), MH_OK);
    CHECK_EQUAL(mh_state_omniscient(self->game, self->state, self->omniscient), MH_OK);
}

static void check_real(struct seen *self, int seat, struct counts *counts)
{
    for (int with = 0; with < 4; with++) {
        char message[MH_MESSAGE_SIZE];
        if (!is_said(self, seat, with & 1, with & 2, message)) {
            fprintf(stderr, "seat %d: %s\n", seat, message);
            exit(1);
        }
        counts->real++;
    }
}

/* ---- Damage ----------------------------------------------------------------------------------------------- */

enum damage {
    FEW, /* three, within what each can be */
    ALL, /* all, likewise */
    ANY, /* all, whatever they become */
    DAMAGES
};

static void damage_bytes(enum damage damage, uint8_t *bytes, const uint8_t *high, int count, struct mh_rng *rng)
{
    for (int i = 0; i < (damage == FEW ? 3 : count); i++) {
        const int at = damage == FEW ? (int)mh_rng_below(rng, (uint32_t)count) : i;
        bytes[at] = (uint8_t)mh_rng_below(rng, damage == ANY ? 256 : high[at] + 1u);
    }
}

/* Numbers near those that can be, and now and then the largest and the smallest ones. */
static void damage_info(enum damage damage, int64_t *info, int count, struct mh_rng *rng)
{
    for (int i = 0; i < (damage == FEW ? 3 : count); i++) {
        const int at = damage == FEW ? (int)mh_rng_below(rng, (uint32_t)count) : i;
        const int64_t number = (int64_t)mh_rng_below(rng, 8) - 2;
        const int64_t far = number % 2 ? INT64_MAX : INT64_MIN;
        info[at] = damage == ANY ? (int64_t)mh_rng_next(rng) : mh_rng_below(rng, 8) ? number : far;
    }
}

static void check_damaged(struct seen *self, int seat, struct mh_rng *rng, struct counts *counts)
{
    for (int i = 0; i < DAMAGES * TARGETS; i++) {
        const int damage = i % DAMAGES;
        const int target = i / DAMAGES;
        char message[MH_MESSAGE_SIZE];
        look(self, seat);
        if (target == OBSERVATION) {
            damage_bytes(damage, self->observation, self->high, self->sizes.observation, rng);
        } else if (target == INFO) {
            damage_info(damage, self->info, self->sizes.info, rng);
        } else {
            damage_bytes(damage, self->omniscient, self->hidden_high, self->sizes.omniscient, rng);
        }
        const int with_info = target == INFO || mh_rng_below(rng, 2);
        const int with_hidden = target == OMNISCIENT || mh_rng_below(rng, 2);
        const int said = is_said(self, seat, with_info, with_hidden, message);
        counts->tried[target] += damage == FEW;
        counts->said[target] += said && damage == FEW;
    }
}

/* ---- Play ------------------------------------------------------------------------------------------------- */

static void step(struct seen *self, int bot, uint64_t *random)
{
    char message[MH_MESSAGE_SIZE];
    int action;
    if (mh_state_seat(self->state) == MH_BETWEEN_ROUNDS) {
        CHECK_EQUAL(mh_state_next_round(self->game, self->state, message), MH_OK);
        return;
    }
    CHECK_EQUAL(mh_state_bot_action(self->game, self->state, bot, random, &action), MH_OK);
    CHECK_EQUAL(mh_state_apply_only(self->game, self->state, action, message), MH_OK);
}

static void play(struct seen *self, uint64_t seed, struct counts *counts)
{
    struct mh_rng rng = mh_rng_stream(seed, 'w');
    uint64_t random = seed;
    char message[MH_MESSAGE_SIZE];
    CHECK_EQUAL(mh_state_reset(self->game, self->state, seed, message), MH_OK);
    for (int decision = 0; decision < 300; decision++) {
        for (int seat = -1; seat < self->sizes.seats; seat++) {
            look(self, seat);
            check_real(self, seat, counts);
            check_damaged(self, seat, &rng, counts);
        }
        if (mh_state_seat(self->state) == MH_OVER) {
            break;
        }
        step(self, (int)(seed % 2), &random);
    }
}

int main(void)
{
    static const char *const games[] = {
        "",
        "num_players=3 episode=game target=3 hints=on",
        "num_players=3 episode=game rounds=0 turn_limit=65535 offer=top",
        "num_players=2 episode=game target=0 rounds=2 turn_limit=9 hints=on",
    };
    struct counts counts = {0};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct seen seen = open_game(games[i]);
        for (uint64_t seed = 0; seed < 4; seed++) {
            play(&seen, seed, &counts);
        }
        close_game(&seen);
    }
    CHECK(counts.real > 20000);
    for (int target = 0; target < TARGETS; target++) { /* a check that refuses everything is none */
        printf("%lld of %lld said\n", (long long)counts.said[target], (long long)counts.tried[target]);
        CHECK(counts.said[target] > counts.tried[target] / 20);
    }
    return 0;
}
