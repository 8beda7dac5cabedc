"""The sprites of the core, which the build reads from SVG files: see csrc/draw/README.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from mhing._lib import _read_text, ffi, lib
from mhing.render import font
from mhing.render.palette import color_of
from mhing.render.scene import Anchor, Circle, Line, Point, Polygon, Rect, Shape, Sprite, Text


@cache
def sprite(name: str) -> Sprite:
    """The sprite of that name; KeyError where there is none."""
    number = _numbers()[name]
    drawn = lib.mh_sprite_at(number)
    shapes = tuple(_shape(drawn.shapes[i], drawn.numbers) for i in range(drawn.count))
    svg = _read_text(lambda text, size: lib.mh_sprite_svg(number, text, size))
    return Sprite(name, drawn.w, drawn.h, shapes, ffi.string(drawn.card).decode(), svg)


def names() -> list[str]:
    """The names of all sprites."""
    return [*_numbers()]


@cache
def _numbers() -> dict[str, int]:
    sprites = (lib.mh_sprite_at(number) for number in range(lib.mh_sprite_count()))
    return {ffi.string(each.name).decode(): number for number, each in enumerate(sprites)}


def _shape(shape: Any, numbers: Any) -> Shape:
    """A shape, from tenths."""
    first, count = shape.first, shape.count
    if shape.kind == lib.MH_ART_TEXT:
        return _text(shape, [numbers[first + i] for i in range(count)])
    at = [numbers[first + i] / 10 for i in range(count)]
    width = shape.width / 10
    if shape.kind == lib.MH_ART_LINE:
        return Line(_points(at), color_of(shape.stroke), width)
    if shape.kind == lib.MH_ART_POLYGON:
        return Polygon(_points(at), color_of(shape.fill))
    fill = color_of(shape.fill) if shape.fill else None
    stroke = color_of(shape.stroke) if shape.stroke else None
    if shape.kind == lib.MH_ART_RECT:
        x, y, w, h, radius = at
        return Rect(x, y, w, h, fill, radius, stroke, width)
    x, y, radius = at
    return Circle(x, y, radius, fill, stroke, width)


def _points(at: Sequence[float]) -> tuple[Point, ...]:
    return tuple(zip(at[::2], at[1::2], strict=True))


def _text(shape: Any, numbers: Sequence[int]) -> Text:
    x, y, size, width = (number / 10 for number in numbers[:4])
    text = "".join(map(chr, numbers[4:]))
    stretch = width / font.text_width(text, size) if width else 1
    anchor: Anchor = "start"
    if shape.flags & (lib.MH_ART_MIDDLE | lib.MH_ART_END):
        anchor = "middle" if shape.flags & lib.MH_ART_MIDDLE else "end"
    is_bold = bool(shape.flags & lib.MH_ART_BOLD)
    return Text(x, y, text, size, color_of(shape.fill), anchor, is_bold, stretch)
