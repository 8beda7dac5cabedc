/* The two searches behind laying down: cards that lack for an objective, and all cards in one set and two runs. */
#include "solve.h"

/* ---- Cards missing for an objective ----------------------------------------------------------------------- */

/* The numbers of cards of each rank, as four planes of bits: 1s, 2s, 4s, 8s. */
struct rank_counts {
    unsigned ones, twos, fours, eights;
};

/* Adds a card of each rank in `one` and two of each in `two`. */
static void add_ranks(struct rank_counts *sum, unsigned one, unsigned two)
{
    const unsigned carry = sum->ones & one;
    const unsigned carry_two = (sum->twos & (two | carry)) | (two & carry);
    sum->ones ^= one;
    sum->twos ^= two ^ carry;
    sum->eights |= sum->fours & carry_two;
    sum->fours ^= carry_two;
}

/* Wilds that no run has used are 2s. */
static struct rank_counts count_ranks(const struct holding *holding)
{
    struct rank_counts sum = {0, 0, 0, 0};
    for (int suit = 0; suit < SUITS; suit++) {
        const unsigned both = suit_ranks(holding->both, suit);
        add_ranks(&sum, suit_ranks(holding->any, suit) & ~both, both);
    }
    for (int i = 0; i < holding->wilds; i++) {
        add_ranks(&sum, 1u << TWO, 0);
    }
    return sum;
}

/* Ranks by what a set of each lacks. Two sets of a rank can be had, so the second one of a rank is counted apart: it is
 * begun with the cards from the fourth on. A first set is never dearer than the second one of its rank. */
struct set_ranks {
    unsigned at_cost[SET_CARDS + 1]; /* the last: not begun */
    int count[SET_CARDS];
};

static struct set_ranks find_set_ranks(const struct holding *holding)
{
    const struct rank_counts n = count_ranks(holding);
    const unsigned three = (n.ones & n.twos) | n.fours | n.eights;
    const unsigned six = (n.twos & n.fours) | n.eights;
    struct set_ranks ranks = {.at_cost = {three, (n.twos & ~n.ones & ~n.fours) | (n.fours & n.ones & ~n.twos),
                                          (n.ones ^ n.fours) & ~n.twos,
                                          ~(n.ones ^ n.twos) & ~n.fours & ~n.eights & ((1u << RANKS) - 1)}};
    ranks.count[0] = mh_bits_count(three) + mh_bits_count(six);
    ranks.count[1] = mh_bits_count(ranks.at_cost[1]);
    ranks.count[2] = mh_bits_count(ranks.at_cost[2]);
    return ranks;
}

/* The cheapest sets are taken. */
static int sets_lacking(const struct holding *holding, int sets)
{
    if (sets == 0) {
        return 0;
    }
    const struct set_ranks ranks = find_set_ranks(holding);
    int lacking = 0;
    for (int cost = 0; cost < SET_CARDS; cost++) {
        const int taken = ranks.count[cost] < sets ? ranks.count[cost] : sets;
        lacking += taken * cost;
        sets -= taken;
    }
    return lacking + sets * SET_CARDS;
}

/* Returns the cards left when a run of `suit` is made of these naturals and so many wilds. */
static struct holding without_run(const struct holding *holding, int suit, unsigned naturals, int wilds)
{
    const uint64_t used = (uint64_t)places_to_ranks(naturals) << suit * RANKS;
    const struct holding rest = {(holding->any & ~used) | (holding->both & used), holding->both & ~used,
                                 holding->wilds - wilds};
    return rest;
}

static int lacking_from(const struct holding *holding, int sets, int runs, int window, int least, int limit);

/* Likewise when a run of `suit` is made of these naturals and wilds, and more runs come from `window` on. */
static int lacking_with(const struct holding *holding, int sets, int runs, int suit, unsigned naturals, int window,
                        int least, int limit)
{
    const int missing = RUN_CARDS - mh_bits_count(naturals);
    const int wilds = missing < holding->wilds ? missing : holding->wilds;
    const int lacking = missing - wilds;
    if (lacking >= limit) {
        return limit;
    }
    const struct holding rest = without_run(holding, suit, naturals, wilds);
    return lacking + lacking_from(&rest, sets, runs - 1, window, least - lacking, limit - lacking);
}

