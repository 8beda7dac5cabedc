"""The faces of Mhing cards, as sprites of 40 x 56 units.

Each has in its corner how it is written, so that neither colour nor motif need be known.
"""

from __future__ import annotations

from functools import cache

from mhing.by_game.mhing import motifs
from mhing.render.card import HEIGHT, WIDTH, paper
from mhing.render.palette import (
    AMBER,
    BLUE,
    CERISE,
    GREEN,
    GREY,
    INK,
    JOKER_PAPER,
    PAPER,
    PURPLE,
    RED,
)
from mhing.render.pen import area, placed, star
from mhing.render.scene import Circle, Rect, Shape, Sprite, Text

_SUIT_COLORS = {"s": GREEN, "p": BLUE, "m": RED}
_WINDS = {"E": (1, 0), "S": (0, 1), "W": (-1, 0), "N": (0, -1)}  # where the needle points
_DRAGONS = {"R": RED, "G": GREEN, "P": GREY}

# How many marks stand in each row, from the top, for the numbers from 2.
_ROWS = ((1, 1), (1, 1, 1), (2, 2), (2, 1, 2), (2, 2, 2), (2, 3, 2), (3, 2, 3), (3, 3, 3))


@cache
def face(card: str, joker: bool = False) -> Sprite:
    """The sprite of a card such as "5s", "E", "J" or "F", or of a Mhing card standing for it."""
    if card == "J":
        shapes = _mhing_card()
    elif card == "F":
        shapes = (_letter("F", CERISE), *placed(motifs.branch(), 20, 35))
    elif card in _WINDS:
        shapes = _wind(card, joker)
    elif card in _DRAGONS:
        shapes = _dragon(card)
    else:
        shapes = _suit_card(int(card[0]), card[1], joker)
    if joker:
        shapes = (*shapes, star(32.5, 9, 6.5, PURPLE))
    ground = paper(JOKER_PAPER if joker else PURPLE if card == "J" else PAPER)
    name = f"mhing-{card}{'-joker' if joker else ''}"
    return Sprite(name, WIDTH, HEIGHT, (ground, *shapes), "J" if joker else card)


@cache
def dealer_mark() -> Sprite:
    """A disc with a D, 20 x 20 units."""
    disc = Circle(10, 10, 9, PAPER, INK, 1.5)
    return Sprite("dealer", 20, 20, (disc, Text(10, 14.5, "D", 12, INK, "middle", bold=True)))


@cache
def flower_mark() -> Sprite:
    """A flower without its card, 20 x 20 units."""
    return Sprite("flower", 20, 20, placed(motifs.blossom(0.6), 10, 10))


def _letter(letter: str, color: str) -> Text:
    return Text(3.5, 19, letter, 20, color, bold=True)


def _suit_card(number: int, suit: str, joker: bool) -> tuple[Shape, ...]:
    """Number and letter of the suit; marks, or words where a joker's star leaves room for them."""
    color = _SUIT_COLORS[suit]
    index = (
        Text(3.5, 19, str(number), 20, color, bold=True),
        Text(15, 16, suit, 10 if suit == "m" else 13, color, bold=True),
    )
    if suit == "m":
        word = () if joker else placed(motifs.brush(number), 27, 6, 0.88)
        return (*index, *word, *placed(motifs.myriad(), 8.5, 26, 1.95))
    if number == 1:
        return (*index, *placed(motifs.bird() if suit == "s" else motifs.wheel(), 20, 38))
    mark = motifs.bamboo if suit == "s" else motifs.ring
    rows = _ROWS[number - 2]
    shapes = mark(1.4 if number == 2 else 1)
    marks: list[Shape] = []
    for row, count in enumerate(rows):
        y = 37.5 + (row - (len(rows) - 1) / 2) * (10.5 if len(rows) == 3 else 15)
        for column in range(count):
            x = 20 + (column - (count - 1) / 2) * (11 if count == 3 else 14)
            marks += placed(shapes, x, y)
    return (*index, *marks)


def _wind(letter: str, joker: bool) -> tuple[Shape, ...]:
    """The letter and a compass; a breeze, where a joker's star leaves room for it."""
    breeze = () if joker else placed(motifs.breeze(), 32.5, 11, 0.6)
    return (
        _letter(letter, INK),
        *breeze,
        *placed(motifs.compass(*_WINDS[letter]), 20, 38),
    )


def _dragon(letter: str) -> tuple[Shape, ...]:
    """The letter and a dragon: on a sun, on a leaf, or, the white one, within an empty frame."""
    color = _DRAGONS[letter]
    if letter == "P":
        frame = Rect(5, 23, 30, 29, None, 3, color, 2.4)
        return (_letter(letter, color), frame, *placed(motifs.dragon(color, PAPER), 20, 38, 0.78))
    fields: dict[str, Shape] = {
        "R": Circle(20, 37, 16, color),
        "G": area("20 18 38 36.5 20 55 2 36.5", color),
    }
    size = 0.74 if letter == "R" else 0.62
    drawn = placed(motifs.dragon(PAPER, color), 20, 37, size, mirrored=letter == "G")
    return (fields[letter], _letter(letter, color), *drawn)


def _mhing_card() -> tuple[Shape, ...]:
    """The letter and a star that smiles."""
    return (
        Rect(3.5, 3.5, WIDTH - 7, HEIGHT - 7, None, 3, AMBER, 1),
        Text(6, 21, "J", 20, AMBER, bold=True),
        star(29, 13, 3.5, AMBER),
        star(22, 36.5, 14.5, AMBER),
        *placed(motifs.joker_face(), 22, 36),
    )
