"""The cross table as a picture."""

from __future__ import annotations

from mhing._lib.scenes import text_width
from mhing.arena.result import Result
from mhing.render.scene import Box, Drawing

_TINT = 0.2  # the opacity of a cell's colour, on which ink can be read
_SIZE, _ROW, _GAP = 13, 30, 16
_CELL = 136


def svg(result: Result) -> str:
    """An SVG document: each player's mean, and its differences from the others.

    Row less column; a coloured cell is a decided difference, green where the row is better.
    """
    rows = result.standings()
    heads = [head for head in rows[0] if head != "player"]
    names = [_shown(row["player"]) for row in rows]
    left = _GAP + max(text_width(text, _SIZE) for text in ["player", *names])
    lines = [result.heading(), *result.notes()]
    width = left + _GAP + _CELL * (len(heads) + len(names)) + _GAP
    width = max(width, *(2 * _GAP + text_width(_shown(line), _SIZE) for line in lines))
    top = _GAP + _ROW
    height = top + _ROW * (len(rows) + len(lines)) + _GAP
    drawing = Drawing(int(width), height, "paper", _shown(result.heading()))
    _write(drawing, _GAP, top - _ROW / 2, lines[0], bold=True)
    x = left + _GAP
    _write(drawing, _GAP, top + _ROW / 2, "player", bold=True)
    for i, head in enumerate([*heads, *(f"less {name}" for name in names)]):
        _centre(drawing, x + _CELL * i, top, head, bold=True)
    for i, row in enumerate(rows):
        y = top + _ROW * (i + 1)
        _write(drawing, _GAP, y + _ROW / 2, names[i])
        for k, head in enumerate(heads):
            _centre(drawing, x + _CELL * k, y, row[head])
        for k, other in enumerate(rows):
            if i != k:
                place = x + _CELL * (len(heads) + k), y
                _compare(drawing, *place, result, row["player"], other["player"])
    for i, line in enumerate(lines[1:]):
        _write(drawing, _GAP, top + _ROW * (len(rows) + 1 + i) + _ROW / 2, line)
    return drawing.scene().to_svg()


def _compare(drawing: Drawing, x: float, y: float, result: Result, first: str, second: str) -> None:
    mean = result.difference(first, second)
    decided = any(
        pair.decided for pair in result.pairs if {pair.first, pair.second} == {first, second}
    )
    tint = "grey" if not decided else "green" if mean.value > 0 else "red"
    drawing.rect(Box(x + 2, y + 2, _CELL - 4, _ROW - 4), tint, radius=3, opacity=_TINT)
    _centre(drawing, x, y, mean.signed)


def _write(drawing: Drawing, x: float, y: float, text: str, bold: bool = False) -> None:
    drawing.text(x, y + _SIZE / 3, _shown(text), _SIZE, "ink", bold=bold)


def _centre(drawing: Drawing, x: float, y: float, text: str, bold: bool = False) -> None:
    words = _shown(text)
    size = min(_SIZE, _SIZE * (_CELL - 8) / max(1.0, text_width(words, _SIZE)))
    drawing.text(x + _CELL / 2, y + _ROW / 2 + size / 3, words, size, "ink", "middle", bold=bold)


def _shown(text: str) -> str:
    """A text in characters that can be written in a document."""
    return "".join(char if char.isprintable() else "?" for char in text)
