/* General Mhing: each refusal of its check has a state that play leads to but for one thing. */
#include "check.h"
#include "general_mhing.h"

typedef int when(const struct general_state *state);
typedef void spoil(struct general_state *state);

/* ---- States that play leads to --------------------------------------------------------------------------- */

static int any(const struct general_state *state)
{
    return state->phase == PHASE_PLAY;
}

static int second_round(const struct general_state *state)
{
    return state->phase == PHASE_PLAY && state->head.rounds == 1 && state->turn > 5 && state->last.winner >= 0 &&
           state->last.ending == ENDING_SEQUENCES;
}

static int third_round(const struct general_state *state)
{
    return state->phase == PHASE_PLAY && state->head.rounds == 2 && state->last.winner >= 0;
}

static int round_by_turns(const struct general_state *state)
{
    return state->head.rounds == 1 && state->last.ending == ENDING_TURNS && state->phase == PHASE_PLAY;
}

static int over(const struct general_state *state)
{
    return state->phase == PHASE_OVER && state->last.ending == ENDING_SEQUENCES && state->last.winner >= 0;
}

static int over_and_both_laid(const struct general_state *state)
{
    return over(state) && general_num_sequences(&state->blocks[0]) && general_num_sequences(&state->blocks[1]);
}

static int over_by_turns(const struct general_state *state)
{
    return state->phase == PHASE_OVER && state->last.ending == ENDING_TURNS;
}

static int start(const struct general_state *state)
{
    return state->phase == PHASE_START && state->offer && state->num_discards > 1;
}

static int taken(const struct general_state *state)
{
    return state->phase == PHASE_TAKEN;
}

static int end(const struct general_state *state)
{
    return state->phase == PHASE_END;
}

static int laid(const struct general_state *state)
{
    return state->phase == PHASE_PLAY && general_num_sequences(&state->blocks[state->on_turn]) > 1 &&
           state->num_discards > 1 && state->shuffles == 0;
}

static int ace_shown(const struct general_state *state)
{
    return state->phase == PHASE_PLAY && state->shown != 0 && state->turn > 1;
}

/* ---- Damage ---------------------------------------------------------------------------------------------- */

static void spoil_rounds(struct general_state *state)
{
    state->options[OPTION_episode] = 0;
}

static void spoil_last_round(struct general_state *state)
{
    state->last.round = 7;
}

static void spoil_few_decisions(struct general_state *state)
{
    state->head.decisions = (uint32_t)general_least_decisions(state) - 1;
}

static void spoil_many_decisions(struct general_state *state)
{
    state->head.decisions = 1000000;
}

static void spoil_scores_before(struct general_state *state)
{
    state->scores[state->last.winner]--;
}

static void spoil_absent_score(struct general_state *state)
{
    state->scores[SEATS - 1] = 1;
}

static void spoil_many_points(struct general_state *state)
{
    state->scores[0] += 9;
    state->scores[1] += 9;
}

static void spoil_end(struct general_state *state)
{
    state->scores[state->last.winner] += state->options[OPTION_target];
    state->head.rounds = 90;
    state->last.round = 89;
    state->head.decisions = 5000;
}

static void spoil_early_end(struct general_state *state)
{
    state->options[OPTION_target] = 1000;
}

static void spoil_late_end(struct general_state *state)
{
    state->options[OPTION_rounds] = 1;
}

static void spoil_phase(struct general_state *state)
{
    state->turn++;
}

static void spoil_card(struct general_state *state)
{
    state->taken = CARDS + 1;
}

static void spoil_shuffle(struct general_state *state)
{
    state->shuffle_of[3] = 1;
}

static void spoil_last_sequence(struct general_state *state)
{
    state->last.sequence_ace[0][3] = 1;
    state->last.sequence_kind[0][3] = 0;
}

static void spoil_last_turns(struct general_state *state)
{
    state->options[OPTION_turn_limit] = 4;
    state->turn = 1;
    state->on_turn = state->starter;
    state->head.seat = (int8_t)state->on_turn;
}

static void spoil_last_cards(struct general_state *state)
{
    memcpy(state->last.sequence_kind[1], state->last.sequence_kind[0], 1);
    state->last.sequence_kind[0][0] = state->last.sequence_kind[1][0];
    state->last.sequence_ace[1][0] = state->last.sequence_ace[0][0];
}

