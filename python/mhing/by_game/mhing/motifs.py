"""What is painted on Mhing cards, drawn for this project, each motif around its own middle."""

from __future__ import annotations

from math import cos, pi, sin

from mhing.render.palette import AMBER, BLUE, GREEN, INK, PAPER, PURPLE, RED
from mhing.render.pen import area, blob, curve, placed, stroke
from mhing.render.scene import Circle, Line, Point, Shape

PINK = "#e0559a"
BARK = "#6b4a35"
SKY = "#8fb3d9"

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


def bamboo(size: float) -> tuple[Shape, ...]:
    """A piece with its knot."""
    half = 3.2 * size
    return (
        Line(((0, -half), (0, half)), GREEN, 3.4 * size),
        Line(((-1.2 * size, 0), (1.2 * size, 0)), PAPER, 0.9),
    )


def ring(size: float) -> tuple[Shape, ...]:
    """A coin with its eye."""
    return (Circle(0, 0, 3.7 * size, PAPER, BLUE, 1.8 * size), Circle(0, 0, 1.3 * size, RED))


def wheel() -> tuple[Shape, ...]:
    """The one of circles: a ring around a blossom of eight."""
    turns = [i * pi / 4 for i in range(8)]
    petals = [Circle(6.2 * sin(turn), -6.2 * cos(turn), 2.5, RED) for turn in turns]
    studs = [Circle(11.6 * sin(turn), -11.6 * cos(turn), 0.9, AMBER) for turn in turns]
    ground = (Circle(0, 0, 11.6, PAPER, BLUE, 3.4), Circle(0, 0, 6.4, None, GREEN, 1.4))
    return (*ground, *studs, *petals, Circle(0, 0, 4, BLUE), Circle(0, 0, 1.8, AMBER))


def bird() -> tuple[Shape, ...]:
    """The one of bamboo: a bird on a branch."""
    return (
        blob("1 2 9 -6 17 -14 16 -5 8 5", BLUE),
        blob("1 4 10 -1 18 -5 15 3 7 8", RED),
        blob("-1 6 9 4 17 5 12 9 5 10", GREEN),
        blob("-10 -6 -3 -9 5 -2 7 6 1 11 -7 8 -10 1", GREEN),
        Circle(-7, -7.5, 5, GREEN),
        blob("-2 -3 4 -1 5 5 0 7 -4 3", AMBER),
        area("-11 -9.5 -16.5 -7 -11 -5.5", AMBER),
        Circle(-8.3, -8.5, 1.5, PAPER),
        Circle(-8.5, -8.5, 0.8, INK),
        curve("-7 -12 -4 -16 -2 -14", RED, 1.6),
        stroke("-3 9 -3 13", INK, 1),
        stroke("1 9.5 1 13", INK, 1),
        stroke("-15 13.5 15 13.5", GREEN, 2.6),
        stroke("-7 12.3 -7 14.7", PAPER, 0.9),
        stroke("8 12.3 8 14.7", PAPER, 0.9),
    )


def brush(number: int) -> tuple[Shape, ...]:
    """A number as it is written with a brush, 12 x 12 from its corner."""
    return _written(_NUMERALS[number - 1], INK, 1.6)


def myriad() -> tuple[Shape, ...]:
    """The ten thousand, 12 x 12 from its corner."""
    return _written(_MYRIAD, RED, 1.2)


def _written(strokes: _Strokes, color: str, width: float) -> tuple[Shape, ...]:
    return tuple(Line(points, color, width) for points in strokes)


def compass(dx: int, dy: int) -> tuple[Shape, ...]:
    """A compass of which the needle points as on a map: north is up."""
    rose = "0 -9 2 -2 9 0 2 2 0 9 -2 2 -9 0 -2 -2"
    tip, left, right = (13, 0), (-2, -6.5), (-2, 6.5)
    needle = " ".join(f"{x * dx - y * dy} {x * dy + y * dx}" for x, y in (tip, right, (1, 0), left))
    return (Circle(0, 0, 12, None, SKY, 1.4), area(rose, SKY), area(needle, BLUE))


def breeze() -> tuple[Shape, ...]:
    """Two curls of wind."""
    return (
        curve("-8 0 2 0 7 -1 6 -6 2 -6 1 -3", SKY, 1.6),
        curve("-6 4 4 4 9 5 8 9 4 8", SKY, 1.6),
    )


def dragon(color: str, ground: str) -> tuple[Shape, ...]:
    """A dragon's head with horns and mane, its mouth open; it looks to the left."""
    nose = "-14 0 -13 -4 -9 -5 -5 -5 -3 -9 1 -10 "
    mane = "3 -16 6 -10 12 -15 10 -8 16 -8 12 -3 17 1 12 2 15 8 10 7 11 15 "
    jaws = "-4 15 -1 9 -4 8 -9 10 -13 7 -9 6 -5 4 -3 2 -6 1.5 -8 3 -9 1.5 -12 3"
    return (
        area(nose + mane + jaws, color),
        Circle(-1.5, -4.5, 1.8, ground),
        curve("4 -5 8 -3 7 3 3 8", ground, 1.4),
        curve("-12 -4 -16 -8 -13 -12", color, 1.4),
    )


def blossom(scale: float) -> tuple[Shape, ...]:
    """Five petals."""
    turns = [i * 2 * pi / 5 for i in range(5)]
    petals = [Circle(8 * sin(turn), -8 * cos(turn), 6, PINK) for turn in turns]
    return placed((*petals, Circle(0, 0, 4.5, AMBER)), 0, 0, scale)


def branch() -> tuple[Shape, ...]:
    """A branch in bloom."""
    return (
        curve("-14 15 -6 10 2 12 8 4 14 -8", BARK, 2.4),
        curve("-1 11 -4 4 -8 2", BARK, 1.6),
        Circle(14, -9, 3, PINK),
        Circle(-9, 1.5, 2.4, PINK),
        *placed(blossom(0.62), 5, 1),
        *placed(blossom(0.42), -6, 11),
    )


def joker_face() -> tuple[Shape, ...]:
    """What smiles out of a star."""
    return (
        Circle(-3, -1, 1.3, PURPLE),
        Circle(3, -1, 1.3, PURPLE),
        curve("-4 3 -2 6 2 6 4 3", PURPLE, 1.3),
    )
