"""The cards that a move is about, so that it can be shown and chosen by them."""

from __future__ import annotations

from dataclasses import dataclass

from mhing import by_game
from mhing.game import State
from mhing.render.faces import face
from mhing.render.scene import Sprite
from mhing.render.sight import Sight


@dataclass(frozen=True)
class MoveCard:
    """A card of a move."""

    card: str
    """Its text, as pictures name the card of the hand; "" for one that lies face down."""
    sprite: Sprite
    """What it looks like; of a joker what it stands for."""
    is_held: bool
    """Whether it comes from the hand, as far as the text says it."""


def meaning(state: State, text: str) -> str:
    """A move in words, where its text has a number that people would have to look up.

    Args:
        state: where it can be played.
        text: the move's, as ``game.action_text`` has it.

    Returns:
        The text, with what is meant if the game says that: of "Seat 1" and so on.
    """
    part = by_game.moves(state.game.id)
    if part is None or not hasattr(part, "meaning"):
        return text
    found: str = part.meaning(state, text)
    return found


def cards(table: State | Sight, text: str) -> list[MoveCard]:
    """The cards of a move, in the order of its text.

    Args:
        table: where it can be played.
        text: the move's, as ``game.action_text`` has it.
    """
    game = table.game
    part = by_game.moves(game.id)
    if part is None:
        deck = tuple(game.labels["cards"])
        return [MoveCard(word, face(word, deck), True) for word in text.split() if word in deck]
    found: list[MoveCard] = part.cards(table, text)
    return found