/* The cards that a run lacks, by which of its four places have naturals. */
static const uint8_t missing_of[1 << RUN_CARDS] = {4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0};

/* Writes what the runs from `window` on lack before wilds, and returns the least of it. A window is suit * 11 +
 * lowest place. */
static int missing_in_runs(const struct holding *holding, int window, uint8_t missing[SUITS * LOWS])
{
    int fewest = RUN_CARDS;
    for (int suit = window / LOWS; suit < SUITS; suit++) {
        const unsigned held = ranks_to_places(suit_ranks(holding->any, suit));
        for (int low = suit == window / LOWS ? window % LOWS : 0; low < LOWS; low++) {
            const int lacking = missing_of[held >> low & 15];
            missing[suit * LOWS + low] = (uint8_t)lacking;
            fewest = lacking < fewest ? lacking : fewest;
        }
    }
    return fewest;
}

/* Tries every run from `window` on. Without wilds to spare a natural card is used in a run wherever it is held: were it
 * kept for a set, the run would lack one more card, and the set at most one less. Wilds to spare may free cards for
 * sets. No run lacks fewer cards than the one that lacks fewest. */
static int lacking_from(const struct holding *holding, int sets, int runs, int window, int least, int limit)
{
    const int in_sets = sets_lacking(holding, sets);
    if (runs == 0 || in_sets >= limit) {
        return in_sets < limit ? in_sets : limit;
    }
    const int enough = in_sets > least ? in_sets : least;
    uint8_t missing[SUITS * LOWS];
    const int fewest = missing_in_runs(holding, window, missing);
    int best = limit;
    for (; window < SUITS * LOWS && best > enough; window++) {
        const int in_all = missing[window] + (runs - 1) * fewest - holding->wilds;
        if ((in_all > 0 ? in_all : 0) + in_sets >= best) {
            continue;
        }
        const int suit = window / LOWS;
        const unsigned naturals = places_held(holding->any, window);
        const int spare = sets ? holding->wilds - missing[window] : 0;
        best = lacking_with(holding, sets, runs, suit, naturals, window, least, best);
        for (unsigned kept = spare > 0 ? naturals : 0; kept; kept = (kept - 1) & naturals) {
            if (mh_bits_count(kept) <= spare) {
                best = lacking_with(holding, sets, runs, suit, naturals & ~kept, window, least, best);
            }
        }
    }
    return best;
}

int rummy_lacking(const struct holding *holding, struct rummy_objective wanted, int least, int limit)
{
    return lacking_from(holding, wanted.sets, wanted.runs, 0, least, limit);
}

/* ---- Which cards make fewer lack -------------------------------------------------------------------------- */

/* A card helps where fewer sets than are wanted are cheaper than that of its rank. */
static uint64_t helping_sets(const struct holding *holding, int sets)
{
    const struct set_ranks ranks = find_set_ranks(holding);
    unsigned helping = 0;
    for (int cost = 1; cost <= SET_CARDS; cost++) {
        sets -= ranks.count[cost - 1];
        helping |= sets > 0 ? ranks.at_cost[cost] : 0;
    }
    uint64_t types = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        types |= (uint64_t)helping << suit * RANKS;
    }
    return types;
}

static uint64_t helping_from(const struct holding *holding, int sets, int runs, int window, int lacking);

