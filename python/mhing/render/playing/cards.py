"""The faces of playing cards, drawn for this project, as sprites of 40 x 56 units."""

from __future__ import annotations

from functools import cache

from mhing.render.card import HEIGHT, JOKER_PAPER, PAPER, WIDTH, paper, star
from mhing.render.scene import Circle, Polygon, Shape, Sprite, Text

COLORS = {"s": "#27303a", "h": "#b4232a", "d": "#1d4f9f", "c": "#1c7a3b"}
PURPLE = "#4b2a7b"

SHOWN = 0.5
"""The part of a card's width, from the left, that holds its rank: so far may others cover it."""


@cache
def face(card: str, wild: bool = False) -> Sprite:
    """The sprite of a card such as "5s" or "Ah", or of an ace that stands for it."""
    rank, suit = card[0], card[1]
    color = COLORS[suit]
    shapes: list[Shape] = [
        _index(rank, color),
        *_mark(suit, 16 if wild else 20, 38, 11, color),
    ]
    if wild:
        shapes.append(star(33, 49, 6, PURPLE))
    name = f"playing-{card}{'-wild' if wild else ''}"
    return Sprite(name, WIDTH, HEIGHT, (paper(JOKER_PAPER if wild else PAPER), *shapes))


def _index(rank: str, color: str) -> Text:
    """The rank in the corner; ten, the only one of two digits, is written narrowly."""
    if rank == "T":
        return Text(2.5, 20, "10", 20, color, bold=True, stretch=0.74)
    return Text(4, 20, rank, 20, color, bold=True)


def _mark(suit: str, x: float, y: float, r: float, color: str) -> tuple[Shape, ...]:
    """The mark of a suit, about 2r high, around a place."""
    if suit == "d":
        return (Polygon(((x, y - r), (x + 0.8 * r, y), (x, y + r), (x - 0.8 * r, y)), color),)
    if suit == "h":
        return (
            Circle(x - 0.45 * r, y - 0.35 * r, 0.52 * r, color),
            Circle(x + 0.45 * r, y - 0.35 * r, 0.52 * r, color),
            Polygon(((x - 0.9 * r, y - 0.08 * r), (x + 0.9 * r, y - 0.08 * r), (x, y + r)), color),
        )
    stem = Polygon(((x, y - 0.3 * r), (x + 0.4 * r, y + r), (x - 0.4 * r, y + r)), color)
    if suit == "s":
        return (
            Circle(x - 0.45 * r, y + 0.2 * r, 0.5 * r, color),
            Circle(x + 0.45 * r, y + 0.2 * r, 0.5 * r, color),
            Polygon(((x - 0.88 * r, y), (x + 0.88 * r, y), (x, y - r)), color),
            stem,
        )
    return (
        Circle(x, y - 0.5 * r, 0.46 * r, color),
        Circle(x - 0.5 * r, y + 0.2 * r, 0.46 * r, color),
        Circle(x + 0.5 * r, y + 0.2 * r, 0.46 * r, color),
        stem,
    )
