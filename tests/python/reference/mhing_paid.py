"""The groups of a declared hand that earn its credits, from their texts such as "45*6s"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from string import ascii_uppercase

Places = tuple[int, ...]
"""Groups of a hand, by their places in it."""

_DRAGONS = "RGP"


def paid_for(part: str, groups: Sequence[str]) -> list[Places]:
    """The groups for which a part is paid, together for each time; [] where all cards count."""
    find = _FINDERS.get(part)
    return [] if find is None else list(find([_faces(group) for group in groups]))


def letters(
    parts: Sequence[tuple[str, int]], groups: Sequence[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """The letters of groups for which something is paid; and of each part those of its groups."""
    paid = {name: paid_for(name, groups) for name, _ in parts}
    places = sorted({place for found in paid.values() for each in found for place in each})
    named = dict(zip(places, ascii_uppercase, strict=False))
    return [*named.values()], {
        name: ["".join(sorted(named[place] for place in each)) for each in found]
        for name, found in paid.items()
    }


def _faces(group: str) -> list[str]:
    """The cards for which those of a group stand."""
    suit = group[-1] if group[-1] in "spm" else ""
    return [face + suit for face in re.sub(r"\*", "", group.removesuffix(suit))]


_Hand = list[list[str]]


def _triplets(hand: _Hand) -> dict[int, str]:
    """The cards of which there are triplets, by place."""
    triplets = {place: set(group) for place, group in enumerate(hand) if len(group) == 3}
    return {place: faces.pop() for place, faces in triplets.items() if len(faces) == 1}


def _sequences(hand: _Hand) -> dict[int, str]:
    """The lowest cards of sequences, by place."""
    runs = {place: sorted(group) for place, group in enumerate(hand) if len(group) == 3}
    return {place: group[0] for place, group in runs.items() if group[0] != group[2]}


def _pairs(cards: dict[int, str], fits: Callable[[str, str], bool]) -> Iterator[Places]:
    for one, other in combinations(cards, 2):
        if fits(cards[one], cards[other]):
            yield one, other


def _same_number(one: str, other: str) -> bool:
    return one[0] == other[0] and one != other


def _runs(hand: _Hand, starts: str) -> Iterator[Places]:
    """The choices of sequences of one suit that start at these numbers."""
    found = _sequences(hand)
    for suit in "spm":
        of_suit = [
            [place for place, card in found.items() if card == start + suit] for start in starts
        ]
        yield from product(*of_suit)


def _broken_runs(hand: _Hand) -> Iterator[Places]:
    middles = {card[1] for card in _sequences(hand).values() if card[0] == "4"}
    for low, high in _runs(hand, "17"):
        if hand[low][0][1] not in middles:
            yield low, high


def _honours(hand: _Hand) -> Iterator[Places]:
    """Each triplet of honours; three dragons are paid for together."""
    honours = {place: card for place, card in _triplets(hand).items() if len(card) == 1}
    three = list(_three_dragons(hand))
    for place, card in honours.items():
        if not three or card not in _DRAGONS:
            yield (place,)


def _three_dragons(hand: _Hand) -> Iterator[Places]:
    dragons = tuple(place for place, card in _triplets(hand).items() if card in _DRAGONS)
    if len(dragons) == 3:
        yield dragons


_FINDERS: dict[str, Callable[[_Hand], Iterator[Places]]] = {
    "double sequence": lambda hand: _pairs(_sequences(hand), _same_number),
    "identical double sequence": lambda hand: _pairs(_sequences(hand), str.__eq__),
    "double triplet": lambda hand: _pairs(
        {place: card for place, card in _triplets(hand).items() if len(card) == 2}, _same_number
    ),
    "honour triplet": _honours,
    "three dragons": _three_dragons,
    "broken royal run": _broken_runs,
    "royal run": lambda hand: _runs(hand, "147"),
    "pair of 2s, 5s or 8s": lambda hand: (
        (place,) for place, group in enumerate(hand) if len(group) == 2
    ),
}