/* Likewise when a run is made of these naturals and so many wilds: what it lacks, and what the rest lacks. */
static uint64_t helping_with(const struct holding *holding, int sets, int runs, int window, unsigned naturals,
                             int wilds, int lacking)
{
    const int suit = window / LOWS;
    const int missing = RUN_CARDS - mh_bits_count(naturals) - wilds;
    const int left = lacking - missing;
    const struct holding rest = without_run(holding, suit, naturals, wilds);
    if (lacking_from(&rest, sets, runs - 1, window, left, left + 1) > left) {
        return 0;
    }
    const unsigned open = places_from(window % LOWS, RUN_CARDS) & ~naturals;
    const uint64_t types = missing ? BLACK_TWOS | (uint64_t)places_to_ranks(open) << suit * RANKS : 0;
    return types | helping_from(&rest, sets, runs - 1, window, left);
}

/* Goes through all ways in which no more lack than `lacking`, the fewest. A natural is kept for a set only where a wild
 * takes its place, or the card that comes: otherwise the run lacks what the set would lack. */
static uint64_t helping_from(const struct holding *holding, int sets, int runs, int window, int lacking)
{
    if (lacking == 0 || runs == 0) {
        return lacking ? helping_sets(holding, sets) : 0;
    }
    const int in_sets = sets_lacking(holding, sets);
    uint64_t types = 0;
    for (; window < SUITS * LOWS; window++) {
        const unsigned there = places_held(holding->any, window);
        const int missing = RUN_CARDS - mh_bits_count(there);
        for (int wilds = 0; wilds <= holding->wilds && wilds <= RUN_CARDS; wilds++) {
            if (missing - wilds + in_sets > lacking) {
                continue;
            }
            for (unsigned kept = there;; kept = (kept - 1) & there) {
                const int open = missing + mh_bits_count(kept);
                if (mh_bits_count(kept) <= wilds + 1 && wilds <= open && open - wilds + in_sets <= lacking) {
                    types |= helping_with(holding, sets, runs, window, there & ~kept, wilds, lacking);
                }
                if (!kept) {
                    break;
                }
            }
        }
    }
    return types;
}

uint64_t rummy_helping(const struct holding *holding, struct rummy_objective wanted, int lacking)
{
    return helping_from(holding, wanted.sets, wanted.runs, 0, lacking);
}

/* ---- All cards in one set and two runs (R6) --------------------------------------------------------------- */

/* The cards that the runs and the set share: naturals of the set's rank can lie in either. */
struct cover {
    struct holding others; /* naturals of other ranks: they lie in runs */
    uint64_t any, both;    /* naturals of the set's rank */
    int twos;              /* wilds that may lie in the set instead: all when its rank is 2 */
    int least;             /* cards that the set needs of those */
    int in_runs;           /* cards that lie in runs if no natural of the set's rank does: others and wilds */
    int of_rank;           /* naturals of the set's rank */
};

/* Counts the naturals of one suit without a place among the free ones of the runs in it; `free` is 0 where a run is of
 * another suit. The ace has two places. */
static int without_place(unsigned any, unsigned both, unsigned free, unsigned more)
{
    const unsigned middle = 0x1FFE;
    const int aces = (int)((any & 1) + (both & 1));
    const int ace_places = (int)((free & 1) + (free >> HIGH_ACE & 1) + (more & 1) + (more >> HIGH_ACE & 1));
    return mh_bits_count(any & middle & ~(free | more)) + mh_bits_count(both & middle & ~(free & more)) +
           (aces > ace_places ? aces - ace_places : 0);
}

/* True if the naturals of a suit that must lie in runs have places among the free ones of one run or two. Adds to
 * `in_runs` how many of the set's rank have one too. */
static int has_places(const struct cover *cover, int suit, unsigned free, unsigned more, int *in_runs)
{
    const unsigned any = suit_ranks(cover->any, suit);
    const unsigned both = suit_ranks(cover->both, suit);
    *in_runs += mh_bits_count(any) + mh_bits_count(both) - without_place(any, both, free, more);
    return !without_place(suit_ranks(cover->others.any, suit), suit_ranks(cover->others.both, suit), free, more);
}

/* True if the cards fill these free places of the runs exactly, and what is left makes up the set. Their number tells
 * how many of the set's rank lie in runs, less the wilds that lie in the set. */
