"""The most credits that a complete hand can be worth, by trying every arrangement.

A hand of 3k+2 concealed cards is complete when its natural cards fit into k melds and a pair: the
Mhing cards then fill exactly the places that stay open. So all arrangements are all *covers*, sets
of k melds and a pair that hold every natural card, and the score is the best over all covers and
over the special shapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement, pairwise

from reference.cards import (
    ALL_MELDS,
    DRAGONS,
    HONOURS,
    JOKER,
    PLAYABLE,
    SUITS,
    TYPES,
    WINDS,
    number,
    suit,
)

Cards = tuple[int, int, int]
Credits = dict[str, int]

POINTS_TABLE = [
    (41, 131072), (38, 65536), (35, 32768), (32, 16384), (29, 8192), (26, 4096), (23, 2048),
    (20, 1024), (17, 512), (14, 256), (11, 128), (8, 64), (5, 32), (4, 16), (3, 8), (2, 4), (1, 2),
]  # fmt: skip
"""The printed table: (fewest credits, points), dearest first."""

DRAGON_TYPES = {TYPES[name] for name in DRAGONS}
WIND_TYPES = {TYPES[name] for name in WINDS}


def points(credits: int) -> int:
    """The points that a number of credits is worth."""
    return next((value for least, value in POINTS_TABLE if credits >= least), 0)


@dataclass(frozen=True)
class Best:
    """The dearest way to see a hand; `parts` without the combinations that earn nothing."""

    credits: int
    parts: Credits = field(default_factory=dict)


# ---- Which arrangements there are ---------------------------------------------------------------


def covers(naturals: Counter[int], melds: int) -> Iterator[tuple[tuple[Cards, ...], int]]:
    """Every set of so many melds and a pair that holds all the natural cards, each set once."""
    seen = set()
    for chosen, pair in _covers(tuple(sorted(naturals.elements())), melds, True):
        arrangement = (tuple(sorted(chosen)), pair)
        if arrangement not in seen:
            seen.add(arrangement)
            yield arrangement


MELDS_WITH = {card: [meld for meld in ALL_MELDS if card in meld] for card in PLAYABLE}


def _covers(
    left: tuple[int, ...], melds: int, pair: bool
) -> Iterator[tuple[tuple[Cards, ...], int]]:
    """Covers of the sorted cards `left`; -1 stands for the pair where it is not wanted."""
    if len(left) > 3 * melds + 2 * pair:
        return
    if not left:
        for chosen in combinations_with_replacement(ALL_MELDS, melds):
            for card in PLAYABLE if pair else (-1,):
                yield chosen, card
        return
    # Every cover has a part that holds the first card left.
    for meld in MELDS_WITH[left[0]] if melds else ():
        for chosen, card in _covers(_without(left, meld), melds - 1, pair):
            yield (meld, *chosen), card
    if pair:
        for chosen, _ in _covers(_without(left, (left[0], left[0])), melds, False):
            yield chosen, left[0]


def _without(cards: tuple[int, ...], places: Iterable[int]) -> tuple[int, ...]:
    """The cards that are still to be placed when these places are there to take them."""
    left = list(cards)
    for card in places:
        if card in left:
            left.remove(card)
    return tuple(left)


SUIT_SETS = [
    set(chosen)
    for size in range(4)
    for chosen in combinations(range(1, 10), size)
    if all(high - low >= 3 for low, high in pairwise(chosen))
]
"""The numbers of one suit that may lie together in "nothing connects"."""


def unconnected(naturals: Counter[int]) -> Iterator[int]:
    """The number of honours in each way to see 14 cards as "nothing connects"."""
    if any(copies > 1 for copies in naturals.values()):
        return
    held = [{number(card) for card in naturals if suit(card) == s} for s in range(len(SUITS))]
    honours_held = sum(card in HONOURS for card in naturals)
    sizes = [{len(numbers) for numbers in SUIT_SETS if own <= numbers} for own in held]
    for bamboo in sizes[0]:
        for circles in sizes[1]:
            for characters in sizes[2]:
                honours = 14 - bamboo - circles - characters
                if honours_held <= honours <= len(HONOURS):
                    yield honours


def pairings(naturals: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of seven pairs that holds all the natural cards."""
    needed = [card for card, copies in naturals.items() for _ in range((copies + 1) // 2)]
    if len(needed) <= 7:
        for free in combinations_with_replacement(PLAYABLE, 7 - len(needed)):
            yield (*needed, *free)


# ---- What an arrangement is worth ---------------------------------------------------------------


def meld_credits(melds: Sequence[Cards], pair: int) -> Credits:
    """The credits of four melds and a pair, by name, without flowers."""
    sequences = [meld for meld in melds if meld[0] != meld[1]]
    triplets = [meld[0] for meld in melds if meld[0] == meld[1]]
    honours = [card for card in triplets if card in HONOURS]
    three_dragons = set(honours) >= DRAGON_TYPES
    types = {card for meld in melds for card in meld} | {pair}
    lowest = Counter(meld[0] for meld in sequences)

    parts = suit_credits(types) | height_credits(types)
    parts["sequences only"] = 1 if not triplets else 0
    parts["triplets only"] = 3 if not sequences else 0
    parts["double sequence"] = _alike_across_suits([meld[0] for meld in sequences])
    parts["identical double sequence"] = 3 * sum(n * (n - 1) // 2 for n in lowest.values())
    parts["double triplet"] = _alike_across_suits(
        [card for card in triplets if suit(card) is not None]
    )
    parts["honour triplet"] = len(honours) - (3 if three_dragons else 0)
    parts["three dragons"] = 8 if three_dragons else 0
    parts["pair of 2s, 5s or 8s"] = 1 if number(pair) in (2, 5, 8) else 0
    for s in range(3):
        low, middle, high = (lowest[9 * s + first] for first in (0, 3, 6))
        name, worth = ("royal run", 3 * middle) if middle else ("broken royal run", 1)
        parts[name] = parts.get(name, 0) + worth * low * high
    all_five = _suits(types) == {0, 1, 2} and types & WIND_TYPES and types & DRAGON_TYPES
    parts["all five"] = 5 if all_five else 0
    return parts


def suit_credits(types: set[int]) -> Credits:
    """For hands that keep to one suit or two."""
    honours = any(card in HONOURS for card in types)
    match len(_suits(types)), honours:
        case 2, False:
            return {"two suits only": 1}
        case 1, True:
            return {"one suit with honours": 3}
        case 1, False:
            return {"one suit only": 8}
    return {}


def height_credits(types: set[int]) -> Credits:
    """All low or all high; a hand of nothing but fives is both, and earns that once."""
    numbers = {number(card) for card in types}
    is_low, is_high = numbers <= {1, 2, 3, 4, 5}, numbers <= {5, 6, 7, 8, 9}
    return {"all high / all low": 5} if is_low or is_high else {}


def _suits(types: set[int]) -> set[int | None]:
    return {suit(card) for card in types} - {None}


def _alike_across_suits(cards: Sequence[int]) -> int:
    """The number of pairs of these suit cards with the same number in different suits."""
    return sum(
        number(one) == number(other) and suit(one) != suit(other)
        for one, other in combinations(cards, 2)
    )


# ---- The whole -----------------------------------------------------------------------------------


def is_complete(concealed: Iterable[int], laid: int, seven_pairs: bool = False) -> bool:
    """True if concealed cards, Mhing cards among them, complete a hand with so many melds laid."""
    naturals, size = _naturals(concealed)
    if size != 14 - 3 * laid:
        return False
    if next(covers(naturals, 4 - laid), None) is not None:
        return True
    if laid:
        return False
    if next(unconnected(naturals), None) is not None:
        return True
    return seven_pairs and next(pairings(naturals), None) is not None


def best_score(
    concealed: Iterable[int],
    laid: Sequence[Cards] = (),
    flowers: int = 0,
    seven_pairs: bool = False,
) -> Best | None:
    """The dearest arrangement of a complete hand, None when it is not complete."""
    naturals, size = _naturals(concealed)
    if size != 14 - 3 * len(laid):
        return None
    candidates = [
        meld_credits((*laid, *melds), pair) for melds, pair in covers(naturals, 4 - len(laid))
    ]
    if not laid:
        candidates += [unconnected_credits(honours) for honours in unconnected(naturals)]
    if not laid and seven_pairs:
        candidates += [pairs_credits(set(pairs)) for pairs in pairings(naturals)]
    if not candidates:
        return None
    parts = max(candidates, key=lambda found: sum(found.values()))
    return total(parts, flowers)


def unconnected_credits(honours: int) -> Credits:
    """The credits of "nothing connects" with so many honours."""
    if honours == len(HONOURS):
        return {"nothing connects with all honours": 8}
    return {"nothing connects": 3}


def pairs_credits(types: set[int]) -> Credits:
    """The credits of seven pairs of these types (house rule)."""
    return {"seven pairs": 5} | suit_credits(types) | height_credits(types)


def total(parts: Credits, flowers: int) -> Best:
    """An arrangement's credits with the winner's flowers added."""
    parts = {name: worth for name, worth in (parts | {"flower": flowers}).items() if worth}
    return Best(sum(parts.values()), parts)


def _naturals(concealed: Iterable[int]) -> tuple[Counter[int], int]:
    """The cards without Mhing cards, and the number of cards with them."""
    cards = list(concealed)
    return Counter(card for card in cards if card != JOKER), len(cards)
