/* The expert player: values of hands, and what to do by them. expert.h has the idea. */
#include "expert.h"

enum { EXACT = 3 }; /* the farthest distance at which cards are told apart */

/* ---- Values of hands before their draw ------------------------------------------------------------------- */

/* A memo that is looked for, and where it belongs. */
struct search {
    struct memo memo;
    int place;
    uint16_t tag;
};

/* The places of memos: powers of one odd number, so that the products of keys need not wait for one another. */
static uint32_t mix_keys(const uint16_t key[6], int stage)
{
    const uint32_t one = 0x9E3779B1u, two = one * one, three = two * one;
    const uint32_t four = two * two, five = three * two, six = three * three;
    return six * ((uint32_t)stage + key[0]) + five * key[1] + four * key[2] + three * key[3] + two * key[4] +
           one * key[5];
}

/* True if the value of a hand is known: then search->memo has it. At distances 2 and 3 a value depends a little on how
 * the hand came about: cards that came on the way are seen, and fewer discards are looked at later. The first way
 * stands for all, until another hand takes its place. Hands are looked at in a fixed order, so a decision is always the
 * same. */
static int is_known(const struct outlook *outlook, const struct mhing_hand *hand, int stage, struct search *search)
{
    struct memo *memo = &search->memo;
    memo->honours = mh_bits_bytes(hand->count + WINDS);
    memcpy(memo->suits, hand->key, sizeof memo->suits);
    const uint32_t honours = (uint32_t)(memo->honours * 0x9E3779B97F4A7C15u >> 32);
    const uint32_t mixed = (mix_keys(hand->key, stage) ^ honours) * 0x85EBCA6Bu;
    search->place = (int)(mixed >> 16) % MEMOS;
    search->tag = (uint16_t)(outlook->branch * (STAGES + 1) + stage + 1);
    const struct memo *there = &outlook->memos[search->place];
    if (outlook->tags[search->place] != search->tag || memo->honours != there->honours ||
        memcmp(memo->suits, there->suits, sizeof memo->suits) != 0) {
        return 0;
    }
    memo->value = there->value;
    return 1;
}

static double keep_value(struct outlook *outlook, struct search *search, double value)
{
    search->memo.value = value;
    outlook->memos[search->place] = search->memo;
    outlook->tags[search->place] = search->tag;
    return value;
}

/* The pay for the complete hand of a player. */
static double hand_worth(struct outlook *outlook, const struct mhing_player *player)
{
    struct search search;
    return is_known(outlook, &player->hand, STAGES, &search)
               ? search.memo.value
               : keep_value(outlook, &search, outlook->worth[mhing_player_credits(player)]);
}

/* The pay for a hand once a card of the type completes it. */
static double worth_with(struct outlook *outlook, struct mhing_player *player, int type)
{
    hand_add(&player->hand, type);
    const double worth = hand_worth(outlook, player);
    hand_take(&player->hand, type);
    return worth;
}

/* One card from complete: what it is, is told apart only for the hand that is held now. After further cards the one
 * most likely to complete it stands for all. */
static double waiting_value(struct outlook *outlook, struct mhing_player *player, int stage)
{
    struct race race = {.cards = 0};
    double rates = 0;
    int likeliest = -1;
    uint64_t waits = mhing_hand_waits(&player->hand, player->melds, player->seven_pairs, player->known);
    for (; waits; waits &= waits - 1) {
        const int type = mh_bits_lowest(waits);
        const double rate = outlook->declare[type];
        if (player->unseen[type] && stage == 0) {
            race_add(&race, rate, worth_with(outlook, player, type));
        } else if (player->unseen[type]) {
            rates += rate;
            likeliest = likeliest < 0 || rate > outlook->declare[likeliest] ? type : likeliest;
        }
    }
    if (likeliest >= 0) {
        race_add(&race, rates, worth_with(outlook, player, likeliest));
    }
    return race_value(&race, outlook->end[stage], outlook->lost);
}

/* Far from complete: each stage is a race for any useful card, for a hand of the usual credits. */
static double far_value(const struct outlook *outlook, const struct mhing_player *player, int distance, int stage)
{
    enum { USUAL = 3 };
    double value = outlook->worth[USUAL + player->cards.flowers];
    double rate = 0;
    uint64_t types =
        mhing_hand_helps(&player->hand, player->melds, player->seven_pairs, distance - 1, player->known);
    for (; types; types &= types - 1) {
        rate += mhing_rate_of(outlook, &player->hand, mh_bits_lowest(types));
    }
    for (int left = 1; left <= distance; left++) {
        const double end = outlook->end[stage + distance - left];
        const double pace = left < distance ? outlook->pace[left] : rate;
        value = (pace * value + end * outlook->lost) / (pace + end);
    }
    return value;
}

/* Finds, among the discards that leave the hand nearest, the `most` with the most useful cards; writes types, returns
 * how many, and *distance. A joker is none of them. */
