/* The expert player of Mhing: its race and its values against slow, separate computations; what a seat is paid. */
#include "check.h"

#include <string.h>

#include "bots/expert.h"
#include "mh.h"

static int is_near(double left, double right)
{
    const double gap = left > right ? left - right : right - left;
    const double size = (left > 0 ? left : -left) + 1;
    return gap <= 1e-9 * size;
}

static double uniform(struct mh_rng *rng)
{
    return mh_rng_below(rng, 1000) / 1000.0;
}

/* ---- The race -------------------------------------------------------------------------------------------- */

/* The best value over all subsets of cards. */
static double best_subset(const double *rate, const double *worth, int cards, double end, double lost)
{
    double best = lost;
    for (int set = 0; set < 1 << cards; set++) {
        double sum = end * lost;
        double rates = end;
        for (int i = 0; i < cards; i++) {
            sum += set >> i & 1 ? rate[i] * worth[i] : 0;
            rates += set >> i & 1 ? rate[i] : 0;
        }
        best = sum / rates > best ? sum / rates : best;
    }
    return best;
}

static void test_race(void)
{
    enum { MOST = 9 };
    struct mh_rng rng = mh_rng_stream(1, 'T');
    for (int trial = 0; trial < 2000; trial++) {
        double rate[MOST];
        double worth[MOST];
        struct race race = {.cards = 0};
        const int cards = (int)mh_rng_below(&rng, MOST + 1);
        const double end = 0.01 + uniform(&rng);
        const double lost = trial % 2 ? 0 : -5 * uniform(&rng);
        for (int i = 0; i < cards; i++) {
            rate[i] = uniform(&rng);
            worth[i] = 10 * uniform(&rng) - (lost < 0 ? 4 : 0);
            race_add(&race, rate[i], worth[i]);
        }
        CHECK(is_near(race_value(&race, end, lost), best_subset(rate, worth, cards, end, lost)));
    }
}

/* ---- Values of hands ------------------------------------------------------------------------------------- */

static int distance_of(const struct mhing_player *player)
{
    struct mhing_cards cards = player->cards;
    memcpy(cards.count, player->hand.count, sizeof cards.count);
    return mhing_distance(&cards, player->seven_pairs);
}

static void put(struct mhing_player *player, int type, int change)
{
    player->hand.count[type] = (uint8_t)(player->hand.count[type] + change);
    player->hand = hand_of_counts(player->hand.count);
}

/* Unseen cards that bring a hand nearer, by trying all. */
static int plain_useful(struct mhing_player *player, int distance)
{
    int useful = 0;
    for (int type = 0; type <= JOKER; type++) {
        if (type == JOKER || player->hand.count[type] < COPIES) {
            put(player, type, 1);
            useful += distance_of(player) < distance ? player->unseen[type] : 0;
            put(player, type, -1);
        }
    }
    return useful;
}

static double plain_value(const struct outlook *outlook, struct mhing_player *player, int stage);

/* After the best of the `most` discards that leave the hand nearest, with the most useful cards. */
static double plain_after_discard(const struct outlook *outlook, struct mhing_player *player, int most, int stage)
{
    int nearest = 99;
    int looked_at[JOKER + 1] = {0};
    double best = outlook->lost;
    for (int type = 0; type < JOKER; type++) {
        if (player->hand.count[type]) {
            put(player, type, -1);
            const int distance = distance_of(player);
            nearest = distance < nearest ? distance : nearest;
            put(player, type, 1);
        }
    }
    for (int turn = 0; turn < most; turn++) {
        int chosen = -1;
        int most_useful = -1;
        for (int type = 0; type < JOKER; type++) {
            if (player->hand.count[type] && !looked_at[type]) {
                put(player, type, -1);
                const int useful = distance_of(player) == nearest ? plain_useful(player, nearest) : -1;
                chosen = useful > most_useful ? type : chosen;
                most_useful = useful > most_useful ? useful : most_useful;
                put(player, type, 1);
            }
        }
        if (chosen >= 0) {
            looked_at[chosen] = 1;
            put(player, chosen, -1);
            const double value = plain_value(outlook, player, stage);
            best = value > best ? value : best;
            put(player, chosen, 1);
        }
    }
    return best;
}

/* After further cards, all that complete a hand are taken for the likeliest of them. */
static void take_for_likeliest(const double *rate, double *worth)
{
    int likeliest = 0;
    for (int type = 0; type <= JOKER; type++) {
        likeliest = rate[type] > rate[likeliest] ? type : likeliest;
    }
    for (int type = 0; type <= JOKER; type++) {
        worth[type] = rate[type] > 0 ? worth[likeliest] : 0;
    }
}

/* The value of a hand one to three cards from complete, all 35 types tried and nothing remembered; the race by raising
 * a bar until it meets the value of taking all above it. */
