/* The cost of scoring a hand of Mhing, and of its distance from a complete one. */
#include <stdio.h>

#include "bench.h"

static uint64_t random_state = 12345;

static int random_below(int bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)bound);
}

/* A complete hand of random melds and a pair, some of its cards replaced by Mhing cards. */
static struct mhing_cards complete_hand(int jokers)
{
    for (;;) {
        struct mhing_cards cards = {.melds = 0};
        int cards_left = 14;
        int fits = 1;
        for (int i = 0; i < 4; i++) {
            const int kind = random_below(55);
            for (int place = 0; place < 3; place++) {
                const int type = kind < 21 ? kind / 7 * 9 + kind % 7 + place : kind - 21;
                cards.count[type]++;
            }
        }
        cards.count[random_below(34)] += 2;
        for (int type = 0; type < 34; type++) {
            fits &= cards.count[type] <= 4;
        }
        while (fits && cards.count[34] < jokers) {
            const int type = random_below(34);
            if (cards.count[type] && random_below(cards_left) < 4) {
                cards.count[type]--;
                cards.count[34]++;
            }
        }
        if (fits) {
            return cards;
        }
    }
}

static double score_ns(const struct hands *hands)
{
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = cpu_seconds();
        long long calls = 0;
        double spent = 0;
        while (spent < seconds_a_line / ROUNDS) {
            for (int i = 0; i < hands->count; i++) {
                struct mhing_score score;
                calls += mhing_score_hand(&hands->cards[i], 0, &score) == 1;
            }
            spent = cpu_seconds() - begin;
        }
        times[round] = spent / (double)calls * 1e9;
    }
    return median(times);
}

/* The hand that takes longest: of each hand the fastest of several timings, which other hands lie between. So short a
 * time can only be told by the wall clock. */
static double worst_score_ns(const struct hands *hands)
{
    static double fastest[SCORED];
    double worst = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < hands->count; i++) {
            struct mhing_score score;
            const double begin = wall_ns();
            mhing_score_hand(&hands->cards[i], 0, &score);
            const double ns = wall_ns() - begin;
            fastest[i] = round == 0 || ns < fastest[i] ? ns : fastest[i];
        }
    }
    for (int i = 0; i < hands->count; i++) {
        worst = fastest[i] > worst ? fastest[i] : worst;
    }
    return worst;
}

static double distance_ns(void)
{
    enum { HANDS = 4096 };
    static struct mhing_cards hands[HANDS];
    static int8_t distances[HANDS];
    double times[ROUNDS];
    for (int i = 0; i < HANDS; i++) {
        uint8_t deck[136];
        for (int card = 0; card < 136; card++) {
            deck[card] = (uint8_t)(card / 4);
        }
        for (int card = 0; card < 13 + i % 2; card++) {
            const int other = card + random_below(136 - card);
            hands[i].count[deck[other]]++;
            deck[other] = deck[card];
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = cpu_seconds();
        double spent = 0;
        long long calls = 0;
        while (spent < seconds_a_line / ROUNDS) {
            calls += mhing_distances(hands, HANDS, 0, distances);
            spent = cpu_seconds() - begin;
        }
        times[round] = spent / (double)calls * 1e9;
    }
    return median(times);
}

void print_hands(struct hands *hands)
{
    enum { MOST = 6, GOAL_NS = 1500 };
    printf("\nmhing, scoring a hand, worst of %d\n%-40s\taverage\t  worst\tgoal\tmet\n", SCORED, "nanoseconds");
    printf("%-40s\t%7.0f\t%7.0f\t\t\n", "as declared in greedy play", score_ns(hands), worst_score_ns(hands));
    for (int jokers = 0; jokers <= MOST; jokers++) {
        char label[64];
        hands->count = SCORED;
        for (int i = 0; i < hands->count; i++) {
            hands->cards[i] = complete_hand(jokers);
        }
        const double average = score_ns(hands);
        snprintf(label, sizeof label, "random complete hand with %d Mhing cards", jokers);
        printf("%-40s\t%7.0f\t%7.0f\t", label, average, worst_score_ns(hands));
        if (jokers == MOST) {
            printf("%d\t%s\n", GOAL_NS, average <= GOAL_NS ? "yes" : "no");
        } else {
            printf("\t\n");
        }
    }
    printf("%-40s\t%7.0f\t\t\t\n", "distance of a hand, all shapes", distance_ns());
}
