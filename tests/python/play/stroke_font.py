"""The stroke font of pictures (mh_font_strokes) as TrueType, for pages that depend on no other.

A browser draws the texts of an SVG with a font of the machine. With this one it draws the same
everywhere, and each text is exactly as wide as the layout reckoned.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from itertools import pairwise
from math import cos, hypot, pi, sin

import strokes
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from strokes import Point

FAMILY = "Strokes"

_EM = 1600  # units; a step of the grid is 100
_CHARS = "".join(map(chr, range(ord(" "), ord("~") + 1)))
_CORNERS = 12  # of the round end of a stroke


def css() -> str:
    """The style sheet of a page whose pictures have this font."""
    faces = (
        f"@font-face {{ font-family: {FAMILY}; font-weight: {weight}; "
        f"src: url(data:font/ttf;base64,{base64.b64encode(_truetype(bold)).decode()}) }}"
        for weight, bold in (("normal", False), ("bold", True))
    )
    return "\n".join([*faces, f"svg {{ font-family: {FAMILY} }}"])


def _truetype(bold: bool) -> bytes:
    """The file of the font."""
    names = {ord(char): f"c{ord(char)}" for char in _CHARS}
    built = FontBuilder(_EM, isTTF=True)
    built.setupGlyphOrder([".notdef", *names.values()])
    built.setupCharacterMap(names)
    empty = TTGlyphPen(None).glyph()
    glyphs = {names[ord(char)]: _glyph(char, strokes.WEIGHT[bold] * _EM) for char in _CHARS}
    built.setupGlyf({".notdef": empty} | glyphs)
    widths = {names[ord(char)]: (round(strokes.advance(char) * _EM), 0) for char in _CHARS}
    built.setupHorizontalMetrics({".notdef": (0, 0)} | widths)
    built.setupHorizontalHeader(ascent=_EM, descent=-_EM // 4)
    built.setupNameTable({"familyName": FAMILY, "styleName": "Bold" if bold else "Regular"})
    built.setupOS2(sTypoAscender=_EM, usWinAscent=_EM, usWinDescent=_EM // 4)
    built.setupPost()
    file = io.BytesIO()
    built.save(file)
    return file.getvalue()


def _glyph(char: str, width: float) -> object:
    """A character: the sides of its strokes and their round joints, all lying over another."""
    pen = TTGlyphPen(None)
    for stroke in () if char == " " else strokes.strokes(char):
        points = [_place(point) for point in stroke]
        for outline in (*_joints(points, width / 2), *_sides(points, width / 2)):
            pen.moveTo(outline[0])
            for point in outline[1:]:
                pen.lineTo(point)
            pen.closePath()
    return pen.glyph()


def _place(point: Point) -> Point:
    """A point of the grid in the units of the font."""
    x, y = point
    unit = strokes.UNIT * _EM
    return (x + strokes.GAP / 2) * unit, (strokes.BASELINE - y) * unit


def _joints(points: list[Point], radius: float) -> Iterator[list[Point]]:
    turns = [2 * pi * corner / _CORNERS for corner in range(_CORNERS)]
    for x, y in points:
        yield [(x + radius * cos(turn), y + radius * sin(turn)) for turn in turns]


def _sides(points: list[Point], radius: float) -> Iterator[list[Point]]:
    """Each side as a rectangle, which turns as the joints do: so nothing is cut out."""
    for (ax, ay), (bx, by) in pairwise(points):
        length = hypot(bx - ax, by - ay)
        x, y = radius * (bx - ax) / length, radius * (by - ay) / length
        yield [(ax + y, ay - x), (bx + y, by - x), (bx - y, by + x), (ax - y, ay + x)]
