"""Paints a `Scene` with numpy alone, edges smoothed by the distance of each pixel to the shape.

A picture is painted on (h, w, 3) bytes. Sprites are painted once for each size and kept, as
(h, w, 4) floats: red, green and blue from 0 to 255 times the opacity, and the opacity from 0 to 1.
Masks are (h, w) floats: how much of each pixel a shape covers, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from mhing.render import font
from mhing.render.scene import Circle, Line, Point, Polygon, Rect, Scene, Shape, Sprite, Text, Use

Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8] | Floats
Region = tuple[int, int, int, int]  # left, top, right, bottom in whole pixels

SAMPLES = 4  # a polygon is probed at SAMPLES x SAMPLES places in each pixel
PHASES = 4  # text starts at one of so many places within a pixel


def to_rgb(scene: Scene, scale: float = 1) -> NDArray[np.uint8]:
    """Returns the picture as (h, w, 3) bytes, `scale` times as large as the scene."""
    pixels = np.empty((round(scene.h * scale), round(scene.w * scale), 3), np.uint8)
    pixels[:] = _color(scene.background)[:3]
    for shape in scene.shapes:
        if isinstance(shape, Use):
            _place(pixels, shape, scale)
        else:
            _draw(pixels, shape, scale)
    return pixels


def _place(pixels: NDArray[np.uint8], use: Use, scale: float) -> None:
    """Puts a sprite on whole pixels."""
    sprite = _sprite(use.sprite, use.scale * scale, use.opacity)
    x, y = round(use.x * scale), round(use.y * scale)
    left, top, right, bottom = _clip(pixels, (x, y, x + sprite.shape[1], y + sprite.shape[0]))
    part = sprite[top - y : bottom - y, left - x : right - x]
    under = pixels[top:bottom, left:right]
    under[...] = under * (1 - part[..., 3:]) + part[..., :3] + np.float32(0.5)


@lru_cache(maxsize=1024)
def _sprite(sprite: Sprite, scale: float, opacity: float) -> Floats:
    """A sprite on a transparent ground."""
    pixels = np.zeros((ceil(sprite.h * scale), ceil(sprite.w * scale), 4), np.float32)
    for shape in sprite.shapes:
        _draw(pixels, shape, scale)
    pixels *= np.float32(opacity)
    return pixels


def _draw(pixels: Pixels, shape: Shape, scale: float) -> None:
    if isinstance(shape, Rect):
        _draw_rect(pixels, shape, scale)
    elif isinstance(shape, Circle):
        _draw_circle(pixels, shape, scale)
    elif isinstance(shape, Line):
        _draw_line(pixels, shape, scale)
    elif isinstance(shape, Polygon):
        _draw_polygon(pixels, shape, scale)
    else:
        _draw_text(pixels, shape, scale)


def _draw_rect(pixels: Pixels, rect: Rect, scale: float) -> None:
    x, y, w, h = rect.x * scale, rect.y * scale, rect.w * scale, rect.h * scale
    radius, width = rect.radius * scale, rect.width * scale if rect.stroke else 0

    def distance(px: Floats, py: Floats) -> Floats:
        dx = np.abs(px - (x + w / 2)) - (w / 2 - radius)
        dy = np.abs(py - (y + h / 2)) - (h / 2 - radius)
        outside = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0))
        edge: Floats = outside + np.minimum(np.maximum(dx, dy), 0) - np.float32(radius)
        return edge

    outer = _region(x, y, x + w, y + h, width / 2)
    inner = _region(x, y, x + w, y + h, -max(radius, width / 2) - 2)
    if inner[0] < inner[2] and inner[1] < inner[3]:
        if rect.fill:  # the large inside of a rectangle needs no distances
            left, top, right, bottom = _clip(pixels, inner)
            pixels[top:bottom, left:right] = _color(rect.fill)[: pixels.shape[2]]
        regions = _frame(outer, inner)
    else:
        regions = [outer]
    for region in regions:
        _draw_area(pixels, region, distance, rect.fill, rect.stroke, width)


def _draw_circle(pixels: Pixels, circle: Circle, scale: float) -> None:
    x, y, radius = circle.x * scale, circle.y * scale, circle.radius * scale
    width = circle.width * scale if circle.stroke else 0
    region = _region(x - radius, y - radius, x + radius, y + radius, width / 2)
    _draw_area(
        pixels,
        region,
        lambda px, py: np.hypot(px - x, py - y) - radius,
        circle.fill,
        circle.stroke,
        width,
    )


def _draw_area(
    pixels: Pixels,
    region: Region,
    distance: Callable[[Floats, Floats], Floats],
    fill: str | None,
    stroke: str | None,
    width: float,
) -> None:
    """Fills and outlines a shape that is given by the signed distance to its edge."""
    left, top, right, bottom = region = _clip(pixels, region)
    if left >= right or top >= bottom:
        return
    edge = distance(*_centres(region))
    if fill:
        _blend(pixels, region, np.clip(0.5 - edge, 0, 1), fill)
    if stroke:
        _blend(pixels, region, np.clip(0.5 + width / 2 - np.abs(edge), 0, 1), stroke)


def _draw_line(pixels: Pixels, line: Line, scale: float) -> None:
    points = [(x * scale, y * scale) for x, y in line.points]
    mask, left, top = _pen((tuple(points),), line.width * scale)
    _stamp(pixels, mask, left, top, line.stroke)


def _draw_polygon(pixels: Pixels, polygon: Polygon, scale: float) -> None:
    points = np.array(polygon.points, np.float32) * np.float32(scale)
    (left, top), (right, bottom) = points.min(0), points.max(0)
    region = _clip(pixels, _region(left, top, right, bottom, 0))
    px, py = _centres(region, SAMPLES)
    inside = np.zeros((py.size, px.size), bool)
    for (ax, ay), (bx, by) in zip(points, np.roll(points, -1, 0), strict=True):
        if ay != by:  # a ray to the right of the probe crosses this side
            inside ^= ((ay > py) != (by > py)) & (px < ax + (py - ay) * (bx - ax) / (by - ay))
    shape = (py.size // SAMPLES, SAMPLES, px.size // SAMPLES, SAMPLES)
    _blend(pixels, region, inside.reshape(shape).mean((1, 3), np.float32), polygon.fill)


def _draw_text(pixels: Pixels, text: Text, scale: float) -> None:
    size = text.size * scale
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
    x = (text.x - shift * font.width_of(text)) * scale
    phase = floor((x - floor(x)) * PHASES)
    mask, left, top = _written(text.text, size, text.bold, text.stretch, phase)
    _stamp(pixels, mask, left + floor(x), top + round(text.y * scale), text.fill)


@lru_cache(maxsize=2048)
def _written(
    text: str, size: float, bold: bool, stretch: float, phase: int
) -> tuple[Floats, int, int]:
    """The mask of a line of text and its place relative to the start of the baseline."""
    x = phase / PHASES
    glyphs = []
    for char in text:
        if char != " ":
            mask, left, top = _glyph(char, size, bold, stretch, floor((x - floor(x)) * PHASES))
            glyphs.append((mask, left + floor(x), top))
        x += font.advance(char) * size * stretch
    if not glyphs:
        return np.zeros((0, 0), np.float32), 0, 0
    left = min(place for _, place, _ in glyphs)
    top = min(place for _, _, place in glyphs)
    right = max(place + mask.shape[1] for mask, place, _ in glyphs)
    bottom = max(place + mask.shape[0] for mask, _, place in glyphs)
    line = np.zeros((bottom - top, right - left), np.float32)
    for mask, gx, gy in glyphs:
        part = line[gy - top :, gx - left :][: mask.shape[0], : mask.shape[1]]
        np.maximum(part, mask, out=part)
    return line, left, top


@lru_cache(maxsize=4096)
def _glyph(
    char: str, size: float, bold: bool, stretch: float, phase: int
) -> tuple[Floats, int, int]:
    """The mask of a character and its place relative to the pen on the baseline."""
    unit = font.UNIT * size
    unit_x = unit * stretch
    left = font.GAP / 2 * unit_x + phase / PHASES
    strokes = tuple(
        tuple((left + x * unit_x, (y - font.BASELINE) * unit - 0.5) for x, y in stroke)
        for stroke in font.strokes(char)
    )
    return _pen(strokes, font.WEIGHT[bold] * size)


def _pen(strokes: tuple[tuple[Point, ...], ...], width: float) -> tuple[Floats, int, int]:
    """The mask of lines drawn with a round pen, and its place."""
    sides = [side for stroke in strokes for side in zip(stroke, stroke[1:] or stroke, strict=False)]
    ends = np.array(sides, np.float32)[..., None, None]  # (sides, 2 ends, x and y, 1, 1)
    flat = ends.reshape(-1, 2)
    (left, top), (right, bottom) = flat.min(0), flat.max(0)
    region = _region(left, top, right, bottom, width / 2)
    px, py = _centres(region)
    ax, ay, bx, by = ends[:, 0, 0], ends[:, 0, 1], ends[:, 1, 0], ends[:, 1, 1]
    dx, dy = bx - ax, by - ay
    length = np.maximum(dx * dx + dy * dy, np.float32(1e-6))
    along = np.clip(((px - ax) * dx + (py - ay) * dy) / length, 0, 1)
    away = np.hypot(px - ax - along * dx, py - ay - along * dy).min(0)
    return np.clip(0.5 + width / 2 - away, 0, 1), region[0], region[1]


def _stamp(pixels: Pixels, mask: Floats, x: int, y: int, color: str) -> None:
    """Paints through a mask whose top left corner is at (x, y)."""
    region = _clip(pixels, (x, y, x + mask.shape[1], y + mask.shape[0]))
    left, top, right, bottom = region
    _blend(pixels, region, mask[top - y : bottom - y, left - x : right - x], color)


def _blend(pixels: Pixels, region: Region, mask: Floats, color: str) -> None:
    left, top, right, bottom = region
    under = pixels[top:bottom, left:right]
    under[...] = under + (_color(color)[: pixels.shape[2]] - under) * mask[..., None]


@lru_cache(maxsize=256)
def _color(color: str) -> Floats:
    """A colour "#rrggbb" as an opaque pixel."""
    return np.array([*bytes.fromhex(color[1:]), 1], np.float32)


def _region(left: float, top: float, right: float, bottom: float, margin: float) -> Region:
    """The whole pixels that an area and its margin touch."""
    margin += 0.5
    return (
        floor(left - margin),
        floor(top - margin),
        ceil(right + margin),
        ceil(bottom + margin),
    )


def _clip(pixels: Pixels, region: Region) -> Region:
    """The part of a region that lies on the canvas; empty, but never reversed, outside of it."""
    h, w = pixels.shape[:2]
    left, top = min(max(region[0], 0), w), min(max(region[1], 0), h)
    return left, top, max(min(region[2], w), left), max(min(region[3], h), top)


def _frame(outer: Region, inner: Region) -> list[Region]:
    """What an inner region leaves of an outer one: strips above, below, left and right."""
    left, top, right, bottom = outer
    inner_left, inner_top, inner_right, inner_bottom = inner
    return [
        (left, top, right, inner_top),
        (left, inner_bottom, right, bottom),
        (left, inner_top, inner_left, inner_bottom),
        (inner_right, inner_top, right, inner_bottom),
    ]


def _centres(region: Region, samples: int = 1) -> tuple[Floats, Floats]:
    """The places to probe in a region, one or more in each pixel: a row of x, a column of y."""
    left, top, right, bottom = region
    offset = 0.5 / samples
    x = left + offset + np.arange((right - left) * samples, dtype=np.float32) / samples
    y = top + offset + np.arange((bottom - top) * samples, dtype=np.float32) / samples
    return x[None, :].astype(np.float32), y[:, None].astype(np.float32)
