/* The sentences to players and spectators of a table: the words of the observation that they would get as bytes at
 * the same moment. Three rooms play the same game: with bytes, with words, and with the words of what has changed. */
#include "tables/lobby.h"
#include "tables_room.h"

enum { BYTES, WORDS, CHANGES, ROOMS, LOOK = 7 /* with changes everybody looks after so many steps */ };

/* The texts to a player in this game, by part, until its next text is whole. */
struct memory {
    char *parts[TABLE_PARTS];
    int64_t events;
};

struct trio {
    struct room rooms[ROOMS];
    struct table *tables[ROOMS];
    const struct mh_game *game;
    int seats;
    int64_t info[MH_MAX_SEATS * 64]; /* the public numbers, as the room with bytes tells them */
    struct memory memory[MH_MAX_SEATS];
    int64_t events;         /* so far */
    int64_t whole, changed; /* bytes of questions' texts of either kind */
    int read[ROOMS];        /* letters that check_news has looked at */
    int steps, rounds, ends, states, secrets;
};

/* ---- Expected sentences ----------------------------------------------------------------------------------------- */

static char *say(const struct trio *self, const void *observation, const struct mh_viewer *viewer, int part,
                 int number)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int64_t bytes = self->game->sizes.observation;
    const int64_t length = mh_words(self->game, observation, bytes, viewer, part, number, NULL, 0, message);
    if (length < 0) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    char *text = check_memory((size_t)length + 1);
    CHECK_EQUAL(mh_words(self->game, observation, bytes, viewer, part, number, text, length + 1, NULL), length);
    return text;
}

/* The text is taken over. */
static void check_text(const msgpack_object *said, char *wanted)
{
    if (!object_is(said, wanted)) {
        fprintf(stderr, "this was to be said:\n%s\nand this was:\n", wanted);
        msgpack_object_print(stderr, *said);
        exit(1);
    }
    free(wanted);
}

/* A player that is not asked knows no more than the observation says, except that the game is over. */
static struct mh_viewer viewer_of(const struct trio *self, int seat, const int8_t *mask)
{
    const int to_act = mh_state_seat(self->tables[BYTES]->state);
    return (struct mh_viewer){.seat = seat,
                              .to_act = to_act < 0 ? to_act
                                        : mask     ? seat
                                                   : MH_NOT_KNOWN,
                              .info = self->info,
                              .mask = mask};
}

static void read_info(struct trio *self, const msgpack_object *numbers)
{
    const struct mh_spec *spec = self->game->rules->spec;
    memset(self->info, 0, sizeof self->info);
    for (int i = 0; i < spec->num_info; i++) {
        const struct mh_info_field *row = &spec->info[i];
        const msgpack_object *value = object_key(numbers, row->name);
        const int count = row->count == 1 ? 1 : (int)value->via.array.size;
        for (int k = 0; k < count; k++) {
            self->info[row->offset + k] = object_int(row->count == 1 ? value : object_item(value, (uint32_t)k));
        }
    }
}

static const char *bytes_of(const msgpack_object *bin)
{
    CHECK_EQUAL(bin->type, MSGPACK_OBJECT_BIN);
    return bin->via.bin.ptr;
}

static void forget(struct memory *self)
{
    for (int i = 0; i < TABLE_PARTS; i++) {
        free(self->parts[i]);
    }
    *self = (struct memory){0};
}

/* Takes a part over, and adds it to the text if it is not as it was told. */
static void tell(char **text, char **told, char *part, int always)
{
    if (always || !*told || strcmp(*told, part) != 0) {
        const size_t length = strlen(*text);
        char *longer = realloc(*text, length + strlen(part) + 1);
        CHECK(longer);
        memcpy(longer + length, part, strlen(part) + 1);
        *text = longer;
    }
    free(*told);
    *told = part;
}