static int fills(const struct cover *cover, const struct run_begun runs[2], unsigned first, unsigned second)
{
    const int wanted = mh_bits_count(first) + mh_bits_count(second) - cover->in_runs;
    if (wanted < -cover->twos || cover->of_rank - wanted < cover->least) {
        return 0;
    }
    int most = 0;
    const int fit = runs[0].suit == runs[1].suit ? has_places(cover, runs[0].suit, first, second, &most)
                                                 : has_places(cover, runs[0].suit, first, 0, &most) &&
                                                       has_places(cover, runs[1].suit, second, 0, &most);
    return fit && wanted <= most;
}

/* Lists the free places of a run by its lengths and places; where it is the only one of its suit, of those that the
 * cards of the suit fit into. */
static int list_spans(const struct cover *cover, const struct run_begun *run, int only,
                      unsigned spans[LOWS * (LOWS + 1) / 2])
{
    int count = 0;
    int most = 0;
    for (int low = 0; low < LOWS; low++) {
        for (int length = RUN_CARDS; low + length <= PLACES; length++) {
            const unsigned span = places_from(low, length);
            if (!(run->window & ~span) && (!only || has_places(cover, run->suit, span & ~run->filled, 0, &most))) {
                spans[count++] = span & ~run->filled;
            }
        }
    }
    return count;
}

/* Tries every length and place of two runs in these suits. */
static int covers_in(const struct cover *cover, const struct run_begun runs[2])
{
    unsigned spans[2][LOWS * (LOWS + 1) / 2];
    const int only = runs[0].suit != runs[1].suit;
    const int first = list_spans(cover, &runs[0], only, spans[0]);
    const int second = first ? list_spans(cover, &runs[1], only, spans[1]) : 0;
    for (int i = 0; i < first; i++) {
        for (int j = 0; j < second; j++) {
            if (fills(cover, runs, spans[0][i], spans[1][j])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Tries all suits for runs that are not begun: of two such only in ascending order. */
static int covers_with(const struct cover *cover, const struct run_begun runs[2])
{
    const int first = runs[0].suit < 0 ? 0 : runs[0].suit;
    const int last = runs[0].suit < 0 ? SUITS - 1 : runs[0].suit;
    for (int suit = first; suit <= last; suit++) {
        const int from = runs[1].suit >= 0 ? runs[1].suit : runs[0].suit < 0 ? suit : 0;
        const int to = runs[1].suit >= 0 ? runs[1].suit : SUITS - 1;
        for (int other = from; other <= to; other++) {
            const uint64_t in_suits = (uint64_t)0x1FFF << suit * RANKS | (uint64_t)0x1FFF << other * RANKS;
            const struct run_begun both[2] = {{suit, runs[0].window, runs[0].filled},
                                              {other, runs[1].window, runs[1].filled}};
            if (!(cover->others.any & ~in_suits) && covers_in(cover, both)) {
                return 1;
            }
        }
    }
    return 0;
}

int rummy_covers(const struct holding *rest, int set_rank, const struct run_begun runs[2])
{
    for (int rank = set_rank < 0 ? 0 : set_rank; rank <= (set_rank < 0 ? RANKS - 1 : set_rank); rank++) {
        const uint64_t of_rank = rank_types(rank);
        struct cover cover = {
            .others = {rest->any & ~of_rank, rest->both & ~of_rank, rest->wilds},
            .any = rest->any & of_rank,
            .both = rest->both & of_rank,
            .twos = rank == TWO ? rest->wilds : 0,
            .least = set_rank < 0 ? SET_CARDS : 0,
        };
        cover.in_runs = mh_bits_count(cover.others.any) + mh_bits_count(cover.others.both) + rest->wilds;
        cover.of_rank = mh_bits_count(cover.any) + mh_bits_count(cover.both);
        if (cover.of_rank + cover.twos >= cover.least && covers_with(&cover, runs)) {
            return 1;
        }
    }
    return 0;
}