static int likely_discards(const struct mhing_player *player, int most, uint8_t discards[JOKER], int *distance)
{
    const struct mhing_hand *hand = &player->hand;
    uint8_t after[JOKER + 1];
    uint64_t helps[JOKER + 1];
    int useful[JOKER];
    int count = 0;
    *distance = mhing_hand_after_discards(hand, player->melds, player->seven_pairs, after);
    uint64_t types = mhing_discards_to(hand, after, *distance) & ~((uint64_t)1 << JOKER);
    const int is_choice = mh_bits_count(types) > most;
    struct unseen_cards unseen = {{0}};
    if (is_choice) {
        mhing_discards_help(hand, player->melds, player->seven_pairs, types, after, helps);
        unseen = mhing_unseen_cards(player);
    }
    for (; types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        const int cards = is_choice ? mhing_count_unseen(&unseen, helps[type]) : 0;
        int place = count++;
        for (; place > 0 && useful[place - 1] < cards; place--) {
            useful[place] = useful[place - 1];
            discards[place] = discards[place - 1];
        }
        useful[place] = cards;
        discards[place] = (uint8_t)type;
    }
    return count < most ? count : most;
}

/* The largest value after one of the `most` likely discards. */
static double value_after_discard(struct outlook *outlook, struct mhing_player *player, int most, int stage)
{
    struct search search;
    if (is_known(outlook, &player->hand, stage, &search)) {
        return search.memo.value;
    }
    uint8_t discards[JOKER];
    int distance;
    const int count = likely_discards(player, most, discards, &distance);
    double best = outlook->lost;
    for (int i = 0; i < count; i++) {
        hand_take(&player->hand, discards[i]);
        const double value = mhing_expect(outlook, player, distance, stage);
        hand_add(&player->hand, discards[i]);
        best = value > best ? value : best;
    }
    return keep_value(outlook, &search, best);
}

/* The useful types that come at no less than this share of the rate at which the likeliest comes. */
static uint64_t likely_types(const struct outlook *outlook, const struct mhing_player *player, uint64_t types,
                             double share)
{
    double most = 0;
    uint64_t likely = 0;
    for (uint64_t left = types; left; left &= left - 1) {
        const double rate = mhing_rate_of(outlook, &player->hand, mh_bits_lowest(left));
        most = rate > most ? rate : most;
    }
    for (uint64_t left = types; left; left &= left - 1) {
        const int type = mh_bits_lowest(left);
        likely |= (uint64_t)(mhing_rate_of(outlook, &player->hand, type) >= share * most) << type;
    }
    return likely;
}

/* Two or three cards from complete: each useful card is worth what the hand is then. Of three, rare cards are left out:
 * it takes a third of the time and changes little. */
static double near_value(struct outlook *outlook, struct mhing_player *player, int distance, int stage)
{
    struct race race = {.cards = 0};
    const int most = distance == 2 && stage == 0 ? 2 : 1;
    uint64_t types =
        mhing_hand_helps(&player->hand, player->melds, player->seven_pairs, distance - 1, player->known);
    for (types = distance == 3 ? likely_types(outlook, player, types, 0.4) : types; types; types &= types - 1) {
        const int type = mh_bits_lowest(types);
        if (player->unseen[type]) {
            const double rate = mhing_rate_of(outlook, &player->hand, type);
            hand_add(&player->hand, type);
            player->unseen[type]--;
            race_add(&race, rate, value_after_discard(outlook, player, most, stage + 1));
            player->unseen[type]++;
            hand_take(&player->hand, type);
        }
    }
    return race_value(&race, outlook->end[stage], outlook->lost);
}

double mhing_expect(struct outlook *outlook, struct mhing_player *player, int distance, int stage)
{
    struct search search;
    if (is_known(outlook, &player->hand, stage, &search)) {
        return search.memo.value;
    }
    return keep_value(outlook, &search,
                      distance == 1       ? waiting_value(outlook, player, stage)
                      : distance <= EXACT ? near_value(outlook, player, distance, stage)
                                          : far_value(outlook, player, distance, stage));
}

/* ---- Decisions ------------------------------------------------------------------------------------------- */

struct mhing_choice {
    double value;
    int action;
};

static void note(double *values, int action, double value)
{
    if (values) {
        values[action] = value;
    }
}

/* The discard that leaves most. From a waiting hand a step back may pay: a dearer one may be as near. Among equals the
 * highest type, as with greedy; a joker only where nothing else is left. With `all` the others are judged as
 * well, which shows in `values` only. */
