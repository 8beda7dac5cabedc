/* Afterstates as numbers for a net: how near the hand is by each plan, what the expert makes of it, what
 * lies open. A claim is judged by the discards that may follow. */
#include "credits.h"
#include "expert.h"
#include "plans.h"

/* A decision: what all its moves have in common. */
struct decision {
    const struct mhing_state *state;
    int all;
    const struct mh_wanted *wanted;
    int seen;     /* afterstates so far */
    int measures; /* distances or useful cards are wanted */
    int counts;   /* so are the useful cards for each kind of hand */
    int expects;  /* so is what the expert expects */
    int is_ahead; /* the outlook looks ahead */
    mh_afterstate_visitor *visit;
    void *context;
    struct unseen_cards unseen;
    double num_unseen; /* 1 at least */
    struct mhing_features table;
    struct outlook outlook;
};

/* ---- The open cards -------------------------------------------------------------------------------------- */

static void write_others(struct decision *self, int seat)
{
    struct mhing_features *table = &self->table;
    int most = 0, sum = 0;
    for (int other = 0; other < self->state->head.seats; other++) {
        const int melds = other == seat ? 0 : mhing_num_melds(mhing_seat_view(self->state, other));
        most = melds > most ? melds : most;
        sum += melds;
    }
    table->others[most] = 1;
    table->others[MELDS + 1] = (float)(sum / 8.0);
}

static void write_table(struct decision *self, int seat, const struct mhing_player *player)
{
    enum { SOURCE = 124, DISCARDS_OF_A_SEAT = 20 };
    const struct mhing_state *state = self->state;
    const int players = state->head.seats;
    struct mhing_features *table = &self->table;
    table->clock[0] = (float)self->outlook.end[0];
    table->clock[1] = (float)self->outlook.end[2];
    table->clock[2] = (float)self->outlook.end[4];
    table->clock[3] = (float)((DECK - state->next) / (double)SOURCE);
    table->clock[4] = (float)(state->num_discards / (double)(players * DISCARDS_OF_A_SEAT));
    table->players[players - 2] = 1;
    table->rules[0] = (float)state->options[OPTION_seven_pairs];
    table->flowers[0] = (float)(player->cards.flowers / 4.0);
    write_others(self, seat);
}

/* ---- The hand -------------------------------------------------------------------------------------------- */

static void write_plans(const struct decision *self, const struct plans *plans, struct mhing_features *features)
{
    enum { FLAGS = 8 };
    _Static_assert(sizeof features->distances == sizeof(float) * PLANS * FLAGS, "flags for each plan");
    _Static_assert(sizeof features->useful_for == sizeof(float) * (PLANS - 1), "a share for each but the first");
    for (int plan = 0; plan < PLANS; plan++) {
        if (plans->distance[plan] < FLAGS) {
            features->distances[plan * FLAGS + plans->distance[plan]] = 1;
        }
    }
    features->useful[0] = (float)(plans->useful[PLAN_ANY] / self->num_unseen);
    if (self->counts) { /* else all are 0 */
        for (int plan = 1; plan < PLANS; plan++) {
            features->useful_for[plan - 1] = (float)(plans->useful[plan] / self->num_unseen);
        }
    }
}

static void write_expectation(struct decision *self, struct mhing_player *player, int distance,
                              struct mhing_features *features)
{
    if (self->expects && (distance == 1 || distance == 2)) {
        if (!self->is_ahead) {
            mhing_look_ahead(self->state, self->state->head.seat, player, &self->outlook);
            self->is_ahead = 1;
        }
        const double value = mhing_expect(&self->outlook, player, distance, 0) / self->outlook.worth[5];
        features->expert[distance - 1] = (float)(value / (1 + (value < 0 ? -value : value)));
    }
}

