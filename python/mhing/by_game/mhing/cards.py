"""The faces of Mhing cards, drawn for this project, as sprites of 40 x 56 units."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from mhing.render.card import HEIGHT, JOKER_PAPER, PAPER, WIDTH, paper, star
from mhing.render.scene import Circle, Line, Point, Polygon, Rect, Shape, Sprite, Text

GREEN = "#1c7a3b"
BLUE = "#1d4f9f"
RED = "#b4232a"
INK = "#27303a"
GREY = "#6f7a86"
GOLD = "#f5b81c"
PURPLE = "#4b2a7b"
PINK = "#e0559a"

_SUIT_COLORS = {"s": GREEN, "p": BLUE, "m": RED}
_WINDS = {"E": (1, 0), "S": (0, 1), "W": (-1, 0), "N": (0, -1)}  # where the arrow points
_DRAGONS = {"R": RED, "G": GREEN, "P": GREY}

# How many marks stand in each row, from the top, for the numbers from 1.
_ROWS = ((1,), (1, 1), (1, 1, 1), (2, 2), (2, 1, 2), (2, 2, 2), (2, 3, 2), (3, 2, 3), (3, 3, 3))

_Strokes = tuple[tuple[Point, ...], ...]

# Strokes of a brush on a grid of 12 x 12: the numbers from 1, and the ten thousand that names
# their suit.
_NUMERALS: tuple[_Strokes, ...] = (
    (((1, 6), (11, 6)),),
    (((2.5, 3), (9.5, 3)), ((1, 9), (11, 9))),
    (((2, 2), (10, 2)), ((3, 6), (9, 6)), ((1, 10), (11, 10))),
    (
        ((1, 2), (11, 2), (11, 10.5), (1, 10.5), (1, 2)),
        ((4.5, 2), (4.3, 5), (3, 7)),
        ((7.5, 2), (7.5, 6.5), (9.5, 6.5)),
    ),
    (
        ((2, 1.5), (10, 1.5)),
        ((5.5, 1.5), (4, 11)),
        ((2.5, 6), (9, 6), (8.5, 11)),
        ((1, 11), (11, 11)),
    ),
    (((5, 0.5), (6.5, 2)), ((1, 4), (11, 4)), ((4, 6.5), (1.5, 11)), ((8, 6.5), (10.5, 11))),
    (((1, 6.5), (11, 4.5)), ((5.5, 1), (5.5, 10.5), (10.5, 10.5), (10.5, 8.5))),
    (((4.5, 2), (4, 6), (1, 11)), ((7, 1.5), (8, 6.5), (11, 11))),
    (
        ((1.5, 4.5), (8, 4.5), (7.5, 10.5), (11, 10.5), (11, 8.5)),
        ((4.8, 1), (4.5, 6.5), (1, 11)),
    ),
)
_MYRIAD: _Strokes = (
    ((1, 2), (11, 2)),
    ((5, 2), (4.5, 6), (1.5, 11)),
    ((4.8, 5.5), (9.5, 5.5), (8.8, 10.5), (7, 10)),
)


@cache
def face(card: str, joker: bool = False) -> Sprite:
    """The sprite of a card such as "5s", "E", "J" or "F", or of a Mhing card standing for it."""
    if card == "J":
        shapes = _mhing_card()
    elif card == "F":
        shapes = (*_flower(20, 24, 1), Text(20, 52, "F", 16, PINK, "middle", bold=True))
    elif card in _WINDS:
        shapes = _wind(card)
    elif card in _DRAGONS:
        shapes = _dragon(card)
    else:
        shapes = _suit_card(int(card[0]), card[1], joker)
    if joker:
        shapes = (*shapes, star(32, 9, 7, PURPLE))
    ground = paper(JOKER_PAPER if joker else PURPLE if card == "J" else PAPER)
    return Sprite(f"mhing-{card}{'-joker' if joker else ''}", WIDTH, HEIGHT, (ground, *shapes))


@cache
def flower_mark() -> Sprite:
    """A flower without its card, 20 x 20 units."""
    return Sprite("flower", 20, 20, _flower(10, 10, 0.6))


def _suit_card(number: int, suit: str, joker: bool) -> tuple[Shape, ...]:
    """The number with marks of the suit, or as a word where a joker's star leaves room for it."""
    color = _SUIT_COLORS[suit]
    index = Text(4, 19, str(number), 20, color, bold=True)
    if suit == "m":
        word = () if joker else _brush(_NUMERALS[number - 1], 20, 5, 1.2, INK)
        return (index, *word, *_brush(_MYRIAD, 9.5, 27, 1.8, color))
    mark = _stick if suit == "s" else _ring
    rows = _ROWS[number - 1]
    size = {1: 1.8, 2: 1.4}.get(number, 1)
    marks: list[Shape] = []
    for row, count in enumerate(rows):
        y = 37 + (row - (len(rows) - 1) / 2) * (10.5 if len(rows) == 3 else 15)
        for column in range(count):
            x = 20 + (column - (count - 1) / 2) * (11 if count == 3 else 14)
            marks += mark(x, y, size)
    return (index, *marks)


