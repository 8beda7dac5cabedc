"""Shapes on a picture, and on a card: the core's, read for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from strokes import Point, text_width

from mhing._lib.binding import ffi, lib
from mhing._lib.games import GameHandle
from mhing.render.palette import CARDS, PALETTES
from mhing.render.scene import Scene

ZONES = ("", "hand", "drawn", "meld", "discards", "offer", "pile", "result")
"""Places of cards, by number, enum mh_zone."""


class Color(str):
    """A colour of the palette: as a string "#rrggbb", with its name."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Color:
        color = super().__new__(cls, (PALETTES["felt"] | CARDS)[name])
        color.name = name
        return color


@cache
def color_of(number: int) -> str | None:
    """A colour by its number: a plain string where only art has it, None where there is none."""
    if number == 0:
        return None
    found = lib.mh_palette_color_at(number)
    name = ffi.string(found.name).decode()
    return Color(name) if name else f"#{found.felt:06x}"


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners."""

    x: float
    y: float
    w: float
    h: float
    fill: str | None
    radius: float
    stroke: str | None
    width: float


@dataclass(frozen=True)
class Circle:
    """A disc, a ring, or both."""

    x: float
    y: float
    radius: float
    fill: str | None
    stroke: str | None
    width: float


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[Point, ...]
    stroke: str | None
    width: float


@dataclass(frozen=True)
class Polygon:
    """A filled area between points."""

    points: tuple[Point, ...]
    fill: str | None


@dataclass(frozen=True)
class Text:
    """A line of text; `size` is the height of an em, `y` the baseline, `w` its width."""

    x: float
    y: float
    text: str
    size: float
    fill: str | None
    anchor: Literal["start", "middle", "end"]
    bold: bool
    w: float


Shape: TypeAlias = Rect | Circle | Line | Polygon | Text
_ANCHORS: tuple[Literal["start", "middle", "end"], ...] = ("start", "middle", "end")


@dataclass(frozen=True)
class Sprite:
    """A sprite of the core, and the card that it shows where it stands alone."""

    name: str
    w: int
    h: int
    shapes: tuple[Shape, ...]
    card: str
    svg: str


@dataclass(frozen=True)
class Use:
    """A sprite in a picture, with the card that it shows there."""

    sprite: Sprite
    card: str
    x: float
    y: float
    scale: float
    opacity: float
    zone: str
    seat: int | None


# ---- Sprites ------------------------------------------------------------------------------------


@cache
def sprite_names() -> list[str]:
    """The names of all sprites, in the order of the files of art."""
    sprites = map(lib.mh_sprite_at, range(lib.mh_sprite_count()))
    return [ffi.string(each.name).decode() for each in sprites]


@cache
def sprite(name: str) -> Sprite:
    """The sprite of that name."""
    drawn = lib.mh_sprite_named(name.encode())
    shapes = tuple(_of_art(drawn.shapes[i], drawn.numbers) for i in range(drawn.count))
    svg = ffi.buffer(drawn.svg, drawn.svg_length)[:].decode()
    return Sprite(name, drawn.w, drawn.h, shapes, ffi.string(drawn.card).decode(), svg)


def _of_art(shape: Any, numbers: Any) -> Shape:
    whole = [numbers[shape.first + i] for i in range(shape.count)]
    at = [number / 10 for number in whole]
    fill, stroke, width = color_of(shape.fill), color_of(shape.stroke), shape.width / 10
    if shape.kind == lib.MH_ART_TEXT:
        text = "".join(map(chr, whole[4:]))
        x, y, size, w = at[:4]
        is_middle, is_end = shape.flags & lib.MH_ART_MIDDLE, shape.flags & lib.MH_ART_END
        anchor = _ANCHORS[1 if is_middle else 2 if is_end else 0]
        bold = bool(shape.flags & lib.MH_ART_BOLD)
        return Text(x, y, text, size, fill, anchor, bold, w or text_width(text, size))
    if shape.kind in (lib.MH_ART_LINE, lib.MH_ART_POLYGON):
        points = tuple(zip(at[::2], at[1::2], strict=True))
        return Polygon(points, fill) if fill else Line(points, stroke, width)
    if shape.kind == lib.MH_ART_RECT:
        x, y, w, h, radius = at
        return Rect(x, y, w, h, fill, radius, stroke, width)
    x, y, radius = at
    return Circle(x, y, radius, fill, stroke, width)


# ---- Scenes -------------------------------------------------------------------------------------


def shapes_of(scene: Scene) -> list[Rect | Circle | Text | Use]:
    """The shapes on a picture, from the back to the front."""
    return [*_shapes(scene)]


def background_of(scene: Scene) -> str | None:
    """The colour beneath all shapes."""
    return color_of(scene._drawn().background)


@cache
def _labels(handle: GameHandle | None) -> tuple[list[str], list[str]]:
    """The names of the sprites and of the cards that shapes have numbers of."""
    if handle is None:
        return sprite_names(), []
    return handle.sprite_names(), json.loads(handle.describe())["labels"]["cards"]


def _shapes(scene: Scene) -> Iterator[Rect | Circle | Text | Use]:
    drawn, names, cards = scene._drawn(), *_labels(scene._handle)
    texts = ffi.buffer(drawn.texts, drawn.used)[:]
    for s in drawn.shapes[0 : drawn.count]:
        fill, stroke = color_of(s.fill), color_of(s.stroke)
        if s.kind == lib.MH_SPRITE:
            card = cards[s.card] if s.card >= 0 else ""
            seat = None if s.seat < 0 else s.seat
            zone = ZONES[s.zone]
            yield Use(sprite(names[s.sprite]), card, s.x, s.y, s.scale, s.opacity, zone, seat)
        elif s.kind == lib.MH_TEXT:
            text = texts[s.text : s.text + s.length].decode()
            yield Text(s.x, s.y, text, s.h, fill, _ANCHORS[s.anchor], bool(s.is_bold), s.w)
        elif s.kind == lib.MH_CIRCLE:
            yield Circle(s.x, s.y, s.radius, fill, stroke, s.width)
        else:
            yield Rect(s.x, s.y, s.w, s.h, fill, s.radius, stroke, s.width)
