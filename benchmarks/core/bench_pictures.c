/* Speed of pictures: how many of a table the core draws, writes as SVG and paints in a second. CPU time of this
 * process, the median of the rounds; pin it to a core for steady numbers:
 *
 *     taskset -c 0 build/release/benchmarks/bench_pictures [seconds for each line, default 1]
 *
 * The table has tabs between its cells, so that benchmarks/report.py can read it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mh.h"

enum { ROUNDS = 5, DECISIONS = 60, FORMS = 2 };

/* A task that is repeated, and the memory for it. */
struct table {
    struct mh_game *game;
    uint8_t *observation, *pixels;
    struct mh_sizes sizes;
    struct mh_scene scene;
    char text[1 << 18];
    int form;
};

static void stop(const char *what)
{
    fprintf(stderr, "bench_pictures: %s\n", what);
    exit(1);
}

static void *memory(size_t size)
{
    void *found = calloc(1, size);
    if (!found) {
        stop("no memory");
    }
    return found;
}

/* A table after some decisions of the default bot. */
static void sit_down(struct table *self, const char *id)
{
    char message[MH_MESSAGE_SIZE] = "";
    if (mh_game_new(id, "", message, &self->game) != MH_OK) {
        stop(message);
    }
    mh_game_sizes(self->game, &self->sizes);
    void *state = memory((size_t)self->sizes.state);
    self->observation = memory((size_t)self->sizes.observation);
    self->pixels = memory((size_t)960 * 720 * 3);
    uint64_t random = 1;
    mh_state_reset(self->game, state, 1, message);
    for (int i = 0; i < DECISIONS && mh_state_seat(state) >= 0; i++) {
        int action;
        mh_state_bot_action(self->game, state, 0, &random, &action);
        mh_state_apply(self->game, state, action, message);
    }
    mh_state_observe(self->game, state, 0, self->observation);
    free(state);
}

static void leave(struct table *self)
{
    free(self->observation);
    free(self->pixels);
    mh_game_free(&self->game);
}

static int64_t draw(struct table *self)
{
    const struct mh_viewer viewer = {.seat = 0, .to_act = MH_NOT_KNOWN};
    return mh_picture(self->game, self->observation, self->sizes.observation, &viewer, self->form, &self->scene,
                      NULL);
}

static int64_t write_svg(struct table *self)
{
    return mh_scene_svg(self->game, &self->scene, MH_LOOK_FELT, self->text, sizeof self->text, NULL);
}

static int64_t paint(struct table *self)
{
    return mh_scene_pixels(self->game, &self->scene, MH_LOOK_FELT, 1, self->pixels, 960 * 720 * 3, NULL);
}

static int compare(const void *left, const void *right)
{
    const double one = *(const double *)left;
    const double other = *(const double *)right;
    return (one > other) - (one < other);
}

/* Repetitions of a task a second. */
static double rate(struct table *self, int64_t (*work)(struct table *), double seconds)
{
    double rates[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const clock_t begin = clock();
        double spent = 0;
        long times = 0;
        for (; spent < seconds / ROUNDS; times++) {
            if (work(self) < 0) {
                stop("a picture is refused");
            }
            spent = (double)(clock() - begin) / CLOCKS_PER_SEC;
        }
        rates[round] = (double)times / spent;
    }
    qsort(rates, ROUNDS, sizeof *rates, compare);
    return rates[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    static const char *const forms[FORMS] = {"960 x 720", "360 x 640"};
    static struct table table;
    const double seconds = argc > 1 ? atof(argv[1]) : 1;
    if (argc > 2 || !(seconds > 0)) {
        stop("usage: bench_pictures [SECONDS for each line]");
    }
    printf("%-26s\t   drawn\t  as SVG\tas pixels\n", "pictures a second");
    for (int i = 0; i < mh_game_count(); i++) {
        sit_down(&table, mh_game_id(i));
        for (table.form = MH_WIDE; table.form < FORMS; table.form++) {
            const double drawn = rate(&table, draw, seconds);
            const double written = rate(&table, write_svg, seconds);
            char label[64];
            snprintf(label, sizeof label, "%s, %s", mh_game_id(i), forms[table.form]);
            printf("%-26s\t%8.0f\t%8.0f\t%9.0f\n", label, drawn, written, rate(&table, paint, seconds));
            fflush(stdout);
        }
        leave(&table);
    }
    printf("%-26s\t\t%8d\t%9d\n", "goal for mhing, 960 x 720", 20000, 200);
    return 0;
}