def _stick(x: float, y: float, size: float) -> tuple[Shape, ...]:
    """A piece of bamboo with its knot."""
    half = 3.2 * size
    return (
        Line(((x, y - half), (x, y + half)), GREEN, 3.4 * size),
        Line(((x - 1.2 * size, y), (x + 1.2 * size, y)), PAPER, 0.9),
    )


def _ring(x: float, y: float, size: float) -> tuple[Shape, ...]:
    return (
        Circle(x, y, 3.7 * size, PAPER, BLUE, 1.8 * size),
        Circle(x, y, 1.3 * size, RED),
    )


def _brush(strokes: _Strokes, x: float, y: float, scale: float, color: str) -> tuple[Shape, ...]:
    return tuple(
        Line(tuple((x + a * scale, y + b * scale) for a, b in stroke), color, 1.6 * scale**0.5)
        for stroke in strokes
    )


def _wind(letter: str) -> tuple[Shape, ...]:
    """The letter and an arrow as on a map: north is up."""
    dx, dy = _WINDS[letter]
    x, y = 20, 44
    tip = (x + 9 * dx, y + 9 * dy)
    head = (
        tip,
        (x + 2 * dx - 6 * dy, y + 2 * dy + 6 * dx),
        (x + 2 * dx + 6 * dy, y + 2 * dy - 6 * dx),
    )
    return (
        Text(20, 30, letter, 26, INK, "middle", bold=True),
        Line(((x - 8 * dx, y - 8 * dy), (x + 3 * dx, y + 3 * dy)), BLUE, 3),
        Polygon(head, BLUE),
    )


def _dragon(letter: str) -> tuple[Shape, ...]:
    """The letter on a field of its colour; the white dragon's is an empty frame."""
    color = _DRAGONS[letter]
    if letter == "P":
        frame = (
            Rect(6, 9, 28, 38, None, 3, color, 2.4),
            Rect(10, 13, 20, 30, None, 2, color, 1),
        )
        return (*frame, Text(20, 37, letter, 24, color, "middle", bold=True))
    field = Polygon(((20, 5), (36, 28), (20, 51), (4, 28)), color)
    return (field, Text(20, 37, letter, 24, PAPER, "middle", bold=True))


def _mhing_card() -> tuple[Shape, ...]:
    return (
        Rect(3.5, 3.5, WIDTH - 7, HEIGHT - 7, None, 3, GOLD, 1),
        star(20, 21, 14, GOLD),
        Text(20, 50, "J", 18, GOLD, "middle", bold=True),
    )


def _flower(x: float, y: float, scale: float) -> tuple[Shape, ...]:
    petals = [
        Circle(
            x + 8 * scale * sin(i * 2 * pi / 5),
            y - 8 * scale * cos(i * 2 * pi / 5),
            6 * scale,
            PINK,
        )
        for i in range(5)
    ]
    return (*petals, Circle(x, y, 4.5 * scale, GOLD))