static void spoil_ending(struct general_state *state)
{
    state->last.ending = ENDING_TURNS;
}

static void spoil_table(struct general_state *state)
{
    const int seat = state->last.sequence_kind[0][3] ? 1 : 0;
    memset(state->last.sequence_kind[seat], 0, SEQUENCES);
    memset(state->last.sequence_ace[seat], 0, SEQUENCES);
}

static void spoil_winner(struct general_state *state)
{
    state->last.winner = (int8_t)-1;
}

static void spoil_sequence(struct general_state *state)
{
    state->blocks[state->on_turn].sequence_ace[0] = 4;
}

static void spoil_open(struct general_state *state)
{
    state->open ^= card_bit(state->deck[CARDS - 1]);
}

static void spoil_deck(struct general_state *state)
{
    state->deck[CARDS - 1] = state->deck[CARDS - 2];
}

static void spoil_hand(struct general_state *state)
{
    const uint64_t card = state->hands[1] & (~state->hands[1] + 1);
    state->hands[1] ^= card;
    state->hands[0] ^= card;
}

static void spoil_offer(struct general_state *state)
{
    state->offer = state->discards[0];
}

static void spoil_no_offer(struct general_state *state)
{
    state->offer = 0;
}

static void spoil_drawn(struct general_state *state)
{
    state->drawn[0] = state->discards[0];
}

static void spoil_taken(struct general_state *state)
{
    state->taken = 0;
}

static void spoil_shown(struct general_state *state)
{
    const uint64_t naturals = state->hands[1 - state->on_turn] & ~ALL_ACES;
    state->shown |= naturals & (~naturals + 1);
}

static void spoil_nobody_shown(struct general_state *state)
{
    state->shown |= ALL_ACES & ~(state->hands[0] | state->hands[1]) & ~state->open;
}

static void spoil_turn(struct general_state *state)
{
    state->options[OPTION_turn_limit] += 2;
}

static void spoil_end_phase(struct general_state *state)
{
    struct general_seat *block = &state->blocks[state->on_turn];
    for (int i = 0; i < general_num_sequences(block); i++) { /* they lie in front of the other seat */
        struct general_seat *other = &state->blocks[1 - state->on_turn];
        const int place = general_num_sequences(other);
        CHECK(place < SEQUENCES - 1);
        other->sequence_kind[place] = block->sequence_kind[i];
        other->sequence_ace[place] = block->sequence_ace[i];
    }
    memset(block, 0, sizeof *block);
    state->given = 0;
    state->taken = 0;
}

static void spoil_choice(struct general_state *state)
{
    state->phase = PHASE_START;
    state->hands[state->on_turn] &= ~card_bit(state->drawn[0] - 1);
    state->deck[--state->next] = (uint8_t)(state->drawn[0] - 1);
    state->drawn[0] = 0;
    state->given = 0;
    state->taken = 0;
}

static void spoil_returns(struct general_state *state)
{
    state->head.returns[1] += 123;
}

static void spoil_rewards(struct general_state *state)
{
    state->head.rewards[0] += 9;
}

static void spoil_derived(struct general_state *state)
{
    state->blocks[0].tally[0]++;
}