static void write_hand(const struct mhing_player *player, struct mhing_features *features)
{
    const struct mhing_hand *hand = &player->hand;
    const uint64_t twice = hand_types(hand->twice);
    const uint64_t thrice = hand_types(hand_places(hand->count, 3));
    const uint64_t honours = (uint64_t)0x7F << WINDS;
    const int jokers = hand_jokers(hand);
    int sequences = 0, of_suits = 0, of_honours = 0;
    for (int i = 0; i < player->cards.melds; i++) {
        const int kind = player->cards.meld_kind[i];
        sequences += kind_is_sequence(kind);
        of_suits += !kind_is_sequence(kind) && kind_type(kind) < SUIT_TYPES;
        of_honours += kind_type(kind) >= SUIT_TYPES;
    }
    features->jokers[jokers < 3 ? jokers : 3] = 1;
    features->sets[0] = (float)(mh_bits_count(twice & ~honours) / 4.0);
    features->sets[1] = (float)(mh_bits_count(thrice & ~honours) / 4.0);
    features->sets[2] = (float)(mh_bits_count(twice & honours) / 4.0);
    features->sets[3] = (float)(mh_bits_count(thrice & honours) / 4.0);
    features->sets[4] = (float)(mh_bits_count(twice >> DRAGONS & 7) / 4.0);
    features->melds[player->cards.melds] = 1;
    features->laid[0] = (float)(sequences / 4.0);
    features->laid[1] = (float)(of_suits / 4.0);
    features->laid[2] = (float)(of_honours / 4.0);
}

/* ---- The discard ----------------------------------------------------------------------------------------- */

/* True if the last discard of another seat was of the type. Others have had it on offer then; claims can skip a seat,
 * so it may be older than the own turn before. */
static int was_given(const struct mhing_state *state, int seat, int type)
{
    for (int other = 0; other < state->head.seats; other++) {
        const int discards = mhing_seat_view(state, other)->num_discards[0];
        if (other != seat && discards && mhing_discard_at(state, other, discards - 1).type == type) {
            return 1;
        }
    }
    return 0;
}

static void write_discard(const struct mhing_state *state, int seat, const struct mhing_player *player, int type,
                          struct mhing_features *features)
{
    float *given = features->given;
    if (type == JOKER) {
        given[5] = 1;
        return;
    }
    given[player->unseen[type]] = 1;
    given[4] = (float)(type >= SUIT_TYPES);
    if (type < SUIT_TYPES) {
        int near = 0;
        const int suit = type_suit(type) * NUMBERS;
        for (int number = type_number(type) - 2; number <= type_number(type) + 2; number++) {
            near += number >= 0 && number < NUMBERS && suit + number != type ? player->unseen[suit + number] : 0;
        }
        given[6] = (float)(near / 16.0);
    }
    given[7] = (float)was_given(state, seat, type);
}

/* ---- Moves ----------------------------------------------------------------------------------------------- */

/* Shows a hand before its draw, at its distance; `discard` is the type given away for it, or -1. */
static void report_afterstate(struct decision *self, int action, struct mhing_player *player, int distance,
                              int discard)
{
    if (!mh_wants_afterstate(self->wanted, self->seen++)) {
        self->visit(self->context, action, (const float *)&self->table, 0);
        return;
    }
    const struct mhing_state *state = self->state;
    const int seat = state->head.seat;
    struct mhing_features features = self->table;
    if (self->measures) {
        struct plans plans;
        mhing_look_at_plans(player, distance, &self->unseen, self->counts, &plans);
        write_plans(self, &plans, &features);
    }
    write_expectation(self, player, distance, &features);
    write_hand(player, &features);
    if (discard >= 0) {
        write_discard(state, seat, player, discard, &features);
        features.turns[0] = 1;
    } else {
        features.turns[0] =
            (float)(mh_head_between(&state->head, state->on_turn, seat) / (double)state->head.seats);
    }
    self->visit(self->context, action, (const float *)&features, 0);
}

/* Shows a hand after its discards: those that leave it nearest or one card farther, unless all are asked for. `action`,
 * where it is not negative, is the move before the discard. A joker goes where there is nothing else. */
static void show_discards(struct decision *self, int action, struct mhing_player *player, int back)
{
    uint8_t after[JOKER + 1];
    const int nearest = mhing_hand_after_discards(&player->hand, player->melds, player->seven_pairs, after);
    const int farthest = back < 0 ? MHING_NO_DISTANCE - 1 : nearest + back;
    for (int type = 0; type <= JOKER; type++) {
        if (after[type] <= farthest && (type < JOKER || back < 0 || !player->hand.held)) {
            hand_take(&player->hand, type);
            report_afterstate(self, action < 0 ? ACTION_discard + type : action, player, after[type], type);
            hand_add(&player->hand, type);
        }
    }
}

