"""The values of hands for Mexican Rummy's expert, written down slowly from its description.

It knows an observation and nothing else. Chances of runs are sums over all ways in which the
thirteen ranks of a suit may come; missing cards are found by trying every possible objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference.rummy_plan import OBJECTIVES, PLACES, RANKS, SUITS, TYPES, Meld

Hand = tuple[int, ...]
"""The number of cards of each type."""

WEIGHTS = [
    (6.0, 6.5, 1.0, 10, 0.91, 10, 0.35),
    (6.5, 7.4, 1.0, 10, 0.91, 10, 0.45),
    (9.0, 4.5, 1.0, 21, 0.81, 5, 0.2),
    (5.7, 2.2, 1.0, 17, 0.85, 2, 0.2),
    (5.0, 2.5, 0.7, 23, 0.73, 0, 0.0),
    (7.7, 3.0, 0.4, 33, 0.54, 0, 0.0),
]
WILD = [TYPES.index("2s"), TYPES.index("2c")]
BITS = np.array(list(product((0, 1), repeat=PLACES)), dtype=float)
"""All ways to fill the places of a suit."""
LACK = np.stack([4 - BITS[:, low : low + 4].sum(axis=1) for low in range(PLACES - 3)], axis=1)
"""... and what the run from each place lacks in each of them."""
WINDOWS = [(suit, low) for suit in range(4) for low in range(PLACES - 3)]


def type_at(suit: int, place: int) -> int:
    return suit * 13 + place % 13


@cache
def plans(runs: int, sets: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every objective that can be named: cards of each type in runs, sets of each rank."""
    of_runs, of_sets = [], []
    for windows in combinations_with_replacement(WINDOWS, runs):
        cards = [type_at(suit, low + i) for suit, low in windows for i in range(4)]
        for ranks in combinations_with_replacement(range(13), sets):
            of_runs.append(np.bincount(cards, minlength=52))
            of_sets.append(np.bincount(np.array(ranks, dtype=int), minlength=13))
    return np.array(of_runs), np.array(of_sets)


@cache
def lacking(hand: Hand, runs: int, sets: int) -> int:
    """The fewest cards that any of them lacks, in a round with wilds."""
    slots, set_count = plans(runs, sets)
    held = np.array(hand)
    wilds = int(held[WILD].sum())
    held[WILD] = 0
    used = np.minimum(slots, held)
    missing = 4 * runs - used.sum(axis=1)
    spare = np.maximum(wilds - missing, 0)
    by_rank = (held - used).reshape(-1, 4, 13).sum(axis=1)
    short = np.maximum(3 * set_count - by_rank, 0)
    # Wilds to spare free naturals for a set of their rank; in a set of 2s they lie themselves.
    free = used.reshape(-1, 4, 13).sum(axis=1)
    free[:, 1] = 4
    helped = np.minimum(np.minimum(short, free).sum(axis=1), spare)
    return int((np.maximum(missing - wilds, 0) + short.sum(axis=1) - helped).min())


class Judgement(NamedTuple):
    """The prospects of a hand."""

    runs: float
    sets: float
    """Chance of those of the objective."""
    met: float
    """Chance of the whole objective."""
    ones: list[float]
    """... of a set of each rank."""
    idle: float
    """Points of cards that no meld is likely to take."""
    cost: float
    """Points left at the end."""


