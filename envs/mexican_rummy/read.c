/* A state from its JSON, the way back of report.c. What follows from other keys is not read. */
#include "mexican_rummy.h"

/* A card, plus one, that lies elsewhere as well; 0 for none. */
static uint8_t read_card(const struct mh_in *in, const char *key)
{
    const struct mh_in value = mh_in_key(in, key);
    return (uint8_t)(mh_in_name(&value, rummy_card_text, CARDS, -1) + 1);
}

/* Likewise a type of cards. */
static uint8_t read_type(const struct mh_in *in, const char *key)
{
    const struct mh_in value = mh_in_key(in, key);
    return (uint8_t)(mh_in_name(&value, rummy_type_text, TYPES, -1) + 1);
}

static int read_seat(const struct rummy_state *state, const struct mh_in *in, const char *key, int otherwise)
{
    const struct mh_in value = mh_in_key(in, key);
    return mh_in_int(&value, 0, state->head.seats - 1, otherwise);
}

/* Cards that lie elsewhere as well. */
static struct cards read_cards(const struct mh_in *in, const char *key)
{
    const struct mh_in list = mh_in_key(in, key);
    const int count = mh_in_count(&list, CARDS);
    struct cards cards = {{0, 0}};
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&list, i);
        mh_in_require(&item);
        cards_add(&cards, mh_in_name(&item, rummy_card_text, CARDS, 0));
    }
    return cards;
}

/* ---- The turn ------------------------------------------------------------------------------------------------- */

/* Where no seat is named, the one on turn began the round. */
static void read_turn(struct rummy_state *state, const struct mh_in *in)
{
    const int seats = state->head.seats;
    const struct mh_in phase = mh_in_key(in, "phase");
    const struct mh_in turn = mh_in_key(in, "turn");
    const struct mh_in refused = mh_in_key(in, "refused");
    const struct mh_in seat = mh_in_key(in, "seat");
    state->phase = (uint8_t)mh_in_word(&phase, rummy_phases, PHASES, PHASE_START);
    state->turn = (uint16_t)mh_in_int(&turn, 1, UINT16_MAX, 1);
    const int on_turn = read_seat(state, in, "on_turn", (state->turn - 1) % seats);
    state->starter =
        (uint8_t)read_seat(state, in, "starter", (on_turn + seats - (state->turn - 1) % seats) % seats);
    state->on_turn = (uint8_t)((state->starter + state->turn - 1) % seats);
    state->head.seat = (int8_t)(state->phase == PHASE_OVER ? MH_BETWEEN_ROUNDS : state->on_turn);
    if (state->phase == PHASE_ASK) {
        mh_in_require(&seat);
        state->head.seat = (int8_t)read_seat(state, in, "seat", 0);
    }
    state->offered = state->phase <= PHASE_START;
    state->asker = (uint8_t)(read_seat(state, in, "asker", -1) + 1);
    for (int i = 0; i < mh_in_count(&refused, seats); i++) {
        const struct mh_in item = mh_in_item(&refused, i);
        mh_in_require(&item);
        state->refused = (uint8_t)(state->refused | 1 << mh_in_int(&item, 0, seats - 1, 0));
    }
    state->taken = read_card(in, "taken");
    state->drawn = read_card(in, "drawn");
    state->chosen = read_type(in, "chosen");
}

/* ---- Melds and cards ------------------------------------------------------------------------------------------ */

/* Reads the cards of a set in the order laid, or of a run from its lowest place on, which is returned. */
static int read_meld(const struct mh_in *in, uint8_t *kind, uint8_t places[PLACES])
{
    static const char *const kinds[] = {"set", "run"};
    const struct mh_in kind_of = mh_in_key(in, "kind");
    const struct mh_in rank = mh_in_key(in, "rank");
    const struct mh_in suit = mh_in_key(in, "suit");
    const struct mh_in lowest = mh_in_key(in, "low");
    const struct mh_in cards = mh_in_key(in, "cards");
    const int run = mh_in_word(&kind_of, kinds, 2, 0);
    const int low = run ? mh_in_int(&lowest, 0, PLACES - 1, 0) : 0;
    const int count = mh_in_count(&cards, PLACES - low);
    mh_in_require(&kind_of);
    mh_in_require(run ? &suit : &rank);
    if (run) {
        mh_in_require(&lowest);
    }
    *kind = (uint8_t)(run ? KIND_RUN + mh_in_int(&suit, 0, SUITS - 1, 0)
                          : KIND_SET + mh_in_int(&rank, 0, RANKS - 1, 0));
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&cards, i);
        mh_in_require(&item);
        places[low + i] = (uint8_t)(mh_in_name(&item, rummy_type_text, TYPES, 0) + 1);
    }
    return low;
}

