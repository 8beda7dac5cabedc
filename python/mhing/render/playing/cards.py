"""The faces of playing cards, drawn for this project, as sprites of 40 x 56 units.

Rank and suit stand in the left half, as large as they fit: cards of a hand overlap.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from mhing.render.card import HEIGHT, WIDTH, paper
from mhing.render.palette import JOKER_PAPER, PAPER, PURPLE
from mhing.render.pen import star
from mhing.render.playing.courts import figure
from mhing.render.playing.suits import COLORS, mark
from mhing.render.scene import Circle, Line, Point, Shape, Sprite, Text

GILT = "#d9a441"

SHOWN = 0.5
"""The part of a card's width, from the left, that holds rank and suit: so far may others cover it.
"""


@cache
def face(card: str, wild: str = "") -> Sprite:
    """The sprite of a card such as "5s" or "Ah"; or of another, the card `wild`, in its stead."""
    rank, suit = card[0], card[1]
    color = COLORS[suit]
    shapes = [*_picture(rank, suit, color), _index(rank, color), *mark(suit, 9.3, 29, 6, color)]
    ground = JOKER_PAPER if wild else PAPER
    if wild:
        shapes += [Circle(9.3, 46, 7, ground), star(9.3, 46.4, 6.4, PURPLE)]
    name = f"playing-{card}{'-wild' if wild else ''}"
    return Sprite(name, WIDTH, HEIGHT, (paper(ground), *shapes), wild or card)


def _index(rank: str, color: str) -> Text:
    """The rank in the corner; ten, the only one of two digits, is written narrowly."""
    if rank == "T":
        return Text(2, 19.5, "10", 20, color, bold=True, stretch=0.7)
    return Text(3, 19.5, rank, 20, color, bold=True)


def _picture(rank: str, suit: str, color: str) -> tuple[Shape, ...]:
    """What stands at the right: a person, or the mark of the suit; an ace's shines."""
    if rank in "JQK":
        return figure(rank, suit)
    x, y = 26.5, 40
    if rank != "A":
        return mark(suit, x, y, 9, color)
    rays = (Line(_ray(x, y, i * pi / 8), GILT, 1.2) for i in range(16))
    return (
        *rays,
        *mark(suit, x, y, 9.5, color),
        *mark(suit, x, y, 5, PAPER),
        *mark(suit, x, y, 2.5, color),
    )


def _ray(x: float, y: float, angle: float) -> tuple[Point, Point]:
    across, down = cos(angle), sin(angle)
    return (
        (round(x + 7 * across, 1), round(y + 8 * down, 1)),
        (round(x + 11.5 * across, 1), round(y + 13.5 * down, 1)),
    )
