"""The distance of a hand from complete, by comparing it with every target.

A target is a whole hand: 14 cards, three fewer for each meld on the table. A natural card helps
where the target has it, a Mhing card helps anywhere. So the distance is the size of the target less
the natural cards that it shares with the hand, less the Mhing cards, for the nearest target.
Targets may hold a fifth copy of a card (a Mhing card can stand for it), and the copies seen
elsewhere do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from reference.cards import ALL_MELDS, HONOURS, JOKER, PLAYABLE, suit
from reference.scoring import SUIT_SETS

Counts = tuple[int, ...]

GROUPS = [range(0, 9), range(9, 18), range(18, 27), HONOURS]
"""The cards fall into three suits and the honours, and no meld or pair reaches over two of them."""


def distance(concealed: Iterable[int], laid: int, seven_pairs: bool = False) -> int:
    """Cards still to exchange before concealed cards, with so many melds laid, are complete."""
    counts = Counter(concealed)
    jokers = counts.pop(JOKER, 0)
    shared = [melds_shared(counts, 4 - laid)]
    if not laid:
        shared.append(unconnected_shared(counts))
        if seven_pairs:
            shared.append(pairs_shared(counts))
    return max(0, 14 - 3 * laid - max(shared) - jokers)


def melds_shared(counts: Counter[int], melds: int) -> int:
    """The most natural cards that a target of so many melds and a pair can use."""
    return _shared(tuple(tuple(counts[card] for card in group) for group in GROUPS), melds, True)


@lru_cache(100_000)
def _shared(groups: tuple[Counts, ...], melds: int, pair: bool) -> int:
    """The same of some groups, for all ways to spread the melds and the pair over them."""
    first, *rest = groups
    if not rest:
        return group_shared(first, melds, pair)
    return max(
        group_shared(first, n, own_pair) + _shared(tuple(rest), melds - n, pair and not own_pair)
        for n in range(melds + 1)
        for own_pair in {False, pair}
    )


@cache
def group_shared(group: Counts, melds: int, pair: bool) -> int:
    """The most cards of one group that so many melds, and a pair if asked for, can use."""
    targets = _targets(len(group), melds, pair)
    return int(np.minimum(targets, np.array(group, dtype=np.int8)).sum(axis=1).max())


@cache
def _targets(size: int, melds: int, pair: bool) -> NDArray[np.int8]:
    """Counts by card, one line for each choice of melds (and pair) in a group of that size."""
    group = next(group for group in GROUPS if len(group) == size)
    own = [meld for meld in ALL_MELDS if all(card in group for card in meld)]
    lines = []
    for chosen in combinations_with_replacement(own, melds):
        for extra in group if pair else (None,):
            cards = [card for meld in chosen for card in meld] + [extra] * 2 * pair
            lines.append([cards.count(card) for card in group])
    return np.array(lines, dtype=np.int8)


def unconnected_shared(counts: Counter[int]) -> int:
    """The most natural cards that a "nothing connects" target can use."""
    held = [
        frozenset(card % 9 + 1 for card in counts if suit(card) == s and counts[card])
        for s in range(3)
    ]
    honours_held = sum(counts[card] > 0 for card in HONOURS)
    best = 0
    for first, bamboo in _choices(held[0]):
        for second, circles in _choices(held[1]):
            for third, characters in _choices(held[2]):
                honours = 14 - first - second - third
                if honours <= len(HONOURS):
                    best = max(best, bamboo + circles + characters + min(honours, honours_held))
    return best


@cache
def _choices(own: frozenset[int]) -> list[tuple[int, int]]:
    """The size of a set of one suit, and the most own cards that a set of this size uses."""
    return [
        (size, max(len(own & numbers) for numbers in SUIT_SETS if len(numbers) == size))
        for size in range(4)
    ]


def pairs_shared(counts: Counter[int]) -> int:
    """The most natural cards that seven pairs can use (equal pairs are allowed)."""
    halves = [min(2, counts[card] - 2 * pair) for card in PLAYABLE for pair in range(2)]
    return sum(sorted((max(0, shared) for shared in halves), reverse=True)[:7])
