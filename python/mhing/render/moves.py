"""The cards that a move is about, so that it can be shown and chosen by them."""

from __future__ import annotations

from dataclasses import dataclass

from mhing.game import State
from mhing.render import drawn
from mhing.render.scene import Sprite
from mhing.render.view import View


@dataclass(frozen=True)
class MoveCard:
    """A card of a move."""

    card: str
    """Its text, as pictures name the card of the hand; "" for one that lies face down."""
    sprite: Sprite | None
    """Its face, of a joker the one that it stands for; None: the game has no face for it."""
    is_held: bool
    """True if it comes from the hand, as far as the move says it."""


def cards(table: State | View, action: int) -> list[MoveCard]:
    """The cards of a move, in the order of its text.

    Args:
        table: where it can be played.
        action: the move.

    Raises:
        ValueError: there is no such action.

    >>> from mhing import Game
    >>> state = Game("mhing").new_state(seed=1)
    >>> [one.sprite.name for one in cards(state, state.game.action_id("sequence 45*6s"))]
    ['mhing-4s', 'mhing-5s-joker', 'mhing-6s']
    """
    labels = table.game.labels.get("cards", [])
    return [
        MoveCard(
            labels[card] if card >= 0 else "",
            drawn.sprite_of(table.game, number) if number >= 0 else None,
            is_held,
        )
        for number, card, is_held in drawn.move_cards(table, action)
    ]
