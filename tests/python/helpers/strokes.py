"""The letters of pictures as the core describes them, read anew: their strokes and widths."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from mhing._lib.binding import ffi, lib

Point: TypeAlias = tuple[float, float]

UNIT = 1 / 16  # em: one step of the grid
BASELINE = 12
SPACE = 5  # steps
GAP = 3.4  # steps between two glyphs
WEIGHT = {False: 0.095, True: 0.15}  # em: thickness of the pen, plain and bold


@cache
def strokes(char: str) -> tuple[tuple[Point, ...], ...]:
    """The pen strokes of a character in steps of the grid."""
    written: str = ffi.string(lib.mh_font_strokes(ord(char))).decode()
    return tuple(map(_points, written.split()))


@cache
def advance(char: str) -> float:
    """The distance by which a character moves the pen, in ems."""
    if char == " ":
        return SPACE * UNIT
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    if char in "0123456789":  # one width for all, so that numbers stand in columns
        char = "0"
    return (max(x for stroke in strokes(char) for x, _ in stroke) + GAP) * UNIT


def text_width(text: str, size: float) -> float:
    """The width of a line of text in pixels."""
    return size * sum(map(advance, text))


def _points(stroke: str) -> tuple[Point, ...]:
    kind = stroke[0] if stroke[0] in "~@" else ""
    digits = stroke[len(kind) :]
    points = [
        (float(int(digits[i], 36)), float(int(digits[i + 1], 36))) for i in range(0, len(digits), 2)
    ]
    if not kind:
        return tuple(points)
    bent = _smooth(points, closed=kind == "@")
    return bent + bent[:1] if kind == "@" else bent


def _smooth(points: Sequence[Point], *, closed: bool) -> tuple[Point, ...]:
    """Cuts every corner at a quarter of its sides (Chaikin's curve), three times."""
    for _ in range(3):
        sides = zip(points, (*points[1:], points[0]), strict=True)
        cut = [
            ((a * (4 - k) + c * k) / 4, (b * (4 - k) + d * k) / 4)
            for (a, b), (c, d) in sides
            for k in (1, 3)
        ]
        points = cut if closed else [points[0], *cut[:-2], points[-1]]
    return tuple(points)