/* Writes the changes for a player since its last text. */
static char *say_changes(struct trio *self, const void *observation, const struct mh_viewer *viewer)
{
    struct memory *memory = &self->memory[viewer->seat];
    const int64_t events = self->events - memory->events;
    char *none = NULL;
    char *text = check_memory(1);
    *text = '\0';
    for (int part = MH_WORDS_HEADING; part <= MH_WORDS_MOVES; part++) {
        for (int i = 0; i < (part == MH_WORDS_SEAT ? self->seats : 1); i++) {
            const int seat = (viewer->seat + i) % self->seats;
            const int most = events < MH_EVENT_TAIL ? (int)events : MH_EVENT_TAIL;
            const int number = part == MH_WORDS_SEAT ? seat : part == MH_WORDS_EVENTS ? most : 0;
            char **told = part == MH_WORDS_EVENTS ? &none
                          : part == MH_WORDS_SEAT ? &memory->parts[MH_WORDS_MOVES + seat]
                                                  : &memory->parts[part - 1];
            tell(&text, told, say(self, observation, viewer, part, number),
                 part == MH_WORDS_STATUS || part == MH_WORDS_MOVES);
        }
    }
    free(none);
    memory->events = self->events;
    return text;
}

/* ---- Received sentences ----------------------------------------------------------------------------------------- */

static int64_t turn_of(const msgpack_object *turn)
{
    return object_int(object_item(turn, 1));
}

static const msgpack_object *await_turn(struct room *room, int player, int64_t number)
{
    const msgpack_object *turn;
    do {
        turn = room_await(room, player + 1, "turn");
    } while (turn_of(turn) != number);
    return turn;
}

static void check_events(const struct trio *self, const msgpack_object *said, const msgpack_object *events,
                         int seat)
{
    const struct mh_viewer viewer = {.seat = seat, .to_act = MH_NOT_KNOWN};
    CHECK_EQUAL(said->via.array.size, events->via.array.size);
    for (uint32_t i = 0; i < events->via.array.size; i++) {
        const msgpack_object *event = object_item(events, i);
        char text[256];
        const int64_t length =
            mh_words_event(self->game, &viewer, (int)(object_int(object_item(event, 0)) - 1 + seat) % self->seats,
                           (int)object_int(object_item(event, 1)), (int)object_int(object_item(event, 2)),
                           (int)object_int(object_item(event, 3)), text, sizeof text, NULL);
        CHECK(length > 0 && length < (int64_t)sizeof text);
        CHECK(object_is(object_item(said, i), text));
    }
}

static void check_turn(struct trio *self, int player)
{
    const int64_t number = self->tables[BYTES]->players[player].turn;
    const msgpack_object *bytes = await_turn(&self->rooms[BYTES], player, number);
    const msgpack_object *mask = object_item(bytes, 4);
    const struct mh_viewer viewer = viewer_of(self, player, (const int8_t *)bytes_of(mask));
    const char *observation = bytes_of(object_item(bytes, 3));
    for (int i = WORDS; i < ROOMS; i++) {
        const msgpack_object *turn = await_turn(&self->rooms[i], player, number);
        const msgpack_object *said = object_item(turn, 3);
        const int is_whole = i == WORDS || !self->memory[player].parts[0];
        char *changes = i == WORDS ? NULL : say_changes(self, observation, &viewer);
        CHECK_EQUAL(turn->via.array.size, 6);
        CHECK(memcmp(bytes_of(object_item(turn, 4)), bytes_of(mask), mask->via.bin.size) == 0);
        check_events(self, object_item(turn, 5), object_item(bytes, 5), player);
        if (is_whole) {
            check_text(said, say(self, observation, &viewer, MH_WORDS_ALL, 0));
            free(changes);
        } else {
            check_text(said, changes);
        }
        *(i == WORDS ? &self->whole : &self->changed) += said->via.str.size;
    }
}

/* Everybody looks. With changes only now and then, since a client that has looked is told everything again. */
static void check_back(struct trio *self, int player)
{
    const struct table *table = self->tables[BYTES];
    room_done(&self->rooms[BYTES], player + 1, "back", "[]");
    const msgpack_object *bytes = room_reply(&self->rooms[BYTES]);
    int8_t *mask = check_memory((size_t)self->game->sizes.actions);
    CHECK_EQUAL(mh_state_mask(self->game, table->state, mask), MH_OK);
    read_info(self, object_key(bytes, "numbers"));
    const struct mh_viewer viewer = viewer_of(self, player, table->asked == player ? mask : NULL);
    const char *observation = bytes_of(object_key(bytes, "observation"));
    for (int i = WORDS; i < ROOMS; i++) {
        if (i == WORDS || self->steps % LOOK == 0) {
            room_done(&self->rooms[i], player + 1, "back", "[]");
            check_text(object_key(room_reply(&self->rooms[i]), "observation"),
                       say(self, observation, &viewer, MH_WORDS_ALL, 0));
        }
    }
    if (self->steps % LOOK == 0) {
        forget(&self->memory[player]);
    }
    free(mask);
}