static struct mhing_choice best_discard(struct outlook *outlook, struct mhing_player *player, int all,
                                        double *values)
{
    uint8_t after[JOKER + 1];
    struct mhing_choice best = {outlook->lost, ACTION_discard + JOKER};
    int found = 0;
    const int nearest = mhing_hand_after_discards(&player->hand, player->melds, player->seven_pairs, after);
    const int farthest = nearest == 1 ? 2 : nearest;
    for (int type = 0; type <= JOKER; type++) {
        const int is_candidate = type < JOKER && after[type] <= farthest;
        if (player->hand.count[type] && (is_candidate || all)) {
            hand_take(&player->hand, type);
            const double value = mhing_expect(outlook, player, after[type], 0);
            hand_add(&player->hand, type);
            note(values, ACTION_discard + type, value);
            if (is_candidate && (!found || value >= best.value)) {
                best = (struct mhing_choice){value, ACTION_discard + type};
                found = 1;
            }
        }
    }
    return best;
}

/* The value of the hand with one more meld on the table, after its best discard. */
static double value_of_meld(struct outlook *outlook, const struct mhing_player *player, int action, int claimed)
{
    struct mhing_player next;
    mhing_after_meld(player, action, claimed, &next);
    outlook->branch++;
    return best_discard(outlook, &next, 0, NULL).value;
}

/* Melds from the hand (R3.2) bring nothing nearer: they are judged, never laid. */
static int choose_on_turn(const struct mhing_state *state, struct outlook *outlook, struct mhing_player *player,
                          int all, double *values)
{
    struct mhing_choice best = best_discard(outlook, player, all, values);
    if (mh_set_has(state->legal, ACTION_mhing)) {
        const int credits = mhing_player_credits(player);
        const double now = mhing_earned(state, state->head.seat, state->claimed_from, credits);
        note(values, ACTION_mhing, now);
        best = now >= best.value ? (struct mhing_choice){now, ACTION_mhing} : best;
    }
    for (int action = mh_set_next(state->legal, LEGAL_WORDS, ACTION_sequence);
         all && action >= 0 && action < ACTION_pass; action = mh_set_next(state->legal, LEGAL_WORDS, action + 1)) {
        values[action] = value_of_meld(outlook, player, action, -1);
    }
    return best.action;
}

static int choose_claim(const struct mhing_state *state, struct outlook *outlook, struct mhing_player *player,
                        int all, double *values)
{
    const uint64_t *legal = state->legal;
    const int type = state->offer - 1;
    const int distance = mhing_player_distance(player);
    struct mhing_choice melds[ACTION_pass - ACTION_sequence];
    int count = 0;
    for (int action = mh_set_next(legal, LEGAL_WORDS, ACTION_sequence); action < ACTION_pass;
         action = mh_set_next(legal, LEGAL_WORDS, action + 1)) {
        if (mhing_distance_with(player, action, type) < distance) {
            melds[count++].action = action;
        } else if (all) {
            values[action] = value_of_meld(outlook, player, action, type);
        }
    }
    struct mhing_choice best = {0, ACTION_pass};
    if (count || values || mh_set_has(legal, ACTION_mhing)) {
        best.value = mhing_expect(outlook, player, distance, 0);
        note(values, ACTION_pass, best.value);
    }
    if (mh_set_has(legal, ACTION_mhing)) {
        hand_add(&player->hand, type);
        const double now = mhing_earned(state, state->head.seat, state->on_turn, mhing_player_credits(player));
        hand_take(&player->hand, type);
        note(values, ACTION_mhing, now);
        best = now >= best.value ? (struct mhing_choice){now, ACTION_mhing} : best;
    }
    for (int i = 0; i < count; i++) {
        melds[i].value = value_of_meld(outlook, player, melds[i].action, type);
        note(values, melds[i].action, melds[i].value);
        best = melds[i].value > best.value ? melds[i] : best;
    }
    return best.action;
}

/* The action to play. `values`, by action, may be NULL; otherwise it gets those that were looked at, which with `all`
 * are the legal ones. */
static int expert_choose(const struct mhing_state *state, int all, double *values)
{
    const int seat = state->head.seat;
    struct mhing_player player;
    mhing_player_of(state, seat, &player);
    struct outlook outlook;
    mhing_look_ahead(state, seat, &player, &outlook);
    player.known = &outlook.known;
    return state->phase == PHASE_CLAIM ? choose_claim(state, &outlook, &player, all, values)
                                       : choose_on_turn(state, &outlook, &player, all, values);
}

int mhing_expert(const struct mhing_state *state, struct mh_rng *rng)
{
    (void)rng;
    return expert_choose(state, 0, NULL);
}

/* A move that the choice leaves out, since it leads away from a complete hand, is worth no more than what it takes:
 * hands at different distances are judged too differently to be compared. A game that is won at its end is played for
 * points or chips, which are not what it pays. */
void mhing_expert_values(const struct mhing_state *state, int all, double *values)
{
    if (mhing_goal(state) != state->options[OPTION_reward]) {
        return;
    }
    const double best = values[expert_choose(state, all, values)];
    for (int action = 0; action < ACTIONS; action++) {
        values[action] = values[action] > best ? best : values[action];
    }
}