/* Takes the cards of a seat's melds from the deck: of equal ones the first that is left. */
static void lay_melds(struct rummy_state *state, const struct mh_in *in, struct mh_in_deck *deck, int seat)
{
    for (int i = 0; i < MELDS * PLACES; i++) {
        const int type = state->melds[seat].cards[i / PLACES][i % PLACES] - 1;
        const int card = type >= 0 && !deck->left[type] ? type + TYPES : type;
        if (card >= 0 && mh_in_take(in, deck, card)) {
            cards_add(&state->laid, card);
        }
    }
}

static void read_table(struct rummy_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in melds = mh_in_key(in, "melds");
    mh_in_by_seat(&melds, state->head.seats);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mh_in laid = mh_in_item(&melds, seat);
        const int count = mh_in_count(&laid, MELDS);
        for (int i = 0; i < count; i++) {
            const struct mh_in item = mh_in_item(&laid, i);
            mh_in_require(&item);
            (void)read_meld(&item, &state->melds[seat].kind[i], state->melds[seat].cards[i]);
        }
        lay_melds(state, &laid, deck, seat);
    }
}

static void read_hands(struct rummy_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in hands = mh_in_key(in, "hands");
    mh_in_require(&hands);
    mh_in_by_seat(&hands, state->head.seats);
    for (int seat = 0; seat < state->head.seats; seat++) {
        const struct mh_in hand = mh_in_item(&hands, seat);
        const int count = mh_in_count(&hand, CARDS);
        mh_in_require(&hand);
        for (int i = 0; i < count; i++) {
            const struct mh_in item = mh_in_item(&hand, i);
            const int card = mh_in_card(&item, deck);
            mh_in_require(&item);
            if (card >= 0) {
                cards_add(&state->hands[seat], card);
            }
        }
    }
}

static void read_discards(struct rummy_state *state, const struct mh_in *in, struct mh_in_deck *deck)
{
    const struct mh_in discards = mh_in_key(in, "discards");
    const int count = mh_in_count(&discards, PILE);
    if (state->offered && !count) {
        mh_in_refuse(&discards, "none; the last one may be had in this phase");
    }
    for (int i = 0; i < count; i++) {
        const struct mh_in item = mh_in_item(&discards, i);
        const struct mh_in name = mh_in_key(&item, "card");
        const int card = mh_in_card(&name, deck);
        mh_in_require(&name);
        state->discards[i] = (uint8_t)(card + 1);
        state->discarded_by[i] = (uint8_t)(read_seat(state, &item, "by", -1) + 1);
        if (card >= 0) {
            cards_add(&state->piled, card);
        }
    }
    state->num_discards = (uint8_t)count;
}

/* Melds say the types of their cards only: which of two equal ones they have follows from where the other one is, so
 * they come after all that is named. */
static void read_places(struct rummy_state *state, const struct mh_in *in)
{
    const struct mh_in pile = mh_in_key(in, "draw_pile");
    struct mh_in_deck deck = {rummy_card_text, CARDS, {0}};
    memset(deck.left, 1, CARDS);
    read_hands(state, in, &deck);
    read_discards(state, in, &deck);
    if (mh_in_given(&pile)) {
        state->next = (uint8_t)mh_in_pile(&pile, &deck, CARDS, state->deck);
    }
    read_table(state, in, &deck);
    if (!mh_in_given(&pile)) {
        state->next = (uint8_t)mh_in_pile(&pile, &deck, CARDS, state->deck);
    }
    mh_in_used_up(&pile, &deck);
    state->shown = read_cards(in, "shown");
}

static void read_shuffles(struct rummy_state *state, const struct mh_in *in)
{
    const struct mh_in shuffles = mh_in_key(in, "shuffles");
    const struct mh_in shuffle_of = mh_in_key(in, "shuffle_of");
    state->shuffles = (uint16_t)mh_in_int(&shuffles, 0, UINT16_MAX, 0);
    for (int card = 0; card < CARDS; card++) {
        char name[MH_TEXT_SIZE];
        rummy_card_text(card, name);
        const struct mh_in number = mh_in_key(&shuffle_of, name);
        state->shuffle_of[card] = (uint16_t)mh_in_int(&number, 0, state->shuffles, 0);
        if (state->shuffle_of[card] == state->shuffles) {
            cards_add(&state->shuffled, card);
        }
    }
}

