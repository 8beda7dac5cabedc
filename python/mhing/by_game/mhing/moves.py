"""The cards that moves are about."""

from __future__ import annotations

from mhing.by_game.mhing.cards import face, read
from mhing.game import State
from mhing.render.moves import MoveCard
from mhing.render.sight import Sight

_WITH_CARDS = ("discard", "sequence", "triplet")


def cards(table: State | Sight, text: str) -> list[MoveCard]:
    """The cards of a discard or a meld; Mhing cards look like what they stand for."""
    del table  # the text says all
    kind, _, group = text.partition(" ")
    if kind not in _WITH_CARDS:
        return []
    return [
        MoveCard("J" if card.joker else card.face, face(card.face, card.joker), True)
        for card in read(group)
    ]
