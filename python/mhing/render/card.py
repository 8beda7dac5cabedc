"""What the cards of all games share: their size, paper, back and the star of a joker."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from mhing.render.scene import Line, Polygon, Rect, Sprite

WIDTH, HEIGHT = 40, 56
RATIO = HEIGHT / WIDTH

PAPER = "#fcf8ec"
JOKER_PAPER = "#ffe08a"
EDGE = "#8d8468"
WINE = "#7c2438"
ROSE = "#d9a5a0"


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


def star(x: float, y: float, radius: float, color: str) -> Polygon:
    """Five points around a place."""
    points = []
    for i in range(10):
        reach, angle = radius if i % 2 == 0 else 0.42 * radius, i * pi / 5
        points.append((x + reach * sin(angle), y - reach * cos(angle)))
    return Polygon(tuple(points), color)