static const struct {
    const char *message;
    when *when;
    spoil *spoil;
    int top; /* option offer */
} cases[] = {
    {"the rounds do not fit the phase", second_round, spoil_rounds, 0},
    {"the result is not that of the round before", second_round, spoil_last_round, 0},
    {"more or fewer decisions than the turns need", second_round, spoil_few_decisions, 0},
    {"more or fewer decisions than the turns need", end, spoil_few_decisions, 0},
    {"more or fewer decisions than the turns need", any, spoil_many_decisions, 0},
    {"scores that the last round does not leave", second_round, spoil_scores_before, 0},
    {"scores that the last round does not leave", any, spoil_absent_score, 0},
    {"more points than the rounds can bring", third_round, spoil_many_points, 0},
    {"the rounds and scores do not fit the end of the game", second_round, spoil_end, 0},
    {"the rounds and scores do not fit the end of the game", over, spoil_early_end, 0},
    {"the rounds and scores do not fit the end of the game", third_round, spoil_late_end, 0},
    {"phase or seats out of range", any, spoil_phase, 0},
    {"cards out of range", any, spoil_card, 0},
    {"shuffles out of range", any, spoil_shuffle, 0},
    {"a sequence of the last round out of range", second_round, spoil_last_sequence, 0},
    {"a sequence of the last round out of range", second_round, spoil_last_turns, 0},
    {"a card is in two sequences of the last round", round_by_turns, spoil_last_cards, 0},
    {"the sequences of the last round do not fit its ending", second_round, spoil_ending, 0},
    {"the result is not that of the table", over_and_both_laid, spoil_table, 0},
    {"the result does not follow from the sequences", second_round, spoil_winner, 0},
    {"a sequence out of range", laid, spoil_sequence, 0},
    {"open cards do not add up", any, spoil_open, 0},
    {"cards are missing or double", any, spoil_deck, 0},
    {"a hand of the wrong size", any, spoil_hand, 0},
    {"the card on offer is not that of the seat before", start, spoil_offer, 0},
    {"the card on offer is not the top of the pile", start, spoil_offer, 1},
    {"the card on offer is not the top of the pile", start, spoil_no_offer, 1},
    {"the cards drawn are not in the hand", laid, spoil_drawn, 0},
    {"the card taken is not laid", taken, spoil_taken, 0},
    {"cards are known that cannot be", ace_shown, spoil_shown, 0},
    {"cards are known that nobody holds", ace_shown, spoil_nobody_shown, 0},
    {"the turns do not fit the end of the round", over_by_turns, spoil_turn, 0},
    {"no sequence has been laid", end, spoil_end_phase, 0},
    {"a seat is asked that has no choice", any, spoil_choice, 0},
    {"returns or rewards are not what the rounds have paid", third_round, spoil_returns, 0},
    {"returns or rewards are not what the rounds have paid", third_round, spoil_rewards, 0},
    {"returns or rewards are not what the rounds have paid", over, spoil_rewards, 0},
    {"derived values do not fit", any, spoil_derived, 0},
};

/* A game of two, greedy but for one action in four, of which the check accepts each state. */
static void begin(struct general_state *state, uint64_t seed, int top)
{
    memset(state, 0, sizeof *state);
    state->head.seats = 2;
    state->head.rng = mh_rng_stream(seed, 'T');
    state->options[OPTION_num_players] = 2;
    state->options[OPTION_target] = 14;
    state->options[OPTION_rounds] = 100;
    state->options[OPTION_turn_limit] = seed % 2 ? 200 : 14;
    state->options[OPTION_offer] = top;
    state->options[OPTION_starter] = -1;
    state->options[OPTION_episode] = 1;
    mh_events_begin(&state->events);
    general_reset(state, NULL);
}

static void play(struct general_state *state, struct mh_rng *rng)
{
    int action = general_greedy(state, rng);
    if (mh_rng_below(rng, 4) == 0) {
        for (uint32_t skip = mh_rng_below(rng, 10); skip > 0; skip--) {
            const int next = mh_set_next(state->legal, LEGAL_WORDS, action + 1);
            action = next >= 0 ? next : mh_set_next(state->legal, LEGAL_WORDS, 0);
        }
    }
    mh_head_begin(&state->head);
    general_apply(state, action);
    general_mhing_rules.next_round(state);
}

/* True if play from a seed comes to a state that the check refuses for this reason. */
static int refused(int number, uint64_t seed)
{
    char message[256] = "";
    struct general_state state;
    struct mh_rng rng = mh_rng_stream(seed, 'P');
    begin(&state, seed, cases[number].top);
    for (; state.head.seat >= 0; play(&state, &rng)) {
        CHECK_EQUAL(general_check(&state, message), MH_OK);
        if (cases[number].when(&state)) {
            break;
        }
    }
    if (!cases[number].when(&state)) {
        return 0;
    }
    cases[number].spoil(&state);
    CHECK_EQUAL(general_check(&state, message), MH_ERROR_SNAPSHOT);
    return strcmp(message, cases[number].message) == 0;
}

int main(void)
{
    for (int number = 0; number < (int)(sizeof cases / sizeof *cases); number++) {
        int found = 0;
        for (uint64_t seed = 0; seed < 400 && !found; seed++) {
            found = refused(number, seed);
        }
        if (!found) {
            fprintf(stderr, "case %d: nothing is refused for '%s'\n", number, cases[number].message);
        }
        CHECK(found);
    }
    return 0;
}
