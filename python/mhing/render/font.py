"""A small stroke font of our own for printable ASCII, so that pictures need no font files.

A glyph is written as pen strokes separated by spaces. A stroke is a row of points, two base-36
digits each (x, y), on a grid where capitals reach from 0 to 12 (``c``, the baseline), small
letters start at 4 and tails end at 16 (``g``). ``~`` makes a stroke a smooth curve along its
points, ``@`` a smooth closed one; a stroke of one point is a dot.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from mhing.render.scene import Point, Text

UNIT = 1 / 16  # em: one step of the grid, which makes capitals 3/4 em high
BASELINE = 12
SPACE = 5  # steps
GAP = 3.4  # steps between two glyphs
WEIGHT = {False: 0.095, True: 0.15}  # em: thickness of the pen, plain and bold

_GLYPHS = {
    "!": "1018 1c",
    '"': "0003 3033",
    "#": "301c 705c 0484 0888",
    "$": "~72700006767c0c0a 404e",
    "%": "800c @00303404 @585c8c88",
    "&": "~8c1410505307 ~070c6c87",
    "'": "0003",
    "(": "~30030d3g",
    ")": "~00333d0g",
    "*": "3137 0266 0662",
    "+": "353b 0868",
    ",": "1b0e",
    "-": "0848",
    ".": "0c",
    "/": "600c",
    "0": "@00606c0c",
    "1": "12303c 0c6c",
    "2": "~030060660c 0c6c",
    "3": "~0200606626 ~26666c0c0a",
    "4": "4c400868",
    "5": "600006 ~0604646c0c0a",
    "6": "~600009 @05656c0c",
    "7": "00602c",
    "8": "@00606606 @06666c0c",
    "9": "@00606707 ~636c0c",
    ":": "06 0c",
    ";": "16 1b0e",
    "<": "64086c",
    "=": "0666 0a6a",
    ">": "04680c",
    "?": "~020060653538 3c",
    "@": "@35757939 ~757aa9a0000c8c",
    "A": "0c408c 2868",
    "B": "000c ~00707606 ~06868c0c",
    "C": "~8280000c8c8a",
    "D": "000c ~00808c0c",
    "E": "70000c7c 0656",
    "F": "70000c 0656",
    "G": "~8280000c8c87 5787",
    "H": "000c 808c 0686",
    "I": "000c",
    "J": "~505c0c09",
    "K": "000c 7007 348c",
    "L": "000c7c",
    "M": "0c0048808c",
    "N": "0c008c80",
    "O": "@00808c0c",
    "P": "000c ~00808707",
    "Q": "@00808c0c 599d",
    "R": "000c ~00808707 478c",
    "S": "~72700006767c0c0a",
    "T": "0080 404c",
    "U": "~000c8c80",
    "V": "004c80",
    "W": "002c528ca0",
    "X": "008c 800c",
    "Y": "004680 464c",
    "Z": "00800c8c",
    "[": "30000g3g",
    "\\": "006c",
    "]": "00303g0g",
    "^": "043064",
    "_": "0e7e",
    "`": "0022",
    "a": "@04646c0c 646c",
    "b": "000c @04646c0c",
    "c": "~6664040c6c6a",
    "d": "606c @04646c0c",
    "e": "0868 ~6864040c6c6a",
    "f": "~5020242c 0454",
    "g": "@04646c0c ~646g0g0e",
    "h": "000c ~0804646c",
    "i": "040c 00",
    "j": "~242g0g 20",
    "k": "000c 6409 376c",
    "l": "000c",
    "m": "040c ~0704545c ~5754a4ac",
    "n": "040c ~0804646c",
    "o": "@04646c0c",
    "p": "040g @04646c0c",
    "q": "646g @04646c0c",
    "r": "040c ~080444",
    "s": "~56540408585c0c0a",
    "t": "~202c5c 0454",
    "u": "~040c6c68 646c",
    "v": "043c64",
    "w": "042c466c84",
    "x": "046c 640c",
    "y": "043c 641g",
    "z": "04640c6c",
    "{": "~40202707 ~07272g4g",
    "|": "000g",
    "}": "~00202747 ~47272g0g",
    "~": "~0a06393a6a66",
}


@cache
def strokes(char: str) -> tuple[tuple[Point, ...], ...]:
    """The pen strokes of a character in steps of the grid; those of ``?`` if it has none."""
    return tuple(_points(stroke) for stroke in _GLYPHS.get(char, _GLYPHS["?"]).split())


@cache
def advance(char: str) -> float:
    """How far a character moves the pen, in ems."""
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


def width_of(text: Text) -> float:
    """The width of a text in a picture."""
    return text_width(text.text, text.size) * text.stretch


def squeezed(text: str, size: float, width: float) -> float:
    """The `stretch` by which a text is at most `width` pixels wide, and no wider than it is."""
    return min(1.0, width / text_width(text, size))


def shortened(text: str, size: float, width: float) -> str:
    """The text as it is, or so much of its beginning as is at most `width` pixels wide."""
    if text_width(text, size) <= width:
        return text
    kept = text
    while kept and text_width(f"{kept}..", size) > width:
        kept = kept[:-1]
    return f"{kept}.."


def wrap(text: str, size: float, width: float) -> list[str]:
    """The text in lines of at most `width` pixels, broken between words; longer words are cut."""
    lines = [""]
    for word in (shortened(word, size, width) for word in text.split()):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _points(stroke: str) -> tuple[Point, ...]:
    """Decodes one stroke."""
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