/* ---- The plan ------------------------------------------------------------------------------------------------- */

static void read_plan(struct rummy_state *state, const struct mh_in *in)
{
    struct rummy_plan *plan = &state->plan;
    const struct mh_in planned = mh_in_key(in, "plan");
    const struct mh_in melds = mh_in_key(&planned, "melds");
    const struct mh_in to_fill = mh_in_key(&planned, "to_fill");
    const struct mh_in swap = mh_in_key(&planned, "swap");
    const struct mh_in meld = mh_in_key(&swap, "meld");
    const struct mh_in place = mh_in_key(&swap, "place");
    plan->rest = read_cards(&planned, "rest");
    plan->to_fill = (uint8_t)mh_in_int(&to_fill, 0, RUN_CARDS, 0);
    plan->count = (uint8_t)mh_in_count(&melds, MELDS);
    for (int i = 0; i < plan->count; i++) {
        const struct mh_in item = mh_in_item(&melds, i);
        mh_in_require(&item);
        const int low = read_meld(&item, &plan->melds.kind[i], plan->melds.cards[i]);
        plan->first = (uint8_t)(plan->to_fill && low < LOWS ? low : 0);
    }
    plan->wanted = read_type(&planned, "wanted");
    plan->given = read_card(&swap, "given");
    plan->got = read_card(&swap, "got");
    plan->from[0] = (uint8_t)read_seat(state, &swap, "seat", 0);
    plan->from[1] = (uint8_t)mh_in_int(&meld, 0, MELDS - 1, 0);
    plan->from[2] = (uint8_t)mh_in_int(&place, 0, PLACES - 1, 0);
}

/* ---- The episode ---------------------------------------------------------------------------------------------- */

/* Objectives follow one another: the episode's first one follows from the one of this round. */
static void read_episode(struct rummy_state *state, const struct mh_in *in)
{
    const int round = mh_head_round(&state->head);
    const int first = state->options[OPTION_objective] ? state->options[OPTION_objective] : 1;
    const struct mh_in objective = mh_in_key(in, "objective");
    const struct mh_in result = mh_in_key(in, "result");
    const struct mh_in winner = mh_in_key(&result, "winner");
    const struct mh_in ending = mh_in_key(&result, "ending");
    const struct mh_in points = mh_in_key(&result, "points");
    const struct mh_in scores = mh_in_key(in, "scores");
    if (round >= OBJECTIVES) {
        mh_in_refuse(&objective, "there are %d, and so no round %d", (int)OBJECTIVES, round);
        return;
    }
    state->first_objective = (uint8_t)(mh_in_int(&objective, round + 1, OBJECTIVES,
                                                 first + round < OBJECTIVES ? first + round : OBJECTIVES) -
                                       1 - round);
    if (state->head.rounds) {
        mh_in_require(&result);
        mh_in_require(&ending);
    }
    state->last.round = state->head.rounds - 1;
    state->last.winner = (int8_t)mh_in_int(&winner, -1, state->head.seats - 1, -1);
    state->last.ending = (uint8_t)mh_in_name(&ending, rummy_ending_text, ENDINGS, ENDING_NONE);
    mh_in_numbers(&points, state->head.seats, 0, state->last.points);
    mh_in_numbers(&scores, state->head.seats, 0, state->scores);
    rummy_reward(state, state->scores, &state->head);
    memset(state->head.rewards, 0, sizeof state->head.rewards);
}

/* The fewest that there can have been, where the number is not given. */
static void read_decisions(struct rummy_state *state, const struct mh_in *in)
{
    const struct mh_in decisions = mh_in_key(in, "decisions");
    if (!mh_in_given(&decisions)) {
        state->head.decisions = rummy_least_decisions(state);
    }
}

void rummy_read(struct rummy_state *state, const struct mh_in *in)
{
    read_turn(state, in);
    read_places(state, in);
    read_shuffles(state, in);
    read_plan(state, in);
    read_episode(state, in);
    if (state->phase == PHASE_OVER) {
        mh_head_end_round(&state->head, rummy_episode_is_over(state), state->legal, LEGAL_WORDS);
    }
    read_decisions(state, in);
    if (!in->reader->failed) {
        (void)rummy_settle(state, NULL); /* what is wrong with it, the runtime's check says */
    }
}
