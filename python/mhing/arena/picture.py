"""The cross table as a picture."""

from __future__ import annotations

from mhing.arena.result import Result
from mhing.render import font
from mhing.render.scene import Rect, Scene, Shape, Text
from mhing.render.svg_writer import to_svg

_INK, _PAPER, _LINE = "#1f2933", "#ffffff", "#c3cad2"
_BETTER, _WORSE, _OPEN = "#cfe8d5", "#f6d5d0", "#eef1f4"
_SIZE, _ROW, _GAP = 13, 30, 16
_CELL = 136


def svg(result: Result) -> str:
    """An SVG document: each player's mean, and its differences from the others.

    Row less column; a coloured cell is a decided difference, green where the row is better.
    """
    rows = result.standings()
    heads = [head for head in rows[0] if head != "player"]
    names = [_shown(row["player"]) for row in rows]
    left = _GAP + max(font.text_width(text, _SIZE) for text in ["player", *names])
    lines = [result.heading(), *result.notes()]
    width = left + _GAP + _CELL * (len(heads) + len(names)) + _GAP
    width = max(width, *(2 * _GAP + font.text_width(_shown(line), _SIZE) for line in lines))
    top = _GAP + _ROW
    scene = Scene(
        int(width), top + _ROW * (len(rows) + 1 + len(lines) - 1) + _GAP, _PAPER, result.heading()
    )
    scene.shapes.append(_text(_GAP, top - _ROW / 2, lines[0], bold=True))
    x = left + _GAP
    scene.shapes.append(_text(_GAP, top + _ROW / 2, "player", bold=True))
    for i, head in enumerate([*heads, *(f"less {name}" for name in names)]):
        scene.shapes.append(_centred(x + _CELL * i, top, head, bold=True))
    for i, row in enumerate(rows):
        y = top + _ROW * (i + 1)
        scene.shapes.append(_text(_GAP, y + _ROW / 2, names[i]))
        for k, head in enumerate(heads):
            scene.shapes.append(_centred(x + _CELL * k, y, row[head]))
        for k, other in enumerate(rows):
            if i != k:
                scene.shapes += _cell(
                    x + _CELL * (len(heads) + k), y, result, row["player"], other["player"]
                )
    for i, line in enumerate(lines[1:]):
        scene.shapes.append(_text(_GAP, top + _ROW * (len(rows) + 1 + i) + _ROW / 2, line))
    return to_svg(scene)


def _cell(x: float, y: float, result: Result, first: str, second: str) -> list[Shape]:
    mean = result.difference(first, second)
    decided = any(
        pair.decided for pair in result.pairs if {pair.first, pair.second} == {first, second}
    )
    fill = _OPEN if not decided else _BETTER if mean.value > 0 else _WORSE
    box = Rect(x + 2, y + 2, _CELL - 4, _ROW - 4, fill, radius=3, stroke=_LINE)
    return [box, _centred(x, y, mean.signed)]


def _text(x: float, y: float, text: str, bold: bool = False) -> Text:
    return Text(x, y + _SIZE / 3, _shown(text), _SIZE, _INK, bold=bold)


def _centred(x: float, y: float, text: str, bold: bool = False) -> Text:
    words = _shown(text)
    room = min(_SIZE, _SIZE * (_CELL - 8) / max(1.0, font.text_width(words, _SIZE)))
    return Text(x + _CELL / 2, y + _ROW / 2 + room / 3, words, room, _INK, "middle", bold)


def _shown(text: str) -> str:
    """A text in characters that can be written in a document."""
    return "".join(char if char.isprintable() else "?" for char in text)