static double plain_value(const struct outlook *outlook, struct mhing_player *player, int stage)
{
    double rate[JOKER + 1] = {0};
    double worth[JOKER + 1] = {0};
    const int distance = distance_of(player);
    for (int type = 0; type <= JOKER; type++) {
        if (!player->unseen[type] || (type < JOKER && player->hand.count[type] == COPIES)) {
            continue;
        }
        const double nearer = mhing_rate_of(outlook, &player->hand, type);
        put(player, type, 1);
        player->unseen[type]--;
        if (distance_of(player) < distance) {
            rate[type] = distance == 1 ? outlook->declare[type] : nearer;
            worth[type] = distance == 1
                              ? outlook->worth[mhing_player_credits(player)]
                              : plain_after_discard(outlook, player, distance == 2 && !stage ? 2 : 1, stage + 1);
        }
        player->unseen[type]++;
        put(player, type, -1);
    }
    if (distance == 1 && stage > 0) {
        take_for_likeliest(rate, worth);
    }
    double most = 0;
    for (int type = 0; type <= JOKER; type++) {
        most = rate[type] > most ? rate[type] : most;
    }
    double value = outlook->lost;
    for (int round = 0; round <= JOKER + 1; round++) {
        double sum = outlook->end[stage] * outlook->lost;
        double rates = outlook->end[stage];
        for (int type = 0; type <= JOKER; type++) {
            if (worth[type] > value && (distance < 3 || rate[type] >= 0.4 * most)) {
                sum += rate[type] * worth[type];
                rates += rate[type];
            }
        }
        value = sum / rates;
    }
    return value;
}

/* Compares the value of every seat's hand before its draw along greedy games; returns how many at this distance. */
static int compare_values(const char *options, int distance, int seeds)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = NULL;
    struct mh_sizes sizes;
    CHECK(mh_game_new("mhing", options, message, &game) == MH_OK);
    CHECK(mh_game_sizes(game, &sizes) == MH_OK);
    struct mhing_state *state = check_memory((size_t)sizes.state);
    struct outlook *outlook = check_memory(sizeof *outlook);
    const int bot = mh_bot_index(game, "greedy", message);
    int compared = 0;
    for (int seed = 0; seed < seeds; seed++) {
        uint64_t random = 1;
        CHECK(mh_state_reset(game, state, (uint64_t)seed, message) == MH_OK);
        for (int moment = 0; mh_state_seat(state) >= 0; moment++) {
            int action = 0;
            const int seat = (mh_state_seat(state) + 1) % sizes.seats;
            struct mhing_player player;
            mhing_player_of(state, seat, &player);
            if (moment % 7 == seed % 7 && seat != state->on_turn && mhing_player_distance(&player) == distance) {
                mhing_look_ahead(state, seat, &player, outlook);
                const double expected = plain_value(outlook, &player, 0);
                CHECK(is_near(mhing_expect(outlook, &player, distance, 0), expected));
                compared++;
            }
            CHECK(mh_state_bot_action(game, state, bot, &random, &action) == MH_OK);
            CHECK(mh_state_apply(game, state, action, message) == MH_OK);
        }
    }
    free(outlook);
    free(state);
    mh_game_free(&game);
    return compared;
}

static void test_values(void)
{
    CHECK(compare_values("", 1, 100) > 20);
    CHECK(compare_values("", 2, 60) > 20);
    CHECK(compare_values("", 3, 8) > 2);
    CHECK(compare_values("num_players=2 seven_pairs=on reward=points", 1, 60) > 10);
    CHECK(compare_values("num_players=3 reward=chips", 2, 60) > 10);
}

/* A player of a state of which the hand, and the melds on the table, are to be set. */
static struct mhing_player some_player(struct outlook *outlook)
{
    char message[MH_MESSAGE_SIZE] = "";
    struct mh_game *game = NULL;
    struct mhing_state *state = check_memory(sizeof *state);
    CHECK(mh_game_new("mhing", "", message, &game) == MH_OK);
    CHECK(mh_state_reset(game, state, 1, message) == MH_OK);
    struct mhing_player player;
    mhing_player_of(state, 1, &player);
    mhing_look_ahead(state, 1, &player, outlook);
    free(state);
    mh_game_free(&game);
    return player;
}

static void hold(struct mhing_player *player, const char *hand, const char *melds)
{
    char message[MH_MESSAGE_SIZE] = "";
    CHECK(mhing_parse_hand(hand, melds, 0, &player->cards, message) == MH_OK);
    player->hand = hand_of_counts(player->cards.count);
    player->melds = MELDS - player->cards.melds;
}

/* The last card of a type is not drawn twice. */
static void test_scarce_cards(void)
{
    static const char *const hands[] = {"123s456p789mN99pE", "123s456p78mEER19s", "123s44p66p8mEERR9m"};
    struct outlook *outlook = check_memory(sizeof *outlook);
    struct mhing_player player = some_player(outlook);
    memset(player.unseen, 1, sizeof player.unseen);
    for (int i = 0; i < (int)(sizeof hands / sizeof *hands); i++) {
        hold(&player, hands[i], "");
        const int distance = distance_of(&player);
        CHECK(distance == 2 || distance == 3);
        outlook->branch++;
        const double expected = plain_value(outlook, &player, 0);
        CHECK(is_near(mhing_expect(outlook, &player, distance, 0), expected));
    }
    free(outlook);
}

