"""The faces of Mhing cards, which envs/mhing/art.svg has.

Each has in its corner how it is written, so that neither colour nor motif need be known.
"""

from __future__ import annotations

from mhing.render.art import sprite
from mhing.render.scene import Sprite


def face(card: str, joker: bool = False) -> Sprite:
    """The sprite of a card such as "5s", "E", "J" or "F", or of a Mhing card standing for it."""
    return sprite(f"mhing-{card}{'-joker' if joker else ''}")
