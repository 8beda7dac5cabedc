"""The cards of moves in games with playing cards."""

from __future__ import annotations

import re

from mhing.game import State
from mhing.render.card import back
from mhing.render.moves import MoveCard
from mhing.render.playing.cards import face
from mhing.render.sight import Sight

_GROUP = re.compile(r"(?:[A2-9TJQK]\*?)+[shdc]")
_RANK = re.compile(r"([A2-9TJQK])(\*?)")
_OFFERED = ("take", "may i", "grant")


def cards(table: State | Sight, text: str) -> list[MoveCard]:
    """The cards of a move: of a group, of the discard on offer, or of the draw pile.

    A star is behind a rank that the ace of the suit stands for.
    """
    if text == "draw":
        return [MoveCard("", back(), False)]
    if text in _OFFERED:
        offer = _offer(table)
        return [MoveCard(offer, face(offer), False)] if offer else []
    group = text.rsplit(maxsplit=1)[-1]
    if not _GROUP.fullmatch(group):
        return []
    suit = group[-1]
    ace = "A" + suit
    return [
        MoveCard(ace if star else rank + suit, face(rank + suit, ace if star else ""), True)
        for rank, star in _RANK.findall(group[:-1])
    ]


def _offer(table: State | Sight) -> str:
    """The discard on offer; "" where there is none."""
    if isinstance(table, State):
        offer = table.to_dict()["offer"]
        return offer.rstrip("'") if offer else ""
    number = table.number("offer")
    return table.game.labels["cards"][number - 1] if number else ""