/* A round has ended: the numbers that all get are followed by a sentence for who reads words. */
static void check_round(struct trio *self, int room, const struct letter *letter)
{
    const int player = letter->to - 1;
    const msgpack_object *round = &letter->unpacked.data;
    const struct table *table = self->tables[BYTES];
    CHECK_EQUAL(round->via.array.size, room == BYTES ? 3 : 4);
    if (room != BYTES) {
        const struct mh_viewer viewer = viewer_of(self, player, NULL);
        uint8_t *observation = check_memory((size_t)self->game->sizes.observation);
        read_info(self, object_item(round, 2));
        CHECK_EQUAL(mh_state_observe(self->game, table->state, player, observation), MH_OK);
        check_text(object_item(round, 3), say(self, observation, &viewer, MH_WORDS_RESULT, 0));
        free(observation);
        self->rounds++;
    }
}

static void check_state(struct trio *self, const msgpack_object *state)
{
    const struct mh_viewer viewer = {
        .seat = -1, .to_act = self->tables[BYTES]->begun ? MH_NOT_KNOWN : MH_OVER, .info = self->info};
    read_info(self, object_key(state, "numbers"));
    check_text(object_key(state, "words"),
               say(self, bytes_of(object_key(state, "observation")), &viewer, MH_WORDS_ALL, 0));
    self->states++;
}

/* The same `end` to all, but for its events. */
static void check_end(struct trio *self, int room, const struct letter *letter)
{
    if (room != BYTES) {
        const msgpack_object *end = object_item(&letter->unpacked.data, 2);
        const msgpack_object *bytes = object_item(room_await(&self->rooms[BYTES], letter->to, "end"), 2);
        self->rooms[BYTES].read[letter->to] = 0;
        check_events(self, object_key(end, "events"), object_key(bytes, "events"), letter->to - 1);
        self->ends++;
    }
}

/* Checks the messages that came beside questions. */
static void check_updates(struct trio *self)
{
    for (int room = 0; room < ROOMS; room++) {
        while (self->read[room] < self->rooms[room].count) {
            const struct letter *letter = &self->rooms[room].letters[self->read[room]++];
            const msgpack_object *message = &letter->unpacked.data;
            const msgpack_object *name = object_item(message, 0);
            if (object_is(name, "state")) {
                check_state(self, object_item(message, 2));
            } else if (letter->to != SPECTATOR && object_is(name, "round")) {
                check_round(self, room, letter);
            } else if (letter->to != SPECTATOR && object_is(name, "end")) {
                check_end(self, room, letter);
            }
        }
    }
}

/* ---- A game ------------------------------------------------------------------------------------------------------ */

/* Plays until somebody is asked, which a pause may put off, or until the series is over. */
static void advance(struct trio *self)
{
    for (int i = 0; i < ROOMS; i++) {
        struct room *room = &self->rooms[i];
        int64_t due = room_settle(room);
        while (self->tables[i]->asked < 0 && self->tables[i]->phase != TABLE_OVER) {
            CHECK(due > room->now);
            room->now = due;
            due = room_settle(room);
        }
        CHECK_EQUAL(self->tables[i]->asked, self->tables[BYTES]->asked);
    }
}

static void count_events(struct trio *self, const void *before)
{
    uint8_t events[MH_EVENT_TAIL][4];
    self->events += mh_state_events(self->game, before, self->tables[BYTES]->state, &events[0][0]);
}

static void open_trio(struct trio *self, const char *id, const char *terms)
{
    static const enum tables_form forms[ROOMS] = {TABLES_RAW, TABLES_WORDS, TABLES_CHANGES};
    char json[256];
    (void)snprintf(json, sizeof json, "[{'table':'t','game':'%s',%s}]", id, terms);
    for (int i = 0; i < ROOMS; i++) {
        struct room *room = &self->rooms[i];
        room->now = 3;
        room->form = forms[i];
        room_open(room);
        tables_watch(room->tables, "t:", 1, room->now);
        room_done(room, 1, "sit", json);
        self->tables[i] = lobby_table(room->tables, "t", 1);
        for (int number = 2; table_free_seats(self->tables[i]); number++) {
            room_done(room, number, "sit", json);
        }
    }
    self->game = self->tables[BYTES]->terms.game;
    self->seats = self->game->sizes.seats;
}

