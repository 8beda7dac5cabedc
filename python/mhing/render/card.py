"""What the cards of all games share: their size, paper and back."""

from __future__ import annotations

from functools import cache

from mhing.render.palette import EDGE, ROSE, WINE
from mhing.render.scene import Line, Rect, Sprite

WIDTH, HEIGHT = 40, 56
RATIO = HEIGHT / WIDTH


@cache
def back() -> Sprite:
    """The sprite of a card face down."""
    lattice = [
        Line(((x, y), (x + 5, y + 5), (x, y + 10), (x - 5, y + 5), (x, y)), ROSE, 1)
        for x in (10, 20, 30)
        for y in (8, 18, 28, 38)
    ]
    frame = Rect(3.5, 3.5, WIDTH - 7, HEIGHT - 7, None, 3, ROSE, 1)
    return Sprite("card-back", WIDTH, HEIGHT, (paper(WINE), frame, *lattice))


def paper(color: str) -> Rect:
    """The ground of a card."""
    return Rect(0.5, 0.5, WIDTH - 1, HEIGHT - 1, color, 5, EDGE, 1)
