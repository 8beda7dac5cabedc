"""The faces of playing cards, which csrc/draw/cards.svg has.

Rank and suit stand in the left half, as large as they fit: cards of a hand overlap.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from mhing.render.art import sprite
from mhing.render.scene import Sprite

SHOWN = 0.5
"""The part of a card's width, from the left, that holds rank and suit: so far may others cover it.
"""


@cache
def face(card: str, wild: str = "") -> Sprite:
    """The sprite of a card such as "5s" or "Ah"; or of another, the card `wild`, in its stead."""
    return replace(sprite(f"playing-{card}-wild"), card=wild) if wild else sprite(f"playing-{card}")