/* Returns how many secret questions there were. */
static int test_game(const char *id, const char *terms, int seed)
{
    struct trio *self = check_memory(sizeof *self);
    struct mh_rng random = {(uint64_t)seed};
    open_trio(self, id, terms);
    struct table *table = self->tables[BYTES];
    const size_t size = (size_t)self->game->sizes.state;
    uint8_t *before = check_memory(size);
    for (advance(self); table->phase != TABLE_OVER; advance(self)) {
        const int player = table->asked;
        count_events(self, before);
        memcpy(before, table->state, size);
        check_updates(self);
        check_turn(self, player);
        for (int i = 0; i < self->seats; i++) {
            check_back(self, i);
        }
        if (self->steps++ % LOOK == 0) {
            advance(self);
            check_turn(self, player);
        }
        self->secrets += !mh_state_is_settled(self->game, table->state);
        const int action = mh_set_pick(mh_legal(self->game->rules, table->state), self->game->legal_words, &random);
        for (int i = 0; i < ROOMS; i++) {
            room_act(&self->rooms[i], player + 1, table->players[player].turn, action);
        }
    }
    check_updates(self);
    for (int i = 0; i < self->seats; i++) {
        check_back(self, i);
        forget(&self->memory[i]);
    }
    CHECK(self->ends >= (ROOMS - 1) * self->seats); /* more to those who had just looked */
    CHECK(self->rounds >= (ROOMS - 1) * self->seats);
    CHECK(self->states >= 2 * ROOMS);
    CHECK(self->changed < self->whole);
    const int secrets = self->secrets;
    for (int i = 0; i < ROOMS; i++) {
        room_close(&self->rooms[i]);
    }
    free(before);
    free(self);
    return secrets;
}

/* ---- Whole texts again
 * -------------------------------------------------------------------------------------------- */

/* The first text of a game is whole, and so is the first one after a hello. Then only what has changed is said. */
static void test_whole_texts(void)
{
    struct trio *self = check_memory(sizeof *self);
    struct mh_rng random = {5};
    int games = 0;
    int hellos = 0;
    int changes = 0;
    open_trio(self, "mhing", "'options':'num_players=2','bots':['greedy'],'games':3,'seed':1");
    for (int64_t turn = 1; self->tables[WORDS]->phase != TABLE_OVER; turn++) {
        const int is_hello = turn % LOOK == 0;
        int is_first = 0;
        advance(self);
        for (int i = 0; i < ROOMS && is_hello; i++) {
            room_hello(&self->rooms[i], 1);
        }
        advance(self);
        const msgpack_object *message = room_next(&self->rooms[WORDS], 1);
        while (!object_is(object_item(message, 0), "turn") || turn_of(message) != turn) {
            is_first |= object_is(object_item(message, 0), "start");
            message = room_next(&self->rooms[WORDS], 1);
        }
        const msgpack_object *changed = await_turn(&self->rooms[CHANGES], 0, turn);
        if (is_hello) {
            changed = await_turn(&self->rooms[CHANGES], 0, turn); /* once more, to who has said hello */
        }
        const msgpack_object *texts[2] = {object_item(message, 3), object_item(changed, 3)};
        CHECK_EQUAL(msgpack_object_equal(*texts[0], *texts[1]), is_first || is_hello);
        games += is_first;
        hellos += is_hello;
        changes += !is_first && !is_hello;
        const int action = room_choose(changed, &random);
        for (int i = 0; i < ROOMS; i++) {
            room_act(&self->rooms[i], 1, turn, action);
        }
        advance(self);
    }
    CHECK(games == 3 && hellos > 0 && changes > games);
    for (int i = 0; i < ROOMS; i++) {
        room_close(&self->rooms[i]);
    }
    free(self);
}

int main(void)
{
    int secrets = 0;
    for (int i = 0; i < mh_game_count(); i++) {
        const char *id = mh_game_id(i);
        char terms[128];
        for (int seed = 1; seed <= 3; seed++) {
            const char *options =
                room_options(id, seed == 1 ? "num_players=3" : "num_players=2 episode=game rounds=3", "");
            (void)snprintf(terms, sizeof terms, "'options':'%s','seed':%d,'pause':%d", options, seed,
                           seed == 3 ? 50 : 0);
            secrets += test_game(id, terms, seed);
        }
    }
    CHECK(secrets > 0);
    test_whole_texts();
    return 0;
}
