"""The figures of kings, queens and jacks: one way to draw each, and a person for each suit."""

from __future__ import annotations

from dataclasses import dataclass

from mhing.render.palette import INK
from mhing.render.pen import area, blob, curve, placed, stroke
from mhing.render.playing.suits import COLORS, mark
from mhing.render.scene import Circle, Shape

_GILT = "#e0a526"
_ERMINE = "#f4efe2"
_LIPS = "#a23a3a"


@dataclass(frozen=True)
class _Person:
    """Who a suit's court is of."""

    skin: str
    hair: str
    beard: str
    """Its outline, around the chin at (0, 0)."""


_PEOPLE = {
    "s": _Person("#f0c9a2", "#4a3428", "-6 -4 -3 -2 3 -2 6 -4 5 4 0 13 -5 4"),
    "h": _Person("#f7d8ba", "#b8602a", "-7 -5 -3 -2 3 -2 7 -5 8 4 4 8 -4 8 -8 4"),
    "d": _Person("#cb9163", "#2f2019", "-6 -4 -3 -2 3 -2 6 -4 6 4 4 11 0 3 -4 11 -6 4"),
    "c": _Person("#8f5d3f", "#d8d3c8", "-6.5 -5 -3 -2 3 -2 6.5 -5 7 3 6 6 3 5 0 8 -3 5 -6 6 -7 3"),
}

_X, _Y, _SCALE = 27, 24, 0.86
"""Where the middle of a face is, and how large a figure's units are."""


def figure(rank: str, suit: str) -> tuple[Shape, ...]:
    """The figure of a court card, right of the rank and beneath it."""
    person, robe = _PEOPLE[suit], COLORS[suit]
    drawn = {"K": _king, "Q": _queen, "J": _jack}[rank](person, robe, suit)
    return placed(drawn, _X, _Y, _SCALE)


def _king(person: _Person, robe: str, suit: str) -> tuple[Shape, ...]:
    """A crown with three jewels, long hair, a beard, and a collar of ermine."""
    return (
        area("-9 15 9 15 13.5 24 13.7 32 10 35.3 -16 35.3 -17 25 -14 18", robe),
        blob("-8 -8 8 -8 9 0 10 9 5 11 -5 11 -10 9 -9 0", person.hair),
        *_head(person),
        blob("-12 12 -6 10 0 13 6 10 12 12 10 18 0 20 -10 18", _ERMINE),
        *placed([blob(person.beard, person.hair)], 0, 6.5),
        curve("-4.5 4 -2 2 0 3.5 2 2 4.5 4", person.hair, 2),
        area("-8 -6 -10 -16 -4.5 -11.5 0 -18 4.5 -11.5 10 -16 8 -6", _GILT),
        stroke("-7.5 -7 7.5 -7", robe, 2),
        Circle(-10, -16, 1.3, robe), Circle(0, -18, 1.5, robe), Circle(10, -16, 1.3, robe),
        *mark(suit, -1, 26.5, 5, _GILT),
    )  # fmt: skip


def _queen(person: _Person, robe: str, suit: str) -> tuple[Shape, ...]:
    """A coronet, hair over the shoulders, a necklace, and a rose."""
    return (
        blob("-7 -9 7 -9 11 -2 10 8 13 17 8 20 -8 20 -13 17 -10 8 -11 -2", person.hair),
        area("-8 15 8 15 12.5 20 13.7 32 10 35.3 -16 35.3 -16 24 -12 19", robe),
        area("-5 10 5 10 6 15 0 22 -6 15", person.skin),
        *_head(person),
        curve("-6.5 -4 -4 -8 0 -7 4 -8 6.5 -4", person.hair, 3),
        curve("-2 4.4 0 5.4 2 4.4", _LIPS, 1.4),
        area("-7 -8 -9 -14 -4 -11.5 0 -16 4 -11.5 9 -14 7 -8", _GILT),
        Circle(0, -16, 1.4, robe),
        Circle(-6.8, 4, 1, _GILT), Circle(6.8, 4, 1, _GILT),
        curve("-5 14 0 18 5 14", _GILT, 1.2),
        *mark(suit, -1, 27.5, 5, _GILT),
    )  # fmt: skip


def _jack(person: _Person, robe: str, suit: str) -> tuple[Shape, ...]:
    """A cap with a feather, hair cut at the chin, and a row of buttons."""
    return (
        blob("-7 -8 7 -8 9 0 9 7 6 9 -6 9 -9 7 -9 0", person.hair),
        area("-8 13 8 13 12.5 20 13.7 32 10 35.3 -16 35.3 -16 24 -12 17", robe),
        *_head(person),
        area("-7 13 0 11 7 13 0 19", _ERMINE),
        curve("-2 4.6 0 5.2 2.5 4", _LIPS, 1.2),
        blob("-10 -6 -9 -13 0 -15 9 -12 11 -6 0 -8", robe),
        stroke("-8.5 -7 9 -7", _GILT, 2),
        curve("7 -8 13 -14 12 -20", _ERMINE, 2.4),
        *mark(suit, -1, 26.5, 5, _GILT),
    )  # fmt: skip


def _head(person: _Person) -> tuple[Shape, ...]:
    """Neck, face, eyes and nose."""
    return (
        area("-3 5 3 5 3.5 13 -3.5 13", person.skin),
        blob("-6.5 -8 6.5 -8 8 0 5 7 0 10.5 -5 7 -8 0", person.skin),
        Circle(-2.8, -0.5, 1, INK), Circle(2.8, -0.5, 1, INK),
        stroke("-4.3 -2.9 -1.7 -3.1", person.hair, 0.9),
        stroke("1.7 -3.1 4.3 -2.9", person.hair, 0.9),
        stroke("0.2 0 0.8 2 -0.2 2.2", INK, 0.6),
    )  # fmt: skip