/* Values found before are those of no other hand or stage, however alike. The hands differ in the cards from `low` to
 * `high` only, and are so many that some have the same place among the memos. Values of those far from complete depend
 * on nothing that was found on the way. */
static void compare_alike(const char *others, int low, int high)
{
    enum { HANDS = 300, HAND_CARDS = 13, FAR = 4, LAST_STAGE = 7 };
    int compared = 0;
    struct outlook *empty = check_memory(sizeof *empty);
    struct outlook *alone = check_memory(sizeof *alone);
    struct outlook *shared = check_memory(sizeof *shared);
    struct mh_rng rng = mh_rng_stream(1, 'A');
    const struct mhing_player nobody = some_player(empty);
    *shared = *empty;
    for (int i = 0; i < HANDS; i++) {
        struct mhing_player player = nobody;
        hold(&player, others, "EEE RRR"); /* which stand for the six cards that are to come */
        player.melds = MELDS;
        player.cards.melds = 0;
        for (int cards = hand_count_cards(player.hand.count); cards < HAND_CARDS;) {
            const int type = low + (int)mh_rng_below(&rng, (uint32_t)(high - low + 1));
            if (player.hand.count[type] < COPIES) {
                put(&player, type, 1);
                cards++;
            }
        }
        const int distance = distance_of(&player);
        for (int stage = 0; stage <= LAST_STAGE && distance >= FAR; stage++) {
            *alone = *empty;
            const double value = mhing_expect(alone, &player, distance, stage);
            CHECK(is_near(mhing_expect(shared, &player, distance, stage), value));
            compared++;
        }
    }
    CHECK(compared > HANDS);
    free(empty);
    free(alone);
    free(shared);
}

static void test_alike_hands(void)
{
    compare_alike("1147s158p", WINDS, JOKER);
    compare_alike("1147p158m", 0, 8);
    compare_alike("1147s158m", 9, 17);
    compare_alike("1147s158p", 18, 26);
}

/* Nor are they those of the same hand with other melds on the table. */
static void test_melds_differ(void)
{
    static const char *const melds[] = {"RRR", "234p", "EEE", "789m"};
    enum { TABLES = sizeof melds / sizeof *melds };
    struct outlook *outlook = check_memory(sizeof *outlook);
    struct mhing_player player = some_player(outlook);
    for (int i = 0; i < TABLES; i++) {
        hold(&player, "123s456p78mNN", melds[i]);
        outlook->branch++;
        const double expected = plain_value(outlook, &player, 0);
        CHECK(is_near(mhing_expect(outlook, &player, 1, 0), expected));
    }
    free(outlook);
}

/* ---- Pay ------------------------------------------------------------------------------------------------- */

/* A declaration earns what the game then pays, no matter which seat declares. */
static void test_earned(void)
{
    static const char *const options[] = {"", "reward=points", "reward=chips", "reward=win",
                                          "reward=chips scoring=chips episode=game rounds=40"};
    for (int i = 0; i < (int)(sizeof options / sizeof *options); i++) {
        char message[MH_MESSAGE_SIZE] = "";
        struct mh_game *game = NULL;
        struct mh_sizes sizes;
        CHECK(mh_game_new("mhing", options[i], message, &game) == MH_OK);
        CHECK(mh_game_sizes(game, &sizes) == MH_OK);
        struct mhing_state *state = check_memory((size_t)sizes.state);
        const int bot = mh_bot_index(game, "greedy", message);
        int declared = 0;
        for (int seed = 0; seed < 10; seed++) {
            uint64_t random = 1;
            CHECK(mh_state_reset(game, state, (uint64_t)seed, message) == MH_OK);
            while (mh_state_seat(state) >= 0) {
                int action = 0;
                float rewards[SEATS];
                const int rounds = mh_state_rounds(state);
                const struct mhing_state before = *state;
                CHECK(mh_state_bot_action(game, state, bot, &random, &action) == MH_OK);
                CHECK(mh_state_apply(game, state, action, message) == MH_OK);
                CHECK(mh_state_rewards(game, state, rewards) == MH_OK);
                if (mh_state_rounds(state) > rounds && state->last.winner >= 0) {
                    const int winner = state->last.winner;
                    CHECK(is_near(mhing_earned(&before, winner, state->last.payer, state->last.score.credits),
                                  (double)rewards[winner]));
                    declared++;
                }
            }
        }
        CHECK(declared > 5);
        free(state);
        mh_game_free(&game);
    }
}

int main(void)
{
    test_race();
    test_values();
    test_scarce_cards();
    test_alike_hands();
    test_melds_differ();
    test_earned();
    return 0;
}