class Outlook:
    """The cards to come, by one observation."""

    def __init__(
        self, seen: dict[str, Any], one_round_for_the_win: bool, turned_up: bool = True
    ) -> None:
        objective = int(seen["objective"]) - 1
        self.sets, self.runs = OBJECTIVES[objective]
        turns, self.odds, self.farther, *points = WEIGHTS[objective]
        self.missed, self.missed_share, self.met, self.met_share = points
        if one_round_for_the_win:
            self.missed, self.met_share = self.missed + 150, 4 * self.met_share
        self.unseen: Hand = tuple(map(int, seen["unseen"]))
        self.wild = WILD if self.runs else []
        self.fitting = {
            card for meld in melds(seen) for card in range(52) if list(meld.spots(TYPES[card]))
        }
        self.drawn = self._drawn(seen, turned_up)
        self.turns = self._turns(seen, turns)
        x = self.turns * 1.2 / (sum(self.unseen) + 1)
        self.a_card = x / (1 + x / 2 + x * x / 12)
        self._judged: dict[Hand, Judgement] = {}
        self._suit: dict[tuple[int, Hand], tuple[list[float], NDArray[np.float64]]] = {}

    def _drawn(self, seen: dict[str, Any], turned_up: bool) -> int:
        """Cards gone from the draw pile, which every shuffle makes as large again."""
        pile = 104 - 10 * len(seen["hand_size"]) - turned_up
        return pile * (1 + int(seen["shuffles"].view("<u2")[0])) - int(seen["draw_pile_left"])

    def _turns(self, seen: dict[str, Any], turns: float) -> float:
        """Own turns to be expected."""
        players = len(seen["hand_size"])
        pace = 2.2 / (0.6 + 0.4 * players)
        down = [
            int(size)
            for size, kinds in list(zip(seen["hand_size"], seen["meld_kind"], strict=True))[1:]
            if kinds[0]
        ]
        left = min([pace * turns - 0.6 * self.drawn / players, *(pace * (0.6 + n) for n in down)])
        return max(left, 1.2 * pace)

    def at_least(self, count: int, wanted: int) -> float:
        """The chance that of so many cards at least so many come."""
        p = self.a_card
        return sum(
            comb(count, k) * p**k * (1 - p) ** (count - k) for k in range(max(wanted, 0), count + 1)
        )

    # ---- Runs and sets --------------------------------------------------------------------------

    def suit(self, hand: Hand, suit: int) -> tuple[list[float], NDArray[np.float64]]:
        key = suit, hand[13 * suit : 13 * suit + 13]
        if key not in self._suit:
            self._suit[key] = self._suit_of(hand, suit)
        return self._suit[key]

    def _suit_of(self, hand: Hand, suit: int) -> tuple[list[float], NDArray[np.float64]]:
        """The chance that a run lacks at most 0 to 4, and at each the share that takes a rank."""
        types = [type_at(suit, place) for place in range(PLACES)]
        has = np.array(
            [
                0 if t in self.wild else 1 if hand[t] else self.at_least(self.unseen[t], 1)
                for t in types
            ]
        )
        chance = np.prod(np.where(BITS == 1, has, 1 - has), axis=1)
        at_most, takes = [], np.zeros((5, 13))
        for most in range(5):
            good = most >= LACK
            found = good.any(axis=1)
            at_most.append(float(chance[found].sum()))
            first = np.bincount(good.argmax(axis=1)[found], chance[found], minlength=PLACES - 3)
            for low, share in enumerate(first):
                for place in range(low, low + 4):
                    takes[most, place % 13] += share
        return at_most, takes

    def chance_of_runs(self, suits: Sequence[list[float]], wilds: int) -> float:
        wilds = min(wilds, 4)
        if self.runs == 1:
            return 1 - prod(1 - at_most[wilds] for at_most in suits)
        lacks = [np.diff([0, *at_most[: wilds + 1], 1]) for at_most in suits]  # the last: more
        return float(
            sum(
                prod(float(lacks[suit][lack]) for suit, lack in enumerate(each))
                for each in product(range(wilds + 2), repeat=4)
                if max(sorted(each)[:2]) <= wilds and sum(sorted(each)[:2]) <= wilds
            )
        )

    def chance_of_sets(self, count: NDArray[np.float64]) -> tuple[float, list[float]]:
        """... and of a first set of each rank."""
        ways = np.ones(1)
        ones = []
        for rank, held in enumerate(count):
            unseen = sum(
                self.unseen[s * 13 + rank] for s in range(4) if s * 13 + rank not in self.wild
            )
            part = held - int(held)
            one, two = (
                (1 - part) * self.at_least(unseen, n - int(held))
                + part * self.at_least(unseen, n - int(held) - 1)
                for n in (3, 6)
            )
            ones.append(one)
            ways = np.convolve(ways, [1 - one, one - two, two])
        return float(ways[self.sets :].sum()), ones

    # ---- Hands ----------------------------------------------------------------------------------

    def points(self, card: int) -> int:
        if card in self.wild:
            return 20
        return 15 if card % 13 == 0 else 5 if card % 13 <= 8 else 10

    def judge(self, hand: Hand) -> Judgement:
        if hand not in self._judged:
            self._judged[hand] = self._judge(hand)
        return self._judged[hand]

    def cost(self, hand: Hand) -> float:
        return self.judge(hand).cost

    def _judge(self, hand: Hand) -> Judgement:
        naturals = [0 if card in self.wild else hand[card] for card in range(52)]
        wilds = sum(hand[card] for card in self.wild)
        at = min(wilds // 2 if self.runs == 2 else wilds, 3)
        takes = np.zeros((4, 13))
        runs = 1.0
        if self.runs:
            suits = [self.suit(hand, suit) for suit in range(4)]
            unseen = sum(self.unseen[card] for card in self.wild)
            more = [self.at_least(unseen, k) for k in range(4)]
            come = [more[0] - more[1], more[1] - more[2], more[2]]
            of_suits = [at_most for at_most, _ in suits]
            runs = sum(p * self.chance_of_runs(of_suits, wilds + k) for k, p in enumerate(come))
            total = sum(at_most[at] for at_most in of_suits)
            for suit, (at_most, taken) in enumerate(suits):
                if at_most[at] > 0:
                    used = min(1.0, self.runs * at_most[at] / total)
                    takes[suit] = np.minimum(1, used / at_most[at] * taken[at])
        left = [n - takes[card // 13, card % 13] if n else 0 for card, n in enumerate(naturals)]
        sets, ones = self.chance_of_sets(np.array(left).reshape(4, 13).sum(axis=0))
        chance = runs * sets
        idle = sum(
            n * self.points(card) * (1 - min(1, self.sets * ones[card % 13] / sum(ones)))
            for card, n in enumerate(left)
            if card not in self.fitting
        )
        odds = self.odds
        if self.runs and self.sets:
            far = lacking(hand, self.runs, self.sets)
            odds *= self.farther ** max(far - 1, 0)
            chance = 1 if far == 0 else self._last_card(hand) if far == 1 else chance
        met = odds * chance / (odds * chance + 1 - chance)
        points = sum(n * self.points(card) for card, n in enumerate(hand))
        cost = (1 - met) * (self.missed + self.missed_share * points) + met * (
            self.met + self.met_share * idle
        )
        return Judgement(runs, sets, met, ones, idle, cost)

    def _last_card(self, hand: Hand) -> float:
        return 1 - prod(
            1 - self.at_least(count, 1)
            for card, count in enumerate(self.unseen)
            if count and lacking(changed(hand, card), self.runs, self.sets) == 0
        )

    def discards(self, hand: Hand) -> list[tuple[float, int]]:
        return sorted((self.cost(changed(hand, -1, c)), c) for c in range(52) if hand[c])

    def draw(self, hand: Hand) -> float:
        best = [card for _, card in self.discards(hand)[:2]]
        return sum(
            n * min(self.cost(hand), *(self.cost(changed(hand, card, gone)) for gone in best))
            for card, n in enumerate(self.unseen)
            if n
        ) / sum(self.unseen)


def changed(hand: Hand, more: int, less: int = -1) -> Hand:
    return tuple(n + (card == more) - (card == less) for card, n in enumerate(hand))


def melds(seen: dict[str, Any]) -> list[Meld]:
    """All melds on the table."""
    found = []
    for kinds, places in zip(seen["meld_kind"], seen["meld_cards"], strict=True):
        for kind, row in zip(kinds, places.reshape(3, PLACES), strict=True):
            if kind:
                lies = tuple(TYPES[card - 1] for card in row if card)
                of = RANKS[kind - 1] if kind < 14 else SUITS[kind - 14]
                found.append(Meld(of, int(np.flatnonzero(row)[0]), lies))
    return found
