"""A complete hand of Mhing, and how a round ended, as texts for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mhing.words import plural


def result_text(result: Mapping[str, Any]) -> str:
    """Return the end of a round in words, with the declared hand and its credits."""
    if result["winner"] < 0:
        return "a wash, nobody scores"
    payer = result["payer"]
    source = "" if payer < 0 else f" on a discard of seat {payer}"
    return f"seat {result['winner']} declares MHING{source}\n" + hand_text(
        result["credits"], result["points"], result["parts"], result["arrangement"]
    )


def hand_text(
    credits: int, points: int, parts: Sequence[tuple[str, int]], arrangement: Sequence[str]
) -> str:
    """A complete hand: what it is worth, its cards if they are known, its credits by name."""
    rows = [(number, name) for name, number in parts]
    width = max((len(str(number)) for number, _ in rows), default=0)
    names = [f"  {number:{width}d}  {name}" for number, name in rows]
    worth = f"{plural(credits, 'credit')}, {plural(points, 'point')}"
    return "\n".join([worth, *([draw(arrangement)] if arrangement else []), *names])


def draw(groups: Sequence[str]) -> str:
    """Draw groups of cards such as "45*6s" as boxes side by side, three lines of text."""
    cards = [_cards(group) for group in groups]
    if all(len(group) == 1 for group in cards):  # single cards: one long box
        cards = [[card for group in cards for card in group]]
    edge = [["───"] * len(group) for group in cards]
    faces = [[f"{card:^3}" for card in group] for group in cards]
    return "\n".join(
        " ".join(left + middle.join(group) + right for group in groups)
        for (left, middle, right), groups in (("┌┬┐", edge), ("│││", faces), ("└┴┘", edge))
    )


def cards_of(groups: Sequence[str]) -> str:
    """The cards that groups such as "45*6s" are made of: "4sJ6s"."""
    cards = [card for group in groups for card in _cards(group)]
    return "".join("J" if card.endswith("*") else card for card in cards)


def _cards(group: str) -> list[str]:
    """Take a group apart: "45*6s" -> ["4s", "5s*", "6s"]."""
    suit = group[-1] if group[-1].islower() else ""
    faces = re.findall(r"([^*])(\*?)", group.removesuffix(suit))
    return [face + suit + star for face, star in faces]
