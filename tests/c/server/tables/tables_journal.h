/* Tables with files: folders for their journal and their records, and a series with all that can happen in it, whose
 * process is killed as often as a test wants. */
#ifndef TABLES_JOURNAL_H
#define TABLES_JOURNAL_H

#include <dirent.h>
#include <unistd.h>

#include "common/files.h"
#include "tables_room.h"

enum { CLOCK = 1000, PAUSE = 1, MAX_PAUSES = 500, THINKING = 10, TURNS = 4000, MANY = 4000 /* files */ };

/* ---- Folders ---------------------------------------------------------------------------------------------------- */

static inline void folder_make(char path[FILES_PATH])
{
    (void)snprintf(path, FILES_PATH, "%s/mhing-tables-XXXXXX", P_tmpdir);
    CHECK(mkdtemp(path));
}

/* Names of the files in a folder, in order. Returns how many there are. */
static inline int folder_list(const char *folder, char names[][FILES_PATH], int most)
{
    struct dirent **entries;
    int count = 0;
    const int found = scandir(folder, &entries, NULL, alphasort);
    CHECK(found >= 0);
    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.') {
            CHECK(count < most && files_path(folder, entries[i]->d_name, names[count]) == 0);
            count++;
        }
        free(entries[i]);
    }
    free((void *)entries);
    return count;
}

static inline void folder_remove(const char *folder)
{
    static char names[MANY][FILES_PATH];
    const int count = folder_list(folder, names, MANY);
    for (int i = 0; i < count; i++) {
        CHECK(remove(names[i]) == 0);
    }
    CHECK(rmdir(folder) == 0);
}

static inline char *file_text(const char *path)
{
    unsigned char *bytes;
    size_t size;
    CHECK(files_read(path, &bytes, &size) == 0);
    char *text = check_memory(size + 1);
    memcpy(text, bytes, size);
    free(bytes);
    return text;
}

/* ---- A series with all that can happen ------------------------------------------------------------------------ */

/* The questions to two players, by their numbers and those of the turns: the bytes that they saw. */
struct series {
    struct room room;
    char sit[256]; /* the first player's terms */
    struct {
        unsigned char *bytes;
        size_t size;
    } seen[3][TURNS];
    int64_t last[3];
    int away[3];
    int answers, kill_every; /* 0: never */
    struct letter over;      /* the last `end` that player 1 got */
};

/* The parts of a turn that a player sees, `left` not among them. The same question may come twice. */
static inline void series_note_turn(struct series *self, int player, const msgpack_object *turn)
{
    msgpack_sbuffer buffer;
    msgpack_packer packer;
    const int64_t number = object_int(object_item(turn, 1));
    CHECK(number > 0 && number < TURNS);
    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    for (uint32_t i = 3; i < 6; i++) {
        msgpack_pack_object(&packer, *object_item(turn, i));
    }
    if (number == self->last[player]) {
        CHECK_EQUAL(self->seen[player][number].size, buffer.size);
        CHECK(memcmp(self->seen[player][number].bytes, buffer.data, buffer.size) == 0);
    } else {
        CHECK_EQUAL(number, self->last[player] + 1);
        self->last[player] = number;
        self->seen[player][number].bytes = check_memory(buffer.size);
        memcpy(self->seen[player][number].bytes, buffer.data, buffer.size);
        self->seen[player][number].size = buffer.size;
    }
    msgpack_sbuffer_destroy(&buffer);
}

/* Reads what was said. Returns the player whose question is open, 0 when the series is over. */
static inline int series_hear(struct series *self, const msgpack_object **turn)
{
    int asked = 0;
    for (int player = 1; player <= 2; player++) {
        const msgpack_object *message;
        while ((message = room_next(&self->room, player)) != NULL) {
            if (object_is(object_item(message, 0), "turn")) {
                series_note_turn(self, player, message);
                self->away[player] = 0;
                asked = player;
                *turn = message;
            } else if (object_is(object_item(message, 0), "away")) {
                self->away[player] = 1;
            } else if (object_is(object_item(message, 0), "end") && player == 1 &&
                       true_at(object_item(message, 2), "over")) {
                letter_drop(&self->over);
                self->over = letter_of(1, self->room.letters[self->room.read[1] - 1].message);
                asked = 0;
            }
        }
    }
    return asked;
}

/* Answers well, badly, or not at all, as the turn's number says. */
static inline void series_answer(struct series *self, int player, const msgpack_object *turn)
{
    const int64_t number = object_int(object_item(turn, 1));
    const int other = 3 - player;
    struct mh_rng random = {(uint64_t)(1000 * number + player)};
    self->room.now += THINKING;
    if (number % 20 >= 17) {
        self->room.now += CLOCK;
        (void)tables_tick(self->room.tables, self->room.now);
    } else if (number % 20 == 8) {
        room_act(&self->room, player, number, -5);
    } else {
        room_act(&self->room, player, number, room_choose(turn, &random));
    }
    if (self->away[other] && number % 5 == 0) {
        room_done(&self->room, other, "back", "[]");
        self->away[other] = 0;
    }
}

/* The process is gone, and comes again. */
static inline void series_kill(struct series *self)
{
    const msgpack_object *turn;
    (void)series_hear(self, &turn);
    tables_free(&self->room.tables);
    room_forget(&self->room);
    room_open(&self->room);
    for (int player = 1; player <= 2; player++) {
        if (!self->away[player]) {
            room_hello(&self->room, player);
        }
    }
}

static inline struct series *series_new(const char *terms, int kill_every, char state[FILES_PATH],
                                        char records[FILES_PATH])
{
    struct series *self = check_memory(sizeof *self);
    (void)snprintf(self->sit, sizeof self->sit, "[{'table':'t','clock':%d,%s%s}]", CLOCK, terms,
                   strstr(terms, "'pause'") ? "" : ",'pause':0");
    self->kill_every = kill_every;
    folder_make(state);
    folder_make(records);
    self->room.options.state = state;
    self->room.options.records = records;
    return self;
}

static inline void series_play(struct series *self)
{
    int somebody_away = 0;
    self->room.now = 10000000; /* the machine has been up for hours */
    room_open(&self->room);
    room_done(&self->room, 1, "sit", self->sit);
    room_done(&self->room, 2, "sit", "[{'table':'t'}]");
    while (!self->over.message) {
        const msgpack_object *turn = NULL;
        (void)room_settle(&self->room);
        int player = series_hear(self, &turn);
        for (int i = 0; i < MAX_PAUSES && !player && !self->over.message; i++) { /* bots, each with a pause */
            self->room.now += PAUSE;
            (void)room_settle(&self->room);
            player = series_hear(self, &turn);
        }
        if (!player && !self->over.message) { /* asked, or told the end, before they were back */
            room_hello(&self->room, 1);
            room_hello(&self->room, 2);
        } else if (player) {
            series_answer(self, player, turn);
            self->answers++;
            if (self->kill_every && self->answers % self->kill_every == 0) {
                series_kill(self);
            }
        }
        somebody_away += self->away[1] || self->away[2];
    }
    (void)room_settle(&self->room); /* who was killed after the end plays the last game's bots once more */
    CHECK(somebody_away > 0);
}

static inline void series_close(struct series *self)
{
    for (int player = 1; player <= 2; player++) {
        for (int i = 0; i < TURNS; i++) {
            free(self->seen[player][i].bytes);
        }
    }
    letter_drop(&self->over);
    folder_remove(self->room.options.state);
    folder_remove(self->room.options.records);
    room_close(&self->room);
    free(self);
}

#endif
