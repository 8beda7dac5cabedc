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

/* Takes a card of each rank in `one` away. */
static void take_ranks(struct rank_counts *sum, unsigned one)
{
    const unsigned borrow = one & ~sum->ones;
    const unsigned borrow_two = borrow & ~sum->twos;
    sum->eights &= ~(borrow_two & ~sum->fours);
    sum->fours ^= borrow_two;
    sum->twos ^= borrow;
    sum->ones ^= one;
}

/* A holding with its ranks counted, where sets are wanted. */
struct counted {
    struct holding holding;
    struct rank_counts ranks;
};

/* Wilds that no run has used are 2s. */
static inline struct rank_counts count_ranks(const struct holding *holding)
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

static inline struct counted count_holding(const struct holding *holding, int sets)
{
    const struct rank_counts none = {0, 0, 0, 0};
    return (struct counted){*holding, sets ? count_ranks(holding) : none};
}

/* Ranks by what a set of each lacks. Two sets of a rank can be had, so the second one of a rank is counted apart: it is
 * begun with the cards from the fourth on. A first set is never dearer than the second one of its rank. */
struct set_ranks {
    unsigned at_cost[SET_CARDS + 1]; /* the last: not begun */
    int count[SET_CARDS];
};

static struct set_ranks find_set_ranks(const struct rank_counts *counts)
{
    const struct rank_counts n = *counts;
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
static int sets_lacking(const struct rank_counts *counts, int sets)
{
    if (sets == 0) {
        return 0;
    }
    const struct set_ranks ranks = find_set_ranks(counts);
    int lacking = 0;
    for (int cost = 0; cost < SET_CARDS; cost++) {
        const int taken = ranks.count[cost] < sets ? ranks.count[cost] : sets;
        lacking += taken * cost;
        sets -= taken;
    }
    return lacking + sets * SET_CARDS;
}

/* The least runs by the cards that they lack before wilds: sets of windows. A window is a bit of 64: suit * 14 + lowest
 * place. */
struct windows {
    uint64_t held; /* places */
    uint64_t lacking[RUN_CARDS + 1];
};

/* Those from a window on: counts the cards of all windows at once, in bits for 1, 2 and 4. */
static struct windows windows_from(const struct holding *holding, int window)
{
    uint64_t held = 0, lows = 0;
    for (int suit = 0; suit < SUITS; suit++) {
        held |= (uint64_t)ranks_to_places(suit_ranks(holding->any, suit)) << suit * PLACES;
        lows |= (uint64_t)((1 << LOWS) - 1) << suit * PLACES;
    }
    lows &= ~(uint64_t)0 << window;
    const uint64_t one = held ^ held >> 1, other = held >> 2 ^ held >> 3;
    const uint64_t pair = held & held >> 1, next_pair = held >> 2 & held >> 3;
    const uint64_t ones = one ^ other;
    const uint64_t twos = pair ^ next_pair ^ (one & other);
    const uint64_t fours = pair & next_pair;
    return (struct windows){held,
                            {lows & fours, lows & ones & twos, lows & ~ones & twos, lows & ones & ~twos,
                             lows & ~(ones | twos | fours)}};
}

static unsigned naturals_in(const struct windows *windows, int window)
{
    return (unsigned)(windows->held >> window / PLACES * PLACES) & places_from(window % PLACES, RUN_CARDS);
}

/* Returns the cards left when a run of `suit` is made of these naturals and so many wilds. */
static struct counted without_run(const struct counted *counted, int suit, unsigned naturals, int wilds)
{
    const struct holding *holding = &counted->holding;
    const unsigned ranks = places_to_ranks(naturals);
    const uint64_t used = (uint64_t)ranks << suit * RANKS;
    struct counted rest = {
        {(holding->any & ~used) | (holding->both & used), holding->both & ~used, holding->wilds - wilds},
        counted->ranks};
    take_ranks(&rest.ranks, ranks);
    for (int i = 0; i < wilds; i++) {
        take_ranks(&rest.ranks, 1u << TWO);
    }
    return rest;
}

static int lacking_from(const struct counted *counted, int sets, int runs, int window, int least, int limit);

/* Likewise when a run is made of these naturals and wilds, and more runs come from its window on. */
static int lacking_with(const struct counted *counted, int sets, int runs, int window, unsigned naturals, int least,
                        int limit)
{
    const int missing = RUN_CARDS - mh_bits_count(naturals);
    const int wilds = missing < counted->holding.wilds ? missing : counted->holding.wilds;
    const int lacking = missing - wilds;
    if (lacking >= limit) {
        return limit;
    }
    const struct counted rest = without_run(counted, window / PLACES, naturals, wilds);
    return lacking + lacking_from(&rest, sets, runs - 1, window, least - lacking, limit - lacking);
}

/* Tries every run from `window` on, those first that lack fewest: no other run lacks fewer cards. Without wilds to
 * spare a natural card is used in a run wherever it is held: were it kept for a set, the run would lack one more card,
 * and the set at most one less. Wilds to spare may free cards for sets. */
static int lacking_from(const struct counted *counted, int sets, int runs, int window, int least, int limit)
{
    const int in_sets = sets_lacking(&counted->ranks, sets);
    if (runs == 0 || in_sets >= limit) {
        return in_sets < limit ? in_sets : limit;
    }
    const int enough = in_sets > least ? in_sets : least;
    const struct windows windows = windows_from(&counted->holding, window);
    int fewest = 0;
    while (fewest < RUN_CARDS && !windows.lacking[fewest]) {
        fewest++;
    }
    int best = limit;
    for (int missing = fewest; missing <= RUN_CARDS; missing++) {
        const int in_all = missing + (runs - 1) * fewest - counted->holding.wilds;
        const int at_least = (in_all > 0 ? in_all : 0) + in_sets;
        const int spare = sets ? counted->holding.wilds - missing : 0;
        for (uint64_t rest = windows.lacking[missing]; rest && best > enough && best > at_least; rest &= rest - 1) {
            const int next = mh_bits_lowest(rest);
            const unsigned naturals = naturals_in(&windows, next);
            best = lacking_with(counted, sets, runs, next, naturals, least, best);
            for (unsigned kept = spare > 0 ? naturals : 0; kept; kept = (kept - 1) & naturals) {
                if (mh_bits_count(kept) <= spare) {
                    best = lacking_with(counted, sets, runs, next, naturals & ~kept, least, best);
                }
            }
        }
    }
    return best;
}

int rummy_lacking(const struct holding *holding, struct rummy_objective wanted, int least, int limit)
{
    const struct counted counted = count_holding(holding, wanted.sets);
    return lacking_from(&counted, wanted.sets, wanted.runs, 0, least, limit);
}

/* ---- Which cards make fewer lack -------------------------------------------------------------------------- */

/* A card helps where fewer sets than are wanted are cheaper than that of its rank. */
static uint64_t helping_sets(const struct rank_counts *counts, int sets)
{
    const struct set_ranks ranks = find_set_ranks(counts);
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

static uint64_t helping_from(const struct counted *counted, int sets, int runs, int window, int lacking);

/* Likewise when a run is made of these naturals and so many wilds: what it lacks, and what the rest lacks. */
static uint64_t helping_with(const struct counted *counted, int sets, int runs, int window, unsigned naturals,
                             int wilds, int lacking)
{
    const int suit = window / PLACES;
    const int missing = RUN_CARDS - mh_bits_count(naturals) - wilds;
    const int left = lacking - missing;
    const struct counted rest = without_run(counted, suit, naturals, wilds);
    if (lacking_from(&rest, sets, runs - 1, window, left, left + 1) > left) {
        return 0;
    }
    const unsigned open = places_from(window % PLACES, RUN_CARDS) & ~naturals;
    const uint64_t types = missing ? BLACK_TWOS | (uint64_t)places_to_ranks(open) << suit * RANKS : 0;
    return types | helping_from(&rest, sets, runs - 1, window, left);
}

/* The same by all ways to make a run that has so many naturals missing and so many wilds, where sets lack so many. A
 * natural is kept for a set only where a wild takes its place, or the card that comes: otherwise the run lacks what the
 * set would lack. */
static uint64_t helping_by(const struct counted *counted, int sets, int runs, int window, unsigned there, int wilds,
                           int lacking, int in_sets)
{
    uint64_t types = 0;
    for (unsigned kept = there;; kept = (kept - 1) & there) {
        const int open = RUN_CARDS - mh_bits_count(there & ~kept);
        if (mh_bits_count(kept) <= wilds + 1 && wilds <= open && open - wilds + in_sets <= lacking) {
            types |= helping_with(counted, sets, runs, window, there & ~kept, wilds, lacking);
        }
        if (!kept) {
            return types;
        }
    }
}

/* Goes through all ways in which no more lack than `lacking`, the fewest. */
static uint64_t helping_from(const struct counted *counted, int sets, int runs, int window, int lacking)
{
    if (lacking == 0 || runs == 0) {
        return lacking ? helping_sets(&counted->ranks, sets) : 0;
    }
    const int in_sets = sets_lacking(&counted->ranks, sets);
    const struct windows windows = windows_from(&counted->holding, window);
    uint64_t types = 0;
    for (int missing = 0; missing <= RUN_CARDS; missing++) {
        for (int wilds = 0; wilds <= counted->holding.wilds && wilds <= RUN_CARDS; wilds++) {
            uint64_t rest = missing - wilds + in_sets > lacking ? 0 : windows.lacking[missing];
            for (; rest; rest &= rest - 1) {
                const int next = mh_bits_lowest(rest);
                types |=
                    helping_by(counted, sets, runs, next, naturals_in(&windows, next), wilds, lacking, in_sets);
            }
        }
    }
    return types;
}

uint64_t rummy_helping(const struct holding *holding, struct rummy_objective wanted, int lacking)
{
    const struct counted counted = count_holding(holding, wanted.sets);
    return helping_from(&counted, wanted.sets, wanted.runs, 0, lacking);
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
