"""What the cards of all games share: their size, paper and back."""

from __future__ import annotations

from mhing.render.art import sprite
from mhing.render.scene import Sprite

WIDTH, HEIGHT = 40, 56
RATIO = HEIGHT / WIDTH


def back() -> Sprite:
    """The sprite of a card face down."""
    return sprite("card-back")


def blank() -> Sprite:
    """The sprite of a card with nothing on it."""
    return sprite("card-blank")
