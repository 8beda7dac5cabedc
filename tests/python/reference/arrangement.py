"""A check that the engine shows one of the most valuable arrangements of a declared hand.

Several arrangements may earn the most credits, and the engine shows one of them. It must be made of
the cards that were held and earn exactly the credits shown, combination by combination.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from reference.cards import ALL_MELDS, JOKER, Meld, parse_starred
from reference.scoring import (
    Best,
    Credits,
    best_score,
    meld_credits,
    pairs_credits,
    total,
    unconnected,
    unconnected_credits,
)


@dataclass(frozen=True)
class Declared:
    """A complete hand as it was declared: concealed cards with Mhing cards, melds laid, flowers."""

    concealed: Counter[int]
    melds: tuple[Meld, ...] = ()
    flowers: int = 0

    def best(self, seven_pairs: bool = False) -> Best | None:
        """The most that it can be worth; None when it is not complete after all."""
        laid = [meld.cards for meld in self.melds]
        return best_score(self.concealed.elements(), laid, self.flowers, seven_pairs)

    def faults(self, arrangement: list[str], credits: int, parts: Credits) -> list[str]:
        """The faults of an arrangement shown with its credits and their names."""
        shown = [parse_starred(text) for text in arrangement]
        laid, own = shown[: len(self.melds)], shown[len(self.melds) :]
        faults = []
        if [tuple(cards) for cards, _ in laid] != [meld.cards for meld in self.melds]:
            faults.append(f"{arrangement} does not begin with the melds laid")
        used = Counter(
            JOKER if place in stars else card
            for cards, stars in own
            for place, card in enumerate(cards)
        )
        if used != self.concealed:
            faults.append(f"{arrangement} is not made of the cards held")
        groups = [tuple(cards) for cards, _ in shown]
        earned = total(_credits_as(shape_of(arrangement), groups), self.flowers)
        if (earned.credits, earned.parts) != (credits, parts):
            faults.append(f"{arrangement} earns {earned}, not {credits} {parts}")
        return faults


def shape_of(arrangement: list[str]) -> str:
    """The shape that an arrangement has by the sizes of its groups."""
    match [len(parse_starred(text)[0]) for text in arrangement]:
        case [3, 3, 3, 3, 2]:
            return "melds"
        case [*sizes] if sizes == [1] * 14:
            return "nothing connects"
        case [*sizes] if sizes == [2] * 7:
            return "seven pairs"
    return "none"


def _credits_as(shape: str, groups: list[tuple[int, ...]]) -> Credits:
    """The credits of these groups as that shape; nothing when they are not of that shape."""
    pairs = [group for group in groups if len(group) == 2]
    if any(one != other for one, other in pairs):
        return {}
    if shape == "melds":
        melds = [meld for meld in ALL_MELDS for group in groups if group == meld]
        return meld_credits(melds, pairs[0][0]) if len(melds) == 4 else {}
    cards = Counter(card for group in groups for card in group)
    if shape == "nothing connects":
        honours = next(unconnected(cards), None)
        return {} if honours is None else unconnected_credits(honours)
    if shape == "seven pairs":
        return pairs_credits(set(cards))
    return {}