static void show_melds(struct decision *self, const struct mhing_player *player, int claimed)
{
    const uint64_t *legal = self->state->legal;
    const int distance = mhing_player_distance(player);
    for (int action = mh_set_next(legal, LEGAL_WORDS, ACTION_sequence); action >= 0 && action < ACTION_pass;
         action = mh_set_next(legal, LEGAL_WORDS, action + 1)) {
        if (self->all || mhing_distance_with(player, action, claimed) <= distance) {
            struct mhing_player next;
            mhing_after_meld(player, action, claimed, &next);
            self->outlook.branch++;
            show_discards(self, action, &next, 0);
        }
    }
}

static void show_turn(struct decision *self, struct mhing_player *player)
{
    const struct mhing_state *state = self->state;
    const int credits = mh_set_has(state->legal, ACTION_mhing) ? mhing_player_credits(player) : 0;
    show_discards(self, -1, player, self->all ? -1 : 1);
    if (self->all && state->options[OPTION_lay_down]) {
        show_melds(self, player, -1);
    }
    if (mh_set_has(state->legal, ACTION_mhing)) {
        self->visit(self->context, ACTION_mhing, NULL,
                    mhing_earned(state, state->head.seat, state->claimed_from, credits));
    }
}

static void show_claims(struct decision *self, struct mhing_player *player)
{
    const struct mhing_state *state = self->state;
    const int type = state->offer - 1;
    show_melds(self, player, type);
    if (self->wanted->to_choose && !self->seen && !mh_set_has(state->legal, ACTION_mhing)) {
        self->visit(self->context, ACTION_pass, NULL, 0);
        return;
    }
    self->outlook.branch++;
    report_afterstate(self, ACTION_pass, player, mhing_player_distance(player), -1);
    if (mh_set_has(state->legal, ACTION_mhing)) {
        hand_add(&player->hand, type);
        self->visit(self->context, ACTION_mhing, NULL,
                    mhing_earned(state, state->head.seat, state->on_turn, mhing_player_credits(player)));
    }
}

/* True if any of the features in a row of the table is wanted. */
static int is_wanted(const struct mh_wanted *wanted, size_t offset, size_t size)
{
    const int first = (int)(offset / sizeof(float)), last = (int)((offset + size) / sizeof(float)) - 1;
    const int next = wanted->features ? mh_set_next(wanted->features, last / 64 + 1, first) : last;
    return next >= 0 && next <= last;
}

#define IS_WANTED(wanted, feature)                                                                                 \
    is_wanted(wanted, offsetof(struct mhing_features, feature), sizeof((struct mhing_features *)0)->feature)

void mhing_afterstates(const struct mhing_state *state, int all, const struct mh_wanted *wanted,
                       mh_afterstate_visitor *visit, void *context)
{
    const int seat = state->head.seat;
    struct decision self; /* not cleared: an outlook is large */
    struct mhing_player player;
    mhing_player_of(state, seat, &player);
    int num_unseen = 0;
    self.state = state;
    self.all = all;
    self.wanted = wanted;
    self.seen = 0;
    self.counts = IS_WANTED(wanted, useful_for);
    self.measures = self.counts || IS_WANTED(wanted, distances) || IS_WANTED(wanted, useful);
    self.expects = IS_WANTED(wanted, expert);
    self.is_ahead = 0;
    self.visit = visit;
    self.context = context;
    memset(&self.table, 0, sizeof self.table);
    for (int type = 0; type <= JOKER; type++) {
        num_unseen += player.unseen[type];
    }
    self.num_unseen = num_unseen ? num_unseen : 1;
    self.unseen = mhing_unseen_cards(&player);
    mhing_begin_outlook(state, &self.outlook);
    player.known = &self.outlook.known;
    write_table(&self, seat, &player);
    if (state->phase == PHASE_CLAIM) {
        show_claims(&self, &player);
    } else {
        show_turn(&self, &player);
    }
}
